/* SPDX-License-Identifier: MIT */
/* Eight motions with equal numbers of steps, each with a frame of k small disturbances, for long
 * means of their growth rates: y = (V, x), V' = (df/dx) V.
 *
 * Over a span, which has the same number of steps for all lanes and its own length of time for
 * each, they are integrated by Adams formulas of order 8 (predictor and corrector), which need the
 * rates twice in a step (a Runge-Kutta pair of that order thirteen times):
 *
 *     yp = y_n + h sum_{j<8} b_j f_(n-j),
 *     y_(n+1) = y_n + h (a_0 f(yp) + sum_{j<7} a_(j+1) f_(n-j)),     f_(n+1) = f(y_(n+1)).
 *
 * After a span the frames are made orthonormal, V = R Q, in units of the sizes of entries. Rates
 * are linear in V: the past of the frame, f_n, f_(n-1), ..., becomes that of Q by the same R, and
 * the formulas continue without a new start. The divergence on the subspace of the frame follows,
 * sum_i q_i . f(q_i).
 *
 * Errors. C |y_(n+1) - yp| is the local error of a step (Milne); over a span their sum, relative to
 * the length of each column, and for x to its sizes, is at most
 *
 *     E = C sqrt(m sum_steps |d|^2/(mean |column|^2)),
 *
 * the error of logarithms of lengths. For long means the mean of E matters: the number of steps m
 * is slowly adapted to it. A span with a much larger E is repeated with more steps. Other steps
 * need a past at other distances: interpolation of degree 7 between the stored rates.
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
    double *allowed; /* L: allowed E in a span */
    double *span;    /* L: [s]; length of a span */
    double rate;     /* [1/s]; the fastest rate */
    int steps;       /* m of a span */
    int have, head;  /* number of stored rates, and index of the last one */
    double *ring;    /* RING x row */
    double *y, *yp, *part;
    double *missed, *size; /* (k + 1) x L: sums of squares over a span */
    double *mean;          /* L: mean of E/allowed over the last spans; < 0: none yet */
    double *quality;       /* L: least pivot */
    int since;             /* spans since the steps were changed */
    unsigned active;       /* bits: lanes with a motion */
    /* the state at the beginning of a span: */
    double *kept, *kept_ring, *kept_t;
    int kept_have, kept_head;
    double *room; /* RING x row: scratch */
    /* of the last span: */
    double *grown; /* k x L: growth of the columns, r_ii */
    double *trace; /* L: integral of the divergence */
    double *error; /* L: E */
    long evaluations;
} zw_frames;

/* Why the equations of a kernel cannot be integrated like this; NULL if they can: smooth and
 * without constraints. */
const char *zw_frames_refuse(const zw_kernel *k);
/* The functions that the kernel, of eight lanes, must have. */
#define ZW_FRAMES_FUNCTIONS (ZW_SET(RHS) | ZW_SET(MATS) | ZW_SET(METRIC) | ZW_SET(JAC))
zw_status zw_frames_init(zw_frames *f, zw_arena *arena, const zw_kernel *kernel, int k,
                         const double *size, const bool *counts, zw_error *err);
/* Starts a motion with the frame V (k x nx). All lanes must be put before the first span; those
 * that are not have a copy of the first one. */
void zw_frames_put(zw_frames *f, int lane, double t, const double *x, const double *p,
                   const double *V);
/* begin: length of the span [s] and allowed error of logarithms in it (8 each); the fastest rate
 * [1/s], for stable steps. change: multiplies the lengths of all lanes. */
void zw_frames_begin(zw_frames *f, const double *span, const double *allowed, double rate);
void zw_frames_change(zw_frames *f, double factor);
/* Integrates one span. False: failed (a lane is not finite, or no number of steps is enough). */
bool zw_frames_look(zw_frames *f);
double zw_frames_time(const zw_frames *f, int lane);
void zw_frames_state(const zw_frames *f, int lane, double *x);

#endif
