/* SPDX-License-Identifier: MIT */
/* Identification: three parameters of the tippedisk, model 1.1 (12 states, one constraint), from 2
 * s of tracked places and angles at 500 frames a second with noise; processor time of the whole
 * fit, derivation and native code included. Stiff friction, eps = 1 mm/s, beside it with two
 * parameters. */
#include <math.h>
#include <string.h>

#include "base/normal_quantile.h"
#include "base/random.h"
#include "bench.h"
#include "zwang/zwang.h"

static const char *const columns[] = {"x", "y", "z", "alpha", "beta", "gamma"};
static const double sd[] = {1e-3, 1e-3, 1e-3, 0.017, 0.017, 0.017};

static void stop_if(zw_status status, const zw_error *err) {
    if (status >= 0)
        return;
    fprintf(stderr, "%s\n", err->text);
    exit(1);
}

/* a run of the model with noise */
static zw_table *measure(const char *path, const char *const *set, int nset) {
    zw_error err = {0};
    zw_model_options read = {.size = sizeof read, .nset = nset, .set = set};
    zw_context *ctx = zw_context_create(NULL);
    zw_system *sys;
    zw_sim *sim;
    zw_sim_options o = zw_sim_options_default();
    zw_random r = {1};
    stop_if(zw_model_read(&sys, ctx, path, &read, &err), &err);
    o.until = 2;
    o.step_out = 0.002;
    stop_if(zw_sim_create(&sim, sys, NULL, &o, &err), &err);
    stop_if(zw_sim_run(sim, &err), &err);
    const zw_table *rows = zw_sim_rows(sim);
    zw_table *out = zw_table_create(NULL);
    zw_table_column(out, "t", "s");
    for (int j = 0; j < 6; j++)
        zw_table_column(out, columns[j], j < 3 ? "m" : "rad");
    for (long i = 0; i < zw_table_rows(rows); i++) {
        double row[7] = {zw_table_at(rows, i, 0)};
        for (int j = 0; j < 6; j++)
            row[1 + j] = zw_table_at(rows, i, zw_table_find(rows, columns[j])) +
                         sd[j] * zw_normal_quantile(zw_random_unit(&r));
        if (i == 0 || row[0] > zw_table_at(out, zw_table_rows(out) - 1,
                                           0)) /* events have rows of their own */
            zw_table_row(out, row);
    }
    zw_sim_destroy(sim);
    zw_context_destroy(ctx);
    return out;
}

static void fit(const char *path, const char *what, const zw_table *data, int nset,
                const char *const *set, int nfit, const char *const *names, const double *truth,
                const char *target) {
    zw_error err = {0};
    zw_model_options read = {.size = sizeof read, .nset = nset, .set = set};
    zw_fit_options o = zw_fit_options_default();
    const zw_fit_data one = {.name = "data", .table = data};
    clock_t begin = clock();
    zw_context *ctx = zw_context_create(NULL);
    zw_system *sys;
    zw_fit *f;
    stop_if(zw_model_read(&sys, ctx, path, &read, &err), &err);
    o.nfit = nfit;
    o.fit = names;
    stop_if(zw_fit_create(&f, sys, NULL, 1, &one, &o, &err), &err);
    stop_if(zw_fit_run(f, &err), &err);
    bench_row("fit", what, "processor time", (double)(clock() - begin) / CLOCKS_PER_SEC, "s",
              target);
    bench_row("fit", what, "minimum reached", zw_fit_statistics(f).converged, "", ">= 1");
    for (int i = 0; i < nfit; i++) {
        zw_fit_value v = zw_fit_value_at(f, i);
        char name[80];
        snprintf(name, sizeof name, "%s: off by standard errors", v.name);
        bench_row("fit", what, name, fabs(v.value - truth[i]) / v.error, "", "<= 4");
    }
    zw_fit_destroy(f);
    zw_context_destroy(ctx);
}

int main(int argc, char **argv) {
    const char *path = argc > 1 ? argv[1] : "models/tippedisk.zw";
    const char *stiff[] = {"eps=0.001 [m/s]", "Omega=50 [rad/s]"};
    zw_table *data = measure(path, NULL, 0), *hard = measure(path, stiff, 2);
    fit(path, "tippedisk, 3 parameters", data, 2, (const char *[]){"mu=0.2", "eps=0.05 [m/s]"}, 3,
        (const char *[]){"mu", "eps", "g"}, (const double[]){0.3, 0.1, 9.81}, "<= 1");
    fit(path, "stiff friction, 2 parameters", hard, 3,
        (const char *[]){"mu=0.2", "eps=0.01 [m/s]", "Omega=50 [rad/s]"}, 2,
        (const char *[]){"mu=0.05:1", "eps=1e-4:1 [m/s]"}, (const double[]){0.3, 0.001}, "");
    zw_table_destroy(data);
    zw_table_destroy(hard);
    return 0;
}
