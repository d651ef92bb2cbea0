/* SPDX-License-Identifier: MIT */
/* What `steady` and `response` share. */
#ifndef ZW_CLI_FORCED_H
#define ZW_CLI_FORCED_H

#include "cli.h"

/* Options of the balance, in cli_options.forced. */
extern const zw_option cli_forced_table[];

typedef struct cli_forced {
    cli_model model;
    const char *path;
    zw_forced *study;
} cli_forced;

/* What is wrong with the options, before anything is done; and what the verb does with its study. */
typedef zw_status (*cli_forced_step)(const cli_options *o, cli_forced *s, zw_error *err);
/* A verb: the model, its study over a number (NULL: none), signals, doubts. Returns the exit code. */
int cli_forced_run(const cli_options *o, const char *path, const char *over, cli_forced_step check,
                   cli_forced_step work, zw_error *err);
/* gauss.c: options of --gauss, in cli_options.gauss; and what it does. Exit code 0 means that there is a motion among the minima. */
extern const zw_option cli_gauss_table[];
zw_status cli_gauss_check(const cli_options *o, zw_error *err);
zw_status cli_gauss_find(const cli_options *o, cli_forced *s, zw_error *err);
/* Text or JSON on standard output, with what is doubtful. */
zw_status cli_forced_tell(const cli_options *o, const cli_forced *s, zw_error *err);

#endif
