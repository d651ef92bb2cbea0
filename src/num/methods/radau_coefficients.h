/* SPDX-License-Identifier: MIT */
/* Radau IIA with three stages (Hairer and Wanner 1996, IV.8). */
#ifndef ZW_NUM_METHODS_RADAU_COEFFICIENTS_H
#define ZW_NUM_METHODS_RADAU_COEFFICIENTS_H

extern const double zw_radau_c[3];
/* eigenvalues of the inverse of the stage matrix A: gamma, alpha +- i beta */
extern const double zw_radau_gamma, zw_radau_alpha, zw_radau_beta;
/* T^-1 A^-1 T = diag(gamma, [alpha -beta; beta alpha]) */
extern const double zw_radau_T[3][3], zw_radau_T_inverse[3][3];
/* e: the increments have the factors e/h in the error estimate */
extern const double zw_radau_e[3];

#endif
