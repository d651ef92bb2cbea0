/* SPDX-License-Identifier: MIT */
/* Start values from a result of another model: the names that both have, at one of its times. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/arena.h"
#include "base/tolerance.h"
#include "run_study.h"

enum { PATH_SIZE = 4096 };

typedef struct place {
    char path[PATH_SIZE];
    double time;       /* [s]; NaN: the last one */
    const char *names; /* by commas; NULL: all */
} place;

static zw_status read_place(const char *text, place *out, zw_error *err) {
    const char *at = strrchr(text, '@');
    char *end = NULL;
    out->time = at ? strtod(at + 1, &end) : NAN;
    out->names = at && *end == ':' ? end + 1 : NULL;
    if (at && (end == at + 1 || (*end && *end != ':')))
        return zw_fail(err, ZW_E_OPTION, "--start-from %.100s: a time in s follows @", text);
    size_t n = at ? (size_t)(at - text) : strlen(text);
    if (n >= sizeof out->path)
        return zw_fail(err, ZW_E_OPTION, "--start-from: the name of the file is too long");
    memcpy(out->path, text, n);
    out->path[n] = '\0';
    return ZW_OK;
}

/* is it in "a,b"? */
static bool is_listed(const char *names, const char *name) {
    size_t n = strlen(name);
    for (const char *p = names; p; p = strchr(p, ',') ? strchr(p, ',') + 1 : NULL)
        if (strcspn(p, ",") == n && strncmp(p, name, n) == 0)
            return true;
    return !names;
}

/* the row nearest to the time; of equal ones, as at an event, the last one */
static long nearest_row(const zw_table *t, int column, double time) {
    long near = 0;
    for (long i = 0; i < zw_table_rows(t); i++)
        if (fabs(zw_table_at(t, i, column) - time) <= fabs(zw_table_at(t, near, column) - time))
            near = i;
    return near;
}

static zw_status find_row(const zw_table *t, const place *p, long *row, zw_error *err) {
    int column = zw_table_find(t, "t");
    if (column < 0 || zw_table_rows(t) == 0)
        return zw_fail(err, ZW_E_FILE, "--start-from: %s is not the result of a motion", p->path);
    *row = isnan(p->time) ? zw_table_rows(t) - 1 : nearest_row(t, column, p->time);
    double there = zw_table_at(t, *row, column);
    if (isnan(p->time) || fabs(there - p->time) <= ZW_SAME_VALUE * fmax(fabs(p->time), 1))
        return ZW_OK;
    zw_fail(err, ZW_E_OPTION,
            "--start-from: %s has no row at t = %.10g s, the nearest is at %.10g s", p->path,
            p->time, there);
    zw_error_hint(err, "--step-out of its run sets the times of its rows");
    return ZW_E_OPTION;
}

/* the value of coordinate or velocity i, if the result has it */
static zw_status add_number(const zw_system *s, int i, const zw_table *t, const place *p, long row,
                            zw_sim_number *start, int *n, zw_error *err) {
    const char *name = i < s->nq ? s->coord[i].name : s->velocity[i - s->nq].name;
    const char *unit = i < s->nq ? s->coord[i].unit : s->velocity[i - s->nq].unit;
    int column = zw_table_find(t, name);
    if (column < 0 || !is_listed(p->names, name))
        return ZW_OK;
    if (strcmp(unit, zw_table_unit(t, column)) != 0)
        return zw_fail(err, ZW_E_UNIT,
                       "--start-from: %s is in '%s' in %s, and in '%s' in the model", name,
                       zw_table_unit(t, column), p->path, unit);
    start[(*n)++] = (zw_sim_number){.index = i, .value = zw_table_at(t, row, column)};
    return ZW_OK;
}

zw_status zw_run_start_from(zw_sim_numbers *out, zw_table **result, const zw_system *s,
                            const char *text, zw_error *err) {
    place p;
    long row;
    int n = 0;
    zw_sim_number *start = zw_context_alloc(s->ctx, sizeof *start * (size_t)(s->nq + s->nv + 1));
    if (!start)
        return zw_context_status(s->ctx, err);
    ZW_TRY(read_place(text, &p, err));
    ZW_TRY(zw_table_read(result, p.path, err));
    ZW_TRY(find_row(*result, &p, &row, err));
    for (int i = 0; i < s->nq + s->nv; i++)
        ZW_TRY(add_number(s, i, *result, &p, row, start, &n, err));
    if (n == 0)
        return zw_fail(err, ZW_E_NAME,
                       "--start-from: %s has no coordinate or velocity of this model", p.path);
    *out = (zw_sim_numbers){.nstart = n, .start = start};
    return ZW_OK;
}
