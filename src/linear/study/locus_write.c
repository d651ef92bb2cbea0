/* SPDX-License-Identifier: MIT */
/* Eigenvalues over a parameter as a report and as a table. */
#include <assert.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/text.h"
#include "locus.h"
#include "motion/motion_report.h"
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
enum { TRACKS_MAX = 64 }; /* of a special point that are listed */
#define DEFECTIVE 1e6     /* condition of an eigenvalue: half of the digits are lost */

/* A value of the number in its unit. */
static double in_unit(const zw_locus *l, double value) {
    return value / l->over.factor;
}

/* Digits of a mark, at most `most`: as many as the nodes of delays resolve there. */
static int digits_of(const zw_locus *l, int mark, int most) {
    double error = l->delay_error[mark];
    return error > 0 ? (int)fmax(2, fmin(most, floor(-log10(error)))) : most;
}

/* How a value is shown: with the digits of the special point that lies there. */
static zw_shown value_shown(const zw_locus *l, double value, int most) {
    zw_shown how = zw_motion_shown(l->sys, &l->over, 0);
    how.digits = most;
    for (int k = 0; k < l->track.nmark; k++)
        if (l->track.mark[k].value == value)
            how.digits = digits_of(l, k, most);
    return how;
}

static void report_value(const zw_locus *l, const char *key, double value, zw_report *r) {
    zw_shown how = value_shown(l, value, 12);
    zw_report_number(r, key, value, &how);
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
            zw_text_put(out, "cubic terms were not computed");
        return;
    }
    zw_criticality_words(&l->cubic[mark], words, sizeof words);
    zw_text_put(out, words);
}

/* --------------------------------------------------------------------------------------- report */

/* a text of several parts as a word */
static void report_text(zw_report *r, const char *key, zw_text *text) {
    if (text->failed)
        zw_report_fail(r);
    zw_report_word(r, key, zw_text_get(text));
    zw_text_clear(text);
}

static void report_cubic(const zw_locus *l, int k, zw_report *r) {
    if (l->has_cubic[k])
        zw_criticality_report_line(&l->cubic[k], "              ", r);
    else if (has_cubic_line(l, k))
        zw_report_say(r, "              cubic terms were not computed\n");
}

/* the eigenvalue in the words of its kind */
static const char *eigenvalue_words(const zw_track_mark *m) {
    return m->kind == ZW_TRACK_HOPF ? "+-{omega}i ({frequency})"
           : m->im > 0              ? "+-{omega}i"
                                    : "{value_re}";
}

static void report_special_point(const zw_locus *l, int k, zw_report *r) {
    const zw_track_mark *m = &l->track.mark[k];
    zw_allocator alloc = zw_context_allocator(l->sys->ctx);
    zw_shown how = {.si_unit = "rad/s", .digits = digits_of(l, k, 10)};
    zw_text text;
    zw_report_word(r, "kind", kind_word(m->kind));
    report_value(l, "value", m->value, r);
    zw_report_complex(r, "eigenvalue", m->re, m->im, &(zw_shown){.unit = "1/s"});
    zw_report_number(r, "value_re", m->re, &how);
    zw_report_number(r, "omega", m->im, &how);
    zw_report_number(r, "frequency", m->im / (2 * M_PI),
                     &(zw_shown){.unit = "Hz", .digits = digits_of(l, k, 6)});
    double tracks[TRACKS_MAX];
    int n = m->ntrack < TRACKS_MAX ? m->ntrack : TRACKS_MAX;
    for (int i = 0; i < n; i++)
        tracks[i] = m->track[i] + 1;
    zw_report_vector(r, "tracks", n, tracks, NULL, NULL);
    zw_report_count(r, "growing", m->growing);
    zw_report_count(r, "real", m->real);
    zw_report_flag(r, "resolved", zw_locus_resolved(l, k));
    if (l->sys->ndelay > 0)
        zw_report_number(r, "delay_error", l->delay_error[k], &(zw_shown){.digits = 1});
    zw_text_init(&text, &alloc);
    put_event(&text, m);
    put_doubt(&text, l, k);
    report_text(r, "event", &text);
    zw_report_say(r, "  {kind:-11} {over} = {value}: ");
    zw_report_say(r, eigenvalue_words(m));
    zw_report_say(r, ", tracks {tracks}; {event}\n");
    report_cubic(l, k, r);
}

