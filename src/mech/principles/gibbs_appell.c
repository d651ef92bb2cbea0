/* SPDX-License-Identifier: MIT */
/* Gibbs (1879) and Appell (1899). The energy of acceleration of all masses,
 *
 *     S = sum m a.a/2 + alpha.J alpha/2 + alpha.(w x J w),
 *
 * is written in the independent accelerations: the dependent ones are eliminated by the
 * constraints, v'_D = D v'_I + e. Then
 *
 *     dS/dv'_i = Q_i + sum_D D_Di Q_D,            i independent,
 *
 * without multipliers and without a kinetic energy. Only terms of S with accelerations matter.
 *
 * If forces depend on multipliers, these are not eliminated: S is written in all accelerations, and
 * in the directions on which the constraint forces and these forces together do no work (split.h)
 *
 *     dS/dv'_i + sum_D D~_Di dS/dv'_D = Q_i + sum_D D~_Di Q_D. */
#include "acceleration.h"
#include "forces.h"
#include "split.h"
#include "steps.h"

static const char ENERGY[] = "The energy of acceleration, {S = sum m a.a/2 + alpha.J alpha/2 + "
                             "alpha.(w x J w)|S = \\sum \\tfrac12 m\\, a \\cdot a + \\tfrac12 "
                             "\\alpha \\cdot J \\alpha + \\alpha \\cdot (\\omega \\times J "
                             "\\omega)}, in the independent accelerations";
static const char WHOLE_ENERGY[] =
    "The energy of acceleration, {S = sum m a.a/2 + alpha.J alpha/2 + alpha.(w x J w)|S = \\sum "
    "\\tfrac12 m\\, a \\cdot a + \\tfrac12 \\alpha \\cdot J \\alpha + \\alpha \\cdot "
    "(\\omega \\times J \\omega)}, in all accelerations: forces depend on multipliers";

/* slope: dS/dv' with respect to the independent accelerations, or to all if the split is tilted */
static void report_energy(const zw_equations *eq, const zw_split *split, const zw_expr *slope) {
    const char *S = zw_step_name(eq, "S");
    bool whole = zw_split_is_tilted(split);
    zw_step_heading(eq, whole ? WHOLE_ENERGY : ENERGY);
    zw_step(eq, zw_symbol(eq->sys->ctx, S), eq->function);
    zw_step_heading(eq, "Its derivatives");
    for (int i = 0; i < (whole ? eq->nv : split->k); i++)
        zw_step(eq, zw_step_partial(eq, S, eq->a[whole ? i : split->indep[i]]), slope[i]);
    if (!whole)
        return;
    zw_step_heading(eq,
                    "The same in the directions {epsilon|\\epsilon}, {N_i = dS/dv'_i + sum_D D_Di "
                    "dS/dv'_D|N_i = \\frac{\\partial S}{\\partial \\dot v_i} + \\sum_D D_{Di} "
                    "\\frac{\\partial S}{\\partial \\dot v_D}}");
    for (int i = 0; i < split->k; i++)
        zw_step(eq, zw_step_of(eq, "N", eq->v[split->indep[i]]),
                zw_split_project(eq->sys->ctx, split, slope, i));
}

static void report_steps(const zw_equations *eq, const zw_split *split, const zw_expr *slope,
                         const zw_expr *Q, const zw_expr *X) {
    if (!zw_steps_wanted(eq))
        return;
    report_energy(eq, split, slope);
    zw_step_separate_forces(eq, Q, X);
    zw_step_projected_forces(eq, split, Q);
    zw_step_heading(eq, "The principle");
    zw_step_sentence(
        eq,
        X ? "Gibbs and Appell, for every independent acceleration: {N_i = Q_i + sum_D D_Di Q_D|"
            "N_i = Q_i + \\sum_D D_{Di} Q_D}."
          : "Gibbs and Appell, for every independent acceleration: {dS/dv'_i = Q_i + sum_D D_Di "
            "Q_D|\\frac{\\partial S}{\\partial \\dot v_i} = Q_i + \\sum_D D_{Di} Q_D}.");
}

/* dS/dv' with respect to the independent accelerations, the dependent ones eliminated */
static zw_status reduced_slope(zw_equations *out, const zw_masses *masses, const zw_split *split,
                               zw_expr *slope, zw_error *err) {
    zw_context *ctx = out->sys->ctx;
    zw_expr *from = ZW_SCRATCH_NEW(ctx, zw_expr, split->nc),
            *to = ZW_SCRATCH_NEW(ctx, zw_expr, split->nc),
            *free_a = ZW_SCRATCH_NEW(ctx, zw_expr, split->k);
    if (!from || !to || !free_a)
        return zw_context_status(ctx, err);
    for (int i = 0; i < split->k; i++)
        free_a[i] = out->a[split->indep[i]];
    for (int r = 0; r < split->nc; r++) {
        from[r] = out->a[split->dep[r]];
        to[r] = zw_add(ctx, split->e[r],
                       zw_dot(ctx, split->k, split->D + (size_t)r * (size_t)split->k, free_a));
    }
    out->function = zw_masses_energy(ctx, masses, out, split->nc, from, to);
    zw_gradient(ctx, out->function, split->k, free_a, slope);
    return zw_context_status(ctx, err);
}

zw_status zw_gibbs_appell_derive(zw_equations *out, const zw_system *s, const zw_active *active,
                                 zw_error *err) {
    zw_context *ctx = s->ctx;
    zw_split split;
    zw_masses masses;
    const zw_expr *X;
    ZW_TRY(zw_principle_begin(out, s, active, err));
    int nv = s->nv;
    zw_expr *Q = ZW_SCRATCH_NEW(ctx, zw_expr, nv), *slope = ZW_SCRATCH_NEW(ctx, zw_expr, nv),
            *rows = ZW_SCRATCH_NEW(ctx, zw_expr, nv);
    if (!Q || !slope || !rows)
        return zw_context_status(ctx, err);
    ZW_TRY(zw_split_velocities(&split, out, s, err));
    ZW_TRY(zw_masses_of(&masses, out, s, err));
    ZW_TRY(zw_split_forces(&split, out, s, Q, &X, err));
    zw_masses_report(&masses, out);
    zw_step_constraint_rows(out);
    zw_step_split(out, &split);
    out->function_name = "S";
    if (X) {
        out->function = zw_masses_energy(ctx, &masses, out, 0, NULL, NULL);
        zw_gradient(ctx, out->function, nv, out->a, slope);
    } else {
        ZW_TRY(reduced_slope(out, &masses, &split, slope, err));
    }
    report_steps(out, &split, slope, Q, X);
    for (int i = 0; i < split.k; i++)
        rows[i] = zw_sub(ctx, X ? zw_split_project(ctx, &split, slope, i) : slope[i],
                         zw_split_project(ctx, &split, Q, i));
    out->metric = zw_masses_metric(ctx, &masses, out);
    return zw_split_fill(out, s, &split, rows, err);
}
