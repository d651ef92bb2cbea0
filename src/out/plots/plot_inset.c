/* SPDX-License-Identifier: MIT */
/* Magnified windows of a plane, inside its frame. An inset is a panel with the curves and markers
 * of the large one, over the ranges of its window. It is placed where it hides least: of the places
 * on a grid, in three sizes, the free one nearest to the window or, if there is none, the one with
 * the least ink under it. A thin frame shows the window, and two lines connect it with the
 * inset. */
#include <math.h>

#include "base/arena.h"
#include "plot.h"

#define CELL 2.0
#define AIR 7.0 /* from the frame, for ticks */
#define GREY 0.45

/* relative to the frame */
static const double sizes[][2] = {{0.46, 0.46}, {0.40, 0.40}, {0.34, 0.36}};

/* ---- before the layout ---- */

static void no_labels(zw_panel *p) {
    for (int i = 0; i < 3; i++)
        p->label[i] = "";
}

static zw_status prepare_one(zw_out_inset *in, const zw_out_pane *large, const zw_inset *wanted,
                             zw_error *err) {
    const zw_panel *panel = large->panel;
    zw_plot_report unread = {0};
    in->panel = *panel;
    in->panel.ninset = 0;
    in->panel.bar = NULL;
    in->panel.title = NULL;
    in->panel.dashed = NULL;
    no_labels(&in->panel);
    for (int i = 0; i < 2; i++)
        in->panel.span[i] = wanted->span[i];
    in->place = wanted->place;
    in->pane = (zw_out_pane){
        .panel = &in->panel, .grid = large->grid, .bar = large->bar, .scale = large->scale};
    zw_error why = {0};
    zw_status status = zw_out_find_ranges(&in->pane, &unread, &why);
    if (status < 0)
        return zw_fail(err, status, "the inset of %g to %g: %s", wanted->span[0].low,
                       wanted->span[0].high, why.text);
    zw_out_label_axes(&in->pane);
    return ZW_OK;
}

zw_status zw_out_prepare_insets(zw_out_pane *p, zw_error *err) {
    const zw_panel *panel = p->panel;
    if (panel->ninset == 0)
        return ZW_OK;
    if (panel->ninset < 0 || panel->ninset > ZW_OUT_INSETS)
        return zw_fail(err, ZW_E_OPTION, "a panel has at most %d insets", ZW_OUT_INSETS);
    if (panel->is_space || p->has_right)
        return zw_fail(err, ZW_E_OPTION, "a panel with three axes has no inset");
    for (int i = 0; i < panel->ninset; i++)
        ZW_TRY(prepare_one(&p->inset[i], p, &panel->inset[i], err));
    return ZW_OK;
}

/* ---- places ---- */

/* the window on paper, as far as it is inside the frame */
static zw_out_box window_of(const zw_out_pane *p, const zw_out_inset *in) {
    double u[2][2];
    for (int i = 0; i < 2; i++) {
        const zw_span seen = in->pane.axis[i].data;
        u[i][0] = fmax(0, fmin(zw_out_fraction(&p->axis[i], seen.low), 1));
        u[i][1] = fmax(0, fmin(zw_out_fraction(&p->axis[i], seen.high), 1));
    }
    return (zw_out_box){p->origin.x + u[0][0] * p->edge[0].x, p->origin.x + u[0][1] * p->edge[0].x,
                        p->origin.y + u[1][1] * p->edge[1].y, p->origin.y + u[1][0] * p->edge[1].y};
}

void zw_out_cover_box(zw_out_cover *cover, const zw_out_box *b) {
    for (double y = b->top; y < b->bottom; y += cover->cell)
        zw_out_cover_line(cover, b->left, y, b->right, y);
    zw_out_cover_line(cover, b->left, b->bottom, b->right, b->bottom);
}

/* number of cells with ink under the box */
static long ink_under(const zw_out_cover *cover, const zw_out_box *b) {
    long n = 0;
    for (double y = b->top; y < b->bottom; y += cover->cell)
        for (double x = b->left; x < b->right; x += cover->cell)
            n += zw_out_cover_touches(cover, x, y, x, y);
    return n;
}

typedef struct search {
    const zw_out_cover *cover;
    zw_out_spot near; /* the nearest free place is taken */
    zw_out_box found;
    long least; /* ink under it; -1: no place yet */
    double distance;
} search;

static void try_at(search *q, double left, double top, double width, double height) {
    const zw_out_box b = {left, left + width, top, top + height};
    long ink = ink_under(q->cover, &b);
    double away = hypot(left + width / 2 - q->near.x, top + height / 2 - q->near.y);
    if (q->least >= 0 && (ink > q->least || (ink == q->least && away >= q->distance)))
        return;
    q->least = ink;
    q->distance = away;
    q->found = b;
}

