/* SPDX-License-Identifier: MIT */
/* The equations of slowly varying amplitudes, by exact sums of trigonometric polynomials. With
 * tau = w t, and k = 2, or 1 with the condition of van der Pol, under which v_i contains no rates,
 *
 *   q_i  = Z_0 + Z_c cos tau + Z_s sin tau
 *   v_i  = w (Z_s cos tau - Z_c sin tau) + Z_0' + Z_c' cos tau + Z_s' sin tau
 *   v_i' = -w^2 (Z_c cos tau + Z_s sin tau) + k w (Z_s' cos tau - Z_c' sin tau)
 *
 * are substituted into M v' - h; in its harmonics, F is the part without rates, M the
 * coefficients of their first powers. */
#include "amplitudes.h"

#include <assert.h>
#include <stdio.h>
#include <string.h>

#include "base/append.h"
#include "base/arena.h"
#include "base/option.h"
#include "mech/equations/variants.h"

enum {
    MEAN,
    COSINE,
    SINE,
    TERMS = 2,            /* default number of terms of a series */
    TERMS_MOST = 8,       /* of a series */
    COORDINATES_MOST = 64 /* of a model: formulas of more are unreadable */
};

void zw_amplitudes_options_init(zw_amplitudes_options *options, size_t size) {
    const zw_amplitudes_options all = {.size = size, .terms = TERMS};
    zw_options_begin(options, size, &all, sizeof all);
}

/* ---------------------------------------------------------------------------------------- names */

/* "phi_c", "x_1c", "phi_cos". */
static zw_expr name_part(const zw_amplitudes *a, const char *of, int part, bool rate) {
    static const char *const ending[2][3] = {{"0", "c", "s"}, {"mean", "cos", "sin"}};
    char name[200];
    for (int k = 0; k < 2; k++) {
        snprintf(name, sizeof name, "%.120s%s%s", of, strchr(of, '_') ? "" : "_", ending[k][part]);
        if (!zw_explicit_taken(a->sys, name))
            break;
    }
    if (rate)
        zw_append(name, sizeof name, "'");
    return zw_symbol(a->ctx, name);
}

/* All three of every coordinate, or only cos and sin. */
static void name_all(zw_amplitudes *a, bool means) {
    int n = 0;
    for (int i = 0; i < a->sys->nq; i++)
        for (int part = means ? MEAN : COSINE; part <= SINE; part++, n++) {
            a->Z[n] = name_part(a, a->sys->coord[i].name, part, false);
            a->rate[n] = name_part(a, a->sys->coord[i].name, part, true);
            a->coord[n] = i;
            a->part[n] = part;
        }
    a->result.n = n;
    a->result.means = means;
}

/* -------------------------------------------------------------------------------------- balance */

static zw_trig_series make_wave(zw_amplitudes *a, zw_expr mean, zw_expr cosine, zw_expr sine) {
    zw_trig_series u = {
        .top = 1, .c = ZW_AMPLITUDES_NEW(a, zw_expr, 2), .s = ZW_AMPLITUDES_NEW(a, zw_expr, 2)};
    if (a->arena.failed)
        return u;
    u.c[0] = mean;
    u.s[0] = ZW_ZERO;
    u.c[1] = cosine;
    u.s[1] = sine;
    return u;
}

/* The amplitude (or rate) of a part of a coordinate; 0 if there is none. */
static zw_expr amplitude_part(const zw_amplitudes *a, const zw_expr *of, int coord, int part) {
    for (int i = 0; i < a->result.n; i++)
        if (a->coord[i] == coord && a->part[i] == part)
            return of[i];
    return ZW_ZERO;
}

/* q, v, v' of coordinate i. */
static void put_in(zw_amplitudes *a, int i, zw_trig_series *q, zw_trig_series *v,
                   zw_trig_series *accel) {
    zw_context *ctx = a->ctx;
    bool pol = a->options.van_der_pol;
    zw_expr w = a->result.w, w2 = zw_neg(ctx, zw_mul(ctx, w, w)),
            kw = pol ? w : zw_mul(ctx, ZW_TWO, w), z[3], r[3];
    for (int part = MEAN; part <= SINE; part++) {
        z[part] = amplitude_part(a, a->Z, i, part);
        r[part] = amplitude_part(a, a->rate, i, part);
    }
    *q = make_wave(a, z[MEAN], z[COSINE], z[SINE]);
    zw_expr c = zw_mul(ctx, w, z[SINE]), s = zw_neg(ctx, zw_mul(ctx, w, z[COSINE]));
    *v = pol ? make_wave(a, ZW_ZERO, c, s)
             : make_wave(a, r[MEAN], zw_add(ctx, c, r[COSINE]), zw_add(ctx, s, r[SINE]));
    *accel =
        make_wave(a, ZW_ZERO, zw_add(ctx, zw_mul(ctx, w2, z[COSINE]), zw_mul(ctx, kw, r[SINE])),
                  zw_sub(ctx, zw_mul(ctx, w2, z[SINE]), zw_mul(ctx, kw, r[COSINE])));
}

