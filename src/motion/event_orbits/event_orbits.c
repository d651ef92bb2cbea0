/* SPDX-License-Identifier: MIT */
/* Builds the orbits of a system with events that act: what events set (the memory), the sets of
 * active constraints (stages), and the period of an excitation or a clock. */
#include "event_orbits.h"

#include <assert.h>
#include <math.h>
#include <string.h>

#include "base/arena.h"
#include "base/option.h"
#include "base/tolerance.h"
#include "mech/equations/variants.h"
#include "motion/segments/periodic.h"
#include "num/run_jumps.h"
#include "zwang/equations.h"

enum { COMMON_MAX = 24 }; /* largest multiple of the longer of two periods */

/* Relative to the ratio of two periods: it is an integer. Parameters are printed with
 * ten digits. */
#define INTEGER_RATIO 1e-9
/* Relative to the value, or to RANGE_STEP of the range: step of sixth-order differences of the
 * period. Their error is the sixth power of it, their round-off eps/1e-3. */
#define PERIOD_STEP 1e-3
#define RANGE_STEP 1e-3
/* Relative to the range: the unit of the parameter in the arclength, in which orbits have size 1. A
 * branch then crosses the range in some tens of steps. */
#define VALUE_UNIT 0.1
/* Tolerances of the integration of segments: orbits are solved for to ZW_NEWTON. */
#define SEGMENT_RTOL 1e-12
#define SEGMENT_ATOL 1e-14

void zw_event_orbits_options_init(zw_event_orbits_options *options, size_t size) {
    const zw_event_orbits_options all = {.size = size,
                                         .order = 1,
                                         .settle = 100,
                                         .events = 300,
                                         .steps = 200000,
                                         .points_max = 2000,
                                         .step_max = 0.02,
                                         .stability = true,
                                         .normal = true,
                                         .harmonics = 1};
    zw_options_begin(options, size, &all, sizeof all);
}

zw_status zw_segmented_judge_memory(const zw_event_orbits *o, zw_status status, zw_error *err) {
    return zw_context_status(o->sys->ctx, NULL) == ZW_E_MEMORY ? zw_out_of_memory(err, NULL)
                                                               : status;
}

bool zw_event_orbits_suit(const zw_system *sys) {
    for (int i = 0; i < sys->nevent; i++)
        if (sys->event[i].naction > 0)
            return true;
    return zw_segmented_has_contacts(sys);
}

/* ----------------------------------------------------------------------------------- the number */

zw_status zw_segmented_set(void *self, const double *memory, double value, double *p,
                           zw_error *err) {
    zw_event_orbits *o = self;
    size_t bytes = sizeof(double) * (size_t)o->sys->np;
    bool same = o->set_known && o->set_start == !memory &&
                (o->set_value == value || (isnan(value) && isnan(o->set_value)));
    for (int i = 0; same && memory && i < o->nmemory; i++)
        same = o->set_memory[i] == memory[i];
    if (!same) {
        o->set_known = false;
        memcpy(o->set_p, o->p, bytes);
        if (o->has_over && !isnan(value))
            o->set_p[o->over.parameter] = value;
        for (int i = 0; memory && i < o->nmemory; i++)
            o->set_p[o->memory[i]] = o->set_memory[i] = memory[i];
        ZW_TRY(zw_system_param_follow(o->sys, memory ? o->kept : o->given, o->set_p, err));
        o->set_value = value;
        o->set_start = !memory;
        o->set_known = true;
    }
    memcpy(p, o->set_p, bytes);
    return ZW_OK;
}

/* a common period: a multiple of the longer one; 0 if there is none */
static double common_period(double a, double b) {
    double longer = fmax(a, b);
    if (!(a > 0) || !(b > 0))
        return longer;
    for (int times = 1; times <= COMMON_MAX; times++) {
        double many = times * longer / fmin(a, b);
        if (fabs(many - round(many)) < INTEGER_RATIO * many)
            return times * longer;
    }
    return 0;
}

