/* SPDX-License-Identifier: MIT */
/* Random states of a system that its constraints admit, and the constraints that no state admits. */
#ifndef ZW_STUDY_STATES_H
#define ZW_STUDY_STATES_H

#include "mech/principles/principles.h"
#include "mech/system/sample.h"

typedef struct zw_states {
    int n;
    zw_sample *at; /* parameters, q, v, t as in sample.h; then the multipliers, scattered */
} zw_states;

/* n scattered states with unit quaternions; constraints do not count. */
zw_status zw_states_scatter(zw_states *out, const zw_equations *eq, int n, zw_error *err);
/* n random states on the constraints of eq, all of which have the same values of the parameters.
 * A set of constraints that contradict each other is refused by name. */
zw_status zw_states_admissible(zw_states *out, const zw_equations *eq, int n, zw_error *err);
/* Another admissible velocity at the same q and t; false if none was found. */
bool zw_states_turn(zw_sample *at, const zw_equations *eq, unsigned attempt);

/* The n expressions at a state; false if one of them is not finite there. */
bool zw_states_values(const zw_sample *at, const zw_equations *eq, int n, const zw_expr *e,
                      double *out);

#endif
