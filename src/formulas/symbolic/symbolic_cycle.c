/* SPDX-License-Identifier: MIT */
/* Cycles about a steady motion, near the point where a pair of eigenvalues crosses the imaginary
 * axis. With the equations of motion up to order 3 in the disturbances y, F(y, y') = 0, one
 * harmonic of the amplitude C of an entry y_k and the terms that it excites at the second order,
 *
 *   y = C Re(Q e^{iwt}) + C^2 (m + Re(S e^{2iwt})),      Q_k = 1,
 *   L(0) m = -B(U, U*)/4,      L(2iw) S = -B(U, U)/4,      U = (Q, iw Q),
 *
 * the first harmonic of F is, up to C^4 relative to 1,
 *
 *   L(iw) Q + C^2 N = 0,      N = B(U, m) + B(U*, S)/2 + T(U, U, U*)/8,
 *
 * with L(s) = F_y + s F_y' and the second and third derivatives B, T of F. Times row k of the
 * adjugate of L, and divided by the factors of its determinant that do not belong to the part p of
 * the pair,
 *
 *   p(iw) + C^2 R(iw) = 0.
 *
 * Even and odd powers of iw are two real equations in w^2, reduced by Euclid's algorithm to one
 * that is linear in w^2 and one whose first term does not contain it (Hurwitz' determinant), and
 * solved to the order C^2: the linear terms are exact, at the Hopf point and near it. There,
 * r' = (a + i b) r^3 with a + i b = -R(iw)/p'(iw).
 *
 * Complex numbers are u + i w v, u and v quotients of polynomials in the parameters and in W =
 * w^2. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/tolerance.h"
#include "symbolic.h"
#include "zwang/expr.h"

#define SMALLEST_AMPLITUDE 1e-4 /* in the units of the model: smaller ones leave only round-off */
#define CUBIC_ERROR 1e-7        /* of R: a wrong term leaves more */
#define QUARTERED 0.07   /* ratio of errors for a quarter of the amplitude: 1/16 with a margin */
#define SMALL_ERROR 0.05 /* of R: the error must also be small */

enum {
    CYCLE_MOST = 6,                    /* equations: determinants are expanded by minors */
    WEIGHTS_MOST = CYCLE_MOST / 2 + 1, /* coefficients of a polynomial in W */
    /* of a period at which the first harmonic is checked: exact up to the third order */
    PHASES = 32
};

typedef struct pair {
    zw_expr re, im; /* re + i w im */
} pair;

typedef struct balance {
    zw_symbolic *s;
    zw_context *ctx;
    int n, k;                      /* entries, that of the amplitude */
    zw_expr W;                     /* w^2 */
    const zw_expr *x;              /* 2 n: y, y' */
    const zw_expr *row;            /* n: F */
    zw_expr *K, *E;                /* n x n: F_y, F_y' */
    pair *Q, *mean, *twice, *left; /* n: Q, m, S, row k of the adjugate */
    pair all, p, slope, R;         /* det L, p, p', R at i w */
    const zw_symbolic_block *part;
    zw_symbolic_cycle *out;
    zw_error *err;
} balance;

/* ------------------------------------------------------------------------------ complex numbers */

static zw_expr simplify_expression(balance *b, zw_expr e) {
    return zw_symbolic_tidy(b->s, e);
}

static pair add_pairs(balance *b, pair u, pair v) {
    return (pair){simplify_expression(b, zw_add(b->ctx, u.re, v.re)),
                  simplify_expression(b, zw_add(b->ctx, u.im, v.im))};
}

static pair multiply_pairs(balance *b, pair u, pair v) {
    zw_context *ctx = b->ctx;
    zw_expr both = zw_mul(ctx, b->W, zw_mul(ctx, u.im, v.im));
    return (pair){
        simplify_expression(b, zw_sub(ctx, zw_mul(ctx, u.re, v.re), both)),
        simplify_expression(b, zw_add(ctx, zw_mul(ctx, u.re, v.im), zw_mul(ctx, u.im, v.re)))};
}

