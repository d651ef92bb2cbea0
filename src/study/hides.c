/* SPDX-License-Identifier: MIT */
#include "hides.h"

#include "mech/system/build.h"

typedef struct walker {
    zw_context *ctx;
    int nsymbol;
    const zw_expr *symbol;
    bool conditions;
    bool *seen; /* nodes that were there at the beginning */
    zw_expr size;
} walker;

static bool is_hiding(zw_op op, bool conditions) {
    switch (op) {
    case ZW_OP_TANH:
    case ZW_OP_EXP:
    case ZW_OP_SINH:
    case ZW_OP_COSH:
        return true;
    case ZW_OP_ABS:
    case ZW_OP_SIGN:
    case ZW_OP_MIN:
    case ZW_OP_MAX:
    case ZW_OP_LT:
    case ZW_OP_LE:
    case ZW_OP_COND:
        return conditions;
    default:
        return false;
    }
}

static bool walk(walker *w, zw_expr e) {
    int n;
    if (e >= w->size || w->seen[e] || !zw_depends_any(w->ctx, e, w->nsymbol, w->symbol))
        return false;
    w->seen[e] = true;
    if (is_hiding(zw_expr_op(w->ctx, e), w->conditions))
        return true;
    const zw_expr *a = zw_expr_args(w->ctx, e, &n);
    for (int i = 0; i < n; i++)
        if (walk(w, a[i]))
            return true;
    return false;
}

bool zw_hides(zw_context *ctx, int n, const zw_expr *e, int nsymbol, const zw_expr *symbol,
              bool conditions) {
    walker w = {.ctx = ctx, .nsymbol = nsymbol, .symbol = symbol, .conditions = conditions};
    zw_arena_mark mark = zw_scratch_mark(ctx);
    bool found = false;
    w.size = zw_context_node_count(ctx) + 1; /* the last one has this number */
    w.seen = ZW_SCRATCH_NEW(ctx, bool, w.size);
    for (int i = 0; w.seen && i < n && !found; i++)
        found = walk(&w, e[i]);
    zw_scratch_release(ctx, mark);
    return found;
}
