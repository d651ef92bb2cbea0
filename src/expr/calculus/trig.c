/* SPDX-License-Identifier: MIT */
/* Combines products of sines and cosines of two angles. In a sum with terms k R f(a) g(b), where f
 * and g are sin or cos, the partner of a term has both functions exchanged for the other one:
 *
 *     sin a cos b + cos a sin b = sin(a + b)      cos a cos b - sin a sin b = cos(a + b)
 *     sin a cos b - cos a sin b = sin(a - b)      cos a cos b + sin a sin b = cos(a - b)
 *
 * A pair is found by building the partner and searching for it among the terms: equal expressions
 * have equal indices. Each step leaves one term fewer, which ends the search. The result is kept
 * only where it needs fewer operations. */
#include <string.h>

#include "expr/core/store.h"

enum {
    EXPAND_LENGTH = 4000, /* characters in print; longer expressions are not multiplied out */
    TERMS_MAX = 400       /* a longer sum is left alone: the search is quadratic */
};

/* the terms of a sum; a term that has been combined is ZW_NULL */
typedef struct terms {
    int n;
    zw_expr *term, *coef;
} terms;

static bool is_wave(const zw_context *ctx, zw_expr e) {
    int op = node_of(ctx, e)->op;
    return op == ZW_OP_SIN || op == ZW_OP_COS;
}

static zw_expr other_wave(zw_context *ctx, zw_expr wave) {
    const node *k = node_of(ctx, wave);
    zw_expr angle = k->args[0];
    return k->op == ZW_OP_SIN ? zw_cos(ctx, angle) : zw_sin(ctx, angle);
}

static int find_term(const terms *t, zw_expr wanted, int except) {
    for (int j = 0; j < t->n; j++)
        if (t->term[j] == wanted && j != except)
            return j;
    return -1;
}

/* combines term i with its partner, given the functions f and g; the result replaces term i */
static bool combine_pair(zw_context *ctx, terms *t, int i, zw_expr f, zw_expr g) {
    zw_expr waves = zw_mul(ctx, f, g), rest = zw_div(ctx, t->term[i], waves);
    zw_expr exchanged = zw_mul(ctx, other_wave(ctx, f), other_wave(ctx, g));
    int j = find_term(t, zw_mul(ctx, rest, exchanged), i);
    if (j < 0)
        return false;
    bool equal = t->coef[j] == t->coef[i];
    if (!equal && t->coef[j] != zw_neg(ctx, t->coef[i]))
        return false;
    bool sine_f = node_of(ctx, f)->op == ZW_OP_SIN, sine_g = node_of(ctx, g)->op == ZW_OP_SIN;
    /* in sin a cos b the sine belongs to the minuend */
    if (sine_g && !sine_f) {
        zw_expr swap = f;
        f = g;
        g = swap;
    }
    zw_expr a = node_of(ctx, f)->args[0], b = node_of(ctx, g)->args[0], wave, coef = t->coef[i];
    if (sine_f != sine_g) {
        wave = zw_sin(ctx, equal ? zw_add(ctx, a, b) : zw_sub(ctx, a, b));
    } else {
        wave = zw_cos(ctx, equal ? zw_sub(ctx, a, b) : zw_add(ctx, a, b));
        if (sine_f && !equal)
            coef = zw_neg(ctx, coef);
    }
    t->term[i] = zw_product(ctx, 3, (zw_expr[]){coef, rest, wave});
    t->coef[i] = ZW_ONE;
    t->term[j] = ZW_NULL;
    return true;
}

static bool combine_term(zw_context *ctx, terms *t, int i) {
    const node *k = node_of(ctx, t->term[i]);
    int n = k->n;
    const zw_expr *args = k->args; /* these stay valid when nodes are added */
    if (k->op != ZW_OP_PRODUCT)
        return false;
    for (int a = 0; a < n; a += 2)
        for (int b = a + 2; b < n; b += 2) {
            bool waves = is_wave(ctx, args[a]) && is_wave(ctx, args[b]) && args[a + 1] == ZW_ONE &&
                         args[b + 1] == ZW_ONE;
            if (waves && combine_pair(ctx, t, i, args[a], args[b]))
                return true;
        }
    return false;
}

/* one sweep over the terms of a sum whose parts are combined already */
static zw_expr combine_once(zw_context *ctx, zw_expr e) {
    const node *k = node_of(ctx, e);
    int n = (k->n - 1) / 2;
    if (k->op != ZW_OP_SUM || n > TERMS_MAX)
        return e;
    const zw_expr *args = k->args;
    zw_arena_mark mark = zw_arena_mark_now(&ctx->scratch);
    terms t = {n, ZW_NEW(&ctx->scratch, zw_expr, n + 1), ZW_NEW(&ctx->scratch, zw_expr, n + 1)};
    if (!t.term || !t.coef)
        return zw_store_fail(ctx, ZW_E_MEMORY, "out of memory for expressions");
    for (int i = 0; i < n; i++) {
        t.term[i] = args[1 + 2 * i];
        t.coef[i] = args[2 + 2 * i];
    }
    bool changed = false;
    for (int i = 0; i < n; i++)
        changed |= t.term[i] && combine_term(ctx, &t, i);
    if (changed) {
        int left = 0;
        for (int i = 0; i < n; i++)
            if (t.term[i])
                t.term[left++] = zw_mul(ctx, t.coef[i], t.term[i]);
        t.term[left++] = args[0];
        e = zw_sum(ctx, left, t.term);
    }
    zw_arena_release(&ctx->scratch, mark);
    return e;
}

static zw_expr combine_trig(zw_context *ctx, zw_expr e) {
    memo *m = zw_memo_begin(ctx);
    if (!m)
        return ZW_NULL;
    bool ok = zw_memo_walk(ctx, m, 1, &e, UINT64_MAX);
    for (int i = 0; ok && i < m->count; i++) {
        zw_expr x = m->order[i];
        zw_expr y = node_of(ctx, x)->op <= ZW_OP_SYMBOL ? x : zw_store_rebuild_from(ctx, m, x);
        for (zw_expr before = ZW_NULL; y && y != before;) {
            before = y;
            y = combine_once(ctx, y);
        }
        ok = y != ZW_NULL;
        memo_set(m, x, y);
    }
    zw_expr result = ok ? m->value[e] : ZW_NULL;
    zw_memo_end(ctx);
    return result;
}

void zw_trig_combine(zw_context *ctx, int n, zw_expr *e) {
    for (int i = 0; i < n; i++) {
        if (!e[i])
            continue;
        /* partners may be in different brackets: try both forms, but multiply out nothing huge */
        bool wide = zw_print_length(ctx, e[i]) < (double)EXPAND_LENGTH;
        zw_expr form[] = {combine_trig(ctx, e[i]),
                          wide ? combine_trig(ctx, zw_expand(ctx, e[i])) : ZW_NULL};
        for (int k = 0; k < 2; k++)
            if (form[k] && zw_count(ctx, 1, &form[k]) < zw_count(ctx, 1, &e[i]))
                e[i] = form[k];
    }
}
