/* SPDX-License-Identifier: MIT */
#include "compare.h"

#include <assert.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/arena.h"
#include "base/option.h"
#include "mech/system/build.h"

/* of differences, relative: round-off of the derivations and of regular linear equations */
#define DEFAULT_TOLERANCE 1e-11
#define LONGEST_RUN 1e12 /* [s]: an obvious mistake beyond */

enum { ROUNDS = 5 }; /* of time measurements, of which the best one counts */

/* ------------------------------------------------------------------------------------ comparing */

/* The larger of a worst difference and those of n weighted entries at state k. */
static void update_worst(zw_difference *w, int k, int n, const double *have, const double *want,
                         const double *weight, double scale) {
    if (n > 0 && w->value < 0)
        *w = (zw_difference){.state = k};
    for (int i = 0; i < n; i++) {
        double gap = (weight ? weight[i] : 1) * fabs(have[i] - want[i]);
        double relative = gap == 0 ? 0 : gap / scale; /* scale 0: infinite */
        if (relative > w->value || isnan(relative))
            *w = (zw_difference){isnan(relative) ? INFINITY : relative, k, i, NULL};
    }
}

static void compare_at(zw_comparison *c, zw_compare_row *row, int k, const double *mu, double *a,
                       zw_difference *accel, zw_difference *lambda) {
    zw_compare_states *st = &c->states;
    const zw_system *s = row->sys;
    int nc = c->row[c->info.reference].eq.nc;
    const double *x = st->x + (size_t)k * (size_t)(s->nq + s->nv);
    zw_error trouble = {0};
    zw_compare_enter(row, st->t[k], x, mu);
    const double *weight = st->weight + (size_t)k * (size_t)(s->nv + nc);
    if (!zw_compare_is_regular(row, st->t[k]) ||
        !zw_compare_has_regular_split(row, st->t[k], weight)) {
        row->report.singular++;
        return;
    }
    if (zw_compare_evaluate(row, st->t[k], x, mu, a, &trouble) < 0) {
        if (row->report.failed++ == 0)
            row->report.refusal = trouble;
        return;
    }
    update_worst(accel, k, s->nv, a, st->a + (size_t)k * (size_t)s->nv, weight, st->accel_scale[k]);
    if (!zw_compare_multipliers(row) || !lambda)
        return;
    if (st->force && row->eq.nv != s->nv)
        return;
    if (st->force) {
        zw_compare_forces(row, st->t[k], weight, a);
        update_worst(lambda, k, s->nv, a, st->force + (size_t)k * (size_t)s->nv, NULL,
                     st->lambda_scale[k]);
    } else {
        update_worst(lambda, k, nc, zw_compare_multipliers(row),
                     st->lambda + (size_t)k * (size_t)nc, weight + s->nv, st->lambda_scale[k]);
    }
}

/* "x''", "lambda(rod)" or "the constraint force of x'". */
static void name_entries(const zw_comparison *c, zw_compare_row *row) {
    const zw_system *s = row->sys;
    const int *constraint = c->row[c->info.reference].eq.constraint;
    zw_difference *accel = &row->report.accel, *lambda = &row->report.lambda;
    if (accel->value >= 0)
        accel->entry = zw_expr_name(s->ctx, s->velocity[accel->index].accel);
    char force[160];
    snprintf(force, sizeof force, "the constraint force of %.120s",
             lambda->value >= 0 && c->states.force ? s->velocity[lambda->index].name : "");
    if (lambda->value >= 0 && c->states.force)
        lambda->entry = zw_context_intern(s->ctx, force);
    else if (lambda->value >= 0)
        lambda->entry = zw_expr_name(s->ctx, s->constraint[constraint[lambda->index]].lambda);
}

