/* SPDX-License-Identifier: MIT */
/* A sweep over a parameter in threads: the period of a pendulum for 24 amplitudes.
 *
 * Every thread has a context and a model of its own, and shares nothing with the others. It takes
 * the next amplitude, starts its drive with it, and goes on to the third event: a pendulum that is
 * let go passes the lowest point after a quarter, three quarters and five quarters of a period.
 * Exit code 0 if all periods agree with the closed form (Gauss): T = 2 pi sqrt(l/g)/M, where M is
 * the arithmetic-geometric mean of 1 and cos(A/2). */
#include <math.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <string.h>

#include <zwang/zwang.h>

enum { THREADS = 4, POINTS = 24 };

static const char MODEL[] = "model pendulum\n"
                            "param l = 0.5 [m], g = 9.81 [m/s^2], A = 10 [deg]\n"
                            "coord phi [rad]\n"
                            "particle bob : 1 [kg] at (l*sin(phi), -l*cos(phi))\n"
                            "gravity g along -y\n"
                            "event lowest : phi\n"
                            "start phi = A\n";

typedef struct sweep {
    atomic_int next; /* number of the next amplitude */
    double amplitude[POINTS], period[POINTS];
} sweep;

typedef struct worker {
    pthread_t thread;
    sweep *work;
    zw_status status;
    zw_error err;
} worker;

static zw_status find_period(zw_drive *drive, double amplitude, double *period, zw_error *err) {
    const zw_sim_number A = {.name = "A", .value = amplitude};
    double first = 0, third = 0;
    ZW_TRY(zw_drive_start(drive, 0, &(zw_sim_numbers){.nparam = 1, .param = &A}, err));
    for (int k = 0; k < 3; k++) {
        ZW_TRY(zw_drive_to_event(drive, 100, err));
        if (zw_drive_events(drive) == 0)
            return zw_fail(err, ZW_E_OPTION, "the pendulum does not swing");
        zw_drive_event(drive, 0, k == 0 ? &first : &third);
    }
    *period = third - first;
    return ZW_OK;
}

static zw_status take_points(zw_context *ctx, sweep *work, zw_error *err) {
    zw_system *system;
    zw_drive *drive;
    zw_sim_options options = zw_sim_options_default();
    options.run.rtol = 1e-11;
    options.run.atol = 1e-13;
    ZW_TRY(zw_model_parse(&system, ctx, MODEL, strlen(MODEL), "pendulum.zw", NULL, err));
    ZW_TRY(zw_drive_create(&drive, system, NULL, &options, err));
    zw_status status = ZW_OK;
    for (int i; status >= 0 && (i = atomic_fetch_add(&work->next, 1)) < POINTS;)
        status = find_period(drive, work->amplitude[i], &work->period[i], err);
    zw_drive_destroy(drive);
    return status;
}

static void *run_worker(void *argument) {
    worker *w = argument;
    zw_context *ctx = zw_context_create(NULL);
    w->status =
        ctx ? take_points(ctx, w->work, &w->err) : zw_fail(&w->err, ZW_E_MEMORY, "out of memory");
    zw_context_destroy(ctx);
    return NULL;
}

static double exact_period(double amplitude) {
    double a = 1, b = cos(amplitude / 2);
    for (int k = 0; k < 8; k++) {
        double mean = (a + b) / 2;
        b = sqrt(a * b);
        a = mean;
    }
    return 2 * acos(-1) * sqrt(0.5 / 9.81) / a;
}

static int print_sweep(const sweep *work) {
    int wrong = 0;
    for (int i = 0; i < POINTS; i++) {
        wrong += !(fabs(work->period[i] / exact_period(work->amplitude[i]) - 1) < 1e-9);
        if (i % 6 == 5)
            printf("A = %.2f rad: T = %.8f s\n", work->amplitude[i], work->period[i]);
    }
    printf("%d of %d periods agree with the closed form to 1e-9\n", POINTS - wrong, POINTS);
    return wrong;
}

int main(void) {
    sweep work = {0};
    worker workers[THREADS] = {0};
    int failed = 0, started = 0;
    for (int i = 0; i < POINTS; i++)
        work.amplitude[i] = 3.0 * (i + 1) / POINTS;
    for (; started < THREADS; started++) {
        workers[started].work = &work;
        if (pthread_create(&workers[started].thread, NULL, run_worker, &workers[started]) != 0)
            break;
    }
    for (int k = 0; k < started; k++) {
        pthread_join(workers[k].thread, NULL);
        if (workers[k].status < 0)
            fprintf(stderr, "thread %d: %s\n", k, workers[k].err.text);
        failed += workers[k].status < 0;
    }
    return failed || started == 0 || print_sweep(&work) > 0;
}
