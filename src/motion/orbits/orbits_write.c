/* SPDX-License-Identifier: MIT */
/* Orbits as text, as JSON and as tables. */
#include <assert.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/arena.h"
#include "mech/equations/variants.h"
#include "motion/floquet/variation.h"
#include "motion/motion_words.h"
#include "motion/notes.h"
#include "orbits.h"
#include "orbits_file.h"
#include "orbits_group.h"
#include "zwang/equations.h"
#include "zwang/simulate.h"

enum { SHOWN = 8 };

static zw_motion_view view_of(const zw_orbits *o, const zw_orbit_motion *m) {
    return (zw_motion_view){.sys = o->sys,
                            .measure = m->measure,
                            .outside = m->outside,
                            .verdict = m->verdict,
                            .nmultiplier = m->nmultiplier,
                            .re = m->re,
                            .im = m->im,
                            .accuracy = m->accuracy};
}

/* --------------------------------------------------------------------------------------- people */

/* entry i after a period */
static double end_of(const zw_orbits *o, const zw_orbit_motion *m, int i) {
    int last = (m->intervals - 1) * o->nx * (o->options.stages + 1);
    zw_gauss rule;
    zw_gauss_init(&rule, o->options.stages);
    double end = m->x[last + i], h = m->mesh[m->intervals] - m->mesh[m->intervals - 1];
    for (int l = 0; l < o->options.stages; l++)
        end += h * rule.b[l] * m->x[last + (l + 1) * o->nx + i];
    return end;
}

/* the first node, how it was found, and whole turns over the period */
static void put_start(zw_text *out, const zw_orbits *o, const zw_orbit_motion *m) {
    const zw_system *s = o->sys;
    int shown = 0, i = 0;
    zw_text_put(out, "    begins at");
    for (; i < o->nx && shown < SHOWN; i++)
        if (!zw_system_is_past(s, i))
            zw_text_printf(out, "%s %s = %.9g", shown++ ? "," : "",
                           i < s->nq ? s->coord[i].name : s->velocity[i - s->nq].name, m->x[i]);
    zw_text_put(out, i < o->nx ? ", ..." : "");
    if (m->iterations > 0)
        zw_text_printf(out, "; %d step%s of Newton's method", m->iterations,
                       m->iterations == 1 ? "" : "s");
    zw_text_put(out, "\n");
    for (i = 0; i < o->nx; i++) {
        double whole = zw_orbits_whole(o, i, end_of(o, m, i) - m->x[i]);
        if (whole != 0)
            zw_text_printf(out, "    %s makes %.0f turn%s\n", s->coord[i].name, whole / o->wraps[i],
                           fabs(whole) < 1.5 * o->wraps[i] ? "" : "s");
    }
    for (int k = 0; k < o->kernel->nunit; k++) {
        double dot = 0;
        for (i = o->kernel->unit[k]; i < o->kernel->unit[k] + 4; i++)
            dot += m->x[i] * end_of(o, m, i);
        if (dot < 0 && o->essential[o->kernel->unit[k]])
            zw_text_printf(out, "    the quaternion from %s on comes back with the other sign\n",
                           s->coord[o->kernel->unit[k]].name);
    }
}

/* the drifts of a branch, from the least to the largest */
static void put_drifts(zw_text *out, const zw_orbits *o, const zw_orbits_branch *b) {
    for (int k = 0; k < o->nquantity; k++) {
        double low = INFINITY, high = -INFINITY;
        for (int i = b->first; i < b->first + b->n; i++) {
            const double *drift = o->motion[i].drift;
            low = fmin(low, drift ? drift[k] : 0);
            high = fmax(high, drift ? drift[k] : 0);
        }
        zw_motion_put_drifts(out, o->sys, k, low, high);
    }
}

/* the rotation, over a period, of an attitude k that the equations do not depend on; false if there
 * is none */
static bool turn_of(const zw_orbits *o, const zw_orbit_motion *m, int k, zw_attitude *a,
                    double turn[3]) {
    int first = o->kernel->unit[k];
    double last[4];
    if (o->essential[first])
        return false;
    for (int i = 0; i < 4; i++)
        last[i] = end_of(o, m, first + i);
    *a = zw_attitude_of(o->sys, first);
    zw_attitude_between(a, m->x + first, last, turn);
    return true;
}

