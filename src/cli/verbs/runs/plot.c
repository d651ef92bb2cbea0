/* SPDX-License-Identifier: MIT */
/* Words are result files (.csv, .json, .h5, .hdf5) or models, which are run first. All curves are
 * in one picture. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/arena.h"
#include "cli/picture.h"
#include "cli/strobe.h"
#include "cli/work.h"
#include "runs/run_study.h"

#define AT(field) offsetof(cli_options, field)

static const zw_option table[] = {
    {"plot", ZW_OPT_LIST, AT(plot), 0, 0, 0, "", "y:t|y;z:t|x,y|x,y,z",
     "panel: y over t, a path in the plane or in space; may be repeated"},
    {"picture", ZW_OPT_STRING, AT(picture), 0, 0, 0, "", "FILE",
     "file of the picture: .svg, .pdf, .png, or .tex for LaTeX (default NAME_WHAT.svg)"},
    {"at", ZW_OPT_STRING, AT(at), 0, 0, 0, "", "EVENT",
     "states at this event only, a Poincaré section; all: at any event"},
    {0},
};

enum { SERIES_LABEL = 320 };

/* One run: read from a file or simulated. */
typedef struct source {
    const char *path;
    bool from_file;
    zw_table *file;         /* from_file: its table */
    cli_options o;          /* otherwise: with one value for each list */
    zw_model_options model; /* the settings in it */
    cli_work work;
    zw_table *rows;          /* its motion, or with --at its events */
    zw_figure_branch branch; /* from_file: its orbits, if any */
    zw_table *chosen;        /* with --at: the rows at the event */
    char label[SERIES_LABEL + 128];
} source;

typedef struct sources {
    zw_context *ctx; /* of the settings */
    int n;
    source item[PICTURE_RUNS];
} sources;

static zw_status add_source(sources *all, const char *path, source **out, zw_error *err) {
    if (all->n == PICTURE_RUNS)
        return zw_fail(err, ZW_E_OPTION, "more than %d runs do not fit in a picture", PICTURE_RUNS);
    *out = &all->item[all->n++];
    (*out)->path = path;
    return ZW_OK;
}

/* the settings of the command line, including lists */
static zw_model_options lists_of(const cli_options *o) {
    return (zw_model_options){
        .variant = o->model.variant, .nset = o->model.set.n, .set = o->model.set.item};
}

/* the options with the settings of run k of the series, or without its lists (k = -1) */
static zw_status choose_settings(const sources *all, const cli_options *o, long k,
                                 const zw_system *sys, zw_model_options *settings, cli_options *out,
                                 zw_error *err) {
    const zw_model_options lists = lists_of(o);
    ZW_TRY(zw_figure_series_run(settings, all->ctx, &lists, k, sys, err));
    *out = *o;
    out->model.variant = settings->variant;
    out->model.set.n = settings->nset;
    memcpy(out->model.set.item, settings->set, (size_t)settings->nset * sizeof *settings->set);
    return ZW_OK;
}

/* rows at the instants instead of the default step */
static void choose_step(const source *s) {
    zw_run_study_options *run = zw_study_options(s->work.study);
    if (cli_strobe_is_wanted(&s->o) && !(run->sim.step_out > 0))
        run->sim.step_out = cli_strobe_step(&s->o, run->sim.start, run->sim.until);
}

/* the table that is drawn; before the run it has no rows */
static zw_status take_rows(source *s, zw_error *err) {
    zw_table_destroy(s->rows);
    s->rows = NULL;
    return cli_work_table(&s->work, s->o.at ? "events" : "out", &s->rows, err);
}

static zw_status open_run(sources *all, const char *path, const cli_options *o, long k,
                          const zw_system *sys, zw_error *err) {
    source *s;
    ZW_TRY(add_source(all, path, &s, err));
    ZW_TRY(choose_settings(all, o, k, sys, &s->model, &s->o, err));
    ZW_TRY(cli_work_open(&s->work, path, &s->o, err));
    choose_step(s);
    zw_study_messages(s->work.study, NULL);
    zw_study_want(s->work.study, o->at ? "events" : "out", "");
    ZW_TRY(zw_study_prepare(s->work.study, err));
    return take_rows(s, err);
}

