/* SPDX-License-Identifier: MIT */
/* Orbits through contacts that open, close, slide and stick. Between two changes the contacts keep
 * their modes (zw_contact_mode), which make a stage with its own equations and functions whose
 * zeros end it (src/mech/equations/contact_mode_events.c); a simulation from event to event
 * (src/sim/contact_events.c) gives the order of the stages. At the end of a segment
 *
 *     a gap closes            the velocities jump by the law of impact of all contacts that touch;
 *     anything else           nothing jumps,
 *
 * and the state is projected onto the constraints of the next stage, which it satisfies already,
 * except for the steps of difference quotients. The impact is a function of the state by its
 * pattern (src/contact/impact_map.h). */
#include <math.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>

#include "base/arena.h"
#include "contact/impact_map.h"
#include "event_orbits.h"
#include "mech/system/build.h"
#include "sim/internal.h"

typedef struct zw_segmented_contact_base {
    bool *on; /* nconstraint: without those of contacts */
    zw_equations eq;
    zw_kernel *kernel;
    zw_flow *flow;
    zw_contact_modes *stances;
    zw_strike strike;
} zw_segmented_contact_base;

enum { ROWS = 64, CONTACTS_MAX = 12 }; /* each combination of modes has its own equations */

/* Tolerances of simulations. Contact modes are decided by thresholds of a multiple of the
 * tolerance: with less than 1e-10, round-off would decide. */
#define CONTACT_RTOL 1e-10
#define CONTACT_ATOL 1e-10

bool zw_segmented_has_contacts(const zw_system *sys) {
    for (int i = 0; i < sys->ncontact; i++) {
        const zw_contact *c = &sys->contact[i];
        bool smooth = c->bilateral;
        for (int b = 0; b < c->nblock; b++)
            smooth &= !zw_rubbing_is_set_valued(&c->block[b]);
        if (!c->off && !smooth)
            return true;
    }
    return false;
}

/* --------------------------------------------------------------------------------------- set-up */

static zw_status check_events(const zw_system *s, zw_error *err) {
    for (int i = 0; i < s->nevent; i++)
        for (int k = 0; k < s->event[i].naction; k++) {
            const zw_event *e = &s->event[i];
            if (e->action[k].kind != ZW_ACTION_SET)
                return zw_fail_at(err, ZW_E_OPTION, e->place,
                                  "in a model with contacts the events of an orbit may only set "
                                  "values, but the event %s switches a constraint",
                                  e->name);
            if (!e->direction && !e->period) {
                zw_fail_at(err, ZW_E_OPTION, e->place,
                           "in a model with contacts an event with actions needs a direction, but "
                           "the event %s acts in both",
                           e->name);
                zw_error_hint(err, "rising, or falling");
                return ZW_E_OPTION;
            }
        }
    int n = 0;
    for (int i = 0; i < s->ncontact; i++)
        n += !s->contact[i].off;
    if (n > CONTACTS_MAX)
        return zw_fail(err, ZW_E_OPTION,
                       "orbits are followed through %d contacts at most: the model has %d",
                       CONTACTS_MAX, n);
    for (int i = 0; i < s->ncontact; i++)
        for (int b = 0; b < s->contact[i].nblock && !s->contact[i].off; b++) {
            const zw_rubbing *block = &s->contact[i].block[b];
            if (block->kind == ZW_FRICTION_CONTENSOU ||
                (block->nrow > 1 && zw_rubbing_is_set_valued(block))) {
                zw_fail_at(err, ZW_E_OPTION, s->contact[i].place,
                           "orbits are followed through friction along one line: that of the "
                           "contact %s has several velocities",
                           s->contact[i].name);
                return ZW_E_OPTION;
            }
        }
    return ZW_OK;
}

static zw_status build_ground(zw_event_orbits *o, zw_segmented_contact_base *g, zw_error *err) {
    const zw_active active = {.constraint = g->on};
    zw_kernel_options options = zw_kernel_options_default();
    options.jit = ZW_JIT_NEVER;
    options.functions = ZW_FUNCTIONS_RUN | ZW_SET(TOUCH) | ZW_SET(TOUCH_RATE) | ZW_SET(LAW);
    ZW_TRY(zw_derive(&g->eq, o->sys, &active, "lagrange", err));
    ZW_TRY(zw_kernel_create(&g->kernel, &g->eq, &options, err));
    ZW_TRY(zw_flow_create(&g->flow, g->kernel, o->p, err));
    ZW_TRY(zw_contact_modes_create(&g->stances, g->kernel, err));
    return zw_strike_init(&g->strike, &o->arena, g->kernel, g->flow, g->stances, err);
}

