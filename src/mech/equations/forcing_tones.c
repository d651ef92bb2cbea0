/* SPDX-License-Identifier: MIT */
/* Frequencies without a common period. For each frequency in turn: if r times it is a sum of
 * integer multiples of the tones found so far, with the smallest r, these tones are divided by r
 * or by a factor of it that suffices; otherwise it is a new tone. A relation must be valid for the
 * values and, along a parameter, for their derivatives: ratios that change with the parameter do
 * not count.
 *
 * Phases: where the argument of a sine is w t + e with w = sum m_j W_j, it becomes sum m_j theta_j
 * + e. */
#include <assert.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/tolerance.h"
#include "forcing.h"
#include "mech/equations/variants.h"
#include "mech/system/build.h"

enum {
    MULTIPLES_MAX = 24, /* multiples of one tone, and divisors */
    SUM_MULTIPLES_MAX = 6
}; /* multiples of tones in a sum */

typedef struct finder {
    const zw_forcing *f;
    zw_tones *out;
    int (*multiple)[ZW_TONES_MAX];
    double *w, *dw;                           /* f->n */
    double W[ZW_TONES_MAX], dW[ZW_TONES_MAX]; /* current tones */
} finder;

static bool is_combination(double wanted, int n, const double *W, const int *m) {
    double sum = 0, size = fabs(wanted);
    for (int j = 0; j < n; j++) {
        sum += m[j] * W[j];
        size = fmax(size, fabs(m[j] * W[j]));
    }
    return fabs(wanted - sum) <= ZW_SAME_VALUE * size;
}

/* the next choice of multiples from -most to most; false after the last one */
static bool next_choice(int n, int most, int *m) {
    for (int j = 0; j < n; j++) {
        if (++m[j] <= most)
            return true;
        m[j] = -most;
    }
    return false;
}

/* r w_i as a sum of multiples of the tones, with the smallest multiples */
static bool is_sum(const finder *s, int i, int r, int *m) {
    int n = s->out->n, most = n == 1 ? MULTIPLES_MAX : SUM_MULTIPLES_MAX, best = -1,
        now[ZW_TONES_MAX] = {0};
    for (int j = 0; j < n; j++)
        now[j] = -most;
    do {
        int size = 0;
        for (int j = 0; j < n; j++)
            size += now[j] < 0 ? -now[j] : now[j];
        if ((best < 0 || size < best) && is_combination(r * s->w[i], n, s->W, now) &&
            is_combination(r * s->dw[i], n, s->dW, now)) {
            best = size;
            memcpy(m, now, sizeof now);
        }
    } while (next_choice(n, most, now));
    return best >= 0;
}

static int greatest_common_divisor(int a, int b) {
    while (b) {
        int rest = a % b;
        a = b;
        b = rest;
    }
    return a < 0 ? -a : a;
}

/* r w_i is the sum of m_j W_j: divides each tone by as little as makes w_i a sum of multiples */
static void divide_tones(finder *s, int r, int i) {
    for (int j = 0; j < s->out->n; j++) {
        int common = greatest_common_divisor(r, s->multiple[i][j]), by = r / common;
        s->multiple[i][j] /= common;
        s->out->divisor[j] *= by;
        s->W[j] /= by;
        s->dW[j] /= by;
        for (int k = 0; k < i; k++)
            s->multiple[k][j] *= by;
    }
}

static zw_status reject_many(zw_error *err) {
    zw_fail(err, ZW_E_MODEL,
            "the excitations have more than %d frequencies without a common period at these values",
            ZW_TONES_MAX);
    zw_error_hint(err, "zwang run and zwang lyapunov follow such motions in time");
    return ZW_E_MODEL;
}

static zw_status add_tone(finder *s, int i, zw_error *err) {
    int j = s->out->n, sign = s->w[i] < 0 || (s->w[i] == 0 && s->dw[i] < 0) ? -1 : 1;
    if (j == ZW_TONES_MAX)
        return reject_many(err);
    s->out->drive[j] = i;
    s->out->sign[j] = sign;
    s->out->divisor[j] = 1;
    s->W[j] = sign * s->w[i];
    s->dW[j] = sign * s->dw[i];
    s->multiple[i][j] = sign;
    s->out->n++;
    return ZW_OK;
}

static zw_status place_frequency(finder *s, int i, zw_error *err) {
    if (s->w[i] == 0 && s->dw[i] == 0)
        return ZW_OK;
    for (int r = 1; r <= MULTIPLES_MAX && s->out->n; r++)
        if (is_sum(s, i, r, s->multiple[i])) {
            divide_tones(s, r, i);
            return ZW_OK;
        }
    memset(s->multiple[i], 0, sizeof s->multiple[i]);
    return add_tone(s, i, err);
}

