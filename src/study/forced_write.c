/* SPDX-License-Identifier: MIT */
/* Forced motions in words, and as JSON. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/text.h"
#include "forced.h"

const char *const zw_forced_words[] = {[ZW_FORCED_POINT] = "",
                                       [ZW_FORCED_FOLD] = "fold",
                                       [ZW_FORCED_BRANCH] = "branch",
                                       [ZW_FORCED_FLIP] = "period-doubling",
                                       [ZW_FORCED_TORUS] = "neimark-sacker",
                                       [ZW_FORCED_END] = ""};
static const char *const event_sentences[] = {
    [ZW_FORCED_FOLD] = "a fold: the curve turns back",
    [ZW_FORCED_BRANCH] = "a multiplier passes 1: another curve crosses, or a symmetry breaks",
    [ZW_FORCED_FLIP] = "a multiplier passes -1: the period doubles",
    [ZW_FORCED_TORUS] = "a pair of multipliers passes the unit circle: the motion becomes "
                        "quasi-periodic (Neimark, Sacker)"};

static const char *sentence_of(const zw_forced *f, zw_forced_event event) {
    if (f->slow && event == ZW_FORCED_TORUS)
        return "a pair of eigenvalues crosses the imaginary axis: amplitudes begin to oscillate, "
               "the motion becomes quasi-periodic";
    if (f->slow && event == ZW_FORCED_BRANCH)
        return "an eigenvalue passes 0: another curve crosses, or a symmetry breaks";
    return event_sentences[event];
}

bool zw_forced_is_mark(const zw_forced_motion *m) {
    return m->event != ZW_FORCED_POINT && m->event != ZW_FORCED_END;
}

/* --------------------------------------------------------------------------------------------- one motion */

static void put_stability(zw_text *out, const zw_forced_motion *m) {
    if (m->outside < 0)
        zw_text_put(out, "stability not known");
    else if (m->verdict == ZW_FLOQUET_STABLE)
        zw_text_put(out, "stable");
    else if (m->verdict == ZW_FLOQUET_UNSTABLE)
        zw_text_printf(out,
                       m->nslow ? "unstable, %d eigenvalue%s to the right of the imaginary axis"
                                : "unstable, %d multiplier%s outside of the unit circle",
                       m->outside, m->outside == 1 ? "" : "s");
    else
        zw_text_put(out, "stability undecided: a multiplier is on the unit circle");
}

enum { SHOWN = 8 };

static void put_rates(zw_text *out, const zw_forced_motion *m) {
    zw_text_put(out, "    amplitudes grow as exp(s t), s [1/s] =");
    for (int i = 0; i < m->nslow && i < SHOWN; i++) {
        if (m->slow_im[i] < 0)
            continue;
        zw_text_printf(out, i ? ", %.8g" : " %.8g", m->slow_re[i]);
        if (m->slow_im[i] != 0)
            zw_text_printf(out, " +- %.8gi", m->slow_im[i]);
    }
    zw_text_printf(out,
                   "%s\n    the largest exp(s P) in a period P is %.8g in size, the largest "
                   "multiplier of the motion itself %.8g\n",
                   m->nslow > SHOWN ? ", ..." : "", hypot(m->re[0], m->im[0]), m->floquet);
}

static void put_multipliers(zw_text *out, const zw_forced_motion *m) {
    if (m->nmultiplier == 0)
        return;
    if (m->nslow) {
        put_rates(out, m);
        return;
    }
    zw_text_put(out, "    multipliers");
    for (int i = 0; i < m->nmultiplier && i < SHOWN; i++) {
        if (m->im[i] < 0)
            continue;
        zw_text_printf(out, i ? ", %.8g" : " %.8g", m->re[i]);
        if (m->im[i] != 0)
            zw_text_printf(out, " +- %.8gi", m->im[i]);
    }
    zw_text_printf(out, "%s, to %.1g\n", m->nmultiplier > SHOWN ? ", ..." : "", m->accuracy);
}

