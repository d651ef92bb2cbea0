/* SPDX-License-Identifier: MIT */
/* Parting a step into cells in which the event functions are simple. */
#ifndef ZW_NUM_SEARCH_H
#define ZW_NUM_SEARCH_H

#include "zwang/status.h"

struct zw_run;

/* n cells between n + 1 times, along the motion; the functions are known at their ends. Within a cell a
 * function changes its sign at most once. */
typedef struct zw_num_cells {
    int n;
    double *t; /* n + 1 */
    double *g; /* (n + 1) x nevt */
} zw_num_cells;

enum { ZW_NUM_CELLS_MAX = 9 };

/* The part [a, b] of the last step into run->cells. */
zw_status zw_num_cells_find(struct zw_run *run, double a, double b, zw_error *err);

#endif