/* the symmetries by which it closes, and the family to which it belongs */
static void put_modulo(zw_text *out, const zw_orbits *o, const zw_orbit_motion *m) {
    zw_attitude a;
    double turn[3];
    for (int k = 0; k < o->kernel->nunit; k++)
        if (turn_of(o, m, k, &a, turn))
            zw_attitude_put(out, &a, turn);
    for (int g = 0; g < m->nturned; g++) {
        zw_text_put(out, g ? ", by " : "    comes back turned: by ");
        zw_text_printf(out, "%.9g of ", m->turned[g]);
        zw_orbits_put_group(out, o, g);
        zw_text_put(out, g + 1 < m->nturned ? "" : "\n");
    }
    if (m->family)
        zw_text_printf(out,
                       "    lies in a family of %d dimension%s%s; along its integrals it closes to "
                       "%.1e\n",
                       m->family, m->family == 1 ? "" : "s",
                       m->nturned ? ", beside what symmetries make of it" : "", m->leftover);
}

/* the quantities without harmonics */
static void put_turned(zw_text *out, const zw_orbits *o, const zw_orbit_motion *m) {
    bool any = false;
    for (int k = 0; k < o->nquantity; k++) {
        const char *unit;
        if (!isnan(m->measure[k].first))
            continue;
        zw_text_put(
            out,
            any ? ", "
                : "    turned, so without harmonics, the other values over this period only: ");
        zw_text_put(out, zw_orbits_quantity(o, k, &unit));
        any = true;
    }
    zw_text_put(out, any ? "\n" : "");
}

static void put_orbit(zw_text *out, const zw_orbits *o, int number) {
    const zw_orbit_motion *m = &o->motion[number];
    zw_motion_view v = view_of(o, m);
    zw_text_printf(out, "  %d: ", number);
    zw_motion_put_stability(out, &v);
    if (o->has_over && !isnan(m->value)) {
        zw_text_printf(out, ", at %s = ", o->over.name);
        zw_motion_put_value(out, &o->over, m->value);
    }
    zw_text_printf(out, "; period %.10g s, %d intervals, error about %.1e\n", m->period,
                   m->intervals, m->error);
    put_start(out, o, m);
    zw_motion_put_multipliers(out, &v);
    put_modulo(out, o, m);
    zw_motion_put_drift(out, o->sys, m->drift);
    put_turned(out, o, m);
    zw_motion_put_quantities(out, &v);
}

static void put_branch(zw_text *out, const zw_orbits *o, int index) {
    const zw_orbits_branch *b = &o->branch[index];
    int unstable = 0, unknown = 0, intervals = 0;
    double low = INFINITY, high = -INFINITY, shortest = INFINITY, longest = 0;
    for (int i = b->first; i < b->first + b->n; i++) {
        const zw_orbit_motion *m = &o->motion[i];
        unstable += m->verdict == ZW_FLOQUET_UNSTABLE;
        unknown += m->verdict == ZW_FLOQUET_UNDECIDED && m->nmultiplier == 0;
        low = fmin(low, m->value);
        high = fmax(high, m->value);
        shortest = fmin(shortest, m->period);
        longest = fmax(longest, m->period);
        intervals = m->intervals > intervals ? m->intervals : intervals;
    }
    if (b->n == 0) {
        zw_text_printf(out, "  branch %d: no orbits\n", index);
        return;
    }
    zw_text_printf(out, "  branch %d: %d orbit%s from ", index, b->n, b->n == 1 ? "" : "s");
    zw_motion_put_value(out, &o->over, low);
    zw_text_put(out, " to ");
    zw_motion_put_value(out, &o->over, high);
    zw_motion_put_unstable(out, b->n, unstable, unknown);
    zw_text_printf(out, ", periods %.6g to %.6g s, up to %d intervals\n", shortest, longest,
                   intervals);
    put_drifts(out, o, b);
    if (!isnan(b->hopf)) {
        zw_text_put(out, "    is born at the Hopf point ");
        zw_motion_put_value(out, &o->over, b->hopf);
        zw_text_put(out, "\n");
    }
    zw_motion_put_origin(out, &o->over, b->parent, b->origin, b->origin_value, b->mirrored,
                         b->meets);
    for (int side = 0; side < 2; side++)
        if (b->shrinks[side] || b->slows[side])
            zw_text_printf(out, "    ends %s %s\n", side ? "upwards" : "downwards",
                           b->shrinks[side] ? o->family.kind
                                                  ? "at an equilibrium: orbits shrink to a point"
                                                  : "at a Hopf point: orbits shrink to a point"
                                            : "where the period has no bound");
        else if (b->end[side] != ZW_CONT_AT_BOUND && b->end[side] != ZW_CONT_GOES_ON)
            zw_text_printf(out, "    ends at %s\n",
                           b->end[side] == ZW_CONT_ASKED && b->why[side][0]
                               ? b->why[side]
                               : zw_motion_end_words(b->end[side]));
    zw_contradiction open;
    int nopen = zw_orbits_check(o, b->first, b->n, &open);
    zw_contradiction_put(out, &open, nopen, &o->over);
    for (int i = b->first; i < b->first + b->n; i++) {
        const zw_orbit_motion *m = &o->motion[i];
        if (!zw_motion_is_event(m->event))
            continue;
        double error, open_period;
        zw_orbits_known(o, i, &error, &open_period);
        zw_text_put(out, "    ");
        zw_motion_put_known(out, &o->over, m->value, error);
        zw_text_printf(out, "  %s", zw_motion_event_sentence(m->event));
        zw_orbits_put_normal(out, m->normal);
        zw_text_put(out, "; period ");
        zw_text_known(out, m->period, open_period, 6);
        zw_text_put(out, " s\n");
    }
}

