/* SPDX-License-Identifier: MIT */
#include "expr/core/number.h"
#include "support/random_tree.h"

static zw_context *ctx;
static zw_expr x, y, z, w;

static int setup(void **state) {
    (void)state;
    ctx = zw_context_create(NULL);
    x = zw_symbol(ctx, "x");
    y = zw_symbol(ctx, "y");
    z = zw_symbol(ctx, "z");
    w = zw_symbol(ctx, "w");
    return ctx ? 0 : 1;
}

static int teardown(void **state) {
    (void)state;
    zw_context_destroy(ctx);
    return 0;
}

static zw_expr square(zw_expr e) {
    return zw_pow(ctx, e, ZW_TWO);
}

static void test_fold__equal_expressions_are_one_node(void **state) {
    (void)state;
    assert_int_equal(zw_add(ctx, x, y), zw_add(ctx, y, x));
    assert_int_equal(zw_mul(ctx, zw_mul(ctx, x, y), z), zw_mul(ctx, x, zw_mul(ctx, z, y)));
    assert_int_equal(zw_sub(ctx, zw_add(ctx, x, y), y), x);
    assert_int_equal(zw_div(ctx, zw_mul(ctx, x, y), y), x);
    assert_int_equal(zw_mul(ctx, zw_sqrt(ctx, x), zw_sqrt(ctx, x)), x);
    assert_int_equal(zw_add(ctx, x, x), zw_mul(ctx, ZW_TWO, x));
    assert_int_equal(zw_mul(ctx, x, ZW_ZERO), ZW_ZERO);
    assert_int_equal(zw_pow(ctx, zw_pow(ctx, x, ZW_TWO), zw_integer(ctx, 3)),
                     zw_pow(ctx, x, zw_integer(ctx, 6)));
    assert_int_equal(zw_sqrt(ctx, square(x)), zw_apply(ctx, ZW_OP_ABS, 1, &x));
    /* content: x (2y + 2z) = 2 x (y + z), (y - z)^2 = (z - y)^2 */
    zw_expr two_sum = zw_add(ctx, zw_mul(ctx, ZW_TWO, y), zw_mul(ctx, ZW_TWO, z));
    assert_int_equal(zw_mul(ctx, x, two_sum),
                     zw_mul(ctx, ZW_TWO, zw_mul(ctx, x, zw_add(ctx, y, z))));
    assert_int_equal(square(zw_sub(ctx, y, z)), square(zw_sub(ctx, z, y)));
}

static void test_fold__numbers_are_exact(void **state) {
    (void)state;
    zw_expr third = zw_rational(ctx, 1, 3), sum = ZW_ZERO;
    for (int i = 0; i < 3; i++)
        sum = zw_add(ctx, sum, third);
    assert_int_equal(sum, ZW_ONE);
    assert_int_equal(zw_rational(ctx, 6, -4), zw_rational(ctx, -3, 2));
    assert_int_equal(zw_sqrt(ctx, zw_rational(ctx, 9, 4)), zw_rational(ctx, 3, 2));
    assert_int_equal(zw_pow(ctx, ZW_TWO, zw_integer(ctx, -3)), zw_rational(ctx, 1, 8));
    assert_int_equal(square(zw_sqrt(ctx, ZW_TWO)), ZW_TWO);
    /* beyond 64 bits the nearest double takes over */
    zw_expr big = zw_pow(ctx, zw_integer(ctx, 10), zw_integer(ctx, 30));
    assert_int_equal(zw_expr_op(ctx, big), ZW_OP_REAL);
    assert_close(zw_expr_number(ctx, big) / 1e30, 1.0, 1e-15);
}

/* p u - q v = 1 (consecutive convergents of a continued fraction) with products beyond 64 bits: 1,
 * or not exact; never an exact 0, not in sums of expressions either. What is made of a double stays
 * one. */
