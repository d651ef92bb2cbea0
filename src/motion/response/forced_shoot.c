/* SPDX-License-Identifier: MIT */
/* Periodic motions by shooting (zwang/periodic.h): no series is needed, so forces may have kinks
 * and jumps, and the results are independent of harmonic balance. Their Fourier coefficients are
 * reported all the same. */
#include <math.h>
#include <string.h>

#include "base/arena.h"
#include "base/random.h"
#include "base/tolerance.h"
#include "forced.h"
#include "motion/event_orbits/event_orbits.h"
#include "sim/driven_sim.h"

enum { SEED = 13, SETTLE_FAR = 20 };
/* relative to the range of a coordinate: gain per period that is no rounding or error of the
 * integration */
#define DRIFT_LEAST 1e-8

typedef struct shooting_task {
    zw_forced *f;
    zw_kernel *kernel; /* kernel of one lane, with modes */
    double value, w;
    double *x, *from, *scale; /* nx: start; start of the model; sizes */
    zw_shooting_options options;
} shooting_task;

static zw_status prepare_shooting(shooting_task *g, int nodes, zw_error *err) {
    zw_forced *f = g->f;
    zw_kernel_options o = zw_kernel_options_default();
    double slope, *start = ZW_NEW(&f->arena, double, f->sys->nq + f->sys->nv + 1);
    bool *fixed = ZW_NEW(&f->arena, bool, f->sys->nq + f->sys->nv + 1);
    o.jit = ZW_JIT_WHEN_IT_PAYS;
    o.modes = true;
    o.functions =
        ZW_FUNCTIONS_ALL_METHODS | ZW_SET(SWITCHES) | ZW_SET(SWITCH_LIVE) | ZW_SET(SWITCH_RATE);
    ZW_TRY(zw_forced_set(f, g->value, f->now, &g->w, &slope, err));
    ZW_TRY(zw_kernel_create(&g->kernel, &f->eq, &o, err));
    g->x = ZW_NEW(&f->arena, double, g->kernel->nx + 1);
    g->from = ZW_NEW(&f->arena, double, g->kernel->nx + 1);
    g->scale = ZW_NEW(&f->arena, double, g->kernel->nx + 1);
    if (f->arena.failed)
        return zw_out_of_memory(err, NULL);
    for (int i = 0; i < g->kernel->nx; i++) {
        int of = i < f->sys->nq ? i : i - f->sys->nq;
        g->scale[i] =
            of < f->sys->nq ? fmax(f->width[of], ZW_TINY) * (i < f->sys->nq ? 1 : g->w) : 1;
    }
    ZW_TRY(zw_system_start_state(f->sys, f->now, start, fixed, err));
    ZW_TRY(zw_equations_state(&f->eq, 0, f->now, start, g->from, err));
    g->options = zw_shooting_options_default();
    g->options.period = 2 * M_PI / g->w;
    g->options.nodes = nodes;
    g->options.scale = g->scale;
    g->options.harmonics = zw_forced_shooting_harmonics(f) * f->options.order;
    return ZW_OK;
}

/* a random start, with sizes from a hundredth to ten times those of the model */
static void scatter_start(shooting_task *g, int number) {
    zw_random random = zw_random_stream(SEED, (uint64_t)number);
    const zw_forced *f = g->f;
    double size = pow(10, zw_random_real(&random, -2, 1));
    memcpy(g->x, g->from, sizeof(double) * (size_t)g->kernel->nx);
    for (int i = 0; i < f->sys->nq; i++)
        g->x[i] += size * f->width[i] * zw_random_real(&random, -1, 1);
    for (int i = 0; i < f->sys->nv; i++) /* velocities at the excitation frequency */
        g->x[f->sys->nq + i] += size * g->scale[f->sys->nq + i] * zw_random_real(&random, -1, 1);
}

/* x: its n coefficients of each coordinate; a motion of several periods may begin with any period
 * of the excitation */
