/* SPDX-License-Identifier: MIT */
/* Bounds by interval arithmetic hold what they must: for every operation the values at random
 * points and the quotients between them, for random expressions as well. */
#include <float.h>

#include "base/contensou.h"
#include "jit/interp.h"
#include "jit/interval.h"
#include "jit/program.h"
#include "support/failing_allocator.h"
#include "support/random_expr.h"

enum { ROUNDS = 60, POINTS = 1000, PATCHES = 4 * ZW_PATCH_COUNT };

/* a straight line through the range of an input: value m + s r for s in [-1, 1], all of them
 * numbers of so few bits that it is exact */
typedef struct line {
    double m, r;
} line;

static double at(line a, double s) {
    return a.m + s * a.r;
}

static zw_bound bound_of(line a) {
    double off = 4 * DBL_EPSILON * (fabs(a.m) + fabs(a.r));
    return (zw_bound){{a.m - fabs(a.r) - off, a.m + fabs(a.r) + off}, {a.r, a.r}};
}

/* does the bound hold f at random points, and the quotients between neighbours and far ones? */
static void check_bound(zw_bound b, int n, const double *s, const double *f, const char *what,
                        int round) {
    for (int i = 0; i < n; i++) {
        if (isnan(f[i])) /* not in the domain */
            continue;
        if (!(b.value.low <= f[i] && f[i] <= b.value.high))
            fail_msg("%s, round %d: %.17g is not in [%.17g, %.17g]", what, round, f[i], b.value.low,
                     b.value.high);
        int j = (i * 7 + 1) % n;
        if (!isfinite(f[i]) || !isfinite(f[j]) || s[i] == s[j])
            continue;
        double rounding = 32 * DBL_EPSILON * (fabs(f[i]) + fabs(f[j])) + 1e-300,
               way = fabs(s[i] - s[j]), q = (f[i] - f[j]) / (s[i] - s[j]), off = rounding / way;
        if (!(b.slope.low <= q + off && q - off <= b.slope.high))
            fail_msg("%s, round %d: slope %.17g is not in [%.17g, %.17g]", what, round, q,
                     b.slope.low, b.slope.high);
    }
}

static double of_few_bits(double x, double quantum) {
    return round(x / quantum) * quantum;
}

static double random_place(test_random *r, int i) {
    return i == 0 ? -1 : i == 1 ? 1 : of_few_bits(test_random_real(r, -1, 1), 0x1p-9);
}

/* ranges of all sizes, also across the ends of the domains and whole periods */
static line random_line(test_random *r) {
    static const double place[] = {0, 0.1, 1, -1, 3, 1e3, 1e-8, -2, 1.5707963267948966};
    static const double width[] = {0, 1e-6, 1e-5, 0.1, 0.5, 1, 10, 1e3};
    line a = {place[test_random_int(r, 9)] * test_random_real(r, 0.5, 2),
              width[test_random_int(r, 8)] * test_random_real(r, -1, 1)};
    a.m = of_few_bits(a.m, 0x1p-36);
    a.r = of_few_bits(a.r, 0x1p-27);
    if (test_random_int(r, 4) == 0)
        a.m = fabs(a.r); /* touches 0 */
    return a;
}

static void test_interval__operations_hold_their_values_and_slopes(void **state) {
    (void)state;
    test_random r = {5};
    int useful = 0;
    for (int op = ZW_CODE_MOVE; op < ZW_CODE_COUNT; op++)
        for (int round = 0; op != ZW_CODE_TABLE && round < ROUNDS; round++) {
            line a = random_line(&r), b = random_line(&r), c = random_line(&r);
            bool same = round % 5 == 0 && op != ZW_CODE_POW;
            if (op == ZW_CODE_POW && round % 2) /* whole and half exponents */
                b = (line){(double)(round % 9) / 2 - 2, 0};
            if (op == ZW_CODE_NOT || op == ZW_CODE_AND || op == ZW_CODE_OR || op == ZW_CODE_SELECT)
                a = round % 3 == 0 ? (line){0, 0} : a;
            if (op == ZW_CODE_PATCH)
                a = (line){round % PATCHES, 0};
            if (same)
                b = a;
            zw_bound exact_b = bound_of(b);
            if (b.r == 0)
                exact_b.value = (zw_interval){b.m, b.m};
            zw_bound exact_a = bound_of(a);
            if (a.r == 0)
                exact_a.value = (zw_interval){a.m, a.m};
            zw_bound got = zw_interval_apply((zw_opcode)op, exact_a, same ? exact_a : exact_b,
                                             bound_of(c), same);
            double s[POINTS], f[POINTS];
            for (int i = 0; i < POINTS; i++) {
                s[i] = random_place(&r, i);
                f[i] = zw_code_apply((zw_opcode)op, at(a, s[i]), at(b, s[i]), at(c, s[i]));
            }
            check_bound(got, POINTS, s, f, zw_code_name((zw_opcode)op), round);
            useful += isfinite(got.slope.low) && isfinite(got.slope.high);
        }
    assert_true(useful > ROUNDS * ZW_CODE_COUNT / 2);
}

