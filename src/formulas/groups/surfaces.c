/* SPDX-License-Identifier: MIT */
/* Meshes of surfaces F(p_1, p_2, p_3) = 0: on a grid of two axes the first zero along the third.
 *
 * Curves in which two of them intersect, F = 0 and G = 0, are followed along one axis s: F is
 * solved for another axis k, so that G is a function of the third one alone, whose changes of
 * sign are bisected. Of the twelve choices of s, k and the order of both, the one with most
 * points is used. */

#include <assert.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/arena.h"
#include "base/option.h"
#include "implicit.h"
#include "motion/notes.h"
#include "zwang/chart.h"

/* of the values at the bracket: after bisection a zero leaves only round-off, a jump its height */
#define JUMP_RATIO 1e-6

enum {
    LINES = 11,      /* default number of lines of a mesh */
    LINES_MOST = 400 /* of a mesh */
};

typedef struct net {
    zw_arena arena;
    zw_context *ctx;
    zw_system *sys;
    zw_parameter_range over[3];
    int rows[3];
    double *p;
    zw_table *t;
} net;

void zw_surfaces_options_init(zw_surfaces_options *options, size_t size) {
    const zw_surfaces_options all = {.size = size};
    zw_options_begin(options, size, &all, sizeof all);
}

static double axis_value(const net *s, int axis, int i) {
    const zw_parameter_range *o = &s->over[axis];
    int n = s->rows[axis];
    return i == n - 1 ? o->to : o->from + (o->to - o->from) * i / (n - 1);
}

/* The first zero along `axis` at line i of the first and j of the second other axis, as values of
 * all three. */
static bool find_point(net *s, zw_implicit *f, int axis, int i, int j, double at[3]) {
    int a = axis == 0 ? 1 : 0, b = axis == 2 ? 1 : 2;
    at[a] = axis_value(s, a, i);
    at[b] = axis_value(s, b, j);
    at[axis] = 0;
    return zw_implicit_zeros(f, axis, at, &at[axis], 1) == 1;
}

static long count_points(net *s, zw_implicit *f, int axis) {
    int a = axis == 0 ? 1 : 0, b = axis == 2 ? 1 : 2;
    long n = 0;
    double at[3];
    for (int i = 0; i < s->rows[a]; i++)
        for (int j = 0; j < s->rows[b]; j++)
            n += find_point(s, f, axis, i, j, at);
    return n;
}

static zw_status put_point(net *s, int surface, const double *at, zw_error *err) {
    double row[4] = {surface, NAN, NAN, NAN};
    for (int k = 0; at && k < 3; k++)
        row[1 + k] = at[k] / s->over[k].factor;
    return zw_table_row(s->t, row) < 0 ? zw_out_of_memory(err, NULL) : ZW_OK;
}

/* The legend of a part of the table, and how it is drawn. */
static zw_status name_part(net *s, int surface, const char *how, const char *words, zw_error *err) {
    char key[40], text[300];
    snprintf(key, sizeof key, "part surface %d", surface);
    snprintf(text, sizeof text, "%s\"%.250s\"", how, words);
    return zw_table_note(s->t, key, text) < 0 ? zw_out_of_memory(err, NULL) : ZW_OK;
}

/* The nodes of a mesh, line by line; *length: of a line. */
static zw_status put_nodes(net *s, zw_implicit *f, int axis, int surface, int *length,
                           zw_error *err) {
    int a = axis == 0 ? 1 : 0, b = axis == 2 ? 1 : 2;
    double at[3];
    *length = s->rows[b];
    for (int i = 0; i < s->rows[a]; i++)
        for (int j = 0; j < s->rows[b]; j++)
            ZW_TRY(put_point(s, surface, find_point(s, f, axis, i, j, at) ? at : NULL, err));
    return ZW_OK;
}

/* ---- curves ---- */

enum {
    COARSE = 5,          /* points along a curve while the axes are chosen */
    FINE = 61,           /* points along a curve */
    SCAN = 16,           /* intervals in which a change of sign is searched */
    HALVINGS_COARSE = 8, /* bisections while the axes are chosen */
    HALVINGS = 44,       /* bisections: to the last digits */
    MEETINGS = 4         /* intersections at one value of an axis */
};

/* An intersection of two surfaces: along which axis, and for which axis the first one is solved. */
typedef struct intersection {
    zw_implicit f, g;
    int along, solved, scanned, halvings;
} intersection;

/* G where F = 0, with the third axis at v; NAN: F has no zero there. */
static double evaluate_second(intersection *m, double at[3], double v) {
    at[m->scanned] = v;
    at[m->solved] = 0;
    return zw_implicit_zeros(&m->f, m->solved, at, &at[m->solved], 1) == 1
               ? zw_implicit_value(&m->g, at)
               : (double)NAN;
}

