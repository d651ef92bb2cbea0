/* SPDX-License-Identifier: MIT */
/* Functions by few terms of their series, and harmonics of polynomials against sums over the points
 * of a period. */
#include "zwang/expr.h"

#include "support/test.h"

static zw_context *ctx;
static zw_expr x, y, p, t;

static int setup(void **state) {
    (void)state;
    ctx = zw_context_create(NULL);
    x = zw_symbol(ctx, "x");
    y = zw_symbol(ctx, "y");
    p = zw_symbol(ctx, "p");
    t = zw_symbol(ctx, "t");
    return ctx ? 0 : 1;
}

static int teardown(void **state) {
    (void)state;
    zw_context_destroy(ctx);
    return 0;
}

static zw_expr few(zw_expr e, int terms) {
    zw_expr out, symbols[] = {x, y};
    zw_error err = {0};
    if (zw_few_terms(ctx, 1, &e, 2, symbols, terms, &out, &err) < 0)
        fail_msg("%s", err.text);
    return out;
}

static void assert_same(zw_expr a, zw_expr b) {
    assert_int_equal(zw_expand(ctx, zw_sub(ctx, a, b)), ZW_ZERO);
}

static zw_expr power(zw_expr e, int n) {
    return zw_pow(ctx, e, zw_integer(ctx, n));
}

static zw_expr over(zw_expr e, int n) {
    return zw_mul(ctx, e, zw_rational(ctx, 1, n));
}

static void test_few_terms__are_those_of_textbooks(void **state) {
    (void)state;
    zw_expr cubic = zw_sub(ctx, x, over(power(x, 3), 6)),
            square = zw_sub(ctx, ZW_ONE, over(power(x, 2), 2));
    assert_same(few(zw_sin(ctx, x), 2), cubic);
    assert_same(few(zw_cos(ctx, x), 2), square);
    assert_same(few(zw_sin(ctx, x), 1), x);
    assert_same(few(zw_cos(ctx, x), 1), ZW_ONE);
    /* products keep their degree, parameters and what is free of the symbols stay */
    assert_same(few(zw_mul(ctx, zw_sin(ctx, x), zw_mul(ctx, y, zw_cos(ctx, x))), 2),
                zw_mul(ctx, zw_mul(ctx, cubic, square), y));
    assert_int_equal(few(zw_sin(ctx, p), 2), zw_sin(ctx, p));
    assert_same(few(power(x, 7), 2), power(x, 7));
    /* about a point that is not 0: sin(x + p) */
    zw_expr shifted = zw_add(ctx, zw_sin(ctx, p), zw_mul(ctx, x, zw_cos(ctx, p)));
    assert_same(few(zw_sin(ctx, zw_add(ctx, x, p)), 2), shifted);
    /* roots, quotients */
    zw_expr root = zw_add(ctx, ZW_ONE, zw_sub(ctx, over(x, 2), over(power(x, 2), 8)));
    assert_same(few(zw_sqrt(ctx, zw_add(ctx, ZW_ONE, x)), 3), root);
    assert_same(few(zw_div(ctx, ZW_ONE, zw_add(ctx, ZW_ONE, x)), 2), zw_sub(ctx, ZW_ONE, x));
    /* one in the other: sin(sin x) with the inner one cut first */
    assert_same(few(zw_sin(ctx, zw_sin(ctx, x)), 2), zw_sub(ctx, cubic, over(power(cubic, 3), 6)));
}

static void test_few_terms__refuse_what_has_none(void **state) {
    (void)state;
    zw_expr symbols[] = {x, y}, out,
            wrong[] = {zw_apply(ctx, ZW_OP_ABS, 1, &x), zw_sqrt(ctx, x),
                       zw_div(ctx, ZW_ONE, zw_add(ctx, x, y)),
                       zw_cond(ctx, zw_apply(ctx, ZW_OP_LT, 2, symbols), x, y)};
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++) {
        zw_error err = {0};
        assert_int_equal(zw_few_terms(ctx, 1, &wrong[i], 2, symbols, 2, &out, &err), ZW_E_DOMAIN);
        assert_non_null(strstr(err.text, "has no series of a few terms"));
        assert_int_equal(zw_context_status(ctx, NULL), ZW_OK);
    }
}

