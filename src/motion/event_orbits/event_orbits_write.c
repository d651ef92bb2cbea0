/* SPDX-License-Identifier: MIT */
/* Orbits through events in reports and tables, and what is uncertain about them. */
#include <assert.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/arena.h"
#include "event_orbits.h"
#include "mech/equations/variants.h"
#include "motion/notes.h"
#include "motion/segments/periodic.h"
#include "motion/solution.h"
#include "motion/special_error.h"
#include "zwang/equations.h"
#include "zwang/simulate.h"

/* Relative to the range: a turn of the parameter that a fold must
 * explain (orbits_fold_rounding.c). */
#define TURN_MIN 1e-8
/* Relative to the size of an orbit, times its largest multiplier: closure error of a run that is
 * reported. The integration leaves RUN_RTOL of it. */
#define CLOSURE_REPORTED 1e-4
/* Relative to an event function: error of the polynomials that watch it, which is reported. */
#define MISFIT_REPORTED 1e-6
/* Relative to the size of an orbit: residual that is reported, far above that of
 * Newton's method. */
#define RESIDUAL_REPORTED 1e-7
/* Tolerances of runs over one period. */
#define RUN_RTOL 1e-9
#define RUN_ATOL 1e-12

/* ---------------------------------------------------------------------------------- one orbit */

static const char *events_of(const zw_segmented_motion *m) {
    return m->signature[0] ? m->signature : "none";
}

static void report_turns(const zw_event_orbits *o, int number, zw_report *out) {
    zw_report_list(out, "turns");
    for (int i = 0; i < o->sys->nq; i++) {
        double one = zw_segmented_turn(o, i, o->p), all = o->signature[number].turn[i];
        if (all == 0 || !(one > 0))
            continue;
        zw_report_open(out, NULL);
        zw_report_word(out, "name", o->sys->coord[i].name);
        zw_report_count(out, "turns", lround(all / one));
        zw_report_say(out, fabs(all) < 1.5 * one ? "    {name} makes {turns} turn\n"
                                                 : "    {name} makes {turns} turns\n");
        zw_report_close(out);
    }
    zw_report_close(out);
}

static void report_segments(const zw_event_orbits *o, const zw_segmented_motion *m,
                            zw_report *out) {
    int stride = o->nx + o->nmemory + 1;
    zw_report_list(out, "segment_list");
    for (int k = 0; k < m->nsegment; k++) {
        const double *z = m->unknown + (size_t)(k * stride);
        zw_report_open(out, NULL);
        zw_report_word(out, "event", m->event[k] < 0 ? NULL : m->name[k]);
        zw_report_number(out, "duration", z[stride - 1],
                         &(zw_shown){.unit = o->sys->no_units ? "" : "s"});
        zw_report_vector(out, "start", o->nx, z, NULL, NULL);
        zw_report_close(out);
    }
    zw_report_close(out);
}

static void report_details(const void *self, int i, zw_report *out) {
    const zw_event_orbits *o = self;
    const zw_segmented_motion *m = &o->motion[i];
    zw_report_word(out, "events", events_of(m));
    zw_report_say(out, ", events: {events}\n");
    zw_report_number(out, "begins", m->start, &(zw_shown){.unit = o->sys->no_units ? "" : "s"});
    zw_report_number(out, "crossing", m->margins.crossing, NULL);
    zw_report_number(out, "clearance", m->margins.clearance, NULL);
    report_turns(o, i, out);
    report_segments(o, m, out);
}

/* ------------------------------------------------------------------------------ as solutions */

static zw_solution solution_at(const void *self, int i) {
    const zw_event_orbits *o = self;
    const zw_segmented_motion *m = &o->motion[i];
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
                         .error = m->residual,
                         .parts = m->nsegment,
                         .branch = m->curve,
                         .what = m->event_here,
                         .normal = m->normal,
                         .drift = m->drift};
}