/* The time of one evaluation: the best of some rounds over random states, if there are any. */
static zw_status time_evaluations(zw_comparison *c, zw_compare_row *row, zw_error *err) {
    const zw_compare_states *st = &c->states;
    const zw_system *s = row->sys;
    int most = st->random < 100 ? st->random : 100, n = 0;
    size_t nx = (size_t)row->kernel->nx;
    double *x = ZW_CONTEXT_NEW(s->ctx, double, most *(int)nx),
           *t = ZW_CONTEXT_NEW(s->ctx, double, most);
    if (!x || !t)
        return zw_context_status(s->ctx, err);
    for (int k = 0; k < most; k++) {
        zw_compare_enter(row, st->t[k], st->x + (size_t)k * (size_t)(s->nq + s->nv),
                         st->mu + (size_t)k * (size_t)s->nconstraint);
        if (zw_flow_rates(row->flow, st->t[k], row->x, row->rate, row->z, NULL) < 0)
            continue;
        memcpy(x + (size_t)n * nx, row->x, nx * sizeof *x);
        t[n++] = st->t[k];
    }
    int calls = n > 0 ? n * (1 + 2000 / n) : 0;
    for (int round = 0; round < ROUNDS && n > 0; round++) {
        ZW_TRY(zw_compare_check(c, err));
        double begin = zw_compare_now();
        for (int i = 0; i < calls; i++)
            zw_flow_rates(row->flow, t[i % n], x + (size_t)(i % n) * nx, row->rate, row->z, NULL);
        double each = (zw_compare_now() - begin) / calls;
        row->report.evaluate = round == 0 ? each : fmin(row->report.evaluate, each);
    }
    return ZW_OK;
}

static zw_status compare_one(zw_comparison *c, zw_compare_row *row, double *a, zw_error *err) {
    const zw_compare_states *st = &c->states;
    int n = row->vakonomic ? st->random : st->n; /* along a run its multipliers are unknown */
    if (!row->kernel)
        return ZW_OK;
    for (int k = 0; k < n; k++) {
        ZW_TRY(zw_compare_check(c, err));
        compare_at(c, row, k, st->mu + (size_t)k * (size_t)row->sys->nconstraint, a,
                   &row->report.accel, &row->report.lambda);
    }
    name_entries(c, row);
    return time_evaluations(c, row, err);
}

/* ------------------------------------------------------------------------------------ vakonomic */

/* Along its own motion from the start: its accelerations compared with those of the reference
 * there. Its motions may diverge where the others do not; the computed part counts. */
static zw_status follow_vakonomic(zw_comparison *c, zw_compare_row *row, double *a, zw_error *err) {
    const zw_system *s = row->sys;
    zw_compare_row *reference = &c->row[c->info.reference];
    int nx = s->nq + s->nv;
    double *want = ZW_CONTEXT_NEW(s->ctx, double, s->nv), *x = ZW_CONTEXT_NEW(s->ctx, double, nx);
    const double *weight = c->states.weight; /* of any state: it converts units */
    zw_difference worst = {.value = -1};
    zw_error end = {0};
    if (!want || !x)
        return zw_context_status(s->ctx, err);
    zw_compare_enter(row, 0, c->start, c->start_mu);
    if (zw_run_start(row->run, 0, row->x, &end) < 0)
        return ZW_OK;
    for (int k = 1; k <= ZW_COMPARE_RUN_STATES; k++) {
        double t = c->info.end * k / (double)ZW_COMPARE_RUN_STATES, scale = 0;
        ZW_TRY(zw_compare_check(c, err));
        if (zw_run_advance(row->run, t, NULL, &end) < 0)
            break;
        memcpy(x, zw_run_state(row->run), (size_t)nx * sizeof *x);
        memcpy(a, zw_run_accel(row->run), (size_t)s->nv * sizeof *a);
        if (zw_compare_evaluate(reference, t, x, NULL, want, &end) < 0)
            break;
        for (int i = 0; i < s->nv; i++)
            scale = fmax(scale, weight[i] * fmax(fabs(want[i]), fabs(a[i])));
        update_worst(&worst, k, s->nv, a, want, weight, scale);
        c->info.vakonomic.end = t;
    }
    c->info.vakonomic.on_run = worst.value;
    return ZW_OK;
}

