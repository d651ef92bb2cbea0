/* SPDX-License-Identifier: MIT */
/* M in exact numbers, if its integral is elementary.
 *
 * Over the master coordinate u of the separatrix, M = sum over pieces of integral g/f_u du with
 * w(u) from C(u, w) = C(saddle). Three substitutions turn elementary cases into trigonometric
 * polynomials:
 *
 *     a whole turn      u = u_a + 2 phi,                 0 < phi < pi
 *                       1 - cos(u - u_a) = 2 sin(phi)^2: roots of it are polynomials
 *     a loop            u = u_a + (u_b - u_a) S or S^2,  0 < phi < pi/2
 *                       sqrt(1 - S^2) = C; up to the turning point u_b and back
 *     between saddles   u = (u_a + u_b)/2 + (u_b - u_a)/2 S,  -pi/2 < phi < pi/2
 *
 * Everything is a series in d, with p = p_0 + d of the parameter, or p = p_0 + d^2 if the
 * separatrix shrinks to a line w = w_s as p goes to p_0: then w = w_s + d W. Otherwise w = w_s + W.
 * The first term of W solves a quadratic equation, whose discriminant must be a square;
 * the others solve linear ones,
 *     dC/dw W_k = - [C(u, w_s + d W_0 + ... + d^k W_(k-1)) - C_s]_k.
 * Of both roots it is the one for which f_u has the sign of the motion. Saddles and turning points
 * are series, too: their first terms are fractions, multiples of pi/2, or roots of fractions that
 * the numbers of the motion suggest and that must solve the equations exactly.
 *
 * Each quotient must be a polynomial (trig_ring.h), otherwise there is no result: no number is
 * guessed here. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/arena.h"
#include "melnikov.h"
#include "trig_ring.h"

enum {
    MEMO = 256,        /* stored values of subexpressions */
    EXTRA = 5,         /* terms of series beyond the requested ones, lost in divisions */
    DENOMINATOR = 1000 /* of a suggested fraction */
};
/* of 1 + |x|: distance of a fraction from x that is tried; it must solve the equations exactly */
#define SUGGESTED_FRACTION 1e-7
#define LARGEST_NUMERATOR 1e9 /* larger ones leave no room for products in 64 bits */

/* The value of a symbol: multiples of pi/2, a multiple of phi, and a series. */
typedef struct binding {
    zw_expr symbol;
    int quarter, phi;
    zw_trig_powers value;
} binding;

typedef enum shape { TURN, LOOP, LOOP_SQUARED, BETWEEN } shape;

typedef struct exact {
    zw_melnikov *s;
    zw_context *ctx;
    zw_trig_ring ring;
    int u, n, step; /* the master, terms of series, p = p_0 + d^step */
    int width;      /* w = w_s + d^width W */
    binding at[3];  /* both states, the parameter */
    int nbound;
    zw_expr f[2], C, Cw, Cww, g; /* with numbers for all other parameters */
    int nmemo;
    zw_expr memo_of[MEMO];
    zw_trig_powers memo[MEMO];
} exact;

/* ------------------------------------------------------------------------ values of expressions */

static zw_trig_powers constant_series(exact *e, zw_surd c) {
    return zw_powers_term(&e->ring, e->n, zw_trig_constant(&e->ring, c), 0);
}

static zw_trig_powers mark_failed(exact *e) {
    e->ring.failed = true;
    return (zw_trig_powers){0};
}

static zw_surd number_of(exact *e, zw_expr number) {
    int64_t num = 0, den = 1;
    if (!zw_expr_is_rational(e->ctx, number, &num, &den))
        e->ring.failed = true;
    return zw_surd_of(num, den);
}

static zw_trig_powers value_of(exact *e, zw_expr x);

static zw_trig_powers value_of_sum(exact *e, zw_expr x) {
    int n;
    const zw_expr *a = zw_expr_args(e->ctx, x, &n);
    zw_trig_powers sum = constant_series(e, number_of(e, a[0]));
    for (int i = 1; i < n && !e->ring.failed; i += 2)
        sum = zw_powers_add(&e->ring, sum, number_of(e, a[i + 1]), value_of(e, a[i]));
    return sum;
}

