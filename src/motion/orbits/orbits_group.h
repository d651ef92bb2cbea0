/* SPDX-License-Identifier: MIT */
/* Continuous symmetries up to which orbits close. */
#ifndef ZW_MOTION_ORBITS_ORBITS_GROUP_H
#define ZW_MOTION_ORBITS_ORBITS_GROUP_H

#include "orbits.h"

/* Finds the affine symmetries of the equations, other than shifts of ignorable coordinates, at the
 * parameters of the model. */
zw_status zw_orbits_find_group(zw_orbits *o, zw_error *err);
/* theta for which exp(-theta A) x is nearest to a, with the given sizes (nx; 0: entry ignored), and
 * that state in out; a local minimum from the given theta, or the global one (anywhere). Returns
 * the distance. */
double zw_orbits_align(zw_orbits *o, const double *a, const double *x, const double *size,
                       bool anywhere, double *theta, double *out);
/* x = exp(times theta A) x with the theta of the group */
void zw_orbits_group_move(zw_orbits *o, double times, double *x);
/* Keeps the symmetries that move a motion otherwise than along itself; ignores the others from now
 * on. */
zw_status zw_orbits_choose_group(zw_orbits *o, const zw_orbit *about, zw_error *err);
/* Fails unless they are symmetries at the orbit in o->x, at the parameters of the flow. */
zw_status zw_orbits_check_group(zw_orbits *o, zw_error *err);
/* Do they shift a coordinate without turning it? */
bool zw_orbits_is_shifted(const zw_orbits *o, int i);
/* "alpha + turn(x, y)" */
void zw_orbits_put_group(zw_text *out, const zw_orbits *o, int g);

#endif
