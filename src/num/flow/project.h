/* SPDX-License-Identifier: MIT */
/* The levels of the constraints, shared by the projection (project.c) and the completion of starts
 * (complete.c): rows value(t, x) = 0 on positions or on velocities, with what displacements do to
 * them. */
#ifndef ZW_NUM_FLOW_PROJECT_H
#define ZW_NUM_FLOW_PROJECT_H

#include "flow.h"

#define ZW_NUM_SATISFIED 1e-10 /* relative residual of a row that counts as satisfied */

typedef struct zw_num_level {
    zw_function_name function;
    int m;                      /* constraint rows */
    const double *value, *rows; /* m, m x nv: in the function's out */
    int n, offset;              /* entries of x that move: x[offset .. offset + n) */
    const double *F;            /* n x nv likewise, NULL for the identity */
    zw_fault_kind kind;
    const char *what;
    /* where the largest lengths of its rows are kept; -1: rows do not depend on others */
    int reach;
    double dependent;   /* sine of the angle between a row and the ones taken before, if it does */
    const bool *beside; /* m: rows left out near a singular position; NULL: none */
} zw_num_level;

/* which level, and whether the rows of the start belong to it */
typedef enum zw_num_level_name {
    ZW_NUM_POSITION,
    ZW_NUM_VELOCITY,
    ZW_NUM_START_POSITION,
    ZW_NUM_START_VELOCITY
} zw_num_level_name;
zw_num_level zw_num_level_of(const zw_flow *flow, zw_num_level_name name);

/* Does entry i of the level move when a row (nv) does? */
bool zw_num_level_involves(const zw_num_level *v, int nv, const double *row, int i);
/* The size of row k by which its residual counts; the level must be evaluated at x. */
double zw_num_level_unit(const zw_flow *flow, const zw_num_level *v, int k, const double *x);
/* Evaluate the level: the largest residual in units of its row, and that row (-1: all are zero). */
double zw_num_level_evaluate(zw_flow *flow, const zw_num_level *v, double t, const double *x,
                             int *worst);
/* Newton's method from x, in the metric of flow->L. */
zw_status zw_num_level_satisfy(zw_flow *flow, zw_num_level_name name, double t, double *x,
                               const bool *fixed, zw_error *err);
/* Scale the free entries of each unit quaternion to length one. */
zw_status zw_num_normalise(zw_flow *flow, double t, double *x, const bool *fixed, zw_error *err);

#endif
