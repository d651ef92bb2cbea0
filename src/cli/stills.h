/* SPDX-License-Identifier: MIT */
/* Stills and films of a motion: --still and --video of `view`. */
#ifndef ZW_CLI_STILLS_H
#define ZW_CLI_STILLS_H

#include "cli.h"

extern const zw_option cli_stills_table[];

/* True if one of them is requested. */
bool cli_stills_are_wanted(const cli_options *o);
/* Checks that they can be made, before anything is computed. */
zw_status cli_stills_check(const cli_options *o, zw_error *err);
/* Makes them and reports them, unless --quiet. */
zw_status cli_stills_draw(const cli_options *o, const zw_table *result, zw_error *err);
/* Prints the number of contacts and the meaning of their arrows. */
void cli_stills_report_forces(const cli_options *o, const zw_view *v);

#endif
