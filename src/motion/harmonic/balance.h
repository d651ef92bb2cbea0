/* SPDX-License-Identifier: MIT */
/* Harmonic balance: periodic motions of driven systems, and free ones of conservative systems, as
 * Fourier series,
 *
 *     y(t) = sum over chosen harmonics h of a_h cos(h w t) + b_h sin(h w t),
 *
 * of the coordinates and of the multipliers of constraints, such that the same harmonics of the
 * equations of motion vanish (Galerkin). Forces are evaluated at the points of a period and
 * transformed (alternating frequency and time), with exact derivatives; there are more than four
 * points for the highest harmonic, so that cubic forces have no alias among the balanced ones. A
 * constraint is balanced on its lowest level, as a function of positions if it is one.
 *
 * Free motions of a conservative system come in families, and each may begin at any of its points:
 * then w is the number a that is gone along, and
 *
 *     M v' - h - C lambda + e M v + f = 0,
 *
 * with a damping e (1/s) and with forces f on coordinates that occur nowhere but by their rates,
 * which must come out zero, since energy and momenta are constant; as many further equations: a
 * correction has no part along the motion itself, and those coordinates have the mean zero.
 *
 * Cycles of a system that excites itself have a frequency of their own: w is one more unknown
 * behind the coefficients, and again a correction has no part along the motion itself.
 *
 * If the excitation frequencies W_1, W_2, ... have no common period, y is a function of several
 * phases, which grow by W_j per second,
 *
 *     y(t) = sum over chosen vectors k of a_k cos((k W) t) + b_k sin((k W) t),
 *
 * and forces are evaluated at the points of a grid of the phases, which are the last inputs of the
 * kernel (zw_forcing_phases). Everything else is the same with vectors instead of harmonics: below,
 * h is then the index of a vector, 0 the mean and 1 the first phase. */
#ifndef ZW_MOTION_HARMONIC_BALANCE_H
#define ZW_MOTION_HARMONIC_BALANCE_H

#include "branch/curve.h"
#include "motion/segments/periodic.h"
#include "zwang/kernel.h"
#include "zwang/motion.h"

typedef struct zw_harmonic zw_harmonic;

enum { ZW_PHASES_MAX = 3 };

/* At a value of the number a that is gone along: all parameters p (np, as they were before), the
 * frequency w of the series (rad/s) and its derivative in a; one of both for each phase. The other
 * derivatives come from the kernel; if a is a parameter, it must be the chosen one of the
 * kernel. */
typedef zw_status (*zw_harmonic_set)(void *user, double a, double *p, double *w, double *w_slope,
                                     zw_error *err);

typedef struct zw_harmonic_options {
    size_t size;   /* of this struct, for the library */
    int nharmonic; /* their number */
    const int
        *harmonic; /* ascending, 0 is the mean; copied. For several phases: vectors, nharmonic x
                            phases, only one of k and -k, the mean first */
    int samples;   /* minimum number of points in the period; 0: enough for cubic forces */
    const double *scale; /* typical sizes of the functions, copied; NULL: 1 */
    double unit;         /* of a in the arclength, 1 */
    /* nq: whole turns of angles in a period, y = k w t + the series, copied; NULL: none */
    const double *winding;
    bool free;  /* motions of a conservative system, a is w */
    bool cycle; /* of a system that nothing drives: w is an unknown, the last one of x */
    int phases; /* 1, 2 or 3; default 1 */
} zw_harmonic_options;
/* Vectors with |k_1| + |k_2| + ... <= top, or only those with odd sums, in the order that
 * `harmonic` requires: returns their number and writes all of them (n x phases). Those of a smaller
 * top come first. */
int zw_harmonic_vectors(int phases, int top, bool odd, int *out);
void zw_harmonic_options_init(zw_harmonic_options *options, size_t size);
static inline zw_harmonic_options zw_harmonic_options_default(void) {
    zw_harmonic_options o;
    zw_harmonic_options_init(&o, sizeof o);
    return o;
}

/* What a kernel must have, and ZW_FN_JAC_P if it has a chosen parameter. */
#define ZW_HARMONIC_FUNCTIONS                                                                      \
    (ZW_SET(MATS) | ZW_SET(JAC) | ZW_SET(POS) | ZW_SET(VEL) | ZW_SET(GRAD) | ZW_SET(TIME))

/* Of a kernel of 8 lanes, which must outlive it. p (np) are the values of the parameters at first.
 * ZW_E_OPTION: it has unit quaternions. */
