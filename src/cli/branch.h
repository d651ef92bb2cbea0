/* SPDX-License-Identifier: MIT */
/* The orbits in the file of a branch, for pictures and pages. */
#ifndef ZW_CLI_BRANCH_H
#define ZW_CLI_BRANCH_H

#include "cli.h"

typedef struct cli_branch {
    zw_context *ctx;
    zw_table *orbits, *multipliers; /* NULL: none */
    int all;                        /* number of orbits in the file */
    long row;                       /* row of the orbit named by `point`; -1: none */
} cli_branch;

/* True if the table contains orbits. */
bool cli_has_orbits(const zw_table *t);
/* True if one of the panels needs them, which takes time to read. */
bool cli_needs_orbits(const zw_table *t, int npanel, const char *const *panel);
/* Reads at most `most` of them, each at `points` instants; point: the name of one that must be
 * among them, or NULL. Must be closed, also after a failure. */
zw_status cli_branch_open(cli_branch *b, const zw_table *t, int most, int points, const char *point,
                          zw_error *err);
void cli_branch_close(cli_branch *b);

#endif
