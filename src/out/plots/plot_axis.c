/* SPDX-License-Identifier: MIT */
/* What an axis shows and how it is called.
 *
 * The range is that of the points that can be seen: where the caller fixes the range of one axis, the
 * others follow the points inside. Beside curves that do not just run from left to right there is a
 * little air; a constant gets a tenth of its size, or one if it is zero. */
#include "plot.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#define PADDING 0.04    /* of the range */
#define CONSTANT 1e-12  /* of the size: a smaller range is none */
#define SMALLEST 1e-305 /* what is smaller counts as zero: no room for ticks among the doubles */
#define LARGEST 1e308
#define FAR 1e6         /* frames */
enum { NAMES_MAX = 4 }; /* more names in a label say too little */

int zw_out_column_of(const zw_curve *c, int axis) {
    return axis == 0 ? c->x : axis == 1 ? c->y : c->z;
}

static int axes_of(const zw_out_pane *p) {
    return p->panel->is_space ? 3 : 2;
}

/* ---- points ---- */

typedef enum kind { SHOWN, OUTSIDE, NONFINITE, NONPOSITIVE } kind;

/* the values of a row, and whether they can be drawn within the ranges that the caller wants */
static kind values_of(const zw_out_pane *p, const zw_curve *c, long row, double v[3]) {
    kind found = SHOWN;
    for (int i = 0; i < axes_of(p); i++) {
        v[i] = zw_table_at(c->table, row, zw_out_column_of(c, i));
        const zw_span *wanted = &p->panel->span[i];
        if (!isfinite(v[i]))
            return NONFINITE;
        if (p->axis[i].log && v[i] < SMALLEST)
            found = NONPOSITIVE;
        else if (found == SHOWN && (v[i] < wanted->low || v[i] > wanted->high)) /* never for NAN */
            found = OUTSIDE;
    }
    return found;
}

bool zw_out_place(const zw_out_pane *p, const zw_curve *c, long row, zw_out_spot *at) {
    double v[3];
    kind k = values_of(p, c, row, v);
    if (k == NONFINITE || k == NONPOSITIVE || (k == OUTSIDE && p->panel->is_space))
        return false;
    *at = p->origin;
    for (int i = 0; i < axes_of(p); i++) {
        /* far outside only the direction counts, and infinity has none */
        double u = fmax(-FAR, fmin(zw_out_fraction(&p->axis[i], v[i]), FAR));
        at->x += u * p->edge[i].x;
        at->y += u * p->edge[i].y;
    }
    return true;
}

bool zw_out_runs_rightwards(const zw_out_pane *p, const zw_curve *c) {
    double last = -INFINITY, v[3];
    if (p->panel->is_space)
        return false;
    for (long i = 0; i < zw_table_rows(c->table); i++) {
        kind k = values_of(p, c, i, v);
        if (k == NONFINITE || k == NONPOSITIVE)
            continue;
        if (v[0] < last)
            return false;
        last = v[0];
    }
    return true;
}

/* ---- ranges ---- */

static double stretched(const zw_out_axis *a, double v) {
    return a->log ? log10(v) : v;
}

/* the power of ten next to the end of a logarithmic axis, if it is near */
static double snap(double end, double decade, double range) {
    return fabs(end - decade) <= PADDING * range ? decade : end;
}

/* by so much of the range on a side that the caller left open */
static void widen(zw_out_axis *a, const zw_span *wanted, double padding) {
    double low = stretched(a, a->data.low), high = stretched(a, a->data.high);
    double size = fmax(fabs(low), fabs(high)), range = high - low, more;
    if (range > CONSTANT * size && range >= SMALLEST)
        more = padding * range;
    else
        more = a->log ? 0.5 : size >= SMALLEST ? 0.1 * size : 1;
    low -= more;
    high += more;
    if (a->log) {
        low = snap(low, floor(low), range);
        high = snap(high, ceil(high), range);
    }
    if (isnan(wanted->low))
        a->data.low = a->log ? fmax(pow(10, low), SMALLEST) : low;
    if (isnan(wanted->high))
        a->data.high = a->log ? fmin(pow(10, high), LARGEST) : high;
}

static zw_status nothing_to_draw(const zw_out_pane *p, long nonpositive, long outside,
                                 zw_error *err) {
    for (int i = 0; i < axes_of(p); i++)
        if (p->axis[i].log && nonpositive) {
            zw_fail(err, ZW_E_OPTION, "there is nothing to draw: no value is positive");
            zw_error_hint(err, "a logarithmic axis shows positive values only");
            return ZW_E_OPTION;
        }
    if (outside)
        return zw_fail(err, ZW_E_OPTION, "there is nothing to draw: no point lies in the range");
    return zw_fail(err, ZW_E_OPTION, "there is nothing to draw: no point is finite");
}

