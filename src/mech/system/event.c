/* SPDX-License-Identifier: MIT */
/* Events and their actions: the builder's part. An event is a zero of a function of the motion or a
 * tick of a clock; its actions change the state or the parameters, or which equations are active.
 * All of them see the state just before the event, so their order does not matter, and no two may
 * change the same thing.
 *
 * A coordinate c of period P grows beyond it during rotations. A function g that is linear in c
 * with a constant slope grows by P dg/dc each period: the event means g = 0 up to multiples of
 * that. Other functions should have the period too, which is tested at a few points. */
#include <math.h>
#include <stdio.h>

#include "build.h"
#include "sample.h"

static zw_status new_event(zw_system *s, zw_event event, zw_error *err) {
    ZW_TRY(zw_mech_open(s, event.place, err));
    const char *known = zw_context_intern(s->ctx, event.name);
    for (int i = 0; i < s->nevent; i++)
        if (s->event[i].name == known)
            return zw_fail_at(err, ZW_E_NAME, event.place, "there is an event %s already",
                              event.name);
    if (!zw_mech_grow(s->ctx, (void **)&s->event, s->nevent, &s->store->event_capacity,
                      sizeof *s->event))
        return zw_mech_status(s, event.place, err);
    event.name = known;
    s->event[s->nevent++] = event;
    return zw_mech_status(s, event.place, err);
}

zw_status zw_system_event(zw_system *s, const char *name, zw_expr value, int direction, bool stop,
                          zw_place place, zw_error *err) {
    return new_event(
        s,
        (zw_event){
            .name = name, .value = value, .direction = direction, .stop = stop, .place = place},
        err);
}

zw_status zw_system_event_every(zw_system *s, const char *name, zw_expr period, zw_expr phase,
                                bool stop, zw_place place, zw_error *err) {
    return new_event(s,
                     (zw_event){.name = name,
                                .value = ZW_ONE,
                                .stop = stop,
                                .period = period,
                                .phase = phase,
                                .place = place},
                     err);
}

/* ------------------------------------------------------------------------------------ actions */

static zw_status find_event(zw_system *s, const char *name, zw_place place, zw_event **out,
                            zw_error *err) {
    ZW_TRY(zw_mech_open(s, place, err));
    const char *known = zw_context_intern(s->ctx, name);
    for (int i = 0; i < s->nevent; i++)
        if (s->event[i].name == known) {
            *out = &s->event[i];
            return ZW_OK;
        }
    return zw_fail_at(err, ZW_E_NAME, place, "there is no event %s", name);
}

/* true if two actions change the same thing */
static bool has_conflict(const zw_action *a, const zw_action *b) {
    bool set = a->kind == ZW_ACTION_SET, variant = a->kind == ZW_ACTION_VARIANT;
    if (set != (b->kind == ZW_ACTION_SET) || variant != (b->kind == ZW_ACTION_VARIANT))
        return false;
    return variant || (set ? a->what == b->what : a->constraint == b->constraint);
}

/* events have few actions: the list grows by one, into a new array of the context */
static zw_status add_action(zw_system *s, zw_event *e, zw_action action, const char *subject,
                            zw_error *err) {
    for (int i = 0; i < e->naction; i++)
        if (has_conflict(&e->action[i], &action)) {
            zw_fail_at(err, ZW_E_MODEL, action.place, "the event %s %s %s twice", e->name,
                       action.kind == ZW_ACTION_SET       ? "sets"
                       : action.kind == ZW_ACTION_VARIANT ? "chooses"
                                                          : "switches",
                       subject);
            zw_error_hint(err, "all actions of an event happen at once");
            return ZW_E_MODEL;
        }
    zw_action *longer = ZW_CONTEXT_NEW(s->ctx, zw_action, e->naction + 1);
    if (!longer)
        return zw_mech_status(s, action.place, err);
    for (int i = 0; i < e->naction; i++)
        longer[i] = e->action[i];
    longer[e->naction++] = action;
    e->action = longer;
    return ZW_OK;
}

