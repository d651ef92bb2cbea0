/* SPDX-License-Identifier: MIT */
/* Some states of a system, stored with all their values, for the classifier. */
#ifndef ZW_CLAIMS_STRUCTURE_STATES_H
#define ZW_CLAIMS_STRUCTURE_STATES_H

#include "mech/equations/sampler.h"

typedef struct zw_state_set {
    int n;
    zw_sample *at; /* parameters, q, v, t as in sample.h; then the multipliers, random */
} zw_state_set;

/* n scattered states with unit quaternions; constraints are ignored. */
zw_status zw_states_scatter(zw_state_set *out, const zw_equations *eq, int n, zw_error *err);
/* Up to n random states on the constraints of eq, all with the same values p (np; NULL: of the
 * model) of the parameters. Contradictory constraints are an error that names them. */
zw_status zw_states_admissible(zw_state_set *out, const zw_equations *eq, const double *p, int n,
                               zw_error *err);

/* The n expressions at a state; false if one of them is not finite there. */
bool zw_states_values(const zw_sample *at, const zw_equations *eq, int n, const zw_expr *e,
                      double *out);

#endif
