/* SPDX-License-Identifier: MIT */
/* Quantities in a claim that are no expressions of the state, as series along a curve.
 *
 *   mean             (1/T) integral of f over a period, by the sum over N equal steps of time,
 *                    which is exact for a trigonometric polynomial with less than N harmonics and
 *                    converges faster than any power of N for smooth f; N is doubled until nothing
 *                    changes
 *   linear equations y' = A y of the small variables that move. With y_j = s^N, small parameters
 *                    leaving their values by s, the rates along the curve are
 *                        r(s) + A_j(s) s^N + O(s^2N),     r = 0 if the motion is steady,
 *                    so that the coefficients from s^N on are column j of A, as a series. N = 1 if
 *                    no parameter is small. A variable that the constraints determine from the
 *                    previous ones is not in y
 *   characteristic   det(z - A) by the method of Faddeev and Le Verrier (D. K. Faddeev, V. N.
 *                    Faddeeva, Computational Methods of Linear Algebra, Freeman 1963, section 47),
 *                    which divides by whole numbers only
 *   eigenvalue       by LAPACK, if A is a matrix of numbers */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/tolerance.h"
#include "claim_series.h"
#include "num/linear/dense.h"

enum {
    POLES = 6, /* negative powers of s that may cancel */
    /* power N of small variables, if parameters are small too: more terms than any claim */
    SHIFT = 20,
    STATES_MAX = 12,  /* of linear equations */
    SMALL_MAX = 64,   /* size of arrays: small variables */
    NODES_FIRST = 16, /* steps in a period at first */
    /* steps in a period at last: a mean that has not converged is not smooth */
    NODES_LAST = 4096
};

/* of the largest one: nearer eigenvalues count as equal, since double ones have the square root of
 * round-off */
#define SAME_EIGENVALUE 1e-7

static bool is_spectral(const zw_claim *claim) {
    for (int i = 0; i < claim->nclaimed; i++)
        if (claim->claimed[i].kind != ZW_MEAN)
            return true;
    return false;
}

static bool has_small_parameter(const zw_system *s, const zw_claim *claim) {
    for (int i = 0; i < claim->nsmall; i++)
        if (zw_is_parameter(s, claim->small[i].sym))
            return true;
    return false;
}

int zw_claimed_terms(const zw_system *s, const zw_claim *claim) {
    int negative_powers = has_small_parameter(s, claim) ? 2 * POLES : POLES;
    int plain = claim->nsmall ? claim->order + claim->exact + 1 + negative_powers : 1;
    if (!is_spectral(claim))
        return plain;
    return has_small_parameter(s, claim) ? ZW_JET_MAX : plain;
}

/* --------------------------------------------------------------------------------------- means */

/* The sum over the odd ones of n steps, or over all. */
static bool add_nodes(zw_claim_curve *c, const zw_claimed *q, const zw_jet *period, int n, bool odd,
                      zw_jet *sum, double *size) {
    zw_jet kept = c->x[c->t], value;
    bool sound = true;
    for (int i = odd; i < n && sound; i += 1 + odd) {
        zw_jet_add(&kept, (double)i / n, period, &c->x[c->t]);
        sound = zw_jet_eval(c->sys->ctx, 1, &q->arg[0], c->nsym, c->sym, c->x, c->terms, &value,
                            &c->fault);
        if (sound)
            zw_jet_add(sum, 1, &value, sum);
        for (int k = 0; sound && k < value.terms; k++)
            *size = fmax(*size, fabs(value.c[k]));
    }
    c->x[c->t] = kept;
    return sound;
}

static double jet_distance(const zw_jet *a, double factor, const zw_jet *b) {
    zw_jet difference;
    double largest = 0;
    zw_jet_add(a, factor, b, &difference);
    for (int k = 0; k < difference.terms; k++)
        largest = fmax(largest, fabs(difference.c[k]));
    return largest;
}

