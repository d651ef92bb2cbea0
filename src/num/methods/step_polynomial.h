/* SPDX-License-Identifier: MIT */
/* Polynomials in s with n values each: c_l in c[l n], s = -1 at the beginning of a step and 1 at
 * its end, theta = (1 + s)/2. Dense outputs are built from the innermost factor: y0 + theta (r1 +
 * (1
 * - theta) (r2 + ...)). */
#ifndef ZW_NUM_METHODS_STEP_POLYNOMIAL_H
#define ZW_NUM_METHODS_STEP_POLYNOMIAL_H

/* c of this degree becomes c (a + b s) of one more. */
void zw_num_poly_times(int n, int degree, double a, double b, double *c);
/* c_0 += r */
void zw_num_poly_plus(int n, const double *r, double *c);
/* c_l = d_l half^l / l! from derivatives d_l in time, which are in c */
void zw_num_poly_from_derivatives(int n, int degree, double half, double *c);

#endif
