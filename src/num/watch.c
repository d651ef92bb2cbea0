/* SPDX-License-Identifier: MIT */
/* The event functions g_i(t, x, v', lambda) at states of the method: their values, their rates along the
 * motion, and how well they are known.
 *
 * A state of the method is known to rtol S_j + atol, S_j being the largest |x_j| of the last step, and to
 * rounding. So g_i is known to its band
 *
 *   beta_i = sum_j |dg_i/dx_j| (rtol S_j + atol + 4 eps S_j) + |dg_i/dt| 4 eps |t| .
 *
 * S_j is not |x_j| at the zero: there x_j may itself be zero, and the error that it came with is not. */
#include <float.h>
#include <math.h>
#include <string.h>

#include "internal.h"

zw_status zw_num_watch(zw_run *run, double t, const double *y, double *g, zw_error *err) {
    const zw_kernel *k = run->k;
    if (zw_num_leaves_itself(run)) {
        ZW_TRY(run->method->leave(run, t, y, run->candidate, run->flow->z, err));
    } else {
        ZW_TRY(zw_num_expand(run, t, y, run->candidate, err));
        if (!k->evt_state_only)
            ZW_TRY(zw_num_accel(run->flow, t, run->candidate, run->flow->qdot, run->flow->z, err));
    }
    return zw_num_watch_state(run, t, run->candidate, run->flow->z, g, err);
}

zw_status zw_num_watch_state(zw_run *run, double t, const double *x, const double *z, double *g,
                             zw_error *err) {
    const double *value = zw_at_evt(run->flow, t, x, z).value;
    for (int i = 0; i < run->k->nevt; i++) {
        if (isnan(value[i])) { /* infinite it may be: at a pole, which is found as such */
            zw_num_fault(run->flow, ZW_FAULT_EVENT, i, t, value[i]);
            return zw_fail(err, ZW_E_NONFINITE, "event function %d has no value at t = %.10g",
                           i + 1, t);
        }
        g[i] = value[i];
    }
    return ZW_OK;
}

zw_status zw_num_watch_dense(zw_run *run, double t, double *g, zw_error *err) {
    if (t == run->now && !(run->method->traits & ZW_TRAIT_JUMPS))
        return zw_num_watch(run, t, run->y, g, err);
    ZW_TRY(run->method->dense(run, t, run->dense, err));
    return zw_num_watch(run, t, run->dense, g, err);
}

/* ---- how they move, at any state x: by differences along the motion ---- */

/* x displaced by h along the motion, x + h x' + h^2/2 x'' (bend may be NULL), and the functions there */
static zw_status watch_ahead(zw_run *run, double t, const double *x, double h, const double *bend,
                             double *g, zw_error *err) {
    const zw_kernel *k = run->k;
    for (int j = 0; j < k->nx; j++)
        run->displaced[j] = x[j] + h * (run->rate[j] + (bend ? h / 2 * bend[j] : 0));
    if (!k->evt_state_only)
        ZW_TRY(zw_num_accel(run->flow, t + h, run->displaced, run->flow->qdot, run->flow->z, err));
    return zw_num_watch_state(run, t + h, run->displaced, run->flow->z, g, err);
}

static zw_status rates_at(zw_run *run, double t, const double *x, double *rate, zw_error *err) {
    const zw_kernel *k = run->k;
    ZW_TRY(zw_num_accel(run->flow, t, x, run->flow->qdot, run->flow->z, err));
    memcpy(rate, run->flow->qdot, sizeof(double) * (size_t)k->nq);
    memcpy(rate + k->nq, run->flow->z, sizeof(double) * (size_t)k->nv);
    return ZW_OK;
}

/* a time in which no entry of x moves by more than `part` of its size */
static double moment(const zw_run *run, double t, const double *x, double part) {
    double h = part * (1 + fabs(t));
    for (int j = 0; j < run->k->nx; j++)
        h = fmin(h, part * (1 + fabs(x[j])) / (fabs(run->rate[j]) + DBL_MIN));
    return fmax(h, 64 * DBL_EPSILON * fabs(t));
}

/* d^2 x/dt^2 into run->bend */
static zw_status bend_of(zw_run *run, double t, const double *x, double h, zw_error *err) {
    int nx = run->k->nx;
    double *there = run->displaced;
    for (int side = -1; side <= 1; side += 2) {
        for (int j = 0; j < nx; j++)
            there[j] = x[j] + side * h * run->rate[j];
        ZW_TRY(rates_at(run, t + side * h, there, run->behind_rate, err));
        for (int j = 0; j < nx; j++)
            run->bend[j] = (side < 0 ? 0 : run->bend[j]) + side * run->behind_rate[j] / (2 * h);
    }
    return ZW_OK;
}

