/* SPDX-License-Identifier: MIT */
/* A still: everything at one time on one sheet. */
#include <math.h>
#include <string.h>

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
                         .line = 1,
                         .forces = true};
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

static void draw_all(zw_scene_sheet *s, const zw_prims *all, const zw_prims *ordered) {
    const zw_rgb paper = s->theme.paper;
    cairo_set_source_rgb(s->cr, paper.r, paper.g, paper.b);
    cairo_paint(s->cr);
    if (!s->o->bare) {
        zw_scene_ground(s);
        zw_scene_shadows(s, all);
    }
    zw_scene_paint(s, ordered);
    if (!s->o->bare)
        zw_scene_margin(s);
}

bool zw_scene_draw_frame(cairo_t *cr, const zw_view *view, const zw_view_stage *stage,
                         const zw_view_options *o, double frame, double t) {
    zw_arena arena;
    zw_arena_init(&arena, NULL);
    zw_scene_sheet s = {.cr = cr,
                        .view = view,
                        .stage = stage,
                        .o = o,
                        .theme = zw_scene_theme_of(o->dark),
                        .t = t,
                        .frame = frame,
                        .arena = &arena,
                        .pixel = 1,
                        .line = o->line * fmax(fmin(o->width / 1280.0, o->height / 720.0), 0.5)};
    zw_prims prims = {.arena = &arena}, all = prims;
    s.placed = ZW_NEW(&arena, zw_placed, view->n + 1);
    bool well = s.placed != NULL;
    for (int i = 0; well && i < view->n; i++)
        zw_scene_place(view, i, t, &s.placed[i]);
    if (well) {
        zw_camera_set(&s.camera, view, stage, o, t);
        well = zw_scene_shapes(&s, &prims);
        zw_scene_contacts(&s, &prims);
        well = well && !prims.failed;
        zw_scene_hide(&prims);
        all = prims;
        well = well && zw_scene_order(&s, &prims);
    }
    if (well)
        draw_all(&s, &all, &prims);
    zw_arena_clear(&arena);
    return well;
}

bool zw_scene_draw(cairo_t *cr, const zw_view *view, const zw_view_stage *stage,
                   const zw_view_options *o, double t) {
    return zw_scene_draw_frame(cr, view, stage, o, 0, t);
}

zw_view zw_scene_seen(const zw_view *view, bool forces) {
    zw_view seen = *view;
    seen.ncontact = forces ? view->ncontact : 0;
    return seen;
}

/* ---- the file ---- */

typedef struct still_page {
    const zw_view *view;
    const zw_view_options *o;
    double t;
} still_page;

static bool draw_page(cairo_t *cr, void *user) {
    const still_page *m = user;
    zw_view_stage stage;
    zw_view_measure(m->view, &stage);
    return zw_scene_draw(cr, m->view, &stage, m->o, m->t);
}

static zw_view_options options_of(const zw_view_options *given) {
    zw_view_options o = zw_view_options_default();
    if (given)
        memcpy(&o, given, given->size < sizeof o ? given->size : sizeof o);
    return o;
}

static zw_status write_still(const zw_view *view, double t, zw_scene_kind k, const char *path,
                             zw_bytes *bytes, const zw_view_options *options, zw_error *err) {
    zw_view_options o = options_of(options);
    const zw_view seen = zw_scene_seen(view, o.forces);
    still_page m = {&seen, &o, t};
    zw_scene_page page = {o.width, o.height, 0.75, 1, draw_page, &m};
    ZW_TRY(zw_view_options_check(&o, err));
    if (view->rows < 1)
        return zw_fail(err, ZW_E_OPTION, "there is no row to be shown");
    return zw_scene_write(&page, k, path, bytes, err);
}

zw_status zw_view_still_check(const char *path, const zw_view_options *options, zw_error *err) {
    zw_scene_kind k;
    zw_view_options o = options_of(options);
    ZW_TRY(zw_scene_kind_of_path(path, &k, err));
    ZW_TRY(zw_view_options_check(&o, err));
    return zw_out_check_place(path, err);
}

zw_status zw_view_still(const zw_view *view, double t, const char *path,
                        const zw_view_options *options, zw_error *err) {
    zw_scene_kind k;
    ZW_TRY(zw_scene_kind_of_path(path, &k, err));
    return write_still(view, t, k, path, NULL, options, err);
}

zw_status zw_view_still_bytes(const zw_view *view, double t, const char *ending, zw_bytes *out,
                              const zw_view_options *options, zw_error *err) {
    zw_scene_kind k;
    *out = (zw_bytes){0};
    ZW_TRY(zw_scene_kind_of(ending, ending, &k, err));
    return write_still(view, t, k, NULL, out, options, err);
}
