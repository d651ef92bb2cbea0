/* SPDX-License-Identifier: MIT */
/* Several trajectories computed together in vectors, each with its own time, step, error and
 * parameters.
 *
 * L of them, 4 or 8, are advanced through the stages of a Runge-Kutta pair
 * (num/methods/rk_tableau.h) together, with one call of the kernel of L lanes per stage. At the end
 * each lane is judged separately: if accepted, it has moved; if rejected, it tries again with a
 * shorter step, while the other lanes continue. A lane never depends on the others. The caller may
 * put a new state into a lane at any time (zw_lanes_put); an idle lane is computed without use.
 *
 * Arrays are those of kernels: entry i of lane l at [i*L + l]. */
#ifndef ZW_LANES_LANES_H
#define ZW_LANES_LANES_H

#include "base/arena.h"
#include "num/methods/rk_tableau.h"
#include "zwang/kernel.h"

typedef struct zw_lanes_terms { /* nonzero entries of a row of the tableau */
    int n;
    int offset[ZW_RK_ROWS]; /* positions of the rates in `rate` */
    double weight[ZW_RK_ROWS];
} zw_lanes_terms;

typedef enum zw_lane_fault {
    ZW_LANE_GOOD,
    ZW_LANE_VANISHES, /* the step became shorter than time resolves */
    ZW_LANE_STEPS,    /* too many steps */
    /* the projection onto the constraints failed, or a watched contact does not press */
    ZW_LANE_LEFT
} zw_lane_fault;

typedef struct zw_lanes_entry { /* of a matrix: positions in the vectors and in the matrix */
    int row, column, at;
} zw_lanes_entry;

typedef struct zw_lanes_options {
    double rtol, atol, step_max;
    long steps_max;
} zw_lanes_options;

typedef struct zw_lanes zw_lanes;

/* The code compiled for the arithmetic of a processor (attempt.h). Attempts by the number of
 * entries of y, 0: any number. */
typedef struct zw_lanes_code {
    void (*four[9])(zw_lanes *l);
    void (*eight[9])(zw_lanes *l);
    /* aim: the end of the step of each lane; judge: masks and next steps from the error estimates e
     * (n x L); take_over: accepted ends become beginnings. */
    void (*aim)(zw_lanes *l);
    void (*judge)(zw_lanes *l, const double *e);
    void (*take_over)(zw_lanes *l);
    void (*combine)(const zw_lanes *l, const double *y, const zw_lanes_terms *w, double *out);
} zw_lanes_code;
extern const zw_lanes_code zw_lanes_plain,
    zw_lanes_fused; /* the second one is empty if the compiler has no fused operations */

struct zw_lanes {
    const zw_kernel *k;
    const zw_rk_tableau *table;
    zw_lanes_options options;
    const zw_lanes_code *code;
    zw_lanes_terms a[ZW_RK_ROWS], e, d[ZW_RK_DENSE];
    /* lanes; entries of y: the disturbances, one after the other, then x, */
    int L, n;
    int at; /* index where x begins */
    int nvariation;
    int row; /* distance between two rates [double]: the size of the kernel's output */
    /* L each: */
    double *t, *t1; /* beginning and end of the step */
    double *h;      /* length of the next step */
    double *wanted; /* for a step that was shortened to an output time: its full length; else 0 */
    double *before; /* log2 of the squared error of the last accepted step */
    double *next;   /* next output time, set by the caller */
    double *steps, *rejected;
    /* masks: in use; the last step was accepted; the previous one was rejected */
    double *active, *accepted, *again;
    double *look;    /* mask: reached `next`, or cannot continue */
    double *quality; /* least pivot in the stages of the step */
    double *stage_t;
    /* least fraction of a step up to the next output time with which the step ends there */
    double enough;
    /* bits: lanes whose disturbances have changed, so that their rates are invalid */
    unsigned disturbed;
    unsigned left;           /* bits: lanes with ZW_LANE_LEFT since the last attempt */
    unsigned fresh;          /* bits: lanes without a first rate and step */
    bool moved;              /* accepted ends have not become beginnings yet */
    bool dirty;              /* parameters have changed: the cache is invalid */
    bool has_dense;          /* r is that of the last step */
    bool drifts;             /* there are constraints to project onto, or contacts to watch */
    double *y0, *y1, *stage; /* n x L */
    double *rate;            /* rows of the tableau x row */
    double *r;               /* (3 + ndense) x n x L: dense output */
    double *p, *cache, *work;
    zw_lane_fault fault[8];
    void (*attempt)(zw_lanes *l);
    double *scratch;             /* 2 x row */
    double *u, *J, *E, *in_time; /* of rosenbrock.c: 6 x n, n x n, n x n, n; u is NULL without */
    /* for constraints and disturbances: */
    int nrate, nresidual; /* numbers of nonzero entries of the derivatives */
    zw_lanes_entry *rate_entry, *residual_entry;
    double *out, *kept;            /* output of the kernel */
    double *metric, *rows, *schur; /* nv x nv, m x nv, m x m */
    double *side, *move, *open;    /* nz, nv; mask of lanes not yet on the constraints */
    double *leaf;                  /* nleaf: integrals at the beginning of a motion */
};

