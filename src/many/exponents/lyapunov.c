/* SPDX-License-Identifier: MIT */
/* The sequence of the computation: a pilot motion for sizes and time scales (lyapunov_pilot.c), the
 * transients of all points and the exponents after them (lyapunov_measure.c), the ends of the
 * motions (lyapunov_ends.c), and the conclusions (lyapunov_judge.c). */
#include "lyapunov.h"

#include <math.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "base/arena.h"
#include "base/option.h"
#include "base/tolerance.h"
#include "claims/structure/kept_quantities.h"
#include "mech/system/build.h"
#include "motion/event_orbits/event_orbits.h"
#include "motion/jumps.h"
#include "motion/winding_number.h"
#include "num/options.h"
#include "zwang/claims.h"
#include "zwang/equations.h"

#define BYTES_PER_GB 1e9 /* unit */

enum {
    MOTIONS = 8,         /* default number of motions of a single point */
    MOTIONS_MOST = 4096, /* of a point */
    THREADS_MOST = 1024, /* an obvious mistake beyond */
    PARTS = 16,          /* of all points, */
    LEAST_PART = 16,     /* enough points to occupy all threads */
    /* points that are computed together: results are lost if the study is stopped */
    MOST_PART = 256
};
#define LARGEST_POINTS 1e7 /* more points are a mistake of the range */
#define LARGEST_BYTES 16e9 /* of memory for the motions, that of a usual computer */
/* Duration of the transient in fast time scales. Chosen by trial: exponents of fast decay have
 * settled; slower ones are found by comparing the halves of the measured time. */
#define TRANSIENT_SCALES 100
/* the same of the measured time: exponents down to 6/1000 per time scale are resolved, */
#define TIME_SCALES 1000
#define TIME_SCALES_OVER 300 /* and at each of many points */
/* the same durations in slow time scales are these times SLOW_SCALES */
#define SLOW_SCALES 0.3

void zw_lyapunov_options_init(zw_lyapunov_options *options, size_t size) {
    const zw_lyapunov_options all = {.size = size};
    zw_options_begin(options, size, &all, sizeof all);
}

bool zw_lyapunov_asked_to_stop(zw_lyapunov *s, double done) {
    double all = s->progress + s->share * done;
    s->stopped = s->stopped || (s->options.stop && s->options.stop(s->options.stop_user, all));
    return s->stopped;
}

const char *zw_lyapunov_principle(const zw_lyapunov *s) {
    return s->options.principle ? s->options.principle : "lagrange";
}

double zw_lyapunov_transient(const zw_lyapunov *s, int point) {
    double tau = s->tau[point], asked = s->options.transient;
    double time = asked > 0 ? asked : TRANSIENT_SCALES * fmax(tau, SLOW_SCALES * s->slow);
    return s->autonomous || s->has_no_period ? time : ceil(time / tau - ZW_SAME_VALUE) * tau;
}

double zw_lyapunov_time(const zw_lyapunov *s, int point) {
    double asked = s->options.time;
    return asked > 0 ? asked
                     : (s->nover ? TIME_SCALES_OVER : TIME_SCALES) *
                           fmax(s->tau[point], SLOW_SCALES * s->slow);
}

/* ---- models that are not supported ---- */

static zw_status check_supported(const zw_lyapunov *s, zw_error *err) {
    const zw_system *y = s->sys;
    if (s->hybrid && !s->source)
        return zw_fail(err, ZW_E_OPTION,
                       "exponents through contacts and events need the text of the model");
    if (s->hybrid && s->options.engine != ZW_LYAPUNOV_CHOSEN &&
        s->options.engine != ZW_LYAPUNOV_ENSEMBLE)
        return zw_fail(err, ZW_E_OPTION,
                       "--engine: motions through contacts and events need --engine ensemble");
    for (int i = 0; i < y->nsignal; i++)
        if (y->signal[i].table >= 0)
            return zw_fail_at(err, ZW_E_OPTION, y->signal[i].place,
                              "exponents are means over long times, and the table of the signal %s "
                              "ends",
                              y->signal[i].name);
    return ZW_OK;
}

/* Motions restart where others have ended: what events change besides the state would be lost, and
 * a clock could tick twice. */
