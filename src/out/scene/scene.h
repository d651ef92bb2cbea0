/* SPDX-License-Identifier: MIT */
/* What the parts of a drawn scene share.
 *
 * The eye looks from E along -b, with r to the right and u upwards (r, u, b orthonormal). A point x has the
 * coordinates X = r.(x - E), Y = u.(x - E), Z = -b.(x - E) of the eye, Z > 0 in front of it, and its place on paper is
 *
 *     (cx + f X/Z, cy - f Y/Z),        f = (height/2)/tan(16 deg).
 *
 * Paper is in pixels, y downwards. Every drawing becomes primitives (shapes.c) that are convex and small, or balls, tubes,
 * lines; they are put in order from back to front (order.c) and painted one over the other (paint.c). */
#ifndef ZW_OUT_SCENE_H
#define ZW_OUT_SCENE_H

#include <cairo.h>
#include <stdbool.h>

#include "base/arena.h"
#include "zwang/view.h"

typedef struct zw_rgb {
    double r, g, b;
} zw_rgb;

/* An item at one time. */
typedef struct zw_placed {
    const zw_view_item *item;
    double at[3], turn[9], number[ZW_VIEW_NUMBERS]; /* turn: row-major, inertial = turn own */
    bool seen;                                      /* all of it is finite */
} zw_placed;

/* ---- stage.c ---- */
bool zw_scene_is_span(const char *shape);
bool zw_scene_is_hole(const char *shape);
bool zw_scene_is(const zw_view_item *item, const char *shape);
void zw_scene_place(const zw_view *view, int item, double t, zw_placed *out);
/* The middle of what moves at a time. */
void zw_scene_centre(const zw_view *view, const zw_view_stage *stage, double t, double centre[3]);
/* The rows at or before t and behind it, and the part of the way between them. */
void zw_scene_locate(const zw_view *view, double t, long *row, long *next, double *part);

/* ---- colour.c ---- */
zw_rgb zw_scene_colour(const char *name, bool dark);
typedef struct zw_scene_theme {
    zw_rgb paper, ink, muted, grid;
} zw_scene_theme;
zw_scene_theme zw_scene_theme_of(bool dark);

/* ---- camera.c ---- */
typedef struct zw_camera {
    double eye[3], target[3], r[3], u[3], b[3]; /* b: from the target to the eye */
    double f, cx, cy, near;
    double up[3], sun[3]; /* sun: unit vector to it */
} zw_camera;

void zw_camera_set(zw_camera *c, const zw_view *view, const zw_view_stage *stage,
                   const zw_view_options *o, double t);
void zw_camera_see(const zw_camera *c, const double x[3], double X[3]);
/* Paper coordinates of eye coordinates. */
void zw_camera_paper(const zw_camera *c, const double X[3], double *x, double *y);
/* The brightness of a surface with this normal (inertial, unit): about 1 in full light. */
double zw_camera_light(const zw_camera *c, const double normal[3]);

/* ---- primitives ---- */
typedef enum zw_prim_kind { ZW_PRIM_FACE, ZW_PRIM_BALL, ZW_PRIM_TUBE, ZW_PRIM_LINE } zw_prim_kind;

typedef struct zw_prim {
    zw_prim_kind kind;
    zw_rgb colour;
    double alpha;
    double depth; /* from the eye to its middle */
    int order;    /* of creation: equal depths stay in it */
    int n;
    double (*p)[3]; /* FACE: corners, inertial, outer contour; LINE: points; TUBE: two ends */
    int nhole;      /* FACE: further contours, one behind the other in p, hole[i] corners each */
    const int *hole;
    double middle[3];
    double normal[3]; /* FACE */
    double M[9];      /* BALL: unit sphere to inertial, about middle */
    bool octants;     /* BALL: two tones */
    double radius;    /* TUBE: m; LINE: m, or 0 and `width` */
    double width;     /* LINE: pixels */
    bool flat;        /* TUBE: it ends in discs, not in balls */
    bool large;       /* FACE: its plane parts what is before and behind it */
    bool film;        /* BALL: a clear shell */
    bool half;        /* BALL: only the half below z of M */
} zw_prim;

typedef struct zw_prims {
    zw_arena *arena;
    int n, capacity;
    zw_prim *item;
    bool failed; /* out of memory */
} zw_prims;

zw_prim *zw_prims_add(zw_prims *list, zw_prim_kind kind, zw_rgb colour, double alpha);
double (*zw_prims_points(zw_prims *list, int n))[3];

/* What is drawn with. */
typedef struct zw_scene_sheet {
    cairo_t *cr;
    const zw_view *view;
    const zw_view_stage *stage;
    const zw_view_options *o;
    zw_camera camera;
    zw_scene_theme theme;
    double t;
    double line; /* the width of a thin line, pixels */
    zw_arena *arena;
    int nplaced;
    zw_placed *placed; /* view->n */
} zw_scene_sheet;

/* shapes.c: the primitives of all drawings; false if out of memory */
bool zw_scene_shapes(const zw_scene_sheet *s, zw_prims *out);
/* solid.c: one solid of a place, with the holes that follow it */
void zw_scene_solid(const zw_scene_sheet *s, int item, zw_prims *out);
/* order.c: from back to front */
bool zw_scene_order(const zw_scene_sheet *s, zw_prims *list);
/* paint.c */
void zw_scene_paint(const zw_scene_sheet *s, const zw_prim *p);
/* The outline of a ball as it is seen from e (inertial), n points. */
void zw_scene_outline(const zw_prim *ball, const double eye[3], int n, double (*out)[3]);
/* ground.c: the grid, shadows; axes, clock and size of the squares */
void zw_scene_ground(const zw_scene_sheet *s);
void zw_scene_shadows(const zw_scene_sheet *s, const zw_prims *list);
void zw_scene_margin(const zw_scene_sheet *s);
/* hull.c: the convex hull of n points of the plane, in place, counterclockwise for y upwards; returns its number of
 * corners */
int zw_scene_hull(int n, double (*p)[2]);

/* still.c: everything at time t on a surface of this size; false if out of memory */
bool zw_scene_draw(cairo_t *cr, const zw_view *view, const zw_view_stage *stage,
                   const zw_view_options *o, double t);
zw_status zw_view_options_check(const zw_view_options *o, zw_error *err);

/* ---- vectors ---- */
static inline double zw_dot3(const double a[3], const double b[3]) {
    return a[0] * b[0] + a[1] * b[1] + a[2] * b[2];
}
static inline void zw_cross3(const double a[3], const double b[3], double out[3]) {
    for (int i = 0; i < 3; i++)
        out[i] = a[(i + 1) % 3] * b[(i + 2) % 3] - a[(i + 2) % 3] * b[(i + 1) % 3];
}
static inline void zw_apply3(const double A[9], const double x[3], double out[3]) {
    for (int i = 0; i < 3; i++)
        out[i] = A[3 * i] * x[0] + A[3 * i + 1] * x[1] + A[3 * i + 2] * x[2];
}
double zw_length3(const double a[3]);
/* a / |a|; false and unchanged if it has no direction */
bool zw_unit3(double a[3]);
/* two unit vectors across the unit vector n */
void zw_across3(const double n[3], double a[3], double b[3]);

#endif
