/* SPDX-License-Identifier: MIT */
/* Turns of a branch of orbits that are not folds. */
#ifndef ZW_MOTION_ORBITS_ORBITS_PITCHFORK_END_H
#define ZW_MOTION_ORBITS_ORBITS_PITCHFORK_END_H

#include "orbits.h"

/* A place where da/ds changes its sign and prod (mu - 1) does not. */
typedef struct zw_orbits_turn {
    int before, after; /* orbits on both sides */
    int at;            /* the orbit at the turn; -1 if it was not located */
    double value;      /* approximate value of the parameter */
} zw_orbits_turn;

/* Is a multiplier of an orbit near 1, besides those that are always 1? */
bool zw_orbits_has_near_one(const zw_orbits *o, const zw_orbit_motion *m);
/* Does the branch end there, at a period doubling or a pitchfork? Then `why` says at which, and the
 * orbits after it are removed. Overwrites o->x and its mesh. */
zw_status zw_orbits_end_at_turn(zw_orbits *o, const zw_orbits_turn *t, bool *ends, char *why,
                                size_t size, zw_error *err);
/* Counts the places, among the orbits from `first` on, where multipliers come so near -1 or the
 * unit circle between two points that they may cross it twice; reported as a warning. */
void zw_orbits_check_pairs(zw_orbits *o, int first);

#endif
