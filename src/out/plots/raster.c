/* SPDX-License-Identifier: MIT */
#include "raster.h"

#include <math.h>
#include <stdlib.h>

#include "base/arena.h"

/* Pixels: a frame that ends on a border between pixels must not get one more by round-off. */
#define PIXEL_SLACK 1e-6

zw_status zw_out_raster_init(zw_out_raster *r, const zw_out_sheet *s, const zw_out_box *f,
                             bool finer, zw_error *err) {
    /* pixels of the paper: in a PNG file none is between two of them */
    double cell = 72 / ZW_OUT_DPI / s->zoom / (finer && !s->pixels ? 2 : 1);
    long left = (long)floor(f->left / cell + PIXEL_SLACK),
         top = (long)floor(f->top / cell + PIXEL_SLACK);
    *r = (zw_out_raster){.left = (double)left * cell, .top = (double)top * cell, .cell = cell};
    r->nx = (int)(ceil(f->right / cell - PIXEL_SLACK) - (double)left);
    r->ny = (int)(ceil(f->bottom / cell - PIXEL_SLACK) - (double)top);
    r->pixel = calloc((size_t)r->nx * (size_t)r->ny, sizeof *r->pixel);
    return r->pixel ? ZW_OK : zw_out_of_memory(err, "the picture");
}

void zw_out_raster_clear(zw_out_raster *r) {
    free(r->pixel);
    *r = (zw_out_raster){0};
}

static uint32_t colour_byte(double v) {
    return (uint32_t)lround(255 * fmax(0, fmin(v, 1)));
}

uint32_t zw_out_raster_ink(zw_out_rgb c, double alpha) {
    return colour_byte(alpha) << 24 | colour_byte(c.r * alpha) << 16 |
           colour_byte(c.g * alpha) << 8 | colour_byte(c.b * alpha);
}

static bool is_opaque(const zw_out_raster *r) {
    for (long i = 0; i < (long)r->nx * r->ny; i++)
        if (r->pixel[i] >> 24 != 0xff)
            return false;
    return true;
}

zw_status zw_out_raster_draw(const zw_out_sheet *s, const zw_out_raster *r, zw_error *err) {
    cairo_t *cr = s->cr;
    cairo_surface_t *image = cairo_image_surface_create_for_data(
        (unsigned char *)r->pixel, is_opaque(r) ? CAIRO_FORMAT_RGB24 : CAIRO_FORMAT_ARGB32, r->nx,
        r->ny, 4 * r->nx);
    cairo_save(cr);
    cairo_translate(cr, r->left, r->top);
    cairo_scale(cr, r->cell, r->cell);
    cairo_set_source_surface(cr, image, 0, 0);
    cairo_pattern_set_filter(cairo_get_source(cr), CAIRO_FILTER_NEAREST);
    cairo_paint(cr);
    cairo_restore(cr);
    cairo_status_t status = cairo_surface_status(image);
    cairo_surface_finish(image);
    cairo_surface_destroy(image);
    return status == CAIRO_STATUS_SUCCESS ? ZW_OK
                                          : zw_fail(err, ZW_E_MEMORY, "cannot draw pixels: %s",
                                                    cairo_status_to_string(status));
}
