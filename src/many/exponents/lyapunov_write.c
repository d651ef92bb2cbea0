/* SPDX-License-Identifier: MIT */
/* Exponents as a report and as tables, and their warnings. */
#include <assert.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/arena.h"
#include "lyapunov.h"
#include "mech/equations/variants.h"
#include "motion/notes.h"
#include "zwang/equations.h"

enum { BLOCKS = ZW_LYAPUNOV_BLOCKS, VERDICTS = ZW_LYAPUNOV_CHAOTIC + 1 };

const char *zw_lyapunov_word(zw_lyapunov_verdict verdict) {
    switch (verdict) {
    case ZW_LYAPUNOV_STEADY:
        return "steady";
    case ZW_LYAPUNOV_PERIODIC:
        return "periodic";
    case ZW_LYAPUNOV_QUASI_PERIODIC:
        return "quasi-periodic";
    case ZW_LYAPUNOV_CHAOTIC:
        return "chaotic";
    case ZW_LYAPUNOV_UNDECIDED:
        break;
    }
    return "undecided";
}

static const char *time_unit(const zw_lyapunov *s) {
    return s->sys->no_units ? "" : "s";
}

static const char *rate_unit(const zw_lyapunov *s) {
    return s->sys->no_units ? "" : "1/s";
}

/* ------------------------------------------------------------------------------------ one point */

static zw_shown rate_shown(const zw_lyapunov *s, double error) {
    return (zw_shown){.unit = rate_unit(s), .error = error, .with_error = true};
}

static zw_shown time_shown(const zw_lyapunov *s) {
    return (zw_shown){.unit = time_unit(s), .digits = 6};
}

/* A motion at rest may lie where a conserved quantity is stationary, or on the axis of a symmetry:
 * then neither of them makes an exponent zero. */
static bool has_zeros(const zw_lyapunov *s, const zw_lyapunov_point *p) {
    int n = 0;
    for (int i = 0; i < p->k; i++)
        n += fabs(p->exponent[i]) <= fmax(p->resolution, 3 * p->error[i]);
    return s->zeros > 0 && (p->verdict != ZW_LYAPUNOV_STEADY || p->k < p->n || n >= s->zeros);
}

static void report_exponents(zw_report *out, const zw_lyapunov *s, const zw_lyapunov_point *p) {
    zw_shown rate = rate_shown(s, 0);
    bool own = s->autonomous && p->verdict != ZW_LYAPUNOV_STEADY, more = has_zeros(s, p);
    char zeros[400];
    int lost = 0;
    for (int i = 0; i < p->k; i++)
        lost += isinf(p->exponent[i]) != 0;
    snprintf(zeros, sizeof zeros, "%s%s%.350s", own ? "along the motion" : "",
             own && more ? ", " : "", more ? s->zero_names : "");
    zw_report_count(out, "dimension", p->n);
    zw_report_count(out, "exponent_count", p->k);
    zw_report_vector(out, "exponents", p->k, p->exponent, p->error, &rate);
    zw_report_count(out, "annihilated", lost);
    rate.digits = 2;
    zw_report_number(out, "resolution", p->resolution, &rate);
    zw_report_word(out, "zero_in_theory", zeros);
    zw_report_say(out,
                  "  {exponent_count} of {dimension} exponents:\n"
                  "{exponents*    lambda_{#:-3} {.}\n}"
                  "{annihilated?  Events annihilate {annihilated|disturbance|disturbances}: "
                  "these exponents are -inf.\n}"
                  "  Exponents below {resolution} cannot be distinguished from zero in this time.\n"
                  "{zero_in_theory?  Zero in theory: {zero_in_theory}.\n}");
}