static zw_status reject_memory(const zw_system *y, const zw_event *e, zw_error *err) {
    for (int k = 0; k < e->naction; k++) {
        bool state = false;
        for (int i = 0; i < y->nq; i++)
            state = state || y->coord[i].sym == e->action[k].what;
        for (int i = 0; i < y->nv; i++)
            state = state || y->velocity[i].sym == e->action[k].what;
        if (e->action[k].kind == ZW_ACTION_SET && state && !e->period)
            continue;
        zw_fail_at(err, ZW_E_OPTION, e->place,
                   "exponents support events that set values of the state; %s %s", e->name,
                   e->period ? "occurs at fixed times" : "changes more than the state");
        zw_error_hint(err,
                      "zwang orbit computes the multipliers of periodic motions through events");
        return ZW_E_OPTION;
    }
    return ZW_OK;
}

static zw_status reject_events(zw_lyapunov *s, zw_error *err) {
    for (int i = 0; i < s->sys->nevent; i++)
        ZW_TRY(reject_memory(s->sys, &s->sys->event[i], err));
    for (int i = 0; i < s->kernel->nevt && i < s->sys->nevent; i++)
        if (s->kernel->event_stop && s->kernel->event_stop[i])
            return zw_fail_at(err, ZW_E_OPTION, s->sys->event[i].place,
                              "exponents are means over long times, and the event %s ends the "
                              "motion",
                              s->sys->event[i].name);
    return ZW_OK;
}

/* --------------------------------------------------------------------------------------- points */

/* "rho=lin:20:30:101" means the same as "rho=20:30:101". */
static zw_status read_range(zw_lyapunov *s, const char *text, zw_parameter_range *out,
                            zw_error *err) {
    const char *even = strstr(text, "=lin:");
    char *plain = zw_arena_string(&s->arena, text);
    if (!plain)
        return zw_out_of_memory(err, NULL);
    if (even)
        memmove(plain + (even - text) + 1, even + 5, strlen(even + 5) + 1);
    return zw_parameter_range_read(out, s->sys, plain, err);
}

static zw_status read_over(zw_lyapunov *s, zw_error *err) {
    s->npoint = 1;
    double all = 1;
    for (int w = 0; w < s->options.nover; w++) {
        zw_parameter_range *o = &s->over[w];
        ZW_TRY(read_range(s, s->options.over[w], o, err));
        if (o->parameter < 0)
            return zw_fail(err, ZW_E_OPTION, "--over %s: exponents are found over parameters",
                           o->name);
        if (w == 1 && o->parameter == s->over[0].parameter)
            return zw_fail(err, ZW_E_OPTION, "--over %s: it is gone along already", o->name);
        s->rows[w] = o->rows ? o->rows : s->options.nover > 1 ? 21 : 51;
        if (s->rows[w] > 1 && !(o->from != o->to))
            return zw_fail(err, ZW_E_OPTION, "--over %s: the range has no length", o->name);
        s->given[o->parameter] = true;
        all *= s->rows[w];
    }
    if (all > LARGEST_POINTS) {
        zw_fail(err, ZW_E_OPTION, "--over: %.3g points are more than fit into memory", all);
        zw_error_hint(err, "a coarser grid, or several parts of it");
        return ZW_E_OPTION;
    }
    s->nover = s->options.nover;
    s->npoint = (int)all;
    return ZW_OK;
}

static double value_at(const zw_lyapunov *s, int which, int point) {
    if (which >= s->nover)
        return NAN;
    int i = which == 0 ? point % s->rows[0] : point / s->rows[0], n = s->rows[which];
    const zw_parameter_range *o = &s->over[which];
    return n == 1 ? o->from : i == n - 1 ? o->to : o->from + (o->to - o->from) * i / (n - 1);
}

static zw_status set_points(zw_lyapunov *s, zw_error *err) {
    int np = s->sys->np;
    for (int i = 0; i < s->npoint; i++) {
        double *p = s->point_p + (size_t)i * (size_t)np;
        memcpy(p, s->p, sizeof(double) * (size_t)np);
        for (int w = 0; w < 2; w++) {
            s->point[i].at[w] = value_at(s, w, i);
            if (w < s->nover)
                p[s->over[w].parameter] = s->point[i].at[w];
        }
        if (s->nover)
            ZW_TRY(zw_system_param_follow(s->sys, s->given, p, err));
    }
    return ZW_OK;
}

zw_status zw_lyapunov_set(const zw_lyapunov *s, zw_flow *flow, const double *p, zw_error *err) {
    for (int i = 0; i < s->sys->nsignal; i++)
        s->inputs[i] = zw_system_signal_at(s->sys, i, s->p, 0, 0);
    if (s->sys->nsignal)
        zw_flow_set_inputs(flow, s->inputs);
    return zw_flow_set_parameters(flow, p, err);
}

