/* SPDX-License-Identifier: MIT */
/* The exponential of a dense matrix. */
#ifndef ZW_NUM_LINEAR_EXPONENTIAL_H
#define ZW_NUM_LINEAR_EXPONENTIAL_H

#include "base/arena.h"

/* E = exp(A) (n x n, row-major); A is not changed. False: out of memory, or it is not finite. */
bool zw_num_exponential(zw_arena *work, int n, const double *A, double *E);

#endif
