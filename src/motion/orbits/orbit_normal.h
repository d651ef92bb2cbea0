/* SPDX-License-Identifier: MIT */
/* The normal forms of special points, of smooth orbits and of those through events. */
#ifndef ZW_MOTION_ORBITS_ORBIT_NORMAL_H
#define ZW_MOTION_ORBITS_ORBIT_NORMAL_H

#include "zwang/orbits.h"

/* orbits_normal.c: the criticality by a coefficient, if it is accurate enough */
zw_orbit_criticality zw_orbits_criticality(const zw_cycle_normal *f);

#endif
