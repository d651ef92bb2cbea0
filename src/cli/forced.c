/* SPDX-License-Identifier: MIT */
#include "forced.h"

#include "derive.h"
#include "job.h"
#include "progress.h"

#define AT(field) offsetof(cli_forced_options, field)

const zw_option cli_forced_table[] = {
    {"harmonics", ZW_OPT_INT, AT(harmonics), 0, 0, 2000, "", NULL,
     "the highest harmonic; 0: as many as --tolerance asks for"},
    {"harmonics-max", ZW_OPT_INT, AT(harmonics_max), 127, 1, 2000, "", NULL,
     "at most so many then"},
    {"odd", ZW_OPT_FLAG, AT(odd), 0, 0, 0, "", NULL, "odd harmonics alone"},
    {"order", ZW_OPT_INT, AT(order), 1, 1, 64, "", NULL,
     "look for motions with so many periods of the drive: subharmonics"},
    {"tolerance", ZW_OPT_DOUBLE, AT(tolerance), 1e-6, 1e-13, 0.5, "", NULL,
     "of the motion, relative: what harmonics that are left out may change"},
    {"settle", ZW_OPT_INT, AT(settle), 50, 0, 100000, "", NULL,
     "periods that the start of the model runs before its motion is the first guess; 0: rest is"},
    {"starts", ZW_OPT_INT, AT(starts), 0, 0, 1000000, "", NULL,
     "further starts of different sizes: all motions that they lead to"},
    {0},
};

static zw_status open_study(cli_forced *s, const char *path, const cli_options *o, const char *over,
                            zw_error *err) {
    zw_forced_options options = zw_forced_options_default();
    *s = (cli_forced){.path = path};
    ZW_TRY(cli_model_open(&s->model, path, o, err));
    cli_tell_doubts(o, s->model.doubts, false);
    options.over = over;
    options.harmonics = o->forced.harmonics;
    options.harmonics_max = o->forced.harmonics_max;
    options.odd = o->forced.odd;
    options.order = o->forced.order;
    options.tolerance = o->forced.tolerance;
    options.settle = o->forced.settle;
    options.taylor = o->forced.taylor;
    options.slow = o->forced.slow;
    options.van_der_pol = o->forced.van_der_pol;
    options.stop = cli_watch;
    options.stop_user = (void *)o;
    return zw_forced_create(&s->study, s->model.sys, &options, err);
}

static void close_study(cli_forced *s) {
    zw_forced_destroy(s->study);
    cli_model_close(&s->model);
}

int cli_forced_run(const cli_options *o, const char *path, const char *over, cli_forced_step check,
                   cli_forced_step work, zw_error *err) {
    cli_forced s = {0};
    cli_signals watched;
    zw_status status = check(o, &s, err);
    cli_signals_begin(&watched);
    if (status >= 0)
        status = open_study(&s, path, o, over, err);
    if (status >= 0)
        status = work(o, &s, err);
    status = cli_judge(o, s.model.doubts, status, err);
    close_study(&s);
    cli_signals_end(&watched);
    return cli_exit_code(status);
}

zw_status cli_forced_tell(const cli_options *o, const cli_forced *s, zw_error *err) {
    zw_forced_doubts(s->study, s->model.doubts);
    cli_tell_doubts(o, s->model.doubts, false);
    char *text = o->json ? zw_forced_json(s->study) : zw_forced_text(s->study);
    zw_status status =
        text ? cli_write_text(NULL, text, err) : zw_fail(err, ZW_E_MEMORY, "out of memory");
    zw_string_free(s->model.ctx, text);
    return status;
}
