/* SPDX-License-Identifier: MIT */
/* What the sources of continuation share; zwang/continuation.h states the method.
 *
 *     continuation.c          points one after another, and where a curve ends
 *     continuation_step.c     prediction, and one step of a given length
 *     continuation_correct.c  the metric, Newton's method on a plane, tangents
 *     continuation_locate.c   zeros of test functions between two points */
#ifndef ZW_BRANCH_CONTINUATION_H
#define ZW_BRANCH_CONTINUATION_H

#include "zwang/continuation.h"

enum { ZW_CONT_ORDER_MAX = 5, ZW_CONT_NODES = 6, ZW_CONT_NEWTON_START = 30 };
#define ZW_CONT_TURN 0.866 /* cosine of the largest angle between two tangents, 30 degrees */

/* A point of the curve with its workspace. */
typedef struct zw_cont_place {
    double a, s;                /* parameter, arclength */
    double *x, *tangent, *test; /* n, n + 1, ntest */
    double correction;          /* the last one of Newton's method, in s */
    int iterations;
} zw_cont_place;

/* A zero between `here` and `next`. */
typedef struct zw_cont_zero {
    int what;     /* test function, ZW_CONT_FOLD or ZW_CONT_BOUND */
    double h;     /* length of the step to it, within [0, step] */
    double exact; /* if `refined`: the same as interpolated, not limited to [0, step] */
    bool refined; /* located by interpolation */
} zw_cont_zero;

/* The continuation of one curve. */
typedef struct zw_cont_state {
    const zw_cont_problem *p;
    zw_cont_options o;
    zw_cont_take take;
    void *user;
    zw_cont_info *info;
    zw_cont_place start, here, next, trial;
    zw_cont_place on_bound;            /* the point of a step on w->bound */
    zw_cont_place node[ZW_CONT_NODES]; /* around a zero, for interpolation */
    /* at the zero of refined_what, after a step of length refined_h */
    zw_cont_place refined;
    int refined_what; /* ZW_CONT_NOTHING: `refined` holds no interpolated zero */
    double refined_h;
    zw_cont_zero zero[ZW_CONT_TESTS_MAX + 1]; /* nzero: between `here` and `next`, ascending */
    zw_cont_zero edge[ZW_CONT_TESTS_MAX + 1]; /* nedge: those on the bound itself */
    int nzero, nedge;
    /* length of a step to a point where a test function has the other sign, which it has no more at
     * `next`; NaN if there is none */
    double sign_inside;
    double bound;      /* the bound of a that `next` is beyond */
    double rejected_s; /* s of the nearest point to which a step was rejected; NaN if none */
    /* npast vectors of n + 1: tangents at the previous points, the latest first */
    double *past[ZW_CONT_ORDER_MAX];
    double past_step[ZW_CONT_ORDER_MAX]; /* npast: the steps from these points to the next ones */
    int npast;
    int order, used; /* order of the next prediction, of the last one */
    /* second correction of Newton's method over the square of the first; 0 if never seen */
    double convergence;
    int since;                       /* steps since `convergence` was measured */
    double *row, *b, *r, *predicted; /* n + 1, n + 1, n, n + 1 */
    double *from_test;               /* ntest: test functions at `here`, for `accept` */
    /* ntest + 1: da/ds and the test functions at the point before `here`; NaN if there is none */
    double *last_test;
    /* the first correction of the last call of zw_cont_newton: the error of the prediction */
    double first;
} zw_cont_state;

void zw_cont_copy_place(const zw_cont_state *w, zw_cont_place *to, const zw_cont_place *from);
zw_cont_point zw_cont_point_of(const zw_cont_state *w, const zw_cont_place *at, int what,
                               double width);
/* Pass a point to the caller's function. */
zw_status zw_cont_report(zw_cont_state *w, const zw_cont_place *at, int what, double width,
                         zw_error *err);

/* continuation_correct.c: the inner product and its length, da included. */
double zw_cont_inner(const zw_cont_problem *p, const double *u, const double *v);
double zw_cont_length(const zw_cont_problem *p, const double *u);
/* The last row of the matrix: perpendicular to a direction, or a fixed. */
void zw_cont_set_plane(zw_cont_state *w, const double *direction);
void zw_cont_set_fixed(zw_cont_state *w);
/* At most `most` iterations of Newton's method from (x, a) of `at` on this plane; `exactly`: down
 * to the tolerance, not only to where the next correction would be within it. ZW_RETRY: no
 * convergence. */
zw_status zw_cont_newton(zw_cont_state *w, zw_cont_place *at, int most, bool exactly,
                         zw_error *err);
/* The solution near `at` at its a, by a damped iteration first. */
zw_status zw_cont_find_at(zw_cont_state *w, zw_cont_place *at, zw_error *err);
/* The tangent from the last factors, or with `refactor` from the matrix at the point itself. */
zw_status zw_cont_find_tangent(zw_cont_state *w, zw_cont_place *at, bool refactor, zw_error *err);
/* The first argument of the problem's `tests`, `measure`, `accept` and `confirm`. */
void *zw_cont_tests_self(const zw_cont_problem *p);
zw_status zw_cont_evaluate_tests(zw_cont_state *w, zw_cont_place *at, zw_error *err);

/* continuation_step.c: from `here` by h into `out`, with tangent. ZW_RETRY: try a shorter step. */
zw_status zw_cont_step_to(zw_cont_state *w, double h, zw_cont_place *out, bool exactly,
                          zw_error *err);
/* After a step of length h to w->next: was the higher order worth it? Checked every few steps. */
void zw_cont_choose_order(zw_cont_state *w, double h);

/* continuation_locate.c: da/ds or a test function at `here`, or at the point before if it is zero
 * there. */
double zw_cont_before(const zw_cont_state *w, int what);
/* All zeros between `here` and `next` into w->zero. Where p->confirm denies one, *yes becomes
 * false, or with `force` the zero is left out. */
zw_status zw_cont_find_zeros(zw_cont_state *w, double step, bool force, bool *yes, zw_error *err);
/* Does a test function pass zero between `here` and `next` and come back? Then *yes is false, and
 * w->sign_inside lies between both zeros. */
zw_status zw_cont_find_return(zw_cont_state *w, double step, bool *yes, zw_error *err);
/* `next` lies beyond w->bound and w->on_bound on it: zeros on the bound itself into w->edge. */
zw_status zw_cont_find_edge(zw_cont_state *w, double step, zw_error *err);
/* Report the zeros in w->zero. */
zw_status zw_cont_report_zeros(zw_cont_state *w, double step, zw_error *err);
/* Report the zeros at `here` itself, between values of different signs: a step ended on them. */
zw_status zw_cont_report_here(zw_cont_state *w, zw_error *err);
/* `next` lies beyond w->bound: the length of the step that ends on the bound, with the point in
 * w->refined; negative if it was not found. */
zw_status zw_cont_find_bound(zw_cont_state *w, double step, double *found, zw_error *err);

#endif
