/* SPDX-License-Identifier: MIT */
/* Zeros of an equation along one of its axes: bracketed on CELLS intervals, then bisected to the
 * last digits. */
#include "implicit.h"
#include "base/arena.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

/* of the values at the bracket: after bisection a zero leaves only round-off, a jump its height */
#define JUMP_RATIO 1e-6

enum { CELLS = 128 }; /* intervals in which a change of sign is searched */

const char *zw_implicit_name(const char *text, char *name, size_t size) {
    const char *colon = strchr(text, ':');
    size_t n = colon ? (size_t)(colon - text) : strlen(text);
    snprintf(name, size, "%.*s", (int)n, text);
    return colon ? colon + 1 + strspn(colon + 1, " ") : text;
}

static zw_status no_family(const char *option, const char *text, zw_error *err) {
    zw_fail(err, ZW_E_OPTION, "%s %s: after 'for', a parameter and its values are expected", option,
            text);
    zw_error_hint(err, "%s \"w = zeta*kappa for zeta = 0.5, 1, 2\", at most %d values", option,
                  ZW_IMPLICIT_MEMBERS);
    return ZW_E_OPTION;
}

static int find_parameter(const zw_system *sys, const char *name, size_t n) {
    for (int k = 0; k < sys->np; k++)
        if (strlen(sys->param[k].name) == n && strncmp(sys->param[k].name, name, n) == 0)
            return k;
    return -1;
}

zw_status zw_implicit_members(zw_implicit_family *family, const char **equation, zw_arena *arena,
                              const zw_system *sys, const double *p, const char *option,
                              const char *text, zw_error *err) {
    const char *said = strstr(text, " for ");
    *equation = text;
    *family = (zw_implicit_family){.parameter = -1};
    if (!said)
        return ZW_OK;
    const char *name = said + 5 + strspn(said + 5, " "), *equals = strchr(name, '=');
    size_t n = strcspn(name, " =");
    family->parameter = equals ? find_parameter(sys, name, n) : -1;
    if (family->parameter < 0)
        return no_family(option, text, err);
    *equation = zw_arena_copy(arena, text, (size_t)(said - text));
    char *list = zw_arena_string(arena, equals + 1);
    for (char *next = list; next && !arena->failed;) {
        char *value = next + strspn(next, " "), words[120];
        next = strchr(value, ',');
        if (next)
            *next++ = '\0';
        if (!*value || family->n == ZW_IMPLICIT_MEMBERS)
            return no_family(option, text, err);
        ZW_TRY(zw_model_number(&family->value[family->n], sys, p, option, value,
                               sys->param[family->parameter].unit, err));
        snprintf(words, sizeof words, "%.*s = %.60s", (int)n, name, value);
        family->words[family->n++] = zw_arena_string(arena, words);
    }
    return zw_arena_status(arena, err);
}

zw_status zw_implicit_read(zw_implicit *f, zw_arena *arena, const zw_system *sys, int naxis,
                           const zw_parameter_range *over, const double *p, const char *option,
                           const char *text, zw_error *err) {
    const char *equals = strchr(text, '='), *unit[2];
    zw_expr side[2];
    if (!equals || !equals[1] || equals == text) {
        zw_fail(err, ZW_E_OPTION, "%s %s: an equation is expected", option, text);
        zw_error_hint(err, "%s \"w = 1 + kappa\", of parameters", option);
        return ZW_E_OPTION;
    }
    char *left = zw_arena_copy(arena, text, (size_t)(equals - text));
    if (arena->failed)
        return zw_out_of_memory(err, NULL);
    ZW_TRY(zw_model_quantity(&side[0], &unit[0], sys, option, left, err));
    ZW_TRY(zw_model_quantity(&side[1], &unit[1], sys, option, equals + 1, err));
    if (strcmp(unit[0], unit[1]) != 0 && side[0] != ZW_ZERO && side[1] != ZW_ZERO)
        return zw_fail(err, ZW_E_UNIT, "%s %s: the left side is in %s, the right one in %s", option,
                       text, unit[0][0] ? unit[0] : "1", unit[1][0] ? unit[1] : "1");
    return zw_implicit_of(f, arena, sys, naxis, over, p, option, text,
                          zw_sub(sys->ctx, side[0], side[1]), err);
}

zw_status zw_implicit_of(zw_implicit *f, zw_arena *arena, const zw_system *sys, int naxis,
                         const zw_parameter_range *over, const double *p, const char *option,
                         const char *text, zw_expr residual, zw_error *err) {
    int np = sys->np;
    *f = (zw_implicit){.sys = sys, .naxis = naxis, .over = over, .residual = residual};
    f->symbol = ZW_NEW(arena, zw_expr, np + 1);
    f->p = ZW_NEW(arena, double, np + 1);
    f->given = ZW_NEW(arena, bool, np + 1);
    if (arena->failed)
        return zw_out_of_memory(err, NULL);
    for (int k = 0; k < np; k++)
        f->symbol[k] = sys->param[k].sym;
    for (int k = 0; k < naxis; k++)
        f->given[over[k].parameter] = true;
    memcpy(f->p, p, sizeof *p * (size_t)np);
    zw_expr foreign = zw_foreign_symbol(sys->ctx, f->residual, np, f->symbol);
    if (foreign)
        return zw_fail(err, ZW_E_OPTION, "%s %s: '%s' is not a parameter", option, text,
                       zw_expr_name(sys->ctx, foreign));
    return zw_context_status(sys->ctx, err);
}

static double evaluate_residual(zw_implicit *f) {
    if (zw_system_param_follow(f->sys, f->given, f->p, NULL) < 0)
        return NAN;
    return zw_eval(f->sys->ctx, f->residual, f->sys->np, f->symbol, f->p);
}

static double residual_at(zw_implicit *f, int axis, double at) {
    f->p[f->over[axis].parameter] = at;
    return evaluate_residual(f);
}

double zw_implicit_value(zw_implicit *f, const double *at) {
    for (int k = 0; k < f->naxis; k++)
        f->p[f->over[k].parameter] = at[k];
    return evaluate_residual(f);
}

/* The sign changes between a and b; false if it is a jump without a zero. */
static bool bisect_zero(zw_implicit *f, int axis, double a, double b, double fa, double fb,
                        double *out) {
    double first = fmax(fabs(fa), fabs(fb)); /* one of them may be zero up to round-off */
    for (int k = 0; k < 200; k++) {
        double m = (a + b) / 2, fm;
        if (m == a || m == b)
            break;
        fm = residual_at(f, axis, m);
        if (fm == 0) {
            *out = m;
            return true;
        }
        if ((fm > 0) == (fa > 0)) {
            a = m;
            fa = fm;
        } else {
            b = m;
        }
    }
    *out = (a + b) / 2;
    return fabs(fa) < JUMP_RATIO * first;
}

int zw_implicit_zeros(zw_implicit *f, int axis, const double *at, double *out, int most) {
    const zw_parameter_range *o = &f->over[axis];
    int n = 0;
    for (int k = 0; k < f->naxis; k++)
        f->p[f->over[k].parameter] = at[k];
    double a = o->from, fa = residual_at(f, axis, a);
    for (int k = 1; k <= CELLS && n < most; k++) {
        double b = k == CELLS ? o->to : o->from + (o->to - o->from) * k / CELLS;
        double fb = residual_at(f, axis, b);
        if (fa == 0)
            out[n++] = a;
        else if (fa * fb < 0 && bisect_zero(f, axis, a, b, fa, fb, &out[n]))
            n++;
        a = b;
        fa = fb;
    }
    if (fa == 0 && n < most)
        out[n++] = a;
    return n;
}