static zw_status mean_of(zw_claim_curve *c, const zw_claimed *q, zw_jet *out, zw_error *err) {
    zw_jet period, sum = zw_jet_number(c->terms, 0), last;
    double size = 0;
    c->fault = (zw_jet_fault){.kink = c->fault.kink};
    if (!zw_jet_eval(c->sys->ctx, 1, &q->arg[1], c->nsym, c->sym, c->x, c->terms, &period,
                     &c->fault) ||
        !add_nodes(c, q, &period, NODES_FIRST, false, &sum, &size))
        return zw_curve_reject(c, &c->fault, err);
    for (int n = NODES_FIRST; n <= NODES_LAST; n *= 2) {
        last = sum;
        zw_jet_scale(1.0 / n, &last);
        if (!add_nodes(c, q, &period, 2 * n, true, &sum, &size))
            return zw_curve_reject(c, &c->fault, err);
        *out = sum;
        zw_jet_scale(0.5 / n, out);
        if (jet_distance(out, -1, &last) <= ZW_ROUNDOFF_SUM * size) {
            for (int k = 0; k < out->terms; k++)
                if (fabs(out->c[k]) <= ZW_ROUNDOFF_SUM * size)
                    out->c[k] = 0;
            return ZW_OK;
        }
    }
    zw_fail_at(err, ZW_E_NUMERIC, q->place,
               "the claim %s: the mean does not settle with %d steps in a period", c->claim->name,
               2 * NODES_LAST);
    zw_error_hint(err,
                  "is the second argument of mean(...) the period of the first, and that smooth?");
    return ZW_E_NUMERIC;
}

/* ----------------------------------------------------------------------------- linear equations */

typedef struct linear {
    int n, shift;
    int index[STATES_MAX]; /* of the small variables that move */
    zw_expr rate[STATES_MAX];
    zw_jet A[STATES_MAX * STATES_MAX];
} linear;

static zw_status collect_states(const zw_claim_curve *c, linear *l, zw_error *err) {
    const zw_system *s = c->sys;
    for (int i = 0; i < c->claim->nsmall; i++) {
        zw_expr sym = c->claim->small[i].sym, rate = ZW_NULL;
        for (int k = 0; k < s->nq; k++)
            if (s->coord[k].sym == sym)
                rate = s->coord[k].rate;
        for (int k = 0; k < s->nv; k++)
            if (s->velocity[k].sym == sym)
                rate = s->velocity[k].accel;
        if (!rate)
            continue;
        if (l->n == STATES_MAX)
            return zw_fail_at(err, ZW_E_MODEL, c->claim->place,
                              "the claim %s: linear equations of more than %d variables",
                              c->claim->name, STATES_MAX);
        l->index[l->n] = i;
        l->rate[l->n++] = rate;
    }
    l->shift = has_small_parameter(s, c->claim) ? SHIFT : 1;
    return ZW_OK;
}

static const char *small_name(const zw_claim_curve *c, const linear *l, int i) {
    return zw_expr_name(c->sys->ctx, c->claim->small[l->index[i]].sym);
}

/* Coefficients below s^(from) must vanish: the motion is steady. */
static zw_status check_steady(const zw_claim_curve *c, const linear *l, int i, const zw_jet *rate,
                              int from, double size, zw_error *err) {
    for (int k = rate->low; k < from; k++)
        if (fabs(zw_jet_coefficient(rate, k)) > ZW_ROUNDOFF_SOLVED * (size + 1)) {
            zw_fail_at(err, ZW_E_MODEL, c->claim->place,
                       "the claim %s: the state given by about (...) is not an equilibrium: %s "
                       "changes at the rate %.4g there",
                       c->claim->name, small_name(c, l, i), zw_jet_coefficient(rate, k));
            zw_error_hint(
                err, "eigenvalues need a state at which the variables in about (...) are constant");
            return ZW_E_MODEL;
        }
    return ZW_OK;
}

static zw_status rates_along(zw_claim_curve *c, const linear *l, const zw_departure *d,
                             zw_jet *rate, zw_error *err) {
    ZW_TRY(zw_curve_follow(c, d, err));
    if (!zw_jet_eval(c->sys->ctx, l->n, l->rate, c->nsym, c->sym, c->x, c->terms, rate, &c->fault))
        return zw_curve_reject(c, &c->fault, err);
    return ZW_OK;
}

static double largest_of(const zw_jet *a) {
    double largest = 0;
    for (int k = 0; k < a->terms; k++)
        largest = fmax(largest, fabs(a->c[k]));
    return largest;
}

/* Column j of A. */
static zw_status evaluate_column(zw_claim_curve *c, linear *l, int j, zw_departure *d, double *step,
                                 zw_error *err) {
    zw_jet rate[STATES_MAX];
    for (int i = 0; i < l->n; i++)
        step[l->index[i]] = i == j;
    ZW_TRY(rates_along(c, l, d, rate, err));
    int poles = l->shift > 1 ? POLES : 0;
    for (int i = 0; i < l->n; i++) {
        zw_jet *a = &l->A[i * l->n + j];
        ZW_TRY(check_steady(c, l, i, &rate[i], l->shift - poles, largest_of(&rate[i]), err));
        int end = rate[i].low + rate[i].terms, most = 2 * l->shift - 2 * poles;
        *a = (zw_jet){.low = -poles, .terms = (end < most ? end : most) - l->shift + poles};
        if (l->shift == 1)
            *a = zw_jet_number(c->terms, zw_jet_coefficient(&rate[i], 1));
        for (int k = 0; l->shift > 1 && k < a->terms; k++)
            a->c[k] = zw_jet_coefficient(&rate[i], l->shift - poles + k);
        *a = zw_jet_stripped(c->terms, a);
        if (a->terms < 1)
            return zw_fail_at(err, ZW_E_NUMERIC, c->claim->place,
                              "the claim %s: its linear equations have no series there",
                              c->claim->name);
    }
    return ZW_OK;
}

