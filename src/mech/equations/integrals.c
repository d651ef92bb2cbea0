/* SPDX-License-Identifier: MIT */
/* Integrals of constraints that are affine in the velocities. With the rows psi_k = A_k . v + A_k0
 * and plain velocities v_i = q_i', a combination without other velocities is a form a . dq + a_0
 * dt. It is integrated if it is exact, directly or after multiplication by an integrating factor, a
 * product f = prod b_k^e_k of at most three of the factors b_k of its coefficients. f a is closed
 * if for all pairs of variables
 *
 *     sum_k e_k (a_j d_i log b_k - a_i d_j log b_k) = d_j a_i - d_i a_j,
 *
 * which is linear in the exponents: they are found by least squares at random states, as multiples
 * of 1/2. The forms that are tried are
 *
 *   1. each row alone,
 *   2. the rest after elimination of velocities that are not rates of coordinates (angular ones):
 *      for the slip of a ball, its component along the normal, the rate of the gap,
 *   3. these after further elimination of coefficients, varying ones first: for the rows of two
 *      wheels, their difference,
 *   4. combinations with a column of the rows as factors: for a disc on a circle, the angle that it
 *      has rolled,
 *   5. 2 to 4 of the rows with all free rotations at the identity.
 *
 * A closed form is integrated coordinate by coordinate, I = int a_1 dq_1 + int (a_2 - dI/dq_2) dq_2
 * + ... . A term is integrated if it is, up to a factor, the derivative of a power of one of its
 * factors, of the integral of a function in them, or of an angle. The observables and start
 * conditions of a model (its gap) are tried unchanged.
 *
 * Every I that is found is checked at random states that satisfy the position constraints: its
 * derivative must be in the span of the rows and of the derivatives of these constraints. It is
 * kept if it is independent of the integrals found before and of the position constraints at the
 * given state. */
#include "zwang/equations.h"

#include <math.h>
#include <string.h>

#include "expr/calculus/ratio.h"
#include "kept_integrals.h"
#include "mech/principles/constraint_rows.h"
#include "mech/principles/principles.h"
#include "mech/system/sample.h"
#include "subspace.h"

enum {
    POINTS = 6,
    LENGTH_MAX = 400,
    ROW_LENGTH_MAX = 100,
    TERMS_MAX = 24,
    BASES_MAX = 10,
    FACTORS_MAX = 3
};
/* Numbers are compared at random states, where coordinates are of order 1. A row that is computed
 * from derivatives and an orthonormal basis has round-off of some 1e-13; all four limits lie in the
 * gap between it and the differences of independent rows, which are of order 1 at random states. */
#define SPAN_ROUNDOFF 1e-9 /* component outside the span, relative to a row inside it */
/* The same for two integrals, whose rows have round-off themselves. */
#define INTEGRAL_DEPENDENT 1e-8
#define FACTOR_CONSTANT 1e-9 /* relative change of a factor between states */
#define FORM_CLOSED 1e-9     /* remainder of the derivatives, relative to the largest of them */
/* Least pivot of the normal equations for exponents: factors whose logarithmic derivatives depend
 * on each other have none above the round-off of their squares. */
#define EXPONENTS_SINGULAR 1e-12
/* Distance of an exponent from a multiple of 1/2: round-off of the normal equations, whose
 * condition number is a square. Exponents of forms that are not closed are at random distances. */
#define EXPONENT_ROUNDOFF 1e-6

typedef struct search {
    bool smooth; /* accept only formulas and rows without kinks and jumps */
    const zw_system *s;
    zw_context *ctx;
    zw_equations eq;
    int m, n;         /* rows; columns: nv velocities, time */
    int *constraint;  /* m: constraint of row k */
    zw_expr *A;       /* m x n, modified by elimination */
    zw_expr *given;   /* m x n, unmodified */
    int *coord;       /* nv: the coordinate whose rate velocity j is, -1 if none */
    zw_sample *point; /* POINTS random states */
    zw_sample *state; /* POINTS of them, moved onto the position constraints */
    /* POINTS of each, at `state`: span of A and of the position constraints; span of the
     * integrals */
    zw_subspace *rows, *found;
    double *values; /* n */
    double *pair;   /* 2 n */
    zw_integrals *out;
    zw_subspace known; /* at the given state: position constraints and integrals kept */
    zw_sample here;
} search;

/* ------------------------------------------------------------------------------ antiderivatives */

/* a function whose derivative is base^power up to factors, if any */
static zw_expr power_integral(zw_context *ctx, zw_expr base, zw_expr power) {
    int n;
    zw_op op = zw_expr_op(ctx, base);
    const zw_expr *args = zw_expr_args(ctx, base, &n);
    if (power == ZW_ONE && op == ZW_OP_SIN)
        return zw_cos(ctx, args[0]);
    if (power == ZW_ONE && op == ZW_OP_COS)
        return zw_sin(ctx, args[0]);
    if (power == ZW_ONE && op == ZW_OP_EXP)
        return base;
    if (power == ZW_MINUS_ONE)
        return zw_apply(ctx, ZW_OP_LOG, 1, &base);
    return zw_pow(ctx, base, zw_add(ctx, power, ZW_ONE));
}

/* the square root of e; without a sign where all factors are squares, since an integral may have
 * either sign */
