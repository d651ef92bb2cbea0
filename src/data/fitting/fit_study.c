/* SPDX-License-Identifier: MIT */
/* Identification as a study: the options, and other models of the same data. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/option.h"
#include "fit.h"
#include "num/options.h"
#include "zwang/study.h"

typedef struct fit_options {
    zw_fit_options own;
    zw_option_list fit, separate, prior, positive, column, use, noise, profile, against;
    int profile_points;
    zw_run_options run;
} fit_options;

#define AT(field) offsetof(fit_options, field)

static const zw_option common_table[] = {
    {"fit", ZW_OPT_LIST, AT(fit), 0, 0, 0, "", "NAMES",
     "free parameters, separated by commas; with bounds: \"k=1:100 [N/m]\" (positive bounds: the "
     "logarithm is fitted)"},
    {"start-free", ZW_OPT_STRING, AT(own.start_free), 0, 0, 0, "", "all|none|NAMES",
     "unknown start values (default all); the others are those of the model"},
    {"noise", ZW_OPT_LIST, AT(noise), 0, 0, 0, "", "NAME=SD",
     "standard deviation of a column: \"beta=0.5 [deg]\" (default: column sd(NAME), else "
     "estimated)"},
    {"column", ZW_OPT_LIST, AT(column), 0, 0, 0, "", "NAME=EXPRESSION",
     "data column in terms of the model: \"height=z - r\"; \"NAME=\": ignored"},
    {"prior", ZW_OPT_LIST, AT(prior), 0, 0, 0, "", "NAME=VALUE+-SD",
     "prior knowledge of a parameter: \"mu=0.3+-0.05\""},
    {"against", ZW_OPT_LIST, AT(against), 0, 0, 0, "", "MODEL|CHANGES",
     "other model of the same data: a file, or \"by=vakonomic; without=roll; variant=..; law=..; "
     "set=..; fit=..\""},
    {0},
};
static const zw_option rare_table[] = {
    {"own", ZW_OPT_LIST, AT(separate), 0, 0, 0, "", "NAMES",
     "free parameters with a separate value in each data file"},
    {"use", ZW_OPT_LIST, AT(use), 0, 0, 0, "", "NAMES",
     "columns to use, separated by commas (default all)"},
    {"loss", ZW_OPT_CHOICE, AT(own.loss), ZW_FIT_SQUARES, 0, 0, "", "squares|huber|soft-l1",
     "loss function of the residuals; huber and soft-l1 limit the effect of outliers"},
    {"multistart", ZW_OPT_INT, AT(own.multistart), 0, 0, 100000, "", NULL,
     "number of further fits from parameters drawn within their bounds"},
    {"profile", ZW_OPT_LIST, AT(profile), 0, 0, 0, "", "NAMES",
     "parameters with a likelihood-ratio interval, which need not be symmetric"},
    {"positive", ZW_OPT_LIST, AT(positive), 0, 0, 0, "", "NAMES",
     "parameters without bounds whose logarithm is fitted"},
    {"start", ZW_OPT_DOUBLE, AT(own.start), NAN, -1e12, 1e12, "s", NULL,
     "time of the start (default: the first time of each file)"},
    {"loss-scale", ZW_OPT_DOUBLE, AT(own.loss_scale), 1.345, 1e-3, 1e3, "", NULL,
     "residual beyond which the loss grows more slowly, in standard deviations"},
    {"nodes", ZW_OPT_INT, AT(own.nodes), 0, 0, 10000, "", NULL,
     "number of shooting segments of each motion; 0: chosen"},
    {"steps", ZW_OPT_INT, AT(own.iterations), 60, 1, 100000, "", NULL,
     "maximum number of steps to a minimum"},
    {"tolerance", ZW_OPT_DOUBLE, AT(own.tolerance), 1e-3, 1e-9, 1, "", NULL,
     "size of the last step, in standard errors"},
    {"seed", ZW_OPT_LONG, AT(own.seed), 1, 0, 9e15, "", NULL, "seed of --multistart"},
    {"profile-points", ZW_OPT_INT, AT(profile_points), 13, 5, 1001, "", NULL,
     "number of values of each parameter of --profile"},
    {"contacts", ZW_OPT_CHOICE, AT(own.contacts), ZW_SIM_CONTACTS_CHOSEN, 0, 0, "",
     "auto|moreau|events",
     "contact scheme: from event to event; time stepping (moreau) has no derivatives and is an "
     "error"},
    {"by", ZW_OPT_STRING, AT(own.principle), 0, 0, 0, "", "PRINCIPLE",
     "principle for the equations of motion (default lagrange)"},
    {0},
};

static const zw_option_group groups[] = {
    {"options", common_table, 0, false},
    {"more options", rare_table, 0, true},
    {"integration", zw_run_option_table, AT(run), true},
    {NULL, NULL, 0, false},
};

enum { AGAINST_MAX = 16 };

/* a model with its fit */
typedef struct candidate {
    const char *label;
    zw_context *ctx; /* of another model; NULL: that of the study */
    const zw_system *sys;
    zw_model_source source;
    zw_model_options read; /* how another model is read */
    const char *path;      /* of its file; NULL: the same text */
    const char *principle;
    zw_option_list with, without, law, set, fit, prior; /* changes; fit and prior: all */
    zw_fit *fitted;
    zw_warnings *warnings;
} candidate;

