/* SPDX-License-Identifier: MIT */
/* Gauss's constraint of trial functions of a period (fourier.h), its integral
 *
 *     G_int = integral over a period of  min over lambda of  |e|^2_weight, e = M v' - h - C lambda,
 *
 * and its derivatives with respect to the coefficients of the coordinates. The multipliers have no
 * trial functions: they minimise the integrand at each point. */
#ifndef ZW_MOTION_GAUSS_GAUSSIAN_H
#define ZW_MOTION_GAUSS_GAUSSIAN_H

#include "motion/harmonic/panels.h"
#include "zwang/harmonic.h"

enum { ZW_GAUSSIAN_ORDERS = 3 }; /* y, y', y'' */

typedef struct zw_gaussian {
    zw_period period;
    zw_arena *arena;
    /* kernel NULL: no force has kinks, or their switching functions are not available */
    zw_panels panels;
    int least;             /* minimum number of points */
    double density;        /* number of points, relative to that needed for cubic forces */
    double *tau;           /* S: phases of the points, which lie between kinks */
    double *weight;        /* S: weights of the points; their sum is 2 pi */
    double *point;         /* S: the Gaussian */
    double largest_so_far; /* largest Gaussian of all motions so far */
    bool jumps;            /* the Gaussian jumps at a kink of the last motion */
    zw_gauss_weight weighing;
    double hold; /* weight of the squares of constraints [kg] */
    int moving;  /* number of functions, without multipliers */
    /* derivatives that occur: 3, or 2 where velocities are functions of their own */
    int orders;
    int m;          /* moving x orders: variables of the integrand at a point */
    int unknowns;   /* moving x fourier.n */
    double *base;   /* 3 x fourier.n x S: the trial functions and their derivatives in tau */
    double *all;    /* coefficients including those of multipliers, which are zero */
    double *rows;   /* n x S */
    double *dual;   /* S x nv: factor of e in the gradient */
    double *lambda; /* S x nc */
    double *force;  /* S x nv: the residual e */
    double *z_gradient, *z_hessian;     /* by groups of lanes: arguments of the derivatives */
    double *jac_gradient, *jac_hessian; /* by groups of lanes */
    /* S x nc x nx; by groups of lanes: with another multiplier */
    double *shifted, *shifted_jac;
    double *gradient; /* S x m */
    double *hessian;  /* S x m x m */
    /* at a point: M and L nv x nv, A and Q nv x nc, R nc x nc */
    double *mass, *L, *A, *Q, *R;
    double *B, *BQ, *e, *v;                 /* nv x m, nc x m, nv, nv */
    double *direction[2], *second, *series; /* by groups of lanes, S */
    double *moved;                          /* unknowns */
    /* nc: the column of C depends on none of those before it */
    int *independent;
} zw_gaussian;

typedef struct zw_gaussian_value {
    double G;      /* the integral, without violated constraints */
    double defect; /* the weighted integral of the squares of constraints */
} zw_gaussian_value;

/* The kernel and the arena must outlive g. density: number of points relative to that needed for
 * cubic forces. */
zw_status zw_gaussian_make(zw_gaussian *g, zw_arena *arena, const zw_kernel *kernel,
                           const zw_gauss_integral_options *options, double density, zw_error *err);
/* Sets the values of all parameters (np) and the frequency. */
void zw_gaussian_set(zw_gaussian *g, const double *parameter, double w);
/* The value at the coefficients x (unknowns). ZW_RETRY: it has none, as M has no inverse or
 * something is not finite. */
zw_status zw_gaussian_value_at(zw_gaussian *g, const double *x, zw_gaussian_value *value);
/* The derivatives of G + defect at the coefficients of the last zw_gaussian_value_at: gradient
 * (unknowns), and H (unknowns x unknowns, may be NULL), exact or Gauss-Newton. Where the Gaussian
 * jumps, the exact H lacks the terms of the displacement of jumps. */
void zw_gaussian_derive(zw_gaussian *g, bool exact, double *gradient, double *H);

#endif
