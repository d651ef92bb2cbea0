/* SPDX-License-Identifier: MIT */
#include "vector.h"

/* Multiplies out where that is shorter; after a chain of joints it is not, and only takes time. */
void zw_vector_tidy(zw_context *ctx, int n, zw_expr *e) {
    enum { WORTH_IT = 60 };
    if (zw_count(ctx, n, e) <= WORTH_IT)
        zw_shorten(ctx, n, e);
}

void zw_vector_cross(zw_context *ctx, const zw_expr a[3], const zw_expr b[3], zw_expr out[3]) {
    for (int i = 0; i < 3; i++) {
        int j = (i + 1) % 3, k = (i + 2) % 3;
        out[i] = zw_sub(ctx, zw_mul(ctx, a[j], b[k]), zw_mul(ctx, a[k], b[j]));
    }
    zw_vector_tidy(ctx, 3, out);
}

zw_expr zw_vector_dot(zw_context *ctx, const zw_expr a[3], const zw_expr b[3]) {
    zw_expr e = zw_dot(ctx, 3, a, b);
    zw_vector_tidy(ctx, 1, &e);
    return e;
}

/* out = a + factor b */
void zw_vector_along(zw_context *ctx, const zw_expr a[3], zw_expr factor, const zw_expr b[3],
                     zw_expr out[3]) {
    for (int i = 0; i < 3; i++)
        out[i] = zw_add(ctx, a[i], zw_mul(ctx, factor, b[i]));
}

/* two unit vectors across the unit vector n, from an axis that is not parallel to it */
void zw_vector_across(zw_context *ctx, const zw_expr n[3], zw_expr t[2][3]) {
    int axis = 0;
    while (axis < 2 && n[axis] != ZW_ZERO)
        axis++;
    zw_expr e[3] = {ZW_ZERO, ZW_ZERO, ZW_ZERO};
    e[axis] = ZW_ONE;
    zw_vector_along(ctx, e, zw_neg(ctx, n[axis]), n, t[0]);
    zw_expr size = zw_sqrt(ctx, zw_dot(ctx, 3, t[0], t[0]));
    for (int i = 0; i < 3; i++)
        t[0][i] = zw_div(ctx, t[0][i], size);
    zw_vector_cross(ctx, n, t[0], t[1]);
}

void zw_vector_basis(zw_context *ctx, const zw_expr n[3], zw_expr t[2][3]) {
    zw_expr below = zw_apply(ctx, ZW_OP_LT, 2, (zw_expr[]){n[2], ZW_ZERO});
    zw_expr s = zw_cond(ctx, below, ZW_MINUS_ONE, ZW_ONE);
    zw_expr a = zw_div(ctx, ZW_ONE, zw_add(ctx, s, n[2]));
    zw_expr mixed = zw_neg(ctx, zw_product(ctx, 3, (zw_expr[]){a, n[0], n[1]}));
    t[0][0] = zw_sub(ctx, ZW_ONE, zw_product(ctx, 4, (zw_expr[]){s, a, n[0], n[0]}));
    t[0][1] = zw_mul(ctx, s, mixed);
    t[0][2] = zw_neg(ctx, zw_mul(ctx, s, n[0]));
    t[1][0] = mixed;
    t[1][1] = zw_sub(ctx, s, zw_product(ctx, 3, (zw_expr[]){a, n[1], n[1]}));
    t[1][2] = zw_neg(ctx, n[1]);
}
