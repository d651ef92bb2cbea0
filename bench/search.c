/* SPDX-License-Identifier: MIT */
/* What the search for events costs: smooth problems by every method, with two event functions and
 * without, in turn. The time is that of the processor for one integration on native code, the least
 * of the rounds. The functions have a zero now and then; `none` has only such without zeros. And
 * what single cases cost per step: a conserved energy (no bounds help), a rotor that makes many
 * turns in a step.
 *
 *   search */
#include <math.h>
#include <string.h>
#include <time.h>

#include "bench.h"
#include "zwang/zwang.h"

enum { ROUNDS = 15, STATES = 32 };

typedef struct problem {
    const char *name, *text, *events, *none;
    double until;
} problem;

#define PLANE "model m\nunits none\ncoord x, y\nkinetic 1/2*(x'^2 + y'^2)\n"
static const problem problems[] = {
    {"oscillators", PLANE "potential 1/2*(x^2 + 2*y^2)\nstart x = 1, y = 0.5, y' = 1\n",
     "event a : x - 0.3 both\nevent b : (x - 1)^2 + y^2 - 0.25 both\n",
     "event a : x - 3 both\nevent b : (x - 3)^2 + y^2 - 0.25 both\n", 100},
    {"kepler", PLANE "potential -1/sqrt(x^2 + y^2)\nstart x = 0.5, y' = sqrt(3)\n",
     "event a : y both\nevent b : x*x' + y*y' both\n",
     "event a : y - 4 both\nevent b : x*y' - y*x' - 2 both\n", 100},
    {"henon", PLANE "potential 1/2*(x^2 + y^2) + x^2*y - y^3/3\nstart x = 0.1, y = 0.2, x' = 0.3\n",
     "event a : x rising\nevent b : y' both\n", "event a : x - 3 both\nevent b : y' + 3 both\n",
     100},
    {"double pendulum",
     "model m\nunits none\ncoord a, b\nparticle P : 1 at (sin(a), -cos(a))\n"
     "particle Q : 1 at (sin(a) + sin(b), -cos(a) - cos(b))\n"
     "potential -9.81*(2*cos(a) + cos(b))\nstart a = 1, b = 0.5\n",
     "event l : a both\nevent r : sin(a) + sin(b) - 0.5 both\n",
     "event l : a - 3 both\nevent r : sin(a) + sin(b) - 3 both\n", 20},
    {"sphere",
     "model m\nunits none\ncoord th, ph\nkinetic 1/2*(th'^2 + sin(th)^2*ph'^2)\n"
     "potential 9.81*cos(th)\nstart th = 2, ph' = 3\n",
     "event l : th' both\nevent r : sin(ph) both\n",
     "event l : th' - 20 both\nevent r : cos(th) - 2 both\n", 20},
    {"duffing",
     "model m\nunits none\ncoord x\nkinetic 1/2*x'^2\npotential x^4/4 - x^2/2\n"
     "force (x) = 0.3*cos(1.2*t) - 0.2*x'\nstart x = 1\n",
     "event l : x both\nevent r : x' - 0.1 both\n", "event l : x - 9 both\nevent r : x' - 9 both\n",
     100},
};
enum { PROBLEMS = sizeof problems / sizeof *problems };

/* processor time of one integration, s; *steps and *found on the way */
static double integrate(const zw_kernel *kernel, const double *p, const double *x0, double until,
                        const char *method, double rtol, long *steps, int *found) {
    zw_run_options o = zw_run_options_default();
    zw_error err = {0};
    zw_run *run;
    o.method = method;
    o.rtol = rtol;
    o.atol = rtol * 1e-2;
    if (zw_run_create(&run, kernel, p, &o, &err) < 0 || zw_run_start(run, 0, x0, &err) < 0)
        return NAN;
    clock_t begin = clock();
    zw_status status;
    *found = 0;
    while ((status = zw_run_advance(run, until, NULL, &err)) == ZW_EVENT)
        ++*found;
    double time = (double)(clock() - begin) / CLOCKS_PER_SEC;
    *steps = zw_run_statistics(run).steps;
    zw_run_destroy(run);
    return status < 0 ? NAN : time;
}

typedef struct ready {
    zw_context *ctx;
    zw_system *system;
    zw_equations eq;
    zw_kernel *kernel;
    double p[STATES], x[STATES];
} ready;

