/* SPDX-License-Identifier: MIT */
/* Parting a step into cells in which the event functions are simple. */
#ifndef ZW_NUM_SEARCH_H
#define ZW_NUM_SEARCH_H

#include "zwang/status.h"

struct zw_run;
typedef struct zw_num_search zw_num_search;

/* n cells between n + 1 times, along the motion; the functions are known at their ends. Within a cell a
 * function has no zero, or changes its sign once, or stays below 1e-4 of its band. */
typedef struct zw_num_cells {
    int n;
    int room;  /* cells that there is memory for; it grows */
    double *t; /* n + 1 */
    double *g; /* (n + 1) x nevt */
} zw_num_cells;

/* Memory for the search of a run, once its kernel has all functions; nothing if it is there already. */
zw_status zw_num_search_create(struct zw_run *run, zw_error *err);
void zw_num_search_destroy(struct zw_run *run);
/* The part [a, b] of the last step into run->cells. */
zw_status zw_num_cells_find(struct zw_run *run, double a, double b, zw_error *err);

#endif
