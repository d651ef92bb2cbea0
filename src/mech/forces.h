/* SPDX-License-Identifier: MIT */
/* Generalised forces of everything that is given: potential, dissipation, forces. */
#ifndef ZW_MECH_FORCES_H
#define ZW_MECH_FORCES_H

#include "principles.h"

/* Q = forces - dR/dv - F' dV/dq, nv entries in the system's velocities, without multipliers. What
 * forces add to C by multipliers (nv x nc) goes to `extra`; if extra is NULL such a force is refused
 * in the name of the principle. *depends tells whether there was one (may be NULL). */
zw_status zw_given_forces(const zw_equations *eq, const zw_system *s, zw_expr *Q, zw_expr *extra,
                          bool *depends, zw_error *err);

#endif
