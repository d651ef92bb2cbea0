/* SPDX-License-Identifier: MIT */
/* Implemented in src/out. */
/* A motion in space, to be seen: stills as SVG, PDF or PNG, films by ffmpeg; the page of the viewer
 * shows the same list of drawings from the same place.
 *
 * What stands still is a number, what moves is a column of a table with one row for each time;
 * between the rows places go straight and turns the shortest way. Shapes are those of zw_drawing
 * (system.h). */
#ifndef ZWANG_VIEW_H
#define ZWANG_VIEW_H

#include <stdbool.h>

#include "plot.h"
#include "table.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef struct zw_view_value {
    int column;   /* of `motion`; -1: it stands still */
    double value; /* then */
} zw_view_value;

enum { ZW_VIEW_NUMBERS = 4 };

typedef struct zw_view_item {
    const char *shape, *name, *colour; /* colour "": chosen */
    bool clear;
    zw_view_value at[3], turn[4]; /* a unit quaternion */
    int n;
    zw_view_value number[ZW_VIEW_NUMBERS];
} zw_view_item;

/* The states of a contact; as a value the number of one of them. */
typedef enum zw_view_touch {
    ZW_VIEW_OPEN,
    ZW_VIEW_STICKS,
    ZW_VIEW_SLIPS,
    ZW_VIEW_CLOSED,   /* nothing resists its slip, or it has none */
    ZW_VIEW_MEANWHILE /* open, but with a force since the row or the frame before: never a value */
} zw_view_touch;

/* A contact: a mark at its point while it is closed, and an arrow of the force there. */
typedef struct zw_view_contact {
    const char *name;
    zw_view_value at[3], force[3]; /* force: N */
    /* N*s, since the row before and not in the force: shown as if they had the usual time of a
     * row */
    zw_view_value impulse[3];
    zw_view_value gap, state;
    bool has_force;
    /* force and state are those of the time since the row before; else they are the row's own */
    bool mean;
} zw_view_contact;

/* Everything belongs to the caller. */
typedef struct zw_view {
    int n;
    const zw_view_item *item;
    long rows;
    const double *time;     /* rows of them, ascending */
    const zw_table *motion; /* rows of them, or none if nothing moves */
    double up[3];           /* unit vector */
    bool metres;            /* lengths have this unit; else none */
    const char *title;      /* NULL: none */
    int ncontact;
    const zw_view_contact *contact;
} zw_view;

/* What of the scene is seen, and from where, unless somebody wants it otherwise. */
typedef struct zw_view_stage {
    double low[3], high[3];           /* a box around everything at all times */
    double body_low[3], body_high[3]; /* around what moves, at the beginning */
    double size, body_size;           /* diagonals of these */
    double scale;                     /* a length that belongs to what is seen at a time */
    double small;                     /* the radius of a dot */
    bool follows;                     /* the eye goes with what moves */
    double direction[3];              /* from the target to the eye, a unit vector */
    double ground;                    /* height of the ground along up */
    double per_newton; /* length of the arrow of a force of 1 N; 0: no forces are known */
    double longest;    /* arrows of larger forces are cut at this length, and have two heads */
    double most;       /* the largest force, N */
    double sign;       /* radius of the marks of contacts */
    unsigned touches;  /* bits 1 << zw_view_touch: what occurs */
} zw_view_stage;

ZW_API void zw_view_measure(const zw_view *view, zw_view_stage *stage);
/* What the arrows mean: "10 cm = 5 N", "" without forces; and which forces have two heads: "more
 * than 20 N", "" if none. */
ZW_API void zw_view_force_key(const zw_view *view, const zw_view_stage *stage, char *out,
                              size_t size);
ZW_API void zw_view_force_cut(const zw_view *view, const zw_view_stage *stage, char *out,
                              size_t size);
/* The colour of an item: what it says, else one by its kind and its turn. */
ZW_API const char *zw_view_colour(const zw_view *view, int item);

/* How it looks. Begin with zw_view_options_default(). */
typedef struct zw_view_options {
    size_t size;       /* of this struct, for the library */
    int width, height; /* pixels, of vectors 1/96 inch: 1280 x 720 */
    double azimuth,
        elevation; /* deg, from where it is seen: about up, above the ground; NAN: chosen */
    double zoom;   /* 1 */
    bool bare;     /* the drawings alone: no ground, axes, clock */
    bool dark;     /* dark paper */
    double line;   /* thickness of lines, 1 */
    bool forces;   /* contacts and their forces: true */
} zw_view_options;

