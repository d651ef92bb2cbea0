/* SPDX-License-Identifier: MIT */
/* Motions in lanes. Every lane has a motion of the queue; after each step of all lanes those are
 * processed that have reached a visit or an event, or failed. A lane whose motion has ended gets
 * the next one immediately. A motion that lanes cannot compute is continued by a simulation, from
 * its last valid state. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "internal.h"

static size_t nx_of(const zw_worker *w) {
    return (size_t)(w->sys->nq + w->sys->nv);
}

static bool has_watches(const zw_worker *w) {
    return w->e->options.spans || w->e->lane_group.nwatch > 0;
}

/* -------------------------------------------------------------------------- the end of a motion */

static void count_steps(zw_worker *w, int lane) {
    zw_slot *slot = &w->slot[lane];
    slot->steps += (uint64_t)w->lanes.steps[lane];
    slot->rejected += (uint64_t)w->lanes.rejected[lane];
    w->lanes.steps[lane] = w->lanes.rejected[lane] = 0;
    slot->m.steps = (long)slot->steps;
}

static void end_motion(zw_worker *w, int lane, zw_status status, const zw_error *why) {
    zw_slot *slot = &w->slot[lane];
    zw_ensemble_motion *m = &slot->m;
    count_steps(w, lane);
    m->status = status;
    m->why = status < 0 ? why->text : NULL;
    zw_worker_warning(w, m, m->doubt);
    w->motions++;
    w->failed += status < 0;
    w->steps += slot->steps;
    w->rejected += slot->rejected;
    if (w->client->end)
        w->client->end(w->client->user, m);
    zw_lanes_rest(&w->lanes, lane);
    zw_thread_pool_done(w);
}

static void hand_over(zw_worker *w, int lane) {
    count_steps(w, lane);
    zw_lanes_rest(&w->lanes, lane);
    zw_worker_take(w, &w->slot[lane]);
    zw_thread_pool_done(w);
}

/* -------------------------------------------------------------------------------- the beginning */

static void reset_slot(zw_worker *w, zw_slot *slot, uint64_t number) {
    const zw_ensemble_options *o = &w->e->options;
    memcpy(slot->p, w->params.model, sizeof(double) * (size_t)w->sys->np);
    memcpy(slot->x, w->model_x, sizeof(double) * nx_of(w));
    memset(slot->set, 0, sizeof(bool) * (size_t)w->sys->np);
    memset(w->given, 0, sizeof(bool) * nx_of(w));
    if (o->variations > 0)
        memset(slot->variation, 0, sizeof(double) * nx_of(w) * (size_t)o->variations);
    if (o->memory > 0)
        memset(slot->memory, 0, o->memory);
    slot->steps = slot->rejected = 0;
    zw_num_inertia_begin(&slot->inertia, w->sys->nv, w->e->lane_group.inertia);
    slot->m = (zw_ensemble_motion){.number = number,
                                   .thread = w->number,
                                   .p = slot->p,
                                   .x = slot->x,
                                   .variation = o->variations > 0 ? slot->variation : NULL,
                                   .value = slot->value,
                                   .next = NAN,
                                   .memory = slot->memory,
                                   .event = -1};
}

/* takes the parameters that the client has changed, and computes dependent ones */
static zw_status take_parameters(zw_worker *w, zw_slot *slot, const double *before, bool *changed,
                                 zw_error *err) {
    *changed = memcmp(slot->p, before, sizeof(double) * (size_t)w->sys->np) != 0;
    if (!*changed)
        return ZW_OK;
    for (int i = 0; i < w->sys->np; i++)
        if (!isfinite(slot->p[i]))
            return zw_fail(err, ZW_E_NONFINITE, "the number for '%s' is not finite",
                           w->sys->param[i].name);
    bool *own = w->params.set;
    w->params.set = slot->set;
    zw_status status = zw_ensemble_params_follow(&w->params, w->sys, before, slot->p, err);
    w->params.set = own;
    return status;
}

/* completes the start by a simulation, if necessary */
static zw_status complete_start(zw_worker *w, zw_slot *slot, zw_error *err) {
    bool stop;
    ZW_TRY(zw_worker_simulate(w, err));
    ZW_TRY(zw_worker_begin(w, slot->m.t, slot->set, slot->p, slot->x, &stop, err));
    if (zw_warnings_count(w->sim->doubts) > 0) {
        snprintf(slot->doubt, sizeof slot->doubt, "%s", zw_warnings_at(w->sim->doubts, 0)->text);
        slot->m.doubt = slot->doubt;
    }
    return zw_sim_along_state(w->sim, slot->x, err);
}

