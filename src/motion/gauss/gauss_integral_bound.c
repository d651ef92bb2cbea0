/* SPDX-License-Identifier: MIT */
/* Minimisation under bounds that hold at some points of the period, or at all times: then the
 * highest places between the points are added to them until none is above its bound. What
 * unilateral constraints demand beyond is measured, not enforced: the force lambda >= 0, and lambda
 * (limit - value) = 0. */
#include "gauss_integral_bound.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/arena.h"
#include "base/option.h"
#include "motion/harmonic/balance.h"

enum { ROUNDS = 20, FINE = 1024 };
#define TOLERATED 1e-6 /* of the bounds' size */
#define TOUCHES 1e-5   /* of the bounds' size */
#define ACTS_AWAY 1e-3 /* of the largest force times that size: force times gap */

void zw_gauss_bound_options_init(zw_gauss_bound_options *options, size_t size) {
    const zw_gauss_bound_options all = {.size = size, .points = 30, .gap = 1e-10};
    zw_options_begin(options, size, &all, sizeof all);
}

typedef struct whole {
    zw_gauss_bounding b;
    zw_gauss_points fine; /* all times, nearly */
    int most;             /* points that there is room for */
} whole;

static void spread_points(zw_gauss_points *s, int n) {
    s->points = n;
    for (int i = 0; i < n; i++)
        s->tau[i] = 2 * M_PI * i / n;
}

static double size_of(const zw_gauss_bound_options *o) {
    double size = 0;
    for (int i = 0; i < o->nbound; i++)
        size = fmax(size, fabs(o->bound[i].limit));
    return size > 0 ? size : 1;
}

static zw_status prepare_bounds(whole *h, zw_gauss_integral *g, double *x,
                                const zw_gauss_bound_options *o, zw_gauss_result *result,
                                zw_error *err) {
    int places = (g->gaussian.period.fourier.top + 2) * o->nbound;
    *h = (whole){.b = {.g = g, .options = o, .x = x, .size = size_of(o), .result = result}};
    h->b.exact = zw_gauss_has_second(g);
    h->most = o->points + (o->whole ? ROUNDS * places : 0);
    zw_arena_clear(&g->found);
    zw_arena_init(&g->found, &g->alloc);
    ZW_TRY(zw_gauss_points_make(&h->b.points, &g->found, g, o, h->most, err));
    ZW_TRY(zw_gauss_points_make(&h->fine, &g->found, g, o, FINE, err));
    h->b.multiplier = ZW_NEW(&g->found, double, h->most * o->nbound);
    if (!h->b.multiplier)
        return zw_out_of_memory(err, NULL);
    spread_points(&h->b.points, o->points);
    spread_points(&h->fine, FINE);
    return ZW_OK;
}

/* the top of the parabola through three neighbours: its place in steps from the middle, and its
 * height */
static double find_parabola_top(double left, double middle, double right, double *height) {
    double bend = left - 2 * middle + right, tilt = (right - left) / 2;
    double at = bend < 0 ? -tilt / bend : 0;
    *height = middle + tilt * at + bend * at * at / 2;
    return at;
}

/* places above a bound become points of it; false: there is none, or no room */
static bool add_points(whole *h) {
    zw_gauss_points *p = &h->b.points, *f = &h->fine;
    int nbound = h->b.options->nbound, before = p->points;
    zw_gauss_points_evaluate(f, h->b.x, false);
    for (int b = 0; b < nbound; b++)
        for (int i = 0; i < FINE && p->points < h->most; i++) {
            double left = f->value[(i + FINE - 1) % FINE * nbound + b],
                   middle = f->value[i * nbound + b], right = f->value[(i + 1) % FINE * nbound + b],
                   height;
            if (middle < left || middle <= right)
                continue;
            double at = find_parabola_top(left, middle, right, &height);
            if (height > TOLERATED * h->b.size)
                p->tau[p->points++] = 2 * M_PI * (i + at) / FINE;
        }
    return p->points > before;
}

static zw_status solve_once(whole *h, zw_error *err) {
    return h->b.options->solver == ZW_GAUSS_IPOPT ? zw_gauss_ipopt(&h->b, err)
                                                  : zw_gauss_barrier(&h->b, err);
}

static zw_status solve_bounded(whole *h, zw_error *err) {
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

/* over all times */
static void measure_bounds(whole *h, zw_gauss_bounded *out) {
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
        out->touches |= f->value[i] > -TOUCHES * h->b.size;
        f->value[i] = -f->value[i]; /* the slack */
    }
    out->nall = FINE;
    out->all_slack = f->value;
    out->all_force = f->force;
}

static void describe_result(const whole *h, zw_gauss_bounded *out) {
    double off = out->force_high > 0 ? out->complementarity / (out->force_high * h->b.size) : 0;
    bool known = isfinite(out->force_low);
    out->broken = known && out->touches &&
                  (off > ACTS_AWAY || out->force_low < -ACTS_AWAY * fabs(out->force_high));
    if (!known) {
        snprintf(out->text, sizeof out->text,
                 "a minimum under bounds; forces are told of systems without constraints");
        return;
    }
    snprintf(out->text, sizeof out->text,
             "a minimum under bounds, G_int %.5g%s. Its force against the bound goes from %.4g to "
             "%.4g%s, and force times gap up to %.4g%s",
             out->result.value, out->result.value > 0 ? "" : " (a motion)", out->force_low,
             out->force_high, out->force_low < 0 ? ": it pulls at times" : "", out->complementarity,
             off > ACTS_AWAY ? ": it acts away from the bound, which no wall does" : "");
}

static void fill_outcome(whole *h, zw_gauss_bounded *out) {
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

/* the phases of the points as those of the bounds there */
static zw_status repeat_phases(whole *h, zw_gauss_bounded *out, zw_error *err) {
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
    whole h;
    *out = (zw_gauss_bounded){0};
    ZW_TRY(zw_options_adopt(&o, sizeof o, options, "zw_gauss_bound_options", err));
    if (o.nbound < 1 || o.points < 1)
        return zw_fail(err, ZW_E_OPTION, "there is no bound, or no point where it holds");
    ZW_TRY(zw_gauss_go_to(g, a, err));
    ZW_TRY(prepare_bounds(&h, g, x, &o, &out->result, err));
    ZW_TRY(solve_bounded(&h, err));
    ZW_TRY(zw_gauss_error(g, x, &out->result.error, err));
    fill_outcome(&h, out);
    return repeat_phases(&h, out, err);
}
