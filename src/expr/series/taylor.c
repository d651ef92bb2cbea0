/* SPDX-License-Identifier: MIT */
/* Truncated power series on the shared graph. With x = at + s small every node has a series
 *
 *     u(s) = u_0 + u_1 s + ... + u_k s^k,
 *
 * which follows from those of its arguments: sums term by term, products by (uv)_i = sum_j u_j
 * v_(i-j), a whole power by products, every other function of one argument by
 *
 *     f(u) = sum_j f^(j)(u_0)/j! (u - u_0)^j,
 *
 * where (u - u_0)^j begins with s^j, and atan2(y, x) by its rate (x y' - y x')/(x^2 + y^2). Each
 * node is visited once, and terms that vanish at the point are dropped where they arise.
 * Differentiating k times and inserting the point afterwards gives the same, but grows with every
 * derivative; that was tried first.
 *
 * A function without derivatives at u_0 has no series: it is reported, unless it is in a branch of
 * a condition that is not taken. */
#include <stdio.h>

#include "base/arena.h"
#include "expr/core/store.h"
#include "zwang/expr.h"

typedef struct expansion {
    zw_context *ctx;
    int order, width; /* width = order + 1 */
    memo *m;          /* index of a node in `series` */
    zw_expr *series;  /* count x width */
    int n;
    const zw_expr *symbols, *given; /* n, n x width: the series of the symbols */
    zw_expr dummy;                  /* the argument of a function that is differentiated */
    zw_error
        /* error of the first node without a series; its entries are 0, and so are those of its
         * users */
        why;
} expansion;

enum { TEXT_MAX = 120 }; /* characters of a part that a message shows */

/* reports that `part` has no series, and why */
static bool report_no_series(expansion *x, zw_expr part, const char *why) {
    zw_context_reset_status(x->ctx);
    char *text = zw_print_within(x->ctx, part, ZW_TEXT, TEXT_MAX);
    zw_fail(&x->why, ZW_E_DOMAIN, "%s%shas no Taylor series there: %s", text ? text : "",
            text ? " " : "a part of it ", why);
    zw_string_free(x->ctx, text);
    return false;
}

static zw_expr *series_of(const expansion *x, zw_expr e) {
    return x->series + (size_t)x->m->value[e] * (size_t)x->width;
}

/* coefficient i of an argument; an argument without the symbols is a constant */
static zw_expr series_term(const expansion *x, zw_expr e, int i) {
    if (memo_has(x->m, e))
        return series_of(x, e)[i];
    return i == 0 ? e : ZW_ZERO;
}

static bool is_constant(const expansion *x, zw_expr e) {
    for (int i = 1; i <= x->order; i++)
        if (series_term(x, e, i) != ZW_ZERO)
            return false;
    return true;
}

/* true if e is found to be 0 for all values of the parameters by multiplying out */
static bool is_vanishing(const expansion *x, zw_expr e) {
    if (e == ZW_ZERO)
        return true;
    return node_of(x->ctx, e)->op == ZW_OP_SUM && zw_expanded_terms(x->ctx, e) < 1000 &&
           zw_expand(x->ctx, e) == ZW_ZERO;
}

/* out = a b; out is neither */
static void multiply_series(const expansion *x, const zw_expr *a, const zw_expr *b, zw_expr *out) {
    for (int i = 0; i < x->width; i++) {
        zw_expr sum[ZW_TAYLOR_MOST + 1];
        for (int j = 0; j <= i; j++)
            sum[j] = zw_mul(x->ctx, a[j], b[i - j]);
        out[i] = zw_sum(x->ctx, i + 1, sum);
    }
}

static void load_series(const expansion *x, zw_expr e, zw_expr *out) {
    for (int i = 0; i < x->width; i++)
        out[i] = series_term(x, e, i);
}

