/* SPDX-License-Identifier: MIT */
/* Lines: cut at the frame, thinned, stroked, each in its own colour and dashes.
 *
 * Cutting is that of Liang and Barsky (1984): the line a + s (b - a) is inside each of the four
 * borders for s on one side of a bound; the remainder of [0, 1] is drawn.
 *
 * A picture has a budget of nodes, so that every file stays small. A curve that needs more than its
 * share is traced more coarsely and without parts under its own ink; it then fills so much of the
 * frame that the difference is invisible. */
#include <math.h>
#include <string.h>

#include "plot.h"

#define DENSE_LENGTH 30.0 /* in frames; longer curves are drawn thinner */
#define DOT_DIAMETER 1.9  /* points, of a curve that is a single point */
#define HIDDEN_WIDTH 0.8  /* of its width: a line so close to its own ink is invisible */
#define CUT_OUTSIDE 10.0  /* points outside the frame where lines are cut: their ends are hidden */
#define SAME_SPOT 0.05    /* points: 0.02 mm, below what the eye can distinguish */
#define HEAD_LENGTH 5.0   /* points, of an arrowhead */
#define ARROW_LENGTH_MIN 25.0 /* points, of a line with an arrowhead */

enum { STYLES = 8, NODES = 24000, COARSER_MAX = 6, CROWD = 150 };
/* Styles from here on have dashes requested by the caller. They repeat those from 0 on, see
 * dashes_of. */
enum { REQUESTED = STYLES * STYLES };

/* The colours of Okabe and Ito, which colour-blind readers can distinguish, each with its own
 * dashes. */
static const struct {
    const char *colour;
    double r, g, b;
    const char *line; /* the name of its dashes; NULL: none */
    int ndash;
    double dash[6];
} palette[STYLES] = {
    {"blue", 0.000, 0.447, 0.698, "solid", 0, {0}},
    {"red", 0.835, 0.369, 0.000, "dashed", 2, {5, 2}},
    {"green", 0.000, 0.620, 0.451, "dash-dot", 4, {6, 1.8, 1.2, 1.8}},
    {"pink", 0.800, 0.475, 0.655, "dotted", 2, {1.4, 1.6}},
    {"black", 0.000, 0.000, 0.000, NULL, 2, {9, 2.5}},
    {"orange", 0.902, 0.624, 0.000, NULL, 6, {6, 1.6, 1.2, 1.6, 1.2, 1.6}},
    {"sky", 0.337, 0.706, 0.914, NULL, 2, {2.8, 1.4}},
    {"grey", 0.400, 0.400, 0.400, NULL, 4, {9, 1.8, 2.5, 1.8}},
};

/* dashes of parts with another property (such as unstable) */
static const double part_dash[2] = {3, 2};
/* dots where that property is unknown */
static const double part_dots[2] = {0.9, 1.8};

int zw_out_style(const zw_panel *p, int curve) {
    int n = 0;
    while (p->curve[curve].like)
        curve = p->curve[curve].like - 1;
    if (p->curve[curve].style) {
        int style = p->curve[curve].style - 1;
        /* dashes that distinguish parts of a curve leave only its colour */
        return p->curve[curve].solid && style < ZW_PLOT_TINT ? style % STYLES : style;
    }
    for (int k = 0; k < curve; k++)
        n += !p->curve[k].like;
    return n;
}

bool zw_out_has_parts(const zw_panel *p) {
    for (int k = 0; k < p->n; k++)
        if (p->curve[k].solid)
            return true;
    return false;
}

/* tints between these, which form one family: dark blue, blue, sky, orange, vermilion, dark red */
static const double tints[][3] = {{0.03, 0.19, 0.42},    {0.000, 0.447, 0.698},
                                  {0.337, 0.706, 0.914}, {0.902, 0.624, 0.000},
                                  {0.835, 0.369, 0.000}, {0.50, 0.10, 0.05}};

static zw_out_rgb tint_colour(int tint) {
    enum { LAST = sizeof tints / sizeof *tints - 1 };
    double at = fmin((double)tint / (ZW_PLOT_TINTS - 1), 1) * LAST, c[3];
    int k = at < LAST ? (int)at : LAST - 1;
    for (int i = 0; i < 3; i++)
        c[i] = tints[k][i] + (at - k) * (tints[k + 1][i] - tints[k][i]);
    return (zw_out_rgb){c[0], c[1], c[2]};
}

zw_out_rgb zw_out_style_colour(int style) {
    int k = style % STYLES;
    if (style >= ZW_PLOT_TINT)
        return tint_colour(style - ZW_PLOT_TINT);
    return (zw_out_rgb){palette[k].r, palette[k].g, palette[k].b};
}

