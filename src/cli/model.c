/* SPDX-License-Identifier: MIT */
/* Reads the model of a command. */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/arena.h"
#include "cli.h"
#include "num/options.h"
#include "sim/options.h"

#define AT(field) offsetof(cli_model_options, field)

const zw_option cli_model_table[] = {
    {"set", ZW_OPT_LIST, AT(set), 0, 0, 0, "", "NAME=VALUE",
     "parameter or start value to override; its unit in brackets or after the number"},
    {"variant", ZW_OPT_STRING, AT(variant), 0, 0, 0, "", "VARIANT",
     "variant that the model declares"},
    {"with", ZW_OPT_LIST, AT(with), 0, 0, 0, "", "CONSTRAINTS",
     "constraints to switch on, separated by commas"},
    {"without", ZW_OPT_LIST, AT(without), 0, 0, 0, "", "CONSTRAINTS",
     "constraints to switch off, separated by commas"},
    {"law", ZW_OPT_LIST, AT(law), 0, 0, 0, "", "CONTACT=LAW",
     "law of a contact that replaces that of the model: \"floor=newton(e) + coulomb(mu)\""},
    {"bilateral", ZW_OPT_LIST, AT(bilateral), 0, 0, 0, "", "CONTACTS",
     "contacts that never open, separated by commas"},
    {"unilateral", ZW_OPT_LIST, AT(unilateral), 0, 0, 0, "", "CONTACTS",
     "contacts that may open, separated by commas"},
    {0},
};

enum { FILE_MAX = 64 << 20, FAULTS_SHOWN = 20, SETTING_MAX = 256, NAMES_MAX = 256 };

/* Splits "a, b", which may be given several times, into names without blanks around them, copied
 * into the context. */
static zw_status split_names(zw_context *ctx, const zw_option_list *list, const char **names,
                             int *n, zw_error *err) {
    zw_list_place place = {0};
    const char *text;
    size_t length;
    for (*n = 0; zw_option_list_next(list, &place, &text, &length); ++*n) {
        if (*n == NAMES_MAX)
            return zw_fail(err, ZW_E_OPTION, "more than %d names", NAMES_MAX);
        char *name = zw_context_alloc(ctx, length + 1);
        if (!name)
            return zw_context_status(ctx, err);
        memcpy(name, text, length);
        names[*n] = name;
    }
    return ZW_OK;
}

/* The next name of "a=1, b = 2" after *at, without blanks: the text up to an equals sign outside
 * parentheses and brackets, after a comma if there is one. */
static bool next_name(const char **at, char *name, size_t size) {
    size_t n = 0;
    int depth = 0;
    for (const char *p = *at; *p; p++) {
        if (depth == 0 && *p == '=') {
            *at = p + 1;
            return true;
        }
        depth += (*p == '(' || *p == '[') - (*p == ')' || *p == ']');
        if (depth == 0 && *p == ',')
            n = 0;
        else if (*p != ' ' && *p != '\t' && n + 1 < size)
            name[n++] = *p;
        name[n] = '\0';
    }
    return false;
}

/* true if the name occurs before `end`, the place of its value */
static bool is_set_before(const zw_option_list *list, const char *name, const char *end) {
    char other[SETTING_MAX] = "";
    for (int i = 0; i < list->n; i++)
        for (const char *at = list->item[i]; next_name(&at, other, sizeof other);) {
            if (at == end)
                return false;
            if (strcmp(name, other) == 0)
                return true;
        }
    return false;
}

zw_status cli_check_settings(const cli_options *o, zw_error *err) {
    const zw_option_list *set = &o->model.set;
    char name[SETTING_MAX] = "";
    for (int i = 0; i < set->n; i++)
        for (const char *at = set->item[i]; next_name(&at, name, sizeof name);)
            if (is_set_before(set, name, at))
                return zw_fail(err, ZW_E_OPTION, "--set: %s is given twice, but takes one value",
                               name);
    return ZW_OK;
}

