/* SPDX-License-Identifier: MIT */
/* A diagram as text, JSON and table. */
#include <assert.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/tolerance.h"
#include "diagram.h"
#include "motion/motion_words.h"

#define VALUE_ZERO 1e-10            /* of the range: a value printed as zero */
#define SAME_VALUE ZW_SAME_SOLUTION /* of the range */
enum { DIGITS = 10 };               /* of a value, if its error is smaller */
static const char *word_of(zw_diagram_kind kind) {
    switch (kind) {
    case ZW_DIAGRAM_FOLD:
        return "fold";
    case ZW_DIAGRAM_BRANCH:
        return "branch";
    case ZW_DIAGRAM_HOPF:
        return "hopf";
    case ZW_DIAGRAM_ORBIT_FOLD:
        return "fold of orbits";
    case ZW_DIAGRAM_ORBIT_BRANCH:
        return "branch point of orbits";
    case ZW_DIAGRAM_ORBIT_FLIP:
        return "period doubling";
    case ZW_DIAGRAM_ORBIT_TORUS:
        return "neimark-sacker";
    case ZW_DIAGRAM_HOMOCLINIC:
        return "homoclinic";
    case ZW_DIAGRAM_HETEROCLINIC:
        return "heteroclinic";
    case ZW_DIAGRAM_ORBIT_END:
        return "end of orbits";
    case ZW_DIAGRAM_UNLOCATED:
        return "not located";
    case ZW_DIAGRAM_STEADY_END:
        return "end of steady motions";
    case ZW_DIAGRAM_SHRINKS:
        return "shrinks";
    }
    return "";
}

/* ----------------------------------------------------------------------------------------- text */

void zw_diagram_put_known(zw_text *out, const zw_diagram *d, double value, double error) {
    const zw_parameter_range *o = &d->over;
    double shown = fabs(value) < VALUE_ZERO * fabs(o->to - o->from) ? 0 : value / o->factor;
    zw_text_known(out, shown, error / fabs(o->factor), DIGITS);
}

static void put_number(zw_text *out, const zw_diagram *d, double value) {
    zw_diagram_put_known(out, d, value, 0);
}

/* A bound of a range, with the known digits of its event. */
static void put_bound(zw_text *out, const zw_diagram *d, double value) {
    zw_diagram_put_known(out, d, value, zw_diagram_error_at(d, value));
}

static void put_many(zw_text *out, int n, const char *one, const char *many) {
    zw_text_printf(out, "%d %s", n, n == 1 ? one : many);
}

/* Does a branch end at or in a range because it was not followed? */
static bool is_cut(const zw_diagram *d, const zw_diagram_range *r) {
    double slack = SAME_VALUE * fabs(d->over.to - d->over.from);
    for (int i = 0; i < d->nevent; i++) {
        const zw_diagram_event *e = &d->event[i];
        bool end = e->kind == ZW_DIAGRAM_ORBIT_END || e->kind == ZW_DIAGRAM_STEADY_END || e->open;
        if (end && e->value >= r->from - slack && e->value <= r->to + slack)
            return true;
    }
    return false;
}

/* "2 stable steady motions, 1 unstable; 1 stable orbit" */
static void put_range(zw_text *out, const zw_diagram *d, const zw_diagram_range *r) {
    const zw_parameter_range *o = &d->over;
    int unstable = r->steady - r->steady_stable - r->steady_open - r->steady_unknown,
        others = r->orbits - r->orbits_stable - r->orbits_unknown;
    zw_text_put(out, "    ");
    put_bound(out, d, r->from);
    zw_text_put(out, " to ");
    put_bound(out, d, r->to);
    zw_text_printf(out, "%s%s: ", o->unit[0] ? " " : "", o->unit);
    if (r->steady_stable + r->orbits_stable + r->steady_open == 0)
        zw_text_put(out, "nothing stable was found");
    if (r->steady_stable)
        put_many(out, r->steady_stable, "stable steady motion", "stable steady motions");
    if (r->orbits_stable) {
        zw_text_put(out, r->steady_stable ? ", " : "");
        put_many(out, r->orbits_stable, "stable orbit", "stable orbits");
    }
    if (r->steady_open) {
        zw_text_put(out, r->steady_stable + r->orbits_stable ? ", " : "");
        put_many(out, r->steady_open, "steady motion", "steady motions");
        zw_text_put(out, " of which nothing grows");
    }
    if (unstable + others) {
        zw_text_put(out, "; unstable: ");
        if (unstable)
            put_many(out, unstable, "steady motion", "steady motions");
        if (others) {
            zw_text_put(out, unstable ? ", " : "");
            put_many(out, others, "orbit", "orbits");
        }
    }
    if (r->steady_unknown + r->orbits_unknown) {
        zw_text_put(out, "; not known whether stable: ");
        if (r->steady_unknown)
            put_many(out, r->steady_unknown, "steady motion", "steady motions");
        if (r->orbits_unknown) {
            zw_text_put(out, r->steady_unknown ? ", " : "");
            put_many(out, r->orbits_unknown, "orbit", "orbits");
        }
    }
    if (is_cut(d, r))
        zw_text_put(out, " (not counting branches that were not followed)");
    if (r->varies)
        zw_text_put(out, " (not resolved: the number differs elsewhere in this range)");
    if (r->astray)
        zw_text_printf(out, " (%d of %d runs settled on none of these within their steps)",
                       r->astray, r->runs);
    zw_text_put(out, "\n");
}

