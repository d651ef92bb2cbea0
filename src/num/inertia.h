/* SPDX-License-Identifier: MIT */
/* How near a state is to a singularity of its coordinates; inertia.c says by which measure. */
#ifndef ZW_NUM_INERTIA_H
#define ZW_NUM_INERTIA_H

#include "zwang/flow.h"

#define ZW_NUM_INERTIA_TOUCHES 1e-4 /* a distance: the coordinates are singular */

/* The pivots d_i on the diagonal of A (nv x nv), from the matrices at a state. */
void zw_num_inertia_pivots(const zw_kernel *k, const zw_mats_parts *a, double *A);
/* The distance of a state with these pivots if the largest ones are `most` (n); *worst: its velocity. */
double zw_num_inertia_distance(int n, const double *A, const double *most, int *worst);

#endif
