/* SPDX-License-Identifier: MIT */
/* The parts of the command slow besides formulas. */
#ifndef ZW_CLI_VERBS_SLOW_H
#define ZW_CLI_VERBS_SLOW_H

#include "cli/cli.h"

/* slow_near.c: --near. Rejects options that it does not support before anything is read. */
zw_status cli_slow_near_check(const cli_options *o, zw_error *err);
zw_status cli_slow_near(const cli_options *o, const cli_model *m, const char *path, zw_error *err);

#endif
