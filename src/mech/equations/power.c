/* SPDX-License-Identifier: MIT */
/* The balance of energy: d(T + V)/dt as a sum of powers.
 *
 * Lagrange's equations p' = Gamma' p + F' T_q + Q - F' V_q - R_v + W' lambda, p = dT/dv, multiplied
 * by v give with q' = F v + f
 *
 *     d(p.v - T)/dt = v.Q - v.R_v + lambda.W v - v.F' V_q - T_q.f - T_t + p.Gamma v,
 *
 * and with G = 2 T - p.v, which is T1 + 2 T0 of T = T2 + T1 + T0 and zero without prescribed
 * motion,
 *
 *     d(T + V)/dt = v.Q - v.R_v + lambda.W v + D,                                             (1)
 *     D = V_t + V_q.f - T_t - T_q.f + p.Gamma v + dG/dt.
 *
 * The part (V_s - T_s) g of D is listed for each state s' = g: the power of the state by changing T
 * and V, like a motor that winds up a spring. Gamma v is zero if f is zero and F does not depend on
 * time and states. The power of a force is force times the whole velocity on which it acts, even if
 * part of it is prescribed, value.(slope v + rest); the excess over v.Q is subtracted from D, which
 * is then the power supplied by drives and servos. The exception is friction of a contact on a
 * moving support: its power is that on the system, v.Q, as it is while the contact sticks and is a
 * constraint.
 *
 * A constraint psi(q, v, t) = 0 makes W v = psi_v.v, and on the constraint that is psi_v.v - psi:
 * minus the part of psi without velocities, so zero for constraints that allow rest. If a
 * constraint is not ideal, the power of the given part of its force (zw_system_nonideal) is added
 * under its name. Under the vakonomic principle its force is W' mu' + bracket mu (vakonomic.c) and
 * its power
 *
 *     mu' g + mu (dg/dt + psi_q.f + psi_t - W Gamma v),       g = psi_v.v - psi. */
#include <stdio.h>
#include <string.h>

#include "mech/principles/forces.h"

typedef struct balance {
    const zw_equations *eq;
    const zw_system *s;
    zw_context *ctx;
    zw_expr *q, *v;  /* of the system */
    zw_expr *gamma;  /* nv: Gamma v */
    zw_expr *slope;  /* max(nq, nv): scratch */
    zw_expr drive;   /* D */
    zw_power *power; /* found so far */
    int n;
    zw_error *err;
} balance;

/* ------------------------------------------------------------------------------------- names */

static const char *coordinate_of(const zw_system *s, zw_expr rate) {
    for (int i = 0; i < s->nq; i++)
        if (s->coord[i].rate == rate)
            return s->coord[i].name;
    for (int i = 0; i < s->nv; i++)
        if (s->velocity[i].sym == rate)
            return s->velocity[i].name;
    return NULL;
}

/* the particle, body or frame that moves or rotates with this velocity */
static const char *thing_of(const zw_system *s, const zw_force *f) {
    size_t size = sizeof f->target;
    for (int i = 1; f->kind == ZW_FORCE_TORQUE && i < s->nframe; i++)
        if (memcmp(s->frame[i].omega, f->target, size) == 0)
            return s->frame[i].name;
    for (int i = 0; f->kind == ZW_FORCE_POINT && i < s->nparticle; i++)
        if (memcmp(s->particle[i].v, f->target, size) == 0)
            return s->particle[i].name;
    for (int i = 0; f->kind == ZW_FORCE_POINT && i < s->nbody; i++)
        if (memcmp(s->body[i].v, f->target, size) == 0)
            return s->body[i].name;
    return NULL;
}

