/* SPDX-License-Identifier: MIT */
/* The values of an axis are those of its column, each once: numbers that differ by less than
 * SAME_GRID_VALUE of the whole range are equal, as they may have been computed in different ways.
 * If there are many more places than rows (each row of a random sample has its own value), it is
 * not a grid. */
#include "grid.h"
#include "base/arena.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* Difference of equal values relative to the range of the column: values computed in different ways
 * differ by some eps, and a picture shows no more than some thousand different ones. */
#define SAME_GRID_VALUE 1e-9
#define PLACES_PER_ROW 16.0 /* from here on it is not a grid but scattered rows */

static int compare_values(const void *a, const void *b) {
    double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

/* the different values of a column; returns their number */
static int find_values(zw_arena *arena, const zw_table *t, int column, double **out) {
    long rows = zw_table_rows(t), n = 0, kept = 0;
    double *v = ZW_NEW(arena, double, rows + 1);
    if (!v)
        return 0;
    for (long i = 0; i < rows; i++) {
        v[n] = zw_table_at(t, i, column);
        /* runs of equal values need no sorting */
        n += isfinite(v[n]) && (n == 0 || v[n] != v[n - 1]);
    }
    qsort(v, (size_t)n, sizeof *v, compare_values);
    double same = n > 0 ? SAME_GRID_VALUE * (v[n - 1] - v[0]) : 0;
    for (long i = 0; i < n; i++)
        if (kept == 0 || v[i] - v[kept - 1] > same)
            v[kept++] = v[i];
    *out = v;
    return (int)kept;
}

static int nearest_index(const double *v, int n, double wanted) {
    int low = 0, high = n - 1;
    while (high - low > 1) {
        int middle = (low + high) / 2;
        if (v[middle] <= wanted)
            low = middle;
        else
            high = middle;
    }
    return wanted - v[low] <= v[high] - wanted ? low : high;
}

static zw_status put_rows(zw_out_grid *g, const zw_table *t, int x, int y, zw_error *err) {
    for (long i = 0; i < zw_table_rows(t); i++) {
        double a = zw_table_at(t, i, x), b = zw_table_at(t, i, y);
        if (!isfinite(a) || !isfinite(b))
            continue;
        long *cell =
            &g->row[(long)nearest_index(g->y, g->ny, b) * g->nx + nearest_index(g->x, g->nx, a)];
        if (*cell >= 0) {
            zw_fail(err, ZW_E_FILE,
                    "rows %ld and %ld are both at %s = %.9g, %s = %.9g: a map has one value there",
                    *cell + 1, i + 1, zw_table_name(t, x), a, zw_table_name(t, y), b);
            zw_error_hint(err, "a map is over the two columns that differ from row to row");
            return ZW_E_FILE;
        }
        *cell = i;
        g->holes--;
    }
    return ZW_OK;
}

zw_status zw_out_grid_find(zw_out_grid *g, zw_arena *arena, const zw_table *t, int x, int y,
                           zw_error *err) {
    *g = (zw_out_grid){0};
    if (zw_table_rows(t) == 0)
        return ZW_OK;
    g->nx = find_values(arena, t, x, &g->x);
    g->ny = find_values(arena, t, y, &g->y);
    double places = (double)g->nx * g->ny;
    if (!arena->failed && g->nx < 2)
        return zw_fail(err, ZW_E_FILE, "a map needs several values of %s", zw_table_name(t, x));
    if (!arena->failed && g->ny < 2)
        return zw_fail(err, ZW_E_FILE, "a map needs several values of %s", zw_table_name(t, y));
    if (places > PLACES_PER_ROW * (double)zw_table_rows(t)) {
        g->nx = g->ny = 0;
        return ZW_OK;
    }
    g->holes = (long)places;
    g->row = arena->failed ? NULL : ZW_NEW(arena, long, places);
    if (arena->failed)
        return zw_out_of_memory(err, "the picture");
    memset(g->row, 0xff, sizeof *g->row * (size_t)g->holes); /* -1 */
    return put_rows(g, t, x, y, err);
}

static double middle_value(double a, double b, bool log) {
    return log && a > 0 && b > 0 ? sqrt(a) * sqrt(b) : a + (b - a) / 2;
}

/* the reflection of b at a */
static double reflect_value(double a, double b, bool log) {
    return log && a > 0 && b > 0 ? a * sqrt(a / b) : a + (a - b) / 2;
}

double zw_out_grid_border(const double *v, int n, int i, bool log) {
    return i == 0   ? reflect_value(v[0], v[1], log)
           : i == n ? reflect_value(v[n - 1], v[n - 2], log)
                    : middle_value(v[i - 1], v[i], log);
}

int zw_out_grid_cell(const double *value, int n, bool log, double v) {
    int low = 0, high = n;
    if (!(v >= zw_out_grid_border(value, n, 0, log) && v <= zw_out_grid_border(value, n, n, log)))
        return -1;
    while (high - low > 1) {
        int middle = (low + high) / 2;
        if (v >= zw_out_grid_border(value, n, middle, log))
            low = middle;
        else
            high = middle;
    }
    return low;
}
