/* SPDX-License-Identifier: MIT */
/* Functions replaced one by one by the first terms of their series: with u_0 the value of an
 * argument u where the symbols are 0,
 *
 *     f(u)  ->  sum of the first `terms` terms  f^(j)(u_0)/j! (u - u_0)^j  that are not 0,
 *
 * sin x -> x - x^3/6 and cos x -> 1 - x^2/2 with two terms. People do this by hand before they
 * apply harmonic balance. Unlike a Taylor polynomial of the whole expression (taylor.c) it leaves
 * products as they are, so that their degree is not that of the terms. Powers with positive integer
 * exponents stay, others (roots, quotients) are functions of their bases. */
#include "expr/core/store.h"
#include "zwang/expr.h"

enum { DERIVATIVES_MAX = 20, TEXT_MAX = 120 };

typedef struct shortening {
    zw_context *ctx;
    int n, terms;
    const zw_expr *symbols, *zero; /* n */
    zw_expr dummy;
    zw_error *err;
} shortening;

static zw_expr report_no_series(const shortening *s, zw_expr part, const char *why) {
    zw_context_reset_status(s->ctx);
    char *text = zw_print_within(s->ctx, part, ZW_TEXT, TEXT_MAX);
    zw_fail(s->err, ZW_E_DOMAIN, "%s%shas no series of a few terms: %s", text ? text : "",
            text ? " " : "a part of it ", why);
    zw_string_free(s->ctx, text);
    return ZW_NULL;
}

/* the series of f(dummy) at u */
static zw_expr expand_series(const shortening *s, zw_expr f, zw_expr u, zw_expr whole) {
    zw_context *ctx = s->ctx;
    zw_expr at = zw_subst(ctx, u, s->n, s->symbols, s->zero), away = zw_sub(ctx, u, at),
            sum = ZW_ZERO, power = ZW_ONE;
    if (away == ZW_ZERO)
        return whole;
    int64_t factorial = 1; /* up to 20! it fits into 64 bits */
    for (int j = 0, found = 0; found < s->terms && j < DERIVATIVES_MAX; j++) {
        zw_expr slope = zw_subst(ctx, f, 1, &s->dummy, &at);
        if (ctx->status == ZW_E_DOMAIN)
            return report_no_series(s, whole, "it is not smooth where all coordinates are 0");
        if (slope && zw_expanded_terms(ctx, slope) < 1000)
            slope = zw_expand(ctx, slope);
        if (slope != ZW_ZERO) {
            zw_expr part[] = {slope, zw_rational(ctx, 1, factorial), power};
            sum = zw_add(ctx, sum, zw_product(ctx, 3, part));
            found++;
        }
        f = zw_diff(ctx, f, s->dummy);
        power = zw_mul(ctx, power, away);
        factorial *= j + 1;
        if (f == ZW_ZERO)
            break;
    }
    return sum;
}

static zw_expr shorten_power(const shortening *s, zw_expr base, zw_expr exponent) {
    int64_t p, q;
    zw_expr whole = zw_pow(s->ctx, base, exponent);
    if (zw_depends_any(s->ctx, exponent, s->n, s->symbols))
        return report_no_series(s, whole, "its exponent varies");
    if (zw_expr_is_rational(s->ctx, exponent, &p, &q) && q == 1 && p > 0)
        return whole;
    return expand_series(s, zw_pow(s->ctx, s->dummy, exponent), base, whole);
}

static zw_expr shorten_product(const shortening *s, const memo *m, zw_expr e) {
    int n;
    const zw_expr *args = zw_expr_args(s->ctx, e, &n);
    zw_expr product = ZW_ONE;
    for (int i = 0; i < n; i += 2) {
        zw_expr base = memo_has(m, args[i]) ? m->value[args[i]] : args[i],
                exponent = memo_has(m, args[i + 1]) ? m->value[args[i + 1]] : args[i + 1];
        product = zw_mul(s->ctx, product, shorten_power(s, base, exponent));
    }
    return product;
}

static zw_expr shorten_node(const shortening *s, const memo *m, zw_expr e) {
    zw_op op = zw_expr_op(s->ctx, e);
    if (op == ZW_OP_SYMBOL)
        return e;
    if (op == ZW_OP_SUM)
        return zw_store_rebuild_from(s->ctx, m, e);
    if (op == ZW_OP_PRODUCT)
        return shorten_product(s, m, e);
    zw_expr whole = zw_store_rebuild_from(s->ctx, m, e);
    if (!whole || !zw_depends_any(s->ctx, whole, s->n, s->symbols))
        return whole;
    int n;
    const zw_expr *args = zw_expr_args(s->ctx, whole, &n);
    if (op < ZW_OP_SIN || op > ZW_OP_LOG || n != 1)
        return report_no_series(s, whole, "it switches, or is no function of one argument");
    return expand_series(s, zw_apply(s->ctx, op, 1, &s->dummy), args[0], whole);
}

zw_status zw_few_terms(zw_context *ctx, int m, const zw_expr *e, int n, const zw_expr *symbols,
                       int terms, zw_expr *out, zw_error *err) {
    zw_error trouble = {0};
    zw_arena_mark mark = zw_arena_mark_now(&ctx->scratch);
    zw_expr *zero = ZW_NEW(&ctx->scratch, zw_expr, n + 1);
    shortening s = {.ctx = ctx,
                    .n = n,
                    .terms = terms,
                    .symbols = symbols,
                    .zero = zero,
                    .dummy = zw_symbol(ctx, "argument of a series"),
                    .err = &trouble};
    uint64_t mask = 0;
    memo *seen = zero ? zw_memo_begin(ctx) : NULL;
    bool ok = seen != NULL;
    for (int i = 0; ok && i < n; i++) {
        zero[i] = ZW_ZERO;
        mask |= node_of(ctx, symbols[i])->mask;
    }
    ok = ok && zw_memo_walk(ctx, seen, m, e, mask);
    for (int i = 0; ok && i < seen->count; i++) {
        zw_expr whole = seen->order[i], now = shorten_node(&s, seen, whole);
        ok = now != ZW_NULL;
        memo_set(seen, whole, now);
    }
    for (int i = 0; ok && i < m; i++)
        out[i] = memo_has(seen, e[i]) ? seen->value[e[i]] : e[i];
    if (seen)
        zw_memo_end(ctx);
    zw_arena_release(&ctx->scratch, mark);
    if (ok)
        return ZW_OK;
    if (trouble.status) {
        if (err && !err->status)
            *err = trouble;
        return trouble.status;
    }
    return zw_context_status(ctx, err);
}