static zw_status read_text(cli_model *m, const char *path, zw_error *err) {
    FILE *f = strcmp(path, "-") == 0 ? stdin : fopen(path, "rb");
    if (!f) {
        zw_fail(err, ZW_E_FILE, "%s cannot be read: %s", path, strerror(errno));
        return ZW_E_FILE;
    }
    size_t capacity = 0;
    zw_status status = ZW_OK;
    for (;;) {
        if (m->length == capacity) {
            capacity = capacity ? 2 * capacity : 1 << 16;
            char *wider = capacity <= FILE_MAX ? realloc(m->text, capacity) : NULL;
            if (!wider) {
                status = capacity <= FILE_MAX
                             ? zw_out_of_memory(err, NULL)
                             : zw_fail(err, ZW_E_FILE, "%s is too large for a model", path);
                break;
            }
            m->text = wider;
        }
        size_t got = fread(m->text + m->length, 1, capacity - m->length, f);
        m->length += got;
        if (got == 0)
            break;
    }
    if (status == ZW_OK && ferror(f))
        status = zw_fail(err, ZW_E_FILE, "%s cannot be read: %s", path, strerror(errno));
    if (f != stdin)
        fclose(f);
    return status;
}

/* appends "floor=bilateral" for each of the names to the laws */
static zw_status add_sides(cli_model *m, const zw_option_list *list, const char *sides,
                           const char **law, zw_error *err) {
    const char *names[NAMES_MAX];
    int n;
    ZW_TRY(split_names(m->ctx, list, names, &n, err));
    for (int i = 0; i < n; i++) {
        size_t size = strlen(names[i]) + strlen(sides) + 2;
        char *text = zw_context_alloc(m->ctx, size);
        if (!text)
            return zw_context_status(m->ctx, err);
        snprintf(text, size, "%s=%s", names[i], sides);
        for (int k = 0; k < m->options.nlaw; k++)
            if (strcmp(law[k], text) != 0 && strncmp(law[k], text, strlen(names[i]) + 1) == 0 &&
                strstr(law[k], "lateral"))
                return zw_fail(err, ZW_E_OPTION, "'%s' is made both bilateral and unilateral",
                               names[i]);
        law[m->options.nlaw++] = text;
    }
    return ZW_OK;
}

static zw_status read_laws(cli_model *m, const cli_options *o, zw_error *err) {
    const cli_model_options *model = &o->model;
    const char **law = zw_context_alloc(m->ctx, (ZW_OPTION_LIST_MAX + 2 * NAMES_MAX) * sizeof *law);
    if (!law)
        return zw_context_status(m->ctx, err);
    m->options.law = law;
    ZW_TRY(add_sides(m, &model->bilateral, "bilateral", law, err));
    ZW_TRY(add_sides(m, &model->unilateral, "unilateral", law, err));
    for (int i = 0; i < model->law.n; i++)
        law[m->options.nlaw++] = model->law.item[i];
    return ZW_OK;
}

zw_status cli_model_begin(cli_model *m, const cli_options *o, zw_error *err) {
    *m = (cli_model){.ctx = zw_context_create(NULL)};
    if (!m->ctx)
        return zw_out_of_memory(err, NULL);
    const char **with = zw_context_alloc(m->ctx, NAMES_MAX * sizeof *with);
    const char **without = zw_context_alloc(m->ctx, NAMES_MAX * sizeof *without);
    const char **set = zw_context_alloc(m->ctx, sizeof o->model.set.item);
    if (!with || !without || !set)
        return zw_context_status(m->ctx, err);
    /* results need it in their notes, after the options are gone */
    memcpy(set, o->model.set.item, sizeof o->model.set.item);
    m->options = (zw_model_options){.size = sizeof m->options,
                                    .variant = o->model.variant,
                                    .nset = o->model.set.n,
                                    .set = set,
                                    .with = with,
                                    .without = without,
                                    .steady = o->model.steady,
                                    .constants = o->model.constants,
                                    .bodies = o->model.bodies,
                                    .fault = cli_fault,
                                    .fault_user = o->faults};
    ZW_TRY(read_laws(m, o, err));
    ZW_TRY(split_names(m->ctx, &o->model.with, with, &m->options.nwith, err));
    return split_names(m->ctx, &o->model.without, without, &m->options.nwithout, err);
}

