/* SPDX-License-Identifier: MIT */
/* Films: stills at exact times, t_k = from + k speed/fps, sent one by one to ffmpeg. The same
 * motion gives the same frames. Forces of contacts are means since the frame before. */
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <unistd.h>

#include "base/arena.h"
#include "encoder.h"
#include "out/files/file.h"
#include "scene.h"

/* The last frame must not be lost by round-off: of the quotient, and of a number of frames. */
#define SPAN_SLACK 1e-12
#define FRAME_SLACK 1e-9
#define FRAMES_MAX 1000000
#define PALETTE_FRAMES 24 /* number of frames from which the colours of a GIF are taken */

void zw_film_options_init(zw_film_options *options, size_t size) {
    zw_film_options o = {.size = size, .from = NAN, .until = NAN, .fps = 30, .speed = 1};
    zw_view_options_init(&o.view, sizeof o.view);
    memset(options, 0, size);
    memcpy(options, &o, size < sizeof o ? size : sizeof o);
}

static zw_film_options options_of(const zw_film_options *given) {
    zw_film_options o = zw_film_options_default();
    if (given)
        memcpy(&o, given, given->size < sizeof o ? given->size : sizeof o);
    if (!o.program)
        o.program = "ffmpeg";
    return o;
}

static zw_status kind_of(const char *path, zw_film_kind *kind, zw_error *err) {
    static const char *const endings[] = {".mp4", ".webm", ".gif"};
    const char *dot = strrchr(path, '.');
    for (int i = 0; i < 3 && dot; i++)
        if (strcasecmp(dot, endings[i]) == 0) {
            *kind = (zw_film_kind)i;
            return ZW_OK;
        }
    zw_fail(err, ZW_E_OPTION, "%s: a film is MP4, WebM or GIF", path);
    zw_error_hint(err, "the ending says which: film.mp4, film.webm, film.gif");
    return ZW_E_OPTION;
}

static zw_status check_options(const zw_film_options *o, zw_error *err) {
    ZW_TRY(zw_view_options_check(&o->view, err));
    if (o->view.width % 2 || o->view.height % 2)
        return zw_fail(err, ZW_E_OPTION, "a film has even numbers of pixels, not %d x %d",
                       o->view.width, o->view.height);
    if (!(o->fps > 0) || o->fps > 1000)
        return zw_fail(err, ZW_E_OPTION, "%g frames per second: more than 0, up to 1000", o->fps);
    if (!(o->speed > 0) || !isfinite(o->speed))
        return zw_fail(err, ZW_E_OPTION, "the speed of the film is %g and must be positive",
                       o->speed);
    return ZW_OK;
}

/* the part of the motion that is shown */
static void span_of(const zw_view *view, zw_film_options *o) {
    double first = view->time[0], last = view->time[view->rows - 1];
    o->from = isnan(o->from) ? first : fmin(fmax(o->from, first), last);
    o->until = isnan(o->until) ? last : fmin(fmax(o->until, first), last);
}

static double frame_count(const zw_film_options *o) {
    double n = floor((o->until - o->from) / o->speed * o->fps * (1 + SPAN_SLACK) + FRAME_SLACK) + 1;
    return n > 1 ? n : 1;
}

long zw_film_frames(const zw_view *view, const zw_film_options *options) {
    zw_film_options o = options_of(options);
    if (view->rows < 1)
        return 0;
    span_of(view, &o);
    double n = frame_count(&o);
    return n < FRAMES_MAX ? (long)n : FRAMES_MAX;
}

zw_status zw_film_available(const char *path, const zw_film_options *options, zw_error *err) {
    zw_film_options o = options_of(options);
    zw_film_kind kind;
    const char *coder;
    ZW_TRY(kind_of(path, &kind, err));
    ZW_TRY(check_options(&o, err));
    if (zw_out_is_direct(path))
        return zw_fail(err, ZW_E_OPTION, "%s: a film is written into a file", path);
    ZW_TRY(zw_out_check_place(path, err));
    return zw_encoder_find(o.program, kind, &coder, err);
}

typedef struct filming {
    const zw_view *view;
    const zw_film_options *o;
    zw_view_stage stage;
    cairo_surface_t *surface;
    cairo_t *cr;
} filming;

/* sends one frame to the child; ZW_EVENT if that has ended: it will report why */
static zw_status send_frame(const filming *f, zw_encoder *e, double t, zw_error *err) {
    double frame = f->o->speed / f->o->fps;
    if (!zw_scene_draw_frame(f->cr, f->view, &f->stage, &f->o->view, frame, t) ||
        cairo_status(f->cr) != CAIRO_STATUS_SUCCESS)
        return zw_out_of_memory(err, "the film");
    cairo_surface_flush(f->surface);
    const unsigned char *data = cairo_image_surface_get_data(f->surface);
    size_t row = 4 * (size_t)f->o->view.width,
           stride = (size_t)cairo_image_surface_get_stride(f->surface);
    for (int y = 0; y < f->o->view.height; y++)
        if (!zw_encoder_take(e, data + (size_t)y * stride, row))
            return ZW_EVENT;
    return ZW_OK;
}

