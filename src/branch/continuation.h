/* SPDX-License-Identifier: MIT */
/* What the files of continuation share; what it is, branch/curve.h says.
 *
 *     continuation.c          points one after another, and where a curve ends
 *     continuation_step.c     prediction, and one step of a given length
 *     continuation_correct.c  the metric, Newton's method on a plane, tangents
 *     continuation_locate.c   zeros of test functions between two points */
#ifndef ZW_BRANCH_CONTINUATION_H
#define ZW_BRANCH_CONTINUATION_H

#include "branch/curve.h"

enum { ZW_CONT_ORDER_MAX = 5, ZW_CONT_NODES = 6, ZW_CONT_NEWTON_START = 30 };
#define ZW_CONT_TURN 0.866 /* cosine of the largest angle between two tangents */

typedef struct zw_cont_place {
    double a, s;
    double *x, *tangent, *test; /* n, n + 1, ntest */
    double correction;
    int iterations;
} zw_cont_place;

typedef struct zw_cont_zero {
    int what;
    double h, exact; /* exact: the length of w->sharp, if it was found so */
    bool sharp;
} zw_cont_zero;

typedef struct zw_cont_walk {
    const zw_cont_problem *p;
    zw_cont_options o;
    zw_cont_take take;
    void *user;
    zw_cont_info *info;
    zw_cont_place start, here, next, trial, landed;
    zw_cont_place node[ZW_CONT_NODES], sharp; /* around a zero, and at it */
    int sharp_what;
    double sharp_h;
    zw_cont_zero zero[ZW_CONT_TESTS_MAX + 1]; /* between `here` and `next`, in their order */
    zw_cont_zero edge[ZW_CONT_TESTS_MAX + 1]; /* those on the bound itself */
    int nzero, nedge;
    /* length of a step to where a test function has the other sign, and at `next` not any more;
     * NaN: none */
    double inside;
    double bound;   /* that `next` is beyond */
    double refused; /* s of the nearest point to which a step was refused; NaN: none */
    double *past[ZW_CONT_ORDER_MAX]; /* n + 1: tangents of the points before, the last one first, */
    double past_step[ZW_CONT_ORDER_MAX]; /* and the steps from them to the next point */
    int npast;
    int order, used;    /* of the next prediction; of the last one */
    double convergence; /* a second correction by the square of the first; 0: not seen */
    int since;          /* steps since then */
    double *row, *b, *r, *predicted; /* n + 1, n + 1, n, n + 1 */
    double *from_test;               /* ntest: test functions at `here` for who looks at a step */
    /* ntest + 1: da/ds and the test functions at the point before `here`; NaN: there is none */
    double *told;
    /* the correction of the last call of zw_cont_newton: how far the prediction was off */
    double first;
} zw_cont_walk;

void zw_cont_copy_place(const zw_cont_walk *w, zw_cont_place *to, const zw_cont_place *from);
zw_cont_point zw_cont_point_of(const zw_cont_walk *w, const zw_cont_place *at, int what,
                               double width);
zw_status zw_cont_hand_over(zw_cont_walk *w, const zw_cont_place *at, int what, double width,
                            zw_error *err);

/* continuation_correct.c: with the weight of a */
double zw_cont_inner(const zw_cont_problem *p, const double *u, const double *v);
double zw_cont_length(const zw_cont_problem *p, const double *u);
/* The last row of the matrix: across a direction, or at fixed a. */
void zw_cont_set_plane(zw_cont_walk *w, const double *direction);
void zw_cont_set_fixed(zw_cont_walk *w);
/* Newton's method from (x, a) of `at` on this plane, `most` times at most. ZW_RETRY: it does not
 * converge. */
zw_status zw_cont_newton(zw_cont_walk *w, zw_cont_place *at, int most, bool exactly, zw_error *err);
/* The solution near `at` at its a, however far. */
zw_status zw_cont_find_at(zw_cont_walk *w, zw_cont_place *at, zw_error *err);
/* The tangent from the last factors; refactor: from the matrix at the place itself. */
zw_status zw_cont_find_tangent(zw_cont_walk *w, zw_cont_place *at, bool refactor, zw_error *err);
void *zw_cont_asks(const zw_cont_problem *p);
zw_status zw_cont_ask_tests(zw_cont_walk *w, zw_cont_place *at, zw_error *err);

/* continuation_step.c: from `here` by h into `out`, with tangent. ZW_RETRY: shorter. */
zw_status zw_cont_step_to(zw_cont_walk *w, double h, zw_cont_place *out, bool exactly,
                          zw_error *err);
/* After a step of length h to w->next: was the higher order worth it? Asked now and then. */
void zw_cont_choose_order(zw_cont_walk *w, double h);

/* continuation_locate.c: da/ds or a test function at `here`, or at the point before if it is zero
 * there. */
double zw_cont_before(const zw_cont_walk *w, int what);
/* All zeros between `here` and `next` into w->zero. What is no zero by p->confirm: *yes is false,
 * or it is left out with `force`. */
zw_status zw_cont_find_zeros(zw_cont_walk *w, double step, bool force, bool *yes, zw_error *err);
/* Does a test function pass zero between `here` and `next` and come back? Then *yes is false, and
 * w->inside lies between both zeros. */
zw_status zw_cont_find_return(zw_cont_walk *w, double step, bool *yes, zw_error *err);
/* `next` lies beyond w->bound and w->landed on it: zeros on the bound itself into w->edge. */
zw_status zw_cont_find_edge(zw_cont_walk *w, double step, zw_error *err);
/* They are told. */
zw_status zw_cont_report_zeros(zw_cont_walk *w, double step, zw_error *err);
/* `here` itself is a zero, between values of different signs: a step has met it exactly. */
zw_status zw_cont_report_here(zw_cont_walk *w, zw_error *err);
/* `next` lies beyond w->bound by a step: the length of the step that ends on it, with the point in
 * w->sharp; negative: it was not found. */
zw_status zw_cont_find_bound(zw_cont_walk *w, double step, double *found, zw_error *err);

#endif
