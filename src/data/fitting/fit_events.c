/* SPDX-License-Identifier: MIT */
/* Motions through events with actions: they set values of the state x and of parameters (the
 * memory m), and switch constraints. At sigma(t, x, m, p) = 0, (x, m) becomes R(t, x, m, p).
 * Unknowns that change x by Y, m by M and p by P just before it change the time of the event by
 *
 *   dT = -(sigma_x Y + sigma_m M + sigma_p P)/(sigma_t + sigma_x f-),
 *
 * and after it, with the rates f+ there (those of m are zero),
 *
 *   (Y, M) <- R_x Y + R_m M + R_p P - ((f+, 0) - R_x f- - R_t) dT
 *
 * (M. di Bernardo et al., Piecewise-smooth Dynamical Systems, 2008, 2.5, with parameters).
 * Between events M is constant and adds f_m M to Y': solutions Z of Z' = J Z + f_m, zero after
 * the last event, are integrated together with Y, which is Y + Z M. sigma and R are algebra:
 * their derivatives are central differences of fourth order. The actions of events are defined
 * in src/sim/act.c.
 *
 * This is not valid where sigma touches zero without passing it, or where two events coincide: both
 * are errors here. */
#include <math.h>
#include <string.h>

#include "base/arena.h"
#include "base/tolerance.h"
#include "fit.h"
#include "num/flow/flow.h"
#include "num/run_jumps.h"

enum { ACTS_MOST = 100000 }; /* events of a motion: more are infinitely many impacts */
/* of sizes: error 1e-12 by the fourth order, and 1e-13 by round-off */
#define DIFFERENCE_STEP 1e-3
/* Relative to the sum of the terms of the rate of sigma. Chosen by trial: above the error of the
 * differences, below every crossing that can be located. */
#define GRAZING_RATE 1e-8
/* relative distance of a coordinate from its constraint when this is switched on: the accuracy of
 * located events */
#define EVENT_LOCATION 1e-6
#define SIZE_OF_MEMORY 1e-3 /* in SI units: least size of a memory, whose value may be zero */
/* of the scale of a parameter: least size where its value is about zero */
#define SIZE_AT_ZERO 1e-3
/* of the size of an entry in a short time: least term of the rate of sigma */
#define SLOWEST_CHANGE 1e-3

static size_t doubles(int n) {
    return sizeof(double) * (size_t)n;
}

/* ---- events with actions ---- */

static zw_status note_action(zw_fit *f, const zw_event *e, const zw_action *a, zw_error *err) {
    const zw_system *s = f->sys;
    zw_fit_events *v = &f->events;
    if (a->kind == ZW_ACTION_VARIANT) {
        zw_fail_at(err, ZW_E_OPTION, a->place,
                   "a fit cannot switch to another variant, as the event %s does", e->name);
        zw_error_hint(err, "fit the parts between such events, each as a separate experiment");
        return ZW_E_OPTION;
    }
    v->has_memory |= a->kind != ZW_ACTION_SET;
    for (int i = 0; i < s->np && a->kind == ZW_ACTION_SET; i++) {
        if (s->param[i].sym != a->what)
            continue;
        for (int j = 0; j < f->P; j++)
            if (f->param[j].index == i)
                return zw_fail_at(err, ZW_E_OPTION, a->place, "--fit %s: the event %s sets it",
                                  f->param[j].name, e->name);
        v->has_memory = true;
        bool known = false;
        for (int k = 0; k < v->nmemory; k++)
            known |= v->memory[k] == i;
        if (!known)
            v->memory[v->nmemory++] = i;
    }
    return ZW_OK;
}

