/* SPDX-License-Identifier: MIT */
/* Checks a branch against its own points. On any branch
 *
 *     the parameter turns back only at a fold that was located;
 *     between two points the number of unstable eigenvalues or multipliers changes by as many as
 *     cross at the special points between them: one at a fold, at most two at a period doubling,
 *     where
 *     branches meet and at a Neimark-Sacker point, and any number where an event appears or
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

typedef struct zw_check_point {
    double value;
    int outside;          /* unstable eigenvalues or multipliers; -1: not known well enough */
    zw_bifurcation event; /* the special point that this is; ZW_BIFURCATION_POINT: none */
} zw_check_point;

typedef enum zw_contradiction_kind {
    ZW_CONTRADICTION_NONE,
    ZW_CONTRADICTION_TURN, /* the parameter turns back without a fold */
    ZW_CONTRADICTION_COUNT /* the number of unstable ones does not match the special points */
} zw_contradiction_kind;

typedef struct zw_contradiction {
    zw_contradiction_kind kind;
    double from, to;   /* of the parameter, around the place */
    int before, after; /* COUNT: unstable ones at both ends */
} zw_contradiction;

/* The points of a branch, one after the other. */
typedef struct zw_check_points {
    zw_check_point (*at)(const void *self, int i);
    const void *self;
    int first, n;
} zw_check_points;

/* Returns how many contradictions there are; the first of them into *out. Turns by less than
 * `least` of the parameter are none. */
int zw_branch_check(const zw_check_points *p, double least, zw_contradiction *out);
/* "between a = 1 and 2 m the parameter turns back, and no fold was located" */
void zw_contradiction_words(const zw_contradiction *c, const zw_parameter_range *over, char *out,
                            size_t size);
/* Special points that a walk located roughly, and steps over several of them that could not be
 * split; both by zw_cont_info. */
typedef struct zw_walk_open {
    int rough, unsplit;
    double rough_at, rough_by, unsplit_at, unsplit_by; /* the first of each */
} zw_walk_open;
void zw_walk_note(zw_walk_open *w, const zw_cont_info *info);
void zw_walk_warning(const zw_walk_open *w, int branch, const zw_parameter_range *over,
                     zw_warnings *out);
/* A line with an indent of four in the text of a branch, and the warning. n: how many there are, c
 * the first of them. */
void zw_contradiction_put(zw_text *out, const zw_contradiction *c, int n,
                          const zw_parameter_range *over);
void zw_contradiction_warning(const zw_contradiction *c, int n, int branch,
                              const zw_parameter_range *over, zw_warnings *out);

#endif
