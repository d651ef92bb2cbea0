/* SPDX-License-Identifier: MIT */
/* An axonometric view: parallel projection along the direction n to the eye, at the azimuth a (from
 * x towards y) and the elevation e above the x-y plane,
 *
 *     n = (cos e cos a, cos e sin a, sin e)            to the eye
 *     r = (-sin a, cos a, 0)                           to the right of the paper
 *     w = (-sin e cos a, -sin e sin a, cos e)          upwards
 *
 * so that the edge of the box along axis i, of length L_i, is k L_i (r_i, -w_i) on the paper. The
 * scale k is the largest at which the box with its numbers fits into the cell; the space of a text
 * does not depend on k, so k is found in a few rounds.
 *
 * The three walls of the box that face away from the eye are visible, with light lines at the
 * marks. The numbers are at the three edges of its outline that are lower right, lower left and
 * left. */
#include <math.h>

#include "label.h"
#include "plot.h"

#define WALL_GREY 0.965
#define RULE_GREY 0.82
#define RULE_LINE 0.4
#define ROOM 12.0          /* for a number along its edge, at least */
#define EDGE_SHORTEST 16.0 /* an edge seen nearly end on has no numbers */
#define END_ON 1e-9        /* cosine to the eye: round-off of an angle of 90 degrees is 1e-16 */
#define EDGE_CENTRED 1e-6  /* points: an edge through the centre, up to round-off */
#define LENGTH_MIN 1e-9    /* against division by 0 if the box is seen end on */
#define PARALLEL 0.06      /* sine of the angle between edges that count as one line */
#define FLATTEST 0.2       /* relative to the longest edge, with equal scales */
#define FREE_HEIGHT 0.8    /* of the box with free scales, relative to its width */

enum { ROUNDS = 8, THINNER_MAX = 10, NUMBERS = 6 }; /* on an edge */

/* where the numbers of an axis are: from `begin` along its edge, on the side `out` (unit vector) */
typedef struct side {
    zw_out_spot begin, out;
    bool shown;
} side;

static zw_out_spot corner_at(const zw_out_pane *p, double ux, double uy, double uz) {
    const double u[3] = {ux, uy, uz};
    zw_out_spot at = p->origin;
    for (int i = 0; i < 3; i++) {
        at.x += u[i] * p->edge[i].x;
        at.y += u[i] * p->edge[i].y;
    }
    return at;
}

static void to_eye(const zw_picture *picture, double n[3]) {
    const double degree = acos(-1) / 180;
    double a = picture->azimuth * degree, e = picture->elevation * degree;
    n[0] = cos(e) * cos(a);
    n[1] = cos(e) * sin(a);
    n[2] = sin(e);
}

/* The end of an axis that faces the eye. Round-off must not decide for an edge seen end on. */
static int front_end(const zw_picture *picture, int axis) {
    double n[3];
    to_eye(picture, n);
    return n[axis] > END_ON;
}

/* ---- sides ---- */

/* Seen from the side, x and y are on one line: then only the longer edge has numbers. */
static bool is_hidden(const zw_out_pane *p, int axis) {
    if (axis == 2)
        return false;
    zw_out_spot a = p->edge[axis], b = p->edge[!axis];
    double la = hypot(a.x, a.y), lb = hypot(b.x, b.y);
    bool parallel = fabs(a.x * b.y - a.y * b.x) < PARALLEL * la * lb;
    return parallel && (la < lb || (la == lb && axis == 1));
}