zw_status zw_fit_events_find(zw_fit *f, zw_error *err) {
    const zw_system *s = f->sys;
    zw_fit_events *v = &f->events;
    v->memory = ZW_NEW(&f->arena, int, s->np + 1);
    v->acts = ZW_NEW(&f->arena, bool, s->nevent + 1);
    if (f->arena.failed)
        return zw_out_of_memory(err, NULL);
    for (int i = 0; i < s->nevent; i++) {
        const zw_event *e = &s->event[i];
        for (int k = 0; k < e->naction; k++)
            ZW_TRY(note_action(f, e, &e->action[k], err));
        v->any |= e->naction > 0;
        v->acts[i] = e->naction > 0 && !e->period;
        v->clocks |= e->naction > 0 && e->period;
    }
    f->npar = f->P + v->nmemory;
    return ZW_OK;
}

/* Does parameter i depend on parameter j, possibly through others? */
static bool is_made_of(const zw_system *s, int i, int j) {
    if (zw_depends(s->ctx, s->param[i].value, s->param[j].sym))
        return true;
    for (int k = 0; k < s->np; k++)
        if (k != i && zw_depends(s->ctx, s->param[i].value, s->param[k].sym) && is_made_of(s, k, j))
            return true;
    return false;
}

/* A memory whose initial value depends on free parameters would depend on them in two ways. */
static zw_status reject_made(const zw_fit *f, zw_error *err) {
    for (int i = 0; i < f->events.nmemory; i++)
        for (int j = 0; j < f->P; j++)
            if (is_made_of(f->sys, f->events.memory[i], f->param[j].index))
                return zw_fail(err, ZW_E_OPTION,
                               "--fit %s: %s depends on it, and an event sets that",
                               f->param[j].name, f->sys->param[f->events.memory[i]].name);
    return ZW_OK;
}

zw_status zw_fit_events_open(zw_fit *f, zw_error *err) {
    zw_arena *m = &f->arena;
    zw_fit_events *v = &f->events;
    int nx = f->nx, n = f->sys->nevent, state = nx + v->nmemory;
    v->m = ZW_NEW(m, double, v->nmemory + 1);
    v->M = ZW_NEW(m, double, v->nmemory *(nx + f->P) + 1);
    v->active_after = ZW_NEW(m, bool, f->sys->nconstraint + 1);
    v->fixed = ZW_NEW(m, bool, nx + 1);
    v->x = ZW_NEW(m, double, nx + 1);
    v->rate = ZW_NEW(m, double, 2 * nx + 1);
    v->evt = ZW_NEW(m, double, n + 1);
    v->repeat = ZW_NEW(m, double, n + 1);
    v->way = ZW_NEW(m, int, n + 1);
    v->side = ZW_NEW(m, zw_event_side, n + 1);
    v->seen = ZW_NEW(m, double, nx + 1);
    v->point = ZW_NEW(m, double, state + f->P + 5 * (1 + state) + 1);
    v->slope = ZW_NEW(m, double, (1 + state) * (1 + state + f->P) + nx + f->P + state + 1);
    if (m->failed)
        return zw_out_of_memory(err, NULL);
    if (v->any && f->kernel->nx != f->sys->nq + f->sys->nv)
        return zw_fail(err, ZW_E_OPTION,
                       "--by %s: events act on the state of the model, and these equations have "
                       "another one",
                       f->principle);
    return reject_made(f, err);
}

/* ---------------------------------------------------------------------------------- sigma and R */

/* A value that repeats from zero to zero: the nearest one. */
static double nearest_zero(double value, double repeat) {
    return repeat > 0 ? value - repeat * round(value / repeat) : value;
}

static zw_status find_repeats(zw_fit *f, const double *p, zw_error *err) {
    zw_system_event_repeats(f->sys, p, f->events.repeat);
    return zw_context_status(f->sys->ctx, err); /* it has no status */
}

static zw_status sigma_at(zw_fit *f, int event, zw_flow *flow, double t, const double *x,
                          double *sigma, zw_error *err) {
    const double *p = zw_flow_parameters(flow);
    double period, phase;
    if (f->sys->event[event].period) {
        ZW_TRY(zw_system_event_clock(f->sys, event, p, &period, &phase, err));
        *sigma = nearest_zero(t - phase, period);
        return ZW_OK;
    }
    ZW_TRY(zw_flow_events(flow, t, x, f->events.evt, err));
    ZW_TRY(find_repeats(f, p, err));
    *sigma = nearest_zero(f->events.evt[event], f->events.repeat[event]);
    return ZW_OK;
}

