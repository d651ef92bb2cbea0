/* SPDX-License-Identifier: MIT */
/* The results of a search as text, as JSON and as a table. */
#include <assert.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/arena.h"
#include "base/text.h"
#include "base/tolerance.h"
#include "equilibria.h"
#include "motion/notes.h"

enum { EXAMINED = 100 }; /* members of a family whose stability is computed */
/* of the size of an entry: beyond the box by more than the error of motions */
#define OUTSIDE ZW_SAME_SOLUTION
#define ENTRY_ROUNDOFF ZW_ROUNDOFF_VALUE /* of the size of an entry: printed as zero */

static const char *plural_ending(int n) {
    return n == 1 ? "" : "s";
}

/* -------------------------------------------------------------------------------------- members */

/* Count the stable, unstable and undecided members of a family; then restore the motion. */
static zw_status count_members(zw_equilibria *e, int number, int count[3], zw_error *err) {
    const zw_search_entry *entry = &e->search.entry[number];
    memset(count, 0, 3 * sizeof *count);
    for (int i = 0; entry->nmember > 1 && i < entry->nmember && i < EXAMINED; i++) {
        zw_error ignored = {0};
        memcpy(e->motion.x, entry->member + (size_t)i * (size_t)e->kernel->nx,
               sizeof(double) * (size_t)e->kernel->nx);
        memcpy(e->problem.value, entry->value, sizeof(double) * (size_t)e->problem.nfree);
        zw_status status =
            zw_steady_solve(&e->motion, e->flow, &e->symmetries, &e->problem, &ignored);
        if (status >= 0)
            status = zw_equilibria_examine(e, &ignored);
        if (status == ZW_E_MEMORY)
            return zw_out_of_memory(err, NULL);
        if (status >= 0)
            count[zw_equilibria_stability(e)]++;
    }
    zw_error ignored = {0};
    return zw_equilibria_select(e, number, &ignored) == ZW_E_MEMORY ? zw_out_of_memory(err, NULL)
                                                                    : ZW_OK;
}

static const char *word_of(zw_stability kind) {
    switch (kind) {
    case ZW_STABLE:
        return "stable";
    case ZW_UNSTABLE:
        return "unstable";
    case ZW_CENTRE:
        return "undecided by linear terms";
    }
    return "";
}

static void put_members(zw_text *out, const zw_equilibria *e, const zw_search_entry *entry,
                        const int count[3]) {
    int kinds = 0;
    if (entry->nmember < 2)
        return;
    zw_text_printf(out, "     members     %d found%s:", entry->nmember,
                   entry->nmember > EXAMINED ? ", the first 100 of them" : "");
    for (int i = 0; i < 3; i++)
        if (count[i])
            zw_text_printf(out, "%s %d %s", kinds++ ? "," : "", count[i], word_of((zw_stability)i));
    for (int k = 0; k < e->zeros.nentry; k++) {
        int i = e->zeros.entry[k];
        double low = INFINITY, high = -INFINITY;
        const char *unit, *name = zw_equilibria_entry(e, i, &unit);
        for (int m = 0; m < entry->nmember; m++) {
            low = fmin(low, entry->member[m * e->kernel->nx + i]);
            high = fmax(high, entry->member[m * e->kernel->nx + i]);
        }
        zw_text_printf(out, "%s%s from %.6g to %.6g%s%s", k || kinds ? "; " : " ", name, low, high,
                       unit[0] ? " " : "", unit);
    }
    zw_text_put(out, "\n");
}

/* ----------------------------------------------------------------------------------------- text */

/* Has a start led to a motion outside its box? */
static bool is_outside(const zw_equilibria *e) {
    for (int i = 0; i < e->nbox; i++) {
        const zw_search_box *b = &e->box[i];
        double x = e->motion.x[b->index], slack = OUTSIDE * e->scale[b->index];
        if (x < b->low - slack || x > b->high + slack)
            return true;
    }
    return false;
}

static void put_entry_head(zw_text *out, const zw_equilibria *e, int number) {
    const zw_search_entry *entry = &e->search.entry[number];
    char potential[100];
    zw_equilibria_potential_words(e, potential, sizeof potential);
    zw_text_printf(out, "%4d %s", number + 1,
                   zw_equilibria_at_rest(e) ? "an equilibrium" : "a steady motion");
    if (entry->nfamily && e->family)
        zw_text_printf(out, ", one of a family of %d parameter%s", entry->nfamily,
                       plural_ending(entry->nfamily));
    if (potential[0])
        zw_text_printf(out, ", %s", potential);
    if (!e->lost && (entry->motion.degenerate || (e->linear_known && !e->family)))
        zw_text_put(out, ", degenerate: solutions meet or branch here");
    if (is_outside(e))
        zw_text_put(out, ", outside the range");
    zw_text_printf(out, "; %d start%s\n", entry->starts, plural_ending(entry->starts));
}

