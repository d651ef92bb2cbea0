/* SPDX-License-Identifier: MIT */
/* Common factors of expressions. Every term of a sum in normal form (zwang/expr.h) is a product of
 * powers; what all terms of several expressions share is the product of the least powers, negative
 * ones included: dividing by it takes out what is common and clears denominators. */
#ifndef ZW_MECH_EQUATIONS_COMMON_FACTORS_H
#define ZW_MECH_EQUATIONS_COMMON_FACTORS_H

#include "zwang/expr.h"

enum { ZW_CONTENT_MOST = 40 }; /* factors; terms that have more share nothing */

typedef struct zw_content {
    int n;
    zw_expr base[ZW_CONTENT_MOST];
    zw_expr power[ZW_CONTENT_MOST]; /* numbers */
} zw_content;

/* Of those of the n expressions that are not 0. */
void zw_content_of(zw_content *out, zw_context *ctx, int n, const zw_expr *e);
/* The product itself, and e divided by it, term by term. */
zw_expr zw_content_product(const zw_content *c, zw_context *ctx);
zw_expr zw_content_divide(const zw_content *c, zw_context *ctx, zw_expr e);

#endif