/* every step-th of the n frames; ZW_STOPPED if the callback stops it */
static zw_status send_frames(const filming *f, zw_encoder *e, double step, zw_error *err) {
    const zw_film_options *o = f->o;
    double n = frame_count(o);
    for (double k = 0; k < n; k += step) {
        if (o->go_on && !o->go_on(o->user, k / n))
            return ZW_STOPPED;
        zw_status status = send_frame(f, e, fmin(o->from + k * o->speed / o->fps, o->until), err);
        if (status != ZW_OK)
            return status;
    }
    return ZW_OK;
}

static zw_status encode_frames(const filming *f, const zw_encoding *how, double step,
                               const char *path, zw_error *err) {
    zw_encoder e;
    ZW_TRY(zw_encoder_begin(&e, how, path, err));
    zw_status status = send_frames(f, &e, step, err);
    if (status >= 0 && status != ZW_STOPPED)
        return zw_encoder_end(&e, err);
    zw_encoder_kill(&e);
    return status;
}

/* the colours of a GIF come from some of its frames, in a separate file */
static zw_status encode_gif(const filming *f, zw_encoding how, const char *path, zw_error *err) {
    char palette[PATH_MAX];
    const char *folder = getenv("TMPDIR");
    snprintf(palette, sizeof palette, "%s/zwang-palette-XXXXXX",
             folder && *folder ? folder : "/tmp");
    int fd = mkostemp(palette, O_CLOEXEC);
    if (fd < 0)
        return zw_fail(err, ZW_E_FILE, "cannot write '%s': %s", palette, strerror(errno));
    close(fd);
    zw_encoding first = how;
    first.kind = ZW_FILM_PALETTE;
    first.name = palette;
    zw_status status =
        encode_frames(f, &first, fmax(floor(frame_count(f->o) / PALETTE_FRAMES), 1), palette, err);
    how.palette = palette;
    if (status == ZW_OK)
        status = encode_frames(f, &how, 1, path, err);
    unlink(palette);
    return status;
}

static zw_status write_film(const zw_view *view, const zw_film_options *o, zw_film_kind kind,
                            const char *coder, const zw_out_file *file, zw_error *err) {
    const zw_view seen = zw_scene_seen(view, o->view.forces);
    filming f = {.view = &seen, .o = o};
    zw_encoding how = {o->program,    file->name,     kind,   coder,
                       o->view.width, o->view.height, o->fps, NULL};
    zw_view_measure(&seen, &f.stage);
    f.surface = cairo_image_surface_create(CAIRO_FORMAT_RGB24, o->view.width, o->view.height);
    f.cr = cairo_create(f.surface);
    zw_status status;
    if (cairo_status(f.cr) != CAIRO_STATUS_SUCCESS)
        status = zw_out_of_memory(err, "the film");
    else if (kind == ZW_FILM_GIF)
        status = encode_gif(&f, how, file->temporary, err);
    else
        status = encode_frames(&f, &how, 1, file->temporary, err);
    cairo_destroy(f.cr);
    cairo_surface_destroy(f.surface);
    return status;
}

zw_status zw_film_write(const zw_view *view, const char *path, const zw_film_options *options,
                        zw_error *err) {
    zw_film_options o = options_of(options);
    zw_film_kind kind;
    const char *coder;
    zw_out_file f;
    ZW_TRY(kind_of(path, &kind, err));
    ZW_TRY(check_options(&o, err));
    if (view->rows < 1)
        return zw_fail(err, ZW_E_OPTION, "there is no row to be shown");
    span_of(view, &o);
    if (frame_count(&o) > FRAMES_MAX) {
        zw_fail(err, ZW_E_OPTION, "the film would have %.3g frames", frame_count(&o));
        zw_error_hint(err,
                      "a higher speed, fewer frames per second or a shorter part of the motion");
        return ZW_E_OPTION;
    }
    if (zw_out_is_direct(path))
        return zw_fail(err, ZW_E_OPTION, "%s: a film is written into a file", path);
    ZW_TRY(zw_encoder_find(o.program, kind, &coder, err));
    ZW_TRY(zw_out_begin(&f, path, NULL, err));
    locale_t before = zw_plain_begin();
    zw_status status = write_film(view, &o, kind, coder, &f, err);
    zw_plain_end(before);
    if (status == ZW_OK)
        return zw_out_commit(&f, err);
    zw_out_abandon(&f);
    return status;
}
