/* SPDX-License-Identifier: MIT */
/* Disturbances of a motion x(t) to first order, Y' = J(t) Y with J = df/dx(t, x(t)), in bases of
 * the tangent spaces of the constraints along it.
 *
 * A step is Gauss collocation with m stages, of order 2m:
 *
 *     K_i = J_i (Y + h sum_l a_il K_l),     Y <- Y + h sum_i b_i K_i,
 *
 * with J_i exact at the states of the motion; unlike an explicit method it is stable for any decay
 * rate. At nodes of the motion there are orthonormal bases T_j of the tangent space; ignorable
 * entries of x are left out of them, since nothing depends on these. From a node to the next one,
 *
 *     Y(t_j) = T_j,     A_j = T_j+1' Y(t_j+1),
 *
 * and the monodromy matrix is the product A_K ... A_1. A new node is made when Y has grown or
 * shrunk by a large factor, so that no A_j holds numbers of very different sizes. Their product
 * does; its eigenvalues are computed without forming it (floquet.h). */
#ifndef ZW_MOTION_FLOQUET_VARIATION_H
#define ZW_MOTION_FLOQUET_VARIATION_H

#include "base/arena.h"
#include "zwang/flow.h"

enum { ZW_GAUSS_MAX = 12, ZW_CHUNKS_MAX = 48 };

/* Gauss points c and weights b on [0, 1], and the integrals a of the Lagrange polynomials from 0 to
 * the points. */
typedef struct zw_gauss {
    int m;
    double c[ZW_GAUSS_MAX], b[ZW_GAUSS_MAX], a[ZW_GAUSS_MAX][ZW_GAUSS_MAX];
} zw_gauss;
void zw_gauss_init(zw_gauss *g, int m);
/* The Lagrange polynomial l of the points, at s. */
double zw_gauss_lagrange(const zw_gauss *g, int l, double s);

/* The state x (nx) of a motion at a time. */
typedef zw_status (*zw_path)(void *user, double t, double *x, zw_error *err);

typedef struct zw_variation {
    zw_gauss rule;
    int nx, n;       /* entries of the state, tangent directions */
    bool *essential; /* nx */
    double *Y;       /* nx x n: disturbances that began as the basis of the last node */
    double *A;       /* the chunks; memory for (ZW_CHUNKS_MAX + ends) x n x n */
    int nchunk;
    double trace;          /* the integral of tr J so far, */
    double at_node;        /* and up to the last node */
    double *x, *J, *B, *K; /* nx, m x nx x nx, (m nx)^2, n right sides of m nx */
    int *pivot;
} zw_variation;

/* `ends` is the number of nodes that the caller makes in addition to those that
 * zw_variation_wants_node asks for. The arena owns the memory. */
zw_status zw_variation_init(zw_variation *v, zw_arena *arena, zw_flow *flow, int stages, int ends,
                            zw_error *err);
/* An orthonormal basis T (nx x n) of the tangent space at (t, x), without the ignorable entries. */
zw_status zw_variation_basis(const zw_variation *v, zw_arena *work, zw_flow *flow, double t,
                             const double *x, int *n, double *T, zw_error *err);
/* Begins a motion with the basis T (nx x n); keeps `trace` and the chunks so far. */
void zw_variation_begin(zw_variation *v, int n, const double *T);
void zw_variation_clear(zw_variation *v);
/* One step over [t0, t1], in which the flow is smooth along the path. */
zw_status zw_variation_step(zw_variation *v, zw_flow *flow, double t0, double t1, zw_path path,
                            void *user, zw_error *err);
/* Has Y changed so much that a node should follow? */
bool zw_variation_wants_node(const zw_variation *v);
/* Makes a node with the basis T (nx x n): the factor from the last node becomes the next chunk. */
void zw_variation_node(zw_variation *v, const double *T);
/* The product of the chunks from `first` on (n x n); work: n x n. */
void zw_variation_product(const zw_variation *v, int first, double *P, double *work);

#endif
