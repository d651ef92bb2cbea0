/* SPDX-License-Identifier: MIT */
/* Bounds of an expression for any values of its symbols, where they are obvious: even powers are
 * not negative, sines lie between -1 and 1, A sin(u)^2 + B cos(u)^2 between A and B, an exponential
 * is positive. This is interval arithmetic, in which every occurrence of a symbol counts as
 * independent: bounds are true, not sharp. Powers with exponents that are not integers have a value
 * only where their base is not negative; bounds are those of values that exist. */
#include <math.h>

#include "expr/core/store.h"

/* Round-off of a sum per summand, relative to the sum of sizes: 4.5 eps. It only has to exceed
 * the round-off, so that a difference that cancels may still be negative. */
#define SUM_ROUNDOFF 1e-15
enum { DEPTH_MAX = 40, NODES_MAX = 20000 };

typedef struct bound {
    double low, high;
} bound;

typedef struct bounder {
    const zw_context *ctx;
    int n;
    const zw_expr *symbols;
    const double *low, *high;
    int budget; /* nodes that may still be visited; shared nodes are visited each time */
} bounder;

static const bound ANY = {-INFINITY, INFINITY};

/* 0 times infinity is 0: a bound that is not attained */
static double multiply_limits(double a, double b) {
    return a == 0 || b == 0 ? 0 : a * b;
}

static bound multiply_bounds(bound a, bound b) {
    double p[4] = {multiply_limits(a.low, b.low), multiply_limits(a.low, b.high),
                   multiply_limits(a.high, b.low), multiply_limits(a.high, b.high)};
    return (bound){fmin(fmin(p[0], p[1]), fmin(p[2], p[3])),
                   fmax(fmax(p[0], p[1]), fmax(p[2], p[3]))};
}

static bound whole_power(bound a, double e) {
    double low = pow(a.low, e), high = pow(a.high, e);
    if (fmod(e, 2) != 0)
        return (bound){low, high};
    return (bound){a.low <= 0 && a.high >= 0 ? 0 : fmin(low, high), fmax(low, high)};
}

static bound power_bound(bound a, double e) {
    if (e != floor(e)) {
        double low = fmax(a.low, 0), high = fmax(a.high, 0);
        return e > 0 ? (bound){pow(low, e), pow(high, e)} : (bound){pow(high, e), pow(low, e)};
    }
    if (e >= 0)
        return whole_power(a, e);
    bound p = whole_power(a, -e);
    if (p.low > 0 || p.high < 0)
        return (bound){1 / p.high, 1 / p.low};
    return p.low == 0 ? (bound){1 / p.high, INFINITY} : ANY;
}

static bound bounds_of(bounder *b, zw_expr e, int depth);

/* the product of the factors except the one at `but` */
static bound bounds_of_product(bounder *b, const node *k, int but, int depth) {
    bound all = {1, 1};
    for (int i = 0; i < k->n; i += 2) {
        if (i == but)
            continue;
        bound base = bounds_of(b, k->args[i], depth), e = bounds_of(b, k->args[i + 1], depth);
        all = multiply_bounds(all, e.low == e.high ? power_bound(base, e.low)
                                   : base.low > 0  ? (bound){0, INFINITY}
                                                   : ANY);
    }
    return all;
}

/* the position of sin(u)^2 (ZW_OP_SIN) or cos(u)^2 among the factors of a product; -1 if there is
 * none */
static int square_of(const bounder *b, zw_expr e, zw_op op, zw_expr *u) {
    const node *k = node_of(b->ctx, e);
    for (int i = 0; k->op == ZW_OP_PRODUCT && i < k->n; i += 2)
        if (node_of(b->ctx, k->args[i])->op == op && k->args[i + 1] == ZW_TWO) {
            *u = node_of(b->ctx, k->args[i])->args[0];
            return i;
        }
    return -1;
}

/* summand i, a factor times a product, without the factor of the product at `but` */
static bound bounds_of_term(bounder *b, const node *k, int i, int but, int depth) {
    bound rest = but < 0 ? bounds_of(b, k->args[i], depth)
                         : bounds_of_product(b, node_of(b->ctx, k->args[i]), but, depth);
    return multiply_bounds(rest, bounds_of(b, k->args[i + 1], depth));
}

enum { PAIRS_MAX = 64 }; /* number of summands in which pairs are searched for */

/* A sin(u)^2 + B cos(u)^2 lies between A and B. Returns the matching summand after i; -1 if there
 * is none */
