/* SPDX-License-Identifier: MIT */
/* Private to the files of harmonic balance. */
#ifndef ZW_MOTION_HARMONIC_HARMONIC_H
#define ZW_MOTION_HARMONIC_HARMONIC_H

#include "base/arena.h"
#include "blocks.h"
#include "period.h"
#include "sweep.h"
#include "zwang/harmonic.h"

struct zw_harmonic {
    zw_allocator alloc;
    zw_arena arena;
    zw_period period;
    zw_harmonic_set set;
    void *user;
    double *p; /* np: values of the parameters */
    double a, w, w_slope;
    double W[ZW_PHASES_MAX]; /* several phases: all frequencies, of which w is the first */
    bool at_a;               /* parameters and frequencies are those of a */
    zw_blocks *blocks;
    /* made when multipliers are needed; NULL: not yet, or not supported for this system */
    zw_sweep *sweep;
    bool sweep_tried;
    bool dense, shaped;
    /* number of unknowns after the coefficients: of free motions or of cycles, then of levels */
    int nfree;
    bool cycle;              /* the first of them is w */
    double *parameter_slope; /* n x S: derivative with respect to a at fixed w, of cycles */
    /* 1: the first of them is a damping (or w); 0: the series has only a mean */
    int damped;
    int nmean, *mean;    /* the next ones: coordinates whose mean is not determined */
    bool *touches;       /* n x n: is the block nonzero? */
    double ridge;        /* regularisation, relative to w^2 M; 0: none */
    double *scale, unit; /* n: sizes of the functions; size of a */
    double *rows;        /* n x S */
    double *series;      /* S */
    double *c, *s;       /* the spectrum of a series, from -2 top to 2 top */
    double *projection;  /* fourier.n: coefficients of one row */
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
