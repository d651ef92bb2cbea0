/* SPDX-License-Identifier: MIT */
/* The samples on which claims are tested: admissible states of the derived system, with the
 * accelerations and multipliers of Lagrange's equations. */
#include <assert.h>
#include <float.h>
#include <math.h>
#include <string.h>

#include "base/option.h"
#include "base/random.h"
#include "mech/equations/sampler.h"
#include "repair.h"
#include "zwang/run.h"

static bool is_independent(const zw_system *s, int param) {
    return !zw_foreign_symbol(s->ctx, s->param[param].value, 0, NULL);
}

int zw_trials_sets(const zw_system *s) {
    int n = 0;
    for (int i = 0; i < s->np; i++)
        n += is_independent(s, i);
    return n + 4;
}

zw_status zw_trials_init(zw_trials *out, const zw_system *s, int nsample, int nset, zw_error *err) {
    int n = s->np + 1 + s->nq + 2 * s->nv + s->nconstraint, at = s->np + 1;
    *out = (zw_trials){.nsym = n, .nsample = nsample, .nset = nset};
    out->sym = ZW_CONTEXT_NEW(s->ctx, zw_expr, n);
    out->value = ZW_CONTEXT_NEW(s->ctx, double, (size_t)n *(size_t)nsample);
    out->set = ZW_CONTEXT_NEW(s->ctx, int, nsample);
    if (!out->sym || !out->value || !out->set)
        return zw_context_status(s->ctx, err);
    for (int i = 0; i < s->np; i++)
        out->sym[i] = s->param[i].sym;
    out->sym[s->np] = s->t;
    zw_mech_symbols(s, out->sym + at, out->sym + at + s->nq, out->sym + at + s->nq + s->nv);
    for (int i = 0; i < s->nconstraint; i++)
        out->sym[at + s->nq + 2 * s->nv + i] = s->constraint[i].lambda;
    return ZW_OK;
}

zw_status zw_trials_params(const zw_system *s, uint64_t seed, int set, double *p, zw_error *err) {
    ZW_TRY(zw_system_param_values(s, p, err));
    if (set == 0)
        return ZW_OK;
    zw_arena_mark mark = zw_scratch_mark(s->ctx);
    bool *given = ZW_SCRATCH_NEW(s->ctx, bool, s->np);
    zw_random random = zw_random_stream(seed, (uint64_t)set);
    for (int i = 0; given && i < s->np; i++) {
        double u = zw_random_unit(&random);
        given[i] = is_independent(s, i);
        if (given[i])
            p[i] = p[i] == 0 ? 0.5 + u : p[i] * exp(u - 0.5);
    }
    zw_status status = given ? zw_system_param_follow(s, given, p, err) : ZW_E_MEMORY;
    zw_scratch_release(s->ctx, mark);
    return status < 0 && !given ? zw_context_status(s->ctx, err) : status;
}

void zw_trials_put(zw_trials *ev, const zw_system *s, int sample, int set, const double *p,
                   double t, const double *q, const double *v, const double *a,
                   const double *lambda) {
    assert(sample >= 0 && sample < ev->nsample);
    const struct {
        int n;
        const double *from;
    } parts[] = {{s->np, p}, {1, &t}, {s->nq, q}, {s->nv, v}, {s->nv, a}, {s->nconstraint, lambda}};
    double *to = ev->value + (size_t)sample * (size_t)ev->nsym;
    ev->set[sample] = set;
    for (int k = 0; k < 6; k++) {
        if (parts[k].n)
            memcpy(to, parts[k].from, (size_t)parts[k].n * sizeof *to);
        to += parts[k].n;
    }
}

/* ------------------------------------------------------------------------------------- stopping */

