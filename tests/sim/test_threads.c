/* SPDX-License-Identifier: MIT */
/* What threads may do: everything with contexts of their own, and runs on one kernel that all of
 * them share. The results have the bits of one thread alone. `make tsan` runs this under
 * ThreadSanitizer. */
#include <pthread.h>
#include <stdlib.h>

#include "support/test.h"
#include "zwang/zwang.h"

enum { THREADS = 4, STATE_MAX = 64 };

/* one task per thread at the same time, or one after the other */
static void run_tasks(bool together, int n, void *(*work)(void *), void *tasks, size_t size) {
    pthread_t thread[THREADS];
    for (int i = 0; i < n; i++) {
        void *task = (char *)tasks + (size_t)i * size;
        if (together)
            assert_int_equal(pthread_create(&thread[i], NULL, work, task), 0);
        else
            work(task);
    }
    for (int i = 0; i < n && together; i++)
        assert_int_equal(pthread_join(thread[i], NULL), 0);
}

/* ------------------------------------------------------------------------- a context per thread */

typedef struct whole_task {
    const char *model, *principle; /* given */
    double jit;
    zw_error err; /* found: */
    int nlast;
    double last[STATE_MAX]; /* row of the simulation */
    size_t nequations;      /* length of the equations as text */
} whole_task;

static zw_status simulate(whole_task *task, const zw_system *s) {
    zw_sim *sim = NULL;
    zw_sim_options options = zw_sim_options_default();
    options.until = 0.5;
    options.principle = task->principle;
    options.jit = task->jit;
    zw_status status = zw_sim_create(&sim, s, NULL, &options, &task->err);
    if (status >= 0)
        status = zw_sim_run(sim, &task->err);
    if (status >= 0) {
        const zw_table *rows = zw_sim_rows(sim);
        task->nlast = zw_table_columns(rows) < STATE_MAX ? zw_table_columns(rows) : STATE_MAX;
        for (int i = 0; i < task->nlast; i++)
            task->last[i] = zw_table_at(rows, zw_table_rows(rows) - 1, i);
    }
    zw_sim_destroy(sim);
    return status;
}

/* text, derivation, code, run */
static void *do_whole(void *data) {
    whole_task *task = data;
    zw_context *ctx = zw_context_create(NULL);
    zw_system *s;
    zw_equations eq;
    zw_census census;
    char path[512];
    snprintf(path, sizeof path, "%s/models/%s.zw", ZW_SOURCE_DIR, task->model);
    if (ctx && zw_model_read(&s, ctx, path, NULL, &task->err) >= 0 &&
        zw_derive(&eq, s, NULL, task->principle, &task->err) >= 0 &&
        zw_system_census(s, NULL, &census, &task->err) >= 0 && simulate(task, s) >= 0) {
        char *text = zw_equations_write(&eq, ZW_EQUATIONS_LATEX, ZW_SHORTENED);
        task->nequations = text ? strlen(text) : 0;
        zw_string_free(ctx, text);
    }
    zw_context_destroy(ctx);
    return NULL;
}

static void compare_whole(double jit) {
    const whole_task tasks[THREADS] = {{.model = "turntable_ball", .principle = "lagrange"},
                                       {.model = "turntable_ball", .principle = "hamilton"},
                                       {.model = "rolling_disc", .principle = "kane"},
                                       {.model = "bouncing_ball", .principle = "lagrange"}};
    whole_task alone[THREADS], together[THREADS];
    memcpy(alone, tasks, sizeof tasks);
    memcpy(together, tasks, sizeof tasks);
    for (int i = 0; i < THREADS; i++)
        alone[i].jit = together[i].jit = jit;
    run_tasks(false, THREADS, do_whole, alone, sizeof *alone);
    run_tasks(true, THREADS, do_whole, together, sizeof *together);
    if (alone[0].err.status == ZW_E_MISSING)
        skip(); /* no LLVM here */
    for (int i = 0; i < THREADS; i++) {
        if (alone[i].err.status < 0)
            fail_msg("%s by %s: %s", alone[i].model, alone[i].principle, alone[i].err.text);
        assert_true(alone[i].nlast > 4);
        assert_true(alone[i].nequations > 100);
        assert_int_equal(together[i].nequations, alone[i].nequations);
        assert_int_equal(together[i].nlast, alone[i].nlast);
        assert_memory_equal(together[i].last, alone[i].last,
                            sizeof(double) * (size_t)alone[i].nlast);
    }
}

