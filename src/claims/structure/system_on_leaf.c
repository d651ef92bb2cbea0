/* SPDX-License-Identifier: MIT */
/* The leaf of a start: the integrals of constraints on velocities (integrals.c) as conditions on
 * positions, I(q,t,p) - I(q0,t0,p) = 0, of a copy of the system. They have no multipliers. q0 are
 * the expressions that the model gives as starts, so that a branch over a parameter has at each
 * value the leaf of the model with that value. */
#include <math.h>
#include <string.h>

#include "mech/equations/kept_integrals.h"
#include "mech/system/build.h"
#include "zwang/claims.h"
#include "zwang/equations.h"
#include "zwang/simulate.h"

enum { LONG = 2000 }; /* constraints with more operations are not classified here */

/* The coordinates of the start: as given in the model, or as completed. */
static zw_status start_of(const zw_system *s, double t, const double *x, zw_expr *from, zw_expr *to,
                          zw_error *err) {
    for (int i = 0; i < s->nq; i++) {
        from[i] = s->coord[i].sym;
        to[i] = zw_real(s->ctx, x[i]);
        for (int k = 0; k < s->nstart; k++)
            if (s->start[k].what == from[i])
                to[i] = s->start[k].value;
    }
    from[s->nq] = s->t;
    to[s->nq] = zw_real(s->ctx, t);
    return zw_context_status(s->ctx, err);
}

static bool is_kept(const zw_system *s, const zw_active *active, const zw_integral *i) {
    for (int k = 0; k < i->n; k++)
        if (!zw_mech_holds(s, active, i->of[k]))
            return false;
    return true;
}

zw_status zw_leaf_missing(const zw_system *s, const zw_active *active, int known, int *missing,
                          zw_error *err) {
    zw_classification is;
    zw_error why = {0};
    long length = 0;
    *missing = 0;
    if (!zw_mech_has_velocities(s, active))
        return ZW_OK;
    for (int i = 0; i < s->nconstraint; i++)
        if (zw_mech_holds(s, active, i))
            length += zw_count(s->ctx, 1, &s->constraint[i].residual);
    for (int i = 0; i < s->nintegral; i++)
        known += is_kept(s, active, &s->integral[i]);
    if (length > LONG)
        *missing = -1;
    else if (zw_classify(&is, s, active, &why) >= 0 && is.hidden > known)
        *missing = is.hidden - known;
    return zw_context_status(s->ctx, err);
}

/* `out` with the integrals as further conditions: equal to their values where from[i] is to[i], nq
 * coordinates and time. */
static zw_status put_leaf(zw_system *out, const zw_system *s, zw_integrals *found,
                          const zw_expr *from, const zw_expr *to, zw_error *err) {
    ZW_TRY(zw_integrals_cancel_time(s, from, found, err));
    zw_integral *all = ZW_CONTEXT_NEW(s->ctx, zw_integral, s->nintegral + found->n);
    if (!all)
        return zw_context_status(s->ctx, err);
    for (int i = 0; i < s->nintegral; i++)
        all[i] = s->integral[i];
    for (int i = 0; i < found->n; i++) {
        zw_integral *leaf = &all[s->nintegral + i];
        *leaf = found->integral[i];
        zw_expr there = zw_subst(s->ctx, leaf->value, s->nq + 1, from, to);
        leaf->value = zw_sub(s->ctx, leaf->value, there);
    }
    out->integral = all;
    out->nintegral += found->n;
    return zw_context_status(s->ctx, err);
}

zw_status zw_system_on_leaf(zw_system *out, const zw_system *s, const zw_active *active, double t,
                            const double *p, int nheld, const zw_expr *held, int *missing,
                            zw_error *err) {
    zw_integrals found;
    *out = *s;
    if (missing)
        *missing = 0;
    if (!zw_mech_has_velocities(s, active))
        return ZW_OK;
    double *x = ZW_CONTEXT_NEW(s->ctx, double, s->nq + s->nv);
    zw_expr *from = ZW_CONTEXT_NEW(s->ctx, zw_expr, s->nq + 1),
            *to = ZW_CONTEXT_NEW(s->ctx, zw_expr, s->nq + 1);
    if (!x || !from || !to)
        return zw_context_status(s->ctx, err);
    ZW_TRY(zw_system_complete(s, active, t, p, x, NULL, err));
    ZW_TRY(zw_integrals_find(&found, s, active, t, p, x, nheld, held, err));
    if (missing)
        ZW_TRY(zw_leaf_missing(s, active, found.n + nheld, missing, err));
    ZW_TRY(start_of(s, t, x, from, to, err));
    return put_leaf(out, s, &found, from, to, err);
}