static bool is_known(const shooting_task *g, const zw_shooting *s, const double *x, int n) {
    const zw_forced *f = g->f;
    for (int i = 0; i < f->nmotion; i++) {
        const zw_forced_motion *m = &f->motion[i];
        double distance = 0;
        if (!m->state || (m->value != g->value && !(isnan(m->value) && isnan(g->value))))
            continue;
        for (int k = 0; k < f->sys->nq; k++)
            distance = fmax(distance, fabs(m->state[k] - s->x[k]) / fmax(f->width[k], ZW_TINY));
        if (distance <= ZW_SAME_SOLUTION || (f->options.order > 1 && zw_forced_is_same(f, x, n, m)))
            return true;
    }
    return false;
}

/* measures of coordinates and observables, which follow the state */
static void take_measures(const zw_forced *f, const zw_shooting *s, zw_motion_measure *out) {
    for (int i = 0; i < f->nquantity; i++) {
        int k = i < f->sys->nq ? i : s->nx + i - f->sys->nq,
            at = k * (s->harmonics + 1) + f->options.order;
        out[i] = (zw_motion_measure){.mean = s->mean[k],
                                     .rms = s->rms[k],
                                     .max = s->max[k],
                                     .min = s->min[k],
                                     .first = hypot(s->cosine[at], s->sine[at])};
        out[i].phase = out[i].first > 0 ? atan2(-s->sine[at], s->cosine[at]) : 0;
    }
}

static void take_coefficients(const zw_forced *f, const zw_shooting *s, double *x, int n) {
    for (int i = 0; i < f->sys->nq; i++)
        for (int h = 0; h <= s->harmonics; h++) {
            int at = i * (s->harmonics + 1) + h;
            if (h > 0)
                x[i * n + 2 * h] = s->sine[at];
            x[i * n + (h > 0 ? 2 * h - 1 : 0)] = s->cosine[at];
        }
}

zw_status zw_forced_add_shooting(zw_forced *f, const zw_shooting *s, const zw_forced_motion *as,
                                 zw_error *err) {
    int n = 2 * s->harmonics + 1, nm = s->floquet.n;
    double *x = ZW_NEW(&f->arena, double, n * f->nfunction + 1),
           *state = ZW_NEW(&f->arena, double, s->nx + 1), *re = ZW_NEW(&f->arena, double, nm + 1),
           *im = ZW_NEW(&f->arena, double, nm + 1),
           *drift = ZW_NEW(&f->arena, double, f->sys->nq + 1);
    zw_motion_measure *measured = ZW_NEW(&f->arena, zw_motion_measure, f->nquantity + 1);
    if (f->arena.failed || !zw_arena_grow(&f->arena, (void **)&f->motion, f->nmotion,
                                          &f->motion_capacity, sizeof *f->motion))
        return zw_out_of_memory(err, NULL);
    take_coefficients(f, s, x, n);
    take_measures(f, s, measured);
    memcpy(state, s->x, sizeof(double) * (size_t)s->nx);
    for (int i = 0; s->drift && i < f->sys->nq; i++)
        drift[i] = fabs(s->drift[i]) > DRIFT_LEAST * (f->width[i] + s->max[i] - s->min[i])
                       ? s->drift[i]
                       : 0;
    memcpy(re, s->floquet.re, sizeof(double) * (size_t)nm);
    memcpy(im, s->floquet.im, sizeof(double) * (size_t)nm);
    f->motion[f->nmotion++] = (zw_forced_motion){.value = as->value,
                                                 .w = as->w,
                                                 .harmonics = zw_forced_shooting_harmonics(f),
                                                 .x = x,
                                                 .ncoefficient = n,
                                                 .measure = measured,
                                                 .error = NAN,
                                                 .nmultiplier = nm,
                                                 .re = re,
                                                 .im = im,
                                                 .accuracy = s->floquet.accuracy,
                                                 .outside = s->floquet.outside,
                                                 .floquet = NAN,
                                                 .verdict = s->floquet.verdict,
                                                 .event = as->event,
                                                 .curve = as->curve,
                                                 .energy = NAN,
                                                 .state = state,
                                                 .drift = drift,
                                                 .residual = s->residual,
                                                 .jumps = s->jumps};
    return ZW_OK;
}

