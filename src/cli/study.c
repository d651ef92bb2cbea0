/* SPDX-License-Identifier: MIT */
/* A study as a verb: its options are groups of the command line, its report goes to standard output
 * as text or JSON, its tables into files and pictures. What all verbs have (model, time limit,
 * warnings, pictures) is added here. */
#include "study.h"

#include <assert.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/arena.h"
#include "derive.h"
#include "job.h"
#include "picture.h"
#include "progress.h"
#include "reduced.h"

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

static zw_status write_report(const cli_options *o, zw_study *study, zw_error *err) {
    const zw_report *report = zw_study_report(study);
    zw_bytes bytes;
    if (!report)
        return zw_out_of_memory(err, "a report");
    ZW_TRY(o->json ? zw_report_json(report, &bytes, err) : zw_report_text(report, &bytes, err));
    zw_status status = cli_write_text(NULL, bytes.data, err);
    zw_bytes_clear(&bytes);
    return status;
}

/* a table with all warnings, in a file and as a picture; NULL and false: not there */
static zw_status give_table(const cli_options *o, const cli_model *model, zw_study *study,
                            const char *key, const char *path, bool drawn, zw_error *err) {
    zw_table *t;
    if (!path && !drawn)
        return ZW_OK;
    ZW_TRY(zw_study_table(study, key, &t, err));
    zw_status status = zw_warnings_note(model->warnings, t);
    if (status >= 0 && path)
        status = cli_write_table(t, path, err);
    if (status >= 0 && drawn)
        status = cli_picture_result(o, t, err);
    zw_table_destroy(t);
    return status;
}

/* the tables into the files of their options, and one of them into --picture */
static zw_status write_tables(const cli_options *o, const cli_model *model, zw_study *study,
                              zw_error *err) {
    const zw_study_kind *kind = o->command->study;
    for (int i = 0; kind->outputs[0].key && kind->outputs[i].key; i++) {
        const char *key = kind->outputs[i].key;
        bool drawn = kind->drawn ? strcmp(key, kind->drawn) == 0 : i == 0;
        ZW_TRY(give_table(o, model, study, key, i == 0 ? o->out : o->output[i], o->picture && drawn,
                          err));
    }
    return ZW_OK;
}

static zw_status work_and_report(const cli_options *o, const cli_model *model, zw_study *study,
                                 zw_error *err) {
    zw_error trouble = {0};
    zw_status status = zw_study_work(study, &trouble);
    cli_end_progress();
    if (zw_study_has_results(study)) {
        zw_warnings_add_all(model->warnings, zw_study_warnings(study));
        cli_report_warnings(o, model->warnings, false);
        ZW_TRY(write_report(o, study, err));
        ZW_TRY(write_tables(o, model, study, err));
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
    for (int i = 0; outputs[0].key && outputs[i].key; i++) {
        const char *path = i == 0 ? o->out : o->output[i];
        if (path)
            ZW_TRY(zw_table_can_write(path, err));
        ZW_TRY(cli_guard_write(o, path, err));
    }
    return ZW_OK;
}

/* the model in the form that the study needs */
static zw_status open_model(const cli_options *o, const char *path, cli_model *model,
                            zw_error *err) {
    static const cli_reduce_when when[] = {[ZW_STUDY_LEFT_OUT] = CLI_REDUCE_LEFT_OUT,
                                           [ZW_STUDY_STATES] = CLI_REDUCE_STATES,
                                           [ZW_STUDY_COORDINATES] = CLI_REDUCE_COORDINATES};
    cli_options reading = *o;
    zw_study_form form = {0};
    if (o->command->study->form)
        o->command->study->form(o->study, &form);
    bool slow = form.fast && form.fast->n > 0;
    if (slow)
        reading.slow.fast = *form.fast;
    reading.model.constants = reading.model.bodies = slow; /* names for the formulas */
    ZW_TRY(cli_model_open(model, path, &reading, err));
    if (form.reduction != ZW_STUDY_FULL)
        ZW_TRY(cli_model_reduce(model, path, &reading, when[form.reduction], err));
    return slow ? cli_model_slow(model, path, &reading, form.small, form.order, err) : ZW_OK;
}

static int run_study(const cli_options *o, const char *const *words, zw_error *err) {
    cli_model model = {0};
    zw_model_source source;
    zw_study *study = NULL;
    cli_signals watched;
    zw_status status = check_places(o, err);
    if (status >= 0)
        status = open_model(o, words[0], &model, err);
    if (status >= 0) {
        cli_report_warnings(o, model.warnings, false);
        source = cli_model_source(&model, words[0]);
        status = zw_study_create(&study, o->command->name, model.sys, &source, err);
    }
    cli_signals_begin(&watched);
    if (status >= 0) {
        memcpy(zw_study_options(study), o->study, o->command->study->size);
        zw_study_watch(study, cli_watch, (void *)o);
        status = work_and_report(o, &model, study, err);
    }
    cli_end_progress();
    status = cli_judge(o, model.warnings, status, err);
    zw_study_destroy(study);
    cli_model_close(&model);
    cli_signals_end(&watched);
    return cli_exit_code(status);
}

/* --------------------------------------------------------------------------------------- the row */

static void list_results(study_verb *v, const zw_study_kind *kind) {
    const zw_study_output *outputs = kind->outputs;
    zw_option *row = v->result;
    if (outputs[0].key) {
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
    if (kind->outputs[0].key)
        *g++ = (cli_group){"picture", cli_draw_table, offsetof(cli_options, draw)};
    v->command = (cli_command){.name = kind->name,
                               .usage = kind->usage,
                               .about = kind->about,
                               .details = kind->details,
                               .examples = kind->examples,
                               .groups = v->group,
                               .arguments = 1,
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
