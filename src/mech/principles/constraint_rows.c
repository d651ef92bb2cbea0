/* SPDX-License-Identifier: MIT */
#include "constraint_rows.h"

#include <string.h>

/* W v' = b of a velocity-level residual psi */
static void acceleration_row(zw_equations *out, const zw_system *s, zw_expr psi, zw_expr *W,
                             zw_expr *b) {
    zw_context *ctx = s->ctx;
    zw_jacobian(ctx, 1, &psi, out->nv, out->v, W);
    /* the remaining part of dpsi/dt: due to q' and t only */
    zw_expr along_q = zw_along(ctx, psi, out->nq, out->q, out->qdot);
    *b = zw_neg(ctx, zw_add(ctx, along_q, zw_diff(ctx, psi, s->t)));
}

static zw_status one_constraint(zw_equations *out, const zw_system *s, int index, int *pos_index,
                                int *vel_index, zw_error *err) {
    zw_context *ctx = s->ctx;
    const zw_constraint *c = &s->constraint[index];
    int row = out->nc++, nv = out->nv;
    zw_expr *W = out->W + (size_t)row * (size_t)nv, psi = c->residual;
    ((zw_expr *)out->lambda)[row] = c->lambda;
    ((int *)out->constraint)[row] = index;
    if (c->level == ZW_ACCELERATION) {
        zw_expr rest;
        if (!zw_linear(ctx, c->residual, nv, out->a, W, &rest))
            return zw_mech_status(s, c->place, err);
        out->b[row] = zw_neg(ctx, rest);
    } else {
        if (c->level == ZW_POSITION)
            psi = zw_system_dt(s, c->residual);
        acceleration_row(out, s, psi, W, &out->b[row]);
        pos_index[out->npos] = vel_index[out->nvel] = index;
        if (c->level == ZW_POSITION) {
            memcpy(out->Phi + (size_t)out->npos * (size_t)nv, W, (size_t)nv * sizeof *W);
            out->phi[out->npos++] = c->residual;
        }
        memcpy(out->Psi + (size_t)out->nvel * (size_t)nv, W, (size_t)nv * sizeof *W);
        out->psi[out->nvel++] = psi;
    }
    bool empty = true;
    for (int k = 0; k < nv; k++)
        empty &= W[k] == ZW_ZERO;
    ZW_TRY(zw_mech_status(s, c->place, err));
    if (empty)
        return zw_fail_at(err, ZW_E_MODEL, c->place,
                          "the constraint %s does not restrict any velocity", c->name);
    return ZW_OK;
}

static bool all_hold(const zw_equations *out, const zw_integral *i) {
    bool all = true;
    for (int k = 0; k < i->n; k++)
        all &= out->holds[i->of[k]];
    return all;
}

/* integrals of the active rows: positions without a row of W */
static void add_integrals(zw_equations *out, const zw_system *s, int *pos_index) {
    for (int i = 0; i < s->nintegral; i++) {
        if (!all_hold(out, &s->integral[i]))
            continue;
        zw_expr rate = zw_system_dt(s, s->integral[i].value);
        zw_jacobian(s->ctx, 1, &rate, out->nv, out->v,
                    out->Phi + (size_t)out->npos * (size_t)out->nv);
        pos_index[out->npos] = -2 - i;
        out->phi[out->npos++] = s->integral[i].value;
        out->nintegral++;
        out->nleaf += s->integral[i].of_start;
    }
}

const char *zw_equations_position_name(const zw_equations *eq, int k, zw_place *place) {
    int index = eq->pos_constraint[k];
    if (index == -1)
        return "on positions";
    const zw_constraint *c = index >= 0 ? &eq->sys->constraint[index] : NULL;
    const zw_integral *i = index < 0 ? &eq->sys->integral[-2 - index] : NULL;
    if (place)
        *place = c ? c->place : i->place;
    return c ? c->name : i->name;
}

zw_status zw_constraint_rows(zw_equations *out, const zw_system *s, zw_error *err) {
    zw_context *ctx = s->ctx;
    int n = s->nconstraint, nv = out->nv, npos = n + s->nintegral;
    int *constraint = ZW_EQUATIONS_NEW(out, ctx, int, n),
        *pos_index = ZW_EQUATIONS_NEW(out, ctx, int, npos),
        *vel_index = ZW_EQUATIONS_NEW(out, ctx, int, n);
    zw_expr *lambda = ZW_EQUATIONS_NEW(out, ctx, zw_expr, n);
    out->W = ZW_EQUATIONS_NEW(out, ctx, zw_expr, n * nv);
    out->Phi = ZW_EQUATIONS_NEW(out, ctx, zw_expr, npos * nv);
    out->Psi = ZW_EQUATIONS_NEW(out, ctx, zw_expr, n * nv);
    out->b = ZW_EQUATIONS_NEW(out, ctx, zw_expr, n);
    out->phi = ZW_EQUATIONS_NEW(out, ctx, zw_expr, npos);
    out->psi = ZW_EQUATIONS_NEW(out, ctx, zw_expr, n);
    if (!constraint || !pos_index || !vel_index || !lambda || !out->W || !out->Phi || !out->Psi ||
        !out->b || !out->phi || !out->psi)
        return zw_context_status(ctx, err);
    out->constraint = constraint;
    out->lambda = lambda;
    out->pos_constraint = pos_index;
    out->vel_constraint = vel_index;
    for (int i = 0; i < n; i++)
        if (out->holds[i])
            ZW_TRY(one_constraint(out, s, i, pos_index, vel_index, err));
    add_integrals(out, s, pos_index);
    return zw_context_status(ctx, err);
}
