/* SPDX-License-Identifier: MIT */
/* Contacts, events that act and rates that jump, for studies of smooth motions. */
#ifndef ZW_MOTION_JUMPS_H
#define ZW_MOTION_JUMPS_H

#include "motion/equilibria/equilibria.h"
#include "zwang/equilibria.h"

/* The first part of the rates that jumps somewhere at the parameters p (np of the system), or over
 * these ranges of parameters; ZW_NULL: none does. A pole, as 1/sqrt(x^2 + y^2), is no jump: motions
 * go round it. */
zw_status zw_find_jump(const zw_equations *eq, const double *p, int nover,
                       const zw_parameter_range *over, zw_expr *part, zw_error *err);
/* Refuses contacts and events that act, by name and place, with this status; why: "connecting
 * orbits are smooth motions". */
zw_status zw_refuse_breaks(const zw_system *s, zw_status status, const char *why, zw_error *err);
/* Refuses contacts, events that act and rates that jump, for the study of these smooth motions
 * ("connecting orbits"). */
zw_status zw_refuse_rough(const zw_equilibria *e, const char *motions, int nover,
                          const zw_parameter_range *over, zw_error *err);

#endif
