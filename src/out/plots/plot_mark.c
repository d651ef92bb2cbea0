/* SPDX-License-Identifier: MIT */
/* Markers at points, with a few words next to them, and the thin lines where an axis is zero. A
 * marker is shown completely or not at all; words are placed on the first side of their marker
 * where they hide nothing, and are omitted if there is none. */
#include <math.h>

#include "label.h"
#include "plot.h"

#define CELL 1.0 /* of the raster of ink */
#define GREY 0.55
#define TEXT (0.87 * ZW_OUT_TICK_FONT)

void zw_out_draw_zero(const zw_out_sheet *s, const zw_out_pane *p) {
    const zw_out_box f = p->frame;
    cairo_set_source_rgb(s->cr, GREY, GREY, GREY);
    cairo_set_line_width(s->cr, 0.8 * ZW_OUT_THIN);
    cairo_set_dash(s->cr, NULL, 0, 0);
    for (int axis = 0; axis < 2; axis++) {
        const zw_out_axis *a = &p->axis[axis];
        double u = a->log ? -1 : zw_out_fraction(a, 0);
        if (!p->panel->zero[axis] || !(u > 0 && u < 1))
            continue;
        double x = f.left + u * p->edge[0].x, y = f.bottom + u * p->edge[1].y;
        cairo_move_to(s->cr, axis == 0 ? x : f.left, axis == 0 ? f.bottom : y);
        cairo_line_to(s->cr, axis == 0 ? x : f.right, axis == 0 ? f.top : y);
        zw_out_stroke(s->canvas);
    }
}

/* ---- signs ---- */

static void outline_mark(cairo_t *cr, zw_mark_shape shape, zw_out_spot at, double r) {
    cairo_new_path(cr);
    switch (shape) {
    case ZW_MARK_DISC:
    case ZW_MARK_RING:
        cairo_arc(cr, at.x, at.y, r, 0, 2 * acos(-1));
        return;
    case ZW_MARK_SQUARE:
        r *= 0.9;
        cairo_rectangle(cr, at.x - r, at.y - r, 2 * r, 2 * r);
        return;
    case ZW_MARK_DIAMOND:
        r *= 1.25;
        cairo_move_to(cr, at.x - r, at.y);
        cairo_line_to(cr, at.x, at.y - r);
        cairo_line_to(cr, at.x + r, at.y);
        cairo_line_to(cr, at.x, at.y + r);
        break;
    case ZW_MARK_NONE:
        return;
    case ZW_MARK_CROSS: { /* an upright cross, with arms a third as thick as they are long */
        const double a = 1.5 * r, b = 0.38 * r;
        const double corner[12][2] = {{a, b},   {b, b},   {b, a},   {-b, a}, {-b, b}, {-a, b},
                                      {-a, -b}, {-b, -b}, {-b, -a}, {b, -a}, {b, -b}, {a, -b}};
        for (int i = 0; i < 12; i++)
            cairo_line_to(cr, at.x + corner[i][0], at.y + corner[i][1]);
        break;
    }
    default:
        r *= 1.2;
        double up = shape == ZW_MARK_DOWN ? -r : r;
        cairo_move_to(cr, at.x - r, at.y + 0.7 * up);
        cairo_line_to(cr, at.x, at.y - up);
        cairo_line_to(cr, at.x + r, at.y + 0.7 * up);
    }
    cairo_close_path(cr);
}

void zw_out_draw_sign(zw_out_canvas *c, zw_mark_shape shape, zw_out_spot at, double half) {
    outline_mark(c->cr, shape, at, half);
    if (shape == ZW_MARK_RING)
        zw_out_stroke(c);
    else
        zw_out_fill(c);
}

/* with a white rim that separates it from the curves; diamonds and rings are hollow */
void zw_out_draw_mark(zw_out_canvas *c, const zw_mark *m, zw_out_spot at) {
    const zw_mark_shape shape = m->shape;
    cairo_t *cr = c->cr;
    if (shape == ZW_MARK_NONE)
        return;
    cairo_set_dash(cr, NULL, 0, 0);
    cairo_set_line_join(cr, CAIRO_LINE_JOIN_MITER);
    cairo_set_source_rgb(cr, 1, 1, 1);
    outline_mark(cr, shape, at, ZW_OUT_MARK + 0.7);
    zw_out_fill(c);
    if (m->style)
        zw_out_use_colour(cr, m->style - 1);
    else
        cairo_set_source_rgb(cr, 0, 0, 0);
    outline_mark(cr, shape, at, ZW_OUT_MARK);
    if (shape != ZW_MARK_DIAMOND && shape != ZW_MARK_RING) {
        zw_out_fill(c);
        return;
    }
    cairo_set_line_width(cr, 0.9);
    zw_out_stroke(c);
}

bool zw_out_mark_is_visible(const zw_out_pane *p, const zw_mark *m, zw_out_spot *at) {
    const zw_out_box f = p->frame;
    return zw_out_place_mark(p, m, at) && zw_out_is_in(&f, *at);
}

/* ---- words ---- */

