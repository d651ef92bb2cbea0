/* SPDX-License-Identifier: MIT */
/* Several runs of one model: --set nu=0,5,10 is three of them, two such lists are all pairs; so is
 * --variant a,b. */
#ifndef ZW_CLI_SERIES_H
#define ZW_CLI_SERIES_H

#include "cli.h"

enum { SERIES_TEXT = 160, SERIES_LABEL = 320 };

/* One run: the options with one value for each list. */
typedef struct series_run {
    cli_options o; /* its model.set and model.variant point into the texts below */
    char set[ZW_OPTION_LIST_MAX][SERIES_TEXT];
    char variant[SERIES_TEXT];
} series_run;

/* How many runs the options ask for. */
long series_count(const cli_options *o);
/* Run k of them. Numbers of a list without any unit are in SI units, which sys knows; it may be NULL
 * if there is no list. */
zw_status series_run_init(series_run *r, const cli_options *o, long k, const zw_system *sys,
                          zw_error *err);
/* The options without their lists: every list stands for the value of the model. */
void series_strip(cli_options *o);
/* What tells this run from the others, in the markup of labels: nu = 5 {g/s}. Units that were not
 * given come from the result. */
void series_label(const series_run *r, const cli_options *o, const zw_table *result,
                  char label[SERIES_LABEL]);

#endif
