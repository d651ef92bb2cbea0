/* SPDX-License-Identifier: MIT */
/* Tails and quantiles of the distributions that test data, by the incomplete functions
 *
 *     Q(a, x) = 1/Gamma(a) int_x^inf t^(a-1) e^-t dt,
 *     I_x(a, b) = 1/B(a, b) int_0^x t^(a-1) (1 - t)^(b-1) dt,
 *
 * with a relative error of about 1e-12, also far out in a tail and for large a and b. */
#ifndef ZW_BASE_DISTRIBUTION_TAILS_H
#define ZW_BASE_DISTRIBUTION_TAILS_H

double zw_gamma_tail(double a, double x);           /* Q(a, x), a > 0 */
double zw_beta_below(double a, double b, double x); /* I_x(a, b), a, b > 0 */

/* P(chi^2 with n degrees of freedom > x); P(F with m and n degrees of freedom > x). With n =
 * INFINITY, m x has the chi^2 distribution with m. */
double zw_chi2_tail(double x, double n);
double zw_f_tail(double x, double m, double n);

/* The values that are exceeded with probability p; zw_beta_quantile: x with I_x(a, b) = p. |t| with
 * n degrees of freedom exceeds sqrt(zw_f_quantile(p, 1, n)) with probability p. */
double zw_chi2_quantile(double p, double n);
double zw_f_quantile(double p, double m, double n);
double zw_beta_quantile(double p, double a, double b);

#endif
