/* SPDX-License-Identifier: MIT */
/* Contour lines of a surface: a table whose rows are a grid, x in its first column (which changes
 * fastest), y in its second, z in its third.
 *
 * On a level z = c every edge of the grid with one end above and one below has one point, by linear
 * interpolation. A cell of four edges has two such points, or four; then the mean of its corners
 * decides which belong together. From cell to cell the points are joined to lines, which end at the
 * border or are closed. Cells with a corner that is not finite have none.
 *
 * The lines of level c are columns x(c), y(c) of a further table, with rows that are not finite
 * between them: ordinary curves. Levels are numbers with few digits, in colours from blue (low) to
 * red. Notes "minimum 0", "minimum 1", ... X Y Z KIND become markers. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/arena.h"
#include "internal.h"

enum { LEVELS = ZW_FIGURE_LEVELS / 4, INDEX = 24 };

typedef zw_figure_surface grid;

/* Edges: those along x first, (nx - 1) ny of them, then those along y. */
typedef struct lines {
    grid g;
    double level;
    int *next;  /* 2 for each edge: the edges at which a line continues, -1: none */
    bool *done; /* edges */
    double *row;
    zw_table *out;
    int column; /* of x at this level */
} lines;

/* at index k of the grid; not finite if there is no value */
static double grid_value(const grid *g, long k, int column) {
    long row = g->row ? g->row[k] : k;
    return row >= 0 ? zw_table_at(g->t, row, column) : NAN;
}

static double z_at(const grid *g, int i, int j) {
    return grid_value(g, (long)j * g->nx + i, g->z);
}

static zw_status no_grid(zw_error *err) {
    zw_fail(err, ZW_E_FILE, "a result of the kind surface needs rows that are a grid");
    zw_error_hint(err, "columns x, y and z: all x for the first y, then for the next one");
    return ZW_E_FILE;
}

static zw_status find_grid(grid *g, const zw_table *t, zw_error *err) {
    long rows = zw_table_rows(t), nx = 0;
    *g = (grid){.t = t, .x = 0, .y = 1, .z = 2};
    if (zw_table_columns(t) < 3)
        return no_grid(err);
    if (rows == 0)
        return ZW_OK;
    while (nx < rows && zw_table_at(t, nx, 1) == zw_table_at(t, 0, 1))
        nx++;
    if (nx < 2 || rows % nx != 0 || rows / nx < 2 || rows > 100000000)
        return no_grid(err);
    for (long k = 0; k < rows; k++)
        if (zw_table_at(t, k, 0) != zw_table_at(t, k % nx, 0) ||
            zw_table_at(t, k, 1) != zw_table_at(t, k - k % nx, 1))
            return no_grid(err);
    g->nx = (int)nx;
    g->ny = (int)(rows / nx);
    return ZW_OK;
}

/* ---- levels ---- */

/* about LEVELS levels, multiples of 1, 2 or 5 times a power of ten */
int zw_figure_choose_levels(const grid *g, double level[ZW_FIGURE_LEVELS]) {
    double low = INFINITY, high = -INFINITY;
    for (int j = 0; j < g->ny; j++)
        for (int i = 0; i < g->nx; i++)
            if (isfinite(z_at(g, i, j))) {
                low = fmin(low, z_at(g, i, j));
                high = fmax(high, z_at(g, i, j));
            }
    if (!(high > low))
        return 0;
    double wanted = (high - low) / LEVELS, power = pow(10, floor(log10(wanted)));
    double part = wanted / power, step = power * (part <= 1   ? 1
                                                  : part <= 2 ? 2
                                                  : part <= 5 ? 5
                                                              : 10);
    int n = 0;
    for (double k = ceil(low / step); k * step < high && n < 4 * LEVELS; k++)
        if (k * step > low)
            level[n++] = k * step;
    return n;
}

/* ---- lines ---- */

static int along_x(const grid *g, int i, int j) {
    return j * (g->nx - 1) + i;
}

static int along_y(const grid *g, int i, int j) {
    return g->ny * (g->nx - 1) + j * g->nx + i;
}

static int count_edges(const grid *g) {
    return g->ny * (g->nx - 1) + (g->ny - 1) * g->nx;
}

static void join_edges(lines *l, int a, int b) {
    l->next[2 * a + (l->next[2 * a] >= 0)] = b;
    l->next[2 * b + (l->next[2 * b] >= 0)] = a;
}

