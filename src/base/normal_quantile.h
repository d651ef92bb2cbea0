/* SPDX-License-Identifier: MIT */
/* The normal distribution by its quantiles: x with Phi(x) = u, Phi(x) = erfc(-x/sqrt 2)/2. Newton's
 * method on log Phi, which is concave, from a start on its safe side; to a few units in the last
 * place of x. */
#ifndef ZW_BASE_NORMAL_QUANTILE_H
#define ZW_BASE_NORMAL_QUANTILE_H

/* For 0 < u < 1; -inf and inf at the ends, NaN outside. */
double zw_normal_quantile(double u);

#endif
