/* SPDX-License-Identifier: MIT */
/* Arithmetic of series in two variables, and expressions evaluated in them. A series is a sum of
 * homogeneous parts u_d of degree d, and Euler's operator E = t d/dt + s d/ds multiplies u_d by d.
 * So the recurrences of series in one variable (jet.c), which come from u' -> k u_k, are valid for
 * the parts, with products of homogeneous polynomials instead of products of numbers:
 *
 *   powers       u_0 d y_d = sum (e a - (d - e)) u_e y_(d-e)            from u E y = a y E u
 *   sine, cosine d s_d = sum e u_e c_(d-e),  d c_d = -sum e u_e s_(d-e)
 *   others       d y_d = sum e u_e g_(d-e),  g the series of f'(u), by arithmetic */
#include "jet2.h"

#include <math.h>
#include <string.h>

#include "base/tolerance.h"
#include "expr/core/store.h"

static int smaller_int(int a, int b) {
    return a < b ? a : b;
}

/* number of coefficients up to degree d */
static int coefficient_count(zw_jet2_shape shape, int d) {
    return d < 0 ? 0 : zw_jet2_at(shape, d + 1, 0);
}

zw_jet2 zw_jet2_number(zw_jet2_shape shape, double value) {
    zw_jet2 a = {.low = 0, .degree = shape.degree};
    a.c[0] = value;
    return a;
}

zw_jet2 zw_jet2_small(zw_jet2_shape shape) {
    zw_jet2 a = zw_jet2_number(shape, 1);
    a.low = 1;
    return a;
}

double zw_jet2_coefficient(zw_jet2_shape shape, const zw_jet2 *a, int i, int j) {
    int k = j - a->low;
    if (k < 0)
        return 0;
    if (i + k > a->degree)
        return NAN;
    return shape.two || k == 0 ? a->c[zw_jet2_at(shape, i + k, k)] : 0;
}

/* s^up a */
static void raise_low(zw_jet2_shape shape, const zw_jet2 *a, int up, zw_jet2 *out) {
    zw_jet2 b = {.low = a->low - up, .degree = smaller_int(a->degree + up, shape.degree)};
    for (int d = up; d <= b.degree; d++)
        for (int j = up; j <= d; j++)
            b.c[zw_jet2_at(shape, d, j)] = a->c[zw_jet2_at(shape, d - up, j - up)];
    *out = b;
}

void zw_jet2_add(zw_jet2_shape shape, const zw_jet2 *a, double factor, const zw_jet2 *b,
                 zw_jet2 *out) {
    zw_jet2 moved;
    const zw_jet2 *x = a, *y = b;
    if (a->low > b->low) {
        raise_low(shape, a, a->low - b->low, &moved);
        x = &moved;
    } else if (b->low > a->low) {
        raise_low(shape, b, b->low - a->low, &moved);
        y = &moved;
    }
    int degree = smaller_int(x->degree, y->degree), low = x->low,
        n = coefficient_count(shape, degree);
    for (int i = 0; i < n; i++)
        out->c[i] = x->c[i] + factor * y->c[i];
    out->low = low;
    out->degree = degree;
}

static inline void multiply_parts(zw_jet2_shape shape, const double *a, int e, const double *b,
                                  int d, double factor, double *out) {
    if (!shape.two) {
        out[d] += factor * a[e] * b[d - e];
        return;
    }
    const double *u = a + zw_jet2_at(shape, e, 0), *w = b + zw_jet2_at(shape, d - e, 0);
    double *y = out + zw_jet2_at(shape, d, 0);
    for (int i = 0; i <= e; i++) {
        double c = factor * u[i];
        if (c != 0)
            for (int j = 0; j <= d - e; j++)
                y[i + j] += c * w[j];
    }
}

void zw_jet2_parts(zw_jet2_shape shape, const double *a, int e, const double *b, int d,
                   double factor, double *out) {
    multiply_parts(shape, a, e, b, d, factor, out);
}

