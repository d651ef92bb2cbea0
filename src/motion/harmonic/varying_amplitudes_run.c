/* SPDX-License-Identifier: MIT */
/* Integration of slowly varying amplitudes by the pair of J. R. Dormand and P. J. Prince (J.
 * Comput. Appl. Math. 6 (1980) 19-26) of orders 5 and 4. The equations are smooth and slow, so a
 * simple method suffices. Steps end at the times of the rows. */
#include <math.h>
#include <string.h>

#include "base/arena.h"
#include "zwang/harmonic.h"

enum { STAGES = 7, STEPS_MOST = 1000000 };
#define END_REACHED 1e-12 /* relative: time that is the end, after sums of some thousand steps */
/* relative: a step that ends so close to the time of a row ends there; otherwise a step of rounding
 * would follow */
#define ROW_REACHED 1e-9
/* relative to the duration: step below which time does not advance reliably */
#define STEP_LEAST 1e-12
/* factor of the step that the error would allow: a step that is rejected costs more than one that
 * is a tenth shorter */
#define STEP_SAFETY 0.9

static const double a[STAGES][STAGES - 1] = {
    {0},
    {1.0 / 5},
    {3.0 / 40, 9.0 / 40},
    {44.0 / 45, -56.0 / 15, 32.0 / 9},
    {19372.0 / 6561, -25360.0 / 2187, 64448.0 / 6561, -212.0 / 729},
    {9017.0 / 3168, -355.0 / 33, 46732.0 / 5247, 49.0 / 176, -5103.0 / 18656},
    {35.0 / 384, 0, 500.0 / 1113, 125.0 / 192, -2187.0 / 6784, 11.0 / 84},
};
static const double difference[STAGES] = {71.0 / 57600,      0,          -71.0 / 16695, 71.0 / 1920,
                                          -17253.0 / 339200, 22.0 / 525, -1.0 / 40};

typedef struct amplitude_run {
    zw_slow *s;
    int n;
    double *k[STAGES], *next;
    const double *scale;
    double tolerance;
} amplitude_run;

/* a step of length h from Z to r->next; *error is relative to the tolerance */
static zw_status take_step(amplitude_run *r, const double *Z, double h, double *error,
                           zw_error *err) {
    for (int i = 1; i < STAGES; i++) {
        for (int l = 0; l < r->n; l++) {
            double sum = 0;
            for (int j = 0; j < i; j++)
                sum += a[i][j] * r->k[j][l];
            r->next[l] = Z[l] + h * sum;
        }
        ZW_TRY(zw_slow_rates(r->s, r->next, r->k[i], err));
    }
    double most = 0;
    for (int l = 0; l < r->n; l++) {
        double sum = 0;
        for (int j = 0; j < STAGES; j++)
            sum += difference[j] * r->k[j][l];
        most = fmax(most, fabs(h * sum) / (r->tolerance * (fabs(r->next[l]) + r->scale[l])));
    }
    *error = most;
    return ZW_OK;
}

static zw_status integrate_amplitudes(amplitude_run *r, double *Z, double until, double every,
                                      zw_slow_take take, void *user, zw_error *err) {
    double t = 0, h = every, error;
    long rows = 0;
    ZW_TRY(zw_slow_rates(r->s, Z, r->k[0], err));
    zw_status status = take(user, 0, Z, err);
    for (long steps = 0; status == ZW_OK && t < until * (1 - END_REACHED); steps++) {
        double goal = fmin((double)(rows + 1) * every, until), step = fmin(h, goal - t);
        bool reaches = step >= (goal - t) * (1 - ROW_REACHED);
        ZW_TRY(take_step(r, Z, step, &error, err));
        if (steps > STEPS_MOST || !(step > STEP_LEAST * until))
            return zw_fail(err, ZW_E_NUMERIC, "the amplitudes change too fast at t = %.6g s", t);
        double factor = error > 0 ? fmin(5, fmax(0.2, STEP_SAFETY * pow(error, -0.2))) : 5;
        if (!(error <= 1)) {
            h = step * fmin(factor, 0.5);
            continue;
        }
        memcpy(Z, r->next, sizeof(double) * (size_t)r->n);
        memcpy(r->k[0], r->k[STAGES - 1], sizeof(double) * (size_t)r->n);
        h = fmax(h, step * factor);
        if (error > 0.5)
            h = step * factor;
        t = reaches ? goal : t + step;
        if (reaches) {
            rows++;
            status = take(user, t, Z, err);
        }
    }
    return status == ZW_STOPPED ? ZW_OK : status;
}

zw_status zw_slow_run(zw_slow *s, double *Z, const double *scale, double until, double every,
                      double tolerance, zw_slow_take take, void *user, zw_error *err) {
    zw_allocator alloc = zw_allocator_default();
    zw_arena arena;
    zw_arena_init(&arena, &alloc);
    amplitude_run r = {.s = s, .n = zw_slow_size(s), .scale = scale, .tolerance = tolerance};
    for (int i = 0; i < STAGES; i++)
        r.k[i] = ZW_NEW(&arena, double, r.n + 1);
    r.next = ZW_NEW(&arena, double, r.n + 1);
    zw_status status =
        arena.failed ? zw_out_of_memory(err, NULL)
        : !(until > 0) || !(every > 0)
            ? zw_fail(err, ZW_E_OPTION, "a run needs an end and a step of rows that are positive")
            : integrate_amplitudes(&r, Z, until, every, take, user, err);
    zw_arena_clear(&arena);
    return status;
}
