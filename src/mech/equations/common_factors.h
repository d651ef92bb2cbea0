/* SPDX-License-Identifier: MIT */
/* Common factors of expressions. Every term of a sum in normal form (zwang/expr.h) is a product of
 * powers. The common factor of all terms of several expressions is the product of the smallest
 * powers, including negative ones: dividing by it removes common factors and clears
 * denominators. */
#ifndef ZW_MECH_EQUATIONS_COMMON_FACTORS_H
#define ZW_MECH_EQUATIONS_COMMON_FACTORS_H

#include "zwang/expr.h"

enum { ZW_CONTENT_MAX = 40 }; /* factors; terms with more are treated as having no common factor */

typedef struct zw_content {
    int n;
    zw_expr base[ZW_CONTENT_MAX];
    zw_expr power[ZW_CONTENT_MAX]; /* numbers */
} zw_content;

/* The common factor of those of the n expressions that are not 0. */
void zw_content_of(zw_content *out, zw_context *ctx, int n, const zw_expr *e);
/* The factor itself, and e divided by it, term by term. */
zw_expr zw_content_product(const zw_content *c, zw_context *ctx);
zw_expr zw_content_divide(const zw_content *c, zw_context *ctx, zw_expr e);

#endif