static zw_trig_powers value_of_product(exact *e, zw_expr x) {
    int n;
    const zw_expr *a = zw_expr_args(e->ctx, x, &n);
    zw_trig_powers top = constant_series(e, zw_surd_of(1, 1)), bottom = top;
    for (int i = 0; i < n && !e->ring.failed; i += 2) {
        int64_t num = 0, den = 1;
        if (!zw_expr_is_rational(e->ctx, a[i + 1], &num, &den) || den != 1 || num > 64 || num < -64)
            return mark_failed(e);
        zw_trig_powers *to = num < 0 ? &bottom : &top,
                       power = zw_powers_integer(&e->ring, value_of(e, a[i]),
                                                 (int)(num < 0 ? -num : num));
        *to = zw_powers_mul(&e->ring, *to, power);
    }
    return e->ring.failed ? mark_failed(e) : zw_powers_div(&e->ring, top, bottom);
}

/* The argument of a sine: the multiples of each angle in it; the rest is free of them and of pi. */
static zw_trig_powers argument_of(exact *e, zw_expr x, int *quarter, int *phi) {
    zw_context *ctx = e->ctx;
    for (int k = 0; k < e->nbound; k++) {
        const binding *b = &e->at[k];
        if ((b->quarter == 0 && b->phi == 0) || !zw_depends(ctx, x, b->symbol))
            continue;
        zw_expr slope = zw_diff(ctx, x, b->symbol), zero = ZW_ZERO;
        int64_t num = 0, den = 0;
        if (!zw_expr_is_rational(ctx, slope, &num, &den) || den != 1 || num > 16 || num < -16)
            return mark_failed(e);
        *quarter += (int)num * b->quarter;
        *phi += (int)num * b->phi;
        zw_expr rest = zw_subst(ctx, x, 1, &b->symbol, &zero);
        zw_trig_powers more = argument_of(e, rest, quarter, phi);
        return e->ring.failed ? more : zw_powers_add(&e->ring, more, zw_surd_of(num, 1), b->value);
    }
    int n;
    const zw_expr *a = zw_expr_args(ctx, x, &n);
    for (int i = 1; zw_expr_op(ctx, x) == ZW_OP_SUM && i < n; i += 2) {
        int64_t num = 0, den = 1;
        if (a[i] != ZW_PI)
            continue;
        if (!zw_expr_is_rational(ctx, a[i + 1], &num, &den) || (2 * num) % den != 0)
            return mark_failed(e);
        *quarter += (int)(2 * num / den % 4);
        return value_of(e, zw_sub(ctx, x, zw_mul(ctx, a[i + 1], ZW_PI)));
    }
    if (x == ZW_PI) {
        *quarter += 2;
        return constant_series(e, zw_surd_of(0, 1));
    }
    return value_of(e, x);
}

/* (c + i s) times (a + i b). */
static void turn_by(exact *e, zw_trig_powers *c, zw_trig_powers *s, zw_trig_powers a,
                    zw_trig_powers b) {
    zw_trig_ring *r = &e->ring;
    zw_surd minus = zw_surd_of(-1, 1), one = zw_surd_of(1, 1);
    zw_trig_powers cosine =
                       zw_powers_add(r, zw_powers_mul(r, *c, a), minus, zw_powers_mul(r, *s, b)),
                   sine = zw_powers_add(r, zw_powers_mul(r, *c, b), one, zw_powers_mul(r, *s, a));
    *c = cosine;
    *s = sine;
}

static zw_trig_powers value_of_sine(exact *e, zw_expr x, bool cosine) {
    static const int unit[4][2] = {{1, 0}, {0, 1}, {-1, 0}, {0, -1}};
    zw_trig_ring *r = &e->ring;
    int n, quarter = 0, phi = 0;
    zw_trig_powers rest = argument_of(e, zw_expr_args(e->ctx, x, &n)[0], &quarter, &phi), c, s;
    if (r->failed)
        return mark_failed(e);
    zw_powers_turn(r, rest, &c, &s);
    quarter = (quarter % 4 + 4) % 4;
    turn_by(e, &c, &s, constant_series(e, zw_surd_of(unit[quarter][0], 1)),
            constant_series(e, zw_surd_of(unit[quarter][1], 1)));
    zw_trig_powers C = zw_powers_term(r, e->n, zw_trig_cosine(r), 0),
                   S = zw_powers_term(r, e->n, zw_trig_sine(r), 0);
    S = zw_powers_add(r, constant_series(e, zw_surd_of(0, 1)), zw_surd_of(phi < 0 ? -1 : 1, 1), S);
    for (int k = 0; k < (phi < 0 ? -phi : phi) && !r->failed; k++)
        turn_by(e, &c, &s, C, S);
    return cosine ? c : s;
}

