/* SPDX-License-Identifier: MIT */
/* One motion after the other, by a simulation that is advanced from visit to visit
 * (sim/driven_sim.h): it supports everything that `zwang run` does.
 *
 * Disturbances are integrated with it (tangent.c); at the start, and where the client has changed
 * them, they are projected into the tangent space of the constraints. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "internal.h"

/* ---------------------------------------------------------------------------- the present state */

/* sets the state that the client sees, and its values if a row is required */
static zw_status show_state(zw_worker *w, zw_error *err) {
    zw_ensemble_motion *m = &w->m;
    const zw_system *s = w->sys;
    size_t nx = (size_t)(s->nq + s->nv), np = (size_t)s->np;
    m->t = zw_sim_along_time(w->sim);
    ZW_TRY(zw_sim_along_state(w->sim, w->x, err));
    memcpy(w->p, zw_sim_along_parameters(w->sim), sizeof(double) * np);
    memcpy(w->x_shown, w->x, sizeof(double) * nx);
    memcpy(w->p_shown, w->p, sizeof(double) * np);
    if (w->e->options.nvalue > 0) {
        const double *row = zw_sim_along_row(w->sim);
        for (int i = 0; i < w->e->options.nvalue; i++)
            w->value[i] = row[w->column[i]];
    }
    for (int k = 0; k < w->e->options.variations; k++)
        for (size_t i = 0; i < nx; i++)
            w->variation[(size_t)k * nx + i] =
                w->linear.Y[i * (size_t)w->e->options.variations + (size_t)k];
    m->steps = w->before + zw_sim_total(w->sim).steps;
    return ZW_OK;
}

static zw_status state_within(void *user, double t, double *x, zw_error *err) {
    zw_worker *w = user;
    return zw_run_dense(zw_sim_along_run(w->sim), t, x, err);
}

/* the values, if all are time or entries of the state w->dense; else false */
static bool plain_values(const zw_worker *w, double t, double *value) {
    for (int i = 0; i < w->e->options.nvalue; i++) {
        int index;
        zw_along_kind kind = zw_sim_along_column(w->sim, w->column[i], &index);
        if (kind != ZW_ALONG_TIME && kind != ZW_ALONG_STATE)
            return false;
        value[i] = kind == ZW_ALONG_TIME ? t : w->dense[index];
    }
    return true;
}

static zw_status values_within(void *user, double t, double *value, zw_error *err) {
    zw_worker *w = user;
    zw_flow *flow = zw_run_flow(zw_sim_along_run(w->sim));
    ZW_TRY(state_within(w, t, w->dense, err));
    if (plain_values(w, t, value))
        return ZW_OK;
    ZW_TRY(zw_flow_rates(flow, t, w->dense, w->rate, w->z, err));
    ZW_TRY(zw_flow_observables(flow, t, w->dense, w->obs, err));
    zw_sim_along_values(w->sim, t, w->dense, w->z, w->obs, w->row);
    for (int i = 0; i < w->e->options.nvalue; i++)
        value[i] = w->row[w->column[i]];
    return ZW_OK;
}

/* Steps of a fixed length are many, and straight lines. *done: all values are straight lines
 * too. */
static zw_status span_of_line(zw_worker *w, double t0, double t1, bool *done, zw_error *err) {
    const zw_sim_contacts *c = &w->sim->contacts;
    double *from = w->spans.sample, *to = from + w->e->options.nvalue;
    *done = false;
    if (!c->steps || c->options.control)
        return ZW_OK;
    ZW_TRY(state_within(w, t0, w->dense, err));
    *done = plain_values(w, t0, from);
    ZW_TRY(state_within(w, t1, w->dense, err));
    *done = *done && plain_values(w, t1, to);
    if (*done)
        zw_spans_line(&w->spans, t0, t1, from, to);
    return ZW_OK;
}

