/* SPDX-License-Identifier: MIT */
/* Motions one after the other: a run for the motion, collocation at Gauss points for its variations
 * between the steps of the run (motion/floquet/variation.h), with their jumps where the rates jump
 * (motion/segments/shooting.h). It shares nothing with the ensemble, so that each is a check of the
 * other. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/arena.h"
#include "lyapunov.h"
#include "motion/segments/shooting.h"
#include "sim/driven_sim.h"
#include "sim/options.h"

enum { STAGES = 5 }; /* with steps of 1/rate: error 1e-11 */

bool zw_lyapunov_is_failure(zw_status status) {
    return status == ZW_E_NUMERIC || status == ZW_E_DOMAIN || status == ZW_E_NONFINITE ||
           status == ZW_E_SINGULAR || status == ZW_E_START;
}

/* ---- a single run ---- */

/* Exponents need derivatives, which do not exist for time steps. */
static zw_status reject_steps(const zw_sim *sim, zw_error *err) {
    zw_fail(err, ZW_E_OPTION,
            "Lyapunov exponents need contacts that are followed from event to event, but the "
            "contacts of this model are treated in time steps%s%s",
            sim->contacts.why[0] ? ": " : "", sim->contacts.why);
    zw_error_hint(err, "use --contacts events, or replace the contact by a force (a stiff spring, "
                       "smooth friction)");
    return ZW_E_OPTION;
}

static zw_status init_sim(zw_lyapunov_single_run *w, zw_lyapunov *s, const zw_run_options *run,
                          zw_error *err) {
    zw_sim_options o = zw_sim_options_default();
    const zw_sim_watch nobody = {0};
    o.until = 0;
    o.run = *run;
    o.principle = zw_lyapunov_principle(s);
    for (const zw_option *row = zw_sim_contact_table; row->key && s->options.contacts; row++)
        zw_options_copy(row, &o, s->options.contacts);
    w->set = ZW_NEW(&s->arena, bool, s->sys->np + 1);
    w->given = ZW_NEW(&s->arena, bool, s->nx + 1);
    if (s->arena.failed)
        return zw_out_of_memory(err, NULL);
    memset(w->set, true, sizeof *w->set * (size_t)s->sys->np);
    ZW_TRY(zw_sim_create(&w->sim, s->sys, s->source, &o, err));
    if (w->sim->contacts.steps)
        return reject_steps(w->sim, err);
    return zw_sim_along(w->sim, &nobody, err);
}

zw_status zw_lyapunov_single_run_init(zw_lyapunov_single_run *w, zw_lyapunov *s,
                                      const zw_run_options *run, zw_error *err) {
    zw_kernel_options k = zw_kernel_options_default();
    zw_error ignored = {0};
    *w = (zw_lyapunov_single_run){.x = ZW_NEW(&s->arena, double, s->nx + 1)};
    if (!w->x)
        return zw_out_of_memory(err, NULL);
    if (s->hybrid)
        return init_sim(w, s, run, err);
    k.jit = ZW_JIT_NEVER;
    k.modes = true;
    k.functions =
        ZW_FUNCTIONS_ALL_METHODS | ZW_SET(SWITCHES) | ZW_SET(SWITCH_LIVE) | ZW_SET(SWITCH_RATE);
    ZW_TRY(zw_kernel_create(&w->kernel, &s->eq, &k, err));
    (void)zw_kernel_compile(w->kernel, &ignored);
    ZW_TRY(zw_run_create(&w->run, w->kernel, s->p, run, err));
    zw_run_on_want(w->run, zw_kernel_serve, w->kernel);
    w->singular =
        (zw_sim_singular){.eq = &s->eq, .run = w->run, .x = ZW_NEW(&s->arena, double, s->nx + 1)};
    if (!w->singular.x)
        return zw_out_of_memory(err, NULL);
    zw_run_on_warning(w->run, zw_sim_on_singular, &w->singular);
    return ZW_OK;
}

