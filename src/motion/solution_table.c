/* SPDX-License-Identifier: MIT */
/* Branches of periodic solutions as a table, and what is uncertain about them. */
#include <assert.h>
#include <math.h>
#include <string.h>

#include "base/arena.h"
#include "solution.h"

/* -------------------------------------------------------------------------------------- table */

/* What filling needs: all columns of a row, of which those that repeat the parameter are left
 * out. */
typedef struct table_rows {
    const zw_solutions *of;
    zw_table *out;
    double *row;
    int multipliers; /* the most of a solution */
    int twin;        /* a column that repeats the parameter of a family (max(x), period); -1 */
    int marks, last; /* special points so far; the branch of the row before */
} table_rows;

static int most_multipliers(const zw_solutions *s) {
    int most = 0;
    for (int i = 0; i < s->n; i++) {
        zw_solution o = s->at(s->self, i);
        if (o.branch >= 0 && o.motion.nmultiplier > most)
            most = o.motion.nmultiplier;
    }
    return most;
}

static zw_status all_columns(const zw_solutions *s, zw_table *t, int multipliers) {
    const char *const others[] = {"period", s->parts, "error", "curve"};
    ZW_TRY(zw_motion_measure_columns(s->sys, t));
    ZW_TRY(zw_motion_stability_columns(t));
    for (size_t i = 0; i < sizeof others / sizeof *others; i++)
        ZW_TRY(zw_table_column(t, others[i], i == 0 ? "s" : ""));
    return zw_motion_multiplier_columns(t, multipliers);
}

static zw_status add_columns(table_rows *r) {
    const zw_parameter_range *over = r->of->over;
    zw_table *all = zw_table_create(zw_table_allocator(r->out));
    zw_status status = all ? all_columns(r->of, all, r->multipliers) : ZW_E_MEMORY;
    if (status >= 0)
        status = zw_table_column(r->out, over->name, over->unit);
    r->twin = status >= 0 ? zw_table_find(all, over->name) : -1;
    for (int i = 0; status >= 0 && i < zw_table_columns(all); i++)
        if (i != r->twin)
            status = zw_table_column(r->out, zw_table_name(all, i), zw_table_unit(all, i));
    zw_table_destroy(all);
    return status;
}

static zw_status fill_row(table_rows *r, const zw_solution *o) {
    const zw_solutions *s = r->of;
    int n = 1;
    if (r->last >= 0 && o->branch != r->last)
        ZW_TRY(zw_motion_fill_nothing(r->out, r->row));
    r->last = o->branch;
    r->row[0] = o->value / s->over->factor;
    n += zw_motion_fill_measures(s->sys, o->motion.measure, r->row + n);
    n += zw_motion_fill_stability(&o->motion, r->row + n);
    r->row[n++] = o->period;
    r->row[n++] = o->parts;
    r->row[n++] = o->error;
    r->row[n++] = o->branch;
    n += zw_motion_fill_multipliers(&o->motion, r->multipliers, r->row + n);
    if (r->twin >= 0)
        memmove(r->row + 1 + r->twin, r->row + 2 + r->twin,
                sizeof(double) * (size_t)(n - 2 - r->twin));
    return zw_table_row(r->out, r->row);
}

static zw_status fill_table(table_rows *r, const zw_model_source *source, zw_error *err) {
    const zw_solutions *s = r->of;
    char label[ZW_ORBITS_LABEL];
    ZW_TRY(add_columns(r));
    ZW_TRY(s->head(s->self, r->out, source));
    for (int i = 0; i < s->n; i++) {
        zw_solution o = s->at(s->self, i);
        if (o.branch < 0)
            continue;
        ZW_TRY(fill_row(r, &o));
        s->label(s->self, i, label);
        if (zw_motion_is_event(o.what))
            ZW_TRY(zw_motion_mark(r->out, r->marks++, o.what, o.value / s->over->factor, label));
        ZW_TRY(s->note(s->writer, i, label, zw_table_rows(r->out) - 1, r->out, err));
    }
    return ZW_OK;
}

