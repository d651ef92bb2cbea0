/* SPDX-License-Identifier: MIT */
/* The meaning of colours: a strip of them on the right-hand side of the frame, with its own axis:
 * the tints of curves, the colours of a map, or the greys that show how dark the classes of a map
 * are. */
#include <math.h>
#include <stdio.h>

#include "label.h"
#include "plot.h"

#define WIDTH 7.0
#define GAP 8.0
#define LABEL_LINE (1.15 * ZW_OUT_LABEL_FONT + ZW_OUT_GAP)
#define ROOM 23.0 /* for a number */

enum { STRIPES = 128 };

/* ---- contents ---- */

/* the column of a map that the strip shows */
static int column_of(const zw_out_pane *p) {
    const zw_map *map = p->panel->map;
    return map->colours == ZW_COLOURS_CLASSES ? map->shade - 1 : p->panel->curve[0].z;
}

static zw_span range_of_map(const zw_out_pane *p, bool log) {
    const zw_table *t = p->panel->curve[0].table;
    zw_span s = {INFINITY, -INFINITY};
    for (long i = 0; i < zw_table_rows(t); i++) {
        double v = zw_table_at(t, i, column_of(p));
        if (isfinite(v) && !(log && v <= 0)) {
            s.low = fmin(s.low, v);
            s.high = fmax(s.high, v);
        }
    }
    return s.low <= s.high ? s : (zw_span){log ? 1 : 0, 1};
}

static void label_map(zw_out_pane *p) {
    const zw_table *t = p->panel->curve[0].table;
    const char *unit = zw_table_unit(t, column_of(p));
    if (p->panel->label[2])
        snprintf(p->bar.label, sizeof p->bar.label, "%s", p->panel->label[2]);
    else
        snprintf(p->bar.label, sizeof p->bar.label, "%s%s%s%s", zw_table_name(t, column_of(p)),
                 unit[0] ? " [" : "", unit, unit[0] ? "]" : "");
}

/* times to an attractor differ by orders of magnitude */
static bool wants_decades(const zw_out_pane *p) {
    zw_span s = range_of_map(p, false);
    return p->bar_of == ZW_OUT_SHADES && s.low > 0 && s.high > 10 * s.low;
}

static zw_span prepare_map(zw_out_pane *p) {
    const zw_map *map = p->panel->map;
    bool classes = map->colours == ZW_COLOURS_CLASSES;
    p->bar_of = !classes ? ZW_OUT_COLOURS : map->shade ? ZW_OUT_SHADES : ZW_OUT_NO_BAR;
    if (p->bar_of == ZW_OUT_NO_BAR)
        return (zw_span){0, 1};
    p->bar.log = p->panel->log[2] || wants_decades(p);
    zw_span s = range_of_map(p, p->bar.log), wanted = p->panel->span[2];
    if (map->colours == ZW_COLOURS_DIVERGING) { /* zero is on the strip */
        s.low = fmin(s.low, 0);
        s.high = fmax(s.high, 0);
    }
    label_map(p);
    return (zw_span){isnan(wanted.low) ? s.low : wanted.low,
                     isnan(wanted.high) ? s.high : wanted.high};
}

void zw_out_prepare_bar(zw_out_pane *p) {
    const zw_plot_bar *bar = p->panel->bar;
    zw_span s;
    if (p->panel->map)
        s = prepare_map(p);
    else if (bar) {
        p->bar_of = ZW_OUT_TINTS;
        snprintf(p->bar.label, sizeof p->bar.label, "%s", bar->label ? bar->label : "");
        s = (zw_span){bar->low, bar->high};
    } else
        return;
    if (!(s.low < s.high)) { /* a single value */
        double more = s.low != 0 ? 0.1 * fabs(s.low) : 1;
        s.high = s.low + more;
        s.low -= p->bar.log ? 0.5 * more : more;
    }
    zw_out_axis_show(&p->bar, s);
}

double zw_out_bar_room(const zw_out_sheet *s, zw_out_pane *p) {
    if (p->bar_of == ZW_OUT_NO_BAR)
        return 0;
    zw_out_axis_mark(&p->bar, fmax(p->frame.bottom - p->frame.top, 2 * ROOM), ROOM);
    return GAP + WIDTH + ZW_OUT_GAP + zw_out_widest_number(s->canvas, &p->bar) +
           (p->bar.label[0] ? LABEL_LINE : 0);
}

/* ---- drawing ---- */

zw_out_rgb zw_out_strip_colour(const zw_out_pane *p, double u) {
    return p->bar_of == ZW_OUT_TINTS ? zw_out_style_colour(ZW_PLOT_TINT + (int)(u * ZW_PLOT_TINTS))
                                     : zw_out_scale_colour(p, u);
}

