/* SPDX-License-Identifier: MIT */
/* What is said of a sweep: notes before and during the work, the report after it, warnings. */
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "sweep.h"

/* ---------------------------------------------------------------------------------------- notes */

void zw_sweep_note(const zw_sweep_study *s, const char *fmt, ...) {
    char line[6000];
    va_list args;
    if (!s->input.note)
        return;
    va_start(args, fmt);
    vsnprintf(line, sizeof line, fmt, args);
    va_end(args);
    s->input.note(s->input.user, line);
}

static const char *ending(uint64_t n) {
    return n == 1 ? "" : "s";
}

static void note_axes(const zw_sweep_study *s) {
    const zw_plan *p = zw_survey_plan(s->survey);
    char text[200];
    for (int i = 0; i < zw_plan_axes(p); i++) {
        zw_axis_text(zw_plan_axis(p, i), text, sizeof text);
        zw_sweep_note(s, "%s", text);
    }
    uint64_t points = zw_plan_points(p), motions = zw_survey_motions(s->survey);
    if (s->o->own.carry)
        zw_sweep_note(s, "%llu point%s, the state continues along %s (%llu motion%s)",
                      (unsigned long long)points, ending(points), zw_plan_axis(p, 0)->name,
                      (unsigned long long)motions, ending(motions));
    else
        zw_sweep_note(s, "%llu point%s", (unsigned long long)points, ending(points));
}

void zw_sweep_note_plan(const zw_sweep_study *s) {
    double error, period = 0, step = zw_survey_noise(s->survey, &error);
    int drives = zw_survey_drives(s->survey, &period);
    char effect[80] = "";
    if (s->o->files.worker > 0)
        return;
    note_axes(s);
    if (step > 0 && !isnan(error))
        snprintf(effect, sizeof effect, "; twice the step changes a motion by %.2g of its rms",
                 error);
    if (step > 0)
        zw_sweep_note(s, "noise of seed %llu, path = number of the sample, in steps of 2^%d s%s",
                      (unsigned long long)s->o->plan.seed, (int)lround(log2(step)), effect);
    if (drives > 1)
        zw_sweep_note(s, "%d excitations: a period is their common one, %.6g s at the first point",
                      drives, period);
}

/* ----------------------------------------------------------------------------------------- plan */

/* columns and keys call a start of x "x(0)" */
static const char *axis_name(const zw_axis *a, char *out, size_t size) {
    snprintf(out, size, "%s%s", a->name, a->start ? "(0)" : "");
    return out;
}

static void report_plan(const zw_sweep_study *s, zw_report *out) {
    const zw_plan *p = zw_survey_plan(s->survey);
    char text[200];
    zw_report_count(out, "points", (long)zw_plan_points(p));
    zw_report_count(out, "samples", (long)zw_plan_samples(p));
    zw_report_count(out, "seed", (long)s->o->plan.seed);
    zw_report_list(out, "axes");
    for (int i = 0; i < zw_plan_axes(p); i++) {
        const zw_axis *a = zw_plan_axis(p, i);
        zw_report_open(out, NULL);
        zw_report_word(out, "name", axis_name(a, text, sizeof text));
        zw_report_word(out, "unit", a->unit);
        zw_report_count(out, "values", (long)a->n);
        zw_axis_text(a, text, sizeof text);
        zw_report_word(out, "text", text);
        zw_report_close(out);
    }
    zw_report_close(out);
}

/* ------------------------------------------------------------------------------------ the result */

/* "point 3 (F = 2 N): why" */
static void report_failure(const zw_plan *plan, const zw_survey_failure *f, zw_report *out) {
    double value[ZW_PLAN_AXES];
    char name[ZW_AXIS_NAME + 8];
    bool known = plan && f->point < zw_plan_points(plan); /* it may come from a file */
    int n = known ? zw_plan_axes(plan) : 0;
    zw_report_open(out, NULL);
    zw_report_count(out, "point", (long)f->point);
    zw_report_word(out, "why", f->why);
    zw_report_say(out, n ? "  failed: point {point} (" : "  failed: point {point}");
    if (n)
        zw_plan_point(plan, f->point, value);
    zw_report_list(out, "values");
    for (int i = 0; i < n; i++) {
        const zw_axis *a = zw_plan_axis(plan, i);
        zw_report_open(out, NULL);
        zw_report_word(out, "name", axis_name(a, name, sizeof name));
        zw_report_number(out, "value", value[i], &(zw_shown){.unit = a->unit, .scale = a->factor});
        zw_report_say(out, i ? ", {name} = {value}" : "{name} = {value}");
        zw_report_close(out);
    }
    zw_report_close(out);
    zw_report_say(out, n ? "): {why}\n" : ": {why}\n");
    zw_report_close(out);
}

