/* SPDX-License-Identifier: MIT */
/* Orbits of models whose events change the motion, for `orbit` and `continue`. */
#ifndef ZW_CLI_VERBS_ORBIT_EVENTS_H
#define ZW_CLI_VERBS_ORBIT_EVENTS_H

#include "cli/orbits.h"

/* With the model in s->motion: find, follow over a number (NULL: none), tell, write. */
zw_status cli_hybrid_work(const cli_options *o, cli_orbits *s, const char *over, zw_error *err);

#endif
