/* SPDX-License-Identifier: MIT */
/* The sampler within the library: for rows chosen by the caller, with all values of a state. */
#ifndef ZW_MECH_SAMPLER_H
#define ZW_MECH_SAMPLER_H

#include "mech/principles/principles.h"
#include "mech/system/sample.h"
#include "zwang/equations.h"

typedef enum zw_sampler_level {
    ZW_SAMPLER_POSITIONS,
    ZW_SAMPLER_VELOCITIES,
    ZW_SAMPLER_ACCELERATIONS,
    ZW_SAMPLER_LEVELS
} zw_sampler_level;

/* m equations r(x) = 0 with rows A, and their constraints */
typedef struct zw_sampler_set {
    zw_sampler_level level;
    int m;
    const zw_expr *r, *A;
    const int *constraint;
    double *residual, *rows; /* m, m x nv of unit length */
    double *length, *before; /* m: current lengths of the rows, and those at the first step */
    double left;             /* length of the residual after the last step, relative to the state */
    double *square, *factor; /* m x m, m: work */
} zw_sampler_set;

struct zw_sampler {
    zw_equations eq; /* its constraint rows */
    zw_sampler_options options;
    zw_sample at; /* parameters, q, v, t as in sample.h; then multipliers */
    zw_sampler_set set[ZW_SAMPLER_LEVELS];
    double *a;           /* nv: unknowns of the accelerations */
    double *step, *kept; /* nv; a state and a before the step */
    double *F;           /* nq x nv */
    double *start;       /* x, nq + nv */
    bool *fixed;
    bool has_start;
    double *width; /* nq + nv: half-width of the box */
};

/* Initialises a sampler for the constraint rows of eq, in storage of the caller, with the
 * parameters of the model. */
zw_status zw_sampler_init(zw_sampler *g, const zw_equations *eq, const zw_sampler_options *options,
                          zw_error *err);
/* State k in g->at, multipliers between -1 and 1. */
zw_status zw_sampler_draw(zw_sampler *g, int k, zw_error *err);
/* Another admissible velocity at the positions and time of g->at; false if none was found. */
bool zw_sampler_turn(zw_sampler *g, int k);

/* inertia_groups.c. The group of each velocity and then of each constraint (nv + nc): unknowns that
 * the equations couple have the same group. Constraint forces are coupled with everything. */
enum { ZW_COUPLED_ALL = -1 };
void zw_coupled(const zw_equations *eq, int *group);

#endif
