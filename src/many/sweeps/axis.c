/* SPDX-License-Identifier: MIT */
/* One axis of a plan, from a word or from a column. Elsewhere the third number of A:B:N is a number
 * of rows; here the word A:B:D has a step, as in most languages, and the steps must end at B: a
 * number of rows in this place almost never does, and is rejected with a hint to lin:A:B:N. */
#include <ctype.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/arena.h"
#include "base/normal_quantile.h"
#include "base/option.h"
#include "base/units.h"
#include "motion/parameter_range.h"
#include "plan.h"

/* of a step: the last value is B if the steps end so near to it; B and the step may be printed with
 * seven digits */
#define WHOLE_STEPS 1e-6
/* Below 2^53 = 9.007e15, so that counts are exact as doubles. */
static const double largest_count = 1e15;

typedef struct word {
    const char *text, *label;
    const char *unit; /* of the model */
    int n;
    zw_parameter_range_piece *piece;
} word;

static zw_status report_bad_axis(const word *w, zw_error *err, const char *what) {
    zw_fail(err, ZW_E_OPTION, "%s %.80s: %s", w->label, w->text, what);
    zw_error_hint(err,
                  "NAME=A:B:STEP, NAME=lin:A:B:N, NAME=log:A:B:N, NAME=1,2,5, NAME=uniform:A:B, "
                  "NAME=normal:MEAN:SD, followed by a unit");
    return ZW_E_OPTION;
}

/* ---- names ---- */

static zw_status no_such_name(const zw_system *sys, const char *label, const char *name, bool start,
                              zw_error *err) {
    const char *known[512];
    int n = 0;
    for (int i = 0; i < sys->np && !start && n < 512; i++)
        known[n++] = sys->param[i].name;
    for (int i = 0; i < sys->nq + sys->nv && start && n < 512; i++)
        known[n++] = i < sys->nq ? sys->coord[i].name : sys->velocity[i - sys->nq].name;
    zw_fail(err, ZW_E_NAME, "%s %s: there is no %s of this name", label, name,
            start ? "coordinate or velocity" : "parameter");
    const char *near = zw_nearest(name, n, known);
    if (near)
        zw_error_hint(err, "did you mean %s?", near);
    return ZW_E_NAME;
}

static int find_parameter(const zw_system *sys, const char *name) {
    for (int i = 0; i < sys->np; i++)
        if (strcmp(sys->param[i].name, name) == 0)
            return i;
    return -1;
}

static int find_state(const zw_system *sys, const char *name) {
    for (int i = 0; i < sys->nq + sys->nv; i++)
        if (strcmp(i < sys->nq ? sys->coord[i].name : sys->velocity[i - sys->nq].name, name) == 0)
            return i;
    return -1;
}

static zw_status find_name(zw_axis *a, const zw_system *sys, const char *label, bool start,
                           const char **unit, zw_error *err) {
    int p = find_parameter(sys, a->name), x = find_state(sys, a->name);
    a->start = start;
    a->index = start ? x : p;
    if (a->index < 0 && (start ? p : x) >= 0) {
        zw_fail(err, ZW_E_NAME, "%s %s: this is %s", label, a->name,
                start ? "a parameter" : "a coordinate or a velocity");
        zw_error_hint(err, start ? "--over %s=... varies it" : "--start %s=... varies its start",
                      a->name);
        return ZW_E_NAME;
    }
    if (a->index < 0)
        return no_such_name(sys, label, a->name, start, err);
    *unit = !start               ? sys->param[a->index].unit
            : a->index < sys->nq ? sys->coord[a->index].unit
                                 : sys->velocity[a->index - sys->nq].unit;
    return ZW_OK;
}

/* ---- numbers ---- */

static zw_status set_step(zw_axis *a, const word *w, zw_error *err) {
    if (w->n == 2)
        return report_bad_axis(w, err, "from, to, and in which steps?");
    double from = w->piece[0].value, to = w->piece[1].value, step = w->piece[2].value;
    double steps = (to - from) / step;
    if (step == 0 || steps < 0 || steps >= largest_count)
        return report_bad_axis(w, err, "its steps do not lead from the first value to the second");
    if (fabs(steps - nearbyint(steps)) > WHOLE_STEPS) {
        zw_fail(err, ZW_E_OPTION,
                "%s %.80s: steps of %.6g do not end at the second value, but before it at %.10g",
                w->label, w->text, step / a->factor, (from + floor(steps) * step) / a->factor);
        zw_error_hint(err, "if %.6g is the number of values: %s %s=lin:%.6g:%.6g:%.6g",
                      w->piece[2].number, w->label, a->name, w->piece[0].number, w->piece[1].number,
                      w->piece[2].number);
        return ZW_E_OPTION;
    }
    if (steps < 0.5)
        return report_bad_axis(w, err, "both values are the same: an empty range");
    a->kind = ZW_AXIS_LIN;
    a->n = (uint64_t)nearbyint(steps) + 1;
    a->a = from;
    a->b = to;
    return ZW_OK;
}

