/* SPDX-License-Identifier: MIT */
/* Derivatives, symbolic, on the shared graph.
 *
 * Forward: one sweep over the nodes below e, arguments first, carries de = sum_i (de/da_i) da_i from
 * given seeds ds. With the seed of one symbol 1 it is a partial derivative, with seeds s' the total
 * time derivative. Nodes whose symbol mask misses the seeded symbols are never visited.
 * Reverse: one sweep from e down collects at each node the list of its adjoint contributions and adds
 * them when the node is reached; all partial derivatives come out of one sweep.
 * Either way each node is differentiated once, so shared parts stay shared. */
#include "store.h"

/* prod without its factor i, times b_i^e_i replaced by `instead` */
static zw_expr product_with(zw_context *ctx, const zw_expr *args, int n, int i, zw_expr instead) {
    zw_expr small[33], *factors = small;
    zw_arena_mark mark = zw_arena_mark_now(&ctx->scratch);
    if (n / 2 + 1 > 33)
        factors = ZW_NEW(&ctx->scratch, zw_expr, n / 2 + 1);
    if (!factors)
        return zw_store_fail(ctx, ZW_E_MEMORY, "out of memory for expressions");
    int m = 0;
    for (int j = 0; j < n; j += 2)
        if (j != i)
            factors[m++] = zw_pow(ctx, args[j], args[j + 1]);
    factors[m++] = instead;
    zw_expr result = zw_product(ctx, m, factors);
    zw_arena_release(&ctx->scratch, mark);
    return result;
}

/* e b^(e-1), the derivative of b^e by its base */
static zw_expr power_slope(zw_context *ctx, zw_expr base, zw_expr exponent) {
    return zw_mul(ctx, exponent, zw_pow(ctx, base, zw_sub(ctx, exponent, ZW_ONE)));
}

/* de/d(argument k), k as stored; 0 for coefficients */
static zw_expr partial(zw_context *ctx, zw_expr e, int k) {
    const node *f = node_of(ctx, e);
    const zw_expr *args = f->args;
    int n = f->n;
    if (f->op == ZW_OP_SUM)
        return k % 2 ? args[k + 1] : ZW_ZERO;
    if (f->op == ZW_OP_PRODUCT) {
        if (k % 2 == 0)
            return product_with(ctx, args, n, k, power_slope(ctx, args[k], args[k + 1]));
        return zw_mul(ctx, e, zw_apply(ctx, ZW_OP_LOG, 1, &args[k - 1]));
    }
    return zw_function_partial(ctx, e, k);
}

/* the symbols a mask stands for, as one mask */
static uint64_t mask_of(const zw_context *ctx, int n, const zw_expr *symbols) {
    uint64_t mask = 0;
    for (int i = 0; i < n; i++)
        mask |= symbols[i] ? node_of(ctx, symbols[i])->mask : 0;
    return mask;
}

/* what a sweep left for e: nodes it never visited have no derivative */
static zw_expr swept(const memo *m, zw_expr e) {
    return memo_has(m, e) ? m->value[e] : ZW_ZERO;
}

/* de from the d's of its arguments in the memo */
static zw_expr forward_node(zw_context *ctx, const memo *m, zw_expr e) {
    int n, count = 0;
    const zw_expr *args = zw_expr_args(ctx, e, &n);
    zw_expr small[64], *terms = small;
    zw_arena_mark mark = zw_arena_mark_now(&ctx->scratch);
    if (n > 64)
        terms = ZW_NEW(&ctx->scratch, zw_expr, n);
    if (!terms)
        return zw_store_fail(ctx, ZW_E_MEMORY, "out of memory for expressions");
    for (int k = 0; k < n; k++) {
        zw_expr d = swept(m, args[k]);
        if (d != ZW_ZERO)
            terms[count++] = zw_mul(ctx, partial(ctx, e, k), d);
    }
    zw_expr result = count == 0 ? ZW_ZERO : zw_sum(ctx, count, terms);
    zw_arena_release(&ctx->scratch, mark);
    return result;
}

/* sweep over all roots with seeds on the symbols; results stay in the memo */
static bool forward(zw_context *ctx, memo *m, int nroot, const zw_expr *roots, int n,
                    const zw_expr *symbols, const zw_expr *seeds) {
    if (!zw_memo_walk(ctx, m, nroot, roots, mask_of(ctx, n, symbols)))
        return false;
    for (int i = 0; i < m->count; i++) {
        zw_expr e = m->order[i], d = ZW_ZERO;
        if (node_of(ctx, e)->op == ZW_OP_SYMBOL) {
            for (int s = 0; s < n; s++)
                if (symbols[s] == e)
                    d = seeds[s];
        } else {
            d = forward_node(ctx, m, e);
        }
        if (!d)
            return false;
        memo_set(m, e, d);
    }
    return true;
}

zw_expr zw_along(zw_context *ctx, zw_expr e, int n, const zw_expr *symbols,
                 const zw_expr *directions) {
    if (!e)
        return ZW_NULL;
    memo *m = zw_memo_begin(ctx);
    if (!m)
        return ZW_NULL;
    zw_expr result = forward(ctx, m, 1, &e, n, symbols, directions) ? swept(m, e) : ZW_NULL;
    zw_memo_end(ctx);
    return result;
}

