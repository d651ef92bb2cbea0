/* SPDX-License-Identifier: MIT */
/* Series of expressions: coefficients against repeated derivatives along a line, poles and lengths
 * against what they are on paper, refusals where there is no series. */
#include "expr/series/jet.h"
#include "expr/series/jet2.h"

#include <math.h>

#include "support/test.h"

enum { TERMS = 7 };

typedef struct bench {
    zw_context *ctx;
    zw_expr x, y;
} bench;

static void setup(bench *b) {
    b->ctx = zw_context_create(NULL);
    assert_non_null(b->ctx);
    b->x = zw_symbol(b->ctx, "x");
    b->y = zw_symbol(b->ctx, "y");
}

static zw_jet line(double c0, double c1) {
    zw_jet j = zw_jet_number(TERMS, c0);
    j.c[1] = c1;
    return j;
}

static bool series(const bench *b, zw_expr e, zw_jet x, zw_jet y, zw_jet *out,
                   zw_jet_fault *fault) {
    const zw_expr symbols[] = {b->x, b->y};
    const zw_jet values[] = {x, y};
    *fault = (zw_jet_fault){0};
    return zw_jet_eval(b->ctx, 1, &e, 2, symbols, values, TERMS, out, fault);
}

/* k! c_k = d^k e / ds^k on x = x0 + dx s, y = y0 + dy s */
static void check(const bench *b, zw_expr e) {
    const double x0 = 0.3, dx = 0.7, y0 = 1.4, dy = -0.4;
    const zw_expr symbols[] = {b->x, b->y}, step[] = {zw_real(b->ctx, dx), zw_real(b->ctx, dy)};
    const double at[] = {x0, y0};
    double factorial = 1;
    zw_jet j;
    zw_jet_fault fault;
    assert_true(series(b, e, line(x0, dx), line(y0, dy), &j, &fault));
    for (int k = 0; k < TERMS; k++) {
        double value = zw_eval(b->ctx, e, 2, symbols, at) / factorial;
        assert_true(fabs(zw_jet_coefficient(&j, k) - value) <= 1e-12 * (1 + fabs(value)));
        e = zw_along(b->ctx, e, 2, symbols, step);
        factorial *= k + 1;
    }
}

static void test_jet__is_the_taylor_series(void **state) {
    static const zw_op functions[] = {ZW_OP_SIN,  ZW_OP_COS,   ZW_OP_TAN,  ZW_OP_ASIN,
                                      ZW_OP_ACOS, ZW_OP_ATAN,  ZW_OP_SINH, ZW_OP_COSH,
                                      ZW_OP_TANH, ZW_OP_ASINH, ZW_OP_EXP,  ZW_OP_ATANH};
    (void)state;
    bench b;
    setup(&b);
    zw_context *ctx = b.ctx;
    zw_expr product = zw_mul(ctx, b.x, b.y);
    for (size_t i = 0; i < sizeof functions / sizeof *functions; i++)
        check(&b, zw_apply(ctx, functions[i], 1, &product));
    check(&b, zw_apply(ctx, ZW_OP_LOG, 1, &b.y));
    check(&b, zw_apply(ctx, ZW_OP_ACOSH, 1, &b.y));
    check(&b, zw_div(ctx, zw_sin(ctx, b.x), zw_add(ctx, b.x, b.y)));
    check(&b, zw_pow(ctx, zw_add(ctx, b.x, b.y), zw_rational(ctx, -5, 2)));
    check(&b, zw_pow(ctx, b.y, b.x));
    check(&b, zw_pow(ctx, zw_add(ctx, b.x, zw_integer(ctx, 2)), zw_integer(ctx, 5)));
    check(&b, zw_apply(ctx, ZW_OP_ATAN2, 2, (zw_expr[]){b.y, b.x}));
    check(&b, zw_apply(ctx, ZW_OP_ABS, 1, (zw_expr[]){zw_sub(ctx, b.x, b.y)}));
    check(&b, zw_apply(ctx, ZW_OP_MAX, 2, (zw_expr[]){product, b.x}));
    const double knots[] = {0, 0.2, 0.9, 2}, values[] = {1, 2, -1, 3};
    int table = zw_tabulate(ctx, 4, knots, values, ZW_CUBIC);
    check(&b, zw_lookup(ctx, table, 0, b.x));
    zw_context_destroy(ctx);
}

