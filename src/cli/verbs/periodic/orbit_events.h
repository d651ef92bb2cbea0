/* SPDX-License-Identifier: MIT */
/* Orbits of models whose events change the motion, for `orbit` and `continue`. */
#ifndef ZW_CLI_VERBS_ORBIT_EVENTS_H
#define ZW_CLI_VERBS_ORBIT_EVENTS_H

#include "cli/orbits.h"

/* With the model in s->motion: finds orbits, follows them over a parameter (NULL: none), reports
 * and writes them. */
zw_status cli_orbit_events_run(const cli_options *o, cli_orbits *s, const char *over,
                               zw_error *err);

#endif
