/* SPDX-License-Identifier: MIT */
/* Ctrl-C, similar signals and the time limit during long work. */
#ifndef ZW_CLI_JOB_H
#define ZW_CLI_JOB_H

#include <signal.h>

#include "cli.h"

/* Callback of studies, with the options as user: shows the progress, returns true after Ctrl-C. */
bool cli_watch(void *options, double done);
/* The same for callers that show something else. */
bool cli_is_stopping(void);
/* During long work, Ctrl-C and similar signals are recorded (cli_interrupted) instead of ending the
 * program; sent twice they end it; signals that were ignored before (nohup) stay ignored. */
enum { CLI_SIGNALS = 3 };
typedef struct cli_signals {
    struct sigaction before[CLI_SIGNALS];
} cli_signals;
void cli_signals_begin(cli_signals *s);
void cli_signals_end(const cli_signals *s);
/* Otherwise they end the program at once, with the same exit code. */
void cli_signals_end_at_once(void);
/* The time limit was reached: work that checks for interruptions is interrupted, other work ends
 * with exit code 2. */
void cli_budget_used_up(void);

#endif
