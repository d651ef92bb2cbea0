/* SPDX-License-Identifier: MIT */
/* Shared by the parts of a picture. Lengths are in points (1/72 inch), y downwards.
 *
 * A point (v_0, v_1, v_2) of a curve becomes a fraction u_i of each axis and then a place on paper,
 *
 *     u_i = (s(v_i) - s(low_i)) / (s(high_i) - s(low_i)),   s = identity or log10
 *     place = origin + sum_i u_i edge_i
 *
 * which serves a plane (two edges at a right angle) as well as an axonometric view (three). */
#ifndef ZW_OUT_PLOT_H
#define ZW_OUT_PLOT_H

#include <stdbool.h>

#include "canvas.h"
#include "colours.h"
#include "grid.h"
#include "ticks.h"
#include "trace.h"
#include "zwang/plot.h"

#define ZW_OUT_TICK_FONT 7.5
#define ZW_OUT_LABEL_FONT 9.0
#define ZW_OUT_TITLE_FONT 9.5
#define ZW_OUT_THIN 0.5   /* frames and ticks */
#define ZW_OUT_CURVE 1.1  /* curves */
#define ZW_OUT_FINE 0.6   /* contour lines on colours */
#define ZW_OUT_TICK 3.0   /* length of a tick */
#define ZW_OUT_MARGIN 5.0 /* around everything */
#define ZW_OUT_GAP 3.5    /* between numbers, labels and frame */
#define ZW_OUT_DPI 300.0  /* pixels for an inch */

enum { ZW_OUT_LABEL_MAX = 1024, ZW_OUT_PANELS = 36, ZW_OUT_INSETS = 4 };

typedef struct zw_out_box {
    double left, right, top, bottom;
} zw_out_box;

typedef struct zw_out_axis {
    bool log, degrees;
    zw_span data;       /* range that must be visible */
    zw_span seen;       /* range of the frame */
    double from, scale; /* u = (s(v) - from) scale */
    zw_out_marks marks;
    char label[ZW_OUT_LABEL_MAX]; /* in the markup of label.h */
} zw_out_axis;

typedef struct zw_out_legend {
    int n;        /* entries, 0: no legend */
    double above; /* height of a legend above the frame, 0: inside */
    double x, y;  /* inside: its upper left corner */
} zw_out_legend;

typedef struct zw_out_inset zw_out_inset;
typedef enum zw_out_bar { ZW_OUT_NO_BAR, ZW_OUT_TINTS, ZW_OUT_COLOURS, ZW_OUT_SHADES } zw_out_bar;

/* A panel while it is drawn. */
typedef struct zw_out_pane {
    const zw_panel *panel;
    zw_out_axis axis[3]; /* x, y and z or, in a plane, the right-hand y */
    bool has_right;
    bool rightwards;    /* the x of all curves only increase */
    bool hides_x;       /* numbers and label of x are at the panel below */
    zw_out_box cell;    /* all of its space */
    zw_out_box frame;   /* where curves are drawn */
    zw_out_spot origin; /* of the view */
    zw_out_spot edge[3];
    zw_out_legend legend;
    zw_out_bar bar_of;   /* the meaning of the strip next to the frame */
    zw_out_axis bar;     /* of the strip */
    zw_out_grid grid;    /* of a map */
    zw_out_rgb *scale;   /* ZW_OUT_SCALE: its colours */
    zw_out_inset *inset; /* panel->ninset */
    int placed;          /* number of insets that have their box */
} zw_out_pane;

struct zw_out_inset {
    zw_panel panel; /* the curves of the panel over other ranges */
    zw_out_pane pane;
    zw_inset_place place;
    zw_out_box window, box; /* the magnified window; the inset with its numbers */
};

typedef struct zw_out_sheet {
    zw_out_canvas *canvas;
    cairo_t *cr; /* of the canvas */
    bool pixels; /* the file consists of pixels, ZW_OUT_DPI */
    double zoom; /* of all lengths, to the paper */
    double width, height;
    const zw_picture *picture;
    int columns, rows;
    zw_out_pane *pane; /* picture->n, at most ZW_OUT_PANELS */
} zw_out_sheet;

/* ---- plot.c, plot_file.c: draws everything on its canvas; writes the canvas to a file, or to
 * bytes if path is NULL ---- */
zw_status zw_out_draw_sheet(zw_out_sheet *s, zw_error *err);
zw_status zw_out_write_sheet(zw_out_sheet *s, zw_plot_kind kind, const char *path, zw_bytes *bytes,
                             zw_plot_report *report, zw_error *err);
/* One panel with its contents. */
zw_status zw_out_draw_pane(const zw_out_sheet *s, const zw_out_pane *p, zw_error *err);
/* Sets default sizes; then, for a valid picture, prepares its panels: grids of maps, ranges of
 * axes, labels and meanings of strips. *out lives in the arena and points into *p. */
