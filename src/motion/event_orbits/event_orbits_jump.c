/* SPDX-License-Identifier: MIT */
/* The effect of an event on a state, as an equation: the values that the event sets are those just
 * before it; then the state is projected onto the active constraints, with the values that were set
 * unchanged (as src/sim/act.c does in runs): positions by the shortest way in the metric of the
 * mass matrix, velocities by the plastic impact on the constraints that they violate. */
#include <math.h>
#include <string.h>

#include "event_orbits.h"
#include "num/flow/flow.h"

/* Relative to 1 + |x|: largest jump of a coordinate where an event switches a constraint on. The
 * event is located to about 1e-9; a jump by more would be an unphysical displacement. */
#define POSITION_JUMP_MAX 1e-6

/* the nearest zero of a value that repeats */
static double nearest_zero(double value, double repeat) {
    return repeat > 0 ? value - repeat * round(value / repeat) : value;
}

static zw_status set_stage_parameters(zw_event_orbits *o, int stage, const double *memory,
                                      double value, zw_error *err) {
    zw_flow *flow = o->stage[stage]->flow;
    ZW_TRY(zw_segmented_set(o, memory, value, o->now, err));
    if (memcmp(zw_flow_parameters(flow), o->now, sizeof(double) * (size_t)o->sys->np) == 0)
        return ZW_OK;
    return zw_flow_set_parameters(flow, o->now, err);
}

zw_status zw_segmented_event(void *self, int stage, int event, double t, const double *x,
                             const double *memory, double value, double *sigma, zw_error *err) {
    zw_event_orbits *o = self;
    double period, phase;
    ZW_TRY(set_stage_parameters(o, stage, memory, value, err));
    if (event >= o->sys->nevent) {
        ZW_TRY(zw_flow_events(o->stage[stage]->flow, t, x, o->evt, err));
        *sigma = o->evt[event];
        return ZW_OK;
    }
    if (o->sys->event[event].period) {
        ZW_TRY(zw_system_event_clock(o->sys, event, o->now, &period, &phase, err));
        *sigma = nearest_zero(t - phase, period);
        return ZW_OK;
    }
    ZW_TRY(zw_flow_events(o->stage[stage]->flow, t, x, o->evt, err));
    ZW_TRY(zw_segmented_repeats(o, o->now, err));
    *sigma = nearest_zero(o->evt[event], o->repeat[event]);
    return ZW_OK;
}

zw_status zw_segmented_watch_events(void *self, int stage, double t, const double *x, double *value,
                                    zw_error *err) {
    zw_event_orbits *o = self;
    ZW_TRY(zw_flow_events(o->stage[stage]->flow, t, x, o->evt, err));
    for (int i = 0; i < o->nwatch; i++)
        value[i] = o->evt[o->watched[i]];
    return ZW_OK;
}

/* the index of the first value of an event among those that all events set */
static int first_value(const zw_system *s, int event) {
    int n = 0;
    for (int i = 0; i < event; i++)
        for (int k = 0; k < s->event[i].naction; k++)
            n += s->event[i].action[k].kind == ZW_ACTION_SET;
    return n;
}

static void set_symbol(zw_event_orbits *o, zw_expr what, double value, double *x, double *memory,
                       bool *moves) {
    const zw_system *s = o->sys;
    for (int i = 0; i < o->nmemory; i++)
        if (s->param[o->memory[i]].sym == what) {
            memory[i] = value;
            *moves = true;
        }
    for (int i = 0; i < s->nq; i++)
        if (s->coord[i].sym == what) {
            x[i] = value;
            o->fixed[i] = *moves = true;
        }
    for (int i = 0; i < s->nv; i++)
        if (s->velocity[i].sym == what) {
            x[s->nq + i] = value;
            o->fixed[s->nq + i] = true;
        }
}

