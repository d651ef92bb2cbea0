/* SPDX-License-Identifier: MIT */
/* What the structure-preserving methods share: equal steps, composition, dense output.
 *
 * A symmetric base method of order 2 is raised to order 4 or 6 by composing steps of lengths
 * gamma_i h (Suzuki 1990: five steps; Yoshida 1990, solution A: seven steps): the composition is
 * symmetric again, and symplectic if the base is. The times are t_0 + n h without accumulated
 * rounding. Between steps: the cubic of Hermite, from the rates at both ends. */
#ifndef ZW_NUM_METHODS_FIXED_STEP_H
#define ZW_NUM_METHODS_FIXED_STEP_H

#include "base/slice.h"
#include "num/internal.h"

typedef struct zw_num_fixed {
    size_t bytes; /* of the whole stepper */
    /* one step of the base method: from x0 at t to x1 at t + h (different arrays) */
    zw_status (*base)(zw_run *run, double t, double h, const double *x0, double *x1, zw_error *err);
    double origin;   /* time of the start */
    double n;        /* steps since */
    double *from;    /* nx: the state at run->before */
    double *to;      /* nx: the state at run->reached */
    double *stage;   /* nx: between the steps of a composition */
    double *rate[2]; /* nx: x' at before and now, for the dense output */
    bool rates_known;
    long calls; /* evaluations of the kernel since the start */
} zw_num_fixed;

/* Its arrays. */
void zw_num_fixed_slice(zw_num_fixed *f, const zw_kernel *k, zw_slicer *s);
/* The order asked for: 2 (also the default), 4 or 6; anything else is refused. */
zw_status zw_num_fixed_check(const zw_run *run, zw_error *err);

/* The methods' functions; run->stepper begins with a zw_num_fixed. */
void zw_num_fixed_destroy(zw_run *run);
zw_status zw_num_fixed_start(zw_run *run, zw_error *err);
zw_status zw_num_fixed_step(zw_run *run, zw_error *err);
zw_status zw_num_fixed_dense(zw_run *run, double t, double *x, zw_error *err);
zw_status zw_num_fixed_polynomial(zw_run *run, int *degree, double *c, zw_error *err);
zw_status zw_num_fixed_land(zw_run *run, double t, double *x, zw_error *err);
void zw_num_fixed_statistics(const zw_run *run, zw_run_info *info);

/* The implicit equations of a step are solved by sweeps until rounding is all that moves: what is
 * not solved exactly would spoil the structure. */
typedef struct zw_num_sweeps {
    int n, stalled;
    double smallest; /* move so far */
    bool settled;
} zw_num_sweeps;
/* How far a sweep moved the end of a step that begins at x0, relative to the size of the
 * coordinates. Velocities count by the way they make in a step of length h (0: not at all): near
 * rest the energy hardly depends on them, and its rounding is noise in them. */
double zw_num_movement(const zw_run *run, double h, const double *x0, const double *from,
                       const double *to);
/* Sweep again, after a sweep that moved so far (INFINITY before the first)? */
bool zw_num_sweep_again(zw_num_sweeps *s, double moved);
zw_status zw_num_sweep_end(const zw_num_sweeps *s, double t, zw_error *err);

#endif
