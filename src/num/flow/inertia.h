/* SPDX-License-Identifier: MIT */
/* The distance of a state from a singularity of its coordinates, as defined in inertia.c. */
#ifndef ZW_NUM_FLOW_INERTIA_H
#define ZW_NUM_FLOW_INERTIA_H

#include "zwang/flow.h"

/* Distance at which the coordinates count as singular: accelerations lose its square, eight
 * digits. */
#define ZW_NUM_INERTIA_TOUCHES 1e-4

/* The pivots d_i on the diagonal of A (nv x nv), from the matrices at a state. */
void zw_num_inertia_pivots(const zw_kernel *k, const zw_mats_parts *a, double *A);
/* The distance of a state with these pivots if the largest ones are `most` (n); *worst: its
 * velocity. */
double zw_num_inertia_distance(int n, const double *A, const double *most, int *worst);

/* The state of the check along a motion. */
typedef struct zw_num_inertia {
    bool watched, varies, calm; /* the mass matrix has changed; it changes slowly */
    int looks;                  /* number of checks */
    double last;                /* distance at the end of the last step */
    double *most;               /* nv: largest pivots so far */
} zw_num_inertia;

typedef struct zw_num_inertia_touch { /* where the coordinates are singular */
    double t, distance;
    int velocity;
} zw_num_inertia_touch;

/* Can motions of a kernel be watched? */
bool zw_num_inertia_can(const zw_kernel *k);
void zw_num_inertia_begin(zw_num_inertia *w, int n, bool watched);
/* The distance of a state of the motion, and its velocity; NaN if there are no pivots. */
double zw_num_inertia_take(zw_num_inertia *w, int n, const double *A, int *worst);
/* A step from t0 to t1, with the distance of its end in *touch; at: zw_num_inertia_take of a state
 * within it, or NaN. True: it has reached a singularity, *touch. */
typedef double (*zw_num_inertia_at)(void *user, double t, int *worst);
bool zw_num_inertia_step(zw_num_inertia *w, double t0, double t1, zw_num_inertia_at at, void *user,
                         zw_num_inertia_touch *touch);

#endif
