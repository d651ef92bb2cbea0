/* SPDX-License-Identifier: MIT */
/* Substitution, expansion, coefficients of linear and quadratic forms, and which symbols occur. */
#include <math.h>
#include <string.h>

#include "expr/core/store.h"

zw_expr zw_store_rebuild(zw_context *ctx, zw_expr e, const zw_expr *args) {
    const node *k = node_of(ctx, e);
    zw_op op = (zw_op)k->op;
    int n = k->n;
    zw_arena_mark mark = zw_arena_mark_now(&ctx->scratch);
    if (op != ZW_OP_SUM && op != ZW_OP_PRODUCT)
        return zw_apply(ctx, op, n, args);
    zw_expr small[64], *parts = n <= 64 ? small : ZW_NEW(&ctx->scratch, zw_expr, n), result;
    if (!parts)
        return zw_store_fail(ctx, ZW_E_MEMORY, "out of memory for expressions");
    int m = 0;
    if (op == ZW_OP_SUM) {
        parts[m++] = args[0];
        for (int i = 1; i < n; i += 2)
            parts[m++] = zw_mul(ctx, args[i], args[i + 1]);
        result = zw_sum(ctx, m, parts);
    } else {
        for (int i = 0; i < n; i += 2)
            parts[m++] = zw_pow(ctx, args[i], args[i + 1]);
        result = zw_product(ctx, m, parts);
    }
    zw_arena_release(&ctx->scratch, mark);
    return result;
}

zw_expr zw_store_rebuild_from(zw_context *ctx, const memo *m, zw_expr e) {
    int n;
    const zw_expr *args = zw_expr_args(ctx, e, &n);
    bool changed = false;
    zw_arena_mark mark = zw_arena_mark_now(&ctx->scratch);
    zw_expr small[64], *now = n <= 64 ? small : ZW_NEW(&ctx->scratch, zw_expr, n);
    if (!now)
        return zw_store_fail(ctx, ZW_E_MEMORY, "out of memory for expressions");
    for (int i = 0; i < n; i++) {
        now[i] = memo_has(m, args[i]) ? m->value[args[i]] : args[i];
        changed |= now[i] != args[i];
    }
    zw_expr result = changed ? zw_store_rebuild(ctx, e, now) : e;
    zw_arena_release(&ctx->scratch, mark);
    return result;
}

static zw_expr replace_parts(zw_context *ctx, zw_expr e, bool symbols, int n, const zw_expr *what,
                             const zw_expr *with) {
    if (!e)
        return ZW_NULL;
    uint64_t mask = 0;
    for (int i = 0; i < n; i++)
        mask |= node_of(ctx, what[i])->mask;
    if (!(node_of(ctx, e)->mask & mask))
        return e;
    memo *m = zw_memo_begin(ctx);
    if (!m)
        return ZW_NULL;
    bool ok = zw_memo_walk(ctx, m, 1, &e, mask);
    for (int i = 0; ok && i < m->count; i++) {
        zw_expr x = m->order[i], y = x;
        bool symbol = node_of(ctx, x)->op == ZW_OP_SYMBOL, found = false;
        for (int s = 0; (symbol || !symbols) && s < n; s++)
            if (what[s] == x) {
                y = with[s];
                found = true;
            }
        if (!symbol && !found)
            y = zw_store_rebuild_from(ctx, m, x);
        ok = y != ZW_NULL;
        memo_set(m, x, y);
    }
    zw_expr result = ok ? m->value[e] : ZW_NULL;
    zw_memo_end(ctx);
    return result;
}

zw_expr zw_subst(zw_context *ctx, zw_expr e, int n, const zw_expr *symbols, const zw_expr *values) {
    return replace_parts(ctx, e, true, n, symbols, values);
}

zw_expr zw_replace(zw_context *ctx, zw_expr e, int n, const zw_expr *parts, const zw_expr *values) {
    return replace_parts(ctx, e, false, n, parts, values);
}

/* ---------------------------------------------------------------------------------- expand */

/* the terms of e as separate expressions; 1 if it is not a sum */
static int split_terms(zw_context *ctx, zw_expr e, const zw_expr **args) {
    const node *k = node_of(ctx, e);
    *args = k->args;
    return k->op == ZW_OP_SUM ? (k->n + 1) / 2 : 1;
}

