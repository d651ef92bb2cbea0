/* SPDX-License-Identifier: MIT */
/* From samples to rows. The samples of a coordinate, from all cameras and files, are one series
 * in the order of time; its spline or local polynomials (smooth.h) are evaluated at equidistant
 * times. Between samples that are farther apart than a gap nothing is known, unless it is to be
 * filled.
 *
 * The uncertainty of the delays of the cameras is an error of all times in one direction: it adds
 * q' sd(clock) to the deviation of q, and q'' sd(clock) to that of q'.
 *
 * Velocities that are time derivatives of coordinates are computed as such; others follow from
 * q' = F v + f by least squares with the sd of q'. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/arena.h"
#include "data/turn.h"
#include "expression_values.h"
#include "num/linear/linalg.h"
#include "smooth.h"
#include "tracking.h"

#define LARGEST_ROWS 2e6 /* of a result: 16 MB for each column; more are a mistake of the step */
/* of the variance to the given one: a warning. Chosen by trial: twenty degrees of freedom have a
 * spread of 0.3 */
#define NOISE_RATIO 2
#define FREEDOM_TO_JUDGE 20 /* degrees of freedom that are needed for that warning */
#define ENOUGH_SAMPLES 20   /* samples of a series: fewer give a warning */
/* of a step: ends that are multiples of it count as such, also if printed with seven digits */
#define WHOLE_STEPS 1e-6
/* ratio of the pivots of N: below, the velocities are not determined by the rates */
#define PIVOT_DETERMINED 1e-10
#define GAP_FRAMES 3.5    /* default gap in frames: three are missing */
#define MORE_VARIANCE 1.7 /* ratio of the variance to the given one: a larger one gives a warning */
#define LESS_VARIANCE 0.5 /* and a smaller one */

static int by_time(const void *a, const void *b) {
    const zw_tracking_sample *x = a, *y = b;
    return x->t < y->t ? -1 : x->t > y->t;
}

/* ---------------------------------------------------------------------------------------- times */

static zw_status find_frame(zw_tracking *t, zw_error *err) {
    for (int i = 0; i < t->sys->nq && !(t->frame > 0); i++) {
        const zw_tracking_series *s = &t->series[i];
        double *gap = s->n > 1 ? ZW_NEW(&t->arena, double, s->n) : NULL;
        long m = 0;
        if (s->n < 2)
            continue;
        if (!gap)
            return zw_out_of_memory(err, "tracking data");
        for (long k = 0; k + 1 < s->n; k++)
            if (s->sample[k + 1].t > s->sample[k].t)
                gap[m++] = s->sample[k + 1].t - s->sample[k].t;
        t->frame = m ? zw_median(gap, m) : 0;
    }
    if (!(t->frame > 0))
        return zw_fail(err, ZW_E_NUMERIC, "there are too few samples for a series");
    if (!(t->gap > 0))
        t->gap = t->options.gap > 0 ? t->options.gap : GAP_FRAMES * t->frame;
    return ZW_OK;
}

static zw_status make_times(zw_tracking *t, zw_error *err) {
    double from = INFINITY, to = -INFINITY;
    for (int i = 0; i < t->sys->nq; i++) {
        const zw_tracking_series *s = &t->series[i];
        if (s->n) {
            from = fmin(from, s->sample[0].t);
            to = fmax(to, s->sample[s->n - 1].t);
        }
    }
    if (!(from <= to)) {
        zw_fail(err, ZW_E_NUMERIC,
                "no sample is left: the measurements are too isolated to be "
                "judged, disagree with the others or do not determine the coordinates");
        zw_error_hint(err, "try one camera or one marker alone, and check their tables");
        return ZW_E_NUMERIC;
    }
    double step = t->options.step > 0 ? t->options.step : t->frame;
    double first = ceil(from / step - WHOLE_STEPS), last = floor(to / step + WHOLE_STEPS);
    if (last < first) {
        zw_fail(err, ZW_E_OPTION, "no multiple of %.3g s lies between %.9g s and %.9g s: no row",
                step, from, to);
        zw_error_hint(err, "--step-out sets the time between rows");
        return ZW_E_OPTION;
    }
    if (!(last - first < LARGEST_ROWS)) {
        zw_fail(err, ZW_E_OPTION, "%.9g s to %.9g s in steps of %.3g s are too many rows", from, to,
                step);
        zw_error_hint(err, "--step-out sets the time between rows");
        return ZW_E_OPTION;
    }
    t->nrow = (long)(last - first) + 1;
    t->time = ZW_NEW(&t->arena, double, t->nrow + 1);
    if (!t->time)
        return zw_out_of_memory(err, "tracking data");
    for (long i = 0; i < t->nrow; i++)
        t->time[i] = fmin(fmax((first + (double)i) * step, from), to);
    return ZW_OK;
}