static void test_number__overflow_is_for_good(void **state) {
    (void)state;
    test_random r = {3};
    int lost = 0;
    for (int k = 0; k < 2000; k++) {
        int64_t p = 1, q = 0, u = 1, v = 0;
        int bits = 25 + k % 36;
        while (p < (int64_t)1 << bits) {
            int64_t m = 1 + test_random_int(&r, 5), p_new = m * p + q, v_new = m * v + u;
            q = p;
            p = p_new;
            u = v;
            v = v_new;
        }
        zw_number P = zw_number_rational(p, 1), Q = zw_number_rational(q, 1),
                  U = zw_number_rational(u, 1), V = zw_number_rational(v, 1);
        zw_number one = zw_number_add(zw_number_mul(P, U), zw_number_neg(zw_number_mul(Q, V)));
        assert_true(!one.exact || (one.q == 1 && (one.p == 1 || one.p == -1)));
        assert_false(zw_number_is_zero(one));
        lost += !one.exact;
        zw_expr a = zw_mul(ctx, zw_integer(ctx, p), zw_mul(ctx, zw_integer(ctx, u), x)),
                b = zw_mul(ctx, zw_integer(ctx, q), zw_mul(ctx, zw_integer(ctx, v), x));
        assert_true(zw_sub(ctx, a, b) != ZW_ZERO);
    }
    assert_true(lost > 200 && lost < 1900);
    zw_number huge = zw_number_mul(zw_number_rational(INT64_MAX, 1), zw_number_rational(6, 1)),
              small = zw_number_mul(huge, zw_number_inverse(huge));
    assert_true(!small.exact && zw_number_value(small) == 1);
    assert_true(zw_number_is_zero(zw_number_mul(huge, zw_number_rational(0, 1))));
    assert_true(zw_number_is_zero(zw_number_add(huge, zw_number_neg(huge)))); /* the same one */
    zw_number other =
        zw_number_mul(zw_number_rational(INT64_MAX / 7 * 6, 1), zw_number_rational(7, 1));
    assert_true(zw_number_value(huge) == zw_number_value(other)); /* to the digits of a double */
    assert_false(zw_number_is_zero(zw_number_add(huge, zw_number_neg(other))));
    zw_expr c = zw_real(ctx, 0.12345678901234567890);
    assert_int_equal(zw_sub(ctx, zw_mul(ctx, c, x), zw_mul(ctx, x, c)), ZW_ZERO);
    assert_true(zw_number_real(3).exact);
}

static void test_fold__squares_of_sine_and_cosine(void **state) {
    (void)state;
    zw_expr s = zw_sin(ctx, x), c = zw_cos(ctx, x);
    assert_int_equal(zw_add(ctx, square(s), square(c)), ZW_ONE);
    assert_int_equal(zw_sub(ctx, ZW_ONE, square(s)), square(c));
    assert_int_equal(zw_sub(ctx, ZW_ONE, square(c)), square(s));
    zw_expr m = zw_mul(ctx, y, z);
    assert_int_equal(zw_add(ctx, zw_mul(ctx, m, square(s)), zw_mul(ctx, m, square(c))), m);
    zw_expr sum = zw_add(ctx, y, z);
    assert_int_equal(zw_add(ctx, zw_mul(ctx, sum, square(s)), zw_mul(ctx, sum, square(c))), sum);
    zw_expr sh = zw_apply(ctx, ZW_OP_SINH, 1, &x), ch = zw_apply(ctx, ZW_OP_COSH, 1, &x);
    assert_int_equal(zw_sub(ctx, square(ch), square(sh)), ZW_ONE);
    assert_int_equal(zw_add(ctx, ZW_ONE, square(sh)), square(ch));
    /* sin^4 + sin^2 cos^2 = sin^2 */
    assert_int_equal(zw_add(ctx, square(square(s)), zw_mul(ctx, square(s), square(c))), square(s));
}

/* sum of k R_k sin(u_k)^2 + k R_k cos(u_k)^2: with n^2 work this would take a minute */
static void test_fold__many_pairs_of_squares(void **state) {
    (void)state;
    enum { PAIRS = 20000 };
    zw_expr *term = test_calloc(2 * PAIRS, sizeof *term);
    for (int k = 0; k < PAIRS; k++) {
        zw_expr number = zw_integer(ctx, k + 1), u = zw_mul(ctx, number, x),
                factor = k % 2 ? zw_mul(ctx, number, y) : number;
        term[k] = zw_mul(ctx, factor, square(zw_sin(ctx, u)));
        term[2 * PAIRS - 1 - k] = zw_mul(ctx, factor, square(zw_cos(ctx, u)));
    }
    int64_t half = PAIRS / 2;
    assert_int_equal(zw_sum(ctx, 2 * PAIRS, term),
                     zw_add(ctx, zw_integer(ctx, half * half),
                            zw_mul(ctx, zw_integer(ctx, half * (half + 1)), y)));
    test_free(term);
}

