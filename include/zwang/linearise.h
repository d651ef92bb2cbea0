/* SPDX-License-Identifier: MIT */
/* Implemented in src/linear/equations. */
/* Small disturbances of a steady motion, exactly: at f = X_0 + sum_i c_i X_i the field f - X_0 - sum_i c_i X_i vanishes
 * and is tangent to the manifold S of the constraints, so that with J its derivative (zw_symmetries_operator)
 *
 *     y' = A y,    A = D J T,    T a basis of the tangent space, D T = 1,
 *
 * without derivatives of T. This holds for holonomic and nonholonomic constraints, redundant ones, quaternions, states.
 * What is moved along the orbits of the symmetries is the same motion elsewhere; these directions are divided out, and
 * what they have of eigenvalues (0, or +-i Omega of shifts seen while turning) is told apart. */
#ifndef ZWANG_LINEARISE_H
#define ZWANG_LINEARISE_H

#include "steady.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef struct zw_linearisation {
    int nx;
    int dimension;               /* of S */
    int norbit;                  /* directions of the orbits here: the rank of the symmetries */
    int n;                       /* dimension - norbit */
    double *T;                   /* nx x n: states of the disturbances y */
    double *D;                   /* n x nx: y of a disturbance of the state */
    double *A;                   /* n x n */
    double *re, *im;             /* n eigenvalues */
    double *mode_re, *mode_im;   /* nx x n: eigenvectors as disturbances of the state, in columns */
    double *condition;           /* n: by which an error of A moves the eigenvalue */
    double *orbit_re, *orbit_im; /* norbit eigenvalues of the directions divided out */
    int nfamily; /* dimension of ker A: neighbouring steady motions, if there are no branches here */
    int nzero; /* eigenvalues that are zero; more than nfamily: some grow with time by powers of it */
    double
        leak; /* what of J T leaves the tangent space, and what mixes orbits into the rest: rounding, */
    double mix;                             /* if the motion is steady and on S */
    struct zw_linearisation_memory *memory; /* private */
    /* all of the tangent space: x = T y + orbit_T a with y' = A y, a' = drift y + orbit_A a */
    double *J;       /* nx x nx: zw_symmetries_operator */
    double *orbit_T; /* nx x norbit */
    double *orbit_D; /* norbit x nx: a of a disturbance of the state */
    double *drift;   /* norbit x n */
    double *orbit_A; /* norbit x norbit */
} zw_linearisation;

/* At a steady motion of zw_steady_find. The kernel needs what that needs. */
ZW_API zw_status zw_linearise(zw_linearisation *out, zw_flow *flow, const zw_symmetries *s,
                              const zw_steady *at, zw_error *err);
/* Are the nfamily zeros neighbouring steady motions? If not, solutions meet or branch here. */
ZW_API zw_status zw_steady_is_family(zw_flow *flow, const zw_symmetries *s, const zw_steady *at,
                                     const zw_linearisation *a, const double *scale, bool *family,
                                     zw_error *err);
ZW_API void zw_linearisation_clear(zw_linearisation *a);

/* How the potential bends about an equilibrium at rest, within the constraints: the signs of its second derivative. */
typedef struct zw_curvature {
    bool
        known; /* there are as many velocities as positions, and their linear forces have a potential */
    int up, down, flat; /* directions, orbits of symmetries among the flat ones */
} zw_curvature;
ZW_API zw_status zw_steady_curvature(zw_flow *flow, const zw_steady *at, zw_curvature *out,
                                     zw_error *err);

#ifdef __cplusplus
}
#endif
#endif