/* --------------------------------------------------------------------------------------- series */

typedef struct column {
    long n;
    double *t, *y, *w;
    bool weighted;
    double gap;
} column;

static zw_status make_column(zw_tracking *t, const zw_tracking_series *s, column *c,
                             zw_error *err) {
    *c = (column){.n = s->n, .weighted = true};
    c->t = ZW_NEW(&t->arena, double, s->n);
    c->y = ZW_NEW(&t->arena, double, s->n);
    c->w = ZW_NEW(&t->arena, double, s->n);
    if (t->arena.failed)
        return zw_out_of_memory(err, "tracking data");
    c->gap = t->options.fill ? INFINITY : t->gap;
    for (long i = 0; i < s->n; i++)
        c->weighted = c->weighted && s->sample[i].sd > 0;
    for (long i = 0; i < s->n; i++) {
        c->t[i] = s->sample[i].t;
        c->y[i] = s->sample[i].y;
        c->w[i] = c->weighted ? 1 / (s->sample[i].sd * s->sample[i].sd) : 1;
    }
    return ZW_OK;
}

/* Are the sd of samples given by the user, or estimated? */
static bool is_stated(const zw_tracking *t, const column *c) {
    bool poses = t->nsight > 0 || t->nspot > 0;
    return c->weighted &&
           (!poses || (t->options.sd_place > 0 && (t->options.sd_angle > 0 || t->nsight == 0)));
}

/* Value and rate; an uncertain clock makes them uncertain. */
static void set_row(const zw_tracking *t, zw_tracking_series *s, long row, const double value[3],
                    const double sd[3], double scale) {
    for (int k = 0; k < 2; k++) {
        s->value[k][row] = value[k];
        s->sd[k][row] = hypot(scale * sd[k], value[k + 1] * t->clock_sd);
    }
}

static zw_status fill_spline(zw_tracking *t, zw_tracking_series *s, const column *c,
                             double *variance, zw_error *err) {
    zw_smooth spline;
    zw_status status = zw_smooth_create(&spline, c->n, 1, c->t, c->y, c->w, t->frame, c->gap,
                                        &t->arena.alloc, err);
    if (status >= 0)
        status =
            zw_smooth_fit(&spline, is_stated(t, c) ? ZW_SMOOTH_STATED : ZW_SMOOTH_ESTIMATE, err);
    for (long i = 0; status >= 0 && i < t->nrow; i++) {
        double value[3], sd[3];
        bool known = true;
        for (int k = 0; k < 3; k++)
            known = zw_smooth_at(&spline, t->time[i], k, &value[k], &sd[k]) && known;
        if (known)
            set_row(t, s, i, value, sd, 1);
    }
    if (status >= 0)
        *variance = spline.rss / ((double)spline.used - spline.trace);
    zw_smooth_destroy(&spline);
    return status;
}

/* Is there a sample on either side, not farther apart than a gap? */
static bool is_measured(const column *c, double t, long *at) {
    while (*at + 1 < c->n && c->t[*at + 1] <= t)
        ++*at;
    if (c->t[*at] > t)
        return false;
    return c->t[*at] == t || (*at + 1 < c->n && c->t[*at + 1] - c->t[*at] <= c->gap);
}