/* all runs of a model for the lists in the options */
static zw_status open_runs(sources *all, const char *path, const cli_options *o, zw_error *err) {
    const zw_model_options lists = lists_of(o);
    zw_model_options settings;
    cli_options plain;
    cli_model model;
    long n = zw_figure_series_count(&lists);
    if (n == 1)
        return open_run(all, path, o, 0, NULL, err);
    ZW_TRY(choose_settings(all, o, -1, NULL, &settings, &plain, err));
    zw_status status = cli_model_open(&model, path, &plain, err);
    for (long k = 0; status >= 0 && k < n; k++)
        status = open_run(all, path, o, k, model.sys, err);
    cli_model_close(&model);
    return status;
}

static zw_status open_source(sources *all, const char *path, const cli_options *o, zw_error *err) {
    if (!cli_is_result(path))
        return open_runs(all, path, o, err);
    source *s;
    ZW_TRY(add_source(all, path, &s, err));
    s->from_file = true;
    ZW_TRY(cli_read_result(o, &s->file, path, err));
    if (!zw_figure_needs_orbits(s->file, o->plot.n, o->plot.item))
        return ZW_OK;
    return zw_figure_branch_open(&s->branch, s->file, o->draw.orbits, PICTURE_POINTS, NULL, err);
}

/* all rows, or before the choice of --at the table from which they will be chosen */
static const zw_table *table_of(const source *s) {
    return s->chosen ? s->chosen : s->from_file ? s->file : s->rows;
}

static void close_sources(sources *all) {
    for (int i = 0; i < all->n; i++) {
        source *s = &all->item[i];
        zw_table_destroy(s->file);
        zw_table_destroy(s->chosen);
        zw_figure_branch_close(&s->branch);
        zw_table_destroy(s->rows);
        if (!s->from_file)
            cli_work_close(&s->work);
    }
    zw_context_destroy(all->ctx);
    free(all);
}

/* ---- labels ---- */

static const char *file_name(const char *path, size_t *stem) {
    const char *slash = strrchr(path, '/'), *name = slash ? slash + 1 : path;
    *stem = strcspn(name, ".");
    *stem = *stem ? *stem : strlen(name);
    return name;
}

/* The name of a file in a legend, longer at higher levels: run, run.truth, run.truth.csv,
 * out/run.truth.csv and so on for out/run.truth.csv. */
static const char *name_at(const char *path, int level, size_t *n) {
    const char *name = file_name(path, n), *dot = strrchr(name, '.');
    if (level == 1 && dot && dot > name)
        *n = (size_t)(dot - name);
    if (level > 1)
        *n = strlen(name);
    for (int k = 2; k < level && name > path; k++) {
        do
            name--, ++*n;
        while (name > path && name[-1] != '/');
    }
    return name;
}

/* true if another file has this name */
static bool is_ambiguous(const sources *all, const char *path, int level) {
    size_t n, m;
    const char *name = name_at(path, level, &n);
    for (int i = 0; i < all->n; i++) {
        const char *other = name_at(all->item[i].path, level, &m);
        if (strcmp(all->item[i].path, path) != 0 && n == m && strncmp(name, other, n) == 0)
            return true;
    }
    return false;
}

/* "run" from out/run.csv, in quotes, since it is not a formula; with enough of its path to
 * distinguish it from the others */
static void label_by_path(const sources *all, const char *path, char *out, size_t size) {
    enum { LEVELS = 40 };
    size_t n;
    int level = 0;
    while (level < LEVELS && is_ambiguous(all, path, level))
        level++;
    const char *name = name_at(path, level, &n);
    snprintf(out, size, "\"%.*s\"", n > 100 ? 100 : (int)n, name);
}

