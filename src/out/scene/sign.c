/* SPDX-License-Identifier: MIT */
/* Signs on paper, which are not things of the scene: markers of contacts and arrows of forces. They
 * are flat, with a rim in the colour of the paper, so that they are in front of everything: a force
 * acts inside the body that it supports. Sticking is a disc, slipping a ring, so that they can be
 * distinguished without colours too. */
#include <math.h>

#include "scene.h"

#define TURN (2 * 3.14159265358979323846)
#define RADIUS_MIN 3.0   /* least radius of a marker, in thin lines */
#define ARROW_POINT 1e-6 /* pixels: an arrow towards the reader, which has no direction on paper */
#define RIM 1.3          /* in thin lines */
#define HOLE 0.52        /* relative to the radius */

static void paper_of(const zw_scene_sheet *s, const double x[3], double out[2]) {
    double X[3];
    zw_camera_see(&s->camera, x, X);
    zw_camera_paper(&s->camera, X, &out[0], &out[1]);
}

/* length in pixels at a place; 0: behind the eye */
static double pixel_length(const zw_scene_sheet *s, const double x[3], double length) {
    double X[3];
    zw_camera_see(&s->camera, x, X);
    return X[2] > s->camera.near ? s->camera.f * length / X[2] : 0;
}

/* mixes this fraction of the colour with that of the paper */
static void set_ink(const zw_scene_sheet *s, zw_rgb c, double own) {
    const zw_rgb paper = s->theme.paper;
    cairo_set_source_rgb(s->cr, own * c.r + (1 - own) * paper.r, own * c.g + (1 - own) * paper.g,
                         own * c.b + (1 - own) * paper.b);
}

static void trace_circle(cairo_t *cr, double x, double y, double r) {
    cairo_new_sub_path(cr);
    cairo_arc(cr, x, y, r, 0, TURN);
    cairo_close_path(cr);
}

static void draw_mark(const zw_scene_sheet *s, double x, double y, double r, bool ring, bool faint,
                      zw_rgb colour, double own) {
    cairo_t *cr = s->cr;
    cairo_new_path(cr);
    trace_circle(cr, x, y, r);
    if (faint) { /* a gap that is nearly closed: a thin line only */
        cairo_set_line_width(cr, 0.35 * r);
        set_ink(s, colour, own);
        cairo_stroke(cr);
        return;
    }
    trace_circle(cr, x, y, r + RIM * s->line);
    set_ink(s, s->theme.paper, 1);
    cairo_fill(cr);
    trace_circle(cr, x, y, r);
    set_ink(s, colour, own);
    cairo_fill(cr);
    if (!ring)
        return;
    trace_circle(cr, x, y, HOLE * r);
    set_ink(s, s->theme.paper, 1);
    cairo_fill(cr);
}

/* from (0, 0) along x: shaft of half width w, one head or two */
static void trace_arrow(cairo_t *cr, double length, double w, bool two) {
    double head = fmin(8 * w, 0.6 * length), wide = fmin(3 * w, 0.45 * head);
    double neck = two ? fmax(length - 1.75 * head, 0.2 * length) : length - head;
    w = fmin(w, wide);
    cairo_move_to(cr, 0, -w);
    cairo_line_to(cr, neck, -w);
    cairo_line_to(cr, neck, -wide);
    if (two) { /* the second head begins inside the first */
        double tip = neck + head, at = length - head, half = wide * (tip - at) / head;
        cairo_line_to(cr, at, -half);
        cairo_line_to(cr, at, -wide);
    }
    cairo_line_to(cr, length, 0);
    if (two) {
        double tip = neck + head, at = length - head, half = wide * (tip - at) / head;
        cairo_line_to(cr, at, wide);
        cairo_line_to(cr, at, half);
    }
    cairo_line_to(cr, neck, wide);
    cairo_line_to(cr, neck, w);
    cairo_line_to(cr, 0, w);
    cairo_close_path(cr);
}

