/* SPDX-License-Identifier: MIT */
/* The results of a search as a report and as a table. */
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

/* the range of an entry of the state over the members */
static void report_span(const zw_equilibria *e, const zw_search_entry *entry, int i, zw_report *r) {
    double low = INFINITY, high = -INFINITY;
    const char *unit, *name = zw_equilibria_entry(e, i, &unit);
    for (int m = 0; m < entry->nmember; m++) {
        low = fmin(low, entry->member[m * e->kernel->nx + i]);
        high = fmax(high, entry->member[m * e->kernel->nx + i]);
    }
    zw_report_open(r, NULL);
    zw_report_word(r, "name", name);
    zw_report_number(r, "low", low, &(zw_shown){.digits = 6});
    zw_report_number(r, "high", high, &(zw_shown){.unit = unit, .digits = 6});
    zw_report_say(r, "; {name} from {low} to {high}");
    zw_report_close(r);
}

static void report_members(zw_equilibria *e, int number, zw_report *r) {
    const zw_search_entry *entry = &e->search.entry[number];
    int count[3] = {0};
    zw_error ignored = {0};
    if (e->linear_known && count_members(e, number, count, &ignored) < 0)
        zw_report_fail(r);
    zw_report_open(r, "members");
    zw_report_count(r, "count", entry->nmember);
    zw_report_count(r, "stable", count[ZW_STABLE]);
    zw_report_count(r, "unstable", count[ZW_UNSTABLE]);
    zw_report_count(r, "undecided", count[ZW_CENTRE]);
    bool listed = e->linear_known && entry->nmember > 1;
    if (listed) {
        zw_report_say(r, entry->nmember > EXAMINED
                             ? "     members     {count} found, the first 100 of them: "
                             : "     members     {count} found: ");
        zw_report_say(r, "{stable} stable, {unstable} unstable, {undecided} undecided by linear "
                         "terms");
    }
    zw_report_list(r, "spans");
    for (int k = 0; listed && k < e->zeros.nentry; k++)
        report_span(e, entry, e->zeros.entry[k], r);
    zw_report_close(r);
    if (listed)
        zw_report_say(r, "\n");
    zw_report_close(r);
}

/* --------------------------------------------------------------------------------------- report */

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

static void report_entry_head(const zw_equilibria *e, int number, zw_report *r) {
    const zw_search_entry *entry = &e->search.entry[number];
    char potential[100];
    zw_equilibria_potential_words(e, potential, sizeof potential);
    zw_report_count(r, "number", number + 1);
    zw_report_word(r, "kind", zw_equilibria_kind(e));
    zw_report_count(r, "starts", entry->starts);
    zw_report_count(r, "first_start", entry->first);
    zw_report_count(r, "family_dimension", entry->nfamily);
    zw_report_flag(r, "outside", is_outside(e));
    zw_report_word(r, "potential_words", potential);
    zw_report_say(r, "{number:4} {kind}");
    if (entry->nfamily && e->family)
        zw_report_say(r, ", one of a family with {family_dimension|parameter|parameters}");
    zw_report_say(r, "{potential_words?, {potential_words}}");
    if (!e->lost && (entry->motion.degenerate || (e->linear_known && !e->family)))
        zw_report_say(r, ", degenerate: branches meet or bifurcate here");
    zw_report_say(r, "{outside?, outside the range}; {starts|start|starts}\n");
}

static void report_entry(zw_equilibria *e, int number, zw_report *r) {
    zw_error trouble = {0};
    zw_status status = zw_equilibria_select(e, number, &trouble);
    if (status == ZW_E_MEMORY) {
        zw_report_fail(r);
        return;
    }
    report_entry_head(e, number, r);
    zw_equilibria_report_motion(e, true, r);
    zw_report_word(r, "place", status < 0 && trouble.file[0] ? trouble.file : NULL);
    zw_report_count(r, "line", trouble.line);
    zw_report_count(r, "column", trouble.column);
    zw_report_word(r, "no_linear_equations", status < 0 ? trouble.text : NULL);
    zw_report_say(r, "{no_linear_equations?     no linear equations: "
                     "{place?{place}:{line}:{column}: }{no_linear_equations}\n}");
    report_members(e, number, r);
}

