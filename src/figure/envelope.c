/* SPDX-License-Identifier: MIT */
/* The range of a quantity: max(x) and min(x) are one thing, with one colour and one name. For a
 * steady motion next to orbits both are equal: its column x is used for max(x), min(x) and mean(x),
 * and |x| for rms(x). */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "internal.h"

/* true if b has "min(" where a has "max(", and is equal otherwise */
static bool is_lower(const char *a, const char *b) {
    bool found = false;
    while (*a && *b) {
        if (strncmp(a, "max(", 4) == 0 && strncmp(b, "min(", 4) == 0) {
            found = true;
            a += 4;
            b += 4;
        } else if (*a++ != *b++) {
            return false;
        }
    }
    return found && !*a && !*b;
}

bool zw_figure_is_envelope(const zw_spec *s, int a, int b) {
    const char *y = s->term[a].axis[1], *z = s->term[b].axis[1];
    return s->kind == ZW_SPEC_GRAPH && s->term[a].right == s->term[b].right &&
           strcmp(s->term[a].axis[0], s->term[b].axis[0]) == 0 &&
           (is_lower(y, z) || is_lower(z, y));
}

int zw_figure_partner_in_envelope(const zw_spec *s, int term) {
    for (int k = 0; k < s->n; k++)
        if (k != term && zw_figure_is_envelope(s, term, k))
            return k;
    return -1;
}

bool zw_figure_is_second(const zw_spec *s, int term) {
    int partner = zw_figure_partner_in_envelope(s, term);
    return partner >= 0 && partner < term;
}

int zw_figure_thing_count(const zw_spec *s) {
    int n = 0;
    for (int k = 0; k < s->n; k++)
        n += !zw_figure_is_second(s, k);
    return n;
}

/* ---- steady motions next to orbits ---- */

static const char *const measures[] = {"max", "min", "mean", "rms"};

/* "x" of "max(x)"; false if the column is not a measure */
static bool read_measure(const char *column, const char **measure, char *of, size_t size) {
    for (size_t k = 0; k < sizeof measures / sizeof *measures; k++) {
        size_t n = strlen(measures[k]), all = strlen(column);
        if (all < n + 3 || strncmp(column, measures[k], n) != 0 || column[n] != '(' ||
            column[all - 1] != ')' || all - n - 2 >= size)
            continue;
        *measure = measures[k];
        snprintf(of, size, "%.*s", (int)(all - n - 2), column + n + 1);
        return true;
    }
    return false;
}

static zw_status add_measure(zw_table *t, const char *name, const char *measure, int of) {
    zw_status status = zw_table_add_column(t, name, zw_table_unit(t, of), NULL);
    int column = zw_table_columns(t) - 1;
    for (long row = 0; status >= 0 && row < zw_table_rows(t); row++) {
        double value = zw_table_at(t, row, of);
        zw_table_set(t, row, column, strcmp(measure, "rms") == 0 ? fabs(value) : value);
    }
    return status;
}

/* a copy of t as soon as a column is added */
static zw_status add_from(zw_table **copy, const zw_table *t, const zw_table *other) {
    for (int k = 0; k < zw_table_columns(other); k++) {
        const char *name = zw_table_name(other, k), *measure;
        char of[ZW_FORMULA_TEXT];
        if (!read_measure(name, &measure, of, sizeof of) || zw_table_find(t, of) < 0 ||
            zw_table_find(*copy ? *copy : t, name) >= 0)
            continue;
        long rows = zw_table_rows(t);
        if (!*copy)
            ZW_TRY(zw_table_thin(copy, t, rows > 2 ? rows : 2, NULL));
        ZW_TRY(add_measure(*copy, name, measure, zw_table_find(*copy, of)));
    }
    return ZW_OK;
}

zw_status zw_figure_measure_steady(zw_table **out, int nrun, const zw_figure_run *run, int which,
                                   zw_error *err) {
    const char *kind = zw_table_get_note(run[which].table, "kind");
    zw_status status = ZW_OK;
    *out = NULL;
    if (!kind || strcmp(kind, "steady motions") != 0)
        return ZW_OK;
    for (int i = 0; i < nrun && status >= 0; i++)
        if (i != which)
            status = add_from(out, run[which].table, run[i].table);
    if (status >= 0)
        return ZW_OK;
    zw_table_destroy(*out);
    *out = NULL;
    return zw_fail(err, status, "out of memory for the picture");
}
