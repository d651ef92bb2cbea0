/* SPDX-License-Identifier: MIT */
/* The numbers of a picture. A row is included if a curve shows it: its values are finite and in the
 * ranges of a panel. Runs have their own rows, so that they are next to each other, not joined. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "internal.h"

enum { NAME = 256 };

/* ---- visible rows ---- */

static bool is_within(const zw_span *s, double v) {
    return isfinite(v) && !(v < s->low) && !(v > s->high);
}

static bool is_shown(const zw_panel *p, const zw_curve *c, long row) {
    const int column[3] = {c->x, c->y, c->z};
    for (int a = 0; a < (p->is_space ? 3 : 2); a++)
        if (!is_within(&p->span[a == 1 && c->right ? 2 : a], zw_table_at(c->table, row, column[a])))
            return false;
    return true;
}

static bool is_seen(const zw_picture *picture, const zw_table *t, long row) {
    for (int i = 0; i < picture->n; i++)
        for (int k = 0; k < picture->panel[i].n; k++)
            if (picture->panel[i].curve[k].table == t &&
                is_shown(&picture->panel[i], &picture->panel[i].curve[k], row))
                return true;
    return false;
}

/* the next visible row from *at on; false at the end */
static bool next_seen(const zw_picture *picture, const zw_table *t, long *at) {
    while (*at < zw_table_rows(t) && !is_seen(picture, t, *at))
        ++*at;
    return *at < zw_table_rows(t);
}

/* ---- the table ---- */

static zw_status add_columns(zw_table *to, const zw_figure *f) {
    for (int run = 0; run < f->nrun; run++)
        for (int i = 0; i < zw_table_columns(f->drawn[run]); i++) {
            char name[NAME];
            snprintf(name, sizeof name, "%s", zw_table_name(f->drawn[run], i));
            if (f->nrun > 1)
                snprintf(name + strlen(name), sizeof name - strlen(name), "#%d", run + 1);
            ZW_TRY(zw_table_column(to, name, zw_table_unit(f->drawn[run], i)));
        }
    return ZW_OK;
}

/* at: the next row of each run; row: one row of the table */
static zw_status add_rows(zw_table *to, const zw_figure *f, long *at, double *row) {
    for (bool more = true; more;) {
        int n = 0;
        more = false;
        for (int run = 0; run < f->nrun; run++) {
            const zw_table *t = f->drawn[run];
            bool has = next_seen(&f->picture, t, &at[run]);
            for (int i = 0; i < zw_table_columns(t); i++)
                row[n++] = has ? zw_table_at(t, at[run], i) : NAN;
            at[run] += has;
            more = more || has;
        }
        if (more)
            ZW_TRY(zw_table_row(to, row));
    }
    return ZW_OK;
}

static bool is_common_note(const zw_figure *f, const char *key, const char *value) {
    for (int run = 0; run < f->nrun; run++) {
        const char *other = zw_table_get_note(f->drawn[run], key);
        if (!other || strcmp(other, value) != 0)
            return false;
    }
    return true;
}

static zw_status add_notes(zw_table *to, const zw_figure *f) {
    for (int run = 0; run < f->nrun; run++) {
        const zw_table *t = f->drawn[run];
        char key[NAME];
        snprintf(key, sizeof key, "run#%d", run + 1);
        if (f->nrun > 1 && f->run_label[run])
            ZW_TRY(zw_table_note(to, key, f->run_label[run]));
        for (int i = 0; i < zw_table_notes(t); i++) {
            const char *plain = zw_table_note_key(t, i), *value = zw_table_note_value(t, i);
            snprintf(key, sizeof key, "%s#%d", plain, run + 1);
            ZW_TRY(zw_table_note(to, is_common_note(f, plain, value) ? plain : key, value));
        }
    }
    return ZW_OK;
}

zw_status zw_figure_data(const zw_figure *f, zw_table *to, zw_error *err) {
    zw_arena scratch;
    if (zw_table_columns(to) > 0)
        return zw_fail(err, ZW_E_OPTION, "the table for the data of a figure has columns already");
    zw_arena_init(&scratch, &f->arena.alloc);
    long *at = ZW_NEW(&scratch, long, f->nrun);
    double *row = ZW_NEW(&scratch, double, f->nrun * f->nquantity);
    zw_status status = scratch.failed ? ZW_E_MEMORY : add_columns(to, f);
    if (status >= 0)
        status = add_notes(to, f);
    if (status >= 0)
        status = add_rows(to, f, at, row);
    zw_arena_clear(&scratch);
    return status < 0 ? zw_fail(err, status, "out of memory for the data of the picture") : ZW_OK;
}
