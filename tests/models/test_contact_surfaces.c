/* SPDX-License-Identifier: MIT */
/* Contacts on surfaces that move, start, stop and end, from event to event and in time steps,
 * against closed forms; and what has no meaning: gaps that jump, mu < 0, restitutions outside
 * 0..1. */
#include <math.h>

#include "support/contact_run.h"

static const double g = 9.81;

/* ---- motions ---- */

#define PARTICLE "coord x, z [m]\nparticle P : 1 [kg] at (x, 0, z)\ngravity 9.81 [m/s^2] along -z\n"
#define BODY "model piston\ncoord x [m]\nparticle P : 1 [kg] at (x, 0)\nforce back (x) = -1 [N]\n"

typedef struct motion {
    const char *text, *column;
    double until, value;
} motion;

static void check(const motion *m, zw_sim_scheme scheme, double rtol, double step, double within) {
    simulation s = contact_do(&(contact_run){
        .model = m->text, .until = m->until, .rtol = rtol, .step = step, .scheme = scheme});
    double value = at(zw_sim_rows(s.sim), -1, m->column);
    if (!(fabs(value - m->value) <= within))
        fail_msg("%s at rtol %g is %.12g, not %.12g:\n%s", m->column, rtol, value, m->value,
                 m->text);
    const char *doubts = note_of(zw_sim_rows(s.sim), "doubts");
    if (scheme == ZW_SIM_CONTACTS_EVENTS && doubts && strcmp(doubts, "none") != 0)
        fail_msg("%s:\n%s", doubts, m->text);
    simulation_clear(&s);
}

/* between events to the tolerance, whichever it is; time steps of first order */
static void check_all(int n, const motion *m) {
    static const double rtol[] = {1e-5, 1e-7, 1e-9, 1e-11};
    for (int i = 0; i < n; i++) {
        for (int k = 0; k < 4; k++)
            check(&m[i], ZW_SIM_CONTACTS_EVENTS, rtol[k], 0, 20 * rtol[k] + 1e-12);
        check(&m[i], ZW_SIM_CONTACTS_MOREAU, 0, 1e-4, 2e-3);
    }
}

/* A wall that starts with 1 m/s at t = 1 s hits the body at rest: x' = (1 + e) 1 m/s, then -1
 * m/s^2. The body leaves one that turns back, with its 1 m/s. It does not matter whether the wall
 * is a table, a conditional, a kink, or a state. */
static void test_wall__that_starts_at_once_is_an_impact(void **state) {
    (void)state;
    static const char *const starts[] = {
        BODY "input s = table (0, 0), (1 [s], 0), (2 [s], 1 [m]), (3 [s], 0)\n"
             "contact wall : gap x - s, law newton(0.5)\n",
        BODY "contact wall : gap x - if(t < 1 [s], 0, 1 [m/s]*(t - 1 [s])), law newton(0.5)\n",
        BODY "contact wall : gap x - if(t <= 1 [s], 0, 1 [m/s]*(t - 1 [s])), law newton(0.5)\n",
        BODY "contact wall : gap x - 1 [m/s]*max(0, t - 1 [s]), law newton(0.5)\n",
        BODY "contact wall : gap x - 0.5 [m/s]*(abs(t - 1 [s]) + t - 1 [s]), law newton(0.5)\n",
        BODY "state q [m] : q' = if(t < 1 [s], 0, 1 [m/s])\n"
             "contact wall : gap x - q, law newton(0.5)\n"};
    for (int i = 0; i < 6; i++)
        check_all(2, (motion[]){{starts[i], "x", 1.5, 1.5 * 0.5 - 0.125},
                                {starts[i], "x'", 1.5, 1.5 - 0.5}});
    const char *retreat = BODY "input s = table (0, 0), (1 [s], 1 [m]), (2 [s], 0)\n"
                               "contact wall : gap x - s, law newton(0.5)\nstart x' = 1 [m/s]\n";
    check_all(2, (motion[]){{retreat, "x", 1.5, 1 + 0.5 - 0.125}, {retreat, "x'", 1.5, 1 - 0.5}});
}

/* A wall with 0.5 m/s from -0.5 m is met where t^2 + t = 1; one that moves as |sin 2t|/2 starts
 * with 1 m/s, and the body with 1.5 m/s stays ahead of it. */