zw_expr zw_diff(zw_context *ctx, zw_expr e, zw_expr symbol) {
    zw_expr one = ZW_ONE;
    return zw_along(ctx, e, 1, &symbol, &one);
}

/* ---------------------------------------------------------------------------------- reverse */

typedef struct contribution {
    struct contribution *next;
    zw_expr value;
} contribution;

/* the sum of a list of contributions */
static zw_expr collect(zw_context *ctx, const contribution *list) {
    int n = 0, i = 0;
    for (const contribution *c = list; c; c = c->next)
        n++;
    if (n == 1)
        return list->value;
    zw_arena_mark mark = zw_arena_mark_now(&ctx->scratch);
    zw_expr small[64], *terms = n <= 64 ? small : ZW_NEW(&ctx->scratch, zw_expr, n);
    if (!terms)
        return zw_store_fail(ctx, ZW_E_MEMORY, "out of memory for expressions");
    for (const contribution *c = list; c; c = c->next)
        terms[i++] = c->value;
    zw_expr sum = zw_sum(ctx, n, terms);
    zw_arena_release(&ctx->scratch, mark);
    return sum;
}

static bool reverse(zw_context *ctx, memo *m, zw_expr e, uint64_t mask) {
    if (!zw_memo_walk(ctx, m, 1, &e, mask))
        return false;
    if (m->count == 0)
        return true; /* e holds none of the symbols */
    /* the memo holds for each node its place in `adjoint` */
    contribution **adjoint = ZW_NEW(&ctx->scratch, contribution *, m->count + 1);
    if (!adjoint)
        return false;
    for (int i = 0; i < m->count; i++)
        memo_set(m, m->order[i], (uint32_t)i);
    contribution seed = {NULL, ZW_ONE};
    adjoint[m->count - 1] = &seed;
    for (int i = m->count - 1; i >= 0; i--) {
        zw_expr x = m->order[i];
        zw_expr sum = adjoint[i] ? collect(ctx, adjoint[i]) : ZW_ZERO;
        if (!sum)
            return false;
        int n;
        const zw_expr *args = zw_expr_args(ctx, x, &n);
        for (int k = 0; k < n && sum != ZW_ZERO; k++) {
            if (!memo_has(m, args[k]))
                continue;
            zw_expr slope = partial(ctx, x, k);
            if (slope == ZW_ZERO)
                continue;
            contribution *c = ZW_NEW(&ctx->scratch, contribution, 1);
            if (!c)
                return false;
            uint32_t place = m->value[args[k]];
            *c = (contribution){adjoint[place], zw_mul(ctx, sum, slope)};
            adjoint[place] = c;
        }
        /* done with this node: from here on the memo holds its adjoint */
        memo_set(m, x, sum);
    }
    return true;
}

void zw_gradient(zw_context *ctx, zw_expr e, int n, const zw_expr *symbols, zw_expr *out) {
    memo *m = e ? zw_memo_begin(ctx) : NULL;
    zw_arena_mark mark = zw_arena_mark_now(&ctx->scratch);
    bool ok = m && reverse(ctx, m, e, mask_of(ctx, n, symbols));
    if (m && !ok && ctx->status == ZW_OK)
        zw_store_fail(ctx, ZW_E_MEMORY, "out of memory for expressions");
    for (int i = 0; i < n; i++)
        out[i] = ok ? swept(m, symbols[i]) : ZW_NULL;
    zw_arena_release(&ctx->scratch, mark);
    if (m)
        zw_memo_end(ctx);
}

void zw_jacobian(zw_context *ctx, int rows, const zw_expr *e, int n, const zw_expr *symbols,
                 zw_expr *out) {
    for (int j = 0; j < n; j++) {
        zw_expr one = ZW_ONE;
        memo *m = zw_memo_begin(ctx);
        bool ok = m && forward(ctx, m, rows, e, 1, &symbols[j], &one);
        for (int i = 0; i < rows; i++)
            out[i * n + j] = ok && e[i] ? swept(m, e[i]) : ZW_NULL;
        if (m)
            zw_memo_end(ctx);
    }
}

void zw_hessian(zw_context *ctx, zw_expr e, int n, const zw_expr *symbols, zw_expr *out) {
    zw_arena_mark mark = zw_arena_mark_now(&ctx->scratch);
    zw_expr *gradient = ZW_NEW(&ctx->scratch, zw_expr, n ? n : 1);
    if (!gradient) {
        zw_store_fail(ctx, ZW_E_MEMORY, "out of memory for expressions");
        for (int i = 0; i < n * n; i++)
            out[i] = ZW_NULL;
        return;
    }
    zw_gradient(ctx, e, n, symbols, gradient);
    /* row i from column i on, then mirrored */
    for (int j = 0; j < n; j++) {
        zw_expr one = ZW_ONE;
        memo *m = zw_memo_begin(ctx);
        bool ok = m && forward(ctx, m, j + 1, gradient, 1, &symbols[j], &one);
        for (int i = 0; i <= j; i++)
            out[i * n + j] = out[j * n + i] = ok && gradient[i] ? swept(m, gradient[i]) : ZW_NULL;
        if (m)
            zw_memo_end(ctx);
    }
    zw_arena_release(&ctx->scratch, mark);
}