static zw_status period_at(zw_event_orbits *o, double value, double *period, zw_error *err) {
    double base, own, phase;
    *period = 0;
    ZW_TRY(zw_segmented_set(o, NULL, value, o->now, err));
    if (!o->forcing.autonomous) {
        ZW_TRY(zw_forcing_base(&o->forcing, o->now, &base, NULL, err));
        *period = 2 * M_PI / base;
    }
    for (int i = 0; i < o->sys->nevent; i++) {
        const zw_event *e = &o->sys->event[i];
        if (!e->period || !e->naction)
            continue;
        ZW_TRY(zw_system_event_clock(o->sys, i, o->now, &own, &phase, err));
        *period = common_period(*period, own);
        if (!(*period > 0))
            return zw_fail_at(err, ZW_E_MODEL, e->place,
                              "the clock of the event %s has no common period with the excitation "
                              "or another clock, up to %d times the longer of them",
                              e->name, COMMON_MAX);
    }
    *period *= o->options.order * o->rounds;
    return ZW_OK;
}

zw_status zw_segmented_drive(void *self, double value, double *period, double *slope,
                             zw_error *err) {
    zw_event_orbits *o = self;
    static const double weight[3] = {3. / 4, -3. / 20, 1. / 60};
    *slope = 0;
    ZW_TRY(period_at(o, value, period, err));
    if (!o->has_over || isnan(value))
        return ZW_OK;
    double step = PERIOD_STEP * fmax(fabs(value), RANGE_STEP * fabs(o->over.to - o->over.from));
    for (int j = 1; j <= 3; j++) {
        double above, below;
        ZW_TRY(period_at(o, value + j * step, &above, err));
        ZW_TRY(period_at(o, value - j * step, &below, err));
        *slope += weight[j - 1] * (above - below) / step;
    }
    return ZW_OK;
}

/* --------------------------------------------------------------------------------------- stages */

zw_status zw_segmented_repeats(zw_event_orbits *o, const double *p, zw_error *err) {
    zw_system_event_repeats(o->sys, p, o->repeat);
    return zw_context_status(o->sys->ctx, err); /* the caller has no status for it */
}

/* do events set more than velocities, or are there contacts? Then motions change their leaf */
static bool leaves_leaf(const zw_system *s) {
    for (int i = 0; i < s->nevent; i++)
        for (int k = 0; k < s->event[i].naction; k++) {
            const zw_action *a = &s->event[i].action[k];
            bool velocity = false;
            for (int j = 0; j < s->nv; j++)
                velocity |= a->kind == ZW_ACTION_SET && a->what == s->velocity[j].sym;
            if (!velocity)
                return true;
        }
    return zw_segmented_has_contacts(s);
}

static zw_status take_leaf(zw_event_orbits *o, zw_error *err) {
    zw_equations ignored;
    o->on_leaf = *o->sys;
    return leaves_leaf(o->sys)
               ? ZW_OK
               : zw_derive_on_leaf(&ignored, &o->on_leaf, o->sys, NULL, o->p, &o->nhidden, err);
}

