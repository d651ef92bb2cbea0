/* SPDX-License-Identifier: MIT */
/* What the sources of curves of steady motions over one value share.
 *
 *     steady_curve_follow.c  the problem for zw_continue, its points
 *     steady_branch_tests.c  test functions, and which steps are accepted
 *     steady_curve_switch.c  another curve at a branch point */
#ifndef ZW_MOTION_STEADY_STEADY_BRANCH_H
#define ZW_MOTION_STEADY_STEADY_BRANCH_H

#include "steady_curve.h"

enum {
    ZW_STEADY_TEST_HOPF,
    ZW_STEADY_TEST_BRANCH,
    ZW_STEADY_TEST_SHRINKS,
    ZW_STEADY_BRANCH_TESTS,
    ZW_STEADY_UNKNOWN = 1 << 20
};

/* The continuation of one curve. */
typedef struct zw_steady_branch {
    zw_steady_curve *c;
    double b;
    const double *predicted; /* N: the predicted first point of another curve; NULL if none */
    double distance;         /* its distance from the branch point */
    bool missed;             /* the other curve was not met there */
    bool outside;            /* the first point is outside the range */
    bool diverged;           /* the state has diverged */
    int growing;     /* growing eigenvalues at the last point where they are known; -1: unknown */
    int growing_now; /* and at the last evaluation of the test functions */
    double step;     /* its length */
    bool crosses;    /* the test function of crossings changes its sign in this step */
    int ones, pairs; /* sign changes since `growing` was known: by one eigenvalue, by a pair */
    int step_ones, step_pairs; /* and in the current step */
    double crossed;      /* s of a crossing in it, or where the motion comes to rest; NaN if none */
    bool shrinks;        /* `crossed` is where the motion comes to rest */
    bool at_rest;        /* this has been reported */
    double imperfection; /* of the crossing */
    double slope;        /* da/ds there */
    int change;          /* of the number of growing eigenvalues in the step; ZW_STEADY_UNKNOWN */
} zw_steady_branch;

/* Follow the curve through X (N) at a, in a direction, or toward one (N + 1). */
zw_status zw_steady_branch_follow(zw_steady_branch *w, double *X, double a, int direction,
                                  const double *toward, zw_cont_info *info, zw_error *err);
/* Set the units of the arclength to `size`; own: an entry that is small at the start is measured by
 * itself. */
void zw_steady_branch_measure(zw_steady_curve *c, const double *X, double size, bool own);

/* steady_branch_tests.c: for zw_cont_problem; self: a zw_steady_branch */
zw_status zw_steady_branch_tests(void *self, const double *X, double a, double slope, double *value,
                                 zw_error *err);
zw_status zw_steady_branch_accept(void *self, const zw_cont_point *from, const zw_cont_point *to,
                                  bool *yes, zw_error *err);
zw_status zw_steady_branch_confirm(void *self, const zw_cont_point *p, bool *yes, zw_error *err);
/* Record an accepted point, with the eigenvalues of the last spectrum. */
void zw_steady_branch_record(zw_steady_branch *w);
/* The number of these that are zero to working accuracy. */
int zw_steady_branch_zeros(const zw_steady_curve *c);
/* Is da/ds zero because the curve turns, and not because another one crosses? */
bool zw_steady_branch_is_fold(zw_steady_branch *w, const zw_cont_point *p);

#endif
