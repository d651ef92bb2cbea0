/* SPDX-License-Identifier: MIT */
#include "base/contensou.h"
#include "support/random_tree.h"
#include "zwang/expr.h"

static zw_context *ctx;
static zw_expr symbols[TREE_SYMBOLS];

static int setup(void **state) {
    (void)state;
    ctx = zw_context_create(NULL);
    const char *names[] = {"x", "y", "z", "w"};
    for (int i = 0; i < TREE_SYMBOLS; i++)
        symbols[i] = zw_symbol(ctx, names[i]);
    return ctx ? 0 : 1;
}

static int teardown(void **state) {
    (void)state;
    zw_context_destroy(ctx);
    return 0;
}

/* sixth-order central difference of g along symbol s */
typedef double (*function)(const void *what, const double *at);

static double difference_with(function g, const void *what, const double *at, int s, double h) {
    static const double weight[] = {45.0 / 60, -9.0 / 60, 1.0 / 60};
    double point[TREE_SYMBOLS], sum = 0;
    memcpy(point, at, sizeof point);
    for (int k = 1; k <= 3; k++) {
        point[s] = at[s] + k * h;
        double right = g(what, point);
        point[s] = at[s] - k * h;
        sum += weight[k - 1] * (right - g(what, point));
    }
    return sum / h;
}

/* the difference quotient where halving its step changes nothing any more, else NaN: it says
 * something about the derivative only there */
static double difference(function g, const void *what, const double *at, int s) {
    double coarse = difference_with(g, what, at, s, 4e-3),
           fine = difference_with(g, what, at, s, 2e-3);
    return fabs(fine - coarse) <= 1e-8 * fmax(1, fabs(fine)) ? fine : NAN;
}

static double value_of_tree(const void *what, const double *at) {
    return tree_value(what, at);
}

static double value_of_expr(const void *what, const double *at) {
    return zw_eval(ctx, *(const zw_expr *)what, TREE_SYMBOLS, symbols, at);
}

/* first derivatives against differences of the naive tree, second ones against differences of the
 * first, third ones against differences of the second */
static void test_diff__three_orders_against_differences(void **state) {
    (void)state;
    static forest f;
    f.random.state = 3;
    f.smooth = true;
    int compared = 0;
    for (int k = 0; k < 1500; k++) {
        f.count = 0;
        tree *t = tree_random(&f, 2 + k % 3);
        zw_expr e = tree_build(ctx, t, symbols);
        zw_context_reset_status(ctx);
        if (!e)
            continue;
        double at[TREE_SYMBOLS];
        for (int i = 0; i < TREE_SYMBOLS; i++)
            at[i] = test_random_real(&f.random, 0.2, 1.2);
        if (!isfinite(tree_value(t, at)) || tree_scale(t, at) > 50)
            continue;
        int a = test_random_int(&f.random, TREE_SYMBOLS),
            b = test_random_int(&f.random, TREE_SYMBOLS),
            c = test_random_int(&f.random, TREE_SYMBOLS);
        zw_expr d1 = zw_diff(ctx, e, symbols[a]), d2 = zw_diff(ctx, d1, symbols[b]),
                d3 = zw_diff(ctx, d2, symbols[c]);
        assert_true(d1 && d2 && d3);
        double v1 = value_of_expr(&d1, at), v2 = value_of_expr(&d2, at),
               v3 = value_of_expr(&d3, at);
        double w1 = difference(value_of_tree, t, at, a), w2 = difference(value_of_expr, &d1, at, b),
               w3 = difference(value_of_expr, &d2, at, c);
        if (isnan(w1) || isnan(w2) || isnan(w3))
            continue;
        assert_close(v1, w1, 1e-7);
        assert_close(v2, w2, 1e-7);
        assert_close(v3, w3, 1e-7);
        compared++;
    }
    assert_true(compared > 700);
}

