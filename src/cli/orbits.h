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
    bool events;     /* of the model change the motion: there is no study, but zw_event_orbits */
    zw_table *run;   /* on file, from which an orbit is guessed; NULL: none */
    zw_table *table; /* of a branch that was read, NULL: none; */
    zw_orbits_file file; /* its orbits, */
    int point;           /* the one that is meant, */
    double value;        /* and where: NaN: where it is */
    char set[160];       /* the parameter there, for the model */
} cli_orbits;

typedef zw_status (*cli_orbits_step)(const cli_options *o, cli_orbits *s, zw_error *err);
/* A verb: the model, its study over a number (NULL: none), signals, doubts. Returns the exit
 * code. */
int cli_orbits_run(const cli_options *o, const char *path, const char *over, cli_orbits_step check,
                   cli_orbits_step work, zw_error *err);
/* The orbit that --from or --point means, in the study. */
zw_status cli_orbits_begin(const cli_options *o, cli_orbits *s, double value, int *number,
                           zw_error *err);
bool cli_orbits_is_from(const cli_options *o, const char *word);
zw_status cli_orbits_check_from(const cli_options *o, zw_error *err);
/* A branch that finds no next orbit: no success. */
zw_status cli_orbits_stuck(int branch, zw_error *err);
/* Text or JSON on standard output, with what is doubtful. */
zw_status cli_orbits_tell(const cli_options *o, const cli_orbits *s, zw_error *err);

#endif
