/* SPDX-License-Identifier: MIT */
/* The rows of long tables that go into a page. For lines and points, half of the rows are evenly
 * chosen; the other half are the least and the largest values of every column in each of many
 * sections, so that no peak is lost, however narrow it is. Rows at which a value begins or ends to
 * be a number stay, so that gaps stay gaps. For a surface, and for the cells of a map, every s-th
 * line in both directions stays. */
#include <math.h>
#include <string.h>

#include "base/arena.h"
#include "internal.h"
#include "out/plots/grid.h"

#define VALUES_MAX 1.2e6 /* numbers of a page, of about 8 bytes each: 10 MB */
enum { ROWS_MIN = 1000 };

/* ---- lines and points ---- */

static bool is_number(const zw_table *t, long row, int column) {
    return isfinite(zw_table_at(t, row, column));
}

static void mark_ends(const zw_table *t, bool *stays) {
    long rows = zw_table_rows(t);
    stays[0] = stays[rows - 1] = true;
    for (int j = 0; j < zw_table_columns(t); j++)
        for (long i = 1; i < rows; i++)
            if (is_number(t, i, j) != is_number(t, i - 1, j))
                stays[i] = stays[i - 1] = true;
}

/* marks least and largest of a column among rows from .. to - 1 */
static void mark_extremes(const zw_table *t, int column, long from, long to, bool *stays) {
    long low = -1, high = -1;
    for (long i = from; i < to; i++) {
        double v = zw_table_at(t, i, column);
        if (!isfinite(v))
            continue;
        if (low < 0 || v < zw_table_at(t, low, column))
            low = i;
        if (high < 0 || v > zw_table_at(t, high, column))
            high = i;
    }
    if (low >= 0)
        stays[low] = stays[high] = true;
}

static void mark_lines(const zw_table *t, long most, bool *stays) {
    long rows = zw_table_rows(t), stretches = most / 2 / (2 * zw_table_columns(t)) + 1;
    mark_ends(t, stays);
    for (long k = 0; k < stretches; k++) {
        long from = (long)((double)rows * (double)k / (double)stretches),
             to = (long)((double)rows * (double)(k + 1) / (double)stretches);
        for (int j = 0; j < zw_table_columns(t); j++)
            mark_extremes(t, j, from, to, stays);
    }
    long even = most / 2 + 1;
    for (long k = 0; k < even; k++)
        stays[(long)((double)(rows - 1) * (double)k / (double)even)] = true;
}

/* ---- surfaces and maps ---- */

static int stride_for(long rows, long most) {
    int stride = 1;
    while ((double)rows / stride / stride > (double)most)
        stride++;
    return stride;
}

/* the last line stays, too */
static bool is_on_line(long i, long n, int stride) {
    return i % stride == 0 || i == n - 1;
}

static int mark_mesh(const zw_table *t, int mesh, long most, bool *stays) {
    long rows = zw_table_rows(t), lines = rows / mesh;
    int stride = stride_for(rows, most), n = 0;
    for (long i = 0; i < lines * mesh; i++)
        stays[i] = is_on_line(i % mesh, mesh, stride) && is_on_line(i / mesh, lines, stride);
    for (int i = 0; i < mesh; i++)
        n += is_on_line(i, mesh, stride);
    return n;
}

/* false: the rows are not a grid */
static bool mark_grid(const zw_curve *c, long most, zw_arena *arena, bool *stays) {
    zw_out_grid g;
    if (zw_out_grid_find(&g, arena, c->table, c->x, c->y, NULL) < 0 || g.nx == 0)
        return false;
    int stride = stride_for(zw_table_rows(c->table), most);
    for (int j = 0; j < g.ny; j++)
        for (int i = 0; i < g.nx; i++) {
            long row = g.row[(long)j * g.nx + i];
            if (row >= 0 && i % stride == 0 && j % stride == 0)
                stays[row] = true;
        }
    return true;
}

/* ---- all tables ---- */

/* the curve that determines how the rows of a table are connected: a surface or a map; NULL:
 * none */
static const zw_curve *find_net(const zw_picture *p, const zw_table *t, bool *is_map) {
    for (int i = 0; i < p->n; i++)
        for (int k = 0; k < p->panel[i].n; k++) {
            const zw_curve *c = &p->panel[i].curve[k];
            *is_map = p->panel[i].map && k == 0;
            if (c->table == t && (c->mesh || *is_map))
                return c;
        }
    return NULL;
}

static zw_status thin_rows(zw_context *ctx, const zw_picture *p, zw_page_source *s, long most,
                           zw_error *err) {
    long rows = zw_table_rows(s->drawn);
    zw_allocator alloc = zw_context_allocator(ctx);
    zw_arena arena;
    bool is_map = false;
    const zw_curve *net = find_net(p, s->drawn, &is_map);
    zw_arena_init(&arena, &alloc);
    bool *stays = ZW_NEW(&arena, bool, rows + 1);
    long *kept = zw_context_alloc(ctx, sizeof *kept * (size_t)(rows + 1));
    if (stays && kept) {
        if (net && !is_map)
            s->mesh = mark_mesh(s->drawn, net->mesh, most, stays);
        else if (!is_map || !mark_grid(net, most, &arena, stays))
            mark_lines(s->drawn, most, stays);
        s->kept = kept;
        for (long i = 0; i < rows; i++)
            if (stays[i])
                kept[s->n++] = i;
    }
    bool failed = !stays || !kept || arena.failed;
    zw_arena_clear(&arena);
    return failed ? zw_out_of_memory(err, "the page") : ZW_OK;
}

zw_status zw_figure_thin(zw_context *ctx, const zw_picture *p, int n, zw_page_source *source,
                         long most, zw_error *err) {
    double values = 0;
    for (int i = 0; i < n; i++)
        values += (double)zw_table_rows(source[i].drawn) *
                  (zw_table_columns(source[i].drawn) +
                   (source[i].whole ? 0.5 * zw_table_columns(source[i].whole) : 0));
    for (int i = 0; i < n; i++) {
        long rows = zw_table_rows(source[i].drawn);
        double part = values > VALUES_MAX ? (double)rows * VALUES_MAX / values : (double)rows;
        long wanted = most > 0 ? most : (long)fmax(part, ROWS_MIN);
        if (rows > wanted)
            ZW_TRY(thin_rows(ctx, p, &source[i], wanted, err));
    }
    return ZW_OK;
}
