/* SPDX-License-Identifier: MIT */
/* Gauss's principle of least constraint (1829): of all accelerations that the constraints W v' = b
 * allow, the true ones minimise the Zwang (constraint)
 *
 *     Z = sum m (a - F/m)^2 / 2 = S(v') - Q.v' + ...
 *
 * with S the energy of acceleration. Z = (v' - a)' M (v' - a)/2 with M = d2S/dv'2 and the free
 * accelerations a = M^-1 h, h = Q - dS/dv'(0). The minimum is (Udwadia and Kalaba 1992)
 *
 *     v' = a + M^-1/2 (W M^-1/2)^+ (b - W a),
 *
 * with the pseudo-inverse, so that redundant constraints do no harm. The work of constraints that
 * are not ideal on virtual displacements is part of Q, of which the projector of that formula keeps
 * what the constraints allow.
 *
 * Forces that depend on multipliers, Q + X lambda, are not varied: they have the values of the true
 * motion. Then dZ/dv' = W' lambda means M v' = h + C lambda, C = W' + X, and the minimum among W v'
 * = b is
 *
 *     v' = a + M^-1 C (W M^-1 C)^+ (b - W a),
 *
 * if W M^-1 C has the rank of W. The motion is unique if C has that rank too. It is not unique
 * where constraints are redundant and forces depend on how these share their load; the numerics
 * (src/num/flow/accel.c) report that. */
#include "acceleration.h"
#include "forces.h"
#include "steps.h"

static void report_steps(const zw_equations *eq, const zw_expr *Q, const zw_expr *X) {
    zw_context *ctx = eq->sys->ctx;
    const char *Z = zw_step_name(eq, "Z");
    zw_expr *slope = zw_steps_wanted(eq) ? ZW_SCRATCH_NEW(ctx, zw_expr, eq->nv) : NULL;
    if (!slope)
        return;
    zw_step_forces(eq, Q, X);
    zw_step_constraint_rows(eq);
    zw_step_heading(eq, "The Zwang, {Z = sum m (a - F/m)^2/2|Z = \\sum \\tfrac12 m\\, (a - "
                        "F/m)^2}, without what the "
                        "accelerations do not change");
    zw_step(eq, zw_symbol(ctx, Z), eq->function);
    zw_step_heading(eq, "Its derivatives");
    zw_gradient(ctx, eq->function, eq->nv, eq->a, slope);
    for (int k = 0; k < eq->nv; k++)
        zw_step(eq, zw_step_partial(eq, Z, eq->a[k]), slope[k]);
    zw_step_constraint_forces(eq);
    zw_step_heading(eq, "The principle");
    zw_step_sentence(
        eq, eq->nc
                ? "Gauss: of all accelerations that the constraints allow, the true ones make "
                  "{Z|Z} least. "
                  "With multipliers for the constraints, {dZ/dv' = K|\\frac{\\partial Z}{\\partial "
                  "\\dot v} = K}."
                : "Gauss: the true accelerations make {Z|Z} least, {dZ/dv' = 0|\\frac{\\partial "
                  "Z}{\\partial \\dot v} = 0}.");
}

/* Z without terms that are free of accelerations; the forces X lambda are among the given ones */
static zw_expr gauss_constraint(const zw_equations *eq, zw_expr S, const zw_expr *Q,
                                const zw_expr *X) {
    zw_context *ctx = eq->sys->ctx;
    zw_expr Z = zw_sub(ctx, S, zw_dot(ctx, eq->nv, Q, eq->a));
    for (int k = 0; X && k < eq->nv; k++)
        Z = zw_sub(
            ctx, Z,
            zw_mul(ctx, zw_dot(ctx, eq->nc, X + (size_t)k * (size_t)eq->nc, eq->lambda), eq->a[k]));
    return Z;
}

zw_status zw_gauss_derive(zw_equations *out, const zw_system *s, const zw_active *active,
                          zw_error *err) {
    zw_context *ctx = s->ctx;
    zw_masses masses;
    ZW_TRY(zw_principle_begin(out, s, active, err));
    int nv = s->nv, nc = out->nc;
    zw_expr *Q = ZW_SCRATCH_NEW(ctx, zw_expr, nv), rest;
    out->M = ZW_EQUATIONS_NEW(out, ctx, zw_expr, nv * nv);
    out->h = ZW_EQUATIONS_NEW(out, ctx, zw_expr, nv);
    out->C = ZW_EQUATIONS_NEW(out, ctx, zw_expr, nv * nc);
    if (!Q || !out->M || !out->h || !out->C)
        return zw_context_status(ctx, err);
    ZW_TRY(zw_masses_of(&masses, out, s, err));
    bool depends = false;
    ZW_TRY(zw_given_forces(out, s, Q, out->C, &depends, err));
    zw_expr S = zw_masses_energy(ctx, &masses, out, 0, NULL, NULL);
    if (!zw_quadratic(ctx, S, nv, out->a, out->M, out->h, &rest))
        return zw_context_status(ctx, err);
    out->function = gauss_constraint(out, S, Q, depends ? out->C : NULL);
    out->function_name = "Z";
    zw_masses_report(&masses, out);
    report_steps(out, Q, depends ? out->C : NULL);
    for (int k = 0; k < nv; k++) {
        out->h[k] = zw_sub(ctx, Q[k], out->h[k]);
        for (int c = 0; c < nc; c++)
            out->C[k * nc + c] = zw_add(ctx, out->C[k * nc + c], out->W[c * nv + k]);
    }
    zw_shorten(ctx, nv, out->h);
    out->symmetric = !depends;
    out->definite = true;
    out->pseudo = true;
    return zw_context_status(ctx, err);
}
