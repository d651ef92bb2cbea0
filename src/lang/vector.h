/* SPDX-License-Identifier: MIT */
/* Vectors of three expressions, for the geometry of contacts. */
#ifndef ZW_LANG_VECTOR_H
#define ZW_LANG_VECTOR_H

#include "zwang/expr.h"

/* Multiplies out where that is shorter; after a chain of joints it is not, and only takes time. */
void zw_vector_tidy(zw_context *ctx, int n, zw_expr *e);
/* a x b and a . b, tidied. */
void zw_vector_cross(zw_context *ctx, const zw_expr a[3], const zw_expr b[3], zw_expr out[3]);
zw_expr zw_vector_dot(zw_context *ctx, const zw_expr a[3], const zw_expr b[3]);
/* out = a + factor b */
void zw_vector_along(zw_context *ctx, const zw_expr a[3], zw_expr factor, const zw_expr b[3],
                     zw_expr out[3]);
/* Two unit vectors across the unit vector n; n, t[0], t[1] are right-handed: t[0] x t[1] = n. */
void zw_vector_across(zw_context *ctx, const zw_expr n[3], zw_expr t[2][3]);

/* The same for a unit vector in any direction: with s = 1 where n[2] >= 0, else -1, and a = 1/(s +
 * n[2]),
 *     t[0] = (1 - s a n0^2, -s a n0 n1, -s n0),    t[1] = (-a n0 n1, s - a n1^2, -n1).
 * They jump where n[2] changes its sign, as no two directions are tangent to all of a sphere. (T.
 * Duff et al., Building an orthonormal basis, revisited, 2017.) */
void zw_vector_basis(zw_context *ctx, const zw_expr n[3], zw_expr t[2][3]);

#endif