static void put_quantities(zw_text *out, const zw_forced *f, const zw_forced_motion *m) {
    zw_text_printf(out, "    %-14s %15s %15s %15s %15s %15s %10s\n", "", "rms", "mean", "max",
                   "min", "first harmonic", "phase [rad]");
    for (int i = 0; i < f->nquantity; i++) {
        const zw_forced_measure *q = &m->measure[i];
        const char *unit, *name = zw_forced_quantity(f, i, &unit);
        char label[80];
        snprintf(label, sizeof label, "%.40s%s%.20s%s", name, unit[0] ? " [" : "", unit,
                 unit[0] ? "]" : "");
        zw_text_printf(out, "    %-14s %15.9g %15.9g %15.9g %15.9g %15.9g %10.6f\n", label, q->rms,
                       q->mean, q->max, q->min, q->first, q->phase);
    }
}

static void put_value(zw_text *out, const zw_forced *f, double value) {
    zw_text_printf(out, "%.10g%s%s", value / f->over.factor, f->over.unit[0] ? " " : "",
                   f->over.unit);
}

static void put_motion(zw_text *out, const zw_forced *f, const zw_forced_motion *m, int number) {
    zw_text_printf(out, "  %d: ", number);
    put_stability(out, m);
    if (f->has_over && !isnan(m->value)) {
        zw_text_printf(out, ", at %s = ", f->over.name);
        put_value(out, f, m->value);
    }
    zw_text_printf(out, "; period %.10g s, ", 2 * M_PI / m->w);
    if (m->state)
        zw_text_printf(out, "by shooting, misses its beginning by %.1e", m->residual);
    else
        zw_text_printf(out, "harmonics up to %d", m->harmonics);
    if (m->jumps)
        zw_text_printf(out, ", rates jump %d time%s", m->jumps, m->jumps == 1 ? "" : "s");
    if (!isnan(m->error))
        zw_text_printf(out, ", error about %.1e", m->error);
    zw_text_put(out, "\n");
    put_multipliers(out, m);
    put_quantities(out, f, m);
}

/* -------------------------------------------------------------------------------------------------- curves */

static const char *end_words(zw_cont_end end) {
    return end == ZW_CONT_AT_BOUND ? "the end of the range"
           : end == ZW_CONT_CLOSED ? "its beginning: it is closed"
           : end == ZW_CONT_POINTS ? "as many points as were asked for"
           : end == ZW_CONT_ASKED  ? "another curve"
           : end == ZW_CONT_STUCK  ? "a place where no step finds a next point"
                                   : "its start";
}

/* from the first to the last of it */
static void put_family(zw_text *out, const zw_forced *f, const zw_forced_curve *c) {
    const zw_forced_motion *end[] = {&f->motion[c->first], &f->motion[c->first + c->n - 1]};
    for (int k = 0; k < 2; k++) {
        zw_text_printf(out, "%senergy %.9g, frequency %.10g", k ? " to " : "", end[k]->energy,
                       end[k]->value);
        for (int i = 0; i < f->sys->nq && i < 3; i++)
            zw_text_printf(out, ", max(%s) = %.9g", f->sys->coord[i].name, end[k]->measure[i].max);
    }
    zw_text_printf(out, "\n    mode %d, %.10g%s%s when small; frequencies ", c->mode + 1,
                   f->family.frequency[c->mode], f->over.unit[0] ? " " : "", f->over.unit);
}

/* does a coordinate differ between two motions by more than a part of the larger? */
static bool differs(const zw_forced *f, const zw_forced_motion *a, const zw_forced_motion *b) {
    for (int k = 0; k < f->sys->nq; k++) {
        double u = a->measure[k].rms, v = b->measure[k].rms;
        if (fabs(u - v) > 0.01 * fmax(u, v) && fmax(u, v) > 1e-9 * f->width[k])
            return true;
    }
    return false;
}

/* by integration; on the way down also where it differs from the way up, whose motions stand before, the other way round */
static void put_march(zw_text *out, const zw_forced *f, const zw_forced_curve *c) {
    int open = 0;
    for (int i = c->first; i < c->first + c->n; i++)
        open += !(f->motion[i].error < 1e-3);
    zw_text_printf(out, "  %s by integration: %d values", c->march > 0 ? "up" : "down", c->n);
    if (open)
        zw_text_printf(out, "; %d not periodic after %d periods, to a thousandth", open,
                       f->options.settle);
    zw_text_put(out, "\n");
    if (c->march > 0 || c == f->curve || c[-1].march <= 0 || c[-1].n != c->n)
        return;
    for (int i = 0; i < c->n; i++) {
        const zw_forced_motion *up = &f->motion[c[-1].first],
                               *down = &f->motion[c->first + c->n - 1];
        if (!differs(f, up + i, down - i))
            continue;
        int k = i;
        while (k + 1 < c->n && differs(f, up + k + 1, down - k - 1))
            k++;
        zw_text_printf(out, "    differs from the way up from %s = ", f->over.name);
        put_value(out, f, up[i].value);
        zw_text_put(out, " to ");
        put_value(out, f, up[k].value);
        zw_text_put(out, "\n");
        i = k;
    }
}

