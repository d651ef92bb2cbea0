/* SPDX-License-Identifier: MIT */
/* Conserved quantities that follow from the form of a system: energy, Jacobi integral, momenta. */
#ifndef ZW_CLAIMS_STRUCTURE_CONSERVED_H
#define ZW_CLAIMS_STRUCTURE_CONSERVED_H

#include "states.h"
#include "zwang/claims.h"

/* eq contains the active constraints without redundant ones; homogeneous: all of them allow
 * rest. */
zw_status zw_conserved_of(zw_classification *out, zw_equations *eq, const zw_state_set *states,
                          zw_error *err);
/* conserved_observed.c: appends the conserved observables, and states whose rates are zero. */
zw_status zw_conserved_observed(zw_classification *out, const zw_system *s, const zw_active *active,
                                const zw_state_set *states, zw_error *err);
/* classify.c: these alone, or with those that follow from the form of the equations, without the
 * other questions about constraints. p (np; NULL: those of the model): values of the parameters. */
zw_status zw_observables_that_stay(zw_classification *out, const zw_system *s,
                                   const zw_active *active, const double *p, bool by_form,
                                   zw_error *err);
/* The velocities of a system at rest, q' = 0: zero but for quasi-velocities with a drift. */
zw_status zw_rest_velocities(const zw_system *s, zw_expr *rest, zw_error *err);

#endif
