/* SPDX-License-Identifier: MIT */
#include <errno.h>
#include <math.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "cli.h"
#include "num/options.h"
#include "picture.h"
#include "record.h"

#define AT(field) offsetof(cli_options, field)

enum { ROWS_DEFAULT = 1000, ROWS_MAX = 100 * 1000 * 1000 };

static const zw_option table[] = {
    {"until", ZW_OPT_DOUBLE, AT(until), 10, 0, 1e12, "s", NULL, "end of the run; it starts at 0"},
    {"step-out", ZW_OPT_DOUBLE, AT(step_out), 0, 0, 1e12, "s", NULL,
     "time between rows, 0: a thousandth of the run"},
    {"out", ZW_OPT_STRING, AT(out), 0, 0, 0, "", "FILE.csv",
     "the result as CSV; - is standard output"},
    {"events", ZW_OPT_STRING, AT(events), 0, 0, 0, "", "FILE.csv",
     "the states at the events as CSV"},
    {"json", ZW_OPT_FLAG, AT(json), 0, 0, 0, "", NULL, "the result as JSON on standard output"},
    {"plot", ZW_OPT_LIST, AT(plot), 0, 0, 0, "", "y:t|x,y",
     "draw y over t, or the path in the x-y plane; may be repeated"},
    {"picture", ZW_OPT_STRING, AT(picture), 0, 0, 0, "", "FILE",
     "the picture's file: .svg, .pdf or .png (default MODEL_WHAT.svg)"},
    {"by", ZW_OPT_STRING, AT(by), 0, 0, 0, "", "PRINCIPLE", "the principle (default lagrange)"},
    {"jit", ZW_OPT_CHOICE, AT(jit), 1, 0, 0, "", "off|auto|on",
     "native code: never, when it pays, at once"},
    {"quiet", ZW_OPT_FLAG, AT(quiet), 0, 0, 0, "", NULL, "no summary, no progress"},
    {0},
};

static volatile sig_atomic_t interrupted;

static void on_interrupt(int signal_number) {
    (void)signal_number;
    interrupted = 1;
}

typedef struct job {
    const cli_options *o;
    cli_model model;
    const char *path;
    zw_equations eq;
    zw_kernel *kernel;
    zw_run *run;
    record rec;
    double *p, *x; /* parameters, start of the system */
    double *state; /* start of the equations */
    bool *fixed;
} job;

/* ----------------------------------------------------------------------------- faults by name */

/* a row of position or velocity level: a constraint, behind them the starts */
static void name_row(const zw_system *s, int n, const int *constraint, const int *start, int row,
                     char *name, size_t size, zw_place *place) {
    if (row < n) {
        snprintf(name, size, "constraint %s", s->constraint[constraint[row]].name);
        *place = s->constraint[constraint[row]].place;
    } else {
        snprintf(name, size, "start of %s", s->start[start[row - n]].text);
        *place = s->start[start[row - n]].place;
    }
}

/* numbers of the numerics turned into names and places of the model */
static void explain_fault(const job *j, zw_error *err) {
    const zw_system *s = j->eq.sys;
    if (!j->run)
        return;
    zw_run_fault f = zw_run_last_fault(j->run);
    if (f.index < 0)
        return;
    char name[160] = "";
    zw_place place = {0};
    switch (f.kind) {
    case ZW_FAULT_MASS:
        snprintf(name, sizeof name, "velocity %s", zw_expr_name(s->ctx, j->eq.v[f.index]));
        if (!j->eq.from_system)
            place = s->velocity[f.index].place;
        break;
    case ZW_FAULT_CONSTRAINT:
        snprintf(name, sizeof name, "constraint %s", s->constraint[j->eq.constraint[f.index]].name);
        place = s->constraint[j->eq.constraint[f.index]].place;
        break;
    case ZW_FAULT_POSITION:
        name_row(s, j->eq.npos, j->eq.pos_constraint, j->eq.start_pos, f.index, name, sizeof name,
                 &place);
        break;
    case ZW_FAULT_VELOCITY:
        name_row(s, j->eq.nvel, j->eq.vel_constraint, j->eq.start_vel, f.index, name, sizeof name,
                 &place);
        break;
    case ZW_FAULT_STATE:
        snprintf(name, sizeof name, "state %s",
                 f.index < s->nq ? s->coord[f.index].name
                                 : zw_expr_name(s->ctx, j->eq.v[f.index - s->nq]));
        break;
    case ZW_FAULT_UNIT:
    case ZW_FAULT_NONE:
        return;
    }
    size_t used = strlen(err->text);
    snprintf(err->text + used, sizeof err->text - used, " (%s)", name);
    if (place.file && !err->file[0]) {
        snprintf(err->file, sizeof err->file, "%s", place.file);
        err->line = place.line;
        err->column = place.column;
    }
}