zw_status zw_harmonic_create(zw_harmonic **out, const zw_kernel *kernel, const double *p,
                             const zw_harmonic_options *options, zw_harmonic_set set, void *user,
                             zw_error *err);
void zw_harmonic_destroy(zw_harmonic *h);
/* Sizes of what is measured by continuation; may change between two runs of it. */
void zw_harmonic_scale(zw_harmonic *h, const double *scale, double unit);

/* As a problem of continuation, without tests: its x are the coefficients, function by function, of
 * each harmonic cos and sin; of free motions e and f behind them, of cycles w. */
zw_cont_problem zw_harmonic_problem(zw_harmonic *h);
/* How many these are; 0 of driven motions. */
int zw_harmonic_unfoldings(const zw_harmonic *h);
/* For free motions: this number times w^2 M is added to the diagonal of the matrix (default 0). If
 * a motion belongs to a family besides its phase shifts, the matrix is singular although the
 * equations are consistent. With the ridge, corrections have no part along the family, and
 * convergence is linear with this number as the factor. */
void zw_harmonic_ridge(zw_harmonic *h, double ridge);
/* Parameters have changed that are not a: it asks for them again. */
void zw_harmonic_renew(zw_harmonic *h);
/* Functions: coordinates (and velocities where these are functions of their own), then multipliers;
 * coefficients of one. */
int zw_harmonic_functions(const zw_harmonic *h);
int zw_harmonic_coefficients(const zw_harmonic *h);
/* Coefficients c (cos), s (sin) of a harmonic of a function; 0 if it was not chosen. */
void zw_harmonic_part(const zw_harmonic *h, const double *x, int function, int harmonic, double *c,
                      double *s);
/* The state (nx) and the accelerations and multipliers (nz, may be NULL) at the time t. */
void zw_harmonic_state(const zw_harmonic *h, const double *x, double w, double t, double *state,
                       double *z);
/* The same at these values of the phases (for several phases only; the frequencies are those of the
 * last a). */
void zw_harmonic_state_at(const zw_harmonic *h, const double *x, const double *phase,
                          double *state);
/* The same with the rates of the state (nx), those of the series. */
void zw_harmonic_rates_at(const zw_harmonic *h, const double *x, const double *phase, double *state,
                          double *rate);
/* Sets the parameters and frequencies to those of a; W (phases) receives the frequencies and may be
 * NULL. */
zw_status zw_harmonic_go_to(zw_harmonic *h, double a, double *W, zw_error *err);
/* The number of harmonics; harmonic i as a vector (phases entries; for one phase the harmonic
 * itself); and its coefficients in a function. */
int zw_harmonic_count(const zw_harmonic *h);
const int *zw_harmonic_vector(const zw_harmonic *h, int i);
void zw_harmonic_line(const zw_harmonic *h, const double *x, int function, int i, double *c,
                      double *s);
/* What a function does in a period: its mean, the root of its mean square, its largest and smallest
 * value. */
void zw_harmonic_mean(const zw_harmonic *h, const double *x, int function, double *mean,
                      double *rms);
void zw_harmonic_extremes(zw_harmonic *h, const double *x, int function, double *max, double *min);
/* The coefficients of one problem as those of another one with other harmonics. */
void zw_harmonic_embed(const zw_harmonic *from, const double *x, const zw_harmonic *to, double *y);
/* Floquet's multipliers of the motion x at a, of systems with q' = v and without constraints, fast:
 * one sweep of collocation with a fixed number of steps, whose error is measured at every tenth
 * motion that is asked for, and where a multiplier is close to the unit circle. out has values,
 * errors, exponents and the verdict, no vectors, and they are valid up to the next call; it needs
 * no zw_floquet_clear. ZW_RETRY: not for this system or not to 1e-9, ask zw_floquet_find. */
zw_status zw_harmonic_multipliers(zw_harmonic *h, const double *x, double a, zw_floquet *out,
                                  zw_error *err);
/* A number that is zero where the equations at a fixed a are singular: at folds and where curves
 * cross. It is smooth there and changes its sign with their determinant. ZW_RETRY: it is exactly
 * singular, or x is at no place where the equations have values. */
zw_status zw_harmonic_singular(zw_harmonic *h, const double *x, double a, double *value,
                               zw_error *err);
/* b (of the finer problem, and a last entry for a) = J^-1 r: one step of Newton's method from x
 * with harmonics of which those of `coarse` are the first ones (after the mean), in the plane
 * across `row`, to four digits and without the matrix of all of them. ZW_RETRY: the iteration
 * does not converge, solve with the matrix. */
