/* SPDX-License-Identifier: MIT */
/* What a principle costs: the time to derive a model by it, to lower the equations and compile them
 * to native code, and one evaluation of accelerations and multipliers. Every derivation starts from
 * a context that has just read the model. Principles that refuse a model have no rows.
 *
 * The first model (bench/two_wheels.zw, a vehicle that rolls) is also measured from an empty
 * context to its linearised equations, that is reading, deriving by Lagrange and lowering of all
 * kernel functions, the Jacobian among them. That Jacobian is compared with symmetric differences
 * of the residual
 *
 *     r(x) = (M a - h - C lambda, W a - b)        at fixed z = (a, lambda).
 *
 *   principles MODEL.zw ... */
#include <math.h>

#include "bench.h"
#include "zwang/zwang.h"

enum { DERIVATIONS = 5, COMPILATIONS = 3, EVALUATIONS = 20000 };

static void check(zw_status status, const zw_error *err, const char *what) {
    if (status >= 0)
        return;
    fprintf(stderr, "principles: %s: %s\n", what, err->text);
    exit(1);
}

static void *allocate(size_t n) {
    double *p = calloc(n + 1, sizeof *p);
    if (!p)
        exit(1);
    return p;
}

static const zw_active bare = {.bare = true}; /* only the equations are measured */

static zw_system *read_model(zw_context *ctx, const char *path) {
    zw_system *s;
    zw_error err = {0};
    check(zw_model_read(&s, ctx, path, NULL, &err), &err, path);
    return s;
}

/* the least time of several derivations, each in a context of its own; false if refused */
static bool time_derivation(const char *path, const char *principle, double *best) {
    for (int i = 0; i < DERIVATIONS; i++) {
        zw_context *ctx = zw_context_create(NULL);
        zw_system *s = read_model(ctx, path);
        zw_equations eq;
        zw_error err = {0};
        double begin = bench_now();
        zw_status status = zw_derive(&eq, s, &bare, principle, &err);
        double taken = bench_now() - begin;
        zw_context_destroy(ctx);
        if (status < 0)
            return false;
        *best = i == 0 ? taken : fmin(*best, taken);
    }
    return true;
}

/* native code if LLVM is there, else the interpreter */
static zw_kernel *compile(const zw_equations *eq) {
    zw_kernel_options options = zw_kernel_options_default();
    zw_kernel *kernel;
    zw_error err = {0};
    options.jit = 0;
    check(zw_kernel_create(&kernel, eq, &options, &err), &err, eq->principle);
    zw_kernel_compile(kernel, &err);
    return kernel;
}

/* at some consistent state; false if the equations are singular there */
static bool time_evaluation(const zw_equations *eq, zw_kernel *kernel, double *best) {
    const zw_system *s = eq->sys;
    double *p = allocate((size_t)s->np), *x = allocate((size_t)kernel->nx),
           *rate = allocate((size_t)kernel->nx), *z = allocate((size_t)kernel->nz);
    zw_run *run;
    zw_error err = {0};
    check(zw_system_param_values(s, p, &err), &err, s->name);
    check(zw_run_create(&run, kernel, p, NULL, &err), &err, s->name);
    for (int i = 0; i < kernel->nx; i++)
        x[i] = 0.3 + 0.2 * sin(1.0 + 7.0 * i);
    bool regular = zw_run_consistent(run, 0.1, x, NULL, NULL, &err) >= 0 &&
                   zw_flow_rates(zw_run_flow(run), 0.1, x, rate, z, &err) >= 0;
    *best = INFINITY;
    for (int round = 0; regular && round < 5; round++) {
        double begin = bench_now();
        for (int i = 0; i < EVALUATIONS / 5; i++)
            zw_flow_rates(zw_run_flow(run), 0.1, x, rate, z, NULL);
        *best = fmin(*best, (bench_now() - begin) / ((double)EVALUATIONS / 5));
    }
    zw_run_destroy(run);
    free(p);
    free(x);
    free(rate);
    free(z);
    return regular;
}

static void measure_principle(const char *path, const char *principle) {
    double derive, build = INFINITY, evaluate;
    char what[128];
    if (!time_derivation(path, principle, &derive))
        return;
    zw_context *ctx = zw_context_create(NULL);
    zw_system *s = read_model(ctx, path);
    zw_equations eq;
    zw_error err = {0};
    check(zw_derive(&eq, s, &bare, principle, &err), &err, path);
    zw_kernel *kernel = NULL;
    for (int i = 0; i < COMPILATIONS; i++) {
        zw_kernel_destroy(kernel);
        double begin = bench_now();
        kernel = compile(&eq);
        build = fmin(build, bench_now() - begin);
    }
    snprintf(what, sizeof what, "%s %s", s->name, principle);
    bench_row("principles", what, "operations", (double)zw_equations_count(&eq), "1", "");
    bench_row("principles", what, "deriving", 1e3 * derive, "ms", "");
    bench_row("principles", what, "lowering and compiling", 1e3 * build, "ms", "");
    if (time_evaluation(&eq, kernel, &evaluate))
        bench_row("principles", what, "evaluation", 1e9 * evaluate, "ns", "");
    zw_kernel_destroy(kernel);
    zw_context_destroy(ctx);
}

