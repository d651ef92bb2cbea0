/* SPDX-License-Identifier: MIT */
#include "forced.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "derive.h"
#include "job.h"
#include "picture.h"
#include "progress.h"
#include "reduced.h"

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
    {"winding", ZW_OPT_STRING, AT(winding), 0, 0, 0, "", "PHI=TURNS",
     "an angle that turns, by whole turns in a period of the motion: phi=1; what is told of it is "
     "the rest"},
    {"starts", ZW_OPT_INT, AT(starts), 0, 0, 1000000, "", NULL,
     "further starts of different sizes: all motions that they lead to"},
    {0},
};

const zw_option cli_balance_table[] = {
    {"harmonics", ZW_OPT_INT, AT(harmonics), 0, 0, 2000, "", NULL,
     "the highest harmonic; 0: as many as --tolerance asks for"},
    {"harmonics-max", ZW_OPT_INT, AT(harmonics_max), 127, 1, 2000, "", NULL,
     "at most so many then"},
    {"odd", ZW_OPT_FLAG, AT(odd), 0, 0, 0, "", NULL, "odd harmonics alone"},
    {"tolerance", ZW_OPT_DOUBLE, AT(tolerance), 1e-6, 1e-13, 0.5, "", NULL,
     "of the motion, relative: what harmonics that are left out may change"},
    {0},
};

/* files for programs have all numbers */
static bool is_deep(const char *path) {
    const char *ending = path ? strrchr(path, '.') : NULL;
    return ending && (strcmp(ending, ".h5") == 0 || strcmp(ending, ".hdf5") == 0 ||
                      strcmp(ending, ".json") == 0);
}

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

static zw_status make_studies(cli_forced *s, const cli_options *o, const char *over,
                              zw_error *err) {
    zw_forced_options options = zw_forced_options_default();
    options.over = over;
    options.harmonics = o->forced.harmonics;
    options.harmonics_max = o->forced.harmonics_max;
    options.odd = o->forced.odd;
    options.order = o->forced.free ? 1 : o->forced.order;
    options.free = o->forced.free;
    options.tolerance = o->forced.tolerance;
    options.settle = o->forced.settle;
    options.taylor = o->forced.taylor;
    options.slow = o->forced.slow;
    options.cycles = o->forced.cycles;
    options.van_der_pol = o->forced.van_der_pol;
    options.winding = o->forced.winding;
    options.coefficients = o->forced.coefficients || is_deep(o->out);
    options.stop = cli_watch;
    options.stop_user = (void *)o;
    if (o->forced.with) {
        ZW_TRY(zw_forced_values_read(&s->values, s->model.sys, o->forced.with, err));
        options.with = &s->values;
    }
    report_cost(o, (2. * options.harmonics + 1) * s->model.sys->nv, over, "the given --harmonics");
    for (int i = 0; i < (options.with ? s->values.n : 1); i++) {
        options.member = i;
        ZW_TRY(zw_forced_create(&s->all[i], s->model.sys, &options, err));
        s->n++;
    }
    s->study = s->all[0];
    return o->forced.shooting ? ZW_OK : report_kinks(o, s->study, over, err);
}

static zw_status open_study(cli_forced *s, const char *path, const cli_options *o, const char *over,
                            zw_error *err) {
    *s = (cli_forced){.path = path, .over = over};
    ZW_TRY(cli_model_open(&s->model, path, o, err));
    cli_report_warnings(o, s->model.warnings, false);
    if (o->forced.slow)
        ZW_TRY(cli_model_reduce(&s->model, path, o, CLI_REDUCE_LEFT_OUT, err));
    return make_studies(s, o, over, err);
}

static void destroy_studies(cli_forced *s) {
    for (int i = 0; i < s->n; i++)
        zw_forced_destroy(s->all[i]);
    s->n = 0;
    s->study = NULL;
}

static void close_study(cli_forced *s) {
    destroy_studies(s);
    cli_model_close(&s->model);
    zw_reduction_destroy(s->reduction);
    cli_model_close(&s->full);
}

zw_status cli_forced_reduce(const cli_options *o, cli_forced *s, zw_error *err) {
    zw_status status = cli_reduction_make(&s->reduction, s->model.sys, err);
    if (status != ZW_OK)
        return status;
    destroy_studies(s);
    status = cli_reduction_open(s->reduction, &s->model, &s->full, s->path, err);
    if (status != ZW_OK)
        return status;
    ZW_TRY(make_studies(s, o, s->over, err));
    for (int i = 0; i < s->n; i++)
        zw_forced_reduced_by(s->all[i], s->reduction);
    return ZW_OK;
}

static zw_status work_reduced(const cli_options *o, cli_forced *s, cli_forced_step work,
                              zw_error *err) {
    zw_status status = cli_forced_reduce(o, s, err);
    if (status == ZW_RETRY)
        return ZW_E_NUMERIC; /* it was reported already */
    ZW_TRY(status);
    *err = (zw_error){0};
    return work(o, s, err);
}