typedef struct fit_study {
    zw_arena arena;
    const fit_options *o;
    int n; /* candidates; the first is the model of the study */
    candidate *candidate;
    bool is_fitted, is_compared;
} fit_study;

static void begin_options(void *options) {
    fit_options *o = options;
    o->own = zw_fit_options_default();
    o->run = zw_run_options_default();
}

/* ----------------------------------------------------------------------------------- one model */

/* the entries of "a, b" given once or several times */
static const char *const *split_names(fit_study *s, const zw_option_list *list, int *n) {
    zw_list_place place = {0};
    const char *text, **name = NULL;
    size_t length;
    int capacity = 0;
    for (*n = 0; zw_option_list_next(list, &place, &text, &length); ++*n) {
        if (!zw_arena_grow(&s->arena, (void **)&name, *n, &capacity, sizeof *name))
            return NULL;
        name[*n] = zw_arena_copy(&s->arena, text, length);
    }
    return name;
}

static zw_status open_fit(fit_study *s, candidate *c, const zw_study_input *input, zw_error *err) {
    const fit_options *o = s->o;
    zw_fit_options options = o->own;
    zw_fit_data *data = ZW_NEW(&s->arena, zw_fit_data, input->nfile + 1);
    options.fit = split_names(s, &c->fit, &options.nfit);
    options.own = split_names(s, &o->separate, &options.nown);
    options.logs = split_names(s, &o->positive, &options.nlog);
    options.use = split_names(s, &o->use, &options.nuse);
    ZW_TRY(zw_arena_status(&s->arena, err));
    options.nprior = c->prior.n;
    options.prior = c->prior.item;
    options.ncolumn = o->column.n;
    options.column = o->column.item;
    options.nnoise = o->noise.n;
    options.noise = o->noise.item;
    options.principle = c->principle;
    options.run = &o->run;
    options.stop = input->stop;
    options.stop_user = input->user;
    for (int i = 0; i < input->nfile; i++)
        data[i] = (zw_fit_data){.name = input->file[i]};
    return zw_fit_create(&c->fitted, c->sys, &c->source, input->nfile, data, &options, err);
}

static void close_candidate(candidate *c) {
    zw_fit_destroy(c->fitted);
    zw_warnings_destroy(c->warnings);
    zw_context_destroy(c->ctx);
}

/* -------------------------------------------------------------------------------- other models */