/* checks the coordinates along a motion, by a run of one period */
static zw_status check_coordinates(shooting_task *g, const double *x, zw_error *err) {
    zw_forced *f = g->f;
    zw_error ignored = {0}; /* very unstable motions may leave the orbit within a period */
    zw_sim_singular singular = {.eq = &f->eq, .x = ZW_NEW(&f->arena, double, g->kernel->nx + 1)};
    if (!singular.x)
        return zw_out_of_memory(err, NULL);
    ZW_TRY(zw_run_create(&singular.run, g->kernel, f->now, NULL, err));
    zw_run_on_warning(singular.run, zw_sim_on_singular, &singular);
    zw_status status = zw_run_start(singular.run, 0, x, &ignored);
    for (int event = -1; status == ZW_OK || status == ZW_EVENT;) {
        status = zw_run_advance(singular.run, g->options.period, &event, &ignored);
        if (status == ZW_OK)
            break;
    }
    zw_run_destroy(singular.run);
    zw_singular_take(&f->singular, singular.text, g->value);
    return ZW_OK;
}

static zw_status add_motion(shooting_task *g, const zw_shooting *s, zw_error *err) {
    zw_forced *f = g->f;
    int n = 2 * s->harmonics + 1;
    zw_arena_mark mark = zw_arena_mark_now(&f->arena);
    double *x = ZW_NEW(&f->arena, double, n * f->nfunction + 1);
    if (!x)
        return zw_out_of_memory(err, NULL);
    take_coefficients(f, s, x, n);
    bool known = is_known(g, s, x, n);
    zw_arena_release(&f->arena, mark);
    const zw_forced_motion as = {
        .value = g->value, .w = g->w, .event = ZW_BIFURCATION_POINT, .curve = -1};
    if (known)
        return ZW_OK;
    ZW_TRY(g->kernel ? check_coordinates(g, s->x, err) : ZW_OK);
    return zw_forced_add_shooting(f, s, &as, err);
}

/* ZW_RETRY: nothing was found from there */
static zw_status shoot_once(shooting_task *g, int settle, zw_error *err) {
    zw_shooting s = {0};
    g->options.settle = settle;
    zw_status status = zw_shooting_find(&s, g->kernel, g->f->now, g->x, &g->options, err);
    if (status >= 0)
        status = add_motion(g, &s, err);
    zw_shooting_clear(&s);
    if (status != ZW_E_NUMERIC && status != ZW_E_SINGULAR)
        return status;
    return ZW_RETRY;
}

static zw_status shoot_all(shooting_task *g, int starts, zw_error *err) {
    zw_forced *f = g->f;
    zw_error first = {0};
    memcpy(g->x, g->from, sizeof(double) * (size_t)g->kernel->nx);
    zw_status status = shoot_once(g, f->options.settle, &first);
    if (status < 0) {
        *err = first;
        return status;
    }
    for (int i = 0; i < starts && !f->stopped; i++) {
        zw_error why = {0};
        scatter_start(g, i);
        /* without settling for unstable motions */
        status = shoot_once(g, i % 2 ? SETTLE_FAR : 0, &why);
        if (status < 0) {
            *err = why;
            return status;
        }
        f->stopped =
            f->options.stop && f->options.stop(f->options.stop_user, (double)(i + 1) / starts);
    }
    if (f->nmotion > 0)
        return ZW_OK;
    *err = first;
    zw_error_hint(err, "--starts 50 tries others, --nodes 8 follows what is very unstable; the "
                       "motion may be quasi-periodic or chaotic");
    return ZW_E_NUMERIC;
}

/* ------------------------------------------------------------------------------- through events */

zw_shooting zw_forced_orbit_shooting(const zw_segmented_motion *m) {
    zw_shooting s = *m->record;
    s.x = (double *)m->x;
    s.residual = fmax(m->residual, isnan(m->confirmed) ? 0 : m->confirmed);
    s.floquet = (zw_floquet){.n = m->nmultiplier,
                             .re = (double *)m->re,
                             .im = (double *)m->im,
                             .accuracy = m->accuracy,
                             .outside = m->outside,
                             .verdict = m->verdict};
    return s;
}

