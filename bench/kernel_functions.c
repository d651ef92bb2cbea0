/* SPDX-License-Identifier: MIT */
/* What the functions of a kernel cost before they are called: lowering and compiling of those that
 * an explicit method needs, of those that any method needs, of each further one, and of all. Then
 * what a process keeps that derives, lowers and runs the same model again and again. */
#include <stdint.h>
#include <string.h>

#include "bench.h"
#include "zwang/zwang.h"

static void check(zw_status status, const zw_error *err, const char *what) {
    if (status >= 0)
        return;
    fprintf(stderr, "kernel_functions: %s: %s\n", what, err->text);
    exit(1);
}

typedef struct subject {
    const char *name;
    zw_context *ctx;
    zw_system *sys;
    zw_equations eq;
    zw_functions functions;
    double lower, compile;
    long operations;
    int count;
} subject;

static void open_model(subject *s, const char *path) {
    zw_error err = {0};
    *s = (subject){.name = strrchr(path, '/') ? strrchr(path, '/') + 1 : path,
                   .ctx = zw_context_create(NULL)};
    check(zw_model_read(&s->sys, s->ctx, path, NULL, &err), &err, path);
    check(zw_derive(&s->eq, s->sys, NULL, "lagrange", &err), &err, path);
}

/* the least of five times */
static void measure(subject *s) {
    s->lower = s->compile = 1e300;
    for (int round = 0; round < 5; round++) {
        zw_error err = {0};
        zw_kernel *k;
        zw_kernel_options options = zw_kernel_options_default();
        options.jit = ZW_JIT_NEVER;
        options.functions = s->functions;
        double begin = bench_now();
        check(zw_kernel_create(&k, &s->eq, &options, &err), &err, s->name);
        double lowered = bench_now();
        zw_kernel_compile(k, NULL);
        double end = bench_now();
        s->lower = lowered - begin < s->lower ? lowered - begin : s->lower;
        s->compile = end - lowered < s->compile ? end - lowered : s->compile;
        s->operations = s->count = 0;
        for (int i = 0; i < ZW_FN_COUNT; i++) {
            s->operations += k->fn[i].nops;
            s->count += k->fn[i].call != NULL;
        }
        zw_kernel_destroy(k);
    }
}

static void report(subject *s, const char *what) {
    char name[200];
    snprintf(name, sizeof name, "%s: %s", s->name, what);
    bench_row("functions", name, "functions", s->count, "1", "");
    bench_row("functions", name, "operations", (double)s->operations, "1", "");
    bench_row("functions", name, "lowering (min)", s->lower * 1e3, "ms", "");
    bench_row("functions", name, "compiling (min)", s->compile * 1e3, "ms", "");
}

static void measure_sets(subject *s) {
    const struct {
        const char *name;
        zw_functions functions;
    } set[] = {{"explicit methods", ZW_FUNCTIONS_RUN},
               {"all methods", ZW_FUNCTIONS_ALL_METHODS},
               {"every function", ((zw_functions)1 << ZW_FN_COUNT) - 1}};
    for (size_t i = 0; i < sizeof set / sizeof *set; i++) {
        s->functions = set[i].functions;
        measure(s);
        report(s, set[i].name);
    }
    const zw_function_name one[] = {ZW_FN_JAC, ZW_FN_JAC_P, ZW_FN_SECOND, ZW_FN_THIRD};
    for (size_t i = 0; i < sizeof one / sizeof *one; i++) {
        const zw_kernel none = {0};
        s->functions = (zw_functions)1 << one[i];
        measure(s);
        report(s, zw_kernel_describe(&none, one[i]).name);
    }
}

/* ---- memory of a process that lives long ---- */

typedef struct counter {
    zw_allocator under;
    size_t bytes;
} counter;

static void *count(void *ud, void *p, size_t before, size_t after) {
    counter *c = ud;
    void *q = c->under.fn(c->under.ud, p, before, after);
    if (q || after == 0)
        c->bytes += after - before;
    return q;
}

static void run_once(zw_system *sys, double until, const char *name) {
    zw_error err = {0};
    zw_sim *sim;
    zw_sim_options options = zw_sim_options_default();
    options.until = until;
    check(zw_sim_create(&sim, sys, NULL, &options, &err), &err, name);
    check(zw_sim_run(sim, &err), &err, name);
    zw_sim_destroy(sim);
}

static void measure_memory(const char *path) {
    counter c = {zw_allocator_default(), 0};
    const zw_allocator counting = {count, &c};
    zw_error err = {0};
    zw_context *ctx = zw_context_create(&counting);
    zw_system *sys;
    const char *name = strrchr(path, '/') ? strrchr(path, '/') + 1 : path;
    check(zw_model_read(&sys, ctx, path, NULL, &err), &err, path);
    run_once(sys, 0.1, name);
    size_t first = c.bytes;
    enum { TIMES = 200 };
    for (int i = 0; i < TIMES; i++)
        run_once(sys, 0.1, name);
    bench_row("memory", name, "context after one simulation", (double)first * 1e-6, "MB", "");
    bench_row("memory", name, "growth per further simulation", (double)(c.bytes - first) / TIMES,
              "B", "");
    zw_context_destroy(ctx);
    bench_row("memory", name, "left when the context is gone", (double)c.bytes, "B", "<= 0");
}

int main(int argc, char **argv) {
    for (int i = 1; i < argc; i++) {
        subject s;
        open_model(&s, argv[i]);
        measure_sets(&s);
        zw_context_destroy(s.ctx);
        measure_memory(argv[i]);
    }
    return 0;
}
