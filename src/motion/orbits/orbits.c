/* SPDX-License-Identifier: MIT */
/* Builds the collocation of the orbits of a system: equations, the period of the excitation if
 * there is one, scales, meshes. */
#include "orbits.h"

#include <assert.h>
#include <math.h>
#include <string.h>

#include "base/arena.h"
#include "base/option.h"
#include "base/tolerance.h"
#include "branch/curve.h"
#include "mech/equations/variants.h"
#include "motion/jumps.h"
#include "motion/segments/periodic.h"
#include "motion/winding_number.h"
#include "orbits_family.h"
#include "orbits_group.h"
#include "orbits_sequence.h"
#include "symmetric_orbit.h"
#include "zwang/equations.h"

enum { INTERVALS_FIRST = 20, REFINEMENTS = 12 };

/* Fraction of the present intervals: with fewer needed, the mesh becomes coarser. A value near 1
 * would change the mesh for savings that are less than the further solution costs. */
#define COARSEN_BELOW 0.7
/* Relative to the size of the coordinate in the model: the least scale of an entry. Entries that
 * move less are measured as if they moved that much; with 1e-4 their round-off would determine the
 * mesh, with 1e-2 their motion would not be resolved. */
#define SCALE_MIN 1e-3
/* Relative to 1 + |phi|: a position constraint that turns change by more depends on them. Solutions
 * fulfil constraints to 1e-9, and a constraint on an angle changes by its size. */
#define CONSTRAINT_CHANGED 1e-6
/* Relative to the size of the coordinate in the model (to the first orbit, if that is tiny): an
 * orbit that moves less is an equilibrium. Above the round-off of solutions, below SCALE_MIN. */
#define POINT_SIZE 1e-7
/* Of |high + low|, that is, a tenth of the mean: the scale of steps for entries at rest. */
#define MEAN_SCALE 0.05
/* Relative to the range: the unit of the parameter in the arclength, in which orbits have size 1. A
 * branch then crosses the range in some tens of steps. */
#define VALUE_UNIT 0.1

void zw_orbits_options_init(zw_orbits_options *options, size_t size) {
    const zw_orbits_options all = {.size = size,
                                   .steps = 6000,
                                   .order = 1,
                                   .stages = 4,
                                   .intervals_max = 400,
                                   .tolerance = 1e-6,
                                   .points_max = 2000,
                                   .step_max = 0.02,
                                   .stability = true,
                                   .normal = true};
    zw_options_begin(options, size, &all, sizeof all);
}

/* ---------------------------------------------------------------------------- parameter, period */

zw_status zw_orbits_set(void *user, double value, double *p, double *period, double *slope,
                        zw_error *err) {
    zw_orbits *o = user;
    double base, base_slope = 0;
    memcpy(p, o->p, sizeof(double) * (size_t)(o->sys->np + 1));
    if (o->has_over && !o->family.kind && !isnan(value)) {
        p[o->over.parameter] = value;
        ZW_TRY(zw_system_param_follow(o->sys, o->given, p, err));
    }
    memcpy(o->now, p, sizeof(double) * (size_t)(o->sys->np + 1));
    if (o->autonomous)
        return ZW_OK;
    ZW_TRY(zw_forcing_base(&o->forcing, p, &base, NULL, err));
    if (o->has_over)
        ZW_TRY(zw_forcing_slope(&o->forcing, p, o->over.parameter, &base_slope, err));
    *period = 2 * M_PI * o->options.order * o->times / base;
    *slope = -*period * base_slope / base;
    return ZW_OK;
}

/* of half an orbit: half the period of the excitation */
static zw_status set_half(void *user, double value, double *p, double *period, double *slope,
                          zw_error *err) {
    ZW_TRY(zw_orbits_set(user, value, p, period, slope, err));
    *period *= 0.5;
    *slope *= 0.5;
    return ZW_OK;
}

/* of a family: the parameter of the collocation is its damping */
static zw_status set_damping(void *user, double value, double *p, double *period, double *slope,
                             zw_error *err) {
    zw_orbits *o = user;
    ZW_TRY(zw_orbits_set(o, NAN, p, period, slope, err));
    p[o->along] = value;
    return ZW_OK;
}

/* --------------------------------------------------------------------------------------- set-up */

