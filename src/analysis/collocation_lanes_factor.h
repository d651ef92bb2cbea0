/* SPDX-License-Identifier: MIT */
/* Arithmetic of eight lanes for collocation: numbers only. */
#ifndef ZW_ANALYSIS_COLLOCATION_LANES_FACTOR_H
#define ZW_ANALYSIS_COLLOCATION_LANES_FACTOR_H

/* Eight intervals: derivatives of the rates at their m points and the right sides behind them. */
typedef struct zw_lanes_interval {
    const double *J;    /* m x n x n */
    const double *side; /* m x n x nb */
    const double *h;    /* widths */
    const double *a;    /* m x m of the rule, in rows of a_stride; its weights b */
    const double *b;
    int a_stride;
    double period;
} zw_lanes_interval;

/* Entries of a row of B, filled up. */
int zw_lanes_width(int n, int m, int nb);
/* B (m n x width) factored, B^-1 (P J, side) behind it, A (n x (n + nb)); the smallest pivot. */
double zw_lanes_factor(int n, int m, int nb, const zw_lanes_interval *v, double *B, double *A);
/* e (size) <- B^-1 e */
void zw_lanes_solve(int size, int width, const double *B, double *e);
/* X (nv x columns) <- M^-1 X, without exchanges; M (nv x nv) is lost. The smallest pivot by what is beside it. */
double zw_lanes_divide(int nv, int columns, double *M, double *X);

#endif
