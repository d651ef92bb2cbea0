/* SPDX-License-Identifier: MIT */
/* A map: each pixel in the frame has the colour of its cell. The cell is found for each column and
 * row of pixels, so that axes may be logarithmic and values of the grid uneven. If the grid is
 * finer than the pixels, each pixel shows the cell at its centre.
 *
 *     colour = scale((s(z) - s(low)) / (s(high) - s(low))),   s = identity or log10
 *
 * except for the diverging scale, which goes from low to 0 on one half and from 0 to high on the
 * other: small values on one side are visible next to large ones on the other, and the strip shows
 * it. Holes of the grid are hatched, cells without a finite value are grey. Rows that are not a
 * grid are dots. */
#include <math.h>
#include <stdlib.h>

#include "base/arena.h"
#include "raster.h"

#define HATCH_GREY 0.80
/* Size of a side of the diverging scale relative to the larger one: a smaller one is round-off of
 * zero, and its values have the colour of zero. */
#define SIDE_NEGLIGIBLE 1e-12

enum { HATCH = 9, DOT_MAX = 14 };

static double z_of(const zw_out_pane *p, long row) {
    const zw_curve *c = &p->panel->curve[0];
    return zw_table_at(c->table, row, c->z);
}

/* true if the value has a colour */
static bool has_colour(const zw_out_pane *p, double z) {
    return isfinite(z) && !(p->panel->log[2] && z <= 0);
}

/* ---- before the layout ---- */

static void count_cells(const zw_out_pane *p, zw_plot_report *report) {
    const zw_table *t = p->panel->curve[0].table;
    long n = (long)p->grid.nx * p->grid.ny;
    report->cells += n;
    report->holes += p->grid.holes;
    report->scattered += n ? 0 : zw_table_rows(t);
    for (long i = 0; i < zw_table_rows(t); i++) {
        double z = z_of(p, i);
        report->empty += !isfinite(z);
        report->nonpositive += isfinite(z) && !has_colour(p, z);
    }
}

zw_status zw_out_prepare_map(zw_out_pane *p, zw_arena *arena, zw_plot_report *report,
                             zw_error *err) {
    if (!p->panel->map)
        return ZW_OK;
    const zw_curve *c = &p->panel->curve[0];
    ZW_TRY(zw_out_grid_find(&p->grid, arena, c->table, c->x, c->y, err));
    for (int i = 0; i < 2 && p->grid.nx; i++)
        if (p->panel->log[i] && (i ? p->grid.y : p->grid.x)[0] <= 0)
            return zw_fail(
                err, ZW_E_OPTION, "a logarithmic axis shows positive values only: %s begins at %g",
                zw_table_name(c->table, i ? c->y : c->x), (i ? p->grid.y : p->grid.x)[0]);
    count_cells(p, report);
    if (!(p->scale = ZW_NEW(arena, zw_out_rgb, ZW_OUT_SCALE)))
        return zw_out_of_memory(err, "the picture");
    if (p->panel->map->colours == ZW_COLOURS_CLASSES)
        zw_out_greys(p->scale);
    else if (p->panel->map->colours == ZW_COLOURS_DIVERGING)
        zw_out_diverging(p->scale);
    else
        zw_out_even(p->scale);
    return ZW_OK;
}

bool zw_out_map_span(const zw_out_pane *p, int axis, zw_span *out) {
    if (!p->panel->map || p->grid.nx == 0 || axis > 1)
        return false;
    const double *v = axis ? p->grid.y : p->grid.x;
    int n = axis ? p->grid.ny : p->grid.nx;
    *out = (zw_span){zw_out_grid_border(v, n, 0, p->panel->log[axis]),
                     zw_out_grid_border(v, n, n, p->panel->log[axis])};
    return true;
}

/* ---- colours ---- */

static double clamp(double v) {
    return fmax(0, fmin(v, 1));
}

/* from 0 to 1, on the strip */
static double place_of(const zw_out_pane *p, double z) {
    const zw_span seen = p->bar.seen;
    if (p->panel->map->colours != ZW_COLOURS_DIVERGING)
        return clamp(zw_out_fraction(&p->bar, z));
    double side = z < 0 ? -seen.low : seen.high, size = fmax(fabs(seen.low), fabs(seen.high));
    return side > SIDE_NEGLIGIBLE * size ? clamp(0.5 + 0.5 * z / side) : 0.5;
}

static zw_out_rgb scale_at(const zw_out_pane *p, double u) {
    return p->scale[lround(clamp(u) * (ZW_OUT_SCALE - 1))];
}

zw_out_rgb zw_out_scale_colour(const zw_out_pane *p, double u) {
    return scale_at(p, p->bar_of == ZW_OUT_SHADES ? u : place_of(p, zw_out_value(&p->bar, u)));
}

zw_out_rgb zw_out_class_colour(const zw_map *map, int k) {
    zw_out_rgb c = zw_out_class(k);
    return map->pale && k >= 1 ? zw_out_pale(c) : c;
}

static zw_out_rgb class_of(const zw_out_pane *p, long row, double z) {
    const zw_curve *c = &p->panel->curve[0];
    int column = p->panel->map->shade - 1;
    zw_out_rgb colour = zw_out_class_colour(p->panel->map, (int)fmax(-1, fmin(z, 1000000)));
    double shade = column >= 0 ? zw_table_at(c->table, row, column) : NAN;
    if (column >= 0 && z >= 1 && isfinite(shade) && !(p->bar.log && shade <= 0))
        colour = zw_out_shaded(colour, clamp(zw_out_fraction(&p->bar, shade)));
    return colour;
}

