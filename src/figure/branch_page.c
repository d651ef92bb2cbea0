/* SPDX-License-Identifier: MIT */
/* A branch of orbits as a page: its table, and for each orbit the motion in space over one period,
 * its states and its multipliers. Every orbit has its own value of the parameter, and so its own
 * lengths and positions; each is made like the page of a run (view.c). */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/arena.h"
#include "internal.h"
#include "zwang/simulate.h"

enum {
    FIRST = 2,     /* columns of the orbits before t: the number, the parameter */
    ORBITS_MIN = 8 /* of a page */
};
#define VALUES_MAX 1.5e6 /* numbers of all orbits, of 5.3 bytes each: 8 MB */

/* ---- the motion of one orbit, as the result of a run ---- */

static bool is_of_branch(const char *key) {
    static const char *const own[] = {"orbit ", "mark ", "kind", "orbits",
                                      "doubts", "parts", "part "};
    for (size_t i = 0; i < sizeof own / sizeof *own; i++)
        if (strncmp(key, own[i], strlen(own[i])) == 0)
            return true;
    return false;
}

/* the notes of the branch about its model */
static zw_status copy_notes(zw_table *to, const zw_table *branch) {
    for (int i = 0; i < zw_table_notes(branch); i++)
        if (!is_of_branch(zw_table_note_key(branch, i)))
            ZW_TRY(zw_table_note(to, zw_table_note_key(branch, i), zw_table_note_value(branch, i)));
    return ZW_OK;
}

/* stores the value of the parameter, in SI units */
static zw_status note_parameter(zw_table *to, const zw_table *orbits, double shown) {
    const char *text = zw_table_get_note(orbits, "factor");
    double factor = text ? strtod(text, NULL) : 1;
    char key[200], value[60];
    snprintf(key, sizeof key, "param %.180s", zw_table_name(orbits, 1));
    snprintf(value, sizeof value, "%.17g", shown * factor);
    return zw_table_note(to, key, value);
}

/* rows from..to of the orbits, without the first columns and columns that are not states */
static zw_status make_result(zw_table **out, const zw_figure_run *branch, long from, long to) {
    const zw_table *t = branch->orbits;
    int n = zw_table_columns(t);
    *out = zw_table_create(zw_table_allocator(t));
    if (!*out)
        return ZW_E_MEMORY;
    ZW_TRY(copy_notes(*out, branch->table));
    ZW_TRY(note_parameter(*out, t, zw_table_at(t, from, 1)));
    for (int k = FIRST; k < n; k++)
        if (strcmp(zw_table_name(t, k), "phase") != 0 && strcmp(zw_table_name(t, k), "stable") != 0)
            ZW_TRY(zw_table_column(*out, zw_table_name(t, k), zw_table_unit(t, k)));
    ZW_TRY(zw_table_add_rows(*out, to - from + 1));
    for (int k = 0; k < zw_table_columns(*out); k++) {
        int column = zw_table_find(t, zw_table_name(*out, k));
        for (long row = from; row <= to; row++)
            zw_table_set(*out, row - from, k, zw_table_at(t, row, column));
    }
    return ZW_OK;
}

static zw_status find_multipliers(zw_figure_view *v, const zw_table *t, zw_page_orbit *out,
                                  zw_error *err) {
    long rows = t ? zw_table_rows(t) : 0;
    int n = 0;
    for (long i = 0; i < rows; i++)
        n += zw_table_at(t, i, 0) == (double)out->row;
    double *re = zw_context_alloc(v->ctx, sizeof *re * (size_t)(2 * n + 1));
    if (!re)
        return zw_out_of_memory(err, "the page");
    double *im = re + n;
    for (long i = 0; i < rows; i++)
        if (zw_table_at(t, i, 0) == (double)out->row) {
            re[out->nmultiplier] = zw_table_at(t, i, 2);
            im[out->nmultiplier++] = zw_table_at(t, i, 3);
        }
    out->re = re;
    out->im = im;
    return ZW_OK;
}

static zw_status add_orbit(zw_figure_page *p, const zw_figure_run *branch, long from, long to,
                           zw_page_orbit *out, zw_error *err) {
    zw_table *result = NULL;
    zw_figure_view *v = NULL;
    zw_status status = make_result(&result, branch, from, to);
    if (status < 0)
        zw_out_of_memory(err, "the page");
    else
        status = zw_figure_view_create(&v, result, to - from + 2, err);
    zw_table_destroy(result);
    ZW_TRY(status);
    p->orbit[p->norbit++] = v;
    char *scene = zw_scene_json(v->scene, v->sys);
    if (!scene)
        return zw_out_of_memory(err, "the page");
    *out = (zw_page_orbit){.row = (long)zw_table_at(branch->orbits, from, 0),
                           .result = v->result,
                           .motion = v->scene->motion,
                           .scene = scene,
                           .view = &v->view};
    return find_multipliers(v, branch->multipliers, out, err);
}

/* ---- all orbits ---- */

static long last_of(const zw_table *t, long from) {
    long to = from;
    while (to + 1 < zw_table_rows(t) && zw_table_at(t, to + 1, 0) == zw_table_at(t, from, 0))
        to++;
    return to;
}

