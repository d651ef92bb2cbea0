/* SPDX-License-Identifier: MIT */
/* Reads coefficients, starts and bounds as users write them:
 *
 *     cos1(x)=2 [m], sin1(x)=0.5 [m]      a start
 *     x <= 1.2 [m]                        a bound of a coordinate or an observable; the limit may
 *                                         be a formula of parameters
 *     cos1(x)=-2:2, sin1(x)=-2:2          a rectangle */
#include <ctype.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/arena.h"
#include "base/option.h"
#include "forced_gauss.h"

enum { PIECE = 200 };

/* --------------------------------------------------------------------------------- coefficients */

const char *zw_forced_gauss_function(const zw_forced_gauss *g, int i, const char **unit) {
    const zw_system *s = g->f->sys;
    *unit = i < s->nq ? s->coord[i].unit : s->velocity[i - s->nq].unit;
    return i < s->nq ? s->coord[i].name : s->velocity[i - s->nq].name;
}

/* Number of the harmonic of coefficient k, and whether it is a sine. Harmonics count multiples of
 * the excitation frequency, or of its subharmonic. */
static int harmonic_of(const zw_forced_gauss *g, int k, bool *sine) {
    bool mean = g->harmonic[0] == 0;
    *sine = !mean ? k % 2 == 1 : k > 0 && k % 2 == 0;
    return g->harmonic[mean ? (k + 1) / 2 : k / 2];
}

const char *zw_forced_gauss_coefficient(zw_forced_gauss *g, int i, const char **unit) {
    bool sine;
    int h = harmonic_of(g, i % g->per_function, &sine);
    const char *of = zw_forced_gauss_function(g, i / g->per_function, unit);
    if (h == 0)
        snprintf(g->name, sizeof g->name, "mean(%.140s)", of);
    else
        snprintf(g->name, sizeof g->name, "%s%d(%.140s)", sine ? "sin" : "cos", h, of);
    return g->name;
}

static zw_status reject_coefficient(zw_forced_gauss *g, const char *option, const char *name,
                                    zw_error *err) {
    const char *unit;
    zw_fail(err, ZW_E_NAME, "%s: the trial motion has no coefficient %s", option, name);
    const char *example =
        zw_forced_gauss_coefficient(g, g->per_function > 1 ? g->per_function - 2 : 0, &unit);
    zw_error_hint(err, "such as %s; there are %d, up to harmonic %d", example, g->n,
                  g->harmonic[g->nharmonic - 1]);
    return ZW_E_NAME;
}

static zw_status find_coefficient(zw_forced_gauss *g, const char *option, const char *name,
                                  int *out, const char **unit, zw_error *err) {
    for (*out = 0; *out < g->n; ++*out)
        if (strcmp(zw_forced_gauss_coefficient(g, *out, unit), name) == 0)
            return ZW_OK;
    return reject_coefficient(g, option, name, err);
}

/* --------------------------------------------------------------------------------------- pieces */

/* the text up to a comma outside brackets, without blanks around it */
static zw_status next_piece(const char *option, const char **at, char out[PIECE], zw_error *err) {
    const char *from = *at + strspn(*at, " \t"), *to = from;
    int depth = 0;
    for (; *to && (*to != ',' || depth > 0); to++)
        depth += strchr("([", *to) ? 1 : strchr(")]", *to) ? -1 : 0;
    *at = *to ? to + 1 : to;
    while (to > from && isspace((unsigned char)to[-1]))
        to--;
    if (to == from || to - from >= PIECE)
        return zw_fail(err, ZW_E_OPTION, "%s: a coefficient is expected, such as cos1(x)=2",
                       option);
    snprintf(out, PIECE, "%.*s", (int)(to - from), from);
    return ZW_OK;
}

