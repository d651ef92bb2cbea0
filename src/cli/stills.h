/* SPDX-License-Identifier: MIT */
/* Stills and films of a motion: --still and --video of `view`. */
#ifndef ZW_CLI_STILLS_H
#define ZW_CLI_STILLS_H

#include "cli.h"

extern const zw_option cli_look_table[];

/* True if one of them is requested. */
bool look_is_wanted(const cli_options *o);
/* Checks that they can be made, before anything is computed. */
zw_status look_check(const cli_options *o, zw_error *err);
/* Makes them and reports them, unless --quiet. */
zw_status look_draw(const cli_options *o, const zw_table *result, zw_error *err);
/* Prints the number of contacts and the meaning of their arrows. */
void look_tell_forces(const cli_options *o, const zw_view *v);

#endif