zw_status zw_lyapunov_flow(zw_lyapunov *s, int thread, int point, zw_flow **out, zw_error *err) {
    zw_lyapunov_thread *own = &s->thread[thread];
    *out = own->flow;
    if (own->point == point)
        return ZW_OK;
    own->point = point;
    return zw_flow_set_parameters(own->flow, s->point_p + (size_t)point * (size_t)s->sys->np, err);
}

/* --------------------------------------------------------------------------------------- set-up */

static zw_status check_options(const zw_lyapunov_options *o, zw_error *err) {
    if (o->exponents < 0 || o->motions < 0 || o->motions > MOTIONS_MOST || !(o->transient >= 0) ||
        !(o->time >= 0) || o->nover < 0 || o->nover > 2 || o->threads < 0 ||
        o->threads > THREADS_MOST)
        return zw_fail(err, ZW_E_OPTION,
                       "exponents, motions (up to %d), times and threads are not negative, and "
                       "there are two ranges at most",
                       MOTIONS_MOST);
    if (o->carry && o->nover == 0)
        return zw_fail(err, ZW_E_OPTION, "motions are carried on along a range: --over");
    return ZW_OK;
}

static void find_jumps(zw_lyapunov *s) {
    for (int i = 0; i < s->sys->ncontact; i++)
        s->contacts |= !s->sys->contact[i].off;
    s->hybrid = s->contacts;
    for (int i = 0; i < s->sys->nevent; i++)
        s->hybrid |= s->sys->event[i].naction > 0;
}

/* The equations with contacts open and bilateral ones closed: these have the largest tangent space.
 * No motion leaves the integrals of velocity constraints. */
static zw_status derive_equations(zw_lyapunov *s, zw_error *err) {
    const zw_system *y = s->sys;
    bool *on = ZW_NEW(&s->arena, bool, y->nconstraint + 1);
    if (!on)
        return zw_out_of_memory(err, NULL);
    for (int i = 0; i < y->nconstraint; i++)
        on[i] = y->constraint[i].on && !zw_mech_contact_of(y, i);
    for (int i = 0; i < y->ncontact; i++)
        if (y->contact[i].bilateral && !y->contact[i].off)
            on[y->contact[i].closed] = true;
    const zw_active active = {.constraint = on};
    const zw_active *holds = s->contacts ? &active : NULL;
    int known;
    ZW_TRY(zw_system_keep_integrals(&s->on_leaf, y, holds, s->p, &known, err));
    ZW_TRY(zw_leaf_missing(y, holds, known, &s->nhidden, err));
    return zw_derive(&s->eq, &s->on_leaf, holds, zw_lyapunov_principle(s), err);
}

static zw_status build_kernel(zw_lyapunov *s, zw_error *err) {
    zw_kernel_options k = zw_kernel_options_default();
    zw_error ignored = {0};
    k.functions = ZW_FUNCTIONS_ALL_METHODS | ZW_SET(FIELD) | ZW_SET(FIELD_FIRST);
    k.jit = ZW_JIT_NEVER;
    ZW_TRY(zw_kernel_create(&s->kernel, &s->eq, &k, err));
    ZW_TRY(reject_events(s, err));
    (void)zw_kernel_compile(s->kernel, &ignored); /* without LLVM it is slower */
    return ZW_OK;
}

static zw_status build_threads(zw_lyapunov *s, zw_error *err) {
    long cores = sysconf(_SC_NPROCESSORS_ONLN);
    size_t nx = (size_t)s->nx;
    s->nthread = s->options.threads     ? s->options.threads
                 : cores < 1            ? 1
                 : cores < THREADS_MOST ? (int)cores
                                        : THREADS_MOST;
    s->thread = ZW_NEW(&s->arena, zw_lyapunov_thread, s->nthread);
    s->inputs = ZW_NEW(&s->arena, double, s->sys->nsignal + 1);
    if (s->arena.failed)
        return zw_out_of_memory(err, NULL);
    for (int i = 0; i < s->nthread; i++) {
        zw_lyapunov_thread *t = &s->thread[i];
        t->point = -1;
        t->J = ZW_NEW(&s->arena, double, nx *nx + 1);
        t->basis = ZW_NEW(&s->arena, double, nx *nx + 1);
        t->grown = ZW_NEW(&s->arena, double, nx + 1);
        t->row = ZW_NEW(&s->arena, double, nx + 1);
        if (s->arena.failed)
            return zw_out_of_memory(err, NULL);
        ZW_TRY(zw_flow_create(&t->flow, s->kernel, s->p, err));
        ZW_TRY(zw_lyapunov_set(s, t->flow, s->p, err));
    }
    return ZW_OK;
}

