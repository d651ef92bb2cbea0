/* SPDX-License-Identifier: MIT */
/* Kinks locked to one piece on both sides of the point where they switch, so that a step of an
 * integration sees a smooth function. With the mode m of the surface s (kink.c):
 *
 *     abs(a) -> m a          sign(a) -> m            a < b, a <= b -> m < 0
 *     min(a, b) -> m < 0 ? a : b                     max(a, b) -> m < 0 ? b : a
 *     atan2(y, x) -> m > 0 ? pi/2 + atan2(-x, y) : -pi/2 + atan2(x, -y)     no cut near y = 0
 *     a table -> the polynomial of piece m, whose coefficients are tables over the number of the
 *     piece
 *
 * A mode of ZW_MODE_FREE leaves the kink as it is. */
#include "fixed_pieces.h"

#include "expr/core/store.h"

static zw_expr apply_unary(zw_context *ctx, zw_op op, zw_expr a) {
    return zw_apply(ctx, op, 1, &a);
}

static zw_expr apply_binary(zw_context *ctx, zw_op op, zw_expr a, zw_expr b) {
    return zw_apply(ctx, op, 2, (zw_expr[]){a, b});
}

static const zw_lock *lock_of(int nlock, const zw_lock *lock, zw_expr part) {
    int low = 0, high = nlock;
    while (low < high) {
        int middle = (low + high) / 2;
        if (lock[middle].part < part)
            low = middle + 1;
        else
            high = middle;
    }
    return low < nlock && lock[low].part == part ? &lock[low] : NULL;
}

/* ------------------------------------------------------------------------------------- tables */

/* entry j (the knot, then the coefficients) of piece -1 .. n-1 */
static double entry_of(const zw_spline *s, int piece, int j) {
    if (j == 0)
        return s->x[piece < 0 ? 0 : piece];
    if (piece < 0 || piece >= s->n - 1)
        return j > 1 ? 0 : piece < 0 ? s->first : s->last;
    return s->coef[4 * (size_t)piece + (size_t)(j - 1)];
}

/* Entry j as an expression of the mode: a number where all pieces agree, else a table over the
 * indices of the pieces, which is exact at integers. Created once for each table of the context. */
static zw_expr table_entry(zw_context *ctx, int table, int j, zw_expr mode) {
    zw_spline *s = &ctx->splines[table];
    int n = s->n;
    bool same = true;
    for (int i = 0; i < n; i++)
        same = same && entry_of(s, i, j) == entry_of(s, -1, j);
    if (same)
        return zw_real(ctx, entry_of(s, -1, j));
    if (!s->entry[j]) {
        zw_arena_mark mark = zw_arena_mark_now(&ctx->scratch);
        double *x = ZW_NEW(&ctx->scratch, double, n + 1), *y = ZW_NEW(&ctx->scratch, double, n + 1);
        if (!x || !y)
            return zw_store_fail(ctx, ZW_E_MEMORY, "out of memory for a table");
        for (int i = -1; i < n; i++) {
            x[i + 1] = i;
            y[i + 1] = entry_of(s, i, j);
        }
        int number = zw_tabulate(ctx, n + 1, x, y, ZW_LINEAR);
        zw_arena_release(&ctx->scratch, mark);
        if (number < 0)
            return ZW_NULL;
        s = &ctx->splines[table]; /* appending may move the array */
        s->entry[j] = number;
    }
    return zw_lookup(ctx, s->entry[j], 0, mode);
}

/* the order-th derivative of the polynomial of piece `mode` at x, by Horner's rule */
static zw_expr piece_polynomial(zw_context *ctx, int table, int order, zw_expr x, zw_expr mode) {
    static const int factor[4][4] = {{1, 1, 1, 1}, {0, 1, 2, 3}, {0, 0, 2, 6}, {0, 0, 0, 6}};
    zw_expr d = zw_sub(ctx, x, table_entry(ctx, table, 0, mode)), value = ZW_ZERO;
    for (int j = 3; j >= order; j--) {
        zw_expr c =
            zw_mul(ctx, zw_integer(ctx, factor[order][j]), table_entry(ctx, table, j + 1, mode));
        value = zw_add(ctx, zw_mul(ctx, value, d), c);
    }
    return value;
}

/* ------------------------------------------------------------------------------------- one kink */

static zw_expr is_below(zw_context *ctx, zw_expr mode) {
    return apply_binary(ctx, ZW_OP_LT, mode, ZW_ZERO);
}

static zw_expr locked_atan2(zw_context *ctx, zw_expr below, zw_expr y, zw_expr x) {
    zw_expr quarter = zw_div(ctx, ZW_PI, ZW_TWO);
    return zw_cond(ctx, below,
                   zw_sub(ctx, apply_binary(ctx, ZW_OP_ATAN2, x, zw_neg(ctx, y)), quarter),
                   zw_add(ctx, apply_binary(ctx, ZW_OP_ATAN2, zw_neg(ctx, x), y), quarter));
}

/* the kink, whose arguments a are locked already, locked to the piece of its mode */
static zw_expr lock_kink(zw_context *ctx, zw_op op, const zw_expr *a, const zw_lock *l) {
    zw_expr m = l->sign < 0 ? zw_neg(ctx, l->mode) : l->mode;
    switch (op) {
    case ZW_OP_ABS:
        return zw_mul(ctx, m, a[0]);
    case ZW_OP_SIGN:
        return m;
    case ZW_OP_LT:
    case ZW_OP_LE:
        return is_below(ctx, m);
    case ZW_OP_MIN:
        return zw_cond(ctx, is_below(ctx, m), a[0], a[1]);
    case ZW_OP_MAX:
        return zw_cond(ctx, is_below(ctx, m), a[1], a[0]);
    case ZW_OP_ATAN2:
        return locked_atan2(ctx, is_below(ctx, m), a[0], a[1]);
    case ZW_OP_TABLE:
        return piece_polynomial(ctx, (int)zw_expr_number(ctx, a[0]), (int)zw_expr_number(ctx, a[1]),
                                a[2], m);
    default:
        return ZW_NULL;
    }
}

