/* SPDX-License-Identifier: MIT */
/* The method that is chosen when none is asked for, also when the motion changes its nature. */
#include "support/simulation.h"

static simulation run_by_default(const char *text, double until) {
    simulation s = simulation_make(until);
    s.options.run = zw_run_options_default();
    simulation_run(&s, text);
    assert_done(&s);
    return s;
}

/* x = cos(t) whatever the damping D is, and D grows from 1 to 1e9 */
static void test_choice__motion_that_becomes_stiff(void **state) {
    (void)state;
    simulation s = run_by_default("model late\n"
                                  "units none\n"
                                  "coord x\n"
                                  "let D = 1 + 1000*t^6\n"
                                  "kinetic x'^2/2\n"
                                  "force (x) = -cos(t) - D*(x' + sin(t))\n"
                                  "start x = 1\n",
                                  10);
    zw_run_info info = zw_sim_statistics(s.sim).run;
    assert_string_equal(info.method, "Radau IIA");
    assert_non_null(strstr(info.why, "stability"));
    assert_close(at(zw_sim_rows(s.sim), -1, "x"), cos(10), 1e-6);
    assert_true(info.steps < 10000); /* explicit ones would be some 1e8 */
    simulation_clear(&s);
}

static void test_choice__smooth_motion(void **state) {
    (void)state;
    simulation s = run_by_default("model oscillator\n"
                                  "units none\n"
                                  "coord x\n"
                                  "kinetic x'^2/2\n"
                                  "potential x^2/2\n"
                                  "start x = 1\n",
                                  100);
    zw_run_info info = zw_sim_statistics(s.sim).run;
    assert_string_equal(info.method, "Runge-Kutta 8(7)");
    assert_close(at(zw_sim_rows(s.sim), -1, "x"), cos(100), 1e-6);
    simulation_clear(&s);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_choice__motion_that_becomes_stiff),
        cmocka_unit_test(test_choice__smooth_motion),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
