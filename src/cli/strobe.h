/* SPDX-License-Identifier: MIT */
/* The picture of --strobe: the bodies at several instants. */
#ifndef ZW_CLI_STROBE_H
#define ZW_CLI_STROBE_H

#include "cli.h"

bool cli_strobe_is_wanted(const cli_options *o);
/* Checks that it can be made for a motion from first to last, before anything is computed. Options
 * for curves are errors, and so are those for --strobe without it. */
zw_status cli_strobe_check_use(const cli_options *o, zw_error *err);
zw_status cli_strobe_check(const cli_options *o, const char *path, double first, double last,
                           zw_error *err);
/* The time between rows of a run such that the instants are among them; 0: the default. */
double cli_strobe_step(const cli_options *o, double first, double last);
/* Draws it and reports it, unless --quiet. */
zw_status cli_strobe_draw(const cli_options *o, const zw_table *result, const char *path,
                          zw_error *err);

#endif
