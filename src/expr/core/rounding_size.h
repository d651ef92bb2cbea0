/* SPDX-License-Identifier: MIT */
/* The size that the round-off of a value is relative to: for a sum its summands without their
 * signs, for a product the product of the sizes of its factors,
 *
 *   size(sum c_i e_i) = sum |c_i e_i|,   size(prod b_i^p_i) = prod size(b_i)^p_i,
 *   size(e) = |e| for all others.
 *
 * One pass over the nodes, which may be shared. */
#ifndef ZW_EXPR_CORE_ROUNDING_SIZE_H
#define ZW_EXPR_CORE_ROUNDING_SIZE_H

#include "zwang/expr.h"

typedef struct zw_sized {
    double value, size; /* NaN if out of memory; the status of the context is then set */
} zw_sized;

void zw_eval_sizes(const zw_context *ctx, int nroot, const zw_expr *roots, int n,
                   const zw_expr *symbols, const double *values, zw_sized *out);

#endif
