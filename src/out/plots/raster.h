/* SPDX-License-Identifier: MIT */
/* A picture of pixels inside a frame, for data that are too many for lines: the axes around it stay
 * lines and letters. Its pixels are those of PNG files, 300 per inch, or half as large. */
#ifndef ZW_OUT_RASTER_H
#define ZW_OUT_RASTER_H

#include <stdint.h>

#include "plot.h"

typedef struct zw_out_raster {
    double left, top, cell; /* points */
    int nx, ny;
    /* ny x nx, row by row: alpha, red, green, blue; colours are multiplied by alpha */
    uint32_t *pixel;
} zw_out_raster;

/* Creates one that covers the frame, without ink; finer: 600 per inch, in vector files. */
zw_status zw_out_raster_init(zw_out_raster *r, const zw_out_sheet *s, const zw_out_box *frame,
                             bool finer, zw_error *err);
void zw_out_raster_clear(zw_out_raster *r);
uint32_t zw_out_raster_ink(zw_out_rgb c, double alpha);
/* Draws it on the paper; pixels keep their edges. */
zw_status zw_out_raster_draw(const zw_out_sheet *s, const zw_out_raster *r, zw_error *err);

#endif
