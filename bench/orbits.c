/* SPDX-License-Identifier: MIT */
/* Branches of periodic orbits by collocation, from texts.
 *
 *   orbits lorenz N...   Lorenz's cycles from Hopf's point rho = 470/19 down to rho = 19.38860560 in steps of 0.05 with multipliers at every one, on N intervals
 *                        with 4 points: steps in a second of the processor's time; T there is
 *                        0.91876845 by AUTO-07p
 *   orbits chain n...    chains of n oscillators of Duffing over the frequency of their drive: the time of a step, and how it grows
 *
 * A step is one of zw_continue: prediction, correction, tangent, multipliers. Native code is there
 * before the clock starts; what it takes to come to it from the text is told by itself. */
#include <math.h>
#include <stdarg.h>
#include <string.h>
#include <sys/resource.h>

#include "bench.h"
#include "branch/curve.h"
#include "motion/segments/periodic.h"
#include "zwang/zwang.h"

enum {
    TEXT = 1 << 16,
    REPEATS = 30,
    EVERY = 100,
    STATES = 128,
    NATIVE = 20 /* coordinates: beyond, compiling takes longer than all steps */,
    NAMES = 256
};
#define SHARP 1e-7 /* a correction after which the matrix is not near enough */
static const double rho_end = 19.38860560, period_end = 0.91876845, batch_time = 0.1;

