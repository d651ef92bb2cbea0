/* SPDX-License-Identifier: MIT */
/* Continuation: a curve of solutions (x, a) of n equations for n + 1 numbers,
 *
 *     r(x, a) = 0,        followed in its arclength s,     ds^2 = <dx, dx> + (da/unit)^2,
 *
 * through its folds, where da/ds = 0. From a point with tangent T a step of length ds is predicted
 * along the parabola through it and corrected by Newton's method on the plane across T,
 *
 *     [ r_x  r_a ] [ dx ]   [ -r                    ]
 *     [    T'    ] [ da ] = [ ds - T.(x - x_0, a - a_0) ],
 *
 * whose matrix is regular at folds. What the equations are, in which form they keep their matrix,
 * what is small and what else is asked of a solution is the problem's affair: steady motions,
 * periodic ones by harmonic balance or collocation, curves of folds.
 *
 * Along the way test functions of the problem, and da/ds itself, are watched: where one changes
 * sign the place is located and told. Two zeros of one function within a step change no sign: who
 * knows how many there must be looks at every new point, and refuses steps that pass over too much
 * (`accept`). */
#ifndef ZW_BRANCH_CURVE_H
#define ZW_BRANCH_CURVE_H

#include <stdbool.h>

#include "zwang/motion.h"

enum { ZW_CONT_TESTS_MAX = 8 };

typedef struct zw_cont_point zw_cont_point;

typedef struct zw_cont_problem {
    void *self;
    int n;
    double unit;   /* of a in the arclength */
    bool multiple; /* roots may be multiple: iteration ends when the corrections stop decreasing */
    /* r (n). Here and below ZW_RETRY: there is no value at this place, a shorter step may find
     * one. */
    zw_status (*residual)(void *self, const double *x, double a, double *r, zw_error *err);
    /* Factor the matrix of r_x, r_a and the last row (n + 1), at a place where the residual has
     * just been asked for. */
    zw_status (*factor)(void *self, const double *x, double a, const double *row, zw_error *err);
    /* Solve with these factors, b (n + 1) in place. */
    void (*solve)(void *self, double *b);
    double (*inner)(void *self, const double *u, const double *v);
    int ntest;
    /* Functions (ntest) whose zeros are told, at a solution; slope is da/ds. They may jump, which
     * is no zero: NaN is passed over. May be NULL if there is none. */
    zw_status (*tests)(void *self, const double *x, double a, double slope, double *value,
                       zw_error *err);
    /* row (n) such that row.v = inner(u, v) for all v; NULL: found by asking for the products one
     * by one. */
    void (*dual)(void *self, const double *u, double *row);
    /* At a new point: may the sizes by which `inner` measures change? True: they did. NULL:
     * never. */
    bool (*measure)(void *self, const double *x, double a);
    /* At a new point: may its unknowns change their meaning, as those of a mesh do? Then n vectors
     * (as long as x and a), the first of them the point, the last but one the start of the curve
     * and the others directions, are moved in place, and *moved is true: they are measured anew.
     * There are as many unknowns as before. NULL: never. */
    zw_status (*adapt)(void *self, double a, int n, double **vector, bool *moved, zw_error *err);
    /* what `tests`, `measure`, `accept` and `confirm` get in place of self: who asks more of
     * solutions than the problem knows; NULL: self */
    void *asks;
    /* At a new point `to`, just after its test functions and before anything that lies between is
     * located: may the step from `from` be taken? If not it is taken again, half as long, down to
     * options.split. NULL: always. */
    zw_status (*accept)(void *self, const zw_cont_point *from, const zw_cont_point *to, bool *yes,
                        zw_error *err);
    /* A zero as it was located, before it is told: is it one? If not the step is refused as above,
     * and at the end the zero is not told. NULL: always. */
    zw_status (*confirm)(void *self, const zw_cont_point *zero, bool *yes, zw_error *err);
    bool returns; /* look for test functions that pass zero and come back within a step */
} zw_cont_problem;

enum { ZW_CONT_NOTHING = -1, ZW_CONT_FOLD = -2, ZW_CONT_BOUND = -3 };

struct zw_cont_point {
    double a, s;           /* s: the arclength from the start */
    const double *x;       /* n */
    const double *tangent; /* n + 1 */
    const double *test;    /* ntest */
    /* the test function that is zero here, or ZW_CONT_FOLD, ZW_CONT_BOUND, ZW_CONT_NOTHING */
    int what;
    double width; /* of the interval of s in which it was located */
    /* the last one of Newton's method, in s: about its square is left as an error */
    double correction;
    int iterations;
    double slope; /* da/ds */
};

/* Eigenvalues or multipliers leave the stable side one by one or two by two: may `change` more of
 * them lie beyond after so many passages of one and of two? */
bool zw_cont_explains(int change, int ones, int pairs);
/* Does a test function (0 to ntest - 1), or da/ds (ZW_CONT_FOLD), change its sign between two
 * points? False where one of them is not known. */
bool zw_cont_changes(const zw_cont_point *from, const zw_cont_point *to, int what);

typedef struct zw_cont_options {
    size_t size;               /* of this struct, for the library */
    double low, high;          /* the range of a, -infinite to infinite */
    double step;               /* the first one, in s: 0.01 */
    double step_min, step_max; /* 1e-9, 1 */
    double tolerance;          /* of x and a, in s: 1e-10 */
    double stray;   /* from prediction to solution, in s: what steps are chosen for, 1e-3 */
    int points_max; /* 10000 */
    bool natural;   /* steps in a: they end at folds. false */
    bool locate;    /* true */
    /* n + 1: the direction in which it begins, and across which the start is corrected, instead of
     * that of a; may be NULL */
    const double *toward;
    /* of predictions, 2 to 5: tangents of so many points are extrapolated, where that is seen to be
     * better than with 2, which is the default */
    int order;
    /* one correction is enough where, by the convergence that was seen, the next one would be
     * within the tolerance. false */
    bool quick;
    double split; /* in s: steps that are refused are not made shorter than this, 1e-6 */
} zw_cont_options;
void zw_cont_options_init(zw_cont_options *options, size_t size);
static inline zw_cont_options zw_cont_options_default(void) {
    zw_cont_options o;
    zw_cont_options_init(&o, sizeof o);
    return o;
}

/* Takes a point; ZW_STOPPED: enough. */
typedef zw_status (*zw_cont_take)(void *user, const zw_cont_point *point, zw_error *err);

/* From about x (n), a, in the direction of growing a (direction 1) or falling a (-1) there. The
 * start is corrected at fixed a, and is the first point that is taken; x holds the last one at the
 * end. ZW_E_NUMERIC: there is no solution near the start. alloc may be NULL (malloc). */
zw_status zw_continue(const zw_cont_problem *problem, const zw_cont_options *options, double *x,
                      double a, int direction, zw_cont_take take, void *user, zw_cont_info *info,
                      const zw_allocator *alloc, zw_error *err);
/* The solution near x (n) at fixed a, in place. ZW_E_NUMERIC: none was found, x has the best one.
 * iterations may be NULL. */
zw_status zw_cont_correct(const zw_cont_problem *problem, double tolerance, double *x, double a,
                          int *iterations, const zw_allocator *alloc, zw_error *err);

#endif
