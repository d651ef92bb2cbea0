/* SPDX-License-Identifier: MIT */
/* One instant of a motion: due events act until none is due.
 *
 * Events that set different things act together, on the values just before. Of two that set the
 * same thing the first one in the model acts alone; the other one then acts on the result, if its
 * function still moves in its direction. When all have acted, an event that acts `rising` or
 * `falling` is due immediately if its function is at zero and now moves in its direction: three
 * balls in a row exchange their velocities pair by pair. An event that has acted is due again only
 * if its function has been reversed or stopped since; otherwise it has passed. The same applies at
 * the start of a run: a ball that lies on the floor and moves down bounces immediately.
 *
 * A function that rests at zero and is about to move on (its second derivative gives the direction)
 * makes its event due too; if the event has acted already and does not prevent this, the run ends
 * with the hint to use a constraint. */
#include <float.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/arena.h"
#include "internal.h"
#include "num/run_jumps.h"

enum { ROUNDS = 200 }; /* of events at one instant: then the run fails */

static const zw_event *event_of(const zw_sim *sim, int i) {
    return &zw_sim_now(sim)->sys->event[i];
}

static int number_of(const zw_sim *sim, int i) {
    return zw_sim_now(sim)->number[i];
}

static int sign(int way) {
    return (way > 0) - (way < 0);
}

/* --------------------------------------------------------------------------------- accumulation */

/* Events whose times accumulate end the run; the integration is told of a near limit. */
static zw_status check_accumulation(zw_sim *sim, int i, double t, zw_error *err) {
    const zw_event *e = event_of(sim, i);
    const zw_sim_options *o = &sim->options;
    zw_sim_history *h = &sim->history[number_of(sim, i)];
    double tiny = sqrt(fmax(o->run.rtol, o->run.atol)), span = o->until - o->start;
    if (!zw_sim_accumulates(h, t, span, tiny, &sim->accumulation)) {
        zw_run_first_step(sim->stage->run, h->interval < INFINITY ? h->interval / 4 : 0);
        return ZW_OK;
    }
    sim->ending = ZW_SIM_ACCUMULATED;
    zw_fail_at(err, ZW_E_NUMERIC, e->place,
               "the event %s accumulates at t = %.10g s: it came %ld times, faster and faster",
               e->name, sim->accumulation, h->times);
    zw_error_hint(err, "for a body that comes to rest there, add an event that switches a "
                       "constraint on or stops the run when the jumps are small");
    return ZW_E_NUMERIC;
}

/* Events that act again although their functions have not left zero since they acted last. */
static zw_status reject_unresolved(zw_sim *sim, int n, const int *event, zw_error *err) {
    ZW_TRY(zw_run_armed(sim->stage->run, sim->side, err));
    for (int i = 0; i < n; i++) {
        const zw_event *e = event_of(sim, event[i]);
        if (e->period || !sim->side[event[i]].escaped ||
            !sim->history[number_of(sim, event[i])].times)
            continue;
        sim->ending = ZW_SIM_ACCUMULATED;
        sim->accumulation = zw_run_time(sim->stage->run);
        zw_fail_at(err, ZW_E_NUMERIC, e->place,
                   "the event %s accumulates at t = %.10g s: what it does is smaller there than "
                   "the accuracy of the integration",
                   e->name, sim->accumulation);
        zw_error_hint(err, "let an event switch a constraint on when the jumps are small, or "
                           "stop the run; smaller tolerances delay the end a little");
        return ZW_E_NUMERIC;
    }
    return ZW_OK;
}

/* watches all events of this instant, each once */
static zw_status check_all_accumulations(zw_sim *sim, double t, zw_error *err) {
    const zw_sim_variant_state *world = zw_sim_now(sim);
    for (int i = 0; i < world->sys->nevent; i++)
        if (sim->acted[world->number[i]] && !world->sys->event[i].period)
            ZW_TRY(check_accumulation(sim, i, t, err));
    return ZW_OK;
}

