/* SPDX-License-Identifier: MIT */
/* Motions of a response curve, from the coefficients that its table has for each row:
 *
 *     x(t) = mean(x) + sum_k cosk(x) cos(k w t) + sink(x) sin(k w t),   w = drive / order,
 *
 * and for backbones w = frequency. They follow each other in a table, for pictures and pages;
 * velocities are the derivatives, where they are named as such. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/arena.h"
#include "base/units.h"
#include "zwang/forced.h"

enum { NAME = 200, FIRST = 5, HARMONICS = 10000 };

typedef struct motion_source {
    const zw_table *t;
    const zw_system *sys;
    int drive, order; /* columns; -1: none */
    double factor;    /* factor of the first column to SI units */
    int *mean;        /* nq: columns of mean(x) */
    int *first;       /* nq: columns of cos1(x); sin1(x), cos2(x), ... follow */
    int harmonics;
    int *speed;    /* nq: 1 + index of the velocity of that coordinate in `velocity`; 0: none */
    int *velocity; /* nspeed: indices of these velocities in the system */
    int nspeed;
} motion_source;

static int find_column(const zw_table *t, const char *what, const char *of) {
    char name[NAME];
    snprintf(name, sizeof name, "%s(%.160s)", what, of);
    return zw_table_find(t, name);
}

bool zw_forced_table_has_motions(const zw_table *t) {
    const char *kind = zw_table_get_note(t, "kind");
    bool driven = kind && strcmp(kind, "response") == 0 && zw_table_find(t, "drive") >= 0,
         free = kind && strcmp(kind, "backbone") == 0;
    for (int k = 0; k < zw_table_columns(t); k++)
        if (strncmp(zw_table_name(t, k), "cos1(", 5) == 0)
            return driven || free;
    return false;
}

/* Does the table contain all parameters of a row? */
static zw_status check_parameters(const motion_source *s, zw_error *err) {
    for (int i = 0; i < s->sys->np; i++) {
        char key[NAME];
        snprintf(key, sizeof key, "param %.160s", s->sys->param[i].name);
        if (!zw_table_get_note(s->t, key) &&
            strcmp(zw_table_name(s->t, 0), s->sys->param[i].name) != 0)
            return zw_fail(err, ZW_E_FILE,
                           "the curves are of several values of %s: motions of one value can be "
                           "seen",
                           s->sys->param[i].name);
    }
    return ZW_OK;
}

static zw_status find_columns(motion_source *s, zw_error *err) {
    const char *unit = zw_table_unit(s->t, 0);
    zw_unit u;
    s->drive = zw_table_find(s->t, "drive");
    s->order = zw_table_find(s->t, "order");
    s->factor = zw_unit_parse(&u, unit, strlen(unit), (zw_place){0}, NULL) >= 0 ? u.factor : 1;
    s->harmonics = HARMONICS;
    for (int i = 0; i < s->sys->nq; i++) {
        const char *of = s->sys->coord[i].name;
        int n = 0;
        s->mean[i] = find_column(s->t, "mean", of);
        s->first[i] = find_column(s->t, "cos1", of);
        for (bool found = true; found && n < HARMONICS; n += found) {
            char c[20], d[20];
            snprintf(c, sizeof c, "cos%d", n + 1);
            snprintf(d, sizeof d, "sin%d", n + 1);
            found = find_column(s->t, c, of) == s->first[i] + 2 * n &&
                    find_column(s->t, d, of) == s->first[i] + 2 * n + 1;
        }
        s->harmonics = n < s->harmonics ? n : s->harmonics;
        if (s->mean[i] < 0 || s->first[i] < 0 || n == 0)
            return zw_fail(err, ZW_E_FILE, "the table has no coefficients of %s", of);
        for (int k = 0; k < s->sys->nv; k++) {
            const char *speed = zw_expr_name(s->sys->ctx, s->sys->velocity[k].sym);
            if (strncmp(speed, of, strlen(of)) == 0 && strcmp(speed + strlen(of), "'") == 0) {
                s->velocity[s->nspeed] = k;
                s->speed[i] = ++s->nspeed;
            }
        }
    }
    return check_parameters(s, err);
}

/* the frequency of a row; NaN if its motion is not known */
static double frequency_of(const motion_source *s, long row) {
    double w =
        s->drive >= 0 ? zw_table_at(s->t, row, s->drive) : zw_table_at(s->t, row, 0) * s->factor;
    if (s->drive >= 0 && s->order >= 0)
        w /= zw_table_at(s->t, row, s->order);
    bool known = isfinite(w) && w > 0 && isfinite(zw_table_at(s->t, row, 0));
    for (int i = 0; i < s->sys->nq && known; i++) {
        known = isfinite(zw_table_at(s->t, row, s->mean[i]));
        for (int k = 0; k < 2 * s->harmonics && known; k++)
            known = isfinite(zw_table_at(s->t, row, s->first[i] + k));
    }
    return known ? w : (double)NAN;
}