/* Do the rates depend on variables that are not in the claim? */
static zw_status check_closed(zw_claim_curve *c, const linear *l, zw_departure *d, double *step,
                              zw_error *err) {
    zw_jet rate[STATES_MAX];
    for (int i = 0; i < l->n; i++)
        step[l->index[i]] = 0;
    for (int i = 0; i < c->claim->nsmall; i++)
        if (zw_is_parameter(c->sys, c->claim->small[i].sym))
            return ZW_OK; /* along parameters the columns contain everything */
    d->others_move = true;
    ZW_TRY(rates_along(c, l, d, rate, err));
    d->others_move = false;
    for (int i = 0; i < l->n; i++) {
        double size = 0;
        for (int j = 0; j < l->n; j++)
            size = fmax(size, largest_of(&l->A[i * l->n + j]));
        if (fabs(zw_jet_coefficient(&rate[i], 1)) > ZW_ROUNDOFF_SOLVED * (size + 1)) {
            zw_fail_at(err, ZW_E_MODEL, c->claim->place,
                       "the claim %s: the rate of %s depends on variables that are not in about "
                       "(...)",
                       c->claim->name, small_name(c, l, i));
            zw_error_hint(err, "eigenvalues are those of all variables that the linear equations "
                               "couple: name them too, with their values");
            return ZW_E_MODEL;
        }
    }
    return ZW_OK;
}

/* Which of the variables are free: each one that can leave its value while the previous ones are
 * held. */
static void choose_free(zw_claim_curve *c, linear *l, const zw_departure *d, double *step) {
    int n = 0;
    for (int i = 0; i < l->n; i++)
        c->held[l->index[i]] = false;
    for (int i = 0; i < l->n; i++) {
        c->held[l->index[i]] = true;
        step[l->index[i]] = 1;
        bool is_free = zw_curve_admits(c, d);
        step[l->index[i]] = 0;
        c->held[l->index[i]] = is_free;
        if (!is_free)
            continue;
        l->index[n] = l->index[i];
        l->rate[n++] = l->rate[i];
    }
    l->n = n;
}

static zw_status evaluate_columns(zw_claim_curve *c, linear *l, zw_departure *d, double *step,
                                  zw_error *err) {
    choose_free(c, l, d, step);
    if (l->n == 0)
        return zw_fail_at(err, ZW_E_MODEL, c->claim->place,
                          "the claim %s: the constraints hold all variables that it is about",
                          c->claim->name);
    for (int j = 0; j < l->n; j++)
        ZW_TRY(evaluate_column(c, l, j, d, step, err));
    return check_closed(c, l, d, step, err);
}

/* With as many terms as there are before those of second order. */
static zw_status linearise_equations(zw_claim_curve *c, linear *l, const double *steps,
                                     uint64_t seed, zw_error *err) {
    double step[SMALL_MAX] = {0};
    int power[SMALL_MAX], terms = c->terms;
    zw_departure d = {.step = step, .power = power, .seed = seed};
    for (int i = 0; i < c->claim->nsmall && i < SMALL_MAX; i++) {
        bool parameter = zw_is_parameter(c->sys, c->claim->small[i].sym);
        step[i] = parameter ? steps[i] : 0;
        power[i] = parameter ? 1 : l->shift;
    }
    c->terms = 2 * l->shift;
    zw_status status = evaluate_columns(c, l, &d, step, err);
    c->terms = terms;
    for (int i = 0; i < c->claim->nsmall; i++)
        c->held[i] = true;
    return status;
}

/* --------------------------------------------------------------------------------- determinants */

static zw_jet absolute_jet(const zw_jet *a) {
    zw_jet out = *a;
    for (int k = 0; k < out.terms; k++)
        out.c[k] = fabs(out.c[k]);
    return out;
}

/* Sets sums to zero that are only round-off of their terms. */
static void drop_rounding(const zw_jet *terms, zw_jet *sum) {
    for (int k = 0; k < sum->terms; k++)
        if (fabs(sum->c[k]) <= ZW_ROUNDOFF_SUM * zw_jet_coefficient(terms, sum->low + k))
            sum->c[k] = 0;
}

