/* SPDX-License-Identifier: MIT */
/* Implemented in src/motion/steady. */
/* A steady motion followed over one number: a parameter of the flow, or a quantity that is held.
 *
 *     f(x; p(a)) = X_0 + sum_i c_i X_i(x),    g(x; p(a)) = 0,    held(x) = h(a),       a from one value to another
 *
 * by natural continuation: a prediction along the tangent dx/da, a correction by zw_steady_find, steps as long as the
 * motion in the middle of each lies on the cubic through its ends. It never goes over to another branch: where the
 * motion turns back (a fold), ends, or cannot be told from another one, the way ends with the value where.
 *
 * Symmetries are those of a value in between, found anew at every value if they depend on it (a drive that turns with a). */
#ifndef ZWANG_FOLLOW_H
#define ZWANG_FOLLOW_H

#include "steady.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef struct zw_follow zw_follow;

/* All parameters p (np) and the values of all that is held (nhold) at a value; both come with what they were
 * before. */
typedef zw_status (*zw_follow_set)(void *user, double value, double *p, double *held,
                                   zw_error *err);

typedef struct zw_follow_options {
    size_t size;     /* of this struct, for the library */
    double from, to; /* the values; zw_follow_to may be asked for all between them, in any order */
    int nhold;       /* what is held, */
    const zw_hold *hold; /* with the values that it has if `set` leaves them */
    zw_follow_set set;
    void *user;
    double step_max; /* largest step as a part of the range, 0.2 */
    double step_min; /* smallest one, 1e-7 */
} zw_follow_options;
ZW_API void zw_follow_options_init(zw_follow_options *options, size_t size);
static inline zw_follow_options zw_follow_options_default(void) {
    zw_follow_options o;
    zw_follow_options_init(&o, sizeof o);
    return o;
}

typedef enum zw_follow_end {
    ZW_FOLLOW_GOES_ON, /* nothing has ended */
    ZW_FOLLOW_FOLD,    /* the motion turns back: there is none beyond the value, near by */
    ZW_FOLLOW_LOST     /* no steady motion that continues it was found, or more than one */
} zw_follow_end;

typedef struct zw_follow_info {
    int steps, rejected;
    zw_follow_end end;
    double end_value;  /* where it ended; a fold is located better than the steps are small */
    double end_beyond; /* a value at which it failed, next to it */
    bool vary;         /* the symmetries depend on the value, but are as many everywhere */
    int nsymmetry;     /* on the way, */
    int nsymmetry_from, nsymmetry_to; /* and at its ends, where there may be more */
} zw_follow_info;

/* The flow, scale (nx) and what the options point to must outlive it; the flow's parameters follow the value. x (nx): about
 * where symmetries are looked for. */
ZW_API zw_status zw_follow_create(zw_follow **out, zw_flow *flow, double t, const double *x,
                                  const double *scale, const zw_follow_options *options,
                                  zw_error *err);
ZW_API void zw_follow_destroy(zw_follow *f);
/* The steady motion at a value, near the state x (nx). ZW_E_NUMERIC: none was found, zw_follow_motion tells what is unmet. */
ZW_API zw_status zw_follow_begin(zw_follow *f, double value, const double *x, zw_error *err);
/* Go on to a value, which may lie on either side, or between values where it was: then it takes one correction. ZW_E_NUMERIC: the way ends before it (zw_follow_information), and the
 * motion is the last on it. */
ZW_API zw_status zw_follow_to(zw_follow *f, double value, zw_error *err);

ZW_API const zw_steady *zw_follow_motion(const zw_follow *f);
ZW_API double zw_follow_value(const zw_follow *f);
/* dx/da there (nx). */
ZW_API const double *zw_follow_slope(const zw_follow *f);
ZW_API const zw_symmetries *zw_follow_symmetries(const zw_follow *f);
/* With their values there, and how many there are. */
ZW_API const zw_hold *zw_follow_holds(const zw_follow *f, int *n);
ZW_API zw_follow_info zw_follow_information(const zw_follow *f);
ZW_API zw_flow *zw_follow_flow(const zw_follow *f);
/* Typical sizes of the entries of the state (nx), as given. */
ZW_API const double *zw_follow_scale(const zw_follow *f);
/* How many numbers are free where the motion is: the dimension of the family of neighbouring steady motions that fulfil what is
 * held, moved along the symmetries or not. 0: nothing is left open. direction (nx, may be NULL): one of them, in the
 * state. Where branches meet there are more. */
ZW_API zw_status zw_follow_freedom(zw_follow *f, int *nfree, double *direction, zw_error *err);

#ifdef __cplusplus
}
#endif
#endif
