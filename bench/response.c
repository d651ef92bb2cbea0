/* SPDX-License-Identifier: MIT */
/* Response curves of chains of n oscillators of Duffing, from their text:
 *
 *     x_i'' + c x_i' + k x_i + a x_i^3 + kc (x_i - x_i-1) + kc (x_i - x_i+1) = F cos(w t) for i =
 *     1, else 0,
 *
 * with free ends, c = 0.05, k = 1, a = 0.1, kc = 0.25, F = 0.18, followed over w from 0.8 rad/s by
 * harmonic balance with all harmonics up to H. Every point has its multipliers, and mean, rms,
 * largest and smallest value of all coordinates; folds are located.
 *
 *   response N...       the rows of these chains with H = 7: points in a second of the processor's time, for the following alone and from the text on, and
 *                       what comes before it; then a line "folds N w_1 w_2 ..." on standard error
 *   response growth     how the time of a point grows with n and with H
 *
 * The upper fold of one oscillator is known, 1.269601955 rad/s, by collocation and by harmonic
 * balance of other programs. */
#include <math.h>
#include <stdarg.h>
#include <string.h>

#include "bench.h"
#include "zwang/zwang.h"

enum { TEXT = 1 << 16, REPEATS = 5, FOLDS = 8, POINTS = 1500 };
static const double known_fold = 1.269601955, batch_time = 0.15, long_time = 0.5;

