/* SPDX-License-Identifier: MIT */
/* From a run to a table: one column per time, coordinate, velocity, multiplier, observable, energy. */
#ifndef ZW_CLI_RECORD_H
#define ZW_CLI_RECORD_H

#include "cli.h"

typedef struct record {
    const zw_equations *eq;
    zw_run *run;
    zw_table *rows;   /* at the output times */
    zw_table *events; /* at the events, with the event's number first */
    double *values;   /* one row: 1 + columns of rows */
} record;

/* The unit of a velocity of the equations; "" where a principle has its own. */
const char *record_velocity_unit(const zw_equations *eq, int i);
/* Tables with their columns and notes (model text, parameters, method, version). */
zw_status record_create(record *r, const cli_model *m, const char *path, const zw_equations *eq,
                        zw_run *run, const cli_options *o, const double *p, zw_error *err);
/* The state of the run as a row of the output, or of the events (event >= 0). */
zw_status record_row(record *r, int event, zw_error *err);
/* What is known only at the end: statistics, how it ended. */
zw_status record_finish(record *r, const char *ending, zw_error *err);
void record_destroy(record *r);

#endif