void zw_out_use_colour(cairo_t *cr, int style) {
    zw_out_rgb c = zw_out_style_colour(style);
    cairo_set_source_rgb(cr, c.r, c.g, c.b);
}

/* when the colours repeat, they have other dashes */
static int dashes_of(int style) {
    return style >= ZW_PLOT_TINT ? 0 : (style + style / STYLES) % STYLES;
}

/* the row of the palette with this name, -1 if none */
static int find_word(const char *word, size_t n, bool line) {
    for (int k = 0; k < STYLES; k++) {
        const char *name = line ? palette[k].line : palette[k].colour;
        if (name && strlen(name) == n && strncmp(name, word, n) == 0)
            return k;
    }
    return -1;
}

zw_status zw_plot_style(const char *words, int *style, zw_error *err) {
    size_t n = strcspn(words, " ");
    const char *rest = words + n + strspn(words + n, " ");
    int colour = find_word(words, n, false), line = *rest ? find_word(rest, strlen(rest), true) : 0;
    if (colour < 0 || line < 0) {
        zw_fail(err, ZW_E_OPTION, "\"%s\" is no style of a curve", words);
        zw_error_hint(err, "write blue, red, green, pink, black, orange, sky or grey, followed by "
                           "solid, dashed, dash-dot or dotted: \"black dashed\"");
        return ZW_E_OPTION;
    }
    *style =
        1 + REQUESTED + colour + STYLES * ((line - colour + STYLES) % STYLES); /* see dashes_of */
    return ZW_OK;
}

int zw_out_dashes(const zw_panel *p, int style, zw_out_part part, const double **dash) {
    int d = dashes_of(style);
    bool told = part == ZW_OUT_DASHED || part == ZW_OUT_DOTTED;
    *dash = part == ZW_OUT_DASHED ? part_dash : part == ZW_OUT_DOTTED ? part_dots : palette[d].dash;
    return told ? 2 : zw_out_has_parts(p) && style < REQUESTED ? 0 : palette[d].ndash;
}

void zw_out_draw_sample(zw_out_canvas *c, const zw_panel *p, int style, double x, double y,
                        double length) {
    cairo_t *cr = c->cr;
    const double *dash;
    zw_out_part part = style == -1 ? ZW_OUT_DASHED : style < 0 ? ZW_OUT_DOTTED : ZW_OUT_SOLID;
    int n = zw_out_dashes(p, style < 0 ? 0 : style, part, &dash);
    if (style < 0)
        cairo_set_source_rgb(cr, 0, 0, 0);
    else
        zw_out_use_colour(cr, style);
    if (p->is_points && style < 0) {
        zw_out_draw_hollow(c, (zw_out_spot){x + length / 2, y}, 2.6 * ZW_OUT_CURVE);
        return;
    }
    if (p->is_points) {
        cairo_new_path(cr); /* no hairline from the last position of the pen */
        cairo_arc(cr, x + length / 2, y, 1.3 * ZW_OUT_CURVE, 0, 2 * acos(-1));
        zw_out_fill(c);
        return;
    }
    cairo_set_dash(cr, dash, n, 0);
    cairo_set_line_width(cr, ZW_OUT_CURVE);
    cairo_set_line_cap(cr, CAIRO_LINE_CAP_BUTT);
    cairo_move_to(cr, x, y);
    cairo_line_to(cr, x + length, y);
    zw_out_stroke(c);
    cairo_set_dash(cr, NULL, 0, 0);
}

/* ---- cutting ---- */

/* restricts s in [*from, *to] to the inner side of one border: distance at s = 0, its change up to
 * s = 1 */
static bool clip_border(double distance, double change, double *from, double *to) {
    if (change == 0)
        return distance >= 0;
    double s = -distance / change;
    if (change > 0)
        *from = fmax(*from, s);
    else
        *to = fmin(*to, s);
    return *from <= *to;
}

bool zw_out_is_in(const zw_out_box *b, zw_out_spot a) {
    return a.x >= b->left && a.x <= b->right && a.y >= b->top && a.y <= b->bottom;
}

static zw_out_spot interpolate_spot(zw_out_spot a, zw_out_spot b, double s) {
    return (zw_out_spot){a.x + s * (b.x - a.x), a.y + s * (b.y - a.y)};
}

