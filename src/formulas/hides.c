/* SPDX-License-Identifier: MIT */
#include "hides.h"

#include "expr/calculus/ratio.h"
#include "mech/system/build.h"

typedef struct dependence_search {
    zw_context *ctx;
    int nsymbol;
    const zw_expr *symbol;
    const zw_expr *field; /* nsymbol; NULL: any change of the symbols counts */
    bool conditions;
    bool *seen; /* nodes that existed at the beginning */
    zw_expr size;
} dependence_search;

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

/* Is it proved that no argument of e changes along the field? */
static bool keeps_arguments(const dependence_search *w, zw_expr e) {
    int n;
    zw_expr_args(w->ctx, e, &n);
    for (int i = 0; i < n; i++) { /* derivatives may move the arguments */
        zw_expr argument = zw_expr_args(w->ctx, e, &n)[i];
        if (!zw_ratio_is_zero(w->ctx, zw_along(w->ctx, argument, w->nsymbol, w->symbol, w->field)))
            return false;
    }
    return true;
}

static bool has_hiding_part(dependence_search *w, zw_expr e) {
    int n;
    if (e >= w->size || w->seen[e] || !zw_depends_any(w->ctx, e, w->nsymbol, w->symbol))
        return false;
    w->seen[e] = true;
    if (is_hiding(zw_expr_op(w->ctx, e), w->conditions))
        return !w->field || !keeps_arguments(w, e);
    zw_expr_args(w->ctx, e, &n);
    for (int i = 0; i < n; i++)
        if (has_hiding_part(w, zw_expr_args(w->ctx, e, &n)[i]))
            return true;
    return false;
}

static bool find_dependence(dependence_search *w, int n, const zw_expr *e) {
    bool found = false;
    zw_arena_mark mark = zw_scratch_mark(w->ctx);
    w->size = zw_context_node_count(w->ctx) + 1; /* the last one has this number */
    w->seen = ZW_SCRATCH_NEW(w->ctx, bool, w->size);
    for (int i = 0; w->seen && i < n && !found; i++)
        found = has_hiding_part(w, e[i]);
    zw_scratch_release(w->ctx, mark);
    return found;
}

bool zw_hides(zw_context *ctx, int n, const zw_expr *e, int nsymbol, const zw_expr *symbol,
              bool conditions) {
    dependence_search w = {
        .ctx = ctx, .nsymbol = nsymbol, .symbol = symbol, .conditions = conditions};
    return find_dependence(&w, n, e);
}

bool zw_hides_along(zw_context *ctx, int n, const zw_expr *e, int nsymbol, const zw_expr *symbol,
                    const zw_expr *field) {
    zw_arena_mark mark = zw_scratch_mark(ctx);
    zw_expr *moved = ZW_SCRATCH_NEW(ctx, zw_expr, 2 * nsymbol + 1);
    dependence_search w = {
        .ctx = ctx, .symbol = moved, .field = moved ? moved + nsymbol : NULL, .conditions = true};
    for (int i = 0; moved && i < nsymbol; i++)
        if (field[i] != ZW_ZERO) {
            moved[w.nsymbol] = symbol[i];
            moved[nsymbol + w.nsymbol++] = field[i];
        }
    bool found = find_dependence(&w, n, e);
    zw_scratch_release(ctx, mark);
    return found;
}