/* splits a piece into the name before the sign and the text after it */
static void split_sign(char *piece, char *sign, size_t n, const char **rest) {
    *rest = sign + n + strspn(sign + n, " \t");
    while (sign > piece && isspace((unsigned char)sign[-1]))
        sign--;
    *sign = '\0';
}

/* a plain number is in the unit of the model */
static zw_status read_number(const zw_forced_gauss *g, const char *option, const char *text,
                             const char *unit, double *out, zw_error *err) {
    char *end;
    *out = strtod(text, &end);
    if (end != text && !end[strspn(end, " \t")] && isfinite(*out)) {
        char with_unit[PIECE + 40];
        snprintf(with_unit, sizeof with_unit, unit[0] ? "%.160s [%.60s]" : "%.160s%s", text, unit);
        return zw_model_number(out, g->f->sys, g->f->now, option, with_unit, unit, err);
    }
    return zw_model_number(out, g->f->sys, g->f->now, option, text, unit, err);
}

/* --------------------------------------------------------------------------------------- starts */

static zw_status read_start(zw_forced_gauss *g, const char *text, double *x, zw_error *err) {
    char piece[PIECE];
    for (const char *at = text; *at;) {
        const char *unit, *rest;
        int i;
        ZW_TRY(next_piece("--start", &at, piece, err));
        char *equals = strchr(piece, '=');
        if (!equals) {
            zw_fail(err, ZW_E_OPTION, "--start %s: what is it?", piece);
            zw_error_hint(err, "--start \"cos1(x)=2 [m], sin1(x)=2 [m]\"");
            return ZW_E_OPTION;
        }
        split_sign(piece, equals, 1, &rest);
        ZW_TRY(find_coefficient(g, "--start", piece, &i, &unit, err));
        ZW_TRY(read_number(g, "--start", rest, unit, &x[i], err));
    }
    return ZW_OK;
}

/* Rest where the model starts: the origin may be a state without meaning, such as zero lengths. */
static zw_status find_rest(zw_forced_gauss *g, double *x, zw_error *err) {
    const zw_system *s = g->f->sys;
    double *start = ZW_NEW(&g->arena, double, s->nq + s->nv + 1),
           *width = ZW_NEW(&g->arena, double, s->nq + 1);
    zw_said *said = ZW_NEW(&g->arena, zw_said, s->nq + s->nv + 1);
    if (g->arena.failed)
        return zw_out_of_memory(err, NULL);
    if (g->harmonic[0] != 0)
        return ZW_OK;
    ZW_TRY(zw_system_start_said(s, g->f->p, start, said, width, err));
    for (int i = 0; i < s->nq; i++)
        x[i * g->per_function] = start[i];
    return ZW_OK;
}

/* --------------------------------------------------------------------------------------- bounds */

static zw_status find_bound_quantity(const zw_forced_gauss *g, const char *name, zw_gauss_bound *b,
                                     zw_error *err) {
    const zw_system *s = g->f->sys;
    for (int i = 0; i < s->nq; i++)
        if (strcmp(s->coord[i].name, name) == 0) {
            b->index = i;
            return ZW_OK;
        }
    for (int i = 0; i < s->nobservable; i++)
        if (strcmp(s->observable[i].name, name) == 0) {
            b->observable = true;
            b->index = i;
            return ZW_OK;
        }
    zw_fail(err, ZW_E_NAME, "--bound: there is no coordinate and no observable %s", name);
    zw_error_hint(err, "observe %s = ... in the model makes one", name);
    return ZW_E_NAME;
}

static const char *bound_unit(const zw_forced_gauss *g, const zw_gauss_bound *b) {
    const zw_system *s = g->f->sys;
    return b->observable ? s->observable[b->index].unit : s->coord[b->index].unit;
}