static zw_status check_span(const zw_out_axis *a, int i, zw_error *err) {
    static const char letter[] = "xyz";
    if (!a->log && !isfinite(4 * (a->data.high - a->data.low)))
        return zw_fail(err, ZW_E_OPTION, "the values are too large to draw");
    if (!(a->data.low < a->data.high))
        return zw_fail(err, ZW_E_OPTION, "the range of the %c axis is empty: %g to %g", letter[i],
                       a->data.low, a->data.high);
    if (a->log && !(a->data.low >= SMALLEST))
        return zw_fail(err, ZW_E_OPTION,
                       "the range of a logarithmic axis begins at %g: not positive", a->data.low);
    return ZW_OK;
}

zw_status zw_out_find_ranges(zw_out_pane *p, zw_plot_report *report, zw_error *err) {
    const zw_panel *panel = p->panel;
    long count[4] = {0};
    for (int i = 0; i < axes_of(p); i++) {
        p->axis[i].log = panel->log[i];
        p->axis[i].data = (zw_span){INFINITY, -INFINITY};
    }
    p->rightwards = true;
    for (int k = 0; k < panel->n; k++) {
        const zw_curve *c = &panel->curve[k];
        p->rightwards = p->rightwards && zw_out_runs_rightwards(p, c);
        for (long row = 0; row < zw_table_rows(c->table); row++) {
            double v[3];
            kind found = values_of(p, c, row, v);
            count[found]++;
            for (int i = 0; found == SHOWN && i < axes_of(p); i++) {
                p->axis[i].data.low = fmin(p->axis[i].data.low, v[i]);
                p->axis[i].data.high = fmax(p->axis[i].data.high, v[i]);
            }
        }
    }
    report->nonfinite += count[NONFINITE];
    report->nonpositive += count[NONPOSITIVE];
    if (count[SHOWN] == 0)
        return nothing_to_draw(p, count[NONPOSITIVE], count[OUTSIDE], err);
    for (int i = 0; i < axes_of(p); i++) {
        zw_out_axis *a = &p->axis[i];
        const zw_span *wanted = &panel->span[i];
        widen(a, wanted, i == 0 && p->rightwards && !panel->is_points ? 0 : PADDING);
        if (!isnan(wanted->low))
            a->data.low = wanted->low;
        if (!isnan(wanted->high))
            a->data.high = wanted->high;
        ZW_TRY(check_span(a, i, err));
    }
    return ZW_OK;
}

/* ---- scale ---- */

void zw_out_axis_show(zw_out_axis *a, zw_span seen) {
    a->seen = seen;
    a->from = stretched(a, seen.low);
    a->scale = 1 / (stretched(a, seen.high) - a->from);
}

double zw_out_fraction(const zw_out_axis *a, double v) {
    return (stretched(a, v) - a->from) * a->scale;
}

void zw_out_axis_mark(zw_out_axis *a, double length, double room) {
    int most = (int)fmin(length / room, 40);
    if (a->log)
        zw_out_marks_log(&a->marks, a->seen.low, a->seen.high, most);
    else
        zw_out_marks_linear(&a->marks, a->seen.low, a->seen.high, most);
}

/* ---- labels ---- */

static const char *name_of(const zw_curve *c, int axis) {
    return zw_table_name(c->table, zw_out_column_of(c, axis));
}

static const char *unit_of(const zw_curve *c, int axis) {
    return zw_table_unit(c->table, zw_out_column_of(c, axis));
}

/* is this curve's column named as one of an earlier curve? */
static bool is_repeated(const zw_panel *p, int k, int axis) {
    for (int i = 0; i < k; i++)
        if (strcmp(name_of(&p->curve[k], axis), name_of(&p->curve[i], axis)) == 0)
            return true;
    return false;
}

static void say(char *label, const char *before, const char *text, const char *after) {
    size_t used = strlen(label);
    snprintf(label + used, ZW_OUT_LABEL_MAX - used, "%s%s%s", before, text, after);
}

static void say_unit(char *label, const char *unit) {
    if (unit[0])
        say(label, label[0] ? " [" : "[", unit, "]");
}

/* "x, y [m]" if the unit is common, "x [m], phi [rad]" if not; of many names only a common unit */
static void label_from_columns(const zw_panel *p, char *label, int axis) {
    const char *unit = unit_of(&p->curve[0], axis);
    bool common = true;
    int distinct = 0;
    for (int k = 0; k < p->n; k++) {
        common = common && strcmp(unit, unit_of(&p->curve[k], axis)) == 0;
        distinct += !is_repeated(p, k, axis);
    }
    for (int k = 0; k < p->n && distinct <= NAMES_MAX; k++) {
        if (is_repeated(p, k, axis))
            continue;
        say(label, label[0] ? ", " : "", name_of(&p->curve[k], axis), "");
        if (!common)
            say_unit(label, unit_of(&p->curve[k], axis));
    }
    if (common)
        say_unit(label, unit);
}

void zw_out_label_axes(zw_out_pane *p) {
    for (int i = 0; i < axes_of(p); i++) {
        p->axis[i].label[0] = '\0';
        if (p->panel->label[i])
            say(p->axis[i].label, "", p->panel->label[i], "");
        else
            label_from_columns(p->panel, p->axis[i].label, i);
    }
}
