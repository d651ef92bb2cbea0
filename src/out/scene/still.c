/* SPDX-License-Identifier: MIT */
/* A still: everything of a time on one sheet, as vectors (SVG, PDF) or pixels (PNG). */
#include <math.h>
#include <stdio.h>
#include <string.h>
#include <strings.h>

#include <cairo-pdf.h>
#include <cairo-svg.h>

#include "out/files/file.h"
#include "scene.h"

enum { SIZE_MAX_PIXELS = 16384, WIDTH = 1280, HEIGHT = 720 };

void zw_view_options_init(zw_view_options *options, size_t size) {
    zw_view_options o = {.size = size,
                         .width = WIDTH,
                         .height = HEIGHT,
                         .azimuth = NAN,
                         .elevation = NAN,
                         .zoom = 1,
                         .line = 1};
    memset(options, 0, size);
    memcpy(options, &o, size < sizeof o ? size : sizeof o);
}

zw_status zw_view_options_check(const zw_view_options *o, zw_error *err) {
    if (o->width < 16 || o->height < 16 || o->width > SIZE_MAX_PIXELS ||
        o->height > SIZE_MAX_PIXELS)
        return zw_fail(err, ZW_E_OPTION, "a picture of %d x %d pixels: 16 to %d are possible",
                       o->width, o->height, SIZE_MAX_PIXELS);
    if (!(o->zoom > 0) || !isfinite(o->zoom))
        return zw_fail(err, ZW_E_OPTION, "zoom is %g and must be positive", o->zoom);
    if (!(o->line > 0) || !isfinite(o->line))
        return zw_fail(err, ZW_E_OPTION, "the thickness of lines is %g and must be positive",
                       o->line);
    return ZW_OK;
}

static void draw_all(zw_scene_sheet *s, zw_prims *prims) {
    const zw_rgb paper = s->theme.paper;
    cairo_set_source_rgb(s->cr, paper.r, paper.g, paper.b);
    cairo_paint(s->cr);
    if (!s->o->bare) {
        zw_scene_ground(s);
        zw_scene_shadows(s, prims);
    }
    for (int i = 0; i < prims->n; i++)
        zw_scene_paint(s, &prims->item[i]);
    if (!s->o->bare)
        zw_scene_margin(s);
}

bool zw_scene_draw(cairo_t *cr, const zw_view *view, const zw_view_stage *stage,
                   const zw_view_options *o, double t) {
    zw_arena arena;
    zw_arena_init(&arena, NULL);
    zw_scene_sheet s = {.cr = cr,
                        .view = view,
                        .stage = stage,
                        .o = o,
                        .theme = zw_scene_theme_of(o->dark),
                        .t = t,
                        .arena = &arena,
                        .line = o->line * fmax(fmin(o->width / 1280.0, o->height / 720.0), 0.5)};
    zw_prims prims = {.arena = &arena};
    s.placed = ZW_NEW(&arena, zw_placed, view->n + 1);
    bool well = s.placed != NULL;
    for (int i = 0; well && i < view->n; i++)
        zw_scene_place(view, i, t, &s.placed[i]);
    if (well) {
        zw_camera_set(&s.camera, view, stage, o, t);
        well = zw_scene_shapes(&s, &prims) && zw_scene_order(&s, &prims);
    }
    if (well)
        draw_all(&s, &prims);
    zw_arena_clear(&arena);
    return well;
}

/* ---- the file ---- */

static cairo_status_t write_bytes(void *stream, const unsigned char *data, unsigned int n) {
    return fwrite(data, 1, n, stream) == n ? CAIRO_STATUS_SUCCESS : CAIRO_STATUS_WRITE_ERROR;
}

typedef enum kind { SVG, PDF, PNG } kind;

static zw_status kind_of(const char *ending, const char *name, kind *out, zw_error *err) {
    static const char *const endings[] = {"svg", "pdf", "png"};
    for (int i = 0; i < 3; i++)
        if (strcasecmp(ending, endings[i]) == 0) {
            *out = (kind)i;
            return ZW_OK;
        }
    zw_fail(err, ZW_E_OPTION, "%s: a still is SVG, PDF or PNG", name);
    zw_error_hint(err, "the ending says which: still.svg, still.pdf, still.png");
    return ZW_E_OPTION;
}

