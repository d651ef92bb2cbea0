/* SPDX-License-Identifier: MIT */
/* Turns that are rounding. Where a curve leaves another one, at a period doubling or where a
 * symmetry is broken, the parameter goes with an even power of the distance e,
 *
 *     a = a_0 + k e^m,        m = 2, 4, 8, ...,
 *
 * and da/ds is rounding as long as k e^m is: it changes its sign as at folds. A fold is believed if
 * the parameter turns by more than it is known. Between the values at the folds, first and last
 * point a is monotonous; the shortest of these ways, if it is rounding, goes with both of its
 * folds, or with the one if its other end is an end of the curve, and the ways beside it become
 * one. So of three turns at a fold that is one, one stays. */
#include <math.h>

#include "forced.h"

#define TURNS 1e-9    /* of the range, by which the parameter turns at a fold at least */
#define ROUNDED 1e-13 /* of the parameter itself */

static int next_fold(const zw_forced *f, int from, int end) {
    while (from < end && f->motion[from].event != ZW_BIFURCATION_FOLD)
        from++;
    return from;
}

static bool is_fold(const zw_forced *f, int i) {
    return f->motion[i].event == ZW_BIFURCATION_FOLD;
}

/* the shortest way between neighbours among first point, folds and last point, of which one at
 * least is a fold; false: there is none */
static bool find_shortest(const zw_forced *f, int first, int last, int *from, int *to) {
    double least = INFINITY;
    for (int i = first; i < last;) {
        int k = next_fold(f, i + 1, last);
        double way = fabs(f->motion[k].value - f->motion[i].value);
        if ((is_fold(f, i) || is_fold(f, k)) && way < least) {
            least = way;
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
    return fabs(a - b) <= fmax(TURNS * range, ROUNDED * size);
}

void zw_forced_remove_false_folds(zw_forced *f, int curve) {
    const zw_forced_curve *c = &f->curve[curve];
    int first =
            c->first + (c->from != 0), /* where it leaves another one it is located less exactly */
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