static void test_diff__every_function(void **state) {
    (void)state;
    static const zw_op unary[] = {ZW_OP_SIN,   ZW_OP_COS,  ZW_OP_TAN,  ZW_OP_ASIN, ZW_OP_ACOS,
                                  ZW_OP_ATAN,  ZW_OP_SINH, ZW_OP_COSH, ZW_OP_TANH, ZW_OP_ASINH,
                                  ZW_OP_ATANH, ZW_OP_EXP,  ZW_OP_LOG,  ZW_OP_ABS,  ZW_OP_SIGN};
    double at[TREE_SYMBOLS] = {0.37, 0.81, 1.7, -0.4};
    for (size_t i = 0; i < sizeof unary / sizeof *unary; i++) {
        zw_expr e = zw_apply(ctx, unary[i], 1, symbols), d = zw_diff(ctx, e, symbols[0]);
        assert_close(value_of_expr(&d, at), difference(value_of_expr, &e, at, 0), 1e-8);
    }
    zw_expr acosh_z = zw_apply(ctx, ZW_OP_ACOSH, 1, &symbols[2]);
    zw_expr binary[] = {zw_apply(ctx, ZW_OP_ATAN2, 2, symbols),
                        zw_apply(ctx, ZW_OP_MIN, 2, symbols),
                        zw_apply(ctx, ZW_OP_MAX, 2, symbols),
                        zw_pow(ctx, symbols[0], symbols[1]),
                        acosh_z,
                        zw_pow(ctx, symbols[1], zw_rational(ctx, 2, 3))};
    for (size_t i = 0; i < sizeof binary / sizeof *binary; i++)
        for (int s = 0; s < 3; s++) {
            zw_expr d = zw_diff(ctx, binary[i], symbols[s]);
            assert_close(value_of_expr(&d, at), difference(value_of_expr, &binary[i], at, s), 1e-8);
        }
}

static void test_diff__reverse_equals_forward(void **state) {
    (void)state;
    static forest f;
    f.random.state = 12;
    for (int k = 0; k < 500; k++) {
        f.count = 0;
        zw_expr e = tree_build(ctx, tree_random(&f, 5), symbols);
        zw_context_reset_status(ctx);
        if (!e)
            continue;
        zw_expr gradient[TREE_SYMBOLS], row[TREE_SYMBOLS], hessian[TREE_SYMBOLS * TREE_SYMBOLS];
        zw_gradient(ctx, e, TREE_SYMBOLS, symbols, gradient);
        zw_jacobian(ctx, 1, &e, TREE_SYMBOLS, symbols, row);
        zw_hessian(ctx, e, TREE_SYMBOLS, symbols, hessian);
        zw_context_reset_status(ctx);
        double at[TREE_SYMBOLS] = {0.31, 0.77, -0.53, 1.19};
        for (int i = 0; i < TREE_SYMBOLS; i++) {
            zw_expr d = zw_diff(ctx, e, symbols[i]);
            assert_int_equal(d, row[i]);
            double a = value_of_expr(&d, at), b = value_of_expr(&gradient[i], at);
            if (!gradient[i] || !isfinite(a) || fabs(a) > 1e6)
                continue;
            assert_close(a, b, 1e-9);
            for (int j = 0; j < TREE_SYMBOLS; j++) {
                zw_expr dd = zw_diff(ctx, d, symbols[j]);
                double p = value_of_expr(&dd, at),
                       q = value_of_expr(&hessian[i * TREE_SYMBOLS + j], at);
                if (isfinite(p) && isfinite(q) && fabs(p) < 1e6)
                    assert_close(p, q, 1e-8);
            }
        }
    }
}

static void test_diff__total_time_derivative(void **state) {
    (void)state;
    /* d/dt (x sin t) = x' sin t + x cos t, d/dt again brings x'' */
    zw_expr t = zw_symbol(ctx, "t"), x = zw_symbol(ctx, "x"), v = zw_symbol(ctx, "x'"),
            a = zw_symbol(ctx, "x''");
    zw_expr from[] = {t, x, v}, to[] = {ZW_ONE, v, a};
    zw_expr first = zw_along(ctx, zw_mul(ctx, x, zw_sin(ctx, t)), 3, from, to);
    zw_expr want = zw_add(ctx, zw_mul(ctx, v, zw_sin(ctx, t)), zw_mul(ctx, x, zw_cos(ctx, t)));
    assert_int_equal(first, want);
    zw_expr second = zw_along(ctx, first, 3, from, to);
    zw_expr want2 = zw_add(ctx, zw_mul(ctx, zw_sub(ctx, a, x), zw_sin(ctx, t)),
                           zw_mul(ctx, zw_mul(ctx, ZW_TWO, v), zw_cos(ctx, t)));
    assert_int_equal(zw_expand(ctx, second), zw_expand(ctx, want2));
}