ZW_API void zw_view_options_init(zw_view_options *options, size_t size);
static inline zw_view_options zw_view_options_default(void) {
    zw_view_options o;
    zw_view_options_init(&o, sizeof o);
    return o;
}

/* To be asked before long work: is it a kind of picture, are the options in range, can a file be
 * made there? */
ZW_API zw_status zw_view_still_check(const char *path, const zw_view_options *options,
                                     zw_error *err);
/* The scene at time t as a picture: .svg, .pdf, .png. Complete, or the old file is left. options
 * may be NULL. */
ZW_API zw_status zw_view_still(const zw_view *view, double t, const char *path,
                               const zw_view_options *options, zw_error *err);
/* The same in memory, by its ending: "svg", "pdf", "png". */
ZW_API zw_status zw_view_still_bytes(const zw_view *view, double t, const char *ending,
                                     zw_bytes *out, const zw_view_options *options, zw_error *err);

/* ---- several instants in one picture ---- */

enum { ZW_STROBE_MAX = 64 };

typedef enum zw_strobe_layout {
    ZW_STROBE_AUTO,    /* one space, unless they would hide each other there; then panels */
    ZW_STROBE_OVERLAY, /* all in one space, what is older paler */
    ZW_STROBE_ROW,     /* side by side, seen alike, each with its time below */
    ZW_STROBE_GRID     /* the same in several rows */
} zw_strobe_layout;

/* How it looks. Begin with zw_strobe_options_default(). */
typedef struct zw_strobe_options {
    size_t size; /* of this struct, for the library */
    zw_strobe_layout layout;
    int columns;               /* of a grid; 0: chosen */
    double width, height;      /* mm; 0: chosen, and as high as it needs to be */
    double azimuth, elevation; /* deg, as those of stills; NAN: chosen */
    double fade;               /* how much paler the first is than the last, 0 to 1: 0.65 */
    bool bare, dark;           /* without ground and shadows; dark paper */
    const char *title, *font;  /* NULL: none; that of the house */
    double font_size;          /* points, 9 */
    bool forces;               /* contacts and their forces: true */
} zw_strobe_options;

ZW_API void zw_strobe_options_init(zw_strobe_options *options, size_t size);
static inline zw_strobe_options zw_strobe_options_default(void) {
    zw_strobe_options o;
    zw_strobe_options_init(&o, sizeof o);
    return o;
}

/* What became of it. */
typedef struct zw_strobe_report {
    zw_strobe_layout layout; /* the one that was chosen */
    int columns;             /* of panels */
    double width, height;    /* mm */
    double hidden; /* how much of what moves hides behind another instant in one space, 0 to 1 */
    int unseen;    /* drawings with places that are not finite, of all instants */
    bool beside;   /* OVERLAY: each instant has its time beside it; else all of them stand below */
    bool follows;  /* panels: the eye goes along with what moves */
    char square[32];   /* the size of the squares of the ground, "5 cm"; "" without ground */
    char forces[100];  /* the scale of their arrows, "5 cm = 2 N"; "" without any */
    char missing[136]; /* of letters, as of plots (plot.h) */
    bool misset, shortened;
} zw_strobe_report;

/* To be asked before long work: is it a kind of picture, are the options in range, can a file be
 * made there? */
ZW_API zw_status zw_strobe_check(const char *path, const zw_strobe_options *options, zw_error *err);
/* The scene at n instants, ascending and within its rows, in one picture: .svg, .pdf, .png with 300
 * dots per inch. Complete, or the old file is left. options and report may be NULL. */
ZW_API zw_status zw_strobe_write(const zw_view *view, int n, const double *t, const char *path,
                                 const zw_strobe_options *options, zw_strobe_report *report,
                                 zw_error *err);
/* The same in memory, by its ending: "svg", "pdf", "png". */
ZW_API zw_status zw_strobe_bytes(const zw_view *view, int n, const double *t, const char *ending,
                                 zw_bytes *out, const zw_strobe_options *options,
                                 zw_strobe_report *report, zw_error *err);