/* what one pair leaves makes the next pair possible, as deep as products are */
static void test_fold__pairs_of_squares_in_chains(void **state) {
    (void)state;
    zw_expr sx = square(zw_sin(ctx, x)), cx = square(zw_cos(ctx, x)), sy = square(zw_sin(ctx, y)),
            cy = square(zw_cos(ctx, y)), sz = square(zw_sin(ctx, z)), cz = square(zw_cos(ctx, z));
    const zw_expr term[] = {zw_mul(ctx, zw_mul(ctx, sx, sy), sz),
                            zw_mul(ctx, zw_mul(ctx, sx, sy), cz), zw_mul(ctx, sx, cy), cx};
    assert_int_equal(zw_sum(ctx, 4, term), ZW_ONE);
    const zw_expr minus[] = {ZW_MINUS_ONE, cx, zw_mul(ctx, sx, sy)};
    assert_int_equal(zw_sum(ctx, 3, minus), zw_neg(ctx, zw_mul(ctx, sx, cy)));
}

static void test_fold__functions_at_special_points(void **state) {
    (void)state;
    assert_int_equal(zw_sin(ctx, ZW_PI), ZW_ZERO);
    assert_int_equal(zw_cos(ctx, ZW_PI), ZW_MINUS_ONE);
    assert_int_equal(zw_sin(ctx, zw_div(ctx, ZW_PI, zw_integer(ctx, 6))), ZW_HALF);
    assert_int_equal(zw_cos(ctx, zw_div(ctx, ZW_PI, zw_integer(ctx, 3))), ZW_HALF);
    zw_expr quarter = zw_div(ctx, ZW_PI, ZW_TWO);
    assert_int_equal(zw_sin(ctx, zw_add(ctx, x, quarter)), zw_cos(ctx, x));
    assert_int_equal(zw_cos(ctx, zw_sub(ctx, x, quarter)), zw_sin(ctx, x));
    assert_int_equal(zw_sin(ctx, zw_sub(ctx, x, zw_mul(ctx, zw_integer(ctx, 3), ZW_PI))),
                     zw_neg(ctx, zw_sin(ctx, x)));
    assert_int_equal(zw_sin(ctx, zw_neg(ctx, x)), zw_neg(ctx, zw_sin(ctx, x)));
    assert_int_equal(zw_cos(ctx, zw_sub(ctx, x, y)), zw_cos(ctx, zw_sub(ctx, y, x)));
    assert_int_equal(zw_apply(ctx, ZW_OP_EXP, 1, (zw_expr[]){ZW_ZERO}), ZW_ONE);
    assert_int_equal(zw_cond(ctx, zw_apply(ctx, ZW_OP_LT, 2, (zw_expr[]){ZW_ONE, ZW_TWO}), x, y),
                     x);
}

static void test_fold__failure_is_sticky(void **state) {
    (void)state;
    zw_error err = {0};
    assert_int_equal(zw_div(ctx, x, ZW_ZERO), ZW_NULL);
    assert_int_equal(zw_add(ctx, ZW_NULL, x), ZW_NULL);
    assert_int_equal(zw_context_status(ctx, &err), ZW_E_DOMAIN);
    assert_string_equal(err.text, "division by zero");
    zw_context_reset_status(ctx);
    assert_int_equal(zw_context_status(ctx, NULL), ZW_OK);
    assert_int_equal(zw_pow(ctx, zw_integer(ctx, -2), ZW_HALF), ZW_NULL);
    zw_context_reset_status(ctx);
}

/* thousands of random trees: the folded node has the value of the plain tree */
static void test_fold__keeps_the_value(void **state) {
    (void)state;
    static forest f;
    f.random.state = 20;
    zw_expr symbols[TREE_SYMBOLS] = {x, y, z, w};
    int compared = 0;
    for (int k = 0; k < 6000; k++) {
        f.count = 0;
        tree *t = tree_random(&f, 2 + k % 5);
        zw_expr e = tree_build(ctx, t, symbols);
        if (!e) { /* 0 to a negative power, folded to a refusal */
            zw_context_reset_status(ctx);
            continue;
        }
        for (int j = 0; j < 3; j++) {
            double at[TREE_SYMBOLS];
            for (int i = 0; i < TREE_SYMBOLS; i++)
                at[i] = test_random_real(&f.random, -1.5, 1.5);
            double want = tree_value(t, at), scale = tree_scale(t, at);
            if (!isfinite(want) || scale > 1e6)
                continue;
            double have = zw_eval(ctx, e, TREE_SYMBOLS, symbols, at);
            if (fabs(have - want) > 1e-9 * fmax(1, scale)) {
                /* a comparison may flip on a tie that round-off decides: that is not an error if
                 * the value jumps there; look at a neighbouring point instead */
                at[0] += 1e-7;
                want = tree_value(t, at);
                have = zw_eval(ctx, e, TREE_SYMBOLS, symbols, at);
            }
            if (fabs(have - want) > 1e-9 * fmax(1, scale)) {
                char *text = zw_print(ctx, e, ZW_TEXT);
                print_error("tree %d: %.17g instead of %.17g: %s\n", k, have, want, text);
                fail();
            }
            compared++;
        }
    }
    assert_true(compared > 10000);
}

