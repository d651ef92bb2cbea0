/* SPDX-License-Identifier: MIT */
/* Quotients of polynomials in lowest terms, and their factors. Variables are symbols, roots and
 * functions (with sin^2 + cos^2 = 1 and the like). What has more than some thousand terms stays as
 * it is: every function says so by false. */
#ifndef ZW_EXPR_CALCULUS_RATIO_H
#define ZW_EXPR_CALCULUS_RATIO_H

#include "zwang/expr.h"

/* *num / *den = e without common factors, multiplied out. */
bool zw_ratio_parts(zw_context *ctx, zw_expr e, zw_expr *num, zw_expr *den);
/* e as such a quotient; e itself if it is too long. */
zw_expr zw_ratio(zw_context *ctx, zw_expr e);
/* Is e 0 for all values of its symbols? True is proved; false may be not seen. */
bool zw_ratio_is_zero(zw_context *ctx, zw_expr e);

typedef struct zw_factor {
    zw_expr base;
    int power; /* negative: of the denominator */
} zw_factor;
/* e = *number times the product of at most max factors. False: too long, or too many. */
bool zw_ratio_factors(zw_context *ctx, zw_expr e, zw_expr *number, int max, zw_factor *out, int *n);
/* e as a product of its factors, each multiplied out; e itself if it is too long. */
zw_expr zw_factored(zw_context *ctx, zw_expr e);
/* The same with sines and cosines as variables that know nothing of each other: r + e sin(u) then
 * divides its square, which with sin^2 = 1 - cos^2 multiplied out it does not. */
zw_expr zw_factored_apart(zw_context *ctx, zw_expr e);

#endif
