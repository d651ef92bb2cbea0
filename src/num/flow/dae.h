/* SPDX-License-Identifier: MIT */
/* The equations of motion as one implicit system R(t, Y, Y') = 0 for solvers of
 * differential-algebraic equations; the mathematics is at the head of dae.c. */
#ifndef ZW_NUM_FLOW_DAE_H
#define ZW_NUM_FLOW_DAE_H

#include "flow.h"

/* functions of the kernel needed besides ZW_FUNCTIONS_RUN */
#define ZW_NUM_DAE_NEEDS (ZW_SET(JAC) | ZW_SET(GRAD) | ZW_SET(TIME))

/* Slices of memory owned by the method. */
typedef struct zw_num_dae {
    int n;            /* unknowns: nq + nv + nc + npos + nunit */
    double *S;        /* nv: weights of the velocities in the correction of q' */
    double *w;        /* nv: S Phi' mu */
    int *skip_lambda; /* nc: 1 where the constraint row depends on the others: lambda = 0 */
    int *skip_mu;     /* npos: the same on position level */
} zw_num_dae;

/* The number of unknowns of the system of a kernel. */
int zw_num_dae_size(const zw_kernel *k);
/* Can this kernel be written as such a system? ZW_E_OPTION, ZW_E_MISSING with the reason if not. */
zw_status zw_num_dae_check(const zw_kernel *k, zw_error *err);
/* Weights and redundant rows at a consistent state; its Y and Y' (n each). */
zw_status zw_num_dae_start(zw_flow *flow, zw_num_dae *d, double t, const double *x, double *Y,
                           double *rate, zw_error *err);
zw_status zw_num_dae_residual(zw_flow *flow, const zw_num_dae *d, double t, const double *Y,
                              const double *rate, double *R, zw_error *err);
/* J = dR/dY + c dR/dY', n x n, row-major. */
void zw_num_dae_jacobian(zw_flow *flow, const zw_num_dae *d, double t, double c, const double *Y,
                         const double *rate, double *J);

#endif