static zw_expr root_of(zw_context *ctx, zw_expr e) {
    zw_factor factor[BASES_MAX];
    zw_expr root;
    int n = 0;
    if (!zw_ratio_factors(ctx, e, &root, BASES_MAX, factor, &n))
        return zw_pow(ctx, e, ZW_HALF);
    root = zw_pow(ctx, root, ZW_HALF);
    for (int i = 0; i < n; i++)
        root = zw_mul(ctx, root,
                      factor[i].power % 2 == 0
                          ? zw_pow(ctx, factor[i].base, zw_integer(ctx, factor[i].power / 2))
                          : zw_pow(ctx, factor[i].base, zw_rational(ctx, factor[i].power, 2)));
    return root;
}

/* The angle of (w, N), N = s + h and w^2 = c - h^2, whose derivative is a multiple of 1/B with B =
 * a (s^2 + 2 h s + c). It jumps on a half-line: the one of the four possible half-lines that is
 * farthest from the given state is used. */
static zw_expr angle_integral(const search *y, zw_expr B, zw_expr s) {
    zw_context *ctx = y->ctx;
    zw_expr slope = zw_diff(ctx, B, s), twice = zw_diff(ctx, slope, s), zero = ZW_ZERO;
    if (twice == ZW_ZERO || zw_depends(ctx, twice, s))
        return ZW_NULL;
    zw_expr h = zw_div(ctx, zw_subst(ctx, slope, 1, &s, &zero), twice),
            c = zw_div(ctx, zw_mul(ctx, ZW_TWO, zw_subst(ctx, B, 1, &s, &zero)), twice);
    zw_expr N = zw_add(ctx, s, h), w = root_of(ctx, zw_sub(ctx, c, zw_mul(ctx, h, h)));
    double up = zw_sample_value(&y->here, y->s, N), on = zw_sample_value(&y->here, y->s, w);
    bool turned = fabs(up) > fabs(on), back = turned ? up < 0 : on < 0;
    zw_expr first = turned ? w : N, second = turned ? N : w;
    zw_expr args[] = {back ? zw_neg(ctx, first) : first, back ? zw_neg(ctx, second) : second};
    zw_expr f = zw_apply(ctx, ZW_OP_ATAN2, 2, args);
    return turned ? zw_neg(ctx, f) : f;
}

/* e as a multiple of f, if it is a multiple of the derivative of f; else ZW_NULL */
static zw_expr multiple_of(zw_context *ctx, zw_expr e, zw_expr f, zw_expr s) {
    zw_expr slope = f ? zw_diff(ctx, f, s) : ZW_ZERO;
    if (slope == ZW_ZERO)
        return ZW_NULL;
    zw_expr ratio = zw_div(ctx, e, slope);
    if (!zw_expr_is_number(ctx, ratio))
        ratio = zw_factored(ctx, ratio);
    return zw_depends(ctx, ratio, s) ? ZW_NULL : zw_mul(ctx, ratio, f);
}

/* the integral of e with respect to s as a multiple of one function, ZW_NULL if none is
 * recognised */
static zw_expr integrate_term(const search *y, zw_expr e, zw_expr s) {
    zw_context *ctx = y->ctx;
    zw_expr single[2] = {e, ZW_ONE};
    const zw_expr *factor = single;
    int n = 2;
    if (!zw_depends(ctx, e, s))
        return zw_mul(ctx, e, s);
    if (zw_expr_op(ctx, e) == ZW_OP_PRODUCT)
        factor = zw_expr_args(ctx, e, &n);
    for (int i = 0; i < n; i += 2) {
        if (!zw_depends(ctx, factor[i], s) || !zw_expr_is_number(ctx, factor[i + 1]))
            continue;
        zw_expr found = multiple_of(ctx, e, power_integral(ctx, factor[i], factor[i + 1]), s);
        if (!found && factor[i + 1] == ZW_MINUS_ONE)
            found = multiple_of(ctx, e, angle_integral(y, factor[i], s), s);
        if (found)
            return found;
    }
    return ZW_NULL;
}

static zw_expr integrate_expression(const search *y, zw_expr e, zw_expr s) {
    zw_context *ctx = y->ctx;
    zw_expr whole = integrate_term(y, e, s), sum;
    int n;
    if (!whole)
        whole = integrate_term(y, zw_factored(ctx, e), s);
    if (whole)
        return whole;
    e = zw_expand(ctx, e);
    if (zw_expr_op(ctx, e) != ZW_OP_SUM)
        return integrate_term(y, e, s);
    const zw_expr *args = zw_expr_args(ctx, e, &n);
    sum = zw_mul(ctx, args[0], s);
    for (int i = 1; i < n; i += 2) {
        zw_expr term = n > 2 * TERMS_MAX ? ZW_NULL : integrate_term(y, args[i], s);
        if (!term)
            return ZW_NULL;
        sum = zw_add(ctx, sum, zw_mul(ctx, term, args[i + 1]));
    }
    return sum;
}

/* ------------------------------------------------------------------------------------ forms */

static zw_expr column_variable(const search *y, int column) {
    return column < y->n - 1 ? y->eq.q[y->coord[column]] : y->s->t;
}

static bool is_variable(const search *y, int column) {
    return column == y->n - 1 || y->coord[column] >= 0;
}

static zw_expr find_potential(const search *y, const zw_expr *a) {
    zw_context *ctx = y->ctx;
    zw_expr I = ZW_ZERO;
    for (int i = 0; i < y->n; i++) {
        if (!is_variable(y, i))
            continue;
        zw_expr rest = zw_sub(ctx, a[i], zw_diff(ctx, I, column_variable(y, i)));
        if (I != ZW_ZERO && rest != ZW_ZERO)
            rest = zw_ratio(ctx, rest);
        zw_expr part =
            rest == ZW_ZERO ? ZW_ZERO : integrate_expression(y, rest, column_variable(y, i));
        if (!part)
            return ZW_NULL;
        I = zw_add(ctx, I, part);
    }
    return I;
}

