/* SPDX-License-Identifier: MIT */
/* Lines are sampled at half a cell: a cell that a line cuts only at its corner may be missed, which
 * does not matter for the use of the raster (omitting hidden parts, placing a legend). */
#include "cover.h"

#include <math.h>
#include <string.h>

#include "base/arena.h"

zw_status zw_out_cover_init(zw_out_cover *c, double left, double top, double right, double bottom,
                            double cell, zw_error *err) {
    *c = (zw_out_cover){.left = left, .top = top, .cell = cell};
    c->nx = (int)ceil((right - left) / cell) + 1;
    c->ny = (int)ceil((bottom - top) / cell) + 1;
    c->words = ((size_t)c->nx * (size_t)c->ny + 63) / 64;
    zw_allocator alloc = zw_allocator_default();
    c->bits = zw_allocate(&alloc, c->words * sizeof *c->bits);
    return c->bits ? ZW_OK : zw_out_of_memory(err, "the picture");
}

void zw_out_cover_clear(zw_out_cover *c) {
    zw_allocator alloc = zw_allocator_default();
    zw_release(&alloc, c->bits, c->words * sizeof *c->bits);
    *c = (zw_out_cover){0};
}

void zw_out_cover_wipe(zw_out_cover *c) {
    memset(c->bits, 0, c->words * sizeof *c->bits);
}

bool zw_out_cover_point(zw_out_cover *c, double x, double y) {
    double fx = floor((x - c->left) / c->cell), fy = floor((y - c->top) / c->cell);
    if (!(fx >= 0 && fx < c->nx && fy >= 0 && fy < c->ny))
        return false;
    size_t at = (size_t)fy * (size_t)c->nx + (size_t)fx;
    uint64_t bit = UINT64_C(1) << (at % 64);
    bool fresh = !(c->bits[at / 64] & bit);
    c->bits[at / 64] |= bit;
    return fresh;
}

bool zw_out_cover_line(zw_out_cover *c, double x0, double y0, double x1, double y1) {
    double length = hypot(x1 - x0, y1 - y0);
    long n = (long)ceil(2 * length / c->cell);
    bool fresh = zw_out_cover_point(c, x0, y0);
    for (long i = 1; i <= n; i++) {
        double s = (double)i / (double)n;
        fresh = zw_out_cover_point(c, x0 + s * (x1 - x0), y0 + s * (y1 - y0)) || fresh;
    }
    return fresh;
}

bool zw_out_cover_has(const zw_out_cover *c, int ix, int iy) {
    size_t at = (size_t)iy * (size_t)c->nx + (size_t)ix;
    return c->bits[at / 64] >> (at % 64) & 1;
}

static int clamp_index(double v, int n) {
    return v < 0 ? 0 : v >= n ? n - 1 : (int)v;
}

bool zw_out_cover_touches(const zw_out_cover *c, double left, double top, double right,
                          double bottom) {
    int x0 = clamp_index((left - c->left) / c->cell, c->nx),
        x1 = clamp_index((right - c->left) / c->cell, c->nx);
    int y0 = clamp_index((top - c->top) / c->cell, c->ny),
        y1 = clamp_index((bottom - c->top) / c->cell, c->ny);
    for (int y = y0; y <= y1; y++)
        for (int x = x0; x <= x1; x++)
            if (zw_out_cover_has(c, x, y))
                return true;
    return false;
}
