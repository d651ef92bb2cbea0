/* SPDX-License-Identifier: MIT */
/* Arithmetic of series, and expressions evaluated in them. With u = u_0 + u_1 s + ..., y = f(u):
 *
 *   products     y_k = sum u_j w_(k-j)
 *   powers       u_0 k y_k = sum (j a - (k - j)) u_j y_(k-j)            from u y' = a u' y
 *   sine, cosine k s_k = sum j u_j c_(k-j),  k c_k = -sum j u_j s_(k-j)
 *   others       k y_k = sum j u_j g_(k-j),  g the series of f'(u), by arithmetic
 *
 * These recurrences are in R. D. Neidinger, SIAM Review 52 (2010) 545-563. */
#include "jet.h"

#include <math.h>
#include <string.h>

#include "base/tolerance.h"
#include "expr/core/store.h"

static int smaller_int(int a, int b) {
    return a < b ? a : b;
}

zw_jet zw_jet_number(int n, double value) {
    zw_jet j = {.low = 0, .terms = n};
    j.c[0] = value;
    return j;
}

double zw_jet_coefficient(const zw_jet *a, int k) {
    if (k < a->low)
        return 0;
    return k - a->low < a->terms ? a->c[k - a->low] : NAN;
}

int zw_jet_first(const zw_jet *a) {
    double largest = 0;
    for (int i = 0; i < a->terms; i++)
        largest = fmax(largest, fabs(a->c[i]));
    for (int i = 0; i < a->terms; i++)
        if (fabs(a->c[i]) > ZW_ROUNDOFF_VALUE * largest || isnan(a->c[i]))
            return i;
    return a->terms;
}

double zw_jet_leading(const zw_jet *a) {
    int first = zw_jet_first(a);
    return first < a->terms ? a->c[first] : 0;
}

void zw_jet_add(const zw_jet *a, double factor, const zw_jet *b, zw_jet *out) {
    zw_jet sum = {.low = smaller_int(a->low, b->low)};
    sum.terms =
        smaller_int(smaller_int(a->low + a->terms, b->low + b->terms) - sum.low, ZW_JET_MAX);
    if (sum.terms < 0)
        sum.terms = 0;
    for (int i = 0; i < sum.terms; i++)
        sum.c[i] = zw_jet_coefficient(a, sum.low + i) + factor * zw_jet_coefficient(b, sum.low + i);
    *out = sum;
}

void zw_jet_scale(double factor, zw_jet *a) {
    for (int i = 0; i < a->terms; i++)
        a->c[i] *= factor;
}

void zw_jet_multiply(const zw_jet *a, const zw_jet *b, zw_jet *out) {
    zw_jet product = {.low = a->low + b->low, .terms = smaller_int(a->terms, b->terms)};
    for (int i = 0; i < product.terms; i++)
        for (int j = 0; j <= i; j++)
            product.c[i] += a->c[j] * b->c[i - j];
    *out = product;
}

/* removes the coefficients before the first significant one */
static zw_jet strip_zeros(const zw_jet *a) {
    int first = zw_jet_first(a);
    zw_jet out = {.low = a->low + first, .terms = a->terms - first};
    for (int i = 0; i < out.terms; i++)
        out.c[i] = a->c[first + i];
    return out;
}

zw_jet zw_jet_stripped(int n, const zw_jet *a) {
    return zw_jet_first(a) < a->terms ? strip_zeros(a) : zw_jet_number(n, 0);
}

/* --------------------------------------------------------------------------------- evaluation */

typedef struct work {
    const zw_context *ctx;
    int terms;
    zw_expr node; /* being evaluated */
    zw_jet_fault *fault;
} work;

static zw_jet report_fault(const work *w, const char *why) {
    if (!w->fault->node) {
        w->fault->node = w->node;
        w->fault->why = why;
    }
    zw_jet none = zw_jet_number(w->terms, NAN);
    return none;
}

static void note_kink(const work *w) {
    if (!w->fault->kink)
        w->fault->kink = w->node;
}

