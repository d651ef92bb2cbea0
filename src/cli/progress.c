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

typedef struct pace {
    double began, last, before; /* of the first and the last call; how far it was, 0 to 1 */
} pace;

/* Is it time to show something? */
static bool is_due(pace *p, double fraction, double now) {
    if (fraction < p->before) /* another run */
        p->began = p->last = now;
    p->before = fraction;
    if (fraction >= 1)
        cli_end_progress();
    if (fraction >= 1 || now - p->began < PATIENCE || now - p->last < REFRESH)
        return false;
    p->last = now;
    return true;
}

static void put_bar(double fraction) {
    static const char bar[] = "########################################";
    is_shown = true;
    fprintf(stderr, "\r\033[K  [%-*.*s] %3d %%, ", WIDTH, (int)(fraction * (double)WIDTH), bar,
            (int)(100 * fraction));
}

void cli_show_progress(void *user, double fraction) {
    static pace p = {.before = 2};
    double now = seconds();
    (void)user;
    if (!is_due(&p, fraction, now))
        return;
    put_bar(fraction);
    put_time((now - p.began) * (1 - fraction) / fraction);
    fputs(" left", stderr);
    fflush(stderr);
}

void cli_show_motions(uint64_t done, uint64_t all) {
    static pace p = {.before = 2};
    static uint64_t first; /* those that were there at the beginning say nothing about the rate */
    double now = seconds(), fraction = (double)done / (double)all, before = p.before;
    if (fraction < before)
        first = done;
    if (!is_due(&p, fraction, now) || done == first)
        return;
    double rate = (double)(done - first) / (now - p.began);
    put_bar(fraction);
    fprintf(stderr, "%.3g motions per second, ", rate);
    put_time((double)(all - done) / rate);
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
