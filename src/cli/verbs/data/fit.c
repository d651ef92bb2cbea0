/* SPDX-License-Identifier: MIT */
/* Identification: parameters and starts from measured motions, and which of several models
 * describes these better. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/arena.h"
#include "cli/derive.h"
#include "cli/job.h"
#include "cli/picture.h"
#include "cli/progress.h"
#include "num/options.h"

#define AT(field) offsetof(cli_options, field)

static const zw_option table[] = {
    {"fit", ZW_OPT_LIST, AT(fit.fit), 0, 0, 0, "", "NAMES",
     "parameters that are looked for, by commas; with bounds: \"k=1:100 [N/m]\" (positive ones: "
     "logarithms)"},
    {"own", ZW_OPT_LIST, AT(fit.own), 0, 0, 0, "", "NAMES",
     "those of them that every data file has for itself"},
    {"prior", ZW_OPT_LIST, AT(fit.prior), 0, 0, 0, "", "NAME=VALUE+-SD",
     "what is known of a parameter before: \"mu=0.3+-0.05\""},
    {"positive", ZW_OPT_LIST, AT(fit.positive), 0, 0, 0, "", "NAMES",
     "parameters whose logarithms are looked for"},
    {"start-free", ZW_OPT_STRING, AT(fit.start_free), 0, 0, 0, "", "all|none|NAMES",
     "entries of the start that are unknown (default all); the others are as the model says"},
    {"start", ZW_OPT_DOUBLE, AT(fit.start), NAN, -1e12, 1e12, "s", NULL,
     "time of the start (default: the first time of each file)"},
    {"column", ZW_OPT_LIST, AT(fit.column), 0, 0, 0, "", "NAME=EXPRESSION",
     "what a column of the data is in the model: \"height=z - r\"; \"NAME=\": left out"},
    {"use", ZW_OPT_LIST, AT(fit.use), 0, 0, 0, "", "NAMES",
     "columns that count, by commas (default all)"},
    {"noise", ZW_OPT_LIST, AT(fit.noise), 0, 0, 0, "", "NAME=SD",
     "standard deviation of a column: \"beta=0.5 [deg]\" (default: column sd(NAME), else "
     "estimated)"},
    {"loss", ZW_OPT_CHOICE, AT(fit.loss), ZW_FIT_SQUARES, 0, 0, "", "squares|huber|soft-l1",
     "how residuals count; the latter two where there are outliers"},
    {"loss-scale", ZW_OPT_DOUBLE, AT(fit.loss_scale), 1.345, 1e-3, 1e3, "", NULL,
     "standard deviations from which on residuals count less"},
    {"nodes", ZW_OPT_INT, AT(fit.nodes), 0, 0, 10000, "", NULL,
     "parts into which each motion is cut (multiple shooting); 0: chosen"},
    {"steps", ZW_OPT_INT, AT(fit.iterations), 60, 1, 100000, "", NULL, "most steps to a minimum"},
    {"tolerance", ZW_OPT_DOUBLE, AT(fit.tolerance), 1e-3, 1e-9, 1, "", NULL,
     "of the last step, in standard errors"},
    {"multistart", ZW_OPT_INT, AT(fit.multistart), 0, 0, 100000, "", NULL,
     "further tries, from parameters drawn within their bounds"},
    {"seed", ZW_OPT_LONG, AT(fit.seed), 1, 0, 9e15, "", NULL, "of these"},
    {"profile", ZW_OPT_LIST, AT(fit.profile), 0, 0, 0, "", "NAMES",
     "parameters whose likelihood is followed: intervals that need not be symmetric"},
    {"profile-points", ZW_OPT_INT, AT(fit.profile_points), 13, 5, 1001, "", NULL, "values of each"},
    {"against", ZW_OPT_LIST, AT(fit.against), 0, 0, 0, "", "MODEL|CHANGES",
     "another model of the same data: a file, or \"by=vakonomic; without=roll; variant=..; law=..; "
     "set=..; fit=..\""},
    {"contacts", ZW_OPT_CHOICE, AT(sim.contacts), ZW_SIM_CONTACTS_CHOSEN, 0, 0, "",
     "auto|moreau|events",
     "contacts from event to event; time steps (moreau) have no derivatives and are rejected"},
    {"by", ZW_OPT_STRING, AT(by), 0, 0, 0, "", "PRINCIPLE", "the principle (default lagrange)"},
    {"plot", ZW_OPT_LIST, AT(plot), 0, 0, 0, "", "y:x",
     "a panel of the picture, as of zwang plot: \"beta+data(beta):t\""},
    {"picture", ZW_OPT_STRING, AT(picture), 0, 0, 0, "", "FILE",
     "a picture of data, motion and residuals: .svg, .pdf, .png, .tex"},
    {"json", ZW_OPT_FLAG, AT(json), 0, 0, 0, "", NULL, "all numbers as JSON"},
    {"out", ZW_OPT_STRING, AT(out), 0, 0, 0, "", "FILE",
     "the fitted motions with data and residuals beside them"},
    {0},
};

enum { NAMES_MAX = 256, AGAINST_MAX = 16 };

/* "a,b" given several times: the single names, in memory of the context */
typedef struct names {
    int n;
    const char *item[NAMES_MAX];
} names;