/* building a node again from its own parts gives the node */
static void test_fold__is_idempotent(void **state) {
    (void)state;
    static forest f;
    f.random.state = 7;
    zw_expr symbols[TREE_SYMBOLS] = {x, y, z, w};
    for (int k = 0; k < 4000; k++) {
        f.count = 0;
        zw_expr e = tree_build(ctx, tree_random(&f, 2 + k % 5), symbols);
        zw_context_reset_status(ctx);
        if (!e)
            continue;
        int n;
        const zw_expr *args = zw_expr_args(ctx, e, &n);
        zw_expr again = e;
        if (zw_expr_op(ctx, e) == ZW_OP_SUM) {
            /* from the last term to the first */
            again = ZW_ZERO;
            for (int i = n - 2; i >= 1; i -= 2)
                again = zw_add(ctx, again, zw_mul(ctx, args[i], args[i + 1]));
            again = zw_add(ctx, again, args[0]);
        } else if (zw_expr_op(ctx, e) == ZW_OP_PRODUCT) {
            again = ZW_ONE;
            for (int i = n - 2; i >= 0; i -= 2)
                again = zw_mul(ctx, again, zw_pow(ctx, args[i], args[i + 1]));
        } else if (n) {
            again = zw_apply(ctx, zw_expr_op(ctx, e), n, args);
        }
        assert_int_equal(again, e);
        /* a substitution of every symbol by itself walks through all constructors below */
        zw_expr fresh[TREE_SYMBOLS], back;
        const char *names[] = {"a1", "a2", "a3", "a4"};
        for (int i = 0; i < TREE_SYMBOLS; i++)
            fresh[i] = zw_symbol(ctx, names[i]);
        back = zw_subst(ctx, zw_subst(ctx, e, 4, symbols, fresh), 4, fresh, symbols);
        double at[TREE_SYMBOLS] = {0.3, -0.7, 1.1, 0.9};
        double a = zw_eval(ctx, e, 4, symbols, at), b = zw_eval(ctx, back, 4, symbols, at);
        if (isfinite(a) && fabs(a) < 1e6)
            assert_close(a, b, 1e-9);
    }
}

static void test_fold__numbering_is_reproducible(void **state) {
    (void)state;
    uint32_t count[2];
    char *text[2];
    zw_context *c[2];
    for (int run = 0; run < 2; run++) {
        static forest f;
        f.random.state = 99;
        c[run] = zw_context_create(NULL);
        zw_expr s[TREE_SYMBOLS] = {zw_symbol(c[run], "p"), zw_symbol(c[run], "q"),
                                   zw_symbol(c[run], "r"), zw_symbol(c[run], "s")};
        zw_expr sum = ZW_ZERO;
        for (int k = 0; k < 50; k++) {
            f.count = 0;
            zw_expr e = tree_build(c[run], tree_random(&f, 4), s);
            zw_context_reset_status(c[run]);
            sum = e ? zw_add(c[run], sum, e) : sum;
        }
        count[run] = zw_context_node_count(c[run]);
        text[run] = zw_print(c[run], sum, ZW_TEXT);
        assert_non_null(text[run]);
    }
    assert_int_equal(count[0], count[1]);
    assert_string_equal(text[0], text[1]);
    for (int run = 0; run < 2; run++) {
        zw_string_free(c[run], text[run]);
        zw_context_destroy(c[run]);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_number__overflow_is_for_good),
        cmocka_unit_test(test_fold__equal_expressions_are_one_node),
        cmocka_unit_test(test_fold__numbers_are_exact),
        cmocka_unit_test(test_fold__squares_of_sine_and_cosine),
        cmocka_unit_test(test_fold__many_pairs_of_squares),
        cmocka_unit_test(test_fold__pairs_of_squares_in_chains),
        cmocka_unit_test(test_fold__functions_at_special_points),
        cmocka_unit_test(test_fold__failure_is_sticky),
        cmocka_unit_test(test_fold__keeps_the_value),
        cmocka_unit_test(test_fold__is_idempotent),
        cmocka_unit_test(test_fold__numbering_is_reproducible),
    };
    return cmocka_run_group_tests(tests, setup, teardown);
}