/* where it leaves another one */
static void put_origin(zw_text *out, const zw_forced *f, const zw_forced_curve *c) {
    const zw_forced_motion *at = &f->motion[c->from - 1];
    zw_text_printf(out, "    leaves at %s = ", f->over.name);
    put_value(out, f, at->value);
    zw_text_put(out, f->doubled ? ", where the period doubles\n" : ", at a branch point\n");
}

static void put_curve(zw_text *out, const zw_forced *f, int index) {
    const zw_forced_curve *c = &f->curve[index];
    if (c->march) {
        put_march(out, f, c);
        return;
    }
    int unstable = 0, top = 0;
    double low = INFINITY, high = -INFINITY;
    for (int i = c->first; i < c->first + c->n; i++) {
        const zw_forced_motion *m = &f->motion[i];
        unstable += m->verdict == ZW_FLOQUET_UNSTABLE;
        low = fmin(low, m->value);
        high = fmax(high, m->value);
        top = m->harmonics > top ? m->harmonics : top;
    }
    zw_text_printf(out, "  curve %d: %d points from ", index, c->n);
    if (f->options.free)
        put_family(out, f, c);
    put_value(out, f, low);
    zw_text_put(out, " to ");
    put_value(out, f, high);
    zw_text_printf(out, ", %d of them unstable, harmonics up to %d\n", unstable, top);
    if (c->from)
        put_origin(out, f, c);
    for (int side = 0; side < 2; side++)
        if (c->info[side].end != ZW_CONT_AT_BOUND && c->info[side].points)
            zw_text_printf(out, "    ends at %s\n", end_words(c->info[side].end));
    for (int i = c->first; i < c->first + c->n; i++) {
        const zw_forced_motion *m = &f->motion[i];
        if (!zw_forced_is_mark(m))
            continue;
        zw_text_put(out, "    ");
        put_value(out, f, m->value);
        zw_text_printf(out, "  %s;", sentence_of(f, m->event));
        for (int k = 0; k < f->sys->nq && k < 3; k++)
            zw_text_printf(out, " rms(%s) = %.6g", f->sys->coord[k].name, m->measure[k].rms);
        zw_text_put(out, "\n");
    }
}

static void put_second(zw_text *out, const zw_forced *f, const zw_forced_mark *m) {
    zw_text_printf(out, "%s = ", f->over.name);
    put_value(out, f, m->value);
    zw_text_printf(out, ", %s = %.10g%s%s", f->second.name, m->second / f->second.factor,
                   f->second.unit[0] ? " " : "", f->second.unit);
}

/* a curve of marks in two parameters, from end to end, and its cusps */
static void put_locus(zw_text *out, const zw_forced *f, int index) {
    static const char *const words[] = {[ZW_FORCED_FOLD] = "folds",
                                        [ZW_FORCED_BRANCH] = "branch points",
                                        [ZW_FORCED_FLIP] = "period doublings",
                                        [ZW_FORCED_TORUS] = "Neimark-Sacker points"};
    const zw_forced_curve *c = &f->locus[index];
    const zw_forced_mark *first = &f->mark[c->first], *last = &f->mark[c->first + c->n - 1];
    zw_text_printf(out, "  %s over %s and %s: %d points from ", words[first->event], f->over.name,
                   f->second.name, c->n);
    put_second(out, f, first);
    zw_text_put(out, " to ");
    put_second(out, f, last);
    zw_text_put(out, "\n");
    for (int i = c->first; i < c->first + c->n; i++)
        if (f->mark[i].cusp) {
            zw_text_put(out, "    cusp, two folds meet: ");
            put_second(out, f, &f->mark[i]);
            zw_text_put(out, "\n");
        }
}