zw_status zw_fit_events_near(zw_fit *f, double t, const double *x, double *out, zw_error *err) {
    ZW_TRY(zw_flow_events(f->second_flow, t, x, f->events.evt, err));
    ZW_TRY(find_repeats(f, zw_flow_parameters(f->second_flow), err));
    for (int i = 0; i < f->sys->nevent; i++)
        out[i] = f->events.acts[i] ? fabs(nearest_zero(f->events.evt[i], f->events.repeat[i])) : 0;
    return ZW_OK;
}

static zw_status set_parameters(zw_fit *f, zw_flow *flow, const double *value, const double *memory,
                                zw_error *err) {
    ZW_TRY(zw_fit_parameters_at(f, f->now, value, memory, f->p_second, err));
    if (memcmp(zw_flow_parameters(flow), f->p_second, doubles(f->sys->np)) == 0)
        return ZW_OK;
    return zw_flow_set_parameters(flow, f->p_second, err);
}

/* Position of the values of an event among those that all events set. */
static int first_value(const zw_system *s, int event) {
    int n = 0;
    for (int i = 0; i < event; i++)
        for (int k = 0; k < s->event[i].naction; k++)
            n += s->event[i].action[k].kind == ZW_ACTION_SET;
    return n;
}

/* After the event: x, then m. */
static void set_symbol(zw_fit *f, zw_expr what, double value, double *after) {
    const zw_system *s = f->sys;
    for (int i = 0; i < f->events.nmemory; i++)
        if (s->param[f->events.memory[i]].sym == what)
            after[f->nx + i] = value;
    for (int i = 0; i < s->nq + s->nv; i++)
        if ((i < s->nq ? s->coord[i].sym : s->velocity[i - s->nq].sym) == what) {
            after[i] = value;
            f->events.fixed[i] = true;
        }
}

/* The actions of an event at the present stage, all at once; v->want: the constraints
 * afterwards. */
static zw_status apply_event(zw_fit *f, int event, zw_flow *flow, double t, const double *x,
                             double *after, zw_error *err) {
    const zw_event *e = &f->sys->event[event];
    zw_fit_events *v = &f->events;
    ZW_TRY(zw_flow_rates(flow, t, x, v->rate, v->z, err));
    const double *value = zw_flow_kernel(flow)->nact > 0
                              ? zw_at_act(flow, t, x, v->z).value + first_value(f->sys, event)
                              : NULL;
    memset(v->fixed, 0, sizeof(bool) * (size_t)f->nx);
    memcpy(v->active_after, f->stage[f->at]->on, sizeof(bool) * (size_t)f->sys->nconstraint);
    for (int k = 0; k < e->naction; k++) {
        const zw_action *a = &e->action[k];
        if (a->kind != ZW_ACTION_SET)
            v->active_after[a->constraint] = a->kind == ZW_ACTION_ON;
        else if (!isfinite(*value))
            return zw_fail_at(err, ZW_E_NONFINITE, a->place,
                              "the event %s sets %s to a value that is not finite, at t = %.10g",
                              e->name, zw_expr_name(f->sys->ctx, a->what), t);
        else
            set_symbol(f, a->what, *value++, after);
    }
    return ZW_OK;
}

/* sigma, then (x, m) after the event in stage `next`; z: x, then m before it. */
static zw_status state_after_event(zw_fit *f, int event, int next, double t, const double *z,
                                   const double *value, double *out, zw_error *err) {
    int nx = f->nx;
    double *after = out + 1;
    zw_flow *flow = f->stage[f->at]->second_flow, *there = f->stage[next]->second_flow;
    ZW_TRY(set_parameters(f, flow, value, z + nx, err));
    ZW_TRY(sigma_at(f, event, flow, t, z, out, err));
    memcpy(after, z, doubles(nx + f->events.nmemory));
    ZW_TRY(apply_event(f, event, flow, t, z, after, err));
    ZW_TRY(set_parameters(f, there, value, after + nx, err));
    return zw_flow_project(there, t, after, f->events.fixed, err);
}

