/* SPDX-License-Identifier: MIT */
/* Forced motions as tables: curves, and curves of special points in two parameters. */
#include <assert.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "forced.h"
#include "motion/motion_words.h"
#include "motion/notes.h"

/* ---------------------------------------------------------------------------------------- table */

/* columns of the other excitation frequencies and the amplitudes at them, like first(x) at the
 * first one */
static zw_status tone_columns(const zw_forced *f, zw_table *t) {
    static const char *const drive[] = {"", "drive2", "drive3"}, *const name[] = {"", "second",
                                                                                  "third"};
    char column[160];
    for (int j = 1; j < f->tones.n; j++) {
        ZW_TRY(zw_table_column(t, drive[j], "rad/s"));
        for (int i = 0; i < f->nquantity; i++) {
            const char *unit, *of = zw_forced_quantity(f, i, &unit);
            snprintf(column, sizeof column, "%s(%.120s)", name[j], of);
            ZW_TRY(zw_table_column(t, column, unit));
        }
    }
    return ZW_OK;
}

static int fill_tones(const zw_forced *f, const zw_forced_motion *m, double *row) {
    int n = 0;
    for (int j = 1; j < f->tones.n; j++) {
        row[n++] = m->frequency[j] * zw_forced_tones_scale(f, j); /* of the excitation */
        for (int i = 0; i < f->nquantity; i++)
            row[n++] = m->tone[i * f->tones.n + j];
    }
    return n;
}

static zw_status make_columns(const zw_forced *f, zw_table *t) {
    ZW_TRY(zw_table_column(t, f->over.name, f->over.unit));
    if (f->options.with)
        ZW_TRY(zw_table_column(t, f->options.with->of.name, f->options.with->of.unit));
    ZW_TRY(zw_motion_measure_columns(f->sys, t));
    if (f->slow) {
        ZW_TRY(zw_table_column(t, "growth", "1/s"));
        ZW_TRY(zw_table_column(t, "floquet", ""));
    }
    static const char *const others[] = {"multiplier", "outside", "stable", "harmonics",
                                         "error",      "curve",   "drive"};
    int n = (int)(sizeof others / sizeof *others) - (f->options.free ? 1 : 0);
    for (int i = 0; i < n; i++) {
        bool drive = strcmp(others[i], "drive") == 0,
             exponent = i == 0 && zw_forced_has_tones(f); /* instead of the multiplier */
        ZW_TRY(zw_table_column(t,
                               exponent             ? "exponent"
                               : drive && f->cycles ? "frequency"
                                                    : others[i],
                               exponent ? "1/s"
                               : drive  ? "rad/s"
                                        : ""));
    }
    if (f->options.free) {
        ZW_TRY(zw_table_column(t, "energy", f->over.unit[0] ? "J" : ""));
        return zw_table_column(t, "mode", "");
    }
    ZW_TRY(zw_table_column(t, "order", ""));
    ZW_TRY(zw_table_column(t, "march", ""));
    if (zw_forced_has_tones(f))
        ZW_TRY(tone_columns(f, t));
    return zw_forced_drift_columns(f, t);
}

/* columns cos[1,0](x), sin[1,0](x), cos[0,1](x), ... of combinations */
static zw_status combination_columns(const zw_forced *f, int top, zw_table *t) {
    int n = top, tones = f->tones.n;
    const int *vector = f->vector;
    char of[60], name[200];
    for (int i = 0; i < f->sys->nq; i++)
        for (int h = f->options.odd ? 0 : 1; h < n; h++)
            for (int sine = 0; sine < 2; sine++) {
                size_t used = 0;
                for (int j = 0; j < tones; j++)
                    used += (size_t)snprintf(of + used, sizeof of - used, j ? ",%d" : "%d",
                                             vector[h * tones + j]);
                snprintf(name, sizeof name, "%s[%s](%.120s)", sine ? "sin" : "cos", of,
                         f->sys->coord[i].name);
                ZW_TRY(zw_table_column(t, name, f->sys->coord[i].unit));
            }
    return ZW_OK;
}

static int fill_combinations(const zw_forced *f, const zw_forced_motion *m, int top, double *row) {
    int first = f->options.odd ? 0 : 1, n = 0;
    int count = 2 * top - first;
    for (int i = 0; i < f->sys->nq; i++)
        for (int at = first; at < count; at++)
            row[n++] = f->options.halved      ? (double)NAN /* columns are of whole frequencies */
                       : at < m->ncoefficient ? m->x[i * m->ncoefficient + at]
                                              : 0;
    return n;
}