static zw_status add_through_events(shooting_task *g, const zw_segmented_motion *m, zw_error *err) {
    zw_forced *f = g->f;
    int before = f->nmotion;
    zw_shooting s = zw_forced_orbit_shooting(m);
    ZW_TRY(add_motion(g, &s, err));
    if (f->nmotion == before || !m->signature[0])
        return ZW_OK;
    char *events = zw_arena_string(&f->arena, m->signature);
    f->motion[before].events = events;
    return events ? ZW_OK : zw_out_of_memory(err, NULL);
}

static zw_status find_through_events(shooting_task *g, zw_event_orbits *o, int starts,
                                     zw_error *err) {
    zw_error first = {0};
    zw_status status = zw_event_orbits_find(o, g->value, NULL, &first);
    if (status == ZW_E_MEMORY || (status < 0 && starts == 0)) {
        *err = first;
        return status;
    }
    if (starts > 0)
        ZW_TRY(zw_event_orbits_search(o, g->value, starts, NULL, err));
    for (int i = 0; i < zw_event_orbits_count(o); i++)
        ZW_TRY(add_through_events(g, zw_event_orbits_at(o, i), err));
    if (g->f->nmotion > 0)
        return ZW_OK;
    *err = first;
    return ZW_E_NUMERIC;
}

static zw_status shoot_through_events(shooting_task *g, int nodes, int starts, zw_error *err) {
    zw_forced *f = g->f;
    zw_event_orbits_options options = zw_event_orbits_options_default();
    zw_event_orbits *o;
    double slope;
    if (nodes > 1)
        return zw_fail(err, ZW_E_OPTION,
                       "--nodes: events of the model cut its periods into pieces already");
    if (f->options.with)
        return zw_fail(err, ZW_E_OPTION,
                       "events of the model change the motion: one value of a parameter at a time");
    options.over = f->options.over;
    options.order = f->options.order;
    options.settle = f->options.settle;
    options.active = f->options.active;
    options.harmonics = zw_forced_shooting_harmonics(f);
    options.stop = f->options.stop;
    options.stop_user = f->options.stop_user;
    ZW_TRY(zw_forced_set(f, g->value, f->now, &g->w, &slope, err));
    ZW_TRY(zw_event_orbits_create(&o, f->sys, &options, err));
    zw_status status = find_through_events(g, o, starts, err);
    zw_singular_take(&f->singular, o->singular.text, g->value);
    zw_event_orbits_destroy(o);
    return status;
}

zw_status zw_forced_shoot(zw_forced *f, double value, int nodes, int starts, int *found,
                          zw_error *err) {
    shooting_task g = {.f = f, .value = value};
    int before = f->nmotion;
    ZW_TRY(zw_forced_reject_winding(f, "--shooting", err));
    ZW_TRY(zw_forced_tones_reject(f, "--shooting", err));
    bool events = zw_event_orbits_suit(f->sys);
    zw_status status =
        events ? shoot_through_events(&g, nodes, starts, err) : prepare_shooting(&g, nodes, err);
    if (status >= 0 && !events)
        status = shoot_all(&g, starts, err);
    zw_kernel_destroy(g.kernel);
    if (found)
        *found = f->nmotion - before;
    return status;
}

zw_status zw_forced_shoot_near(zw_forced *f, double value, const double *x, int *number,
                               zw_error *err) {
    shooting_task g = {.f = f, .value = value};
    int before = f->nmotion;
    zw_status status = prepare_shooting(&g, 1, err);
    if (status >= 0) {
        memcpy(g.x, x, sizeof(double) * (size_t)g.kernel->nx);
        status = shoot_once(&g, 0, err);
    }
    zw_kernel_destroy(g.kernel);
    *number = f->nmotion - 1;
    return status == ZW_RETRY || (status >= 0 && f->nmotion == before) ? ZW_E_NUMERIC : status;
}
