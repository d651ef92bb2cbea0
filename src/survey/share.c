/* SPDX-License-Identifier: MIT */
/* An upper bound of a share (C. J. Clopper, E. S. Pearson, Biometrika 26 (1934) 404): of n cases k have been found. The p that solves
 *
 *     sum over i = 0 .. k of (n over i) p^i (1 - p)^(n-i) = 0.05
 *
 * is exceeded by the true share in at most 5 of 100 such counts. The sum falls with p, so that halving finds it. */
#include "share.h"

#include <math.h>

#define LEFT 0.05

/* the probability of k or fewer */
static double fewer(long k, long n, double p) {
    double sum = 0;
    for (long i = 0; i <= k; i++)
        sum += exp(lgamma((double)n + 1) - lgamma((double)i + 1) - lgamma((double)(n - i) + 1) +
                   (double)i * log(p) + (double)(n - i) * log1p(-p));
    return sum;
}

double zw_share_at_most(long k, long n) {
    double low = 0, high = 1;
    if (k >= n)
        return 1;
    for (int i = 0; i < 60; i++) {
        double p = (low + high) / 2;
        if (fewer(k, n, p) > LEFT)
            low = p;
        else
            high = p;
    }
    return high;
}

double zw_share_told(long k, long n) {
    double bound = zw_share_at_most(k, n), unit = pow(10, floor(log10(bound)) - 1);
    return fmin(1, ceil(bound / unit * (1 - 1e-12)) * unit);
}
