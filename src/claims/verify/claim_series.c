/* SPDX-License-Identifier: MIT */
/* The samples of a claim about a state with small variables, another principle than Lagrange's,
 * means or eigenvalues: series along curves (claim_curve.c). A claim that is not about a state is
 * tested on curves of one term, which are states. */
#include "claim_series.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/option.h"
#include "base/random.h"
#include "repair.h"
#include "zwang/equations.h"

enum {
    POLES = 6,           /* negative powers of s that a claim may have */
    PER_SET = 4,         /* curves for each set of parameter values */
    STATES_MAX = 100000, /* tested states */
    SPECTRAL_CURVES = 8  /* curves for eigenvalues, which take long */
};

bool zw_series_of(const zw_system *s, const zw_trials *ev, int sample, zw_expr e, zw_jet *out) {
    zw_series *w = ev->series;
    int curve = sample / w->width;
    if (w->has_value != e || w->queried_curve != curve) {
        w->has_answer =
            zw_jet_eval(s->ctx, 1, &e, ev->nsym, ev->sym, w->jet + (size_t)curve * (size_t)ev->nsym,
                        w->terms, &w->answer, NULL);
        w->has_value = e;
        w->queried_curve = curve;
    }
    *out = w->answer;
    return w->has_answer;
}

/* --------------------------------------------------------------------------------------- set-up */

/* The symbols of zw_trials_init, rates of multipliers if there are any, quantities of the claim,
 * the distances of its small variables from their values. */
static zw_status name_symbols(zw_trials *out, const zw_system *s, const zw_claim *claim,
                              zw_error *err) {
    bool impulses = claim->principle && strcmp(claim->principle, "vakonomic") == 0;
    zw_trials plain;
    ZW_TRY(zw_trials_init(&plain, s, 1, 1, err));
    int at = plain.nsym;
    *out =
        (zw_trials){.nsym = at + (impulses ? s->nconstraint : 0) + claim->nclaimed + claim->nsmall,
                    .claim = claim};
    out->sym = ZW_CONTEXT_NEW(s->ctx, zw_expr, out->nsym);
    if (!out->sym)
        return zw_context_status(s->ctx, err);
    memcpy(out->sym, plain.sym, (size_t)at * sizeof *out->sym);
    for (int i = 0; impulses && i < s->nconstraint; i++)
        out->sym[at++] = zw_system_lambda_rate((zw_system *)s, s->constraint[i].name);
    for (int i = 0; i < claim->nclaimed; i++)
        out->sym[at++] = claim->claimed[i].sym;
    for (int i = 0; i < claim->nsmall; i++)
        out->sym[at++] = claim->small[i].distance;
    return zw_context_status(s->ctx, err);
}

static bool is_spectral(const zw_claim *claim) {
    for (int i = 0; i < claim->nclaimed; i++)
        if (claim->claimed[i].kind != ZW_MEAN)
            return true;
    return false;
}

static zw_status allocate_trials(zw_trials *out, const zw_system *s, int ncurve, int nset,
                                 zw_error *err) {
    const zw_claim *claim = out->claim;
    zw_series *w = ZW_CONTEXT_NEW(s->ctx, zw_series, 1);
    if (!w)
        return zw_context_status(s->ctx, err);
    w->terms = zw_claimed_terms(s, claim);
    w->low = claim->nsmall ? -POLES : 0;
    w->width = claim->order + claim->exact - w->low + 1;
    w->ncurve = ncurve;
    w->jet = ZW_CONTEXT_NEW(s->ctx, zw_jet, (size_t)ncurve * (size_t)out->nsym);
    out->series = w;
    out->nset = nset;
    out->nsample = ncurve * w->width;
    out->value = ZW_CONTEXT_NEW(s->ctx, double, (size_t)out->nsample *(size_t)out->nsym);
    out->set = ZW_CONTEXT_NEW(s->ctx, int, out->nsample);
    return zw_context_status(s->ctx, err);
}

