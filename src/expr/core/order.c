/* SPDX-License-Identifier: MIT */
#include "order.h"

#include <string.h>

#include "role.h"

/* ---------------------------------------------------------------------------------------- roles */

enum { ROLE_SHIFT = 8 };

void zw_role_mark(zw_context *ctx, int n, const zw_expr *symbols, zw_role role) {
    for (int i = 0; i < n; i++)
        if (symbols[i]) {
            node *k = &ctx->nodes[symbols[i]];
            k->flags = (uint16_t)((k->flags & ~ROLES) | (unsigned)role << ROLE_SHIFT);
        }
    ctx->marked = true;
}

void zw_role_clear(zw_context *ctx) {
    for (uint32_t e = 1; ctx->marked && e < ctx->count; e++)
        if (ctx->nodes[e].op == ZW_OP_SYMBOL)
            ctx->nodes[e].flags &= (uint16_t)~ROLES;
    ctx->marked = false;
}

int zw_role_of(const zw_context *ctx, zw_expr symbol) {
    const node *k = node_of(ctx, symbol);
    if (k->op != ZW_OP_SYMBOL)
        return 0;
    int role = (k->flags & ROLES) >> ROLE_SHIFT;
    return role ? role : strchr(k->name, '\'') ? ZW_ROLE_RATE : 0;
}

/* true if e contains only numbers and parameters; visits at most `budget` nodes */
static bool is_constant(const zw_context *ctx, zw_expr e, int *budget) {
    const node *k = node_of(ctx, e);
    if (--*budget < 0)
        return false;
    if (k->op == ZW_OP_SYMBOL)
        return zw_role_of(ctx, e) == 0;
    int n;
    const zw_expr *args = zw_expr_args(ctx, e, &n);
    for (int i = 0; i < n; i++)
        if (!is_constant(ctx, args[i], budget))
            return false;
    return true;
}

/* ------------------------------------------------------------------------------------- ordering */

static int plain_rank(const node *k) {
    switch (k->op) {
    case ZW_OP_RATIONAL:
    case ZW_OP_REAL:
        return 0;
    case ZW_OP_PI:
        return 1;
    case ZW_OP_SYMBOL:
        return 2;
    case ZW_OP_PRODUCT:
        return 4;
    case ZW_OP_SUM:
        return 5;
    default:
        return 3;
    }
}

static int textbook_rank(const zw_context *ctx, zw_expr e) {
    static const int of_role[] = {3, 4, 6, 7};
    const node *k = node_of(ctx, e);
    int budget = 60;
    switch (k->op) {
    case ZW_OP_RATIONAL:
    case ZW_OP_REAL:
        return 0;
    case ZW_OP_PI:
        return 1;
    case ZW_OP_SYMBOL:
        return of_role[zw_role_of(ctx, e)];
    case ZW_OP_SUM:
        return ctx->marked && is_constant(ctx, e, &budget) ? 2 : 5;
    case ZW_OP_PRODUCT:
        return 5;
    case ZW_OP_COND:
    case ZW_OP_TABLE:
        return 9;
    default:
        return 8;
    }
}

typedef struct order {
    const zw_context *ctx;
    bool textbook;
} order;

static int expression_rank(const order *o, zw_expr e) {
    return o->textbook ? textbook_rank(o->ctx, e) : plain_rank(node_of(o->ctx, e));
}

static int compare_expressions(const order *o, zw_expr a, zw_expr b, int depth);

/* compares products factor by factor; anything else counts as a product of one factor */
static int compare_products(const order *o, zw_expr a, zw_expr b, int depth) {
    const node *x = node_of(o->ctx, a), *y = node_of(o->ctx, b);
    int nx = x->op == ZW_OP_PRODUCT ? x->n : 2, ny = y->op == ZW_OP_PRODUCT ? y->n : 2;
    zw_expr lone_x[2] = {a, ZW_ONE}, lone_y[2] = {b, ZW_ONE};
    const zw_expr *ax = x->op == ZW_OP_PRODUCT ? x->args : lone_x;
    const zw_expr *ay = y->op == ZW_OP_PRODUCT ? y->args : lone_y;
    for (int i = 0; i < nx && i < ny; i += 2) {
        int c = compare_expressions(o, ax[i], ay[i], depth + 1);
        if (c)
            return c;
        if (ax[i + 1] != ay[i + 1])
            return ax[i + 1] == ZW_ONE ? 1 : ay[i + 1] == ZW_ONE ? -1 : 0;
    }
    return nx - ny;
}