/* f(u) by the derivatives of f(dummy) at u_0 */
static void compose_series(const expansion *x, zw_expr f, const zw_expr *u, zw_expr *out) {
    zw_expr power[ZW_TAYLOR_MOST + 1] = {ZW_ONE}, next[ZW_TAYLOR_MOST + 1],
                                   rest[ZW_TAYLOR_MOST + 1];
    int64_t factorial = 1;
    for (int i = 0; i < x->width; i++) {
        rest[i] = i ? u[i] : ZW_ZERO;
        power[i] = i ? ZW_ZERO : ZW_ONE;
        out[i] = ZW_ZERO;
    }
    for (int j = 0; j <= x->order; j++) {
        zw_expr slope = zw_subst(x->ctx, f, 1, &x->dummy, u);
        slope = zw_mul(x->ctx, slope, zw_rational(x->ctx, 1, factorial));
        for (int i = j; i < x->width; i++)
            out[i] = zw_add(x->ctx, out[i], zw_mul(x->ctx, slope, power[i]));
        if (j == x->order)
            break;
        multiply_series(x, power, rest, next);
        for (int i = 0; i < x->width; i++)
            power[i] = next[i];
        f = zw_diff(x->ctx, f, x->dummy);
        factorial *= j + 1;
    }
}

/* base^exponent */
static bool expand_power(expansion *x, zw_expr base, zw_expr exponent, zw_expr *out) {
    zw_expr b[ZW_TAYLOR_MOST + 1], other[ZW_TAYLOR_MOST + 1];
    int64_t p, q;
    load_series(x, base, b);
    if (memo_has(x->m, exponent) && !is_constant(x, exponent)) { /* exp(exponent log(base)) */
        zw_expr e[ZW_TAYLOR_MOST + 1], f = zw_apply(x->ctx, ZW_OP_LOG, 1, &x->dummy);
        if (is_vanishing(x, b[0]))
            return report_no_series(x, zw_pow(x->ctx, base, exponent), "its base is 0");
        load_series(x, exponent, e);
        compose_series(x, f, b, other);
        multiply_series(x, e, other, b);
        compose_series(x, zw_apply(x->ctx, ZW_OP_EXP, 1, &x->dummy), b, out);
        return true;
    }
    exponent = series_term(x, exponent, 0);
    bool whole = zw_expr_is_rational(x->ctx, exponent, &p, &q) && q == 1;
    if (whole && p > 0 && (p <= x->order || b[0] == ZW_ZERO)) {
        for (int i = 0; i < x->width; i++)
            out[i] = p > x->order ? ZW_ZERO : b[i];
        for (int64_t k = 1; k < p && p <= x->order; k++) {
            multiply_series(x, out, b, other);
            for (int i = 0; i < x->width; i++)
                out[i] = other[i];
        }
        return true;
    }
    if (!(whole && p > 0) && is_vanishing(x, b[0]))
        return report_no_series(x, zw_pow(x->ctx, base, exponent),
                                whole ? "a quotient by 0" : "a root of what vanishes");
    compose_series(x, zw_pow(x->ctx, x->dummy, exponent), b, out);
    return true;
}

static bool expand_product(expansion *x, zw_expr e, zw_expr *out) {
    int n;
    const zw_expr *args = zw_expr_args(x->ctx, e, &n);
    zw_expr factor[ZW_TAYLOR_MOST + 1], product[ZW_TAYLOR_MOST + 1];
    for (int i = 0; i < x->width; i++)
        out[i] = i ? ZW_ZERO : ZW_ONE;
    for (int k = 0; k < n; k += 2) {
        if (!expand_power(x, args[k], args[k + 1], factor))
            return false;
        multiply_series(x, out, factor, product);
        for (int i = 0; i < x->width; i++)
            out[i] = product[i];
    }
    return true;
}

static bool expand_sum(expansion *x, zw_expr e, zw_expr *out) {
    int n;
    const zw_expr *args = zw_expr_args(x->ctx, e, &n);
    zw_arena_mark mark = zw_arena_mark_now(&x->ctx->scratch);
    zw_expr *terms = ZW_NEW(&x->ctx->scratch, zw_expr, n);
    for (int i = 0; terms && i < x->width; i++) {
        int count = 0;
        terms[count++] = i ? ZW_ZERO : args[0];
        for (int k = 1; k < n; k += 2)
            terms[count++] = zw_mul(x->ctx, series_term(x, args[k], i), args[k + 1]);
        out[i] = zw_sum(x->ctx, count, terms);
    }
    zw_arena_release(&x->ctx->scratch, mark);
    if (!terms)
        zw_store_fail(x->ctx, ZW_E_MEMORY, "out of memory for expressions");
    return terms != NULL;
}

