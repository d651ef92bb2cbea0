/* SPDX-License-Identifier: MIT */
/* Curves of special points of orbits in a report and as a table. */
#include <math.h>
#include <stdio.h>

#include "bifurcation_curves.h"
#include "motion/motion_report.h"
#include "motion/notes.h"

static const char *words_of(zw_orbit_special s) {
    switch (s) {
    case ZW_ORBIT_CUSP:
        return "cusp, two folds meet";
    case ZW_ORBIT_FOLD_FLIP:
        return "fold and period doubling at once";
    case ZW_ORBIT_FOLD_TORUS:
        return "fold and Neimark-Sacker point at once";
    case ZW_ORBIT_FLIP_TORUS:
        return "period doubling and Neimark-Sacker point at once";
    case ZW_ORBIT_RESONANCE_1:
        return "resonance 1:1, two multipliers are 1";
    case ZW_ORBIT_RESONANCE_2:
        return "resonance 1:2, two multipliers are -1";
    case ZW_ORBIT_RESONANCE_3:
        return "resonance 1:3";
    case ZW_ORBIT_RESONANCE_4:
        return "resonance 1:4";
    case ZW_ORBIT_FLIP_DEGENERATE:
        return "generalised period doubling, between super- and subcritical ones";
    case ZW_ORBIT_TORUS_DEGENERATE:
        return "generalised Neimark-Sacker point, between super- and subcritical ones";
    case ZW_ORBIT_GRAZING:
        return "grazing, the orbit touches an event: the curve ends";
    case ZW_ORBIT_USUAL:
        break;
    }
    return "";
}

static const char *special_name(zw_orbit_special kind) {
    switch (kind) {
    case ZW_ORBIT_CUSP:
        return "cusp";
    case ZW_ORBIT_FOLD_FLIP:
        return "fold-flip";
    case ZW_ORBIT_FOLD_TORUS:
        return "fold-torus";
    case ZW_ORBIT_FLIP_TORUS:
        return "flip-torus";
    case ZW_ORBIT_RESONANCE_1:
        return "1:1";
    case ZW_ORBIT_RESONANCE_2:
        return "1:2";
    case ZW_ORBIT_RESONANCE_3:
        return "1:3";
    case ZW_ORBIT_RESONANCE_4:
        return "1:4";
    case ZW_ORBIT_FLIP_DEGENERATE:
        return "generalised-period-doubling";
    case ZW_ORBIT_TORUS_DEGENERATE:
        return "generalised-neimark-sacker";
    case ZW_ORBIT_GRAZING:
        return "grazing";
    case ZW_ORBIT_USUAL:
        break;
    }
    return "";
}

static const char *name_of(const zw_orbit_mark *m) {
    return m->special == ZW_ORBIT_USUAL ? zw_motion_event_word(m->event) : special_name(m->special);
}

/* curves with the parameters to which they belong */
typedef struct curves_view {
    const zw_bifurcation_curves *curves;
    const zw_parameter_range *over;
    const zw_system *sys;
} curves_view;

static const char *curves_of(zw_bifurcation kind) {
    switch (kind) {
    case ZW_BIFURCATION_FOLD:
        return "folds";
    case ZW_BIFURCATION_BRANCH:
        return "broken symmetries";
    case ZW_BIFURCATION_FLIP:
        return "period doublings";
    case ZW_BIFURCATION_TORUS:
        return "Neimark-Sacker points";
    case ZW_BIFURCATION_GRAZE:
        return "grazing orbits";
    case ZW_BIFURCATION_POINT:
    case ZW_BIFURCATION_END:
        break;
    }
    return "";
}

static void report_place(const curves_view *v, const char *first, const char *second,
                         const zw_orbit_mark *m, zw_report *out) {
    zw_shown a = zw_motion_shown(v->sys, v->over, 0),
             b = zw_motion_shown(v->sys, &v->curves->second, 0);
    zw_report_number(out, first, m->value, &a);
    zw_report_number(out, second, m->second, &b);
}

