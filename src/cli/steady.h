/* SPDX-License-Identifier: MIT */
/* Shared by the commands on steady motions: the selection of a motion. */
#ifndef ZW_CLI_STEADY_H
#define ZW_CLI_STEADY_H

#include "cli.h"

/* A model with its held quantities: NAME=VALUE is also a start value, with its unit. */
typedef struct cli_steady {
    cli_model model;
    const char *path;
    char start[ZW_OPTION_LIST_MAX][160]; /* settings from a motion in closed form */
    zw_equilibria_options options;       /* for zw_equilibria_create, from the command line */
} cli_steady;

/* Also prints the warnings of the model. */
zw_status cli_steady_open(cli_steady *s, const char *path, const cli_options *o, zw_error *err);
void cli_steady_close(cli_steady *s);

#endif