void zw_lyapunov_single_run_clear(zw_lyapunov_single_run *w) {
    zw_sim_destroy(w->sim);
    zw_run_destroy(w->run);
    zw_kernel_destroy(w->kernel);
    *w = (zw_lyapunov_single_run){0};
}

static zw_status start_sim(zw_lyapunov_single_run *w, double t, const double *p, double *x,
                           zw_error *err) {
    bool stop;
    ZW_TRY(zw_sim_along_start(w->sim, t, w->set, p, w->given, x, &stop, err));
    return zw_sim_along_state(w->sim, x, err);
}

zw_status zw_lyapunov_single_run_start(zw_lyapunov_single_run *w, zw_lyapunov *s, const double *p,
                                       double t, const bool *given, double *x, zw_error *err) {
    int n = s->sys->nq + s->sys->nv;
    zw_arena_mark mark = zw_arena_mark_now(&s->arena);
    zw_said *said = ZW_NEW(&s->arena, zw_said, n + 1);
    double *start = ZW_NEW(&s->arena, double, n + 1);
    if (s->arena.failed)
        return zw_out_of_memory(err, NULL);
    if (w->sim)
        return start_sim(w, t, p, x, err);
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

double zw_lyapunov_single_run_time(const zw_lyapunov_single_run *w) {
    return w->sim ? zw_sim_along_time(w->sim) : zw_run_time(w->run);
}

zw_flow *zw_lyapunov_single_run_flow(const zw_lyapunov_single_run *w, zw_flow *plain) {
    return w->sim ? zw_run_flow(zw_sim_along_run(w->sim)) : plain;
}

zw_status zw_lyapunov_single_run_from(zw_lyapunov_single_run *w, double t, const double *x,
                                      zw_error *err) {
    /* the simulation has started already */
    return w->sim ? ZW_OK : zw_run_start(w->run, t, x, err);
}

zw_status zw_lyapunov_single_run_to(zw_lyapunov_single_run *w, zw_lyapunov *s, double t,
                                    zw_error *err) {
    zw_status status = ZW_EVENT;
    bool stop;
    int event;
    if (w->sim) {
        ZW_TRY(zw_sim_along_to(w->sim, t, &stop, err));
        return zw_sim_along_state(w->sim, w->x, err);
    }
    while (status == ZW_EVENT)
        ZW_TRY(status = zw_run_advance(w->run, t, &event, err));
    memcpy(w->x, zw_run_state(w->run), sizeof(double) * (size_t)s->nx);
    return status;
}

/* ---- motions ---- */

typedef struct single_motion {
    zw_lyapunov *s;
    zw_lyapunov_single_run single_run;
    zw_leg leg;
    zw_variation v;
    int variations;
    bool *given;
    double *end;
    zw_ensemble_motion m;
} single_motion;

/* One interval, with the variations. */
static zw_status integrate_variations(single_motion *a, double t, zw_error *err) {
    zw_ensemble_motion *m = &a->m;
    int nx = a->s->nx, k = a->variations;
    for (int i = 0; i < nx; i++)
        for (int j = 0; j < k; j++)
            a->v.Y[i * k + j] = m->variation[j * nx + i];
    a->v.n = k;
    a->v.nchunk = ZW_CHUNKS_MAX; /* no nodes: the client has its own */
    a->leg.v = k ? &a->v : NULL;
    ZW_TRY(zw_leg_run(&a->leg, m->t, m->x, t, a->end, err));
    memcpy(m->x, a->end, sizeof(double) * (size_t)nx);
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

/* Without variations the run chooses its steps. */
static zw_status run_plain(single_motion *a, double t, bool fresh, zw_error *err) {
    zw_ensemble_motion *m = &a->m;
    if (fresh) {
        zw_run_on_piece(a->single_run.run, NULL, NULL);
        ZW_TRY(zw_run_start(a->single_run.run, m->t, m->x, err));
    }
    ZW_TRY(zw_lyapunov_single_run_to(&a->single_run, a->s, t, err));
    memcpy(m->x, a->single_run.x, sizeof(double) * (size_t)a->s->nx);
    m->t = t;
    return ZW_OK;
}

static zw_status follow_motion(single_motion *a, const zw_ensemble_client *client, int count,
                               zw_error *err) {
    zw_ensemble_motion *m = &a->m;
    zw_lyapunov *s = a->s;
    ZW_TRY(zw_lyapunov_single_run_start(&a->single_run, s, m->p, m->t, a->given, m->x, err));
    bool fresh = true;
    for (;;) {
        if (zw_lyapunov_asked_to_stop(s, (double)m->number / count))
            return ZW_STOPPED;
        ZW_TRY(a->variations ? integrate_variations(a, m->next, err)
                             : run_plain(a, m->next, fresh, err));
        fresh = false;
        zw_ensemble_reply reply = client->visit(client->user, m);
        if (reply == ZW_ENSEMBLE_DONE)
            return ZW_OK;
        if (reply == ZW_ENSEMBLE_CHANGED && !a->variations) {
            ZW_TRY(zw_run_set_parameters(a->single_run.run, m->p, err));
            ZW_TRY(zw_run_project(a->single_run.run, m->t, m->x, NULL, err));
            fresh = true;
        }
    }
}

static zw_status begin_motion(single_motion *a, const zw_ensemble_client *client, int number,
                              zw_error *err) {
    zw_lyapunov *s = a->s;
    zw_ensemble_motion *m = &a->m;
    m->number = (uint64_t)number;
    m->t = 0;
    m->status = ZW_OK;
    m->why = NULL;
    m->event = -1;
    m->rank = a->variations;
    a->single_run.singular.text[0] = '\0';
    memcpy(m->p, s->p, sizeof(double) * (size_t)s->sys->np);
    memset(a->given, 0, sizeof(bool) * (size_t)s->nx);
    (void)err;
    client->begin(client->user, m, a->given);
    return ZW_OK;
}

static zw_status run_motions(single_motion *a, const zw_ensemble_client *client, size_t memory,
                             int count, zw_error *err) {
    zw_lyapunov *s = a->s;
    for (int i = 0; i < count && !s->stopped; i++) {
        zw_error trouble = {0};
        memset(a->m.memory, 0, memory);
        ZW_TRY(begin_motion(a, client, i, err));
        zw_status status = follow_motion(a, client, count, &trouble);
        if (status < 0 && !zw_lyapunov_is_failure(status)) {
            if (err)
                *err = trouble;
            return status;
        }
        a->m.status = status;
        a->m.why = trouble.text;
        a->m.doubt = a->single_run.singular.text[0] ? a->single_run.singular.text : NULL;
        client->end(client->user, &a->m);
    }
    return ZW_OK;
}

zw_status zw_lyapunov_alone(zw_lyapunov *s, const zw_ensemble_client *client, int variations,
                            size_t memory, int count, zw_error *err) {
    single_motion a = {.s = s, .variations = variations};
    zw_run_options run = zw_lyapunov_steps(s, variations > 0);
    zw_arena_mark mark = zw_arena_mark_now(&s->arena);
    a.given = ZW_NEW(&s->arena, bool, s->nx + 1);
    a.end = ZW_NEW(&s->arena, double, s->nx + 1);
    a.m.p = ZW_NEW(&s->arena, double, s->sys->np + 1);
    a.m.x = ZW_NEW(&s->arena, double, s->nx + 1);
    a.m.variation = ZW_NEW(&s->arena, double, variations * s->nx + 1);
    a.m.memory = zw_arena_alloc(&s->arena, memory + 1);
    zw_status status = zw_arena_status(&s->arena, err);
    if (status >= 0)
        status = zw_lyapunov_single_run_init(&a.single_run, s, &run, err);
    if (status >= 0)
        status = zw_leg_init(&a.leg, &s->arena, a.single_run.run, err);
    if (status >= 0)
        status = zw_variation_init(&a.v, &s->arena, zw_run_flow(a.single_run.run), STAGES, 1, err);
    if (status >= 0)
        status = run_motions(&a, client, memory, count, err);
    zw_lyapunov_single_run_clear(&a.single_run);
    zw_arena_release(&s->arena, mark);
    return status;
}