/* atan2(y, x): its rate is a quotient of series, which is integrated */
static bool expand_angle(expansion *x, zw_expr e, zw_expr *out) {
    int n;
    const zw_expr *args = zw_expr_args(x->ctx, e, &n);
    zw_context *ctx = x->ctx;
    zw_expr a[ZW_TAYLOR_MOST + 1], b[ZW_TAYLOR_MOST + 1], aa[ZW_TAYLOR_MOST + 1],
        bb[ZW_TAYLOR_MOST + 1];
    load_series(x, args[0], a);
    load_series(x, args[1], b);
    if (is_vanishing(x, a[0]) && (is_vanishing(x, b[0]) || zw_expr_number(ctx, b[0]) < 0))
        return report_no_series(x, e, "the angle jumps");
    multiply_series(x, a, a, aa);
    multiply_series(x, b, b, bb);
    out[0] = zw_apply(ctx, ZW_OP_ATAN2, 2, (zw_expr[]){a[0], b[0]});
    zw_expr square = zw_add(ctx, aa[0], bb[0]);
    for (int i = 1; i < x->width; i++) {
        /* (x^2 + y^2) w = x y' - y x', coefficient i - 1, with w_j = (j + 1) out_(j+1) */
        zw_expr sum = ZW_ZERO;
        for (int j = 1; j <= i; j++) {
            zw_expr cross = zw_sub(ctx, zw_mul(ctx, b[i - j], a[j]), zw_mul(ctx, a[i - j], b[j]));
            sum = zw_add(ctx, sum, zw_mul(ctx, zw_integer(ctx, j), cross));
            if (j < i) {
                zw_expr known = zw_mul(ctx, zw_integer(ctx, j), out[j]);
                zw_expr part = zw_add(ctx, aa[i - j], bb[i - j]);
                sum = zw_sub(ctx, sum, zw_mul(ctx, known, part));
            }
        }
        out[i] = zw_div(ctx, sum, zw_mul(ctx, zw_integer(ctx, i), square));
    }
    return true;
}

/* min, max, comparisons: the choice at the point is valid near it, unless both sides are equal
 * there */
static bool expand_comparison(expansion *x, zw_expr e, zw_expr *out) {
    int n;
    const zw_expr *args = zw_expr_args(x->ctx, e, &n);
    zw_context *ctx = x->ctx;
    zw_op op = zw_expr_op(ctx, e);
    zw_expr a = series_term(x, args[0], 0), b = series_term(x, args[1], 0);
    bool same = true;
    for (int i = 1; i < x->width; i++)
        same &= series_term(x, args[0], i) == series_term(x, args[1], i);
    if (!same && is_vanishing(x, zw_sub(ctx, a, b)))
        return report_no_series(x, e, "it switches");
    zw_expr less =
        zw_apply(ctx, ZW_OP_LT, 2, op == ZW_OP_MIN ? (zw_expr[]){b, a} : (zw_expr[]){a, b});
    for (int i = 0; i < x->width; i++)
        out[i] = op == ZW_OP_MIN || op == ZW_OP_MAX
                     ? zw_cond(ctx, less, series_term(x, args[1], i), series_term(x, args[0], i))
                 : i ? ZW_ZERO
                     : zw_apply(ctx, op, 2, (zw_expr[]){a, b});
    return true;
}

static bool expand_choice(expansion *x, zw_expr e, zw_expr *out) {
    int n;
    const zw_expr *args = zw_expr_args(x->ctx, e, &n);
    zw_expr test = series_term(x, args[0], 0);
    if (!is_constant(x, args[0]) && is_vanishing(x, test))
        return report_no_series(x, e, "it switches");
    for (int i = 0; i < x->width; i++)
        out[i] = zw_expr_is_number(x->ctx, test) ? series_term(x, args[test == ZW_ZERO ? 2 : 1], i)
                                                 : zw_cond(x->ctx, test, series_term(x, args[1], i),
                                                           series_term(x, args[2], i));
    return true;
}