void cli_fault(void *user, const zw_error *fault) {
    cli_faults *f = user;
    char message[2048];
    if (++f->n == 1 || f->n > FAULTS_SHOWN)
        return;
    zw_error_format(fault, message, sizeof message);
    zw_text_printf(&f->rest, "%s\n", message);
}

void cli_faults_print(cli_faults *f) {
    fputs(zw_text_get(&f->rest), stderr);
    if (f->n > FAULTS_SHOWN)
        fprintf(stderr, "and %d more\n", f->n - FAULTS_SHOWN);
    zw_text_clear(&f->rest);
}

/* Parameters without a value are an error where the values are needed. */
static zw_status find_warnings(cli_model *m, zw_error *err) {
    m->warnings = zw_warnings_create(NULL);
    double *p = zw_context_alloc(m->ctx, (size_t)(m->sys->np + 1) * sizeof *p);
    if (!m->warnings || !p)
        return zw_out_of_memory(err, NULL);
    if (zw_system_param_values(m->sys, p, NULL) >= 0)
        zw_system_warnings(m->sys, p, m->warnings, NULL);
    return ZW_OK;
}

static zw_status parse_model(cli_model *m, const char *path, zw_error *err) {
    ZW_TRY(
        zw_model_parse(&m->sys, m->ctx, m->text ? m->text : "", m->length, path, &m->options, err));
    return find_warnings(m, err);
}

bool cli_is_given(const cli_options *o, const char *key) {
    size_t n = strlen(key);
    for (int i = 1; i < o->argc && strcmp(o->argv[i], "--") != 0; i++) {
        const char *word = o->argv[i];
        if (strncmp(word, "--", 2) == 0 && strncmp(word + 2, key, n) == 0 &&
            (word[2 + n] == '\0' || word[2 + n] == '='))
            return true;
    }
    return false;
}

static bool any_given(const cli_options *o, const zw_option *table, const char **key) {
    for (const zw_option *row = table; row->key; row++)
        if (cli_is_given(o, row->key)) {
            *key = row->key;
            return true;
        }
    return false;
}

/* options of the run of a model, those that plot and view add to their own */
static bool any_of_run(const cli_options *o, bool again, const char **key) {
    const zw_study_kind *run = o->command->study;
    for (const zw_option_group *g = run ? run->groups : NULL; g && g->table; g++)
        for (const zw_option *row = g->table; row->key; row++)
            if (cli_is_given(o, row->key) && !(again && strcmp(row->key, "until") == 0)) {
                *key = row->key;
                return true;
            }
    return any_given(o, cli_model_table, key);
}

static zw_status result_only(const cli_options *o, const char *path, bool again, zw_error *err) {
    const char *key;
    if (!any_of_run(o, again, &key))
        return ZW_OK;
    zw_fail(err, ZW_E_OPTION, "--%s: %s is a result, which cannot be changed any more", key, path);
    zw_error_hint(err, "give such options with a model, or continue the run: zwang run %s", path);
    return ZW_E_OPTION;
}

zw_status cli_result_only(const cli_options *o, const char *path, zw_error *err) {
    return result_only(o, path, false, err);
}

zw_status cli_motions_only(const cli_options *o, const char *path, zw_error *err) {
    return result_only(o, path, true, err);
}

bool cli_is_result(const char *path) {
    static const char *const ending[] = {".csv", ".json", ".h5", ".hdf5"};
    for (size_t i = 0, n = strlen(path); i < sizeof ending / sizeof *ending; i++) {
        size_t length = strlen(ending[i]);
        if (n > length && strcmp(path + n - length, ending[i]) == 0)
            return true;
    }
    return false;
}

zw_model_source cli_model_source(const cli_model *m, const char *path) {
    return (zw_model_source){
        .text = m->text ? m->text : "", .length = m->length, .file = path, .options = &m->options};
}

/* True if a motion can have active constraints: those of the model, of contacts that close, of unit
 * quaternions, of a variant that an event chooses. */
static bool may_be_constrained(const zw_system *sys) {
    bool any = sys->nconstraint > 0 || sys->ncontact > 0;
    for (int i = 0; i < sys->nframe; i++)
        any |= sys->frame[i].quaternion >= 0;
    for (int i = 0; i < sys->nevent; i++)
        for (int k = 0; k < sys->event[i].naction; k++)
            any |= sys->event[i].action[k].kind == ZW_ACTION_VARIANT;
    return any;
}

