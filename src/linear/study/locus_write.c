/* SPDX-License-Identifier: MIT */
/* Eigenvalues over a number as text, as JSON and as a table. */
#include <assert.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/text.h"
#include "locus.h"
#include "motion/notes.h"

static const char *kind_word(zw_track_kind kind) {
    switch (kind) {
    case ZW_TRACK_HOPF:
        return "hopf";
    case ZW_TRACK_ZERO:
        return "zero";
    case ZW_TRACK_COALESCENCE:
        return "coalescence";
    }
    return "";
}

static const char *stability_word(zw_stability kind) {
    switch (kind) {
    case ZW_STABLE:
        return "stable";
    case ZW_UNSTABLE:
        return "unstable";
    case ZW_CENTRE:
        return "neutral";
    }
    return "";
}
#define DEFECTIVE 1e6 /* condition of an eigenvalue: half of the digits are lost */

/* A value of the number in its unit. */
static double in_unit(const zw_locus *l, double value) {
    return value / l->over.factor;
}

/* Digits of a mark, at most `most`: as many as the nodes of delays resolve there. */
static int digits_of(const zw_locus *l, int mark, int most) {
    double error = l->delay_error[mark];
    return error > 0 ? (int)fmax(2, fmin(most, floor(-log10(error)))) : most;
}

/* A value, with the digits of the mark that lies there. */
static void put_value(zw_text *out, const zw_locus *l, double value) {
    int digits = 12;
    for (int k = 0; k < l->track.nmark; k++)
        if (l->track.mark[k].value == value)
            digits = digits_of(l, k, digits);
    zw_text_printf(out, "%.*g%s%s", digits, in_unit(l, value), l->over.unit[0] ? " " : "",
                   l->over.unit);
}

static void put_tracks(zw_text *out, const zw_track_mark *m) {
    for (int i = 0; i < m->ntrack; i++)
        zw_text_printf(out, "%s%d", i ? "," : "", m->track[i] + 1);
}

/* The event in words, without value and eigenvalue. */
static void put_event(zw_text *out, const zw_track_mark *m) {
    const char *more = m->growing > 0 ? "more" : "fewer";
    if (m->kind == ZW_TRACK_COALESCENCE)
        zw_text_put(out, m->real > 0   ? "a pair becomes real"
                         : m->real < 0 ? "two real ones become a pair"
                         : m->im > 0   ? "pairs meet on the imaginary axis"
                                       : "pairs and real ones meet");
    else if (m->kind == ZW_TRACK_ZERO && m->ntrack > 1 && !isfinite(m->condition))
        zw_text_put(out, m->real > 0 ? "an oscillation becomes a pair of real ones"
                                     : "a pair of real ones becomes an oscillation");
    else
        zw_text_put(out, m->kind == ZW_TRACK_HOPF ? "a pair crosses the imaginary axis"
                         : m->ntrack > 1          ? "several cross zero"
                                                  : "one crosses zero");
    if (m->growing != 0)
        zw_text_printf(out, ", %d %s grow%s beyond", abs(m->growing), more,
                       abs(m->growing) == 1 ? "s" : "");
    if (isfinite(m->condition) && m->condition > DEFECTIVE)
        zw_text_printf(out, ", defective to working accuracy (condition %.1e)", m->condition);
}

static void put_doubt(zw_text *out, const zw_locus *l, int mark) {
    if (!zw_locus_resolved(l, mark))
        zw_text_printf(out, "; not resolved by the nodes of the delays (error %.1g)",
                       l->delay_error[mark]);
}

/* Are cubic terms known, or were they requested? */
static bool has_cubic_line(const zw_locus *l, int mark) {
    return l->has_cubic[mark] || (l->track.mark[mark].kind == ZW_TRACK_HOPF && l->options.cubic);
}

static void put_cubic(zw_text *out, const zw_locus *l, int mark) {
    char words[900];
    if (!l->has_cubic[mark]) {
        if (has_cubic_line(l, mark))
            zw_text_put(out, "cubic terms were not looked at");
        return;
    }
    zw_criticality_words(&l->cubic[mark], words, sizeof words);
    zw_text_put(out, words);
}