/* u^p, p = num/den */
static zw_jet raise_to_power(const work *w, const zw_jet *base, int64_t num, int64_t den,
                             double p) {
    zw_jet u = strip_zeros(base), y = {.terms = u.terms};
    bool whole = den == 1;
    if (u.terms == 0) { /* u is 0 to the known order, and its root to a lower one */
        if (!(p > 0))
            return report_fault(w, "a division by what vanishes");
        if (!whole)
            note_kink(w);
        y = zw_jet_number(whole ? base->terms : base->terms / 2, 0);
        return y;
    }
    if (!whole && u.low != 0) {
        note_kink(w);
        if (u.low * num % den != 0)
            return report_fault(w, "a root of what vanishes");
    }
    if (!whole && u.c[0] < 0)
        return report_fault(w, "a root of what is negative");
    y.low = (int)(u.low * num / den);
    y.c[0] = pow(u.c[0], p);
    for (int k = 1; k < y.terms; k++) {
        for (int j = 1; j <= k; j++)
            y.c[k] += (j * p - (k - j)) * u.c[j] * y.c[k - j];
        y.c[k] /= k * u.c[0];
    }
    return y;
}

static zw_jet natural_power(const zw_jet *base, int64_t p) {
    zw_jet y = *base;
    for (int64_t i = 1; i < p; i++)
        zw_jet_multiply(&y, base, &y);
    return y;
}

/* u with low = 0, which a function needs; false if it is unbounded */
static bool regularise_jet(const work *w, const zw_jet *u, zw_jet *out) {
    zw_jet r = {.low = 0, .terms = smaller_int(u->low + u->terms, w->terms)};
    if (zw_jet_first(u) < u->terms && u->low + zw_jet_first(u) < 0)
        return false;
    if (r.terms < 1)
        return false;
    for (int i = 0; i < r.terms; i++)
        r.c[i] = zw_jet_coefficient(u, i);
    *out = r;
    return true;
}

/* y = first + integral of g du */
static zw_jet integrate_product(double first, const zw_jet *g, const zw_jet *u) {
    zw_jet y = {.low = 0, .terms = smaller_int(g->terms, u->terms)};
    y.c[0] = first;
    for (int k = 1; k < y.terms; k++) {
        for (int j = 1; j <= k; j++)
            y.c[k] += j * u->c[j] * g->c[k - j];
        y.c[k] /= k;
    }
    return y;
}

/* s' = u' c, c' = sign u' s */
static void expand_sine_cosine(const zw_jet *u, double s0, double c0, double sign, zw_jet *s,
                               zw_jet *c) {
    *s = (zw_jet){.terms = u->terms, .c = {s0}};
    *c = (zw_jet){.terms = u->terms, .c = {c0}};
    for (int k = 1; k < u->terms; k++) {
        for (int j = 1; j <= k; j++) {
            s->c[k] += j * u->c[j] * c->c[k - j];
            c->c[k] += sign * j * u->c[j] * s->c[k - j];
        }
        s->c[k] /= k;
        c->c[k] /= k;
    }
}

static zw_jet expand_trigonometric(const work *w, zw_op op, const zw_jet *u) {
    zw_jet s, c;
    bool bent = op == ZW_OP_SINH || op == ZW_OP_COSH || op == ZW_OP_TANH;
    expand_sine_cosine(u, bent ? sinh(u->c[0]) : sin(u->c[0]), bent ? cosh(u->c[0]) : cos(u->c[0]),
                       bent ? 1 : -1, &s, &c);
    if (op == ZW_OP_SIN || op == ZW_OP_SINH)
        return s;
    if (op == ZW_OP_COS || op == ZW_OP_COSH)
        return c;
    c = raise_to_power(w, &c, -1, 1, -1);
    zw_jet_multiply(&s, &c, &s);
    return s;
}

static zw_jet expand_exponential(const zw_jet *u) {
    zw_jet y = {.terms = u->terms, .c = {exp(u->c[0])}};
    for (int k = 1; k < u->terms; k++) {
        for (int j = 1; j <= k; j++)
            y.c[k] += j * u->c[j] * y.c[k - j];
        y.c[k] /= k;
    }
    return y;
}