static zw_trig_powers evaluate_series(exact *e, zw_expr x) {
    int n;
    for (int k = 0; k < e->nbound; k++)
        if (x == e->at[k].symbol)
            return e->at[k].quarter || e->at[k].phi ? mark_failed(e) : e->at[k].value;
    switch (zw_expr_op(e->ctx, x)) {
    case ZW_OP_RATIONAL:
        return constant_series(e, number_of(e, x));
    case ZW_OP_SUM:
        return value_of_sum(e, x);
    case ZW_OP_PRODUCT:
        return value_of_product(e, x);
    case ZW_OP_SIN:
        return value_of_sine(e, x, false);
    case ZW_OP_COS:
        return value_of_sine(e, x, true);
    case ZW_OP_EXP:
        return zw_powers_exp(&e->ring, value_of(e, zw_expr_args(e->ctx, x, &n)[0]));
    default:
        return mark_failed(e);
    }
}

static zw_trig_powers value_of(exact *e, zw_expr x) {
    for (int k = 0; k < e->nmemo; k++)
        if (e->memo_of[k] == x)
            return e->memo[k];
    if (e->ring.failed || x == ZW_NULL)
        return mark_failed(e);
    zw_trig_powers out = evaluate_series(e, x);
    if (e->nmemo < MEMO && !e->ring.failed) {
        e->memo_of[e->nmemo] = x;
        e->memo[e->nmemo++] = out;
    }
    return out;
}

/* With the present values of the symbols. */
static zw_trig_powers value_now(exact *e, zw_expr x) {
    e->nmemo = 0;
    return value_of(e, x);
}

/* ---------------------------------------------------------------------- saddles, turning points */

/* The fraction near x; false if there is none. */
static bool guess_fraction(double x, zw_number *out) {
    for (int64_t q = 1; q <= DENOMINATOR; q++) {
        double p = round(x * (double)q);
        if (fabs(p) < LARGEST_NUMERATOR &&
            fabs(x - p / (double)q) <= SUGGESTED_FRACTION * (1 + fabs(x)) / (double)q) {
            *out = zw_number_rational((int64_t)p, q);
            return true;
        }
    }
    return false;
}

static void set_constant(exact *e, int k, int quarter, zw_surd value) {
    e->at[k].quarter = quarter;
    e->at[k].phi = 0;
    e->at[k].value = constant_series(e, value);
}

static void suggest_state(exact *e, int k, double x) {
    double quarters = x / M_PI_2;
    zw_number value;
    if (x != 0 && fabs(quarters - round(quarters)) < SUGGESTED_FRACTION) {
        set_constant(e, k, (int)round(quarters), zw_surd_of(0, 1));
    } else if (guess_fraction(x, &value)) {
        set_constant(e, k, 0, zw_surd_number(&e->ring, value));
    } else { /* a root of a fraction */
        bool root = guess_fraction(x * x, &value);
        e->ring.failed |= !root;
        zw_surd r = zw_surd_sqrt(&e->ring, root ? value : zw_number_rational(0, 1));
        set_constant(e, k, 0, zw_surd_mul(&e->ring, zw_surd_of(x < 0 ? -1 : 1, 1), r));
    }
}

static zw_surd find_coefficient(exact *e, zw_trig_powers a, int k) {
    zw_surd c = zw_surd_of(0, 1);
    if (k < a.n && !zw_trig_is_constant(&a.c[k], &c))
        e->ring.failed = true;
    return c;
}

static void correct_series(exact *e, int state, int order, zw_surd by) {
    zw_trig_powers move = zw_powers_term(&e->ring, e->n, zw_trig_constant(&e->ring, by), order);
    e->at[state].value = zw_powers_add(&e->ring, e->at[state].value, zw_surd_of(-1, 1), move);
}

