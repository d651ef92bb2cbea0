/* SPDX-License-Identifier: MIT */
/* Motions one after the other: a run for the motion, Gauss's collocation for its disturbances between the steps of the run (analysis/variation.h), with what a jump of the rates
 * does to them (analysis/shooting.h). Nothing of it is shared with the ensemble, so that either is a check of the other. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "analysis/shooting.h"
#include "lyapunov.h"

enum { STAGES = 5 }; /* with steps of 1/rate: to 1e-11 */

bool zw_lyapunov_is_trouble(zw_status status) {
    return status == ZW_E_NUMERIC || status == ZW_E_DOMAIN || status == ZW_E_NONFINITE ||
           status == ZW_E_SINGULAR || status == ZW_E_START;
}

/* ------------------------------------------------------------------------------------------------------ walker */

zw_status zw_lyapunov_walker_init(zw_lyapunov_walker *w, zw_lyapunov *s, const zw_run_options *run,
                                  zw_error *err) {
    zw_kernel_options k = zw_kernel_options_default();
    zw_error ignored = {0};
    *w = (zw_lyapunov_walker){0};
    k.jit = ZW_JIT_NEVER;
    k.modes = true;
    k.functions = ZW_FUNCTIONS_ALL_METHODS | ZW_SET(SWITCHES) | ZW_SET(SWITCH_LIVE) |
                  ZW_SET(SWITCH_RATE) | (s->acts ? ZW_SET(ACT) : 0);
    ZW_TRY(zw_kernel_create(&w->kernel, &s->eq, &k, err));
    (void)zw_kernel_compile(w->kernel, &ignored);
    ZW_TRY(zw_run_create(&w->run, w->kernel, s->p, run, err));
    zw_run_on_want(w->run, zw_kernel_serve, w->kernel);
    w->x = ZW_NEW(&s->arena, double, s->nx + 1);
    return w->x ? ZW_OK : zw_lyapunov_no_memory(err);
}

void zw_lyapunov_walker_clear(zw_lyapunov_walker *w) {
    zw_run_destroy(w->run);
    zw_kernel_destroy(w->kernel);
    *w = (zw_lyapunov_walker){0};
}

zw_status zw_lyapunov_walker_start(zw_lyapunov_walker *w, zw_lyapunov *s, const double *p, double t,
                                   const bool *given, double *x, zw_error *err) {
    int n = s->sys->nq + s->sys->nv;
    zw_arena_mark mark = zw_arena_mark_now(&s->arena);
    zw_said *said = ZW_NEW(&s->arena, zw_said, n + 1);
    double *start = ZW_NEW(&s->arena, double, n + 1);
    if (s->arena.failed)
        return zw_lyapunov_no_memory(err);
    ZW_TRY(zw_run_set_parameters(w->run, p, err));
    ZW_TRY(zw_lyapunov_set(s, zw_run_flow(w->run), p, err));
    bool all = given != NULL;
    for (int i = 0; i < s->nx && given; i++)
        all = all && given[i];
    if (all)
        return zw_run_project(w->run, t, x, NULL, err);
    ZW_TRY(zw_system_start_said(s->sys, p, start, said, s->width, err));
    memcpy(x, start, sizeof(double) * (size_t)(n < s->nx ? n : s->nx));
    ZW_TRY(zw_run_complete(w->run, t, x, said, s->width, NULL, err));
    zw_arena_release(&s->arena, mark);
    return ZW_OK;
}

static zw_status accumulates(const zw_lyapunov *s, int event, double t, zw_error *err) {
    return zw_fail(err, ZW_E_NUMERIC, "the event %s comes more and more often near t = %.10g",
                   s->sys->event[event].name, t);
}

zw_status zw_lyapunov_walk(zw_lyapunov_walker *w, zw_lyapunov *s, double t, zw_error *err) {
    int event;
    for (int acts = 0;;) {
        zw_status status = zw_run_advance(w->run, t, &event, err);
        if (status != ZW_EVENT)
            return status;
        if (!s->acts || !s->act[event])
            continue;
        double now = zw_run_time(w->run);
        if (++acts > ZW_LYAPUNOV_ACTS_MOST)
            return accumulates(s, event, now, err);
        memcpy(w->x, zw_run_state(w->run), sizeof(double) * (size_t)s->nx);
        ZW_TRY(zw_lyapunov_act(s, zw_run_flow(w->run), event, now, w->x, 0, NULL, err));
        ZW_TRY(zw_run_start(w->run, now, w->x, err));
    }
}

/* ----------------------------------------------------------------------------------------------------- motions */

typedef struct alone {
    zw_lyapunov *s;
    zw_lyapunov_walker walker;
    zw_leg leg;
    zw_variation v;
    int variations;
    bool *given;
    double *end;
    zw_ensemble_motion m;
} alone;