static void test_jet__knows_poles_and_lengths(void **state) {
    (void)state;
    bench b;
    setup(&b);
    zw_context *ctx = b.ctx;
    zw_jet j;
    zw_jet_fault fault;
    /* 1/(2 s), and times s again */
    assert_true(series(&b, zw_div(ctx, ZW_ONE, b.x), line(0, 2), line(0, 1), &j, &fault));
    assert_close(zw_jet_coefficient(&j, -1), 0.5, 0);
    assert_close(zw_jet_coefficient(&j, 0), 0, 0);
    assert_true(series(&b, zw_div(ctx, zw_sin(ctx, b.x), b.y), line(0, 2), line(0, 1), &j, &fault));
    assert_close(zw_jet_coefficient(&j, -1), 0, 0);
    assert_close(zw_jet_coefficient(&j, 0), 2, 1e-15);
    assert_close(zw_jet_coefficient(&j, 2), -8.0 / 6, 1e-15);
    assert_int_equal(fault.kink, ZW_NULL);
    /* sqrt(x^2 + y^2) = 5 s, which is a kink, and |x| along -3 s */
    zw_expr length = zw_sqrt(ctx, zw_add(ctx, zw_pow(ctx, b.x, ZW_TWO), zw_pow(ctx, b.y, ZW_TWO)));
    assert_true(series(&b, length, line(0, -3), line(0, 4), &j, &fault));
    assert_close(zw_jet_coefficient(&j, 1), 5, 1e-15);
    assert_int_equal(fault.kink, length);
    zw_expr size = zw_apply(ctx, ZW_OP_ABS, 1, &b.x);
    assert_true(series(&b, size, line(0, -3), line(0, 4), &j, &fault));
    assert_close(zw_jet_coefficient(&j, 1), 3, 0);
    assert_int_equal(fault.kink, size);
    /* 1/cos(pi/2 + s) has a pole, though cos(pi/2) is not 0 in numbers */
    assert_true(series(&b, zw_div(ctx, ZW_ONE, zw_cos(ctx, b.x)), line(acos(0), 1), line(0, 1), &j,
                       &fault));
    assert_close(zw_jet_coefficient(&j, -1), -1, 1e-15);
    assert_close(zw_jet_coefficient(&j, 1), -1.0 / 6, 1e-14);
    /* what lies beyond the terms is not known */
    assert_true(isnan(zw_jet_coefficient(&j, TERMS)));
    zw_context_destroy(ctx);
}

static void test_jet__says_where_there_is_none(void **state) {
    (void)state;
    bench b;
    setup(&b);
    zw_context *ctx = b.ctx;
    zw_jet j;
    zw_jet_fault fault;
    zw_expr log = zw_apply(ctx, ZW_OP_LOG, 1, &b.x), root = zw_sqrt(ctx, b.x);
    zw_expr inverse = zw_div(ctx, ZW_ONE, b.x), wild = zw_sin(ctx, inverse);
    const zw_expr bad[] = {log, root, wild, zw_symbol(ctx, "other")};
    for (int i = 0; i < 4; i++) {
        assert_false(series(&b, zw_add(ctx, b.y, bad[i]), line(0, 1), line(1, 1), &j, &fault));
        assert_int_equal(fault.node, bad[i]);
        assert_non_null(fault.why);
    }
    /* a branch that is not taken needs none */
    zw_expr test = zw_apply(ctx, ZW_OP_LT, 2, (zw_expr[]){b.x, zw_integer(ctx, -1)});
    assert_true(series(&b, zw_cond(ctx, test, log, b.y), line(0, 1), line(1, 1), &j, &fault));
    assert_close(zw_jet_coefficient(&j, 1), 1, 0);
    zw_context_destroy(ctx);
}

/* ---------------------------------------------------------------------- series in two variables */

static const zw_jet2_shape plane = {5, true};

/* c0 + ct t + cs s */
static zw_jet2 sheet(double c0, double ct, double cs) {
    zw_jet2 j = zw_jet2_number(plane, c0);
    j.c[zw_jet2_at(plane, 1, 0)] = ct;
    j.c[zw_jet2_at(plane, 1, 1)] = cs;
    return j;
}

static bool series2(const bench *b, zw_expr e, zw_jet2 x, zw_jet2 y, zw_jet2 *out,
                    zw_jet2_fault *fault) {
    const zw_expr symbols[] = {b->x, b->y};
    const zw_jet2 values[] = {x, y};
    *fault = (zw_jet2_fault){0};
    return zw_jet2_eval(b->ctx, plane, 1, &e, 2, symbols, values, out, fault);
}

/* i! j! c_ij = d^i/dt^i d^j/ds^j e on x = x0 + a t + b s, y = y0 + c t + d s */
static void check2(const bench *b, zw_expr e) {
    const zw_expr symbols[] = {b->x, b->y}, in_t[] = {zw_real(b->ctx, 0.7), zw_real(b->ctx, -0.4)},
                  in_s[] = {zw_real(b->ctx, -0.2), zw_real(b->ctx, 0.5)};
    const double at[] = {0.3, 1.4};
    double s_factorial = 1;
    zw_jet2 j;
    zw_jet2_fault fault;
    assert_true(series2(b, e, sheet(0.3, 0.7, -0.2), sheet(1.4, -0.4, 0.5), &j, &fault));
    for (int k = 0; k <= plane.degree; k++) {
        zw_expr d = e;
        double factorial = s_factorial;
        for (int i = 0; i + k <= plane.degree; i++) {
            double value = zw_eval(b->ctx, d, 2, symbols, at) / factorial;
            assert_true(fabs(zw_jet2_coefficient(plane, &j, i, k) - value) <=
                        1e-12 * (1 + fabs(value)));
            d = zw_along(b->ctx, d, 2, symbols, in_t);
            factorial *= i + 1;
        }
        e = zw_along(b->ctx, e, 2, symbols, in_s);
        s_factorial *= k + 1;
    }
}

