/* SPDX-License-Identifier: MIT */
/* A model, or a result with its model, and a study of it, with progress and Ctrl-C. */
#ifndef ZW_CLI_WORK_H
#define ZW_CLI_WORK_H

#include "cli.h"
#include "job.h"
#include "launcher.h"

typedef struct cli_work {
    const cli_options *o;
    cli_model model;
    zw_table *result; /* in place of the model; NULL: none */
    zw_model_source source;
    zw_study *study;
    bool begun; /* the study asks whether it should stop */
    cli_signals before;
    cli_launcher launcher;
    bool silent; /* one of the other processes of a launcher: nothing but errors is shown */
} cli_work;

/* Reads the file, and creates the study of the command with the options of the command line.
 * It must not be moved until it is closed, which is needed in any case. */
zw_status cli_work_open(cli_work *w, const char *path, const cli_options *o, zw_error *err);
/* Where processes can share the work: is this one of several that a launcher has started? */
zw_status cli_work_share(cli_work *w, zw_error *err);
/* Works, with a progress bar on a terminal. From its first question on, signals stop the work until
 * cli_work_end. */
zw_status cli_work_run(cli_work *w, zw_error *err);
void cli_work_end(cli_work *w);
/* Is it an option of the study itself? */
bool cli_study_has(const zw_study_kind *kind, const char *key);
void cli_work_close(cli_work *w);

/* Adds the warnings of the study to those of the model, and prints those that are new. */
void cli_work_warn(cli_work *w, bool shown);
/* A table of the study with all warnings; NULL: there is none with these options. The caller destroys it. */
zw_status cli_work_table(cli_work *w, const char *key, zw_table **out, zw_error *err);

#endif
