/* SPDX-License-Identifier: MIT */
/* A model in a simulation, for the commands that run one. */
#ifndef ZW_CLI_JOB_H
#define ZW_CLI_JOB_H

#include <signal.h>

#include "cli.h"

typedef struct cli_job {
    const cli_options *o;
    const char *path;
    cli_model model;
    zw_sim *sim;
    zw_table *before; /* the result that is continued; NULL if none */
    long events_printed;
} cli_job;

/* Reads the model and initialises it at its start, or at the end of the result of --restart (path
 * may then be NULL: the model is in the result); the tables then have their columns. Events are
 * printed when they occur if `print_events`. The job must not be moved until it is closed; close it
 * in any case. */
zw_status cli_job_open(cli_job *j, const char *path, const cli_options *o, bool print_events,
                       zw_error *err);
/* Runs to the end with a progress bar on a terminal; Ctrl-C ends the run and keeps the results so
 * far. */
zw_status cli_job_run(cli_job *j, zw_error *err);
void cli_job_close(cli_job *j);

/* Callback of studies, with the options as user: shows the progress, returns true after Ctrl-C. */
bool cli_watch(void *options, double done);
/* The flag itself, for work in threads. */
const volatile sig_atomic_t *cli_interrupt(void);
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
