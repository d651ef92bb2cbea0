/* SPDX-License-Identifier: MIT */
/* What leaves of motions are made of: integrals.c finds it, leaf.c for runs, study/leaf.c for all else. */
#ifndef ZW_MECH_LEAF_H
#define ZW_MECH_LEAF_H

#include "zwang/integrals.h"

/* Does a constraint on velocities hold? */
bool zw_mech_has_velocities(const zw_system *s, const zw_active *active);

/* Integrals with smooth formulas, of constraints that are smooth, at any state and at parameters p (np). */
zw_status zw_integrals_smooth(zw_integrals *out, const zw_system *s, const zw_active *active,
                              const double *p, zw_error *err);

/* alpha' = Omega keeps alpha - Omega t: a leaf that moves with time, so that its constant is a phase. Of several
 * such ones the others stay as combinations with the first in which time cancels. */
zw_status zw_integrals_cancel_time(const zw_system *s, const zw_expr *q, zw_integrals *found,
                                   zw_error *err);

#endif
