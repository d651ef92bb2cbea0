/* SPDX-License-Identifier: MIT */
/* States: equations of first order s' = g(t, q, v) besides those of mechanics.
 *
 * While a system is built the symbols s', s'' stand for the derivatives of a state. Closing it
 * resolves the rates, which may use each other's but not in a circle, and substitutes g and dg/dt
 * for the symbols.
 *
 * Virtual displacements do not change states, ds = 0. So a velocity r' = r_q q' + r_s g + r_t has
 * the virtual displacement dr = r_q F dpi = (dr'/dv) dpi only if g does not contain velocities:
 * masses, dampers and forces whose velocity contains a rate with velocities in it, and position
 * constraints with such a state, are rejected. (They would be servos whose forces do not belong to
 * their displacements.) Such states are allowed in the mass itself, in a potential, in values of
 * forces and in velocity constraints. */
#include <stdio.h>

#include "build.h"

zw_status zw_system_state_rate(zw_system *s, zw_expr state, zw_expr rate, zw_place place,
                               zw_error *err) {
    ZW_TRY(zw_mech_open(s, place, err));
    for (int i = 0; i < s->store->nstate; i++) {
        state_equation *e = &s->store->state[i];
        if (s->coord[e->coord].sym != state)
            continue;
        if (e->given)
            return zw_fail_at(err, ZW_E_NAME, place, "the state %s has two equations",
                              s->coord[e->coord].name);
        if (e->named && rate != e->named) {
            const char *name = zw_expr_name(s->ctx, e->named);
            zw_fail_at(err, ZW_E_MODEL, place, "the rate of %s is the state %s",
                       s->coord[e->coord].name, name);
            zw_error_hint(err, "%s = %s, or give that state another name", name, name);
            return ZW_E_MODEL;
        }
        e->given = rate;
        e->place = place;
        return zw_mech_status(s, place, err);
    }
    return zw_fail_at(err, ZW_E_NAME, place, "there is no such state to have a rate");
}

const zw_coord *zw_mech_state_in(const zw_system *s, zw_expr e) {
    for (int i = 0; i < s->nq; i++)
        if (s->coord[i].state && zw_depends(s->ctx, e, s->coord[i].sym))
            return &s->coord[i];
    return NULL;
}

zw_expr zw_mech_drift(const zw_system *s, zw_expr e) {
    zw_expr sum = zw_diff(s->ctx, e, s->t);
    for (int i = 0; i < s->nq; i++)
        if (s->coord[i].state)
            sum = zw_add(s->ctx, sum,
                         zw_mul(s->ctx, zw_diff(s->ctx, e, s->coord[i].sym), s->coord[i].rate));
    return sum;
}

/* ------------------------------------------------------------------------------------ settled */

/* the symbols s', s'' and their known expressions */
typedef struct dictionary {
    int n;
    zw_expr *symbol, *value;
} dictionary;

static bool make_dictionary(const zw_system *s, dictionary *d) {
    int n = s->store->nstate;
    *d = (dictionary){0, ZW_SCRATCH_NEW(s->ctx, zw_expr, 2 * n),
                      ZW_SCRATCH_NEW(s->ctx, zw_expr, 2 * n)};
    if (!d->symbol || !d->value)
        return false;
    for (int i = 0; i < n; i++) {
        const state_equation *e = &s->store->state[i];
        if (!e->given)
            continue;
        bool done = s->coord[e->coord].rate != e->rate_symbol;
        d->symbol[d->n] = e->rate_symbol;
        d->value[d->n++] = done ? s->coord[e->coord].rate : e->given;
        d->symbol[d->n] = e->accel_symbol;
        d->value[d->n++] = done ? s->coord[e->coord].accel : zw_system_dt(s, e->given);
    }
    return true;
}

