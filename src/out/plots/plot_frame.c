/* SPDX-License-Identifier: MIT */
/* The frame of a plane panel: a thin rectangle, ticks inwards on all four sides, numbers and labels
 * below and on the left, the common factor of all numbers at the end of the axis. A second y has
 * its ticks, numbers and label on the right-hand side. If a side has one curve only, its text has
 * the colour of the curve. */
#include <math.h>

#include "label.h"
#include "plot.h"

#define GRID_GREY 0.86
#define GRID_LINE 0.4

/* the place of mark i along its axis */
static double mark_at(const zw_out_pane *p, int axis, int i) {
    const zw_out_axis *a = &p->axis[axis];
    double u = zw_out_fraction(a, a->marks.mark[i].value);
    return axis == 0 ? p->frame.left + u * p->edge[0].x : p->frame.bottom + u * p->edge[1].y;
}

static void draw_line(cairo_t *cr, double x0, double y0, double x1, double y1) {
    cairo_move_to(cr, x0, y0);
    cairo_line_to(cr, x1, y1);
}

void zw_out_draw_grid(const zw_out_sheet *s, const zw_out_pane *p) {
    const zw_out_box f = p->frame;
    cairo_t *cr = s->cr;
    cairo_set_source_rgb(cr, GRID_GREY, GRID_GREY, GRID_GREY);
    cairo_set_line_width(cr, GRID_LINE);
    for (int i = 0; i < p->axis[0].marks.n; i++)
        if (!p->axis[0].marks.mark[i].minor)
            draw_line(cr, mark_at(p, 0, i), f.bottom, mark_at(p, 0, i), f.top);
    for (int i = 0; i < p->axis[1].marks.n; i++)
        if (!p->axis[1].marks.mark[i].minor)
            draw_line(cr, f.left, mark_at(p, 1, i), f.right, mark_at(p, 1, i));
    zw_out_stroke(s->canvas);
}

static double tick_length(const zw_out_marks *m, int i) {
    return ZW_OUT_TICK * (m->mark[i].minor ? 0.55 : 1);
}

/* the only curve of a side, -1 if there are several or there is only one side */
static int only_curve(const zw_out_pane *p, bool right) {
    int found = -1;
    for (int k = 0; k < p->panel->n && p->has_right; k++)
        if (p->panel->curve[k].right == right) {
            if (found >= 0)
                return -1;
            found = k;
        }
    return found;
}

static void use_ink(const zw_out_sheet *s, const zw_out_pane *p, int axis) {
    int curve = axis == 0 ? -1 : only_curve(p, axis == 2);
    if (curve >= 0)
        zw_out_use_colour(s->cr, zw_out_style(p->panel, curve));
    else
        cairo_set_source_rgb(s->cr, 0, 0, 0);
}

/* the ticks of a y on one side; a single y has them on both */
static void draw_side(const zw_out_sheet *s, const zw_out_pane *p, int axis, bool on_right) {
    const zw_out_marks *y = &p->axis[axis].marks;
    double from = on_right ? p->frame.right : p->frame.left;
    use_ink(s, p, axis);
    for (int i = 0; i < y->n; i++) {
        double at = mark_at(p, axis, i), length = tick_length(y, i);
        draw_line(s->cr, from, at, on_right ? from - length : from + length, at);
    }
    zw_out_stroke(s->canvas);
}

static void draw_ticks(const zw_out_sheet *s, const zw_out_pane *p) {
    const zw_out_box f = p->frame;
    const zw_out_marks *x = &p->axis[0].marks;
    cairo_t *cr = s->cr;
    use_ink(s, p, 0);
    cairo_rectangle(cr, f.left, f.top, f.right - f.left, f.bottom - f.top);
    for (int i = 0; i < x->n; i++) {
        double at = mark_at(p, 0, i), length = tick_length(x, i);
        draw_line(cr, at, f.bottom, at, f.bottom - length);
        draw_line(cr, at, f.top, at, f.top + length);
    }
    zw_out_stroke(s->canvas);
    draw_side(s, p, 1, false);
    draw_side(s, p, p->has_right ? 2 : 1, true);
}

