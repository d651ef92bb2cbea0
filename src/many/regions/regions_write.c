/* SPDX-License-Identifier: MIT */
/* Regions as a report and as a table that zwang plot draws, and their warnings. */
#include <assert.h>
#include <stdio.h>
#include <string.h>

#include "base/arena.h"
#include "base/text.h"
#include "motion/notes.h"
#include "regions.h"

static long count_undecided(const zw_regions *r) {
    long n = 0;
    for (int i = 0; i < r->npoint; i++)
        n += r->point[i].why != NULL;
    return n;
}

static int first_undecided(const zw_regions *r) {
    for (int i = 0; i < r->npoint; i++)
        if (r->point[i].why)
            return i;
    return -1;
}

/* "zeta = 1.2, w = 1.03". */
static void put_point(const zw_regions *r, zw_text *t, int i) {
    for (int w = 0; w < 2; w++)
        zw_text_printf(t, "%s%s = %.6g%s%s", w ? ", " : "", r->over[w].name,
                       r->point[i].at[w] / r->over[w].factor, r->over[w].unit[0] ? " " : "",
                       r->over[w].unit);
}

static int cycles_most(const zw_regions *r) {
    int n = -1;
    for (int i = 0; i < r->npoint; i++)
        if (!r->point[i].why && r->point[i].ncycle > n)
            n = r->point[i].ncycle;
    return n;
}

/* ", " between them: "zeta = 1.2, w = 1.03", in the units of the ranges */
static void report_point(zw_report *out, const char *key, const zw_regions *r, int i) {
    zw_report_list(out, key);
    for (int w = 0; w < 2; w++) {
        const zw_parameter_range *o = &r->over[w];
        zw_report_open(out, NULL);
        zw_report_word(out, "name", o->name);
        zw_report_number(out, "value", r->point[i].at[w],
                         &(zw_shown){.unit = o->unit,
                                     .scale = o->factor,
                                     .si_unit = r->sys->param[o->parameter].unit,
                                     .digits = 6});
        zw_report_say(out, w ? ", {name} = {value}" : "{name} = {value}");
        zw_report_close(out);
    }
    zw_report_close(out);
}

/* two neighbours */
static void report_pair(zw_report *out, const zw_regions *r, const char *key, const int *at) {
    zw_report_open(out, key);
    zw_report_say(out, ", the first between (");
    report_point(out, "one", r, at[0]);
    zw_report_say(out, ") and (");
    report_point(out, "other", r, at[1]);
    zw_report_say(out, ")");
    zw_report_close(out);
}

static void report_hidden(zw_report *out, const zw_regions *r) {
    const zw_region_pairs *p = &r->pairs;
    const zw_region_point *a = &r->point[p->hidden_at[0]], *b = &r->point[p->hidden_at[1]];
    report_pair(out, r, "hidden_first", p->hidden_at);
    zw_report_count(out, "hidden_cycles", a->ncycle);
    zw_report_count(out, "hidden_cycles_other", b->ncycle);
    zw_report_say(out, ":\n    {hidden_cycles} and {hidden_cycles_other} cycles contradict the ");
    zw_report_say(out, a->outer != b->outer ? "saddle quantity of the connection there"
                                            : "kind of the Hopf bifurcation there");
}

static void report_unknown(zw_report *out, const zw_regions *r) {
    if (r->pairs.unknown) {
        zw_report_say(out, "{unknown|change|changes} that no curve comes near");
        report_pair(out, r, "unknown_first", r->pairs.unknown_at);
        zw_report_say(out, ": a curve is missing\n");
    } else if (r->ncurve) {
        zw_report_say(out, "Every change between neighbours is near one of the curves.\n");
    }
}

