/* SPDX-License-Identifier: MIT */
/* A study as a verb: its options are groups of the command line, its report goes to standard output
 * as text or JSON, its tables into files and pictures. What all verbs have (model, time limit,
 * warnings, pictures) is added here. */
#include "study.h"

#include <assert.h>
#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "base/arena.h"
#include "job.h"
#include "launcher.h"
#include "picture.h"
#include "progress.h"

#define AT(field) offsetof(cli_options, field)

enum { STUDIES = 64, GROUPS = 16, ROWS = 12, COMMANDS = 96 };

typedef struct study_verb {
    cli_command command;
    cli_group group[GROUPS];
    zw_option result[ROWS]; /* --out, --json, --picture and further tables */
} study_verb;

static study_verb verbs[STUDIES];
const cli_command *cli_commands[COMMANDS];

/* ------------------------------------------------------------------------------------- the work */

/* --json, or the notation json of an option --format */
static bool wants_json(const cli_options *o) {
    for (const zw_option_group *g = o->command->study->groups; g->table; g++) {
        const zw_option *row = zw_options_find(g->table, "format", strlen("format"));
        zw_text chosen;
        zw_text_init(&chosen, NULL);
        if (row)
            zw_options_print(row, (const char *)o->study + g->offset, &chosen);
        bool json = strcmp(zw_text_get(&chosen), "json") == 0;
        zw_text_clear(&chosen);
        if (json)
            return true;
    }
    return o->json;
}

/* To standard output; if a text stands there in place of it, its words go to standard error, or
 * nowhere. */
static zw_status write_report(const cli_options *o, const zw_report *report, bool as_note,
                              zw_error *err) {
    zw_bytes bytes;
    if (!report)
        return zw_out_of_memory(err, "a report");
    ZW_TRY(wants_json(o) ? zw_report_json(report, &bytes, err)
                         : zw_report_text(report, &bytes, err));
    zw_status status = ZW_OK;
    zw_text_tame(bytes.data); /* names and titles come from outside */
    if (as_note)
        fputs(bytes.data, stderr);
    else
        status = cli_write_text(NULL, bytes.data, err);
    zw_bytes_clear(&bytes);
    return status;
}

/* the file of an output; NULL: none */
static const char *path_of(const cli_options *o, int i) {
    return i == 0 ? o->out : o->output[i];
}

/* is it standard output? */
static bool is_direct(const char *path) {
    return !path || strcmp(path, "-") == 0;
}

/* ------------------------------------------------------------------------------------- folders */

/* a path that ends so is a folder, for outputs with a file for each part */
static bool is_folder(const cli_options *o, const char *path) {
    return o->command->study->part && path && path[0] && path[strlen(path) - 1] == '/';
}

static zw_status make_folder(const char *path, zw_error *err) {
    struct stat there;
    if (mkdir(path, 0777) == 0 || (stat(path, &there) == 0 && S_ISDIR(there.st_mode)))
        return ZW_OK;
    return zw_fail(err, ZW_E_FILE, "cannot make the folder %s: %s", path, strerror(errno));
}

static zw_status give_part(const cli_options *o, zw_study *study, const char *folder,
                           const char *name, zw_error *err) {
    zw_allocator alloc = zw_allocator_default();
    zw_bytes bytes;
    zw_text path;
    ZW_TRY(zw_study_text(study, name, &bytes, err));
    zw_text_init(&path, &alloc);
    zw_text_printf(&path, "%s%s", folder, name);
    zw_status status =
        path.failed ? zw_out_of_memory(err, NULL) : cli_guard_write(o, zw_text_get(&path), err);
    if (status >= 0)
        status = cli_write_text(zw_text_get(&path), bytes.data, err);
    zw_text_clear(&path);
    zw_bytes_clear(&bytes);
    return status;
}

static zw_status give_folder(const cli_options *o, zw_study *study, const char *key,
                             const char *folder, zw_error *err) {
    const char *name;
    ZW_TRY(make_folder(folder, err));
    for (int i = 0; (name = zw_study_part(study, key, i)); i++)
        ZW_TRY(give_part(o, study, folder, name, err));
    return ZW_OK;
}

/* ------------------------------------------------------------------------------------- outputs */