/* ------------------------------------------------------------------------------------- set-up */

/* can a file be made there? asked before the work, not after it */
static zw_status check_writable(const char *path, zw_error *err) {
    if (!path || strcmp(path, "-") == 0)
        return ZW_OK;
    const char *slash = strrchr(path, '/');
    char folder[1024] = ".";
    if (slash)
        snprintf(folder, sizeof folder, "%.*s", (int)(slash - path) + 1, path);
    if (access(folder, W_OK) != 0)
        return zw_fail(err, ZW_E_FILE, "%s cannot be written: %s: %s", path, folder,
                       strerror(errno));
    return ZW_OK;
}

static zw_status check_outputs(const cli_options *o, zw_error *err) {
    ZW_TRY(check_writable(o->out, err));
    ZW_TRY(check_writable(o->events, err));
    ZW_TRY(check_writable(o->picture, err));
    const char *dot = o->picture ? strrchr(o->picture, '.') : NULL;
    if (o->picture && (!dot || (strcmp(dot, ".svg") != 0 && strcmp(dot, ".pdf") != 0 &&
                                strcmp(dot, ".png") != 0)))
        return zw_fail(err, ZW_E_OPTION, "--picture %s: the ending must be .svg, .pdf or .png",
                       o->picture);
    return ZW_OK;
}

/* the start completed in the velocities of the system, by the equations of Lagrange */
static zw_status start_by_lagrange(job *j, zw_error *err) {
    zw_equations eq;
    zw_kernel *kernel = NULL;
    zw_run *run = NULL;
    zw_kernel_options options = zw_kernel_options_default();
    options.jit = 0;
    ZW_TRY(zw_derive(&eq, j->model.sys, "lagrange", err));
    zw_status status = zw_kernel_create(&kernel, &eq, &options, err);
    if (status >= 0)
        status = zw_run_create(&run, kernel, j->p, &j->o->run, err);
    if (status >= 0)
        status = zw_run_consistent(run, 0, j->x, j->fixed, NULL, err);
    zw_run_destroy(run);
    zw_kernel_destroy(kernel);
    return status;
}

static zw_status set_up(job *j, zw_error *err) {
    const zw_system *s = j->model.sys;
    ZW_TRY(zw_derive(&j->eq, s, j->o->by ? j->o->by : "lagrange", err));
    zw_kernel_options options = zw_kernel_options_default();
    options.jit = j->o->jit;
    ZW_TRY(zw_kernel_create(&j->kernel, &j->eq, &options, err));
    size_t nx = (size_t)(s->nq + s->nv);
    j->p = calloc((size_t)s->np + 1, sizeof *j->p);
    j->x = calloc(nx, sizeof *j->x);
    j->state = calloc((size_t)j->kernel->nx, sizeof *j->state);
    j->fixed = calloc(nx, sizeof *j->fixed);
    if (!j->p || !j->x || !j->state || !j->fixed)
        return zw_fail(err, ZW_E_MEMORY, "out of memory");
    ZW_TRY(zw_system_param_values(s, j->p, err));
    ZW_TRY(zw_system_start_state(s, j->p, j->x, j->fixed, err));
    ZW_TRY(zw_run_create(&j->run, j->kernel, j->p, &j->o->run, err));
    if (j->eq.from_system)
        ZW_TRY(start_by_lagrange(j, err));
    else
        ZW_TRY(zw_run_consistent(j->run, 0, j->x, j->fixed, NULL, err));
    ZW_TRY(zw_equations_state(&j->eq, 0, j->p, j->x, j->state, err));
    ZW_TRY(zw_run_start(j->run, 0, j->state, err));
    ZW_TRY(record_create(&j->rec, &j->model, j->path, &j->eq, j->run, j->o, j->p, err));
    for (int i = 0; i < j->o->plot.n; i++)
        ZW_TRY(picture_check(j->o->plot.item[i], j->rec.rows, err));
    ZW_TRY(check_outputs(j->o, err));
    if (j->o->picture && j->o->plot.n != 1)
        return zw_fail(err, ZW_E_OPTION,
                       "--picture names the file of exactly one --plot, not of %d", j->o->plot.n);
    return ZW_OK;
}

