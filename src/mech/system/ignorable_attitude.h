/* SPDX-License-Identifier: MIT */
/* A system without the attitudes that its motion does not depend on. */
#ifndef ZW_MECH_SYSTEM_IGNORABLE_ATTITUDE_H
#define ZW_MECH_SYSTEM_IGNORABLE_ATTITUDE_H

#include "zwang/system.h"

/* A copy of a finished system without the unit quaternions on which no force, energy, constraint,
 * start or event depends, such as that of a homogeneous ball: their angular velocities stay,
 * without coordinates. Observables that depend on them are left out, and all drawings. of (nq of
 * s): index in the copy of every coordinate of s, -1: left out. *left: number of rotations left
 * out; if 0, out is s. The arrays live in the context. */
zw_status zw_system_without_attitudes(zw_system *out, const zw_system *s, int *of, int *left,
                                      zw_error *err);

#endif