static void test_wall__that_moves_by_a_state_or_a_kink(void **state) {
    (void)state;
    double t = (sqrt(5) - 1) / 2, away = 0.5 + (t + 0.5) / 2, s = 1.5 - t;
    const char *by_state = BODY "state q [m] : q' = 0.5 [m/s]\nstart q = -0.5 [m]\n"
                                "contact wall : gap x - q, law newton(0.5)\n",
               *by_kink = BODY "contact wall : gap x - abs(sin(2 [rad/s]*t))*0.5 [m], "
                               "law newton(0.5)\n";
    check_all(2, (motion[]){{by_state, "x", 1.5, -t * t / 2 + away * s - s * s / 2},
                            {by_kink, "x", 1.5, 1.5 * 1.5 - 1.125}});
}

/* Belts that stop, speed up, or end at the next one: friction is mu g = 2.943 m/s^2 as long as the
 * block slides. */
static void test_belt__that_jumps_makes_the_block_slide(void **state) {
    (void)state;
    double a = 0.3 * g, back = 1.5 / a;
    const char *stop = "model stop\n" PARTICLE
                       "contact belt : gap z, slip (x' - if(t < 1 [s], 2 [m/s], 0)), "
                       "law coulomb(0.3)\nstart x' = 2 [m/s]\n",
               *jerk = "model jerk\n" PARTICLE
                       "contact belt : gap z, slip (x' - 2 [m/s] - 5 [m/s^2]*max(0, t - 1 [s])), "
                       "law coulomb(0.3)\nstart x' = 2 [m/s]\n",
               *next = "model next\n" PARTICLE
                       "contact belt : gap z, slip (x' - if(x < 1 [m], 1 [m/s], -0.5 [m/s])), "
                       "law coulomb(0.3)\nstart x' = 1 [m/s]\n",
               *slippery = "model slippery\n" PARTICLE
                           "contact belt : gap z, slip (x' - 1 [m/s]*(1 + t/1 [s])), "
                           "law coulomb(if(x < 2 [m], 0.3, 0.05))\nstart x' = 1 [m/s]\n";
    double on = sqrt(5) - 1, left = 1.5 - on; /* t + t^2/2 = 2 */
    check_all(4, (motion[]){{stop, "x'", 1.5, 2 - a / 2},
                            {jerk, "x'", 1.5, 2 + a / 2},
                            {next, "x", 1.6, 1 + back - a * back * back / 2 - (0.6 - back) / 2},
                            {slippery, "x'", 1.5, 1 + on + 0.05 * g * left}});
}

/* A rail that keeps the bead: it starts with 1 m/s, then goes down with 1 m/s. Friction takes mu
 * |P| of the impulses 1 and 2 N s. */
static void test_rail__that_starts_at_once_has_friction_of_its_impulse(void **state) {
    (void)state;
    const char *text = "model rail\n" PARTICLE
                       "contact rail : gap z - 1 [m/s]*(max(0, t - 1 [s]) - 2*max(0, t - 2 [s])), "
                       "slip x', bilateral, law coulomb(0.1)\nstart x' = 3 [m/s]\n";
    check_all(3, (motion[]){{text, "x'", 1.5, 3 - 0.15 * g - 0.1},
                            {text, "x'", 2.5, 3 - 0.25 * g - 0.3},
                            {text, "z'", 2.5, -1}});
}

/* Down a slope of 1:2 and into the other: along (-1/2, 1) the impulse is (1 + e) x'/(5/4), the gap
 * opens with e x' and closes after 2 e x'/g. */
static void test_particle__hits_the_other_side_of_a_valley(void **state) {
    (void)state;
    const char *text =
        "model valley\n" PARTICLE "contact floor : gap z - 0.5*abs(x - 1 [m]), law newton(0.5)\n"
        "start z = 0.5 [m]\n";
    double slide = sqrt(2 / (0.4 * g)), v = 0.4 * g * slide, P = 1.5 * v / 1.25;
    double until = slide + v / g;
    check_all(1, (motion[]){{text, "x", until, 1 + (v - P / 2) * (v / g)}});
    simulation s = contact_do(&(contact_run){
        .model = text, .until = until * 1.01, .rtol = 1e-11, .scheme = ZW_SIM_CONTACTS_EVENTS});
    assert_close(at(zw_sim_events(s.sim), 0, "t"), slide, 1e-10);
    assert_close(at(zw_sim_events(s.sim), 2, "t"), slide + v / g, 1e-10);
    simulation_clear(&s);
}