/* functions whose derivative is (a + b u^2)^p, or 1/u */
static zw_jet inverse_function(const work *w, zw_op op, const zw_jet *u) {
    static const struct {
        zw_op op;
        int a, b;
        bool root;
        double factor;
    } rows[] = {{ZW_OP_ASIN, 1, -1, true, 1},  {ZW_OP_ACOS, 1, -1, true, -1},
                {ZW_OP_ATAN, 1, 1, false, 1},  {ZW_OP_ASINH, 1, 1, true, 1},
                {ZW_OP_ACOSH, -1, 1, true, 1}, {ZW_OP_ATANH, 1, -1, false, 1}};
    zw_jet g = *u, square;
    double factor = 1, value = zw_function_value(op, u->c);
    if (!isfinite(value))
        return report_fault(w, "no value there");
    if (op == ZW_OP_LOG) {
        g = raise_to_power(w, u, -1, 1, -1);
    } else {
        size_t i = 0;
        while (rows[i].op != op)
            i++;
        zw_jet_multiply(u, u, &square);
        zw_jet_scale(rows[i].b, &square);
        square.c[0] += rows[i].a;
        g = rows[i].root ? raise_to_power(w, &square, -1, 2, -0.5)
                         : raise_to_power(w, &square, -1, 1, -1);
        factor = rows[i].factor;
    }
    if (g.low != 0)
        return report_fault(w, "infinitely steep there");
    zw_jet_scale(factor, &g);
    return integrate_product(value, &g, u);
}

/* the angle of (x, y), both divided by their common power of s */
static zw_jet expand_angle(const work *w, const zw_jet *b, const zw_jet *a) {
    zw_jet x = strip_zeros(a), y = strip_zeros(b), length, cross, part;
    int low = x.terms == 0 ? y.low : y.terms == 0 ? x.low : smaller_int(x.low, y.low);
    if (x.terms == 0 && y.terms == 0)
        return report_fault(w, "an angle of what vanishes");
    if (low > 0)
        note_kink(w);
    x = *a;
    y = *b;
    x.low -= low;
    y.low -= low;
    if (!regularise_jet(w, &x, &x) || !regularise_jet(w, &y, &y))
        return report_fault(w, "it grows beyond all bounds");
    zw_jet dx = x, dy = y;
    for (int i = 0; i < dx.terms; i++)
        dx.c[i] *= i;
    for (int i = 0; i < dy.terms; i++)
        dy.c[i] *= i;
    zw_jet_multiply(&x, &dy, &cross);
    zw_jet_multiply(&y, &dx, &part);
    zw_jet_add(&cross, -1, &part, &cross);
    zw_jet_multiply(&x, &x, &length);
    zw_jet_multiply(&y, &y, &part);
    zw_jet_add(&length, 1, &part, &length);
    length = raise_to_power(w, &length, -1, 1, -1);
    zw_jet_multiply(&cross, &length, &cross);
    for (int i = 1; i < cross.terms; i++)
        cross.c[i] /= i;
    cross.c[0] = atan2(y.c[0], x.c[0]);
    return cross;
}

static zw_jet expand_spline(const work *w, const zw_spline *spline, int order, const zw_jet *u) {
    double factorial = 1;
    zw_jet h = *u, power_of = zw_jet_number(w->terms, 1), y = zw_jet_number(w->terms, 0);
    h.c[0] = 0;
    double ahead = zw_jet_leading(&h), x = u->c[0];
    for (int i = 0; i < spline->n && ahead != 0; i++)
        if (spline->x[i] == x) { /* the piece that the curve enters */
            note_kink(w);
            x = nextafter(x, ahead > 0 ? INFINITY : -INFINITY);
            break;
        }
    for (int k = 0; k <= 3; k++) {
        if (k > 0)
            factorial *= k;
        zw_jet_add(&y, zw_spline_eval(spline, order + k, x) / factorial, &power_of, &y);
        zw_jet_multiply(&power_of, &h, &power_of);
    }
    return y;
}

