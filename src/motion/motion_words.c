/* SPDX-License-Identifier: MIT */
#include "motion_words.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

static const char *const measure_names[ZW_MOTION_MEASURES] = {"rms", "mean",  "max",
                                                              "min", "first", "phase"};
enum { PHASE = 5 }; /* the measure in rad */

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

/* --------------------------------------------------------------------------------------- events */

const char *zw_motion_event_word(zw_bifurcation event) {
    switch (event) {
    case ZW_BIFURCATION_FOLD:
        return "fold";
    case ZW_BIFURCATION_BRANCH:
        return "branch";
    case ZW_BIFURCATION_FLIP:
        return "period-doubling";
    case ZW_BIFURCATION_TORUS:
        return "neimark-sacker";
    case ZW_BIFURCATION_GRAZE:
        return "grazing";
    case ZW_BIFURCATION_POINT:
    case ZW_BIFURCATION_END:
        break;
    }
    return "";
}

const char *zw_motion_event_sentence(zw_bifurcation event) {
    switch (event) {
    case ZW_BIFURCATION_FOLD:
        return "a fold: the curve turns back";
    case ZW_BIFURCATION_BRANCH:
        return "a multiplier passes 1: another curve crosses, or a symmetry breaks";
    case ZW_BIFURCATION_FLIP:
        return "a multiplier passes -1: the period doubles";
    case ZW_BIFURCATION_TORUS:
        return "a pair of multipliers passes the unit circle: the motion becomes "
               "quasi-periodic (Neimark, Sacker)";
    case ZW_BIFURCATION_GRAZE:
        return "grazing: the motion touches the surface of an event";
    case ZW_BIFURCATION_POINT:
    case ZW_BIFURCATION_END:
        break;
    }
    return "";
}

bool zw_motion_is_event(zw_bifurcation event) {
    return event != ZW_BIFURCATION_POINT && event != ZW_BIFURCATION_END;
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
