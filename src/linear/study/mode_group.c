/* SPDX-License-Identifier: MIT */
/* Motion along symmetries. Translations and rotations of coordinates, of quaternions and of
 * velocities are affine fields, X = L x + l, whose flow is an exponential,
 *
 *     (x(t), 1) = exp(t [L l; 0 0]) (x(0), 1),
 *
 * exact for any time. Whether the fields are affine on the manifold of the constraints is tested at
 * random states and times. Others, such as rotations of space in Euler angles, are integrated by
 * the Runge-Kutta method of order four, with doubled numbers of steps until the result stays. */
#include <math.h>
#include <string.h>

#include "base/arena.h"
#include "base/random.h"
#include "base/tolerance.h"
#include "mode.h"
#include "num/linear/dense.h"

/* Error of the affine fields relative to the sizes of their terms: they come from a solution of
 * linear equations; a field that is not affine errs by a part of order 1. */
#define AFFINE_ERROR ZW_ROUNDOFF_SOLVED
/* Singular values of the sampled states relative to the largest: below, the manifold of the
 * constraints leaves the direction open. */
#define DIRECTION_OPEN ZW_ROUNDOFF_SOLVED
/* change by doubling the steps, of the sizes of the state: the error is a fifteenth of it,
 * invisible */
#define STEPS_CONVERGED 1e-9
#define SAMPLE_SPREAD 0.7 /* of the size of an entry: random states about the motion */
#define SAMPLE_TIME 3     /* s: random times after that of the motion */
enum {
    TRIALS = 4, /* states at which the affine fields are tested */
    STEPS_FIRST = 8,
    STEPS_MOST = 1 << 16,
    TERMS = 18 /* of the exponential series at 1/2: 0.5^19/19! = 2e-23 */
};

/* ---- exponentials ---- */

static void multiply_matrices(int n, const double *A, const double *B, double *C) {
    for (int i = 0; i < n; i++)
        for (int j = 0; j < n; j++) {
            double sum = 0;
            for (int k = 0; k < n; k++)
                sum += A[i * n + k] * B[k * n + j];
            C[i * n + j] = sum;
        }
}

/* exp(A): Taylor's series of A / 2^k, squared k times. */
void zw_mode_exponential(int n, const double *A, double *E, double *work) {
    size_t size = (size_t)n * (size_t)n;
    double *S = work, *term = work + size, *next = term + size, most = 0;
    int halvings = 0;
    for (int i = 0; i < n; i++) {
        double row = 0;
        for (int j = 0; j < n; j++)
            row += fabs(A[i * n + j]);
        most = fmax(most, row);
    }
    for (; most > 0.5; most /= 2)
        halvings++;
    for (size_t i = 0; i < size; i++) {
        S[i] = ldexp(A[i], -halvings);
        E[i] = term[i] = i % (size_t)(n + 1) == 0;
    }
    for (int k = 1; k <= TERMS; k++) {
        multiply_matrices(n, term, S, next);
        for (size_t i = 0; i < size; i++)
            E[i] += term[i] = next[i] / k;
    }
    for (int k = 0; k < halvings; k++) {
        multiply_matrices(n, E, E, next);
        memcpy(E, next, size * sizeof *E);
    }
}

/* ---- affine fields ---- */

/* All fields at a state: X_0, then the symmetries, (1 + n) x nx. */
static zw_status fields_at(const zw_mode_group *g, double t, const double *x, double *X,
                           zw_error *err) {
    return zw_symmetries_at(&g->e->symmetries, g->e->flow, t, x, X, X + g->nx, err);
}

/* A random state of the manifold near the motion; false if the projection fails. */
static bool random_state(const zw_mode_group *g, zw_random *random, double *x) {
    const zw_steady *at = &g->e->motion;
    for (int i = 0; i < g->nx; i++)
        x[i] = at->x[i] + g->e->scale[i] * zw_random_real(random, -SAMPLE_SPREAD, SAMPLE_SPREAD);
    return zw_flow_project(g->e->flow, at->t, x, NULL, NULL) >= 0;
}

/* Fit L and l to the fields at more random states than needed, with least norm where the manifold
 * leaves them open. Only values on the manifold matter: for quaternions of another length, say, the
 * fields are not affine. */