static zw_status build_entries(zw_lyapunov *s, zw_error *err) {
    const zw_system *y = s->sys;
    int *entry = ZW_NEW(&s->arena, int, s->nx + 1);
    double *x = ZW_NEW(&s->arena, double, y->nq + y->nv + 1);
    zw_said *said = ZW_NEW(&s->arena, zw_said, y->nq + y->nv + 1);
    s->essential = ZW_NEW(&s->arena, bool, s->nx + 1);
    s->wraps = ZW_NEW(&s->arena, bool, s->nx + 1);
    s->scale = ZW_NEW(&s->arena, double, s->nx + 1);
    s->width = ZW_NEW(&s->arena, double, y->nq + 1);
    if (s->arena.failed)
        return zw_out_of_memory(err, NULL);
    zw_flow *flow = s->thread[0].flow;
    for (int i = zw_flow_essential(flow, entry) - 1; i >= 0; i--)
        s->essential[entry[i]] = true;
    for (int i = 0; i < y->nq && i < s->eq.nq && s->hybrid; i++)
        s->essential[i] = s->essential[i] || zw_segmented_looks_at(y, i);
    for (int i = 0; i < y->nq && i < s->eq.nq; i++)
        s->wraps[i] = s->essential[i] && zw_winding_repeats(flow, i, 2 * M_PI);
    for (int k = 0; k < s->kernel->nunit; k++) /* a quaternion is no angle */
        memset(s->wraps + s->kernel->unit[k], 0, 4 * sizeof *s->wraps);
    return zw_system_start_said(y, s->p, x, said, s->width, err);
}

static zw_status find_entry(zw_lyapunov *s, zw_error *err) {
    const zw_system *y = s->sys;
    const char *names[64];
    int n = 0;
    s->of = -1;
    if (!s->options.of)
        return ZW_OK;
    for (int i = 0; i < y->nq + y->nv && i < s->nx; i++) {
        const char *name = i < y->nq ? y->coord[i].name : y->velocity[i - y->nq].name;
        if (n < 64)
            names[n++] = name;
        if (strcmp(name, s->options.of) == 0) {
            s->of = i;
            return ZW_OK;
        }
    }
    zw_fail(err, ZW_E_NAME, "--of %s: there is no coordinate, state or velocity of this name",
            s->options.of);
    const char *near = zw_nearest(s->options.of, n, names);
    if (near)
        zw_error_hint(err, "did you mean %s?", near);
    return ZW_E_NAME;
}

/* Conserved quantities, and whether the exponents come in pairs. */
static void add_zero(zw_lyapunov *s, const char *name) {
    size_t used = strlen(s->zero_names);
    snprintf(s->zero_names + used, sizeof s->zero_names - used, "%s%s", used ? ", " : "", name);
    s->zeros++;
}

static void find_zeros(zw_lyapunov *s) {
    zw_classification c;
    zw_error ignored = {0};
    zw_kept kept = {0};
    zw_equations eq = s->eq;
    if (zw_classify(&c, s->sys, NULL, &ignored) < 0)
        return;
    bool energy = false;
    int others = 0;
    for (int i = 0; i < c.nconserved; i++)
        others += !c.conserved[i].observed;
    if (!s->autonomous && others == 0 &&
        !s->hybrid) /* of others it is unknown whether they are independent */
        (void)zw_keep_conserved(&kept, &eq, &s->arena, NULL, s->p, s->given, NULL, &ignored);
    for (int i = 0; i < kept.n; i++)
        add_zero(s, kept.name[i]);
    for (int i = 0; i < c.nconserved; i++) {
        if (c.conserved[i].observed) /* it may depend on the others, or end with a contact */
            continue;
        add_zero(s, c.conserved[i].name);
        energy |= strcmp(c.conserved[i].name, "energy") == 0;
    }
    s->pairs = energy && s->autonomous && (c.n == 0 || c.set == ZW_HOLONOMIC) && c.ideal &&
               s->eq.nq - s->kernel->nunit == s->eq.nv;
}

