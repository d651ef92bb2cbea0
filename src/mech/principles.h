/* SPDX-License-Identifier: MIT */
/* The derive function of every principle, one file each. */
#ifndef ZW_MECH_PRINCIPLES_H
#define ZW_MECH_PRINCIPLES_H

#include "constraint_rows.h"

/* Kinematics, symbols, constraint rows: what every principle needs. */
zw_status zw_principle_begin(zw_equations *out, const zw_system *s, zw_error *err);

zw_status zw_lagrange_derive(zw_equations *out, const zw_system *s, zw_error *err);

#endif
