/* SPDX-License-Identifier: MIT */
/* The comparison of all principles as a table and as JSON. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "compare.h"
#include "num/options.h"

#define AT(field) offsetof(cli_options, field)

static const zw_option table[] = {
    {"states", ZW_OPT_DOUBLE, AT(states), 20, 1, 1e5, "", NULL, "number of random states"},
    {"until", ZW_OPT_DOUBLE, AT(until), 0, 0, 1e12, "s", NULL,
     "also compare along a run from the start to this time; 0: no run"},
    {"tolerance", ZW_OPT_DOUBLE, AT(tolerance), 1e-11, 0, 1, "", NULL,
     "largest relative difference that counts as agreement"},
    {"json", ZW_OPT_FLAG, AT(json), 0, 0, 0, "", NULL, "every number as JSON on standard output"},
    {0},
};

/* ------------------------------------------------------------------------------------------ names */

/* "random state 7 (t = 0.31 s)" */
static void name_state(const comparison *c, int k, char *out, size_t size) {
    if (k < c->states.random)
        snprintf(out, size, "random state %d (t = %.6g s)", k + 1, c->states.t[k]);
    else
        snprintf(out, size, "t = %.6g s of the run", c->states.t[k]);
}

/* "x''" or "lambda(rod)" */
static const char *name_entry(const comparison *c, const compare_row *row, bool of_lambda) {
    const zw_system *s = row->model.sys;
    const zw_equations *reference = &c->row[c->reference].eq;
    zw_expr symbol = of_lambda ? s->constraint[reference->constraint[row->lambda.entry]].lambda
                               : s->velocity[row->accel.entry].accel;
    return zw_expr_name(s->ctx, symbol);
}

/* the names of the active constraints that are not on position level */
static void put_nonholonomic(zw_text *out, const zw_equations *eq) {
    const zw_system *s = eq->sys;
    int n = 0;
    for (int i = 0; i < s->nconstraint; i++)
        if (eq->holds[i] && s->constraint[i].level != ZW_POSITION)
            zw_text_printf(out, "%s%s", n++ ? ", " : "", s->constraint[i].name);
    zw_text_put(out, n == 1 ? " is" : " are");
}

static bool has_constraints(const zw_equations *eq) {
    for (int i = 0; i < eq->sys->nconstraint; i++)
        if (eq->holds[i])
            return true;
    return false;
}

/* one sentence: how the vakonomic principle stands to the others, and why */
static void put_vakonomic_reason(zw_text *out, const comparison *c, const compare_row *row) {
    const zw_equations *eq = &c->row[c->reference].eq;
    double difference = row->accel.value;
    if (row->accel.value < 0)
        zw_text_printf(out, "cannot be compared: %s",
                       row->refusal.text[0] ? row->refusal.text : "its equations are singular");
    else if (!has_constraints(eq))
        zw_text_put(out, "the same principle here: there is no active constraint");
    else if (c->vakonomic.holonomic)
        zw_text_put(out, "the same principle here: all active constraints are holonomic "
                         "(position level)");
    else if (difference <= c->o->tolerance) {
        zw_text_put(out, "agrees at these states although ");
        put_nonholonomic(out, eq);
        zw_text_put(out, " not on position level: the rows behave like integrable ones");
    } else {
        zw_text_put(out, "a different principle here: ");
        put_nonholonomic(out, eq);
        zw_text_put(out, " not on position level, and stationary action among the paths that "
                         "satisfy such constraints is not d'Alembert's principle");
    }
}

/* ------------------------------------------------------------------------------------------- text */

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

