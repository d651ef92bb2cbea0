/* SPDX-License-Identifier: MIT */
/* Steady motions over a parameter: some rows on standard output, all of them in a file, a
 * picture. */
#include "cli/derive.h"
#include "cli/picture.h"
#include "cli/steady.h"

static zw_status write_table(const cli_options *o, const cli_steady *s, const zw_branch *b,
                             zw_error *err) {
    zw_model_source source = cli_model_source(&s->model, s->path);
    zw_bytes bytes = {0};
    zw_table *t;
    ZW_TRY(zw_branch_table(b, &source, &t, err));
    zw_status status = zw_warnings_note(s->model.warnings, t);
    if (status >= 0 && o->out && cli_is_result(o->out))
        status = cli_write_table(t, o->out, err);
    else if (status >= 0)
        status = zw_table_json_bytes(t, &bytes, err);
    if (status >= 0 && bytes.data)
        status = cli_write_text(o->out, bytes.data, err);
    zw_bytes_clear(&bytes);
    zw_table_destroy(t);
    return status;
}

static zw_status write_text(const cli_options *o, const cli_steady *s, const zw_branch *b,
                            zw_error *err) {
    char *text = zw_branch_text(b);
    zw_status status = cli_write_text(o->out, text, err);
    zw_string_free(s->model.ctx, text);
    return status;
}

static zw_status draw_branch(const cli_options *o, const cli_steady *s, const zw_branch *b,
                             zw_error *err) {
    zw_model_source source = cli_model_source(&s->model, s->path);
    zw_table *t;
    ZW_TRY(zw_branch_table(b, &source, &t, err));
    zw_status status = cli_picture_result(o, t, err);
    zw_table_destroy(t);
    return status;
}

/* An end before that of the range is a failure, reported after the results. */
static zw_status judge_ends(const zw_branch *b, zw_error *err) {
    const zw_steady_way *form = zw_branch_way(b);
    for (int k = 0; k < 2; k++)
        if (form->stop[k].end != ZW_FOLLOW_GOES_ON)
            return zw_fail(err, ZW_E_NUMERIC, "%s", form->stop[k].why);
    return ZW_OK;
}

zw_status cli_equilibria_over(const cli_options *o, const cli_steady *s, zw_error *err) {
    zw_branch_options options = zw_branch_options_default();
    zw_branch *b;
    options.over = o->over;
    options.motion = &s->options;
    if (o->out && cli_is_result(o->out))
        ZW_TRY(zw_table_can_write(o->out, err));
    if (o->picture)
        ZW_TRY(zw_plot_check_path(o->picture, err));
    ZW_TRY(zw_branch_create(&b, s->model.sys, &options, err));
    bool table = o->json || (o->out && cli_is_result(o->out));
    zw_status status = table ? write_table(o, s, b, err) : write_text(o, s, b, err);
    if (status >= 0 && o->picture)
        status = draw_branch(o, s, b, err);
    if (status >= 0)
        status = judge_ends(b, err);
    zw_branch_destroy(b);
    return status;
}
