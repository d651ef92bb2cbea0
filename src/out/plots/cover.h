/* SPDX-License-Identifier: MIT */
/* Where the paper has ink: a raster of square cells, one bit each. */
#ifndef ZW_OUT_COVER_H
#define ZW_OUT_COVER_H

#include <stdbool.h>
#include <stdint.h>

#include "zwang/status.h"

typedef struct zw_out_cover {
    double left, top, cell; /* points */
    int nx, ny;
    size_t words;
    uint64_t *bits; /* ny x nx, row by row */
} zw_out_cover;

zw_status zw_out_cover_init(zw_out_cover *c, double left, double top, double right, double bottom,
                            double cell, zw_error *err);
void zw_out_cover_clear(zw_out_cover *c);
void zw_out_cover_wipe(zw_out_cover *c); /* no ink anywhere */

/* Marks the cell of a point, or the cells along a line; true if one of them had no ink. Points
 * outside are ignored. */
bool zw_out_cover_point(zw_out_cover *c, double x, double y);
bool zw_out_cover_line(zw_out_cover *c, double x0, double y0, double x1, double y1);
bool zw_out_cover_has(const zw_out_cover *c, int ix, int iy);
/* True if there is ink in this box. */
bool zw_out_cover_touches(const zw_out_cover *c, double left, double top, double right,
                          double bottom);

#endif