static void walk_line(const zw_out_walker *w, const zw_out_box *box, zw_out_spot a, zw_out_spot b) {
    double from = 0, to = 1, dx = b.x - a.x, dy = b.y - a.y;
    if (!clip_border(a.x - box->left, dx, &from, &to) ||
        !clip_border(box->right - a.x, -dx, &from, &to) ||
        !clip_border(a.y - box->top, dy, &from, &to) ||
        !clip_border(box->bottom - a.y, -dy, &from, &to))
        return;
    if (from > 0) {
        zw_out_spot entry = interpolate_spot(a, b, from);
        w->add(w->to, entry.x, entry.y);
    }
    zw_out_spot exit = to < 1 ? interpolate_spot(a, b, to) : b;
    w->add(w->to, exit.x, exit.y);
    if (to < 1)
        w->lift(w->to);
}

/* How the line continues from one row to the next. */
typedef struct stretch {
    const zw_out_pane *p;
    const zw_curve *c, *twin; /* twin: the curve it belongs to; NULL: none */
    zw_out_part part;
} stretch;

/* true if the twin passes through the same spot */
static bool is_on_twin(const stretch *s, long row, zw_out_spot here) {
    zw_out_spot other;
    return s->twin && row < zw_table_rows(s->twin->table) &&
           zw_out_place(s->p, s->twin, row, &other) &&
           hypot(other.x - here.x, other.y - here.y) < SAME_SPOT;
}

/* the part that a row belongs to */
static zw_out_part part_of(const stretch *s, long row) {
    double v = s->c->solid ? zw_table_at(s->c->table, row, s->c->solid - 1) : 1;
    return v == 0                               ? ZW_OUT_DASHED
           : isnan(v) && s->p->panel->undecided ? ZW_OUT_DOTTED
                                                : ZW_OUT_SOLID;
}

/* The part of a line between two rows: the worse one counts; a single row without a value, as that
 * of a fold, takes that of its neighbours. */
static zw_out_part part_between(const stretch *s, long row) {
    zw_out_part a = part_of(s, row - 1), b = part_of(s, row);
    if (a == ZW_OUT_DASHED || b == ZW_OUT_DASHED)
        return ZW_OUT_DASHED;
    return a == b ? a : ZW_OUT_SOLID;
}

/* true if the line to this row from the one before is drawn */
static bool is_drawn(const stretch *s, long row, zw_out_spot last, zw_out_spot here) {
    if (s->part != ZW_OUT_WHOLE && part_between(s, row) != s->part)
        return false;
    return !(is_on_twin(s, row - 1, last) && is_on_twin(s, row, here));
}

/* lines with all rows show a single row as a dot */
static bool is_plain(const stretch *s) {
    return !s->twin && s->part == ZW_OUT_WHOLE;
}

