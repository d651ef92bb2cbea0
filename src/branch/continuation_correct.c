/* SPDX-License-Identifier: MIT */
/* Corrections of continuation.h: the metric, planes, Newton's method on them, tangents.
 *
 * The last matrix of Newton's method is that of the iterate before the solution, so a tangent from
 * it has an error of the size of the last correction, which is good enough for a prediction. Where
 * a special point is located, the matrix is factored once more at the solution. */
#include <math.h>
#include <string.h>

#include "base/arena.h"
#include "base/interrupt.h"
#include "continuation.h"

enum {
    CONVERGENCE_STEPS = 20, /* steps for which a measured convergence is trusted */
    DAMPED_MAX = 200        /* iterations from far away, most of them with short steps */
};
/* The matrix is kept for the next iteration after a correction below MATRIX_KEPT (in s), since that
 * iteration then contracts by about this factor; and given up if it contracts by less than
 * MATRIX_STALE, when a new matrix costs less than the further iterations. */
#define MATRIX_KEPT 3e-3
#define MATRIX_STALE 0.05
/* Each correction is at most this part of the one before: otherwise Newton's method is far from
 * quadratic convergence, and a shorter step is cheaper. */
#define CORRECTION_DECREASE 0.5
/* Part of a correction from far away below which no decrease of the residual is sought: 20
 * halvings; the residual then has a minimum that is not zero, or is rounding. */
#define DAMPING_MIN 1e-6
/* A decrease of the residual by this part of what the linear equations predict is accepted
 * (Armijo); larger values halve more often, smaller ones accept steps that lead nowhere. */
#define DAMPING_DECREASE 0.25
/* A correction, in s, below which Newton's method converges without damping: with a curvature of 1
 * the next one is 1e-6. */
#define UNDAMPED 1e-3
/* Factor on the measured convergence when one correction is to be enough: it varies along a curve,
 * seldom by more in 20 steps. */
#define CONVERGENCE_SAFETY 10.0

/* ----------------------------------------------------------------------------------- the metric */

double zw_cont_inner(const zw_cont_problem *p, const double *u, const double *v) {
    double a = p->unit;
    return p->inner(p->self, u, v) + u[p->n] * v[p->n] / (a * a);
}

double zw_cont_length(const zw_cont_problem *p, const double *u) {
    return sqrt(zw_cont_inner(p, u, u));
}

/* The plane is perpendicular to the direction in the metric: in another one the curve may turn
 * within the plane where the metric sees no turn. */
void zw_cont_set_plane(zw_cont_state *w, const double *direction) {
    const zw_cont_problem *p = w->p;
    double most = fabs(w->row[p->n] = direction[p->n] / (p->unit * p->unit));
    if (p->dual)
        p->dual(p->self, direction, w->row);
    else
        memset(w->b, 0, sizeof(double) * (size_t)(p->n + 1));
    for (int k = 0; k < p->n && !p->dual; k++) {
        w->b[k] = 1;
        w->row[k] = p->inner(p->self, w->b, direction);
        w->b[k] = 0;
    }
    double large[4] = {0};
    /* four independent maxima, so that the processor runs them in parallel */
    for (int k = 0; k < p->n; k++) {
        double size = fabs(w->row[k]);
        large[k & 3] = size > large[k & 3] ? size : large[k & 3];
    }
    for (int i = 0; i < 4; i++)
        most = large[i] > most ? large[i] : most;
    double by = most > 0 ? 1 / most : 1;
    for (int k = 0; k <= p->n; k++)
        w->row[k] *= by;
}

void zw_cont_set_fixed(zw_cont_state *w) {
    memset(w->row, 0, sizeof(double) * (size_t)w->p->n);
    w->row[w->p->n] = 1;
}

/* ----------------------------------------------------------------------------------- correction */

static zw_status evaluate_residual(zw_cont_state *w, const zw_cont_place *at, zw_error *err) {
    ZW_TRY(zw_interrupt_check(err));
    return w->p->residual(w->p->self, at->x, at->a, w->r, err);
}

static zw_status factor_jacobian(zw_cont_state *w, const zw_cont_place *at, zw_error *err) {
    ZW_TRY(zw_interrupt_check(err));
    return w->p->factor(w->p->self, at->x, at->a, w->row, err);
}

/* Newton's method from (x, a) of `at` on the plane row.(x, a) = const, which the prediction
 * satisfies already. Close to the solution the matrix of one iteration serves for the next ones
 * too, which contract by about the size of that correction. ZW_RETRY: it does not converge. */
