/* SPDX-License-Identifier: MIT */
/* What `steady` and `response` share. */
#ifndef ZW_CLI_FORCED_H
#define ZW_CLI_FORCED_H

#include "cli.h"

/* Options of the balance, in cli_options.forced. */
extern const zw_option cli_forced_table[];  /* of driven motions, */
extern const zw_option cli_balance_table[]; /* of free ones */

typedef struct cli_forced {
    cli_model model;
    cli_model full; /* the model itself, if `model` is its reduction, */
    zw_reduction *reduction;
    const char *path, *over;
    zw_forced *study; /* the one at work */
    int n;            /* all of them, one for each value of --for */
    zw_forced *all[ZW_FORCED_VALUES];
    zw_forced_values values;
} cli_forced;

/* What is wrong with the options, before anything is done; and what the verb does with its
 * study. */
typedef zw_status (*cli_forced_step)(const cli_options *o, cli_forced *s, zw_error *err);
/* A verb: the model, its study over a number (NULL: none), signals, doubts. Returns the exit
 * code. */
int cli_forced_run(const cli_options *o, const char *path, const char *over, cli_forced_step check,
                   cli_forced_step work, zw_error *err);
/* The reduced model (zwang/symbolic.h) in the place of the model, with studies of it. ZW_RETRY:
 * there is none. */
zw_status cli_forced_reduce(const cli_options *o, cli_forced *s, zw_error *err);
/* gauss.c: options of --gauss, in cli_options.gauss; and what it does. Exit code 0 means that there
 * is a motion among the minima. */
extern const zw_option cli_gauss_table[];
zw_status cli_gauss_check(const cli_options *o, zw_error *err);
zw_status cli_gauss_find(const cli_options *o, cli_forced *s, zw_error *err);
/* --out and --picture of curves: can they be written, and their table. */
zw_status cli_forced_check_files(const cli_options *o, cli_forced *s, zw_error *err);
zw_status cli_forced_files(const cli_options *o, const cli_forced *s, zw_error *err);
/* One motion integrated over its period, as a result; how far it is from closing is told. */
/* --spectrum FILE: the harmonics of a motion */
zw_status cli_forced_spectrum(const cli_options *o, const cli_forced *s, int number, zw_error *err);
zw_status cli_forced_motion(const cli_options *o, const cli_forced *s, zw_forced *study, int number,
                            zw_table **rows, zw_error *err);
/* --pick and --motion: one of a curve into a file. */
zw_status cli_forced_point(const cli_options *o, const cli_forced *s, zw_error *err);
/* Text or JSON on standard output, with what is doubtful. */
zw_status cli_forced_tell(const cli_options *o, const cli_forced *s, zw_error *err);

#endif
