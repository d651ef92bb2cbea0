/* SPDX-License-Identifier: MIT */
/* Lyapunov exponents: at the parameters of the model, over one and over two. */
#include <stdio.h>

#include "cli/derive.h"
#include "cli/job.h"
#include "cli/picture.h"
#include "cli/progress.h"
#include "num/options.h"
#include "sim/options.h"

#define AT(field) offsetof(cli_options, field)

static const zw_option table[] = {
    {"over", ZW_OPT_LIST, AT(lyapunov.over), 0, 0, 0, "", "NAME=FROM:TO[:POINTS]",
     "a parameter, its range and how many values: rho=20:30:101; twice: a chart"},
    {"exponents", ZW_OPT_INT, AT(lyapunov.exponents), 0, 0, 100000, "", NULL,
     "the first so many; 0: all"},
    {"transient", ZW_OPT_DOUBLE, AT(lyapunov.transient), 0, 0, 1e12, "s", NULL,
     "left out at the beginning; 0: 100 time scales of the motion, longer if the exponents still "
     "change"},
    {"time", ZW_OPT_DOUBLE, AT(lyapunov.time), 0, 0, 1e12, "s", NULL,
     "over which each motion is measured; 0: 1000 time scales, with --over 300"},
    {"motions", ZW_OPT_INT, AT(lyapunov.motions), 0, 0, 4096, "", NULL,
     "at each point; 0: 8, with --over 1"},
    {"carry", ZW_OPT_FLAG, AT(lyapunov.carry), 0, 0, 0, "", NULL,
     "along the first --over a motion begins where that of the point before was"},
    {"of", ZW_OPT_STRING, AT(lyapunov.of), 0, 0, 0, "", "NAME",
     "coordinate, state or velocity of the 0-1 test (default: chosen)"},
    {"engine", ZW_OPT_CHOICE, AT(lyapunov.engine), ZW_LYAPUNOV_CHOSEN, 0, 0, "",
     "auto|ensemble|frames|alone",
     "many motions side by side, each with its own steps, or in step; or one after the other by "
     "an implicit method: for stiff models and as a check"},
    {"by", ZW_OPT_STRING, AT(by), 0, 0, 0, "", "PRINCIPLE",
     "the principle (default lagrange; gauss leaves out constraints that depend on others)"},
    {"threads", ZW_OPT_INT, AT(lyapunov.threads), 0, 0, 1024, "", NULL,
     "0: as many as there are cores"},
    {"plot", ZW_OPT_LIST, AT(plot), 0, 0, 0, "", "y:x",
     "a panel of the picture, as of zwang plot: \"lambda_1:rho\""},
    {"picture", ZW_OPT_STRING, AT(picture), 0, 0, 0, "", "FILE",
     "a picture of the table: .svg, .pdf, .png, .tex"},
    {"json", ZW_OPT_FLAG, AT(json), 0, 0, 0, "", NULL, "all numbers as JSON"},
    {"out", ZW_OPT_STRING, AT(out), 0, 0, 0, "", "FILE",
     "the exponents over the time, how they converge; with --over a row for each point"},
    {0},
};

static zw_status open_study(const cli_options *o, const cli_model *model,
                            const zw_model_source *source, zw_lyapunov **study, zw_error *err) {
    zw_lyapunov_options options = zw_lyapunov_options_default();
    if (o->lyapunov.over.n > 2)
        return zw_fail(err, ZW_E_OPTION, "--over %s: two ranges are a chart, three are too many",
                       o->lyapunov.over.item[2]);
    options.nover = o->lyapunov.over.n;
    for (int i = 0; i < options.nover; i++)
        options.over[i] = o->lyapunov.over.item[i];
    options.exponents = o->lyapunov.exponents;
    options.motions = o->lyapunov.motions;
    options.transient = o->lyapunov.transient;
    options.time = o->lyapunov.time;
    options.of = o->lyapunov.of;
    options.carry = o->lyapunov.carry;
    options.engine = (zw_lyapunov_engine)o->lyapunov.engine;
    options.threads = o->lyapunov.threads;
    options.principle = o->by;
    options.run = &o->run;
    options.contacts = &o->sim;
    options.stop = cli_watch;
    options.stop_user = (void *)o;
    return zw_lyapunov_create(study, model->sys, source, &options, err);
}