static zw_status fill_stage(zw_event_orbits *o, zw_segmented_stage *s, zw_error *err) {
    const zw_active active = {.constraint = s->on, .stance = s->stance};
    zw_kernel_options k = zw_kernel_options_default();
    zw_run_options run = zw_run_options_default();
    int *parameter = ZW_NEW(&o->arena, int, o->nmemory + 2);
    if (!parameter)
        return zw_out_of_memory(err, NULL);
    memcpy(parameter, o->memory, sizeof(int) * (size_t)o->nmemory);
    parameter[o->nmemory] = o->has_over ? o->over.parameter : 0;
    k.jit = ZW_JIT_WHEN_IT_PAYS;
    k.modes = true;
    k.nparameter = o->nmemory + (o->has_over ? 1 : 0);
    k.parameter = parameter;
    k.functions = ZW_FUNCTIONS_ALL_METHODS | ZW_SET(SWITCHES) | ZW_SET(SWITCH_LIVE) |
                  ZW_SET(SWITCH_RATE) | (k.nparameter ? ZW_SET(JAC_P) : 0);
    run.method = "rk87";
    run.rtol = SEGMENT_RTOL;
    run.atol = SEGMENT_ATOL;
    ZW_TRY(zw_derive(&s->eq, &o->on_leaf, &active, "lagrange", err));
    ZW_TRY(zw_kernel_create(&s->kernel, &s->eq, &k, err));
    ZW_TRY(zw_run_create(&s->run, s->kernel, o->p, &run, err));
    zw_run_on_want(s->run, zw_kernel_serve, s->kernel);
    s->singular = (zw_sim_singular){.eq = &s->eq,
                                    .run = s->run,
                                    .x = ZW_NEW(&o->arena, double, s->kernel->nx + 1),
                                    .quiet = true};
    if (!s->singular.x)
        return zw_out_of_memory(err, NULL);
    zw_run_on_warning(s->run, zw_sim_on_singular, &s->singular);
    ZW_TRY(zw_flow_create(&s->flow, s->kernel, o->p, err));
    ZW_TRY(zw_segmented_repeats(o, o->p, err));
    zw_run_event_periods(s->run, o->repeat);
    o->nevt = s->kernel->nevt;
    double *z = ZW_NEW(&o->arena, double, s->kernel->nz + 1);
    if (!z)
        return zw_out_of_memory(err, NULL);
    if (s->kernel->nz >= o->nz) {
        o->z = z; /* the largest of all stages */
        o->nz = s->kernel->nz;
    }
    return ZW_OK;
}

static void clear_stage(zw_segmented_stage *s) {
    zw_flow_destroy(s->flow);
    zw_run_destroy(s->run);
    zw_kernel_destroy(s->kernel);
}

static bool is_same(const zw_event_orbits *o, const zw_segmented_stage *s, const bool *on,
                    const zw_contact_mode *stance) {
    if (memcmp(s->on, on, sizeof(bool) * (size_t)o->sys->nconstraint) != 0)
        return false;
    for (int i = 0; stance && i < o->sys->ncontact; i++)
        if (s->stance[i].closed != stance[i].closed ||
            (stance[i].closed &&
             (s->stance[i].press != stance[i].press ||
              memcmp(s->stance[i].slide, stance[i].slide, sizeof stance[i].slide) != 0)))
            return false;
    return true;
}

zw_status zw_segmented_stage_of(zw_event_orbits *o, const bool *on, const zw_contact_mode *stance,
                                int *stage, zw_error *err) {
    size_t bytes = sizeof(bool) * (size_t)o->sys->nconstraint;
    for (*stage = 0; *stage < o->nstage; ++*stage)
        if (is_same(o, o->stage[*stage], on, stance))
            return ZW_OK;
    zw_segmented_stage *s = ZW_NEW(&o->arena, zw_segmented_stage, 1);
    if (!s || !(s->on = ZW_NEW(&o->arena, bool, o->sys->nconstraint + 1)) ||
        !zw_arena_grow(&o->arena, (void **)&o->stage, o->nstage, &o->stage_capacity,
                       sizeof(zw_segmented_stage *)))
        return zw_out_of_memory(err, NULL);
    memcpy(s->on, on, bytes);
    if (stance) {
        s->stance = ZW_NEW(&o->arena, zw_contact_mode, o->sys->ncontact + 1);
        if (!s->stance)
            return zw_out_of_memory(err, NULL);
        memcpy(s->stance, stance, sizeof *stance * (size_t)o->sys->ncontact);
    }
    zw_status status = fill_stage(o, s, err);
    if (status < 0) {
        clear_stage(s);
        return status;
    }
    o->stage[o->nstage++] = s;
    return ZW_OK;
}