zw_out_rgb zw_out_map_colour(const zw_out_pane *p, long row) {
    double z = z_of(p, row);
    if (!has_colour(p, z))
        return zw_out_nothing();
    if (p->panel->map->colours == ZW_COLOURS_CLASSES)
        return class_of(p, row, z);
    return scale_at(p, place_of(p, z));
}

static uint32_t colour_of(const zw_out_pane *p, long row) {
    return zw_out_raster_ink(zw_out_map_colour(p, row), 1);
}

void zw_out_draw_class(zw_out_canvas *c, const zw_map *map, const zw_map_class *of, double x,
                       double y) {
    zw_out_rgb colour = of ? zw_out_class_colour(map, of->value) : zw_out_nothing();
    const double half = 0.36 * ZW_OUT_TICK_FONT;
    for (int stroke = 0; stroke < 2; stroke++) {
        cairo_set_source_rgb(c->cr, stroke ? 0 : colour.r, stroke ? 0 : colour.g,
                             stroke ? 0 : colour.b);
        cairo_set_line_width(c->cr, 0.6 * ZW_OUT_THIN);
        cairo_new_path(c->cr);
        cairo_rectangle(c->cr, x - 2.4 * half, y - half, 4.8 * half, 2 * half);
        if (stroke)
            zw_out_stroke(c);
        else
            zw_out_fill(c);
    }
}

/* ---- pixels ---- */

/* the cells of the columns, or rows, of pixels; -1: outside */
static void find_cells(const zw_out_pane *p, const zw_out_raster *r, int axis, int *cell) {
    const zw_out_axis *a = &p->axis[axis];
    const double *v = axis ? p->grid.y : p->grid.x;
    int n = axis ? p->grid.ny : p->grid.nx, pixels = axis ? r->ny : r->nx;
    for (int i = 0; i < pixels; i++) {
        double at = (axis ? r->top : r->left) + (i + 0.5) * r->cell;
        double u = axis ? (at - p->origin.y) / p->edge[1].y : (at - p->origin.x) / p->edge[0].x;
        /* pixels cut by the frame belong to the cell at the border */
        cell[i] = zw_out_grid_cell(v, n, a->log, zw_out_value(a, clamp(u)));
    }
}

static void paint_cells(const zw_out_pane *p, zw_out_raster *r, const int *x, const int *y) {
    const zw_out_grid *g = &p->grid;
    const zw_out_rgb grey = {HATCH_GREY, HATCH_GREY, HATCH_GREY}, white = {1, 1, 1};
    const uint32_t line = zw_out_raster_ink(grey, 1), paper = zw_out_raster_ink(white, 1);
    for (int j = 0; j < r->ny; j++)
        for (int i = 0; i < r->nx; i++) {
            uint32_t *out = &r->pixel[(long)j * r->nx + i];
            if (x[i] < 0 || y[j] < 0)
                continue;
            long row = g->row[(long)y[j] * g->nx + x[i]];
            *out = row >= 0 ? colour_of(p, row) : (i + j) % HATCH < 2 ? line : paper;
        }
}

/* a dot is as large as the space available for each */
static void paint_dots(const zw_out_pane *p, zw_out_raster *r) {
    const zw_curve *c = &p->panel->curve[0];
    long rows = zw_table_rows(c->table);
    double room = sqrt((double)r->nx * r->ny / fmax((double)rows, 1));
    int half = (int)fmax(1, fmin(0.4 * room, DOT_MAX / 2.0));
    for (long k = 0; k < rows; k++) {
        zw_out_spot at;
        if (!zw_out_place(p, c, k, &at))
            continue;
        int x = (int)floor((at.x - r->left) / r->cell), y = (int)floor((at.y - r->top) / r->cell);
        uint32_t colour = colour_of(p, k);
        for (int j = -half; j <= half; j++)
            for (int i = -half; i <= half; i++)
                if (i * i + j * j <= half * half + 1 && x + i >= 0 && x + i < r->nx && y + j >= 0 &&
                    y + j < r->ny)
                    r->pixel[(long)(y + j) * r->nx + x + i] = colour;
    }
}

zw_status zw_out_draw_map(const zw_out_sheet *s, const zw_out_pane *p, zw_error *err) {
    const zw_out_box f = p->frame;
    zw_out_raster r = {0};
    bool finer = p->grid.nx > (f.right - f.left) * ZW_OUT_DPI / 72 ||
                 p->grid.ny > (f.bottom - f.top) * ZW_OUT_DPI / 72;
    ZW_TRY(zw_out_raster_init(&r, s, &f, finer, err));
    int *cell = calloc((size_t)(r.nx + r.ny), sizeof *cell);
    if (!cell) {
        zw_out_raster_clear(&r);
        return zw_out_of_memory(err, "the picture");
    }
    if (p->grid.nx) {
        find_cells(p, &r, 0, cell);
        find_cells(p, &r, 1, cell + r.nx);
        paint_cells(p, &r, cell, cell + r.nx);
    } else
        paint_dots(p, &r);
    cairo_rectangle(s->cr, f.left, f.top, f.right - f.left, f.bottom - f.top);
    zw_out_clip_begin(s->canvas);
    zw_status status = zw_out_raster_draw(s, &r, err);
    zw_out_clip_end(s->canvas);
    free(cell);
    zw_out_raster_clear(&r);
    return status;
}
