/* SPDX-License-Identifier: MIT */
/* Private to the files of the sweep: sweep_make.c sets it up, sweep_step.c goes from step to step,
 * sweep.c judges what comes out. */
#ifndef ZW_MOTION_HARMONIC_SWEEP_PRIVATE_H
#define ZW_MOTION_HARMONIC_SWEEP_PRIVATE_H

#include "sweep.h"

enum {
    LANES = 8,
    STAGES = 6,
    LEVELS = 5,
    EVERY = 25,
    REST = 20,
    FEW = 2,
    BLOCK = STAGES * STAGES * LANES
};

typedef struct zw_sweep_level {
    int intervals;         /* 0: not made yet */
    double *tau;           /* points */
    double *cosine, *sine; /* (top + 1) x points */
} zw_sweep_level;

/* a pair of coordinates that touch: where K, C, M stand among the outputs of JAC and MATS, -1:
 * nowhere; the block */
typedef struct zw_sweep_link {
    int row, column, k, c, m, block;
} zw_sweep_link;

typedef struct zw_sweep_result {
    double *re, *im;
    double sum, trace; /* of log |mu|, of the integral of the divergence */
} zw_sweep_result;

struct zw_sweep {
    zw_allocator alloc;
    zw_arena arena;
    const zw_period *p;
    int n, width; /* coordinates; columns, filled up to a multiple of four */
    double a[STAGES][STAGES], abar[STAGES][STAGES], b[STAGES], bbar[STAGES], c[STAGES];
    zw_sweep_level level[LEVELS];
    int now; /* the level that is used */
    int nlink;
    zw_sweep_link *link;
    int *link_first;    /* n + 1 */
    int *order, *place; /* n */
    int *slot;          /* n x n in places: the block, -1 */
    int *first, *list;  /* of a place those behind it that it touches */
    int nblock;
    double *block;     /* nblock x BLOCK */
    double *t, *x, *z; /* of the points of eight steps: a group for every stage */
    double *jac, *mats;
    bool mass_varies;
    double *mass, *inverse; /* n x n, of the inverse that is known; NaN: none is */
    int *pivot;
    double *Q, *V, *R; /* n x width twice, n x m x width */
    double *A, *work;  /* 4 n^2; 6 n + 8 */
    zw_sweep_result half, full;
    double *error, *exponent, *angle;
    bool *taken;
    double measured,
        stiff_then; /* the error that was measured last, negative: none; stiff as it was there */
    double stiff;   /* the largest K_ii/M_ii, times the square of the period */
    int since, resting;
};

static inline const double *jac_at(const zw_sweep *s, int at, int stage) {
    return s->jac + (size_t)((stage * s->p->size[ZW_FN_JAC] + at) * LANES);
}

static inline const double *mass_at(const zw_sweep *s, int at, int stage) {
    return s->mats + (size_t)(((s->mass_varies ? stage : 0) * s->p->size[ZW_FN_MATS] + at) * LANES);
}

static inline double *block_at(const zw_sweep *s, int i, int j) {
    return s->block + (size_t)s->slot[i * s->n + j] * BLOCK;
}

/* sweep_make.c: tables of a number of steps. */
zw_status zw_sweep_make_level(zw_sweep *s, int number, zw_error *err);
/* sweep_step.c, after the blocks of eight steps were put: their factors; false: they are (nearly)
 * singular. */
bool zw_sweep_factor(zw_sweep *s);
/* All columns through one of the steps, of length H. */
void zw_sweep_step(const zw_sweep *s, int lane, double H);
/* The same through all eight, of two coordinates, and of one, without factors. */
void zw_sweep_step_two(const zw_sweep *s, double H);
bool zw_sweep_step_one(const zw_sweep *s, double H);

#endif
