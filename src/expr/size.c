/* SPDX-License-Identifier: MIT */
#include "size.h"

#include <math.h>

#include "store.h"

/* by the values and by the sizes of one level less */
static double node_size(const node *k, const memo *m, const double *value, const double *less) {
#define AT(i) m->value[k->args[i]]
    double size = 1;
    if (k->op == ZW_OP_PRODUCT) {
        for (int i = 0; i < k->n; i += 2)
            size *= pow(less[AT(i)], value[AT(i + 1)]);
        return size;
    }
    size = fabs(value[AT(0)]);
    for (int i = 1; i < k->n; i += 2)
        size += fabs(value[AT(i)]) * less[AT(i + 1)];
#undef AT
    return size;
}

static void next_level(const zw_context *ctx, const memo *m, const double *value,
                       const double *less, double *size) {
    for (int i = 0; i < m->count; i++) {
        const node *k = node_of(ctx, m->order[i]);
        bool made = k->op == ZW_OP_SUM || k->op == ZW_OP_PRODUCT;
        size[i] = made ? node_size(k, m, value, less) : fabs(value[i]);
    }
}

/* the sizes of the nodes in the order of the memo; NULL: no memory */
static const double *sizes_of(const zw_context *ctx, const memo *m, const double *value,
                              int depth) {
    zw_arena *scratch = &((zw_context *)ctx)->scratch;
    double *size = ZW_NEW(scratch, double, m->count), *less = ZW_NEW(scratch, double, m->count);
    if (!size || !less) {
        zw_store_fail((zw_context *)ctx, ZW_E_MEMORY, "out of memory");
        return NULL;
    }
    for (int i = 0; i < m->count; i++)
        size[i] = fabs(value[i]);
    for (int d = 0; d < depth; d++) {
        double *t = less;
        less = size;
        size = t;
        next_level(ctx, m, value, less, size);
    }
    return size;
}

void zw_eval_sizes(const zw_context *ctx, int nroot, const zw_expr *roots, int depth, int n,
                   const zw_expr *symbols, const double *values, zw_sized *out) {
    memo *m = zw_memo_begin(ctx);
    for (int i = 0; i < nroot; i++)
        out[i] = (zw_sized){NAN, NAN};
    if (!m)
        return;
    zw_arena *scratch = &((zw_context *)ctx)->scratch;
    zw_arena_mark mark = zw_arena_mark_now(scratch);
    const double *value = zw_eval_walk(ctx, m, nroot, roots, n, symbols, values);
    const double *size = value ? sizes_of(ctx, m, value, depth) : NULL;
    for (int i = 0; size && i < nroot; i++)
        if (roots[i] != ZW_NULL)
            out[i] = (zw_sized){value[m->value[roots[i]]], size[m->value[roots[i]]]};
    zw_arena_release(scratch, mark);
    zw_memo_end(ctx);
}
