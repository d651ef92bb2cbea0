/* SPDX-License-Identifier: MIT */
/* Curves of marks in two parameters a and b. The motions r(x, a, b) = 0 are a surface; a mark is
 * where a function g of them vanishes,
 *
 *     fold              da/ds of the motions at fixed b, s such that a fixed functional of (x, a)
 *                       grows by 1
 *     period doubling   prod (mu_i + 1)             branch point   prod (mu_i - 1)
 *     Neimark-Sacker    prod_{i<j} (mu_i mu_j - 1)
 *
 * with Floquet's multipliers mu, without the one of an autonomous system that is 1 anyway. Newton's
 * method needs the derivatives of g within the surface alone: with the tangents
 *
 *     t_1 = (x_s, a_s, 0),     t_2 = (x_b, a_b, 1),     the functional of t_2 zero,
 *
 * and the step y to the surface, d = y + alpha t_1 + beta t_2 fulfils g + g(y) + alpha g_1 + beta
 * g_2 = 0. g_1, g_2, r_b are central differences: they steer the method, and what it finds is where
 * r and g vanish. Where a curve of folds turns in b while it does not move in a, two folds meet: a
 * cusp. */
#ifndef ZW_MOTION_SPECIAL_POINT_CURVE_H
#define ZW_MOTION_SPECIAL_POINT_CURVE_H

#include "base/arena.h"
#include "branch/curve.h"
#include "zwang/forced.h"

/* The motions: a problem in (x, a) for every b. */
typedef struct zw_mark_surface {
    void *user;
    zw_cont_problem own; /* at the b that was set last */
    double range;        /* of b */
    zw_status (*set_second)(void *user, double b, zw_error *err);
    /* *out: valid up to the next call; NULL: they cannot be found */
    zw_status (*multipliers)(void *user, const double *x, double a, const zw_floquet **out,
                             zw_error *err);
    /* g of marks of another kind than those above; NULL: there are none. NaN: it is not known */
    zw_status (*function)(void *user, const double *x, double a, double *g, zw_error *err);
    int ntest; /* of functions of the marks whose zeros are told */
    zw_status (*tests)(void *user, const double *X, double b, double *value, zw_error *err);
} zw_mark_surface;

typedef struct zw_special_curve {
    zw_mark_surface on;
    zw_bifurcation kind;
    double *plane;         /* n + 1: the functional */
    double *t1, *t2;       /* n + 1; t2 has db = 1 */
    double g1, g2;         /* at the place of the matrix */
    double *now, now_b, g; /* n + 1: the place of the residual, and g there */
    double *at, at_b;      /* n + 1: this place */
    double *row;           /* n + 2 */
    double *work, *r, *r2; /* n + 2, n + 1, n + 1 */
    bool starved; /* memory was short where nothing can be told: the next residual tells it */
} zw_special_curve;

/* A part of a tangent in a: it does not move, so that a curve of folds that turns in b has a
 * cusp. */
#define ZW_MARK_STILL 1e-4

/* The second parameter from its text: another one than the first, and the model's value (p) within
 * its range. */
zw_status zw_special_curve_second(zw_parameter_range *out, const zw_system *sys, const char *text,
                                  const zw_parameter_range *first, const double *p, zw_error *err);
/* From the mark X = (x, a) (n + 1) at b. toward (n + 1): a direction in which motions change along
 * their curve there. Memory is the arena's. ZW_RETRY: the mark has no neighbours. */
zw_status zw_special_curve_make(zw_special_curve *m, zw_arena *arena, const zw_mark_surface *on,
                                zw_bifurcation kind, const double *X, double b,
                                const double *toward, zw_error *err);
/* In X and b; it points to m. */
zw_cont_problem zw_special_curve_problem(zw_special_curve *m);
/* The plane across the motions of fixed b here: the functional of the next step. */
zw_status zw_special_curve_turn(zw_special_curve *m, const double *X, double b, zw_error *err);

/* On a curve of folds: how much the motions of fixed b bend at a fold, dg/ds. It is zero where two
 * folds meet. NaN: not known. */
zw_status zw_special_curve_bend(zw_special_curve *m, const double *X, double b, double *bend,
                                zw_error *err);

#endif