/* M v' - h. */
static zw_expr row_of(const zw_amplitudes *a, int i) {
    const zw_equations *eq = &a->eq;
    zw_expr sum = zw_neg(a->ctx, eq->h[i]);
    for (int j = 0; j < eq->nv; j++)
        sum = zw_add(a->ctx, sum, zw_mul(a->ctx, eq->M[i * eq->nv + j], eq->a[j]));
    return sum;
}

static zw_status harmonics_of_rows(zw_amplitudes *a, zw_trig_series *out, zw_error *err) {
    const zw_equations *eq = &a->eq;
    int n = eq->nq;
    zw_expr *row = ZW_AMPLITUDES_NEW(a, zw_expr, n), *symbol = ZW_AMPLITUDES_NEW(a, zw_expr, 3 * n);
    zw_trig_series *series = ZW_AMPLITUDES_NEW(a, zw_trig_series, 3 * n);
    if (a->arena.failed)
        return zw_out_of_memory(err, NULL);
    for (int i = 0; i < n; i++) {
        row[i] = row_of(a, i);
        symbol[i] = eq->q[i];
        symbol[n + i] = eq->v[i];
        symbol[2 * n + i] = eq->a[i];
        put_in(a, i, &series[i], &series[n + i], &series[2 * n + i]);
    }
    if (a->arena.failed)
        return zw_out_of_memory(err, NULL);
    const zw_trig_time time = {a->sys->t, a->forcing.n, a->forcing.frequency, a->multiple};
    return zw_trig_expand(a->ctx, n, row, 3 * n, symbol, series, &time, 1, out, err);
}

/* Do all means of the rows vanish? */
static bool means_vanish(const zw_amplitudes *a, const zw_trig_series *row) {
    for (int i = 0; i < a->sys->nq; i++)
        if (zw_expand(a->ctx, row[i].c[0]) != ZW_ZERO)
            return false;
    return true;
}

static zw_expr part_of(const zw_trig_series *row, int part) {
    return part == MEAN ? row->c[0] : part == COSINE ? row->c[1] : row->s[1];
}

static zw_status split_rates(zw_amplitudes *a, const zw_trig_series *row, zw_error *err) {
    int n = a->result.n;
    zw_expr *zero = ZW_AMPLITUDES_NEW(a, zw_expr, n);
    a->M = ZW_AMPLITUDES_NEW(a, zw_expr, n * n);
    a->F = ZW_AMPLITUDES_NEW(a, zw_expr, n);
    if (a->arena.failed)
        return zw_out_of_memory(err, NULL);
    for (int i = 0; i < n; i++)
        zero[i] = ZW_ZERO;
    for (int i = 0; i < n; i++) {
        zw_expr e = part_of(&row[a->coord[i]], a->part[i]);
        a->F[i] = zw_expand(a->ctx, zw_subst(a->ctx, e, n, a->rate, zero));
        for (int j = 0; j < n; j++)
            a->M[i * n + j] = zw_expand(
                a->ctx, zw_subst(a->ctx, zw_diff(a->ctx, e, a->rate[j]), n, a->rate, zero));
    }
    return zw_context_status(a->ctx, err);
}

static zw_status balance_harmonics(zw_amplitudes *a, zw_error *err) {
    int n = a->sys->nq;
    zw_trig_series *row = ZW_AMPLITUDES_NEW(a, zw_trig_series, n);
    a->Z = ZW_AMPLITUDES_NEW(a, zw_expr, 3 * n);
    a->rate = ZW_AMPLITUDES_NEW(a, zw_expr, 3 * n);
    a->coord = ZW_AMPLITUDES_NEW(a, int, 3 * n);
    a->part = ZW_AMPLITUDES_NEW(a, int, 3 * n);
    if (a->arena.failed)
        return zw_out_of_memory(err, NULL);
    /* Without means first: that is shorter, and shows whether they are excited. */
    name_all(a, false);
    ZW_TRY(harmonics_of_rows(a, row, err));
    bool driven = !means_vanish(a, row);
    if (driven && !a->options.odd && a->options.van_der_pol) {
        zw_fail(err, ZW_E_MODEL,
                "the amplitudes excite means, which have no rates by the condition of van der Pol");
        zw_error_hint(err,
                      "leave out --van-der-pol to include means, or add --odd to leave them out");
        return ZW_E_MODEL;
    }
    if (driven && !a->options.odd) {
        name_all(a, true);
        ZW_TRY(harmonics_of_rows(a, row, err));
    }
    a->result.forced_out = driven && a->options.odd;
    return split_rates(a, row, err);
}

