/* SPDX-License-Identifier: MIT */
/* Where two curves of motions meet. The matrix of a curve, with its tangent T as the last row, is
 * singular there: its null vector phi, by inverse iteration, is where the other curve goes. That
 * one is looked for on the plane across phi at a small distance, which the first curve does not
 * meet there. Where a period doubles the same holds of the equations of motions of twice the
 * period, which have the first ones among their solutions. */
#ifndef ZW_MOTION_BRANCH_POINTS_H
#define ZW_MOTION_BRANCH_POINTS_H

#include "branch/curve.h"
#include "zwang/forced.h"

/* Distances at which the other curve is tried, one after the other, in the arclength. */
enum { ZW_BRANCH_POINTS_DISTANCES = 4 };
extern const double zw_branch_points_distance[ZW_BRANCH_POINTS_DISTANCES];

/* The product of the arclength, and a vector (n + 1) of length 1 by it; false: it is none. */
double zw_branch_points_inner(const zw_cont_problem *p, const double *u, const double *v);
bool zw_branch_points_normalise(const zw_cont_problem *p, double *u);
/* phi (n + 1) of the curve with the tangent T (n + 1, of length 1) at x and a; room: 2 (n + 1).
 * ZW_RETRY: there is none. */
zw_status zw_branch_points_null(const zw_cont_problem *p, const double *x, double a,
                                const double *T, double *phi, double *room, zw_error *err);

/* A motion by what its coordinates do. */
typedef struct zw_branch_points_place {
    double value;
    const zw_motion_measure *measure;
} zw_branch_points_place;
/* Over a range of values and coordinates of these widths (nq): are two of them the same? Is one the
 * other seen in a mirror, or half a period later? */
bool zw_branch_points_is_same(int nq, const double *width, double range, zw_branch_points_place a,
                              zw_branch_points_place b);
bool zw_branch_points_is_mirrored(int nq, const double *width, double range,
                                  zw_branch_points_place a, zw_branch_points_place b);

#endif