/* values and switches, without the constraints; o->want: constraints that are active afterwards */
static zw_status apply_event(zw_event_orbits *o, int stage, int event, double t, const double *x,
                             const double *memory, double value, double *after,
                             double *memory_after, bool *moves, zw_error *err) {
    const zw_system *s = o->sys;
    const zw_event *e = &s->event[event];
    zw_flow *flow = o->stage[stage]->flow;
    *moves = false;
    ZW_TRY(set_stage_parameters(o, stage, memory, value, err));
    ZW_TRY(zw_flow_rates(flow, t, x, o->rate, o->z, err));
    if (zw_flow_kernel(flow)->nact > 0)
        memcpy(o->values, zw_at_act(flow, t, x, o->z).value,
               sizeof(double) * (size_t)zw_flow_kernel(flow)->nact);
    memmove(after, x, sizeof(double) * (size_t)o->nx);
    memmove(memory_after, memory, sizeof(double) * (size_t)o->nmemory);
    memset(o->fixed, 0, sizeof(bool) * (size_t)o->nx);
    memcpy(o->want, o->stage[stage]->on, sizeof(bool) * (size_t)s->nconstraint);
    const double *values = o->values + first_value(s, event);
    for (int k = 0; k < e->naction; k++) {
        const zw_action *a = &e->action[k];
        if (a->kind == ZW_ACTION_SET && !isfinite(*values))
            return zw_fail_at(err, ZW_E_NONFINITE, a->place,
                              "the event %s sets %s to a value that is not finite", e->name,
                              zw_expr_name(s->ctx, a->what));
        if (a->kind == ZW_ACTION_SET)
            set_symbol(o, a->what, *values++, after, memory_after, moves);
        else
            o->want[a->constraint] = a->kind == ZW_ACTION_ON;
    }
    return ZW_OK;
}

static zw_status project_state(zw_event_orbits *o, int next, double t, double *x,
                               const double *memory, double value, zw_error *err) {
    ZW_TRY(set_stage_parameters(o, next, memory, value, err));
    return zw_flow_project(o->stage[next]->flow, t, x, o->fixed, err);
}

zw_status zw_segmented_slack(void *self, int segment, int stage, int event, int next, double t,
                             const double *x, const double *memory, double value, double *slack,
                             zw_error *err) {
    zw_event_orbits *o = self;
    const zw_segmented_signature *s = &o->now_signature;
    (void)stage;
    (void)next;
    *slack = NAN;
    if (event < o->sys->nevent)
        return ZW_OK;
    memcpy(o->after, x, sizeof(double) * (size_t)o->nx);
    return zw_segmented_contact_jump(o, s->touching[segment], s->pattern[segment], t, o->after,
                                     memory, value, slack, err);
}

zw_status zw_segmented_jump(void *self, int segment, int stage, int event, int next, double t,
                            const double *x, const double *memory, double value, double *after,
                            double *memory_after, zw_error *err) {
    zw_event_orbits *o = self;
    bool moves;
    if (event >= o->sys->nevent) {
        const zw_segmented_signature *s = &o->now_signature;
        double slack;
        memmove(after, x, sizeof(double) * (size_t)o->nx);
        memmove(memory_after, memory, sizeof(double) * (size_t)o->nmemory);
        memset(o->fixed, 0, sizeof(bool) * (size_t)o->nx);
        ZW_TRY(zw_segmented_contact_jump(o, s->touching[segment], s->pattern[segment], t, after,
                                         memory, value, &slack, err));
        return project_state(o, next, t, after, memory, value, err);
    }
    ZW_TRY(apply_event(o, stage, event, t, x, memory, value, after, memory_after, &moves, err));
    return project_state(o, next, t, after, memory_after, value, err);
}

zw_status zw_segmented_act_on(zw_event_orbits *o, int stage, int event, double t, const double *x,
                              const double *memory, double value, double *after,
                              double *memory_after, int *next, zw_error *err) {
    const zw_system *s = o->sys;
    bool moves;
    ZW_TRY(apply_event(o, stage, event, t, x, memory, value, after, memory_after, &moves, err));
    ZW_TRY(zw_segmented_stage_of(o, o->want, NULL, next, err));
    ZW_TRY(project_state(o, *next, t, after, memory_after, value, err));
    for (int i = 0; i < s->nq && !moves; i++)
        if (!(fabs(after[i] - x[i]) <= POSITION_JUMP_MAX * (1 + fabs(x[i])))) {
            zw_fail_at(err, ZW_E_START, s->event[event].place,
                       "the event %s switches a constraint on that does not hold there, at t = "
                       "%.10g s: %s would jump by %.3g %s",
                       s->event[event].name, t, s->coord[i].name, after[i] - x[i],
                       s->coord[i].unit);
            zw_error_hint(err, "switch it on where it is satisfied, or set the coordinates too");
            return ZW_E_START;
        }
    return ZW_OK;
}
