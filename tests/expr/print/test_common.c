/* SPDX-License-Identifier: MIT */
/* Names for what recurs: definitions put back give the same expressions, every name is used at
 * least twice, no name of the model is taken. */
#include "support/failing_allocator.h"
#include "support/random_tree.h"

enum { NAMES = 60 };

static zw_context *ctx;
static zw_expr x, y, m, r, rho;

static int setup(void **state) {
    (void)state;
    ctx = zw_context_create(NULL);
    m = zw_symbol(ctx, "m");
    r = zw_symbol(ctx, "r");
    rho = zw_symbol(ctx, "rho");
    x = zw_symbol(ctx, "x");
    y = zw_symbol(ctx, "y");
    return ctx ? 0 : 1;
}

static int teardown(void **state) {
    (void)state;
    zw_context_destroy(ctx);
    return 0;
}

/* the definitions put back, the last one first */
static zw_expr put_back(zw_expr e, int n, const zw_expr *symbol, const zw_expr *value) {
    for (int i = n - 1; i >= 0; i--)
        e = zw_subst(ctx, e, 1, &symbol[i], &value[i]);
    return e;
}

static void test_common__groups_of_parameters(void **state) {
    (void)state;
    zw_expr ball = zw_product(ctx, 3, (zw_expr[]){ZW_PI, zw_pow(ctx, r, zw_integer(ctx, 3)), rho});
    zw_expr e[2] = {zw_mul(ctx, ball, x), zw_mul(ctx, zw_mul(ctx, ZW_HALF, ball), y)};
    zw_expr variables[] = {x, y}, symbol[NAMES], value[NAMES], old[2] = {e[0], e[1]};
    int n = zw_name_common(ctx, 2, e, 2, variables, 24, NAMES, symbol, value);
    assert_int_equal(n, 1);
    assert_string_equal(zw_expr_name(ctx, symbol[0]), "c1");
    assert_int_equal(value[0], ball);
    assert_int_equal(e[0], zw_mul(ctx, symbol[0], x));
    for (int i = 0; i < 2; i++)
        assert_int_equal(put_back(e[i], n, symbol, value), old[i]);
    /* the coefficient is read first */
    char *text = zw_print(ctx, e[0], ZW_TEXT);
    assert_string_equal(text, "c1*x");
    zw_string_free(ctx, text);
}

static void test_common__names_of_the_model_are_left_out(void **state) {
    (void)state;
    zw_expr long_sum = zw_add(ctx, zw_sin(ctx, zw_add(ctx, x, y)), zw_cos(ctx, zw_sub(ctx, x, y)));
    zw_expr c1 = zw_symbol(ctx, "c1"), c2 = zw_symbol(ctx, "c2"), c3 = zw_symbol(ctx, "c3");
    zw_expr e[2] = {zw_mul(ctx, c3, zw_apply(ctx, ZW_OP_EXP, 1, &long_sum)),
                    zw_add(ctx, m, zw_mul(ctx, c2, zw_apply(ctx, ZW_OP_TANH, 1, &long_sum)))};
    zw_expr variables[] = {x, y}, symbol[NAMES], value[NAMES];
    int n = zw_name_common(ctx, 2, e, 2, variables, 12, NAMES, symbol, value);
    assert_int_equal(n, 1);
    assert_int_equal(value[0], long_sum);
    assert_true(symbol[0] != c2 && symbol[0] != c3);
    assert_int_equal(symbol[0], c1); /* made by the test before, not by a model */
    /* no room for names: nothing changes */
    zw_expr alone[2] = {zw_apply(ctx, ZW_OP_EXP, 1, &long_sum),
                        zw_apply(ctx, ZW_OP_TANH, 1, &long_sum)},
            same[2] = {alone[0], alone[1]};
    assert_int_equal(zw_name_common(ctx, 2, alone, 2, variables, 12, 0, symbol, value), 0);
    assert_int_equal(alone[0], same[0]);
    assert_int_equal(alone[1], same[1]);
}

static void test_common__definitions_give_the_expressions_back(void **state) {
    (void)state;
    static forest f;
    f.random.state = 91;
    zw_expr symbols[TREE_SYMBOLS] = {x, y, m, r}, symbol[NAMES], value[NAMES];
    int named = 0;
    for (int k = 0; k < 500; k++) {
        f.count = 0;
        zw_expr e[3], old[3];
        zw_expr part = tree_build(ctx, tree_random(&f, 2), symbols);
        for (int i = 0; i < 3; i++) {
            e[i] = tree_build(ctx, tree_random(&f, 3), symbols);
            e[i] = zw_mul(ctx, e[i], zw_apply(ctx, ZW_OP_TANH, 1, &part));
            old[i] = e[i];
        }
        if (zw_context_status(ctx, NULL) < 0) {
            zw_context_reset_status(ctx);
            continue;
        }
        int n = zw_name_common(ctx, 3, e, 2, symbols, 12, NAMES, symbol, value);
        assert_true(zw_context_status(ctx, NULL) >= 0);
        named += n;
        double at[TREE_SYMBOLS + NAMES];
        zw_expr all[TREE_SYMBOLS + NAMES];
        for (int i = 0; i < TREE_SYMBOLS; i++) {
            all[i] = symbols[i];
            at[i] = 0.3 + 0.2 * i;
        }
        for (int i = 0; i < n; i++) {
            /* made of what is before it alone */
            assert_int_equal(zw_foreign_symbol(ctx, value[i], TREE_SYMBOLS + i, all), ZW_NULL);
            all[TREE_SYMBOLS + i] = symbol[i];
            at[TREE_SYMBOLS + i] = zw_eval(ctx, value[i], TREE_SYMBOLS + i, all, at);
        }
        for (int i = 0; i < 3; i++) {
            double got = zw_eval(ctx, e[i], TREE_SYMBOLS + n, all, at),
                   want = zw_eval(ctx, old[i], TREE_SYMBOLS, all, at);
            if (isfinite(want))
                assert_close(got, want, 1e-9);
        }
    }
    assert_true(named > 100);
}

static void test_common__survives_failing_allocations(void **state) {
    (void)state;
    for (long n = 1;; n++) {
        failing_allocator f = failing_allocator_make(n);
        zw_allocator alloc = failing_allocator_of(&f);
        zw_context *poor = zw_context_create(&alloc);
        if (poor) {
            zw_expr a = zw_symbol(poor, "alpha"), b = zw_symbol(poor, "beta");
            zw_expr sum = zw_add(poor, zw_sin(poor, a), zw_mul(poor, b, zw_cos(poor, b)));
            zw_expr e[2] = {zw_sqrt(poor, sum), zw_mul(poor, a, sum)}, symbol[4], value[4];
            int count = zw_name_common(poor, 2, e, 2, (zw_expr[]){a, b}, 10, 4, symbol, value);
            if (!f.failed)
                assert_int_equal(count, 1);
            zw_context_destroy(poor);
        }
        assert_int_equal(f.blocks, 0);
        if (!f.failed)
            break;
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_common__groups_of_parameters),
        cmocka_unit_test(test_common__names_of_the_model_are_left_out),
        cmocka_unit_test(test_common__definitions_give_the_expressions_back),
        cmocka_unit_test(test_common__survives_failing_allocations),
    };
    return cmocka_run_group_tests(tests, setup, teardown);
}
