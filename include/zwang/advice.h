/* SPDX-License-Identifier: MIT */
/* Implemented in src/claims/structure. */
/* What do constraints cost that a model could have? Beginning with the whole model, in which none of them holds, the one is added that changes a run least, then
 * the next. The cost of a set of constraints is
 *
 *     max over the quantities and over time of |q(t) - q_whole(t)| / (max q_whole - min q_whole),
 *
 * from the same start, as far as the constraints allow it. */
#ifndef ZWANG_ADVICE_H
#define ZWANG_ADVICE_H

#include "model.h"

#ifdef __cplusplus
extern "C" {
#endif

enum { ZW_ADVICE_MOST = 12 }; /* constraints */

typedef struct zw_advice_trial {
    int constraint;    /* that is added, of those asked about */
    double cost;       /* infinite: it cannot be run, */
    char why[200];     /* because of this */
    const char *worst; /* the quantity with the largest difference, */
    double at;         /* and when, s */
    double rms;        /* the root of the mean square of its differences, of its range */
} zw_advice_trial;

typedef struct zw_advice {
    int nstep; /* constraints that were added; the others cannot be */
    int ntrial[ZW_ADVICE_MOST];
    zw_advice_trial trial[ZW_ADVICE_MOST]
                         [ZW_ADVICE_MOST]; /* of each step, the cheapest first: it was taken */
} zw_advice;

/* constraints: names of the model (n of them). quantities: columns of a run, coordinates, velocities, observables; ncompare 0: all coordinates. Names of
 * quantities in the result are those of the caller, or live in ctx. */
ZW_API zw_status zw_advise(zw_context *ctx, const zw_model_source *source, int n,
                           const char *const *constraint, int ncompare, const char *const *compare,
                           double until, zw_advice *out, zw_error *err);

#ifdef __cplusplus
}
#endif
#endif