static void draw_numbers(const zw_out_sheet *s, const zw_out_pane *p) {
    const zw_out_axis *x = &p->axis[0];
    cairo_t *cr = s->cr;
    use_ink(s, p, 0);
    for (int i = 0; i < x->marks.n && !p->hides_x; i++) {
        cairo_move_to(cr, mark_at(p, 0, i), p->frame.bottom + ZW_OUT_GAP + 0.8 * ZW_OUT_TICK_FONT);
        zw_out_label_draw(s->canvas, x->marks.mark[i].text, ZW_OUT_NAME, ZW_OUT_TICK_FONT,
                          ZW_OUT_CENTRE);
    }
    for (int axis = 1; axis <= 1 + p->has_right; axis++) {
        const zw_out_axis *y = &p->axis[axis];
        double from = axis == 1 ? p->frame.left - ZW_OUT_GAP : p->frame.right + ZW_OUT_GAP;
        use_ink(s, p, axis);
        for (int i = 0; i < y->marks.n; i++) {
            cairo_move_to(cr, from, mark_at(p, axis, i) + 0.36 * ZW_OUT_TICK_FONT);
            zw_out_label_draw(s->canvas, y->marks.mark[i].text, ZW_OUT_NAME, ZW_OUT_TICK_FONT,
                              axis == 1 ? ZW_OUT_RIGHT : ZW_OUT_LEFT);
        }
    }
}

static zw_out_fit fit_label(const zw_out_sheet *s, const char *label, double room) {
    return zw_out_label_fit(s->canvas, label, ZW_OUT_NAME, ZW_OUT_LABEL_FONT, ZW_OUT_LABEL_FONT / 2,
                            room);
}

/* the middle of a text of this width near `wanted` that is not cut off at an edge */
static double middle_of(double wanted, double width, double low, double high) {
    return fmax(low + width / 2, fmin(wanted, high - width / 2));
}

static void draw_x_label(const zw_out_sheet *s, const zw_out_pane *p) {
    const zw_out_axis *x = &p->axis[0];
    cairo_t *cr = s->cr;
    double base = p->frame.bottom + ZW_OUT_TICK_FONT + 2 * ZW_OUT_GAP + 0.8 * ZW_OUT_LABEL_FONT;
    double corner = zw_out_label_width(s->canvas, x->marks.corner, ZW_OUT_NAME, ZW_OUT_TICK_FONT);
    if (corner > 0) {
        cairo_move_to(cr, p->frame.right, base);
        zw_out_label_draw(s->canvas, x->marks.corner, ZW_OUT_NAME, ZW_OUT_TICK_FONT, ZW_OUT_RIGHT);
    }
    double high = corner > 0 ? p->frame.right - corner - 2 * ZW_OUT_GAP : p->cell.right;
    zw_out_fit label = fit_label(s, x->label, high - p->cell.left);
    double centre = (p->frame.left + p->frame.right) / 2;
    cairo_move_to(cr, middle_of(centre, label.width, p->cell.left, high), base);
    zw_out_label_draw(s->canvas, label.text, ZW_OUT_NAME, label.size, ZW_OUT_CENTRE);
}

/* The common factor of the numbers of a y, at its end. Two of them that would overlap above a
 * narrow frame begin further out, and are smaller if necessary. */
static void draw_corners(const zw_out_sheet *s, const zw_out_pane *p) {
    double width[3] = {0}, left = p->frame.left, right = p->frame.right, size = ZW_OUT_TICK_FONT;
    for (int axis = 1; axis <= 1 + p->has_right; axis++)
        width[axis] = zw_out_label_width(s->canvas, p->axis[axis].marks.corner, ZW_OUT_NAME, size);
    double both = width[1] + width[2] + 3 * ZW_OUT_GAP;
    if (width[2] > 0 && both > right - left) {
        left = p->cell.left;
        right = p->cell.right;
        size *= fmin(1, (right - left) / both);
    }
    for (int axis = 1; axis <= 1 + p->has_right; axis++) {
        use_ink(s, p, axis);
        cairo_move_to(s->cr, axis == 1 ? left : right, p->frame.top - 3);
        zw_out_label_draw(s->canvas, p->axis[axis].marks.corner, ZW_OUT_NAME, size,
                          axis == 1 ? ZW_OUT_LEFT : ZW_OUT_RIGHT);
    }
}