static zw_status find_times(zw_lyapunov *s, zw_error *err) {
    bool clocks = false;
    if (s->hybrid)
        ZW_TRY(zw_segmented_forcing(&s->forcing, s->sys, &s->eq, &s->arena, &clocks, err));
    else
        ZW_TRY(zw_forcing_find(&s->forcing, &s->eq, err));
    s->autonomous = s->forcing.autonomous;
    s->nonharmonic_time = !s->autonomous && s->forcing.nother > 0;
    for (int i = 0; i < s->npoint && !s->autonomous; i++) {
        double base;
        zw_error ignored = {0};
        if (zw_forcing_base(&s->forcing, s->point_p + (size_t)i * (size_t)s->sys->np, &base, NULL,
                            &ignored) < 0)
            s->has_no_period = true;
        else
            s->tau[i] = 2 * M_PI / base;
    }
    return ZW_OK;
}

static zw_status allocate_motions(zw_lyapunov *s, zw_error *err) {
    size_t n = (size_t)s->npoint * (size_t)s->motions, nx = (size_t)s->nx + 1;
    double bytes = 8. * (double)n * (2. * (double)nx + ZW_LYAPUNOV_BLOCKS * (s->k + 2.) + 64);
    if (bytes > LARGEST_BYTES) {
        zw_fail(err, ZW_E_OPTION, "%zu motions would need %.3g GB of memory", n,
                bytes / BYTES_PER_GB);
        zw_error_hint(err, "fewer points, motions or exponents");
        return ZW_E_OPTION;
    }
    s->begin = ZW_NEW(&s->arena, double, n *nx + 1);
    s->end = ZW_NEW(&s->arena, double, n *nx + 1);
    s->block = ZW_NEW(&s->arena, double, n *(size_t)ZW_LYAPUNOV_BLOCKS *(size_t)(s->k + 2) + 1);
    s->motion = ZW_NEW(&s->arena, zw_lyapunov_motion, n + 1);
    return zw_arena_status(&s->arena, err);
}

static zw_status build_lyapunov(zw_lyapunov *s, zw_error *err) {
    const zw_system *y = s->sys;
    zw_expr jump;
    ZW_TRY(check_options(&s->options, err));
    ZW_TRY(zw_run_options_adopt(&s->run, s->options.run, err));
    s->p = ZW_NEW(&s->arena, double, y->np + 1);
    s->given = ZW_NEW(&s->arena, bool, y->np + 1);
    if (s->arena.failed)
        return zw_out_of_memory(err, NULL);
    ZW_TRY(zw_system_param_values(y, s->p, err));
    find_jumps(s);
    ZW_TRY(check_supported(s, err));
    ZW_TRY(read_over(s, err));
    s->motions = s->options.motions ? s->options.motions : s->nover ? 1 : MOTIONS;
    s->point_p = ZW_NEW(&s->arena, double, (size_t)s->npoint *(size_t)y->np + 1);
    s->tau = ZW_NEW(&s->arena, double, s->npoint + 1);
    s->point = ZW_NEW(&s->arena, zw_lyapunov_point, s->npoint + 1);
    s->done = ZW_NEW(&s->arena, bool, s->npoint + 1);
    s->doubt = ZW_NEW(&s->arena, int, s->npoint + 1);
    s->again = ZW_NEW(&s->arena, bool, s->npoint + 1);
    s->more = ZW_NEW(&s->arena, double, s->npoint + 1);
    if (s->arena.failed)
        return zw_out_of_memory(err, NULL);
    ZW_TRY(set_points(s, err));
    ZW_TRY(derive_equations(s, err));
    if (s->eq.nq != y->nq || s->eq.nv != y->nv)
        return zw_fail(err, ZW_E_OPTION, "--by %s: its states are others than those of the model",
                       s->options.principle);
    ZW_TRY(zw_find_jump(&s->eq, s->p, s->nover, s->over, &jump, err));
    s->jumps = jump != ZW_NULL;
    ZW_TRY(find_times(s, err));
    ZW_TRY(build_kernel(s, err));
    s->nx = s->kernel->nx;
    ZW_TRY(build_threads(s, err));
    ZW_TRY(build_entries(s, err));
    ZW_TRY(find_entry(s, err));
    if (!s->hybrid) /* it contains neither events nor contacts */
        find_zeros(s);
    zw_status status = zw_lyapunov_pilot(s, err);
    /* the advice for runs, other methods, does not apply here */
    if (status == ZW_E_SINGULAR && err)
        snprintf(err->hint, sizeof err->hint,
                 "disturbances need an inertia: give it a small mass, or write it as a state of "
                 "first order, state y : y' = ...");
    ZW_TRY(status);
    if (s->options.exponents > s->n) {
        zw_fail(err, ZW_E_OPTION, "--exponents %d: there are %d", s->options.exponents, s->n);
        zw_error_hint(err, "as many as directions in which the motion can be disturbed");
        return ZW_E_OPTION;
    }
    s->k = s->options.exponents ? s->options.exponents : s->n;
    return allocate_motions(s, err);
}

