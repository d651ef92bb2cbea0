/* SPDX-License-Identifier: MIT */
/* Arithmetic of eight lanes for collocation. */
#ifndef ZW_MOTION_COLLOCATION_COLLOCATION_LANES_FACTOR_H
#define ZW_MOTION_COLLOCATION_COLLOCATION_LANES_FACTOR_H

/* Eight intervals: derivatives of the rates at their m points, followed by the right sides. */
typedef struct zw_lanes_interval {
    const double *J;    /* m x n x n */
    const double *side; /* m x n x nb */
    const double *h;    /* widths */
    const double *a;    /* m x m of the rule, in rows of a_stride; its weights b */
    const double *b;
    int a_stride;
    double period;
} zw_lanes_interval;

/* Entries of a row of B with `size` rows and this number of right sides, padded. */
int zw_lanes_width(int size, int sides);
/* Factors B (m n x width), followed by B^-1 (P J, side), and A (n x (n + nb)); returns the smallest
 * pivot. */
double zw_lanes_factor(int n, int m, int nb, const zw_lanes_interval *v, double *B, double *A);
/* The same for q' = v, v' = f(q, v) (nv of each; J is nv x 2nv of f; sides of v' and of q'): with
 * a2 = a a, c, and s_i = sum a_il (side of q')_l,
 *
 *     B = 1 - h P a_il J_v - (h P)^2 a2_il J_q,
 *     right sides P J_q,  P J_v + h P^2 c_i J_q,  side + h P J_q s_i:
 *
 * half as many rows. B (m nv x width), followed by the slopes of v alone; A as above. */
typedef struct zw_lanes_second {
    const double *J;      /* m x nv x 2nv */
    const double *side;   /* m x nv x nb: of v' */
    const double *side_q; /* m x nv x nb: of q' */
    const double *h;
    const double *a, *b, *c; /* of the rule; a in rows of a_stride */
    int a_stride;
    double period;
} zw_lanes_second;
double zw_lanes_factor_second(int nv, int m, int nb, const zw_lanes_second *v, double *B,
                              double *A);
/* e (size) <- B^-1 e */
void zw_lanes_solve(int size, int width, const double *B, double *e);
/* X (nv x columns) <- M^-1 X with a mass matrix (nv x nv), which needs no pivoting and is
 * overwritten. Returns the smallest pivot relative to its diagonal entry. */
enum { ZW_LANES_MASSES = 256 }; /* nv at most */
double zw_lanes_divide(int nv, int columns, double *M, double *X);

#endif
