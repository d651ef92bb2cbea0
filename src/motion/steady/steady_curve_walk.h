/* SPDX-License-Identifier: MIT */
/* What the files of curves of steady motions over one value share: the walk along a curve.
 *
 *     steady_curve_follow.c  the problem for zw_continue, its points
 *     steady_curve_look.c    test functions, and what a step may pass over
 *     steady_curve_switch.c  another curve at a branch point */
#ifndef ZW_MOTION_STEADY_STEADY_CURVE_WALK_H
#define ZW_MOTION_STEADY_STEADY_CURVE_WALK_H

#include "branch/curve.h"
#include "steady_curve.h"

enum {
    ZW_STEADY_TEST_HOPF,
    ZW_STEADY_TEST_BRANCH,
    ZW_STEADY_TEST_SHRINKS,
    ZW_STEADY_WALK_TESTS,
    ZW_STEADY_UNKNOWN = 1 << 20
};

typedef struct zw_steady_walk {
    zw_steady_curve *c;
    double b;
    const double *aim; /* N: the first point of another curve as it was predicted; NULL: none is */
    double aside;      /* its distance from the branch point */
    bool missed;       /* it was not there, */
    bool outside;      /* or out of the range */
    bool away;         /* the state has left */
    /* eigenvalues: of the last point of which it is known, and of that at which tests were asked
     * last; -1: not known */
    int growing, now;
    double step;               /* its length, */
    bool crosses;              /* with a change of sign of the function that is zero at crossings */
    int ones, pairs;           /* changes of sign since then: by one eigenvalue, by a pair, */
    int step_ones, step_pairs; /* and in the step that is looked at, */
    double crossed; /* s of a crossing in it, or of where the motion shrinks; NaN: there is none */
    bool shrinks, shrunk;       /* the latter is so; it was told */
    double imperfection, slope; /* of this crossing; da/ds there */
    int change;                 /* with so many more that grow; ZW_STEADY_UNKNOWN: not known */
} zw_steady_walk;

/* Along the curve through X (N) at a, in a direction, or toward one (N + 1). */
zw_status zw_steady_walk_go(zw_steady_walk *w, double *X, double a, int direction,
                            const double *toward, zw_cont_info *info, zw_error *err);
/* The sizes by which the arclength measures the state begin with one; own: what is small where the
 * curve begins is measured by itself. */
void zw_steady_walk_measure(zw_steady_curve *c, const double *X, double size, bool own);

/* steady_curve_look.c: for zw_cont_problem; self: the walk */
zw_status zw_steady_walk_tests(void *self, const double *X, double a, double slope, double *value,
                               zw_error *err);
zw_status zw_steady_walk_accept(void *self, const zw_cont_point *from, const zw_cont_point *to,
                                bool *yes, zw_error *err);
zw_status zw_steady_walk_confirm(void *self, const zw_cont_point *p, bool *yes, zw_error *err);
/* A point was taken, with the eigenvalues of the last spectrum. */
void zw_steady_walk_keep(zw_steady_walk *w);
/* How many of these are as good as zero. */
int zw_steady_walk_zeros(const zw_steady_curve *c);
/* Is da/ds zero because the curve turns, and not because another one crosses? */
bool zw_steady_walk_is_fold(zw_steady_walk *w, const zw_cont_point *p);

#endif
