/* SPDX-License-Identifier: MIT */
/* What `orbit` and `continue` share. */
#ifndef ZW_CLI_ORBITS_H
#define ZW_CLI_ORBITS_H

#include "steady.h"

/* Options of collocation and of what it starts from, in cli_options.orbits. */
extern const zw_option cli_orbits_table[];

typedef struct cli_orbits {
    cli_steady motion; /* the model, and which steady motion of it is meant */
    zw_orbits *study;
    zw_table *table;     /* of a branch that was read, NULL: none; */
    zw_orbits_file file; /* its orbits, */
    int point;           /* the one that is meant, */
    double value;        /* and where: NaN: where it is */
    char set[160];       /* the parameter there, for the model */
} cli_orbits;

typedef zw_status (*cli_orbits_step)(const cli_options *o, cli_orbits *s, zw_error *err);
/* A verb: the model, its study over a number (NULL: none), signals, doubts. Returns the exit code. */
int cli_orbits_run(const cli_options *o, const char *path, const char *over, cli_orbits_step check,
                   cli_orbits_step work, zw_error *err);
/* The orbit of the branch file, in the study. */
zw_status cli_orbits_stored(cli_orbits *s, int *number, zw_error *err);
/* Text or JSON on standard output, with what is doubtful. */
zw_status cli_orbits_tell(const cli_options *o, const cli_orbits *s, zw_error *err);

#endif
