/* SPDX-License-Identifier: MIT */
/* Work and precision: the error at the end of a motion against the time it took, by Zwang from a
 * model text and by CVODE on right-hand sides written by hand in minimal coordinates.
 *
 *   chain      six pendulums in the plane
 *   turntable  ball on a turntable with viscous and rolling friction (Lewis and Murray 1995): by
 *              hand four states, in the model orientation and spin too
 *   tippedisk  the three-state system with eps = 1e-3 m/s, stiff (Sailer 2023, (4.39)-(4.44))
 *   absorber   ball rolling in a shaken spherical cavity, with spin (Naprstek and Fischer 2018)
 *
 *   work_precision MODELS FILE     rows for bench/run on stdout; every point into FILE as CSV
 *
 * The errors are measured against a run with rtol 1e-13 of the hand-written code; how far Zwang's
 * tightest run is from it is a row of its own. Times are the least of repetitions, without reading,
 * deriving and compiling, which have a row of their own. The ratio compares both at equal error:
 * the time of Zwang interpolated (in logarithms) at the errors CVODE had. */
#include <cvode/cvode.h>
#include <math.h>
#include <nvector/nvector_serial.h>
#include <string.h>
#include <sunlinsol/sunlinsol_dense.h>
#include <sunmatrix/sunmatrix_dense.h>
#include <sunnonlinsol/sunnonlinsol_fixedpoint.h>

#include "bench.h"
#include "num/methods/sundials.h"
#include "pendulum_by_hand.h"
#include "zwang/zwang.h"

enum { STATE_MAX = 16, POINTS_MAX = 16, TEXT_MAX = 4096 };

static void check(zw_status status, const zw_error *err) {
    if (status >= 0)
        return;
    fprintf(stderr, "%s\n", err->text[0] ? err->text : zw_status_text(status));
    exit(1);
}

/* ---- right-hand sides by hand ---- */

static void chain_rates(double t, const double *y, double *rate) {
    (void)t;
    memcpy(rate, y + LINKS, LINKS * sizeof *y);
    pendulum_by_hand(y, rate + LINKS);
}

static void chain_start(double *y) {
    const double p[] = {1, 1, 9.81};
    pendulum_prepare(p);
    for (int i = 0; i < LINKS; i++) {
        y[i] = 0.5 + 0.1 * i;
        y[LINKS + i] = 0;
    }
}

static void chain_model(char *text, size_t size) {
    int n = snprintf(text, size, "model chain\nparam m = 1 [kg], L = 1 [m]\ncoord ");
    for (int i = 0; i < LINKS; i++)
        n += snprintf(text + n, size - (size_t)n, "%sq%d", i ? ", " : "", i);
    n += snprintf(text + n, size - (size_t)n, " [rad]\ngravity 9.81 [m/s^2] along -y\n");
    for (int i = 0; i < LINKS; i++)
        n += snprintf(text + n, size - (size_t)n,
                      i ? "let x%d = x%d + L*sin(q%d)\nlet y%d = y%d - L*cos(q%d)\n"
                        : "let x%d = %d*L + L*sin(q%d)\nlet y%d = %d*L - L*cos(q%d)\n",
                      i, i ? i - 1 : 0, i, i, i ? i - 1 : 0, i);
    for (int i = 0; i < LINKS; i++)
        n += snprintf(text + n, size - (size_t)n, "particle p%d : m at (x%d, y%d, 0)\n", i, i, i);
    for (int i = 0; i < LINKS; i++)
        n += snprintf(text + n, size - (size_t)n, "start q%d = %g [rad], q%d' = 0 [rad/s]\n", i,
                      0.5 + 0.1 * i, i);
}

/* (m + I/r^2) a = F + I/r^2 Omega (-y', x'), F the friction */
static void turntable_rates(double t, const double *y, double *rate) {
    (void)t;
    const double r = 0.0127, m = 7800 * 4.0 / 3 * M_PI * r * r * r, Omega = 45 * M_PI / 30;
    const double k = 0.4 * m, g = 9.81, nu = 5e-3, delta = 1e-3, v_0 = 1e-7;
    double u = y[2] + Omega * y[1], w = y[3] - Omega * y[0];
    double rolling = delta * m * g / sqrt(u * u + w * w + v_0 * v_0);
    rate[0] = y[2];
    rate[1] = y[3];
    rate[2] = (-nu * y[2] - rolling * u - k * Omega * y[3]) / (m + k);
    rate[3] = (-nu * y[3] - rolling * w + k * Omega * y[2]) / (m + k);
}

