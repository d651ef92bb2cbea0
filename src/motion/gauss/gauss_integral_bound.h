/* SPDX-License-Identifier: MIT */
/* Minimisation under bounds: the problem that its solvers share. */
#ifndef ZW_MOTION_GAUSS_GAUSS_INTEGRAL_BOUND_H
#define ZW_MOTION_GAUSS_GAUSS_INTEGRAL_BOUND_H

#include "gauss_integral_points.h"

typedef struct zw_gauss_bounding {
    zw_gauss_integral *g;
    const zw_gauss_bound_options *options;
    zw_gauss_points points; /* points at which the bounds are enforced */
    double *x;              /* unknowns */
    double *multiplier;     /* bounds x points: multipliers of the bounds */
    double size;            /* largest limit, or 1 if all are zero */
    bool exact;             /* second derivatives of the Gaussian are available */
    zw_gauss_result *result;
} zw_gauss_bounding;

zw_status zw_gauss_barrier(zw_gauss_bounding *b, zw_error *err);
zw_status zw_gauss_ipopt(zw_gauss_bounding *b, zw_error *err);

#endif
