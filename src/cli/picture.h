/* SPDX-License-Identifier: MIT */
/* What --plot says, drawn. One --plot is one panel:
 *
 *     y:t              y over t
 *     x+y:t            two curves over t; also x:t+y:s
 *     x,y              the path in the plane of x and y, with equal axes if the units are equal
 *     x,y,z            the path in space
 *     deg(theta):t     formulas of columns
 *
 * Every run gives its own curves. */
#ifndef ZW_CLI_PICTURE_H
#define ZW_CLI_PICTURE_H

#include "cli.h"

enum { PICTURE_RUNS = 64 };

typedef struct picture_run {
    const zw_table *table;
    const char *label; /* in the markup of labels; not needed for a single run */
} picture_run;

typedef struct picture_order {
    int nspec;
    const char *const *spec; /* one per panel */
    int nrun;
    const picture_run *run;
    const cli_options *o; /* how it is to look, and the words of the command line */
} picture_order;

/* Can it be drawn? Asked before anything is computed: the tables need columns, but no rows. */
zw_status picture_check(const picture_order *order, const char *path, zw_error *err);
/* Draw it and say so, unless the options want it quiet. */
zw_status picture_draw(const picture_order *order, const char *path, zw_error *err);
/* NAME_x_y.svg from the panels. */
void picture_name(const char *name, int nspec, const char *const *spec, char *out, size_t size);

#endif
