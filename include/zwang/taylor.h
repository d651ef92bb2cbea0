/* SPDX-License-Identifier: MIT */
/* Implemented in src/expr/series. */
/* Taylor polynomials of expressions about a point, exactly: with x_j = at_j + s small_j,
 *
 *     e(x) = P_0 + s P_1 + s^2 P_2 + ... + s^k P_k + O(s^(k+1)),
 *
 * where P_i is homogeneous of degree i in the small quantities. The bookkeeping parameter s does not appear in
 * the results. */
#ifndef ZWANG_TAYLOR_H
#define ZWANG_TAYLOR_H

#include "expr.h"

#ifdef __cplusplus
extern "C" {
#endif

enum { ZW_TAYLOR_MOST = 12 }; /* the highest order */

/* The parts P_0 ... P_order of m expressions: out[i (order + 1) + k] is P_k of e[i]. The n symbols are replaced by
 * at + s small, both the caller's: expressions, small ones usually symbols or 0 (then only `at` is put in); symbols that
 * are not named stay. ZW_E_DOMAIN names the part of an expression that has no Taylor series there: a root or quotient of
 * 0, abs, sign, min, max or a condition that switches there. That what vanishes there is 0 must be seen by folding or by
 * multiplying out. The context has the status that it had before. */
ZW_API zw_status zw_taylor(zw_context *ctx, int m, const zw_expr *e, int n, const zw_expr *symbols,
                           const zw_expr *at, const zw_expr *small, int order, zw_expr *out,
                           zw_error *err);
/* The same where symbol j is a series itself, sum_k s^k series[j (order + 1) + k]. */
ZW_API zw_status zw_taylor_series(zw_context *ctx, int m, const zw_expr *e, int n,
                                  const zw_expr *symbols, const zw_expr *series, int order,
                                  zw_expr *out, zw_error *err);
/* One expression up to that order, P_0 + ... + P_order; 0 if it failed, err says why. */
ZW_API zw_expr zw_truncated(zw_context *ctx, zw_expr e, int n, const zw_expr *symbols,
                            const zw_expr *at, const zw_expr *small, int order, zw_error *err);
/* Every function of the n symbols replaced by the first `terms` terms of its series about 0 that are not 0, products as they are: sin x by x -
 * x^3/6, cos x by 1 - x^2/2 with two of them. ZW_E_DOMAIN names what has no series: it switches, or is not smooth there. */
ZW_API zw_status zw_few_terms(zw_context *ctx, int m, const zw_expr *e, int n,
                              const zw_expr *symbols, int terms, zw_expr *out, zw_error *err);
/* What stands before the product of the n variables to these powers in a polynomial of them. */
ZW_API zw_expr zw_taylor_coefficient(zw_context *ctx, zw_expr polynomial, int n,
                                     const zw_expr *variables, const int *powers);

#ifdef __cplusplus
}
#endif
#endif
