/* SPDX-License-Identifier: MIT */
/* Symmetries but for which orbits close; private to the files of periodic orbits. */
#ifndef ZW_MOTION_ORBITS_ORBITS_GROUP_H
#define ZW_MOTION_ORBITS_ORBITS_GROUP_H

#include "motion/segments/periodic.h"
#include "orbits.h"

/* The affine symmetries of the equations beside shifts of ignorable coordinates, at the parameters
 * of the model. */
zw_status zw_orbits_find_group(zw_orbits *o, zw_error *err);
/* theta for which exp(-theta A) x is next to a, in the sizes given (nx; 0: does not count), and
 * that state in out; from the theta that is given, or wherever it is least (anywhere). Returns the
 * distance. */
double zw_orbits_align(zw_orbits *o, const double *a, const double *x, const double *size,
                       bool anywhere, double *theta, double *out);
/* x = exp(times theta A) x, of the group's theta */
void zw_orbits_group_move(zw_orbits *o, double times, double *x);
/* Those that move a motion, and not as it moves by itself; the others do not count from now on. */
zw_status zw_orbits_choose_group(zw_orbits *o, const zw_orbit *about, zw_error *err);
/* Do they hold at the orbit in o->x, at the parameters of the flow? */
zw_status zw_orbits_check_group(zw_orbits *o, zw_error *err);
/* Is a coordinate shifted by them, and not turned? */
bool zw_orbits_is_shifted(const zw_orbits *o, int i);
/* "alpha + turn(x, y)" */
void zw_orbits_put_group(zw_text *out, const zw_orbits *o, int g);

#endif
