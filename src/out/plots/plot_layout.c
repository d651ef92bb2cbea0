/* SPDX-License-Identifier: MIT */
/* The layout of the paper. Panels are in a grid; all frames of a column begin and end at the same
 * x, all frames have equal height. A frame is the space that numbers, labels, legend and title
 * leave. The space of the numbers depends on the ticks and these on the frame, so the layout takes
 * a few rounds. Panels of a column that show the same quantity over x share its range, and only the
 * lowest of them is labelled. */
#include <math.h>
#include <string.h>

#include "label.h"
#include "plot.h"

#define LABEL_LINE (1.15 * ZW_OUT_LABEL_FONT + ZW_OUT_GAP)
#define NUMBER_LINE (ZW_OUT_TICK_FONT + 3)
#define PANEL_GAP 9.0       /* between frames that share an axis */
#define NUMBER_SPACE_X 32.0 /* points between marks, for a number */
#define NUMBER_SPACE_Y 23.0
#define FRAME_MIN 20.0 /* points; smaller frames have no space for two numbers */

enum { ROUNDS = 3 };

/* space that a panel needs around its frame */
typedef struct border {
    double left, right, top, bottom;
} border;

/* ---- shared axes ---- */

static bool same_span(zw_span a, zw_span b) {
    return (a.low == b.low || (isnan(a.low) && isnan(b.low))) &&
           (a.high == b.high || (isnan(a.high) && isnan(b.high)));
}

static bool shares_x(const zw_panel *a, const zw_panel *b) {
    const zw_curve *c = &a->curve[0], *d = &b->curve[0];
    const char *la = a->label[0], *lb = b->label[0];
    return !a->is_space && !b->is_space && a->scale == ZW_SCALE_FREE && b->scale == ZW_SCALE_FREE &&
           a->log[0] == b->log[0] && same_span(a->span[0], b->span[0]) &&
           strcmp(zw_table_name(c->table, c->x), zw_table_name(d->table, d->x)) == 0 &&
           strcmp(zw_table_unit(c->table, c->x), zw_table_unit(d->table, d->x)) == 0 &&
           (la == lb || (la && lb && strcmp(la, lb) == 0));
}

/* Numbers are omitted only if a whole row can do without: otherwise their space is needed
 * anyway. */
static void hide_by_rows(zw_out_sheet *s) {
    for (int row = 0; row < s->rows; row++) {
        bool all = true;
        int first = row * s->columns, end = first + s->columns;
        for (int i = first; i < end && i < s->picture->n; i++)
            all = all && s->pane[i].hides_x;
        for (int i = first; i < end && i < s->picture->n; i++)
            s->pane[i].hides_x = all;
    }
}

static void share_axes(zw_out_sheet *s) {
    int n = s->picture->n, columns = s->columns;
    for (int i = 0; i + columns < n; i++)
        s->pane[i].hides_x = shares_x(s->pane[i].panel, s->pane[i + columns].panel);
    /* the union of the ranges is passed down a run of panels and back up */
    for (int i = 0; i + columns < n; i++)
        if (s->pane[i].hides_x) {
            zw_span *above = &s->pane[i].axis[0].data, *below = &s->pane[i + columns].axis[0].data;
            below->low = fmin(above->low, below->low);
            below->high = fmax(above->high, below->high);
        }
    for (int i = n - columns - 1; i >= 0; i--)
        if (s->pane[i].hides_x)
            s->pane[i].axis[0].data = s->pane[i + columns].axis[0].data;
    hide_by_rows(s);
}

/* ---- one panel ---- */

double zw_out_number_width(zw_out_canvas *c, const zw_out_axis *a, int mark) {
    return zw_out_label_width(c, a->marks.mark[mark].text, ZW_OUT_NAME, ZW_OUT_TICK_FONT);
}

double zw_out_widest_number(zw_out_canvas *c, const zw_out_axis *a) {
    double widest = 0;
    for (int i = 0; i < a->marks.n; i++)
        widest = fmax(widest, zw_out_number_width(c, a, i));
    return widest;
}

static bool is_fixed(zw_span wanted) {
    return !isnan(wanted.low) && !isnan(wanted.high);
}

/* Equal units on both axes: the range that is too short grows on both sides or, if the caller has
 * fixed it or it is filled by a map, its side of the frame becomes shorter. */
