/* SPDX-License-Identifier: MIT */
/* The frequency response from an input to an output, over frequencies that are even in their
 * logarithms. Those of the eigenvalues are inserted, so that no peak falls between two rows, and im
 * + |re| tan(angle) about each at even angles, where the response of a single mode moves along its
 * circle in even steps. Phases are continuous. */
#include <assert.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/arena.h"
#include "base/option.h"
#include "base/tolerance.h"
#include "linear.h"
#include "motion/notes.h"

enum {
    GOLDEN_MAX = 60, /* sections: 0.618^60 = 3e-13 of the interval */
    BISECTIONS = 60, /* of an interval in the logarithm: exhausts its digits */
    PEAK_ROWS = 89,  /* about each eigenvalue, 2 degrees apart; odd, so that one is on the peak */
    DELAY_ROWS = 16, /* per turn of the phase of the longest delay, */
    DELAY_ROWS_MAX = 20000 /* all of them */
};
/* Imaginary part of a response relative to its size, below which it is real: the response is a
 * solution of linear equations. */
#define RESPONSE_REAL ZW_ROUNDOFF_SOLVED
#define DAMPED 1e-9 /* real part of an eigenvalue relative to it: the width of a peak worth rows */
#define SAME_FREQUENCY ZW_ROUNDOFF_SUM /* relative: rows closer than this are one */

static zw_status find_names(const zw_linear_equations *l, const char *input, const char *output,
                            int *in, int *put, zw_error *err) {
    *in = *put = 0;
    while (*in < l->nin && strcmp(l->in_name[*in], input) != 0)
        ++*in;
    while (*put < l->nout && strcmp(l->out_name[*put], output) != 0)
        ++*put;
    if (*in == l->nin)
        return zw_fail(err, ZW_E_NAME, "'%s' is no input of these equations", input);
    if (*put == l->nout)
        return zw_fail(err, ZW_E_NAME, "'%s' is no output of these equations", output);
    if (l->inout.in_constraint[*in]) {
        zw_fail(err, ZW_E_OPTION,
                "the constraints hold %s: as a function of time its rates would act, too", input);
        zw_error_hint(err, "make it a state of the model that follows a signal");
        return ZW_E_OPTION;
    }
    return ZW_OK;
}

/* ---------------------------------------------------------------------------------- frequencies */

/* A decade beyond the eigenvalues that are not zero; 0.01..100 rad/s if there are none. With delays
 * not beyond what their nodes resolve, in eigenvalues and in frequency: there may be no end. */
static void choose_range(const zw_linear_equations *l, double *from, double *to) {
    const zw_spectrum *s = &l->spectrum;
    double low = INFINITY, high = 0;
    for (int j = 0; j < s->n; j++) {
        double size = hypot(s->re[j], s->im[j]);
        if (size > 0 && zw_equilibria_resolves(l->e, l->e->p, s->re[j], s->im[j])) {
            low = fmin(low, size);
            high = fmax(high, size);
        }
    }
    *from = high > 0 ? pow(10, floor(log10(low)) - 1) : 0.01;
    *to = high > 0 ? pow(10, ceil(log10(high)) + 1) : 100;
    *to = fmin(*to, zw_linear_resolved_to(l));
    *from = fmin(*from, *to / 100);
}

static int by_size(const void *a, const void *b) {
    double x = *(const double *)a, y = *(const double *)b;
    return x < y ? -1 : x > y;
}

/* Evenly spaced frequencies that the phases of delays need; the distance in *step. */
static int count_delay_rows(const zw_linear_equations *l, double from, double to, double *step) {
    const zw_system *s = l->e->sys;
    double longest = 0;
    for (int i = 0; i < s->ndelay; i++)
        longest = fmax(longest, zw_system_delay_lag(s, i, l->e->p));
    double rows = (to - from) * longest * DELAY_ROWS / (2 * M_PI);
    int n = (int)fmin(ceil(rows), DELAY_ROWS_MAX);
    *step = n > 0 ? (to - from) / n : 0;
    return n;
}