static zw_status compare_vakonomic(zw_comparison *c, zw_compare_row *row, double *a,
                                   zw_error *err) {
    zw_compared_vakonomic *v = &c->info.vakonomic;
    zw_difference worst = {.value = -1};
    *v = (zw_compared_vakonomic){
        .row = (int)(row - c->row), .holonomic = true, .with_start = -1, .on_run = -1};
    for (int i = 0; i < row->sys->nconstraint; i++)
        if (c->info.holds[i] && row->sys->constraint[i].level != ZW_POSITION)
            v->holonomic = false;
    if (!row->kernel || row->report.accel.value < 0)
        return ZW_OK;
    for (int k = 0; k < c->states.random; k++) {
        ZW_TRY(zw_compare_check(c, err));
        compare_at(c, row, k, c->start_mu, a, &worst, NULL);
    }
    v->with_start = worst.value;
    return c->options.until > 0 ? follow_vakonomic(c, row, a, err) : ZW_OK;
}

/* ---- the whole ---- */

zw_status zw_compare_check(const zw_comparison *c, zw_error *err) {
    const zw_compare_options *o = &c->options;
    return o->stop && o->stop(o->stop_user, NAN) ? zw_fail(err, ZW_E_NUMERIC, "stopped") : ZW_OK;
}

/* Parameters, start and the multipliers it may name. */
static zw_status read_numbers(zw_comparison *c, zw_error *err) {
    const zw_system *s = c->sys;
    int nx = s->nq + s->nv;
    zw_expr *symbol = ZW_CONTEXT_NEW(s->ctx, zw_expr, s->np);
    c->p = ZW_CONTEXT_NEW(s->ctx, double, s->np);
    c->start = ZW_CONTEXT_NEW(s->ctx, double, nx);
    c->said = ZW_CONTEXT_NEW(s->ctx, zw_said, nx);
    c->width = ZW_CONTEXT_NEW(s->ctx, double, s->nq);
    c->start_mu = ZW_CONTEXT_NEW(s->ctx, double, s->nconstraint);
    if (!symbol || !c->p || !c->start || !c->said || !c->width || !c->start_mu)
        return zw_context_status(s->ctx, err);
    ZW_TRY(zw_system_param_values(s, c->p, err));
    ZW_TRY(zw_system_start_said(s, c->p, c->start, c->said, c->width, err));
    for (int i = 0; i < s->np; i++)
        symbol[i] = s->param[i].sym;
    for (int i = 0; i < s->nstart; i++)
        for (int k = 0; k < s->nconstraint; k++)
            if (s->start[i].what == s->constraint[k].lambda)
                c->start_mu[k] = zw_eval(s->ctx, s->start[i].value, s->np, symbol, c->p);
    return ZW_OK;
}

/* Loads LLVM in advance, so that its time is not part of the first principle. */
static zw_status load_compiler(zw_comparison *c, zw_error *err) {
    zw_compare_row cold = {.report.principle = &zw_principles()[0]};
    zw_status status = zw_compare_set_up(c, &cold, err);
    zw_compare_clear(&cold);
    return status;
}

static zw_status set_up_all(zw_comparison *c, zw_error *err) {
    zw_census census;
    ZW_TRY(zw_system_census(c->sys, NULL, &census, err));
    const char *reference = census.redundant >= 0 ? "gauss" : "lagrange";
    const zw_principle *principle = zw_principles();
    int n = 0;
    while (principle[n].name)
        n++;
    c->row = ZW_CONTEXT_NEW(c->ctx, zw_compare_row, n);
    if (!c->row)
        return zw_context_status(c->ctx, err);
    ZW_TRY(load_compiler(c, err));
    for (int i = 0; i < n; i++) {
        zw_compare_row *row = &c->row[c->info.nrow++];
        row->report.principle = &principle[i];
        ZW_TRY(zw_compare_set_up(c, row, err));
        if (strcmp(principle[i].name, reference) != 0)
            continue;
        c->info.reference = i;
        if (!row->kernel)
            return zw_compare_pass_on(&row->report.refusal, err);
        c->info.holds = row->eq.holds;
    }
    return ZW_OK;
}

