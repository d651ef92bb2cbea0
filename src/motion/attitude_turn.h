/* SPDX-License-Identifier: MIT */
/* Attitudes that the equations do not depend on, and the rotation of each over a period. */
#ifndef ZW_MOTION_ATTITUDE_TURN_H
#define ZW_MOTION_ATTITUDE_TURN_H

#include "base/arena.h"
#include "motion/segments/periodic.h"
#include "zwang/system.h"

/* The free rotation of a frame: its first velocity, and whether its velocities are components in
 * space. */
typedef struct zw_attitude {
    const char *name;
    int velocity;
    bool in_space;
} zw_attitude;

/* The rotation of the frame whose quaternion begins at this coordinate. */
zw_attitude zw_attitude_of(const zw_system *s, int quaternion);
/* The rotation vector (angle times axis) of H over a period: A(P) = H A(0) if the velocities are
 * components in space, A(P) = A(0) H if they are components in the frame itself. The velocities
 * along the motion are x + nq + a->velocity. x: a state, overwritten. */
zw_status zw_attitude_turn(const zw_attitude *a, const zw_orbit *motion, int nq, double *x,
                           double turn[3], zw_error *err);
/* The same rotation from the quaternions at the beginning and at the end of the period. */
void zw_attitude_between(const zw_attitude *a, const double first[4], const double last[4],
                         double turn[3]);
/* The quaternion one period after e, if a period leads from `first` to `last`. */
void zw_attitude_later(const zw_attitude *a, const double first[4], const double last[4],
                       const double e[4], double later[4]);

#endif