/* A change of sign between a and b; false if it is a jump. */
static bool bisect_intersection(intersection *m, double at[3], double a, double b, double ga,
                                double gb) {
    double first = fmax(fabs(ga), fabs(gb));
    for (int k = 0; k < m->halvings; k++) {
        double middle = (a + b) / 2, g = evaluate_second(m, at, middle);
        if (isnan(g))
            return false;
        if (g == 0)
            return true;
        if ((g > 0) == (ga > 0)) {
            a = middle;
            ga = g;
        } else {
            b = middle;
        }
    }
    return fabs(evaluate_second(m, at, (a + b) / 2)) <
           (m->halvings == HALVINGS ? JUMP_RATIO : 0.1) * first;
}

/* Points where both are zero, at one value of the axis along. */
static int find_intersections(const net *s, intersection *m, double v, double out[MEETINGS][3]) {
    const zw_parameter_range *o = &s->over[m->scanned];
    double at[3], a = o->from;
    int n = 0;
    at[m->along] = v;
    double ga = evaluate_second(m, at, a);
    for (int k = 1; k <= SCAN && n < MEETINGS; k++) {
        double b = k == SCAN ? o->to : o->from + (o->to - o->from) * k / SCAN;
        bool found = ga == 0;
        if (found)
            evaluate_second(m, at, a);
        double keep[3] = {at[0], at[1], at[2]}, gb = evaluate_second(m, at, b);
        if (!found && ga * gb < 0) {
            found = bisect_intersection(m, at, a, b, ga, gb);
            memcpy(keep, at, sizeof keep);
        }
        if (found)
            memcpy(out[n++], keep, sizeof keep);
        a = b;
        ga = gb;
    }
    if (ga == 0 && n < MEETINGS) {
        evaluate_second(m, at, a);
        memcpy(out[n++], at, sizeof at);
    }
    return n;
}

static double slice_value(const net *s, int axis, int i, int n) {
    const zw_parameter_range *o = &s->over[axis];
    return i == n - 1 ? o->to : o->from + (o->to - o->from) * i / (n - 1);
}

/* The best of these choices; false if the surfaces do not intersect. */
static bool choose_axes(const net *s, intersection *m) {
    long most = 0;
    intersection best = *m;
    for (int choice = 0; choice < 12; choice++) {
        double found[MEETINGS][3];
        long n = 0;
        intersection trial = {.f = choice < 6 ? m->f : m->g,
                              .g = choice < 6 ? m->g : m->f,
                              .along = choice / 2 % 3,
                              .halvings = HALVINGS_COARSE};
        trial.solved = (trial.along + 1 + choice % 2) % 3;
        trial.scanned = 3 - trial.along - trial.solved;
        for (int i = 0; i < COARSE; i++)
            n += find_intersections(s, &trial, slice_value(s, trial.along, i, COARSE), found);
        if (n > most) {
            most = n;
            best = trial;
        }
    }
    *m = best;
    m->halvings = HALVINGS;
    return most > 0;
}

/* The k-th point of every value forms one line. */
static zw_status put_intersection(net *s, intersection *m, int surface, bool *any, zw_error *err) {
    double(*found)[MEETINGS][3] = zw_arena_alloc(&s->arena, sizeof *found * FINE);
    int count[FINE], most = 0;
    if (!found)
        return zw_out_of_memory(err, NULL);
    *any = choose_axes(s, m);
    for (int i = 0; i < FINE && *any; i++) {
        count[i] = find_intersections(s, m, slice_value(s, m->along, i, FINE), found[i]);
        most = count[i] > most ? count[i] : most;
    }
    for (int k = 0; k < most; k++)
        for (int i = 0; i <= FINE; i++)
            ZW_TRY(put_point(s, surface, i < FINE && k < count[i] ? found[i][k] : NULL, err));
    return ZW_OK;
}

/* "zeta = 1 and w = 1 + kappa", or a family of such curves "w = 1 + kappa for zeta = 0.5, 1" over
 * an axis; *done is false if it is neither. */
static zw_status put_curve(net *s, const char *text, int surface, bool *done, zw_error *err) {
    zw_implicit_family family;
    const char *first, *also;
    char second_one[200];
    bool any = false;
    ZW_TRY(zw_implicit_members(&family, &first, &s->arena, s->sys, s->p, "--curve", text, err));
    also = strstr(first, " and ");
    *done = also || family.n > 0;
    if (!*done)
        return ZW_OK;
    if (also && family.n > 0)
        return zw_fail(err, ZW_E_OPTION, "--curve %s: either \"and\" or \"for\"", text);
    if (also)
        first = zw_arena_copy(&s->arena, text, (size_t)(also - first));
    for (int i = 0; i < (also ? 1 : family.n); i++) {
        intersection m;
        bool here;
        snprintf(second_one, sizeof second_one, "%.190s", also ? also + 5 : family.words[i]);
        ZW_TRY(zw_implicit_read(&m.f, &s->arena, s->sys, 3, s->over, s->p, "--curve", first, err));
        ZW_TRY(zw_implicit_read(&m.g, &s->arena, s->sys, 3, s->over, s->p, "--curve", second_one,
                                err));
        ZW_TRY(put_intersection(s, &m, surface, &here, err));
        any = any || here;
    }
    if (any)
        return ZW_OK;
    zw_fail(err, ZW_E_OPTION, "--curve %s: the curve is outside the ranges", text);
    zw_error_hint(err, "give wider ranges of --over, or other equations");
    return ZW_E_OPTION;
}

