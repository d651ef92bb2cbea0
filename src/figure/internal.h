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
    zw_curve *curve;                            /* of all panels */
    zw_picture picture;
};

#endif
