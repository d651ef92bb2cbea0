/* SPDX-License-Identifier: MIT */
/* Curves in the plane of two parameters. A curve in closed form, left = right, is followed along
 * the axis that gives more of it: at each of CURVE_VALUES values of the other one its zeros are
 * found (formulas/groups/implicit.c); the k-th zeros of all values form one part of the curve.
 * Curves from result files are their columns of the two names. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/arena.h"
#include "base/units.h"
#include "formulas/groups/implicit.h"
#include "regions.h"

#define AT_BORDER 0.01 /* of the range: a label so near to the border is on it */
#define NEAR_CURVE 1.5 /* cells: a fold between neighbours at this distance is that curve */

enum {
    CURVE_VALUES = 201, /* values of an axis along a curve */
    PARTS = 4           /* zeros at one value */
};

/* Finds the zeros along `axis` at CURVE_VALUES values of the other one; the filter selects:
 * found[i][k]. */
static void sweep_zeros(zw_regions *r, zw_implicit *f, int axis, zw_region_filter keeps,
                        double (*found)[PARTS]) {
    const zw_parameter_range *o = &r->over[1 - axis];
    for (int i = 0; i < CURVE_VALUES; i++) {
        double at[2] = {0, 0};
        at[1 - axis] =
            i == CURVE_VALUES - 1 ? o->to : o->from + (o->to - o->from) * i / (CURVE_VALUES - 1);
        int n = zw_implicit_zeros(f, axis, at, found[i], PARTS);
        for (int k = 0; k < PARTS; k++) {
            at[axis] = k < n ? found[i][k] : (double)NAN;
            if (k >= n || (keeps && !keeps(r, axis, at)))
                found[i][k] = NAN;
        }
    }
}

static void lift_pen(zw_region_curve *c) {
    c->at[2 * c->n] = c->at[2 * c->n + 1] = NAN;
    c->n++;
}

/* gaps: the curve is interrupted where a zero is missing */
static void collect_curve(const zw_regions *r, int axis, bool gaps, double (*found)[PARTS],
                          zw_region_curve *c) {
    const zw_parameter_range *o = &r->over[1 - axis];
    for (int k = 0; k < PARTS; k++) {
        bool down = false;
        for (int i = 0; i < CURVE_VALUES; i++) {
            double *at = c->at + 2 * c->n;
            if (isnan(found[i][k])) {
                if (gaps && down)
                    lift_pen(c);
                down = down && !gaps;
                continue;
            }
            at[axis] = found[i][k];
            at[1 - axis] = i == CURVE_VALUES - 1
                               ? o->to
                               : o->from + (o->to - o->from) * i / (CURVE_VALUES - 1);
            c->n++;
            down = true;
        }
        if (down)
            lift_pen(c);
    }
}

/* Its length, in ranges of the axes. */
static double length_of(const zw_regions *r, const zw_region_curve *c) {
    double sum = 0;
    for (long k = 1; k < c->n; k++) {
        const double *at = c->at + 2 * k;
        double d = hypot((at[0] - at[-2]) / (r->over[0].to - r->over[0].from),
                         (at[1] - at[-1]) / (r->over[1].to - r->over[1].from));
        sum += isfinite(d) ? d : 0;
    }
    return sum;
}

zw_status zw_region_trace(zw_regions *r, zw_implicit *f, zw_region_filter keeps, zw_region_curve *c,
                          zw_error *err) {
    zw_region_curve other = *c;
    double(*found)[PARTS] = zw_arena_alloc(&r->arena, sizeof *found * CURVE_VALUES);
    c->at = ZW_NEW(&r->arena, double, 4 * PARTS * (CURVE_VALUES + 1));
    other.at = ZW_NEW(&r->arena, double, 4 * PARTS * (CURVE_VALUES + 1));
    if (r->arena.failed)
        return zw_out_of_memory(err, NULL);
    sweep_zeros(r, f, 1, keeps, found);
    collect_curve(r, 1, keeps != NULL, found, c);
    sweep_zeros(r, f, 0, keeps, found);
    collect_curve(r, 0, keeps != NULL, found, &other);
    if (length_of(r, &other) > length_of(r, c))
        *c = other;
    return zw_context_status(r->ctx, err);
}

/* Position of the label of a member: the upper end of its longest part, if that is on the border of
 * the plane. */
