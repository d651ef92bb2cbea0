/* SPDX-License-Identifier: MIT */
/* The systems of a simulation: the one it was given, and the variants of the same text that events
 * name. All are read before the run, so that a mistake in a variant is reported at the start and
 * not after an hour. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/arena.h"
#include "base/tolerance.h"
#include "internal.h"

zw_sim_variant_state *zw_sim_variant_state_find(const zw_sim *sim, const char *variant) {
    for (zw_sim_variant_state *w = sim->worlds; w; w = w->next)
        if (strcmp(w->sys->variant, variant) == 0)
            return w;
    return NULL;
}

/* ------------------------------------------------------------------------------- events by name */

static int number_of(const zw_sim *sim, const char *name) {
    for (int i = 0; i < sim->nevent; i++)
        if (strcmp(sim->event[i], name) == 0)
            return i;
    return -1;
}

/* events of a variant that no earlier variant has get the next numbers */
static zw_status number_events(zw_sim *sim, zw_sim_variant_state *w, zw_error *err) {
    const zw_system *s = w->sys;
    const char **wider = ZW_NEW(&sim->arena, const char *, sim->nevent + s->nevent + 1);
    w->number = ZW_NEW(&sim->arena, int, s->nevent + 1);
    if (!wider || !w->number)
        return zw_out_of_memory(err, "the simulation");
    for (int i = 0; i < sim->nevent; i++)
        wider[i] = sim->event[i];
    sim->event = wider;
    for (int i = 0; i < s->nevent; i++) {
        w->number[i] = number_of(sim, s->event[i].name);
        if (w->number[i] < 0) {
            w->number[i] = sim->nevent;
            sim->event[sim->nevent++] = s->event[i].name;
        }
    }
    return ZW_OK;
}

/* ------------------------------------------------------------------------------- making a variant
 * state */

static int count_clocks(const zw_system *s) {
    int n = 0;
    for (int i = 0; i < s->nevent; i++)
        n += s->event[i].period != ZW_NULL;
    return n;
}

static zw_status fill_state(zw_sim *sim, zw_sim_variant_state *w, zw_error *err) {
    const zw_system *s = w->sys;
    zw_arena *a = &sim->arena;
    w->p = ZW_NEW(a, double, s->np + 1);
    w->said = ZW_NEW(a, double, s->np + 1);
    w->given = ZW_NEW(a, bool, s->np + 1);
    w->numbered = ZW_NEW(a, bool, s->np + 1);
    w->own_value = ZW_NEW(a, bool, s->np + 1);
    w->until = sim->options.until;
    w->memory_max = sim->options.memory_max;
    w->nclock = count_clocks(s);
    w->clock = ZW_NEW(a, zw_sim_clock, w->nclock + 1);
    if (a->failed)
        return zw_out_of_memory(err, "the simulation");
    ZW_TRY(zw_system_param_values(s, w->p, err));
    memcpy(w->said, w->p, sizeof *w->p * (size_t)s->np);
    int n = 0;
    for (int i = 0; i < s->nevent; i++)
        if (s->event[i].period)
            w->clock[n++].event = i;
    return number_events(sim, w, err);
}

/* appended, so that numbers of events do not depend on which event names which variant */
static zw_sim_variant_state *append_state(zw_sim *sim) {
    zw_sim_variant_state *w = ZW_NEW(&sim->arena, zw_sim_variant_state, 1), **end = &sim->worlds;
    while (*end)
        end = &(*end)->next;
    *end = w;
    return w;
}

/* a variant must have the same coordinates, or its state would have another meaning */
static zw_status check_same_motion(const zw_system *a, const zw_system *b, const zw_action *action,
                                   zw_error *err) {
    bool same = a->nq == b->nq && a->nv == b->nv;
    for (int i = 0; same && i < a->nq; i++)
        same = strcmp(a->coord[i].name, b->coord[i].name) == 0;
    for (int i = 0; same && i < a->nv; i++)
        same = strcmp(a->velocity[i].name, b->velocity[i].name) == 0;
    if (same)
        return ZW_OK;
    zw_fail_at(err, ZW_E_MODEL, action->place,
               "variant '%s' has other coordinates or velocities: a run cannot go over to it",
               action->variant);
    zw_error_hint(err, "declare the same coordinates in the same order in both");
    return ZW_E_MODEL;
}