/* --------------------------------------------------------------------------------------- set-up */

static zw_status check_supported(const zw_event_orbits *o, zw_error *err) {
    const zw_system *s = o->sys;
    if (s->nsignal)
        return zw_fail(err, ZW_E_OPTION, "hybrid orbits do not follow signals: %s",
                       s->signal[0].name);
    for (int i = 0; i < s->nevent; i++)
        for (int k = 0; k < s->event[i].naction; k++)
            if (s->event[i].action[k].kind == ZW_ACTION_VARIANT)
                return zw_fail_at(
                    err, ZW_E_OPTION, s->event[i].action[k].place,
                    "hybrid orbits do not go over to another variant, as the event %s "
                    "does",
                    s->event[i].name);
    return ZW_OK;
}

static zw_status read_over(zw_event_orbits *o, zw_error *err) {
    if (!o->options.over)
        return ZW_OK;
    ZW_TRY(zw_parameter_range_read(&o->over, o->sys, o->options.over, err));
    if (o->over.parameter < 0) {
        zw_fail(err, ZW_E_OPTION, "--over %s: orbits are followed over a parameter", o->over.name);
        zw_error_hint(err, "coordinates are what is looked for");
        return ZW_E_OPTION;
    }
    if (!(o->over.from != o->over.to))
        return zw_fail(err, ZW_E_OPTION, "--over %s: the range has no length", o->over.name);
    o->has_over = true;
    o->given[o->over.parameter] = true;
    return ZW_OK;
}

static zw_status put_with(zw_event_orbits *o, zw_error *err) {
    const zw_forced_values *with = o->options.with;
    if (!with)
        return ZW_OK;
    o->p[with->of.parameter] = with->value[o->options.member];
    o->given[with->of.parameter] = true;
    return zw_system_param_follow(o->sys, o->given, o->p, err);
}

/* parameters that events set, each once */
static zw_status find_memory(zw_event_orbits *o, zw_error *err) {
    const zw_system *s = o->sys;
    o->memory = ZW_NEW(&o->arena, int, s->np + 1);
    o->parameter = ZW_NEW(&o->arena, zw_expr, s->np + 1);
    if (o->arena.failed)
        return zw_out_of_memory(err, NULL);
    for (int i = 0; i < s->np; i++)
        o->parameter[i] = s->param[i].sym;
    memcpy(o->kept, o->given, sizeof(bool) * (size_t)s->np);
    for (int i = 0; i < s->np; i++)
        for (int e = 0; e < s->nevent; e++)
            for (int k = 0; k < s->event[e].naction; k++) {
                const zw_action *a = &s->event[e].action[k];
                if (a->kind != ZW_ACTION_SET || a->what != s->param[i].sym ||
                    (o->nmemory && o->memory[o->nmemory - 1] == i))
                    continue;
                if (o->has_over && o->over.parameter == i)
                    return zw_fail_at(err, ZW_E_OPTION, a->place, "--over %s: the event %s sets it",
                                      o->over.name, s->event[e].name);
                o->memory[o->nmemory++] = i;
                o->kept[i] = true;
            }
    return ZW_OK;
}

/* does an event depend on this coordinate, or set it? */
static bool is_met(const zw_system *s, int coord) {
    zw_expr q = s->coord[coord].sym;
    for (int i = 0; i < s->nevent; i++) {
        const zw_event *e = &s->event[i];
        if (!e->naction && !e->stop)
            continue;
        if (zw_depends(s->ctx, e->value, q))
            return true;
        for (int k = 0; k < e->naction; k++)
            if (e->action[k].kind == ZW_ACTION_SET &&
                (e->action[k].what == q || zw_depends(s->ctx, e->action[k].value, q)))
                return true;
    }
    return false;
}

