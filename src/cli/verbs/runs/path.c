/* SPDX-License-Identifier: MIT */
/* Motions from one place to another. */
#include <math.h>
#include <stdio.h>

#include "cli/derive.h"
#include "cli/job.h"
#include "cli/picture.h"
#include "cli/progress.h"

#define AT(field) offsetof(cli_options, field)

static const zw_option table[] = {
    {"from", ZW_OPT_STRING, AT(path.from), 0, 0, 0, "", "VALUES",
     "where it begins: \"x=0, y=1 [m]\" (default: the coordinates of the model's start); "
     "velocities and multipliers may be given too; \"th=free\": anywhere"},
    {"to", ZW_OPT_STRING, AT(path.to), 0, 0, 0, "", "VALUES",
     "where it ends: \"x=1 [m], y=0\"; entries that are not given end where they end"},
    {"time", ZW_OPT_DOUBLE, AT(path.time), 0, 0, 1e12, "s", NULL, "from the beginning to the end"},
    {"energy", ZW_OPT_DOUBLE, AT(path.energy), 0, -1e12, 1e12, "J", NULL,
     "the energy in place of the time, which is found then (Maupertuis)"},
    {"start", ZW_OPT_DOUBLE, AT(start), 0, -1e12, 1e12, "s", NULL, "the time at the beginning"},
    {"by", ZW_OPT_STRING, AT(by), 0, 0, 0, "", "PRINCIPLE",
     "the principle (default lagrange); vakonomic: stationary action under constraints on "
     "velocities"},
    {"starts", ZW_OPT_INT, AT(starts), 12, 1, 1000000, "", NULL,
     "first guesses: the straight line, lines with random waves, motions with random velocities"},
    {"turns", ZW_OPT_INT, AT(path.turns), 0, 0, 100, "", NULL,
     "angles may end up to so many whole turns further, either way"},
    {"seed", ZW_OPT_INT, AT(path.seed), 1, 0, 1000000000, "", NULL, "of the random guesses"},
    {"tolerance", ZW_OPT_DOUBLE, AT(path.tolerance), 1e-9, 1e-13, 0.01, "", NULL,
     "of the motion between its nodes, of its size"},
    {"intervals", ZW_OPT_INT, AT(path.intervals), 20, 10, 100000, "", NULL,
     "intervals of collocation of the guesses: more for motions that turn often"},
    {"intervals-max", ZW_OPT_INT, AT(path.intervals_max), 400, 10, 100000, "", NULL,
     "most intervals of collocation"},
    {"number", ZW_OPT_INT, AT(path.number), 0, 0, 1000000, "", NULL,
     "which of several motions --out and --picture show, from 0 on"},
    {"plot", ZW_OPT_LIST, AT(plot), 0, 0, 0, "", "y:x", "a panel of the picture: \"y:x\""},
    {"picture", ZW_OPT_STRING, AT(picture), 0, 0, 0, "", "FILE",
     "a picture of the motion: .svg, .pdf, .png, .tex"},
    {"json", ZW_OPT_FLAG, AT(json), 0, 0, 0, "", NULL, "all numbers as JSON"},
    {"out", ZW_OPT_STRING, AT(out), 0, 0, 0, "", "FILE",
     "the motion as the result of a run, for zwang plot and zwang view"},
    {0},
};

static zw_status open_study(const cli_options *o, const cli_model *m, zw_paths **study,
                            zw_error *err) {
    zw_paths_options options = zw_paths_options_default();
    options.by = o->by ? o->by : "lagrange";
    options.from = o->path.from;
    options.to = o->path.to;
    if (cli_is_given(o, "time"))
        options.time = o->path.time;
    if (cli_is_given(o, "energy"))
        options.energy = o->path.energy;
    options.start = o->start;
    options.starts = o->starts;
    options.turns = o->path.turns;
    options.seed = o->path.seed;
    options.tolerance = o->path.tolerance;
    options.intervals = o->path.intervals;
    options.intervals_max = o->path.intervals_max;
    options.stop = cli_watch;
    options.stop_user = (void *)o;
    return zw_paths_create(study, m->sys, &options, err);
}

static zw_status write_files(const cli_options *o, const cli_model *m, const char *path,
                             zw_paths *study, zw_error *err) {
    zw_model_source source = cli_model_source(m, path);
    int number = o->path.number, n = zw_paths_count(study);
    zw_table *t;
    if (!o->out && !o->picture)
        return ZW_OK;
    if (number >= n)
        return zw_fail(err, ZW_E_OPTION, "--number %d: there %s %d motion%s", number,
                       n == 1 ? "is" : "are", n, n == 1 ? "" : "s");
    ZW_TRY(zw_paths_table(study, number, &source, &t, err));
    return cli_picture_and_table(o, m->warnings, t, err);
}

static zw_status study_paths(const cli_options *o, const cli_model *m, const char *path,
                             zw_paths *study, zw_error *err) {
    zw_status status = zw_paths_find(study, err);
    cli_end_progress();
    ZW_TRY(status);
    if (cli_interrupted() && zw_paths_count(study) == 0)
        return zw_fail(err, ZW_E_NUMERIC, "stopped before a motion was found");
    zw_paths_warnings(study, m->warnings);
    cli_report_warnings(o, m->warnings, false);
    char *text = o->json ? zw_paths_json(study) : zw_paths_text(study);
    status = cli_write_text(NULL, text, err);
    zw_string_free(m->ctx, text);
    ZW_TRY(status);
    ZW_TRY(write_files(o, m, path, study, err));
    return cli_interrupted() ? ZW_STOPPED : ZW_OK;
}

static zw_status check_options(const cli_options *o, zw_error *err) {
    if (o->picture)
        ZW_TRY(zw_plot_check_path(o->picture, err));
    if (o->out)
        ZW_TRY(zw_table_can_write(o->out, err));
    return cli_guard_write(o, o->out, err);
}

static int run_path(const cli_options *o, const char *const *words, zw_error *err) {
    cli_model m = {0};
    zw_paths *study = NULL;
    cli_signals watched;
    zw_status status = check_options(o, err);
    if (status >= 0)
        status = cli_model_open(&m, words[0], o, err);
    if (status >= 0)
        status = open_study(o, &m, &study, err);
    cli_signals_begin(&watched);
    if (status >= 0)
        status = study_paths(o, &m, words[0], study, err);
    status = cli_judge(o, m.warnings, status, err);
    zw_paths_destroy(study);
    cli_model_close(&m);
    cli_signals_end(&watched);
    return cli_exit_code(status);
}

static const cli_group groups[] = {
    {"options", table, 0},
    {"what is told", cli_told_table, 0},
    {"model", cli_model_table, offsetof(cli_options, model)},
    {"picture", cli_draw_table, offsetof(cli_options, draw)},
    {0},
};

const cli_command cli_path = {
    .name = "path",
    .usage = "path MODEL --to VALUES --time T [--from VALUES] [--by PRINCIPLE] [--out FILE]",
    .about = "motions from one place to another in a given time",
    .details =
        "A boundary value problem, solved by collocation from several first guesses: all motions "
        "that\nthese lead to, each once, with action, conjugate points (is it a minimum?), momenta "
        "and errors.\nHow many conditions the end may have depends on constraints and principle; "
        "the command says it.",
    .examples = "  zwang path models/double_pendulum.zw --to \"phi_1=1, phi_2=0\" --time 1\n"
                "  zwang path models/rolling_penny.zw --by vakonomic --to \"x=0.3 [m], y=0.2 [m], "
                "th=1, ph=0\" --time 1\n",
    .groups = groups,
    .arguments = 1,
    .run = run_path,
};
