/* SPDX-License-Identifier: MIT */
/* One run of a model: its options, and the results that it starts from. */
#ifndef ZW_RUNS_RUN_STUDY_H
#define ZW_RUNS_RUN_STUDY_H

#include "zwang/option.h"
#include "zwang/simulate.h"
#include "zwang/study.h"

typedef struct zw_run_study_options {
    zw_sim_options sim;
    zw_option_list section;
    bool wrap;
    const char *start_from, *restart;
} zw_run_study_options;

extern const zw_study_kind zw_study_run;

/* resumed_options.c: the options of a run that continues a result: those of the result, and those
 * that were given. */
zw_status zw_run_resumed_options(zw_sim_options *out, const zw_table *result,
                                 const zw_run_study_options *given, const zw_study_input *input,
                                 zw_error *err);

/* start_from.c: start values from a result of another model, "RESULT@TIME:NAMES". The result is
 * read into *result, and destroyed by the caller in any case; the numbers live in the context of the
 * system. */
zw_status zw_run_start_from(zw_sim_numbers *out, zw_table **result, const zw_system *sys,
                            const char *text, zw_error *err);

#endif
