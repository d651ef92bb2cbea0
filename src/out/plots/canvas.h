/* SPDX-License-Identifier: MIT */
/* The target of a picture: a surface of Cairo, or commands for TeX.
 *
 * In both cases the path, the pen (colour, width, dashes, ends) and the transformation are those of
 * `cr`, set by Cairo's own functions; only functions that leave ink are here. For TeX the surface
 * of cr is a dummy, and the path is written in the units of its device. */
#ifndef ZW_OUT_CANVAS_H
#define ZW_OUT_CANVAS_H

#include <cairo.h>
#include <stdio.h>

#include "fonts.h"
#include "zwang/status.h"

typedef struct zw_out_tex zw_out_tex;

typedef struct zw_out_canvas {
    cairo_t *cr;
    zw_out_fonts *fonts; /* for TeX used for measuring only */
    zw_out_tex *tex;     /* NULL: Cairo draws */
    bool shortened;      /* a text was too long for its space */
} zw_out_canvas;

/* Cairo's functions of these names, for both targets. */
void zw_out_stroke(zw_out_canvas *c);
void zw_out_fill(zw_out_canvas *c);
/* Restricts drawing to the inside of the path, until the end. */
void zw_out_clip_begin(zw_out_canvas *c);
void zw_out_clip_end(zw_out_canvas *c);

#endif
