/* SPDX-License-Identifier: MIT */
#include "special_error.h"

#include <math.h>

/* Error of da/ds, s in the units of steps: a tenth of the range. Chosen by trial: the uncertain
 * digits of the period at folds of canards are not printed, those of ordinary folds are. */
#define SLOPE_ERROR 1e-9
#define TYPICAL_STEP 0.1 /* in s: steps are chosen for a few hundred points in a range */
/* Relative to the range: error of a at a fold, where a is quadratic in s; its round-off remains. */
#define FOLD_VALUE_ERROR 1e-12
/* Relative to the range: error of a at zeros of test functions, which continuation_locate.c locates
 * to 1e-11 of the change of the function over a step. Chosen by trial: the digits that it leaves
 * are the same when the zero is located in other steps. */
#define ZERO_VALUE_ERROR 5e-11
#define VALUE_UNIT 0.1 /* relative to the range: the unit of a in s */

/* the next point on a side that has another value; false if there is none */
static bool find_neighbour(const zw_special_points *p, int i, int side, zw_special_point *out) {
    double value = p->at(p->self, i).value;
    for (int k = i + side; k >= p->first && k < p->first + p->n; k += side) {
        *out = p->at(p->self, k);
        if (out->value != value)
            return true;
    }
    return false;
}

/* the exponent that is nearest to zero */
static double nearest_exponent(const zw_special_point *p) {
    double nearest = NAN;
    for (int k = 0; k < p->nexponent; k++)
        nearest = !(fabs(p->exponent[k]) >= fabs(nearest)) ? p->exponent[k] : nearest;
    return nearest;
}

/* distance of the multiplier that crosses from where it crosses: mu + 1, |mu|^2 - 1, mu - 1; NaN if
 * unknown */
static double multiplier_distance(const zw_special_point *p, zw_bifurcation event) {
    if (p->nexponent)
        return nearest_exponent(p);
    double nearest = INFINITY, found = NAN;
    int skip = event == ZW_BIFURCATION_BRANCH ? p->trivial : 0;
    for (int pass = 0; pass <= skip; pass++) {
        double beyond =
            pass ? fabs(found) : -1; /* those nearer to 1 are the ones that stay there */
        nearest = INFINITY;
        for (int k = 0; k < p->n; k++) {
            bool real = p->im[k] == 0;
            double d = event == ZW_BIFURCATION_TORUS  ? hypot(p->re[k], p->im[k]) - 1
                       : event == ZW_BIFURCATION_FLIP ? p->re[k] + 1
                                                      : p->re[k] - 1;
            if (real == (event == ZW_BIFURCATION_TORUS) || fabs(d) >= nearest || fabs(d) <= beyond)
                continue;
            nearest = fabs(d);
            found = d;
        }
    }
    return isfinite(nearest) ? found : (double)NAN;
}

/* error of a where a multiplier crosses, from the slope of the multiplier between the neighbours */
static double error_of_passage(const zw_special_point *here, const zw_special_point *before,
                               const zw_special_point *after) {
    double slope =
        (multiplier_distance(after, here->event) - multiplier_distance(before, here->event)) /
        (after->value - before->value);
    double error = here->accuracy / fabs(slope);
    return isfinite(error) ? error : 0;
}

void zw_special_error(const zw_special_points *p, int i, double *value, double *quantity) {
    zw_special_point here = p->at(p->self, i), next[2];
    bool has[2] = {find_neighbour(p, i, -1, &next[0]), find_neighbour(p, i, 1, &next[1])};
    *value = (here.event == ZW_BIFURCATION_FOLD ? FOLD_VALUE_ERROR : ZERO_VALUE_ERROR) * p->range;
    *quantity = 0;
    if (isfinite(here.error))
        *value = fmax(*value, fabs(here.value) * pow(here.error, p->power));
    if (here.event != ZW_BIFURCATION_FOLD && has[0] && has[1])
        *value = fmin(fmax(*value, error_of_passage(&here, &next[0], &next[1])),
                      fabs(next[1].value - next[0].value));
    for (int side = 0; side < 2; side++) {
        if (!has[side])
            continue;
        double da = fabs(next[side].value - here.value),
               dy = fabs(next[side].quantity - here.quantity),
               open = here.event == ZW_BIFURCATION_FOLD
                          ? SLOPE_ERROR * TYPICAL_STEP * VALUE_UNIT * p->range / (2 * da)
                          : *value / da;
        *quantity = fmax(*quantity, dy * fmin(open, 1));
    }
    if (isfinite(here.error))
        *quantity = fmax(*quantity, fabs(here.quantity) * pow(here.error, p->power));
}
