/* SPDX-License-Identifier: MIT */
#include "motion_words.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

static const char *const measure_names[ZW_MOTION_MEASURES] = {"rms", "mean",  "max",
                                                              "min", "first", "phase"};
enum { DIGITS = 10 };          /* of values whose error is smaller */
enum { PHASE = 5, SHOWN = 8 }; /* the measure in rad; multipliers in a line of text */

int zw_motion_quantities(const zw_system *sys) {
    return sys->nq + sys->nobservable;
}

const char *zw_motion_quantity(const zw_system *sys, int i, const char **unit) {
    *unit = i < sys->nq ? sys->coord[i].unit : sys->observable[i - sys->nq].unit;
    return i < sys->nq ? sys->coord[i].name : sys->observable[i - sys->nq].name;
}

static void values_of(const zw_motion_measure *q, double *v) {
    const double all[ZW_MOTION_MEASURES] = {q->rms, q->mean, q->max, q->min, q->first, q->phase};
    memcpy(v, all, sizeof all);
}

/* --------------------------------------------------------------------------------------- people */

void zw_motion_put_stability(zw_text *out, const zw_motion_view *m) {
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

void zw_motion_put_multipliers(zw_text *out, const zw_motion_view *m) {
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

void zw_motion_put_drift(zw_text *out, const zw_system *s, const double *drift) {
    for (int k = 0; drift && k < zw_motion_quantities(s); k++) {
        const char *unit, *name = zw_motion_quantity(s, k, &unit);
        if (drift[k] != 0)
            zw_text_printf(
                out,
                "    %s drifts by %.9g%s%s per period; the values below are without this "
                "drift\n",
                name, drift[k], unit[0] ? " " : "", unit);
    }
}

void zw_motion_put_drifts(zw_text *out, const zw_system *s, int k, double low, double high) {
    const char *unit, *name = zw_motion_quantity(s, k, &unit);
    if (low <= high && (low != 0 || high != 0))
        zw_text_printf(out, "    %s drifts by %.6g to %.6g%s%s per period\n", name, low, high,
                       unit[0] ? " " : "", unit);
}

void zw_motion_put_quantities(zw_text *out, const zw_motion_view *m) {
    zw_text_printf(out, "    %-14s %15s %15s %15s %15s %15s %10s\n", "", "rms", "mean", "max",
                   "min", "first harmonic", "phase [rad]");
    for (int i = 0; i < zw_motion_quantities(m->sys); i++) {
        const zw_motion_measure *q = &m->measure[i];
        const char *unit, *name = zw_motion_quantity(m->sys, i, &unit);
        char label[80];
        if (i < m->sys->nq && zw_system_is_past(m->sys, i))
            continue;
        snprintf(label, sizeof label, "%.40s%s%.20s%s", name, unit[0] ? " [" : "", unit,
                 unit[0] ? "]" : "");
        zw_text_printf(out, "    %-14s %15.9g %15.9g %15.9g %15.9g ", label, q->rms, q->mean,
                       q->max, q->min);
        if (isnan(q->first))
            zw_text_printf(out, "%15s %10s\n", "-", "-");
        else
            zw_text_printf(out, "%15.9g %10.6f\n", q->first, q->phase);
    }
}

/* ----------------------------------------------------------------------------------------- JSON */

void zw_motion_json_number(zw_text *out, const char *key, double value) {
    zw_text_printf(out, "\"%s\": ", key);
    zw_text_json_number(out, value);
}

void zw_motion_json(zw_text *out, const zw_motion_view *m) {
    zw_text_printf(out, "\"outside\": %d, \"stable\": %s, ", m->outside,
                   m->verdict == ZW_FLOQUET_STABLE     ? "true"
                   : m->verdict == ZW_FLOQUET_UNSTABLE ? "false"
                                                       : "null");
    zw_motion_json_number(out, "multiplier_accuracy", m->accuracy);
    zw_text_put(out, ", \"multipliers\": [");
    for (int i = 0; i < m->nmultiplier; i++) {
        zw_text_put(out, i ? ", [" : "[");
        zw_text_json_number(out, m->re[i]);
        zw_text_put(out, ", ");
        zw_text_json_number(out, m->im[i]);
        zw_text_put(out, "]");
    }
    zw_text_put(out, "],\n  \"quantities\": [");
    for (int i = 0; i < zw_motion_quantities(m->sys); i++) {
        double v[ZW_MOTION_MEASURES];
        const char *unit, *name = zw_motion_quantity(m->sys, i, &unit);
        values_of(&m->measure[i], v);
        zw_text_put(out, i ? ", {\"name\": " : "{\"name\": ");
        zw_text_json(out, name);
        zw_text_put(out, ", \"unit\": ");
        zw_text_json(out, unit);
        for (int k = 0; k < ZW_MOTION_MEASURES; k++) {
            zw_text_put(out, ", ");
            zw_motion_json_number(out, measure_names[k], v[k]);
        }
        zw_text_put(out, "}");
    }
    zw_text_put(out, "]");
}

/* --------------------------------------------------------------------------------------- events */

const char *zw_motion_event_word(zw_bifurcation event) {
    static const char *const word[] = {[ZW_BIFURCATION_POINT] = "",
                                       [ZW_BIFURCATION_FOLD] = "fold",
                                       [ZW_BIFURCATION_BRANCH] = "branch",
                                       [ZW_BIFURCATION_FLIP] = "period-doubling",
                                       [ZW_BIFURCATION_TORUS] = "neimark-sacker",
                                       [ZW_BIFURCATION_END] = "",
                                       [ZW_FORCED_GRAZE] = "grazing"};
    return word[event];
}

const char *zw_motion_event_sentence(zw_bifurcation event) {
    static const char *const sentence[] = {
        [ZW_BIFURCATION_POINT] = "",
        [ZW_BIFURCATION_FOLD] = "a fold: the curve turns back",
        [ZW_BIFURCATION_BRANCH] =
            "a multiplier passes 1: another curve crosses, or a symmetry breaks",
        [ZW_BIFURCATION_FLIP] = "a multiplier passes -1: the period doubles",
        [ZW_BIFURCATION_TORUS] =
            ("a pair of multipliers passes the unit circle: the motion becomes "
             "quasi-periodic (Neimark, Sacker)"),
        [ZW_BIFURCATION_END] = "",
        [ZW_FORCED_GRAZE] = "grazing: the motion touches the surface of an event"};
    return sentence[event];
}

bool zw_motion_is_event(zw_bifurcation event) {
    return event != ZW_BIFURCATION_POINT && event != ZW_BIFURCATION_END;
}

void zw_motion_put_known(zw_text *out, const zw_parameter_range *over, double value, double error) {
    double shown = error > 0 && fabs(value) <= error ? 0 : value;
    zw_text_known(out, shown / over->factor, error / fabs(over->factor), DIGITS);
    zw_text_printf(out, "%s%s", over->unit[0] ? " " : "", over->unit);
}

void zw_motion_put_value(zw_text *out, const zw_parameter_range *over, double value) {
    zw_motion_put_known(out, over, value, 0);
}

void zw_motion_put_origin(zw_text *out, const zw_parameter_range *over, int parent,
                          zw_bifurcation origin, double value, bool mirrored, int meets) {
    if (parent >= 0) {
        zw_text_printf(out, "    is born at the %s ",
                       origin == ZW_BIFURCATION_FLIP ? "period doubling" : "branch point");
        zw_motion_put_value(out, over, value);
        zw_text_printf(out, " of branch %d%s\n", parent, mirrored ? ", with its mirror image" : "");
    }
    if (meets >= 0)
        zw_text_printf(out, "    ends on branch %d\n", meets);
}

const char *zw_motion_end_words(zw_cont_end end) {
    return end == ZW_CONT_AT_BOUND ? "the end of the range"
           : end == ZW_CONT_CLOSED ? "its beginning: it is closed"
           : end == ZW_CONT_POINTS ? "as many points as were asked for"
           : end == ZW_CONT_ASKED  ? "an interruption"
           : end == ZW_CONT_STUCK  ? "a place where no step finds a next point"
                                   : "its start";
}

/* --------------------------------------------------------------------------------------- tables */

zw_status zw_motion_measure_columns(const zw_system *sys, zw_table *t) {
    for (int i = 0; i < zw_motion_quantities(sys); i++)
        for (int k = 0; k < ZW_MOTION_MEASURES; k++) {
            char name[160];
            const char *unit, *of = zw_motion_quantity(sys, i, &unit);
            snprintf(name, sizeof name, "%s(%.120s)", measure_names[k], of);
            ZW_TRY(zw_table_column(t, name, k == PHASE ? "rad" : unit));
        }
    return ZW_OK;
}

int zw_motion_fill_measures(const zw_system *sys, const zw_motion_measure *measure, double *row) {
    int n = zw_motion_quantities(sys);
    for (int i = 0; i < n; i++)
        values_of(&measure[i], row + (size_t)(i * ZW_MOTION_MEASURES));
    return n * ZW_MOTION_MEASURES;
}

zw_status zw_motion_stability_columns(zw_table *t) {
    static const char *const name[] = {"multiplier", "outside", "stable"};
    for (size_t i = 0; i < sizeof name / sizeof *name; i++)
        ZW_TRY(zw_table_column(t, name[i], ""));
    return ZW_OK;
}

int zw_motion_fill_stability(const zw_motion_view *m, double *row) {
    int n = 0;
    row[n++] = m->nmultiplier ? hypot(m->re[0], m->im[0]) : (double)NAN;
    row[n++] = m->outside < 0 ? (double)NAN : m->outside;
    row[n++] = m->verdict == ZW_FLOQUET_STABLE     ? 1
               : m->verdict == ZW_FLOQUET_UNSTABLE ? 0
                                                   : (double)NAN;
    return n;
}

zw_status zw_motion_multiplier_columns(zw_table *t, int n) {
    for (int i = 0; i < 2 * n; i++) {
        char name[40];
        snprintf(name, sizeof name, "%s(%d)", i % 2 ? "im" : "re", i / 2 + 1);
        ZW_TRY(zw_table_column(t, name, ""));
    }
    return ZW_OK;
}

int zw_motion_fill_multipliers(const zw_motion_view *m, int n, double *row) {
    for (int k = 0; k < n; k++) {
        row[2 * k] = k < m->nmultiplier ? m->re[k] : (double)NAN;
        row[2 * k + 1] = k < m->nmultiplier ? m->im[k] : (double)NAN;
    }
    return 2 * n;
}

zw_status zw_motion_fill_nothing(zw_table *t, double *row) {
    for (int i = 0; i < zw_table_columns(t); i++)
        row[i] = NAN;
    return zw_table_row(t, row);
}

zw_status zw_motion_mark(zw_table *t, int number, zw_bifurcation event, double value,
                         const char *label) {
    char key[40], text[160];
    snprintf(key, sizeof key, "mark %d", number);
    snprintf(text, sizeof text, "%s %.17g #%ld%s%s", zw_motion_event_word(event), value,
             zw_table_rows(t) - 1, label ? " ; " : "", label ? label : "");
    return zw_table_note(t, key, text);
}

/* A smaller range of a coordinate, relative to its value and to the largest range, is round-off of
 * the integration (RUN_RTOL) of a coordinate at rest. */
#define RANGE_ROUNDOFF 1e-9
/* Tolerances of the run that checks a motion: closure errors are reported from 1e-3 of the
 * motion on, of which these leave nothing even if disturbances grow a hundred thousand times. */
#define RUN_RTOL 1e-9
#define RUN_ATOL 1e-12

/* the range of a column, and its largest value */
static double range_of(const zw_table *rows, int column, double *largest) {
    double low = INFINITY, high = -INFINITY;
    for (long k = 0; k < zw_table_rows(rows); k++) {
        low = fmin(low, zw_table_at(rows, k, column));
        high = fmax(high, zw_table_at(rows, k, column));
    }
    *largest = fmax(fabs(low), fabs(high));
    return high - low;
}

double zw_motion_gap(const zw_system *sys, const zw_table *rows, const double *turn,
                     const double *sign) {
    double gap = 0, widest = 0, largest;
    long last = zw_table_rows(rows) - 1;
    for (int i = 0; i < sys->nq; i++) {
        int column = zw_table_find(rows, sys->coord[i].name);
        if (column >= 0 && !(turn && isnan(turn[i])))
            widest = fmax(widest, range_of(rows, column, &largest));
    }
    for (int i = 0; i < sys->nq; i++) {
        int column = zw_table_find(rows, sys->coord[i].name);
        double turned = turn ? 2 * M_PI * turn[i] : 0;
        if (isnan(turned) || column < 0)
            continue;
        double range = range_of(rows, column, &largest);
        if (range > RANGE_ROUNDOFF * fmax(largest, widest))
            gap = fmax(gap, fabs(zw_table_at(rows, last, column) -
                                 (sign ? sign[i] : 1) * zw_table_at(rows, 0, column) - turned) /
                                range);
    }
    return gap;
}

void zw_motion_put_unstable(zw_text *out, int n, int unstable, int unknown) {
    if (unknown == n && n > 0) {
        zw_text_put(out, ", stability not known");
        return;
    }
    zw_text_printf(out, ", %d of them unstable", unstable);
    if (unknown)
        zw_text_printf(out, ", stability of %d not known", unknown);
}

/* Keeps the starts of entries of the state alone: an expression may have any value at the start of
 * a period. */
static zw_status start_by_entries(zw_system *out, const zw_system *s, zw_error *err) {
    zw_start *start = zw_context_alloc(s->ctx, sizeof *start * (size_t)(s->nstart + 1));
    *out = *s;
    if (!start)
        return zw_context_status(s->ctx, err);
    out->start = start;
    out->nstart = 0;
    for (int i = 0; i < s->nstart; i++) {
        bool entry = false;
        for (int k = 0; k < s->nq + s->nv; k++)
            entry |= s->start[i].what == (k < s->nq ? s->coord[k].sym : s->velocity[k - s->nq].sym);
        if (entry)
            start[out->nstart++] = s->start[i];
    }
    return ZW_OK;
}

zw_status zw_motion_run(const zw_system *sys, const zw_model_source *source,
                        const zw_sim_numbers *numbers, double period, int rows, const double *turn,
                        const double *sign, zw_table **out, double *gap, zw_error *err) {
    zw_sim_options o = zw_sim_options_default();
    zw_sim *sim = NULL;
    zw_system from;
    *out = NULL;
    o.numbers = numbers;
    o.until = period;
    o.step_out = period / rows;
    o.run.rtol = RUN_RTOL;
    o.run.atol = RUN_ATOL;
    ZW_TRY(start_by_entries(&from, sys, err));
    zw_status status = zw_sim_create(&sim, &from, source, &o, err);
    if (status >= 0)
        status = zw_sim_run(sim, err);
    if (status >= 0) {
        if (gap)
            *gap = zw_motion_gap(sys, zw_sim_rows(sim), turn, sign);
        status = zw_table_thin(out, zw_sim_rows(sim), zw_table_rows(zw_sim_rows(sim)), err);
    }
    zw_sim_destroy(sim);
    return status;
}
