/* SPDX-License-Identifier: MIT */
/* Random expressions with every operator, for comparing evaluators. */
#ifndef ZW_TEST_RANDOM_EXPR_H
#define ZW_TEST_RANDOM_EXPR_H

#include "support/test.h"
#include "zwang/expr.h"

enum { RANDOM_SYMBOLS = 12, RANDOM_POOL = 40 }; /* t, 4 x, 3 z, 4 p */

typedef struct random_source {
    test_random random;
    zw_context *ctx;
    zw_expr symbol[RANDOM_SYMBOLS];
    int table[2];
    zw_expr pool[RANDOM_POOL];
    int npool;
} random_source;

static inline void random_init(random_source *r, uint64_t seed, zw_context *ctx) {
    static const char *name[RANDOM_SYMBOLS] = {"t",  "x0", "x1", "x2", "x3", "z0",
                                               "z1", "z2", "p0", "p1", "p2", "p3"};
    static const double knot[6] = {-2, -1, 0, 0.5, 1, 3}, y[6] = {1, 0.5, -0.25, 2, 1, 0};
    *r = (random_source){.random = {seed}, .ctx = ctx};
    for (int i = 0; i < RANDOM_SYMBOLS; i++)
        r->symbol[i] = zw_symbol(ctx, name[i]);
    r->table[0] = zw_tabulate(ctx, 6, knot, y, ZW_CUBIC);
    r->table[1] = zw_tabulate(ctx, 6, knot, y, ZW_LINEAR);
}

static inline zw_expr random_pick(random_source *r) {
    if (r->npool && test_random_int(&r->random, 3))
        return r->pool[test_random_int(&r->random, r->npool)];
    return r->symbol[test_random_int(&r->random, RANDOM_SYMBOLS)];
}

static inline zw_expr random_number(random_source *r) {
    switch (test_random_int(&r->random, 3)) {
    case 0:
        return zw_integer(r->ctx, test_random_int(&r->random, 9) - 4);
    case 1:
        return zw_rational(r->ctx, test_random_int(&r->random, 19) - 9,
                           1 + test_random_int(&r->random, 7));
    default:
        return zw_real(r->ctx, test_random_real(&r->random, -2, 2));
    }
}

static inline zw_expr random_sum(random_source *r) {
    zw_expr term[6];
    int n = 2 + test_random_int(&r->random, 5);
    for (int i = 0; i < n; i++) {
        term[i] = random_pick(r);
        if (test_random_int(&r->random, 2))
            term[i] = zw_mul(r->ctx, random_number(r), term[i]);
        if (test_random_int(&r->random, 2))
            term[i] = zw_mul(r->ctx, random_pick(r), term[i]);
    }
    return zw_sum(r->ctx, n, term);
}

static inline zw_expr random_power(random_source *r) {
    static const int num[] = {2, 3, -1, -2, 1, -1, 3, -3, 1, 7, 70},
                     den[] = {1, 1, 1, 1, 2, 2, 2, 2, 3, 1, 1};
    int k = test_random_int(&r->random, 12);
    zw_expr base = random_pick(r);
    if (k == 11)
        return zw_pow(r->ctx, base, random_pick(r));
    /* a base away from zero: its powers stay of moderate size */
    base = zw_add(r->ctx, zw_rational(r->ctx, 3, 4), zw_mul(r->ctx, base, base));
    return zw_pow(r->ctx, base, zw_rational(r->ctx, num[k], den[k]));
}

static inline zw_expr random_function(random_source *r) {
    static const zw_op op[] = {ZW_OP_SIN,   ZW_OP_COS,   ZW_OP_TAN,  ZW_OP_ASIN, ZW_OP_ACOS,
                               ZW_OP_ATAN,  ZW_OP_SINH,  ZW_OP_COSH, ZW_OP_TANH, ZW_OP_ASINH,
                               ZW_OP_ACOSH, ZW_OP_ATANH, ZW_OP_EXP,  ZW_OP_LOG,  ZW_OP_ABS,
                               ZW_OP_SIGN,  ZW_OP_ATAN2, ZW_OP_MIN,  ZW_OP_MAX,  ZW_OP_LT,
                               ZW_OP_LE,    ZW_OP_NOT,   ZW_OP_AND,  ZW_OP_OR,   ZW_OP_COND};
    zw_op f = op[test_random_int(&r->random, (int)(sizeof op / sizeof *op))];
    zw_expr a[3] = {random_pick(r), random_pick(r), random_pick(r)};
    if (test_random_int(&r->random, 4)) /* mostly within the domain */
        a[0] = zw_apply(r->ctx, ZW_OP_TANH, 1, a);
    int arity =
        f == ZW_OP_COND ? 3
        : f == ZW_OP_ATAN2 || (f >= ZW_OP_MIN && f <= ZW_OP_LE) || f == ZW_OP_AND || f == ZW_OP_OR
            ? 2
            : 1;
    return zw_apply(r->ctx, f, arity, a);
}

static inline zw_expr random_step(random_source *r) {
    switch (test_random_int(&r->random, 10)) {
    case 0:
    case 1:
    case 2:
        return random_sum(r);
    case 3:
    case 4:
        return zw_mul(r->ctx, random_pick(r), random_pick(r));
    case 5:
        return zw_div(r->ctx, random_pick(r),
                      zw_add(r->ctx, ZW_ONE, zw_pow(r->ctx, random_pick(r), ZW_TWO)));
    case 6:
        return random_power(r);
    case 7:
        return zw_lookup(r->ctx, r->table[test_random_int(&r->random, 2)],
                         test_random_int(&r->random, 3), random_pick(r));
    default:
        return random_function(r);
    }
}

/* n expressions that share parts. Retries where a construction has no value (1/0). */
static inline void random_expressions(random_source *r, int n, zw_expr *out) {
    r->npool = 0;
    for (int i = 0; i < RANDOM_POOL;) {
        zw_expr e = random_step(r);
        if (zw_context_status(r->ctx, NULL) < 0 || e == ZW_NULL) {
            zw_context_reset_status(r->ctx);
            continue;
        }
        r->pool[i] = e;
        r->npool = ++i;
    }
    for (int i = 0; i < n; i++)
        out[i] = r->pool[RANDOM_POOL - 1 - i];
}

static inline void random_point(random_source *r, double *value) {
    for (int i = 0; i < RANDOM_SYMBOLS; i++)
        value[i] = test_random_real(&r->random, -1.5, 1.5);
}

#endif
