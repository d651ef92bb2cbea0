/* SPDX-License-Identifier: MIT */
/* A run near the manifold: its distance d = y - h(x), and the rate at which it decreases. By d' =
 * (dg/dy / eps) d + O(1) the rate is the largest real part of the eigenvalues of dg/dy / eps. The
 * measured rate is the slope of log |d| by least squares, over a separate short run with dense
 * rows, from the start down to ABOVE_REST times the remaining distance, the largest of the last
 * quarter of that run; |d| is the root of the sum of squares. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "manifold.h"
#include "motion/notes.h"
#include "zwang/simulate.h"

enum {
    DENSE_ROWS = 240, /* rows of the short run */
    FITTED_LEAST = 8  /* rows of a fit */
};
#define RUN_LENGTH 14.0 /* of the short run, in times 1/rate: e^-14 = 1e-6 */
/* times the remaining distance, where the fit ends: its bias is less than the inverse */
#define ABOVE_REST 30
#define FITTED_RATIO 7.4       /* least ratio of the distances of a fit: e^2 */
#define RUN_TOLERANCE 1e-11    /* of runs: far below the distances of a fit */
#define DISTANCE_RESOLVED 1e-9 /* of the first distance: below, errors of the run */

typedef struct follower {
    zw_manifold *m;
    int order, nx, ny;
    double *x, *y, *y_0, *h, *slope;
    int *column; /* of slow, then fast variables in the rows */
} follower;

static zw_status init_follower(follower *f, zw_manifold *m, int order, zw_error *err) {
    int nx = m->result.nx, ny = m->result.ny;
    *f = (follower){m,
                    order,
                    nx,
                    ny,
                    ZW_MANIFOLD_NEW(m, double, nx),
                    ZW_MANIFOLD_NEW(m, double, ny),
                    ZW_MANIFOLD_NEW(m, double, ny),
                    ZW_MANIFOLD_NEW(m, double, ny),
                    ZW_MANIFOLD_NEW(m, double, ny *ny),
                    ZW_MANIFOLD_NEW(m, int, nx + ny)};
    if (m->arena.failed)
        return zw_manifold_memory(err);
    if (order < 0 || order > m->result.norder)
        return zw_fail(err, ZW_E_OPTION, "the manifold is known up to order %d", m->result.norder);
    return ZW_OK;
}

static void find_columns(follower *f, const zw_table *rows) {
    for (int i = 0; i < f->nx; i++)
        f->column[i] = zw_table_find(rows, f->m->x[i].name);
    for (int j = 0; j < f->ny; j++)
        f->column[f->nx + j] = zw_table_find(rows, f->m->y[j].name);
}

/* The distance at a row and the rate of attraction there; the manifold may end before it. */
static bool evaluate_distance(follower *f, const zw_table *rows, long k, double *distance,
                              double *rate) {
    zw_manifold *m = f->m;
    zw_fast_rates rates;
    double eps = m->result.eps;
    zw_error why = {0};
    for (int i = 0; i < f->nx; i++)
        f->x[i] = zw_table_at(rows, k, f->column[i]);
    for (int j = 0; j < f->ny; j++)
        f->y[j] = zw_table_at(rows, k, f->column[f->nx + j]);
    memcpy(f->y_0, f->y, (size_t)f->ny * sizeof *f->y); /* the nearest branch */
    if (zw_manifold_at(m, f->order, f->x, eps, f->y_0, f->h, &why) != ZW_OK)
        return false;
    zw_manifold_values(m, f->ny * f->ny, m->g_y, f->x, f->y_0, 0, f->slope);
    if (!zw_manifold_spectrum(m, f->slope, &rates))
        return false;
    *rate = rates.largest / eps;
    *distance = 0;
    for (int j = 0; j < f->ny; j++)
        *distance += (f->y[j] - f->h[j]) * (f->y[j] - f->h[j]);
    *distance = sqrt(*distance);
    return isfinite(*distance);
}

static zw_status simulate_model(zw_manifold *m, double until, double step,
                                const zw_model_source *source, zw_sim **out, zw_error *err) {
    zw_sim_options o = zw_sim_options_default();
    o.until = until;
    o.step_out = step;
    o.run.rtol = o.run.atol = RUN_TOLERANCE;
    ZW_TRY(zw_sim_create(out, m->sys, source, &o, err));
    return zw_sim_run(*out, err);
}

/* ----------------------------------------------------------------------------------------- rate */

/* The slope of log d over t, by least squares, over n rows. */
static double slope_of(int n, const double *t, const double *d) {
    double mt = 0, ml = 0, tt = 0, tl = 0;
    for (int i = 0; i < n; i++) {
        mt += t[i] / n;
        ml += log(d[i]) / n;
    }
    for (int i = 0; i < n; i++) {
        tt += (t[i] - mt) * (t[i] - mt);
        tl += (t[i] - mt) * (log(d[i]) - ml);
    }
    return tl / tt;
}