static void report_checks(zw_report *out, const zw_lyapunov *s, const zw_lyapunov_point *p) {
    zw_shown sum = rate_shown(s, p->sum_error), gap = rate_shown(s, p->gap_error),
             entropy = rate_shown(s, p->entropy_error), plain = {.unit = rate_unit(s)},
             dimension = {.error = p->dimension_error, .with_error = true};
    zw_report_number(out, "sum", p->sum, &sum);
    zw_report_number(out, "divergence", p->divergence, &plain);
    gap.with_error = false; /* a statistical one: that of the integration is often larger */
    gap.digits = 2;
    zw_report_number(out, "sum_minus_divergence", p->gap, &gap);
    plain.digits = 2;
    zw_report_number(out, "pair_sums", p->pairs, &plain);
    zw_report_number(out, "kaplan_yorke_dimension", p->dimension, &dimension);
    zw_report_number(out, "entropy", p->entropy > 0 ? p->entropy : NAN, &entropy);
    zw_report_flag(out, "autonomous", s->autonomous);
    zw_report_flag(out, "events", s->hybrid);
    zw_report_say(
        out,
        "{sum?  Sum {sum}{sum_minus_divergence?, mean divergence {divergence}, difference "
        "{sum_minus_divergence}}{sum_minus_divergence!; {events?events}{events!jumps of "
        "the rates} contribute to the sum}.\n}"
        "{pair_sums?  Conservative: exponents come in pairs of opposite sign, up to {pair_sums}.\n}"
        "{kaplan_yorke_dimension?  Kaplan-Yorke dimension {kaplan_yorke_dimension}"
        "{autonomous!, at one phase of the excitation}.\n}"
        "{entropy?  Metric entropy at most {entropy}.\n}");
}

static void report_test(zw_report *out, const zw_lyapunov *s, const zw_lyapunov_point *p) {
    zw_shown time = time_shown(s);
    zw_report_number(out, "zero_one_test", p->K, &(zw_shown){.digits = 3});
    zw_report_count(out, "zero_one_samples", p->samples);
    zw_report_number(out, "zero_one_interval", p->sampled > 0 ? p->sampled : NAN, &time);
    zw_report_say(out, s->autonomous || s->has_no_period
                           ? "{zero_one_test?  0-1 test: K = {zero_one_test} from "
                             "{zero_one_samples} values, one {zero_one_interval?every "
                             "{zero_one_interval}}{zero_one_interval!at each return to a "
                             "section}.\n}"
                           : "{zero_one_test?  0-1 test: K = {zero_one_test} from "
                             "{zero_one_samples} values, one in each period of "
                             "{zero_one_interval}.\n}");
}

static void report_verdict(zw_report *out, const zw_lyapunov *s, const zw_lyapunov_point *p) {
    zw_shown time = time_shown(s);
    bool periodic = p->verdict == ZW_LYAPUNOV_PERIODIC && isfinite(p->period);
    zw_report_number(out, "period", periodic ? p->period : NAN, &time);
    zw_report_count(out, "excitation_periods",
                    periodic && !s->autonomous && !s->has_no_period ? p->times : 0);
    zw_report_number(out, "confidence", p->verdict == ZW_LYAPUNOV_UNDECIDED ? NAN : p->confidence,
                     &(zw_shown){.digits = 3});
    zw_report_word(out, "reason", p->reason);
    zw_report_number(out, "lasting", p->lasting, &time);
    zw_report_say(out, "  Verdict: {verdict}{period?, period {period}}{excitation_periods? "
                       "({excitation_periods|period|periods} of the excitation)}{confidence?, "
                       "confidence {confidence}}: {reason}.\n"
                       "{lasting?  No motion has left this attractor: a transient would last at "
                       "least {lasting} on average (95 %).\n}");
}

static void report_effort(zw_report *out, const zw_lyapunov *s, const zw_lyapunov_point *p) {
    zw_shown time = time_shown(s);
    zw_report_count(out, "motions", p->motions);
    zw_report_number(out, "independent_motions", p->independent, &(zw_shown){.digits = 3});
    zw_report_number(out, "transient", p->transient, &time);
    zw_report_number(out, "time", p->time, &time);
    zw_report_number(out, "time_scale", p->scale, &time);
    zw_report_number(out, "first_half", p->first, &(zw_shown){.unit = rate_unit(s)});
    zw_report_number(out, "second_half", p->second, &(zw_shown){.unit = rate_unit(s)});
    zw_report_say(out, s->autonomous || s->has_no_period
                           ? "  {motions|trajectory|trajectories} of {time} after a transient of "
                             "{transient}, time scale {time_scale}; {engine}.\n"
                           : "  {motions|trajectory|trajectories} of {time} after a transient of "
                             "{transient}, period of the excitation {time_scale}; {engine}.\n");
}

