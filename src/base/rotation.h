/* SPDX-License-Identifier: MIT */
/* Rotations as matrices A (row-major, inertial components = A times components in the body), as
 * unit quaternions e and as vectors w of angle |w| about w:
 *
 *   A = 1 + 2 e0 [e]x + 2 [e]x [e]x,   e0 = cos(|w|/2),  e = sin(|w|/2) w/|w| */
#ifndef ZW_BASE_ROTATION_H
#define ZW_BASE_ROTATION_H

void zw_rotation_matrix(const double e[4], double A[9]);
/* One of the two quaternions of a rotation, from its largest component, which is positive. */
void zw_rotation_quaternion(const double A[9], double e[4]);
/* C = A B, A' B, A B'; C may not be one of the factors. */
void zw_rotation_product(const double A[9], const double B[9], double C[9]);
void zw_rotation_product_left(const double A[9], const double B[9], double C[9]);
void zw_rotation_product_right(const double A[9], const double B[9], double C[9]);
/* y = A x and A' x; y may not be x. */
void zw_rotation_turn(const double A[9], const double x[3], double y[3]);
void zw_rotation_turn_back(const double A[9], const double x[3], double y[3]);
/* The vector of a rotation, whose angle is at most pi, and the rotation of a vector. */
void zw_rotation_vector(const double A[9], double w[3]);
void zw_rotation_of_vector(const double w[3], double A[9]);
/* Principal axes of a symmetric matrix: its eigenvalues, descending, and their vectors, the columns
 * of V, a rotation. By Jacobi's rotations: equal eigenvalues lose no digits, as they do in the
 * roots of the characteristic polynomial. */
void zw_symmetric_axes(const double A[9], double value[3], double V[9]);

#endif
