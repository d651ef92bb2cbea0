/* SPDX-License-Identifier: MIT */
/* Eight motions in step, each with a frame of k small disturbances, for long means of how fast
 * these grow: y = (V, x), V' = (df/dx) V.
 *
 * Over a look, the same number of steps for all and a length of time of its own for each lane, they
 * go by Adams' formulas of order 8, which ask for the rates twice in a step (a pair of Runge and
 * Kutta of that order thirteen times):
 *
 *     yp = y_n + h sum_{j<8} b_j f_(n-j),     y_(n+1) = y_n + h (a_0 f(yp) + sum_{j<7} a_(j+1) f_(n-j)),     f_(n+1) = f(y_(n+1)).
 *
 * Behind a look the frames are made orthonormal, V = R Q, in units of the sizes of entries. Rates
 * are linear in V: the past of the frame, f_n, f_(n-1), ..., becomes that of Q by the same R, and
 * the formulas go on without a start. The divergence on the span of the frame comes with it, sum_i
 * q_i . f(q_i).
 *
 * Errors. C |y_(n+1) - yp| is the local error of a step (Milne); over a look the sum of them,
 * column by column beside the length of the column, and of x beside its sizes, is at most
 *
 *     E = C sqrt(m sum_steps |d|^2/(mean |column|^2)),
 *
 * what logarithms of lengths may be off by. Long means ask for the mean of E: the number of steps m
 * follows it slowly. A look with a much larger E is done once more with more steps. Other steps
 * need a past of other distances: interpolation of degree 7 between the rates that are there.
 *
 * E. Hairer, S. P. Norsett, G. Wanner, Solving Ordinary Differential Equations I (1993), III.1; W.
 * E. Milne, Amer. Math. Monthly 33 (1926) 455. */
#ifndef ZW_ENSEMBLE_FRAMES_H
#define ZW_ENSEMBLE_FRAMES_H

#include "lanes/lanes.h"

enum { ZW_FRAMES_LANES = 8, ZW_FRAMES_ORDER = 8, ZW_FRAMES_RING = 12 };

/* frames_code.h */
typedef struct zw_frames_code {
    void (*predict)(int n, const double *const *from, const double *y, const double *h, double *yp,
                    double *part);
    void (*correct)(int columns, int nx, const double *weight, const double *rate, const double *h,
                    const double *yp, const double *part, double *y, double *missed,
                    double *length);
    void (*multiply)(int m, int nx, int n, const zw_lanes_entry *e, const double *J,
                     const double *V, double *rate);
    void (*join)(int size, const double *const *from, const double *w, double *out);
    void (*turn)(int nx, const double *d, double *row, const double *other);
    void (*product)(int nx, const double *weight, const double *a, const double *c, double *out);
} zw_frames_code;
extern const zw_frames_code zw_frames_plain, zw_frames_fused;

typedef struct zw_frames {
    const zw_frames_code *code;
    zw_lanes l; /* for rates, and for the first steps */
    int k, nx;
    double *weight;  /* nx: 1/size; 0 where an entry does not count */
    double *allowed; /* L: of E, at a look */
    double *span;    /* L: s of a look */
    double rate;     /* 1/s: the fastest */
    int steps;       /* m */
    int have, head;  /* rates of the past, and where the last one is */
    double *ring;    /* RING x row */
    double *y, *yp, *part;
    double *missed, *size; /* (k + 1) x L: sums of squares over a look */
    double *mean;          /* L: of E/allowed, over the last looks; < 0: none yet */
    double *quality;       /* L: least pivot */
    int since;             /* looks since the steps were changed */
    unsigned active;       /* bits: lanes that hold a motion */
    /* the beginning of a look: */
    double *kept, *kept_ring, *kept_t;
    int kept_have, kept_head;
    double *room; /* RING x row */
    /* of the last look: */
    double *grown; /* k x L: r_ii */
    double *trace; /* L */
    double *off;   /* L: E */
    long evaluations;
} zw_frames;

/* Can the equations of a kernel go so? They can where they are smooth and have no constraints.
 * NULL, or why not. */
const char *zw_frames_refuse(const zw_kernel *k);
/* functions: of the kernel, which has eight lanes. */
#define ZW_FRAMES_FUNCTIONS (ZW_SET(RHS) | ZW_SET(MATS) | ZW_SET(METRIC) | ZW_SET(JAC))
zw_status zw_frames_init(zw_frames *f, zw_arena *arena, const zw_kernel *kernel, int k,
                         const double *size, const bool *counts, zw_error *err);
/* A motion with the frame V (k x nx) begins. All lanes are put before the first look; those that
 * are not hold a copy of the first one. */
void zw_frames_put(zw_frames *f, int lane, double t, const double *x, const double *p,
                   const double *V);
/* Times of a look, and what logarithms may be off by in it (8 each); the fastest rate (1/s), for
 * steps that are stable. Later, times change by the same factor in all lanes. */
void zw_frames_begin(zw_frames *f, const double *span, const double *allowed, double rate);
void zw_frames_change(zw_frames *f, double factor);
/* One look. False: it could not be done (a lane is not finite, or no number of steps is enough). */
bool zw_frames_look(zw_frames *f);
double zw_frames_time(const zw_frames *f, int lane);
void zw_frames_state(const zw_frames *f, int lane, double *x);

#endif