bool zw_system_is_settable(const zw_system *s, zw_expr what) {
    for (int i = 0; i < s->np; i++)
        if (s->param[i].sym == what)
            return true;
    for (int i = 0; i < s->nq; i++)
        if (s->coord[i].sym == what)
            return !zw_system_delay_of(s, i);
    for (int i = 0; i < s->nv; i++)
        if (s->velocity[i].sym == what)
            return true;
    return false;
}

zw_status zw_system_event_set(zw_system *s, const char *event, zw_expr what, zw_expr value,
                              zw_place place, zw_error *err) {
    zw_event *e;
    ZW_TRY(find_event(s, event, place, &e, err));
    if (!zw_system_is_settable(s, what)) {
        zw_fail_at(err, ZW_E_MODEL, place,
                   "an event sets coordinates, velocities and parameters, nothing else");
        return ZW_E_MODEL;
    }
    zw_action set = {.kind = ZW_ACTION_SET, .what = what, .value = value, .place = place};
    return add_action(s, e, set, zw_expr_name(s->ctx, what), err);
}

/* a contact that an event switches on exists, but is off at the start */
static void enable_contact(zw_system *s, int contact) {
    s->contact[contact].off = false;
    s->contact[contact].idle = true;
}

zw_status zw_system_event_switch(zw_system *s, const char *event, const char *constraint, bool on,
                                 zw_place place, zw_error *err) {
    zw_event *e;
    bool found = false;
    ZW_TRY(find_event(s, event, place, &e, err));
    for (int i = 0; i < s->nconstraint; i++) {
        const zw_contact *c = zw_mech_contact_of(s, i);
        if (!zw_mech_is_part(s->constraint[i].name, constraint) || (c && c->closed != i))
            continue;
        if (c && on && c->off)
            enable_contact(s, (int)(c - s->contact));
        zw_action turn = {
            .kind = on ? ZW_ACTION_ON : ZW_ACTION_OFF, .constraint = i, .place = place};
        ZW_TRY(add_action(s, e, turn, s->constraint[i].name, err));
        found = true;
    }
    return found ? ZW_OK
                 : zw_fail_at(err, ZW_E_NAME, place, "there is no constraint %s", constraint);
}

zw_status zw_system_event_variant(zw_system *s, const char *event, const char *variant,
                                  zw_place place, zw_error *err) {
    zw_event *e;
    ZW_TRY(find_event(s, event, place, &e, err));
    const char *known = zw_context_intern(s->ctx, variant);
    if (!known)
        return zw_mech_status(s, place, err);
    zw_action change = {.kind = ZW_ACTION_VARIANT, .variant = known, .place = place};
    return add_action(s, e, change, "a variant", err);
}

/* ------------------------------------------------------------------------------------ periods */

enum { TRIALS = 5 };
/* Change over a period, relative to 1 + the value: pi in a period of a coordinate is known to eps,
 * and a function of it to some condition number more. */
#define PERIOD_ROUNDOFF 1e-9

/* true if e is unchanged when c grows by its period, or if it cannot be evaluated */
static bool is_periodic(const zw_system *s, zw_sample *at, zw_expr e, const zw_coord *c) {
    zw_expr later = zw_add(s->ctx, c->sym, c->period),
            moved = zw_subst(s->ctx, e, 1, &c->sym, &later);
    for (unsigned k = 0; k < TRIALS; k++) {
        zw_sample_scatter(at, s, k);
        double before = zw_sample_value(at, s, e), after = zw_sample_value(at, s, moved);
        if (fabs(after - before) > PERIOD_ROUNDOFF * (1 + fabs(before)))
            return false;
    }
    return true;
}

static zw_status warn_period(zw_system *s, const zw_event *e, const zw_coord *c, zw_error *err) {
    char key[96];
    snprintf(key, sizeof key, "period of event %.60s", e->name);
    zw_warning d =
        zw_warning_of(key, NAN,
                      "the function of the event %s does not come back when %s, which is "
                      "periodic and grows on, has turned round",
                      e->name, c->name);
    zw_warning_place(&d, e->place);
    zw_warning_hint(&d,
                    "the event comes where its function is zero for the %s that grows on; make "
                    "it of sin(%s) and cos(%s), or linear in it",
                    c->name, c->name, c->name);
    return zw_system_warning(s, &d, err);
}

