/* SPDX-License-Identifier: MIT */
/* Implemented in src/out/plots. */
/* Pictures for print: curves of columns of result tables, in one panel or several, written as SVG,
 * PDF, PNG or as commands for LaTeX by the file's ending.
 *
 *   picture = panels, row by row; panels of one column with the same x share its axis
 *   panel   = curves over common axes: a plane (x, y), which may have a second y on its right-hand
 *           side with a
 *             range and a scale of its own, or an axonometric view of (x, y, z)
 *   curve   = two or three columns of a table: a line, dots, or a band between two columns
 *   map     = a plane in which colours tell a third column: cells of a grid, or dots
 *   mark    = a sign at a place, which the legend explains
 *
 * Labels are typeset: theta_1' is a theta with index 1 and a dot, x^2 has a raised 2, [m/s^2] and
 * {m/s^2} are units, with brackets and without, "words in quotes" stay as they are. */
#ifndef ZWANG_PLOT_H
#define ZWANG_PLOT_H

#include <stdbool.h>

#include "table.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef struct zw_curve {
    const zw_table *table;
    int x, y;          /* columns */
    const char *label; /* NULL: no entry in the legend */
    int z;             /* column; used only where the panel is a space */
    bool right;        /* y belongs to the axis on the right-hand side of a plane */
    /* 1 + an earlier curve of the panel: drawn in its style, but for where it lies on it; 0: in one
     * of its own */
    int like;
    int solid;   /* 1 + a column: the line is dashed where that is zero, solid elsewhere; 0: none */
    int style;   /* 1 + the number of its colour and dashes; 0: the next of the panel */
    bool arrow;  /* a head halfway tells which way the rows go; with `gaps`, one for each part */
    bool points; /* small circles instead of a line, in a panel of lines */
    bool named;  /* it has an entry in the legend even if it is the only one */
    bool gaps;   /* values that are not finite are gaps that were meant: not counted */
    int band;    /* 1 + a column: what lies between y and that is filled, without a line; 0: none */
    bool fine;   /* a thin line */
    /* tiny dots instead of a line, in a panel of lines; of very many, darker where they are
     * dense */
    bool dots;
    /* 1 + a zw_mark_shape: signs of this shape at the rows instead of a line, where `points` says
     * so; 0: circles */
    int shape;
    /* in a space: its rows are the nodes of a surface, this many of them along each line; 0: it is
     * none */
    int mesh;
} zw_curve;

/* Numbers of zw_curve.style from 1 + ZW_PLOT_TINT on are solid lines in tints from blue to red: for
 * what is more or less of one thing. */
enum { ZW_PLOT_TINT = 1024, ZW_PLOT_TINTS = 256 };

typedef enum zw_mark_shape {
    ZW_MARK_DISC,
    ZW_MARK_SQUARE,
    ZW_MARK_DIAMOND,
    ZW_MARK_TRIANGLE,
    ZW_MARK_RING,
    ZW_MARK_DOWN,  /* a triangle upside down */
    ZW_MARK_CROSS, /* which can be seen on any colour */
    ZW_MARK_NONE,  /* no marker: the text only, centred at the point */
    ZW_MARK_SHAPES
} zw_mark_shape;

typedef struct zw_mark {
    double x, y, z; /* z: used only where the panel is a space */
    bool right;     /* y belongs to the axis on the right-hand side */
    zw_mark_shape shape;
    const char *label; /* of its kind, for the legend; NULL: no entry */
    const char *text;  /* beside it, if there is room; NULL: none */
    const char *brief; /* if there is no room for that; NULL: none */
    int style;         /* 1 + the index of a colour, as of a curve; 0: black */
    bool sure;         /* the text is written even if it hides something */
} zw_mark;

/* What an axis shows. NAN: up to where the curves go. */
typedef struct zw_span {
    double low, high;
} zw_span;

typedef enum zw_scale {
    ZW_SCALE_FREE, /* every axis fills its room */
    ZW_SCALE_EQUAL /* one unit is as long on all axes: paths in a plane or in space */
} zw_scale;

/* A window of a plane that is shown magnified inside of its frame. */
typedef enum zw_inset_place {
    ZW_INSET_ANYWHERE, /* where it hides least */
    ZW_INSET_UPPER_LEFT,
    ZW_INSET_UPPER_RIGHT,
    ZW_INSET_LOWER_LEFT,
    ZW_INSET_LOWER_RIGHT
} zw_inset_place;
typedef struct zw_inset {
    zw_span span[2]; /* of x and y */
    zw_inset_place place;
} zw_inset;

/* Colours of a map. */
typedef enum zw_colours {
    ZW_COLOURS_EVEN,      /* from dark to light, in even steps for the eye */
    ZW_COLOURS_DIVERGING, /* blue below zero, white there, red above */
    /* whole numbers: one colour for each; 0 is dark, what is below is nearly white */
    ZW_COLOURS_CLASSES
} zw_colours;
typedef struct zw_map_class {
    int value;
    const char *label;
} zw_map_class;

/* A plane in which colours tell the z of its first curve, which is no line: its rows are the cells
 * of a grid of x and y, in any order; or, where they are no grid, dots. Further curves are drawn
 * over it. label[2], span[2] and log[2] of the panel are those of the colours, which a strip beside
 * the frame explains. */
