/* SPDX-License-Identifier: MIT */
/* What symbols are, for those who write: a symbol without a mark is a parameter. Marks are set
 * before and taken away after writing; while there are any, terms and factors are in the order of a
 * textbook (src/expr/core/order.h). */
#ifndef ZW_EXPR_CORE_ROLE_H
#define ZW_EXPR_CORE_ROLE_H

#include "zwang/expr.h"

typedef enum zw_role { ZW_ROLE_COORDINATE = 1, ZW_ROLE_RATE, ZW_ROLE_MULTIPLIER } zw_role;

void zw_role_mark(zw_context *ctx, int n, const zw_expr *symbols, zw_role role);
/* All symbols are parameters again. */
void zw_role_clear(zw_context *ctx);
/* The role of a symbol, 0 for a parameter; one that is not marked and has a prime is a rate. */
int zw_role_of(const zw_context *ctx, zw_expr symbol);

#endif