static pair scale_pair(balance *b, zw_expr factor, pair u) {
    return (pair){simplify_expression(b, zw_mul(b->ctx, factor, u.re)),
                  simplify_expression(b, zw_mul(b->ctx, factor, u.im))};
}

static pair conjugate_pair(balance *b, pair u) {
    return (pair){u.re, zw_neg(b->ctx, u.im)};
}

static bool is_nothing(pair u) {
    return u.re == ZW_ZERO && u.im == ZW_ZERO;
}

static pair divide_pairs(balance *b, pair u, pair v) {
    pair square = multiply_pairs(b, v, conjugate_pair(b, v)),
         product = multiply_pairs(b, u, conjugate_pair(b, v));
    if (square.re == ZW_ZERO)
        return (pair){ZW_ZERO, ZW_ZERO};
    return scale_pair(b, zw_div(b->ctx, ZW_ONE, square.re), product);
}

/* Entry i, j of L(times i w). */
static pair matrix_entry(balance *b, int multiple, int i, int j) {
    return (pair){b->K[i * b->n + j],
                  zw_mul(b->ctx, zw_integer(b->ctx, multiple), b->E[i * b->n + j])};
}

/* The determinant of L(i w) in these rows and columns, along the first of the rows. */
static pair expand_determinant(balance *b, unsigned rows, unsigned columns) {
    pair sum = {ZW_ZERO, ZW_ZERO};
    int i = 0, sign = 1;
    if (rows == 0)
        return (pair){ZW_ONE, ZW_ZERO};
    while (!(rows & 1u << i))
        i++;
    for (int j = 0; j < b->n; j++) {
        if (!(columns & 1u << j))
            continue;
        pair first = matrix_entry(b, 1, i, j);
        if (!is_nothing(first)) {
            pair rest = expand_determinant(b, rows & ~(1u << i), columns & ~(1u << j));
            sum = add_pairs(
                b, sum, scale_pair(b, zw_integer(b->ctx, sign), multiply_pairs(b, first, rest)));
        }
        sign = -sign;
    }
    return sum;
}

static pair adjugate_entry(balance *b, int i, int j) {
    unsigned all = (1u << b->n) - 1;
    pair minor = expand_determinant(b, all & ~(1u << j), all & ~(1u << i));
    return scale_pair(b, zw_integer(b->ctx, (i + j) % 2 ? -1 : 1), minor);
}

/* L(times i w) x = -f/4, by elimination; false: singular. */
static bool solve_pairs(balance *b, int multiple, const pair *f, pair *x) {
    int n = b->n, width = n + 1;
    pair A[CYCLE_MOST * (CYCLE_MOST + 1)];
    for (int i = 0; i < n; i++) {
        for (int j = 0; j < n; j++)
            A[i * width + j] = matrix_entry(b, multiple, i, j);
        A[i * width + n] = scale_pair(b, zw_rational(b->ctx, -1, 4), f[i]);
    }
    for (int j = 0; j < n; j++) {
        int best = -1;
        double shortest = INFINITY;
        for (int i = j; i < n; i++) {
            pair u = A[i * width + j];
            double length = zw_print_length(b->ctx, u.re) + zw_print_length(b->ctx, u.im);
            if (!is_nothing(u) && length < shortest) {
                shortest = length;
                best = i;
            }
        }
        if (best < 0)
            return false;
        for (int l = 0; l < width; l++) {
            pair u = A[j * width + l];
            A[j * width + l] = A[best * width + l];
            A[best * width + l] = u;
        }
        pair pivot = A[j * width + j];
        for (int l = j; l < width; l++)
            A[j * width + l] = divide_pairs(b, A[j * width + l], pivot);
        for (int i = 0; i < n; i++) {
            pair factor = scale_pair(b, ZW_MINUS_ONE, A[i * width + j]);
            for (int l = j; i != j && !is_nothing(factor) && l < width; l++)
                A[i * width + l] =
                    add_pairs(b, A[i * width + l], multiply_pairs(b, factor, A[j * width + l]));
        }
    }
    for (int i = 0; i < n; i++)
        x[i] = A[i * width + n];
    return true;
}

