/* SPDX-License-Identifier: MIT */
/* Orbits in reports and tables, and what is uncertain about them. */
#include <assert.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/arena.h"
#include "mech/equations/variants.h"
#include "motion/floquet/variation.h"
#include "motion/motion_report.h"
#include "motion/notes.h"
#include "motion/solution.h"
#include "orbits.h"
#include "orbits_file.h"
#include "orbits_group.h"
#include "zwang/equations.h"
#include "zwang/simulate.h"

enum { SHOWN = 8 };

/* ---------------------------------------------------------------------------------- one orbit */

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

static void report_entry(const zw_orbits *o, const zw_orbit_motion *m, int i, bool first,
                         zw_report *out) {
    const zw_system *s = o->sys;
    const char *unit = i < s->nq ? s->coord[i].unit : s->velocity[i - s->nq].unit;
    zw_report_open(out, NULL);
    zw_report_word(out, "name", i < s->nq ? s->coord[i].name : s->velocity[i - s->nq].name);
    zw_report_number(out, "value", m->x[i], &(zw_shown){.digits = 9, .si_unit = unit});
    zw_report_say(out, first ? " {name} = {value}" : ", {name} = {value}");
    zw_report_close(out);
}

/* the first node, and how it was found */
static void report_start(const zw_orbits *o, const zw_orbit_motion *m, zw_report *out) {
    int shown = 0, i = 0;
    zw_report_say(out, "    begins at");
    zw_report_list(out, "start");
    for (; i < o->nx && shown < SHOWN; i++)
        if (!zw_system_is_past(o->sys, i))
            report_entry(o, m, i, shown++ == 0, out);
    zw_report_close(out);
    zw_report_count(out, "newton_steps", m->iterations);
    zw_report_say(out, i < o->nx ? ", ..." : "");
    zw_report_say(out, "{newton_steps?; {newton_steps|step|steps} of Newton's method}\n");
}

/* whole turns over the period */
static void report_turns(const zw_orbits *o, const zw_orbit_motion *m, zw_report *out) {
    zw_report_list(out, "turns");
    for (int i = 0; i < o->nx; i++) {
        double whole = zw_orbits_whole(o, i, end_of(o, m, i) - m->x[i]);
        if (whole == 0)
            continue;
        zw_report_open(out, NULL);
        zw_report_word(out, "name", o->sys->coord[i].name);
        zw_report_count(out, "turns", lround(whole / o->wraps[i]));
        zw_report_say(out, fabs(whole) < 1.5 * o->wraps[i] ? "    {name} makes {turns} turn\n"
                                                           : "    {name} makes {turns} turns\n");
        zw_report_close(out);
    }
    zw_report_close(out);
}

