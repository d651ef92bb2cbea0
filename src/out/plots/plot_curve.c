/* SPDX-License-Identifier: MIT */
/* Lines: cut at the frame, thinned, stroked, each in its own colour and dashes.
 *
 * Cutting is that of Liang and Barsky (1984): the line a + s (b - a) is inside each of the four
 * borders for s on one side of a bound; what is left of [0, 1] is drawn.
 *
 * A picture has a budget of nodes, so that a file stays small whatever is drawn. A curve that needs
 * more than its share is traced more coarsely and without what lies under its own ink; it then fills
 * so much of the frame that this cannot be seen. */
#include <math.h>

#include "plot.h"

#define DENSE 30.0  /* lengths of the frame from which on a curve is drawn thinner */
#define DOT 1.9     /* diameter of a curve that is a point */
#define HIDDEN 0.8  /* of its width: a line so near to ink of its own is not seen */
#define BEYOND 10.0 /* lines are cut so far outside the frame: their ends must not be seen */

enum { STYLES = 8, NODES = 24000, COARSER_MAX = 6 };

/* The colours of Okabe and Ito, which colour-blind readers can tell apart, each with its own dashes. */
static const struct {
    double r, g, b;
    int ndash;
    double dash[6];
} style[STYLES] = {
    {0.000, 0.447, 0.698, 0, {0}},
    {0.835, 0.369, 0.000, 2, {5, 2}},
    {0.000, 0.620, 0.451, 4, {6, 1.8, 1.2, 1.8}},
    {0.800, 0.475, 0.655, 2, {1.4, 1.6}},
    {0.000, 0.000, 0.000, 2, {9, 2.5}},
    {0.902, 0.624, 0.000, 6, {6, 1.6, 1.2, 1.6, 1.2, 1.6}},
    {0.337, 0.706, 0.914, 2, {2.8, 1.4}},
    {0.400, 0.400, 0.400, 4, {9, 1.8, 2.5, 1.8}},
};

void zw_out_use_colour(cairo_t *cr, int curve) {
    int k = curve % STYLES;
    cairo_set_source_rgb(cr, style[k].r, style[k].g, style[k].b);
}

/* when the colours come round again, they come with other dashes */
static int dashes_of(int curve) {
    return (curve + curve / STYLES) % STYLES;
}

void zw_out_draw_sample(zw_out_canvas *c, int curve, bool points, double x, double y,
                        double length) {
    cairo_t *cr = c->cr;
    int d = dashes_of(curve);
    zw_out_use_colour(cr, curve);
    if (points) {
        cairo_new_path(cr); /* no hairline from where the pen was */
        cairo_arc(cr, x + length / 2, y, 1.3 * ZW_OUT_CURVE, 0, 2 * acos(-1));
        zw_out_fill(c);
        return;
    }
    cairo_set_dash(cr, style[d].dash, style[d].ndash, 0);
    cairo_set_line_width(cr, ZW_OUT_CURVE);
    cairo_set_line_cap(cr, CAIRO_LINE_CAP_BUTT);
    cairo_move_to(cr, x, y);
    cairo_line_to(cr, x + length, y);
    zw_out_stroke(c);
    cairo_set_dash(cr, NULL, 0, 0);
}

/* ---- cutting ---- */

/* s in [*from, *to] is on the inner side of one border: distance at s = 0, its change up to s = 1 */
static bool cut(double distance, double change, double *from, double *to) {
    if (change == 0)
        return distance >= 0;
    double s = -distance / change;
    if (change > 0)
        *from = fmax(*from, s);
    else
        *to = fmin(*to, s);
    return *from <= *to;
}

static bool is_inside(const zw_out_box *b, zw_out_spot a) {
    return a.x >= b->left && a.x <= b->right && a.y >= b->top && a.y <= b->bottom;
}

static zw_out_spot between(zw_out_spot a, zw_out_spot b, double s) {
    return (zw_out_spot){a.x + s * (b.x - a.x), a.y + s * (b.y - a.y)};
}

static void walk_line(const zw_out_walker *w, const zw_out_box *box, zw_out_spot a, zw_out_spot b) {
    double from = 0, to = 1, dx = b.x - a.x, dy = b.y - a.y;
    if (!cut(a.x - box->left, dx, &from, &to) || !cut(box->right - a.x, -dx, &from, &to) ||
        !cut(a.y - box->top, dy, &from, &to) || !cut(box->bottom - a.y, -dy, &from, &to))
        return;
    if (from > 0) {
        zw_out_spot entry = between(a, b, from);
        w->add(w->to, entry.x, entry.y);
    }
    zw_out_spot exit = to < 1 ? between(a, b, to) : b;
    w->add(w->to, exit.x, exit.y);
    if (to < 1)
        w->lift(w->to);
}

