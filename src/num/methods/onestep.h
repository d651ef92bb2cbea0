/* SPDX-License-Identifier: MIT */
/* Code shared by our one-step methods: calls of the rate, the norm of errors, the length of steps.
 *
 * Errors are measured as the root mean square of e_i / (atol + rtol |y_i|), |y_i| the larger of
 * both ends of the step; a step is accepted if that is 1 at most. */
#ifndef ZW_NUM_METHODS_ONESTEP_H
#define ZW_NUM_METHODS_ONESTEP_H

#include "num/internal.h"

typedef struct zw_num_tolerance {
    double rtol, atol;
} zw_num_tolerance;

/* y' at (t, y); errors are stored in run->trouble. */
zw_status zw_num_onestep_rate(zw_run *run, double t, const double *y, double *rate, long *calls);

double zw_num_onestep_norm(int n, const double *e, const double *y0, const double *y1,
                           zw_num_tolerance tol);

/* The constants of the first step in II.4 of Hairer, Norsett, Wanner (1993), where norms are those
 * of states and rates in units of the tolerances: norms that are too small to give a length; the
 * length that is tried then [s]; rates that are 0; how much shorter the step is made for those. */
#define ZW_NUM_FIRST_NORM 1e-5
#define ZW_NUM_FIRST_STEP 1e-6
#define ZW_NUM_FIRST_RATE 1e-15
#define ZW_NUM_FIRST_SHORTER 1e-3

/* A length for the first step of a method whose error is of this order, from y0 and its rate f0
 * (Hairer, Norsett, Wanner 1993, II.4). y and f are scratch, ny entries each. */
double zw_num_onestep_first(zw_run *run, const double *y0, const double *f0, int order,
                            zw_num_tolerance tol, double *y, double *f, long *calls);

/* The factor for the next step after one of this error, which is of order `order` in h: the PI
 * controller of Gustafsson (1991). */
typedef struct zw_num_control {
    double before; /* logarithm of the error of the last accepted step; 0 without one */
    bool rejected; /* the last attempt was rejected: do not grow right after it */
} zw_num_control;
double zw_num_onestep_accepted(zw_num_control *c, double error, int order);
double zw_num_onestep_rejected(zw_num_control *c, double error, int order);

/* The end of a step of length h from now, within options.step_max. */
double zw_num_onestep_end(const zw_run *run, double h);
/* Is a step of length h from t below what time resolves? */
bool zw_num_onestep_vanishes(double t, double h);

#endif
