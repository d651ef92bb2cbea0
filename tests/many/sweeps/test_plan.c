/* SPDX-License-Identifier: MIT */
#include <stdlib.h>

#include "support/test.h"

#include "zwang/model.h"
#include "zwang/survey.h"

static const char text[] = "model pendulum \"driven\"\n"
                           "param l = 1 [m], m = 1 [kg], Omega = 2 [rad/s], F = 3 [N]\n"
                           "coord theta [rad]\n"
                           "particle bob : m at (l*sin(theta), -l*cos(theta))\n"
                           "force drive (theta) = F*l*cos(Omega*t)\n"
                           "start theta = 0.1 [rad], theta' = 0\n";

static zw_context *ctx;
static zw_system *sys;

static int open_model(void **state) {
    (void)state;
    zw_error err = {0};
    ctx = zw_context_create(NULL);
    if (zw_model_parse(&sys, ctx, text, strlen(text), "test", NULL, &err) < 0)
        print_error("%s\n", err.text);
    return sys ? 0 : -1;
}

static int close_model(void **state) {
    (void)state;
    zw_context_destroy(ctx);
    return 0;
}

typedef struct words {
    int nover, nstart;
    const char *over[4], *start[4];
} words;

static zw_status make(zw_plan **out, const words *w, uint64_t samples, zw_plan_design design,
                      zw_error *err) {
    zw_plan_options o = zw_plan_options_default();
    o.nover = w->nover, o.over = w->over;
    o.nstart = w->nstart, o.start = w->start;
    o.samples = samples;
    o.design = design;
    return zw_plan_create(out, sys, &o, err);
}

static zw_plan *one(const char *over) {
    zw_plan *p;
    zw_error err = {0};
    words w = {.nover = 1, .over = {over}};
    if (make(&p, &w, 0, ZW_PLAN_SAMPLES, &err) < 0)
        fail_msg("%s", err.text);
    return p;
}

/* Starts of a symmetric model on a symmetric grid come in pairs, which must not differ in the last
 * bit. */
static void test_plan__symmetric_ranges(void **state) {
    (void)state;
    const char *const ranges[] = {"F=-3.1:3.1:0.1", "F=lin:-3.1:3.1:60", "F=lin:-0.7:0.7:101 kN"};
    for (size_t r = 0; r < sizeof ranges / sizeof *ranges; r++) {
        zw_plan *p = one(ranges[r]);
        uint64_t n = zw_plan_points(p);
        for (uint64_t i = 0; i < n; i++) {
            double low, high;
            zw_plan_point(p, i, &low), zw_plan_point(p, n - 1 - i, &high);
            assert_true(low == -high);
        }
        zw_plan_destroy(p);
    }
}

static void test_plan__steps_evenly_logarithms_lists(void **state) {
    (void)state;
    double v;
    zw_plan *p = one("Omega=1:8:0.01");
    assert_int_equal(zw_plan_points(p), 701);
    zw_plan_point(p, 700, &v), assert_close(v, 8, 1e-12);
    zw_plan_point(p, 1, &v), assert_close(v, 1.01, 1e-14);
    zw_plan_destroy(p);
    p = one("F=lin:0:2:50 kN");
    assert_int_equal(zw_plan_points(p), 50);
    zw_plan_point(p, 49, &v), assert_true(v == 2000);
    zw_plan_point(p, 1, &v), assert_close(v, 2000. / 49, 1e-14);
    assert_string_equal(zw_plan_axis(p, 0)->unit, "kN");
    zw_plan_destroy(p);
    p = one("F=log:0.1:10:3");
    zw_plan_point(p, 1, &v), assert_close(v, 1, 1e-14);
    zw_plan_destroy(p);
    p = one("l=1cm,2m,5");
    assert_int_equal(zw_plan_points(p), 3);
    zw_plan_point(p, 0, &v), assert_close(v, 0.01, 1e-15);
    zw_plan_point(p, 2, &v), assert_close(v, 5, 1e-15);
    zw_plan_destroy(p);
    p = one("Omega=8:1:-0.5");
    assert_int_equal(zw_plan_points(p), 15);
    zw_plan_destroy(p);
    p = one("Omega = 10rpm:60rpm:10rpm");
    assert_int_equal(zw_plan_points(p), 6);
    zw_plan_point(p, 5, &v), assert_close(v, 2 * acos(-1), 1e-14);
    zw_plan_destroy(p);
}

