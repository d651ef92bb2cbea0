/* SPDX-License-Identifier: MIT */
/* Implemented in src/mech/equations. */
/* Random states that the constraints of a system admit. Values are scattered in a box about the origin
 * (every fourth time about the start of the model) and moved onto the constraints, one level after the
 * other:
 *
 *   positions      phi(q, t) = 0    q moves along F dv, quaternions keep the length one
 *   velocities     psi(q, v, t) = 0
 *   accelerations  W a = b          must have a solution
 *
 * The box is 1 wide to both sides in SI units, lengths as wide as the largest length that parameters or
 * start speak of, without a tenth of it around 0, where angles may be singular and ranks special; it
 * shrinks from attempt to attempt. State number k depends on the seed and k alone: it
 * is the same whichever states were asked for before, on every machine. The comparison of principles, the
 * classifier and the test of claims look at such states; so do searches from many starts. */
#ifndef ZWANG_SAMPLER_H
#define ZWANG_SAMPLER_H

#include <stdint.h>

#include "system.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef struct zw_sampler zw_sampler;

/* Begin with zw_sampler_options_default(). */
typedef struct zw_sampler_options {
    size_t size;         /* of this struct, for the library */
    uint64_t seed;       /* 1 */
    double t_min, t_max; /* s; times are between these: 0, 1 */
    /* Is this state welcome? It may be changed here (completed, moved). NULL: all are. */
    bool (*accept)(void *user, double t, double *x);
    void *user;
} zw_sampler_options;

ZW_API void zw_sampler_options_init(zw_sampler_options *options, size_t size);
static inline zw_sampler_options zw_sampler_options_default(void) {
    zw_sampler_options o;
    zw_sampler_options_init(&o, sizeof o);
    return o;
}

/* A sampler of a finished system where these constraints hold (active NULL: as the model says); bounds
 * on accelerations do not count. Parameters are those of the model. It lives in the system's context;
 * active and options (which may be NULL) are copied. One thread at a time uses a context. */
ZW_API zw_status zw_sampler_create(zw_sampler **out, const zw_system *s, const zw_active *active,
                                   const zw_sampler_options *options, zw_error *err);
/* Other values of the parameters, np doubles. */
ZW_API zw_status zw_sampler_set_parameters(zw_sampler *g, const double *p, zw_error *err);

/* State number k = 0, 1, ...: x = (q, v), nq + nv doubles, and its time. ZW_E_MODEL names constraints
 * that contradict each other if no attempt comes onto them, ZW_E_DOMAIN that they have no value where
 * it looked, ZW_E_NUMERIC if states were found but none was accepted. */
ZW_API zw_status zw_sampler_state(zw_sampler *g, int k, double *t, double *x, zw_error *err);

#ifdef __cplusplus
}
#endif
#endif