static void join_in_cell(lines *l, int i, int j) {
    const grid *g = &l->g;
    double z[4] = {z_at(g, i, j), z_at(g, i + 1, j), z_at(g, i + 1, j + 1), z_at(g, i, j + 1)};
    const int edge[4] = {along_x(g, i, j), along_y(g, i + 1, j), along_x(g, i, j + 1),
                         along_y(g, i, j)};
    int met[4], n = 0;
    for (int k = 0; k < 4; k++)
        if (!isfinite(z[k]))
            return;
    for (int k = 0; k < 4; k++)
        if ((z[k] > l->level) != (z[(k + 1) % 4] > l->level))
            met[n++] = edge[k];
    if (n == 2)
        join_edges(l, met[0], met[1]);
    if (n < 4)
        return;
    /* a saddle: corners 0 and 2 are on one side, 1 and 3 on the other */
    bool together = (0.25 * (z[0] + z[1] + z[2] + z[3]) > l->level) == (z[0] > l->level);
    join_edges(l, met[0], met[together ? 1 : 3]);
    join_edges(l, met[2], met[together ? 3 : 1]);
}

static zw_status put_point(lines *l, int edge) {
    const grid *g = &l->g;
    bool x = edge < g->ny * (g->nx - 1);
    int rest = x ? edge : edge - g->ny * (g->nx - 1), n = x ? g->nx - 1 : g->nx;
    long from = (long)(rest / n) * g->nx + rest % n, to = x ? from + 1 : from + g->nx;
    double a = grid_value(g, from, g->z), b = grid_value(g, to, g->z);
    double part = (l->level - a) / (b - a);
    if (g->log && a > 0 && b > 0 && l->level > 0)
        part = log(l->level / a) / log(b / a);
    for (int k = 0; k < 2; k++) {
        double p = grid_value(g, from, k ? g->y : g->x), q = grid_value(g, to, k ? g->y : g->x);
        l->row[l->column + k] = p + part * (q - p);
    }
    return zw_table_row(l->out, l->row);
}

static zw_status put_gap(lines *l) {
    l->row[l->column] = l->row[l->column + 1] = NAN;
    return zw_table_row(l->out, l->row);
}

/* the line from an edge on; a closed one ends where it began */
static zw_status put_line(lines *l, int first) {
    int edge = first, before = -1;
    bool closed = l->next[2 * first + 1] >= 0;
    do {
        ZW_TRY(put_point(l, edge));
        l->done[edge] = true;
        int a = l->next[2 * edge], b = l->next[2 * edge + 1];
        int to = a >= 0 && a != before && !(l->done[a] && a != first) ? a : b;
        if (to == before || (to >= 0 && l->done[to] && to != first))
            to = -1;
        before = edge;
        edge = to;
    } while (edge >= 0 && edge != first);
    if (closed)
        ZW_TRY(put_point(l, first));
    return put_gap(l);
}

static zw_status draw_level(lines *l) {
    const grid *g = &l->g;
    int n = count_edges(g);
    for (int e = 0; e < n; e++) {
        l->next[2 * e] = l->next[2 * e + 1] = -1;
        l->done[e] = false;
    }
    for (int j = 0; j + 1 < g->ny; j++)
        for (int i = 0; i + 1 < g->nx; i++)
            join_in_cell(l, i, j);
    for (int closed = 0; closed < 2; closed++) /* lines from the border first */
        for (int e = 0; e < n; e++)
            if (l->next[2 * e] >= 0 && !l->done[e] && (closed || l->next[2 * e + 1] < 0))
                ZW_TRY(put_line(l, e));
    return ZW_OK;
}

/* ---- the table ---- */

static zw_status make_columns(const grid *g, int n, const double *level, zw_table *out) {
    const zw_table *t = g->t;
    for (int k = 0; k < (n ? n : 1); k++)
        for (int a = 0; a < 2; a++) {
            char name[INDEX + 4];
            snprintf(name, sizeof name, "%c(%.6g)", a ? 'y' : 'x', n ? level[k] : 0);
            ZW_TRY(zw_table_column(out, name, zw_table_unit(t, a ? g->y : g->x)));
        }
    for (int i = 0; i < zw_table_notes(t); i++)
        ZW_TRY(zw_table_note(out, zw_table_note_key(t, i), zw_table_note_value(t, i)));
    return ZW_OK;
}

