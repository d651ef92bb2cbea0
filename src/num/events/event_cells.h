/* SPDX-License-Identifier: MIT */
/* Divides a step into cells in which the event functions are simple. */
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
    int capacity; /* cells with memory; grows */
    double *t;    /* n + 1 */
    double *g;    /* (n + 1) x functions */
} zw_num_cells;

/* Functions of the motion that are searched together. */
typedef struct zw_num_set {
    int n;
    const zw_bound_func *bound; /* call is NULL: there are no bounds */
    const bool *unbounded;      /* n: functions that contain z; NULL: none */
    /* n: all multiples of it count as zeros, if it is not 0; NULL: none */
    const double *period;
    /* the functions at any time of the last step, and their accuracy there */
    zw_status (*values)(struct zw_run *run, double t, double *g, zw_error *err);
    zw_status (*bands)(struct zw_run *run, double t, const double **band, zw_error *err);
    const bool *idle; /* n: functions that are not searched; NULL: none */
    /* search only up to the end of the first cell in which a function changes its sign */
    bool first;
} zw_num_set;

/* The state of the search of one set; the cells are owned by the caller. NULL if out of memory. */
zw_num_search *zw_num_search_create(struct zw_run *run, const zw_num_set *set, zw_num_cells *cells);
void zw_num_search_destroy(struct zw_run *run, zw_num_search *search);
/* Forgets what earlier steps have shown about the functions: another motion begins. */
void zw_num_search_forget(zw_num_search *search);
/* Divides the part [a, b] of the last step into cells. side (n): the signs of the functions before
 * a, 0 where that is their sign at a; values of the other sign that are noise become 0 (the
 * multiple of the period). */
zw_status zw_num_search_part(struct zw_run *run, zw_num_search *search, double a, double b,
                             const int *side, zw_error *err);

/* The round-off of the functions at (t, x): the widths of their ranges there, 0 without bounds. */
void zw_num_search_rounding(struct zw_run *run, zw_num_search *search, double t, const double *x,
                            double *width);

/* The same for the event functions, into run->cells. */
zw_status zw_num_cells_create(struct zw_run *run, zw_error *err);
void zw_num_cells_destroy(struct zw_run *run);
zw_status zw_num_cells_find(struct zw_run *run, double a, double b, zw_error *err);

#endif
