/* SPDX-License-Identifier: MIT */
/* The PI controller multiplies the step by 0.9 error^-a before^b, a = 1/order - 3/4 b, where
 * `before` is the error of the step before. b = 1/(5 order): enough for smooth steps of an explicit
 * method at its limit of stability, and not more, since b costs steps elsewhere. */
#include "onestep.h"

#include <float.h>
#include <math.h>

/* Of the next step: factor against rejections, least and largest growth, near those of Hairer,
 * Norsett and Wanner's codes. */
#define SAFETY 0.9
#define SHRINK 0.2
#define GROW 6.0
/* Least error in the control: smaller estimates are accidental (a zero of the error), and would
 * make the next two steps too long. */
#define ERROR_MIN 1e-4

zw_status zw_num_onestep_rate(zw_run *run, double t, const double *y, double *rate, long *calls) {
    ++*calls;
    zw_num_forget(run);
    return zw_num_rate(run, t, y, rate, &run->trouble);
}

double zw_num_onestep_norm(int n, const double *e, const double *y0, const double *y1,
                           zw_num_tolerance tol) {
    double sum = 0;
    for (int i = 0; i < n; i++) {
        double a = fabs(y0[i]), b = fabs(y1[i]);
        double r = e[i] / (tol.atol + tol.rtol * (a > b ? a : b));
        sum += r * r;
    }
    return sqrt(sum / n);
}

/* limits the first step by the options and by the caller of the run */
static double limit_step(const zw_run *run, double h) {
    if (run->options.step_max > 0)
        h = fmin(h, run->options.step_max);
    bool first = run->info.steps == 0 && run->first_step > 0; /* a new partition is a start too */
    return first ? fmin(h, run->first_step) : h;
}

double zw_num_onestep_first(zw_run *run, const double *y0, const double *f0, int order,
                            zw_num_tolerance tol, double *y, double *f, long *calls) {
    int n = run->ny;
    double size = zw_num_onestep_norm(n, y0, y0, y0, tol);
    double speed = zw_num_onestep_norm(n, f0, y0, y0, tol);
    double h =
        limit_step(run, size > ZW_NUM_FIRST_NORM && speed > ZW_NUM_FIRST_NORM ? 0.01 * size / speed
                                                                              : ZW_NUM_FIRST_STEP);
    for (int i = 0; i < n; i++)
        y[i] = y0[i] + run->direction * h * f0[i];
    if (zw_num_onestep_rate(run, run->now + run->direction * h, y, f, calls) < 0)
        return h / 100; /* the step control finds the length */
    for (int i = 0; i < n; i++)
        f[i] -= f0[i];
    double bend = zw_num_onestep_norm(n, f, y0, y0, tol) / h;
    double most = fmax(speed, bend);
    double fits = most > ZW_NUM_FIRST_RATE ? pow(0.01 / most, 1.0 / order)
                                           : fmax(ZW_NUM_FIRST_STEP, h * ZW_NUM_FIRST_SHORTER);
    return limit_step(run, fmin(100 * h, fits));
}

static double clamp(double x, double low, double high) {
    return x < low ? low : x > high ? high : x;
}

double zw_num_onestep_accepted(zw_num_control *c, double error, int order) {
    double b = 0.2 / order, a = 1.0 / order - 0.75 * b;
    double now = log(fmax(error, ERROR_MIN));
    double factor = clamp(SAFETY * exp(b * c->before - a * now), SHRINK, c->rejected ? 1 : GROW);
    c->before = now;
    c->rejected = false;
    return factor;
}

double zw_num_onestep_rejected(zw_num_control *c, double error, int order) {
    c->rejected = true;
    if (!isfinite(error)) /* a function is undefined there */
        return SHRINK;
    return clamp(SAFETY * pow(error, -1.0 / order), SHRINK, SAFETY);
}

/* A step that ends nearer to a stop than this fraction of its length ends there: a step of what
 * would be left is round-off. */
#define SAME_END 1e-9

double zw_num_onestep_end(const zw_run *run, double h) {
    if (run->options.step_max > 0)
        h = fmin(h, run->options.step_max);
    double end = run->now + run->direction * h, stop = zw_method_stop(run);
    return (stop - end) * run->direction <= SAME_END * h ? stop : end;
}

bool zw_num_onestep_vanishes(double t, double h) {
    return !(fabs(h) > 4 * DBL_EPSILON * fabs(t) && fabs(h) > DBL_MIN / DBL_EPSILON);
}
