/* SPDX-License-Identifier: MIT */
#include "job.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/interrupt.h"
#include "base/tolerance.h"
#include "num/options.h"
#include "progress.h"
#include "sim/options.h"

static volatile sig_atomic_t interrupted;
static volatile sig_atomic_t watching; /* the work checks whether it is interrupted */

static void on_interrupt(int signal_number) {
    interrupted = signal_number;
}

/* if there are no results to save; async-signal-safe functions only */
static void on_end(int signal_number) {
    static const char text[] = "\r\033[Kstopped before anything was found\n";
    const char *from = isatty(2) ? text : text + 4;
    ssize_t ignored = write(2, from, strlen(from));
    (void)ignored;
    _exit(128 + signal_number);
}

int cli_interrupted(void) {
    return interrupted;
}

static bool written;

void cli_note_written(void) {
    written = true;
}

bool cli_has_written(void) {
    return written;
}

const volatile sig_atomic_t *cli_interrupt(void) {
    return &interrupted;
}

bool cli_watch(void *options, double done) {
    (void)options;
    cli_show_progress(NULL, done);
    if (interrupted)
        zw_interrupt_heard();
    return interrupted != 0;
}

void cli_budget_used_up(void) {
    static const char text[] =
        "error: the time limit (--budget) was reached before there was a result\n"
        "hint: --budget=0 removes the limit\n";
    if (watching) {
        interrupted = CLI_BUDGET;
        return;
    }
    fputs(text, stderr);
    _exit(2);
}

static void set_callbacks(cli_job *j, zw_sim_options *options, bool print_events) {
    options->progress = cli_show_progress;
    options->event = print_events ? cli_print_event : NULL;
    options->again = print_events ? cli_discard_events : NULL;
    options->user = &j->events_printed;
    options->interrupt = &interrupted;
}

/* settings that a restarted run cannot change */
static zw_status check_restart(const zw_sim_options *options, const cli_options *o, zw_error *err) {
    if (cli_is_given(o, "start"))
        return zw_fail(err, ZW_E_OPTION, "--start: a restarted run starts where the result ends");
    if (o->energy && !options->energy) {
        zw_fail(err, ZW_E_OPTION, "--energy: the works up to here are not in the result");
        zw_error_hint(err, "run it from the start with --energy");
        return ZW_E_OPTION;
    }
    return ZW_OK;
}

/* Options of the command line override those of the result. Step, order and the stabilisation of
 * constraints belong to a method: a new method does not inherit them. */
static void override_options(zw_sim_options *options, const cli_options *o) {
    static const char *const of_method[] = {"step", "order", "constraints"};
    bool anew = cli_is_given(o, "method");
    for (const zw_option *row = zw_run_option_table; row->key; row++) {
        bool taken = cli_is_given(o, row->key);
        for (int i = 0; i < 3; i++)
            taken = taken || (anew && strcmp(row->key, of_method[i]) == 0);
        if (taken)
            zw_options_copy(row, &options->run, &o->run);
    }
    for (const zw_option *row = zw_sim_contact_table; row->key; row++)
        if (cli_is_given(o, row->key))
            zw_options_copy(row, options, &o->sim);
    options->until = o->until;
    options->jit = (zw_jit)o->jit;
    if (o->step_out > 0)
        options->step_out = o->step_out;
    if (o->by)
        options->principle = o->by;
}

static zw_status reopen_result(cli_job *j, bool print_events, zw_error *err) {
    const cli_options *o = j->o;
    zw_sim_options options;
    zw_model_source change = {.options = &j->model.options};
    ZW_TRY(j->path ? cli_model_open(&j->model, j->path, o, err)
                   : cli_model_begin(&j->model, o, err));
    ZW_TRY(cli_read_result(o, &j->before, o->restart, err));
    ZW_TRY(zw_sim_options_of(&options, j->before, err));
    ZW_TRY(check_restart(&options, o, err));
    override_options(&options, o);
    set_callbacks(j, &options, print_events);
    if (j->path)
        change = cli_model_source(&j->model, j->path);
    ZW_TRY(zw_sim_resume(&j->sim, j->model.ctx, j->before, &change, &options, err));
    ZW_TRY(cli_check_meaning(o, zw_sim_system(j->sim), err));
    return cli_guard_read_tables(o, zw_sim_system(j->sim), err);
}

/* "RESULT@TIME:NAMES" into the path, the time (NaN if not given) and the names, NULL: all */
static zw_status read_place(const char *text, char *path, size_t size, double *t,
                            const char **names, zw_error *err) {
    const char *at = strrchr(text, '@');
    char *end = NULL;
    *t = at ? strtod(at + 1, &end) : NAN;
    *names = at && *end == ':' ? end + 1 : NULL;
    if (at && (end == at + 1 || (*end && *end != ':')))
        return zw_fail(err, ZW_E_OPTION, "--start-from %.100s: behind @ stands a time in s", text);
    size_t n = at ? (size_t)(at - text) : strlen(text);
    if (n >= size)
        return zw_fail(err, ZW_E_OPTION, "--start-from: the name of the file is too long");
    memcpy(path, text, n);
    path[n] = '\0';
    return ZW_OK;
}

/* true if it is in "a,b" */
static bool is_listed(const char *names, const char *name) {
    size_t n = strlen(name);
    for (const char *p = names; p; p = strchr(p, ',') ? strchr(p, ',') + 1 : NULL)
        if (strcspn(p, ",") == n && strncmp(p, name, n) == 0)
            return true;
    return !names;
}