/* of this process, with what the system did for it: the user's part alone is known in ticks only */
static double processor_time(void) {
    struct timespec t;
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

/* ---- texts ---- */

static char text[TEXT];
static size_t length;

__attribute__((format(printf, 1, 2))) static void say(const char *format, ...) {
    va_list args;
    va_start(args, format);
    int n = vsnprintf(text + length, TEXT - length, format, args);
    va_end(args);
    if (n < 0 || (size_t)n >= TEXT - length) {
        fprintf(stderr, "response: the text of a model is too long\n");
        exit(1);
    }
    length += (size_t)n;
}

static void say_chain(int n) {
    length = 0;
    say("model chain\nparam m = 1 [kg], c = 0.05 [N*s/m], k = 1 [N/m], a = 0.1 [N/m^3], kc = 0.25 "
        "[N/m]\nparam F = 0.18 [N], w = 1 [rad/s]\n");
    for (int i = 1; i <= n; i++) {
        say("coord x%d [m]\nparticle P%d : m at (x%d, 0)\n", i, i, i);
        say("potential 1/2*k*x%d^2 + 1/4*a*x%d^4\ndissipation 1/2*c*x%d'^2\n", i, i, i);
        if (i > 1)
            say("potential 1/2*kc*(x%d - x%d)^2\n", i, i - 1);
    }
    say("force drive (x1) = F*cos(w*t)\n");
}

/* ---- one curve ---- */

typedef struct curve {
    int n, harmonics, points;         /* of a curve */
    double read, build, first, early; /* s: text, equations and code, first motion, first curve */
    double follow;                    /* s: a curve, once everything is there */
    int nfold;
    double fold[FOLDS];
} curve;

static void stop_at(const char *what, const zw_error *err) {
    fprintf(stderr, "response: %s: %s\n", what, err->text);
    exit(1);
}

static void look_at_curve(const zw_forced *study, curve *c) {
    c->points = c->nfold = 0;
    for (int i = 0; i < zw_forced_motions(study); i++) {
        const zw_forced_motion *m = zw_forced_motion_at(study, i);
        if (m->curve != 0)
            continue;
        c->points++;
        if (m->event == ZW_BIFURCATION_FOLD && c->nfold < FOLDS)
            c->fold[c->nfold++] = m->value;
        /* with few harmonics multipliers are as rough as the motion, and stability may be open */
        if (m->nmultiplier == 0 || (c->harmonics >= 7 && !(m->accuracy <= 1e-6))) {
            fprintf(stderr, "response: at w = %g multipliers are not as they should be\n",
                    m->value);
            exit(1);
        }
    }
    zw_cont_end end = zw_forced_curve_end(study, 0, 1).end;
    if (end != ZW_CONT_AT_BOUND && end != ZW_CONT_POINTS) {
        fprintf(stderr, "response: the curve of %d ends before its range\n", c->n);
        exit(1);
    }
}

/* one curve after the other for some time; the time of one */
static double follow(zw_forced *study, int number, double least) {
    zw_error err = {0};
    double begin = processor_time(), now = begin;
    int curves = 0;
    for (; curves == 0 || now - begin < least; curves++) {
        if (zw_forced_follow(study, number, &err) < 0)
            stop_at("the curve", &err);
        now = processor_time();
    }
    return (now - begin) / curves;
}

static void go(curve *c, int points_max) {
    zw_error err = {0};
    zw_context *ctx = zw_context_create(NULL);
    zw_system *sys;
    zw_forced *study;
    zw_forced_options o = zw_forced_options_default();
    int number;
    o.over = "w=0.8:1.6";
    o.harmonics = c->harmonics;
    o.settle = 0;
    o.points_max = points_max;
    say_chain(c->n);
    double t0 = processor_time();
    if (zw_model_parse(&sys, ctx, text, length, "chain", NULL, &err) < 0)
        stop_at("the text", &err);
    double t1 = processor_time();
    if (zw_forced_create(&study, sys, &o, &err) < 0)
        stop_at("equations", &err);
    double t2 = processor_time();
    if (zw_forced_find(study, 0.8, &number, &err) < 0)
        stop_at("the first motion", &err);
    double t3 = processor_time();
    c->early = follow(study, number, 0);
    c->read = t1 - t0;
    c->build = t2 - t1;
    c->first = t3 - t2;
    look_at_curve(study, c);
    if (c->early < long_time)
        follow(study, number, batch_time); /* native code comes when it pays */
    c->follow = INFINITY;
    for (int i = 0; i < (c->early < long_time ? REPEATS : 2); i++)
        c->follow = fmin(c->follow, follow(study, number, batch_time));
    zw_forced_destroy(study);
    zw_context_destroy(ctx);
}

static void tell(const curve *c) {
    char name[32];
    snprintf(name, sizeof name, "n=%d", c->n);
    double before = c->read + c->build + c->first;
    bench_row("response", name, "points in a second", c->points / c->follow, "1/s", "");
    bench_row("response", name, "points in a second from the text", c->points / (before + c->early),
              "1/s", "");
    bench_row("response", name, "text", 1e3 * c->read, "ms", "");
    bench_row("response", name, "equations and code", 1e3 * c->build, "ms", "");
    bench_row("response", name, "the first motion", 1e3 * c->first, "ms", "");
    bench_row("response", name, "until native code is there", 1e3 * fmax(c->early - c->follow, 0),
              "ms", "");
    if (c->n == 1)
        bench_row("response", name, "upper fold off by", fabs(c->fold[0] - known_fold), "rad/s",
                  "<= 5e-9");
    fprintf(stderr, "folds %d", c->n);
    for (int i = 0; i < c->nfold; i++)
        fprintf(stderr, " %.10f", c->fold[i]);
    fprintf(stderr, "\n");
}

/* n is large: the curve has thousands of points, of which some will do */
static int points_of(int n) {
    return n < 20 ? POINTS : n < 50 ? 400 : 10000 / n;
}

static double time_of(int n, int harmonics) {
    curve c = {.n = n, .harmonics = harmonics};
    char name[32];
    go(&c, points_of(n));
    snprintf(name, sizeof name, "n=%d H=%d", n, harmonics);
    bench_row("response", name, "time of a point", 1e6 * c.follow / c.points, "us", "");
    return c.follow / c.points;
}

static void tell_growth(void) {
    static const int sizes[] = {1, 5, 20, 50, 100}, highest[] = {3, 7, 15, 31};
    double before = 0, now;
    char name[32];
    for (int i = 0; i < 5; i++, before = now) {
        now = time_of(sizes[i], 7);
        if (i == 0)
            continue;
        snprintf(name, sizeof name, "n=%d..%d", sizes[i - 1], sizes[i]);
        bench_row("response", name, "power of n",
                  log(now / before) / log((double)sizes[i] / sizes[i - 1]), "1", "");
    }
    for (int i = 0; i < 4; i++, before = now) {
        now = time_of(5, highest[i]);
        if (i == 0)
            continue;
        snprintf(name, sizeof name, "n=5 H=%d..%d", highest[i - 1], highest[i]);
        bench_row("response", name, "power of H",
                  log(now / before) / log((double)highest[i] / highest[i - 1]), "1", "");
    }
}

int main(int argc, char **argv) {
    if (argc == 2 && strcmp(argv[1], "growth") == 0) {
        tell_growth();
        return 0;
    }
    for (int i = 1; i < argc; i++) {
        curve c = {.n = atoi(argv[i]), .harmonics = 7};
        if (c.n < 1 || c.n > 200) {
            fprintf(stderr, "usage: response N...|growth\n");
            return 1;
        }
        go(&c, points_of(c.n));
        tell(&c);
    }
    return 0;
}