/* "fit=nu" as a change of the model; *fresh: the fit of the first model is not replaced yet */
static zw_status take_change(candidate *c, const char *piece, size_t key, const char *value,
                             bool *fresh, zw_error *err) {
    struct {
        const char *key;
        zw_option_list *list;
        const char **single;
    } known[] = {{"by", NULL, &c->principle}, {"variant", NULL, &c->read.variant},
                 {"with", &c->with, NULL},    {"without", &c->without, NULL},
                 {"law", &c->law, NULL},      {"set", &c->set, NULL},
                 {"fit", &c->fit, NULL},      {"prior", &c->prior, NULL}};
    for (size_t i = 0; i < sizeof known / sizeof *known; i++) {
        zw_option_list *list = known[i].list;
        if (strlen(known[i].key) != key || strncmp(piece, known[i].key, key) != 0)
            continue;
        if (!list) {
            *known[i].single = value;
            return ZW_OK;
        }
        if (list == &c->fit && *fresh)
            list->n = 0;
        *fresh = *fresh && list != &c->fit;
        if (list->n == ZW_OPTION_LIST_MAX)
            return zw_fail(err, ZW_E_OPTION, "--against %.100s: too many %s=", c->label,
                           known[i].key);
        list->item[list->n++] = value;
        return ZW_OK;
    }
    zw_fail(err, ZW_E_OPTION, "--against %.100s: '%.60s' is no change of a model", c->label, piece);
    zw_error_hint(err, "a file, or by=, variant=, with=, without=, law=, set=, fit=, prior=, "
                       "separated by semicolons");
    return ZW_E_OPTION;
}

/* "by=vakonomic; fit=nu"; a word without "=" is the file of another model */
static zw_status read_changes(fit_study *s, candidate *c, zw_error *err) {
    bool fresh = true;
    for (const char *p = c->label; *p;) {
        p += strspn(p, " ");
        size_t length = strcspn(p, ";");
        const char *piece = zw_arena_copy(&s->arena, p, length);
        const char *sign = piece ? strchr(piece, '=') : NULL;
        ZW_TRY(zw_arena_status(&s->arena, err));
        if (sign)
            ZW_TRY(take_change(c, piece, (size_t)(sign - piece), sign + 1, &fresh, err));
        else if (*piece)
            c->path = piece;
        p += length + (p[length] == ';');
    }
    return ZW_OK;
}

/* the words of the first model, then more */
static const char *const *join_words(fit_study *s, int *n, const char *const *first, int nmore,
                                     const char *const *more) {
    const char **all = ZW_NEW(&s->arena, const char *, *n + nmore + 1);
    for (int i = 0; i < *n && all; i++)
        all[i] = first[i];
    for (int i = 0; i < nmore && all && more; i++)
        all[*n + i] = more[i];
    *n += nmore;
    return all;
}

/* the options of the first model with the changes */
static zw_status change_reading(fit_study *s, candidate *c, zw_error *err) {
    zw_model_options *r = &c->read;
    int n;
    const char *const *names = split_names(s, &c->with, &n);
    r->with = join_words(s, &r->nwith, r->with, n, names);
    names = split_names(s, &c->without, &n);
    r->without = join_words(s, &r->nwithout, r->without, n, names);
    r->set = join_words(s, &r->nset, r->set, c->set.n, c->set.item);
    r->law = join_words(s, &r->nlaw, r->law, c->law.n, c->law.item);
    return zw_arena_status(&s->arena, err);
}

static zw_status read_other(fit_study *s, candidate *c, const zw_model_source *first,
                            zw_error *err) {
    zw_system *sys;
    c->read = first->options ? *first->options : (zw_model_options){.size = sizeof c->read};
    ZW_TRY(read_changes(s, c, err));
    ZW_TRY(change_reading(s, c, err));
    c->ctx = zw_context_create(NULL);
    if (!c->ctx)
        return zw_out_of_memory(err, NULL);
    c->source = *first;
    c->source.options = &c->read;
    if (c->path)
        ZW_TRY(zw_model_load(&c->source, c->ctx, c->path, &c->read, err));
    ZW_TRY(zw_model_parse(&sys, c->ctx, c->source.text, c->source.length, c->source.file, &c->read,
                          err));
    c->sys = sys;
    double *p = zw_context_alloc(c->ctx, (size_t)(sys->np + 1) * sizeof *p);
    if (p && zw_system_param_values(sys, p, NULL) >= 0)
        zw_system_warnings(sys, p, c->warnings, NULL);
    return zw_context_status(c->ctx, err);
}