bool zw_leaf_warning(int missing, const char *what, zw_warning *out) {
    if (missing > 0)
        *out = zw_warning_of(
            "leaf", NAN,
            "the velocity constraints imply %d more condition%s on positions, for "
            "which no formula was found: %s may be on a different leaf from the start",
            missing, missing == 1 ? "" : "s", what);
    else if (missing < 0)
        *out =
            zw_warning_of("leaf", NAN,
                          "the velocity constraints are too long to find out whether they imply "
                          "conditions on positions: %s may be on a different leaf from the start",
                          what);
    if (missing)
        zw_warning_hint(out, "write them as position constraints, or as observables");
    return missing != 0;
}

/* --------------------------------------------------------------------------- motions that drift */

/* Does one of the equations, except row `but` of phi, contain this symbol? */
static bool has_symbol(const zw_equations *eq, int but, zw_expr symbol) {
    int nv = eq->nv, nc = eq->nc;
    const struct {
        int n;
        const zw_expr *e;
    } all[] = {{nv * nv, eq->M}, {nv, eq->h},        {nv * nc, eq->C},   {nc * nv, eq->W},
               {nc, eq->b},      {eq->nq, eq->qdot}, {eq->nvel, eq->psi}};
    for (size_t k = 0; k < sizeof all / sizeof *all; k++)
        for (int i = 0; i < all[k].n; i++)
            if (zw_depends(eq->sys->ctx, all[k].e[i], symbol))
                return true;
    for (int i = 0; i < eq->npos; i++)
        if (i != but && zw_depends(eq->sys->ctx, eq->phi[i], symbol))
            return true;
    return false;
}

static bool only_follows(const zw_equations *eq, int row) {
    for (int i = 0; i < eq->nq; i++)
        if (zw_depends(eq->sys->ctx, eq->phi[row], eq->q[i]) && !has_symbol(eq, row, eq->q[i]))
            return true;
    return false;
}

/* Derived again without the integrals that are implied. */
static zw_status derive_kept(zw_equations *out, zw_system *on_leaf, const zw_system *s,
                             const zw_active *active, const char *by, zw_error *err) {
    ZW_TRY(zw_derive(out, on_leaf, active, by, err));
    int n = s->nintegral;
    for (int k = 0; k < out->npos; k++) {
        int index = -2 - out->pos_constraint[k];
        if (index >= s->nintegral && !only_follows(out, k))
            on_leaf->integral[n++] = on_leaf->integral[index];
    }
    if (n == on_leaf->nintegral)
        return ZW_OK;
    on_leaf->nintegral = n;
    return zw_derive(out, on_leaf, active, by, err);
}

zw_status zw_derive_on_leaf(zw_equations *out, zw_system *on_leaf, const zw_system *s,
                            const zw_active *active, const double *p, int *missing, zw_error *err) {
    ZW_TRY(zw_system_on_leaf(on_leaf, s, active, 0, p, 0, NULL, missing, err));
    return derive_kept(out, on_leaf, s, active, "lagrange", err);
}

zw_status zw_derive_on_leaf_of(zw_equations *out, zw_system *on_leaf, const zw_system *s,
                               const zw_active *active, const char *by, const double *p,
                               const double *x, const zw_expr *q, zw_error *err) {
    zw_integrals found;
    *on_leaf = *s;
    if (zw_mech_has_velocities(s, active)) {
        zw_expr *from = ZW_CONTEXT_NEW(s->ctx, zw_expr, s->nq + 1),
                *to = ZW_CONTEXT_NEW(s->ctx, zw_expr, s->nq + 1);
        if (!from || !to)
            return zw_context_status(s->ctx, err);
        ZW_TRY(zw_integrals_find(&found, s, active, 0, p, x, 0, NULL, err));
        for (int i = 0; i < s->nq; i++) {
            from[i] = s->coord[i].sym;
            to[i] = q[i];
        }
        from[s->nq] = s->t;
        to[s->nq] = ZW_ZERO;
        ZW_TRY(put_leaf(on_leaf, s, &found, from, to, err));
    }
    return derive_kept(out, on_leaf, s, active, by, err);
}