/* a text goes to its file, or to standard output if it is shown there */
static zw_status give_text(zw_study *study, const zw_study_output *output, const char *path,
                           const zw_study_output **shown, zw_error *err) {
    zw_bytes bytes;
    ZW_TRY(zw_study_text(study, output->key, &bytes, err));
    zw_status status = ZW_OK;
    if (bytes.data && bytes.data[0]) {
        status = cli_write_text(path, bytes.data, err);
        if (is_direct(path))
            *shown = output;
    } else if (path) {
        status = zw_fail(err, ZW_E_OPTION, "--%s %s: these results have no such text", output->key,
                         path);
    }
    zw_bytes_clear(&bytes);
    return status;
}

/* a table with all warnings, in a file and as a picture */
static zw_status give_table(const cli_options *o, const cli_model *model, zw_study *study,
                            const char *key, const char *path, bool drawn, zw_error *err) {
    zw_table *t;
    zw_status status = zw_study_table(study, key, &t, err);
    if (status < 0 || !t)
        return status;
    status = zw_warnings_note(model->warnings, t);
    if (status >= 0 && path)
        status = cli_write_table(t, path, err);
    if (status >= 0 && drawn)
        status = cli_picture_result(o, t, err);
    zw_table_destroy(t);
    return status;
}

/* With --quiet and files, only the files are written. */
static bool is_shown(const cli_options *o, const zw_study_output *output) {
    return output->shown && !wants_json(o) && !(o->quiet && o->out);
}

/* is it the table that --picture shows? */
static bool is_drawn(const cli_options *o, zw_study *study, int i) {
    const char *key = NULL;
    return o->picture && zw_study_drawn(study, &key, NULL) >= 0 &&
           strcmp(key, o->command->study->outputs[i].key) == 0;
}

/* Outputs into the files of their options, and one of the tables into --picture. A text that is shown
 * on standard output stands in place of the words of the report. */
static zw_status write_outputs(const cli_options *o, const cli_model *model, zw_study *study,
                               bool texts, const zw_study_output **shown, zw_error *err) {
    const zw_study_output *outputs = o->command->study->outputs;
    for (int i = 0; outputs && outputs[i].key; i++) {
        const char *path = path_of(o, i);
        if (outputs[i].written || zw_study_output_is_text(&outputs[i], path) != texts)
            continue;
        if (texts && is_folder(o, path))
            ZW_TRY(give_folder(o, study, outputs[i].key, path, err));
        else if (texts && (path || is_shown(o, &outputs[i])))
            ZW_TRY(give_text(study, &outputs[i], path, shown, err));
        else if (!texts && (path || is_drawn(o, study, i)))
            ZW_TRY(give_table(o, model, study, outputs[i].key, path, is_drawn(o, study, i), err));
    }
    return ZW_OK;
}

/* What the study has written itself while it worked; *shown: to standard output. */
static void note_written(const cli_options *o, const zw_study_output **shown) {
    const zw_study_output *outputs = o->command->study->outputs;
    for (int i = 0; outputs && outputs[i].key; i++)
        if (outputs[i].written && path_of(o, i)) {
            cli_note_written();
            if (is_direct(path_of(o, i)))
                *shown = &outputs[i];
        }
}

/* Of several processes of a launcher, the one that joins the result reports it. */
static bool is_reported(bool silent, const zw_report *report) {
    return !silent || !report || zw_report_get_number(report, "joined") > 0;
}

static zw_status work_and_report(const cli_options *o, const cli_model *model, zw_study *study,
                                 bool silent, zw_error *err) {
    zw_error trouble = {0};
    zw_status status = zw_study_work(study, &trouble);
    cli_end_progress();
    if (zw_study_has_results(study)) {
        const zw_study_output *shown = NULL;
        const zw_report *report = zw_study_report(study);
        bool reported = is_reported(silent, report);
        zw_warnings_add_all(model->warnings, zw_study_warnings(study));
        if (reported)
            cli_report_warnings(o, model->warnings, false);
        note_written(o, &shown);
        ZW_TRY(write_outputs(o, model, study, true, &shown, err));
        if (reported && (!shown || (shown->noted && !o->quiet)))
            ZW_TRY(write_report(o, report, shown != NULL, err));
        ZW_TRY(write_outputs(o, model, study, false, &shown, err));
    }
    if (status < 0 && err)
        *err = trouble;
    return status;
}

