/* SPDX-License-Identifier: MIT */
/* Tracking from files to series: options, and the order of the steps. */
#include "tracking.h"

#include <assert.h>
#include <math.h>
#include <string.h>

#include "base/arena.h"
#include "base/option.h"

static const zw_tracking_options defaults = {
    .size = sizeof(zw_tracking_options), .delay_max = 0.02, .outlier = 6, .degree = 3};

void zw_tracking_options_init(zw_tracking_options *options, size_t size) {
    zw_options_begin(options, size, &defaults, sizeof defaults);
}

static zw_status check_options(const zw_tracking_options *o, zw_error *err) {
    const double positive[] = {o->delay_max, o->sd_place, o->sd_angle, o->outlier,
                               o->gap,       o->step,     o->window};
    for (size_t i = 0; i < sizeof positive / sizeof *positive; i++)
        if (!(positive[i] >= 0) || isinf(positive[i]))
            return zw_fail(err, ZW_E_OPTION, "an option of tracking is negative or not finite");
    if (o->degree < 1 || o->degree > 5)
        return zw_fail(err, ZW_E_OPTION, "the degree of local polynomials is 1 to 5");
    for (int i = 0; i < o->ncolumn; i++)
        if (!strchr(o->column[i], '=')) {
            zw_fail(err, ZW_E_OPTION, "--column %s: which coordinate is it?", o->column[i]);
            zw_error_hint(err, "--column NAME=COORDINATE");
            return ZW_E_OPTION;
        }
    return ZW_OK;
}

static zw_status build_tracking(zw_tracking *t, zw_error *err) {
    const zw_system *s = t->sys;
    t->p = ZW_NEW(&t->arena, double, s->np + 1);
    t->series = ZW_NEW(&t->arena, zw_tracking_series, s->nq + 1);
    t->column_seen = ZW_NEW(&t->arena, bool, t->options.ncolumn + 1);
    if (!t->doubts || t->arena.failed)
        return zw_out_of_memory(err, "tracking data");
    for (int i = 0; i < s->nq; i++) {
        t->series[i].info.name = s->coord[i].name;
        t->series[i].info.unit = s->coord[i].unit;
        t->series[i].info.index = i;
    }
    ZW_TRY(check_options(&t->options, err));
    ZW_TRY(zw_system_param_values(s, t->p, err));
    ZW_TRY(zw_tracking_read(t, err));
    for (int i = 0; i < t->options.ncolumn; i++)
        if (!t->column_seen[i])
            return zw_fail(err, ZW_E_OPTION, "--column %.100s: the data have no such column",
                           t->options.column[i]);
    return ZW_OK;
}

zw_status zw_tracking_create(zw_tracking **out, const zw_system *sys, int n,
                             const char *const *data, const zw_tracking_options *options,
                             zw_error *err) {
    assert(out && sys);
    zw_allocator alloc = zw_context_allocator(sys->ctx);
    zw_tracking *t = zw_allocate(&alloc, sizeof *t);
    *out = NULL;
    if (!t)
        return zw_out_of_memory(err, "tracking data");
    *t = (zw_tracking){.sys = sys, .ndata = n, .data = data, .options = defaults};
    zw_arena_init(&t->arena, &alloc);
    t->doubts = zw_warnings_create(&alloc);
    zw_status status = ZW_OK;
    if (options)
        status =
            zw_options_adopt(&t->options, sizeof t->options, options, "zw_tracking_options", err);
    if (status >= 0)
        status = build_tracking(t, err);
    if (status < 0)
        zw_tracking_destroy(t);
    else
        *out = t;
    return status;
}

void zw_tracking_destroy(zw_tracking *t) {
    if (!t)
        return;
    zw_allocator alloc = t->arena.alloc;
    for (int i = 0; i < t->nbody; i++)
        zw_posed_destroy(t->body[i]);
    zw_warnings_destroy(t->doubts);
    zw_arena_clear(&t->arena);
    zw_release(&alloc, t, sizeof *t);
}

zw_status zw_tracking_pause(const zw_tracking *t, zw_error *err) {
    const zw_tracking_options *o = &t->options;
    return o->stop && o->stop(o->stop_user, NAN)
               ? zw_fail(err, ZW_E_NUMERIC, "tracking was stopped before it was done")
               : ZW_OK;
}

static zw_status check_any(const zw_tracking *t, zw_error *err) {
    long n = t->nsight + t->nspot;
    for (int i = 0; i < t->sys->nq; i++)
        n += t->series[i].n;
    return n ? ZW_OK : zw_fail(err, ZW_E_FILE, "the files contain no measured value");
}

zw_status zw_tracking_run(zw_tracking *t, zw_error *err) {
    if (t->done)
        return ZW_OK;
    ZW_TRY(check_any(t, err));
    if (t->nsight) {
        ZW_TRY(zw_tracking_align(t, err));
    }
    if (t->nsight || t->nspot)
        ZW_TRY(zw_tracking_solve(t, err));
    ZW_TRY(zw_tracking_fuse(t, err));
    t->done = true;
    return ZW_OK;
}

int zw_tracking_cameras(const zw_tracking *t) {
    return t->neye;
}

const zw_tracking_camera *zw_tracking_camera_at(const zw_tracking *t, int i) {
    assert(i >= 0 && i < zw_tracking_cameras(t));
    return &t->eye[i].info;
}

int zw_tracking_coordinates(const zw_tracking *t) {
    int n = 0;
    for (int i = 0; i < t->sys->nq; i++)
        n += t->series[i].n > 0;
    return n;
}

const zw_tracking_coordinate *zw_tracking_coordinate_at(const zw_tracking *t, int i) {
    for (int k = 0; k < t->sys->nq; k++)
        if (t->series[k].n > 0 && i-- == 0)
            return &t->series[k].info;
    return NULL;
}

void zw_tracking_warnings(const zw_tracking *t, zw_warnings *list) {
    zw_warnings_add_all(list, t->doubts);
}
