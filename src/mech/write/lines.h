/* SPDX-License-Identifier: MIT */
/* A formula over several lines. */
#ifndef ZW_MECH_LINES_H
#define ZW_MECH_LINES_H

#include "base/text.h"
#include "expr/print/latex.h"

typedef struct zw_line_shape {
    double first, rest; /* em that the first line and the others have */
    /* between two lines; a line that begins inside brackets is further in by as many quads */
    const char *next;
} zw_line_shape;

/* t appended to out, broken where that looks best. Returns how many lines there are. */
int zw_lines_put(zw_text *out, const zw_tex *t, const zw_line_shape *shape);

#endif
