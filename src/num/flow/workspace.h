/* SPDX-License-Identifier: MIT */
/* Workspace of a flow for derivatives and the tangent space, created when first used. */
#ifndef ZW_NUM_FLOW_WORKSPACE_H
#define ZW_NUM_FLOW_WORKSPACE_H

#include "dae.h"

struct zw_num_workspace {
    size_t bytes;
    double *z;      /* nz: at the point */
    double *dz[6];  /* nz each: along directions and pairs of them */
    double *d[3];   /* nx + nz each: directions in (x, z) */
    double *Z;      /* nz x nx: dz/dx */
    double *P;      /* nz x npar: dr/dp */
    double *J;      /* nx x nx */
    double *G;      /* ng x nx */
    double *g;      /* ng */
    double *stack;  /* (ng + nx) x nx: rows to be factorised */
    double *right;  /* ng + nx */
    double *tau;    /* nx */
    int *order;     /* ng + nx */
    double *LQ;     /* nq x nq: factor of the metric of the coordinates */
    double *FtF;    /* nv x nv */
    double *pinv;   /* nv x nq: F^+ */
    double *column; /* nx */
    double *moved;  /* nx */
    int *pivot;     /* nv */
    zw_num_dae dae;
};

/* Returns it; creates it if necessary. */
zw_status zw_num_workspace_get(zw_flow *flow, zw_num_workspace **out, zw_error *err);
void zw_num_workspace_destroy(zw_flow *flow);

/* derivative.c. J = df/dx (nx x nx) and, unless NULL, Z = dz/dx (nz x nx) at (t, x), row-major. */
zw_status zw_num_state_jacobian(zw_flow *flow, double t, const double *x, double *J, double *Z,
                                zw_error *err);

/* tangent.c. g (ng) and G (ng x nx) at (t, x). */
int zw_num_levels(const zw_kernel *k);
void zw_num_constraints(zw_flow *flow, double t, const double *x, double *g, double *G);
/* Moves x onto g = 0 in a model of first order, whose entries no velocity moves: by the smallest
 * change. */
zw_status zw_num_project_states(zw_flow *flow, double t, double *x, const bool *fixed,
                                zw_error *err);

#endif
