/* SPDX-License-Identifier: MIT */
/* Where a picture is drawn: on a surface of Cairo, or as commands for TeX.
 *
 * In both cases the path, the pen (colour, width, dashes, ends) and the place are those of `cr`,
 * set by Cairo's own functions; only what leaves ink goes through here. For TeX the surface of cr
 * is a scrap of paper, and the path is written out in the units of its device. */
#ifndef ZW_OUT_CANVAS_H
#define ZW_OUT_CANVAS_H

#include <cairo.h>
#include <stdio.h>

#include "fonts.h"
#include "zwang/status.h"

typedef struct zw_out_tex zw_out_tex;

typedef struct zw_out_canvas {
    cairo_t *cr;
    zw_out_fonts *fonts; /* for TeX they measure only */
    zw_out_tex *tex;     /* NULL: ink */
    bool shortened;      /* has a text been too long for its room? */
} zw_out_canvas;

/* Cairo's functions of these names, wherever the picture goes. */
void zw_out_stroke(zw_out_canvas *c);
void zw_out_fill(zw_out_canvas *c);
/* Only what lies inside of the path is shown, up to the end. */
void zw_out_clip_begin(zw_out_canvas *c);
void zw_out_clip_end(zw_out_canvas *c);

#endif
