/* SPDX-License-Identifier: MIT */
/* Families of orbits of conservative models; private to the files of periodic orbits. */
#ifndef ZW_MOTION_ORBITS_ORBITS_FAMILY_H
#define ZW_MOTION_ORBITS_ORBITS_FAMILY_H

#include "motion/segments/periodic.h"
#include "orbits.h"

/* Is `over` a number of families? Then its range; else nothing changes but the name. */
zw_status zw_orbits_read_family(zw_orbits *o, zw_error *err);
/* The equations with a damping, and the integral. */
zw_status zw_orbits_unfold(zw_orbits *o, zw_error *err);
/* Room for problems of n unknowns. */
zw_status zw_orbits_family_room(zw_orbits *o, size_t n, zw_error *err);
/* From an orbit outside of the range along its family to the range, if it is outside: then the
 * orbit is that at the end of the range. */
zw_status zw_orbits_enter(zw_orbits *o, int number, zw_error *err);
/* In place of an error at the first step along a family: what it means there. */
void zw_orbits_blame_family(const zw_orbits *o, int branch, zw_error *err);
/* Does the integral stay along a motion that is about known? */
zw_status zw_orbits_check_integral(zw_orbits *o, const zw_orbit *about, zw_error *err);
/* Does energy stay on motions of the model, as far as some states near its start can tell? */
bool zw_orbits_conserves(zw_orbits *o);
/* The number of the family of x, which is the orbit that collocation has. */
double zw_orbits_functional(zw_orbits *o, const double *x);
/* Which multipliers are not 1 anyway, beside that of the phase: all but so many next to 1. */
void zw_orbits_counts(const zw_floquet *m, int ones, bool *counts);
void zw_orbits_tidy_family(zw_floquet *m, int ones, bool conservative);
/* Stable: all that count are on the unit circle, which is all that linear equations can tell. */
zw_status zw_orbits_judge_family(zw_orbits *o, const zw_floquet *q, zw_orbit_motion *m,
                                 zw_error *err);

#endif