zw_status zw_out_prepare(zw_out_pane **out, zw_picture *p, zw_arena *arena, zw_plot_report *report,
                         zw_error *err);
/* The number of curves of all panels, which share a budget; at least 1. */
int zw_out_curves(const zw_out_sheet *s);

/* ---- plot_axis.c: ranges, scales, labels ---- */
int zw_out_column_of(const zw_curve *c, int coordinate);
/* The axis of a coordinate of the curve (x, y, z): its own, except for y on the right-hand side of
 * a plane. */
int zw_out_axis_of(const zw_panel *p, const zw_curve *c, int coordinate);
/* The ranges of all axes from the data and the options; counts points that cannot be shown. */
zw_status zw_out_find_ranges(zw_out_pane *p, zw_plot_report *report, zw_error *err);
void zw_out_label_axes(zw_out_pane *p);
/* Sets this range; chooses marks for the given length, each with at least `room`. */
void zw_out_axis_show(zw_out_axis *a, zw_span seen);
void zw_out_axis_mark(zw_out_axis *a, double length, double room);
double zw_out_fraction(const zw_out_axis *a, double v);
/* The value at a fraction of the axis. */
double zw_out_value(const zw_out_axis *a, double fraction);
/* The place of a row of the curve on paper; false if it cannot be shown. The same for a marker. */
bool zw_out_place(const zw_out_pane *p, const zw_curve *c, long row, zw_out_spot *at);
bool zw_out_place_mark(const zw_out_pane *p, const zw_mark *m, zw_out_spot *at);
bool zw_out_runs_rightwards(const zw_out_pane *p, const zw_curve *c);

/* ---- plot_layout.c: space for everything ---- */
double zw_out_number_width(zw_out_canvas *c, const zw_out_axis *a, int mark);
double zw_out_widest_number(zw_out_canvas *c, const zw_out_axis *a);
/* True if there is text above the frame, a title or the common factor of the numbers of a y. */
bool zw_out_has_corner(const zw_out_pane *p);
zw_status zw_out_lay_out(zw_out_sheet *s, zw_error *err);
/* Fits the frame of a plane with its numbers into this box. */
void zw_out_fit_in(const zw_out_sheet *s, zw_out_pane *p, zw_out_box box);

/* ---- plot_frame.c: grid, frame, numbers and labels of a plane ---- */
void zw_out_draw_grid(const zw_out_sheet *s, const zw_out_pane *p);
void zw_out_draw_frame(const zw_out_sheet *s, const zw_out_pane *p);
/* The title of a panel, and of the picture. */
void zw_out_draw_panel_title(const zw_out_sheet *s, const zw_out_pane *p);
void zw_out_draw_title(const zw_out_sheet *s);

/* ---- plot_space.c: the axonometric box ---- */
void zw_out_space_lay_out(const zw_out_sheet *s, zw_out_pane *p);
void zw_out_space_draw_walls(const zw_out_sheet *s, const zw_out_pane *p);
void zw_out_space_draw_axes(const zw_out_sheet *s, const zw_out_pane *p);
/* The parts that a legend must not hide: edges and texts. */
void zw_out_space_mark(const zw_out_sheet *s, const zw_out_pane *p, zw_out_cover *cover);

/* ---- plot_curve.c: lines; plot_points.c: dots ---- */
/* The style of a curve of the panel: that of the curve it belongs to, or the next one. */
int zw_out_style(const zw_panel *p, int curve);
/* True if dashes distinguish parts of its curves, not the curves. */
bool zw_out_has_parts(const zw_panel *p);
zw_out_rgb zw_out_style_colour(int style);
void zw_out_use_colour(cairo_t *cr, int style);
/* A piece of line, or a dot, for the legend; style -1 and -2: a dashed and a dotted part of any
 * curve. */
void zw_out_draw_sample(zw_out_canvas *c, const zw_panel *p, int style, double x, double y,
                        double length);
typedef enum zw_out_part { ZW_OUT_WHOLE, ZW_OUT_SOLID, ZW_OUT_DASHED, ZW_OUT_DOTTED } zw_out_part;
/* The dashes of a curve of that style, in points; returns their number. */
int zw_out_dashes(const zw_panel *p, int style, zw_out_part part, const double **dash);
/* Every part of a curve inside the frame, as lines on paper; calls `lift` at gaps. */
typedef struct zw_out_walker {
    void *to;
    void (*add)(void *to, double x, double y);
    void (*lift)(void *to);
    zw_out_part part;
} zw_out_walker;
void zw_out_walk(const zw_out_pane *p, const zw_curve *c, const zw_out_walker *w);
/* Draws the rows of curve k in a panel of lines as small circles. */
void zw_out_draw_circles(const zw_out_sheet *s, const zw_out_pane *p, int k);
zw_status zw_out_draw_lines(const zw_out_sheet *s, const zw_out_pane *p, zw_error *err);
void zw_out_draw_hollow(zw_out_canvas *c, zw_out_spot at, double diameter);
/* Draws the points of curve k as tiny dots. */
zw_status zw_out_draw_dots(const zw_out_sheet *s, const zw_out_pane *p, int k, zw_error *err);
zw_status zw_out_draw_points(const zw_out_sheet *s, const zw_out_pane *p, zw_error *err);

