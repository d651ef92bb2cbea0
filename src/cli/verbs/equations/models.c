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

typedef struct list {
    zw_text out;
    bool json;
    int n;
    zw_status status; /* of the memory */
} list;

/* a title, or the fault of the model */
static void put_model(list *l, const cli_found *model, const char *title, const zw_error *fault) {
    if (!l->json) {
        zw_text_printf(&l->out, "  %-32s ", model->name);
        if (title)
            zw_text_put(&l->out, title);
        else
            zw_text_printf(&l->out, "(cannot be read: line %d: %s)", fault->line, fault->text);
        zw_text_put(&l->out, model->hidden ? " (hidden by the one above)\n" : "\n");
        return;
    }
    zw_text_put(&l->out, l->n++ ? ",\n " : "\n ");
    zw_text_put(&l->out, "{\"name\": ");
    zw_text_json(&l->out, model->name);
    zw_text_put(&l->out, ", \"title\": ");
    if (title)
        zw_text_json(&l->out, title);
    else
        zw_text_put(&l->out, "null");
    zw_text_put(&l->out, ", \"file\": ");
    zw_text_json(&l->out, model->path);
    zw_text_printf(&l->out, ", \"hidden\": %s}", model->hidden ? "true" : "false");
}

static void list_model(void *user, const cli_found *model) {
    list *l = user;
    zw_error fault = {0};
    zw_context *ctx = zw_context_create(NULL);
    if (!ctx) {
        l->status = ZW_E_MEMORY;
        return;
    }
    const char *title = cli_model_title(ctx, model->path, &fault);
    put_model(l, model, title, &fault);
    zw_context_destroy(ctx);
}

static void put_folders(list *l, const cli_folders *f) {
    zw_text_put(&l->out, l->json ? "[" : "");
    for (int i = 0; i < f->n; i++) {
        if (!l->json)
            zw_text_printf(&l->out, "%s\n", f->path[i]);
        if (!cli_folders_list(f, i, list_model, l) && !l->json)
            zw_text_put(&l->out, "  (there is no such folder, or it cannot be read)\n");
    }
    zw_text_put(&l->out, l->json ? "\n]\n" : "");
}

static int run_models(const cli_options *o, const char *const *words, zw_error *err) {
    (void)words;
    cli_folders f;
    list l = {.json = o->json};
    zw_text_init(&l.out, NULL);
    cli_folders_find(&f);
    put_folders(&l, &f);
    zw_status status = ZW_OK;
    if (l.status < 0 || l.out.failed)
        status = zw_out_of_memory(err, NULL);
    else if (f.n == 0 && !o->json) {
        status = zw_fail(err, ZW_E_FILE, "no folder of models is known");
        zw_error_hint(err, "ZWANG_MODELS may name some, separated by colons");
    }
    zw_text_tame(l.out.data); /* names of files and titles come from outside */
    if (status >= 0)
        fputs(zw_text_get(&l.out), stdout);
    zw_text_clear(&l.out);
    cli_folders_clear(&f);
    return cli_exit_code(status);
}

static const cli_group groups[] = {{"options", table, 0}, {0}};

const cli_command cli_models = {
    .name = "models",
    .usage = "models [--json]",
    .about = "the models that can be called by their names",
    .details = "Where a command wants a MODEL, its name will do: first a file of this name is "
               "meant, then NAME.zw here,\n"
               "then a model of the folders listed by this command: those of the environment "
               "variable ZWANG_MODELS,\n"
               "separated by colons, and the one that came with zwang. An own model is made from "
               "one of these by copying\n"
               "its file.",
    .examples = "  zwang models\n"
                "  zwang run turntable_ball --until 20 --plot x,y\n"
                "  zwang verify claims/turntable_ball_printed\n",
    .groups = groups,
    .endless = true,
    .run = run_models,
};
