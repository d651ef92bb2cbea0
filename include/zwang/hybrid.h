/* SPDX-License-Identifier: MIT */
/* Implemented in src/motion/segments. */
/* Hybrid orbits: periodic motions that events part into segments, each with equations of its own. Segment k begins at t_k in the state z_k = (x_k, m_k), m the
 * numbers that events set and that stay as they are between them (memory), and takes the time tau_k; phi_k is the motion of its equations, whatever
 * its events would do. With the event function sigma_k that ends it and what the event does, R_k,
 *
 *     sigma_k(t_k+1, phi_k, m_k) = 0,         z_k+1 = R_k(t_k+1, phi_k, m_k),         t_k+1 = t_k + tau_k,
 *
 * the last one leading back to the first: z_0 = S (R - w), S = -1 where a unit quaternion comes back with the other sign, w the turns of angles. Unknown are all z_k and tau_k;
 * of a driven system t_0 as well, and the tau_k add up to the period P(a). A driven orbit without events has segments of equal length: usually one, and two where its period has doubled. The equations stay smooth where events
 * meet surfaces tangentially (grazing): there an orbit ends that the functions below call one.
 *
 * phi is differentiated by the linear equations along it, exactly, also in parameters and through jumps of the rates (zwang/shooting.h); sigma and R, which
 * are algebra, by central differences of sixth order. A disturbance passes an event by the saltation matrix
 *
 *     R_x + (f+ - R_x f- - R_t) sigma_x / (sigma_t + sigma_x f-),
 *
 * and Floquet's multipliers are those of the product over all segments.
 *
 * H. Dankowicz, F. Schilder, Recipes for Continuation (2013), ch. 9 (multi-segment boundary value problems); R. I. Leine, H. Nijmeijer, Dynamics and Bifurcations of
 * Non-Smooth Mechanical Systems (2004), ch. 7; M. di Bernardo et al., Piecewise-smooth Dynamical Systems (2008). */
#ifndef ZWANG_HYBRID_H
#define ZWANG_HYBRID_H

#include "continuation.h"
#include "cycle_normal.h"
#include "floquet.h"
#include "run.h"
#include "shooting.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef struct zw_hybrid zw_hybrid;

/* Whoever knows the equations. Stages are sets of them; events are numbered as in their kernels, which have all the same sizes nx, nevt, np, and
 * derivatives in parameters: of the memory, then of the number a. */
typedef struct zw_hybrid_owner {
    void *self;
    int nx, nmemory;
    bool follows; /* there is a number a that is gone along */
    zw_run *(*run)(void *self, int stage);
    zw_flow *(*flow)(void *self, int stage);
    /* All parameters (np) at a memory and a value (NaN without one). */
    zw_status (*parameters)(void *self, const double *memory, double a, double *p, zw_error *err);
    /* Of the drive, with its slope in a. NULL: the system is autonomous. */
    zw_status (*period)(void *self, double a, double *period, double *slope, zw_error *err);
    /* sigma of the event that ends a segment. */
    zw_status (*event)(void *self, int stage, int event, double t, const double *x,
                       const double *memory, double a, double *sigma, zw_error *err);
    /* What it does at the end of a segment: state and memory behind it, in stage `next`. */
    zw_status (*jump)(void *self, int segment, int stage, int event, int next, double t,
                      const double *x, const double *memory, double a, double *x_behind,
                      double *memory_behind, zw_error *err);
    /* Event functions (nwatch) whose zeros act, all that the segment must not meet. NULL: none */
    zw_status (*watch)(void *self, int stage, double t, const double *x, double *value,
                       zw_error *err);
    int nwatch;
    int nloose; /* the first so many of these functions may pass zero the other way; the others are positive all along the segments, but where an event has left one at zero */
    /* How far the event is from doing something else (a contact that slides in an impact sticks), positive; NaN: it always does the same. May be NULL */
    zw_status (*slack)(void *self, int segment, int stage, int event, int next, double t,
                       const double *x, const double *memory, double a, double *slack,
                       zw_error *err);
} zw_hybrid_owner;

typedef struct zw_hybrid_segment {
    int stage;
    int event;     /* that ends it; -1: the period is over */
    int direction; /* in which sigma passes zero there: -1, 1 */
} zw_hybrid_segment;

typedef struct zw_hybrid_options {
    size_t size;  /* of this struct, for the library */
    int nsegment; /* 1 at least */
    const zw_hybrid_segment *segment;
    const double *scale;        /* nx: sizes of the entries of the state; NULL: 1 */
    const double *memory_scale; /* nmemory; NULL: 1 */
    const bool *essential;      /* nx: entries that must come back; others drift. NULL: all */
    const double *sign;         /* nx: the diagonal of S; NULL: all 1 */
    const double *turn;         /* nx: w; NULL: all 0 */
    double duration;            /* s: about that of the orbit */
    double unit;                /* of a in the arclength: 1 */
} zw_hybrid_options;
ZW_API void zw_hybrid_options_init(zw_hybrid_options *options, size_t size);
static inline zw_hybrid_options zw_hybrid_options_default(void) {
    zw_hybrid_options o;
    zw_hybrid_options_init(&o, sizeof o);
    return o;
}