/* does a switched constraint depend on it? In stages in which the constraint is active it counts */
static bool is_switched(const zw_system *s, int coord) {
    for (int i = 0; i < s->nconstraint; i++)
        if (zw_system_is_switched(s, i) &&
            zw_depends(s->ctx, s->constraint[i].residual, s->coord[coord].sym))
            return true;
    return false;
}

/* do gaps, slip velocities or contact laws depend on it? */
static bool is_touched(const zw_system *s, int coord) {
    zw_expr e[ZW_FORCING_OF_CONTACT];
    for (int i = 0; i < s->ncontact; i++)
        for (int k = s->contact[i].off ? 0 : zw_forcing_of_contact(&s->contact[i], e); k > 0; k--)
            if (zw_depends(s->ctx, e[k - 1], s->coord[coord].sym))
                return true;
    return false;
}

bool zw_segmented_looks_at(const zw_system *s, int coord) {
    return is_met(s, coord) || is_switched(s, coord) || is_touched(s, coord);
}

void zw_segmented_find_essential(zw_event_orbits *o) {
    for (int i = 0; i < o->nx; i++) {
        o->essential[i] = i >= o->sys->nq || zw_segmented_looks_at(o->sys, i);
        for (int k = 0; k < o->nstage && i < o->sys->nq; k++) {
            const zw_kernel *kernel = o->stage[k]->kernel;
            o->essential[i] |= !kernel->ignorable || !kernel->ignorable[i];
        }
    }
}

/* the forcing of the equations, of events and their values, and of contacts */
zw_status zw_segmented_forcing(zw_forcing *out, const zw_system *s, const zw_equations *eq,
                               zw_arena *arena, bool *clocks, zw_error *err) {
    int n = 0, most = s->nevent + s->ncontact * ZW_FORCING_OF_CONTACT;
    for (int i = 0; i < s->nevent; i++)
        most += s->event[i].naction;
    zw_expr *e = ZW_NEW(arena, zw_expr, most + 1);
    if (!e)
        return zw_out_of_memory(err, NULL);
    for (int i = 0; i < s->nevent; i++) {
        if (!s->event[i].naction)
            continue;
        *clocks |= s->event[i].period != ZW_NULL;
        if (!s->event[i].period)
            e[n++] = s->event[i].value;
        for (int k = 0; k < s->event[i].naction; k++)
            if (s->event[i].action[k].kind == ZW_ACTION_SET)
                e[n++] = s->event[i].action[k].value;
    }
    for (int i = 0; i < s->ncontact; i++)
        if (!s->contact[i].off)
            n += zw_forcing_of_contact(&s->contact[i], e + n);
    return zw_forcing_find_with(out, eq, n, e, err);
}

static zw_status find_drive(zw_event_orbits *o, zw_error *err) {
    ZW_TRY(zw_segmented_forcing(&o->forcing, o->sys, &o->stage[0]->eq, &o->arena, &o->clocks, err));
    o->autonomous = o->forcing.autonomous && !o->clocks;
    double period;
    return o->autonomous ? ZW_OK : period_at(o, NAN, &period, err);
}

static zw_status find_events(zw_event_orbits *o, zw_error *err) {
    const zw_system *s = o->sys;
    int nset = 0, n = s->nevent;
    for (int i = 0; i < s->ncontact; i++)
        n += 2 + s->contact[i].nblock;
    o->watched = ZW_NEW(&o->arena, int, n + 1);
    o->repeat = ZW_NEW(&o->arena, double, n + 1);
    o->evt = ZW_NEW(&o->arena, double, n + 1);
    o->way = ZW_NEW(&o->arena, int, n + 1);
    o->want = ZW_NEW(&o->arena, bool, s->nconstraint + 1);
    o->first_on = ZW_NEW(&o->arena, bool, s->nconstraint + 1);
    o->fixed = ZW_NEW(&o->arena, bool, s->nq + s->nv + 1);
    for (int i = 0; i < s->nevent; i++)
        nset += s->event[i].naction;
    o->values = ZW_NEW(&o->arena, double, nset + 1);
    if (o->arena.failed)
        return zw_out_of_memory(err, NULL);
    for (int i = 0; i < s->nevent; i++)
        if ((s->event[i].naction || s->event[i].stop) && !s->event[i].period)
            o->watched[o->nwatch++] = i;
    o->nloose = o->nwatch;
    for (int i = 0; i < s->nconstraint; i++)
        o->first_on[i] = o->options.active && o->options.active->constraint
                             ? o->options.active->constraint[i]
                             : s->constraint[i].on;
    return ZW_OK;
}