static void turntable_start(double *y) {
    const double start[] = {0.1, 0, 0, 0.05};
    memcpy(y, start, sizeof start);
}

static void disk_rates(double t, const double *x, double *rate) {
    (void)t;
    const double r_0 = 0.045, a = 0.015, b = 0.02, h = 0.01, rho = 7700, g = 9.81, mu = 0.3;
    const double eps = 1e-3, v_0 = 1e-9, Om = 40;
    const double e = b * a * a / (r_0 * r_0 - a * a), m = rho * M_PI * (r_0 * r_0 - a * a) * h;
    const double A =
        rho * M_PI * h / 12 *
        (3 * r_0 * r_0 * r_0 * r_0 + r_0 * r_0 * h * h - a * a * h * h - 3 * a * a * a * a);
    const double B = A - rho * M_PI * h * a * a * b * b - m * e * e;
    double sb, cb, sg, cg, y = x[2];
    sincos(x[0], &sb, &cb);
    sincos(x[1], &sg, &cg);
    double r = r_0 + e * sg, J = A * cg * cg + B * sg * sg, mr2 = m * r * r, w = r * sb;
    double force = (J * Om * Om + mr2 * y * y) * sb * cb - 2 * (A - B) * Om * y * cb * sg * cg +
                   m * e * r * Om * Om * sb * cb * cb * cb * sg -
                   m * e * r * Om * (3 * sb * sb - 2) * y * cb * cg - m * g * r * cb;
    double slip = w * y - e * Om * sb * sb * cg;
    rate[0] = y;
    rate[1] = -Om * cb;
    rate[2] = (force - w * mu * m * g * slip / (sqrt(slip * slip + v_0 * v_0) + eps)) /
              (J + mr2 * cb * cb);
}

static void disk_start(double *x) {
    const double start[] = {M_PI / 2, 0.1 - M_PI / 2, 0};
    memcpy(x, start, sizeof start);
}

/* s from the centre of the cavity, n = s/q: (m + I/r^2) s'' = m (G - A'')_t + I/r spin (n' x n),
 * the tangential part, and -|s'|^2/q n; the spin is constant */
static void absorber_rates(double t, const double *y, double *rate) {
    const double r = 0.15, q = 0.85, g = 9.81, A_0 = 0.02, omega = 2.9, spin = 5;
    const double *s = y, *u = y + 3;
    double n[3] = {s[0] / q, s[1] / q, s[2] / q};
    double field[3] = {A_0 * omega * omega * sin(omega * t), 0, -g};
    double normal = field[0] * n[0] + field[1] * n[1] + field[2] * n[2];
    double turn[3] = {(u[1] * n[2] - u[2] * n[1]) / q, (u[2] * n[0] - u[0] * n[2]) / q,
                      (u[0] * n[1] - u[1] * n[0]) / q};
    double square = u[0] * u[0] + u[1] * u[1] + u[2] * u[2];
    for (int i = 0; i < 3; i++) {
        rate[i] = u[i];
        rate[3 + i] =
            (field[i] - normal * n[i] + 0.4 * r * spin * turn[i]) / 1.4 - square / q * n[i];
    }
}

static void absorber_start(double *y) {
    const double start[] = {0, 0, -0.85, 0, 0.3, 0};
    memcpy(y, start, sizeof start);
}

/* ---- the problems ---- */

typedef struct problem {
    const char *name, *file; /* in MODELS; NULL: text is made */
    const char *set[4];
    double until;
    bool stiff;
    int n; /* states of the hand-written code */
    void (*rates)(double t, const double *y, double *rate);
    void (*start)(double *y);
    int compared; /* the first ones of both */
} problem;