static void put_curves(zw_text *out, const zw_forced *f) {
    zw_text_put(out, f->sys->name);
    if (f->options.with) {
        const zw_over *of = &f->options.with->of;
        zw_text_printf(out, ", %s = %.10g%s%s", of->name,
                       f->options.with->value[f->options.member] / of->factor,
                       of->unit[0] ? " " : "", of->unit);
    }
    if (f->options.free)
        zw_text_put(out, ": families of free motions\n");
    else if (f->options.order > 1)
        zw_text_printf(out, ": motions of %d periods of the drive over %s\n", f->options.order,
                       f->over.name);
    else
        zw_text_printf(out, ": forced motions over %s\n", f->over.name);
    for (int i = 0; i < f->ncurve; i++)
        put_curve(out, f, i);
    for (int i = 0; i < f->nlocus; i++)
        put_locus(out, f, i);
    if (f->second.name[0] && !f->nlocus)
        zw_text_printf(out, "  no marks that could be followed over %s\n", f->second.name);
    if (f->crossings)
        zw_text_printf(out,
                       "  %d branch point%s not followed: --odd follows those where a symmetry "
                       "breaks\n",
                       f->crossings, f->crossings == 1 ? " is" : "s are");
    for (int i = 0; i < f->nchild; i++)
        put_curves(out, f->child[i]);
}

char *zw_forced_text(const zw_forced *f) {
    zw_text out;
    zw_allocator alloc = zw_context_allocator(f->sys->ctx);
    zw_text_init(&out, &alloc);
    if (f->ncurve) {
        put_curves(&out, f);
        return zw_text_take(&out);
    }
    zw_text_printf(&out, "%s: %d periodic motion%s\n", f->sys->name, f->nmotion,
                   f->nmotion == 1 ? "" : "s");
    for (int i = 0; i < f->nmotion; i++)
        put_motion(&out, f, &f->motion[i], i);
    return zw_text_take(&out);
}

/* ---------------------------------------------------------------------------------------------------- JSON */

static void key_number(zw_text *out, const char *key, double value) {
    zw_text_printf(out, "\"%s\": ", key);
    zw_text_json_number(out, value);
}

static void json_measure(zw_text *out, const zw_forced *f, const zw_forced_motion *m, int i) {
    const zw_forced_measure *q = &m->measure[i];
    const char *unit, *name = zw_forced_quantity(f, i, &unit);
    zw_text_put(out, "{\"name\": ");
    zw_text_json(out, name);
    zw_text_put(out, ", \"unit\": ");
    zw_text_json(out, unit);
    static const char *const keys[] = {"rms", "mean", "max", "min", "first", "phase"};
    const double value[] = {q->rms, q->mean, q->max, q->min, q->first, q->phase};
    for (int k = 0; k < 6; k++) {
        zw_text_put(out, ", ");
        key_number(out, keys[k], value[k]);
    }
    zw_text_put(out, "}");
}

/* cos and sin of every harmonic of every coordinate */
static void json_coefficients(zw_text *out, const zw_forced *f, const zw_forced_motion *m) {
    zw_text_put(out, "\"coefficients\": {");
    for (int i = 0; i < f->sys->nq; i++) {
        zw_text_put(out, i ? ", " : "");
        zw_text_json(out, f->sys->coord[i].name);
        zw_text_put(out, ": [");
        for (int k = 0; k < m->ncoefficient; k++) {
            zw_text_put(out, k ? ", " : "");
            zw_text_json_number(out, m->x[i * m->ncoefficient + k]);
        }
        zw_text_put(out, "]");
    }
    zw_text_put(out, "}");
}

/* of slowly varying amplitudes */
static void json_rates(zw_text *out, const zw_forced_motion *m) {
    zw_text_put(out, ", \"rates\": [");
    for (int i = 0; i < m->nslow; i++) {
        zw_text_put(out, i ? ", [" : "[");
        zw_text_json_number(out, m->slow_re[i]);
        zw_text_put(out, ", ");
        zw_text_json_number(out, m->slow_im[i]);
        zw_text_put(out, "]");
    }
    zw_text_put(out, "], ");
    key_number(out, "floquet", m->floquet);
}

