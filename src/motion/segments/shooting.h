/* SPDX-License-Identifier: MIT */
/* What the files of shooting share: a leg, from one node to the next, and the record of the last
 * period. */
#ifndef ZW_MOTION_SEGMENTS_SHOOTING_H
#define ZW_MOTION_SEGMENTS_SHOOTING_H

#include "motion/floquet/variation.h"
#include "rate_jump.h"
#include "zwang/periodic.h"

/* What a result owns. */
typedef struct zw_shooting_memory {
    zw_arena arena;
} zw_shooting_memory;

/* shooting_record.c: integrals, extremes and samples of a motion, piece by piece. */
enum { ZW_RECORD_GRID = 24 };
typedef struct zw_record {
    zw_shooting *out;
    const zw_kernel *k;
    zw_flow *flow; /* of the run */
    zw_gauss rule;
    const double *drift; /* nquantity: change over a period, which is subtracted; NULL: none */
    double *value;       /* points x nquantity */
    double *weight;      /* of the points, in the polynomial at the points of a grid */
    double grid[ZW_RECORD_GRID + 1]; /* one quantity there */
    int next;                        /* sample */
} zw_record;
zw_status zw_record_init(zw_record *r, zw_arena *arena, zw_shooting *out, const zw_kernel *k,
                         zw_flow *flow, zw_error *err);
/* A smooth piece of the motion. */
zw_status zw_record_piece(zw_record *r, zw_run *run, double t0, double t1, zw_error *err);
/* After the last piece. */
void zw_record_end(zw_record *r);

/* shooting_leg.c: the motion over one leg and, unless v is NULL, its disturbances. */
typedef struct zw_leg {
    zw_run *run;
    zw_flow *flow; /* of the run */
    const zw_kernel *k;
    zw_arena *arena;
    zw_variation *v, *check; /* of another accuracy; either may be NULL */
    zw_record *record;       /* may be NULL */
    long pieces;             /* so far */
    int jumps;
    double log_jumps; /* sum of log |det| of the saltation matrices */
    bool tangled;     /* several switches at once: there is no saltation matrix */
    zw_rate_jump jump;
} zw_leg;
zw_status zw_leg_init(zw_leg *leg, zw_arena *arena, zw_run *run, zw_error *err);
/* From x at t0 to t1, or to the first event that acts before it (acts: nevt, may be NULL; *event,
 * or -1); *t: the time there, end: the state there (nx). */
zw_status zw_leg_run_to(zw_leg *leg, double t0, const double *x, double t1, const bool *acts,
                        int *event, double *t, double *end, zw_error *err);
/* From x at t0 to t1; the state there in end (nx). */
zw_status zw_leg_run(zw_leg *leg, double t0, const double *x, double t1, double *end,
                     zw_error *err);

#endif
