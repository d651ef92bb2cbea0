/* SPDX-License-Identifier: MIT */
/* Disturbances of a motion x(t) to first order, Y' = J(t) Y with J = df/dx(t, x(t)), in bases of
 * the tangent spaces of the constraints along it.
 *
 * A step is one of Gauss's collocation with m stages, of order 2m:
 *
 *     K_i = J_i (Y + h sum_l a_il K_l),     Y <- Y + h sum_i b_i K_i,
 *
 * with J_i exact at the states of the motion; unlike an explicit method it is not bound by what
 * decays fast. At nodes of the motion there are orthonormal bases T_j of the tangent space; entries
 * of x that are ignorable are left out of them, since nothing depends on these: then all of T_j
 * counts. From a node to a later one,
 *
 *     Y(t_j) = T_j,     A_j = T_j+1' Y(t_j+1),
 *
 * and the monodromy matrix is the product A_K ... A_1. A new node is made when Y has grown or
 * shrunk by a lot, so that no A_j holds numbers of very different sizes; their product does, and is
 * not formed to find its eigenvalues. */
#ifndef ZW_MOTION_FLOQUET_VARIATION_H
#define ZW_MOTION_FLOQUET_VARIATION_H

#include "base/arena.h"
#include "zwang/flow.h"

enum { ZW_GAUSS_MAX = 12, ZW_CHUNKS_MAX = 48 };

/* Points and weights of Gauss on [0, 1], and the integrals a of the Lagrange polynomials up to the
 * points. */
typedef struct zw_gauss {
    int m;
    double c[ZW_GAUSS_MAX], b[ZW_GAUSS_MAX], a[ZW_GAUSS_MAX][ZW_GAUSS_MAX];
} zw_gauss;
void zw_gauss_init(zw_gauss *g, int m);
/* The Lagrange polynomial l of the points at s. */
double zw_gauss_lagrange(const zw_gauss *g, int l, double s);

/* The state x (nx) of a motion at a time. */
typedef zw_status (*zw_path)(void *user, double t, double *x, zw_error *err);

typedef struct zw_variation {
    zw_gauss rule;
    int nx, n;       /* entries of the state, tangent directions */
    bool *essential; /* nx */
    double *Y;       /* nx x n: what has become of the basis at the last node */
    double *A;       /* room for (ZW_CHUNKS_MAX + ends) x n x n */
    int nchunk;
    double trace;          /* the integral of tr J so far, */
    double at_node;        /* and up to the last node */
    double *x, *J, *B, *K; /* nx, m x nx x nx, (m nx)^2, n right sides of m nx */
    int *pivot;
} zw_variation;

/* For motions in which the caller makes so many nodes (`ends`) himself; memory is the arena's. */
zw_status zw_variation_init(zw_variation *v, zw_arena *arena, zw_flow *flow, int stages, int ends,
                            zw_error *err);
/* An orthonormal basis T (nx x n) of the tangent space at (t, x), without the ignorable entries. */
zw_status zw_variation_basis(const zw_variation *v, zw_arena *work, zw_flow *flow, double t,
                             const double *x, int *n, double *T, zw_error *err);
/* A motion begins with the basis T (nx x n); `trace` and the chunks so far are kept. */
void zw_variation_begin(zw_variation *v, int n, const double *T);
void zw_variation_clear(zw_variation *v);
/* Over [t0, t1], in which the flow is smooth along the path. */
zw_status zw_variation_step(zw_variation *v, zw_flow *flow, double t0, double t1, zw_path path,
                            void *user, zw_error *err);
/* Is it time for a new node? */
bool zw_variation_wants_node(const zw_variation *v);
/* A node with the basis T (nx x n): what leads to it becomes the next chunk. */
void zw_variation_node(zw_variation *v, const double *T);
/* The product of the chunks from `first` on (n x n); work: n x n. */
void zw_variation_product(const zw_variation *v, int first, double *P, double *work);

#endif
