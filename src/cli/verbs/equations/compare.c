/* SPDX-License-Identifier: MIT */
/* The comparison of all principles as a table and as JSON. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/arena.h"
#include "cli/cli.h"
#include "cli/derive.h"
#include "num/options.h"

#define AT(field) offsetof(cli_options, field)

static const zw_option table[] = {
    {"states", ZW_OPT_INT, AT(states), 20, 1, 1e5, "", NULL, "number of random states"},
    {"until", ZW_OPT_DOUBLE, AT(until), 0, 0, 1e12, "s", NULL,
     "also compare along a run from the start to this time; 0: no run"},
    {"tolerance", ZW_OPT_DOUBLE, AT(tolerance), 1e-11, 0, 1, "", NULL,
     "largest relative difference that counts as agreement"},
    {"multipliers", ZW_OPT_FLAG, AT(multipliers), 0, 0, 0, "", NULL,
     "instead: from which starts, and with which multipliers, a nonholonomic motion is vakonomic"},
    {"json", ZW_OPT_FLAG, AT(json), 0, 0, 0, "", NULL, "every number as JSON on standard output"},
    {0},
};

/* the names of the active constraints that are not on position level */
static void put_nonholonomic(zw_text *out, const zw_comparison_info *info) {
    const zw_system *s = info->sys;
    int n = 0;
    for (int i = 0; i < s->nconstraint; i++)
        if (info->holds[i] && s->constraint[i].level != ZW_POSITION)
            zw_text_printf(out, "%s%s", n++ ? ", " : "", s->constraint[i].name);
    zw_text_put(out, n == 1 ? " is" : " are");
}

static bool has_constraints(const zw_comparison_info *info) {
    for (int i = 0; i < info->sys->nconstraint; i++)
        if (info->holds[i])
            return true;
    return false;
}

/* one sentence: how the vakonomic principle compares with the others, and why */
static void put_vakonomic_reason(zw_text *out, const zw_comparison_info *info,
                                 const zw_compared *row) {
    double difference = row->accel.value;
    if (row->accel.value < 0)
        zw_text_printf(out, "cannot be compared: %s",
                       row->refusal.text[0] ? row->refusal.text : "its equations are singular");
    else if (!has_constraints(info))
        zw_text_put(out, "the same principle here: there is no active constraint");
    else if (info->vakonomic.holonomic)
        zw_text_put(out, "the same principle here: all active constraints are holonomic "
                         "(position level)");
    else if (difference <= info->tolerance) {
        zw_text_put(out, "agrees at these states although ");
        put_nonholonomic(out, info);
        zw_text_put(out, " not on position level: the rows behave like integrable ones");
    } else {
        zw_text_put(out, "a different principle here: ");
        put_nonholonomic(out, info);
        zw_text_put(out, " not on position level, and stationary action among the paths that "
                         "satisfy such constraints is not d'Alembert's principle");
    }
}

/* ----------------------------------------------------------------------------------------- text */

static void put_difference(zw_text *out, double value) {
    if (value < 0)
        zw_text_printf(out, " %13s", "-");
    else
        zw_text_printf(out, " %13.1e", value);
}

static void put_refusal(zw_text *out, const char *name, const zw_error *refusal) {
    enum { WIDTH = 110 };
    const char *text = refusal->text;
    int n = (int)strlen(text);
    zw_text_printf(out, "%-16s refuses: %.*s%s\n", name, n > WIDTH ? WIDTH : n, text,
                   n > WIDTH ? " ..." : "");
}

static void put_row(zw_text *out, const zw_compared *row, bool is_reference) {
    char equations[32], unknowns[32];
    if (!row->applies) {
        put_refusal(out, row->principle->name, &row->refusal);
        return;
    }
    snprintf(equations, sizeof equations, "%d+%d", row->dynamic, row->constraints);
    snprintf(unknowns, sizeof unknowns, "%d+%d", row->accelerations, row->multipliers);
    zw_text_printf(out, "%-16s %9s %9s %6ld %10.0f %10.0f", row->principle->name, equations,
                   unknowns, row->operations, 1e6 * row->derive, 1e6 * (row->lower + row->compile));
    if (row->evaluate < 0)
        zw_text_printf(out, " %10s", "-");
    else
        zw_text_printf(out, " %10.3f", 1e6 * row->evaluate);
    if (is_reference) {
        zw_text_printf(out, " %13s %13s\n", "reference", row->multipliers ? "reference" : "-");
        return;
    }
    put_difference(out, row->accel.value);
    put_difference(out, row->lambda.value);
    zw_text_put(out, "\n");
    if (row->failed)
        zw_text_printf(out, "%-16s fails at %d states: %s\n", "", row->failed, row->refusal.text);
    if (row->singular)
        zw_text_printf(out, "%-16s left out at %d states where its equations are nearly singular\n",
                       "", row->singular);
}

