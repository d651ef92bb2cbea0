/* SPDX-License-Identifier: MIT */
/* Response curves of chains of n oscillators of Duffing, from their text:
 *
 *     x_i'' + c x_i' + k x_i + a x_i^3 + kc (x_i - x_i-1) + kc (x_i - x_i+1) = F cos(w t) for i = 1, else 0,
 *
 * free ends, c = 0.05, k = 1, a = 0.1, kc = 0.25, F = 0.18, followed over w by harmonic balance with harmonics up to 7, with multipliers, rms, largest and
 * smallest value of every coordinate at every point, folds located. Told is how many points there are in a second of the processor's time,
 * for the following alone, and what comes before it: reading the text, deriving, lowering, native code, the first motion.
 *
 *   response chain N     the rows of one chain; without arguments: of all, with powers of their growth
 *
 * The upper fold of one oscillator is known: 1.269601955 rad/s, by collocation and by harmonic balance of other programs. */
#include <math.h>
#include <stdarg.h>
#include <string.h>
#include <sys/resource.h>

#include "bench.h"
#include "zwang/zwang.h"

enum { TEXT = 1 << 16, REPEATS = 3, FOLDS = 64 };

static double processor_time(void) {
    struct rusage u;
    getrusage(RUSAGE_SELF, &u);
    return (double)u.ru_utime.tv_sec + 1e-6 * (double)u.ru_utime.tv_usec;
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
    int n, harmonics, points;
    double read, build, first, follow; /* s of the processor's time */
    int nfold;
    double fold[FOLDS];
} curve;

static void stop_at(const char *what, const zw_error *err) {
    fprintf(stderr, "response: %s: %s\n", what, err->text);
    exit(1);
}

static void go(curve *c) {
    zw_error err = {0};
    zw_context *ctx = zw_context_create(NULL);
    zw_system *sys;
    zw_forced *study;
    zw_forced_options o = zw_forced_options_default();
    int number;
    o.over = "w=0.8:1.6";
    o.harmonics = c->harmonics;
    o.settle = 0;
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
    int curves = 0;
    for (int i = 0; i < 1 || processor_time() - t3 < 0.2; i++)
        zw_forced_follow(study, number, &err);
    double t4 = t3 = processor_time();
    for (; curves == 0 || t4 - t3 < 0.5; curves++) {
        if (zw_forced_follow(study, number, &err) < 0)
            stop_at("the curve", &err);
        t4 = processor_time();
    }
    c->read = t1 - t0;
    c->build = t2 - t1;
    c->first = t3 - t2;
    c->follow = (t4 - t3) / curves;
    c->points = c->nfold = 0;
    for (int i = 0; i < zw_forced_motions(study); i++) {
        const zw_forced_motion *m = zw_forced_motion_at(study, i);
        c->points += m->curve == 0;
        if (m->curve == 0 && m->event == ZW_FORCED_FOLD && c->nfold < FOLDS)
            c->fold[c->nfold++] = m->value;
        if (m->outside < 0) {
            fprintf(stderr, "response: a motion has no multipliers\n");
            exit(1);
        }
    }
    if (zw_forced_curve_end(study, 0, 1).end != ZW_CONT_AT_BOUND) {
        zw_cont_info in = zw_forced_curve_end(study, 0, 1);
        fprintf(stderr, "response: the curve of %d ends before its range: %d points %d %s\n", c->n, in.points, in.end, in.why);
        exit(1);
    }
    zw_cont_info in = zw_forced_curve_end(study, 0, 1);
    extern long zwcount[8]; fprintf(stderr, "%d curves, sweeps %ld %ld %ld %ld %ld\n", curves, zwcount[0]/curves,zwcount[1]/curves,zwcount[2]/curves,zwcount[3]/curves,zwcount[4]/curves);
    fprintf(stderr, "points %d located %d rejected %d factored %ld lost %d\n", in.points, in.located, in.rejected, in.factored, in.lost);
    zw_forced_destroy(study);
    zw_context_destroy(ctx);
}

int main(int argc, char **argv) {
    int n = argc > 1 ? atoi(argv[1]) : 1, h = argc > 2 ? atoi(argv[2]) : 7;
    curve c = {.n = n, .harmonics = h};
    go(&c);
    printf("n %d H %d: %d points, read %.4f build %.4f first %.4f follow %.4f s: %.1f points/s, %d folds %.10g %.10g\n", n, h,
           c.points, c.read, c.build, c.first, c.follow, c.points / c.follow, c.nfold, c.fold[0], c.fold[1]);
    return 0;
}
