/* SPDX-License-Identifier: MIT */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "cli/job.h"
#include "cli/picture.h"
#include "cli/strobe.h"
#include "num/options.h"
#include "sim/options.h"

#define AT(field) offsetof(cli_options, field)

static const zw_option table[] = {
    {"until", ZW_OPT_DOUBLE, AT(until), 10, -1e12, 1e12, "s", NULL, "end of the run"},
    {"start", ZW_OPT_DOUBLE, AT(start), 0, -1e12, 1e12, "s", NULL, "time of the start values"},
    {"step-out", ZW_OPT_DOUBLE, AT(step_out), 0, 0, 1e12, "s", NULL,
     "time between rows, 0: a thousandth of the run"},
    {"out", ZW_OPT_STRING, AT(out), 0, 0, 0, "", "FILE",
     "the result; the ending says how: .csv, .json, .h5; - is standard output (CSV)"},
    {"energy", ZW_OPT_FLAG, AT(energy), 0, 0, 0, "", NULL,
     "columns for the balance of energy: work(NAME) of all that works, and the drift"},
    {"events", ZW_OPT_STRING, AT(events), 0, 0, 0, "", "FILE",
     "the states at the events, as --out"},
    {"section", ZW_OPT_LIST, AT(section), 0, 0, 0, "", "EVENT",
     "of the events only those of this name; may be repeated"},
    {"wrap", ZW_OPT_FLAG, AT(wrap), 0, 0, 0, "", NULL,
     "at events, periodic coordinates within one period"},
    {"start-from", ZW_OPT_STRING, AT(start_from), 0, 0, 0, "", "RESULT@TIME:NAMES",
     "start values from a result of another model, at this time (default its last): names that "
     "both have"},
    {"restart", ZW_OPT_STRING, AT(restart), 0, 0, 0, "", "RESULT",
     "go on where this result ends, with its model and options; MODEL may be left out"},
    {"json", ZW_OPT_FLAG, AT(json), 0, 0, 0, "", NULL, "the result as JSON on standard output"},
    {"plot", ZW_OPT_LIST, AT(plot), 0, 0, 0, "", "y:t|x,y|x,y,z",
     "draw y over t, or the path in the plane or in space; may be repeated"},
    {"picture", ZW_OPT_STRING, AT(picture), 0, 0, 0, "", "FILE",
     "one picture for all --plot: .svg, .pdf, .png, .tex (default one each, MODEL_WHAT.svg)"},
    {"by", ZW_OPT_STRING, AT(by), 0, 0, 0, "", "PRINCIPLE", "the principle (default lagrange)"},
    {"jit", ZW_OPT_CHOICE, AT(jit), 1, 0, 0, "", "off|auto|on",
     "native code: never, when it pays, at once"},
    {0},
};

/* of the events; only the names are used before the run */
static zw_status write_events(const cli_job *j, const char *path, zw_error *err) {
    zw_table *section;
    ZW_TRY(zw_sim_section(j->sim, j->o->section.n, j->o->section.item, j->o->wrap, &section, err));
    zw_status status = path ? cli_write_table(section, path, err) : ZW_OK;
    zw_table_destroy(section);
    return status;
}

/* one name for two files, or standard output for two results */
static zw_status check_names(const cli_options *o, zw_error *err) {
    if (o->out && o->events && strcmp(o->out, "-") == 0 && strcmp(o->events, "-") == 0)
        return zw_fail(err, ZW_E_OPTION, "--out and --events both write to standard output");
    const char *other = o->out && strcmp(o->out, "-") == 0         ? "out"
                        : o->events && strcmp(o->events, "-") == 0 ? "events"
                                                                   : NULL;
    if (o->json && other)
        return zw_fail(err, ZW_E_OPTION, "--json and --%s - both write to standard output", other);
    return ZW_OK;
}

/* Options of pictures without a picture would have no effect. */
static zw_status check_style(const cli_options *o, zw_error *err) {
    bool any = o->plot.n > 0 || cli_strobe_is_wanted(o);
    for (const zw_option *row = cli_draw_table; row->key && !any; row++)
        if (cli_is_given(o, row->key))
            return zw_fail(err, ZW_E_OPTION, "--%s: --plot says what to draw", row->key);
    if (o->picture && !any)
        return zw_fail(err, ZW_E_OPTION, "--picture %s: --plot says what to draw", o->picture);
    if (o->picture && o->plot.n > 0 && cli_strobe_is_wanted(o))
        return zw_fail(err, ZW_E_OPTION, "--picture %s: --plot and --strobe are two pictures",
                       o->picture);
    return cli_strobe_check_use(o, err);
}

