/* SPDX-License-Identifier: MIT */
/* Families of orbits of conservative models. */
#ifndef ZW_MOTION_ORBITS_ORBITS_FAMILY_H
#define ZW_MOTION_ORBITS_ORBITS_FAMILY_H

#include "orbits.h"

/* If `over` names a parameter of families (energy, period, max, min), reads its range; else changes
 * nothing but the name. */
zw_status zw_orbits_read_family(zw_orbits *o, zw_error *err);
/* Adds a damping to the equations, and the integral (unfolding). */
zw_status zw_orbits_unfold(zw_orbits *o, zw_error *err);
/* Reserves memory for problems of n unknowns. */
zw_status zw_orbits_reserve_family(zw_orbits *o, size_t n, zw_error *err);
/* If an orbit lies outside of the range, follows its family to the range; then the orbit is that at
 * the end of the range. */
zw_status zw_orbits_enter_range(zw_orbits *o, int number, zw_error *err);
/* Replaces an error of the first step along a family by what it means for a family. */
void zw_orbits_explain_family(const zw_orbits *o, int branch, zw_error *err);
/* Fails unless the integral is constant along a motion that is approximately known. */
zw_status zw_orbits_check_integral(zw_orbits *o, const zw_orbit *about, zw_error *err);
/* Is energy conserved, judging by states near the start of the model? */
bool zw_orbits_conserves(zw_orbits *o);
/* The parameter of the family at x, an orbit of the collocation. */
double zw_orbits_functional(zw_orbits *o, const double *x);
/* Marks the multipliers that are not always 1: all but the `ones` nearest to 1, and the trivial
 * one. */
void zw_orbits_nontrivial(const zw_floquet *m, int ones, bool *counts);
void zw_orbits_clean_multipliers(zw_floquet *m, int ones, bool conservative);
/* Sets the verdict stable if all multipliers that count are on the unit circle: the linearised
 * equations decide no more. */
zw_status zw_orbits_family_verdict(zw_orbits *o, const zw_floquet *q, zw_orbit_motion *m,
                                   zw_error *err);

#endif
