/* SPDX-License-Identifier: MIT */
/* The result of tracking as tables. */
#include <assert.h>
#include <math.h>
#include <stdio.h>

#include "base/arena.h"
#include "motion/notes.h"
#include "tracking.h"

static const char *time_unit(const zw_tracking *t) {
    return t->sys->no_units ? "" : "s";
}

/* A column of the result: entry i of x = (q, v); NULL if it was not measured. */
static const double *values_of(const zw_tracking *t, int i, const double **sd, const char **name,
                               const char **unit) {
    int nq = t->sys->nq;
    *sd = i < nq ? t->series[i].sd[0] : t->velocity_sd[i - nq];
    *name = i < nq ? t->sys->coord[i].name : t->sys->velocity[i - nq].name;
    *unit = i < nq ? t->sys->coord[i].unit : t->sys->velocity[i - nq].unit;
    return i < nq ? t->series[i].value[0] : t->velocity[i - nq];
}

static zw_status add_columns(const zw_tracking *t, zw_table *out) {
    const double *sd;
    const char *name, *unit;
    char text[300];
    ZW_TRY(zw_table_column(out, "t", time_unit(t)));
    for (int deviations = 0; deviations < 2; deviations++)
        for (int i = 0; i < t->sys->nq + t->sys->nv; i++) {
            if (!values_of(t, i, &sd, &name, &unit))
                continue;
            snprintf(text, sizeof text, deviations ? "sd(%s)" : "%s", name);
            ZW_TRY(zw_table_column(out, text, unit));
        }
    return ZW_OK;
}

static zw_status add_rows(const zw_tracking *t, zw_table *out, double *row) {
    const double *sd;
    const char *name, *unit;
    for (long r = 0; r < t->nrow; r++) {
        int k = 0;
        row[k++] = t->time[r];
        for (int deviations = 0; deviations < 2; deviations++)
            for (int i = 0; i < t->sys->nq + t->sys->nv; i++) {
                const double *value = values_of(t, i, &sd, &name, &unit);
                if (value)
                    row[k++] = deviations ? sd[r] : value[r];
            }
        ZW_TRY(zw_table_row(out, row));
    }
    return ZW_OK;
}

static zw_status add_notes(const zw_tracking *t, const zw_model_source *source, zw_table *out,
                           const char *kind) {
    char key[128];
    ZW_TRY(zw_study_origin(out, t->sys, "lagrange", t->p, NULL, source, kind));
    for (int c = 0; c < t->neye; c++) {
        const zw_tracking_camera *e = &t->eye[c].info;
        snprintf(key, sizeof key, "delay %.100s", e->name);
        if (e->linked)
            ZW_TRY(zw_study_note_value(out, key, e->delay, time_unit(t)));
    }
    return ZW_OK;
}

zw_status zw_tracking_table(const zw_tracking *t, const zw_model_source *source, zw_table **out,
                            zw_error *err) {
    assert(out);
    zw_table *table = zw_table_create(&t->arena.alloc);
    zw_arena arena;
    zw_arena_init(&arena, &t->arena.alloc);
    double *row = ZW_NEW(&arena, double, 2 * (t->sys->nq + t->sys->nv) + 1);
    zw_status status = table && row ? ZW_OK : ZW_E_MEMORY;
    *out = NULL;
    if (status >= 0)
        status = add_columns(t, table);
    if (status >= 0)
        status = add_rows(t, table, row);
    if (status >= 0)
        status = add_notes(t, source, table, "measured motion");
    zw_arena_clear(&arena);
    if (status < 0) {
        zw_table_destroy(table);
        return zw_out_of_memory(err, "tracking data");
    }
    *out = table;
    return ZW_OK;
}

/* -------------------------------------------------------------------------------------- samples */

static bool has_deviations(const zw_tracking_series *s) {
    for (long i = 0; i < s->n; i++)
        if (!(s->sample[i].sd > 0))
            return false;
    return true;
}

static zw_status sample_columns(const zw_tracking *t, zw_table *out) {
    char text[300];
    ZW_TRY(zw_table_column(out, "t", time_unit(t)));
    for (int i = 0; i < t->sys->nq; i++) {
        const zw_tracking_series *s = &t->series[i];
        if (!s->n)
            continue;
        ZW_TRY(zw_table_column(out, s->info.name, s->info.unit));
        snprintf(text, sizeof text, "sd(%s)", s->info.name);
        if (has_deviations(s))
            ZW_TRY(zw_table_column(out, text, s->info.unit));
    }
    return ZW_OK;
}

/* The samples of a series at one time, by their weights; *at moves past them. */
static void put_sample(const zw_tracking_series *s, bool deviations, double time, long *at,
                       double *row) {
    double weight = 0, sum = 0;
    for (; *at < s->n && s->sample[*at].t == time; ++*at) {
        double w = deviations ? 1 / (s->sample[*at].sd * s->sample[*at].sd) : 1;
        weight += w, sum += w * s->sample[*at].y;
    }
    row[0] = weight > 0 ? sum / weight : NAN;
    if (deviations)
        row[1] = weight > 0 ? 1 / sqrt(weight) : NAN;
}

/* Series are in the order of time: the earliest of their next samples is the next row. */
static zw_status sample_rows(const zw_tracking *t, zw_table *out, long *at, double *row) {
    for (;;) {
        double time = INFINITY;
        int k = 1;
        for (int i = 0; i < t->sys->nq; i++)
            if (at[i] < t->series[i].n)
                time = fmin(time, t->series[i].sample[at[i]].t);
        if (isinf(time))
            return ZW_OK;
        row[0] = time;
        for (int i = 0; i < t->sys->nq; i++) {
            const zw_tracking_series *s = &t->series[i];
            bool deviations = s->n && has_deviations(s);
            if (!s->n)
                continue;
            put_sample(s, deviations, time, &at[i], row + k);
            k += deviations ? 2 : 1;
        }
        ZW_TRY(zw_table_row(out, row));
    }
}

zw_status zw_tracking_samples(const zw_tracking *t, const zw_model_source *source, zw_table **out,
                              zw_error *err) {
    assert(out);
    zw_table *table = zw_table_create(&t->arena.alloc);
    zw_arena arena;
    zw_arena_init(&arena, &t->arena.alloc);
    double *row = ZW_NEW(&arena, double, 2 * t->sys->nq + 1);
    long *at = ZW_NEW(&arena, long, t->sys->nq + 1);
    zw_status status = table && row && at ? ZW_OK : ZW_E_MEMORY;
    *out = NULL;
    if (status >= 0)
        status = sample_columns(t, table);
    if (status >= 0)
        status = sample_rows(t, table, at, row);
    if (status >= 0)
        status = add_notes(t, source, table, "measured samples");
    zw_arena_clear(&arena);
    if (status < 0) {
        zw_table_destroy(table);
        return zw_out_of_memory(err, "tracking data");
    }
    *out = table;
    return ZW_OK;
}
