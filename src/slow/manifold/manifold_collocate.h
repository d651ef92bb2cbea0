/* SPDX-License-Identifier: MIT */
/* The manifold as a polynomial over a box; see manifold_collocate.c. */
#ifndef ZW_SLOW_MANIFOLD_MANIFOLD_COLLOCATE_H
#define ZW_SLOW_MANIFOLD_MANIFOLD_COLLOCATE_H

#include "manifold.h"

typedef struct zw_patch {
    zw_manifold *m;
    zw_grid grid;
    double *node;   /* points: in [-1, 1] */
    double *weight; /* points: barycentric */
    double *D;      /* points x points: derivatives at the nodes in [-1, 1] */
    double *H;      /* size x ny: the manifold at the nodes */
    double *y_0;    /* size x ny: the critical one */
    double eps, residual;
    /* Scratch for Newton's method. */
    zw_expr *e;
    int ne;
    double *value, *slope, *A, *b, *x;
    int *pivot;
} zw_patch;

zw_status zw_patch_make(zw_patch *p, zw_manifold *m, const zw_manifold_box *box, zw_error *err);
/* Solves for this eps, from the critical manifold; residual: error between the nodes. */
zw_status zw_patch_solve(zw_patch *p, double eps, zw_error *err);
/* The same box with two points less in each direction: for a solution p, its change relative to its
 * largest |h| (INFINITY: it has no solution), and the node of the largest change. Solutions that
 * the equation does not determine change by their size. */
zw_status zw_patch_make_coarser(zw_patch *coarse, const zw_patch *p, zw_error *err);
double zw_patch_change(const zw_patch *p, zw_patch *coarse, long *node);
/* The slow variables (nx) of node k. */
void zw_patch_place(const zw_patch *p, long k, double *x);
/* The manifold (ny) at slow variables of the box, and its derivatives in the directions of the grid
 * (n x ny, may be NULL). */
void zw_patch_at(const zw_patch *p, const double *x, double *y, double *Dy);

#endif