/* the factor b^e of a product is compared as b */
static int compare_expressions(const order *o, zw_expr a, zw_expr b, int depth) {
    if (a == b || depth > 16)
        return 0;
    const node *x = node_of(o->ctx, a), *y = node_of(o->ctx, b);
    if (x->op == ZW_OP_PRODUCT || y->op == ZW_OP_PRODUCT)
        return compare_products(o, a, b, depth);
    int rx = expression_rank(o, a), ry = expression_rank(o, b);
    if (rx != ry)
        return rx - ry;
    if (x->op == ZW_OP_SYMBOL && (x->flags ^ y->flags) & IS_COEFFICIENT)
        return x->flags & IS_COEFFICIENT ? -1 : 1; /* created last, but reads as a coefficient */
    if (x->op == ZW_OP_SYMBOL)
        return x->n - y->n;
    if (x->op != y->op)
        return (int)x->op - (int)y->op;
    for (int i = 0; x->op > ZW_OP_PRODUCT && i < x->n && i < y->n; i++) {
        int c = compare_expressions(o, x->args[i], y->args[i], depth + 1);
        if (c)
            return c;
    }
    return 0;
}

enum { RATES = 6 };

/* the first criterion for the order of terms */
typedef struct motion {
    bool multiplier;
    int degree;      /* in the rates */
    int rate[RATES]; /* indices of the symbols, ascending, repeated for powers */
} motion;

static motion motion_of(const zw_context *ctx, zw_expr term, int depth);

static void note_rate(motion *m, int place) {
    int i = m->degree++;
    for (; i > 0 && m->rate[i - 1] > place; i--)
        m->rate[i] = m->rate[i - 1];
    m->rate[i] = place;
}

/* for a sum that is a factor: that of its first term, x' of (x'^2 + y'^2) */
static motion motion_of_sum(const zw_context *ctx, const node *k, int depth) {
    motion first = {0};
    for (int i = 1; depth < 4 && i < k->n && i < 16; i += 2) {
        motion m = motion_of(ctx, k->args[i], depth + 1);
        if (m.degree > first.degree ||
            (m.degree == first.degree && m.degree && m.rate[0] < first.rate[0]))
            first = m;
    }
    return first;
}

static void note_factor(const zw_context *ctx, motion *m, zw_expr base, zw_expr exponent,
                        int depth) {
    int64_t p = 1, q;
    const node *k = node_of(ctx, base);
    int role = zw_role_of(ctx, base);
    m->multiplier |= role == ZW_ROLE_MULTIPLIER;
    if (!zw_expr_is_rational(ctx, exponent, &p, &q) || q != 1)
        return;
    motion inner = {0};
    if (role == ZW_ROLE_RATE)
        note_rate(&inner, k->n);
    else if (k->op == ZW_OP_SUM)
        inner = motion_of_sum(ctx, k, depth);
    for (; p > 0; p--)
        for (int i = 0; i < inner.degree && m->degree < RATES; i++)
            note_rate(m, inner.rate[i]);
}

static motion motion_of(const zw_context *ctx, zw_expr term, int depth) {
    const node *k = node_of(ctx, term);
    motion m = {0};
    if (k->op != ZW_OP_PRODUCT)
        note_factor(ctx, &m, term, ZW_ONE, depth);
    for (int i = 0; k->op == ZW_OP_PRODUCT && i < k->n; i += 2)
        note_factor(ctx, &m, k->args[i], k->args[i + 1], depth);
    return m;
}