static zw_status set_even(zw_axis *a, const word *w, bool log, zw_error *err) {
    if (w->n != 3)
        return report_bad_axis(w, err, "three numbers are needed: from, to and how many");
    double n = w->piece[2].number;
    a->kind = log ? ZW_AXIS_LOG : ZW_AXIS_LIN;
    a->a = w->piece[0].value;
    a->b = w->piece[1].value;
    if (n != floor(n) || n < 2 || n >= largest_count)
        return report_bad_axis(w, err, "how many is a whole number, at least 2 and less than 1e15");
    if (a->a == a->b)
        return report_bad_axis(w, err, "both values are the same: an empty range");
    if (log && (a->a == 0 || a->b == 0 || (a->a > 0) != (a->b > 0)))
        return report_bad_axis(w, err, "logarithms need two values of one sign, neither of them 0");
    if (log ? !(a->b / a->a > 0 && isfinite(a->b / a->a)) : !isfinite(a->b - a->a))
        return report_bad_axis(w, err, "the values are too far apart");
    a->n = (uint64_t)n;
    return ZW_OK;
}

static zw_status set_drawn(zw_axis *a, const word *w, bool normal, zw_error *err) {
    if (w->n != 2)
        return report_bad_axis(w, err,
                               normal ? "two numbers are needed: mean and standard deviation"
                                      : "two numbers are needed: from and to");
    a->kind = normal ? ZW_AXIS_NORMAL : ZW_AXIS_UNIFORM;
    a->a = w->piece[0].value;
    a->b = w->piece[1].value;
    if (!isfinite(normal ? a->a + 40 * a->b : a->b - a->a))
        return report_bad_axis(w, err, "the values are too far apart");
    if (normal ? !(a->b > 0) : !(a->b > a->a))
        return report_bad_axis(w, err,
                               normal ? "the standard deviation is positive"
                                      : "the second value is not larger than the first");
    return ZW_OK;
}

static zw_status set_list(zw_axis *a, const word *w, zw_error *err) {
    a->kind = ZW_AXIS_LIST;
    a->n = w->n > 0 ? (uint64_t)w->n : 0;
    a->value = calloc(a->n + 1, sizeof(double));
    if (!a->value)
        return zw_out_of_memory(err, NULL);
    for (int i = 0; i < w->n; i++)
        a->value[i] = w->piece[i].value;
    return ZW_OK;
}

static const struct {
    const char *word;
    zw_axis_kind kind;
} kinds[] = {{"lin:", ZW_AXIS_LIN},
             {"log:", ZW_AXIS_LOG},
             {"uniform:", ZW_AXIS_UNIFORM},
             {"normal:", ZW_AXIS_NORMAL}};
enum { KINDS = sizeof kinds / sizeof *kinds };

static zw_status set_numbers(zw_axis *a, const zw_system *sys, word *w, const char *s,
                             zw_error *err) {
    enum { VALUES_MOST = 4096 }; /* values in a list */
    zw_parameter_range o = {.factor = 1};
    int kind = 0, most = VALUES_MOST;
    while (kind < KINDS && strncmp(s, kinds[kind].word, strlen(kinds[kind].word)) != 0)
        kind++;
    if (kind < KINDS)
        s += strlen(kinds[kind].word);
    bool list = kind == KINDS && !strchr(s, ':');
    snprintf(o.name, sizeof o.name, "%s", a->name);
    w->piece = malloc(sizeof *w->piece * VALUES_MOST);
    if (!w->piece)
        return zw_out_of_memory(err, NULL);
    ZW_TRY(zw_parameter_range_pieces(&o, sys, w->label, s, list ? "," : ":", w->unit,
                                     list ? most : 3, w->piece, &w->n, err));
    snprintf(a->unit, sizeof a->unit, "%s", o.unit);
    a->factor = o.factor;
    if (w->n == 0 || w->n > (list ? most : 3))
        return report_bad_axis(w, err,
                               w->n == 0 ? "a value is missing"
                               : list    ? "these are too many: use a file, --points"
                                         : "that is too much");
    for (int i = 0; i < w->n; i++)
        if (!isfinite(w->piece[i].value))
            return report_bad_axis(w, err, "a value is not finite");
    if (kind == KINDS)
        return list ? set_list(a, w, err) : set_step(a, w, err);
    if (kinds[kind].kind == ZW_AXIS_LIN || kinds[kind].kind == ZW_AXIS_LOG)
        return set_even(a, w, kinds[kind].kind == ZW_AXIS_LOG, err);
    return set_drawn(a, w, kinds[kind].kind == ZW_AXIS_NORMAL, err);
}

