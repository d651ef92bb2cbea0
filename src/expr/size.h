/* SPDX-License-Identifier: MIT */
/* What the rounding of a value is measured by: the size of a sum is that of its summands without their signs, that of a product is
 * the product of the sizes of its factors. Below `depth` levels the value itself stands for it.
 *
 *   size_0(e) = |e|,   size_d(sum c_i e_i) = sum |c_i| size_{d-1}(e_i),   size_d(prod b_i^p_i) = prod size_{d-1}(b_i)^p_i
 *
 * One level after another over all nodes: depth times the number of nodes, however often a node is shared. */
#ifndef ZW_EXPR_SIZE_H
#define ZW_EXPR_SIZE_H

#include "zwang/expr.h"

typedef struct zw_sized {
    double value, size; /* NaN without memory, then the status of the context is set */
} zw_sized;

void zw_eval_sizes(const zw_context *ctx, int nroot, const zw_expr *roots, int depth, int n,
                   const zw_expr *symbols, const double *values, zw_sized *out);

#endif
