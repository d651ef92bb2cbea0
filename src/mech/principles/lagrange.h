/* SPDX-License-Identifier: MIT */
/* The parts of Lagrange's equations from which Maggi, Hamilton and the vakonomic principle
 * start. */
#ifndef ZW_MECH_LAGRANGE_H
#define ZW_MECH_LAGRANGE_H

#include "forces.h"

/* out->M = d2T/dv2 (rejected if T is not quadratic in v) and p = dT/dv, nv entries. */
zw_status zw_lagrange_mass_matrix(zw_equations *out, const zw_system *s, zw_expr *p, zw_error *err);
/* True if a force along velocity k depends on this velocity or on a coordinate that moves with it,
 * so that the velocity is determined even without inertia. */
zw_status zw_lagrange_has_force(const zw_equations *eq, const zw_system *s, int k, bool *has,
                                zw_error *err);
/* (Gamma' p)_k */
zw_expr zw_lagrange_transposed(const zw_system *s, const zw_expr *p, int k);
/* out->h: all of h except the given forces Q. */
zw_status zw_lagrange_bias(zw_equations *out, const zw_system *s, const zw_expr *p, zw_error *err);

#endif
