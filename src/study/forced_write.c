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
        zw_text_printf(out, "unstable, %d multiplier%s outside of the unit circle", m->outside,
                       m->outside == 1 ? "" : "s");
    else
        zw_text_put(out, "stability undecided: a multiplier is on the unit circle");
}

static void put_multipliers(zw_text *out, const zw_forced_motion *m) {
    enum { SHOWN = 8 };
    if (m->nmultiplier == 0)
        return;
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
    zw_text_printf(out, "; period %.10g s, harmonics up to %d", 2 * M_PI / m->w, m->harmonics);
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
           : end == ZW_CONT_ASKED  ? "an interruption"
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
    for (int side = 0; side < 2; side++)
        if (c->info[side].end != ZW_CONT_AT_BOUND && c->info[side].points)
            zw_text_printf(out, "    ends at %s\n", end_words(c->info[side].end));
    for (int i = c->first; i < c->first + c->n; i++) {
        const zw_forced_motion *m = &f->motion[i];
        if (!zw_forced_is_mark(m))
            continue;
        zw_text_put(out, "    ");
        put_value(out, f, m->value);
        zw_text_printf(out, "  %s;", event_sentences[m->event]);
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

char *zw_forced_text(const zw_forced *f) {
    zw_text out;
    zw_allocator alloc = zw_context_allocator(f->sys->ctx);
    zw_text_init(&out, &alloc);
    if (f->ncurve) {
        zw_text_put(&out, f->sys->name);
        if (f->options.with) {
            const zw_over *of = &f->options.with->of;
            zw_text_printf(&out, ", %s = %.10g%s%s", of->name,
                           f->options.with->value[f->options.member] / of->factor,
                           of->unit[0] ? " " : "", of->unit);
        }
        if (f->options.free)
            zw_text_put(&out, ": families of free motions\n");
        else
            zw_text_printf(&out, ": forced motions over %s\n", f->over.name);
        for (int i = 0; i < f->ncurve; i++)
            put_curve(&out, f, i);
        for (int i = 0; i < f->nlocus; i++)
            put_locus(&out, f, i);
        if (f->crossings)
            zw_text_printf(&out,
                           "  %d branch point%s not followed: --odd follows those where a symmetry "
                           "breaks\n",
                           f->crossings, f->crossings == 1 ? " is" : "s are");
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

static void json_motion(zw_text *out, const zw_forced *f, const zw_forced_motion *m) {
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
    zw_text_printf(out, ", \"harmonics\": %d, \"odd\": %s, ", m->harmonics,
                   f->options.odd ? "true" : "false");
    key_number(out, "error", m->error);
    if (m->march)
        zw_text_printf(out, ", \"march\": %d", m->march);
    zw_text_printf(out, ", \"curve\": %d, \"event\": \"%s\", \"outside\": %d, \"stable\": %s, ",
                   m->curve, zw_forced_words[m->event], m->outside,
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
    zw_text_put(out, "],\n  \"quantities\": [");
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
    for (int i = 0; i < f->nmotion; i++) {
        if (f->ncurve && f->motion[i].curve < 0)
            continue;
        zw_text_put(&out, first ? "\n" : ",\n");
        json_motion(&out, f, &f->motion[i]);
        first = false;
    }
    zw_text_put(&out, "\n]");
    if (f->nmark)
        json_marks(&out, f);
    zw_text_put(&out, "}\n");
    return zw_text_take(&out);
}

/* --------------------------------------------------------------------------------------------------- doubts */

/* Several multipliers at once pass the circle without a change of sign of their products: between two points without a mark other ones are
 * outside. */
static void doubt_unmarked(const zw_forced *f, zw_doubts *out) {
    int n = 0;
    double from = 0, to = 0;
    for (int i = 0; i + 1 < f->nmotion; i++) {
        const zw_forced_motion *a = &f->motion[i], *b = &f->motion[i + 1];
        if (a->curve < 0 || a->curve != b->curve || zw_forced_is_mark(a) || zw_forced_is_mark(b) ||
            a->outside < 0 || b->outside < 0 || a->outside == b->outside ||
            fmax(a->accuracy, b->accuracy) > 1e-3)
            continue;
        if (n++ == 0) {
            from = a->value;
            to = b->value;
        }
    }
    if (n == 0)
        return;
    zw_doubt d = zw_doubt_of("mark", NAN,
                             "between %s = %.9g and %.9g%s%s multipliers pass the unit circle at a "
                             "place that was not located",
                             f->over.name, from / f->over.factor, to / f->over.factor,
                             f->over.unit[0] ? " " : "", f->over.unit);
    zw_doubt_hint(&d,
                  n > 1 ? "and at %d further places; several pass at once where parts of the "
                          "model are the same"
                        : "several pass at once where parts of the model are the same",
                  n - 1);
    zw_doubts_add(out, &d);
}

/* a damping that is needed to balance free motions: the system is not conservative where they are, or too few points see it */
static void doubt_damping(const zw_forced *f, zw_doubts *out) {
    double worst = 0;
    for (int i = 0; i < f->nmotion; i++)
        worst = fmax(worst, fabs(f->motion[i].damping) / f->motion[i].w);
    if (worst <= 1e-6)
        return;
    zw_doubt d = zw_doubt_of("energy", NAN,
                             "motions of the family lose energy, by a damping of %.1e of their "
                             "frequency: they are not free",
                             worst);
    zw_doubts_add(out, &d);
}

void zw_forced_doubts(const zw_forced *f, zw_doubts *out) {
    if (f->options.free)
        doubt_damping(f, out);
    else if (f->has_over)
        doubt_unmarked(f, out);
    if (f->worst_error > 10 * f->options.tolerance) {
        zw_doubt d = zw_doubt_of(
            "harmonics", NAN,
            "the harmonics that are left out change the motion by about %.1e of its size%s",
            f->worst_error, f->has_over ? ", at worst" : "");
        zw_doubt_hint(
            &d,
            f->options.harmonics
                ? "--harmonics %d has more; without it as many are taken as the tolerance asks for"
                : "--harmonics-max %d allows more; forces with kinks need many",
            2 * f->top);
        zw_doubts_add(out, &d);
    }
    if (f->worst_even > 10 * f->options.tolerance) {
        zw_doubt d =
            zw_doubt_of("even", NAN, "even harmonics change the motion by about %.1e of its size%s",
                        f->worst_even, f->has_over ? ", at worst" : "");
        zw_doubt_hint(&d, "--odd leaves them out: go without it");
        zw_doubts_add(out, &d);
    }
    if (f->nowhere) {
        zw_doubt d = zw_doubt_of("end", NAN,
                                 "no periodic motion was found at %s = %.9g: curves that pass "
                                 "there may be missing",
                                 f->over.name, f->nowhere_value / f->over.factor);
        zw_doubt_hint(&d, "--starts 50 tries others, --values 10 looks between the ends");
        zw_doubts_add(out, &d);
    }
    int unknown = 0, undecided = 0;
    for (int i = 0; i < f->nmotion; i++) {
        unknown += f->options.stability && f->motion[i].outside < 0 && !f->motion[i].march;
        undecided += f->motion[i].outside >= 0 && f->motion[i].accuracy > 1e-3;
    }
    if (unknown) {
        zw_doubt d = zw_doubt_of("multipliers", NAN,
                                 "the multipliers of %d of %d motions could not be found", unknown,
                                 f->nmotion);
        zw_doubts_add(out, &d);
    }
    if (undecided) {
        zw_doubt d =
            zw_doubt_of("accuracy", NAN,
                        "the multipliers of %d of %d motions are known to less than three digits",
                        undecided, f->nmotion);
        zw_doubts_add(out, &d);
    }
    for (int i = 0; i < f->nlocus; i++)
        for (int side = 0; side < 2; side++)
            if (f->locus[i].info[side].end == ZW_CONT_POINTS ||
                f->locus[i].info[side].end == ZW_CONT_STUCK) {
                zw_doubt d = zw_doubt_of(
                    "marks", NAN, "curve %d of marks ends before the range does%s%.200s", i,
                    f->locus[i].info[side].why[0] ? ": " : "", f->locus[i].info[side].why);
                zw_doubts_add(out, &d);
            }
    for (int i = 0; i < f->ncurve; i++)
        for (int side = 0; side < 2; side++)
            if (f->curve[i].info[side].end == ZW_CONT_POINTS) {
                zw_doubt d = zw_doubt_of("curve", NAN,
                                         "curve %d ends before the range does, after %d points", i,
                                         f->curve[i].info[side].points);
                zw_doubts_add(out, &d);
            } else if (f->curve[i].info[side].end == ZW_CONT_STUCK) {
                zw_doubt d = zw_doubt_of(
                    "curve", NAN, "curve %d ends where no step finds a next point%s%.200s", i,
                    f->curve[i].info[side].why[0] ? ": " : "", f->curve[i].info[side].why);
                zw_doubts_add(out, &d);
            }
}
