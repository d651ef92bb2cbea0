/* SPDX-License-Identifier: MIT */
/* Progress display and time limit.
 *
 * A terminal shows a bar with the time left, or the elapsed time if the work does not report its
 * progress. Otherwise a line is printed after 20 s, 40 s, 80 s, ... so that a log shows that the
 * command is still working. A separate thread does this, since much time may pass between two
 * reports. */
#ifndef ZW_CLI_PROGRESS_H
#define ZW_CLI_PROGRESS_H

#include <stdbool.h>
#include <stdint.h>

/* Starts the display; quiet: nothing is shown. budget: time limit [s], 0: none; when it is reached,
 * the thread calls used_up. */
void cli_progress_begin(bool quiet, double budget, void (*used_up)(void));
void cli_progress_end(void);
/* The fraction that is done; user is ignored. */
void cli_show_progress(void *user, double fraction);
/* Removes the bar. */
void cli_end_progress(void);

#endif
