/* SPDX-License-Identifier: MIT */
#include "zwang/expr.h"

#include "support/random_tree.h"

static zw_context *ctx;
static zw_expr symbols[TREE_SYMBOLS], small[TREE_SYMBOLS];

static int setup(void **state) {
    (void)state;
    ctx = zw_context_create(NULL);
    const char *names[] = {"x", "y", "z", "w"}, *about[] = {"dx", "dy", "dz", "dw"};
    for (int i = 0; i < TREE_SYMBOLS; i++) {
        symbols[i] = zw_symbol(ctx, names[i]);
        small[i] = zw_symbol(ctx, about[i]);
    }
    return ctx ? 0 : 1;
}

static int teardown(void **state) {
    (void)state;
    zw_context_destroy(ctx);
    return 0;
}

static void assert_prints(zw_expr e, const char *expected) {
    char *text = zw_print(ctx, e, ZW_TEXT);
    assert_string_equal(text, expected);
    zw_string_free(ctx, text);
}

/* against repeated derivatives along the direction of the small quantities, at points with exact
 * numbers */
static void test_taylor__is_repeated_derivatives(void **state) {
    (void)state;
    static forest f;
    f.random.state = 11;
    int compared = 0;
    for (int k = 0; k < 600; k++) {
        f.count = 0;
        f.smooth = k % 3 != 0;
        tree *t = tree_random(&f, 2 + k % 3);
        zw_expr e = tree_build(ctx, t, symbols), at[TREE_SYMBOLS], parts[4], d = e;
        zw_context_reset_status(ctx);
        if (!e)
            continue;
        double point[2 * TREE_SYMBOLS], factorial = 1;
        zw_expr all[2 * TREE_SYMBOLS];
        for (int i = 0; i < TREE_SYMBOLS; i++) {
            int64_t p = 1 + test_random_int(&f.random, 9);
            at[i] = zw_rational(ctx, p, 7);
            point[i] = (double)p / 7;
            point[TREE_SYMBOLS + i] = test_random_real(&f.random, -1, 1);
            all[i] = symbols[i];
            all[TREE_SYMBOLS + i] = small[i];
        }
        if (!isfinite(tree_value(t, point)) || tree_scale(t, point) > 50 ||
            zw_taylor(ctx, 1, &e, TREE_SYMBOLS, symbols, at, small, 3, parts, NULL) < 0)
            continue;
        for (int i = 0; i <= 3; i++) {
            double want = zw_eval(ctx, d, 2 * TREE_SYMBOLS, all, point) / factorial,
                   got = zw_eval(ctx, parts[i], 2 * TREE_SYMBOLS, all, point);
            if (!isfinite(want) || fabs(want) > 1e4)
                break;
            assert_close(got, want, 1e-9);
            assert_int_equal(zw_foreign_symbol(ctx, parts[i], TREE_SYMBOLS, small), 0);
            compared++;
            d = zw_along(ctx, d, TREE_SYMBOLS, symbols, small);
            factorial *= i + 1;
        }
    }
    assert_true(compared > 1500);
}

static void test_taylor__keeps_symbols_of_the_point(void **state) {
    (void)state;
    zw_expr a = zw_symbol(ctx, "a"), x = symbols[0], dx = small[0], zero = ZW_ZERO;
    zw_expr e = zw_mul(ctx, a, zw_sin(ctx, x)), parts[4];
    assert_int_equal(zw_taylor(ctx, 1, &e, 1, &x, &a, &dx, 1, parts, NULL), ZW_OK);
    assert_int_equal(parts[0], zw_mul(ctx, a, zw_sin(ctx, a)));
    assert_int_equal(parts[1], zw_product(ctx, 3, (zw_expr[]){a, zw_cos(ctx, a), dx}));
    /* nothing small: the point alone is put in */
    assert_int_equal(zw_taylor(ctx, 1, &e, 1, &x, &a, &zero, 1, parts, NULL), ZW_OK);
    assert_int_equal(parts[1], ZW_ZERO);
    zw_expr quarter = zw_mul(ctx, ZW_HALF, ZW_PI);
    assert_prints(zw_truncated(ctx, zw_cos(ctx, x), 1, &x, &quarter, &dx, 3, NULL),
                  "1/6*dx^3 - dx");
}

