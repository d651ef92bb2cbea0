/* SPDX-License-Identifier: MIT */
/* Several trajectories side by side in vectors, each with its own time, step, error and parameters.
 *
 * L of them, 4 or 8, go through the stages of a Runge-Kutta pair (num/rk_tableau.h) together, by
 * one call of the kernel of L lanes per stage. At the end each lane is judged for itself: accepted,
 * it has moved; rejected, it tries once more with a shorter step, while its neighbours go on.
 * Nothing that a lane does depends on the others. Who drives them puts a new state into a lane
 * whenever he likes (zw_lanes_put); a lane that holds none is idle and is computed for nothing.
 *
 * Arrays are those of kernels: entry i of lane l at [i*L + l]. */
#ifndef ZW_LANES_LANES_H
#define ZW_LANES_LANES_H

#include "base/arena.h"
#include "num/methods/rk_tableau.h"
#include "zwang/kernel.h"

typedef struct zw_lanes_terms { /* entries of a row of the tableau that are not zero */
    int n;
    int offset[ZW_RK_ROWS]; /* of the rate in `rate` */
    double weight[ZW_RK_ROWS];
} zw_lanes_terms;

typedef enum zw_lane_fault {
    ZW_LANE_GOOD,
    ZW_LANE_VANISHES, /* the step became shorter than time resolves */
    ZW_LANE_STEPS,    /* too many of them */
    /* the constraints could not be kept, or a contact that is watched does not press */
    ZW_LANE_LEFT
} zw_lane_fault;

typedef struct
    zw_lanes_entry { /* of a matrix, in doubles from the beginning of the vectors and of the matrix */
    int row, column, at;
} zw_lanes_entry;

typedef struct zw_lanes_options {
    double rtol, atol, step_max;
    long steps_max;
} zw_lanes_options;

typedef struct zw_lanes zw_lanes;

/* What is compiled for the arithmetic of a processor (attempt.h). Attempts by the number of entries
 * of y, 0: any. */
typedef struct zw_lanes_code {
    void (*four[9])(zw_lanes *l);
    void (*eight[9])(zw_lanes *l);
    /* Where the step of each lane ends; masks and next steps from the estimates e (n x L) of its
     * errors; what was accepted is taken over. */
    void (*aim)(zw_lanes *l);
    void (*judge)(zw_lanes *l, const double *e);
    void (*take_over)(zw_lanes *l);
    void (*combine)(const zw_lanes *l, const double *y, const zw_lanes_terms *w, double *out);
} zw_lanes_code;
extern const zw_lanes_code zw_lanes_plain,
    zw_lanes_fused; /* the second one is empty where it cannot be */

struct zw_lanes {
    const zw_kernel *k;
    const zw_rk_tableau *table;
    zw_lanes_options options;
    const zw_lanes_code *code;
    zw_lanes_terms a[ZW_RK_ROWS], e, d[ZW_RK_DENSE];
    /* lanes; entries of y: those of disturbances, one after the other, and behind them those of
     * x, */
    int L, n;
    int at; /* from here on */
    int nvariation;
    int row; /* doubles from one rate to the next: what the kernel writes */
    /* L each: */
    double *t, *t1; /* beginning and end of the step */
    double *h;      /* length of the step that is tried next */
    double *wanted; /* of one that was cut short: its length before; else 0 */
    double *before; /* log2 of the squared error of the last accepted step */
    double *next;   /* the driver's: it wants to look when the step has come so far */
    double *steps, *rejected;
    double *active, *accepted,
        *again;      /* masks: in use; the last step counts; the one before did not */
    double *look;    /* another one: at `next`, or cannot go on */
    double *quality; /* least pivot of the stages */
    double *stage_t;
    double enough; /* of a step, up to where somebody wants to look: then the step ends there */
    unsigned
        disturbed;  /* bits: rates of disturbances at the end of the step are not theirs any more */
    unsigned left;  /* bits: lanes with the fault of this name since the last attempt */
    unsigned fresh; /* bits: lanes without a first rate and step */
    bool moved;     /* what is accepted has not been taken over yet */
    bool dirty;     /* parameters have changed: the cache is not theirs */
    bool has_dense; /* r belongs to the last step */
    bool drifts;    /* there are constraints to be kept, or contacts to be watched */
    double *y0, *y1, *stage; /* n x L */
    double *rate;            /* rows of the tableau x row */
    double *r;               /* (3 + ndense) x n x L: dense output */
    double *p, *cache, *work;
    zw_lane_fault fault[8];
    void (*attempt)(zw_lanes *l);
    double *scratch;             /* 2 x row */
    double *u, *J, *E, *in_time; /* of rosenbrock.c: 6 x n, n x n, n x n, n; u is NULL without */
    /* of constraints and disturbances: */
    int nrate, nresidual; /* entries of the derivatives that can be different from zero */
    zw_lanes_entry *rate_entry, *residual_entry;
    double *out, *kept;            /* what the kernel writes */
    double *metric, *rows, *schur; /* nv x nv, m x nv, m x m */
    double *side, *move, *open;    /* nz, nv; a mask */
    double *leaf;                  /* nleaf: integrals at the beginning of a lane */
};