/* row of dI/dt at a point: its slopes with respect to the velocities, then the remainder at zero
 * velocities */
static void row_at(const search *y, zw_expr I, const zw_sample *at, double *row) {
    zw_expr rate = zw_system_dt(y->s, I), rest = rate;
    for (int j = 0; j < y->n - 1; j++) {
        zw_expr slope = zw_diff(y->ctx, rate, y->eq.v[j]);
        row[j] = zw_sample_value(at, y->s, slope);
        rest = zw_subst(y->ctx, rest, 1, &y->eq.v[j], &(zw_expr){ZW_ZERO});
    }
    row[y->n - 1] = zw_sample_value(at, y->s, rest);
}

static bool is_finite_row(int n, const double *row) {
    for (int i = 0; i < n; i++)
        if (!isfinite(row[i]))
            return false;
    return zw_length(n, row) > 0;
}

/* true if the derivative of I is a combination of the rows, and I is new */
static bool is_new_integral(search *y, zw_expr I) {
    int inside = 0;
    bool is_new = false;
    for (int k = 0; k < POINTS; k++) {
        row_at(y, I, &y->state[k], y->values);
        if (!is_finite_row(y->n, y->values))
            continue;
        double length = zw_length(y->n, y->values);
        if (zw_subspace_outside(&y->rows[k], y->values) > SPAN_ROUNDOFF * length)
            return false;
        inside++;
        is_new |= zw_subspace_outside(&y->found[k], y->values) > INTEGRAL_DEPENDENT * length;
    }
    return inside > POINTS / 2 && is_new;
}

/* true if the constraint follows from an integral that is kept */
static bool is_followed(const search *y, int constraint) {
    for (int k = 0; k < y->out->n; k++)
        if (y->out->integral[k].follows == constraint)
            return true;
    return false;
}

/* adds the rows of the differentiated position constraints at a state */
static void add_positions(search *y, const zw_sample *at, zw_subspace *span) {
    for (int k = 0; k < y->eq.npos; k++) {
        row_at(y, y->eq.phi[k], at, y->values);
        if (is_finite_row(y->n, y->values))
            zw_subspace_add(span, y->values, INTEGRAL_DEPENDENT);
    }
}

/* dI = c (constraint number `which` of the given rows) + others, at a state: returns c, and in
 * *outside the part of dI outside the span of the others, relative to dI */
static double share_at(search *y, const zw_integral *i, int which, int state, zw_subspace *span,
                       double *outside) {
    const zw_sample *at = &y->state[state];
    span->rank = 0;
    add_positions(y, at, span);
    for (int k = 0; k < y->m; k++) {
        for (int j = 0; j < y->n; j++)
            y->values[j] = zw_sample_value(at, y->s, y->given[k * y->n + j]);
        if (k != which)
            zw_subspace_add(span, y->values, SPAN_ROUNDOFF);
    }
    for (int j = 0; j < y->n; j++)
        y->values[j] = zw_sample_value(at, y->s, y->given[which * y->n + j]);
    double own = zw_subspace_outside(span, y->values), dot = 0;
    row_at(y, i->value, at, y->pair);
    memcpy(y->pair + y->n, span->rest, sizeof *y->values * (size_t)y->n);
    double left = zw_subspace_outside(span, y->pair);
    for (int j = 0; j < y->n; j++)
        dot += span->rest[j] * y->pair[y->n + j];
    *outside = left / zw_length(y->n, y->pair);
    return own > 0 ? dot / (own * own) : 0;
}

/* True if c is the same at all states. Where c varies it may vanish during a motion, and the
 * constraint then does not follow from the integral. */
static bool is_constant_share(search *y, const zw_integral *i, int which, zw_subspace *span) {
    double outside, first = share_at(y, i, which, 0, span, &outside);
    for (int k = 1; k < POINTS; k++)
        if (!(fabs(share_at(y, i, which, k, span, &outside) - first) <=
              FACTOR_CONSTANT * fabs(first)))
            return false;
    return first != 0;
}

/* the constraints that are needed: without them the derivative of I is not a combination of the
 * rows */
static zw_status name_rows(search *y, zw_integral *i, zw_error *err) {
    int *of = ZW_CONTEXT_NEW(y->ctx, int, y->m);
    zw_subspace span;
    double most = 0, outside;
    i->follows = -1;
    if (!of || !zw_subspace_init(&span, y->ctx, y->n))
        return zw_context_status(y->ctx, err);
    for (int left_out = 0; left_out < y->m; left_out++) {
        share_at(y, i, left_out, 0, &span, &outside);
        if (!(outside > SPAN_ROUNDOFF))
            continue;
        of[i->n++] = y->constraint[left_out];
        if (outside > most && !is_followed(y, y->constraint[left_out]) &&
            is_constant_share(y, i, left_out, &span)) {
            most = outside;
            i->follows = y->constraint[left_out];
        }
    }
    i->of = of;
    i->place = y->s->constraint[i->n ? of[0] : y->constraint[0]].place;
    i->name = y->s->constraint[i->n ? of[0] : y->constraint[0]].name;
    return ZW_OK;
}

/* Number of kinks and jumps of e, not counting roots: these may be singular, but motions stay on
 * one side. *angle: the last atan2 among them. */
