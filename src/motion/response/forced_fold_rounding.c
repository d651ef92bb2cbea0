/* SPDX-License-Identifier: MIT */
/* False folds caused by rounding. Where a curve branches off another one, at a period doubling or
 * where a symmetry breaks, the parameter changes with an even power of the distance e,
 *
 *     a = a_0 + k e^m,        m = 2, 4, 8, ...,
 *
 * and da/ds is rounding as long as k e^m is: it changes its sign as at folds. A fold is accepted if
 * the parameter turns by more than its rounding. Between folds, first and last point a is
 * monotonic. The shortest of these intervals, if it is rounding, is removed with both of its folds,
 * or with the one if its other end is an end of the curve, and the neighbouring intervals merge. So
 * of three turns at a true fold, one remains. */
#include <math.h>

#include "forced.h"

#include "base/tolerance.h"

/* relative to the range: least turn of the parameter at a fold; the values of motions that are
 * corrected to ZW_NEWTON scatter by 1e-11, and folds closer to each other are not distinguished by
 * the digits that are printed */
#define TURN_LEAST 1e-9

static int next_fold(const zw_forced *f, int from, int end) {
    while (from < end && f->motion[from].event != ZW_BIFURCATION_FOLD)
        from++;
    return from;
}

static bool is_fold(const zw_forced *f, int i) {
    return f->motion[i].event == ZW_BIFURCATION_FOLD;
}

/* the shortest interval between neighbours among first point, folds and last point, with a fold at
 * one end at least; false: there is none */
static bool find_shortest(const zw_forced *f, int first, int last, int *from, int *to) {
    double least = INFINITY;
    for (int i = first; i < last;) {
        int k = next_fold(f, i + 1, last);
        double length = fabs(f->motion[k].value - f->motion[i].value);
        if ((is_fold(f, i) || is_fold(f, k)) && length < least) {
            least = length;
            *from = i;
            *to = k;
        }
        i = k;
    }
    return least < INFINITY;
}

/* the frequency of free motions has no range */
static bool is_rounding(const zw_forced *f, double a, double b) {
    double size = fmax(fabs(a), fabs(b)),
           range = f->options.free ? size : fabs(f->over.to - f->over.from);
    return fabs(a - b) <= fmax(TURN_LEAST * range, ZW_ROUNDOFF_VALUE * size);
}

void zw_forced_remove_false_folds(zw_forced *f, int curve) {
    const zw_forced_curve *c = &f->curve[curve];
    int first =
            c->first + (c->from != 0), /* the point where it branches off is located less exactly */
        last = c->first + c->n - 1, from, to;
    if (c->info[0].end == ZW_CONT_CLOSED)
        return;
    while (first < last && find_shortest(f, first, last, &from, &to) &&
           is_rounding(f, f->motion[from].value, f->motion[to].value)) {
        if (is_fold(f, from))
            f->motion[from].event = ZW_BIFURCATION_POINT;
        if (is_fold(f, to))
            f->motion[to].event = ZW_BIFURCATION_POINT;
    }
}