/* the row of a result at time t, which must be one of its times; at an event, the row after it */
static zw_status find_row(const zw_table *t, const char *path, double time, long *row,
                          zw_error *err) {
    int column = zw_table_find(t, "t");
    long near = 0, n = zw_table_rows(t);
    if (column < 0 || n == 0)
        return zw_fail(err, ZW_E_FILE, "--start-from: %s is not the result of a motion", path);
    *row = n - 1;
    if (isnan(time))
        return ZW_OK;
    for (long i = 0; i < n; i++)
        if (fabs(zw_table_at(t, i, column) - time) <= fabs(zw_table_at(t, near, column) - time))
            near = i;
    double there = zw_table_at(t, near, column);
    *row = near;
    if (fabs(there - time) <= ZW_SAME_VALUE * fmax(fabs(time), 1))
        return ZW_OK;
    zw_fail(err, ZW_E_OPTION,
            "--start-from: %s has no row at t = %.10g s, the nearest is at %.10g s", path, time,
            there);
    zw_error_hint(err, "--step-out of its run makes rows at the times that are wanted");
    return ZW_E_OPTION;
}

/* Start values of the coordinates and velocities that the result contains; others are those of the
 * model, or completed by the constraints. */
static zw_status start_from(cli_job *j, zw_sim_numbers *numbers, zw_error *err) {
    const zw_system *s = j->model.sys;
    char path[4096];
    const char *names;
    double time;
    long row;
    zw_sim_number *start =
        zw_context_alloc(j->model.ctx, sizeof *start * (size_t)(s->nq + s->nv + 1));
    if (!start)
        return zw_context_status(j->model.ctx, err);
    ZW_TRY(read_place(j->o->start_from, path, sizeof path, &time, &names, err));
    ZW_TRY(cli_guard_read(j->o, path, err));
    ZW_TRY(cli_read_result(j->o, &j->before, path, err));
    ZW_TRY(find_row(j->before, path, time, &row, err));
    int n = 0;
    for (int i = 0; i < s->nq + s->nv; i++) {
        const char *name = i < s->nq ? s->coord[i].name : s->velocity[i - s->nq].name;
        const char *unit = i < s->nq ? s->coord[i].unit : s->velocity[i - s->nq].unit;
        int column = zw_table_find(j->before, name);
        if (column < 0 || !is_listed(names, name))
            continue;
        if (strcmp(unit, zw_table_unit(j->before, column)) != 0)
            return zw_fail(err, ZW_E_UNIT,
                           "--start-from: %s is in '%s' in %s, and in '%s' in the model", name,
                           zw_table_unit(j->before, column), path, unit);
        start[n++] = (zw_sim_number){.index = i, .value = zw_table_at(j->before, row, column)};
    }
    if (n == 0) {
        zw_fail(err, ZW_E_NAME, "--start-from: %s has no coordinate or velocity of this model",
                path);
        return ZW_E_NAME;
    }
    *numbers = (zw_sim_numbers){.nstart = n, .start = start};
    return ZW_OK;
}

static zw_status open_new(cli_job *j, const char *path, const cli_options *o, bool print_events,
                          zw_error *err) {
    zw_sim_numbers numbers = {0};
    ZW_TRY(cli_model_open(&j->model, path, o, err));
    zw_sim_options options = zw_sim_options_default();
    options.start = o->start;
    options.until = o->until;
    options.step_out = o->step_out;
    options.jit = (zw_jit)o->jit;
    options.principle = o->by;
    options.energy = o->energy;
    options.run = o->run;
    zw_sim_options_share(&options, &o->sim);
    set_callbacks(j, &options, print_events);
    if (o->start_from) {
        ZW_TRY(start_from(j, &numbers, err));
        options.numbers = &numbers;
    }
    zw_model_source source = cli_model_source(&j->model, path);
    return zw_sim_create(&j->sim, j->model.sys, &source, &options, err);
}

zw_status cli_job_open(cli_job *j, const char *path, const cli_options *o, bool print_events,
                       zw_error *err) {
    *j = (cli_job){.o = o, .path = path};
    zw_status status =
        o->restart ? reopen_result(j, print_events, err) : open_new(j, path, o, print_events, err);
    cli_report_warnings(o, status >= 0 ? zw_sim_warnings(j->sim) : j->model.warnings, false);
    return status;
}

static const int signals[CLI_SIGNALS] = {SIGINT, SIGTERM, SIGHUP};

static void take_signals(struct sigaction before[CLI_SIGNALS], void (*handler)(int)) {
    struct sigaction action = {.sa_handler = handler, .sa_flags = SA_RESETHAND};
    for (int i = 0; i < CLI_SIGNALS; i++) {
        sigaction(signals[i], NULL, &before[i]);
        if (before[i].sa_handler != SIG_IGN)
            sigaction(signals[i], &action, NULL);
    }
}

void cli_signals_end_at_once(void) {
    struct sigaction before[CLI_SIGNALS];
    take_signals(before, on_end);
}

void cli_signals_begin(cli_signals *s) {
    zw_interrupt_by(&interrupted);
    take_signals(s->before, on_interrupt);
    watching++;
}

void cli_signals_end(const cli_signals *s) {
    watching--;
    zw_interrupt_heard();
    for (int i = 0; i < CLI_SIGNALS; i++)
        sigaction(signals[i], &s->before[i], NULL);
}

zw_status cli_job_run(cli_job *j, zw_error *err) {
    cli_signals watched;
    cli_signals_begin(&watched);
    zw_status status = zw_sim_run(j->sim, err);
    cli_signals_end(&watched);
    cli_end_progress();
    cli_report_warnings(j->o, zw_sim_warnings(j->sim), false); /* those found at the end */
    return status;
}

void cli_job_close(cli_job *j) {
    zw_sim_destroy(j->sim);
    zw_table_destroy(j->before);
    cli_model_close(&j->model);
}
