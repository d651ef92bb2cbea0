/* SPDX-License-Identifier: MIT */
/* Names for parts that occur more than once in a set of expressions, so that they print as a person
 * writes them: with coefficients c1, c2, ... and their definitions.
 *
 * First, the factors of each product that do not contain the variables form a group (the mass of a
 * ball, pi r^3 rho, that multiplies one acceleration after the other); a group that occurs in
 * several products gets a name. Then, innermost first, every node with at least two users whose
 * text is long enough gets one. Lengths are estimated, since printing every node would be
 * quadratic. */
#include <stdio.h>
#include <string.h>

#include "expr/core/store.h"

enum { GROUPS_MAX = 128, GROUP_LENGTH = 10 };

typedef struct group {
    zw_expr factors, name;
    int uses;
} group;

typedef struct namer {
    zw_context *ctx;
    int nvar;
    const zw_expr *variables;
    int least, max, count, number;
    zw_expr *symbol, *value;
    int ngroup;
    group groups[GROUPS_MAX];
} namer;

/* characters of e in print, counted up to `cap` */
static int print_length(const zw_context *ctx, zw_expr e, int cap) {
    const node *k = node_of(ctx, e);
    if (k->op == ZW_OP_SYMBOL)
        return (int)strlen(k->name);
    if (k->op <= ZW_OP_PI)
        return e == ZW_ONE || e == ZW_ZERO ? 0 : 2;
    int n, sum = k->op > ZW_OP_PRODUCT ? 5 : 0;
    const zw_expr *args = zw_expr_args(ctx, e, &n);
    for (int i = 0; i < n && sum < cap; i++)
        sum += 1 + print_length(ctx, args[i], cap - sum);
    return sum;
}

double zw_print_length(const zw_context *ctx, zw_expr e) {
    memo *m = e ? zw_memo_begin(ctx) : NULL;
    if (!m)
        return 0;
    zw_arena *scratch = &((zw_context *)ctx)->scratch;
    zw_arena_mark mark = zw_arena_mark_now(scratch);
    bool ok = zw_memo_walk(ctx, m, 1, &e, UINT64_MAX);
    double *sum = ok ? ZW_NEW(scratch, double, m->count) : NULL, result = 0;
    for (int i = 0; sum && i < m->count; i++) {
        int n;
        const zw_expr *args = zw_expr_args(ctx, m->order[i], &n);
        memo_set(m, m->order[i], (uint32_t)i);
        sum[i] = n == 0 ? print_length(ctx, m->order[i], 1) : 0;
        for (int k = 0; k < n; k++)
            sum[i] += 1 + sum[m->value[args[k]]];
        result = sum[i];
    }
    if (!sum)
        zw_store_fail((zw_context *)ctx, ZW_E_MEMORY, "out of memory for expressions");
    zw_arena_release(scratch, mark);
    zw_memo_end(ctx);
    return result;
}

/* the next name that is not a symbol of the model; ZW_NULL if there is no space for one more */
static zw_expr define_name(namer *w, zw_expr value) {
    zw_context *ctx = w->ctx;
    while (w->count < w->max) {
        char name[16];
        snprintf(name, sizeof name, "c%d", ++w->number);
        int before = ctx->symbol_count;
        zw_expr s = zw_symbol(ctx, name);
        if (!s)
            return ZW_NULL;
        if (ctx->symbol_count == before && !(node_of(ctx, s)->flags & IS_COEFFICIENT))
            continue;
        ctx->nodes[s].flags |= IS_COEFFICIENT;
        w->symbol[w->count] = s;
        w->value[w->count++] = value;
        return s;
    }
    return ZW_NULL;
}

/* ----------------------------------------------------------------------------------- groups */

/* the factors of a product without variables, as a product; ZW_ONE if none */
static zw_expr constant_factors(namer *w, zw_expr e) {
    int n;
    const zw_expr *args = zw_expr_args(w->ctx, e, &n);
    zw_expr product = ZW_ONE;
    for (int i = 0; i < n; i += 2) {
        zw_expr factor = zw_pow(w->ctx, args[i], args[i + 1]);
        if (!zw_depends_any(w->ctx, factor, w->nvar, w->variables))
            product = zw_mul(w->ctx, product, factor);
    }
    return product;
}

static group *find_group(namer *w, zw_expr factors) {
    for (int i = 0; i < w->ngroup; i++)
        if (w->groups[i].factors == factors)
            return &w->groups[i];
    return NULL;
}