static void equalise_axes(zw_out_pane *p) {
    double w = p->frame.right - p->frame.left, h = p->frame.bottom - p->frame.top;
    zw_span x = p->axis[0].data, y = p->axis[1].data;
    double per_x = (x.high - x.low) / w, per_y = (y.high - y.low) / h;
    int axis = per_x < per_y ? 0 : 1;
    zw_span *grows = axis == 0 ? &x : &y;
    double more = fabs(per_x - per_y) * (axis == 0 ? w : h) / 2;
    if (!is_fixed(p->panel->span[axis]) && !p->panel->map) {
        grows->low -= more;
        grows->high += more;
    } else if (axis == 0) {
        p->frame.right = p->frame.left + w * per_x / per_y;
    } else {
        p->frame.bottom = p->frame.top + h * per_y / per_x;
    }
    zw_out_axis_show(&p->axis[0], x);
    zw_out_axis_show(&p->axis[1], y);
}

/* marks with their space; slightly less space is better than a single number */
static void mark_axis(zw_out_axis *a, double length, double room) {
    zw_out_axis_mark(a, length, room);
    for (int i = 0; i < 3 && a->marks.n < 2; i++)
        zw_out_axis_mark(a, length, room /= 1.4);
}

/* scales and marks for the current frame */
static void fit_axes(const zw_out_sheet *s, zw_out_pane *p) {
    zw_out_axis *x = &p->axis[0], *y = &p->axis[1];
    if (p->panel->scale == ZW_SCALE_EQUAL) {
        equalise_axes(p);
    } else {
        zw_out_axis_show(x, x->data);
        zw_out_axis_show(y, y->data);
        if (p->has_right)
            zw_out_axis_show(&p->axis[2], p->axis[2].data);
    }
    double w = p->frame.right - p->frame.left, h = p->frame.bottom - p->frame.top;
    /* wide numbers must not touch */
    mark_axis(x, w, NUMBER_SPACE_X);
    double room = fmax(NUMBER_SPACE_X, zw_out_widest_number(s->canvas, x) + 14);
    mark_axis(x, w, room);
    mark_axis(y, h, p->panel->scale == ZW_SCALE_EQUAL ? room : NUMBER_SPACE_Y);
    if (p->has_right)
        mark_axis(&p->axis[2], h, NUMBER_SPACE_Y);
    p->origin = (zw_out_spot){p->frame.left, p->frame.bottom};
    p->edge[0] = (zw_out_spot){w, 0};
    p->edge[1] = (zw_out_spot){0, -h};
}

/* how far the numbers of x extend beyond the frame on the right */
static double right_overhang(const zw_out_sheet *s, const zw_out_pane *p) {
    const zw_out_axis *x = &p->axis[0];
    double most = 0;
    for (int i = 0; i < x->marks.n; i++) {
        double at = zw_out_fraction(x, x->marks.mark[i].value) * p->edge[0].x;
        most = fmax(most, at + zw_out_number_width(s->canvas, x, i) / 2 - p->edge[0].x);
    }
    return most;
}

bool zw_out_has_corner(const zw_out_pane *p) {
    return p->panel->title || p->axis[1].marks.corner[0] ||
           (p->has_right && p->axis[2].marks.corner[0]);
}

static border border_of(const zw_out_sheet *s, zw_out_pane *p) {
    const zw_out_axis *x = &p->axis[0], *y = &p->axis[1];
    border b = {.left = zw_out_widest_number(s->canvas, y) + ZW_OUT_GAP + 1, .right = ZW_OUT_GAP};
    if (y->label[0])
        b.left += LABEL_LINE;
    if (p->has_right)
        b.right = zw_out_widest_number(s->canvas, &p->axis[2]) + ZW_OUT_GAP + 1 +
                  (p->axis[2].label[0] ? LABEL_LINE : 0);
    if (!p->hides_x) {
        b.right = fmax(b.right, right_overhang(s, p) + 1);
        b.bottom = NUMBER_LINE + (x->label[0] || x->marks.corner[0] ? LABEL_LINE : 0);
    }
    b.right += zw_out_bar_room(s, p);
    b.top = p->legend.above + (zw_out_has_corner(p) ? ZW_OUT_TICK_FONT + 2 : ZW_OUT_TICK_FONT / 2);
    return b;
}

/* ---- all panels ---- */

static double title_room(const zw_out_sheet *s) {
    return s->picture->title ? ZW_OUT_TITLE_FONT + 1.5 * ZW_OUT_GAP : 0;
}

