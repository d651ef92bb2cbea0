/* SPDX-License-Identifier: MIT */
/* Decompositions by LAPACK for row-major matrices, by built-in code if there is none and they are
 * small (num/linear/lapack.h). Work memory is taken from an arena and released; false if there is
 * none, if the iteration did not converge, which does not happen for finite matrices of this size,
 * or if a large matrix has no LAPACK: zw_dense_failure returns the reason. */
#ifndef ZW_NUM_LINEAR_DENSE_H
#define ZW_NUM_LINEAR_DENSE_H

#include <complex.h>

#include "base/arena.h"

/* A = U S V' (m x n): the n singular values (0 where m < n), largest first, and the rows of V' (n x
 * n); the first min(m, n) rows of U' (each of length m) unless U is NULL. A is not changed. */
bool zw_dense_svd(zw_arena *work, int m, int n, const double *A, double *s, double *V, double *U);

/* A q = lambda q, p* A = lambda p* (n x n), for the balanced matrix. The vectors have length 1 and
 * are columns: entry i of vector j is re[i n + j] + i im[i n + j]. condition[j] = 1 / |p*q|, the
 * factor of an error of A. */
typedef struct zw_dense_eigen {
    double *re, *im;             /* n */
    double *right_re, *right_im; /* n x n */
    double *left_re, *left_im;   /* n x n */
    double *condition;           /* n */
} zw_dense_eigen;
bool zw_dense_eigenvalues(zw_arena *out, int n, const double *A, zw_dense_eigen *e);

/* The order in which eigenvalues are reported and numbered as modes: the least stable first, among
 * equals the slowest first, the two of a pair together in their order. Eigenvalues that differ by
 * round-off are equal. */
void zw_dense_order(int n, const double *re, const double *im, int *order);

/* The dimension of ker A, and the number of eigenvalues that are zero: the final dimension of ker
 * A^k. A is n x n; its singular values count as zero below 1e-9, or at round-off. noise (n x n; may
 * be NULL): the uncertainty of its entries; then A is cleaned and balanced before, and slow motions
 * do not count as zeros. */
bool zw_dense_zeros(zw_arena *work, int n, const double *A, const double *noise, int *kernel,
                    int *zeros);

/* Balances A (n x n): S^-1 A S in its place with rows and columns of about equal size, S =
 * diag(scale) of powers of two. */
void zw_dense_balance(int n, double *A, double *scale);

/* (lambda - A) x = b for x (n), which contains b, by elimination with pivoting; M (n x n) is
 * scratch. False: a pivot is less than `least`, so lambda is an eigenvalue of A. */
bool zw_dense_solve_shifted(int n, const double *A, double complex lambda, double least,
                            double complex *M, double complex *x);

/* The smallest space that contains the m columns of B (n x m) and is invariant under A (under A',
 * if transposed): orthonormal rows V (n x n); returns its dimension. A new direction shorter than
 * `least` relative to A and to the columns is round-off. */
int zw_dense_reach(int n, const double *A, bool transposed, int m, const double *B, double least,
                   double *V);

/* The reason why one of them was false. */
zw_status zw_dense_failure(const zw_arena *arena, zw_error *err);

/* C = A B (m x k by k x n), and C = A' B (A is k x m). */
void zw_dense_multiply(int m, int k, int n, const double *A, const double *B, double *C);
void zw_dense_multiply_transposed(int m, int k, int n, const double *A, const double *B, double *C);
/* X M = Y with X, Y (m x n) and M (n x n), by elimination with pivoting: X replaces Y, M is
 * destroyed. Not finite if M is singular. */
void zw_dense_divide(int m, int n, double *M, double *Y);
double zw_dense_norm(int n, const double *x);

#endif
