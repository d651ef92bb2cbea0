/* SPDX-License-Identifier: MIT */
/* Dots: the points of a raster with a cell for every dot that the eye can distinguish. Points in a
 * cell that has one already are omitted, neighbours in a row become one short line. The cells grow
 * until the picture is within its budget; the dots then overlap anyway. Where a line would be
 * dashed, a dot is hollow.
 *
 * More points than the budget, as in bifurcation diagrams of millions of points, become a raster of
 * pixels that are darker the more points they contain: the size of the file is limited by that of
 * the frame. Commands for TeX have no pixels: there the cells grow. */
#include <math.h>
#include <stdlib.h>

#include "base/arena.h"
#include "raster.h"

#define CELL_FINEST 0.12  /* points: 0.04 mm */
#define CELL_COARSEST 1.2 /* points; larger cells would be visible */
#define DOT_LARGE 1.9
#define DOT_SMALL 0.7
#define DOT_SINGLE 3.2 /* for so few that each is examined */

#define SIGN 1.3        /* half the width of a marker at a row */
#define SIGN_SINGLE 2.0 /* the same for a few */
#define FAINTEST 0.22   /* ink of one of very many points */
#define DENSEST 0.05    /* fraction of the pixels with ink that are full */

enum { COUNTS = 4096, STEPS = 12 };
enum { SINGLE = 20, RUNS = 24000, BUNDLE = 4000, FEW = 60, MANY = 20000 };

/* few dots are large, many are small, in between the diameter decreases with the logarithm */
static double dot_size(const zw_out_pane *p) {
    double n = 0;
    for (int k = 0; k < p->panel->n; k++)
        n += (double)zw_table_rows(p->panel->curve[k].table);
    if (n <= SINGLE)
        return DOT_SINGLE;
    double s = (log(fmax(n, 1)) - log(FEW)) / (log(MANY) - log(FEW));
    return DOT_LARGE + (DOT_SMALL - DOT_LARGE) * fmax(0, fmin(s, 1));
}

static bool is_hollow(const zw_curve *c, long row) {
    return c->solid && zw_table_at(c->table, row, c->solid - 1) == 0;
}

static void fill_raster(const zw_out_pane *p, const zw_curve *c, zw_out_cover *raster) {
    for (long i = 0; i < zw_table_rows(c->table); i++) {
        zw_out_spot at;
        if (!is_hollow(c, i) && zw_out_place(p, c, i, &at))
            zw_out_cover_point(raster, at.x, at.y);
    }
}

/* number of the runs of dots in the raster; draws them if there is a canvas */
static long runs_of(const zw_out_cover *r, zw_out_canvas *c) {
    long n = 0;
    for (int y = 0; y < r->ny; y++)
        for (int x = 0; x < r->nx; x++) {
            if (!zw_out_cover_has(r, x, y))
                continue;
            int from = x;
            while (x + 1 < r->nx && zw_out_cover_has(r, x + 1, y))
                x++;
            n++;
            if (!c)
                continue;
            double height = r->top + (y + 0.5) * r->cell;
            cairo_move_to(c->cr, r->left + (from + 0.5) * r->cell, height);
            cairo_line_to(c->cr, r->left + (x + 0.5) * r->cell, height);
            if (n % BUNDLE == 0)
                zw_out_stroke(c);
        }
    if (c)
        zw_out_stroke(c);
    return n;
}

void zw_out_draw_hollow(zw_out_canvas *c, zw_out_spot at, double diameter) {
    cairo_set_line_width(c->cr, 0.3 * diameter);
    cairo_new_path(c->cr);
    cairo_arc(c->cr, at.x, at.y, 0.35 * diameter, 0, 2 * acos(-1));
    zw_out_stroke(c);
}