static void report_pairs(zw_report *out, const zw_regions *r) {
    const zw_region_pairs *p = &r->pairs;
    zw_report_open(out, "pairs");
    zw_report_count(out, "all", p->all);
    zw_report_count(out, "decided", p->decided);
    zw_report_count(out, "hopf", p->hopf);
    zw_report_count(out, "connection", p->connection);
    zw_report_count(out, "folds_seen", p->seen);
    zw_report_count(out, "folds_hidden", p->hidden);
    zw_report_count(out, "folds_most", p->folds_most);
    zw_report_count(out, "unknown", p->unknown);
    if (r->cycles)
        zw_report_say(out, "Neighbours: {all|pair|pairs}, {decided} of them decided\n");
    if (r->cycles && p->decided) {
        zw_report_say(out, "  Hopf bifurcations between       {hopf}\n");
        zw_report_say(out, isfinite(r->point[0].quantity)
                               ? "  connections of the far end      {connection}\n"
                               : "  cycles pass the far end         {connection}\n");
        zw_report_say(out, "  folds that the numbers show     {folds_seen}\n"
                           "  folds that must lie between     {folds_hidden}");
        if (p->hidden)
            report_hidden(out, r);
        zw_report_say(out, "\nAt most {cycles_most|cycle|cycles} at a point, at most "
                           "{folds_most|fold|folds} along a line of the grid\n");
        report_unknown(out, r);
    }
    zw_report_close(out);
}

/* The region of a mark: with conditions the one that contains it, otherwise that of the nearest
 * point, which is reported too. */
static int region_of_mark(const zw_regions *r, int i, int *nearest) {
    double least = INFINITY;
    int other;
    *nearest = -1;
    if (r->conditions)
        return zw_region_condition_at(r, r->mark[i], &other);
    for (int k = 0; k < r->npoint; k++) {
        double d = hypot((r->point[k].at[0] - r->mark[i][0]) / (r->over[0].to - r->over[0].from),
                         (r->point[k].at[1] - r->mark[i][1]) / (r->over[1].to - r->over[1].from));
        if (d < least) {
            least = d;
            *nearest = k;
        }
    }
    return r->point[*nearest].region;
}

static void report_mark(zw_report *out, const zw_regions *r, int i) {
    int nearest, region = region_of_mark(r, i, &nearest);
    zw_report_open(out, NULL);
    zw_report_word(out, "name", r->mark_name[i]);
    zw_report_count(out, "region", region);
    zw_report_word(out, "words", zw_regions_words(r, region));
    zw_report_say(out, "{name}");
    if (nearest >= 0) {
        zw_report_say(out, ": the nearest point (");
        report_point(out, "nearest", r, nearest);
        zw_report_say(out, ")");
    }
    zw_report_say(out, " is in region {region}: {words}\n");
    zw_report_close(out);
}

static void report_kind(zw_report *out, const zw_region_kind *kind, int number) {
    zw_report_open(out, NULL);
    zw_report_count(out, "region", number);
    zw_report_word(out, "words", kind->words);
    zw_report_count(out, "points", kind->points);
    zw_report_say(out, "  region {region}: {words} ({points|point|points})\n");
    zw_report_close(out);
}

static void report_undecided(zw_report *out, const zw_regions *r) {
    int first = first_undecided(r);
    zw_report_count(out, "undecided", count_undecided(r));
    if (first < 0)
        return;
    zw_report_say(out, "  undecided: {undecided|point|points}, the first at ");
    report_point(out, "undecided_first", r, first);
    zw_report_word(out, "undecided_why", r->point[first].why);
    zw_report_say(out, ": {undecided_why}\n");
}

static void report_grid(zw_report *out, const zw_regions *r) {
    zw_report_count(out, "points", r->npoint);
    zw_report_list(out, "over");
    for (int w = 0; w < 2; w++) {
        zw_report_open(out, NULL);
        zw_report_word(out, "name", r->over[w].name);
        zw_report_count(out, "values", r->rows[w]);
        zw_report_say(out, w ? ", {values} of {name}\n"
                             : "{points|point|points}: {values} values of {name}");
        zw_report_close(out);
    }
    zw_report_close(out);
}

void zw_regions_report(const zw_regions *r, zw_report *out) {
    report_grid(out, r);
    zw_report_list(out, "regions");
    for (int k = 0; k < r->nkind; k++)
        report_kind(out, &r->kind[k], k + 1);
    zw_report_close(out);
    report_undecided(out, r);
    zw_report_count(out, "cycles_most", cycles_most(r));
    report_pairs(out, r);
    zw_report_list(out, "marks");
    for (int i = 0; i < r->options.nmark; i++)
        report_mark(out, r, i);
    zw_report_close(out);
    zw_report_count(out, "motions", r->motions);
    zw_report_say(out, "{motions?{motions|trajectory|trajectories}\n}");
}

