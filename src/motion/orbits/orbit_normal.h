/* SPDX-License-Identifier: MIT */
/* What is said of the normal form of a mark, of smooth orbits and of those through events. */
#ifndef ZW_MOTION_ORBITS_ORBIT_NORMAL_H
#define ZW_MOTION_ORBITS_ORBIT_NORMAL_H

#include "base/text.h"
#include "zwang/orbits.h"

/* orbits_normal.c: what a coefficient says that is known well enough */
zw_orbit_criticality zw_orbits_criticality(const zw_cycle_normal *f);
/* "; supercritical (c = 0.2)", ..., or nothing; n may be NULL */
void zw_orbits_put_normal(zw_text *out, const zw_orbit_normal *n);
void zw_orbits_json_normal(zw_text *out, const zw_orbit_normal *n);

#endif