typedef struct zw_map {
    zw_colours colours;
    int nclass; /* of ZW_COLOURS_CLASSES: entries of the legend */
    const zw_map_class *item;
    bool pale; /* of ZW_COLOURS_CLASSES: lighter, for curves and marks that are drawn over them */
    /* of ZW_COLOURS_CLASSES: 1 + a column, colours are the darker the larger it is; 0: none */
    int shade;
    const char
        *nothing; /* what grey cells are, whose z is not finite, for the legend; NULL: no entry */
    int nlevel;   /* lines across the strip, where the further curves are contour lines of these */
    const double *level;
} zw_map;

/* What the tints of curves mean (ZW_PLOT_TINT), as a strip beside the frame. */
typedef struct zw_plot_bar {
    double low, high;  /* of the first and the last tint */
    const char *label; /* NULL: none */
} zw_plot_bar;

typedef struct zw_panel {
    int n;
    const zw_curve *curve;
    const char *
        label[3]; /* of the axes x, y and z or, in a plane, the right one; NULL: from the columns */
    zw_span span[3];
    bool log[3];    /* decades; values that are not positive are left out and counted */
    bool is_space;  /* axonometric view of x, y, z */
    bool is_points; /* dots instead of lines: Poincare sections */
    bool grid;
    zw_scale scale;
    int nmark;
    const zw_mark *mark;
    bool zero[2];       /* of a plane: a thin line where x is zero, where y is */
    const char *dashed; /* what dashed parts are, for the legend (zw_curve.solid); NULL: no entry */
    /* what parts are where zw_curve.solid is no number, which are then dotted; NULL: they are
     * solid */
    const char *undecided;
    int ninset; /* at most 4; of a plane with two axes */
    const zw_inset *inset;
    const zw_plot_bar *bar; /* NULL: none */
    const zw_map *map;      /* NULL: it is none */
    const char *title;      /* above the frame; NULL: none */
} zw_panel;

typedef struct zw_picture {
    int n;
    const zw_panel *panel;
    int columns;               /* of panels; 0: one */
    const char *title;         /* NULL: none */
    double width, height;      /* mm; 0: by the number of panels, 120 x 90 for one */
    double azimuth, elevation; /* from where a space is seen: degrees from x to y, and above it */
    const char *font;          /* a family that is installed; NULL: that of the house */
    double font_size;          /* of labels, points; lines and gaps go with it; 0: 9 */
} zw_picture;

/* What was not drawn. */
typedef struct zw_plot_report {
    long nonpositive; /* points that a logarithmic axis cannot show */
    long nonfinite;   /* points with a value that is not finite: gaps in the lines */
    /* of maps: places of the grid, those that no row has (hatched), and those without a finite
     * value (grey) */
    long cells, holes, empty;
    long scattered; /* of maps whose rows are no grid: dots */
    char missing
        [136]; /* characters that no font here has, "U+65E5 U+672C"; a sign stands for them */
    /* words that are written from right to left, or whose letters join, are not set so */
    bool misset;
    bool beyond; /* .tex: letters that only LuaLaTeX or XeLaTeX set, with a font that has them */
    /* a title, label or legend was too long for its room and ends with an ellipsis */
    bool shortened;
} zw_plot_report;

/* No curves yet, axes as the curves need them. */
ZW_API zw_panel zw_panel_default(void);
ZW_API zw_picture zw_picture_default(void);

/* Draw the picture. path ends with .svg, .pdf or .png, or with .tex, .pgf or .tikz: commands of
 * PGF, to be \input or compiled alone. The file is complete or the old one is left. report may be
 * NULL. */
ZW_API zw_status zw_plot(const zw_picture *picture, const char *path, zw_plot_report *report,
                         zw_error *err);
/* The same in memory. */
typedef enum zw_plot_kind { ZW_PLOT_SVG, ZW_PLOT_PDF, ZW_PLOT_PNG, ZW_PLOT_TEX } zw_plot_kind;
ZW_API zw_status zw_plot_bytes(const zw_picture *picture, zw_plot_kind kind, zw_bytes *out,
                               zw_plot_report *report, zw_error *err);
/* The number for zw_curve.style of a colour and a kind of line: "black", "red dashed". */
ZW_API zw_status zw_plot_style(const char *words, int *style, zw_error *err);
/* Is the ending one that zw_plot knows? Asked before long work. */
ZW_API zw_status zw_plot_check_path(const char *path, zw_error *err);
/* Is there such a font? If not, the hint has names that are near. */
ZW_API zw_status zw_plot_check_font(const char *font, zw_error *err);
/* Every font that there is, by its families, each once and in the order of the alphabet. */
ZW_API zw_status zw_plot_fonts(void (*each)(void *user, const char *name), void *user,
                               zw_error *err);

/* The short way: one panel. options may be NULL. */
typedef struct zw_plot_options {
    const char *title;           /* NULL: none */
    const char *xlabel, *ylabel; /* NULL: from the columns */
    bool equal_axes;             /* one unit is as long on both axes */
    double width, height;        /* mm; 0: 120 x 90 */
} zw_plot_options;
ZW_API zw_status zw_plot_curves(int n, const zw_curve *curves, const zw_plot_options *options,
                                const char *path, zw_error *err);

#ifdef __cplusplus
}
#endif
#endif