static int kinks_of(const search *y, zw_expr e, int nvar, const zw_expr *variable, zw_expr *angle) {
    zw_kink kink[BASES_MAX];
    int n = zw_find_kinks(y->ctx, 1, &e, nvar, variable, BASES_MAX, kink),
        others = n > BASES_MAX ? n : 0;
    for (int i = 0; i < n && i < BASES_MAX; i++) {
        if (angle && kink[i].op == ZW_OP_ATAN2)
            *angle = kink[i].part;
        others += kink[i].op != ZW_OP_PRODUCT;
    }
    return others;
}

static bool is_smooth(const search *y, zw_expr e) {
    return kinks_of(y, e, y->eq.nq, y->eq.q, NULL) == 0 && kinks_of(y, e, 1, &y->s->t, NULL) == 0;
}

/* The factor of atan2(u, w) in a sum; ZW_NULL if it is not a term of the sum. */
static zw_expr factor_of(zw_context *ctx, zw_expr sum, zw_expr angle) {
    zw_expr found = sum == angle ? ZW_ONE : ZW_NULL;
    int n = 0, m = 0;
    const zw_expr *term = zw_expr_args(ctx, sum, &n);
    for (int i = 1; i < n && zw_expr_op(ctx, sum) == ZW_OP_SUM; i += 2) {
        bool is = term[i] == angle;
        const zw_expr *factor = zw_expr_args(ctx, term[i], &m);
        for (int k = 0; k < m && zw_expr_op(ctx, term[i]) == ZW_OP_PRODUCT; k += 2)
            is |= factor[k] == angle && factor[k + 1] == ZW_ONE;
        if (is)
            found = zw_mul(ctx, term[i + 1], zw_div(ctx, term[i], angle));
        if (is)
            break;
    }
    return found;
}

/* I, if it is smooth, or smooth except for an angle that jumps after a full turn; the angle is then
 * scaled so that it jumps by 2 pi, and *turns is set. Else ZW_NULL: the search sees only one piece
 * of a conditional. */
static zw_expr smooth_integral(const search *y, zw_expr I, bool *turns) {
    zw_expr angle = ZW_NULL;
    *turns = false;
    if (is_smooth(y, I))
        return I;
    kinks_of(y, I, y->eq.nq, y->eq.q, &angle);
    zw_expr factor = angle ? factor_of(y->ctx, I, angle) : ZW_NULL;
    if (!factor || zw_depends_any(y->ctx, factor, y->eq.nq, y->eq.q) ||
        zw_depends(y->ctx, factor, y->s->t) ||
        !is_smooth(y, zw_expand(y->ctx, zw_sub(y->ctx, I, zw_mul(y->ctx, factor, angle)))))
        return ZW_NULL;
    *turns = true;
    return zw_expand(y->ctx, zw_div(y->ctx, I, factor));
}

static zw_status accept_integral(search *y, zw_expr I, zw_error *err) {
    bool turns = false;
    if (I && y->smooth)
        I = smooth_integral(y, I, &turns);
    if (!I || zw_count(y->ctx, 1, &I) > LENGTH_MAX || !is_new_integral(y, I))
        return zw_context_status(y->ctx, err);
    for (int k = 0; k < POINTS; k++) {
        row_at(y, I, &y->state[k], y->values);
        if (is_finite_row(y->n, y->values))
            zw_subspace_add(&y->found[k], y->values, INTEGRAL_DEPENDENT);
    }
    double value = zw_sample_value(&y->here, y->s, I);
    row_at(y, I, &y->here, y->values);
    if (!isfinite(value) || !is_finite_row(y->n, y->values) ||
        !zw_subspace_add(&y->known, y->values, INTEGRAL_DEPENDENT))
        return zw_context_status(y->ctx, err);
    zw_integral *i = &y->out->integral[y->out->n];
    *i = (zw_integral){.value = I, .unit = "", .turns = turns};
    ZW_TRY(name_rows(y, i, err));
    y->out->at[y->out->n++] = value;
    return zw_context_status(y->ctx, err);
}

/* -------------------------------------------------------------------------- integrating factors */

/* A form at random states: for each state and pair of variables, how far it is from being closed,
 * and what the logarithm of each factor adds. */
typedef struct closing {
    int nbase, nequation;
    zw_expr base[BASES_MAX];
    double *missing; /* nequation */
    double *adds;    /* nequation x BASES_MAX */
    double size;     /* of the terms */
} closing;

static void add_bases(const search *y, closing *c, zw_expr e) {
    zw_factor factor[BASES_MAX];
    zw_expr number;
    int n = 0;
    if (e == ZW_ZERO || !zw_ratio_factors(y->ctx, e, &number, BASES_MAX, factor, &n))
        return;
    for (int i = 0; i < n && c->nbase < BASES_MAX; i++) {
        int k = 0;
        while (k < c->nbase && c->base[k] != factor[i].base)
            k++;
        if (k == c->nbase && zw_depends_any(y->ctx, factor[i].base, y->eq.nq, y->eq.q))
            c->base[c->nbase++] = factor[i].base;
    }
}

static double slope_at(const search *y, zw_expr e, int column, const zw_sample *at) {
    return zw_sample_value(at, y->s, zw_diff(y->ctx, e, column_variable(y, column)));
}