/* The variance relative to the given one, by cross validation; 1 if there are too few samples. */
static zw_status noise_by_data(zw_tracking *t, const column *c, double *variance, zw_error *err) {
    zw_smooth spline;
    zw_status status = zw_smooth_create(&spline, c->n, 1, c->t, c->y, c->w, t->frame, c->gap,
                                        &t->arena.alloc, err);
    if (status >= 0)
        status = zw_smooth_fit(&spline, ZW_SMOOTH_ESTIMATE, err);
    double left = status < 0 ? 0 : (double)spline.used - spline.trace;
    *variance = left < FREEDOM_TO_JUDGE ? 1 : spline.rss / left;
    zw_smooth_destroy(&spline);
    return status;
}

static zw_status fill_local(zw_tracking *t, zw_tracking_series *s, const column *c,
                            double *variance, zw_error *err) {
    double half = (t->options.window > 0 ? t->options.window : 15 * t->frame) / 2, value[3], sd[3];
    double rss = 0, rest = 0, leverage;
    long at = 0, rows = 0;
    for (long i = 0; i < c->n; i++)
        if (zw_local_fit(c->n, c->t, c->y, c->w, c->t[i], half, t->options.degree, value, sd,
                         &leverage)) {
            rss += c->w[i] * (c->y[i] - value[0]) * (c->y[i] - value[0]);
            rest += 1 - c->w[i] * leverage;
        }
    *variance = rest > 0 ? rss / rest : 0;
    double scale = is_stated(t, c) ? 1 : sqrt(*variance);
    for (long i = 0; i < t->nrow; i++) {
        if (!is_measured(c, t->time[i], &at) ||
            !zw_local_fit(c->n, c->t, c->y, c->w, t->time[i], half, t->options.degree, value, sd,
                          NULL))
            continue;
        rows++;
        set_row(t, s, i, value, sd, scale);
    }
    if (rows == 0)
        return zw_fail(err, ZW_E_NUMERIC, "the window of %.3g s has too few samples of %s",
                       2 * half, s->info.name);
    return ZW_OK;
}

static void warn_noise(zw_tracking *t, const zw_tracking_series *s, double ratio) {
    char key[96];
    snprintf(key, sizeof key, "noise of %.60s", s->info.name);
    zw_warning d = zw_warning_of(
        key, NAN, "the samples of %s scatter by %.2g times their stated standard deviation",
        s->info.name, ratio);
    zw_warning_hint(&d, "the standard deviations of the result are too %s by as much",
                    ratio > 1 ? "small" : "large");
    zw_warnings_add(t->doubts, &d);
}

/* Cross validation and risk choose the smoothing from the samples; 8 samples leave standard
 * deviations of 0.05 to 1.65 times the true ones. */
static void warn_few(zw_tracking *t, const zw_tracking_series *s) {
    char key[96];
    snprintf(key, sizeof key, "few of %.60s", s->info.name);
    zw_warning d =
        zw_warning_of(key, NAN,
                      "%s has %ld samples, too few to separate noise from motion: its standard "
                      "deviations may be wrong by a factor of ten",
                      s->info.name, s->n);
    zw_warning_hint(&d, "give at least %d samples", ENOUGH_SAMPLES);
    zw_warnings_add(t->doubts, &d);
}

static void warn_turns(zw_tracking *t, const zw_tracking_series *s, const column *c) {
    char key[96];
    snprintf(key, sizeof key, "turn of %.60s", s->info.name);
    for (long i = 0; i + 3 < c->n; i++) {
        if (!zw_turn_between(c->t + i, c->y + i))
            continue;
        zw_warning d =
            zw_warning_of(key, c->t[i + 2],
                          "the angle %s jumps by a whole turn, which no motion does: its "
                          "values and rates there are wrong",
                          s->info.name);
        zw_warning_hint(&d, "add the turns in the data, so that it is continuous");
        zw_warnings_add(t->doubts, &d);
    }
}

