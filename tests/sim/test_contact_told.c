/* SPDX-License-Identifier: MIT */
/* What a run from event to event tells of its contacts: events, warnings, and that it is repeated in time steps. */
#include <math.h>

#include "simulation.h"

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

/* A ball falls from 1 m, g = 8 m/s^2: it hits the floor at 0.5 s, and with e = 1/2 at 1 and 1.25 s. An event of the model acts at the
 * same moments: by the same function, or by a clock (of which that at 1.5 s falls into a flight). Either way the impacts are listed,
 * each once, with the energy that they take; the event itself changes none. */
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

/* What an event makes of a block that sticks: it slips from the moment on at which the slope becomes steep. A contact that is switched off
 * does not lift. */
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

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_impact__at_the_moment_of_an_event_is_listed_once),
        cmocka_unit_test(test_slip__that_an_event_begins_is_listed),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