static zw_status find_tones(finder *s, const double *p, int parameter, zw_error *err) {
    ZW_TRY(zw_forcing_frequencies(s->f, p, s->w, err));
    if (parameter >= 0)
        ZW_TRY(zw_forcing_slopes(s->f, p, parameter, s->dw, err));
    for (int i = 0; i < s->f->n; i++)
        ZW_TRY(place_frequency(s, i, err));
    return ZW_OK;
}

zw_status zw_forcing_tones(const zw_forcing *f, const double *p, int parameter, zw_tones *out,
                           zw_error *err) {
    zw_context *ctx = f->eq->sys->ctx;
    zw_arena_mark mark = zw_scratch_mark(ctx);
    finder s = {.f = f, .out = out};
    *out = (zw_tones){0};
    s.multiple = zw_context_alloc(ctx, sizeof *s.multiple * (size_t)(f->n + 1));
    s.w = ZW_SCRATCH_NEW(ctx, double, f->n);
    s.dw = ZW_SCRATCH_NEW(ctx, double, f->n);
    out->multiple = (const int(*)[ZW_TONES_MAX])s.multiple;
    zw_status status =
        s.multiple && s.w && s.dw ? find_tones(&s, p, parameter, err) : zw_context_status(ctx, err);
    zw_scratch_release(ctx, mark);
    return status;
}

zw_status zw_forcing_tones_halve(const zw_forcing *f, zw_tones *tones, int phases, zw_error *err) {
    zw_context *ctx = f->eq->sys->ctx;
    int(*multiple)[ZW_TONES_MAX] = zw_context_alloc(ctx, sizeof *multiple * (size_t)(f->n + 1));
    if (!multiple)
        return zw_context_status(ctx, err);
    for (int j = 0; j < ZW_TONES_MAX; j++) {
        int by = phases >> j & 1 ? 2 : 1;
        tones->divisor[j] *= by;
        for (int i = 0; i < f->n; i++)
            multiple[i][j] = by * tones->multiple[i][j];
    }
    tones->multiple = (const int(*)[ZW_TONES_MAX])multiple;
    return ZW_OK;
}

const char *zw_forcing_tone_name(const zw_forcing *f, const zw_tones *tones, int tone) {
    assert(tone >= 0 && tone < tones->n);
    zw_context *ctx = f->eq->sys->ctx;
    zw_expr w = zw_mul(ctx, zw_rational(ctx, tones->sign[tone], tones->divisor[tone]),
                       f->frequency[tones->drive[tone]]);
    char *text = zw_print_within(ctx, w, ZW_TEXT, 40), cut[48];
    snprintf(cut, sizeof cut, "%s", text ? text : "an excitation");
    if (text)
        zw_string_free(ctx, text);
    return zw_context_intern(ctx, cut);
}

static zw_status put_values(const zw_forcing *f, const zw_tones *tones, const double *w,
                            const double *dw, double *W, double *slope, zw_error *err) {
    for (int j = 0; j < tones->n; j++) {
        double factor = (double)tones->sign[j] / tones->divisor[j];
        W[j] = factor * w[tones->drive[j]];
        if (slope)
            slope[j] = dw ? factor * dw[tones->drive[j]] : 0;
        if (!(W[j] > 0))
            return zw_fail(err, ZW_E_MODEL,
                           "the excitation frequency %s is %g rad/s here, but must be positive",
                           zw_forcing_tone_name(f, tones, j), W[j]);
    }
    return ZW_OK;
}

zw_status zw_forcing_tone_values(const zw_forcing *f, const zw_tones *tones, const double *p,
                                 int parameter, double *W, double *slope, zw_error *err) {
    zw_context *ctx = f->eq->sys->ctx;
    zw_arena_mark mark = zw_scratch_mark(ctx);
    double *w = ZW_SCRATCH_NEW(ctx, double, f->n), *dw = ZW_SCRATCH_NEW(ctx, double, f->n);
    bool slopes = slope && parameter >= 0;
    zw_status status = w && dw ? zw_forcing_frequencies(f, p, w, err) : zw_context_status(ctx, err);
    if (status >= 0 && slopes)
        status = zw_forcing_slopes(f, p, parameter, dw, err);
    if (status >= 0)
        status = put_values(f, tones, w, slopes ? dw : NULL, W, slope, err);
    zw_scratch_release(ctx, mark);
    return status;
}

/* --------------------------------------------------------------------------------------- phases */