static void test_interval__tables(void **state) {
    (void)state;
    zw_context *ctx = zw_context_create(NULL);
    const double x[] = {-1, 0, 0.5, 2, 3}, y[] = {2, -1, 0.25, 4, 4};
    test_random r = {6};
    for (int how = 0; how < 2; how++) {
        const zw_spline *spline =
            zw_spline_of(ctx, zw_tabulate(ctx, 5, x, y, how ? ZW_CUBIC : ZW_LINEAR));
        for (int order = 0; order < 4; order++)
            for (int round = 0; round < 10 * ROUNDS; round++) {
                line a = random_line(&r);
                if (round % 3 == 0) /* inside a piece, or just touching a knot */
                    a = (line){of_few_bits(test_random_real(&r, -1.5, 3.5), 0x1p-20),
                               of_few_bits(test_random_real(&r, 0, 0.2), 0x1p-20)};
                if (round % 3 == 1)
                    a.m = x[round % 5] + (round % 2 ? 1 : -1) * fabs(a.r);
                zw_bound got = zw_interval_table(spline, order, bound_of(a));
                double s[POINTS], f[POINTS];
                for (int i = 0; i < POINTS; i++) {
                    s[i] = random_place(&r, i);
                    f[i] = zw_spline_eval(spline, order, at(a, s[i]));
                }
                check_bound(got, POINTS, s, f, how ? "cubic" : "linear", round);
            }
    }
    /* and are no wider than needed: the straight piece from (0.5, 0.25) to (2, 4) has slope 2.5 */
    const zw_spline *line_table = zw_spline_of(ctx, zw_tabulate(ctx, 5, x, y, ZW_LINEAR));
    zw_bound piece = zw_interval_table(line_table, 0, bound_of((line){1, 0.25}));
    assert_close(piece.slope.low, 2.5 * 0.25, 1e-13);
    assert_close(piece.slope.high, 2.5 * 0.25, 1e-13);
    assert_close(piece.value.low, 0.25 + 2.5 * 0.25, 1e-12);
    assert_close(piece.value.high, 0.25 + 2.5 * 0.75, 1e-12);
    zw_context_destroy(ctx);
}

static void test_interval__is_sharp_where_it_can_be(void **state) {
    (void)state;
    zw_bound a = {{-1, 2}, {3, 3}}, positive = {{1, 4}, {1, 1}}, nothing = {{0, 0}, {0, 0}};
    zw_bound b = zw_interval_apply(ZW_CODE_MUL, a, a, nothing, true);
    assert_true(b.value.low == 0 && b.value.high < 4.000001);
    b = zw_interval_apply(ZW_CODE_ABS, a, a, nothing, true);
    assert_true(b.value.low == 0 && b.value.high == 2 && b.slope.low == -3 && b.slope.high == 3);
    b = zw_interval_apply(ZW_CODE_SQRT, positive, positive, nothing, true);
    assert_close(b.value.low, 1, 1e-15);
    assert_close(b.value.high, 2, 1e-15);
    assert_close(b.slope.low, 0.25, 1e-15);
    assert_close(b.slope.high, 0.5, 1e-15);
    b = zw_interval_apply(ZW_CODE_DIV, positive, a, nothing, false); /* 1/0 */
    assert_true(isinf(b.value.low) && isinf(b.value.high) && isinf(b.slope.low));
    b = zw_interval_apply(ZW_CODE_SELECT, a, positive, a, false); /* open */
    assert_true(b.value.low == -1 && b.value.high == 4 && isinf(b.slope.low));
    b = zw_interval_apply(ZW_CODE_SELECT, positive, positive, a, false);
    assert_true(b.value.low == 1 && b.slope.high == 1);
    b = zw_interval_apply(ZW_CODE_SIN, (zw_bound){{0.1, 3}, {1, 1}}, a, nothing, false);
    assert_true(b.value.high == 1);
    assert_close(b.value.low, sin(0.1), 1e-14);
    b = zw_interval_apply(ZW_CODE_MIN, (zw_bound){{0, 1}, {5, 5}}, (zw_bound){{2, 3}, {-7, -7}},
                          nothing, false);
    assert_true(b.slope.low == 5 && b.value.high == 1);
}