static zw_solution_end end_at(const zw_segmented_branch *b, int side) {
    zw_cont_end end = b->end[side];
    const char *words = zw_motion_end_words(end);
    bool explained = end == ZW_CONT_ASKED && b->why[side][0];
    bool failed = end == ZW_CONT_STUCK || end == ZW_CONT_POINTS;
    bool shown = end != ZW_CONT_AT_BOUND && end != ZW_CONT_GOES_ON;
    return (zw_solution_end){.direction = side ? "upwards" : "downwards",
                             .relation = explained ? "by" : "at",
                             .reason = explained ? b->why[side]
                                       : shown   ? words
                                                 : NULL,
                             .failed = failed ? words : NULL,
                             .why = b->why[side]};
}

static zw_solution_branch branch_at(const void *self, int i) {
    const zw_event_orbits *o = self;
    const zw_segmented_branch *b = &o->branch[i];
    zw_solution_branch out = {.first = b->first,
                              .n = b->n,
                              .hopf = NAN,
                              .parent = b->parent,
                              .meets = b->meets,
                              .origin = b->origin,
                              .origin_value = b->origin_value,
                              .mirrored = b->mirrored,
                              .events = b->n ? events_of(&o->motion[b->first]) : "none",
                              .end = {end_at(b, 0), end_at(b, 1)}};
    out.nopen = zw_segmented_check(o, b->first, b->n, &out.open);
    return out;
}

static void label_at(const void *self, int i, char *label) {
    zw_event_orbits_label(self, i, label);
}

static zw_special_point special_of(const void *self, int i) {
    const zw_segmented_motion *m = &((const zw_event_orbits *)self)->motion[i];
    return (zw_special_point){.value = m->value,
                              .quantity = m->period,
                              .event = m->event_here,
                              .n = m->nmultiplier,
                              .re = m->re,
                              .im = m->im,
                              .accuracy = m->accuracy,
                              .error = NAN};
}

static void errors_at(const void *self, int i, double *value, double *period) {
    const zw_event_orbits *o = self;
    const zw_segmented_branch *b = &o->branch[o->motion[i].curve];
    zw_special_points p = {special_of, o, b->first, b->n, fabs(o->over.to - o->over.from), 1};
    zw_special_error(&p, i, value, period);
}

static zw_status note_head(const void *self, zw_table *t, const zw_model_source *source) {
    const zw_event_orbits *o = self;
    char key[ZW_PARAMETER_RANGE_NAME + 8];
    ZW_TRY(zw_study_origin(t, o->sys, o->stage[0]->eq.principle, o->p, o->options.active, source,
                           "response"));
    snprintf(key, sizeof key, "param %s", o->over.name);
    zw_table_remove_note(t, key); /* it varies */
    return zw_segmented_note_head(o, t);
}

/* what writing a table needs besides the orbits */
typedef struct written_orbits {
    zw_event_orbits *o;
    zw_segmented_noted noted;
} written_orbits;

static zw_status note_row(void *user, int i, const char *label, long row, zw_table *t,
                          zw_error *err) {
    written_orbits *w = user;
    return zw_segmented_note(w->o, i, label, row, &w->noted, t, err);
}

