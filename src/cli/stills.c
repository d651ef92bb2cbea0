/* SPDX-License-Identifier: MIT */
#include "stills.h"

#include <limits.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "job.h"
#include "progress.h"

#define AT(field) offsetof(cli_stills_options, field)

#define TIME_SLACK 1e-9 /* of the whole time: round-off of the first and the last row */
enum { ROWS = 20000 };  /* of a path, between which frames are interpolated */
#define GIF_FPS 20      /* default: files of this kind are large */

const zw_option cli_stills_table[] = {
    {"still", ZW_OPT_STRING, AT(still), 0, 0, 0, "", "FILE",
     "picture of the scene instead of the page: .svg, .pdf, .png"},
    {"at", ZW_OPT_DOUBLE, AT(at), 0, -1e12, 1e12, "s", NULL,
     "time of the still (default the first row)"},
    {"video", ZW_OPT_STRING, AT(video), 0, 0, 0, "", "FILE",
     "film instead of the page, by ffmpeg: .mp4, .webm, .gif"},
    {"fps", ZW_OPT_DOUBLE, AT(fps), 30, 0.01, 1000, "", NULL,
     "frames per second of the film (default 30, of a GIF 20)"},
    {"speed", ZW_OPT_DOUBLE, AT(speed), 1, 1e-9, 1e9, "", NULL,
     "seconds of motion per second of film"},
    {"from", ZW_OPT_DOUBLE, AT(from), 0, -1e12, 1e12, "s", NULL,
     "start of the film (default the first row)"},
    {"to", ZW_OPT_DOUBLE, AT(to), 0, -1e12, 1e12, "s", NULL,
     "end of the film (default the last row)"},
    {"size", ZW_OPT_STRING, AT(size), 0, 0, 0, "", "WxH",
     "pixels of stills and films (default 1280x720, of a GIF 640x360)"},
    {"azimuth", ZW_OPT_DOUBLE, AT(azimuth), 0, -360, 360, "deg", NULL,
     "viewing direction, from x to y if z is up (default: chosen)"},
    {"elevation", ZW_OPT_DOUBLE, AT(elevation), 0, -90, 90, "deg", NULL,
     "viewing angle above the ground (default: chosen)"},
    {"zoom", ZW_OPT_DOUBLE, AT(zoom), 1, 0.01, 100, "", NULL, "magnification"},
    {"bare", ZW_OPT_FLAG, AT(bare), 0, 0, 0, "", NULL,
     "drawings only, without ground, axes and clock"},
    {"dark", ZW_OPT_FLAG, AT(dark), 0, 0, 0, "", NULL, "dark background"},
    {"forces", ZW_OPT_CHOICE, AT(forces), 1, 0, 0, "", "off|on",
     "contacts with their forces as arrows"},
    {0},
};

static bool is_gif(const char *path) {
    const char *dot = path ? strrchr(path, '.') : NULL;
    return dot && strcmp(dot, ".gif") == 0;
}

bool cli_stills_are_wanted(const cli_options *o) {
    return o->stills.still || o->stills.video;
}

/* "1920x1080"; false if it is not a size at all */
static bool read_size(const char *text, int *width, int *height) {
    char *end;
    long w = strtol(text, &end, 10);
    if (end == text || *end != 'x')
        return false;
    const char *second = end + 1;
    long h = strtol(second, &end, 10);
    if (end == second || *end || w < 0 || w > INT_MAX || h < 0 || h > INT_MAX)
        return false;
    *width = (int)w;
    *height = (int)h;
    return true;
}

/* the options of a film or a still with this name */
static zw_status read_style(const cli_options *o, const char *path, zw_view_options *v,
                            zw_error *err) {
    const cli_stills_options *l = &o->stills;
    *v = zw_view_options_default();
    if (is_gif(path)) {
        v->width = 640;
        v->height = 360;
    }
    if (l->size && !read_size(l->size, &v->width, &v->height)) {
        zw_fail(err, ZW_E_OPTION, "--size %s is not a size", l->size);
        zw_error_hint(err, "width x height in pixels: --size 1920x1080");
        return ZW_E_OPTION;
    }
    v->azimuth = cli_is_given(o, "azimuth") ? l->azimuth : NAN;
    v->elevation = cli_is_given(o, "elevation") ? l->elevation : NAN;
    v->zoom = l->zoom;
    v->bare = l->bare;
    v->dark = l->dark;
    v->forces = l->forces;
    return ZW_OK;
}

static bool go_on(void *user, double fraction) {
    return !cli_watch(user, fraction);
}

static zw_status read_film(const cli_options *o, zw_film_options *f, zw_error *err) {
    *f = zw_film_options_default();
    ZW_TRY(read_style(o, o->stills.video, &f->view, err));
    f->from = cli_is_given(o, "from") ? o->stills.from : NAN;
    f->until = cli_is_given(o, "to") ? o->stills.to : NAN;
    f->fps = is_gif(o->stills.video) && !cli_is_given(o, "fps") ? GIF_FPS : o->stills.fps;
    f->speed = o->stills.speed;
    f->go_on = go_on;
    f->user = (void *)(size_t)o; /* only read */
    return ZW_OK;
}