static side side_of(const zw_out_sheet *s, const zw_out_pane *p, int axis) {
    int fx = front_end(s->picture, 0), fy = front_end(s->picture, 1);
    zw_out_spot begin;
    if (axis == 0) {
        begin = corner_at(p, 0, fy, 0);
    } else if (axis == 1) {
        begin = corner_at(p, fx, 0, 0);
    } else {
        zw_out_spot a = corner_at(p, fx, !fy, 0), b = corner_at(p, !fx, fy, 0);
        begin = a.x < b.x ? a : b;
    }
    zw_out_spot edge = p->edge[axis], centre = corner_at(p, 0.5, 0.5, 0.5);
    double length = hypot(edge.x, edge.y);
    side found = {.begin = begin, .shown = length >= EDGE_SHORTEST && !is_hidden(p, axis)};
    if (!found.shown)
        return found;
    found.out = (zw_out_spot){edge.y / length, -edge.x / length};
    double away = (begin.x + edge.x / 2 - centre.x) * found.out.x +
                  (begin.y + edge.y / 2 - centre.y) * found.out.y;
    /* seen from the side, the lower edges pass through the centre: then below it */
    if (away < -EDGE_CENTRED || (fabs(away) <= EDGE_CENTRED && found.out.y < 0)) {
        found.out.x = -found.out.x;
        found.out.y = -found.out.y;
    }
    return found;
}

/* ---- texts ---- */

typedef struct textbox {
    zw_out_spot centre;
    double width, height;
} textbox;

/* half the extent of a box in a direction */
static double half_extent(const textbox *b, zw_out_spot direction) {
    return (fabs(direction.x) * b->width + fabs(direction.y) * b->height) / 2;
}

static textbox number_box(const zw_out_sheet *s, const zw_out_pane *p, const side *at, int axis,
                          int mark) {
    const zw_out_axis *a = &p->axis[axis];
    double u = zw_out_fraction(a, a->marks.mark[mark].value);
    textbox b = {.width = zw_out_number_width(s->canvas, a, mark),
                 .height = 0.75 * ZW_OUT_TICK_FONT};
    double away = ZW_OUT_TICK + 2 + half_extent(&b, at->out);
    b.centre = (zw_out_spot){at->begin.x + u * p->edge[axis].x + away * at->out.x,
                             at->begin.y + u * p->edge[axis].y + away * at->out.y};
    return b;
}

/* the label, and after it the common factor of the numbers */
static double label_width(const zw_out_sheet *s, const zw_out_axis *a) {
    double corner = zw_out_label_width(s->canvas, a->marks.corner, ZW_OUT_NAME, ZW_OUT_TICK_FONT);
    return zw_out_label_width(s->canvas, a->label, ZW_OUT_NAME, ZW_OUT_LABEL_FONT) +
           (corner > 0 ? 2 * ZW_OUT_GAP + corner : 0);
}

static textbox label_box(const zw_out_sheet *s, const zw_out_pane *p, const side *at, int axis) {
    const zw_out_axis *a = &p->axis[axis];
    textbox b = {.width = label_width(s, a), .height = ZW_OUT_LABEL_FONT};
    textbox number = {.width = zw_out_widest_number(s->canvas, a), .height = ZW_OUT_TICK_FONT};
    double away =
        ZW_OUT_TICK + 2 + 2 * half_extent(&number, at->out) + ZW_OUT_GAP + half_extent(&b, at->out);
    b.centre = (zw_out_spot){at->begin.x + p->edge[axis].x / 2 + away * at->out.x,
                             at->begin.y + p->edge[axis].y / 2 + away * at->out.y};
    return b;
}

static bool is_touching(const textbox *a, const textbox *b) {
    return fabs(a->centre.x - b->centre.x) < (a->width + b->width) / 2 + ZW_OUT_GAP &&
           fabs(a->centre.y - b->centre.y) < (a->height + b->height) / 2 + 1;
}

/* as many numbers as fit without touching: along a steep edge they need little space, along a flat
 * one much */
static void mark_axis(const zw_out_sheet *s, zw_out_pane *p, int axis) {
    double length = hypot(p->edge[axis].x, p->edge[axis].y),
           room = fmax(ROOM, length / (double)NUMBERS);
    side at = side_of(s, p, axis);
    for (int round = 0; round < THINNER_MAX; round++, room *= 1.3) {
        bool touching = false;
        zw_out_axis_mark(&p->axis[axis], length, room);
        for (int i = 1; at.shown && i < p->axis[axis].marks.n && !touching; i++) {
            textbox a = number_box(s, p, &at, axis, i - 1), b = number_box(s, p, &at, axis, i);
            touching = is_touching(&a, &b);
        }
        if (!touching)
            return;
    }
}