/* Lanes of a kernel of 4 or 8 lanes that has RHS; with constraints POS, VEL, MATS and METRIC, with
 * contacts VALID and PRESS, with disturbances MATS and JAC. Memory is the arena's. */
zw_status zw_lanes_init(zw_lanes *l, zw_arena *arena, const zw_kernel *k,
                        const zw_rk_tableau *table, const zw_lanes_options *options, int nvariation,
                        zw_error *err);
/* A lane begins at (t, x) with parameters p (np; NULL: those it has) and disturbances (nvariation x
 * nx). */
void zw_lanes_put(zw_lanes *l, int lane, double t, const double *x, const double *p,
                  const double *variation);
/* Other disturbances at the end of the step that a lane has made. */
void zw_lanes_disturb(zw_lanes *l, int lane, const double *variation);
unsigned zw_lanes_bits(const double *mask, int L);
/* A lane is over. */
void zw_lanes_rest(zw_lanes *l, int lane);
/* One attempt of all lanes. Bits of those that have been accepted and have come to `next`, or have
 * failed (fault). */
unsigned zw_lanes_step(zw_lanes *l);
/* Bits of the lanes that have moved in the last attempt. */
unsigned zw_lanes_moved(const zw_lanes *l);

/* project.c. The accepted ends of steps onto the constraints; bits of those that did not get
 * there. */
unsigned zw_lanes_project(zw_lanes *l);
/* Lanes that are fresh keep their integrals. */
void zw_lanes_keep_leaf(zw_lanes *l);
/* linear.c. The rates of disturbances, where those of x behind them are there. */
zw_status zw_lanes_linear_init(zw_lanes *l, zw_arena *arena, zw_error *err);
void zw_lanes_linear(zw_lanes *l, const double *t, const double *y, double *rate);

/* dense.c. States y within the last step of a lane that has moved; the coefficients (for all lanes
 * at once). */
void zw_lanes_dense(zw_lanes *l, int lane, double t, double *x);
void zw_lanes_dense_variation(zw_lanes *l, int lane, double t, double *variation);
void zw_lanes_make_dense(zw_lanes *l);
/* The states of all lanes at the parts theta (L) of their steps, n x L. */
void zw_lanes_dense_all(zw_lanes *l, const double *theta, double *x);

/* step.c. Of this processor (base/processor.h). */
const zw_lanes_code *zw_lanes_code_here(void);
/* out = y + h sum_j w_j k_j */
void zw_lanes_combine(const zw_lanes *l, const double *y, const zw_lanes_terms *w, double *out);
void zw_lanes_rates(zw_lanes *l, const double *t, const double *y, double *rate);
/* First rates and lengths of steps of the lanes that are fresh. */
void zw_lanes_begin(zw_lanes *l);

#endif
