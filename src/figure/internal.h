/* SPDX-License-Identifier: MIT */
#ifndef ZW_FIGURE_INTERNAL_H
#define ZW_FIGURE_INTERNAL_H

#include "base/arena.h"
#include "spec.h"
#include "zwang/figure.h"

enum { ZW_FIGURE_QUANTITIES = 128 };

struct zw_figure {
    zw_arena arena; /* of everything but the tables */
    int npanel, nrun, nquantity;
    const char *quantity[ZW_FIGURE_QUANTITIES]; /* formulas: the columns of the tables */
    zw_spec *spec;                              /* npanel */
    zw_table **drawn;                           /* nrun: the quantities of the run */
    const char **run_label;                     /* nrun; NULL: none */
    zw_panel *panel;                            /* npanel */
    bool *parted;    /* npanel: its right-hand axis, if any, is our idea */
    zw_curve *curve; /* of all panels */
    zw_picture picture;
};

struct zw_figure_view {
    zw_context *ctx;
    zw_table *result; /* as many rows as are shown */
    zw_system *sys;
    zw_scene *scene;
    zw_view view;
};

/* common_unit.c. The formulas of each axis of a panel so that its curves have one unit, as far as their
 * dimensions are the same. Is this the quantity of that name, in the unit that it has or in another? */
zw_status zw_figure_common_units(zw_spec *s, int nrun, const zw_figure_run *run, zw_error *err);
bool zw_figure_draws(const char *quantity, const char *name);
/* The axis of the panel that a coordinate of a term belongs to. */
int zw_figure_axis(const zw_spec *s, int term, int coordinate);
/* Curves over one quantity in exactly two units get an axis each. */
zw_status zw_figure_part_units(zw_spec *s, const zw_figure_run *run, zw_error *err);

#endif