static zw_status check_outputs(const cli_options *o, zw_error *err) {
    ZW_TRY(check_names(o, err));
    ZW_TRY(check_style(o, err));
    if ((o->section.n || o->wrap) && !o->events)
        return zw_fail(err, ZW_E_OPTION, "--section and --wrap speak of the file of --events");
    if (o->out)
        ZW_TRY(zw_table_can_write(o->out, err));
    if (o->events)
        ZW_TRY(zw_table_can_write(o->events, err));
    return ZW_OK;
}

/* A result may replace the one it continues, whose rows it contains; nothing else may. */
static zw_status guard_files(const cli_options *o, zw_error *err) {
    ZW_TRY(cli_guard_write(o, o->out, err));
    ZW_TRY(cli_guard_read(o, o->restart, err));
    if (o->start_from && o->restart)
        return zw_fail(err, ZW_E_OPTION,
                       "--start-from: --restart goes on with the state that its result has");
    return cli_guard_write(o, o->events, err);
}

/* Every --plot is a picture; with --picture they are the panels of one. */
static zw_status for_pictures(const cli_job *j,
                              zw_status (*act)(const cli_picture_order *, const char *, zw_error *),
                              zw_error *err) {
    const cli_options *o = j->o;
    const zw_figure_run run = {.table = zw_sim_rows(j->sim)};
    int panels = o->picture ? o->plot.n : 1;
    for (int i = 0; i < o->plot.n; i += panels) {
        char name[256];
        cli_picture_order order = {panels, &o->plot.item[i], 1, &run, o};
        cli_picture_name(zw_sim_system(j->sim)->name, panels, order.spec, name, sizeof name);
        ZW_TRY(act(&order, o->picture ? o->picture : name, err));
    }
    return ZW_OK;
}

/* the picture of --strobe: MODEL_strobe.svg unless --picture names it */
static const char *strobe_path(const cli_job *j, char *name, size_t size) {
    cli_picture_name(zw_sim_system(j->sim)->name, 1, (const char *const[]){"strobe"}, name, size);
    return j->o->picture ? j->o->picture : name;
}

static zw_status check_strobe(const cli_job *j, zw_error *err) {
    const cli_options *o = j->o;
    char name[256];
    if (!cli_strobe_is_wanted(o))
        return ZW_OK;
    return cli_strobe_check(o, strobe_path(j, name, sizeof name), o->restart ? NAN : o->start,
                            o->until, err);
}

static zw_status draw_strobe(const cli_job *j, zw_error *err) {
    char name[256];
    if (!cli_strobe_is_wanted(j->o))
        return ZW_OK;
    return cli_strobe_draw(j->o, zw_sim_rows(j->sim), strobe_path(j, name, sizeof name), err);
}

static zw_status set_up(cli_job *j, const char *path, const cli_options *o, zw_error *err) {
    ZW_TRY(check_outputs(o, err));
    ZW_TRY(cli_job_open(j, path, o, !o->quiet && !o->json, err));
    ZW_TRY(guard_files(o, err));
    ZW_TRY(for_pictures(j, cli_picture_check, err));
    ZW_TRY(check_strobe(j, err));
    return write_events(j, NULL, err);
}

/* ------------------------------------------------------------------------------------- output */

static zw_status write_results(const cli_job *j, zw_error *err) {
    const cli_options *o = j->o;
    const zw_table *rows = zw_sim_rows(j->sim);
    /* each is tried, even if others fail */
    zw_status out = o->out ? zw_table_write_rescue(rows, o->out, err) : ZW_OK;
    if (o->events)
        ZW_TRY(write_events(j, o->events, err));
    ZW_TRY(out);
    if (o->json)
        ZW_TRY(zw_table_write_json(rows, "-", err));
    ZW_TRY(for_pictures(j, cli_picture_draw, err));
    return draw_strobe(j, err);
}

