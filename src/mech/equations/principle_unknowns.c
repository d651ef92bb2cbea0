/* SPDX-License-Identifier: MIT */
/* Rewrites expressions in the system's velocities v, accelerations v' and multipliers lambda in the
 * unknowns of the equations. A constraint that is off has no force, so its lambda is 0; but lambda
 * of a slip of a sliding contact, according to its mode, is its friction. In a principle without
 * multipliers, lambda is the reaction, in v and v' (reaction.c). Where multipliers are impulses
 * among the velocities (vakonomic.c), lambda is their rate. Finally v and v' are replaced if the
 * principle has other velocities: v = system_v(t, q, p), v' = accel(t, q, p, p'). */
#include "mech/equations/variants.h"
#include "mech/principles/forces.h"

/* symbols and the expressions that replace them */
typedef struct dictionary {
    int n;
    zw_expr *symbol, *value;
} dictionary;

static void add_symbol(dictionary *d, zw_expr symbol, zw_expr value) {
    d->symbol[d->n] = symbol;
    d->value[d->n++] = value;
}

static bool is_needed(const zw_system *s, int n, const zw_expr *e, zw_expr symbol) {
    for (int i = 0; i < n; i++)
        if (zw_depends(s->ctx, e[i], symbol))
            return true;
    return false;
}

/* True if this multiplier is an unknown of the equations. */
static bool is_unknown(const zw_equations *eq, zw_expr lambda) {
    for (int i = 0; i < eq->nc; i++)
        if (eq->lambda[i] == lambda)
            return true;
    return false;
}

/* its rate, if it is a velocity of the equations; else 0 */
static zw_expr rate_of(const zw_equations *eq, zw_expr lambda) {
    for (int i = 0; i < eq->nv; i++)
        if (eq->v[i] == lambda)
            return eq->a[i];
    return ZW_NULL;
}

static zw_status replace_multipliers(dictionary *d, const zw_equations *eq, int n, const zw_expr *e,
                                     zw_error *err) {
    const zw_system *s = eq->sys;
    zw_expr *reaction = NULL;
    for (int i = 0; i < s->nconstraint; i++) {
        const zw_constraint *c = &s->constraint[i];
        if (!is_needed(s, n, e, c->lambda) || (eq->holds[i] && is_unknown(eq, c->lambda)))
            continue;
        if (!eq->holds[i]) {
            add_symbol(d, c->lambda, ZW_ZERO);
            continue;
        }
        zw_expr rate = rate_of(eq, c->lambda);
        if (rate) {
            add_symbol(d, c->lambda, rate);
            continue;
        }
        if (!reaction) {
            reaction = ZW_SCRATCH_NEW(s->ctx, zw_expr, s->nconstraint);
            if (!reaction)
                return zw_context_status(s->ctx, err);
            ZW_TRY(zw_equations_reactions(eq, reaction, err));
        }
        add_symbol(d, c->lambda, reaction[i]);
    }
    return ZW_OK;
}

/* replaces the multipliers of sliding blocks by their friction */
static void replace_sliding(dictionary *d, const zw_equations *eq) {
    const zw_system *s = eq->sys;
    for (int i = 0; i < s->nforce && eq->stance; i++) {
        const zw_force *f = &s->force[i];
        if (!f->stuck || !zw_force_acts(eq, f))
            continue;
        for (int k = 0; k < f->n; k++)
            add_symbol(d, s->constraint[f->stuck - 1 + k].lambda,
                       zw_mul(s->ctx, zw_force_sign(eq, f),
                              zw_force_has_sign(eq, f) ? f->along[k] : f->values[k]));
    }
}

static void apply_dictionary(const dictionary *d, zw_context *ctx, int n, zw_expr *e) {
    for (int i = 0; i < n && d->n; i++)
        e[i] = zw_subst(ctx, e[i], d->n, d->symbol, d->value);
}

static zw_status translate_unknowns(const zw_equations *eq, int n, zw_expr *e, zw_error *err) {
    const zw_system *s = eq->sys;
    int size = s->nconstraint + 2 * s->nv;
    dictionary d = {0, ZW_SCRATCH_NEW(s->ctx, zw_expr, size),
                    ZW_SCRATCH_NEW(s->ctx, zw_expr, size)};
    if (!d.symbol || !d.value)
        return zw_context_status(s->ctx, err);
    replace_sliding(&d, eq);
    apply_dictionary(&d, s->ctx, n, e);
    d.n = 0;
    for (int i = 0; i < eq->nshare; i++)
        add_symbol(&d, s->constraint[eq->share[i].constraint].lambda,
                   zw_share_force(eq, &eq->share[i]));
    apply_dictionary(&d, s->ctx, n, e);
    d.n = 0;
    ZW_TRY(replace_multipliers(&d, eq, n, e, err));
    apply_dictionary(&d, s->ctx, n, e); /* first, since reactions contain v and v' */
    d.n = 0;
    for (int i = 0; i < s->nv && eq->system_v; i++)
        add_symbol(&d, s->velocity[i].sym, eq->system_v[i]);
    for (int i = 0; i < s->nv && eq->accel; i++)
        add_symbol(&d, s->velocity[i].accel, eq->accel[i]);
    apply_dictionary(&d, s->ctx, n, e);
    return zw_context_status(s->ctx, err);
}

zw_status zw_equations_translate(const zw_equations *eq, int n, zw_expr *e, zw_error *err) {
    zw_arena_mark mark = zw_scratch_mark(eq->sys->ctx);
    zw_status status = translate_unknowns(eq, n, e, err);
    zw_scratch_release(eq->sys->ctx, mark);
    return status;
}