/* ----------------------------------------------------------------------------------------- text */

static void put_special_point(zw_text *out, const zw_locus *l, int k) {
    const zw_track_mark *m = &l->track.mark[k];
    zw_text_printf(out, "  %-11s ", kind_word(m->kind));
    zw_text_printf(out, "%s = ", l->over.name);
    put_value(out, l, m->value);
    zw_text_put(out, ": ");
    if (m->kind == ZW_TRACK_HOPF)
        zw_text_printf(out, "+-%.*gi (%.*g Hz)", digits_of(l, k, 10), m->im, digits_of(l, k, 6),
                       m->im / (2 * M_PI));
    else if (m->im > 0)
        zw_text_printf(out, "%s+-%.*gi", "", digits_of(l, k, 10), m->im);
    else
        zw_text_printf(out, "%.*g", digits_of(l, k, 10), m->re);
    zw_text_put(out, ", tracks ");
    put_tracks(out, m);
    zw_text_put(out, "; ");
    put_event(out, m);
    put_doubt(out, l, k);
    zw_text_put(out, "\n");
    if (has_cubic_line(l, k)) {
        zw_text_put(out, "              ");
        put_cubic(out, l, k);
        zw_text_put(out, "\n");
    }
}

/* Ranges; adjacent ones of equal stability are one, since a coalescence changes none. */
static void put_ranges(zw_text *out, const zw_locus *l) {
    for (int i = 0; i < l->track.nrange;) {
        int k = i + 1;
        while (k < l->track.nrange && zw_locus_stability(l, k) == zw_locus_stability(l, i))
            k++;
        zw_text_printf(out, "  %-11s from ", stability_word(zw_locus_stability(l, i)));
        put_value(out, l, l->track.range[i].from);
        zw_text_put(out, " to ");
        put_value(out, l, l->track.range[k - 1].to);
        zw_text_put(out, "\n");
        i = k;
    }
}

static void put_zeros(zw_text *out, const zw_locus *l) {
    int n = l->track.n, zero = l->track.nzero, kernel = l->track.nkernel;
    zw_text_printf(out, "  eigenvalues %d", n);
    if (zero > 0)
        zw_text_printf(out, ", %d of them %s zero at all values%s", zero, zero == 1 ? "is" : "are",
                       l->family ? ": neighbouring steady motions" : "");
    if (zero > kernel)
        zw_text_printf(out, ", and %d that grow%s as a power of time", zero - kernel,
                       zero - kernel == 1 ? "s" : "");
    zw_text_put(out, "\n");
}

static void put_symmetries(zw_text *out, const zw_locus *l) {
    zw_follow_info info = zw_follow_information(l->path.follow);
    const int at_end[] = {info.nsymmetry_from, info.nsymmetry_to};
    zw_text_printf(out, "  symmetries  %d%s", info.nsymmetry,
                   info.vary ? ", which depend on the value" : "");
    for (int k = 0; k < 2; k++)
        if (at_end[k] != info.nsymmetry) {
            zw_text_printf(out, "; %d at ", at_end[k]);
            put_value(out, l, k == 0 ? l->over.from : l->over.to);
        }
    zw_text_put(out, "\n");
}

static void put_stops(zw_text *out, const zw_locus *l) {
    for (int k = 0; k < 2; k++) {
        const zw_parameter_range_stop *stop = &l->path.stop[k];
        if (stop->end == ZW_FOLLOW_GOES_ON)
            continue;
        zw_text_printf(out, "  ends        at %s = ", l->over.name);
        put_value(out, l, stop->value);
        zw_text_printf(out, ": %s\n",
                       stop->end == ZW_FOLLOW_FOLD ? "the steady motion turns back" : stop->why);
    }
    if (l->track.stopped) {
        zw_text_printf(out, "  interrupted at %s = ", l->over.name);
        put_value(out, l, l->track.value[l->track.nrow - 1]);
        zw_text_put(out, "\n");
    }
}

