/* SPDX-License-Identifier: MIT */
/* The grid of two parameters: reading the options, and the sequence of the computation. */
#include "regions.h"

#include <assert.h>
#include <stdio.h>
#include <string.h>
#include <time.h>

#include "base/arena.h"
#include "base/option.h"

/* of runs: return maps are compared with a thirtieth of it, and Newton's method needs smooth
 * ones */
#define DEFAULT_TOLERANCE 1e-8
#define SECONDS_PER_NS 1e-9 /* unit */

enum {
    POINTS_MOST = 1000000, /* of the grid: more are a mistake of a range */
    ROWS = 41,             /* default number of points of an axis */
    FINE_ROWS = 201,       /* where a point costs nothing */
    POINTS_ASKED = 1024    /* between two questions whether to stop */
};

void zw_regions_options_init(zw_regions_options *options, size_t size) {
    const zw_regions_options all = {.size = size, .starts = 64, .tolerance = DEFAULT_TOLERANCE};
    zw_options_begin(options, size, &all, sizeof all);
}

/* Reads the model, with the section as an additional event. */
static zw_status read_model(zw_regions *r, const zw_model_source *source, zw_error *err) {
    const char *said = r->options.section;
    r->source = *source;
    if (source->options)
        r->model = *source->options;
    r->source.options = &r->model;
    if (said) {
        const char *equals = strchr(said, '=');
        if (!equals || equals == said || !equals[1]) {
            zw_fail(err, ZW_E_OPTION, "--section %s: NAME = VALUE is expected", said);
            zw_error_hint(err, "--section \"beta = pi/2\"");
            return ZW_E_OPTION;
        }
        char *text = zw_arena_printf(&r->arena, "%.*s\nevent chart_section : %.*s - (%s)\n",
                                     (int)source->length, source->text, (int)(equals - said), said,
                                     equals + 1);
        if (!text)
            return zw_out_of_memory(err, NULL);
        r->source.text = text;
        r->source.length = strlen(text);
    }
    return zw_model_parse(&r->sys, r->ctx, r->source.text, r->source.length, r->source.file,
                          &r->model, err);
}

static zw_status read_over(zw_regions *r, zw_error *err) {
    for (int w = 0; w < 2; w++) {
        zw_parameter_range *o = &r->over[w];
        if (!r->options.over[w]) {
            zw_fail(err, ZW_E_OPTION, "regions need two parameters");
            zw_error_hint(err, "--over zeta=0.8:1.6:80 --over w=0.9:1.1:60");
            return ZW_E_OPTION;
        }
        ZW_TRY(zw_parameter_range_read(o, r->sys, r->options.over[w], err));
        if (o->parameter < 0)
            return zw_fail(err, ZW_E_OPTION, "--over %s: it is not a parameter", o->name);
        if (w == 1 && o->parameter == r->over[0].parameter)
            return zw_fail(err, ZW_E_OPTION, "--over %s is given twice", o->name);
        if (o->from == o->to)
            return zw_fail(err, ZW_E_OPTION, "--over %s: the range has no length", o->name);
        r->rows[w] = o->rows ? o->rows : r->options.nregion ? FINE_ROWS : ROWS;
        if (r->rows[w] < 2)
            return zw_fail(err, ZW_E_OPTION, "--over %s: two values at least", o->name);
    }
    double all = (double)r->rows[0] * r->rows[1];
    if (all > POINTS_MOST) {
        zw_fail(err, ZW_E_OPTION, "--over: %.3g points are too many", all);
        zw_error_hint(err, "use a coarser grid, or chart parts of it");
        return ZW_E_OPTION;
    }
    r->npoint = (int)all;
    return ZW_OK;
}

static double value_at(const zw_parameter_range *o, int i, int n) {
    return i == n - 1 ? o->to : o->from + (o->to - o->from) * i / (n - 1);
}

static void set_point(zw_regions *r, int i) {
    zw_region_point *at = &r->point[i];
    at->at[0] = value_at(&r->over[0], i % r->rows[0], r->rows[0]);
    at->at[1] = value_at(&r->over[1], i / r->rows[0], r->rows[1]);
    at->ncycle = -1;
    at->quantity = at->bend = NAN;
    at->why = ZW_REGION_STOPPED; /* until it is done */
}

static bool is_asked_to_stop(zw_regions *r) {
    r->stopped = r->stopped || (r->options.stop && r->options.stop(r->options.stop_user, 0));
    return r->stopped;
}