static double processor_time(void) {
    struct timespec t;
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

static void stop_at(const char *what, const zw_error *err) {
    fprintf(stderr, "orbits: %s: %s\n", what, err->text);
    exit(1);
}

/* ---- a model, its kernels and its collocation ---- */

typedef struct study {
    zw_context *ctx;
    zw_system *sys;
    zw_equations eq;
    zw_kernel *kernel, *lanes;
    zw_flow *flow;
    zw_colloc *c;
    zw_cont_problem own, problem;
    int parameter, points, every;      /* every: so many points a new mesh */
    bool given[NAMES], driven, always; /* always: factored anew for the multipliers */
    double p[NAMES];
    double *x, *start, *toward;
    double a, worst_trivial, re[STATES], im[STATES]; /* of the last point */
    int nmultiplier;
    double read, build, compile; /* s */
    zw_error err;
} study;

static zw_status set(void *user, double a, double *p, double *period, double *slope,
                     zw_error *err) {
    study *s = user;
    memcpy(p, s->p, sizeof(double) * (size_t)s->sys->np);
    p[s->parameter] = a;
    if (s->driven) {
        *period = 2 * M_PI / a;
        *slope = -2 * M_PI / (a * a);
    }
    return zw_system_param_follow(s->sys, s->given, p, err);
}

/* mesh and reference follow the orbit now and then */
static zw_status adapt(void *self, double a, int n, double **vector, bool *moved, zw_error *err) {
    study *s = self;
    if (s->points % s->every != 0)
        return ZW_OK;
    zw_status status = zw_colloc_adapt(s->c, zw_colloc_intervals(s->c), n, vector, err);
    if (status >= 0)
        status = zw_colloc_refer(s->c, vector[0], a, err);
    *moved = true;
    return status;
}

static zw_status residual(void *self, const double *x, double a, double *r, zw_error *err) {
    study *s = self;
    return s->own.residual(s->own.self, x, a, r, err);
}
static zw_status factor(void *self, const double *x, double a, const double *row, zw_error *err) {
    study *s = self;
    return s->own.factor(s->own.self, x, a, row, err);
}
static void solve(void *self, double *b) {
    study *s = self;
    s->own.solve(s->own.self, b);
}
static double inner(void *self, const double *u, const double *v) {
    study *s = self;
    return s->own.inner(s->own.self, u, v);
}
static void dual(void *self, const double *u, double *row) {
    study *s = self;
    s->own.dual(s->own.self, u, row);
}

/* every point has its multipliers */
static zw_status take(void *user, const zw_cont_point *point, zw_error *err) {
    study *s = user;
    s->points++;
    s->a = point->a;
    ZW_TRY(zw_colloc_spectrum(s->c, point->x, point->a,
                              s->always || point->iterations > 1 || point->correction > SHARP,
                              &s->nmultiplier, s->re, s->im, err));
    double least = INFINITY;
    for (int i = 0; i < s->nmultiplier; i++)
        least = fmin(least, fabs(s->re[i] - 1) + fabs(s->im[i]));
    if (!s->driven && s->points > 60) /* near Hopf's point three of them are about 1 */
        s->worst_trivial = fmax(s->worst_trivial, least);
    return ZW_OK;
}

static void open_study(study *s, const char *text, const char *parameter, int intervals,
                       bool driven) {
    zw_kernel_options k = zw_kernel_options_default();
    zw_colloc_options o = zw_colloc_options_default();
    *s = (study){.ctx = zw_context_create(NULL), .driven = driven, .every = EVERY};
    double t0 = processor_time();
    if (zw_model_parse(&s->sys, s->ctx, text, strlen(text), "bench", NULL, &s->err) < 0)
        stop_at("the text", &s->err);
    double t1 = processor_time();
    for (int i = 0; i < s->sys->np; i++)
        if (strcmp(s->sys->param[i].name, parameter) == 0)
            s->parameter = i;
    s->given[s->parameter] = true;
    k.functions = ZW_FUNCTIONS_RUN | ZW_SET(JAC) | ZW_SET(TIME) | ZW_SET(JAC_P);
    k.nparameter = 1;
    k.parameter = &s->parameter;
    o.intervals = intervals;
    o.is_period_free = !driven;
    if (zw_derive(&s->eq, s->sys, NULL, "lagrange", &s->err) < 0 ||
        zw_kernel_create(&s->kernel, &s->eq, &k, &s->err) < 0)
        stop_at("equations", &s->err);
    k.functions = ZW_SET(RHS) | ZW_SET(MATS) | ZW_SET(JAC) | ZW_SET(TIME) | ZW_SET(JAC_P);
    k.lanes = 8;
    if (zw_kernel_create(&s->lanes, &s->eq, &k, &s->err) < 0 ||
        zw_system_param_values(s->sys, s->p, &s->err) < 0 ||
        zw_flow_create(&s->flow, s->kernel, s->p, &s->err) < 0)
        stop_at("equations", &s->err);
    double t2 = processor_time();
    if (s->sys->nq <= NATIVE &&
        zw_kernel_compile(s->lanes, &s->err) < 0) /* the other one is hardly called */
        fprintf(stderr, "orbits: without native code: %s\n", s->err.text);
    double t3 = processor_time();
    o.lanes = s->lanes;
    if (zw_colloc_create(&s->c, s->flow, &o, set, s, &s->err) < 0)
        stop_at("collocation", &s->err);
    s->own = zw_colloc_problem(s->c);
    s->problem = s->own;
    s->problem.self = s;
    s->problem.residual = residual;
    s->problem.factor = factor;
    s->problem.solve = solve;
    s->problem.inner = inner;
    s->problem.dual = dual;
    s->problem.adapt = adapt;
    size_t room = (size_t)s->own.n + 2;
    s->x = calloc(room, sizeof(double));
    s->start = calloc(room, sizeof(double));
    s->toward = calloc(room, sizeof(double));
    s->read = t1 - t0;
    s->build = t2 - t1;
    s->compile = t3 - t2;
}

static void close_study(study *s) {
    free(s->x);
    free(s->start);
    free(s->toward);
    zw_colloc_destroy(s->c);
    zw_flow_destroy(s->flow);
    zw_kernel_destroy(s->kernel);
    zw_kernel_destroy(s->lanes);
    zw_context_destroy(s->ctx);
}

/* from the start on an even mesh, once; the processor's time */
static double go(study *s, const zw_cont_options *o, double a, int direction, zw_cont_info *info) {
    int N = zw_colloc_intervals(s->c);
    double *mesh = calloc((size_t)N + 1, sizeof(double));
    for (int j = 0; j <= N; j++)
        mesh[j] = (double)j / N;
    memcpy(s->x, s->start, sizeof(double) * (size_t)s->own.n);
    s->points = 0;
    s->worst_trivial = 0;
    if (zw_colloc_set_mesh(s->c, mesh, &s->err) < 0 || zw_colloc_refer(s->c, s->x, a, &s->err) < 0)
        stop_at("the start", &s->err);
    free(mesh);
    double begin = processor_time();
    if (zw_continue(&s->problem, o, s->x, a, direction, take, s, info, NULL, &s->err) < 0)
        stop_at("the branch", &s->err);
    return processor_time() - begin;
}

static double best_of(study *s, const zw_cont_options *o, double a, int direction,
                      zw_cont_info *info) {
    double best = INFINITY, spent = 0;
    for (int i = 0; i < REPEATS || spent < batch_time; i++) {
        double took = go(s, o, a, direction, info);
        spent += took;
        best = fmin(best, took / info->points);
    }
    return best;
}

static double memory(void) {
    struct rusage use;
    getrusage(RUSAGE_SELF, &use);
    return (double)use.ru_maxrss / 1024;
}

/* ---- Lorenz ---- */

static const char lorenz_text[] =
    "model lorenz\nunits none\nparam rho = 24.7\n"
    "state x, y, z : x' = 10*(y - x), y' = rho*x - y - x*z, z' = x*y - 8/3*z\n";

/* the cycle next to Hopf's point, in the plane of its eigenvectors, and the direction away from the
 * equilibrium */
static double start_lorenz(study *s, int intervals) {
    const double rho = 470. / 19, b = 8. / 3, sigma = 10,
                 w = sqrt(2 * sigma * (sigma + 1) * b / (sigma - b - 1)), c = sqrt(b * (rho - 1)),
                 re[3] = {1, 1, w * w / sigma / c}, im[3] = {0, w / sigma, -(w + w / sigma) / c},
                 at[3] = {c, c, rho - 1}, size = 0.05;
    int m = 4, stride = 3 * (m + 1);
    static const double point[4] = {0.069431844202973713, 0.330009478207571868,
                                    0.669990521792428132, 0.930568155797026287};
    for (int j = 0; j < intervals; j++)
        for (int i = -1; i < m; i++) {
            double phase = 2 * M_PI * (j + (i < 0 ? 0 : point[i])) / intervals;
            for (int r = 0; r < 3; r++) {
                double *to = &s->start[j * stride + (i + 1) * 3 + r];
                *to = i < 0 ? at[r] + size * (re[r] * cos(phase) - im[r] * sin(phase))
                            : -2 * M_PI * size * (re[r] * sin(phase) + im[r] * cos(phase));
                s->toward[j * stride + (i + 1) * 3 + r] = i < 0 ? *to - at[r] : *to;
            }
        }
    s->start[intervals * stride] = 2 * M_PI / w;
    return rho;
}

static void tell_lorenz(int intervals) {
    study s;
    zw_cont_info info;
    zw_cont_options o = zw_cont_options_default();
    char name[32];
    snprintf(name, sizeof name, "Lorenz %dx4", intervals);
    open_study(&s, lorenz_text, "rho", intervals, false);
    double rho = start_lorenz(&s, intervals);
    o.toward = s.toward;
    o.step = o.step_max = 0.05;
    o.stray = 1;
    o.low = rho_end;
    o.high = rho + 0.1;
    o.tolerance = 1e-9;
    o.order = 5;
    o.quick = true;
    double step = best_of(&s, &o, rho, -1, &info), period = zw_colloc_period(s.c, s.x);
    if (info.end != ZW_CONT_AT_BOUND) {
        fprintf(stderr, "orbits: the branch of Lorenz's cycles ends early\n");
        exit(1);
    }
    bench_row("orbits", name, "steps in a second", 1 / step, "1/s", "");
    bench_row("orbits", name, "steps", info.points, "1", "");
    bench_row("orbits", name, "factorisations for a step", (double)info.factored / info.points, "1",
              "");
    bench_row("orbits", name, "T off the known one by", fabs(period - period_end), "s", "<= 2e-8");
    bench_row("orbits", name, "trivial multiplier off by", s.worst_trivial, "1", "<= 1e-6");
    bench_row("orbits", name, "from the text to the first step", s.read + s.build + s.compile, "s",
              "");
    s.every =
        3; /* as AUTO does it: a new mesh every third step, full corrections, a matrix at the end of each */
    o.order = 2;
    o.quick = false;
    s.always = true;
    bench_row("orbits", name, "steps in a second by AUTO's recipe",
              1 / best_of(&s, &o, rho, -1, &info), "1/s", "");
    bench_row("orbits", name, "steps in a second from the text",
              info.points / (info.points * step + s.read + s.build + s.compile), "1/s", "");
    bench_row("orbits", name, "memory at most", memory(), "MB", "");
    fprintf(stderr, "lorenz %d %.10f %.10f\n", intervals, s.a, period);
    close_study(&s);
}

/* ---- chains ---- */

static char text[TEXT];

__attribute__((format(printf, 1, 2))) static void say(const char *format, ...) {
    va_list args;
    size_t length = strlen(text);
    va_start(args, format);
    int n = vsnprintf(text + length, TEXT - length, format, args);
    va_end(args);
    if (n < 0 || (size_t)n >= TEXT - length) {
        fprintf(stderr, "orbits: the text of a model is too long\n");
        exit(1);
    }
}

/* as in response.c */
static void say_chain(int n) {
    text[0] = 0;
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

/* s: a factorisation with all that belongs to it, of a chain of n, on 16 intervals with 4 points,
 * which give nine digits (docs of the prototype) */
static double tell_chain(int n) {
    study s;
    zw_cont_info info;
    zw_cont_options o = zw_cont_options_default();
    char name[32];
    snprintf(name, sizeof name, "chain n=%d 16x4", n);
    say_chain(n);
    double before = memory();
    open_study(&s, text, "w", 16, true);
    s.problem.adapt = NULL; /* the motion is smooth: the mesh stays */
    o.low = 0.5;
    o.high = 1.6;
    o.step = o.step_max = 0.02;
    o.stray = 1;
    o.points_max = n < 5 ? 200 : n < 15 ? 40 : n < 30 ? 8 : 2;
    o.order = 5;
    o.quick = true;
    double step = n < 15 ? best_of(&s, &o, 0.8, 1, &info) : go(&s, &o, 0.8, 1, &info) / info.points,
           factored = step * info.points / (double)info.factored;
    bench_row("orbits", name, "time of a step", step, "s", "");
    bench_row("orbits", name, "time by factorisations", factored, "s", "");
    bench_row("orbits", name, "memory it took", memory() - before, "MB", "");
    bench_row("orbits", name, "from the text to the first step", s.read + s.build + s.compile, "s",
              "");
    close_study(&s);
    return factored;
}

static void tell_chains(int count, char **numbers) {
    double first = 0, size = 0;
    for (int i = 0; i < count; i++) {
        int n = atoi(numbers[i]);
        double step = tell_chain(n);
        if (n >= 10 && first == 0) {
            first = step;
            size = n;
        } else if (first > 0 && i + 1 == count) {
            char name[32];
            snprintf(name, sizeof name, "chain n=%g to %d", size, n);
            bench_row("orbits", name, "a step grows as n to the power",
                      log(step / first) / log(n / size), "1", "");
        }
    }
}

int main(int argc, char **argv) {
    if (argc > 2 && strcmp(argv[1], "chain") == 0) {
        tell_chains(argc - 2, argv + 2);
        return 0;
    }
    if (argc > 2 && strcmp(argv[1], "lorenz") == 0) {
        for (int i = 2; i < argc; i++)
            tell_lorenz(atoi(argv[i]));
        return 0;
    }
    fprintf(stderr, "orbits lorenz N... | orbits chain n...\n");
    return 1;
}