void zw_out_walk(const zw_out_pane *p, const zw_curve *c, const zw_out_walker *w) {
    const zw_out_box box = {p->frame.left - CUT_OUTSIDE, p->frame.right + CUT_OUTSIDE,
                            p->frame.top - CUT_OUTSIDE, p->frame.bottom + CUT_OUTSIDE};
    const stretch s = {p, c, c->like ? &p->panel->curve[c->like - 1] : NULL, w->part};
    zw_out_spot last = {0}, here;
    bool has_last = false, down = false;
    for (long i = 0; i < zw_table_rows(c->table); i++) {
        if (!zw_out_place(p, c, i, &here)) {
            w->lift(w->to);
            has_last = down = false;
            continue;
        }
        bool goes_on = has_last && is_drawn(&s, i, last, here);
        if (down && !goes_on)
            w->lift(w->to);
        if (goes_on && !down && zw_out_is_in(&box, last))
            w->add(w->to, last.x, last.y);
        if (goes_on)
            walk_line(w, &box, last, here);
        else if (!has_last && is_plain(&s) && zw_out_is_in(&box, here))
            w->add(w->to, here.x, here.y);
        down = goes_on || (!has_last && is_plain(&s));
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

/* a line that fills the frame must be thin to be readable, one that does not move is a dot */
static double line_width(const zw_out_pane *p, const zw_curve *c) {
    ruler r = {0};
    zw_out_walk(p, c, &(zw_out_walker){&r, ruler_add, ruler_lift, ZW_OUT_WHOLE});
    if (r.length < DOT_DIAMETER && !c->like)
        return DOT_DIAMETER;
    if (c->fine)
        return ZW_OUT_FINE;
    double widths = r.length / (p->frame.right - p->frame.left);
    return widths < DENSE_LENGTH ? ZW_OUT_CURVE
                                 : fmax(ZW_OUT_CURVE * DENSE_LENGTH / widths, ZW_OUT_CURVE / 3);
}

/* ---- drawing ---- */

static void trace_add(void *to, double x, double y) {
    zw_out_trace_add(to, x, y);
}

static void trace_lift(void *to) {
    zw_out_trace_lift(to);
}

typedef struct brush {
    zw_out_part part;
    bool rightwards;
    bool dashed;
    double coarse, width;
    zw_out_cover *cover;
} brush;

/* draws the curve on c, or only counts its nodes if c is NULL; returns their number */
static long trace_curve(zw_out_canvas *c, const zw_out_pane *p, int k, const brush *b) {
    zw_out_trace t;
    const double *dash;
    int n = zw_out_dashes(p->panel, zw_out_style(p->panel, k), b->part, &dash);
    zw_out_trace_begin(&t, c, b->rightwards, b->dashed ? n : 0, dash);
    t.coarse = b->coarse;
    t.cover = b->cover;
    if (b->cover)
        zw_out_cover_wipe(b->cover);
    zw_out_walk(p, &p->panel->curve[k], &(zw_out_walker){&t, trace_add, trace_lift, b->part});
    return t.total;
}

static void draw_traced(const zw_out_sheet *s, const zw_out_pane *p, int k, const brush *b) {
    zw_out_use_colour(s->cr, zw_out_style(p->panel, k));
    cairo_set_line_width(s->cr, b->width);
    /* round ends would close the gaps of the dashes */
    cairo_set_line_cap(s->cr, b->dashed ? CAIRO_LINE_CAP_BUTT : CAIRO_LINE_CAP_ROUND);
    trace_curve(s->canvas, p, k, b);
}

/* a raster for the current width of the brush */
static zw_status renew_cover(zw_out_cover *cover, const zw_out_pane *p, const brush *b,
                             zw_error *err) {
    zw_out_cover_clear(cover);
    return zw_out_cover_init(cover, p->frame.left - CUT_OUTSIDE, p->frame.top - CUT_OUTSIDE,
                             p->frame.right + CUT_OUTSIDE, p->frame.bottom + CUT_OUTSIDE,
                             HIDDEN_WIDTH * b->width * b->coarse, err);
}

static zw_status draw_part(const zw_out_sheet *s, const zw_out_pane *p, int k, zw_out_part part,
                           long budget, zw_error *err) {
    const zw_curve *c = &p->panel->curve[k];
    const double *dash;
    brush b = {.part = part,
               .rightwards = zw_out_runs_rightwards(p, c),
               .coarse = 1,
               .width = line_width(p, c)};
    b.dashed = zw_out_dashes(p->panel, zw_out_style(p->panel, k), part, &dash) > 0 &&
               b.width < DOT_DIAMETER;
    zw_out_cover cover = {0};
    zw_status status = ZW_OK;
    for (int i = 0; i < COARSER_MAX && trace_curve(NULL, p, k, &b) > budget; i++) {
        /* dashes mean nothing where a line overlaps itself, unless they have a meaning */
        b.dashed = part == ZW_OUT_DASHED || part == ZW_OUT_DOTTED;
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

static zw_status draw_curve(const zw_out_sheet *s, const zw_out_pane *p, int k, long budget,
                            zw_error *err) {
    if (!p->panel->curve[k].solid)
        return draw_part(s, p, k, ZW_OUT_WHOLE, budget, err);
    ZW_TRY(draw_part(s, p, k, ZW_OUT_SOLID, budget, err));
    if (p->panel->undecided)
        ZW_TRY(draw_part(s, p, k, ZW_OUT_DOTTED, budget, err));
    return draw_part(s, p, k, ZW_OUT_DASHED, budget, err);
}

/* ---- arrowheads ---- */

/* walks up to half of the length that the ruler found */
typedef struct halfway {
    ruler so_far;
    double half;
    bool found;
    zw_out_spot from, to; /* the piece of line that contains it */
} halfway;

static void halfway_add(void *to, double x, double y) {
    halfway *h = to;
    zw_out_spot last = h->so_far.last;
    bool down = h->so_far.down;
    ruler_add(&h->so_far, x, y);
    if (h->found || !down || h->so_far.length < h->half)
        return;
    h->found = true;
    h->from = last;
    h->to = (zw_out_spot){x, y};
}

static void halfway_lift(void *to) {
    ruler_lift(&((halfway *)to)->so_far);
}

/* an arrowhead at `to`, in the direction from `from` */
static void fill_head(const zw_out_sheet *s, const zw_out_pane *p, int k, zw_out_spot from,
                      zw_out_spot to) {
    double dx = to.x - from.x, dy = to.y - from.y, length = hypot(dx, dy);
    if (!(length > 0))
        return;
    dx *= HEAD_LENGTH / length;
    dy *= HEAD_LENGTH / length;
    zw_out_use_colour(s->cr, zw_out_style(p->panel, k));
    cairo_new_path(s->cr);
    cairo_move_to(s->cr, to.x + dx / 2, to.y + dy / 2);
    cairo_line_to(s->cr, to.x - dx / 2 - 0.38 * dy, to.y - dy / 2 + 0.38 * dx);
    cairo_line_to(s->cr, to.x - dx / 4, to.y - dy / 4);
    cairo_line_to(s->cr, to.x - dx / 2 + 0.38 * dy, to.y - dy / 2 - 0.38 * dx);
    cairo_close_path(s->cr);
    zw_out_fill(s->canvas);
}

static void draw_head(const zw_out_sheet *s, const zw_out_pane *p, int k) {
    const zw_curve *c = &p->panel->curve[k];
    halfway h = {0};
    ruler r = {0};
    zw_out_walk(p, c, &(zw_out_walker){&r, ruler_add, ruler_lift, ZW_OUT_WHOLE});
    h.half = r.length / 2;
    zw_out_walk(p, c, &(zw_out_walker){&h, halfway_add, halfway_lift, ZW_OUT_WHOLE});
    if (r.length >= ARROW_LENGTH_MIN)
        fill_head(s, p, k, h.from, h.to);
}

/* one arrowhead halfway along rows first .. last - 1, all of which can be shown */
static void draw_head_of(const zw_out_sheet *s, const zw_out_pane *p, int k, long first,
                         long last) {
    const zw_curve *c = &p->panel->curve[k];
    zw_out_spot from, to;
    double half = 0;
    for (int pass = 0; pass < 2; pass++) {
        double length = 0;
        for (long i = first + 1; i < last; i++) {
            zw_out_place(p, c, i - 1, &from);
            zw_out_place(p, c, i, &to);
            length += hypot(to.x - from.x, to.y - from.y);
            if (pass == 1 && length >= half) {
                fill_head(s, p, k, from, to);
                return;
            }
        }
        if (length < ARROW_LENGTH_MIN)
            return;
        half = length / 2;
    }
}

/* in a curve with intended gaps each part has one */
static void draw_heads(const zw_out_sheet *s, const zw_out_pane *p, int k) {
    const zw_curve *c = &p->panel->curve[k];
    long rows = zw_table_rows(c->table), first = 0;
    zw_out_spot at;
    for (long i = 0; i <= rows; i++)
        if (i == rows || !zw_out_place(p, c, i, &at)) {
            draw_head_of(s, p, k, first, i);
            first = i + 1;
        }
}

bool zw_out_is_line(const zw_panel *p, int k) {
    const zw_curve *c = &p->curve[k];
    return !p->is_points && !c->points && !c->dots && !c->band && !c->mesh && !(p->map && k == 0);
}

/* Signs that touch each other, as for measured data, would hide the lines: they are drawn below
 * them, a few above. */
static bool is_crowded(const zw_curve *c) {
    return zw_table_rows(c->table) > CROWD;
}

static void draw_signs(const zw_out_sheet *s, const zw_out_pane *p, bool crowded) {
    for (int k = 0; k < p->panel->n; k++)
        if (p->panel->curve[k].points && is_crowded(&p->panel->curve[k]) == crowded)
            zw_out_draw_circles(s, p, k);
}

zw_status zw_out_draw_lines(const zw_out_sheet *s, const zw_out_pane *p, zw_error *err) {
    cairo_set_line_join(s->cr, CAIRO_LINE_JOIN_ROUND);
    for (int k = 0; k < p->panel->n; k++)
        if (p->panel->curve[k].band)
            zw_out_draw_band(s, p, k);
    zw_out_draw_meshes(s, p);
    for (int k = 0; k < p->panel->n; k++)
        if (p->panel->curve[k].dots)
            ZW_TRY(zw_out_draw_dots(s, p, k, err));
    draw_signs(s, p, true);
    for (int k = 0; k < p->panel->n; k++)
        if (zw_out_is_line(p->panel, k))
            ZW_TRY(draw_curve(s, p, k, NODES / zw_out_curves(s), err));
    draw_signs(s, p, false);
    for (int k = 0; k < p->panel->n; k++)
        if (p->panel->curve[k].arrow && p->panel->curve[k].gaps)
            draw_heads(s, p, k);
        else if (p->panel->curve[k].arrow)
            draw_head(s, p, k);
    return ZW_OK;
}