static zw_status check_start(const zw_worker *w, const zw_slot *slot, zw_error *err) {
    if (!isfinite(slot->m.t))
        return zw_fail(err, ZW_E_NONFINITE, "the time of the start is not finite");
    for (size_t i = 0; i < nx_of(w); i++)
        if (!isfinite(slot->x[i]))
            return zw_fail(err, ZW_E_NONFINITE, "the start of '%s' is not finite",
                           zw_ensemble_state(w->e, (int)i));
    return zw_single_check_next(&slot->m, true, err);
}

static void load_lane(zw_worker *w, int lane) {
    zw_slot *slot = &w->slot[lane];
    zw_lanes_put(&w->lanes, lane, slot->m.t, slot->x, slot->p, slot->variation);
    w->lanes.next[lane] = slot->m.next;
}

/* projects disturbances into the tangent space of the constraints */
static zw_status project_variations(zw_worker *w, zw_slot *slot, zw_error *err) {
    if (!w->lanes.drifts || w->e->options.variations == 0)
        return ZW_OK;
    ZW_TRY(zw_lane_worker_flow(w, slot, err));
    for (int k = 0; k < w->e->options.variations; k++)
        ZW_TRY(zw_flow_project_tangent(w->flow, slot->m.t, slot->x,
                                       slot->variation + (size_t)k * nx_of(w), err));
    return ZW_OK;
}

static zw_status start_motion(zw_worker *w, int lane, zw_error *err) {
    zw_slot *slot = &w->slot[lane];
    const zw_lane_group *s = &w->e->lane_group;
    bool changed, all = true;
    w->client->begin(w->client->user, &slot->m, w->given);
    ZW_TRY(take_parameters(w, slot, w->params.model, &changed, err));
    for (size_t i = 0; i < nx_of(w); i++) {
        if (!w->given[i])
            slot->x[i] = w->model_x[i];
        all = all && w->given[i];
    }
    if (s->complete || (changed && s->start_follows && !all))
        ZW_TRY(complete_start(w, slot, err));
    ZW_TRY(check_start(w, slot, err));
    zw_spans_begin(&slot->spans, slot->m.t);
    slot->version = ++w->version;
    ZW_TRY(project_variations(w, slot, err));
    load_lane(w, lane);
    return zw_lane_worker_arm(w, lane, slot->m.t, slot->x, err);
}

/* ------------------------------------------------------------------------------------- visits */

/* the state at a time within the step, projected onto the constraints */
static zw_status state_at(zw_worker *w, int lane, double t, double *x, zw_error *err) {
    zw_slot *slot = &w->slot[lane];
    zw_lanes_dense(&w->lanes, lane, t, x);
    if (w->e->options.variations > 0)
        zw_lanes_dense_variation(&w->lanes, lane, t, slot->variation);
    if (!w->lanes.drifts || t == w->lanes.t1[lane])
        return ZW_OK;
    ZW_TRY(zw_lane_worker_flow(w, slot, err));
    return zw_flow_project(w->flow, t, x, NULL, err);
}

static zw_status show_state(zw_worker *w, int lane, double t, const double *x, zw_error *err) {
    zw_slot *slot = &w->slot[lane];
    memcpy(slot->x, x, sizeof(double) * nx_of(w));
    memcpy(slot->x_shown, x, sizeof(double) * nx_of(w));
    memcpy(slot->p_shown, slot->p, sizeof(double) * (size_t)w->sys->np);
    slot->m.t = t;
    slot->m.steps = (long)(slot->steps + (uint64_t)w->lanes.steps[lane]);
    return w->e->options.nvalue > 0 ? zw_lane_worker_values(w, slot, t, x, slot->value, err)
                                    : ZW_OK;
}

/* projects the client's state onto the constraints, by the smallest change */
static zw_status project_state(zw_worker *w, zw_slot *slot, zw_error *err) {
    if (!w->lanes.drifts)
        return ZW_OK;
    ZW_TRY(zw_lane_worker_flow(w, slot, err));
    return zw_flow_project(w->flow, slot->m.t, slot->x, NULL, err);
}