static zw_status report_exponents(const cli_options *o, const cli_model *model,
                                  const zw_lyapunov *study, zw_error *err) {
    zw_lyapunov_warnings(study, model->doubts);
    cli_tell_doubts(o, model->doubts, false);
    char *text = o->json ? zw_lyapunov_json(study) : zw_lyapunov_text(study);
    zw_status status = cli_write_text(NULL, text, err);
    zw_string_free(model->ctx, text);
    return status;
}

static zw_status write_files(const cli_options *o, const cli_model *model,
                             const zw_model_source *source, const zw_lyapunov *study,
                             zw_error *err) {
    zw_table *t;
    if (!o->out && !o->picture)
        return ZW_OK;
    ZW_TRY(zw_lyapunov_table(study, source, &t, err));
    return picture_and_table(o, model->doubts, t, err);
}

/* a point of which nothing is known, and no other */
static zw_status check_outcome(const zw_lyapunov *study, zw_error *err) {
    const zw_lyapunov_point *p = zw_lyapunov_at(study, 0);
    if (zw_lyapunov_points(study) > 1 || !p || p->status >= 0)
        return ZW_OK;
    return zw_fail(err, p->status, "%s", p->why);
}

static zw_status study_exponents(const cli_options *o, const cli_model *model,
                                 const zw_model_source *source, zw_lyapunov *study, zw_error *err) {
    zw_status status = zw_lyapunov_run(study, err);
    cli_end_progress();
    ZW_TRY(status);
    ZW_TRY(check_outcome(study, err));
    ZW_TRY(report_exponents(o, model, study, err)); /* what there is, is told, whatever ended it */
    ZW_TRY(write_files(o, model, source, study, err));
    return status;
}

static zw_status check_options(const cli_options *o, zw_error *err) {
    if (o->picture)
        ZW_TRY(zw_plot_check_path(o->picture, err));
    if (o->out)
        ZW_TRY(zw_table_can_write(o->out, err));
    return cli_place_write(o, o->out, err);
}

static int run_lyapunov(const cli_options *o, const char *const *words, zw_error *err) {
    cli_model model = {0};
    zw_model_source source;
    zw_lyapunov *study = NULL;
    cli_signals watched;
    zw_status status = check_options(o, err);
    if (status >= 0)
        status = cli_model_open(&model, words[0], o, err);
    if (status >= 0) {
        source = cli_model_source(&model, words[0]);
        status = open_study(o, &model, &source, &study, err);
    }
    cli_end_progress();
    cli_signals_begin(&watched);
    if (status >= 0)
        status = study_exponents(o, &model, &source, study, err);
    status = cli_judge(o, model.doubts, status, err);
    zw_lyapunov_destroy(study);
    cli_model_close(&model);
    cli_signals_end(&watched);
    return cli_exit_code(status);
}

static const cli_group groups[] = {
    {"options", table, 0},
    {"integration", zw_run_option_table, offsetof(cli_options, run)},
    {"contacts", zw_sim_contact_table, offsetof(cli_options, sim)},
    {"what is told", cli_told_table, 0},
    {"model", cli_model_table, offsetof(cli_options, model)},
    {"picture", cli_draw_table, offsetof(cli_options, draw)},
    {0},
};

const cli_command cli_lyapunov = {
    .name = "lyapunov",
    .usage =
        "lyapunov MODEL [--over NAME=FROM:TO[:POINTS] [--over ...]] [--exponents K] [--out FILE]",
    .about = "Lyapunov exponents, dimension, 0-1 test: steady, periodic, quasi-periodic or chaotic",
    .details =
        "Mean rates at which small disturbances grow, on the manifold of the constraints, with "
        "their standard errors; what follows from them, what checks them,\n"
        "and what kind of motion it is. Over one parameter a curve, over two a chart. Contacts are "
        "followed from event to event.",
    .examples = "  zwang lyapunov models/lorenz.zw\n"
                "  zwang lyapunov models/driven_pendulum.zw --over F=1:1.1:11 --out f.csv\n",
    .groups = groups,
    .arguments = 1,
    .endless = true,
    .run = run_lyapunov,
};
