/* SPDX-License-Identifier: MIT */
/* Forced motions in words, as JSON and as tables. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/text.h"
#include "forced.h"
#include "notes.h"
#include "zwang/simulate.h"

static const char *const event_words[] = {[ZW_FORCED_POINT] = "",
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

static bool is_event(const zw_forced_motion *m) {
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
           : end == ZW_CONT_ASKED  ? "an interruption"
           : end == ZW_CONT_STUCK  ? "a place where no step finds a next point"
                                   : "its start";
}

static void put_curve(zw_text *out, const zw_forced *f, int index) {
    const zw_forced_curve *c = &f->curve[index];
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
    put_value(out, f, low);
    zw_text_put(out, " to ");
    put_value(out, f, high);
    zw_text_printf(out, ", %d of them unstable, harmonics up to %d\n", unstable, top);
    for (int side = 0; side < 2; side++)
        if (c->info[side].end != ZW_CONT_AT_BOUND && c->info[side].points)
            zw_text_printf(out, "    ends at %s\n", end_words(c->info[side].end));
    for (int i = c->first; i < c->first + c->n; i++) {
        const zw_forced_motion *m = &f->motion[i];
        if (!is_event(m))
            continue;
        zw_text_put(out, "    ");
        put_value(out, f, m->value);
        zw_text_printf(out, "  %s;", sentence_of(f, m->event));
        for (int k = 0; k < f->sys->nq && k < 3; k++)
            zw_text_printf(out, " rms(%s) = %.6g", f->sys->coord[k].name, m->measure[k].rms);
        zw_text_put(out, "\n");
    }
}

char *zw_forced_text(const zw_forced *f) {
    zw_text out;
    zw_allocator alloc = zw_context_allocator(f->sys->ctx);
    zw_text_init(&out, &alloc);
    if (f->ncurve) {
        zw_text_printf(&out, "%s: forced motions over %s\n", f->sys->name, f->over.name);
        for (int i = 0; i < f->ncurve; i++)
            put_curve(&out, f, i);
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

static void json_motion(zw_text *out, const zw_forced *f, const zw_forced_motion *m) {
    zw_text_put(out, "{");
    if (f->has_over) {
        key_number(out, "value", m->value);
        zw_text_put(out, ", ");
    }
    key_number(out, "omega", m->w);
    zw_text_printf(out, ", \"harmonics\": %d, \"odd\": %s, ", m->harmonics,
                   f->options.odd ? "true" : "false");
    key_number(out, "error", m->error);
    if (m->state) {
        zw_text_put(out, ", ");
        key_number(out, "residual", m->residual);
        zw_text_printf(out, ", \"jumps\": %d", m->jumps);
    }
    zw_text_printf(out, ", \"curve\": %d, \"event\": \"%s\", \"outside\": %d, \"stable\": %s, ",
                   m->curve, event_words[m->event], m->outside,
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
    zw_text_put(&out, ", \"motions\": [");
    bool first = true;
    for (int i = 0; i < f->nmotion; i++) {
        if (f->ncurve && f->motion[i].curve < 0)
            continue;
        zw_text_put(&out, first ? "\n" : ",\n");
        json_motion(&out, f, &f->motion[i]);
        first = false;
    }
    zw_text_put(&out, "\n]}\n");
    return zw_text_take(&out);
}

/* ---------------------------------------------------------------------------------------------------- table */

static const char *const measures[] = {"rms", "mean", "max", "min", "first", "phase"};
enum { MEASURES = 6 };

static zw_status make_columns(const zw_forced *f, zw_table *t) {
    char name[160];
    ZW_TRY(zw_table_column(t, f->over.name, f->over.unit));
    for (int i = 0; i < f->nquantity; i++)
        for (int k = 0; k < MEASURES; k++) {
            const char *unit, *of = zw_forced_quantity(f, i, &unit);
            snprintf(name, sizeof name, "%s(%.120s)", measures[k], of);
            ZW_TRY(zw_table_column(t, name, k == 5 ? "rad" : unit));
        }
    if (f->slow) {
        ZW_TRY(zw_table_column(t, "growth", "1/s"));
        ZW_TRY(zw_table_column(t, "floquet", ""));
    }
    static const char *const others[] = {"multiplier", "outside", "stable", "harmonics",
                                         "error",      "curve",   "drive"};
    for (size_t i = 0; i < sizeof others / sizeof *others; i++)
        ZW_TRY(zw_table_column(t, others[i], strcmp(others[i], "drive") == 0 ? "rad/s" : ""));
    return ZW_OK;
}