/* The frequencies in ascending order, in the arena; *n is their number. */
static double *choose_frequencies(const zw_linear_equations *l, double from, double to, int rows,
                                  int *n) {
    const zw_spectrum *s = &l->spectrum;
    double step;
    int even = count_delay_rows(l, from, to, &step), count = 0, single = 0;
    double *w = ZW_NEW((zw_arena *)&l->arena, double, rows + even + PEAK_ROWS * s->n + 1);
    if (!w)
        return NULL;
    for (int i = 1; i < even; i++)
        w[count++] = from + i * step;
    for (int i = 0; i < rows; i++)
        w[count++] = i == 0          ? from
                     : i == rows - 1 ? to
                                     : from * pow(to / from, (double)i / (rows - 1));
    for (int j = 0; j < s->n; j++) {
        double size = hypot(s->re[j], s->im[j]);
        for (int k = 0; s->im[j] > 0 && fabs(s->re[j]) > DAMPED * size && k < PEAK_ROWS; k++) {
            double angle = M_PI * (k + 1) / (PEAK_ROWS + 1) - M_PI / 2;
            double inserted = s->im[j] + fabs(s->re[j]) * (2 * k + 1 == PEAK_ROWS ? 0 : tan(angle));
            if (inserted > from && inserted < to)
                w[count++] = inserted;
        }
    }
    qsort(w, (size_t)count, sizeof *w, by_size);
    for (int i = 0; i < count; i++)
        if (single == 0 || w[i] > w[single - 1] * (1 + SAME_FREQUENCY))
            w[single++] = w[i];
    *n = single;
    return w;
}

/* ---------------------------------------------------------------------------------------- table */

static zw_status fill_response(const zw_linear_equations *l, int in, int put, int n,
                               const double *omega, zw_table *t, zw_error *err) {
    double phase = 0;
    for (int i = 0; i < n; i++) {
        double g[2];
        zw_status status = zw_linear_response_at(l, in, put, omega[i], g, err);
        if (status == ZW_E_SINGULAR && n > 2) /* a row on the frequency of an undamped motion */
            continue;
        ZW_TRY(status);
        double here = atan2(g[1], g[0]) * 180 / M_PI;
        phase = zw_table_rows(t) ? phase + remainder(here - phase, 360) : here;
        const double row[] = {omega[i], hypot(g[0], g[1]), phase, g[0], g[1]};
        if (zw_table_row(t, row) < 0)
            return zw_table_out_of_memory(t, err);
    }
    return ZW_OK;
}

static zw_status begin_table(const zw_linear_equations *l, const zw_model_source *source, int in,
                             int put, zw_table **out, zw_error *err) {
    char unit[ZW_DIM_TEXT];
    zw_allocator alloc = zw_context_allocator(l->e->sys->ctx);
    zw_linear_quotient(l->out_unit[put], l->in_unit[in], unit);
    zw_table *t = *out = zw_table_create(&alloc);
    if (!t || zw_table_column(t, "omega", "rad/s") < 0 || zw_table_column(t, "gain", unit) < 0 ||
        zw_table_column(t, "phase", "deg") < 0 || zw_table_column(t, "re", unit) < 0 ||
        zw_table_column(t, "im", unit) < 0 ||
        zw_study_notes(t, l->e, source, "frequency response") < 0 ||
        zw_table_note(t, "input", l->in_name[in]) < 0 ||
        zw_table_note(t, "output", l->out_name[put]) < 0)
        return zw_out_of_memory(err, NULL);
    return ZW_OK;
}

