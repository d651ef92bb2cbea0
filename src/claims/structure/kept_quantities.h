/* SPDX-License-Identifier: MIT */
/* Conserved quantities: every motion, driven or not, keeps the value that they have at its
 * start. */
#ifndef ZW_CLAIMS_STRUCTURE_KEPT_QUANTITIES_H
#define ZW_CLAIMS_STRUCTURE_KEPT_QUANTITIES_H

#include "base/arena.h"
#include "zwang/equations.h"
#include "zwang/equilibria.h"
#include "zwang/report.h"

typedef struct zw_kept {
    int n;
    const char **name; /* n: observables, momenta */
    const char **unit; /* n: "" if there is none */
    double *level;     /* n: values at the start, with the parameters of the model */
} zw_kept;

/* Periodic motions of a system with such a quantity form a family and are not isolated. Those with
 * the value of the start are isolated: the condition quantity - value(start) = 0 is added to psi of
 * eq, or to phi if no velocity is in it, without a multiplier. conserved.h decides which quantities
 * are conserved: observables, momenta, states. p, given (np): values of the parameters, and which
 * were set. over (NULL: none): the continuation parameter; quantities must be conserved at both
 * ends and in the middle, and the value at the start may depend on it linearly. */
zw_status zw_keep_conserved(zw_kept *out, zw_equations *eq, zw_arena *arena,
                            const zw_active *active, const double *p, const bool *given,
                            const zw_parameter_range *over, zw_error *err);
/* "kept": name and value of each, with a sentence; nothing if there are none. */
void zw_kept_report(zw_report *out, const zw_kept *k);

#endif