/* ---------------------------------------------------------------------------------- derivatives */

/* Derivative at 0 of samples at -2h, -h, h, 2h. */
static double difference_slope(const double *f, int stride, double h) {
    return (8 * (f[2 * stride] - f[stride]) - (f[3 * stride] - f[0])) / (12 * h);
}

/* A short time, given by the sampling of the data. */
static double short_time(const zw_fit_experiment *e) {
    return (e->t[e->nrow - 1] - e->t[0]) / (e->nrow - 1);
}

/* Derivatives of (sigma, x, m) after the event: columns with respect to t, x, m, p of D, 1 + nx +
 * nmemory rows. */
static zw_status difference_jump(zw_fit *f, int event, int next, double t, const double *z,
                                 const double *f_before, double *D, zw_error *err) {
    static const double at[4] = {-2, -1, 1, 2};
    zw_fit_events *v = &f->events;
    int nx = f->nx, state = nx + v->nmemory, rows = 1 + state, columns = 1 + state + f->P;
    double *point = v->point, *value = point + state, *sample = value + f->P,
           brief = short_time(f->now);
    for (int c = 0; c < columns; c++) {
        int i = c - 1, j = i - state;
        double size = c == 0      ? brief
                      : i < nx    ? fmax(v->seen[i], fabs(f_before[i]) * brief)
                      : i < state ? fmax(fabs(z[i]), SIZE_OF_MEMORY)
                                  : fmax(fabs(f->now->tried[j]), SIZE_AT_ZERO * f->param[j].scale);
        double h = DIFFERENCE_STEP * (size > 0 ? size : 1);
        for (int k = 0; k < 4; k++) {
            memcpy(point, z, doubles(state));
            memcpy(value, f->now->tried, doubles(f->P));
            if (i >= state)
                value[j] += at[k] * h;
            else if (i >= 0)
                point[i] += at[k] * h;
            ZW_TRY(state_after_event(f, event, next, c == 0 ? t + at[k] * h : t, point, value,
                                     sample + k * rows, err));
        }
        for (int r = 0; r < rows; r++)
            D[r * columns + c] = difference_slope(sample + r, rows, h);
    }
    return ZW_OK;
}

void zw_fit_fold(const zw_fit *f, double *Y) {
    int nm = f->events.nmemory, all = f->trail.n, n = all - nm;
    if (nm == 0)
        return;
    for (int i = 0; i < f->nx; i++) {
        const double *Z = Y + (size_t)i * (size_t)all + n;
        for (int j = 0; j < n; j++) {
            double sum = Y[i * all + j];
            for (int k = 0; k < nm; k++)
                sum += Z[k] * f->events.M[k * n + j];
            Y[i * n + j] = sum;
        }
    }
}

/* The reverse: columns of the memory that begin at zero. */
static void append_memory(zw_fit *f) {
    int nm = f->events.nmemory, all = f->trail.n, n = all - nm;
    double *Y = f->trail.Y;
    for (int i = f->nx - 1; i >= 0 && nm > 0; i--) {
        memmove(Y + (size_t)i * (size_t)all, Y + (size_t)i * (size_t)n, doubles(n));
        memset(Y + (size_t)i * (size_t)all + n, 0, doubles(nm));
    }
}