static int count_orbits(const zw_table *t) {
    int n = 0;
    for (long from = 0; from < zw_table_rows(t); from = last_of(t, from) + 1)
        n++;
    return n;
}

/* takes every n-th orbit, so that the page does not become too large; the size is estimated from
 * the first one */
static int stride_of(const zw_page_orbit *first, int n) {
    double values =
        (double)zw_table_rows(first->result) *
        (zw_table_columns(first->result) + (first->motion ? zw_table_columns(first->motion) : 0));
    double most = fmax(ORBITS_MIN, floor(VALUES_MAX / fmax(values, 1)));
    return n > most ? (int)ceil(n / most) : 1;
}

static zw_status fill_page(zw_figure_page *p, const zw_figure_run *branch, long row,
                           zw_page_orbit *orbit, zw_error *err) {
    int n = 0, start = -1, stride = 1, all = count_orbits(branch->orbits), number = 0;
    for (long from = 0; from < zw_table_rows(branch->orbits); number++) {
        long to = last_of(branch->orbits, from);
        bool wanted = row >= 0 && zw_table_at(branch->orbits, from, 0) == (double)row;
        if (number % stride == 0 || wanted) {
            start = wanted ? n : start;
            ZW_TRY(add_orbit(p, branch, from, to, &orbit[n++], err));
            stride = n == 1 ? stride_of(&orbit[0], all) : stride;
        }
        from = to + 1;
    }
    start = start >= 0 ? start : n / 2;
    p->v = p->orbit[start];
    ZW_TRY(zw_figure_page_equations(p, err));
    const zw_page_orbit *first = &orbit[start];
    p->page = (zw_page){.name = p->v->sys->name,
                        .title = p->v->sys->title,
                        .variant = p->v->sys->variant,
                        .result = first->result,
                        .motion = first->motion,
                        .scene = first->scene,
                        .equations = p->equations,
                        .view = first->view,
                        .branch = p->table,
                        .norbit = n,
                        .orbit = orbit,
                        .start = start};
    return ZW_OK;
}

/* the table without the orbits in its notes, which the page contains in another form */
static zw_status copy_table(zw_table **out, const zw_table *t) {
    zw_table *own = zw_table_create(zw_table_allocator(t));
    zw_status status = own ? ZW_OK : ZW_E_MEMORY;
    for (int k = 0; status >= 0 && k < zw_table_columns(t); k++)
        status = zw_table_column(own, zw_table_name(t, k), zw_table_unit(t, k));
    for (int i = 0; status >= 0 && i < zw_table_notes(t); i++)
        if (strncmp(zw_table_note_key(t, i), "mark ", 5) == 0)
            status = zw_table_note(own, zw_table_note_key(t, i), zw_table_note_value(t, i));
    for (long row = 0; status >= 0 && row < zw_table_rows(t); row++)
        status = zw_table_row(own, zw_table_data(t) + row * zw_table_columns(t));
    if (status < 0)
        zw_table_destroy(own);
    *out = status < 0 ? NULL : own;
    return status;
}

zw_status zw_figure_branch_page_create(zw_figure_page **out, const zw_figure_run *branch, long row,
                                       zw_error *err) {
    const zw_allocator *alloc = zw_table_allocator(branch->table);
    zw_context *ctx = zw_context_create(alloc);
    zw_figure_page *p = ctx ? zw_context_alloc(ctx, sizeof *p) : NULL;
    *out = NULL;
    if (!p) {
        zw_context_destroy(ctx);
        return zw_out_of_memory(err, "the page");
    }
    p->ctx = ctx;
    int n = branch->orbits ? count_orbits(branch->orbits) : 0;
    p->orbit = zw_context_alloc(ctx, sizeof(zw_figure_view *) * (size_t)(n + 1));
    zw_page_orbit *orbit = zw_context_alloc(ctx, sizeof *orbit * (size_t)(n + 1));
    p->page.orbit = orbit; /* zeros: entries that do not exist yet are not destroyed */
    zw_status status = n == 0 ? zw_fail(err, ZW_E_FILE, "the branch has no orbits to be seen")
                       : !p->orbit || !orbit || copy_table(&p->table, branch->table) < 0
                           ? zw_out_of_memory(err, "the page")
                           : fill_page(p, branch, row, orbit, err);
    if (status < 0)
        zw_figure_page_destroy(p);
    else
        *out = p;
    return status;
}

zw_status zw_figure_orbit_result(zw_table **out, const zw_figure_run *branch, long row,
                                 zw_error *err) {
    const zw_table *t = branch->orbits;
    *out = NULL;
    for (long from = 0; t && from < zw_table_rows(t); from = last_of(t, from) + 1) {
        if (zw_table_at(t, from, 0) != (double)row)
            continue;
        if (make_result(out, branch, from, last_of(t, from)) >= 0)
            return ZW_OK;
        zw_table_destroy(*out);
        *out = NULL;
        return zw_out_of_memory(err, "the page");
    }
    return zw_fail(err, ZW_E_OPTION, "the branch has no orbit in row %ld", row);
}