zw_status zw_harmonic_step(zw_harmonic *coarse, zw_harmonic *fine, const double *x, double a,
                           const double *row, double *b, zw_error *err);

/* ------------------------------------------------------------------------------------------ */

/* Slowly varying amplitudes: the motion of a driven system as
 *
 *     y(t) = sum over chosen harmonics h of a_h(t) cos(h w t) + b_h(t) sin(h w t)
 *
 * with coefficients Z = (a_h, b_h) that change little in a period. With second derivatives of Z and
 * squares of first ones left out the same harmonics of the equations of motion (motion/harmonic/balance.h)
 * are
 *
 *     M(Z) Z' + F(Z) = 0.
 *
 * Stationary amplitudes, F = 0, are the solutions of the balance of harmonics; a disturbance z of
 * them follows M z' + F_Z z = 0, and they are stable if all eigenvalues s of F_Z z = -s M z have
 * negative real parts. Where an |s| is not small beside w, the assumption fails, and Floquet's
 * multipliers (motion/segments/periodic.h) decide.
 *
 * By the condition of van der Pol, a_h' cos(h w t) + b_h' sin(h w t) = 0, velocities are as if Z
 * were constant. It is fulfilled by one harmonic at every instant, and then balanced as if Z' were
 * constant over a period; that makes all rates of Z twice as large as they are. It is there because
 * it is in print. */

typedef struct zw_slow zw_slow;

typedef struct zw_slow_options {
    size_t size;         /* of this struct, for the library */
    int nharmonic;       /* their number */
    const int *harmonic; /* ascending, 0 is the mean; copied */
    int samples;         /* at least so many points of the period; 0: enough for cubic forces */
    bool van_der_pol;    /* by his condition: no mean then */
} zw_slow_options;
void zw_slow_options_init(zw_slow_options *options, size_t size);
static inline zw_slow_options zw_slow_options_default(void) {
    zw_slow_options o;
    zw_slow_options_init(&o, sizeof o);
    return o;
}

/* Of a kernel of 8 lanes with ZW_HARMONIC_FUNCTIONS, which must outlive it. Coefficients stand as
 * in motion/harmonic/balance.h. */
zw_status zw_slow_create(zw_slow **out, const zw_kernel *kernel, const zw_slow_options *options,
                         zw_error *err);
void zw_slow_destroy(zw_slow *s);
/* Coefficients, and those of one function. */
int zw_slow_size(const zw_slow *s);
int zw_slow_coefficients(const zw_slow *s);
/* Values of all parameters (np) and the frequency, before anything else is asked. */
void zw_slow_set(zw_slow *s, const double *p, double w);
/* F (n), M and F_Z (n x n) at Z; each may be NULL. */
void zw_slow_at(zw_slow *s, const double *Z, double *F, double *M, double *F_Z);

typedef struct zw_slow_spectrum {
    int n;           /* finite ones: what follows at once, multipliers for one, has none */
    double *re, *im; /* 1/s: the largest real part first, the two of a pair together */
    double *error;   /* by which they may be wrong */
} zw_slow_spectrum;
/* The eigenvalues at Z; the arrays are those of s, up to the next call. */
zw_status zw_slow_eigenvalues(zw_slow *s, const double *Z, zw_slow_spectrum *out, zw_error *err);

/* Z' = -M^-1 F. ZW_E_SINGULAR: some coefficients have no rates, those of multipliers for one. */
zw_status zw_slow_rates(zw_slow *s, const double *Z, double *rate, zw_error *err);
/* Takes Z at a time; ZW_STOPPED: enough. */
typedef zw_status (*zw_slow_take)(void *user, double t, const double *Z, zw_error *err);
/* From Z (n, changed) at time 0 to `until`, told at multiples of `step`, by a method of order 5
 * with errors below tolerance (relative, and times scale (n) absolute). */
zw_status zw_slow_run(zw_slow *s, double *Z, const double *scale, double until, double step,
                      double tolerance, zw_slow_take take, void *user, zw_error *err);

/* ------------------------------------------------------------------------------------------ */

