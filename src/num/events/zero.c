/* SPDX-License-Identifier: MIT */
/* The zero of an event function in a cell: the secant method with Anderson and Bjorck's (1973)
 * weights on the dense output. If a method can land (repeat its step with another length), the zero
 * is corrected with states of that accuracy, so that the time of an event has the accuracy of the
 * steps and not that of the dense output.
 *
 * A change of sign need not be a zero. At the end of the iteration both sides are known to the
 * resolution of time: values that are large there, compared with those slightly further away,
 * belong to a pole, and other values that do not vanish to a jump. */
#include "zero.h"

#include <float.h>
#include <math.h>

#include "num/internal.h"

enum { CORRECTIONS = 6, ITERATIONS = 100 };
/* Distance from a narrow bracket, in its widths, of the values with which it is compared: a pole is
 * lower there by that factor. */
#define AROUND 1e5
/* Difference of both sides relative to the values at the ends of the cell, or in bands, that is a
 * jump: less is a steep zero. */
#define JUMP_RELATIVE 1e-3
#define JUMP_BANDS 100
/* Step of the difference for the slope relative to the cell, and to eps |t|. */
#define SLOPE_STEP 1e-3
#define SLOPE_STEP_EPS 1e4
#define CORRECTION_MAX 1e-3 /* of a zero by landing, relative to the step */

static int sign(double g) {
    return (g > 0) - (g < 0);
}

static zw_status one_function(zw_run *run, int i, double t, double *g, zw_error *err) {
    ZW_TRY(zw_num_watch_dense(run, t, run->one, err));
    *g = run->one[i];
    return ZW_OK;
}

static zw_status landed_function(zw_run *run, int i, double t, double *g, zw_error *err) {
    ZW_TRY(run->method->land(run, t, run->event_state, err));
    ZW_TRY(zw_num_watch(run, t, run->event_state, run->one, err));
    *g = run->one[i];
    return ZW_OK;
}

/* narrows [a, b], with ga, gb of different signs, to the resolution of time, unless gb becomes 0 */
static zw_status narrow_bracket(zw_run *run, int i, double level, zw_num_bracket *s,
                                zw_error *err) {
    double weighted = s->ga; /* ga, weighted, for the secant */
    for (int n = 0; n < ITERATIONS && s->gb != 0; n++) {
        double resolution = 2 * DBL_EPSILON * fmax(fabs(s->a), fabs(s->b)), g;
        if (fabs(s->b - s->a) <= resolution)
            break;
        double c = s->b - s->gb * (s->b - s->a) / (s->gb - weighted);
        bool halve = n >= ITERATIONS / 4 && n % 2; /* a flat or jumping function */
        if (halve || !((c - s->a) * (s->b - c) > 0))
            c = s->a + (s->b - s->a) / 2;
        ZW_TRY(one_function(run, i, c, &g, err));
        g -= level;
        if (sign(g) * sign(s->gb) < 0) {
            s->a = s->b;
            weighted = s->ga = s->gb;
        } else {
            double weight = 1 - g / s->gb;
            weighted *= weight > 0 ? weight : 0.5;
        }
        s->b = c;
        s->gb = g;
    }
    return ZW_OK;
}

/* t, limited to the step */
static double limit_time(const zw_run *run, double t) {
    if ((t - run->before) * run->direction < 0)
        return run->before;
    return (run->now - t) * run->direction < 0 ? run->now : t;
}

/* The larger |g| at some distance from a narrow bracket, where a pole is lower than next to it and
 * a jump is not. (The ends of the cell cannot be used: cells shrink to poles.) */
static zw_status values_around(zw_run *run, int i, const zw_num_bracket *s, double *around,
                               zw_error *err) {
    double resolution = DBL_EPSILON * fmax(fabs(run->before), fabs(run->now));
    double far = copysign(AROUND * fmax(fabs(s->b - s->a), resolution), s->b - s->a), before,
           behind;
    ZW_TRY(one_function(run, i, limit_time(run, s->a - far), &before, err));
    ZW_TRY(one_function(run, i, limit_time(run, s->b + far), &behind, err));
    *around = fmax(fabs(before), fabs(behind));
    return ZW_OK;
}

zw_status zw_num_zero_find(zw_run *run, int i, zw_num_bracket *s, double level, double band,
                           zw_num_zero *kind, zw_error *err) {
    *kind = ZW_NUM_CROSSING;
    s->ga -= level;
    s->gb -= level;
    if (sign(s->ga) != -sign(s->gb) && s->gb != 0) { /* it was on the other side just before a */
        s->b = s->a;
        s->gb = s->ga;
        return ZW_OK;
    }
    double ends = fmax(fabs(s->ga), fabs(s->gb));
    ZW_TRY(narrow_bracket(run, i, level, s, err));
    double least = fmin(fabs(s->ga), fabs(s->gb)), around;
    if (s->gb == 0 || fabs(s->b - s->a) > 4 * DBL_EPSILON * fmax(fabs(s->a), fabs(s->b)))
        return ZW_OK;
    ZW_TRY(values_around(run, i, s, &around, err));
    if (least > 10 * around)
        *kind = ZW_NUM_POLE;
    else if (fabs(s->ga - s->gb) > JUMP_RELATIVE * ends + JUMP_BANDS * band)
        *kind = ZW_NUM_JUMP;
    return ZW_OK;
}

/* The slope of function i at t, by the dense output, in a cell of this width. */
static zw_status slope_at(zw_run *run, int i, double t, double width, double *slope,
                          zw_error *err) {
    double side = run->direction *
                  fmax(SLOPE_STEP * fabs(width), SLOPE_STEP_EPS * DBL_EPSILON * fabs(t)),
           ahead, behind;
    double after = (run->now - t - side) * run->direction > 0 ? t + side : run->now;
    double prior = (t - side - run->before) * run->direction > 0 ? t - side : run->before;
    ZW_TRY(one_function(run, i, after, &ahead, err));
    ZW_TRY(one_function(run, i, prior, &behind, err));
    *slope = (ahead - behind) / (after - prior);
    return ZW_OK;
}

zw_status zw_num_zero_land(zw_run *run, int i, double level, double width, double *t,
                           zw_error *err) {
    double far = CORRECTION_MAX * fabs(run->now - run->before), slope, g;
    ZW_TRY(slope_at(run, i, *t, width, &slope, err));
    for (int n = 0;; n++) {
        ZW_TRY(landed_function(run, i, *t, &g, err));
        double change = (level - g) / slope, next = *t + change;
        if (n == CORRECTIONS || !isfinite(change) || fabs(change) > far ||
            (next - run->searched) * run->direction <= 0 ||
            (run->now - next) * run->direction < 0 || fabs(change) <= 2 * DBL_EPSILON * fabs(*t))
            return ZW_OK;
        *t = next;
    }
}
