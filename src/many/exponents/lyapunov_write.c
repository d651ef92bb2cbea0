/* SPDX-License-Identifier: MIT */
/* Exponents as text, JSON and tables, and their warnings. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/arena.h"
#include "base/text.h"
#include "lyapunov.h"
#include "motion/notes.h"
#include "zwang/equations.h"

#define LONG_NUMBER 1e5    /* format */
#define EXACT_NUMBER 1e-11 /* format */

enum { BLOCKS = ZW_LYAPUNOV_BLOCKS, VERDICTS = ZW_LYAPUNOV_CHAOTIC + 1 };

const char *zw_lyapunov_word(zw_lyapunov_verdict verdict) {
    static const char *const words[VERDICTS] = {"undecided", "steady", "periodic", "quasi-periodic",
                                                "chaotic"};
    return words[verdict];
}

static const char *time_unit(const zw_lyapunov *s) {
    return s->sys->no_units ? "" : "s";
}

static const char *rate_unit(const zw_lyapunov *s) {
    return s->sys->no_units ? "" : "1/s";
}

/* A number with the digits that its error permits. */
static void put_with_error(zw_text *out, double value, double error) {
    int digits = error > 0 && isfinite(error) ? (int)ceil(1.0 - log10(error)) : 9;
    digits = digits < 0 ? 0 : digits > 12 ? 12 : digits;
    if (error == 0)
        zw_text_printf(out, "%.10g", value);
    else if (fabs(value) >= LONG_NUMBER || error < EXACT_NUMBER)
        zw_text_printf(out, "%.6g +- %.1g", value, error);
    else
        zw_text_printf(out, "%.*f +- %.*f", digits, value, digits, error);
}

static void put_time(zw_text *out, const zw_lyapunov *s, double t) {
    zw_text_printf(out, "%.6g%s%s", t, s->sys->no_units ? "" : " ", time_unit(s));
}

/* ------------------------------------------------------------------------------------ one point */

/* A rest may be where a conserved quantity is stationary, or on the axis of a symmetry: then
 * neither gives a zero. */
static bool has_zeros(const zw_lyapunov *s, const zw_lyapunov_point *p) {
    int n = 0;
    for (int i = 0; i < p->k; i++)
        n += fabs(p->exponent[i]) <= fmax(p->resolution, 3 * p->error[i]);
    return s->zeros > 0 && (p->verdict != ZW_LYAPUNOV_STEADY || p->k < p->n || n >= s->zeros);
}

static void put_exponents(zw_text *out, const zw_lyapunov *s, const zw_lyapunov_point *p) {
    for (int i = 0; i < p->k; i++) {
        zw_text_printf(out, "    lambda_%-3d ", i + 1);
        if (isinf(p->exponent[i])) {
            zw_text_put(out, "-inf: events annihilate these disturbances\n");
            continue;
        }
        put_with_error(out, p->exponent[i], p->error[i]);
        zw_text_printf(out, "%s%s\n", s->sys->no_units ? "" : " ", rate_unit(s));
    }
    zw_text_printf(out, "  Less than %.2g%s%s cannot be told from zero in this time.\n",
                   p->resolution, s->sys->no_units ? "" : " ", rate_unit(s));
    bool own = s->autonomous && p->verdict != ZW_LYAPUNOV_STEADY;
    bool more = has_zeros(s, p);
    if (own || more)
        zw_text_printf(out, "  Zero by theory: %s%s%s.\n", own ? "along the motion" : "",
                       own && more ? ", " : "", more ? s->zero_names : "");
}

static void put_checks(zw_text *out, const zw_lyapunov *s, const zw_lyapunov_point *p) {
    if (isfinite(p->sum)) {
        zw_text_put(out, "  Sum ");
        put_with_error(out, p->sum, p->sum_error);
        if (isfinite(p->gap))
            zw_text_printf(out, ", mean divergence %.8g: they differ by %.2g +- %.1g.\n",
                           p->divergence, p->gap, p->gap_error);
        else
            zw_text_put(out, s->hybrid ? "; events contribute to it.\n"
                                       : "; jumps of the rates contribute to it.\n");
    }
    if (isfinite(p->pairs))
        zw_text_printf(out, "  Conservative: pairs to %.2g.\n", p->pairs);
    if (isfinite(p->dimension)) {
        zw_text_put(out, "  Dimension of Kaplan and Yorke ");
        put_with_error(out, p->dimension, p->dimension_error);
        zw_text_put(out, s->autonomous ? ".\n" : ", at one phase of the drive.\n");
    }
    if (p->entropy > 0) {
        zw_text_put(out, "  Metric entropy at most ");
        put_with_error(out, p->entropy, p->entropy_error);
        zw_text_put(out, ".\n");
    }
}

static void put_test(zw_text *out, const zw_lyapunov *s, const zw_lyapunov_point *p) {
    if (isnan(p->K))
        return;
    zw_text_printf(out, "  0-1 test: K = %.3f of %d values, ", p->K, p->samples);
    if (p->sampled > 0) {
        zw_text_put(out, s->autonomous || s->beats ? "one every " : "one in each period of ");
        put_time(out, s, p->sampled);
    } else {
        zw_text_put(out, "one at each return to a section");
    }
    zw_text_put(out, ".\n");
}

