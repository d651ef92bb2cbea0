/* SPDX-License-Identifier: MIT */
/* Implemented in src/motion/steady. */
/* Steady motions: those that look the same at all times to an observer who moves along with a symmetry.
 *
 * A field X(t, x) is a symmetry of the motion x' = f(t, x) on the manifold g = 0 if it commutes with it,
 *
 *     Df X - DX f - dX/dt = 0,     Dg X = 0      (with time: (1, X) and (1, f) in the space of (t, x)),
 *
 * so that its own flow carries motions into motions. A motion is steady if
 *
 *     f(t, x) = X_0 + sum_i c_i X_i(x),     g(t, x) = 0:                                               (1)
 *
 * equilibria (all c = 0), a disc that rolls in a circle, a top that precesses, in whatever coordinates. X_0 is there
 * where something moves as a given function of time: the symmetry that goes along with it, d/dt + X_0. */
#ifndef ZWANG_STEADY_H
#define ZWANG_STEADY_H

#include "flow.h"

#ifdef __cplusplus
extern "C" {
#endif

/* The symmetries among the combinations of the kernel's fields. */
typedef struct zw_symmetries {
    int n, nfield;
    double *combination; /* n x nfield: X_i = sum_j combination[i][j] field_j, in echelon form */
    double *driven;      /* nfield: X_0 */
    bool autonomous;     /* nothing depends on time, so X_0 = 0 */
    const bool *own;     /* n: X_i turns bodies about axes of their own and does nothing else */
    const bool *
        lost; /* n: an equation changes along X_i, but by too little compared with its other terms */
    bool still;         /* there is an X_0, or need not be one; otherwise no motion can be steady */
    double zero, other; /* how far the numbers that were taken for zero were from the others */
    struct zw_symmetries_memory *memory; /* private */
} zw_symmetries;

/* Found at random states about x (nx) at time t, with scale (nx) the size of the entries. The kernel needs ZW_FN_JAC,
 * ZW_FN_GRAD, ZW_FN_TIME, ZW_FN_FIELD, ZW_FN_FIELD_FIRST. They hold for the parameter values of the flow. */
ZW_API zw_status zw_symmetries_find(zw_symmetries *out, zw_flow *flow, double t, const double *x,
                                    const double *scale, zw_error *err);
ZW_API void zw_symmetries_clear(zw_symmetries *s);
/* X_0 (nx, may be NULL) and X (n x nx) at a state. */
ZW_API zw_status zw_symmetries_at(const zw_symmetries *s, zw_flow *flow, double t, const double *x,
                                  double *X_0, double *X, zw_error *err);
/* Df - DX_0 - sum_i c_i DX_i (nx x nx): what a disturbance obeys, seen by who moves along. */
ZW_API zw_status zw_symmetries_operator(const zw_symmetries *s, zw_flow *flow, double t,
                                        const double *x, const double *c, double *J, zw_error *err);

/* The velocities (n x nv) that the symmetries are at a state, and their momenta (n), either of which may be NULL; known[i] (n) is
 * false where a symmetry is no motion of the masses. The kernel's velocities must be those of its mass matrix. */
ZW_API zw_status zw_symmetries_momenta(const zw_symmetries *s, zw_flow *flow, double t,
                                       const double *x, double *velocity, double *momentum,
                                       bool *known, zw_error *err);

/* A quantity that is to have a value: an entry of x, or an observable of the kernel. */
typedef struct zw_hold {
    bool observable;
    int index;
    double value;
} zw_hold;

/* What stays unmet where no steady motion was found. */
typedef enum zw_unmet { ZW_UNMET_NOTHING, ZW_UNMET_RATE, ZW_UNMET_HOLD } zw_unmet;

typedef struct zw_steady {
    double t;
    double *x, *c, *z; /* nx, n of the symmetries, nz: accelerations and multipliers */
    int iterations;
    int nfixed; /* combinations of the symmetries that do not move this state, so that c is not unique: it is the least
                   on those that are not `own` */
    double residual; /* of (1), relative to the sizes of its terms */
    bool degenerate; /* the steps did not shrink as they do at a simple solution */
    zw_unmet unmet;  /* if it failed: the worst of what is unmet, */
    int unmet_index; /* which one: of x, of the holds, */
    double unmet_by; /* and by how much, in its own units */
    const double
        *scale; /* nx: that of the problem which it solves; NULL if nobody has said what is small */
} zw_steady;

/* Typical sizes of all entries of x (nx) from those of the coordinates (width, nq) and the rates of the motion about x:
 * what the functions of this header call scale. */
ZW_API zw_status zw_steady_scale(zw_flow *flow, double t, const double *x, const double *width,
                                 double *scale, zw_error *err);

/* Find one near the state in out->x (nx), out->t, with room for c and z there; holds may be NULL. The kernel needs ZW_FN_JAC,
 * ZW_FN_GRAD, ZW_FN_FIELD, ZW_FN_FIELD_FIRST, and ZW_FN_OBS_JAC where observables are held. ZW_E_NUMERIC: none was
 * found, out has the best state and says what is unmet there. */
ZW_API zw_status zw_steady_find(zw_steady *out, zw_flow *flow, const zw_symmetries *s,
                                const double *scale, int nhold, const zw_hold *hold, zw_error *err);

/* All that may be asked of it. */
typedef struct zw_steady_problem {
    const double *scale; /* nx */
    int nhold;
    const zw_hold *hold;       /* may be NULL */
    int nfree;                 /* parameters that are solved for */
    const int *column;         /* nfree: their numbers among the kernel's chosen ones */
    double *value;             /* nfree: where they begin, and where they end */
    const double *value_scale; /* nfree: their sizes */
    /* gives them to the flow, with all that follows from them */
    zw_status (*set)(void *user, const double *value, zw_error *err);
    void *user;
} zw_steady_problem;
/* As zw_steady_find; with nfree the kernel needs ZW_FN_JAC_P, and ZW_FN_OBS_P where observables are held. The symmetries
 * are taken to be those of all values: who lets parameters change asks for them again. */
ZW_API zw_status zw_steady_solve(zw_steady *out, zw_flow *flow, const zw_symmetries *s,
                                 const zw_steady_problem *problem, zw_error *err);
/* The directions N (nx x n, room for nx x nx) in which the solutions of a problem go on from one of them: orbits of
 * symmetries and families, as long as no branches meet there. Orthonormal in the units of scale. */
ZW_API zw_status zw_steady_neighbours(zw_flow *flow, const zw_symmetries *s,
                                      const zw_steady_problem *problem, const zw_steady *at, int *n,
                                      double *N, zw_error *err);

#ifdef __cplusplus
}
#endif
#endif
