/* SPDX-License-Identifier: MIT */
/* The models that can be used by their names. */
#include <stdio.h>

#include "base/arena.h"
#include "cli/folders.h"

#define AT(field) offsetof(cli_options, field)

static const zw_option table[] = {
    {"json", ZW_OPT_FLAG, AT(json), 0, 0, 0, "", NULL, "as JSON on standard output"},
    {0},
};

/* a title, or the fault of the model */
static void report_model(void *user, const cli_found *model) {
    zw_report *r = user;
    zw_error fault = {0};
    zw_context *ctx = zw_context_create(NULL);
    const char *title = ctx ? cli_model_title(ctx, model->path, &fault) : NULL;
    zw_report_open(r, NULL);
    zw_report_word(r, "name", model->name);
    zw_report_word(r, "title", title);
    zw_report_word(r, "file", model->path);
    zw_report_flag(r, "hidden", model->hidden);
    if (!title) {
        zw_report_count(r, "line", fault.line);
        zw_report_word(r, "fault", fault.text);
    }
    zw_report_say(r, title ? "  {name:-32} {title}"
                           : "  {name:-32} (cannot be read: line {line}: {fault})");
    zw_report_say(r, "{hidden? (hidden by the one above)}\n");
    zw_report_close(r);
    if (!ctx)
        zw_report_fail(r);
    zw_context_destroy(ctx);
}

static void report_folders(zw_report *r, const cli_folders *f) {
    zw_report_list(r, "folders");
    for (int i = 0; i < f->n; i++) {
        zw_report_open(r, NULL);
        zw_report_word(r, "folder", f->path[i]);
        zw_report_say(r, "{folder}\n");
        zw_report_list(r, "models");
        bool readable = cli_folders_list(f, i, report_model, r);
        zw_report_close(r);
        zw_report_flag(r, "readable", readable);
        zw_report_say(r, readable ? "" : "  (there is no such folder, or it cannot be read)\n");
        zw_report_close(r);
    }
    zw_report_close(r);
}

static int run_models(const cli_options *o, const char *const *words, zw_error *err) {
    (void)words;
    cli_folders f;
    zw_bytes bytes = {0};
    zw_report *r = zw_report_create(NULL);
    if (!r)
        return cli_exit_code(zw_out_of_memory(err, NULL));
    cli_folders_find(&f);
    report_folders(r, &f);
    zw_status status = o->json ? zw_report_json(r, &bytes, err) : zw_report_text(r, &bytes, err);
    if (status >= 0 && f.n == 0 && !o->json) {
        status = zw_fail(err, ZW_E_FILE, "no folder of models is known");
        zw_error_hint(err, "ZWANG_MODELS can name folders, separated by colons");
    }
    zw_text_tame(bytes.data); /* names of files and titles come from outside */
    if (status >= 0)
        fputs(bytes.data, stdout);
    zw_bytes_clear(&bytes);
    zw_report_destroy(r);
    cli_folders_clear(&f);
    return cli_exit_code(status);
}

static const cli_group groups[] = {{"options", table, 0, false}, {0}};

const cli_command cli_models = {
    .name = "models",
    .usage = "models [--json]",
    .about = "models that can be called by name",
    .details = "Every verb accepts the name of a model in place of its file. It looks for a file "
               "of this name, then for NAME.zw in the working directory, then for a model in the "
               "directories listed by this command: those in the environment variable "
               "ZWANG_MODELS, separated by colons, and the one installed with zwang. Copy a file "
               "from there to start a model of your own.",
    .examples = "  zwang models\n"
                "  zwang run turntable_ball --until 20 --plot x,y\n"
                "  zwang verify claims/turntable_ball_printed\n",
    .groups = groups,
    .endless = true,
    .run = run_models,
};