/* ------------------------------------------------------------------------------ linearisation */

/* r(x) for fixed z from the kernel's matrices */
static void residual(const zw_kernel *k, const double *x, const double *z, const double *cache,
                     double *out, double *work, double *r) {
    int nv = k->nv, nc = k->nc;
    const double t = 0.1;
    zw_call(&k->fn[ZW_FN_MATS], &(zw_args){.t = &t, .x = x, .c = cache}, out, work);
    const double *M = out, *h = M + nv * nv, *C = h + nv, *W = C + nv * nc, *b = W + nc * nv;
    for (int i = 0; i < nv + nc; i++) {
        r[i] = i < nv ? -h[i] : -b[i - nv];
        for (int j = 0; j < nv; j++)
            r[i] += (i < nv ? M[i * nv + j] : W[(i - nv) * nv + j]) * z[j];
        for (int c = 0; i < nv && c < nc; c++)
            r[i] -= C[i * nc + c] * z[nv + c];
    }
}

/* largest difference of jac's dr/dx from symmetric differences, relative to its largest entry */
static double jacobian_error(zw_kernel *k, const double *p) {
    const double t = 0.1, step = 1e-5;
    size_t nr = (size_t)k->nz;
    double *cache = allocate((size_t)k->ncache), *out = allocate((size_t)k->nout),
           *work = allocate((size_t)k->nwork), *x = allocate((size_t)k->nx), *z = allocate(nr),
           *plus = allocate(nr), *minus = allocate(nr),
           *J = allocate((size_t)k->fn[ZW_FN_JAC].nout);
    double error = 0, scale = 0;
    zw_prepare(k, p, cache, work);
    for (int i = 0; i < k->nx; i++)
        x[i] = sin(1.0 + 3.0 * i);
    for (int i = 0; i < k->nz; i++)
        z[i] = cos(2.0 + 5.0 * i);
    zw_call(&k->fn[ZW_FN_JAC], &(zw_args){.t = &t, .x = x, .z = z, .c = cache}, J, work);
    for (int j = 0; j < k->nx; j++) {
        double keep = x[j];
        x[j] = keep + step;
        residual(k, x, z, cache, out, work, plus);
        x[j] = keep - step;
        residual(k, x, z, cache, out, work, minus);
        x[j] = keep;
        for (int i = 0; i < k->nz; i++) {
            double have = J[(k->nq + i) * k->nx + j];
            error = fmax(error, fabs(have - (plus[i] - minus[i]) / (2 * step)));
            scale = fmax(scale, fabs(have));
        }
    }
    double *all[] = {cache, out, work, x, z, plus, minus, J};
    for (size_t i = 0; i < sizeof all / sizeof *all; i++)
        free(all[i]);
    return error / scale;
}

typedef struct linearisation {
    const char *path;
    zw_context *ctx;
    zw_system *sys;
    zw_kernel *kernel;
} linearisation;

static void linearise(linearisation *l) {
    zw_equations eq;
    zw_kernel_options options = zw_kernel_options_default();
    zw_error err = {0};
    l->ctx = zw_context_create(NULL);
    l->sys = read_model(l->ctx, l->path);
    check(zw_derive(&eq, l->sys, &bare, "lagrange", &err), &err, l->path);
    options.jit = 0;
    check(zw_kernel_create(&l->kernel, &eq, &options, &err), &err, l->path);
}

static void linearise_and_forget(void *data) {
    linearisation *l = data;
    linearise(l);
    zw_kernel_destroy(l->kernel);
    zw_context_destroy(l->ctx);
}

/* false if the Jacobian is wrong */
static bool measure_linearisation(const char *path) {
    linearisation l = {.path = path};
    zw_error err = {0};
    bench_times times = bench_repeat(linearise_and_forget, &l, 1);
    linearise(&l);
    double *p = allocate((size_t)l.sys->np);
    check(zw_system_param_values(l.sys, p, &err), &err, path);
    double error = jacobian_error(l.kernel, p);
    const char *name = l.sys->name;
    bench_row("principles", name, "coordinates", l.sys->nq, "1", ">= 8");
    bench_row("principles", name, "constraints", l.kernel->nc, "1", ">= 4");
    bench_row("principles", name, "derived and linearised (min)", 1e3 * times.min, "ms", "<= 100");
    bench_row("principles", name, "derived and linearised (median)", 1e3 * times.median, "ms", "");
    bench_row("principles", name, "operations of the Jacobian", l.kernel->fn[ZW_FN_JAC].nops, "1",
              "");
    bench_row("principles", name, "Jacobian against differences", error, "1", "<= 1e-8");
    free(p);
    zw_kernel_destroy(l.kernel);
    zw_context_destroy(l.ctx);
    return error <= 1e-8;
}

int main(int argc, char **argv) {
    bool right = true;
    for (int i = 1; i < argc; i++) {
        if (i == 1)
            right = measure_linearisation(argv[i]);
        for (const zw_principle *p = zw_principles(); p->name; p++)
            measure_principle(argv[i], p->name);
    }
    return right ? 0 : 1;
}
