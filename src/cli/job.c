/* SPDX-License-Identifier: MIT */
/* Ctrl-C, similar signals and the time limit. */
#include "job.h"

#include <math.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "base/interrupt.h"
#include "progress.h"

static volatile sig_atomic_t interrupted;
static volatile sig_atomic_t watching; /* the work checks whether it is interrupted */
static volatile sig_atomic_t written;  /* results are in files or on standard output */

static void on_interrupt(int signal_number) {
    interrupted = signal_number;
}

/* if there are no results to save, or all of them are; async-signal-safe functions only */
static void on_end(int signal_number) {
    static const char nothing[] = "\r\033[Kstopped before anything was found\n";
    static const char some[] = "\r\033[Kstopped: the output contains the results up to then\n";
    const char *text = written ? some : nothing, *from = isatty(2) ? text : text + 4;
    ssize_t ignored = write(2, from, strlen(from));
    (void)ignored;
    _exit(128 + signal_number);
}

int cli_interrupted(void) {
    return interrupted;
}

void cli_note_written(void) {
    written = true;
}

bool cli_has_written(void) {
    return written;
}

bool cli_is_stopping(void) {
    if (interrupted)
        zw_interrupt_heard();
    return interrupted != 0;
}

/* It is called after every step of a motion: where little has changed, not each call is shown. */
bool cli_watch(void *options, double done) {
    enum { SHOWN = 16 };
    static double shown = NAN;
    static int calls;
    (void)options;
    if (!(fabs(done - shown) < 1e-4) || ++calls % SHOWN == 0) {
        shown = done;
        cli_show_progress(NULL, done);
    }
    return cli_is_stopping();
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
