/* SPDX-License-Identifier: MIT */
/* Work and precision of the integration methods: models from their start to a given time, by every
 * method with step control, at several tolerances. The error is the largest difference of a state
 * at the end to a reference (rk87 at the tightest tolerance), relative to 1 or the state; the time
 * is that of the integration alone, on native code.
 *
 *   methods MODEL.zw UNTIL [MODEL.zw UNTIL ...] */
#include <math.h>
#include <string.h>

#include "bench.h"
#include "zwang/zwang.h"

enum { ROUNDS = 3, TOLERANCES = 4, STATES = 200 };
static const double tolerances[TOLERANCES] = {1e-5, 1e-7, 1e-9, 1e-11};
#define TIGHTEST 1e-13

typedef struct ending {
    double time; /* taken, s */
    double x[STATES];
    zw_sim_info info;
} ending;

/* false if the method refuses the model or does not reach the end */
static bool run_once(const char *path, double until, const char *method, double rtol, ending *end) {
    zw_context *ctx = zw_context_create(NULL);
    zw_system *system;
    zw_error err = {0};
    zw_sim *sim = NULL;
    zw_sim_options options = zw_sim_options_default();
    options.until = options.step_out = until;
    options.jit = ZW_JIT_AT_ONCE;
    options.run.method = method;
    options.run.rtol = rtol;
    options.run.atol = rtol * 1e-2;
    options.run.steps_max = 1000000;
    bool ok = zw_model_read(&system, ctx, path, NULL, &err) >= 0 &&
              zw_sim_create(&sim, system, NULL, &options, &err) >= 0;
    double begin = bench_now();
    ok = ok && zw_sim_run(sim, &err) >= 0;
    end->time = bench_now() - begin;
    if (ok) {
        const zw_table *rows = zw_sim_rows(sim);
        end->info = zw_sim_statistics(sim);
        for (int i = 0; i < end->info.nstate && i < STATES; i++)
            end->x[i] = zw_table_at(rows, zw_table_rows(rows) - 1, 1 + i);
    }
    zw_sim_destroy(sim);
    zw_context_destroy(ctx);
    return ok;
}

static double difference(const ending *a, const ending *b) {
    double worst = 0;
    for (int i = 0; i < a->info.nstate && i < STATES; i++)
        worst = fmax(worst, fabs(a->x[i] - b->x[i]) / fmax(1, fabs(b->x[i])));
    return worst;
}

static void measure(const char *path, double until, const char *method, double rtol,
                    const ending *reference) {
    ending end;
    double best = INFINITY;
    for (int i = 0; i < ROUNDS; i++) {
        if (!run_once(path, until, method, rtol, &end))
            return;
        best = fmin(best, end.time);
    }
    const char *slash = strrchr(path, '/');
    char what[160];
    snprintf(what, sizeof what, "%s %s %.0e", slash ? slash + 1 : path, method, rtol);
    bench_row("methods", what, "error", difference(&end, reference), "1", "");
    bench_row("methods", what, "time", best * 1e3, "ms", "");
    bench_row("methods", what, "steps", (double)end.info.run.steps, "1", "");
    bench_row("methods", what, "evaluations", (double)end.info.run.rhs_calls, "1", "");
}

int main(int argc, char **argv) {
    for (int m = 1; m + 1 < argc; m += 2) {
        const char *path = argv[m], *name, *about;
        double until = strtod(argv[m + 1], NULL);
        ending reference;
        if (!run_once(path, until, "rk87", TIGHTEST, &reference)) {
            fprintf(stderr, "methods: %s has no reference\n", path);
            return 1;
        }
        for (int i = 1; zw_run_method(i, &name, &about); i++)
            for (int j = 0; j < TOLERANCES; j++)
                measure(path, until, name, tolerances[j], &reference);
    }
    return 0;
}