char *zw_diagram_text(const zw_diagram *d) {
    const zw_parameter_range *o = &d->over;
    zw_text out;
    zw_allocator alloc = zw_context_allocator(d->sys->ctx);
    zw_text_init(&out, &alloc);
    zw_text_printf(&out, "%s over %s from ", d->sys->name, o->name);
    put_number(&out, d, o->from);
    zw_text_put(&out, " to ");
    put_number(&out, d, o->to);
    zw_text_printf(&out, "%s%s: ", o->unit[0] ? " " : "", o->unit);
    put_many(&out, d->branches->branch.ncurve, "branch of steady motions",
             "branches of steady motions");
    zw_text_put(&out, ", ");
    put_many(&out, d->orbits ? d->orbits->nbranch : 0, "of orbits", "of orbits");
    zw_text_put(&out, "\n  what happens\n");
    for (int i = 0; i < d->nevent; i++) {
        const zw_diagram_event *e = &d->event[i];
        zw_text_printf(&out, "    %s = ", o->name);
        zw_diagram_put_known(&out, d, e->value, e->error);
        zw_text_printf(&out, "%s%s: %s\n", o->unit[0] ? " " : "", o->unit, e->text);
    }
    if (d->nevent == 0)
        zw_text_put(&out, "    nothing that was found\n");
    zw_diagram_put_ends(&out, d);
    zw_text_put(&out, "  what there is between\n");
    for (int i = 0; i < d->nrange; i++)
        put_range(&out, d, &d->range[i]);
    zw_text_printf(&out,
                   "  Found from the start of the model, %d starts at 3 values and what branches "
                   "off: what none of these leads to is not here.\n",
                   d->tried);
    return zw_text_take(&out);
}

/* ----------------------------------------------------------------------------------------- JSON */

/* the object of a report; the report is destroyed */
static void json_report(zw_text *out, zw_report *r) {
    zw_bytes bytes = {0};
    if (!r || zw_report_json(r, &bytes, NULL) < 0)
        out->failed = true;
    zw_text_put(out, bytes.data ? bytes.data : "null");
    zw_bytes_clear(&bytes);
    zw_report_destroy(r);
}

static zw_report *begin_report(const zw_diagram *d) {
    zw_allocator alloc = zw_context_allocator(d->sys->ctx);
    zw_report *r = zw_report_create(&alloc);
    if (r)
        zw_report_word(r, "model", d->sys->name);
    return r;
}

static void json_branches(zw_text *out, const zw_diagram *d) {
    zw_report *r = begin_report(d);
    if (r)
        zw_branches_report(d->branches, r);
    json_report(out, r);
}

static void json_orbits(zw_text *out, const zw_diagram *d) {
    zw_report *r = begin_report(d);
    if (r)
        zw_orbits_report(d->orbits, r);
    json_report(out, r);
}

