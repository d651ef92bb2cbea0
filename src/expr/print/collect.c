/* SPDX-License-Identifier: MIT */
/* Sums in the form of a textbook. Each term of a sum is a number times R Q P: R its factors with
 * rates (velocities, accelerations, multipliers), Q those with coordinates, P the parameters
 * (roles: role.h). Collected,
 *     sum = sum over R of R (sum over Q of Q (sum of P)),
 * so that (m_1 + m_2) l^2 phi'' replaces two terms and no product of velocities occurs twice.
 * Common factors of a sum in brackets are placed in front of the brackets, and inside a sum of
 * parameters factors shared by several terms are factored out, the largest saving first.
 *
 * Multiplying out before collecting can make an expression shorter or longer; zw_textbook tries
 * both and takes the one that is shorter in print. All forms are equal as expressions: only
 * commutativity, associativity and distributivity are used, and the theorems of zw_trig_combine if
 * requested. */
#include <stdlib.h>

#include "expr/core/role.h"
#include "expr/core/store.h"
#include "textbook.h"

enum {
    TERMS_MAX = 600,    /* longer sums are left as they are */
    GROUP_MAX = 40,     /* the search for shared factors is cubic */
    VISIT_MAX = 400,    /* nodes visited to find what a factor depends on */
    EXPAND_TERMS = 400, /* products with more terms are not multiplied out */
    BRACKET = 3         /* characters that a pair of brackets and its sign take */
};

/* ------------------------------------------------------------------------------ parts of a term */

/* the highest role among the symbols of e: 0 parameters only, 1 coordinates, 2 rates and
 * multipliers */
static int depends_on(const zw_context *ctx, zw_expr e, int *budget) {
    const node *k = node_of(ctx, e);
    if (--*budget < 0)
        return 1;
    if (k->op == ZW_OP_SYMBOL) {
        int role = zw_role_of(ctx, e);
        return role >= ZW_ROLE_RATE ? 2 : role != 0;
    }
    int n, most = 0;
    const zw_expr *args = zw_expr_args(ctx, e, &n);
    for (int i = 0; i < n && most < 2; i++) {
        int role = depends_on(ctx, args[i], budget);
        most = role > most ? role : most;
    }
    return most;
}

typedef struct part {
    zw_expr kind[3]; /* P, Q, R */
    zw_expr term;    /* number times P */
} part;

static void take_factor(zw_context *ctx, part *p, zw_expr factor) {
    int budget = VISIT_MAX, kind = depends_on(ctx, factor, &budget);
    p->kind[kind] = zw_mul(ctx, p->kind[kind], factor);
}

static part split_term(zw_context *ctx, zw_expr term, zw_expr coefficient) {
    part p = {{ZW_ONE, ZW_ONE, ZW_ONE}, ZW_NULL};
    int n;
    const zw_expr *args = zw_expr_args(ctx, term, &n);
    if (node_of(ctx, term)->op != ZW_OP_PRODUCT)
        take_factor(ctx, &p, term);
    else
        for (int i = 0; i < n; i += 2)
            take_factor(ctx, &p, zw_pow(ctx, args[i], args[i + 1]));
    p.term = zw_mul(ctx, coefficient, p.kind[0]);
    return p;
}

static int compare_parts(const void *a, const void *b) {
    const part *x = a, *y = b;
    for (int kind = 2; kind > 0; kind--)
        if (x->kind[kind] != y->kind[kind])
            return x->kind[kind] < y->kind[kind] ? -1 : 1;
    return 0;
}

/* ------------------------------------------------------------------------------- shared factors */

/* the product of e without its number */
static zw_expr strip_number(const zw_context *ctx, zw_expr e) {
    const node *k = node_of(ctx, e);
    if (is_number_op(k->op))
        return ZW_ONE;
    return k->op == ZW_OP_SUM && k->n == 3 && k->args[0] == ZW_ZERO ? k->args[1] : e;
}

/* the exponent of base in a product, ZW_ZERO if it is not a factor */
static zw_expr exponent_in(const zw_context *ctx, zw_expr product, zw_expr base) {
    const node *k = node_of(ctx, product);
    if (k->op != ZW_OP_PRODUCT)
        return product == base ? ZW_ONE : ZW_ZERO;
    for (int i = 0; i < k->n; i += 2)
        if (k->args[i] == base)
            return k->args[i + 1];
    return ZW_ZERO;
}

