/* SPDX-License-Identifier: MIT */
/* A run of the whole model near the manifold: its slip velocities, those on the manifold over the
 * same slow point, their distance and its decrease; the rate of attraction of the manifold, K /
 * eps, and its ratio to everything else, the eigenvalues of the whole flow. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/tolerance.h"
#include "motion/notes.h"
#include "num/linear/dense.h"
#include "slip.h"
#include "slow/manifold/manifold.h"

enum {
    DENSE_ROWS = 120,
    ROWS = 200, /* of a run */
    TERMS = 10  /* rows between two computations of the terms */
};
/* of the short run at the start that shows the decrease, in times 1/rate: e^-14 = 1e-6 */
#define RUN_LENGTH 14.0
#define RUN_TOLERANCE 1e-11 /* of runs: far below the distances of a fit */

typedef struct follower {
    zw_slip_manifold *n;
    double *x, *row, *T, *D, *A;
    double *g, gamma[ZW_SLIP_MANIFOLD_FAST_MOST], slow[ZW_SLIP_MANIFOLD_FAST_MOST],
        rate[ZW_SLIP_MANIFOLD_FAST_MOST];
    double distance;
    double term[ZW_MANIFOLD_ORDER_MOST + 1]; /* the largest eps^k g_k along the run */
} follower;

/* Slip velocities, manifold, distance and rates at a state. */
static zw_status evaluate_distance(follower *f, double t, zw_error *err) {
    zw_slip_manifold *n = f->n;
    double power = 1, apart[ZW_SLIP_MANIFOLD_FAST_MOST];
    ZW_TRY(zw_slip_manifold_slips(n, t, f->x, f->gamma, err));
    ZW_TRY(zw_slip_manifold_expand(n, t, f->x, f->g, f->rate, NULL, NULL, err));
    memset(f->slow, 0, sizeof f->slow);
    for (int k = 1; k <= n->order; k++) {
        power *= n->result.eps;
        for (int i = 0; i < n->nf; i++)
            f->slow[i] += power * f->g[k * n->nf + i];
    }
    for (int i = 0; i < n->nf; i++)
        apart[i] = f->gamma[i] - f->slow[i];
    f->distance = zw_slip_manifold_measured(n, apart);
    return ZW_OK;
}

/* The nf fastest eigenvalues of the whole flow against the others, on the manifold. */
static zw_status find_gap(follower *f, double t, double *gap, zw_error *err) {
    zw_slip_manifold *n = f->n;
    zw_dense_eigen e;
    int count;
    double fast = INFINITY, slow = 0;
    zw_slip_manifold_state(n, f->slow, n->x);
    ZW_TRY(zw_flow_tangent(n->flow, t, n->x, ZW_METRIC_MASS, &count, f->T, f->D, err));
    ZW_TRY(zw_flow_local_jacobian(n->flow, t, n->x, count, f->D, f->A, err));
    zw_arena_mark mark = zw_arena_mark_now(&n->arena);
    if (!zw_dense_eigenvalues(&n->arena, count, f->A, &e))
        return zw_dense_failure(&n->arena, err);
    for (int i = 0; i < count; i++) {
        int before = 0; /* number of those that decay faster */
        for (int k = 0; k < count; k++)
            before += e.re[k] < e.re[i] || (k < i && e.re[k] == e.re[i]);
        if (before < n->nf)
            fast = fmin(fast, -e.re[i]);
        else
            slow = fmax(slow, hypot(e.re[i], e.im[i]));
    }
    zw_arena_release(&n->arena, mark);
    *gap = slow > ZW_ROUNDOFF_SUM * fast ? fast / slow : INFINITY;
    return ZW_OK;
}

/* Two more than requested: every second one may be 0. */
static int term_count(const zw_slip_manifold *n) {
    return n->order + 2 < ZW_MANIFOLD_ORDER_MOST ? n->order + 2 : ZW_MANIFOLD_ORDER_MOST;
}

/* At the last point. */
static zw_status record_terms(follower *f, zw_error *err) {
    zw_slip_manifold *n = f->n;
    zw_error why = {0};
    double power = 1;
    int count = term_count(n);
    /* more orders than requested need not exist */
    if (zw_slip_manifold_orders(n, count, f->g, &why) < 0) {
        count = n->order;
        ZW_TRY(zw_slip_manifold_orders(n, count, f->g, err));
    }
    for (int k = 1; k <= count; k++) {
        power *= n->result.eps;
        f->term[k] = fmax(f->term[k], power * zw_slip_manifold_measured(n, f->g + k * n->nf));
    }
    return ZW_OK;
}