zw_status zw_lyapunov_create(zw_lyapunov **out, const zw_system *sys, const zw_model_source *source,
                             const zw_lyapunov_options *options, zw_error *err) {
    zw_allocator alloc = zw_context_allocator(sys->ctx);
    zw_lyapunov *s = zw_allocate(&alloc, sizeof *s);
    *out = NULL;
    if (!s)
        return zw_out_of_memory(err, NULL);
    *s = (zw_lyapunov){.sys = sys, .source = source, .options = zw_lyapunov_options_default()};
    zw_arena_init(&s->arena, &alloc);
    zw_status status = ZW_OK;
    if (options)
        status =
            zw_options_adopt(&s->options, sizeof s->options, options, "zw_lyapunov_options", err);
    if (status >= 0)
        status = build_lyapunov(s, err);
    if (status < 0)
        zw_lyapunov_destroy(s);
    else
        *out = s;
    return status;
}

void zw_lyapunov_destroy(zw_lyapunov *s) {
    if (!s)
        return;
    zw_allocator alloc = s->arena.alloc;
    for (int i = 0; i < 3; i++)
        zw_ensemble_destroy(s->kept[i].e);
    zw_kernel_destroy(s->lanes);
    for (int i = 0; i < s->nthread && s->thread; i++)
        zw_flow_destroy(s->thread[i].flow);
    zw_kernel_destroy(s->kernel);
    zw_arena_clear(&s->arena);
    zw_release(&alloc, s, sizeof *s);
}

/* ------------------------------------------------------------------------------------------ run */

static zw_status run_stage(zw_lyapunov *s, const char *name, double from, double to,
                           zw_status (*work)(zw_lyapunov *s, zw_error *err), zw_error *err) {
    if (s->stopped)
        return ZW_OK;
    double parts = (s->to - s->from) / (double)s->npoint, done = s->from / (double)s->npoint;
    s->stage = name;
    s->progress = done + parts * from;
    s->share = parts * (to - from);
    zw_status status = work(s, err);
    zw_lyapunov_asked_to_stop(s, 1);
    return status;
}

/* Number of points that are computed together, in whole lines if the state is carried on, so that
 * complete points remain when the study is stopped. It depends on the study only, not on the clock
 * or the threads: so do the results. */
static int part_of(const zw_lyapunov *s) {
    int lanes = 8, part = (s->npoint / PARTS + lanes - 1) / lanes * lanes;
    part = part < LEAST_PART ? LEAST_PART : part > MOST_PART ? MOST_PART : part;
    if (s->options.carry)
        part = (part + s->rows[0] - 1) / s->rows[0] * s->rows[0];
    return part;
}

static zw_status run_part(zw_lyapunov *s, zw_error *err) {
    s->in_step = zw_lyapunov_uses_frames(s);
    if (s->round == 0)
        ZW_TRY(run_stage(s, "the transient", 0, 0.1, zw_lyapunov_pass_transients, err));
    ZW_TRY(run_stage(s, "the measured time", 0.1, 0.7, zw_lyapunov_measure, err));
    ZW_TRY(run_stage(s, "the time after the measured one", 0.7, 1, zw_lyapunov_find_ends, err));
    for (int i = s->from; i < s->to && !(s->round > 0 && s->stopped); i++)
        if (zw_lyapunov_is_in_round(s, i))
            ZW_TRY(zw_lyapunov_judge(s, i, err));
    return ZW_OK;
}

zw_status zw_lyapunov_run(zw_lyapunov *s, zw_error *err) {
    s->part = part_of(s);
    for (s->from = 0; s->from < s->npoint && !s->stopped; s->from = s->to) {
        s->to = s->npoint - s->from > s->part ? s->from + s->part : s->npoint;
        ZW_TRY(zw_lyapunov_repeat_unsettled(s, run_part, err));
    }
    return s->stopped ? ZW_STOPPED : ZW_OK;
}

int zw_lyapunov_points(const zw_lyapunov *s) {
    return s->npoint;
}

const zw_lyapunov_point *zw_lyapunov_at(const zw_lyapunov *s, int i) {
    return i >= 0 && i < s->npoint && s->done[i] ? &s->point[i] : NULL;
}