zw_status zw_segmented_contacts_open(zw_event_orbits *o, zw_error *err) {
    const zw_system *s = o->sys;
    int first;
    ZW_TRY(check_events(s, err));
    zw_segmented_contact_base *g = ZW_NEW(&o->arena, zw_segmented_contact_base, 1);
    zw_contact_mode *open = ZW_NEW(&o->arena, zw_contact_mode, s->ncontact + 1);
    if (!g || !open || !(g->on = ZW_NEW(&o->arena, bool, s->nconstraint + 1)))
        return zw_out_of_memory(err, NULL);
    o->ground = g;
    if (!(o->sim_warnings = zw_warnings_create(&o->arena.alloc)))
        return zw_out_of_memory(err, NULL);
    for (int i = 0; i < s->nconstraint; i++)
        g->on[i] = o->first_on[i] && !zw_mech_contact_of(s, i);
    ZW_TRY(build_ground(o, g, err));
    memcpy(o->first_on, g->on, sizeof(bool) * (size_t)s->nconstraint);
    for (int i = 0; i < s->ncontact; i++) {
        open[i].press = 1;
        open[i].closed = s->contact[i].bilateral && !s->contact[i].off;
        for (int b = 0; b < ZW_FRICTION_BLOCKS_MAX; b++)
            open[i].slide[b] = open[i].closed ? ZW_CARRIED : 0;
        if (open[i].closed)
            o->first_on[s->contact[i].closed] = true;
    }
    ZW_TRY(zw_segmented_stage_of(o, o->first_on, open, &first, err));
    for (int i = s->nevent; i < o->nevt; i++)
        o->watched[o->nwatch++] = i;
    return ZW_OK;
}

void zw_segmented_contacts_close(zw_event_orbits *o) {
    zw_warnings_destroy(o->sim_warnings);
    if (!o->ground)
        return;
    zw_contact_modes_destroy(o->ground->stances);
    zw_flow_destroy(o->ground->flow);
    zw_kernel_destroy(o->ground->kernel);
}

/* the contact of function `event`, and its part: 0 the gap or the normal force, then its blocks */
static int contact_of(const zw_system *s, int event, int *part) {
    int w = s->nevent;
    for (int i = 0; i < s->ncontact; i++) {
        int parts = 2 + s->contact[i].nblock;
        if (s->contact[i].off)
            continue;
        *part = event - w;
        if (event < w + parts)
            return i;
        w += parts;
    }
    return -1;
}

const char *zw_segmented_event_name(zw_event_orbits *o, int event, int from, int to) {
    const zw_system *s = o->sys;
    int part, i = event >= s->nevent ? contact_of(s, event, &part) : -1;
    if (i < 0)
        return event < 0 ? "" : s->event[event].name;
    const char *what = "changes";
    if (from >= 0 && to >= 0) {
        const zw_contact_mode *was = &o->stage[from]->stance[i], *now = &o->stage[to]->stance[i];
        int b = part - 1;
        if (part == 0)
            what = was->closed ? "lifts" : "hit";
        else if (part > s->contact[i].nblock)
            what = "jams";
        else
            what = was->slide[b] == ZW_STICKS   ? "slips"
                   : now->slide[b] == ZW_STICKS ? "sticks"
                                                : "turns";
    }
    return zw_arena_printf(&o->arena, "%s.%s", s->contact[i].name, what);
}

/* -------------------------------------------------------------------------------------- impacts */

signed char *zw_segmented_new_pattern(zw_event_orbits *o) {
    int n = o->ground ? o->ground->kernel->ntouch : 0;
    signed char *pattern = ZW_NEW(&o->arena, signed char, n + 1);
    if (pattern && o->ground)
        zw_strike_forget(o->ground->kernel, pattern);
    return pattern;
}

int zw_segmented_touch_rows(const zw_event_orbits *o, int *contacts) {
    *contacts = o->ground ? o->ground->kernel->ncontact : 0;
    return o->ground ? o->ground->kernel->ntouch : 0;
}