/* ---- films ---- */

typedef struct zw_film_options {
    size_t size;
    zw_view_options view; /* width and height even */
    double from, until;   /* s; NAN: the whole motion */
    double fps;           /* frames per second of the film: 30 */
    double speed;         /* seconds of motion in a second of film: 1 */
    const char *program;  /* that writes the film; NULL: ffmpeg */
    /* Called before every frame with the fraction that is done: false ends the film, and no file is
     * left. May be NULL. */
    bool (*go_on)(void *user, double fraction);
    void *user;
} zw_film_options;

ZW_API void zw_film_options_init(zw_film_options *options, size_t size);
static inline zw_film_options zw_film_options_default(void) {
    zw_film_options o;
    zw_film_options_init(&o, sizeof o);
    return o;
}

/* How many frames the film of a motion has. Frame k shows the motion at exactly from + k speed/fps,
 * the last one at until or before. */
ZW_API long zw_film_frames(const zw_view *view, const zw_film_options *options);
/* To be asked before long work: is there a program for films, does it know the kind of `path`
 * (.mp4, .webm, .gif), and can such a file be made there? ZW_E_MISSING says what is missing and how
 * it is installed. */
ZW_API zw_status zw_film_available(const char *path, const zw_film_options *options, zw_error *err);
/* The film. Complete, or the old file is left; positive if go_on ended it. */
ZW_API zw_status zw_film_write(const zw_view *view, const char *path,
                               const zw_film_options *options, zw_error *err);

/* ------------------------------------------------------------------------------------------ */

/* The page of `zwang view`: one HTML file with the viewer and its data (the motion in space, the
 * columns of the result, the equations), or a figure that can be looked at closely; it needs
 * nothing else. */

/* One orbit of a branch, as zw_page has one motion. */
typedef struct zw_page_orbit {
    long row; /* of the branch */
    const zw_table *result, *motion;
    const char *scene;
    const zw_view *view;
    int nmultiplier;
    const double *re, *im;
} zw_page_orbit;

/* A table of many motions as a plane: a map whose cells are the rows of its table, or points. What
 * is clicked on is reported with its numbers and the command that shows its motion; zw_page.orbit
 * are the motions that are in the page itself. */
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
    /* of a map: row j nx + i of the table is at (x[i], y[j]), without values where there is none;
     * 0: of points, whose x and y are columns */
    int nx, ny;
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
        *told; /* a sentence on what motions of the page begin with, or are not; NULL: none */
    /* of a grid that is too fine for a page: every n-th row and column is in it */
    int stride;
} zw_page_survey;

/* A picture that the reader may come near to: its curves, marks and maps with all their numbers,
 * and the file that zw_plot makes of it. */
typedef struct zw_page_source {
    const zw_table *drawn; /* the table of curves */
    const zw_table
        *whole; /* row by row with it: what the reader sees of a row; NULL: what is drawn */
    long n;     /* the rows that are in the page, ascending; kept NULL: all */
    const long *kept;
    int mesh; /* of a surface: this many of those along each line; 0: as the curve says */
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
    /* the same scene, for where to look from and how large things are; needed with `scene` */
    const zw_view *view;
    /* NULL: none. Its first column is the parameter, notes "mark N" are marks (figure.h) */
    const zw_table *branch;
    int norbit;
    const zw_page_orbit *orbit; /* those that can be seen */
    int start;                  /* the one that is shown first: its motion is that of the page */
    const zw_page_survey
        *survey; /* NULL: none. `branch` is its table, orbits are motions by their rows in that */
    /* NULL: none. Without a scene it is all there is: of `result` the page has the notes */
    const zw_page_figure *figure;
} zw_page;

/* To be asked before long work: is the viewer part of this Zwang (else ZW_E_MISSING with what to
 * do), and can a page be written to path? path NULL: anywhere. */
ZW_API zw_status zw_page_available(const char *path, zw_error *err);
/* The page as a file; path "-" is standard output. The file is complete or the old one is left. */
ZW_API zw_status zw_page_write(const zw_page *page, const char *path, zw_error *err);
/* The same in memory. */
ZW_API zw_status zw_page_bytes(const zw_page *page, zw_bytes *out, zw_error *err);

#ifdef __cplusplus
}
#endif
#endif
