/* SPDX-License-Identifier: MIT */
/* Two filters in series. If x only increases (time), every column of width RESOLUTION keeps its
 * first, lowest, highest and last point, so that no peak is lost. Then, on all curves, points
 * within FLATNESS of a straight line between two nodes are removed: seen from the last node each
 * point allows a sector of directions, and the line continues while the next point lies in the
 * sectors of all points passed and does not turn back.
 *
 * If that leaves too many nodes, for a line that crosses itself thousands of times, `coarse` widens
 * both filters and `cover` drops parts that would only be drawn over ink. */
#include "trace.h"

#include <math.h>

#define RESOLUTION 0.08 /* points: 0.03 mm, below what the eye distinguishes */
#define FLATNESS 0.03   /* points: 0.01 mm, against curves 1.1 points wide */
#define SECTOR 0.5      /* rad: half of the first sector */

enum { BUNDLE = 2000 }; /* nodes stroked at once: cairo's time grows faster than their number */

void zw_out_trace_begin(zw_out_trace *t, zw_out_canvas *c, bool rightwards, int ndash,
                        const double *dash) {
    *t =
        (zw_out_trace){.c = c, .rightwards = rightwards, .coarse = 1, .ndash = ndash, .dash = dash};
}

static void stroke_trace(zw_out_trace *t) {
    if (t->c) {
        cairo_set_dash(t->c->cr, t->dash, t->ndash, t->begun);
        zw_out_stroke(t->c);
    }
    t->nodes = 0;
    t->inked = false;
    t->begun = t->length;
}

static void move_pen(zw_out_trace *t, zw_out_spot to, bool draw) {
    if (t->c && draw)
        cairo_line_to(t->c->cr, to.x, to.y);
    else if (t->c)
        cairo_move_to(t->c->cr, to.x, to.y);
}

static void put_node(zw_out_trace *t, zw_out_spot here) {
    zw_out_spot from = t->down ? t->node : here; /* a single point becomes a dot */
    t->length += hypot(here.x - from.x, here.y - from.y);
    t->node = here;
    t->aimed = false;
    t->reach = 0;
    /* a first node is visible only if nothing follows it, and lift then draws it */
    bool first = !t->down;
    t->down = true;
    t->nodes++;
    if (first)
        return;
    if (t->cover && !zw_out_cover_line(t->cover, from.x, from.y, here.x, here.y)) {
        t->inked = false;
        return;
    }
    if (!t->inked)
        move_pen(t, from, false);
    move_pen(t, here, true);
    t->total += t->inked ? 1 : 2;
    t->inked = true;
    if (t->nodes >= BUNDLE)
        stroke_trace(t);
}

/* narrows the sector by the point; false if the point is outside or the line turns back */
static bool continues(zw_out_trace *t, zw_out_spot here) {
    double dx = here.x - t->node.x, dy = here.y - t->node.y, distance = hypot(dx, dy);
    const double flatness = FLATNESS * t->coarse;
    if (distance < t->reach - flatness)
        return false;
    t->reach = fmax(t->reach, distance);
    if (distance <= flatness)
        return true;
    if (!t->aimed) {
        t->aimed = true;
        t->aim = (zw_out_spot){dx / distance, dy / distance};
        t->from = -SECTOR;
        t->to = SECTOR;
    }
    double angle = atan2(t->aim.x * dy - t->aim.y * dx, t->aim.x * dx + t->aim.y * dy);
    double half = asin(flatness / distance);
    if (angle < t->from || angle > t->to)
        return false;
    t->from = fmax(t->from, angle - half);
    t->to = fmin(t->to, angle + half);
    return true;
}

static void line_to(zw_out_trace *t, zw_out_spot here) {
    if (!t->down) {
        put_node(t, here);
    } else if (!continues(t, here)) {
        put_node(t, t->last);
        continues(t, here);
    }
    t->last = here;
}

static void end_column(zw_out_trace *t) {
    zw_out_column *c = &t->column;
    if (c->n == 0)
        return;
    bool low_first = c->low_at < c->high_at;
    line_to(t, c->first);
    line_to(t, low_first ? c->low : c->high);
    line_to(t, low_first ? c->high : c->low);
    line_to(t, c->last);
    c->n = 0;
}

void zw_out_trace_add(zw_out_trace *t, double x, double y) {
    zw_out_spot here = {x, y};
    if (!t->rightwards) {
        line_to(t, here);
        return;
    }
    zw_out_column *c = &t->column;
    if (c->n > 0 && x - c->first.x > RESOLUTION * t->coarse)
        end_column(t);
    if (c->n == 0)
        *c = (zw_out_column){.first = here, .low = here, .high = here};
    if (y < c->low.y) {
        c->low = here;
        c->low_at = c->n;
    }
    if (y > c->high.y) {
        c->high = here;
        c->high_at = c->n;
    }
    c->last = here;
    c->n++;
}

void zw_out_trace_lift(zw_out_trace *t) {
    end_column(t);
    if (t->down) {
        if (t->nodes == 1 || t->last.x != t->node.x || t->last.y != t->node.y)
            put_node(t, t->last);
        stroke_trace(t);
    }
    t->down = false;
    t->length = t->begun = 0;
}