/* part i with phases instead of w t; parts inside it have been replaced already */
static zw_expr part_with_phases(const zw_forcing *f, const zw_tones *tones, int i,
                                const zw_expr *phase, const zw_expr *now) {
    const zw_system *s = f->eq->sys;
    zw_context *ctx = s->ctx;
    int n, of = f->of[i];
    zw_expr w = zw_expand(ctx, f->rate[i]), arg = zw_expr_args(ctx, f->part[i], &n)[0];
    int sign = w == f->frequency[of] ? 1 : -1;
    arg = zw_expand(ctx, zw_sub(ctx, arg, zw_mul(ctx, f->rate[i], s->t)));
    arg = zw_replace(ctx, arg, i, f->part, now);
    for (int j = 0; j < tones->n; j++)
        arg =
            zw_add(ctx, arg, zw_mul(ctx, zw_integer(ctx, sign * tones->multiple[of][j]), phase[j]));
    return zw_apply(ctx, zw_expr_op(ctx, f->part[i]), 1, &arg);
}

typedef struct rewriter {
    const zw_forcing *f;
    zw_expr *now; /* npart */
} rewriter;

static zw_status rewrite_phases(const rewriter *r, int n, const zw_expr *e, zw_expr *out,
                                zw_error *err) {
    const zw_system *s = r->f->eq->sys;
    for (int i = 0; i < n; i++) {
        out[i] = zw_replace(s->ctx, e[i], r->f->npart, r->f->part, r->now);
        ZW_TRY(zw_context_status(s->ctx, err));
        if (zw_depends(s->ctx, out[i], s->t))
            return zw_fail(err, ZW_E_MODEL, "time occurs outside the phases of the excitations");
    }
    return ZW_OK;
}

static zw_status rewrite_arrays(const rewriter *r, zw_equations *out, zw_error *err) {
    zw_context *ctx = out->sys->ctx;
    int nq = out->nq, nv = out->nv, nc = out->nc;
    zw_expr **array[] = {&out->qdot, &out->F,   &out->M,   &out->h,   &out->C,  &out->W,
                         &out->b,    &out->phi, &out->Phi, &out->psi, &out->Psi};
    const int size[] = {nq, nq * nv,   nv * nv,        nv,        nv * nc,       nc * nv,
                        nc, out->npos, out->npos * nv, out->nvel, out->nvel * nv};
    for (int i = 0; i < (int)(sizeof size / sizeof *size); i++) {
        if (size[i] == 0 || !*array[i])
            continue;
        zw_expr *now = ZW_CONTEXT_NEW(ctx, zw_expr, size[i]);
        if (!now)
            return zw_context_status(ctx, err);
        ZW_TRY(rewrite_phases(r, size[i], *array[i], now, err));
        *array[i] = now;
    }
    return ZW_OK;
}

/* the observables of the system, in a copy of it */
static zw_status rewrite_system(const rewriter *r, zw_equations *out, zw_error *err) {
    zw_context *ctx = out->sys->ctx;
    zw_system *copy = ZW_CONTEXT_NEW(ctx, zw_system, 1);
    zw_observable *seen = ZW_CONTEXT_NEW(ctx, zw_observable, out->sys->nobservable);
    if (!copy || !seen)
        return zw_context_status(ctx, err);
    *copy = *out->sys;
    copy->observable = seen;
    copy->nevent = 0;
    for (int i = 0; i < copy->nobservable; i++) {
        seen[i] = out->sys->observable[i];
        zw_status status =
            rewrite_phases(r, 1, &out->sys->observable[i].value, &seen[i].value, NULL);
        if (status < 0)
            return zw_fail(err, status,
                           "the observable %s depends on time in another way than the equations",
                           seen[i].name);
    }
    out->sys = copy;
    return ZW_OK;
}

zw_status zw_forcing_phases(const zw_forcing *f, const zw_tones *tones, zw_equations *out,
                            zw_error *err) {
    zw_context *ctx = f->eq->sys->ctx;
    int nu = f->eq->nu;
    zw_expr *u = ZW_CONTEXT_NEW(ctx, zw_expr, nu + tones->n);
    rewriter r = {.f = f, .now = ZW_CONTEXT_NEW(ctx, zw_expr, f->npart)};
    if (!u || !r.now)
        return zw_context_status(ctx, err);
    for (int i = 0; i < nu; i++)
        u[i] = f->eq->u[i];
    for (int j = 0; j < tones->n; j++) {
        char name[24];
        snprintf(name, sizeof name, "phase'%d", j + 1); /* not a possible name in a model */
        u[nu + j] = zw_symbol(ctx, name);
    }
    for (int i = 0; i < f->npart; i++)
        r.now[i] = part_with_phases(f, tones, i, u + nu, r.now);
    *out = *f->eq;
    out->nu = nu + tones->n;
    out->u = u;
    out->nwatch = 0;
    ZW_TRY(rewrite_arrays(&r, out, err));
    ZW_TRY(rewrite_system(&r, out, err));
    return zw_context_status(ctx, err);
}