/* --------------------------------------------------------------------------------------- create */

static void destroy_study(void *study) {
    fit_study *s = study;
    for (int i = 0; s && s->candidate && i < s->n; i++)
        close_candidate(&s->candidate[i]);
    if (s)
        zw_arena_clear(&s->arena);
    free(s);
}

static zw_status check_options(const fit_options *o, const zw_study_input *input, zw_error *err) {
    if (input->nfile == 0) {
        zw_fail(err, ZW_E_OPTION, "fit: there are no data");
        zw_error_hint(err, "zwang fit MODEL DATA.csv --fit NAMES");
        return ZW_E_OPTION;
    }
    if (o->against.n > AGAINST_MAX)
        return zw_fail(err, ZW_E_OPTION, "--against: at most %d other models", AGAINST_MAX);
    if (o->against.n > 0 && !input->source)
        return zw_fail(err, ZW_E_OPTION, "--against: the text of the model is not known");
    if (o->against.n > 0 && o->own.loss != ZW_FIT_SQUARES)
        return zw_fail(err, ZW_E_OPTION,
                       "--against: information criteria need a likelihood; use --loss squares");
    return ZW_OK;
}

/* all models are read before the first fit */
static zw_status open_candidates(fit_study *s, const zw_study_input *input, zw_error *err) {
    for (int i = 0; i < s->n; i++) {
        candidate *c = &s->candidate[i];
        c->label = i == 0 ? "this model" : s->o->against.item[i - 1];
        c->principle = s->o->own.principle;
        c->fit = s->o->fit;
        c->prior = s->o->prior;
        c->sys = input->system;
        if (input->source)
            c->source = *input->source;
        if (!(c->warnings = zw_warnings_create(NULL)))
            return zw_out_of_memory(err, NULL);
        if (i > 0)
            ZW_TRY(read_other(s, c, input->source, err));
    }
    for (int i = 0; i < s->n; i++)
        ZW_TRY(open_fit(s, &s->candidate[i], input, err));
    return ZW_OK;
}

static zw_status create_study(void **out, const zw_study_input *input, void *given, zw_error *err) {
    const fit_options *o = given;
    *out = NULL;
    ZW_TRY(check_options(o, input, err));
    fit_study *s = calloc(1, sizeof *s);
    if (!s)
        return zw_out_of_memory(err, NULL);
    zw_arena_init(&s->arena, NULL);
    s->o = o;
    s->n = 1 + o->against.n;
    s->candidate = ZW_NEW(&s->arena, candidate, s->n);
    zw_status status = zw_arena_status(&s->arena, err);
    if (status >= 0)
        status = open_candidates(s, input, err);
    if (status < 0)
        destroy_study(s);
    else
        *out = s;
    return status;
}

/* ----------------------------------------------------------------------------------------- work */

static zw_status find_profiles(fit_study *s, zw_error *err) {
    const zw_fit_profile *p;
    int n;
    const char *const *name = split_names(s, &s->o->profile, &n);
    ZW_TRY(zw_arena_status(&s->arena, err));
    for (int i = 0; i < n; i++)
        ZW_TRY(zw_fit_profile_find(s->candidate[0].fitted, name[i], s->o->profile_points, &p, err));
    return ZW_OK;
}

/* the fits in the order of the candidates */
static const zw_fit **list_fits(fit_study *s) {
    const zw_fit **fit = ZW_NEW(&s->arena, const zw_fit *, s->n);
    for (int i = 0; i < s->n && fit; i++)
        fit[i] = s->candidate[i].fitted;
    return fit;
}

static zw_status fit_others(fit_study *s, zw_error *err) {
    for (int i = 1; i < s->n; i++) {
        zw_status status = zw_fit_run(s->candidate[i].fitted, err);
        if (status != ZW_OK)
            return status;
        zw_fit_warnings(s->candidate[i].fitted, s->candidate[i].warnings);
    }
    const zw_fit **fit = list_fits(s);
    ZW_TRY(zw_arena_status(&s->arena, err));
    ZW_TRY(zw_fit_check_same_data(s->n, fit, err));
    s->is_compared = true;
    return ZW_OK;
}

