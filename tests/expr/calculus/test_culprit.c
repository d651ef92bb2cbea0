/* SPDX-License-Identifier: MIT */
/* Expressions without a finite value, and the part of them that is to blame; the size that rounding
 * is measured by. */
#include "expr/core/rounding_size.h"
#include "support/test.h"

typedef struct fixture {
    zw_context *ctx;
    zw_expr x, y;
    zw_expr symbol[2];
} fixture;

static fixture begin(void) {
    fixture f = {.ctx = zw_context_create(NULL)};
    f.symbol[0] = f.x = zw_symbol(f.ctx, "x");
    f.symbol[1] = f.y = zw_symbol(f.ctx, "y");
    return f;
}

static void check(const fixture *f, zw_expr e, double x, double y, const char *want) {
    zw_nonfinite_part c;
    assert_true(zw_find_nonfinite_part(f->ctx, e, 2, f->symbol, (double[]){x, y}, &c));
    assert_false(isfinite(c.value));
    assert_string_equal(c.text, want);
}

static zw_expr call(const fixture *f, zw_op op, zw_expr a) {
    return zw_apply(f->ctx, op, 1, &a);
}

static void test_culprit__is_the_smallest_part(void **state) {
    (void)state;
    fixture f = begin();
    zw_context *c = f.ctx;
    zw_expr one_less = zw_sub(c, ZW_ONE, zw_mul(c, f.x, f.x));
    zw_expr root = zw_sqrt(c, one_less);
    check(&f, zw_add(c, f.y, zw_sin(c, zw_mul(c, ZW_TWO, root))), 1.1, 5,
          "sqrt(-x^2 + 1): sqrt(-0.21)");
    check(&f, zw_div(c, f.y, root), -2, 5, "1/sqrt(-x^2 + 1): sqrt(-3)");
    check(&f, zw_div(c, f.y, f.x), 0, 2, "1/x: division by 0");
    check(&f, zw_div(c, f.y, f.x), 0, 0, "y/x: 0/0");
    check(&f, zw_div(c, f.y, zw_add(c, f.x, ZW_ONE)), -1, 2, "1/(x + 1): division by 0");
    check(&f, zw_div(c, f.y, zw_mul(c, f.x, f.x)), 0, 2, "1/x^2: division by 0");
    check(&f, call(&f, ZW_OP_LOG, f.x), -1, 0, "log(x): log(-1)");
    check(&f, call(&f, ZW_OP_LOG, f.x), 0, 0, "log(x): log(0)");
    check(&f, zw_mul(c, f.y, call(&f, ZW_OP_EXP, f.x)), 1000, 1, "exp(x): exp(1000) overflows");
    check(&f, call(&f, ZW_OP_ASIN, zw_add(c, f.x, f.y)), 1, 1, "asin(x + y): asin(2)");
    check(&f, zw_mul(c, f.x, f.y), 1e200, 1e200, "x*y: 1e+200*1e+200 overflows");
    check(&f, zw_add(c, f.x, f.y), 1.5e308, 1.5e308, "x + y: 1.5e+308 + 1.5e+308 overflows");
    check(&f, zw_pow(c, f.x, f.y), -2, 0.3, "x^y: (-2)^0.3");
    check(&f, zw_mul(c, f.x, f.y), NAN, 1, "x = nan");
    assert_int_equal(zw_context_status(c, NULL), ZW_OK);
    zw_context_destroy(c);
}

/* the branch that is not taken is nobody's fault */
static void test_culprit__follows_the_branch_taken(void **state) {
    (void)state;
    fixture f = begin();
    zw_context *c = f.ctx;
    zw_expr positive = zw_apply(c, ZW_OP_LT, 2, (zw_expr[]){ZW_ZERO, f.x});
    zw_expr e = zw_cond(c, positive, call(&f, ZW_OP_LOG, f.y), zw_sqrt(c, f.x));
    check(&f, e, 1, -3, "log(y): log(-3)");
    check(&f, e, -1, -3, "sqrt(x): sqrt(-1)");
    zw_nonfinite_part none;
    zw_expr guarded = zw_cond(c, positive, zw_sqrt(c, f.x), ZW_ZERO);
    assert_false(zw_find_nonfinite_part(c, guarded, 2, f.symbol, (double[]){-1, 0}, &none));
    zw_context_destroy(c);
}

/* 10^5 nodes one above the other, each of them used twice: nothing recurses, nothing is printed
 * whole */
static void test_culprit__of_a_deep_graph(void **state) {
    (void)state;
    fixture f = begin();
    zw_context *c = f.ctx;
    zw_expr e = zw_sin(c, zw_div(c, ZW_ONE, f.x));
    double value = sin(1.0);
    for (int i = 0; i < 50000; i++) {
        e = zw_sin(c, zw_add(c, zw_mul(c, e, e), f.y));
        value = sin(value * value + 1.0);
    }
    assert_int_equal(zw_context_status(c, NULL), ZW_OK);
    assert_true(zw_context_node_count(c) > 100000);
    check(&f, e, 0, 1, "1/x: division by 0");
    char want[80];
    snprintf(want, sizeof want, "acosh(...): acosh(%.6g)", value);
    check(&f, call(&f, ZW_OP_ACOSH, e), 1, 1, want);
    zw_context_destroy(c);
}

/* y^2 (x - y) at x = 2, y = 5: -75, its size 25*(2 + 5) = 175; x^2 + 3 y^2 (x - y) = -221, its
 * summands 4 + 225. */
static void test_size__counts_summands_without_signs(void **state) {
    (void)state;
    fixture f = begin();
    zw_context *c = f.ctx;
    zw_expr e[2] = {zw_mul(c, zw_mul(c, f.y, f.y), zw_sub(c, f.x, f.y))};
    e[1] = zw_add(c, zw_mul(c, f.x, f.x), zw_mul(c, zw_integer(c, 3), e[0]));
    zw_sized is[2];
    zw_eval_sizes(c, 2, e, 2, f.symbol, (double[]){2, 5}, is);
    assert_true(is[0].value == -75 && is[0].size == 175);
    assert_true(is[1].value == -221 && is[1].size == 229);
    zw_context_destroy(c);
}

/* e_i = e_{i-1} (1 - e_{i-1})/2 is -1 for e_0 = -1, and its size s_i = s_{i-1} (1 + s_{i-1})/2 is
 * 1; it has 2^100 paths. */
static void test_size__visits_shared_parts_once(void **state) {
    (void)state;
    fixture f = begin();
    zw_context *c = f.ctx;
    zw_expr e = f.x;
    for (int i = 0; i < 100; i++)
        e = zw_mul(c, zw_rational(c, 1, 2), zw_mul(c, e, zw_sub(c, ZW_ONE, e)));
    zw_sized is;
    zw_eval_sizes(c, 1, &e, 2, f.symbol, (double[]){-1, 0}, &is);
    assert_true(is.value == -1 && is.size == 1);
    zw_context_destroy(c);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_culprit__is_the_smallest_part),
        cmocka_unit_test(test_culprit__follows_the_branch_taken),
        cmocka_unit_test(test_culprit__of_a_deep_graph),
        cmocka_unit_test(test_size__counts_summands_without_signs),
        cmocka_unit_test(test_size__visits_shared_parts_once),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
