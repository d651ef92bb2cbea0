/* SPDX-License-Identifier: MIT */
/* Shared by `steady`, `response` and `backbone`. */
#ifndef ZW_CLI_FORCED_H
#define ZW_CLI_FORCED_H

#include "cli.h"

/* Options of harmonic balance, in cli_options.forced. */
extern const zw_option cli_forced_table[];  /* for forced motions, */
extern const zw_option cli_balance_table[]; /* for free motions */

typedef struct cli_forced {
    cli_model model;
    cli_model full; /* the full model, if `model` is its reduction */
    zw_reduction *reduction;
    const char *path, *over;
    zw_forced *study; /* the current one */
    int n;            /* all of them, one for each value of --for */
    zw_forced *all[ZW_FORCED_VALUES];
    zw_forced_values values;
} cli_forced;

/* Checks the options, before anything is done; and runs the study. */
typedef zw_status (*cli_forced_step)(const cli_options *o, cli_forced *s, zw_error *err);
/* Runs a verb: the model, its study over a parameter (NULL: none), signals, warnings. Returns the
 * exit code. */
int cli_forced_run(const cli_options *o, const char *path, const char *over, cli_forced_step check,
                   cli_forced_step work, zw_error *err);
/* Replaces the model by the reduced one (zwang/symbolic.h), with studies of it. ZW_RETRY if there
 * is none. */
zw_status cli_forced_reduce(const cli_options *o, cli_forced *s, zw_error *err);
/* steady_gauss.c: options of --gauss, in cli_options.gauss; checks them; runs it. Exit code 0 means
 * that there is a motion among the minima. */
extern const zw_option cli_gauss_table[];
zw_status cli_gauss_check(const cli_options *o, zw_error *err);
zw_status cli_gauss_find(const cli_options *o, cli_forced *s, zw_error *err);
/* --out and --picture of curves: checks that they can be written; writes their table. */
zw_status cli_forced_check_files(const cli_options *o, cli_forced *s, zw_error *err);
zw_status cli_forced_files(const cli_options *o, const cli_forced *s, zw_error *err);
/* --spectrum FILE: the harmonics of a motion. */
zw_status cli_forced_spectrum(const cli_options *o, const cli_forced *s, int number, zw_error *err);
zw_status cli_forced_motion(const cli_options *o, const cli_forced *s, zw_forced *study, int number,
                            zw_table **rows, zw_error *err);
/* --pick and --motion: one motion of a curve to a file. */
zw_status cli_forced_point(const cli_options *o, const cli_forced *s, zw_error *err);
/* Text or JSON on standard output, with the warnings. */
zw_status cli_forced_report(const cli_options *o, const cli_forced *s, zw_error *err);

#endif