/* unit quaternions that come back with the opposite sign: the same attitude */
static void report_signs(const zw_orbits *o, const zw_orbit_motion *m, zw_report *out) {
    zw_report_list(out, "quaternions_with_other_sign");
    for (int k = 0; k < o->kernel->nunit; k++) {
        int first = o->kernel->unit[k];
        double dot = 0;
        for (int i = first; i < first + 4; i++)
            dot += m->x[i] * end_of(o, m, i);
        if (!(dot < 0 && o->essential[first]))
            continue;
        zw_report_open(out, NULL);
        zw_report_word(out, "first_entry", o->sys->coord[first].name);
        zw_report_say(out,
                      "    the quaternion from {first_entry} on comes back with the other sign\n");
        zw_report_close(out);
    }
    zw_report_close(out);
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

static void report_attitudes(const zw_orbits *o, const zw_orbit_motion *m, zw_report *out) {
    zw_attitude a;
    double turn[3];
    zw_report_list(out, "rotations");
    for (int k = 0; k < o->kernel->nunit; k++)
        if (turn_of(o, m, k, &a, turn))
            zw_motion_report_rotation(out, &a, turn);
    zw_report_close(out);
}

static void report_symmetry(const zw_orbits *o, const zw_orbit_motion *m, int g, zw_report *out) {
    zw_text name;
    zw_allocator alloc = zw_context_allocator(o->sys->ctx);
    zw_text_init(&name, &alloc);
    zw_orbits_put_group(&name, o, g);
    zw_report_open(out, NULL);
    zw_report_word(out, "symmetry", zw_text_get(&name));
    zw_report_number(out, "by", m->turned[g], &(zw_shown){.digits = 9});
    zw_report_say(out,
                  g ? ", by {by} of {symmetry}" : "    comes back turned: by {by} of {symmetry}");
    zw_report_close(out);
    zw_text_clear(&name);
}

/* the symmetries by which it closes, and the family to which it belongs */
static void report_modulo(const zw_orbits *o, const zw_orbit_motion *m, zw_report *out) {
    zw_report_list(out, "turned");
    for (int g = 0; g < m->nturned; g++)
        report_symmetry(o, m, g, out);
    zw_report_close(out);
    zw_report_say(out, m->nturned ? "\n" : "");
    zw_report_count(out, "family", m->family);
    if (!m->family)
        return;
    zw_report_number(out, "leftover", m->leftover, &(zw_shown){.digits = 2});
    zw_report_say(out, "    lies in a family of {family|dimension|dimensions}{turned?, besides "
                       "those of its symmetries}; along its integrals it closes to {leftover}\n");
}

/* the quantities without harmonics */
static void report_turned_quantities(const zw_orbits *o, const zw_orbit_motion *m, zw_report *out) {
    bool any = false;
    for (int k = 0; k < o->nquantity; k++)
        any |= isnan(m->measure[k].first);
    zw_report_list(out, "without_harmonics");
    zw_report_say(out, any ? "    turned, so without harmonics, the other values over this period "
                             "only:"
                           : "");
    for (int k = 0, n = 0; k < o->nquantity; k++) {
        const char *unit;
        if (!isnan(m->measure[k].first))
            continue;
        zw_report_open(out, NULL);
        zw_report_word(out, "name", zw_orbits_quantity(o, k, &unit));
        zw_report_say(out, n++ ? ", {name}" : " {name}");
        zw_report_close(out);
    }
    zw_report_say(out, any ? "\n" : "");
    zw_report_close(out);
}

/* the states at the nodes */
static void report_nodes(const zw_orbits *o, const zw_orbit_motion *m, zw_report *out) {
    int stride = o->nx * (o->options.stages + 1);
    zw_report_vector(out, "mesh", m->intervals + 1, m->mesh, NULL, NULL);
    zw_report_list(out, "nodes");
    for (int j = 0; j < m->intervals; j++)
        zw_report_vector(out, NULL, o->nx, m->x + (size_t)(j * stride), NULL, NULL);
    zw_report_close(out);
}

static void report_details(const void *self, int i, zw_report *out) {
    const zw_orbits *o = self;
    const zw_orbit_motion *m = &o->motion[i];
    zw_report_say(out, ", {intervals|interval|intervals}, error about {error}\n");
    report_start(o, m, out);
    report_turns(o, m, out);
    report_signs(o, m, out);
    report_attitudes(o, m, out);
    report_modulo(o, m, out);
    report_turned_quantities(o, m, out);
    if (o->family.kind)
        zw_report_number(out, "damping", m->damping, &(zw_shown){.unit = "1/s"});
    report_nodes(o, m, out);
}

/* ------------------------------------------------------------------------------ as solutions */

static zw_solution solution_at(const void *self, int i) {
    const zw_orbits *o = self;
    const zw_orbit_motion *m = &o->motion[i];
    return (zw_solution){.motion = {.sys = o->sys,
                                    .measure = m->measure,
                                    .outside = m->outside,
                                    .verdict = m->verdict,
                                    .nmultiplier = m->nmultiplier,
                                    .re = m->re,
                                    .im = m->im,
                                    .accuracy = m->accuracy},
                         .value = m->value,
                         .period = m->period,
                         .trivial = m->trivial,
                         .error = m->error,
                         .parts = m->intervals,
                         .branch = m->curve,
                         .what = m->event,
                         .normal = m->normal,
                         .drift = m->drift};
}

static zw_solution_end end_at(const zw_orbits *o, const zw_orbits_branch *b, int side) {
    zw_cont_end end = b->end[side];
    const char *direction = side ? "upwards" : "downwards", *words = zw_motion_end_words(end);
    bool failed = end == ZW_CONT_STUCK || end == ZW_CONT_POINTS;
    zw_solution_end e = {.relation = "at", .failed = failed ? words : NULL, .why = b->why[side]};
    if (b->shrinks[side]) {
        e.direction = direction;
        e.reason = o->family.kind ? "an equilibrium: orbits shrink to a point"
                                  : "a Hopf point: orbits shrink to a point";
    } else if (b->slows[side]) {
        e.direction = direction;
        e.relation = "where";
        e.reason = "the period has no bound";
    } else if (end == ZW_CONT_ASKED && b->why[side][0])
        e.reason = b->why[side];
    else if (end != ZW_CONT_AT_BOUND && end != ZW_CONT_GOES_ON)
        e.reason = words;
    return e;
}

static zw_solution_branch branch_at(const void *self, int i) {
    const zw_orbits *o = self;
    const zw_orbits_branch *b = &o->branch[i];
    zw_solution_branch out = {.first = b->first,
                              .n = b->n,
                              .times = b->times,
                              .hopf = b->hopf,
                              .parent = b->parent,
                              .meets = b->meets,
                              .origin = b->origin,
                              .origin_value = b->origin_value,
                              .mirrored = b->mirrored,
                              .end = {end_at(o, b, 0), end_at(o, b, 1)}};
    out.nopen = zw_orbits_check(o, b->first, b->n, &out.open);
    return out;
}

static void label_at(const void *self, int i, char *label) {
    zw_orbits_label(self, i, label);
}

static void errors_at(const void *self, int i, double *value, double *period) {
    zw_orbits_known(self, i, value, period);
}

static zw_status note_head(const void *self, zw_table *t, const zw_model_source *source) {
    const zw_orbits *o = self;
    char key[ZW_PARAMETER_RANGE_NAME + 8];
    ZW_TRY(
        zw_study_origin(t, o->sys, o->eq.principle, o->p, o->options.active, source, "response"));
    snprintf(key, sizeof key, "param %s", o->over.name);
    if (!o->family.kind)
        zw_table_remove_note(t, key); /* it varies */
    const zw_orbits_head head = zw_orbits_head_of(o);
    return zw_orbits_put_head(&head, t);
}

static zw_status note_row(void *writer, int i, const char *label, long row, zw_table *t,
                          zw_error *err) {
    const zw_orbits *const *o = writer;
    (void)err;
    return zw_orbits_note(*o, i, label, row, t);
}

static zw_solutions solutions_of(const zw_orbits *o) {
    return (zw_solutions){.self = o,
                          .sys = o->sys,
                          .over = o->has_over ? &o->over : NULL,
                          .parts = "intervals",
                          .accuracy_hint = "use --tolerance 1e-9 and a larger --intervals-max",
                          .kept = &o->kept,
                          .curves = &o->marks,
                          .n = o->nmotion,
                          .nbranch = o->nbranch,
                          .has_stability = o->options.stability,
                          .unswitched = o->unswitched,
                          .unswitched_value = o->unswitched_value,
                          .at = solution_at,
                          .branch = branch_at,
                          .label = label_at,
                          .errors = errors_at,
                          .details = report_details,
                          .head = note_head,
                          .note = note_row};
}

void zw_orbits_report(const zw_orbits *o, zw_report *out) {
    const zw_solutions s = solutions_of(o);
    zw_solutions_report(&s, out);
}

zw_status zw_orbits_table(const zw_orbits *o, const zw_model_source *source, zw_table **out,
                          zw_error *err) {
    zw_solutions s = solutions_of(o);
    s.writer = (void *)&o;
    return zw_solutions_table(&s, source, out, err);
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

static void warn_unresolved(const zw_orbits *o, zw_warnings *out) {
    for (int i = 0; i < o->nbranch; i++)
        zw_unresolved_warning(&o->branch[i].open, i, &o->over, out);
}

void zw_orbits_warnings(const zw_orbits *o, zw_warnings *out) {
    const zw_solutions solutions = solutions_of(o);
    zw_warning leaf;
    if (zw_leaf_warning(o->nhidden, "an orbit", &leaf))
        zw_warnings_add(out, &leaf);
    warn_mesh(o, out);
    zw_singular_warning(&o->singular, o->nmotion, "orbits", o->has_over ? &o->over : NULL, out);
    zw_solutions_warnings(&solutions, out);
    warn_unresolved(o, out);
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
            "%d time%s the branch continues at one value: near %s = %.12g it changes by less than "
            "%.1e while the period goes from %.6g to %.6g s; whether it turns there is not known",
            o->open.unresolved, o->open.unresolved == 1 ? "" : "s", o->over.name,
            o->open.unresolved_value / o->over.factor, o->open.unresolved_by / fabs(o->over.factor),
            o->open.unresolved_period[0], o->open.unresolved_period[1]);
        zw_warnings_add(out, &d);
    }
    if (o->hopf_skipped) {
        zw_warning d = zw_warning_of("hopf", NAN,
                                     "at %d Hopf point%s no branch was begun; at %s = %.9g: %.200s",
                                     o->hopf_skipped, o->hopf_skipped == 1 ? "" : "s", o->over.name,
                                     o->hopf_skipped_value / o->over.factor, o->hopf_skipped_why);
        zw_warnings_add(out, &d);
    }
}