/* can the results be written where they are to go? Asked before the work. */
static zw_status check_places(const cli_options *o, zw_error *err) {
    const zw_study_output *outputs = o->command->study->outputs;
    if (o->picture)
        ZW_TRY(zw_plot_check_path(o->picture, err));
    for (int i = 0; outputs && outputs[i].key; i++) {
        const char *path = path_of(o, i);
        if (path && !zw_study_output_is_text(&outputs[i], path))
            ZW_TRY(zw_table_can_write(path, err));
        if (!is_folder(o, path))
            ZW_TRY(cli_guard_write(o, path, err));
    }
    return ZW_OK;
}

/* options of the model, which a result has fixed */
static zw_status reject_model_options(const cli_options *o, const char *path, zw_error *err) {
    for (const zw_option *row = cli_model_table; row->key; row++)
        if (cli_is_given(o, row->key)) {
            zw_fail(err, ZW_E_OPTION, "--%s: %s holds its model with its settings", row->key, path);
            zw_error_hint(err, "--over follows any parameter from there");
            return ZW_E_OPTION;
        }
    return ZW_OK;
}

/* the model, or the result that holds it */
static zw_status open_subject(const cli_options *o, const char *path, cli_model *model,
                              zw_table **result, zw_error *err) {
    if (!o->command->study->results || !cli_is_result(path))
        return cli_model_open(model, path, o, err);
    ZW_TRY(reject_model_options(o, path, err));
    ZW_TRY(cli_guard_read(o, path, err));
    ZW_TRY(cli_read_result(o, result, path, err));
    return cli_model_of_result(model, *result, NULL, o, err);
}

/* the name of the model in messages and notes */
static const char *model_file(const zw_table *result, const char *path) {
    const char *file = result ? zw_table_get_note(result, "file") : NULL;
    return file && *file ? file : path;
}

/* the options of the command line, which of them were given, and the outputs that are wanted */
static zw_status copy_options(const cli_options *o, zw_study *study, zw_error *err) {
    memcpy(zw_study_options(study), o->study, o->command->study->size);
    for (const zw_option_group *g = o->command->study->groups; g->table; g++)
        for (const zw_option *row = g->table; row->key; row++)
            if (cli_is_given(o, row->key))
                zw_study_give(study, row->key);
    const zw_study_output *outputs = o->command->study->outputs;
    const char *drawn;
    for (int i = 0; outputs && outputs[i].key; i++)
        if (path_of(o, i))
            zw_study_want(study, outputs[i].key, path_of(o, i));
    if (o->picture) {
        ZW_TRY(zw_study_drawn(study, &drawn, err));
        zw_study_want(study, drawn, "");
    }
    return ZW_OK;
}

/* Does the option name files that the study reads? Those that it writes are outputs. */
static bool names_files(const zw_option *row) {
    return (row->type == ZW_OPT_STRING || row->type == ZW_OPT_LIST) && row->choices &&
           (strcmp(row->choices, "FILE") == 0 || strcmp(row->choices, "RESULT") == 0 ||
            strncmp(row->choices, "MODEL", 5) == 0);
}

/* No output may overwrite them. "FILE; set=..." names a file, too. */
static zw_status guard_words(const cli_options *o, const char *words, zw_error *err) {
    char path[4096];
    for (const char *p = words; p && *p;) {
        p += strspn(p, " ;");
        size_t length = strcspn(p, ";");
        snprintf(path, sizeof path, "%.*s", (int)length, p);
        if (*path)
            ZW_TRY(cli_guard_read(o, path, err));
        p += length;
    }
    return ZW_OK;
}

static zw_status guard_option(const cli_options *o, const zw_option *row, const void *options,
                              zw_error *err) {
    const void *field = (const char *)options + row->offset;
    if (row->type == ZW_OPT_STRING)
        return guard_words(o, *(const char *const *)field, err);
    const zw_option_list *list = field;
    for (int i = 0; i < list->n; i++)
        ZW_TRY(guard_words(o, list->item[i], err));
    return ZW_OK;
}

/* data files and files that options name */
static zw_status guard_inputs(const cli_options *o, const char *const *words, zw_error *err) {
    for (int i = 0; i < o->nword; i++)
        ZW_TRY(cli_guard_read(o, words[i], err));
    for (const zw_option_group *g = o->command->study->groups; g->table; g++)
        for (const zw_option *row = g->table; row->key; row++)
            if (names_files(row))
                ZW_TRY(guard_option(o, row, (const char *)o->study + g->offset, err));
    return ZW_OK;
}

/* Signals end the command at once until the work asks for the first time whether it should stop: only
 * work that asks can answer within a tenth of a second. */
