/* SPDX-License-Identifier: MIT */
/* Lagrange's equations with multipliers, in the velocities v of the system.
 *
 * d'Alembert's principle in Lagrange's central form, for all virtual displacements dq = F dpi:
 *     d/dt (p . dpi) = dT + dW,       p = dT/dv.
 * The kinetic energy T(q, v, t) varies by dT = T_q F dpi + p . dv, and the velocities by
 * dv = d(dpi)/dt + Gamma dpi (zwang/system.h). Comparing the factors of dpi,
 *
 *     p' = Gamma' p + F' dT/dq + Q + W' lambda,     Q = forces - F' dV/dq - dR/dv.
 *
 * For plain coordinates F = 1, Gamma = 0 and these are Lagrange's equations of the first kind
 * (Mecanique analytique, 1788); for quasi-velocities they have Hamel's form (Z. Math. Phys. 50,
 * 1904). Written out, p' = M v' + p_q q' + p_t, so
 *     M = d2T/dv2,   h = Gamma' p + F' T_q + Q - p_q q' - p_t,   C = W' + dQ/dlambda. */
#include "lagrange.h"

#include "steps.h"

zw_status zw_lagrange_has_force(const zw_equations *eq, const zw_system *s, int k, bool *has,
                                zw_error *err) {
    zw_context *ctx = s->ctx;
    zw_expr *Q = ZW_SCRATCH_NEW(ctx, zw_expr, s->nv),
            *extra = ZW_SCRATCH_NEW(ctx, zw_expr, s->nv * eq->nc);
    if (!Q || !extra)
        return zw_context_status(ctx, err);
    ZW_TRY(zw_given_forces(eq, s, Q, extra, NULL, err));
    *has = zw_depends(ctx, Q[k], s->velocity[k].sym);
    for (int i = 0; i < s->nq; i++)
        *has |= s->F[i * s->nv + k] != ZW_ZERO && zw_depends(ctx, Q[k], s->coord[i].sym);
    return zw_context_status(ctx, err);
}

/* rejects a velocity without inertia that neither a constraint nor a force determines */
static zw_status check_inertia(const zw_equations *out, const zw_system *s, zw_error *err) {
    for (int i = 0; i < s->nv; i++) {
        bool empty = true, held = false;
        for (int k = 0; k < s->nv; k++)
            empty &= out->M[i * s->nv + k] == ZW_ZERO;
        for (int c = 0; c < out->nc; c++)
            held |= out->W[c * s->nv + i] != ZW_ZERO;
        if (empty && !held)
            ZW_TRY(zw_lagrange_has_force(out, s, i, &held, err));
        if (empty && !held) {
            zw_fail_at(err, ZW_E_SINGULAR, s->velocity[i].place,
                       "nothing has inertia along %s, so its acceleration is undetermined",
                       s->velocity[i].name);
            zw_error_hint(err, "give it a mass, a spring or a damper, or tie it to the others by "
                               "a constraint");
            return ZW_E_SINGULAR;
        }
    }
    return ZW_OK;
}

/* p and p' in the form of the equations */
static void report_momenta(const zw_equations *eq, const zw_expr *p) {
    zw_context *ctx = eq->sys->ctx;
    const char *T = zw_step_name(eq, "T");
    zw_step_heading(eq, "Derivatives of the kinetic energy with respect to the velocities");
    for (int k = 0; k < eq->nv; k++)
        zw_step(eq, zw_step_partial(eq, T, eq->v[k]), p[k]);
    zw_step_heading(eq, "Their time derivatives");
    for (int k = 0; k < eq->nv; k++) {
        zw_expr rate = zw_dot(ctx, eq->nv, eq->M + (size_t)k * (size_t)eq->nv, eq->a);
        rate = zw_add(ctx, rate, zw_along(ctx, p[k], eq->nq, eq->q, eq->qdot));
        rate = zw_add(ctx, rate, zw_diff(ctx, p[k], eq->sys->t));
        zw_step(eq, zw_step_rate(eq, zw_step_partial(eq, T, eq->v[k])), rate);
    }
}

/* along velocity k: dT/dx for a plain coordinate, else the derivative in the direction of the
 * velocity, and the transposition term of variation and rate */
static void report_slope(const zw_equations *eq, int k, const zw_expr *slope, zw_expr transposed) {
    const zw_system *s = eq->sys;
    const char *T = zw_step_name(eq, "T");
    zw_expr by = zw_step_plain(s, k), moved = ZW_ZERO;
    for (int i = 0; i < s->nq; i++)
        moved = zw_add(s->ctx, moved, zw_mul(s->ctx, s->F[i * s->nv + k], slope[i]));
    zw_step(eq, zw_step_partial(eq, T, by ? by : zw_step_of(eq, "pi", eq->v[k])), moved);
    if (!by)
        zw_step(eq, zw_step_of(eq, "Gamma", eq->v[k]), transposed);
}