/* the smaller one of two exponents of the same sign, else 0 */
static zw_expr shared_exponent(const zw_context *ctx, zw_expr a, zw_expr b) {
    if (a == b)
        return a;
    if (!is_number_op(node_of(ctx, a)->op) || !is_number_op(node_of(ctx, b)->op))
        return ZW_ZERO;
    double x = zw_expr_number(ctx, a), y = zw_expr_number(ctx, b);
    if (x > 0 && y > 0)
        return x < y ? a : b;
    return x < 0 && y < 0 ? (x > y ? a : b) : ZW_ZERO;
}

static zw_expr common_factor(zw_context *ctx, zw_expr a, zw_expr b) {
    a = strip_number(ctx, a);
    b = strip_number(ctx, b);
    const node *k = node_of(ctx, a);
    bool product = k->op == ZW_OP_PRODUCT;
    zw_expr lone[2] = {a, ZW_ONE}, result = ZW_ONE;
    const zw_expr *args = product ? k->args : lone;
    int n = product ? k->n : 2;
    for (int i = 0; i < n; i += 2) {
        zw_expr e = shared_exponent(ctx, args[i + 1], exponent_in(ctx, b, args[i]));
        if (e != ZW_ZERO && args[i] != ZW_ONE)
            result = zw_mul(ctx, result, zw_pow(ctx, args[i], e));
    }
    return result;
}

static bool is_divisible(zw_context *ctx, zw_expr e, zw_expr g) {
    return common_factor(ctx, g, e) == g;
}

/* The number of characters saved by factoring g out of the terms that contain it. */
static double factor_saving(zw_context *ctx, int n, const zw_expr *term, zw_expr g) {
    int uses = 0;
    for (int i = 0; i < n; i++)
        uses += is_divisible(ctx, term[i], g);
    return (uses - 1) * (zw_print_length(ctx, g) + 1) - BRACKET;
}

static zw_expr best_shared(zw_context *ctx, int n, const zw_expr *term) {
    zw_expr best = ZW_ONE;
    double most = 0;
    for (int i = 0; i < n; i++)
        for (int j = i + 1; j < n; j++) {
            zw_expr g = common_factor(ctx, term[i], term[j]);
            double saved = g == ZW_ONE ? 0 : factor_saving(ctx, n, term, g);
            if (saved > most) {
                most = saved;
                best = g;
            }
        }
    return best;
}

/* the sum of the terms with shared factors factored out; overwrites the array */
static zw_expr factor_shared(zw_context *ctx, int n, zw_expr *term) {
    while (n > 1 && n <= GROUP_MAX) {
        zw_expr g = best_shared(ctx, n, term);
        if (g == ZW_ONE)
            break;
        zw_expr group[GROUP_MAX];
        int in = 0, left = 0;
        for (int i = 0; i < n; i++)
            if (is_divisible(ctx, term[i], g))
                group[in++] = zw_div(ctx, term[i], g);
            else
                term[left++] = term[i];
        term[left++] = zw_mul(ctx, g, factor_shared(ctx, in, group));
        n = left;
    }
    return zw_sum(ctx, n, term);
}

/* the same with the factor common to all terms in front, even if it is short: for sums in
 * brackets */
static zw_expr in_brackets(zw_context *ctx, int n, zw_expr *term) {
    zw_expr g = strip_number(ctx, term[0]);
    for (int i = 1; i < n && g != ZW_ONE; i++)
        g = common_factor(ctx, g, term[i]);
    for (int i = 0; i < n && g != ZW_ONE; i++)
        term[i] = zw_div(ctx, term[i], g);
    return zw_mul(ctx, g, factor_shared(ctx, n, term));
}

/* ----------------------------------------------------------------------------------- collecting */

/* Collects the n terms with the same R: Q P each, P factored. Returns the number of terms left. */
static int collect_coordinates(zw_context *ctx, int n, const part *p, zw_expr *out,
                               zw_expr *spare) {
    int count = 0;
    for (int i = 0, next; i < n; i = next) {
        for (next = i; next < n && p[next].kind[1] == p[i].kind[1]; next++)
            spare[next - i] = p[next].term;
        zw_expr sum = p[i].kind[1] == ZW_ONE && p[i].kind[2] == ZW_ONE
                          ? factor_shared(ctx, next - i, spare)
                          : in_brackets(ctx, next - i, spare);
        out[count++] = zw_mul(ctx, p[i].kind[1], sum);
    }
    return count;
}

