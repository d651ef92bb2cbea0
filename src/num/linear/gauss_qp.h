/* SPDX-License-Identifier: MIT */
/* Gauss's principle of least constraint (Zwang): a strictly convex quadratic program in a few
 * variables. */
#ifndef ZW_NUM_LINEAR_GAUSS_QP_H
#define ZW_NUM_LINEAR_GAUSS_QP_H

/* min a'Ma/2 - h.a subject to rows W_k a = b_k (kind 0), >= b_k (kind 1), <= b_k (kind -1).
 * M (n x n) is symmetric positive definite, W is m x n. */
typedef struct zw_num_gauss {
    int n, m;
    const double *M, *h, *W, *b;
    const signed char *kind;
} zw_num_gauss;

typedef enum zw_num_gauss_end {
    ZW_GAUSS_SOLVED,
    ZW_GAUSS_MASS,          /* M is not positive definite */
    ZW_GAUSS_CONTRADICTION, /* no a satisfies all rows; *row is one that cannot be added */
    ZW_GAUSS_LOST           /* round-off prevents a final active set, or a value is not finite */
} zw_num_gauss_end;

/* Sizes of the work arrays [double], [int]. */
int zw_num_gauss_work(int n, int m);
int zw_num_gauss_places(int m);
/* a (n), lambda (m, M a = h + W' lambda), active (m): 1 where the row determines a. An equation
 * that depends on other active ones is left out, for any b (in the sense of the pseudo-inverse),
 * with active = 0. Nothing is allocated. row may be NULL. */
zw_num_gauss_end zw_num_gauss_solve(const zw_num_gauss *p, double *a, double *lambda, int *active,
                                    int *row, double *work, int *places);

#endif
