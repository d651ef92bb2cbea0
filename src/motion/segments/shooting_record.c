/* SPDX-License-Identifier: MIT */
/* Measures of the last period. Over every piece the motion is sampled at Gauss points, which
 * integrate it, its square and its products with cos(k w t), sin(k w t), and through which a
 * polynomial is interpolated whose extremes are those of the piece: the highest point of a fine
 * grid, improved by parabolas. */
#include <float.h>
#include <math.h>
#include <string.h>

#include "base/arena.h"
#include "shooting.h"

enum { POINTS = 10, GRID = ZW_RECORD_GRID, PARABOLAS = 6 };

zw_status zw_record_init(zw_record *r, zw_arena *arena, zw_shooting *out, const zw_kernel *k,
                         zw_flow *flow, zw_error *err) {
    *r = (zw_record){.out = out, .k = k, .flow = flow};
    zw_gauss_init(&r->rule, POINTS);
    r->value = ZW_NEW(arena, double, POINTS * out->nquantity + 1);
    r->weight = ZW_NEW(arena, double, (GRID + 1) * POINTS);
    for (int g = 0; r->weight && g <= GRID; g++)
        for (int l = 0; l < POINTS; l++)
            r->weight[g * POINTS + l] = zw_gauss_lagrange(&r->rule, l, (double)g / GRID);
    for (int i = 0; i < out->nquantity; i++) {
        out->max[i] = -INFINITY;
        out->min[i] = INFINITY;
    }
    return zw_arena_status(arena, err);
}

/* all quantities at a time of the piece */
static zw_status evaluate_quantities(zw_record *r, zw_run *run, double t, double *value,
                                     zw_error *err) {
    ZW_TRY(zw_run_dense(run, t, value, err));
    ZW_TRY(zw_flow_observables(r->flow, t, value, value + r->k->nx, err));
    for (int i = 0; r->drift && i < r->out->nquantity; i++)
        value[i] -= r->drift[i] * (t - r->out->start) / r->out->period;
    return ZW_OK;
}

static void add_to_integrals(zw_record *r, double t, double weight, const double *value) {
    zw_shooting *s = r->out;
    double angle = 2 * M_PI * t / s->period, c1 = cos(angle), s1 = sin(angle), c = 1, d = 0;
    for (int k = 0; k <= s->harmonics; k++) {
        double part = (k ? 2 : 1) * weight, old = c;
        for (int i = 0; i < s->nquantity; i++) {
            s->cosine[i * (s->harmonics + 1) + k] += part * c * value[i];
            s->sine[i * (s->harmonics + 1) + k] += part * d * value[i];
        }
        c = old * c1 - d * s1; /* for the next multiple of the angle */
        d = d * c1 + old * s1;
    }
    for (int i = 0; i < s->nquantity; i++) {
        s->mean[i] += weight * value[i];
        s->rms[i] += weight * value[i] * value[i];
    }
}

/* the interpolation polynomial of quantity i, times a sign */
static double interpolate_quantity(const zw_record *r, int i, double sign, double s) {
    double sum = 0;
    for (int l = 0; l < POINTS; l++)
        sum += r->value[l * r->out->nquantity + i] * zw_gauss_lagrange(&r->rule, l, s);
    return sign * sum;
}

/* the same on the grid */
static void fill_grid(zw_record *r, int i) {
    for (int g = 0; g <= GRID; g++) {
        r->grid[g] = 0;
        for (int l = 0; l < POINTS; l++)
            r->grid[g] += r->value[l * r->out->nquantity + i] * r->weight[g * POINTS + l];
    }
}

/* the largest value on [0, 1], unless it does not exceed `known`: between grid points the
 * polynomial is higher by at most a fraction of its largest curvature */
static double largest_value(const zw_record *r, int i, double sign, double known) {
    int best = 0;
    double highest = -INFINITY, bend_max = 0;
    for (int g = 0; g <= GRID; g++) {
        if (sign * r->grid[g] > highest) {
            highest = sign * r->grid[g];
            best = g;
        }
        if (g > 0 && g < GRID)
            bend_max = fmax(bend_max, fabs(r->grid[g - 1] - 2 * r->grid[g] + r->grid[g + 1]));
    }
    if (highest + bend_max < known)
        return known;
    double at = (double)best / GRID, h = 1.0 / GRID;
    for (int pass = 0; pass < PARABOLAS; pass++, h /= 8) {
        at = fmin(1 - h, fmax(h, at)); /* keeps three points around a maximum near an end */
        double left = interpolate_quantity(r, i, sign, fmax(0, at - h)),
               middle = interpolate_quantity(r, i, sign, at),
               right = interpolate_quantity(r, i, sign, fmin(1, at + h)),
               bend = left - 2 * middle + right;
        if (!(bend < 0)) {
            highest = fmax(highest, fmax(left, right));
            continue;
        }
        at = fmin(1, fmax(0, at + fmin(h, fmax(-h, h * (left - right) / (2 * bend)))));
        highest = fmax(highest, interpolate_quantity(r, i, sign, at));
    }
    return highest;
}

/* stores the samples within the piece */
static zw_status record_samples(zw_record *r, zw_run *run, double t1, zw_error *err) {
    zw_shooting *s = r->out;
    for (; r->next < s->nsample; r->next++) {
        double t = s->start + s->period * r->next / s->nsample;
        if (t > t1)
            break;
        ZW_TRY(zw_run_dense(run, t, s->sample + (size_t)r->next * (size_t)s->nx, err));
    }
    return ZW_OK;
}

zw_status zw_record_piece(zw_record *r, zw_run *run, double t0, double t1, zw_error *err) {
    zw_shooting *s = r->out;
    for (int l = 0; l < POINTS; l++) {
        double *value = r->value + (size_t)l * (size_t)s->nquantity,
               t = t0 + r->rule.c[l] * (t1 - t0);
        ZW_TRY(evaluate_quantities(r, run, t, value, err));
        add_to_integrals(r, t, r->rule.b[l] * (t1 - t0) / s->period, value);
    }
    for (int i = 0; i < s->nquantity; i++) {
        fill_grid(r, i);
        s->max[i] = fmax(s->max[i], largest_value(r, i, 1, s->max[i]));
        s->min[i] = fmin(s->min[i], -largest_value(r, i, -1, -s->min[i]));
    }
    return record_samples(r, run, t1, err);
}

void zw_record_end(zw_record *r) {
    for (int i = 0; i < r->out->nquantity; i++)
        r->out->rms[i] = sqrt(r->out->rms[i]);
}