/* collects a sum; `inside`: it is in brackets */
static zw_expr collect_factors(zw_context *ctx, zw_expr e, bool inside) {
    const node *k = node_of(ctx, e);
    int n = k->n / 2 + 1, count = 0;
    if (k->op != ZW_OP_SUM || n > TERMS_MAX)
        return e;
    const zw_expr *args = k->args;
    zw_arena_mark mark = zw_arena_mark_now(&ctx->scratch);
    part *p = ZW_NEW(&ctx->scratch, part, n);
    zw_expr *terms = ZW_NEW(&ctx->scratch, zw_expr, 3 * n);
    if (!p || !terms)
        return zw_store_fail(ctx, ZW_E_MEMORY, "out of memory for expressions");
    zw_expr *some = terms + n, *spare = some + n;
    p[0] = (part){{ZW_ONE, ZW_ONE, ZW_ONE}, args[0]};
    for (int i = 1; i < n; i++)
        p[i] = split_term(ctx, args[2 * i - 1], args[2 * i]);
    part *first = args[0] == ZW_ZERO ? p + 1 : p, *end = p + n;
    qsort(first, (size_t)(end - first), sizeof *p, compare_parts);
    for (part *at = first, *next; at < end; at = next) {
        for (next = at; next < end && next->kind[2] == at->kind[2];)
            next++;
        int m = collect_coordinates(ctx, (int)(next - at), at, some, spare);
        if (at->kind[2] != ZW_ONE)
            terms[count++] = zw_mul(ctx, at->kind[2], in_brackets(ctx, m, some));
        else
            for (int i = 0; i < m; i++)
                terms[count++] = some[i];
    }
    zw_expr result = ctx->status < 0 ? ZW_NULL
                     : inside        ? in_brackets(ctx, count, terms)
                                     : zw_sum(ctx, count, terms);
    zw_arena_release(&ctx->scratch, mark);
    return result;
}

/* collects every sum below e, innermost first */
static zw_expr collect_all(zw_context *ctx, zw_expr e, bool inside) {
    memo *m = e ? zw_memo_begin(ctx) : NULL;
    if (!m)
        return ZW_NULL;
    bool ok = zw_memo_walk(ctx, m, 1, &e, UINT64_MAX);
    for (int i = 0; ok && i < m->count; i++) {
        zw_expr x = m->order[i], y = x;
        if (node_of(ctx, x)->op > ZW_OP_SYMBOL)
            y = zw_store_rebuild_from(ctx, m, x);
        if (y && node_of(ctx, x)->op == ZW_OP_SUM)
            y = collect_factors(ctx, y, inside || x != e);
        ok = y != ZW_NULL;
        memo_set(m, x, y);
    }
    zw_expr result = ok ? m->value[e] : ZW_NULL;
    zw_memo_end(ctx);
    return result;
}

/* --------------------------------------------------------------------------------- the shortest */

static zw_expr choose_shorter(zw_context *ctx, zw_expr best, zw_expr other) {
    return other && zw_print_length(ctx, other) < zw_print_length(ctx, best) ? other : best;
}

zw_expr zw_textbook(zw_context *ctx, zw_expr e, bool trig, bool inside) {
    if (!e || node_of(ctx, e)->op <= ZW_OP_SYMBOL)
        return e;
    zw_expr best = choose_shorter(ctx, e, collect_all(ctx, e, inside));
    if (trig) {
        zw_expr combined = e;
        zw_trig_combine(ctx, 1, &combined);
        best = choose_shorter(ctx, best, collect_all(ctx, combined, inside));
    }
    if (zw_expanded_terms(ctx, e) > (double)EXPAND_TERMS)
        return best;
    zw_expr wide = zw_expand_keeping_lengths(ctx, e);
    best = choose_shorter(ctx, best, collect_all(ctx, wide, inside));
    if (trig && wide) {
        zw_trig_combine(ctx, 1, &wide);
        best = choose_shorter(ctx, best, collect_all(ctx, wide, inside));
    }
    return best;
}