void zw_jet2_multiply(zw_jet2_shape shape, const zw_jet2 *a, const zw_jet2 *b, zw_jet2 *out) {
    zw_jet2 y;
    y.low = a->low + b->low;
    y.degree = smaller_int(a->degree, b->degree);
    memset(y.c, 0, (size_t)coefficient_count(shape, y.degree) * sizeof *y.c);
    for (int d = 0; d <= y.degree; d++)
        for (int e = 0; e <= d; e++)
            multiply_parts(shape, a->c, e, b->c, d, 1, y.c);
    out->low = y.low;
    out->degree = y.degree;
    memcpy(out->c, y.c, (size_t)coefficient_count(shape, y.degree) * sizeof *y.c);
}

void zw_jet2_regular(zw_jet2_shape shape, zw_jet2 *a, double *left) {
    double most = 0;
    if (a->low > 0)
        raise_low(shape, a, a->low, a);
    for (; a->low < 0 && a->degree >= 0; a->low++, a->degree--) {
        for (int d = 0; d <= a->degree; d++)
            most = fmax(most, fabs(a->c[zw_jet2_at(shape, d, 0)]));
        for (int d = 0; d < a->degree; d++)
            for (int j = 0; j <= (shape.two ? d : 0); j++)
                a->c[zw_jet2_at(shape, d, j)] =
                    shape.two ? a->c[zw_jet2_at(shape, d + 1, j + 1)] : 0;
    }
    if (left)
        *left = most;
}

void zw_jet2_derive(zw_jet2_shape shape, const zw_jet2 *a, zw_jet2 *out) {
    zw_jet2 y = {.low = a->low, .degree = a->degree - 1};
    for (int d = 0; d <= y.degree; d++)
        for (int j = 0; j <= (shape.two ? d : 0); j++)
            y.c[zw_jet2_at(shape, d, j)] = (d + 1 - j) * a->c[zw_jet2_at(shape, d + 1, j)];
    *out = y;
}

void zw_jet2_integrate(zw_jet2_shape shape, const zw_jet2 *a, zw_jet2 *out) {
    zw_jet2 y = {.low = a->low, .degree = smaller_int(a->degree + 1, shape.degree)};
    for (int d = 1; d <= y.degree; d++)
        for (int j = 0; j <= (shape.two ? d - 1 : 0); j++)
            y.c[zw_jet2_at(shape, d, j)] = a->c[zw_jet2_at(shape, d - 1, j)] / (d - j);
    *out = y;
}

/* --------------------------------------------------------------------------------- evaluation */

typedef struct work {
    const zw_context *ctx;
    zw_jet2_shape shape;
    zw_expr node; /* being evaluated */
    zw_jet2_fault *fault;
} work;

static zw_jet2 report_fault(const work *w, const char *why) {
    if (!w->fault->node) {
        w->fault->node = w->node;
        w->fault->why = why;
    }
    return zw_jet2_number(w->shape, NAN);
}

static double largest_coefficient(zw_jet2_shape shape, const zw_jet2 *a) {
    double most = 0;
    for (int i = 0; i < coefficient_count(shape, a->degree); i++)
        most = fmax(most, fabs(a->c[i]));
    return most;
}

/* Makes the constant term significant by taking out powers of s. False if that is impossible, as
 * for t alone. */
static bool strip_zeros(zw_jet2_shape shape, zw_jet2 *a) {
    double least = ZW_ROUNDOFF_VALUE * largest_coefficient(shape, a);
    while (a->degree >= 0 && !(fabs(a->c[0]) > least)) {
        for (int d = 1; d <= a->degree; d++)
            if (fabs(a->c[zw_jet2_at(shape, d, 0)]) > least)
                return false;
        if (!shape.two)
            return false;
        for (int d = 0; d < a->degree; d++)
            for (int j = 0; j <= d; j++)
                a->c[zw_jet2_at(shape, d, j)] = a->c[zw_jet2_at(shape, d + 1, j + 1)];
        a->low++;
        a->degree--;
    }
    return a->degree >= 0;
}

static zw_jet2 natural_power(const work *w, const zw_jet2 *base, int64_t p) {
    zw_jet2 y = *base;
    for (int64_t i = 1; i < p; i++)
        zw_jet2_multiply(w->shape, &y, base, &y);
    return y;
}

