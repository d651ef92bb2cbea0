/* SPDX-License-Identifier: MIT */
/* Texts on the normal forms of special points, of smooth orbits and of those through events. */
#ifndef ZW_MOTION_ORBITS_ORBIT_NORMAL_H
#define ZW_MOTION_ORBITS_ORBIT_NORMAL_H

#include "base/text.h"
#include "zwang/orbits.h"

/* orbits_normal.c: the criticality by a coefficient, if it is accurate enough */
zw_orbit_criticality zw_orbits_criticality(const zw_cycle_normal *f);
/* "; supercritical (c = 0.2)", ..., or nothing; n may be NULL */
void zw_orbits_put_normal(zw_text *out, const zw_orbit_normal *n);
void zw_orbits_json_normal(zw_text *out, const zw_orbit_normal *n);

#endif
