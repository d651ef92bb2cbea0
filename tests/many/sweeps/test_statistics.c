/* SPDX-License-Identifier: MIT */
#include <stdlib.h>

#include "support/test.h"

#include "zwang/model.h"
#include "zwang/survey.h"

/* the parameters stand for the arguments of a function; a motion is not needed */
static const char three[] = "model three \"arguments\"\nunits none\n"
                            "param a = 0, b = 0, c = 0\n"
                            "coord x\nparticle p : 1 at (x, 0)\n"
                            "force f (x) = a + b + c\nstart x = 0, x' = 0\n";

static double ishigami(const double *x) {
    return sin(x[0]) + 7 * sin(x[1]) * sin(x[1]) + 0.1 * pow(x[2], 4) * sin(x[0]);
}

static zw_plan *plan_of(zw_context **ctx, zw_plan_design design, zw_plan_draw draw, uint64_t n,
                        const char *const *over) {
    zw_system *sys;
    zw_plan *p;
    zw_error err = {0};
    *ctx = zw_context_create(NULL);
    if (zw_model_parse(&sys, *ctx, three, strlen(three), "test", NULL, &err) < 0)
        fail_msg("%s", err.text);
    zw_plan_options o = zw_plan_options_default();
    o.nover = 3, o.over = over;
    o.samples = n, o.design = design, o.draw = draw;
    if (zw_plan_create(&p, sys, &o, &err) < 0)
        fail_msg("%s", err.text);
    return p;
}

static double *values_of(const zw_plan *p, double (*f)(const double *)) {
    uint64_t n = zw_plan_points(p);
    double *y = malloc(sizeof *y * n), x[3];
    for (uint64_t k = 0; k < n; k++) {
        zw_plan_point(p, k, x);
        y[k] = f(x);
    }
    return y;
}

static const char *const angles[] = {"a=uniform:-pi:pi", "b=uniform:-pi:pi", "c=uniform:-pi:pi"};

/* Ishigami and Homma (1990), A = 7, B = 0.1: V = A^2/8 + B pi^4/5 + B^2 pi^8/18 + 1/2, V_1 = (1 + B
 * pi^4/5)^2/2, V_2 = A^2/8, V_13 = B^2 pi^8 (1/18 - 1/50); the errors that are told cover the
 * differences, and are small */
static void test_sensitivity__ishigami(void **state) {
    (void)state;
    const double pi = acos(-1), B = 0.1, p4 = pow(pi, 4);
    const double V1 = pow(1 + B * p4 / 5, 2) / 2, V2 = 49. / 8,
                 V13 = B * B * p4 * p4 * (1. / 18 - 1. / 50), V = V1 + V2 + V13;
    assert_close(V, 49. / 8 + B * p4 / 5 + B * B * p4 * p4 / 18 + 0.5, 1e-12);
    const double S[3] = {V1 / V, V2 / V, 0}, T[3] = {(V1 + V13) / V, V2 / V, V13 / V};
    for (int draw = 0; draw < 2; draw++) {
        zw_context *ctx;
        zw_plan *p = plan_of(&ctx, ZW_PLAN_SALTELLI, (zw_plan_draw)draw, 4096, angles);
        double *y = values_of(p, ishigami);
        zw_sensitivity s[3];
        uint64_t used;
        assert_int_equal(zw_sensitivity_of(p, y, s, &used, NULL), ZW_OK);
        assert_int_equal(used, 4096);
        for (int i = 0; i < 3; i++) {
            assert_true(s[i].first_error < 0.03 && s[i].total_error < 0.03);
            assert_true(fabs(s[i].first - S[i]) < 4 * s[i].first_error + 1e-12);
            assert_true(fabs(s[i].total - T[i]) < 4 * s[i].total_error + 1e-12);
            if (draw == ZW_PLAN_SOBOL) /* far better than at random: 1/N instead of 1/sqrt N */
                assert_true(fabs(s[i].first - S[i]) < 0.01 && fabs(s[i].total - T[i]) < 0.01);
        }
        free(y);
        zw_plan_destroy(p);
        zw_context_destroy(ctx);
    }
}

