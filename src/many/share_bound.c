/* SPDX-License-Identifier: MIT */
/* An upper bound of a share (C. J. Clopper, E. S. Pearson, Biometrika 26 (1934) 404): k of n
 * cases have been found. The true share exceeds the p that solves
 *
 *     sum over i = 0 .. k of (n over i) p^i (1 - p)^(n-i) = 1 - I_p(k + 1, n - k) = 0.05
 *
 * in at most 5 of 100 such counts. */
#include "share_bound.h"

#include <math.h>

#include "base/distribution_tails.h"
#include "base/tolerance.h"

#define ERROR_PROBABILITY 0.05 /* that the bound is exceeded: 1 in 20, the usual level */

double zw_share_at_most(long k, long n) {
    return k >= n ? 1 : zw_beta_quantile(1 - ERROR_PROBABILITY, (double)k + 1, (double)(n - k));
}

double zw_share_reported(long k, long n) {
    double bound = zw_share_at_most(k, n), unit = pow(10, floor(log10(bound)) - 1);
    return fmin(1, ceil(bound / unit * (1 - ZW_ROUNDOFF_SUM)) * unit);
}