zw_status zw_solutions_table(const zw_solutions *s, const zw_model_source *source, zw_table **out,
                             zw_error *err) {
    zw_allocator alloc = zw_context_allocator(s->sys->ctx);
    table_rows r = {.of = s, .multipliers = most_multipliers(s), .last = -1};
    assert(out);
    *out = NULL;
    if (!s->over)
        return zw_fail(err, ZW_E_OPTION, "without a branch there is no table of one");
    size_t bytes = sizeof(double) * (size_t)(ZW_MOTION_MEASURES * zw_motion_quantities(s->sys) +
                                             2 * r.multipliers + 16);
    r.row = zw_allocate(&alloc, bytes);
    r.out = r.row ? zw_table_create(&alloc) : NULL;
    zw_status status = r.out ? fill_table(&r, source, err) : ZW_E_MEMORY;
    zw_release(&alloc, r.row, bytes);
    if (status >= 0) {
        *out = r.out;
        return ZW_OK;
    }
    zw_table_destroy(r.out);
    return zw_fail(err, status, "the table of orbits could not be made");
}

/* ----------------------------------------------------------------------------------- warnings */

/* Multipliers that are unknown, or known to less than three digits. At grazing they have no
 * limit. */
static void warn_multipliers(const zw_solutions *s, zw_warnings *out) {
    int unknown = 0, rough = 0;
    double trivial = 0, error = 0;
    for (int i = 0; i < s->n; i++) {
        zw_solution o = s->at(s->self, i);
        if (o.what == ZW_BIFURCATION_GRAZE)
            continue;
        unknown += s->has_stability && o.motion.nmultiplier == 0;
        rough += o.motion.nmultiplier > 0 &&
                 (o.trivial > ZW_MULTIPLIER_USABLE || o.motion.accuracy > ZW_MULTIPLIER_USABLE);
        trivial = fmax(trivial, isnan(o.trivial) ? 0 : o.trivial);
        error = fmax(error, isnan(o.motion.accuracy) ? 0 : o.motion.accuracy);
    }
    if (unknown) {
        zw_warning d =
            zw_warning_of("multipliers", NAN,
                          "the multipliers of %d of %d orbits could not be found", unknown, s->n);
        zw_warnings_add(out, &d);
    }
    if (rough) {
        bool misses = trivial > ZW_MULTIPLIER_USABLE;
        zw_warning d = zw_warning_of(
            "accuracy", NAN,
            "the multipliers of %d of %d orbits are known to less than three digits: %s %.1e",
            rough, s->n,
            misses ? "the one that must be 1 differs from it by up to" : "their error is up to",
            misses ? trivial : error);
        zw_warning_hint(&d, "%s", s->accuracy_hint);
        zw_warnings_add(out, &d);
    }
}

static void warn_switch(const zw_solutions *s, zw_warnings *out) {
    if (!s->unswitched)
        return;
    zw_warning d = zw_warning_of(
        "switch", NAN,
        "at %d special point%s the branch that leaves there was not found; at %s = %.9g",
        s->unswitched, s->unswitched == 1 ? "" : "s", s->over->name,
        s->unswitched_value / s->over->factor);
    zw_warnings_add(out, &d);
}

static void warn_ends(const zw_solutions *s, int index, zw_warnings *out) {
    zw_solution_branch b = s->branch(s->self, index);
    for (int side = 0; side < 2; side++) {
        const zw_solution_end *e = &b.end[side];
        if (!e->failed)
            continue;
        zw_warning d = zw_warning_of("branch", NAN, "branch %d ends at %s%s%.200s", index,
                                     e->failed, e->why[0] ? ": " : "", e->why);
        zw_warnings_add(out, &d);
    }
}

void zw_solutions_warnings(const zw_solutions *s, zw_warnings *out) {
    warn_multipliers(s, out);
    for (int i = 0; i < s->nbranch; i++) {
        zw_solution_branch b = s->branch(s->self, i);
        zw_contradiction_warning(&b.open, b.nopen, i, s->over, out);
    }
    if (s->curves)
        zw_bifurcation_curves_warnings(s->curves, out);
    warn_switch(s, out);
    for (int i = 0; i < s->nbranch; i++)
        warn_ends(s, i, out);
}
