/* SPDX-License-Identifier: MIT */
/* A diagram as a report and as a table. */
#include <assert.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/tolerance.h"
#include "diagram.h"
#include "motion/motion_report.h"

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

/* --------------------------------------------------------------------------------------- report */

void zw_diagram_report_value(const zw_diagram *d, const char *key, double value, double error,
                             zw_report *r) {
    const zw_parameter_range *o = &d->over;
    zw_shown how = zw_motion_shown(d->sys, o, error);
    how.digits = DIGITS;
    bool zero = fabs(value) < VALUE_ZERO * fabs(o->to - o->from);
    zw_report_number(r, key, zero ? 0 : value, &how);
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

/* "; unstable: 2 equilibria, 1 orbit": counts of both kinds after words, if there are any */
static void say_both(zw_report *r, const char *words, int steady, int orbits, const char *nouns,
                     const char *orbit_nouns) {
    if (steady + orbits == 0)
        return;
    zw_report_say(r, words);
    zw_report_say(r, steady ? nouns : "");
    zw_report_say(r, steady && orbits ? ", " : "");
    zw_report_say(r, orbits ? orbit_nouns : "");
}

/* "2 stable equilibria, 1 unstable; 1 stable orbit" */
static void say_range(const zw_diagram_range *n, zw_report *r) {
    int unstable = n->steady - n->steady_stable - n->steady_open - n->steady_unknown,
        others = n->orbits - n->orbits_stable - n->orbits_unknown;
    zw_report_count(r, "unstable_steady", unstable);
    zw_report_count(r, "unstable_orbits", others);
    zw_report_say(r, "    {from} to {to}: ");
    if (n->steady_stable + n->orbits_stable + n->steady_open == 0)
        zw_report_say(r, "nothing stable was found");
    say_both(r, "", n->steady_stable, n->orbits_stable,
             "{stable_steady|stable steady motion|stable steady motions}",
             "{stable_orbits|stable orbit|stable orbits}");
    say_both(r, n->steady_stable + n->orbits_stable ? ", " : "", n->steady_open, 0,
             "{undecided_steady|neutrally stable steady motion|neutrally stable steady motions}",
             "");
    say_both(r, "; unstable: ", unstable, others, "{unstable_steady|steady motion|steady motions}",
             "{unstable_orbits|orbit|orbits}");
    say_both(r, "; stability unknown: ", n->steady_unknown, n->orbits_unknown,
             "{unknown_steady|steady motion|steady motions}", "{unknown_orbits|orbit|orbits}");
}

static void report_range(const zw_diagram *d, const zw_diagram_range *n, zw_report *r) {
    bool cut = is_cut(d, n);
    zw_diagram_report_value(d, "from", n->from, zw_diagram_error_at(d, n->from), r);
    zw_diagram_report_value(d, "to", n->to, zw_diagram_error_at(d, n->to), r);
    zw_report_count(r, "steady", n->steady);
    zw_report_count(r, "stable_steady", n->steady_stable);
    zw_report_count(r, "undecided_steady", n->steady_open);
    zw_report_count(r, "unknown_steady", n->steady_unknown);
    zw_report_count(r, "orbits", n->orbits);
    zw_report_count(r, "stable_orbits", n->orbits_stable);
    zw_report_count(r, "unknown_orbits", n->orbits_unknown);
    zw_report_flag(r, "resolved", !n->varies && !cut);
    zw_report_count(r, "runs", n->runs);
    zw_report_count(r, "unsettled_runs", n->astray);
    say_range(n, r);
    if (cut)
        zw_report_say(r, " (without branches that were not followed)");
    if (n->varies)
        zw_report_say(r, " (not resolved: the number differs elsewhere in this range)");
    zw_report_say(r, "{unsettled_runs? ({unsettled_runs} of {runs} runs settled on none of these "
                     "within their steps)}\n");
}

static void report_event(const zw_diagram *d, const zw_diagram_event *e, zw_report *r) {
    zw_report_word(r, "kind", word_of(e->kind));
    zw_diagram_report_value(d, "value", e->value, e->error, r);
    zw_report_count(r, "branch", e->branch);
    zw_report_count(r, "images", e->images);
    zw_report_word(r, "text", e->text);
    zw_report_say(r, "    {over} = {value}: {text}\n");
}

static void report_events(const zw_diagram *d, zw_report *r) {
    zw_report_say(r, "  events\n");
    zw_report_list(r, "events");
    for (int i = 0; i < d->nevent; i++) {
        zw_report_open(r, NULL);
        report_event(d, &d->event[i], r);
        zw_report_close(r);
    }
    zw_report_close(r);
    zw_report_say(r, d->nevent ? "" : "    none were found\n");
}

static void report_ranges(const zw_diagram *d, zw_report *r) {
    zw_report_say(r, "  solutions between them\n");
    zw_report_list(r, "ranges");
    for (int i = 0; i < d->nrange; i++) {
        zw_report_open(r, NULL);
        report_range(d, &d->range[i], r);
        zw_report_close(r);
    }
    zw_report_close(r);
}

/* Branches in full, for programs. */
static void report_branches(const zw_diagram *d, zw_report *r) {
    bool muted = zw_report_mute(r, true);
    zw_report_open(r, "steady_motions");
    zw_branches_report(d->branches, r);
    zw_report_close(r);
    if (d->orbits) {
        zw_report_open(r, "orbits");
        zw_orbits_report(d->orbits, r);
        zw_report_close(r);
    }
    zw_report_mute(r, muted);
}

void zw_diagram_report(const zw_diagram *d, zw_report *out) {
    zw_report_word(out, "over", d->over.name);
    zw_diagram_report_value(d, "from", d->over.from, 0, out);
    zw_diagram_report_value(d, "to", d->over.to, 0, out);
    zw_report_count(out, "branch_count", d->branches->branch.ncurve);
    zw_report_count(out, "orbit_branch_count", d->orbits ? d->orbits->nbranch : 0);
    zw_report_count(out, "starts", d->tried);
    zw_report_say(out, "{model} over {over} from {from} to {to}: {branch_count|branch|branches} of "
                       "steady motions, {orbit_branch_count} of orbits\n");
    report_events(d, out);
    zw_diagram_report_ends(d, out);
    report_ranges(d, out);
    zw_report_say(out, "  Found from the start of the model, {starts} starts at 3 values and what "
                       "branches off: solutions that none of these leads to are missing.\n");
    report_branches(d, out);
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

/* Pictures show the extremes of the first coordinate. */
static zw_status note_panel(const zw_diagram *d, zw_table *t) {
    char panel[300];
    if (d->sys->nq == 0)
        return ZW_OK;
    const char *q = d->sys->coord[0].name;
    snprintf(panel, sizeof panel, "max(%.60s)+min(%.60s):%.60s", q, q, zw_table_name(t, 0));
    return zw_table_note(t, "panel", panel);
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
        status = note_panel(d, *out);
    if (status >= 0)
        return status;
    zw_table_destroy(*out);
    *out = NULL;
    return zw_fail(err, status, "the table of the diagram could not be made");
}