static zw_status fill_row(const zw_forced *f, zw_table *t, const zw_forced_motion *m, double *row) {
    int n = 0;
    row[n++] = m->value / f->over.factor;
    for (int i = 0; i < f->nquantity; i++) {
        const zw_forced_measure *q = &m->measure[i];
        const double value[MEASURES] = {q->rms, q->mean, q->max, q->min, q->first, q->phase};
        memcpy(row + n, value, sizeof value);
        n += MEASURES;
    }
    if (f->slow) {
        row[n++] = m->nslow ? m->slow_re[0] : (double)NAN;
        row[n++] = m->floquet;
    }
    row[n++] = m->nmultiplier ? hypot(m->re[0], m->im[0]) : (double)NAN;
    row[n++] = m->outside < 0 ? (double)NAN : m->outside;
    row[n++] = m->verdict == ZW_FLOQUET_STABLE     ? 1
               : m->verdict == ZW_FLOQUET_UNSTABLE ? 0
                                                   : (double)NAN;
    row[n++] = m->harmonics;
    row[n++] = m->error;
    row[n++] = m->curve;
    row[n++] = m->w;
    return zw_table_row(t, row);
}

static zw_status fill_nothing(zw_table *t, double *row) {
    for (int i = 0; i < zw_table_columns(t); i++)
        row[i] = NAN;
    return zw_table_row(t, row);
}

/* "fold 3.52 #118; words": the row itself is where it is */
static zw_status note_mark(zw_table *t, int number, const zw_forced *f, const zw_forced_motion *m) {
    char key[40], text[160];
    snprintf(key, sizeof key, "mark %d", number);
    snprintf(text, sizeof text, "%s %.17g #%ld", event_words[m->event], m->value / f->over.factor,
             zw_table_rows(t) - 1);
    return zw_table_note(t, key, text);
}

static zw_status fill_table(const zw_forced *f, zw_table *t, const zw_model_source *source) {
    char key[ZW_OVER_NAME + 8];
    int marks = 0, last = -1;
    double *row = ZW_NEW((zw_arena *)&f->arena, double, MEASURES * f->nquantity + 16);
    if (!row)
        return ZW_E_MEMORY;
    ZW_TRY(make_columns(f, t));
    ZW_TRY(
        zw_study_origin(t, f->sys, f->eq.principle, f->p, f->options.active, source, "response"));
    snprintf(key, sizeof key, "param %s", f->over.name);
    zw_table_remove_note(t, key); /* it has no one value */
    for (int i = 0; i < f->nmotion; i++) {
        const zw_forced_motion *m = &f->motion[i];
        if (m->curve < 0)
            continue;
        if (last >= 0 && m->curve != last) /* lines do not go from one curve to the next */
            ZW_TRY(fill_nothing(t, row));
        last = m->curve;
        ZW_TRY(fill_row(f, t, m, row));
        if (is_event(m))
            ZW_TRY(note_mark(t, marks++, f, m));
    }
    return ZW_OK;
}

zw_status zw_forced_table(const zw_forced *f, const zw_model_source *source, zw_table **out,
                          zw_error *err) {
    zw_allocator alloc = zw_context_allocator(f->sys->ctx);
    *out = NULL;
    if (!f->has_over)
        return zw_fail(err, ZW_E_OPTION, "without a curve there is no table of one");
    *out = zw_table_create(&alloc);
    zw_status status = *out ? fill_table(f, *out, source) : ZW_E_MEMORY;
    if (status >= 0)
        return status;
    zw_table_destroy(*out);
    *out = NULL;
    return zw_fail(err, status, "the table of forced motions could not be made");
}