/* true if the table changes its piece at the number u */
static bool at_knot(const expansion *x, zw_expr table, zw_expr u) {
    int64_t number, one;
    if (!zw_expr_is_number(x->ctx, u) || !zw_expr_is_rational(x->ctx, table, &number, &one))
        return false;
    const zw_spline *s = zw_spline_of(x->ctx, (int)number);
    for (int i = 0; s && i < s->n; i++)
        if (s->x[i] == zw_expr_number(x->ctx, u))
            return true;
    return false;
}

static bool expand_function(expansion *x, zw_expr e, zw_expr *out) {
    int n;
    const zw_expr *args = zw_expr_args(x->ctx, e, &n);
    zw_op op = zw_expr_op(x->ctx, e);
    zw_expr now[3] = {n > 2 ? args[0] : x->dummy, n > 2 ? args[1] : ZW_NULL, x->dummy},
            u[ZW_TAYLOR_MOST + 1];
    if (op == ZW_OP_PATCH && !(is_constant(x, args[1]) && is_constant(x, args[2])))
        return report_no_series(x, e, "friction of a patch");
    load_series(x, args[n - 1], u);
    bool moves = !is_constant(x, args[n - 1]);
    if (moves && (op == ZW_OP_ABS || op == ZW_OP_SIGN || op == ZW_OP_NOT) && is_vanishing(x, u[0]))
        return report_no_series(x, e, "it switches");
    if (moves && op == ZW_OP_LOG && is_vanishing(x, u[0]))
        return report_no_series(x, e, "the logarithm of 0");
    if (moves && op == ZW_OP_TABLE && at_knot(x, args[0], u[0]))
        return report_no_series(x, e, "a point of its table");
    compose_series(x, zw_apply(x->ctx, op, n, now), u, out);
    return true;
}

static bool expand_node(expansion *x, zw_expr e, zw_expr *out) {
    switch (zw_expr_op(x->ctx, e)) {
    case ZW_OP_SYMBOL:
        for (int i = 0; i < x->width; i++)
            out[i] = i ? ZW_ZERO : e;
        for (int k = 0; k < x->n; k++)
            for (int i = 0; i < x->width && x->symbols[k] == e; i++)
                out[i] = x->given[k * x->width + i];
        return true;
    case ZW_OP_SUM:
        return expand_sum(x, e, out);
    case ZW_OP_PRODUCT:
        return expand_product(x, e, out);
    case ZW_OP_ATAN2:
        return expand_angle(x, e, out);
    case ZW_OP_MIN:
    case ZW_OP_MAX:
    case ZW_OP_LT:
    case ZW_OP_LE:
        return expand_comparison(x, e, out);
    case ZW_OP_COND:
        return expand_choice(x, e, out);
    case ZW_OP_AND:
    case ZW_OP_OR: {
        int n;
        const zw_expr *args = zw_expr_args(x->ctx, e, &n);
        zw_expr both[] = {series_term(x, args[0], 0), series_term(x, args[1], 0)};
        for (int i = 0; i < x->width; i++)
            out[i] = i ? ZW_ZERO : zw_apply(x->ctx, zw_expr_op(x->ctx, e), 2, both);
        return true;
    }
    default:
        return expand_function(x, e, out);
    }
}

/* the series of all nodes; nodes without one have entries 0 */
static bool expand_nodes(expansion *x) {
    for (int i = 0; i < x->m->count; i++)
        memo_set(x->m, x->m->order[i], (uint32_t)i);
    for (int i = 0; i < x->m->count; i++) {
        zw_expr e = x->m->order[i], *out = x->series + (size_t)i * (size_t)x->width;
        bool found = expand_node(x, e, out);
        if (x->ctx->status < 0 && x->ctx->status != ZW_E_DOMAIN)
            return false;
        if (x->ctx->status == ZW_E_DOMAIN)
            found = report_no_series(x, e, "no finite value");
        for (int k = 0; k < x->width && !found; k++)
            out[k] = ZW_NULL;
    }
    return true;
}