/* f0 = 0 in every order, by Newton's method with the Jacobian matrix at d = 0. */
static bool find_saddle(exact *e, const double x[2]) {
    zw_trig_ring *r = &e->ring;
    zw_surd J[4], minus = zw_surd_of(-1, 1);
    suggest_state(e, 0, x[0]);
    suggest_state(e, 1, x[1]);
    for (int order = 0; order < e->n && !r->failed; order++) {
        zw_surd f[2];
        for (int i = 0; i < 2; i++)
            f[i] = find_coefficient(e, value_now(e, e->f[i]), order);
        if (zw_surd_is_zero(f[0]) && zw_surd_is_zero(f[1]))
            continue;
        if (order == 0)
            return false; /* it was no zero */
        for (int i = 0; i < 4; i++)
            J[i] =
                find_coefficient(e, value_now(e, zw_diff(e->ctx, e->f[i / 2], e->s->x[i % 2])), 0);
        zw_surd det = zw_surd_add(r, zw_surd_mul(r, J[0], J[3]),
                                  zw_surd_mul(r, minus, zw_surd_mul(r, J[1], J[2])));
        for (int i = 0; i < 2; i++) {
            zw_surd top = i == 0 ? zw_surd_add(r, zw_surd_mul(r, f[0], J[3]),
                                               zw_surd_mul(r, minus, zw_surd_mul(r, f[1], J[1])))
                                 : zw_surd_add(r, zw_surd_mul(r, f[1], J[0]),
                                               zw_surd_mul(r, minus, zw_surd_mul(r, f[0], J[2])));
            correct_series(e, i, order, zw_surd_div(r, top, det));
        }
    }
    return !r->failed;
}

/* Solves C(u, w_s) = level for u. */
static bool find_turn(exact *e, zw_trig_powers level, double u) {
    zw_trig_ring *r = &e->ring;
    suggest_state(e, e->u, u);
    for (int order = 0; order < e->n && !r->failed; order++) {
        zw_trig_powers value = value_now(e, e->C);
        if (r->failed)
            return false;
        zw_surd rest =
            find_coefficient(e, zw_powers_add(r, value, zw_surd_of(-1, 1), level), order);
        if (zw_surd_is_zero(rest))
            continue;
        if (order == 0)
            return false;
        zw_surd slope = find_coefficient(e, value_now(e, zw_diff(e->ctx, e->C, e->s->x[e->u])), 0);
        correct_series(e, e->u, order, zw_surd_div(r, rest, slope));
    }
    return !r->failed;
}

/* ------------------------------------------------------------------------------------- the path */

typedef struct path {
    shape shape;
    double sign;     /* of du at the beginning */
    double end[2];   /* the other saddle, or the turning point, as numbers */
    double begin[2]; /* the saddle */
} path;

/* u(phi) and du/dphi from the constants a and b of its ends. */
static zw_trig_powers set_path(exact *e, const path *q, zw_trig_powers a, zw_trig_powers b) {
    zw_trig_ring *r = &e->ring;
    binding *at = &e->at[e->u];
    zw_trig S = zw_trig_sine(r), C = zw_trig_cosine(r);
    if (q->shape == TURN) {
        at->phi = q->sign > 0 ? 2 : -2;
        return constant_series(e, zw_surd_of(at->phi, 1));
    }
    zw_surd half = zw_surd_of(1, 2), one = zw_surd_of(1, 1);
    zw_trig_powers zero = constant_series(e, zw_surd_of(0, 1)),
                   direction = zw_powers_add(r, b, zw_surd_of(-1, 1), a), middle = a;
    if (q->shape == BETWEEN) {
        middle = zw_powers_add(r, zw_powers_add(r, zero, half, a), half, b);
        direction = zw_powers_add(r, zero, half, direction);
    }
    zw_trig by = q->shape == LOOP_SQUARED ? zw_trig_mul(r, S, S) : S,
            slope = q->shape == LOOP_SQUARED
                        ? zw_trig_add(r, (zw_trig){0}, zw_surd_of(2, 1), zw_trig_mul(r, S, C))
                        : C;
    at->value =
        zw_powers_add(r, middle, one, zw_powers_mul(r, direction, zw_powers_term(r, e->n, by, 0)));
    return zw_powers_mul(r, direction, zw_powers_term(r, e->n, slope, 0));
}