void zw_force_label(const zw_system *s, const zw_force *f, char *out, size_t size) {
    if (f->name[0]) {
        snprintf(out, size, "%s", f->name);
        return;
    }
    const char *word = f->kind == ZW_FORCE_TORQUE ? "torque" : "force", *thing = thing_of(s, f);
    size_t length = 0;
    for (int i = 0; f->kind == ZW_FORCE_GENERAL && i < f->n && length < size; i++) {
        const char *name = coordinate_of(s, f->velocities[i]);
        if (!name) {
            length = 0;
            break;
        }
        length += (size_t)snprintf(out + length, size - length, "%s%s", i ? "," : "force(", name);
    }
    if (length && length + 1 < size)
        snprintf(out + length, size - length, ")");
    else if (thing)
        snprintf(out, size, "%s(%s)", word, thing);
    else if (f->place.file)
        snprintf(out, size, "%s(line %d)", word, f->place.line);
    else
        snprintf(out, size, "%s(%d)", word, (int)(f - s->force) + 1);
}

static bool is_taken(const balance *b, const char *name) {
    for (int i = 0; i < b->n; i++)
        if (strcmp(b->power[i].name, name) == 0)
            return true;
    return false;
}

/* ------------------------------------------------------------------------------------ entries */

/* adds a power, unless it is zero; a name that is taken gets a number */
static void add_power(balance *b, zw_power_kind kind, int index, const char *name, zw_expr value,
                      zw_place place) {
    char text[160];
    snprintf(text, sizeof text, "%s", name);
    for (int k = 2; is_taken(b, text); k++)
        snprintf(text, sizeof text, "%.140s.%d", name, k);
    const char *kept = zw_context_intern(b->ctx, text);
    if (value != ZW_ZERO && kept)
        b->power[b->n++] = (zw_power){kept, kind, index, value, place};
}

/* force times velocity; the prescribed part of the velocity belongs to the drive, or to the support
 * of a contact */
static zw_status force_power(balance *b, const zw_force *f, zw_expr *out) {
    const zw_expr *rate = f->kind == ZW_FORCE_GENERAL ? f->velocities : f->target;
    int n = f->kind == ZW_FORCE_GENERAL ? f->n : 3;
    zw_expr power = ZW_ZERO, prescribed = ZW_ZERO;
    for (int i = 0; i < n; i++) {
        zw_expr value = zw_force_has_sign(b->eq, f) ? f->along[i] : f->values[i], rest;
        ZW_TRY(zw_force_without_idle(b->eq, f, &value, b->err));
        if (!zw_linear(b->ctx, rate[i], b->s->nv, b->v, b->slope, &rest))
            return zw_mech_status(b->s, f->place, b->err);
        power = zw_add(b->ctx, power, zw_mul(b->ctx, value, rate[i]));
        prescribed = zw_add(b->ctx, prescribed, zw_mul(b->ctx, value, rest));
    }
    if (f->contact)
        power = zw_sub(b->ctx, power, prescribed);
    else
        b->drive = zw_sub(b->ctx, b->drive, prescribed);
    *out = power;
    return ZW_OK;
}

static zw_status add_force(balance *b, int index) {
    const zw_force *f = &b->s->force[index];
    char name[120];
    zw_expr power;
    if (f->constraint)
        return ZW_OK; /* belongs to a constraint, see below */
    ZW_TRY(force_power(b, f, &power));
    zw_force_label(b->s, f, name, sizeof name);
    add_power(b, ZW_POWER_FORCE, index, name, power, f->place);
    return ZW_OK;
}

static void add_dissipation(balance *b) {
    zw_gradient(b->ctx, b->s->dissipation, b->s->nv, b->v, b->slope);
    zw_expr loss = zw_dot(b->ctx, b->s->nv, b->slope, b->v);
    add_power(b, ZW_POWER_DISSIPATION, -1, "dissipation", zw_neg(b->ctx, loss), (zw_place){0});
}

/* ---------------------------------------------------------------------------------- constraints */

/* psi_v.v - psi, simplified; also 0 if psi is homogeneous of a higher degree k, since psi_v.v = k
 * psi = 0 */
