/* SPDX-License-Identifier: MIT */
/* All branches of steady motions over a parameter, through folds and branch points, and curves of
 * their special points over a second parameter. */
#include "cli/derive.h"
#include "cli/job.h"
#include "cli/picture.h"
#include "cli/progress.h"
#include "cli/steady.h"

enum { BRANCHES = 32 };

static zw_status write_table(const cli_options *o, const cli_steady *s, const zw_branches *b,
                             zw_error *err) {
    zw_model_source source = cli_model_source(&s->model, s->path);
    bool file = o->out && cli_is_result(o->out);
    zw_table *t;
    if (!file && !o->picture)
        return ZW_OK;
    ZW_TRY(cli_picture_is_of_marks(o, zw_branches_mark_points(b))
               ? zw_branches_marks_table(b, &source, &t, err)
               : zw_branches_table(b, &source, &t, err));
    zw_status status = zw_warnings_note(s->model.warnings, t);
    if (status >= 0 && file)
        status = cli_write_table(t, o->out, err);
    if (status >= 0 && o->picture)
        status = cli_picture_result(o, t, err);
    zw_table_destroy(t);
    return status;
}

static zw_status report_branches(const cli_options *o, const cli_steady *s, const zw_branches *b,
                                 zw_error *err) {
    zw_branches_warnings(b, s->model.warnings);
    cli_report_warnings(o, s->model.warnings, false);
    char *text = o->json ? zw_branches_json(b) : zw_branches_text(b);
    zw_status status =
        cli_write_text(cli_is_result(o->out ? o->out : "") ? NULL : o->out, text, err);
    zw_string_free(s->model.ctx, text);
    return status;
}

/* curves of special points begin on crossing branches if the first branch has none */
static zw_status follow_branches(const cli_options *o, zw_branches *b, zw_error *err) {
    ZW_TRY(zw_branches_follow(b, err));
    if (o->branches)
        ZW_TRY(zw_branches_switch(b, BRANCHES, err));
    if (!o->forced.marks)
        return ZW_OK;
    ZW_TRY(zw_branches_marks(b, err));
    if (o->branches || zw_branches_mark_curves(b))
        return ZW_OK;
    ZW_TRY(zw_branches_switch(b, BRANCHES, err));
    return zw_branches_marks(b, err);
}

zw_status cli_equilibria_branches(const cli_options *o, const cli_steady *s, zw_error *err) {
    zw_branches_options options = zw_branches_options_default();
    zw_branches *b;
    options.over = o->over;
    options.second = o->forced.marks;
    options.motion = &s->options;
    options.stop = cli_watch;
    options.stop_user = (void *)o;
    if (o->out && cli_is_result(o->out))
        ZW_TRY(zw_table_can_write(o->out, err));
    if (o->picture)
        ZW_TRY(zw_plot_check_path(o->picture, err));
    cli_signals watched;
    cli_signals_begin(&watched);
    zw_status status = zw_branches_create(&b, s->model.sys, &options, err), found = status;
    if (status >= 0) {
        found = follow_branches(o, b, err);
        cli_end_progress();
        if (found >= 0 || zw_branches_count(b))
            status = report_branches(o, s, b, found < 0 ? NULL : err);
        if (status >= 0 && found >= 0)
            status = write_table(o, s, b, err);
    }
    zw_branches_destroy(b);
    cli_signals_end(&watched);
    return found < 0 ? found : status;
}
