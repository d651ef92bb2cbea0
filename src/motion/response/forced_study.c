/* SPDX-License-Identifier: MIT */
#include "forced_study.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "forced.h"

#define AT(field) offsetof(zw_forced_options, field)

const zw_option zw_forced_balance_table[] = {
    {"harmonics", ZW_OPT_INT, AT(harmonics), 0, 0, 2000, "", NULL,
     "highest harmonic; 0: chosen from --tolerance"},
    {"tolerance", ZW_OPT_DOUBLE, AT(tolerance), 1e-6, 1e-13, 0.5, "", NULL,
     "relative tolerance: the change that the omitted harmonics may cause"},
    {0},
};

const zw_option zw_forced_balance_rare_table[] = {
    {"harmonics-max", ZW_OPT_INT, AT(harmonics_max), 127, 1, 2000, "", NULL,
     "maximum number of harmonics that --tolerance may choose"},
    {"odd", ZW_OPT_FLAG, AT(odd), 0, 0, 0, "", NULL, "odd harmonics only"},
    {"coefficients", ZW_OPT_FLAG, AT(coefficients), 0, 0, 0, "", NULL,
     "columns cos1(x), sin1(x), ... in .csv tables too; .json and .h5 always have them"},
    {0},
};

enum { ROWS = 256 };
/* Closure error relative to the size of the motion: a thousand times the default tolerance, and
 * visible in a picture. */
#define CLOSURE_ERROR_MAX 1e-3
#define OPERATIONS_PER_SECOND 1.5e9 /* of a factorisation, roughly */
#define ANNOUNCED_TIME 60.          /* [s]; longer work is announced */
#define STEPS_CURVE 3000.           /* factorisations along a curve, roughly, */
#define STEPS_ONE 12.               /* and for one motion */
#define STEPS_SLOW 100.             /* cost of eigenvalues of slow amplitudes, in factorisations, */
#define POINTS_SLOW 300.            /* and number of points of a curve that need them */

/* -------------------------------------------------------------------------------------- set-up */

bool zw_forced_study_stop(void *user, double done) {
    zw_forced_study *s = user;
    s->stopped |= s->input->stop && s->input->stop(s->input->user, done);
    return s->stopped;
}

/* announces long work, before it begins: matrices of n rows */
static void announce_cost(const zw_forced_study *s, const zw_forced_options *options, double n,
                          const char *why) {
    double each = 2. / 3 * n * n * n / OPERATIONS_PER_SECOND,
           steps = options->over ? STEPS_CURVE : STEPS_ONE;
    if (options->slow)
        steps = options->over ? POINTS_SLOW * STEPS_SLOW : STEPS_SLOW;
    double all = each * steps;
    char text[300];
    if (all < ANNOUNCED_TIME || !s->input->note)
        return;
    snprintf(
        text, sizeof text,
        "%s: %.0f unknowns, about %.2g s per step of Newton's method, %.2g min in total; fewer "
        "--harmonics or a larger --tolerance take less time",
        why, n, each, all / 60);
    s->input->note(s->input->user, text);
}

static zw_status announce_kinks(const zw_forced_study *s, const zw_forced_options *options,
                                zw_error *err) {
    int n;
    ZW_TRY(zw_forced_unknowns(s->all[0], &n, err));
    announce_cost(s, options, n,
                  "forces have kinks, so motions may need up to --harmonics-max harmonics");
    return ZW_OK;
}

/* files for programs have all numbers */
static bool is_deep(const zw_study_input *input) {
    const char *path = zw_study_wants(input, "out"), *ending = path ? strrchr(path, '.') : NULL;
    return ending && (strcmp(ending, ".h5") == 0 || strcmp(ending, ".hdf5") == 0 ||
                      strcmp(ending, ".json") == 0);
}

zw_status zw_forced_study_open(zw_forced_study *s, const zw_study_input *input,
                               zw_forced_options options, const char *with, zw_error *err) {
    const zw_system *sys = input->system;
    s->input = input;
    s->gap = NAN;
    options.stop = zw_forced_study_stop;
    options.stop_user = s;
    options.coefficients |= is_deep(input);
    if (with) {
        ZW_TRY(zw_forced_values_read(&s->values, sys, with, err));
        options.with = &s->values;
    }
    announce_cost(s, &options, (2. * options.harmonics + 1) * sys->nv, "the given --harmonics");
    for (int i = 0; i < (with ? s->values.n : 1); i++) {
        options.member = i;
        ZW_TRY(zw_forced_create(&s->all[i], sys, &options, err));
        s->n++;
        if (input->reduction)
            zw_forced_reduced_by(s->all[i], input->reduction);
    }
    return s->shoots ? ZW_OK : announce_kinks(s, &options, err);
}

void zw_forced_study_close(zw_forced_study *s) {
    for (int i = 0; i < s->n; i++)
        zw_forced_destroy(s->all[i]);
    zw_table_destroy(s->run);
}