void zw_manifold_fit(int n, const double *t, const double *d, const double *r,
                     zw_manifold_approach *out) {
    double rest = 0, mean = 0;
    int fitted = 0;
    for (int k = 3 * n / 4; k < n; k++)
        rest = fmax(rest, d[k]);
    while (fitted < n && d[fitted] > ABOVE_REST * rest && d[fitted] > DISTANCE_RESOLVED * d[0])
        mean += r[fitted++];
    if (fitted < FITTED_LEAST || d[0] < FITTED_RATIO * d[fitted - 1])
        return;
    out->rate = -slope_of(fitted, t, d);
    out->predicted = -mean / fitted;
    out->until = t[fitted - 1];
}

/* Over RUN_LENGTH times 1/rate, or the whole run if it is shorter. */
static zw_status measure_rate(follower *f, double rate, double most, zw_manifold_approach *out,
                              zw_error *err) {
    zw_sim *sim = NULL;
    double until = fmin(most, RUN_LENGTH / fabs(rate)), t[DENSE_ROWS + 2], d[DENSE_ROWS + 2],
           r[DENSE_ROWS + 2];
    int n = 0;
    zw_status status = simulate_model(f->m, until, until / DENSE_ROWS, NULL, &sim, err);
    if (status >= 0) {
        const zw_table *rows = zw_sim_rows(sim);
        find_columns(f, rows);
        for (long k = 0; k < zw_table_rows(rows) && n < DENSE_ROWS; k++) {
            if (!evaluate_distance(f, rows, k, &d[n], &r[n]))
                break;
            t[n++] = zw_table_at(rows, k, 0);
        }
        zw_manifold_fit(n, t, d, r, out);
    }
    zw_sim_destroy(sim);
    return status;
}

/* ---------------------------------------------------------------------------------------- table */

static zw_status name_columns(follower *f, zw_table *t) {
    char name[200];
    const zw_manifold *m = f->m;
    ZW_TRY(zw_table_column(t, "t", "s"));
    for (int i = 0; i < f->nx; i++)
        ZW_TRY(zw_table_column(t, m->x[i].name, m->x[i].unit));
    for (int j = 0; j < f->ny; j++)
        ZW_TRY(zw_table_column(t, m->y[j].name, m->y[j].unit));
    for (int j = 0; j < f->ny; j++) {
        snprintf(name, sizeof name, "slow(%.150s)", m->y[j].name);
        ZW_TRY(zw_table_column(t, name, m->y[j].unit));
        snprintf(name, sizeof name, "distance(%.150s)", m->y[j].name);
        ZW_TRY(zw_table_column(t, name, m->y[j].unit));
    }
    return zw_table_column(t, "attraction", "1/s");
}

static zw_status fill_table(follower *f, const zw_table *rows, zw_table *t,
                            zw_manifold_approach *out) {
    double row[4 * ZW_MANIFOLD_FAST_MOST + 64], distance, rate;
    find_columns(f, rows);
    for (long k = 0; k < zw_table_rows(rows); k++) {
        int n = 0;
        bool there = evaluate_distance(f, rows, k, &distance, &rate);
        row[n++] = zw_table_at(rows, k, 0);
        for (int i = 0; i < f->nx && i < 60; i++)
            row[n++] = f->x[i];
        for (int j = 0; j < f->ny; j++)
            row[n++] = f->y[j];
        for (int j = 0; j < f->ny; j++) {
            row[n++] = there ? f->h[j] : NAN;
            row[n++] = there ? f->y[j] - f->h[j] : NAN;
        }
        row[n++] = there ? -rate : NAN;
        if (k == 0)
            out->start = there ? distance : NAN;
        out->end = there ? distance : NAN;
        if (t)
            ZW_TRY(zw_table_row(t, row));
    }
    return ZW_OK;
}

zw_status zw_manifold_follow(zw_manifold *m, int order, double until, double step,
                             const zw_model_source *source, zw_manifold_approach *out,
                             zw_table **table, zw_error *err) {
    zw_allocator alloc = zw_context_allocator(m->ctx);
    follower f;
    zw_sim *sim = NULL;
    zw_table *t = NULL;
    double distance, rate;
    *out = (zw_manifold_approach){.rate = NAN, .predicted = NAN, .until = NAN};
    ZW_TRY(init_follower(&f, m, order, err));
    if (m->result.nx > 60)
        return zw_fail(err, ZW_E_MODEL, "more than 60 slow variables");
    zw_status status = simulate_model(m, until, step > 0 ? step : until / 1000, source, &sim, err);
    if (status >= 0) {
        find_columns(&f, zw_sim_rows(sim));
        if (evaluate_distance(&f, zw_sim_rows(sim), 0, &distance, &rate) && rate != 0)
            status = measure_rate(&f, rate, until, out, err);
    }
    if (status >= 0 && table) {
        t = zw_table_create(&alloc);
        status = t ? zw_study_origin(t, m->sys, "lagrange", m->p, NULL, source,
                                     "motion near the slow manifold")
                   : zw_manifold_memory(err);
        if (status >= 0)
            status = name_columns(&f, t);
    }
    if (status >= 0)
        status = fill_table(&f, zw_sim_rows(sim), t, out);
    zw_sim_destroy(sim);
    if (status < 0) {
        zw_table_destroy(t);
        t = NULL;
    }
    if (table)
        *table = t;
    return status;
}
