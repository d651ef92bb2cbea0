/* SPDX-License-Identifier: MIT */
/* The constraints of a system on all three levels: shared by the principles and the census.
 *
 *   position      phi(q,t)       psi = dphi/dt,  W = dpsi/dv
 *   velocity      psi(q,v,t)     W = dpsi/dv (for a nonlinear psi this is Chetaev's rule)
 *   acceleration  W v' + ... = 0
 * and W v' = b with b = -(d/dt psi without its v' terms). */
#ifndef ZW_MECH_CONSTRAINT_ROWS_H
#define ZW_MECH_CONSTRAINT_ROWS_H

#include "mech/system/build.h"

/* Fills nc, lambda, constraint, W, b, npos, phi, Phi, nvel, psi, Psi of out (holds, nq, nv, q, v, a
 * and qdot must be there). */
zw_status zw_constraint_rows(zw_equations *out, const zw_system *s, zw_error *err);
/* Fills nstart_pos, nstart_vel and the start rows of out (the same and nstart must be there). */
zw_status zw_start_rows(zw_equations *out, const zw_system *s, zw_error *err);

#endif
