/* SPDX-License-Identifier: MIT */
/* Amplitudes over time: how a motion settles, beats, or circulates about a stationary one. */
#include <assert.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/arena.h"
#include "base/tolerance.h"
#include "forced.h"
#include "motion/harmonic/balance.h"
#include "motion/notes.h"

/* relative error per step, below the nine digits that tables are compared with */
#define RUN_TOLERANCE 1e-9

typedef struct row_writer {
    const zw_forced *f;
    zw_table *table;
    double *row;
    bool mean;
} row_writer;

/* the columns first(q), cos(q), sin(q), mean(q) */
static zw_status make_columns(const row_writer *r) {
    static const char *const measures[] = {"first", "cos", "sin", "mean"};
    char name[160];
    ZW_TRY(zw_table_column(r->table, "t", "s"));
    for (int i = 0; i < r->f->sys->nq; i++)
        for (int k = 0; k < (r->mean ? 4 : 3); k++) {
            snprintf(name, sizeof name, "%s(%.120s)", measures[k], r->f->sys->coord[i].name);
            ZW_TRY(zw_table_column(r->table, name, r->f->sys->coord[i].unit));
        }
    return ZW_OK;
}

static zw_status write_row(void *user, double t, const double *Z, zw_error *err) {
    row_writer *r = user;
    const zw_forced *f = r->f;
    int n = 0;
    r->row[n++] = t;
    for (int i = 0; i < f->sys->nq; i++) {
        double c, s, mean, unused;
        zw_harmonic_part(f->balance, Z, i, f->options.order, &c, &s);
        zw_harmonic_part(f->balance, Z, i, 0, &mean, &unused);
        r->row[n++] = hypot(c, s);
        r->row[n++] = c;
        r->row[n++] = s;
        if (r->mean)
            r->row[n++] = mean;
    }
    if (zw_table_row(r->table, r->row) < 0)
        return zw_out_of_memory(err, NULL);
    bool stop = f->options.stop && f->options.stop(f->options.stop_user, NAN);
    return stop ? ZW_STOPPED : ZW_OK;
}

/* sets the start: q = c, q' = w s */
static zw_status set_start(zw_forced *f, double w, double *Z, double *scale, zw_error *err) {
    const zw_system *s = f->sys;
    int n = zw_slow_coefficients(f->slow), first = f->options.odd ? 0 : 2 * f->options.order - 1;
    double *x = ZW_NEW(&f->arena, double, s->nq + s->nv + 1);
    zw_said *said = ZW_NEW(&f->arena, zw_said, s->nq + s->nv + 1);
    double *width = ZW_NEW(&f->arena, double, s->nq + 1);
    if (f->arena.failed)
        return zw_out_of_memory(err, NULL);
    ZW_TRY(zw_system_start_said(s, f->p, x, said, width, err));
    for (int i = 0; i < zw_slow_size(f->slow); i++) {
        Z[i] = 0;
        scale[i] = fmax(i / n < s->nq ? f->width[i / n] : 1, ZW_TINY);
    }
    for (int i = 0; i < s->nq; i++) {
        Z[i * n + first] = x[i];
        Z[i * n + first + 1] = i < s->nv ? x[s->nq + i] / w : 0;
    }
    return ZW_OK;
}

zw_status zw_forced_slow_run(zw_forced *f, double until, double step, const zw_model_source *source,
                             zw_table **out, zw_error *err) {
    assert(out);
    zw_allocator alloc = zw_context_allocator(f->sys->ctx);
    double w, slope;
    *out = NULL;
    ZW_TRY(zw_forced_reject_events(f, "the balance of harmonics", err));
    ZW_TRY(zw_forced_reject_cycles(f, "--until", err));
    if (!f->slow)
        return zw_fail(err, ZW_E_OPTION, "there are no slowly varying amplitudes to run");
    double *Z = ZW_NEW(&f->arena, double, zw_slow_size(f->slow) + 1),
           *scale = ZW_NEW(&f->arena, double, zw_slow_size(f->slow) + 1);
    row_writer r = {.f = f,
                    .table = zw_table_create(&alloc),
                    .row = ZW_NEW(&f->arena, double, 4 * f->sys->nq + 2),
                    .mean = !f->options.odd};
    zw_status status = f->arena.failed || !r.table ? zw_out_of_memory(err, NULL) : make_columns(&r);
    if (status >= 0)
        status = zw_study_origin(r.table, f->sys, f->eq.principle, f->p, f->options.active, source,
                                 "amplitudes");
    if (status >= 0)
        status = zw_forced_set(f, NAN, f->now, &w, &slope, err);
    if (status >= 0) {
        zw_slow_set(f->slow, f->now, w);
        status = set_start(f, w, Z, scale, err);
    }
    if (status >= 0)
        status = zw_slow_run(f->slow, Z, scale, until, step, RUN_TOLERANCE, write_row, &r, err);
    if (status < 0)
        zw_table_destroy(r.table);
    else
        *out = r.table;
    return status;
}