/* with gaps: those samples are left out */
static void test_sensitivity__failed_motions_are_left_out(void **state) {
    (void)state;
    zw_context *ctx;
    zw_plan *p = plan_of(&ctx, ZW_PLAN_SALTELLI, ZW_PLAN_RANDOM, 512, angles);
    double *y = values_of(p, ishigami);
    zw_sensitivity s[3], t[3];
    uint64_t used;
    zw_error err = {0};
    y[5 * 100 + 3] = NAN, y[5 * 7] = NAN, y[5 * 7 + 1] = INFINITY;
    assert_int_equal(zw_sensitivity_of(p, y, s, &used, NULL), ZW_OK);
    assert_int_equal(used, 510);
    assert_int_equal(zw_sensitivity_of(p, y, t, &used, NULL), ZW_OK);
    assert_memory_equal(s, t, sizeof s); /* errors too: the bootstrap counts */
    for (uint64_t k = 0; k < zw_plan_points(p); k++)
        y[k] = 3;
    assert_int_equal(zw_sensitivity_of(p, y, s, &used, &err), ZW_E_OPTION);
    assert_non_null(strstr(err.text, "vary"));
    free(y);
    zw_plan_destroy(p);
    zw_context_destroy(ctx);
}

static double linear(const double *x) {
    return 2 * x[0] - 3 * x[1];
}
static double product(const double *x) {
    return x[0] * x[1];
}

/* of a linear function the effects are its coefficients, all the same; of a product, on levels 1/8
 * .. 7/8, the effect of a is b: mean 1/2, standard deviation sqrt(5)/8 */
static void test_sensitivity__morris(void **state) {
    (void)state;
    static const char *const units[] = {"a=uniform:0:1", "b=uniform:0:1", "c=uniform:0:1"};
    zw_context *ctx;
    zw_plan *p = plan_of(&ctx, ZW_PLAN_MORRIS, ZW_PLAN_RANDOM, 2000, units);
    zw_sensitivity s[3];
    uint64_t used;
    double *y = values_of(p, linear);
    assert_int_equal(zw_sensitivity_of(p, y, s, &used, NULL), ZW_OK);
    assert_int_equal(used, 2000);
    assert_close(s[0].mean, 2, 1e-12);
    assert_close(s[1].mean, -3, 1e-12);
    assert_close(s[1].absolute, 3, 1e-12);
    assert_close(s[2].absolute, 0, 1e-12);
    assert_close(s[0].sd, 0, 1e-6);
    free(y);
    y = values_of(p, product);
    assert_int_equal(zw_sensitivity_of(p, y, s, &used, NULL), ZW_OK);
    for (int i = 0; i < 2; i++) {
        assert_true(fabs(s[i].absolute - 0.5) < 5 * s[i].absolute_error);
        assert_true(fabs(s[i].absolute_error - sqrt(5) / 8 / sqrt(2000)) < 2e-4);
        assert_true(fabs(s[i].sd - sqrt(5) / 8) < 0.02);
    }
    free(y);
    zw_plan_destroy(p);
    zw_context_destroy(ctx);
}

/* A stone thrown up with a speed v, uniform from 1 to 3, is at v t - g t^2/2: quantiles, mean and
 * standard deviation are those of v; for two values of g, and in time: a band */
static void test_statistics__bands_of_a_throw(void **state) {
    (void)state;
    static const char stone[] = "model stone \"thrown\"\n"
                                "param m = 1 [kg], g = 10 [m/s^2]\n"
                                "coord y [m]\nparticle s : m at (0, y)\n"
                                "force weight (y) = -m*g\n"
                                "start y = 0, y' = 1 [m/s]\n";
    const char *over[] = {"g=8,10"}, *start[] = {"y'=uniform:1:3"};
    zw_model_source source = {.text = stone, .length = strlen(stone), .file = "stone"};
    zw_plan_options plan = zw_plan_options_default();
    zw_survey_options o = zw_survey_options_default();
    zw_ensemble_options ensemble = zw_ensemble_options_default();
    plan.nover = 1, plan.over = over, plan.nstart = 1, plan.start = start;
    plan.samples = 512, plan.draw = ZW_PLAN_SOBOL;
    o.measure = "y", o.rows = "0.1s", o.duration = "0.5s";
    ensemble.threads = 1;
    zw_survey *s;
    zw_statistics *st;
    zw_survey_block b;
    zw_error err = {0};
    if (zw_survey_create(&s, &source, &plan, &ensemble, &o, &err) < 0)
        fail_msg("%s", err.text);
    assert_int_equal(zw_statistics_create(&st, s, 0, NULL, &err), ZW_OK);
    assert_int_equal(zw_survey_run(s, 0, zw_survey_motions(s), &b, &err), ZW_OK);
    assert_int_equal(b.nrow, 2 * 512 * 5);
    for (long i = 0; i < b.nrow; i++)
        zw_statistics_row(st, b.row + i * zw_survey_columns(s));
    const zw_table *t;
    assert_int_equal(zw_statistics_table(st, &t, &err), ZW_OK);
    assert_int_equal(zw_table_rows(t), 10);
    for (long i = 0; i < 10; i++) {
        double g = i < 5 ? 8 : 10, at = 0.1 * (double)(i % 5 + 1), fall = g * at * at / 2;
        assert_close(zw_table_at(t, i, zw_table_find(t, "g")), g, 1e-14);
        assert_close(zw_table_at(t, i, zw_table_find(t, "t")), at, 1e-12);
        assert_true(zw_table_at(t, i, zw_table_find(t, "count(y)")) == 512);
        /* 512 points of Sobol's sequence have one in every 512th part: quantiles to two of these */
        assert_true(fabs(zw_table_at(t, i, zw_table_find(t, "q05(y)")) - (1.1 * at - fall)) <
                    at * 2 * 2 / 512);
        assert_true(fabs(zw_table_at(t, i, zw_table_find(t, "q50(y)")) - (2 * at - fall)) <
                    at * 2 * 2 / 512);
        assert_true(fabs(zw_table_at(t, i, zw_table_find(t, "q95(y)")) - (2.9 * at - fall)) <
                    at * 2 * 2 / 512);
        assert_true(fabs(zw_table_at(t, i, zw_table_find(t, "mean(y)")) - (2 * at - fall)) <
                    at * 2 / 512);
        assert_true(fabs(zw_table_at(t, i, zw_table_find(t, "sd(y)")) - at / sqrt(3)) <
                    at * 2 / 512);
    }
    zw_survey_block_clear(&b);
    zw_statistics_destroy(st);
    zw_survey_destroy(s);
}

