/* SPDX-License-Identifier: MIT */
#include "forced.h"

#include <stdio.h>

#include "base/arena.h"
#include "derive.h"
#include "job.h"
#include "progress.h"
#include "reduced.h"

#define OPERATIONS_PER_SECOND 1.5e9 /* of a factorisation, roughly */
#define ANNOUNCED_TIME 60.          /* [s]; longer work is announced */
#define STEPS_CURVE 3000.           /* factorisations along a curve, roughly, */
#define STEPS_ONE 12.               /* and for one motion */
#define STEPS_SLOW 100.  /* cost of the eigenvalues of slow amplitudes, in factorisations, */
#define POINTS_SLOW 300. /* and number of points of a curve that need them */

/* announces long work, before it begins: matrices of n rows */
static void report_cost(const cli_options *o, double n, bool over, const char *why) {
    double each = 2. / 3 * n * n * n / OPERATIONS_PER_SECOND,
           steps = over ? STEPS_CURVE : STEPS_ONE;
    if (o->forced.slow)
        steps = over ? POINTS_SLOW * STEPS_SLOW : STEPS_SLOW;
    double all = each * steps;
    if (o->quiet || all < ANNOUNCED_TIME)
        return;
    fprintf(
        stderr,
        "note: %s: %.0f unknowns, about %.2g s per step of Newton's method, %.2g min in total\n",
        why, n, each, all / 60);
    fputs("hint: fewer --harmonics or a larger --tolerance take less time\n", stderr);
}

static zw_status report_kinks(const cli_options *o, const zw_forced *f, bool over, zw_error *err) {
    int n;
    ZW_TRY(zw_forced_unknowns(f, &n, err));
    report_cost(o, n, over,
                "forces have kinks, so motions may need up to --harmonics-max harmonics");
    return ZW_OK;
}

static zw_status make_study(cli_forced *s, const cli_options *o, const char *over, zw_error *err) {
    zw_forced_options options = zw_forced_options_default();
    options.over = over;
    options.harmonics = o->forced.harmonics;
    options.harmonics_max = o->forced.harmonics_max;
    options.odd = o->forced.odd;
    options.order = o->forced.order;
    options.tolerance = o->forced.tolerance;
    options.settle = o->forced.settle;
    options.taylor = o->forced.taylor;
    options.slow = o->forced.slow;
    options.cycles = o->forced.cycles;
    options.van_der_pol = o->forced.van_der_pol;
    options.stop = cli_watch;
    options.stop_user = (void *)o;
    report_cost(o, (2. * options.harmonics + 1) * s->model.sys->nv, over, "the given --harmonics");
    ZW_TRY(zw_forced_create(&s->study, s->model.sys, &options, err));
    return report_kinks(o, s->study, over, err);
}

static zw_status open_study(cli_forced *s, const char *path, const cli_options *o, const char *over,
                            zw_error *err) {
    *s = (cli_forced){.path = path, .over = over};
    ZW_TRY(cli_model_open(&s->model, path, o, err));
    cli_report_warnings(o, s->model.warnings, false);
    if (o->forced.slow)
        ZW_TRY(cli_model_reduce(&s->model, path, o, CLI_REDUCE_LEFT_OUT, err));
    return make_study(s, o, over, err);
}

static void destroy_study(cli_forced *s) {
    zw_forced_destroy(s->study);
    s->study = NULL;
}

static void close_study(cli_forced *s) {
    destroy_study(s);
    cli_model_close(&s->model);
    zw_reduction_destroy(s->reduction);
    cli_model_close(&s->full);
}

static zw_status reduce_model(const cli_options *o, cli_forced *s, zw_error *err) {
    zw_status status = cli_reduction_make(&s->reduction, s->model.sys, err);
    if (status != ZW_OK)
        return status;
    destroy_study(s);
    status = cli_reduction_open(s->reduction, &s->model, &s->full, s->path, err);
    if (status != ZW_OK)
        return status;
    ZW_TRY(make_study(s, o, s->over, err));
    zw_forced_reduced_by(s->study, s->reduction);
    return ZW_OK;
}

static zw_status work_reduced(const cli_options *o, cli_forced *s, cli_forced_step work,
                              zw_error *err) {
    zw_status status = reduce_model(o, s, err);
    if (status == ZW_RETRY)
        return ZW_E_NUMERIC; /* it was reported already */
    ZW_TRY(status);
    *err = (zw_error){0};
    return work(o, s, err);
}

int cli_forced_run(const cli_options *o, const char *path, const char *over, cli_forced_step check,
                   cli_forced_step work, zw_error *err) {
    cli_forced s = {0};
    cli_signals watched;
    zw_status status = check(o, &s, err);
    if (status >= 0)
        status = open_study(&s, path, o, over, err);
    cli_signals_begin(&watched);
    if (status >= 0)
        status = work(o, &s, err);
    if (status == ZW_E_NUMERIC && !s.reduction && s.study && zw_forced_drifts(s.study))
        status = work_reduced(o, &s, work, err);
    status = cli_judge(o, s.model.warnings, status, err);
    close_study(&s);
    cli_signals_end(&watched);
    return cli_exit_code(status);
}

zw_status cli_forced_report(const cli_options *o, const cli_forced *s, zw_error *err) {
    zw_allocator alloc = zw_context_allocator(s->model.ctx);
    zw_bytes bytes;
    ZW_TRY(zw_forced_find_drifts(s->study, err));
    zw_forced_warnings(s->study, s->model.warnings);
    cli_report_warnings(o, s->model.warnings, false);
    zw_report *r = zw_report_create(&alloc);
    if (!r)
        return zw_out_of_memory(err, "a report");
    zw_report_word(r, "model", s->reduction ? s->full.sys->name : s->model.sys->name);
    zw_forced_report(s->study, r);
    zw_status status = o->json ? zw_report_json(r, &bytes, err) : zw_report_text(r, &bytes, err);
    if (status >= 0) {
        status = cli_write_text(NULL, bytes.data, err);
        zw_bytes_clear(&bytes);
    }
    zw_report_destroy(r);
    return status;
}
