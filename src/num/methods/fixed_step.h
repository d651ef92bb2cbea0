/* SPDX-License-Identifier: MIT */
/* Code shared by the structure-preserving methods: equal steps, composition, dense output.
 *
 * A symmetric base method of order 2 is raised to order 4 or 6 by composing steps of lengths
 * gamma_i h (Suzuki 1990: five steps; Yoshida 1990, solution A: seven steps): the composition is
 * symmetric again, and symplectic if the base is. The times are t_0 + n h without accumulated
 * round-off. Within steps: the Hermite cubic, from the rates at both ends. */
#ifndef ZW_NUM_METHODS_FIXED_STEP_H
#define ZW_NUM_METHODS_FIXED_STEP_H

#include "base/slice.h"
#include "num/internal.h"

typedef struct zw_num_fixed {
    size_t bytes; /* of the whole stepper */
    /* one step of the base method from x0 at t to x1 at t + h (different arrays) */
    zw_status (*base)(zw_run *run, double t, double h, const double *x0, double *x1, zw_error *err);
    double origin;   /* [s]; time of the start */
    double n;        /* number of steps since */
    double *from;    /* nx: the state at run->before */
    double *to;      /* nx: the state at run->reached */
    double *stage;   /* nx: between the steps of a composition */
    double *rate[2]; /* nx: x' at before and now, for the dense output */
    bool rates_known;
    long calls; /* evaluations of the kernel since the start */
} zw_num_fixed;

/* Slices its arrays. */
void zw_num_fixed_slice(zw_num_fixed *f, const zw_kernel *k, zw_slicer *s);
/* Checks the requested order: 2 (also the default), 4 or 6. */
zw_status zw_num_fixed_check(const zw_run *run, zw_error *err);

/* The methods' functions; run->stepper begins with a zw_num_fixed. */
void zw_num_fixed_destroy(zw_run *run);
zw_status zw_num_fixed_start(zw_run *run, zw_error *err);
zw_status zw_num_fixed_step(zw_run *run, zw_error *err);
zw_status zw_num_fixed_dense(zw_run *run, double t, double *x, zw_error *err);
zw_status zw_num_fixed_polynomial(zw_run *run, int *degree, double *c, zw_error *err);
zw_status zw_num_fixed_land(zw_run *run, double t, double *x, zw_error *err);
void zw_num_fixed_statistics(const zw_run *run, zw_run_info *info);

/* The implicit equations of a step are solved by sweeps until only round-off moves: inexact
 * solutions would destroy the structure. */
typedef struct zw_num_sweeps {
    int n, stalled;
    double smallest; /* smallest move so far */
    bool settled;
} zw_num_sweeps;
/* The move of the end of a step that begins at x0 by a sweep, relative to the size of the
 * coordinates. Velocities count by the displacement in a step of length h (0: not at all): near
 * rest the energy hardly depends on them, and its round-off is noise in them. */
double zw_num_movement(const zw_run *run, double h, const double *x0, const double *from,
                       const double *to);
/* Is another sweep needed, after one with this move (INFINITY before the first)? */
bool zw_num_sweep_again(zw_num_sweeps *s, double moved);
zw_status zw_num_sweep_end(const zw_num_sweeps *s, double t, zw_error *err);

#endif
