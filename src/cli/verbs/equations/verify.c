/* SPDX-License-Identifier: MIT */
/* Checks the claims of a model at random admissible states of the derived system, or as series
 * about a state. */
#include <stdio.h>
#include <stdlib.h>

#include "base/arena.h"
#include "cli/cli.h"

#define AT(field) offsetof(cli_options, field)

static const zw_option table[] = {
    {"states", ZW_OPT_INT, AT(states), 200, 4, 100000, "", NULL,
     "random states for every claim; every second one with other values of the parameters"},
    {"json", ZW_OPT_FLAG, AT(json), 0, 0, 0, "", NULL, "as JSON on standard output"},
    {0},
};

/* ------------------------------------------------------------------------------------- output */

enum { LONG = 1 << 14 }; /* characters; longer expressions are not written out */

static void put_expr(zw_text *out, const zw_system *s, zw_expr e) {
    char *printed = zw_print_within(s->ctx, e, ZW_TEXT, LONG);
    if (printed)
        zw_text_put(out, printed);
    else
        zw_text_printf(out, "(%ld operations)", zw_count(s->ctx, 1, &e));
    zw_string_free(s->ctx, printed);
}

static void put_equation(zw_text *out, const zw_system *s, zw_expr lhs, zw_expr rhs) {
    put_expr(out, s, lhs);
    zw_text_put(out, " = ");
    put_expr(out, s, rhs);
}

/* t, q, v of a sample */
static void put_state(zw_text *out, const zw_system *s, const zw_trials *ev, int sample,
                      bool json) {
    const double *value = ev->value + (size_t)sample * (size_t)ev->nsym;
    for (int i = s->np; i <= s->np + s->nq + s->nv; i++) {
        const char *name = zw_expr_name(s->ctx, ev->sym[i]);
        zw_text_put(out, i > s->np ? ", " : "");
        if (!json) {
            zw_text_printf(out, "%s = %.4g", name, value[i]);
            continue;
        }
        zw_text_json(out, name);
        zw_text_put(out, ": ");
        zw_text_json_number(out, value[i]);
    }
}

/* true for a claim about a series, not about one state; if a parameter is small, 1/parameter is
 * also a term */
static bool is_expansion(const zw_system *s, const zw_claim *c) {
    for (int i = 0; i < c->nsmall; i++)
        for (int k = 0; k < s->np; k++)
            if (s->param[k].sym == c->small[i].sym)
                return true;
    return c->nsmall && (c->order || c->exact);
}

/* " by vakonomic", " up to order 3" */
static void put_terms(zw_text *out, const zw_system *s, const zw_claim *c) {
    if (c->principle)
        zw_text_printf(out, " by %s", c->principle);
    if (is_expansion(s, c))
        zw_text_printf(out, c->exact ? " of order %d" : " up to order %d", c->order);
    else if (c->nsmall)
        zw_text_put(out, " there");
}

static void put_residual(zw_text *out, const zw_system *s, const zw_verdict *v) {
    if (is_expansion(s, v->claim))
        zw_text_printf(out, "terms of order %d disagree, ", v->order);
    zw_text_printf(out, "the residual is %.2g of the largest term\n", v->share);
}

static void put_verdict(zw_text *out, const zw_system *s, const zw_trials *ev,
                        const zw_verdict *v) {
    const zw_claim *c = v->claim;
    zw_text_put(out, c->name);
    if (v->holds) {
        zw_text_put(out, " holds");
        put_terms(out, s, c);
        zw_text_printf(out, " (%d %s, largest residual %.1e)\n", v->states,
                       is_expansion(s, c) ? "directions" : "states", v->residual);
        return;
    }
    zw_text_put(out, " FAILS");
    put_terms(out, s, c);
    zw_text_printf(out, " (line %d): ", c->place.line);
    if (v->further)
        zw_text_printf(out, "both sides agree up to order %d\n", c->order + 1);
    else if (v->residual <= ZW_CLAIM_TOLERANCE)
        zw_text_put(out, "its numbers in SI hold, its units do not\n");
    else
        put_residual(out, s, v);
    zw_text_put(out, "  printed   ");
    put_equation(out, s, c->lhs, c->rhs);
    if (c->units)
        zw_text_printf(out, "\n  units     %s", c->units);
    if (v->residual <= ZW_CLAIM_TOLERANCE) {
        zw_text_put(out, "\n");
        return;
    }
    zw_text_put(out, is_expansion(s, c) ? "\n  towards   " : "\n  worst at  ");
    put_state(out, s, ev, v->worst, false);
    zw_text_put(out, "\n");
    if (v->kink)
        zw_text_printf(out, "  not smooth there: %s\n", v->kink);
    if (v->nrepair == 0)
        zw_text_put(out, "  no small repair makes it hold\n");
    for (int i = 0; i < v->nrepair; i++) {
        zw_text_printf(out, "  %s    %s\n            ", i ? "or    " : "repair",
                       v->repair[i].words);
        put_equation(out, s, v->repair[i].lhs, v->repair[i].rhs);
        zw_text_put(out, "\n");
    }
}

