/* SPDX-License-Identifier: MIT */
/* A picture as commands of PGF, the drawing layer below TikZ. */
#ifndef ZW_OUT_TEX_H
#define ZW_OUT_TEX_H

#include <cairo.h>
#include <stdbool.h>
#include <stdio.h>

#include "base/text.h"
#include "label.h"

struct zw_out_tex {
    FILE *to;
    double height; /* of the paper in points: TeX counts from below */
    bool beyond;   /* letters that need a Unicode LaTeX have been written */
    bool failed;   /* out of memory for a label */
    char pen[256]; /* the last description of the pen */
};

/* The head of a picture of width x height points, and its end. */
void zw_out_tex_begin(zw_out_tex *t, FILE *to, double width, double height);
/* ZW_E_MEMORY if a label could not be created. */
zw_status zw_out_tex_end(zw_out_tex *t, zw_error *err);

/* The path of cr with its pen, "stroke" or "fill"; it is empty afterwards. */
void zw_out_tex_path(zw_out_tex *t, cairo_t *cr, const char *what);
void zw_out_tex_clip_begin(zw_out_tex *t, cairo_t *cr);
void zw_out_tex_clip_end(zw_out_tex *t);
/* A label at the current point of cr, rotated as cr is. */
void zw_out_tex_label(zw_out_tex *t, cairo_t *cr, const char *text, zw_out_mode mode, double size,
                      zw_out_align align);

#endif