void zw_out_walk(const zw_out_pane *p, const zw_curve *c, const zw_out_walker *w) {
    const zw_out_box box = {p->frame.left - BEYOND, p->frame.right + BEYOND, p->frame.top - BEYOND,
                            p->frame.bottom + BEYOND};
    zw_out_spot last = {0}, here;
    bool has_last = false;
    for (long i = 0; i < zw_table_rows(c->table); i++) {
        if (!zw_out_place(p, c, i, &here)) {
            w->lift(w->to);
            has_last = false;
            continue;
        }
        if (has_last)
            walk_line(w, &box, last, here);
        else if (is_inside(&box, here))
            w->add(w->to, here.x, here.y);
        last = here;
        has_last = true;
    }
    w->lift(w->to);
}

/* ---- length on the paper ---- */

typedef struct ruler {
    bool down;
    zw_out_spot last;
    double length;
} ruler;

static void ruler_add(void *to, double x, double y) {
    ruler *r = to;
    if (r->down)
        r->length += hypot(x - r->last.x, y - r->last.y);
    r->last = (zw_out_spot){x, y};
    r->down = true;
}

static void ruler_lift(void *to) {
    ((ruler *)to)->down = false;
}

/* a line that fills the frame must be thin to be read, one that does not get away be a dot */
static double line_width(const zw_out_pane *p, const zw_curve *c) {
    ruler r = {0};
    zw_out_walk(p, c, &(zw_out_walker){&r, ruler_add, ruler_lift});
    if (r.length < DOT)
        return DOT;
    double widths = r.length / (p->frame.right - p->frame.left);
    return widths < DENSE ? ZW_OUT_CURVE : fmax(ZW_OUT_CURVE * DENSE / widths, ZW_OUT_CURVE / 3);
}

/* ---- drawing ---- */

static void trace_add(void *to, double x, double y) {
    zw_out_trace_add(to, x, y);
}

static void trace_lift(void *to) {
    zw_out_trace_lift(to);
}

typedef struct brush {
    bool rightwards;
    bool dashed;
    double coarse, width;
    zw_out_cover *cover;
} brush;

/* draw the curve on c, or count its nodes without; returns their number */
static long trace_curve(zw_out_canvas *c, const zw_out_pane *p, int k, const brush *b) {
    zw_out_trace t;
    int d = dashes_of(k);
    zw_out_trace_begin(&t, c, b->rightwards, b->dashed ? style[d].ndash : 0, style[d].dash);
    t.coarse = b->coarse;
    t.cover = b->cover;
    if (b->cover)
        zw_out_cover_wipe(b->cover);
    zw_out_walk(p, &p->panel->curve[k], &(zw_out_walker){&t, trace_add, trace_lift});
    return t.total;
}

static void draw_traced(const zw_out_sheet *s, const zw_out_pane *p, int k, const brush *b) {
    zw_out_use_colour(s->cr, k);
    cairo_set_line_width(s->cr, b->width);
    /* round ends would close the gaps of the dashes */
    cairo_set_line_cap(s->cr, b->dashed ? CAIRO_LINE_CAP_BUTT : CAIRO_LINE_CAP_ROUND);
    trace_curve(s->canvas, p, k, b);
}

/* a raster for the present width of the brush */
static zw_status renew_cover(zw_out_cover *cover, const zw_out_pane *p, const brush *b,
                             zw_error *err) {
    zw_out_cover_clear(cover);
    return zw_out_cover_init(cover, p->frame.left - BEYOND, p->frame.top - BEYOND,
                             p->frame.right + BEYOND, p->frame.bottom + BEYOND,
                             HIDDEN * b->width * b->coarse, err);
}

static zw_status draw_curve(const zw_out_sheet *s, const zw_out_pane *p, int k, long budget,
                            zw_error *err) {
    const zw_curve *c = &p->panel->curve[k];
    brush b = {.rightwards = zw_out_runs_rightwards(p, c), .coarse = 1, .width = line_width(p, c)};
    b.dashed = style[dashes_of(k)].ndash > 0 && b.width < DOT;
    zw_out_cover cover = {0};
    zw_status status = ZW_OK;
    for (int i = 0; i < COARSER_MAX && trace_curve(NULL, p, k, &b) > budget; i++) {
        /* dashes mean nothing where a line lies on itself */
        b.dashed = false;
        /* over time the columns alone set a bound, and have no seams */
        if (!b.rightwards) {
            status = renew_cover(&cover, p, &b, err);
            b.cover = &cover;
        }
        if (status < 0)
            break;
        b.coarse *= 1.4;
    }
    if (status >= 0)
        draw_traced(s, p, k, &b);
    zw_out_cover_clear(&cover);
    return status;
}

zw_status zw_out_draw_lines(const zw_out_sheet *s, const zw_out_pane *p, zw_error *err) {
    cairo_set_line_join(s->cr, CAIRO_LINE_JOIN_ROUND);
    for (int k = 0; k < p->panel->n; k++)
        ZW_TRY(draw_curve(s, p, k, NODES / zw_out_curves(s), err));
    return ZW_OK;
}
