/* SPDX-License-Identifier: MIT */
/* Kinks that take the piece of their mode, on both sides of the place where they switch. */
#include "expr/calculus/fixed_pieces.h"

#include "support/failing_allocator.h"
#include "support/test.h"
#include "zwang/expr.h"

static zw_context *ctx;
static zw_expr x, y, m, n;

static int setup(void **state) {
    (void)state;
    ctx = zw_context_create(NULL);
    x = zw_symbol(ctx, "x");
    y = zw_symbol(ctx, "y");
    m = zw_symbol(ctx, "m");
    n = zw_symbol(ctx, "n");
    return ctx ? 0 : 1;
}

static int teardown(void **state) {
    (void)state;
    zw_context_destroy(ctx);
    return 0;
}

static double value(zw_expr e, double at_x, double at_y, double mode, double other) {
    const zw_expr symbols[] = {x, y, m, n};
    const double at[] = {at_x, at_y, mode, other};
    return zw_eval(ctx, e, 4, symbols, at);
}

static zw_expr apply(zw_op op, zw_expr a, zw_expr b) {
    return zw_apply(ctx, op, b ? 2 : 1, (zw_expr[]){a, b});
}

/* with one kink, the expression itself, locked */
static zw_expr lock_one(zw_expr e, int sign) {
    const zw_lock lock = {.part = e, .mode = m, .sign = sign};
    zw_lock_kinks(ctx, 1, &e, 1, &lock);
    assert_true(e != ZW_NULL);
    return e;
}

/* piece[0] is what mode -1 makes of (x, y), piece[1] what 1 does; free is the kink itself */
static void assert_pieces(zw_op op, bool two, double (*piece)(int mode, double a, double b)) {
    zw_expr kink = apply(op, x, two ? y : ZW_NULL), locked = lock_one(kink, 1),
            turned = lock_one(kink, -1);
    for (int k = 0; k < 25; k++) {
        int row = k / 5;
        double a = row - 2, b = two ? k % 5 - 2 : 0;
        for (int mode = -1; mode <= 1; mode += 2) {
            assert_close(value(locked, a, b, mode, 0), piece(mode, a, b), 1e-15);
            assert_close(value(turned, a, b, -mode, 0), piece(mode, a, b), 1e-15);
        }
        assert_close(value(locked, a, b, ZW_MODE_FREE, 0), value(kink, a, b, 0, 0), 0);
    }
}

static double abs_piece(int mode, double a, double b) {
    (void)b;
    return mode * a;
}
static double sign_piece(int mode, double a, double b) {
    (void)a;
    (void)b;
    return mode;
}
static double less_piece(int mode, double a, double b) {
    (void)a;
    (void)b;
    return mode < 0;
}
static double min_piece(int mode, double a, double b) {
    return mode < 0 ? a : b;
}
static double max_piece(int mode, double a, double b) {
    return mode < 0 ? b : a;
}

static void test_lock__pieces(void **state) {
    (void)state;
    assert_pieces(ZW_OP_ABS, false, abs_piece);
    assert_pieces(ZW_OP_SIGN, false, sign_piece);
    assert_pieces(ZW_OP_LT, true, less_piece);
    assert_pieces(ZW_OP_LE, true, less_piece);
    assert_pieces(ZW_OP_MIN, true, min_piece);
    assert_pieces(ZW_OP_MAX, true, max_piece);
}

/* what sign(x) is replaced by may be any number (Filippov's), and abs follows it */
static void test_lock__sign_between(void **state) {
    (void)state;
    assert_close(value(lock_one(apply(ZW_OP_SIGN, x, ZW_NULL), 1), 3, 0, 0.25, 0), 0.25, 0);
    assert_close(value(lock_one(apply(ZW_OP_ABS, x, ZW_NULL), 1), 3, 0, 0.25, 0), 0.75, 0);
}

/* the angle goes on across the cut, by 2 pi from the other side, and has no other one near it */
static void test_lock__angle_across_its_cut(void **state) {
    (void)state;
    const double pi = 3.14159265358979323846;
    zw_expr angle = apply(ZW_OP_ATAN2, y, x), locked = lock_one(angle, 1);
    for (int k = -8; k <= 8; k++) {
        double a = pi + 0.1 * k, c = cos(a), s = sin(a);
        assert_close(value(locked, c, s, 1, 0), a, 1e-14);
        assert_close(value(locked, c, s, -1, 0), a - 2 * pi, 1e-14);
        assert_close(value(locked, c, s, ZW_MODE_FREE, 0), atan2(s, c), 1e-15);
    }
}

