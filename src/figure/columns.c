/* SPDX-License-Identifier: MIT */
/* New columns from formulas, and the rows of an event: tables from tables. A formula is parsed
 * twice rather than stored, once for the unit of its column and once for the values. */
#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include "base/arena.h"
#include "base/option.h"
#include "formula.h"
#include "zwang/figure.h"

static void fill_column(zw_table *t, int column, const zw_column_formula *f, const zw_table *from) {
    for (long row = 0; row < zw_table_rows(from); row++)
        zw_table_set(t, row, column, zw_formula_at(f, from, row));
}

zw_status zw_figure_column(zw_table *t, const char *formula, const char *name, zw_error *err) {
    zw_column_formula f;
    int column = zw_table_columns(t);
    ZW_TRY(zw_formula_parse(&f, t, formula, err));
    zw_status status = zw_table_add_column(t, name ? name : formula, f.unit, NULL);
    if (status == ZW_E_NAME)
        return zw_fail(err, status, "there is a column '%s' already", name ? name : formula);
    if (status < 0)
        return zw_table_out_of_memory(t, err);
    fill_column(t, column, &f, t);
    return ZW_OK;
}

/* ---- a table of formulas ---- */

/* true if the name is that of another formula or of an earlier column */
static bool is_taken(const zw_table *t, const char *name, int i, int n, const char *const *text) {
    for (int k = 0; k < n; k++)
        if (k != i && strcmp(text[k], name) == 0)
            return true;
    return zw_table_find(t, name) >= 0;
}

static zw_status add_columns(zw_table *to, const zw_table *from, int n, const char *const *text,
                             zw_error *err) {
    zw_column_formula f;
    for (int i = 0; i < n; i++) {
        ZW_TRY(zw_formula_parse(&f, from, text[i], err));
        const char *name = is_taken(to, f.name, i, n, text) ? text[i] : f.name;
        zw_status status = zw_table_column(to, name, f.unit);
        if (status == ZW_E_NAME)
            zw_fail(err, status, "there are two columns '%s'", name);
        ZW_TRY(status);
    }
    return ZW_OK;
}

/* "orbit 12", "orbits": whole motions in the notes, which may be many megabytes */
static bool is_orbit(const char *key) {
    return strncmp(key, "orbit", 5) == 0 && (key[5] == 's' || key[5] == ' ');
}

zw_status zw_formula_copy_notes(zw_table *to, const zw_table *from) {
    for (int i = 0; i < zw_table_notes(from); i++)
        if (!is_orbit(zw_table_note_key(from, i)))
            ZW_TRY(zw_table_note(to, zw_table_note_key(from, i), zw_table_note_value(from, i)));
    return ZW_OK;
}

zw_table *zw_formula_like(const zw_table *t) {
    zw_table *to = zw_table_create(zw_table_allocator(t));
    zw_status status = to ? ZW_OK : ZW_E_MEMORY;
    for (int k = 0; status >= 0 && k < zw_table_columns(t); k++)
        status = zw_table_column(to, zw_table_name(t, k), zw_table_unit(t, k));
    if (status >= 0)
        status = zw_formula_copy_notes(to, t);
    if (status >= 0)
        return to;
    zw_table_destroy(to);
    return NULL;
}

static zw_status fill_table(zw_table *to, const zw_table *from, int n, const char *const *text,
                            zw_error *err) {
    zw_column_formula f;
    ZW_TRY(add_columns(to, from, n, text, err));
    ZW_TRY(zw_formula_copy_notes(to, from));
    ZW_TRY(n > 0 ? zw_table_add_rows(to, zw_table_rows(from)) : ZW_OK);
    for (int i = 0; i < n; i++) {
        ZW_TRY(zw_formula_parse(&f, from, text[i], err));
        fill_column(to, i, &f, from);
    }
    return ZW_OK;
}

zw_status zw_formula_table(zw_table **out, const zw_allocator *alloc, const zw_table *from, int n,
                           const char *const *text, zw_error *err) {
    zw_table *to = zw_table_create(alloc);
    zw_status status = to ? fill_table(to, from, n, text, err) : ZW_E_MEMORY;
    *out = status < 0 ? NULL : to;
    if (status < 0)
        zw_table_destroy(to);
    return status == ZW_E_MEMORY ? zw_out_of_memory(err, "the columns") : status;
}

zw_status zw_figure_table(zw_table **out, const zw_table *from, int n, const char *const *formula,
                          zw_error *err) {
    assert(out);
    return zw_formula_table(out, zw_table_allocator(from), from, n, formula, err);
}

/* ---- rows at an event ---- */

/* the note "event NUMBER" contains the name of the event with this number */
static bool is_event_note(const zw_table *t, int i) {
    return strncmp(zw_table_note_key(t, i), "event ", 6) == 0;
}

static zw_status unknown_event(const zw_table *t, const char *name, zw_error *err) {
    const char *names[64];
    int n = 0;
    for (int i = 0; i < zw_table_notes(t) && n < 64; i++)
        if (is_event_note(t, i))
            names[n++] = zw_table_note_value(t, i);
    const char *near = zw_nearest(name, n, names);
    if (n == 0)
        return zw_fail(err, ZW_E_OPTION, "--at %s: the model has no events", name);
    zw_fail(err, ZW_E_OPTION, "--at %s: there is no such event", name);
    zw_error_hint(err, "%s%s%s", near ? "did you mean " : "the first one is ",
                  near ? near : names[0], near ? "?" : "");
    return ZW_E_OPTION;
}

/* the number of the event in its table, -1 for all of them */
static zw_status find_event(const zw_table *t, const char *name, double *number, zw_error *err) {
    *number = -1;
    if (zw_table_find(t, "event") != 0)
        return zw_fail(err, ZW_E_OPTION, "--at %s: this file does not hold events", name);
    for (int i = 0; i < zw_table_notes(t); i++)
        if (is_event_note(t, i) && strcmp(zw_table_note_value(t, i), name) == 0) {
            *number = strtod(zw_table_note_key(t, i) + 6, NULL);
            return ZW_OK;
        }
    return strcmp(name, "all") == 0 ? ZW_OK : unknown_event(t, name, err);
}

zw_status zw_figure_at_event(zw_table **out, const zw_table *events, const char *name,
                             zw_error *err) {
    assert(out);
    const double *data = zw_table_data(events);
    int columns = zw_table_columns(events);
    double number;
    *out = NULL;
    ZW_TRY(find_event(events, name, &number, err));
    zw_table *to = zw_table_create_like(events);
    zw_status status = to ? ZW_OK : ZW_E_MEMORY;
    for (long row = 0; status >= 0 && row < zw_table_rows(events); row++)
        if (number < 0 || data[row * columns] == number)
            status = zw_table_row(to, data + row * columns);
    if (status >= 0) {
        *out = to;
        return ZW_OK;
    }
    zw_table_destroy(to);
    return zw_fail(err, status, "out of memory for the events");
}