static void label_sources(sources *all, int nword, const cli_options *o) {
    const zw_model_options lists = lists_of(o);
    for (int i = 0; i < all->n; i++) {
        source *s = &all->item[i];
        char series[SERIES_LABEL] = "", path[120] = "";
        if (!s->from_file)
            zw_figure_series_label(&s->model, &lists, table_of(s), series, sizeof series);
        if (nword > 1 || !series[0])
            label_by_path(all, s->path, path, sizeof path);
        snprintf(s->label, sizeof s->label, "%s%s%s", path, path[0] && series[0] ? ", " : "",
                 series);
    }
}

/* ---- the command ---- */

/* the run that a fault belongs to */
static void name_run(const sources *all, const source *s, zw_error *err) {
    size_t used = strlen(err->text);
    if (all->n > 1)
        snprintf(err->text + used, sizeof err->text - used, " (run %s)", s->label);
}

/* what there is after a failure is drawn, too */
static zw_status run_source(source *s, zw_error *err) {
    zw_error later = {0};
    zw_status status = cli_work_run(&s->work, err);
    cli_work_end(&s->work);
    zw_status taken = take_rows(s, &later);
    if (status < 0 || taken >= 0)
        return status;
    *err = later;
    return taken;
}

static zw_status run_sources(sources *all, zw_error *err) {
    zw_status first = ZW_OK;
    for (int i = 0; i < all->n; i++) {
        if (all->item[i].from_file)
            continue;
        zw_status status = run_source(&all->item[i], err);
        if (first >= 0 && status < 0) {
            first = status;
            name_run(all, &all->item[i], err);
        }
        if (status == ZW_STOPPED)
            break;
    }
    return first;
}

static zw_status judge_source(source *s, const cli_options *o, zw_error *err) {
    if (s->from_file)
        return cli_judge_result(o, s->path, s->file, err);
    cli_work_warn(&s->work, true);
    return cli_judge(o, s->work.model.warnings, ZW_OK, err);
}

static zw_status print_warnings(sources *all, const cli_options *o, zw_error *err) {
    zw_status first = ZW_OK;
    for (int i = 0; i < all->n; i++) {
        zw_status status = judge_source(&all->item[i], o, err);
        if (first >= 0 && status < 0) {
            first = status;
            name_run(all, &all->item[i], err);
        }
    }
    return first;
}

/* NAME_WHAT.svg, from the name of the model or of the file */
static void name_picture(const sources *all, int n, const char *const *what, char *out,
                         size_t size) {
    const source *s = &all->item[0];
    char stem[128];
    size_t length;
    const char *name = file_name(s->path, &length);
    snprintf(stem, sizeof stem, "%.*s", (int)length, name);
    cli_picture_name(s->from_file ? stem : s->work.model.sys->name, n, what, out, size);
}

/* The panels: the requested ones, or the defaults. */
typedef struct panels {
    zw_figure_choice choice;
    const char *item[ZW_FIGURE_CHOICE];
} panels;

static void list_columns(const zw_table *t, char *out, size_t size) {
    out[0] = '\0';
    for (int i = 0; i < zw_table_columns(t) && strlen(out) + 80 < size; i++)
        snprintf(out + strlen(out), size - strlen(out), "%s%.60s", i ? ", " : "",
                 zw_table_name(t, i));
    zw_text_tame(out);
}

static zw_status choose_panels(panels *p, cli_picture_order *order, zw_error *err) {
    char all[400];
    if (order->o->plot.n > 0)
        return ZW_OK;
    zw_figure_choose(&p->choice, order->nrun, order->run);
    for (int i = 0; i < p->choice.n; i++)
        p->item[i] = p->choice.panel[i];
    order->nspec = p->choice.n;
    order->spec = p->item;
    if (p->choice.n > 0)
        return ZW_OK;
    list_columns(order->run[0].table, all, sizeof all);
    zw_fail(err, ZW_E_OPTION,
            "nothing is drawn by default here: give --plot y:t, --plot x,y or --plot x,y,z");
    zw_error_hint(err, "the columns are %s", all);
    return ZW_E_OPTION;
}

