/* SPDX-License-Identifier: MIT */
/* The claims of a model as a study: each is tested, and one that cannot be tested does not stop the
 * others. */
#include <math.h>

#include "expr/print/expr_report.h"
#include "repair.h"
#include "zwang/study.h"

typedef struct verify_options {
    zw_verify_options own;
} verify_options;

#define AT(field) offsetof(verify_options, field)

static const zw_option common_table[] = {
    {"states", ZW_OPT_INT, AT(own.states), 200, 4, 100000, "", NULL,
     "random states for each claim; every second one has other parameter values"},
    {0},
};

static const zw_option_group groups[] = {
    {"options", common_table, 0, false},
    {NULL, NULL, 0, false},
};

typedef struct tested_claim {
    bool tested;
    zw_error why; /* it could not be tested */
    zw_verdict verdict;
    zw_trials trials;
} tested_claim;

typedef struct verification {
    const zw_system *sys;
    zw_verify_options options;
    bool (*stop)(void *user, double done);
    void *user;
    bool stopped;
    zw_trials shared; /* samples of all plain claims */
    int n, failed, untested;
    tested_claim *claim; /* nclaim of the system; n are done */
} verification;

static void begin_options(void *options) {
    verify_options *o = options;
    o->own = zw_verify_options_default();
}

/* ---------------------------------------------------------------------------------------- work */

/* `done` is that of a part of the work; the study knows how many claims there are */
static bool ask_stop(void *user, double done) {
    verification *v = user;
    (void)done;
    v->stopped = v->stopped || (v->stop && v->stop(v->user, (double)v->n / v->sys->nclaim));
    return v->stopped;
}

static zw_status create_study(void **out, const zw_study_input *input, void *given, zw_error *err) {
    const zw_system *s = input->system;
    const verify_options *o = given;
    if (s->nclaim == 0) {
        zw_fail(err, ZW_E_MODEL, "the model %s has no claims", s->name);
        zw_error_hint(err, "write them as: claim NAME : left = right (docs/verify.md)");
        return ZW_E_MODEL;
    }
    verification *v = zw_context_alloc(s->ctx, sizeof *v);
    tested_claim *claim = zw_context_alloc(s->ctx, sizeof *claim * (size_t)s->nclaim);
    if (!v || !claim)
        return zw_context_status(s->ctx, err);
    *v = (verification){.sys = s, .options = o->own, .claim = claim};
    v->stop = input->stop;
    v->user = input->user;
    v->options.stop = ask_stop;
    v->options.stop_user = v;
    *out = v;
    return ZW_OK;
}

/* it lives in the context of the system */
static void destroy_study(void *study) {
    (void)study;
}

static zw_status test_claim(verification *v, const zw_claim *c, tested_claim *out, zw_error *err) {
    const zw_system *s = v->sys;
    if (!zw_claim_is_plain(c)) {
        ZW_TRY(zw_trials_for(&out->trials, s, c, NULL, &v->options, err));
    } else {
        if (!v->shared.nsample)
            ZW_TRY(zw_trials_collect(&v->shared, s, NULL, &v->options, err));
        out->trials = v->shared;
    }
    return zw_verify(&out->verdict, s, c, &out->trials, err);
}

/* The first claim that cannot be tested is the error; then those that fail are one. */
static zw_status run_study(void *study, const zw_study_input *input, zw_error *err) {
    verification *v = study;
    const zw_system *s = v->sys;
    zw_status status = ZW_OK;
    (void)input;
    for (; v->n < s->nclaim; v->n++) {
        tested_claim *c = &v->claim[v->n];
        *c = (tested_claim){0};
        zw_status judged = ask_stop(v, NAN) ? ZW_OK : test_claim(v, &s->claim[v->n], c, &c->why);
        if (v->stopped)
            return v->n > 0 ? ZW_STOPPED : zw_fail(err, ZW_E_NUMERIC, "stopped");
        if (judged == ZW_E_MEMORY)
            return zw_out_of_memory(err, NULL);
        c->tested = judged >= 0;
        v->failed += c->tested && !c->verdict.holds;
        v->untested += !c->tested;
        if (judged < 0 && status >= 0) {
            status = judged;
            if (err)
                *err = c->why;
        }
    }
    if (status < 0 || v->failed == 0)
        return status;
    return zw_fail(err, ZW_E_MODEL, "%d of %d claims failed", v->failed, s->nclaim);
}

