/* SPDX-License-Identifier: MIT */
/* The paper as a raster: the hidden fraction of an instant, and the distance of a place from each
 * of them.
 *
 * Instants are painted one by one as masks. Their areas a_k and the area A of all of them together
 * give the hidden fraction, 1 - A/sum a_k. Distances from a mask are found by two sweeps, down and
 * up, with steps of 1 to the side and sqrt 2 diagonally: at most 8 % too long. */
#include <math.h>
#include <string.h>

#include "base/arena.h"
#include "strobe.h"

enum { SIDE = 400, HALF = 128 };
#define CELL 1.0      /* points */
#define CELLS_MAX 2e7 /* of all maps, 80 MB; with more of them cells are larger */

typedef struct mask {
    int nx, ny, stride;
    double cell; /* points */
    cairo_surface_t *surface;
    const unsigned char *at;
} mask;

static void paint_mask(const zw_strobe *w, const zw_camera *c, const zw_prims *list, mask *m) {
    m->surface = cairo_image_surface_create(CAIRO_FORMAT_A8, m->nx, m->ny);
    zw_scene_sheet s = w->sheet;
    s.cr = cairo_create(m->surface);
    cairo_scale(s.cr, 1 / m->cell, 1 / m->cell);
    s.camera = *c;
    zw_scene_paint(&s, list);
    cairo_destroy(s.cr);
    cairo_surface_flush(m->surface);
    m->at = cairo_image_surface_get_data(m->surface);
    m->stride = cairo_image_surface_get_stride(m->surface);
}

/* these drawings at an instant as a mask; the caller owns the surface */
static zw_status create_mask(zw_strobe *w, const zw_camera *c, double t, unsigned parts, mask *m,
                             zw_error *err) {
    zw_arena_mark mark = zw_arena_mark_now(&w->arena);
    zw_prims list = {.arena = &w->arena};
    bool well = zw_strobe_add(&w->sheet, t, parts, 0, &list);
    for (int i = 0; i < list.n; i++) /* letters may be on fixed planes, and on clear parts */
        list.item[i].unseen |=
            list.item[i].alpha < 1 || (list.item[i].large && !(parts & ZW_STROBE_MOVING));
    if (well)
        paint_mask(w, c, &list, m);
    zw_arena_release(&w->arena, mark);
    return well && m->at ? ZW_OK : zw_out_of_memory(err, "the picture");
}

static void destroy_mask(mask *m) {
    cairo_surface_destroy(m->surface);
    *m = (mask){.nx = m->nx, .ny = m->ny, .cell = m->cell};
}

zw_status zw_strobe_hidden(zw_strobe *w, double *out, zw_error *err) {
    mask m = {.nx = SIDE, .ny = SIDE, .cell = 1};
    zw_arena_mark mark = zw_arena_mark_now(&w->arena);
    unsigned char *all = zw_arena_alloc(&w->arena, SIDE * SIDE);
    long sum = 0, together = 0;
    zw_camera c = w->sheet.camera;
    zw_status status = all ? ZW_OK : zw_out_of_memory(err, "the picture");
    zw_strobe_fit(&c, w->box, &(zw_strobe_rect){0, 0, SIDE, SIDE});
    for (int k = 0; k < w->n && status >= 0; k++) {
        status = create_mask(w, &c, w->t[k], ZW_STROBE_MOVING, &m, err);
        for (int y = 0; y < SIDE && status >= 0; y++)
            for (int x = 0; x < SIDE; x++)
                if (m.at[y * m.stride + x] >= HALF) {
                    sum++;
                    together += !all[y * SIDE + x];
                    all[y * SIDE + x] = 1;
                }
        destroy_mask(&m);
    }
    zw_arena_release(&w->arena, mark);
    *out = sum ? 1 - (double)together / (double)sum : 0;
    return status;
}

/* ---- distances ---- */

static void sweep_distances(float *d, int nx, int ny) {
    const float across = 1.41421356F;
    for (int y = 0; y < ny; y++)
        for (int x = 0; x < nx; x++) {
            float *at = &d[y * nx + x], least = *at;
            if (x > 0)
                least = fminf(least, at[-1] + 1);
            if (y > 0)
                least = fminf(least, at[-nx] + 1);
            if (x > 0 && y > 0)
                least = fminf(least, at[-nx - 1] + across);
            if (x + 1 < nx && y > 0)
                least = fminf(least, at[-nx + 1] + across);
            *at = least;
        }
}

/* the sweep upwards is the one downwards of the rotated map */
static void reverse_map(float *d, int n) {
    for (int i = 0; i < n / 2; i++) {
        float other = d[i];
        d[i] = d[n - 1 - i];
        d[n - 1 - i] = other;
    }
}

static void measure_distances(const mask *m, float *d, double cell) {
    int n = m->nx * m->ny;
    for (int i = 0; i < n; i++)
        d[i] = m->at[i / m->nx * m->stride + i % m->nx] >= HALF / 2 ? 0 : (float)n;
    for (int pass = 0; pass < 2; pass++) {
        sweep_distances(d, m->nx, m->ny);
        reverse_map(d, n);
    }
    for (int i = 0; i < n; i++)
        d[i] *= (float)cell;
}

static void add_ink(const mask *m, unsigned char *ink) {
    for (int i = 0; i < m->nx * m->ny; i++)
        ink[i] |= m->at[i / m->nx * m->stride + i % m->nx] >= HALF / 4;
}

zw_status zw_strobe_map_create(zw_strobe *w, zw_strobe_map *out, zw_error *err) {
    double cell = fmax(CELL, sqrt(w->width * w->height * w->n / CELLS_MAX));
    *out = (zw_strobe_map){
        .nx = (int)ceil(w->width / cell), .ny = (int)ceil(w->height / cell), .cell = cell};
    int n = out->nx * out->ny;
    mask m = {.nx = out->nx, .ny = out->ny, .cell = cell};
    zw_camera c = w->sheet.camera;
    out->ink = zw_arena_alloc(&w->arena, (size_t)n);
    out->own = ZW_NEW(&w->arena, float, (size_t)n *(size_t)w->n);
    if (!out->ink || !out->own)
        return zw_out_of_memory(err, "the picture");
    zw_status status =
        create_mask(w, &c, w->t[w->n - 1], ZW_STROBE_FIXED | ZW_STROBE_PATHS, &m, err);
    if (status >= 0)
        add_ink(&m, out->ink);
    destroy_mask(&m);
    for (int k = 0; k < w->n && status >= 0; k++) {
        status = create_mask(w, &c, w->t[k], ZW_STROBE_MOVING, &m, err);
        if (status >= 0) {
            add_ink(&m, out->ink);
            measure_distances(&m, out->own + (size_t)k * (size_t)n, cell);
        }
        destroy_mask(&m);
    }
    return status;
}