static void put_verdict(zw_text *out, const zw_lyapunov *s, const zw_lyapunov_point *p) {
    zw_text_printf(out, "  %c%s", zw_lyapunov_word(p->verdict)[0] - 'a' + 'A',
                   zw_lyapunov_word(p->verdict) + 1);
    if (p->verdict == ZW_LYAPUNOV_PERIODIC && isfinite(p->period)) {
        zw_text_put(out, ", period ");
        put_time(out, s, p->period);
        if (!s->autonomous && !s->beats)
            zw_text_printf(out, " (%d of the drive)", p->times);
    }
    if (p->verdict != ZW_LYAPUNOV_UNDECIDED)
        zw_text_printf(out, ", confidence %.3g", p->confidence);
    zw_text_printf(out, ": %s.\n", p->reason);
    if (!isnan(p->lasting)) {
        zw_text_put(out, "  None has left it: if it is a transient, it lasts for ");
        put_time(out, s, p->lasting);
        zw_text_put(out, " or more in the mean (95 %).\n");
    }
}

static void put_point(zw_text *out, const zw_lyapunov *s) {
    const zw_lyapunov_point *p = zw_lyapunov_at(s, 0);
    if (!p) {
        zw_text_printf(out, "  Nothing was measured%s%s.\n", s->waited[0] ? ": " : "", s->waited);
        return;
    }
    if (p->status < 0) {
        zw_text_printf(out, "  No exponents: %s.\n", p->why);
        return;
    }
    zw_text_printf(out, "  %d motion%s of ", p->motions, p->motions == 1 ? "" : "s");
    put_time(out, s, p->time);
    zw_text_put(out, p->motions == 1 ? " behind a transient of " : " each behind a transient of ");
    put_time(out, s, p->transient);
    zw_text_printf(out, ", %s ", s->autonomous || s->beats ? "time scale" : "period of the drive");
    put_time(out, s, p->scale);
    zw_text_printf(out, "; %s.\n  %d of %d exponents:\n", s->engine, p->k, p->n);
    put_exponents(out, s, p);
    put_checks(out, s, p);
    put_test(out, s, p);
    put_verdict(out, s, p);
}

/* ----------------------------------------------------------------------------------------- many */

static void put_value(zw_text *out, const zw_parameter_range *o, double value) {
    zw_text_printf(out, "%.8g%s%s", value / o->factor, o->unit[0] ? " " : "", o->unit);
}

/* Neighbours with the same verdict share one line. */
static void put_curve(zw_text *out, const zw_lyapunov *s) {
    for (int i = 0; i < s->npoint;) {
        const zw_lyapunov_point *p = zw_lyapunov_at(s, i);
        int last = i;
        double low = INFINITY, high = -INFINITY;
        for (; last < s->npoint; last++) {
            const zw_lyapunov_point *q = zw_lyapunov_at(s, last);
            bool same =
                p && q ? (p->status < 0) == (q->status < 0) && p->verdict == q->verdict : p == q;
            if (!same)
                break;
            if (q && q->status >= 0) {
                low = fmin(low, q->exponent[0]);
                high = fmax(high, q->exponent[0]);
            }
        }
        zw_text_put(out, "    ");
        put_value(out, &s->over[0], s->point[i].at[0]);
        if (last - 1 > i) {
            zw_text_put(out, " to ");
            put_value(out, &s->over[0], s->point[last - 1].at[0]);
        }
        zw_text_put(out, ": ");
        if (!p)
            zw_text_put(out, "not reached\n");
        else if (p->status < 0)
            zw_text_printf(out, "failed: %s\n", p->why);
        else
            zw_text_printf(out, "%s, lambda_1 from %.4g to %.4g\n", zw_lyapunov_word(p->verdict),
                           low, high);
        i = last;
    }
}

static void put_counts(zw_text *out, const zw_lyapunov *s) {
    int count[VERDICTS] = {0}, failed = 0, missing = 0;
    for (int i = 0; i < s->npoint; i++) {
        const zw_lyapunov_point *p = zw_lyapunov_at(s, i);
        if (!p)
            missing++;
        else if (p->status < 0)
            failed++;
        else
            count[p->verdict]++;
    }
    zw_text_printf(out, "  %d points", s->npoint);
    for (int v = VERDICTS - 1; v >= 0; v--)
        if (count[v])
            zw_text_printf(out, ", %d %s", count[v], zw_lyapunov_word((zw_lyapunov_verdict)v));
    if (failed)
        zw_text_printf(out, ", %d failed", failed);
    if (missing)
        zw_text_printf(out, ", %d not reached", missing);
    zw_text_put(out, ".\n");
}

static void put_many(zw_text *out, const zw_lyapunov *s) {
    zw_text_printf(out, "  %d motion%s at each point, ", s->motions, s->motions == 1 ? "" : "s");
    put_time(out, s, zw_lyapunov_time(s, 0));
    zw_text_put(out, " behind a transient of ");
    put_time(out, s, zw_lyapunov_transient(s, 0));
    zw_text_printf(out, ", %s; %s.\n",
                   s->options.carry ? "carried on from point to point"
                                    : "each from the start of the model",
                   s->engine);
    put_counts(out, s);
    if (s->nover == 1)
        put_curve(out, s);
}