static zw_status build_orbits(zw_event_orbits *o, zw_error *err) {
    const zw_system *s = o->sys;
    const zw_event_orbits_options *of = &o->options;
    int first;
    if (of->order < 1 || of->settle < 0 || of->events < 4 || of->steps < 10 || !(of->period >= 0) ||
        of->harmonics < 1)
        return zw_fail(err, ZW_E_OPTION,
                       "steps, events, order, settle and period are positive numbers");
    o->nx = s->nq + s->nv;
    o->p = ZW_NEW(&o->arena, double, s->np + 1);
    o->now = ZW_NEW(&o->arena, double, s->np + 1);
    o->given = ZW_NEW(&o->arena, bool, s->np + 1);
    o->kept = ZW_NEW(&o->arena, bool, s->np + 1);
    o->width = ZW_NEW(&o->arena, double, s->nq + 1);
    o->essential = ZW_NEW(&o->arena, bool, o->nx + 1);
    o->rate = ZW_NEW(&o->arena, double, o->nx + 1);
    o->after = ZW_NEW(&o->arena, double, o->nx + 1);
    o->set_p = ZW_NEW(&o->arena, double, s->np + 1);
    o->set_memory = ZW_NEW(&o->arena, double, s->np + 1);
    if (o->arena.failed)
        return zw_out_of_memory(err, NULL);
    ZW_TRY(check_supported(o, err));
    ZW_TRY(zw_system_param_values(s, o->p, err));
    ZW_TRY(put_with(o, err));
    ZW_TRY(take_leaf(o, err));
    ZW_TRY(read_over(o, err));
    ZW_TRY(find_memory(o, err));
    ZW_TRY(find_events(o, err));
    if (zw_segmented_has_contacts(s))
        ZW_TRY(zw_segmented_contacts_open(o, err));
    else
        ZW_TRY(zw_segmented_stage_of(o, o->first_on, NULL, &first, err));
    zw_segmented_find_essential(o);
    ZW_TRY(find_drive(o, err));
    o->nquantity = s->nq + s->nobservable;
    return ZW_OK;
}

zw_status zw_event_orbits_create(zw_event_orbits **out, const zw_system *sys,
                                 const zw_event_orbits_options *options, zw_error *err) {
    assert(out && sys);
    zw_allocator alloc = zw_context_allocator(sys->ctx);
    zw_event_orbits *o = zw_allocate(&alloc, sizeof *o);
    *out = NULL;
    if (!o)
        return zw_out_of_memory(err, NULL);
    *o = (zw_event_orbits){.sys = sys, .options = zw_event_orbits_options_default(), .rounds = 1};
    zw_arena_init(&o->arena, &alloc);
    zw_status status = ZW_OK;
    if (options)
        status = zw_options_adopt(&o->options, sizeof o->options, options,
                                  "zw_event_orbits_options", err);
    if (status >= 0)
        status = build_orbits(o, err);
    if (status < 0)
        zw_event_orbits_destroy(o);
    else
        *out = o;
    return status;
}