/* A wall of 1 m/s hits the first of two balls, the second of which just leaves it; that one is hit
 * in its turn, throws the first back to the wall, and so on, all in one moment: pair by pair by
 * Newton's law. */
static void test_impact__goes_on_in_a_row(void **state) {
    (void)state;
    const char *text = "model row\ncoord x, y [m]\nparticle P : 1 [kg] at (x, 0)\n"
                       "particle Q : 3 [kg] at (y, 0)\n"
                       "contact wall : gap x - 1 [m/s]*t, law newton(0.5)\n"
                       "contact pair : gap y - x, law newton(0.5)\n"
                       "start y' = 0.5 [m/s]\n";
    double v = 0, w = 0.5;
    while (v < 1 || w < v) {
        double P = w < v ? 1.5 * (v - w) / (1 + 1.0 / 3) : 0;
        w += P / 3;
        v = P > 0 ? v - P : 1 + 0.5 * (1 - v);
    }
    for (int i = 0; i < 2; i++) /* time steps take what falls into one step for one impact */
        for (double rtol = 1e-5; rtol > 1e-12; rtol *= 1e-2)
            check(&(motion){text, i ? "y" : "x", 0.1, 0.1 * (i ? w : v)}, ZW_SIM_CONTACTS_EVENTS,
                  rtol, 0, 20 * rtol);
}

/* A surface that ends (a gap that is constant beyond it) lets the body fall; one that is flown over
 * may have any shape. */
static void test_surface__may_end(void **state) {
    (void)state;
    const char *table = "model table\n" PARTICLE
                        "contact top : gap if(x < 1 [m], z, 5 [m]), slip x', law coulomb(0)\n"
                        "start x' = 1 [m/s]\n",
               *step = "model step\n" PARTICLE
                       "contact floor : gap z - if(x < 1 [m], 0, -0.5 [m]), law newton(0)\n"
                       "start x = 0.9 [m], z = 0.2 [m], x' = 1 [m/s]\n";
    check_all(2, (motion[]){{table, "z", 1.3, -g / 2 * 0.09}, {step, "z", 1, -0.5}});
}

/* What events set: less friction, an impact, a slip. After z' = -1 m/s bounces of speeds e^n last 2
 * e^n/g, in each of which the push of 3 N moves the block by 6/g^2 e^(2 n), and friction stops it
 * where it lands. */
static void test_events__that_act_on_contacts(void **state) {
    (void)state;
#define ACTS                                                                                       \
    "model acts\nparam mu = 0.5\n" PARTICLE "force push (x) = 3 [N]\n"                             \
    "contact floor : gap z, slip x', law newton(0.5) + coulomb(mu)\n"
    check_all(3, (motion[]){{ACTS "event oil : t - 1 [s] rising, set mu = 0.1\n", "x'", 1.5,
                             (3 - 0.1 * g) / 2},
                            {ACTS "event hit : t - 1 [s] rising, set x' = 1 [m/s]\n", "x'", 1.5,
                             1 + (3 - 0.5 * g) / 2},
                            {ACTS "event hit : t - 1 [s] rising, set z' = -1 [m/s]\n", "x", 1.5,
                             6 / (g * g) / 3}});
}

/* ---- the cone ---- */

/* Friction of a contact that sticks stays in its cone, however tight the tolerances are. */
static void test_woodpecker__stays_in_the_cone(void **state) {
    (void)state;
    static const double rtol[] = {1e-6, 1e-8, 1e-11};
    for (int i = 0; i < 3; i++) {
        simulation s = contact_do(&(contact_run){.model = "woodpecker",
                                                 .until = 0.1,
                                                 .rtol = rtol[i],
                                                 .scheme = ZW_SIM_CONTACTS_EVENTS});
        const zw_table *rows = zw_sim_rows(s.sim);
        for (long r = 0; r < zw_table_rows(rows); r++) {
            double N = at(rows, r, "lambda(lower)"), T = at(rows, r, "lambda(lower.1)");
            if (N > 0)
                assert_true(fabs(T) <= 0.3 * N * (1 + 1e-6) + 1e-9);
        }
        simulation_clear(&s);
    }
}

/* ---- what has no meaning ---- */

