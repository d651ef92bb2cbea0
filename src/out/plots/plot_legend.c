/* SPDX-License-Identifier: MIT */
/* The legend is placed where it hides nothing. The lines of all curves are marked on a raster; of
 * the places for the box inside the frame the first free one is taken: the corners, then along the
 * upper and lower edge, then, in a plane, anywhere. If there is none, the legend is placed above
 * the frame, its entries from left to right.
 *
 * Panels with equal legends need only one: the first panel with space for it keeps it. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "label.h"
#include "plot.h"

#define ENTRY_HEIGHT (1.35 * ZW_OUT_TICK_FONT)
#define ENTRY_GAP 12.0
#define SAMPLE 20.0    /* length of the piece of line */
#define INSET 5.0      /* from the frame, for ticks */
#define CELL 2.0       /* of the raster */
#define STEP 6.0       /* between the places that are tried */
#define LEGEND_MAX 0.6 /* relative to the frame */

/* ---- entries: curves, kinds of markers, meaning of dashed parts ---- */

typedef struct entry {
    const zw_curve *curve; /* or */
    const zw_mark *mark;   /* or */
    /* a class of a map, or missing values; if none of these is set: a dashed or dotted part */
    bool cell;
    const zw_map_class *of;
    int style;
    const char *label;
} entry;

/* true for the first marker of its kind */
static bool is_new_kind(const zw_panel *p, int i) {
    for (int k = 0; k < i; k++)
        if (p->mark[k].label && p->mark[k].shape == p->mark[i].shape &&
            strcmp(p->mark[k].label, p->mark[i].label) == 0)
            return false;
    return true;
}

/* true if there are dashed parts */
static bool has_dashed(const zw_panel *p) {
    for (int k = 0; k < p->n; k++)
        for (long row = 0; p->curve[k].solid && row < zw_table_rows(p->curve[k].table); row++)
            if (zw_table_at(p->curve[k].table, row, p->curve[k].solid - 1) == 0)
                return true;
    return false;
}

/* true for a row with a place but an unknown part */
static bool is_undecided(const zw_curve *c, long row) {
    return isnan(zw_table_at(c->table, row, c->solid - 1)) &&
           isfinite(zw_table_at(c->table, row, c->x)) && isfinite(zw_table_at(c->table, row, c->y));
}

/* True if there are dotted parts. Dots are full or hollow. */
static bool has_dotted(const zw_panel *p) {
    for (int k = 0; k < p->n; k++) {
        const zw_curve *c = &p->curve[k];
        bool line = c->solid && !c->points && !p->is_points;
        for (long row = 1; line && row < zw_table_rows(c->table); row++)
            if (is_undecided(c, row - 1) && is_undecided(c, row))
                return true;
    }
    return false;
}

/* entry i of the panel; false after the last one. A single curve is labelled by the axis. */
static bool entry_at(const zw_panel *p, int i, entry *out) {
    for (int k = p->map != NULL; k < p->n; k++)
        if ((p->n > 1 || p->curve[k].named) && p->curve[k].label && i-- == 0) {
            *out = (entry){
                .curve = &p->curve[k], .style = zw_out_style(p, k), .label = p->curve[k].label};
            return true;
        }
    for (int k = 0; p->map && k < p->map->nclass; k++)
        if (p->map->item[k].label && i-- == 0) {
            *out = (entry){.cell = true, .of = &p->map->item[k], .label = p->map->item[k].label};
            return true;
        }
    if (p->map && p->map->nothing && i-- == 0) {
        *out = (entry){.cell = true, .label = p->map->nothing};
        return true;
    }
    for (int k = 0; k < p->nmark; k++)
        if (p->mark[k].label && is_new_kind(p, k) && i-- == 0) {
            *out = (entry){.mark = &p->mark[k], .label = p->mark[k].label};
            return true;
        }
    *out = (entry){.style = -1, .label = p->dashed};
    if (p->dashed && has_dashed(p) && i-- == 0)
        return true;
    *out = (entry){.style = -2, .label = p->undecided};
    return p->undecided && i == 0 && has_dotted(p);
}

/* the text of an entry: its label and, if there are two axes, the one it belongs to */
typedef struct words {
    char text[ZW_OUT_LABEL_MAX];
} words;

static words words_of(const zw_out_pane *p, const entry *e) {
    words w;
    snprintf(w.text, sizeof w.text, "%s%s", e->label,
             !p->has_right || !e->curve ? ""
             : e->curve->right          ? " \"(right)\""
                                        : " \"(left)\"");
    return w;
}