static void draw_hollow(const zw_out_sheet *s, const zw_out_pane *p, int k) {
    const zw_curve *c = &p->panel->curve[k];
    zw_out_spot at;
    for (long i = 0; i < zw_table_rows(c->table); i++)
        if (is_hollow(c, i) && zw_out_place(p, c, i, &at) && zw_out_is_in(&p->frame, at))
            zw_out_draw_hollow(s->canvas, at, 1.3 * dot_size(p));
}

static void draw_circle(const zw_out_sheet *s, zw_out_spot at, double diameter) {
    cairo_set_line_width(s->cr, 0.7 * ZW_OUT_CURVE);
    cairo_new_path(s->cr);
    cairo_arc(s->cr, at.x, at.y, 0.42 * diameter, 0, 2 * acos(-1));
    zw_out_stroke(s->canvas);
}

/* many of one kind: small discs */
static void draw_tinted(const zw_out_sheet *s, const zw_out_pane *p, const zw_curve *c) {
    zw_out_spot at;
    for (long i = 0; i < zw_table_rows(c->table); i++) {
        if (!zw_out_place(p, c, i, &at) || !zw_out_is_in(&p->frame, at))
            continue;
        cairo_new_path(s->cr);
        cairo_arc(s->cr, at.x, at.y, 1.2 * ZW_OUT_CURVE, 0, 2 * acos(-1));
        zw_out_fill(s->canvas);
    }
}

void zw_out_draw_circles(const zw_out_sheet *s, const zw_out_pane *p, int k) {
    const zw_curve *c = &p->panel->curve[k];
    zw_out_spot at;
    zw_out_use_colour(s->cr, zw_out_style(p->panel, k));
    cairo_set_dash(s->cr, NULL, 0, 0);
    if (zw_out_style(p->panel, k) >= ZW_PLOT_TINT) {
        draw_tinted(s, p, c);
        return;
    }
    if (c->shape) {
        for (long i = 0; i < zw_table_rows(c->table); i++)
            if (zw_out_place(p, c, i, &at) && zw_out_is_in(&p->frame, at))
                zw_out_draw_sign(s->canvas, (zw_mark_shape)(c->shape - 1), at,
                                 zw_table_rows(c->table) <= SINGLE ? SIGN_SINGLE : SIGN);
        return;
    }
    double diameter = 2.4 * ZW_OUT_CURVE;
    for (int i = k + 1; i < p->panel->n; i++) /* dots drawn on top leave it visible */
        diameter += p->panel->curve[i].points ? 2 * ZW_OUT_CURVE : 0;
    diameter = fmin(diameter, 7 * ZW_OUT_CURVE);
    for (long i = 0; i < zw_table_rows(c->table); i++)
        if (zw_out_place(p, c, i, &at) && zw_out_is_in(&p->frame, at))
            draw_circle(s, at, diameter);
}

/* ---- density ---- */

/* a dot is two by two pixels */
static void count_points(const zw_out_pane *p, const zw_curve *c, const zw_out_raster *r,
                         uint32_t *n) {
    for (long i = 0; i < zw_table_rows(c->table); i++) {
        zw_out_spot at;
        if (is_hollow(c, i) || !zw_out_place(p, c, i, &at))
            continue;
        double x = floor((at.x - r->left) / r->cell - 0.5),
               y = floor((at.y - r->top) / r->cell - 0.5);
        if (!(x >= 0 && y >= 0 && x + 1 < r->nx && y + 1 < r->ny))
            continue;
        uint32_t *first = &n[(long)y * r->nx + (long)x];
        first[0]++;
        first[1]++;
        first[r->nx]++;
        first[r->nx + 1]++;
    }
}

/* the count of a full pixel: all but DENSEST of the pixels with ink have fewer */
static uint32_t full_count(const uint32_t *n, long pixels) {
    long of[COUNTS] = {0}, ink = 0, so_far = 0;
    for (long i = 0; i < pixels; i++) {
        of[n[i] < COUNTS ? n[i] : COUNTS - 1]++;
        ink += n[i] > 0;
    }
    uint32_t k = 1;
    for (; k + 1 < COUNTS && (double)(so_far += of[k]) < (1 - DENSEST) * (double)ink; k++)
        ;
    return k;
}