/* other columns, if the choice was automatic */
static void report_columns(const cli_picture_order *order) {
    char all[400];
    if (order->o->plot.n > 0 || order->o->quiet || order->o->json)
        return;
    list_columns(order->run[0].table, all, sizeof all);
    fprintf(stderr, "other panels: --plot; the columns are %s\n", all);
}

static void collect_runs(const sources *all, zw_figure_run *run) {
    for (int i = 0; i < all->n; i++)
        run[i] = (zw_figure_run){.table = table_of(&all->item[i]),
                                 .label = all->item[i].label,
                                 .orbits = all->item[i].branch.orbits,
                                 .multipliers = all->item[i].branch.multipliers};
}

/* before the runs: checks that the event exists */
static zw_status check_events(const sources *all, const cli_options *o, zw_error *err) {
    for (int i = 0; i < all->n && o->at; i++) {
        zw_table *none;
        ZW_TRY(zw_figure_at_event(&none, table_of(&all->item[i]), o->at, err));
        zw_table_destroy(none);
    }
    return ZW_OK;
}

static zw_status open_all(sources *all, const cli_options *o, const char *const *words,
                          zw_error *err) {
    int models = 0;
    for (int i = 0; i < o->nword; i++)
        models += !cli_is_result(words[i]);
    if (models == 0)
        ZW_TRY(cli_result_only(o, words[0], err));
    for (int i = 0; i < o->nword; i++)
        ZW_TRY(open_source(all, words[i], o, err));
    return ZW_OK;
}

/* ---- several instants ---- */

static const zw_sim_options *run_options(const cli_options *o) {
    return &((const zw_run_study_options *)o->study)->sim;
}

static zw_status check_alone(const sources *all, const cli_options *o, zw_error *err) {
    if (o->plot.n)
        return zw_fail(err, ZW_E_OPTION,
                       "--plot and --strobe are two pictures: call zwang plot twice");
    if (o->at)
        return zw_fail(err, ZW_E_OPTION, "--at is for curves, not for --strobe");
    if (all->n > 1)
        return zw_fail(err, ZW_E_OPTION, "--strobe shows one run, these are %d", all->n);
    const source *s = &all->item[0];
    return s->from_file ? cli_reject_kind(s->path, s->file, err) : ZW_OK;
}

static zw_status draw_strobe(sources *all, const cli_options *o, const char *const *words,
                             zw_error *err) {
    char name[256];
    ZW_TRY(open_all(all, o, words, err));
    ZW_TRY(check_alone(all, o, err));
    const source *s = &all->item[0];
    name_picture(all, 1, (const char *const[]){"strobe"}, name, sizeof name);
    const char *path = o->picture ? o->picture : name;
    ZW_TRY(cli_strobe_check(o, path, s->from_file ? NAN : run_options(o)->start,
                            run_options(o)->until, err));
    zw_status status = run_sources(all, err);
    zw_error later = {0}, doubtful = {0};
    zw_status drawn = cli_strobe_draw(o, table_of(s), path, &later);
    zw_status warnings = print_warnings(all, o, &doubtful);
    if (status < 0)
        return status;
    if (drawn < 0 || warnings < 0)
        *err = drawn < 0 ? later : doubtful;
    return drawn < 0 ? drawn : warnings;
}

/* ---- curves ---- */