zw_status zw_segmented_contact_jump(zw_event_orbits *o, const bool *touching, signed char *pattern,
                                    double t, double *x, const double *memory, double value,
                                    double *slack, zw_error *err) {
    zw_segmented_contact_base *g = o->ground;
    ZW_TRY(zw_segmented_set(o, memory, value, o->now, err));
    if (memcmp(zw_flow_parameters(g->flow), o->now, sizeof(double) * (size_t)o->sys->np) != 0)
        ZW_TRY(zw_flow_set_parameters(g->flow, o->now, err));
    return zw_strike_at(&g->strike, touching, NULL, pattern, t, x, slack, err);
}

/* ---------------------------------------------------------------------------------- simulations */

typedef struct event_recorder {
    zw_segmented_walk *w;
    double from;
    int acts;
    bool enough;
    zw_status status;
    zw_error *err; /* not the caller's, which a simulation that is stopped clears */
} event_recorder;

static zw_status reject_change(const event_recorder *h, const zw_sim_turned *t) {
    const zw_system *s = h->w->o->sys;
    if (t->n == 0)
        return zw_fail(h->err, ZW_E_NUMERIC,
                       "a gap or a slip has a kink at t = %.10g s at which the state of a contact "
                       "changes: orbits through such a kink are not supported",
                       t->t);
    int part, i = contact_of(s, t->event[0], &part);
    if (!t->touching)
        return t->n == 1 ? ZW_OK
                         : zw_fail_at(h->err, ZW_E_NUMERIC, s->event[t->event[1]].place,
                                      "the events %s and %s act at one moment, t = %.10g s: an "
                                      "orbit through it has no segments",
                                      s->event[t->event[0]].name, s->event[t->event[1]].name, t->t);
    if (t->ends)
        return zw_fail_at(h->err, ZW_E_NUMERIC, s->contact[i].place,
                          "impacts of the contact %s accumulate at t = %.10g s: an orbit with "
                          "infinitely many is not followed",
                          s->contact[i].name, t->t);
    if (t->jams)
        return zw_fail_at(h->err, ZW_E_NUMERIC, s->contact[i].place,
                          "friction of the contact %s jams at t = %.10g s (Painleve): an orbit "
                          "through it is not followed",
                          s->contact[i].name, t->t);
    if (t->n > 1) {
        int other = contact_of(s, t->event[1], &part);
        return zw_fail_at(h->err, ZW_E_NUMERIC, s->contact[other].place,
                          "the contacts %s and %s change at one moment, t = %.10g s: an orbit "
                          "through it has no segments",
                          s->contact[i].name, s->contact[other].name, t->t);
    }
    return ZW_OK;
}

/* does the change begin with an impact? */
static bool is_hit(const zw_event_orbits *o, const zw_sim_turned *t) {
    int part, i = contact_of(o->sys, t->event[0], &part);
    return i >= 0 && part == 0 && !t->from->stance[i].closed;
}

static zw_status record_event(event_recorder *h, const zw_sim_turned *t) {
    zw_segmented_walk *w = h->w;
    zw_event_orbits *o = w->o;
    ZW_TRY(reject_change(h, t));
    if (!zw_arena_grow(&o->arena, (void **)&w->act, w->nact, &w->capacity, sizeof *w->act))
        return zw_out_of_memory(h->err, NULL);
    zw_segmented_act *a = &w->act[w->nact];
    int direction = t->touching                         ? -1
                    : o->sys->event[t->event[0]].period ? 1
                                                        : o->sys->event[t->event[0]].direction;
    *a = (zw_segmented_act){.t = t->t, .event = t->event[0], .direction = direction};
    a->x = ZW_NEW(&o->arena, double, o->nx + 1);
    a->memory = ZW_NEW(&o->arena, double, o->nmemory + 1);
    a->touching = ZW_NEW(&o->arena, bool, o->ground->kernel->ncontact + 1);
    if (o->arena.failed)
        return zw_out_of_memory(h->err, NULL);
    ZW_TRY(zw_segmented_stage_of(o, t->from->on, t->from->stance, &a->from, h->err));
    ZW_TRY(zw_segmented_stage_of(o, t->to->on, t->to->stance, &a->to, h->err));
    memcpy(a->x, t->x, sizeof(double) * (size_t)o->nx);
    for (int i = 0; i < o->nmemory; i++)
        a->memory[i] = t->to->world->p[o->memory[i]];
    if (t->touching && is_hit(o, t))
        memcpy(a->touching, t->touching, sizeof(bool) * (size_t)o->ground->kernel->ncontact);
    w->nact++;
    return ZW_OK;
}