zw_status zw_axis_read(zw_axis *out, const zw_system *sys, const char *label, bool start,
                       const char *text, zw_error *err) {
    const char *equals = strchr(text, '=');
    word w = {.text = text, .label = label};
    *out = (zw_axis){.factor = 1};
    if (!equals || equals - text >= ZW_AXIS_NAME)
        return report_bad_axis(&w, err, "there is no NAME=");
    for (const char *s = text; s < equals; s++)
        if (!isspace((unsigned char)*s))
            out->name[strlen(out->name)] = *s;
    ZW_TRY(find_name(out, sys, label, start, &w.unit, err));
    for (equals++; isspace((unsigned char)*equals);)
        equals++;
    zw_status status = set_numbers(out, sys, &w, equals, err);
    free(w.piece);
    if (status < 0)
        zw_axis_clear(out);
    return status;
}

/* ---- columns ---- */

zw_status zw_axis_of_column(zw_axis *out, const zw_system *sys, const zw_table *t, int column,
                            zw_error *err) {
    const char *of_model = "", *unit = zw_table_unit(t, column);
    zw_unit given, known = {.dim = zw_dim_none(), .factor = 1};
    *out = (zw_axis){.factor = 1, .kind = ZW_AXIS_COLUMN};
    snprintf(out->name, sizeof out->name, "%s", zw_table_name(t, column));
    bool start = find_parameter(sys, out->name) < 0;
    if (start && find_state(sys, out->name) < 0) {
        zw_fail(err, ZW_E_NAME,
                "--points: column %s is neither a parameter nor a coordinate or velocity",
                out->name);
        zw_error_hint(err, "a file of points has columns of these only, as Omega[rad/s]");
        return ZW_E_NAME;
    }
    ZW_TRY(find_name(out, sys, "--points", start, &of_model, err));
    ZW_TRY(zw_unit_parse(&given, unit[0] ? unit : of_model, strlen(unit[0] ? unit : of_model),
                         (zw_place){0}, err));
    if (of_model[0])
        ZW_TRY(zw_unit_parse(&known, of_model, strlen(of_model), (zw_place){0}, err));
    if (!zw_dim_fits(&given.dim, &known.dim))
        return zw_fail(err, ZW_E_UNIT, "--points: column %s is in %s, which is no unit of it",
                       out->name, unit);
    snprintf(out->unit, sizeof out->unit, "%s", unit[0] ? unit : of_model);
    out->factor = given.factor;
    out->n = (uint64_t)zw_table_rows(t);
    out->value = malloc(sizeof(double) * (size_t)(out->n + 1));
    if (!out->value)
        return zw_out_of_memory(err, NULL);
    for (long i = 0; i < zw_table_rows(t); i++) {
        out->value[i] = zw_table_at(t, i, column) * given.factor;
        if (!isfinite(out->value[i])) {
            zw_axis_clear(out);
            return zw_fail(err, ZW_E_OPTION, "--points: row %ld of column %s is not finite", i + 1,
                           zw_table_name(t, column));
        }
    }
    return ZW_OK;
}

void zw_axis_clear(zw_axis *axis) {
    free(axis->value);
    axis->value = NULL;
}

/* ---- values ---- */

double zw_axis_value(const zw_axis *axis, uint64_t i) {
    double n = (double)axis->n - 1, k = (double)i;
    switch (axis->kind) {
    /* the quotient comes last: 0.85 in steps of 0.05, not its neighbour; from the nearer end: an
     * axis symmetric about 0 is symmetric in every bit */
    case ZW_AXIS_LIN:
        return 2 * k <= n ? axis->a + (axis->b - axis->a) * k / n
                          : axis->b - (axis->b - axis->a) * (n - k) / n;
    case ZW_AXIS_LOG:
        return i + 1 == axis->n ? axis->b : axis->a * pow(axis->b / axis->a, k / n);
    case ZW_AXIS_LIST:
    case ZW_AXIS_COLUMN:
        return axis->value[i];
    default:
        return NAN;
    }
}

double zw_axis_at(const zw_axis *axis, double u) {
    return axis->kind == ZW_AXIS_NORMAL ? axis->a + axis->b * zw_normal_quantile(u)
                                        : axis->a + (axis->b - axis->a) * u;
}

int zw_axis_text(const zw_axis *axis, char *out, size_t size) {
    const char *blank = axis->unit[0] ? " " : "", *unit = axis->unit;
    double f = axis->factor;
    if (axis->kind == ZW_AXIS_UNIFORM)
        return snprintf(out, size, "%s: drawn evenly from %.6g to %.6g%s%s", axis->name,
                        axis->a / f, axis->b / f, blank, unit);
    if (axis->kind == ZW_AXIS_NORMAL)
        return snprintf(out, size, "%s: drawn, mean %.6g, standard deviation %.6g%s%s", axis->name,
                        axis->a / f, axis->b / f, blank, unit);
    if (axis->n == 1)
        return snprintf(out, size, "%s: %.6g%s%s", axis->name, zw_axis_value(axis, 0) / f, blank,
                        unit);
    return snprintf(out, size, "%s: %llu values, %.6g to %.6g%s%s", axis->name,
                    (unsigned long long)axis->n, zw_axis_value(axis, 0) / f,
                    zw_axis_value(axis, axis->n - 1) / f, blank, unit);
}
