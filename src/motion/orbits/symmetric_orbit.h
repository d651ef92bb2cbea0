/* SPDX-License-Identifier: MIT */
/* Orbits that are their own image half a period later. */
#ifndef ZW_MOTION_ORBITS_SYMMETRIC_ORBIT_H
#define ZW_MOTION_ORBITS_SYMMETRIC_ORBIT_H

#include "orbits.h"

/* Reads options.symmetry and checks it with the equations. */
zw_status zw_orbits_read_symmetry(zw_orbits *o, zw_error *err);
/* Expands a vector of the half (n entries of its problem and one more) to the whole orbit: an
 * orbit, or a direction, to which shifts do not apply. whole: twice as many entries. */
void zw_orbits_expand(const zw_orbits *o, const double *half, bool direction, double *whole);
/* Counts steps between orbits from `first` on that become their own images, or cease to be, without
 * a special point. */
zw_status zw_orbits_check_symmetry(zw_orbits *o, int first, zw_error *err);
/* The first half of a whole orbit, as a vector of the half with its mesh; false: the mesh has no
 * node in the middle. */
bool zw_orbits_halve(const zw_orbits *o, const zw_orbit_motion *m, double *half, double *mesh);
/* The state of the orbit in o->x at a fraction of its whole period, from 0 to 1. */
void zw_orbits_whole_state(const zw_orbits *o, double tau, double *state);
#endif
