/* SPDX-License-Identifier: MIT */
/* What the commands on steady motions share: which motion is meant. */
#ifndef ZW_CLI_STEADY_H
#define ZW_CLI_STEADY_H

#include "cli.h"

/* --hold, --solve and --by */
extern const zw_option cli_steady_table[];

/* A model with what is held of it: NAME=VALUE is a start value with its unit, too. */
typedef struct cli_steady {
    cli_model model;
    const char *path;
    char start[ZW_OPTION_LIST_MAX][160]; /* what a motion in closed form sets */
    zw_equilibria_options options;       /* for zw_equilibria_create, as the command line says */
} cli_steady;

/* Also tells the doubts of the model. */
zw_status cli_steady_open(cli_steady *s, const char *path, const cli_options *o, zw_error *err);
void cli_steady_close(cli_steady *s);

/* equilibria_over.c: zwang equilibria --over */
zw_status cli_equilibria_over(const cli_options *o, const cli_steady *s, zw_error *err);
/* equilibria_branches.c: zwang equilibria --over with --branches or --marks */
zw_status cli_equilibria_branches(const cli_options *o, const cli_steady *s, zw_error *err);

#endif
