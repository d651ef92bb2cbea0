/* SPDX-License-Identifier: MIT */
/* Contacts as parts of a system. The gap g(t, q) and the velocities gamma_F(t, q, v) of a block of
 * friction become constraints that are off, and the friction of the slipping block becomes a force.
 * With the support function
 *
 *     D(u) = sqrt(sum (axis_i u_i)^2),      smooth: D - eps log(1 + D/eps),
 *
 * the force of a slipping block on its velocities is
 *
 *     r_i = -pull_i mu lambda(name) dD/du_i = -pull_i mu lambda(name) axis_i^2 u_i/(D + eps),
 *
 * linear in the multiplier of the gap. The linear law is r_i = -damping u_i. The set of Coulomb and
 * Contensou has
 *
 *     r = -mu lambda(name) (P u_1, P u_2, Q u_3),
 *
 * with P and Q functions of (u_1^2 + u_2^2, u_3^2) (src/base/contensou.h),
 *
 * between events only (zw_active.stance). The printed series, which jump, are used in time stepping
 * only. */
#include <stdio.h>

#include "build.h"

zw_rubbing zw_rubbing_block(zw_friction_kind kind, int nrow) {
    zw_rubbing b = {.kind = kind, .nrow = nrow, .mu = ZW_ZERO, .smooth = ZW_ZERO};
    b.damping = b.restitution = ZW_ZERO;
    b.nu = 0.5;
    for (int i = 0; i < ZW_FRICTION_ROWS_MAX; i++)
        b.axis[i] = b.pull[i] = b.arm[i] = ZW_ONE;
    return b;
}

bool zw_rubbing_is_set_valued(const zw_rubbing *block) {
    return block->kind != ZW_FRICTION_LINEAR && block->smooth == ZW_ZERO;
}

const zw_contact *zw_mech_contact_of(const zw_system *s, int constraint) {
    for (int i = 0; i < s->ncontact; i++) {
        const zw_contact *c = &s->contact[i];
        bool slips = false;
        for (int b = 0; b < c->nblock; b++)
            slips |= c->stuck[b] >= 0 && constraint >= c->stuck[b] &&
                     constraint < c->stuck[b] + c->block[b].nrow;
        if (constraint == c->closed || slips)
            return c;
    }
    return NULL;
}

/* ---- checks ---- */

static zw_status check_number(const zw_system *s, const zw_contact *c, zw_expr e, const char *what,
                              zw_error *err) {
    if (e == ZW_NULL)
        return zw_fail_at(err, ZW_E_MODEL, c->place, "the contact %s has no %s", c->name, what);
    return zw_mech_check_symbols(s, e, WITH_TIME | WITH_Q, what, c->place, err);
}

/* a velocity of the contact: affine in the velocities, and dependent on them */
static zw_status check_rate(zw_system *s, const zw_contact *c, zw_expr rate, const char *what,
                            zw_error *err) {
    zw_context *ctx = s->ctx;
    ZW_TRY(zw_mech_check_symbols(s, rate, WITH_TIME | WITH_Q | WITH_V, what, c->place, err));
    zw_arena_mark mark = zw_scratch_mark(ctx);
    zw_expr *v = ZW_SCRATCH_NEW(ctx, zw_expr, s->nv), *slope = ZW_SCRATCH_NEW(ctx, zw_expr, s->nv),
            rest;
    if (!v || !slope)
        return zw_mech_status(s, c->place, err);
    zw_mech_symbols(s, NULL, v, NULL);
    bool affine = zw_linear(ctx, rate, s->nv, v, slope, &rest), moves = false;
    for (int i = 0; affine && i < s->nv; i++)
        moves |= slope[i] != ZW_ZERO;
    zw_scratch_release(ctx, mark);
    ZW_TRY(zw_mech_status(s, c->place, err));
    if (affine && moves)
        return ZW_OK;
    zw_fail_at(err, ZW_E_MODEL, c->place, "%s of the contact %s %s", what, c->name,
               affine ? "holds no velocity" : "is not linear in the velocities");
    zw_error_hint(err, "slip, spin and roll are velocities, for instance disk.velocity(P)");
    return ZW_E_MODEL;
}

