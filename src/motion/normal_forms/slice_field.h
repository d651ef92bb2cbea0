/* SPDX-License-Identifier: MIT */
/* A steady motion as a fixed point of a smooth field on all of the state space, without a
 * parametrisation of the manifold of the constraints and without reduced coordinates.
 *
 * f0 = f - X_0 - sum c_i X_i vanishes at x0. With X_k independent combinations of the symmetries
 * and rows l_k that measure them at x0, l_k X_j(x0) = delta_kj,
 *
 *     fr = f0 - X w,     (l X) w = l f0                                                         (1)
 *
 * differs from f0 by a motion along the group orbits only, and keeps l (x - x0) = 0: a slice across
 * the group orbits. It also keeps the constraints g = 0, and H = H(x0) where H is conserved and the
 * symmetries do not change it. With all these rows in one g and N a generalised inverse of Dg(x0),
 * a constant matrix,
 *
 *     fs = fr - kappa N g                                                                       (2)
 *
 * equals fr where g = 0, and a deviation from g = 0 decays at the rate kappa: the eigenvalues of
 * Dfs(x0) are those of the motion on the slice, and -kappa. The second derivatives of g in those of
 * fs contain the curvature of the manifold.
 *
 * All vectors are in units of the sizes of the entries of x. Derivatives along directions follow
 * (1) with w(x0) = 0:
 *
 *     w_u = l f_u,     w_uv = l f_uv - P_u w_v - P_v w_u,     P_u = l X_u
 *     w_uvw = l f_uvw - sum (P_u w_vw + P_uv w_w)               over the three ways to choose
 *     fr_uvw = f_uvw - X w_uvw - sum (X_u w_vw + X_uv w_w). */
#ifndef ZW_MOTION_NORMAL_FORMS_SLICE_FIELD_H
#define ZW_MOTION_NORMAL_FORMS_SLICE_FIELD_H

#include "base/arena.h"
#include "zwang/steady.h"

typedef struct zw_slice {
    zw_flow *flow;
    const zw_symmetries *s;
    const zw_steady *at;
    const zw_linearisation *linear;
    const double *scale;
    const zw_hopf_level *level;
    int nlevel, nused;
    bool *used; /* nlevel: is the level a row of g? */
    int nx, ng, norbit, nrow, rank;
    double *orbit_factor; /* norbit x nfield: X_k as combinations of the fields */
    double *drift_factor; /* nfield: X_0 + sum c_i X_i as a combination of the fields */
    double *l;            /* norbit x nx: the rows l_k, equal to X_k(x0) */
    double *J;            /* nx x nx: Dfr(x0) */
    double *W;            /* norbit x nx: w_u = W u */
    double *G, *N;        /* nrow x nx, nx x nrow; rows of G have length one */
    double *unit;         /* nrow: divisor of each row */
    double *height;       /* nlevel: H(x0) */
    double kappa;
    double *work[10]; /* working memory for fields and directions */
    zw_arena *arena;
} zw_slice;

/* Levels that are constant and independent of the other rows become rows of g. The arena owns the
 * memory. */
zw_status zw_slice_init(zw_slice *s, zw_arena *arena, zw_error *err);
/* How much a symmetry changes the entries of the state along a direction u: the symmetries that are
 * divided out and, divided by the rate kappa, those that the motion follows. moved (nx) is 0 where
 * an entry is the same in every frame. */
zw_status zw_slice_moves(zw_slice *s, const double *u, double *moved, zw_error *err);
/* fs at the state x0 + y (nx each). */
zw_status zw_slice_at(zw_slice *s, const double *y, double *fs, zw_error *err);
/* Dfs(x0) (nx x nx), and derivatives along directions. */
void zw_slice_first(const zw_slice *s, double *A);
zw_status zw_slice_second(zw_slice *s, const double *u, const double *v, double *B, zw_error *err);
zw_status zw_slice_third(zw_slice *s, const double *u, const double *v, const double *w, double *C,
                         zw_error *err);

#endif
