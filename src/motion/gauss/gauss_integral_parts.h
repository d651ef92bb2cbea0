/* SPDX-License-Identifier: MIT */
/* Private to the files of the period-integrated Gaussian. */
#ifndef ZW_MOTION_GAUSS_GAUSS_INTEGRAL_PARTS_H
#define ZW_MOTION_GAUSS_GAUSS_INTEGRAL_PARTS_H

#include "gaussian.h"

struct zw_gauss_integral {
    zw_allocator alloc;
    zw_arena arena;
    zw_arena found; /* results of the last search or bounded minimisation */
    zw_gaussian gaussian;
    zw_gaussian *check;                /* the same with twice the points; NULL: not made yet */
    zw_gauss_integral_options options; /* its harmonics are those of the Fourier series */
    zw_harmonic_set set;
    void *user;
    double *p; /* np: values of the parameters */
    double a, w;
    bool at_a;                     /* parameters and frequency are those of a */
    double *gradient, *H, *factor; /* unknowns, unknowns^2 */
    double *step, *trial;          /* unknowns */
};

/* Sets parameters and frequency for the value a. */
zw_status zw_gauss_set_value(zw_gauss_integral *g, double a, zw_error *err);
/* Computes gradient and H (exact or Gauss-Newton) in g, after a call of zw_gauss_total at x. If
 * forces jump along the motion, the exact H comes from differences, and the motion in g is then a
 * displaced one. */
void zw_gauss_slopes(zw_gauss_integral *g, const double *x, bool exact);
/* The error of the total at x, from the sum over twice as many points. */
zw_status zw_gauss_error(zw_gauss_integral *g, const double *x, double *error, zw_error *err);
bool zw_gauss_has_second(const zw_gauss_integral *g);
/* G + defect; INFINITY if it has no value. */
double zw_gauss_total(zw_gauss_integral *g, const double *x, zw_gaussian_value *value);
/* Solves (H + mu diag H) step = -gradient; false: the matrix is not positive. */
bool zw_gauss_solve(zw_gauss_integral *g, const double *H, const double *gradient, double mu,
                    double *step);
/* Is the exact matrix of second derivatives positive at x? True also where the kernel has none. */
bool zw_gauss_is_minimum(zw_gauss_integral *g, const double *x);
/* The root of the mean over the period of the squared difference of two motions; y NULL: zero. */
double zw_gauss_distance(const zw_gauss_integral *g, const double *x, const double *y);

/* ---- minimisers of NLopt (gauss_integral_nlopt.c) ---- */
zw_status zw_gauss_nlopt_check(zw_error *err);
zw_status zw_gauss_nlopt_minimise(zw_gauss_integral *g, double *x, zw_gauss_result *result,
                                  zw_error *err);

#endif
