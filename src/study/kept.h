/* SPDX-License-Identifier: MIT */
/* Observables that stay: with a drive or without, every motion keeps the value that they have at its start. */
#ifndef ZW_STUDY_KEPT_H
#define ZW_STUDY_KEPT_H

#include "base/arena.h"
#include "base/text.h"
#include "zwang/equations.h"
#include "zwang/over.h"

typedef struct zw_kept {
    int n;
    int *observable; /* n: of the system */
    double *level;   /* n: values at the start, with the parameters of the model */
} zw_kept;

/* Periodic motions of a system with such an observable form a family, and none of them is alone near its neighbours. Those with the value of the start are: the condition
 * observable - value(start) = 0 is added to psi of eq, without a multiplier. That an observable stays is seen at random states. p, given (np): values of the parameters, and which were
 * set. over (NULL: none): a parameter that is gone along; the value at the start may depend on it linearly. */
zw_status zw_keep_observables(zw_kept *out, zw_equations *eq, zw_arena *arena,
                              const zw_active *active, const double *p, const bool *given,
                              const zw_over *over, zw_error *err);
/* "spin stays 0 rad/s, ..." a line for each */
void zw_kept_put(zw_text *out, const zw_kept *k, const zw_system *s);
void zw_kept_json(zw_text *out, const zw_kept *k, const zw_system *s); /* , "kept": {...} */

#endif
