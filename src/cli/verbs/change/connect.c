/* SPDX-License-Identifier: MIT */
/* Homoclinic and heteroclinic orbits over a parameter. */
#include <stdio.h>

#include "cli/derive.h"
#include "cli/job.h"
#include "cli/picture.h"
#include "cli/progress.h"
#include "cli/reduced.h"
#include "cli/steady.h"

#define AT(field) offsetof(cli_options, field)

enum { BOTH, PLUS, MINUS };

static const zw_option table[] = {
    {"over", ZW_OPT_STRING, AT(over), 0, 0, 0, "", "NAME=FROM:TO",
     "the parameter and its range: rho=13:15"},
    {"to", ZW_OPT_STRING, AT(connect.to), 0, 0, 0, "", "NAME|VALUES",
     "where the orbit ends: a steady motion that the model states, or \"x=1, y=0\", near which "
     "there is one (default: where it begins)"},
    {"turn", ZW_OPT_STRING, AT(connect.turn), 0, 0, 0, "", "NAME=TURNS",
     "it ends where it begins with angles so many turns further: \"phi=1\", \"phi=-1, psi=2\""},
    {"side", ZW_OPT_CHOICE, AT(connect.side), BOTH, 0, 0, "", "both|+|-",
     "of the eigenvector, to which it leaves"},
    {"marks", ZW_OPT_STRING, AT(forced.marks), 0, 0, 0, "", "NAME=FROM:TO",
     "a second parameter: curves of connecting orbits in the plane of both"},
    {"points", ZW_OPT_INT, AT(connect.points), 41, 2, 1000000, "", NULL,
     "values of the range at which is looked on which side the motion passes"},
    {"curve-points", ZW_OPT_INT, AT(connect.curve_points), 400, 1, 1000000, "", NULL,
     "most points of a curve to one side"},
    {"time", ZW_OPT_DOUBLE, AT(connect.time), 0, 0, 1e12, "s", NULL,
     "how long a motion is followed; 0: as the eigenvalues of the saddle say"},
    {"tolerance", ZW_OPT_DOUBLE, AT(connect.tolerance), 1e-9, 1e-13, 0.01, "", NULL,
     "of the orbit between its nodes, of its size"},
    {"intervals-max", ZW_OPT_INT, AT(connect.intervals_max), 600, 10, 100000, "", NULL,
     "most intervals of collocation"},
    {"number", ZW_OPT_INT, AT(connect.number), 0, 0, 1000, "", NULL,
     "which of several connecting orbits --out and --picture show, from 0 on"},
    {"plot", ZW_OPT_LIST, AT(plot), 0, 0, 0, "", "y:x",
     "a panel of the picture, as of zwang plot: \"y:x\" of the motion, or of the curves"},
    {"picture", ZW_OPT_STRING, AT(picture), 0, 0, 0, "", "FILE",
     "a picture of the orbit, or with --marks of the curves: .svg, .pdf, .png, .tex"},
    {"json", ZW_OPT_FLAG, AT(json), 0, 0, 0, "", NULL, "all numbers as JSON"},
    {"out", ZW_OPT_STRING, AT(out), 0, 0, 0, "", "FILE",
     "the orbit as the result of a run, for zwang plot and zwang view; with --marks the curves"},
    {0},
};

static zw_status open_study(const cli_options *o, cli_steady *motion, zw_connections **study,
                            const char *path, zw_error *err) {
    static const int side[] = {0, 1, -1};
    zw_connections_options options = zw_connections_options_default();
    ZW_TRY(cli_steady_open(motion, path, o, err));
    if (!o->hold.n && !o->solve.n)
        ZW_TRY(cli_model_reduce(&motion->model, path, o, CLI_REDUCE_LEFT_OUT, err));
    options.over = o->over;
    options.marks = o->forced.marks;
    options.to = o->connect.to;
    options.turn = o->connect.turn;
    options.side = side[o->connect.side];
    options.points = o->connect.points;
    options.curve_points = o->connect.curve_points;
    options.time = o->connect.time;
    options.tolerance = o->connect.tolerance;
    options.intervals_max = o->connect.intervals_max;
    options.motion = &motion->options;
    options.stop = cli_watch;
    options.stop_user = (void *)o;
    return zw_connections_create(study, motion->model.sys, &options, err);
}

