/* SPDX-License-Identifier: MIT */
/* The orbits in the file of a branch, for pictures and pages. */
#ifndef ZW_CLI_BRANCH_H
#define ZW_CLI_BRANCH_H

#include "cli.h"

typedef struct cli_branch {
    zw_context *ctx;
    zw_table *orbits, *multipliers; /* NULL: none */
    int all;                        /* orbits in the file */
    long row;                       /* of the one that `point` names; -1: none is named */
} cli_branch;

/* Does the table hold orbits? */
bool cli_has_orbits(const zw_table *t);
/* And does one of the panels need them? Reading them takes time. */
bool cli_needs_orbits(const zw_table *t, int npanel, const char *const *panel);
/* At most so many of them, each at so many instants; point: the name of one that must be among
 * them, or NULL. To be closed, also after a failure. */
zw_status cli_branch_open(cli_branch *b, const zw_table *t, int most, int points, const char *point,
                          zw_error *err);
void cli_branch_close(cli_branch *b);

#endif