zw_status zw_linear_response(const zw_linear_equations *l, const zw_model_source *source,
                             const char *input, const char *output, double from, double to,
                             int rows, zw_table **out, zw_error *err) {
    assert(out);
    int in, put, n = 0;
    *out = NULL;
    ZW_TRY(find_names(l, input, output, &in, &put, err));
    if (!(from > 0))
        choose_range(l, &from, &to);
    if (!(to >= from) || !isfinite(to) || rows < 1)
        return zw_fail(err, ZW_E_OPTION, "frequencies go from a positive one to a larger one");
    double *omega = choose_frequencies(l, from, to, rows, &n);
    zw_status status =
        omega ? begin_table(l, source, in, put, out, err) : zw_out_of_memory(err, NULL);
    if (status >= 0)
        status = fill_response(l, in, put, n, omega, *out, err);
    if (status < 0) {
        zw_table_destroy(*out);
        *out = NULL;
    }
    return status;
}

/* -------------------------------------------------------------------------------------- summary */

/* What the summary is made from. */
typedef struct summary {
    const zw_linear_equations *l;
    int in, put;
    const char *unit;
    double resolved; /* rad/s: up to here the response is that of the delays */
    zw_report *out;
} summary;

/* at the end of a line */
static void end_line(const summary *k, double omega) {
    zw_report_flag(k->out, "resolved", !(omega > k->resolved));
    zw_report_say(k->out, "{resolved!, not resolved by the nodes of the delays}\n");
}

static double gain_at(const summary *k, double omega, double *phase) {
    double g[2];
    if (zw_linear_response_at(k->l, k->in, k->put, omega, g, NULL) < 0)
        return INFINITY;
    if (phase)
        *phase = atan2(g[1], g[0]) * 180 / M_PI;
    return hypot(g[0], g[1]);
}

/* The frequency of the largest gain between two, by golden section in their logarithm. */
static double peak_between(const summary *k, double low, double high) {
    double a = log(low), b = log(high), q = (sqrt(5) - 1) / 2;
    double x = b - q * (b - a), y = a + q * (b - a), gx = gain_at(k, exp(x), NULL),
           gy = gain_at(k, exp(y), NULL);
    for (int i = 0; i < GOLDEN_MAX; i++)
        if (gx > gy) {
            b = y;
            y = x;
            gy = gx;
            x = b - q * (b - a);
            gx = gain_at(k, exp(x), NULL);
        } else {
            a = x;
            x = y;
            gx = gy;
            y = a + q * (b - a);
            gy = gain_at(k, exp(y), NULL);
        }
    return exp((a + b) / 2);
}

static void report_static(const summary *k) {
    double g[2] = {NAN, NAN};
    bool known = zw_linear_response_at(k->l, k->in, k->put, 0, g, NULL) >= 0;
    zw_report_number(k->out, "static_gain", known ? g[0] : NAN, &(zw_shown){.unit = k->unit});
    zw_report_say(k->out, known ? "  static gain    {static_gain}\n"
                                : "  static gain    none: a zero eigenvalue lies between them, a "
                                  "constant input lets the output grow\n");
}

/* A peak about row i. */
static void report_resonance(const summary *k, const zw_table *t, long i) {
    double phase, listed = zw_table_at(t, i, 2),
                  omega = peak_between(k, zw_table_at(t, i - 1, 0), zw_table_at(t, i + 1, 0));
    double gain = gain_at(k, omega, &phase);
    bool finite = isfinite(gain);
    zw_report_number(k->out, "omega", omega, &(zw_shown){.unit = "rad/s", .digits = 8});
    zw_report_number(k->out, "frequency", omega / (2 * M_PI),
                     &(zw_shown){.unit = "Hz", .digits = 6});
    zw_report_number(k->out, "gain", gain, &(zw_shown){.unit = k->unit, .digits = 8});
    if (finite) /* in the same turn as the table */
        zw_report_number(k->out, "phase", listed + remainder(phase - listed, 360),
                         &(zw_shown){.unit = "deg", .digits = 4});
    zw_report_say(k->out, finite ? "  resonance      {omega} ({frequency}): gain {gain}, phase "
                                   "{phase}"
                                 : "  resonance      {omega} ({frequency}): undamped, the response "
                                   "grows without bound");
    end_line(k, finite ? omega : 0);
}