static double entry_width(const zw_out_sheet *s, const zw_out_pane *p, const entry *e) {
    words w = words_of(p, e);
    return SAMPLE + ZW_OUT_GAP +
           zw_out_label_width(s->canvas, w.text, ZW_OUT_NAME, ZW_OUT_TICK_FONT);
}

static void box_size(const zw_out_sheet *s, const zw_out_pane *p, double *width, double *height) {
    entry e;
    *width = 0;
    *height = p->legend.n * ENTRY_HEIGHT + ZW_OUT_GAP;
    for (int i = 0; entry_at(p->panel, i, &e); i++)
        *width = fmax(*width, entry_width(s, p, &e));
    *width += 2 * ZW_OUT_GAP;
}

/* ---- the raster ---- */

typedef struct marker {
    zw_out_cover *cover;
    bool down;
    zw_out_spot last;
} marker;

static void marker_add(void *to, double x, double y) {
    marker *m = to;
    if (m->down)
        zw_out_cover_line(m->cover, m->last.x, m->last.y, x, y);
    else
        zw_out_cover_point(m->cover, x, y);
    m->last = (zw_out_spot){x, y};
    m->down = true;
}

static void marker_lift(void *to) {
    ((marker *)to)->down = false;
}

static void cover_mark(zw_out_cover *cover, zw_out_spot at) {
    const double r = ZW_OUT_MARK + 1;
    for (double y = -r; y <= r; y += r / 3)
        zw_out_cover_line(cover, at.x - r, at.y + y, at.x + r, at.y + y);
}

/* filled areas: a map is everywhere, a band between its edges */
static void cover_area(const zw_out_pane *p, int k, zw_out_cover *cover) {
    const zw_curve *c = &p->panel->curve[k];
    zw_curve edge = *c;
    zw_out_spot a, b;
    edge.y = c->band - 1;
    if (!c->band)
        zw_out_cover_box(cover, &p->frame);
    for (long i = 0; c->band && i < zw_table_rows(c->table); i++)
        if (zw_out_place(p, c, i, &a) && zw_out_place(p, &edge, i, &b))
            zw_out_cover_line(cover, a.x, a.y, b.x, b.y);
}

static void cover_from(const zw_out_pane *p, int first, zw_out_cover *cover) {
    zw_out_spot at;
    for (int k = first; k < p->panel->n; k++) {
        marker m = {.cover = cover};
        const zw_curve *c = &p->panel->curve[k];
        if (c->band || (p->panel->map && k == 0)) {
            cover_area(p, k, cover);
            continue;
        }
        if (zw_out_is_line(p->panel, k)) {
            zw_out_walk(p, c, &(zw_out_walker){&m, marker_add, marker_lift, ZW_OUT_WHOLE});
            continue;
        }
        for (long i = 0; i < zw_table_rows(c->table); i++)
            if (zw_out_place(p, c, i, &at))
                zw_out_cover_point(cover, at.x, at.y);
    }
    for (int i = 0; i < p->panel->nmark; i++)
        if (zw_out_mark_is_visible(p, &p->panel->mark[i], &at))
            cover_mark(cover, at);
    for (int i = 0; i < p->placed; i++) {
        zw_out_cover_box(cover, &p->inset[i].window);
        zw_out_cover_box(cover, &p->inset[i].box);
    }
}

void zw_out_cover_ink(const zw_out_pane *p, zw_out_cover *cover) {
    cover_from(p, 0, cover);
}

void zw_out_cover_lines(const zw_out_pane *p, zw_out_cover *cover) {
    cover_from(p, p->panel->map ? 1 : 0, cover);
}

/* ---- places ---- */

typedef struct search {
    const zw_out_cover *cover;
    double width, height;
    bool edges_only;
    double x, y; /* found */
} search;

static bool is_free(search *q, double x, double y) {
    const double air = ZW_OUT_GAP / 2;
    if (zw_out_cover_touches(q->cover, x - air, y - air, x + q->width + air, y + q->height + air))
        return false;
    q->x = x;
    q->y = y;
    return true;
}

static bool find_place(search *q, const zw_out_box *f) {
    const double left = f->left + INSET, right = f->right - INSET - q->width;
    const double top = f->top + INSET, bottom = f->bottom - INSET - q->height;
    if (is_free(q, right, top) || is_free(q, left, top) || is_free(q, right, bottom) ||
        is_free(q, left, bottom))
        return true;
    for (double x = right; x >= left; x -= STEP)
        if (is_free(q, x, top) || is_free(q, x, bottom))
            return true;
    for (double y = top; y <= bottom && !q->edges_only; y += STEP)
        for (double x = right; x >= left; x -= STEP)
            if (is_free(q, x, y))
                return true;
    return false;
}

