/* SPDX-License-Identifier: MIT */
/* Branch points, where two curves of motions intersect. The matrix of a curve, with its tangent T
 * as the last row, is singular there; its null vector phi, found by inverse iteration, is the
 * direction of the other curve. That curve is sought on the plane orthogonal to phi at a small
 * distance, which the first curve does not intersect there. The same holds at a period doubling for
 * the equations of motions of twice the period, which the original motions also solve. */
#ifndef ZW_MOTION_BRANCH_POINTS_H
#define ZW_MOTION_BRANCH_POINTS_H

#include "zwang/continuation.h"
#include "zwang/forced.h"

/* Distances in arclength at which the other curve is tried, in this order. */
enum { ZW_BRANCH_POINTS_DISTANCES = 4 };
extern const double zw_branch_points_distance[ZW_BRANCH_POINTS_DISTANCES];

/* The inner product of the arclength; and scales a vector (n + 1) to length 1 in it, false if it
 * has no length. */
double zw_branch_points_inner(const zw_cont_problem *p, const double *u, const double *v);
bool zw_branch_points_normalise(const zw_cont_problem *p, double *u);
/* phi (n + 1) of the curve with the tangent T (n + 1, of length 1) at x and a; work: 2 (n + 1).
 * ZW_RETRY: there is none. */
zw_status zw_branch_points_null(const zw_cont_problem *p, const double *x, double a,
                                const double *T, double *phi, double *work, zw_error *err);

/* A motion, described by the measures of its coordinates. */
typedef struct zw_branch_points_place {
    double value;
    const zw_motion_measure *measure;
} zw_branch_points_place;
/* Over a range of values and for coordinates of these widths (nq): are two motions the same? Is one
 * the mirror image of the other, or the other half a period later? */
bool zw_branch_points_is_same(int nq, const double *width, double range, zw_branch_points_place a,
                              zw_branch_points_place b);
bool zw_branch_points_is_mirrored(int nq, const double *width, double range,
                                  zw_branch_points_place a, zw_branch_points_place b);

#endif
