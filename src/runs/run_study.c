/* SPDX-License-Identifier: MIT */
/* One motion of a model as a study: integrated from its start, or from the end of a result. */
#include <stdio.h>
#include <string.h>

#include "base/arena.h"
#include "num/options.h"
#include "run_study.h"
#include "sim/options.h"
#include "zwang/claims.h"

#define AT(field) offsetof(zw_run_study_options, field)

enum { WATCHED = 8, EVENTS_SHOWN = 20 };

/* Drift relative to the sizes of the terms of an observable, the limit of runs for the energy. */
#define DRIFT_MAX 0.02

static const zw_option common_table[] = {
    {"until", ZW_OPT_DOUBLE, AT(sim.until), 10, -1e12, 1e12, "s", NULL, "end time of the run"},
    {"step-out", ZW_OPT_DOUBLE, AT(sim.step_out), 0, 0, 1e12, "s", NULL,
     "time between output rows; 0: a thousandth of the run"},
    {"start", ZW_OPT_DOUBLE, AT(sim.start), 0, -1e12, 1e12, "s", NULL, "time of the start values"},
    {"energy", ZW_OPT_FLAG, AT(sim.energy), 0, 0, 0, "", NULL,
     "columns of the energy balance: work(NAME) of every force that does work, and the drift"},
    {0},
};
static const zw_option rare_table[] = {
    {"section", ZW_OPT_LIST, AT(section), 0, 0, 0, "", "EVENT",
     "events written to --events (default: all); may be repeated"},
    {"wrap", ZW_OPT_FLAG, AT(wrap), 0, 0, 0, "", NULL,
     "periodic coordinates in --events reduced to one period"},
    {"start-from", ZW_OPT_STRING, AT(start_from), 0, 0, 0, "", "RESULT@TIME:NAMES",
     "start values from a result of another model, at this time (default: its last) and of these "
     "names (default: all that both have)"},
    {"restart", ZW_OPT_STRING, AT(restart), 0, 0, 0, "", "RESULT",
     "result to be continued by MODEL, an edited version of its model"},
    {"by", ZW_OPT_STRING, AT(sim.principle), 0, 0, 0, "", "PRINCIPLE",
     "principle for the equations of motion (default lagrange)"},
    {"jit", ZW_OPT_CHOICE, AT(sim.jit), ZW_JIT_WHEN_IT_PAYS, 0, 0, "", "off|auto|on",
     "native code: never, if it pays off, or from the start"},
    {0},
};

static const zw_option_group groups[] = {
    {"options", common_table, 0, false},
    {"more options", rare_table, 0, true},
    {"integration", zw_run_option_table, AT(sim.run), true},
    {"contacts", zw_sim_contact_table, AT(sim), true},
    {"noise", zw_sim_noise_table, AT(sim), true},
    {NULL, NULL, 0, false},
};

static void begin_options(void *options) {
    zw_run_study_options *o = options;
    o->sim = zw_sim_options_default();
}

typedef struct run_study {
    zw_allocator alloc;
    const zw_study_input *input;
    const zw_run_study_options *o;
    zw_sim *sim;
    zw_table *file; /* a result that was read for an option; NULL: none */
    zw_sim_numbers numbers;
    long events; /* number of events so far that the user has been shown */
    int nwatched;
    zw_watched watched[WATCHED];
    zw_warnings *warnings; /* of the file */
} run_study;

/* ------------------------------------------------------------------------------------- callbacks */

static bool ask_stop(void *user, double done) {
    const zw_study_input *input = ((run_study *)user)->input;
    return input->stop && input->stop(input->user, done);
}

static void send_note(const run_study *s, const char *text) {
    if (s->input->note)
        s->input->note(s->input->user, text);
}

static void show_event(void *user, const char *name, double t) {
    run_study *s = user;
    char text[256];
    if (++s->events > EVENTS_SHOWN + 1)
        return;
    if (s->events > EVENTS_SHOWN)
        snprintf(text, sizeof text, "further events are not shown (--events FILE has all)");
    else
        snprintf(text, sizeof text, "event %.180s at t = %.12g s", name, t);
    send_note(s, text);
}

static void discard_events(void *user, double t) {
    run_study *s = user;
    char text[256];
    snprintf(text, sizeof text,
             "the run from event to event fails at t = %.6g s; it is discarded with the events "
             "above and begins again in time steps",
             t);
    if (s->events)
        send_note(s, text);
    s->events = 0;
}

static void set_callbacks(run_study *s, zw_sim_options *options) {
    options->stop = ask_stop;
    options->event = show_event;
    options->again = discard_events;
    options->user = s;
}

/* --------------------------------------------------------------------------------------- creation */