/* What became of the starts, and what follows from it. */
static void report_starts(const zw_equilibria *e, zw_report *r) {
    const zw_search *s = &e->search;
    zw_report_count(r, "starts", s->starts);
    zw_report_count(r, "found", s->found);
    zw_report_count(r, "nowhere", s->starts - s->found - s->off);
    zw_report_count(r, "off_constraints", s->off);
    zw_report_count(r, "last_new", s->last);
    zw_report_count(r, "found_once", s->once);
    zw_report_say(r, "{stopped?  stopped\n}  {found} of {starts} starts led to these{nowhere?, "
                     "{nowhere} nowhere}{off_constraints?, {off_constraints} could not be brought "
                     "onto the constraints}; start {last_new} found the last new one{found_once?, "
                     "and {found_once} of them were found by one start only: there are probably "
                     "more}.\n  A search is no proof: what no start leads to is not in this list "
                     "(--starts takes more).\n");
}

static void report_symmetry_names(const zw_equilibria *e, zw_report *r) {
    char text[64][400];
    const char *name[64];
    int n = e->symmetries.n < 64 ? e->symmetries.n : 64;
    for (int i = 0; i < n; i++) {
        zw_equilibria_symmetry_name(e, i, text[i], sizeof text[i]);
        name[i] = text[i];
    }
    zw_report_words(r, "symmetry_names", n, name);
    zw_report_say(r, "{symmetry_names?  symmetries: {symmetry_names}\n}");
}

void zw_equilibria_found_report(zw_equilibria *e, zw_report *r) {
    zw_report_count(r, "solution_count", e->search.n);
    zw_report_say(r, "{model}: {solution_count|equilibrium, relative equilibrium or family of "
                     "them|equilibria, relative equilibria or families of them} found\n");
    report_symmetry_names(e, r);
    zw_equilibria_report_inputs(e, r);
    zw_report_list(r, "solutions");
    for (int i = 0; i < e->search.n; i++) {
        zw_report_open(r, NULL);
        report_entry(e, i, r);
        zw_report_close(r);
    }
    zw_report_close(r);
    report_starts(e, r);
}

/* ---------------------------------------------------------------------------------------- table */

zw_status zw_equilibria_columns(const zw_equilibria *e, zw_table *t, int nrate, const char *skip) {
    char name[420];
    for (int i = 0; i < e->kernel->nx; i++) {
        const char *unit, *entry = zw_equilibria_entry(e, i, &unit);
        if (!skip || strcmp(entry, skip) != 0)
            ZW_TRY(zw_table_column(t, entry, unit));
    }
    for (int i = 0; i < nrate; i++) {
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
    return ZW_OK;
}

static zw_status make_columns(const zw_equilibria *e, zw_table *t) {
    ZW_TRY(zw_table_column(t, "solution", ""));
    ZW_TRY(zw_equilibria_columns(e, t, e->symmetries.n, NULL));
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

/* the motion as solution `number` */
static zw_status put_motion(zw_equilibria *e, zw_table *t, int number, int family, int starts,
                            double stable, double *row) {
    int n = 0;
    row[n++] = number;
    for (int i = 0; i < e->kernel->nx; i++)
        row[n++] = fabs(e->motion.x[i]) < ENTRY_ROUNDOFF * e->scale[i] ? 0 : e->motion.x[i];
    for (int i = 0; i < e->symmetries.n; i++)
        row[n++] = e->motion.c[i];
    for (int i = 0; i < e->eq.nc; i++)
        row[n++] = e->motion.z[e->eq.nv + i];
    row[n++] = e->curvature.known ? (double)e->curvature.down : (double)NAN;
    row[n++] = family;
    row[n++] = starts;
    row[n++] = stable;
    return zw_table_row(t, row);
}

static zw_status put_rows(zw_equilibria *e, zw_table *t, double *row) {
    if (e->search.n == 0)
        return put_motion(e, t, 1, e->linear.nfamily, 1, stable_number(e), row);
    for (int i = 0; i < e->search.n; i++) {
        const zw_search_entry *entry = &e->search.entry[i];
        zw_error ignored = {0};
        zw_status status = zw_equilibria_select(e, i, &ignored);
        if (status == ZW_E_MEMORY)
            return status;
        ZW_TRY(put_motion(e, t, i + 1, entry->nfamily, entry->starts,
                          status < 0 ? (double)NAN : stable_number(e), row));
    }
    return ZW_OK;
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
    if (status >= 0)
        status = put_rows(e, t, row);
    if (status < 0) {
        zw_table_destroy(t);
        return status == ZW_E_MEMORY ? zw_out_of_memory(err, NULL) : status;
    }
    *out = t;
    return ZW_OK;
}
