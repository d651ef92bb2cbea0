/* SPDX-License-Identifier: MIT */
/* Bands: the area between two columns over x, filled in a light tint of their colour. Overlapping
 * bands add up, so that quartiles are visible within wider quantiles. Rows that are too close on
 * paper to be distinguished become one, with the outermost of their edges. */
#include <math.h>
#include <stdlib.h>

#include "plot.h"

#define SAME_COLUMN 0.06 /* points: 0.02 mm, below what the eye can distinguish */
#define ALPHA 0.26

enum { MANY = 4000 };

typedef struct band {
    long n;
    bool thin; /* more rows than can be distinguished */
    zw_out_spot *y, *edge;
} band;

static void use_light(zw_out_canvas *c, int style) {
    double r, g, b;
    zw_out_use_colour(c->cr, style);
    cairo_pattern_get_rgba(cairo_get_source(c->cr), &r, &g, &b, NULL);
    if (c->tex) /* no transparency */
        cairo_set_source_rgb(c->cr, 1 + ALPHA * (r - 1), 1 + ALPHA * (g - 1), 1 + ALPHA * (b - 1));
    else
        cairo_set_source_rgba(c->cr, r, g, b, ALPHA);
}

/* y may be above or below the other edge */
static void add_point(band *b, zw_out_spot y, zw_out_spot edge) {
    if (b->n == 0 || !b->thin || fabs(y.x - b->y[b->n - 1].x) >= SAME_COLUMN) {
        b->y[b->n] = y;
        b->edge[b->n++] = edge;
        return;
    }
    double *py = &b->y[b->n - 1].y, *pe = &b->edge[b->n - 1].y;
    bool below = *py > *pe;
    *py = below ? fmax(*py, y.y) : fmin(*py, y.y);
    *pe = below ? fmin(*pe, edge.y) : fmax(*pe, edge.y);
}

/* a single row between gaps has no width: a bar from edge to edge, as for a measured value and its
 * error */
static void draw_bar(const zw_out_sheet *s, const band *b, int style) {
    zw_out_use_colour(s->cr, style);
    cairo_set_dash(s->cr, NULL, 0, 0);
    cairo_set_line_width(s->cr, 0.5 * ZW_OUT_CURVE);
    cairo_new_path(s->cr);
    cairo_move_to(s->cr, b->y[0].x, b->y[0].y);
    cairo_line_to(s->cr, b->edge[0].x, b->edge[0].y);
    zw_out_stroke(s->canvas);
}

static void fill_band(const zw_out_sheet *s, band *b, int style) {
    if (b->n == 1)
        draw_bar(s, b, style);
    if (b->n > 1) {
        cairo_new_path(s->cr);
        for (long i = 0; i < b->n; i++)
            cairo_line_to(s->cr, b->y[i].x, b->y[i].y);
        for (long i = b->n - 1; i >= 0; i--)
            cairo_line_to(s->cr, b->edge[i].x, b->edge[i].y);
        cairo_close_path(s->cr);
        use_light(s->canvas, style);
        zw_out_fill(s->canvas);
    }
    b->n = 0;
}

void zw_out_draw_band(const zw_out_sheet *s, const zw_out_pane *p, int k) {
    const zw_curve *c = &p->panel->curve[k];
    zw_curve other = *c;
    long rows = zw_table_rows(c->table);
    band b = {.thin = rows > MANY,
              .y = calloc((size_t)rows + 1, sizeof *b.y),
              .edge = calloc((size_t)rows + 1, sizeof *b.edge)};
    int style = zw_out_style(p->panel, k);
    other.y = c->band - 1;
    for (long i = 0; b.y && b.edge && i < rows; i++) {
        zw_out_spot y, edge;
        if (zw_out_place(p, c, i, &y) && zw_out_place(p, &other, i, &edge))
            add_point(&b, y, edge);
        else
            fill_band(s, &b, style);
    }
    if (b.y && b.edge)
        fill_band(s, &b, style);
    free(b.y);
    free(b.edge);
}

void zw_out_draw_band_sample(zw_out_canvas *c, int style, double x, double y, double length) {
    use_light(c, style);
    cairo_new_path(c->cr);
    cairo_rectangle(c->cr, x, y - 0.3 * ZW_OUT_TICK_FONT, length, 0.6 * ZW_OUT_TICK_FONT);
    zw_out_fill(c);
}