static zw_status build_comparison(zw_comparison *c, zw_error *err) {
    c->ctx = zw_context_create(&c->alloc);
    if (!c->ctx)
        return zw_out_of_memory(err, NULL);
    ZW_TRY(c->make(c->user, c->ctx, &c->sys, err));
    c->info.sys = c->sys;
    if (c->sys->nv == 0) {
        zw_fail(err, ZW_E_MODEL, "the model %s has states alone: there is nothing to compare",
                c->sys->name);
        zw_error_hint(err, "principles make equations of motion; those of states are the same by "
                           "all of them");
        return ZW_E_MODEL;
    }
    ZW_TRY(read_numbers(c, err));
    ZW_TRY(set_up_all(c, err));
    ZW_TRY(zw_compare_find_states(c, err));
    double *a = ZW_CONTEXT_NEW(c->ctx, double, c->sys->nv);
    if (!a)
        return zw_context_status(c->ctx, err);
    for (int i = 0; i < c->info.nrow; i++) {
        ZW_TRY(compare_one(c, &c->row[i], a, err));
        if (c->row[i].vakonomic)
            ZW_TRY(compare_vakonomic(c, &c->row[i], a, err));
    }
    ZW_TRY(zw_compare_least_curvature(c, err));
    for (int i = 0; i < c->info.nrow; i++) /* values of expressions need memory too */
        ZW_TRY(zw_context_status(c->row[i].ctx, err));
    ZW_TRY(zw_compare_check(c, err)); /* what was interrupted has failed */
    return zw_context_status(c->ctx, err);
}

/* ------------------------------------------------------------------------------------ lifecycle */

void zw_compare_options_init(zw_compare_options *options, size_t size) {
    const zw_compare_options all = {
        .size = size, .states = 20, .seed = 1, .tolerance = DEFAULT_TOLERANCE};
    zw_options_begin(options, size, &all, sizeof all);
}

static zw_status check_options(const zw_compare_options *o, zw_error *err) {
    if (o->states < 1 || o->states > 100000)
        return zw_fail(err, ZW_E_OPTION, "%d random states: 1 to 100000 are possible", o->states);
    if (!(o->until >= 0 && o->until <= LONGEST_RUN))
        return zw_fail(err, ZW_E_OPTION, "a run to t = %g s is not possible", o->until);
    if (!(o->tolerance >= 0 && o->tolerance <= 1))
        return zw_fail(err, ZW_E_OPTION, "the tolerance %g is not between 0 and 1", o->tolerance);
    return ZW_OK;
}

/* file: of the text, NULL if there is none. */
static zw_status create_comparison(zw_comparison **out, zw_system_maker make, void *user,
                                   const char *file, const zw_compare_options *options,
                                   zw_error *err) {
    zw_compare_options o = zw_compare_options_default();
    zw_run_options run = zw_run_options_default();
    *out = NULL;
    if (options)
        ZW_TRY(zw_options_adopt(&o, sizeof o, options, "zw_compare_options", err));
    if (o.run)
        ZW_TRY(zw_options_adopt(&run, sizeof run, o.run, "zw_run_options", err));
    zw_allocator alloc = o.allocator ? *o.allocator : zw_allocator_default();
    ZW_TRY(check_options(&o, err));
    zw_comparison *c = alloc.fn(alloc.ud, NULL, 0, sizeof *c);
    if (!c)
        return zw_out_of_memory(err, NULL);
    *c = (zw_comparison){.alloc = alloc, .options = o, .make = make, .user = user, .file = file};
    c->run = run;
    c->info.tolerance = o.tolerance;
    zw_status status = build_comparison(c, err);
    if (status < 0) {
        zw_comparison_destroy(c);
        return status;
    }
    *out = c;
    return ZW_OK;
}

