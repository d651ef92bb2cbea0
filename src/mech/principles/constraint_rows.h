/* SPDX-License-Identifier: MIT */
/* The constraints of a system on all three levels, for the principles and for counting.
 *
 *   position      phi(q,t)       psi = dphi/dt,  W = dpsi/dv
 *   velocity      psi(q,v,t)     W = dpsi/dv (for a nonlinear psi this is Chetaev's rule)
 *   acceleration  W v' + ... = 0
 * and W v' = b with b = -(d/dt psi without its v' terms). */
#ifndef ZW_MECH_CONSTRAINT_ROWS_H
#define ZW_MECH_CONSTRAINT_ROWS_H

#include "mech/system/build.h"

/* Fills nc, lambda, constraint, W, b, npos, phi, Phi, nvel, psi, Psi of out, which must have holds,
 * nq, nv, q, v, a and qdot. */
zw_status zw_constraint_rows(zw_equations *out, const zw_system *s, zw_error *err);
/* Fills nstart_pos, nstart_vel and the start rows of out, which must also have nstart. */
zw_status zw_start_rows(zw_equations *out, const zw_system *s, zw_error *err);

#endif
