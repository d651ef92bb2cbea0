/* SPDX-License-Identifier: MIT */
#include "work.h"

#include <stdio.h>
#include <string.h>

#include "base/arena.h"
#include "base/interrupt.h"
#include "progress.h"

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

/* The model, or the result that holds it. Where a motion goes on, settings may change on the way. */
static zw_status open_subject(cli_work *w, const char *path, zw_error *err) {
    const cli_options *o = w->o;
    const zw_study_kind *kind = o->command->study;
    if (!kind->results || !cli_is_result(path))
        return cli_model_open(&w->model, path, o, err);
    if (!kind->motion)
        ZW_TRY(reject_model_options(o, path, err));
    ZW_TRY(cli_read_result(o, &w->result, path, err));
    ZW_TRY(cli_model_of_result(&w->model, w->result, NULL, o, err));
    return cli_check_meaning(o, w->model.sys, err);
}

/* the name of the model in messages and notes */
static const char *model_file(const zw_table *result, const char *path) {
    const char *file = result ? zw_table_get_note(result, "file") : NULL;
    return file && *file ? file : path;
}

/* the options of the command line, and which of them were given */
static void copy_options(const cli_options *o, zw_study *study) {
    memcpy(zw_study_options(study), o->study, o->command->study->size);
    for (const zw_option_group *g = o->command->study->groups; g->table; g++)
        for (const zw_option *row = g->table; row->key; row++)
            if (cli_is_given(o, row->key))
                zw_study_give(study, row->key);
}

/* Signals end the command at once until the work asks for the first time whether it should stop, or is
 * done: only work that asks can answer within a tenth of a second. */
static bool watch_work(void *user, double done) {
    cli_work *w = user;
    if (!w->begun)
        cli_signals_begin(&w->before);
    w->begun = true;
    return w->silent ? cli_is_stopping() : cli_watch((void *)w->o, done);
}

static void print_note(void *user, const char *text) {
    const cli_work *w = user;
    if (w->o->quiet)
        return;
    cli_end_progress();
    fprintf(stderr, "%s\n", text);
}

zw_status cli_work_open(cli_work *w, const char *path, const cli_options *o, zw_error *err) {
    *w = (cli_work){.o = o};
    ZW_TRY(open_subject(w, path, err));
    cli_report_warnings(o, w->model.warnings, false);
    w->source = cli_model_source(&w->model, model_file(w->result, path));
    ZW_TRY(zw_study_create(&w->study, o->command->study->name, w->model.sys, &w->source, err));
    copy_options(o, w->study);
    if (w->result) {
        zw_study_result(w->study, w->result, path);
        zw_study_change(w->study, &w->model.given);
    }
    zw_study_watch(w->study, watch_work, w);
    zw_study_messages(w->study, print_note);
    return ZW_OK;
}

bool cli_study_has(const zw_study_kind *kind, const char *key) {
    for (const zw_option_group *g = kind->groups; g->table; g++)
        if (zw_options_find(g->table, key, strlen(key)))
            return true;
    return false;
}

zw_status cli_work_share(cli_work *w, zw_error *err) {
    const cli_options *o = w->o;
    zw_study *study = w->study;
    if (!cli_study_has(o->command->study, "workers") || cli_is_given(o, "workers"))
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

zw_status cli_work_run(cli_work *w, zw_error *err) {
    zw_status status = zw_study_work(w->study, err);
    if (!w->begun)
        cli_signals_begin(&w->before);
    w->begun = true;
    zw_interrupt_heard(); /* the results follow: an interruption must neither lose nor cut them */
    cli_end_progress();
    return status;
}

void cli_work_end(cli_work *w) {
    if (w->begun)
        cli_signals_end(&w->before);
    w->begun = false;
}

void cli_work_close(cli_work *w) {
    cli_end_progress();
    zw_study_destroy(w->study);
    zw_table_destroy(w->result);
    cli_model_close(&w->model);
    cli_work_end(w);
}

void cli_work_warn(cli_work *w, bool shown) {
    zw_warnings_add_all(w->model.warnings, zw_study_warnings(w->study));
    if (!shown)
        return;
    cli_report_warnings(w->o, w->model.warnings, false);
    cli_report_warnings(w->o, w->model.warnings, true);
}

zw_status cli_work_table(cli_work *w, const char *key, zw_table **out, zw_error *err) {
    zw_status status = zw_study_table(w->study, key, out, err);
    if (status < 0 || !*out)
        return status;
    status = zw_warnings_note(w->model.warnings, *out);
    if (status >= 0)
        return ZW_OK;
    zw_table_destroy(*out);
    *out = NULL;
    return zw_out_of_memory(err, NULL);
}
