/* SPDX-License-Identifier: MIT */
/* Small numerical linear algebra for ranks at a point: a subspace with an orthonormal basis that grows
 * vector by vector, and one linear solve. */
#ifndef ZW_MECH_SPAN_H
#define ZW_MECH_SPAN_H

#include "build.h"

typedef struct zw_span {
    int n, rank;
    double *basis; /* rank rows of n */
    double *rest;  /* n: the part of the last vector outside the span */
} zw_span;

/* False if out of memory (sticky in the context). */
bool zw_span_init(zw_span *out, zw_context *ctx, int n);
/* The length of the part of x outside the span, which is kept in `rest`. */
double zw_span_outside(zw_span *s, const double *x);
/* Take the part of the last vector outside the span as a new direction. */
void zw_span_take(zw_span *s);
/* zw_span_take if the part of x outside is more than `tolerance` of its length; was it? */
bool zw_span_add(zw_span *s, const double *x, double tolerance);

double zw_length(int n, const double *x);
/* A x = b in place of b by elimination with pivoting; A is destroyed. False if A is singular. */
bool zw_eliminate(int n, double *A, double *b);

#endif
