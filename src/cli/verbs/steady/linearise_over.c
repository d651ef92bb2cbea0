/* SPDX-License-Identifier: MIT */
/* Eigenvalues over a parameter: a summary on standard output, all rows in a file, a picture. */
#include <stdio.h>

#include "base/arena.h"
#include "cli/derive.h"
#include "cli/job.h"
#include "cli/picture.h"
#include "cli/progress.h"
#include "linearise.h"

#define AT(field) offsetof(cli_options, field)

const zw_option cli_over_table[] = {
    {"over", ZW_OPT_STRING, AT(over), 0, 0, 0, "", "NAME=FROM:TO",
     "eigenvalues over a parameter, or over a coordinate or velocity that is held: "
     "Omega=0:50rad/s; "
     "a third number says how many rows. --out F.csv (.json, .h5) has all rows"},
    {"plot", ZW_OPT_LIST, AT(plot), 0, 0, 0, "", "y:t",
     "with --over, --bode: a panel of the picture, as of zwang plot (default: what the kind of "
     "result "
     "asks for)"},
    {"picture", ZW_OPT_STRING, AT(picture), 0, 0, 0, "", "FILE",
     "with --over, --bode: a picture, with marks where something happens: .svg, .pdf, .png, .tex"},
    {0},
};

static zw_status write_files(const cli_options *o, const cli_steady *s, const zw_locus *l,
                             zw_error *err) {
    zw_model_source source = cli_model_source(&s->model, s->path);
    zw_table *table;
    if (!o->out && !o->picture)
        return ZW_OK;
    ZW_TRY(zw_locus_table(l, &source, &table, err));
    zw_status status = zw_warnings_note(s->model.warnings, table);
    if (status >= 0 && o->out)
        status = cli_write_table(table, o->out, err);
    if (status >= 0 && o->picture)
        status = cli_picture_result(o, table, err);
    zw_table_destroy(table);
    return status;
}

/* An end before that of the range is a failure, reported after the results. */
static zw_status judge_ends(const zw_locus *l, zw_error *err) {
    const zw_steady_way *form = zw_locus_way(l);
    for (int k = 0; k < 2; k++)
        if (form->stop[k].end != ZW_FOLLOW_GOES_ON)
            return zw_fail(err, ZW_E_NUMERIC, "%s", form->stop[k].why);
    return ZW_OK;
}

static zw_status report_locus(const cli_options *o, const cli_steady *s, const zw_locus *l,
                              zw_error *err) {
    zw_locus_warnings(l, s->model.warnings);
    cli_report_warnings(o, s->model.warnings, false);
    zw_report *r = zw_report_create(NULL);
    zw_bytes bytes = {0};
    if (!r)
        return zw_out_of_memory(err, NULL);
    zw_report_word(r, "model", s->model.sys->name);
    zw_locus_report(l, r);
    zw_status status = o->json ? zw_report_json(r, &bytes, err) : zw_report_text(r, &bytes, err);
    if (status >= 0)
        status = cli_write_text(NULL, bytes.data, err);
    zw_bytes_clear(&bytes);
    zw_report_destroy(r);
    if (status >= 0)
        status = write_files(o, s, l, err);
    return status < 0 ? status : judge_ends(l, err);
}

zw_status cli_linearise_over(const cli_options *o, const cli_steady *s, zw_error *err) {
    zw_locus_options options = zw_locus_options_default();
    cli_signals watched;
    zw_locus *l;
    options.over = o->over;
    options.motion = &s->options;
    options.amplitude = o->amplitude;
    options.stop = cli_watch;
    options.stop_user = (void *)o;
    if (o->out)
        ZW_TRY(zw_table_can_write(o->out, err));
    if (o->picture)
        ZW_TRY(zw_plot_check_path(o->picture, err));
    cli_signals_begin(&watched);
    zw_status status = zw_locus_create(&l, s->model.sys, &options, err);
    cli_end_progress();
    if (status < 0 && cli_interrupted()) {
        fputs("interrupted before there was anything to tell\n", stderr);
        *err = (zw_error){0};
        status = ZW_STOPPED;
    } else if (status >= 0) {
        status = report_locus(o, s, l, err);
        zw_locus_destroy(l);
    }
    cli_signals_end(&watched);
    return status;
}
