/* SPDX-License-Identifier: MIT */
/* A run of the model through its events, recorded for the orbit to which it leads. Fails, with
 * names, where an orbit of segments is impossible: two events that act at one time, an event that
 * acts again at once or accumulates, an event that ends the run. */
#include <float.h>
#include <math.h>
#include <string.h>

#include "base/arena.h"
#include "event_orbits.h"
#include "num/run_jumps.h"

/* Relative to 1 + |entry|: step of central differences of event functions, eps^(1/3) = 6e-6. */
#define DIFFERENCE_STEP 1e-6
/* Relative to the terms of the slope of a function: a smaller slope is zero, within the error of
 * the differences. */
#define SLOPE_ZERO 1e-7
/* Relative to the period of a clock: ticks at one time. Times are sums of steps. */
#define TICK_ROUNDOFF 1e-9

zw_status zw_segmented_walk_begin(zw_segmented_walk *w, zw_event_orbits *o, double value,
                                  zw_error *err) {
    *w = (zw_segmented_walk){
        .o = o, .value = value, .steps_max = o->options.steps, .accumulation = {.last_event = -1}};
    w->x = ZW_NEW(&o->arena, double, o->nx + 1);
    w->memory = ZW_NEW(&o->arena, double, o->nmemory + 1);
    w->side = ZW_NEW(&o->arena, zw_event_side, o->sys->nevent + 1);
    w->low = ZW_NEW(&o->arena, double, o->nx + 1);
    w->begin = ZW_NEW(&o->arena, double, o->nx + 1);
    w->high = ZW_NEW(&o->arena, double, o->nx + 1);
    if (o->arena.failed)
        return zw_out_of_memory(err, NULL);
    for (int i = 0; i < o->nx; i++) {
        w->low[i] = INFINITY;
        w->high[i] = -INFINITY;
    }
    return ZW_OK;
}

static zw_status start_run(zw_segmented_walk *w, zw_error *err) {
    zw_event_orbits *o = w->o;
    zw_run *run = o->stage[w->stage]->run;
    ZW_TRY(zw_segmented_set(o, w->memory, w->value, o->now, err));
    ZW_TRY(zw_run_set_parameters(run, o->now, err));
    ZW_TRY(zw_segmented_repeats(o, o->now, err));
    zw_run_event_periods(run, o->repeat);
    ZW_TRY(zw_run_start(run, w->t, w->x, err));
    if (w->armed)
        zw_run_arm(run, w->side, false);
    return ZW_OK;
}

zw_status zw_segmented_walk_start(zw_segmented_walk *w, zw_error *err) {
    zw_event_orbits *o = w->o;
    const zw_system *s = o->sys;
    zw_said *said = ZW_NEW(&o->arena, zw_said, o->nx + 1);
    if (!said)
        return zw_out_of_memory(err, NULL);
    ZW_TRY(zw_segmented_stage_of(o, o->first_on, NULL, &w->stage, err));
    ZW_TRY(zw_segmented_set(o, NULL, w->value, o->now, err));
    for (int i = 0; i < o->nmemory; i++)
        w->memory[i] = o->now[o->memory[i]];
    zw_run *run = o->stage[w->stage]->run;
    ZW_TRY(zw_run_set_parameters(run, o->now, err));
    ZW_TRY(zw_system_start_said(s, o->now, w->x, said, o->width, err));
    ZW_TRY(zw_run_complete(run, 0, w->x, said, o->width, NULL, err));
    w->t = 0;
    w->armed = false;
    w->fresh = true;
    return ZW_OK;
}

/* the rate of an event function at (t, x), and the sum of the sizes of its terms */
static zw_status find_slope(zw_segmented_walk *w, int event, const double *x, double *slope,
                            double *size, zw_error *err) {
    zw_event_orbits *o = w->o;
    zw_flow *flow = o->stage[w->stage]->flow;
    zw_arena_mark mark = zw_arena_mark_now(&o->arena);
    double *at = ZW_NEW(&o->arena, double, 2 * o->nx + 1);
    *slope = *size = 0;
    if (!at)
        return zw_out_of_memory(err, NULL);
    double *rate = at + o->nx;
    ZW_TRY(zw_segmented_set(o, w->memory, w->value, o->now, err));
    ZW_TRY(zw_flow_set_parameters(flow, o->now, err));
    ZW_TRY(zw_flow_rates(flow, w->t, x, rate, NULL, err));
    for (int i = 0; i <= o->nx; i++) {
        double h = DIFFERENCE_STEP * (1 + fabs(i < o->nx ? x[i] : w->t)), value[2];
        for (int side = 0; side < 2; side++) {
            double by = side ? -h : h;
            memcpy(at, x, sizeof(double) * (size_t)o->nx);
            if (i < o->nx)
                at[i] += by;
            ZW_TRY(zw_segmented_event(o, w->stage, event, i < o->nx ? w->t : w->t + by, at,
                                      w->memory, w->value, &value[side], err));
        }
        double part = (value[0] - value[1]) / (2 * h) * (i < o->nx ? rate[i] : 1);
        *slope += part;
        *size += fabs(part);
    }
    zw_arena_release(&o->arena, mark);
    return ZW_OK;
}