static zw_status find_repeat(zw_system *s, zw_sample *at, zw_event *e, zw_error *err) {
    zw_context *ctx = s->ctx;
    for (int i = 0; i < s->nq; i++) {
        const zw_coord *c = &s->coord[i];
        zw_expr slope = c->period ? zw_diff(ctx, e->value, c->sym) : ZW_ZERO;
        if (slope == ZW_ZERO)
            continue;
        bool steady = zw_mech_check_symbols(s, slope, 0, "a slope", e->place, NULL) >= 0;
        zw_expr repeat = steady ? zw_mul(ctx, c->period, slope) : ZW_ZERO;
        bool same = !e->repeat || e->repeat == repeat || e->repeat == zw_neg(ctx, repeat);
        if (steady && same)
            e->repeat = repeat;
        else if (steady || !is_periodic(s, at, e->value, c))
            ZW_TRY(warn_period(s, e, c, err));
    }
    return zw_context_status(ctx, err);
}

zw_status zw_mech_finish_events(zw_system *s, zw_error *err) {
    bool periodic = false;
    for (int i = 0; i < s->nq; i++)
        periodic = periodic || s->coord[i].period;
    if (!periodic || s->nevent == 0)
        return ZW_OK;
    zw_arena_mark mark = zw_scratch_mark(s->ctx);
    zw_sample at;
    zw_status status = zw_sample_init(&at, s, err);
    for (int i = 0; i < s->nevent && status >= 0; i++)
        status = find_repeat(s, &at, &s->event[i], err);
    zw_scratch_release(s->ctx, mark);
    return status;
}

/* ------------------------------------------------------------------------------------ queries */

bool zw_system_is_switched(const zw_system *s, int constraint) {
    for (int i = 0; i < s->nevent; i++)
        for (int k = 0; k < s->event[i].naction; k++) {
            const zw_action *a = &s->event[i].action[k];
            if ((a->kind == ZW_ACTION_ON || a->kind == ZW_ACTION_OFF) &&
                a->constraint == constraint)
                return true;
        }
    return false;
}

zw_status zw_system_event_clock(const zw_system *s, int event, const double *p, double *period,
                                double *phase, zw_error *err) {
    const zw_event *e = &s->event[event];
    *period = *phase = 0;
    if (!e->period)
        return ZW_OK;
    zw_arena_mark mark = zw_scratch_mark(s->ctx);
    zw_expr *sym = ZW_SCRATCH_NEW(s->ctx, zw_expr, s->np);
    if (!sym)
        return zw_context_status(s->ctx, err);
    for (int i = 0; i < s->np; i++)
        sym[i] = s->param[i].sym;
    *period = zw_eval(s->ctx, e->period, s->np, sym, p);
    *phase = zw_eval(s->ctx, e->phase, s->np, sym, p);
    zw_scratch_release(s->ctx, mark);
    if (isfinite(*period) && *period > 0 && isfinite(*phase))
        return ZW_OK;
    zw_fail_at(err, ZW_E_DOMAIN, e->place,
               "the event %s comes every %g s from t = %g s: that is no clock", e->name, *period,
               *phase);
    zw_error_hint(err, "the period must be positive, both must be finite");
    return ZW_E_DOMAIN;
}

void zw_system_event_repeats(const zw_system *s, const double *p, double *repeat) {
    zw_arena_mark mark = zw_scratch_mark(s->ctx);
    zw_expr *sym = ZW_SCRATCH_NEW(s->ctx, zw_expr, s->np);
    for (int i = 0; sym && i < s->np; i++)
        sym[i] = s->param[i].sym;
    for (int i = 0; i < s->nevent; i++)
        repeat[i] = s->event[i].repeat && sym
                        ? fabs(zw_eval(s->ctx, s->event[i].repeat, s->np, sym, p))
                        : 0;
    zw_scratch_release(s->ctx, mark);
}