static const char *verdict_of(const zw_lyapunov_point *p) {
    return !p ? "not reached" : p->status < 0 ? "failed" : zw_lyapunov_word(p->verdict);
}

static void report_point(zw_report *out, const zw_lyapunov *s, int i) {
    const zw_lyapunov_point *p = zw_lyapunov_at(s, i);
    zw_report_open(out, NULL);
    zw_report_vector(out, "at", s->nover, s->point[i].at, NULL, NULL);
    zw_report_word(out, "verdict", verdict_of(p));
    zw_report_word(out, "failure", p && p->status < 0 ? p->why : NULL);
    if (p && p->status >= 0) {
        report_effort(out, s, p);
        report_exponents(out, s, p);
        report_checks(out, s, p);
        report_test(out, s, p);
        report_verdict(out, s, p);
    } else if (p) {
        zw_report_say(out, "  No exponents: {failure}.\n");
    }
    zw_report_close(out);
}

/* ------------------------------------------------------------------------------------ over ranges */

static bool is_same_verdict(const zw_lyapunov_point *p, const zw_lyapunov_point *q) {
    return p && q ? (p->status < 0) == (q->status < 0) && p->verdict == q->verdict : p == q;
}

/* Neighbours with the same verdict are one interval. */
static void report_intervals(zw_report *out, const zw_lyapunov *s) {
    const zw_parameter_range *over = &s->over[0];
    zw_shown value = {.unit = over->unit,
                      .scale = over->factor,
                      .si_unit = s->sys->param[over->parameter].unit,
                      .digits = 8},
             rate = {.unit = rate_unit(s), .digits = 4};
    zw_report_list(out, "intervals");
    for (int i = 0, last; i < s->npoint; i = last) {
        const zw_lyapunov_point *p = zw_lyapunov_at(s, i);
        double low = NAN, high = NAN;
        for (last = i; last < s->npoint && is_same_verdict(p, zw_lyapunov_at(s, last)); last++)
            if (p && p->status >= 0) {
                low = fmin(low, zw_lyapunov_at(s, last)->exponent[0]);
                high = fmax(high, zw_lyapunov_at(s, last)->exponent[0]);
            }
        zw_report_open(out, NULL);
        zw_report_number(out, "from", s->point[i].at[0], &value);
        zw_report_number(out, "to", s->point[last - 1].at[0], &value);
        zw_report_word(out, "verdict", verdict_of(p));
        zw_report_word(out, "failure", p && p->status < 0 ? p->why : NULL);
        zw_report_number(out, "largest_exponent_min", low, &rate);
        zw_report_number(out, "largest_exponent_max", high, &rate);
        zw_report_say(out, last - 1 > i ? "    {from} to {to}: " : "    {from}: ");
        zw_report_say(out, "{verdict}{failure?: {failure}}{largest_exponent_min?, lambda_1 from "
                           "{largest_exponent_min} to {largest_exponent_max}}\n");
        zw_report_close(out);
    }
    zw_report_close(out);
}

/* how many points have each verdict */
static void report_counts(zw_report *out, const zw_lyapunov *s) {
    static const char *const kinds[] = {"chaotic",   "quasi-periodic", "periodic",   "steady",
                                        "undecided", "failed",         "not reached"};
    zw_report_count(out, "point_count", s->npoint);
    zw_report_say(out, "  {point_count|point|points}");
    zw_report_list(out, "verdicts");
    for (size_t k = 0; k < sizeof kinds / sizeof *kinds; k++) {
        int n = 0;
        for (int i = 0; i < s->npoint; i++)
            n += strcmp(verdict_of(zw_lyapunov_at(s, i)), kinds[k]) == 0;
        if (n == 0)
            continue;
        zw_report_open(out, NULL);
        zw_report_word(out, "verdict", kinds[k]);
        zw_report_count(out, "points", n);
        zw_report_say(out, ", {points} {verdict}");
        zw_report_close(out);
    }
    zw_report_close(out);
    zw_report_say(out, ".\n");
}

