/* SPDX-License-Identifier: MIT */
/* Implemented in src/motion/gauss. */
/* Periodic motions by the period-integrated Gaussian: of trial functions
 *
 *     q(t) = sum over chosen harmonics h of a_h cos(h w t) + b_h sin(h w t)
 *
 * those whose accelerations deviate least from the free ones a = M^-1 h over a period,
 *
 *     G_int = integral over one period of (q'' - a)' M (q'' - a) dt  ->  minimum over the coefficients.
 *
 * With constraints a has the constraint forces C lambda that make the Gaussian smallest at each time, so that accelerations count that the
 * constraints admit; the constraints themselves (positions, or else velocities) cannot hold exactly for a finite series and are held by a weight.
 * G_int is zero for motions alone. A minimum with G_int > 0 that stays as harmonics are added is none (a ghost): see zw_gauss_integral_judge.
 *
 * Source: Azadé Amini Nodoushan, "On the use of Gauss' principle in vibration analysis" (thesis). */
#ifndef ZWANG_GAUSS_INTEGRAL_H
#define ZWANG_GAUSS_INTEGRAL_H

#include "harmonic.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef struct zw_gauss_integral zw_gauss_integral;

typedef enum zw_gauss_weight {
    ZW_GAUSS_MASS,         /* (q'' - a)' M (q'' - a) */
    ZW_GAUSS_ACCELERATION, /* |q'' - a|^2: of one mass, the same divided by it */
    ZW_GAUSS_FORCE         /* |M q'' - h|^2: the residual of the equations */
} zw_gauss_weight;

typedef enum zw_gauss_method {
    ZW_GAUSS_GAUSS_NEWTON, /* with damping (Levenberg, Marquardt); exact second derivatives, if the kernel has them, where it takes too many steps */
    ZW_GAUSS_NEWTON,       /* the same with exact second derivatives; needs ZW_FN_SECOND */
    ZW_GAUSS_BFGS,         /* of NLopt */
    ZW_GAUSS_NELDER_MEAD   /* of NLopt */
} zw_gauss_method;

typedef struct zw_gauss_integral_options {
    size_t size;         /* of this struct, for the library */
    int nharmonic;       /* their number */
    const int *harmonic; /* ascending, 0 is the mean; copied */
    int samples;         /* minimum number of points in the period; 0: enough for cubic forces */
    const zw_kernel *switches; /* where forces have kinks: a kernel of 8 lanes with modes,
                                  ZW_FN_SWITCHES and ZW_FN_SWITCH_RATE, which must outlive it; then the
                                  points are Gauss points between the kinks. NULL: equidistant */
    zw_gauss_weight weight;
    zw_gauss_method method;
    double
        hold; /* weight of constraints: of w^4 phi^2 and w^2 psi^2, in the unit of M; 0: ten times the mean of the diagonal of M */
    double tolerance; /* of the coefficients, relative: 1e-12 */
    int iterations;   /* at most: 500; evaluations with NLopt: 200 times as many */
} zw_gauss_integral_options;
ZW_API void zw_gauss_integral_options_init(zw_gauss_integral_options *options, size_t size);
static inline zw_gauss_integral_options zw_gauss_integral_options_default(void) {
    zw_gauss_integral_options o;
    zw_gauss_integral_options_init(&o, sizeof o);
    return o;
}

/* Of a kernel of 8 lanes with ZW_HARMONIC_FUNCTIONS, which must outlive it. set tells parameters and frequency of a number a, as of harmonic balance.
 * ZW_E_OPTION: it has unit quaternions or no harmonic, or a method does not fit the weight. ZW_E_MISSING: NLopt is not there. */
ZW_API zw_status zw_gauss_integral_create(zw_gauss_integral **out, const zw_kernel *kernel,
                                          const double *p, const zw_gauss_integral_options *options,
                                          zw_harmonic_set set, void *user, zw_error *err);
ZW_API void zw_gauss_integral_destroy(zw_gauss_integral *g);

/* The unknowns x are the coefficients, coordinate by coordinate (and velocity by velocity where these are functions of their own), of each harmonic cos and sin. */
ZW_API int zw_gauss_integral_unknowns(const zw_gauss_integral *g);
ZW_API int zw_gauss_integral_coefficients(const zw_gauss_integral *g); /* of one function */
ZW_API int zw_gauss_integral_samples(const zw_gauss_integral *g); /* at the motion evaluated last */

typedef struct zw_gauss_result {
    double value;    /* G_int */
    double defect;   /* what the violated constraints add to what is minimised */
    double gradient; /* length of the gradient */
    double error;    /* of G_int with the defect, from the sum over twice as many points */
    int iterations, evaluations;
    bool converged;
} zw_gauss_result;

