/* SPDX-License-Identifier: MIT */
/* Orbits at given values, and events that end branches; private to the files of periodic orbits. */
#ifndef ZW_STUDY_ORBITS_SEQUENCE_H
#define ZW_STUDY_ORBITS_SEQUENCE_H

#include "orbits.h"

/* options.values, as the parameter that is gone along. */
zw_status zw_orbits_read_values(zw_orbits *o, zw_error *err);
/* Does an orbit pass an event of the model that ends motions? Then why says which. */
bool zw_orbits_meets_stop(zw_orbits *o, int number, char *why, size_t size);

#endif