static void tear_down(job *j) {
    record_destroy(&j->rec);
    zw_run_destroy(j->run);
    zw_kernel_destroy(j->kernel);
    free(j->p);
    free(j->x);
    free(j->state);
    free(j->fixed);
    cli_model_close(&j->model);
}

/* ---------------------------------------------------------------------------------------- run */

static void show_progress(double fraction) {
    static int last = -1;
    int percent = (int)(100 * fraction);
    if (percent == last)
        return;
    last = percent;
    fprintf(stderr, "\r  [%-40.*s] %3d %%", percent * 40 / 100,
            "########################################", percent);
    if (percent >= 100)
        fputs("\r                                                  \r", stderr);
}

/* to t, recording the events on the way; true in *stop if one of them ends the run */
static zw_status advance_to(job *j, double t, bool *stop, zw_error *err) {
    const zw_system *s = j->eq.sys;
    for (;;) {
        int event = -1;
        zw_status status = zw_run_advance(j->run, t, &event, err);
        if (status != ZW_EVENT)
            return status;
        ZW_TRY(record_row(&j->rec, event, err));
        if (!j->o->quiet && !j->o->json)
            fprintf(stderr, "event %s at t = %.12g s\n", s->event[event].name, zw_run_time(j->run));
        if (s->event[event].stop) {
            *stop = true;
            return ZW_OK;
        }
    }
}

static zw_status integrate(job *j, const char **ending, zw_error *err) {
    double until = j->o->until, step = j->o->step_out > 0 ? j->o->step_out : until / ROWS_DEFAULT;
    double rows = until > 0 ? ceil(until / step - 1e-9) : 0;
    if (rows > ROWS_MAX)
        return zw_fail(err, ZW_E_OPTION, "--step-out %g makes %.3g rows; %d are the most", step,
                       rows, ROWS_MAX);
    bool progress = isatty(2) && !j->o->quiet, stop = false;
    struct sigaction action = {.sa_handler = on_interrupt}, before;
    sigaction(SIGINT, &action, &before);
    zw_status status = record_row(&j->rec, -1, err);
    *ending = "reached the end";
    for (long k = 1; status >= 0 && k <= (long)rows && !stop; k++) {
        double t = k == (long)rows ? until : (double)k * step;
        status = advance_to(j, t, &stop, err);
        if (status < 0)
            break;
        status = record_row(&j->rec, -1, err);
        if (progress)
            show_progress(stop ? 1 : t / until);
        if (interrupted) {
            *ending = "stopped by the user";
            break;
        }
        if (stop)
            *ending = "stopped by an event";
    }
    sigaction(SIGINT, &before, NULL);
    if (status < 0)
        *ending = "failed";
    return status;
}

/* ------------------------------------------------------------------------------------- output */

/* MODEL_x_y.svg from --plot x,y */
static void picture_name(const job *j, const char *spec, char *out, size_t size) {
    snprintf(out, size, "%s_%s.svg", j->eq.sys->name, spec);
    for (char *c = out; *c; c++) {
        if (*c == '\'')
            *c = 'p';
        else if (strchr(",:+() /", *c))
            *c = '_';
    }
}