/* u^p, p = num/den */
static zw_jet2 raise_to_power(const work *w, const zw_jet2 *base, int64_t num, int64_t den,
                              double p) {
    zw_jet2 u = *base, y = {0};
    if (!strip_zeros(w->shape, &u))
        return report_fault(w, p < 0 ? "a division by what vanishes" : "a root of what vanishes");
    if (u.low * num % den != 0)
        return report_fault(w, "a root of what vanishes");
    if (den != 1 && u.c[0] < 0)
        return report_fault(w, "a root of what is negative");
    y.low = (int)(u.low * num / den);
    y.degree = u.degree;
    y.c[0] = pow(u.c[0], p);
    for (int d = 1; d <= y.degree; d++) {
        for (int e = 1; e <= d; e++)
            multiply_parts(w->shape, u.c, e, y.c, d, (e * p - (d - e)) / (d * u.c[0]), y.c);
    }
    return y;
}

/* u with low = 0, which a function needs; false if it is unbounded */
static bool regularise_jet(const work *w, const zw_jet2 *a, zw_jet2 *out) {
    double left, most = largest_coefficient(w->shape, a);
    *out = *a;
    zw_jet2_regular(w->shape, out, &left);
    return left <= ZW_ROUNDOFF_VALUE * most && out->degree >= 0;
}

/* y = first + integral of g du */
static zw_jet2 integrate_product(const work *w, double first, const zw_jet2 *g, const zw_jet2 *u) {
    zw_jet2 y = {.degree = smaller_int(g->degree, u->degree)};
    y.c[0] = first;
    for (int d = 1; d <= y.degree; d++)
        for (int e = 1; e <= d; e++)
            multiply_parts(w->shape, u->c, e, g->c, d, (double)e / d, y.c);
    return y;
}

/* s' = u' c, c' = sign u' s */
static void expand_sine_cosine(const work *w, const zw_jet2 *u, double s0, double c0, double sign,
                               zw_jet2 *s, zw_jet2 *c) {
    *s = (zw_jet2){.degree = u->degree, .c = {s0}};
    *c = (zw_jet2){.degree = u->degree, .c = {c0}};
    for (int d = 1; d <= u->degree; d++)
        for (int e = 1; e <= d; e++) {
            multiply_parts(w->shape, u->c, e, c->c, d, (double)e / d, s->c);
            multiply_parts(w->shape, u->c, e, s->c, d, sign * e / d, c->c);
        }
}

static zw_jet2 expand_trigonometric(const work *w, zw_op op, const zw_jet2 *u) {
    zw_jet2 s, c;
    bool bent = op == ZW_OP_SINH || op == ZW_OP_COSH || op == ZW_OP_TANH;
    expand_sine_cosine(w, u, bent ? sinh(u->c[0]) : sin(u->c[0]),
                       bent ? cosh(u->c[0]) : cos(u->c[0]), bent ? 1 : -1, &s, &c);
    if (op == ZW_OP_SIN || op == ZW_OP_SINH)
        return s;
    if (op == ZW_OP_COS || op == ZW_OP_COSH)
        return c;
    c = raise_to_power(w, &c, -1, 1, -1);
    zw_jet2_multiply(w->shape, &s, &c, &s);
    return s;
}

static zw_jet2 expand_exponential(const work *w, const zw_jet2 *u) {
    zw_jet2 y = {.degree = u->degree, .c = {exp(u->c[0])}};
    for (int d = 1; d <= u->degree; d++)
        for (int e = 1; e <= d; e++)
            multiply_parts(w->shape, u->c, e, y.c, d, (double)e / d, y.c);
    return y;
}

