/* SPDX-License-Identifier: MIT */
/* Can motions be computed in lanes? They can if the equations do not change, are smooth, and are
 * evaluated by generated code: no events that act, no contacts, no kinks, no external inputs.
 * Otherwise they are computed one by one, and the ensemble reports the reason. */
#include <stdio.h>
#include <string.h>

#include "base/arena.h"
#include "base/processor.h"
#include "internal.h"
#include "lanes/rosenbrock.h"

/* Relative tolerance from which the pair of order 5 needs fewer operations than that of order 8.
 * Chosen by trial, on the shipped models. */
#define RTOL_ORDER_5 1e-5

/* -------------------------------------------------------------------------------------
 * obstacles */

static bool is_clock(const zw_system *s, int event) {
    return s->event[event].period != ZW_NULL;
}

static bool repeat_follows(const zw_system *s, int event) {
    for (int k = 0; s->event[event].repeat && k < s->np; k++)
        if (zw_depends(s->ctx, s->event[event].repeat, s->param[k].sym))
            return true;
    return false;
}

static const char *find_event_obstacle(const zw_ensemble *e, const zw_system *s) {
    for (int i = 0; i < s->nevent; i++) {
        bool asked = s->event[i].stop;
        for (int k = 0; k < e->options.nevent; k++)
            asked = asked || e->options.event[k] == i;
        if (asked && is_clock(s, i))
            return "an event that is asked for comes by the clock";
        if (asked && repeat_follows(s, i))
            return "an event acts at each period of a coordinate, whose length depends on "
                   "parameters";
    }
    return NULL;
}

/* for stiff methods lanes have RODAS, with the same tolerances */
static bool is_stiff(const zw_run_options *o) {
    return o->method && (strcmp(o->method, "radau") == 0 || strcmp(o->method, "bdf") == 0);
}

static const char *find_option_obstacle(const zw_ensemble_options *o) {
    const char *m = o->run.method;
    if (o->run.supplied)
        return "the method is one from elsewhere";
    if (m && strcmp(m, "rk54") != 0 && strcmp(m, "rk87") != 0 && !is_stiff(&o->run))
        return "the method that is asked for has no lanes";
    if (o->run.constraints != ZW_KEEP_CHOSEN && o->run.constraints != ZW_KEEP_PROJECTION)
        return "the method of constraints does not support lanes";
    return NULL;
}

static const char *find_equation_obstacle(const zw_sim *sim) {
    const zw_kernel *k = sim->stage->kernel;
    const zw_equations *eq = &sim->stage->eq;
    if (eq->system_v || eq->from_system || eq->dependent)
        return "the principle has velocities of its own";
    if (k->nswitch > 0 || k->nmode > 0)
        return "the rates of the model have kinks or jumps";
    if (k->nu > 0)
        return "the model has external inputs";
    if (k->inequality || k->pseudo || k->unsymmetric)
        return "the equations are not solved by plain elimination";
    if (!k->unrolled && k->nz > 0)
        return "the equations are too large to be solved by generated code";
    return NULL;
}

static bool watches_events(const zw_ensemble *e) {
    const zw_system *s = e->worker->sys;
    for (int i = 0; i < s->nevent; i++)
        if (s->event[i].stop)
            return true;
    return e->options.nevent > 0;
}

static const char *find_obstacle(const zw_ensemble *e) {
    const zw_sim *sim = e->worker->sim;
    const char *why = zw_sim_drive_jumps(sim);
    why = why ? why : find_option_obstacle(&e->options);
    why = why ? why : find_equation_obstacle(sim);
    why = why ? why : find_event_obstacle(e, e->worker->sys);
    if (!why && zw_run_flow(sim->stage->run) && sim->stage->kernel->nx == 0)
        why = "the model has no state";
    const zw_kernel *k = sim->stage->kernel;
    if (!why && is_stiff(&e->options.run) &&
        (k->npos + k->nvel + k->nunit + k->nc + k->nfooting > 0 || e->options.variations > 0))
        why = "the stiff method of lanes keeps no constraints and carries no disturbances";
    if (!why && is_stiff(&e->options.run) && (e->options.spans || watches_events(e)))
        why = "the stiff method of lanes knows the ends of its steps alone";
    if (!why && e->options.variations > 0 && sim->stage->kernel->tilted)
        why = "forces depend on constraint forces, and disturbances are integrated as well";
    return why;
}

/* ---------------------------------------------------------------------- kernels, events, values */