static zw_status write_results(job *j, zw_error *err) {
    const cli_options *o = j->o;
    if (o->out)
        ZW_TRY(zw_table_write_csv(j->rec.rows, o->out, err));
    if (o->events)
        ZW_TRY(zw_table_write_csv(j->rec.events, o->events, err));
    if (o->json)
        ZW_TRY(zw_table_write_json(j->rec.rows, "-", err));
    for (int i = 0; i < o->plot.n; i++) {
        char name[256];
        picture_name(j, o->plot.item[i], name, sizeof name);
        const char *path = o->picture ? o->picture : name;
        ZW_TRY(picture_draw(o->plot.item[i], j->rec.rows, NULL, path, err));
        if (!o->quiet && !o->json)
            fprintf(stderr, "picture %s\n", path);
    }
    return ZW_OK;
}

static void print_summary(const job *j, const char *ending) {
    const zw_system *s = j->eq.sys;
    zw_run_info info = zw_run_statistics(j->run);
    const double *x = zw_run_state(j->run);
    FILE *out = stderr;
    fprintf(out, "%s%s%s: %s at t = %.10g s\n", s->name, s->variant[0] ? ", variant " : "",
            s->variant, ending, zw_run_time(j->run));
    fprintf(out, "  %s, %ld steps, %ld evaluations, %s code\n", info.method, info.steps,
            info.rhs_calls, info.native ? "native" : "interpreted");
    if (j->eq.nc)
        fprintf(out, "  largest constraint residuals: position %.2g, velocity %.2g\n",
                info.position_residual, info.velocity_residual);
    fprintf(out, "  energy %.10g J at the start, %.10g J at the end\n", info.energy_start,
            info.energy_end);
    if (j->o->out || j->o->json || j->o->plot.n)
        return;
    for (int i = 0; i < s->nq; i++)
        fprintf(out, "  %-12s %.12g %s\n", s->coord[i].name, x[i], s->coord[i].unit);
    for (int i = 0; i < j->eq.nv; i++)
        fprintf(out, "  %-12s %.12g %s\n", zw_expr_name(s->ctx, j->eq.v[i]), x[s->nq + i],
                record_velocity_unit(&j->eq, i));
    fputs("  (--out run.csv keeps the motion, --plot x,y draws it)\n", out);
}

static zw_status run_job(job *j, zw_error *err) {
    ZW_TRY(cli_model_open(&j->model, j->path, j->o, err));
    ZW_TRY(set_up(j, err));
    const char *ending = "";
    zw_status status = integrate(j, &ending, err), written;
    /* what there is is kept, however it ended */
    zw_error later = {0};
    written = record_finish(&j->rec, ending, &later);
    if (written >= 0)
        written = write_results(j, &later);
    if (!j->o->quiet)
        print_summary(j, ending);
    if (status < 0)
        return status;
    if (written < 0)
        *err = later;
    return written;
}

static int run(const cli_options *o, const char *const *words, zw_error *err) {
    job j = {.o = o, .path = words[0]};
    zw_status status = run_job(&j, err);
    if (status < 0)
        explain_fault(&j, err);
    tear_down(&j);
    return cli_exit_code(status);
}

static const cli_group groups[] = {
    {"options", table, 0},
    {"model", cli_model_table, offsetof(cli_options, model)},
    {"integration", zw_run_option_table, offsetof(cli_options, run)},
    {0},
};

const cli_command cli_run = {
    .name = "run",
    .usage = "run MODEL --until T [--step-out DT] [--set a=b] [--out F.csv] [--json] [--plot WHAT]",
    .about = "integrate the motion, keep and draw it",
    .details = "The start values of the model are completed from the constraints; what contradicts "
               "them is\n"
               "refused. Constraints are kept by projection. Ctrl-C ends the run and keeps what "
               "there is.\n"
               "All numbers in and out are SI units unless a unit is written.",
    .examples =
        "  zwang run models/turntable_ball.zw --until 20 --out run.csv --plot x,y\n"
        "  zwang run models/pendulum_polar.zw --until 60 --plot theta:t --picture swing.pdf\n"
        "  zwang run models/turntable_ball.zw --set Omega=33.3rpm --set \"nu=5 [g/s]\" --until 20\n"
        "  zwang run models/duffing.zw --until 100 --json --quiet\n",
    .groups = groups,
    .arguments = 1,
    .run = run,
};