void zw_regions_warnings(const zw_regions *r, zw_warnings *doubts) {
    long n = count_undecided(r);
    if (n) {
        zw_text t;
        zw_text_init(&t, &r->arena.alloc);
        put_point(r, &t, first_undecided(r));
        zw_warning d =
            zw_warning_of("regions", NAN, "%ld of %d points are undecided, the first at %s: %s", n,
                          r->npoint, zw_text_get(&t), r->point[first_undecided(r)].why);
        zw_warnings_add(doubts, &d);
        zw_text_clear(&t);
    }
    if (r->ndoubt) {
        zw_text t;
        zw_text_init(&t, &r->arena.alloc);
        put_point(r, &t, r->doubt_point);
        zw_warning d = zw_warning_of(
            "contacts", NAN, "%d of the equilibria may be none, the first at %.200s: %.250s",
            r->ndoubt, zw_text_get(&t), r->doubt);
        zw_warning_hint(&d, "they are counted all the same");
        zw_warnings_add(doubts, &d);
        zw_text_clear(&t);
    }
    if (r->nkind == ZW_REGION_KINDS) {
        zw_warning d = zw_warning_of("regions", NAN, "there are more than %d kinds of regions",
                                     ZW_REGION_KINDS);
        zw_warnings_add(doubts, &d);
    }
}

/* ---------------------------------------------------------------------------------------- table */

static zw_status note_curve(const zw_regions *r, zw_table *t, int i, zw_error *err) {
    const zw_region_curve *c = &r->curve[i];
    zw_text text;
    char key[32];
    zw_text_init(&text, &r->arena.alloc);
    zw_text_printf(&text, "%s\n", c->name);
    for (long k = 0; k < c->n; k++)
        zw_text_printf(&text, "%.12g %.12g; ", c->at[2 * k] / r->over[0].factor,
                       c->at[2 * k + 1] / r->over[1].factor);
    snprintf(key, sizeof key, "curve %d", i);
    zw_status status = text.failed ? ZW_E_MEMORY : zw_table_note(t, key, zw_text_get(&text));
    zw_text_clear(&text);
    return status < 0 ? zw_out_of_memory(err, NULL) : ZW_OK;
}

/* Labels of the members of families. */
static zw_status note_words(const zw_regions *r, zw_table *t, zw_error *err) {
    char key[32], value[200];
    for (int i = 0, n = 0; i < r->ncurve; i++)
        for (int k = 0; k < r->curve[i].nword; k++) {
            const double *at = r->curve[i].word_at[k];
            snprintf(key, sizeof key, "words %d", n++);
            snprintf(value, sizeof value, "%.100s\n%.12g %.12g", r->curve[i].word[k],
                     at[0] / r->over[0].factor, at[1] / r->over[1].factor);
            if (zw_table_note(t, key, value) < 0)
                return zw_out_of_memory(err, NULL);
        }
    return ZW_OK;
}

/* Is the part of n characters one of the comma-separated words? */
static bool has_part(const char *words, const char *part, size_t n) {
    for (const char *at = words; *at; at += strspn(at, ", ")) {
        size_t k = strcspn(at, ",");
        if (k == n && strncmp(at, part, n) == 0)
            return true;
        at += k;
    }
    return false;
}

/* "SHORT; with COMMON": what all regions have in common is not in the legend, which ends at the
 * semicolon. Names are words there. */
static void put_note(const zw_regions *r, int k, char *out, size_t size) {
    const char *words = r->kind[k].words;
    char brief[220] = "", same[220] = "";
    for (const char *at = words; *at; at += strspn(at, ", ")) {
        size_t n = strcspn(at, ",");
        bool all = r->nkind > 1 && !r->conditions;
        for (int i = 0; i < r->nkind && all; i++)
            all = has_part(r->kind[i].words, at, n);
        char *to = all ? same : brief;
        size_t used = strlen(to);
        snprintf(to + used, sizeof brief - used, "%s%.*s", used ? ", " : "", (int)n, at);
        at += n;
    }
    for (char *c = brief; *c && !r->conditions; c++)
        *c = *c == '_' ? ' ' : *c;
    snprintf(out, size, "%s%s%s", brief[0] ? brief : words, same[0] ? "; with " : "", same);
}

