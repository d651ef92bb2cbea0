/* SPDX-License-Identifier: MIT */
/* Typesetting of names and units: theta_1' becomes an italic theta with index 1 and a dot above,
 * m/s^2 gets a raised 2.
 *
 * A text is read once (label.c) and split into pieces: letters of one shape on one level. One sink
 * measures and draws them with fonts (label_ink.c), another one writes them as LaTeX
 * (label_tex.c). */
#ifndef ZW_OUT_LABEL_H
#define ZW_OUT_LABEL_H

#include "base/text.h"
#include "canvas.h"

typedef enum zw_out_mode {
    ZW_OUT_PLAIN, /* unchanged, upright */
    ZW_OUT_NAME,  /* a name or formula of the model */
    ZW_OUT_UNIT   /* a unit, upright, with raised exponents */
} zw_out_mode;

typedef enum zw_out_align { ZW_OUT_LEFT, ZW_OUT_CENTRE, ZW_OUT_RIGHT } zw_out_align;

/* Draws text at the current point, which is its beginning, its middle or its end on the base line,
 * and moves the point after it; size in points. */
void zw_out_label_draw(zw_out_canvas *c, const char *text, zw_out_mode mode, double size,
                       zw_out_align align);
/* Its width without drawing. */
double zw_out_label_width(zw_out_canvas *c, const char *text, zw_out_mode mode, double size);

/* A text made to fit into its space: in smaller letters, down to half the size, and then shortened,
 * with an ellipsis in front of its unit or of the quotation at its end. */
typedef struct zw_out_fit {
    char text[1024];
    double size, width;
} zw_out_fit;
zw_out_fit zw_out_label_fit(zw_out_canvas *c, const char *text, zw_out_mode mode, double size,
                            double smallest, double room);

/* ---- pieces ---- */

typedef enum zw_out_level { ZW_OUT_LINE, ZW_OUT_LOWERED, ZW_OUT_RAISED } zw_out_level;

#define ZW_OUT_SMALL 0.72 /* relative size of lowered and raised letters */

typedef struct zw_out_piece {
    const char *text; /* n bytes, UTF-8 or not */
    size_t n;
    bool italic;
    bool words; /* prose, not a name: from PLAIN or quotes */
    zw_out_level level;
    int dots; /* above, 0 to 3 */
} zw_out_piece;

typedef struct zw_out_sink {
    void *to;
    void (*put)(void *to, const zw_out_piece *piece);
} zw_out_sink;

void zw_out_label_read(const char *text, zw_out_mode mode, const zw_out_sink *sink);

/* The text as LaTeX, for a line of that size. All characters with a meaning for TeX are escaped.
 * *beyond becomes true if there are letters that need a Unicode LaTeX. */
void zw_out_label_tex(zw_text *out, const char *text, zw_out_mode mode, double size, bool *beyond);

#endif
