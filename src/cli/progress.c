/* SPDX-License-Identifier: MIT */
#include "progress.h"

#include <stdbool.h>
#include <stdio.h>
#include <time.h>

enum { WIDTH = 40, EVENTS_TOLD = 20 };
#define PATIENCE 0.5 /* a run shorter than this, s, needs no bar */
#define REFRESH 0.1

static bool is_shown;

static double seconds(void) {
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

void cli_end_progress(void) {
    if (is_shown)
        fputs("\r\033[K", stderr);
    is_shown = false;
}

/* "12 s", "3 min 20 s", "5 h 10 min" */
static void put_time(double left) {
    if (left < 60)
        fprintf(stderr, "%.0f s", left);
    else if (left < 3600)
        fprintf(stderr, "%d min %d s", (int)(left / 60), (int)left % 60);
    else
        fprintf(stderr, "%.0f h %d min", left / 3600, (int)(left / 60) % 60);
}

void cli_show_progress(void *user, double fraction) {
    static const char bar[] = "########################################";
    static double began, last, before = 2;
    double now = seconds();
    (void)user;
    if (fraction < before) /* another run */
        began = last = now;
    before = fraction;
    if (fraction >= 1)
        cli_end_progress();
    if (fraction >= 1 || now - began < PATIENCE || now - last < REFRESH)
        return;
    last = now;
    is_shown = true;
    fprintf(stderr, "\r\033[K  [%-*.*s] %3d %%, ", WIDTH, (int)(fraction * (double)WIDTH), bar,
            (int)(100 * fraction));
    put_time((now - began) * (1 - fraction) / fraction);
    fputs(" left", stderr);
    fflush(stderr);
}

void cli_tell_event(void *user, const char *name, double t) {
    long *told = user;
    if (++*told > EVENTS_TOLD + 1)
        return;
    cli_end_progress();
    if (*told <= EVENTS_TOLD)
        fprintf(stderr, "event %s at t = %.12g s\n", name, t);
    else
        fputs("further events are not told (--events FILE keeps them all)\n", stderr);
}