/* ----------------------------------------------------------------------------- derivatives of F */

static zw_expr at_zero(balance *b, zw_expr e) {
    zw_expr zero[2 * CYCLE_MOST];
    for (int i = 0; i < 2 * b->n; i++)
        zero[i] = ZW_ZERO;
    return simplify_expression(b, zw_subst(b->ctx, e, 2 * b->n, b->x, zero));
}

/* (y, times i w y). */
static void with_rates(balance *b, int multiple, const pair *y, pair *u) {
    for (int i = 0; i < b->n; i++) {
        u[i] = y[i];
        u[b->n + i] = multiply_pairs(b, y[i], (pair){ZW_ZERO, zw_integer(b->ctx, multiple)});
    }
}

/* The derivative of e in the direction u; conjugated: in that of u*. */
static pair directional_derivative(balance *b, pair e, const pair *u, bool conjugated) {
    pair sum = {ZW_ZERO, ZW_ZERO};
    for (int i = 0; i < 2 * b->n; i++) {
        if (is_nothing(u[i]))
            continue;
        pair slope = {zw_diff(b->ctx, e.re, b->x[i]), zw_diff(b->ctx, e.im, b->x[i])};
        if (!is_nothing(slope))
            sum = add_pairs(b, sum,
                            multiply_pairs(b, slope, conjugated ? conjugate_pair(b, u[i]) : u[i]));
    }
    return sum;
}

/* B(u, v) of row i, or with v*. */
static pair second_derivative(balance *b, int i, const pair *u, const pair *v, bool conjugated) {
    pair once = directional_derivative(
        b, directional_derivative(b, (pair){b->row[i], ZW_ZERO}, u, false), v, conjugated);
    return (pair){at_zero(b, once.re), at_zero(b, once.im)};
}

static pair third_derivative(balance *b, int i, const pair *u) {
    pair twice = directional_derivative(
             b, directional_derivative(b, (pair){b->row[i], ZW_ZERO}, u, false), u, false),
         all = directional_derivative(b, twice, u, true);
    return (pair){at_zero(b, all.re), at_zero(b, all.im)};
}

/* --------------------------------------------------------------------------------- the harmonic */

/* The shortest column of the adjugate, over its entry k. */
static zw_status find_shape(balance *b) {
    double shortest = INFINITY;
    for (int j = 0; j < b->n; j++) {
        pair column[CYCLE_MOST], own = adjugate_entry(b, b->k, j);
        double length = 0;
        for (int i = 0; i < b->n && !is_nothing(own); i++) {
            column[i] = divide_pairs(b, adjugate_entry(b, i, j), own);
            length += zw_print_length(b->ctx, column[i].re) + zw_print_length(b->ctx, column[i].im);
        }
        if (is_nothing(own) || length >= shortest)
            continue;
        shortest = length;
        memcpy(b->Q, column, sizeof *column * (size_t)b->n);
    }
    for (int j = 0; j < b->n; j++)
        b->left[j] = adjugate_entry(b, b->k, j);
    return isfinite(shortest) ? ZW_OK
                              : zw_fail(b->err, ZW_E_MODEL, "%s takes no part in the oscillation",
                                        zw_symbolic_entry(b->s, b->out->entry));
}

