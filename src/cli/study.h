/* SPDX-License-Identifier: MIT */
/* Verbs that are studies: the command as a face of the table zw_studies. */
#ifndef ZW_CLI_STUDY_H
#define ZW_CLI_STUDY_H

#include "cli.h"

/* All verbs, sorted by name: those of this folder and the studies. Once, before cli_commands is
 * used. */
void cli_commands_begin(const cli_command *const *own);

#endif
