/* SPDX-License-Identifier: MIT */
/* A simulation, described: how it ended, by which method, its events, its energy, its last state. */
#include <math.h>
#include <string.h>

#include "internal.h"
#include "zwang/kernel.h"

/* ------------------------------------------------------------------------------------ the method */

/* null in JSON where there is none */
static void report_text(zw_report *out, const char *key, const char *text) {
    zw_report_word(out, key, text[0] ? text : NULL);
}

/* why there is no native code, where it would have paid */
static void report_code(const zw_run_info *run, zw_report *out) {
    zw_error why = {0};
    zw_report_flag(out, "native", run->native);
    if (run->native || zw_native_library(NULL, &why) >= 0)
        return;
    zw_report_word(out, "no_native_code", why.text);
    zw_report_word(out, "native_code_hint", why.hint);
}

static void report_method(const zw_sim_info *info, zw_report *out) {
    zw_report_word(out, "principle", info->principle);
    zw_report_word(out, "method", info->method);
    report_text(out, "method_reason", info->run.why);
    zw_report_count(out, "steps", info->run.steps);
    zw_report_count(out, "evaluations", info->run.rhs_calls);
    report_text(out, "noise", info->noise);
    zw_report_number(out, "noise_step", info->noise[0] ? info->noise_step : NAN,
                     &(zw_shown){.unit = "s"});
    zw_report_number(out, "noise_error", info->noise[0] ? info->noise_error : NAN, NULL);
    report_text(out, "contacts", info->contacts);
    report_text(out, "accuracy", info->estimate);
    zw_report_say(out, "  {method}{method_reason? (chosen: {method_reason})}, {steps|step|steps}, "
                       "{evaluations|evaluation|evaluations}, "
                       "{native?native}{native!interpreted} code\n"
                       "{noise?  noise: {noise}\n}{contacts?  contacts {contacts}\n}"
                       "{accuracy?  {accuracy}\n}");
    report_code(&info->run, out);
}

static void report_start(const zw_completion *c, zw_report *out) {
    if (c->n == 0)
        return;
    zw_report_open(out, "start");
    zw_report_say(out, "  completed: ");
    zw_completion_report(c, "  ", out);
    zw_report_close(out);
}

static void report_constraints(const zw_sim_info *info, zw_report *out) {
    if (info->nconstraint == 0)
        return;
    zw_report_open(out, "constraints");
    zw_report_count(out, "equations", info->nconstraint);
    zw_report_word(out, "kept_by", info->run.constraints);
    zw_report_number(out, "position_residual", info->run.position_residual,
                     &(zw_shown){.digits = 2});
    zw_report_number(out, "velocity_residual", info->run.velocity_residual,
                     &(zw_shown){.digits = 2});
    zw_report_say(out, "  constraints kept by {kept_by}, largest residuals: position "
                       "{position_residual}, velocity {velocity_residual}\n");
    zw_report_close(out);
}

/* ------------------------------------------------------------------------------------ the events */

/* rows of this event: their number, and the first and the last time */
static long count_event(const zw_table *events, int number, double *first, double *last) {
    int t = zw_table_find(events, "t");
    long n = 0;
    for (long i = 0; i < zw_table_rows(events); i++) {
        if ((int)zw_table_at(events, i, 0) != number)
            continue;
        *last = zw_table_at(events, i, t);
        *first = n++ ? *first : *last;
    }
    return n;
}

static void report_events(const zw_sim *sim, zw_report *out) {
    zw_report_list(out, "events");
    for (int i = 0; i < sim->nevent; i++) {
        double first = NAN, last = NAN;
        long n = count_event(sim->events, i, &first, &last);
        if (n == 0)
            continue;
        zw_report_open(out, NULL);
        zw_report_word(out, "name", sim->event[i]);
        zw_report_count(out, "count", n);
        zw_report_number(out, "first", first, &(zw_shown){.unit = "s"});
        zw_report_number(out, "last", last, &(zw_shown){.unit = "s"});
        zw_report_say(out, n == 1 ? "  event {name}: at t = {first}\n"
                                  : "  event {name}: {count|time|times}, from t = {first} to "
                                    "{last}\n");
        zw_report_close(out);
    }
    zw_report_close(out);
}

