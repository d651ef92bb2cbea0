/* SPDX-License-Identifier: MIT */
/* Zero eigenvalues that A(v) has at all v, families of steady motions and what grows as powers of
 * time, divided out. */
#ifndef ZW_LINEAR_EIGEN_TRACKS_DEFLATE_H
#define ZW_LINEAR_EIGEN_TRACKS_DEFLATE_H

#include "base/arena.h"

typedef struct zw_deflation {
    int n, m;    /* before and after */
    double unit; /* singular values are measured by the largest, or by this, if it is larger */
    int nlevel;  /* dim ker A = level[0], dim ker A^2 = level[0] + level[1], ... */
    int *level;  /* n */
    double *C,
        *R; /* m x n, (n - m) x n: coordinates of what stays and of what goes, at the reference */
    double *N;                         /* n x (n - m) */
    double *B, *sv, *V, *W, *Q, *step; /* work: n x n, n, n x n, n x n, n x n, n x n */
    zw_arena *arena;
    zw_error *err;
} zw_deflation;

/* Room for matrices of size n; nothing is divided out yet. */
zw_status zw_deflation_init(zw_deflation *d, zw_arena *arena, int n, double unit, zw_error *err);
/* Count the zeros of A and divide out no more than these: to be called with A at some ordinary
 * values. */
zw_status zw_deflation_count(zw_deflation *d, const double *A);
/* The coordinates of the quotient are those of A, for all that follow. */
zw_status zw_deflation_refer(zw_deflation *d, const double *A);
/* The quotient A_q (m x m). sharp: the zeros stand apart from the other eigenvalues; otherwise A_q
 * has the right eigenvalues in other coordinates. */
zw_status zw_deflate(zw_deflation *d, const double *A, double *A_q, bool *sharp);

#endif
