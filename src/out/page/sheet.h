/* SPDX-License-Identifier: MIT */
/* The picture of a page as data. */
#ifndef ZW_OUT_PAGE_SHEET_H
#define ZW_OUT_PAGE_SHEET_H

#include <stdio.h>

#include "base/arena.h"
#include "zwang/view.h"

typedef struct zw_out_pane zw_out_pane;

/* Everything that can fail, done before a byte is written: the panels as they are drawn, and the
 * picture as a file. */
typedef struct zw_page_sheet {
    zw_arena arena;
    zw_picture picture; /* with its sizes */
    zw_out_pane *pane;  /* picture.n */
    zw_bytes svg;       /* terminated by 0 */
    int ntable;
    zw_page_source *table; /* the tables of all curves, each once */
} zw_page_sheet;

zw_status zw_page_sheet_init(zw_page_sheet *s, const zw_page_figure *f, zw_error *err);
void zw_page_sheet_clear(zw_page_sheet *s);
/* A JSON object. False: out of memory. */
bool zw_page_sheet_write(FILE *out, const zw_page_sheet *s);

#endif