/* ---------------------------------------------------------------------------------- one period */

zw_status zw_forced_study_run(zw_forced_study *s, zw_forced *f, int number, zw_error *err) {
    const zw_model_source *source =
        s->input->full_source ? s->input->full_source : s->input->source;
    zw_table_destroy(s->run);
    s->run = NULL;
    ZW_TRY(zw_forced_motion_table(f, number, ROWS, source, &s->run, &s->gap, err));
    s->run_of = f;
    s->run_number = number;
    s->run_end = zw_table_at(s->run, zw_table_rows(s->run) - 1, 0);
    return ZW_OK;
}

zw_status zw_forced_study_give_run(zw_forced_study *s, zw_forced *f, int number, zw_table **out,
                                   zw_error *err) {
    if (!s->run || s->run_of != f || s->run_number != number)
        ZW_TRY(zw_forced_study_run(s, f, number, err));
    *out = s->run;
    s->run = NULL;
    return ZW_OK;
}

static void report_run(const zw_forced_study *s, zw_report *out) {
    bool torus = zw_forced_phases(s->run_of) > 1;
    zw_report_open(out, "integrated");
    zw_report_count(out, "motion", s->run_number);
    zw_report_number(out, "until", s->run_end, &(zw_shown){.unit = "s", .digits = 6});
    zw_report_number(out, torus ? "departure" : "closure_error", s->gap, &(zw_shown){.digits = 2});
    zw_report_say(out, torus ? "motion {motion} integrated from t = 0 to {until}: it departs from "
                               "its series by {departure} of its size\n"
                             : "motion {motion} integrated over its period: closure error "
                               "{closure_error} of its size\n");
    zw_report_close(out);
}

static void warn_run(const zw_forced_study *s, zw_warnings *out) {
    bool unstable = zw_forced_motion_at(s->run_of, s->run_number)->outside > 0;
    zw_warning d =
        zw_forced_phases(s->run_of) > 1
            ? zw_warning_of("period", NAN,
                            "the motion does not stay on its torus when it is integrated: it "
                            "departs from its series by %.1e of its size%s",
                            s->gap, unstable ? ", as unstable motions do" : "")
            : zw_warning_of("period", NAN,
                            "the motion does not close when it is integrated over its period: the "
                            "closure error is %.1e of its size",
                            s->gap);
    zw_warnings_add(out, &d);
}

/* ----------------------------------------------------------------------------------- the results */

static zw_status pick_motion(zw_forced_study *s, zw_error *err) {
    zw_forced *study;
    int number;
    ZW_TRY(zw_forced_pick(s->all[0], s->pick, &study, &number, err));
    s->picked = study;
    s->picked_number = number;
    return ZW_OK;
}

zw_status zw_forced_study_end(zw_forced_study *s, const char *pick, zw_error *err) {
    for (int i = 0; i < s->n; i++)
        ZW_TRY(zw_forced_find_drifts(s->all[i], err));
    s->found = true;
    s->pick = pick;
    if (pick) {
        ZW_TRY(pick_motion(s, err));
        if (zw_study_wants(s->input, "motion"))
            ZW_TRY(zw_forced_study_run(s, s->picked, s->picked_number, err));
    }
    return s->stopped ? ZW_STOPPED : ZW_OK;
}

zw_status zw_forced_study_table(zw_forced_study *s, zw_table **out, zw_error *err) {
    return zw_forced_mark_count(s->all[0]) > 0
               ? zw_forced_marks_table(s->all[0], s->input->source, out, err)
               : zw_forced_table_of(s->n, s->all, s->input->source, out, err);
}

zw_status zw_forced_study_motion(zw_forced_study *s, zw_table **out, zw_error *err) {
    if (!s->pick)
        return zw_fail(err, ZW_E_OPTION, "--motion FILE needs --pick, which says which motion");
    if (!s->picked) /* there is none: the same error again */
        ZW_TRY(pick_motion(s, err));
    return zw_forced_study_give_run(s, s->picked, s->picked_number, out, err);
}

void zw_forced_study_report(const zw_forced_study *s, zw_report *out) {
    zw_forced_report_of(s->n, s->all, out);
    if (s->picked) {
        zw_report_list(out, "picked");
        zw_forced_report_motion(s->picked, s->picked_number, out);
        zw_report_close(out);
    }
    if (!isnan(s->gap))
        report_run(s, out);
}

void zw_forced_study_warnings(const zw_forced_study *s, zw_warnings *out) {
    for (int i = 0; i < s->n; i++)
        zw_forced_warnings(s->all[i], out);
    if (s->gap >= CLOSURE_ERROR_MAX)
        warn_run(s, out);
}

bool zw_forced_study_drifts(const zw_forced_study *s) {
    for (int i = 0; i < s->n; i++)
        if (zw_forced_drifts(s->all[i]))
            return true;
    return false;
}