zw_status zw_cont_newton(zw_cont_state *w, zw_cont_place *at, int most, bool exactly,
                         zw_error *err) {
    const zw_cont_problem *p = w->p;
    double last = INFINITY, own = INFINITY; /* own: the last correction with a fresh matrix */
    bool again = false;                     /* the same matrix */
    for (int i = 0; i < most; i++) {
        zw_status status = evaluate_residual(w, at, err);
        if (status != ZW_OK)
            return status;
        /* where x is larger than typical, relative to its size: rounding allows no more */
        double tolerance = w->o.tolerance * fmax(1, sqrt(p->inner(p->self, at->x, at->x)));
        if (!again) {
            if ((status = factor_jacobian(w, at, err)) != ZW_OK)
                return status;
            w->info->factored++;
        }
        for (int k = 0; k < p->n; k++)
            w->b[k] = -w->r[k];
        w->b[p->n] = 0;
        p->solve(p->self, w->b);
        double d = zw_cont_length(p, w->b);
        if (again && !(d <= MATRIX_STALE * last)) { /* the old matrix is too old: a fresh one */
            again = false;
            last = INFINITY;
            most++;
            continue;
        }
        if (!isfinite(d) || (i > 1 && d > CORRECTION_DECREASE * last && d > tolerance))
            return ZW_RETRY;
        if (i == 0)
            w->first = d;
        else if (i == 1 && w->first > 0 && w->first < UNDAMPED && d < w->first) {
            w->convergence = d / (w->first * w->first);
            w->since = 0;
        }
        for (int k = 0; k < p->n; k++)
            at->x[k] += w->b[k];
        at->a += w->b[p->n];
        at->iterations = i + 1;
        at->correction = d;
        /* the next correction would be about d^2 in typical units, and extrapolated from the last
         * two at most d^2/last */
        double ahead = i > 0 && last > 0 && isfinite(last) ? d * d / last : d;
        if (w->o.quick && !exactly && i == 0 && w->convergence > 0 &&
            w->since < CONVERGENCE_STEPS &&
            CONVERGENCE_SAFETY * w->convergence * d * d < tolerance) {
            w->since++;
            return ZW_OK;
        }
        if (d <= tolerance || (!exactly && i > 0 && ahead < tolerance) ||
            (i > 0 && d >= 0.5 * last))
            return d <= tolerance / sqrt(w->o.tolerance) ? ZW_OK : ZW_RETRY;
        /* a multiple root: its last digits converge slowly, long after the residual vanishes */
        if (p->multiple && !again && d >= 0.5 * own && d <= tolerance / sqrt(w->o.tolerance))
            return ZW_OK;
        own = again ? own : d;
        again = d < MATRIX_KEPT;
        last = d;
    }
    return ZW_RETRY;
}

static double norm_of(const double *r, int n) {
    double sum = 0;
    for (int i = 0; i < n; i++)
        sum += r[i] * r[i];
    return sqrt(sum);
}

/* From far away, at fixed a: as large a part of each correction as makes the residual smaller,
 * until zw_cont_newton converges without damping. */
static zw_status damped_newton(zw_cont_state *w, zw_cont_place *at, zw_error *err) {
    const zw_cont_problem *p = w->p;
    double *from = w->predicted, part = 1;
    for (int i = 0; i < DAMPED_MAX; i++) {
        zw_status status = evaluate_residual(w, at, err);
        double before = norm_of(w->r, p->n);
        if (status == ZW_OK && isfinite(before))
            status = factor_jacobian(w, at, err);
        if (status != ZW_OK || !isfinite(before))
            return status < 0 ? status : ZW_RETRY;
        w->info->factored++;
        for (int k = 0; k < p->n; k++)
            w->b[k] = -w->r[k];
        w->b[p->n] = 0;
        p->solve(p->self, w->b);
        if (!isfinite(zw_cont_length(p, w->b)))
            return ZW_RETRY;
        memcpy(from, at->x, sizeof(double) * (size_t)p->n);
        double after = INFINITY;
        for (part = fmin(1, 4 * part); part > DAMPING_MIN; part *= 0.5) {
            for (int k = 0; k < p->n; k++)
                at->x[k] = from[k] + part * w->b[k];
            status = evaluate_residual(w, at, NULL);
            if (status == ZW_E_MEMORY)
                return zw_out_of_memory(err, NULL);
            if (status == ZW_OK)
                after = norm_of(w->r, p->n);
            if (after <= (1 - DAMPING_DECREASE * part) * before)
                break;
        }
        at->iterations = i + 1;
        if (part <= DAMPING_MIN) { /* rounding, or a minimum of the residual that is not zero */
            memcpy(at->x, from, sizeof(double) * (size_t)p->n);
            return ZW_OK;
        }
        if (part == 1 && zw_cont_length(p, w->b) < UNDAMPED)
            return ZW_OK;
    }
    return ZW_OK;
}

zw_status zw_cont_find_at(zw_cont_state *w, zw_cont_place *at, zw_error *err) {
    zw_cont_set_fixed(w);
    zw_status status = damped_newton(w, at, err);
    int before = at->iterations;
    if (status == ZW_OK)
        status = zw_cont_newton(w, at, ZW_CONT_NEWTON_START, true, err);
    at->iterations += before;
    return status;
}

zw_status zw_cont_find_tangent(zw_cont_state *w, zw_cont_place *at, bool refactor, zw_error *err) {
    const zw_cont_problem *p = w->p;
    if (refactor) {
        zw_status status = evaluate_residual(w, at, err);
        if (status == ZW_OK)
            status = factor_jacobian(w, at, err);
        if (status != ZW_OK)
            return status;
        w->info->factored++;
    }
    memset(w->b, 0, sizeof(double) * (size_t)p->n);
    w->b[p->n] = 1;
    p->solve(p->self, w->b);
    double size = zw_cont_length(p, w->b);
    if (!(size > 0) || !isfinite(size))
        return ZW_RETRY;
    for (int k = 0; k <= p->n; k++)
        at->tangent[k] = w->b[k] / size;
    return ZW_OK;
}

void *zw_cont_tests_self(const zw_cont_problem *p) {
    return p->asks ? p->asks : p->self;
}

zw_status zw_cont_evaluate_tests(zw_cont_state *w, zw_cont_place *at, zw_error *err) {
    const zw_cont_problem *p = w->p;
    return p->ntest ? p->tests(zw_cont_tests_self(p), at->x, at->a, at->tangent[p->n] / p->unit,
                               at->test, err)
                    : ZW_OK;
}
