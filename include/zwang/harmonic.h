/* SPDX-License-Identifier: MIT */
/* Implemented in src/motion/harmonic. */
/* Harmonic balance: periodic motions of driven systems, and free ones of conservative systems, as Fourier series,
 *
 *     y(t) = sum over chosen harmonics h of a_h cos(h w t) + b_h sin(h w t),
 *
 * of the coordinates and of the multipliers of constraints, such that the same harmonics of the equations of motion vanish (Galerkin). Forces are
 * evaluated at the points of a period and transformed (alternating frequency and time), with exact derivatives; there are more than four
 * points for the highest harmonic, so that cubic forces have no alias among the balanced ones. A constraint is balanced on its lowest level, as a
 * function of positions if it is one.
 *
 * Free motions of a conservative system come in families, and each may begin at any of its points: then w is the number a that is gone along, and
 *
 *     M v' - h - C lambda + e M v + f = 0,
 *
 * with a damping e (1/s) and with forces f on coordinates that occur nowhere but by their rates, which must come out zero, since energy and momenta are
 * constant; as many further equations: a correction has no part along the motion itself, and those coordinates have the mean zero.
 *
 * Cycles of a system that excites itself have a frequency of their own: w is one more unknown behind the coefficients, and again a correction has no part along the
 * motion itself.
 *
 * If the excitation frequencies W_1, W_2, ... have no common period, y is a function of several phases, which grow by W_j per second,
 *
 *     y(t) = sum over chosen vectors k of a_k cos((k W) t) + b_k sin((k W) t),
 *
 * and forces are evaluated at the points of a grid of the phases, which are the last inputs of the kernel (zw_forcing_phases). Everything else
 * is the same with vectors instead of harmonics: below, h is then the index of a vector, 0 the mean and 1 the first phase. */
#ifndef ZWANG_HARMONIC_H
#define ZWANG_HARMONIC_H

#include "continuation.h"
#include "floquet.h"
#include "kernel.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef struct zw_harmonic zw_harmonic;

enum { ZW_PHASES_MAX = 3 };

/* At a value of the number a that is gone along: all parameters p (np, as they were before), the frequency w of the series (rad/s)
 * and its derivative in a; one of both for each phase. The other derivatives come from the kernel; if a is a parameter, it must be the chosen one of the kernel. */
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
    const double *
        winding; /* nq: whole turns of angles in a period, y = k w t + the series, copied; NULL: none */
    bool free;  /* motions of a conservative system, a is w */
    bool cycle; /* of a system that nothing drives: w is an unknown, the last one of x */
    int phases; /* 1, 2 or 3; default 1 */
} zw_harmonic_options;
/* Vectors with |k_1| + |k_2| + ... <= top, or only those with odd sums, in the order that `harmonic` requires: returns their number and writes
 * all of them (n x phases). Those of a smaller top come first. */
ZW_API int zw_harmonic_vectors(int phases, int top, bool odd, int *out);
ZW_API void zw_harmonic_options_init(zw_harmonic_options *options, size_t size);
static inline zw_harmonic_options zw_harmonic_options_default(void) {
    zw_harmonic_options o;
    zw_harmonic_options_init(&o, sizeof o);
    return o;
}

/* What a kernel must have, and ZW_FN_JAC_P if it has a chosen parameter. */
#define ZW_HARMONIC_FUNCTIONS                                                                      \
    (ZW_SET(MATS) | ZW_SET(JAC) | ZW_SET(POS) | ZW_SET(VEL) | ZW_SET(GRAD) | ZW_SET(TIME))

/* Of a kernel of 8 lanes, which must outlive it. p (np) are the values of the parameters at first. ZW_E_OPTION: it has unit
 * quaternions. */
ZW_API zw_status zw_harmonic_create(zw_harmonic **out, const zw_kernel *kernel, const double *p,
                                    const zw_harmonic_options *options, zw_harmonic_set set,
                                    void *user, zw_error *err);
ZW_API void zw_harmonic_destroy(zw_harmonic *h);
/* Sizes of what is measured by continuation; may change between two runs of it. */
ZW_API void zw_harmonic_scale(zw_harmonic *h, const double *scale, double unit);

/* As a problem of continuation, without tests: its x are the coefficients, function by function, of each harmonic cos and sin; of free motions e
 * and f behind them, of cycles w. */