static void draw_arrow(const zw_scene_sheet *s, const double a[2], const double b[2], double w,
                       bool two, zw_rgb colour, double own) {
    cairo_t *cr = s->cr;
    double length = hypot(b[0] - a[0], b[1] - a[1]);
    if (length < ARROW_POINT)
        return; /* it points towards the reader */
    cairo_save(cr);
    cairo_translate(cr, a[0], a[1]);
    cairo_rotate(cr, atan2(b[1] - a[1], b[0] - a[0]));
    cairo_new_path(cr);
    trace_arrow(cr, length, w, two);
    cairo_set_line_join(cr, CAIRO_LINE_JOIN_ROUND);
    cairo_set_line_width(cr, 2 * RIM * s->line);
    set_ink(s, s->theme.paper, 1);
    cairo_stroke_preserve(cr);
    set_ink(s, colour, own);
    cairo_fill(cr);
    cairo_restore(cr);
}

void zw_scene_sign(const zw_scene_sheet *s, const zw_prim *p) {
    double a[2], b[2], r = pixel_length(s, p->p[0], p->radius), own = p->alpha * (1 - p->pale);
    if (r == 0 || pixel_length(s, p->p[p->n - 1], p->radius) == 0)
        return;
    paper_of(s, p->p[0], a);
    paper_of(s, p->p[p->n - 1], b);
    if (p->kind == ZW_PRIM_MARK)
        draw_mark(s, a[0], a[1], fmax(r, RADIUS_MIN * s->line), p->ring, p->alpha < 1, p->colour,
                  own);
    else
        draw_arrow(s, a, b, fmax(r, 0.3 * RADIUS_MIN * s->line), p->cut, p->colour, own);
}

/* ---- the legend ---- */

typedef struct legend {
    const zw_scene_sheet *s;
    const zw_scene_pen *pen;
    double x, y;
} legend;

static void write_text(legend *l, const char *text) {
    const zw_scene_pen *pen = l->pen;
    l->x += 0.45 * pen->size;
    l->x += pen->put(pen->user, text, l->x, l->y, pen->draw) + 1.3 * pen->size;
}

static void write_state(legend *l, zw_view_touch touch, const char *text) {
    const zw_scene_sheet *s = l->s;
    double r = 0.36 * l->pen->size;
    if (!(s->stage->touches & 1U << touch))
        return;
    if (l->pen->draw)
        draw_mark(s, l->x + r, l->y - 0.36 * l->pen->size, r, touch == ZW_VIEW_SLIPS, false,
                  zw_scene_colour(zw_scene_touch_colour(touch), s->o->dark), 1);
    l->x += 2 * r;
    write_text(l, text);
}

static void write_arrow(legend *l, zw_rgb colour, bool two, const char *text) {
    double size = l->pen->size, a[2] = {l->x, l->y - 0.36 * size};
    double b[2] = {l->x + 2.1 * size, a[1]};
    if (!text[0])
        return;
    if (l->pen->draw)
        draw_arrow(l->s, a, b, 0.11 * size, two, colour, 1);
    l->x = b[0];
    write_text(l, text);
}

double zw_scene_legend(const zw_scene_sheet *s, const zw_scene_pen *pen, double x, double y) {
    legend l = {s, pen, x, y};
    char text[100];
    bool again = s->stage->touches & 1U << ZW_VIEW_MEANWHILE;
    write_state(&l, ZW_VIEW_STICKS, "sticks");
    write_state(&l, ZW_VIEW_SLIPS, "slips");
    write_state(&l, ZW_VIEW_CLOSED, "closed");
    write_arrow(&l, zw_scene_colour(zw_scene_touch_colour(ZW_VIEW_MEANWHILE), s->o->dark), false,
                again ? "open again" : "");
    zw_view_force_key(s->view, s->stage, text, sizeof text);
    write_arrow(&l, s->theme.ink, false, text);
    zw_view_force_cut(s->view, s->stage, text, sizeof text);
    write_arrow(&l, s->theme.ink, true, text);
    return l.x > x ? l.x - x - 1.3 * pen->size : 0;
}