/* The owner's functions must live as long. */
ZW_API zw_status zw_hybrid_create(zw_hybrid **out, const zw_hybrid_owner *owner,
                                  const zw_hybrid_options *options, const zw_allocator *alloc,
                                  zw_error *err);
ZW_API void zw_hybrid_destroy(zw_hybrid *h);

/* Its equations for zw_continue and zw_cont_correct. Of every segment x (nx), memory, tau; behind all of them t_0 of a driven system with events. */
ZW_API zw_cont_problem zw_hybrid_problem(zw_hybrid *h);
/* Where things are in the unknowns. */
ZW_API double *zw_hybrid_state(const zw_hybrid *h, double *unknown, int segment);
ZW_API double *zw_hybrid_memory(const zw_hybrid *h, double *unknown, int segment);
ZW_API double *zw_hybrid_duration(const zw_hybrid *h, double *unknown, int segment);
/* Of a driven system with events; else NULL. */
ZW_API double *zw_hybrid_start(const zw_hybrid *h, double *unknown);
/* The sum of all durations. */
ZW_API double zw_hybrid_period(const zw_hybrid *h, const double *unknown);
/* Ignorable entries of the first state stay where this one has them. */
ZW_API void zw_hybrid_refer(zw_hybrid *h, const double *unknown);

/* What the owner answers has changed: nothing of what was found counts any more. */
ZW_API void zw_hybrid_renew(zw_hybrid *h);

/* Multipliers of the orbit. */
ZW_API zw_status zw_hybrid_multipliers(zw_hybrid *h, const double *unknown, double a,
                                       zw_floquet *out, zw_error *err);

/* The normal form (zwang/cycle_normal.h) of the map of events at a fold or a period doubling: xi counts disturbances of size 1 behind the event at which the orbit begins, in the sizes of its state, of a driven one
 * with the time of the event in parts of the duration by 2 pi. By differences of two steps; error: by how much they disagree. q (nx, may be NULL): the disturbance of the state. ZW_E_DOMAIN: no single multiplier is critical;
 * ZW_E_NUMERIC: events beside the orbit are others. */
ZW_API zw_status zw_hybrid_normal(zw_hybrid *h, const double *unknown, double a, zw_cycle_kind kind,
                                  zw_cycle_normal *out, double *q, zw_error *err);

/* How far an orbit is from none: all positive, or it is no motion of the system. */
typedef struct zw_hybrid_margins {
    double
        crossing; /* the least of the slopes with which events are met, of the largest slope on the way there: 0 where the motion touches the surface, */
    int crossing_segment;
    double
        clearance; /* the least distance from a surface of an event that is not met, of the largest: 0 where the motion touches it; NaN: there is none */
    int clearance_segment, clearance_event; /* number among those of `watch` */
    double
        shortest; /* the least duration, of the period: 0 where two events meet; NaN of one segment */
    int shortest_segment;
    double slack; /* the least of `slack` of the owner; NaN: there is none */
    int slack_segment;
    double misfit; /* how well event functions were followed between samples, of their size */
} zw_hybrid_margins;
ZW_API zw_status zw_hybrid_margin(zw_hybrid *h, const double *unknown, double a,
                                  zw_hybrid_margins *out, zw_error *err);

/* What the quantities of the kernel do over the period: mean, rms, max, min, coefficients, as of zw_shooting (clear with zw_shooting_clear); without what a period adds to
 * them (turns, drifts), times the part of the period that has passed, which is in `drift`, here of all quantities. */
ZW_API zw_status zw_hybrid_measure(zw_hybrid *h, const double *unknown, double a, int harmonics,
                                   zw_shooting *out, zw_error *err);
/* The state and stage at a time of the period, t_0 <= t <= t_0 + P; memory may be NULL. */
ZW_API zw_status zw_hybrid_state_at(zw_hybrid *h, const double *unknown, double a, double t,
                                    double *x, double *memory, int *stage, zw_error *err);

/* The motion in intervals that polynomials represent: the state at the beginning of each and the rates (stages x nx) at its points of Gauss make one that misses the motion by no more than
 * the tolerance, of the scales, or by *rough (may be NULL) where no interval was short enough. Told in their order; none spans two segments, or the time
 * `cut` (NaN: none). */
typedef zw_status (*zw_hybrid_interval)(void *user, int segment, double t0, double t1,
                                        const double *x, const double *rate, zw_error *err);
ZW_API zw_status zw_hybrid_intervals(zw_hybrid *h, const double *unknown, double a, int stages,
                                     double tolerance, double cut, zw_hybrid_interval take,
                                     void *user, double *rough, zw_error *err);

#ifdef __cplusplus
}
#endif
#endif
