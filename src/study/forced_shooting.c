/* SPDX-License-Identifier: MIT */
/* Forced motions by shooting, beside the balance of harmonics. */
#include "zwang/forced_shooting.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/text.h"
#include "forced.h"

/* kinks are met exactly: modes */
static zw_status make_kernel(zw_forced *f, zw_kernel **out, zw_error *err) {
    zw_kernel_options o = zw_kernel_options_default();
    o.jit = ZW_JIT_WHEN_IT_PAYS;
    o.modes = true;
    o.functions = ZW_FUNCTIONS_ALL_METHODS | ZW_SET(SWITCHES) | ZW_SET(SWITCH_LIVE) |
                  ZW_SET(SWITCH_RATE) | (f->sys->nobservable ? ZW_SET(OBS) : 0);
    return zw_kernel_create(out, &f->eq, &o, err);
}

/* the quantity of shooting that is one of the study: coordinates, then (behind all entries of x) observables */
static int place_of(const zw_forced *f, const zw_shooting *s, int i) {
    return i < f->sys->nq ? i : s->nx + i - f->sys->nq;
}

static double difference(const zw_forced *f, const zw_forced_motion *m, const zw_shooting *s) {
    double most = 0, size = 0;
    for (int i = 0; i < f->sys->nq; i++) {
        most = fmax(most, fabs(s->rms[i] - m->measure[i].rms) / f->scale[i]);
        size = fmax(size, m->measure[i].rms / f->scale[i]);
    }
    return size > 0 ? most / size : most;
}

static zw_status shoot(zw_forced *f, const zw_forced_motion *m, const zw_kernel *kernel,
                       zw_shooting *out, zw_error *err) {
    zw_shooting_options o = zw_shooting_options_default();
    double *x = ZW_NEW(&f->arena, double, kernel->nx + 1),
           *scale = ZW_NEW(&f->arena, double, kernel->nx + 1), w, slope;
    if (!x || !scale)
        return zw_forced_no_memory(err);
    ZW_TRY(zw_forced_load(f, m, err));
    ZW_TRY(zw_forced_set(f, m->value, f->now, &w, &slope, err));
    zw_harmonic_state(f->balance, f->x, w, 0, x, NULL);
    for (int i = 0; i < kernel->nx; i++)
        scale[i] = fmax(fabs(x[i]), 1e-6);
    for (int i = 0; i < f->sys->nq; i++)
        scale[i] = fmax(m->measure[i].rms, 1e-12 * f->scale[i]);
    for (int i = 0; i < f->sys->nq && f->sys->nq == kernel->nq && kernel->nv == kernel->nq; i++)
        scale[f->sys->nq + i] = w * scale[i];
    o.period = 2 * M_PI / w;
    o.scale = scale;
    return zw_shooting_find(out, kernel, f->now, x, &o, err);
}

zw_status zw_forced_shoot(zw_forced *f, int number, zw_forced_shot *out, zw_error *err) {
    zw_kernel *kernel;
    *out = (zw_forced_shot){0};
    ZW_TRY(make_kernel(f, &kernel, err));
    zw_status status = shoot(f, &f->motion[number], kernel, &out->motion, err);
    zw_kernel_destroy(kernel);
    if (status < 0)
        return status;
    out->apart = difference(f, &f->motion[number], &out->motion);
    return ZW_OK;
}

/* -------------------------------------------------------------------------------------------------------- words */

static void put_multipliers(zw_text *out, const zw_floquet *q) {
    zw_text_put(out, "    multipliers");
    for (int i = 0; i < q->n; i++) {
        if (q->im[i] < 0)
            continue;
        zw_text_printf(out, i ? ", %.8g" : " %.8g", q->re[i]);
        if (q->im[i] != 0)
            zw_text_printf(out, " +- %.8gi", q->im[i]);
    }
    zw_text_put(out, "\n");
}

