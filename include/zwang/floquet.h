/* SPDX-License-Identifier: MIT */
/* Implemented in src/motion/floquet. */
/* Floquet's multipliers of a periodic motion x(t): the eigenvalues mu of the monodromy matrix
 *
 *     M = T_0' Y(t + P),     Y' = df/dx(t, x(t)) Y,     Y(t) = T_0,
 *
 * T_0 an orthonormal basis of the tangent space of the constraints at x(t): constraints leave no multipliers of their
 * own, nor do ignorable coordinates (kernel.h), which are left out. A motion comes back as S x + w, with signs S of -1 where a
 * unit quaternion has changed its own, and turns w of angles, which matter to nothing here; then M = T_0' S Y(t + P).
 *
 * The motion is stable if all |mu| < 1, by more than the margin, unstable if one is beyond it. Free alarms: by Liouville
 * the product of all mu is exp of the integral of tr df/dx over a period; an autonomous system has one mu = 1. */
#ifndef ZWANG_FLOQUET_H
#define ZWANG_FLOQUET_H

#include "flow.h"

#ifdef __cplusplus
extern "C" {
#endif

/* A periodic motion: the state x (nx) at any time of [start, start + period]. The rates must be continuous along it
 * (zwang/shooting.h follows jumps); where their derivatives jump, accuracy is lost, and told. */
typedef struct zw_orbit {
    double start, period; /* s */
    zw_status (*at)(void *user, double t, double *x, zw_error *err);
    void *user;
    const double *sign; /* nx: 1 or -1, as S above; NULL: all 1 */
    const double *map;  /* nx x nx: any S instead, of a motion that is a part of an orbit; NULL */
} zw_orbit;

typedef struct zw_floquet_options {
    size_t size;       /* of this struct, for the library */
    int stages;        /* of Gauss's collocation, 1 to 8: 4 */
    int intervals;     /* that a period is divided into at first: 8 */
    int intervals_max; /* they are doubled up to here: 1024 */
    double tolerance;  /* error of the multipliers, relative to max(1, |mu|), that ends it: 1e-9;
                          small ones then have fewer digits, more intervals give them more */
    double margin;     /* of |mu| = 1, beside the error: 1e-6 */
    bool autonomous;   /* one multiplier is 1 and does not count */
} zw_floquet_options;
ZW_API void zw_floquet_options_init(zw_floquet_options *options, size_t size);
static inline zw_floquet_options zw_floquet_options_default(void) {
    zw_floquet_options o;
    zw_floquet_options_init(&o, sizeof o);
    return o;
}

typedef enum zw_floquet_verdict {
    ZW_FLOQUET_UNDECIDED, /* some |mu| is 1 within margin and error, none is beyond */
    ZW_FLOQUET_STABLE,
    ZW_FLOQUET_UNSTABLE
} zw_floquet_verdict;

typedef struct zw_floquet {
    int nx, n;                /* entries of the state, multipliers */
    double period;            /* s */
    double *re, *im;          /* n multipliers, the largest |mu| first, pairs together */
    double *error;            /* n: by which they may be wrong */
    double *exponent, *angle; /* n: log |mu| / period (1/s), arg mu / period (rad/s) */
    double *vector_re,
        *vector_im; /* nx x n: eigenvectors at the start as disturbances of the state, in columns of length 1 */
    double *T;       /* nx x n: the basis at the start */
    double *M;       /* n x n: the product as it is; small multipliers may be lost in it */
    double accuracy; /* the largest error/max(1, |mu|) */
    double
        liouville; /* |sum log |mu| - integral of tr df/dx|, 0 but for errors; NaN where the motion
                         sticks on its way, so that a mu is 0, or derivatives are differences */
    int trivial;   /* of an autonomous system: which one is 1; else -1 */
    int outside;   /* how many are beyond 1, margin and error */
    zw_floquet_verdict verdict;
    int intervals, chunks;            /* steps over the period, factors that M was kept in */
    struct zw_floquet_memory *memory; /* private */
} zw_floquet;

/* Of a motion; options may be NULL. The kernel needs ZW_FN_JAC and ZW_FN_GRAD. Where the tolerance is not reached the result is
 * told with the accuracy that it has. */
ZW_API zw_status zw_floquet_find(zw_floquet *out, zw_flow *flow, const zw_orbit *orbit,
                                 const zw_floquet_options *options, zw_error *err);
ZW_API void zw_floquet_clear(zw_floquet *f);

#ifdef __cplusplus
}
#endif
#endif