/* where two edges meet, one of two numbers that touch is omitted */
static void part_numbers(const zw_out_sheet *s, zw_out_pane *p, int axis, int other) {
    side at = side_of(s, p, axis), there = side_of(s, p, other);
    for (int i = 0; at.shown && there.shown && i < p->axis[axis].marks.n; i++)
        for (int k = 0; k < p->axis[other].marks.n; k++) {
            textbox a = number_box(s, p, &at, axis, i), b = number_box(s, p, &there, other, k);
            if (b.width > 0 && is_touching(&a, &b))
                p->axis[axis].marks.mark[i].text[0] = '\0';
        }
}

static void mark_axes(const zw_out_sheet *s, zw_out_pane *p) {
    for (int i = 0; i < 3; i++)
        mark_axis(s, p, i);
    part_numbers(s, p, 1, 0);
    part_numbers(s, p, 2, 0);
    part_numbers(s, p, 2, 1);
}

/* ---- fitting ---- */

static void include_box(zw_out_box *all, double left, double right, double top, double bottom) {
    all->left = fmin(all->left, left);
    all->right = fmax(all->right, right);
    all->top = fmin(all->top, top);
    all->bottom = fmax(all->bottom, bottom);
}

static void include_text(zw_out_box *all, const textbox *b) {
    include_box(all, b->centre.x - b->width / 2, b->centre.x + b->width / 2,
                b->centre.y - b->height / 2, b->centre.y + b->height / 2);
}

static zw_out_box box_extent(const zw_out_pane *p) {
    zw_out_box all = {INFINITY, -INFINITY, INFINITY, -INFINITY};
    for (int i = 0; i < 8; i++) {
        zw_out_spot c = corner_at(p, i & 1, i >> 1 & 1, i >> 2);
        include_box(&all, c.x, c.x, c.y, c.y);
    }
    return all;
}

static zw_out_box whole_extent(const zw_out_sheet *s, const zw_out_pane *p) {
    zw_out_box all = box_extent(p);
    for (int axis = 0; axis < 3; axis++) {
        side at = side_of(s, p, axis);
        if (!at.shown)
            continue;
        for (int i = 0; i < p->axis[axis].marks.n; i++) {
            textbox b = number_box(s, p, &at, axis, i);
            include_text(&all, &b);
        }
        textbox b = label_box(s, p, &at, axis);
        include_text(&all, &b);
    }
    return all;
}

/* lengths of the box; with equal scales flat ranges grow so that there is a box */
static void box_lengths(zw_out_pane *p, double L[3]) {
    double longest = 0;
    for (int i = 0; i < 3; i++)
        longest = fmax(longest, p->axis[i].data.high - p->axis[i].data.low);
    for (int i = 0; i < 3; i++) {
        zw_span seen = p->axis[i].data;
        L[i] = i == 2 ? FREE_HEIGHT : 1;
        if (p->panel->scale == ZW_SCALE_EQUAL) {
            double more = fmax(0, FLATTEST * longest - (seen.high - seen.low)) / 2;
            seen.low -= more;
            seen.high += more;
            L[i] = (seen.high - seen.low) / longest;
        }
        zw_out_axis_show(&p->axis[i], seen);
    }
}

static void project_edges(const zw_picture *picture, zw_out_pane *p, const double L[3], double k) {
    const double degree = acos(-1) / 180;
    double a = picture->azimuth * degree, e = picture->elevation * degree;
    const double r[3] = {-sin(a), cos(a), 0}, w[3] = {-sin(e) * cos(a), -sin(e) * sin(a), cos(e)};
    for (int i = 0; i < 3; i++)
        p->edge[i] = (zw_out_spot){k * L[i] * r[i], -k * L[i] * w[i]};
}

