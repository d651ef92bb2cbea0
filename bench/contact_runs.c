/* SPDX-License-Identifier: MIT */
/* Time steps with many contacts, of models whose text is made here for any number of bodies:
 *
 *   chain n   n beads on a vertical wire with a floor, dropped with a millimetre between them: impacts, then all rest   n contacts
 *   stack n   n boxes on top of each other, the uppermost pushed, at rest by friction                                 2 n contacts
 *   tower n   n blocks hit at the top by a ball, neighbours and ground                                          9 n - 3 contacts
 *
 * For each: steps in a second of the processor's time, the worst residual of a step, iterations of
 * a step (mean), how much longer it takes when solvers do not begin with the impulses of the step
 * before, and how the time of a step grows with n (its power). */
#include <math.h>
#include <stdarg.h>
#include <string.h>

#include "bench.h"
#include "contact/moreau_links.h"
#include "zwang/zwang.h"

enum { TEXT = 1 << 18, STEPS = 1000, CASES = 4, REPEATS = 3 };
static const double step = 1e-4;

/* ---- texts ---- */

static char text[TEXT];
static size_t length;

__attribute__((format(printf, 1, 2))) static void say(const char *format, ...) {
    va_list args;
    va_start(args, format);
    int n = vsnprintf(text + length, TEXT - length, format, args);
    va_end(args);
    if (n < 0 || (size_t)n >= TEXT - length) {
        fprintf(stderr, "contact_runs: the text of a model is too long\n");
        exit(1);
    }
    length += (size_t)n;
}

static void begin(const char *name) {
    length = 0;
    say("model %s\n", name);
}

static void say_chain(int n) {
    begin("chain");
    say("param m = 5 [g], r = 5 [mm], s = 1 [mm], e = 0.5, g = 9.81 [m/s^2]\n");
    for (int i = 1; i <= n; i++) {
        say("coord y%d [m]\nparticle P%d : m at (0, y%d)\n", i, i, i);
        say("start y%d = %d*(2*r + s) - r\n", i, i);
        if (i == 1)
            say("contact c1 : gap y1 - r, law newton(e)\n");
        else
            say("contact c%d : gap y%d - y%d - 2*r, law newton(e)\n", i, i, i - 1);
    }
    say("gravity g along -y\n");
}

static void say_body(int i, const char *width) {
    say("coord x%d, y%d [m], t%d [rad]\nframe F%d : rotate z t%d\n", i, i, i, i, i);
    say("body B%d : F%d at (x%d, y%d, 0), box(m, %s, h, w)\n", i, i, i, i, width);
    say("start y%d = %d*h - h/2\n", i, i);
    say("point a%d : B%d.origin + F%d(-(%s)/2, -h/2, 0)\n", i, i, i, width);
    say("point b%d : B%d.origin + F%d((%s)/2, -h/2, 0)\n", i, i, i, width);
    say("point c%d : B%d.origin + F%d(-(%s)/2, h/2, 0)\n", i, i, i, width);
    say("point d%d : B%d.origin + F%d((%s)/2, h/2, 0)\n", i, i, i, width);
}

static void say_ground(int i, const char *corners, const char *law) {
    for (const char *c = corners; *c; c++)
        say("contact g%c%d : gap %c%d.y, slip B%d.velocity(%c%d).x, law %s\n", *c, i, *c, i, i, *c,
            i, law);
}

static void say_stack(int n) {
    begin("stack");
    say("param m = 1 [kg], w = 20 [cm], h = 10 [cm], g = 9.81 [m/s^2], mu = 0.3\n");
    for (int i = 1; i <= n; i++)
        say_body(i, "w");
    say_ground(1, "ab", "coulomb(mu)");
    for (int i = 2; i <= n; i++)
        for (int c = 'a'; c <= 'b'; c++)
            say("contact %c%d_on : gap (%c%d - B%d.origin) . F%d.y - h/2,\n"
                "  slip (B%d.velocity(%c%d) - B%d.velocity(%c%d)) . F%d.x, law coulomb(mu)\n",
                c, i, c, i, i - 1, i - 1, i, c, i, i - 1, c, i, i - 1);
    /* a tenth of what turns it over, less than what slips */
    say("gravity g along -y\nforce (x%d) = 0.1*m*g\n", n);
}

/* corner c of block i at the face of block j that looks to it: +1 its upper one */
static void say_corner(int c, int i, int j, int side, double width) {
    const char *way = side > 0 ? "" : "-";
    say("contact %c%d_%d : gap if(abs((%c%d - B%d.origin) . F%d.x) < %.17g [m],\n", c, i, j, c, i,
        j, j, width / 2);
    say("    %s((%c%d - B%d.origin) . F%d.y) - h/2, 1 [m]),\n", way, c, i, j, j);
    say("  slip (B%d.velocity(%c%d) - B%d.velocity(%c%d)) . F%d.x, law newton(e) + coulomb(mu)\n",
        i, c, i, j, c, i, j);
}