/* Variations after the event, by D (see difference_jump) and the rates on both sides. */
static void multiply_disturbances(zw_fit *f, const double *D, const double *before,
                                  const double *after, double rate, double *scratch) {
    zw_fit_events *v = &f->events;
    int nx = f->nx, nm = v->nmemory, state = nx + nm, width = 1 + state + f->P, n = f->trail.n - nm;
    double *Y = f->trail.Y;
    for (int c = 0; c < n; c++) {
        double *dz = scratch, *out = scratch + state;
        int j = c - (n - f->P); /* of a parameter, if it is one */
        for (int i = 0; i < state; i++)
            dz[i] = i < nx ? Y[i * n + c] : v->M[(i - nx) * n + c];
        double moved = j >= 0 ? D[1 + state + j] : 0;
        for (int i = 0; i < state; i++)
            moved += D[1 + i] * dz[i];
        double dT = -moved / rate;
        for (int r = 0; r < state; r++) {
            const double *row = D + (size_t)(r + 1) * (size_t)width;
            double carried = j >= 0 ? row[1 + state + j] : 0, flown = row[0];
            for (int i = 0; i < state; i++)
                carried += row[1 + i] * dz[i];
            for (int i = 0; i < nx; i++)
                flown += row[1 + i] * before[i];
            out[r] = carried - ((r < nx ? after[r] : 0) - flown) * dT;
        }
        for (int i = 0; i < nx; i++)
            Y[i * n + c] = out[i];
        for (int i = 0; i < nm; i++)
            v->M[i * n + c] = out[nx + i];
    }
}

static zw_status pass_event(zw_fit *f, int event, int next, double t, const double *z,
                            const double *state_after, zw_error *err) {
    int nx = f->nx, state = nx + f->events.nmemory;
    zw_arena_mark mark = zw_arena_mark_now(&f->arena);
    double *scratch = ZW_NEW(&f->arena, double, 2 * nx + 2 * state + 1), *D = f->events.slope;
    if (!scratch)
        return zw_out_of_memory(err, NULL);
    double *before = scratch, *after = scratch + nx;
    ZW_TRY(zw_flow_rates(f->leg.flow, t, z, before, NULL, err)); /* in the modes before the event */
    ZW_TRY(zw_flow_rates(f->stage[next]->second_flow, t, state_after, after, NULL, err));
    ZW_TRY(difference_jump(f, event, next, t, z, before, D, err));
    double rate = D[0], size = fabs(D[0]);
    for (int i = 0; i < nx; i++) {
        rate += D[1 + i] * before[i];
        size += fabs(D[1 + i]) *
                fmax(fabs(before[i]), f->events.seen[i] / short_time(f->now) * SLOWEST_CHANGE);
    }
    if (!(fabs(rate) > GRAZING_RATE * size))
        return zw_fail_at(err, ZW_E_NUMERIC, f->sys->event[event].place,
                          "the motion grazes the event %s at t = %.10g: there are no derivatives",
                          f->sys->event[event].name, t);
    zw_fit_fold(f, f->trail.Y);
    multiply_disturbances(f, D, before, after, rate, after + nx);
    append_memory(f);
    zw_arena_release(&f->arena, mark);
    return ZW_OK;
}

/* ---- the motion ---- */

static zw_status reject_simultaneous(const zw_fit *f, int a, int b, double t, zw_error *err) {
    return zw_fail_at(err, ZW_E_NUMERIC, f->sys->event[b].place,
                      "the events %s and %s act at one moment, t = %.10g: there are no derivatives",
                      f->sys->event[a].name, f->sys->event[b].name, t);
}

static bool is_crossing(int way) {
    return way == ZW_WAY_UP || way == ZW_WAY_DOWN;
}

/* Further events at this time: one that acts and crosses zero as well is an error; one that rests
 * at zero up to round-off is ignored. */
static zw_status gather_events(zw_fit *f, double t, int *event, zw_error *err) {
    zw_run *run = f->leg.run;
    int other, *way = f->events.way;
    while (zw_run_advance(run, t, &other, NULL) == ZW_EVENT) {
        if (!f->events.acts[other] || other == *event)
            continue;
        ZW_TRY(zw_run_event_ways(run, way, err));
        bool clock = f->sys->event[*event].period;
        if ((clock || is_crossing(way[*event])) && is_crossing(way[other]))
            return reject_simultaneous(f, *event, other, t, err);
        if (is_crossing(way[other]))
            *event = other;
    }
    return ZW_OK;
}