static void report_resonances(const summary *k, const zw_table *t) {
    zw_report_list(k->out, "resonances");
    for (long i = 1; i + 1 < zw_table_rows(t); i++) {
        double before = zw_table_at(t, i - 1, 1), here = zw_table_at(t, i, 1),
               after = zw_table_at(t, i + 1, 1);
        if (!(here > before && here >= after))
            continue;
        zw_report_open(k->out, NULL);
        report_resonance(k, t, i);
        zw_report_close(k->out);
    }
    zw_report_close(k->out);
}

/* A function that vanishes where the gain is 1, or where the response is real. */
static double level_at(const summary *k, double omega, bool gain, double g[2]) {
    if (zw_linear_response_at(k->l, k->in, k->put, omega, g, NULL) < 0)
        return NAN;
    return gain ? log(hypot(g[0], g[1])) : g[1];
}

/* The frequency where it vanishes between two, by bisection of their logarithm; g is the response
 * there. */
static double find_crossing(const summary *k, double low, double high, bool gain, double g[2]) {
    double from = level_at(k, low, gain, g);
    for (int i = 0; i < BISECTIONS; i++) {
        double middle = sqrt(low * high), level = level_at(k, middle, gain, g);
        if (level == 0 || isnan(level))
            return middle;
        *((level > 0) == (from > 0) ? &low : &high) = middle;
    }
    return sqrt(low * high);
}

/* Is there a crossing between two rows? Undamped responses are real: their phase jumps, which is no
 * crossing. */
static bool is_crossing(const zw_table *t, long i, bool gain) {
    double a = zw_table_at(t, i, gain ? 1 : 4), b = zw_table_at(t, i + 1, gain ? 1 : 4);
    if (gain)
        return (a > 1) != (b > 1);
    return (a > 0) != (b > 0) && fabs(a) > RESPONSE_REAL * zw_table_at(t, i, 1) &&
           fabs(b) > RESPONSE_REAL * zw_table_at(t, i + 1, 1);
}

static void report_margin(const summary *k, double omega, bool gain, const double g[2]) {
    zw_report_open(k->out, NULL);
    zw_report_word(k->out, "kind", gain ? "phase" : "gain");
    zw_report_number(k->out, "omega", omega, &(zw_shown){.unit = "rad/s", .digits = 6});
    if (gain)
        zw_report_number(k->out, "phase_margin",
                         remainder(atan2(g[1], g[0]) * 180 / M_PI - 180, 360),
                         &(zw_shown){.unit = "deg", .digits = 5});
    else
        zw_report_number(k->out, "gain_margin", 1 / hypot(g[0], g[1]), &(zw_shown){.digits = 5});
    zw_report_say(k->out, gain ? "  phase margin   {phase_margin} at {omega}, gain 1"
                               : "  gain margin    {gain_margin} at {omega}, phase -180 deg");
    end_line(k, omega);
    zw_report_close(k->out);
}

/* Margins under negative feedback with gain one: where the gain is 1, and where the phase is -180
 * degrees. */
static void report_margins(const summary *k, const zw_table *t) {
    double g[2];
    zw_report_list(k->out, "margins");
    for (int gain = 1; gain >= 0; gain--)
        for (long i = 0; !k->unit[0] && i + 1 < zw_table_rows(t); i++) {
            if (!is_crossing(t, i, gain))
                continue;
            double omega =
                find_crossing(k, zw_table_at(t, i, 0), zw_table_at(t, i + 1, 0), gain, g);
            if (gain || g[0] < 0)
                report_margin(k, omega, gain, g);
        }
    zw_report_close(k->out);
}