/* C = A B. */
static void multiply_matrices(int n, const zw_jet *A, const zw_jet *B, int terms, zw_jet *C) {
    zw_jet part;
    for (int i = 0; i < n * n; i++) {
        C[i] = zw_jet_number(terms, 0);
        for (int m = 0; m < n; m++) {
            zw_jet_multiply(&A[i / n * n + m], &B[m * n + i % n], &part);
            zw_jet_add(&C[i], 1, &part, &C[i]);
        }
    }
}

/* Adds trace C / k to its diagonal, with the sign. */
static zw_jet add_trace(int n, int k, int sign, int terms, zw_jet *C) {
    zw_jet trace = zw_jet_number(terms, 0);
    for (int i = 0; i < n; i++)
        zw_jet_add(&trace, 1, &C[i * n + i], &trace);
    zw_jet_scale(sign / (double)k, &trace);
    for (int i = 0; i < n; i++)
        zw_jet_add(&C[i * n + i], 1, &trace, &C[i * n + i]);
    return trace;
}

/* Coefficients of det(z - A) = z^n + p[n-1] z^(n-1) + ... + p[0]. The same is done with the
 * absolute values, to estimate round-off: powers of 1/s that cancel. */
static void characteristic_terms(const linear *l, int terms, zw_jet *p) {
    int n = l->n;
    zw_jet B[STATES_MAX * STATES_MAX], next[STATES_MAX * STATES_MAX], size[STATES_MAX * STATES_MAX],
        A[STATES_MAX * STATES_MAX];
    for (int i = 0; i < n * n; i++) {
        A[i] = absolute_jet(&l->A[i]);
        B[i] = size[i] = zw_jet_number(terms, i % (n + 1) == 0);
    }
    p[n] = zw_jet_number(terms, 1);
    for (int k = 1; k <= n; k++) {
        multiply_matrices(n, l->A, B, terms, next);
        memcpy(B, next, sizeof B);
        multiply_matrices(n, A, size, terms, next);
        memcpy(size, next, sizeof size);
        p[n - k] = add_trace(n, k, -1, terms, B);
        const zw_jet of = add_trace(n, k, 1, terms, size);
        drop_rounding(&of, &p[n - k]);
        for (int i = 0; i < n * n; i++)
            drop_rounding(&size[i], &B[i]);
    }
}

/* The sum of the absolute values of the terms of p(z). */
static zw_jet polynomial_terms(int n, const zw_jet *p, const zw_jet *re, const zw_jet *im) {
    zw_jet a = absolute_jet(re), b = absolute_jet(im), sum = absolute_jet(&p[n]), part;
    zw_jet_add(&a, 1, &b, &a);
    for (int k = n - 1; k >= 0; k--) {
        zw_jet_multiply(&sum, &a, &sum);
        part = absolute_jet(&p[k]);
        zw_jet_add(&sum, 1, &part, &sum);
    }
    return sum;
}

/* p(z), z = re + i im. */
static void evaluate_polynomial(int n, const zw_jet *p, const zw_jet *re, const zw_jet *im,
                                int terms, zw_jet *out_re, zw_jet *out_im) {
    *out_re = p[n];
    *out_im = zw_jet_number(terms, 0);
    for (int k = n - 1; k >= 0; k--) {
        zw_jet a, b, x, y;
        zw_jet_multiply(out_re, re, &a);
        zw_jet_multiply(out_im, im, &b);
        zw_jet_multiply(out_re, im, &x);
        zw_jet_multiply(out_im, re, &y);
        zw_jet_add(&a, -1, &b, out_re);
        zw_jet_add(out_re, 1, &p[k], out_re);
        zw_jet_add(&x, 1, &y, out_im);
    }
    const zw_jet of = polynomial_terms(n, p, re, im);
    drop_rounding(&of, out_re);
    drop_rounding(&of, out_im);
}

/* The eigenvalue nearest to z; *tie: others are equally near. */
static int nearest_eigenvalue(int n, const zw_dense_eigen *e, double re, double im, double largest,
                              bool *tie) {
    int best = 0;
    for (int i = 1; i < n; i++)
        if (hypot(e->re[i] - re, e->im[i] - im) < hypot(e->re[best] - re, e->im[best] - im))
            best = i;
    for (int i = 0; i < n; i++)
        *tie |= hypot(e->re[i] - e->re[best], e->im[i] - e->im[best]) > SAME_EIGENVALUE * largest &&
                hypot(e->re[i] - re, e->im[i] - im) <=
                    hypot(e->re[best] - re, e->im[best] - im) + ZW_ROUNDOFF_SUM * largest;
    return best;
}