/* The next tick of a clock with actions, after t (at t itself at the start of the motion). */
static zw_status next_tick(zw_fit *f, double t, bool fresh, double *tick, int *event,
                           zw_error *err) {
    *tick = INFINITY;
    for (int i = 0; i < f->sys->nevent && f->events.clocks; i++) {
        const zw_event *e = &f->sys->event[i];
        double period, phase;
        if (!e->period || !e->naction)
            continue;
        ZW_TRY(zw_system_event_clock(f->sys, i, zw_flow_parameters(f->second_flow), &period, &phase,
                                     err));
        double since = (t - phase) / period,
               k = fmax(0, fresh ? ceil(since - ZW_SAME_VALUE) : floor(since + ZW_SAME_VALUE) + 1),
               at = phase + k * period;
        if (at < *tick + ZW_SAME_VALUE * period && at > *tick - ZW_SAME_VALUE * period)
            return reject_simultaneous(f, *event, i, at, err);
        if (at < *tick) {
            *tick = at;
            *event = i;
        }
    }
    return ZW_OK;
}

/* A constraint is switched on where it is violated: no motion leads there. */
static zw_status check_place(const zw_fit *f, int event, double t, const double *x,
                             const double *after, zw_error *err) {
    const zw_system *s = f->sys;
    for (int i = 0; i < s->nq; i++)
        if (!f->events.fixed[i] && !(fabs(after[i] - x[i]) <= EVENT_LOCATION * (1 + fabs(x[i]))))
            return zw_fail_at(err, ZW_E_NUMERIC, s->event[event].place,
                              "the event %s switches a constraint on that does not hold there, at "
                              "t = %.10g: %s would jump by %.3g %s",
                              s->event[event].name, t, s->coord[i].name, after[i] - x[i],
                              s->coord[i].unit);
    return ZW_OK;
}

zw_status zw_fit_record_event(zw_fit *f, int node, int event, double t, zw_error *err) {
    zw_fit_experiment *e = f->now;
    if (e->nact >= ACTS_MOST)
        return zw_fail(err, ZW_E_NUMERIC, "the event %s occurs more than %d times up to t = %.10g",
                       zw_fit_event_name(f, event), ACTS_MOST, t);
    if (!zw_arena_grow(&f->lasting, (void **)&e->act, e->nact, &e->act_capacity, sizeof *e->act))
        return zw_out_of_memory(err, NULL);
    e->act[e->nact++] =
        (zw_fit_event_record){.node = node, .event = event, .t = t, .until = INFINITY};
    return ZW_OK;
}

/* The event acts on f->events.x at t; the motion continues in the next stage. */
static zw_status perform_event(zw_fit *f, int event, double t, zw_error *err) {
    zw_fit_events *v = &f->events;
    int nx = f->nx, state = nx + v->nmemory, next = f->at;
    zw_arena_mark mark = zw_arena_mark_now(&f->arena);
    double *z = ZW_NEW(&f->arena, double, 2 * state + 2);
    if (!z)
        return zw_out_of_memory(err, NULL);
    double *out = z + state;
    for (int i = 0; i < nx; i++)
        v->seen[i] = fmax(v->seen[i], fabs(v->x[i]));
    memcpy(z, v->x, doubles(nx));
    memcpy(z + nx, v->m, doubles(v->nmemory));
    ZW_TRY(zw_run_armed(f->leg.run, v->side, err));
    v->side[event].fired |= !f->sys->event[event].period;
    ZW_TRY(set_parameters(f, f->stage[f->at]->second_flow, f->now->tried, v->m, err));
    ZW_TRY(apply_event(f, event, f->stage[f->at]->second_flow, t, z, out + 1, err));
    int before = f->nstage;
    ZW_TRY(zw_fit_stage_of(f, v->active_after, &next, err));
    ZW_TRY(state_after_event(f, event, next, t, z, f->now->tried, out, err));
    if (next != f->at)
        ZW_TRY(check_place(f, event, t, z, out + 1, err));
    if (f->leg.trail) {
        ZW_TRY(pass_event(f, event, next, t, z, out + 1, err));
        ZW_TRY(set_parameters(f, f->stage[f->at]->second_flow, f->now->tried, z + nx, err));
    }
    memcpy(v->x, out + 1, doubles(nx));
    memcpy(v->m, out + 1 + nx, doubles(v->nmemory));
    zw_fit_enter(f, next);
    ZW_TRY(set_parameters(f, f->second_flow, f->now->tried, v->m, err));
    memcpy(f->p, f->p_second, doubles(f->sys->np));
    ZW_TRY(zw_run_set_parameters(f->run, f->p, err));
    if (f->nstage == before) /* a new stage is kept */
        zw_arena_release(&f->arena, mark);
    return ZW_OK;
}