/* Means and second harmonics that the square of the first one excites. */
static zw_status find_driven(balance *b, const pair *U) {
    pair f[CYCLE_MOST];
    bool any[2] = {false, false};
    for (int harmonic = 0; harmonic < 2; harmonic++) {
        pair *x = harmonic ? b->twice : b->mean;
        for (int i = 0; i < b->n; i++) {
            f[i] = second_derivative(b, i, U, U, harmonic == 0);
            any[harmonic] |= !is_nothing(f[i]);
            x[i] = (pair){ZW_ZERO, ZW_ZERO};
        }
        if (any[harmonic] && !solve_pairs(b, 2 * harmonic, f, x))
            return zw_fail(
                b->err, ZW_E_MODEL,
                "next to the imaginary pair there is a zero eigenvalue, and the oscillation "
                "excites its mode: the motion drifts in proportion to the square of the amplitude");
    }
    b->out->driven = any[0] || any[1];
    return ZW_OK;
}

/* R, divided by the other factors of the determinant of L. */
static zw_status find_cubic(balance *b) {
    pair U[2 * CYCLE_MOST], m[2 * CYCLE_MOST], S[2 * CYCLE_MOST], sum = {ZW_ZERO, ZW_ZERO};
    zw_expr half = zw_rational(b->ctx, 1, 2), eighth = zw_rational(b->ctx, 1, 8);
    ZW_TRY(find_shape(b));
    with_rates(b, 1, b->Q, U);
    ZW_TRY(find_driven(b, U));
    with_rates(b, 0, b->mean, m);
    with_rates(b, 2, b->twice, S);
    for (int i = 0; i < b->n && !b->s->too_long; i++) {
        if (is_nothing(b->left[i]))
            continue;
        pair N = scale_pair(b, eighth, third_derivative(b, i, U));
        N = add_pairs(b, N, second_derivative(b, i, U, m, false));
        N = add_pairs(b, N, scale_pair(b, half, second_derivative(b, i, S, U, true)));
        sum = add_pairs(b, sum, multiply_pairs(b, b->left[i], N));
    }
    unsigned all = (1u << b->n) - 1;
    b->all = expand_determinant(b, all, all);
    b->R = multiply_pairs(b, sum, divide_pairs(b, b->p, b->all));
    return ZW_OK;
}

/* --------------------------------------------------------------------------- two real equations */

typedef struct equation {
    int degree; /* in W; -1: zero */
    zw_expr a[WEIGHTS_MOST];
    zw_expr R;
} equation;

static void trim_equation(balance *b, equation *e) {
    e->degree = WEIGHTS_MOST - 1;
    for (int k = 0; k < WEIGHTS_MOST; k++)
        e->a[k] = simplify_expression(b, e->a[k]);
    while (e->degree >= 0 && e->a[e->degree] == ZW_ZERO)
        e->degree--;
    e->R = simplify_expression(b, e->R);
}

static double root_length(balance *b, const equation *e) {
    return e->degree == 1
               ? zw_print_length(b->ctx, simplify_expression(b, zw_div(b->ctx, e->a[0], e->a[1])))
               : 0;
}

/* high = lead(low) high - lead(high) W^d low. */
static void reduce_degree(balance *b, equation *high, const equation *low) {
    zw_context *ctx = b->ctx;
    int d = high->degree - low->degree;
    zw_expr u = low->a[low->degree], v = high->a[high->degree],
            power = zw_pow(ctx, b->W, zw_integer(ctx, d));
    for (int k = 0; k < WEIGHTS_MOST; k++)
        high->a[k] = zw_sub(ctx, zw_mul(ctx, u, high->a[k]),
                            k >= d ? zw_mul(ctx, v, low->a[k - d]) : ZW_ZERO);
    high->R =
        zw_sub(ctx, zw_mul(ctx, u, high->R), zw_product(ctx, 3, (zw_expr[]){v, power, low->R}));
    trim_equation(b, high);
}

