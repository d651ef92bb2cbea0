/* SPDX-License-Identifier: MIT */
/* Curves of special points in two parameters a and b. The motions r(x, a, b) = 0 are a surface; a
 * special point is where a function g of them vanishes,
 *
 *     fold              da/ds of the motions at fixed b, s such that a fixed functional of (x, a)
 *                       grows by 1
 *     period doubling   prod (mu_i + 1)             branch point   prod (mu_i - 1)
 *     Neimark-Sacker    prod_{i<j} (mu_i mu_j - 1)
 *
 * with the Floquet multipliers mu, without the one that is always 1 in an autonomous system. Each
 * factor mu +- 1 is divided by 1 + |mu|, which moves no zero and bounds the product. Newton's
 * method needs the derivatives of g within the surface alone: with the tangents
 *
 *     t_1 = (x_s, a_s, 0),     t_2 = (x_b, a_b, 1),     the functional of t_2 zero,
 *
 * and the step y to the surface, d = y + alpha t_1 + beta t_2 satisfies g + g(y) + alpha g_1 + beta
 * g_2 = 0, where g(y) is the change of g by the step y. g_1, g_2 and r_b are central differences:
 * they determine how fast the method converges, not what it converges to. Where a curve of folds
 * turns in b while a does not change along it, two folds meet: a cusp. */
#ifndef ZW_MOTION_SPECIAL_POINT_CURVE_H
#define ZW_MOTION_SPECIAL_POINT_CURVE_H

#include "base/arena.h"
#include "zwang/continuation.h"
#include "zwang/forced.h"

/* The motions: a problem in (x, a) for every b. */
typedef struct zw_mark_surface {
    void *user;
    zw_cont_problem own; /* at the b that was set last */
    double range;        /* of b, absolute */
    zw_status (*set_second)(void *user, double b, zw_error *err);
    /* *out: valid up to the next call; NULL if they cannot be found */
    zw_status (*multipliers)(void *user, const double *x, double a, const zw_floquet **out,
                             zw_error *err);
    /* g of special points of another kind than those above; NULL if there are none. *g: NaN if
     * unknown */
    zw_status (*function)(void *user, const double *x, double a, double *g, zw_error *err);
    int ntest; /* functions along the curve whose zeros are reported */
    zw_status (*tests)(void *user, const double *X, double b, double *value, zw_error *err);
} zw_mark_surface;

typedef struct zw_special_curve {
    zw_mark_surface on;
    zw_bifurcation kind;
    double *plane;         /* n + 1: the functional */
    double *t1, *t2;       /* n + 1; t2 has db = 1 */
    double g1, g2;         /* at the point of the matrix */
    double *now, now_b, g; /* n + 1: the point of the residual, and g there */
    double *at, at_b;      /* n + 1: the point of the matrix */
    double *row;           /* n + 2 */
    double *work, *r, *r2; /* n + 2, n + 1, n + 1 */
    bool memory_failed;    /* in solve, which returns no status; the next residual reports it */
} zw_special_curve;

/* Largest part of a in a unit tangent at a cusp, where it is zero: a curve of folds that turns in b
 * with a smaller one has a cusp. It is a difference of points known to 1e-10; at an
 * ordinary turn in b the tangent is mostly along a. */
#define ZW_MARK_STILL 1e-4

/* The second parameter from its text. It must differ from the first, and its range must contain the
 * value of the model (p). */
zw_status zw_special_curve_second(zw_parameter_range *out, const zw_system *sys, const char *text,
                                  const zw_parameter_range *first, const double *p, zw_error *err);
/* From the special point X = (x, a) (n + 1) at b. toward (n + 1): a direction in which motions
 * change along their curve there. Memory comes from the arena. ZW_RETRY: the special point has no
 * neighbours. */
zw_status zw_special_curve_make(zw_special_curve *m, zw_arena *arena, const zw_mark_surface *on,
                                zw_bifurcation kind, const double *X, double b,
                                const double *toward, zw_error *err);
/* The curve as a problem in X and b; it keeps a pointer to m. */
/* In X and b; it points to m. */
zw_cont_problem zw_special_curve_problem(zw_special_curve *m);
/* The plane orthogonal to the motions of fixed b here: the functional of the next step. */
zw_status zw_special_curve_turn(zw_special_curve *m, const double *X, double b, zw_error *err);

/* On a curve of folds: the curvature dg/ds of the motions of fixed b at a fold. It is zero where
 * two folds meet. NaN if unknown. */
zw_status zw_special_curve_bend(zw_special_curve *m, const double *X, double b, double *bend,
                                zw_error *err);

#endif