/* coordinates, then velocities, at a phase */
static void motion_at(const motion_source *s, long row, double w, double tau, double *out) {
    for (int i = 0; i < s->sys->nq; i++) {
        double x = zw_table_at(s->t, row, s->mean[i]), v = 0;
        for (int k = 1; k <= s->harmonics; k++) {
            double a = 2 * M_PI * k * tau, c = zw_table_at(s->t, row, s->first[i] + 2 * k - 2),
                   d = zw_table_at(s->t, row, s->first[i] + 2 * k - 1);
            x += c * cos(a) + d * sin(a);
            v += k * w * (d * cos(a) - c * sin(a));
        }
        out[i] = x;
        if (s->speed[i])
            out[s->sys->nq + s->speed[i] - 1] = v;
    }
}

static zw_status make_columns(const motion_source *s, zw_table *out) {
    char text[NAME];
    snprintf(text, sizeof text, "%.17g", s->factor);
    ZW_TRY(zw_table_note(out, "kind", "orbits"));
    ZW_TRY(zw_table_note(out, "factor", text));
    ZW_TRY(zw_table_column(out, "orbit", ""));
    ZW_TRY(zw_table_column(out, zw_table_name(s->t, 0), zw_table_unit(s->t, 0)));
    ZW_TRY(zw_table_column(out, "t", "s"));
    ZW_TRY(zw_table_column(out, "phase", ""));
    ZW_TRY(zw_table_column(out, "stable", ""));
    for (int i = 0; i < s->sys->nq; i++)
        ZW_TRY(zw_table_column(out, s->sys->coord[i].name, s->sys->coord[i].unit));
    for (int k = 0; k < s->nspeed; k++) {
        const int v = s->velocity[k];
        ZW_TRY(zw_table_column(out, zw_expr_name(s->sys->ctx, s->sys->velocity[v].sym),
                               s->sys->velocity[v].unit));
    }
    return ZW_OK;
}

static zw_status fill_samples(const motion_source *s, zw_table *out, int most, int points, int *all,
                              double *values) {
    int stable = zw_table_find(s->t, "stable"), n = 0;
    long last = -1;
    for (long row = 0; row < zw_table_rows(s->t); row++)
        *all += !isnan(frequency_of(s, row));
    ZW_TRY(make_columns(s, out));
    for (long row = 0; row < zw_table_rows(s->t); row++) {
        double w = frequency_of(s, row);
        if (isnan(w))
            continue;
        /* evenly spaced, including the first and the last */
        long wanted = *all <= most ? n : (long)n * (most - 1) / (*all - 1);
        bool chosen = wanted > last;
        n++;
        if (!chosen)
            continue;
        last = wanted;
        for (int k = 0; k <= points; k++) {
            double tau = (double)k / points;
            values[0] = (double)row;
            values[1] = zw_table_at(s->t, row, 0);
            values[2] = tau * 2 * M_PI / w;
            values[3] = tau;
            values[4] = stable >= 0 ? zw_table_at(s->t, row, stable) : (double)NAN;
            motion_at(s, row, w, tau, values + FIRST);
            ZW_TRY(zw_table_row(out, values));
        }
    }
    return ZW_OK;
}

zw_status zw_forced_table_motions(zw_table **out, const zw_table *t, const zw_system *sys, int most,
                                  int points, int *all, zw_error *err) {
    zw_allocator alloc = zw_context_allocator(sys->ctx);
    zw_arena arena;
    *out = NULL;
    *all = 0;
    if (most < 1 || points < 1)
        return zw_fail(err, ZW_E_OPTION, "%d motions of %d points are none", most, points);
    zw_arena_init(&arena, &alloc);
    motion_source s = {.t = t,
                       .sys = sys,
                       .mean = ZW_NEW(&arena, int, sys->nq + 1),
                       .first = ZW_NEW(&arena, int, sys->nq + 1),
                       .speed = ZW_NEW(&arena, int, sys->nq + 1),
                       .velocity = ZW_NEW(&arena, int, sys->nv + 1)};
    double *values = ZW_NEW(&arena, double, 2 * sys->nq + FIRST + 1);
    zw_status status = arena.failed ? zw_out_of_memory(err, "the motions") : find_columns(&s, err);
    if (status >= 0) {
        *out = zw_table_create(&alloc);
        status = *out ? fill_samples(&s, *out, most, points, all, values) : ZW_E_MEMORY;
        if (status < 0)
            zw_fail(err, status, "out of memory for the motions");
    }
    zw_arena_clear(&arena);
    if (status >= 0)
        return ZW_OK;
    zw_table_destroy(*out);
    *out = NULL;
    return status;
}