typedef struct wrong {
    const char *text, *says;
    int line;
    double t; /* s */
} wrong;

static void check_wrong(const wrong *w, zw_sim_scheme scheme, double within) {
    simulation s = contact_try(&(contact_run){.model = w->text,
                                              .until = 2,
                                              .step = scheme == ZW_SIM_CONTACTS_MOREAU ? 1e-4 : 0,
                                              .scheme = scheme});
    if (s.status >= 0)
        fail_msg("it runs:\n%s", w->text);
    assert_text_has(s.err.text, w->says);
    assert_string_equal(s.err.file, "test.zw");
    assert_int_equal(s.err.line, w->line);
    const char *time = strstr(s.err.text, "t = ");
    assert_non_null(time);
    assert_close(strtod(time + 4, NULL), w->t, within);
    simulation_clear(&s);
}

static void check_both(int n, const wrong *w) {
    for (int i = 0; i < n; i++) {
        check_wrong(&w[i], ZW_SIM_CONTACTS_EVENTS, 1e-8);
        check_wrong(&w[i], ZW_SIM_CONTACTS_MOREAU, 2e-4);
    }
}

/* 1 m with 1 m/s, less drag: 1 - exp(-0.1 t) = 0.1 */
static void test_gap__that_jumps_is_an_error(void **state) {
    (void)state;
    check_both(
        5, (wrong[]){{"model a\n" PARTICLE "contact floor : gap z - if(x < 1 [m], 0, 0.1 [m])\n"
                      "start x' = 1 [m/s]\n",
                      "jumps by -0.1 m", 5, 1},
                     {"model b\n" PARTICLE "contact floor : gap z - if(x < 1 [m], 0, 0.1 [m])\n"
                      "start x' = 1 [m/s]\nforce drag (x) = -0.1 [kg/s]*x'\n",
                      "jumps by -0.1 m", 5, -10 * log(0.9)},
                     {"model c\n" PARTICLE "contact floor : gap z - if(t < 1 [s], 0, -0.1 [m])\n",
                      "jumps by 0.1 m", 5, 1},
                     {"model d\n" PARTICLE "contact floor : gap z - 0.05 [m]*sign(t - 1 [s])\n"
                      "start z = -0.05 [m]\n",
                      "jumps by -0.1 m", 5, 1},
                     {"model e\n" PARTICLE "contact floor : gap z\n"
                      "event into : t - 1 [s] rising, set z = -0.1 [m]\n",
                      "overlaps by 0.1 m", 5, 1}});
}

/* mu = mu0 (1 - x/L): with k^2 = mu0 g/L, tanh(k t) = L k where x = L */
static void test_law__without_a_meaning_is_an_error(void **state) {
    (void)state;
    double k = sqrt(0.1 * g / 0.1);
    check_both(3,
               (wrong[]){{"model mu\n" PARTICLE
                          "contact floor : gap z, slip x', law coulomb(0.1*(1 - x/0.1 [m]))\n"
                          "start x' = 1 [m/s]\n",
                          "mu", 5, atanh(0.1 * k) / k},
                         {"model mu\n" PARTICLE
                          "contact floor : gap z, slip x', law coulomb(if(t < 1 [s], 0.5, "
                          "-0.1))\nforce push (x) = 1 [N]\n",
                          "mu", 5, 1},
                         {"model e\n" PARTICLE "contact floor : gap z, law newton(0.8 + t/1 [s])\n"
                          "start z = 0.5 [m]\n",
                          "restitution", 5, sqrt(1 / g)}});
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_wall__that_starts_at_once_is_an_impact),
        cmocka_unit_test(test_wall__that_moves_by_a_state_or_a_kink),
        cmocka_unit_test(test_belt__that_jumps_makes_the_block_slide),
        cmocka_unit_test(test_rail__that_starts_at_once_has_friction_of_its_impulse),
        cmocka_unit_test(test_particle__hits_the_other_side_of_a_valley),
        cmocka_unit_test(test_impact__goes_on_in_a_row),
        cmocka_unit_test(test_surface__may_end),
        cmocka_unit_test(test_events__that_act_on_contacts),
        cmocka_unit_test(test_woodpecker__stays_in_the_cone),
        cmocka_unit_test(test_gap__that_jumps_is_an_error),
        cmocka_unit_test(test_law__without_a_meaning_is_an_error),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