static zw_status place_inside(const zw_out_sheet *s, zw_out_pane *p, bool *found, zw_error *err) {
    const zw_out_box *f = &p->frame;
    search q = {.edges_only = p->panel->is_space};
    box_size(s, p, &q.width, &q.height);
    *found = false;
    if (q.width > LEGEND_MAX * (f->right - f->left) || q.height > LEGEND_MAX * (f->bottom - f->top))
        return ZW_OK;
    zw_out_cover cover;
    ZW_TRY(zw_out_cover_init(&cover, f->left, f->top, f->right, f->bottom, CELL, err));
    zw_out_cover_ink(p, &cover);
    if (p->panel->is_space)
        zw_out_space_mark(s, p, &cover);
    q.cover = &cover;
    *found = find_place(&q, f);
    p->legend.x = q.x;
    p->legend.y = q.y;
    zw_out_cover_clear(&cover);
    return ZW_OK;
}

/* ---- drawing ---- */

/* number of bands of its colour that come before */
static int bands_under(const zw_panel *p, const zw_curve *c) {
    int n = 0;
    for (int k = 0; &p->curve[k] < c; k++)
        n += p->curve[k].band && zw_out_style(p, k) == zw_out_style(p, (int)(c - p->curve));
    return n;
}

static void draw_entry(const zw_out_sheet *s, const zw_out_pane *p, const entry *e, double x,
                       double base) {
    cairo_t *cr = s->cr;
    double y = base - 0.33 * ZW_OUT_TICK_FONT;
    if (e->mark)
        zw_out_draw_mark(s->canvas, e->mark, (zw_out_spot){x + SAMPLE / 2, y});
    else if (e->cell)
        zw_out_draw_class(s->canvas, p->panel->map, e->of, x + SAMPLE / 2, y);
    else if (e->curve && e->curve->band)
        for (int k = 0; k <= bands_under(p->panel, e->curve); k++)
            zw_out_draw_band_sample(s->canvas, e->style, x, y, SAMPLE);
    else if (e->curve && e->curve->points && e->curve->shape) {
        zw_out_use_colour(cr, e->style);
        zw_out_draw_sign(s->canvas, (zw_mark_shape)(e->curve->shape - 1),
                         (zw_out_spot){x + SAMPLE / 2, y}, 1.6 * ZW_OUT_CURVE);
    } else if (e->curve && e->curve->dots) {
        zw_out_use_colour(cr, e->style);
        zw_out_draw_sign(s->canvas, ZW_MARK_DISC, (zw_out_spot){x + SAMPLE / 2, y}, ZW_OUT_CURVE);
    } else if (e->curve && e->curve->points) {
        zw_out_use_colour(cr, e->style);
        zw_out_draw_hollow(s->canvas, (zw_out_spot){x + SAMPLE / 2, y}, 2.6 * ZW_OUT_CURVE);
    } else
        zw_out_draw_sample(s->canvas, p->panel, e->style, x, y, SAMPLE);
    cairo_set_source_rgb(cr, 0, 0, 0);
    cairo_move_to(cr, x + SAMPLE + ZW_OUT_GAP, base);
    words w = words_of(p, e);
    double from = x + SAMPLE + ZW_OUT_GAP;
    zw_out_fit f = zw_out_label_fit(s->canvas, w.text, ZW_OUT_NAME, ZW_OUT_TICK_FONT,
                                    0.75 * ZW_OUT_TICK_FONT, p->cell.right - from);
    zw_out_label_draw(s->canvas, f.text, ZW_OUT_NAME, f.size, ZW_OUT_LEFT);
}

/* the number of rows of the legend above the frame, its entries in columns; draws them if `draw` */
static int rows_above(const zw_out_sheet *s, const zw_out_pane *p, bool draw) {
    double width, height, frame = p->frame.right - p->frame.left;
    box_size(s, p, &width, &height);
    width += ENTRY_GAP - 2 * ZW_OUT_GAP;
    int fitting = (int)fmax(1, floor((frame + ENTRY_GAP) / width));
    int rows = (p->legend.n + fitting - 1) / fitting;
    int columns = (p->legend.n + rows - 1) / rows; /* rows of equal length */
    double base = p->frame.top - p->legend.above + 0.4 * ENTRY_HEIGHT;
    entry e;
    if (p->panel->is_space && p->panel->title)
        base -= ZW_OUT_TICK_FONT + 2;
    else if (!p->panel->is_space && zw_out_has_corner(p))
        base -= ZW_OUT_TICK_FONT;
    for (int i = 0; draw && entry_at(p->panel, i, &e); i++) {
        int row = i / columns;
        draw_entry(s, p, &e, p->frame.left + i % columns * width, base + row * ENTRY_HEIGHT);
    }
    return rows;
}

