/* SPDX-License-Identifier: MIT */
/* Nets of surfaces F(p_1, p_2, p_3) = 0: on a grid of two axes the first zero along the third, drawn as lines along both. */
#include "zwang/surfaces.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/option.h"
#include "implicit.h"
#include "notes.h"

enum { LINES = 11, LINES_MOST = 400 };

typedef struct net {
    zw_arena arena;
    zw_context *ctx;
    zw_system *sys;
    zw_over over[3];
    int rows[3];
    double *p;
    zw_table *t;
} net;

void zw_surfaces_options_init(zw_surfaces_options *options, size_t size) {
    const zw_surfaces_options all = {.size = size};
    zw_options_begin(options, size, &all, sizeof all);
}

static zw_status no_memory(zw_error *err) {
    return zw_fail(err, ZW_E_MEMORY, "out of memory");
}

static double value(const net *s, int axis, int i) {
    const zw_over *o = &s->over[axis];
    int n = s->rows[axis];
    return i == n - 1 ? o->to : o->from + (o->to - o->from) * i / (n - 1);
}

/* the first zero along `axis` at line i of the first and j of the second other axis, as values of all three */
static bool point(net *s, zw_implicit *f, int axis, int i, int j, double at[3]) {
    int a = axis == 0 ? 1 : 0, b = axis == 2 ? 1 : 2;
    at[a] = value(s, a, i);
    at[b] = value(s, b, j);
    at[axis] = 0;
    return zw_implicit_zeros(f, axis, at, &at[axis], 1) == 1;
}

static long count(net *s, zw_implicit *f, int axis) {
    int a = axis == 0 ? 1 : 0, b = axis == 2 ? 1 : 2;
    long n = 0;
    double at[3];
    for (int i = 0; i < s->rows[a]; i++)
        for (int j = 0; j < s->rows[b]; j++)
            n += point(s, f, axis, i, j, at);
    return n;
}

static zw_status put(net *s, int surface, const double *at, zw_error *err) {
    double row[4] = {surface, NAN, NAN, NAN};
    for (int k = 0; at && k < 3; k++)
        row[1 + k] = at[k] / s->over[k].factor;
    return zw_table_row(s->t, row) < 0 ? no_memory(err) : ZW_OK;
}

/* how the legend calls a part of the table, and what it is drawn as */
static zw_status name_part(net *s, int surface, const char *how, const char *words, zw_error *err) {
    char key[40], text[300];
    snprintf(key, sizeof key, "part surface %d", surface);
    snprintf(text, sizeof text, "%s\"%.250s\"", how, words);
    return zw_table_note(s->t, key, text) < 0 ? no_memory(err) : ZW_OK;
}

/* lines along one of the two axes; the other one stays on each of them */
static zw_status put_lines(net *s, zw_implicit *f, int axis, int surface, bool swapped,
                           zw_error *err) {
    int a = axis == 0 ? 1 : 0, b = axis == 2 ? 1 : 2;
    int outer = s->rows[swapped ? b : a], inner = s->rows[swapped ? a : b];
    double at[3];
    for (int i = 0; i < outer; i++) {
        for (int j = 0; j < inner; j++) {
            bool there = swapped ? point(s, f, axis, j, i, at) : point(s, f, axis, i, j, at);
            ZW_TRY(put(s, surface, there ? at : NULL, err));
        }
        ZW_TRY(put(s, surface, NULL, err));
    }
    return ZW_OK;
}

static zw_status put_surface(net *s, const char *text, int surface, zw_error *err) {
    zw_implicit f;
    long most = 0;
    int axis = -1;
    char name[200];
    text = zw_implicit_name(text, name, sizeof name);
    ZW_TRY(zw_implicit_read(&f, &s->arena, s->sys, 3, s->over, s->p, "--curve", text, err));
    for (int k = 2; k >= 0; k--) {
        long n = count(s, &f, k);
        if (n > most) {
            most = n;
            axis = k;
        }
    }
    if (axis < 0) {
        zw_fail(err, ZW_E_OPTION, "--curve %s: the surface does not pass the box", text);
        zw_error_hint(err, "wider ranges of --over, or another equation");
        return ZW_E_OPTION;
    }
    ZW_TRY(put_lines(s, &f, axis, surface, false, err));
    ZW_TRY(put_lines(s, &f, axis, surface, true, err));
    return name_part(s, surface, "", name, err);
}