static int compare_terms(const order *o, zw_expr a, zw_expr b) {
    if (!o->textbook)
        return compare_expressions(o, a, b, 0);
    motion x = motion_of(o->ctx, a, 0), y = motion_of(o->ctx, b, 0);
    if (x.multiplier != y.multiplier)
        return x.multiplier - y.multiplier;
    if (x.degree != y.degree)
        return y.degree - x.degree;
    for (int i = 0; i < x.degree; i++)
        if (x.rate[i] != y.rate[i])
            return x.rate[i] - y.rate[i];
    return compare_expressions(o, a, b, 0);
}

/* stable merge sort: sums can be long */
static void sort_pairs(const order *o, bool terms, zw_pair *pairs, zw_pair *spare, int n) {
    for (int width = 1; width < n; width *= 2) {
        for (int low = 0; low < n; low += 2 * width) {
            int middle = low + width < n ? low + width : n;
            int high = low + 2 * width < n ? low + 2 * width : n;
            for (int i = low, j = middle, k = low; k < high; k++) {
                bool left = j >= high;
                if (!left && i < middle)
                    left = (terms ? compare_terms(o, pairs[i].a, pairs[j].a)
                                  : compare_expressions(o, pairs[i].a, pairs[j].a, 0)) <= 0;
                spare[k] = left ? pairs[i++] : pairs[j++];
            }
        }
        memcpy(pairs, spare, (size_t)n * sizeof *pairs);
    }
}

static zw_pair *sorted_pairs(const zw_context *ctx, const zw_expr *args, int n, bool terms,
                             bool textbook) {
    zw_arena *scratch = &((zw_context *)ctx)->scratch;
    zw_pair *pairs = ZW_NEW(scratch, zw_pair, 2 * n);
    if (!pairs) {
        zw_store_fail((zw_context *)ctx, ZW_E_MEMORY, "out of memory");
        return NULL;
    }
    for (int i = 0; i < n; i++)
        pairs[i] = (zw_pair){args[2 * i], args[2 * i + 1]};
    order o = {ctx, textbook || ctx->marked};
    sort_pairs(&o, terms, pairs, pairs + n, n);
    return pairs;
}

/* A sum reads better when it does not begin with a minus: the first positive term comes first,
 * unless it has a multiplier, which belongs at the end. */
static void lead_with_positive(const zw_context *ctx, zw_pair *terms, int n) {
    int first = 0;
    while (first < n && zw_number_sign(zw_store_number_of(ctx, terms[first].b)) < 0)
        first++;
    if (first == n || (ctx->marked && motion_of(ctx, terms[first].a, 0).multiplier))
        return;
    zw_pair lead = terms[first];
    memmove(terms + 1, terms, (size_t)first * sizeof *terms);
    terms[0] = lead;
}

zw_pair *zw_order_terms(const zw_context *ctx, const zw_expr *args, int n, bool textbook) {
    zw_pair *terms = sorted_pairs(ctx, args, n, true, textbook);
    if (terms)
        lead_with_positive(ctx, terms, n);
    return terms;
}

zw_pair *zw_order_factors(const zw_context *ctx, const zw_expr *args, int n, bool textbook) {
    return sorted_pairs(ctx, args, n, false, textbook);
}

zw_number zw_order_common(const zw_context *ctx, zw_expr sum) {
    static const zw_number one = {true, 1, 1, 0};
    const node *k = node_of(ctx, sum);
    zw_number c = zw_store_number_of(ctx, k->args[2]),
              constant = zw_store_number_of(ctx, k->args[0]);
    c = zw_number_sign(c) < 0 ? zw_number_neg(c) : c;
    bool same = c.exact && c.q != 1 && k->n > 5;
    for (int i = 1; same && i < k->n; i += 2)
        same = motion_of(ctx, k->args[i], 0).degree < 2;
    for (int i = 0; same && i < k->n; i += 2) {
        zw_number x = i ? zw_store_number_of(ctx, k->args[i]) : constant;
        same = zw_number_equal(x, c) || zw_number_equal(x, zw_number_neg(c)) ||
               (i == 0 && zw_number_is_zero(x));
    }
    return same ? c : one;
}
