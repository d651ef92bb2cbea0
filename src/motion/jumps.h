/* SPDX-License-Identifier: MIT */
/* Rejects contacts, events that act and rates that jump, for computations that need
 * smooth motions. */
#ifndef ZW_MOTION_JUMPS_H
#define ZW_MOTION_JUMPS_H

#include "motion/equilibria/equilibria.h"
#include "zwang/equilibria.h"

/* Finds the first subexpression of the rates that jumps somewhere at the parameters p (np of the
 * system), or over these ranges of parameters; ZW_NULL if none does. A pole such as
 * 1/sqrt(x^2 + y^2) is not a jump: motions pass around it. */
zw_status zw_find_jump(const zw_equations *eq, const double *p, int nover,
                       const zw_parameter_range *over, zw_expr *part, zw_error *err);
/* Fails with this status at the first contact or event that acts, naming it and its place; why:
 * "connecting orbits are smooth motions". */
zw_status zw_refuse_breaks(const zw_system *s, zw_status status, const char *why, zw_error *err);
/* Fails if there are contacts, events that act or rates that jump; motions ("connecting orbits")
 * names what is computed. */
zw_status zw_refuse_rough(const zw_equilibria *e, const char *motions, int nover,
                          const zw_parameter_range *over, zw_error *err);

#endif
