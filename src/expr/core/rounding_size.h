/* SPDX-License-Identifier: MIT */
/* What the rounding of a value is measured by: of a sum its summands without their signs, of a
 * product that of its factors,
 *
 *   size(sum c_i e_i) = sum |c_i e_i|,   size(prod b_i^p_i) = prod size(b_i)^p_i,   size(e) = |e| for all others.
 *
 * One pass over the nodes, however often a node is shared. */
#ifndef ZW_EXPR_CORE_ROUNDING_SIZE_H
#define ZW_EXPR_CORE_ROUNDING_SIZE_H

#include "zwang/expr.h"

typedef struct zw_sized {
    double value, size; /* NaN without memory, then the status of the context is set */
} zw_sized;

void zw_eval_sizes(const zw_context *ctx, int nroot, const zw_expr *roots, int n,
                   const zw_expr *symbols, const double *values, zw_sized *out);

#endif