static void report_ranges(zw_report *out, const zw_lyapunov *s) {
    zw_shown time = time_shown(s);
    zw_report_count(out, "motions_at_each_point", s->motions);
    zw_report_number(out, "time", zw_lyapunov_time(s, 0), &time);
    zw_report_number(out, "transient", zw_lyapunov_transient(s, 0), &time);
    zw_report_flag(out, "carry", s->options.carry);
    zw_report_say(out, "  {motions_at_each_point|trajectory|trajectories} at each point, {time} "
                       "after a transient of {transient}, {carry?continued from point to point}"
                       "{carry!each from the start of the model}; {engine}.\n");
    report_counts(out, s);
    if (s->nover == 1)
        report_intervals(out, s);
}

void zw_lyapunov_report(const zw_lyapunov *s, zw_report *out) {
    const char *over[2], *unit[2];
    for (int i = 0; i < s->nover; i++) {
        over[i] = s->over[i].name;
        unit[i] = s->sys->param[s->over[i].parameter].unit;
    }
    zw_report_words(out, "over", s->nover, over);
    zw_report_words(out, "over_units", s->nover, unit);
    zw_report_word(out, "engine", s->engine);
    zw_report_say(out, "{model}: Lyapunov exponents{over? over {over}}\n");
    if (s->nover) {
        report_ranges(out, s);
    } else if (!zw_lyapunov_at(s, 0)) {
        zw_report_word(out, "waited_for", s->stopped_stage);
        zw_report_say(out, "  Nothing was measured{waited_for?: {waited_for}}.\n");
    }
    zw_report_list(out, "points");
    zw_report_mute(out, s->nover > 0);
    for (int i = 0; i < s->npoint; i++)
        report_point(out, s, i);
    zw_report_mute(out, false);
    zw_report_close(out);
}

/* --------------------------------------------------------------------------------------- tables */

static zw_status exponent_columns(const zw_lyapunov *s, zw_table *t) {
    char name[32];
    for (int kind = 0; kind < 2; kind++)
        for (int i = 0; i < s->k; i++) {
            snprintf(name, sizeof name, kind ? "error_%d" : "lambda_%d", i + 1);
            ZW_TRY(zw_table_column(t, name, rate_unit(s)));
        }
    return ZW_OK;
}

/* Means from the beginning of the measured time up to the end of each block, and their standard
 * errors by blocks. */
static zw_status fill_time(const zw_lyapunov *s, zw_table *t, double *row) {
    const zw_lyapunov_point *p = zw_lyapunov_at(s, 0);
    ZW_TRY(zw_table_column(t, "t", time_unit(s)));
    ZW_TRY(exponent_columns(s, t));
    for (int b = 1; p && p->status >= 0 && b <= BLOCKS; b++) {
        row[0] = p->time * b / BLOCKS;
        for (int i = 0; i < s->k; i++) {
            double sum = 0, square = 0;
            long n = 0;
            for (int m = 0; m < s->motions; m++)
                for (int r = 0; r < b && s->motion[m].measured; r++, n++) {
                    double v =
                        s->block[((size_t)m * BLOCKS + (size_t)r) * (size_t)(s->k + 2) + (size_t)i];
                    sum += v;
                    square += v * v;
                }
            double mean = i < s->k && isinf(p->exponent[i]) ? -INFINITY : sum / (double)n;
            row[1 + i] = mean;
            row[1 + s->k + i] = n > 1 ? sqrt(fmax(0, square / (double)n - mean * mean) *
                                             p->motions / p->independent / (double)(n - 1))
                                      : NAN;
        }
        ZW_TRY(zw_table_row(t, row));
    }
    return ZW_OK;
}

