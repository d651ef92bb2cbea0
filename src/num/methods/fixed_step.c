/* SPDX-License-Identifier: MIT */
#include "fixed_step.h"
#include "base/tolerance.h"

#include <math.h>
#include <string.h>

#include "base/arena.h"
#include "step_polynomial.h"

static const double order2[] = {1};
/* 1/(4 - 4^(1/3)) four times and the rest */
#define SUZUKI 0.41449077179437573714
static const double order4[] = {SUZUKI, SUZUKI, 1 - 4 * SUZUKI, SUZUKI, SUZUKI};
#define YOSHIDA_1 -1.17767998417887100695
#define YOSHIDA_2 0.23557321335935813368
#define YOSHIDA_3 0.78451361047755726382
static const double order6[] = {
    YOSHIDA_3, YOSHIDA_2, YOSHIDA_1, 1 - 2 * (YOSHIDA_1 + YOSHIDA_2 + YOSHIDA_3),
    YOSHIDA_1, YOSHIDA_2, YOSHIDA_3};

static int find_composition(const zw_run *run, const double **gamma) {
    if (run->options.order == 4) {
        *gamma = order4;
        return sizeof order4 / sizeof *order4;
    }
    if (run->options.order == 6) {
        *gamma = order6;
        return sizeof order6 / sizeof *order6;
    }
    *gamma = order2;
    return 1;
}

zw_status zw_num_fixed_check(const zw_run *run, zw_error *err) {
    int order = run->options.order;
    if (order == 0 || order == 2 || order == 4 || order == 6)
        return ZW_OK;
    zw_fail(err, ZW_E_OPTION, "order %d: the methods with a fixed step have order 2, 4 or 6",
            order);
    zw_error_hint(err, "--order 2 has the cheapest steps, --order 6 the smallest errors");
    return ZW_E_OPTION;
}

void zw_num_fixed_slice(zw_num_fixed *f, const zw_kernel *k, zw_slicer *s) {
    f->from = zw_slice_doubles(s, k->nx);
    f->to = zw_slice_doubles(s, k->nx);
    f->stage = zw_slice_doubles(s, k->nx);
    f->rate[0] = zw_slice_doubles(s, k->nx);
    f->rate[1] = zw_slice_doubles(s, k->nx);
}

void zw_num_fixed_destroy(zw_run *run) {
    zw_num_fixed *f = run->stepper;
    run->stepper = NULL;
    if (f)
        zw_release(&run->alloc, f, f->bytes);
}

zw_status zw_num_fixed_start(zw_run *run, zw_error *err) {
    zw_num_fixed *f = run->stepper;
    (void)err;
    f->origin = run->now;
    f->n = 0;
    f->calls = 0;
    return ZW_OK;
}

/* makes a step from x0 at t to x1 at t + h by the composed method; both arrays differ from
 * f->stage */
static zw_status take_composed_step(zw_run *run, double t, double h, const double *x0, double *x1,
                                    zw_error *err) {
    zw_num_fixed *f = run->stepper;
    const double *gamma;
    int n = find_composition(run, &gamma);
    size_t size = sizeof(double) * (size_t)run->k->nx;
    memcpy(x1, x0, size);
    for (int i = 0; i < n; i++) {
        memcpy(f->stage, x1, size);
        ZW_TRY(f->base(run, t, gamma[i] * h, f->stage, x1, err));
        t += gamma[i] * h;
    }
    return ZW_OK;
}

zw_status zw_num_fixed_step(zw_run *run, zw_error *err) {
    zw_num_fixed *f = run->stepper;
    memcpy(f->from, run->y, sizeof(double) * (size_t)run->k->nx);
    double end = f->origin + (f->n + 1) * run->options.step * run->direction;
    zw_num_forget(run);
    zw_status status = take_composed_step(run, run->now, end - run->now, f->from, run->y, err);
    if (status < 0) {
        memcpy(run->y, f->from, sizeof(double) * (size_t)run->k->nx);
        return status;
    }
    f->n++;
    f->rates_known = false;
    zw_method_moved(run, end);
    memcpy(f->to, run->y, sizeof(double) * (size_t)run->k->nx);
    return ZW_OK;
}

