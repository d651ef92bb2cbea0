/* SPDX-License-Identifier: MIT */
/* Value at a point and operation count: one pass over the nodes, arguments first. Simple and slow;
 * fast evaluation is in src/jit. */
#include <math.h>

#include "store.h"

double zw_power_value(const zw_context *ctx, zw_expr exponent, double b, double e) {
    int64_t p, q;
    if (zw_expr_is_rational(ctx, exponent, &p, &q)) {
        if (q == 1 && p > -1024 && p < 1024) {
            double r = 1;
            for (int64_t k = p < 0 ? -p : p; k; k >>= 1, b *= b)
                if (k & 1)
                    r *= b;
            return p < 0 ? 1 / r : r;
        }
        if (q == 2 && (p == 1 || p == -1))
            return p == 1 ? sqrt(b) : 1 / sqrt(b);
    }
    return pow(b, e);
}

static double node_value(const zw_context *ctx, const memo *m, const double *value, zw_expr e) {
    const node *k = node_of(ctx, e);
    if (is_number_op(k->op) || e == ZW_PI)
        return zw_expr_number(ctx, e);
#define VALUE(i) value[m->value[k->args[i]]]
    if (k->op == ZW_OP_SUM) {
        double s = VALUE(0);
        for (int i = 1; i < k->n; i += 2)
            s += VALUE(i) * VALUE(i + 1);
        return s;
    }
    if (k->op == ZW_OP_PRODUCT) {
        double p = 1;
        for (int i = 0; i < k->n; i += 2)
            p *= zw_power_value(ctx, k->args[i + 1], VALUE(i), VALUE(i + 1));
        return p;
    }
    if (k->op == ZW_OP_TABLE)
        return zw_spline_eval(zw_spline_of(ctx, (int)VALUE(0)), (int)VALUE(1), VALUE(2));
    double args[3] = {0};
    for (int i = 0; i < k->n; i++)
        args[i] = VALUE(i);
#undef VALUE
    return zw_function_value((zw_op)k->op, args);
}

double *zw_eval_walk(const zw_context *ctx, memo *m, int nroot, const zw_expr *roots, int n,
                     const zw_expr *symbols, const double *values) {
    if (!zw_memo_walk(ctx, m, nroot, roots, UINT64_MAX))
        return NULL;
    double *value = ZW_NEW(&((zw_context *)ctx)->scratch, double, m->count);
    if (!value)
        zw_store_fail((zw_context *)ctx, ZW_E_MEMORY, "out of memory");
    for (int i = 0; value && i < m->count; i++) {
        zw_expr x = m->order[i];
        memo_set(m, x, (uint32_t)i);
        if (node_of(ctx, x)->op != ZW_OP_SYMBOL) {
            value[i] = node_value(ctx, m, value, x);
            continue;
        }
        value[i] = NAN;
        for (int s = 0; s < n; s++)
            if (symbols[s] == x)
                value[i] = values[s];
    }
    return value;
}

void zw_eval_all(const zw_context *ctx, int nroot, const zw_expr *roots, int n,
                 const zw_expr *symbols, const double *values, double *out) {
    memo *m = zw_memo_begin(ctx);
    for (int i = 0; i < nroot; i++)
        out[i] = NAN;
    if (!m)
        return;
    zw_arena *scratch = &((zw_context *)ctx)->scratch;
    zw_arena_mark mark = zw_arena_mark_now(scratch);
    const double *value = zw_eval_walk(ctx, m, nroot, roots, n, symbols, values);
    for (int i = 0; value && i < nroot; i++)
        if (roots[i] != ZW_NULL)
            out[i] = value[m->value[roots[i]]];
    zw_arena_release(scratch, mark);
    zw_memo_end(ctx);
}

double zw_eval(const zw_context *ctx, zw_expr e, int n, const zw_expr *symbols,
               const double *values) {
    double value;
    zw_eval_all(ctx, 1, &e, n, symbols, values, &value);
    return value;
}

/* multiplications of b^p by repeated squaring */
static long power_cost(int64_t p) {
    long cost = 0;
    for (p = p < 0 ? -p : p; p > 1; p >>= 1)
        cost += 1 + (p & 1);
    return cost;
}

static long node_cost(const zw_context *ctx, zw_expr e) {
    const node *k = node_of(ctx, e);
    long cost = 0;
    if (k->op <= ZW_OP_SYMBOL)
        return 0;
    if (k->op == ZW_OP_SUM) {
        cost = k->args[0] == ZW_ZERO ? -1 : 0;
        for (int i = 1; i < k->n; i += 2)
            cost += 1 + (k->args[i + 1] != ZW_ONE && k->args[i + 1] != ZW_MINUS_ONE);
        if (cost < 1)
            cost = 1; /* a single minus sign */
        return cost;
    }
    if (k->op == ZW_OP_PRODUCT) {
        int above = 0, below = 0;
        for (int i = 0; i < k->n; i += 2) {
            int64_t p, q;
            bool rational = zw_expr_is_rational(ctx, k->args[i + 1], &p, &q);
            if (rational && q == 1)
                cost += power_cost(p);
            else
                cost += 1;
            if (rational && p < 0)
                below++;
            else
                above++;
        }
        return cost + above + below - 1 + (above == 0);
    }
    return 1;
}

long zw_count(const zw_context *ctx, int n, const zw_expr *e) {
    memo *m = zw_memo_begin(ctx);
    long cost = 0;
    if (m && zw_memo_walk(ctx, m, n, e, UINT64_MAX))
        for (int i = 0; i < m->count; i++)
            cost += node_cost(ctx, m->order[i]);
    if (m)
        zw_memo_end(ctx);
    return cost;
}