/* W_0 + d W_1 + ... so that w = w_s + d^width W is on the level; direction: the sign of f_u. */
static bool solve_level(exact *e, zw_trig_powers level, zw_trig_powers w, double direction) {
    zw_trig_ring *r = &e->ring;
    zw_surd minus = zw_surd_of(-1, 1);
    binding *at = &e->at[1 - e->u];
    int L = 2 * e->width;
    at->value = w;
    zw_trig_powers c0 = value_now(e, e->C), c1 = value_of(e, e->Cw), c2 = value_of(e, e->Cww);
    if (r->failed || L >= e->n || c0.n <= L || c1.n <= e->width || c2.n < 1)
        return false;
    c0 = zw_powers_add(r, c0, minus, level);
    for (int k = 0; k < L; k++)
        if (!zw_trig_is_zero(&c0.c[k]) || (k < e->width && !zw_trig_is_zero(&c1.c[k])))
            return false;
    zw_trig b = c1.c[e->width], a = c2.c[0],
            square =
                zw_trig_add(r, zw_trig_mul(r, b, b), zw_surd_of(-2, 1), zw_trig_mul(r, a, c0.c[L])),
            root = zw_trig_sqrt(r, square);
    for (int sign = 1; sign >= -1; sign -= 2) {
        zw_trig top = zw_trig_add(r, zw_trig_add(r, (zw_trig){0}, minus, b), zw_surd_of(sign, 1),
                                  root),
                W = zw_trig_div(r, top, a);
        if (r->failed)
            return false;
        at->value = zw_powers_add(r, w, zw_surd_of(1, 1), zw_powers_term(r, e->n, W, e->width));
        zw_trig_powers rate = value_now(e, e->f[e->u]);
        int k = 0;
        while (k < rate.n && zw_trig_is_zero(&rate.c[k]))
            k++;
        if (r->failed || k == rate.n)
            return false;
        if (zw_trig_value(r, &rate.c[k], M_PI_4) * direction > 0)
            break;
        if (sign < 0)
            return false;
    }
    zw_trig_powers slope = value_of(e, e->Cw);
    if (r->failed || slope.n <= e->width)
        return false;
    for (int k = 0; L + k < e->n; k++) {
        zw_trig_powers rest = value_now(e, e->C);
        if (r->failed || rest.n <= L + k)
            return false;
        rest = zw_powers_add(r, rest, minus, level);
        if (zw_trig_is_zero(&rest.c[L + k]))
            continue;
        if (k == 0)
            return false; /* the equation was not quadratic */
        zw_trig W = zw_trig_div(r, rest.c[L + k], slope.c[e->width]);
        at->value = zw_powers_add(r, at->value, minus, zw_powers_term(r, e->n, W, e->width + k));
    }
    return !r->failed;
}

/* Adds the integral of one passage to sum (e->n, each 1 and pi) as far as it is known: *known
 * terms. */
static bool add_passage(exact *e, const path *q, zw_trig_powers level, zw_trig_powers w,
                        zw_trig_powers du, bool back, zw_surd (*sum)[2], int *known) {
    zw_trig_ring *r = &e->ring;
    if (!solve_level(e, level, w, back ? -q->sign : q->sign))
        return false;
    zw_trig_powers g = value_now(e, e->g), f = value_of(e, e->f[e->u]);
    if (r->failed)
        return false;
    zw_trig_powers all = zw_powers_div(r, zw_powers_mul(r, g, du), f);
    if (r->failed)
        return false;
    *known = all.n < *known ? all.n : *known;
    for (int k = 0; k < *known; k++) {
        zw_surd value[2];
        zw_trig_integral(r, &all.c[k],
                         q->shape == TURN      ? ZW_TRIG_UPPER
                         : q->shape == BETWEEN ? ZW_TRIG_RIGHT
                                               : ZW_TRIG_QUARTER,
                         value);
        for (int i = 0; i < 2; i++)
            sum[k][i] =
                zw_surd_add(r, sum[k][i], zw_surd_mul(r, zw_surd_of(back ? -1 : 1, 1), value[i]));
    }
    return !r->failed;
}

/* Does the separatrix shrink to the line w = w_s as d goes to 0? */
static bool is_thin(exact *e, zw_trig_powers level, zw_trig_powers w) {
    e->at[1 - e->u].value = w;
    zw_trig_powers c0 = value_now(e, e->C), c1 = value_of(e, e->Cw);
    if (e->ring.failed || c0.n < 1 || c1.n < 1)
        return false;
    c0 = zw_powers_add(&e->ring, c0, zw_surd_of(-1, 1), level);
    return zw_trig_is_zero(&c0.c[0]) && zw_trig_is_zero(&c1.c[0]);
}