zw_status zw_sim_lags_stay(const zw_system *a, const double *pa, const zw_system *b,
                           const double *pb, zw_place place, const char *who, zw_error *err) {
    for (int i = 0; i < a->ndelay && i < b->ndelay; i++) {
        double before = zw_system_delay_lag(a, i, pa), after = zw_system_delay_lag(b, i, pb);
        if (fabs(after - before) <= ZW_ROUNDOFF_SUM * fabs(before))
            continue;
        zw_fail_at(err, ZW_E_MODEL, place, "%s changes the delay of %s from %.10g to %.10g s", who,
                   b->delay[i].name, before, after);
        zw_error_hint(err, "a delay is constant along a motion, its past would be stretched: take "
                           "two delays and a factor that chooses between them");
        return ZW_E_MODEL;
    }
    return ZW_OK;
}

static zw_status read_variant(zw_sim *sim, const zw_action *action, zw_error *err) {
    if (!sim->source.text)
        return zw_fail_at(
            err, ZW_E_MODEL, action->place,
            "an event goes over to variant '%s', but there is no text to read it from",
            action->variant);
    zw_model_options options = sim->model;
    options.variant = action->variant[0] ? action->variant : NULL;
    zw_context *ctx = zw_context_create(&sim->arena.alloc);
    zw_system *sys = NULL;
    zw_status status =
        ctx ? zw_model_parse(&sys, ctx, sim->source.text, sim->source.length,
                             sim->source.file ? sim->source.file : "model", &options, err)
            : zw_out_of_memory(err, "the simulation");
    zw_sim_variant_state *w = status < 0 ? NULL : append_state(sim);
    if (!w) {
        zw_context_destroy(ctx);
        return status < 0 ? status : zw_out_of_memory(err, "the simulation");
    }
    w->own = ctx;
    w->sys = sys;
    ZW_TRY(check_same_motion(sim->worlds->sys, sys, action, err));
    ZW_TRY(fill_state(sim, w, err));
    char who[120];
    snprintf(who, sizeof who, "variant '%.80s', to which an event leads,", action->variant);
    return zw_sim_lags_stay(sim->worlds->sys, sim->worlds->p, sys, w->p, action->place, who, err);
}

bool zw_sim_variant_state_holds(const zw_sim *sim, const zw_sim_variant_state *world,
                                int constraint) {
    const zw_sim_stage *now = sim->stage;
    return now && now->world == world ? now->on[constraint] : world->sys->constraint[constraint].on;
}

zw_status zw_sim_variant_states_create(zw_sim *sim, const zw_system *sys, zw_error *err) {
    zw_sim_variant_state *first = append_state(sim);
    if (!first)
        return zw_out_of_memory(err, "the simulation");
    first->sys = sys;
    ZW_TRY(fill_state(sim, first, err));
    /* the list grows in this loop: variants may lead to variants */
    for (const zw_sim_variant_state *w = sim->worlds; w; w = w->next)
        for (int i = 0; i < w->sys->nevent; i++)
            for (int k = 0; k < w->sys->event[i].naction; k++) {
                const zw_action *a = &w->sys->event[i].action[k];
                if (a->kind == ZW_ACTION_VARIANT && !zw_sim_variant_state_find(sim, a->variant))
                    ZW_TRY(read_variant(sim, a, err));
            }
    return ZW_OK;
}

void zw_sim_variant_states_destroy(zw_sim *sim) {
    for (zw_sim_variant_state *w = sim->worlds; w; w = w->next)
        if (w->own)
            zw_context_destroy(w->own);
}

/* ----------------------------------------------------------------------------------- changing to a
 * variant */

zw_status zw_sim_variant_state_follow(zw_sim_variant_state *w, zw_error *err) {
    w->version++;
    for (int i = 0; i < w->sys->np; i++) {
        w->own_value[i] = w->given[i] || w->numbered[i];
        if (w->numbered[i] && !w->given[i])
            w->p[i] = w->said[i];
    }
    return zw_system_param_follow(w->sys, w->own_value, w->p, err);
}

/* Values set by events are kept, unless the text of the variant sets them differently. */
zw_status zw_sim_variant_state_inherit(const zw_sim_variant_state *from, const bool *held,
                                       zw_sim_variant_state *to, bool *on, zw_error *err) {
    const zw_system *a = from->sys, *b = to->sys;
    for (int i = 0; i < b->np; i++) {
        to->given[i] = false;
        for (int k = 0; k < a->np; k++)
            if (from->given[k] && from->said[k] == to->said[i] &&
                strcmp(a->param[k].name, b->param[i].name) == 0) {
                to->given[i] = true;
                to->p[i] = from->p[k];
            }
    }
    for (int i = 0; i < b->nconstraint; i++) {
        on[i] = b->constraint[i].on;
        for (int k = 0; k < a->nconstraint; k++)
            if (a->constraint[k].on == b->constraint[i].on &&
                strcmp(a->constraint[k].name, b->constraint[i].name) == 0)
                on[i] = held[k];
    }
    return zw_sim_variant_state_follow(to, err);
}
