/* SPDX-License-Identifier: MIT */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cli.h"

#define AT(field) offsetof(cli_options, field)

static const zw_option table[] = {
    {"json", ZW_OPT_FLAG, AT(json), 0, 0, 0, "", NULL, "as JSON on standard output"},
    {0},
};

static const char *nature(const zw_constraint *c) {
    switch (c->level) {
    case ZW_POSITION:
        return "position level, holonomic";
    case ZW_VELOCITY:
        return c->linear ? "velocity level, affine in the velocities"
                         : "velocity level, nonlinear in the velocities (Chetaev's rule)";
    case ZW_ACCELERATION:
        return "acceleration level";
    }
    return "";
}

static void put_expr(zw_text *out, zw_context *ctx, zw_expr e) {
    char *s = zw_print(ctx, e, ZW_TEXT);
    zw_text_put(out, s ? s : "?");
    zw_string_free(ctx, s);
}

static void put_names(zw_text *out, const char *title, int n,
                      const char *(*name)(const zw_system *, int),
                      const char *(*unit)(const zw_system *, int), const zw_system *s) {
    zw_text_printf(out, "%-13s", title);
    for (int i = 0; i < n; i++) {
        zw_text_printf(out, "%s%s", i ? ", " : "", name(s, i));
        if (unit(s, i)[0])
            zw_text_printf(out, " [%s]", unit(s, i));
    }
    zw_text_put(out, "\n");
}

static const char *coord_name(const zw_system *s, int i) {
    return s->coord[i].name;
}
static const char *coord_unit(const zw_system *s, int i) {
    return s->coord[i].unit;
}
static const char *velocity_name(const zw_system *s, int i) {
    return s->velocity[i].name;
}
static const char *velocity_unit(const zw_system *s, int i) {
    return s->velocity[i].unit;
}

static void put_constraints(zw_text *out, const zw_system *s, const zw_census *census) {
    for (int i = 0; i < s->nconstraint; i++) {
        const zw_constraint *c = &s->constraint[i];
        zw_text_printf(out, "  %-12s ", c->name);
        put_expr(out, s->ctx, c->residual);
        zw_text_printf(out, " = 0\n  %-12s %s%s%s\n", "", nature(c),
                       zw_depends(s->ctx, c->residual, s->t) ? ", rheonomic" : "",
                       c->on ? "" : " -- switched off");
    }
    if (census->redundant >= 0)
        zw_text_printf(out,
                       "warning: the constraint %s depends on those before it: Lagrange's "
                       "multipliers are not unique; switch one of them off\n",
                       s->constraint[census->redundant].name);
}

static void put_text(zw_text *out, const zw_system *s, const zw_census *census, const double *p,
                     int nvariant, const char *const *variants) {
    const char *const *unused;
    int nunused = zw_model_unused(s, &unused);
    zw_text_printf(out, "%s%s%s%s%s\n", s->name, s->title[0] ? ": " : "", s->title,
                   s->variant[0] ? ", variant " : "", s->variant);
    put_names(out, "coordinates", s->nq, coord_name, coord_unit, s);
    put_names(out, "velocities", s->nv, velocity_name, velocity_unit, s);
    zw_text_printf(out, "%-13s", "parameters");
    for (int i = 0; i < s->np; i++) {
        zw_text_printf(out, "%s%s = %.6g", i ? ", " : "", s->param[i].name, p[i]);
        if (s->param[i].unit[0])
            zw_text_printf(out, " [%s]", s->param[i].unit);
    }
    zw_text_printf(out,
                   "%s\n%-13s%d on: %d of position, %d affine and %d nonlinear in velocities, "
                   "%d of acceleration; %d rheonomic\n",
                   s->np ? "" : "none", "constraints", census->active, census->position,
                   census->affine, census->nonlinear, census->acceleration, census->rheonomic);
    put_constraints(out, s, census);
    zw_text_printf(out, "%-13s%d = %d velocities - rank %d of the constraints (at random points)\n",
                   "freedom", census->freedom, s->nv, census->rank);
    zw_text_printf(out, "%-13s%d start values, %d observables, %d events, %d drawings\n", "also",
                   s->nstart, s->nobservable, s->nevent, s->ndrawing);
    for (int i = 0; i < nvariant; i++)
        zw_text_printf(out, "%-13s%s\n", i ? "" : "variants", variants[i]);
    for (int i = 0; i < nunused; i++)
        zw_text_printf(out, "note: %s\n", unused[i]);
}

