/* SPDX-License-Identifier: MIT */
/* The study `slow`, as a program asks it: which question its options ask, what it reports, which
 * outputs it has, and what it rejects. */
#include "support/test.h"

#include "zwang/zwang.h"

static const char MOTOR[] =
    "model motor\nunits none\nparam L = 0.002, R = 1, K = 0.5, J = 0.1, b = 0.05, U = 1\n"
    "state w, c : w' = (K*c - b*w)/J, c' = (U - R*c - K*w)/L\nstart w = 0, c = 0\n";
static const char BELT[] =
    "model belt\nunits none\nparam m = 2, c = 5, V = 0.6, eps = 0.1\ncoord x\n"
    "kinetic 1/2*m*x'^2\nforce drag (x) = -c*(x' - V)/eps\n"
    "constraint carried off : x' - V = 0\nstart x = 0, x' = 0.1\n";

static zw_context *ctx;
static zw_system *sys;
static zw_error err;
static zw_model_source source;

static int setup(void **state) {
    (void)state;
    err = (zw_error){0};
    return (ctx = zw_context_create(NULL)) ? 0 : -1;
}

static int teardown(void **state) {
    (void)state;
    zw_context_destroy(ctx);
    return 0;
}

static zw_study *ask(const char *text, const char *name, const char *const (*option)[2]) {
    zw_study *s;
    source = (zw_model_source){.text = text, .length = strlen(text), .file = "test.zw"};
    if (zw_model_parse(&sys, ctx, text, source.length, source.file, NULL, &err) < 0 ||
        zw_study_create(&s, name, sys, &source, &err) < 0)
        fail_msg("%s", err.text);
    for (; (*option)[0]; option++)
        if (zw_study_set(s, (*option)[0], (*option)[1], &err) < 0)
            fail_msg("%s", err.text);
    return s;
}

static const zw_report *answer(zw_study *s) {
    if (zw_study_work(s, &err) < 0)
        fail_msg("%s", err.text);
    assert_non_null(zw_study_report(s));
    return zw_study_report(s);
}

/* h_0 = (U - K w)/R; the model on the manifold can be asked for */
static void test_slow_study__formulas_and_model(void **state) {
    (void)state;
    static const char *const o[][2] = {{"eps", "L"}, {"fast", "c"}, {NULL, NULL}};
    zw_study *s = ask(MOTOR, "slow", o);
    zw_bytes text;
    zw_study_want(s, "out", "slow.zw");
    const zw_report *r = answer(s);
    assert_string_equal(zw_report_get_word(r, "small_parameter"), "L");
    assert_string_equal(zw_report_get_word(r, "fast.0.name"), "c");
    assert_string_equal(zw_report_get_word(r, "fast.0.rate_times_small"), "U - R*c - K*w");
    assert_int_equal(zw_study_text(s, "formulas", &text, &err), ZW_OK);
    assert_non_null(strstr(text.data, "h_0 = (U - K*w)/R"));
    zw_bytes_clear(&text);
    assert_int_equal(zw_study_text(s, "out", &text, &err), ZW_OK);
    assert_non_null(strstr(text.data, "\nstate w : w' = "));
    zw_bytes_clear(&text);
    zw_study_destroy(s);
}

/* nothing is said to be fast: a split is proposed; the electric time constant is L/R */
static void test_slow_study__proposal(void **state) {
    (void)state;
    static const char *const o[][2] = {{"until", "0.5"}, {NULL, NULL}};
    zw_study *s = ask(MOTOR, "slow", o);
    const zw_report *r = answer(s);
    assert_true(zw_report_get_number(r, "fast_directions") == 1);
    assert_close(zw_report_get_number(r, "fast_rate"), 500, 0.01);
    assert_string_equal(zw_report_get_word(r, "shares.1.name"), "c");
    assert_true(zw_report_get_number(r, "shares.1.share") > 0.99);
    zw_study_destroy(s);
}

