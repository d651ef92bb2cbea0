/* SPDX-License-Identifier: MIT */
/* Orbits at given values. */
#ifndef ZW_MOTION_ORBITS_ORBITS_SEQUENCE_H
#define ZW_MOTION_ORBITS_ORBITS_SEQUENCE_H

#include "orbits.h"

/* Reads options.values as the parameter that is followed. */
zw_status zw_orbits_read_values(zw_orbits *o, zw_error *err);

#endif