static zw_status expand_all(expansion *x, int m, const zw_expr *e, zw_expr *out, zw_error *err) {
    zw_context *ctx = x->ctx;
    uint64_t mask = 0;
    for (int i = 0; i < x->n; i++)
        mask |= node_of(ctx, x->symbols[i])->mask;
    if (!zw_memo_walk(ctx, x->m, m, e, mask))
        return zw_context_status(ctx, err);
    x->series = ZW_NEW(&ctx->scratch, zw_expr, (size_t)(x->m->count + 1) * (size_t)x->width);
    if (!x->series)
        return zw_out_of_memory(err, "expressions");
    if (!expand_nodes(x))
        return zw_context_status(ctx, err);
    for (int i = 0; i < m * x->width; i++) {
        out[i] = series_term(x, e[i / x->width], i % x->width);
        if (!out[i] && err)
            *err = x->why;
        if (!out[i])
            return ZW_E_DOMAIN;
    }
    return ZW_OK;
}

zw_status zw_taylor_series(zw_context *ctx, int m, const zw_expr *e, int n, const zw_expr *symbols,
                           const zw_expr *series, int order, zw_expr *out, zw_error *err) {
    ZW_TRY(zw_context_status(ctx, err));
    if (order < 0 || order > ZW_TAYLOR_MOST)
        return zw_fail(err, ZW_E_OPTION, "an order between 0 and %d is wanted", ZW_TAYLOR_MOST);
    expansion x = {.ctx = ctx,
                   .order = order,
                   .width = order + 1,
                   .n = n,
                   .symbols = symbols,
                   .given = series,
                   .dummy = zw_symbol(ctx, "argument of a series")};
    zw_arena_mark mark = zw_arena_mark_now(&ctx->scratch);
    x.m = zw_memo_begin(ctx);
    zw_status status = x.m ? expand_all(&x, m, e, out, err) : zw_context_status(ctx, err);
    if (x.m)
        zw_memo_end(ctx);
    zw_arena_release(&ctx->scratch, mark);
    return status;
}

zw_status zw_taylor(zw_context *ctx, int m, const zw_expr *e, int n, const zw_expr *symbols,
                    const zw_expr *at, const zw_expr *small, int order, zw_expr *out,
                    zw_error *err) {
    int width = order > 0 && order <= ZW_TAYLOR_MOST ? order + 1 : 1;
    zw_arena_mark mark = zw_arena_mark_now(&ctx->scratch);
    zw_expr *series = ZW_NEW(&ctx->scratch, zw_expr, (size_t)n * (size_t)width + 1);
    if (!series)
        return zw_out_of_memory(err, "expressions");
    for (int i = 0; i < n * width; i++)
        series[i] = i % width == 0 ? at[i / width] : i % width == 1 ? small[i / width] : ZW_ZERO;
    zw_status status = zw_taylor_series(ctx, m, e, n, symbols, series, order, out, err);
    zw_arena_release(&ctx->scratch, mark);
    return status;
}

zw_expr zw_truncated(zw_context *ctx, zw_expr e, int n, const zw_expr *symbols, const zw_expr *at,
                     const zw_expr *small, int order, zw_error *err) {
    zw_expr part[ZW_TAYLOR_MOST + 1];
    if (zw_taylor(ctx, 1, &e, n, symbols, at, small, order, part, err) < 0)
        return ZW_NULL;
    return zw_sum(ctx, order + 1, part);
}

zw_expr zw_taylor_coefficient(zw_context *ctx, zw_expr polynomial, int n, const zw_expr *variables,
                              const int *powers) {
    int64_t factorial = 1;
    zw_expr zero = ZW_ZERO;
    for (int i = 0; i < n; i++)
        for (int k = 1; k <= powers[i]; k++) {
            polynomial = zw_diff(ctx, polynomial, variables[i]);
            factorial *= k;
        }
    for (int i = 0; i < n; i++)
        polynomial = zw_subst(ctx, polynomial, 1, &variables[i], &zero);
    return zw_mul(ctx, polynomial, zw_rational(ctx, 1, factorial));
}