static zw_status fit_group(zw_mode_group *g, zw_error *err) {
    const double t = g->e->motion.t;
    int nx = g->nx, size = nx + 1, rows = 3 * size, n = 0, fields = (g->n + 1) * nx;
    zw_random random = zw_random_stream(11, 0);
    zw_arena_mark mark = zw_arena_mark_now(g->arena);
    double *S = ZW_NEW(g->arena, double, rows *size), *X = ZW_NEW(g->arena, double, rows *fields),
           *s = ZW_NEW(g->arena, double, size), *Vt = ZW_NEW(g->arena, double, size *size),
           *Ut = ZW_NEW(g->arena, double, rows *size);
    if (g->arena->failed)
        return zw_out_of_memory(err, "the mode");
    for (int k = 0; k < 2 * rows && n < rows; k++) {
        double *x = S + (size_t)n * (size_t)size;
        if (!random_state(g, &random, x) ||
            fields_at(g, t, x, X + (size_t)n * (size_t)fields, NULL) < 0)
            continue;
        for (int i = 0; i < nx; i++)
            x[i] /= g->e->scale[i];
        x[nx] = 1;
        n++;
    }
    g->affine = n == rows;
    bool done = !g->affine || zw_dense_svd(g->arena, rows, size, S, s, Vt, Ut);
    /* row i of field f: sum over the singular directions of (U' X) V' / s */
    for (int k = 0; done && g->affine && k < size && s[k] > DIRECTION_OPEN * s[0]; k++)
        for (int f = 0; f <= g->n; f++)
            for (int i = 0; i < nx; i++) {
                double part = 0;
                for (int r = 0; r < rows; r++)
                    part += Ut[k * rows + r] * X[r * fields + f * nx + i];
                for (int j = 0; j < size; j++)
                    g->L[(f * size + i) * size + j] +=
                        part / s[k] * Vt[k * size + j] / (j < nx ? g->e->scale[j] : 1);
            }
    zw_status status = done ? ZW_OK : zw_dense_failure(g->arena, err);
    zw_arena_release(g->arena, mark);
    return status;
}

/* The value of a row of L and the sum of the sizes of its terms. */
static double affine_at(const zw_mode_group *g, const double *row, const double *x, double *most) {
    double sum = row[g->nx];
    *most = fabs(row[g->nx]);
    for (int j = 0; j < g->nx; j++) {
        sum += row[j] * x[j];
        *most += fabs(row[j] * x[j]);
    }
    return sum;
}

/* Do the matrices give the fields at other states, and at other times? */
static void check_affine(zw_mode_group *g, double *x, double *X) {
    zw_random random = zw_random_stream(12, 0);
    int nx = g->nx, size = nx + 1;
    for (int k = 0; k < TRIALS && g->affine; k++) {
        bool drawn = random_state(g, &random, x);
        double t = g->e->motion.t;
        if (!g->e->symmetries.autonomous)
            t += zw_random_real(&random, 0, SAMPLE_TIME);
        g->affine = drawn && fields_at(g, t, x, X, NULL) >= 0;
        for (int f = 0; f <= g->n && g->affine; f++)
            for (int i = 0; i < nx; i++) {
                double most, predicted = affine_at(g, g->L + (f * size + i) * size, x, &most);
                g->affine = g->affine && fabs(predicted - X[f * nx + i]) <=
                                             AFFINE_ERROR * (most + g->e->scale[i]);
            }
    }
}

zw_status zw_mode_group_init(zw_mode_group *g, const zw_equilibria *e, zw_arena *arena,
                             zw_error *err) {
    int nx = e->kernel->nx, n = e->symmetries.n, size = nx + 1;
    *g = (zw_mode_group){.e = e, .arena = arena, .n = n, .nx = nx};
    g->L = ZW_NEW(arena, double, (n + 1) * size * size);
    g->work = ZW_NEW(arena, double, 6 * size * size + 2 * (n + 1) * nx + 8 * size);
    if (arena->failed)
        return zw_out_of_memory(err, "the mode");
    ZW_TRY(fit_group(g, err));
    check_affine(g, g->work, g->work + size);
    return ZW_OK;
}