static zw_expr term_of(zw_context *ctx, zw_expr e, const zw_expr *args, int count, int i) {
    if (count == 1 && node_of(ctx, e)->op != ZW_OP_SUM)
        return e;
    return i == 0 ? args[0] : zw_mul(ctx, args[2 * i - 1], args[2 * i]);
}

static zw_expr multiply_out(zw_context *ctx, zw_expr a, zw_expr b) {
    const zw_expr *p, *q;
    int n = split_terms(ctx, a, &p), m = split_terms(ctx, b, &q);
    if (n == 1 && m == 1)
        return zw_mul(ctx, a, b);
    zw_arena_mark mark = zw_arena_mark_now(&ctx->scratch);
    zw_expr *terms = ZW_NEW(&ctx->scratch, zw_expr, (size_t)n * (size_t)m);
    if (!terms)
        return zw_store_fail(ctx, ZW_E_MEMORY, "out of memory for expressions");
    int count = 0;
    for (int i = 0; i < n; i++)
        for (int j = 0; j < m; j++)
            terms[count++] = zw_mul(ctx, term_of(ctx, a, p, n, i), term_of(ctx, b, q, m, j));
    zw_expr sum = zw_sum(ctx, count, terms);
    zw_arena_release(&ctx->scratch, mark);
    return sum;
}

/* Products with more terms than this are not multiplied out. */
enum { EXPAND_MAX = 4000 };

/* number of terms of a b^p, where b has n terms: that of a times (p + 1)(p + 2) ... (p + n - 1) /
 * (n - 1)! */
static double power_terms(zw_context *ctx, zw_expr a, zw_expr b, int64_t p) {
    const zw_expr *args;
    double count = split_terms(ctx, a, &args);
    int n = split_terms(ctx, b, &args);
    for (int i = 1; i < n && count <= (double)EXPAND_MAX; i++)
        count *= ((double)p + i) / i;
    return count;
}

/* a product whose bases are expanded already */
static zw_expr expand_product(zw_context *ctx, zw_expr e) {
    int n;
    const zw_expr *args = zw_expr_args(ctx, e, &n);
    zw_expr result = ZW_ONE;
    for (int i = 0; i < n; i += 2) {
        int64_t p, q;
        bool sum = node_of(ctx, args[i])->op == ZW_OP_SUM;
        if (sum && zw_expr_is_rational(ctx, args[i + 1], &p, &q) && q == 1 && p > 0) {
            if (power_terms(ctx, result, args[i], p) > (double)EXPAND_MAX)
                result = zw_mul(ctx, result, zw_pow(ctx, args[i], args[i + 1]));
            else
                for (int64_t k = 0; k < p && result; k++)
                    result = multiply_out(ctx, result, args[i]);
        } else {
            result = multiply_out(ctx, result, zw_pow(ctx, args[i], args[i + 1]));
        }
        if (!result)
            return ZW_NULL;
    }
    return result;
}

/* a product, or a product times a coefficient that came from its rebuilt bases */
static zw_expr expand_monomial(zw_context *ctx, zw_expr e) {
    const node *k = node_of(ctx, e);
    if (k->op == ZW_OP_PRODUCT)
        return expand_product(ctx, e);
    if (k->op != ZW_OP_SUM || k->n != 3 || node_of(ctx, k->args[1])->op != ZW_OP_PRODUCT)
        return e;
    zw_expr coefficient = k->args[2];
    return zw_mul(ctx, coefficient, expand_product(ctx, k->args[1]));
}

/* true for a product with a length among its factors */
static bool has_length(const zw_context *ctx, zw_expr e) {
    const node *k = node_of(ctx, e);
    for (int i = 0; k->op == ZW_OP_PRODUCT && i < k->n; i += 2)
        if (zw_is_length(ctx, k->args[i], k->args[i + 1]))
            return true;
    return false;
}

static zw_expr expand_once(zw_context *ctx, zw_expr e, bool lengths) {
    memo *m = zw_memo_begin(ctx);
    if (!m)
        return ZW_NULL;
    bool ok = zw_memo_walk(ctx, m, 1, &e, UINT64_MAX);
    for (int i = 0; ok && i < m->count; i++) {
        zw_expr x = m->order[i];
        bool keep = node_of(ctx, x)->op <= ZW_OP_SYMBOL || (!lengths && has_length(ctx, x));
        zw_expr y = keep ? x : zw_store_rebuild_from(ctx, m, x);
        if (y && !keep && node_of(ctx, x)->op == ZW_OP_PRODUCT)
            y = expand_monomial(ctx, y);
        ok = y != ZW_NULL;
        memo_set(m, x, y);
    }
    zw_expr result = ok ? m->value[e] : ZW_NULL;
    zw_memo_end(ctx);
    return result;
}

