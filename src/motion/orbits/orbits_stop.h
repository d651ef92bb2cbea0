/* SPDX-License-Identifier: MIT */
/* Events that end motions, and therefore branches of orbits. */
#ifndef ZW_MOTION_ORBITS_ORBITS_STOP_H
#define ZW_MOTION_ORBITS_ORBITS_STOP_H

#include "orbits.h"

bool zw_orbits_has_stops(const zw_orbits *o);
/* Distance of the orbit x at a value from touching such an event, relative to the largest value of
 * the event function; negative: it has crossed it. The side is known from the time on when
 * o->stop_side (nevent) was 0. *event: the nearest one. NaN if unknown. */
zw_status zw_orbits_stop_distance(zw_orbits *o, const double *x, double value, double *distance,
                                  int *event, zw_error *err);
void zw_orbits_stop_words(const zw_orbits *o, int event, char *why, size_t size);
/* Has the last orbit, which is in o->x, crossed such an event? Then why names it. */
zw_status zw_orbits_crosses_stop(zw_orbits *o, int number, char *why, size_t size, bool *met,
                                 zw_error *err);

#endif
