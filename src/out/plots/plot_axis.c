/* SPDX-License-Identifier: MIT */
/* Range and label of an axis.
 *
 * The range is that of the visible points: if the caller fixes the range of one axis, the others
 * follow the points inside. Curves that do not simply run from left to right get a small margin; a
 * constant gets a tenth of its size, or one if it is zero. */
#include "plot.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#define PADDING 0.04 /* relative to the range */
/* Range relative to the size of the values, 4.5 eps: a smaller one is that of a constant. */
#define CONSTANT_RANGE 1e-15
#define SMALLEST_VALUE 1e-305 /* counts as zero: there are too few doubles for ticks below it */
#define LARGEST_VALUE 1e308   /* end of a logarithmic axis; DBL_MAX is 1.8e308 */
#define FAR_OUTSIDE 1e6       /* frames: lines are cut there, with the same direction on paper */
enum { NAMES_MAX = 4 };       /* a label with more names is of little use */

int zw_out_column_of(const zw_curve *c, int coordinate) {
    return coordinate == 0 ? c->x : coordinate == 1 ? c->y : c->z;
}

static int axis_for(const zw_panel *p, bool right, int coordinate) {
    return coordinate == 1 && right && !p->is_space ? 2 : coordinate;
}

int zw_out_axis_of(const zw_panel *p, const zw_curve *c, int coordinate) {
    return axis_for(p, c->right, coordinate);
}

/* coordinates of a point */
static int coordinates_of(const zw_out_pane *p) {
    return p->panel->is_space ? 3 : 2;
}

/* axes of the panel */
static int axes_of(const zw_out_pane *p) {
    return p->panel->is_space || p->has_right ? 3 : 2;
}

/* ---- points ---- */

typedef enum kind { SHOWN, OUTSIDE, NONFINITE, NONPOSITIVE } kind;

/* the values of a row, and whether they can be drawn within the ranges of the caller */
static kind values_of(const zw_out_pane *p, const zw_curve *c, long row, double v[3]) {
    kind found = SHOWN;
    for (int i = 0; i < coordinates_of(p); i++) {
        int axis = zw_out_axis_of(p->panel, c, i);
        v[i] = zw_table_at(c->table, row, zw_out_column_of(c, i));
        const zw_span *wanted = &p->panel->span[axis];
        if (!isfinite(v[i]))
            return NONFINITE;
        if (p->axis[axis].log && v[i] < SMALLEST_VALUE)
            found = NONPOSITIVE;
        else if (found == SHOWN && (v[i] < wanted->low || v[i] > wanted->high)) /* never for NAN */
            found = OUTSIDE;
    }
    return found;
}

static zw_out_spot spot_of(const zw_out_pane *p, bool right, const double v[3]) {
    zw_out_spot at = p->origin;
    for (int i = 0; i < coordinates_of(p); i++) {
        const zw_out_axis *a = &p->axis[axis_for(p->panel, right, i)];
        /* far outside only the direction counts, and infinity has none */
        double u = fmax(-FAR_OUTSIDE, fmin(zw_out_fraction(a, v[i]), FAR_OUTSIDE));
        at.x += u * p->edge[i].x;
        at.y += u * p->edge[i].y;
    }
    return at;
}

bool zw_out_place(const zw_out_pane *p, const zw_curve *c, long row, zw_out_spot *at) {
    double v[3];
    kind k = values_of(p, c, row, v);
    if (k == NONFINITE || k == NONPOSITIVE || (k == OUTSIDE && p->panel->is_space))
        return false;
    *at = spot_of(p, c->right, v);
    return true;
}