/* the place of the words on side i of the marker; false if that is outside the frame */
static bool side_of(const zw_out_box *f, zw_out_spot at, double width, int i, zw_out_box *out) {
    static const double dx[8] = {1, -1, 1, -1, 1, -1, 0, 0}, dy[8] = {-1, -1, 1, 1, 0, 0, -1, 1};
    const double away = ZW_OUT_MARK + 2.5, height = 0.75 * TEXT;
    double x = at.x + (dx[i] > 0 ? away : dx[i] < 0 ? -away - width : -width / 2);
    double y = at.y + (dy[i] > 0 ? away : dy[i] < 0 ? -away - height : -height / 2);
    *out = (zw_out_box){x, x + width, y, y + height};
    const double air = ZW_OUT_TICK + 1;
    return x > f->left + air && x + width < f->right - air && y > f->top + air &&
           y + height < f->bottom - air;
}

static double box_distance(const zw_out_box *b, zw_out_spot at) {
    return hypot(fmax(fmax(b->left - at.x, at.x - b->right), 0),
                 fmax(fmax(b->top - at.y, at.y - b->bottom), 0));
}

/* true if the words would seem to belong to another marker */
static bool is_nearer_to_other(const zw_out_pane *p, zw_out_spot at, const zw_out_box *b) {
    zw_out_spot other;
    for (int i = 0; i < p->panel->nmark; i++)
        if (zw_out_mark_is_visible(p, &p->panel->mark[i], &other) &&
            hypot(other.x - at.x, other.y - at.y) > 1 &&
            box_distance(b, other) < box_distance(b, at) + 1)
            return true;
    return false;
}

/* false if there is no space for them; sure: draw them in any case */
static bool draw_words(const zw_out_sheet *s, const zw_out_pane *p, const char *text,
                       zw_out_spot at, bool sure, zw_out_cover *cover) {
    double width = zw_out_label_width(s->canvas, text, ZW_OUT_NAME, TEXT);
    zw_out_box b;
    for (int i = 0; i < 8; i++) {
        if (!side_of(&p->frame, at, width, i, &b) ||
            (!sure && (is_nearer_to_other(p, at, &b) ||
                       zw_out_cover_touches(cover, b.left - 0.5, b.top - 0.5, b.right + 0.5,
                                            b.bottom + 0.5))))
            continue;
        if (p->panel->map || sure) { /* on any colour */
            cairo_set_source_rgba(s->cr, 1, 1, 1, 0.75);
            cairo_rectangle(s->cr, b.left - 1, b.top - 1, b.right - b.left + 2,
                            b.bottom - b.top + 2);
            cairo_fill(s->cr);
        }
        cairo_set_source_rgb(s->cr, 0, 0, 0);
        cairo_move_to(s->cr, b.left, b.bottom);
        zw_out_label_draw(s->canvas, text, ZW_OUT_NAME, TEXT, ZW_OUT_LEFT);
        zw_out_cover_box(cover, &b);
        return true;
    }
    return false;
}

/* texts without a marker are at their point, within the frame */
static void draw_single_text(const zw_out_sheet *s, const zw_out_pane *p, const char *text,
                             zw_out_spot at, zw_out_cover *cover) {
    double half = zw_out_label_width(s->canvas, text, ZW_OUT_NAME, TEXT) / 2, up = 0.375 * TEXT;
    const double air = ZW_OUT_TICK + 1;
    at.x = fmax(p->frame.left + air + half, fmin(at.x, p->frame.right - air - half));
    at.y = fmax(p->frame.top + air + up, fmin(at.y, p->frame.bottom - air - up));
    const zw_out_box b = {at.x - half - 1, at.x + half + 1, at.y - up - 1, at.y + up + 1};
    cairo_set_source_rgba(s->cr, 1, 1, 1, 0.8);
    cairo_rectangle(s->cr, b.left, b.top, b.right - b.left, b.bottom - b.top);
    cairo_fill(s->cr);
    cairo_set_source_rgb(s->cr, 0, 0, 0);
    cairo_move_to(s->cr, at.x, at.y + up);
    zw_out_label_draw(s->canvas, text, ZW_OUT_NAME, TEXT, ZW_OUT_CENTRE);
    zw_out_cover_box(cover, &b);
}

zw_status zw_out_draw_marks(const zw_out_sheet *s, const zw_out_pane *p, zw_error *err) {
    const zw_out_box f = p->frame;
    zw_out_cover cover;
    zw_out_spot at;
    zw_out_box legend;
    if (p->panel->nmark == 0)
        return ZW_OK;
    ZW_TRY(zw_out_cover_init(&cover, f.left, f.top, f.right, f.bottom, CELL, err));
    zw_out_cover_lines(p, &cover);
    if (zw_out_legend_box(s, p, &legend))
        zw_out_cover_box(&cover, &legend);
    for (int i = 0; i < p->panel->nmark; i++)
        if (zw_out_mark_is_visible(p, &p->panel->mark[i], &at))
            zw_out_draw_mark(s->canvas, &p->panel->mark[i], at);
    for (int i = 0; i < p->panel->nmark; i++) {
        const zw_mark *m = &p->panel->mark[i];
        if (!m->text || !zw_out_mark_is_visible(p, m, &at))
            continue;
        if (m->shape == ZW_MARK_NONE)
            draw_single_text(s, p, m->text, at, &cover);
        else if (!draw_words(s, p, m->text, at, false, &cover))
            if (m->brief || m->sure)
                draw_words(s, p, m->brief ? m->brief : m->text, at, m->sure, &cover);
    }
    zw_out_cover_clear(&cover);
    return ZW_OK;
}