char *zw_diagram_json(const zw_diagram *d) {
    zw_text out;
    zw_allocator alloc = zw_context_allocator(d->sys->ctx);
    zw_text_init(&out, &alloc);
    zw_text_printf(&out, "{\n\"model\": \"%s\",\n\"over\": \"%s\",\n\"events\": [", d->sys->name,
                   d->over.name);
    for (int i = 0; i < d->nevent; i++) {
        const zw_diagram_event *e = &d->event[i];
        zw_text_printf(&out,
                       "%s\n  {\"kind\": \"%s\", \"value\": %.17g, \"error\": %.3g, \"branch\": "
                       "%d, \"images\": %d, \"text\": ",
                       i ? "," : "", word_of(e->kind), e->value, e->error, e->branch, e->images);
        zw_text_json(&out, e->text);
        zw_text_put(&out, "}");
    }
    zw_text_put(&out, "],\n\"ends of orbits\": [");
    zw_diagram_ends_json(&out, d);
    zw_text_put(&out, "],\n\"ranges\": [");
    for (int i = 0; i < d->nrange; i++) {
        const zw_diagram_range *r = &d->range[i];
        zw_text_printf(
            &out,
            "%s\n  {\"from\": %.17g, \"to\": %.17g, \"steady\": %d, \"stable steady\": %d, "
            "\"undecided steady\": %d, "
            "\"unknown steady\": %d, \"orbits\": %d, \"stable orbits\": %d, \"unknown orbits\": "
            "%d, \"resolved\": %s, \"runs\": %d, \"runs that settled on none\": %d}",
            i ? "," : "", r->from, r->to, r->steady, r->steady_stable, r->steady_open,
            r->steady_unknown, r->orbits, r->orbits_stable, r->orbits_unknown,
            r->varies || is_cut(d, r) ? "false" : "true", r->runs, r->astray);
    }
    zw_text_put(&out, "],\n\"steady motions\": ");
    json_branches(&out, d);
    if (d->orbits) {
        zw_text_put(&out, ",\n\"orbits\": ");
        json_orbits(&out, d);
    }
    zw_text_put(&out, "}\n");
    return zw_text_take(&out);
}

/* ---------------------------------------------------------------------------------------- table */

/* The number of notes "mark 0", "mark 1", ... of the table. */
static int count_special_points(const zw_table *t) {
    char key[40];
    int n = 0;
    do
        snprintf(key, sizeof key, "mark %d", n++);
    while (zw_table_get_note(t, key));
    return n - 1;
}

static void set_cell(const zw_table *t, double *row, const char *name, double value) {
    int k = zw_table_find(t, name);
    if (k >= 0)
        row[k] = value;
}

/* A steady motion as a row of orbits: its extremes are its values. */
static void fill_row(const zw_diagram *d, const zw_table *t, int i, int curves, double *row) {
    static const char *const measures[] = {"rms", "mean", "max", "min", "first"};
    const zw_branches_point *p = &d->branches->branch.point[i], *known = p;
    char name[200];
    for (int k = 0; k < zw_table_columns(t); k++)
        row[k] = NAN;
    while (known->growing < 0 && known > d->branches->branch.point && known[-1].curve == p->curve)
        known--;
    row[0] = p->value / d->over.factor;
    for (int q = 0; q < d->sys->nq; q++)
        for (int m = 0; m < 5; m++) {
            snprintf(name, sizeof name, "%s(%.120s)", measures[m], d->sys->coord[q].name);
            set_cell(t, row, name, m == 0 ? fabs(p->x[q]) : m == 4 ? 0 : p->x[q]);
        }
    set_cell(t, row, "stable",
             known->growing > 0                     ? 0
             : known->growing == 0 && known->stable ? 1
                                                    : (double)NAN);
    set_cell(t, row, "curve", curves + p->curve);
}

/* The row of an orbit; branches are separated by empty rows. */
static long row_of(const zw_orbits *o, int number) {
    long row = -1;
    int last = -1;
    for (int i = 0; i <= number; i++) {
        if (o->motion[i].curve < 0)
            continue;
        row += last >= 0 && o->motion[i].curve != last ? 2 : 1;
        last = o->motion[i].curve;
    }
    return row;
}

/* Note the connections at the ends of orbits as special points. */
static zw_status note_connections(const zw_diagram *d, zw_table *t) {
    int marks = count_special_points(t);
    for (int i = 0; i < d->nevent; i++) {
        const zw_diagram_event *e = &d->event[i];
        if (e->kind != ZW_DIAGRAM_HOMOCLINIC && e->kind != ZW_DIAGRAM_HETEROCLINIC)
            continue;
        char key[40], text[120];
        snprintf(key, sizeof key, "mark %d", marks++);
        snprintf(text, sizeof text, "%s %.17g #%ld", word_of(e->kind), e->value / d->over.factor,
                 row_of(d->orbits, e->orbit));
        ZW_TRY(zw_table_note(t, key, text));
    }
    return ZW_OK;
}

