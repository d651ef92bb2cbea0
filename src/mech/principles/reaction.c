/* SPDX-License-Identifier: MIT */
/* Multipliers for principles that have none: once the accelerations are known, Lagrange's equations of
 * the dependent velocities, (M v' - h)_D = W_D' lambda, give lambda = W_D'^-1 (M v' - h)_D. */
#include "split.h"

zw_status zw_equations_reactions(const zw_equations *eq, zw_expr *lambda, zw_error *err) {
    const zw_system *s = eq->sys;
    zw_context *ctx = s->ctx;
    zw_equations full;
    zw_split split;
    for (int i = 0; i < s->nconstraint; i++)
        lambda[i] = ZW_NULL;
    const zw_active same = {.constraint = eq->holds, .bare = true};
    ZW_TRY(zw_derive(&full, s, &same, "lagrange", err));
    ZW_TRY(zw_split_velocities(&split, &full, s, err));
    for (int c = 0; c < full.nc; c++) {
        zw_expr sum = ZW_ZERO;
        for (int r = 0; r < split.nc; r++) {
            int at = split.dep[r];
            zw_expr force = zw_dot(ctx, s->nv, full.M + (size_t)at * (size_t)s->nv, full.a);
            force = zw_sub(ctx, force, full.h[at]);
            sum = zw_add(ctx, sum, zw_mul(ctx, split.inverse[r * split.nc + c], force));
        }
        lambda[full.constraint[c]] = sum;
    }
    return zw_context_status(ctx, err);
}