zw_status zw_lagrange_mass_matrix(zw_equations *out, const zw_system *s, zw_expr *p,
                                  zw_error *err) {
    zw_expr rest, *linear = ZW_SCRATCH_NEW(s->ctx, zw_expr, s->nv);
    out->M = ZW_EQUATIONS_NEW(out, s->ctx, zw_expr, s->nv * s->nv);
    if (!out->M || !linear)
        return zw_context_status(s->ctx, err);
    if (!zw_quadratic(s->ctx, s->T, s->nv, out->v, out->M, linear, &rest)) {
        ZW_TRY(zw_context_status(s->ctx, err));
        zw_fail(err, ZW_E_MODEL, "the kinetic energy of %s is not quadratic in the velocities",
                s->name);
        zw_error_hint(err, "relativistic or other kinetic energies are not mechanics of this kind");
        return ZW_E_MODEL;
    }
    ZW_TRY(check_inertia(out, s, err));
    zw_gradient(s->ctx, s->T, s->nv, out->v, p);
    if (zw_steps_wanted(out)) {
        zw_step_energies(out, true);
        report_momenta(out, p);
    }
    return zw_context_status(s->ctx, err);
}

zw_expr zw_lagrange_transposed(const zw_system *s, const zw_expr *p, int k) {
    zw_expr sum = ZW_ZERO;
    for (int i = 0; i < s->nv; i++)
        if (s->Gamma[i * s->nv + k] != ZW_ZERO)
            sum = zw_add(s->ctx, sum, zw_mul(s->ctx, s->Gamma[i * s->nv + k], p[i]));
    return sum;
}

zw_status zw_lagrange_bias(zw_equations *out, const zw_system *s, const zw_expr *p, zw_error *err) {
    zw_context *ctx = s->ctx;
    int nq = s->nq, nv = s->nv;
    zw_expr *slope = ZW_SCRATCH_NEW(ctx, zw_expr, nq);
    out->h = ZW_EQUATIONS_NEW(out, ctx, zw_expr, nv);
    if (!slope || !out->h)
        return zw_context_status(ctx, err);
    zw_gradient(ctx, s->T, nq, out->q, slope);
    zw_step_heading(out, zw_step_is_plain(s)
                             ? "Derivatives with respect to the coordinates"
                             : "Derivatives along the velocities, {dT/dpi = F^T dT/dq|\\partial T/"
                               "\\partial\\pi = F^{\\mathsf T} \\partial T/\\partial q}, and "
                               "{Gamma = Gamma^T dT/dv|\\Gamma^{\\mathsf T} \\partial T/\\partial "
                               "v} of Hamel's transposition");
    for (int k = 0; k < nv; k++) {
        zw_expr sum = zw_lagrange_transposed(s, p, k);
        if (zw_steps_wanted(out))
            report_slope(out, k, slope, sum);
        for (int i = 0; i < nq; i++)
            sum = zw_add(ctx, sum, zw_mul(ctx, s->F[i * nv + k], slope[i]));
        sum = zw_sub(ctx, sum, zw_along(ctx, p[k], nq, out->q, out->qdot));
        out->h[k] = zw_sub(ctx, sum, zw_diff(ctx, p[k], s->t));
    }
    return zw_context_status(ctx, err);
}

zw_status zw_lagrange_derive(zw_equations *out, const zw_system *s, const zw_active *active,
                             zw_error *err) {
    zw_context *ctx = s->ctx;
    ZW_TRY(zw_principle_begin(out, s, active, err));
    int nv = s->nv, nc = out->nc;
    zw_expr *p = ZW_SCRATCH_NEW(ctx, zw_expr, nv), *Q = ZW_SCRATCH_NEW(ctx, zw_expr, nv);
    out->C = ZW_EQUATIONS_NEW(out, ctx, zw_expr, nv * nc);
    if (!p || !Q || !out->C)
        return zw_context_status(ctx, err);
    ZW_TRY(zw_lagrange_mass_matrix(out, s, p, err));
    ZW_TRY(zw_lagrange_bias(out, s, p, err));
    bool depends = false;
    ZW_TRY(zw_given_forces(out, s, Q, out->C, &depends, err));
    zw_step_forces(out, Q, out->C);
    zw_step_constraint_rows(out);
    zw_step_constraint_forces(out);
    zw_step_heading(out, "The principle");
    zw_step_sentence(
        out, zw_step_is_plain(s)
                 ? "d'Alembert's principle in Lagrange's form, for every coordinate: {d/dt "
                   "dT/dq' - dT/dq = Q + K|\\frac{\\mathrm d}{\\mathrm dt} \\frac{\\partial "
                   "T}{\\partial \\dot q} - \\frac{\\partial T}{\\partial q} = Q + K}."
                 : "d'Alembert's principle in Hamel's form, for every velocity: {d/dt dT/dv - "
                   "Gamma - dT/dpi = Q + K|\\frac{\\mathrm d}{\\mathrm dt} \\frac{\\partial "
                   "T}{\\partial v} - \\Gamma - \\frac{\\partial T}{\\partial \\pi} = Q + "
                   "K}.");
    zw_step_no_constraints(out);
    for (int k = 0; k < nv; k++) {
        out->h[k] = zw_add(ctx, out->h[k], Q[k]);
        for (int c = 0; c < nc; c++)
            out->C[k * nc + c] = zw_add(ctx, out->C[k * nc + c], out->W[c * nv + k]);
    }
    out->symmetric = !depends;
    out->definite = true;
    zw_shorten(ctx, nv, out->h);
    return zw_context_status(ctx, err);
}