/* ------------------------------------------------------------------------------------------ one period, run */

static double gap_of(const zw_forced *f, const zw_table *rows) {
    double gap = 0;
    long last = zw_table_rows(rows) - 1;
    for (int i = 0; i < f->sys->nq; i++) {
        int column = zw_table_find(rows, f->sys->coord[i].name);
        double low = INFINITY, high = -INFINITY;
        for (long k = 0; column >= 0 && k <= last; k++) {
            low = fmin(low, zw_table_at(rows, k, column));
            high = fmax(high, zw_table_at(rows, k, column));
        }
        if (column >= 0 && high > low)
            gap = fmax(gap, fabs(zw_table_at(rows, last, column) - zw_table_at(rows, 0, column)) /
                                (high - low));
    }
    return gap;
}

zw_status zw_forced_motion_table(zw_forced *f, int number, int rows, const zw_model_source *source,
                                 zw_table **out, double *gap, zw_error *err) {
    const zw_forced_motion *m = &f->motion[number];
    const zw_system *s = f->sys;
    zw_sim_options o = zw_sim_options_default();
    zw_sim *sim = NULL;
    int n = s->nq + s->nv;
    double *x = ZW_NEW(&f->arena, double, f->kernel->nx + 1);
    zw_sim_number *start = ZW_NEW(&f->arena, zw_sim_number, n + 1),
                  over = {.index = f->has_over ? f->over.parameter : 0, .value = m->value};
    *out = NULL;
    if (f->arena.failed)
        return zw_forced_no_memory(err);
    if (m->state) {
        memcpy(x, m->state, sizeof(double) * (size_t)f->kernel->nx);
    } else {
        ZW_TRY(zw_forced_load(f, m, err));
        zw_harmonic_state(f->balance, f->x, m->w, 0, x, NULL);
    }
    for (int i = 0; i < n; i++)
        start[i] = (zw_sim_number){.index = i, .value = x[i]};
    zw_sim_numbers numbers = {.nparam = f->has_over && !isnan(m->value) ? 1 : 0,
                              .param = &over,
                              .nstart = n,
                              .start = start};
    o.numbers = &numbers;
    o.until = 2 * M_PI / m->w;
    o.step_out = o.until / rows;
    o.run.rtol = 1e-9;
    o.run.atol = 1e-12;
    zw_status status = zw_sim_create(&sim, s, source, &o, err);
    if (status >= 0)
        status = zw_sim_run(sim, err);
    if (status >= 0) {
        if (gap)
            *gap = gap_of(f, zw_sim_rows(sim));
        status = zw_table_thin(out, zw_sim_rows(sim), zw_table_rows(zw_sim_rows(sim)), err);
    }
    zw_sim_destroy(sim);
    return status;
}

/* --------------------------------------------------------------------------------------------------- doubts */

/* Several multipliers at once pass the circle without a change of sign of their products: between two points without a mark other ones are
 * outside. */
static void doubt_unmarked(const zw_forced *f, zw_doubts *out) {
    int n = 0;
    double from = 0, to = 0;
    for (int i = 0; i + 1 < f->nmotion; i++) {
        const zw_forced_motion *a = &f->motion[i], *b = &f->motion[i + 1];
        if (a->curve < 0 || a->curve != b->curve || is_event(a) || is_event(b) || a->outside < 0 ||
            b->outside < 0 || a->outside == b->outside || fmax(a->accuracy, b->accuracy) > 1e-3)
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

void zw_forced_doubts(const zw_forced *f, zw_doubts *out) {
    if (f->slow)
        zw_forced_slow_doubts(f, out);
    if (f->has_over)
        doubt_unmarked(f, out);
    if (f->worst_error > 10 * f->options.tolerance) {
        zw_doubt d = zw_doubt_of(
            "harmonics", NAN,
            "the harmonics that are left out change the motion by about %.1e of its size%s",
            f->worst_error, f->has_over ? ", at worst" : "");
        zw_doubt_hint(
            &d,
            f->slow ? "--harmonics %d has more"
            : f->options.harmonics
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
        unknown += f->options.stability && f->motion[i].outside < 0;
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