/* ------------------------------------------------------------------------------------ rejection */

static zw_status reject_simultaneous(const zw_segmented_walk *w, int a, int b, zw_error *err) {
    const zw_event *one = &w->o->sys->event[a], *other = &w->o->sys->event[b];
    zw_fail_at(err, ZW_E_NUMERIC, other->place,
               "the events %s and %s act at one moment, t = %.10g s: an orbit through it has no "
               "segments",
               one->name, other->name, w->t);
    zw_error_hint(err, "another start, or one event that does both");
    return ZW_E_NUMERIC;
}

static zw_status reject_stop(const zw_segmented_walk *w, int event, zw_error *err) {
    const zw_event *e = &w->o->sys->event[event];
    return zw_fail_at(err, ZW_E_NUMERIC, e->place,
                      "the event %s ends the motion at t = %.10g s, before it has come back",
                      e->name, w->t);
}

/* after the event has acted: is it, or another one, about to act at once? */
static zw_status reject_immediate(zw_segmented_walk *w, int event, zw_error *err) {
    zw_event_orbits *o = w->o;
    ZW_TRY(zw_run_event_ways(o->stage[w->stage]->run, o->way, err));
    for (int k = 0; k < o->nwatch; k++) {
        int i = o->watched[k], way = o->way[i];
        const zw_event *e = &o->sys->event[i];
        bool moves = way != ZW_WAY_NONE && way != ZW_WAY_REST;
        if (!moves || !e->direction || (way > 0 ? 1 : -1) != e->direction)
            continue;
        bool crosses = way == ZW_WAY_UP || way == ZW_WAY_DOWN;
        double slope, size;
        if (crosses == (i == event))
            continue; /* it has crossed; another one at rest at zero may still act later */
        if (i != event) {
            ZW_TRY(find_slope(w, i, w->x, &slope, &size, err));
            if (!(fabs(slope) > SLOPE_ZERO * size))
                continue;
        }
        if (i != event)
            return reject_simultaneous(w, event, i, err);
        zw_fail_at(err, ZW_E_NUMERIC, e->place,
                   "the event %s has no lasting effect: at t = %.10g s its function stays at zero "
                   "and is about to move on (sticking)",
                   e->name, w->t);
        zw_error_hint(err, "let the event switch on a constraint that keeps the function at zero");
        return ZW_E_NUMERIC;
    }
    return ZW_OK;
}

static zw_status reject_accumulation(zw_segmented_walk *w, int event, zw_error *err) {
    double end;
    if (!zw_accumulates(&w->accumulation, event, w->t, &end))
        return ZW_OK;
    const zw_event *e = &w->o->sys->event[event];
    zw_fail_at(err, ZW_E_NUMERIC, e->place,
               "the event %s accumulates at t = %.10g s: an orbit with infinitely many events is "
               "not followed",
               e->name, end);
    zw_error_hint(err, "an event that switches a constraint on when the jumps are small makes them "
                       "finitely many");
    return ZW_E_NUMERIC;
}

/* --------------------------------------------------------------------------------------- events */

/* the direction in which the event function crosses zero at the present state */
static zw_status find_direction(zw_segmented_walk *w, int event, int *direction, zw_error *err) {
    zw_event_orbits *o = w->o;
    double slope, size;
    *direction = o->sys->event[event].period ? 1 : o->sys->event[event].direction;
    if (*direction)
        return ZW_OK;
    ZW_TRY(find_slope(w, event, zw_run_state(o->stage[w->stage]->run), &slope, &size, err));
    *direction = slope >= 0 ? 1 : -1;
    return ZW_OK;
}

static zw_status record_event(zw_segmented_walk *w, int event, int direction, int from,
                              zw_error *err) {
    zw_event_orbits *o = w->o;
    if (!w->keeps)
        return ZW_OK;
    if (!zw_arena_grow(&o->arena, (void **)&w->act, w->nact, &w->capacity, sizeof *w->act))
        return zw_out_of_memory(err, NULL);
    zw_segmented_act *a = &w->act[w->nact];
    *a = (zw_segmented_act){
        .t = w->t, .event = event, .direction = direction, .from = from, .to = w->stage};
    a->x = ZW_NEW(&o->arena, double, o->nx + 1);
    a->memory = ZW_NEW(&o->arena, double, o->nmemory + 1);
    if (o->arena.failed)
        return zw_out_of_memory(err, NULL);
    memcpy(a->x, w->x, sizeof(double) * (size_t)o->nx);
    memcpy(a->memory, w->memory, sizeof(double) * (size_t)o->nmemory);
    w->nact++;
    return ZW_OK;
}

