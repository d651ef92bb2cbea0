/* SPDX-License-Identifier: MIT */
/* The picture of --plot: a zw_figure with the options of the command line. One --plot is one
 * panel. */
#ifndef ZW_CLI_PICTURE_H
#define ZW_CLI_PICTURE_H

#include "cli.h"

enum { PICTURE_RUNS = 64, PICTURE_POINTS = 360 }; /* points: of an orbit */

typedef struct cli_picture_order {
    int nspec;
    const char *const *spec; /* one per panel */
    int nrun;
    const zw_figure_run *run;
    const cli_options *o; /* its style, and the words of the command line */
} cli_picture_order;

/* Checks that it can be drawn, before anything is computed: the tables need columns, but no
 * rows. */
zw_status cli_picture_check(const cli_picture_order *order, const char *path, zw_error *err);
/* Draws it and reports it, unless --quiet. */
zw_status cli_picture_draw(const cli_picture_order *order, const char *path, zw_error *err);
/* One of them for every picture of a table: the panels of --plot, or the defaults of its kind, in
 * --picture; without --picture, one file MODEL_WHAT.svg for each --plot. */
typedef zw_status (*cli_picture_act)(const cli_picture_order *order, const char *path,
                                     zw_error *err);
zw_status cli_picture_tables(const cli_options *o, const zw_table *table, cli_picture_act act,
                             zw_error *err);
/* The same, checked and drawn at once. */
zw_status cli_picture_result(const cli_options *o, const zw_table *table, zw_error *err);
/* "120x90", in mm; unchanged if NULL. */
zw_status cli_picture_size(const char *text, double *width, double *height, zw_error *err);
/* NAME_x_y.svg from the panels. */
void cli_picture_name(const char *name, int nspec, const char *const *spec, char *out, size_t size);

#endif