static bool has_drift(const cli_forced *s) {
    for (int i = 0; i < s->n; i++)
        if (zw_forced_drifts(s->all[i]))
            return true;
    return false;
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
    if (status == ZW_E_NUMERIC && !s.reduction && has_drift(&s))
        status = work_reduced(o, &s, work, err);
    status = cli_judge(o, s.model.warnings, status, err);
    close_study(&s);
    cli_signals_end(&watched);
    return cli_exit_code(status);
}

zw_status cli_forced_report(const cli_options *o, const cli_forced *s, zw_error *err) {
    bool list = o->json && s->n > 1;
    zw_status status = ZW_OK;
    for (int i = 0; i < s->n; i++) {
        ZW_TRY(zw_forced_find_drifts(s->all[i], err));
        zw_forced_warnings(s->all[i], s->model.warnings);
    }
    cli_report_warnings(o, s->model.warnings, false);
    for (int i = 0; i < s->n && status >= 0; i++) {
        char *text = o->json ? zw_forced_json(s->all[i]) : zw_forced_text(s->all[i]);
        if (list)
            ZW_TRY(cli_write_text(NULL, i ? ",\n" : "[", err));
        status = cli_write_text(NULL, text, err);
        zw_string_free(s->model.ctx, text);
    }
    return list && status >= 0 ? cli_write_text(NULL, "]\n", err) : status;
}

zw_status cli_forced_files(const cli_options *o, const cli_forced *s, zw_error *err) {
    zw_model_source source = cli_model_source(&s->model, s->path);
    zw_table *t;
    if (!o->out && !o->picture)
        return ZW_OK;
    if (cli_picture_is_of_marks(o, zw_forced_mark_count(s->study)))
        ZW_TRY(zw_forced_marks_table(s->study, &source, &t, err));
    else
        ZW_TRY(zw_forced_table_of(s->n, s->all, &source, &t, err));
    return cli_picture_and_table(o, s->model.warnings, t, err);
}

zw_status cli_forced_check_files(const cli_options *o, cli_forced *s, zw_error *err) {
    (void)s;
    if (o->picture)
        ZW_TRY(zw_plot_check_path(o->picture, err));
    if (!o->forced.point != !o->forced.motion)
        return zw_fail(err, ZW_E_OPTION,
                       o->forced.point ? "--pick says which motion: --motion FILE is where it goes"
                                       : "--motion FILE needs --pick, which says which one");
    if (o->forced.motion) {
        ZW_TRY(zw_table_can_write(o->forced.motion, err));
        ZW_TRY(cli_guard_write(o, o->forced.motion, err));
    }
    if (o->out)
        ZW_TRY(zw_table_can_write(o->out, err));
    return cli_guard_write(o, o->out, err);
}

enum { ROWS = 256 };
/* Closure error relative to the size of the motion: a thousand times the default tolerance, and
 * visible in a picture. */
#define CLOSURE_ERROR_MAX 1e-3

zw_status cli_forced_motion(const cli_options *o, const cli_forced *s, zw_forced *study, int number,
                            zw_table **rows, zw_error *err) {
    zw_model_source source = cli_model_source(s->reduction ? &s->full : &s->model, s->path);
    double gap;
    ZW_TRY(zw_forced_motion_table(study, number, ROWS, &source, rows, &gap, err));
    bool torus = zw_forced_phases(study) > 1;
    if (torus)
        fprintf(stderr,
                "motion %d integrated from t = 0 to %.6g s: it departs from its series by %.1e of "
                "its size\n",
                number, zw_table_at(*rows, zw_table_rows(*rows) - 1, 0), gap);
    else
        fprintf(stderr,
                "motion %d integrated over its period: it misses its beginning by %.1e of its "
                "size\n",
                number, gap);
    if (gap < CLOSURE_ERROR_MAX)
        return ZW_OK;
    zw_warning d =
        torus
            ? zw_warning_of(
                  "period", NAN,
                  "the motion does not stay on its torus when it is integrated: it "
                  "departs from its series by %.1e of its size%s",
                  gap,
                  zw_forced_motion_at(study, number)->outside > 0 ? ", as unstable motions do" : "")
            : zw_warning_of("period", NAN,
                            "the motion does not close when it is integrated over its period: it "
                            "misses its beginning by %.1e of its size",
                            gap);
    zw_warnings_add(s->model.warnings, &d);
    cli_report_warnings(o, s->model.warnings, false);
    return ZW_OK;
}

zw_status cli_forced_spectrum(const cli_options *o, const cli_forced *s, int number,
                              zw_error *err) {
    zw_model_source source = cli_model_source(&s->model, s->path);
    zw_table *t;
    ZW_TRY(zw_forced_spectrum(s->study, number, &source, &t, err));
    zw_status status = cli_write_table(t, o->forced.spectrum, err);
    zw_table_destroy(t);
    return status;
}

zw_status cli_forced_point(const cli_options *o, const cli_forced *s, zw_error *err) {
    zw_forced *study;
    zw_table *rows;
    int number;
    if (!o->forced.point)
        return ZW_OK;
    ZW_TRY(zw_forced_pick(s->study, o->forced.point, &study, &number, err));
    ZW_TRY(cli_forced_motion(o, s, study, number, &rows, err));
    zw_status status = cli_write_table(rows, o->forced.motion, err);
    zw_table_destroy(rows);
    return status;
}