/* all outputs of a program over the ranges of its inputs, each output alone as well */
static void test_interval__random_expressions(void **state) {
    (void)state;
    enum { OUTPUTS = 5, SAMPLES = 100 };
    int bounded = 0;
    for (int round = 0; round < 400; round++) {
        zw_context *ctx = zw_context_create(NULL);
        random_source r;
        zw_expr e[OUTPUTS];
        zw_program p;
        zw_error err = {0};
        zw_bound_func f;
        random_init(&r, (uint64_t)round, ctx);
        random_expressions(&r, OUTPUTS, e);
        assert_int_equal(zw_program_init(&p, ctx, &err), ZW_OK);
        assert_int_equal(zw_program_input(&p, ZW_SPACE_X, RANDOM_SYMBOLS, r.symbol, &err), ZW_OK);
        assert_int_equal(zw_program_function(&p, "f", OUTPUTS, e, &err), ZW_OK);
        assert_int_equal(zw_program_finish(&p, &err), ZW_OK);
        assert_int_equal(zw_interval_func(&f, &p.code[0], &p.arena), ZW_OK);
        line in[RANDOM_SYMBOLS];
        zw_bound x[RANDOM_SYMBOLS], out[OUTPUTS], alone[OUTPUTS];
        for (int i = 0; i < RANDOM_SYMBOLS; i++) {
            in[i] = (line){test_random_real(&r.random, -2, 2), test_random_real(&r.random, 0, 0.1)};
            x[i] = bound_of(in[i]);
        }
        zw_bound *work = malloc(sizeof *work * (size_t)(f.nwork + 1));
        double cache[64], scratch[256];
        zw_func prepare; /* of the constants */
        assert_non_null(work);
        assert_int_equal(zw_interp_func(&prepare, &p.prepare, 1, NULL, &p.arena), ZW_OK);
        assert_true(prepare.nout <= 64 && prepare.nwork <= 256);
        zw_call(&prepare, &(zw_args){.p = NULL}, cache, scratch);
        const zw_bound_args args = {.x = x, .c = cache};
        f.call(&f, &args, NULL, out, work);
        for (int k = 0; k < OUTPUTS; k++) {
            bool open[OUTPUTS] = {false};
            open[k] = true;
            f.call(&f, &args, open, alone, work);
            assert_memory_equal(&alone[k], &out[k], sizeof out[k]);
        }
        for (int k = 0; k < OUTPUTS; k++) {
            double point[RANDOM_SYMBOLS];
            bounded += isfinite(out[k].value.low) && isfinite(out[k].value.high);
            for (int n = 0; n < SAMPLES; n++) {
                double s = test_random_real(&r.random, -1, 1);
                for (int i = 0; i < RANDOM_SYMBOLS; i++)
                    point[i] = at(in[i], s);
                double want = zw_eval(ctx, e[k], RANDOM_SYMBOLS, r.symbol, point);
                double off = 1e-12 * fabs(want);
                if (isfinite(want) &&
                    !(out[k].value.low <= want + off && want - off <= out[k].value.high))
                    fail_msg("round %d: %.17g is not in [%.17g, %.17g]", round, want,
                             out[k].value.low, out[k].value.high);
            }
        }
        free(work);
        zw_program_clear(&p);
        zw_context_destroy(ctx);
    }
    assert_true(bounded > 400);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_interval__operations_hold_their_values_and_slopes),
        cmocka_unit_test(test_interval__tables),
        cmocka_unit_test(test_interval__is_sharp_where_it_can_be),
        cmocka_unit_test(test_interval__random_expressions),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