/* true if a principle without multipliers fails because of its choice of independent velocities */
static bool leaves_out(const zw_comparison *c, const zw_comparison_info *info) {
    for (int i = 0; i < info->nrow; i++) {
        const zw_compared *row = zw_comparison_row(c, i);
        if (row->singular && row->multipliers == 0 && i != info->vakonomic.row)
            return true;
    }
    return false;
}

static void put_vakonomic(zw_text *out, const zw_comparison_info *info, const zw_compared *row) {
    const zw_compared_vakonomic *v = &info->vakonomic;
    zw_text_put(out, "\nvakonomic: ");
    put_vakonomic_reason(out, info, row);
    zw_text_put(out, ".\n");
    if (v->with_start < 0 || !has_constraints(info))
        return;
    zw_text_printf(out,
                   "  accelerations differ by %.1e for random multipliers in [-1, 1], by %.1e for "
                   "those of the start",
                   row->accel.value, v->with_start);
    if (v->on_run >= 0)
        zw_text_printf(out, ",\n  by up to %.1e along its own motion from the start to t = %.6g s",
                       v->on_run, v->end);
    zw_text_put(out, "\n");
}

static void put_hertz(zw_text *out, const zw_compared_hertz *h) {
    if (!h->applies)
        zw_text_printf(out, "Hertz: not applicable: %s\n", h->reason);
    else if (h->holds)
        zw_text_printf(out, "Hertz: least curvature holds at %d states\n", h->states);
    else
        zw_text_printf(out, "Hertz: least curvature FAILS: relative first variation %.1e\n",
                       h->slope);
}

/* what is compared, and how to read the table */
static void put_head(zw_text *out, const zw_comparison_info *info, const zw_compared *reference) {
    const zw_system *s = info->sys;
    zw_text_printf(out, "%s%s%s: %d random admissible states", s->name,
                   s->variant[0] ? ", variant " : "", s->variant, info->nrandom);
    if (info->nrun > 0)
        zw_text_printf(out, ", %d states of a run from the start to t = %.6g s", info->nrun,
                       info->end);
    zw_text_printf(out,
                   "\nequations: dynamic + constraints; unknowns: accelerations + multipliers; "
                   "times in us, %s code;\ndifferences relative to the largest magnitude at the "
                   "state, both weighed with the masses\n\n",
                   info->native ? "native" : "interpreted");
    if (strcmp(reference->principle->name, "lagrange") != 0)
        zw_text_put(out,
                    "constraints depend on each other, so Gauss's equations are the reference\n\n");
    zw_text_printf(out, "%-16s %9s %9s %6s %10s %10s %10s %13s %13s\n", "principle", "equations",
                   "unknowns", "ops", "derive", "compile", "evaluate", "accelerations",
                   "multipliers");
}

static void put_worst(zw_text *out, const zw_comparison *c) {
    bool of_lambda;
    char place[80];
    const zw_compared *worst = zw_comparison_worst(c, &of_lambda);
    if (!worst)
        return;
    const zw_difference *w = of_lambda ? &worst->lambda : &worst->accel;
    zw_comparison_name_state(c, w->state, place, sizeof place);
    zw_text_printf(out, "largest difference: %.1e, %s by %s at %s\n", w->value, w->entry,
                   worst->principle->name, place);
}

/* the vakonomic principle comes last: it need not agree */
static void put_text(zw_text *out, const zw_comparison *c) {
    const zw_comparison_info *info = zw_comparison_summary(c);
    const zw_compared *vakonomic = zw_comparison_row(c, info->vakonomic.row);
    put_head(out, info, zw_comparison_row(c, info->reference));
    for (int i = 0; i < info->nrow; i++)
        if (i != info->vakonomic.row)
            put_row(out, zw_comparison_row(c, i), i == info->reference);
    put_row(out, vakonomic, false);
    if (leaves_out(c, info))
        zw_text_put(out, "\nnote: where states are left out, other independent velocities may help "
                         "(independent u, ... in the model)\n");
    put_vakonomic(out, info, vakonomic);
    put_hertz(out, &info->hertz);
    put_worst(out, c);
}