/* A maker: reads the text once more. */
static zw_status read_again(void *user, zw_context *ctx, zw_system **out, zw_error *err) {
    const zw_model_source *source = user;
    return zw_model_parse(out, ctx, source->text, source->length, source->file, source->options,
                          err);
}

zw_status zw_compare(zw_comparison **out, const zw_model_source *source,
                     const zw_compare_options *options, zw_error *err) {
    assert(out);
    zw_model_source copy = *source;
    return create_comparison(out, read_again, &copy, source->file, options, err);
}

zw_status zw_compare_made(zw_comparison **out, zw_system_maker make, void *user,
                          const zw_compare_options *options, zw_error *err) {
    assert(out);
    return create_comparison(out, make, user, NULL, options, err);
}

void zw_comparison_destroy(zw_comparison *c) {
    if (!c)
        return;
    zw_allocator alloc = c->alloc;
    for (int i = 0; i < c->info.nrow; i++)
        zw_compare_clear(&c->row[i]);
    zw_context_destroy(c->ctx);
    alloc.fn(alloc.ud, c, sizeof *c, 0);
}

/* -------------------------------------------------------------------------------------- results */

const zw_comparison_info *zw_comparison_summary(const zw_comparison *c) {
    return &c->info;
}

const zw_compared *zw_comparison_row(const zw_comparison *c, int row) {
    assert(row >= 0 && row < c->info.nrow);
    return &c->row[row].report;
}

const zw_compared *zw_comparison_worst(const zw_comparison *c, bool *of_lambda) {
    const zw_compared *worst = NULL;
    double value = -1;
    for (int i = 0; i < c->info.nrow; i++) {
        const zw_compared *row = &c->row[i].report;
        if (i == c->info.reference || (c->row[i].vakonomic && !c->info.vakonomic.holonomic))
            continue;
        for (int which = 0; which < 2; which++) {
            double here = which ? row->lambda.value : row->accel.value;
            if (here <= value)
                continue;
            value = here;
            worst = row;
            *of_lambda = which == 1;
        }
    }
    return worst;
}

const double *zw_comparison_state(const zw_comparison *c, int k, double *t) {
    assert(k >= 0 && k < c->states.n);
    *t = c->states.t[k];
    return c->states.x + (size_t)k * (size_t)(c->sys->nq + c->sys->nv);
}

void zw_comparison_name_state(const zw_comparison *c, int k, char *out, size_t size) {
    assert(k >= 0 && k < c->states.n);
    if (k < c->info.nrandom)
        snprintf(out, size, "random state %d (t = %.6g s)", k + 1, c->states.t[k]);
    else
        snprintf(out, size, "t = %.6g s of the run", c->states.t[k]);
}

zw_status zw_comparison_judge(const zw_comparison *c, zw_error *err) {
    bool of_lambda;
    const zw_compared *worst = zw_comparison_worst(c, &of_lambda);
    if (worst) {
        const zw_difference *w = of_lambda ? &worst->lambda : &worst->accel;
        char place[80];
        zw_comparison_name_state(c, w->state, place, sizeof place);
        if (w->value > c->info.tolerance)
            return zw_fail(err, ZW_E_NUMERIC,
                           "%s differs from %s by %.2e (relative, %.2g is allowed): %s at %s",
                           worst->principle->name, c->row[c->info.reference].report.principle->name,
                           w->value, c->info.tolerance, w->entry, place);
    }
    if (c->info.hertz.applies && !c->info.hertz.holds)
        return zw_fail(err, ZW_E_NUMERIC,
                       "the accelerations do not make the curvature least: relative first "
                       "variation %.2e",
                       c->info.hertz.slope);
    return ZW_OK;
}
