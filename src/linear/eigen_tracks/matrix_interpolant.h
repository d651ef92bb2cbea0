/* SPDX-License-Identifier: MIT */
/* A smooth matrix A(v) over an interval as piecewise polynomials, accurate to the rounding of A.
 * Many eigenvalue problems then cost few linearisations, derivatives are available, and no special
 * point between two points is missed. */
#ifndef ZW_LINEAR_EIGEN_TRACKS_MATRIX_INTERPOLANT_H
#define ZW_LINEAR_EIGEN_TRACKS_MATRIX_INTERPOLANT_H

#include "base/arena.h"

/* A (n x n) at a value, in coordinates that depend smoothly on the value for all calls with the
 * same `middle`, the middle of a piece. */
typedef zw_status (*zw_matrix_interpolant_matrix)(void *user, double value, double middle,
                                                  double *A, zw_error *err);

typedef struct zw_matrix_interpolant_piece {
    double low, high;
    int degree;
    double *c; /* (degree + 1) x n x n: A = sum_k c_k T_k(s), s in (-1, 1) */
} zw_matrix_interpolant_piece;

typedef struct zw_matrix_interpolant {
    int n, npiece, capacity;
    zw_matrix_interpolant_piece *piece; /* ascending, without gaps */
    int calls;                          /* evaluations of the matrix */
    double error;    /* the largest of all pieces, relative to the largest entry of the piece */
    double error_at; /* its value */
} zw_matrix_interpolant;

/* Above this error A has a jump or a corner: a hundred times the noise that a series may have. */
#define ZW_MATRIX_INTERPOLANT_ROUGH 1e-9

/* unit: entries are relative to the largest one of the piece, or to this if it is larger. */
zw_status zw_matrix_interpolant_build(zw_matrix_interpolant *out, zw_arena *arena, int n,
                                      double unit, double low, double high,
                                      zw_matrix_interpolant_matrix matrix, void *user,
                                      zw_error *err);
/* A and dA/dv (NULL: not needed) of a piece at a value within it. */
void zw_matrix_interpolant_at(const zw_matrix_interpolant *p, int piece, double value, double *A,
                              double *slope);

#endif
