/* SPDX-License-Identifier: MIT */
/* Implemented in src/out/page. */
/* The page of `zwang view`: one HTML file with the viewer and its data (the motion in space, the columns
 * of the result, the equations), or a figure that can be looked at closely; it needs nothing else. */
#ifndef ZWANG_PAGE_H
#define ZWANG_PAGE_H

#include "plot.h"
#include "table.h"
#include "view.h"

#ifdef __cplusplus
extern "C" {
#endif

/* One orbit of a branch, as zw_page has one motion. */
typedef struct zw_page_orbit {
    long row; /* of the branch */
    const zw_table *result, *motion;
    const char *scene;
    const zw_view *view;
    int nmultiplier;
    const double *re, *im;
} zw_page_orbit;

/* A table of many motions as a plane: a map whose cells are the rows of its table, or points. What is clicked on is told with its numbers and the
 * command that shows its motion; zw_page.orbit are the motions that are in the page itself. */
typedef struct zw_page_setting {
    const char *name, *unit; /* of a parameter or a start */
    int column;              /* of the table; -1: x of the map, -2: y */
} zw_page_setting;
typedef struct zw_page_class {
    int value;
    const char *label;
} zw_page_class;
/* A curve over a map, n x 2, not finite between its parts; and a point by its name. */
typedef struct zw_page_line {
    const char *name; /* "": it has no entry in the key */
    long n;
    const double *at;
} zw_page_line;
typedef struct zw_page_spot {
    const char *name;
    double x, y;
} zw_page_spot;
typedef struct zw_page_survey {
    const char *name[2], *unit[2]; /* of x and y */
    int nx,
        ny; /* of a map: row j nx + i of the table is at (x[i], y[j]), without values where there is none; 0: of points, whose x and y are columns */
    const double *x, *y;
    int column[2]; /* of points */
    int shown;     /* the column that is seen first: colours of a map */
    int number;    /* the column that tells which row of the file it is, from 1 on */
    int nclass;    /* of that column: whole numbers with names */
    const zw_page_class *item;
    bool pale; /* lighter colours of them, for what is drawn over the map: */
    int nline;
    const zw_page_line *line;
    int nspot;
    const zw_page_spot *spot;
    int nmark;          /* places of attractors */
    const double *mark; /* nmark x 2 */
    int nsetting;
    const zw_page_setting *setting;
    int nword;
    const char *const *word; /* of the command, to which --set NAME=VALUE are added */
    const char
        *told;  /* a sentence on what motions of the page begin with, or are not; NULL: none */
    int stride; /* of a grid that is too fine for a page: every so many-th row and column is in it */
} zw_page_survey;

/* A picture that the reader may come near to: its curves, marks and maps with all their numbers, and the file that zw_plot makes of it. */
typedef struct zw_page_source {
    const zw_table *drawn; /* the table of curves */
    const zw_table
        *whole; /* row by row with it: what the reader is told of a row; NULL: what is drawn */
    long n;     /* the rows that are in the page, ascending; kept NULL: all */
    const long *kept;
    int mesh; /* of a surface: so many of those along each line; 0: as the curve says */
} zw_page_source;
typedef struct zw_page_figure {
    const zw_picture *picture;
    int nsource; /* tables that nothing is said of are drawn as they are */
    const zw_page_source *source;
} zw_page_figure;

typedef struct zw_page {
    const char *name, *title, *variant; /* of the model; NULL: "" */
    const zw_table *result;             /* with a column t, and its notes */
    const zw_table *motion;             /* of the scene, row by row with the result; NULL: none */
    const char *scene, *equations;      /* JSON (zw_scene_json, zw_equations_write); NULL: none */
    const zw_view *
        view; /* the same scene, for where to look from and how large things are; needed with `scene` */
    const zw_table *
        branch; /* NULL: none. Its first column is the parameter, notes "mark N" are marks (figure.h) */
    int norbit;
    const zw_page_orbit *orbit; /* those that can be seen */
    int start;                  /* the one that is shown first: its motion is that of the page */
    const zw_page_survey
        *survey; /* NULL: none. `branch` is its table, orbits are motions by their rows in that */
    const zw_page_figure *
        figure; /* NULL: none. Without a scene it is all there is: of `result` the page has the notes */
} zw_page;

/* To be asked before long work: is the viewer part of this Zwang (else ZW_E_MISSING with what to do),
 * and can a page be written to path? path NULL: anywhere. */
ZW_API zw_status zw_page_available(const char *path, zw_error *err);
/* The page as a file; path "-" is standard output. The file is complete or the old one is left. */
ZW_API zw_status zw_page_write(const zw_page *page, const char *path, zw_error *err);
/* The same in memory. */
ZW_API zw_status zw_page_bytes(const zw_page *page, zw_bytes *out, zw_error *err);

#ifdef __cplusplus
}
#endif
#endif
