/* SPDX-License-Identifier: MIT */
/* Bounds of functions and observables at any points of the period, and the forces there. */
#ifndef ZW_MOTION_GAUSS_GAUSS_INTEGRAL_POINTS_H
#define ZW_MOTION_GAUSS_GAUSS_INTEGRAL_POINTS_H

#include "gauss_integral_parts.h"

typedef struct zw_gauss_points {
    zw_gauss_integral *g;
    const zw_gauss_bound_options *bounds;
    int points;   /* points of the period */
    int n;        /* bounds x points; bound b at point i is entry i nbound + b */
    int capacity; /* points that memory is allocated for, a multiple of 8 */
    double *tau;
    double *value; /* n: sign*(value - limit), which must not be positive */
    double *slope; /* n x unknowns */
    double *force; /* n */
    double *t, *x, *z, *obs, *obs_jac, *mats;
} zw_gauss_points;

/* Allocates memory for points_max points from an arena, which owns it. */
zw_status zw_gauss_points_make(zw_gauss_points *s, zw_arena *arena, zw_gauss_integral *g,
                               const zw_gauss_bound_options *bounds, int points_max, zw_error *err);
/* The values at tau (points) of the motion x, and on request their derivatives with respect to
 * x. */
void zw_gauss_points_evaluate(zw_gauss_points *s, const double *x, bool slopes);
/* The forces of the bounds there, after zw_gauss_points_evaluate with slopes. */
void zw_gauss_points_forces(zw_gauss_points *s);
double zw_gauss_points_highest(const zw_gauss_points *s);

#endif
