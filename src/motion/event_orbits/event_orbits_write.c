/* SPDX-License-Identifier: MIT */
/* Orbits through events as text, as JSON and as tables. */
#include <assert.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/arena.h"
#include "event_orbits.h"
#include "mech/equations/variants.h"
#include "motion/motion_words.h"
#include "motion/notes.h"
#include "motion/orbits/orbit_normal.h"
#include "motion/segments/periodic.h"
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

static zw_motion_view view_of(const zw_event_orbits *o, const zw_segmented_motion *m) {
    return (zw_motion_view){.sys = o->sys,
                            .measure = m->measure,
                            .outside = m->outside,
                            .verdict = m->verdict,
                            .nmultiplier = m->nmultiplier,
                            .re = m->re,
                            .im = m->im,
                            .accuracy = m->accuracy};
}

static const char *events_of(const zw_segmented_motion *m) {
    return m->signature[0] ? m->signature : "none";
}

/* --------------------------------------------------------------------------------------- people */

static void put_orbit(zw_text *out, const zw_event_orbits *o, int number) {
    const zw_segmented_motion *m = &o->motion[number];
    zw_motion_view v = view_of(o, m);
    zw_text_printf(out, "  %d: ", number);
    zw_motion_put_stability(out, &v);
    if (o->has_over && !isnan(m->value)) {
        zw_text_printf(out, ", at %s = ", o->over.name);
        zw_motion_put_value(out, &o->over, m->value);
    }
    zw_text_printf(out, "; period %.10g s, events: %s\n", m->period, events_of(m));
    for (int i = 0; i < o->sys->nq; i++) {
        double one = zw_segmented_turn(o, i, o->p), all = o->signature[number].turn[i];
        if (all != 0 && one > 0)
            zw_text_printf(out, "    %s makes %.0f turn%s\n", o->sys->coord[i].name, all / one,
                           fabs(all) < 1.5 * one ? "" : "s");
    }
    zw_motion_put_multipliers(out, &v);
    zw_motion_put_drift(out, o->sys, m->drift);
    zw_motion_put_quantities(out, &v);
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

/* the drifts of a branch, from the least to the largest */
static void put_drifts(zw_text *out, const zw_event_orbits *o, const zw_segmented_branch *b) {
    for (int k = 0; k < o->nquantity; k++) {
        double low = INFINITY, high = -INFINITY;
        for (int i = b->first; i < b->first + b->n; i++) {
            double drift = o->motion[i].drift ? o->motion[i].drift[k] : 0;
            low = fmin(low, drift);
            high = fmax(high, drift);
        }
        zw_motion_put_drifts(out, o->sys, k, low, high);
    }
}

static void put_branch(zw_text *out, const zw_event_orbits *o, int index) {
    const zw_segmented_branch *b = &o->branch[index];
    int unstable = 0, unknown = 0;
    double low = INFINITY, high = -INFINITY, shortest = INFINITY, longest = 0;
    for (int i = b->first; i < b->first + b->n; i++) {
        const zw_segmented_motion *m = &o->motion[i];
        unstable += m->verdict == ZW_FLOQUET_UNSTABLE;
        unknown += m->verdict == ZW_FLOQUET_UNDECIDED && m->nmultiplier == 0;
        low = fmin(low, m->value);
        high = fmax(high, m->value);
        shortest = fmin(shortest, m->period);
        longest = fmax(longest, m->period);
    }
    zw_text_printf(out, "  branch %d: %d orbits from ", index, b->n);
    zw_motion_put_value(out, &o->over, low);
    zw_text_put(out, " to ");
    zw_motion_put_value(out, &o->over, high);
    zw_motion_put_unstable(out, b->n, unstable, unknown);
    zw_text_printf(out, ", periods %.6g to %.6g s; events: %s\n", shortest, longest,
                   b->n ? events_of(&o->motion[b->first]) : "none");
    put_drifts(out, o, b);
    zw_motion_put_origin(out, &o->over, b->parent, b->origin, b->origin_value, b->mirrored,
                         b->meets);
    for (int side = 0; side < 2; side++) {
        const char *direction = side ? "upwards" : "downwards";
        if (b->end[side] == ZW_CONT_ASKED && b->why[side][0])
            zw_text_printf(out, "    ends %s by %s\n", direction, b->why[side]);
        else if (b->end[side] != ZW_CONT_AT_BOUND && b->end[side] != ZW_CONT_GOES_ON)
            zw_text_printf(out, "    ends %s at %s\n", direction,
                           zw_motion_end_words(b->end[side]));
    }
    zw_contradiction open;
    int nopen = zw_segmented_check(o, b->first, b->n, &open);
    zw_contradiction_put(out, &open, nopen, &o->over);
    for (int i = b->first; i < b->first + b->n; i++) {
        const zw_segmented_motion *m = &o->motion[i];
        if (!zw_motion_is_event(m->event_here))
            continue;
        zw_special_points p = {special_of, o, b->first, b->n, fabs(o->over.to - o->over.from), 1};
        double error, open_period;
        zw_special_error(&p, i, &error, &open_period);
        zw_text_put(out, "    ");
        zw_motion_put_known(out, &o->over, m->value, error);
        zw_text_printf(out, "  %s", zw_motion_event_sentence(m->event_here));
        zw_orbits_put_normal(out, m->normal);
        zw_text_put(out, "; period ");
        zw_text_known(out, m->period, open_period, 6);
        zw_text_put(out, " s\n");
    }
}

char *zw_event_orbits_text(const zw_event_orbits *o) {
    zw_text out;
    zw_allocator alloc = zw_context_allocator(o->sys->ctx);
    zw_text_init(&out, &alloc);
    if (o->nbranch) {
        zw_text_printf(&out, "%s: orbits through events over %s\n", o->sys->name, o->over.name);
        for (int i = 0; i < o->nbranch; i++)
            put_branch(&out, o, i);
        zw_bifurcation_curves_put(&out, &o->marks, &o->over);
        return zw_text_take(&out);
    }
    zw_text_printf(&out, "%s: %d orbit%s through events\n", o->sys->name, o->nmotion,
                   o->nmotion == 1 ? "" : "s");
    for (int i = 0; i < o->nmotion; i++)
        put_orbit(&out, o, i);
    return zw_text_take(&out);
}

/* ----------------------------------------------------------------------------------------- JSON */

static void json_segments(zw_text *out, const zw_event_orbits *o, const zw_segmented_motion *m) {
    int stride = o->nx + o->nmemory + 1;
    zw_text_put(out, ",\n  \"segments\": [");
    for (int k = 0; k < m->nsegment; k++) {
        const double *z = m->unknown + (size_t)(k * stride);
        zw_text_put(out, k ? ", {\"event\": " : "{\"event\": ");
        if (m->event[k] < 0)
            zw_text_put(out, "null");
        else
            zw_text_json(out, m->name[k]);
        zw_text_put(out, ", ");
        zw_motion_json_number(out, "duration", z[stride - 1]);
        zw_text_put(out, ", \"start\": [");
        for (int i = 0; i < o->nx; i++) {
            zw_text_put(out, i ? ", " : "");
            zw_text_json_number(out, z[i]);
        }
        zw_text_put(out, "]}");
    }
    zw_text_put(out, "]");
}

static void json_orbit(zw_text *out, const zw_event_orbits *o, const zw_segmented_motion *m) {
    zw_motion_view v = view_of(o, m);
    zw_text_put(out, "{");
    if (o->has_over) {
        zw_motion_json_number(out, "value", m->value);
        zw_text_put(out, ", ");
    }
    zw_motion_json_number(out, "period", m->period);
    zw_text_put(out, ", ");
    zw_motion_json_number(out, "begins", m->start);
    zw_text_put(out, ", \"signature\": ");
    zw_text_json(out, m->signature);
    zw_text_put(out, ", ");
    zw_motion_json_number(out, "error", m->residual);
    zw_text_put(out, ", ");
    zw_motion_json_number(out, "trivial", m->trivial);
    zw_text_put(out, ", ");
    zw_motion_json_number(out, "crossing", m->margins.crossing);
    zw_text_put(out, ", ");
    zw_motion_json_number(out, "clearance", m->margins.clearance);
    zw_text_printf(out, ", \"branch\": %d, \"event\": \"%s\", ", m->curve,
                   zw_motion_event_word(m->event_here));
    zw_motion_json(out, &v);
    if (m->drift) {
        zw_text_put(out, ", \"drift\": [");
        for (int i = 0; i < o->sys->nq; i++) {
            zw_text_put(out, i ? ", " : "");
            zw_text_json_number(out, m->drift[i]);
        }
        zw_text_put(out, "]");
    }
    zw_orbits_json_normal(out, m->normal);
    json_segments(out, o, m);
    zw_text_put(out, "}");
}

char *zw_event_orbits_json(const zw_event_orbits *o) {
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

static int most_multipliers(const zw_event_orbits *o) {
    int most = 0;
    for (int i = 0; i < o->nmotion; i++)
        if (o->motion[i].curve >= 0 && o->motion[i].nmultiplier > most)
            most = o->motion[i].nmultiplier;
    return most;
}

static zw_status begin_table(const zw_event_orbits *o, zw_table *t, int multipliers,
                             const zw_model_source *source) {
    static const char *const others[] = {"period", "segments", "error", "curve"};
    char key[ZW_PARAMETER_RANGE_NAME + 8];
    ZW_TRY(zw_table_column(t, o->over.name, o->over.unit));
    ZW_TRY(zw_motion_measure_columns(o->sys, t));
    ZW_TRY(zw_motion_stability_columns(t));
    for (size_t i = 0; i < sizeof others / sizeof *others; i++)
        ZW_TRY(zw_table_column(t, others[i], i == 0 ? "s" : ""));
    ZW_TRY(zw_motion_multiplier_columns(t, multipliers));
    ZW_TRY(zw_study_origin(t, o->sys, o->stage[0]->eq.principle, o->p, o->options.active, source,
                           "response"));
    snprintf(key, sizeof key, "param %s", o->over.name);
    zw_table_remove_note(t, key); /* it varies */
    return zw_segmented_note_head(o, t);
}

static zw_status fill_table(zw_event_orbits *o, zw_table *t, double *row,
                            const zw_model_source *source, zw_error *err) {
    char label[ZW_ORBITS_LABEL];
    int marks = 0, last = -1, multipliers = most_multipliers(o);
    zw_segmented_noted noted = {0};
    ZW_TRY(begin_table(o, t, multipliers, source));
    for (int i = 0; i < o->nmotion; i++) {
        const zw_segmented_motion *m = &o->motion[i];
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
        row[n++] = m->nsegment;
        row[n++] = m->residual;
        row[n++] = m->curve;
        zw_motion_fill_multipliers(&v, multipliers, row + n);
        ZW_TRY(zw_table_row(t, row));
        zw_event_orbits_label(o, i, label);
        if (zw_motion_is_event(m->event_here))
            ZW_TRY(zw_motion_mark(t, marks++, m->event_here, m->value / o->over.factor, label));
        ZW_TRY(zw_segmented_note(o, i, label, zw_table_rows(t) - 1, &noted, t, err));
    }
    return ZW_OK;
}

zw_status zw_event_orbits_table(zw_event_orbits *o, const zw_model_source *source, zw_table **out,
                                zw_error *err) {
    assert(out);
    zw_allocator alloc = zw_context_allocator(o->sys->ctx);
    size_t bytes = sizeof(double) *
                   (size_t)(ZW_MOTION_MEASURES * o->nquantity + 2 * (o->nx + o->nmemory) + 16);
    *out = NULL;
    if (!o->has_over)
        return zw_fail(err, ZW_E_OPTION, "without a branch there is no table of one");
    double *row = zw_allocate(&alloc, bytes);
    *out = row ? zw_table_create(&alloc) : NULL;
    zw_status status = *out ? fill_table(o, *out, row, source, err) : ZW_E_MEMORY;
    zw_release(&alloc, row, bytes);
    if (status >= 0)
        return status;
    zw_table_destroy(*out);
    *out = NULL;
    return zw_fail(err, status, "the table of orbits could not be made");
}

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

static void warn_multipliers(const zw_event_orbits *o, zw_warnings *out) {
    int unknown = 0, untrue = 0;
    double worst = 0;
    for (int i = 0; i < o->nmotion; i++) {
        const zw_segmented_motion *m = &o->motion[i];
        unknown += o->options.stability && m->outside < 0 && m->event_here != ZW_BIFURCATION_GRAZE;
        untrue += m->outside >= 0 && m->event_here != ZW_BIFURCATION_GRAZE &&
                  (m->trivial > ZW_MULTIPLIER_USABLE || m->accuracy > ZW_MULTIPLIER_USABLE);
        worst = fmax(worst, fmax(isnan(m->trivial) ? 0 : m->trivial, m->accuracy));
    }
    if (unknown) {
        zw_warning d = zw_warning_of("multipliers", NAN,
                                     "the multipliers of %d of %d orbits could not be found",
                                     unknown, o->nmotion);
        zw_warnings_add(out, &d);
    }
    if (untrue) {
        zw_warning d = zw_warning_of(
            "accuracy", NAN,
            "the multipliers of %d of %d orbits are known to less than three digits: to %.1e",
            untrue, o->nmotion, worst);
        zw_warning_hint(&d, "near grazing they grow without bound");
        zw_warnings_add(out, &d);
    }
}

static void warn_motions(const zw_event_orbits *o, zw_warnings *out) {
    for (int i = 0; i < o->nmotion; i++) {
        const zw_segmented_motion *m = &o->motion[i];
        double size = m->nmultiplier ? fmax(1, hypot(m->re[0], m->im[0])) : 1;
        if (m->confirmed > CLOSURE_REPORTED * size) {
            zw_warning d = zw_warning_of(
                "period", NAN,
                "a run from the orbit misses its beginning by %.1e of its size after one period",
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

static void warn_contradictions(const zw_event_orbits *o, zw_warnings *out) {
    for (int i = 0; i < o->nbranch; i++) {
        zw_contradiction first;
        int n = zw_segmented_check(o, o->branch[i].first, o->branch[i].n, &first);
        zw_contradiction_warning(&first, n, i, &o->over, out);
        for (int side = 0; side < 2; side++)
            zw_unresolved_warning(&o->branch[i].open[side], i, &o->over, out);
    }
}

void zw_event_orbits_doubts(const zw_event_orbits *o, zw_warnings *out) {
    zw_warning leaf;
    if (zw_leaf_warning(o->nhidden, "an orbit", &leaf))
        zw_warnings_add(out, &leaf);
    if (o->sim_warnings)
        zw_warnings_add_all(out, o->sim_warnings);
    zw_singular_warning(&o->singular, o->nmotion, "orbits", o->has_over ? &o->over : NULL, out);
    warn_multipliers(o, out);
    warn_motions(o, out);
    warn_misfit(o, out);
    if (o->has_over)
        warn_contradictions(o, out);
    zw_bifurcation_curves_warnings(&o->marks, out);
    if (o->unswitched) {
        zw_warning d = zw_warning_of(
            "switch", NAN, "at %d mark%s the branch that leaves there was not found; at %s = %.9g",
            o->unswitched, o->unswitched == 1 ? "" : "s", o->over.name,
            o->unswitched_value / o->over.factor);
        zw_warnings_add(out, &d);
    }
    for (int i = 0; i < o->nbranch; i++)
        for (int side = 0; side < 2; side++) {
            const zw_segmented_branch *b = &o->branch[i];
            if (b->end[side] != ZW_CONT_STUCK && b->end[side] != ZW_CONT_POINTS)
                continue;
            zw_warning d = zw_warning_of("branch", NAN, "branch %d ends at %s%s%.200s", i,
                                         zw_motion_end_words(b->end[side]),
                                         b->why[side][0] ? ": " : "", b->why[side]);
            zw_warnings_add(out, &d);
        }
}
