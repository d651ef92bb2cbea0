/* SPDX-License-Identifier: MIT */
/* The derive function of every principle, one file each. */
#ifndef ZW_MECH_PRINCIPLES_H
#define ZW_MECH_PRINCIPLES_H

#include "constraint_rows.h"

/* Active constraints, kinematics, symbols, constraint and start rows: what every principle needs.
 * active may be NULL: as in the model. */
zw_status zw_principle_begin(zw_equations *out, const zw_system *s, const zw_active *active,
                             zw_error *err);

/* Rejects active inequalities: only a minimisation can treat them. */
zw_status zw_reject_inequality(const zw_principle *p, const zw_system *s, const zw_active *active,
                               zw_error *err);
/* The error of a principle that needs constraints affine in the velocities. */
zw_status zw_reject_not_affine(const zw_equations *out, const zw_system *s, zw_error *err);

zw_status zw_lagrange_derive(zw_equations *out, const zw_system *s, const zw_active *active,
                             zw_error *err);
zw_status zw_maggi_derive(zw_equations *out, const zw_system *s, const zw_active *active,
                          zw_error *err);
zw_status zw_boltzmann_hamel_derive(zw_equations *out, const zw_system *s, const zw_active *active,
                                    zw_error *err);
zw_status zw_gibbs_appell_derive(zw_equations *out, const zw_system *s, const zw_active *active,
                                 zw_error *err);
zw_status zw_kane_derive(zw_equations *out, const zw_system *s, const zw_active *active,
                         zw_error *err);
zw_status zw_gauss_derive(zw_equations *out, const zw_system *s, const zw_active *active,
                          zw_error *err);
zw_status zw_gauss_min_derive(zw_equations *out, const zw_system *s, const zw_active *active,
                              zw_error *err);
zw_status zw_voronets_derive(zw_equations *out, const zw_system *s, const zw_active *active,
                             zw_error *err);
zw_status zw_chaplygin_derive(zw_equations *out, const zw_system *s, const zw_active *active,
                              zw_error *err);
zw_status zw_hamilton_derive(zw_equations *out, const zw_system *s, const zw_active *active,
                             zw_error *err);
zw_status zw_vakonomic_derive(zw_equations *out, const zw_system *s, const zw_active *active,
                              zw_error *err);

#endif