/* Amplitude and frequency up to the order C^2. */
static zw_status solve_both(balance *b) {
    zw_context *ctx = b->ctx;
    equation e[2] = {{.R = b->R.re}, {.R = b->R.im}};
    for (int i = 0; i < 2; i++)
        for (int k = 0; k < WEIGHTS_MOST; k++)
            e[i].a[k] = 2 * k + i <= b->part->degree
                            ? zw_mul(ctx, zw_integer(ctx, k % 2 ? -1 : 1), b->part->rest[2 * k + i])
                            : ZW_ZERO;
    for (int i = 0; i < 2; i++)
        trim_equation(b, &e[i]);
    while (e[0].degree > 0 && e[1].degree > 0 && !b->s->too_long) {
        bool same = e[0].degree == e[1].degree;
        int high = same ? root_length(b, &e[0]) < root_length(b, &e[1]) : e[1].degree > e[0].degree;
        reduce_degree(b, &e[high], &e[!high]);
    }
    const equation *linear = &e[e[0].degree == 1 ? 0 : 1], *free = &e[e[0].degree == 1 ? 1 : 0];
    if (b->s->too_long)
        return ZW_OK;
    if (linear->degree != 1 || free->degree != 0)
        return zw_fail(b->err, ZW_E_MODEL,
                       "no pair of eigenvalues crosses the imaginary axis: the part of %s has no "
                       "damping, or none that depends on the parameters",
                       zw_symbolic_entry(b->s, b->out->entry));
    zw_expr W = simplify_expression(b, zw_neg(ctx, zw_div(ctx, linear->a[0], linear->a[1]))),
            R_free = simplify_expression(b, zw_subst(ctx, free->R, 1, &b->W, &W)),
            R_linear = simplify_expression(b, zw_subst(ctx, linear->R, 1, &b->W, &W));
    b->out->square = W;
    b->out->hurwitz = free->a[0];
    b->out->shift = simplify_expression(b, zw_neg(ctx, zw_div(ctx, R_linear, linear->a[1])));
    b->out->amplitude = R_free == ZW_ZERO
                            ? ZW_NULL
                            : simplify_expression(b, zw_neg(ctx, zw_div(ctx, free->a[0], R_free)));
    b->out->growth = divide_pairs(b, scale_pair(b, ZW_MINUS_ONE, b->R), b->slope).re;
    b->out->bend = divide_pairs(b, scale_pair(b, ZW_MINUS_ONE, b->R), b->slope).im;
    pair sign = multiply_pairs(b, scale_pair(b, ZW_MINUS_ONE, b->R), conjugate_pair(b, b->slope));
    b->out->type.value = simplify_expression(b, zw_neg(ctx, zw_subst(ctx, sign.re, 1, &b->W, &W)));
    b->out->growth = simplify_expression(b, zw_subst(ctx, b->out->growth, 1, &b->W, &W));
    b->out->bend = simplify_expression(b, zw_subst(ctx, b->out->bend, 1, &b->W, &W));
    return ZW_OK;
}

/* ---------------------------------------------------------------------------- at the Hopf point */

static zw_expr substitute_critical(balance *b, zw_expr e) {
    zw_symbolic_cycle *o = b->out;
    zw_expr was = zw_symbolic_parameter(b->s, b->s->options.parameter);
    return e && o->critical ? simplify_expression(b, zw_subst(b->ctx, e, 1, &was, &o->critical))
                            : e;
}

static bool is_oscillation(const balance *b, zw_expr parameter, zw_expr root) {
    zw_expr square = zw_subst(b->ctx, b->out->square, 1, &parameter, &root);
    for (int k = 0; k < ZW_PROBES; k++) { /* the values of the model decide, if it has them */
        double value = zw_symbolic_value(b->s, k, square);
        if (isfinite(value))
            return value > 0;
    }
    return false;
}

