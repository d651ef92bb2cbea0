/* SPDX-License-Identifier: MIT */
/* The files written next to a picture by --keep: its data, and the command that drew it. */
#ifndef ZW_CLI_PROVENANCE_H
#define ZW_CLI_PROVENANCE_H

#include "cli.h"

/* Checks that both names are free (see cli_guard_write), before the work. */
zw_status cli_provenance_claim(const cli_options *o, const char *path, zw_error *err);
/* PATH.csv contains the numbers of the picture; PATH.sh is the command. */
zw_status cli_provenance_of_figure(const cli_options *o, const zw_figure *f, const char *path,
                                   zw_error *err);
/* The same for a picture of rows of a result. */
zw_status cli_provenance_of_rows(const cli_options *o, const zw_table *rows, const char *path,
                                 zw_error *err);

#endif