static void json_motion(zw_text *out, const zw_forced *f, const zw_forced_motion *m, int curves) {
    zw_text_put(out, "{");
    if (f->has_over) {
        key_number(out, "value", m->value);
        zw_text_put(out, ", ");
    }
    key_number(out, "omega", m->w);
    if (f->options.free) {
        zw_text_put(out, ", ");
        key_number(out, "energy", m->energy);
        zw_text_printf(out, ", \"mode\": %d", f->curve[m->curve].mode + 1);
    }
    zw_text_printf(out, ", \"order\": %d, \"harmonics\": %d, \"odd\": %s, ", f->options.order,
                   m->harmonics, f->options.odd ? "true" : "false");
    key_number(out, "error", m->error);
    if (m->march)
        zw_text_printf(out, ", \"march\": %d", m->march);
    if (m->state) {
        zw_text_put(out, ", ");
        key_number(out, "residual", m->residual);
        zw_text_printf(out, ", \"jumps\": %d", m->jumps);
    }
    zw_text_printf(out, ", \"curve\": %d, \"event\": \"%s\", \"outside\": %d, \"stable\": %s, ",
                   m->curve < 0 ? -1 : curves + m->curve, zw_forced_words[m->event], m->outside,
                   m->verdict == ZW_FLOQUET_STABLE     ? "true"
                   : m->verdict == ZW_FLOQUET_UNSTABLE ? "false"
                                                       : "null");
    key_number(out, "multiplier_accuracy", m->accuracy);
    zw_text_put(out, ", \"multipliers\": [");
    for (int i = 0; i < m->nmultiplier; i++) {
        zw_text_put(out, i ? ", [" : "[");
        zw_text_json_number(out, m->re[i]);
        zw_text_put(out, ", ");
        zw_text_json_number(out, m->im[i]);
        zw_text_put(out, "]");
    }
    zw_text_put(out, "]");
    if (m->nslow)
        json_rates(out, m);
    zw_text_put(out, ",\n  \"quantities\": [");
    for (int i = 0; i < f->nquantity; i++) {
        zw_text_put(out, i ? ", " : "");
        json_measure(out, f, m, i);
    }
    zw_text_put(out, "],\n  ");
    json_coefficients(out, f, m);
    zw_text_put(out, "}");
}

static void json_marks(zw_text *out, const zw_forced *f) {
    zw_text_put(out, ", \"second\": ");
    zw_text_json(out, f->second.name);
    zw_text_put(out, ", \"marks\": [");
    for (int i = 0; i < f->nmark; i++) {
        const zw_forced_mark *m = &f->mark[i];
        zw_text_put(out, i ? ",\n{" : "\n{");
        key_number(out, "value", m->value);
        zw_text_put(out, ", ");
        key_number(out, "second", m->second);
        zw_text_printf(out, ", \"curve\": %d, \"event\": \"%s\"}", m->curve,
                       m->cusp ? "cusp" : zw_forced_words[m->event]);
    }
    zw_text_put(out, "\n]");
}

/* with the studies that belong to it */
static void json_motions(zw_text *out, const zw_forced *f, int *curves, bool *first) {
    for (int i = 0; i < f->nmotion; i++) {
        if (f->ncurve && f->motion[i].curve < 0)
            continue;
        zw_text_put(out, *first ? "\n" : ",\n");
        json_motion(out, f, &f->motion[i], *curves);
        *first = false;
    }
    *curves += f->ncurve;
    for (int i = 0; i < f->nchild; i++)
        json_motions(out, f->child[i], curves, first);
}

char *zw_forced_json(const zw_forced *f) {
    zw_text out;
    zw_allocator alloc = zw_context_allocator(f->sys->ctx);
    zw_text_init(&out, &alloc);
    zw_text_put(&out, "{\"model\": ");
    zw_text_json(&out, f->sys->name);
    if (f->has_over) {
        zw_text_put(&out, ", \"over\": ");
        zw_text_json(&out, f->over.name);
    }
    if (f->options.with) {
        zw_text_put(&out, ", \"with\": {");
        zw_text_json(&out, f->options.with->of.name);
        zw_text_put(&out, ": ");
        zw_text_json_number(&out, f->options.with->value[f->options.member]);
        zw_text_put(&out, "}");
    }
    zw_text_put(&out, ", \"motions\": [");
    bool first = true;
    int curves = 0;
    json_motions(&out, f, &curves, &first);
    zw_text_put(&out, "\n]");
    if (f->nmark)
        json_marks(&out, f);
    zw_text_put(&out, "}\n");
    return zw_text_take(&out);
}