char *zw_orbits_text(const zw_orbits *o) {
    zw_text out;
    zw_allocator alloc = zw_context_allocator(o->sys->ctx);
    zw_text_init(&out, &alloc);
    if (o->nbranch) {
        zw_text_printf(&out, "%s: orbits over %s\n", o->sys->name, o->over.name);
        zw_kept_put(&out, &o->kept);
        for (int i = 0; i < o->nbranch; i++)
            put_branch(&out, o, i);
        zw_bifurcation_curves_put(&out, &o->marks, &o->over);
        return zw_text_take(&out);
    }
    zw_text_printf(&out, "%s: %d orbit%s\n", o->sys->name, o->nmotion, o->nmotion == 1 ? "" : "s");
    zw_kept_put(&out, &o->kept);
    for (int i = 0; i < o->nmotion; i++)
        put_orbit(&out, o, i);
    return zw_text_take(&out);
}

/* ----------------------------------------------------------------------------------------- JSON */

static void json_numbers(zw_text *out, const char *key, const double *v, int n) {
    zw_text_printf(out, ", \"%s\": [", key);
    for (int i = 0; i < n; i++) {
        zw_text_put(out, i ? ", " : "");
        zw_text_json_number(out, v[i]);
    }
    zw_text_put(out, "]");
}

/* states at the nodes, one after the other */
static void json_nodes(zw_text *out, const zw_orbits *o, const zw_orbit_motion *m) {
    int stride = o->nx * (o->options.stages + 1);
    json_numbers(out, "mesh", m->mesh, m->intervals + 1);
    zw_text_put(out, ",\n  \"nodes\": [");
    for (int j = 0; j < m->intervals; j++) {
        zw_text_put(out, j ? ", [" : "[");
        for (int i = 0; i < o->nx; i++) {
            zw_text_put(out, i ? ", " : "");
            zw_text_json_number(out, m->x[j * stride + i]);
        }
        zw_text_put(out, "]");
    }
    zw_text_put(out, "]");
}

static void json_drift(zw_text *out, const zw_orbits *o, const zw_orbit_motion *m) {
    bool first = true;
    for (int k = 0; m->drift && k < o->nquantity; k++) {
        const char *unit;
        if (m->drift[k] == 0)
            continue;
        zw_text_put(out, first ? ", \"drift\": {" : ", ");
        zw_text_json(out, zw_orbits_quantity(o, k, &unit));
        zw_text_put(out, ": ");
        zw_text_json_number(out, m->drift[k]);
        first = false;
    }
    zw_text_put(out, first ? "" : "}");
}

