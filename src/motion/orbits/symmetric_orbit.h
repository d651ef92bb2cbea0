/* SPDX-License-Identifier: MIT */
/* Orbits that are their own image half a period later; private to the files of periodic orbits. */
#ifndef ZW_MOTION_ORBITS_SYMMETRIC_ORBIT_H
#define ZW_MOTION_ORBITS_SYMMETRIC_ORBIT_H

#include "orbits.h"

/* options.symmetry, checked with the equations. */
zw_status zw_orbits_read_symmetry(zw_orbits *o, zw_error *err);
/* A vector of the half (n entries of its problem and one more) as one of the whole: an orbit, or a
 * direction, which knows no shift. whole: room for twice as many. */
void zw_orbits_expand(const zw_orbits *o, const double *half, bool direction, double *whole);
/* The first half of a whole orbit, as a vector of the half with its mesh; false: there is no node
 * in the middle. */
/* Do orbits from `first` on become their own images, or cease to be, where no mark is told? */
zw_status zw_orbits_watch_symmetry(zw_orbits *o, int first, zw_error *err);
bool zw_orbits_halve(const zw_orbits *o, const zw_orbit_motion *m, double *half, double *mesh);
/* The state of the orbit in o->x at a part of its whole period, from 0 to 1. */
void zw_orbits_whole_state(const zw_orbits *o, double tau, double *state);
#endif
