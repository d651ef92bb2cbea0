/* SPDX-License-Identifier: MIT */
/* The fitted motions as a table. */
#include <assert.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/arena.h"
#include "base/text.h"
#include "fit.h"
#include "motion/notes.h"
#include "zwang/expr.h"

#define WHOLE_STEPS 1e-6 /* of a step: an interval of whole steps gets no additional row */

enum { ROWS_LEAST = 400 }; /* rows of a table of the motion, for a smooth curve */

/* As many digits as the error permits. */
static void put_value(zw_text *out, double value, double error) {
    if (isnan(error)) {
        zw_text_printf(out, "%.8g", value);
    } else if (isinf(error)) {
        zw_text_printf(out, "%.6g, not determined", value);
    } else {
        int whole =
            error > 0 ? (int)floor(log10(fmax(fabs(value), error)) - floor(log10(error))) + 2 : 10;
        zw_text_printf(out, "%.*g +- %.2g", whole > 12 ? 12 : whole, value, error);
    }
}

/* --------------------------------------------------------------------------------------- tables */

typedef struct motion_writer {
    zw_fit *f;
    zw_fit_experiment *e;
    zw_table *t;
    double *row, *time; /* times of an experiment, including those of the data */
    int *data;          /* row of the data, -1: between them */
    int n, next;
    double *h; /* quantities */
} motion_writer;

/* A row at t, with the state in f->x. */
static zw_status write_row(motion_writer *w, double t, zw_error *err) {
    zw_fit *f = w->f;
    int c = 0, k = w->data[w->next++];
    double *row = w->row;
    ZW_TRY(zw_fit_values_at(f, t, w->h, err));
    if (f->E > 1)
        row[c++] = (double)(w->e - f->experiment) + 1;
    row[c++] = t;
    for (int i = 0; i < f->nx; i++)
        row[c++] = f->x[i];
    for (int q = 0; q < f->nq; q++)
        if (f->quantity[q].kind != ZW_DRIVE_STATE)
            row[c++] = w->h[q];
    for (int q = 0; q < f->nq; q++) {
        double y = k < 0 ? NAN : w->e->y[k * f->nq + q],
               s = k < 0 ? NAN : zw_fit_sigma(f, w->e, k, q);
        row[c++] = y;
        row[c++] = isnan(y) ? NAN : s;
        row[c++] = y - s;
        row[c++] = y + s;
        row[c++] = (y - w->h[q]) / s;
    }
    return zw_table_row(w->t, row) < 0 ? zw_table_out_of_memory(w->t, err) : ZW_OK;
}

static zw_status on_piece(void *self, zw_run *run, double t0, double t1, zw_error *err) {
    motion_writer *w = self;
    (void)t0;
    while (w->next < w->n && w->time[w->next] <= t1) {
        double t = w->time[w->next];
        ZW_TRY(zw_run_dense(run, t, w->f->x, err));
        ZW_TRY(write_row(w, t, err));
    }
    return ZW_OK;
}

static zw_status add_columns(motion_writer *w) {
    static const char *const kind[] = {"data", "sd", "low", "high", "residual"};
    const zw_fit *f = w->f;
    char name[300];
    if (f->E > 1)
        ZW_TRY(zw_table_column(w->t, "experiment", ""));
    ZW_TRY(zw_table_column(w->t, "t", f->sys->no_units ? "" : "s"));
    for (int i = 0; i < f->nx; i++)
        ZW_TRY(zw_table_column(w->t, f->state[i], f->state_unit[i]));
    for (int q = 0; q < f->nq; q++)
        if (f->quantity[q].kind != ZW_DRIVE_STATE)
            ZW_TRY(zw_table_column(w->t, f->quantity[q].name, f->quantity[q].unit));
    for (int q = 0; q < f->nq; q++)
        for (int k = 0; k < 5; k++) {
            snprintf(name, sizeof name, "%s(%.200s)", kind[k], f->quantity[q].name);
            ZW_TRY(zw_table_column(w->t, name, k < 4 ? f->quantity[q].unit : ""));
        }
    return ZW_OK;
}

/* Rows of the motion between two times of the data: no two rows are farther apart than a part of
 * the whole. */
static int rows_between(const zw_fit_experiment *e, int k) {
    double step = (e->t[e->nrow - 1] - e->t[0]) / ROWS_LEAST;
    return k + 1 < e->nrow ? (int)ceil((e->t[k + 1] - e->t[k]) / step - WHOLE_STEPS) - 1 : 0;
}