static bool integrate_exactly(exact *e, const path *q, zw_surd (*sum)[2], int *known) {
    zw_trig_ring *r = &e->ring;
    if (!find_saddle(e, q->begin))
        return false;
    zw_trig_powers level = value_now(e, e->C), a = e->at[e->u].value, w = e->at[1 - e->u].value,
                   b = a;
    int quarter = e->at[1 - e->u].quarter;
    if (q->shape == BETWEEN) {
        binding keep[2] = {e->at[0], e->at[1]};
        if (!find_saddle(e, q->end))
            return false;
        b = e->at[e->u].value;
        r->failed |= keep[e->u].quarter != 0 || e->at[e->u].quarter != 0;
        e->at[0] = keep[0];
        e->at[1] = keep[1];
    } else if (q->shape != TURN) {
        r->failed |= e->at[e->u].quarter != 0;
        if (r->failed || !find_turn(e, level, q->end[e->u]))
            return false;
        b = e->at[e->u].value;
        r->failed |= e->at[e->u].quarter != 0;
    }
    e->at[1 - e->u].quarter = quarter;
    zw_trig_powers du = set_path(e, q, a, b);
    if (r->failed || is_thin(e, level, w) != (e->width == 1))
        return false;
    *known = e->n;
    for (int k = 0; k < e->n; k++)
        sum[k][0] = sum[k][1] = zw_surd_of(0, 1);
    bool loop = q->shape == LOOP || q->shape == LOOP_SQUARED;
    return add_passage(e, q, level, w, du, false, sum, known) &&
           (!loop || add_passage(e, q, level, w, du, true, sum, known));
}

/* ---- requests ---- */

/* The expression in both states and the parameter only: all others have the exact values of the
 * model. */
static zw_expr in_numbers(const zw_melnikov *s, int parameter, zw_expr e) {
    const zw_system *y = s->sys;
    for (int i = y->np - 1; i >= 0; i--)
        if (i != parameter && zw_depends(s->ctx, e, y->param[i].sym))
            e = zw_subst(s->ctx, e, 1, &y->param[i].sym, &y->param[i].value);
    return e;
}

static void bind_symbols(exact *e, int part, int parameter, double from) {
    zw_melnikov *s = e->s;
    int w = 1 - e->u;
    for (int i = 0; i < 2; i++)
        e->f[i] = in_numbers(s, parameter, s->f0[i]);
    e->C = in_numbers(s, parameter, s->C);
    e->Cw = zw_diff(s->ctx, e->C, s->x[w]);
    e->Cww = zw_diff(s->ctx, e->Cw, s->x[w]);
    e->g = in_numbers(s, parameter, part < 0 ? s->g : s->part[part]);
    for (int i = 0; i < 2; i++)
        e->at[i] = (binding){.symbol = s->x[i]};
    e->nbound = 2;
    if (parameter < 0)
        return;
    zw_number first = {true, 0, 1, 0};
    e->ring.failed |= !guess_fraction(from, &first);
    zw_trig_ring *r = &e->ring;
    zw_trig one = zw_trig_constant(r, zw_surd_of(1, 1));
    e->at[2] = (binding){.symbol = s->sys->param[parameter].sym};
    e->at[2].value = zw_powers_add(r, constant_series(e, zw_surd_number(r, first)),
                                   zw_surd_of(1, 1), zw_powers_term(r, e->n, one, e->step));
    e->nbound = 3;
}

static zw_melnikov_number combine_surds(const zw_trig_ring *r, zw_surd value[2]) {
    zw_melnikov_number out = {.known = true, .root = r->root};
    const zw_number all[4] = {value[0].x, value[0].y, value[1].x, value[1].y};
    for (int k = 0; k < 4; k++) {
        out.num[k] = all[k].p;
        out.den[k] = all[k].q;
    }
    out.value = zw_surd_value(r, value[0]) + M_PI * zw_surd_value(r, value[1]);
    return out;
}

/* Where it begins and turns at the parameters p (NULL: those of the model); false: none of the
 * shapes. */
