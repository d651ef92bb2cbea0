/* SPDX-License-Identifier: MIT */
#include "support/failing_allocator.h"
#include "support/random_tree.h"

static zw_context *ctx;
static zw_expr x, y, z;

static int setup(void **state) {
    (void)state;
    ctx = zw_context_create(NULL);
    x = zw_symbol(ctx, "x");
    y = zw_symbol(ctx, "y");
    z = zw_symbol(ctx, "z");
    return ctx ? 0 : 1;
}

static int teardown(void **state) {
    (void)state;
    zw_context_destroy(ctx);
    return 0;
}

static void test_transform__expand(void **state) {
    (void)state;
    zw_expr sum = zw_add(ctx, x, y), difference = zw_sub(ctx, x, y);
    zw_expr want = zw_sub(ctx, zw_pow(ctx, x, ZW_TWO), zw_pow(ctx, y, ZW_TWO));
    assert_int_equal(zw_expand(ctx, zw_mul(ctx, sum, difference)), want);
    zw_expr cube = zw_expand(ctx, zw_pow(ctx, sum, zw_integer(ctx, 3)));
    int n;
    zw_expr_args(ctx, cube, &n);
    assert_int_equal(n, 1 + 2 * 4);
    assert_int_equal(zw_sub(ctx, cube, zw_expand(ctx, zw_mul(ctx, sum, zw_pow(ctx, sum, ZW_TWO)))),
                     ZW_ZERO);
    /* a base whose content comes out on the way: x (2 (y + z) + 2 y) */
    zw_expr twice = zw_mul(ctx, ZW_TWO, zw_mul(ctx, z, zw_add(ctx, y, z)));
    zw_expr nested = zw_mul(ctx, x, zw_add(ctx, twice, zw_mul(ctx, ZW_TWO, zw_mul(ctx, z, y))));
    zw_expr once = zw_expand(ctx, nested);
    assert_int_equal(zw_expand(ctx, once), once);
    /* inside functions too */
    assert_int_equal(zw_expand(ctx, zw_sin(ctx, zw_mul(ctx, sum, difference))), zw_sin(ctx, want));
}

static void test_transform__expand_is_idempotent_and_keeps_the_value(void **state) {
    (void)state;
    static forest f;
    f.random.state = 31;
    f.smooth = true;
    zw_expr symbols[TREE_SYMBOLS] = {x, y, z, zw_symbol(ctx, "w")};
    for (int k = 0; k < 1500; k++) {
        f.count = 0;
        zw_expr e = tree_build(ctx, tree_random(&f, 2 + k % 3), symbols);
        zw_context_reset_status(ctx);
        if (!e)
            continue;
        zw_expr once = zw_expand(ctx, e);
        assert_true(once != ZW_NULL);
        assert_int_equal(zw_expand(ctx, once), once);
        double at[TREE_SYMBOLS] = {0.31, 0.77, -0.53, 1.19};
        double a = zw_eval(ctx, e, TREE_SYMBOLS, symbols, at),
               b = zw_eval(ctx, once, TREE_SYMBOLS, symbols, at);
        if (isfinite(a) && fabs(a) < 1e3)
            assert_close(a, b, 1e-9);
    }
}

static void test_transform__shorten(void **state) {
    (void)state;
    /* (x + y)^2 - x^2 - y^2 becomes 2 x y; (x + y)^6 stays as it is */
    zw_expr sum = zw_add(ctx, x, y), e[2];
    e[0] = zw_sub(ctx, zw_pow(ctx, sum, ZW_TWO),
                  zw_add(ctx, zw_pow(ctx, x, ZW_TWO), zw_pow(ctx, y, ZW_TWO)));
    e[1] = zw_pow(ctx, sum, zw_integer(ctx, 6));
    zw_expr whole = e[1];
    zw_shorten(ctx, 2, e);
    assert_int_equal(e[0], zw_product(ctx, 3, (zw_expr[]){ZW_TWO, x, y}));
    assert_int_equal(e[1], whole);
}

static void test_transform__substitution_is_simultaneous(void **state) {
    (void)state;
    zw_expr e = zw_add(ctx, x, zw_mul(ctx, ZW_TWO, y)), from[] = {x, y}, to[] = {y, x};
    assert_int_equal(zw_subst(ctx, e, 2, from, to), zw_add(ctx, y, zw_mul(ctx, ZW_TWO, x)));
    zw_expr zero[] = {ZW_ZERO};
    assert_int_equal(zw_subst(ctx, zw_cos(ctx, x), 1, from, zero), ZW_ONE);
}