static void report_special_points(const zw_locus *l, zw_report *r) {
    zw_report_list(r, "special_points");
    for (int k = 0; k < l->track.nmark; k++) {
        zw_report_open(r, NULL);
        report_special_point(l, k, r);
        zw_report_close(r);
    }
    zw_report_close(r);
    if (l->track.nmark == 0)
        zw_report_say(r, "  no eigenvalues cross the imaginary axis, and none coalesce\n");
}

/* Ranges; sentences join adjacent ones of equal stability, since a coalescence changes none. */
static void report_ranges(const zw_locus *l, zw_report *r) {
    const zw_track *t = &l->track;
    double begin = 0;
    zw_report_list(r, "ranges");
    for (int k = 0; k < t->nrange; k++) {
        zw_stability here = zw_locus_stability(l, k);
        bool first = k == 0 || zw_locus_stability(l, k - 1) != here;
        bool last = k == t->nrange - 1 || zw_locus_stability(l, k + 1) != here;
        begin = first ? t->range[k].from : begin;
        zw_report_open(r, NULL);
        report_value(l, "from", t->range[k].from, r);
        report_value(l, "to", t->range[k].to, r);
        report_value(l, "same_stability_from", begin, r);
        zw_report_count(r, "growing", t->range[k].growing);
        zw_report_count(r, "neutral", t->range[k].neutral);
        zw_report_word(r, "stability", stability_word(here));
        if (last)
            zw_report_say(r, "  {stability:-11} from {same_stability_from} to {to}\n");
        zw_report_close(r);
    }
    zw_report_close(r);
}

static void report_zeros(const zw_locus *l, zw_report *r) {
    const zw_track *t = &l->track;
    zw_report_count(r, "n", t->n);
    zw_report_count(r, "zeros", t->nzero);
    zw_report_count(r, "kernel", t->nkernel);
    zw_report_count(r, "degenerate_zeros", t->nzero - t->nkernel);
    zw_report_flag(r, "family", l->family);
    zw_report_say(r,
                  "  eigenvalues {n}{zeros?, {zeros} of them {zeros#is|are} zero at all "
                  "values{family?: neighbouring equilibria or relative equilibria}}"
                  "{degenerate_zeros?, and {degenerate_zeros} that {degenerate_zeros#grows|grow} "
                  "as a power of time}\n");
}

static void report_symmetries(const zw_locus *l, zw_report *r) {
    zw_follow_info info = zw_follow_information(l->path.follow);
    zw_report_open(r, "symmetries");
    zw_report_count(r, "count", info.nsymmetry);
    zw_report_count(r, "count_from", info.nsymmetry_from);
    zw_report_count(r, "count_to", info.nsymmetry_to);
    zw_report_flag(r, "vary", info.vary);
    report_value(l, "from", l->over.from, r);
    report_value(l, "to", l->over.to, r);
    zw_report_say(r, "  symmetries  {count}{vary?, which depend on the value}");
    if (info.nsymmetry_from != info.nsymmetry)
        zw_report_say(r, "; {count_from} at {from}");
    if (info.nsymmetry_to != info.nsymmetry)
        zw_report_say(r, "; {count_to} at {to}");
    zw_report_say(r, "\n");
    zw_report_close(r);
}

static void report_end(const zw_locus *l, int k, zw_report *r) {
    const zw_parameter_range_stop *stop = &l->path.stop[k];
    bool fold = stop->end == ZW_FOLLOW_FOLD;
    if (stop->end == ZW_FOLLOW_GOES_ON)
        return;
    zw_report_open(r, k == 0 ? "ended_before_from" : "ended_before_to");
    zw_report_flag(r, "fold", fold);
    report_value(l, "value", stop->value, r);
    zw_report_word(r, "reason", stop->why);
    zw_report_say(r, fold ? "  ends        at {over} = {value}: the branch turns back\n"
                          : "  ends        at {over} = {value}: {reason}\n");
    zw_report_close(r);
}

void zw_locus_report(const zw_locus *l, zw_report *out) {
    const zw_track *t = &l->track;
    zw_report_word(out, "over", l->over.name);
    report_value(l, "from", t->value[0], out);
    report_value(l, "to", t->value[t->nrow - 1], out);
    zw_report_count(out, "row_count", t->nrow);
    zw_report_say(out, "{model}: eigenvalues of an equilibrium or relative equilibrium over {over} "
                       "from {from} to {to}, {row_count|row|rows}\n");
    report_symmetries(l, out);
    report_zeros(l, out);
    report_special_points(l, out);
    report_ranges(l, out);
    report_end(l, 0, out);
    report_end(l, 1, out);
    zw_report_flag(out, "complete", !t->stopped);
    zw_report_say(out, "{complete!  stopped at {over} = {to}\n}");
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