static zw_status fill_points(const zw_lyapunov *s, zw_table *t, double *row) {
    static const char *const last[] = {"sum", "divergence", "dimension", "entropy",
                                       "K",   "period",     "verdict",   "confidence"};
    for (int w = 0; w < s->nover; w++)
        ZW_TRY(zw_table_column(t, s->over[w].name, s->sys->param[s->over[w].parameter].unit));
    ZW_TRY(exponent_columns(s, t));
    for (int i = 0; i < 8; i++)
        ZW_TRY(zw_table_column(t, last[i],
                               i < 2 || i == 3 ? rate_unit(s)
                               : i == 5        ? time_unit(s)
                                               : ""));
    for (int i = 0; i < s->npoint; i++) {
        const zw_lyapunov_point *p = zw_lyapunov_at(s, i);
        bool known = p && p->status >= 0;
        int c = 0;
        for (int w = 0; w < s->nover; w++)
            row[c++] = s->point[i].at[w];
        for (int k = 0; k < s->k; k++)
            row[c++] = known ? p->exponent[k] : NAN;
        for (int k = 0; k < s->k; k++)
            row[c++] = known ? p->error[k] : NAN;
        row[c++] = known ? p->sum : NAN;
        row[c++] = known ? p->divergence : NAN;
        row[c++] = known ? p->dimension : NAN;
        row[c++] = known ? p->entropy : NAN;
        row[c++] = known ? p->K : NAN;
        row[c++] = known ? p->period : NAN;
        row[c++] = known ? (double)p->verdict : NAN;
        row[c++] = known ? p->confidence : NAN;
        ZW_TRY(zw_table_row(t, row));
    }
    return ZW_OK;
}

static zw_status add_notes(const zw_lyapunov *s, zw_table *t, const zw_model_source *source) {
    char text[40];
    ZW_TRY(zw_study_origin(t, s->sys, zw_lyapunov_principle(s), s->p, NULL, source,
                           s->nover == 2   ? "exponents over two parameters"
                           : s->nover == 1 ? "exponents over a parameter"
                                           : "exponents over time"));
    ZW_TRY(zw_study_note_value(t, "transient", zw_lyapunov_transient(s, 0), time_unit(s)));
    ZW_TRY(zw_study_note_value(t, "time", zw_lyapunov_time(s, 0), time_unit(s)));
    snprintf(text, sizeof text, "%d", s->motions);
    ZW_TRY(zw_table_note(t, "motions", text));
    for (int w = 0; w < s->nover; w++) {
        char key[24];
        snprintf(key, sizeof key, "over %d", w + 1);
        ZW_TRY(zw_table_note(t, key, s->over[w].name));
    }
    if (s->nover)
        return zw_table_note(t, "verdict",
                             "0 undecided, 1 steady, 2 periodic, 3 quasi-periodic, 4 chaotic");
    const zw_lyapunov_point *p = zw_lyapunov_at(s, 0);
    return zw_table_note(t, "verdict",
                         p && p->status >= 0 ? zw_lyapunov_word(p->verdict) : "failed");
}

zw_status zw_lyapunov_table(const zw_lyapunov *s, const zw_model_source *source, zw_table **out,
                            zw_error *err) {
    assert(out);
    zw_allocator alloc = zw_context_allocator(s->sys->ctx);
    zw_table *t = zw_table_create(&alloc);
    size_t size = sizeof(double) * (size_t)(2 * s->k + 16);
    double *row = zw_allocate(&alloc, size);
    zw_status status = t && row ? ZW_OK : ZW_E_MEMORY;
    *out = NULL;
    if (status >= 0)
        status = s->nover ? fill_points(s, t, row) : fill_time(s, t, row);
    if (status >= 0)
        status = add_notes(s, t, source);
    if (row)
        zw_release(&alloc, row, size);
    if (status < 0) {
        zw_table_destroy(t);
        return zw_out_of_memory(err, NULL);
    }
    *out = t;
    return ZW_OK;
}

/* ---- warnings ---- */

