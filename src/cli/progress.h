/* SPDX-License-Identifier: MIT */
/* How far a run is, for the person who waits: a bar on a terminal, nothing in a pipe. */
#ifndef ZW_CLI_PROGRESS_H
#define ZW_CLI_PROGRESS_H

#include <stdint.h>

/* Callbacks of zw_sim_options. */
void cli_show_progress(void *user, double fraction);
/* Events are told one per line, the first ones; user is the number of them so far, a long. */
void cli_tell_event(void *user, const char *name, double t);
/* So many motions of so many, with their rate. */
void cli_show_motions(uint64_t done, uint64_t all);
/* Take the bar away. */
void cli_end_progress(void);

#endif
