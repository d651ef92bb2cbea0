/* SPDX-License-Identifier: MIT */
/* How far the work is, for the person who waits, and the budget of time.
 *
 * On a terminal a bar with the time left; work that does not report how far it is shows the time so far. Elsewhere a line after 20 s, 40 s, 80 s, ... so that a log shows that
 * something is going on. A thread of its own does it, since work may be long between two reports. */
#ifndef ZW_CLI_PROGRESS_H
#define ZW_CLI_PROGRESS_H

#include <stdbool.h>
#include <stdint.h>

/* From here on; quiet: nothing is shown. budget [s], 0: none; when it is used up, used_up is called from the thread. */
void cli_progress_begin(bool quiet, double budget, void (*used_up)(void));
void cli_progress_end(void);
/* The last fraction that was reported, 0 to 1; NaN: none. */
double cli_progress_fraction(void);

/* Callbacks of zw_sim_options. */
void cli_show_progress(void *user, double fraction);
/* The first events, one per line; user is the number of them so far, a long. */
void cli_tell_event(void *user, const char *name, double t);
/* Motions done, of all, with their rate. */
void cli_show_motions(uint64_t done, uint64_t all);
/* Take the bar away. */
void cli_end_progress(void);

#endif