zw_status zw_trials_watch_begin(zw_trials *out, const zw_system *s, const zw_verify_options *o,
                                zw_error *err) {
    if (!o->stop)
        return ZW_OK;
    out->watch = ZW_CONTEXT_NEW(s->ctx, zw_trials_watch, 1);
    if (!out->watch)
        return zw_context_status(s->ctx, err);
    *out->watch = (zw_trials_watch){.stop = o->stop, .user = o->stop_user};
    return ZW_OK;
}

bool zw_trials_stopped(const zw_trials *ev) {
    enum { CALLS = 1024 };
    zw_trials_watch *w = ev->watch;
    if (w && !w->stopped && ++w->calls % CALLS == 0)
        w->stopped = w->stop(w->user, NAN);
    return w && w->stopped;
}

bool zw_trials_ask(const zw_trials *ev) {
    zw_trials_watch *w = ev->watch;
    if (w && !w->stopped)
        w->stopped = w->stop(w->user, NAN);
    return w && w->stopped;
}

zw_status zw_trials_check(const zw_trials *ev, zw_error *err) {
    return zw_trials_ask(ev) ? zw_fail(err, ZW_E_NUMERIC, "stopped") : ZW_OK;
}

/* ----------------------------------------------------------------------------------- collecting */

void zw_verify_options_init(zw_verify_options *options, size_t size) {
    const zw_verify_options all = {.size = size, .states = 200, .seed = 1};
    zw_options_begin(options, size, &all, sizeof all);
}

typedef struct sample_collection {
    const zw_equations *eq;
    zw_trials *ev;
    zw_sampler *sampler;
    zw_run *run; /* of the present set */
    uint64_t seed;
    double *p, *x, *rate, *z, *lambda; /* np, nq + nv twice, nv + nc, constraints of the system */
    int *group;                        /* nv + nc: coupled entries */
    int filled;
    zw_error trouble; /* of the last state that was rejected */
} sample_collection;

static bool is_finite(int n, const double *x) {
    for (int i = 0; i < n; i++)
        if (!isfinite(x[i]))
            return false;
    return true;
}

/* The run completes what follows from a balance of forces on massless parts; then accelerations. */
static bool accept_state(void *user, double t, double *x) {
    sample_collection *c = user;
    c->trouble = (zw_error){0};
    return zw_run_consistent(c->run, t, x, NULL, NULL, &c->trouble) >= 0 &&
           zw_flow_rates(zw_run_flow(c->run), t, x, c->rate, c->z, &c->trouble) >= 0 &&
           is_finite(c->eq->nv + c->eq->nc, c->z);
}

static zw_status begin_collection(sample_collection *c, const zw_system *s, const zw_active *active,
                                  zw_error *err) {
    int sizes[] = {s->np, s->nq + s->nv, s->nq + s->nv, s->nv + c->eq->nc, s->nconstraint};
    double **arrays[] = {&c->p, &c->x, &c->rate, &c->z, &c->lambda};
    zw_sampler_options options = zw_sampler_options_default();
    options.seed = c->seed;
    options.t_max = 2;
    options.accept = accept_state;
    options.user = c;
    for (int i = 0; i < 5; i++)
        *arrays[i] = ZW_CONTEXT_NEW(s->ctx, double, sizes[i]);
    c->group = ZW_CONTEXT_NEW(s->ctx, int, s->nv + c->eq->nc);
    ZW_TRY(zw_context_status(s->ctx, err));
    zw_coupled(c->eq, c->group);
    return zw_sampler_create(&c->sampler, s, active, &options, err);
}

/* Sets values to zero that are only round-off of the others: the rate of a coordinate that a
 * constraint holds is computed as 1e-17, and a claim that it vanishes has no other term for
 * comparison. */
static void drop_rounding(int n, const int *group, double *x) {
    const double rounding = 64 * DBL_EPSILON;
    for (int i = 0; i < n; i++) {
        double largest = 0;
        for (int j = 0; j < n; j++)
            if (group[i] == ZW_COUPLED_ALL || group[j] == group[i])
                largest = fmax(largest, fabs(x[j]));
        if (fabs(x[i]) <= rounding * largest)
            x[i] = 0;
    }
}