static zw_expr rheonomic_part(balance *b, zw_expr psi) {
    zw_context *ctx = b->ctx;
    int nv = b->s->nv;
    zw_expr rest;
    if (zw_linear(ctx, psi, nv, b->v, b->slope, &rest)) {
        zw_shorten(ctx, 1, &rest);
        return zw_neg(ctx, rest);
    }
    zw_gradient(ctx, psi, nv, b->v, b->slope);
    zw_expr degree = zw_dot(ctx, nv, b->slope, b->v), out = zw_sub(ctx, degree, psi);
    if (zw_expand(ctx, zw_sub(ctx, degree, zw_mul(ctx, ZW_TWO, psi))) == ZW_ZERO)
        return ZW_ZERO;
    zw_shorten(ctx, 1, &out);
    return out;
}

/* lambda W v of an acceleration constraint, for any v */
static zw_status acceleration_power(balance *b, const zw_constraint *c, zw_expr *out) {
    zw_expr *a = ZW_SCRATCH_NEW(b->ctx, zw_expr, b->s->nv), rest;
    if (!a)
        return zw_context_status(b->ctx, b->err);
    zw_mech_symbols(b->s, NULL, NULL, a);
    if (!zw_linear(b->ctx, c->residual, b->s->nv, a, b->slope, &rest))
        return zw_mech_status(b->s, c->place, b->err);
    *out = zw_mul(b->ctx, c->lambda, zw_dot(b->ctx, b->s->nv, b->slope, b->v));
    return ZW_OK;
}

/* mu, until the powers have been translated, since lambda stands for a force there */
static zw_expr impulse_symbol(zw_context *ctx, const zw_constraint *c) {
    return zw_mech_named(ctx, "mu", c->name);
}

/* mu' g + mu (dg/dt + psi_q.f + psi_t - W Gamma v) */
static zw_expr vakonomic_power(balance *b, const zw_constraint *c, zw_expr psi, zw_expr g) {
    zw_context *ctx = b->ctx;
    const zw_system *s = b->s;
    zw_expr sum = zw_add(ctx, zw_system_dt(s, g), zw_diff(ctx, psi, s->t));
    sum = zw_add(ctx, sum, zw_along(ctx, psi, s->nq, b->q, s->f));
    zw_gradient(ctx, psi, s->nv, b->v, b->slope);
    sum = zw_sub(ctx, sum, zw_dot(ctx, s->nv, b->slope, b->gamma));
    zw_shorten(ctx, 1, &sum);
    zw_expr rate = zw_mech_named(ctx, "lambda'", c->name);
    return zw_add(ctx, zw_mul(ctx, rate, g), zw_mul(ctx, impulse_symbol(ctx, c), sum));
}

/* the power of the given part of the force of a constraint that is not ideal */
static zw_status given_power(balance *b, const char *constraint, zw_expr *out) {
    *out = ZW_ZERO;
    for (int i = 0; i < b->s->nforce; i++) {
        const zw_force *f = &b->s->force[i];
        zw_expr power;
        if (!f->constraint || strcmp(f->constraint, constraint) != 0)
            continue;
        ZW_TRY(force_power(b, f, &power));
        *out = zw_add(b->ctx, *out, power);
    }
    return ZW_OK;
}

static bool is_row(const zw_system *s, const char *name) {
    for (int i = 0; i < s->nconstraint; i++)
        if (strcmp(s->constraint[i].name, name) == 0)
            return true;
    return false;
}

/* A constraint of several rows, which have their own powers: the given part is added once, with its
 * first row. */
static zw_status add_whole(balance *b, int index) {
    const zw_force *f = &b->s->force[index];
    zw_expr power;
    bool first = f->constraint && !is_row(b->s, f->constraint);
    for (int i = 0; first && i < index; i++)
        first = !b->s->force[i].constraint || strcmp(b->s->force[i].constraint, f->constraint) != 0;
    if (!first)
        return ZW_OK;
    int row = 0;
    while (!zw_mech_is_part(b->s->constraint[row].name, f->constraint))
        row++;
    ZW_TRY(given_power(b, f->constraint, &power));
    add_power(b, ZW_POWER_CONSTRAINT, row, f->constraint, power, f->place);
    return ZW_OK;
}

