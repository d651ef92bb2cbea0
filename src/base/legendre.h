/* SPDX-License-Identifier: MIT */
#ifndef ZW_BASE_LEGENDRE_H
#define ZW_BASE_LEGENDRE_H

/* The n Gauss points on [0, 1], ascending, and their weights: exact for polynomials of degree 2 n -
 * 1. */
void zw_legendre_points(int n, double *x, double *w);

#endif
