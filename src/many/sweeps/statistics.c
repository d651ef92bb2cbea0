/* SPDX-License-Identifier: MIT */
/* The samples of one point of the grid are neighbours, so that only these are stored. A motion may
 * have several rows (in time, or along a chain): the rows k of all motions belong together. */
#include "zwang/survey.h"

#include <assert.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/arena.h"
#include "survey.h"

enum { QUANTILES_MAX = 32 }; /* of a measure */

struct zw_statistics {
    const zw_survey *s;
    int nquantile;
    double quantile[QUANTILES_MAX];
    int nkept, kept[ZW_PLAN_AXES + 2]; /* columns that identify the point: axes, sweep, t */
    int nmeasure, measure;             /* and the measured columns */
    uint64_t samples;
    /* The present group. */
    bool any;
    uint64_t group, motion;
    long k, nrow, capacity; /* row of the motion; rows of the group; allocated rows */
    double *head;           /* capacity x nkept */
    double *value;          /* capacity x samples x nmeasure */
    uint64_t *n;            /* capacity: samples */
    double *sorted, *out;   /* samples; a row of the table */
    zw_table *table;
    bool failed;
    bool foreign_row; /* a row did not belong to the plan */
};

/* ---- columns ---- */

static void choose_columns(zw_statistics *st) {
    const zw_survey *s = st->s;
    for (int i = 0; i < s->naxis; i++)
        if (zw_plan_axis(s->plan, i)->n > 0)
            st->kept[st->nkept++] = i;
    if (s->column_sweep >= 0)
        st->kept[st->nkept++] = s->column_sweep;
    if (s->column_t >= 0)
        st->kept[st->nkept++] = s->column_t;
    st->measure = s->column_measure;
    st->nmeasure = s->measures.n;
}

static zw_status add_column(zw_table *t, const char *what, const char *of, const char *unit) {
    char name[ZW_MEASURE_NAME + 32];
    snprintf(name, sizeof name, "%s(%s)", what, of);
    return zw_table_column(t, name, unit);
}

/* The decimals of 0.05, 0.5, 0.975: q05, q50, q975; at least two. */
static void name_quantile(double q, char *out, size_t size) {
    char text[24];
    snprintf(text, sizeof text, "%.10f", q);
    size_t n = strlen(text);
    while (n > 4 && text[n - 1] == '0')
        text[--n] = '\0';
    snprintf(out, size, "q%s", q < 1 ? text + 2 : "100");
}

static zw_status make_columns(zw_statistics *st) {
    const zw_table *from = st->s->table;
    char q[24];
    for (int i = 0; i < st->nkept; i++)
        ZW_TRY(zw_table_column(st->table, zw_table_name(from, st->kept[i]),
                               zw_table_unit(from, st->kept[i])));
    for (int i = 0; i < st->nmeasure; i++) {
        const char *name = zw_table_name(from, st->measure + i);
        const char *unit = zw_table_unit(from, st->measure + i);
        ZW_TRY(add_column(st->table, "mean", name, unit));
        ZW_TRY(add_column(st->table, "sd", name, unit));
        ZW_TRY(add_column(st->table, "error", name, unit));
        for (int k = 0; k < st->nquantile; k++) {
            name_quantile(st->quantile[k], q, sizeof q);
            ZW_TRY(add_column(st->table, q, name, unit));
        }
        ZW_TRY(add_column(st->table, "count", name, ""));
    }
    for (int i = 0; i < zw_table_notes(from); i++)
        ZW_TRY(zw_table_note(st->table, zw_table_note_key(from, i), zw_table_note_value(from, i)));
    return zw_table_note(st->table, "kind", "statistics");
}

zw_status zw_statistics_create(zw_statistics **out, const zw_survey *s, int nquantile,
                               const double *quantile, zw_error *err) {
    assert(out);
    static const double usual[] = {0.05, 0.25, 0.5, 0.75, 0.95};
    *out = NULL;
    if (!zw_plan_draws(s->plan)) {
        zw_fail(err, ZW_E_OPTION, "statistics need a random quantity, and none is drawn");
        zw_error_hint(err, "--over NAME=normal:MEAN:SD --samples 1000");
        return ZW_E_OPTION;
    }
    if (nquantile < 0 || nquantile > QUANTILES_MAX)
        return zw_fail(err, ZW_E_OPTION, "at most %d quantiles", QUANTILES_MAX);
    for (int i = 0; i < nquantile; i++)
        if (!(quantile[i] >= 0 && quantile[i] <= 1))
            return zw_fail(err, ZW_E_OPTION, "a quantile is from 0 to 1, not %g", quantile[i]);
    zw_statistics *st = calloc(1, sizeof *st);
    if (!st)
        return zw_out_of_memory(err, NULL);
    st->s = s;
    st->nquantile = nquantile ? nquantile : 5;
    memcpy(st->quantile, nquantile ? quantile : usual, sizeof(double) * (size_t)st->nquantile);
    st->samples = zw_plan_samples(s->plan);
    choose_columns(st);
    st->table = zw_table_create(NULL);
    st->sorted = calloc(st->samples, sizeof *st->sorted);
    if (!st->sorted) {
        zw_statistics_destroy(st);
        return zw_fail(err, ZW_E_MEMORY, "out of memory for statistics of %llu samples",
                       (unsigned long long)zw_plan_samples(s->plan));
    }
    st->out = calloc((size_t)(st->nkept + st->nmeasure * (4 + st->nquantile)) + 1, sizeof *st->out);
    if (!st->table || !st->sorted || !st->out || make_columns(st) < 0) {
        zw_statistics_destroy(st);
        return zw_out_of_memory(err, NULL);
    }
    *out = st;
    return ZW_OK;
}