static zw_status split_names(zw_context *ctx, const zw_option_list *list, names *out,
                             zw_error *err) {
    out->n = 0;
    for (int i = 0; i < list->n; i++)
        for (const char *p = list->item[i]; *p;) {
            p += strspn(p, " ");
            size_t length = strcspn(p, ","), used = length;
            char *name = zw_context_alloc(ctx, length + 1);
            if (!name)
                return zw_context_status(ctx, err);
            while (used > 0 && p[used - 1] == ' ')
                used--;
            memcpy(name, p, used);
            name[used] = '\0';
            if (out->n == NAMES_MAX)
                return zw_fail(err, ZW_E_OPTION, "more than %d names", NAMES_MAX);
            if (used)
                out->item[out->n++] = name;
            p += length + (p[length] == ',');
        }
    return ZW_OK;
}

/* one model with its fit */
typedef struct candidate {
    cli_model model;
    zw_model_source source;
    zw_fit *fit;
    cli_options o;
    const char *path, *label;
    char *words; /* of --against, split into pieces */
} candidate;

static zw_status open_fit(candidate *c, int ndata, const char *const *files, zw_error *err) {
    const cli_options *o = &c->o;
    zw_context *ctx = c->model.ctx;
    names fit, own, positive, use;
    zw_fit_data data[CLI_WORDS_MAX];
    zw_fit_options options = zw_fit_options_default();
    ZW_TRY(split_names(ctx, &o->fit.fit, &fit, err));
    ZW_TRY(split_names(ctx, &o->fit.own, &own, err));
    ZW_TRY(split_names(ctx, &o->fit.positive, &positive, err));
    ZW_TRY(split_names(ctx, &o->fit.use, &use, err));
    options.nfit = fit.n;
    options.fit = fit.item;
    options.nown = own.n;
    options.own = own.item;
    options.nlog = positive.n;
    options.logs = positive.item;
    options.nuse = use.n;
    options.use = use.item;
    options.nprior = o->fit.prior.n;
    options.prior = o->fit.prior.item;
    options.ncolumn = o->fit.column.n;
    options.column = o->fit.column.item;
    options.nnoise = o->fit.noise.n;
    options.noise = o->fit.noise.item;
    options.start_free = o->fit.start_free;
    options.start = o->fit.start;
    options.loss = (zw_fit_loss)o->fit.loss;
    options.loss_scale = o->fit.loss_scale;
    options.nodes = o->fit.nodes;
    options.iterations = o->fit.iterations;
    options.tolerance = o->fit.tolerance;
    options.multistart = o->fit.multistart;
    options.seed = (unsigned long)o->fit.seed;
    options.principle = o->by;
    options.run = &o->run;
    options.contacts = (zw_sim_scheme)o->sim.contacts;
    options.stop = cli_watch;
    options.stop_user = (void *)o;
    for (int i = 0; i < ndata; i++)
        data[i] = (zw_fit_data){.name = files[i]};
    return zw_fit_create(&c->fit, c->model.sys, &c->source, ndata, data, &options, err);
}

static zw_status find_profiles(candidate *c, zw_error *err) {
    names list;
    const zw_fit_profile *p;
    ZW_TRY(split_names(c->model.ctx, &c->o.fit.profile, &list, err));
    for (int i = 0; i < list.n; i++)
        ZW_TRY(zw_fit_profile_find(c->fit, list.item[i], c->o.fit.profile_points, &p, err));
    return ZW_OK;
}

static zw_status write_and_free(const candidate *c, char *text, zw_error *err) {
    zw_status status = cli_write_text(NULL, text, err);
    zw_string_free(c->model.ctx, text);
    return status;
}