static zw_status reject_accumulation(const zw_fit *f, int event, double end, zw_error *err) {
    const zw_event *e = &f->sys->event[event];
    zw_fail_at(err, ZW_E_NUMERIC, e->place,
               "the event %s accumulates at t = %.10g: a motion through infinitely many events is "
               "not followed",
               e->name, end);
    zw_error_hint(err, "data up to there, or an event that switches a constraint on when the jumps "
                       "are small");
    return ZW_E_NUMERIC;
}

/* Its function rests at zero and is about to continue in its direction: it does not hold the
 * motion. */
static zw_status reject_sticking(zw_fit *f, int event, double t, zw_error *err) {
    const zw_event *e = &f->sys->event[event];
    if (e->period || !e->direction)
        return ZW_OK;
    ZW_TRY(zw_run_event_ways(f->run, f->events.way, err));
    int way = f->events.way[event];
    if (way != (e->direction > 0 ? ZW_WAY_UP_SOON : ZW_WAY_DOWN_SOON))
        return ZW_OK;
    return zw_fail_at(err, ZW_E_NUMERIC, e->place,
                      "the event %s has no lasting effect: at t = %.10g its function stays at zero "
                      "and is about to move on",
                      e->name, t);
}

zw_status zw_fit_pass(zw_fit *f, int node, double t0, const double *x, double t1, double *end,
                      zw_error *err) {
    zw_fit_events *v = &f->events;
    zw_accumulation pile = {.last_event = -1};
    bool fresh = true;
    double t = t0, tick, over;
    int event, clock = -1;
    f->leg.side = NULL;
    if (f->contacts.used)
        return zw_fit_contacts_pass(f, node, t0, x, t1, end, err);
    if (!v->any)
        return zw_segmented_leg_run(&f->leg, t0, x, t1, end, err);
    memcpy(v->x, x, doubles(f->nx));
    for (int i = 0; i < f->nx; i++)
        v->seen[i] = fmax(v->seen[i], fabs(x[i]));
    while (t < t1) {
        ZW_TRY(next_tick(f, t, fresh && node == 0, &tick, &clock, err));
        ZW_TRY(find_repeats(f, zw_flow_parameters(f->second_flow), err));
        zw_run_event_periods(f->run, v->repeat);
        ZW_TRY(zw_segmented_leg_run_to(&f->leg, t, v->x, fmin(t1, tick), v->acts, &event, &t, end,
                                       err));
        if (event < 0 && tick < t1)
            event = clock;
        if (event < 0)
            break;
        fresh = false;
        ZW_TRY(gather_events(f, t, &event, err));
        memcpy(v->x, zw_run_state(f->leg.run), doubles(f->nx));
        ZW_TRY(zw_fit_record_event(f, node, event, t, err));
        ZW_TRY(perform_event(f, event, t, err));
        f->leg.side = v->side;
        memcpy(end, v->x, doubles(f->nx));
        if (!f->sys->event[event].period && zw_accumulates(&pile, event, t, &over))
            return reject_accumulation(f, event, over, err);
        ZW_TRY(zw_run_start(f->run, t, v->x, err));
        zw_run_arm(f->run, v->side, false);
        ZW_TRY(reject_sticking(f, event, t, err));
    }
    f->leg.side = NULL;
    return ZW_OK;
}