zw_expr zw_mech_resolved(const zw_system *s, zw_expr e) {
    dictionary d;
    if (!s->store->nstate)
        return e;
    zw_arena_mark mark = zw_scratch_mark(s->ctx);
    bool known = make_dictionary(s, &d);
    /* rates may contain rates: as often as there are states, but not in a circle */
    for (int i = 0; known && i < s->store->nstate; i++) {
        zw_expr next = zw_subst(s->ctx, e, d.n, d.symbol, d.value);
        if (next == e)
            break;
        e = next;
    }
    zw_scratch_release(s->ctx, mark);
    return e;
}

/* ------------------------------------------------------------------------------------- rates */

static zw_status reject_circle(const zw_system *s, const state_equation *e, zw_error *err) {
    zw_fail_at(err, ZW_E_MODEL, e->place, "the rate of the state %s is defined by itself",
               s->coord[e->coord].name);
    zw_error_hint(err, "follow the rates in its equation: one of them leads back; solve for them");
    return ZW_E_MODEL;
}

/* the rate of one state without the rates of others */
static zw_status resolve_rate(zw_system *s, state_equation *e, zw_error *err) {
    zw_coord *c = &s->coord[e->coord];
    if (e->progress == 2)
        return ZW_OK;
    if (e->progress == 1)
        return reject_circle(s, e, err);
    if (!e->given) {
        zw_fail_at(err, ZW_E_MODEL, e->place, "the state %s has no equation", c->name);
        zw_error_hint(err, "give its rate: state %s : %s' = ...", c->name, c->name);
        return ZW_E_MODEL;
    }
    e->progress = 1;
    zw_expr rate = e->given;
    for (int i = 0; i < s->store->nstate; i++) {
        state_equation *other = &s->store->state[i];
        if (!zw_depends(s->ctx, rate, other->rate_symbol))
            continue;
        ZW_TRY(resolve_rate(s, other, err));
        rate = zw_subst(s->ctx, rate, 1, &other->rate_symbol, &s->coord[other->coord].rate);
    }
    char role[160];
    snprintf(role, sizeof role, "the rate of the state %.120s", c->name);
    zw_status status = zw_mech_check_symbols(s, rate, WITH_TIME | WITH_Q | WITH_V | WITH_SIGNAL,
                                             role, e->place, err);
    if (status < 0) {
        zw_error_hint(err, "it may hold time, coordinates, velocities, states, signals and "
                           "parameters; what follows from forces only later, accelerations and "
                           "multipliers, not");
        return status;
    }
    for (int k = 0; k < s->nv; k++)
        e->moves |= zw_depends(s->ctx, rate, s->velocity[k].sym);
    c->rate = rate;
    e->progress = 2;
    return zw_mech_status(s, e->place, err);
}

/* -------------------------------------------------------------- velocities that are not virtual */

static zw_status reject_moving(const zw_system *s, const state_equation *e, const char *what,
                               const char *name, zw_place place, zw_error *err) {
    const char *state = s->coord[e->coord].name;
    zw_fail_at(err, ZW_E_MODEL, place,
               "%s%s%s moves with the state %s, whose rate holds velocities", what,
               name[0] ? " " : "", name, state);
    const zw_delay *delay = zw_system_delay_of(s, e->coord);
    if (delay)
        zw_error_hint(err, "%s delays a quantity that holds velocities: delay a position instead",
                      delay->name);
    else
        zw_error_hint(err,
                      "virtual displacements do not change states: make %s a coordinate and its "
                      "equation a constraint",
                      state);
    return ZW_E_MODEL;
}

/* rejects velocities that contain the rate of a state that contains velocities */
static zw_status check_virtual(const zw_system *s, int n, const zw_expr *velocity, const char *what,
                               const char *name, zw_place place, zw_error *err) {
    for (int i = 0; i < s->store->nstate; i++) {
        const state_equation *e = &s->store->state[i];
        for (int k = 0; e->moves && k < n; k++)
            if (zw_depends(s->ctx, velocity[k], e->rate_symbol))
                return reject_moving(s, e, what, name, place, err);
    }
    return ZW_OK;
}