static zw_status reject_choice(const zw_claim_curve *c, const zw_claimed *q, const char *why,
                               const char *hint, zw_error *err) {
    zw_fail_at(err, ZW_E_MODEL, q->place, "the claim %s: %s", c->claim->name, why);
    zw_error_hint(err, "%s", hint);
    return ZW_E_MODEL;
}

static zw_status find_eigenvalue(const zw_claim_curve *c, const linear *l, const zw_claimed *q,
                                 const zw_jet z[2], zw_jet *out_re, zw_jet *out_im, zw_error *err) {
    double A[STATES_MAX * STATES_MAX], largest = 0;
    zw_arena arena;
    zw_dense_eigen e;
    zw_allocator alloc = zw_context_allocator(c->sys->ctx);
    for (int i = 0; i < l->n * l->n; i++)
        A[i] = l->A[i].c[0];
    zw_arena_init(&arena, &alloc);
    bool found = zw_dense_eigenvalues(&arena, l->n, A, &e);
    for (int i = 0; found && i < l->n; i++)
        largest = fmax(largest, hypot(e.re[i], e.im[i]));
    bool tie = false;
    int best = found ? nearest_eigenvalue(l->n, &e, z[0].c[0], z[1].c[0], largest, &tie) : 0;
    zw_status status = found ? ZW_OK : zw_dense_failure(&arena, err);
    if (found && q->kind == ZW_EIGENVALUE_REAL && fabs(e.im[best]) > SAME_EIGENVALUE * largest) {
        status = reject_choice(c, q, "the eigenvalue next to this number is complex",
                               "eigenvalue(re, im) is a pair of numbers", err);
    } else if (found && tie) {
        status = reject_choice(c, q, "two eigenvalues are equally near to this number",
                               "choose a number that is nearer to one of them", err);
    } else if (found) {
        double re = e.re[best], im = e.im[best];
        *out_re = zw_jet_number(c->terms, fabs(re) > ZW_ROUNDOFF_SUM * largest ? re : 0);
        *out_im = zw_jet_number(c->terms, fabs(im) > ZW_ROUNDOFF_SUM * largest ? im : 0);
    }
    zw_arena_clear(&arena);
    return status;
}

static zw_status evaluate_spectral(zw_claim_curve *c, const linear *l, const zw_claimed *q,
                                   zw_jet *out, zw_error *err) {
    zw_jet z[2], re, im, p[STATES_MAX + 1];
    if (!zw_jet_eval(c->sys->ctx, 2, q->arg, c->nsym, c->sym, c->x, c->terms, z, &c->fault))
        return zw_curve_reject(c, &c->fault, err);
    if (q->kind == ZW_CHARACTERISTIC_RE || q->kind == ZW_CHARACTERISTIC_IM) {
        characteristic_terms(l, c->terms, p);
        evaluate_polynomial(l->n, p, &z[0], &z[1], c->terms, &re, &im);
    } else if (has_small_parameter(c->sys, c->claim) || c->claim->order > 0) {
        zw_fail_at(err, ZW_E_MODEL, q->place, "the claim %s: an eigenvalue as a series",
                   c->claim->name);
        zw_error_hint(err, "eigenvalue(...) is for a state and numbers; as a series claim "
                           "characteristic(z) = 0");
        return ZW_E_MODEL;
    } else {
        ZW_TRY(find_eigenvalue(c, l, q, z, &re, &im, err));
    }
    *out = q->kind == ZW_CHARACTERISTIC_IM || q->kind == ZW_EIGENVALUE_IM ? im : re;
    return ZW_OK;
}

/* ------------------------------------------------------------------------------------------ all */

zw_status zw_claimed_values(zw_claim_curve *c, const zw_departure *d, zw_error *err) {
    const zw_claim *claim = c->claim;
    linear l = {0};
    zw_jet value[SMALL_MAX];
    if (is_spectral(claim)) {
        ZW_TRY(collect_states(c, &l, err));
        ZW_TRY(linearise_equations(c, &l, d->step, d->seed, err));
        ZW_TRY(zw_curve_follow(c, d, err));
    }
    for (int i = 0; i < claim->nclaimed && i < SMALL_MAX; i++)
        ZW_TRY(claim->claimed[i].kind == ZW_MEAN
                   ? mean_of(c, &claim->claimed[i], &value[i], err)
                   : evaluate_spectral(c, &l, &claim->claimed[i], &value[i], err));
    for (int i = 0; i < claim->nclaimed && i < SMALL_MAX; i++)
        c->x[c->claimed + i] = value[i];
    return ZW_OK;
}
