/* SPDX-License-Identifier: MIT */
/* What --strobe says, drawn: the bodies at several instants in one picture. */
#ifndef ZW_CLI_STROBE_H
#define ZW_CLI_STROBE_H

#include "cli.h"

bool strobe_is_wanted(const cli_options *o);
/* Can it be made of a motion from first to last? Asked before anything is computed. Options that
 * are for curves are refused, and without --strobe those that are for it. */
zw_status strobe_check_use(const cli_options *o, zw_error *err);
zw_status strobe_check(const cli_options *o, const char *path, double first, double last,
                       zw_error *err);
/* The time between rows of a run that has the instants among them, if nobody says another. */
double strobe_step(const cli_options *o, double first, double last);
/* Draw it and say so, unless the options want it quiet. */
zw_status strobe_draw(const cli_options *o, const zw_table *result, const char *path,
                      zw_error *err);

#endif