zw_status zw_single_piece(void *user, zw_run *run, double t0, double t1, zw_error *err) {
    zw_worker *w = user;
    if (run != zw_sim_along_run(w->sim))
        return ZW_OK;
    bool done = !w->e->options.spans;
    if (!done)
        ZW_TRY(span_of_line(w, t0, t1, &done, err));
    if (!done)
        ZW_TRY(zw_spans_piece(&w->spans, t0, t1, values_within, w, err));
    if (w->e->options.variations > 0)
        ZW_TRY(zw_tangent_piece(w, run, t0, t1, err));
    return ZW_OK;
}

static bool is_wanted(const zw_ensemble_options *o, int event) {
    for (int i = 0; i < o->nevent; i++)
        if (o->event[i] == event)
            return true;
    return false;
}

bool zw_single_met(void *user, int event) {
    zw_worker *w = user;
    if (event < w->sys->nevent && w->sys->event[event].stop)
        w->stopped = event;
    if (!w->client->event || !is_wanted(&w->e->options, event) || w->trouble < 0)
        return false;
    w->trouble = show_state(w, &w->why);
    if (w->trouble < 0)
        return true;
    w->m.span = NULL;
    zw_ensemble_reply reply = w->client->event(w->client->user, &w->m, event);
    if (reply > w->reply)
        w->reply = reply;
    return reply != ZW_ENSEMBLE_ON;
}

/* ------------------------------------------------------------------------------------- a motion */

static void reset_motion(zw_worker *w, uint64_t number) {
    const zw_ensemble_options *o = &w->e->options;
    size_t nx = (size_t)(w->sys->nq + w->sys->nv), np = (size_t)w->sys->np;
    memcpy(w->p, w->params.model, sizeof(double) * np);
    memcpy(w->x, w->model_x, sizeof(double) * nx);
    memset(w->given, 0, sizeof(bool) * nx);
    memset(w->params.set, 0, sizeof(bool) * np);
    memset(w->variation, 0, sizeof(double) * nx * (size_t)o->variations);
    memset(w->memory, 0, o->memory);
    w->m = (zw_ensemble_motion){.number = number,
                                .path = number,
                                .thread = w->number,
                                .p = w->p,
                                .x = w->x,
                                .variation = o->variations > 0 ? w->variation : NULL,
                                .rank = o->variations,
                                .value = w->value,
                                .next = NAN,
                                .memory = w->memory,
                                .event = -1};
    w->why = (zw_error){0};
    w->trouble = ZW_OK;
    w->reply = ZW_ENSEMBLE_ON;
    w->stopped = -1;
    w->before = 0;
}

static zw_status begin_motion(zw_worker *w, bool *stop, zw_error *err) {
    zw_ensemble_motion *m = &w->m;
    const zw_ensemble_options *o = &w->e->options;
    w->client->begin(w->client->user, m, w->given);
    if (!isfinite(m->t))
        return zw_fail(err, ZW_E_NONFINITE, "the time of the start is not finite");
    for (int i = 0; i < w->sys->np; i++)
        if (!isfinite(w->p[i]))
            return zw_fail(err, ZW_E_NONFINITE, "the number for '%s' is not finite",
                           w->sys->param[i].name);
    ZW_TRY(zw_ensemble_params_follow(&w->params, w->sys, w->params.model, w->p, err));
    double t = m->t;
    zw_tangent_forget(w);
    w->spans.since = w->spans.until = t;
    zw_sim_input_path(w->sim, (long)m->path);
    ZW_TRY(zw_worker_begin(w, t, w->params.set, w->p, w->x, stop, err));
    if (o->variations > 0)
        ZW_TRY(zw_tangent_take(w, err));
    zw_spans_begin(&w->spans, t);
    return ZW_OK;
}

/* takes the changes of the client */
static zw_status take_changes(zw_worker *w, double t, zw_error *err) {
    size_t nx = (size_t)(w->sys->nq + w->sys->nv), np = (size_t)w->sys->np;
    bool same = w->m.t == t && memcmp(w->x, w->x_shown, sizeof(double) * nx) == 0 &&
                memcmp(w->p, w->p_shown, sizeof(double) * np) == 0;
    if (!same) {
        ZW_TRY(zw_ensemble_params_follow(&w->params, w->sys, w->p_shown, w->p, err));
        zw_tangent_forget(w);
        ZW_TRY(zw_sim_along_change(w->sim, w->m.t, w->params.set, w->p, w->x, err));
        zw_spans_begin(&w->spans, w->m.t);
    }
    return w->e->options.variations > 0 ? zw_tangent_take(w, err) : ZW_OK;
}

