/* SPDX-License-Identifier: MIT */
#include "orbits.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "cli/verbs/periodic/orbit_events.h"
#include "derive.h"
#include "job.h"
#include "progress.h"
#include "reduced.h"
#include "zwang/orbits.h"

#define AT(field) offsetof(cli_orbits_options, field)

const zw_option cli_orbits_table[] = {
    {"period", ZW_OPT_DOUBLE, AT(period), 0, 0, 1e12, "s", NULL,
     "about how long the orbit takes; 0: what a run from the start of the model tells"},
    {"from", ZW_OPT_STRING, AT(from), 0, 0, 0, "", "run|start|section|mode|FILE",
     "of a model: what is about an orbit: the last period of a run from its start (default); the "
     "motion from the start over --period; from one passage of --section to the next; the last "
     "period of a run on file; a small oscillation about a steady motion (--mode 2). zwang "
     "continue also knows hopf: the Hopf points of a steady motion"},
    {"section", ZW_OPT_STRING, AT(section), 0, 0, 0, "", "EXPRESSION",
     "of --from section: an event of the model, or what is zero there: \"z - 27\""},
    {"returns", ZW_OPT_INT, AT(returns), 1, 1, 64, "", NULL, "to the section in a period"},
    {"winding", ZW_OPT_STRING, AT(winding), 0, 0, 0, "", "NAME=TURNS",
     "angles that turn, by whole turns in a period: \"phi=1, psi=-2\" (default: found)"},
    {"symmetry", ZW_OPT_STRING, AT(symmetry), 0, 0, 0, "", "NAME=IMAGE",
     "orbits that are their own image half a period later, by images of coordinates: \"x=-x, "
     "gamma=pi-gamma\"; half of them is solved for"},
    {"steps", ZW_OPT_INT, AT(steps), 6000, 10, 10000000, "", NULL,
     "of that run, before its last period is the first guess"},
    {"order", ZW_OPT_INT, AT(order), 1, 1, 64, "", NULL,
     "of a driven model: orbits with so many periods of the drive"},
    {"stages", ZW_OPT_INT, AT(stages), 4, 2, 7, "", NULL, "points of Gauss in an interval"},
    {"intervals", ZW_OPT_INT, AT(intervals), 0, 0, 100000, "", NULL,
     "so many; 0: as many as --tolerance asks for"},
    {"intervals-max", ZW_OPT_INT, AT(intervals_max), 400, 1, 100000, "", NULL,
     "at most so many then"},
    {"tolerance", ZW_OPT_DOUBLE, AT(tolerance), 1e-6, 1e-13, 0.5, "", NULL,
     "of the orbit between its nodes, of its size"},
    {0},
};

/* --------------------------------------------------------------------------------- branch files */

static zw_status read_branch(cli_orbits *s, const char *path, const cli_options *o, zw_error *err) {
    ZW_TRY(cli_guard_read(o, path, err));
    ZW_TRY(cli_read_result(o, &s->table, path, err));
    ZW_TRY(zw_orbits_file_read(&s->file, s->table, err));
    if (o->orbits.point)
        return zw_orbits_file_pick(&s->file, o->orbits.point, &s->point, &s->value, err);
    zw_error printed = {0};
    /* the error lists the orbits in the file */
    zw_orbits_file_pick(&s->file, "?", &s->point, &s->value, &printed);
    zw_fail(err, ZW_E_OPTION, "%s is a branch: --point says which of its orbits is meant", path);
    zw_error_hint(err, "%s", printed.hint);
    return ZW_E_OPTION;
}

/* options that are fixed by the file */
static zw_status check_fixed_options(const cli_options *o, const char *path, zw_error *err) {
    static const char *const of_models[] = {"period", "steps",   "order",  "stages",
                                            "from",   "section", "returns"};
    for (const zw_option *row = cli_model_table; row->key; row++)
        if (cli_is_given(o, row->key)) {
            zw_fail(err, ZW_E_OPTION, "--%s: %s holds its model and its orbits", row->key, path);
            zw_error_hint(err, "--over goes along any parameter");
            return ZW_E_OPTION;
        }
    for (size_t i = 0; i < sizeof of_models / sizeof *of_models; i++)
        if (cli_is_given(o, of_models[i]))
            return zw_fail(err, ZW_E_OPTION, "--%s: %s holds its model and its orbits",
                           of_models[i], path);
    return ZW_OK;
}

/* The model with the value of the branch parameter at the orbit. */
static zw_status open_branch(cli_orbits *s, const char *path, const cli_options *o, zw_error *err) {
    s->motion.options = zw_equilibria_options_default();
    s->motion.options.by = o->by ? o->by : "lagrange";
    ZW_TRY(check_fixed_options(o, path, err));
    ZW_TRY(read_branch(s, path, o, err));
    const zw_orbits_file *f = &s->file;
    double value = isnan(s->value) ? f->orbit[s->point].motion.value : s->value;
    snprintf(s->set, sizeof s->set, f->unit[0] ? "%.60s=%.17g [%.60s]" : "%.60s=%.17g%s",
             f->parameter, value / f->factor, f->unit);
    ZW_TRY(cli_model_of_result(&s->motion.model, s->table, f->family ? NULL : s->set, o, err));
    const char *file = zw_table_get_note(s->table, "file");
    s->motion.path = file && *file ? file : path;
    cli_report_warnings(o, s->motion.model.warnings, false);
    return ZW_OK;
}

bool cli_orbits_is_from(const cli_options *o, const char *word) {
    return o->orbits.from && strcmp(o->orbits.from, word) == 0;
}