static zw_status fuse_series(zw_tracking *t, zw_tracking_series *s, zw_error *err) {
    column c;
    double variance = 0;
    for (int k = 0; k < 2; k++) {
        s->value[k] = ZW_NEW(&t->arena, double, t->nrow + 1);
        s->sd[k] = ZW_NEW(&t->arena, double, t->nrow + 1);
        if (t->arena.failed)
            return zw_out_of_memory(err, "tracking data");
        for (long i = 0; i < t->nrow; i++)
            s->value[k][i] = s->sd[k][i] = NAN;
    }
    zw_error why = {0};
    ZW_TRY(make_column(t, s, &c, err));
    zw_status status = t->options.rates == ZW_RATES_LOCAL ? fill_local(t, s, &c, &variance, &why)
                                                          : fill_spline(t, s, &c, &variance, &why);
    if (status < 0) {
        zw_fail(err, status, "the series of %s: %s", s->info.name, why.text);
        return status;
    }
    if (s->n < ENOUGH_SAMPLES)
        warn_few(t, s);
    double *scratch = ZW_NEW(&t->arena, double, s->n + t->nrow);
    if (!scratch)
        return zw_out_of_memory(err, "tracking data");
    for (long i = 0; i < s->n; i++)
        scratch[i] = s->sample[i].sd;
    s->info.samples = s->n;
    s->info.sd = c.weighted ? zw_median(scratch, s->n) : 0;
    s->info.noise = sqrt(variance) * (c.weighted ? s->info.sd : 1);
    memcpy(scratch, s->sd[0], (size_t)t->nrow * sizeof *scratch);
    s->info.result = zw_median(scratch, t->nrow);
    double scatter =
        /* from the data: with too small a deviation the spline follows the noise, and no residual
         * is left */
        1;
    if (is_stated(t, &c) && t->options.rates != ZW_RATES_LOCAL)
        ZW_TRY(noise_by_data(t, &c, &scatter, err));
    if (is_stated(t, &c) && (variance > MORE_VARIANCE || variance < LESS_VARIANCE))
        warn_noise(t, s, sqrt(variance));
    else if (scatter > NOISE_RATIO)
        warn_noise(t, s, sqrt(scatter));
    if (strcmp(t->sys->coord[s - t->series].unit, "rad") == 0)
        warn_turns(t, s, &c);
    return ZW_OK;
}

/* ----------------------------------------------------------------------------------- velocities */

typedef struct rates {
    int n, m; /* velocities; coordinates whose rates contain them */
    int *velocity, *coordinate;
    zw_values *values; /* m x n of F, then m of f */
} rates;

/* The velocities that are no time derivatives, and the measured coordinates they move. */
static zw_status find_rates(zw_tracking *t, rates *r, zw_error *err) {
    const zw_system *s = t->sys;
    r->velocity = ZW_NEW(&t->arena, int, s->nv + 1);
    r->coordinate = ZW_NEW(&t->arena, int, s->nq + 1);
    zw_expr *e = ZW_NEW(&t->arena, zw_expr, s->nq * (s->nv + 1) + 1);
    if (t->arena.failed)
        return zw_out_of_memory(err, "tracking data");
    for (int j = 0; j < s->nv; j++)
        if (s->velocity[j].coord < 0)
            r->velocity[r->n++] = j;
    for (int i = 0; i < s->nq; i++) {
        bool moved = false;
        for (int k = 0; k < r->n; k++)
            moved = moved || s->F[i * s->nv + r->velocity[k]] != ZW_ZERO;
        if (moved && t->series[i].n > 0)
            r->coordinate[r->m++] = i;
    }
    if (r->n == 0 || r->m < r->n)
        return ZW_OK;
    for (int a = 0; a < r->m; a++) {
        for (int k = 0; k < r->n; k++)
            e[a * r->n + k] = s->F[r->coordinate[a] * s->nv + r->velocity[k]];
        e[r->m * r->n + a] = s->f[r->coordinate[a]];
    }
    return zw_values_create(&r->values, &t->arena, s, r->m * (r->n + 1), e, t->p,
                            "a velocity of the model", err);
}

