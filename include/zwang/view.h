/* SPDX-License-Identifier: MIT */
/* A motion in space, to be seen: stills as SVG, PDF or PNG, films by ffmpeg; the page of the viewer shows the same list of
 * drawings from the same place.
 *
 * What stands still is a number, what moves is a column of a table with one row for each time; between the rows places
 * go straight and turns the shortest way. Shapes are those of zw_drawing (system.h). */
#ifndef ZWANG_VIEW_H
#define ZWANG_VIEW_H

#include <stdbool.h>

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
} zw_view_stage;

ZW_API void zw_view_measure(const zw_view *view, zw_view_stage *stage);
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
} zw_view_options;

ZW_API void zw_view_options_init(zw_view_options *options, size_t size);
static inline zw_view_options zw_view_options_default(void) {
    zw_view_options o;
    zw_view_options_init(&o, sizeof o);
    return o;
}

/* To be asked before long work: is it a kind of picture, are the options in range, can a file be made there? */
ZW_API zw_status zw_view_still_check(const char *path, const zw_view_options *options,
                                     zw_error *err);
/* The scene at time t as a picture: .svg, .pdf, .png. Complete, or the old file is left. options may be NULL. */
ZW_API zw_status zw_view_still(const zw_view *view, double t, const char *path,
                               const zw_view_options *options, zw_error *err);
/* The same in memory, by its ending: "svg", "pdf", "png". */
ZW_API zw_status zw_view_still_bytes(const zw_view *view, double t, const char *ending,
                                     zw_bytes *out, const zw_view_options *options, zw_error *err);

/* ---- films ---- */

typedef struct zw_film_options {
    size_t size;
    zw_view_options view; /* width and height even */
    double from, until;   /* s; NAN: the whole motion */
    double fps;           /* frames per second of the film: 30 */
    double speed;         /* seconds of motion in a second of film: 1 */
    const char *program;  /* that writes the film; NULL: ffmpeg */
    /* Called before every frame with the fraction that is done: false ends the film, and no file is left. May be
     * NULL. */
    bool (*go_on)(void *user, double fraction);
    void *user;
} zw_film_options;

ZW_API void zw_film_options_init(zw_film_options *options, size_t size);
static inline zw_film_options zw_film_options_default(void) {
    zw_film_options o;
    zw_film_options_init(&o, sizeof o);
    return o;
}

/* How many frames the film of a motion has. Frame k shows the motion at exactly from + k speed/fps, the last one at
 * until or before. */
ZW_API long zw_film_frames(const zw_view *view, const zw_film_options *options);
/* To be asked before long work: is there a program for films, does it know the kind of `path` (.mp4, .webm, .gif), and
 * can such a file be made there? ZW_E_MISSING says what is missing and how it is installed. */
ZW_API zw_status zw_film_available(const char *path, const zw_film_options *options, zw_error *err);
/* The film. Complete, or the old file is left; positive if go_on ended it. */
ZW_API zw_status zw_film_write(const zw_view *view, const char *path,
                               const zw_film_options *options, zw_error *err);

#ifdef __cplusplus
}
#endif
#endif