/* the slip decays at c/(m eps); a table exists if it was wanted */
static void test_slow_study__slips(void **state) {
    (void)state;
    static const char *const o[][2] = {{"near", "carried"}, {"until", "1"}, {NULL, NULL}};
    zw_study *s = ask(BELT, "slow", o);
    zw_table *t;
    zw_study_want(s, "out", "");
    const zw_report *r = answer(s);
    assert_close(zw_report_get_number(r, "run.decay_rate_least"), 25, 1e-9);
    assert_string_equal(zw_report_get_word(r, "command_of_order_0"),
                        "zwang run test.zw --with carried");
    assert_string_equal(zw_report_get_word(r, "slow_start.0.name"), "x'");
    assert_close(zw_report_get_number(r, "slow_start.0.value"), 0.6, 1e-12);
    assert_int_equal(zw_study_table(s, "out", &t, &err), ZW_OK);
    assert_true(zw_table_find(t, "slip(carried)") >= 0);
    zw_table_destroy(t);
    zw_study_destroy(s);
}

static void expect_error(const char *text, const char *const (*option)[2], const char *message) {
    zw_study *s = ask(text, "slow", option);
    err = (zw_error){0};
    assert_int_equal(zw_study_work(s, &err), ZW_E_OPTION);
    if (!strstr(err.text, message))
        fail_msg("'%s' is not in '%s'", message, err.text);
    assert_false(zw_study_has_results(s));
    zw_study_destroy(s);
}

static void test_slow_study__rejects(void **state) {
    (void)state;
    static const char *const both[][2] = {{"near", "carried"}, {"box", "x=0:1"}, {NULL, NULL}};
    static const char *const alone[][2] = {
        {"eps", "L"}, {"fast", "c"}, {"measure", "2"}, {NULL, NULL}};
    static const char *const latex[][2] = {
        {"eps", "L"}, {"fast", "c"}, {"until", "1"}, {"format", "latex"}, {NULL, NULL}};
    static const char *const drift[][2] = {{"average", "H"}, {NULL, NULL}};
    expect_error(BELT, both, "--near and --box are two different questions");
    expect_error(MOTOR, alone, "--measure needs a box");
    expect_error(MOTOR, latex, "--format latex is for formulas");
    expect_error(MOTOR, drift, "--average needs --until");
}

/* a mass on a rod: the angle stays; the text is that of a model again */
static void test_reduce_study__text_and_momenta(void **state) {
    (void)state;
    static const char text[] = "model m\nunits none\nparam A = 2, C = 3\ncoord a, b\n"
                               "kinetic 1/2*A*b'^2 + 1/2*C*sin(b)^2*a'^2\nstart b = 1, a' = 2\n";
    static const char *const o[][2] = {{"momenta", "all"}, {NULL, NULL}};
    zw_study *s = ask(text, "reduce", o);
    const zw_report *r = answer(s);
    zw_bytes model;
    assert_true(zw_report_get_number(r, "dimension") == 2);
    assert_string_equal(zw_report_get_word(r, "left_out.0.name"), "a");
    assert_string_equal(zw_report_get_word(r, "momenta.0.name"), "p_a");
    assert_close(zw_report_get_number(r, "momenta.0.value"), 6 * sin(1) * sin(1), 1e-14);
    assert_int_equal(zw_study_text(s, "out", &model, &err), ZW_OK);
    assert_string_equal(model.data, zw_report_get_word(r, "model_text"));
    zw_system *again;
    if (zw_model_parse(&again, ctx, model.data, model.size, "again", NULL, &err) < 0)
        fail_msg("%s", err.text);
    assert_int_equal(again->nq, 1);
    zw_bytes_clear(&model);
    zw_study_destroy(s);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(test_slow_study__formulas_and_model, setup, teardown),
        cmocka_unit_test_setup_teardown(test_slow_study__proposal, setup, teardown),
        cmocka_unit_test_setup_teardown(test_slow_study__slips, setup, teardown),
        cmocka_unit_test_setup_teardown(test_slow_study__rejects, setup, teardown),
        cmocka_unit_test_setup_teardown(test_reduce_study__text_and_momenta, setup, teardown),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