/* columns cos1(x), sin1(x), ... of the harmonics of each motion's own period */
static zw_status make_coefficients(const zw_forced *f, int top, zw_table *t) {
    char name[160];
    if (zw_forced_has_tones(f))
        return top ? combination_columns(f, top, t) : ZW_OK;
    for (int i = 0; i < f->sys->nq; i++)
        for (int k = 2; k < 2 * top + 2; k++) {
            snprintf(name, sizeof name, "%s%d(%.120s)", k % 2 ? "sin" : "cos", k / 2,
                     f->sys->coord[i].name);
            ZW_TRY(zw_table_column(t, name, f->sys->coord[i].unit));
        }
    return ZW_OK;
}

static int fill_coefficients(const zw_forced *f, const zw_forced_motion *m, int top, double *row) {
    int n = 0, odd = f->options.odd ? 1 : 0;
    if (zw_forced_has_tones(f))
        return top ? fill_combinations(f, m, top, row) : 0;
    for (int i = 0; i < f->sys->nq; i++)
        for (int k = 2; k < 2 * top + 2; k++) {
            int h = k / 2, at = odd ? h - 1 + k % 2 : 2 * h - 1 + k % 2;
            bool exists = at < m->ncoefficient && !(odd && h % 2 == 0);
            row[n++] = m->march ? (double)NAN : exists ? m->x[i * m->ncoefficient + at] : 0;
        }
    return n;
}

/* the highest harmonic of a study and its children, in their own periods; for several frequencies
 * the number of combinations */
static int highest_harmonic(const zw_forced *f) {
    int highest = 0;
    for (int i = 0; i < f->nmotion && !f->options.halved; i++)
        if (zw_forced_has_tones(f) && f->motion[i].curve >= 0) {
            int n = zw_forced_tones_count(f, &f->motion[i]);
            highest = n > highest ? n : highest;
        } else if (f->motion[i].harmonics * f->options.order > highest && f->motion[i].curve >= 0)
            highest = f->motion[i].harmonics * f->options.order;
    for (int i = 0; i < f->nchild; i++) {
        int other = highest_harmonic(f->child[i]);
        highest = other > highest ? other : highest;
    }
    return highest;
}

static zw_status fill_row(const zw_forced *f, zw_table *t, const zw_forced_motion *m, int curves,
                          int top, double *row) {
    int n = 0;
    row[n++] = m->value / f->over.factor;
    if (f->options.with)
        row[n++] = f->options.with->value[f->options.member] / f->options.with->of.factor;
    n += zw_motion_fill_measures(f->sys, m->measure, row + n);
    if (f->slow) {
        row[n++] = m->nslow ? m->slow_re[0] : (double)NAN;
        row[n++] = m->floquet;
    }
    row[n++] = m->nexponent     ? m->exponent[0]
               : m->nmultiplier ? hypot(m->re[0], m->im[0])
                                : (double)NAN;
    row[n++] = m->outside < 0 ? (double)NAN : m->outside;
    row[n++] = m->verdict == ZW_FLOQUET_STABLE     ? 1
               : m->verdict == ZW_FLOQUET_UNSTABLE ? 0
                                                   : (double)NAN;
    row[n++] = m->harmonics;
    row[n++] = m->error;
    row[n++] = curves + m->curve;
    row[n++] = f->options.free
                   ? m->energy
                   : m->w * (f->cycles ? 1 : f->options.order) * zw_forced_tones_scale(f, 0);
    if (f->options.free) {
        row[n++] = f->curve[m->curve].mode + 1;
    } else {
        row[n++] = f->options.order;
        row[n++] = m->march;
        n += zw_forced_has_tones(f) ? fill_tones(f, m, row + n) : 0;
        n += zw_forced_fill_drifts(f, m, row + n);
    }
    fill_coefficients(f, m, top, row + n);
    return zw_table_row(t, row);
}

/* notes that separate families by their modes */
static zw_status note_modes(const zw_forced *f, zw_table *t) {
    char key[40], words[40];
    for (int i = 0; i < f->ncurve; i++) {
        snprintf(key, sizeof key, "part mode %d", f->curve[i].mode + 1);
        snprintf(words, sizeof words, "\"mode %d\"", f->curve[i].mode + 1);
        ZW_TRY(zw_table_note(t, key, words));
    }
    return zw_table_note(t, "parts", "mode");
}

/* notes of a table: a parameter that varies has no single value; the quantity by which its curves
 * are distinguished */