static void json_equation(zw_text *out, const zw_system *s, const char *key, zw_expr lhs,
                          zw_expr rhs) {
    zw_text equation;
    zw_text_init(&equation, NULL);
    put_equation(&equation, s, lhs, rhs);
    zw_text_printf(out, "\"%s\": ", key);
    zw_text_json(out, zw_text_get(&equation));
    out->failed |= equation.failed;
    zw_text_clear(&equation);
}

static void json_terms(zw_text *out, const zw_verdict *v) {
    const zw_claim *c = v->claim;
    if (c->principle) {
        zw_text_put(out, ", \"principle\": ");
        zw_text_json(out, c->principle);
    }
    if (!zw_claim_is_plain(c))
        zw_text_printf(out, ", \"states\": %d", v->states);
    if (c->nsmall)
        zw_text_printf(out, ", \"order\": %d", c->order);
    if (c->nsmall && !v->holds)
        zw_text_printf(out, ", \"disagrees\": %d", v->order);
    if (c->exact)
        zw_text_printf(out, ", \"exact\": true, \"further\": %s", v->further ? "true" : "false");
    if (c->units) {
        zw_text_put(out, ", \"units\": ");
        zw_text_json(out, c->units);
    }
    if (v->kink) {
        zw_text_put(out, ", \"kink\": ");
        zw_text_json(out, v->kink);
    }
}

static void json_verdict(zw_text *out, const zw_system *s, const zw_trials *ev,
                         const zw_verdict *v) {
    zw_text_put(out, "    {\"name\": ");
    zw_text_json(out, v->claim->name);
    zw_text_printf(out, ", \"line\": %d, \"holds\": %s, \"residual\": ", v->claim->place.line,
                   v->holds ? "true" : "false");
    zw_text_json_number(out, v->residual);
    zw_text_put(out, ", ");
    json_equation(out, s, "equation", v->claim->lhs, v->claim->rhs);
    json_terms(out, v);
    if (!v->holds) {
        zw_text_put(out, ",\n     \"share\": ");
        zw_text_json_number(out, v->share);
        zw_text_put(out, ", \"worst\": {");
        put_state(out, s, ev, v->worst, true);
        zw_text_put(out, "},\n     \"repairs\": [");
        for (int i = 0; i < v->nrepair; i++) {
            zw_text_put(out, i ? ",\n       {\"words\": " : "\n       {\"words\": ");
            zw_text_json(out, v->repair[i].words);
            zw_text_put(out, ", ");
            json_equation(out, s, "equation", v->repair[i].lhs, v->repair[i].rhs);
            zw_text_put(out, "}");
        }
        zw_text_put(out, "]");
    }
    zw_text_put(out, "}");
}

/* ------------------------------------------------------------------------------------ command */

/* the samples shared by all plain claims, and those of each other claim */
static zw_status verify_claim(zw_verdict *v, const zw_system *s, int i,
                              const zw_verify_options *options, zw_trials *shared, zw_trials *own,
                              zw_error *err) {
    const zw_claim *c = &s->claim[i];
    if (!zw_claim_is_plain(c)) {
        ZW_TRY(zw_trials_for(own, s, c, NULL, options, err));
        return zw_verify(v, s, c, own, err);
    }
    if (!shared->nsample)
        ZW_TRY(zw_trials_collect(shared, s, NULL, options, err));
    *own = *shared;
    return zw_verify(v, s, c, shared, err);
}

/* a claim that cannot be tested, and why */
static void put_refusal(zw_text *out, bool json, const zw_claim *c, const zw_error *why) {
    if (!json) {
        zw_text_printf(out, "%s REFUSED (line %d): %s\n", c->name, c->place.line, why->text);
        return;
    }
    zw_text_put(out, "    {\"name\": ");
    zw_text_json(out, c->name);
    zw_text_printf(out, ", \"line\": %d, \"refused\": ", c->place.line);
    zw_text_json(out, why->text);
    zw_text_put(out, "}");
}