typedef struct watched_work {
    const cli_options *o;
    bool begun;
    cli_signals before;
    cli_launcher launcher;
    bool silent; /* one of the other processes of a launcher: nothing but errors is shown */
} watched_work;

static bool watch_work(void *user, double done) {
    watched_work *w = user;
    if (!w->begun)
        cli_signals_begin(&w->before);
    w->begun = true;
    return w->silent ? cli_is_stopping() : cli_watch((void *)w->o, done);
}

static void print_note(void *user, const char *text) {
    const watched_work *w = user;
    if (w->o->quiet)
        return;
    cli_end_progress();
    fprintf(stderr, "note: %s\n", text);
}

static bool has_option(const zw_study_kind *kind, const char *key) {
    for (const zw_option_group *g = kind->groups; g->table; g++)
        if (zw_options_find(g->table, key, strlen(key)))
            return true;
    return false;
}

/* Where processes can share the work: is this one of several that a launcher has started? */
static zw_status find_workers(const cli_options *o, zw_study *study, watched_work *w,
                              zw_error *err) {
    if (!has_option(o->command->study, "workers") || cli_is_given(o, "workers"))
        return ZW_OK;
    w->launcher = cli_find_launcher();
    w->silent = w->launcher.worker > 0;
    if (w->launcher.workers < 2)
        return ZW_OK;
    ZW_TRY(zw_study_set_number(study, "workers", w->launcher.workers, err));
    ZW_TRY(zw_study_set_number(study, "worker", w->launcher.worker, err));
    return cli_is_given(o, "threads")
               ? ZW_OK
               : zw_study_set_number(study, "threads", w->launcher.threads, err);
}

static zw_status run_model(const cli_options *o, const char *const *words, cli_model *model,
                           zw_table **result, zw_study **study, watched_work *watched,
                           zw_error *err) {
    const char *path = words[0];
    ZW_TRY(guard_inputs(o, words, err));
    ZW_TRY(check_places(o, err));
    ZW_TRY(open_subject(o, path, model, result, err));
    cli_report_warnings(o, model->warnings, false);
    zw_model_source source = cli_model_source(model, model_file(*result, path));
    ZW_TRY(zw_study_create(study, o->command->name, model->sys, &source, err));
    ZW_TRY(copy_options(o, *study, err));
    zw_study_files(*study, o->nword - 1, words + 1);
    if (*result)
        zw_study_result(*study, *result, path);
    zw_study_watch(*study, watch_work, watched);
    zw_study_messages(*study, print_note);
    ZW_TRY(find_workers(o, *study, watched, err));
    return work_and_report(o, model, *study, watched->silent, err);
}

/* -------------------------------------------------------------------------------------- joining */

static zw_status reject_given(const cli_options *o, zw_error *err) {
    const zw_study_kind *kind = o->command->study;
    const char *key = NULL;
    for (const zw_option_group *g = kind->groups; g->table && !key; g++)
        for (const zw_option *row = g->table; row->key && !key; row++)
            if (cli_is_given(o, row->key))
                key = row->key;
    for (int i = 1; kind->outputs[0].key && kind->outputs[i].key && !key; i++)
        if (path_of(o, i))
            key = kind->outputs[i].key;
    return key ? zw_fail(err, ZW_E_OPTION, "--%s has no effect with --join", key) : ZW_OK;
}

static zw_status join_parts(const cli_options *o, const char *const *words, zw_warnings *list,
                            zw_report *report, zw_error *err) {
    const zw_study_kind *kind = o->command->study;
    zw_error trouble = {0};
    ZW_TRY(reject_given(o, err));
    for (int i = 0; i < o->nword; i++)
        ZW_TRY(cli_guard_read(o, words[i], err));
    ZW_TRY(cli_guard_write(o, o->out, err));
    zw_report_word(report, "study", kind->name);
    zw_report_word(report, "version", zw_version());
    zw_status status = kind->join(o->nword, words, o->out, report, list, &trouble);
    cli_report_warnings(o, list, false);
    if (!isnan(zw_report_get_number(report, "motions")))
        ZW_TRY(write_report(o, report, o->out && is_direct(o->out), err));
    if (status < 0 && err)
        *err = trouble;
    return cli_judge(o, list, status, err);
}

/* --join: the words are parts of one result */
static int run_join(const cli_options *o, const char *const *words, zw_error *err) {
    zw_warnings *list = zw_warnings_create(NULL);
    zw_report *report = zw_report_create(NULL);
    zw_status status =
        list && report ? join_parts(o, words, list, report, err) : zw_out_of_memory(err, NULL);
    zw_report_destroy(report);
    zw_warnings_destroy(list);
    return cli_exit_code(status);
}

