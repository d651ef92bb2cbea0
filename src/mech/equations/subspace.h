/* SPDX-License-Identifier: MIT */
/* Small numerical linear algebra for ranks at a point: a subspace with an orthonormal basis that
 * grows vector by vector, and one linear solve. */
#ifndef ZW_MECH_SUBSPACE_H
#define ZW_MECH_SUBSPACE_H

#include "mech/system/build.h"

typedef struct zw_subspace {
    int n, rank;
    double *basis; /* rank rows of n */
    double *rest;  /* n: the part of the last vector outside the span */
} zw_subspace;

/* False if out of memory (sticky in the context). */
bool zw_subspace_init(zw_subspace *out, zw_context *ctx, int n);
/* The length of the part of x outside the span, which is kept in `rest`. */
double zw_subspace_outside(zw_subspace *s, const double *x);
/* Take the part of the last vector outside the span as a new direction. */
void zw_subspace_take(zw_subspace *s);
/* zw_subspace_take if the part of x outside is more than `tolerance` of its length; was it? */
bool zw_subspace_add(zw_subspace *s, const double *x, double tolerance);

double zw_length(int n, const double *x);
/* A x = b in place of b by elimination with pivoting; A is destroyed. False if A is singular: a
 * pivot is not above `least`. */
bool zw_eliminate(int n, double least, double *A, double *b);

#endif