static const struct {
    int bit;
    const char *key, *text, *hint;
} sentences[] = {
    {ZW_WARNINGS_UNDECIDED, "verdict", "what kind of motion it is, is undecided",
     "--time, --transient"},
    {ZW_WARNINGS_SLOWING, "slowing",
     "the motion slows down as a power of time and has no time scale: the exponents over a time T "
     "are "
     "of the order 1/T and converge to 0",
     "a longer --time makes them smaller; it decides nothing else"},
    {ZW_WARNINGS_HALVES, "halves", "the exponents belong to a transient: they are different later",
     "a longer --transient"},
    {ZW_WARNINGS_GAP, "divergence", "the sum of the exponents is not the mean divergence",
     "a smaller --rtol, or --engine alone"},
    {ZW_WARNINGS_PAIRS, "pairs", "the exponents of a conservative system do not form pairs",
     "a smaller --rtol, or a longer --time"},
    {ZW_WARNINGS_ZEROS, "zero", "no exponent is zero, though one is along the motion",
     "a longer --time"},
    {ZW_WARNINGS_STRAINED, "frame",
     "disturbances decayed so much faster than others that few digits of them were left",
     "fewer --exponents"},
    {ZW_WARNINGS_SETTLING, "settling", "the motion has not come to its end yet", "--transient"},
    {ZW_WARNINGS_FAILED, "failed", "motions failed", NULL},
    {ZW_WARNINGS_MIXED, "ends",
     "motions from one attractor come to different ends: its chaos is a transient, or there are "
     "several attractors",
     "--transient"},
    {ZW_WARNINGS_PERIOD, "period",
     "by the exponents the motion is periodic, but no period was found",
     "it is longer than 64 returns, or the transient is not over: --transient"},
    {ZW_WARNINGS_UNSTABLE, "unstable",
     "the motion is unstable: it stays only because nothing disturbs it", "another start: --set"},
    {ZW_WARNINGS_LOST, "annihilated",
     "events annihilated disturbances in some of the motions and not in others",
     "use a longer --time"},
    {ZW_WARNINGS_MOTIONS, "motions", "some motions have warnings", NULL},
    {ZW_WARNINGS_TEST, "0-1 test", "the exponents and the 0-1 test contradict each other",
     "--of, --time"},
};

void zw_lyapunov_warnings(const zw_lyapunov *s, zw_warnings *out) {
    zw_warning leaf;
    if (zw_leaf_warning(s->nhidden, "a disturbance", &leaf))
        zw_warnings_add(out, &leaf);
    for (size_t k = 0; k < sizeof sentences / sizeof *sentences; k++) {
        int n = 0, first = -1;
        for (int i = 0; i < s->npoint; i++)
            if (s->done[i] && s->doubt[i] & sentences[k].bit && n++ == 0)
                first = i;
        if (n == 0)
            continue;
        zw_warning d = zw_warning_of(sentences[k].key, NAN, "%s", sentences[k].text);
        if (s->nover)
            d = zw_warning_of(sentences[k].key, NAN,
                              "at %d of %d points, the first at %s = %.8g: %s", n, s->npoint,
                              s->over[0].name, s->point[first].at[0] / s->over[0].factor,
                              sentences[k].text);
        if (sentences[k].bit == ZW_WARNINGS_FAILED)
            for (int i = 0; i < s->motions; i++) {
                const zw_lyapunov_motion *m = &s->motion[zw_lyapunov_index(s, first, i)];
                if (m->status < 0) {
                    zw_warning_hint(&d, "%s", m->why);
                    break;
                }
            }
        for (int i = 0; i < s->motions && sentences[k].bit == ZW_WARNINGS_MOTIONS; i++) {
            const zw_lyapunov_motion *m = &s->motion[zw_lyapunov_index(s, first, i)];
            if (m->doubt[0]) {
                d = zw_warning_of(sentences[k].key, NAN, "%s", m->doubt);
                break;
            }
        }
        if (sentences[k].hint)
            zw_warning_hint(&d, "%s", sentences[k].hint);
        zw_warnings_add(out, &d);
    }
}
