/* SPDX-License-Identifier: MIT */
/* Integrals of velocity constraints, which define leaves: integrals.c finds them, system_on_leaf.c
 * applies them to runs, study/leaf.c to all else. */
#ifndef ZW_MECH_EQUATIONS_KEPT_INTEGRALS_H
#define ZW_MECH_EQUATIONS_KEPT_INTEGRALS_H

#include "zwang/equations.h"

/* Is a constraint on velocities active? */
bool zw_mech_has_velocities(const zw_system *s, const zw_active *active);

/* Integrals with smooth formulas, of constraints that are smooth, at any state and at parameters p
 * (np). */
zw_status zw_integrals_smooth(zw_integrals *out, const zw_system *s, const zw_active *active,
                              const double *p, zw_error *err);

/* alpha' = Omega keeps alpha - Omega t: a leaf that moves with time, so that its constant is a
 * phase. Of several such integrals, the others are kept as combinations with the first in which
 * time cancels. */
zw_status zw_integrals_cancel_time(const zw_system *s, const zw_expr *q, zw_integrals *found,
                                   zw_error *err);

#endif