static zw_status check_options(const zw_run_study_options *o, const zw_study_input *input,
                               zw_error *err) {
    if (o->start_from && (o->restart || input->result))
        return zw_fail(err, ZW_E_OPTION,
                       "--start-from: a continued run starts at the end of its result");
    if (o->restart && input->result) {
        zw_fail(err, ZW_E_OPTION, "--restart: %s is a result already", input->result_path);
        zw_error_hint(err, "one result is continued, with its own model or with a changed one");
        return ZW_E_OPTION;
    }
    if ((o->section.n || o->wrap) && input->nwanted && !zw_study_wants(input, "events"))
        return zw_fail(err, ZW_E_OPTION, "--section and --wrap are for the file of --events");
    return ZW_OK;
}

static zw_status create_new(run_study *s, zw_error *err) {
    zw_sim_options options = s->o->sim;
    set_callbacks(s, &options);
    if (s->o->start_from) {
        ZW_TRY(zw_run_start_from(&s->numbers, &s->file, s->input->system, s->o->start_from, err));
        options.numbers = &s->numbers;
    }
    return zw_sim_create(&s->sim, s->input->system, s->input->source, &options, err);
}

/* The model is read once more, with the values that events had set at the end of the result. */
static zw_status create_resumed(run_study *s, const zw_table *result, zw_error *err) {
    zw_sim_options options;
    const zw_model_options none = {.size = sizeof none};
    const zw_model_source own = {.options = s->input->change ? s->input->change : &none};
    ZW_TRY(zw_run_resumed_options(&options, result, s->o, s->input, err));
    set_callbacks(s, &options);
    return zw_sim_resume(&s->sim, s->input->system->ctx, result,
                         s->input->result ? &own : s->input->source, &options, err);
}

static zw_status create_sim(run_study *s, zw_error *err) {
    if (s->input->result)
        return create_resumed(s, s->input->result, err);
    if (!s->o->restart)
        return create_new(s, err);
    ZW_TRY(zw_table_read(&s->file, s->o->restart, err));
    return create_resumed(s, s->file, err);
}

/* The names of --section are checked before the run. */
static zw_status check_section(const run_study *s, zw_error *err) {
    zw_table *none = NULL;
    zw_status status =
        zw_sim_section(s->sim, s->o->section.n, s->o->section.item, s->o->wrap, &none, err);
    zw_table_destroy(none);
    return status;
}

static void destroy_study(void *study) {
    run_study *s = study;
    zw_allocator alloc = s->alloc;
    zw_sim_destroy(s->sim);
    zw_table_destroy(s->file);
    zw_warnings_destroy(s->warnings);
    zw_release(&alloc, s, sizeof *s);
}

static zw_status fill_study(run_study *s, zw_error *err) {
    if (!(s->warnings = zw_warnings_create(&s->alloc)))
        return zw_out_of_memory(err, NULL);
    ZW_TRY(check_options(s->o, s->input, err));
    ZW_TRY(create_sim(s, err));
    if (s->file)
        zw_warnings_of_file(s->warnings, s->file, s->o->restart ? s->o->restart : s->o->start_from);
    return check_section(s, err);
}

static zw_status create_study(void **out, const zw_study_input *input, void *options,
                              zw_error *err) {
    zw_allocator alloc = zw_context_allocator(input->system->ctx);
    run_study *s = zw_allocate(&alloc, sizeof *s);
    if (!s)
        return zw_out_of_memory(err, NULL);
    *s = (run_study){.alloc = alloc, .input = input, .o = options};
    zw_status status = fill_study(s, err);
    if (status < 0)
        destroy_study(s);
    else
        *out = s;
    return status;
}

/* ------------------------------------------------------------------------------------------- work */

/* observables that the model conserves, but the run did not */
static zw_status warn_drifts(run_study *s, zw_error *err) {
    ZW_TRY(zw_conserved_watch(zw_sim_system(s->sim), NULL, zw_sim_rows(s->sim), WATCHED, s->watched,
                              &s->nwatched, err));
    for (int i = 0; i < s->nwatched; i++) {
        const zw_watched *w = &s->watched[i];
        if (w->drift <= DRIFT_MAX)
            continue;
        zw_warning d = zw_warning_of("drift of an observable", w->t,
                                     "%s is constant by the model, but has changed by %.2g of the "
                                     "size of its terms: integration errors have accumulated",
                                     w->name, w->drift);
        zw_warning_hint(&d, "smaller tolerances, or a smaller step");
        zw_sim_warning(s->sim, &d);
    }
    return ZW_OK;
}

static zw_status run_model(void *study, const zw_study_input *input, zw_error *err) {
    run_study *s = study;
    zw_error later = {0};
    (void)input;
    ask_stop(s, 0);
    zw_status status = zw_sim_run(s->sim, err);
    zw_status seen = warn_drifts(s, &later);
    if (status < 0 || seen >= 0)
        return status;
    *err = later;
    return seen;
}