static zw_status fill_steady(const zw_diagram *d, zw_table *t) {
    const zw_branches_list *l = &d->branches->branch;
    int marks = count_special_points(t), curves = d->orbits ? d->orbits->nbranch : 0;
    double *row = ZW_NEW((zw_arena *)&d->arena, double, zw_table_columns(t) + 1);
    if (!row)
        return ZW_E_MEMORY;
    for (int i = 0; i < l->n; i++) {
        const zw_branches_point *p = &l->point[i];
        if (zw_table_rows(t) && (i == 0 || p->curve != p[-1].curve))
            ZW_TRY(zw_motion_fill_nothing(t, row));
        fill_row(d, t, i, curves, row);
        ZW_TRY(zw_table_row(t, row));
        const char *word = zw_branches_word(p->kind);
        if (!word[0])
            continue;
        bool noted = false; /* a crossing is noted on the first branch */
        for (int k = 0; k < i && !noted; k++)
            noted = l->point[k].kind == p->kind && l->point[k].x == p->x;
        if (noted)
            continue;
        char key[40], text[120];
        snprintf(key, sizeof key, "mark %d", marks++);
        snprintf(text, sizeof text, "%s %.17g #%ld", word, row[0], zw_table_rows(t) - 1);
        ZW_TRY(zw_table_note(t, key, text));
    }
    return ZW_OK;
}

/* Turn the row of an orbit into that of its image; observables of the image are unknown. */
static void mirror_row(const zw_diagram *d, const zw_table *t, const bool *flip, int curve,
                       double *row) {
    static const char *const measures[] = {"rms", "mean", "max", "min", "first", "phase"};
    char name[200];
    int column[6];
    for (int q = 0; q < d->sys->nq + d->sys->nobservable; q++) {
        const char *of =
            q < d->sys->nq ? d->sys->coord[q].name : d->sys->observable[q - d->sys->nq].name;
        for (int m = 0; m < 6; m++) {
            snprintf(name, sizeof name, "%s(%.120s)", measures[m], of);
            column[m] = zw_table_find(t, name);
            if (column[m] >= 0 && q >= d->sys->nq)
                row[column[m]] = NAN;
        }
        if (q >= d->sys->nq || !flip[q] || column[1] < 0 || column[2] < 0 || column[3] < 0)
            continue;
        double max = row[column[2]];
        row[column[1]] = -row[column[1]];
        row[column[2]] = -row[column[3]];
        row[column[3]] = -max;
        if (column[5] >= 0)
            row[column[5]] = remainder(row[column[5]] + M_PI, 2 * M_PI);
    }
    set_cell(t, row, "curve", curve);
}

/* The mirror images of branches of orbits, of which one is followed, as branches, so that they are
 * connected with their Hopf points. */
static zw_status fill_images(const zw_diagram *d, zw_table *t) {
    enum { IMAGES = 64 };
    const zw_orbits *o = d->orbits;
    const bool *flip[IMAGES];
    int curve = o->nbranch + d->branches->branch.ncurve, columns = zw_table_columns(t);
    double *row = ZW_NEW((zw_arena *)&d->arena, double, columns + 1);
    if (!row)
        return ZW_E_MEMORY;
    for (int b = 0; b < o->nbranch; b++) {
        const zw_orbits_branch *branch = &o->branch[b];
        int n = branch->n > 0
                    ? zw_diagram_new_images(d, branch->first + branch->n / 2, IMAGES, flip)
                    : 0;
        long first = n ? row_of(o, branch->first) : 0;
        for (int k = 0; k < n; k++, curve++) {
            ZW_TRY(zw_motion_fill_nothing(t, row));
            for (int i = 0; i < branch->n; i++) {
                for (int c = 0; c < columns; c++)
                    row[c] = zw_table_at(t, first + i, c);
                mirror_row(d, t, flip[k], curve, row);
                ZW_TRY(zw_table_row(t, row));
            }
        }
    }
    return ZW_OK;
}

zw_status zw_diagram_table(const zw_diagram *d, const zw_model_source *source, zw_table **out,
                           zw_error *err) {
    assert(out);
    *out = NULL;
    if (!d->orbits || d->orbits->nbranch == 0)
        return zw_branches_table(d->branches, source, out, err);
    ZW_TRY(zw_orbits_table(d->orbits, source, out, err));
    zw_status status = note_connections(d, *out);
    if (status >= 0)
        status = fill_steady(d, *out);
    if (status >= 0)
        status = fill_images(d, *out);
    if (status >= 0)
        return status;
    zw_table_destroy(*out);
    *out = NULL;
    return zw_fail(err, status, "the table of the diagram could not be made");
}