/* ----------------------------------------------------------------------------------------- JSON */

static void put_number(zw_text *out, const char *name, double value) {
    zw_text_printf(out, ", \"%s\": ", name);
    zw_text_json_number(out, value);
}

static void put_json_worst(zw_text *out, const zw_comparison *c, const char *name,
                           const zw_difference *w) {
    const zw_comparison_info *info = zw_comparison_summary(c);
    zw_text_printf(out, ", \"%s\": ", name);
    if (w->value < 0) {
        zw_text_put(out, "null");
        return;
    }
    bool on_run = w->state >= info->nrandom;
    double t;
    zw_comparison_state(c, w->state, &t);
    zw_text_put(out, "{\"difference\": ");
    zw_text_json_number(out, w->value);
    zw_text_put(out, ", \"entry\": ");
    zw_text_json(out, w->entry);
    zw_text_printf(out, ", \"on_run\": %s, \"state\": %d", on_run ? "true" : "false",
                   w->state + 1 - (on_run ? info->nrandom : 0));
    put_number(out, "t", t);
    zw_text_put(out, "}");
}

static void put_json_row(zw_text *out, const zw_comparison *c, const zw_compared *row) {
    zw_text_put(out, "{\"principle\": ");
    zw_text_json(out, row->principle->name);
    zw_text_printf(out, ", \"applies\": %s", row->applies ? "true" : "false");
    if (!row->applies) {
        zw_text_put(out, ", \"reason\": ");
        zw_text_json(out, row->refusal.text);
        put_number(out, "derive_us", 1e6 * row->derive);
        zw_text_put(out, "}");
        return;
    }
    zw_text_printf(
        out,
        ", \"equations\": %d, \"dynamic\": %d, \"constraints\": %d, \"unknowns\": %d, "
        "\"unknown_accelerations\": %d, \"unknown_multipliers\": %d, \"operations\": %ld",
        row->dynamic + row->constraints, row->dynamic, row->constraints,
        row->accelerations + row->multipliers, row->accelerations, row->multipliers,
        row->operations);
    put_number(out, "derive_us", 1e6 * row->derive);
    put_number(out, "lower_us", 1e6 * row->lower);
    put_number(out, "compile_us", 1e6 * row->compile);
    put_number(out, "evaluate_us", row->evaluate < 0 ? NAN : 1e6 * row->evaluate);
    put_json_worst(out, c, "accelerations", &row->accel);
    put_json_worst(out, c, "multipliers", &row->lambda);
    zw_text_printf(out, ", \"failed_states\": %d, \"singular_states\": %d", row->failed,
                   row->singular);
    if (row->failed) {
        zw_text_put(out, ", \"reason\": ");
        zw_text_json(out, row->refusal.text);
    }
    zw_text_put(out, "}");
}

static void put_json_vakonomic(zw_text *out, const zw_comparison_info *info,
                               const zw_compared *row) {
    const zw_compared_vakonomic *v = &info->vakonomic;
    zw_text_printf(out, ",\n  \"vakonomic\": {\"holonomic\": %s, \"reason\": ",
                   v->holonomic ? "true" : "false");
    zw_text reason;
    zw_text_init(&reason, NULL);
    put_vakonomic_reason(&reason, info, row);
    zw_text_json(out, zw_text_get(&reason));
    zw_text_clear(&reason);
    put_number(out, "random_multipliers", row->accel.value < 0 ? NAN : row->accel.value);
    put_number(out, "start_multipliers", v->with_start < 0 ? NAN : v->with_start);
    put_number(out, "own_run", v->on_run < 0 ? NAN : v->on_run);
    put_number(out, "own_run_end", v->on_run < 0 ? NAN : v->end);
    zw_text_put(out, "}");
}