static void test_transform__linear_coefficients(void **state) {
    (void)state;
    zw_expr symbols[] = {x, y}, coef[2], rest;
    /* z^2 x + 3 y + z, and a form that is linear only when multiplied out */
    zw_expr e = zw_add(ctx, zw_mul(ctx, zw_pow(ctx, z, ZW_TWO), x),
                       zw_add(ctx, zw_mul(ctx, zw_integer(ctx, 3), y), z));
    assert_true(zw_linear(ctx, e, 2, symbols, coef, &rest));
    assert_int_equal(coef[0], zw_pow(ctx, z, ZW_TWO));
    assert_int_equal(coef[1], zw_integer(ctx, 3));
    assert_int_equal(rest, z);
    zw_expr hidden = zw_sub(ctx, zw_pow(ctx, zw_add(ctx, x, z), ZW_TWO), zw_pow(ctx, x, ZW_TWO));
    assert_true(zw_linear(ctx, hidden, 1, symbols, coef, &rest));
    assert_int_equal(coef[0], zw_mul(ctx, ZW_TWO, z));
    assert_int_equal(rest, zw_pow(ctx, z, ZW_TWO));
    assert_false(zw_linear(ctx, zw_mul(ctx, x, y), 2, symbols, coef, &rest));
    assert_false(zw_linear(ctx, zw_sin(ctx, x), 1, symbols, coef, &rest));
}

static void test_transform__quadratic_coefficients(void **state) {
    (void)state;
    zw_expr symbols[] = {x, y}, A[4], coef[2], rest;
    /* (x + z y)^2 / 2 + x - 4 */
    zw_expr sum = zw_add(ctx, x, zw_mul(ctx, z, y));
    zw_expr e = zw_add(ctx, zw_mul(ctx, ZW_HALF, zw_pow(ctx, sum, ZW_TWO)),
                       zw_sub(ctx, x, zw_integer(ctx, 4)));
    assert_true(zw_quadratic(ctx, e, 2, symbols, A, coef, &rest));
    assert_int_equal(A[0], ZW_ONE);
    assert_int_equal(A[1], z);
    assert_int_equal(A[2], z);
    assert_int_equal(A[3], zw_pow(ctx, z, ZW_TWO));
    assert_int_equal(coef[0], ZW_ONE);
    assert_int_equal(coef[1], ZW_ZERO);
    assert_int_equal(rest, zw_integer(ctx, -4));
    assert_false(zw_quadratic(ctx, zw_pow(ctx, x, zw_integer(ctx, 3)), 1, symbols, A, coef, &rest));
}

static void test_transform__which_symbols(void **state) {
    (void)state;
    zw_context *c = zw_context_create(NULL);
    zw_expr many[100];
    char name[16];
    for (int i = 0; i < 100; i++) { /* more symbols than bits of a mask */
        snprintf(name, sizeof name, "s%d", i);
        many[i] = zw_symbol(c, name);
    }
    zw_expr e = zw_mul(c, many[3], zw_sin(c, many[70]));
    assert_true(zw_depends(c, e, many[3]));
    assert_true(zw_depends(c, e, many[70]));
    assert_false(zw_depends(c, e, many[67])); /* shares the bit of 3 */
    assert_int_equal(zw_diff(c, e, many[67]), ZW_ZERO);
    assert_int_equal(zw_foreign_symbol(c, e, 1, &many[3]), many[70]);
    assert_int_equal(zw_foreign_symbol(c, e, 100, many), ZW_NULL);
    zw_context_destroy(c);
}

static void test_transform__count_counts_shared_parts_once(void **state) {
    (void)state;
    zw_expr s = zw_sin(ctx, x), e[2] = {zw_mul(ctx, s, y), zw_add(ctx, s, z)};
    assert_int_equal(zw_count(ctx, 1, &e[0]), 2);
    assert_int_equal(zw_count(ctx, 2, e), 3);
    zw_expr quotient = zw_div(ctx, x, zw_mul(ctx, y, z));
    assert_int_equal(zw_count(ctx, 1, &quotient), 2);
}

