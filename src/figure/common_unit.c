/* SPDX-License-Identifier: MIT */
/* The curves of one axis in one unit. Columns keep the unit that the model gives them, so that a length in
 * m and one in mm may come onto one axis: where units differ by a factor all of that axis are drawn in SI
 * units, si(NAME). Degrees against radians are a matter of formulas, deg(NAME), and refused. What has
 * different dimensions stays as it is: the label tells the units. */
#include <stdio.h>
#include <string.h>

#include "base/units.h"
#include "internal.h"

static bool is_degrees(const char *unit) {
    return strncmp(unit, "deg", 3) == 0;
}

/* two units of one dimension with different factors */
static bool differ_by_factor(const char *a, const char *b) {
    zw_unit x, y;
    if (strcmp(a, b) == 0 || !a[0] || !b[0])
        return false;
    return zw_unit_parse(&x, a, strlen(a), (zw_place){0}, NULL) >= 0 &&
           zw_unit_parse(&y, b, strlen(b), (zw_place){0}, NULL) >= 0 &&
           zw_dim_fits(&x.dim, &y.dim) && x.factor != y.factor;
}

static zw_status in_si(zw_spec *s, int axis, zw_error *err) {
    for (int k = 0; k < s->n; k++) {
        char text[ZW_FORMULA_TEXT];
        if (snprintf(text, sizeof text, "si(%s)", s->term[k].axis[axis]) >= (int)sizeof text)
            return zw_fail(err, ZW_E_OPTION, "'%.40s...' is too long a formula",
                           s->term[k].axis[axis]);
        memcpy(s->term[k].axis[axis], text, sizeof text);
    }
    return ZW_OK;
}

static zw_status refuse_degrees(const char *a, const char *b, zw_error *err) {
    zw_fail(err, ZW_E_UNIT, "--plot: %s and %s on one axis, one in degrees and one not", a, b);
    zw_error_hint(err, "deg(NAME) for both, or for none");
    return ZW_E_UNIT;
}

static zw_status settle_axis(zw_spec *s, int axis, int nrun, const zw_figure_run *run,
                             zw_error *err) {
    zw_formula first, other;
    ZW_TRY(zw_formula_parse(&first, run[0].table, s->term[0].axis[axis], err));
    for (int i = 0; i < nrun; i++)
        for (int k = 0; k < s->n; k++) {
            ZW_TRY(zw_formula_parse(&other, run[i].table, s->term[k].axis[axis], err));
            if (!differ_by_factor(first.unit, other.unit))
                continue;
            if (is_degrees(first.unit) || is_degrees(other.unit))
                return refuse_degrees(s->term[0].axis[axis], s->term[k].axis[axis], err);
            return in_si(s, axis, err);
        }
    return ZW_OK;
}

zw_status zw_figure_common_units(zw_spec *s, int nrun, const zw_figure_run *run, zw_error *err) {
    int axes = s->kind == ZW_SPEC_SPACE ? 3 : 2;
    for (int axis = 0; axis < axes; axis++)
        ZW_TRY(settle_axis(s, axis, nrun, run, err));
    return ZW_OK;
}

bool zw_figure_draws(const char *quantity, const char *name) {
    size_t n = strlen(name);
    return strcmp(quantity, name) == 0 ||
           (strncmp(quantity, "si(", 3) == 0 && strncmp(quantity + 3, name, n) == 0 &&
            strcmp(quantity + 3 + n, ")") == 0);
}
