/* SPDX-License-Identifier: MIT */
/* Private to the files of quasi-periodic motions: the grid of the phases, and the weight of means
 * over time.
 *
 *     forced_tones.c          excitation frequencies, combinations of them, the first guess
 *     forced_tones_measure.c  quantities as functions of the phases
 *     forced_tones_residual.c lines that a motion lacks by the equations in time
 *     forced_exponents.c      Lyapunov exponents, and the points where one of them crosses zero
 *     forced_tones_write.c    words, JSON, tables */
#ifndef ZW_MOTION_RESPONSE_FORCED_TONES_H
#define ZW_MOTION_RESPONSE_FORCED_TONES_H

#include "forced.h"

/* Points at which functions of the phases are evaluated. */
typedef struct zw_forced_grid {
    int per[ZW_TONES_MAX], samples;
    double *x, *seen, *u; /* state, observables, inputs of one point */
} zw_forced_grid;

zw_status zw_forced_make_grid(zw_forced *f, zw_forced_grid *g, zw_error *err);
/* The phases of point s. */
void zw_forced_grid_phases(const zw_forced *f, const zw_forced_grid *g, int s, double *theta);
/* Evaluates the state of f->x at these phases in g->x, and sets the inputs of f->torus_flow to
 * them. */
void zw_forced_grid_state(zw_forced *f, zw_forced_grid *g, const double *theta);
/* The weight of a mean over s from 0 to 1; the slowest and the fastest frequency of W. */
double zw_forced_weight(double s);
double zw_forced_slowest(const zw_forced *f, const double *W);
double zw_forced_fastest(const zw_forced *f, const double *W);

#endif