bool zw_out_place_mark(const zw_out_pane *p, const zw_mark *m, zw_out_spot *at) {
    const double v[3] = {m->x, m->y, m->z};
    for (int i = 0; i < coordinates_of(p); i++)
        if (!isfinite(v[i]) ||
            (p->axis[axis_for(p->panel, m->right, i)].log && v[i] < SMALLEST_VALUE))
            return false;
    *at = spot_of(p, m->right, v);
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

static double axis_value(const zw_out_axis *a, double v) {
    return a->log ? log10(v) : v;
}

/* the power of ten next to the end of a logarithmic axis, if it is near */
static double snap_to_decade(double end, double decade, double range) {
    return fabs(end - decade) <= PADDING * range ? decade : end;
}

/* widens the sides that the caller left open by this fraction of the range */
static void widen_axis(zw_out_axis *a, const zw_span *wanted, double padding) {
    double low = axis_value(a, a->data.low), high = axis_value(a, a->data.high);
    double size = fmax(fabs(low), fabs(high)), range = high - low, more;
    if (range > CONSTANT_RANGE * size && range >= SMALLEST_VALUE)
        more = padding * range;
    else
        more = a->log ? 0.5 : size >= SMALLEST_VALUE ? 0.1 * size : 1;
    low -= more;
    high += more;
    if (a->log) {
        low = snap_to_decade(low, floor(low), range);
        high = snap_to_decade(high, ceil(high), range);
    }
    if (isnan(wanted->low))
        a->data.low = a->log ? fmax(pow(10, low), SMALLEST_VALUE) : low;
    if (isnan(wanted->high))
        a->data.high = a->log ? fmin(pow(10, high), LARGEST_VALUE) : high;
}

/* number of points of each kind */
typedef struct point_counts {
    long of[4];
} point_counts;

/* the reason why there is nothing on an axis; which: NULL for the whole panel */
static zw_status nothing_to_draw(const zw_out_pane *p, const point_counts *n, const char *which,
                                 zw_error *err) {
    const char *on = which ? " on the " : "", *side = which ? which : "";
    for (int i = 0; i < axes_of(p); i++)
        if (p->axis[i].log && n->of[NONPOSITIVE]) {
            zw_fail(err, ZW_E_OPTION, "there is nothing to draw%s%s: no value is positive", on,
                    side);
            zw_error_hint(err, "a logarithmic axis shows positive values only");
            return ZW_E_OPTION;
        }
    if (n->of[OUTSIDE])
        return zw_fail(err, ZW_E_OPTION, "there is nothing to draw%s%s: no point lies in the range",
                       on, side);
    return zw_fail(err, ZW_E_OPTION, "there is nothing to draw%s%s: %s", on, side,
                   n->of[NONFINITE] ? "no point is finite" : "there are no rows");
}

static zw_status check_span(const zw_out_pane *p, int i, zw_error *err) {
    const zw_out_axis *a = &p->axis[i];
    const char *name = i == 0 ? "x" : i == 1 ? "y" : p->has_right ? "right" : "z";
    if (!a->log && !isfinite(4 * (a->data.high - a->data.low)))
        return zw_fail(err, ZW_E_OPTION, "the values are too large to draw");
    if (!(a->data.low < a->data.high))
        return zw_fail(err, ZW_E_OPTION, "the range of the %s axis is empty: %g to %g", name,
                       a->data.low, a->data.high);
    if (a->log && !(a->data.low >= SMALLEST_VALUE))
        return zw_fail(err, ZW_E_OPTION,
                       "the range of a logarithmic axis begins at %g: not positive", a->data.low);
    return ZW_OK;
}

static void include_point(zw_out_pane *p, const zw_curve *c, const double v[3]) {
    for (int i = 0; i < coordinates_of(p); i++) {
        zw_span *data = &p->axis[zw_out_axis_of(p->panel, c, i)].data;
        data->low = fmin(data->low, v[i]);
        data->high = fmax(data->high, v[i]);
    }
}

/* the other edge of a band */
static void include_edge(zw_out_pane *p, const zw_curve *c, double v) {
    zw_out_axis *a = &p->axis[zw_out_axis_of(p->panel, c, 1)];
    if (!isfinite(v) || (a->log && v < SMALLEST_VALUE))
        return;
    a->data.low = fmin(a->data.low, v);
    a->data.high = fmax(a->data.high, v);
}

/* the ranges of the visible points; invisible ones are counted by the side of their curves */
/* a row of NaN ends one curve before the next one begins: no point is missing there */
static bool is_gap(const zw_table *t, long row) {
    for (int i = 0; i < zw_table_columns(t); i++)
        if (!isnan(zw_table_at(t, row, i)))
            return false;
    return zw_table_rows(t) > 1;
}

static void count_values(zw_out_pane *p, point_counts side[2]) {
    p->rightwards = true;
    for (int k = 0; k < p->panel->n; k++) {
        const zw_curve *c = &p->panel->curve[k];
        p->rightwards = p->rightwards && zw_out_runs_rightwards(p, c);
        for (long row = 0; row < zw_table_rows(c->table); row++) {
            double v[3];
            kind found = values_of(p, c, row, v);
            if (found == NONFINITE && (c->gaps || is_gap(c->table, row)))
                continue;
            side[p->has_right && c->right].of[found]++;
            if (found == SHOWN)
                include_point(p, c, v);
            if (found == SHOWN && c->band)
                include_edge(p, c, zw_table_at(c->table, row, c->band - 1));
        }
    }
}

/* true for dots, which must not be cut at the frame */
static bool has_dots(const zw_panel *p) {
    for (int k = 0; k < p->n; k++)
        if (p->curve[k].dots)
            return true;
    return p->is_points;
}

zw_status zw_out_find_ranges(zw_out_pane *p, zw_plot_report *report, zw_error *err) {
    const zw_panel *panel = p->panel;
    point_counts side[2] = {0};
    for (int k = 0; k < panel->n && !panel->is_space; k++)
        p->has_right = p->has_right || panel->curve[k].right;
    for (int i = 0; i < axes_of(p); i++) {
        p->axis[i].log = panel->log[i];
        p->axis[i].data = (zw_span){INFINITY, -INFINITY};
    }
    count_values(p, side);
    for (int i = 0; i < 2; i++) {
        report->nonfinite += side[i].of[NONFINITE];
        report->nonpositive += side[i].of[NONPOSITIVE];
    }
    if (side[0].of[SHOWN] == 0)
        return nothing_to_draw(p, &side[0], p->has_right ? "left" : NULL, err);
    if (p->has_right && side[1].of[SHOWN] == 0)
        return nothing_to_draw(p, &side[1], "right", err);
    for (int i = 0; i < axes_of(p); i++) {
        zw_out_axis *a = &p->axis[i];
        const zw_span *wanted = &panel->span[i];
        if (!zw_out_map_span(p, i, &a->data))
            widen_axis(a, wanted, i == 0 && p->rightwards && !has_dots(panel) ? 0 : PADDING);
        if (!isnan(wanted->low))
            a->data.low = wanted->low;
        if (!isnan(wanted->high))
            a->data.high = wanted->high;
        ZW_TRY(check_span(p, i, err));
    }
    return ZW_OK;
}

/* ---- scale ---- */

void zw_out_axis_show(zw_out_axis *a, zw_span seen) {
    a->seen = seen;
    a->from = axis_value(a, seen.low);
    a->scale = 1 / (axis_value(a, seen.high) - a->from);
}

double zw_out_fraction(const zw_out_axis *a, double v) {
    return (axis_value(a, v) - a->from) * a->scale;
}

double zw_out_value(const zw_out_axis *a, double fraction) {
    double v = a->from + fraction / a->scale;
    return a->log ? pow(10, v) : v;
}

void zw_out_axis_mark(zw_out_axis *a, double length, double room) {
    int most = (int)fmin(length / room, 40);
    if (a->log)
        zw_out_marks_log(&a->marks, a->seen.low, a->seen.high, most);
    else
        zw_out_marks_linear(&a->marks, a->seen.low, a->seen.high, most, a->degrees);
}

/* ---- labels ---- */

/* the coordinate of the curve that an axis shows, -1 if it belongs to another axis */
static int coordinate_on(const zw_out_pane *p, const zw_curve *c, int axis) {
    for (int i = 0; i < coordinates_of(p); i++)
        if (zw_out_axis_of(p->panel, c, i) == axis)
            return i;
    return -1;
}

static const char *name_of(const zw_out_pane *p, const zw_curve *c, int axis) {
    return zw_table_name(c->table, zw_out_column_of(c, coordinate_on(p, c, axis)));
}

static const char *unit_of(const zw_out_pane *p, const zw_curve *c, int axis) {
    return zw_table_unit(c->table, zw_out_column_of(c, coordinate_on(p, c, axis)));
}

/* true if this curve's column has the name of an earlier curve's, or is on another axis */
static bool is_repeated(const zw_out_pane *p, int k, int axis) {
    const zw_curve *c = p->panel->curve;
    if (coordinate_on(p, &c[k], axis) < 0)
        return true;
    for (int i = 0; i < k; i++)
        if (coordinate_on(p, &c[i], axis) >= 0 &&
            strcmp(name_of(p, &c[k], axis), name_of(p, &c[i], axis)) == 0)
            return true;
    return false;
}

static void append_label(char *label, const char *before, const char *text, const char *after) {
    size_t used = strlen(label);
    snprintf(label + used, ZW_OUT_LABEL_MAX - used, "%s%s%s", before, text, after);
}

static void append_unit(char *label, const char *unit) {
    if (unit[0])
        append_label(label, label[0] ? " [" : "[", unit, "]");
}

/* "x, y [m]" for a common unit, "x [m], phi [rad]" otherwise; for many names only a common unit */
static void label_from_columns(const zw_out_pane *p, char *label, int axis) {
    const zw_curve *c = p->panel->curve;
    const char *unit = NULL;
    bool common = true;
    int distinct = 0;
    for (int k = 0; k < p->panel->n; k++) {
        if (coordinate_on(p, &c[k], axis) < 0)
            continue;
        unit = unit ? unit : unit_of(p, &c[k], axis);
        common = common && strcmp(unit, unit_of(p, &c[k], axis)) == 0;
        distinct += !is_repeated(p, k, axis);
    }
    for (int k = 0; k < p->panel->n && distinct <= NAMES_MAX; k++) {
        if (is_repeated(p, k, axis))
            continue;
        append_label(label, label[0] ? ", " : "", name_of(p, &c[k], axis), "");
        if (!common)
            append_unit(label, unit_of(p, &c[k], axis));
    }
    if (common && unit)
        append_unit(label, unit);
}

static bool is_in_degrees(const zw_out_pane *p, int axis) {
    for (int k = 0; k < p->panel->n; k++)
        if (coordinate_on(p, &p->panel->curve[k], axis) >= 0 &&
            strcmp(unit_of(p, &p->panel->curve[k], axis), "deg") != 0)
            return false;
    return true;
}

void zw_out_label_axes(zw_out_pane *p) {
    for (int i = 0; i < axes_of(p); i++) {
        p->axis[i].degrees = is_in_degrees(p, i);
        p->axis[i].label[0] = '\0';
        if (p->panel->label[i])
            append_label(p->axis[i].label, "", p->panel->label[i], "");
        else
            label_from_columns(p, p->axis[i].label, i);
    }
}