static zw_status need_rates(zw_run *run, zw_error *err) {
    zw_num_fixed *f = run->stepper;
    if (f->rates_known)
        return ZW_OK;
    ZW_TRY(zw_num_rate(run, run->before, f->from, f->rate[0], err));
    ZW_TRY(zw_num_rate(run, run->reached, f->to, f->rate[1], err));
    f->calls += 2;
    f->rates_known = true;
    return ZW_OK;
}

zw_status zw_num_fixed_dense(zw_run *run, double t, double *x, zw_error *err) {
    zw_num_fixed *f = run->stepper;
    ZW_TRY(need_rates(run, err));
    double h = run->reached - run->before, s = (t - run->before) / h;
    double ends = s * s * (3 - 2 * s), leaving = h * s * (1 - s) * (1 - s),
           arriving = -h * s * s * (1 - s);
    for (int i = 0; i < run->k->nx; i++)
        x[i] = f->from[i] + ends * (f->to[i] - f->from[i]) + leaving * f->rate[0][i] +
               arriving * f->rate[1][i];
    return ZW_OK;
}

/* x0 + theta (r1 + (1 - theta) (r2 + theta r3)) */
zw_status zw_num_fixed_polynomial(zw_run *run, int *degree, double *c, zw_error *err) {
    zw_num_fixed *f = run->stepper;
    int n = run->k->nx;
    double h = run->reached - run->before;
    ZW_TRY(need_rates(run, err));
    for (int i = 0; i < n; i++) {
        double r1 = f->to[i] - f->from[i], r2 = h * f->rate[0][i] - r1,
               r3 = r1 - h * f->rate[1][i] - r2;
        c[i] = f->from[i] + r1 / 2 + r2 / 4 + r3 / 8;
        c[n + i] = r1 / 2 + r3 / 8;
        c[2 * n + i] = -r2 / 4 - r3 / 8;
        c[3 * n + i] = -r3 / 8;
    }
    *degree = 3;
    return ZW_OK;
}

zw_status zw_num_fixed_land(zw_run *run, double t, double *x, zw_error *err) {
    zw_num_fixed *f = run->stepper;
    zw_num_forget(run);
    return take_composed_step(run, run->before, t - run->before, f->from, x, err);
}

void zw_num_fixed_statistics(const zw_run *run, zw_run_info *info) {
    const zw_num_fixed *f = run->stepper;
    info->rhs_calls += f->calls;
}

/* ---- sweeps ---- */

enum { SWEEPS = 200, PATIENCE = 2 }; /* most sweeps; sweeps without progress that end them */
/* Relative moves below this that do not shrink any more are round-off. */
#define MOVE_ROUNDOFF ZW_ROUNDOFF_SUM
/* Moves that change no digit: for example of an entry that is zero up to round-off, which each
 * sweep halves without end. The square of MOVE_ROUNDOFF. */
#define MOVE_NONE 1e-24

double zw_num_movement(const zw_run *run, double h, const double *x0, const double *from,
                       const double *to) {
    const zw_kernel *k = run->k;
    double size = run->flow->nslide > 0, change = 0; /* forces that cancel leave round-off */
    for (int i = 0; i < k->nx; i++) {
        double weight = i < k->nq ? 1 : fabs(h);
        size = fmax(size, weight * fmax(fabs(x0[i]), fabs(to[i])));
        change = isnan(to[i]) ? INFINITY : fmax(change, weight * fabs(to[i] - from[i]));
    }
    return change / (size > 0 ? size : 1);
}

bool zw_num_sweep_again(zw_num_sweeps *s, double moved) {
    if (s->n++ == 0) {
        s->smallest = INFINITY;
        return true;
    }
    s->stalled = moved < s->smallest ? 0 : s->stalled + 1;
    s->smallest = fmin(s->smallest, moved);
    s->settled = moved <= MOVE_NONE || (s->smallest < MOVE_ROUNDOFF && s->stalled >= PATIENCE);
    return !s->settled && isfinite(moved) && s->n <= SWEEPS;
}

zw_status zw_num_sweep_end(const zw_num_sweeps *s, double t, zw_error *err) {
    if (s->settled)
        return ZW_OK;
    zw_fail(err, ZW_E_NUMERIC, "the implicit equations of a step do not converge at t = %.10g", t);
    zw_error_hint(err, "make --step shorter");
    return ZW_E_NUMERIC;
}