/* ----------------------------------------------------------------------------------- collecting */

typedef struct curve_collection {
    zw_trials *ev;
    zw_claim_curve curve;
    uint64_t seed;
    int filled; /* number of curves */
    double *p, *step;
    int *power;
} curve_collection;

/* Parameters go to their values of the set, which are those of all its curves; the others
 * anywhere. */
static void choose_steps(curve_collection *c, int set, zw_random *random) {
    const zw_claim_curve *k = &c->curve;
    for (int i = 0; i < k->claim->nsmall; i++) {
        zw_expr sym = k->claim->small[i].sym;
        double d = zw_random_real(random, -1, 1), width = 1;
        c->power[i] = 1;
        c->step[i] = 0;
        for (int j = k->q; j < k->a; j++)
            if (k->sym[j] == sym)
                width = k->sampler->width[j - k->q];
        for (int j = 0; j < k->sys->np; j++)
            if (k->sym[j] == sym) {
                zw_random own = zw_random_stream(c->seed + 1, (uint64_t)(set * k->sys->np + j));
                double centre =
                    zw_eval(k->sys->ctx, k->claim->small[i].centre, k->sys->np, k->sym, c->p);
                c->step[i] = c->p[j] - centre;
                if (!(fabs(c->step[i]) > 0))
                    c->step[i] = 0.5 + zw_random_unit(&own);
            }
        if (c->step[i] == 0)
            c->step[i] = width * (d < 0 ? -0.1 + 0.9 * d : 0.1 + 0.9 * d);
    }
}

/* The numbers that represent a curve: c_0 + c_1 s at s = 1, or at its end. */
static double curve_value(const zw_jet *j, bool end) {
    double first = zw_jet_coefficient(j, 0), second = zw_jet_coefficient(j, 1);
    return first + (end || isnan(second) ? 0 : second);
}

static void store_curve(curve_collection *c, int set) {
    zw_trials *ev = c->ev;
    int n = ev->nsym, width = ev->series->width;
    memcpy(ev->series->jet + (size_t)c->filled * (size_t)n, c->curve.x, (size_t)n * sizeof(zw_jet));
    for (int j = c->filled * width; j < (c->filled + 1) * width; j++) {
        ev->set[j] = set;
        for (int i = 0; i < n; i++)
            ev->value[(size_t)j * (size_t)n + (size_t)i] =
                curve_value(&c->curve.x[i], i >= c->curve.t && c->curve.claim->order == 0);
    }
    c->filled++;
}

static zw_status check_claim(const zw_claim_curve *k, zw_error *err) {
    zw_jet value;
    zw_jet_fault fault = {0};
    if (zw_jet_eval(k->sys->ctx, 1, &k->claim->residual, k->nsym, k->sym, k->x, k->terms, &value,
                    &fault))
        return ZW_OK;
    return zw_curve_reject(k, &fault, err);
}

static zw_status draw_curve(curve_collection *c, int set, zw_error *err) {
    zw_random random = zw_random_stream(c->seed ^ 0x5e41e5u, (uint64_t)c->filled);
    /* other variables may move too, and do on every second curve */
    const zw_departure d = {.step = c->step,
                            .power = c->power,
                            .others_move = c->filled % 2,
                            .seed = c->seed + (uint64_t)c->filled};
    ZW_TRY(zw_trials_check(c->ev, err));
    choose_steps(c, set, &random);
    ZW_TRY(zw_curve_parameters(&c->curve, c->p, &d, err));
    ZW_TRY(zw_curve_begin(&c->curve, c->filled, err));
    ZW_TRY(zw_curve_follow(&c->curve, &d, err));
    ZW_TRY(zw_claimed_values(&c->curve, &d, err));
    if (set >
        0) /* with other parameters the claim may have no value: a root of a negative number */
        ZW_TRY(check_claim(&c->curve, err));
    store_curve(c, set);
    return ZW_OK;
}