/* n states of the present set into the next samples. */
static zw_status draw_states(sample_collection *c, int set, int n, zw_error *err) {
    const zw_equations *eq = c->eq;
    const zw_system *s = eq->sys;
    for (int i = 0; i < n; i++) {
        double t;
        ZW_TRY(zw_trials_check(c->ev, err));
        ZW_TRY(zw_sampler_state(c->sampler, c->filled, &t, c->x, err));
        drop_rounding(s->nv, c->group, c->x + s->nq);
        drop_rounding(s->nv, c->group, c->z);
        drop_rounding(eq->nc, c->group + s->nv, c->z + s->nv);
        for (int k = 0; k < eq->nc; k++)
            c->lambda[eq->constraint[k]] = c->z[s->nv + k];
        zw_trials_put(c->ev, s, c->filled++, set, c->p, t, c->x, c->x + s->nq, c->z, c->lambda);
    }
    return ZW_OK;
}

/* n states of one parameter set. A set that admits none, other than the model's, is left out. */
static zw_status draw_set(sample_collection *c, const zw_kernel *kernel, int set, int n,
                          zw_error *err) {
    const zw_system *s = c->eq->sys;
    zw_error fault = {0};
    int before = c->filled;
    ZW_TRY(zw_trials_params(s, c->seed, set, c->p, err));
    ZW_TRY(zw_sampler_set_parameters(c->sampler, c->p, err));
    ZW_TRY(zw_run_create(&c->run, kernel, c->p, NULL, err));
    zw_status status = draw_states(c, set, n, &fault);
    zw_run_destroy(c->run);
    if (status >= 0)
        return status;
    c->filled = before;
    if (set > 0 && status != ZW_E_MEMORY)
        return ZW_OK;
    const zw_error *why = status == ZW_E_NUMERIC && c->trouble.status < 0 ? &c->trouble : &fault;
    return zw_fail(err, why->status, "no admissible state of %s was found: %s", s->name, why->text);
}

zw_status zw_trials_collect(zw_trials *out, const zw_system *s, const zw_active *active,
                            const zw_verify_options *options, zw_error *err) {
    enum {
        PER_SET = 4,        /* states for each set of parameter values */
        STATES_MAX = 100000 /* tested states */
    };
    zw_verify_options o = zw_verify_options_default();
    const zw_active bare = {.constraint = active ? active->constraint : NULL, .bare = true};
    zw_equations eq;
    zw_kernel *kernel;
    if (options)
        ZW_TRY(zw_options_adopt(&o, sizeof o, options, "zw_verify_options", err));
    if (o.states < PER_SET || o.states > STATES_MAX)
        return zw_fail(err, ZW_E_OPTION, "%d random states: %d to %d are possible", o.states,
                       PER_SET, STATES_MAX);
    int sets = zw_trials_sets(s), most = 1 + o.states / 2 / PER_SET;
    if (sets > most)
        sets = most;
    ZW_TRY(zw_derive(&eq, s, &bare, "lagrange", err));
    ZW_TRY(zw_trials_init(out, s, o.states, sets, err));
    ZW_TRY(zw_trials_watch_begin(out, s, &o, err));
    sample_collection c = {.eq = &eq, .ev = out, .seed = o.seed};
    ZW_TRY(begin_collection(&c, s, &bare, err));
    ZW_TRY(zw_kernel_create(&kernel, &eq, NULL, err));
    zw_status status = draw_set(&c, kernel, 0, o.states - (sets - 1) * PER_SET, err);
    for (int set = 1; set < sets && status >= 0; set++)
        status = draw_set(&c, kernel, set, PER_SET, err);
    zw_kernel_destroy(kernel);
    out->nsample = c.filled;
    return status < 0 ? status : zw_trials_check(out, err);
}
