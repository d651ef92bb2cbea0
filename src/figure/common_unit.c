/* SPDX-License-Identifier: MIT */
/* The curves of one axis in one unit. Columns keep the unit of the model, so that a length in m and
 * one in mm may be on one axis: if units differ by a factor, all curves of that axis are drawn in
 * SI units, si(NAME). Degrees and radians must be unified by formulas, deg(NAME); otherwise it is
 * an error. Quantities of different dimensions do not belong on one scale: of two units the second
 * goes to the right-hand side; with more the axis is left as it is, and the label gives the
 * units. */
#include <stdio.h>
#include <string.h>

#include "base/units.h"
#include "internal.h"

static bool is_degrees(const char *unit) {
    return strncmp(unit, "deg", 3) == 0;
}

/* true for two units of one dimension with different factors */
static bool differ_by_factor(const char *a, const char *b) {
    zw_unit x, y;
    if (strcmp(a, b) == 0 || !a[0] || !b[0])
        return false;
    return zw_unit_parse(&x, a, strlen(a), (zw_place){0}, NULL) >= 0 &&
           zw_unit_parse(&y, b, strlen(b), (zw_place){0}, NULL) >= 0 &&
           zw_dim_fits(&x.dim, &y.dim) && x.factor != y.factor;
}

int zw_figure_axis(const zw_spec *s, int term, int coordinate) {
    return coordinate == 1 && s->term[term].right ? 2 : coordinate;
}

/* the coordinate of the term that the axis shows, -1 if none */
static int coordinate_on(const zw_spec *s, int term, int axis) {
    for (int i = 0; i < zw_spec_axes(s); i++)
        if (zw_figure_axis(s, term, i) == axis)
            return i;
    return -1;
}

static zw_status in_si(zw_spec *s, int axis, zw_error *err) {
    for (int k = 0; k < s->n; k++) {
        char text[ZW_FORMULA_TEXT];
        int i = coordinate_on(s, k, axis);
        if (i < 0)
            continue;
        if (snprintf(text, sizeof text, "si(%s)", s->term[k].axis[i]) >= (int)sizeof text)
            return zw_fail(err, ZW_E_OPTION, "'%.40s...' is too long a formula",
                           s->term[k].axis[i]);
        memcpy(s->term[k].axis[i], text, sizeof text);
    }
    return ZW_OK;
}

static zw_status reject_degrees(const char *a, const char *b, zw_error *err) {
    zw_fail(err, ZW_E_UNIT, "--plot: %s and %s on one axis, one in degrees and one not", a, b);
    zw_error_hint(err, "deg(NAME) for both, or for none");
    return ZW_E_UNIT;
}

static zw_status unify_axis(zw_spec *s, int axis, int nrun, const zw_figure_run *run,
                            zw_error *err) {
    zw_column_formula first = {0}, other;
    const char *text = NULL;
    for (int i = 0; i < nrun; i++)
        for (int k = 0; k < s->n; k++) {
            int on = coordinate_on(s, k, axis);
            if (on < 0 || !zw_spec_has(s, k, run[i].table))
                continue;
            ZW_TRY(zw_formula_parse(&other, run[i].table, s->term[k].axis[on], err));
            if (!text) {
                first = other;
                text = s->term[k].axis[on];
            }
            if (!differ_by_factor(first.unit, other.unit))
                continue;
            if (is_degrees(first.unit) || is_degrees(other.unit))
                return reject_degrees(text, s->term[k].axis[on], err);
            return in_si(s, axis, err);
        }
    return ZW_OK;
}

zw_status zw_figure_common_units(zw_spec *s, int nrun, const zw_figure_run *run, zw_error *err) {
    int axes = s->has_right ? 3 : zw_spec_axes(s);
    for (int axis = 0; axis < axes; axis++)
        ZW_TRY(unify_axis(s, axis, nrun, run, err));
    return ZW_OK;
}

/* the first run that contains the term */
static const zw_table *table_for(const zw_spec *s, int term, int nrun, const zw_figure_run *run) {
    for (int i = 0; i < nrun; i++)
        if (zw_spec_has(s, term, run[i].table))
            return run[i].table;
    return run[0].table;
}

zw_status zw_figure_part_units(zw_spec *s, int nrun, const zw_figure_run *run, zw_error *err) {
    char unit[2][ZW_FORMULA_TEXT];
    int n = 0, of[ZW_SPEC_TERMS];
    if (s->kind != ZW_SPEC_GRAPH || s->has_right)
        return ZW_OK;
    for (int k = 0; k < s->n; k++) {
        zw_column_formula f;
        ZW_TRY(zw_formula_parse(&f, table_for(s, k, nrun, run), s->term[k].axis[1], err));
        for (of[k] = 0; of[k] < n && strcmp(unit[of[k]], f.unit) != 0; of[k]++)
            ;
        if (of[k] == 2) /* a third one */
            return ZW_OK;
        if (of[k] == n)
            memcpy(unit[n++], f.unit, sizeof f.unit);
    }
    for (int k = 0; n == 2 && k < s->n; k++)
        s->term[k].right = of[k] == 1;
    s->has_right = n == 2;
    return ZW_OK;
}

bool zw_figure_draws(const char *quantity, const char *name) {
    size_t n = strlen(name);
    return strcmp(quantity, name) == 0 ||
           (strncmp(quantity, "si(", 3) == 0 && strncmp(quantity + 3, name, n) == 0 &&
            strcmp(quantity + 3 + n, ")") == 0);
}