/* Eigenvalues at a point do not contain excitations, nor velocities in axes that do not turn with
 * the body: the terms do. */
static double ratio_of_terms(const follower *f, double speed) {
    double most = 0;
    if (!(f->term[1] > ZW_ROUNDOFF_SUM * speed))
        return NAN;
    for (int k = 2; k <= term_count(f->n); k++)
        most = fmax(most, pow(f->term[k] / f->term[1], 1.0 / (k - 1)));
    return most;
}

static bool allocate_arrays(follower *f) {
    zw_slip_manifold *n = f->n;
    f->x = ZW_SLIP_MANIFOLD_NEW(n, double, n->nx);
    f->row = ZW_SLIP_MANIFOLD_NEW(n, double, 2 + n->nx + 3 * n->nf);
    f->T = ZW_SLIP_MANIFOLD_NEW(n, double, n->nx * n->nx);
    f->D = ZW_SLIP_MANIFOLD_NEW(n, double, n->nx * n->nx);
    f->A = ZW_SLIP_MANIFOLD_NEW(n, double, n->nx * n->nx);
    f->g = ZW_SLIP_MANIFOLD_NEW(n, double, (n->order + 3) * n->nf);
    return !n->arena.failed;
}

zw_status zw_slip_manifold_gap(zw_slip_manifold *n, double t, const double *x, double *gap,
                               zw_error *err) {
    zw_arena_mark mark = zw_arena_mark_now(&n->arena);
    follower f = {.n = n};
    zw_status status = allocate_arrays(&f) ? ZW_OK : zw_slip_manifold_memory(err);
    if (status >= 0) {
        memcpy(f.x, x, (size_t)n->nx * sizeof *x);
        status = evaluate_distance(&f, t, err);
    }
    if (status >= 0)
        status = find_gap(&f, t, gap, err);
    zw_arena_release(&n->arena, mark);
    return status;
}

static zw_status begin_run(zw_slip_manifold *n, zw_run **run, zw_error *err) {
    zw_run_options o = zw_run_options_default();
    o.rtol = o.atol = RUN_TOLERANCE;
    ZW_TRY(zw_run_create(run, n->kernel, n->p, &o, err));
    zw_run_on_want(*run, zw_kernel_serve, n->kernel);
    return zw_run_start(*run, 0, n->start, err);
}

static zw_status advance_run(follower *f, zw_run *run, double t, zw_error *err) {
    zw_status status = ZW_OK;
    int event;
    if (t > 0)
        do
            status = zw_run_advance(run, t, &event, err);
        while (status == ZW_EVENT);
    memcpy(f->x, zw_run_state(run), (size_t)f->n->nx * sizeof *f->x);
    return status;
}

/* A short run with dense rows. */
static zw_status measure_fall(follower *f, zw_slip_manifold_along *out, zw_error *err) {
    double t[DENSE_ROWS], d[DENSE_ROWS], r[DENSE_ROWS], fast[DENSE_ROWS],
        until = RUN_LENGTH / -f->rate[0];
    zw_manifold_approach other = {.predicted = NAN};
    zw_run *run = NULL;
    zw_status status = begin_run(f->n, &run, err);
    for (int i = 0; status >= 0 && i < DENSE_ROWS; i++) {
        t[i] = until * i / (DENSE_ROWS - 1);
        status = advance_run(f, run, t[i], err);
        if (status >= 0)
            status = evaluate_distance(f, t[i], err);
        d[i] = f->distance;
        r[i] = f->rate[0];
        fast[i] = f->rate[f->n->nf - 1];
    }
    zw_run_destroy(run);
    ZW_TRY(status);
    zw_manifold_fit(DENSE_ROWS, t, d, r, &out->approach);
    zw_manifold_fit(DENSE_ROWS, t, d, fast, &other);
    out->fastest = other.predicted;
    return ZW_OK;
}

/* ---------------------------------------------------------------------------------------- table */

static zw_status name_columns(const follower *f, zw_table *t) {
    char name[200];
    const zw_slip_manifold *n = f->n;
    const zw_slip_manifold_result *r = &n->result;
    ZW_TRY(zw_table_column(t, "t", "s"));
    for (int i = 0; i < n->nq; i++)
        ZW_TRY(zw_table_column(t, n->sys->coord[i].name, n->sys->coord[i].unit));
    for (int i = 0; i < n->nv; i++)
        ZW_TRY(zw_table_column(t, n->sys->velocity[i].name, n->sys->velocity[i].unit));
    for (int i = 0; i < n->nf; i++) {
        static const char *const kind[] = {"slip", "slow", "distance"};
        for (int k = 0; k < 3; k++) {
            snprintf(name, sizeof name, "%s(%.150s)", kind[k], r->name[i]);
            ZW_TRY(zw_table_column(t, name, r->unit[i]));
        }
    }
    return zw_table_column(t, "attraction", "1/s");
}

