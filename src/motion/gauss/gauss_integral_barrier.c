/* SPDX-License-Identifier: MIT */
/* An interior point method with a logarithmic barrier: with the bounds c_i(x) <= 0, minima of
 *
 *     G(x) - mu sum log(-c_i(x))
 *
 * by Newton's method with steps that stay inside, for mu that falls by a constant factor. At a
 * minimum mu/(-c_i) are multipliers of the problem with bounds, and G is at most n mu above its
 * minimum, if it is convex. Where the start is not inside, the sum of squares of the violations is
 * reduced to zero first. */
#include <math.h>
#include <string.h>

#include "gauss_integral_bound.h"

/* mu from one minimum to the next: the usual factor; a smaller one needs more Newton steps each */
#define MU_SHRINK 0.2
/* relative to the size of the bounds: distance inside at which the path begins */
#define INSIDE_MARGIN 1e-3
/* of the slope: what a step must gain (Armijo's condition with the usual constant) */
#define DECREASE_LEAST 1e-4
/* relative to mu: predicted gain below which Newton's method takes whole steps and doubles the
 * digits */
#define NEWTON_REGION 1e-2
/* mu of the steps to the inside: the matrix of the violated bounds alone is singular */
#define DAMPING_INSIDE 1e-3
/* first damping of a matrix that is not positive: relative to its diagonal, the root of eps */
#define DAMPING_FIRST 1e-8
#define DAMPING_MOST 1e12 /* damping at which the step is that of steepest descent */
/* least fraction of a step to the inside: a shorter one gains nothing */
#define FRACTION_INSIDE 1e-6
#define FRACTION_LEAST 1e-12 /* least fraction of a step: below it rounding hides any gain */
/* relative to mu: predicted gain at which the centre is found, below rounding */
#define NEWTON_DONE 1e-16
#define VALUE_LEAST 1e-12 /* SI: least value of G from which the first mu is derived */
#define GAP_LEAST 1e-15   /* SI: gap that is zero where G vanishes */
enum { STEPS = 100, LAST_STEPS = 5, PATH = 80 };

/* -------------------------------------------------------------------------------- to the inside */

static double squared_violation(zw_gauss_bounding *b, const double *x, double margin) {
    double sum = 0;
    zw_gauss_points_evaluate(&b->points, x, false);
    for (int i = 0; i < b->points.n; i++) {
        double c = fmax(b->points.value[i] + margin, 0);
        sum += c * c;
    }
    return sum;
}

static void add_square(zw_gauss_integral *g, const double *slope, double first, double second) {
    int n = g->gaussian.unknowns;
    for (int i = 0; i < n; i++) {
        g->gradient[i] += first * slope[i];
        for (int j = 0; second != 0 && slope[i] != 0 && j < n; j++)
            g->H[i * n + j] += second * slope[i] * slope[j];
    }
}

static void move_by(const zw_gauss_integral *g, const double *x, double part, double *to) {
    for (int i = 0; i < g->gaussian.unknowns; i++)
        to[i] = x[i] + part * g->step[i];
}

static zw_status enter_interior(zw_gauss_bounding *b, zw_error *err) {
    zw_gauss_integral *g = b->g;
    int n = g->gaussian.unknowns;
    double margin = INSIDE_MARGIN * b->size;
    for (int step = 0; step < STEPS; step++) {
        double sum = squared_violation(b, b->x, 2 * margin);
        zw_gauss_points_evaluate(&b->points, b->x, true);
        if (zw_gauss_points_highest(&b->points) <= -margin)
            return ZW_OK;
        memset(g->gradient, 0, sizeof(double) * (size_t)n);
        memset(g->H, 0, sizeof(double) * (size_t)(n * n));
        for (int i = 0; i < b->points.n; i++) {
            double c = b->points.value[i] + 2 * margin;
            if (c > 0)
                add_square(g, b->points.slope + (size_t)i * (size_t)n, 2 * c, 2);
        }
        zw_gauss_solve(g, g->H, g->gradient, DAMPING_INSIDE, g->step);
        double part = 1;
        for (move_by(g, b->x, part, g->trial);
             part > FRACTION_INSIDE && squared_violation(b, g->trial, 2 * margin) >= sum; part /= 2)
            move_by(g, b->x, part / 2, g->trial);
        memcpy(b->x, g->trial, sizeof(double) * (size_t)n);
    }
    return zw_fail(err, ZW_E_NUMERIC, "no trial function fulfils the bounds at all points");
}

