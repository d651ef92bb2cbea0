/* SPDX-License-Identifier: MIT */
/* Attitudes on which nothing depends, and by how much a period turns them. */
#ifndef ZW_MOTION_ATTITUDE_TURN_H
#define ZW_MOTION_ATTITUDE_TURN_H

#include "base/arena.h"
#include "base/text.h"
#include "motion/segments/periodic.h"
#include "zwang/system.h"

/* The free rotation of a frame: its first velocity, and whether its velocities are components in
 * space. */
typedef struct zw_attitude {
    const char *name;
    int velocity;
    bool in_space;
} zw_attitude;

/* That of the frame whose quaternion begins at this coordinate. */
zw_attitude zw_attitude_of(const zw_system *s, int quaternion);
/* The vector (angle times axis) of the rotation H of a period, A(P) = H A(0) with velocities in
 * space, A(P) = A(0) H with own ones, from the velocities v = x + nq along a motion. x: room for a
 * state. */
zw_status zw_attitude_turn(const zw_attitude *a, const zw_orbit *motion, int nq, double *x,
                           double turn[3], zw_error *err);
/* The same from quaternions at the beginning and the end; and the quaternion a period after another
 * one. */
void zw_attitude_between(const zw_attitude *a, const double first[4], const double last[4],
                         double turn[3]);
void zw_attitude_later(const zw_attitude *a, const double first[4], const double last[4],
                       const double e[4], double later[4]);
/* "    ball comes back turned by 1.5 rad about (0, 0, 1)"; "ball": [x, y, z] */
void zw_attitude_put(zw_text *out, const zw_attitude *a, const double turn[3]);
void zw_attitude_json(zw_text *out, const zw_attitude *a, const double turn[3]);

#endif