static zw_status put_row(follower *f, double t, zw_table *table, zw_error *err) {
    const zw_slip_manifold *n = f->n;
    int k = 0;
    if (!table)
        return ZW_OK;
    f->row[k++] = t;
    for (int i = 0; i < n->nx; i++)
        f->row[k++] = f->x[i];
    for (int i = 0; i < n->nf; i++) {
        f->row[k++] = f->gamma[i];
        f->row[k++] = f->slow[i];
        f->row[k++] = f->gamma[i] - f->slow[i];
    }
    f->row[k++] = -f->rate[0];
    return zw_table_row(table, f->row) < 0 ? zw_table_out_of_memory(table, err) : ZW_OK;
}

static zw_status follow_motion(follower *f, double until, double step, zw_slip_manifold_along *out,
                               zw_table *table, zw_error *err) {
    zw_slip_manifold *n = f->n;
    zw_run *run = NULL;
    long count = (long)ceil(until / step - ZW_SAME_VALUE);
    double speed = 0, gap = INFINITY;
    zw_status status = begin_run(n, &run, err);
    for (long i = 0; status >= 0 && i <= count; i++) {
        double t = i == count ? until : step * (double)i;
        status = advance_run(f, run, t, err);
        if (status >= 0)
            status = evaluate_distance(f, t, err);
        if (status >= 0)
            status = put_row(f, t, table, err);
        if (status >= 0 && i % TERMS == 0)
            status = record_terms(f, err);
        if (status < 0)
            break;
        if (i == 0)
            out->approach.start = f->distance;
        out->approach.end = f->distance;
        if (-f->rate[0] < out->least) {
            out->least = -f->rate[0];
            out->at = t;
        }
        out->most = fmax(out->most, -f->rate[0]);
        out->slip = fmax(out->slip, zw_slip_manifold_measured(n, f->slow));
        if (t * out->least > RUN_LENGTH)
            out->apart = fmax(out->apart, f->distance);
        speed = fmax(speed, n->point.speed);
        status = find_gap(f, t, &gap, err);
        if (status >= 0 && gap < out->gap) {
            out->gap = gap;
            out->gap_at = t;
        }
    }
    out->slip = speed > 0 ? out->slip / speed : NAN;
    out->apart = speed > 0 ? out->apart / speed : NAN;
    out->ratio = ratio_of_terms(f, speed);
    zw_run_destroy(run);
    return status;
}

static zw_status write_motion(follower *f, double until, double step, const zw_model_source *source,
                              zw_slip_manifold_along *out, zw_table **table, zw_error *err) {
    zw_slip_manifold *n = f->n;
    zw_allocator alloc = zw_context_allocator(n->ctx);
    memcpy(f->x, n->start, (size_t)n->nx * sizeof *f->x);
    ZW_TRY(evaluate_distance(f, 0, err));
    ZW_TRY(measure_fall(f, out, err));
    zw_table *t = table ? zw_table_create(&alloc) : NULL;
    if (table && !t)
        return zw_slip_manifold_memory(err);
    zw_status status =
        t ? zw_study_origin(t, n->sys, "lagrange", n->p, NULL, source, "motion near constraints")
          : ZW_OK;
    if (status >= 0 && t)
        status = name_columns(f, t);
    if (status >= 0)
        status = follow_motion(f, until, step, out, t, err);
    if (status < 0)
        zw_table_destroy(t);
    else if (table)
        *table = t;
    return status;
}

zw_status zw_slip_manifold_follow(zw_slip_manifold *n, double until, double step,
                                  const zw_model_source *source, zw_slip_manifold_along *out,
                                  zw_table **table, zw_error *err) {
    zw_arena_mark mark = zw_arena_mark_now(&n->arena);
    follower f = {.n = n};
    *out = (zw_slip_manifold_along){
        .least = INFINITY, .gap = INFINITY, .at = NAN, .gap_at = NAN, .apart = NAN, .ratio = NAN};
    out->approach = (zw_manifold_approach){.rate = NAN, .predicted = NAN, .until = NAN};
    if (table)
        *table = NULL;
    if (!(until > 0))
        return zw_fail(err, ZW_E_OPTION, "a run needs a positive time");
    zw_status status = allocate_arrays(&f) ? write_motion(&f, until, step > 0 ? step : until / ROWS,
                                                          source, out, table, err)
                                           : zw_slip_manifold_memory(err);
    zw_arena_release(&n->arena, mark);
    return status;
}