static void report_failures(const zw_plan *plan, const zw_survey_report *r, zw_report *out) {
    zw_report_count(out, "failed", (long)r->failed);
    zw_report_count(out, "failures_left_out", (long)r->failed - r->nfailure);
    zw_report_list(out, "failures");
    for (int i = 0; i < r->nfailure; i++)
        report_failure(plan, &r->failure[i], out);
    zw_report_close(out);
    if (r->failed > (uint64_t)r->nfailure)
        zw_report_say(out, "  and {failures_left_out} more: rows with end = -1\n");
}

static void report_counts(const zw_survey_report *r, zw_report *out) {
    zw_report_count(out, "motions", (long)r->motions);
    zw_report_count(out, "motions_planned", (long)r->of);
    zw_report_count(out, "motions_here", (long)r->here);
    zw_report_count(out, "rows", (long)r->rows);
    zw_report_number(out, "seconds", r->seconds, &(zw_shown){.unit = "s"});
    zw_report_flag(out, "joined", r->joined);
    zw_report_count(out, "ended_at_events", (long)r->stopped);
    zw_report_count(out, "with_warnings", (long)r->doubtful);
    zw_report_count(out, "damaged_chunks", (long)r->damaged);
    zw_report_word(out, "damage", r->damaged ? r->damage.text : NULL);
    zw_report_say(out, "{damaged_chunks?{damaged_chunks|chunk|chunks} of the journal damaged and "
                       "computed again: {damage}\n}");
}

static void report_engine(const zw_sweep_study *s, zw_report *out) {
    zw_ensemble_info info = {0};
    zw_survey_statistics(s->survey, &info, sizeof info);
    zw_report_word(out, "method", info.method);
    zw_report_count(out, "threads", info.threads);
    zw_report_word(out, "contacts", info.contacts);
    zw_report_count(out, "repeated_in_time_steps", (long)info.in_steps);
    zw_report_say(out, "{method? ({method})}\n{contacts?  contacts {contacts}\n}"
                       "{repeated_in_time_steps?  {repeated_in_time_steps} of these motions were "
                       "repeated in time steps\n}");
}

static void report_stop(const zw_sweep_study *s, zw_report *out) {
    const zw_survey_report *r = &s->report;
    zw_report_count(out, "motions_kept",
                    (long)(s->shared           ? r->here
                           : s->o->files.range ? 0
                                               : r->motions));
    if (s->stopped)
        zw_report_say(out, s->shared
                               ? "stopped: {motions_kept} of {motions_planned|motion|motions} "
                                 "are kept here; --resume continues\n"
                               : "stopped: {motions_kept} of "
                                 "{motions_planned|motion|motions} are kept\n");
}

static void report_jumps(const zw_sweep_study *s, zw_report *out) {
    int first = zw_survey_first_measure(s->survey);
    const zw_shown place = {.unit = zw_table_unit(s->names, 0), .digits = 8},
                   size = {.unit = zw_table_unit(s->names, first), .digits = 6};
    zw_report_word(out, "parameter", zw_table_name(s->names, 0));
    zw_report_word(out, "measure", zw_table_name(s->names, first));
    zw_report_list(out, "jumps");
    for (int i = 0; i < s->njump && i < ZW_SWEEP_JUMPS; i++) {
        const zw_sweep_jump *j = &s->jump[i];
        zw_report_open(out, NULL);
        zw_report_number(out, "low", j->low, &place);
        zw_report_number(out, "high", j->high, &place);
        zw_report_number(out, "from", j->from, &size);
        zw_report_number(out, "to", j->to, &size);
        zw_report_say(out,
                      "  jump between {parameter} = {low} and {high}: {measure} from {from} to "
                      "{to}\n");
        zw_report_close(out);
    }
    zw_report_close(out);
    if (s->njump > ZW_SWEEP_JUMPS)
        zw_report_say(out, "  further jumps are in the rows with jump = 1 and 2\n");
}

/* ---------------------------------------------------------------------------------- sensitivity */

static void report_number_with(zw_report *out, const char *key, double value, double error) {
    zw_report_number(
        out, key, value,
        &(zw_shown){.error = error, .digits = 5, .with_error = true, .error_digits = 2});
}

static void report_effect(const zw_sweep_study *s, int axis, const zw_sensitivity *e,
                          zw_report *out) {
    const zw_axis *a = zw_plan_axis(zw_survey_plan(s->survey), axis);
    char name[ZW_AXIS_NAME + 8];
    zw_report_open(out, NULL);
    zw_report_word(out, "name", axis_name(a, name, sizeof name));
    if (s->o->plan.design == ZW_PLAN_SALTELLI) {
        report_number_with(out, "alone", e->first, e->first_error);
        report_number_with(out, "in_total", e->total, e->total_error);
        zw_report_say(out, "  {name:-16} alone {alone:-20} in total {in_total}\n");
    } else {
        zw_report_number(out, "mean", e->mean, &(zw_shown){.digits = 5});
        report_number_with(out, "size", e->absolute, e->absolute_error);
        zw_report_number(out, "spread", e->sd, &(zw_shown){.digits = 5});
        zw_report_say(out, "  {name:-16} mean {mean:-12} size {size:-24} spread {spread}\n");
    }
    zw_report_close(out);
}

