/* SPDX-License-Identifier: MIT */
/* The 0-1 test for chaos on a series phi_1 .. phi_N (G. A. Gottwald, I. Melbourne: On the
 * implementation of the 0-1 test for chaos, SIAM J. Appl. Dyn. Syst. 8 (2009) 129-145). The series
 * is the input of a walk in the plane,
 *
 *     p_j = sum_{i<=j} phi_i cos(i c),   q_j = sum_{i<=j} phi_i sin(i c),
 *
 * which stays bounded for regular and diffuses for chaotic dynamics. Its mean square displacement,
 * without the term that oscillates by the mean of phi,
 *
 *     D_c(n) = 1/(N - n_cut) sum_j ((p_j+n - p_j)^2 + (q_j+n - q_j)^2) - mean(phi)^2 (1 - cos n
 *     c)/(1 - cos c), n <= n_cut = N/10,
 *
 * is correlated with n: K_c is near 0 or near 1, and K is the median over many c in (pi/5, 4 pi/5).
 *
 * A series that is sampled too densely looks regular, even if it is chaotic: the caller chooses
 * the distance of its values (zw_series_stride). */
#ifndef ZW_MANY_EXPONENTS_ZERO_ONE_H
#define ZW_MANY_EXPONENTS_ZERO_ONE_H

/* K of n values, from `angles` values of c. scratch: 2 n + n/10 + angles + 4 doubles. NaN for less
 * than 50 values, and if they do not change. */
double zw_zero_one(int n, const double *phi, int angles, double *scratch);
/* The lag at which the autocorrelation of phi has fallen below a tenth for the first time, or has
 * its first minimum; at most n/8. */
int zw_series_stride(int n, const double *phi);

#endif