static void put_shot(zw_text *out, const zw_forced *f, int number, const zw_forced_shot *shot) {
    const zw_shooting *s = &shot->motion;
    zw_text_printf(out, "  %d: %s; period %.10g s, closes to %.1e after %d step%s\n", number,
                   s->floquet.verdict == ZW_FLOQUET_STABLE     ? "stable"
                   : s->floquet.verdict == ZW_FLOQUET_UNSTABLE ? "unstable"
                                                               : "stability undecided",
                   s->period, s->residual, s->iterations, s->iterations == 1 ? "" : "s");
    if (s->jumps)
        zw_text_printf(out, "    rates jump %d times in a period\n", s->jumps);
    put_multipliers(out, &s->floquet);
    zw_text_printf(out, "    %-14s %15s %15s %15s %15s\n", "", "rms", "mean", "max", "min");
    for (int i = 0; i < f->nquantity; i++) {
        const char *unit, *name = zw_forced_quantity(f, i, &unit);
        int k = place_of(f, s, i);
        char label[80];
        snprintf(label, sizeof label, "%.40s%s%.20s%s", name, unit[0] ? " [" : "", unit,
                 unit[0] ? "]" : "");
        zw_text_printf(out, "    %-14s %15.9g %15.9g %15.9g %15.9g\n", label, s->rms[k], s->mean[k],
                       s->max[k], s->min[k]);
    }
    zw_text_printf(out, "    the balance of harmonics differs by %.1e of the rms\n", shot->apart);
}

char *zw_forced_shooting_text(const zw_forced *f, int n, const zw_forced_shot *shot) {
    zw_text out;
    zw_allocator alloc = zw_context_allocator(f->sys->ctx);
    zw_text_init(&out, &alloc);
    zw_text_printf(&out, "%s: %d periodic motion%s by shooting\n", f->sys->name, n,
                   n == 1 ? "" : "s");
    for (int i = 0; i < n; i++)
        put_shot(&out, f, i, &shot[i]);
    return zw_text_take(&out);
}

static void key_number(zw_text *out, const char *key, double value) {
    zw_text_printf(out, "\"%s\": ", key);
    zw_text_json_number(out, value);
}

static void json_shot(zw_text *out, const zw_forced *f, const zw_forced_shot *shot) {
    const zw_shooting *s = &shot->motion;
    zw_text_put(out, "{");
    key_number(out, "period", s->period);
    zw_text_put(out, ", ");
    key_number(out, "residual", s->residual);
    zw_text_printf(out, ", \"iterations\": %d, \"jumps\": %d, ", s->iterations, s->jumps);
    key_number(out, "apart", shot->apart);
    zw_text_put(out, ", \"multipliers\": [");
    for (int i = 0; i < s->floquet.n; i++) {
        zw_text_put(out, i ? ", [" : "[");
        zw_text_json_number(out, s->floquet.re[i]);
        zw_text_put(out, ", ");
        zw_text_json_number(out, s->floquet.im[i]);
        zw_text_put(out, "]");
    }
    zw_text_put(out, "],\n  \"quantities\": [");
    for (int i = 0; i < f->nquantity; i++) {
        const char *unit, *name = zw_forced_quantity(f, i, &unit);
        int k = place_of(f, s, i);
        static const char *const keys[] = {"rms", "mean", "max", "min"};
        const double value[] = {s->rms[k], s->mean[k], s->max[k], s->min[k]};
        zw_text_put(out, i ? ", {\"name\": " : "{\"name\": ");
        zw_text_json(out, name);
        zw_text_put(out, ", \"unit\": ");
        zw_text_json(out, unit);
        for (int j = 0; j < 4; j++) {
            zw_text_put(out, ", ");
            key_number(out, keys[j], value[j]);
        }
        zw_text_put(out, "}");
    }
    zw_text_put(out, "]}");
}

char *zw_forced_shooting_json(const zw_forced *f, int n, const zw_forced_shot *shot) {
    zw_text out;
    zw_allocator alloc = zw_context_allocator(f->sys->ctx);
    zw_text_init(&out, &alloc);
    zw_text_put(&out, "{\"model\": ");
    zw_text_json(&out, f->sys->name);
    zw_text_put(&out, ", \"by\": \"shooting\", \"motions\": [");
    for (int i = 0; i < n; i++) {
        zw_text_put(&out, i ? ",\n" : "\n");
        json_shot(&out, f, &shot[i]);
    }
    zw_text_put(&out, "\n]}\n");
    return zw_text_take(&out);
}

void zw_forced_shooting_doubts(const zw_forced *f, int n, const zw_forced_shot *shot,
                               zw_doubts *out) {
    double most = 0;
    for (int i = 0; i < n; i++)
        most = fmax(most, shot[i].apart);
    if (!(most > 10 * f->options.tolerance))
        return;
    zw_doubt d = zw_doubt_of(
        "shooting", NAN, "shooting and the balance of harmonics differ by %.1e of a motion", most);
    zw_doubt_hint(&d, "more --harmonics-max, or another motion was found from the same start");
    zw_doubts_add(out, &d);
}