bool zw_out_is_in(const zw_out_box *b, zw_out_spot at);
/* True if curve k is a line. */
bool zw_out_is_line(const zw_panel *p, int k);

/* ---- plot_mark.c: markers and lines through zero ---- */
#define ZW_OUT_MARK 2.2 /* half the width of a marker */
void zw_out_draw_zero(const zw_out_sheet *s, const zw_out_pane *p);
void zw_out_draw_mark(zw_out_canvas *c, const zw_mark *m, zw_out_spot at);
/* A small sign in the colour of the pen. */
void zw_out_draw_sign(zw_out_canvas *c, zw_mark_shape shape, zw_out_spot at, double half);
zw_status zw_out_draw_marks(const zw_out_sheet *s, const zw_out_pane *p, zw_error *err);
/* True if it is inside the frame; its place. */
bool zw_out_mark_is_visible(const zw_out_pane *p, const zw_mark *m, zw_out_spot *at);

/* ---- plot_inset.c: magnified windows ---- */
zw_status zw_out_prepare_insets(zw_out_pane *p, zw_error *err);
zw_status zw_out_place_insets(const zw_out_sheet *s, zw_out_pane *p, zw_error *err);
zw_status zw_out_draw_insets(const zw_out_sheet *s, const zw_out_pane *p, zw_error *err);
void zw_out_cover_box(zw_out_cover *cover, const zw_out_box *b);

/* ---- plot_map.c: colours in a plane ---- */
/* The grid of a map, before its ranges are found; counts cells without a value. */
zw_status zw_out_prepare_map(zw_out_pane *p, zw_arena *arena, zw_plot_report *report,
                             zw_error *err);
/* The range that its cells cover; false if it is not a map of cells. */
bool zw_out_map_span(const zw_out_pane *p, int axis, zw_span *out);
zw_status zw_out_draw_map(const zw_out_sheet *s, const zw_out_pane *p, zw_error *err);
/* The colour of a class, and of a row. */
zw_out_rgb zw_out_class_colour(const zw_map *map, int k);
zw_out_rgb zw_out_map_colour(const zw_out_pane *p, long row);
/* The colour at a fraction of the strip, from 0 to 1. */
zw_out_rgb zw_out_scale_colour(const zw_out_pane *p, double u);
/* A sample of a class, or of missing values (NULL), for the legend. */
void zw_out_draw_class(zw_out_canvas *c, const zw_map *map, const zw_map_class *of, double x,
                       double y);

/* ---- plot_mesh.c: surfaces in space ---- */
void zw_out_draw_meshes(const zw_out_sheet *s, const zw_out_pane *p);

/* ---- plot_band.c: the area between two columns ---- */
void zw_out_draw_band(const zw_out_sheet *s, const zw_out_pane *p, int k);
void zw_out_draw_band_sample(zw_out_canvas *c, int style, double x, double y, double length);

/* ---- plot_bar.c: the strip of tints, or of the colours of a map ---- */
void zw_out_prepare_bar(zw_out_pane *p);
/* The colour at a fraction of it, from 0 to 1. */
zw_out_rgb zw_out_strip_colour(const zw_out_pane *p, double u);
/* The space it needs on the right-hand side of the frame; 0 if there is none. */
double zw_out_bar_room(const zw_out_sheet *s, zw_out_pane *p);
void zw_out_draw_bar(const zw_out_sheet *s, const zw_out_pane *p);

/* ---- plot_legend.c ---- */
/* Everything with ink in the frame: curves and markers. */
void zw_out_cover_ink(const zw_out_pane *p, zw_out_cover *cover);
/* The same without the map of a panel, on which words may be placed. */
void zw_out_cover_lines(const zw_out_pane *p, zw_out_cover *cover);
/* The box of the legend inside the frame; false if there is none. */
bool zw_out_legend_box(const zw_out_sheet *s, const zw_out_pane *p, zw_out_box *box);
/* Finds the places; *again is true if the layout has to make space above a frame and must be
 * repeated. */
zw_status zw_out_place_legends(zw_out_sheet *s, bool *again, zw_error *err);
void zw_out_draw_legend(const zw_out_sheet *s, const zw_out_pane *p);

#endif