void zw_out_space_lay_out(const zw_out_sheet *s, zw_out_pane *p) {
    double L[3], k = 1;
    p->frame.top = p->cell.top + p->legend.above + (p->panel->title ? ZW_OUT_TICK_FONT + 2 : 0);
    const zw_out_box f = p->frame;
    box_lengths(p, L);
    p->origin = (zw_out_spot){0, 0};
    project_edges(s->picture, p, L, k);
    for (int round = 0; round < ROUNDS; round++) {
        mark_axes(s, p);
        zw_out_box box = box_extent(p), all = whole_extent(s, p);
        double texts_x = (all.right - all.left) - (box.right - box.left);
        double texts_y = (all.bottom - all.top) - (box.bottom - box.top);
        double wide = (f.right - f.left - texts_x) / fmax(box.right - box.left, LENGTH_MIN);
        double high = (f.bottom - f.top - texts_y) / fmax(box.bottom - box.top, LENGTH_MIN);
        k *= fmax(0.1, fmin(wide, high));
        project_edges(s->picture, p, L, k);
    }
    mark_axes(s, p);
    zw_out_box all = whole_extent(s, p);
    p->origin.x = (f.left + f.right) / 2 - (all.left + all.right) / 2;
    p->origin.y = (f.top + f.bottom) / 2 - (all.top + all.bottom) / 2;
}

/* ---- drawing ---- */

static void path_to(cairo_t *cr, zw_out_spot at, bool first) {
    if (first)
        cairo_move_to(cr, at.x, at.y);
    else
        cairo_line_to(cr, at.x, at.y);
}

/* a point on the wall u[across] = at */
static zw_out_spot on_wall(const zw_out_pane *p, int across, double at, int first, double u,
                           int second, double v) {
    double w[3];
    w[across] = at;
    w[first] = u;
    w[second] = v;
    return corner_at(p, w[0], w[1], w[2]);
}

static void rule_wall(const zw_out_sheet *s, const zw_out_pane *p, int across, int at, int along,
                      int other) {
    const zw_out_axis *a = &p->axis[along];
    for (int i = 0; i < a->marks.n; i++) {
        double u = zw_out_fraction(a, a->marks.mark[i].value);
        path_to(s->cr, on_wall(p, across, at, along, u, other, 0), true);
        path_to(s->cr, on_wall(p, across, at, along, u, other, 1), false);
    }
}

void zw_out_space_draw_walls(const zw_out_sheet *s, const zw_out_pane *p) {
    cairo_t *cr = s->cr;
    cairo_set_line_join(cr, CAIRO_LINE_JOIN_ROUND);
    for (int across = 0; across < 3; across++) {
        int i = (across + 1) % 3, j = (across + 2) % 3, at = !front_end(s->picture, across);
        path_to(cr, on_wall(p, across, at, i, 0, j, 0), true);
        path_to(cr, on_wall(p, across, at, i, 1, j, 0), false);
        path_to(cr, on_wall(p, across, at, i, 1, j, 1), false);
        path_to(cr, on_wall(p, across, at, i, 0, j, 1), false);
        cairo_close_path(cr);
        cairo_set_source_rgb(cr, WALL_GREY, WALL_GREY, WALL_GREY);
        zw_out_fill(s->canvas);
    }
    cairo_set_source_rgb(cr, RULE_GREY, RULE_GREY, RULE_GREY);
    cairo_set_line_width(cr, RULE_LINE);
    for (int across = 0; across < 3; across++) {
        int i = (across + 1) % 3, j = (across + 2) % 3, at = !front_end(s->picture, across);
        rule_wall(s, p, across, at, i, j);
        rule_wall(s, p, across, at, j, i);
        /* the edges where walls meet */
        path_to(cr,
                on_wall(p, i, !front_end(s->picture, i), across, 0, j, !front_end(s->picture, j)),
                true);
        path_to(cr,
                on_wall(p, i, !front_end(s->picture, i), across, 1, j, !front_end(s->picture, j)),
                false);
    }
    zw_out_stroke(s->canvas);
}

