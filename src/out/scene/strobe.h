/* SPDX-License-Identifier: MIT */
/* Shared by the parts of a picture of several instants. Lengths on paper are points.
 *
 * All instants are seen in the same direction from the same distance; in one space by one eye, in
 * panels the eye may follow the moving parts. On paper at the distance 1 they fill a box, which is
 * fitted into the space available: the pictures have one scale, and nothing is cut off. */
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
    zw_strobe_rect at; /* OVERLAY: the area it covers */
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
    double box[4];                  /* bounds of everything visible, on paper at the distance 1 */
    zw_strobe_rect room;            /* of the one space, or of the first panel */
    double next_x, next_y;          /* from a panel to the next */
    zw_prims all;                   /* OVERLAY: everything */
    zw_strobe_text label[ZW_STROBE_MAX];
    char caption[1024]; /* below, "" if the labels are enough */
    double legend;      /* size of its letters, points */
    zw_strobe_report report;
} zw_strobe;

/* ---- strobe.c ---- */

/* Everything except drawing: layout, eyes, places of labels. zw_strobe_end must be called in any
 * case; o and t must live until then. */
zw_status zw_strobe_begin(zw_strobe *w, const zw_view *view, int n, const double *t,
                          const zw_strobe_options *o, zw_error *err);
void zw_strobe_end(zw_strobe *w);
/* The height of the space for a title, and for the legend of forces. */
double zw_strobe_head(const zw_strobe *w);
double zw_strobe_foot(const zw_strobe *w);
/* Draws the page, w->width x w->height points, once; false if out of memory. user is the
 * zw_strobe. */
bool zw_strobe_draw(cairo_t *cr, void *user);

/* ---- strobe_instants.c ---- */

/* Appends these drawings at a time, with this paleness; false if out of memory. */
bool zw_strobe_add(zw_scene_sheet *s, double t, unsigned parts, double pale, zw_prims *out);
/* The eye of one space, and of panels; their boxes. */
zw_status zw_strobe_aim_space(zw_strobe *w, zw_error *err);
zw_status zw_strobe_aim_panels(zw_strobe *w, zw_error *err);
/* The camera of instant k. */
zw_camera zw_strobe_camera(const zw_strobe *w, int k);
/* Fits the visible box into the middle of a rectangle. */
void zw_strobe_fit(zw_camera *c, const double box[4], const zw_strobe_rect *room);

/* ---- strobe_raster.c ---- */

/* The fraction of the moving parts that is hidden by other instants in one space: 1 - (area of
 * all)/(sum of areas). */
zw_status zw_strobe_hidden(zw_strobe *w, double *out, zw_error *err);
/* Distances of the cells of a raster of the page from the moving parts at each instant. */
typedef struct zw_strobe_map {
    int nx, ny;
    double cell;        /* points */
    unsigned char *ink; /* cells on which no letters may be placed */
    float *own;         /* n maps: distance from instant k, points */
} zw_strobe_map;
zw_status zw_strobe_map_create(zw_strobe *w, zw_strobe_map *out, zw_error *err);

/* ---- strobe_label.c ---- */

/* The times as text, with enough digits for a half percent of the time between them. */
void zw_strobe_times(zw_strobe *w);
/* Finds places for them next to the instants of one space; otherwise they become the caption. */
zw_status zw_strobe_place_labels(zw_strobe *w, zw_error *err);
void zw_strobe_put(zw_strobe *w, const char *text, double size, double x, double y, double room);

#endif
