/* SPDX-License-Identifier: MIT */
/* Typesetting of names and units: theta_1' becomes an italic theta with index 1 and a dot above,
 * m/s^2 gets a raised 2. */
#ifndef ZW_OUT_LABEL_H
#define ZW_OUT_LABEL_H

#include <cairo.h>

typedef enum zw_out_mode {
    ZW_OUT_PLAIN, /* as it is, upright */
    ZW_OUT_NAME,  /* a name or formula of the model */
    ZW_OUT_UNIT   /* a unit, upright, with raised exponents */
} zw_out_mode;

/* Draw text with the pen at the current point and move it behind the text; size in points. */
void zw_out_label_draw(cairo_t *cr, const char *text, zw_out_mode mode, double size);
/* Its width without drawing. */
double zw_out_label_width(cairo_t *cr, const char *text, zw_out_mode mode, double size);

#endif
