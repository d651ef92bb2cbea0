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
#include "steps.h"

/* rows: dS/dv'_i */
static void tell(const zw_equations *eq, const zw_split *split, const zw_expr *rows,
                 const zw_expr *Q) {
    const char *S = zw_step_name(eq, "S");
    if (!zw_steps_wanted(eq))
        return;
    zw_step_heading(
        eq, "The energy of acceleration, {S = sum m a.a/2 + alpha.J alpha/2 + alpha.(w x J w)|"
            "S = \\sum \\tfrac12 m\\, a \\cdot a + \\tfrac12 \\alpha \\cdot J \\alpha + "
            "\\alpha \\cdot (\\omega \\times J \\omega)}, in the independent accelerations");
    zw_step(eq, zw_symbol(eq->sys->ctx, S), eq->function);
    zw_step_heading(eq, "Its derivatives");
    for (int i = 0; i < split->k; i++)
        zw_step(eq, zw_step_partial(eq, S, eq->a[split->indep[i]]), rows[i]);
    zw_step_forces(eq, Q, NULL);
    zw_step_projected_forces(eq, split, Q);
    zw_step_heading(eq, "The principle");
    zw_step_say(
        eq,
        "Gibbs and Appell, for every independent acceleration: {dS/dv'_i = Q_i + sum_D D_Di Q_D|"
        "\\frac{\\partial S}{\\partial \\dot v_i} = Q_i + \\sum_D D_{Di} Q_D}.");
}

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
    zw_masses_tell(&masses, out);
    zw_step_constraint_rows(out);
    zw_step_split(out, &split);
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
    tell(out, &split, rows, Q);
    for (int i = 0; i < split.k; i++)
        rows[i] = zw_sub(ctx, rows[i], zw_split_project(ctx, &split, Q, i));
    out->metric = zw_masses_metric(ctx, &masses, out);
    return zw_split_fill(out, s, &split, rows, err);
}