static zw_status check_all_virtual(const zw_system *s, zw_error *err) {
    zw_place nowhere = {0};
    for (int i = 0; i < s->nparticle; i++)
        ZW_TRY(check_virtual(s, 3, s->particle[i].v, "the particle", s->particle[i].name,
                             s->particle[i].place, err));
    for (int i = 0; i < s->nbody; i++) {
        const zw_body *b = &s->body[i];
        ZW_TRY(check_virtual(s, 3, b->v, "the body", b->name, b->place, err));
        ZW_TRY(check_virtual(s, 3, s->frame[b->frame].w, "the body", b->name, b->place, err));
    }
    for (int i = 0; i < s->nforce; i++) {
        const zw_force *f = &s->force[i];
        bool general = f->kind == ZW_FORCE_GENERAL;
        ZW_TRY(check_virtual(s, general ? f->n : 3, general ? f->velocities : f->target,
                             "what the force acts on", f->name, f->place, err));
    }
    ZW_TRY(check_virtual(s, 1, &s->kinetic, "the kinetic energy", "", nowhere, err));
    return check_virtual(s, 1, &s->dissipation, "the dissipation", "", nowhere, err);
}

static bool has_coordinate(const zw_system *s, zw_expr e) {
    for (int i = 0; i < s->nq; i++)
        if (!s->coord[i].state && zw_depends(s->ctx, e, s->coord[i].sym))
            return true;
    return false;
}

static zw_status check_positions(const zw_system *s, const zw_constraint *c, zw_error *err) {
    if (c->level == ZW_POSITION && !has_coordinate(s, c->residual)) {
        zw_fail_at(err, ZW_E_MODEL, c->place, "the constraint %s contains only states", c->name);
        zw_error_hint(err, "states follow their own equations, no constraint force acts on them");
        return ZW_E_MODEL;
    }
    for (int i = 0; c->level == ZW_POSITION && i < s->store->nstate; i++) {
        const state_equation *e = &s->store->state[i];
        if (e->moves && zw_depends(s->ctx, c->residual, s->coord[e->coord].sym))
            return reject_moving(s, e, "the constraint", c->name, c->place, err);
    }
    return ZW_OK;
}

/* A start of an expression is satisfied by changing coordinates and velocities, never states. */
static zw_status check_start(const zw_system *s, const zw_start *start, zw_error *err) {
    const zw_coord *state = zw_mech_state_in(s, start->what);
    if (!state || state->sym == start->what)
        return ZW_OK;
    if (has_coordinate(s, start->what))
        return ZW_OK;
    for (int i = 0; i < s->nv; i++)
        if (zw_depends(s->ctx, start->what, s->velocity[i].sym))
            return ZW_OK;
    zw_fail_at(err, ZW_E_START, start->place, "the start of %s would have to be solved for states",
               start->text);
    zw_error_hint(err, "states have starts of their own: start %s = ...", state->name);
    return ZW_E_START;
}

/* --------------------------------------------------------------------------------- rewriting */

static void resolve_expressions(const zw_system *s, int n, zw_expr *e) {
    for (int i = 0; i < n; i++)
        e[i] = zw_mech_resolved(s, e[i]);
}