/* functions whose derivative is (a + b u^2)^p, or 1/u */
static zw_jet2 inverse_function(const work *w, zw_op op, const zw_jet2 *u) {
    static const struct {
        zw_op op;
        int a, b;
        bool root;
        double factor;
    } rows[] = {{ZW_OP_ASIN, 1, -1, true, 1},  {ZW_OP_ACOS, 1, -1, true, -1},
                {ZW_OP_ATAN, 1, 1, false, 1},  {ZW_OP_ASINH, 1, 1, true, 1},
                {ZW_OP_ACOSH, -1, 1, true, 1}, {ZW_OP_ATANH, 1, -1, false, 1}};
    zw_jet2 g, square;
    double factor = 1, value = zw_function_value(op, u->c);
    if (!isfinite(value))
        return report_fault(w, "no value there");
    if (op == ZW_OP_LOG) {
        g = raise_to_power(w, u, -1, 1, -1);
    } else {
        size_t i = 0;
        while (i < sizeof rows / sizeof *rows && rows[i].op != op)
            i++;
        if (i == sizeof rows / sizeof *rows)
            return report_fault(w, "no series of this function is known");
        zw_jet2_multiply(w->shape, u, u, &square);
        for (int k = 0; k < coefficient_count(w->shape, square.degree); k++)
            square.c[k] *= rows[i].b;
        square.c[0] += rows[i].a;
        g = rows[i].root ? raise_to_power(w, &square, -1, 2, -0.5)
                         : raise_to_power(w, &square, -1, 1, -1);
        factor = rows[i].factor;
    }
    if (g.low != 0)
        return report_fault(w, "infinitely steep there");
    for (int k = 0; k < coefficient_count(w->shape, g.degree); k++)
        g.c[k] *= factor;
    return integrate_product(w, value, &g, u);
}

/* the angle of (x, y): (x Ey - y Ex)/(x^2 + y^2) is E applied to it */
static zw_jet2 expand_angle(const work *w, const zw_jet2 *b, const zw_jet2 *a) {
    zw_jet2 x, y, length, cross = {0}, part;
    if (!regularise_jet(w, a, &x) || !regularise_jet(w, b, &y))
        return report_fault(w, "it grows beyond all bounds");
    cross.degree = smaller_int(x.degree, y.degree);
    for (int d = 1; d <= cross.degree; d++)
        for (int e = 0; e <= d; e++)
            multiply_parts(w->shape, x.c, e, y.c, d, (d - e) - e, cross.c);
    zw_jet2_multiply(w->shape, &x, &x, &length);
    zw_jet2_multiply(w->shape, &y, &y, &part);
    zw_jet2_add(w->shape, &length, 1, &part, &length);
    length = raise_to_power(w, &length, -1, 1, -1);
    if (length.low != 0)
        return report_fault(w, "an angle of what vanishes");
    zw_jet2_multiply(w->shape, &cross, &length, &cross);
    for (int d = 1; d <= cross.degree; d++)
        for (int j = 0; j <= (w->shape.two ? d : 0); j++)
            cross.c[zw_jet2_at(w->shape, d, j)] /= d;
    cross.c[0] = atan2(y.c[0], x.c[0]);
    return cross;
}

static zw_jet2 expand_spline(const work *w, const zw_spline *spline, int order, const zw_jet2 *u) {
    double factorial = 1;
    zw_jet2 h = *u, power_of = zw_jet2_number(w->shape, 1), y = zw_jet2_number(w->shape, 0);
    for (int i = 0; i < spline->n; i++)
        if (spline->x[i] == u->c[0])
            return report_fault(w, "a knot of a table");
    h.c[0] = 0;
    for (int k = 0; k <= 3; k++) {
        factorial *= k > 0 ? k : 1;
        zw_jet2_add(w->shape, &y, zw_spline_eval(spline, order + k, u->c[0]) / factorial, &power_of,
                    &y);
        zw_jet2_multiply(w->shape, &power_of, &h, &power_of);
    }
    return y;
}

static bool is_undefined(zw_jet2_shape shape, const zw_jet2 *a) {
    for (int i = 0; i < coefficient_count(shape, a->degree); i++)
        if (!isfinite(a->c[i]))
            return true;
    return a->degree < 0;
}

/* the sign of a - b; *known is false if both are equal */
static int order_of(const work *w, const zw_jet2 *a, const zw_jet2 *b, bool *known) {
    zw_jet2 difference;
    zw_jet2_add(w->shape, a, -1, b, &difference);
    *known = !is_undefined(w->shape, &difference) && strip_zeros(w->shape, &difference) &&
             difference.low <= 0;
    return *known ? (difference.c[0] > 0) - (difference.c[0] < 0) : 0;
}