static zw_solutions solutions_of(const zw_event_orbits *o) {
    return (zw_solutions){.self = o,
                          .sys = o->sys,
                          .over = o->has_over ? &o->over : NULL,
                          .through_events = true,
                          .parts = "segments",
                          .accuracy_hint = "near grazing they grow without bound",
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

void zw_event_orbits_report(const zw_event_orbits *o, zw_report *out) {
    const zw_solutions s = solutions_of(o);
    zw_solutions_report(&s, out);
}

zw_status zw_event_orbits_table(zw_event_orbits *o, const zw_model_source *source, zw_table **out,
                                zw_error *err) {
    written_orbits w = {.o = o};
    zw_solutions s = solutions_of(o);
    s.writer = &w;
    return zw_solutions_table(&s, source, out, err);
}

/* -------------------------------------------------------------------------------------- a motion */

/* the segment with which the run begins, one with the constraints of the start of the model; -1 if
 * there is none */
static int first_segment(const zw_event_orbits *o, int number) {
    const zw_segmented_signature *s = &o->signature[number];
    size_t bytes = sizeof(bool) * (size_t)o->sys->nconstraint;
    for (int k = 0; k < s->n && !o->ground; k++)
        if (memcmp(o->stage[s->segment[k].stage]->on, o->first_on, bytes) == 0)
            return k;
    return o->ground ? s->first : -1; /* contact modes follow from the state */
}

/* where a run over one period begins: at the beginning of the orbit, or in the middle of
 * a segment */
typedef struct beginning {
    double t;
    double *x, *memory;
} beginning;

static zw_status in_the_middle(zw_event_orbits *o, int number, int first, beginning *at,
                               zw_error *err) {
    const zw_segmented_motion *m = &o->motion[number];
    int stride = o->nx + o->nmemory + 1, stage;
    ZW_TRY(zw_segmented_build(o, &o->signature[number], err));
    zw_segmented_refer(o->h, m->unknown);
    at->t += 0.5 * m->unknown[first * stride + stride - 1];
    return zw_segmented_state_at(o->h, m->unknown, m->value, at->t, at->x, at->memory, &stage, err);
}

static zw_status run_over(zw_event_orbits *o, int number, const beginning *at, int rows,
                          const zw_model_source *source, zw_table **out, double *gap,
                          zw_error *err) {
    const zw_segmented_motion *m = &o->motion[number];
    zw_sim_options options = zw_sim_options_default();
    zw_sim *sim = NULL;
    int np = 0;
    zw_sim_number *start = ZW_NEW(&o->arena, zw_sim_number, o->nx + 1),
                  *param = ZW_NEW(&o->arena, zw_sim_number, o->nmemory + 2);
    double *drift = ZW_NEW(&o->arena, double, o->nx + 1);
    if (o->arena.failed)
        return zw_out_of_memory(err, NULL);
    for (int i = 0; i < o->nx; i++) {
        start[i] = (zw_sim_number){.index = i, .value = at->x[i]};
        drift[i] = o->essential[i] ? o->signature[number].turn[i] / (2 * M_PI) : (double)NAN;
    }
    for (int i = 0; i < o->nmemory; i++)
        param[np++] = (zw_sim_number){.index = o->memory[i], .value = at->memory[i]};
    if (o->has_over && !isnan(m->value))
        param[np++] = (zw_sim_number){.index = o->over.parameter, .value = m->value};
    const zw_sim_numbers numbers = {.nparam = np, .param = param, .nstart = o->nx, .start = start};
    options.numbers = &numbers;
    if (o->ground)
        options.contacts = ZW_SIM_CONTACTS_EVENTS;
    options.start = o->autonomous ? 0 : at->t;
    options.until = options.start + m->period;
    options.step_out = m->period / rows;
    options.run.rtol = RUN_RTOL;
    options.run.atol = RUN_ATOL;
    zw_status status = zw_sim_create(&sim, o->sys, source, &options, err);
    if (status >= 0)
        status = zw_sim_run(sim, err);
    if (status >= 0) {
        *gap = zw_motion_gap(o->sys, zw_sim_rows(sim), drift, NULL);
        status = zw_table_thin(out, zw_sim_rows(sim), zw_table_rows(zw_sim_rows(sim)), err);
    }
    zw_sim_destroy(sim);
    return status;
}

zw_status zw_event_orbits_motion_table(zw_event_orbits *o, int number, int rows,
                                       const zw_model_source *source, zw_table **out, double *gap,
                                       zw_error *err) {
    assert(out);
    const zw_segmented_motion *m = &o->motion[number];
    int stride = o->nx + o->nmemory + 1, first = first_segment(o, number);
    beginning at = {.t = m->start,
                    .x = ZW_NEW(&o->arena, double, o->nx + 1),
                    .memory = ZW_NEW(&o->arena, double, o->nmemory + 1)};
    double own;
    *out = NULL;
    if (o->arena.failed)
        return zw_out_of_memory(err, NULL);
    if (first < 0)
        return zw_fail(err, ZW_E_OPTION,
                       "no segment of the orbit has the constraints that the model begins with: it "
                       "cannot be run from there");
    for (int k = 0; k < first; k++)
        at.t += m->unknown[k * stride + stride - 1];
    memcpy(at.x, m->unknown + (size_t)(first * stride), sizeof(double) * (size_t)o->nx);
    memcpy(at.memory, m->unknown + (size_t)(first * stride + o->nx),
           sizeof(double) * (size_t)o->nmemory);
    ZW_TRY(run_over(o, number, &at, rows, source, out, &own, err));
    if (own > CLOSURE_REPORTED && m->event[0] >= 0) { /* the event at its beginning acted twice */
        zw_table *other = NULL;
        double before = own;
        zw_status status = in_the_middle(o, number, first, &at, err);
        if (status >= 0)
            status = run_over(o, number, &at, rows, source, &other, &own, err);
        if (status == ZW_E_MEMORY) {
            zw_table_destroy(*out);
            *out = NULL;
            return status;
        }
        bool better = status >= 0 && own < before;
        zw_table_destroy(better ? *out : other);
        *out = better ? other : *out;
        own = better ? own : before;
    }
    if (gap)
        *gap = own;
    return ZW_OK;
}

/* ------------------------------------------------------------------------------------- warnings */

static void warn_motions(const zw_event_orbits *o, zw_warnings *out) {
    for (int i = 0; i < o->nmotion; i++) {
        const zw_segmented_motion *m = &o->motion[i];
        double size = m->nmultiplier ? fmax(1, hypot(m->re[0], m->im[0])) : 1;
        if (m->confirmed > CLOSURE_REPORTED * size) {
            zw_warning d = zw_warning_of(
                "period", NAN,
                "a run from the orbit has a closure error of %.1e of its size after one period",
                m->confirmed);
            zw_warnings_add(out, &d);
        }
        if (m->residual > RESIDUAL_REPORTED) {
            zw_warning d = zw_warning_of("residual", NAN,
                                         "the orbit fulfils its equations to %.1e of its size only",
                                         m->residual);
            zw_warnings_add(out, &d);
            return;
        }
    }
}

/* an event function that polynomials do not represent: its extremes are uncertain */
static void warn_misfit(const zw_event_orbits *o, zw_warnings *out) {
    double worst = 0;
    for (int i = 0; i < o->nmotion; i++)
        worst = fmax(worst, o->motion[i].margins.misfit);
    if (!(worst > MISFIT_REPORTED))
        return;
    zw_warning d =
        zw_warning_of("grazing", NAN,
                      "event functions change so quickly along the orbit that their extremes "
                      "are known to %.1e of their size only: grazing may be missed",
                      worst);
    zw_warnings_add(out, &d);
}

/* the orbit at which a branch leaves another one, or ends on it, is the special point of
 * that one */
static bool is_meeting(const zw_event_orbits *o, int i) {
    const zw_segmented_branch *b = &o->branch[o->motion[i].curve];
    return (b->parent >= 0 && i == b->first) || (b->meets >= 0 && i == b->first + b->n - 1);
}

static zw_check_point point_of(const void *self, int i) {
    const zw_event_orbits *o = self;
    const zw_segmented_motion *m = &o->motion[i];
    bool known = m->accuracy <= ZW_MULTIPLIER_USABLE && !(m->trivial > ZW_MULTIPLIER_USABLE) &&
                 m->verdict != ZW_FLOQUET_UNDECIDED && !is_meeting(o, i);
    return (zw_check_point){m->value, known ? m->outside : -1, m->event_here};
}

int zw_segmented_check(const zw_event_orbits *o, int first, int n, zw_contradiction *out) {
    zw_check_points p = {point_of, o, first, n};
    return zw_branch_check(&p, TURN_MIN * fabs(o->over.to - o->over.from), out);
}

static void warn_unresolved(const zw_event_orbits *o, zw_warnings *out) {
    for (int i = 0; i < o->nbranch; i++)
        for (int side = 0; side < 2; side++)
            zw_unresolved_warning(&o->branch[i].open[side], i, &o->over, out);
}

void zw_event_orbits_warnings(const zw_event_orbits *o, zw_warnings *out) {
    const zw_solutions solutions = solutions_of(o);
    zw_warning leaf;
    if (zw_leaf_warning(o->nhidden, "an orbit", &leaf))
        zw_warnings_add(out, &leaf);
    if (o->sim_warnings)
        zw_warnings_add_all(out, o->sim_warnings);
    zw_singular_warning(&o->singular, o->nmotion, "orbits", o->has_over ? &o->over : NULL, out);
    zw_solutions_warnings(&solutions, out);
    warn_motions(o, out);
    warn_misfit(o, out);
    warn_unresolved(o, out);
}
