/* SPDX-License-Identifier: MIT */
/* What the sources of the search for one steady motion share; zwang/steady.h states what it does.
 *
 *     steady.c             steps, acceptance of a solution, the public functions
 *     steady_equations.c   residual and Jacobian, with parameters that are solved for
 *     steady_sizes.c       sizes of unknowns, rows and states
 *     steady_neighbours.c  directions in which there are other steady motions */
#ifndef ZW_MOTION_STEADY_STEADY_H
#define ZW_MOTION_STEADY_STEADY_H

#include "base/arena.h"
#include "zwang/steady.h"

/* Singular values, relative to the largest, of directions that are independent here. */
#define ZW_STEADY_INDEPENDENT 1e-6

/* The search for one steady motion. */
typedef struct zw_steady_solver {
    zw_flow *flow;
    const zw_symmetries *s;
    const zw_kernel *k;
    zw_steady *out;
    int nx, d, nc, nhold, m, n; /* d tangent directions, m equations, n = d + nc + nfree unknowns */
    const zw_hold *hold;
    const double *scale;
    const zw_steady_problem *problem;
    int nfree;                         /* parameters */
    double *value, *value_trial, *x_p; /* nfree, nfree, nx x nfree */
    double *x, *c, *x_trial, *c_trial;
    double *c_unit;   /* nc: sizes of c */
    double *T;        /* nx x d: directions, orthonormal in the units of the state */
    double *r, *size; /* m: residuals, and the sizes of their terms */
    double *row_unit; /* m */
    double *terms;    /* m: effect of a change of the state by its size on the terms of a row */
    double *noise;    /* m: rounding of r, in row_unit */
    double *J;        /* m x n */
    double *f, *jac, *X_0, *X;      /* nx, nx x nx, nx, nc x nx */
    double *obs, *obs_dx;           /* nobs + 2, (nobs + 2) x nx */
    double *sv, *V, *U, *Ur, *step; /* n, n x n, n x m, n, n */
    double *work;                   /* nx x nx */
    double damping;                 /* see steady.c */
    zw_arena arena;
    zw_error *err;
} zw_steady_solver;

/* ZW_E_MODEL if the model is driven, and no displacement compensates for the time dependence. */
zw_status zw_steady_check_still(const zw_symmetries *s, zw_error *err);
zw_steady_solver zw_steady_solver_of(zw_steady *out, zw_flow *flow, const zw_symmetries *s,
                                     const zw_steady_problem *problem, zw_error *err);
/* Memory, directions and sizes at the state of a->out. */
zw_status zw_steady_begin(zw_steady_solver *a);
/* Singular values of J in the units of its rows, and U.r. */
zw_status zw_steady_decompose(zw_steady_solver *a);

/* steady_equations.c: r at (x, c), and the sizes of its terms; Dr at the last point of r. */
zw_status zw_steady_residual(zw_steady_solver *a, const double *x, const double *c, zw_error *err);
zw_status zw_steady_jacobian(zw_steady_solver *a);
zw_status zw_steady_set_values(zw_steady_solver *a, const double *value, zw_error *err);

/* steady_sizes.c */
zw_status zw_steady_size_unknowns(zw_steady_solver *a);
void zw_steady_size_rows(zw_steady_solver *a);
zw_status zw_steady_follow_motion(zw_steady_solver *a);
double zw_steady_scaled_length(const zw_steady_solver *a);
/* Every row in its own size, and the rounding of r. */
zw_status zw_steady_rescale_rows(zw_steady_solver *a);
/* The remaining correction, in the sizes of the state, without what is rounding. */
zw_status zw_steady_correction(zw_steady_solver *a, double *most);

#endif