zw_status zw_figure_lines(zw_figure *f, const grid *g, int n, const double *level, zw_table **out,
                          zw_error *err) {
    lines l = {.g = *g};
    int m = g->nx ? count_edges(g) : 0;
    l.next = ZW_NEW(&f->arena, int, 2 * m + 1);
    l.done = ZW_NEW(&f->arena, bool, m + 1);
    l.row = ZW_NEW(&f->arena, double, 2 * n + 2);
    l.out = *out = zw_table_create(&f->arena.alloc);
    if (f->arena.failed || !l.out || make_columns(g, n, level, l.out) < 0)
        return zw_out_of_memory(err, "the contour lines");
    for (int k = 0; k < 2 * n + 2; k++)
        l.row[k] = NAN;
    for (l.column = 0; l.column < 2 * n; l.column += 2) {
        l.level = level[l.column / 2];
        if (draw_level(&l) < 0)
            return zw_out_of_memory(err, "the contour lines");
    }
    return ZW_OK;
}

zw_status zw_figure_contours(zw_figure *f, const zw_table *t, zw_error *err) {
    double level[ZW_FIGURE_LEVELS];
    grid g;
    ZW_TRY(find_grid(&g, t, err));
    return zw_figure_lines(f, &g, zw_figure_choose_levels(&g, level), level, &f->contours, err);
}

/* ---- style ---- */

static const char *name_axis(zw_figure *f, const zw_table *t, int column) {
    char label[200];
    const char *unit = zw_table_unit(t, column);
    snprintf(label, sizeof label, "%.120s%s%.60s%s", zw_table_name(t, column), unit[0] ? " [" : "",
             unit, unit[0] ? "]" : "");
    return zw_arena_string(&f->arena, label);
}

static zw_status add_minima(zw_figure *f, const zw_table *t) {
    zw_panel *p = &f->panel[0];
    zw_mark *mark = ZW_NEW(&f->arena, zw_mark, zw_table_notes(t) + 1);
    char label[60];
    if (!mark)
        return ZW_E_MEMORY;
    p->mark = mark;
    p->nmark = 0;
    for (int i = 0; i < zw_table_notes(t); i++) {
        double x, y, z;
        char kind[40];
        if (strncmp(zw_table_note_key(t, i), "minimum ", 8) != 0 ||
            sscanf(zw_table_note_value(t, i), "%lf %lf %lf %39s", &x, &y, &z, kind) != 4)
            continue;
        snprintf(label, sizeof label, "\"%s\"", kind);
        zw_mark *m = &mark[p->nmark++];
        *m = (zw_mark){.x = x,
                       .y = y,
                       .shape = strcmp(kind, "motion") == 0 ? ZW_MARK_DISC : ZW_MARK_TRIANGLE,
                       .label = zw_arena_string(&f->arena, label)};
        snprintf(label, sizeof label, "%.4g", z);
        m->text = zw_arena_string(&f->arena, label);
    }
    return ZW_OK;
}

zw_status zw_figure_finish_contours(zw_figure *f, const zw_table *t, zw_error *err) {
    zw_panel *p = &f->panel[0];
    zw_curve *curve = f->curve;
    for (int a = 0; a < 2; a++)
        if (!p->label[a])
            p->label[a] = name_axis(f, t, a);
    if (p->scale == ZW_SCALE_EQUAL && f->picture.width == 0 && f->picture.height == 0) {
        f->picture.width = 105;
        f->picture.height = 112;
    }
    for (int k = 0; k < p->n; k++) {
        const char *name = zw_table_name(curve[k].table, curve[k].y);
        char label[200];
        int n = (int)strlen(name) - 3; /* without "y(" and ")" */
        snprintf(label, sizeof label, "%.120s = %.*s", zw_table_name(t, 2), n > 0 ? n : 0,
                 name + 2);
        curve[k].label = zw_arena_string(&f->arena, label);
        curve[k].gaps = true;
        curve[k].style = 1 + ZW_PLOT_TINT + (p->n > 1 ? (ZW_PLOT_TINTS - 1) * k / (p->n - 1) : 0);
    }
    return add_minima(f, t) < 0 || f->arena.failed ? zw_out_of_memory(err, "the contour lines")
                                                   : ZW_OK;
}
