/* SPDX-License-Identifier: MIT */
/* The numbers of `amplitudes`: a study of forced motions and its report. */
#ifndef ZW_CLI_FORCED_H
#define ZW_CLI_FORCED_H

#include "cli.h"

typedef struct cli_forced {
    cli_model model;
    cli_model full; /* the full model, if `model` is its reduction */
    zw_reduction *reduction;
    const char *path, *over;
    zw_forced *study;
} cli_forced;

/* Checks the options, before anything is done; and runs the study. */
typedef zw_status (*cli_forced_step)(const cli_options *o, cli_forced *s, zw_error *err);
/* Runs a verb: the model, its study over a parameter (NULL: none), signals, warnings. Returns the
 * exit code. */
int cli_forced_run(const cli_options *o, const char *path, const char *over, cli_forced_step check,
                   cli_forced_step work, zw_error *err);
/* Text or JSON on standard output, with the warnings. */
zw_status cli_forced_report(const cli_options *o, const cli_forced *s, zw_error *err);

#endif