static zw_jet2 expand_choice(const work *w, zw_op op, const zw_jet2 *const *arg) {
    static const char kink[] = "it is not smooth there";
    const zw_jet2 zero = zw_jet2_number(w->shape, 0);
    zw_jet2 y = *arg[0];
    bool known = true;
    int sign = 0;
    if (is_undefined(w->shape, arg[0]) ||
        (op != ZW_OP_COND && arg[1] && is_undefined(w->shape, arg[1])))
        return report_fault(w, "no finite value");
    if (op == ZW_OP_ABS || op == ZW_OP_SIGN)
        sign = order_of(w, arg[0], &zero, &known);
    else if (op == ZW_OP_MIN || op == ZW_OP_MAX || op == ZW_OP_LT || op == ZW_OP_LE)
        sign = order_of(w, arg[0], arg[1], &known);
    if (!known)
        return report_fault(w, kink);
    switch (op) {
    case ZW_OP_ABS:
        zw_jet2_add(w->shape, &zero, sign, arg[0], &y);
        return y;
    case ZW_OP_SIGN:
        return zw_jet2_number(w->shape, sign);
    case ZW_OP_MIN:
        return sign < 0 ? *arg[0] : *arg[1];
    case ZW_OP_MAX:
        return sign > 0 ? *arg[0] : *arg[1];
    case ZW_OP_LT:
    case ZW_OP_LE:
        return zw_jet2_number(w->shape, sign < 0);
    case ZW_OP_NOT:
        return zw_jet2_number(w->shape, arg[0]->c[0] == 0);
    case ZW_OP_AND:
        return zw_jet2_number(w->shape, arg[0]->c[0] != 0 && arg[1]->c[0] != 0);
    case ZW_OP_OR:
        return zw_jet2_number(w->shape, arg[0]->c[0] != 0 || arg[1]->c[0] != 0);
    default:
        return arg[0]->c[0] != 0 ? *arg[1] : *arg[2];
    }
}

static zw_jet2 expand_function(const work *w, zw_op op, const zw_jet2 *const *arg) {
    zw_jet2 u;
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
        return expand_exponential(w, &u);
    default:
        return inverse_function(w, op, &u);
    }
}

static zw_jet2 raise_expression(const work *w, const zw_jet2 *base, zw_expr exponent,
                                const zw_jet2 *e) {
    enum { PLAIN = 64 };
    int64_t num, den;
    zw_jet2 u;
    if (zw_expr_is_rational(w->ctx, exponent, &num, &den)) {
        if (den == 1 && num > 0 && num <= PLAIN)
            return natural_power(w, base, num);
        return raise_to_power(w, base, num, den, (double)num / (double)den);
    }
    if (!regularise_jet(w, base, &u) || !(u.c[0] > 0))
        return report_fault(w, "a power of what vanishes or is negative");
    u = inverse_function(w, ZW_OP_LOG, &u);
    zw_jet2_multiply(w->shape, &u, e, &u);
    return regularise_jet(w, &u, &u) ? expand_exponential(w, &u)
                                     : report_fault(w, "it grows beyond all bounds");
}

/* copies only the known terms: most of the struct is unused */
static void copy_terms(zw_jet2_shape shape, const zw_jet2 *from, zw_jet2 *to) {
    to->low = from->low;
    to->degree = from->degree;
    memcpy(to->c, from->c, (size_t)coefficient_count(shape, from->degree) * sizeof *to->c);
}

#define VALUE(i) (&value[m->value[k->args[i]]])

static void sum_jet(const work *w, const memo *m, const zw_jet2 *value, const node *k,
                    zw_jet2 *out) {
    copy_terms(w->shape, VALUE(0), out);
    for (int i = 1; i < k->n; i += 2)
        zw_jet2_add(w->shape, out, zw_expr_number(w->ctx, k->args[i + 1]), VALUE(i), out);
}

