/* SPDX-License-Identifier: MIT */
/* Eigenvalues alone of small dense matrices, without memory of their own. */
#ifndef ZW_NUM_LINEAR_SPECTRUM_H
#define ZW_NUM_LINEAR_SPECTRUM_H

#include <stdbool.h>

/* Of A (n x n, row-major, lost), into re and im (n), the largest first, pairs together, the one
 * with positive imaginary part first; work: 3 n + 8. False: the iteration did not end, which finite
 * matrices do not see, or A is not finite. */
bool zw_spectrum(int n, double *A, double *re, double *im, double *work);

#endif