/* derive something while the n-th allocation fails, for every n */
static bool build_under(const zw_allocator *alloc) {
    zw_context *c = zw_context_create(alloc);
    if (!c)
        return false;
    enum { N = 6 };
    zw_expr q[N], e = ZW_ZERO, g[N], H[N * N];
    char name[16];
    for (int i = 0; i < N; i++) {
        snprintf(name, sizeof name, "q%d", i);
        q[i] = zw_symbol(c, name);
        zw_expr next = i ? zw_add(c, q[i], q[i - 1]) : q[i];
        e = zw_add(c, e, zw_mul(c, zw_sin(c, q[i]), zw_pow(c, next, ZW_TWO)));
    }
    double xs[] = {0, 1, 2}, ys[] = {1, 3, 2};
    e = zw_add(c, e, zw_lookup(c, zw_tabulate(c, 3, xs, ys, ZW_CUBIC), 0, q[0]));
    zw_gradient(c, e, N, q, g);
    zw_hessian(c, e, N, q, H);
    zw_expr first = zw_expand(c, zw_subst(c, g[N - 1], 1, q, &q[1]));
    char *text = zw_print(c, first, ZW_LATEX);
    bool ok = zw_context_status(c, NULL) == ZW_OK && text;
    zw_string_free(c, text);
    zw_context_destroy(c);
    return ok;
}

/* a sin(x)^2 + b cos(x)^2 lies between a and b: its root is smooth if both are positive, with
 * further summands and factors; that of another angle, of a difference or of two sines is not seen
 * to be. */
static int count_kinks(int a, int b, zw_expr u, zw_expr v, zw_expr first, zw_expr second) {
    zw_expr s = zw_pow(ctx, zw_sin(ctx, u), ZW_TWO), c = zw_pow(ctx, zw_cos(ctx, v), ZW_TWO);
    zw_expr sum = zw_add(ctx, zw_mul(ctx, zw_integer(ctx, a), zw_mul(ctx, s, first)),
                         zw_mul(ctx, zw_integer(ctx, b), zw_mul(ctx, c, second)));
    zw_expr root = zw_div(ctx, x, zw_sqrt(ctx, sum)), variable[2] = {x, y};
    zw_kink kink[4];
    return zw_find_kinks(ctx, 1, &root, 2, variable, 4, kink);
}

static void test_transform__roots_of_ellipses_are_smooth(void **state) {
    (void)state;
    zw_expr e = zw_apply(ctx, ZW_OP_EXP, 1, &y), cosh = zw_apply(ctx, ZW_OP_COSH, 1, &y);
    assert_int_equal(count_kinks(4, 9, x, x, ZW_ONE, ZW_ONE), 0);
    assert_int_equal(count_kinks(4, 9, x, x, cosh, ZW_ONE), 0);
    assert_int_equal(count_kinks(4, 9, x, x, ZW_ONE, cosh), 0);
    assert_int_equal(count_kinks(4, 9, x, x, e, ZW_ONE),
                     1); /* exp(y) may be as small as one likes */
    assert_int_equal(count_kinks(4, 9, x, y, ZW_ONE, ZW_ONE), 1);
    assert_int_equal(count_kinks(4, -9, x, x, ZW_ONE, ZW_ONE), 1);
}

/* Parts are replaced where they occur as a whole; symbols by zw_subst alone. */
static void test_transform__parts_are_replaced(void **state) {
    (void)state;
    zw_expr part = zw_sin(ctx, zw_add(ctx, x, y)), e = zw_mul(ctx, part, zw_add(ctx, x, part));
    assert_int_equal(zw_replace(ctx, e, 1, &part, &z), zw_mul(ctx, z, zw_add(ctx, x, z)));
    assert_int_equal(zw_subst(ctx, e, 1, &part, &z), e);
}

static void test_transform__survives_failing_allocations(void **state) {
    (void)state;
    for (long n = 1;; n++) {
        failing_allocator f = failing_allocator_make(n);
        zw_allocator alloc = failing_allocator_of(&f);
        bool ok = build_under(&alloc);
        assert_true(ok == !f.failed);
        assert_int_equal(f.blocks, 0);
        assert_int_equal(f.bytes, 0);
        if (!f.failed)
            break;
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_transform__expand),
        cmocka_unit_test(test_transform__expand_is_idempotent_and_keeps_the_value),
        cmocka_unit_test(test_transform__shorten),
        cmocka_unit_test(test_transform__substitution_is_simultaneous),
        cmocka_unit_test(test_transform__linear_coefficients),
        cmocka_unit_test(test_transform__quadratic_coefficients),
        cmocka_unit_test(test_transform__which_symbols),
        cmocka_unit_test(test_transform__count_counts_shared_parts_once),
        cmocka_unit_test(test_transform__roots_of_ellipses_are_smooth),
        cmocka_unit_test(test_transform__parts_are_replaced),
        cmocka_unit_test(test_transform__survives_failing_allocations),
    };
    return cmocka_run_group_tests(tests, setup, teardown);
}