/* Times of the data, and some between them. */
static zw_status list_times(motion_writer *w, zw_error *err) {
    const zw_fit_experiment *e = w->e;
    size_t scratch = (size_t)e->nrow + ROWS_LEAST + 1;
    w->time = ZW_NEW(&w->f->arena, double, scratch);
    w->data = ZW_NEW(&w->f->arena, int, scratch);
    if (w->f->arena.failed)
        return zw_out_of_memory(err, NULL);
    w->n = w->next = 0;
    for (int k = 0; k < e->nrow; k++) {
        w->time[w->n] = e->t[k];
        w->data[w->n++] = k;
        int between = rows_between(e, k);
        for (int i = 1; i <= between; i++) {
            w->time[w->n] = e->t[k] + (e->t[k + 1] - e->t[k]) * i / (between + 1);
            w->data[w->n++] = -1;
        }
    }
    return ZW_OK;
}

static zw_status write_experiment(motion_writer *w, zw_error *err) {
    zw_fit *f = w->f;
    zw_fit_experiment *e = w->e;
    ZW_TRY(list_times(w, err));
    memcpy(e->tried, e->value, sizeof(double) * (size_t)f->P);
    f->now = e;
    ZW_TRY(zw_fit_set_parameters(f, e, e->value, err));
    e->nact = 0;
    int all = w->n;
    for (int k = 0; k < e->K; k++) {
        double last = k + 1 < e->K ? e->node[k + 1].t : INFINITY;
        for (w->n = w->next; w->n < all && w->time[w->n] < last;)
            w->n++;
        f->leg.trail = NULL;
        f->leg.part = on_piece;
        f->leg.part_self = w;
        ZW_TRY(
            zw_fit_pass(f, k, e->node[k].t, e->node[k].x, e->node[k + 1].t, e->node[k].end, err));
        memcpy(f->x, e->node[k].end, sizeof(double) * (size_t)f->nx);
        while (w->next < w->n)
            ZW_TRY(write_row(w, w->time[w->next], err));
    }
    return ZW_OK;
}

static zw_status add_notes(motion_writer *w, const zw_model_source *source, zw_error *err) {
    zw_fit *f = w->f;
    zw_text names;
    zw_text_init(&names, &f->arena.alloc);
    zw_status status = zw_study_origin(w->t, f->sys, f->principle, f->p, NULL, source, "fit");
    for (int q = 0; q < f->nq; q++)
        zw_text_printf(&names, "%s%s", q ? "," : "", f->quantity[q].name);
    if (status >= 0)
        status = names.failed ? ZW_E_MEMORY : zw_table_note(w->t, "measured", zw_text_get(&names));
    for (int i = 0; i < zw_fit_values(f) && status >= 0; i++) {
        zw_fit_value v = zw_fit_value_at(f, i);
        zw_text_clear(&names);
        zw_text_init(&names, &f->arena.alloc);
        put_value(&names, v.value, v.error);
        zw_text_printf(&names, "%s%s", v.unit[0] ? " " : "", v.unit);
        char key[200];
        if (v.experiment >= 0)
            snprintf(key, sizeof key, "%s %.100s of experiment %d", v.is_start ? "start" : "fitted",
                     v.name, v.experiment + 1);
        else
            snprintf(key, sizeof key, "fitted %.100s", v.name);
        status = names.failed ? ZW_E_MEMORY : zw_table_note(w->t, key, zw_text_get(&names));
    }
    for (int i = 0; i < f->E && status >= 0; i++) {
        char key[40];
        snprintf(key, sizeof key, "experiment %d", i + 1);
        status = zw_table_note(w->t, key, f->experiment[i].name);
    }
    if (status >= 0)
        status = zw_warnings_note(f->doubts, w->t);
    zw_text_clear(&names);
    return status < 0 ? zw_fail(err, status, "out of memory") : ZW_OK;
}

zw_status zw_fit_table(zw_fit *f, const zw_model_source *source, zw_table **out, zw_error *err) {
    assert(out);
    motion_writer w = {.f = f};
    *out = NULL;
    zw_arena_mark mark = zw_arena_mark_now(&f->arena);
    w.t = zw_table_create(&f->arena.alloc);
    w.h = ZW_NEW(&f->arena, double, f->nq + 1);
    w.row = ZW_NEW(&f->arena, double, 2 + f->nx + 6 * f->nq + 1);
    zw_status status =
        w.t && w.h && w.row && add_columns(&w) >= 0 ? ZW_OK : zw_out_of_memory(err, NULL);
    for (int i = 0; i < f->E && status >= 0; i++) {
        w.e = &f->experiment[i];
        for (int c = 0; c < zw_table_columns(w.t); c++) /* a gap in lines */
            w.row[c] = c == 0 ? (double)i : (double)NAN;
        if (i > 0 && zw_table_row(w.t, w.row) < 0)
            status = zw_table_out_of_memory(w.t, err);
        if (status >= 0)
            status = write_experiment(&w, err);
    }
    if (status >= 0)
        status = add_notes(&w, source, err);
    zw_arena_release(&f->arena, mark);
    if (status < 0)
        zw_table_destroy(w.t);
    else
        *out = w.t;
    return status;
}
