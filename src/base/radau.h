/* SPDX-License-Identifier: MIT */
#ifndef ZW_BASE_RADAU_H
#define ZW_BASE_RADAU_H

/* A polynomial of degree n on [0, 1], by its values at 0 and at the n Radau points x[0] < ... <
 * x[n - 1] = 1. */

/* The Radau points: their quadrature is exact for polynomials of degree 2 n - 2. */
void zw_radau_points(int n, double *x);
/* D, n x (n + 1): the derivatives at the points from the values at 0 and at the points. */
void zw_radau_derivative(int n, double *D);
/* w, n + 1: the last Legendre coefficient (of P_n(2 s - 1)) is the sum of w_j times these values.
 */
void zw_radau_tail(int n, double *w);

#endif