/* N = F'WF, and its inverse. */
static void solve_row(zw_tracking *t, const rates *r, long row, double *q, double *N, double *b,
                      double *inverse, int *pivot) {
    for (int i = 0; i < t->sys->nq; i++)
        q[i] = t->series[i].n ? t->series[i].value[0][row] : NAN;
    const double *F = zw_values_at(r->values, t->time[row], q), *f = F + r->m * r->n;
    int n = r->n;
    memset(N, 0, sizeof(double) * (size_t)(n * n));
    memset(b, 0, sizeof(double) * (size_t)n);
    for (int a = 0; a < r->m; a++) {
        const zw_tracking_series *s = &t->series[r->coordinate[a]];
        double w = 1 / (s->sd[1][row] * s->sd[1][row]), rest = s->value[1][row] - f[a];
        for (int k = 0; k < n; k++) {
            b[k] += w * F[a * n + k] * rest;
            for (int l = 0; l < n; l++)
                N[k * n + l] += w * F[a * n + k] * F[a * n + l];
        }
    }
    memset(inverse, 0, sizeof(double) * (size_t)(n * n));
    for (int k = 0; k < n; k++)
        inverse[k * n + k] = 1;
    if (!(zw_num_lu(n, N, pivot) > PIVOT_DETERMINED))
        return;
    zw_num_lu_solve(n, N, pivot, n, inverse);
    zw_num_lu_solve(n, N, pivot, 1, b);
    for (int k = 0; k < n; k++) {
        t->velocity[r->velocity[k]][row] = b[k];
        t->velocity_sd[r->velocity[k]][row] = sqrt(fmax(inverse[k * n + k], 0));
    }
}

static zw_status solve_rates(zw_tracking *t, const rates *r, zw_error *err) {
    int n = r->n;
    double *q = ZW_NEW(&t->arena, double, t->sys->nq + 1), *N = ZW_NEW(&t->arena, double, n *n),
           *b = ZW_NEW(&t->arena, double, n), *inverse = ZW_NEW(&t->arena, double, n *n);
    int *pivot = ZW_NEW(&t->arena, int, n);
    for (int k = 0; k < n; k++) {
        int j = r->velocity[k];
        t->velocity[j] = ZW_NEW(&t->arena, double, t->nrow + 1);
        t->velocity_sd[j] = ZW_NEW(&t->arena, double, t->nrow + 1);
        if (t->arena.failed)
            return zw_out_of_memory(err, "tracking data");
        for (long i = 0; i < t->nrow; i++)
            t->velocity[j][i] = t->velocity_sd[j][i] = NAN;
    }
    for (long i = 0; i < t->nrow; i++)
        solve_row(t, r, i, q, N, b, inverse, pivot);
    return ZW_OK;
}

static zw_status find_velocities(zw_tracking *t, zw_error *err) {
    rates r = {0};
    t->velocity = ZW_NEW(&t->arena, double *, t->sys->nv + 1);
    t->velocity_sd = ZW_NEW(&t->arena, double *, t->sys->nv + 1);
    if (t->arena.failed)
        return zw_out_of_memory(err, "tracking data");
    for (int j = 0; j < t->sys->nv; j++) {
        int i = t->sys->velocity[j].coord;
        if (i >= 0 && t->series[i].n) {
            t->velocity[j] = t->series[i].value[1];
            t->velocity_sd[j] = t->series[i].sd[1];
        }
    }
    zw_status status = find_rates(t, &r, err);
    if (status >= 0 && r.values)
        status = solve_rates(t, &r, err);
    zw_values_destroy(r.values);
    return status;
}

zw_status zw_tracking_fuse(zw_tracking *t, zw_error *err) {
    for (int i = 0; i < t->sys->nq; i++)
        if (t->series[i].n)
            qsort(t->series[i].sample, (size_t)t->series[i].n, sizeof(zw_tracking_sample), by_time);
    for (int i = 0; i < t->sys->nq && t->nsight + t->nspot == 0; i++) /* poses were checked */
        ZW_TRY(zw_tracking_reject(t, &t->series[i], err));
    ZW_TRY(find_frame(t, err));
    ZW_TRY(make_times(t, err));
    for (int i = 0; i < t->sys->nq; i++) {
        ZW_TRY(zw_tracking_pause(t, err));
        if (t->series[i].n)
            ZW_TRY(fuse_series(t, &t->series[i], err));
    }
    return find_velocities(t, err);
}
