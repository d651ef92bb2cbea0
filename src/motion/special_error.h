/* SPDX-License-Identifier: MIT */
/* Errors of the special points of a branch, estimated from the neighbouring points, so that only
 * accurate digits are printed.
 *
 * A fold is where da/ds = 0. With an error d of da/ds its position on the branch is uncertain by
 *
 *     ds = d/|a''|,     a'' = 2 da_k/s_k^2  of the neighbour k, at the distance s_k,
 *
 * and a quantity y that changes by dy_k up to there is uncertain by |dy_k| ds/s_k. On a canard, a
 * hardly changes along the branch: its value there is accurate to all digits, the period to one or
 * two. At other special points a multiplier mu is on the unit circle, and with an error e of mu
 *
 *     da = e/|dmu/da|,     dy = |dy/da| da.
 *
 * In both cases a also has the error of the orbits: at the nodes of a mesh of m Gauss points it is
 * about the power 2 m/(m + 1) of the error between them. */
#ifndef ZW_MOTION_SPECIAL_ERROR_H
#define ZW_MOTION_SPECIAL_ERROR_H

#include "zwang/forced.h"

typedef struct zw_special_point {
    double value;           /* a */
    double quantity;        /* y, for example the period */
    zw_bifurcation event;   /* ZW_BIFURCATION_POINT if it is no special point */
    int n;                  /* multipliers; 0 if unknown */
    const double *re, *im;  /* n each */
    int trivial;            /* multipliers that are always 1 */
    double accuracy;        /* of multipliers or exponents, absolute */
    int nexponent;          /* quasi-periodic motions: Lyapunov exponents instead of multipliers */
    const double *exponent; /* nexponent */
    double error;           /* of the motion, relative; NaN if unknown */
} zw_special_point;

typedef struct zw_special_points {
    zw_special_point (*at)(const void *self, int i);
    const void *self;
    int first, n;
    double range; /* of a */
    double power; /* the error of a special point is the error of the motion to this power */
} zw_special_points;

/* Errors of a and of the quantity at special point i, numbered as in `at`; 0 if it is not known to
 * exceed round-off. */
void zw_special_error(const zw_special_points *p, int i, double *value, double *quantity);

#endif