zw_status zw_single_check_next(const zw_ensemble_motion *m, bool first, zw_error *err) {
    if (isfinite(m->next) && (m->next > m->t || (first && m->next == m->t)))
        return ZW_OK;
    return zw_fail(err, ZW_E_OPTION, "the next visit is at t = %g s, after %g s", m->next, m->t);
}

static zw_status visit_client(zw_worker *w, bool *done, zw_error *err) {
    zw_ensemble_motion *m = &w->m;
    ZW_TRY(show_state(w, err));
    double t = m->t;
    m->span = w->e->options.spans ? zw_spans_end(&w->spans) : NULL;
    zw_ensemble_reply reply =
        w->client->visit ? w->client->visit(w->client->user, m) : ZW_ENSEMBLE_DONE;
    *done = reply == ZW_ENSEMBLE_DONE;
    if (reply == ZW_ENSEMBLE_CHANGED)
        ZW_TRY(take_changes(w, t, err));
    m->t = reply == ZW_ENSEMBLE_CHANGED ? m->t : t;
    return *done ? ZW_OK : zw_single_check_next(m, false, err);
}

/* an event has stopped the motion, or the client at an event */
static zw_status handle_stop(zw_worker *w, bool *done, zw_error *err) {
    zw_ensemble_reply reply = w->reply;
    w->reply = ZW_ENSEMBLE_ON;
    if (w->trouble < 0)
        return w->trouble;
    *done = w->stopped >= 0 || reply != ZW_ENSEMBLE_CHANGED;
    if (w->stopped >= 0) {
        w->m.event = w->stopped;
        return ZW_EVENT;
    }
    if (reply == ZW_ENSEMBLE_ON) /* the end of a contact that ends the motion */
        return ZW_EVENT;
    if (reply == ZW_ENSEMBLE_CHANGED) {
        ZW_TRY(take_changes(w, zw_sim_along_time(w->sim), err));
        return zw_single_check_next(&w->m, false, err);
    }
    return ZW_OK;
}

/* advances the motion from visit to visit */
static zw_status advance_motion(zw_worker *w, bool stop, zw_error *err) {
    bool done = false;
    zw_status status;
    while (!done) {
        status = stop ? ZW_OK : zw_sim_along_to(w->sim, w->m.next, &stop, err);
        if (status != ZW_OK)
            return w->trouble < 0 ? w->trouble : status;
        if (zw_thread_pool_watch(w)) /* visits may be much denser than steps */
            return ZW_STOPPED;
        status = stop ? handle_stop(w, &done, err) : visit_client(w, &done, err);
        if (status != ZW_OK)
            return status;
        stop = false;
    }
    return ZW_OK;
}

static zw_status run_motion(zw_worker *w, zw_error *err) {
    bool stop = false;
    ZW_TRY(begin_motion(w, &stop, err));
    w->m.t = zw_sim_along_time(w->sim);
    ZW_TRY(zw_single_check_next(&w->m, true, err));
    return advance_motion(w, stop, err);
}

/* Events, chosen by default, have failed in this motion: suggest time steps. */
static void suggest_steps(zw_worker *w, zw_status status) {
    static const char what[] = " (try --contacts moreau)";
    const bool events = w->sim && w->sim->standing.used && w->sim->contacts.chosen &&
                        w->e->options.variations == 0; /* not supported in time steps */
    size_t length = strlen(w->why.text);
    if (status < 0 && events && length + sizeof what <= sizeof w->why.text)
        memcpy(w->why.text + length, what, sizeof what);
}

