/* SPDX-License-Identifier: MIT */
/* Products of trigonometric polynomials, term by term:
 *
 *     cos a cos b = (cos(a - b) + cos(a + b))/2        sin a cos b = (sin(a + b) + sin(a - b))/2
 *     sin a sin b = (cos(a - b) - cos(a + b))/2
 *
 * Each node of the shared graph is visited once; coefficients are multiplied out as they arise, so
 * that terms cancel early. */
#include "zwang/expr.h"

#include "expr/core/store.h"

enum { TEXT_MAX = 120 };

typedef struct expansion {
    zw_context *ctx;
    memo *m; /* index of a node in `of` */
    zw_trig_series *of;
    int n;
    const zw_expr *symbols;
    const zw_trig_series *series;
    const zw_trig_time *time;
    zw_error *err;
} expansion;

static bool reject_part(const expansion *w, zw_expr part, const char *why) {
    zw_context_reset_status(w->ctx);
    char *text = zw_print_within(w->ctx, part, ZW_TEXT, TEXT_MAX);
    zw_fail(w->err, ZW_E_DOMAIN, "%s%s%s", text ? text : "", text ? " " : "a part of it ", why);
    zw_string_free(w->ctx, text);
    return false;
}

static bool make_series(const expansion *w, int top, zw_trig_series *out) {
    *out = (zw_trig_series){.top = top};
    out->c = zw_context_alloc(w->ctx, sizeof(zw_expr) * (size_t)(top + 1));
    out->s = zw_context_alloc(w->ctx, sizeof(zw_expr) * (size_t)(top + 1));
    if (!out->c || !out->s)
        return false;
    for (int i = 0; i <= top; i++)
        out->c[i] = out->s[i] = ZW_ZERO;
    return true;
}

static bool constant_series(const expansion *w, zw_expr e, zw_trig_series *out) {
    if (!make_series(w, 0, out))
        return false;
    out->c[0] = e;
    return true;
}

/* removes zeros at the end */
static void trim_zeros(zw_trig_series *u) {
    while (u->top > 0 && u->c[u->top] == ZW_ZERO && u->s[u->top] == ZW_ZERO)
        u->top--;
}

static void add_to(const expansion *w, zw_expr *sum, zw_expr part) {
    *sum = zw_add(w->ctx, *sum, part);
}

/* adds half a b cos((i +- j) tau) and the like to the harmonic of that number, whose sign may be
 * negative */
static void add_cosine(const expansion *w, zw_trig_series *out, int harmonic, zw_expr part) {
    add_to(w, &out->c[harmonic < 0 ? -harmonic : harmonic], part);
}

static void add_sine(const expansion *w, zw_trig_series *out, int harmonic, zw_expr part) {
    if (harmonic > 0)
        add_to(w, &out->s[harmonic], part);
    else if (harmonic < 0)
        add_to(w, &out->s[-harmonic], zw_neg(w->ctx, part));
}

static zw_expr half_product(const expansion *w, zw_expr a, zw_expr b) {
    zw_expr part[] = {ZW_HALF, a, b};
    return a == ZW_ZERO || b == ZW_ZERO ? ZW_ZERO : zw_expand(w->ctx, zw_product(w->ctx, 3, part));
}

static bool multiply_series(const expansion *w, const zw_trig_series *a, const zw_trig_series *b,
                            zw_trig_series *out) {
    if (a->top + b->top > ZW_TRIG_MOST) {
        zw_fail(w->err, ZW_E_DOMAIN, "harmonics above %d arise", (int)ZW_TRIG_MOST);
        return false;
    }
    if (!make_series(w, a->top + b->top, out))
        return false;
    for (int i = 0; i <= a->top; i++)
        for (int j = 0; j <= b->top; j++) {
            zw_expr cc = half_product(w, a->c[i], b->c[j]), ss = half_product(w, a->s[i], b->s[j]),
                    cs = half_product(w, a->c[i], b->s[j]), sc = half_product(w, a->s[i], b->c[j]);
            add_cosine(w, out, i - j, zw_add(w->ctx, cc, ss));
            add_cosine(w, out, i + j, zw_sub(w->ctx, cc, ss));
            add_sine(w, out, i + j, zw_add(w->ctx, sc, cs));
            add_sine(w, out, i - j, zw_sub(w->ctx, sc, cs));
        }
    trim_zeros(out);
    return true;
}

