/* SPDX-License-Identifier: MIT */
/* Implemented in src/claims/principles. */
/* Which nonholonomic motions are vakonomic ones too, and with which multipliers?
 *
 * With the bracket R of src/mech/principles/vakonomic.c the two principles say
 *
 *     M v' = h + W' lambda,      M v' = h + W' mu' + R(q, v) mu,      W v' = b,
 *
 * and have the same accelerations where R mu is a combination of the rows of W. So a nonholonomic motion x(t) is vakonomic if and only if along it
 *
 *     Z' R(x) mu = 0   with  W Z = 0,           mu' = lambda(x) + N(x) mu,
 *
 * which is linear in mu: mu(t) = Phi(t) mu_0 + phi(t), and all times together are linear equations for mu_0. They have no solution, one, or a whole space of
 * them. That is decided by numbers for single motions, that of the model's start and those from random states; the equations Z' R mu = 0, which mu must obey at
 * every state of the motion, are told as formulas. */
#ifndef ZWANG_AGREEMENT_H
#define ZWANG_AGREEMENT_H

#include "equations.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef struct zw_agreement zw_agreement;

typedef struct zw_agreement_options {
    size_t size;             /* of this struct, for the library */
    const zw_active *active; /* which constraints hold; NULL: as the model says */
    double time;             /* s, how long motions are followed: 1 */
    int states;              /* random starts: 20 */
} zw_agreement_options;
ZW_API void zw_agreement_options_init(zw_agreement_options *options, size_t size);
static inline zw_agreement_options zw_agreement_options_default(void) {
    zw_agreement_options o;
    zw_agreement_options_init(&o, sizeof o);
    return o;
}

typedef enum zw_agreement_verdict {
    ZW_AGREES,    /* with these multipliers, and all others along `direction` */
    ZW_DISAGREES, /* with none */
    ZW_AGREES_UNDECIDED,
    ZW_AGREES_FAILED /* the motion could not be followed */
} zw_agreement_verdict;

/* A nonholonomic motion. */
typedef struct zw_agreement_motion {
    zw_agreement_verdict verdict;
    const double *x;         /* nq + nv: its start */
    const double *mu;        /* n: multipliers at the start, the least of those that fit best */
    int nfree;               /* dimension of the space of multipliers that do as well */
    const double *direction; /* nfree x n */
    double mismatch;         /* of the accelerations: what the best multipliers leave */
    double
        apart; /* by so much of its size the vakonomic run with these multipliers goes apart from it; NaN: there is none */
} zw_agreement_motion;

/* Follows all motions. ZW_E_MODEL: the vakonomic principle has no equations here, or there are no constraints. The system and its context must outlive it. */
ZW_API zw_status zw_agreement_find(zw_agreement **out, const zw_system *sys,
                                   const zw_agreement_options *options, zw_error *err);
ZW_API void zw_agreement_destroy(zw_agreement *a);
/* Multipliers, and the name of one. */
ZW_API int zw_agreement_multipliers(const zw_agreement *a);
ZW_API const char *zw_agreement_name(const zw_agreement *a, int i);
/* The motion of the model's start (0), and of random starts (1 to states). */
ZW_API int zw_agreement_count(const zw_agreement *a);
ZW_API const zw_agreement_motion *zw_agreement_at(const zw_agreement *a, int i);
/* The equations for mu, of t, q, independent velocities and the symbols of the multipliers: which must vanish. NULL: the constraints have no formulas for dependent velocities. */
ZW_API const zw_expr *zw_agreement_equations(const zw_agreement *a, int *n);
/* What follows from them in general, where no coefficient by which was divided vanishes: the multiplier as a formula of t, q, independent velocities and of multipliers
 * that stay free (ZW_NULL: it is free, or nothing is known), and conditions on the start, which must vanish. */
ZW_API zw_expr zw_agreement_formula(const zw_agreement *a, int i);
ZW_API const zw_expr *zw_agreement_conditions(const zw_agreement *a, int *n);
/* For people and as JSON; new strings of the context (zw_string_free), NULL: out of memory. */
ZW_API char *zw_agreement_text(const zw_agreement *a);
ZW_API char *zw_agreement_json(const zw_agreement *a);

#ifdef __cplusplus
}
#endif
#endif
