/* SPDX-License-Identifier: MIT */
/* Shared by `orbit` and `continue`. */
#ifndef ZW_CLI_ORBITS_H
#define ZW_CLI_ORBITS_H

#include "steady.h"

/* Options of collocation and of its starts, in cli_options.orbits. */
extern const zw_option cli_orbits_table[];

typedef struct cli_orbits {
    cli_steady motion; /* the model, and the selected steady motion */
    zw_orbits *study;
    bool events;   /* events of the model change the motion: the study is that of orbit_events.h */
    zw_table *run; /* a run from a file, from which an orbit is guessed; NULL: none */
    zw_table *table;     /* of a branch that was read, NULL: none */
    zw_orbits_file file; /* its orbits */
    int point;           /* the selected one */
    double value;        /* the parameter value to start from; NaN: that of the orbit */
    char set[160];       /* this value of the parameter as a setting for the model */
} cli_orbits;

typedef zw_status (*cli_orbits_step)(const cli_options *o, cli_orbits *s, zw_error *err);
/* Runs a verb: the model, its study over a parameter (NULL: none), signals, warnings. Returns the
 * exit code. */
int cli_orbits_run(const cli_options *o, const char *path, const char *over, cli_orbits_step check,
                   cli_orbits_step work, zw_error *err);
/* The orbit given by --from or --pick, in the study. */
zw_status cli_orbits_begin(const cli_options *o, cli_orbits *s, double value, int *number,
                           zw_error *err);
bool cli_orbits_is_from(const cli_options *o, const char *word);
zw_status cli_orbits_check_from(const cli_options *o, zw_error *err);
/* The error of a branch that finds no next orbit. */
zw_status cli_orbits_stuck(int branch, zw_error *err);
/* Text or JSON on standard output, with the warnings. */
zw_status cli_orbits_report(const cli_options *o, const cli_orbits *s, zw_error *err);

#endif