static zw_expr expand_fully(zw_context *ctx, zw_expr e, bool lengths) {
    /* Multiplying out can join roots, sqrt(s) sqrt(s) = s, to sums that have to be multiplied out
     * again; every round leaves fewer roots. */
    for (zw_expr before = ZW_NULL; e && e != before;) {
        before = e;
        e = expand_once(ctx, e, lengths);
    }
    return e;
}

zw_expr zw_expand(zw_context *ctx, zw_expr e) {
    return expand_fully(ctx, e, true);
}

zw_expr zw_expand_keeping_lengths(zw_context *ctx, zw_expr e) {
    return expand_fully(ctx, e, false);
}

/* -------------------------------------------------------------------------------- shorten */

enum { TERMS_MAX = 4000 };

double zw_expanded_terms(zw_context *ctx, zw_expr e) {
    memo *m = zw_memo_begin(ctx);
    double result = HUGE_VAL;
    zw_arena_mark mark = zw_arena_mark_now(&ctx->scratch);
    if (m && zw_memo_walk(ctx, m, 1, &e, UINT64_MAX)) {
        double *terms = ZW_NEW(&ctx->scratch, double, m->count + 1), largest = 0;
        for (int i = 0; terms && i < m->count; i++) {
            const node *k = node_of(ctx, m->order[i]);
            memo_set(m, m->order[i], (uint32_t)i);
            terms[i] = 1;
            if (k->op == ZW_OP_SUM) {
                for (int j = 1; j < k->n; j += 2)
                    terms[i] += terms[m->value[k->args[j]]];
            } else if (k->op == ZW_OP_PRODUCT) {
                for (int j = 0; j < k->n; j += 2) {
                    int64_t p, q;
                    if (zw_expr_is_rational(ctx, k->args[j + 1], &p, &q) && q == 1 && p > 0)
                        terms[i] *= pow(terms[m->value[k->args[j]]], (double)p);
                }
            }
            largest = fmax(largest, terms[i]);
        }
        if (terms)
            result = largest;
        else
            zw_store_fail(ctx, ZW_E_MEMORY, "out of memory for expressions");
    }
    zw_arena_release(&ctx->scratch, mark);
    if (m)
        zw_memo_end(ctx);
    return result;
}

/* Squares under a root stay: multiplied out, their sum may be negative by round-off where it
 * vanishes. */
void zw_shorten(zw_context *ctx, int n, zw_expr *e) {
    zw_arena_mark mark = zw_arena_mark_now(&ctx->scratch);
    zw_expr *candidate = ZW_NEW(&ctx->scratch, zw_expr, n ? n : 1);
    if (!candidate) {
        zw_store_fail(ctx, ZW_E_MEMORY, "out of memory for expressions");
        return;
    }
    for (int i = 0; i < n; i++) {
        candidate[i] = e[i];
        if (!e[i] || zw_expanded_terms(ctx, e[i]) > (double)TERMS_MAX)
            continue;
        zw_expr wide = expand_fully(ctx, e[i], false);
        if (wide && zw_count(ctx, 1, &wide) < zw_count(ctx, 1, &e[i]))
            candidate[i] = wide;
    }
    if (ctx->status == ZW_OK && zw_count(ctx, n, candidate) < zw_count(ctx, n, e))
        memcpy(e, candidate, (size_t)n * sizeof *e);
    zw_arena_release(&ctx->scratch, mark);
}

/* ----------------------------------------------------------------------------- coefficients */

static bool any_depends(const zw_context *ctx, int m, const zw_expr *e, int n,
                        const zw_expr *symbols) {
    for (int i = 0; i < m; i++)
        if (zw_depends_any(ctx, e[i], n, symbols))
            return true;
    return false;
}

