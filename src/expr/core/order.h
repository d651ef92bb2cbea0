/* SPDX-License-Identifier: MIT */
/* The order in which terms and factors are printed, which is not that of their indices.
 *
 * Plain: numbers, then symbols in the order of their creation (parameters come first in a model),
 * then functions, then sums; so m*g*l*sin(theta). Textbook: factors are numbers, sums of
 * parameters, parameters, coordinates, other sums, velocities and accelerations, multipliers,
 * functions; so (m_1 + m_2) l^2 phi'' and m l phi'^2 sin(phi), and no bracket follows the argument
 * of a sine. Terms are ordered by their velocities and accelerations, those with the most first,
 * and those with multipliers come last. Callers set the roles of symbols (role.h). */
#ifndef ZW_EXPR_CORE_ORDER_H
#define ZW_EXPR_CORE_ORDER_H

#include "store.h"

typedef struct zw_pair {
    zw_expr a, b; /* term and coefficient, or base and exponent */
} zw_pair;

/* The argument pairs of a sum (without its constant) or of a product in reading order, in scratch
 * memory of the context; NULL if out of memory. */
zw_pair *zw_order_terms(const zw_context *ctx, const zw_expr *args, int n, bool textbook);
zw_pair *zw_order_factors(const zw_context *ctx, const zw_expr *args, int n, bool textbook);
/* c > 0 if all coefficients and the constant of a sum of three terms or more are c or -c, and c is
 * a fraction: it reads better as c (...). Else 1; energies, which are quadratic in the rates, are
 * left as they are. */
zw_number zw_order_common(const zw_context *ctx, zw_expr sum);

#endif