/* the sign of a - b as s increases from 0: -1, 0, 1 */
static int order_of(const work *w, const zw_jet *a, const zw_jet *b) {
    zw_jet difference;
    zw_jet_add(a, -1, b, &difference);
    int first = zw_jet_first(&difference);
    if (difference.low + first != 0)
        note_kink(w);
    double leading = zw_jet_leading(&difference);
    return leading > 0 ? 1 : leading < 0 ? -1 : 0;
}

static bool is_undefined(const zw_jet *a) {
    for (int i = 0; i < a->terms; i++)
        if (!isfinite(a->c[i]))
            return true;
    return a->terms == 0;
}

static zw_jet expand_choice(const work *w, zw_op op, const zw_jet *const *arg) {
    const zw_jet zero = zw_jet_number(w->terms, 0);
    zw_jet y = *arg[0];
    int sign;
    if (is_undefined(arg[0]) || (op != ZW_OP_COND && arg[1] && is_undefined(arg[1])))
        return report_fault(w, "no finite value");
    switch (op) {
    case ZW_OP_ABS:
        if (order_of(w, arg[0], &zero) < 0)
            zw_jet_scale(-1, &y);
        return y;
    case ZW_OP_SIGN:
        return zw_jet_number(w->terms, order_of(w, arg[0], &zero));
    case ZW_OP_MIN:
        return order_of(w, arg[1], arg[0]) < 0 ? *arg[1] : *arg[0];
    case ZW_OP_MAX:
        return order_of(w, arg[1], arg[0]) > 0 ? *arg[1] : *arg[0];
    case ZW_OP_LT:
    case ZW_OP_LE:
        sign = order_of(w, arg[0], arg[1]);
        return zw_jet_number(w->terms, sign < 0 || (sign == 0 && op == ZW_OP_LE));
    case ZW_OP_NOT:
        return zw_jet_number(w->terms, zw_jet_leading(arg[0]) == 0);
    case ZW_OP_AND:
        return zw_jet_number(w->terms, zw_jet_leading(arg[0]) != 0 && zw_jet_leading(arg[1]) != 0);
    case ZW_OP_OR:
        return zw_jet_number(w->terms, zw_jet_leading(arg[0]) != 0 || zw_jet_leading(arg[1]) != 0);
    default:
        return zw_jet_leading(arg[0]) != 0 ? *arg[1] : *arg[2];
    }
}

static zw_jet expand_function(const work *w, zw_op op, const zw_jet *const *arg) {
    zw_jet u;
    if (op == ZW_OP_ATAN2)
        return expand_angle(w, arg[0], arg[1]);
    if (op >= ZW_OP_MIN || op == ZW_OP_ABS || op == ZW_OP_SIGN)
        return expand_choice(w, op, arg);
    if (!regularise_jet(w, arg[0], &u))
        return report_fault(w, "a function of what grows beyond all bounds");
    switch (op) {
    case ZW_OP_SIN:
    case ZW_OP_COS:
    case ZW_OP_TAN:
    case ZW_OP_SINH:
    case ZW_OP_COSH:
    case ZW_OP_TANH:
        return expand_trigonometric(w, op, &u);
    case ZW_OP_EXP:
        return expand_exponential(&u);
    default:
        return inverse_function(w, op, &u);
    }
}

static zw_jet raise_expression(const work *w, const zw_jet *base, zw_expr exponent,
                               const zw_jet *e) {
    enum { PLAIN = 64 };
    int64_t num, den;
    zw_jet u;
    if (zw_expr_is_rational(w->ctx, exponent, &num, &den)) {
        if (den == 1 && num > 0 && num <= PLAIN)
            return natural_power(base, num);
        return raise_to_power(w, base, num, den, (double)num / (double)den);
    }
    if (!regularise_jet(w, base, &u) || !(u.c[0] > 0))
        return report_fault(w, "a power of what vanishes or is negative");
    u = inverse_function(w, ZW_OP_LOG, &u);
    zw_jet_multiply(&u, e, &u);
    return regularise_jet(w, &u, &u) ? expand_exponential(&u)
                                     : report_fault(w, "it grows beyond all bounds");
}