/* --------------------------------------------------------------------------------------- set-up */

static zw_status reject_shape(const zw_amplitudes *a, zw_error *err) {
    const zw_equations *eq = &a->eq;
    bool plain = eq->nq == eq->nv && eq->nc == 0 && eq->nvel == 0 && eq->npos == 0;
    for (int i = 0; plain && i < eq->nq; i++)
        plain = eq->qdot[i] == eq->v[i];
    if (plain)
        return ZW_OK;
    zw_fail(err, ZW_E_MODEL,
            "amplitudes in closed form need coordinates without constraints, whose rates are the "
            "velocities");
    zw_error_hint(err, "use coordinates that satisfy the constraints; amplitudes as numbers "
                       "(without --symbolic) have no such limit");
    return ZW_E_MODEL;
}

static zw_status find_frequency(zw_amplitudes *a, zw_error *err) {
    a->p = ZW_AMPLITUDES_NEW(a, double, a->sys->np);
    a->multiple = ZW_AMPLITUDES_NEW(a, int, a->forcing.n);
    if (a->arena.failed)
        return zw_out_of_memory(err, NULL);
    ZW_TRY(zw_system_param_values(a->sys, a->p, err));
    ZW_TRY(zw_forcing_base(&a->forcing, a->p, &a->w, a->multiple, err));
    for (int i = 0; i < a->forcing.n && !a->result.w; i++)
        if (a->multiple[i] != 0)
            a->result.w =
                zw_div(a->ctx, a->forcing.frequency[i], zw_integer(a->ctx, a->multiple[i]));
    return zw_context_status(a->ctx, err);
}

static zw_status build_amplitudes(zw_amplitudes *a, zw_error *err) {
    zw_equations whole;
    if (a->options.terms < 1 || a->options.terms > TERMS_MOST)
        return zw_fail(err, ZW_E_OPTION, "a series has 1 to %d terms", (int)TERMS_MOST);
    if (a->sys->nq > COORDINATES_MOST)
        return zw_fail(err, ZW_E_MODEL, "formulas are available for at most %d coordinates",
                       (int)COORDINATES_MOST);
    ZW_TRY(zw_derive(&whole, a->sys, a->options.active, "lagrange", err));
    ZW_TRY(zw_equations_few_terms(&a->eq, &whole, a->options.terms, err));
    ZW_TRY(reject_shape(a, err));
    int n = a->eq.nv;
    a->replaced = memcmp(a->eq.M, whole.M, sizeof(zw_expr) * (size_t)(n * n)) != 0 ||
                  memcmp(a->eq.h, whole.h, sizeof(zw_expr) * (size_t)n) != 0;
    ZW_TRY(zw_forcing_find(&a->forcing, &a->eq, err));
    ZW_TRY(find_frequency(a, err));
    ZW_TRY(balance_harmonics(a, err));
    a->result.Z = a->Z;
    a->result.rate = a->rate;
    a->result.coord = a->coord;
    a->result.part = a->part;
    a->result.M = a->M;
    a->result.F = a->F;
    return zw_amplitudes_check(a, err);
}

zw_status zw_amplitudes_create(zw_amplitudes **out, const zw_system *sys,
                               const zw_amplitudes_options *options, zw_error *err) {
    assert(out && sys);
    zw_allocator alloc = zw_context_allocator(sys->ctx);
    zw_amplitudes *a = zw_allocate(&alloc, sizeof *a);
    *out = NULL;
    if (!a)
        return zw_out_of_memory(err, NULL);
    *a = (zw_amplitudes){.sys = sys, .ctx = sys->ctx, .options = zw_amplitudes_options_default()};
    zw_arena_init(&a->arena, &alloc);
    zw_status status = options ? zw_options_adopt(&a->options, sizeof a->options, options,
                                                  "zw_amplitudes_options", err)
                               : ZW_OK;
    if (status >= 0)
        status = build_amplitudes(a, err);
    if (status < 0)
        zw_amplitudes_destroy(a);
    else
        *out = a;
    return status;
}

void zw_amplitudes_destroy(zw_amplitudes *a) {
    if (!a)
        return;
    zw_allocator alloc = a->arena.alloc;
    zw_arena_clear(&a->arena);
    zw_release(&alloc, a, sizeof *a);
}

const zw_amplitudes_result *zw_amplitudes_get(const zw_amplitudes *a) {
    return &a->result;
}