static zw_status fill_notes(const zw_forced *f, zw_table *t, const zw_model_source *source,
                            bool march, int orders) {
    const zw_forced_values *with = f->options.with;
    char key[ZW_PARAMETER_RANGE_NAME + 16], parts[ZW_PARAMETER_RANGE_NAME + 32] = "", words[40];
    ZW_TRY(zw_study_origin(t, f->sys, f->eq.principle, f->p, f->options.active, source,
                           f->options.free ? "backbone" : "response"));
    if (!f->options.free) {
        snprintf(key, sizeof key, "param %s", f->over.name);
        zw_table_remove_note(t, key);
    }
    if (with) {
        snprintf(key, sizeof key, "param %s", with->of.name);
        zw_table_remove_note(t, key);
    }
    snprintf(parts, sizeof parts, "%s%s%s", with ? with->of.name : "", march ? " march" : "",
             orders > f->options.order ? " order" : "");
    if (f->options.free && f->ncurve > 1)
        ZW_TRY(note_modes(f, t));
    if (parts[0])
        ZW_TRY(zw_table_note(t, "parts", parts + (parts[0] == ' ')));
    for (int k = f->options.order; k <= orders && orders > f->options.order; k *= 2) {
        snprintf(key, sizeof key, "part order %d", k);
        snprintf(words, sizeof words, k == 1 ? "\"%d period\"" : "\"%d periods\"", k);
        ZW_TRY(zw_table_note(t, key, words));
    }
    if (!march)
        return ZW_OK;
    ZW_TRY(zw_table_note(t, "part march 0",
                         with || orders > 1 ? ""
                         : f->event_orbits  ? "\"shooting\""
                                            : "\"harmonic balance\""));
    ZW_TRY(zw_table_note(t, "part march 1", "points \"run, upwards\""));
    return zw_table_note(t, "part march -1", "points \"run, downwards\"");
}

static int tone_cells(const zw_forced *f, int top) {
    return f->tones.n * (f->nquantity + 1) + 2 * f->sys->nq * top;
}

/* curves: number of curves before */
static zw_status fill_rows(const zw_forced *f, zw_table *t, int curves, int top, int *specials) {
    int last = -1;
    double *row = ZW_NEW((zw_arena *)&f->arena, double,
                         ZW_MOTION_MEASURES * f->nquantity + 2 * top * f->sys->nq + 16 +
                             (zw_forced_has_tones(f) ? tone_cells(f, top) : 0) +
                             (f->reduction ? zw_reduction_get(f->reduction)->nleft : 0));
    if (!row)
        return ZW_E_MEMORY;
    for (int i = 0; i < f->nmotion; i++) {
        const zw_forced_motion *m = &f->motion[i];
        if (m->curve < 0)
            continue;
        if (m->curve != last && zw_table_rows(t)) /* a row of NaN separates curves */
            ZW_TRY(zw_motion_fill_nothing(t, row));
        last = m->curve;
        ZW_TRY(fill_row(f, t, m, curves, top, row));
        if (zw_forced_is_special(m))
            ZW_TRY(zw_motion_mark(t, (*specials)++, m->event, m->value / f->over.factor, NULL));
    }
    return ZW_OK;
}

static bool has_march(const zw_forced *f) {
    for (int k = 0; k < f->ncurve; k++)
        if (f->curve[k].march)
            return true;
    return false;
}

/* the highest order of a study and its children */
static int highest_order(const zw_forced *f) {
    int highest = f->options.order;
    for (int i = 0; i < f->nchild; i++) {
        int other = highest_order(f->child[i]);
        highest = other > highest ? other : highest;
    }
    return highest;
}

/* fills the rows of a study and its children */
static zw_status fill_study(const zw_forced *f, zw_table *t, int top, int *curves, int *specials) {
    ZW_TRY(fill_rows(f, t, *curves, top, specials));
    *curves += f->ncurve;
    for (int i = 0; i < f->nchild; i++)
        ZW_TRY(fill_study(f->child[i], t, top, curves, specials));
    return ZW_OK;
}

static zw_status fill_table(int n, zw_forced *const *f, zw_table *t,
                            const zw_model_source *source) {
    int specials = 0, curves = 0, orders = 1, top = 0;
    bool march = false;
    for (int i = 0; i < n; i++) {
        march |= has_march(f[i]);
        orders = highest_order(f[i]) > orders ? highest_order(f[i]) : orders;
        if (f[0]->options.coefficients && highest_harmonic(f[i]) > top)
            top = highest_harmonic(f[i]);
    }
    ZW_TRY(make_columns(f[0], t));
    ZW_TRY(make_coefficients(f[0], top, t));
    ZW_TRY(fill_notes(f[0], t, source, march, orders));
    for (int i = 0; i < n; i++)
        ZW_TRY(fill_study(f[i], t, top, &curves, &specials));
    return ZW_OK;
}

