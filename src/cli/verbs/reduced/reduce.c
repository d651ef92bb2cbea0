/* SPDX-License-Identifier: MIT */
#include <stdio.h>
#include <string.h>

#include "cli/reduced.h"

#define AT(field) offsetof(cli_options, field)

static const zw_option table[] = {
    {"out", ZW_OPT_STRING, AT(out), 0, 0, 0, "", "FILE.zw",
     "write the model there instead of standard output"},
    {"keep", ZW_OPT_LIST, AT(reduce_keep), 0, 0, 0, "", "NAMES|all",
     "coordinates that are not left out, names by commas, with what is observed and drawn of them"},
    {"momenta", ZW_OPT_LIST, AT(reduce_momenta), 0, 0, 0, "", "NAMES|all|P=FORMULA",
     "conserved momenta that replace velocities as parameters: names of coordinates, all, or a "
     "named conserved quantity"},
    {0},
};

/* the momenta found, and whether the reduced model is mechanical */
static void report_momenta(const zw_reduced *z) {
    for (int i = 0; i < z->nmomentum; i++)
        fprintf(stderr, "%s = %.12g%s%s%s: %s\n", z->momentum[i].name, z->momentum[i].at,
                z->momentum[i].unit[0] ? " [" : "", z->momentum[i].unit,
                z->momentum[i].unit[0] ? "]" : "", z->momentum[i].about);
    if (z->nmomentum == 0)
        fprintf(stderr, "note: no momentum is conserved, so none is replaced by a parameter\n");
    else if (!z->mechanical)
        fprintf(stderr,
                "note: the result is written with states: Routh's function needs a holonomic "
                "system whose velocities are rates of coordinates that remain (--keep)\n");
}

static zw_status reduce_model(const cli_options *o, const cli_model *m, const char *path,
                              zw_error *err) {
    zw_reduction *r = NULL;
    double difference = 0;
    char *text = NULL;
    int states;
    ZW_TRY(cli_guard_write(o, o->out, err));
    const char *keep[CLI_SPLIT_MAX];
    zw_reduce_options options = zw_reduce_options_default();
    options.keep = keep;
    ZW_TRY(cli_split(m->ctx, &o->reduce_keep, keep, &options.nkeep, err));
    const char *momenta[CLI_SPLIT_MAX];
    options.momenta = momenta;
    ZW_TRY(cli_split(m->ctx, &o->reduce_momenta, momenta, &options.nmomenta, err));
    zw_status status = cli_reduce_checked(&r, m->sys, &difference, &states, &options, err);
    if (status >= 0) {
        text = zw_reduction_model(r, path, err);
        status = text ? cli_write_text(o->out, text, err) : err->status;
    }
    if (status >= 0 && !o->quiet)
        fprintf(stderr, "%s: %d states, equal to the model within %.1e at %d random states\n",
                m->sys->name, zw_reduction_get(r)->n, difference, states);
    if (status >= 0 && !o->quiet && options.nmomenta)
        report_momenta(zw_reduction_get(r));
    zw_string_free(m->ctx, text);
    zw_reduction_destroy(r);
    return status;
}

static int run_reduce(const cli_options *o, const char *const *words, zw_error *err) {
    cli_model m;
    cli_options reading = *o;
    reading.model.constants = reading.model.bodies = true;
    zw_status status = cli_model_open(&m, words[0], &reading, err);
    cli_report_warnings(o, m.warnings, false);
    if (status >= 0)
        status = reduce_model(o, &m, words[0], err);
    status = cli_judge(o, m.warnings, status, err);
    cli_model_close(&m);
    return cli_exit_code(status);
}

static const cli_group groups[] = {
    {"options", table, 0},
    {"messages and limits", cli_told_table, 0},
    {"model", cli_model_table, offsetof(cli_options, model)},
    {0},
};

const cli_command cli_reduce = {
    .name = "reduce",
    .usage = "reduce MODEL [--with CONSTRAINTS] [--out FILE.zw]",
    .about = "explicit first-order equations of a constrained system, as a model",
    .details =
        "Dependent velocities are eliminated, and constraints on positions replace coordinates.\n"
        "Coordinates along which the equations are symmetric are left out: ignorable angles,\n"
        "the position on a homogeneous plane, the attitude of a ball that no force depends on.\n"
        "The result is a model with states, parameters, start, steady motions, observables and\n"
        "events; the comment at its top lists what was left out. Before it is written, its rates\n"
        "are compared with those of the full model at random states.",
    .examples = "  zwang reduce models/tippedisk.zw --variant viscous --with cog,roll,spin\n"
                "  zwang reduce models/turntable_ball.zw --out ball.zw\n",
    .groups = groups,
    .arguments = 1,
    .run = run_reduce,
};