/* takes the changes of the client; *restart: the lane starts again */
static zw_status take_changes(zw_worker *w, int lane, double t, bool *restart, zw_error *err) {
    zw_slot *slot = &w->slot[lane];
    bool parameters;
    ZW_TRY(take_parameters(w, slot, slot->p_shown, &parameters, err));
    bool moved = parameters || slot->m.t != t ||
                 memcmp(slot->x, slot->x_shown, sizeof(double) * nx_of(w)) != 0;
    *restart = moved || (w->e->options.variations > 0 && t != w->lanes.t1[lane]);
    slot->version += parameters ? ++w->version - slot->version : 0;
    if (moved) {
        ZW_TRY(check_start(w, slot, err));
        ZW_TRY(project_state(w, slot, err));
    }
    ZW_TRY(project_variations(w, slot, err));
    if (!*restart && w->e->options.variations > 0)
        zw_lanes_disturb(&w->lanes, lane, slot->variation);
    if (!*restart)
        return ZW_OK;
    count_steps(w, lane);
    load_lane(w, lane);
    zw_spans_begin(&slot->spans, slot->m.t);
    return zw_lane_worker_arm(w, lane, slot->m.t, slot->x, err);
}

typedef enum outcome { CONTINUES, RESTARTS, ENDS } outcome;

static zw_status apply_reply(zw_worker *w, int lane, zw_ensemble_reply reply, double t,
                             outcome *what, zw_error *err) {
    zw_ensemble_motion *m = &w->slot[lane].m;
    bool restart = false;
    *what = reply == ZW_ENSEMBLE_DONE ? ENDS : CONTINUES;
    if (*what == ENDS)
        return ZW_OK;
    if (reply == ZW_ENSEMBLE_CHANGED)
        ZW_TRY(take_changes(w, lane, t, &restart, err));
    else
        m->t = t;
    ZW_TRY(zw_single_check_next(m, false, err));
    w->lanes.next[lane] = m->next;
    *what = restart ? RESTARTS : CONTINUES;
    return ZW_OK;
}

static zw_status visit_client(zw_worker *w, int lane, double t, outcome *what, zw_error *err) {
    zw_slot *slot = &w->slot[lane];
    ZW_TRY(state_at(w, lane, t, w->lane_x, err));
    ZW_TRY(show_state(w, lane, t, w->lane_x, err));
    slot->m.span = w->e->options.spans ? zw_spans_end(&slot->spans) : NULL;
    zw_ensemble_reply reply =
        w->client->visit ? w->client->visit(w->client->user, &slot->m) : ZW_ENSEMBLE_DONE;
    return apply_reply(w, lane, reply, t, what, err);
}

static zw_status handle_event(zw_worker *w, int lane, const zw_crossing *c, outcome *what,
                              zw_error *err) {
    zw_slot *slot = &w->slot[lane];
    const zw_lane_group *s = &w->e->lane_group;
    zw_ensemble_reply reply = ZW_ENSEMBLE_ON;
    ZW_TRY(state_at(w, lane, c->t, w->lane_x, err));
    ZW_TRY(show_state(w, lane, c->t, w->lane_x, err));
    slot->m.span = NULL;
    if (s->reported[c->watch] && w->client->event)
        reply = w->client->event(w->client->user, &slot->m, s->watch[c->watch]);
    if (s->stop[c->watch]) {
        slot->m.event = s->watch[c->watch];
        slot->m.span = w->e->options.spans ? zw_spans_end(&slot->spans) : NULL;
        *what = ENDS;
        return ZW_EVENT;
    }
    return apply_reply(w, lane, reply, c->t, what, err);
}

/* ----------------------------------------------------------------------------- a step of a lane */

/* Handles all visits and events in the step of a lane, in their order. */
static zw_status process_step(zw_worker *w, int lane, outcome *what, zw_error *err) {
    zw_lanes *l = &w->lanes;
    int n = 0, k = 0;
    double seen = l->t[lane], end = l->t1[lane];
    *what = CONTINUES;
    if (w->e->lane_group.nwatch > 0) {
        ZW_TRY(zw_lane_worker_crossings(w, lane, err));
        n = w->ncrossing;
    }
    for (;;) {
        bool event = k < n && w->crossing[k].t <= l->next[lane];
        double t = event ? w->crossing[k].t : l->next[lane];
        double upto = t <= end ? t : end;
        if (w->e->options.spans && upto > seen)
            ZW_TRY(zw_lane_worker_span(w, lane, seen, upto, err));
        seen = upto;
        if (t > end)
            return ZW_OK;
        if (zw_thread_pool_is_interrupted(w->e)) /* there may be many visits in a step */
            return ZW_STOPPED;
        zw_status status = event ? handle_event(w, lane, &w->crossing[k++], what, err)
                                 : visit_client(w, lane, t, what, err);
        if (status != ZW_OK || *what != CONTINUES)
            return status;
    }
}