static void test_plan__products_have_samples_first_then_axes(void **state) {
    (void)state;
    zw_plan *p;
    words w = {2, 1, {"Omega=1,2,3", "F=lin:0:1:2"}, {"theta=uniform:-pi:pi"}};
    assert_int_equal(make(&p, &w, 5, ZW_PLAN_SAMPLES, NULL), ZW_OK);
    assert_int_equal(zw_plan_points(p), 30);
    assert_int_equal(zw_plan_samples(p), 5);
    assert_int_equal(zw_plan_chains(p), 10);
    double first[5], v[3];
    for (uint64_t k = 0; k < 30; k++) {
        uint64_t second = k / 15;
        zw_plan_point(p, k, v);
        assert_true(v[0] == 1 + (double)(k / 5 % 3));
        assert_true(v[1] == (double)second);
        assert_true(fabs(v[2]) < acos(-1));
        if (k < 5)
            first[k] = v[2];
        assert_true(v[2] == first[k % 5]);
        if (k > 0 && k < 5)
            assert_true(first[k] != first[k - 1]);
    }
    for (uint64_t chain = 0; chain < 10; chain++)
        for (uint64_t i = 0; i < 3; i++) {
            double at[3];
            zw_plan_point(p, zw_plan_in_chain(p, chain, 0), at);
            zw_plan_point(p, zw_plan_in_chain(p, chain, i), v);
            assert_true(v[0] == 1 + (double)i && v[1] == at[1] && v[2] == at[2]);
        }
    zw_plan_destroy(p);
}

static void test_plan__normal_values_have_their_moments(void **state) {
    (void)state;
    enum { N = 40000 };
    zw_plan *p;
    words w = {1, 0, {"F=normal:3:0.5"}, {0}};
    assert_int_equal(make(&p, &w, N, ZW_PLAN_SAMPLES, NULL), ZW_OK);
    double mean = 0, square = 0, v;
    for (uint64_t k = 0; k < N; k++) {
        zw_plan_point(p, k, &v);
        mean += v / N, square += (v - 3) * (v - 3) / N;
    }
    assert_true(fabs(mean - 3) < 5 * 0.5 / sqrt(N));
    assert_true(fabs(square - 0.25) < 5 * 0.25 * sqrt(2. / N));
    zw_plan_destroy(p);
}

/* A, B and A with one entry of B; each path of Morris changes every entry once, by half of its
 * range */
static void test_plan__designs_for_sensitivity(void **state) {
    (void)state;
    zw_plan *p;
    words w = {3, 0, {"F=uniform:0:1", "l=uniform:0:1", "Omega=uniform:0:1"}, {0}};
    assert_int_equal(make(&p, &w, 7, ZW_PLAN_SALTELLI, NULL), ZW_OK);
    assert_int_equal(zw_plan_points(p), 35);
    for (uint64_t j = 0; j < 7; j++) {
        double A[3], B[3], C[3];
        zw_plan_point(p, 5 * j, A), zw_plan_point(p, 5 * j + 1, B);
        for (int i = 0; i < 3; i++) {
            zw_plan_point(p, 5 * j + 2 + (uint64_t)i, C);
            for (int k = 0; k < 3; k++)
                assert_true(C[k] == (k == i ? B[k] : A[k]) && A[k] != B[k]);
        }
    }
    zw_plan_destroy(p);
    assert_int_equal(make(&p, &w, 50, ZW_PLAN_MORRIS, NULL), ZW_OK);
    assert_int_equal(zw_plan_points(p), 200);
    int first_moved[3] = {0};
    for (uint64_t j = 0; j < 50; j++) {
        int changed[3] = {0};
        for (uint64_t m = 0; m < 3; m++) {
            double a[3], b[3];
            zw_plan_point(p, 4 * j + m, a), zw_plan_point(p, 4 * j + m + 1, b);
            int which = -1;
            for (int k = 0; k < 3; k++)
                if (a[k] != b[k]) {
                    assert_int_equal(which, -1);
                    which = k;
                    assert_close(fabs(a[k] - b[k]), 0.5, 1e-15);
                }
            assert_int_not_equal(which, -1);
            changed[which]++;
            if (m == 0)
                first_moved[which]++;
        }
        assert_true(changed[0] == 1 && changed[1] == 1 && changed[2] == 1);
    }
    for (int k = 0; k < 3; k++) /* 50/3 expected; the order is random */
        assert_true(first_moved[k] > 3);
    zw_plan_destroy(p);
}