static bool has_results(const void *study, zw_status status) {
    const verification *v = study;
    return status != ZW_E_MEMORY && v->n > 0;
}

/* -------------------------------------------------------------------------------------- report */

enum { LONG = 1 << 14 }; /* characters; longer equations are not written out */

/* true for a claim about a series, not about one state; if a parameter is small, 1/parameter is
 * also a term */
static bool is_expansion(const zw_system *s, const zw_claim *c) {
    for (int i = 0; i < c->nsmall; i++)
        for (int k = 0; k < s->np; k++)
            if (s->param[k].sym == c->small[i].sym)
                return true;
    return c->nsmall && (c->order || c->exact);
}

/* what the claim is about: "by vakonomic", "up to order 3" */
static void report_claim(zw_report *r, const zw_system *s, const zw_claim *c) {
    zw_report_word(r, "name", c->name);
    zw_report_count(r, "line", c->place.line);
    if (c->principle)
        zw_report_word(r, "principle", c->principle);
    if (c->nsmall) {
        zw_report_flag(r, "is_series", is_expansion(s, c));
        zw_report_count(r, "order", c->order);
        zw_report_flag(r, "exact", c->exact);
    }
}

/* words for report_claim */
#define ABOUT                                                                                      \
    "{principle? by {principle}}{is_series?{exact? of}{exact! up to} order {order}}"               \
    "{about_state?{is_series! there}}"

/* t, q, v of the worst sample, or of its direction */
static void report_worst(zw_report *r, const zw_system *s, const tested_claim *c, bool shown) {
    const zw_trials *ev = &c->trials;
    const double *value = ev->value + (size_t)c->verdict.worst * (size_t)ev->nsym;
    zw_report_mute(r, !shown);
    zw_report_say(r, "{is_series?\n  towards     }{is_series!\n  worst at    }");
    zw_report_list(r, "worst");
    for (int i = s->np; i <= s->np + s->nq + s->nv; i++) {
        zw_report_open(r, NULL);
        zw_report_word(r, "name", zw_expr_name(s->ctx, ev->sym[i]));
        zw_report_number(r, "value", value[i], &(zw_shown){.digits = 4});
        zw_report_say(r, i > s->np ? ", {name} = {value}" : "{name} = {value}");
        zw_report_close(r);
    }
    zw_report_close(r);
    zw_report_say(r, "\n{kink?  not smooth there: {kink}\n}");
    zw_report_mute(r, false);
}

static void report_corrections(zw_report *r, const zw_system *s, const zw_verdict *v) {
    zw_report_list(r, "corrections");
    for (int i = 0; i < v->nrepair; i++) {
        zw_report_open(r, NULL);
        zw_report_word(r, "words", v->repair[i].words);
        bool shown =
            zw_report_equation(r, "equation", s->ctx, v->repair[i].lhs, v->repair[i].rhs, LONG);
        zw_report_say(r, i ? "  or          {words}\n" : "  correction  {words}\n");
        zw_report_say(r, shown ? "              {equation}\n"
                               : "              ({equation_operations} operations)\n");
        zw_report_close(r);
    }
    zw_report_close(r);
}

static void say_failure(zw_report *r, const zw_claim *c, const zw_verdict *v, bool shown) {
    zw_report_say(r, "{name} FAILS" ABOUT " (line {line}): ");
    if (v->further)
        zw_report_say(r, "both sides agree up to order {agree_up_to}");
    else if (v->residual <= ZW_CLAIM_TOLERANCE)
        zw_report_say(r, "the numbers agree in SI units, but the units do not");
    else
        zw_report_say(r, "{is_series?terms of order {disagrees} disagree, }the residual is "
                         "{share} times the largest term");
    zw_report_say(r, shown ? "\n  printed     {equation}"
                           : "\n  printed     ({equation_operations} operations)");
    if (c->units)
        zw_report_say(r, "\n  units       {units}");
}

