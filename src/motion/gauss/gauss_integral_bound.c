/* SPDX-License-Identifier: MIT */
/* Minimisation under bounds that are enforced at some points of the period, or at all times: then
 * the local maxima between the points that exceed a bound are added to the points until none
 * remains. The further conditions of unilateral constraints are measured, not enforced: the force
 * lambda >= 0, and lambda (limit - value) = 0. */
#include "gauss_integral_bound.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/arena.h"
#include "base/option.h"
#include "motion/harmonic/balance.h"

enum { ROUNDS = 20, FINE = 1024 };
/* relative to the size of the bounds: a maximum that exceeds a bound by less needs no further
 * point; ten times less adds points that only rounding of the minimum asks for */
#define BOUND_TOLERATED 1e-6
/* relative to the size of the bounds: distance at which the motion touches a bound; above
 * BOUND_TOLERATED, below what a picture shows */
#define BOUND_TOUCHED 1e-5
/* relative to the largest force times the size of the bounds: force times gap, or a tensile force,
 * that no wall has; below it errors of the minimum are as large */
#define FORCE_AT_DISTANCE 1e-3
/* default duality gap, relative to G: the minimiser is then known to half of the digits, 1e-5 */
#define DEFAULT_GAP 1e-10

void zw_gauss_bound_options_init(zw_gauss_bound_options *options, size_t size) {
    const zw_gauss_bound_options all = {.size = size, .points = 30, .gap = DEFAULT_GAP};
    zw_options_begin(options, size, &all, sizeof all);
}

typedef struct bounded_problem {
    zw_gauss_bounding b;
    zw_gauss_points fine; /* equidistant points that stand for all times */
    int points_max;       /* points that memory is allocated for */
} bounded_problem;

static void spread_points(zw_gauss_points *s, int n) {
    s->points = n;
    for (int i = 0; i < n; i++)
        s->tau[i] = 2 * M_PI * i / n;
}

static double bound_scale(const zw_gauss_bound_options *o) {
    double size = 0;
    for (int i = 0; i < o->nbound; i++)
        size = fmax(size, fabs(o->bound[i].limit));
    return size > 0 ? size : 1;
}

static zw_status prepare_bounds(bounded_problem *h, zw_gauss_integral *g, double *x,
                                const zw_gauss_bound_options *o, zw_gauss_result *result,
                                zw_error *err) {
    int maxima = (g->gaussian.period.fourier.top + 2) * o->nbound;
    *h = (bounded_problem){
        .b = {.g = g, .options = o, .x = x, .size = bound_scale(o), .result = result}};
    h->b.exact = zw_gauss_has_second(g);
    h->points_max = o->points + (o->whole ? ROUNDS * maxima : 0);
    zw_arena_clear(&g->found);
    zw_arena_init(&g->found, &g->alloc);
    ZW_TRY(zw_gauss_points_make(&h->b.points, &g->found, g, o, h->points_max, err));
    ZW_TRY(zw_gauss_points_make(&h->fine, &g->found, g, o, FINE, err));
    h->b.multiplier = ZW_NEW(&g->found, double, h->points_max * o->nbound);
    if (!h->b.multiplier)
        return zw_out_of_memory(err, NULL);
    spread_points(&h->b.points, o->points);
    spread_points(&h->fine, FINE);
    return ZW_OK;
}

/* the maximum of the parabola through three neighbours: its offset in steps from the middle, and
 * its height */
static double find_parabola_top(double left, double middle, double right, double *height) {
    double curvature = left - 2 * middle + right, slope = (right - left) / 2;
    double offset = curvature < 0 ? -slope / curvature : 0;
    *height = middle + slope * offset + curvature * offset * offset / 2;
    return offset;
}

/* Adds the local maxima above a bound to the points of the bounds; false: there are none, or no
 * memory for more. */
static bool add_points(bounded_problem *h) {
    zw_gauss_points *p = &h->b.points, *f = &h->fine;
    int nbound = h->b.options->nbound, previous = p->points;
    zw_gauss_points_evaluate(f, h->b.x, false);
    for (int b = 0; b < nbound; b++)
        for (int i = 0; i < FINE && p->points < h->points_max; i++) {
            double left = f->value[(i + FINE - 1) % FINE * nbound + b],
                   middle = f->value[i * nbound + b], right = f->value[(i + 1) % FINE * nbound + b],
                   height;
            if (middle < left || middle <= right)
                continue;
            double offset = find_parabola_top(left, middle, right, &height);
            if (height > BOUND_TOLERATED * h->b.size)
                p->tau[p->points++] = 2 * M_PI * (i + offset) / FINE;
        }
    return p->points > previous;
}

static zw_status solve_once(bounded_problem *h, zw_error *err) {
    return h->b.options->solver == ZW_GAUSS_IPOPT ? zw_gauss_ipopt(&h->b, err)
                                                  : zw_gauss_barrier(&h->b, err);
}