/* ------------------------------------------------------------------------------------ one round */

/* do two events set or read the same thing? */
static bool has_conflict(const zw_event *a, const zw_event *b) {
    for (int i = 0; i < a->naction; i++)
        for (int k = 0; k < b->naction; k++)
            if (a->action[i].kind == ZW_ACTION_SET && b->action[k].kind == ZW_ACTION_SET &&
                a->action[i].what == b->action[k].what)
                return true;
    return false;
}

/* or set it to contradictory values? */
static bool is_contradiction(const zw_action *a, const zw_action *b) {
    if (a->kind == ZW_ACTION_VARIANT && b->kind == ZW_ACTION_VARIANT)
        return strcmp(a->variant, b->variant) != 0;
    bool turn_a = a->kind == ZW_ACTION_ON || a->kind == ZW_ACTION_OFF;
    bool turn_b = b->kind == ZW_ACTION_ON || b->kind == ZW_ACTION_OFF;
    return turn_a && turn_b && a->constraint == b->constraint && a->kind != b->kind;
}

static zw_status check_contradiction(const zw_sim *sim, int n, const int *event, zw_error *err) {
    for (int i = 0; i < n; i++)
        for (int k = 0; k < i; k++) {
            const zw_event *a = event_of(sim, event[k]), *b = event_of(sim, event[i]);
            for (int m = 0; m < a->naction * b->naction; m++) {
                const zw_action *one = &a->action[m / b->naction],
                                *other = &b->action[m % b->naction];
                if (!is_contradiction(one, other))
                    continue;
                zw_fail_at(err, ZW_E_NUMERIC, other->place,
                           "the events %s and %s come at the same moment, t = %.10g s, and "
                           "contradict each other",
                           a->name, b->name, zw_run_time(sim->stage->run));
                zw_error_hint(err, one->kind == ZW_ACTION_VARIANT
                                       ? "they choose different variants: let one event do both"
                                       : "one switches on what the other switches off");
                return ZW_E_NUMERIC;
            }
        }
    return ZW_OK;
}

static bool any_collide(const zw_sim *sim, int n, const int *event) {
    bool any = false;
    for (int i = 0; i < n; i++)
        for (int k = 0; k < i; k++) {
            const zw_event *first = event_of(sim, event[k]), *next = event_of(sim, event[i]);
            if (!has_conflict(first, next))
                continue;
            zw_sim_warning_order(sim, first, next, zw_run_time(sim->stage->run));
            any = true;
        }
    return any;
}

/* n events happen now: counts and reports them */
static void report_events(zw_sim *sim, int n, const int *event, bool *stop) {
    double t = zw_run_time(sim->stage->run);
    for (int i = 0; i < n; i++) {
        const zw_event *e = event_of(sim, event[i]);
        *stop = *stop || e->stop;
        sim->nmet++;
        if (sim->options.event)
            sim->options.event(sim->options.user, e->name, t);
        if (sim->watch.event && sim->watch.event(sim->watch.user, number_of(sim, event[i])))
            *stop = true;
    }
}

static double value_of(const zw_sim_variant_state *w, const double *p, const char *name) {
    for (int i = 0; i < w->sys->np; i++)
        if (strcmp(w->sys->param[i].name, name) == 0)
            return p[i];
    return NAN;
}

/* records the parameters that have other values than those of the variant before */
static zw_status record_set(zw_sim *sim, const zw_sim_variant_state *before, zw_error *err) {
    const zw_sim_variant_state *now = zw_sim_now(sim);
    const double *p = sim->p_before;
    for (int i = 0; i < now->sys->np && !sim->driven; i++) {
        const char *name = now->sys->param[i].name;
        if (now->p[i] != (now == before ? p[i] : value_of(before, p, name)))
            zw_text_printf(&sim->set_at, "%s%.17g %s %.17g", sim->set_at.length ? "\n" : "",
                           zw_run_time(sim->stage->run), name, now->p[i]);
    }
    return sim->set_at.failed ? zw_out_of_memory(err, "the result") : ZW_OK;
}