static zw_status read_bound(zw_forced_gauss *g, int i, zw_error *err) {
    char piece[PIECE];
    const char *text = g->options.bound[i], *rest;
    zw_gauss_bound *b = &g->bound[i];
    snprintf(piece, sizeof piece, "%s", text + strspn(text, " \t"));
    char *sign = strstr(piece, "<=") ? strstr(piece, "<=") : strstr(piece, ">=");
    if (!sign || strlen(text) >= PIECE) {
        zw_fail(err, ZW_E_OPTION, "--bound %.80s: neither an upper nor a lower bound", text);
        zw_error_hint(err, "--bound \"x <= 1.2 [m]\" or --bound \"x >= 0 [m]\"");
        return ZW_E_OPTION;
    }
    b->sign = sign[0] == '<' ? 1 : -1;
    split_sign(piece, sign, 2, &rest);
    ZW_TRY(find_bound_quantity(g, piece, b, err));
    g->limit_text[i] = zw_arena_string(&g->arena, rest);
    return g->limit_text[i] ? ZW_OK : zw_out_of_memory(err, NULL);
}

zw_status zw_forced_gauss_limits(zw_forced_gauss *g, zw_error *err) {
    for (int i = 0; i < g->options.nbound; i++)
        ZW_TRY(read_number(g, "--bound", g->limit_text[i], bound_unit(g, &g->bound[i]),
                           &g->bound[i].limit, err));
    return ZW_OK;
}

zw_status zw_forced_gauss_read(zw_forced_gauss *g, zw_error *err) {
    const zw_forced_gauss_options *o = &g->options;
    double w, slope;
    g->given = ZW_NEW(&g->arena, double, (o->nstart + 1) * g->n + 1);
    g->bound = ZW_NEW(&g->arena, zw_gauss_bound, o->nbound + 1);
    g->limit_text = ZW_NEW(&g->arena, const char *, o->nbound + 1);
    if (g->arena.failed)
        return zw_out_of_memory(err, NULL);
    ZW_TRY(zw_forced_set(g->f, NAN, g->f->now, &w, &slope, err));
    for (int i = 0; i < o->nstart; i++)
        ZW_TRY(read_start(g, o->start[i], g->given + (size_t)(i * g->n), err));
    for (int i = 0; i < o->nbound; i++)
        ZW_TRY(read_bound(g, i, err));
    ZW_TRY(find_rest(g, g->given + (size_t)(o->nstart * g->n), err));
    return zw_forced_gauss_limits(g, err);
}

/* ---------------------------------------------------------------------------------- a rectangle */

static zw_status reject_axes(const char *text, zw_error *err) {
    zw_fail(err, ZW_E_OPTION, "--surface %.100s: two coefficients with their ranges are expected",
            text);
    zw_error_hint(err, "--surface \"cos1(x)=-2:2, sin1(x)=-2:2\"");
    return ZW_E_OPTION;
}

zw_status zw_forced_gauss_axes(zw_forced_gauss *g, const char *text, zw_forced_axis axis[2],
                               zw_error *err) {
    char piece[PIECE];
    const char *at = text;
    for (int i = 0; i < 2; i++) {
        const char *unit, *rest;
        if (next_piece("--surface", &at, piece, NULL) < 0)
            return reject_axes(text, err);
        char *equals = strchr(piece, '='), *colon = equals ? strchr(equals, ':') : NULL;
        if (!colon)
            return reject_axes(text, err);
        const char *to = colon + 1 + strspn(colon + 1, " \t");
        *colon = '\0';
        split_sign(piece, equals, 1, &rest);
        ZW_TRY(find_coefficient(g, "--surface", piece, &axis[i].coefficient, &unit, err));
        ZW_TRY(read_number(g, "--surface", rest, unit, &axis[i].from, err));
        ZW_TRY(read_number(g, "--surface", to, unit, &axis[i].to, err));
        if (!(axis[i].from < axis[i].to))
            return zw_fail(err, ZW_E_OPTION, "--surface: the range of %s is empty", piece);
    }
    if (*at || axis[0].coefficient == axis[1].coefficient)
        return reject_axes(text, err);
    return ZW_OK;
}
