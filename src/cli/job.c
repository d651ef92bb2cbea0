/* SPDX-License-Identifier: MIT */
#include "job.h"

#include <signal.h>
#include <stdio.h>
#include <unistd.h>

static volatile sig_atomic_t interrupted;

static void on_interrupt(int signal_number) {
    (void)signal_number;
    interrupted = 1;
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

zw_status cli_job_open(cli_job *j, const char *path, const cli_options *o, bool tell_events,
                       zw_error *err) {
    *j = (cli_job){.o = o, .path = path};
    ZW_TRY(cli_model_open(&j->model, path, o, err));
    zw_sim_options options = zw_sim_options_default();
    options.until = o->until;
    options.step_out = o->step_out;
    options.jit = o->jit;
    options.principle = o->by;
    options.run = o->run;
    options.progress = isatty(2) && !o->quiet ? show_progress : NULL;
    options.event = tell_events ? tell_event : NULL;
    options.interrupt = &interrupted;
    zw_sim_source source = cli_model_source(&j->model, path);
    return zw_sim_create(&j->sim, j->model.sys, &source, &options, err);
}

zw_status cli_job_run(cli_job *j, zw_error *err) {
    /* pressed twice it kills as usual */
    struct sigaction action = {.sa_handler = on_interrupt, .sa_flags = SA_RESETHAND}, before;
    sigaction(SIGINT, &action, &before);
    zw_status status = zw_sim_run(j->sim, err);
    sigaction(SIGINT, &before, NULL);
    return status;
}

void cli_job_close(cli_job *j) {
    zw_sim_destroy(j->sim);
    cli_model_close(&j->model);
}
