/* SPDX-License-Identifier: MIT */
#include "forces.h"

static const char *role_of(const zw_force *f) {
    return f->constraint ? "the given work of a constraint" : "a force";
}

bool zw_force_has_sign(const zw_equations *eq, const zw_force *f) {
    return eq->stance && f->along;
}

/* the sign, for this mode of the contact, of the friction of a contact that presses and slides
 * upwards */
zw_expr zw_force_sign(const zw_equations *eq, const zw_force *f) {
    const zw_system *s = eq->sys;
    if (!eq->stance || !f->contact)
        return ZW_ONE;
    const zw_contact_mode *stance = &eq->stance[f->contact - 1];
    const zw_rubbing *block = &s->contact[f->contact - 1].block[f->block];
    int slide = stance->slide[f->block],
        press = block->kind == ZW_FRICTION_LINEAR ? 1 : stance->press;
    if (slide == ZW_CARRIED)
        return ZW_ZERO;
    return press * (f->along ? slide : 1) < 0 ? ZW_MINUS_ONE : ZW_ONE;
}

/* Contensou's friction occurs only in equations between events: others are evaluated at rest, where
 * it has no value. */
bool zw_force_acts(const zw_equations *eq, const zw_force *f) {
    const zw_system *s = eq->sys;
    bool patch =
        f->contact && s->contact[f->contact - 1].block[f->block].kind == ZW_FRICTION_CONTENSOU;
    if (!eq->stance || !f->contact)
        return !patch && zw_mech_force_acts(s, eq->holds, f);
    const zw_contact_mode *stance = &eq->stance[f->contact - 1];
    return stance->closed && !(f->stuck && stance->slide[f->block] == ZW_STICKS);
}

zw_expr zw_share_force(const zw_equations *eq, const zw_share *share) {
    const zw_system *s = eq->sys;
    zw_expr sum = zw_real(s->ctx, share->constant);
    for (int i = 0; i < s->nconstraint; i++)
        if (share->factor[i] != 0 && eq->holds[i])
            sum =
                zw_add(s->ctx, sum,
                       zw_mul(s->ctx, zw_real(s->ctx, share->factor[i]), s->constraint[i].lambda));
    return sum;
}

zw_expr zw_share_rate(const zw_system *s, int constraint) {
    for (int i = 0; i < s->ncontact; i++) {
        const zw_contact *c = &s->contact[i];
        if (c->closed == constraint)
            return c->rate;
        for (int b = 0; b < c->nblock; b++)
            if (c->stuck[b] >= 0 && constraint >= c->stuck[b] &&
                constraint < c->stuck[b] + c->block[b].nrow)
                return c->block[b].rate[constraint - c->stuck[b]];
    }
    return ZW_NULL;
}

/* replaces shared multipliers by shares of the others */
static zw_expr with_shares(const zw_equations *eq, zw_expr e) {
    const zw_system *s = eq->sys;
    for (int i = 0; i < eq->nshare; i++) {
        zw_expr lambda = s->constraint[eq->share[i].constraint].lambda,
                force = zw_share_force(eq, &eq->share[i]);
        if (zw_depends(s->ctx, e, lambda))
            e = zw_subst(s->ctx, e, 1, &lambda, &force);
    }
    return e;
}

static bool is_of_contact(const zw_system *s, int constraint) {
    for (int i = 0; i < s->ncontact; i++)
        if (s->contact[i].closed == constraint)
            return true;
    return false;
}

static zw_status reject_idle(const zw_system *s, const zw_force *f, int constraint, zw_error *err) {
    const char *name = s->constraint[constraint].name;
    if (is_of_contact(s, constraint)) {
        zw_fail_at(
            err, ZW_E_MODEL, f->place,
            "%s uses lambda(%s), the force of a contact, which is known after all other forces",
            role_of(f), name);
        zw_error_hint(
            err,
            "friction belongs into the law of the contact; what else depends on its force needs a "
            "contact that stays closed, with smooth friction: --bilateral %s",
            name);
        return ZW_E_MODEL;
    }
    zw_fail_at(err, ZW_E_MODEL, f->place, "%s uses lambda(%s), but that constraint is off",
               role_of(f), name);
    zw_error_hint(err, "switch the constraint on (--with %s) or remove the force", name);
    return ZW_E_MODEL;
}

