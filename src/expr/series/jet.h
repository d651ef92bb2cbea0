/* SPDX-License-Identifier: MIT */
/* Series in one small variable s > 0, cut off after some terms:
 *
 *   u(s) = c_0 s^low + c_1 s^(low+1) + ... + c_(terms-1) s^(low+terms-1) + O(s^(low+terms))
 *
 * low may be negative, as for 1/s. Expressions are evaluated with series as with numbers, so that
 * the coefficients are the exact derivatives of an expression along a curve that its symbols
 * follow, up to round-off. s tends to 0 from above: |s| is s, and a length sqrt(s^2 + s^2) is
 * sqrt(2) s. A function without such a series (log s, sin(1/s), sqrt(s)) is reported. A leading
 * coefficient that is only round-off of the ones after it, as cos(pi/2) next to cos'(pi/2), counts
 * as 0. */
#ifndef ZW_EXPR_SERIES_JET_H
#define ZW_EXPR_SERIES_JET_H

#include "zwang/expr.h"

enum { ZW_JET_MAX = 40 }; /* terms */

typedef struct zw_jet {
    int low, terms; /* terms <= ZW_JET_MAX */
    double c[ZW_JET_MAX];
} zw_jet;

/* Reports where there is no series. */
typedef struct zw_jet_fault {
    zw_expr node;    /* the part of an expression without a series; 0: none was found */
    const char *why; /* "a root of what vanishes" */
    /* the first part that is not smooth where s = 0, though it has a series; 0 if none */
    zw_expr kink;
} zw_jet_fault;

/* Arithmetic. n is the number of terms to keep; out may be one of the arguments. */
zw_jet zw_jet_number(int n, double value);
void zw_jet_add(const zw_jet *a, double factor, const zw_jet *b, zw_jet *out); /* a + factor b */
void zw_jet_scale(double factor, zw_jet *a);
void zw_jet_multiply(const zw_jet *a, const zw_jet *b, zw_jet *out);
/* The index of the first significant coefficient; `terms` if there is none. */
int zw_jet_first(const zw_jet *a);
/* Without the coefficients before that one; 0 with n terms if there is none. */
zw_jet zw_jet_stripped(int n, const zw_jet *a);
/* The coefficient of s^k: 0 below low, NaN above the known terms. */
double zw_jet_coefficient(const zw_jet *a, int k);
/* The first significant coefficient, 0 if there is none. */
double zw_jet_leading(const zw_jet *a);

/* The series of nroot expressions whose n symbols have these series, starting with `terms` terms.
 * Fails for symbols that are not given. False: there is no series (fault says where), or memory is
 * short, which is sticky in the context. */
bool zw_jet_eval(const zw_context *ctx, int nroot, const zw_expr *roots, int n,
                 const zw_expr *symbols, const zw_jet *values, int terms, zw_jet *out,
                 zw_jet_fault *fault);
/* The sizes of the sums that the coefficients of e are: sums of the absolute values of the
 * coefficients of its terms, multiplied out down to `depth`; deeper parts count as one term. */
bool zw_jet_terms(const zw_context *ctx, zw_expr e, int depth, int n, const zw_expr *symbols,
                  const zw_jet *values, int terms, zw_jet *out);
/* True if e contains this part; an operator of this kind. */
bool zw_expr_holds(const zw_context *ctx, zw_expr e, zw_expr part);
bool zw_expr_has_op(const zw_context *ctx, zw_expr e, zw_op op);

#endif