static bool prepare(ready *r, const char *text, const char *events) {
    char all[2000];
    zw_error err = {0};
    bool fixed[STATES];
    zw_kernel_options o = zw_kernel_options_default();
    snprintf(all, sizeof all, "%s%s", text, events);
    *r = (ready){.ctx = zw_context_create(NULL)};
    o.jit = ZW_JIT_AT_ONCE;
    if (zw_model_parse(&r->system, r->ctx, all, strlen(all), "bench", NULL, &err) >= 0 &&
        zw_derive(&r->eq, r->system, NULL, "lagrange", &err) >= 0 &&
        zw_kernel_create(&r->kernel, &r->eq, &o, &err) >= 0 &&
        zw_system_param_values(r->system, r->p, &err) >= 0 &&
        zw_system_start_state(r->system, r->p, r->x, fixed, &err) >= 0)
        return true;
    fprintf(stderr, "search: %s\n", err.text);
    return false;
}

static void drop(ready *r) {
    zw_kernel_destroy(r->kernel);
    zw_context_destroy(r->ctx);
}

/* least times without events, with some, with functions that have no zeros; over ROUNDS in turn */
static void compare(const problem *p, const char *method, double rtol, double *sum, double *none,
                    int *n) {
    ready r[3];
    const char *events[3] = {"", p->events, p->none};
    double best[3] = {INFINITY, INFINITY, INFINITY};
    long steps = 0;
    int found[3];
    bool ok = true;
    for (int k = 0; k < 3; k++)
        ok &= prepare(&r[k], p->text, events[k]);
    for (int i = 0; ok && i < ROUNDS; i++)
        for (int k = 0; k < 3; k++) {
            double time =
                integrate(r[k].kernel, r[k].p, r[k].x, p->until, method, rtol, &steps, &found[k]);
            ok &= !isnan(time);
            best[k] = fmin(best[k], time);
        }
    for (int k = 0; k < 3; k++)
        drop(&r[k]);
    if (!ok)
        return;
    char what[160];
    snprintf(what, sizeof what, "%s %s", p->name, method);
    bench_row("search", what, "time over no events", 100 * (best[1] / best[0] - 1), "%", "");
    bench_row("search", what, "without zeros", 100 * (best[2] / best[0] - 1), "%", "");
    bench_row("search", what, "events", found[1], "1", "");
    *sum += best[1] / best[0] - 1;
    *none += best[2] / best[0] - 1;
    ++*n;
}

/* what a search costs per step, in a case of its own */
static void cost(const char *name, const char *text, const char *events, double until) {
    ready with, without;
    double best[2] = {INFINITY, INFINITY};
    long steps = 0;
    int found = 0, ignored;
    if (!prepare(&with, text, events) || !prepare(&without, text, ""))
        return;
    for (int i = 0; i < ROUNDS; i++) {
        best[0] = fmin(best[0], integrate(without.kernel, without.p, without.x, until, "rk87", 1e-8,
                                          &steps, &ignored));
        best[1] = fmin(best[1],
                       integrate(with.kernel, with.p, with.x, until, "rk87", 1e-8, &steps, &found));
    }
    bench_row("search", name, "cost per step", 1e6 * (best[1] - best[0]) / (double)steps, "us", "");
    if (found)
        bench_row("search", name, "cost per event", 1e6 * (best[1] - best[0]) / found, "us", "");
    drop(&with);
    drop(&without);
}

int main(void) {
    static const char *methods[] = {"rk87", "rk54", "radau", "bdf", "adams", "ida", "erk"};
    for (size_t m = 0; m < sizeof methods / sizeof *methods; m++) {
        double sum = 0, none = 0;
        int n = 0;
        char what[80];
        for (int i = 0; i < PROBLEMS; i++)
            compare(&problems[i], methods[m], 1e-8, &sum, &none, &n);
        snprintf(what, sizeof what, "mean of %d %s", n, methods[m]);
        bench_row("search", what, "time over no events", 100 * sum / n, "%",
                  strcmp(methods[m], "rk87") == 0 ? "<= 40" : "");
        bench_row("search", what, "without zeros", 100 * none / n, "%", "");
    }
    cost("energy", PLANE "potential 1/2*(x^2 + y^2)\nstart x = 0.8, y = 0.6, x' = -0.6, y' = 0.8\n",
         "event e : x'^2 + y'^2 + x^2 + y^2 - 2.001 both\n", 100);
    cost("rotor",
         "model m\nunits none\ncoord phi\nkinetic 1/2*phi'^2\nstart phi = 0.1, phi' = 10\n",
         "event a : sin(phi) rising\n", 100);
    return 0;
}
