/* SPDX-License-Identifier: MIT */
/* Turns of a branch of orbits that are no folds; private to the files of periodic orbits. */
#ifndef ZW_MOTION_ORBITS_ORBITS_PITCHFORK_END_H
#define ZW_MOTION_ORBITS_ORBITS_PITCHFORK_END_H

#include "orbits.h"

/* Where da/ds changes its sign and prod (mu - 1) does not. */
typedef struct zw_orbits_turn {
    int before, after; /* orbits on both sides, */
    int at;            /* and the turn; -1: it was not located */
    double value;      /* about */
} zw_orbits_turn;

/* Does a multiplier of an orbit come near 1, beside those that are 1 anyway? */
bool zw_orbits_touches(const zw_orbits *o, const zw_orbit_motion *m);
/* Does the branch end there, at a period doubling or a pitchfork? Then `why` says at which, and the
 * orbits behind it are gone. o->x and its mesh are lost. */
zw_status zw_orbits_end_at_turn(zw_orbits *o, const zw_orbits_turn *t, bool *ends, char *why,
                                size_t size, zw_error *err);
/* Of the orbits from `first` on: where do multipliers come so near -1 or the circle between two
 * points that they may pass it twice? Told as a doubt. */
void zw_orbits_watch_pairs(zw_orbits *o, int first);

#endif
