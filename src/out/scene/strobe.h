/* SPDX-License-Identifier: MIT */
/* What the parts of a picture of several instants share. Lengths on paper are points.
 *
 * All instants are seen by eyes that look the same way from the same distance; in one space it is
 * one eye, in panels it may go along with what moves. On paper at the distance 1 they fill a box,
 * and that is laid into the room that there is: the pictures have one scale, and nothing is cut
 * off. */
#ifndef ZW_OUT_STROBE_H
#define ZW_OUT_STROBE_H

#include "out/plots/canvas.h"
#include "scene.h"

typedef enum zw_strobe_part {
    ZW_STROBE_MOVING = 1,
    ZW_STROBE_FIXED = 2,
    ZW_STROBE_PATHS = 4
} zw_strobe_part;

typedef struct zw_strobe_rect {
    double x, y, width, height;
} zw_strobe_rect;

typedef struct zw_strobe_text {
    char text[64];
    zw_strobe_rect at; /* OVERLAY: what it covers */
} zw_strobe_text;

typedef struct zw_strobe {
    int n;
    const double *t;
    const zw_strobe_options *o;
    zw_view_options look;
    zw_view_stage stage;
    zw_scene_sheet sheet; /* camera: the one that is shifted */
    zw_arena arena;
    zw_out_canvas canvas;
    zw_strobe_layout layout; /* never AUTO once it is chosen */
    int columns, rows;
    double width, height;           /* of the page */
    double shift[ZW_STROBE_MAX][3]; /* of the eye at each instant: panels */
    double box[4];                  /* what is seen, on paper at the distance 1 */
    zw_strobe_rect room;            /* of the one space, or of the first panel */
    double next_x, next_y;          /* from a panel to the next */
    zw_prims all;                   /* OVERLAY: everything */
    zw_strobe_text label[ZW_STROBE_MAX];
    char caption[1024]; /* below, "" if the labels say it */
    double legend;      /* its letters, points */
    zw_strobe_report report;
} zw_strobe;

/* ---- strobe.c ---- */

/* Everything but the ink: layout, eyes, places of labels. To be ended whatever happens; o and t
 * must live until then. */
zw_status zw_strobe_begin(zw_strobe *w, const zw_view *view, int n, const double *t,
                          const zw_strobe_options *o, zw_error *err);
void zw_strobe_end(zw_strobe *w);
/* The height of the room for a title, and for the legend of forces. */
double zw_strobe_head(const zw_strobe *w);
double zw_strobe_foot(const zw_strobe *w);
/* The page, w->width x w->height points, once; false if out of memory. user is the zw_strobe. */
bool zw_strobe_draw(cairo_t *cr, void *user);

/* ---- strobe_instants.c ---- */

/* These drawings at a time, as pale as that, behind what is in the list; false if out of memory. */
bool zw_strobe_add(zw_scene_sheet *s, double t, unsigned parts, double pale, zw_prims *out);
/* The eye of one space, and of panels; their boxes. */
zw_status zw_strobe_aim_space(zw_strobe *w, zw_error *err);
zw_status zw_strobe_aim_panels(zw_strobe *w, zw_error *err);
/* The camera of instant k. */
zw_camera zw_strobe_camera(const zw_strobe *w, int k);
/* The box of what is seen goes into the middle of a room. */
void zw_strobe_fit(zw_camera *c, const double box[4], const zw_strobe_rect *room);

/* ---- strobe_raster.c ---- */

/* How much of what moves hides behind another instant in one space: 1 - (area of all)/(sum of
 * areas). */
zw_status zw_strobe_hidden(zw_strobe *w, double *out, zw_error *err);
/* Which cells of a raster of the page are how far away from what moves at which instant. */
typedef struct zw_strobe_map {
    int nx, ny;
    double cell;        /* points */
    unsigned char *ink; /* something that no letters may lie on */
    float *own;         /* n maps: the distance from instant k, points */
} zw_strobe_map;
zw_status zw_strobe_map_create(zw_strobe *w, zw_strobe_map *out, zw_error *err);

/* ---- strobe_label.c ---- */

/* The times as they are to be read: as many digits as tell them to half a percent of what is
 * between them. */
void zw_strobe_times(zw_strobe *w);
/* Places for them beside the instants of one space; or they become the caption. */
zw_status zw_strobe_place_labels(zw_strobe *w, zw_error *err);
void zw_strobe_put(zw_strobe *w, const char *text, double size, double x, double y, double room);

#endif
