/* SPDX-License-Identifier: MIT */
/* Supports on which bodies roll or which they touch, and discs on them: planes and spheres at rest,
 * or fixed in a frame. */
#ifndef ZW_LANG_GROUND_H
#define ZW_LANG_GROUND_H

#include "model.h"

typedef struct zw_ground {
    const zw_support *spec;
    int frame;                          /* number of its frame; 0: at rest */
    zw_expr own[3], n[3], o[3], height; /* plane: normal in the frame's axes and inertial, origin */
    zw_expr centre[3], radius;          /* sphere */
} zw_ground;

zw_status zw_ground_read(zw_model *m, const zw_support *spec, zw_ground *out);
/* Velocity of its material at x, and its angular velocity, inertial. */
void zw_ground_velocity(zw_model *m, const zw_ground *g, const zw_expr x[3], zw_expr out[3]);
void zw_ground_omega(zw_model *m, const zw_ground *g, zw_expr out[3]);
/* For a plane: the height of a point above it, and two directions in it (t1 x t2 = n). A plane that
 * rotates in itself has fixed directions, which are simpler than its own. */
zw_expr zw_ground_above(zw_model *m, const zw_ground *g, const zw_expr x[3]);
void zw_ground_directions(zw_model *m, const zw_ground *g, zw_expr t[2][3]);

/* A disc about the z axis a of a frame, over a plane: all points closer than `round` to a thin
 * disc, or only to its edge (a ring of round wire). It touches below the lowest point of that edge,
 * at C = c - r e - w n. */
typedef struct zw_disc {
    const char *word;              /* its name in messages */
    zw_expr radius, round;         /* r of the edge, w */
    zw_expr axis[3], sine, cosine; /* a; s = |n x a|, n . a */
    /* l = n x a/s, horizontal; e = a x l, from the lowest point of the rim */
    zw_expr along[3], up[3];
    zw_expr level[3]; /* n x a = s l */
    zw_expr lean;     /* positive unless it lies flat */
} zw_disc;

/* Reads the radius and the rounding; the radius of the edge is their difference. */
zw_status zw_disc_read(zw_model *m, const zw_syntax *node, const zw_rim *rim, zw_expr radius,
                       zw_disc *out);
/* Computes the rest. s is the statement, `body` the disc at `place` in it, for notes and faults. */
zw_status zw_disc_over(zw_model *m, const zw_ground *g, int frame, const char *body, zw_place place,
                       const zw_stmt *s, zw_disc *out);

/* The sketch of a statement: the support of `body`, and the body if only its inertia is known. */
zw_status zw_ground_sketch(zw_model *m, const zw_stmt *s, const zw_ground *g, const char *body);
zw_status zw_disc_sketch(zw_model *m, const zw_stmt *s, const char *body, zw_place place, int frame,
                         const zw_rim *rim, zw_expr radius, const zw_disc *d);
zw_status zw_sketch_unless_shaped(zw_model *m, const zw_stmt *s, const char *shape,
                                  const char *body, zw_place place, int frame, int n,
                                  const zw_expr *lengths);

#endif