static void json_modulo(zw_text *out, const zw_orbits *o, const zw_orbit_motion *m) {
    for (int g = 0; g < m->nturned; g++) {
        zw_text_put(out, g ? ", \"" : ", \"turned\": {\"");
        zw_orbits_put_group(out, o, g);
        zw_text_printf(out, "\": %.17g%s", m->turned[g], g + 1 < m->nturned ? "" : "}");
    }
    if (m->family)
        zw_text_printf(out, ", \"family\": %d, \"leftover\": %.17g", m->family, m->leftover);
}

static void json_orbit(zw_text *out, const zw_orbits *o, const zw_orbit_motion *m) {
    zw_motion_view v = view_of(o, m);
    zw_text_put(out, "{");
    if (o->has_over) {
        zw_motion_json_number(out, "value", m->value);
        zw_text_put(out, ", ");
    }
    zw_motion_json_number(out, "period", m->period);
    zw_text_printf(out, ", \"intervals\": %d, ", m->intervals);
    zw_motion_json_number(out, "error", m->error);
    zw_text_put(out, ", ");
    zw_motion_json_number(out, "trivial", m->trivial);
    if (o->family.kind) {
        zw_text_put(out, ", ");
        zw_motion_json_number(out, "damping", m->damping);
    }
    json_modulo(out, o, m);
    zw_text_printf(out, ", \"branch\": %d, \"event\": \"%s\", ", m->curve,
                   zw_motion_event_word(m->event));
    zw_motion_json(out, &v);
    zw_orbits_json_normal(out, m->normal);
    json_drift(out, o, m);
    json_nodes(out, o, m);
    zw_text_put(out, "}");
}

char *zw_orbits_json(const zw_orbits *o) {
    zw_text out;
    zw_allocator alloc = zw_context_allocator(o->sys->ctx);
    bool first = true;
    zw_text_init(&out, &alloc);
    zw_text_put(&out, "{\"model\": ");
    zw_text_json(&out, o->sys->name);
    if (o->has_over) {
        zw_text_put(&out, ", \"over\": ");
        zw_text_json(&out, o->over.name);
    }
    zw_kept_json(&out, &o->kept);
    for (int i = 0; i < o->nbranch; i++) {
        const zw_orbits_branch *b = &o->branch[i];
        zw_text_printf(&out, "%s{\"number\": %d, \"times\": %d",
                       i ? ",\n  " : ", \"branches\": [\n  ", i, b->times);
        if (b->parent >= 0)
            zw_text_printf(&out, ", \"parent\": %d, \"origin\": \"%s\", \"born\": %.17g", b->parent,
                           zw_motion_event_word(b->origin), b->origin_value);
        zw_text_put(&out, i + 1 < o->nbranch ? "}" : "}]");
    }
    zw_text_put(&out, ", \"orbits\": [");
    for (int i = 0; i < o->nmotion; i++) {
        if (o->nbranch && o->motion[i].curve < 0)
            continue;
        zw_text_put(&out, first ? "\n" : ",\n");
        json_orbit(&out, o, &o->motion[i]);
        first = false;
    }
    zw_text_put(&out, "\n]");
    zw_bifurcation_curves_json(&out, &o->marks);
    zw_text_put(&out, "}\n");
    return zw_text_take(&out);
}

/* --------------------------------------------------------------------------------------- tables */

static int most_multipliers(const zw_orbits *o) {
    int most = 0;
    for (int i = 0; i < o->nmotion; i++)
        if (o->motion[i].curve >= 0 && o->motion[i].nmultiplier > most)
            most = o->motion[i].nmultiplier;
    return most;
}

static zw_status all_columns(const zw_orbits *o, zw_table *t, int multipliers) {
    static const char *const others[] = {"period", "intervals", "error", "curve"};
    ZW_TRY(zw_motion_measure_columns(o->sys, t));
    ZW_TRY(zw_motion_stability_columns(t));
    for (size_t i = 0; i < sizeof others / sizeof *others; i++)
        ZW_TRY(zw_table_column(t, others[i], i == 0 ? "s" : ""));
    return zw_motion_multiplier_columns(t, multipliers);
}

/* All columns but one that repeats the parameter of a family, such as max(x) or period: *twin, -1
 * if there is none. */