static void test_threads__contexts_of_their_own(void **state) {
    (void)state;
    compare_whole(0);
}

static void test_threads__contexts_of_their_own_with_native_code(void **state) {
    (void)state;
    compare_whole(2);
}

/* ------------------------------------------------------------------------------ a shared kernel */

typedef struct run_task {
    const zw_kernel *kernel;
    const double *p, *x;
    zw_status status;
    double last[STATE_MAX];
    long steps;
} run_task;

static void *do_run(void *data) {
    run_task *task = data;
    zw_run *run = NULL;
    task->status = zw_run_create(&run, task->kernel, task->p, NULL, NULL);
    if (task->status >= 0)
        task->status = zw_run_start(run, 0, task->x, NULL);
    for (int i = 1; i <= 50 && task->status >= 0; i++)
        do {
            int event;
            task->status = zw_run_advance(run, 0.02 * i, &event, NULL);
        } while (task->status == ZW_EVENT);
    if (task->status >= 0) {
        memcpy(task->last, zw_run_state(run), sizeof(double) * (size_t)task->kernel->nx);
        task->steps = zw_run_statistics(run).steps;
    }
    zw_run_destroy(run);
    return NULL;
}

/* the start of the model for each parameter set: the spin of the table is different */
static void prepare(const zw_kernel *kernel, const zw_system *s, double p[][STATE_MAX],
                    double x[][STATE_MAX]) {
    zw_error err = {0};
    bool fixed[STATE_MAX];
    for (int i = 0; i < THREADS; i++) {
        zw_run *run;
        assert_int_equal(zw_system_param_values(s, p[i], &err), ZW_OK);
        p[i][0] *= 1 + 0.1 * i;
        assert_int_equal(zw_system_start_state(s, p[i], x[i], fixed, &err), ZW_OK);
        assert_int_equal(zw_run_create(&run, kernel, p[i], NULL, &err), ZW_OK);
        if (zw_run_consistent(run, 0, x[i], fixed, NULL, &err) < 0)
            fail_msg("%s", err.text);
        zw_run_destroy(run);
    }
}

static void compare_runs(const zw_kernel *kernel, const zw_system *s) {
    static double p[THREADS][STATE_MAX], x[THREADS][STATE_MAX];
    static run_task alone[THREADS], together[THREADS];
    prepare(kernel, s, p, x);
    for (int i = 0; i < THREADS; i++)
        alone[i] = together[i] = (run_task){.kernel = kernel, .p = p[i], .x = x[i]};
    run_tasks(false, THREADS, do_run, alone, sizeof *alone);
    run_tasks(true, THREADS, do_run, together, sizeof *together);
    for (int i = 0; i < THREADS; i++) {
        assert_int_equal(alone[i].status, ZW_OK);
        assert_int_equal(together[i].status, ZW_OK);
        assert_true(alone[i].steps > 10);
        assert_int_equal(together[i].steps, alone[i].steps);
        assert_memory_equal(together[i].last, alone[i].last, sizeof alone[i].last);
        for (int k = 0; k < i; k++) /* each has done its own work */
            assert_memory_not_equal(alone[i].last, alone[k].last, sizeof alone[i].last);
    }
}

static void test_threads__runs_on_one_kernel(void **state) {
    (void)state;
    zw_context *ctx = zw_context_create(NULL);
    zw_system *s;
    zw_equations eq;
    zw_kernel *kernel;
    zw_error err = {0};
    zw_kernel_options options = zw_kernel_options_default();
    options.jit = ZW_JIT_NEVER;
    assert_int_equal(zw_model_read(&s, ctx, ZW_SOURCE_DIR "/models/turntable_ball.zw", NULL, &err),
                     ZW_OK);
    assert_int_equal(zw_derive(&eq, s, NULL, "lagrange", &err), ZW_OK);
    assert_int_equal(zw_kernel_create(&kernel, &eq, &options, &err), ZW_OK);
    assert_true(kernel->nx < STATE_MAX && s->np < STATE_MAX);
    compare_runs(kernel, s);
    zw_status status = zw_kernel_compile(kernel, &err);
    if (status != ZW_E_MISSING) {
        assert_int_equal(status, ZW_OK);
        compare_runs(kernel, s);
    }
    zw_kernel_destroy(kernel);
    zw_context_destroy(ctx);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_threads__contexts_of_their_own),
        cmocka_unit_test(test_threads__runs_on_one_kernel),
        cmocka_unit_test(test_threads__contexts_of_their_own_with_native_code),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