zw_status zw_forced_table_of(int n, zw_forced *const *f, const zw_model_source *source,
                             zw_table **out, zw_error *err) {
    assert(out);
    zw_allocator alloc = zw_context_allocator(f[0]->sys->ctx);
    *out = NULL;
    if (!f[0]->has_over)
        return zw_fail(err, ZW_E_OPTION, "without a curve there is no table of one");
    *out = zw_table_create(&alloc);
    zw_status status = *out ? fill_table(n, f, *out, source) : ZW_E_MEMORY;
    if (status >= 0)
        return status;
    zw_table_destroy(*out);
    *out = NULL;
    return zw_fail(err, status, "the table of forced motions could not be made");
}

zw_status zw_forced_table(const zw_forced *f, const zw_model_source *source, zw_table **out,
                          zw_error *err) {
    assert(out);
    zw_forced *one = (zw_forced *)f;
    return zw_forced_table_of(1, &one, source, out, err);
}

/* the number of a kind of special points in the column kind */
static int column_of(zw_bifurcation kind) {
    switch (kind) {
    case ZW_BIFURCATION_FOLD:
        return 1;
    case ZW_BIFURCATION_BRANCH:
        return 2;
    case ZW_BIFURCATION_FLIP:
        return 3;
    case ZW_BIFURCATION_TORUS:
        return 4;
    case ZW_BIFURCATION_POINT:
    case ZW_BIFURCATION_END:
    case ZW_BIFURCATION_GRAZE:
        break;
    }
    return 0;
}

/* ---------------------------------------------------------------------------------------- special
 * points */

static zw_status fill_special_points(const zw_forced *f, zw_table *t,
                                     const zw_model_source *source) {
    char key[ZW_PARAMETER_RANGE_NAME + 8], text[80];
    int cusps = 0;
    double *row = ZW_NEW((zw_arena *)&f->arena, double, ZW_MOTION_MEASURES * f->nquantity + 16);
    if (!row)
        return ZW_E_MEMORY;
    ZW_TRY(zw_table_column(t, f->over.name, f->over.unit));
    ZW_TRY(zw_table_column(t, f->second.name, f->second.unit));
    ZW_TRY(zw_motion_measure_columns(f->sys, t));
    ZW_TRY(zw_table_column(t, "kind", ""));
    ZW_TRY(zw_table_column(t, "curve", ""));
    ZW_TRY(zw_study_origin(t, f->sys, f->eq.principle, f->p, f->options.active, source, "marks"));
    for (int i = 0; i < 2; i++) {
        snprintf(key, sizeof key, "param %s", i ? f->second.name : f->over.name);
        zw_table_remove_note(t, key);
    }
    for (int i = 0; i < f->nspecial; i++) {
        const zw_forced_mark *m = &f->special[i];
        if (i && m->curve != m[-1].curve)
            ZW_TRY(zw_motion_fill_nothing(t, row));
        row[0] = m->value / f->over.factor;
        row[1] = m->second / f->second.factor;
        int n = 2 + zw_motion_fill_measures(f->sys, m->measure, row + 2);
        row[n++] = column_of(m->event);
        row[n] = m->curve;
        ZW_TRY(zw_table_row(t, row));
        if (m->cusp) {
            snprintf(key, sizeof key, "mark %d", cusps++);
            snprintf(text, sizeof text, "cusp %.17g #%ld", row[0], zw_table_rows(t) - 1);
            ZW_TRY(zw_table_note(t, key, text));
        }
    }
    ZW_TRY(zw_table_note(t, "part kind 1", "\"folds\""));
    ZW_TRY(zw_table_note(t, "part kind 2", "\"branch points\""));
    ZW_TRY(zw_table_note(t, "part kind 3", "\"period doublings\""));
    ZW_TRY(zw_table_note(t, "part kind 4", "\"Neimark-Sacker points\""));
    return zw_table_note(t, "parts", "kind");
}

zw_status zw_forced_marks_table(const zw_forced *f, const zw_model_source *source, zw_table **out,
                                zw_error *err) {
    assert(out);
    zw_allocator alloc = zw_context_allocator(f->sys->ctx);
    *out = NULL;
    if (!f->nspecial)
        return zw_fail(err, ZW_E_NUMERIC, "there are no marks that could be followed");
    *out = zw_table_create(&alloc);
    zw_status status = *out ? fill_special_points(f, *out, source) : ZW_E_MEMORY;
    if (status >= 0)
        return status;
    zw_table_destroy(*out);
    *out = NULL;
    return zw_fail(err, status, "the table of marks could not be made");
}