static bool place_words(const zw_regions *r, const zw_region_curve *c, double out[2]) {
    long first = 0, best = 0, length = 0;
    for (long k = 0; k <= c->n; k++)
        if (k == c->n || isnan(c->at[2 * k])) {
            if (k - first > length) {
                length = k - first;
                best = first;
            }
            first = k + 1;
        }
    if (length < 2)
        return false;
    const double *low = c->at + 2 * best, *high = c->at + 2 * (best + length - 1);
    bool down = low[1] > high[1];
    const double *end = down ? low : high;
    bool on_border = false;
    for (int w = 0; w < 2; w++) {
        const zw_parameter_range *o = &r->over[w];
        double u = (end[w] - o->from) / (o->to - o->from);
        on_border = on_border || fabs(u) < AT_BORDER || fabs(u - 1) < AT_BORDER;
    }
    /* slightly inside the frame */
    const double *at = end + (down ? 2 : -2) * (length / 14 + (length > 2));
    out[0] = at[0];
    out[1] = at[1];
    return on_border;
}

static void append_curve(zw_region_curve *to, const zw_region_curve *more) {
    memcpy(to->at + 2 * to->n, more->at, sizeof *to->at * 2 * (size_t)more->n);
    to->n += more->n;
}

/* One curve for each value, all with one name, each labelled with its value. */
static zw_status trace_family(zw_regions *r, const zw_implicit_family *family, const char *text,
                              zw_region_curve *c, zw_error *err) {
    double *p = ZW_NEW(&r->arena, double, r->sys->np + 1);
    c->at = ZW_NEW(&r->arena, double, 4L * PARTS * (CURVE_VALUES + 1) * family->n);
    c->word = ZW_NEW(&r->arena, const char *, family->n);
    c->word_at = zw_arena_alloc(&r->arena, sizeof *c->word_at * (size_t)family->n);
    if (r->arena.failed)
        return zw_out_of_memory(err, NULL);
    for (int w = 0; w < 2; w++)
        if (r->over[w].parameter == family->parameter)
            return zw_fail(err, ZW_E_OPTION, "--curve %s: %s is an axis", text, r->over[w].name);
    memcpy(p, zw_region_parameters(r, 0), sizeof *p * (size_t)r->sys->np);
    for (int i = 0; i < family->n; i++) {
        zw_implicit f;
        zw_region_curve member = {0};
        p[family->parameter] = family->value[i];
        ZW_TRY(zw_implicit_read(&f, &r->arena, r->sys, 2, r->over, p, "--curve", text, err));
        f.given[family->parameter] = true;
        ZW_TRY(zw_region_trace(r, &f, NULL, &member, err));
        if (place_words(r, &member, c->word_at[c->nword]))
            c->word[c->nword++] = family->words[i];
        append_curve(c, &member);
    }
    return ZW_OK;
}

static zw_status closed_form(zw_regions *r, const char *text, zw_region_curve *c, zw_error *err) {
    zw_implicit f;
    zw_implicit_family family;
    char name[200];
    text = zw_implicit_name(text, name, sizeof name);
    c->name = zw_arena_string(&r->arena, name);
    if (r->arena.failed)
        return zw_out_of_memory(err, NULL);
    ZW_TRY(zw_implicit_members(&family, &text, &r->arena, r->sys, zw_region_parameters(r, 0),
                               "--curve", text, err));
    if (family.n > 0)
        return trace_family(r, &family, text, c, err);
    ZW_TRY(zw_implicit_read(&f, &r->arena, r->sys, 2, r->over, zw_region_parameters(r, 0),
                            "--curve", text, err));
    return zw_region_trace(r, &f, NULL, c, err);
}

/* Does a new curve begin at this row of a result? */
static bool is_new(const zw_table *t, long row) {
    static const char *const name[] = {"curve", "branch", "kind"};
    for (int k = 0; k < 3; k++) {
        int column = zw_table_find(t, name[k]);
        if (column >= 0 && zw_table_at(t, row, column) != zw_table_at(t, row - 1, column))
            return true;
    }
    return false;
}

