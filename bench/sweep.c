/* SPDX-License-Identifier: MIT */
/* A sweep over a parameter: what a point costs if every point is a new simulation from the text of
 * the model, and if one simulation is restarted with another number. Both give the same rows, which
 * is checked.
 *
 *   sweep MODEL.zw UNTIL PARAMETER [MODEL.zw UNTIL PARAMETER ...] */
#include <math.h>
#include <string.h>

#include "bench.h"
#include "zwang/zwang.h"

enum { POINTS = 20 };

typedef struct task {
    const char *path, *parameter;
    zw_sim_options options;
    zw_sim *sim; /* that is restarted */
    double base; /* the value of the model */
    int point;
    double end;   /* last number of the last row */
    double begun; /* time of the start alone, s */
} task;

static void check(zw_status status, const zw_error *err, const task *t) {
    if (status >= 0)
        return;
    fprintf(stderr, "sweep: %s: %s\n", t->path, err->text);
    exit(1);
}

static double value_of(const task *t, int point) {
    return t->base * (1 + 1e-3 * point);
}

static double last_number(const zw_sim *sim) {
    const zw_table *rows = zw_sim_rows(sim);
    return zw_table_at(rows, zw_table_rows(rows) - 1, zw_table_columns(rows) - 1);
}

static zw_sim_number number_of(const task *t) {
    return (zw_sim_number){.name = t->parameter, .value = value_of(t, t->point)};
}

static void by_new(void *data) {
    task *t = data;
    zw_context *ctx = zw_context_create(NULL);
    zw_system *system;
    zw_sim *sim;
    zw_error err = {0};
    zw_sim_number number = number_of(t);
    zw_sim_numbers numbers = {.nparam = 1, .param = &number};
    zw_sim_options options = t->options;
    options.numbers = &numbers;
    double begin = bench_now();
    check(zw_model_read(&system, ctx, t->path, NULL, &err), &err, t);
    check(zw_sim_create(&sim, system, NULL, &options, &err), &err, t);
    t->begun = bench_now() - begin;
    check(zw_sim_run(sim, &err), &err, t);
    t->end = last_number(sim);
    zw_sim_destroy(sim);
    zw_context_destroy(ctx);
    t->point++;
}

static void by_restart(void *data) {
    task *t = data;
    zw_error err = {0};
    zw_sim_number number = number_of(t);
    zw_sim_numbers numbers = {.nparam = 1, .param = &number};
    double begin = bench_now();
    check(zw_sim_restart(t->sim, &numbers, &err), &err, t);
    t->begun = bench_now() - begin;
    check(zw_sim_run(t->sim, &err), &err, t);
    t->end = last_number(t->sim);
    t->point++;
}

/* the points one after the other: the median of all and of their starts, ms */
static void measure(task *t, void (*work)(void *), double end[POINTS], double *point,
                    double *start) {
    double whole[POINTS], begun[POINTS];
    t->point = 0;
    for (int i = 0; i < POINTS; i++) {
        double begin = bench_now();
        work(t);
        whole[i] = 1e3 * (bench_now() - begin);
        begun[i] = 1e3 * t->begun;
        end[i] = t->end;
    }
    qsort(whole, POINTS, sizeof *whole, bench_compare_);
    qsort(begun, POINTS, sizeof *begun, bench_compare_);
    *point = whole[POINTS / 2];
    *start = begun[POINTS / 2];
}

static void sweep(const char *path, double until, const char *parameter) {
    zw_error err = {0};
    task t = {.path = path, .parameter = parameter, .options = zw_sim_options_default()};
    zw_context *ctx = zw_context_create(NULL);
    zw_system *system;
    double ends[2][POINTS], point[2], start[2];
    t.options.until = until;
    check(zw_model_read(&system, ctx, path, NULL, &err), &err, &t);
    check(zw_sim_create(&t.sim, system, NULL, &t.options, &err), &err, &t);
    for (int i = 0; i < system->np; i++)
        if (strcmp(system->param[i].name, parameter) == 0)
            t.base = zw_eval(system->ctx, system->param[i].value, 0, NULL, NULL);
    measure(&t, by_new, ends[0], &point[0], &start[0]);
    measure(&t, by_restart, ends[1], &point[1], &start[1]);
    zw_sim_destroy(t.sim);
    zw_context_destroy(ctx);
    if (memcmp(ends[0], ends[1], sizeof ends[0]) != 0) {
        fprintf(stderr, "sweep: %s: a restart gives other numbers\n", path);
        exit(1);
    }
    const char *slash = strrchr(path, '/');
    const char *name = slash ? slash + 1 : path;
    bench_row("sweep", name, "a point by a new simulation", point[0], "ms", "");
    bench_row("sweep", name, "its start", start[0], "ms", "");
    bench_row("sweep", name, "a point by restart", point[1], "ms", "");
    bench_row("sweep", name, "its start by restart", start[1], "ms", "");
    bench_row("sweep", name, "ratio of the points", point[0] / point[1], "1", "");
}

int main(int argc, char **argv) {
    for (int i = 1; i + 2 < argc; i += 3)
        sweep(argv[i], strtod(argv[i + 1], NULL), argv[i + 2]);
    return 0;
}