static zw_status add_columns(const zw_orbits *o, zw_table *t, int multipliers, int *twin) {
    zw_table *all = zw_table_create(zw_table_allocator(t));
    zw_status status = all ? all_columns(o, all, multipliers) : ZW_E_MEMORY;
    *twin = status >= 0 ? zw_table_find(all, o->over.name) : -1;
    for (int i = 0; status >= 0 && i < zw_table_columns(all); i++)
        if (i != *twin)
            status = zw_table_column(t, zw_table_name(all, i), zw_table_unit(all, i));
    zw_table_destroy(all);
    return status;
}

static zw_status fill_table(const zw_orbits *o, zw_table *t, const zw_model_source *source) {
    char key[ZW_PARAMETER_RANGE_NAME + 8], label[ZW_ORBITS_LABEL];
    int marks = 0, last = -1, multipliers = most_multipliers(o), twin;
    double *row = ZW_NEW((zw_arena *)&o->arena, double,
                         ZW_MOTION_MEASURES * o->nquantity + 2 * multipliers + 16);
    if (!row)
        return ZW_E_MEMORY;
    ZW_TRY(zw_table_column(t, o->over.name, o->over.unit));
    ZW_TRY(add_columns(o, t, multipliers, &twin));
    ZW_TRY(
        zw_study_origin(t, o->sys, o->eq.principle, o->p, o->options.active, source, "response"));
    snprintf(key, sizeof key, "param %s", o->over.name);
    if (!o->family.kind)
        zw_table_remove_note(t, key); /* it varies */
    const zw_orbits_head head = zw_orbits_head_of(o);
    ZW_TRY(zw_orbits_put_head(&head, t));
    for (int i = 0; i < o->nmotion; i++) {
        const zw_orbit_motion *m = &o->motion[i];
        zw_motion_view v = view_of(o, m);
        int n = 1;
        if (m->curve < 0)
            continue;
        if (last >= 0 && m->curve != last)
            ZW_TRY(zw_motion_fill_nothing(t, row));
        last = m->curve;
        row[0] = m->value / o->over.factor;
        n += zw_motion_fill_measures(o->sys, m->measure, row + n);
        n += zw_motion_fill_stability(&v, row + n);
        row[n++] = m->period;
        row[n++] = m->intervals;
        row[n++] = m->error;
        row[n++] = m->curve;
        n += zw_motion_fill_multipliers(&v, multipliers, row + n);
        if (twin >= 0)
            memmove(row + 1 + twin, row + 2 + twin, sizeof(double) * (size_t)(n - 2 - twin));
        ZW_TRY(zw_table_row(t, row));
        zw_orbits_label(o, i, label);
        if (zw_motion_is_event(m->event))
            ZW_TRY(zw_motion_mark(t, marks++, m->event, m->value / o->over.factor, label));
        ZW_TRY(zw_orbits_note(o, i, label, zw_table_rows(t) - 1, t));
    }
    return ZW_OK;
}

zw_status zw_orbits_table(const zw_orbits *o, const zw_model_source *source, zw_table **out,
                          zw_error *err) {
    assert(out);
    zw_allocator alloc = zw_context_allocator(o->sys->ctx);
    *out = NULL;
    if (!o->has_over)
        return zw_fail(err, ZW_E_OPTION, "without a branch there is no table of one");
    *out = zw_table_create(&alloc);
    zw_status status = *out ? fill_table(o, *out, source) : ZW_E_MEMORY;
    if (status >= 0)
        return status;
    zw_table_destroy(*out);
    *out = NULL;
    return zw_fail(err, status, "the table of orbits could not be made");
}