static const problem problems[] = {
    {"chain", NULL, {NULL}, 3, false, 2 * LINKS, chain_rates, chain_start, LINKS},
    {"turntable",
     "turntable_ball.zw",
     {"nu=5 [g/s]", "delta=0.001"},
     20,
     false,
     4,
     turntable_rates,
     turntable_start,
     2},
    {"tippedisk", "tippedisk_reduced.zw", {"eps=1 [mm/s]"}, 1, true, 3, disk_rates, disk_start, 2},
    {"absorber",
     "absorber_spatial.zw",
     {"y'=0.3 [m/s]", "spin_0=5 [rad/s]"},
     20,
     false,
     6,
     absorber_rates,
     absorber_start,
     2}, /* x = s + A, and A vanishes in none of the others */
};

typedef struct point {
    double rtol, error, seconds;
    long evaluations;
} point;

typedef struct curve {
    char name[32];
    int n;
    point at[POINTS_MAX];
} curve;

/* ---- by hand, with CVODE ---- */

typedef struct hand {
    const problem *p;
    int lmm;
    SUNContext context;
    N_Vector y;
    SUNMatrix matrix;
    SUNLinearSolver linear;
    SUNNonlinearSolver fixed_point;
    void *memory;
    double rtol, end[STATE_MAX];
} hand;

static int hand_rates(sunrealtype t, N_Vector y, N_Vector rate, void *user) {
    const hand *h = user;
    h->p->rates(t, N_VGetArrayPointer(y), N_VGetArrayPointer(rate));
    return 0;
}

static void hand_open(hand *h, const problem *p, int lmm) {
    *h = (hand){.p = p, .lmm = lmm};
    zw_sundials_context(&h->context);
    h->y = N_VNew_Serial(p->n, h->context);
    h->memory = CVodeCreate(lmm, h->context);
    p->start(N_VGetArrayPointer(h->y));
    CVodeInit(h->memory, hand_rates, 0, h->y);
    CVodeSetUserData(h->memory, h);
    CVodeSetMaxNumSteps(h->memory, 100000000);
    if (lmm == CV_ADAMS) {
        h->fixed_point = SUNNonlinSol_FixedPoint(h->y, 0, h->context);
        CVodeSetNonlinearSolver(h->memory, h->fixed_point);
    } else {
        h->matrix = SUNDenseMatrix(p->n, p->n, h->context);
        h->linear = SUNLinSol_Dense(h->y, h->matrix, h->context);
        CVodeSStolerances(h->memory, 1e-6, 1e-8);
        CVodeSetLinearSolver(h->memory, h->linear, h->matrix);
    }
}

static void hand_run(void *data) {
    hand *h = data;
    double t;
    h->p->start(N_VGetArrayPointer(h->y));
    CVodeReInit(h->memory, 0, h->y);
    CVodeSStolerances(h->memory, h->rtol, h->rtol * 1e-2);
    if (CVode(h->memory, h->p->until, h->y, &t, CV_NORMAL) < 0)
        exit(1);
    memcpy(h->end, N_VGetArrayPointer(h->y), sizeof(double) * (size_t)h->p->n);
}

static void hand_close(hand *h) {
    CVodeFree(&h->memory);
    if (h->fixed_point)
        SUNNonlinSolFree(h->fixed_point);
    if (h->linear)
        SUNLinSolFree(h->linear);
    if (h->matrix)
        SUNMatDestroy(h->matrix);
    N_VDestroy(h->y);
    SUNContext_Free(&h->context);
}

/* ---- Zwang ---- */

typedef struct ours {
    const problem *p;
    zw_context *ctx;
    zw_system *sys;
    zw_equations eq;
    zw_kernel *kernel;
    zw_run *run;
    double values[64], x[64], prepared; /* seconds of reading, deriving, compiling */
} ours;

