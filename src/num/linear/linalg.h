/* SPDX-License-Identifier: MIT */
/* Small dense linear algebra on plain doubles. Matrices are row-major; several right sides are
 * stored one after the other. Nothing is allocated and nothing fails: ranks and pivot ratios are
 * returned for the caller to judge. */
#ifndef ZW_NUM_LINEAR_LINALG_H
#define ZW_NUM_LINEAR_LINALG_H

#include <stdbool.h>

/* A = P L U in place, partial pivoting; pivot receives n row numbers. Returns the smallest pivot
 * over the largest one, 0 if A is exactly singular, NaN if an entry is not finite. */
double zw_num_lu(int n, double *A, int *pivot);
/* A ratio below this is round-off of zero in n steps of elimination. */
double zw_num_pivot_floor(int n);
/* Solve A x = b for each of the nrhs right sides in B (n doubles each), in place. */
void zw_num_lu_solve(int n, const double *LU, const int *pivot, int nrhs, double *B);

/* The same for complex matrices and one right side; real and imaginary parts alternate. */
double zw_num_complex_lu(int n, double *A, int *pivot);
void zw_num_complex_lu_solve(int n, const double *LU, const int *pivot, double *b);

/* M = L L' in place (lower triangle) for a symmetric M. Where M is not positive definite (pivot
 * below n times the rounding error of its diagonal entry) the metric is completed by the identity:
 * L gets the unit vector. Returns the number of directions so completed. */
int zw_num_metric(int n, double *M);
/* L y = x and L' y = x, in place. */
void zw_num_lower_solve(int n, const double *L, double *x);
void zw_num_lower_solve_transposed(int n, const double *L, double *x);

/* A row-wise rank-revealing factorisation: m vectors of length n (the rows of A), A' P = Q R by
 * Householder reflections with pivoting. The first `nfirst` rows are taken before the others. Rows
 * whose part orthogonal to the ones taken is below `tolerance` times their length are left out.
 * order receives the m row numbers, the taken ones first; tau needs min(m, n) doubles.
 * Returns the rank. */
int zw_num_rows_factor(int m, int n, double *A, int nfirst, double tolerance, double *tau,
                       int *order);
/* The same for rows that may have become short: one counts with its size (m, by row number; NULL:
 * none has one) where that is more than its length. */
int zw_num_rows_factor_sized(int m, int n, double *A, int nfirst, double tolerance,
                             const double *size, double *tau, int *order);
/* The shortest x (n) that satisfies the taken rows of A x = b (by row number). */
void zw_num_rows_solve(int n, const double *A, int rank, const double *tau, const int *order,
                       const double *b, double *x);
/* An orthonormal basis of the vectors x with A x = 0 for the taken rows: n - rank rows of length
 * n. */
void zw_num_rows_complement(int n, const double *A, int rank, const double *tau, const int *order,
                            double *basis);
/* The coefficients c (m, by row number; c = 1 at the first row left out, 0 at the others left out)
 * of a combination of rows that vanishes; rank < m. */
void zw_num_rows_dependence(int m, int n, const double *A, int rank, const int *order, double *c);

/* An orthonormal basis of the span of m rows of length n, at the beginning of V; rows have lengths
 * of about one, and a remainder after the others counts if it is longer than `tolerance`. The next
 * row is the first one with at least half the length of the longest remainder: a short remainder
 * has few digits, and round-off orthogonal to it would be a false direction. Returns their
 * number. */
int zw_num_rows_span(int m, int n, double *V, double tolerance);

/* A basis of the vectors x with A x = 0, for an m x n matrix with entries of about one in each row;
 * A is destroyed. Pivots up to `tolerance` count as zero. One vector per row of basis (at most n x
 * n), its largest entry is 1; columns needs n ints. Returns their number. */
int zw_num_null_basis(int m, int n, double *A, double tolerance, double *basis, int *columns);

#endif