char *zw_lyapunov_text(const zw_lyapunov *s) {
    zw_text out;
    zw_allocator alloc = zw_context_allocator(s->sys->ctx);
    zw_text_init(&out, &alloc);
    zw_text_printf(&out, "%s: Lyapunov exponents", s->sys->name);
    for (int w = 0; w < s->nover; w++)
        zw_text_printf(&out, "%s %s", w ? "," : " over", s->over[w].name);
    zw_text_put(&out, "\n");
    if (s->nover)
        put_many(&out, s);
    else
        put_point(&out, s);
    return zw_text_take(&out);
}

/* ----------------------------------------------------------------------------------------- JSON */

static void json_number(zw_text *out, const char *key, double value) {
    zw_text_printf(out, ", \"%s\": ", key);
    zw_text_json_number(out, value);
}

static void json_list(zw_text *out, const char *key, int n, const double *x) {
    zw_text_printf(out, ", \"%s\": [", key);
    for (int i = 0; i < n; i++) {
        zw_text_put(out, i ? ", " : "");
        zw_text_json_number(out, x[i]);
    }
    zw_text_put(out, "]");
}

static void json_point(zw_text *out, const zw_lyapunov *s, const zw_lyapunov_point *p) {
    zw_text_put(out, "{\"verdict\": ");
    zw_text_json(out, p->status < 0 ? "failed" : zw_lyapunov_word(p->verdict));
    for (int w = 0; w < s->nover; w++)
        json_number(out, s->over[w].name, p->at[w]);
    if (p->status < 0) {
        zw_text_put(out, ", \"why\": ");
        zw_text_json(out, p->why);
        zw_text_put(out, "}");
        return;
    }
    zw_text_printf(out, ", \"dimension of states\": %d", p->n);
    json_list(out, "exponents", p->k, p->exponent);
    json_list(out, "errors", p->k, p->error);
    int lost = 0;
    for (int i = 0; i < p->k; i++)
        lost += isinf(p->exponent[i]);
    if (s->hybrid) /* their exponents, minus infinity, are null above */
        zw_text_printf(out, ", \"annihilated\": %d", lost);
    const struct {
        const char *key;
        double value;
    } all[] = {{"resolution", p->resolution},
               {"sum", p->sum},
               {"divergence", p->divergence},
               {"sum minus divergence", p->gap},
               {"error of that", p->gap_error},
               {"pairs", p->pairs},
               {"dimension", p->dimension},
               {"error of dimension", p->dimension_error},
               {"entropy", p->entropy},
               {"error of entropy", p->entropy_error},
               {"K", p->K},
               {"sampled", p->sampled},
               {"values", p->samples},
               {"confidence", p->confidence},
               {"period", p->period},
               {"times", p->times},
               {"first half", p->first},
               {"second half", p->second},
               {"motions", p->motions},
               {"independent", p->independent},
               {"transient", p->transient},
               {"time", p->time},
               {"time scale", p->scale},
               {"lasting", p->lasting}};
    for (size_t i = 0; i < sizeof all / sizeof *all; i++)
        json_number(out, all[i].key, all[i].value);
    zw_text_put(out, ", \"reason\": ");
    zw_text_json(out, p->reason);
    zw_text_put(out, "}");
}

char *zw_lyapunov_json(const zw_lyapunov *s) {
    zw_text out;
    zw_allocator alloc = zw_context_allocator(s->sys->ctx);
    zw_text_init(&out, &alloc);
    zw_text_put(&out, "{\"model\": ");
    zw_text_json(&out, s->sys->name);
    zw_text_put(&out, ", \"points\": [");
    for (int i = 0, n = 0; i < s->npoint; i++) {
        const zw_lyapunov_point *p = zw_lyapunov_at(s, i);
        if (!p)
            continue;
        zw_text_put(&out, n++ ? ",\n" : "\n");
        json_point(&out, s, p);
    }
    zw_text_put(&out, "]}\n");
    return zw_text_take(&out);
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

/* --------------------------------------------------------------------------------------- doubts */

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
    {ZW_WARNINGS_PAIRS, "pairs", "the exponents of a conservative system are no pairs",
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
    {ZW_WARNINGS_PERIOD, "period", "a period must be there by the exponents and was not found",
     "it is longer than 64 returns, or the transient is not over: --transient"},
    {ZW_WARNINGS_UNSTABLE, "unstable",
     "the motion is unstable: it stays only because nothing disturbs it", "another start: --set"},
    {ZW_WARNINGS_LOST, "annihilated",
     "events annihilated disturbances in some of the motions and not in others",
     "use a longer --time"},
    {ZW_WARNINGS_MOTIONS, "motions", "some motions have warnings", NULL},
    {ZW_WARNINGS_TEST, "0-1 test", "exponents and 0-1 test contradict each other", "--of, --time"},
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
