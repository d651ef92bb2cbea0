/* SPDX-License-Identifier: MIT */
/* Gibbs (1879) and Appell (1899). The energy of acceleration of all masses,
 *
 *     S = sum m a.a/2 + alpha.J alpha/2 + alpha.(w x J w),
 *
 * is written in the independent accelerations alone: the dependent ones are eliminated by the
 * constraints, v'_D = D v'_I + e. Then
 *
 *     dS/dv'_i = Q_i + sum_D D_Di Q_D,            i independent,
 *
 * without multipliers and without a kinetic energy. Only terms of S with accelerations matter. */
#include "acceleration.h"
#include "forces.h"
#include "split.h"

zw_status zw_gibbs_appell_derive(zw_equations *out, const zw_system *s, const zw_active *active,
                                 zw_error *err) {
    zw_context *ctx = s->ctx;
    zw_split split;
    zw_masses masses;
    ZW_TRY(zw_principle_begin(out, s, active, err));
    int nv = s->nv;
    zw_expr *Q = ZW_SCRATCH_NEW(ctx, zw_expr, nv), *from = ZW_SCRATCH_NEW(ctx, zw_expr, nv),
            *to = ZW_SCRATCH_NEW(ctx, zw_expr, nv), *free_a = ZW_SCRATCH_NEW(ctx, zw_expr, nv),
            *rows = ZW_SCRATCH_NEW(ctx, zw_expr, nv);
    if (!Q || !from || !to || !free_a || !rows)
        return zw_context_status(ctx, err);
    ZW_TRY(zw_split_velocities(&split, out, s, err));
    ZW_TRY(zw_masses_of(&masses, out, s, err));
    ZW_TRY(zw_given_forces(out, s, Q, NULL, NULL, err));
    for (int i = 0; i < split.k; i++)
        free_a[i] = out->a[split.indep[i]];
    for (int r = 0; r < split.nc; r++) {
        from[r] = out->a[split.dep[r]];
        to[r] = zw_add(ctx, split.e[r],
                       zw_dot(ctx, split.k, split.D + (size_t)r * (size_t)split.k, free_a));
    }
    zw_expr S = zw_masses_energy(ctx, &masses, out, split.nc, from, to);
    zw_gradient(ctx, S, split.k, free_a, rows);
    out->function = S;
    out->function_name = "S";
    for (int i = 0; i < split.k; i++)
        rows[i] = zw_sub(ctx, rows[i], zw_split_project(ctx, &split, Q, i));
    out->metric = zw_masses_metric(ctx, &masses, out);
    return zw_split_fill(out, s, &split, rows, err);
}