/* The response is not that of the delays beyond a frequency. */
static void warn_delays(const zw_linear_equations *l, int put, double to, zw_warnings *out) {
    double resolved = zw_linear_resolved_to(l);
    int worst = -1;
    if (zw_linear_delays_exact(l, put) || !(to > resolved))
        return;
    zw_system_delay_error(l->e->sys, l->e->p, 0, to, &worst);
    const zw_delay *d = &l->e->sys->delay[worst];
    zw_warning w = zw_warning_of("delays", NAN,
                                 "the response of %s is not resolved by the %d nodes of %s from "
                                 "%.6g rad/s on",
                                 l->out_name[put], d->nodes, d->name, resolved);
    zw_warning_place(&w, d->place);
    zw_warning_hint(&w,
                    "more nodes: delay %s = ... by ... nodes %d; responses in which no delay is "
                    "differentiated or moved by a symmetry are exact",
                    d->name, 2 * d->nodes < ZW_DELAY_NODES_MAX ? 2 * d->nodes : ZW_DELAY_NODES_MAX);
    zw_warnings_add(out, &w);
}

/* The phase turns by half a turn and more from row to row. */
static void warn_rows(const zw_linear_equations *l, const zw_table *t, zw_warnings *out) {
    double longest = 0;
    for (int i = 0; i < l->e->sys->ndelay; i++)
        longest = fmax(longest, zw_system_delay_lag(l->e->sys, i, l->e->p));
    for (long i = 1; i < zw_table_rows(t); i++) {
        if (!((zw_table_at(t, i, 0) - zw_table_at(t, i - 1, 0)) * longest > M_PI))
            continue;
        zw_warning w = zw_warning_of("rows", NAN,
                                     "from %.6g rad/s on the phase of the delays turns by more "
                                     "than 180 deg from row to row: margins may be missing",
                                     zw_table_at(t, i - 1, 0));
        zw_warning_hint(&w, "a shorter range, or more rows: --frequencies FROM:TO:ROWS");
        zw_warnings_add(out, &w);
        return;
    }
}

void zw_linear_response_warnings(const zw_linear_equations *l, const zw_table *response,
                                 zw_warnings *out) {
    const char *name = zw_table_get_note(response, "output");
    int put = 0;
    long n = zw_table_rows(response);
    while (name && put < l->nout && strcmp(l->out_name[put], name) != 0)
        put++;
    if (!name || put == l->nout || n == 0 || l->e->sys->ndelay == 0)
        return;
    warn_delays(l, put, zw_table_at(response, n - 1, 0), out);
    warn_rows(l, response, out);
}

void zw_linear_response_report(const zw_linear_equations *l, const zw_table *response,
                               zw_report *out) {
    long n = zw_table_rows(response);
    summary k = {.l = l, .unit = zw_table_unit(response, 1), .out = out};
    const char *input = zw_table_get_note(response, "input"),
               *output = zw_table_get_note(response, "output");
    zw_error none;
    if (n == 0 || find_names(l, input, output, &k.in, &k.put, &none) < 0)
        return; /* a response of other equations */
    bool exact = zw_linear_delays_exact(l, k.put);
    double to = zw_table_at(response, n - 1, 0);
    const zw_shown how = {.unit = "rad/s", .digits = 6};
    k.resolved = exact ? INFINITY : zw_linear_resolved_to(l);
    zw_report_word(out, "input", input);
    zw_report_word(out, "output", output);
    zw_report_number(out, "from", zw_table_at(response, 0, 0),
                     &(zw_shown){.si_unit = "rad/s", .digits = 6});
    zw_report_number(out, "to", to, &how);
    zw_report_count(out, "row_count", n);
    zw_report_say(out, "{model}: response of {output} to {input}, {from} to {to}, "
                       "{row_count|row|rows}\n");
    if (to == zw_linear_resolved_to(l))
        zw_report_say(out, exact ? "  the nodes of the delays resolve eigenvalues up to there; "
                                   "--frequencies FROM:TO goes further, with exact delays\n"
                                 : "  the nodes of the delays resolve this range\n");
    report_static(&k);
    report_resonances(&k, response);
    report_margins(&k, response);
}