/* records and carries out n events, some of which act */
static zw_status perform_events(zw_sim *sim, int n, const int *event, zw_error *err) {
    const zw_sim_variant_state *world = zw_sim_now(sim);
    double energy = zw_sim_energy(sim), contacts = zw_sim_standing_works(sim);
    zw_sim_record_before(sim);
    ZW_TRY(zw_sim_record_row(sim, err));
    memcpy(sim->p_before, world->p, sizeof(double) * (size_t)world->sys->np);
    zw_status status = zw_sim_act(sim, n, event, err);
    double jump = status < 0 ? NAN : zw_sim_energy(sim) - energy,
           work = zw_sim_standing_works(sim) - contacts,
           impact = zw_sim_standing_has_hit(sim) ? work : 0;
    ZW_TRY(zw_sim_record_events(sim, world, n, event, jump - impact, err));
    if (status < 0)
        return status;
    ZW_TRY(record_set(sim, world, err));
    sim->event_work += jump - work;
    ZW_TRY(zw_sim_standing_report(sim, impact, err));
    return zw_sim_record_row(sim, err);
}

/* ----------------------------------------------------------------------------------- the
 * instant */

/* The direction in which the function of an event passes zero, or 0 if it is unknown. */
static int passing_direction(const zw_event *e, int way) {
    if (e->period || e->direction)
        return e->period ? 0 : e->direction;
    return way == ZW_WAY_NONE ? 0 : sign(way);
}

/* Of n due events chooses the *now ones that happen now: all, or those that do not act and the
 * first one that does. The others wait. */
static zw_status choose_events(zw_sim *sim, int n, int *event, int *now, zw_error *err) {
    bool alone = any_collide(sim, n, event), taken = false;
    *now = 0;
    ZW_TRY(check_contradiction(sim, n, event, err));
    ZW_TRY(zw_run_event_ways(sim->stage->run, sim->direction, err));
    for (int i = 0; i < n; i++) {
        const zw_event *e = event_of(sim, event[i]);
        int number = number_of(sim, event[i]);
        bool acts = e->naction > 0, waits = acts && alone && taken;
        sim->waiting[number] = waits;
        sim->acted[number] = sim->acted[number] || (acts && !waits);
        if (acts)
            sim->passing[number] = passing_direction(e, sim->direction[event[i]]);
        taken = taken || acts;
        if (!waits)
            event[(*now)++] = event[i];
    }
    return ZW_OK;
}

/* a function that rests at zero, so that its event would act for ever */
static zw_status reject_rest(const zw_sim *sim, int i, zw_error *err) {
    const zw_event *e = event_of(sim, i);
    zw_fail_at(err, ZW_E_NUMERIC, e->place,
               "the event %s has no lasting effect: at t = %.10g s its function stays at zero and "
               "is about to %s again after the event",
               e->name, zw_run_time(sim->stage->run), e->direction < 0 ? "fall" : "rise");
    zw_error_hint(
        err,
        "let the event switch on a constraint that keeps the function at zero, or stop the run");
    return ZW_E_NUMERIC;
}

/* Is event i due, with its function moving in direction `way`? */
static bool is_due(zw_sim *sim, int i, int way) {
    const zw_event *e = event_of(sim, i);
    int number = number_of(sim, i), *passing = &sim->passing[number];
    bool moves = way != ZW_WAY_NONE && way != ZW_WAY_REST;
    if (sim->waiting[number]) {
        sim->waiting[number] = false;
        return *passing == 0 || (moves && sign(way) == *passing);
    }
    bool stopped = way != ZW_WAY_UP && way != ZW_WAY_DOWN;
    if (stopped || sign(way) != *passing) /* or reversed */
        *passing = 0;
    return !e->period && e->direction && moves && sign(way) == e->direction && *passing == 0;
}

