/* SPDX-License-Identifier: MIT */
/* The legend stands where it hides nothing. The lines of all curves are marked on a raster; of the
 * places for the box inside the frame the first free one is taken: the corners, then along the upper
 * and lower edge, then, in a plane, anywhere. If there is none, the legend goes above the frame, its entries from
 * left to right.
 *
 * Panels with equal legends need one only: the first panel that has room for it keeps it. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "label.h"
#include "plot.h"

#define ENTRY_HEIGHT (1.35 * ZW_OUT_TICK_FONT)
#define ENTRY_GAP 12.0
#define SAMPLE 20.0 /* the piece of line */
#define INSET 5.0   /* from the frame: ticks stand there */
#define CELL 2.0    /* of the raster */
#define STEP 6.0    /* between the places that are tried */
#define LARGEST 0.6 /* of the frame */

/* the words of an entry: its label and, where there are two, the axis it belongs to */
typedef struct words {
    char text[ZW_OUT_LABEL_MAX];
} words;

static words words_of(const zw_out_pane *p, int k) {
    const zw_curve *c = &p->panel->curve[k];
    words w;
    snprintf(w.text, sizeof w.text, "%s%s", c->label,
             !p->has_right ? ""
             : c->right    ? " \"(right)\""
                           : " \"(left)\"");
    return w;
}

static double entry_width(const zw_out_sheet *s, const zw_out_pane *p, int k) {
    words w = words_of(p, k);
    return SAMPLE + ZW_OUT_GAP +
           zw_out_label_width(s->canvas, w.text, ZW_OUT_NAME, ZW_OUT_TICK_FONT);
}

static void box_size(const zw_out_sheet *s, const zw_out_pane *p, double *width, double *height) {
    *width = 0;
    *height = p->legend.n * ENTRY_HEIGHT + ZW_OUT_GAP;
    for (int k = 0; k < p->panel->n; k++)
        if (p->panel->curve[k].label)
            *width = fmax(*width, entry_width(s, p, k));
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

static void mark_curves(const zw_out_pane *p, zw_out_cover *cover) {
    for (int k = 0; k < p->panel->n; k++) {
        marker m = {.cover = cover};
        const zw_curve *c = &p->panel->curve[k];
        if (!p->panel->is_points) {
            zw_out_walk(p, c, &(zw_out_walker){&m, marker_add, marker_lift});
            continue;
        }
        zw_out_spot at;
        for (long i = 0; i < zw_table_rows(c->table); i++)
            if (zw_out_place(p, c, i, &at))
                zw_out_cover_point(cover, at.x, at.y);
    }
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
    if (q.width > LARGEST * (f->right - f->left) || q.height > LARGEST * (f->bottom - f->top))
        return ZW_OK;
    zw_out_cover cover;
    ZW_TRY(zw_out_cover_init(&cover, f->left, f->top, f->right, f->bottom, CELL, err));
    mark_curves(p, &cover);
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

static void draw_entry(const zw_out_sheet *s, const zw_out_pane *p, int k, double x, double base) {
    cairo_t *cr = s->cr;
    zw_out_draw_sample(s->canvas, k, p->panel->is_points, x, base - 0.33 * ZW_OUT_TICK_FONT,
                       SAMPLE);
    cairo_set_source_rgb(cr, 0, 0, 0);
    cairo_move_to(cr, x + SAMPLE + ZW_OUT_GAP, base);
    words w = words_of(p, k);
    double from = x + SAMPLE + ZW_OUT_GAP;
    zw_out_fit f = zw_out_label_fit(s->canvas, w.text, ZW_OUT_NAME, ZW_OUT_TICK_FONT,
                                    0.75 * ZW_OUT_TICK_FONT, p->cell.right - from);
    zw_out_label_draw(s->canvas, f.text, ZW_OUT_NAME, f.size, ZW_OUT_LEFT);
}

/* rows of the legend above the frame, its entries in columns; draws them if told to */
static int rows_above(const zw_out_sheet *s, const zw_out_pane *p, bool draw) {
    double width, height, frame = p->frame.right - p->frame.left;
    box_size(s, p, &width, &height);
    width += ENTRY_GAP - 2 * ZW_OUT_GAP;
    int fitting = (int)fmax(1, floor((frame + ENTRY_GAP) / width)), entry = 0;
    int rows = (p->legend.n + fitting - 1) / fitting;
    int columns = (p->legend.n + rows - 1) / rows; /* rows of equal length */
    double base = p->frame.top - p->legend.above + 0.4 * ENTRY_HEIGHT;
    if (!p->panel->is_space && zw_out_has_corner(p))
        base -= ZW_OUT_TICK_FONT;
    for (int k = 0; k < p->panel->n; k++) {
        if (!p->panel->curve[k].label)
            continue;
        int row = entry / columns, column = entry % columns;
        if (draw)
            draw_entry(s, p, k, p->frame.left + column * width, base + row * ENTRY_HEIGHT);
        entry++;
    }
    return rows;
}

void zw_out_draw_legend(const zw_out_sheet *s, const zw_out_pane *p) {
    if (p->legend.n == 0)
        return;
    if (p->legend.above > 0) {
        rows_above(s, p, true);
        return;
    }
    if (p->panel->grid) { /* its lines must not run through the words */
        double width, height;
        box_size(s, p, &width, &height);
        cairo_set_source_rgb(s->cr, 1, 1, 1);
        cairo_rectangle(s->cr, p->legend.x, p->legend.y, width, height);
        zw_out_fill(s->canvas);
    }
    double base = p->legend.y + ZW_OUT_GAP / 2 + 0.95 * ZW_OUT_TICK_FONT;
    for (int k = 0; k < p->panel->n; k++) {
        if (!p->panel->curve[k].label)
            continue;
        draw_entry(s, p, k, p->legend.x + ZW_OUT_GAP, base);
        base += ENTRY_HEIGHT;
    }
}

/* ---- which panels have one ---- */

/* one curve is told by the axis */
static int entries_of(const zw_panel *p) {
    int n = 0;
    for (int k = 0; p->n > 1 && k < p->n; k++)
        n += p->curve[k].label != NULL;
    return n;
}

static bool has_equal_legend(const zw_panel *a, const zw_panel *b) {
    if (a->n != b->n || a->is_points != b->is_points)
        return false;
    for (int k = 0; k < a->n; k++) {
        const char *x = a->curve[k].label, *y = b->curve[k].label;
        if (!x != !y || (x && strcmp(x, y) != 0) || a->curve[k].right != b->curve[k].right)
            return false;
    }
    return true;
}

/* the pane of the group of panel i that has room inside; if none has, i itself */
static zw_status place_group(zw_out_sheet *s, int i, bool *again, zw_error *err) {
    if (s->pane[i].legend.above > 0) /* as the round before has found */
        return ZW_OK;
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