static zw_status find_critical(balance *b) {
    zw_symbolic_cycle *o = b->out;
    zw_condition hopf = {0};
    zw_expr parameter = zw_symbolic_parameter(b->s, b->s->options.parameter);
    if (!parameter)
        return ZW_OK;
    zw_symbolic_condition(b->s, &hopf, o->hurwitz, parameter);
    for (int i = 0; i < hopf.nroot && !o->critical; i++)
        if (is_oscillation(b, parameter, hopf.root[i]))
            o->critical = hopf.root[i];
    if (!o->critical && is_oscillation(b, parameter, ZW_ZERO) &&
        simplify_expression(b, zw_subst(b->ctx, o->hurwitz, 1, &parameter, (zw_expr[]){ZW_ZERO})) ==
            ZW_ZERO &&
        simplify_expression(b, zw_subst(b->ctx, o->growth, 1, &parameter, (zw_expr[]){ZW_ZERO})) !=
            ZW_ZERO)
        o->critical = ZW_ZERO;
    if (!o->critical)
        return ZW_OK;
    o->rise =
        substitute_critical(b, o->amplitude ? zw_diff(b->ctx, o->amplitude, parameter) : ZW_NULL);
    o->frequency = substitute_critical(b, o->square);
    o->growth = substitute_critical(b, o->growth);
    o->bend = substitute_critical(b, o->bend);
    return zw_context_status(b->ctx, b->err);
}

static zw_status find_type(balance *b) {
    zw_symbolic_cycle *o = b->out;
    zw_condition type = {.name = "type"};
    zw_expr value = substitute_critical(b, o->type.value),
            parameter = zw_symbolic_parameter(b->s, b->s->options.cycle_type);
    if (b->s->options.cycle_type && !parameter)
        return zw_fail(b->err, ZW_E_NAME, "there is no parameter '%s' to solve for",
                       b->s->options.cycle_type);
    if (!zw_symbolic_condition(b->s, &type, value, parameter))
        type.value = value;
    o->type = type;
    return zw_context_status(b->ctx, b->err);
}

/* ------------------------------------------------------------------------------------ the check */

static double evaluate_number(const balance *b, int probe, double W, zw_expr e, const double *x) {
    const zw_symbolic *s = b->s;
    zw_expr symbol[2 * CYCLE_MOST + 1];
    double value[2 * CYCLE_MOST + 1];
    for (int i = 0; i < 2 * b->n; i++) {
        symbol[i] = b->x[i];
        value[i] = x ? x[i] : 0;
    }
    symbol[2 * b->n] = b->W;
    value[2 * b->n] = W;
    zw_expr *all = ZW_SYMBOLIC_NEW((zw_symbolic *)s, zw_expr, s->nsymbol + 2 * b->n + 1);
    double *of = ZW_SYMBOLIC_NEW((zw_symbolic *)s, double, s->nsymbol + 2 * b->n + 1);
    if (!all || !of)
        return NAN;
    memcpy(all, symbol, sizeof *all * (size_t)(2 * b->n + 1));
    memcpy(of, value, sizeof *of * (size_t)(2 * b->n + 1));
    memcpy(all + 2 * b->n + 1, s->symbol, sizeof *all * (size_t)s->nsymbol);
    memcpy(of + 2 * b->n + 1, s->probe + (size_t)probe * (size_t)s->nsymbol,
           sizeof *of * (size_t)s->nsymbol);
    return zw_eval(b->ctx, e, s->nsymbol + 2 * b->n + 1, all, of);
}

typedef struct sized {
    double re, im;
} sized;

static sized value_of(const balance *b, int probe, double W, pair u) {
    return (sized){evaluate_number(b, probe, W, u.re, NULL),
                   sqrt(W) * evaluate_number(b, probe, W, u.im, NULL)};
}

/* The first harmonic of the rows themselves at an amplitude, times row k of the adjugate, minus det
 * L; over C^2 it is R det L/p up to C^2. */
