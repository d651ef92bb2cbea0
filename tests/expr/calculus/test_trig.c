/* SPDX-License-Identifier: MIT */
/* Sines and cosines of two angles combined: the four formulas, nested and in products, and random
 * sums whose value must not change. */
#include "support/failing_allocator.h"
#include "support/random_tree.h"

static zw_context *ctx;
static zw_expr a, b, c, m;

static int setup(void **state) {
    (void)state;
    ctx = zw_context_create(NULL);
    a = zw_symbol(ctx, "a");
    b = zw_symbol(ctx, "b");
    c = zw_symbol(ctx, "c");
    m = zw_symbol(ctx, "m");
    return ctx ? 0 : 1;
}

static int teardown(void **state) {
    (void)state;
    zw_context_destroy(ctx);
    return 0;
}

static zw_expr times(zw_expr x, zw_expr y) {
    return zw_mul(ctx, x, y);
}

static void assert_combines(zw_expr e, zw_expr want) {
    zw_trig_combine(ctx, 1, &e);
    assert_int_equal(e, want);
}

static void test_trig__the_four_formulas(void **state) {
    (void)state;
    zw_expr sc = times(zw_sin(ctx, a), zw_cos(ctx, b)), cs = times(zw_cos(ctx, a), zw_sin(ctx, b)),
            cc = times(zw_cos(ctx, a), zw_cos(ctx, b)), ss = times(zw_sin(ctx, a), zw_sin(ctx, b)),
            plus = zw_add(ctx, a, b), minus = zw_sub(ctx, a, b);
    assert_combines(zw_add(ctx, sc, cs), zw_sin(ctx, plus));
    assert_combines(zw_sub(ctx, sc, cs), zw_sin(ctx, minus));
    assert_combines(zw_sub(ctx, cs, sc), zw_neg(ctx, zw_sin(ctx, minus)));
    assert_combines(zw_sub(ctx, cc, ss), zw_cos(ctx, plus));
    assert_combines(zw_sub(ctx, ss, cc), zw_neg(ctx, zw_cos(ctx, plus)));
    assert_combines(zw_add(ctx, cc, ss), zw_cos(ctx, minus));
}

static void test_trig__with_factors_and_in_brackets(void **state) {
    (void)state;
    zw_expr sc = times(zw_sin(ctx, a), zw_cos(ctx, b)), cs = times(zw_cos(ctx, a), zw_sin(ctx, b));
    zw_expr sine = zw_sin(ctx, zw_sub(ctx, a, b)), three = zw_integer(ctx, 3);
    /* 3 m c sin a cos b - 3 m c cos a sin b + c */
    zw_expr factor = times(three, times(m, c));
    zw_expr e = zw_add(ctx, zw_sub(ctx, times(factor, sc), times(factor, cs)), c);
    assert_combines(e, zw_add(ctx, times(factor, sine), c));
    /* the partners in different brackets: m (sin a cos b + c) - m cos a sin b */
    e = zw_sub(ctx, times(m, zw_add(ctx, sc, c)), times(m, cs));
    assert_combines(e, zw_add(ctx, times(m, sine), times(m, c)));
    /* inside a function, and three angles */
    assert_combines(zw_apply(ctx, ZW_OP_EXP, 1, (zw_expr[]){zw_sub(ctx, sc, cs)}),
                    zw_apply(ctx, ZW_OP_EXP, 1, &sine));
    zw_expr difference = zw_sub(ctx, sc, cs), cosine = zw_cos(ctx, zw_sub(ctx, a, b));
    zw_expr whole =
        zw_add(ctx, times(zw_cos(ctx, a), zw_cos(ctx, b)), times(zw_sin(ctx, a), zw_sin(ctx, b)));
    e = zw_sub(ctx, times(difference, zw_cos(ctx, c)), times(whole, zw_sin(ctx, c)));
    assert_true(difference != sine && whole != cosine);
    assert_combines(e, zw_sin(ctx, zw_sub(ctx, zw_sub(ctx, a, b), c)));
}

static void test_trig__leaves_alone_what_does_not_fit(void **state) {
    (void)state;
    zw_expr sc = times(zw_sin(ctx, a), zw_cos(ctx, b)), cs = times(zw_cos(ctx, a), zw_sin(ctx, b));
    zw_expr lonely = zw_add(ctx, sc, c), uneven = zw_add(ctx, times(ZW_TWO, sc), cs),
            foreign = zw_add(ctx, times(m, sc), times(c, cs));
    assert_combines(lonely, lonely);
    assert_combines(uneven, uneven);
    assert_combines(foreign, foreign);
    assert_combines(a, a);
    assert_combines(ZW_ZERO, ZW_ZERO);
}

/* sums of products of two or three waves, few enough that partners are frequent */
static void test_trig__keeps_the_value_and_never_grows(void **state) {
    (void)state;
    test_random r = {2024};
    zw_expr symbols[] = {a, b, c, m};
    int combined = 0;
    for (int trial = 0; trial < 1000; trial++) {
        zw_expr e = ZW_ZERO;
        for (int i = 3 + test_random_int(&r, 8); i > 0; i--) {
            zw_expr term = zw_integer(ctx, test_random_int(&r, 2) ? 1 : -1);
            int first = test_random_int(&r, 3);
            for (int k = 0; k < 2 + (trial % 4 == 0); k++) {
                zw_expr angle = symbols[(first + k) % 3];
                bool sine = test_random_int(&r, 2);
                term = times(term, sine ? zw_sin(ctx, angle) : zw_cos(ctx, angle));
            }
            e = zw_add(ctx, e, test_random_int(&r, 3) ? term : times(m, term));
        }
        zw_expr before = e;
        zw_trig_combine(ctx, 1, &e);
        combined += e != before;
        assert_true(zw_count(ctx, 1, &e) <= zw_count(ctx, 1, &before));
        double at[4];
        for (int i = 0; i < 4; i++)
            at[i] = test_random_real(&r, -3, 3);
        assert_close(zw_eval(ctx, e, 4, symbols, at), zw_eval(ctx, before, 4, symbols, at), 1e-13);
    }
    assert_true(combined > 200);
}

static void test_trig__survives_failing_allocations(void **state) {
    (void)state;
    for (long n = 1;; n++) {
        failing_allocator f = failing_allocator_make(n);
        zw_allocator alloc = failing_allocator_of(&f);
        zw_context *poor = zw_context_create(&alloc);
        if (poor) {
            zw_expr x = zw_symbol(poor, "x"), y = zw_symbol(poor, "y");
            zw_expr e = zw_sub(poor, zw_mul(poor, zw_sin(poor, x), zw_cos(poor, y)),
                               zw_mul(poor, zw_cos(poor, x), zw_sin(poor, y)));
            zw_trig_combine(poor, 1, &e);
            zw_expr want = zw_sin(poor, zw_sub(poor, x, y));
            if (!f.failed)
                assert_int_equal(e, want);
            zw_context_destroy(poor);
        }
        assert_int_equal(f.blocks, 0);
        if (!f.failed)
            break;
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_trig__the_four_formulas),
        cmocka_unit_test(test_trig__with_factors_and_in_brackets),
        cmocka_unit_test(test_trig__leaves_alone_what_does_not_fit),
        cmocka_unit_test(test_trig__keeps_the_value_and_never_grows),
        cmocka_unit_test(test_trig__survives_failing_allocations),
    };
    return cmocka_run_group_tests(tests, setup, teardown);
}