/* upwards; in stacked panels each stays within its own height if possible */
static void draw_y_label(const zw_out_sheet *s, const zw_out_pane *p, int axis) {
    const zw_out_axis *y = &p->axis[axis];
    cairo_t *cr = s->cr;
    use_ink(s, p, axis);
    double low = s->rows > 1 ? p->frame.top - 3 : p->cell.top;
    double high = s->rows > 1 ? p->frame.bottom + 3 : p->cell.bottom;
    zw_out_fit label = fit_label(s, y->label, high - low);
    double middle = (p->frame.top + p->frame.bottom) / 2;
    double base = axis == 1 ? p->cell.left + 0.95 * ZW_OUT_LABEL_FONT
                            : p->cell.right - 0.25 * ZW_OUT_LABEL_FONT;
    cairo_save(cr);
    cairo_translate(cr, base, middle_of(middle, label.width, low, high));
    cairo_rotate(cr, -acos(0));
    cairo_move_to(cr, 0, 0);
    zw_out_label_draw(s->canvas, label.text, ZW_OUT_NAME, label.size, ZW_OUT_CENTRE);
    cairo_restore(cr);
}

void zw_out_draw_panel_title(const zw_out_sheet *s, const zw_out_pane *p) {
    if (!p->panel->title)
        return;
    zw_out_fit title = zw_out_label_fit(s->canvas, p->panel->title, ZW_OUT_NAME, ZW_OUT_TICK_FONT,
                                        ZW_OUT_TICK_FONT / 2, p->frame.right - p->frame.left);
    cairo_set_source_rgb(s->cr, 0, 0, 0);
    cairo_move_to(s->cr, (p->frame.left + p->frame.right) / 2, p->frame.top - 3);
    zw_out_label_draw(s->canvas, title.text, ZW_OUT_NAME, title.size, ZW_OUT_CENTRE);
}

void zw_out_draw_frame(const zw_out_sheet *s, const zw_out_pane *p) {
    cairo_set_line_width(s->cr, ZW_OUT_THIN);
    draw_ticks(s, p);
    draw_numbers(s, p);
    use_ink(s, p, 0);
    if (!p->hides_x)
        draw_x_label(s, p);
    draw_corners(s, p);
    zw_out_draw_panel_title(s, p);
    for (int axis = 1; axis <= 1 + p->has_right; axis++)
        draw_y_label(s, p, axis);
}

/* above the first row, centred over its frames */
void zw_out_draw_title(const zw_out_sheet *s) {
    const char *title = s->picture->title;
    if (!title)
        return;
    const zw_out_pane *first = &s->pane[0];
    const zw_out_pane *last =
        &s->pane[s->columns < s->picture->n ? s->columns - 1 : s->picture->n - 1];
    zw_out_fit fitted = zw_out_label_fit(s->canvas, title, ZW_OUT_PLAIN, ZW_OUT_TITLE_FONT,
                                         ZW_OUT_TITLE_FONT / 2, s->width - 2 * ZW_OUT_MARGIN);
    cairo_set_source_rgb(s->cr, 0, 0, 0);
    cairo_move_to(s->cr,
                  middle_of((first->frame.left + last->frame.right) / 2, fitted.width,
                            ZW_OUT_MARGIN, s->width - ZW_OUT_MARGIN),
                  ZW_OUT_MARGIN + 0.85 * ZW_OUT_TITLE_FONT);
    zw_out_label_draw(s->canvas, fitted.text, ZW_OUT_PLAIN, fitted.size, ZW_OUT_CENTRE);
}