static sized first_harmonic(const balance *b, int probe, double W, double C, double *size) {
    double w = sqrt(W);
    sized sum = {0, 0}, Q[CYCLE_MOST], S[CYCLE_MOST], m[CYCLE_MOST], left[CYCLE_MOST];
    for (int i = 0; i < b->n; i++) {
        Q[i] = value_of(b, probe, W, b->Q[i]);
        m[i] = value_of(b, probe, W, b->mean[i]);
        S[i] = value_of(b, probe, W, b->twice[i]);
        left[i] = value_of(b, probe, W, b->left[i]);
    }
    *size = 0;
    for (int t = 0; t < PHASES; t++) {
        double tau = 2 * M_PI * t / PHASES, x[2 * CYCLE_MOST], c = cos(tau), s = sin(tau),
               c2 = cos(2 * tau), s2 = sin(2 * tau);
        for (int i = 0; i < b->n; i++) {
            x[i] =
                C * (Q[i].re * c - Q[i].im * s) + C * C * (m[i].re + S[i].re * c2 - S[i].im * s2);
            x[b->n + i] = -C * w * (Q[i].re * s + Q[i].im * c) -
                          2 * w * C * C * (S[i].re * s2 + S[i].im * c2);
        }
        for (int i = 0; i < b->n; i++) {
            double f = evaluate_number(b, probe, W, b->row[i], x) * 2 / (PHASES * C);
            sum.re += f * (left[i].re * c + left[i].im * s);
            sum.im += f * (left[i].im * c - left[i].re * s);
            *size += fabs(f) * hypot(left[i].re, left[i].im);
        }
    }
    sized whole = value_of(b, probe, W, b->all);
    return (sized){(sum.re - whole.re) / (C * C), (sum.im - whole.im) / (C * C)};
}

static bool is_confirmed_at(const balance *b, int probe) {
    double W = evaluate_number(b, probe, 1, b->out->square, NULL);
    if (!(W > 0))
        W = 1; /* R is a function of W for any W */
    sized R = value_of(b, probe, W, b->R), p = value_of(b, probe, W, b->p),
          all = value_of(b, probe, W, b->all);
    double p2 = p.re * p.re + p.im * p.im;
    if (!(p2 > 0))
        return false;
    sized u = {(all.re * p.re + all.im * p.im) / p2, (all.im * p.re - all.re * p.im) / p2},
          expected = {R.re * u.re - R.im * u.im, R.re * u.im + R.im * u.re};
    double before = INFINITY, largest = hypot(expected.re, expected.im);
    for (double C = 0.1; C > SMALLEST_AMPLITUDE; C /= 4) {
        double size;
        sized found = first_harmonic(b, probe, W, C, &size);
        double miss = hypot(found.re - expected.re, found.im - expected.im);
        if (miss <= CUBIC_ERROR * largest + ZW_ROUNDOFF_VALUE * size / (C * C))
            return true;
        if (isfinite(before) && miss <= QUARTERED * before && miss < SMALL_ERROR * largest)
            return true; /* it decreases with C^2: to a sixteenth */
        before = miss;
    }
    return false;
}

static zw_status confirm_balance(balance *b) {
    static const int probe[] = {1, 2, ZW_PROBE_PLAIN, 0};
    for (int k = 0; k < 4; k++)
        if (is_confirmed_at(b, probe[k]))
            return ZW_OK;
    return zw_fail(b->err, ZW_E_NUMERIC,
                   "the balance of harmonics could not be confirmed by numbers; it is not shown");
}

/* --------------------------------------------------------------------------------------- public */

static zw_status choose_entry(balance *b) {
    const zw_symbolic *s = b->s;
    const zw_symbolic_result *r = &s->result;
    const char *name = s->options.cycle_of;
    int found = -1, several = 0;
    for (int k = 0; k < r->nblock; k++) {
        const zw_symbolic_block *part = &r->block[k];
        for (int i = 0; i < part->n; i++)
            if (name && strcmp(zw_symbolic_entry(s, r->kept[part->member[i]]), name) == 0) {
                found = part->member[i];
                b->part = part;
            }
        if (name || part->degree < 2 || part->even)
            continue;
        several++;
        found = part->member[0];
        b->part = part;
    }
    if (name && found < 0) {
        zw_fail(b->err, ZW_E_NAME, "'%s' is none of the entries of the linear equations", name);
        zw_error_hint(b->err, "zwang linearise --symbolic shows them; --small chooses others");
        return ZW_E_NAME;
    }
    if (several > 1) {
        zw_fail(b->err, ZW_E_MODEL, "%d parts of the linear equations could oscillate", several);
        zw_error_hint(b->err, "name an entry of the one that is meant: --amplitude NAME");
        return ZW_E_MODEL;
    }
    if (found < 0 || b->part->degree < 2)
        return zw_fail(b->err, ZW_E_MODEL,
                       "no pair of eigenvalues crosses the imaginary axis: no part of the linear "
                       "equations has an oscillation with damping");
    b->k = found;
    b->out->entry = r->kept[found];
    return ZW_OK;
}

