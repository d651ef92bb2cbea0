/* SPDX-License-Identifier: MIT */
/* Lagrange's equations with multipliers, in the velocities v of the system.
 *
 * d'Alembert's principle in Lagrange's central form, for all virtual displacements dq = F dpi:
 *     d/dt (p . dpi) = dT + dW,       p = dT/dv.
 * The kinetic energy T(q, v, t) varies by dT = T_q F dpi + p . dv, and the velocities by
 * dv = d(dpi)/dt + Gamma dpi (zwang/system.h). Comparing the factors of dpi,
 *
 *     p' = Gamma' p + F' (dT/dq - dV/dq) - dR/dv + Q + W' lambda.
 *
 * For plain coordinates F = 1, Gamma = 0 and this is Lagrange (Mecanique analytique, 1788) with the
 * multipliers of his first kind; for quasi-velocities it is Hamel's form (Z. Math. Phys. 50, 1904).
 * Written out, p' = M v' + p_q q' + p_t, so
 *     M = d2T/dv2,   h = Gamma' p + F' (T_q - V_q) - R_v + Q - p_q q' - p_t,   C = W' + dQ/dlambda. */
#include "principles.h"

/* M = d2T/dv2 must be free of v: T quadratic in the velocities */
static zw_status mass_matrix(zw_equations *out, const zw_system *s, zw_expr *p, zw_error *err) {
    zw_expr rest;
    out->M = ZW_CONTEXT_NEW(s->ctx, zw_expr, out->nv * out->nv);
    if (!out->M)
        return zw_context_status(s->ctx, err);
    zw_expr *linear = ZW_CONTEXT_NEW(s->ctx, zw_expr, out->nv);
    if (!linear)
        return zw_context_status(s->ctx, err);
    if (!zw_quadratic(s->ctx, s->T, out->nv, out->v, out->M, linear, &rest)) {
        ZW_TRY(zw_context_status(s->ctx, err));
        zw_fail(err, ZW_E_MODEL, "the kinetic energy of %s is not quadratic in the velocities",
                s->name);
        zw_error_hint(err, "relativistic or other kinetic energies are not mechanics of this kind");
        return ZW_E_MODEL;
    }
    for (int i = 0; i < out->nv; i++) {
        bool empty = true;
        for (int k = 0; k < out->nv; k++)
            empty &= out->M[i * out->nv + k] == ZW_ZERO;
        bool held = false;
        for (int c = 0; c < out->nc; c++)
            held |= out->W[c * out->nv + i] != ZW_ZERO;
        if (empty && !held) {
            zw_fail_at(err, ZW_E_SINGULAR, s->velocity[i].place,
                       "nothing has inertia along %s, so its acceleration is undetermined",
                       s->velocity[i].name);
            zw_error_hint(err, "give it a mass, or tie it to the others by a constraint");
            return ZW_E_SINGULAR;
        }
    }
    zw_gradient(s->ctx, s->T, out->nv, out->v, p);
    return zw_context_status(s->ctx, err);
}

/* Gamma' p, entry k */
static zw_expr transposed(const zw_system *s, const zw_expr *p, int k) {
    zw_expr sum = ZW_ZERO;
    for (int i = 0; i < s->nv; i++)
        if (s->Gamma[i * s->nv + k] != ZW_ZERO)
            sum = zw_add(s->ctx, sum, zw_mul(s->ctx, s->Gamma[i * s->nv + k], p[i]));
    return sum;
}