static int column_of(const zw_out_sheet *s, int i) {
    return i % s->columns;
}

/* the widest border on the left and right of a column */
static border column_border(const zw_out_sheet *s, const border *b, int column) {
    border most = {0};
    for (int i = column; i < s->picture->n; i += s->columns) {
        most.left = fmax(most.left, b[i].left);
        most.right = fmax(most.right, b[i].right);
    }
    return most;
}

static border row_border(const zw_out_sheet *s, const border *b, int row) {
    border most = {0};
    for (int i = row * s->columns; i < s->picture->n && i < (row + 1) * s->columns; i++) {
        bool last = row + 1 == s->rows;
        double gap = last ? 0 : s->pane[i].hides_x ? PANEL_GAP : ZW_OUT_GAP * 2;
        most.top = fmax(most.top, b[i].top);
        most.bottom = fmax(most.bottom, b[i].bottom + gap);
    }
    return most;
}

/* computes frames from the borders */
static zw_status place_frames(zw_out_sheet *s, const border *b, zw_error *err) {
    double left = ZW_OUT_MARGIN, top = ZW_OUT_MARGIN + title_room(s);
    double width = s->width - 2 * ZW_OUT_MARGIN, height = s->height - ZW_OUT_MARGIN - top, used = 0;
    for (int row = 0; row < s->rows; row++) {
        border r = row_border(s, b, row);
        used += r.top + r.bottom;
    }
    double cell_width = width / s->columns, frame_height = (height - used) / s->rows;
    for (int row = 0; row < s->rows; row++) {
        border r = row_border(s, b, row);
        for (int i = row * s->columns; i < s->picture->n && i < (row + 1) * s->columns; i++) {
            border c = column_border(s, b, column_of(s, i));
            zw_out_pane *p = &s->pane[i];
            double cell_left = left + column_of(s, i) * cell_width;
            double gap = column_of(s, i) + 1 < s->columns ? 2 * ZW_OUT_GAP : 0;
            p->cell = (zw_out_box){cell_left, cell_left + cell_width - gap, top,
                                   top + r.top + frame_height + r.bottom};
            p->frame = (zw_out_box){cell_left + c.left, p->cell.right - c.right, top + r.top,
                                    top + r.top + frame_height};
            if (p->panel->is_space) {
                p->frame = p->cell;
                p->frame.right -= zw_out_bar_room(s, p);
            }
            if (p->frame.right - p->frame.left < FRAME_MIN || frame_height < FRAME_MIN) {
                zw_fail(err, ZW_E_OPTION, "the picture is too small for its panels and labels");
                zw_error_hint(err, "make it larger, or draw less in it");
                return ZW_E_OPTION;
            }
        }
        top += r.top + frame_height + r.bottom;
    }
    return ZW_OK;
}

void zw_out_fit_in(const zw_out_sheet *s, zw_out_pane *p, zw_out_box box) {
    border b = {20, ZW_OUT_GAP, ZW_OUT_GAP, NUMBER_LINE};
    for (int round = 0; round <= ROUNDS; round++) {
        p->cell = box;
        p->frame = (zw_out_box){box.left + b.left, box.right - b.right, box.top + b.top,
                                box.bottom - b.bottom};
        fit_axes(s, p);
        b = border_of(s, p);
    }
}

zw_status zw_out_lay_out(zw_out_sheet *s, zw_error *err) {
    border b[ZW_OUT_PANELS] = {0};
    int n = s->picture->n;
    share_axes(s);
    for (int i = 0; i < n; i++)
        b[i] = (border){30, ZW_OUT_GAP, s->pane[i].legend.above, NUMBER_LINE};
    for (int round = 0; round < ROUNDS; round++) {
        ZW_TRY(place_frames(s, b, err));
        for (int i = 0; i < n; i++) {
            zw_out_pane *p = &s->pane[i];
            if (p->panel->is_space) {
                b[i] = (border){.top = p->legend.above};
                continue;
            }
            fit_axes(s, p);
            b[i] = border_of(s, p);
        }
    }
    ZW_TRY(place_frames(s, b, err));
    for (int i = 0; i < n; i++)
        if (s->pane[i].panel->is_space)
            zw_out_space_lay_out(s, &s->pane[i]);
        else
            fit_axes(s, &s->pane[i]);
    return ZW_OK;
}
