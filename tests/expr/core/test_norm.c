/* SPDX-License-Identifier: MIT */
#include "support/test.h"
#include "zwang/expr.h"

static zw_context *ctx;
static zw_expr u, v, w, eps;

static int setup(void **state) {
    (void)state;
    ctx = zw_context_create(NULL);
    u = zw_symbol(ctx, "u");
    v = zw_symbol(ctx, "v");
    w = zw_symbol(ctx, "w");
    eps = zw_symbol(ctx, "eps");
    return ctx ? 0 : 1;
}

static int teardown(void **state) {
    (void)state;
    zw_context_destroy(ctx);
    return 0;
}

static double value(zw_expr e, double a, double b, double c) {
    return zw_eval(ctx, e, 4, (zw_expr[]){u, v, w, eps}, (double[]){a, b, c, 0.01});
}

static zw_expr length(void) {
    zw_expr p[] = {u, v, w};
    return zw_sqrt(ctx, zw_dot(ctx, 3, p, p));
}

static bool guard(int n, zw_expr *e) {
    return zw_guard_lengths(ctx, n, e, 3, (zw_expr[]){u, v, w});
}

/* what is differentiated, guarded */
static zw_expr slope(zw_expr e, zw_expr by) {
    assert_true(guard(1, &e));
    return zw_diff(ctx, e, by);
}

static void test_norm__keeps_values(void **state) {
    (void)state;
    zw_expr e = length(), cube = zw_pow(ctx, e, zw_integer(ctx, 3)), g[] = {e, cube};
    assert_true(guard(2, g));
    assert_int_not_equal(g[0], e);
    assert_close(value(g[0], 0, 0, 0), 0, 0);
    assert_close(value(g[0], 0.3, -0.7, 1.1), value(e, 0.3, -0.7, 1.1), 0);
    assert_close(value(g[1], 0.3, -0.7, 1.1), value(cube, 0.3, -0.7, 1.1), 1e-16);
    assert_true(isnan(value(g[0], NAN, 0, 0)));
}

/* v_i/(|v| + eps) has the slope d_ij/eps at rest, and its own elsewhere */
static void test_norm__friction_at_rest(void **state) {
    (void)state;
    zw_expr f = zw_div(ctx, u, zw_add(ctx, length(), eps));
    assert_close(value(slope(f, u), 0, 0, 0), 100, 1e-12);
    assert_close(value(slope(f, v), 0, 0, 0), 0, 0);
    assert_true(isnan(value(zw_diff(ctx, f, u), 0, 0, 0)));
    assert_close(value(slope(f, v), 0.2, 0.3, 0), value(zw_diff(ctx, f, v), 0.2, 0.3, 0), 1e-14);
    /* further orders are finite; |v|^3 has two derivatives at rest, both 0 */
    zw_expr cube = slope(zw_pow(ctx, length(), zw_integer(ctx, 3)), u);
    assert_close(value(cube, 0, 0, 0), 0, 0);
    assert_close(value(zw_diff(ctx, cube, u), 0, 0, 0), 0, 0);
    assert_true(isfinite(value(zw_diff(ctx, slope(f, u), v), 0, 0, 0)));
    /* so small that its square is 0 */
    assert_true(isfinite(value(slope(f, u), 1e-170, 0, 0)));
}

/* roots that may be of something negative, or that never vanish, are as they were */
static void test_norm__leaves_others(void **state) {
    (void)state;
    zw_expr uu = zw_mul(ctx, u, u), vv = zw_mul(ctx, v, v), uv = zw_mul(ctx, u, v);
    zw_expr others[] = {
        zw_sqrt(ctx, u),
        zw_sqrt(ctx, zw_add(ctx, uu, uv)),
        zw_sqrt(ctx, zw_sub(ctx, uu, vv)),
        zw_sqrt(ctx, zw_add(ctx, ZW_ONE, uu)),
        zw_sqrt(ctx, zw_add(ctx, zw_mul(ctx, eps, eps), uu)),
        zw_pow(ctx, zw_add(ctx, uu, vv), zw_rational(ctx, -1, 2)),
        zw_pow(ctx, zw_add(ctx, uu, vv), zw_rational(ctx, 1, 4)),
    };
    for (size_t i = 0; i < sizeof others / sizeof *others; i++) {
        zw_expr e = others[i];
        assert_true(guard(1, &e));
        assert_int_equal(e, others[i]);
    }
    assert_true(isinf(value(slope(others[0], u), 0, 0, 0)));
}

/* the squares under a root are not multiplied out where that seems shorter */
static void test_norm__stays_a_sum_of_squares(void **state) {
    (void)state;
    zw_expr p[] = {zw_add(ctx, u, v), zw_sub(ctx, u, v), zw_add(ctx, w, u), zw_sub(ctx, w, u)};
    zw_expr s = zw_dot(ctx, 4, p, p), e = zw_sqrt(ctx, s);
    zw_shorten(ctx, 1, &e);
    assert_int_equal(e, zw_sqrt(ctx, s));
    zw_shorten(ctx, 1, &s);
    assert_int_not_equal(zw_sqrt(ctx, s), e); /* without the root it is shorter */
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_norm__keeps_values),
        cmocka_unit_test(test_norm__friction_at_rest),
        cmocka_unit_test(test_norm__leaves_others),
        cmocka_unit_test(test_norm__stays_a_sum_of_squares),
    };
    return cmocka_run_group_tests(tests, setup, teardown);
}