static zw_status add_constraint(balance *b, int index) {
    const zw_constraint *c = &b->s->constraint[index];
    zw_expr power, given;
    if (!b->eq->holds[index] && !zw_equations_is_share(b->eq, index))
        return ZW_OK;
    if (c->level == ZW_ACCELERATION) {
        ZW_TRY(acceleration_power(b, c, &power));
    } else {
        zw_expr psi = c->level == ZW_POSITION ? zw_system_dt(b->s, c->residual) : c->residual;
        zw_expr g = rheonomic_part(b, psi);
        bool vakonomic = b->eq->nv > b->s->nv; /* the multipliers are states */
        power = vakonomic ? vakonomic_power(b, c, psi, g) : zw_mul(b->ctx, c->lambda, g);
    }
    ZW_TRY(given_power(b, c->name, &given));
    add_power(b, ZW_POWER_CONSTRAINT, index, c->name, zw_add(b->ctx, power, given), c->place);
    return zw_mech_status(b->s, c->place, b->err);
}

/* -------------------------------------------------------------------------------------- drive */

/* Gamma v; skipped where it is zero */
static void find_gamma(balance *b) {
    const zw_system *s = b->s;
    bool still = true;
    for (int i = 0; i < s->nq; i++) {
        still &= s->f[i] == ZW_ZERO || s->coord[i].state;
        for (int k = 0; k < s->nv; k++)
            still &= !zw_depends(b->ctx, s->F[i * s->nv + k], s->t) &&
                     !zw_mech_state_in(s, s->F[i * s->nv + k]);
    }
    for (int k = 0; k < s->nv; k++)
        b->gamma[k] =
            still ? ZW_ZERO : zw_dot(b->ctx, s->nv, s->Gamma + (size_t)k * (size_t)s->nv, b->v);
}

/* G = 2 T - p.v = a.v + 2 T0, simplified so that 0 is recognised */
static zw_status twice_less(balance *b, zw_expr *out) {
    zw_context *ctx = b->ctx;
    int nv = b->s->nv;
    zw_expr *A = ZW_SCRATCH_NEW(ctx, zw_expr, nv * nv), T0;
    if (!A || !zw_quadratic(ctx, b->s->T, nv, b->v, A, b->slope, &T0)) {
        ZW_TRY(zw_context_status(ctx, b->err));
        return zw_fail(b->err, ZW_E_MODEL,
                       "the kinetic energy of %s is not quadratic in the velocities", b->s->name);
    }
    for (int k = 0; k < nv; k++)
        zw_shorten(ctx, 1, &b->slope[k]);
    zw_shorten(ctx, 1, &T0);
    *out = zw_add(ctx, zw_dot(ctx, nv, b->slope, b->v), zw_mul(ctx, ZW_TWO, T0));
    return zw_context_status(ctx, b->err);
}

static zw_status begin_drive(balance *b) {
    zw_context *ctx = b->ctx;
    const zw_system *s = b->s;
    zw_expr L = zw_sub(ctx, s->T, s->potential), G;
    ZW_TRY(twice_less(b, &G));
    zw_gradient(ctx, s->T, s->nv, b->v, b->slope);
    b->drive = zw_dot(ctx, s->nv, b->slope, b->gamma);
    b->drive = zw_add(ctx, b->drive, zw_system_dt(s, G));
    b->drive = zw_sub(ctx, b->drive, zw_diff(ctx, L, s->t));
    zw_expr *f = ZW_SCRATCH_NEW(ctx, zw_expr, s->nq);
    for (int i = 0; f && i < s->nq; i++)
        f[i] = s->coord[i].state ? ZW_ZERO : s->f[i]; /* states have their own powers */
    if (f)
        b->drive = zw_sub(ctx, b->drive, zw_along(ctx, L, s->nq, b->q, f));
    return zw_context_status(ctx, b->err);
}