static bool has_rows(const void *study, zw_status status) {
    (void)study, (void)status;
    return true;
}

/* ---------------------------------------------------------------------------------------- results */

static void report_conserved(const run_study *s, zw_report *out) {
    zw_report_list(out, "conserved");
    for (int i = 0; i < s->nwatched; i++) {
        zw_report_open(out, NULL);
        zw_report_word(out, "name", s->watched[i].name);
        zw_report_number(out, "drift", s->watched[i].drift, &(zw_shown){.digits = 2});
        zw_report_number(out, "time", s->watched[i].t, &(zw_shown){.unit = "s"});
        zw_report_say(out, "  {name} is constant up to {drift} of the size of its terms\n");
        zw_report_close(out);
    }
    zw_report_close(out);
}

/* in words only if the motion itself is not written */
static void report_state(const run_study *s, zw_report *out) {
    bool goes = zw_study_wants(s->input, "out") != NULL;
    zw_report_mute(out, goes);
    zw_sim_report_state(s->sim, out);
    zw_report_say(out, "  (--out run.csv writes the motion, --plot x,y draws it)\n");
    zw_report_mute(out, false);
}

static void list_warnings(const void *study, zw_warnings *out) {
    const run_study *s = study;
    zw_warnings_add_all(out, zw_sim_warnings(s->sim));
    zw_warnings_add_all(out, s->warnings);
}

static void report_run(const void *study, zw_report *out) {
    const run_study *s = study;
    zw_report_say(out, "{model}: ");
    zw_sim_report(s->sim, out);
    report_conserved(s, out);
    report_state(s, out);
    const zw_warnings *list = zw_sim_warnings(s->sim);
    zw_report_count(out, "warning_count", zw_warnings_count(list) + zw_warnings_lost(list));
    zw_report_say(out, "  {warning_count?{warning_count|warning|warnings}}"
                       "{warning_count!no warnings}\n");
}

static zw_status make_table(void *study, const zw_study_input *input, const char *which,
                            zw_table **out, zw_error *err) {
    const run_study *s = study;
    (void)input;
    if (strcmp(which, "events") == 0)
        return zw_sim_section(s->sim, s->o->section.n, s->o->section.item, s->o->wrap, out, err);
    return zw_table_share(out, zw_sim_rows(s->sim), err);
}

static const zw_study_output outputs[] = {
    {.key = "out",
     .about = "the motion, a row for each time: .csv, .json, .h5; -: standard output"},
    {.key = "events", .about = "the states at the events, in the same formats"},
    {0},
};

const zw_study_kind zw_study_run = {
    .name = "run",
    .question = "How does it move?",
    .about = "integrate the motion from one start, write it, draw it",
    .usage = "run MODEL --until T [--step-out DT] [--set a=b] [--out F.csv] [--plot WHAT]\n"
             "       zwang run RESULT.csv --until T [--out LONGER.csv]",
    .details = "Start values that the model does not state are computed from the constraints; a "
               "start that contradicts them is an error. With a RESULT in place of the model, the "
               "run continues from its last row, with its model and options unless others are "
               "given. Ctrl-C ends the run and writes the rows so far. Exit codes: 0 done; 1 an "
               "error in the model or the command line, or a file that could not be written; 2 the "
               "numerics failed; 3 out of memory; 4 warnings, with --strict; 130 Ctrl-C (143 kill, "
               "129 hangup). Numbers are in SI units unless a unit is written: --until 2min.",
    .examples =
        "  zwang run models/turntable_ball.zw --until 20 --out run.csv --plot x,y\n"
        "  zwang run models/pendulum_polar.zw --until 60 --plot theta:t --picture swing.pdf\n"
        "  zwang run models/turntable_ball.zw --set Omega=33.3rpm --set \"nu=5 [g/s]\" --until 20\n"
        "  zwang run models/duffing.zw --until 100 --json --quiet\n"
        "  zwang run run.csv --until 40 --out longer.csv\n",
    .call = "run duffing --until 10",
    .printed = "duffing: reached the end at t = 10 s\n"
               "  Runge-Kutta 8(7) (chosen: no stiffness found), 66 steps, 1136 evaluations, ...\n"
               "  energy 0 J at the start, 1.543922116 J at the end\n"
               "  x            0.561824319898 m\n"
               "  x'           -1.64996402631 m/s\n"
               "  (--out run.csv writes the motion, --plot x,y draws it)\n"
               "  no warnings\n",
    .groups = groups,
    .size = sizeof(zw_run_study_options),
    .begin = begin_options,
    .results = true,
    .motion = true,
    .random = true,
    .endless = true,
    .outputs = outputs,
    .create = create_study,
    .work = run_model,
    .has_results = has_rows,
    .report = report_run,
    .warnings = list_warnings,
    .table = make_table,
    .destroy = destroy_study,
};