static void move_affine(zw_mode_group *g, bool with_time, const double *c, double duration,
                        double *x) {
    int size = g->nx + 1;
    size_t entries = (size_t)size * (size_t)size;
    double *A = g->work, *E = A + entries, *y = E + entries, *more = y + size;
    for (size_t i = 0; i < entries; i++) {
        A[i] = with_time ? g->L[i] : 0;
        for (int f = 0; f < g->n; f++)
            A[i] += c[f] * g->L[(size_t)(f + 1) * entries + i];
        A[i] *= duration;
    }
    zw_mode_exponential(size, A, E, more);
    for (int i = 0; i < g->nx; i++) {
        y[i] = E[i * size + g->nx];
        for (int j = 0; j < g->nx; j++)
            y[i] += E[i * size + j] * x[j];
    }
    memcpy(x, y, (size_t)g->nx * sizeof *x);
}

/* ---- other fields ---- */

static zw_status combination_at(zw_mode_group *g, bool with_time, const double *c, double t,
                                const double *x, double *rate, zw_error *err) {
    double *X = g->work + 8 * (g->nx + 1);
    ZW_TRY(fields_at(g, t, x, X, err));
    for (int i = 0; i < g->nx; i++) {
        rate[i] = with_time ? X[i] : 0;
        for (int f = 0; f < g->n; f++)
            rate[i] += c[f] * X[(f + 1) * g->nx + i];
    }
    return ZW_OK;
}

static zw_status integrate_field(zw_mode_group *g, bool with_time, const double *c, double t,
                                 double duration, int steps, double *x, zw_error *err) {
    int nx = g->nx;
    double h = duration / steps, *k = g->work, *y = k + nx, *sum = y + nx;
    static const double part[4] = {0, 0.5, 0.5, 1}, weight[4] = {1, 2, 2, 1};
    for (int i = 0; i < steps; i++) {
        memset(sum, 0, (size_t)nx * sizeof *sum);
        memset(k, 0, (size_t)nx * sizeof *k);
        for (int stage = 0; stage < 4; stage++) {
            for (int j = 0; j < nx; j++)
                y[j] = x[j] + part[stage] * h * k[j];
            double time = with_time ? t + (i + part[stage]) * h : t;
            ZW_TRY(combination_at(g, with_time, c, time, y, k, err));
            for (int j = 0; j < nx; j++)
                sum[j] += weight[stage] * k[j];
        }
        for (int j = 0; j < nx; j++)
            x[j] += h / 6 * sum[j];
    }
    return ZW_OK;
}

static zw_status move_by_steps(zw_mode_group *g, bool with_time, const double *c, double t,
                               double duration, double *x, zw_error *err) {
    int nx = g->nx;
    double *start = g->work + 3 * nx, *last = start + nx;
    memcpy(start, x, (size_t)nx * sizeof *x);
    for (int steps = STEPS_FIRST; steps <= STEPS_MOST; steps *= 2) {
        double change = 0;
        memcpy(last, x, (size_t)nx * sizeof *x);
        memcpy(x, start, (size_t)nx * sizeof *x);
        zw_error trouble = {0};
        zw_status status = integrate_field(g, with_time, c, t, duration, steps, x, &trouble);
        if (status < 0 && steps == STEPS_MOST)
            return zw_fail(err, status, "%s", trouble.text);
        change = status < 0 ? INFINITY : 0; /* steps that are too long may leave the domain */
        for (int i = 0; i < nx; i++)
            change = fmax(change, fabs(x[i] - last[i]) / g->e->scale[i]);
        if (steps > STEPS_FIRST && change < STEPS_CONVERGED)
            return ZW_OK;
    }
    return zw_fail(err, ZW_E_NUMERIC, "the symmetry cannot be followed for %.4g s", duration);
}

zw_status zw_mode_group_move(zw_mode_group *g, bool with_time, const double *c, double t,
                             double duration, double *x, zw_error *err) {
    if (duration == 0 || (g->n == 0 && !with_time))
        return ZW_OK;
    if (!g->affine)
        return move_by_steps(g, with_time, c, t, duration, x, err);
    move_affine(g, with_time, c, duration, x);
    return ZW_OK;
}