static zw_status put_entry(zw_equilibria *e, zw_text *out, int number, zw_error *err) {
    zw_error trouble = {0};
    int count[3];
    zw_status status = zw_equilibria_select(e, number, &trouble);
    if (status == ZW_E_MEMORY)
        return zw_out_of_memory(err, NULL);
    put_entry_head(out, e, number);
    zw_equilibria_put_values(out, e);
    if (e->warning[0])
        zw_text_printf(out, "     doubtful    %s\n", e->warning);
    if (status < 0) {
        zw_text_put(out, "     no linear equations: ");
        if (trouble.file[0])
            zw_text_printf(out, "%s:%d:%d: ", trouble.file, trouble.line, trouble.column);
        zw_text_printf(out, "%s\n", trouble.text);
        return ZW_OK;
    }
    zw_equilibria_put_short(out, e);
    if (e->search.entry[number].nmember < 2)
        return ZW_OK;
    ZW_TRY(count_members(e, number, count, err));
    put_members(out, e, &e->search.entry[number], count);
    return ZW_OK;
}

/* The fate of the starts, and what follows from it. */
static void put_end(zw_text *out, const zw_equilibria *e) {
    const zw_search *s = &e->search;
    int lost = s->starts - s->found - s->off;
    if (s->stopped)
        zw_text_put(out, "  interrupted\n");
    zw_text_printf(out, "  %d of %d starts led to these", s->found, s->starts);
    if (lost)
        zw_text_printf(out, ", %d nowhere", lost);
    if (s->off)
        zw_text_printf(out, ", %d could not be brought onto the constraints", s->off);
    zw_text_printf(out, "; the last new one was found by start %d", s->last);
    if (s->once)
        zw_text_printf(out, ", and %d of them by one start only: there are probably more", s->once);
    zw_text_printf(out, ".\n  A search is no proof: what no "
                        "start leads to is not in this list (--starts takes more).\n");
}

zw_status zw_equilibria_found_text(zw_equilibria *e, char **result, zw_error *err) {
    zw_text out;
    zw_allocator alloc = zw_context_allocator(e->sys->ctx);
    zw_status status = ZW_OK;
    int n = e->search.n;
    zw_text_init(&out, &alloc);
    zw_text_printf(&out, "%s: %d steady motion%s or famil%s of them found\n", e->sys->name, n,
                   plural_ending(n), n == 1 ? "y" : "ies");
    zw_equilibria_put_symmetry_names(&out, e);
    for (int i = 0; i < n && status >= 0; i++)
        status = put_entry(e, &out, i, err);
    put_end(&out, e);
    *result = zw_text_take(&out);
    return status < 0 ? status : *result ? ZW_OK : zw_out_of_memory(err, NULL);
}

/* ----------------------------------------------------------------------------------------- JSON */

static zw_status put_json_entry(zw_equilibria *e, zw_text *out, int number, zw_error *err) {
    zw_error trouble = {0};
    const zw_search_entry *entry = &e->search.entry[number];
    int count[3] = {0};
    zw_status status = zw_equilibria_select(e, number, &trouble);
    if (status == ZW_E_MEMORY)
        return zw_out_of_memory(err, NULL);
    if (status >= 0 && entry->nmember > 1)
        ZW_TRY(count_members(e, number, count, err));
    zw_text_printf(out,
                   "%s{\n  \"starts\": %d,\n  \"first_start\": %d,\n  \"family_dimension\": %d,\n  "
                   "\"members\": %d,\n  \"members_stable\": %d,\n  \"members_unstable\": %d,\n  "
                   "\"members_undecided\": %d,\n  \"outside\": %s,\n  \"not_linear\": ",
                   number ? ", " : "", entry->starts, entry->first, entry->nfamily, entry->nmember,
                   count[0], count[1], count[2], is_outside(e) ? "true" : "false");
    if (status < 0)
        zw_text_json(out, trouble.text);
    else
        zw_text_put(out, "null");
    zw_text_put(out, ",\n");
    zw_equilibria_put_json(out, e);
    zw_text_put(out, "\n}");
    return ZW_OK;
}