static zw_status verify_claims(const cli_options *o, const cli_model *m, int *failed,
                               zw_error *err) {
    const zw_system *s = m->sys;
    zw_trials shared = {0}, ev;
    zw_text out;
    zw_status status = ZW_OK;
    int refused = 0;
    *failed = 0;
    if (s->nclaim == 0) {
        zw_fail(err, ZW_E_MODEL, "the model %s claims nothing", s->name);
        zw_error_hint(err, "claim NAME : left = right (docs/verify.md)");
        return ZW_E_MODEL;
    }
    zw_verify_options options = zw_verify_options_default();
    options.states = o->states;
    zw_text_init(&out, NULL);
    if (o->json) {
        zw_text_put(&out, "{\n  \"model\": ");
        zw_text_json(&out, s->name);
        zw_text_put(&out, ",\n  \"variant\": ");
        zw_text_json(&out, s->variant);
        zw_text_printf(&out, ",\n  \"states\": %d,\n  \"claims\": [\n", o->states);
    }
    for (int i = 0; i < s->nclaim && status != ZW_E_MEMORY; i++) {
        zw_verdict v;
        zw_error refusal = {0};
        zw_status judged = verify_claim(&v, s, i, &options, &shared, &ev, &refusal);
        if (o->json)
            zw_text_put(&out, i ? ",\n" : "");
        if (judged < 0) {
            put_refusal(&out, o->json, &s->claim[i], &refusal);
            refused++;
            if (status >= 0) { /* the first is reported as the error, */
                status = judged;
                *err = refusal;
            }
            continue; /* and the others are tested all the same */
        }
        *failed += !v.holds;
        if (o->json)
            json_verdict(&out, s, &ev, &v);
        else
            put_verdict(&out, s, &ev, &v);
    }
    if (o->json)
        zw_text_printf(&out, "\n  ],\n  \"failed\": %d,\n  \"refused\": %d\n}\n", *failed, refused);
    else
        zw_text_printf(&out, "%d of %d claims hold%s\n", s->nclaim - *failed - refused, s->nclaim,
                       refused ? ", some could not be judged" : "");
    if (out.failed)
        status = zw_out_of_memory(err, NULL);
    zw_text_tame(out.data);
    if (status != ZW_E_MEMORY)
        fputs(zw_text_get(&out), stdout);
    zw_text_clear(&out);
    return status;
}

static int run_verify(const cli_options *o, const char *const *words, zw_error *err) {
    cli_model m;
    int failed = 0;
    zw_status status = cli_model_open(&m, words[0], o, err);
    cli_report_warnings(o, m.warnings, false);
    if (status >= 0)
        status = verify_claims(o, &m, &failed, err);
    if (!failed)
        status = cli_judge(o, m.warnings, status, err);
    cli_model_close(&m);
    return status < 0 ? cli_exit_code(status) : failed > 0;
}

static const cli_group groups[] = {
    {"options", table, 0},
    {"messages and limits", cli_told_table, 0},
    {"model", cli_model_table, offsetof(cli_options, model)},
    {0},
};

const cli_command cli_verify = {
    .name = "verify",
    .usage = "verify MODEL [--states 200] [--json]",
    .about = "the claims of a model, tested on random states; repairs for those that fail",
    .details =
        "A claim is an equation that somebody printed about the system. Each is evaluated at\n"
        "random admissible states of the derived equations, also with other values of the\n"
        "parameters. One that fails is shown with the size of its residual, the worst state\n"
        "and, if one is found, a small repair that makes it hold: a sign, a number, a name,\n"
        "a function, an exponent, a factor, a term. Exit code 1 if a claim fails.\n"
        "A claim may also be about series at a state (equal up to an order, or of an order),\n"
        "about eigenvalues, about means along a trial motion, about the units of a printed\n"
        "equation, or about the motion by another principle.",
    .examples =
        "  zwang verify models/absorber_planar.zw\n"
        "  zwang verify models/claims/turntable_ball_printed.zw\n"
        "  zwang verify models/claims/turntable_ball_printed.zw --json\n"
        "  zwang verify models/claims/tippedisk_small_printed.zw --variant critical --states 10\n",
    .groups = groups,
    .random = true,
    .arguments = 1,
    .run = run_verify,
};