static zw_status draw_plot(sources *all, const cli_options *o, const char *const *words,
                           zw_error *err) {
    ZW_TRY(open_all(all, o, words, err));
    zw_figure_run run[PICTURE_RUNS];
    panels own = {0};
    cli_picture_order order = {o->plot.n, o->plot.item, all->n, run, o};
    char name[256];
    name_picture(all, o->plot.n, o->plot.item, name, sizeof name);
    const char *path = o->picture ? o->picture : name;
    label_sources(all, o->nword, o);
    collect_runs(all, run);
    ZW_TRY(choose_panels(&own, &order, err));
    ZW_TRY(cli_picture_check(&order, path, err));
    ZW_TRY(check_events(all, o, err));
    /* results so far are drawn in any case */
    zw_status status = run_sources(all, err);
    zw_error later = {0};
    zw_status drawn = ZW_OK;
    for (int i = 0; i < all->n && o->at && drawn >= 0; i++)
        drawn = zw_figure_at_event(&all->item[i].chosen, run[i].table, o->at, &later);
    collect_runs(all, run);
    if (drawn >= 0)
        drawn = choose_panels(&own, &order, &later);
    if (drawn >= 0)
        drawn = cli_picture_draw(&order, path, &later);
    if (drawn >= 0)
        report_columns(&order);
    zw_error doubtful = {0};
    zw_status warnings = print_warnings(all, o, &doubtful);
    if (status < 0)
        return status;
    if (drawn < 0 || warnings < 0)
        *err = drawn < 0 ? later : doubtful;
    return drawn < 0 ? drawn : warnings;
}

static int run_plot(const cli_options *o, const char *const *words, zw_error *err) {
    sources *all = calloc(1, sizeof *all);
    if (!all)
        return cli_exit_code(zw_out_of_memory(err, NULL));
    all->ctx = zw_context_create(NULL);
    zw_status status = cli_strobe_check_use(o, err);
    if (status >= 0 && !all->ctx)
        status = zw_out_of_memory(err, NULL);
    if (status >= 0)
        status = cli_strobe_is_wanted(o) ? draw_strobe(all, o, words, err)
                                         : draw_plot(all, o, words, err);
    close_sources(all);
    return cli_exit_code(status);
}

static const cli_group groups[] = {
    {"options", table, 0, false},
    {"messages and limits", cli_told_table, 0, true},
    {"several instants", cli_strobe_table, offsetof(cli_options, strobe), true},
    {"look", cli_draw_table, offsetof(cli_options, draw), true},
    {"model", cli_model_table, offsetof(cli_options, model), true},
    {0},
};

const cli_command cli_plot = {
    .name = "plot",
    .usage =
        "plot FILE|MODEL ... [--plot WHAT] [--plot WHAT] [--set a=b,c]\n"
        "           [--picture F.pdf]\n"
        "       zwang plot FILE|MODEL --strobe T1,T2,... [--strobe-layout row] [--picture F.pdf]",
    .about = "draw results, or the motion of a model",
    .details = "A FILE is a table written by another verb (.csv, .json, .h5); a MODEL is run "
               "first. All runs share one picture, with a legend; --set nu=0,5,10 makes a run for "
               "each value. WHAT is y:t, x+y:t, x;F:t with F on the right-hand axis, x,y for a "
               "path in the plane or x,y,z for a path in space; formulas of columns are allowed: "
               "deg(theta):t. Without --plot, the kind of table decides: positions over t, "
               "eigenvalues or amplitudes over a parameter. --strobe draws the bodies at several "
               "instants instead of curves, with the draw statements of the model.",
    .examples =
        "  zwang plot run.csv --plot x,y --picture path.pdf\n"
        "  zwang plot models/turntable_ball.zw --until 25 --set nu=0,2,5g/s --plot x,y\n"
        "  zwang plot models/pendulum_polar.zw --plot \"deg(theta):t\" --plot \"theta':t\" --grid\n"
        "  zwang plot models/duffing.zw --until 100 --plot \"x,x'\" --axes free --keep\n"
        "  zwang plot models/tippedisk.zw --until 1 --strobe 0:0.7:0.1 --picture disc.pdf\n",
    .groups = groups,
    .study = &zw_study_run,
    .random = true,
    .arguments = 1,
    .results = true,
    .arguments_max = CLI_WORDS_MAX,
    .endless = true,
    .run = run_plot,
};