static zw_status on_turn(void *user, const zw_sim_turned *turned, zw_error *err) {
    event_recorder *h = user;
    (void)err;
    if (turned->t < h->from || h->enough)
        return ZW_OK;
    h->status = record_event(h, turned);
    h->enough = h->status < 0 || (h->acts && h->w->nact >= h->acts);
    return ZW_OK;
}

static bool ask_stop(void *user, double done) {
    event_recorder *h = user;
    zw_event_orbits *o = h->w->o;
    (void)done;
    o->stopped |= o->options.stop && o->options.stop(o->options.stop_user, 0);
    h->enough = h->enough || o->stopped;
    return h->enough;
}

/* ranges of the motion, its state at `from`, and where it ended */
static zw_status take_rows(event_recorder *h, const zw_sim *sim) {
    zw_segmented_walk *w = h->w;
    const zw_table *rows = zw_sim_rows(sim);
    long last = zw_table_rows(rows) - 1;
    double nearest = INFINITY;
    for (long i = 0; i <= last; i++) {
        double t = zw_table_at(rows, i, 0);
        if (fabs(t - h->from) < nearest) {
            nearest = fabs(t - h->from);
            for (int k = 0; k < w->o->nx; k++)
                w->begin[k] = zw_table_at(rows, i, 1 + k);
        }
        for (int k = 0; t >= h->from && k < w->o->nx; k++) {
            w->low[k] = fmin(w->low[k], zw_table_at(rows, i, 1 + k));
            w->high[k] = fmax(w->high[k], zw_table_at(rows, i, 1 + k));
        }
    }
    for (int k = 0; k < w->o->nx; k++)
        w->x[k] = zw_table_at(rows, last, 1 + k);
    w->t = zw_table_at(rows, last, 0);
    for (int i = 0; i < w->o->nmemory; i++)
        w->memory[i] = sim->stage->world->p[w->o->memory[i]];
    return zw_segmented_stage_of(w->o, sim->stage->on, sim->stage->stance, &w->stage, h->err);
}

zw_status zw_segmented_contact_walk(zw_segmented_walk *w, bool start, double until, int acts,
                                    double from, zw_error *err) {
    zw_event_orbits *o = w->o;
    zw_error why = {0};
    event_recorder h = {.w = w, .from = from, .acts = acts, .err = &why};
    zw_sim_options options = zw_sim_options_default();
    zw_sim *sim = NULL;
    int np = 0;
    zw_sim_number *number = ZW_NEW(&o->arena, zw_sim_number, o->nx + 1),
                  *param = ZW_NEW(&o->arena, zw_sim_number, o->nmemory + 2);
    if (!number || !param)
        return zw_out_of_memory(err, NULL);
    for (int i = 0; i < o->nx; i++)
        number[i] = (zw_sim_number){.index = i, .value = w->x[i]};
    if (o->has_over && !isnan(w->value))
        param[np++] = (zw_sim_number){.index = o->over.parameter, .value = w->value};
    for (int i = 0; i < o->nmemory && !start; i++)
        param[np++] = (zw_sim_number){.index = o->memory[i], .value = w->memory[i]};
    const zw_sim_numbers numbers = {
        .nparam = np, .param = param, .nstart = start ? 0 : o->nx, .start = number};
    options.numbers = &numbers;
    options.start = w->t;
    options.until = until;
    options.step_out = (until - fmax(from, w->t)) / ROWS;
    options.contacts = ZW_SIM_CONTACTS_EVENTS;
    options.run.method = "rk87";
    options.run.rtol = CONTACT_RTOL;
    options.run.atol = CONTACT_ATOL;
    options.stop = ask_stop;
    options.user = &h;
    zw_status status = zw_sim_create(&sim, o->sys, NULL, &options, err);
    if (status >= 0) {
        sim->on_turn = on_turn;
        sim->on_turn_user = &h;
        status = zw_sim_run(sim, err);
    }
    if (status >= 0)
        status = h.status < 0 ? h.status : take_rows(&h, sim);
    if (why.status < 0 && err)
        *err = why;
    if (sim)
        zw_warnings_add_all(o->sim_warnings, zw_sim_warnings(sim));
    zw_sim_destroy(sim);
    return status < 0 ? status : o->stopped ? ZW_STOPPED : ZW_OK;
}