static zw_status solve_bounded(bounded_problem *h, zw_error *err) {
    for (int round = 0; round < ROUNDS; round++) {
        ZW_TRY(solve_once(h, err));
        if (!h->b.options->whole || !add_points(h))
            break;
        if (round + 1 == ROUNDS)
            return zw_fail(err, ZW_E_NUMERIC, "bounds at %d points do not yet hold at all times",
                           h->b.points.points);
    }
    return ZW_OK;
}

/* measures violation, forces and complementarity at all times */
static void measure_bounds(bounded_problem *h, zw_gauss_bounded *out) {
    zw_gauss_points *f = &h->fine;
    zw_gauss_points_evaluate(f, h->b.x, true);
    zw_gauss_points_forces(f);
    out->violation = fmax(zw_gauss_points_highest(f), 0);
    out->force_low = INFINITY;
    out->force_high = -INFINITY;
    for (int i = 0; i < f->n; i++) {
        out->force_low = fmin(out->force_low, f->force[i]);
        out->force_high = fmax(out->force_high, f->force[i]);
        out->complementarity = fmax(out->complementarity, fabs(f->force[i] * f->value[i]));
        out->touches |= f->value[i] > -BOUND_TOUCHED * h->b.size;
        f->value[i] = -f->value[i]; /* the slack */
    }
    out->nall = FINE;
    out->all_slack = f->value;
    out->all_force = f->force;
}

static void describe_result(const bounded_problem *h, zw_gauss_bounded *out) {
    double relative_product =
        out->force_high > 0 ? out->complementarity / (out->force_high * h->b.size) : 0;
    bool known = isfinite(out->force_low);
    out->broken = known && out->touches &&
                  (relative_product > FORCE_AT_DISTANCE ||
                   out->force_low < -FORCE_AT_DISTANCE * fabs(out->force_high));
    if (!known) {
        snprintf(
            out->text, sizeof out->text,
            "a minimum under bounds; its forces are computed only for systems without constraints");
        return;
    }
    snprintf(out->text, sizeof out->text,
             "a minimum under bounds, G_int %.5g%s. Its force against the bound goes from %.4g to "
             "%.4g%s, and force times gap up to %.4g%s",
             out->result.value, out->result.value > 0 ? "" : " (a motion)", out->force_low,
             out->force_high, out->force_low < 0 ? ": it pulls at times" : "", out->complementarity,
             relative_product > FORCE_AT_DISTANCE
                 ? ": it acts away from the bound, which no wall does"
                 : "");
}

static void fill_outcome(bounded_problem *h, zw_gauss_bounded *out) {
    zw_gauss_points *p = &h->b.points;
    zw_gauss_integral *g = h->b.g;
    zw_gaussian_value value;
    double sum = 0;
    zw_gauss_points_evaluate(p, h->b.x, true);
    zw_gauss_points_forces(p);
    zw_gauss_total(g, h->b.x, &value);
    zw_gaussian_derive(&g->gaussian, false, g->gradient, NULL);
    for (int i = 0; i < p->n; i++) {
        p->value[i] = -p->value[i]; /* the slack */
        for (int j = 0; j < g->gaussian.unknowns; j++)
            g->gradient[j] += h->b.multiplier[i] * p->slope[i * g->gaussian.unknowns + j];
    }
    for (int j = 0; j < g->gaussian.unknowns; j++)
        sum += g->gradient[j] * g->gradient[j];
    out->result.value = value.G;
    out->result.defect = value.defect;
    out->result.gradient = sqrt(sum);
    out->n = p->n;
    out->tau = p->tau;
    out->slack = p->value;
    out->multiplier = h->b.multiplier;
    out->force = p->force;
    measure_bounds(h, out);
    describe_result(h, out);
}

/* the phase of each bound at each point */
static zw_status repeat_phases(bounded_problem *h, zw_gauss_bounded *out, zw_error *err) {
    int nbound = h->b.options->nbound;
    double *tau = ZW_NEW(&h->b.g->found, double, out->n + 1);
    if (!tau)
        return zw_out_of_memory(err, NULL);
    for (int i = 0; i < out->n; i++)
        tau[i] = out->tau[i / nbound];
    out->tau = tau;
    return ZW_OK;
}

zw_status zw_gauss_integral_minimise_bounded(zw_gauss_integral *g, double *x, double a,
                                             const zw_gauss_bound_options *options,
                                             zw_gauss_bounded *out, zw_error *err) {
    zw_gauss_bound_options o = zw_gauss_bound_options_default();
    bounded_problem h;
    *out = (zw_gauss_bounded){0};
    ZW_TRY(zw_options_adopt(&o, sizeof o, options, "zw_gauss_bound_options", err));
    if (o.nbound < 1 || o.points < 1)
        return zw_fail(err, ZW_E_OPTION, "there is no bound, or no point where it holds");
    ZW_TRY(zw_gauss_set_value(g, a, err));
    ZW_TRY(prepare_bounds(&h, g, x, &o, &out->result, err));
    ZW_TRY(solve_bounded(&h, err));
    ZW_TRY(zw_gauss_error(g, x, &out->result.error, err));
    fill_outcome(&h, out);
    return repeat_phases(&h, out, err);
}