char *zw_locus_text(const zw_locus *l) {
    zw_allocator alloc = zw_context_allocator(l->sys->ctx);
    zw_text out;
    zw_text_init(&out, &alloc);
    zw_text_printf(&out, "%s: eigenvalues of a steady motion over %s from ", l->sys->name,
                   l->over.name);
    put_value(&out, l, l->track.value[0]);
    zw_text_put(&out, " to ");
    put_value(&out, l, l->track.value[l->track.nrow - 1]);
    zw_text_printf(&out, ", %d rows\n", l->track.nrow);
    put_symmetries(&out, l);
    put_zeros(&out, l);
    for (int k = 0; k < l->track.nmark; k++)
        put_special_point(&out, l, k);
    if (l->track.nmark == 0)
        zw_text_put(&out, "  nothing crosses the imaginary axis, and none coalesce\n");
    put_ranges(&out, l);
    put_stops(&out, l);
    return zw_text_take(&out);
}

/* ----------------------------------------------------------------------------------------- JSON */

static void put_member(zw_text *out, const char *key, double value, const char *end) {
    zw_text_printf(out, "\"%s\": ", key);
    zw_text_json_number(out, value);
    zw_text_put(out, end);
}

static void put_special_point_json(zw_text *out, const zw_locus *l, int k) {
    const zw_track_mark *m = &l->track.mark[k];
    zw_text_printf(out, "%s\n    {\"kind\": \"%s\", ", k ? "," : "", kind_word(m->kind));
    put_member(out, "value", in_unit(l, m->value), ", ");
    put_member(out, "re", m->re, ", ");
    put_member(out, "im", m->im, ", ");
    zw_text_put(out, "\"tracks\": [");
    put_tracks(out, m);
    zw_text_printf(out, "], \"growing\": %d, \"real\": %d, \"resolved\": %s", m->growing, m->real,
                   zw_locus_resolved(l, k) ? "true" : "false");
    if (l->sys->ndelay > 0) {
        zw_text_put(out, ", ");
        put_member(out, "delay_error", l->delay_error[k], "");
    }
    if (l->has_cubic[k]) {
        char *cubic = zw_criticality_json(&l->cubic[k], l->e);
        zw_text_printf(out, ", \"hopf\": %s", cubic ? cubic : "null");
        zw_string_free(l->sys->ctx, cubic);
    }
    zw_text_put(out, "}");
}

static void put_stop_json(zw_text *out, const zw_locus *l, int k) {
    const zw_parameter_range_stop *stop = &l->path.stop[k];
    zw_text_printf(out, "  \"%s\": ", k == 0 ? "ended_before_from" : "ended_before_to");
    if (stop->end == ZW_FOLLOW_GOES_ON) {
        zw_text_put(out, "null,\n");
        return;
    }
    zw_text_printf(out, "{\"fold\": %s, ", stop->end == ZW_FOLLOW_FOLD ? "true" : "false");
    put_member(out, "value", in_unit(l, stop->value), ", \"why\": ");
    zw_text_json(out, stop->why);
    zw_text_put(out, "},\n");
}

char *zw_locus_json(const zw_locus *l) {
    zw_allocator alloc = zw_context_allocator(l->sys->ctx);
    const zw_track *t = &l->track;
    zw_text out;
    zw_text_init(&out, &alloc);
    zw_text_put(&out, "{\n  \"model\": ");
    zw_text_json(&out, l->sys->name);
    zw_text_put(&out, ",\n  \"over\": ");
    zw_text_json(&out, l->over.name);
    zw_text_put(&out, ",\n  \"unit\": ");
    zw_text_json(&out, l->over.unit);
    zw_text_put(&out, ",\n  ");
    put_member(&out, "from", in_unit(l, t->value[0]), ",\n  ");
    put_member(&out, "to", in_unit(l, t->value[t->nrow - 1]), ",\n");
    put_stop_json(&out, l, 0);
    put_stop_json(&out, l, 1);
    zw_text_printf(&out,
                   "  \"interrupted\": %s,\n  \"n\": %d,\n  \"zeros\": %d,\n  \"kernel\": %d,\n",
                   t->stopped ? "true" : "false", t->n, t->nzero, t->nkernel);
    zw_text_put(&out, "  \"marks\": [");
    for (int k = 0; k < t->nmark; k++)
        put_special_point_json(&out, l, k);
    zw_text_put(&out, "],\n  \"ranges\": [");
    for (int k = 0; k < t->nrange; k++) {
        zw_text_printf(&out, "%s\n    {", k ? "," : "");
        put_member(&out, "from", in_unit(l, t->range[k].from), ", ");
        put_member(&out, "to", in_unit(l, t->range[k].to), ", ");
        zw_text_printf(&out, "\"growing\": %d, \"neutral\": %d, \"stability\": \"%s\"}",
                       t->range[k].growing, t->range[k].neutral,
                       stability_word(zw_locus_stability(l, k)));
    }
    zw_text_put(&out, "]\n}\n");
    return zw_text_take(&out);
}

