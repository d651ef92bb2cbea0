/* SPDX-License-Identifier: MIT */
/* Checks a branch against its own points. On any branch
 *
 *     the parameter turns back only at a fold that was located;
 *     between two points the number of unstable eigenvalues or multipliers changes by no more than
 *     can cross at the special points between them: one at a fold; at most two at a period
 *     doubling, a branch point or a Neimark-Sacker point; any number where an event appears or
 *     disappears.
 *
 * A contradiction means that a special point was missed, or that a located one is wrong. */
#ifndef ZW_MOTION_BRANCH_CHECK_H
#define ZW_MOTION_BRANCH_CHECK_H

#include "base/text.h"
#include "branch/curve.h"
#include "zwang/doubt.h"
#include "zwang/equilibria.h"
#include "zwang/forced.h"

/* Largest error of multipliers whose test functions are used. With an error of 1e-2 the side of the
 * unit circle would be uncertain by what a plot shows; with 1e-4 stiff orbits, whose large and
 * small multipliers differ by many orders of magnitude, would have no stability. */
#define ZW_MULTIPLIER_USABLE 1e-3

typedef struct zw_check_point {
    double value;
    int outside;          /* unstable eigenvalues or multipliers; -1 if unknown */
    zw_bifurcation event; /* the special point here; ZW_BIFURCATION_POINT if none */
} zw_check_point;

typedef enum zw_contradiction_kind {
    ZW_CONTRADICTION_NONE,
    ZW_CONTRADICTION_TURN, /* the parameter turns back without a fold */
    ZW_CONTRADICTION_COUNT /* the number of unstable ones does not match the special points */
} zw_contradiction_kind;

typedef struct zw_contradiction {
    zw_contradiction_kind kind;
    double from, to;   /* values of the parameter around the place */
    int before, after; /* COUNT only: unstable eigenvalues or multipliers at both ends */
} zw_contradiction;

/* The points of a branch, one after the other. */
typedef struct zw_check_points {
    zw_check_point (*at)(const void *self, int i);
    const void *self;
    int first, n;
} zw_check_points;

/* Returns the number of contradictions and the first of them in *out. The parameter may turn back
 * by up to `least`. */
int zw_branch_check(const zw_check_points *p, double least, zw_contradiction *out);
/* "between a = 1 and 2 m the parameter turns back, and no fold was located" */
void zw_contradiction_words(const zw_contradiction *c, const zw_parameter_range *over, char *out,
                            size_t size);
/* Special points that the continuation located only roughly, and steps over several special points
 * that it could not separate; both are counted from zw_cont_info. */
typedef struct zw_unresolved {
    int rough, unsplit;
    double rough_at, rough_by, unsplit_at, unsplit_by; /* the first of each */
} zw_unresolved;
void zw_unresolved_add(zw_unresolved *w, const zw_cont_info *info);
void zw_unresolved_warning(const zw_unresolved *w, int branch, const zw_parameter_range *over,
                           zw_warnings *out);
/* n: number of contradictions, c: the first of them. */
void zw_contradiction_warning(const zw_contradiction *c, int n, int branch,
                              const zw_parameter_range *over, zw_warnings *out);

#endif
