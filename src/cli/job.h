/* SPDX-License-Identifier: MIT */
/* A model on its way through a simulation, for the commands that run one. */
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
    long events_told;
} cli_job;

/* Read the model and put it at its start, or where the result of --restart ends (path may be NULL
 * then: the model is in the result); the tables have their columns then. Events are told on the way
 * if `tell_events`. The job must stay where it is until it is closed; close it whatever happens. */
zw_status cli_job_open(cli_job *j, const char *path, const cli_options *o, bool tell_events,
                       zw_error *err);
/* Run to the end with a progress bar on a terminal; Ctrl-C ends the run and keeps what there is. */
zw_status cli_job_run(cli_job *j, zw_error *err);
void cli_job_close(cli_job *j);

/* For studies that ask on the way whether to go on, with the options as user: shows how far it is,
 * true after Ctrl-C. */
bool cli_watch(void *options, double done);
/* The same for who shows something else. */
bool cli_is_stopping(void);
/* While long work is done, Ctrl-C and its like are remembered (cli_interrupted) instead of ending
 * the program; sent twice they kill as usual; what was ignored before (nohup) stays so. */
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
