/* SPDX-License-Identifier: MIT */
#include "expr/calculus/ratio.h"

#include "support/random_tree.h"

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

/* the same values, and the same expression again from what it has become */
static void test_ratio__keeps_values(void **state) {
    (void)state;
    static forest f;
    f.random.state = 5;
    int compared = 0;
    for (int k = 0; k < 800; k++) {
        f.count = 0;
        f.smooth = true;
        tree *t = tree_random(&f, 2 + k % 3);
        zw_expr e = tree_build(ctx, t, symbols), num, den;
        zw_context_reset_status(ctx);
        if (!e || !zw_ratio_parts(ctx, e, &num, &den))
            continue;
        zw_expr ratio = zw_ratio(ctx, e), product = zw_factored(ctx, e);
        assert_int_equal(zw_context_status(ctx, NULL), ZW_OK);
        assert_true(ratio && product);
        double at[TREE_SYMBOLS];
        for (int i = 0; i < TREE_SYMBOLS; i++)
            at[i] = test_random_real(&f.random, 0.2, 1.2);
        if (!isfinite(tree_value(t, at)) || tree_scale(t, at) > 20)
            continue;
        double want = tree_value(t, at);
        assert_close(zw_eval(ctx, ratio, TREE_SYMBOLS, symbols, at), want, 1e-6);
        assert_close(zw_eval(ctx, product, TREE_SYMBOLS, symbols, at), want, 1e-6);
        assert_true(zw_ratio_is_zero(ctx, zw_sub(ctx, e, ratio)));
        assert_true(zw_ratio_is_zero(ctx, zw_sub(ctx, product, ratio)));
        compared++;
    }
    assert_true(compared > 400);
}

/* a random polynomial of few terms in three symbols */
static zw_expr random_polynomial(test_random *r, int terms) {
    zw_expr sum = ZW_ZERO;
    for (int i = 0; i < terms; i++) {
        zw_expr term = zw_integer(ctx, test_random_int(r, 9) - 4);
        for (int v = 0; v < 3; v++)
            term =
                zw_mul(ctx, term, zw_pow(ctx, symbols[v], zw_integer(ctx, test_random_int(r, 3))));
        sum = zw_add(ctx, sum, term);
    }
    return sum;
}

static void test_ratio__cancels_common_factors(void **state) {
    (void)state;
    test_random r = {9};
    for (int k = 0; k < 60; k++) {
        zw_expr a = random_polynomial(&r, 3), b = random_polynomial(&r, 3),
                g = random_polynomial(&r, 4), num, den, num_2, den_2;
        if (a == ZW_ZERO || b == ZW_ZERO || g == ZW_ZERO)
            continue;
        zw_expr hidden =
            zw_div(ctx, zw_expand(ctx, zw_mul(ctx, a, g)), zw_expand(ctx, zw_mul(ctx, b, g)));
        assert_true(zw_ratio_parts(ctx, hidden, &num, &den));
        assert_true(zw_ratio_parts(ctx, zw_div(ctx, a, b), &num_2, &den_2));
        /* up to the sign of both */
        if (num != num_2) {
            num = zw_neg(ctx, num);
            den = zw_neg(ctx, den);
        }
        assert_int_equal(num, num_2);
        assert_int_equal(den, den_2);
    }
}

static void test_ratio__knows_circular_functions_and_roots(void **state) {
    (void)state;
    zw_expr x = symbols[0], y = symbols[1], s = zw_sin(ctx, x), c = zw_cos(ctx, x);
    zw_expr fourth = zw_integer(ctx, 4);
    /* sin^4 - cos^4 = sin^2 - cos^2 */
    zw_expr e = zw_sub(ctx, zw_pow(ctx, s, fourth), zw_pow(ctx, c, fourth));
    zw_expr f = zw_sub(ctx, zw_pow(ctx, s, ZW_TWO), zw_pow(ctx, c, ZW_TWO));
    assert_true(zw_ratio_is_zero(ctx, zw_sub(ctx, e, f)));
    assert_false(zw_ratio_is_zero(ctx, zw_sub(ctx, e, zw_mul(ctx, ZW_TWO, f))));
    /* (x - y)/(sqrt(x) - sqrt(y)) = sqrt(x) + sqrt(y) */
    zw_expr rx = zw_sqrt(ctx, x), ry = zw_sqrt(ctx, y);
    zw_expr quotient = zw_div(ctx, zw_sub(ctx, x, y), zw_sub(ctx, rx, ry));
    assert_true(zw_ratio_is_zero(
        ctx, zw_sub(ctx, zw_mul(ctx, quotient, zw_sub(ctx, rx, ry)), zw_sub(ctx, x, y))));
}

static void test_factored__finds_factors(void **state) {
    (void)state;
    zw_expr x = symbols[0], y = symbols[1], z = symbols[2], number;
    zw_factor part[8];
    int n;
    /* 6 x (x y - z)^2 (x - y)/(z + 1) */
    zw_expr a = zw_sub(ctx, zw_mul(ctx, x, y), z), b = zw_sub(ctx, x, y);
    zw_expr e = zw_expand(ctx, zw_product(ctx, 5, (zw_expr[]){zw_integer(ctx, 6), x, a, a, b}));
    e = zw_div(ctx, e, zw_add(ctx, z, ZW_ONE));
    assert_true(zw_ratio_factors(ctx, e, &number, 8, part, &n));
    assert_int_equal(n, 4);
    int powers = 0;
    for (int i = 0; i < n; i++) {
        powers += part[i].power;
        assert_true(part[i].base == x || part[i].base == a || part[i].base == zw_neg(ctx, a) ||
                    part[i].base == b || part[i].base == zw_neg(ctx, b) || part[i].power == -1);
    }
    assert_int_equal(powers, 3);
    /* x^2 + x y - 2 y^2 = (x - y)(x + 2 y) */
    e = zw_add(ctx, zw_pow(ctx, x, ZW_TWO), zw_mul(ctx, y, zw_sub(ctx, x, zw_mul(ctx, ZW_TWO, y))));
    assert_true(zw_ratio_factors(ctx, e, &number, 8, part, &n));
    assert_int_equal(n, 2);
    /* x^2 + y^2 has none */
    e = zw_add(ctx, zw_pow(ctx, x, ZW_TWO), zw_pow(ctx, y, ZW_TWO));
    assert_true(zw_ratio_factors(ctx, e, &number, 8, part, &n));
    assert_int_equal(n, 1);
}