/* ------------------------------------------------------------------------------------- the path */

/* G - mu sum log(-c); INFINITY outside the bounds */
static double barrier_value(zw_gauss_bounding *b, const double *x, double mu) {
    zw_gaussian_value value;
    double sum = 0;
    zw_gauss_points_evaluate(&b->points, x, false);
    for (int i = 0; i < b->points.n; i++) {
        if (!(b->points.value[i] < 0))
            return INFINITY;
        sum -= mu * log(-b->points.value[i]);
    }
    b->result->evaluations++;
    return zw_gauss_total(b->g, x, &value) + sum;
}

/* computes the Newton step and returns the gain that it predicts to first order */
static double barrier_step(zw_gauss_bounding *b, double mu) {
    zw_gauss_integral *g = b->g;
    int n = g->gaussian.unknowns;
    double damping = 0, slope = 0;
    zw_gaussian_value value;
    zw_gauss_total(g, b->x, &value);
    zw_gauss_slopes(g, b->x, b->exact);
    zw_gauss_points_evaluate(&b->points, b->x, true);
    for (int i = 0; i < b->points.n; i++) {
        double c = -b->points.value[i];
        add_square(g, b->points.slope + (size_t)i * (size_t)n, mu / c, mu / (c * c));
    }
    while (!zw_gauss_solve(g, g->H, g->gradient, damping, g->step) && damping < DAMPING_MOST)
        damping = fmax(10 * damping, DAMPING_FIRST);
    for (int i = 0; i < n; i++)
        slope -= g->gradient[i] * g->step[i];
    return slope;
}

/* near the minimum whole steps square the error, and rounding hides their gain */
static void finish_newton(zw_gauss_bounding *b, double mu, double slope) {
    zw_gauss_integral *g = b->g;
    for (int step = 0; step < LAST_STEPS && slope > NEWTON_DONE * mu; step++) {
        move_by(g, b->x, 1, g->trial);
        if (!isfinite(barrier_value(b, g->trial, mu)))
            return;
        memcpy(b->x, g->trial, sizeof(double) * (size_t)g->gaussian.unknowns);
        slope = barrier_step(b, mu);
    }
}

/* finds the minimum for one mu */
static void find_centre(zw_gauss_bounding *b, double mu) {
    zw_gauss_integral *g = b->g;
    for (int step = 0; step < STEPS; step++) {
        double before = barrier_value(b, b->x, mu), slope = barrier_step(b, mu), part = 1;
        b->result->iterations++;
        if (slope <= NEWTON_REGION * mu) {
            finish_newton(b, mu, slope);
            return;
        }
        for (; part > FRACTION_LEAST; part /= 2) {
            move_by(g, b->x, part, g->trial);
            if (barrier_value(b, g->trial, mu) <= before - DECREASE_LEAST * part * slope)
                break;
        }
        if (part <= FRACTION_LEAST) /* rounding */
            return;
        memcpy(b->x, g->trial, sizeof(double) * (size_t)g->gaussian.unknowns);
    }
}

zw_status zw_gauss_barrier(zw_gauss_bounding *b, zw_error *err) {
    zw_gaussian_value value;
    ZW_TRY(enter_interior(b, err));
    int n = b->points.n;
    double total = zw_gauss_total(b->g, b->x, &value),
           mu = fmax(total, VALUE_LEAST) / (n > 0 ? n : 1);
    if (!isfinite(total))
        return zw_fail(err, ZW_E_NUMERIC, "the Gaussian has no value inside the bounds");
    for (int i = 0; i < PATH; i++, mu *= MU_SHRINK) {
        find_centre(b, mu);
        total = zw_gauss_total(b->g, b->x, &value);
        b->result->converged = n * mu <= b->options->gap * total + GAP_LEAST;
        if (b->result->converged)
            break;
    }
    zw_gauss_points_evaluate(&b->points, b->x, true);
    for (int i = 0; i < n; i++)
        b->multiplier[i] = mu / -b->points.value[i];
    return ZW_OK;
}
