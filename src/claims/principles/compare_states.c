/* SPDX-License-Identifier: MIT */
/* The states at which principles are compared, the weights of differences there and the
 * accelerations and multipliers of the reference. */
#include "compare.h"

#include <math.h>
#include <string.h>

#include "mech/equations/sampler.h"

/* of the terms that cancel: least scale of a result, which is otherwise mostly their round-off */
#define CANCELLED_TERMS 0.01

/* The weights of state k and the magnitudes that differences there are relative to. */
static void set_scales(zw_comparison *c, int k) {
    zw_compare_states *st = &c->states;
    zw_compare_row *row = &c->row[c->info.reference];
    int nv = row->eq.nv, nc = row->eq.nc;
    const double *v = row->x + row->sys->nq;
    double *mass = st->weight + (size_t)k * (size_t)(nv + nc), *row_length = mass + nv;
    double largest_a = 0, a_term = 0, largest_lambda = 0, lambda_term = 0, square = 0;
    zw_mats_parts m = zw_flow_matrices(row->flow, st->t[k], row->x);
    const double *M = m.M, *h = m.h, *W = m.W, *b = m.b;
    for (int i = 0; i < nv; i++) {
        mass[i] = M[i * nv + i] > 0 ? sqrt(M[i * nv + i]) : 1;
        square = fmax(square, v[i] * v[i]);
    }
    for (int i = 0; i < nv; i++) {
        largest_a = fmax(largest_a, mass[i] * fabs(st->a[k * nv + i]));
        a_term = fmax(a_term, fmax(mass[i] * square, fabs(h[i]) / mass[i]));
    }
    for (int i = 0; i < nc; i++) {
        double length = 0, term = fabs(b[i]);
        for (int j = 0; j < nv; j++) {
            double weighed = W[i * nv + j] / mass[j];
            length += weighed * weighed;
            term += fabs(weighed) * (mass[j] * square + fabs(h[j]) / mass[j]);
        }
        row_length[i] = length > 0 ? sqrt(length) : 1;
        largest_lambda = fmax(largest_lambda, row_length[i] * fabs(st->lambda[k * nc + i]));
        lambda_term = fmax(lambda_term, term / row_length[i]);
    }
    /* Below a hundredth of the terms that cancel, the result is mostly their round-off. */
    st->accel_scale[k] = fmax(largest_a, CANCELLED_TERMS * a_term);
    st->lambda_scale[k] = fmax(largest_lambda, CANCELLED_TERMS * lambda_term);
    if (!st->force)
        return;
    double *force = st->force + (size_t)k * (size_t)nv;
    zw_compare_forces(row, st->t[k], mass, force);
    st->lambda_scale[k] = CANCELLED_TERMS * a_term;
    for (int i = 0; i < nv; i++)
        st->lambda_scale[k] = fmax(st->lambda_scale[k], fabs(force[i]));
}

/* The reference at state k, whose t and x are set. */
static zw_status evaluate_reference(zw_comparison *c, int k, zw_error *err) {
    zw_compare_states *st = &c->states;
    zw_compare_row *row = &c->row[c->info.reference];
    int nx = row->sys->nq + row->sys->nv, nc = row->eq.nc;
    ZW_TRY(zw_compare_evaluate(row, st->t[k], st->x + (size_t)k * (size_t)nx, NULL,
                               st->a + (size_t)k * (size_t)row->sys->nv, err));
    if (nc)
        memcpy(st->lambda + (size_t)k * (size_t)nc, zw_compare_multipliers(row),
               (size_t)nc * sizeof(double));
    set_scales(c, k);
    return ZW_OK;
}