static void report_point(const curves_view *v, const zw_orbit_mark *m, zw_report *out) {
    zw_report_open(out, NULL);
    report_place(v, "value", "second_value", m, out);
    zw_report_number(out, "period", m->period, &(zw_shown){.unit = v->sys->no_units ? "" : "s"});
    zw_report_number(out, "angle", m->angle, NULL);
    zw_report_number(out, "coefficient", m->coefficient, NULL);
    zw_report_count(out, "curve", m->curve);
    zw_report_word(out, "kind", zw_motion_event_word(m->event));
    zw_report_word(out, "bifurcation", name_of(m));
    if (m->special != ZW_ORBIT_USUAL) {
        zw_report_word(out, "meaning", words_of(m->special));
        zw_report_say(out,
                      "    {meaning}: {over} = {value}, {second_parameter} = {second_value}\n");
    }
    zw_report_close(out);
}

static void report_curve(const curves_view *v, int index, zw_report *out) {
    const zw_bifurcation_curves_curve *c = &v->curves->curve[index];
    const zw_orbit_mark *first = &v->curves->mark[c->first], *last = first + c->n - 1;
    zw_report_open(out, NULL);
    zw_report_count(out, "number", index);
    zw_report_count(out, "count", c->n);
    zw_report_word(out, "of", curves_of(first->event));
    zw_report_flag(out, "closed", c->end[0] == ZW_CONT_CLOSED);
    report_place(v, "from", "second_from", first, out);
    report_place(v, "to", "second_to", last, out);
    zw_report_say(out, "  {of} over {over} and {second_parameter}: {count|point|points} from "
                       "{over} = {from}, {second_parameter} = {second_from} to {over} = {to}, "
                       "{second_parameter} = {second_to}{closed?, closed}\n");
    zw_report_list(out, "points");
    for (int i = 0; i < c->n; i++)
        report_point(v, &first[i], out);
    zw_report_close(out);
    zw_report_close(out);
}

void zw_bifurcation_curves_report(zw_report *out, const zw_bifurcation_curves *k,
                                  const zw_parameter_range *over, const zw_system *sys) {
    const curves_view v = {k, over, sys};
    if (!k->second.name[0])
        return;
    zw_report_word(out, "second_parameter", k->second.name);
    zw_report_list(out, "curves");
    for (int i = 0; i < k->ncurve; i++)
        report_curve(&v, i, out);
    zw_report_close(out);
    zw_report_count(out, "branch_points_not_followed", k->crossings);
    zw_report_say(out, "{curves!  no special points that could be followed over "
                       "{second_parameter}: --out and --picture show the branch\n}");
    zw_report_say(out, "{branch_points_not_followed?  {branch_points_not_followed|branch point "
                       "is|branch points are} not followed (with --symmetry those where it breaks "
                       "are)\n}");
}

void zw_bifurcation_curves_warnings(const zw_bifurcation_curves *k, zw_warnings *out) {
    if (k->unfollowed) {
        zw_warning d = zw_warning_of(
            "marks", NAN, "%d special point%s not be followed over %s: %.150s", k->unfollowed,
            k->unfollowed == 1 ? " could" : "s could", k->second.name, k->unfollowed_why);
        zw_warnings_add(out, &d);
    }
    for (int i = 0; i < k->ncurve; i++)
        for (int side = 0; side < 2; side++) {
            const zw_bifurcation_curves_curve *c = &k->curve[i];
            if (c->end[side] != ZW_CONT_STUCK && c->end[side] != ZW_CONT_POINTS)
                continue;
            zw_warning d = zw_warning_of(
                "marks", NAN, "curve %d of special points ends before the range does%s%.200s", i,
                c->why[side][0] ? ": " : "", c->why[side]);
            zw_warnings_add(out, &d);
        }
}

static zw_status begin_table(const zw_bifurcation_curves *k, const zw_bifurcation_curves_origin *of,
                             zw_table *t, const zw_model_source *source) {
    static const char *const others[] = {"period", "angle", "coefficient", "kind", "curve"};
    static const char *const units[] = {"s", "rad", "", "", ""};
    char key[ZW_PARAMETER_RANGE_NAME + 8];
    ZW_TRY(zw_table_column(t, of->over->name, of->over->unit));
    ZW_TRY(zw_table_column(t, k->second.name, k->second.unit));
    ZW_TRY(zw_motion_measure_columns(of->sys, t));
    for (size_t i = 0; i < sizeof others / sizeof *others; i++)
        ZW_TRY(zw_table_column(t, others[i], units[i]));
    ZW_TRY(zw_study_origin(t, of->sys, of->principle, of->p, of->active, source, "marks"));
    for (int i = 0; i < 2; i++) { /* both parameters vary: they have no single value */
        snprintf(key, sizeof key, "param %s", i ? k->second.name : of->over->name);
        zw_table_remove_note(t, key);
    }
    return ZW_OK;
}