static void put_json(zw_text *out, const zw_system *s, const zw_census *census, const double *p) {
    const char *const *unused;
    int nunused = zw_model_unused(s, &unused);
    zw_text_put(out, "{\n  \"model\": ");
    zw_text_json(out, s->name);
    zw_text_put(out, ",\n  \"variant\": ");
    zw_text_json(out, s->variant);
    zw_text_put(out, ",\n  \"coordinates\": [");
    for (int i = 0; i < s->nq; i++) {
        zw_text_put(out, i ? ", " : "");
        zw_text_json(out, s->coord[i].name);
    }
    zw_text_put(out, "],\n  \"velocities\": [");
    for (int i = 0; i < s->nv; i++) {
        zw_text_put(out, i ? ", " : "");
        zw_text_json(out, s->velocity[i].name);
    }
    zw_text_put(out, "],\n  \"parameters\": {");
    for (int i = 0; i < s->np; i++) {
        zw_text_put(out, i ? ", " : "");
        zw_text_json(out, s->param[i].name);
        zw_text_put(out, ": ");
        zw_text_json_number(out, p[i]);
    }
    zw_text_put(out, "},\n  \"constraints\": [");
    for (int i = 0; i < s->nconstraint; i++) {
        const zw_constraint *c = &s->constraint[i];
        zw_text_put(out, i ? ", {\"name\": " : "{\"name\": ");
        zw_text_json(out, c->name);
        zw_text_put(out, ", \"nature\": ");
        zw_text_json(out, nature(c));
        zw_text_printf(out, ", \"on\": %s}", c->on ? "true" : "false");
    }
    zw_text_printf(out, "],\n  \"rank\": %d,\n  \"freedom\": %d,\n  \"redundant\": ", census->rank,
                   census->freedom);
    zw_text_json(out, census->redundant < 0 ? "" : s->constraint[census->redundant].name);
    zw_text_put(out, ",\n  \"unused\": [");
    for (int i = 0; i < nunused; i++) {
        zw_text_put(out, i ? ", " : "");
        zw_text_json(out, unused[i]);
    }
    zw_text_put(out, "]\n}\n");
}

static zw_status check(const cli_options *o, const cli_model *m, const char *path, zw_error *err) {
    zw_census census;
    zw_equations eq;
    const char *const *variants;
    int nvariant;
    ZW_TRY(zw_system_census(m->sys, &census, err));
    ZW_TRY(zw_derive(&eq, m->sys, "lagrange", err));
    ZW_TRY(zw_model_variants(m->ctx, m->text ? m->text : "", m->length, path, &variants, &nvariant,
                             err));
    double *p = zw_context_alloc(m->ctx, (size_t)(m->sys->np + 1) * sizeof *p);
    if (!p)
        return zw_context_status(m->ctx, err);
    ZW_TRY(zw_system_param_values(m->sys, p, err));
    zw_text out;
    zw_text_init(&out, NULL);
    if (o->json)
        put_json(&out, m->sys, &census, p);
    else
        put_text(&out, m->sys, &census, p, nvariant, variants);
    fputs(zw_text_get(&out), stdout);
    zw_text_clear(&out);
    return ZW_OK;
}

static int run(const cli_options *o, const char *const *words, zw_error *err) {
    cli_model m;
    zw_status status = cli_model_open(&m, words[0], o, err);
    if (status >= 0)
        status = check(o, &m, words[0], err);
    cli_model_close(&m);
    return cli_exit_code(status);
}

static const cli_group groups[] = {
    {"options", table, 0},
    {"model", cli_model_table, offsetof(cli_options, model)},
    {0},
};

const cli_command cli_check = {
    .name = "check",
    .usage = "check MODEL [--json]",
    .about = "what a model says: unknowns, constraints, degrees of freedom",
    .details = "Reads the model, checks units and names, counts constraints by their nature and\n"
               "derives the equations once. What the model says and no verb uses yet is listed.",
    .examples = "  zwang check models/turntable_ball.zw\n"
                "  zwang check models/turntable_ball.zw --variant printed --json\n",
    .groups = groups,
    .arguments = 1,
    .run = run,
};
