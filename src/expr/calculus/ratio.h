/* SPDX-License-Identifier: MIT */
/* Quotients of polynomials in lowest terms, and their factors. Variables are symbols, roots and
 * functions (with sin^2 + cos^2 = 1 and the like). Expressions of more than some thousand terms
 * stay as they are; the functions then return false. */
#ifndef ZW_EXPR_CALCULUS_RATIO_H
#define ZW_EXPR_CALCULUS_RATIO_H

#include "zwang/expr.h"

/* *num / *den = e without common factors, multiplied out. */
bool zw_ratio_parts(zw_context *ctx, zw_expr e, zw_expr *num, zw_expr *den);
/* e as such a quotient; e itself if it is too long. */
zw_expr zw_ratio(zw_context *ctx, zw_expr e);
/* True if e is proved to be 0 for all values of its symbols; false if that was not found. */
bool zw_ratio_is_zero(zw_context *ctx, zw_expr e);

typedef struct zw_factor {
    zw_expr base;
    int power; /* negative: in the denominator */
} zw_factor;
/* e = *number times the product of at most max factors. False if e is too long or has more
 * factors. */
bool zw_ratio_factors(zw_context *ctx, zw_expr e, zw_expr *number, int max, zw_factor *out, int *n);
/* e as a product of its factors, each multiplied out; e itself if it is too long. */
zw_expr zw_factored(zw_context *ctx, zw_expr e);
/* The same with sines and cosines as independent variables: r + e sin(u) is then found as a factor
 * of its square, which it is not once sin^2 = 1 - cos^2 has been used. */
zw_expr zw_factored_apart(zw_context *ctx, zw_expr e);

#endif
