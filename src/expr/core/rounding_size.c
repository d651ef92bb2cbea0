/* SPDX-License-Identifier: MIT */
#include "rounding_size.h"

#include <math.h>

#include "store.h"

/* the size of the i-th node in the order of the memo, after those of its operands */
static double node_size(const zw_context *ctx, const memo *m, const double *value,
                        const double *size, int i) {
    const node *k = node_of(ctx, m->order[i]);
    double s = 1;
#define AT(j) m->value[k->args[j]]
    if (k->op == ZW_OP_PRODUCT) {
        for (int j = 0; j < k->n; j += 2)
            s *= zw_power_value(ctx, k->args[j + 1], size[AT(j)], value[AT(j + 1)]);
        return s;
    }
    if (k->op != ZW_OP_SUM)
        return fabs(value[i]);
    s = fabs(value[AT(0)]);
    for (int j = 1; j < k->n; j += 2)
        s += fabs(value[AT(j)] * value[AT(j + 1)]);
#undef AT
    return s;
}

void zw_eval_sizes(const zw_context *ctx, int nroot, const zw_expr *roots, int n,
                   const zw_expr *symbols, const double *values, zw_sized *out) {
    memo *m = zw_memo_begin(ctx);
    for (int i = 0; i < nroot; i++)
        out[i] = (zw_sized){NAN, NAN};
    if (!m)
        return;
    zw_arena *scratch = &((zw_context *)ctx)->scratch;
    zw_arena_mark mark = zw_arena_mark_now(scratch);
    const double *value = zw_eval_walk(ctx, m, nroot, roots, n, symbols, values);
    double *size = value ? ZW_NEW(scratch, double, m->count) : NULL;
    if (value && !size)
        zw_store_fail((zw_context *)ctx, ZW_E_MEMORY, "out of memory");
    for (int i = 0; size && i < m->count; i++)
        size[i] = node_size(ctx, m, value, size, i);
    for (int i = 0; size && i < nroot; i++)
        if (roots[i] != ZW_NULL)
            out[i] = (zw_sized){value[m->value[roots[i]]], size[m->value[roots[i]]]};
    zw_arena_release(scratch, mark);
    zw_memo_end(ctx);
}