/* d^2 g/dt^2 of the functions, and how well it is known; the slopes dg/dx are in run->slope */
static zw_status second_rates(zw_run *run, double t, const double *x, const double *g, double *out,
                              double *known, zw_error *err) {
    int nevt = run->k->nevt, nx = run->k->nx;
    double h = moment(run, t, x, 1e-4);
    ZW_TRY(bend_of(run, t, x, h, err));
    ZW_TRY(watch_ahead(run, t, x, h, run->bend, run->ahead, err));
    ZW_TRY(watch_ahead(run, t, x, -h, run->bend, run->behind, err));
    for (int i = 0; i < nevt; i++) {
        out[i] = (run->ahead[i] - 2 * g[i] + run->behind[i]) / (h * h);
        known[i] = 8 * DBL_EPSILON * fabs(g[i]) / (h * h);
        for (int j = 0; j < nx; j++)
            known[i] += fabs(run->slope[i * nx + j]) *
                        (1e-5 * fabs(run->bend[j]) + 8 * DBL_EPSILON * fabs(x[j]) / (h * h));
    }
    return ZW_OK;
}

/* dg/dx (nevt x nx) at x, z following the motion */
static zw_status slopes(zw_run *run, double t, const double *x, const double *g, zw_error *err) {
    const zw_bound_func *known = &run->k->evt_bound; /* which entries the functions hold */
    int nevt = run->k->nevt, nx = run->k->nx;
    bool some = known->call && run->k->evt_state_only;
    memcpy(run->displaced, x, sizeof(double) * (size_t)nx);
    memset(run->slope, 0, sizeof(double) * (size_t)nevt * (size_t)nx);
    for (int n = 0; n < (some ? known->nx : nx); n++) {
        int j = some ? known->x[n] : n;
        double width = 1e-7 * (1 + fabs(x[j]));
        run->displaced[j] = x[j] + width;
        if (!run->k->evt_state_only)
            ZW_TRY(zw_num_accel(run->flow, t, run->displaced, run->flow->qdot, run->flow->z, err));
        ZW_TRY(zw_num_watch_state(run, t, run->displaced, run->flow->z, run->ahead, err));
        run->displaced[j] = x[j];
        for (int i = 0; i < nevt; i++)
            run->slope[i * nx + j] = isfinite(g[i]) ? (run->ahead[i] - g[i]) / width : 0;
    }
    return ZW_OK;
}

zw_status zw_num_watch_bands(zw_run *run, double t, const double *x, const double *g,
                             const double *scale, double *band, zw_error *err) {
    const zw_run_options *o = &run->options;
    int nx = run->k->nx;
    ZW_TRY(slopes(run, t, x, g, err));
    for (int i = 0; i < run->k->nevt; i++) {
        band[i] = 4 * DBL_EPSILON * fabs(g[i]);
        for (int j = 0; j < nx; j++)
            band[i] +=
                fabs(run->slope[i * nx + j]) *
                ((o->rtol + 4 * DBL_EPSILON) * fmax(fabs(x[j]), scale ? scale[j] : 0) + o->atol);
    }
    return ZW_OK;
}

double zw_num_nearest_zero(const zw_run *run, int i, double g) {
    double period = run->period[i];
    return period > 0 && isfinite(g) ? period * round(g / period) : 0;
}

zw_status zw_num_watch_ways(zw_run *run, double t, const double *x, int *way, zw_error *err) {
    const zw_run_options *o = &run->options;
    const double firm = 1e-9; /* of differences */
    int nevt = run->k->nevt, nx = run->k->nx;
    double *g = run->present;
    bool any = false;
    ZW_TRY(rates_at(run, t, x, run->rate, err));
    ZW_TRY(zw_num_watch_state(run, t, x, run->flow->z, g, err));
    ZW_TRY(slopes(run, t, x, g, err));
    double h = moment(run, t, x, 1e-6);
    ZW_TRY(watch_ahead(run, t, x, h, NULL, run->ahead, err));
    ZW_TRY(watch_ahead(run, t, x, -h, NULL, run->behind, err));
    for (int i = 0; i < nevt; i++) {
        double rate = (run->ahead[i] - run->behind[i]) / (2 * h), known = 0;
        for (int j = 0; j < nx; j++)
            known +=
                fabs(run->slope[i * nx + j]) * (fmax(o->rtol, firm) * fabs(run->rate[j]) + o->atol);
        way[i] = fabs(rate) > known ? (rate > 0 ? ZW_WAY_UP : ZW_WAY_DOWN) : ZW_WAY_REST;
        any |= way[i] == ZW_WAY_REST;
    }
    if (!any)
        return ZW_OK;
    double *second = run->second, *known = run->second_known;
    ZW_TRY(second_rates(run, t, x, g, second, known, err));
    for (int i = 0; i < nevt; i++)
        if (way[i] == ZW_WAY_REST && fabs(second[i]) > known[i])
            way[i] = second[i] > 0 ? ZW_WAY_UP_SOON : ZW_WAY_DOWN_SOON;
    return ZW_OK;
}
