/* SPDX-License-Identifier: MIT */
/* Shared by the parts of a drawn scene.
 *
 * The eye looks from E along -b, with r to the right and u upwards (r, u, b orthonormal). A point x
 * has the eye coordinates X = r.(x - E), Y = u.(x - E), Z = -b.(x - E), Z > 0 in front of it, and
 * its place on paper is
 *
 *     (cx + f X/Z, cy - f Y/Z),        f = (height/2)/tan(16 deg).
 *
 * Paper is in pixels, y downwards. Every drawing becomes primitives (shapes.c) that are convex and
 * small, or balls, tubes, lines; they are sorted from back to front (depth_order.c) and painted
 * over each other (paint.c). */
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
    bool elsewhere;                                 /* present, but in another list of primitives */
} zw_placed;

/* ---- stage.c ---- */
bool zw_scene_is_span(const char *shape);
bool zw_scene_is_hole(const char *shape);
bool zw_scene_is(const zw_view_item *item, const char *shape);
void zw_scene_place(const zw_view *view, int item, double t, zw_placed *out);
/* True if one of its values changes. A trace represents a path, which does not change. */
bool zw_scene_moves(const zw_view_item *item);
/* A box around the moving parts at a time, or around everything; false if it is empty. */
bool zw_scene_box(const zw_view *view, double t, bool everything, double low[3], double high[3]);
/* The centre of the moving parts at a time. */
void zw_scene_centre(const zw_view *view, const zw_view_stage *stage, double t, double centre[3]);
/* The rows at or before t and after it, and the fraction of the interval between them. */
void zw_scene_locate(const zw_view *view, double t, long *row, long *next, double *part);

/* ---- contact.c ---- */
/* A contact at one time. */
typedef struct zw_touched {
    double at[3], force[3], gap;
    zw_view_touch touch;
    bool seen; /* all of it is finite */
} zw_touched;
/* Means are those of a frame that ends at t and lasts `frame` seconds; 0: since the row before. */
void zw_scene_touched(const zw_view *view, int contact, double frame, double t, zw_touched *out);
/* The scale of arrows, and which states occur; uses stage->scale. */
void zw_scene_scale_forces(const zw_view *view, zw_view_stage *stage);
/* The end of an arrow; false if it is too short to be drawn. *cut: the force is larger than
 * shown. */
bool zw_scene_arrow(const zw_view_stage *stage, const zw_touched *c, double end[3], bool *cut);
/* Includes the tips of arrows in the box of the stage. */
void zw_scene_include_arrows(const zw_view *view, zw_view_stage *stage);
const char *zw_scene_touch_colour(zw_view_touch touch);

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
/* The eye at this distance from a target, with paper at the distance 1: f = 1, cx = cy = 0. */
void zw_camera_aim(zw_camera *c, const zw_view *view, const zw_view_stage *stage,
                   const zw_view_options *o, const double target[3], double distance);
void zw_camera_see(const zw_camera *c, const double x[3], double X[3]);
/* Paper coordinates from eye coordinates. */
void zw_camera_paper(const zw_camera *c, const double X[3], double *x, double *y);
/* The brightness of a surface with this normal (inertial, unit): about 1 in full light. */
double zw_camera_light(const zw_camera *c, const double normal[3]);

/* ---- primitives ---- */
typedef enum zw_prim_kind {
    ZW_PRIM_FACE,
    ZW_PRIM_BALL,
    ZW_PRIM_TUBE,
    ZW_PRIM_LINE,
    ZW_PRIM_FORCE, /* FORCE and MARK are flat, and in front of all others */
    ZW_PRIM_MARK
} zw_prim_kind;

static inline bool zw_prim_is_sign(zw_prim_kind kind) {
    return kind == ZW_PRIM_FORCE || kind == ZW_PRIM_MARK;
}

typedef struct zw_prim {
    zw_prim_kind kind;
    zw_rgb colour;
    double alpha;
    double pale;  /* 0: its colour, 1: that of the paper */
    double depth; /* of its middle from the eye */
    int order;    /* of creation: equal depths keep it */
    int n;
    /* FACE: corners, inertial, outer contour; LINE: points; TUBE, FORCE: two ends; MARK: one */
    double (*p)[3];
    int nhole; /* FACE: number of further contours, consecutive in p, hole[i] corners each */
    const int *hole;
    double middle[3];
    double normal[3]; /* FACE */
    double M[9];      /* BALL: unit sphere to inertial, about middle */
    bool octants;     /* BALL: two tones */
    double radius;    /* TUBE, FORCE, MARK: m; LINE: m, or 0 and `width` */
    double width;     /* LINE: pixels */
    bool flat;        /* TUBE: ends in discs, not in balls */
    bool large;       /* FACE: its plane separates what is in front of it from what is behind */
    /* FACE: faces away from the eye, and only casts a shadow; LINE: inside a ball */
    bool unseen;
    bool thin; /* FACE: not of a solid, visible from both sides */
    bool film; /* BALL: a clear shell */
    bool half; /* BALL: only the half below z of M */
    bool ring; /* MARK: hollow */
    bool cut;  /* FORCE: with two heads */
} zw_prim;

typedef struct zw_prims {
    zw_arena *arena;
    int n, capacity;
    zw_prim *item;
    bool failed; /* out of memory */
} zw_prims;