static zw_status put_mark(net *s, const char *text, int surface, zw_error *err) {
    char *own = zw_arena_string(&s->arena, text), *at = own ? strchr(own, '=') : NULL;
    double place[3];
    if (!own)
        return no_memory(err);
    for (int k = 0; k < 3; k++) {
        char *next = at ? strchr(at + 1, ',') : NULL;
        if (!at || (k < 2 && !next)) {
            zw_fail(err, ZW_E_OPTION, "--mark %s: NAME=VALUE,VALUE,VALUE is expected", text);
            zw_error_hint(err, "the values of %s, %s and %s", s->over[0].name, s->over[1].name,
                          s->over[2].name);
            return ZW_E_OPTION;
        }
        *at = '\0';
        if (next)
            *next = '\0';
        ZW_TRY(zw_model_number(&place[k], s->sys, s->p, "--mark", at + 1,
                               s->sys->param[s->over[k].parameter].unit, err));
        at = next;
    }
    ZW_TRY(name_part(s, surface, "points ", own, err));
    return put(s, surface, place, err);
}

static zw_status read_axes(net *s, const zw_surfaces_options *o, zw_error *err) {
    for (int k = 0; k < 3; k++) {
        ZW_TRY(zw_over_read(&s->over[k], s->sys, o->over[k], err));
        if (s->over[k].parameter < 0)
            return zw_fail(err, ZW_E_OPTION, "--over %s: it is no parameter", s->over[k].name);
        for (int i = 0; i < k; i++)
            if (s->over[i].parameter == s->over[k].parameter)
                return zw_fail(err, ZW_E_OPTION, "--over %s: it is gone along already",
                               s->over[k].name);
        s->rows[k] = s->over[k].rows ? s->over[k].rows : LINES;
        if (s->rows[k] < 2 || s->rows[k] > LINES_MOST)
            return zw_fail(err, ZW_E_OPTION, "--over %s: between 2 and %d lines", s->over[k].name,
                           LINES_MOST);
    }
    return ZW_OK;
}

static zw_status make(net *s, const zw_model_source *source, const zw_surfaces_options *o,
                      zw_error *err) {
    ZW_TRY(zw_model_parse(&s->sys, s->ctx, source->text, source->length, source->file,
                          source->options, err));
    s->p = ZW_NEW(&s->arena, double, s->sys->np + 1);
    s->t = zw_table_create(&s->arena.alloc);
    if (!s->p || !s->t)
        return no_memory(err);
    ZW_TRY(zw_system_param_values(s->sys, s->p, err));
    ZW_TRY(read_axes(s, o, err));
    if (zw_table_column(s->t, "surface", "") < 0)
        return no_memory(err);
    for (int k = 0; k < 3; k++)
        if (zw_table_column(s->t, s->over[k].name, s->over[k].unit) < 0)
            return no_memory(err);
    for (int i = 0; i < o->ncurve; i++)
        ZW_TRY(put_surface(s, o->curve[i], i + 1, err));
    for (int i = 0; i < o->nmark; i++)
        ZW_TRY(put_mark(s, o->mark[i], o->ncurve + 1 + i, err));
    bool good = zw_study_origin(s->t, s->sys, "lagrange", s->p, NULL, source, "surfaces") >= 0 &&
                zw_table_note(s->t, "parts", "surface") >= 0;
    return good ? ZW_OK : no_memory(err);
}

zw_status zw_surfaces_table(const zw_model_source *source, const zw_surfaces_options *options,
                            zw_table **out, zw_error *err) {
    zw_surfaces_options o = zw_surfaces_options_default();
    *out = NULL;
    ZW_TRY(zw_options_adopt(&o, sizeof o, options, "zw_surfaces_options", err));
    net s = {.ctx = zw_context_create(o.allocator)};
    zw_arena_init(&s.arena, o.allocator);
    zw_status status = s.ctx ? make(&s, source, &o, err) : no_memory(err);
    if (status >= 0)
        *out = s.t;
    else
        zw_table_destroy(s.t);
    zw_context_destroy(s.ctx);
    zw_arena_clear(&s.arena);
    return status;
}
