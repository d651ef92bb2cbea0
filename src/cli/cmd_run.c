/* SPDX-License-Identifier: MIT */
#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "cli.h"
#include "num/options.h"
#include "picture.h"

#define AT(field) offsetof(cli_options, field)

static const zw_option table[] = {
    {"until", ZW_OPT_DOUBLE, AT(until), 10, 0, 1e12, "s", NULL, "end of the run; it starts at 0"},
    {"step-out", ZW_OPT_DOUBLE, AT(step_out), 0, 0, 1e12, "s", NULL,
     "time between rows, 0: a thousandth of the run"},
    {"out", ZW_OPT_STRING, AT(out), 0, 0, 0, "", "FILE",
     "the result; the ending says how: .csv, .json, .h5; - is standard output (CSV)"},
    {"events", ZW_OPT_STRING, AT(events), 0, 0, 0, "", "FILE",
     "the states at the events, as --out"},
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
    zw_sim *sim;
} job;

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
    if (o->out)
        ZW_TRY(zw_table_can_write(o->out, err));
    if (o->events)
        ZW_TRY(zw_table_can_write(o->events, err));
    ZW_TRY(check_writable(o->picture, err));
    const char *dot = o->picture ? strrchr(o->picture, '.') : NULL;
    if (o->picture && (!dot || (strcmp(dot, ".svg") != 0 && strcmp(dot, ".pdf") != 0 &&
                                strcmp(dot, ".png") != 0)))
        return zw_fail(err, ZW_E_OPTION, "--picture %s: the ending must be .svg, .pdf or .png",
                       o->picture);
    return ZW_OK;
}

static zw_status check_pictures(const job *j, zw_error *err) {
    for (int i = 0; i < j->o->plot.n; i++)
        ZW_TRY(picture_check(j->o->plot.item[i], zw_sim_rows(j->sim), err));
    if (j->o->picture && j->o->plot.n != 1)
        return zw_fail(err, ZW_E_OPTION,
                       "--picture names the file of exactly one --plot, not of %d", j->o->plot.n);
    return ZW_OK;
}

static void show_progress(void *user, double fraction) {
    static int last = -1;
    int percent = (int)(100 * fraction);
    (void)user;
    if (percent == last)
        return;
    last = percent;
    fprintf(stderr, "\r  [%-40.*s] %3d %%", percent * 40 / 100,
            "########################################", percent);
    if (percent >= 100)
        fputs("\r                                                  \r", stderr);
}

static void tell_event(void *user, const char *name, double t) {
    (void)user;
    fprintf(stderr, "event %s at t = %.12g s\n", name, t);
}

static zw_status set_up(job *j, zw_error *err) {
    const cli_options *o = j->o;
    zw_sim_options options = zw_sim_options_default();
    options.until = o->until;
    options.step_out = o->step_out;
    options.jit = o->jit;
    options.principle = o->by;
    options.run = o->run;
    options.progress = isatty(2) && !o->quiet ? show_progress : NULL;
    options.event = !o->quiet && !o->json ? tell_event : NULL;
    options.user = j;
    options.interrupt = &interrupted;
    zw_sim_source source = cli_model_source(&j->model, j->path);
    ZW_TRY(zw_sim_create(&j->sim, j->model.sys, &source, &options, err));
    ZW_TRY(check_pictures(j, err));
    return check_outputs(o, err);
}

static void tear_down(job *j) {
    zw_sim_destroy(j->sim);
    cli_model_close(&j->model);
}

/* the run with Ctrl-C caught; pressed twice it kills as usual */
static zw_status simulate(job *j, zw_error *err) {
    struct sigaction action = {.sa_handler = on_interrupt, .sa_flags = SA_RESETHAND}, before;
    sigaction(SIGINT, &action, &before);
    zw_status status = zw_sim_run(j->sim, err);
    sigaction(SIGINT, &before, NULL);
    return status;
}

/* ------------------------------------------------------------------------------------- output */

/* MODEL_x_y.svg from --plot x,y */
static void picture_name(const job *j, const char *spec, char *out, size_t size) {
    snprintf(out, size, "%s_%s.svg", j->model.sys->name, spec);
    for (char *c = out; *c; c++) {
        if (*c == '\'')
            *c = 'p';
        else if (strchr(",:+() /", *c))
            *c = '_';
    }
}

static zw_status write_results(job *j, zw_error *err) {
    const cli_options *o = j->o;
    const zw_table *rows = zw_sim_rows(j->sim);
    /* each is tried, whatever becomes of the others */
    zw_status out = o->out ? zw_table_write_rescue(rows, o->out, err) : ZW_OK;
    if (o->events)
        ZW_TRY(zw_table_write_rescue(zw_sim_events(j->sim), o->events, err));
    ZW_TRY(out);
    if (o->json)
        ZW_TRY(zw_table_write_json(rows, "-", err));
    for (int i = 0; i < o->plot.n; i++) {
        char name[256];
        picture_name(j, o->plot.item[i], name, sizeof name);
        const char *path = o->picture ? o->picture : name;
        ZW_TRY(picture_draw(o->plot.item[i], rows, NULL, path, err));
        if (!o->quiet && !o->json)
            fprintf(stderr, "picture %s\n", path);
    }
    return ZW_OK;
}

static void print_last_state(const job *j) {
    const zw_table *rows = zw_sim_rows(j->sim);
    int n = zw_sim_statistics(j->sim).nstate;
    long last = zw_table_rows(rows) - 1;
    for (int i = 1; last >= 0 && i <= n; i++)
        fprintf(stderr, "  %-12s %.12g %s\n", zw_table_name(rows, i), zw_table_at(rows, last, i),
                zw_table_unit(rows, i));
    fputs("  (--out run.csv keeps the motion, --plot x,y draws it)\n", stderr);
}

static void print_summary(const job *j) {
    const zw_system *s = j->model.sys;
    zw_sim_info info = zw_sim_statistics(j->sim);
    FILE *out = stderr;
    fprintf(out, "%s%s%s: %s at t = %.10g s\n", s->name, s->variant[0] ? ", variant " : "",
            s->variant, zw_sim_ending_text(info.ending), info.t);
    fprintf(out, "  %s, %ld steps, %ld evaluations, %s code\n", info.method, info.run.steps,
            info.run.rhs_calls, info.run.native ? "native" : "interpreted");
    if (info.nconstraint)
        fprintf(out, "  largest constraint residuals: position %.2g, velocity %.2g\n",
                info.run.position_residual, info.run.velocity_residual);
    fprintf(out, "  energy %.10g J at the start, %.10g J at the end\n", info.run.energy_start,
            info.run.energy_end);
    if (!j->o->out && !j->o->json && !j->o->plot.n)
        print_last_state(j);
}

static zw_status run_job(job *j, zw_error *err) {
    ZW_TRY(cli_model_open(&j->model, j->path, j->o, err));
    ZW_TRY(set_up(j, err));
    zw_status status = simulate(j, err);
    /* what there is is kept, however it ended */
    zw_error later = {0};
    zw_status written = write_results(j, &later);
    if (!j->o->quiet)
        print_summary(j);
    if (status < 0)
        return status;
    if (written < 0)
        *err = later;
    return written;
}

static int run(const cli_options *o, const char *const *words, zw_error *err) {
    job j = {.o = o, .path = words[0]};
    zw_status status = run_job(&j, err);
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
