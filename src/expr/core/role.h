/* SPDX-License-Identifier: MIT */
/* Roles of symbols for printing: a symbol without a role is a parameter. Roles are set before and
 * removed after writing; while there are any, terms and factors are in the order of a textbook
 * (src/expr/core/order.h). */
#ifndef ZW_EXPR_CORE_ROLE_H
#define ZW_EXPR_CORE_ROLE_H

#include "zwang/expr.h"

typedef enum zw_role { ZW_ROLE_COORDINATE = 1, ZW_ROLE_RATE, ZW_ROLE_MULTIPLIER } zw_role;

void zw_role_mark(zw_context *ctx, int n, const zw_expr *symbols, zw_role role);
/* All symbols are parameters again. */
void zw_role_clear(zw_context *ctx);
/* The role of a symbol, 0 for a parameter; a symbol without a role that has a prime is a rate. */
int zw_role_of(const zw_context *ctx, zw_expr symbol);

#endif