static zw_status write_files(candidate *c, zw_error *err) {
    zw_table *t;
    if (!c->o.out && !c->o.picture)
        return ZW_OK;
    ZW_TRY(zw_fit_table(c->fit, &c->source, &t, err));
    return cli_picture_and_table(&c->o, c->model.warnings, t, err);
}

/* reads the model and the data */
static zw_status prepare_candidate(candidate *c, int ndata, const char *const *files,
                                   zw_error *err) {
    ZW_TRY(cli_model_open(&c->model, c->path, &c->o, err));
    c->source = cli_model_source(&c->model, c->path);
    return open_fit(c, ndata, files, err);
}

/* fits it and reports the result */
static zw_status fit_candidate(candidate *c, bool report, zw_error *err) {
    zw_status status = zw_fit_run(c->fit, err), more = ZW_OK;
    if (status == ZW_OK && report)
        more = find_profiles(c, err);
    cli_end_progress();
    ZW_TRY(status);
    ZW_TRY(more);
    zw_fit_warnings(c->fit, c->model.warnings);
    if (!report && zw_warnings_count(c->model.warnings) && !c->o.quiet)
        fprintf(stderr, "of the model %s:\n", c->label);
    if (!report) /* several models may have the same warnings */
        zw_warnings_clear(c->o.printed);
    cli_report_warnings(&c->o, c->model.warnings, false);
    cli_report_warnings(&c->o, c->model.warnings, true);
    if (report)
        ZW_TRY(write_and_free(c, c->o.json ? zw_fit_json(c->fit) : zw_fit_text(c->fit), err));
    return status;
}

/* puts "by=vakonomic; fit=nu" into the options of another fit; a word without "=" is the file of
 * another model */
static zw_status change_candidate(candidate *c, const char *text, zw_error *err) {
    static const char how[] =
        "a file, or by=, variant=, with=, without=, law=, set=, fit=, separated by semicolons";
    c->words = strdup(text);
    if (!c->words)
        return zw_out_of_memory(err, NULL);
    bool fresh = true;
    for (char *p = c->words; p && *p;) {
        char *next = strchr(p, ';');
        if (next)
            *next++ = '\0';
        p += strspn(p, " ");
        char *sign = strchr(p, '='), *value = sign ? sign + 1 : NULL;
        struct {
            const char *key;
            zw_option_list *list;
            const char **single;
        } known[] = {{"by", NULL, &c->o.by},           {"variant", NULL, &c->o.model.variant},
                     {"with", &c->o.model.with, NULL}, {"without", &c->o.model.without, NULL},
                     {"law", &c->o.model.law, NULL},   {"set", &c->o.model.set, NULL},
                     {"fit", &c->o.fit.fit, NULL},     {"prior", &c->o.fit.prior, NULL}};
        bool found = false;
        for (size_t i = 0; sign && i < sizeof known / sizeof *known && !found; i++) {
            size_t n = strlen(known[i].key);
            if ((size_t)(sign - p) != n || strncmp(p, known[i].key, n) != 0)
                continue;
            found = true;
            if (known[i].single)
                *known[i].single = value;
            else {
                if (known[i].list == &c->o.fit.fit && fresh) {
                    known[i].list->n = 0; /* replaces those of the first model */
                    fresh = false;
                }
                if (known[i].list->n == ZW_OPTION_LIST_MAX)
                    return zw_fail(err, ZW_E_OPTION, "--against %.100s: too many %s=", text,
                                   known[i].key);
                known[i].list->item[known[i].list->n++] = value;
            }
        }
        if (!found && sign) {
            zw_fail(err, ZW_E_OPTION, "--against %.100s: '%.60s' is no change of a model", text, p);
            zw_error_hint(err, "%s", how);
            return ZW_E_OPTION;
        }
        if (!found && *p)
            c->path = p;
        p = next;
    }
    return ZW_OK;
}

static zw_status compare_candidates(candidate *first, int n, candidate *other, zw_error *err) {
    const zw_fit *fit[AGAINST_MAX + 1] = {first->fit};
    const char *label[AGAINST_MAX + 1] = {"this model"};
    char *text;
    for (int i = 0; i < n; i++) {
        fit[i + 1] = other[i].fit;
        label[i + 1] = other[i].label;
    }
    ZW_TRY(zw_fit_choice(n + 1, fit, label, first->o.json, &text, err));
    return write_and_free(first, text, err);
}