static void finish_motion(zw_worker *w, zw_status status) {
    zw_ensemble_motion *m = &w->m;
    m->status = status;
    zw_run_info info = w->sim ? zw_sim_total(w->sim) : (zw_run_info){0};
    if (m->status != ZW_OK && w->sim) {
        zw_error ignored = {0};
        /* up to the event that has ended it */
        m->span = m->status == ZW_EVENT && w->e->options.spans ? zw_spans_end(&w->spans) : NULL;
        show_state(w, &ignored);
    }
    m->steps = w->before + info.steps;
    if (w->sim && status >= 0)
        zw_sim_contacts_end(w->sim); /* errors of time steps */
    suggest_steps(w, status);
    m->why = m->status < 0 ? w->why.text : NULL;
    const zw_warnings *doubts = w->sim ? w->sim->doubts : NULL;
    const char *text = m->repeated ? NULL : m->doubt; /* of the start, in lanes */
    for (int i = doubts ? zw_warnings_count(doubts) - 1 : -1; i >= 0; i--)
        if (strcmp(zw_warnings_at(doubts, i)->key, ZW_SIM_STEP_ERRORS) != 0)
            text = zw_warnings_at(doubts, i)->text;
    if (doubts && zw_warnings_count(doubts) > 0 && !m->repeated)
        m->doubt = zw_warnings_at(doubts, 0)->text;
    zw_worker_warning(w, m, text);
    w->motions++;
    w->failed += m->status < 0;
    w->steps += (uint64_t)info.steps;
    w->rejected += (uint64_t)info.error_fails;
    if (w->client->end)
        w->client->end(w->client->user, m);
}

/* Events, the default, have failed in this motion: may it be repeated in time steps, as zwang run
 * does? */
static bool may_repeat(const zw_worker *w, zw_status status) {
    return status < 0 && w->sim && w->e->options.variations == 0 && w->trouble >= 0 &&
           zw_sim_contacts_may_step(w->sim, status);
}

void zw_worker_single(zw_worker *w, uint64_t number) {
    reset_motion(w, number);
    zw_status status = run_motion(w, &w->why);
    if (!may_repeat(w, status) || !zw_worker_exchange(w)) {
        finish_motion(w, status);
        return;
    }
    snprintf(w->repeated, sizeof w->repeated, "contacts in time steps: %.250s", w->why.text);
    reset_motion(w, number);
    w->m.repeated = true;
    w->m.doubt = w->repeated;
    if (w->in_steps++ == 0 || number < w->first_in_steps) {
        w->first_in_steps = number;
        memcpy(w->first_why, w->repeated, sizeof w->first_why);
    }
    finish_motion(w, run_motion(w, &w->why));
    zw_worker_exchange(w);
}

/* the motion of a slot, whose memory is used */
static zw_status continue_motion(zw_worker *w, const zw_slot *slot, zw_error *err) {
    ZW_TRY(zw_worker_simulate(w, err));
    ZW_TRY(zw_sim_along_enter(w->sim, slot->m.t, slot->set, slot->p, slot->x, err));
    if (w->e->options.variations > 0)
        ZW_TRY(zw_tangent_take(w, err));
    return advance_motion(w, false, err);
}

void zw_worker_take(zw_worker *w, zw_slot *slot) {
    zw_worker own = *w;
    w->p = slot->p;
    w->x = slot->x;
    w->p_shown = slot->p_shown;
    w->x_shown = slot->x_shown;
    w->value = slot->value;
    w->variation = slot->variation;
    w->memory = slot->memory;
    w->spans = slot->spans;
    w->params.set = slot->set;
    w->m = slot->m;
    w->why = (zw_error){0};
    w->trouble = ZW_OK;
    w->reply = ZW_ENSEMBLE_ON;
    w->stopped = -1;
    w->before = (long)slot->steps;
    zw_status status = continue_motion(w, slot, &w->why);
    w->handed_over++;
    w->steps += slot->steps;
    w->rejected += slot->rejected;
    finish_motion(w, status);
    w->p = own.p;
    w->x = own.x;
    w->p_shown = own.p_shown;
    w->x_shown = own.x_shown;
    w->value = own.value;
    w->variation = own.variation;
    w->memory = own.memory;
    w->spans = own.spans;
    w->params.set = own.params.set;
}
