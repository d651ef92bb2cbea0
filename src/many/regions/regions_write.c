/* SPDX-License-Identifier: MIT */
/* Regions as text, as JSON, and as a table that zwang plot draws. */
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

static void put_pairs(const zw_regions *r, zw_text *t) {
    const zw_region_pairs *p = &r->pairs;
    zw_text_printf(t, "neighbours: %ld pairs, %ld of them decided\n", p->all, p->decided);
    if (p->decided == 0)
        return;
    zw_text_printf(t, "  Hopf's bifurcation between      %ld\n", p->hopf);
    zw_text_printf(t, "  %s     %ld\n",
                   isfinite(r->point[0].quantity) ? "a connection of the far end"
                                                  : "a cycle passes the far end ",
                   p->connection);
    zw_text_printf(t, "  folds that the numbers show     %ld\n", p->seen);
    zw_text_printf(t, "  folds that must lie between     %ld", p->hidden);
    if (p->hidden) {
        const zw_region_point *a = &r->point[p->hidden_at[0]], *b = &r->point[p->hidden_at[1]];
        zw_text_put(t, ", the first between (");
        put_point(r, t, p->hidden_at[0]);
        zw_text_put(t, ") and (");
        put_point(r, t, p->hidden_at[1]);
        zw_text_printf(t, "):\n    %d and %d cycles do not agree with the %s there", a->ncycle,
                       b->ncycle,
                       a->outer != b->outer ? "saddle quantity of the connection"
                                            : "kind of Hopf's bifurcation");
    }
    zw_text_printf(t,
                   "\nat most %d cycle%s at a point, at most %d fold%s along a line of the grid\n",
                   cycles_most(r), cycles_most(r) == 1 ? "" : "s", p->folds_most,
                   p->folds_most == 1 ? "" : "s");
    if (p->unknown) {
        zw_text_printf(t, "%ld change%s that no curve comes near, the first between (", p->unknown,
                       p->unknown == 1 ? "" : "s");
        put_point(r, t, p->unknown_at[0]);
        zw_text_put(t, ") and (");
        put_point(r, t, p->unknown_at[1]);
        zw_text_put(t, "): a curve is missing\n");
    } else if (r->ncurve) {
        zw_text_put(t, "every change between neighbours is near one of the curves\n");
    }
}

/* The region of a mark: with conditions the one that contains it, otherwise that of the nearest
 * point, which is reported too. */
static int region_of_mark(zw_regions *r, int i, int *nearest) {
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

static void put_mark(zw_regions *r, zw_text *t, int i) {
    int nearest, region = region_of_mark(r, i, &nearest);
    zw_text_printf(t, "%s", r->mark_name[i]);
    if (nearest >= 0) {
        zw_text_put(t, ": the nearest point (");
        put_point(r, t, nearest);
        zw_text_put(t, ")");
    }
    zw_text_printf(t, " is in region %d: %s\n", region, zw_regions_words(r, region));
}

const char *zw_regions_text(zw_regions *r) {
    zw_text t;
    zw_allocator alloc = zw_context_allocator(r->ctx);
    zw_text_init(&t, &alloc);
    zw_text_printf(&t, "%d points: %d values of %s, %d of %s\n", r->npoint, r->rows[0],
                   r->over[0].name, r->rows[1], r->over[1].name);
    for (int k = 0; k < r->nkind; k++)
        zw_text_printf(&t, "  region %d: %s (%ld points)\n", k + 1, r->kind[k].words,
                       r->kind[k].points);
    if (count_undecided(r)) {
        zw_text_printf(&t, "  undecided: %ld points, the first at ", count_undecided(r));
        put_point(r, &t, first_undecided(r));
        zw_text_printf(&t, ": %s\n", r->point[first_undecided(r)].why);
    }
    if (r->cycles)
        put_pairs(r, &t);
    for (int i = 0; i < r->options.nmark; i++)
        put_mark(r, &t, i);
    if (r->motions)
        zw_text_printf(&t, "%ld motions\n", r->motions);
    zw_string_free(r->ctx, r->text);
    return r->text = zw_text_take(&t);
}

const char *zw_regions_json(zw_regions *r) {
    zw_text t;
    zw_allocator alloc = zw_context_allocator(r->ctx);
    const zw_region_pairs *p = &r->pairs;
    zw_text_init(&t, &alloc);
    zw_text_printf(&t,
                   "{\"points\": %d, \"undecided\": %ld, \"motions\": %ld, \"cycles_most\": %d,\n",
                   r->npoint, count_undecided(r), r->motions, cycles_most(r));
    zw_text_printf(
        &t,
        "\"pairs\": {\"all\": %ld, \"decided\": %ld, \"hopf\": %ld, \"connection\": %ld, "
        "\"folds_seen\": %ld, \"folds_hidden\": %ld, \"folds_most\": %d, "
        "\"unknown\": %ld},\n\"regions\": [",
        p->all, p->decided, p->hopf, p->connection, p->seen, p->hidden, p->folds_most, p->unknown);
    for (int k = 0; k < r->nkind; k++) {
        zw_text_printf(&t, "%s\n  {\"region\": %d, \"points\": %ld, \"words\": ", k ? "," : "",
                       k + 1, r->kind[k].points);
        zw_text_json(&t, r->kind[k].words);
        zw_text_put(&t, "}");
    }
    zw_text_put(&t, "],\n\"marks\": [");
    for (int i = 0; i < r->options.nmark; i++) {
        int nearest, region = region_of_mark(r, i, &nearest);
        zw_text_put(&t, i ? ",\n  {\"name\": " : "\n  {\"name\": ");
        zw_text_json(&t, r->mark_name[i]);
        zw_text_printf(&t, ", \"region\": %d, \"words\": ", region);
        zw_text_json(&t, zw_regions_words(r, region));
        zw_text_put(&t, "}");
    }
    zw_text_put(&t, "]}\n");
    zw_string_free(r->ctx, r->json);
    return r->json = zw_text_take(&t);
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