/* h without forces */
static zw_status inertia_and_potential(zw_equations *out, const zw_system *s, const zw_expr *p,
                                       zw_error *err) {
    zw_context *ctx = s->ctx;
    int nq = out->nq, nv = out->nv;
    zw_expr *slope = ZW_CONTEXT_NEW(ctx, zw_expr, nq), *drag = ZW_CONTEXT_NEW(ctx, zw_expr, nv);
    out->h = ZW_CONTEXT_NEW(ctx, zw_expr, nv);
    if (!slope || !drag || !out->h)
        return zw_context_status(ctx, err);
    zw_gradient(ctx, zw_sub(ctx, s->T, s->potential), nq, out->q, slope);
    zw_gradient(ctx, s->dissipation, nv, out->v, drag);
    for (int k = 0; k < nv; k++) {
        zw_expr sum = zw_sub(ctx, transposed(s, p, k), drag[k]);
        for (int i = 0; i < nq; i++)
            sum = zw_add(ctx, sum, zw_mul(ctx, s->F[i * nv + k], slope[i]));
        sum = zw_sub(ctx, sum, zw_along(ctx, p[k], nq, out->q, out->qdot));
        out->h[k] = zw_sub(ctx, sum, zw_diff(ctx, p[k], s->t));
    }
    return zw_context_status(ctx, err);
}

/* a force that uses the multiplier of a constraint that is switched off */
static zw_status check_multipliers(const zw_equations *out, const zw_system *s, const zw_force *f,
                                   zw_expr Q, zw_error *err) {
    for (int i = 0; i < s->nconstraint; i++) {
        const zw_constraint *c = &s->constraint[i];
        if (c->on || !zw_depends(out->sys->ctx, Q, c->lambda))
            continue;
        zw_fail_at(err, ZW_E_MODEL, f->place, "a force uses lambda(%s), but that constraint is off",
                   c->name);
        zw_error_hint(err, "switch the constraint on (--with %s) or remove the force", c->name);
        return ZW_E_MODEL;
    }
    return ZW_OK;
}

/* Q of all forces: the part without multipliers goes to h, the rest to C */
static zw_status forces(zw_equations *out, const zw_system *s, zw_error *err) {
    zw_context *ctx = s->ctx;
    int nv = out->nv, nc = out->nc;
    zw_expr *coef = ZW_CONTEXT_NEW(ctx, zw_expr, nc), rest;
    out->C = ZW_CONTEXT_NEW(ctx, zw_expr, nv * nc);
    if (!out->C || !coef)
        return zw_context_status(ctx, err);
    out->symmetric = true;
    for (int k = 0; k < nv; k++)
        for (int c = 0; c < nc; c++)
            out->C[k * nc + c] = out->W[c * nv + k];
    for (int i = 0; i < s->nforce; i++) {
        const zw_force *f = &s->force[i];
        for (int k = 0; k < nv; k++) {
            ZW_TRY(check_multipliers(out, s, f, f->Q[k], err));
            if (!zw_depends_any(ctx, f->Q[k], nc, out->lambda)) {
                out->h[k] = zw_add(ctx, out->h[k], f->Q[k]);
                continue;
            }
            if (!zw_linear(ctx, f->Q[k], nc, out->lambda, coef, &rest)) {
                ZW_TRY(zw_mech_status(s, f->place, err));
                return zw_fail_at(err, ZW_E_MODEL, f->place,
                                  "a force is not linear in the multipliers it uses");
            }
            out->symmetric = false;
            out->h[k] = zw_add(ctx, out->h[k], rest);
            for (int c = 0; c < nc; c++)
                out->C[k * nc + c] = zw_add(ctx, out->C[k * nc + c], coef[c]);
        }
    }
    return zw_context_status(ctx, err);
}

zw_status zw_lagrange_derive(zw_equations *out, const zw_system *s, zw_error *err) {
    ZW_TRY(zw_principle_begin(out, s, err));
    zw_expr *p = ZW_CONTEXT_NEW(s->ctx, zw_expr, s->nv);
    if (!p)
        return zw_context_status(s->ctx, err);
    ZW_TRY(mass_matrix(out, s, p, err));
    ZW_TRY(inertia_and_potential(out, s, p, err));
    ZW_TRY(forces(out, s, err));
    zw_shorten(s->ctx, out->nv, out->h);
    return zw_context_status(s->ctx, err);
}
