/* SPDX-License-Identifier: MIT */
/* The method that is chosen when none is asked for, also when the motion changes its nature. */
#include "test.h"

#include "zwang/zwang.h"

typedef struct trial {
    zw_context *ctx;
    zw_sim *sim;
} trial;

static trial trial_run(const char *text, double until) {
    trial m = {.ctx = zw_context_create(NULL)};
    zw_system *sys;
    zw_error err = {0};
    zw_sim_options options = zw_sim_options_default();
    options.until = until;
    if (zw_model_parse(&sys, m.ctx, text, strlen(text), "test", NULL, &err) < 0 ||
        zw_sim_create(&m.sim, sys, NULL, &options, &err) < 0 || zw_sim_run(m.sim, &err) < 0)
        fail_msg("%s", err.text);
    return m;
}

static double last(const trial *m, const char *column) {
    const zw_table *rows = zw_sim_rows(m->sim);
    return zw_table_at(rows, zw_table_rows(rows) - 1, zw_table_find(rows, column));
}

static void trial_close(trial *m) {
    zw_sim_destroy(m->sim);
    zw_context_destroy(m->ctx);
}

/* x = cos(t) whatever the damping D is, and D grows from 1 to 1e9 */
static void test_choice__motion_that_becomes_stiff(void **state) {
    (void)state;
    trial m = trial_run("model late\n"
                        "units none\n"
                        "coord x\n"
                        "let D = 1 + 1000*t^6\n"
                        "kinetic x'^2/2\n"
                        "force (x) = -cos(t) - D*(x' + sin(t))\n"
                        "start x = 1\n",
                        10);
    zw_run_info info = zw_sim_statistics(m.sim).run;
    assert_string_equal(info.method, "Radau IIA");
    assert_non_null(strstr(info.why, "stability"));
    assert_close(last(&m, "x"), cos(10), 1e-6);
    assert_true(info.steps < 10000); /* explicit ones would be some 1e8 */
    trial_close(&m);
}

static void test_choice__smooth_motion(void **state) {
    (void)state;
    trial m = trial_run("model oscillator\n"
                        "units none\n"
                        "coord x\n"
                        "kinetic x'^2/2\n"
                        "potential x^2/2\n"
                        "start x = 1\n",
                        100);
    zw_run_info info = zw_sim_statistics(m.sim).run;
    assert_string_equal(info.method, "Runge-Kutta 8(7)");
    assert_close(last(&m, "x"), cos(100), 1e-6);
    trial_close(&m);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_choice__motion_that_becomes_stiff),
        cmocka_unit_test(test_choice__smooth_motion),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
