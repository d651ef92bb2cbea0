/* SPDX-License-Identifier: MIT */
/* Implemented in src/motion/harmonic. */
/* Slowly varying amplitudes: the motion of a driven system as
 *
 *     y(t) = sum over chosen harmonics h of a_h(t) cos(h w t) + b_h(t) sin(h w t)
 *
 * with coefficients Z = (a_h, b_h) that change little in a period. With second derivatives of Z and squares of first ones left out the same
 * harmonics of the equations of motion (zwang/harmonic.h) are
 *
 *     M(Z) Z' + F(Z) = 0.
 *
 * Stationary amplitudes, F = 0, are the solutions of the balance of harmonics; a disturbance z of them follows M z' + F_Z z = 0, and they are
 * stable if all eigenvalues s of F_Z z = -s M z have negative real parts. Where an |s| is not small beside w, the assumption fails,
 * and Floquet's multipliers (zwang/floquet.h) decide.
 *
 * By the condition of van der Pol, a_h' cos(h w t) + b_h' sin(h w t) = 0, velocities are as if Z were constant. It is fulfilled by one
 * harmonic at every instant, and then balanced as if Z' were constant over a period; that makes all rates of Z twice as large as they are. It is there
 * because it is in print. */
#ifndef ZWANG_SLOW_H
#define ZWANG_SLOW_H

#include "harmonic.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef struct zw_slow zw_slow;

typedef struct zw_slow_options {
    size_t size;         /* of this struct, for the library */
    int nharmonic;       /* their number */
    const int *harmonic; /* ascending, 0 is the mean; copied */
    int samples;         /* at least so many points of the period; 0: enough for cubic forces */
    bool van_der_pol;    /* by his condition: no mean then */
} zw_slow_options;
ZW_API void zw_slow_options_init(zw_slow_options *options, size_t size);
static inline zw_slow_options zw_slow_options_default(void) {
    zw_slow_options o;
    zw_slow_options_init(&o, sizeof o);
    return o;
}

/* Of a kernel of 8 lanes with ZW_HARMONIC_FUNCTIONS, which must outlive it. Coefficients stand as in zwang/harmonic.h. */
ZW_API zw_status zw_slow_create(zw_slow **out, const zw_kernel *kernel,
                                const zw_slow_options *options, zw_error *err);
ZW_API void zw_slow_destroy(zw_slow *s);
/* Coefficients, and those of one function. */
ZW_API int zw_slow_size(const zw_slow *s);
ZW_API int zw_slow_coefficients(const zw_slow *s);
/* Values of all parameters (np) and the frequency, before anything else is asked. */
ZW_API void zw_slow_set(zw_slow *s, const double *p, double w);
/* F (n), M and F_Z (n x n) at Z; each may be NULL. */
ZW_API void zw_slow_at(zw_slow *s, const double *Z, double *F, double *M, double *F_Z);

typedef struct zw_slow_spectrum {
    int n;           /* finite ones: what follows at once, multipliers for one, has none */
    double *re, *im; /* 1/s: the largest real part first, the two of a pair together */
    double *error;   /* by which they may be wrong */
} zw_slow_spectrum;
/* The eigenvalues at Z; the arrays are those of s, up to the next call. */
ZW_API zw_status zw_slow_eigenvalues(zw_slow *s, const double *Z, zw_slow_spectrum *out,
                                     zw_error *err);

/* Z' = -M^-1 F. ZW_E_SINGULAR: some coefficients have no rates, those of multipliers for one. */
ZW_API zw_status zw_slow_rates(zw_slow *s, const double *Z, double *rate, zw_error *err);
/* Takes Z at a time; ZW_STOPPED: enough. */
typedef zw_status (*zw_slow_take)(void *user, double t, const double *Z, zw_error *err);
/* From Z (n, changed) at time 0 to `until`, told at multiples of `step`, by a method of order 5 with errors below tolerance (relative, and times
 * scale (n) absolute). */
ZW_API zw_status zw_slow_run(zw_slow *s, double *Z, const double *scale, double until, double step,
                             double tolerance, zw_slow_take take, void *user, zw_error *err);

#ifdef __cplusplus
}
#endif
#endif
