/* SPDX-License-Identifier: MIT */
/* Minimisation under bounds: what its solvers share. */
#ifndef ZW_MOTION_GAUSS_GAUSS_INTEGRAL_BOUND_H
#define ZW_MOTION_GAUSS_GAUSS_INTEGRAL_BOUND_H

#include "gauss_integral_points.h"
#include "motion/harmonic/balance.h"

typedef struct zw_gauss_bounding {
    zw_gauss_integral *g;
    const zw_gauss_bound_options *options;
    zw_gauss_points points; /* where the bounds hold */
    double *x;              /* unknowns */
    double *multiplier;     /* of them */
    double size;            /* of the bounds' values */
    bool exact;             /* there are second derivatives */
    zw_gauss_result *result;
} zw_gauss_bounding;

zw_status zw_gauss_barrier(zw_gauss_bounding *b, zw_error *err);
zw_status zw_gauss_ipopt(zw_gauss_bounding *b, zw_error *err);

#endif