/* the series of an argument; false if it is a constant */
static bool load_series(const expansion *w, zw_expr e, zw_trig_series *out) {
    if (memo_has(w->m, e)) {
        *out = w->of[w->m->value[e]];
        return true;
    }
    return constant_series(w, e, out);
}

static bool power_series(const expansion *w, zw_expr base, zw_expr exponent, zw_trig_series *out) {
    zw_trig_series b, next;
    int64_t p, q;
    if (!load_series(w, base, &b))
        return false;
    if (memo_has(w->m, exponent))
        return reject_part(w, zw_pow(w->ctx, base, exponent), "is no polynomial of the motion");
    if (b.top == 0)
        return constant_series(w, zw_pow(w->ctx, b.c[0], exponent), out);
    if (!zw_expr_is_rational(w->ctx, exponent, &p, &q) || q != 1 || p < 0)
        return reject_part(w, zw_pow(w->ctx, base, exponent), "is no polynomial of the motion");
    if (!constant_series(w, ZW_ONE, out))
        return false;
    for (int64_t k = 0; k < p; k++) {
        if (!multiply_series(w, out, &b, &next))
            return false;
        *out = next;
    }
    return true;
}

static bool expand_product(const expansion *w, zw_expr e, zw_trig_series *out) {
    int n;
    const zw_expr *args = zw_expr_args(w->ctx, e, &n);
    zw_trig_series factor, product;
    if (!constant_series(w, ZW_ONE, out))
        return false;
    for (int i = 0; i < n; i += 2) {
        if (!power_series(w, args[i], args[i + 1], &factor) ||
            !multiply_series(w, out, &factor, &product))
            return false;
        *out = product;
    }
    return true;
}

static bool expand_sum(const expansion *w, zw_expr e, zw_trig_series *out) {
    int n, top = 0;
    const zw_expr *args = zw_expr_args(w->ctx, e, &n);
    zw_trig_series part;
    for (int i = 1; i < n; i += 2)
        if (memo_has(w->m, args[i]) && w->of[w->m->value[args[i]]].top > top)
            top = w->of[w->m->value[args[i]]].top;
    if (!make_series(w, top, out))
        return false;
    out->c[0] = args[0];
    for (int i = 1; i < n; i += 2) {
        if (!load_series(w, args[i], &part))
            return false;
        for (int k = 0; k <= part.top; k++) {
            add_to(w, &out->c[k], zw_expand(w->ctx, zw_mul(w->ctx, args[i + 1], part.c[k])));
            add_to(w, &out->s[k], zw_expand(w->ctx, zw_mul(w->ctx, args[i + 1], part.s[k])));
        }
    }
    trim_zeros(out);
    return true;
}

/* sin or cos of (multiple w t + rest) */
static bool expand_wave(const expansion *w, zw_expr e, zw_trig_series *out) {
    int n, multiple = 0;
    const zw_expr *args = zw_expr_args(w->ctx, e, &n);
    zw_expr rate, rest;
    bool known = false, sine = zw_expr_op(w->ctx, e) == ZW_OP_SIN;
    if (!w->time || !w->time->t || !zw_linear(w->ctx, args[0], 1, &w->time->t, &rate, &rest) ||
        zw_depends_any(w->ctx, rest, w->n, w->symbols) ||
        zw_depends_any(w->ctx, rate, w->n, w->symbols))
        return reject_part(w, e, "is no polynomial of the motion and of sines and cosines of time");
    for (int i = 0; i < w->time->n && !known; i++) {
        zw_expr f = w->time->frequency[i];
        int sign = zw_expand(w->ctx, zw_sub(w->ctx, rate, f)) == ZW_ZERO   ? 1
                   : zw_expand(w->ctx, zw_add(w->ctx, rate, f)) == ZW_ZERO ? -1
                                                                           : 0;
        known = sign != 0;
        multiple = sign * w->time->multiple[i];
    }
    if (!known)
        return reject_part(w, e,
                           "has a frequency that is not a multiple of the excitation frequency");
    int k = multiple < 0 ? -multiple : multiple;
    if (k > ZW_TRIG_MOST)
        return reject_part(w, e, "has too high a frequency");
    if (!make_series(w, k, out))
        return false;
    /* sin(k tau + r) = sin r cos(k tau) + cos r sin(k tau), cos(k tau + r) = cos r cos(k tau) - sin
     * r sin(k tau) */
    zw_expr sin_rest = zw_sin(w->ctx, rest), cos_rest = zw_cos(w->ctx, rest);
    out->c[k] = sine ? sin_rest : cos_rest;
    if (k) {
        zw_expr s = sine ? cos_rest : zw_neg(w->ctx, sin_rest);
        out->s[k] = multiple < 0 ? zw_neg(w->ctx, s) : s;
    }
    return true;
}