/* all places of one size */
static void try_size(search *q, const zw_out_box *f, zw_inset_place place, const double size[2]) {
    enum { STEPS = 8 };
    double width = size[0] * (f->right - f->left), height = size[1] * (f->bottom - f->top);
    double left = f->left + AIR, right = f->right - AIR - width;
    double top = f->top + AIR, bottom = f->bottom - AIR - height;
    if (place != ZW_INSET_ANYWHERE) {
        bool is_left = place == ZW_INSET_UPPER_LEFT || place == ZW_INSET_LOWER_LEFT,
             is_upper = place == ZW_INSET_UPPER_LEFT || place == ZW_INSET_UPPER_RIGHT;
        try_at(q, is_left ? left : right, is_upper ? top : bottom, width, height);
        return;
    }
    for (int i = 0; i <= STEPS; i++)
        for (int k = 0; k <= STEPS; k++)
            try_at(q, right + (left - right) * k / STEPS, top + (bottom - top) * i / STEPS, width,
                   height);
}

zw_status zw_out_place_insets(const zw_out_sheet *s, zw_out_pane *p, zw_error *err) {
    const zw_out_box f = p->frame;
    zw_out_cover cover;
    if (p->panel->ninset == 0)
        return ZW_OK;
    ZW_TRY(zw_out_cover_init(&cover, f.left, f.top, f.right, f.bottom, CELL, err));
    p->placed = 0; /* the ink is that of the curves */
    zw_out_cover_ink(p, &cover);
    for (int i = 0; i < p->panel->ninset; i++) {
        p->inset[i].window = window_of(p, &p->inset[i]);
        zw_out_cover_box(&cover, &p->inset[i].window);
    }
    for (int i = 0; i < p->panel->ninset; i++) {
        zw_out_inset *in = &p->inset[i];
        search q = {.cover = &cover,
                    .near = {(in->window.left + in->window.right) / 2,
                             (in->window.top + in->window.bottom) / 2},
                    .least = -1};
        for (size_t k = 0; k < sizeof sizes / sizeof *sizes && q.least != 0; k++)
            if (in->place == ZW_INSET_ANYWHERE || k == 1)
                try_size(&q, &f, in->place, sizes[k]);
        in->box = q.found;
        zw_out_cover_box(&cover, &in->box);
        zw_out_fit_in(s, &in->pane, in->box);
    }
    p->placed = p->panel->ninset;
    zw_out_cover_clear(&cover);
    return ZW_OK;
}

/* ---- drawing ---- */

static void draw_line(cairo_t *cr, double x0, double y0, double x1, double y1) {
    cairo_move_to(cr, x0, y0);
    cairo_line_to(cr, x1, y1);
}

/* the two lines from corner to corner that pass neither through the window nor through the inset */
static void draw_leads(const zw_out_sheet *s, const zw_out_box *w, const zw_out_box *f) {
    bool left = w->left < f->left, right = w->right < f->right;
    bool below = w->bottom > f->bottom, above = w->top > f->top; /* y increases downwards */
    if (left != below)
        draw_line(s->cr, w->left, w->bottom, f->left, f->bottom);
    if (left == above)
        draw_line(s->cr, w->left, w->top, f->left, f->top);
    if (right == below)
        draw_line(s->cr, w->right, w->bottom, f->right, f->bottom);
    if (right != above)
        draw_line(s->cr, w->right, w->top, f->right, f->top);
    zw_out_stroke(s->canvas);
}

static zw_status draw_one(const zw_out_sheet *s, const zw_out_inset *in, zw_error *err) {
    const zw_out_box w = in->window, b = in->box;
    cairo_set_source_rgb(s->cr, GREY, GREY, GREY);
    cairo_set_line_width(s->cr, ZW_OUT_THIN);
    cairo_set_dash(s->cr, NULL, 0, 0);
    cairo_rectangle(s->cr, w.left, w.top, w.right - w.left, w.bottom - w.top);
    zw_out_stroke(s->canvas);
    draw_leads(s, &w, &in->pane.frame);
    cairo_set_source_rgb(s->cr, 1, 1, 1);
    /* under the frame and its numbers, so that the lines end at the frame */
    const zw_out_box f = in->pane.frame;
    double top = zw_out_has_corner(&in->pane) ? b.top : f.top;
    cairo_rectangle(s->cr, b.left, top, f.right - b.left, f.bottom - top);
    cairo_rectangle(s->cr, b.left, f.bottom, b.right - b.left, b.bottom - f.bottom);
    zw_out_fill(s->canvas);
    return zw_out_draw_pane(s, &in->pane, err);
}

zw_status zw_out_draw_insets(const zw_out_sheet *s, const zw_out_pane *p, zw_error *err) {
    for (int i = 0; i < p->panel->ninset; i++)
        ZW_TRY(draw_one(s, &p->inset[i], err));
    return ZW_OK;
}