static int run_study(const cli_options *o, const char *const *words, zw_error *err) {
    cli_model model = {0};
    zw_table *result = NULL;
    zw_study *study = NULL;
    watched_work watched = {.o = o};
    if (o->join)
        return run_join(o, words, err);
    zw_status status = run_model(o, words, &model, &result, &study, &watched, err);
    cli_end_progress();
    if (status < 0 && watched.launcher.by && err && !err->hint[0])
        zw_error_hint(err, "%s is set: this is process %d of %d", watched.launcher.by,
                      watched.launcher.worker, watched.launcher.workers);
    status = cli_judge(o, model.warnings, status, err);
    zw_study_destroy(study);
    zw_table_destroy(result);
    cli_model_close(&model);
    if (watched.begun)
        cli_signals_end(&watched.before);
    return cli_exit_code(status);
}

/* --------------------------------------------------------------------------------------- the row */

static void list_results(study_verb *v, const zw_study_kind *kind) {
    const zw_study_output *outputs = kind->outputs;
    zw_option *row = v->result;
    if (kind->table) {
        *row++ = (zw_option){"plot", ZW_OPT_LIST, AT(plot),
                             0,      0,           0,
                             "",     "y:x",       "a panel of the picture, as of zwang plot"};
        *row++ = (zw_option){"picture",
                             ZW_OPT_STRING,
                             AT(picture),
                             0,
                             0,
                             0,
                             "",
                             "FILE",
                             "a picture of the table: .svg, .pdf, .png, .tex"};
    }
    if (kind->join)
        *row++ = (zw_option){"join",
                             ZW_OPT_FLAG,
                             AT(join),
                             0,
                             0,
                             0,
                             "",
                             NULL,
                             "one result from parts: --join FILES --out all.csv (or the folder of "
                             "a journal)"};
    *row++ = (zw_option){"json", ZW_OPT_FLAG, AT(json), 0, 0, 0, "", NULL, "all results as JSON"};
    for (int i = 0; outputs[0].key && outputs[i].key; i++) {
        assert(i < CLI_OUTPUTS && row < v->result + ROWS - 1);
        *row++ = (zw_option){outputs[i].key,
                             ZW_OPT_STRING,
                             i == 0 ? AT(out) : AT(output) + (size_t)i * sizeof(char *),
                             0,
                             0,
                             0,
                             "",
                             "FILE",
                             outputs[i].about};
    }
}

static void make_verb(study_verb *v, const zw_study_kind *kind) {
    cli_group *g = v->group;
    for (const zw_option_group *from = kind->groups; from->table; from++) {
        assert(g < v->group + GROUPS - 5);
        *g++ = (cli_group){from->title, from->table, CLI_OF_STUDY + from->offset};
    }
    list_results(v, kind);
    *g++ = (cli_group){"results", v->result, 0};
    *g++ = (cli_group){"messages and limits", cli_told_table, 0};
    *g++ = (cli_group){"model", cli_model_table, offsetof(cli_options, model)};
    if (kind->table)
        *g++ = (cli_group){"picture", cli_draw_table, offsetof(cli_options, draw)};
    v->command = (cli_command){.name = kind->name,
                               .usage = kind->usage,
                               .about = kind->about,
                               .details = kind->details,
                               .examples = kind->examples,
                               .groups = v->group,
                               .arguments = 1,
                               .arguments_max = kind->arguments_max,
                               .results = kind->results || kind->join,
                               .random = kind->random,
                               .endless = kind->endless,
                               .study = kind,
                               .run = run_study};
}

static void insert_command(const cli_command *c, int n) {
    assert(n < COMMANDS - 1);
    for (; n > 0 && strcmp(cli_commands[n - 1]->name, c->name) > 0; n--)
        cli_commands[n] = cli_commands[n - 1];
    cli_commands[n] = c;
}

void cli_commands_begin(const cli_command *const *own) {
    const zw_study_kind *const *kinds = zw_studies();
    int n = 0;
    if (cli_commands[0])
        return;
    for (int i = 0; own[i]; i++)
        insert_command(own[i], n++);
    for (int i = 0; kinds[i]; i++) {
        assert(i < STUDIES);
        make_verb(&verbs[i], kinds[i]);
        insert_command(&verbs[i].command, n++);
    }
}
