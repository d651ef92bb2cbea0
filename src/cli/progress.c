/* SPDX-License-Identifier: MIT */
#include "progress.h"

#include <math.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <time.h>
#include <unistd.h>

enum { WIDTH = 40 };
#define BAR_AFTER 0.5      /* [s]; a shorter run needs no bar */
#define REFRESH 0.1        /* [s] between two updates of the bar */
#define ELAPSED_AFTER 2.   /* [s] without a report after which the elapsed time is shown */
#define THREAD_PERIOD 0.25 /* [s] period of the thread */
#define FIRST_LINE 20.     /* [s]; then at twice the time */

typedef enum showing { NOTHING, BAR, LINES } showing;

static struct {
    pthread_mutex_t lock;
    pthread_cond_t wake;
    pthread_t thread;
    bool runs, ends; /* of the thread */
    showing how;
    bool is_shown;
    double began, reported, shown, next_line; /* [s], of the clock; elapsed time of the next line */
    double fraction;                          /* NaN: unknown */
    double pace_began; /* [s]; start of the part that the fraction refers to */
    double budget;
    void (*used_up)(void);
} now_at = {.lock = PTHREAD_MUTEX_INITIALIZER, .wake = PTHREAD_COND_INITIALIZER, .fraction = NAN};

static double monotonic_seconds(void) {
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

/* the functions up to the thread need the lock */
static void erase_line(void) {
    if (now_at.is_shown)
        fputs("\r\033[K", stderr);
    now_at.is_shown = false;
}

/* "12 s", "3 min 20 s", "5 h 10 min" */
static void put_time(double left) {
    if (left < 60)
        fprintf(stderr, "%.0f s", left);
    else if (left < 3600)
        fprintf(stderr, "%d min %d s", (int)(left / 60), (int)left % 60);
    else
        fprintf(stderr, "%.0f h %d min", floor(left / 3600), (int)(left / 60) % 60);
}

typedef struct pace {
    /* time of the first and the last call; progress at the last call, 0 to 1 */
    double began, last, before;
} pace;

/* True if it is time to update the display. */
static bool is_due(pace *p, double fraction, double now) {
    if (fraction < p->before) /* another run */
        p->began = p->last = now;
    p->before = fraction;
    now_at.fraction = fraction;
    now_at.pace_began = p->began;
    if (!(fraction > 0)) /* no progress yet from which the remaining time could be estimated */
        return false;
    now_at.reported = now;
    if (fraction >= 1)
        erase_line();
    if (now_at.how != BAR || fraction >= 1 || now - p->began < BAR_AFTER || now - p->last < REFRESH)
        return false;
    p->last = now_at.shown = now;
    return true;
}

static void put_bar(double fraction) {
    static const char bar[] = "########################################";
    now_at.is_shown = true;
    fprintf(stderr, "\r\033[K  [%-*.*s] %3d %%, ", WIDTH, (int)(fraction * (double)WIDTH), bar,
            (int)(100 * fraction));
}

static void put_left(double left) {
    put_time(left);
    fputs(" left\r", stderr);
    fflush(stderr);
}

static void show_fraction(double fraction) {
    static pace p = {.before = 2};
    double now = monotonic_seconds();
    if (!is_due(&p, fraction, now))
        return;
    put_bar(fraction);
    put_left((now - p.began) * (1 - fraction) / fraction);
}

/* shown by the thread while there are no reports */
static void put_so_far(double now) {
    double so_far = now - now_at.began;
    if (now_at.how == BAR && now_at.fraction > 0)
        put_bar(now_at.fraction);
    else
        fputs(now_at.how == BAR ? "\r\033[K  " : "  ", stderr);
    now_at.is_shown = now_at.how == BAR;
    put_time(so_far);
    fputs(" so far", stderr);
    if (now_at.how == LINES && now_at.fraction > 0) {
        fprintf(stderr, ", %d %% of this part, about ", (int)(100 * now_at.fraction));
        put_time((now - now_at.pace_began) * (1 - now_at.fraction) / now_at.fraction);
        fputs(" left", stderr);
    }
    if (now_at.budget > 0) {
        fputs(", time limit ", stderr);
        put_time(now_at.budget);
    }
    fputs(now_at.how == BAR ? "; Ctrl-C stops\r" : "\n", stderr);
    fflush(stderr);
}

static void update_display(void) {
    double now = monotonic_seconds(), so_far = now - now_at.began;
    bool silent = now - fmax(now_at.began, fmax(now_at.reported, now_at.shown)) > ELAPSED_AFTER;
    if (now_at.how == BAR && silent) {
        put_so_far(now);
        now_at.shown = now - ELAPSED_AFTER + 1;
    }
    if (now_at.how == LINES && so_far >= now_at.next_line) {
        put_so_far(now);
        now_at.next_line *= 2;
    }
    if (now_at.budget > 0 && so_far > now_at.budget && now_at.used_up) {
        erase_line();
        now_at.used_up();
        now_at.used_up = NULL;
    }
}

static void *run_display(void *ignored) {
    pthread_mutex_lock(&now_at.lock);
    while (!now_at.ends) {
        struct timespec t;
        clock_gettime(CLOCK_REALTIME, &t);
        t.tv_nsec += (long)(1e9 * THREAD_PERIOD);
        if (t.tv_nsec >= 1000000000) {
            t.tv_sec++;
            t.tv_nsec -= 1000000000;
        }
        pthread_cond_timedwait(&now_at.wake, &now_at.lock, &t);
        if (!now_at.ends)
            update_display();
    }
    pthread_mutex_unlock(&now_at.lock);
    return ignored;
}

void cli_progress_begin(bool quiet, double budget, void (*used_up)(void)) {
    sigset_t all, before;
    now_at.how = quiet ? NOTHING : isatty(2) ? BAR : LINES;
    now_at.began = monotonic_seconds();
    now_at.next_line = FIRST_LINE;
    now_at.budget = budget;
    now_at.used_up = used_up;
    if (quiet && budget == 0)
        return;
    sigfillset(&all); /* other threads handle signals */
    pthread_sigmask(SIG_SETMASK, &all, &before);
    now_at.runs = pthread_create(&now_at.thread, NULL, run_display, NULL) == 0;
    pthread_sigmask(SIG_SETMASK, &before, NULL);
}

void cli_progress_end(void) {
    pthread_mutex_lock(&now_at.lock);
    erase_line();
    now_at.ends = true;
    pthread_cond_signal(&now_at.wake);
    pthread_mutex_unlock(&now_at.lock);
    if (now_at.runs)
        pthread_join(now_at.thread, NULL);
    now_at.runs = false;
}

void cli_end_progress(void) {
    pthread_mutex_lock(&now_at.lock);
    erase_line();
    now_at.fraction = NAN;
    pthread_mutex_unlock(&now_at.lock);
}

void cli_show_progress(void *user, double fraction) {
    (void)user;
    pthread_mutex_lock(&now_at.lock);
    show_fraction(fraction);
    pthread_mutex_unlock(&now_at.lock);
}