static void put_row(zw_text *out, const comparison *c, const compare_row *row) {
    char equations[32], unknowns[32];
    if (!row->kernel) {
        put_refusal(out, row->principle->name, &row->refusal);
        return;
    }
    int nv = row->model.sys->nv;
    snprintf(equations, sizeof equations, "%d+%d", row->dynamic, row->constraints);
    snprintf(unknowns, sizeof unknowns, "%d+%d", nv, row->eq.nv + row->eq.nc - nv);
    zw_text_printf(out, "%-16s %9s %9s %6ld %10.0f %10.0f", row->principle->name, equations,
                   unknowns, row->operations, 1e6 * row->derive, 1e6 * (row->lower + row->compile));
    if (row->evaluate < 0)
        zw_text_printf(out, " %10s", "-");
    else
        zw_text_printf(out, " %10.3f", 1e6 * row->evaluate);
    if (row == &c->row[c->reference]) {
        zw_text_printf(out, " %13s %13s\n", "reference", row->eq.nc ? "reference" : "-");
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

/* does a principle without multipliers stumble over its choice of independent velocities? */
static bool leaves_out(const comparison *c) {
    for (int i = 0; i < c->nrow; i++)
        if (c->row[i].singular && c->row[i].eq.nc == 0 && !c->row[i].vakonomic)
            return true;
    return false;
}

static void put_vakonomic(zw_text *out, const comparison *c, const compare_row *row) {
    const compare_vakonomic *v = &c->vakonomic;
    zw_text_put(out, "\nvakonomic: ");
    put_vakonomic_reason(out, c, row);
    zw_text_put(out, ".\n");
    if (v->with_start < 0 || !has_constraints(&c->row[c->reference].eq))
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

static void put_hertz(zw_text *out, const compare_hertz *h) {
    if (!h->applies)
        zw_text_printf(out, "Hertz: not applicable: %s\n", h->reason);
    else if (h->holds)
        zw_text_printf(out, "Hertz: least curvature holds at %d states\n", h->states);
    else
        zw_text_printf(out, "Hertz: least curvature FAILS: relative first variation %.1e\n",
                       h->slope);
}

static void put_text(zw_text *out, comparison *c) {
    const zw_system *s = c->model.sys;
    bool of_lambda;
    zw_text_printf(out, "%s%s%s: %d random admissible states", s->name,
                   s->variant[0] ? ", variant " : "", s->variant, c->states.random);
    if (c->o->until > 0)
        zw_text_printf(out, ", %d states of a run from the start to t = %.6g s",
                       c->states.n - c->states.random, c->end);
    zw_text_printf(out,
                   "\nequations: dynamic + constraints; unknowns: accelerations + multipliers; "
                   "times in us, %s code;\ndifferences relative to the largest magnitude at the "
                   "state, both weighed with the masses\n\n",
                   c->native ? "native" : "interpreted");
    if (strcmp(c->row[c->reference].principle->name, "lagrange") != 0)
        zw_text_put(out,
                    "constraints depend on each other, so Gauss's equations are the reference\n\n");
    zw_text_printf(out, "%-16s %9s %9s %6s %10s %10s %10s %13s %13s\n", "principle", "equations",
                   "unknowns", "ops", "derive", "compile", "evaluate", "accelerations",
                   "multipliers");
    for (int i = 0; i < c->nrow; i++)
        if (!c->row[i].vakonomic)
            put_row(out, c, &c->row[i]);
    const compare_row *vakonomic = compare_find_row(c, "vakonomic"),
                      *worst = compare_find_worst(c, &of_lambda);
    put_row(out, c, vakonomic);
    if (leaves_out(c))
        zw_text_put(out, "\nnote: where states are left out, other independent velocities may help "
                         "(independent u, ... in the model)\n");
    put_vakonomic(out, c, vakonomic);
    put_hertz(out, &c->hertz);
    if (worst) {
        char place[80];
        double value = of_lambda ? worst->lambda.value : worst->accel.value;
        name_state(c, of_lambda ? worst->lambda.state : worst->accel.state, place, sizeof place);
        zw_text_printf(out, "largest difference: %.1e, %s by %s at %s\n", value,
                       name_entry(c, worst, of_lambda), worst->principle->name, place);
    }
}

/* ------------------------------------------------------------------------------------------- JSON */

static void put_number(zw_text *out, const char *name, double value) {
    zw_text_printf(out, ", \"%s\": ", name);
    zw_text_json_number(out, value);
}

static void put_json_worst(zw_text *out, const comparison *c, const compare_row *row,
                           bool of_lambda) {
    const compare_worst *w = of_lambda ? &row->lambda : &row->accel;
    zw_text_printf(out, ", \"%s\": ", of_lambda ? "multipliers" : "accelerations");
    if (w->value < 0) {
        zw_text_put(out, "null");
        return;
    }
    zw_text_put(out, "{\"difference\": ");
    zw_text_json_number(out, w->value);
    zw_text_put(out, ", \"entry\": ");
    zw_text_json(out, name_entry(c, row, of_lambda));
    zw_text_printf(out, ", \"on_run\": %s, \"state\": %d",
                   w->state < c->states.random ? "false" : "true",
                   w->state < c->states.random ? w->state + 1 : w->state - c->states.random + 1);
    put_number(out, "t", c->states.t[w->state]);
    zw_text_put(out, "}");
}

static void put_json_row(zw_text *out, const comparison *c, const compare_row *row) {
    zw_text_put(out, "{\"principle\": ");
    zw_text_json(out, row->principle->name);
    zw_text_printf(out, ", \"applies\": %s", row->kernel ? "true" : "false");
    if (!row->kernel) {
        zw_text_put(out, ", \"reason\": ");
        zw_text_json(out, row->refusal.text);
        put_number(out, "derive_us", 1e6 * row->derive);
        zw_text_put(out, "}");
        return;
    }
    int nv = row->model.sys->nv, unknowns = row->eq.nv + row->eq.nc;
    zw_text_printf(
        out,
        ", \"equations\": %d, \"dynamic\": %d, \"constraints\": %d, \"unknowns\": %d, "
        "\"unknown_accelerations\": %d, \"unknown_multipliers\": %d, \"operations\": %ld",
        row->dynamic + row->constraints, row->dynamic, row->constraints, unknowns, nv,
        unknowns - nv, row->operations);
    put_number(out, "derive_us", 1e6 * row->derive);
    put_number(out, "lower_us", 1e6 * row->lower);
    put_number(out, "compile_us", 1e6 * row->compile);
    put_number(out, "evaluate_us", row->evaluate < 0 ? NAN : 1e6 * row->evaluate);
    put_json_worst(out, c, row, false);
    put_json_worst(out, c, row, true);
    zw_text_printf(out, ", \"failed_states\": %d, \"singular_states\": %d", row->failed,
                   row->singular);
    if (row->failed) {
        zw_text_put(out, ", \"reason\": ");
        zw_text_json(out, row->refusal.text);
    }
    zw_text_put(out, "}");
}

static void put_json_vakonomic(zw_text *out, const comparison *c, const compare_row *row) {
    const compare_vakonomic *v = &c->vakonomic;
    zw_text_printf(out, ",\n  \"vakonomic\": {\"holonomic\": %s, \"reason\": ",
                   v->holonomic ? "true" : "false");
    zw_text reason;
    zw_text_init(&reason, NULL);
    put_vakonomic_reason(&reason, c, row);
    zw_text_json(out, zw_text_get(&reason));
    zw_text_clear(&reason);
    put_number(out, "random_multipliers", row->accel.value < 0 ? NAN : row->accel.value);
    put_number(out, "start_multipliers", v->with_start < 0 ? NAN : v->with_start);
    put_number(out, "own_run", v->on_run < 0 ? NAN : v->on_run);
    put_number(out, "own_run_end", v->on_run < 0 ? NAN : v->end);
    zw_text_put(out, "}");
}

static void put_json(zw_text *out, comparison *c, bool agree) {
    const zw_system *s = c->model.sys;
    const compare_hertz *h = &c->hertz;
    zw_text_put(out, "{\n  \"model\": ");
    zw_text_json(out, s->name);
    zw_text_put(out, ",\n  \"variant\": ");
    zw_text_json(out, s->variant);
    zw_text_printf(out,
                   ",\n  \"random_states\": %d, \"run_states\": %d, \"native\": %s, "
                   "\"agree\": %s, \"reference\": \"%s\"",
                   c->states.random, c->states.n - c->states.random, c->native ? "true" : "false",
                   agree ? "true" : "false", c->row[c->reference].principle->name);
    put_number(out, "tolerance", c->o->tolerance);
    zw_text_put(out, ",\n  \"principles\": [");
    for (int i = 0; i < c->nrow; i++) {
        zw_text_put(out, i ? ",\n    " : "\n    ");
        put_json_row(out, c, &c->row[i]);
    }
    zw_text_put(out, "\n  ]");
    put_json_vakonomic(out, c, compare_find_row(c, "vakonomic"));
    zw_text_printf(out, ",\n  \"hertz\": {\"applies\": %s, \"holds\": %s, \"states\": %d",
                   h->applies ? "true" : "false", h->holds ? "true" : "false", h->states);
    put_number(out, "first_variation", h->slope);
    zw_text_put(out, ", \"reason\": ");
    zw_text_json(out, h->reason);
    zw_text_put(out, "}\n}\n");
}

/* ---------------------------------------------------------------------------------------- command */

static zw_status judge(const comparison *c, zw_error *err) {
    bool of_lambda;
    const compare_row *worst = compare_find_worst(c, &of_lambda);
    if (worst) {
        const compare_worst *w = of_lambda ? &worst->lambda : &worst->accel;
        char place[80];
        name_state(c, w->state, place, sizeof place);
        if (w->value > c->o->tolerance)
            return zw_fail(err, ZW_E_NUMERIC,
                           "%s differs from %s by %.2e (relative, %.2g is allowed): %s at %s",
                           worst->principle->name, c->row[c->reference].principle->name, w->value,
                           c->o->tolerance, name_entry(c, worst, of_lambda), place);
    }
    if (c->hertz.applies && !c->hertz.holds)
        return zw_fail(err, ZW_E_NUMERIC,
                       "the accelerations do not make the curvature least: relative first "
                       "variation %.2e",
                       c->hertz.slope);
    return ZW_OK;
}

static int run(const cli_options *o, const char *const *words, zw_error *err) {
    comparison *c = calloc(1, sizeof *c);
    if (!c)
        return cli_exit_code(zw_fail(err, ZW_E_MEMORY, "out of memory"));
    zw_status status = compare_create(c, words[0], o, err);
    if (status >= 0) {
        zw_text out;
        zw_text_init(&out, NULL);
        status = judge(c, err);
        if (o->json)
            put_json(&out, c, status >= 0);
        else
            put_text(&out, c);
        fputs(zw_text_get(&out), stdout);
        zw_text_clear(&out);
    }
    compare_destroy(c);
    free(c);
    return cli_exit_code(status);
}

static const cli_group groups[] = {
    {"options", table, 0},
    {"model", cli_model_table, offsetof(cli_options, model)},
    {"integration", zw_run_option_table, offsetof(cli_options, run)},
    {0},
};

const cli_command cli_compare = {
    .name = "compare",
    .usage = "compare MODEL [--states N] [--until T] [--json]",
    .about = "all principles on the same states: do they agree, what do they cost",
    .details =
        "Every principle is derived afresh, compiled and evaluated at random admissible states\n"
        "(always the same ones) and, with --until, along a run. Lagrange's equations are the\n"
        "reference. The vakonomic principle is another one if a constraint is not holonomic; its\n"
        "difference is told apart. Exit code 2 if principles that must agree do not.",
    .examples = "  zwang compare models/turntable_ball.zw\n"
                "  zwang compare models/turntable_ball.zw --states 100 --until 10\n"
                "  zwang compare models/double_pendulum.zw --json\n",
    .groups = groups,
    .arguments = 1,
    .run = run,
};