static void add_equation(const search *y, closing *c, const zw_expr *a, int i, int j,
                         const zw_sample *at) {
    double ai = zw_sample_value(at, y->s, a[i]), aj = zw_sample_value(at, y->s, a[j]);
    double left = slope_at(y, a[i], j, at), right = slope_at(y, a[j], i, at);
    double *adds = c->adds + (size_t)c->nequation * BASES_MAX;
    bool finite = isfinite(ai) && isfinite(aj) && isfinite(left) && isfinite(right);
    for (int k = 0; k < c->nbase; k++) {
        double b = zw_sample_value(at, y->s, c->base[k]);
        adds[k] = (aj * slope_at(y, c->base[k], i, at) - ai * slope_at(y, c->base[k], j, at)) / b;
        finite &= isfinite(adds[k]);
    }
    if (!finite)
        return;
    c->missing[c->nequation++] = left - right;
    c->size = fmax(c->size, fmax(fabs(left), fabs(right)));
}

static zw_status prepare_closing(const search *y, const zw_expr *a, closing *c, zw_error *err) {
    int n = POINTS * y->n * y->n;
    *c = (closing){.missing = ZW_SCRATCH_NEW(y->ctx, double, n),
                   .adds = ZW_SCRATCH_NEW(y->ctx, double, n *BASES_MAX)};
    if (!c->missing || !c->adds)
        return zw_context_status(y->ctx, err);
    for (int i = 0; i < y->n; i++)
        add_bases(y, c, a[i]);
    for (int k = 0; k < POINTS; k++)
        for (int i = 0; i < y->n; i++)
            for (int j = 0; j < i; j++)
                if (is_variable(y, i) && is_variable(y, j) && (a[i] != ZW_ZERO || a[j] != ZW_ZERO))
                    add_equation(y, c, a, i, j, &y->point[k]);
    return zw_context_status(y->ctx, err);
}

/* the exponents of the n chosen factors; false if these do not close the form */
static bool find_exponents(const closing *c, int n, const int *chosen, double *e) {
    double square[FACTORS_MAX * FACTORS_MAX] = {0}, size = c->size;
    for (int k = 0; k < n; k++)
        e[k] = 0;
    for (int q = 0; q < c->nequation; q++)
        for (int k = 0; k < n; k++) {
            const double *adds = c->adds + (size_t)q * BASES_MAX;
            e[k] += adds[chosen[k]] * c->missing[q];
            for (int l = 0; l < n; l++)
                square[k * n + l] += adds[chosen[k]] * adds[chosen[l]];
        }
    if (n && !zw_eliminate(n, EXPONENTS_SINGULAR, square, e))
        return false;
    for (int k = 0; k < n; k++) {
        double rounded = round(2 * e[k]) / 2;
        if (rounded == 0 || fabs(e[k] - rounded) > EXPONENT_ROUNDOFF)
            return false;
        e[k] = rounded;
    }
    for (int q = 0; q < c->nequation; q++) {
        double left = c->missing[q];
        for (int k = 0; k < n; k++)
            left -= e[k] * c->adds[(size_t)q * BASES_MAX + (size_t)chosen[k]];
        if (!(fabs(left) <= FORM_CLOSED * size))
            return false;
    }
    return true;
}

/* multiplies the form by its integrating factor and tries the potential */
static zw_status try_closed(search *y, const zw_expr *a, const closing *c, int n, const int *chosen,
                            const double *e, zw_error *err) {
    zw_expr factor = ZW_ONE, *b = ZW_SCRATCH_NEW(y->ctx, zw_expr, y->n);
    int found = y->out->n;
    if (!b)
        return zw_context_status(y->ctx, err);
    for (int k = 0; k < n; k++)
        factor = zw_mul(
            y->ctx, factor,
            zw_pow(y->ctx, c->base[chosen[k]], zw_rational(y->ctx, (int64_t)round(2 * e[k]), 2)));
    for (int i = 0; i < y->n; i++)
        b[i] = a[i] == ZW_ZERO ? ZW_ZERO : zw_mul(y->ctx, a[i], factor);
    ZW_TRY(accept_integral(y, find_potential(y, b), err));
    for (int i = 0; i < y->n && n; i++)
        b[i] = zw_ratio(y->ctx, b[i]);
    return y->out->n > found || !n ? ZW_OK : accept_integral(y, find_potential(y, b), err);
}

/* An expression without a finite value (numbers grow when rows are eliminated) is not an integral,
 * and not an error of the model. *lost: there was one. */
static zw_status clear_lost(const search *y, bool *lost, zw_error *err) {
    zw_error why = {0};
    *lost = zw_context_status(y->ctx, &why) == ZW_E_DOMAIN;
    if (*lost)
        zw_context_reset_status(y->ctx);
    return zw_context_status(y->ctx, err);
}

static zw_status try_factors(search *y, const zw_expr *a, zw_error *err) {
    closing c;
    int found = y->out->n, k[FACTORS_MAX];
    double e[FACTORS_MAX];
    for (int j = 0; j < y->n - 1; j++)
        if (y->coord[j] < 0 && a[j] != ZW_ZERO)
            return ZW_OK;
    if (zw_count(y->ctx, y->n, a) > ROW_LENGTH_MAX)
        return ZW_OK;
    ZW_TRY(prepare_closing(y, a, &c, err));
    if (find_exponents(&c, 0, k, e))
        return try_closed(y, a, &c, 0, k, e, err);
    for (int n = 1; n <= FACTORS_MAX; n++)
        for (k[0] = 0; k[0] < c.nbase; k[0]++)
            for (k[1] = n > 1 ? k[0] + 1 : 0; k[1] < (n > 1 ? c.nbase : 1); k[1]++)
                for (k[2] = n > 2 ? k[1] + 1 : 0; k[2] < (n > 2 ? c.nbase : 1); k[2]++) {
                    if (y->out->n == found && find_exponents(&c, n, k, e))
                        ZW_TRY(try_closed(y, a, &c, n, k, e, err));
                }
    return ZW_OK;
}