/* one stretch, with the disturbances */
static zw_status go(alone *a, double t, zw_error *err) {
    zw_ensemble_motion *m = &a->m;
    int nx = a->s->nx, k = a->variations;
    for (int i = 0; i < nx; i++)
        for (int j = 0; j < k; j++)
            a->v.Y[i * k + j] = m->variation[j * nx + i];
    a->v.n = k;
    a->v.nchunk = ZW_CHUNKS_MAX; /* no nodes: the client has its own */
    a->leg.v = k ? &a->v : NULL;
    for (int event = 0, acts = 0; event >= 0; acts++) {
        ZW_TRY(zw_leg_run_to(&a->leg, m->t, m->x, t, a->s->act, &event, &m->t, a->end, err));
        memcpy(m->x, a->end, sizeof(double) * (size_t)nx);
        if (acts > ZW_LYAPUNOV_ACTS_MOST)
            return accumulates(a->s, event, m->t, err);
        if (event >= 0)
            ZW_TRY(zw_lyapunov_act(a->s, zw_run_flow(a->walker.run), event, m->t, m->x, k, a->v.Y,
                                   err));
    }
    if (a->leg.tangled)
        return zw_fail(err, ZW_E_NUMERIC,
                       "rates jump in several ways at once, or the motion slides along a jump, "
                       "between t = %.6g and %.6g",
                       m->t, t);
    m->t = t;
    for (int i = 0; i < nx; i++)
        for (int j = 0; j < k; j++)
            m->variation[j * nx + i] = a->v.Y[i * k + j];
    return ZW_OK;
}

/* without disturbances the run goes on as it likes */
static zw_status go_plain(alone *a, double t, bool fresh, zw_error *err) {
    zw_ensemble_motion *m = &a->m;
    if (fresh) {
        zw_run_on_piece(a->walker.run, NULL, NULL);
        ZW_TRY(zw_run_start(a->walker.run, m->t, m->x, err));
    }
    ZW_TRY(zw_lyapunov_walk(&a->walker, a->s, t, err));
    memcpy(m->x, zw_run_state(a->walker.run), sizeof(double) * (size_t)a->s->nx);
    m->t = t;
    return ZW_OK;
}

static zw_status follow(alone *a, const zw_ensemble_client *client, int count, zw_error *err) {
    zw_ensemble_motion *m = &a->m;
    zw_lyapunov *s = a->s;
    ZW_TRY(zw_lyapunov_walker_start(&a->walker, s, m->p, m->t, a->given, m->x, err));
    bool fresh = true;
    for (;;) {
        if (zw_lyapunov_asked_to_stop(s, (double)m->number / count))
            return ZW_STOPPED;
        ZW_TRY(a->variations ? go(a, m->next, err) : go_plain(a, m->next, fresh, err));
        fresh = false;
        zw_ensemble_reply reply = client->visit(client->user, m);
        if (reply == ZW_ENSEMBLE_DONE)
            return ZW_OK;
        if (reply == ZW_ENSEMBLE_CHANGED && !a->variations) {
            ZW_TRY(zw_run_set_parameters(a->walker.run, m->p, err));
            ZW_TRY(zw_run_project(a->walker.run, m->t, m->x, NULL, err));
            fresh = true;
        }
    }
}

static zw_status begin(alone *a, const zw_ensemble_client *client, int number, zw_error *err) {
    zw_lyapunov *s = a->s;
    zw_ensemble_motion *m = &a->m;
    m->number = (uint64_t)number;
    m->t = 0;
    m->status = ZW_OK;
    m->why = NULL;
    m->event = -1;
    memcpy(m->p, s->p, sizeof(double) * (size_t)s->sys->np);
    memset(a->given, 0, sizeof(bool) * (size_t)s->nx);
    (void)err;
    client->begin(client->user, m, a->given);
    return ZW_OK;
}

static zw_status work(alone *a, const zw_ensemble_client *client, size_t memory, int count,
                      zw_error *err) {
    zw_lyapunov *s = a->s;
    for (int i = 0; i < count && !s->stopped; i++) {
        zw_error trouble = {0};
        memset(a->m.memory, 0, memory);
        ZW_TRY(begin(a, client, i, err));
        zw_status status = follow(a, client, count, &trouble);
        if (status < 0 && !zw_lyapunov_is_trouble(status)) {
            if (err)
                *err = trouble;
            return status;
        }
        a->m.status = status;
        a->m.why = trouble.text;
        client->end(client->user, &a->m);
    }
    return ZW_OK;
}

zw_status zw_lyapunov_alone(zw_lyapunov *s, const zw_ensemble_client *client, int variations,
                            size_t memory, int count, zw_error *err) {
    alone a = {.s = s, .variations = variations};
    zw_run_options run = zw_lyapunov_steps(s, variations > 0);
    zw_arena_mark mark = zw_arena_mark_now(&s->arena);
    a.given = ZW_NEW(&s->arena, bool, s->nx + 1);
    a.end = ZW_NEW(&s->arena, double, s->nx + 1);
    a.m.p = ZW_NEW(&s->arena, double, s->sys->np + 1);
    a.m.x = ZW_NEW(&s->arena, double, s->nx + 1);
    a.m.variation = ZW_NEW(&s->arena, double, variations * s->nx + 1);
    a.m.memory = zw_arena_alloc(&s->arena, memory + 1);
    zw_status status = s->arena.failed ? zw_lyapunov_no_memory(err) : ZW_OK;
    if (status >= 0)
        status = zw_lyapunov_walker_init(&a.walker, s, &run, err);
    if (status >= 0)
        status = zw_leg_init(&a.leg, &s->arena, a.walker.run, err);
    if (status >= 0)
        status = zw_variation_init(&a.v, &s->arena, zw_run_flow(a.walker.run), STAGES, 1, err);
    if (status >= 0)
        status = work(&a, client, memory, count, err);
    zw_lyapunov_walker_clear(&a.walker);
    zw_arena_release(&s->arena, mark);
    return status;
}
