/* SPDX-License-Identifier: MIT */
/* What the tints of curves mean: a strip of them on the right-hand side of the frame, with an axis of its own. */
#include <math.h>

#include "label.h"
#include "plot.h"

#define WIDTH 7.0
#define GAP 8.0
#define LABEL_LINE (1.15 * ZW_OUT_LABEL_FONT + ZW_OUT_GAP)
#define ROOM 23.0 /* of a number */

enum { STRIPES = 128 };

void zw_out_prepare_bar(zw_out_pane *p) {
    const zw_plot_bar *bar = p->panel->bar;
    if (!bar)
        return;
    double low = bar->low, high = bar->high;
    if (!(low < high)) { /* one value */
        double more = low != 0 ? 0.1 * fabs(low) : 1;
        low -= more;
        high += more;
    }
    zw_out_axis_show(&p->bar, (zw_span){low, high});
}

double zw_out_bar_room(const zw_out_sheet *s, zw_out_pane *p) {
    if (!p->panel->bar)
        return 0;
    zw_out_axis_mark(&p->bar, fmax(p->frame.bottom - p->frame.top, 2 * ROOM), ROOM);
    return GAP + WIDTH + ZW_OUT_GAP + zw_out_widest_number(s->canvas, &p->bar) +
           (p->panel->bar->label ? LABEL_LINE : 0);
}

static void draw_strip(const zw_out_sheet *s, const zw_out_box *b) {
    double step = (b->bottom - b->top) / STRIPES;
    for (int i = 0; i < STRIPES; i++) {
        zw_out_use_colour(s->cr, ZW_PLOT_TINT + i * (ZW_PLOT_TINTS - 1) / (STRIPES - 1));
        /* each over the beginning of the next: no white between them */
        double top = b->bottom - (i + 1) * step, more = i + 1 < STRIPES ? step : 0;
        cairo_rectangle(s->cr, b->left, top - more, b->right - b->left, step + more);
        zw_out_fill(s->canvas);
    }
}

static void draw_axis(const zw_out_sheet *s, const zw_out_pane *p, const zw_out_box *b) {
    const zw_out_marks *m = &p->bar.marks;
    cairo_set_source_rgb(s->cr, 0, 0, 0);
    cairo_set_line_width(s->cr, ZW_OUT_THIN);
    cairo_rectangle(s->cr, b->left, b->top, b->right - b->left, b->bottom - b->top);
    for (int i = 0; i < m->n; i++) {
        double y = b->bottom - zw_out_fraction(&p->bar, m->mark[i].value) * (b->bottom - b->top);
        cairo_move_to(s->cr, b->right, y);
        cairo_line_to(s->cr, b->right - 0.6 * ZW_OUT_TICK, y);
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

void zw_out_draw_bar(const zw_out_sheet *s, const zw_out_pane *p) {
    const char *label = p->panel->bar ? p->panel->bar->label : NULL;
    if (!p->panel->bar)
        return;
    double numbers =
        ZW_OUT_GAP + zw_out_widest_number(s->canvas, &p->bar) + (label ? LABEL_LINE : 0);
    double right = p->cell.right - numbers;
    const zw_out_box b = {right - WIDTH, right, p->frame.top, p->frame.bottom};
    draw_strip(s, &b);
    draw_axis(s, p, &b);
    if (!label)
        return;
    zw_out_fit fitted = zw_out_label_fit(s->canvas, label, ZW_OUT_NAME, ZW_OUT_LABEL_FONT,
                                         ZW_OUT_LABEL_FONT / 2, b.bottom - b.top);
    cairo_save(s->cr);
    cairo_translate(s->cr, p->cell.right - 0.25 * ZW_OUT_LABEL_FONT, (b.top + b.bottom) / 2);
    cairo_rotate(s->cr, -acos(0));
    cairo_move_to(s->cr, 0, 0);
    zw_out_label_draw(s->canvas, fitted.text, ZW_OUT_NAME, fitted.size, ZW_OUT_CENTRE);
    cairo_restore(s->cr);
}