static zw_status try_form(search *y, const zw_expr *a, zw_error *err) {
    zw_error why = {0};
    bool lost;
    zw_status status = try_factors(y, a, &why);
    ZW_TRY(clear_lost(y, &lost, err));
    return lost || status >= 0 ? ZW_OK : zw_fail(err, status, "%s", why.text);
}

/* ---------------------------------------------------------------------------------- elimination */

/* priority of a pivot in this column: velocities that are not rates first, then entries that
 * vary */
static int order_of(const search *y, int row, int column) {
    zw_expr e = y->A[row * y->n + column];
    if (column == y->n - 1 || e == ZW_ZERO)
        return 0;
    if (y->coord[column] < 0)
        return 3;
    return zw_depends_any(y->ctx, e, y->eq.nq, y->eq.q) || zw_depends(y->ctx, e, y->s->t) ? 2 : 1;
}

static bool next_pivot(const search *y, const bool *used, int *row, int *column) {
    int best = 0;
    long least = 0;
    for (int r = 0; r < y->m; r++)
        for (int j = 0; j < y->n && !used[r]; j++) {
            int order = order_of(y, r, j);
            long cost = order ? zw_count(y->ctx, 1, &y->A[r * y->n + j]) : 0;
            if (order < best || order == 0 || (order == best && cost >= least))
                continue;
            best = order;
            least = cost;
            *row = r;
            *column = j;
        }
    return best > 0;
}

/* row r := row r - A_rj/A_pj row p */
static void subtract_row(search *y, int r, int p, int j) {
    zw_expr *a = y->A + (size_t)r * (size_t)y->n, *b = y->A + (size_t)p * (size_t)y->n;
    if (a[j] == ZW_ZERO || r == p)
        return;
    zw_expr factor = zw_ratio(y->ctx, zw_div(y->ctx, a[j], b[j]));
    for (int i = 0; i < y->n; i++)
        if (b[i] != ZW_ZERO)
            a[i] = i == j ? ZW_ZERO
                          : zw_ratio(y->ctx, zw_sub(y->ctx, a[i], zw_mul(y->ctx, factor, b[i])));
}

/* The combination of the rows with the entries of column j as factors, divided so that dq_j has the
 * coefficient one: for y dx - x dy + c (x^2 + y^2) dth it is the rate of an angle, which no row
 * is. */
static zw_status try_column(search *y, const bool *used, int j, zw_error *err) {
    zw_expr *a = ZW_SCRATCH_NEW(y->ctx, zw_expr, y->n), square = ZW_ZERO;
    int rows = 0;
    if (!a)
        return zw_context_status(y->ctx, err);
    for (int r = 0; r < y->m; r++) {
        zw_expr factor = used[r] ? ZW_ZERO : y->A[r * y->n + j];
        rows += factor != ZW_ZERO;
        square = zw_add(y->ctx, square, zw_mul(y->ctx, factor, factor));
        for (int i = 0; i < y->n; i++)
            a[i] = zw_add(y->ctx, r ? a[i] : ZW_ZERO, zw_mul(y->ctx, factor, y->A[r * y->n + i]));
    }
    bool lost;
    ZW_TRY(clear_lost(y, &lost, err));
    if (lost || rows < 2 || zw_count(y->ctx, y->n, a) > 2 * ROW_LENGTH_MAX)
        return ZW_OK;
    for (int i = 0; i < y->n; i++)
        a[i] = i == j ? ZW_ONE : zw_factored(y->ctx, zw_div(y->ctx, a[i], square));
    ZW_TRY(clear_lost(y, &lost, err));
    return lost ? ZW_OK : try_form(y, a, err);
}

static zw_status try_columns(search *y, const bool *used, zw_error *err) {
    for (int j = 0; j < y->n - 1; j++)
        if (y->out->n < y->m && y->coord[j] >= 0)
            ZW_TRY(try_column(y, used, j, err));
    return ZW_OK;
}

static zw_status eliminate_rows(search *y, zw_error *err) {
    bool *used = ZW_SCRATCH_NEW(y->ctx, bool, y->m);
    int row = 0, column = 0;
    if (!used)
        return zw_context_status(y->ctx, err);
    ZW_TRY(try_columns(y, used, err));
    while (y->out->n < y->m && zw_count(y->ctx, y->m * y->n, y->A) <= (long)ROW_LENGTH_MAX * y->m &&
           next_pivot(y, used, &row, &column)) {
        used[row] = true;
        for (int r = 0; r < y->m; r++)
            subtract_row(y, r, row, column);
        bool lost;
        ZW_TRY(clear_lost(y, &lost, err));
        if (lost)
            return ZW_OK;
        for (int r = 0; r < y->m; r++)
            ZW_TRY(try_form(y, y->A + (size_t)r * (size_t)y->n, err));
        ZW_TRY(try_columns(y, used, err));
    }
    return zw_context_status(y->ctx, err);
}

/* ------------------------------------------------------------------------------------ set-up */

/* the coordinate whose rate is velocity j alone, or -1 */
static int coordinate_of(const zw_equations *eq, zw_context *ctx, int j) {
    int found = -1;
    for (int i = 0; i < eq->nq; i++)
        if (zw_depends(ctx, eq->qdot[i], eq->v[j])) {
            if (found >= 0 || eq->qdot[i] != eq->v[j])
                return -1;
            found = i;
        }
    return found;
}