ZW_API zw_cont_problem zw_harmonic_problem(zw_harmonic *h);
/* How many these are; 0 of driven motions. */
ZW_API int zw_harmonic_unfoldings(const zw_harmonic *h);
/* For free motions: this number times w^2 M is added to the diagonal of the matrix (default 0). If a motion belongs to a family besides its phase
 * shifts, the matrix is singular although the equations are consistent. With the ridge, corrections have no part along the family, and
 * convergence is linear with this number as the factor. */
ZW_API void zw_harmonic_ridge(zw_harmonic *h, double ridge);
/* Parameters have changed that are not a: it asks for them again. */
ZW_API void zw_harmonic_renew(zw_harmonic *h);
/* Functions: coordinates (and velocities where these are functions of their own), then multipliers; coefficients of one. */
ZW_API int zw_harmonic_functions(const zw_harmonic *h);
ZW_API int zw_harmonic_coefficients(const zw_harmonic *h);
ZW_API int zw_harmonic_samples(const zw_harmonic *h);
/* Coefficients c (cos), s (sin) of a harmonic of a function; 0 if it was not chosen. */
ZW_API void zw_harmonic_part(const zw_harmonic *h, const double *x, int function, int harmonic,
                             double *c, double *s);
/* The state (nx) and the accelerations and multipliers (nz, may be NULL) at the time t. */
ZW_API void zw_harmonic_state(const zw_harmonic *h, const double *x, double w, double t,
                              double *state, double *z);
/* The same at these values of the phases (for several phases only; the frequencies are those of the last a). */
ZW_API void zw_harmonic_state_at(const zw_harmonic *h, const double *x, const double *phase,
                                 double *state);
/* Sets the parameters and frequencies to those of a; W (phases) receives the frequencies and may be NULL. */
ZW_API zw_status zw_harmonic_go_to(zw_harmonic *h, double a, double *W, zw_error *err);
/* The number of harmonics; harmonic i as a vector (phases entries; for one phase the harmonic itself); and its coefficients in a function. */
ZW_API int zw_harmonic_count(const zw_harmonic *h);
ZW_API const int *zw_harmonic_vector(const zw_harmonic *h, int i);
ZW_API void zw_harmonic_line(const zw_harmonic *h, const double *x, int function, int i, double *c,
                             double *s);
/* What a function does in a period: its mean, the root of its mean square, its largest and smallest value. */
ZW_API void zw_harmonic_mean(const zw_harmonic *h, const double *x, int function, double *mean,
                             double *rms);
ZW_API void zw_harmonic_extremes(zw_harmonic *h, const double *x, int function, double *max,
                                 double *min);
/* The coefficients of one problem as those of another one with other harmonics. */
ZW_API void zw_harmonic_embed(const zw_harmonic *from, const double *x, const zw_harmonic *to,
                              double *y);
/* Floquet's multipliers of the motion x at a, of systems with q' = v and without constraints, fast: one sweep of collocation with a fixed number of steps, whose error is
 * measured at every tenth motion that is asked for, and where a multiplier is close to the unit circle. out has values, errors, exponents and the verdict, no
 * vectors, and they are valid up to the next call; it needs no zw_floquet_clear. ZW_RETRY: not for this system or not to 1e-9, ask zw_floquet_find. */
ZW_API zw_status zw_harmonic_multipliers(zw_harmonic *h, const double *x, double a, zw_floquet *out,
                                         zw_error *err);
/* A number that is zero where the equations at a fixed a are singular: at folds and where curves
 * cross. It is smooth there and changes its sign with their determinant. ZW_RETRY: it is exactly
 * singular, or x is at no place where the equations have values. */
ZW_API zw_status zw_harmonic_singular(zw_harmonic *h, const double *x, double a, double *value,
                                      zw_error *err);
/* b (of the finer problem, and a last entry for a) = J^-1 r: one step of Newton's method from x
 * with harmonics of which those of `coarse` are the first ones (after the mean), in the plane
 * across `row`, to four digits and without the matrix of all of them. ZW_RETRY: the iteration
 * does not converge, solve with the matrix. */
ZW_API zw_status zw_harmonic_step(zw_harmonic *coarse, zw_harmonic *fine, const double *x, double a,
                                  const double *row, double *b, zw_error *err);
/* All rows of the equations at all points of the period, n x samples, at the coefficients x: what the balance leaves. */
ZW_API zw_status zw_harmonic_rows(zw_harmonic *h, const double *x, double a, double *rows,
                                  zw_error *err);

#ifdef __cplusplus
}
#endif
#endif