static void test_jet2__is_the_taylor_series(void **state) {
    static const zw_op functions[] = {ZW_OP_SIN,  ZW_OP_COS,   ZW_OP_TAN,  ZW_OP_ASIN,
                                      ZW_OP_ACOS, ZW_OP_ATAN,  ZW_OP_SINH, ZW_OP_COSH,
                                      ZW_OP_TANH, ZW_OP_ASINH, ZW_OP_EXP,  ZW_OP_ATANH};
    (void)state;
    bench b;
    setup(&b);
    zw_context *ctx = b.ctx;
    zw_expr product = zw_mul(ctx, b.x, b.y);
    for (size_t i = 0; i < sizeof functions / sizeof *functions; i++)
        check2(&b, zw_apply(ctx, functions[i], 1, &product));
    check2(&b, zw_apply(ctx, ZW_OP_LOG, 1, &b.y));
    check2(&b, zw_apply(ctx, ZW_OP_ACOSH, 1, &b.y));
    check2(&b, zw_div(ctx, zw_sin(ctx, b.x), zw_add(ctx, b.x, b.y)));
    check2(&b, zw_pow(ctx, zw_add(ctx, b.x, b.y), zw_rational(ctx, -5, 2)));
    check2(&b, zw_pow(ctx, b.y, b.x));
    check2(&b, zw_pow(ctx, zw_add(ctx, b.x, zw_integer(ctx, 2)), zw_integer(ctx, 5)));
    check2(&b, zw_apply(ctx, ZW_OP_ATAN2, 2, (zw_expr[]){b.y, b.x}));
    check2(&b, zw_apply(ctx, ZW_OP_ABS, 1, (zw_expr[]){zw_sub(ctx, b.x, b.y)}));
    check2(&b, zw_apply(ctx, ZW_OP_MAX, 2, (zw_expr[]){product, b.x}));
    const double knots[] = {0, 0.2, 0.9, 2}, values[] = {1, 2, -1, 3};
    int table = zw_tabulate(ctx, 4, knots, values, ZW_CUBIC);
    check2(&b, zw_lookup(ctx, table, 0, b.x));
    zw_context_destroy(ctx);
}

static void test_jet2__divides_by_s_and_by_nothing_else(void **state) {
    (void)state;
    bench b;
    setup(&b);
    zw_context *ctx = b.ctx;
    zw_jet2 j;
    zw_jet2_fault fault;
    zw_expr inverse = zw_div(ctx, ZW_ONE, b.x), size = zw_apply(ctx, ZW_OP_ABS, 1, &b.x);
    /* (3 s + 2 t s)/s with s as such, and 1/s beside a number */
    zw_jet2 y = zw_jet2_number(plane, 0);
    y.c[zw_jet2_at(plane, 1, 1)] = 3;
    y.c[zw_jet2_at(plane, 2, 1)] = 2;
    assert_true(series2(&b, zw_mul(ctx, inverse, b.y), zw_jet2_small(plane), y, &j, &fault));
    zw_jet2_regular(plane, &j, NULL);
    assert_close(zw_jet2_coefficient(plane, &j, 0, 0), 3, 0);
    assert_close(zw_jet2_coefficient(plane, &j, 1, 0), 2, 0);
    assert_close(zw_jet2_coefficient(plane, &j, 0, 1), 0, 0);
    assert_true(
        series2(&b, zw_add(ctx, inverse, b.y), zw_jet2_small(plane), sheet(7, 1, 0), &j, &fault));
    assert_close(zw_jet2_coefficient(plane, &j, 0, -1), 1, 0);
    assert_close(zw_jet2_coefficient(plane, &j, 1, 0), 1, 0);
    double left;
    zw_jet2_regular(plane, &j, &left);
    assert_close(left, 1, 0);
    assert_close(j.c[0], 7, 0);
    /* 1/t, a root of s, |s + t|: none of them */
    assert_false(series2(&b, inverse, sheet(0, 1, 0), y, &j, &fault));
    assert_int_equal(fault.node, inverse);
    assert_false(series2(&b, zw_sqrt(ctx, b.x), zw_jet2_small(plane), y, &j, &fault));
    assert_false(series2(&b, size, sheet(0, 1, 1), y, &j, &fault));
    assert_string_equal(fault.why, "it is not smooth there");
    zw_context_destroy(ctx);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_jet2__is_the_taylor_series),
        cmocka_unit_test(test_jet2__divides_by_s_and_by_nothing_else),
        cmocka_unit_test(test_jet__is_the_taylor_series),
        cmocka_unit_test(test_jet__knows_poles_and_lengths),
        cmocka_unit_test(test_jet__says_where_there_is_none),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
