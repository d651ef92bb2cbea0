/* SPDX-License-Identifier: MIT */
/* Parting a step into cells in which the event functions are simple. */
#ifndef ZW_NUM_EVENTS_EVENT_CELLS_H
#define ZW_NUM_EVENTS_EVENT_CELLS_H

#include "zwang/status.h"

#include "zwang/kernel.h"

struct zw_run;
typedef struct zw_num_search zw_num_search;

/* n cells between n + 1 times, along the motion; the functions are known at their ends. Within a
 * cell a function has no zero, or is monotone, or stays below 1e-4 of its band. */
typedef struct zw_num_cells {
    int n;
    int room;  /* cells that there is memory for; it grows */
    double *t; /* n + 1 */
    double *g; /* (n + 1) x functions */
} zw_num_cells;

/* Functions of the motion that are searched together. */
typedef struct zw_num_set {
    int n;
    const zw_bound_func *bound; /* call is NULL: there are no bounds */
    const bool *unbounded;      /* n: functions that hold z; NULL: none */
    const double *period;       /* n: all multiples of it are zeros, if it is not 0; NULL: none */
    /* the functions at any time of the last step, and how well they are known there */
    zw_status (*values)(struct zw_run *run, double t, double *g, zw_error *err);
    zw_status (*bands)(struct zw_run *run, double t, const double **band, zw_error *err);
    const bool *idle; /* n: not looked at; NULL: all are */
    bool first;       /* only up to the end of the first cell in which one changes its sign */
} zw_num_set;

/* What the search of one set keeps; its cells are those of the caller. NULL if out of memory. */
zw_num_search *zw_num_search_create(struct zw_run *run, const zw_num_set *set, zw_num_cells *cells);
void zw_num_search_destroy(struct zw_run *run, zw_num_search *search);
/* What it has learnt of the functions in the steps before: another motion begins. */
void zw_num_search_forget(zw_num_search *search);
/* The part [a, b] of the last step into the cells. side (n): the signs that the functions come
 * from, 0 where that is their sign at a; values on the other side that are noise become 0 (the
 * multiple of the period). */
zw_status zw_num_search_part(struct zw_run *run, zw_num_search *search, double a, double b,
                             const int *side, zw_error *err);

/* What rounding makes of the functions at (t, x): the widths of their ranges there, 0 where there
 * are no bounds. */
void zw_num_search_rounding(struct zw_run *run, zw_num_search *search, double t, const double *x,
                            double *width);

/* The same for the event functions, into run->cells. */
zw_status zw_num_cells_create(struct zw_run *run, zw_error *err);
void zw_num_cells_destroy(struct zw_run *run);
zw_status zw_num_cells_find(struct zw_run *run, double a, double b, zw_error *err);

#endif
