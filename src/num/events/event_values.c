/* SPDX-License-Identifier: MIT */
/* The event functions g_i(t, x, v', lambda) at states of the method: their values, their rates
 * along the motion, and their accuracy.
 *
 * A state of the method is known to rtol S_j + atol, S_j being the largest |x_j| of the last step,
 * and to round-off. So g_i is known to its band
 *
 *   beta_i = sum_j |dg_i/dx_j| (rtol S_j + atol + 4 eps S_j) + |dg_i/dt| 4 eps |t| .
 *
 * S_j is not |x_j| at the zero: there x_j may be zero, but its error is not. */
#include <float.h>
#include <math.h>
#include <string.h>

#include "num/internal.h"

/* Displacements for differences relative to the size of the entries, near eps^(1/3) for first and
 * eps^(1/4) for second central differences, and the relative errors that follow: of rates, with
 * their round-off over FIRST_STEP, and of second derivatives from bent motions. One-sided slopes:
 * sqrt(eps), enlarged. */
#define FIRST_STEP 1e-6
#define RATE_ERROR 1e-9
#define SECOND_STEP 1e-4
#define SECOND_ERROR 1e-5
#define SLOPE_STEP 1e-7

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
        if (isnan(value[i])) { /* infinite values are allowed: poles are detected */
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

/* ---- rates at any state x, by differences along the motion ---- */

/* The functions at a state off the motion, NaN where they are undefined (x^(1/3) left of 0). */
static void values_off_motion(zw_run *run, double t, const double *x, double *g) {
    const zw_kernel *k = run->k;
    zw_error ignored = {0};
    zw_fault fault = run->flow->fault;
    bool has = k->evt_state_only ||
               zw_num_accel(run->flow, t, x, run->flow->qdot, run->flow->z, &ignored) >= 0;
    const double *value = has ? zw_at_evt(run->flow, t, x, run->flow->z).value : NULL;
    for (int i = 0; i < k->nevt; i++)
        g[i] = value ? value[i] : NAN;
    run->flow->fault = fault;
}

/* the functions at x displaced by h along the motion, x + h x' + h^2/2 x'' (bend may be NULL) */
static void values_ahead(zw_run *run, double t, const double *x, double h, const double *bend,
                         double *g) {
    for (int j = 0; j < run->k->nx; j++)
        run->displaced[j] = x[j] + h * (run->rate[j] + (bend ? h / 2 * bend[j] : 0));
    values_off_motion(run, t + h, run->displaced, g);
}

static zw_status rates_at(zw_run *run, double t, const double *x, double *rate, zw_error *err) {
    const zw_kernel *k = run->k;
    ZW_TRY(zw_num_accel(run->flow, t, x, run->flow->qdot, run->flow->z, err));
    memcpy(rate, run->flow->qdot, sizeof(double) * (size_t)k->nq);
    memcpy(rate + k->nq, run->flow->z, sizeof(double) * (size_t)k->nv);
    return ZW_OK;
}

/* a time in which no entry of x changes by more than the fraction `part` of its size */
static double short_time(const zw_run *run, double t, const double *x, double part) {
    double h = part * (1 + fabs(t));
    for (int j = 0; j < run->k->nx; j++)
        h = fmin(h, part * (1 + fabs(x[j])) / (fabs(run->rate[j]) + DBL_MIN));
    return fmax(h, 64 * DBL_EPSILON * fabs(t));
}

/* d^2 x/dt^2 into run->bend; false if the rates are undefined next to x */
static bool bend_of(zw_run *run, double t, const double *x, double h) {
    int nx = run->k->nx;
    double *there = run->displaced;
    zw_error ignored = {0};
    zw_fault fault = run->flow->fault;
    zw_status status = ZW_OK;
    for (int side = -1; side <= 1 && status >= 0; side += 2) {
        for (int j = 0; j < nx; j++)
            there[j] = x[j] + side * h * run->rate[j];
        status = rates_at(run, t + side * h, there, run->behind_rate, &ignored);
        for (int j = 0; j < nx; j++)
            run->bend[j] = (side < 0 ? 0 : run->bend[j]) + side * run->behind_rate[j] / (2 * h);
    }
    run->flow->fault = fault;
    return status >= 0;
}

/* d^2 g/dt^2 of the functions, and its accuracy; the slopes dg/dx are in run->slope. NaN:
 * unknown. */
static void second_rates(zw_run *run, double t, const double *x, const double *g, double *out,
                         double *known) {
    int nevt = run->k->nevt, nx = run->k->nx;
    double h = short_time(run, t, x, SECOND_STEP);
    bool has = bend_of(run, t, x, h);
    if (has) {
        values_ahead(run, t, x, h, run->bend, run->ahead);
        values_ahead(run, t, x, -h, run->bend, run->behind);
    }
    for (int i = 0; i < nevt; i++) {
        out[i] = has ? (run->ahead[i] - 2 * g[i] + run->behind[i]) / (h * h) : NAN;
        known[i] = 8 * DBL_EPSILON * fabs(g[i]) / (h * h);
        for (int j = 0; j < nx; j++)
            known[i] += fabs(run->slope[i * nx + j]) * (SECOND_ERROR * fabs(run->bend[j]) +
                                                        8 * DBL_EPSILON * fabs(x[j]) / (h * h));
    }
}

/* The slopes of the functions in entry j of x, by a displacement that is small, but above
 * round-off. (Not the derivatives: that of x^3 vanishes at its zero, and is infinite for x^(1/3).)
 * The displacement is reversed where a function is undefined; slopes are 0 where it is undefined on
 * both sides. */
static void slopes_in(zw_run *run, double t, const double *x, const double *g, int j) {
    int nevt = run->k->nevt, nx = run->k->nx;
    double width = SLOPE_STEP * (1 + fabs(x[j]));
    bool missing = true;
    for (int side = 1; side >= -1 && missing; side -= 2) {
        run->displaced[j] = x[j] + side * width;
        values_off_motion(run, t, run->displaced, run->ahead);
        missing = false;
        for (int i = 0; i < nevt; i++) {
            double *slope = &run->slope[i * nx + j];
            if (!isfinite(g[i]) || (side < 0 && *slope != 0))
                continue;
            missing |= isnan(run->ahead[i]);
            *slope = isnan(run->ahead[i]) ? 0 : (run->ahead[i] - g[i]) / (side * width);
        }
    }
    run->displaced[j] = x[j];
}

/* dg/dx (nevt x nx) at x, z following the motion */
static void evaluate_slopes(zw_run *run, double t, const double *x, const double *g) {
    const zw_bound_func *known = &run->k->evt_bound; /* which entries are in the functions */
    int nevt = run->k->nevt, nx = run->k->nx;
    bool some = known->call && run->k->evt_state_only;
    memcpy(run->displaced, x, sizeof(double) * (size_t)nx);
    memset(run->slope, 0, sizeof(double) * (size_t)nevt * (size_t)nx);
    for (int n = 0; n < (some ? known->nx : nx); n++)
        slopes_in(run, t, x, g, some ? known->x[n] : n);
}

void zw_num_watch_bands(zw_run *run, double t, const double *x, const double *g,
                        const double *scale, double *band) {
    const zw_run_options *o = &run->options;
    int nx = run->k->nx;
    evaluate_slopes(run, t, x, g);
    for (int i = 0; i < run->k->nevt; i++) {
        band[i] = 4 * DBL_EPSILON * fabs(g[i]);
        for (int j = 0; j < nx; j++)
            band[i] +=
                fabs(run->slope[i * nx + j]) *
                ((o->rtol + 4 * DBL_EPSILON) * fmax(fabs(x[j]), scale ? scale[j] : 0) + o->atol);
    }
}

double zw_num_nearest_zero(const zw_run *run, int i, double g) {
    double period = run->period[i];
    return period > 0 && isfinite(g) ? period * round(g / period) : 0;
}

/* the rate by the values ahead and behind, or by one of them where the other is undefined */
static double rate_of(double behind, double g, double ahead, double h) {
    if (isnan(behind))
        return isnan(ahead) ? 0 : (ahead - g) / h;
    return isnan(ahead) ? (g - behind) / h : (ahead - behind) / (2 * h);
}

zw_status zw_num_event_directions(zw_run *run, double t, const double *x, int *way, zw_error *err) {
    const zw_run_options *o = &run->options;
    const double firm = RATE_ERROR;
    int nevt = run->k->nevt, nx = run->k->nx;
    double *g = run->present;
    bool any = false;
    ZW_TRY(rates_at(run, t, x, run->rate, err));
    ZW_TRY(zw_num_watch_state(run, t, x, run->flow->z, g, err));
    evaluate_slopes(run, t, x, g);
    double h = short_time(run, t, x, FIRST_STEP);
    values_ahead(run, t, x, h, NULL, run->ahead);
    values_ahead(run, t, x, -h, NULL, run->behind);
    for (int i = 0; i < nevt; i++) {
        double rate = rate_of(run->behind[i], g[i], run->ahead[i], h), known = 0;
        for (int j = 0; j < nx; j++)
            known +=
                fabs(run->slope[i * nx + j]) * (fmax(o->rtol, firm) * fabs(run->rate[j]) + o->atol);
        way[i] = fabs(rate) > known ? (rate > 0 ? ZW_WAY_UP : ZW_WAY_DOWN) : ZW_WAY_REST;
        any |= way[i] == ZW_WAY_REST;
    }
    if (!any)
        return ZW_OK;
    double *second = run->second, *known = run->second_known;
    second_rates(run, t, x, g, second, known);
    for (int i = 0; i < nevt; i++)
        if (way[i] == ZW_WAY_REST && fabs(second[i]) > known[i])
            way[i] = second[i] > 0 ? ZW_WAY_UP_SOON : ZW_WAY_DOWN_SOON;
    return ZW_OK;
}