static void put_json(zw_text *out, const zw_comparison *c, bool agree) {
    const zw_comparison_info *info = zw_comparison_summary(c);
    const zw_system *s = info->sys;
    const zw_compared_hertz *h = &info->hertz;
    zw_text_put(out, "{\n  \"model\": ");
    zw_text_json(out, s->name);
    zw_text_put(out, ",\n  \"variant\": ");
    zw_text_json(out, s->variant);
    zw_text_printf(out,
                   ",\n  \"random_states\": %d, \"run_states\": %d, \"native\": %s, "
                   "\"agree\": %s, \"reference\": \"%s\"",
                   info->nrandom, info->nrun, info->native ? "true" : "false",
                   agree ? "true" : "false",
                   zw_comparison_row(c, info->reference)->principle->name);
    put_number(out, "tolerance", info->tolerance);
    zw_text_put(out, ",\n  \"principles\": [");
    for (int i = 0; i < info->nrow; i++) {
        zw_text_put(out, i ? ",\n    " : "\n    ");
        put_json_row(out, c, zw_comparison_row(c, i));
    }
    zw_text_put(out, "\n  ]");
    put_json_vakonomic(out, info, zw_comparison_row(c, info->vakonomic.row));
    zw_text_printf(out, ",\n  \"hertz\": {\"applies\": %s, \"holds\": %s, \"states\": %d",
                   h->applies ? "true" : "false", h->holds ? "true" : "false", h->states);
    put_number(out, "first_variation", h->slope);
    zw_text_put(out, ", \"reason\": ");
    zw_text_json(out, h->reason);
    zw_text_put(out, "}\n}\n");
}

/* -------------------------------------------------------------------------------------- command */

static zw_status report_comparison(const cli_options *o, const zw_comparison *c, zw_error *err) {
    zw_text out;
    zw_text_init(&out, NULL);
    zw_status status = zw_comparison_judge(c, err);
    if (o->json)
        put_json(&out, c, status >= 0);
    else
        put_text(&out, c);
    zw_text_tame(out.data);
    fputs(zw_text_get(&out), stdout);
    bool failed = out.failed;
    zw_text_clear(&out);
    return failed ? zw_out_of_memory(err, NULL) : status;
}

/* --multipliers: motions are followed to --until, default 1 s */
static zw_status report_agreement(const cli_options *o, const cli_model *m, zw_error *err) {
    zw_agreement *a;
    zw_agreement_options options = zw_agreement_options_default();
    options.states = o->states;
    if (o->until > 0)
        options.time = o->until;
    ZW_TRY(zw_agreement_find(&a, m->sys, &options, err));
    char *text = o->json ? zw_agreement_json(a) : zw_agreement_text(a);
    zw_status status = cli_write_text(NULL, text, err);
    zw_string_free(m->ctx, text);
    zw_agreement_destroy(a);
    return status;
}

static int run_compare(const cli_options *o, const char *const *words, zw_error *err) {
    cli_model m;
    zw_comparison *c = NULL;
    zw_compare_options options = zw_compare_options_default();
    options.states = o->states;
    options.until = o->until;
    options.tolerance = o->tolerance;
    options.run = &o->run;
    cli_options reading = *o;
    reading.model.constants = reading.model.bodies = o->multipliers; /* names in formulas */
    zw_status status = cli_model_open(&m, words[0], &reading, err);
    zw_model_source source = cli_model_source(&m, words[0]);
    cli_report_warnings(o, m.warnings, false);
    if (status >= 0 && o->multipliers)
        status = report_agreement(o, &m, err);
    else if (status >= 0)
        status = zw_compare(&c, &source, &options, err);
    if (status >= 0 && c)
        status = report_comparison(o, c, err);
    zw_comparison_destroy(c);
    status = cli_judge(o, m.warnings, status, err);
    cli_model_close(&m);
    return cli_exit_code(status);
}

static const cli_group groups[] = {
    {"options", table, 0},
    {"messages and limits", cli_told_table, 0},
    {"model", cli_model_table, offsetof(cli_options, model)},
    {"integration", zw_run_option_table, offsetof(cli_options, run)},
    {0},
};

const cli_command cli_compare = {
    .name = "compare",
    .usage = "compare MODEL [--states N] [--until T] [--multipliers] [--json]",
    .about = "all principles on the same states: do they agree, what do they cost",
    .details =
        "Every principle is derived afresh, compiled and evaluated at random admissible states\n"
        "(always the same ones) and, with --until, along a run. Lagrange's equations are the\n"
        "reference. The vakonomic principle is another one if a constraint is not holonomic; its\n"
        "difference is told apart. Exit code 2 if principles that must agree do not.",
    .examples = "  zwang compare models/turntable_ball.zw\n"
                "  zwang compare models/turntable_ball.zw --states 100 --until 10\n"
                "  zwang compare models/rolling_penny.zw --multipliers\n"
                "  zwang compare models/double_pendulum.zw --json\n",
    .groups = groups,
    .random = true,
    .arguments = 1,
    .run = run_compare,
};