static void test_diff__tabulated_function(void **state) {
    (void)state;
    /* the natural spline through a straight line is the line; through sin it is close to sin */
    double xs[41], line[41], sine[41];
    for (int i = 0; i < 41; i++) {
        xs[i] = 0.1 * i;
        line[i] = 3 - 2 * xs[i];
        sine[i] = sin(xs[i]);
    }
    int straight = zw_tabulate(ctx, 41, xs, line, ZW_CUBIC),
        wave = zw_tabulate(ctx, 41, xs, sine, ZW_CUBIC),
        broken = zw_tabulate(ctx, 41, xs, sine, ZW_LINEAR);
    assert_true(straight >= 0 && wave >= 0 && broken >= 0);
    zw_expr e = zw_lookup(ctx, wave, 0, symbols[0]), d = zw_diff(ctx, e, symbols[0]);
    for (double at = 0.55; at < 3.5; at += 0.37) {
        double point[TREE_SYMBOLS] = {at};
        assert_close(zw_spline_eval(zw_spline_of(ctx, straight), 0, at), 3 - 2 * at, 1e-13);
        assert_close(zw_spline_eval(zw_spline_of(ctx, straight), 1, at), -2, 1e-12);
        assert_close(value_of_expr(&e, point), sin(at), 1e-5);
        assert_close(value_of_expr(&d, point), cos(at), 1e-3);
        assert_close(zw_spline_eval(zw_spline_of(ctx, broken), 0, at), sin(at), 2e-3);
    }
    assert_close(zw_spline_eval(zw_spline_of(ctx, wave), 0, -5), sine[0], 0);
    assert_close(zw_spline_eval(zw_spline_of(ctx, wave), 1, 9), 0, 0);
    double down[] = {1, 0};
    assert_int_equal(zw_tabulate(ctx, 2, down, down, ZW_LINEAR), -1);
    zw_context_reset_status(ctx);
}

/* three orders of the functions of a patch of friction, each by differences of the one before, on
 * both sides of a = b */
static void test_diff__friction_of_a_patch(void **state) {
    (void)state;
    static const double pressures[] = {-1, 0, 0.5, 1}, places[] = {0.2, 0.7, 1.6, 4};
    for (int i = 0; i < 4; i++)
        for (int k = 0; k < 4; k++)
            for (int which = 0; which < 6; which++) { /* P, Q and the gauge */
                double at[TREE_SYMBOLS] = {places[k], 1, 0, 0};
                zw_patch_function f = which % 3 == 0   ? ZW_PATCH_P
                                      : which % 3 == 1 ? ZW_PATCH_Q
                                                       : ZW_PATCH_GAUGE;
                zw_expr code = zw_integer(ctx, zw_patch_code(pressures[i], f)),
                        e = zw_apply(ctx, ZW_OP_PATCH, 3,
                                     (zw_expr[]){code, symbols[0], symbols[1]});
                for (int order = 0; order < (f == ZW_PATCH_GAUGE ? 1 : 2); order++) {
                    int in = which < 3 ? 0 : 1; /* in a and then b, or the other way round */
                    in = order == 0 ? in : 1 - in;
                    zw_expr d = zw_diff(ctx, e, symbols[in]);
                    assert_close(value_of_expr(&d, at), difference(value_of_expr, &e, at, in),
                                 1e-8 * (1 + fabs(value_of_expr(&d, at))));
                    zw_expr again = zw_diff(ctx, e, symbols[1 - in]);
                    assert_close(value_of_expr(&again, at),
                                 difference(value_of_expr, &e, at, 1 - in),
                                 1e-8 * (1 + fabs(value_of_expr(&again, at))));
                    e = d;
                }
            }
}

static zw_expr at_least(zw_expr a, zw_expr b) {
    return zw_apply(ctx, ZW_OP_MAX, 2, (zw_expr[]){a, b});
}

/* the three orders in x at one point, forward, by gradient and by Hessian */
static void check_orders(zw_expr e, double x, double d1, double d2, double d3) {
    double point[TREE_SYMBOLS] = {x, 0.4, 0, 0};
    zw_expr first = zw_diff(ctx, e, symbols[0]), second = zw_diff(ctx, first, symbols[0]),
            third = zw_diff(ctx, second, symbols[0]), gradient[TREE_SYMBOLS],
            hessian[TREE_SYMBOLS * TREE_SYMBOLS];
    zw_gradient(ctx, e, TREE_SYMBOLS, symbols, gradient);
    zw_hessian(ctx, e, TREE_SYMBOLS, symbols, hessian);
    assert_close(value_of_expr(&first, point), d1, 1e-14);
    assert_close(value_of_expr(&gradient[0], point), d1, 1e-14);
    assert_close(value_of_expr(&second, point), d2, 1e-14);
    assert_close(value_of_expr(&hessian[0], point), d2, 1e-14);
    assert_close(value_of_expr(&third, point), d3, 1e-14);
}

