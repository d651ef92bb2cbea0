/* SPDX-License-Identifier: MIT */
/* Small numerical linear algebra for ranks at a point: a subspace with an orthonormal basis that
 * grows vector by vector, and one linear solve. */
#ifndef ZW_MECH_SUBSPACE_H
#define ZW_MECH_SUBSPACE_H

#include "mech/system/build.h"

typedef struct zw_subspace {
    int n, rank;
    double *basis; /* rank rows of n */
    double *rest;  /* n: component of the last vector outside the span */
} zw_subspace;

/* False if out of memory (sticky in the context). */
bool zw_subspace_init(zw_subspace *out, zw_context *ctx, int n);
/* The length of the component of x outside the span, which is stored in `rest`. */
double zw_subspace_outside(zw_subspace *s, const double *x);
/* Adds `rest` as a new direction. */
void zw_subspace_take(zw_subspace *s);
/* Adds the component of x outside the span if it is longer than `tolerance` times x; true if it
 * was. */
bool zw_subspace_add(zw_subspace *s, const double *x, double tolerance);

double zw_length(int n, const double *x);
/* Solves A x = b in place of b by elimination with pivoting; destroys A. False if A is singular: a
 * pivot is not larger than `least`. */
bool zw_eliminate(int n, double least, double *A, double *b);

#endif