static cairo_surface_t *surface_of(kind k, FILE *stream, const zw_view_options *o) {
    double points = 0.75; /* of a pixel of 1/96 inch */
    switch (k) {
    case SVG:
        return cairo_svg_surface_create_for_stream(write_bytes, stream, points * o->width,
                                                   points * o->height);
    case PDF:
        return cairo_pdf_surface_create_for_stream(write_bytes, stream, points * o->width,
                                                   points * o->height);
    default:
        return cairo_image_surface_create(CAIRO_FORMAT_RGB24, o->width, o->height);
    }
}

static zw_status draw_file(const zw_view *view, double t, kind k, const zw_view_options *o,
                           zw_out_file *f, zw_error *err) {
    zw_view_stage stage;
    zw_view_measure(view, &stage);
    cairo_surface_t *surface = surface_of(k, f->stream, o);
    cairo_t *cr = cairo_create(surface);
    if (k != PNG)
        cairo_scale(cr, 0.75, 0.75);
    bool well = zw_scene_draw(cr, view, &stage, o, t);
    cairo_status_t drawn = cairo_status(cr);
    cairo_destroy(cr);
    if (k == PNG && drawn == CAIRO_STATUS_SUCCESS)
        drawn = cairo_surface_write_to_png_stream(surface, write_bytes, f->stream);
    cairo_surface_finish(surface);
    if (drawn == CAIRO_STATUS_SUCCESS)
        drawn = cairo_surface_status(surface);
    cairo_surface_destroy(surface);
    if (!well || drawn == CAIRO_STATUS_NO_MEMORY)
        return zw_fail(err, ZW_E_MEMORY, "out of memory for the still");
    if (drawn != CAIRO_STATUS_SUCCESS)
        return zw_fail(err, ZW_E_FILE, "cannot draw '%s': %s", f->name,
                       cairo_status_to_string(drawn));
    return ZW_OK;
}

static zw_view_options options_of(const zw_view_options *given) {
    zw_view_options o = zw_view_options_default();
    if (given)
        memcpy(&o, given, given->size < sizeof o ? given->size : sizeof o);
    return o;
}

static zw_status still(const zw_view *view, double t, kind k, const char *path, zw_bytes *bytes,
                       const zw_view_options *options, zw_error *err) {
    zw_view_options o = options_of(options);
    zw_out_file f;
    ZW_TRY(zw_view_options_check(&o, err));
    if (view->rows < 1)
        return zw_fail(err, ZW_E_OPTION, "there is no row to be shown");
    ZW_TRY(zw_out_begin(&f, path, bytes, err));
    locale_t before = zw_out_plain_begin();
    zw_status status = draw_file(view, t, k, &o, &f, err);
    zw_out_plain_end(before);
    if (status >= 0)
        return zw_out_commit(&f, err);
    zw_out_abandon(&f);
    return status;
}

static zw_status kind_of_path(const char *path, kind *k, zw_error *err) {
    const char *dot = strrchr(path, '.');
    return kind_of(dot && !strchr(dot, '/') ? dot + 1 : "", path, k, err);
}

zw_status zw_view_still_check(const char *path, const zw_view_options *options, zw_error *err) {
    kind k;
    zw_view_options o = options_of(options);
    ZW_TRY(kind_of_path(path, &k, err));
    ZW_TRY(zw_view_options_check(&o, err));
    return zw_out_check_place(path, err);
}

zw_status zw_view_still(const zw_view *view, double t, const char *path,
                        const zw_view_options *options, zw_error *err) {
    kind k;
    ZW_TRY(kind_of_path(path, &k, err));
    return still(view, t, k, path, NULL, options, err);
}

zw_status zw_view_still_bytes(const zw_view *view, double t, const char *ending, zw_bytes *out,
                              const zw_view_options *options, zw_error *err) {
    kind k;
    *out = (zw_bytes){0};
    ZW_TRY(kind_of(ending, ending, &k, err));
    return still(view, t, k, NULL, out, options, err);
}
