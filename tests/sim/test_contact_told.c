/* SPDX-License-Identifier: MIT */
/* What a run from event to event tells of its contacts: events, warnings, and that it is repeated
 * in time steps. */
#include <math.h>

#include "support/simulation.h"

static simulation simulate(const char *text, double until) {
    simulation s = simulation_make(until);
    s.options.contacts = ZW_SIM_CONTACTS_EVENTS;
    s.options.energy = true;
    simulation_run(&s, text);
    assert_done(&s);
    return s;
}

/* events of this name */
static int count(const simulation *s, const char *name, double *t, double *jump, int most) {
    const zw_table *events = zw_sim_events(s->sim);
    int n = 0;
    for (long row = 0; row < zw_table_rows(events); row++) {
        char key[32];
        snprintf(key, sizeof key, "event %d", (int)at(events, row, "event"));
        if (strcmp(note_of(events, key), name) != 0)
            continue;
        assert_true(n < most);
        t[n] = at(events, row, "t");
        jump[n++] = at(events, row, "jump");
    }
    return n;
}

/* ---- at the moment of an event of the model ---- */

/* A ball falls from 1 m, g = 8 m/s^2: it hits the floor at 0.5 s, and with e = 1/2 at 1 and 1.25 s.
 * An event of the model acts at the same moments: by the same function, or by a clock (of which
 * that at 1.5 s falls into a flight). Either way the impacts are listed, each once, with the energy
 * that they take; the event itself changes none. */
static void test_impact__at_the_moment_of_an_event_is_listed_once(void **state) {
    (void)state;
    static const char *const with[] = {"event touch : z falling, set n = n + 1\n",
                                       "event touch : every 0.5 [s] from 0.5 [s], set n = n + 1\n",
                                       "event touch : z - 1e-13 [m] falling, set n = n + 1\n"};
    for (int i = 0; i < 3; i++) {
        char text[500];
        double t[8], jump[8], speed = 4;
        snprintf(text, sizeof text,
                 "model ball\nparam n = 0, m = 2 [kg]\ncoord z [m]\nparticle P : m at (0, 0, z)\n"
                 "gravity 8 [m/s^2] along -z\ncontact floor : gap z, law newton(1/2)\n"
                 "start z = 1 [m]\n%s",
                 with[i]);
        simulation s = simulate(text, 1.3);
        assert_int_equal(count(&s, "floor.hit", t, jump, 8), 3);
        for (int k = 0; k < 3; k++) {
            assert_close(t[k], k == 0 ? 0.5 : k == 1 ? 1 : 1.25, 1e-11);
            assert_close(jump[k], -3.0 / 4 * speed * speed, 1e-9);
            speed /= 2;
        }
        int acts = count(&s, "touch", t, jump, 8);
        assert_int_equal(acts, i == 1 ? 2 : 3);
        for (int k = 0; k < acts; k++)
            assert_close(jump[k], 0, 1e-10);
        assert_close(at(zw_sim_rows(s.sim), -1, "z'"), 0.5 - 8 * 0.05, 1e-9);
        assert_close(at(zw_sim_rows(s.sim), -1, "drift"), 0, 1e-9);
        simulation_clear(&s);
    }
}

/* What an event makes of a block that sticks: it slips from the moment on at which the slope
 * becomes steep. A contact that is switched off does not lift. */
static void test_slip__that_an_event_begins_is_listed(void **state) {
    (void)state;
    double t[2], jump[2];
    simulation s = simulate("model block\nparam F = 1 [N], mu = 0.5\ncoord x, z [m]\n"
                            "particle P : 1 [kg] at (x, 0, z)\ngravity 10 [m/s^2] along -z\n"
                            "force pull (x) = F\n"
                            "contact c : gap z, slip x', law coulomb(mu)\n"
                            "event more : every 90 [s] from 0.25 [s], set F = 7 [N]\n"
                            "event none : every 90 [s] from 1 [s], switch off c\n",
                            1.5);
    assert_int_equal(count(&s, "c.slips", t, jump, 2), 1);
    assert_close(t[0], 0.25, 1e-12);
    assert_int_equal(count(&s, "c.lifts", t, jump, 2), 0);
    assert_close(at(zw_sim_rows(s.sim), -1, "x'"), 2 * 0.75 + 7 * 0.5, 1e-9);
    simulation_clear(&s);
}

/* ---- warnings ---- */

/* A joint holds a block in one direction, along an axis or across: it takes what comes from there,
 * the friction of the one contact acts in the other, and nothing is shared. The block slips where
 * the push along its way is mu m g. */