static zw_status put_surface(net *s, const char *text, int surface, zw_error *err) {
    zw_implicit f;
    long most = 0;
    int axis = -1;
    char name[200];
    bool is_curve;
    text = zw_implicit_name(text, name, sizeof name);
    ZW_TRY(put_curve(s, text, surface, &is_curve, err));
    if (is_curve)
        return name_part(s, surface, "", name, err);
    ZW_TRY(zw_implicit_read(&f, &s->arena, s->sys, 3, s->over, s->p, "--curve", text, err));
    for (int k = 2; k >= 0; k--) {
        long n = count_points(s, &f, k);
        if (n > most) {
            most = n;
            axis = k;
        }
    }
    if (axis < 0) {
        zw_fail(err, ZW_E_OPTION, "--curve %s: the surface is outside the ranges", text);
        zw_error_hint(err, "give wider ranges of --over, or another equation");
        return ZW_E_OPTION;
    }
    char how[24];
    int length;
    ZW_TRY(put_nodes(s, &f, axis, surface, &length, err));
    snprintf(how, sizeof how, "mesh %d ", length);
    return name_part(s, surface, how, name, err);
}

static zw_status put_mark(net *s, const char *text, int surface, zw_error *err) {
    char *own = zw_arena_string(&s->arena, text), *at = own ? strchr(own, '=') : NULL;
    double place[3];
    if (!own)
        return zw_out_of_memory(err, NULL);
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
    return put_point(s, surface, place, err);
}

static zw_status read_axes(net *s, const zw_surfaces_options *o, zw_error *err) {
    for (int k = 0; k < 3; k++) {
        ZW_TRY(zw_parameter_range_read(&s->over[k], s->sys, o->over[k], err));
        if (s->over[k].parameter < 0)
            return zw_fail(err, ZW_E_OPTION, "--over %s: it is not a parameter", s->over[k].name);
        for (int i = 0; i < k; i++)
            if (s->over[i].parameter == s->over[k].parameter)
                return zw_fail(err, ZW_E_OPTION, "--over %s is given twice", s->over[k].name);
        s->rows[k] = s->over[k].rows ? s->over[k].rows : LINES;
        if (s->rows[k] < 2 || s->rows[k] > LINES_MOST)
            return zw_fail(err, ZW_E_OPTION, "--over %s: between 2 and %d lines", s->over[k].name,
                           LINES_MOST);
    }
    return ZW_OK;
}

static zw_status build_surfaces(net *s, const zw_model_source *source, const zw_surfaces_options *o,
                                zw_error *err) {
    ZW_TRY(zw_model_parse(&s->sys, s->ctx, source->text, source->length, source->file,
                          source->options, err));
    s->p = ZW_NEW(&s->arena, double, s->sys->np + 1);
    s->t = zw_table_create(&s->arena.alloc);
    if (!s->p || !s->t)
        return zw_out_of_memory(err, NULL);
    ZW_TRY(zw_system_param_values(s->sys, s->p, err));
    ZW_TRY(read_axes(s, o, err));
    if (zw_table_column(s->t, "surface", "") < 0)
        return zw_out_of_memory(err, NULL);
    for (int k = 0; k < 3; k++)
        if (zw_table_column(s->t, s->over[k].name, s->over[k].unit) < 0)
            return zw_out_of_memory(err, NULL);
    for (int i = 0; i < o->ncurve; i++)
        ZW_TRY(put_surface(s, o->curve[i], i + 1, err));
    for (int i = 0; i < o->nmark; i++)
        ZW_TRY(put_mark(s, o->mark[i], o->ncurve + 1 + i, err));
    bool good = zw_study_origin(s->t, s->sys, "lagrange", s->p, NULL, source, "surfaces") >= 0 &&
                zw_table_note(s->t, "parts", "surface") >= 0;
    return good ? ZW_OK : zw_out_of_memory(err, NULL);
}

zw_status zw_surfaces_table(const zw_model_source *source, const zw_surfaces_options *options,
                            zw_table **out, zw_error *err) {
    assert(out);
    zw_surfaces_options o = zw_surfaces_options_default();
    *out = NULL;
    ZW_TRY(zw_options_adopt(&o, sizeof o, options, "zw_surfaces_options", err));
    net s = {.ctx = zw_context_create(o.allocator)};
    zw_arena_init(&s.arena, o.allocator);
    zw_status status = s.ctx ? build_surfaces(&s, source, &o, err) : zw_out_of_memory(err, NULL);
    if (status >= 0)
        *out = s.t;
    else
        zw_table_destroy(s.t);
    zw_context_destroy(s.ctx);
    zw_arena_clear(&s.arena);
    return status;
}
