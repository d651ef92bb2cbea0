/* SPDX-License-Identifier: MIT */
/* Gauss's constraint of trial functions of a period (fourier.h), its integral
 *
 *     G_int = integral over a period of  min over lambda of  |e|^2_weight,        e = M v' - h - C lambda,
 *
 * and its derivatives in the coefficients of the coordinates. The multipliers have no trial
 * functions: they are minimised over at each point. */
#ifndef ZW_MOTION_GAUSS_GAUSSIAN_H
#define ZW_MOTION_GAUSS_GAUSSIAN_H

#include "motion/harmonic/balance.h"
#include "motion/harmonic/panels.h"

enum { ZW_GAUSSIAN_ORDERS = 3 }; /* y, y', y'' */

typedef struct zw_gaussian {
    zw_period period;
    zw_arena *arena;
    zw_panels panels; /* kernel NULL: no force has kinks, or they are not known */
    int least;        /* minimum number of points */
    double density;   /* times the points that cubic forces need */
    double *tau;      /* room for S: phases of points between kinks */
    double *weight;   /* S: of the sum over the points; 2 pi altogether */
    double *point;    /* S: the Gaussian */
    double most;      /* the largest Gaussian of all motions so far */
    bool jumps;       /* the Gaussian jumps at a kink of the last motion */
    zw_gauss_weight weighing;
    double hold;    /* what the squares of constraints count, kg */
    int moving;     /* functions: without multipliers */
    int orders;     /* of derivatives that occur: 3, or 2 where velocities are functions */
    int m;          /* moving x orders: what the integrand depends on at a point */
    int unknowns;   /* moving x fourier.n */
    double *base;   /* 3 x fourier.n x S: the trial functions and their derivatives in tau */
    double *all;    /* coefficients with those of multipliers, which are zero */
    double *rows;   /* n x S */
    double *dual;   /* S x nv: what e is multiplied with in the gradient */
    double *lambda; /* S x nc */
    double *force;  /* S x nv: e */
    double *z_gradient, *z_hessian;     /* by groups: where the derivatives are taken */
    double *jac_gradient, *jac_hessian; /* by groups */
    double *shifted, *turned;           /* S x nc x nx; by groups: with another multiplier */
    double *gradient;                   /* S x m */
    double *hessian;                    /* S x m x m */
    double *mass, *low, *reach, *Q,
        *R;                 /* at a point: nv x nv, nv x nv, nv x nc, nv x nc, nc x nc */
    double *B, *BQ, *e, *v; /* nv x m, nc x m, nv, nv */
    double *direction[2], *second, *series; /* by groups, S */
    double *moved;                          /* unknowns */
    int *kept;                              /* nc: columns of C that depend on none before them */
} zw_gaussian;

typedef struct zw_gaussian_value {
    double G;      /* the integral, without what constraints are violated by */
    double defect; /* the weighted integral of the squares of constraints */
} zw_gaussian_value;

/* The kernel and the arena must outlive it. density: times the points that cubic forces need. */
zw_status zw_gaussian_make(zw_gaussian *g, zw_arena *arena, const zw_kernel *kernel,
                           const zw_gauss_integral_options *options, double density, zw_error *err);
/* Values of all parameters (np), and the frequency. */
void zw_gaussian_set(zw_gaussian *g, const double *parameter, double w);
/* Of the coefficients x (unknowns). ZW_RETRY: there is none, as M has no inverse or something is
 * not finite. */
zw_status zw_gaussian_value_at(zw_gaussian *g, const double *x, zw_gaussian_value *value);
/* The derivatives of G + defect where the value has just been asked for: gradient (unknowns), and H
 * (unknowns x unknowns, may be NULL), exact or without the second derivatives of the equations.
 * Where the Gaussian jumps, the exact H lacks what the displacement of jumps adds. */
void zw_gaussian_derive(zw_gaussian *g, bool exact, double *gradient, double *H);

#endif
