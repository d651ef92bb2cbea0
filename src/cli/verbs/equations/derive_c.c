/* SPDX-License-Identifier: MIT */
/* derive --format c: the C file and, with --header, its header. Its start is completed as in a run;
 * if that fails, it is that of the model, and the command reports why. */
#include <stdio.h>
#include <string.h>

#include "base/arena.h"
#include "cli/cli.h"
#include "cli/derive.h"
#include "out/files/file.h"

zw_status cli_write_text(const char *path, const char *text, zw_error *err) {
    if (!text)
        return zw_out_of_memory(err, NULL);
    zw_out_file f;
    ZW_TRY(zw_out_begin(&f, path ? path : "-", NULL, err));
    fputs(text, f.stream);
    cli_note_written();
    return zw_out_commit(&f, err);
}

/* the C file solves linear equations */
static zw_status reject_inequality(const zw_equations *eq, zw_error *err) {
    for (int c = 0; eq->inequality && c < eq->nc; c++)
        if (eq->inequality[c]) {
            const zw_constraint *k = &eq->sys->constraint[eq->constraint[c]];
            return zw_fail_at(err, ZW_E_MODEL, k->place,
                              "the inequality %s cannot be written as C: that has no minimisation",
                              k->name);
        }
    return ZW_OK;
}

/* the name of a file without its folders */
static const char *base_name(const char *path) {
    const char *slash = path ? strrchr(path, '/') : NULL;
    return slash ? slash + 1 : path;
}

/* NULL: no start satisfies the constraints, which is reported, or out of memory, which the caller
 * sees */
static const double *completed_start(const cli_options *o, const zw_equations *eq) {
    const zw_system *sys = eq->sys;
    size_t np = (size_t)sys->np + 1, of_system = (size_t)(sys->nq + sys->nv) + 1;
    double *p = zw_context_alloc(sys->ctx, np * sizeof *p);
    double *x = zw_context_alloc(sys->ctx, of_system * sizeof *x);
    double *own = zw_context_alloc(sys->ctx, (size_t)(eq->nq + eq->nv + 1) * sizeof *own);
    zw_error why = {0};
    if (!p || !x || !own)
        return NULL;
    if (zw_system_param_values(sys, p, &why) >= 0 &&
        zw_system_complete(sys, NULL, 0, p, x, NULL, &why) >= 0 &&
        zw_equations_state(eq, 0, p, x, own, &why) >= 0)
        return own;
    if (!o->quiet)
        fprintf(stderr, "warning: the C file has no start that fulfils the constraints: %s\n",
                why.text);
    return NULL;
}

zw_status cli_derive_c(const cli_options *o, const zw_equations *eq, zw_error *err) {
    zw_emit_options options = zw_emit_options_default();
    char *c, *header;
    ZW_TRY(reject_inequality(eq, err));
    options.header = base_name(o->header);
    options.start = completed_start(o, eq);
    ZW_TRY(zw_context_status(eq->sys->ctx, err));
    ZW_TRY(zw_emit_files(eq, &options, &c, o->header ? &header : NULL, err));
    zw_status status = o->header ? cli_write_text(o->header, header, err) : ZW_OK;
    if (status >= 0)
        status = cli_write_text(o->out, c, err);
    if (o->header)
        zw_string_free(eq->sys->ctx, header);
    zw_string_free(eq->sys->ctx, c);
    return status;
}