static zw_jet node_jet(const work *w, const memo *m, const zw_jet *value, zw_expr e) {
    const node *k = node_of(w->ctx, e);
    if (is_number_op(k->op) || e == ZW_PI)
        return zw_jet_number(w->terms, zw_expr_number(w->ctx, e));
#define VALUE(i) (&value[m->value[k->args[i]]])
    if (k->op == ZW_OP_SUM) {
        zw_jet sum = *VALUE(0);
        for (int i = 1; i < k->n; i += 2)
            zw_jet_add(&sum, zw_expr_number(w->ctx, k->args[i + 1]), VALUE(i), &sum);
        return sum;
    }
    if (k->op == ZW_OP_PRODUCT) {
        zw_jet product = raise_expression(w, VALUE(0), k->args[1], VALUE(1));
        for (int i = 2; i < k->n; i += 2) {
            zw_jet factor = raise_expression(w, VALUE(i), k->args[i + 1], VALUE(i + 1));
            zw_jet_multiply(&product, &factor, &product);
        }
        return product;
    }
    if (k->op == ZW_OP_PATCH)
        return report_fault(w, "friction of a patch");
    if (k->op == ZW_OP_TABLE) {
        zw_jet u;
        return regularise_jet(w, VALUE(2), &u)
                   ? expand_spline(w, zw_spline_of(w->ctx, (int)VALUE(0)->c[0]),
                                   (int)VALUE(1)->c[0], &u)
                   : report_fault(w, "it grows beyond all bounds");
    }
    const zw_jet *args[3] = {0};
    for (int i = 0; i < k->n && i < 3; i++)
        args[i] = VALUE(i);
#undef VALUE
    return expand_function(w, (zw_op)k->op, args);
}

static zw_jet symbol_jet(const work *w, zw_expr x, int n, const zw_expr *symbols,
                         const zw_jet *values) {
    for (int s = 0; s < n; s++)
        if (symbols[s] == x)
            return values[s];
    return report_fault(w, "it has no value");
}

/* the series of all nodes below the roots; m->value[node] is their index; NULL if out of memory */
static zw_jet *expand_nodes(work *w, memo *m, int nroot, const zw_expr *roots, int n,
                            const zw_expr *symbols, const zw_jet *values) {
    zw_context *ctx = (zw_context *)w->ctx;
    if (!zw_memo_walk(ctx, m, nroot, roots, UINT64_MAX))
        return NULL;
    zw_jet *value = ZW_NEW(&ctx->scratch, zw_jet, m->count);
    if (!value)
        zw_store_fail(ctx, ZW_E_MEMORY, "out of memory");
    for (int i = 0; value && i < m->count; i++) {
        w->node = m->order[i];
        memo_set(m, w->node, (uint32_t)i);
        value[i] = node_of(ctx, w->node)->op == ZW_OP_SYMBOL
                       ? symbol_jet(w, w->node, n, symbols, values)
                       : node_jet(w, m, value, w->node);
        if (is_undefined(&value[i]))
            report_fault(w, "no finite value");
    }
    return value;
}

/* A choice evaluates both of its branches, and one that is not taken may have no series. What
 * counts is whether the roots have one. */
static bool roots_are_sound(int nroot, const zw_expr *roots, const memo *m, const zw_jet *value) {
    for (int i = 0; i < nroot; i++)
        if (roots[i] == ZW_NULL || is_undefined(&value[m->value[roots[i]]]))
            return false;
    return true;
}

