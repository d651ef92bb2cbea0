/* SPDX-License-Identifier: MIT */
/* Maggi's equations (1896). Virtual displacements that the constraints allow are dpi = B dpi_I with
 * the kinematic parameters v_I; the constraint forces W' lambda do no work on them, B' W' = 0. So
 * Lagrange's expressions, weighted with B, are free of multipliers:
 *
 *     B' (d/dt dT/dv - Gamma' dT/dv - F' dT/dq - Q) = 0,        W v' = b.
 *
 * k = nv - nc dynamic equations and the constraints determine the nv accelerations. If forces
 * depend on multipliers, B is replaced by the directions on which the constraint forces and these
 * forces together do no work (split.h). */
#include "lagrange.h"
#include "split.h"
#include "steps.h"

static const char PRINCIPLE[] = "Constraint forces do no work on the displacements that the "
                                "constraints allow. Lagrange's expressions "
                                "{E = d/dt dT/dv - Gamma - dT/dpi - Q|E = \\frac{\\mathrm "
                                "d}{\\mathrm dt} \\frac{\\partial T}{\\partial v} - "
                                "\\Gamma - \\frac{\\partial T}{\\partial\\pi} - Q}, weighted with "
                                "these displacements, vanish (for plain "
                                "coordinates {Gamma = 0|\\Gamma = 0} and {dT/dpi = dT/dq|\\partial "
                                "T/\\partial\\pi = \\partial T/\\partial q}): "
                                "{E_i + sum_D D_Di E_D = 0|E_i + \\sum_D D_{Di} E_D = 0}.";

static const char TILTED[] =
    "On the displacements {epsilon|\\epsilon} constraint forces do no work together with the "
    "forces "
    "that depend on them. Lagrange's expressions without these, {E = d/dt dT/dv - Gamma - dT/dpi - "
    "Q|E = \\frac{\\mathrm d}{\\mathrm dt} \\frac{\\partial T}{\\partial v} - \\Gamma - "
    "\\frac{\\partial T}{\\partial\\pi} - Q}, weighted with these displacements, vanish: {E_i + "
    "sum_D D_Di E_D = 0|E_i + \\sum_D D_{Di} E_D = 0}.";

static void report_steps(const zw_equations *eq, const zw_split *split, const zw_expr *lagrange) {
    zw_step_constraint_rows(eq);
    zw_step_split(eq, split);
    zw_step_heading(eq, "The principle");
    zw_step_sentence(eq, zw_split_is_tilted(split) ? TILTED : PRINCIPLE);
    for (int k = 0; k < eq->nv && zw_steps_wanted(eq); k++)
        zw_step(eq, zw_step_of(eq, "E", eq->v[k]), lagrange[k]);
}

zw_status zw_maggi_derive(zw_equations *out, const zw_system *s, const zw_active *active,
                          zw_error *err) {
    zw_context *ctx = s->ctx;
    zw_split split;
    const zw_expr *X;
    ZW_TRY(zw_principle_begin(out, s, active, err));
    int nv = s->nv;
    zw_expr *p = ZW_SCRATCH_NEW(ctx, zw_expr, nv), *Q = ZW_SCRATCH_NEW(ctx, zw_expr, nv),
            *lagrange = ZW_SCRATCH_NEW(ctx, zw_expr, nv), *rows = ZW_SCRATCH_NEW(ctx, zw_expr, nv);
    if (!p || !Q || !lagrange || !rows)
        return zw_context_status(ctx, err);
    ZW_TRY(zw_split_velocities(&split, out, s, err));
    ZW_TRY(zw_lagrange_mass_matrix(out, s, p, err));
    ZW_TRY(zw_lagrange_bias(out, s, p, err));
    ZW_TRY(zw_split_forces(&split, out, s, Q, &X, err));
    zw_step_separate_forces(out, Q, X);
    /* Lagrange's expressions, then weighted */
    for (int k = 0; k < nv; k++)
        lagrange[k] = zw_sub(ctx, zw_dot(ctx, nv, out->M + (size_t)k * (size_t)nv, out->a),
                             zw_add(ctx, out->h[k], Q[k]));
    report_steps(out, &split, lagrange);
    for (int i = 0; i < split.k; i++)
        rows[i] = zw_split_project(ctx, &split, lagrange, i);
    out->metric = out->M;
    return zw_split_fill(out, s, &split, rows, err);
}