static void report_failure(zw_report *r, const zw_system *s, const tested_claim *t, bool shown) {
    const zw_verdict *v = &t->verdict;
    bool numbers = v->residual > ZW_CLAIM_TOLERANCE;
    if (v->claim->nsmall)
        zw_report_count(r, "disagrees", v->order);
    if (v->further)
        zw_report_count(r, "agree_up_to", v->claim->order + 1);
    zw_report_number(r, "share", v->share, &(zw_shown){.digits = 2});
    say_failure(r, v->claim, v, shown);
    report_worst(r, s, t, numbers);
    zw_report_say(r, numbers ? v->nrepair ? "" : "  no small correction makes it hold\n" : "\n");
    report_corrections(r, s, v);
}

static void report_tested(zw_report *r, const zw_system *s, const tested_claim *t) {
    const zw_verdict *v = &t->verdict;
    const zw_claim *c = v->claim;
    zw_report_flag(r, "holds", v->holds);
    zw_report_flag(r, "about_state", c->nsmall > 0);
    bool shown = zw_report_equation(r, "equation", s->ctx, c->lhs, c->rhs, LONG);
    zw_report_count(r, "states", v->states);
    zw_report_number(r, "residual", v->residual, &(zw_shown){.digits = 2});
    if (c->units)
        zw_report_word(r, "units", c->units);
    if (v->kink)
        zw_report_word(r, "kink", v->kink);
    if (c->exact)
        zw_report_flag(r, "further", v->further);
    if (v->holds)
        zw_report_say(r, "{name} holds" ABOUT " ({states} {is_series?direction}{is_series!state}"
                         "{states#|s}, largest residual {residual})\n");
    else
        report_failure(r, s, t, shown);
}

static void report_study(const void *study, zw_report *out) {
    const verification *v = study;
    const zw_system *s = v->sys;
    zw_report_word(out, "variant", s->variant);
    zw_report_count(out, "states", v->options.states);
    zw_report_list(out, "claims");
    for (int i = 0; i < v->n; i++) {
        const tested_claim *t = &v->claim[i];
        zw_report_open(out, NULL);
        report_claim(out, s, &s->claim[i]);
        zw_report_flag(out, "tested", t->tested);
        if (t->tested) {
            report_tested(out, s, t);
        } else {
            zw_report_word(out, "reason", t->why.text);
            zw_report_say(out, "{name} NOT TESTED (line {line}): {reason}\n");
        }
        zw_report_close(out);
    }
    zw_report_close(out);
    zw_report_count(out, "holding", v->n - v->failed - v->untested);
    zw_report_count(out, "failed", v->failed);
    zw_report_count(out, "not_tested", v->untested);
    zw_report_count(out, "claimed", s->nclaim);
    zw_report_say(out, "{holding} of {claimed} claims hold{not_tested?, {not_tested} could "
                       "not be tested}\n");
}

static const zw_study_output outputs[] = {{0}};

const zw_study_kind zw_study_verify = {
    .name = "verify",
    .question = "What are the equations?",
    .about = "claims of a model, tested at random states; corrections of false ones",
    .usage = "verify MODEL [--states 200]",
    .details =
        "A claim is a published equation about the system. Each one is evaluated at random "
        "admissible states of the derived equations, for some states with other parameter values. "
        "For a claim that fails, the report gives the size of the residual, the worst state and, "
        "if there is one, a small correction that makes it hold: a sign, number, name, function, "
        "exponent, factor or term. The exit code is 1 if a claim fails. A claim may also be about "
        "series at a state (equal up to an order, or of an order), eigenvalues, means along a "
        "trial motion, the units of a printed equation, or the motion by another principle.",
    .examples =
        "  zwang verify models/absorber_planar.zw\n"
        "  zwang verify models/claims/turntable_ball_printed.zw\n"
        "  zwang verify models/claims/turntable_ball_printed.zw --json\n"
        "  zwang verify models/claims/tippedisk_small_printed.zw --variant critical --states 10\n",
    .call = "verify models/claims/turntable_ball_printed.zw",
    .printed = "eq3_3a holds (200 states, largest residual 1.6e-16)\n"
               "eq3_3b holds (200 states, largest residual 1.5e-16)\n"
               "eq3_4a holds (200 states, largest residual 2.2e-16)\n"
               "eq3_4b holds (200 states, largest residual 1.8e-16)\n"
               "4 of 4 claims hold\n",
    .groups = groups,
    .size = sizeof(verify_options),
    .begin = begin_options,
    .random = true,
    .outputs = outputs,
    .create = create_study,
    .work = run_study,
    .has_results = has_results,
    .report = report_study,
    .destroy = destroy_study,
};