static void draw_text(const zw_out_sheet *s, const textbox *b, const char *text, double size) {
    cairo_move_to(s->cr, b->centre.x, b->centre.y + 0.36 * size);
    zw_out_label_draw(s->canvas, text, ZW_OUT_NAME, size, ZW_OUT_CENTRE);
}

static void draw_axis(const zw_out_sheet *s, const zw_out_pane *p, int axis) {
    const zw_out_axis *a = &p->axis[axis];
    side at = side_of(s, p, axis);
    cairo_t *cr = s->cr;
    if (!at.shown)
        return;
    cairo_move_to(cr, at.begin.x, at.begin.y);
    cairo_rel_line_to(cr, p->edge[axis].x, p->edge[axis].y);
    for (int i = 0; i < a->marks.n; i++) {
        double u = zw_out_fraction(a, a->marks.mark[i].value);
        cairo_move_to(cr, at.begin.x + u * p->edge[axis].x, at.begin.y + u * p->edge[axis].y);
        cairo_rel_line_to(cr, ZW_OUT_TICK * at.out.x, ZW_OUT_TICK * at.out.y);
    }
    zw_out_stroke(s->canvas);
    for (int i = 0; i < a->marks.n; i++) {
        textbox b = number_box(s, p, &at, axis, i);
        draw_text(s, &b, a->marks.mark[i].text, ZW_OUT_TICK_FONT);
    }
    textbox b = label_box(s, p, &at, axis);
    bool alone = !a->marks.corner[0];
    cairo_move_to(cr, b.centre.x - (alone ? 0 : b.width / 2),
                  b.centre.y + 0.36 * ZW_OUT_LABEL_FONT);
    zw_out_label_draw(s->canvas, a->label, ZW_OUT_NAME, ZW_OUT_LABEL_FONT,
                      alone ? ZW_OUT_CENTRE : ZW_OUT_LEFT);
    if (!alone) {
        cairo_rel_move_to(cr, 2 * ZW_OUT_GAP, 0);
        zw_out_label_draw(s->canvas, a->marks.corner, ZW_OUT_NAME, ZW_OUT_TICK_FONT, ZW_OUT_LEFT);
    }
}

void zw_out_space_draw_axes(const zw_out_sheet *s, const zw_out_pane *p) {
    cairo_set_source_rgb(s->cr, 0, 0, 0);
    cairo_set_line_width(s->cr, ZW_OUT_THIN);
    cairo_set_line_cap(s->cr, CAIRO_LINE_CAP_ROUND);
    cairo_set_dash(s->cr, NULL, 0, 0);
    for (int axis = 0; axis < 3; axis++)
        draw_axis(s, p, axis);
    zw_out_draw_panel_title(s, p);
}

/* ---- for the legend ---- */

static void mark_text(zw_out_cover *cover, const textbox *b) {
    for (double y = b->centre.y - b->height / 2; y <= b->centre.y + b->height / 2; y += cover->cell)
        zw_out_cover_line(cover, b->centre.x - b->width / 2, y, b->centre.x + b->width / 2, y);
}

void zw_out_space_mark(const zw_out_sheet *s, const zw_out_pane *p, zw_out_cover *cover) {
    for (int i = 0; i < 8; i++)
        for (int axis = 0; axis < 3; axis++) {
            zw_out_spot c = corner_at(p, i & 1, i >> 1 & 1, i >> 2);
            if (!(i >> axis & 1))
                zw_out_cover_line(cover, c.x, c.y, c.x + p->edge[axis].x, c.y + p->edge[axis].y);
        }
    for (int axis = 0; axis < 3; axis++) {
        side at = side_of(s, p, axis);
        if (!at.shown)
            continue;
        for (int i = 0; i < p->axis[axis].marks.n; i++) {
            textbox b = number_box(s, p, &at, axis, i);
            mark_text(cover, &b);
        }
        textbox b = label_box(s, p, &at, axis);
        mark_text(cover, &b);
    }
}