static zw_status report_connections(const cli_options *o, const cli_steady *motion,
                                    const zw_connections *study, zw_error *err) {
    zw_connections_warnings(study, motion->model.warnings);
    cli_report_warnings(o, motion->model.warnings, false);
    char *text = o->json ? zw_connections_json(study) : zw_connections_text(study);
    zw_status status = cli_write_text(NULL, text, err);
    zw_string_free(motion->model.ctx, text);
    return status;
}

static zw_status write_files(const cli_options *o, const cli_steady *motion, zw_connections *study,
                             zw_error *err) {
    zw_model_source source = cli_model_source(&motion->model, motion->path);
    int number = o->connect.number, n = zw_connections_count(study);
    zw_table *t;
    if (!o->out && !o->picture)
        return ZW_OK;
    if (number >= n && cli_interrupted()) /* before it was found */
        return ZW_OK;
    if (number >= n)
        return zw_fail(err, ZW_E_OPTION, "--number %d: there %s %d connecting orbit%s", number,
                       n == 1 ? "is" : "are", n, n == 1 ? "" : "s");
    ZW_TRY(o->forced.marks ? zw_connections_curve_table(study, &source, &t, err)
                           : zw_connections_motion_table(study, number, &source, &t, err));
    return cli_picture_and_table(o, motion->model.warnings, t, err);
}

static zw_status study_connections(const cli_options *o, const cli_steady *motion,
                                   zw_connections *study, zw_error *err) {
    zw_error trouble = {0};
    zw_status followed = ZW_OK;
    zw_status status = zw_connections_find(study, err);
    if (status >= 0 && o->forced.marks)
        followed = zw_connections_follow(study, &trouble);
    cli_end_progress();
    ZW_TRY(status);
    if (cli_interrupted() && zw_connections_count(study) == 0)
        return zw_fail(err, ZW_E_NUMERIC, "stopped before a connecting orbit was found");
    ZW_TRY(report_connections(o, motion, study, err)); /* results so far are reported in any case */
    ZW_TRY(write_files(o, motion, study, err));
    if (followed < 0 && err)
        *err = trouble;
    return followed < 0 ? followed : cli_interrupted() ? ZW_STOPPED : ZW_OK;
}

static zw_status check_options(const cli_options *o, zw_error *err) {
    if (o->picture)
        ZW_TRY(zw_plot_check_path(o->picture, err));
    if (o->out)
        ZW_TRY(zw_table_can_write(o->out, err));
    return cli_guard_write(o, o->out, err);
}

static int run_connect(const cli_options *o, const char *const *words, zw_error *err) {
    cli_steady motion = {0};
    zw_connections *study = NULL;
    cli_signals watched;
    zw_status status = check_options(o, err);
    if (status >= 0)
        status = open_study(o, &motion, &study, words[0], err);
    cli_signals_begin(&watched);
    if (status >= 0)
        status = study_connections(o, &motion, study, err);
    status = cli_judge(o, motion.model.warnings, status, err);
    zw_connections_destroy(study);
    cli_steady_close(&motion);
    cli_signals_end(&watched);
    return cli_exit_code(status);
}

static const cli_group groups[] = {
    {"options", table, 0},
    {"the steady motion", cli_steady_table, 0},
    {"messages and limits", cli_told_table, 0},
    {"model", cli_model_table, offsetof(cli_options, model)},
    {"picture", cli_draw_table, offsetof(cli_options, draw)},
    {0},
};

const cli_command cli_connect = {
    .name = "connect",
    .usage = "connect MODEL --over NAME=FROM:TO [--steady NAME] [--to NAME|VALUES] [--turn "
             "NAME=TURNS] [--marks NAME=FROM:TO] [--out FILE]",
    .about = "homoclinic and heteroclinic orbits over a parameter",
    .details =
        "The motion that leaves a saddle along its unstable eigenvector passes the saddle where it "
        "is to end on one side or on the other:\n"
        "where the side changes they are connected. Found by bisection, solved as a boundary value "
        "problem, followed over a second parameter.",
    .examples = "  zwang connect models/lorenz.zw --at \"x=0, y=0, z=0\" --over rho=10:20\n"
                "  zwang connect models/tippedisk_reduced.zw --steady plain_spin --turn gamma=1 "
                "--over Omega=29:31\n",
    .groups = groups,
    .arguments = 1,
    .run = run_connect,
};
