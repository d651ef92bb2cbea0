/* SPDX-License-Identifier: MIT */
/* Creation of a worker. The first one reads the model and creates a simulation, which determines
 * whether motions can be computed in lanes; the others do so too if motions are computed one by
 * one, otherwise when a motion needs it. */
#include <string.h>

#include "base/arena.h"
#include "base/option.h"
#include "internal.h"
#include "sim/options.h"

static zw_status find_column(zw_worker *w, const char *name, int *column, zw_error *err) {
    const zw_table *rows = zw_sim_rows(w->sim);
    *column = zw_table_find(rows, name);
    if (*column >= 0 && w->e->options.spans && *column >= zw_sim_drive_columns(w->sim))
        return zw_fail(err, ZW_E_OPTION,
                       "'%s' is only known at the ends of steps, so it has no minimum, maximum and "
                       "mean over a span",
                       name);
    if (*column >= 0)
        return ZW_OK;
    const char *names[256];
    int n = 0;
    for (int i = 0; i < zw_table_columns(rows) && n < 256; i++)
        names[n++] = zw_table_name(rows, i);
    zw_fail(err, ZW_E_NAME, "a motion of this model has no column '%s'", name);
    const char *near = zw_nearest(name, n, names);
    if (near)
        zw_error_hint(err, "did you mean %s?", near);
    return ZW_E_NAME;
}

/* memory for a simulation */
static zw_status allocate_sim(zw_worker *w, zw_error *err) {
    const zw_kernel *k = zw_sim_drive_kernel(w->sim);
    zw_arena *a = &w->arena;
    const zw_system *s = w->sys;
    int room = 2 * (s->nq + s->nv) + 4 * s->nconstraint + k->nx + k->nz + 1;
    w->row = ZW_NEW(a, double, zw_table_columns(zw_sim_rows(w->sim)) + 1);
    w->rate = ZW_NEW(a, double, room);
    w->z = ZW_NEW(a, double, room);
    w->dense = ZW_NEW(a, double, room);
    w->obs = ZW_NEW(a, double, k->nobs + s->nobservable + s->nv + 3);
    w->column = ZW_NEW(a, int, w->e->options.nvalue + 1);
    return a->failed ? zw_out_of_memory(err, "an ensemble") : ZW_OK;
}

/* memory for a motion */
static zw_status allocate_motion(zw_worker *w, zw_error *err) {
    const zw_ensemble_options *o = &w->e->options;
    zw_arena *a = &w->arena;
    const zw_system *s = w->sys;
    int nx = s->nq + s->nv;
    w->p = ZW_NEW(a, double, s->np + 1);
    w->p_shown = ZW_NEW(a, double, s->np + 1);
    w->x = ZW_NEW(a, double, nx + 1);
    w->x_shown = ZW_NEW(a, double, nx + 1);
    w->model_x = ZW_NEW(a, double, nx + 1);
    w->given = ZW_NEW(a, bool, nx + 1);
    w->value = ZW_NEW(a, double, o->nvalue + 1);
    w->variation = ZW_NEW(a, double, o->variations *nx + 1);
    w->memory = zw_arena_alloc(a, o->memory + 1);
    return a->failed ? zw_out_of_memory(err, "an ensemble") : ZW_OK;
}

static bool ask_pool(void *user, double done) {
    (void)done;
    return zw_thread_pool_watch(user);
}

static zw_status make_sim(zw_worker *w, bool steps, zw_sim **sim, zw_error *err) {
    const zw_ensemble_options *o = &w->e->options;
    zw_sim_options options = zw_sim_options_default();
    options.until = 0;
    /* as for zwang run */
    options.jit = o->jit == ZW_JIT_NEVER ? ZW_JIT_NEVER : ZW_JIT_WHEN_IT_PAYS;
    options.principle = o->principle;
    options.run = o->run;
    options.stop = ask_pool;
    options.user = w;
    zw_sim_options_share(&options, &w->e->contacts);
    if (steps)
        options.contacts = ZW_SIM_CONTACTS_MOREAU;
    return zw_sim_create(sim, w->sys, &w->e->source, &options, err);
}

static zw_status attach_watch(zw_worker *w, zw_error *err) {
    const zw_ensemble_options *o = &w->e->options;
    const zw_sim_watch all = {.user = w,
                              .piece = o->spans || o->variations > 0 ? zw_single_piece : NULL,
                              .event = zw_single_met};
    return zw_sim_drive(w->sim, &all, err);
}

/* creates the system and the simulation of the worker */
static zw_status create_simulation(zw_worker *w, zw_error *err) {
    const zw_ensemble_options *o = &w->e->options;
    const zw_model_source *source = &w->e->source;
    zw_system *sys;
    w->ctx = zw_context_create(NULL);
    if (!w->ctx)
        return zw_out_of_memory(err, "an ensemble");
    ZW_TRY(zw_model_parse(&sys, w->ctx, source->text, source->length,
                          source->file ? source->file : "model", source->options, err));
    w->sys = sys;
    for (int i = 0; i < o->nevent; i++)
        if (o->event[i] < 0 || o->event[i] >= w->sys->nevent)
            return zw_fail(err, ZW_E_NAME, "there is no event number %d: the model has %d",
                           o->event[i], w->sys->nevent);
    if (zw_system_is_random(sys) && !(w->e->contacts.noise_step > 0))
        return zw_fail(err, ZW_E_OPTION, "an ensemble of a model with noise needs its step");
    if (zw_system_is_random(sys) && o->variations > 0)
        return zw_fail(err, ZW_E_OPTION,
                       "the linear equations of small disturbances are not supported with noise");
    ZW_TRY(make_sim(w, false, &w->sim, err));
    ZW_TRY(allocate_sim(w, err));
    for (int i = 0; i < o->nvalue; i++)
        ZW_TRY(find_column(w, o->value[i], &w->column[i], err));
    ZW_TRY(zw_tangent_prepare(w, err));
    return attach_watch(w, err);
}

