/* SPDX-License-Identifier: MIT */
/* The file of a drawn scene: vectors (SVG, PDF) or pixels (PNG). */
#include <math.h>
#include <stdio.h>
#include <string.h>
#include <strings.h>

#include <cairo-pdf.h>
#include <cairo-svg.h>

#include "base/arena.h"
#include "out/files/file.h"
#include "scene.h"

static cairo_status_t write_bytes(void *stream, const unsigned char *data, unsigned int n) {
    return fwrite(data, 1, n, stream) == n ? CAIRO_STATUS_SUCCESS : CAIRO_STATUS_WRITE_ERROR;
}

zw_status zw_scene_kind_of(const char *ending, const char *name, zw_scene_kind *out,
                           zw_error *err) {
    static const char *const endings[] = {"svg", "pdf", "png"};
    for (int i = 0; i < 3; i++)
        if (strcasecmp(ending, endings[i]) == 0) {
            *out = (zw_scene_kind)i;
            return ZW_OK;
        }
    zw_fail(err, ZW_E_OPTION, "%s: a picture of the scene is SVG, PDF or PNG", name);
    zw_error_hint(err, "the ending says which: still.svg, still.pdf, still.png");
    return ZW_E_OPTION;
}

zw_status zw_scene_kind_of_path(const char *path, zw_scene_kind *out, zw_error *err) {
    const char *dot = strrchr(path, '.');
    return zw_scene_kind_of(dot && !strchr(dot, '/') ? dot + 1 : "", path, out, err);
}

static cairo_surface_t *surface_of(zw_scene_kind k, FILE *stream, const zw_scene_page *page) {
    double width = page->points * page->width, height = page->points * page->height;
    switch (k) {
    case ZW_SCENE_SVG:
        return cairo_svg_surface_create_for_stream(write_bytes, stream, width, height);
    case ZW_SCENE_PDF:
        return cairo_pdf_surface_create_for_stream(write_bytes, stream, width, height);
    default:
        return cairo_image_surface_create(CAIRO_FORMAT_RGB24, (int)ceil(page->dots * page->width),
                                          (int)ceil(page->dots * page->height));
    }
}

static zw_status draw_page(const zw_scene_page *page, zw_scene_kind k, zw_out_file *f,
                           zw_error *err) {
    cairo_surface_t *surface = surface_of(k, f->stream, page);
    cairo_t *cr = cairo_create(surface);
    double scale = k == ZW_SCENE_PNG ? page->dots : page->points;
    if (scale != 1)
        cairo_scale(cr, scale, scale);
    bool well = page->draw(cr, page->user);
    cairo_status_t drawn = cairo_status(cr);
    cairo_destroy(cr);
    if (k == ZW_SCENE_PNG && drawn == CAIRO_STATUS_SUCCESS)
        drawn = cairo_surface_write_to_png_stream(surface, write_bytes, f->stream);
    cairo_surface_finish(surface);
    if (drawn == CAIRO_STATUS_SUCCESS)
        drawn = cairo_surface_status(surface);
    cairo_surface_destroy(surface);
    if (!well || drawn == CAIRO_STATUS_NO_MEMORY)
        return zw_out_of_memory(err, "the picture");
    if (drawn != CAIRO_STATUS_SUCCESS)
        return zw_fail(err, ZW_E_FILE, "cannot draw '%s': %s", f->name,
                       cairo_status_to_string(drawn));
    return ZW_OK;
}

zw_status zw_scene_write(const zw_scene_page *page, zw_scene_kind k, const char *path,
                         zw_bytes *bytes, zw_error *err) {
    zw_out_file f;
    ZW_TRY(zw_out_begin(&f, path, bytes, err));
    locale_t before = zw_plain_begin();
    zw_status status = draw_page(page, k, &f, err);
    zw_plain_end(before);
    if (status >= 0)
        return zw_out_commit(&f, err);
    zw_out_abandon(&f);
    return status;
}
