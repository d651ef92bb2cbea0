/* SPDX-License-Identifier: MIT */
/* Events that end motions, and with them branches; private to the files of periodic orbits. */
#ifndef ZW_MOTION_ORBITS_ORBITS_STOP_H
#define ZW_MOTION_ORBITS_ORBITS_STOP_H

#include "orbits.h"

bool zw_orbits_has_stops(const zw_orbits *o);
/* How far the orbit x at a value is from touching such an event, of the largest value of its
 * function; negative: it has passed it. On which side it is counts since o->stop_side (nevent) was
 * 0. *event: the nearest. NaN: it is not known. */
zw_status zw_orbits_stop_distance(zw_orbits *o, const double *x, double value, double *distance,
                                  int *event, zw_error *err);
void zw_orbits_stop_words(const zw_orbits *o, int event, char *why, size_t size);
/* Does the last orbit, which is in o->x, pass one? Then why says which. */
zw_status zw_orbits_meets_stop(zw_orbits *o, int number, char *why, size_t size, bool *met,
                               zw_error *err);

#endif