static int partner_of(const bounder *b, const node *k, int i, const bool *done, int at[2]) {
    for (int swapped = 0; swapped < 2; swapped++) {
        zw_expr u, v;
        at[0] = square_of(b, k->args[i], swapped ? ZW_OP_COS : ZW_OP_SIN, &u);
        for (int j = i + 2; at[0] >= 0 && j < k->n && j < 2 * PAIRS_MAX; j += 2) {
            at[1] = square_of(b, k->args[j], swapped ? ZW_OP_SIN : ZW_OP_COS, &v);
            if (at[1] >= 0 && u == v && !done[j / 2])
                return j;
        }
    }
    return -1;
}

static bound bounds_of_sum(bounder *b, const node *k, int depth) {
    bound sum = bounds_of(b, k->args[0], depth);
    double size = fabs(sum.low);
    bool falls = sum.low < 0, done[PAIRS_MAX] = {false};
    for (int i = 1; i < k->n; i += 2) {
        int at[2], other = i < 2 * PAIRS_MAX ? partner_of(b, k, i, done, at) : -1;
        if (i < 2 * PAIRS_MAX && done[i / 2])
            continue;
        bound part = bounds_of_term(b, k, i, other < 0 ? -1 : at[0], depth);
        if (other >= 0) {
            bound second = bounds_of_term(b, k, other, at[1], depth);
            part = (bound){fmin(part.low, second.low), fmax(part.high, second.high)};
            done[other / 2] = true;
        }
        sum.low += part.low;
        sum.high += part.high;
        size += fabs(part.low);
        falls |= part.low < 0;
    }
    if (falls) /* a remainder of a difference may be round-off */
        sum.low -= SUM_ROUNDOFF * k->n * size;
    return sum;
}

static bound bounds_of_function(bounder *b, zw_op op, const node *k, int depth) {
    bound a = k->n > 0 ? bounds_of(b, k->args[0], depth) : ANY,
          c = k->n > 1 ? bounds_of(b, k->args[1], depth) : ANY;
    switch (op) {
    case ZW_OP_SIN:
    case ZW_OP_COS:
    case ZW_OP_TANH:
    case ZW_OP_SIGN:
        return (bound){-1, 1};
    case ZW_OP_ATAN:
        return (bound){-2, 2};
    case ZW_OP_ACOS:
        return (bound){0, 4};
    case ZW_OP_COSH:
        return (bound){1, INFINITY};
    case ZW_OP_ACOSH:
        return (bound){0, INFINITY};
    case ZW_OP_EXP:
        return (bound){exp(a.low), exp(a.high)};
    case ZW_OP_ABS:
        return (bound){a.low > 0    ? a.low
                       : a.high < 0 ? -a.high
                                    : 0,
                       fmax(fabs(a.low), fabs(a.high))};
    case ZW_OP_MIN:
        return (bound){fmin(a.low, c.low), fmin(a.high, c.high)};
    case ZW_OP_MAX:
        return (bound){fmax(a.low, c.low), fmax(a.high, c.high)};
    case ZW_OP_LT:
    case ZW_OP_LE:
    case ZW_OP_NOT:
    case ZW_OP_AND:
    case ZW_OP_OR:
        return (bound){0, 1};
    case ZW_OP_COND:
        a = bounds_of(b, k->args[2], depth);
        return (bound){fmin(a.low, c.low), fmax(a.high, c.high)};
    default:
        return ANY;
    }
}

static bound bounds_of(bounder *b, zw_expr e, int depth) {
    const node *k = node_of(b->ctx, e);
    bound out = ANY;
    if (depth >= DEPTH_MAX || --b->budget < 0)
        return ANY;
    if (is_number_op(k->op) || e == ZW_PI)
        return (bound){zw_expr_number(b->ctx, e), zw_expr_number(b->ctx, e)};
    if (k->op == ZW_OP_SYMBOL) {
        for (int i = 0; i < b->n; i++)
            if (b->symbols[i] == e)
                return (bound){b->low[i], b->high[i]};
        return ANY;
    }
    out = k->op == ZW_OP_SUM       ? bounds_of_sum(b, k, depth + 1)
          : k->op == ZW_OP_PRODUCT ? bounds_of_product(b, k, -1, depth + 1)
          : k->op == ZW_OP_TABLE   ? ANY
                                   : bounds_of_function(b, (zw_op)k->op, k, depth + 1);
    return isnan(out.low) || isnan(out.high) ? ANY : out;
}

double zw_expr_least(const zw_context *ctx, zw_expr e, int n, const zw_expr *symbols,
                     const double *low, const double *high) {
    bounder b = {
        .ctx = ctx, .n = n, .symbols = symbols, .low = low, .high = high, .budget = NODES_MAX};
    return bounds_of(&b, e, 0).low;
}