zw_prim *zw_prims_add(zw_prims *list, zw_prim_kind kind, zw_rgb colour, double alpha);
double (*zw_prims_points(zw_prims *list, int n))[3];

/* The target of drawing. */
typedef struct zw_scene_sheet {
    cairo_t *cr;
    const zw_view *view;
    const zw_view_stage *stage;
    const zw_view_options *o;
    zw_camera camera;
    zw_scene_theme theme;
    double t;
    double frame;  /* [s]; forces of contacts are means over it; 0: since the row before */
    double line;   /* the width of a thin line, pixels */
    double pixel;  /* the size of one, for the seams between faces */
    double coarse; /* size of the squares of the ground relative to the default; 0: 1 */
    double reach;  /* of the ground around the target; 0: default */
    bool passed;   /* of paths only the part before t */
    zw_arena *arena;
    int nplaced;
    zw_placed *placed; /* view->n */
} zw_scene_sheet;

/* shapes.c: appends the primitives of all drawings that are placed and not elsewhere; false if out
 * of memory */
bool zw_scene_shapes(const zw_scene_sheet *s, zw_prims *out);
/* Hides pieces of paths inside opaque balls. */
void zw_scene_hide(zw_prims *list);
/* contact.c: appends markers and arrows of the contacts at the time of the sheet */
void zw_scene_contacts(const zw_scene_sheet *s, zw_prims *out);
/* sign.c: draws one of them */
void zw_scene_sign(const zw_scene_sheet *s, const zw_prim *p);
/* The meaning of colours and arrows, in a line that begins at (x, y) with letters of this size;
 * returns its length. */
typedef struct zw_scene_pen {
    double size;
    bool draw; /* else it is only measured */
    double (*put)(void *user, const char *text, double x, double y, bool draw); /* its width */
    void *user;
} zw_scene_pen;
double zw_scene_legend(const zw_scene_sheet *s, const zw_scene_pen *pen, double x, double y);
/* solid.c: one solid of an item, with the holes that follow it */
void zw_scene_solid(const zw_scene_sheet *s, int item, zw_prims *out);
/* depth_order.c: sorts from back to front and removes invisible primitives */
bool zw_scene_order(const zw_scene_sheet *s, zw_prims *list);
/* paint.c: paints them in their order */
void zw_scene_paint(const zw_scene_sheet *s, const zw_prims *list);
/* shapes.c: left, top, right and bottom on paper, extended to include everything visible and,
 * unless the view is bare, shadows */
void zw_scene_bounds(const zw_scene_sheet *s, const zw_prims *list, double box[4]);
/* The outline of a ball seen from e (inertial), n points. */
void zw_scene_outline(const zw_prim *ball, const double eye[3], int n, double (*out)[3]);
/* ground.c: the grid; shadows; axes, clock and size of the squares */
void zw_scene_ground(const zw_scene_sheet *s);
void zw_scene_shadows(const zw_scene_sheet *s, const zw_prims *list);
void zw_scene_margin(const zw_scene_sheet *s);
/* hull.c: the convex hull of n points of the plane, in place, counterclockwise for y upwards;
 * returns its number of corners */
int zw_scene_hull(int n, double (*p)[2]);

/* still.c: everything at time t on a surface of this size; false if out of memory */
bool zw_scene_draw(cairo_t *cr, const zw_view *view, const zw_view_stage *stage,
                   const zw_view_options *o, double t);
/* The view with its contacts, or without. */
zw_view zw_scene_seen(const zw_view *view, bool forces);
/* The same as a frame that lasts `frame` seconds. */
bool zw_scene_draw_frame(cairo_t *cr, const zw_view *view, const zw_view_stage *stage,
                         const zw_view_options *o, double frame, double t);
zw_status zw_view_options_check(const zw_view_options *o, zw_error *err);
/* About one tenth of a length, as 1, 2 or 5 times a power of ten. */
double zw_scene_grid_step(double length);
/* A length as text: "5 cm" */
void zw_scene_length(const zw_view *view, double length, char *out, size_t size);
/* The size of the squares of the ground: "5 cm" */
void zw_scene_square(const zw_scene_sheet *s, char *out, size_t size);

/* ---- file.c ---- */
typedef enum zw_scene_kind { ZW_SCENE_SVG, ZW_SCENE_PDF, ZW_SCENE_PNG } zw_scene_kind;
zw_status zw_scene_kind_of(const char *ending, const char *name, zw_scene_kind *out, zw_error *err);
zw_status zw_scene_kind_of_path(const char *path, zw_scene_kind *out, zw_error *err);

/* The contents of a file. */
typedef struct zw_scene_page {
    double width, height;                  /* in its own units */
    double points;                         /* points per unit, in print */
    double dots;                           /* pixels per unit */
    bool (*draw)(cairo_t *cr, void *user); /* false if out of memory */
    void *user;
} zw_scene_page;
/* Writes to the file, or to bytes if that is not NULL. Complete, or the old file remains. */
zw_status zw_scene_write(const zw_scene_page *page, zw_scene_kind kind, const char *path,
                         zw_bytes *bytes, zw_error *err);

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
/* a / |a|; false and unchanged if its length is 0 */
bool zw_unit3(double a[3]);
/* two unit vectors across the unit vector n */
void zw_across3(const double n[3], double a[3], double b[3]);

#endif