static zw_status allocate_states(zw_comparison *c, int n, zw_error *err) {
    zw_compare_states *st = &c->states;
    const zw_system *s = c->sys;
    zw_context *ctx = s->ctx;
    int nc = c->row[c->info.reference].eq.nc;
    st->t = ZW_CONTEXT_NEW(ctx, double, n);
    st->x = ZW_CONTEXT_NEW(ctx, double, n *(s->nq + s->nv));
    st->mu = ZW_CONTEXT_NEW(ctx, double, n * s->nconstraint);
    st->a = ZW_CONTEXT_NEW(ctx, double, n * s->nv);
    st->lambda = ZW_CONTEXT_NEW(ctx, double, n *nc);
    st->force = strcmp(c->row[c->info.reference].report.principle->name, "gauss") == 0
                    ? ZW_CONTEXT_NEW(ctx, double, n * s->nv)
                    : NULL;
    st->weight = ZW_CONTEXT_NEW(ctx, double, n *(s->nv + nc));
    st->accel_scale = ZW_CONTEXT_NEW(ctx, double, n);
    st->lambda_scale = ZW_CONTEXT_NEW(ctx, double, n);
    return zw_context_status(ctx, err);
}

/* The next random state, and its requirements. */
typedef struct state_search {
    zw_comparison *c;
    int k;
    bool any;      /* it need not be far from singular equations */
    int dependent; /* states at which constraints depended on each other, before any was accepted */
    zw_error trouble;
} state_search;

/* Constraints may depend on each other at all admissible states, and nowhere else: the census at
 * random points does not detect that, the admissible states do. */
static bool is_redundant(const state_search *look) {
    /* states at which constraints depend on each other, before any other: then they do
     * everywhere */
    enum { DEPENDENT_STATES = 3 };
    return look->dependent >= DEPENDENT_STATES;
}

/* For massless parts the run completes what follows from a balance of forces. */
static bool accept_state(void *user, double t, double *x) {
    state_search *look = user;
    zw_compare_states *st = &look->c->states;
    zw_compare_row *row = &look->c->row[look->c->info.reference];
    size_t nx = (size_t)(row->sys->nq + row->sys->nv);
    double *here = st->x + (size_t)look->k * nx;
    look->trouble = (zw_error){0};
    st->t[look->k] = t;
    if (zw_run_consistent(row->run, t, x, NULL, NULL, &look->trouble) < 0)
        return false;
    memcpy(here, x, nx * sizeof *x);
    if (evaluate_reference(look->c, look->k, &look->trouble) >= 0)
        return look->any || zw_compare_is_regular(row, t);
    look->dependent += look->k == 0 && look->trouble.status == ZW_E_SINGULAR &&
                       zw_flow_last_fault(row->flow).kind == ZW_FAULT_CONSTRAINT;
    return is_redundant(look); /* enough is known */
}

static zw_status report_no_state(const zw_comparison *c, const zw_error *found,
                                 const zw_error *trouble, zw_error *err) {
    const zw_error *why = trouble->status < 0 ? trouble : found;
    zw_fail(err, why->status, "no admissible state of %s was found: %s", c->sys->name, why->text);
    if (c->file)
        zw_error_hint(err, "zwang check %s counts the constraints", c->file);
    return why->status;
}

/* Random states where the equations of the reference are far from singular, if there are such;
 * ZW_RETRY if its constraints depend on each other. */
static zw_status find_random(zw_comparison *c, int n, zw_error *err) {
    zw_compare_states *st = &c->states;
    const zw_system *s = c->sys;
    state_search look = {.c = c};
    zw_sampler_options options = zw_sampler_options_default();
    zw_sampler *sampler;
    options.seed = c->options.seed;
    options.accept = accept_state;
    options.user = &look;
    ZW_TRY(zw_sampler_create(&sampler, s, NULL, &options, err));
    for (look.k = 0; look.k < n; look.k++) {
        zw_error found = {0};
        ZW_TRY(zw_compare_check(c, err));
        look.any = false;
        zw_status status = zw_sampler_draw(sampler, look.k, &found);
        if (is_redundant(&look))
            return ZW_RETRY;
        if (status == ZW_E_NUMERIC) {
            found = (zw_error){0};
            look.any = true;
            status = zw_sampler_draw(sampler, look.k, &found);
        }
        if (is_redundant(&look))
            return ZW_RETRY;
        if (status == ZW_E_MEMORY)
            return zw_compare_pass_on(&found, err);
        if (status < 0)
            return report_no_state(c, &found, &look.trouble, err);
        for (int i = 0; i < s->nconstraint; i++)
            st->mu[look.k * s->nconstraint + i] = sampler->at.value[s->np + s->nq + s->nv + 1 + i];
    }
    st->n = st->random = n;
    return ZW_OK;
}