static zw_status read_over(zw_orbits *o, zw_error *err) {
    if (o->options.values && o->options.over)
        return zw_fail(err, ZW_E_OPTION, "give either --values or --over");
    if (o->options.values)
        return zw_orbits_read_values(o, err);
    if (!o->options.over)
        return ZW_OK;
    ZW_TRY(zw_orbits_read_family(o, err));
    o->along = o->sys->np;
    if (o->family.kind)
        return ZW_OK;
    ZW_TRY(zw_parameter_range_read(&o->over, o->sys, o->options.over, err));
    o->along = o->over.parameter;
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

static zw_status reject_breaks(const zw_orbits *o, zw_error *err) {
    zw_status status =
        zw_refuse_breaks(o->sys, ZW_E_OPTION, "collocation follows smooth motions", err);
    if (status < 0)
        zw_error_hint(err, "zwang orbit finds and follows periodic motions through contacts "
                           "and events; for contacts, a stiff spring or smooth friction "
                           "as a force serves here");
    return status;
}

/* fails if rates jump: there polynomials converge to something else */
static zw_status reject_jumps(const zw_orbits *o, zw_error *err) {
    zw_expr jump;
    ZW_TRY(
        zw_find_jump(&o->eq, o->p, o->has_over && !o->family.kind ? 1 : 0, &o->over, &jump, err));
    if (jump == ZW_NULL)
        return ZW_OK;
    char *part = zw_print_within(o->sys->ctx, jump, ZW_TEXT, 200);
    zw_fail(err, ZW_E_OPTION, "collocation follows smooth motions: rates jump by %.200s",
            part ? part : "a part of a force");
    zw_error_hint(err,
                  "replace it by a steep smooth function; for driven models, zwang response and "
                  "zwang response --shooting follow kinks and jumps");
    zw_string_free(o->sys->ctx, part);
    return ZW_E_OPTION;
}

static zw_status build_kernel(zw_orbits *o, zw_error *err) {
    zw_kernel_options k = zw_kernel_options_default();
    k.jit = ZW_JIT_WHEN_IT_PAYS;
    k.nparameter = o->has_over ? 1 : 0;
    k.parameter = &o->along;
    k.functions = ZW_FUNCTIONS_ALL_METHODS | (o->has_over ? ZW_SET(JAC_P) : 0);
    if (o->sys->nv > 0) /* symmetries */
        k.functions |= ZW_SET(FIELD) | ZW_SET(FIELD_FIRST);
    ZW_TRY(zw_kernel_create(&o->kernel, &o->eq, &k, err));
    if (o->kernel->nc == 0 && o->kernel->nunit == 0) { /* eight intervals at once */
        k.lanes = 8;
        k.functions = ZW_SET(RHS) | ZW_SET(MATS) | ZW_SET(JAC) | ZW_SET(TIME) |
                      (o->has_over ? ZW_SET(JAC_P) : 0);
        ZW_TRY(zw_kernel_create(&o->lanes, &o->eq, &k, err));
    }
    return zw_flow_create(&o->flow, o->kernel, o->p, err);
}

zw_status zw_orbits_reserve(zw_orbits *o, int intervals, zw_error *err) {
    size_t capacity = (size_t)intervals * (size_t)o->nx * (size_t)(o->options.stages + 1) + 4;
    if (capacity <= o->x_capacity)
        return ZW_OK;
    double *x = ZW_NEW(&o->arena, double, capacity), *tangent = ZW_NEW(&o->arena, double, capacity),
           *last = ZW_NEW(&o->arena, double, capacity);
    if (o->arena.failed)
        return zw_out_of_memory(err, NULL);
    if (o->x_capacity) {
        memcpy(x, o->x, sizeof(double) * o->x_capacity);
        memcpy(tangent, o->tangent, sizeof(double) * o->x_capacity);
    }
    o->x = x;
    o->tangent = tangent;
    o->last_x = last;
    o->last_known = false;
    o->x_capacity = capacity;
    return zw_orbits_reserve_family(o, capacity, err);
}

/* which entries must come back, and up to which turns */
static zw_status find_closing(zw_orbits *o, zw_error *err) {
    int *entry = ZW_NEW(&o->arena, int, o->nx + 1);
    o->essential = ZW_NEW(&o->arena, bool, o->nx + 1);
    o->wraps = ZW_NEW(&o->arena, double, o->nx + 1);
    o->turn = ZW_NEW(&o->arena, double, o->nx + 1);
    o->sign = ZW_NEW(&o->arena, double, o->nx + 1);
    if (o->options.winding)
        o->given_turns = ZW_NEW(&o->arena, double, o->sys->nq + 1);
    if (o->arena.failed)
        return zw_out_of_memory(err, NULL);
    int n = o->sys->np + 1 + o->eq.nu + o->eq.nq;
    o->tied_symbol = ZW_NEW(&o->arena, zw_expr, n + 1);
    o->tied_value = ZW_NEW(&o->arena, double, n + o->eq.nq + 1);
    if (o->arena.failed)
        return zw_out_of_memory(err, NULL);
    for (int i = 0; i < n; i++)
        o->tied_symbol[i] = i < o->sys->np     ? o->sys->param[i].sym
                            : i == o->sys->np  ? o->sys->t
                            : i < n - o->eq.nq ? o->eq.u[i - o->sys->np - 1]
                                               : o->eq.q[i - (n - o->eq.nq)];
    for (int i = zw_flow_essential(o->flow, entry) - 1; i >= 0; i--)
        o->essential[entry[i]] = true;
    for (int i = 0; i < o->nx; i++) {
        o->sign[i] = 1;
        if (i < o->sys->nq && o->essential[i])
            ZW_TRY(zw_winding_turn(o->sys, o->flow, o->p, i, o->has_over ? o->over.parameter : -1,
                                   &o->wraps[i], err));
    }
    for (int k = 0; k < o->kernel->nunit; k++) /* unit quaternions are not angles */
        memset(o->wraps + o->kernel->unit[k], 0, 4 * sizeof *o->wraps);
    return o->options.winding
               ? zw_winding_read(o->sys, o->flow, o->options.winding, o->given_turns, err)
               : ZW_OK;
}

static zw_status find_sizes(zw_orbits *o, zw_error *err) {
    const zw_system *s = o->sys;
    double *x = ZW_NEW(&o->arena, double, s->nq + s->nv + 1);
    zw_said *said = ZW_NEW(&o->arena, zw_said, s->nq + s->nv + 1);
    o->width = ZW_NEW(&o->arena, double, s->nq + 1);
    o->scale = ZW_NEW(&o->arena, double, o->nx + 1);
    o->step_scale = ZW_NEW(&o->arena, double, o->nx + 1);
    o->ended = ZW_NEW(&o->arena, double, o->nx + 1);
    o->small = 1;
    int most = o->options.intervals > o->options.intervals_max ? o->options.intervals
                                                               : o->options.intervals_max;
    if (o->arena.failed)
        return zw_out_of_memory(err, NULL);
    for (int i = 0; i < o->nx; i++)
        o->scale[i] = o->step_scale[i] = 1;
    ZW_TRY(zw_orbits_reserve(o, most, err));
    return zw_system_start_said(s, o->p, x, said, o->width, err);
}

static zw_status build_orbits(zw_orbits *o, zw_error *err) {
    const zw_system *s = o->sys;
    const zw_orbits_options *of = &o->options;
    if (of->order < 1 || of->intervals < 0 || of->intervals_max < 1 || of->steps < 10 ||
        !(of->tolerance > 0) || !(of->period >= 0))
        return zw_fail(err, ZW_E_OPTION,
                       "intervals, steps, order, tolerance and period are positive numbers");
    o->p = ZW_NEW(&o->arena, double, s->np + 2);
    o->now = ZW_NEW(&o->arena, double, s->np + 2);
    o->given = ZW_NEW(&o->arena, bool, s->np + 1);
    if (o->arena.failed)
        return zw_out_of_memory(err, NULL);
    ZW_TRY(zw_system_param_values(s, o->p, err));
    ZW_TRY(read_over(o, err));
    ZW_TRY(reject_breaks(o, err));
    ZW_TRY(zw_derive_on_leaf(&o->eq, &o->on_leaf, s, of->active, o->p, &o->nhidden, err));
    ZW_TRY(reject_jumps(o, err));
    ZW_TRY(zw_forcing_find(&o->forcing, &o->eq, err));
    o->autonomous = o->forcing.autonomous;
    if (!o->autonomous) {
        double period, slope;
        ZW_TRY(zw_orbits_set(o, NAN, o->now, &period, &slope, err));
        ZW_TRY(zw_keep_conserved(&o->kept, &o->eq, &o->arena, of->active, o->p, o->given,
                                 o->has_over ? &o->over : NULL, err));
    }
    if (o->family.kind)
        ZW_TRY(zw_orbits_unfold(o, err));
    ZW_TRY(build_kernel(o, err));
    o->nx = o->kernel->nx;
    o->nquantity = s->nq + s->nobservable;
    ZW_TRY(find_closing(o, err));
    if (!(o->half.state = ZW_NEW(&o->arena, double, o->nx + 1)))
        return zw_out_of_memory(err, NULL);
    ZW_TRY(zw_orbits_read_symmetry(o, err));
    ZW_TRY(find_sizes(o, err));
    return zw_orbits_find_group(o, err);
}

zw_status zw_orbits_create(zw_orbits **out, const zw_system *sys, const zw_orbits_options *options,
                           zw_error *err) {
    assert(out && sys);
    zw_allocator alloc = zw_context_allocator(sys->ctx);
    zw_orbits *o = zw_allocate(&alloc, sizeof *o);
    *out = NULL;
    if (!o)
        return zw_out_of_memory(err, NULL);
    *o = (zw_orbits){.sys = sys, .options = zw_orbits_options_default(), .times = 1};
    zw_arena_init(&o->arena, &alloc);
    zw_arena_init(&o->work, &alloc);
    zw_status status = ZW_OK;
    if (options)
        status =
            zw_options_adopt(&o->options, sizeof o->options, options, "zw_orbits_options", err);
    if (status >= 0)
        status = build_orbits(o, err);
    if (status < 0)
        zw_orbits_destroy(o);
    else
        *out = o;
    return status;
}

void zw_orbits_destroy(zw_orbits *o) {
    if (!o)
        return;
    zw_allocator alloc = o->arena.alloc;
    zw_colloc_destroy(o->c);
    zw_floquet_clear(&o->last);
    zw_flow_destroy(o->flow);
    zw_kernel_destroy(o->kernel);
    zw_kernel_destroy(o->lanes);
    zw_arena_clear(&o->work);
    zw_arena_clear(&o->arena);
    zw_release(&alloc, o, sizeof *o);
}

/* ---------------------------------------------------------------------------------------- sizes */

/* size of entry i of the state in the model, for a motion of this angular frequency */
static double size_of(const zw_orbits *o, int i, double rate) {
    int nq = o->sys->nq, of = i < nq ? i : i - nq;
    return of < nq ? o->width[of] * (i < nq ? 1 : rate) : rate;
}

/* the ranges of the entries of a motion; if it is the first one, also whether they are tiny */
static zw_status measure_scale(zw_orbits *o, const zw_orbit *about, double period, bool first,
                               zw_error *err) {
    enum { POINTS = 200 };
    double amplitude = 0;
    const zw_system *s = o->sys;
    zw_arena_mark mark = zw_arena_mark_now(&o->arena);
    double *x = ZW_NEW(&o->arena, double, o->nx + 1), *low = ZW_NEW(&o->arena, double, o->nx + 1),
           *high = ZW_NEW(&o->arena, double, o->nx + 1), w = 2 * M_PI / period;
    if (o->arena.failed)
        return zw_out_of_memory(err, NULL);
    for (int k = 0; k < POINTS; k++) {
        ZW_TRY(about->at(about->user, about->start + about->period * k / POINTS, x, err));
        for (int i = 0; i < o->nx; i++) {
            low[i] = k ? fmin(low[i], x[i]) : x[i];
            high[i] = k ? fmax(high[i], x[i]) : x[i];
        }
    }
    /* velocities, too: of coordinates that drift, only the velocity comes back */
    for (int i = 0; i < o->nx; i++)
        if (o->essential[i])
            amplitude = fmax(amplitude, 0.5 * (high[i] - low[i]) / fmax(size_of(o, i, w), ZW_TINY));
    if (first)
        o->small = amplitude > 0 && amplitude < SCALE_MIN ? amplitude : 1;
    for (int i = 0; i < o->nx; i++) {
        double size = size_of(o, i, w);
        o->scale[i] = fmax(0.5 * (high[i] - low[i]), SCALE_MIN * size * o->small);
        if (!(o->scale[i] > 0))
            o->scale[i] = 1;
        bool still = 0.5 * (high[i] - low[i]) <= SCALE_MIN * SCALE_MIN * size * fmin(amplitude, 1);
        double mean = MEAN_SCALE * fabs(high[i] + low[i]);
        /* velocities of what turns or drifts have a mean, and their ripple is not the size of their
         * changes along a branch */
        double part = still ? 1 : i >= s->nq ? fmin(amplitude, 1) : 0;
        o->step_scale[i] = fmax(o->scale[i], part * mean);
    }
    zw_arena_release(&o->arena, mark);
    return ZW_OK;
}

/* the motion of an orbit of the collocation, over a period of 1 */
typedef struct colloc_motion {
    const zw_colloc *c;
    const double *x;
} colloc_motion;

static zw_status colloc_motion_at(void *user, double t, double *x, zw_error *err) {
    const colloc_motion *s = user;
    (void)err;
    zw_colloc_state(s->c, s->x, t, x, NULL);
    return ZW_OK;
}

zw_status zw_orbits_rescale(zw_orbits *o, double period, zw_error *err) {
    colloc_motion s = {o->c, o->x};
    zw_orbit about = {.start = 0, .period = 1, .at = colloc_motion_at, .user = &s};
    ZW_TRY(measure_scale(o, &about, period, false, err));
    zw_colloc_set_scale(o->c, o->scale, o->step_scale);
    return ZW_OK;
}

zw_status zw_orbits_collocation(zw_orbits *o, int intervals, zw_colloc **out, zw_error *err) {
    zw_colloc_options c = zw_colloc_options_default();
    c.intervals = intervals;
    c.stages = o->options.stages;
    c.is_period_free = o->autonomous;
    c.scale = o->scale;
    c.sign = o->sign;
    c.turn = o->half.on ? o->half.s : o->turn;
    c.map = o->half.on ? o->half.inverse : NULL;
    c.lanes = o->lanes;
    c.generators = o->group.n;
    c.generator_matrix = o->group.L;
    c.generator_shift = o->group.b;
    c.theta = o->group.theta;
    c.unit = o->has_over ? VALUE_UNIT * fabs(o->over.to - o->over.from) : 1;
    zw_colloc_set set = o->family.kind                 ? set_damping
                        : o->half.on && !o->autonomous ? set_half
                                                       : zw_orbits_set;
    ZW_TRY(zw_colloc_create(out, o->flow, &c, set, o, err));
    zw_colloc_set_scale(*out, o->scale, o->step_scale);
    return ZW_OK;
}

static zw_status make_collocation(zw_orbits *o, int intervals, zw_error *err) {
    zw_colloc_destroy(o->c);
    o->c = NULL;
    o->last_known = false;
    return zw_orbits_collocation(o, intervals, &o->c, err);
}

zw_status zw_orbits_begin(zw_orbits *o, const zw_orbit *about, int n, const double *mesh,
                          zw_error *err) {
    int first = o->options.intervals ? o->options.intervals : INTERVALS_FIRST;
    if (!o->options.intervals && first > o->options.intervals_max)
        first = o->options.intervals_max;
    o->times = 1;
    ZW_TRY(measure_scale(o, about, about->period, true, err));
    ZW_TRY(make_collocation(o, n ? n : first, err));
    if (n)
        ZW_TRY(zw_colloc_set_mesh(o->c, mesh, err));
    zw_orbit part = *about;
    part.period *= o->half.on ? 0.5 : 1;
    ZW_TRY(zw_colloc_take(o->c, &part, o->x, err));
    if (o->family.kind)
        o->x[zw_colloc_problem(o->c).n] = 0;
    return ZW_OK;
}

void zw_orbits_signs(const zw_orbits *o, const double *a, const double *b, double *sign) {
    for (int i = 0; i < o->nx; i++)
        sign[i] = 1;
    for (int k = 0; k < o->kernel->nunit; k++) {
        int e = o->kernel->unit[k];
        double dot = 0;
        for (int i = 0; i < 4; i++)
            dot += a[e + i] * b[e + i];
        for (int i = 0; i < 4; i++)
            sign[e + i] = dot < 0 ? -1 : 1;
    }
}

/* a position constraint at a state */
static double constraint_at(zw_orbits *o, int k, const double *x) {
    const zw_equations *eq = &o->eq;
    int n = 0;
    for (int i = 0; i < o->sys->np; i++)
        o->tied_value[n++] = o->now[i];
    o->tied_value[n++] = 0;
    for (int i = 0; i < eq->nu; i++)
        o->tied_value[n++] = 0;
    for (int i = 0; i < eq->nq; i++)
        o->tied_value[n++] = x[i];
    return zw_eval(o->sys->ctx, eq->phi[k], n, o->tied_symbol, o->tied_value);
}

void zw_orbits_limit_turns(zw_orbits *o, const double *x, double *turn) {
    const zw_equations *eq = &o->eq;
    double *turned = o->tied_value + o->sys->np + 1 + eq->nu + eq->nq;
    for (bool again = true; again;) {
        again = false;
        for (int i = 0; i < eq->nq; i++)
            turned[i] = x[i] + turn[i];
        for (int k = 0; k < eq->npos; k++) {
            double before = constraint_at(o, k, x), after = constraint_at(o, k, turned);
            if (fabs(after - before) <= CONSTRAINT_CHANGED * (1 + fabs(before)))
                continue;
            for (int i = 0; i < eq->nq; i++)
                if (turn[i] != 0 && zw_depends_any(o->sys->ctx, eq->phi[k], 1, &eq->q[i])) {
                    turn[i] = 0;
                    again = true;
                }
        }
    }
}

double zw_orbits_reduce_turns(const zw_orbits *o, int i, double difference) {
    return o->wraps[i] > 0 ? remainder(difference, o->wraps[i]) : difference;
}

double zw_orbits_whole(const zw_orbits *o, int i, double difference) {
    return o->wraps[i] > 0 ? o->wraps[i] * round(difference / o->wraps[i]) : 0;
}

void zw_orbits_close(zw_orbits *o, const double *a, const double *b) {
    double *turned = o->half.state; /* overwritten */
    zw_orbits_align(o, a, b, o->group.n ? o->group.size : o->scale, true, o->group.theta, turned);
    b = turned;
    zw_orbits_signs(o, a, b, o->sign);
    for (int i = 0; i < o->nx; i++)
        o->turn[i] = zw_orbits_whole(o, i, b[i] - a[i]);
    zw_orbits_limit_turns(o, a, o->turn);
}

/* sets how a stored orbit closes */
static zw_status close_like(zw_orbits *o, const zw_orbit_motion *m, zw_error *err) {
    zw_arena_mark mark = zw_arena_mark_now(&o->arena);
    double *a = ZW_NEW(&o->arena, double, 2 * o->nx + 1);
    if (!a)
        return zw_out_of_memory(err, NULL);
    zw_orbits_state_of(m, o->nx, o->options.stages, 0, a);
    zw_orbits_state_of(m, o->nx, o->options.stages, 1, a + o->nx);
    zw_orbits_close(o, a, a + o->nx);
    zw_arena_release(&o->arena, mark);
    return ZW_OK;
}

/* the motion of a stored orbit, over a period of 1, as a guess for its half */
typedef struct stored_motion {
    const zw_orbits *o;
    const zw_orbit_motion *m;
} stored_motion;

static zw_status stored_motion_at(void *user, double t, double *x, zw_error *err) {
    const stored_motion *k = user;
    (void)err;
    zw_orbits_state_of(k->m, k->o->nx, k->o->options.stages, t, x);
    return ZW_OK;
}

static zw_status load_half(zw_orbits *o, const zw_orbit_motion *m, zw_error *err) {
    double *mesh = ZW_NEW(&o->arena, double, m->intervals + 1);
    if (!mesh)
        return zw_out_of_memory(err, NULL);
    if (zw_orbits_halve(o, m, o->x, mesh)) {
        ZW_TRY(make_collocation(o, m->intervals / 2, err));
        ZW_TRY(zw_colloc_set_mesh(o->c, mesh, err));
        return ZW_OK;
    }
    stored_motion k = {o, m};
    zw_orbit about = {.start = 0, .period = 1, .at = stored_motion_at, .user = &k};
    int n = (m->intervals + 1) / 2;
    for (int j = 0; j <= n; j++)
        mesh[j] = (double)j / n;
    ZW_TRY(zw_orbits_begin(o, &about, n, mesh, err));
    if (o->autonomous)
        o->x[zw_colloc_problem(o->c).n - 1] = 0.5 * m->period;
    return ZW_OK;
}

zw_status zw_orbits_load(zw_orbits *o, const zw_orbit_motion *m, zw_error *err) {
    double period, slope;
    o->times = m->curve >= 0 ? o->branch[m->curve].times : 1;
    ZW_TRY(zw_orbits_set(o, m->value, o->now, &period, &slope, err));
    ZW_TRY(close_like(o, m, err));
    if (o->half.on) {
        ZW_TRY(load_half(o, m, err));
    } else {
        ZW_TRY(make_collocation(o, m->intervals, err));
        ZW_TRY(zw_colloc_set_mesh(o->c, m->mesh, err));
        memcpy(o->x, m->x, sizeof(double) * (size_t)zw_orbits_problem(o).n);
    }
    ZW_TRY(zw_orbits_rescale(o, m->period, err));
    return zw_colloc_refer(o->c, o->x, zw_orbits_inner_value(o, o->x, m->value), err);
}

static double *copy_of(zw_orbits *o, const double *from, size_t n) {
    double *to = ZW_NEW(&o->work, double, (int)n + 1);
    if (to)
        memcpy(to, from, sizeof(double) * n);
    return to;
}

zw_status zw_orbits_save_state(zw_orbits *o, double value, zw_orbits_saved_state *out,
                               zw_error *err) {
    size_t n = (size_t)zw_orbits_problem(o).n + 1, nx = (size_t)o->nx;
    int N = zw_colloc_intervals(o->c);
    *out = (zw_orbits_saved_state){.intervals = N,
                                   .times = o->times,
                                   .period = zw_colloc_period(o->c, o->x),
                                   .value = value,
                                   .mesh = copy_of(o, zw_colloc_mesh(o->c), (size_t)N + 1),
                                   .x = copy_of(o, o->x, n),
                                   .tangent = copy_of(o, o->tangent, n),
                                   .turn = copy_of(o, o->turn, nx),
                                   .sign = copy_of(o, o->sign, nx)};
    if (o->group.n)
        out->theta = copy_of(o, o->group.theta, (size_t)o->group.n);
    return zw_arena_status(&o->work, err);
}

zw_status zw_orbits_restore_state(zw_orbits *o, const zw_orbits_saved_state *k, zw_error *err) {
    double period, slope;
    o->times = k->times;
    memcpy(o->turn, k->turn, sizeof(double) * (size_t)o->nx);
    memcpy(o->sign, k->sign, sizeof(double) * (size_t)o->nx);
    if (k->theta)
        memcpy(o->group.theta, k->theta, sizeof(double) * (size_t)o->group.n);
    ZW_TRY(zw_orbits_set(o, k->value, o->now, &period, &slope, err));
    ZW_TRY(make_collocation(o, k->intervals, err));
    ZW_TRY(zw_colloc_set_mesh(o->c, k->mesh, err));
    size_t size = sizeof(double) * (size_t)(zw_orbits_problem(o).n + 1);
    memcpy(o->x, k->x, size);
    memcpy(o->tangent, k->tangent, size);
    ZW_TRY(zw_orbits_rescale(o, k->period, err));
    return zw_colloc_refer(o->c, o->x, zw_orbits_inner_value(o, o->x, k->value), err);
}

int zw_orbits_needed_intervals(const zw_orbits *o, double error) {
    int n = zw_colloc_intervals(o->c), most = o->options.intervals_max * o->times;
    if (o->options.intervals)
        return o->options.intervals * o->times;
    double ratio = pow(2 * error / o->options.tolerance, 1. / (o->options.stages + 1));
    int next = (int)ceil(n * fmin(fmax(ratio, 0.5), 2));
    next = next < INTERVALS_FIRST ? INTERVALS_FIRST : next;
    return next < most ? next : most;
}

/* has the orbit shrunk to a point? */
static bool is_point(const zw_orbits *o) {
    int n = zw_colloc_intervals(o->c), stride = o->nx * (o->options.stages + 1);
    for (int i = 0; i < o->nx; i++)
        for (int j = 1; j < n; j++)
            if (fabs(o->x[j * stride + i] - o->x[i]) > POINT_SIZE * o->scale[i] / SCALE_MIN)
                return false;
    return true;
}

void zw_orbits_store_closing(zw_orbits *o) {
    for (int g = 0; g < o->group.n; g++)
        o->group.theta[g] = zw_colloc_theta(o->c)[g];
    o->leftover = zw_colloc_leftover(o->c);
}

static zw_status reject_point(const zw_orbits *o, zw_error *err) {
    zw_fail(err, ZW_E_NUMERIC, "the solution found is an equilibrium, not an orbit");
    for (int i = 0; i < o->sys->nq && o->has_over; i++)
        if (o->sys->coord[i].period &&
            zw_depends(o->sys->ctx, o->sys->coord[i].period, o->sys->param[o->over.parameter].sym))
            zw_error_hint(err,
                          "if %s rotates: the length of its turns depends on %s, so that its "
                          "orbits cannot be followed over %s",
                          o->sys->coord[i].name, o->over.name, o->over.name);
    return ZW_E_NUMERIC;
}

zw_status zw_orbits_refine(zw_orbits *o, double value, zw_error *err) {
    double *list[] = {o->x}, before = INFINITY;
    o->is_point = false;
    for (int i = 0; i < REFINEMENTS; i++) {
        zw_cont_problem p = zw_orbits_problem(o);
        int iterations;
        ZW_TRY(zw_colloc_refer(o->c, o->x, zw_orbits_inner_value(o, o->x, value), err));
        if (o->free)
            ZW_TRY(zw_orbits_free_rows(o, value, err));
        ZW_TRY(zw_cont_correct(&p, ZW_NEWTON, o->x, value, &iterations, NULL, err));
        if (i == 0)
            o->iterations = iterations;
        zw_orbits_store_closing(o);
        o->is_point = o->autonomous && is_point(o);
        if (o->is_point)
            return reject_point(o, err);
        double error = zw_colloc_error(o->c, o->x);
        int next = zw_orbits_needed_intervals(o, error), now = zw_colloc_intervals(o->c);
        bool fine = error <= o->options.tolerance && next > COARSEN_BELOW * now,
             worse = error > o->options.tolerance && next <= now && error > 0.5 * before;
        if (i > 0 && (fine || worse))
            break;
        before = error;
        ZW_TRY(zw_orbits_adapt(o, next, 1, list, err));
    }
    return zw_colloc_refer(o->c, o->x, zw_orbits_inner_value(o, o->x, value), err);
}

/* -------------------------------------------------------------------------------------- queries */

const double *zw_orbits_given(const zw_orbits *o, int *n) {
    *n = o->nvalue;
    return o->values;
}

int zw_orbits_count(const zw_orbits *o) {
    return o->nmotion;
}

const zw_orbit_motion *zw_orbits_at(const zw_orbits *o, int number) {
    assert(number >= 0 && number < zw_orbits_count(o));
    return &o->motion[number];
}

int zw_orbits_branches(const zw_orbits *o) {
    return o->nbranch;
}

zw_cont_end zw_orbits_branch_end(const zw_orbits *o, int branch, int side) {
    assert(branch >= 0 && branch < zw_orbits_branches(o) && (side == 0 || side == 1));
    return o->branch[branch].end[side];
}

const zw_parameter_range *zw_orbits_over(const zw_orbits *o) {
    return o->has_over ? &o->over : NULL;
}

int zw_orbits_quantities(const zw_orbits *o) {
    return o->nquantity;
}

const char *zw_orbits_quantity(const zw_orbits *o, int i, const char **unit) {
    assert(i >= 0 && i < zw_orbits_quantities(o));
    const zw_system *s = o->sys;
    *unit = i < s->nq ? s->coord[i].unit : s->observable[i - s->nq].unit;
    return i < s->nq ? s->coord[i].name : s->observable[i - s->nq].name;
}