/* piece -1 and the last are constants, those between lines through their knots, wherever x is */
static void test_lock__tables(void **state) {
    (void)state;
    const double knot[] = {0, 1, 3}, at[] = {2, 4, -1};
    int table = zw_tabulate(ctx, 3, knot, at, ZW_LINEAR);
    zw_expr kink = zw_lookup(ctx, table, 0, x), slope = zw_lookup(ctx, table, 1, x);
    zw_expr locked = lock_one(kink, 1), locked_slope = lock_one(slope, 1);
    for (int k = -5; k <= 20; k++) {
        double a = k / 4.0;
        const double want[] = {2, 2 + 2 * a, 4 - 2.5 * (a - 1), -1}, rise[] = {0, 2, -2.5, 0};
        for (int piece = -1; piece < 3; piece++) {
            assert_close(value(locked, a, 0, piece, 0), want[piece + 1], 1e-14);
            assert_close(value(locked_slope, a, 0, piece, 0), rise[piece + 1], 1e-14);
        }
        assert_close(value(locked, a, 0, ZW_MODE_FREE, 0), value(kink, a, 0, 0, 0), 0);
    }
}

/* if(x < y, abs(x), 1) + y: the kink of abs decides only where the test lets it */
static void test_lock__live_branches(void **state) {
    (void)state;
    zw_expr test = apply(ZW_OP_LT, x, y), kink = apply(ZW_OP_ABS, x, ZW_NULL);
    zw_expr e = zw_add(ctx, zw_cond(ctx, test, kink, ZW_ONE), y), live[2];
    zw_lock lock[] = {{kink, m, 1}, {test, n, 1}};
    if (test < kink) { /* they are sorted by their parts */
        zw_lock swap = lock[0];
        lock[0] = lock[1];
        lock[1] = swap;
    }
    int of_kink = test < kink, of_test = !of_kink;
    zw_lock_live(ctx, 1, &e, 2, lock, live);
    assert_true(value(live[of_test], 0, 0, 1, 1) != 0);
    assert_true(value(live[of_kink], 0, 0, 1, -1) != 0); /* the test holds, whatever x and y are */
    assert_true(value(live[of_kink], -1, 1, 1, 1) == 0);
    zw_expr locked = e;
    zw_lock_kinks(ctx, 1, &locked, 2, lock);
    assert_close(value(locked, 3, -1, -1, -1), -3 - 1, 1e-15);
    assert_close(value(locked, 3, -1, -1, 1), 1 - 1, 1e-15);
    /* what is in none of the expressions is not live */
    zw_expr plain = y;
    zw_lock_live(ctx, 1, &plain, 2, lock, live);
    assert_true(live[0] == ZW_ZERO && live[1] == ZW_ZERO);
}

static void test_lock__lack_of_memory_is_told(void **state) {
    (void)state;
    for (long fail = 1;; fail++) {
        failing_allocator f = failing_allocator_make(fail);
        zw_allocator alloc = failing_allocator_of(&f);
        zw_context *c = zw_context_create(&alloc);
        bool sound = false;
        if (c) {
            zw_expr a = zw_symbol(c, "a"), mode = zw_symbol(c, "mode"), e = a;
            const double knot[] = {0, 1, 2}, at[] = {0, 1, 0};
            int table = zw_tabulate(c, 3, knot, at, ZW_CUBIC);
            zw_expr kink = table < 0 ? ZW_NULL : zw_lookup(c, table, 0, a), live = ZW_NULL;
            for (int k = 0; k < 40 && kink; k++)
                e = zw_add(c, zw_sin(c, e), kink);
            const zw_lock lock = {kink, mode, 1};
            if (kink && e) {
                zw_lock_live(c, 1, &e, 1, &lock, &live);
                zw_lock_kinks(c, 1, &e, 1, &lock);
            }
            sound = zw_context_status(c, NULL) >= 0;
            if (sound)
                assert_true(e != ZW_NULL && live != ZW_NULL);
        }
        zw_context_destroy(c);
        assert_int_equal(f.blocks, 0);
        if (!f.failed) {
            assert_true(sound);
            break;
        }
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(test_lock__pieces, setup, teardown),
        cmocka_unit_test_setup_teardown(test_lock__sign_between, setup, teardown),
        cmocka_unit_test_setup_teardown(test_lock__angle_across_its_cut, setup, teardown),
        cmocka_unit_test_setup_teardown(test_lock__tables, setup, teardown),
        cmocka_unit_test_setup_teardown(test_lock__live_branches, setup, teardown),
        cmocka_unit_test(test_lock__lack_of_memory_is_told),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
