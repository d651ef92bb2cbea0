/* SPDX-License-Identifier: MIT */
/* The file of a picture: a surface of Cairo that writes SVG, PDF or PNG, or commands for TeX. It is
 * complete, or the old file remains. */
#include <cairo-pdf.h>
#include <cairo-svg.h>
#include <math.h>
#include <stdio.h>

#include "out/files/file.h"
#include "plot.h"
#include "tex.h"

static cairo_status_t write_bytes(void *stream, const unsigned char *data, unsigned int n) {
    return fwrite(data, 1, n, stream) == n ? CAIRO_STATUS_SUCCESS : CAIRO_STATUS_WRITE_ERROR;
}

static cairo_surface_t *create_surface(zw_plot_kind kind, FILE *stream, double width,
                                       double height) {
    switch (kind) {
    case ZW_PLOT_SVG:
        return cairo_svg_surface_create_for_stream(write_bytes, stream, width, height);
    case ZW_PLOT_PDF:
        return cairo_pdf_surface_create_for_stream(write_bytes, stream, width, height);
    case ZW_PLOT_TEX: /* a dummy that measures as paper does: nothing is kept */
        return cairo_svg_surface_create_for_stream(NULL, NULL, width, height);
    default:
        return cairo_image_surface_create(CAIRO_FORMAT_RGB24, (int)ceil(width * ZW_OUT_DPI / 72),
                                          (int)ceil(height * ZW_OUT_DPI / 72));
    }
}

static cairo_status_t finish_file(cairo_surface_t *surface, cairo_t *cr, zw_plot_kind kind,
                                  FILE *stream) {
    cairo_status_t drawn = cairo_status(cr);
    cairo_destroy(cr);
    if (kind == ZW_PLOT_PNG && drawn == CAIRO_STATUS_SUCCESS)
        drawn = cairo_surface_write_to_png_stream(surface, write_bytes, stream);
    cairo_surface_finish(surface);
    if (drawn == CAIRO_STATUS_SUCCESS)
        drawn = cairo_surface_status(surface);
    cairo_surface_destroy(surface);
    return drawn;
}

static zw_status draw_surface(zw_out_sheet *s, zw_plot_kind kind, const zw_out_file *f,
                              zw_out_canvas *canvas, zw_error *err) {
    double width = s->width * s->zoom, height = s->height * s->zoom;
    double scale = s->zoom * (kind == ZW_PLOT_PNG ? ZW_OUT_DPI / 72 : 1);
    cairo_surface_t *surface = create_surface(kind, f->stream, width, height);
    canvas->cr = s->cr = cairo_create(surface);
    s->canvas = canvas;
    s->pixels = kind == ZW_PLOT_PNG;
    if (scale != 1)
        cairo_scale(s->cr, scale, scale);
    if (canvas->tex)
        zw_out_tex_begin(canvas->tex, f->stream, width, height);
    zw_status status = zw_out_draw_sheet(s, err);
    if (canvas->tex && status >= 0)
        status = zw_out_tex_end(canvas->tex, err);
    cairo_status_t drawn = finish_file(surface, s->cr, kind, f->stream);
    if (status < 0 || drawn == CAIRO_STATUS_SUCCESS)
        return status;
    return zw_fail(err, drawn == CAIRO_STATUS_NO_MEMORY ? ZW_E_MEMORY : ZW_E_FILE,
                   "cannot draw '%s': %s", f->name, cairo_status_to_string(drawn));
}

static zw_status draw_file(zw_out_sheet *s, zw_plot_kind kind, const zw_out_file *f,
                           zw_plot_report *report, zw_error *err) {
    zw_out_tex tex = {0};
    zw_out_canvas canvas = {.tex = kind == ZW_PLOT_TEX ? &tex : NULL};
    ZW_TRY(zw_out_fonts_create(&canvas.fonts, s->picture->font, err));
    zw_status status = draw_surface(s, kind, f, &canvas, err);
    if (!canvas.tex) {
        snprintf(report->missing, sizeof report->missing, "%s", zw_out_fonts_missing(canvas.fonts));
        report->misset = zw_out_fonts_misset(canvas.fonts);
    }
    report->beyond = tex.beyond;
    report->shortened = canvas.shortened;
    zw_out_fonts_destroy(canvas.fonts);
    return status;
}

zw_status zw_out_write_sheet(zw_out_sheet *s, zw_plot_kind kind, const char *path, zw_bytes *bytes,
                             zw_plot_report *report, zw_error *err) {
    zw_out_file f;
    ZW_TRY(zw_out_begin(&f, path, bytes, err));
    locale_t before = zw_plain_begin();
    zw_status status = draw_file(s, kind, &f, report, err);
    zw_plain_end(before);
    if (status >= 0)
        return zw_out_commit(&f, err);
    zw_out_abandon(&f);
    return status;
}
