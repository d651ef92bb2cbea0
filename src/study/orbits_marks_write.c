/* SPDX-License-Identifier: MIT */
/* Curves of marks of orbits in words, as JSON and as a table. */
#include <math.h>
#include <stdio.h>

#include "motion_words.h"
#include "notes.h"
#include "orbits.h"

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
            "generalised Neimark-Sacker point, between super- and subcritical ones"};
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
                                       [ZW_ORBIT_TORUS_DEGENERATE] = "generalised-neimark-sacker"};
    return m->special == ZW_ORBIT_USUAL ? zw_motion_event_word(m->event) : name[m->special];
}

static void put_place(zw_text *out, const zw_orbits *o, const zw_orbit_mark *m) {
    zw_text_printf(out, "%s = %.10g%s%s, %s = %.10g%s%s", o->over.name, m->value / o->over.factor,
                   o->over.unit[0] ? " " : "", o->over.unit, o->second.name,
                   m->second / o->second.factor, o->second.unit[0] ? " " : "", o->second.unit);
}

static void put_locus(zw_text *out, const zw_orbits *o, const zw_orbits_locus *l) {
    static const char *const kind[] = {[ZW_FORCED_FOLD] = "folds",
                                       [ZW_FORCED_FLIP] = "period doublings",
                                       [ZW_FORCED_TORUS] = "Neimark-Sacker points"};
    const zw_orbit_mark *first = &o->mark[l->first], *last = &o->mark[l->first + l->n - 1];
    zw_text_printf(out, "  %s over %s and %s: %d points from ", kind[first->event], o->over.name,
                   o->second.name, l->n);
    put_place(out, o, first);
    zw_text_put(out, " to ");
    put_place(out, o, last);
    zw_text_put(out, l->end[0] == ZW_CONT_CLOSED ? ", closed\n" : "\n");
    for (int i = l->first; i < l->first + l->n; i++)
        if (o->mark[i].special != ZW_ORBIT_USUAL) {
            zw_text_printf(out, "    %s: ", words_of(o->mark[i].special));
            put_place(out, o, &o->mark[i]);
            zw_text_put(out, "\n");
        }
}

void zw_orbits_put_marks(zw_text *out, const zw_orbits *o) {
    if (!o->second.name[0])
        return;
    for (int i = 0; i < o->nlocus; i++)
        put_locus(out, o, &o->locus[i]);
    if (!o->nlocus)
        zw_text_printf(out, "  no marks that could be followed over %s\n", o->second.name);
    if (o->crossings)
        zw_text_printf(out, "  %d branch point%s not followed\n", o->crossings,
                       o->crossings == 1 ? " is" : "s are");
}

void zw_orbits_json_marks(zw_text *out, const zw_orbits *o) {
    if (!o->second.name[0])
        return;
    zw_text_put(out, ", \"second\": ");
    zw_text_json(out, o->second.name);
    zw_text_put(out, ", \"marks\": [");
    for (int i = 0; i < o->nmark; i++) {
        const zw_orbit_mark *m = &o->mark[i];
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

static zw_status fill(const zw_orbits *o, zw_table *t, const zw_model_source *source) {
    static const int kind[] = {[ZW_FORCED_FOLD] = 1, [ZW_FORCED_FLIP] = 3, [ZW_FORCED_TORUS] = 4};
    char key[ZW_OVER_NAME + 8], text[120];
    int specials = 0;
    double *row = ZW_NEW((zw_arena *)&o->arena, double, ZW_MOTION_MEASURES * o->nquantity + 16);
    if (!row)
        return ZW_E_MEMORY;
    ZW_TRY(zw_table_column(t, o->over.name, o->over.unit));
    ZW_TRY(zw_table_column(t, o->second.name, o->second.unit));
    ZW_TRY(zw_motion_measure_columns(o->sys, t));
    ZW_TRY(zw_table_column(t, "period", "s"));
    ZW_TRY(zw_table_column(t, "angle", "rad"));
    ZW_TRY(zw_table_column(t, "coefficient", ""));
    ZW_TRY(zw_table_column(t, "kind", ""));
    ZW_TRY(zw_table_column(t, "curve", ""));
    ZW_TRY(zw_study_origin(t, o->sys, o->eq.principle, o->p, o->options.active, source, "marks"));
    for (int i = 0; i < 2; i++) { /* they have no one value */
        snprintf(key, sizeof key, "param %s", i ? o->second.name : o->over.name);
        zw_table_remove_note(t, key);
    }
    for (int i = 0; i < o->nmark; i++) {
        const zw_orbit_mark *m = &o->mark[i];
        if (i && m->curve != m[-1].curve)
            ZW_TRY(zw_motion_fill_nothing(t, row));
        row[0] = m->value / o->over.factor;
        row[1] = m->second / o->second.factor;
        int n = 2 + zw_motion_fill_measures(o->sys, m->measure, row + 2);
        row[n++] = m->period;
        row[n++] = m->angle;
        row[n++] = m->coefficient;
        row[n++] = kind[m->event];
        row[n] = m->curve;
        ZW_TRY(zw_table_row(t, row));
        if (m->special == ZW_ORBIT_USUAL)
            continue;
        snprintf(key, sizeof key, "mark %d", specials++);
        snprintf(text, sizeof text, "%s %.17g #%ld", name_of(m), row[0], zw_table_rows(t) - 1);
        ZW_TRY(zw_table_note(t, key, text));
    }
    ZW_TRY(zw_table_note(t, "part kind 1", "\"folds of orbits\""));
    ZW_TRY(zw_table_note(t, "part kind 3", "\"period doublings\""));
    ZW_TRY(zw_table_note(t, "part kind 4", "\"Neimark-Sacker points\""));
    return zw_table_note(t, "parts", "kind");
}

zw_status zw_orbits_marks_table(const zw_orbits *o, const zw_model_source *source, zw_table **out,
                                zw_error *err) {
    zw_allocator alloc = zw_context_allocator(o->sys->ctx);
    *out = NULL;
    if (!o->nmark)
        return zw_fail(err, ZW_E_NUMERIC, "there are no marks that could be followed");
    *out = zw_table_create(&alloc);
    zw_status status = *out ? fill(o, *out, source) : ZW_E_MEMORY;
    if (status >= 0)
        return status;
    zw_table_destroy(*out);
    *out = NULL;
    return zw_fail(err, status, "the table of marks could not be made");
}
