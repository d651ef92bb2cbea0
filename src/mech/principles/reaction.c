/* SPDX-License-Identifier: MIT */
/* Multipliers for principles without them: once the accelerations are known, Lagrange's equations
 * of the dependent velocities, (M v' - h)_D = C_D lambda, give lambda = C_D^-1 (M v' - h)_D; C = W'
 * unless forces depend on multipliers. */
#include "lagrange.h"
#include "split.h"

/* C = W' + X of Lagrange's equations is known: X = C - W' */
static zw_status tilt_split(zw_split *split, const zw_equations *full, zw_error *err) {
    const zw_system *s = full->sys;
    zw_expr *X = ZW_SCRATCH_NEW(s->ctx, zw_expr, full->nv * full->nc);
    for (int k = 0; X && k < full->nv; k++)
        for (int c = 0; c < full->nc; c++)
            X[k * full->nc + c] =
                zw_sub(s->ctx, full->C[k * full->nc + c], full->W[c * full->nv + k]);
    return X ? zw_split_tilt(split, full, s, X, err) : zw_context_status(s->ctx, err);
}

static zw_status find_reactions(const zw_equations *eq, zw_expr *lambda, zw_error *err) {
    const zw_system *s = eq->sys;
    zw_context *ctx = s->ctx;
    zw_equations full = {.principle = "lagrange", .passing = true};
    zw_split split;
    for (int i = 0; i < s->nconstraint; i++)
        lambda[i] = ZW_NULL;
    const zw_active same = {.constraint = eq->holds, .bare = true, .dependent = eq->dependent};
    ZW_TRY(zw_reject_inequality(zw_principle_find("lagrange"), s, &same, err));
    ZW_TRY(zw_lagrange_derive(&full, s, &same, err));
    ZW_TRY(zw_split_velocities(&split, &full, s, err));
    if (!full.symmetric)
        ZW_TRY(tilt_split(&split, &full, err));
    for (int c = 0; c < full.nc; c++) {
        zw_expr sum = ZW_ZERO;
        for (int r = 0; r < split.nc; r++) {
            int at = split.dep[r];
            zw_expr force = zw_dot(ctx, s->nv, full.M + (size_t)at * (size_t)s->nv, full.a);
            force = zw_sub(ctx, force, full.h[at]);
            sum = zw_add(ctx, sum, zw_mul(ctx, split.reach[r * split.nc + c], force));
        }
        lambda[full.constraint[c]] = sum;
    }
    return zw_context_status(ctx, err);
}

zw_status zw_equations_reactions(const zw_equations *eq, zw_expr *lambda, zw_error *err) {
    zw_arena_mark mark = zw_scratch_mark(eq->sys->ctx);
    zw_status status = find_reactions(eq, lambda, err);
    zw_scratch_release(eq->sys->ctx, mark);
    return status;
}