/* Periodic motions by the period-integrated Gaussian: of trial functions
 *
 *     q(t) = sum over chosen harmonics h of a_h cos(h w t) + b_h sin(h w t)
 *
 * those whose accelerations deviate least from the free ones a = M^-1 h over a period,
 *
 *     G_int = integral over one period of (q'' - a)' M (q'' - a) dt -> minimum over the
 *     coefficients.
 *
 * With constraints a has the constraint forces C lambda that make the Gaussian smallest at each
 * time, so that accelerations count that the constraints admit; the constraints themselves
 * (positions, or else velocities) cannot hold exactly for a finite series and are held by a weight.
 * G_int is zero for motions alone. A minimum with G_int > 0 that stays as harmonics are added is
 * none (a ghost): see zw_gauss_integral_judge.
 *
 * Source: Azadé Amini Nodoushan, "On the use of Gauss' principle in vibration analysis"
 * (thesis). */

typedef struct zw_gauss_integral zw_gauss_integral;

typedef struct zw_gauss_integral_options {
    size_t size;         /* of this struct, for the library */
    int nharmonic;       /* their number */
    const int *harmonic; /* ascending, 0 is the mean; copied */
    int samples;         /* minimum number of points in the period; 0: enough for cubic forces */
    /* where forces have kinks: a kernel of 8 lanes with modes, ZW_FN_SWITCHES and
     * ZW_FN_SWITCH_RATE, which must outlive it; then the points are Gauss points between the kinks.
     * NULL: equidistant */
    const zw_kernel *switches;
    zw_gauss_weight weight;
    zw_gauss_method method;
    /* weight of constraints: of w^4 phi^2 and w^2 psi^2, in the unit of M; 0: ten times the mean of
     * the diagonal of M */
    double hold;
    double tolerance; /* of the coefficients, relative: 1e-12 */
    int iterations;   /* at most: 500; evaluations with NLopt: 200 times as many */
} zw_gauss_integral_options;
void zw_gauss_integral_options_init(zw_gauss_integral_options *options, size_t size);
static inline zw_gauss_integral_options zw_gauss_integral_options_default(void) {
    zw_gauss_integral_options o;
    zw_gauss_integral_options_init(&o, sizeof o);
    return o;
}

/* Of a kernel of 8 lanes with ZW_HARMONIC_FUNCTIONS, which must outlive it. set tells parameters
 * and frequency of a number a, as of harmonic balance. ZW_E_OPTION: it has unit quaternions or no
 * harmonic, or a method does not fit the weight. ZW_E_MISSING: NLopt is not there. */
zw_status zw_gauss_integral_create(zw_gauss_integral **out, const zw_kernel *kernel,
                                   const double *p, const zw_gauss_integral_options *options,
                                   zw_harmonic_set set, void *user, zw_error *err);
void zw_gauss_integral_destroy(zw_gauss_integral *g);

/* The unknowns x are the coefficients, coordinate by coordinate (and velocity by velocity where
 * these are functions of their own), of each harmonic cos and sin. */
int zw_gauss_integral_unknowns(const zw_gauss_integral *g);
int zw_gauss_integral_coefficients(const zw_gauss_integral *g); /* of one function */
int zw_gauss_integral_samples(const zw_gauss_integral *g);      /* at the motion evaluated last */

/* The minimum near x (unknowns), in place. If the relative error of the integral there exceeds
 * 1e-9, the number of points is doubled (at most three times) and the minimisation is repeated.
 * ZW_E_NUMERIC: there is no value at x. result may be NULL. */
zw_status zw_gauss_integral_minimise(zw_gauss_integral *g, double *x, double a,
                                     zw_gauss_result *result, zw_error *err);
/* The same at values a[0 .. n-1], each from the minimum before it; take is told each and ends it by
 * ZW_STOPPED. */
typedef zw_status (*zw_gauss_take)(void *user, double a, const double *x,
                                   const zw_gauss_result *result, zw_error *err);
zw_status zw_gauss_integral_march(zw_gauss_integral *g, double *x, int n, const double *a,
                                  zw_gauss_take take, void *user, zw_error *err);
/* G_int at x, and the gradient (unknowns, may be NULL) of what is minimised there. */
zw_status zw_gauss_integral_value(zw_gauss_integral *g, const double *x, double a, double *value,
                                  double *gradient, zw_error *err);
/* The exact second derivatives H (unknowns x unknowns) of what is minimised; by differences of the
 * gradient if forces jump along the motion. ZW_E_OPTION: the kernel has no ZW_FN_SECOND, or the
 * weight is that of accelerations. */
zw_status zw_gauss_integral_second(zw_gauss_integral *g, const double *x, double a, double *H,
                                   zw_error *err);
/* At equidistant points of the period (zw_gauss_integral_samples; ZW_E_OPTION: there are
 * `switches`): the forces M q'' - h - C lambda (nv each) that the trial motion would need in
 * addition to those given, and lambda (nc each). Either may be NULL. */