static bool expand_node(const expansion *w, zw_expr e, zw_trig_series *out) {
    switch (zw_expr_op(w->ctx, e)) {
    case ZW_OP_SYMBOL:
        for (int i = 0; i < w->n; i++)
            if (w->symbols[i] == e) {
                *out = w->series[i];
                return true;
            }
        return constant_series(w, e, out); /* the end checks whether time is left over */
    case ZW_OP_SUM:
        return expand_sum(w, e, out);
    case ZW_OP_PRODUCT:
        return expand_product(w, e, out);
    default: {
        zw_trig_series u;
        int n;
        const zw_expr *args = zw_expr_args(w->ctx, e, &n);
        bool still = !w->time || !zw_depends(w->ctx, e, w->time->t);
        for (int i = 0; i < n && still; i++)
            still = load_series(w, args[i], &u) && u.top == 0 && u.c[0] == args[i];
        if (still)
            return constant_series(w, e, out);
        if (zw_expr_op(w->ctx, e) == ZW_OP_SIN || zw_expr_op(w->ctx, e) == ZW_OP_COS)
            return expand_wave(w, e, out);
        return reject_part(w, e, "is no polynomial of the motion");
    }
    }
}

/* harmonics 0 .. top of the root */
static bool copy_harmonics(const expansion *w, zw_expr e, int top, zw_trig_series *out) {
    zw_trig_series all;
    if (!load_series(w, e, &all) || !make_series(w, top, out))
        return false;
    for (int k = 0; k <= top && k <= all.top; k++) {
        out->c[k] = all.c[k];
        out->s[k] = k ? all.s[k] : ZW_ZERO;
    }
    for (int k = 0; w->time && w->time->t && k <= all.top; k++)
        if (zw_depends(w->ctx, all.c[k], w->time->t) || zw_depends(w->ctx, all.s[k], w->time->t))
            return reject_part(w, e, "is not periodic in time");
    return true;
}

zw_status zw_trig_expand(zw_context *ctx, int m, const zw_expr *e, int n, const zw_expr *symbols,
                         const zw_trig_series *series, const zw_trig_time *time, int top,
                         zw_trig_series *out, zw_error *err) {
    zw_error trouble = {0};
    uint64_t mask = time && time->t ? node_of(ctx, time->t)->mask : 0;
    expansion w = {.ctx = ctx,
                   .m = zw_memo_begin(ctx),
                   .n = n,
                   .symbols = symbols,
                   .series = series,
                   .time = time,
                   .err = &trouble};
    zw_arena_mark mark = zw_arena_mark_now(&ctx->scratch);
    for (int i = 0; i < n; i++)
        mask |= node_of(ctx, symbols[i])->mask;
    bool ok = w.m && zw_memo_walk(ctx, w.m, m, e, mask);
    if (ok) {
        w.of = ZW_NEW(&ctx->scratch, zw_trig_series, w.m->count + 1);
        ok = w.of != NULL;
    }
    /* a node counts as visited only in its turn: arguments come before it */
    for (int i = 0; ok && i < w.m->count; i++) {
        ok = expand_node(&w, w.m->order[i], &w.of[i]);
        memo_set(w.m, w.m->order[i], (uint32_t)i);
    }
    for (int i = 0; ok && i < m; i++)
        ok = copy_harmonics(&w, e[i], top, &out[i]);
    if (w.m)
        zw_memo_end(ctx);
    zw_arena_release(&ctx->scratch, mark);
    zw_status status = zw_context_status(ctx, trouble.status ? NULL : err);
    if (trouble.status && err && !err->status)
        *err = trouble;
    return trouble.status ? trouble.status : status;
}