static zw_status apply_event(zw_segmented_walk *w, int event, zw_error *err) {
    zw_event_orbits *o = w->o;
    zw_run *run = o->stage[w->stage]->run;
    int direction, from = w->stage, next;
    ZW_TRY(find_direction(w, event, &direction, err));
    ZW_TRY(zw_run_armed(run, w->side, err));
    w->side[event].fired |= !o->sys->event[event].period;
    w->armed = true;
    ZW_TRY(zw_segmented_act_on(o, w->stage, event, w->t, zw_run_state(run), w->memory, w->value,
                               w->x, w->memory, &next, err));
    w->stage = next;
    ZW_TRY(record_event(w, event, direction, from, err));
    if (!o->sys->event[event].period)
        ZW_TRY(reject_accumulation(w, event, err));
    ZW_TRY(start_run(w, err));
    return reject_immediate(w, event, err);
}

/* does the function cross zero here, or only stay at zero? */
static bool is_crossing(const zw_segmented_walk *w, int event) {
    int way = w->o->way[event];
    return way == ZW_WAY_UP || way == ZW_WAY_DOWN;
}

/* the events at this time, of which the run reported `first`: the one that acts, -1 if none does */
static zw_status gather_events(zw_segmented_walk *w, int first, int *acts, zw_error *err) {
    zw_run *run = w->o->stage[w->stage]->run;
    *acts = -1;
    for (int event = first; event >= 0;) {
        const zw_event *e = &w->o->sys->event[event];
        if (e->stop)
            return reject_stop(w, event, err);
        if (e->naction && *acts >= 0) {
            ZW_TRY(zw_run_event_ways(run, w->o->way, err));
            if (is_crossing(w, *acts) && is_crossing(w, event))
                return reject_simultaneous(w, *acts, event, err);
            if (is_crossing(w, event))
                *acts = event; /* a function that a constraint keeps at zero fires by round-off */
        } else if (e->naction) {
            *acts = event;
        }
        if (zw_run_advance(run, w->t, &event, NULL) != ZW_EVENT)
            break;
    }
    return ZW_OK;
}

/* -------------------------------------------------------------------------------------- the run */

static zw_status on_piece(void *user, zw_run *run, double t0, double t1, zw_error *err) {
    zw_segmented_walk *w = user;
    (void)t0;
    if (w->measures) {
        double *x = w->o->rate;
        ZW_TRY(zw_run_dense(run, t1, x, err));
        for (int i = 0; i < w->o->nx; i++) {
            w->low[i] = fmin(w->low[i], x[i]);
            w->high[i] = fmax(w->high[i], x[i]);
        }
    }
    if (++w->steps >= w->steps_max)
        zw_run_pause(run);
    return ZW_OK;
}

/* the next tick of a clock that acts, after t; its event in *event */
static zw_status next_tick(zw_segmented_walk *w, double *tick, int *event, zw_error *err) {
    zw_event_orbits *o = w->o;
    *tick = INFINITY;
    if (!o->clocks)
        return ZW_OK;
    ZW_TRY(zw_segmented_set(o, w->memory, w->value, o->now, err));
    for (int i = 0; i < o->sys->nevent; i++) {
        const zw_event *e = &o->sys->event[i];
        double period, phase;
        if (!e->period || !e->naction)
            continue;
        ZW_TRY(zw_system_event_clock(o->sys, i, o->now, &period, &phase, err));
        double passed = (w->t - phase) / period, /* at the start the clock may tick at once */
            k = fmax(0,
                     w->fresh ? ceil(passed - TICK_ROUNDOFF) : floor(passed + TICK_ROUNDOFF) + 1),
               at = phase + k * period;
        if (at < *tick - TICK_ROUNDOFF * period) {
            *tick = at;
            *event = i;
        } else if (at < *tick + TICK_ROUNDOFF * period) {
            return reject_simultaneous(w, *event, i, err);
        }
    }
    return ZW_OK;
}

zw_status zw_segmented_walk_on(zw_segmented_walk *w, double until, int acts, zw_error *err) {
    zw_event_orbits *o = w->o;
    zw_status status = start_run(w, err);
    int begun = w->nact, clock = -1;
    while (status >= 0 && w->t < until && w->steps < w->steps_max &&
           !(acts && w->nact - begun >= acts)) {
        zw_run *run = o->stage[w->stage]->run;
        int event = -1, found = -1;
        double tick;
        if ((status = next_tick(w, &tick, &clock, err)) < 0)
            break;
        double to = fmin(until, tick);
        zw_run_on_piece(run, on_piece, w);
        zw_run_lead_to(run, to);
        status = zw_run_advance(run, to, &event, err);
        zw_run_on_piece(run, NULL, NULL);
        if (status < 0)
            break;
        w->t = zw_run_time(run);
        if (status == ZW_EVENT)
            status = gather_events(w, event, &found, err);
        else if (w->t >= tick && tick < until)
            found = clock;
        w->fresh = false;
        if (status >= 0 && found >= 0) {
            status = apply_event(w, found, err);
            continue;
        }
        w->armed = false;
        if (status >= 0)
            memcpy(w->x, zw_run_state(run), sizeof(double) * (size_t)o->nx);
        o->stopped |= o->options.stop && o->options.stop(o->options.stop_user, 0);
        if (o->stopped)
            return ZW_STOPPED;
    }
    return status < 0 ? status : ZW_OK;
}