zw_status zw_orbits_motion_table(zw_orbits *o, int number, int rows, const zw_model_source *source,
                                 zw_table **out, double *gap, zw_error *err) {
    assert(out);
    const zw_orbit_motion *m = &o->motion[number];
    const zw_system *s = o->sys;
    int n = s->nq + s->nv;
    zw_sim_number *start = ZW_NEW(&o->arena, zw_sim_number, n + 1),
                  over = {.index = o->has_over && !o->family.kind ? o->over.parameter : 0,
                          .value = m->value};
    double *drift = ZW_NEW(&o->arena, double, o->nx + 1), /* of ignorable coordinates NaN */
        *x = ZW_NEW(&o->arena, double, o->nx + 1);
    *out = NULL;
    if (o->arena.failed)
        return zw_out_of_memory(err, NULL);
    ZW_TRY(zw_orbits_load(o, m, err));
    for (int i = 0; i < o->nx; i++)
        drift[i] = o->essential[i] && !(o->group.n && o->group.moved[i]) ? o->turn[i] / (2 * M_PI)
                                                                         : (double)NAN;
    memcpy(x, m->x, sizeof(double) * (size_t)o->nx);
    /* entries that need not come back are less accurate */
    ZW_TRY(zw_flow_project(o->flow, 0, x, NULL, err));
    for (int i = 0; i < n; i++)
        start[i] = (zw_sim_number){.index = i, .value = x[i]};
    zw_sim_numbers numbers = {.nparam = o->has_over && !o->family.kind && !isnan(m->value) ? 1 : 0,
                              .param = &over,
                              .nstart = n,
                              .start = start};
    return zw_motion_run(s, source, &numbers, m->period, rows, drift, o->sign, out, gap, err);
}

/* ------------------------------------------------------------------------------------- warnings */

static void warn_mesh(const zw_orbits *o, zw_warnings *out) {
    double worst = 0, value = 0;
    for (int i = 0; i < o->nmotion; i++)
        if (o->motion[i].error > worst) {
            worst = o->motion[i].error;
            value = o->motion[i].value;
        }
    if (!(worst > 10 * o->options.tolerance))
        return;
    zw_warning d =
        o->has_over
            ? zw_warning_of("mesh", NAN,
                            "the error of orbits between nodes reaches %.1e of their size, "
                            "at %s = %.9g",
                            worst, o->over.name, value / o->over.factor)
            : zw_warning_of("mesh", NAN, "the error of the orbit between nodes is %.1e of its size",
                            worst);
    zw_warning_hint(&d, "--intervals-max allows more intervals; kinks of forces need many");
    zw_warnings_add(out, &d);
}

static void warn_multipliers(const zw_orbits *o, zw_warnings *out) {
    int unknown = 0, untrue = 0;
    double worst = 0, error = 0;
    for (int i = 0; i < o->nmotion; i++) {
        unknown += o->options.stability && o->motion[i].nmultiplier == 0;
        untrue += o->motion[i].trivial > ZW_MULTIPLIER_USABLE ||
                  o->motion[i].accuracy > ZW_MULTIPLIER_USABLE;
        worst = fmax(worst, isnan(o->motion[i].trivial) ? 0 : o->motion[i].trivial);
        error = fmax(error, isnan(o->motion[i].accuracy) ? 0 : o->motion[i].accuracy);
    }
    if (unknown) {
        zw_warning d = zw_warning_of("multipliers", NAN,
                                     "the multipliers of %d of %d orbits could not be found",
                                     unknown, o->nmotion);
        zw_warnings_add(out, &d);
    }
    if (untrue) {
        zw_warning d =
            zw_warning_of("accuracy", NAN,
                          "the multipliers of %d of %d orbits are known to less than three "
                          "digits: %s %.1e",
                          untrue, o->nmotion,
                          worst > ZW_MULTIPLIER_USABLE ? "the one that must be 1 is missed by up to"
                                                       : "their error is up to",
                          worst > ZW_MULTIPLIER_USABLE ? worst : error);
        zw_warning_hint(&d, "--tolerance 1e-9, and --intervals-max");
        zw_warnings_add(out, &d);
    }
}

static void warn_contradictions(const zw_orbits *o, zw_warnings *out) {
    for (int i = 0; i < o->nbranch; i++) {
        zw_contradiction first;
        int n = zw_orbits_check(o, o->branch[i].first, o->branch[i].n, &first);
        zw_contradiction_warning(&first, n, i, &o->over, out);
        zw_unresolved_warning(&o->branch[i].open, i, &o->over, out);
    }
}