static zw_status check_block(zw_system *s, const zw_contact *c, const zw_rubbing *b,
                             zw_error *err) {
    if (b->nrow < 1 || b->nrow > ZW_FRICTION_ROWS_MAX)
        return zw_fail_at(err, ZW_E_MODEL, c->place, "friction of %d velocities", b->nrow);
    if (b->kind == ZW_FRICTION_CONTENSOU && b->nrow != ZW_FRICTION_ROWS_MAX)
        return zw_fail_at(err, ZW_E_MODEL, c->place,
                          "the law of Coulomb and Contensou needs two slips and a spin");
    ZW_TRY(check_number(s, c, b->mu, "coefficient of friction", err));
    ZW_TRY(check_number(s, c, b->smooth, "smoothing", err));
    ZW_TRY(check_number(s, c, b->damping, "damping", err));
    ZW_TRY(check_number(s, c, b->restitution, "tangential restitution", err));
    for (int i = 0; i < b->nrow; i++) {
        ZW_TRY(check_rate(s, c, b->rate[i], "a velocity", err));
        ZW_TRY(check_number(s, c, b->axis[i], "axis of friction", err));
        ZW_TRY(check_number(s, c, b->pull[i], "part of friction", err));
        ZW_TRY(check_number(s, c, b->arm[i], "radius", err));
    }
    return ZW_OK;
}

static zw_status check_gap(zw_system *s, zw_contact *c, zw_error *err) {
    ZW_TRY(zw_mech_check_symbols(s, c->gap, WITH_TIME | WITH_Q, "a gap", c->place, err));
    if (zw_mech_level(s, c->gap) != ZW_POSITION) {
        zw_fail_at(err, ZW_E_MODEL, c->place, "the gap of the contact %s contains no coordinate",
                   c->name);
        zw_error_hint(err, "a gap is a distance that the motion opens and closes");
        return ZW_E_MODEL;
    }
    if (c->rate == ZW_NULL)
        c->rate = zw_system_dt(s, c->gap);
    return check_rate(s, c, c->rate, "the rate of the gap", err);
}

/* ---- friction of a slipping block ---- */

static zw_expr support_value(zw_context *ctx, const zw_rubbing *b) {
    zw_expr scaled[ZW_FRICTION_ROWS_MAX];
    for (int i = 0; i < b->nrow; i++)
        scaled[i] = zw_mul(ctx, b->axis[i], b->rate[i]);
    return zw_sqrt(ctx, zw_dot(ctx, b->nrow, scaled, scaled));
}

zw_expr zw_mech_patch(zw_context *ctx, const zw_rubbing *b, zw_patch_function f, zw_expr slip,
                      zw_expr spin) {
    zw_expr code = zw_integer(ctx, zw_patch_code(b->nu, f));
    return zw_apply(ctx, ZW_OP_PATCH, 3, (zw_expr[]){code, slip, spin});
}

static void patch_friction(zw_context *ctx, const zw_rubbing *b, zw_expr N, zw_expr *out) {
    zw_expr slip = zw_dot(ctx, 2, b->rate, b->rate), spin = zw_mul(ctx, b->rate[2], b->rate[2]);
    for (int i = 0; i < b->nrow; i++) {
        zw_expr per = zw_mech_patch(ctx, b, i < 2 ? ZW_PATCH_P : ZW_PATCH_Q, slip, spin);
        zw_expr force = zw_mul(ctx, zw_mul(ctx, b->mu, N), zw_mul(ctx, b->pull[i], per));
        out[i] = zw_neg(ctx, zw_mul(ctx, force, b->rate[i]));
    }
}

void zw_mech_friction(zw_context *ctx, const zw_rubbing *b, zw_expr N, zw_expr *out) {
    if (b->kind == ZW_FRICTION_LINEAR) {
        for (int i = 0; i < b->nrow; i++)
            out[i] = zw_neg(ctx, zw_mul(ctx, b->damping, b->rate[i]));
        return;
    }
    if (b->kind == ZW_FRICTION_CONTENSOU) {
        patch_friction(ctx, b, N, out);
        return;
    }
    zw_expr size = zw_add(ctx, support_value(ctx, b), b->smooth);
    zw_expr factor = zw_neg(ctx, zw_div(ctx, zw_mul(ctx, b->mu, N), size));
    for (int i = 0; i < b->nrow; i++) {
        zw_expr own = zw_mul(ctx, b->pull[i], zw_mul(ctx, b->axis[i], b->axis[i]));
        out[i] = zw_mul(ctx, factor, zw_mul(ctx, own, b->rate[i]));
    }
}