/* The minimum near x (unknowns), in place. If the relative error of the integral there exceeds 1e-9, the number of points is doubled (at most
 * three times) and the minimisation is repeated. ZW_E_NUMERIC: there is no value at x. result may be NULL. */
ZW_API zw_status zw_gauss_integral_minimise(zw_gauss_integral *g, double *x, double a,
                                            zw_gauss_result *result, zw_error *err);
/* The same at values a[0 .. n-1], each from the minimum before it; take is told each and ends it by ZW_STOPPED. */
typedef zw_status (*zw_gauss_take)(void *user, double a, const double *x,
                                   const zw_gauss_result *result, zw_error *err);
ZW_API zw_status zw_gauss_integral_march(zw_gauss_integral *g, double *x, int n, const double *a,
                                         zw_gauss_take take, void *user, zw_error *err);
/* G_int at x, and the gradient (unknowns, may be NULL) of what is minimised there. */
ZW_API zw_status zw_gauss_integral_value(zw_gauss_integral *g, const double *x, double a,
                                         double *value, double *gradient, zw_error *err);
/* The exact second derivatives H (unknowns x unknowns) of what is minimised; by differences of the gradient if forces jump along the motion. ZW_E_OPTION: the
 * kernel has no ZW_FN_SECOND, or the weight is that of accelerations. */
ZW_API zw_status zw_gauss_integral_second(zw_gauss_integral *g, const double *x, double a,
                                          double *H, zw_error *err);
/* At equidistant points of the period (zw_gauss_integral_samples; ZW_E_OPTION: there are `switches`): the forces M q'' - h - C lambda (nv each) that the trial motion would need in addition to those
 * given, and lambda (nc each). Either may be NULL. */
ZW_API zw_status zw_gauss_integral_forces(zw_gauss_integral *g, const double *x, double a,
                                          double *force, double *lambda, zw_error *err);
/* The derivative of a minimum x with respect to a number s on which parameters depend, by the implicit function theorem: H dx/ds = -d gradient/ds,
 * with differences of the gradient in s. displace sets the s that `set` uses; the last call has s = 0. step: of s, a ten-thousandth of its
 * size. ZW_E_NUMERIC: H is not positive definite there. */
typedef void (*zw_gauss_displace)(void *user, double s);
typedef struct zw_gauss_sensitivity {
    double G;  /* dG_int/ds */
    double *x; /* unknowns: dx/ds */
} zw_gauss_sensitivity;
ZW_API zw_status zw_gauss_integral_sensitivity(zw_gauss_integral *g, const double *x, double a,
                                               zw_gauss_displace displace, void *user, double step,
                                               zw_gauss_sensitivity *out, zw_error *err);
/* The derivative of the effective value of a function whose coefficients have the derivatives dx. */
ZW_API double zw_gauss_integral_rms_slope(const zw_gauss_integral *g, const double *x,
                                          const double *dx, int function);
/* Effective value of a function. */
ZW_API double zw_gauss_integral_rms(const zw_gauss_integral *g, const double *x, int function);
ZW_API void zw_gauss_integral_part(const zw_gauss_integral *g, const double *x, int function,
                                   int harmonic, double *c, double *s);
ZW_API double zw_gauss_integral_at(const zw_gauss_integral *g, const double *x, int function,
                                   double tau);
/* The coefficients of one problem as those of another one with other harmonics. */
ZW_API void zw_gauss_integral_embed(const zw_gauss_integral *from, const double *x,
                                    const zw_gauss_integral *to, double *y);

/* ---- several minima ---- */

typedef struct zw_gauss_starts {
    size_t size; /* of this struct, for the library */
    bool origin; /* true */
    int given;   /* starts in start (given x unknowns) */
    const double *start;
    int grid; /* points between low and high of each coefficient of `dimension`: 0 */
    int halton; /* points of Halton's sequence in the box: 0; divided by h^2 for harmonics h behind the first */
    int dimension;    /* so many of the first coefficients are spread, the others are 0; 0: all */
    double low, high; /* the box: -2, 2 */
    double distinct;  /* rms distance of minima that count as different: 1e-5 of 1 + their size */
} zw_gauss_starts;
ZW_API void zw_gauss_starts_init(zw_gauss_starts *starts, size_t size);
static inline zw_gauss_starts zw_gauss_starts_default(void) {
    zw_gauss_starts o;
    zw_gauss_starts_init(&o, sizeof o);
    return o;
}

typedef struct zw_gauss_minimum {
    zw_gauss_result result;
    int starts; /* how many of them led here */
    const double *x;
} zw_gauss_minimum;

/* The different minima from all starts, smallest G_int first; they belong to g, until the next search. Saddles are left out. So is what has not converged, but for
 * the best of it if G_int is smaller there than at every minimum: that is the first of the list then, with result.converged false. */