void zw_orbits_warnings(const zw_orbits *o, zw_warnings *out) {
    zw_warning leaf;
    if (zw_leaf_warning(o->nhidden, "an orbit", &leaf))
        zw_warnings_add(out, &leaf);
    warn_mesh(o, out);
    warn_multipliers(o, out);
    zw_singular_warning(&o->singular, o->nmotion, "orbits", o->has_over ? &o->over : NULL, out);
    if (o->has_over)
        warn_contradictions(o, out);
    zw_bifurcation_curves_warnings(&o->marks, out);
    if (o->open.broken) {
        zw_warning d = zw_warning_of(
            "symmetry", NAN,
            "between %s = %.9g and %.9g%s%s the symmetry of the orbits under a shift by half a "
            "period is broken or restored at a point that was not located: the results pass from "
            "one "
            "branch to another there",
            o->over.name, o->open.broken_from / o->over.factor, o->open.broken_to / o->over.factor,
            o->over.unit[0] ? " " : "", o->over.unit);
        zw_warning_hint(&d, "a range that begins on the other side locates it");
        zw_warnings_add(out, &d);
    }
    if (o->open.unclear) {
        zw_warning d =
            zw_warning_of("mark", NAN,
                          "at %s = %.9g%s%s the branch turns, but no multiplier passes 1: "
                          "whether it is a fold, or ends at a pitchfork, is not known",
                          o->over.name, o->open.unclear_value / o->over.factor,
                          o->over.unit[0] ? " " : "", o->over.unit);
        zw_warnings_add(out, &d);
    }
    if (o->open.unsplit) {
        zw_warning d = zw_warning_of(
            "unsplit", NAN,
            "near %s = %.9g%s%s, within %.1g, the number of multipliers that "
            "cross the unit circle does not match the special points located "
            "there",
            o->over.name, o->open.unsplit_value / o->over.factor, o->over.unit[0] ? " " : "",
            o->over.unit, o->open.unsplit_by / o->over.factor);
        zw_warnings_add(out, &d);
    }
    if (o->open.near_passages) {
        zw_warning d = zw_warning_of(
            "mark", NAN,
            "near %s = %.6g%s%s multipliers come close to %s between two points: they may cross it "
            "twice in one step",
            o->over.name, o->open.near_value / o->over.factor, o->over.unit[0] ? " " : "",
            o->over.unit, o->open.near_flip ? "-1" : "the unit circle");
        zw_warning_hint(&d, "use a shorter range of %s around it: its steps are shorter",
                        o->over.name);
        zw_warnings_add(out, &d);
    }
    if (o->open.unresolved) {
        zw_warning d = zw_warning_of(
            "fold", NAN,
            "%d time%s the branch goes on at one value: near %s = %.12g it changes by less than "
            "%.1e while the period goes from %.6g to %.6g s; whether it turns there is not known",
            o->open.unresolved, o->open.unresolved == 1 ? "" : "s", o->over.name,
            o->open.unresolved_value / o->over.factor, o->open.unresolved_by / fabs(o->over.factor),
            o->open.unresolved_period[0], o->open.unresolved_period[1]);
        zw_warnings_add(out, &d);
    }
    if (o->unswitched) {
        zw_warning d = zw_warning_of(
            "switch", NAN, "at %d mark%s the branch that leaves there was not found; at %s = %.9g",
            o->unswitched, o->unswitched == 1 ? "" : "s", o->over.name,
            o->unswitched_value / o->over.factor);
        zw_warnings_add(out, &d);
    }
    if (o->hopf_skipped) {
        zw_warning d = zw_warning_of("hopf", NAN,
                                     "at %d Hopf point%s no branch was begun; at %s = %.9g: %.200s",
                                     o->hopf_skipped, o->hopf_skipped == 1 ? "" : "s", o->over.name,
                                     o->hopf_skipped_value / o->over.factor, o->hopf_skipped_why);
        zw_warnings_add(out, &d);
    }
    for (int i = 0; i < o->nbranch; i++)
        for (int side = 0; side < 2; side++) {
            const zw_orbits_branch *b = &o->branch[i];
            if (b->end[side] != ZW_CONT_STUCK && b->end[side] != ZW_CONT_POINTS)
                continue;
            zw_warning d = zw_warning_of("branch", NAN, "branch %d ends at %s%s%.200s", i,
                                         zw_motion_end_words(b->end[side]),
                                         b->why[side][0] ? ": " : "", b->why[side]);
            zw_warnings_add(out, &d);
        }
}