static void draw_strip(const zw_out_sheet *s, const zw_out_pane *p, const zw_out_box *b) {
    double step = (b->bottom - b->top) / STRIPES;
    for (int i = 0; i < STRIPES; i++) {
        zw_out_rgb c = zw_out_strip_colour(p, (i + 0.5) / STRIPES);
        cairo_set_source_rgb(s->cr, c.r, c.g, c.b);
        /* each overlaps the beginning of the next: no white between them */
        double top = b->bottom - (i + 1) * step, more = i + 1 < STRIPES ? step : 0;
        cairo_rectangle(s->cr, b->left, top - more, b->right - b->left, step + more);
        zw_out_fill(s->canvas);
    }
}

static void draw_levels(const zw_out_sheet *s, const zw_out_pane *p, const zw_out_box *b) {
    const zw_map *map = p->panel->map;
    cairo_set_source_rgb(s->cr, 0, 0, 0);
    cairo_set_line_width(s->cr, ZW_OUT_FINE);
    for (int i = 0; map && p->bar_of == ZW_OUT_COLOURS && i < map->nlevel; i++) {
        double u = zw_out_fraction(&p->bar, map->level[i]),
               y = b->bottom - u * (b->bottom - b->top);
        if (!(u >= 0 && u <= 1))
            continue;
        cairo_move_to(s->cr, b->left, y);
        cairo_line_to(s->cr, b->right, y);
    }
    zw_out_stroke(s->canvas);
}

static void draw_axis(const zw_out_sheet *s, const zw_out_pane *p, const zw_out_box *b) {
    const zw_out_marks *m = &p->bar.marks;
    cairo_set_source_rgb(s->cr, 0, 0, 0);
    cairo_set_line_width(s->cr, ZW_OUT_THIN);
    cairo_rectangle(s->cr, b->left, b->top, b->right - b->left, b->bottom - b->top);
    for (int i = 0; i < m->n; i++) {
        double y = b->bottom - zw_out_fraction(&p->bar, m->mark[i].value) * (b->bottom - b->top);
        cairo_move_to(s->cr, b->right, y);
        cairo_line_to(s->cr, b->right - 0.6 * ZW_OUT_TICK * (m->mark[i].minor ? 0.55 : 1), y);
    }
    zw_out_stroke(s->canvas);
    for (int i = 0; i < m->n; i++) {
        double y = b->bottom - zw_out_fraction(&p->bar, m->mark[i].value) * (b->bottom - b->top);
        cairo_move_to(s->cr, b->right + ZW_OUT_GAP, y + 0.36 * ZW_OUT_TICK_FONT);
        zw_out_label_draw(s->canvas, m->mark[i].text, ZW_OUT_NAME, ZW_OUT_TICK_FONT, ZW_OUT_LEFT);
    }
    if (m->corner[0]) {
        cairo_move_to(s->cr, b->left, b->top - 3);
        zw_out_label_draw(s->canvas, m->corner, ZW_OUT_NAME, ZW_OUT_TICK_FONT, ZW_OUT_LEFT);
    }
}

/* the strip of a map is placed next to its cells, even if they leave space; that of curves at the
 * border of the panel */
static zw_out_box strip_of(const zw_out_sheet *s, const zw_out_pane *p) {
    double numbers =
        ZW_OUT_GAP + zw_out_widest_number(s->canvas, &p->bar) + (p->bar.label[0] ? LABEL_LINE : 0);
    double right = p->panel->map ? p->frame.right + GAP + WIDTH : p->cell.right - numbers;
    return (zw_out_box){right - WIDTH, right, p->frame.top, p->frame.bottom};
}

void zw_out_draw_bar(const zw_out_sheet *s, const zw_out_pane *p) {
    if (p->bar_of == ZW_OUT_NO_BAR)
        return;
    const zw_out_box b = strip_of(s, p);
    draw_strip(s, p, &b);
    draw_levels(s, p, &b);
    draw_axis(s, p, &b);
    if (!p->bar.label[0])
        return;
    double base = b.right + ZW_OUT_GAP + zw_out_widest_number(s->canvas, &p->bar) + LABEL_LINE -
                  0.25 * ZW_OUT_LABEL_FONT;
    zw_out_fit fitted = zw_out_label_fit(s->canvas, p->bar.label, ZW_OUT_NAME, ZW_OUT_LABEL_FONT,
                                         ZW_OUT_LABEL_FONT / 2, b.bottom - b.top);
    cairo_save(s->cr);
    cairo_translate(s->cr, base, (b.top + b.bottom) / 2);
    cairo_rotate(s->cr, -acos(0));
    cairo_move_to(s->cr, 0, 0);
    zw_out_label_draw(s->canvas, fitted.text, ZW_OUT_NAME, fitted.size, ZW_OUT_CENTRE);
    cairo_restore(s->cr);
}
