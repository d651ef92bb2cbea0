/* SPDX-License-Identifier: MIT */
/* A result at several instants: their rows, and as many of the rows between them as paths need. */
#include <assert.h>
#include <math.h>
#include <string.h>

#include "base/arena.h"
#include "internal.h"

enum { ROWS = 20000 }; /* of a path */

struct zw_figure_strobe {
    zw_figure_instants instants;
    zw_table *rows; /* of the instants */
    zw_figure_view *view;
    zw_allocator alloc;
};

static bool is_instant(const zw_figure_instants *in, double t) {
    for (int k = 0; k < in->n; k++)
        if (in->t[k] == t)
            return true;
    return false;
}

/* 1 if times increase, -1 if they decrease, 0 otherwise */
static int direction_of(const zw_table *t, int column) {
    int way = 0;
    for (long i = 1; i < zw_table_rows(t); i++) {
        double d = zw_table_at(t, i, column) - zw_table_at(t, i - 1, column);
        int now = (d > 0) - (d < 0);
        if (isnan(d) || (now && way && now != way))
            return 0;
        way = now ? now : way;
    }
    return way ? way : 1;
}

static zw_status copy_row(zw_table *to, const zw_table *from, long row, double *values) {
    for (int j = 0; j < zw_table_columns(from); j++)
        values[j] = zw_table_at(from, row, j);
    return zw_table_row(to, values);
}

static bool is_between(const zw_figure_instants *in, double t) {
    return t >= in->t[0] && t <= in->t[in->n - 1];
}

/* the step between rows of a path */
static long stride_of(const zw_table *t, int column, const zw_figure_instants *in) {
    long n = 0;
    for (long i = 0; i < zw_table_rows(t); i++)
        n += is_between(in, zw_table_at(t, i, column));
    return n / ROWS + 1;
}

/* rows in the order of time, all or those of the instants, in a new table */
static zw_status pick_rows(zw_table **out, const zw_table *from, const zw_figure_instants *in,
                           bool all, zw_error *err) {
    int column = zw_table_find(from, "t"), way = direction_of(from, column);
    long n = zw_table_rows(from), stride = stride_of(from, column, in);
    size_t size = ((size_t)zw_table_columns(from) + 1) * sizeof(double);
    double *values = zw_allocate(zw_table_allocator(from), size), before = NAN;
    zw_table *to = zw_table_create_like(from);
    zw_status status = to && values ? ZW_OK : ZW_E_MEMORY;
    for (long i = 0; i < n && status >= 0; i++) {
        long row = way > 0 ? i : n - 1 - i;
        double t = zw_table_at(from, row, column);
        if (!is_between(in, t))
            continue;
        bool shown = is_instant(in, t) && t != before;
        if (shown || (all && i % stride == 0))
            status = copy_row(to, from, row, values);
        before = t;
    }
    zw_release(zw_table_allocator(from), values, size);
    *out = to;
    return status < 0 ? zw_fail(err, status, "out of memory for the rows of the picture") : ZW_OK;
}

static zw_status read_instants(zw_figure_instants *out, const zw_table *result, const char *text,
                               zw_error *err) {
    int column = zw_table_find(result, "t");
    long n = zw_table_rows(result);
    if (column < 0 || n == 0)
        return zw_fail(err, ZW_E_FILE,
                       column < 0 ? "the result has no column t" : "the result has no rows");
    if (!direction_of(result, column))
        return zw_fail(err, ZW_E_FILE, "the times of the result neither ascend nor descend");
    double a = zw_table_at(result, 0, column), b = zw_table_at(result, n - 1, column);
    return zw_figure_instants_read(out, text, fmin(a, b), fmax(a, b), result, err);
}

static zw_status fill_strobe(zw_figure_strobe *s, const zw_table *result, const char *text,
                             zw_error *err) {
    zw_table *path = NULL;
    ZW_TRY(read_instants(&s->instants, result, text, err));
    ZW_TRY(pick_rows(&s->rows, result, &s->instants, false, err));
    zw_status status = pick_rows(&path, result, &s->instants, true, err);
    if (status >= 0)
        status = zw_figure_view_create(&s->view, path, 2 * ROWS, err);
    zw_table_destroy(path);
    return status;
}

zw_status zw_figure_strobe_create(zw_figure_strobe **out, const zw_table *result, const char *text,
                                  zw_error *err) {
    assert(out);
    const zw_allocator alloc = *zw_table_allocator(result);
    zw_figure_strobe *s = zw_allocate(&alloc, sizeof *s);
    *out = NULL;
    if (!s)
        return zw_out_of_memory(err, "the picture");
    s->alloc = alloc;
    zw_status status = fill_strobe(s, result, text, err);
    if (status < 0)
        zw_figure_strobe_destroy(s);
    else
        *out = s;
    return status;
}

void zw_figure_strobe_destroy(zw_figure_strobe *s) {
    if (!s)
        return;
    zw_table_destroy(s->rows);
    zw_figure_view_destroy(s->view);
    zw_allocator alloc = s->alloc;
    zw_release(&alloc, s, sizeof *s);
}

const zw_figure_instants *zw_figure_strobe_instants(const zw_figure_strobe *s) {
    return &s->instants;
}

const zw_view *zw_figure_strobe_content(const zw_figure_strobe *s) {
    return zw_figure_view_content(s->view);
}

const zw_scene *zw_figure_strobe_scene(const zw_figure_strobe *s) {
    return zw_figure_view_scene(s->view);
}

const zw_table *zw_figure_strobe_rows(const zw_figure_strobe *s) {
    return s->rows;
}