static zw_status run_study(void *study, const zw_study_input *input, zw_error *err) {
    fit_study *s = study;
    const zw_fit *first = s->candidate[0].fitted;
    (void)input;
    zw_status status = zw_fit_run(s->candidate[0].fitted, err);
    if (status == ZW_OK)
        status = find_profiles(s, err);
    ZW_TRY(status);
    s->is_fitted = true;
    if (status == ZW_OK && s->n > 1)
        return fit_others(s, err);
    if (status == ZW_OK && !zw_fit_statistics(first).trusted)
        return zw_fail(err, ZW_E_NUMERIC,
                       "the parameters are not to be trusted, see the report; its files are "
                       "written");
    return status;
}

static bool has_results(const void *study, zw_status status) {
    (void)status;
    return ((const fit_study *)study)->is_fitted;
}

static void report_study(const void *study, zw_report *out) {
    const fit_study *s = study;
    const zw_fit *fit[AGAINST_MAX + 1];
    const char *label[AGAINST_MAX + 1];
    const zw_warnings *warnings[AGAINST_MAX + 1];
    zw_fit_report(s->candidate[0].fitted, out);
    for (int i = 0; i < s->n; i++) {
        fit[i] = s->candidate[i].fitted;
        label[i] = s->candidate[i].label;
        warnings[i] = s->candidate[i].warnings;
    }
    if (s->is_compared)
        zw_fit_report_comparison(s->n, fit, label, warnings, out);
}

static void list_warnings(const void *study, zw_warnings *out) {
    zw_fit_warnings(((const fit_study *)study)->candidate[0].fitted, out);
}

static zw_status make_table(void *study, const zw_study_input *input, const char *which,
                            zw_table **out, zw_error *err) {
    fit_study *s = study;
    (void)which;
    return zw_fit_table(s->candidate[0].fitted, input->source, out, err);
}

static const zw_study_output outputs[] = {
    {.key = "out", .about = "fitted motions, with data and residuals"},
    {.key = NULL},
};

const zw_study_kind zw_study_fit = {
    .name = "fit",
    .question = "What does the experiment say?",
    .about = "parameters and starts from measured motions; comparison of models",
    .usage = "fit MODEL DATA... --fit NAMES [--noise NAME=SD] [--against MODEL]\n"
             "           [--out FILE]",
    .details =
        "Data are CSV files with a column t and columns named after coordinates, velocities or "
        "observables of the model, with units in brackets: t[ms],beta[deg],sd(beta)[deg]. Empty "
        "fields are gaps. Whole motions are fitted by least squares with multiple shooting; "
        "several files are several experiments. Parameters have standard errors, and those that "
        "the data do not determine are reported.",
    .examples = "  zwang fit models/swing.zw models/data/swing.csv --fit \"l=0.3:1 [m]\" --fit c,q "
                "--picture swing.svg\n"
                "  zwang fit models/swing.zw models/data/swing.csv --fit l,c,q --against fit=l,c "
                "--against \"fit=l,q; set=c=0 [1/s]\"\n",
    .call = "fit swing models/data/swing.csv --fit l,c,q",
    .printed = "swing: 3 parameters from 272 numbers of 1 experiment, lagrange\n"
               "  Minimum reached in 9 steps; 10 parts of the motion.\n"
               "  Parameters, with their standard errors:\n"
               "    l      0.62015 +- 0.00015 m\n"
               "    c      0.0148 +- 0.0075 1/s\n"
               "    q      0.0572 +- 0.0037\n"
               "  Correlations: l, c: -0.336; l, q: 0.357; c, q: -0.995.\n"
               "  Start of models/data/swing.csv, at t = 0 s:\n"
               "...\n",
    .groups = groups,
    .size = sizeof(fit_options),
    .begin = begin_options,
    .arguments_max = ZW_OPTION_LIST_MAX,
    .endless = true,
    .outputs = outputs,
    .create = create_study,
    .work = run_study,
    .has_results = has_results,
    .report = report_study,
    .warnings = list_warnings,
    .table = make_table,
    .destroy = destroy_study,
};