static zw_status make_kernels(zw_ensemble *e, zw_error *err) {
    zw_lane_group *s = &e->lane_group;
    const zw_equations *eq = &e->worker->sim->stage->eq;
    zw_kernel_options options = zw_kernel_options_default();
    options.jit = e->options.jit == ZW_JIT_NEVER ? ZW_JIT_NEVER : ZW_JIT_AT_ONCE;
    options.functions = ZW_FUNCTIONS_RUN | ZW_SET(JAC) | ZW_SET(GRAD);
    zw_error missing = {0};
    zw_status status = zw_kernel_create(&s->one, eq, &options, &missing);
    if (status == ZW_E_MISSING) { /* interpreted: the same numbers, slower */
        options.jit = ZW_JIT_NEVER;
        status = zw_kernel_create(&s->one, eq, &options, err);
    } else if (status < 0 && err) {
        *err = missing;
    }
    ZW_TRY(status);
    options.functions = ZW_SET(RHS) | ZW_SET(EVT) | ZW_SET(OBS) | ZW_SET(POS) | ZW_SET(VEL) |
                        ZW_SET(MATS) | ZW_SET(METRIC) | ZW_SET(VALID) | ZW_SET(PRESS) |
                        (e->options.variations > 0 ? ZW_SET(JAC) : 0) |
                        (s->table == &zw_lanes_rodas ? ZW_SET(JAC) | ZW_SET(TIME) : 0);
    options.lanes = s->lanes;
    return zw_kernel_create(&s->kernel, eq, &options, err);
}

static zw_status list_events(zw_ensemble *e, zw_error *err) {
    zw_lane_group *s = &e->lane_group;
    const zw_system *sys = e->worker->sys;
    s->watch = ZW_NEW(&e->arena, int, sys->nevent + 1);
    s->direction = ZW_NEW(&e->arena, int, sys->nevent + 1);
    s->repeat = ZW_NEW(&e->arena, double, sys->nevent + 1);
    s->stop = ZW_NEW(&e->arena, bool, sys->nevent + 1);
    s->reported = ZW_NEW(&e->arena, bool, sys->nevent + 1);
    double *repeat = ZW_NEW(&e->arena, double, sys->nevent + 1);
    if (e->arena.failed)
        return zw_out_of_memory(err, "an ensemble");
    zw_system_event_repeats(sys, e->worker->params.model, repeat);
    for (int i = 0; i < sys->nevent; i++) {
        bool reported = false;
        for (int k = 0; k < e->options.nevent; k++)
            reported = reported || e->options.event[k] == i;
        if (!reported && !sys->event[i].stop)
            continue;
        s->repeat[s->nwatch] = repeat[i];
        s->direction[s->nwatch] = sys->event[i].direction;
        s->stop[s->nwatch] = sys->event[i].stop;
        s->reported[s->nwatch] = reported;
        s->watch[s->nwatch++] = i;
    }
    return ZW_OK;
}

static zw_status list_values(zw_ensemble *e, zw_error *err) {
    zw_lane_group *s = &e->lane_group;
    s->value = ZW_NEW(&e->arena, zw_lane_worker_value, e->options.nvalue + 1);
    if (!s->value)
        return zw_out_of_memory(err, "an ensemble");
    s->plain_values = true;
    for (int i = 0; i < e->options.nvalue; i++) {
        zw_lane_worker_value *v = &s->value[i];
        v->kind = zw_sim_drive_column(e->worker->sim, e->worker->column[i], &v->index);
        s->plain_values =
            s->plain_values &&
            (v->kind == ZW_DRIVE_TIME || v->kind == ZW_DRIVE_STATE || v->kind == ZW_DRIVE_ZERO);
    }
    return ZW_OK;
}

/* do start values or guesses contain parameters? */
static bool start_follows(const zw_system *s) {
    for (int k = 0; k < s->np; k++) {
        for (int i = 0; i < s->nstart; i++)
            if (zw_depends(s->ctx, s->start[i].value, s->param[k].sym))
                return true;
        for (int i = 0; i < s->nguess; i++)
            if (zw_depends(s->ctx, s->guess[i].value, s->param[k].sym))
                return true;
    }
    return false;
}

static zw_status build_lanes(zw_ensemble *e, zw_error *err) {
    zw_lane_group *s = &e->lane_group;
    const zw_run_options *o = &e->options.run;
    bool five = o->method ? strcmp(o->method, "rk54") == 0 : o->rtol >= RTOL_ORDER_5;
    bool stiff = is_stiff(o);
    s->table = stiff ? &zw_lanes_rodas : five ? &zw_rk_54 : &zw_rk_87;
    s->options = (zw_lanes_options){o->rtol, o->atol, o->step_max, o->steps_max};
    s->start_follows = start_follows(e->worker->sys);
    ZW_TRY(make_kernels(e, err));
    const zw_kernel *k = s->one;
    s->complete = k->npos + k->nvel + k->nunit + k->nstart_pos + k->nstart_vel > 0;
    ZW_TRY(list_events(e, err));
    ZW_TRY(list_values(e, err));
    ZW_TRY(zw_lane_worker_inertia_make(e, err));
    e->method = zw_arena_printf(&e->arena, "%s, %d lanes",
                                stiff  ? "Rosenbrock 4(3)"
                                : five ? "Runge-Kutta 5(4)"
                                       : "Runge-Kutta 8(7)",
                                s->lanes);
    e->why = "motions go side by side";
    /* interpreted functions are those of libm, which differ from native code's own */
    s->arithmetic = !zw_processor_fuses() ? "plain"
                    : s->kernel->native   ? "fused"
                                          : "fused, interpreted";
    return e->method ? ZW_OK : zw_out_of_memory(err, "an ensemble");
}