static void say_tower(int n) {
    begin("tower");
    say("param m = 0.5 [kg], w = 12 [cm], h = 10 [cm], g = 9.81 [m/s^2], mu = 0.4, e = 0.1\n");
    say("param M = 0.4 [kg], r = 4 [cm], v = 5 [m/s]\n");
    double width[101];
    for (int i = 1; i <= n; i++) {
        char words[64];
        width[i] = 0.12 - 0.04 * (i - 1) / n;
        snprintf(words, sizeof words, "%.17g [m]", width[i]);
        say_body(i, words);
        say_ground(i, "abcd", "newton(e) + coulomb(mu)");
        if (i == 1)
            continue;
        for (int c = 'a'; c <= 'b'; c++)
            say_corner(c, i, i - 1, 1, width[i - 1]);
        for (int c = 'c'; c <= 'd'; c++)
            say_corner(c, i - 1, i, -1, width[i]);
    }
    say("gravity g along -y\ncoord X, Y [m]\nparticle ball : M at (X, Y)\n");
    say("start X = -15 [cm], Y = %d*h - h/2 + 1 [cm], X' = v\n", n);
    for (int i = 1; i <= n; i++) {
        say("let p%d = (ball - B%d.origin) . F%d.x, q%d = (ball - B%d.origin) . F%d.y\n", i, i, i,
            i, i, i);
        say("contact hit%d : gap norm((max(abs(p%d) - %.17g [m], 0), max(abs(q%d) - h/2, 0))) - "
            "r,\n"
            "  law newton(0.5)\n",
            i, i, width[i] / 2, i);
    }
    say("contact floor : gap Y - r, law newton(0.5)\n");
}

/* ---- runs ---- */

typedef struct result {
    double seconds; /* of a step */
    double residual, iterations;
    int contacts;
} result;

static double processor_time(void) {
    struct timespec t;
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

static void check(zw_status status, const zw_error *err) {
    if (status >= 0)
        return;
    fprintf(stderr, "contact_runs: %s\n", err->text);
    exit(1);
}

/* all steps of a run from the start, told of in pieces of ten */
static void run_steps(zw_run *run, const double *x, result *r) {
    zw_error err = {0};
    int event;
    long told = 0;
    double sum = 0, begin_time;
    check(zw_run_start(run, 0, x, &err), &err);
    begin_time = processor_time();
    for (int k = 1; k <= STEPS / 10; k++) {
        zw_moreau_report report = {0};
        check(zw_run_advance(run, 10 * k * step, &event, &err), &err);
        check(zw_moreau_tell(run, &report, &err), &err);
        r->residual = fmax(r->residual, report.residual);
        sum += report.iterations;
        told++;
    }
    double seconds = (processor_time() - begin_time) / STEPS;
    r->seconds = r->seconds == 0 ? seconds : fmin(r->seconds, seconds);
    r->iterations = sum / (double)told;
}

static result measure(bool warm, int repeats) {
    zw_context *ctx = zw_context_create(NULL);
    zw_system *system;
    zw_equations eq;
    zw_kernel *kernel;
    zw_run *run;
    zw_error err = {0};
    zw_moreau_options moreau = zw_moreau_options_default();
    moreau.solver.warm = warm;
    moreau.solver.tolerance = 1e-11;
    zw_method method = zw_moreau_method(&moreau);
    zw_run_options options = zw_run_options_default();
    options.supplied = &method;
    options.step = step;
    zw_kernel_options build = zw_kernel_options_default();
    build.functions = method.needs | ZW_FUNCTIONS_RUN;
    build.jit = ZW_JIT_AT_ONCE;
    check(zw_model_parse(&system, ctx, text, length, "made", NULL, &err), &err);
    check(zw_derive(&eq, system, NULL, "lagrange", &err), &err);
    check(zw_kernel_create(&kernel, &eq, &build, &err), &err);
    double *p = calloc((size_t)system->np + 1, sizeof *p);
    double *x = calloc((size_t)kernel->nx + 1, sizeof *x);
    bool *fixed = calloc((size_t)kernel->nx + 1, sizeof *fixed);
    check(zw_system_param_values(system, p, &err), &err);
    check(zw_run_create(&run, kernel, p, &options, &err), &err);
    check(zw_system_start_state(system, p, x, fixed, &err), &err);
    result r = {.contacts = kernel->ncontact};
    for (int i = 0; i < repeats; i++)
        run_steps(run, x, &r);
    zw_run_destroy(run);
    zw_kernel_destroy(kernel);
    zw_context_destroy(ctx);
    free(p);
    free(x);
    free(fixed);
    return r;
}

typedef struct family {
    const char *name;
    void (*say)(int n);
    int n[CASES];
} family;

static const family families[] = {{"chain", say_chain, {10, 20, 50, 100}},
                                  {"stack", say_stack, {5, 10, 20, 40}},
                                  {"tower", say_tower, {5, 10, 20, 0}}};

int main(void) {
    for (size_t f = 0; f < sizeof families / sizeof *families; f++) {
        const family *of = &families[f];
        result first = {0}, last = {0};
        int from = of->n[0], to = from;
        for (int k = 0; k < CASES && of->n[k] > 0; k++) {
            char name[64];
            of->say(of->n[k]);
            result warm = measure(true, REPEATS), cold = measure(false, 1);
            snprintf(name, sizeof name, "%s %d: %d contacts", of->name, of->n[k], warm.contacts);
            bench_row("contact_runs", name, "steps", 1 / warm.seconds, "1/s", "");
            bench_row("contact_runs", name, "residual of a step (worst)", warm.residual, "1",
                      "<= 1e-10");
            bench_row("contact_runs", name, "iterations (mean of the most in 10 steps)",
                      warm.iterations, "1", "");
            bench_row("contact_runs", name, "time without old impulses",
                      cold.seconds / warm.seconds, "1", "");
            first = k == 0 ? warm : first;
            last = warm;
            to = of->n[k];
        }
        bench_row("contact_runs", of->name, "time of a step grows with n to the power",
                  log(last.seconds / first.seconds) / log((double)to / from), "1", "");
    }
    return 0;
}