static void resolve_motion(zw_system *s) {
    for (int i = 0; i < s->nq; i++)
        if (!s->coord[i].state)
            resolve_expressions(s, 1, &s->coord[i].accel);
    for (int i = 0; i < s->nframe; i++) {
        resolve_expressions(s, 3, s->frame[i].w);
        resolve_expressions(s, 3, s->frame[i].omega);
        resolve_expressions(s, 3, s->frame[i].vo);
    }
    for (int i = 0; i < s->nparticle; i++)
        resolve_expressions(s, 3, s->particle[i].v);
    for (int i = 0; i < s->nbody; i++)
        resolve_expressions(s, 3, s->body[i].v);
    for (int i = 0; i < s->nforce; i++) {
        zw_force *f = &s->force[i];
        resolve_expressions(s, f->n, f->values);
        resolve_expressions(s, f->along ? 1 : 0, f->along);
        if (f->kind == ZW_FORCE_GENERAL)
            resolve_expressions(s, f->n, (zw_expr *)f->velocities);
        else
            resolve_expressions(s, 3, f->target);
    }
    for (int i = 0; i < s->ndelay; i++)
        resolve_expressions(s, 1, &s->delay[i].of);
    resolve_expressions(s, 1, &s->kinetic);
    resolve_expressions(s, 1, &s->dissipation);
}

static void resolve_output(zw_system *s) {
    for (int i = 0; i < s->nstart; i++)
        resolve_expressions(s, 1, &s->start[i].what);
    for (int i = 0; i < s->nguess; i++)
        resolve_expressions(s, 1, &s->guess[i].what);
    for (int i = 0; i < s->nobservable; i++)
        resolve_expressions(s, 1, &s->observable[i].value);
    for (int i = 0; i < s->nevent; i++) {
        zw_event *e = &s->event[i];
        resolve_expressions(s, 1, &e->value);
        for (int k = 0; k < e->naction; k++)
            if (e->action[k].kind == ZW_ACTION_SET)
                resolve_expressions(s, 1, &e->action[k].value);
    }
    for (int i = 0; i < s->nintegral; i++)
        resolve_expressions(s, 1, &s->integral[i].value);
    for (int i = 0; i < s->nfooting; i++) {
        resolve_expressions(s, 1, &s->footing[i].press);
        resolve_expressions(s, 1, &s->footing[i].valid);
    }
    for (int i = 0; i < s->ncontact; i++) {
        zw_contact *c = &s->contact[i];
        resolve_expressions(s, 1, &c->rate);
        for (int k = 0; k < c->nblock; k++)
            resolve_expressions(s, c->block[k].nrow, c->block[k].rate);
    }
    for (int i = 0; i < s->nclaim; i++) {
        resolve_expressions(s, 1, &s->claim[i].residual);
        resolve_expressions(s, 1, &s->claim[i].lhs);
        resolve_expressions(s, 1, &s->claim[i].rhs);
        for (int k = 0; k < s->claim[i].nclaimed; k++)
            resolve_expressions(s, 2, (zw_expr *)s->claim[i].claimed[k].arg);
    }
    for (int i = 0; i < s->nmotion; i++)
        resolve_expressions(s, s->motion[i].n, (zw_expr *)s->motion[i].value);
    for (int i = 0; i < s->ndrawing; i++) {
        resolve_expressions(s, 3, s->drawing[i].at);
        resolve_expressions(s, s->drawing[i].n, (zw_expr *)s->drawing[i].numbers);
    }
}

zw_status zw_mech_finish_states(zw_system *s, zw_error *err) {
    int n = s->store->nstate;
    if (n == 0)
        return ZW_OK;
    for (int i = 0; i < n; i++)
        ZW_TRY(resolve_rate(s, &s->store->state[i], err));
    for (int i = 0; i < n; i++) {
        zw_coord *c = &s->coord[s->store->state[i].coord];
        c->accel = zw_system_dt(s, c->rate);
    }
    ZW_TRY(check_all_virtual(s, err));
    resolve_motion(s);
    resolve_output(s);
    for (int i = 0; i < s->nstart; i++)
        ZW_TRY(check_start(s, &s->start[i], err));
    for (int i = 0; i < s->nconstraint; i++) {
        zw_constraint *c = &s->constraint[i];
        resolve_expressions(s, 1, &c->residual);
        ZW_TRY(zw_mech_constraint_nature(s, c, err));
        ZW_TRY(check_positions(s, c, err));
    }
    return zw_context_status(s->ctx, err);
}