/* the node x with its new arguments from the memo, locked if it is a kink of the list */
static zw_expr renew_node(zw_context *ctx, const memo *m, zw_expr x, int nlock,
                          const zw_lock *lock) {
    const zw_lock *l = lock_of(nlock, lock, x);
    zw_expr free = zw_store_rebuild_from(ctx, m, x), now[3];
    if (!l || !free)
        return free;
    int n;
    const zw_expr *args = zw_expr_args(ctx, x, &n);
    for (int i = 0; i < n; i++)
        now[i] = m->value[args[i]];
    zw_expr is_locked = apply_binary(ctx, ZW_OP_LT, l->mode, zw_real(ctx, ZW_MODE_FREE));
    return zw_cond(ctx, is_locked, lock_kink(ctx, zw_expr_op(ctx, x), now, l), free);
}

/* rewrites every node below the expressions, in the memo */
static bool renew_all(zw_context *ctx, memo *m, int n, const zw_expr *e, int nlock,
                      const zw_lock *lock) {
    bool ok = zw_memo_walk(ctx, m, n, e, UINT64_MAX);
    for (int i = 0; ok && i < m->count; i++) {
        zw_expr x = m->order[i];
        zw_expr y = node_of(ctx, x)->op <= ZW_OP_SYMBOL ? x : renew_node(ctx, m, x, nlock, lock);
        ok = y != ZW_NULL;
        memo_set(m, x, y);
    }
    return ok;
}

void zw_lock_kinks(zw_context *ctx, int n, zw_expr *e, int nlock, const zw_lock *lock) {
    memo *m = nlock > 0 ? zw_memo_begin(ctx) : NULL;
    if (!m)
        return;
    bool ok = renew_all(ctx, m, n, e, nlock, lock);
    for (int i = 0; i < n; i++)
        e[i] = ok && e[i] ? m->value[e[i]] : ZW_NULL;
    zw_memo_end(ctx);
}

/* --------------------------------------------------------------------------------- what decides */

/* adds `when` to the condition under which x decides */
static void extend_reach(zw_context *ctx, const memo *m, zw_expr *reached, zw_expr x,
                         zw_expr when) {
    zw_expr *r = &reached[m->value[x]];
    if (*r != when)
        *r = *r == ZW_ZERO ? when : apply_binary(ctx, ZW_OP_OR, *r, when);
}

/* from the expressions down to their nodes; new: the node that replaces each of them */
static void reach_all(zw_context *ctx, const memo *m, const zw_expr *new, zw_expr *reached) {
    for (int i = m->count - 1; i >= 0; i--) {
        zw_expr x = m->order[i], here = reached[i];
        int n;
        const zw_expr *a = zw_expr_args(ctx, x, &n);
        bool choice = zw_expr_op(ctx, x) == ZW_OP_COND;
        zw_expr test = choice ? new[m->value[a[0]]] : ZW_ONE;
        for (int k = 0; k < n; k++) {
            zw_expr when = here;
            if (choice && k == 1)
                when = apply_binary(ctx, ZW_OP_AND, here, test);
            if (choice && k == 2)
                when = apply_binary(ctx, ZW_OP_AND, here, apply_unary(ctx, ZW_OP_NOT, test));
            extend_reach(ctx, m, reached, a[k], when);
        }
    }
}

/* the nodes in the order of the memo, rewritten, in scratch memory */
static zw_expr *rewritten_nodes(zw_context *ctx, int n, const zw_expr *e, int nlock,
                                const zw_lock *lock) {
    memo *m = zw_memo_begin(ctx);
    if (!m)
        return NULL;
    bool ok = renew_all(ctx, m, n, e, nlock, lock);
    zw_expr *new = ok ? ZW_NEW(&ctx->scratch, zw_expr, m->count + 1) : NULL;
    for (int i = 0; new &&i < m->count; i++)
        new[i] = m->value[m->order[i]];
    zw_memo_end(ctx);
    return new;
}

void zw_lock_live(zw_context *ctx, int n, const zw_expr *e, int nlock, const zw_lock *lock,
                  zw_expr *live) {
    zw_arena_mark mark = zw_arena_mark_now(&ctx->scratch);
    zw_expr *new = rewritten_nodes(ctx, n, e, nlock, lock);
    memo *m = new ? zw_memo_begin(ctx) : NULL;
    if (m && zw_memo_walk(ctx, m, n, e, UINT64_MAX)) {
        zw_expr *reached = ZW_NEW(&ctx->scratch, zw_expr, m->count + 1);
        for (int i = 0; reached && i < m->count; i++) {
            reached[i] = ZW_ZERO;
            memo_set(m, m->order[i], (uint32_t)i);
        }
        for (int i = 0; reached && i < n; i++)
            if (e[i])
                reached[m->value[e[i]]] = ZW_ONE;
        if (reached)
            reach_all(ctx, m, new, reached);
        for (int i = 0; i < nlock; i++)
            live[i] =
                reached && memo_has(m, lock[i].part) ? reached[m->value[lock[i].part]] : ZW_ZERO;
    }
    if (m)
        zw_memo_end(ctx);
    if (!new || !m)
        zw_store_fail(ctx, ZW_E_MEMORY, "out of memory for expressions");
    zw_arena_release(&ctx->scratch, mark);
}
