/* SPDX-License-Identifier: MIT */
/* The page of `zwang view`: one HTML file with the viewer and its data (the motion in space, the columns
 * of the result, the equations), that needs nothing else. */
#ifndef ZWANG_PAGE_H
#define ZWANG_PAGE_H

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