static void test_contact__that_is_alone_shares_nothing(void **state) {
    (void)state;
    static const char *const walls[] = {"y = 0", "y = x"};
    static const double push[] = {5, 5 / M_SQRT2}; /* N/s, along the way */
    for (int i = 0; i < 2; i++) {
        char text[400];
        double t[2], jump[2];
        snprintf(text, sizeof text,
                 "model guided\ncoord x, y, z [m]\nparticle P : 1 [kg] at (x, y, z)\n"
                 "gravity 10 [m/s^2] along -z\nconstraint walls : %s\n"
                 "contact c : gap z, slip (x', y'), law coulomb(0.25)\n"
                 "force push (x) = 5 [N/s]*t\n",
                 walls[i]);
        simulation s = simulate(text, 1);
        assert_int_equal(count(&s, "c.slips", t, jump, 2), 1);
        assert_close(t[0], 2.5 / push[i], 1e-9);
        assert_string_equal(note_of(zw_sim_rows(s.sim), "doubts"), "none");
        simulation_clear(&s);
    }
}

/* A hinged rod that leans on a rough step: its end has one way to move, and how its normal force
 * and its friction hold it rigid bodies do not tell. These are the forces of one contact. */
static void test_contact__shares_with_its_own_friction(void **state) {
    (void)state;
    simulation s = simulate("model lever\nparam l = 1 [m], th0 = 0.3\ncoord th [rad]\n"
                            "frame K : rotate y th\nbody rod : K at K(l/2, 0, 0), rod(1 [kg], l)\n"
                            "gravity 9.81 [m/s^2] along -z\n"
                            "point A : rod.origin + K(l/2, 0, 0)\n"
                            "contact c : gap A.z + l*sin(th0), slip rod.velocity(A), normal z, "
                            "law coulomb(0.3)\nstart th = th0\n",
                            0.2);
    const char *doubts = note_of(zw_sim_rows(s.sim), "doubts");
    assert_text_has(doubts, "the normal force and the friction of the contact c are not unique");
    assert_close(at(zw_sim_rows(s.sim), -1, "th"), 0.3, 1e-12);
    simulation_clear(&s);
}

/* A ball rolls down a hill from rest at sin(a) = 1/11 and lifts off where cos(b) = 10/17 cos(a).
 * With `stop` the run ends there, and nothing is doubtful: the steps that went on behind it are no
 * part of the motion. */
#define HILL                                                                                       \
    "model hill\nparam r = 0.1 [m], R = 1 [m]\ncoord x, y, z [m]\nrotation B\n"                    \
    "point O : (0, 0, 0)\nbody ball : B at (x, y, z), sphere(1 [kg], r)\n"                         \
    "gravity 9.81 [m/s^2] along -z\n"                                                              \
    "rolling roll : sphere ball radius r on sphere centre O radius R outside, stop\n"              \
    "start z = sqrt((R + r)^2 - 0.01 [m^2]), x = 0.1 [m]\n"

static void test_stop__where_the_ground_would_pull_is_no_doubt(void **state) {
    (void)state;
    static const char *const method[] = {NULL, "radau", "bdf"};
    for (int i = 0; i < 6; i++) {
        simulation s = simulation_make(1.5);
        s.options.run.method = method[i % 3];
        s.options.step_out = i < 3 ? 0 : 0.25;
        simulation_run(&s, HILL);
        assert_done(&s);
        const zw_table *rows = zw_sim_rows(s.sim);
        assert_int_equal(zw_sim_statistics(s.sim).ending, ZW_SIM_EVENT);
        assert_close(at(rows, -1, "z"), 10.0 / 17 * sqrt(1.21 - 0.01), 1e-7);
        assert_string_equal(note_of(rows, "doubts"), "none");
        simulation_clear(&s);
    }
}

/* A run cannot begin where the statement would end it: who has written `stop` is not told to. */
static void test_stop__at_the_start_is_an_error(void **state) {
    (void)state;
    simulation s = simulation_make(1);
    simulation_run(&s, HILL "start y' = 9 [m/s], B.wx = -90 [rad/s]\n");
    assert_int_equal(s.status, ZW_E_START);
    assert_text_has(s.err.text, "roll lifts off at t = 0 s");
    assert_text_has(s.err.hint, "start where the contact force is positive");
    simulation_clear(&s);
}

/* A rod slides into Painleve's paradox, where its normal force grows without limit; with mu below
 * 4/3 there is none for any angle. How long the steps are decides whether they meet the state
 * without a force, lift the rod before, or stop its slip within the last step: each is a warning,
 * and there is none without a paradox. */
