/* SPDX-License-Identifier: MIT */
/* Drawings for a system without its own: its bodies, particles, springs, and the links that follow
 * from its kinematics. */
#ifndef ZW_SIM_SKETCH_H
#define ZW_SIM_SKETCH_H

#include "rows.h"

/* The drawings of the system, or a sketch of it if it draws nothing but traces: n of them, in the
 * context. up is the direction against gravity. *sketched: which of the two. */
zw_status zw_sketch_drawings(const zw_rows *rows, const double up[3], int *n,
                             const zw_drawing **out, bool *sketched, zw_error *err);

/* ---- shared by the files of the sketch ---- */

enum { ZW_SKETCH_SAMPLES = 9 };

/* A point of the model, where a link may end. */
typedef struct zw_sketch_node {
    zw_expr r[3];
    const char *name;
    bool heavy;   /* a particle or a body's centre */
    bool fixed;   /* does not move */
    bool dropped; /* coincides with another one, or is unknown */
} zw_sketch_node;

/* A solid in the axes of its frame, to decide whether a link would be visible. */
typedef struct zw_hull {
    int frame;
    double centre[3], radius;
} zw_hull;

typedef struct zw_sketch {
    const zw_rows *rows;
    const zw_system *s;
    zw_context *ctx;
    double up[3];
    int nsample;
    long sample[ZW_SKETCH_SAMPLES]; /* rows of the result */
    int nnode;
    zw_sketch_node *node;
    int nhull;
    zw_hull *hull;
    int width;   /* of a row of J: velocities, and 1 for the motion by time */
    double size; /* of the scene */
    double *r;   /* nsample x nnode x 3 */
    /* nsample x nnode x 3 x width: rates of the nodes for the velocities that the constraints
     * allow */
    double *J;
    double *axes;    /* nsample x nframe x 12: A, o */
    double *inertia; /* nbody x 7: mass, J */
    int n, most;
    zw_drawing *out;
} zw_sketch;

static inline const double *zw_sketch_r(const zw_sketch *k, int sample, int node) {
    return k->r + 3 * ((size_t)sample * (size_t)k->nnode + (size_t)node);
}
static inline const double *zw_sketch_J(const zw_sketch *k, int sample, int node) {
    return k->J + 3 * (size_t)k->width * ((size_t)sample * (size_t)k->nnode + (size_t)node);
}

/* Adds a copy of a drawing; adds a drawing with these numbers. */
zw_status zw_sketch_add(zw_sketch *k, const zw_drawing *d, zw_error *err);
zw_status zw_sketch_put(zw_sketch *k, zw_drawing d, int n, const double *numbers, zw_error *err);
/* sketch_motion.c: r, J, axes, inertia at the samples; which nodes are fixed or the same. */
zw_status zw_sketch_move(zw_sketch *k, zw_error *err);
/* sketch_link.c */
zw_status zw_sketch_links(zw_sketch *k, zw_error *err);
/* sketch_body.c: bodies of which only the inertia is known; planes on which something rolls */
zw_status zw_sketch_inertia(zw_sketch *k, int body, zw_error *err);
zw_status zw_sketch_support(zw_sketch *k, const zw_drawing *support, zw_error *err);

#endif