zw_status zw_gauss_integral_forces(zw_gauss_integral *g, const double *x, double a, double *force,
                                   double *lambda, zw_error *err);
/* The derivative of a minimum x with respect to a number s on which parameters depend, by the
 * implicit function theorem: H dx/ds = -d gradient/ds, with differences of the gradient in s.
 * displace sets the s that `set` uses; the last call has s = 0. step: of s, a ten-thousandth of its
 * size. ZW_E_NUMERIC: H is not positive definite there. */
typedef void (*zw_gauss_displace)(void *user, double s);
typedef struct zw_gauss_sensitivity {
    double G;  /* dG_int/ds */
    double *x; /* unknowns: dx/ds */
} zw_gauss_sensitivity;
zw_status zw_gauss_integral_sensitivity(zw_gauss_integral *g, const double *x, double a,
                                        zw_gauss_displace displace, void *user, double step,
                                        zw_gauss_sensitivity *out, zw_error *err);
/* The derivative of the effective value of a function whose coefficients have the derivatives
 * dx. */
double zw_gauss_integral_rms_slope(const zw_gauss_integral *g, const double *x, const double *dx,
                                   int function);
/* Effective value of a function. */
double zw_gauss_integral_rms(const zw_gauss_integral *g, const double *x, int function);
void zw_gauss_integral_part(const zw_gauss_integral *g, const double *x, int function, int harmonic,
                            double *c, double *s);
double zw_gauss_integral_at(const zw_gauss_integral *g, const double *x, int function, double tau);
/* The coefficients of one problem as those of another one with other harmonics. */
void zw_gauss_integral_embed(const zw_gauss_integral *from, const double *x,
                             const zw_gauss_integral *to, double *y);

/* ---- several minima ---- */

typedef struct zw_gauss_starts {
    size_t size; /* of this struct, for the library */
    bool origin; /* true */
    int given;   /* starts in start (given x unknowns) */
    const double *start;
    int grid; /* points between low and high of each coefficient of `dimension`: 0 */
    /* points of Halton's sequence in the box: 0; divided by h^2 for harmonics h behind the first */
    int halton;
    int dimension;    /* so many of the first coefficients are spread, the others are 0; 0: all */
    double low, high; /* the box: -2, 2 */
    double distinct;  /* rms distance of minima that count as different: 1e-5 of 1 + their size */
} zw_gauss_starts;
void zw_gauss_starts_init(zw_gauss_starts *starts, size_t size);
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

/* The different minima from all starts, smallest G_int first; they belong to g, until the next
 * search. Saddles are left out. So is what has not converged, but for the best of it if G_int is
 * smaller there than at every minimum: that is the first of the list then, with result.converged
 * false. */
zw_status zw_gauss_integral_search(zw_gauss_integral *g, double a, const zw_gauss_starts *starts,
                                   const zw_gauss_minimum **list, int *n, zw_error *err);
/* Entry i of point k = 1, 2, ... of Halton's sequence, in 0 .. 1. */
double zw_gauss_halton(int k, int i);

/* ---- is it a motion? ---- */

/* Of a minimum x. Harmonics are added while that pays, up to top_max (0: 63, or so many that there
 * are two levels more), with the gaps between them as they are: odd ones stay odd. */
zw_status zw_gauss_integral_judge(zw_gauss_integral *g, const double *x, double a, int top_max,
                                  zw_gauss_judgement *judgement, zw_error *err);

/* ---- under inequalities ---- */

typedef struct zw_gauss_bound { /* sign*(value - limit) <= 0 */
    /* of the kernel (needs ZW_FN_OBS, ZW_FN_OBS_JAC), without multipliers; else a function */
    bool observable;
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
void zw_gauss_bound_options_init(zw_gauss_bound_options *options, size_t size);
static inline zw_gauss_bound_options zw_gauss_bound_options_default(void) {
    zw_gauss_bound_options o;
    zw_gauss_bound_options_init(&o, sizeof o);
    return o;
}

/* The minimum near x under bounds; result.converged false: the best point that was met.
 * ZW_E_NUMERIC: no point fulfils them. ZW_E_MISSING: Ipopt is not there. */
zw_status zw_gauss_integral_minimise_bounded(zw_gauss_integral *g, double *x, double a,
                                             const zw_gauss_bound_options *options,
                                             zw_gauss_bounded *out, zw_error *err);

#endif
