/* SPDX-License-Identifier: MIT */
/* Eigenvalues of small dense matrices, row-major, without allocating memory. */
#ifndef ZW_NUM_LINEAR_SCHUR_H
#define ZW_NUM_LINEAR_SCHUR_H

#include <stdbool.h>

/* Balances A (n x n) by a similarity, with rows and columns of about equal length: P' D^-1 A D P in
 * its place, as LAPACK's dgebal. Rows and columns low to high cannot be separated by permutations;
 * below them and to the left it is zero. scale (n): D of these; for the others the former index of
 * their row. */
void zw_num_balance(int n, double *A, int *low, int *high, double *scale);
/* Transforms vectors of the balanced matrix, in columns (n x count), to those of A: right ones, or
 * left ones. */
void zw_num_unbalance(int n, int low, int high, const double *scale, bool left, int count,
                      double *V);

/* The eigenvalues of A (n x n), which is balanced, into re and im, pairs together, the one with
 * positive imaginary part first. Q (n x n): the real Schur form T replaces A, A = Q T Q', with
 * blocks of two rows for pairs; NULL: A is destroyed. work: 2 n. False: the iteration did not
 * converge. */
bool zw_num_schur(int n, double *A, int low, int high, double *Q, double *re, double *im,
                  double *work);

#endif