void zw_statistics_destroy(zw_statistics *st) {
    if (!st)
        return;
    zw_table_destroy(st->table);
    free(st->sorted);
    free(st->out);
    free(st->head);
    free(st->value);
    free(st->n);
    free(st);
}

/* ---- a group ---- */

static int by_value(const void *a, const void *b) {
    double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

static double quantile_of(uint64_t n, const double *y, double q) {
    double at = q * (double)(n - 1), below = floor(at);
    uint64_t i = (uint64_t)below;
    return i + 1 < n ? y[i] + (at - below) * (y[i + 1] - y[i]) : y[n - 1];
}

/* Mean, sd, error, quantiles and number of the finite values. */
static int describe_measure(zw_statistics *st, long k, int m, double *out) {
    uint64_t n = 0;
    double mean = 0, square = 0;
    int at = 0;
    for (uint64_t i = 0; i < st->n[k]; i++) {
        double y =
            st->value[((uint64_t)k * st->samples + i) * (uint64_t)st->nmeasure + (uint64_t)m];
        if (isfinite(y))
            st->sorted[n++] = y;
    }
    for (uint64_t i = 0; i < n; i++)
        mean += (st->sorted[i] - mean) / (double)(i + 1);
    for (uint64_t i = 0; i < n; i++)
        square += (st->sorted[i] - mean) * (st->sorted[i] - mean);
    double sd = n > 1 ? sqrt(square / (double)(n - 1)) : NAN;
    qsort(st->sorted, n, sizeof *st->sorted, by_value);
    out[at++] = n ? mean : NAN;
    out[at++] = sd;
    out[at++] = sd / sqrt((double)n);
    for (int q = 0; q < st->nquantile; q++)
        out[at++] = n ? quantile_of(n, st->sorted, st->quantile[q]) : NAN;
    out[at++] = (double)n;
    return at;
}

static void end_group(zw_statistics *st) {
    for (long k = 0; k < st->nrow; k++) {
        int at = st->nkept;
        memcpy(st->out, st->head + k * st->nkept, sizeof(double) * (size_t)st->nkept);
        for (int m = 0; m < st->nmeasure; m++)
            at += describe_measure(st, k, m, st->out + at);
        if (zw_table_row(st->table, st->out) < 0)
            st->failed = true;
        st->n[k] = 0;
    }
    st->nrow = 0;
}

static bool grow_array(void **array, size_t bytes) {
    void *wider = realloc(*array, bytes);
    if (!wider)
        return false;
    *array = wider;
    return true;
}

static bool allocate_arrays(zw_statistics *st, long rows) {
    if (rows <= st->capacity)
        return true;
    size_t capacity = (size_t)(2 * st->capacity > rows ? 2 * st->capacity : rows);
    void *head = st->head, *value = st->value, *n = st->n;
    bool good =
        grow_array(&head, sizeof(double) * (capacity * (size_t)st->nkept + 1)) &&
        grow_array(&value, sizeof(double) * capacity * st->samples * (size_t)st->nmeasure) &&
        grow_array(&n, sizeof(uint64_t) * capacity);
    st->head = head;
    st->value = value;
    st->n = n;
    if (!good)
        return false;
    memset(st->n + st->capacity, 0, sizeof *st->n * (capacity - (size_t)st->capacity));
    st->capacity = (long)capacity;
    return true;
}

static uint64_t motion_of(const zw_survey *s, uint64_t point) {
    uint64_t S = zw_plan_samples(s->plan);
    uint64_t n = s->options.carry ? zw_plan_axis(s->plan, 0)->n : 1;
    return point % S + S * (point / (S * n));
}

void zw_statistics_row(void *statistics, const double *row) {
    zw_statistics *st = statistics;
    const zw_survey *s = st->s;
    if (s->column_jump >= 0 && row[s->column_jump] != 0)
        return;
    double point = row[s->column_point];
    if (!(point >= 0 && point < (double)zw_plan_points(s->plan))) {
        st->foreign_row = true;
        return;
    }
    uint64_t motion = motion_of(s, (uint64_t)point), group = motion / st->samples;
    if (st->any && group != st->group)
        end_group(st);
    st->k = st->any && motion == st->motion ? st->k + 1 : 0;
    st->any = true;
    st->motion = motion;
    st->group = group;
    if (st->failed || !allocate_arrays(st, st->k + 1)) {
        st->failed = true;
        return;
    }
    if (st->k >= st->nrow) {
        st->nrow = st->k + 1;
        for (int i = 0; i < st->nkept; i++)
            st->head[st->k * st->nkept + i] = row[st->kept[i]];
    }
    if (st->n[st->k] < st->samples)
        memcpy(st->value +
                   ((uint64_t)st->k * st->samples + st->n[st->k]++) * (uint64_t)st->nmeasure,
               row + st->measure, sizeof(double) * (size_t)st->nmeasure);
}

zw_status zw_statistics_table(zw_statistics *st, const zw_table **out, zw_error *err) {
    assert(out);
    if (st->any)
        end_group(st);
    st->any = false;
    *out = st->table;
    if (st->foreign_row)
        return zw_fail(err, ZW_E_FILE, "a row is of no point of the plan: a chunk was changed");
    return st->failed ? zw_out_of_memory(err, "statistics") : ZW_OK;
}