void zw_event_orbits_destroy(zw_event_orbits *o) {
    if (!o)
        return;
    zw_allocator alloc = o->arena.alloc;
    zw_segmented_destroy(o->h);
    zw_floquet_clear(&o->last);
    zw_segmented_contacts_close(o);
    for (int i = 0; i < o->nmotion; i++)
        zw_shooting_clear((zw_shooting *)o->motion[i].record);
    for (int i = 0; i < o->nstage; i++)
        clear_stage(o->stage[i]);
    zw_arena_clear(&o->arena);
    zw_release(&alloc, o, sizeof *o);
}

/* --------------------------------------------------------------------------------- the segments */

static zw_run *run_of(void *self, int stage) {
    return ((zw_event_orbits *)self)->stage[stage]->run;
}

/* called for every segment, so that Newton's method can be interrupted, too */
static zw_status parameters_of(void *self, const double *memory, double value, double *p,
                               zw_error *err) {
    zw_event_orbits *o = self;
    if (o->nbranch == 0) /* branches check at every point */
        o->stopped |= o->options.stop && o->options.stop(o->options.stop_user, 0);
    if (o->nbranch == 0 && o->stopped)
        return zw_fail(err, ZW_E_NUMERIC, "stopped");
    return zw_segmented_set(o, memory, value, p, err);
}

static zw_flow *flow_of(void *self, int stage) {
    return ((zw_event_orbits *)self)->stage[stage]->flow;
}

zw_status zw_segmented_build(zw_event_orbits *o, const zw_segmented_signature *s, zw_error *err) {
    const zw_segmented_owner owner = {.self = o,
                                      .nx = o->nx,
                                      .nmemory = o->nmemory,
                                      .follows = o->has_over,
                                      .run = run_of,
                                      .flow = flow_of,
                                      .parameters = parameters_of,
                                      .period = o->autonomous ? NULL : zw_segmented_drive,
                                      .event = zw_segmented_event,
                                      .jump = zw_segmented_jump,
                                      .watch = zw_segmented_watch_events,
                                      .nwatch = o->nwatch,
                                      .nloose = o->nloose,
                                      .slack = o->ground ? zw_segmented_slack : NULL};
    zw_segmented_options options = zw_segmented_options_default();
    options.nsegment = s->n;
    options.segment = s->segment;
    options.scale = s->scale;
    options.memory_scale = s->memory_scale;
    options.essential = o->essential;
    options.turn = s->turn;
    options.duration = s->duration;
    options.unit = o->has_over ? VALUE_UNIT * fabs(o->over.to - o->over.from) : 1;
    zw_segmented_destroy(o->h);
    o->h = NULL;
    o->last_known = o->margins_known = false;
    ZW_TRY(zw_segmented_create(&o->h, &owner, &options, &o->arena.alloc, err));
    int n = zw_segmented_problem(o->h).n;
    o->unknown = ZW_NEW(&o->arena, double, n + 1);
    o->last_x = ZW_NEW(&o->arena, double, n + 1);
    o->last_n = n;
    o->now_signature = *s;
    o->rounds = s->times;
    return zw_arena_status(&o->arena, err);
}

/* -------------------------------------------------------------------------------------- queries */

bool zw_event_orbits_autonomous(const zw_event_orbits *o) {
    return o->autonomous;
}

int zw_event_orbits_count(const zw_event_orbits *o) {
    return o->nmotion;
}

const zw_segmented_motion *zw_event_orbits_at(const zw_event_orbits *o, int number) {
    assert(number >= 0 && number < zw_event_orbits_count(o));
    return &o->motion[number];
}

int zw_event_orbits_branches(const zw_event_orbits *o) {
    return o->nbranch;
}

zw_cont_end zw_event_orbits_branch_end(const zw_event_orbits *o, int branch, int side,
                                       const char **sentence) {
    assert(branch >= 0 && branch < zw_event_orbits_branches(o) && (side == 0 || side == 1));
    if (sentence)
        *sentence = o->branch[branch].why[side];
    return o->branch[branch].end[side];
}

const zw_parameter_range *zw_event_orbits_over(const zw_event_orbits *o) {
    return o->has_over ? &o->over : NULL;
}
