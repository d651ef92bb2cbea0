/* SPDX-License-Identifier: MIT */
/* Stills and films of a motion: what --still and --video of `view` ask for. */
#ifndef ZW_CLI_STILLS_H
#define ZW_CLI_STILLS_H

#include "cli.h"

extern const zw_option cli_look_table[];

/* Is any of them asked for? */
bool look_is_wanted(const cli_options *o);
/* Can they be made? Asked before anything is computed. */
zw_status look_check(const cli_options *o, zw_error *err);
/* Make them and say so, unless the options want it quiet. */
zw_status look_draw(const cli_options *o, const zw_table *result, zw_error *err);
/* Say how many contacts there are and what their arrows mean. */
void look_tell_forces(const cli_options *o, const zw_view *v);

#endif