static void test_plan__points_of_a_file(void **state) {
    (void)state;
    zw_table *t;
    zw_plan *p;
    zw_error err = {0};
    const char csv[] = "Omega[rpm],theta'\n60,1\n120,2\n";
    assert_int_equal(zw_table_read_bytes(&t, csv, strlen(csv), "p.csv", &err), ZW_OK);
    const char *over[] = {"F=1,2"};
    zw_plan_options o = zw_plan_options_default();
    o.nover = 1, o.over = over, o.points = t;
    assert_int_equal(zw_plan_create(&p, sys, &o, &err), ZW_OK);
    assert_int_equal(zw_plan_points(p), 4);
    double v[3];
    zw_plan_point(p, 3, v);
    assert_true(v[0] == 2 && v[2] == 2);
    assert_close(v[1], 4 * acos(-1), 1e-14);
    assert_true(zw_plan_axis(p, 2)->start && !zw_plan_axis(p, 1)->start);
    zw_plan_destroy(p);
    zw_table_destroy(t);
    const char bad[] = "Omega,what\n60,1\n";
    assert_int_equal(zw_table_read_bytes(&t, bad, strlen(bad), "p.csv", NULL), ZW_OK);
    o.points = t;
    assert_int_equal(zw_plan_create(&p, sys, &o, &err), ZW_E_NAME);
    assert_non_null(strstr(err.text, "what"));
    zw_table_destroy(t);
}

static void refuses(const words *w, uint64_t samples, const char *say, const char *hint) {
    zw_plan *p;
    zw_error err = {0};
    assert_true(make(&p, w, samples, ZW_PLAN_SAMPLES, &err) < 0);
    assert_null(p);
    if (!strstr(err.text, say) || !strstr(err.hint, hint))
        fail_msg("'%s' (%s) does not say '%s' (%s)", err.text, err.hint, say, hint);
}

static void test_plan__refuses_by_name_and_with_advice(void **state) {
    (void)state;
    const struct {
        const char *over, *say, *hint;
    } bad[] = {
        {"Omgea=1:2:0.1", "Omgea", "did you mean Omega"},
        {"theta=1:2:0.1", "coordinate", "--start theta"},
        {"Omega=0:50:201", "do not end", "lin:0:50:201"},
        {"Omega=0:50:7", "do not end", "lin:0:50:7"},
        {"Omega=1:8", "steps", "STEP"},
        {"Omega=8:1:0.1", "lead", ""},
        {"Omega=1:2:0", "lead", ""},
        {"Omega=1:1:0.1", "empty", ""},
        {"Omega=lin:1:1:5", "empty", ""},
        {"Omega=lin:1:2:1", "whole", ""},
        {"Omega=lin:1:2:2.5", "whole", ""},
        {"Omega=log:0:2:5", "sign", ""},
        {"Omega=uniform:2:1", "larger", ""},
        {"Omega=normal:2:0", "positive", ""},
        {"Omega=1:2:3:4", "too much", ""},
        {"Omega=", "missing", ""},
        {"Omega", "NAME=", ""},
        {"Omega=1:2:0.1 kg", "no unit", "rad/s"},
        {"Omega=1:2:0.1 rad/s*m/m*m/m*m/m*m/m*m/m*m/m*m/m*m/m*m/m*km/m", "too long", ""},
        {"Omega=lin:0:1:1e18", "whole", ""},
        {"Omega=lin:0:1:1e15", "less than 1e15", ""},
        {"Omega=lin:-1.7e308:1.7e308:3", "too far apart", ""},
        {"Omega=log:1e-200:1e200:3", "too far apart", ""},
        {"Omega=uniform:-1.7e308:1.7e308", "too far apart", ""},
        {"Omega=normal:1:1e308", "too far apart", ""},
    };
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        words w = {.nover = 1, .over = {bad[i].over}};
        refuses(&w, 0, bad[i].say, bad[i].hint);
    }
    refuses(&(words){.nover = 1, .over = {"F=uniform:0:1"}}, 0, "number of random values",
            "--samples");
    refuses(&(words){.nover = 1, .over = {"F=1,2"}}, 10, "nothing is random", "uniform");
    refuses(&(words){.nover = 2, .over = {"F=1,2", "F=2,3"}}, 0, "twice", "");
    refuses(&(words){.nstart = 1, .start = {"F=1,2"}}, 0, "parameter", "--over F");
    refuses(&(words){2, 0, {"F=lin:0:1:1e10", "Omega=lin:0:1:1e10"}, {0}}, 0, "points", "");
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_plan__steps_evenly_logarithms_lists),
        cmocka_unit_test(test_plan__symmetric_ranges),
        cmocka_unit_test(test_plan__products_have_samples_first_then_axes),
        cmocka_unit_test(test_plan__normal_values_have_their_moments),
        cmocka_unit_test(test_plan__designs_for_sensitivity),
        cmocka_unit_test(test_plan__points_of_a_file),
        cmocka_unit_test(test_plan__refuses_by_name_and_with_advice),
    };
    return cmocka_run_group_tests(tests, open_model, close_model);
}