ZW_API zw_status zw_gauss_integral_search(zw_gauss_integral *g, double a,
                                          const zw_gauss_starts *starts,
                                          const zw_gauss_minimum **list, int *n, zw_error *err);
/* Entry i of point k = 1, 2, ... of Halton's sequence, in 0 .. 1. */
ZW_API double zw_gauss_halton(int k, int i);

/* ---- is it a motion? ---- */

typedef enum zw_gauss_verdict {
    ZW_GAUSS_MOTION,        /* G_int falls to zero, and an orbit is near */
    ZW_GAUSS_NOT_CONVERGED, /* neither is certain with so many harmonics */
    ZW_GAUSS_GHOST          /* G_int stays, and no orbit is near */
} zw_gauss_verdict;

enum { ZW_GAUSS_LEVELS = 8 };
typedef struct zw_gauss_judgement {
    zw_gauss_verdict verdict;
    int levels; /* the minimum, then with harmonics to 2 h + 1 instead of h, and so on */
    int top[ZW_GAUSS_LEVELS];      /* highest harmonic */
    double value[ZW_GAUSS_LEVELS]; /* G_int, with what violated constraints add */
    double rms[ZW_GAUSS_LEVELS];   /* of the functions together */
    double moved;                  /* rms distance from the minimum to that of the last level */
    double step
        [2]; /* rms length of two steps of Newton's method for the balance of harmonics of the last level, from there */
    bool orbit;      /* did they go on to an orbit? */
    double distance; /* rms distance from the last level to it; infinite: there is none */
    double orbit_rms;
    char text[320];
} zw_gauss_judgement;

/* Of a minimum x. Harmonics are added while that pays, up to top_max (0: 63, or so many that there are two levels more), with the gaps between them as they are: odd ones stay odd. */
ZW_API zw_status zw_gauss_integral_judge(zw_gauss_integral *g, const double *x, double a,
                                         int top_max, zw_gauss_judgement *judgement, zw_error *err);

/* ---- under inequalities ---- */

typedef enum zw_gauss_solver { ZW_GAUSS_BARRIER, ZW_GAUSS_IPOPT } zw_gauss_solver;

typedef struct zw_gauss_bound { /* sign*(value - limit) <= 0 */
    bool
        observable; /* of the kernel (needs ZW_FN_OBS, ZW_FN_OBS_JAC), without multipliers; else a function */
    int index;
    double limit;
    int sign; /* 1: value <= limit, -1: value >= limit */
} zw_gauss_bound;

typedef struct zw_gauss_bound_options {
    size_t size; /* of this struct, for the library */
    int nbound;
    const zw_gauss_bound *bound;
    int points; /* of the period at which they hold: 30 */
    bool whole; /* add points until they hold at all times. false */
    zw_gauss_solver solver;
    double gap; /* what the barrier may leave of G_int, relative: 1e-10 */
} zw_gauss_bound_options;
ZW_API void zw_gauss_bound_options_init(zw_gauss_bound_options *options, size_t size);
static inline zw_gauss_bound_options zw_gauss_bound_options_default(void) {
    zw_gauss_bound_options o;
    zw_gauss_bound_options_init(&o, sizeof o);
    return o;
}

/* What a unilateral constraint would demand beside value <= limit: a force lambda >= 0 that is zero off the limit. The minimisation knows neither. */
typedef struct zw_gauss_bounded {
    zw_gauss_result result;
    int n;               /* bounds x points; the arrays belong to g, until the next minimisation */
    const double *tau;   /* n: phases, 0 .. 2 pi */
    const double *slack; /* n: sign*(limit - value) */
    const double *multiplier; /* n: of the minimisation, >= 0 */
    const double *
        force; /* n: lambda, the force against the bound that the trial motion needs: -e along the bound's gradient */
    double violation; /* the largest one at all times */
    double force_low, force_high;
    double complementarity; /* largest |lambda slack| */
    bool touches;           /* a bound is met, up to 1e-5 of its size */
    bool broken; /* lambda < 0 somewhere, or lambda slack is not small: no motion along a wall */
    int nall; /* equidistant phases 2 pi i/nall, at which slack and force of bound b are entry i nbound + b of */
    const double *all_slack, *all_force;
    char text[320];
} zw_gauss_bounded;

/* The minimum near x under bounds; result.converged false: the best point that was met. ZW_E_NUMERIC: no point fulfils them. ZW_E_MISSING: Ipopt is not there. */
ZW_API zw_status zw_gauss_integral_minimise_bounded(zw_gauss_integral *g, double *x, double a,
                                                    const zw_gauss_bound_options *options,
                                                    zw_gauss_bounded *out, zw_error *err);

#ifdef __cplusplus
}
#endif
#endif