/* ------------------------------------------------------------------------------------ the energy */

/* works and drift in the last row, with the balance of energy */
static void report_works(const zw_table *rows, zw_report *out) {
    long last = zw_table_rows(rows) - 1;
    int drift = zw_table_find(rows, "drift");
    if (last < 0 || drift < 0)
        return;
    zw_report_list(out, "works");
    for (int i = zw_table_find(rows, "energy") + 1; i < drift; i++) {
        zw_report_open(out, NULL);
        zw_report_word(out, "name", zw_table_name(rows, i));
        zw_report_number(out, "value", zw_table_at(rows, last, i), &(zw_shown){.unit = "J"});
        zw_report_say(out, "  {name} {value}\n");
        zw_report_close(out);
    }
    zw_report_close(out);
    zw_report_number(out, "drift", zw_table_at(rows, last, drift), &(zw_shown){.unit = "J"});
    zw_report_say(out, "  drift {drift}\n");
}

static void report_energy(const zw_sim *sim, const zw_run_info *run, zw_report *out) {
    if (zw_sim_now(sim)->sys->nv == 0) /* models of states alone have none */
        return;
    zw_report_open(out, "energy");
    zw_report_number(out, "start", run->energy_start, &(zw_shown){.unit = "J"});
    zw_report_number(out, "end", run->energy_end, &(zw_shown){.unit = "J"});
    zw_report_say(out, "  energy {start} at the start, {end} at the end\n");
    report_works(sim->rows, out);
    zw_report_close(out);
}

/* -------------------------------------------------------------------------------------- the whole */

static void report_ending(const zw_sim *sim, const zw_sim_info *info, zw_report *out) {
    bool accumulated = info->ending == ZW_SIM_ACCUMULATED;
    report_text(out, "variant", zw_sim_now(sim)->sys->variant);
    zw_report_word(out, "ending", zw_sim_ending_text(info->ending));
    zw_report_number(out, "time", info->t, &(zw_shown){.unit = "s"});
    zw_report_number(out, "accumulation", accumulated ? info->accumulation : NAN,
                     &(zw_shown){.unit = "s"});
    zw_report_say(out, "{ending} at t = {accumulation?{accumulation}, the last one at {time}}"
                       "{accumulation!{time}}{variant?; variant {variant}}\n");
}

void zw_sim_report(const zw_sim *sim, zw_report *out) {
    zw_sim_info info = zw_sim_statistics(sim);
    report_ending(sim, &info, out);
    report_method(&info, out);
    report_start(zw_sim_completion(sim), out);
    zw_report_say(out, "{no_native_code?  {no_native_code}; {native_code_hint}\n}");
    report_constraints(&info, out);
    zw_report_count(out, "sampled_steps", info.run.by_series);
    zw_report_say(out,
                  "{sampled_steps?  in {sampled_steps|step|steps}, events of accelerations, of "
                  "forces or without bounds were found from samples: shorter ones can be "
                  "missed\n}");
    report_events(sim, out);
    report_energy(sim, &info.run, out);
}

void zw_sim_report_state(const zw_sim *sim, zw_report *out) {
    const zw_table *rows = sim->rows;
    long last = zw_table_rows(rows) - 1;
    zw_report_list(out, "end");
    for (int i = 1; last >= 0 && i <= zw_sim_statistics(sim).nstate; i++) {
        zw_report_open(out, NULL);
        zw_report_word(out, "name", zw_table_name(rows, i));
        zw_report_number(out, "value", zw_table_at(rows, last, i),
                         &(zw_shown){.unit = zw_table_unit(rows, i), .digits = 12});
        report_text(out, "unit", zw_table_unit(rows, i));
        zw_report_say(out, "  {name:-12} {value}\n");
        zw_report_close(out);
    }
    zw_report_close(out);
}
