/* SPDX-License-Identifier: MIT */
/* Curves of special points of orbits as text, as JSON and as a table. */
#include <math.h>
#include <stdio.h>

#include "bifurcation_curves.h"
#include "motion/motion_words.h"
#include "motion/notes.h"

static const char *words_of(zw_orbit_special s) {
    static const char *const words[] = {
        [ZW_ORBIT_USUAL] = "",
        [ZW_ORBIT_CUSP] = "cusp, two folds meet",
        [ZW_ORBIT_FOLD_FLIP] = "fold and period doubling at once",
        [ZW_ORBIT_FOLD_TORUS] = "fold and Neimark-Sacker point at once",
        [ZW_ORBIT_FLIP_TORUS] = "period doubling and Neimark-Sacker point at once",
        [ZW_ORBIT_RESONANCE_1] = "resonance 1:1, two multipliers are 1",
        [ZW_ORBIT_RESONANCE_2] = "resonance 1:2, two multipliers are -1",
        [ZW_ORBIT_RESONANCE_3] = "resonance 1:3",
        [ZW_ORBIT_RESONANCE_4] = "resonance 1:4",
        [ZW_ORBIT_FLIP_DEGENERATE] =
            "generalised period doubling, between super- and subcritical ones",
        [ZW_ORBIT_TORUS_DEGENERATE] =
            "generalised Neimark-Sacker point, between super- and subcritical ones",
        [ZW_ORBIT_GRAZING] = "grazing, the orbit touches an event: the curve ends"};
    return words[s];
}

static const char *name_of(const zw_orbit_mark *m) {
    static const char *const name[] = {[ZW_ORBIT_USUAL] = "",
                                       [ZW_ORBIT_CUSP] = "cusp",
                                       [ZW_ORBIT_FOLD_FLIP] = "fold-flip",
                                       [ZW_ORBIT_FOLD_TORUS] = "fold-torus",
                                       [ZW_ORBIT_FLIP_TORUS] = "flip-torus",
                                       [ZW_ORBIT_RESONANCE_1] = "1:1",
                                       [ZW_ORBIT_RESONANCE_2] = "1:2",
                                       [ZW_ORBIT_RESONANCE_3] = "1:3",
                                       [ZW_ORBIT_RESONANCE_4] = "1:4",
                                       [ZW_ORBIT_FLIP_DEGENERATE] = "generalised-period-doubling",
                                       [ZW_ORBIT_TORUS_DEGENERATE] = "generalised-neimark-sacker",
                                       [ZW_ORBIT_GRAZING] = "grazing"};
    return m->special == ZW_ORBIT_USUAL ? zw_motion_event_word(m->event) : name[m->special];
}

static void put_place(zw_text *out, const zw_bifurcation_curves *k, const zw_parameter_range *over,
                      const zw_orbit_mark *m) {
    zw_text_printf(out, "%s = ", over->name);
    zw_motion_put_value(out, over, m->value);
    zw_text_printf(out, ", %s = ", k->second.name);
    zw_motion_put_value(out, &k->second, m->second);
}

static void put_curve(zw_text *out, const zw_bifurcation_curves *k, const zw_parameter_range *over,
                      const zw_bifurcation_curves_curve *c) {
    static const char *const kind[] = {[ZW_BIFURCATION_FOLD] = "folds",
                                       [ZW_BIFURCATION_BRANCH] = "broken symmetries",
                                       [ZW_BIFURCATION_FLIP] = "period doublings",
                                       [ZW_BIFURCATION_TORUS] = "Neimark-Sacker points",
                                       [ZW_FORCED_GRAZE] = "grazing orbits"};
    const zw_orbit_mark *first = &k->mark[c->first], *last = &k->mark[c->first + c->n - 1];
    zw_text_printf(out, "  %s over %s and %s: %d points from ", kind[first->event], over->name,
                   k->second.name, c->n);
    put_place(out, k, over, first);
    zw_text_put(out, " to ");
    put_place(out, k, over, last);
    zw_text_put(out, c->end[0] == ZW_CONT_CLOSED ? ", closed\n" : "\n");
    for (int i = c->first; i < c->first + c->n; i++)
        if (k->mark[i].special != ZW_ORBIT_USUAL) {
            zw_text_printf(out, "    %s: ", words_of(k->mark[i].special));
            put_place(out, k, over, &k->mark[i]);
            zw_text_put(out, "\n");
        }
}