zw_status zw_equilibria_found_json(zw_equilibria *e, char **result, zw_error *err) {
    zw_text out;
    zw_allocator alloc = zw_context_allocator(e->sys->ctx);
    const zw_search *s = &e->search;
    zw_status status = ZW_OK;
    zw_text_init(&out, &alloc);
    zw_text_put(&out, "{\n\"model\": ");
    zw_text_json(&out, e->sys->name);
    zw_text_printf(
        &out,
        ",\n\"starts\": %d,\n\"found\": %d,\n\"nowhere\": %d,\n\"off_constraints\": %d,\n"
        "\"last_new\": %d,\n\"interrupted\": %s,\n\"solutions\": [",
        s->starts, s->found, s->starts - s->found - s->off, s->off, s->last,
        s->stopped ? "true" : "false");
    for (int i = 0; i < s->n && status >= 0; i++)
        status = put_json_entry(e, &out, i, err);
    zw_text_put(&out, "]\n}\n");
    *result = zw_text_take(&out);
    return status < 0 ? status : *result ? ZW_OK : zw_out_of_memory(err, NULL);
}

/* ---------------------------------------------------------------------------------------- table */

static zw_status make_columns(const zw_equilibria *e, zw_table *t) {
    char name[420];
    ZW_TRY(zw_table_column(t, "solution", ""));
    for (int i = 0; i < e->kernel->nx; i++) {
        const char *unit, *entry = zw_equilibria_entry(e, i, &unit);
        ZW_TRY(zw_table_column(t, entry, unit));
    }
    for (int i = 0; i < e->symmetries.n; i++) {
        char unit[64], symmetry[400];
        zw_equilibria_symmetry_name(e, i, symmetry, sizeof symmetry);
        zw_equilibria_rate_unit(e, i, unit, sizeof unit);
        snprintf(name, sizeof name, "rate(%s)", symmetry);
        ZW_TRY(zw_table_column(t, name, unit));
    }
    for (int i = 0; i < e->eq.nc; i++) {
        const zw_constraint *k = &e->sys->constraint[e->eq.constraint[i]];
        snprintf(name, sizeof name, "lambda(%s)", k->name);
        ZW_TRY(zw_table_column(t, name, k->lambda_unit));
    }
    ZW_TRY(zw_table_column(t, "down", ""));
    ZW_TRY(zw_table_column(t, "family", ""));
    ZW_TRY(zw_table_column(t, "starts", ""));
    return zw_table_column(t, "stable", "");
}

/* 1 if stable, 0 if not, NaN where linear terms do not decide. */
static double stable_number(const zw_equilibria *e) {
    zw_stability s = zw_equilibria_stability(e);
    return s == ZW_UNSTABLE ? 0 : s == ZW_STABLE || zw_equilibria_is_minimum(e) ? 1 : (double)NAN;
}

static zw_status put_row(zw_equilibria *e, zw_table *t, int number, double *row, zw_error *err) {
    zw_error trouble = {0};
    const zw_search_entry *entry = &e->search.entry[number];
    int n = 0;
    zw_status status = zw_equilibria_select(e, number, &trouble);
    if (status == ZW_E_MEMORY)
        return zw_out_of_memory(err, NULL);
    row[n++] = number + 1;
    for (int i = 0; i < e->kernel->nx; i++)
        row[n++] = fabs(e->motion.x[i]) < ENTRY_ROUNDOFF * e->scale[i] ? 0 : e->motion.x[i];
    for (int i = 0; i < e->symmetries.n; i++)
        row[n++] = e->motion.c[i];
    for (int i = 0; i < e->eq.nc; i++)
        row[n++] = e->motion.z[e->eq.nv + i];
    row[n++] = e->curvature.known ? (double)e->curvature.down : (double)NAN;
    row[n++] = entry->nfamily;
    row[n++] = entry->starts;
    row[n++] = status < 0 ? (double)NAN : stable_number(e);
    return zw_table_row(t, row);
}

zw_status zw_equilibria_found_table(zw_equilibria *e, const zw_model_source *source, zw_table **out,
                                    zw_error *err) {
    assert(out);
    zw_allocator alloc = zw_context_allocator(e->sys->ctx);
    double *row = ZW_NEW(&e->arena, double, e->kernel->nx + e->symmetries.n + e->eq.nc + 8);
    zw_table *t = zw_table_create(&alloc);
    zw_status status = t && row ? make_columns(e, t) : ZW_E_MEMORY;
    if (status >= 0)
        status = zw_study_notes(t, e, source, "steady motions");
    for (int i = 0; i < e->search.n && status >= 0; i++)
        status = put_row(e, t, i, row, err);
    if (status < 0) {
        zw_table_destroy(t);
        return status == ZW_E_MEMORY ? zw_out_of_memory(err, NULL) : status;
    }
    *out = t;
    return ZW_OK;
}
