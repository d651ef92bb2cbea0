/* SPDX-License-Identifier: MIT */
/* A formula over several lines. */
#ifndef ZW_MECH_LINES_H
#define ZW_MECH_LINES_H

#include "base/text.h"
#include "expr/print/latex.h"

typedef struct zw_line_shape {
    double first, rest; /* width of the first line and of the others [em] */
    /* text between two lines; a line that begins inside brackets is indented by as many quads */
    const char *next;
} zw_line_shape;

/* Appends t to out with line breaks. Returns the number of lines. */
int zw_lines_put(zw_text *out, const zw_tex *t, const zw_line_shape *shape);

#endif
