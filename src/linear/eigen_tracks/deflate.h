/* SPDX-License-Identifier: MIT */
/* Zero eigenvalues that A(v) has at all v, of families of steady motions and of what grows with
 * powers of time, divided out. */
#ifndef ZW_LINEAR_EIGEN_TRACKS_DEFLATE_H
#define ZW_LINEAR_EIGEN_TRACKS_DEFLATE_H

#include "base/arena.h"

typedef struct zw_deflation {
    int n, m;    /* dimension before and after */
    double unit; /* singular values are relative to the largest, or to this if it is larger */
    int nlevel;  /* dim ker A = level[0], dim ker A^2 = level[0] + level[1], ...; -1: not counted */
    int *level;  /* n */
    double *C;   /* m x n: coordinates of the quotient, at the reference */
    double *R;   /* (n - m) x n: coordinates of the kernel, at the reference */
    double *N;   /* n x (n - m): the kernel */
    double *B, *sv, *V, *W, *Q, *step; /* work: n x n, n, n x n, n x n, n x n, n x n */
    zw_arena *arena;                   /* of the caller */
    zw_error *err;
} zw_deflation;

/* Memory for matrices of size n; nothing is divided out yet. */
zw_status zw_deflation_init(zw_deflation *d, zw_arena *arena, int n, double unit, zw_error *err);
/* Count the zero eigenvalues of A. The least count of all calls is divided out: call it with A at a
 * few ordinary values. */
zw_status zw_deflation_count(zw_deflation *d, const double *A);
/* Take the coordinates of the quotient from A, for all calls that follow. */
zw_status zw_deflation_refer(zw_deflation *d, const double *A);
/* The quotient A_q (m x m). *separated: the zeros are separated from the other eigenvalues;
 * otherwise A_q has the right eigenvalues in other coordinates. */
zw_status zw_deflate(zw_deflation *d, const double *A, double *A_q, bool *separated);

#endif
