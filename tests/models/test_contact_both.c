/* SPDX-License-Identifier: MIT */
/* The same models in time steps and from event to event: two schemes that share nothing but the
 * equations. Time steps converge, to first order, to what a method of high order finds between
 * events. */
#include "support/contact_run.h"

typedef struct comparison {
    contact_run run;
    const char *column;
    double error; /* at steps of 1e-5 s, in the unit of the column */
} comparison;

static double error_of(contact_run r, const char *column, double step, double want) {
    r.step = step;
    return fabs(contact_end(&r, column) - want);
}

static void test_schemes__time_steps_converge_to_events(void **state) {
    (void)state;
    const comparison all[] = {
        {{.model = "slider_crank_clearance", .until = 0.03}, "th_1", 5e-3},
        {{.model = "rocking_block", .until = 2.5}, "th", 2e-4},
        {{.model = "tippe_top", .until = 1}, "tilt", 5e-3}, /* deg */
        {{.model = "rattleback_friction", .set = {"mu=0.1"}, .until = 3},
         "spin",
         2e-3},                                                 /* slips and sticks */
        {{.model = "spinning_egg", .until = 0.8}, "tilt", 0.1}, /* deg */
        {{.model = "spinning_egg", .set = {"Omega=200 [rad/s]"}, .until = 1.5},
         "E",
         5e-3}, /* jumps */
    };
    for (size_t k = 0; k < sizeof all / sizeof *all; k++) {
        contact_run r = all[k].run;
        r.scheme = ZW_SIM_CONTACTS_EVENTS;
        r.rtol = 1e-8;
        double want = contact_end(&r, all[k].column), h[4], error[4];
        r.scheme = ZW_SIM_CONTACTS_MOREAU;
        for (int i = 0; i < 4; i++) {
            h[i] = 8e-5 * pow(0.5, i);
            error[i] = error_of(r, all[k].column, h[i], want);
        }
        double order = order_of(4, h, error);
        if (!(order > 0.75 && order < 1.25 && error[3] < all[k].error))
            fail_msg("%s: order %g, errors %g %g %g %g", r.model, order, error[0], error[1],
                     error[2], error[3]);
    }
}

/* many impacts, one after the other: the errors of their times go up and down, but they vanish */
static void test_schemes__agree_on_impacts(void **state) {
    (void)state;
    const comparison all[] = {
        {{.model = "woodpecker", .until = 0.4}, "y", 1e-4},
        {{.model = "newtons_cradle", .until = 0.4}, "th5", 2e-5},
        {{.model = "billiard_break", .until = 0.3}, "E", 1e-3},
        {{.model = "bead_chain", .until = 0.1}, "x30", 2e-4},
        {{.model = "wall_oscillator", .until = 40}, "x", 1e-4},
        {{.model = "zeno_ball", .until = 3}, "z", 1e-4},
    };
    for (size_t k = 0; k < sizeof all / sizeof *all; k++) {
        contact_run r = all[k].run;
        r.scheme = ZW_SIM_CONTACTS_EVENTS;
        r.rtol = 1e-8;
        double want = contact_end(&r, all[k].column);
        r.scheme = ZW_SIM_CONTACTS_MOREAU;
        double error = error_of(r, all[k].column, 1e-5, want);
        if (!(error < all[k].error))
            fail_msg("%s: %s differs by %g", r.model, all[k].column, error);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_schemes__time_steps_converge_to_events),
        cmocka_unit_test(test_schemes__agree_on_impacts),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