/* States follow their own equations and signals come from outside: neither is constant on a
 * leaf. */
static bool is_geometric(const search *y, zw_expr e) {
    for (int i = 0; i < y->eq.nq; i++) {
        bool moved = false;
        for (int j = 0; j < y->eq.nv; j++)
            moved |= y->eq.F[i * y->eq.nv + j] != ZW_ZERO;
        if (!moved && zw_depends(y->ctx, e, y->eq.q[i]))
            return false;
    }
    return !zw_depends_any(y->ctx, e, y->eq.nu, y->eq.u);
}

static bool takes_part(const search *y, int row) {
    int index = y->eq.vel_constraint[row];
    const zw_constraint *c = &y->s->constraint[index];
    return c->level == ZW_VELOCITY && c->linear && !c->inequality &&
           is_geometric(y, y->eq.psi[row]) && (!y->smooth || is_smooth(y, y->eq.psi[row]));
}

static zw_status gather_rows(search *y, zw_error *err) {
    const zw_equations *eq = &y->eq;
    int nv = eq->nv;
    y->n = nv + 1;
    y->A = ZW_SCRATCH_NEW(y->ctx, zw_expr, eq->nvel * y->n);
    y->constraint = ZW_SCRATCH_NEW(y->ctx, int, eq->nvel);
    y->coord = ZW_SCRATCH_NEW(y->ctx, int, nv);
    y->values = ZW_SCRATCH_NEW(y->ctx, double, y->n);
    y->pair = ZW_SCRATCH_NEW(y->ctx, double, 2 * y->n);
    if (!y->A || !y->constraint || !y->coord || !y->values || !y->pair)
        return zw_context_status(y->ctx, err);
    for (int j = 0; j < nv; j++)
        y->coord[j] = coordinate_of(eq, y->ctx, j);
    for (int k = 0; k < eq->nvel; k++) {
        if (!takes_part(y, k))
            continue;
        zw_expr *row = y->A + (size_t)y->m * (size_t)y->n;
        if (zw_linear(y->ctx, eq->psi[k], nv, eq->v, row, &row[nv]))
            y->constraint[y->m++] = eq->vel_constraint[k];
    }
    y->given = ZW_SCRATCH_NEW(y->ctx, zw_expr, y->m * y->n);
    if (y->given)
        memcpy(y->given, y->A, sizeof *y->A * (size_t)(y->m * y->n));
    return zw_context_status(y->ctx, err);
}

/* moves random state k onto the position constraints, if there are any and it can be moved */
static void project_state(search *y, zw_sampler *sampler, int k) {
    const zw_system *s = y->s;
    zw_error why = {0};
    double *q = y->state[k].value + s->np, t;
    double *x = ZW_SCRATCH_NEW(y->ctx, double, s->nq + s->nv);
    if (!x || !sampler || zw_sampler_state(sampler, k, &t, x, &why) < 0)
        return;
    memcpy(q, x, sizeof *x * (size_t)(s->nq + s->nv));
    q[s->nq + s->nv] = t;
}

static zw_status scatter_one(search *y, zw_sample *out, int k, const double *p, zw_error *err) {
    ZW_TRY(zw_sample_init(out, y->s, err));
    zw_sample_scatter(out, y->s, (unsigned)k);
    memcpy(out->value, p, sizeof *p * (size_t)y->s->np);
    return ZW_OK;
}

/* random states, and the span of the rows at each */
static zw_status draw_states(search *y, const zw_active *active, const double *p, zw_error *err) {
    zw_sampler *sampler = NULL;
    zw_error why = {0};
    y->point = ZW_SCRATCH_NEW(y->ctx, zw_sample, POINTS);
    y->state = ZW_SCRATCH_NEW(y->ctx, zw_sample, POINTS);
    y->rows = ZW_SCRATCH_NEW(y->ctx, zw_subspace, POINTS);
    y->found = ZW_SCRATCH_NEW(y->ctx, zw_subspace, POINTS);
    if (!y->point || !y->state || !y->rows || !y->found)
        return zw_context_status(y->ctx, err);
    if (y->eq.npos > 0 && zw_sampler_create(&sampler, y->s, active, NULL, &why) >= 0 &&
        zw_sampler_set_parameters(sampler, p, &why) < 0)
        sampler = NULL;
    for (int k = 0; k < POINTS; k++) {
        ZW_TRY(scatter_one(y, &y->point[k], k, p, err));
        ZW_TRY(scatter_one(y, &y->state[k], k, p, err));
        project_state(y, sampler, k);
        if (!zw_subspace_init(&y->rows[k], y->ctx, y->n) ||
            !zw_subspace_init(&y->found[k], y->ctx, y->n))
            return zw_context_status(y->ctx, err);
        add_positions(y, &y->state[k], &y->rows[k]);
        for (int r = 0; r < y->m; r++) {
            for (int j = 0; j < y->n; j++)
                y->values[j] = zw_sample_value(&y->state[k], y->s, y->A[r * y->n + j]);
            if (is_finite_row(y->n, y->values))
                zw_subspace_add(&y->rows[k], y->values, SPAN_ROUNDOFF);
        }
    }
    return zw_context_status(y->ctx, err);
}