/* the number of a kind of special points in the column kind */
static int column_of(zw_bifurcation kind) {
    switch (kind) {
    case ZW_BIFURCATION_FOLD:
        return 1;
    case ZW_BIFURCATION_BRANCH:
        return 2;
    case ZW_BIFURCATION_FLIP:
        return 3;
    case ZW_BIFURCATION_TORUS:
        return 4;
    case ZW_BIFURCATION_GRAZE:
        return 6;
    case ZW_BIFURCATION_POINT:
    case ZW_BIFURCATION_END:
        break;
    }
    return 0;
}

static zw_status fill_table(const zw_bifurcation_curves *k, const zw_bifurcation_curves_origin *of,
                            zw_table *t, double *row, const zw_model_source *source) {
    char key[ZW_PARAMETER_RANGE_NAME + 8], text[120];
    int specials = 0;
    bool grazes = false, breaks = false;
    ZW_TRY(begin_table(k, of, t, source));
    for (int i = 0; i < k->n; i++) {
        const zw_orbit_mark *m = &k->mark[i];
        if (i && m->curve != m[-1].curve)
            ZW_TRY(zw_motion_fill_nothing(t, row));
        row[0] = m->value / of->over->factor;
        row[1] = m->second / k->second.factor;
        int n = 2 + zw_motion_fill_measures(of->sys, m->measure, row + 2);
        row[n++] = m->period;
        row[n++] = m->angle;
        row[n++] = m->coefficient;
        row[n++] = column_of(m->event);
        row[n] = m->curve;
        ZW_TRY(zw_table_row(t, row));
        breaks |= m->event == ZW_BIFURCATION_BRANCH;
        grazes |= m->event == ZW_BIFURCATION_GRAZE;
        if (m->special == ZW_ORBIT_USUAL)
            continue;
        snprintf(key, sizeof key, "mark %d", specials++);
        snprintf(text, sizeof text, "%s %.17g #%ld", name_of(m), row[0], zw_table_rows(t) - 1);
        ZW_TRY(zw_table_note(t, key, text));
    }
    ZW_TRY(zw_table_note(t, "part kind 1", "\"folds of orbits\""));
    if (breaks)
        ZW_TRY(zw_table_note(t, "part kind 2", "\"broken symmetries\""));
    ZW_TRY(zw_table_note(t, "part kind 3", "\"period doublings\""));
    ZW_TRY(zw_table_note(t, "part kind 4", "\"Neimark-Sacker points\""));
    if (grazes)
        ZW_TRY(zw_table_note(t, "part kind 6", "\"grazing\""));
    return zw_table_note(t, "parts", "kind");
}

zw_status zw_bifurcation_curves_table(const zw_bifurcation_curves *k,
                                      const zw_bifurcation_curves_origin *of,
                                      const zw_model_source *source, zw_table **out,
                                      zw_error *err) {
    zw_allocator alloc = zw_context_allocator(of->sys->ctx);
    size_t bytes = sizeof(double) * (size_t)(ZW_MOTION_MEASURES * of->nquantity + 16);
    *out = NULL;
    if (!k->n)
        return zw_fail(err, ZW_E_NUMERIC, "there are no special points that could be followed");
    double *row = zw_allocate(&alloc, bytes);
    *out = row ? zw_table_create(&alloc) : NULL;
    zw_status status = *out ? fill_table(k, of, *out, row, source) : ZW_E_MEMORY;
    zw_release(&alloc, row, bytes);
    if (status >= 0)
        return status;
    zw_table_destroy(*out);
    *out = NULL;
    return zw_fail(err, status, "the table of special points could not be made");
}
