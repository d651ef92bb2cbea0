/* SPDX-License-Identifier: MIT */
/* What the files of orbits in segments share: the equations, and a segment with
 * its disturbances. */
#ifndef ZW_MOTION_SEGMENTS_HYBRID_H
#define ZW_MOTION_SEGMENTS_HYBRID_H

#include "shooting.h"
#include "zwang/periodic.h"

/* hybrid_leg.c: disturbances Y (nx x n) along a run: Y' = J Y, of the last npar columns + df/dp. */
typedef struct zw_trail {
    zw_gauss rule;
    int nx, n, npar;
    double *Y;              /* nx x n */
    double *x, *J, *Jp, *B; /* nx; m x nx x nx; m x nx x npar; (m nx)^2 */
    double *K;              /* n right sides of m nx */
    int *pivot;
} zw_trail;

/* Extremes of event functions along a segment. */
typedef struct zw_segmented_extreme {
    double t, value;
    int kind; /* 1 largest, -1 least, 0 an end */
} zw_segmented_extreme;
typedef struct zw_segmented_watch {
    zw_status (*function)(void *self, int stage, double t, const double *x, double *value,
                          zw_error *err);
    void *self;
    int n, stage;
    zw_gauss rule;
    double *x;              /* nx */
    double *grid, *inverse; /* slopes of the Lagrange polynomials on a grid; 1/(c_l - c_k) */
    double *value, *slope;  /* points x n; n: at the end of the previous piece */
    double *ends, *asked;   /* 2 x n: at the ends of a cell; n: at one time */
    double *most;           /* n: the largest size */
    double *steepest;       /* n: the largest slope */
    bool begun, failed;
    int cells;                   /* of the segment */
    double *largest;             /* n: sizes, over all segments so far */
    double *misfit;              /* n: the largest error of the polynomials, over all segments */
    double *own;                 /* n: the same in a cell */
    zw_segmented_extreme **list; /* n, of `count` extremes each */
    int *count, *capacity;
    zw_arena *arena;
} zw_segmented_watch;
zw_status zw_segmented_watch_init(zw_segmented_watch *w, zw_arena *arena, int nx, int n,
                                  zw_error *err);
void zw_segmented_watch_begin(zw_segmented_watch *w);
zw_status zw_segmented_watch_piece(zw_segmented_watch *w, zw_run *run, double t0, double t1,
                                   zw_error *err);
/* After the last piece of a segment: the least value of event i on its own side, relative to
 * `size`; NaN if it has no extreme that counts. */
double zw_segmented_watch_least(const zw_segmented_watch *w, int i, double size, bool strict);

typedef struct zw_segmented_leg {
    zw_run *run;
    zw_flow *flow;   /* of the run */
    zw_flow *beside; /* a second one, whose modes follow the state */
    const zw_kernel *k;
    zw_arena *arena;
    zw_trail *trail, *check;   /* either may be NULL */
    zw_record *record;         /* may be NULL */
    zw_segmented_watch *watch; /* may be NULL */
    zw_run_piece part;         /* called for every piece of the motion; may be NULL */
    void *part_self;
    int pieces;   /* of this run */
    bool tangled; /* rates jump without a saltation matrix */
    int jumps;
    double *rate, *x; /* nx: work */
    zw_rate_jump jump;
    /* parameters near those of the run: for derivatives of switching functions */
    zw_status (*nudge)(void *self, int parameter, double by, zw_error *err);
    void *nudge_self;
    double *steps;             /* npar */
    const zw_event_side *side; /* nevt: sides of event functions at the start; NULL: to be found */
} zw_segmented_leg;
zw_status zw_trail_init(zw_trail *v, zw_arena *arena, int nx, int columns, int npar, int stages,
                        zw_error *err);
/* From x at t0 to t1; end: the state there (nx). */
zw_status zw_segmented_leg_run(zw_segmented_leg *leg, double t0, const double *x, double t1,
                               double *end, zw_error *err);
/* The same to the first of the events that act (nevt), if there is one before t1: its number (-1 if
 * none) and time. */
zw_status zw_segmented_leg_run_to(zw_segmented_leg *leg, double t0, const double *x, double t1,
                                  const bool *acts, int *event, double *t, double *end,
                                  zw_error *err);
/* The same backwards, in one step, to t1 <= t0. Where two events meet, the segment between them has
 * no duration; beyond that place its equations continue with a negative duration, so that the place
 * is an ordinary zero. Such segments are not motions. */
zw_status zw_segmented_leg_back(zw_segmented_leg *leg, double t0, const double *x, double t1,
                                double *end, zw_error *err);

/* Intervals of one event that shrink by about the same ratio and add up to a time close ahead.
 * Begin with {.last_event = -1}. */
typedef struct zw_accumulation {
    /* last event; time before it; time since which intervals shrink */
    double last, interval, first;
    int shrinking, last_event;
} zw_accumulation;
/* The event acts at t. true: infinitely many more would end at *end, which is near. */
bool zw_accumulates(zw_accumulation *a, int event, double t, double *end);

/* hybrid.c: segment k of the unknowns, with all that Newton's method and the multipliers need */
typedef struct zw_segmented_piece {
    int n;             /* tangent directions */
    double t, tau;     /* s */
    double *x, *end;   /* nx: on the constraints; at its end */
    double *T;         /* nx x n, memory for nx columns */
    double *Y, *Y2;    /* nx x (n + nmemory + 1): of two accuracies */
    double *from, *to; /* nx: rates at both ends */
    double *along;     /* nx: the rate at its beginning within the tangent space */
    double *E;         /* 1 + nz: sigma, then the state and memory after the event */
    /* (1 + nz) x (1 + nx + nmemory + 1): derivatives in t, x, memory, a, with two steps */
    double *D, *D2;
} zw_segmented_piece;

struct zw_segmented {
    zw_arena arena;
    zw_segmented_owner o;
    zw_segmented_options options;
    zw_segmented_segment *segment;
    int K, nx, nm, nz, npar, n; /* segments, state, memory, nx + nm, parameters, unknowns */
    bool driven, events;
    double *scale, *memory_scale, *sign, *turn, *refer;
    bool *essential;
    zw_segmented_piece *piece;
    zw_trail trail, check;
    zw_segmented_leg leg;
    double *p, *u, *E1, *E2, *shifted, *work;
    double *A, *b;
    int *pivot;
    /* the unknowns that the pieces and E belong to */
    double *known;
    double known_a;
    bool is_known, is_checked;
    double P, P_slope;
    /* while a leg runs */
    const double *now_memory;
    double now_a;
    int now_segment;
    zw_variation basis; /* for tangent bases */
};

static inline int zw_segmented_at(const zw_segmented *h, int k) {
    return k % h->K * (h->nz + 1);
}
/* Integrates all segments from the unknowns; `checked`: with disturbances of a second accuracy. */
zw_status zw_segmented_go_round(zw_segmented *h, const double *unknown, double a, bool checked,
                                zw_error *err);
/* hybrid.c: sigma and R at the end of segment k; (t, x, memory) in z, the memory being that of the
 * next segment. E: 1 + nz */
zw_status zw_segmented_behind(zw_segmented *h, int k, double t, const double *z, double a,
                              double *E, zw_error *err);
/* hybrid_properties.c: segment k once more, without disturbances, with what the leg records along
 * it (watch, record, part). */
zw_status zw_segmented_run_again(zw_segmented *h, const double *unknown, double a, int k,
                                 zw_error *err);
/* Prepares the run of segment k with its parameters. */
zw_status zw_segmented_prepare(zw_segmented *h, const double *unknown, double a, int k,
                               zw_error *err);

#endif
