/* SPDX-License-Identifier: MIT */
/* Integrals of velocity constraints, which define leaves: integrals.c finds them,
 * src/claims/structure/system_on_leaf.c uses them. */
#ifndef ZW_MECH_EQUATIONS_KEPT_INTEGRALS_H
#define ZW_MECH_EQUATIONS_KEPT_INTEGRALS_H

#include "zwang/equations.h"

/* True if a velocity constraint is active. */
bool zw_mech_has_velocities(const zw_system *s, const zw_active *active);

/* Integrals with smooth formulas of smooth constraints, for any state and parameters p (np). */
zw_status zw_integrals_smooth(zw_integrals *out, const zw_system *s, const zw_active *active,
                              const double *p, zw_error *err);

/* alpha' = Omega keeps alpha - Omega t: the leaf moves with time, so that its constant is a phase.
 * Of several such integrals, the first is kept as it is, the others as combinations with it in
 * which time cancels. */
zw_status zw_integrals_cancel_time(const zw_system *s, const zw_expr *q, zw_integrals *found,
                                   zw_error *err);

#endif