bool zw_jet_eval(const zw_context *ctx, int nroot, const zw_expr *roots, int n,
                 const zw_expr *symbols, const zw_jet *values, int terms, zw_jet *out,
                 zw_jet_fault *fault) {
    zw_jet_fault found = {0};
    work w = {.ctx = ctx, .terms = terms, .fault = &found};
    memo *m = zw_memo_begin(ctx);
    if (!m)
        return false;
    zw_arena *scratch = &((zw_context *)ctx)->scratch;
    zw_arena_mark mark = zw_arena_mark_now(scratch);
    const zw_jet *value = expand_nodes(&w, m, nroot, roots, n, symbols, values);
    bool sound = value && roots_are_sound(nroot, roots, m, value);
    for (int i = 0; sound && i < nroot; i++)
        out[i] = value[m->value[roots[i]]];
    if (fault && !fault->kink)
        fault->kink = found.kink;
    if (fault && !sound && !fault->node) {
        fault->node = found.node;
        fault->why = found.why;
    }
    zw_arena_release(scratch, mark);
    zw_memo_end(ctx);
    return sound;
}

/* -------------------------------------------------------------------------------------- terms */

static zw_jet absolute_coefficients(const zw_jet *a) {
    zw_jet out = *a;
    for (int i = 0; i < out.terms; i++)
        out.c[i] = fabs(out.c[i]);
    return out;
}

static zw_jet terms_of(const work *w, const memo *m, const zw_jet *value, zw_expr e, int depth) {
    const node *k = node_of(w->ctx, e);
    if (k->op == ZW_OP_SUM && depth > 0) {
        zw_jet sum = absolute_coefficients(&value[m->value[k->args[0]]]);
        for (int i = 1; i < k->n; i += 2) {
            zw_jet term = terms_of(w, m, value, k->args[i], depth - 1);
            zw_jet_add(&sum, fabs(zw_expr_number(w->ctx, k->args[i + 1])), &term, &sum);
        }
        return sum;
    }
    if (k->op == ZW_OP_PRODUCT && depth > 0) {
        zw_jet product = zw_jet_number(w->terms, 1);
        for (int i = 0; i < k->n; i += 2) {
            int64_t num = 0, den = 1;
            const zw_jet *base = &value[m->value[k->args[i]]];
            bool whole = zw_expr_is_rational(w->ctx, k->args[i + 1], &num, &den) && den == 1;
            zw_jet factor =
                whole && num > 0 && num <= 8
                    ? terms_of(w, m, value, k->args[i], depth - 1)
                    : raise_expression(w, base, k->args[i + 1], &value[m->value[k->args[i + 1]]]);
            factor = absolute_coefficients(&factor);
            if (whole && num > 0 && num <= 8)
                factor = natural_power(&factor, num);
            zw_jet_multiply(&product, &factor, &product);
        }
        return product;
    }
    return absolute_coefficients(&value[m->value[e]]);
}

bool zw_jet_terms(const zw_context *ctx, zw_expr e, int depth, int n, const zw_expr *symbols,
                  const zw_jet *values, int terms, zw_jet *out) {
    zw_jet_fault found = {0};
    work w = {.ctx = ctx, .terms = terms, .fault = &found};
    memo *m = zw_memo_begin(ctx);
    if (!m)
        return false;
    zw_arena *scratch = &((zw_context *)ctx)->scratch;
    zw_arena_mark mark = zw_arena_mark_now(scratch);
    const zw_jet *value = expand_nodes(&w, m, 1, &e, n, symbols, values);
    bool sound = value && roots_are_sound(1, &e, m, value);
    if (sound)
        *out = terms_of(&w, m, value, e, depth);
    zw_arena_release(scratch, mark);
    zw_memo_end(ctx);
    return sound;
}

/* true if a node below e is this part, or has this operator */
static bool has_node(const zw_context *ctx, zw_expr e, zw_expr part, int op) {
    memo *m = zw_memo_begin(ctx);
    bool found = false;
    if (!m)
        return false;
    if (zw_memo_walk(ctx, m, 1, &e, UINT64_MAX))
        for (int i = 0; i < m->count && !found; i++)
            found = m->order[i] == part || node_of(ctx, m->order[i])->op == op;
    zw_memo_end(ctx);
    return found;
}

bool zw_expr_holds(const zw_context *ctx, zw_expr e, zw_expr part) {
    return has_node(ctx, e, part, -1);
}

bool zw_expr_has_op(const zw_context *ctx, zw_expr e, zw_op op) {
    return has_node(ctx, e, ZW_NULL, (int)op);
}