static void ours_open(ours *o, const problem *p, const char *models) {
    char path[512], text[TEXT_MAX];
    zw_error err = {0};
    zw_model_options options = {.set = p->set};
    zw_kernel_options kernel = zw_kernel_options_default();
    bool fixed[64];
    kernel.jit = 2;
    while (options.nset < 4 && p->set[options.nset])
        options.nset++;
    double begin = bench_now();
    *o = (ours){.p = p, .ctx = zw_context_create(NULL)};
    if (p->file) {
        snprintf(path, sizeof path, "%s/%s", models, p->file);
        check(zw_model_read(&o->sys, o->ctx, path, &options, &err), &err);
    } else {
        chain_model(text, sizeof text);
        check(zw_model_parse(&o->sys, o->ctx, text, strlen(text), p->name, &options, &err), &err);
    }
    check(zw_derive(&o->eq, o->sys, NULL, "lagrange", &err), &err);
    check(zw_kernel_create(&o->kernel, &o->eq, &kernel, &err), &err);
    o->prepared = bench_now() - begin;
    o->kernel->nevt = 0; /* the hand-written code looks for no events either */
    check(zw_system_param_values(o->sys, o->values, &err), &err);
    check(zw_system_start_state(o->sys, o->values, o->x, fixed, &err), &err);
    check(zw_run_create(&o->run, o->kernel, o->values, NULL, &err), &err);
    check(zw_run_consistent(o->run, 0, o->x, fixed, NULL, &err), &err);
    zw_run_destroy(o->run);
}

static void ours_run(void *data) {
    ours *o = data;
    zw_error err = {0};
    check(zw_run_start(o->run, 0, o->x, &err), &err);
    check(zw_run_advance(o->run, o->p->until, NULL, &err), &err);
}

static void ours_method(ours *o, const char *method, double rtol) {
    zw_run_options options = zw_run_options_default();
    zw_error err = {0};
    options.rtol = rtol;
    options.atol = rtol * 1e-2;
    options.method = method;
    check(zw_run_create(&o->run, o->kernel, o->values, &options, &err), &err);
}

/* ---- curves ---- */

/* the error at the end, relative to the largest of the compared entries */
static double error_of(const problem *p, const double *end, const double *reference) {
    double size = 0, most = 0;
    for (int i = 0; i < p->compared; i++) {
        size = fmax(size, fabs(reference[i]));
        most = fmax(most, fabs(end[i] - reference[i]));
    }
    return most / size;
}

/* what the hand-written code calls its state, in the words of the model */
static void as_model(const problem *p, const double *y, double *out) {
    memcpy(out, y, sizeof(double) * (size_t)p->n);
    if (strcmp(p->name, "absorber") == 0)
        out[0] += 0.02 * sin(2.9 * p->until);
}

static void keep(FILE *file, const problem *p, curve *c, point at) {
    c->at[c->n++] = at;
    fprintf(file, "%s,%s,%g,%.6g,%.6g,%ld\n", p->name, c->name, at.rtol, at.error, at.seconds,
            at.evaluations);
}

static curve by_hand(const problem *p, int lmm, const double *reference, FILE *file) {
    curve c = {.n = 0};
    hand h;
    snprintf(c.name, sizeof c.name, "CVODE %s by hand", lmm == CV_ADAMS ? "Adams" : "BDF");
    hand_open(&h, p, lmm);
    for (double rtol = 1e-4; rtol > 3e-13; rtol /= 10) {
        long evaluations = 0;
        double end[STATE_MAX];
        h.rtol = rtol;
        bench_times times = bench_repeat(hand_run, &h, 0.1);
        CVodeGetNumRhsEvals(h.memory, &evaluations);
        as_model(p, h.end, end);
        keep(file, p, &c, (point){rtol, error_of(p, end, reference), times.min, evaluations});
    }
    hand_close(&h);
    return c;
}

static curve by_zwang(ours *o, const char *method, const double *reference, FILE *file) {
    curve c = {.n = 0};
    for (double rtol = 1e-4; rtol > 3e-13; rtol /= 10) {
        ours_method(o, method, rtol);
        bench_times times = bench_repeat(ours_run, o, 0.1);
        zw_run_info info = zw_run_statistics(o->run);
        snprintf(c.name, sizeof c.name, "Zwang %s", method);
        keep(file, o->p, &c,
             (point){rtol, error_of(o->p, zw_run_state(o->run), reference), times.min,
                     info.rhs_calls});
        zw_run_destroy(o->run);
    }
    return c;
}

