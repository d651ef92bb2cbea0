/* SPDX-License-Identifier: MIT */
/* For studies that need explicit equations: replaces the model by the reduced model. */
#include "reduced.h"

#include <stdio.h>
#include <string.h>

#include "base/arena.h"
#include "base/tolerance.h"
#include "derive.h"

enum { STATES = 40 };

static bool is_constrained(const zw_system *s) {
    for (int i = 0; i < s->nconstraint; i++)
        if (s->constraint[i].on)
            return true;
    for (int i = 0; i < s->nframe; i++)
        if (s->frame[i].quaternion >= 0)
            return true;
    return false;
}

/* Replaces the model by the text, which includes the settings, switches and choices; the model
 * moves to *before. Warnings stay with m. */
static zw_status put_in_place(cli_model *m, const char *text, const char *path, cli_model *before,
                              zw_error *err) {
    *before = *m;
    *m = (cli_model){.warnings = before->warnings};
    before->warnings = NULL;
    return cli_model_of_text(m, text, path, &before->options, err);
}

/* ------------------------------------------------------------------------------------ reduction */

static void report_names(FILE *out, const char *before, int n, const zw_reduced_entry *e) {
    for (int i = 0; i < n; i++)
        fprintf(out, "%s%s", i ? ", " : before, e[i].name);
}

static void report_reduction(const cli_options *o, const zw_system *sys, const zw_reduced *z) {
    if (o->quiet)
        return;
    fprintf(stderr, "note: %s is reduced to %d state%s", sys->name, z->n, z->n == 1 ? "" : "s");
    report_names(stderr, ": ", z->n, z->entry);
    report_names(stderr, "; left out: ", z->nleft, z->left);
    for (int i = 0; i < z->nreplaced; i++)
        fprintf(stderr, "%s%s",
                i ? ", " : "; given by constraints: ", zw_expr_name(sys->ctx, z->symbol[i]));
    fputs("\n", stderr);
}

/* Reads the model again, with names for constants, and returns the text of the reduced one; NULL:
 * keep the model. */
static zw_status reduced_text(const cli_model *m, const char *path, const cli_options *o,
                              cli_reduce_when when, zw_context *ctx, char **text, zw_error *err) {
    zw_model_options options = m->options;
    zw_system *sys;
    zw_reduction *r = NULL;
    double difference;
    zw_reduce_options reduce = zw_reduce_options_default();
    reduce.coordinates = when == CLI_REDUCE_COORDINATES;
    options.constants = options.bodies = true;
    ZW_TRY(zw_model_parse(&sys, ctx, m->text, m->length, path, &options, err));
    zw_status status = zw_reduce_checked(&r, sys, &reduce, STATES, &difference, err);
    if (status >= 0 && (when != CLI_REDUCE_LEFT_OUT || zw_reduction_get(r)->nleft > 0)) {
        *text = zw_reduction_model(r, path, err);
        status = *text ? ZW_OK : err->status;
    }
    if (*text)
        report_reduction(o, sys, zw_reduction_get(r));
    zw_reduction_destroy(r);
    return status;
}

zw_status cli_model_reduce(cli_model *m, const char *path, const cli_options *o,
                           cli_reduce_when when, zw_error *err) {
    zw_error why = {0};
    char *text = NULL;
    if (!is_constrained(m->sys))
        return ZW_OK;
    zw_context *ctx = zw_context_create(NULL);
    if (!ctx)
        return zw_out_of_memory(err, NULL);
    zw_status status = reduced_text(m, path, o, when, ctx, &text, &why);
    if (text) {
        cli_model before;
        status = put_in_place(m, text, path, &before, &why);
        cli_model_close(&before);
    } else if (when == CLI_REDUCE_LEFT_OUT && status != ZW_E_MEMORY)
        status = ZW_OK; /* the full model may be sufficient */
    zw_string_free(ctx, text);
    zw_context_destroy(ctx);
    if (status < 0)
        *err = why;
    return status;
}

/* ------------------------------------------------------------------ reduction next to the model */

zw_status cli_reduction_make(zw_reduction **r, const zw_system *sys, zw_error *err) {
    zw_error why = {0};
    zw_reduce_options options = zw_reduce_options_default();
    double difference;
    if (zw_reduce_checked(r, sys, &options, STATES, &difference, &why) >= 0)
        return ZW_OK;
    *r = NULL;
    return why.status == ZW_E_MEMORY ? zw_out_of_memory(err, NULL) : ZW_RETRY;
}

zw_status cli_reduction_open(const zw_reduction *r, cli_model *m, cli_model *full, const char *path,
                             zw_error *err) {
    zw_error why = {0};
    char *text = zw_reduction_model(r, path, &why);
    if (!text)
        return why.status == ZW_E_MEMORY ? zw_out_of_memory(err, NULL) : ZW_RETRY;
    zw_status status = put_in_place(m, text, path, full, err);
    zw_string_free(full->ctx, text);
    return status;
}
