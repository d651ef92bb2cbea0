/* SPDX-License-Identifier: MIT */
/* Private to the files of the sweep: sweep_make.c makes its structure, sweep_step.c computes the
 * steps, sweep.c judges the result. */
#ifndef ZW_MOTION_HARMONIC_SWEEP_PRIVATE_H
#define ZW_MOTION_HARMONIC_SWEEP_PRIVATE_H

#include "sweep.h"

/* LEVELS: numbers of steps, 8 to 128; MEASURE_EVERY: motions between measurements of the error;
 * PAUSE: motions without a sweep after it has failed; FEW: coordinates for which eight steps are
 * computed in parallel instead of columns. */
enum {
    LANES = 8,
    STAGES = 6,
    LEVELS = 5,
    MEASURE_EVERY = 25,
    PAUSE = 20,
    FEW = 2,
    BLOCK = STAGES * STAGES * LANES
};

typedef struct zw_sweep_level {
    int intervals;         /* 0: not made yet */
    double *tau;           /* points: phases */
    double *cosine, *sine; /* (top + 1) x points */
} zw_sweep_level;

/* A pair of coupled coordinates: entries of K, C, M among the outputs of JAC and MATS (-1: zero),
 * and the block. */
typedef struct zw_sweep_link {
    int row, column, k, c, m, block;
} zw_sweep_link;

typedef struct zw_sweep_result {
    double *re, *im;
    double sum, trace; /* the sum of log |mu|, and the integral of the divergence */
} zw_sweep_result;

struct zw_sweep {
    zw_allocator alloc;
    zw_arena arena;
    const zw_period *p;
    int n, width; /* number of coordinates; of columns, padded to a multiple of four */
    double a[STAGES][STAGES], abar[STAGES][STAGES], b[STAGES], bbar[STAGES], c[STAGES];
    zw_sweep_level level[LEVELS];
    int level_in_use; /* index of the level in use */
    int nlink;
    zw_sweep_link *link;
    int *link_first;       /* n + 1 */
    int *order, *position; /* n */
    int *block_index;      /* n x n by positions: index of the block, -1 */
    int *first, *list;     /* neighbours of a position after it: list[first[k]] .. */
    int nblock;
    double *block;     /* nblock x BLOCK */
    double *t, *x, *z; /* points of eight steps: a group for every stage */
    double *jac, *mats;
    bool mass_varies;
    double *mass, *inverse; /* n x n: the mass matrix with the known inverse; mass[0] NaN: none */
    int *pivot;
    double *Q, *V, *R; /* n x width twice, n x m x width */
    double *A, *work;  /* 4 n^2; 6 n + 8 */
    zw_sweep_result half, full;
    double *error, *exponent, *angle;
    bool *taken;
    double measured;       /* last measured error; negative: none */
    double stiff_measured; /* `stiff` of that motion */
    double stiff;          /* largest K_ii/M_ii, times the square of the period */
    int motions_since_measured, pause_left;
};

static inline const double *jac_at(const zw_sweep *s, int at, int stage) {
    return s->jac + (size_t)((stage * s->p->size[ZW_FN_JAC] + at) * LANES);
}

static inline const double *mass_at(const zw_sweep *s, int at, int stage) {
    return s->mats + (size_t)(((s->mass_varies ? stage : 0) * s->p->size[ZW_FN_MATS] + at) * LANES);
}

static inline double *block_at(const zw_sweep *s, int i, int j) {
    return s->block + (size_t)s->block_index[i * s->n + j] * BLOCK;
}

/* sweep_make.c: makes the tables of a level. */
zw_status zw_sweep_make_level(zw_sweep *s, int number, zw_error *err);
/* sweep_step.c: factors the blocks of eight steps; false: they are (nearly) singular. */
bool zw_sweep_factor(zw_sweep *s);
/* Moves all columns through one of the steps, of length H. */
void zw_sweep_step(const zw_sweep *s, int lane, double H);
/* The same through all eight steps, for two coordinates, and for one, without factors. */
void zw_sweep_step_two(const zw_sweep *s, double H);
bool zw_sweep_step_one(const zw_sweep *s, double H);

#endif