/* Advances past events; *stop if one of them ends the run. */
static zw_status advance_run(zw_run *run, const zw_system *s, double t, bool *stop, zw_error *err) {
    for (;;) {
        int event = -1;
        zw_status status = zw_run_advance(run, t, &event, err);
        if (status != ZW_EVENT)
            return status;
        if (s->event[event].stop) {
            *stop = true;
            return ZW_OK;
        }
    }
}

static zw_status follow_run(zw_comparison *c, zw_run *run, zw_error *err) {
    zw_compare_states *st = &c->states;
    const zw_system *s = c->sys;
    size_t nx = (size_t)(s->nq + s->nv);
    bool stop = false;
    ZW_TRY(zw_run_complete(run, 0, c->start, c->said, c->width, NULL, err));
    ZW_TRY(zw_run_start(run, 0, c->start, err));
    for (int k = 0; k <= ZW_COMPARE_RUN_STATES && !stop; k++) {
        ZW_TRY(zw_compare_check(c, err));
        if (k > 0)
            ZW_TRY(advance_run(run, s, c->options.until * k / (double)ZW_COMPARE_RUN_STATES, &stop,
                               err));
        c->info.end = st->t[st->n] = zw_run_time(run);
        memcpy(st->x + (size_t)st->n * nx, zw_run_state(run), nx * sizeof(double));
        ZW_TRY(evaluate_reference(c, st->n, err));
        st->n++;
    }
    return ZW_OK;
}

/* States on the motion of the model from its start, by the reference. */
static zw_status sample_motion(zw_comparison *c, zw_error *err) {
    zw_equations eq;
    zw_kernel *kernel = NULL;
    zw_run *run = NULL;
    ZW_TRY(zw_derive(&eq, c->sys, NULL, c->row[c->info.reference].report.principle->name, err));
    zw_status status = zw_kernel_create(&kernel, &eq, NULL, err);
    if (status >= 0)
        status = zw_run_create(&run, kernel, c->p, &c->run, err);
    if (status >= 0)
        status = follow_run(c, run, err);
    if (status < 0 && c->file)
        zw_error_hint(err, "zwang run %s shows how far it gets", c->file);
    zw_run_destroy(run);
    zw_kernel_destroy(kernel);
    return status;
}

/* Gauss's principle, which permits dependent constraints, becomes the reference. */
static zw_status use_gauss(zw_comparison *c, zw_error *err) {
    for (int i = 0; i < c->info.nrow; i++) {
        zw_compare_row *row = &c->row[i];
        if (strcmp(row->report.principle->name, "gauss") != 0)
            continue;
        if (!row->kernel)
            return zw_compare_pass_on(&row->report.refusal, err);
        c->info.reference = i;
        c->info.holds = row->eq.holds;
    }
    return ZW_OK;
}

zw_status zw_compare_find_states(zw_comparison *c, zw_error *err) {
    int n = c->options.states;
    bool runs = c->options.until > 0;
    int most = n + (runs ? ZW_COMPARE_RUN_STATES + 1 : 0);
    ZW_TRY(allocate_states(c, most, err));
    zw_status status = find_random(c, n, err);
    if (status == ZW_RETRY) {
        ZW_TRY(use_gauss(c, err));
        ZW_TRY(allocate_states(c, most, err));
        status = find_random(c, n, err);
    }
    ZW_TRY(status);
    if (runs)
        ZW_TRY(sample_motion(c, err));
    c->info.nrandom = c->states.random;
    c->info.nrun = c->states.n - c->states.random;
    return ZW_OK;
}