/* the logarithm of the count, in few steps, so that files stay small */
static double count_darkness(uint32_t n, uint32_t full) {
    double u = fmin(log1p(n) / log1p(full), 1);
    return FAINTEST + (1 - FAINTEST) * round(u * STEPS) / STEPS;
}

static zw_status draw_density(const zw_out_sheet *s, const zw_out_pane *p, int k, zw_error *err) {
    zw_out_raster r;
    double red, green, blue;
    ZW_TRY(zw_out_raster_init(&r, s, &p->frame, false, err));
    long pixels = (long)r.nx * r.ny;
    uint32_t *n = calloc((size_t)pixels, sizeof *n), ink[COUNTS] = {0};
    zw_status status = ZW_OK;
    if (n) {
        count_points(p, &p->panel->curve[k], &r, n);
        uint32_t full = full_count(n, pixels);
        zw_out_use_colour(s->cr, zw_out_style(p->panel, k));
        cairo_pattern_get_rgba(cairo_get_source(s->cr), &red, &green, &blue, NULL);
        for (uint32_t i = 1; i < COUNTS; i++)
            ink[i] = zw_out_raster_ink((zw_out_rgb){red, green, blue}, count_darkness(i, full));
        for (long i = 0; i < pixels; i++)
            r.pixel[i] = ink[n[i] < COUNTS ? n[i] : COUNTS - 1];
        status = zw_out_raster_draw(s, &r, err);
    } else
        status = zw_out_of_memory(err, "the picture");
    free(n);
    zw_out_raster_clear(&r);
    return status;
}

/* ---- all of them ---- */

static zw_status draw_dots(const zw_out_sheet *s, const zw_out_pane *p, int k, long budget,
                           zw_error *err) {
    const zw_out_box f = p->frame;
    zw_out_cover raster = {0};
    zw_status status = ZW_OK;
    for (double cell = CELL_FINEST; status == ZW_OK; cell *= 1.5) {
        zw_out_cover_clear(&raster);
        status = zw_out_cover_init(&raster, f.left, f.top, f.right, f.bottom, cell, err);
        if (status == ZW_OK)
            fill_raster(p, &p->panel->curve[k], &raster);
        if (status == ZW_OK && (cell >= CELL_COARSEST || runs_of(&raster, NULL) <= budget))
            break;
        if (status == ZW_OK && !s->canvas->tex) {
            zw_out_cover_clear(&raster);
            ZW_TRY(draw_density(s, p, k, err));
            draw_hollow(s, p, k);
            return ZW_OK;
        }
    }
    if (status == ZW_OK) {
        zw_out_use_colour(s->cr, zw_out_style(p->panel, k));
        cairo_set_line_width(s->cr, dot_size(p));
        runs_of(&raster, s->canvas);
        draw_hollow(s, p, k);
    }
    zw_out_cover_clear(&raster);
    return status;
}

zw_status zw_out_draw_dots(const zw_out_sheet *s, const zw_out_pane *p, int k, zw_error *err) {
    cairo_set_line_cap(s->cr, CAIRO_LINE_CAP_ROUND);
    cairo_set_dash(s->cr, NULL, 0, 0);
    return draw_dots(s, p, k, RUNS / zw_out_curves(s), err);
}

zw_status zw_out_draw_points(const zw_out_sheet *s, const zw_out_pane *p, zw_error *err) {
    cairo_set_line_cap(s->cr, CAIRO_LINE_CAP_ROUND);
    cairo_set_dash(s->cr, NULL, 0, 0);
    for (int k = 0; k < p->panel->n; k++)
        ZW_TRY(draw_dots(s, p, k, RUNS / zw_out_curves(s), err));
    return ZW_OK;
}