zw_status zw_force_without_idle(const zw_equations *eq, const zw_force *f, zw_expr *Q,
                                zw_error *err) {
    const zw_system *s = eq->sys;
    if (!zw_force_acts(eq, f)) {
        *Q = ZW_ZERO;
        return ZW_OK;
    }
    *Q = with_shares(eq, zw_mul(s->ctx, *Q, zw_force_sign(eq, f)));
    for (int i = 0; i < s->nconstraint; i++) {
        const zw_constraint *c = &s->constraint[i];
        if (eq->holds[i] || !zw_depends(s->ctx, *Q, c->lambda))
            continue;
        if (zw_system_is_switched(s, i) || eq->stance) {
            *Q = zw_subst(s->ctx, *Q, 1, &c->lambda, (zw_expr[]){ZW_ZERO});
            continue;
        }
        return reject_idle(s, f, i, err);
    }
    return ZW_OK;
}

int zw_given_work(const zw_equations *eq, int n, zw_given_entry *out) {
    const zw_system *s = eq->sys;
    int found = 0;
    for (int i = 0; i < s->nforce; i++) {
        const zw_force *f = &s->force[i];
        for (int k = 0; f->constraint && k < s->nv; k++) {
            zw_expr Q = f->Q[k];
            if (zw_force_without_idle(eq, f, &Q, NULL) < 0 || Q == ZW_ZERO)
                continue;
            int at = 0;
            while (at < found && (out[at].velocity != k || out[at].constraint != f->constraint))
                at++;
            if (at == found && found < n)
                out[found++] = (zw_given_entry){f->constraint, k, ZW_ZERO};
            if (at < found)
                out[at].value = zw_add(s->ctx, out[at].value, Q);
        }
    }
    return found;
}

/* adds a force along velocity k to Q, and its dependence on multipliers to `extra` */
static zw_status add_to(const zw_equations *eq, zw_expr force, zw_place place, const char *role,
                        zw_expr *Q, zw_expr *extra, bool *depends, zw_error *err) {
    const zw_system *s = eq->sys;
    zw_context *ctx = s->ctx;
    zw_expr rest;
    if (!zw_depends_any(ctx, force, eq->nc, eq->lambda)) {
        *Q = zw_add(ctx, *Q, force);
        return ZW_OK;
    }
    if (!extra) {
        zw_fail_at(err, ZW_E_MODEL, place, "%s depends on a multiplier, which %s cannot express",
                   role, eq->principle);
        zw_error_hint(err, "use --by lagrange, or any other principle but vakonomic");
        return ZW_E_MODEL;
    }
    zw_expr *coef = ZW_SCRATCH_NEW(ctx, zw_expr, eq->nc);
    if (!coef)
        return zw_context_status(ctx, err);
    if (!zw_linear(ctx, force, eq->nc, eq->lambda, coef, &rest)) {
        ZW_TRY(zw_mech_status(s, place, err));
        zw_fail_at(err, ZW_E_MODEL, place, "%s is not linear in the multipliers it uses", role);
        zw_error_hint(err, "abs(lambda(name)) is linear where its sign is known: write lambda "
                           "with that sign");
        return ZW_E_MODEL;
    }
    *depends = true;
    *Q = zw_add(ctx, *Q, rest);
    for (int c = 0; c < eq->nc; c++)
        extra[c] = zw_add(ctx, extra[c], coef[c]);
    return ZW_OK;
}

static zw_status one_force(const zw_equations *eq, const zw_system *s, const zw_force *f,
                           zw_expr *Q, zw_expr *extra, bool *depends, zw_error *err) {
    for (int k = 0; k < s->nv; k++) {
        zw_expr force = zw_force_has_sign(eq, f) ? f->Q_along[k] : f->Q[k];
        ZW_TRY(zw_force_without_idle(eq, f, &force, err));
        ZW_TRY(add_to(eq, force, f->place, role_of(f), &Q[k], extra ? extra + k * eq->nc : NULL,
                      depends, err));
    }
    return ZW_OK;
}

/* the rows of contacts that are shares of others: not constraints, but forces */
static zw_status one_share(const zw_equations *eq, const zw_system *s, const zw_share *share,
                           const zw_expr *v, zw_expr *Q, zw_expr *extra, bool *depends,
                           zw_error *err) {
    zw_expr force = zw_share_force(eq, share), rate = zw_share_rate(s, share->constraint);
    for (int k = 0; k < s->nv; k++)
        ZW_TRY(add_to(eq, zw_mul(s->ctx, force, zw_diff(s->ctx, rate, v[k])),
                      s->constraint[share->constraint].place, "the force of a contact", &Q[k],
                      extra ? extra + k * eq->nc : NULL, depends, err));
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
    for (int i = 0; i < eq->nshare; i++)
        ZW_TRY(one_share(eq, s, &eq->share[i], v, Q, extra, depends ? depends : &ignored, err));
    return zw_context_status(ctx, err);
}
