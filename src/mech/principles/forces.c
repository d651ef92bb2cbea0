/* SPDX-License-Identifier: MIT */
#include "forces.h"

zw_status zw_force_without_idle(const zw_equations *eq, const zw_force *f, zw_expr *Q,
                                zw_error *err) {
    const zw_system *s = eq->sys;
    for (int i = 0; i < s->nconstraint; i++) {
        const zw_constraint *c = &s->constraint[i];
        if (eq->holds[i] || !zw_depends(s->ctx, *Q, c->lambda))
            continue;
        if (zw_system_is_switched(s, i)) {
            *Q = zw_subst(s->ctx, *Q, 1, &c->lambda, (zw_expr[]){ZW_ZERO});
            continue;
        }
        zw_fail_at(err, ZW_E_MODEL, f->place, "a force uses lambda(%s), but that constraint is off",
                   c->name);
        zw_error_hint(err, "switch the constraint on (--with %s) or remove the force", c->name);
        return ZW_E_MODEL;
    }
    return ZW_OK;
}

static zw_status one_force(const zw_equations *eq, const zw_system *s, const zw_force *f,
                           zw_expr *Q, zw_expr *extra, bool *depends, zw_error *err) {
    zw_context *ctx = s->ctx;
    zw_expr *coef = ZW_SCRATCH_NEW(ctx, zw_expr, eq->nc), rest;
    if (!coef)
        return zw_context_status(ctx, err);
    for (int k = 0; k < s->nv; k++) {
        zw_expr force = f->Q[k];
        ZW_TRY(zw_force_without_idle(eq, f, &force, err));
        if (!zw_depends_any(ctx, force, eq->nc, eq->lambda)) {
            Q[k] = zw_add(ctx, Q[k], force);
            continue;
        }
        if (!extra) {
            zw_fail_at(err, ZW_E_MODEL, f->place,
                       "a force depends on a multiplier, which %s cannot express", eq->principle);
            zw_error_hint(err, "use --by lagrange or hamilton");
            return ZW_E_MODEL;
        }
        if (!zw_linear(ctx, force, eq->nc, eq->lambda, coef, &rest)) {
            ZW_TRY(zw_mech_status(s, f->place, err));
            return zw_fail_at(err, ZW_E_MODEL, f->place,
                              "a force is not linear in the multipliers it uses");
        }
        *depends = true;
        Q[k] = zw_add(ctx, Q[k], rest);
        for (int c = 0; c < eq->nc; c++)
            extra[k * eq->nc + c] = zw_add(ctx, extra[k * eq->nc + c], coef[c]);
    }
    return ZW_OK;
}

zw_status zw_given_forces(const zw_equations *eq, const zw_system *s, zw_expr *Q, zw_expr *extra,
                          bool *depends, zw_error *err) {
    zw_context *ctx = s->ctx;
    int nv = s->nv, nq = s->nq;
    bool ignored = false;
    zw_expr *slope = ZW_SCRATCH_NEW(ctx, zw_expr, nq), *drag = ZW_SCRATCH_NEW(ctx, zw_expr, nv),
            *q = ZW_SCRATCH_NEW(ctx, zw_expr, nq), *v = ZW_SCRATCH_NEW(ctx, zw_expr, nv);
    if (!slope || !drag || !q || !v)
        return zw_context_status(ctx, err);
    zw_mech_symbols(s, q, v, NULL);
    zw_gradient(ctx, s->potential, nq, q, slope);
    zw_gradient(ctx, s->dissipation, nv, v, drag);
    for (int k = 0; k < nv; k++) {
        Q[k] = zw_neg(ctx, drag[k]);
        for (int i = 0; i < nq; i++)
            if (slope[i] != ZW_ZERO)
                Q[k] = zw_sub(ctx, Q[k], zw_mul(ctx, s->F[i * nv + k], slope[i]));
    }
    for (int i = 0; extra && i < nv * eq->nc; i++)
        extra[i] = ZW_ZERO;
    for (int i = 0; i < s->nforce; i++)
        ZW_TRY(one_force(eq, s, &s->force[i], Q, extra, depends ? depends : &ignored, err));
    return zw_context_status(ctx, err);
}