bool zw_out_legend_box(const zw_out_sheet *s, const zw_out_pane *p, zw_out_box *box) {
    double width, height;
    if (p->legend.n == 0 || p->legend.above > 0)
        return false;
    box_size(s, p, &width, &height);
    *box = (zw_out_box){p->legend.x, p->legend.x + width, p->legend.y, p->legend.y + height};
    return true;
}

void zw_out_draw_legend(const zw_out_sheet *s, const zw_out_pane *p) {
    zw_out_box box;
    entry e;
    if (p->legend.n == 0)
        return;
    if (!zw_out_legend_box(s, p, &box)) {
        rows_above(s, p, true);
        return;
    }
    if (p->panel->grid || p->panel->zero[0] || p->panel->zero[1]) {
        /* lines must not run through the words */
        cairo_set_source_rgb(s->cr, 1, 1, 1);
        cairo_rectangle(s->cr, box.left, box.top, box.right - box.left, box.bottom - box.top);
        zw_out_fill(s->canvas);
    }
    double base = box.top + ZW_OUT_GAP / 2 + 0.95 * ZW_OUT_TICK_FONT;
    for (int i = 0; entry_at(p->panel, i, &e); i++)
        draw_entry(s, p, &e, box.left + ZW_OUT_GAP, base + i * ENTRY_HEIGHT);
}

/* ---- which panels have one ---- */

static int entries_of(const zw_panel *p) {
    entry e;
    int n = 0;
    while (entry_at(p, n, &e))
        n++;
    return n;
}

static bool is_equal_entry(const entry *a, const entry *b) {
    if (!a->curve != !b->curve || !a->mark != !b->mark || strcmp(a->label, b->label) != 0 ||
        a->cell != b->cell || (a->of && b->of && a->of->value != b->of->value))
        return false;
    return a->curve
               ? a->style == b->style && a->curve->right == b->curve->right &&
                     a->curve->points == b->curve->points && a->curve->dots == b->curve->dots &&
                     a->curve->shape == b->curve->shape && !a->curve->band == !b->curve->band
           : a->mark ? a->mark->shape == b->mark->shape
                     : true;
}

static bool has_equal_legend(const zw_panel *a, const zw_panel *b) {
    entry x, y;
    if (a->is_points != b->is_points)
        return false;
    for (int i = 0;; i++) {
        bool more = entry_at(a, i, &x);
        if (more != entry_at(b, i, &y))
            return false;
        if (!more || !is_equal_entry(&x, &y))
            return !more;
    }
}

/* space for the rows that the frame, which is known now, requires */
static void fit_above(const zw_out_sheet *s, zw_out_pane *p, bool *again) {
    double room = rows_above(s, p, false) * ENTRY_HEIGHT + ZW_OUT_GAP;
    *again = *again || room != p->legend.above;
    p->legend.above = room;
}

/* the legend of the panels with the same one as panel i goes to the first with space inside; if
 * none has, to i itself */
static zw_status place_group(zw_out_sheet *s, int i, bool *again, zw_error *err) {
    if (s->pane[i].legend.above > 0) { /* found in the last round */
        fit_above(s, &s->pane[i], again);
        return ZW_OK;
    }
    for (int k = i; k < s->picture->n; k++) {
        zw_out_pane *p = &s->pane[k];
        if (!has_equal_legend(p->panel, s->pane[i].panel))
            continue;
        bool found;
        p->legend.n = entries_of(p->panel);
        ZW_TRY(place_inside(s, p, &found, err));
        if (found)
            return ZW_OK;
        p->legend.n = 0;
    }
    zw_out_pane *p = &s->pane[i];
    p->legend.n = entries_of(p->panel);
    p->legend.above = rows_above(s, p, false) * ENTRY_HEIGHT + ZW_OUT_GAP;
    *again = true;
    return ZW_OK;
}

zw_status zw_out_place_legends(zw_out_sheet *s, bool *again, zw_error *err) {
    *again = false;
    for (int i = 0; i < s->picture->n; i++) {
        const zw_panel *p = s->pane[i].panel;
        bool done = entries_of(p) == 0;
        for (int k = 0; k < i && !done; k++)
            done = has_equal_legend(p, s->pane[k].panel);
        if (!done)
            ZW_TRY(place_group(s, i, again, err));
    }
    return ZW_OK;
}