/* the given state, or any (x NULL), and the position constraints there */
static zw_status place_state(search *y, double t, const double *p, const double *x, zw_error *err) {
    const zw_system *s = y->s;
    ZW_TRY(zw_sample_init(&y->here, s, err));
    memcpy(y->here.value, y->state[0].value, sizeof *p * (size_t)y->here.n);
    memcpy(y->here.value, p, sizeof *p * (size_t)s->np);
    if (x) {
        memcpy(y->here.value + s->np, x, sizeof *x * (size_t)(s->nq + s->nv));
        y->here.value[s->np + s->nq + s->nv] = t;
    }
    if (!zw_subspace_init(&y->known, y->ctx, y->n))
        return zw_context_status(y->ctx, err);
    add_positions(y, &y->here, &y->known);
    return ZW_OK;
}

static bool is_of_positions(const search *y, zw_expr e) {
    const zw_sample *p = &y->here;
    int n = y->s->np + y->s->nq;
    return e && !zw_depends_any(y->ctx, e, y->eq.nv, y->eq.v) && is_geometric(y, e) &&
           zw_depends_any(y->ctx, e, y->eq.nq, y->eq.q) &&
           zw_foreign_symbol(y->ctx, zw_subst(y->ctx, e, 1, &y->s->t, &(zw_expr){ZW_ZERO}), n,
                             p->sym) == ZW_NULL;
}

/* tries observables and start conditions of the model */
static zw_status try_given(search *y, zw_error *err) {
    const zw_system *s = y->s;
    for (int i = 0; i < s->nstart + s->nobservable; i++) {
        zw_expr e = i < s->nstart ? s->start[i].what : s->observable[i - s->nstart].value;
        if (is_of_positions(y, e))
            ZW_TRY(accept_integral(y, e, err));
    }
    return ZW_OK;
}

/* a caller who holds an integral chooses the leaf: these are not searched */
static void remove_held(search *y, int nheld, const zw_expr *held) {
    for (int i = 0; i < nheld; i++) {
        if (!is_of_positions(y, held[i]) || !is_new_integral(y, held[i]))
            continue;
        row_at(y, held[i], &y->here, y->values);
        if (is_finite_row(y->n, y->values))
            zw_subspace_add(&y->known, y->values, INTEGRAL_DEPENDENT);
    }
}

/* The rows with all free rotations at the identity: the position of a body need not depend on its
 * orientation, and angular velocities about axes of the body are eliminated without it. *any: there
 * are such rows. */
static zw_status remove_rotations(search *y, bool *any, zw_error *err) {
    const zw_expr identity[4] = {ZW_ONE, ZW_ZERO, ZW_ZERO, ZW_ZERO};
    bool lost;
    *any = false;
    memcpy(y->A, y->given, sizeof *y->A * (size_t)(y->m * y->n));
    for (int f = 0; f < y->s->nframe; f++) {
        int first = y->s->frame[f].quaternion;
        if (first < 0)
            continue;
        *any = true;
        for (int k = 0; k < y->m * y->n; k++)
            y->A[k] = zw_subst(y->ctx, y->A[k], 4, &y->eq.q[first], identity);
    }
    ZW_TRY(clear_lost(y, &lost, err));
    *any = *any && !lost;
    return ZW_OK;
}

static zw_status find_in_rows(search *y, const zw_active *active, double t, const double *p,
                              const double *x, int nheld, const zw_expr *held, zw_error *err) {
    ZW_TRY(draw_states(y, active, p, err));
    ZW_TRY(place_state(y, t, p, x, err));
    remove_held(y, nheld, held);
    for (int k = 0; k < y->m; k++)
        ZW_TRY(try_form(y, y->A + (size_t)k * (size_t)y->n, err));
    ZW_TRY(eliminate_rows(y, err));
    bool turns = false;
    if (y->out->n < y->m)
        ZW_TRY(remove_rotations(y, &turns, err));
    if (turns)
        ZW_TRY(eliminate_rows(y, err));
    return y->out->n < y->m ? try_given(y, err) : ZW_OK;
}

/* gathers the rows of active velocity constraints, in scratch memory */
static zw_status begin_search(search *y, const zw_active *active, zw_error *err) {
    const zw_active bare = {.constraint = active ? active->constraint : NULL, .bare = true};
    y->eq = (zw_equations){.principle = "integrals"};
    ZW_TRY(zw_principle_begin(&y->eq, y->s, &bare, err));
    return gather_rows(y, err);
}

static zw_status find_integrals(search *y, const zw_active *active, double t, const double *p,
                                const double *x, int nheld, const zw_expr *held, zw_error *err) {
    zw_arena_mark mark = zw_scratch_mark(y->ctx);
    *y->out = (zw_integrals){0};
    zw_status status = begin_search(y, active, err);
    if (status >= 0 && y->m > 0) {
        y->out->integral = ZW_CONTEXT_NEW(y->ctx, zw_integral, y->m);
        y->out->at = ZW_CONTEXT_NEW(y->ctx, double, y->m);
        status = y->out->integral && y->out->at ? find_in_rows(y, active, t, p, x, nheld, held, err)
                                                : zw_context_status(y->ctx, err);
    }
    zw_scratch_release(y->ctx, mark);
    return status;
}

zw_status zw_integrals_find(zw_integrals *out, const zw_system *s, const zw_active *active,
                            double t, const double *p, const double *x, int nheld,
                            const zw_expr *held, zw_error *err) {
    search y = {.s = s, .ctx = s->ctx, .out = out};
    return find_integrals(&y, active, t, p, x, nheld, held, err);
}

zw_status zw_integrals_smooth(zw_integrals *out, const zw_system *s, const zw_active *active,
                              const double *p, zw_error *err) {
    search y = {.s = s, .ctx = s->ctx, .out = out, .smooth = true};
    return find_integrals(&y, active, 0, p, NULL, 0, NULL, err);
}
