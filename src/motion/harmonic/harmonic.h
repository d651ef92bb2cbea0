/* SPDX-License-Identifier: MIT */
/* Private to the files of harmonic balance. */
#ifndef ZW_MOTION_HARMONIC_HARMONIC_H
#define ZW_MOTION_HARMONIC_HARMONIC_H

#include "base/arena.h"
#include "blocks.h"
#include "motion/harmonic/balance.h"
#include "period.h"
#include "sweep.h"

struct zw_harmonic {
    zw_allocator alloc;
    zw_arena arena;
    zw_period period;
    zw_harmonic_set set;
    void *user;
    double *p; /* np */
    double a, w, w_slope;
    double W[ZW_PHASES_MAX]; /* of several phases: all frequencies; w is the first one */
    bool at_a;               /* parameters are those of a */
    zw_blocks *blocks;
    zw_sweep *sweep; /* made when multipliers are needed; NULL: not yet, or not for this system */
    bool asked;
    bool dense, shaped;
    int nfree;  /* unknowns after the coefficients: of free motions or of cycles, then of levels */
    bool cycle; /* the first of them is w */
    double *other;       /* n x S, of cycles */
    int damped;          /* of them 1 is a damping, if there is anything but the mean */
    int nmean, *mean;    /* after it: the coordinates whose mean is not determined */
    bool *touches;       /* n x n: the blocks that are not zero */
    double ridge;        /* of w^2 M */
    double *scale, unit; /* n */
    double *rows;        /* n x S */
    double *series;      /* S */
    double *c, *s;       /* the spectrum of a series, from -2 top to 2 top */
    double *part;        /* fourier.n */
};

/* harmonic_torus.c: the largest and the smallest value of a function of several phases. */
void zw_harmonic_torus_extremes(zw_harmonic *h, const double *coefficient, double *max,
                                double *min);
/* Copies the coefficients of common vectors; the others are 0. */
void zw_harmonic_torus_embed(const zw_harmonic *from, const double *x, const zw_harmonic *to,
                             double *y);

/* The state at the time t, and accelerations and multipliers (z, may be NULL). */
void zw_harmonic_torus_state(const zw_harmonic *h, const double *x, double t, double *state,
                             double *z);

#endif