static void report_sensitivity(const zw_sweep_study *s, zw_report *out) {
    int n = zw_survey_measures(s->survey), axes = zw_plan_axes(zw_survey_plan(s->survey));
    bool sobol = s->o->plan.design == ZW_PLAN_SALTELLI;
    zw_report_list(out, "sensitivity");
    for (int i = 0; i < n && s->effect; i++) {
        zw_report_open(out, NULL);
        zw_report_word(out, "of", zw_table_name(s->names, zw_survey_first_measure(s->survey) + i));
        zw_report_count(out, sobol ? "samples" : "paths", (long)s->used[i]);
        zw_report_say(out,
                      sobol ? "{of} ({samples|sample|samples})\n" : "{of} ({paths|path|paths})\n");
        zw_report_list(out, "quantities");
        for (int k = 0; k < axes; k++)
            report_effect(s, k, &s->effect[i * axes + k], out);
        zw_report_close(out);
        zw_report_close(out);
    }
    zw_report_close(out);
}

/* ------------------------------------------------------------------------------------ the whole */

/* Words are those of the process that has joined the result. */
void zw_sweep_study_report(const void *study, zw_report *out) {
    const zw_sweep_study *s = study;
    const zw_survey_report *r = &s->report;
    zw_report_mute(out, !r->joined && (s->out || s->o->files.worker > 0));
    report_plan(s, out);
    report_counts(r, out);
    zw_report_say(out, "{motions} of {motions_planned|motion|motions}, {rows|row|rows}");
    report_engine(s, out);
    zw_report_say(out, "{ended_at_events?  {ended_at_events} ended at an event\n}");
    report_failures(zw_survey_plan(s->survey), r, out);
    report_jumps(s, out);
    report_sensitivity(s, out);
    zw_report_mute(out, false);
    report_stop(s, out);
}

void zw_sweep_report_parts(const zw_survey_report *r, zw_report *out) {
    report_counts(r, out);
    zw_report_say(out, "{motions} of {motions_planned|motion|motions}, {rows|row|rows}\n"
                       "{ended_at_events?  {ended_at_events} ended at an event\n}");
    report_failures(NULL, r, out);
}

/* ------------------------------------------------------------------------------------- warnings */

/* ", the first one point 0 (l = 1): the start fits 2 solutions" */
static void first_words(const zw_plan *plan, const zw_survey_failure *f, char *out, size_t size) {
    double value[ZW_PLAN_AXES];
    char name[ZW_AXIS_NAME + 8];
    bool known = plan && f->point < zw_plan_points(plan);
    size_t n =
        (size_t)snprintf(out, size, ", the first one point %llu", (unsigned long long)f->point);
    if (known)
        zw_plan_point(plan, f->point, value);
    for (int i = 0; known && i < zw_plan_axes(plan) && n < size; i++) {
        const zw_axis *a = zw_plan_axis(plan, i);
        n += (size_t)snprintf(out + n, size - n, "%s%s = %.10g%s%s", i ? ", " : " (",
                              axis_name(a, name, sizeof name), value[i] / a->factor,
                              a->unit[0] ? " " : "", a->unit);
    }
    if (n < size)
        snprintf(out + n, size - n, "%s: %s", known && zw_plan_axes(plan) ? ")" : "", f->why);
}

void zw_sweep_warn_doubtful(const zw_plan *plan, const zw_survey_report *r, zw_warnings *out) {
    char first[360] = "";
    if (r->doubtful == 0)
        return;
    if (r->doubt.why[0]) /* parts by --range keep only the number */
        first_words(plan, &r->doubt, first, sizeof first);
    zw_warning w =
        zw_warning_of("motions", NAN, "%llu of %llu motions have warnings%s",
                      (unsigned long long)r->doubtful, (unsigned long long)r->motions, first);
    zw_warnings_add(out, &w);
}

static void warn_noise(const zw_survey *s, zw_warnings *out) {
    double error;
    if (!zw_survey_noises_commute(s))
        zw_sim_noise_order_warning(out);
    zw_survey_noise(s, &error);
    if (!(error > ZW_SIM_NOISE_TOLERANCE))
        return;
    zw_warning w = zw_warning_of("noise step", NAN,
                                 "the motion on a single path depends on --noise-step: by %.2g of "
                                 "its rms where the step is doubled",
                                 error);
    zw_warning_hint(&w, "use only statistics that do not change with it");
    zw_warnings_add(out, &w);
}

void zw_sweep_study_warnings(const void *study, zw_warnings *out) {
    const zw_sweep_study *s = study;
    warn_noise(s->survey, out);
    zw_warnings_add_all(out, s->files);
    if (s->has_report)
        zw_sweep_warn_doubtful(zw_survey_plan(s->survey), &s->report, out);
}