/* (V_s - T_s) g */
static void add_state(balance *b, int index) {
    const zw_coord *state = &b->s->coord[index];
    zw_expr gap = zw_sub(b->ctx, b->s->potential, b->s->T);
    zw_expr power = zw_mul(b->ctx, zw_diff(b->ctx, gap, state->sym), state->rate);
    zw_shorten(b->ctx, 1, &power);
    add_power(b, ZW_POWER_STATE, index, state->name, power, state->place);
}

/* --------------------------------------------------------------------------------------- whole */

/* all at once, so that the reactions of a principle without multipliers are found once */
static zw_status translate_powers(balance *b) {
    zw_expr *value = ZW_SCRATCH_NEW(b->ctx, zw_expr, b->n);
    if (!value)
        return zw_context_status(b->ctx, b->err);
    for (int i = 0; i < b->n; i++)
        value[i] = b->power[i].value;
    ZW_TRY(zw_equations_translate(b->eq, b->n, value, b->err));
    for (int i = 0; i < b->n; i++) {
        b->power[i].value = value[i];
        if (b->power[i].kind != ZW_POWER_CONSTRAINT)
            continue;
        const zw_constraint *c = &b->s->constraint[b->power[i].index];
        zw_expr mu = impulse_symbol(b->ctx, c);
        b->power[i].value = zw_subst(b->ctx, value[i], 1, &mu, &c->lambda);
    }
    return zw_context_status(b->ctx, b->err);
}

static zw_status find_all(balance *b) {
    const zw_system *s = b->s;
    find_gamma(b);
    ZW_TRY(begin_drive(b));
    for (int i = 0; i < s->nforce; i++)
        ZW_TRY(add_force(b, i));
    add_dissipation(b);
    for (int i = 0; i < s->nconstraint; i++)
        ZW_TRY(add_constraint(b, i));
    for (int i = 0; i < s->nforce; i++)
        ZW_TRY(add_whole(b, i));
    for (int i = 0; i < s->nq; i++)
        if (s->coord[i].state)
            add_state(b, i);
    zw_shorten(b->ctx, 1, &b->drive);
    add_power(b, ZW_POWER_DRIVE, -1, "drive", b->drive, (zw_place){0});
    return translate_powers(b);
}

static zw_status find_powers(const zw_equations *eq, zw_power **power, int *n, zw_error *err) {
    const zw_system *s = eq->sys;
    zw_context *ctx = s->ctx;
    balance b = {.eq = eq, .s = s, .ctx = ctx, .err = err};
    int wide = s->nq > s->nv ? s->nq : s->nv;
    *n = 0;
    b.q = ZW_SCRATCH_NEW(ctx, zw_expr, s->nq);
    b.v = ZW_SCRATCH_NEW(ctx, zw_expr, s->nv);
    b.gamma = ZW_SCRATCH_NEW(ctx, zw_expr, s->nv);
    b.slope = ZW_SCRATCH_NEW(ctx, zw_expr, wide);
    *power = b.power = ZW_CONTEXT_NEW(ctx, zw_power, s->nforce + s->nconstraint + s->nq + 2);
    if (!b.q || !b.v || !b.gamma || !b.slope || !b.power)
        return zw_context_status(ctx, err);
    zw_mech_symbols(s, b.q, b.v, NULL);
    ZW_TRY(find_all(&b));
    *n = b.n;
    return ZW_OK;
}

zw_status zw_equations_powers(const zw_equations *eq, zw_power **power, int *n, zw_error *err) {
    zw_arena_mark mark = zw_scratch_mark(eq->sys->ctx);
    zw_status status = find_powers(eq, power, n, err);
    zw_scratch_release(eq->sys->ctx, mark);
    return status;
}
