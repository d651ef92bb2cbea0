/* SPDX-License-Identifier: MIT */
/* What the files of the search for one steady motion share; what it is, zwang/steady.h says.
 *
 *     steady.c             steps, what is believed, the public calls
 *     steady_equations.c   residual and Jacobian, with parameters that are solved for
 *     steady_sizes.c       sizes of unknowns, rows and states
 *     steady_neighbours.c  along which directions there are others */
#ifndef ZW_MOTION_STEADY_STEADY_H
#define ZW_MOTION_STEADY_STEADY_H

#include "base/arena.h"
#include "zwang/steady.h"

#define ZW_STEADY_ALONG 1e-6 /* symmetries that do not depend on each other here */

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
    /* m: what a change of the state by its size makes of the terms of a row; rounding of r, in
     * row_unit */
    double *terms, *noise;
    double *J;                      /* m x n */
    double *f, *jac, *X_0, *X;      /* nx, nx x nx, nx, nc x nx */
    double *obs, *obs_dx;           /* nobs + 2, (nobs + 2) x nx */
    double *sv, *V, *U, *Ur, *step; /* n, n x n, n x m, n, n */
    double *work;                   /* nx x nx */
    double damping;
    zw_arena arena;
    zw_error *err;
} zw_steady_solver;

/* ZW_E_MODEL if the model is driven, and no displacement compensates for the time dependence. */
zw_status zw_steady_check_still(const zw_symmetries *s, zw_error *err);
zw_steady_solver zw_steady_solver_of(zw_steady *out, zw_flow *flow, const zw_symmetries *s,
                                     const zw_steady_problem *problem, zw_error *err);
/* Room, directions and sizes at the state of a->out. */
zw_status zw_steady_begin(zw_steady_solver *a);
/* Singular values of J in the units of its rows, and U.r. */
zw_status zw_steady_decompose(zw_steady_solver *a);

/* steady_equations.c: r at (x, c), and the sizes of its terms; Dr where r was asked for last. */
zw_status zw_steady_residual(zw_steady_solver *a, const double *x, const double *c, zw_error *err);
zw_status zw_steady_jacobian(zw_steady_solver *a);
zw_status zw_steady_set_values(zw_steady_solver *a, const double *value, zw_error *err);

/* steady_sizes.c */
zw_status zw_steady_size_unknowns(zw_steady_solver *a);
void zw_steady_size_rows(zw_steady_solver *a);
zw_status zw_steady_follow_motion(zw_steady_solver *a);
double zw_steady_scaled_length(const zw_steady_solver *a);
/* Every row in its own size. */
zw_status zw_steady_size_rows_alone(zw_steady_solver *a);
/* What is left to correct, in the sizes of the state, of what is more than rounding. */
zw_status zw_steady_correction(zw_steady_solver *a, double *most);

#endif