/* e with the symbols at zero */
static zw_expr at_zero(zw_context *ctx, zw_expr e, int n, const zw_expr *symbols) {
    zw_arena_mark mark = zw_arena_mark_now(&ctx->scratch);
    zw_expr *zeros = ZW_NEW(&ctx->scratch, zw_expr, n ? n : 1);
    if (!zeros)
        return zw_store_fail(ctx, ZW_E_MEMORY, "out of memory for expressions");
    for (int i = 0; i < n; i++)
        zeros[i] = ZW_ZERO;
    zw_expr result = zw_subst(ctx, e, n, symbols, zeros);
    zw_arena_release(&ctx->scratch, mark);
    return result;
}

bool zw_linear(zw_context *ctx, zw_expr e, int n, const zw_expr *symbols, zw_expr *coef,
               zw_expr *rest) {
    zw_gradient(ctx, e, n, symbols, coef);
    if (ctx->status < 0)
        return false;
    if (any_depends(ctx, n, coef, n, symbols)) {
        /* it may only look nonlinear: (x + y)^2 - x^2 - y^2 */
        zw_gradient(ctx, zw_expand(ctx, e), n, symbols, coef);
        if (ctx->status < 0 || any_depends(ctx, n, coef, n, symbols))
            return false;
    }
    *rest = at_zero(ctx, e, n, symbols);
    return *rest != ZW_NULL;
}

bool zw_quadratic(zw_context *ctx, zw_expr e, int n, const zw_expr *symbols, zw_expr *A,
                  zw_expr *coef, zw_expr *rest) {
    zw_hessian(ctx, e, n, symbols, A);
    if (ctx->status < 0)
        return false;
    if (any_depends(ctx, n * n, A, n, symbols)) {
        zw_hessian(ctx, zw_expand(ctx, e), n, symbols, A);
        if (ctx->status < 0 || any_depends(ctx, n * n, A, n, symbols))
            return false;
    }
    zw_gradient(ctx, e, n, symbols, coef);
    for (int i = 0; i < n; i++)
        coef[i] = at_zero(ctx, coef[i], n, symbols);
    *rest = at_zero(ctx, e, n, symbols);
    return ctx->status >= 0;
}

/* ------------------------------------------------------------------------------ which symbols */

bool zw_depends_any(const zw_context *ctx, zw_expr e, int n, const zw_expr *symbols) {
    uint64_t mask = 0;
    for (int i = 0; i < n; i++)
        mask |= node_of(ctx, symbols[i])->mask;
    if (!e || !(node_of(ctx, e)->mask & mask))
        return false;
    if (ctx->symbol_count <= 64)
        return true; /* every symbol has its own bit */
    memo *m = zw_memo_begin(ctx);
    bool found = false;
    if (m && zw_memo_walk(ctx, m, 1, &e, mask))
        for (int i = 0; i < n && !found; i++)
            found = memo_has(m, symbols[i]);
    if (m)
        zw_memo_end(ctx);
    return found;
}

bool zw_depends(const zw_context *ctx, zw_expr e, zw_expr symbol) {
    return zw_depends_any(ctx, e, 1, &symbol);
}

bool zw_occurring(const zw_context *ctx, int m, const zw_expr *e, int n, const zw_expr *symbols,
                  bool *found) {
    uint64_t mask = 0;
    for (int i = 0; i < n; i++)
        mask |= node_of(ctx, symbols[i])->mask;
    memo *walk = zw_memo_begin(ctx);
    if (!walk)
        return false;
    bool enough = zw_memo_walk(ctx, walk, m, e, mask);
    for (int i = 0; enough && i < n; i++)
        found[i] = memo_has(walk, symbols[i]);
    zw_memo_end(ctx);
    return enough;
}

zw_expr zw_foreign_symbol(const zw_context *ctx, zw_expr e, int n, const zw_expr *symbols) {
    memo *m = e ? zw_memo_begin(ctx) : NULL;
    zw_expr found = ZW_NULL;
    if (m && zw_memo_walk(ctx, m, 1, &e, UINT64_MAX)) {
        for (int i = 0; i < m->count && !found; i++) {
            zw_expr x = m->order[i];
            bool known = node_of(ctx, x)->op != ZW_OP_SYMBOL;
            for (int s = 0; s < n && !known; s++)
                known = symbols[s] == x;
            if (!known)
                found = x;
        }
    }
    if (m)
        zw_memo_end(ctx);
    return found;
}