zw_status zw_lane_group_make(zw_ensemble *e, zw_error *err) {
    zw_sim_info info = zw_sim_statistics(e->worker->sim);
    e->method = zw_arena_string(&e->arena, info.method);
    e->scheme = zw_arena_string(&e->arena, info.contacts);
    const char *why =
        e->options.engine == ZW_ENSEMBLE_SINGLE ? "this was asked for" : find_obstacle(e);
    /* runs find all zeros of event functions by bounds, lanes only sample them: so only on
     * request */
    if (!why && e->options.engine == ZW_ENSEMBLE_CHOSEN && watches_events(e))
        why = "an event is watched, and lanes see its zeros by samples of each step alone";
    if (why && e->options.engine == ZW_ENSEMBLE_LANES) {
        zw_fail(err, ZW_E_OPTION, "these motions cannot go side by side in lanes: %s", why);
        zw_error_hint(err, "leave the engine at its default, or use single runs");
        return ZW_E_OPTION;
    }
    if (why) {
        e->why = zw_arena_printf(&e->arena, "motions go one by one: %s%s%s", why,
                                 info.contacts[0] ? "; contacts " : "", info.contacts);
        return e->why && e->method && e->scheme ? ZW_OK : zw_out_of_memory(err, "an ensemble");
    }
    e->lane_group.lanes = e->options.lanes > 0 ? e->options.lanes : 8;
    return build_lanes(e, err);
}

void zw_lane_group_destroy(zw_ensemble *e) {
    if (e->worker && e->worker->flow) {
        zw_flow_destroy(e->worker->flow);
        e->worker->flow = NULL;
    }
    zw_kernel_destroy(e->lane_group.kernel);
    zw_kernel_destroy(e->lane_group.one);
    e->lane_group.kernel = e->lane_group.one = NULL;
}

/* ----------------------------------------------------------------------------- memory of a
 * worker */

static zw_status allocate_slot(zw_worker *w, zw_slot *slot, zw_error *err) {
    const zw_ensemble_options *o = &w->e->options;
    const zw_system *s = w->sys;
    zw_arena *a = &w->arena;
    int nx = s->nq + s->nv;
    slot->p = ZW_NEW(a, double, s->np + 1);
    slot->p_shown = ZW_NEW(a, double, s->np + 1);
    slot->x = ZW_NEW(a, double, nx + 1);
    slot->x_shown = ZW_NEW(a, double, nx + 1);
    slot->value = ZW_NEW(a, double, o->nvalue + 1);
    slot->variation = ZW_NEW(a, double, o->variations *nx + 1);
    slot->set = ZW_NEW(a, bool, s->np + 1);
    slot->side = ZW_NEW(a, double, w->e->lane_group.nwatch + 1);
    slot->inertia.most = ZW_NEW(a, double, s->nv + 1);
    slot->memory = zw_arena_alloc(a, o->memory + 1);
    return a->failed ? zw_out_of_memory(err, "an ensemble")
                     : zw_spans_init(&slot->spans, a, o->nvalue, o->run.rtol, err);
}

zw_status zw_lane_worker_allocate(zw_worker *w, zw_error *err) {
    const zw_lane_group *s = &w->e->lane_group;
    const zw_kernel *k = s->kernel;
    zw_arena *a = &w->arena;
    int L = s->lanes, nvalue = w->e->options.nvalue;
    w->slot = ZW_NEW(a, zw_slot, L);
    w->lane_x = ZW_NEW(a, double, k->nx + 1);
    w->theta = ZW_NEW(a, double, L);
    w->dense_all = ZW_NEW(a, double, (k->nx + 1) * L);
    w->lane_out = ZW_NEW(a, double, k->nout + 2 * s->kernel->fn[ZW_FN_RHS].nout * L + 8);
    w->sample = ZW_NEW(a, double, ZW_SPAN_SAMPLES *(nvalue + s->nwatch + 1) * L);
    w->span_room = ZW_NEW(a, double, ZW_SPAN_SAMPLES *(nvalue + 1));
    w->crossing_g = ZW_NEW(a, double, s->one->nevt + 1);
    w->mats = ZW_NEW(a, double, s->inertia ? k->fn[ZW_FN_MATS].nout *L + 8 : 1);
    w->matrices = ZW_NEW(a, double, s->inertia ? (k->nv + k->nc) * k->nv + 1 : 1);
    w->pivots = ZW_NEW(a, double, s->inertia ? k->nv * k->nv + 1 : 1);
    w->rate = w->rate ? w->rate : ZW_NEW(a, double, k->nx + 1);
    w->z = w->z ? w->z : ZW_NEW(a, double, k->nz + 1);
    w->obs = w->obs ? w->obs : ZW_NEW(a, double, k->nobs + 3);
    if (a->failed)
        return zw_out_of_memory(err, "an ensemble");
    for (int i = 0; i < L; i++)
        ZW_TRY(allocate_slot(w, &w->slot[i], err));
    ZW_TRY(zw_flow_create(&w->flow, s->one, w->params.model, err));
    w->flow_version = w->version = 0;
    return zw_lanes_init(&w->lanes, a, k, s->table, &s->options, w->e->options.variations, err);
}
