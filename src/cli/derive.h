/* SPDX-License-Identifier: MIT */
/* Shared by the verbs that write text; results.c implements it. */
#ifndef ZW_CLI_DERIVE_H
#define ZW_CLI_DERIVE_H

#include "cli.h"

/* Writes text to the file of this name; NULL and "-": standard output. text NULL: out of memory. */
zw_status cli_write_text(const char *path, const char *text, zw_error *err);

#endif