/* the events that are due at the present state, in the order of the model */
static zw_status find_due(zw_sim *sim, int *n, int *event, zw_error *err) {
    const zw_system *s = zw_sim_now(sim)->sys;
    *n = 0;
    ZW_TRY(zw_run_event_ways(sim->stage->run, sim->direction, err));
    for (int i = 0; i < s->nevent; i++) {
        int way = sim->direction[i];
        if (s->event[i].naction == 0 || !is_due(sim, i, way))
            continue;
        bool rests = way == ZW_WAY_UP_SOON || way == ZW_WAY_DOWN_SOON;
        if (rests && sim->acted[number_of(sim, i)])
            return reject_rest(sim, i, err);
        event[(*n)++] = i;
    }
    return ZW_OK;
}

static zw_status reject_unsettled(const zw_sim *sim, int n, const int *event, zw_error *err) {
    const zw_event *a = event_of(sim, event[0]), *b = event_of(sim, event[n - 1]);
    char names[200];
    snprintf(names, sizeof names, n > 1 ? "events %s and %s do" : "event %s and others do", a->name,
             b->name);
    zw_fail_at(err, ZW_E_NUMERIC, a->place,
               "the %s not settle: they have made each other due %d times at t = %.10g s", names,
               ROUNDS, zw_run_time(sim->stage->run));
    zw_error_hint(err, "what they set must in the end move their functions away from zero");
    return ZW_E_NUMERIC;
}

/* rounds until nothing is due; n events to begin with */
static zw_status settle_events(zw_sim *sim, int n, int *event, bool *stop, zw_error *err) {
    for (int round = 0; n > 0; round++) {
        int now = 0;
        if (round == ROUNDS)
            return reject_unsettled(sim, n, event, err);
        ZW_TRY(choose_events(sim, n, event, &now, err));
        report_events(sim, now, event, stop);
        ZW_TRY(perform_events(sim, now, event, err));
        ZW_TRY(find_due(sim, &n, event, err));
    }
    return check_all_accumulations(sim, zw_run_time(sim->stage->run), err);
}

static void clear_flags(zw_sim *sim) {
    sim->moment = zw_run_time(sim->stage->run);
    for (int k = 0; k < sim->nevent; k++) {
        sim->acted[k] = sim->waiting[k] = false;
        sim->passing[k] = 0;
    }
}

/* moves the events of the model to the front, in their order, and counts them; acts: one of them
 * acts */
static int of_the_model(const zw_sim *sim, int n, const int *event, bool *acts) {
    int own = 0;
    *acts = false;
    while (own < n && event[own] < zw_sim_now(sim)->sys->nevent)
        *acts |= event_of(sim, event[own++])->naction > 0;
    return own;
}

static zw_status handle_events(zw_sim *sim, int n, int *event, bool acts, bool *stop,
                               zw_error *err) {
    if (acts) {
        ZW_TRY(reject_unresolved(sim, n, event, err));
        clear_flags(sim);
        return settle_events(sim, n, event, stop, err);
    }
    report_events(sim, n, event, stop);
    zw_sim_record_before(sim);
    return zw_sim_record_events(sim, zw_sim_now(sim), n, event, 0, err);
}

/* Events of the model act first, on the values before; contacts act on the result. */
zw_status zw_sim_meet(zw_sim *sim, int n, int *event, bool *stop, zw_error *err) {
    bool acts;
    int own = of_the_model(sim, n, event, &acts);
    if (own > 0)
        ZW_TRY(handle_events(sim, own, event, acts, stop, err));
    return own < n && !acts ? zw_sim_standing_meet(sim, n - own, event + own, err) : ZW_OK;
}

zw_status zw_sim_meet_start(zw_sim *sim, bool *stop, zw_error *err) {
    int n = 0;
    clear_flags(sim);
    ZW_TRY(find_due(sim, &n, sim->met, err));
    return settle_events(sim, n, sim->met, stop, err);
}
