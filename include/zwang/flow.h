/* SPDX-License-Identifier: MIT */
/* A flow: one kernel with parameter values and workspace, at any point. Where every analysis stands.
 *
 * The state x = (q, v) has the rate x' = f(t, x) = (qdot, v'), with z = (v', lambda) from the linear system
 * of equations.h, and stays on the manifold of the constraints, of dimension n,
 *
 *     g(t, x) = (phi, (e.e - 1)/2 of every unit quaternion e, psi) = 0,       ng rows, G = dg/dx.
 *
 * Many flows may stand on one const kernel, each in a thread of its own. Nothing here allocates but
 * zw_flow_create and zw_flow_renew. Matrices are row-major. */
#ifndef ZWANG_FLOW_H
#define ZWANG_FLOW_H

#include "kernel.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef struct zw_flow zw_flow;

/* A flow of a one-lane kernel with parameter values p (np), which are copied. The kernel must outlive
 * it. */
ZW_API zw_status zw_flow_create(zw_flow **out, const zw_kernel *kernel, const double *p,
                                zw_error *err);
ZW_API void zw_flow_destroy(zw_flow *flow);
/* After the kernel has got further functions (zw_kernel_require). */
ZW_API zw_status zw_flow_renew(zw_flow *flow, zw_error *err);
ZW_API const zw_kernel *zw_flow_kernel(const zw_flow *flow);

ZW_API zw_status zw_flow_set_parameters(zw_flow *flow, const double *p, zw_error *err);
ZW_API const double *zw_flow_parameters(const zw_flow *flow);
/* The external inputs: constant values (nu), 0 at first, or a function of time that fills u (nu);
 * input NULL goes back to the constant values. */
typedef void (*zw_flow_input)(void *user, double t, double *u);
ZW_API void zw_flow_set_inputs(zw_flow *flow, const double *u);
ZW_API void zw_flow_on_input(zw_flow *flow, zw_flow_input input, void *user);

/* Why the last call failed, by number, so that a caller who knows the names can say them. */
typedef enum zw_fault_kind {
    ZW_FAULT_NONE,
    ZW_FAULT_MASS,       /* the mass matrix is singular; index: the velocity without inertia */
    ZW_FAULT_CONSTRAINT, /* constraint row `index` (of nc) depends on the others */
    ZW_FAULT_STATE,      /* state x[index] or its rate is not finite */
    ZW_FAULT_POSITION,   /* phi[index] cannot be satisfied; value: its residual */
    ZW_FAULT_VELOCITY,   /* psi[index] cannot be satisfied; value: its residual */
    ZW_FAULT_UNIT        /* the quaternion at x[index] cannot be given length one */
} zw_fault_kind;
typedef struct zw_fault {
    zw_fault_kind kind;
    int index;    /* -1 if unknown */
    double t;     /* s */
    double value; /* MASS, CONSTRAINT: smallest pivot relative to the largest */
} zw_fault;
ZW_API zw_fault zw_flow_last_fault(const zw_flow *flow);
/* The state x at which a value was not finite or a matrix singular; NULL if the fault is none of that
 * kind. */
ZW_API const double *zw_flow_fault_state(const zw_flow *flow);

/* ---- rates ---- */

/* x' (nx) and z (nz, may be NULL) at any state. */
ZW_API zw_status zw_flow_rates(zw_flow *flow, double t, const double *x, double *rate, double *z,
                               zw_error *err);

/* ---- constraints ---- */

/* Move x onto the constraints by the least amount in the metric of the mass matrix; entries with
 * fixed[i] stay (fixed may be NULL). */
ZW_API zw_status zw_flow_project(zw_flow *flow, double t, double *x, const bool *fixed,
                                 zw_error *err);

#ifdef __cplusplus
}
#endif
#endif