zw_status cli_orbits_check_from(const cli_options *o, zw_error *err) {
    if ((o->orbits.section || cli_is_given(o, "returns")) && !cli_orbits_is_from(o, "section"))
        return zw_fail(err, ZW_E_OPTION, "--section and --returns belong to --from section");
    if (!o->orbits.from || cli_orbits_is_from(o, "run") || cli_orbits_is_from(o, "start") ||
        cli_orbits_is_from(o, "section") || cli_orbits_is_from(o, "hopf") ||
        cli_orbits_is_from(o, "mode") || cli_is_result(o->orbits.from))
        return ZW_OK;
    zw_fail(err, ZW_E_OPTION, "--from %.60s is no such place", o->orbits.from);
    zw_error_hint(
        err, "run, start, section, mode, hopf, or the file of a run; a branch file is given in "
             "place of the model, with --point");
    return ZW_E_OPTION;
}

zw_status cli_orbits_begin(const cli_options *o, cli_orbits *s, double value, int *number,
                           zw_error *err) {
    zw_orbits_start start = {
        .section = o->orbits.section, .returns = o->orbits.returns, .mode = o->mode};
    if (s->table)
        return zw_orbits_adopt(s->study, &s->file, s->point, s->value, number, err);
    start.from = cli_orbits_is_from(o, "start")     ? ZW_ORBITS_FROM_START
                 : cli_orbits_is_from(o, "section") ? ZW_ORBITS_FROM_SECTION
                 : cli_orbits_is_from(o, "mode")    ? ZW_ORBITS_FROM_MODE
                                                    : ZW_ORBITS_FROM_RUN;
    if (o->orbits.from && cli_is_result(o->orbits.from)) {
        ZW_TRY(cli_guard_read(o, o->orbits.from, err));
        ZW_TRY(cli_read_result(o, &s->run, o->orbits.from, err));
        start.from = ZW_ORBITS_FROM_RESULT;
        start.result = s->run;
    }
    return zw_orbits_find_from(s->study, &start, value, number, err);
}

/* ---------------------------------------------------------------------------------------- verbs */

static zw_status open_study(cli_orbits *s, const char *path, const cli_options *o, const char *over,
                            zw_error *err) {
    zw_orbits_options options = zw_orbits_options_default();
    bool stored = cli_is_result(path);
    if (o->orbits.point && !stored) {
        zw_fail(err, ZW_E_OPTION, "--point is for branches: %s is a model", path);
        zw_error_hint(err, "zwang continue MODEL --over NAME=A:B --out branch.csv makes one");
        return ZW_E_OPTION;
    }
    ZW_TRY(stored ? open_branch(s, path, o, err) : cli_steady_open(&s->motion, path, o, err));
    if (!stored && cli_orbits_is_from(o, "hopf") && !o->hold.n && !o->solve.n)
        ZW_TRY(cli_model_reduce(&s->motion.model, path, o, CLI_REDUCE_LEFT_OUT, err));
    s->events = zw_event_orbits_suit(s->motion.model.sys);
    if (stored && s->events != s->file.events)
        return zw_fail(err, ZW_E_FILE, "%s: its orbits go through %s, those of its model do not",
                       path, s->events ? "no events" : "events");
    if (s->events)
        return ZW_OK;
    options.over = over;
    options.period = o->orbits.period;
    options.steps = o->orbits.steps;
    options.order = o->orbits.order;
    options.stages = o->orbits.stages;
    options.intervals = o->orbits.intervals;
    options.intervals_max = o->orbits.intervals_max;
    options.tolerance = o->orbits.tolerance;
    if (stored) {
        options.stages = s->file.stages;
        options.order = s->file.order * s->file.orbit[s->point].times;
    }
    options.winding = o->orbits.winding;
    options.symmetry = o->orbits.symmetry;
    options.period_max = o->orbits.period_max;
    options.values = o->orbits.values;
    options.motion = &s->motion.options;
    if (o->orbits.points_max)
        options.points_max = o->orbits.points_max;
    options.stop = cli_watch;
    options.stop_user = (void *)o;
    return zw_orbits_create(&s->study, s->motion.model.sys, &options, err);
}

int cli_orbits_run(const cli_options *o, const char *path, const char *over, cli_orbits_step check,
                   cli_orbits_step work, zw_error *err) {
    cli_orbits s = {0};
    cli_signals watched;
    zw_status status = check(o, &s, err);
    if (status >= 0)
        status = open_study(&s, path, o, over, err);
    cli_signals_begin(&watched);
    if (status >= 0)
        status = s.events ? cli_orbit_events_run(o, &s, over, err) : work(o, &s, err);
    status = cli_judge(o, s.motion.model.warnings, status, err);
    zw_orbits_destroy(s.study);
    zw_orbits_file_clear(&s.file);
    zw_table_destroy(s.table);
    zw_table_destroy(s.run);
    cli_steady_close(&s.motion);
    cli_signals_end(&watched);
    return cli_exit_code(status);
}

zw_status cli_orbits_stuck(int branch, zw_error *err) {
    zw_fail(err, ZW_E_NUMERIC, "branch %d ends where no next orbit is found", branch);
    zw_error_hint(err, "with --out what there is can be gone on from: --point EP1");
    return ZW_E_NUMERIC;
}

zw_status cli_orbits_report(const cli_options *o, const cli_orbits *s, zw_error *err) {
    zw_orbits_warnings(s->study, s->motion.model.warnings);
    cli_report_warnings(o, s->motion.model.warnings, false);
    char *text = o->json ? zw_orbits_json(s->study) : zw_orbits_text(s->study);
    zw_status status = cli_write_text(NULL, text, err);
    zw_string_free(s->motion.model.ctx, text);
    return status;
}