static void test_paradox__is_told_at_every_step_and_nowhere_else(void **state) {
    (void)state;
    for (int i = 0; i < 24; i++) {
        char text[600];
        simulation s = simulation_make(0.2);
        s.options.contacts = ZW_SIM_CONTACTS_MOREAU;
        s.options.run.step = i == 0 ? 3e-4 : 1e-3 * pow(10, -(i / 2) / 6.0);
        snprintf(text, sizeof text,
                 "model painleve\nparam m = 1 [kg], l = 0.5 [m], mu = %g, g = 9.81 [m/s^2]\n"
                 "param th0 = 30 [deg], w0 = 3 [rad/s], vc = -10 [m/s]\ncoord x, y [m], th [rad]\n"
                 "frame B : rotate z th\nbody rod : B at (x, y, 0), rod(m, 2*l)\n"
                 "gravity g along -y\npoint C : rod.origin - l*B.x\n"
                 "contact floor : gap C.y, slip (rod.velocity(C)).x, law coulomb(mu)\n"
                 "start th = th0, y = l*sin(th0), th' = w0, y' = l*cos(th0)*w0, "
                 "x' = vc - l*sin(th0)*w0\n",
                 i % 2 ? 1.3 : 1.7);
        simulation_run(&s, text);
        assert_done(&s);
        const char *doubts = note_of(zw_sim_rows(s.sim), "doubts");
        bool told = strstr(doubts, "Painleve") || strstr(doubts, "more than one motion");
        assert_int_equal(told, i % 2 == 0);
        simulation_clear(&s);
    }
}

/* ---- in time steps after all ---- */

/* A force of 2e5 rad/s makes steps so short that a run from event to event would take very many of
 * them. It is repeated as a whole in time steps, and the result says when and why. m x'' = F - mu m
 * g + f sin(w t): x = (F - mu m g) t^2/2 + f/w (t - sin(w t)/w). What steps that do not see the
 * force make of it is within the estimated error, and a warning. */
static struct {
    int events, before, again;
    double t;
} heard;

static void hear_event(void *user, const char *name, double t) {
    (void)user, (void)t;
    heard.events += strcmp(name, "tick") == 0;
}

static void hear_again(void *user, double t) {
    (void)user;
    heard.again++;
    heard.before = heard.events;
    heard.events = 0;
    heard.t = t;
}

static void test_run__that_cannot_go_on_is_repeated_in_time_steps(void **state) {
    (void)state;
    simulation s = simulation_make(3);
    memset(&heard, 0, sizeof heard);
    s.options.event = hear_event;
    s.options.again = hear_again;
    s.options.run.rtol = 1e-9;
    s.options.run.atol = 1e-11;
    s.options.step_out = 0.5;
    simulation_run(&s, "model hum\nparam w = 2e5 [rad/s], f = 0.01 [N]\ncoord x, z [m]\n"
                       "particle P : 1 [kg] at (x, 0, z)\ngravity 10 [m/s^2] along -z\n"
                       "contact c : gap z, slip x', law coulomb(0.25)\n"
                       "force hum (x) = 4.5 [N] + f*sin(w*t)\n"
                       "event tick : every 0.002 [s] from 0.001 [s], record\n");
    assert_done(&s);
    /* events of the run that is discarded, and then those of the whole result */
    assert_int_equal(heard.again, 1);
    assert_true(heard.before > 0 && heard.t > 0 && heard.t < 3);
    assert_in_range(heard.before, heard.t / 0.002 - 2, heard.t / 0.002 + 2);
    assert_int_equal(heard.events, zw_table_rows(zw_sim_events(s.sim)));
    const zw_table *rows = zw_sim_rows(s.sim);
    const char *why = note_of(rows, "contacts treated"), *when;
    assert_text_has(why, "in time steps: the run from event to event fails at t = ");
    assert_text_has(why, "more steps would be needed");
    when = strstr(why, "t = ") + 4;
    assert_true(atof(when) > 0 && atof(when) < 3);
    assert_int_equal(zw_table_rows(rows), 7); /* from the start on */
    for (long i = 0; i < 7; i++) {
        double t = 0.5 * (double)i;
        assert_close(at(rows, i, "t"), t, 1e-12);
        assert_close(at(rows, i, "x"), t * t, 2e-3);
    }
    assert_text_has(zw_sim_statistics(s.sim).contacts,
                    "in time steps: the run from event to event");
    assert_text_has(note_of(rows, "doubts"), "the estimated error of x");
    simulation_clear(&s);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_impact__at_the_moment_of_an_event_is_listed_once),
        cmocka_unit_test(test_slip__that_an_event_begins_is_listed),
        cmocka_unit_test(test_contact__that_is_alone_shares_nothing),
        cmocka_unit_test(test_contact__shares_with_its_own_friction),
        cmocka_unit_test(test_stop__where_the_ground_would_pull_is_no_doubt),
        cmocka_unit_test(test_stop__at_the_start_is_an_error),
        cmocka_unit_test(test_paradox__is_told_at_every_step_and_nowhere_else),
        cmocka_unit_test(test_run__that_cannot_go_on_is_repeated_in_time_steps),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
