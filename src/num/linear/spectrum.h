/* SPDX-License-Identifier: MIT */
/* Eigenvalues of small dense matrices, without vectors and without allocation. */
#ifndef ZW_NUM_LINEAR_SPECTRUM_H
#define ZW_NUM_LINEAR_SPECTRUM_H

#include <stdbool.h>

/* Of A (n x n, row-major, destroyed), into re and im (n), the largest first, pairs together, the
 * one with positive imaginary part first; work: 3 n + 8. False: the iteration did not converge,
 * which does not happen for finite matrices, or A is not finite. */
bool zw_spectrum(int n, double *A, double *re, double *im, double *work);

#endif