/* what is not chosen has no finite value, or no finite slope, and does not matter */
static void test_diff__of_a_choice_is_a_choice(void **state) {
    (void)state;
    zw_expr x = symbols[0], y = symbols[1], zero = ZW_ZERO;
    zw_expr below = zw_apply(ctx, ZW_OP_LT, 2, (zw_expr[]){x, zero});
    zw_expr pressed = zw_pow(ctx, zw_neg(ctx, x), zw_rational(ctx, 3, 2));
    zw_expr hertz = zw_cond(ctx, below, pressed, zero);
    check_orders(hertz, 0.3, 0, 0, 0);
    check_orders(hertz, -0.25, -1.5 * 0.5, 0.75 / 0.5, 0.375 / 0.125);
    /* the same through max, as a factor, under a root, nested, and added to others */
    zw_expr gap = at_least(zw_neg(ctx, x), zero);
    check_orders(zw_pow(ctx, gap, zw_rational(ctx, 3, 2)), 0.3, 0, 0, 0);
    check_orders(zw_mul(ctx, y, zw_sqrt(ctx, gap)), 0.3, 0, 0, 0);
    check_orders(zw_apply(ctx, ZW_OP_ASIN, 1, (zw_expr[]){zw_sub(ctx, ZW_ONE, gap)}), 0.3, 0, 0, 0);
    check_orders(zw_sqrt(ctx, at_least(zero, zw_mul(ctx, y, gap))), 0.3, 0, 0, 0);
    zw_expr unreal = zw_sqrt(ctx, zw_sub(ctx, x, zw_integer(ctx, 5)));
    zw_expr cubic = zw_pow(ctx, x, zw_integer(ctx, 3));
    check_orders(zw_cond(ctx, below, unreal, cubic), 2, 12, 12, 6);
    zw_expr inner = zw_cond(ctx, zw_apply(ctx, ZW_OP_LT, 2, (zw_expr[]){x, ZW_ONE}), unreal, cubic);
    check_orders(zw_add(ctx, zw_cond(ctx, below, unreal, inner), x), 2, 13, 12, 6);
    check_orders(zw_mul(ctx, x, zw_cond(ctx, below, unreal, x)), 2, 4, 2, 0);
    /* log(0) in a branch, and in the derivative by an exponent */
    zw_expr logarithm = zw_apply(ctx, ZW_OP_LOG, 1, &x);
    zw_expr entropy = zw_cond(ctx, x, zw_mul(ctx, x, logarithm), zero);
    check_orders(entropy, 0, 0, 0, 0);
    zw_expr power = zw_diff(ctx, zw_pow(ctx, x, y), y);
    assert_close(value_of_expr(&power, (double[TREE_SYMBOLS]){0, 1.5}), 0, 0);
    assert_close(value_of_expr(&power, (double[TREE_SYMBOLS]){4, 0.5}), 2 * log(4), 1e-14);
}

static void test_diff__symbols_may_be_given_twice(void **state) {
    (void)state;
    zw_expr twice[] = {symbols[0], symbols[1], symbols[0]}, gradient[3];
    zw_expr e = at_least(zw_mul(ctx, symbols[0], symbols[1]), ZW_ZERO);
    zw_gradient(ctx, e, 3, twice, gradient);
    assert_int_equal(gradient[0], gradient[2]);
    assert_close(value_of_expr(&gradient[0], (double[TREE_SYMBOLS]){2, 3}), 3, 0);
}

/* Beyond its limits a context fails, at the place of its model. */
static void test_diff__ends_at_the_limits(void **state) {
    (void)state;
    const zw_context_limits limits[] = {{.operands = 3000}, {.bytes = 3e4}, {.code = 0}};
    const char *const say[] = {"take too long", "too much memory", NULL};
    for (int k = 0; k < 3; k++) {
        zw_context *own = zw_context_create(NULL);
        zw_error err = {0};
        zw_context_set_place(own, (zw_place){"deep.zw", 7, 1});
        zw_expr x = zw_symbol(own, "x"), e = x;
        zw_context_set_limits(own, limits[k]);
        for (int i = 0; i < 1000; i++)
            e = zw_add(own, zw_sin(own, e), x);
        zw_expr d = zw_diff(own, e, x);
        if (say[k]) {
            assert_int_equal(d, ZW_NULL);
            assert_int_equal(zw_context_status(own, &err), ZW_E_MODEL);
            assert_non_null(strstr(err.text, say[k]));
            assert_string_equal(err.file, "deep.zw");
            assert_int_equal(err.line, 7);
        } else {
            assert_int_not_equal(d, ZW_NULL);
            assert_true(zw_context_used(own).operands > 3000);
        }
        zw_context_destroy(own);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_diff__three_orders_against_differences),
        cmocka_unit_test(test_diff__every_function),
        cmocka_unit_test(test_diff__reverse_equals_forward),
        cmocka_unit_test(test_diff__total_time_derivative),
        cmocka_unit_test(test_diff__tabulated_function),
        cmocka_unit_test(test_diff__friction_of_a_patch),
        cmocka_unit_test(test_diff__of_a_choice_is_a_choice),
        cmocka_unit_test(test_diff__symbols_may_be_given_twice),
        cmocka_unit_test(test_diff__ends_at_the_limits),
    };
    return cmocka_run_group_tests(tests, setup, teardown);
}