static void swap_simulations(zw_worker *w) {
    zw_sim *sim = w->sim;
    int *column = w->column;
    w->sim = w->other;
    w->column = w->other_column;
    w->other = sim;
    w->other_column = column;
}

static zw_status make_other(zw_worker *w, zw_error *err) {
    const zw_ensemble_options *o = &w->e->options;
    w->other_column = ZW_NEW(&w->arena, int, o->nvalue + 1);
    if (!w->other_column)
        return zw_out_of_memory(err, "an ensemble");
    ZW_TRY(make_sim(w, true, &w->other, err));
    swap_simulations(w);
    zw_status status = ZW_OK;
    for (int i = 0; i < o->nvalue && status >= 0; i++)
        status = find_column(w, o->value[i], &w->column[i], err);
    if (status >= 0)
        status = attach_watch(w, err);
    swap_simulations(w);
    return status;
}

/* is there a start that is an equation, not an entry of the state? */
static bool has_equations(const zw_system *s) {
    for (int i = 0; i < s->nstart; i++) {
        bool entry = false;
        for (int k = 0; k < s->nq + s->nv && !entry; k++)
            entry = s->start[i].what == (k < s->nq ? s->coord[k].sym : s->velocity[k - s->nq].sym);
        if (!entry)
            return true;
    }
    return false;
}

zw_status zw_worker_begin(zw_worker *w, double t, const bool *set, const double *p, const double *x,
                          bool *stop, zw_error *err) {
    bool all = true;
    for (int i = 0; i < w->sys->nq + w->sys->nv; i++)
        all = all && w->given[i];
    *stop = false;
    if (all && has_equations(w->sys))
        return zw_sim_drive_enter(w->sim, t, set, p, x, err);
    return zw_sim_drive_start(w->sim, t, set, p, w->given, x, stop, err);
}

bool zw_worker_exchange(zw_worker *w) {
    zw_error ignored = {0};
    if (!w->has_other && make_other(w, &ignored) < 0) {
        zw_sim_destroy(w->other);
        w->other = NULL;
    }
    w->has_other = true;
    if (!w->other)
        return false;
    swap_simulations(w);
    return true;
}

static void forget_sim(zw_worker *w) {
    zw_tangent_clear(w);
    zw_sim_destroy(w->other);
    w->other = NULL;
    w->has_other = false;
    zw_sim_destroy(w->sim);
    zw_context_destroy(w->ctx);
    w->sim = NULL;
    w->ctx = NULL;
    w->sys = w == w->e->worker ? NULL : w->e->worker->sys;
}

zw_status zw_worker_simulate(zw_worker *w, zw_error *err) {
    if (w->sim)
        return ZW_OK;
    zw_status status = create_simulation(w, err);
    if (status < 0)
        forget_sim(w);
    return status;
}

static zw_status build_worker(zw_worker *w, zw_error *err) {
    zw_ensemble *e = w->e;
    const zw_worker *first = e->worker;
    bool alone = w == first || e->lane_group.lanes == 0 || first->params.nderived > 0;
    w->sys = w == first ? NULL : first->sys;
    if (alone)
        ZW_TRY(zw_worker_simulate(w, err));
    ZW_TRY(allocate_motion(w, err));
    ZW_TRY(zw_spans_init(&w->spans, &w->arena, e->options.nvalue, e->options.run.rtol, err));
    if (alone) {
        ZW_TRY(zw_ensemble_params_init(&w->params, &w->arena, w->sys, err));
        ZW_TRY(zw_sim_drive_state(w->sim, w->model_x, err));
    } else {
        ZW_TRY(zw_ensemble_params_share(&w->params, &w->arena, &first->params, err));
        memcpy(w->model_x, first->model_x, sizeof(double) * (size_t)(w->sys->nq + w->sys->nv));
    }
    if (w == first)
        ZW_TRY(zw_lane_group_make(e, err));
    return e->lane_group.lanes > 0 ? zw_lane_worker_allocate(w, err) : ZW_OK;
}

zw_status zw_worker_create(zw_worker *w, zw_error *err) {
    zw_arena_init(&w->arena, NULL);
    zw_status status = build_worker(w, err);
    w->ready = status >= 0;
    if (w->ready)
        return status;
    if (w == w->e->worker)
        zw_lane_group_destroy(w->e); /* its kernels live in the context of this worker */
    zw_worker_destroy(w);
    return status;
}

void zw_worker_warning(zw_worker *w, const zw_ensemble_motion *m, const char *text) {
    w->doubtful += m->doubt != NULL;
    if (text && !m->repeated && (!w->first_doubt[0] || m->number < w->first_doubtful)) {
        w->first_doubtful = m->number;
        snprintf(w->first_doubt, sizeof w->first_doubt, "%s", text);
    }
}

void zw_worker_destroy(zw_worker *w) {
    if (!w->arena.alloc.fn)
        return;
    zw_flow_destroy(w->flow);
    w->flow = NULL;
    if (w->ctx)
        forget_sim(w);
    zw_arena_clear(&w->arena);
    w->ready = false;
}