/* Lanes of a kernel of 4 or 8 lanes with RHS; with constraints also POS, VEL, MATS and METRIC, with
 * contacts VALID and PRESS, with disturbances MATS and JAC. Memory from the arena. */
zw_status zw_lanes_init(zw_lanes *l, zw_arena *arena, const zw_kernel *k,
                        const zw_rk_tableau *table, const zw_lanes_options *options, int nvariation,
                        zw_error *err);
/* A lane begins at (t, x) with parameters p (np; NULL: those of the lane) and disturbances
 * (nvariation x nx). */
void zw_lanes_put(zw_lanes *l, int lane, double t, const double *x, const double *p,
                  const double *variation);
/* Replaces the disturbances at the end of the last step of a lane. */
void zw_lanes_disturb(zw_lanes *l, int lane, const double *variation);
unsigned zw_lanes_bits(const double *mask, int L);
/* The motion of a lane has ended: the lane is idle. */
void zw_lanes_rest(zw_lanes *l, int lane);
/* One attempt of all lanes. Bits of those that were accepted and have reached `next`, or have
 * failed (fault). */
unsigned zw_lanes_step(zw_lanes *l);
/* Bits of the lanes that have moved in the last attempt. */
unsigned zw_lanes_moved(const zw_lanes *l);

/* project.c. Projects the accepted ends of steps onto the constraints; bits of the lanes where that
 * fails. */
unsigned zw_lanes_project(zw_lanes *l);
/* Stores the integrals of fresh lanes. */
void zw_lanes_keep_leaf(zw_lanes *l);
/* linear.c. The rates of disturbances, after those of x have been evaluated. */
zw_status zw_lanes_linear_init(zw_lanes *l, zw_arena *arena, zw_error *err);
void zw_lanes_linear(zw_lanes *l, const double *t, const double *y, double *rate);

/* dense.c. States y within the last step of a lane that has moved; the coefficients (for all lanes
 * at once). */
void zw_lanes_dense(zw_lanes *l, int lane, double t, double *x);
void zw_lanes_dense_variation(zw_lanes *l, int lane, double t, double *variation);
void zw_lanes_make_dense(zw_lanes *l);
/* The states of all lanes at the fractions theta (L) of their steps, n x L. */
void zw_lanes_dense_all(zw_lanes *l, const double *theta, double *x);

/* step.c. The code for this processor (base/processor.h). */
const zw_lanes_code *zw_lanes_code_here(void);
/* out = y + h sum_j w_j k_j */
void zw_lanes_combine(const zw_lanes *l, const double *y, const zw_lanes_terms *w, double *out);
void zw_lanes_rates(zw_lanes *l, const double *t, const double *y, double *rate);
/* First rates and lengths of steps of the lanes that are fresh. */
void zw_lanes_begin(zw_lanes *l);

#endif