static zw_status prepare_balance(balance *b) {
    zw_symbolic *s = b->s;
    int n = b->n;
    if (n > CYCLE_MOST) {
        zw_fail(b->err, ZW_E_MODEL, "cycles as formulas have at most %d states, these are %d",
                (int)CYCLE_MOST, n);
        zw_error_hint(b->err, "without --symbolic they are numbers");
        return ZW_E_MODEL;
    }
    b->K = ZW_SYMBOLIC_NEW(s, zw_expr, n * n);
    b->E = ZW_SYMBOLIC_NEW(s, zw_expr, n * n);
    pair **vector[] = {&b->Q, &b->mean, &b->twice, &b->left};
    for (int i = 0; i < 4; i++)
        *vector[i] = ZW_SYMBOLIC_NEW(s, pair, n);
    if (s->arena.failed)
        return zw_symbolic_memory(b->err);
    for (int i = 0; i < n; i++)
        for (int j = 0; j < n; j++) {
            b->K[i * n + j] = at_zero(b, zw_diff(b->ctx, b->row[i], b->x[j]));
            b->E[i * n + j] = at_zero(b, zw_diff(b->ctx, b->row[i], b->x[n + j]));
        }
    ZW_TRY(choose_entry(b));
    pair power = {ZW_ONE, ZW_ZERO}, iw = {ZW_ZERO, ZW_ONE};
    b->p = b->slope = (pair){ZW_ZERO, ZW_ZERO};
    for (int k = 0; k <= b->part->degree; k++) {
        b->p = add_pairs(b, b->p, scale_pair(b, b->part->rest[k], power));
        if (k < b->part->degree)
            b->slope = add_pairs(
                b, b->slope,
                scale_pair(b, zw_mul(b->ctx, zw_integer(b->ctx, k + 1), b->part->rest[k + 1]),
                           power));
        power = multiply_pairs(b, power, iw);
    }
    return ZW_OK;
}

zw_status zw_symbolic_cycles(zw_symbolic *s, int n, const zw_expr *x, const zw_expr *row,
                             zw_error *err) {
    zw_symbolic_cycle *out = ZW_SYMBOLIC_NEW(s, zw_symbolic_cycle, 1);
    balance b = {.s = s, .ctx = s->ctx, .n = n, .x = x, .row = row, .out = out, .err = err};
    if (!out)
        return zw_symbolic_memory(err);
    *out = (zw_symbolic_cycle){0};
    b.W = zw_symbol(s->ctx, "square of w");
    ZW_TRY(prepare_balance(&b));
    ZW_TRY(find_cubic(&b));
    ZW_TRY(solve_both(&b));
    if (!s->too_long)
        ZW_TRY(find_critical(&b));
    if (!s->too_long)
        ZW_TRY(find_type(&b));
    if (s->too_long) {
        zw_fail(err, ZW_E_MODEL, "amplitude and frequency would be too long to be read");
        zw_error_hint(err, "let parameters stand with their values: --numbers NAME,...");
        return ZW_E_MODEL;
    }
    ZW_TRY(confirm_balance(&b));
    s->result.cycle = out;
    return zw_context_status(s->ctx, err);
}
