/* SPDX-License-Identifier: MIT */
/* What --plot says, drawn: a zw_figure with the options of the command line. One --plot is one
 * panel. */
#ifndef ZW_CLI_PICTURE_H
#define ZW_CLI_PICTURE_H

#include "cli.h"

enum { PICTURE_RUNS = 64, PICTURE_POINTS = 360 }; /* points: of an orbit */

typedef struct picture_order {
    int nspec;
    const char *const *spec; /* one per panel */
    int nrun;
    const zw_figure_run *run;
    const cli_options *o; /* how it is to look, and the words of the command line */
} picture_order;

/* Can it be drawn? Asked before anything is computed: the tables need columns, but no rows. */
zw_status picture_check(const picture_order *order, const char *path, zw_error *err);
/* Draw it and say so, unless the options want it quiet. */
zw_status picture_draw(const picture_order *order, const char *path, zw_error *err);
/* A table that is no motion into --picture: what --plot says of it, or what one wants to see of its
 * kind. */
zw_status picture_result(const cli_options *o, const zw_table *table, zw_error *err);
/* Is the table that of curves over a second parameter (--marks)? Where there are none, the branch
 * is written and shown in their place, which is printed. */
bool picture_is_of_marks(const cli_options *o, int marks);
/* The end of a verb: the table with its doubts into --out and --picture, as far as they are asked
 * for. It is destroyed. */
zw_status picture_and_table(const cli_options *o, const zw_warnings *doubts, zw_table *table,
                            zw_error *err);
/* "120x90", in mm; unchanged if it is NULL. */
zw_status picture_size(const char *text, double *width, double *height, zw_error *err);
/* NAME_x_y.svg from the panels. */
void picture_name(const char *name, int nspec, const char *const *spec, char *out, size_t size);

#endif