/* n curves of one set of parameters; a set that admits none, other than the model's, is left
 * out. */
static zw_status draw_set(curve_collection *c, int set, int n, zw_error *err) {
    int before = c->filled;
    zw_error fault = {0};
    zw_status status = zw_trials_params(c->curve.sys, c->seed, set, c->p, &fault);
    for (int i = 0; i < n && status >= 0; i++)
        status = draw_curve(c, set, &fault);
    if (status >= 0)
        return ZW_OK;
    c->filled = before;
    if (set > 0 && status != ZW_E_MEMORY)
        return ZW_OK;
    if (err)
        *err = fault;
    return status;
}

static void note_kink(curve_collection *c) {
    enum { PRINTED_LENGTH = 60 }; /* characters of an expression in a message */
    const zw_claim_curve *k = &c->curve;
    char where[200], words[400];
    if (!k->fault.kink || k->claim->nsmall == 0)
        return;
    char *part = zw_print_within(k->sys->ctx, k->fault.kink, ZW_TEXT, PRINTED_LENGTH);
    zw_curve_statement(k, k->fault.kink, where, sizeof where);
    snprintf(words, sizeof words, part ? "%.150s in %.190s" : "a part%.0s of %.190s",
             part ? part : "", where);
    zw_string_free(k->sys->ctx, part);
    c->ev->series->kink = zw_context_intern(k->sys->ctx, words);
}

static zw_status collect_curves(zw_trials *out, const zw_system *s, const zw_active *active,
                                const zw_verify_options *o, zw_error *err) {
    const zw_claim *claim = out->claim;
    int sets = zw_trials_sets(s), most = 1 + o->states / 2 / PER_SET, first;
    sets = sets < most ? sets : most;
    first = o->states - (sets - 1) * PER_SET;
    if (is_spectral(claim) && first > SPECTRAL_CURVES)
        first = SPECTRAL_CURVES; /* any state is equivalent */
    ZW_TRY(allocate_trials(out, s, first + (sets - 1) * PER_SET, sets, err));
    curve_collection c = {.ev = out, .seed = o->seed};
    ZW_TRY(zw_curve_init(&c.curve, s, claim, active, out, o->seed, out->series->terms, err));
    c.p = ZW_CONTEXT_NEW(s->ctx, double, s->np);
    c.step = ZW_CONTEXT_NEW(s->ctx, double, claim->nsmall);
    c.power = ZW_CONTEXT_NEW(s->ctx, int, claim->nsmall);
    ZW_TRY(zw_context_status(s->ctx, err));
    ZW_TRY(draw_set(&c, 0, first, err));
    for (int set = 1; set < sets; set++)
        ZW_TRY(draw_set(&c, set, PER_SET, err));
    out->series->ncurve = c.filled;
    out->nsample = c.filled * out->series->width;
    note_kink(&c);
    return zw_context_status(s->ctx, err);
}

bool zw_claim_is_plain(const zw_claim *claim) {
    return !claim->principle && claim->nsmall == 0 && claim->nclaimed == 0;
}

zw_status zw_trials_for(zw_trials *out, const zw_system *s, const zw_claim *claim,
                        const zw_active *active, const zw_verify_options *options, zw_error *err) {
    zw_verify_options o = zw_verify_options_default();
    const zw_active bare = {.constraint = active ? active->constraint : NULL, .bare = true};
    if (zw_claim_is_plain(claim))
        return zw_trials_collect(out, s, active, options, err);
    if (options)
        ZW_TRY(zw_options_adopt(&o, sizeof o, options, "zw_verify_options", err));
    if (o.states < PER_SET || o.states > STATES_MAX)
        return zw_fail(err, ZW_E_OPTION, "%d random states: %d to %d are possible", o.states,
                       PER_SET, STATES_MAX);
    ZW_TRY(name_symbols(out, s, claim, err));
    ZW_TRY(zw_trials_watch_begin(out, s, &o, err));
    return collect_curves(out, s, &bare, &o, err);
}