static bool read_path(exact *e, const double *p, path *q, shape shapes[2]) {
    zw_melnikov *s = e->s;
    const zw_heteroclinic *o = &s->orbit[0];
    zw_plane m = s->plane;
    double turn[8], x[2], a[2] = {o->out.at[0], o->out.at[1]}, b[2] = {o->in.at[0], o->in.at[1]};
    int nturn, u = e->u;
    zw_heteroclinic_master(s, &s->plane, o, u, &nturn, turn);
    if (nturn > 1 || (nturn == 1 && hypot(a[0] - b[0], a[1] - b[1]) > SUGGESTED_FRACTION))
        return false;
    if (nturn == 1)
        zw_heteroclinic_point(o, turn[0], b);
    zw_heteroclinic_point(o, nturn ? (o->t[0] + turn[0]) / 2 : o->zero, x);
    double rate[2];
    zw_plane_rates(&s->plane, x, rate);
    q->sign = rate[u];
    /* The same at the first value of the parameter, if it is a regular one. */
    if (p && zw_plane_set(s, p, -1, &m, NULL) >= 0) {
        double at[2] = {a[0], a[1]}, to[2] = {b[0], b[1]}, lambda[2], v[2][2];
        if (zw_plane_newton(&m, at) && zw_plane_saddle(&m, at, lambda, v)) {
            bool fine = true;
            if (nturn == 0) {
                fine = zw_plane_newton(&m, to);
            } else {
                double level = zw_plane_level(&m, at), slope[2];
                to[1 - u] = at[1 - u];
                for (int k = 0; k < 40; k++) {
                    zw_plane_slope(&m, to, slope);
                    to[u] -= (zw_plane_level(&m, to) - level) / slope[u];
                }
                fine = isfinite(to[u]) && (to[u] - at[u]) * (b[u] - a[u]) > 0;
            }
            if (fine) {
                memcpy(a, at, sizeof a);
                memcpy(b, to, sizeof b);
            }
        }
    }
    zw_melnikov_reported(s, a, q->begin);
    zw_melnikov_reported(s, b, q->end);
    bool whole = fabs(fabs(q->end[u] - q->begin[u]) - 2 * M_PI) < SUGGESTED_FRACTION;
    shapes[0] = nturn ? LOOP : whole ? TURN : BETWEEN;
    shapes[1] = nturn ? LOOP_SQUARED : shapes[0];
    return true;
}

static bool try_shape(exact *e, int part, int parameter, double from, int terms, const path *q,
                      zw_melnikov_exact *out) {
    zw_surd sum[ZW_MELNIKOV_POWERS][2];
    int known = 0;
    e->ring = (zw_trig_ring){.arena = &e->s->arena};
    e->n = parameter < 0 ? 1 : e->step * terms + EXTRA;
    bind_symbols(e, part, parameter, from);
    if (e->ring.failed || !integrate_exactly(e, q, sum, &known) || e->ring.failed)
        return false;
    *out = (zw_melnikov_exact){.step = e->step};
    for (int k = 0; k < known && k < ZW_MELNIKOV_POWERS; k++)
        out->term[out->n++] = combine_surds(&e->ring, sum[k]);
    return out->n > 0;
}

zw_status zw_melnikov_exactly(zw_melnikov *s, int part, int parameter, double from, int terms,
                              zw_melnikov_exact *out, zw_error *err) {
    zw_arena_mark mark = zw_arena_mark_now(&s->arena);
    exact *e = ZW_NEW(&s->arena, exact, 1);
    double *p = parameter < 0 ? NULL : ZW_NEW(&s->arena, double, s->sys->np + 1);
    *out = (zw_melnikov_exact){0};
    if (!e || (parameter >= 0 && !p))
        return zw_out_of_memory(err, NULL);
    if (p)
        ZW_TRY(zw_melnikov_parameters(s, parameter, from, -1, 0, p, err));
    for (int k = 0; k < 2 && out->n == 0; k++) { /* the master, then the other state */
        path q;
        shape shapes[2];
        *e = (exact){.s = s, .ctx = s->ctx};
        e->u = k ? 1 - s->separatrix[0].master : s->separatrix[0].master;
        if (!read_path(e, p, &q, shapes))
            continue;
        for (int i = 0; i < 2 && out->n == 0; i++)
            for (e->width = 0; e->width < (p ? 2 : 1) && out->n == 0; e->width++) {
                zw_arena_mark each = zw_arena_mark_now(&s->arena);
                q.shape = shapes[i];
                e->step = 1 + e->width;
                try_shape(e, part, parameter, from, terms, &q, out);
                zw_arena_release(&s->arena, each);
            }
    }
    bool no_memory = s->arena.failed;
    zw_arena_release(&s->arena, mark);
    zw_status status = zw_context_status(s->ctx, NULL);
    if (no_memory || status == ZW_E_MEMORY)
        return zw_out_of_memory(err, NULL);
    if (status < 0) /* a division by zero: not elementary here */
        zw_context_reset_status(s->ctx);
    return ZW_OK;
}
