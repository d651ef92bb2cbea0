/* SPDX-License-Identifier: MIT */
/* Ranges given as numbers: what the options read from their text has the same bits. */
#include "support/test.h"
#include "zwang/zwang.h"

static const char MODEL[] = "model ranges\n"
                            "param m = 2 [kg], k = 3 [kN/m], Omega = 33 [rpm], phi = 10 [deg]\n"
                            "param c = 0.1\n"
                            "coord x [m], a [rad]\n"
                            "particle P : m at (x, 0)\n"
                            "kinetic 1/2*m*(1 [m])^2*a'^2\n"
                            "potential 1/2*k*x^2*(1 + c*phi)\n"
                            "force drive (x) = 1 [N]*cos(Omega*t)\n"
                            "start x = 1 [mm]\n";

typedef struct fixture {
    zw_context *ctx;
    zw_system *sys;
    zw_error err;
} fixture;

static fixture open_model(void) {
    fixture f = {.ctx = zw_context_create(NULL)};
    if (zw_model_parse(&f.sys, f.ctx, MODEL, strlen(MODEL), "ranges.zw", NULL, &f.err) < 0)
        fail_msg("%s", f.err.text);
    return f;
}

static void test_range__every_bit_comes_back(void **state) {
    (void)state;
    const char *names[] = {"m", "k", "Omega", "phi", "c", "x", "a", "x'", "a'"};
    fixture f = open_model();
    for (int i = 0; i < 9; i++)
        for (int j = 1; j < 20; j++) {
            const zw_range range = {names[i], 1 / (3.0 * j), sqrt(j) * 1e3, j % 3 ? 100 + j : 0};
            const char *text;
            zw_parameter_range back;
            assert_int_equal(zw_range_text(&text, f.sys, &range, &f.err), ZW_OK);
            if (zw_parameter_range_read(&back, f.sys, text, &f.err) < 0)
                fail_msg("%s: %s", text, f.err.text);
            assert_string_equal(back.name, names[i]);
            assert_true(back.from == range.from && back.to == range.to);
            assert_int_equal(back.rows, range.rows);
        }
    zw_context_destroy(f.ctx);
}

static void test_range__axes_of_a_plan(void **state) {
    (void)state;
    fixture f = open_model();
    const zw_range range = {"Omega", 0.1, 1 / 3.0, 11};
    const char *over;
    zw_plan_options options = zw_plan_options_default();
    zw_plan *plan;
    assert_int_equal(zw_range_axis(&over, f.sys, &range, &f.err), ZW_OK);
    options.nover = 1;
    options.over = &over;
    if (zw_plan_create(&plan, f.sys, &options, &f.err) < 0)
        fail_msg("%s", f.err.text);
    assert_int_equal(zw_plan_points(plan), 11);
    assert_true(zw_axis_value(zw_plan_axis(plan, 0), 0) == range.from);
    assert_true(zw_axis_value(zw_plan_axis(plan, 0), 10) == range.to);
    zw_plan_destroy(plan);
    zw_context_destroy(f.ctx);
}

/* one value: a setting of the model */
static void test_range__a_single_value(void **state) {
    (void)state;
    fixture f = open_model();
    const zw_range range = {"Omega", 1 / 7.0, 1 / 7.0, 0};
    const char *set;
    double p[5];
    zw_system *sys;
    assert_int_equal(zw_range_text(&set, f.sys, &range, &f.err), ZW_OK);
    zw_model_options options = {.size = sizeof options, .nset = 1, .set = &set};
    if (zw_model_parse(&sys, f.ctx, MODEL, strlen(MODEL), "ranges.zw", &options, &f.err) < 0)
        fail_msg("%s: %s", set, f.err.text);
    assert_int_equal(zw_system_param_values(sys, p, &f.err), ZW_OK);
    assert_true(p[2] == 1 / 7.0);
    zw_context_destroy(f.ctx);
}

static void test_range__wrong_ones_are_errors(void **state) {
    (void)state;
    fixture f = open_model();
    const zw_range wrong[] = {
        {"mm", 0, 1, 0}, {NULL, 0, 1, 0}, {"m", NAN, 1, 0}, {"m", 0, INFINITY, 0}, {"m", 0, 1, 1}};
    for (int i = 0; i < 5; i++) {
        const char *text;
        zw_error err = {0};
        assert_true(zw_range_text(&text, f.sys, &wrong[i], &err) < 0);
        assert_true(err.text[0] != 0);
    }
    zw_context_destroy(f.ctx);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_range__every_bit_comes_back),
        cmocka_unit_test(test_range__axes_of_a_plan),
        cmocka_unit_test(test_range__a_single_value),
        cmocka_unit_test(test_range__wrong_ones_are_errors),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