/* one velocity: the force where u > 0, u/|u| = 1 */
static zw_status add_along(zw_system *s, zw_force *f, const zw_rubbing *b) {
    zw_context *ctx = s->ctx;
    zw_expr N = s->constraint[f->closed - 1].lambda, size = zw_mul(ctx, b->mu, b->axis[0]);
    f->along = ZW_CONTEXT_NEW(ctx, zw_expr, 1);
    if (f->along)
        f->along[0] = zw_neg(ctx, zw_mul(ctx, b->pull[0], zw_mul(ctx, size, N)));
    return zw_context_status(ctx, NULL);
}

static zw_status add_friction(zw_system *s, zw_contact *c, int block, zw_error *err) {
    const zw_rubbing *b = &c->block[block];
    zw_expr values[ZW_FRICTION_ROWS_MAX];
    if (b->kind == ZW_FRICTION_CONTENSOU && b->nu == ZW_NU_PRINTED)
        return ZW_OK;
    zw_mech_friction(s->ctx, b, zw_system_lambda(s, c->name), values);
    ZW_TRY(zw_system_force(s, c->name, b->nrow, b->rate, values, c->place, err));
    zw_force *f = &s->force[s->nforce - 1];
    f->closed = c->closed + 1;
    f->stuck = c->stuck[block] + 1;
    f->contact = s->ncontact + 1;
    f->block = block;
    return b->nrow == 1 && zw_rubbing_is_set_valued(b) ? add_along(s, f, b) : ZW_OK;
}

/* ---- its constraints ---- */

static zw_status add_slips(zw_system *s, zw_contact *c, int block, zw_error *err) {
    zw_rubbing *b = &c->block[block];
    c->stuck[block] = -1;
    for (int i = 0; i < b->nrow; i++)
        b->part[i] = zw_context_intern(s->ctx, b->part[i] ? b->part[i] : "");
    if (!zw_rubbing_is_set_valued(b))
        return ZW_OK;
    c->stuck[block] = s->nconstraint;
    for (int i = 0; i < b->nrow; i++) {
        char name[200];
        snprintf(name, sizeof name, "%.150s.%.40s", c->name, b->part[i]);
        ZW_TRY(zw_system_constraint(s, name, b->rate[i], "m/s", false, c->place, err));
        ZW_TRY(zw_system_lambda_unit(s, name, "N", err));
    }
    return ZW_OK;
}

static zw_status add_constraints(zw_system *s, zw_contact *c, zw_error *err) {
    c->closed = s->nconstraint;
    ZW_TRY(zw_system_constraint(s, c->name, c->gap, c->angular ? "rad" : "m",
                                c->bilateral && !c->off, c->place, err));
    ZW_TRY(zw_system_lambda_unit(s, c->name, c->angular ? "N*m" : "N", err));
    for (int i = 0; i < c->nblock; i++)
        ZW_TRY(add_slips(s, c, i, err));
    for (int i = 0; i < c->nblock; i++)
        ZW_TRY(add_friction(s, c, i, err));
    return ZW_OK;
}

zw_status zw_system_contact(zw_system *s, const zw_contact *contact, zw_error *err) {
    ZW_TRY(zw_mech_open(s, contact->place, err));
    zw_contact c = *contact;
    c.name = zw_context_intern(s->ctx, contact->name);
    c.beyond = zw_context_intern(s->ctx, contact->beyond ? contact->beyond : "");
    if (c.nblock < 0 || c.nblock > ZW_FRICTION_BLOCKS_MAX)
        return zw_fail_at(err, ZW_E_MODEL, c.place, "the contact %s has %d laws of friction",
                          c.name, c.nblock);
    if (c.angular && c.nblock)
        return zw_fail_at(err, ZW_E_MODEL, c.place,
                          "the gap of the contact %s is an angle: there is no friction", c.name);
    ZW_TRY(check_gap(s, &c, err));
    ZW_TRY(check_number(s, &c, c.restitution, "restitution", err));
    for (int i = 0; i < c.nblock; i++)
        ZW_TRY(check_block(s, &c, &c.block[i], err));
    ZW_TRY(add_constraints(s, &c, err));
    if (!zw_mech_grow(s->ctx, (void **)&s->contact, s->ncontact, &s->store->contact_capacity,
                      sizeof *s->contact))
        return zw_mech_status(s, c.place, err);
    s->contact[s->ncontact++] = c;
    return zw_mech_status(s, c.place, err);
}