/* x^2 is abs(x)^2 where abs(x) occurs, and (x^2)^(-1/2) is its inverse; sin(acos(x)) is a root */
static void test_ratio__knows_sizes_and_inverse_functions(void **state) {
    (void)state;
    zw_expr x = symbols[0], y = symbols[1], size = zw_apply(ctx, ZW_OP_ABS, 1, &x), number;
    zw_expr square = zw_pow(ctx, x, ZW_TWO), sum = zw_add(ctx, y, size);
    assert_int_equal(zw_pow(ctx, square, zw_rational(ctx, -1, 2)), zw_pow(ctx, size, ZW_MINUS_ONE));
    assert_int_equal(zw_pow(ctx, square, zw_rational(ctx, 3, 2)),
                     zw_pow(ctx, size, zw_integer(ctx, 3)));
    /* y^2 + 2 y abs(x) + x^2 = (y + abs(x))^2 */
    zw_expr e = zw_add(ctx, square, zw_mul(ctx, y, zw_add(ctx, sum, size)));
    zw_factor part[4];
    int n;
    assert_true(zw_ratio_factors(ctx, e, &number, 4, part, &n));
    assert_int_equal(n, 1);
    assert_int_equal(part[0].base, sum);
    assert_int_equal(part[0].power, 2);
    zw_expr u = zw_div(ctx, x, y), angle = zw_apply(ctx, ZW_OP_ACOS, 1, &u),
            sine = zw_sin(ctx, angle);
    assert_true(zw_ratio_is_zero(ctx, zw_sub(ctx, zw_cos(ctx, angle), u)));
    zw_expr unit = zw_add(ctx, zw_pow(ctx, sine, ZW_TWO), zw_pow(ctx, u, ZW_TWO));
    assert_true(zw_ratio_is_zero(ctx, zw_sub(ctx, unit, ZW_ONE)));
    zw_expr at[] = {zw_rational(ctx, 3, 5), ZW_ONE};
    assert_close(zw_eval(ctx, zw_ratio(ctx, sine), 2, symbols, (double[]){0.6, -1}), 0.8, 1e-15);
    assert_close(zw_expr_number(ctx, zw_subst(ctx, zw_ratio(ctx, sine), 2, symbols, at)), 0.8,
                 1e-15);
}

/* more terms than it takes: it says so and ends */
static void test_ratio__gives_up(void **state) {
    (void)state;
    zw_expr sum = ZW_ONE, num, den;
    for (int i = 0; i < 12; i++) {
        char name[8];
        snprintf(name, sizeof name, "p%d", i);
        sum = zw_add(ctx, sum, zw_symbol(ctx, name));
    }
    zw_expr e = zw_pow(ctx, sum, zw_integer(ctx, 20));
    assert_false(zw_ratio_parts(ctx, e, &num, &den));
    assert_int_equal(zw_ratio(ctx, e), e);
    assert_int_equal(zw_factored(ctx, e), e);
    assert_int_equal(zw_context_status(ctx, NULL), ZW_OK);
}

/* ((n-1) x + n)/(n x + n + 1): both have determinant (n-1)(n+1) - n^2 = -1, so that nothing
 * cancels; its square is beyond 64 bits from n = 3037000500 on. */
static void test_ratio__overflow_is_no_zero(void **state) {
    (void)state;
    for (int64_t n = 3037000490; n < 3037000520; n++) {
        zw_expr x = symbols[0],
                top = zw_add(ctx, zw_mul(ctx, zw_integer(ctx, n - 1), x), zw_integer(ctx, n)),
                bottom = zw_add(ctx, zw_mul(ctx, zw_integer(ctx, n), x), zw_integer(ctx, n + 1));
        zw_expr e = zw_div(ctx, top, bottom);
        assert_true(zw_depends(ctx, zw_ratio(ctx, e), x));
        assert_false(zw_ratio_is_zero(ctx, zw_sub(ctx, e, ZW_ONE)));
        /* its derivative is -1/(n x + n + 1)^2, not 0 */
        assert_false(zw_ratio_is_zero(ctx, zw_diff(ctx, e, x)));
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(test_ratio__keeps_values, setup, teardown),
        cmocka_unit_test_setup_teardown(test_ratio__overflow_is_no_zero, setup, teardown),
        cmocka_unit_test_setup_teardown(test_ratio__cancels_common_factors, setup, teardown),
        cmocka_unit_test_setup_teardown(test_ratio__knows_circular_functions_and_roots, setup,
                                        teardown),
        cmocka_unit_test_setup_teardown(test_factored__finds_factors, setup, teardown),
        cmocka_unit_test_setup_teardown(test_ratio__knows_sizes_and_inverse_functions, setup,
                                        teardown),
        cmocka_unit_test_setup_teardown(test_ratio__gives_up, setup, teardown),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