static zw_status set_points(zw_regions *r, zw_error *err) {
    int np = r->sys->np;
    double *own = ZW_NEW(&r->arena, double, np + 1);
    r->point = ZW_NEW(&r->arena, zw_region_point, r->npoint);
    r->p = ZW_NEW(&r->arena, double, (size_t)r->npoint *(size_t)np + 1);
    r->given = ZW_NEW(&r->arena, bool, np + 1);
    r->symbol = ZW_NEW(&r->arena, zw_expr, np + 1);
    if (r->arena.failed)
        return zw_out_of_memory(err, NULL);
    for (int k = 0; k < np; k++)
        r->symbol[k] = r->sys->param[k].sym;
    ZW_TRY(zw_system_param_values(r->sys, own, err));
    for (int w = 0; w < 2; w++)
        r->given[r->over[w].parameter] = true;
    for (int i = 0; i < r->npoint; i++)
        set_point(r, i);
    for (int i = 0; i < r->npoint; i++) {
        double *p = r->p + (size_t)i * (size_t)np;
        memcpy(p, own, sizeof *p * (size_t)np);
        for (int w = 0; w < 2; w++)
            p[r->over[w].parameter] = r->point[i].at[w];
        ZW_TRY(zw_system_param_follow(r->sys, r->given, p, err));
        if (i % POINTS_ASKED == 0 && is_asked_to_stop(r))
            return ZW_OK;
    }
    for (int i = 0; i < r->npoint; i++)
        r->point[i].why = NULL;
    return ZW_OK;
}

static zw_status compute_regions(zw_regions *r, const zw_model_source *source, zw_error *err) {
    ZW_TRY(read_model(r, source, err));
    ZW_TRY(read_over(r, err));
    ZW_TRY(set_points(r, err));
    ZW_TRY(zw_region_add_curves(r, err));
    if (r->stopped)
        return ZW_OK;
    if (r->options.nregion)
        return zw_region_assign_conditions(r, err);
    ZW_TRY(zw_region_read_section(r, err));
    ZW_TRY(zw_region_find_equilibria(r, err));
    if (r->cycles && !r->stopped)
        ZW_TRY(zw_region_map_returns(r, err));
    zw_region_assign_kinds(r);
    zw_region_compare_neighbours(r);
    return ZW_OK;
}

zw_status zw_regions_create(zw_regions **out, const zw_model_source *source,
                            const zw_regions_options *options, zw_error *err) {
    assert(out);
    zw_regions_options o = zw_regions_options_default();
    struct timespec begin, end;
    *out = NULL;
    ZW_TRY(zw_options_adopt(&o, sizeof o, options, "zw_regions_options", err));
    zw_allocator alloc = o.allocator ? *o.allocator : zw_allocator_default();
    zw_regions *r = zw_allocate(&alloc, sizeof *r);
    if (!r)
        return zw_out_of_memory(err, NULL);
    zw_arena_init(&r->arena, &alloc);
    clock_gettime(CLOCK_MONOTONIC, &begin);
    r->options = o;
    r->ctx = zw_context_create(&alloc);
    zw_status status = r->ctx ? compute_regions(r, source, err) : zw_out_of_memory(err, NULL);
    clock_gettime(CLOCK_MONOTONIC, &end);
    r->seconds = (double)(end.tv_sec - begin.tv_sec) +
                 SECONDS_PER_NS * (double)(end.tv_nsec - begin.tv_nsec);
    if (status < 0) {
        zw_regions_destroy(r);
        return status;
    }
    *out = r;
    return ZW_OK;
}

void zw_regions_destroy(zw_regions *r) {
    if (!r)
        return;
    zw_equilibria_destroy(r->e);
    zw_context_destroy(r->ctx);
    zw_allocator alloc = r->arena.alloc;
    zw_arena_clear(&r->arena);
    zw_release(&alloc, r, sizeof *r);
}

int zw_regions_points(const zw_regions *r) {
    return r->npoint;
}

const zw_region_point *zw_regions_at(const zw_regions *r, int i) {
    assert(i >= 0 && i < zw_regions_points(r));
    return &r->point[i];
}

int zw_regions_count(const zw_regions *r) {
    return r->nkind;
}

const char *zw_regions_words(const zw_regions *r, int region) {
    return region >= 1 && region <= r->nkind ? r->kind[region - 1].words : "undecided";
}

zw_region_pairs zw_regions_pairs(const zw_regions *r) {
    return r->pairs;
}

bool zw_regions_is_stopped(const zw_regions *r) {
    return r->stopped;
}

long zw_regions_motions(const zw_regions *r) {
    return r->motions;
}

const double *zw_regions_curve(const zw_regions *r, int i, long *n) {
    *n = r->curve[i].n;
    return r->curve[i].at;
}