static zw_status of_result(zw_regions *r, int which, zw_region_curve *c, zw_error *err) {
    const zw_table *t = r->options.with[which];
    const char *name = r->options.with_name[which];
    int column[2];
    for (int w = 0; w < 2; w++) {
        column[w] = zw_table_find(t, r->over[w].name);
        if (column[w] < 0) {
            zw_fail(err, ZW_E_OPTION, "--beside %s: it has no column %s", name, r->over[w].name);
            zw_error_hint(err, "curves over both parameters: zwang orbit --marks, zwang connect "
                               "--over ... --over");
            return ZW_E_OPTION;
        }
    }
    double factor[2];
    for (int w = 0; w < 2; w++) { /* from units of the file to SI */
        const char *unit = zw_table_unit(t, column[w]);
        zw_unit u = {.factor = 1};
        if (unit[0])
            ZW_TRY(zw_unit_parse(&u, unit, strlen(unit), (zw_place){0}, err));
        factor[w] = u.factor;
    }
    long rows = zw_table_rows(t);
    /* the name of the file, without folder and ending */
    const char *slash = strrchr(name, '/'), *first = slash ? slash + 1 : name,
               *dot = strrchr(first, '.');
    c->name =
        zw_arena_copy(&r->arena, first, dot && dot > first ? (size_t)(dot - first) : strlen(first));
    c->at = ZW_NEW(&r->arena, double, 4 * rows + 2);
    if (r->arena.failed)
        return zw_out_of_memory(err, NULL);
    for (long i = 0; i < rows; i++) {
        if (i > 0 && is_new(t, i)) {
            c->at[2 * c->n] = c->at[2 * c->n + 1] = NAN;
            c->n++;
        }
        for (int w = 0; w < 2; w++)
            c->at[2 * c->n + w] = factor[w] * zw_table_at(t, i, column[w]);
        c->n++;
    }
    return ZW_OK;
}

static zw_status read_mark(zw_regions *r, int i, zw_error *err) {
    const char *text = r->options.mark[i], *equals = strchr(text, '='),
               *comma = equals ? strchr(equals, ',') : NULL;
    if (!comma) {
        zw_fail(err, ZW_E_OPTION, "--mark %s: NAME=VALUE,VALUE is expected", text);
        zw_error_hint(err, "--mark v1=1.2,1.03, the values of %s and %s", r->over[0].name,
                      r->over[1].name);
        return ZW_E_OPTION;
    }
    char *first = zw_arena_copy(&r->arena, equals + 1, (size_t)(comma - equals - 1));
    r->mark_name[i] = zw_arena_copy(&r->arena, text, (size_t)(equals - text));
    if (!first || !r->mark_name[i])
        return zw_out_of_memory(err, NULL);
    const char *value[2] = {first, comma + 1};
    for (int w = 0; w < 2; w++)
        ZW_TRY(zw_model_number(&r->mark[i][w], r->sys, zw_region_parameters(r, 0), "--mark",
                               value[w], r->sys->param[r->over[w].parameter].unit, err));
    return ZW_OK;
}

zw_status zw_region_add_curves(zw_regions *r, zw_error *err) {
    const zw_regions_options *o = &r->options;
    r->curve = ZW_NEW(&r->arena, zw_region_curve, o->ncurve + o->nwith + ZW_REGION_BORDERS + 1);
    r->mark = zw_arena_alloc(&r->arena, sizeof *r->mark * (size_t)(o->nmark + 1));
    r->mark_name = ZW_NEW(&r->arena, const char *, o->nmark + 1);
    if (r->arena.failed)
        return zw_out_of_memory(err, NULL);
    for (int i = 0; i < o->ncurve; i++)
        ZW_TRY(closed_form(r, o->curve[i], &r->curve[r->ncurve++], err));
    for (int i = 0; i < o->nwith; i++)
        ZW_TRY(of_result(r, i, &r->curve[r->ncurve++], err));
    for (int i = 0; i < o->nmark; i++)
        ZW_TRY(read_mark(r, i, err));
    return ZW_OK;
}

/* Distance of a point from a segment, in cells. */
static double point_distance(const double *a, const double *b, double x, double y) {
    double dx = b[0] - a[0], dy = b[1] - a[1], l = dx * dx + dy * dy;
    double t = l > 0 ? ((x - a[0]) * dx + (y - a[1]) * dy) / l : 0;
    t = fmin(1, fmax(0, t));
    return hypot(x - a[0] - t * dx, y - a[1] - t * dy);
}

bool zw_region_is_near_curve(const zw_regions *r, int a, int b) {
    double cell[2], at[2];
    for (int w = 0; w < 2; w++) {
        cell[w] = fabs(r->over[w].to - r->over[w].from) / (r->rows[w] - 1);
        at[w] = (r->point[a].at[w] + r->point[b].at[w]) / 2 / cell[w];
    }
    for (int i = 0; i < r->ncurve; i++)
        for (long k = 0; k + 1 < r->curve[i].n; k++) {
            const double *c = r->curve[i].at + 2 * k;
            const double from[2] = {c[0] / cell[0], c[1] / cell[1]},
                         to[2] = {c[2] / cell[0], c[3] / cell[1]};
            if (point_distance(from, to, at[0], at[1]) < NEAR_CURVE)
                return true;
        }
    return false;
}