static void product_jet(const work *w, const memo *m, const zw_jet2 *value, const node *k,
                        zw_jet2 *out) {
    for (int i = 0; i < k->n; i += 2) {
        zw_jet2 factor;
        const zw_jet2 *f = VALUE(i);
        if (k->args[i + 1] != ZW_ONE) {
            factor = raise_expression(w, f, k->args[i + 1], VALUE(i + 1));
            f = &factor;
        }
        if (i == 0)
            copy_terms(w->shape, f, out);
        else
            zw_jet2_multiply(w->shape, out, f, out);
    }
}

static void node_jet(const work *w, const memo *m, const zw_jet2 *value, zw_expr e, zw_jet2 *out) {
    const node *k = node_of(w->ctx, e);
    zw_jet2 u;
    const zw_jet2 *args[3] = {0};
    if (is_number_op(k->op) || e == ZW_PI) {
        *out = zw_jet2_number(w->shape, zw_expr_number(w->ctx, e));
    } else if (k->op == ZW_OP_SUM) {
        sum_jet(w, m, value, k, out);
    } else if (k->op == ZW_OP_PRODUCT) {
        product_jet(w, m, value, k, out);
    } else if (k->op == ZW_OP_PATCH) {
        *out = report_fault(w, "friction of a patch");
    } else if (k->op == ZW_OP_TABLE) {
        *out = regularise_jet(w, VALUE(2), &u)
                   ? expand_spline(w, zw_spline_of(w->ctx, (int)VALUE(0)->c[0]),
                                   (int)VALUE(1)->c[0], &u)
                   : report_fault(w, "it grows beyond all bounds");
    } else {
        for (int i = 0; i < k->n && i < 3; i++)
            args[i] = VALUE(i);
        *out = expand_function(w, (zw_op)k->op, args);
    }
}
#undef VALUE

static zw_jet2 symbol_jet(const work *w, zw_expr x, int n, const zw_expr *symbols,
                          const zw_jet2 *values) {
    for (int s = 0; s < n; s++)
        if (symbols[s] == x)
            return values[s];
    return report_fault(w, "it has no value");
}

static zw_jet2 *expand_nodes(work *w, memo *m, int nroot, const zw_expr *roots, int n,
                             const zw_expr *symbols, const zw_jet2 *values) {
    zw_context *ctx = (zw_context *)w->ctx;
    if (!zw_memo_walk(ctx, m, nroot, roots, UINT64_MAX))
        return NULL;
    zw_jet2 *value = ZW_NEW(&ctx->scratch, zw_jet2, m->count);
    if (!value)
        zw_store_fail(ctx, ZW_E_MEMORY, "out of memory");
    for (int i = 0; value && i < m->count; i++) {
        w->node = m->order[i];
        memo_set(m, w->node, (uint32_t)i);
        if (node_of(ctx, w->node)->op == ZW_OP_SYMBOL)
            value[i] = symbol_jet(w, w->node, n, symbols, values);
        else
            node_jet(w, m, value, w->node, &value[i]);
        if (is_undefined(w->shape, &value[i]))
            report_fault(w, "no finite value");
    }
    return value;
}

bool zw_jet2_eval(const zw_context *ctx, zw_jet2_shape shape, int nroot, const zw_expr *roots,
                  int n, const zw_expr *symbols, const zw_jet2 *values, zw_jet2 *out,
                  zw_jet2_fault *fault) {
    zw_jet2_fault found = {0};
    work w = {.ctx = ctx, .shape = shape, .fault = &found};
    memo *m = zw_memo_begin(ctx);
    if (!m)
        return false;
    zw_arena *scratch = &((zw_context *)ctx)->scratch;
    zw_arena_mark mark = zw_arena_mark_now(scratch);
    const zw_jet2 *value = expand_nodes(&w, m, nroot, roots, n, symbols, values);
    bool sound = value != NULL;
    /* a branch that is not taken may have no series: what counts is whether the roots have one */
    for (int i = 0; sound && i < nroot; i++) {
        sound = roots[i] != ZW_NULL && !is_undefined(shape, &value[m->value[roots[i]]]);
        if (sound)
            out[i] = value[m->value[roots[i]]];
    }
    if (fault && !sound && !fault->node)
        *fault = found;
    zw_arena_release(scratch, mark);
    zw_memo_end(ctx);
    return sound;
}