void zw_bifurcation_curves_put(zw_text *out, const zw_bifurcation_curves *k,
                               const zw_parameter_range *over) {
    if (!k->second.name[0])
        return;
    for (int i = 0; i < k->ncurve; i++)
        put_curve(out, k, over, &k->curve[i]);
    if (!k->ncurve)
        zw_text_printf(out, "  no marks that could be followed over %s\n", k->second.name);
    if (k->crossings)
        zw_text_printf(
            out, "  %d branch point%s not followed (with --symmetry those where it breaks are)\n",
            k->crossings, k->crossings == 1 ? " is" : "s are");
}

void zw_bifurcation_curves_json(zw_text *out, const zw_bifurcation_curves *k) {
    if (!k->second.name[0])
        return;
    zw_text_put(out, ", \"second\": ");
    zw_text_json(out, k->second.name);
    zw_text_put(out, ", \"marks\": [");
    for (int i = 0; i < k->n; i++) {
        const zw_orbit_mark *m = &k->mark[i];
        zw_text_put(out, i ? ",\n{" : "\n{");
        zw_motion_json_number(out, "value", m->value);
        zw_text_put(out, ", ");
        zw_motion_json_number(out, "second", m->second);
        zw_text_put(out, ", ");
        zw_motion_json_number(out, "period", m->period);
        zw_text_put(out, ", ");
        zw_motion_json_number(out, "angle", m->angle);
        zw_text_put(out, ", ");
        zw_motion_json_number(out, "coefficient", m->coefficient);
        zw_text_printf(out, ", \"curve\": %d, \"kind\": \"%s\", \"event\": \"%s\"}", m->curve,
                       zw_motion_event_word(m->event), name_of(m));
    }
    zw_text_put(out, "\n]");
}

void zw_bifurcation_curves_warnings(const zw_bifurcation_curves *k, zw_warnings *out) {
    if (k->unfollowed) {
        zw_warning d = zw_warning_of("marks", NAN, "%d mark%s not be followed over %s: %.150s",
                                     k->unfollowed, k->unfollowed == 1 ? " could" : "s could",
                                     k->second.name, k->unfollowed_why);
        zw_warnings_add(out, &d);
    }
    for (int i = 0; i < k->ncurve; i++)
        for (int side = 0; side < 2; side++) {
            const zw_bifurcation_curves_curve *c = &k->curve[i];
            if (c->end[side] != ZW_CONT_STUCK && c->end[side] != ZW_CONT_POINTS)
                continue;
            zw_warning d =
                zw_warning_of("marks", NAN, "curve %d of marks ends before the range does%s%.200s",
                              i, c->why[side][0] ? ": " : "", c->why[side]);
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

static zw_status fill_table(const zw_bifurcation_curves *k, const zw_bifurcation_curves_origin *of,
                            zw_table *t, double *row, const zw_model_source *source) {
    static const int kind[] = {[ZW_BIFURCATION_FOLD] = 1,
                               [ZW_BIFURCATION_BRANCH] = 2,
                               [ZW_BIFURCATION_FLIP] = 3,
                               [ZW_BIFURCATION_TORUS] = 4,
                               [ZW_FORCED_GRAZE] = 6};
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
        row[n++] = kind[m->event];
        row[n] = m->curve;
        ZW_TRY(zw_table_row(t, row));
        breaks |= m->event == ZW_BIFURCATION_BRANCH;
        grazes |= m->event == ZW_FORCED_GRAZE;
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
        return zw_fail(err, ZW_E_NUMERIC, "there are no marks that could be followed");
    double *row = zw_allocate(&alloc, bytes);
    *out = row ? zw_table_create(&alloc) : NULL;
    zw_status status = *out ? fill_table(k, of, *out, row, source) : ZW_E_MEMORY;
    zw_release(&alloc, row, bytes);
    if (status >= 0)
        return status;
    zw_table_destroy(*out);
    *out = NULL;
    return zw_fail(err, status, "the table of marks could not be made");
}
