/* SPDX-License-Identifier: MIT */
/* A sweep as a study: its options (zw_sweep_study.c), its work on the files of a survey (sweep.c) and
 * what is reported of it (zw_sweep_study_report.c). */
#ifndef ZW_MANY_SWEEPS_SWEEP_H
#define ZW_MANY_SWEEPS_SWEEP_H

#include "base/arena.h"
#include "sim/options.h"
#include "zwang/study.h"
#include "zwang/survey.h"

typedef struct zw_sweep_options {
    zw_option_list over, start, disturb;
    const char *points;
    zw_plan_options plan;
    zw_survey_options own;
    zw_ensemble_options ensemble;
    zw_survey_files files;
    bool yes;
    zw_sim_options sim; /* of it only what zw_sim_contact_table has, seed and noise step */
} zw_sweep_options;

/* A change of the first measure of a carried state between two values of the first axis. */
typedef struct zw_sweep_jump {
    double low, high, from, to;
} zw_sweep_jump;

enum { ZW_SWEEP_JUMPS = 20 }; /* reported; the rows of all are in the result */

typedef struct zw_sweep_study {
    const zw_sweep_options *o;
    zw_study_input input;
    zw_arena arena;
    const char *out; /* path of the result; NULL: a journal alone */
    bool shared;     /* by a journal */
    zw_survey *survey;
    zw_table *points; /* of --points */
    zw_table *names;  /* columns of the result, without rows */
    zw_statistics *statistics;
    double *value; /* measures x points, for sensitivities; NULL */
    /* measures x axes, and samples or paths for each measure; NULL: not computed */
    zw_sensitivity *effect;
    uint64_t *used;
    bool strange;  /* a row belonged to no point of the plan */
    bool complete; /* all rows came to this process */
    bool stopped, has_report;
    zw_survey_report report;
    long njump;
    zw_sweep_jump jump[ZW_SWEEP_JUMPS];
    const char *claim;  /* the claim that was noted last */
    zw_warnings *files; /* about the files that were read */
} zw_sweep_study;

/* sweep.c */
zw_status zw_sweep_study_create(void **out, const zw_study_input *input, void *options,
                                zw_error *err);
zw_status zw_sweep_study_work(void *study, const zw_study_input *input, zw_error *err);
void zw_sweep_study_destroy(void *study);
/* One result from parts: files, and folders of them. */
zw_status zw_sweep_study_join(int n, const char *const *part, const char *out, zw_report *report,
                              zw_warnings *warnings, zw_error *err);
/* The error of motions that failed; ZW_OK if none did. */
zw_status zw_sweep_outcome(const zw_survey_report *r, zw_error *err);

/* zw_sweep_study_report.c */
void zw_sweep_note_plan(const zw_sweep_study *s);
void zw_sweep_note(const zw_sweep_study *s, const char *fmt, ...) ZW_PRINTF(2, 3);
void zw_sweep_study_report(const void *study, zw_report *out);
void zw_sweep_study_warnings(const void *study, zw_warnings *out);
/* Of a result that was joined from parts. */
void zw_sweep_report_parts(const zw_survey_report *r, zw_report *out);
void zw_sweep_warn_doubtful(const zw_plan *plan, const zw_survey_report *r, zw_warnings *out);

#endif