/* ---------------------------------------------------------------------------------------- table */

static zw_status note_special_point(zw_table *t, const zw_locus *l, int k) {
    const zw_track_mark *m = &l->track.mark[k];
    char key[32];
    zw_text text;
    zw_text_init(&text, zw_table_allocator(t));
    zw_text_printf(&text, "%s ", kind_word(m->kind));
    zw_text_number(&text, in_unit(l, m->value));
    zw_text_put(&text, " ");
    zw_text_number(&text, m->re);
    zw_text_put(&text, " ");
    zw_text_number(&text, m->im);
    zw_text_put(&text, " ");
    put_tracks(&text, m);
    zw_text_put(&text, " ; ");
    put_event(&text, m);
    put_doubt(&text, l, k);
    if (l->has_cubic[k]) {
        zw_text_put(&text, "; ");
        put_cubic(&text, l, k);
    }
    snprintf(key, sizeof key, "mark %d", k);
    zw_status status = text.failed ? ZW_E_MEMORY : zw_table_note(t, key, zw_text_get(&text));
    zw_text_clear(&text);
    return status;
}

static zw_status make_columns(zw_table *t, const zw_locus *l) {
    ZW_TRY(zw_table_column(t, l->over.name, l->over.unit));
    for (int j = 1; j <= l->track.n; j++) {
        char name[32];
        snprintf(name, sizeof name, "re(%d)", j);
        ZW_TRY(zw_table_column(t, name, "1/s"));
        snprintf(name, sizeof name, "im(%d)", j);
        ZW_TRY(zw_table_column(t, name, "rad/s"));
    }
    return ZW_OK;
}

static zw_status fill_table(zw_table *t, const zw_locus *l, const zw_model_source *source) {
    const zw_track *track = &l->track;
    int n = track->n;
    ZW_TRY(make_columns(t, l));
    ZW_TRY(zw_table_add_rows(t, track->nrow));
    for (int i = 0; i < track->nrow; i++) {
        zw_table_set(t, i, 0, in_unit(l, track->value[i]));
        for (int j = 0; j < n; j++) {
            zw_table_set(t, i, 2 * j + 1, track->re[i * n + j]);
            zw_table_set(t, i, 2 * j + 2, track->im[i * n + j]);
        }
    }
    ZW_TRY(zw_study_notes(t, l->e, source, "eigenvalues"));
    char key[ZW_PARAMETER_RANGE_NAME + 8];
    snprintf(key, sizeof key, "%s %s", l->over.parameter < 0 ? "hold" : "param", l->over.name);
    zw_table_remove_note(t, key); /* it has no single value */
    for (int k = 0; k < track->nmark; k++)
        ZW_TRY(note_special_point(t, l, k));
    return ZW_OK;
}

zw_status zw_locus_table(const zw_locus *l, const zw_model_source *source, zw_table **out,
                         zw_error *err) {
    assert(out);
    zw_allocator alloc = zw_context_allocator(l->sys->ctx);
    *out = zw_table_create(&alloc);
    zw_status status = *out ? fill_table(*out, l, source) : ZW_E_MEMORY;
    if (status >= 0)
        return status;
    zw_table_destroy(*out);
    *out = NULL;
    return zw_fail(err, status, "the table of eigenvalues could not be made");
}