static void test_taylor__whole_powers_and_angles(void **state) {
    (void)state;
    zw_expr x = symbols[0], y = symbols[1], at[] = {ZW_ZERO, ZW_ONE},
            high = zw_pow(ctx, x, zw_integer(ctx, 1000000000)), parts[6];
    assert_int_equal(zw_taylor(ctx, 1, &high, 2, symbols, at, small, 5, parts, NULL), ZW_OK);
    for (int i = 0; i <= 5; i++)
        assert_int_equal(parts[i], ZW_ZERO);
    /* x/y - x^3/3 ... of atan2(x, y) at (0, 1) along (dx, 0) */
    zw_expr angle = zw_apply(ctx, ZW_OP_ATAN2, 2, (zw_expr[]){x, y}), only[] = {small[0], ZW_ZERO};
    assert_prints(zw_truncated(ctx, angle, 2, symbols, at, only, 5, NULL),
                  "1/5*dx^5 - 1/3*dx^3 + dx");
    zw_expr power = zw_pow(ctx, ZW_TWO, x);
    assert_int_equal(zw_taylor(ctx, 1, &power, 2, symbols, at, only, 1, parts, NULL), ZW_OK);
    assert_close(zw_eval(ctx, parts[1], 1, small, (double[]){1}), log(2), 1e-15);
}

static void assert_refused(zw_expr e, zw_expr at, const char *part) {
    zw_error err = {0};
    zw_expr out[4];
    assert_int_equal(zw_taylor(ctx, 1, &e, 1, symbols, &at, small, 3, out, &err), ZW_E_DOMAIN);
    assert_non_null(strstr(err.text, part));
    assert_int_equal(zw_context_status(ctx, NULL), ZW_OK);
}

static void test_taylor__refuses_what_has_none(void **state) {
    (void)state;
    zw_expr x = symbols[0], a = zw_symbol(ctx, "a"), square = zw_pow(ctx, x, ZW_TWO);
    assert_refused(zw_div(ctx, a, x), ZW_ZERO, "1/x has no Taylor series there: a quotient by 0");
    assert_refused(zw_sqrt(ctx, zw_mul(ctx, a, square)), ZW_ZERO, "a root of what vanishes");
    assert_refused(zw_apply(ctx, ZW_OP_ABS, 1, &x), ZW_ZERO, "abs(x) has no Taylor series there");
    assert_refused(zw_apply(ctx, ZW_OP_MAX, 2, (zw_expr[]){x, a}), a, "it switches");
    assert_refused(zw_apply(ctx, ZW_OP_LOG, 1, &x), ZW_ZERO, "the logarithm of 0");
    assert_refused(zw_apply(ctx, ZW_OP_ASIN, 1, &x), ZW_ONE, "asin(x)");
    zw_expr below = zw_apply(ctx, ZW_OP_LT, 2, (zw_expr[]){x, ZW_ZERO});
    assert_refused(zw_cond(ctx, below, x, square), ZW_ZERO, "it switches");
    /* (x + a)^2 - x^2 - 2 a x - a^2 is 0 by multiplying out */
    zw_expr hidden = zw_sub(ctx, zw_pow(ctx, zw_add(ctx, x, a), ZW_TWO),
                            zw_add(ctx, square, zw_pow(ctx, a, ZW_TWO)));
    assert_refused(zw_div(ctx, x, hidden), ZW_ZERO, "a quotient by 0");
}

/* the side of a condition that is not taken may be anything */
static void test_taylor__takes_the_side_of_a_condition(void **state) {
    (void)state;
    zw_expr x = symbols[0], minus = zw_neg(ctx, x),
            root = zw_pow(ctx, minus, zw_rational(ctx, 3, 2)),
            below = zw_apply(ctx, ZW_OP_LT, 2, (zw_expr[]){x, ZW_ZERO}),
            e = zw_cond(ctx, below, root, zw_pow(ctx, x, ZW_TWO)), one = ZW_ONE;
    assert_prints(zw_truncated(ctx, e, 1, symbols, &one, small, 3, NULL), "dx^2 + 2*dx + 1");
}

static void test_taylor__coefficients(void **state) {
    (void)state;
    zw_expr a = zw_symbol(ctx, "a"), dx = small[0], dy = small[1];
    zw_expr p = zw_mul(ctx, a, zw_pow(ctx, zw_add(ctx, dx, dy), zw_integer(ctx, 3)));
    assert_int_equal(zw_taylor_coefficient(ctx, p, 2, small, (int[]){2, 1}),
                     zw_mul(ctx, zw_integer(ctx, 3), a));
    assert_int_equal(zw_taylor_coefficient(ctx, p, 2, small, (int[]){1, 0}), ZW_ZERO);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(test_taylor__is_repeated_derivatives, setup, teardown),
        cmocka_unit_test_setup_teardown(test_taylor__keeps_symbols_of_the_point, setup, teardown),
        cmocka_unit_test_setup_teardown(test_taylor__whole_powers_and_angles, setup, teardown),
        cmocka_unit_test_setup_teardown(test_taylor__refuses_what_has_none, setup, teardown),
        cmocka_unit_test_setup_teardown(test_taylor__takes_the_side_of_a_condition, setup,
                                        teardown),
        cmocka_unit_test_setup_teardown(test_taylor__coefficients, setup, teardown),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