/* ---- harmonics ---- */

enum { POINTS = 64, KEEP = 5 };

static void test_trig_series__are_sums_over_a_period(void **state) {
    (void)state;
    zw_expr a = zw_symbol(ctx, "a"), b = zw_symbol(ctx, "b"), m = zw_symbol(ctx, "m"),
            w = zw_symbol(ctx, "w"), twice = zw_mul(ctx, ZW_TWO, w);
    zw_expr cx[] = {m, a}, sx[] = {ZW_ZERO, b}, cy[] = {ZW_ZERO, b, ZW_ZERO},
            sy[] = {ZW_ZERO, ZW_ONE, a};
    zw_trig_series series[] = {{1, cx, sx}, {2, cy, sy}}, out[4];
    zw_expr symbols[] = {x, y}, frequency[] = {w, twice};
    const int multiple[] = {1, 2};
    zw_trig_time time = {t, 2, frequency, multiple};
    zw_expr wave = zw_sin(ctx, zw_add(ctx, zw_mul(ctx, w, t), p)),
            back = zw_cos(ctx, zw_sub(ctx, p, zw_mul(ctx, twice, t)));
    zw_expr e[] = {zw_mul(ctx, power(x, 3), y),
                   zw_add(ctx, zw_mul(ctx, wave, power(y, 2)), zw_mul(ctx, p, back)),
                   power(zw_add(ctx, x, zw_mul(ctx, p, y)), 4), zw_mul(ctx, power(wave, 2), p)};
    zw_error err = {0};
    if (zw_trig_expand(ctx, 4, e, 2, symbols, series, &time, KEEP, out, &err) < 0)
        fail_msg("%s", err.text);
    zw_expr all[] = {x, y, t, a, b, m, w, p};
    double value[] = {0, 0, 0, 0.7, -0.4, 0.3, 1.7, 0.6};
    for (int i = 0; i < 4; i++)
        for (int k = 0; k <= KEEP; k++) {
            double c = 0, s = 0;
            for (int j = 0; j < POINTS; j++) {
                double tau = 2 * M_PI * j / POINTS;
                value[0] = value[5] + value[3] * cos(tau) + value[4] * sin(tau);
                value[1] = value[4] * cos(tau) + sin(tau) + value[3] * sin(2 * tau);
                value[2] = tau / value[6];
                double v = zw_eval(ctx, e[i], 8, all, value);
                c += v * cos(k * tau) * (k ? 2.0 : 1.0) / POINTS;
                s += v * sin(k * tau) * (k ? 2.0 : 0.0) / POINTS;
            }
            assert_close(zw_eval(ctx, out[i].c[k], 8, all, value), c, 1e-13);
            assert_close(zw_eval(ctx, out[i].s[k], 8, all, value), s, 1e-13);
        }
}

static void test_trig_series__refuse_other_functions(void **state) {
    (void)state;
    zw_expr cx[] = {ZW_ZERO, ZW_ONE}, sx[] = {ZW_ZERO, ZW_ZERO}, w = zw_symbol(ctx, "w");
    zw_trig_series series = {1, cx, sx}, out;
    const int multiple[] = {1};
    zw_trig_time time = {t, 1, &w, multiple};
    zw_expr wrong[] = {zw_sin(ctx, x), zw_div(ctx, ZW_ONE, x), zw_mul(ctx, t, x),
                       zw_cos(ctx, zw_mul(ctx, p, t)), zw_apply(ctx, ZW_OP_ABS, 1, &x)};
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++) {
        zw_error err = {0};
        assert_int_equal(zw_trig_expand(ctx, 1, &wrong[i], 1, &x, &series, &time, 1, &out, &err),
                         ZW_E_DOMAIN);
        assert_true(err.text[0] != '\0');
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(test_few_terms__are_those_of_textbooks, setup, teardown),
        cmocka_unit_test_setup_teardown(test_few_terms__refuse_what_has_none, setup, teardown),
        cmocka_unit_test_setup_teardown(test_trig_series__are_sums_over_a_period, setup, teardown),
        cmocka_unit_test_setup_teardown(test_trig_series__refuse_other_functions, setup, teardown),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
