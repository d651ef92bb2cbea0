/* SPDX-License-Identifier: MIT */
/* Implemented in src/claims/verify. */
/* Claims put to the test. A claim lhs = rhs (zw_system_claim) is an equation that somebody printed
 * about a system. It is evaluated at admissible states of the derived system and holds if
 *
 *   |lhs - rhs| <= ZW_CLAIM_TOLERANCE * (sum of the absolute values of its terms)
 *
 * at all of them, the sum being no less than a tenth of its mean. Where it fails, a small repair is
 * looked for: a sign, a number, a function or a name exchanged, an exponent, a factor, a term too
 * many or a missing one. A repair counts only if the repaired equation holds at all states.
 *
 * A claim with inconsistent units (zw_claim.units) fails for any numbers; these are tested in SI all the same.
 * A claim of an exact order (zw_claim.exact) also fails if its sides agree beyond that order.
 *
 * A claim about a state with small variables (zw_claim.small) is one about series: state, accelerations and
 * multipliers are expanded along random curves of admissible states into that state,
 *
 *   x(s) = x_0 + x_1 s + x_2 s^2 + ...,   the small variables being d_i s, s > 0,
 *
 * exactly, up to rounding, and the claim holds if the coefficients of both sides agree up to the order of the
 * claim. Its samples are these coefficients, and are made for it alone (zw_trials_for), as are those of claims
 * by another principle and of claims that speak of means and eigenvalues.
 *
 * States come in sets, each with its own values of the parameters, because a factor 0.5 at one set of
 * values may be 1/2 or m/M: what it is shows when the parameters change. zw_trials_collect makes them; a
 * caller who knows the motion from elsewhere fills his own.
 *
 *   zw_trials trials;
 *   status = zw_trials_collect(&trials, system, NULL, NULL, &err);
 *   for (int i = 0; i < system->nclaim && status >= 0; i++)
 *       status = zw_verify(&verdict, system, &system->claim[i], &trials, &err);
 */
#ifndef ZWANG_VERIFY_H
#define ZWANG_VERIFY_H

#include <stdint.h>

#include "system.h"

#ifdef __cplusplus
extern "C" {
#endif

#define ZW_CLAIM_TOLERANCE 1e-9
enum { ZW_REPAIRS_MAX = 3 };

/* Admissible states: the values of parameters, t, q, v, v' and multipliers, in this order; then, in those of one
 * claim, of rates of multipliers and of the quantities it speaks of. */
typedef struct zw_trials {
    int nsym, nsample, nset;
    zw_expr *sym;  /* nsym */
    double *value; /* nsample x nsym */
    int *set;      /* nsample: 0 .. nset-1, ascending; in set 0 the parameters are the model's */
    const zw_claim *claim;    /* of which claim they are; NULL: of all that are plain */
    struct zw_series *series; /* private: the samples are coefficients of series; NULL: states */
} zw_trials;

typedef struct zw_repair {
    const char *words; /* what to change */
    zw_expr lhs, rhs;  /* the repaired equation */
} zw_repair;

typedef struct zw_verdict {
    const zw_claim *claim;
    bool holds;
    double residual; /* largest |lhs - rhs| / sum of |terms| */
    int worst;       /* the sample where it is */
    double share;    /* there: |lhs - rhs| / largest |term| */
    int nrepair;     /* the smallest ones first, at most ZW_REPAIRS_MAX */
    zw_repair repair[ZW_REPAIRS_MAX];
    int states;   /* number of states tested, or of curves */
    int order;    /* of a claim about series that fails: the first power that disagrees */
    bool further; /* a claim of an exact order fails because the sides agree beyond that order */
    const char *kink; /* of a claim about series: what is not smooth at its state, and in which
                         statement; NULL: all is, as far as was needed */
} zw_verdict;

/* Begin with zw_verify_options_default(). */
typedef struct zw_verify_options {
    size_t size;   /* of this struct, for the library */
    int states;    /* random states, 200; every second one with other values of the parameters */
    uint64_t seed; /* of states and parameters: the same seed, the same ones; 1 */
} zw_verify_options;

ZW_API void zw_verify_options_init(zw_verify_options *options, size_t size);
static inline zw_verify_options zw_verify_options_default(void) {
    zw_verify_options o;
    zw_verify_options_init(&o, sizeof o);
    return o;
}
/* Samples of a finished system where these constraints hold (active NULL: as the model says): random
 * admissible states (zwang/sampler.h), half of them with the parameters of the model, with the
 * accelerations and multipliers of Lagrange's equations. They live in the system's context; options may
 * be NULL. */
ZW_API zw_status zw_trials_collect(zw_trials *out, const zw_system *s, const zw_active *active,
                                   const zw_verify_options *options, zw_error *err);

/* Does a claim speak of the motion by Lagrange's equations at any state, by formulas alone? */
ZW_API bool zw_claim_is_plain(const zw_claim *claim);
/* The samples of this claim of the system; those of zw_trials_collect if it is plain. A claim that cannot be
 * expanded about its state, or whose state the constraints do not admit, is refused at its place. */
ZW_API zw_status zw_trials_for(zw_trials *out, const zw_system *s, const zw_claim *claim,
                               const zw_active *active, const zw_verify_options *options,
                               zw_error *err);

/* Parameter sets that are enough to tell a factor made of parameters: one more than there are
 * parameters with a value of their own, and three to check it. */
ZW_API int zw_trials_sets(const zw_system *s);
/* Room for the samples, in the system's context; sym is filled. */
ZW_API zw_status zw_trials_init(zw_trials *out, const zw_system *s, int nsample, int nset,
                                zw_error *err);
/* Parameters of a set (np doubles): 0 the values of the model; else each value that is a number
 * changed at random by less than a factor 2 (0 becomes a number near 1), the others following. */
ZW_API zw_status zw_trials_params(const zw_system *s, uint64_t seed, int set, double *p,
                                  zw_error *err);
/* Fill a sample. lambda: one multiplier for each of the system's constraints, 0 if switched off. */
ZW_API void zw_trials_put(zw_trials *ev, const zw_system *s, int sample, int set, const double *p,
                          double t, const double *q, const double *v, const double *a,
                          const double *lambda);

/* Test a claim of the system and look for repairs if it fails. The texts live in the context. */
ZW_API zw_status zw_verify(zw_verdict *out, const zw_system *s, const zw_claim *claim,
                           const zw_trials *ev, zw_error *err);

#ifdef __cplusplus
}
#endif
#endif
