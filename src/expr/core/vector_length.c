/* SPDX-License-Identifier: MIT */
/* Lengths where they vanish. A length is s^e with a sum of squares s = c_1 u_1^2 + c_2 u_2^2 + ...
 * that has no constant part, the c's positive, and e = 1/2, 3/2, ... Where s = 0 its derivative e
 * s^(e-1) ds is infinity times 0, because ds = 2 sum c_i u_i du_i vanishes there too. Written as
 *
 *     if(s, s^e, 0)         the same value for every s,
 *
 * its derivative is if(s, e s^(e-1) ds, 0), which is 0 at the origin: a subgradient of the length,
 * as sign(0) = 0 is one of abs. In a smooth function of a length it is the derivative, d_ij/eps for
 * v_i/(|v| + eps) at rest, and Newton's method needs no more. It is not used when a model is
 * derived: the direction of a force along a vector of zero length is unknown and must be
 * reported. */
#include "store.h"

static bool is_even(const zw_context *ctx, zw_expr exponent) {
    int64_t p, q;
    return zw_expr_is_rational(ctx, exponent, &p, &q) && q == 1 && p % 2 == 0;
}

/* true for a product of even powers */
static bool is_square(const zw_context *ctx, zw_expr e) {
    const node *k = node_of(ctx, e);
    for (int i = 1; i < k->n; i += 2)
        if (!is_even(ctx, k->args[i]))
            return false;
    return k->op == ZW_OP_PRODUCT;
}

static bool is_sum_of_squares(const zw_context *ctx, zw_expr e) {
    const node *k = node_of(ctx, e);
    if (k->op != ZW_OP_SUM)
        return is_square(ctx, e);
    for (int i = 1; i < k->n; i += 2)
        if (!is_square(ctx, k->args[i]) ||
            zw_number_sign(zw_store_number_of(ctx, k->args[i + 1])) <= 0)
            return false;
    return k->args[0] == ZW_ZERO;
}

bool zw_is_length(const zw_context *ctx, zw_expr base, zw_expr exponent) {
    int64_t p, q;
    return zw_expr_is_rational(ctx, exponent, &p, &q) && q == 2 && p > 0 &&
           is_sum_of_squares(ctx, base);
}

/* False if one of the squares is a constant, as in regularisations: x'^2 + eps^2. */
static bool may_vanish(const zw_context *ctx, zw_expr e, int nvar, const zw_expr *variables) {
    const node *k = node_of(ctx, e);
    for (int i = 1; k->op == ZW_OP_SUM && i < k->n; i += 2)
        if (!zw_depends_any(ctx, k->args[i], nvar, variables))
            return false;
    return zw_depends_any(ctx, e, nvar, variables);
}

/* a product with its lengths written as choices */
static zw_expr guard_product(zw_context *ctx, zw_expr e, int nvar, const zw_expr *variables) {
    int n;
    const zw_expr *args = zw_expr_args(ctx, e, &n);
    for (int i = 0; i < n; i += 2) {
        zw_expr base = args[i], power = zw_pow(ctx, base, args[i + 1]);
        if (zw_is_length(ctx, base, args[i + 1]) && may_vanish(ctx, base, nvar, variables)) {
            zw_expr guarded = zw_cond(ctx, base, power, ZW_ZERO);
            e = zw_mul(ctx, zw_div(ctx, e, power), guarded);
        }
    }
    return e;
}

bool zw_guard_lengths(zw_context *ctx, int n, zw_expr *e, int nvar, const zw_expr *variables) {
    memo *m = zw_memo_begin(ctx);
    if (!m)
        return false;
    bool ok = zw_memo_walk(ctx, m, n, e, UINT64_MAX);
    for (int i = 0; ok && i < m->count; i++) {
        zw_expr x = m->order[i];
        zw_expr y = node_of(ctx, x)->op <= ZW_OP_SYMBOL ? x : zw_store_rebuild_from(ctx, m, x);
        if (y && node_of(ctx, y)->op == ZW_OP_PRODUCT)
            y = guard_product(ctx, y, nvar, variables);
        ok = y != ZW_NULL;
        memo_set(m, x, y);
    }
    for (int i = 0; ok && i < n; i++)
        e[i] = e[i] ? m->value[e[i]] : ZW_NULL;
    zw_memo_end(ctx);
    return ok;
}