/* the least time a curve needs for an error not above this one; NAN where it never is */
static double time_at(const curve *c, double error) {
    double best = NAN;
    for (int i = 0; i < c->n; i++)
        if (c->at[i].error <= error && !(c->at[i].seconds >= best))
            best = c->at[i].seconds;
    for (int i = 0; i + 1 < c->n; i++) { /* between two points, in logarithms */
        double a = log(c->at[i].error), b = log(c->at[i + 1].error), x = log(error);
        if (!(a > x && x > b))
            continue;
        double f = (a - x) / (a - b);
        double t = exp((1 - f) * log(c->at[i].seconds) + f * log(c->at[i + 1].seconds));
        if (!(t >= best))
            best = t;
    }
    return best;
}

/* geometric mean and worst of the ratio of times where both reach the errors of the second */
static void compare(const problem *p, const curve *a, const curve *b, const char *target) {
    double sum = 0, worst = 0;
    int n = 0;
    for (int i = 0; i < b->n; i++) {
        double error = b->at[i].error;
        if (!(error < 1e-2 && error > 1e-10))
            continue;
        double ratio = time_at(a, error) / time_at(b, error);
        if (isnan(ratio))
            continue;
        sum += log(ratio);
        worst = fmax(worst, ratio);
        n++;
    }
    char what[96];
    snprintf(what, sizeof what, "%s / %s", a->name, b->name);
    bench_row("work_precision", p->name, what, n ? exp(sum / n) : NAN, "", target);
    snprintf(what, sizeof what, "worst of these");
    bench_row("work_precision", p->name, what, worst, "", "");
}

static void contest(const problem *p, const char *models, FILE *file) {
    hand h;
    ours o;
    double reference[STATE_MAX];
    hand_open(&h, p, p->stiff ? CV_BDF : CV_ADAMS);
    h.rtol = 1e-13;
    hand_run(&h);
    as_model(p, h.end, reference);
    hand_close(&h);
    ours_open(&o, p, models);
    bench_row("work_precision", p->name, "from text to native code", 1e3 * o.prepared, "ms", "");
    ours_method(&o, p->stiff ? "radau" : "rk87", 1e-13);
    ours_run(&o);
    bench_row("work_precision", p->name, "references differ by",
              error_of(p, zw_run_state(o.run), reference), "", "<= 1e-8");
    memcpy(reference, zw_run_state(o.run), sizeof(double) * (size_t)p->compared);
    fprintf(file, "%s,reference,0,", p->name);
    for (int i = 0; i < p->compared; i++)
        fprintf(file, "%s%.17g", i ? ";" : "", reference[i]);
    fprintf(file, ",0,0\n");
    zw_run_destroy(o.run);

    static const char *const methods[] = {"adams", "bdf", "rk54", "rk87", "radau"};
    curve adams = by_hand(p, CV_ADAMS, reference, file);
    curve bdf = by_hand(p, CV_BDF, reference, file);
    curve chosen = by_zwang(&o, "auto", reference, file);
    compare(p, &chosen, p->stiff ? &bdf : &adams, "<= 1");
    compare(p, &chosen, p->stiff ? &adams : &bdf, "<= 1");
    for (size_t i = 0; i < sizeof methods / sizeof *methods; i++) {
        if (strcmp(methods[i], "adams") == 0 && o.kernel->npos + o.kernel->nvel + o.kernel->nunit)
            continue;
        if (p->stiff && i != 1 && i != 4)
            continue;
        by_zwang(&o, methods[i], reference, file);
    }
    zw_kernel_destroy(o.kernel);
    zw_context_destroy(o.ctx);
}

int main(int argc, char **argv) {
    FILE *file = argc == 3 ? fopen(argv[2], "w") : NULL;
    if (!file) {
        fprintf(stderr, "usage: work_precision MODELS FILE.csv\n");
        return 1;
    }
    fprintf(file, "problem,solver,rtol,error,seconds,evaluations\n");
    for (size_t i = 0; i < sizeof problems / sizeof *problems; i++)
        contest(&problems[i], argv[1], file);
    return fclose(file) != 0;
}
