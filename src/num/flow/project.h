/* SPDX-License-Identifier: MIT */
/* The levels of the constraints, shared by the projection (project.c) and the completion of starts
 * (complete.c): rows value(t, x) = 0 on positions or on velocities, with their derivatives along
 * displacements. */
#ifndef ZW_NUM_FLOW_PROJECT_H
#define ZW_NUM_FLOW_PROJECT_H

#include "flow.h"

/* Residual of a row, in units of its terms, that counts as satisfied: above the round-off of a sum,
 * and far below any tolerance of a run. */
#define ZW_NUM_SATISFIED 1e-10

typedef struct zw_num_level {
    zw_function_name function;
    int m;                      /* constraint rows */
    const double *value, *rows; /* m, m x nv: in the function's out */
    int n, offset;              /* entries of x that move: x[offset .. offset + n) */
    const double *F;            /* n x nv: in the function's out; NULL for the identity */
    zw_fault_kind kind;
    const char *what;
    /* index of the largest lengths of its rows in zw_flow.reach; -1: rows do not depend on
     * others */
    int reach;
    /* sine of the angle to the rows before it, below which a row is dependent */
    double dependent;
    const bool *omitted; /* m: rows left out near a singular position; NULL: none */
} zw_num_level;

/* the level, with or without the rows of the start */
typedef enum zw_num_level_name {
    ZW_NUM_POSITION,
    ZW_NUM_VELOCITY,
    ZW_NUM_START_POSITION,
    ZW_NUM_START_VELOCITY
} zw_num_level_name;
zw_num_level zw_num_level_of(const zw_flow *flow, zw_num_level_name name);

/* Does a displacement along a row (nv) move entry i of the level? */
bool zw_num_level_involves(const zw_num_level *v, int nv, const double *row, int i);
/* The unit of the residual of row k; the level must be evaluated at x. */
double zw_num_level_unit(const zw_flow *flow, const zw_num_level *v, int k, const double *x);
/* Evaluates the level: the largest residual in units of its row, and that row (-1: all are
 * zero). */
double zw_num_level_evaluate(zw_flow *flow, const zw_num_level *v, double t, const double *x,
                             int *worst);
/* Newton's method from x, in the metric of flow->L. */
zw_status zw_num_level_satisfy(zw_flow *flow, zw_num_level_name name, double t, double *x,
                               const bool *fixed, zw_error *err);
/* Scale the free entries of each unit quaternion to length one. */
zw_status zw_num_normalise(zw_flow *flow, double t, double *x, const bool *fixed, zw_error *err);

#endif