/* Studies of a single motion, or of all motions near one, have no answer with noise. */
static zw_status reject_noise(const cli_command *command, const zw_system *sys, zw_error *err) {
    if (command->random || !zw_system_is_random(sys))
        return ZW_OK;
    int i = 0;
    while (!sys->signal[i].noise)
        i++;
    zw_fail_at(err, ZW_E_MODEL, sys->signal[i].place, "zwang %s is for models without noise",
               command->name);
    zw_error_hint(
        err, "--set NAME=0 leaves a noise out; zwang run follows one of its paths, zwang sweep "
             "--samples N many");
    return ZW_E_MODEL;
}

zw_status cli_check_meaning(const cli_options *o, const zw_system *sys, zw_error *err) {
    static const zw_option of_constraints[] = {{.key = "constraints"}, {0}};
    const char *key;
    for (const cli_group *g = o->command ? o->command->groups : NULL; g && g->table; g++) {
        if (g->table == zw_sim_contact_table && sys->ncontact == 0 && any_given(o, g->table, &key))
            return zw_fail(err, ZW_E_OPTION, "--%s is for contacts, and the model has none", key);
        if (g->table == zw_run_option_table && !may_be_constrained(sys) &&
            any_given(o, of_constraints, &key))
            return zw_fail(err, ZW_E_OPTION, "--%s: the model has no constraints", key);
        if (g->table == zw_sim_noise_table && !zw_system_is_random(sys) &&
            any_given(o, g->table, &key))
            return zw_fail(err, ZW_E_OPTION, "--%s is for noise, and the model has none", key);
    }
    return o->command ? reject_noise(o->command, sys, err) : ZW_OK;
}

zw_status cli_model_open(cli_model *m, const char *path, const cli_options *o, zw_error *err) {
    ZW_TRY(cli_model_begin(m, o, err));
    if (cli_is_result(path)) {
        zw_fail(err, ZW_E_OPTION, "'%s' is a result, a model is needed here", path);
        zw_error_hint(err, "zwang plot and zwang view take results, zwang run %s continues it",
                      path);
        return ZW_E_OPTION;
    }
    ZW_TRY(read_text(m, path, err));
    ZW_TRY(parse_model(m, path, err));
    ZW_TRY(cli_check_meaning(o, m->sys, err));
    return cli_guard_read_tables(o, m->sys, err);
}

zw_status cli_model_again(cli_model *m, const char *path, const cli_options *o, zw_error *err) {
    char *text = m->text;
    size_t length = m->length;
    m->text = NULL;
    cli_model_close(m);
    zw_status status = cli_model_begin(m, o, err);
    m->text = text;
    m->length = length;
    return status < 0 ? status : parse_model(m, path, err);
}

zw_status cli_model_of_result(cli_model *m, const zw_table *result, const char *set,
                              const cli_options *o, zw_error *err) {
    const char *text = zw_table_get_note(result, "text"), *file = zw_table_get_note(result, "file");
    ZW_TRY(cli_model_begin(m, o, err));
    if (!text)
        return zw_fail(err, ZW_E_FILE, "the result does not hold the text of its model");
    zw_model_options more = m->options;
    m->given = more;
    const char **sets = zw_context_alloc(m->ctx, (size_t)(more.nset + 1) * sizeof *sets);
    m->length = strlen(text);
    m->text = malloc(m->length + 1);
    if (!sets || !m->text)
        return zw_out_of_memory(err, NULL);
    memcpy(m->text, text, m->length + 1);
    for (int i = 0; i < more.nset; i++)
        sets[i] = more.set[i];
    if (set)
        sets[more.nset++] = set;
    more.set = sets;
    ZW_TRY(zw_result_model_options(m->ctx, result, &more, &m->options, err));
    ZW_TRY(parse_model(m, file && *file ? file : "the model of the file", err));
    return cli_guard_read_tables(o, m->sys, err);
}

void cli_model_close(cli_model *m) {
    zw_warnings_destroy(m->warnings);
    zw_context_destroy(m->ctx);
    free(m->text);
    *m = (cli_model){0};
}
