/* SPDX-License-Identifier: MIT */
/* The page of `zwang view`: one HTML file with the viewer and its data, that needs nothing else. */
#ifndef ZW_OUT_PAGE_H
#define ZW_OUT_PAGE_H

#include "zwang/table.h"

typedef struct zw_page {
    const char *name, *title, *variant; /* of the model */
    const zw_table *result;             /* with a column t, and its notes */
    const zw_table *motion;             /* of the scene, row by row with the result */
    const char *scene, *equations;      /* JSON; NULL: none */
} zw_page;

/* To be asked before long work: is the viewer part of this Zwang (else ZW_E_MISSING with what to do), and
 * can a page be written to path? path NULL: anywhere. */
zw_status zw_page_available(const char *path, zw_error *err);
/* path "-" is standard output. */
zw_status zw_page_write(const zw_page *page, const char *path, zw_error *err);

/* The same with another viewer than the one in the program: text in which the data take the place of
 * the mark. */
zw_status zw_page_check(const char *viewer, size_t size, zw_error *err);
zw_status zw_page_fill(const char *viewer, size_t size, const zw_page *page, const char *path,
                       zw_error *err);
/* The viewer as it was built, `size` bytes; one that begins with "missing" says why there is none. */
const char *zw_page_template(size_t *size);

#endif