static zw_status check_options(const cli_options *o, zw_error *err) {
    if (o->fit.against.n > 0 && o->fit.loss != ZW_FIT_SQUARES)
        return zw_fail(err, ZW_E_OPTION,
                       "--against: information criteria need a likelihood; use --loss squares");
    if (o->picture)
        ZW_TRY(zw_plot_check_path(o->picture, err));
    if (o->out)
        ZW_TRY(zw_table_can_write(o->out, err));
    return cli_guard_write(o, o->out, err);
}

/* the other models, parsed before the first of them is fitted */
static zw_status read_other_models(const cli_options *o, const char *path, candidate *c,
                                   zw_error *err) {
    for (int i = 0; i < o->fit.against.n; i++, c++) {
        c->o = *o;
        c->path = path;
        c->label = o->fit.against.item[i];
        ZW_TRY(change_candidate(c, c->label, err));
        ZW_TRY(cli_guard_read(o, c->path, err));
    }
    return ZW_OK;
}

static void close_candidate(candidate *c) {
    zw_fit_destroy(c->fit);
    cli_model_close(&c->model);
    free(c->words);
}

static int run_fit(const cli_options *o, const char *const *words, zw_error *err) {
    candidate *all = calloc(AGAINST_MAX + 1, sizeof *all);
    int ndata = o->nword - 1, n = o->fit.against.n;
    cli_signals watched;
    if (!all)
        return cli_exit_code(zw_out_of_memory(err, NULL));
    zw_status status =
        n <= AGAINST_MAX
            ? read_other_models(o, words[0], &all[1], err)
            : zw_fail(err, ZW_E_OPTION, "--against: at most %d other models", AGAINST_MAX);
    if (status >= 0)
        status = check_options(o, err);
    cli_signals_begin(&watched);
    for (int i = 0; i < ndata && status >= 0; i++)
        status = cli_guard_read(o, words[i + 1], err);
    all[0].o = *o;
    all[0].path = words[0];
    for (int i = 0; i <= n && status >= 0; i++) /* all of them before the first fit */
        status = prepare_candidate(&all[i], ndata, words + 1, err);
    if (status >= 0)
        status = fit_candidate(&all[0], !o->json || n == 0, err);
    zw_status more = status >= 0 ? write_files(&all[0], err) : ZW_OK;
    for (int i = 0; i < n && status == ZW_OK && more >= 0; i++)
        more = fit_candidate(&all[i + 1], false, err);
    if (status == ZW_OK && more == ZW_OK && n > 0)
        more = compare_candidates(&all[0], n, &all[1], err);
    if (more != ZW_OK)
        status = more;
    status = cli_judge(o, all[0].model.warnings, status, err);
    if (status == ZW_OK && n == 0 && !cli_interrupted() && all[0].fit &&
        !zw_fit_statistics(all[0].fit).trusted)
        status = zw_fail(err, ZW_E_NUMERIC,
                         "parameters that are not to be trusted, as told above; files are written");
    for (int i = 0; i <= n && i <= AGAINST_MAX; i++)
        close_candidate(&all[i]);
    free(all);
    cli_signals_end(&watched);
    return cli_exit_code(status);
}

static const cli_group groups[] = {
    {"options", table, 0},
    {"integration", zw_run_option_table, offsetof(cli_options, run)},
    {"messages and limits", cli_told_table, 0},
    {"model", cli_model_table, offsetof(cli_options, model)},
    {"picture", cli_draw_table, offsetof(cli_options, draw)},
    {0},
};

const cli_command cli_fit = {
    .name = "fit",
    .usage = "fit MODEL DATA... --fit NAMES [--noise NAME=SD] [--against MODEL] [--out FILE]",
    .about =
        "parameters and starts from measured motions: errors, what is not determined, which model",
    .details = "Data are CSV files with a column t and columns named as coordinates, velocities or "
               "observables of the model, with units in brackets: t[ms],beta[deg],sd(beta)[deg].\n"
               "Empty fields are gaps. Least squares on whole motions by multiple shooting; "
               "several files are several experiments.",
    .examples = "  zwang fit models/swing.zw models/data/swing.csv --fit \"l=0.3:1 [m]\" --fit c,q "
                "--picture swing.svg\n"
                "  zwang fit models/swing.zw models/data/swing.csv --fit l,c,q --against fit=l,c "
                "--against \"fit=l,q; set=c=0 [1/s]\"\n",
    .groups = groups,
    .arguments = 2,
    .arguments_max = CLI_WORDS_MAX,
    .endless = true,
    .run = run_fit,
};