static double last_good(const zw_worker *w, int lane, size_t i) {
    return w->lanes.y0[((size_t)w->lanes.at + i) * (size_t)w->lanes.L + (size_t)lane];
}

static void fail_at(zw_worker *w, int lane, zw_error *err) {
    zw_slot *slot = &w->slot[lane];
    slot->m.t = w->lanes.t[lane];
    for (size_t i = 0; i < nx_of(w); i++)
        slot->x[i] = last_good(w, lane, i);
    zw_fail(err, ZW_E_NUMERIC, "%ld steps were not enough: the run is at t = %.10g",
            w->lanes.options.steps_max, slot->m.t);
    zw_error_hint(err, "raise --steps-max, or loosen the tolerances");
}

/* a lane has failed: a simulation continues from its last valid state, or reports the reason */
static void give_up(zw_worker *w, int lane) {
    zw_error err = {0};
    zw_slot *slot = &w->slot[lane];
    if (w->lanes.fault[lane] == ZW_LANE_STEPS) {
        fail_at(w, lane, &err);
        end_motion(w, lane, ZW_E_NUMERIC, &err);
        return;
    }
    slot->m.t = w->lanes.t[lane];
    for (size_t i = 0; i < nx_of(w); i++)
        slot->x[i] = last_good(w, lane, i);
    for (int i = 0; i < w->lanes.at; i++)
        slot->variation[i] = w->lanes.y0[i * w->lanes.L + lane];
    hand_over(w, lane);
}

/* the next motion of the queue that can be started; false: there is none */
static bool refill_lane(zw_worker *w, int lane) {
    uint64_t number;
    while (zw_thread_pool_take(w, &number)) {
        zw_error err = {0};
        reset_slot(w, &w->slot[lane], number);
        if (start_motion(w, lane, &err) >= 0) {
            if (w->slot[lane].m.next > w->slot[lane].m.t)
                return true;
            outcome what = CONTINUES; /* a visit at the start itself */
            zw_status status = ZW_OK;
            zw_slot *slot = &w->slot[lane];
            status = show_state(w, lane, slot->m.t,
                                memcpy(w->lane_x, slot->x, sizeof(double) * nx_of(w)), &err);
            slot->m.span = NULL;
            if (w->e->options.spans && status >= 0)
                slot->m.span = zw_spans_end(&slot->spans);
            if (status >= 0)
                status = apply_reply(w, lane,
                                     w->client->visit ? w->client->visit(w->client->user, &slot->m)
                                                      : ZW_ENSEMBLE_DONE,
                                     slot->m.t, &what, &err);
            if (status >= 0 && what != ENDS)
                return true;
            end_motion(w, lane, status, &err);
            continue;
        }
        end_motion(w, lane, err.status, &err);
    }
    return false;
}

static void stop_all(zw_worker *w, unsigned active) {
    const zw_error none = {0};
    for (int lane = 0; lane < w->lanes.L; lane++)
        if (active >> lane & 1) {
            zw_slot *slot = &w->slot[lane];
            zw_error err = {0};
            double t = w->lanes.t[lane];
            for (size_t i = 0; i < nx_of(w); i++)
                w->lane_x[i] = last_good(w, lane, i);
            show_state(w, lane, t, w->lane_x, &err);
            slot->m.span = NULL;
            end_motion(w, lane, ZW_STOPPED, &none);
        }
}

void zw_lane_worker_work(zw_worker *w) {
    zw_lanes *l = &w->lanes;
    unsigned active = 0;
    for (int lane = 0; lane < l->L; lane++)
        active |= (unsigned)refill_lane(w, lane) << lane;
    while (active) {
        unsigned look = zw_lanes_step(l);
        if (zw_thread_pool_watch(w)) {
            stop_all(w, active);
            return;
        }
        if (w->e->lane_group.inertia && zw_lanes_moved(l))
            zw_lane_worker_inertia(w);
        if (has_watches(w) && zw_lanes_moved(l)) {
            zw_lane_worker_sample(w);
            look |= zw_lanes_moved(l);
        }
        for (; look; look &= look - 1) {
            int lane = __builtin_ctz(look);
            outcome what = ENDS;
            if (l->fault[lane] != ZW_LANE_GOOD) {
                give_up(w, lane);
            } else {
                zw_error err = {0};
                zw_status status = process_step(w, lane, &what, &err);
                if (status != ZW_OK)
                    what = ENDS;
                if (what == ENDS)
                    end_motion(w, lane, status, &err);
            }
            if (what == ENDS && !refill_lane(w, lane))
                active &= ~(1u << lane);
        }
    }
}