/* as many axes as a plan may have: all columns that tell the point are there, and rows of no point
 * are refused */
static void test_statistics__of_all_axes_that_there_may_be(void **state) {
    (void)state;
    enum { N = ZW_PLAN_AXES };
    static char text[8192], word[N][32];
    const char *over[N];
    char *at = text;
    at += sprintf(at, "model many \"parameters\"\nunits none\ncoord x\nparticle p : 1 at (x, 0)\n");
    for (int i = 0; i < N; i++) {
        at += sprintf(at, "param p%d = 1\n", i);
        snprintf(word[i], sizeof word[i], "p%d=%s", i,
                 i == 0       ? "1,2"
                 : i == N - 1 ? "uniform:0:1"
                              : "1");
        over[i] = word[i];
    }
    at += sprintf(at, "force f (x) = p0");
    for (int i = 1; i < N; i++)
        at += sprintf(at, " + p%d", i);
    sprintf(at, "\nstart x = 0, x' = 0\n");
    zw_model_source source = {.text = text, .length = strlen(text), .file = "many"};
    zw_plan_options plan = zw_plan_options_default();
    zw_survey_options o = zw_survey_options_default();
    zw_ensemble_options ensemble = zw_ensemble_options_default();
    plan.nover = N, plan.over = over, plan.samples = 2;
    o.measure = "x", o.rows = "0.5s", o.duration = "1s", o.carry = ZW_SURVEY_UP;
    ensemble.threads = 1;
    zw_survey *s;
    zw_statistics *st;
    zw_survey_block b;
    const zw_table *t;
    zw_error err = {0};
    if (zw_survey_create(&s, &source, &plan, &ensemble, &o, &err) < 0)
        fail_msg("%s", err.text);
    assert_int_equal(zw_statistics_create(&st, s, 0, NULL, &err), ZW_OK);
    assert_int_equal(zw_survey_run(s, 0, zw_survey_motions(s), &b, &err), ZW_OK);
    for (long i = 0; i < b.nrow; i++)
        zw_statistics_row(st, b.row + i * zw_survey_columns(s));
    assert_int_equal(zw_statistics_table(st, &t, &err), ZW_OK);
    assert_string_equal(zw_table_name(t, N - 2), "p126");
    assert_string_equal(zw_table_name(t, N - 1), "sweep");
    assert_string_equal(zw_table_name(t, N), "t");
    assert_true(zw_table_rows(t) == 4);
    for (long i = 0; i < 4; i++)
        assert_close(zw_table_at(t, i, N), i % 2 ? 1 : 0.5, 1e-12);
    b.row[zw_survey_columns(s) - 2] =
        1e300; /* the number of its point, in a file that was changed */
    zw_statistics_row(st, b.row);
    assert_int_equal(zw_statistics_table(st, &t, &err), ZW_E_FILE);
    zw_survey_block_clear(&b);
    zw_statistics_destroy(st);
    zw_survey_destroy(s);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_sensitivity__ishigami),
        cmocka_unit_test(test_sensitivity__failed_motions_are_left_out),
        cmocka_unit_test(test_sensitivity__morris),
        cmocka_unit_test(test_statistics__bands_of_a_throw),
        cmocka_unit_test(test_statistics__of_all_axes_that_there_may_be),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