static void count_group(namer *w, zw_expr product) {
    zw_expr factors = constant_factors(w, product);
    if (!factors || print_length(w->ctx, factors, GROUP_LENGTH) < GROUP_LENGTH)
        return;
    group *g = find_group(w, factors);
    if (!g && w->ngroup < GROUPS_MAX) {
        g = &w->groups[w->ngroup++];
        *g = (group){.factors = factors};
    }
    if (g)
        g->uses++;
}

/* a rebuilt product with its group replaced by its name, if it has one */
static zw_expr name_group(namer *w, zw_expr old, zw_expr rebuilt) {
    zw_expr factors = constant_factors(w, old);
    group *g = factors ? find_group(w, factors) : NULL;
    if (!g || g->uses < 2)
        return rebuilt;
    if (!g->name)
        g->name = define_name(w, factors);
    return g->name ? zw_mul(w->ctx, g->name, zw_div(w->ctx, rebuilt, factors)) : rebuilt;
}

static bool name_groups(namer *w, int n, zw_expr *e) {
    zw_context *ctx = w->ctx;
    memo *m = zw_memo_begin(ctx);
    bool ok = m && zw_memo_walk(ctx, m, n, e, UINT64_MAX);
    for (int i = 0; ok && i < m->count; i++)
        if (node_of(ctx, m->order[i])->op == ZW_OP_PRODUCT)
            count_group(w, m->order[i]);
    for (int i = 0; ok && i < m->count; i++) {
        zw_expr x = m->order[i], y = x;
        if (zw_depends_any(ctx, x, w->nvar, w->variables) && node_of(ctx, x)->op > ZW_OP_SYMBOL)
            y = zw_store_rebuild_from(ctx, m, x);
        if (y && node_of(ctx, x)->op == ZW_OP_PRODUCT)
            y = name_group(w, x, y);
        ok = y != ZW_NULL;
        memo_set(m, x, y);
    }
    for (int i = 0; ok && i < n; i++)
        e[i] = e[i] ? m->value[e[i]] : ZW_NULL;
    if (m)
        zw_memo_end(ctx);
    return ok;
}

/* ------------------------------------------------------------------------------------ nodes */

/* number of users of each node in m->order; memo value = index in the order */
static int *count_users(zw_context *ctx, memo *m, int n, const zw_expr *e) {
    int *users = ZW_NEW(&ctx->scratch, int, m->count + 1);
    if (!users)
        return NULL;
    for (int i = 0; i < m->count; i++)
        memo_set(m, m->order[i], (uint32_t)i);
    for (int i = 0; i < m->count; i++) {
        int k;
        const zw_expr *args = zw_expr_args(ctx, m->order[i], &k);
        for (int j = 0; j < k; j++)
            users[m->value[args[j]]]++;
    }
    for (int i = 0; i < n; i++)
        if (e[i])
            users[m->value[e[i]]]++;
    return users;
}

static bool name_nodes(namer *w, int n, zw_expr *e) {
    zw_context *ctx = w->ctx;
    memo *m = zw_memo_begin(ctx);
    zw_arena_mark mark = zw_arena_mark_now(&ctx->scratch);
    bool ok = m && zw_memo_walk(ctx, m, n, e, UINT64_MAX);
    int *users = ok ? count_users(ctx, m, n, e) : NULL;
    ok = users != NULL;
    for (int i = 0; ok && i < m->count; i++) {
        zw_expr x = m->order[i];
        bool leaf = node_of(ctx, x)->op <= ZW_OP_SYMBOL;
        zw_expr y = leaf ? x : zw_store_rebuild_from(ctx, m, x), name = ZW_NULL;
        if (y && !leaf && users[i] > 1 && print_length(ctx, y, w->least) >= w->least)
            name = define_name(w, y);
        ok = y != ZW_NULL;
        memo_set(m, x, name ? name : y);
    }
    for (int i = 0; ok && i < n; i++)
        e[i] = e[i] ? m->value[e[i]] : ZW_NULL;
    zw_arena_release(&ctx->scratch, mark);
    if (m)
        zw_memo_end(ctx);
    return ok;
}

int zw_name_common(zw_context *ctx, int n, zw_expr *e, int nvar, const zw_expr *variables,
                   int least, int max, zw_expr *symbol, zw_expr *value) {
    namer w = {.ctx = ctx, .nvar = nvar, .variables = variables, .least = least, .max = max};
    w.symbol = symbol;
    w.value = value;
    bool ok = name_groups(&w, n, e) && name_nodes(&w, n, e);
    return ok ? w.count : 0;
}