static void print_last_state(const cli_job *j) {
    const zw_table *rows = zw_sim_rows(j->sim);
    int n = zw_sim_statistics(j->sim).nstate;
    long last = zw_table_rows(rows) - 1;
    for (int i = 1; last >= 0 && i <= n; i++)
        fprintf(stderr, "  %-12s %.12g %s\n", zw_table_name(rows, i), zw_table_at(rows, last, i),
                zw_table_unit(rows, i));
    fputs("  (--out run.csv keeps the motion, --plot x,y draws it)\n", stderr);
}

/* works and drift at the end, with --energy */
static void print_balance(const cli_job *j) {
    const zw_table *rows = zw_sim_rows(j->sim);
    long last = zw_table_rows(rows) - 1;
    int drift = zw_table_find(rows, "drift");
    for (int i = zw_table_find(rows, "energy") + 1; last >= 0 && i <= drift; i++)
        fprintf(stderr, "  %s %.10g J\n", zw_table_name(rows, i), zw_table_at(rows, last, i));
}

/* completed values of the start that differ from the given ones */
static void print_completion(const cli_job *j) {
    const zw_completion *c = zw_sim_completion(j->sim);
    zw_report *r = c->n > 0 ? zw_report_create(NULL) : NULL;
    zw_bytes words = {0};
    if (!r)
        return;
    zw_report_say(r, "  completed: ");
    zw_completion_report(c, "  ", r);
    if (zw_report_text(r, &words, NULL) >= 0)
        fputs(words.data, stderr);
    zw_bytes_clear(&words);
    zw_report_destroy(r);
}

enum { WATCHED = 8 };
/* Drift relative to the sizes of the terms of an observable, the limit of runs for the energy. */
#define DRIFT_MAX 0.02

/* observables that the model conserves, but the run did not */
static zw_status warn_drifts(cli_job *j, zw_watched *all, int *n, zw_error *err) {
    ZW_TRY(
        zw_conserved_watch(zw_sim_system(j->sim), NULL, zw_sim_rows(j->sim), WATCHED, all, n, err));
    for (int i = 0; i < *n; i++) {
        if (all[i].drift <= DRIFT_MAX)
            continue;
        zw_warning d =
            zw_warning_of("drift of an observable", all[i].t,
                          "%s is constant by the model, but has changed by %.2g of the size of "
                          "its terms: errors of the steps have added up",
                          all[i].name, all[i].drift);
        zw_warning_hint(&d, "take tighter tolerances or a shorter step");
        zw_sim_warning(j->sim, &d);
    }
    return ZW_OK;
}

static void print_summary(const cli_job *j, int nwatched, const zw_watched *watched) {
    const zw_system *s = zw_sim_system(j->sim);
    zw_sim_info info = zw_sim_statistics(j->sim);
    FILE *out = stderr;
    fprintf(out, "%s%s%s: %s at t = %.10g s", s->name, s->variant[0] ? ", variant " : "",
            s->variant, zw_sim_ending_text(info.ending),
            info.ending == ZW_SIM_ACCUMULATED ? info.accumulation : info.t);
    if (info.ending == ZW_SIM_ACCUMULATED)
        fprintf(out, ", the last one that was met at %.10g s", info.t);
    fprintf(out, "\n");
    fprintf(out, "  %s%s%s%s, %ld steps, %ld evaluations, %s code\n", info.method,
            info.run.why[0] ? " (chosen: " : "", info.run.why, info.run.why[0] ? ")" : "",
            info.run.steps, info.run.rhs_calls, info.run.native ? "native" : "interpreted");
    if (info.noise[0])
        fprintf(out, "  noise: %s\n", info.noise);
    if (info.contacts[0])
        fprintf(out, "  contacts %s\n", info.contacts);
    if (info.estimate[0])
        fprintf(out, "  %s\n", info.estimate);
    print_completion(j);
    zw_error why = {0};
    if (!info.run.native && zw_native_library(NULL, &why) < 0)
        fprintf(out, "  %s; %s\n", why.text, why.hint);
    if (info.nconstraint)
        fprintf(out, "  constraints kept by %s, largest residuals: position %.2g, velocity %.2g\n",
                info.run.constraints, info.run.position_residual, info.run.velocity_residual);
    if (info.run.by_series)
        fprintf(
            out,
            "  events of accelerations or forces, or without bounds, were sought by points in %ld "
            "of the steps: what is shorter than these can be missed\n",
            info.run.by_series);
    if (s->nv > 0) /* models of states alone have none */
        fprintf(out, "  energy %.10g J at the start, %.10g J at the end\n", info.run.energy_start,
                info.run.energy_end);
    for (int i = 0; i < nwatched; i++)
        fprintf(out, "  %s stays to %.2g of the size of its terms\n", watched[i].name,
                watched[i].drift);
    print_balance(j);
    if (!j->o->out && !j->o->json && !j->o->plot.n && !cli_strobe_is_wanted(j->o))
        print_last_state(j);
    cli_report_warnings(j->o, zw_sim_warnings(j->sim), true);
    cli_report_verdict(zw_sim_warnings(j->sim),
                       info.ending == ZW_SIM_FAILED || info.ending == ZW_SIM_ACCUMULATED);
}

