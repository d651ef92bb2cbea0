/* SPDX-License-Identifier: MIT */
/* What a picture leaves beside it with --keep: its data, and the command that drew it. */
#ifndef ZW_CLI_PROVENANCE_H
#define ZW_CLI_PROVENANCE_H

#include "cli.h"

/* Both names are free (see cli_place_write); asked before the work. */
zw_status keep_claim(const cli_options *o, const char *path, zw_error *err);
/* PATH.csv holds the numbers that the picture shows; PATH.sh is the command. */
zw_status keep_beside(const cli_options *o, const zw_figure *f, const char *path, zw_error *err);
/* The same of a picture of rows of a result. */
zw_status keep_rows(const cli_options *o, const zw_table *rows, const char *path, zw_error *err);

#endif