/* an option that has no effect is a mistake */
static zw_status check_use(const cli_options *o, zw_error *err) {
    static const char *const of_films[] = {"fps", "speed", "from", "to"};
    for (size_t i = 0; i < sizeof of_films / sizeof *of_films; i++)
        if (cli_is_given(o, of_films[i]) && !o->stills.video)
            return zw_fail(err, ZW_E_OPTION, "--%s is for films: --video FILE", of_films[i]);
    if (cli_is_given(o, "at") && !o->stills.still)
        return zw_fail(err, ZW_E_OPTION, "--at is for stills: --still FILE");
    for (const zw_option *row = cli_stills_table; row->key && !cli_stills_are_wanted(o); row++)
        if (cli_is_given(o, row->key))
            return zw_fail(err, ZW_E_OPTION,
                           "--%s is for stills and films: --still FILE, --video FILE", row->key);
    return ZW_OK;
}

zw_status cli_stills_check(const cli_options *o, zw_error *err) {
    zw_film_options film;
    zw_view_options still;
    ZW_TRY(check_use(o, err));
    if (o->stills.still) {
        ZW_TRY(read_style(o, o->stills.still, &still, err));
        ZW_TRY(zw_view_still_check(o->stills.still, &still, err));
    }
    if (o->stills.video) {
        ZW_TRY(read_film(o, &film, err));
        ZW_TRY(zw_film_available(o->stills.video, &film, err));
    }
    return ZW_OK;
}

/* checks that the motion includes this time */
static zw_status check_time(const cli_options *o, const char *key, double t, const zw_view *v,
                            zw_error *err) {
    double first = v->time[0], last = v->time[v->rows - 1], slack = TIME_SLACK * (last - first);
    if (!cli_is_given(o, key) || (t >= first - slack && t <= last + slack))
        return ZW_OK;
    return zw_fail(err, ZW_E_OPTION, "--%s %g: the motion is from t = %g s to %g s", key, t, first,
                   last);
}

static zw_status draw_still(const cli_options *o, const zw_view *v, zw_error *err) {
    zw_view_options options;
    double t = cli_is_given(o, "at") ? o->stills.at : v->time[0];
    ZW_TRY(check_time(o, "at", t, v, err));
    ZW_TRY(read_style(o, o->stills.still, &options, err));
    ZW_TRY(cli_guard_write(o, o->stills.still, err));
    ZW_TRY(zw_view_still(v, t, o->stills.still, &options, err));
    if (!o->quiet && strcmp(o->stills.still, "-") != 0)
        fprintf(stderr, "still %s: %d x %d, t = %g s\n", o->stills.still, options.width,
                options.height, t);
    return ZW_OK;
}

static zw_status draw_film(const cli_options *o, const zw_view *v, zw_error *err) {
    zw_film_options options;
    cli_signals signals;
    ZW_TRY(check_time(o, "from", o->stills.from, v, err));
    ZW_TRY(check_time(o, "to", o->stills.to, v, err));
    ZW_TRY(read_film(o, &options, err));
    if (options.until <= options.from)
        return zw_fail(err, ZW_E_OPTION, "--to %g is not after --from %g", o->stills.to,
                       o->stills.from);
    ZW_TRY(cli_guard_write(o, o->stills.video, err));
    long n = zw_film_frames(v, &options);
    cli_signals_begin(&signals);
    zw_status status = zw_film_write(v, o->stills.video, &options, err);
    cli_signals_end(&signals);
    cli_end_progress();
    if (status == ZW_STOPPED && !o->quiet)
        fprintf(stderr, "interrupted: there is no film\n");
    if (status == ZW_OK && !o->quiet)
        fprintf(stderr, "video %s: %ld frames of %d x %d, %.3g s at %g frames per second\n",
                o->stills.video, n, options.view.width, options.view.height,
                (double)n / options.fps, options.fps);
    return status;
}

static zw_status report_scene(const cli_options *o, const zw_scene *scene, zw_error *err) {
    for (int i = 0; i < scene->nmissing && !o->quiet; i++)
        fprintf(stderr, "  not drawn: %s\n", scene->missing[i]);
    if (scene->nitem == 0) {
        zw_fail(err, ZW_E_MODEL,
                "there is nothing to be drawn: the model has no particles or bodies "
                "that could be shown, and draws nothing");
        zw_error_hint(err, "say what is to be seen: draw sphere(0.1 [m]) at (x, 0, 0)");
        return ZW_E_MODEL;
    }
    if (scene->sketched && !o->quiet)
        fprintf(stderr, "a sketch: the model draws nothing\n");
    return ZW_OK;
}

void cli_stills_report_forces(const cli_options *o, const zw_view *v) {
    zw_view_stage stage;
    char key[100], cut[100];
    if (o->quiet || v->ncontact == 0)
        return;
    zw_view_measure(v, &stage);
    zw_view_force_key(v, &stage, key, sizeof key);
    zw_view_force_cut(v, &stage, cut, sizeof cut);
    fprintf(stderr, "%d %s%s%s%s%s\n", v->ncontact, v->ncontact > 1 ? "contacts" : "contact",
            key[0] ? ", forces " : "", key, cut[0] ? ", arrows of two heads are " : "", cut);
}

zw_status cli_stills_draw(const cli_options *o, const zw_table *result, zw_error *err) {
    zw_figure_view *view;
    ZW_TRY(zw_figure_view_create(&view, result, ROWS, err));
    const zw_view *v = zw_figure_view_content(view);
    zw_status status = report_scene(o, zw_figure_view_scene(view), err);
    if (status == ZW_OK && o->stills.forces)
        cli_stills_report_forces(o, v);
    if (status == ZW_OK && o->stills.still)
        status = draw_still(o, v, err);
    if (status == ZW_OK && o->stills.video)
        status = draw_film(o, v, err);
    zw_figure_view_destroy(view);
    return status;
}