static zw_status run_job(cli_job *j, const char *path, const cli_options *o, zw_error *err) {
    ZW_TRY(set_up(j, path, o, err));
    zw_status status = cli_job_run(j, err);
    /* results so far are kept in any case */
    zw_error later = {0};
    zw_watched watched[WATCHED];
    int nwatched;
    zw_status seen = warn_drifts(j, watched, &nwatched, &later);
    zw_status written = seen < 0 ? seen : write_results(j, &later);
    if (!j->o->quiet)
        print_summary(j, nwatched, watched);
    if (status < 0)
        return status;
    if (written < 0)
        *err = later;
    return cli_judge(o, zw_sim_warnings(j->sim), written, err);
}

static int run_model(const cli_options *o, const char *const *words, zw_error *err) {
    cli_job j = {0};
    zw_status status = ZW_E_OPTION;
    if (o->nword == 0 && !o->restart)
        zw_fail(err, status, "zwang run needs a model file, or --restart with a result");
    else
        status = run_job(&j, o->nword ? words[0] : NULL, o, err);
    cli_job_close(&j);
    return cli_exit_code(status);
}

static const cli_group groups[] = {
    {"options", table, 0},
    {"messages and limits", cli_told_table, 0},
    {"several instants", cli_strobe_table, offsetof(cli_options, strobe)},
    {"look of --plot and --strobe", cli_draw_table, offsetof(cli_options, draw)},
    {"model", cli_model_table, offsetof(cli_options, model)},
    {"integration", zw_run_option_table, offsetof(cli_options, run)},
    {"contacts", zw_sim_contact_table, offsetof(cli_options, sim)},
    {"noise", zw_sim_noise_table, offsetof(cli_options, sim)},
    {0},
};

const cli_command cli_run = {
    .name = "run",
    .usage =
        "run MODEL --until T [--step-out DT] [--set a=b] [--out F.csv] [--json] [--plot WHAT]\n"
        "       zwang run --restart F.csv --until T [--out LONGER.csv]",
    .about = "integrate the motion, keep and draw it",
    .details =
        "The start values of the model are completed from the constraints; what contradicts "
        "them is\n"
        "refused. Ctrl-C ends the run and keeps what there is. Exit codes: 0 done, 1 refused or "
        "not "
        "written, 2 the\n"
        "numerics failed, 3 out of memory, 4 done but doubtful, with --strict, 130 stopped by "
        "Ctrl-C (143 by kill, 129 by hangup).\n"
        "The summary ends with a line that says whether anything was doubtful. Times may have a "
        "unit: --until 2min.\n"
        "All numbers in and out are SI units unless a unit is written.",
    .examples =
        "  zwang run models/turntable_ball.zw --until 20 --out run.csv --plot x,y\n"
        "  zwang run models/pendulum_polar.zw --until 60 --plot theta:t --picture swing.pdf\n"
        "  zwang run models/turntable_ball.zw --set Omega=33.3rpm --set \"nu=5 [g/s]\" --until 20\n"
        "  zwang run models/duffing.zw --until 100 --json --quiet\n"
        "  zwang run --restart run.csv --until 40 --out longer.csv\n",
    .groups = groups,
    .random = true,
    .arguments_max = 1,
    .reports_stop = true,
    .endless = true,
    .run = run_model,
};
