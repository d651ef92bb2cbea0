/* SPDX-License-Identifier: MIT */
/* Lorenz's spectrum: time units per second of processor time on one core, against loops written by
 * hand for it alone. How exact either is, is seen from the sum of the exponents, which is known:
 * -(10 + 1 + 8/3). */
#include <string.h>

#include "bench.h"
#include "lyapunov_by_hand.h"
#include "zwang/zwang.h"

static const char text[] =
    "model lorenz \"l\"\nunits none\nparam sigma = 10, rho = 28, beta = 8/3\n"
    "state x, y, z : x' = sigma*(y - x), y' = x*(rho - z) - y, z' = x*y - beta*z\n"
    "start x = 1, y = 1, z = 1\n";

typedef struct job {
    double time, step, tol, lambda[3];
} job;

static void by_hand(void *user) {
    job *j = user;
    hand_lorenz(j->time, 0.5, j->step, j->tol, j->lambda);
}

static double missed(const double *lambda) {
    return fabs(lambda[0] + lambda[1] + lambda[2] + 10 + 1 + 8. / 3);
}

/* processor time: others may be at work */
static double busy(void (*work)(void *), void *data) {
    double best = 1e300;
    for (int i = 0; i < 3; i++) {
        clock_t begin = clock();
        work(data);
        double taken = (double)(clock() - begin) / CLOCKS_PER_SEC;
        best = taken < best ? taken : best;
    }
    return best;
}

static double tell_hand(const char *what, double step, double tol) {
    job j = {.time = 20000, .step = step, .tol = tol};
    double best = busy(by_hand, &j);
    bench_row("lyapunov", what, "time units per second", j.time / best, "1/s", "");
    bench_row("lyapunov", what, "error of the sum", missed(j.lambda), "", "");
    bench_row("lyapunov", what, "lambda_1", j.lambda[0], "", "");
    return j.time / best;
}

typedef struct study {
    zw_system *sys;
    double rtol, time;
    int motions;
    double lambda[3];
} study;

static void fail(const zw_error *err) {
    fprintf(stderr, "%s\n", err->text);
    exit(1);
}

/* All of it: reading the model, pilot, transient, exponents, and what is looked at behind them. */
static void by_zwang(void *user) {
    study *b = user;
    zw_error err = {0};
    zw_lyapunov *l;
    zw_run_options run = zw_run_options_default();
    zw_lyapunov_options o = zw_lyapunov_options_default();
    zw_model_source source = {.text = text, .length = strlen(text), .file = "lorenz"};
    run.rtol = b->rtol;
    run.atol = 0.01 * b->rtol;
    o.run = &run;
    o.threads = 1;
    o.motions = b->motions;
    o.time = b->time;
    o.transient = 20;
    if (zw_lyapunov_create(&l, b->sys, &source, &o, &err) < 0 || zw_lyapunov_run(l, &err) < 0)
        fail(&err);
    const zw_lyapunov_point *p = zw_lyapunov_at(l, 0);
    memcpy(b->lambda, p->exponent, sizeof b->lambda);
    zw_lyapunov_destroy(l);
}

static double tell_zwang(const char *what, double rtol, const char *target, double against) {
    zw_error err = {0};
    zw_context *ctx = zw_context_create(NULL);
    study b = {.rtol = rtol, .motions = 32, .time = 20000};
    double best, all = b.time * (1 + 7. / 64) * b.motions;
    if (zw_model_parse(&b.sys, ctx, text, strlen(text), "lorenz", NULL, &err) < 0)
        fail(&err);
    best = busy(by_zwang, &b);
    bench_row("lyapunov", what, "time units per second", all / best, "1/s", "");
    bench_row("lyapunov", what, "error of the sum", missed(b.lambda), "", "");
    bench_row("lyapunov", what, "lambda_1", b.lambda[0], "", "");
    if (against > 0)
        bench_row("lyapunov", what, "times the hand-written loop", all / best / against, "",
                  target);
    zw_context_destroy(ctx);
    return all / best;
}

/* Pairs in which ours has the smaller error of the sum, and one in which it has not been made as
 * large as that of the loop: longer steps of its formulas are not stable. */
int main(void) {
    double rk4 = tell_hand("by hand: order 4, step 0.005", 0.005, 0);
    double fine = tell_hand("by hand: order 4, step 0.0025", 0.0025, 0);
    double pair = tell_hand("by hand: orders 5 and 4, tolerance 1e-6", 0, 1e-6);
    double tight = tell_hand("by hand: orders 5 and 4, tolerance 1e-8", 0, 1e-8);
    tell_zwang("zwang, tolerance 1e-4, against order 4, step 0.005", 1e-4, ">= 4", rk4);
    tell_zwang("zwang, tolerance 1e-4, against order 4, step 0.0025", 1e-4, ">= 4", fine);
    tell_zwang("zwang, tolerance 1e-4, against orders 5 and 4, tolerance 1e-6", 1e-4, ">= 4", pair);
    tell_zwang("zwang, tolerance 1e-5, against orders 5 and 4, tolerance 1e-8", 1e-5, ">= 4",
               tight);
    return 0;
}
