/* SPDX-License-Identifier: MIT */
/* What `steady` and `response` share. */
#ifndef ZW_CLI_FORCED_H
#define ZW_CLI_FORCED_H

#include "cli.h"

/* Options of the balance, in cli_options.forced. */
extern const zw_option cli_forced_table[];

typedef struct cli_forced {
    cli_model model;
    const char *path;
    zw_forced *study;
} cli_forced;

/* The model and its study; over may be NULL. To be closed in any case. */
zw_status cli_forced_open(cli_forced *s, const char *path, const cli_options *o, const char *over,
                          zw_error *err);
void cli_forced_close(cli_forced *s);
/* Text or JSON on standard output, with what is doubtful. */
zw_status cli_forced_tell(const cli_options *o, const cli_forced *s, zw_error *err);

#endif