static zw_status add_notes(const zw_regions *r, zw_table *t, zw_error *err) {
    char key[64], value[460];
    double *p = (double *)zw_region_parameters(r, 0);
    if (zw_study_origin(t, r->sys, r->options.principle ? r->options.principle : "lagrange", p,
                        NULL, &r->source, "chart") < 0)
        return zw_out_of_memory(err, NULL);
    snprintf(value, sizeof value, "%ld of %d points are not done", count_undecided(r), r->npoint);
    if (r->stopped && zw_table_note(t, "stopped", value) < 0)
        return zw_out_of_memory(err, NULL);
    snprintf(value, sizeof value, "%s %s region", r->over[0].name, r->over[1].name);
    if (zw_table_note(t, "map", value) < 0)
        return zw_out_of_memory(err, NULL);
    for (int k = 0; k < r->nkind; k++) {
        snprintf(key, sizeof key, "region %d", k + 1);
        put_note(r, k, value, sizeof value);
        if (zw_table_note(t, key, value) < 0)
            return zw_out_of_memory(err, NULL);
    }
    for (int i = 0; i < r->ncurve; i++)
        ZW_TRY(note_curve(r, t, i, err));
    ZW_TRY(note_words(r, t, err));
    for (int i = 0; i < r->options.nmark; i++) {
        snprintf(key, sizeof key, "specimen %d", i);
        snprintf(value, sizeof value, "%.100s\n%.12g %.12g", r->mark_name[i],
                 r->mark[i][0] / r->over[0].factor, r->mark[i][1] / r->over[1].factor);
        if (zw_table_note(t, key, value) < 0)
            return zw_out_of_memory(err, NULL);
    }
    return ZW_OK;
}

static int count_stable(const zw_region_point *at, bool cycles) {
    int n = 0;
    for (int i = 0; cycles && i < at->ncycle && i < ZW_REGION_CYCLES; i++)
        n += at->stable[i];
    for (int i = 0; !cycles && i < at->nrest; i++)
        n += at->grows[i] == 0;
    return n;
}

static zw_status fill_table(const zw_regions *r, zw_table *t, zw_error *err) {
    static const char *const name[] = {"region",     "equilibria",    "stable_equilibria",
                                       "cycles",     "stable_cycles", "amplitude_1",
                                       "amplitude_2"};
    for (int w = 0; w < 2; w++)
        if (zw_table_column(t, r->over[w].name, r->over[w].unit) < 0)
            return zw_out_of_memory(err, NULL);
    for (int k = 0; k < (r->conditions ? 1 : r->cycles ? 7 : 3); k++)
        if (zw_table_column(t, name[k], k > 4 ? zw_region_unit(r, r->along) : "") < 0)
            return zw_out_of_memory(err, NULL);
    for (int i = 0; i < r->npoint; i++) {
        const zw_region_point *at = &r->point[i];
        double row[9] = {at->at[0] / r->over[0].factor,
                         at->at[1] / r->over[1].factor,
                         at->region,
                         at->nrest,
                         count_stable(at, false),
                         at->ncycle,
                         count_stable(at, true),
                         at->ncycle > 0 ? at->amplitude[0] : NAN,
                         at->ncycle > 1 ? at->amplitude[1] : NAN};
        for (int k = at->why ? 4 : 9; k < 9; k++) /* an undecided region has no number */
            row[k] = NAN;
        if (zw_table_row(t, row) < 0)
            return zw_out_of_memory(err, NULL);
    }
    return add_notes(r, t, err);
}

zw_status zw_regions_table(const zw_regions *r, zw_table **out, zw_error *err) {
    assert(out);
    zw_table *t = zw_table_create(&r->arena.alloc);
    *out = NULL;
    if (!t)
        return zw_out_of_memory(err, NULL);
    zw_status status = fill_table(r, t, err);
    if (status < 0)
        zw_table_destroy(t);
    else
        *out = t;
    return status;
}
