/* SPDX-License-Identifier: MIT */
/* Shooting with K nodes. With x_k <- the projection of x_k + T_k y_k in the tangent spaces,
 * Newton's step solves
 *
 *     P_k y_k - y_k+1 + c_k dP = -r_k,     r_k = T_k+1' (phi_k - x_k+1),     k mod K
 *     (T_0' f(x_0)) y_0 = 0                                                 if the period is free
 *
 * with P_k = T_k+1' Y_k of the legs, c_k = T_k+1' f(phi_k)/K, and for the last leg S phi - S w in
 * place of phi and S T_0 in place of T_0. Steps are shortened until the residual decreases. The
 * last period is then integrated once more, with disturbances of two accuracies, and recorded. */
#include "shooting.h"

#include <float.h>
#include <math.h>
#include <string.h>

#include "base/arena.h"
#include "base/option.h"
#include "base/random.h"
#include "base/tolerance.h"
#include "motion/floquet/floquet.h"
#include "num/linear/dense.h"
#include "num/linear/linalg.h"

enum { STAGES = 4, CHECK_STAGES = 5, HALVINGS = 8, TRIALS = 24 };
/* Relative to the entries of x: central differences of runs. Their error (1e-4)^2 equals that of
 * the integration, 1e-12/1e-4; the second accuracy has three times that step. */
#define RUN_DIFFERENCE_STEP 1e-4
#define CHECK_FACTOR 3
/* Pivot of M - 1 that is zero within the errors of M, a hundred times its tolerance. */
#define PIVOT_ZERO 1e-10
/* Residual relative to the sizes that is accepted if no step reduces it, for motions whose runs
 * amplify errors of the integration. */
#define RESIDUAL_MAX 1e-8
/* A step that reduces an acceptable residual by less than this factor is the last one. */
#define REDUCTION_MIN 0.9
/* Tolerances of the integration, unless the options give others. */
#define SHOOTING_RTOL 1e-12
#define SHOOTING_ATOL 1e-14

typedef struct shooting_solver {
    const zw_kernel *k;
    zw_shooting_options o;
    zw_shooting *out;
    zw_arena arena;
    zw_run *run;
    zw_flow *flow; /* a second one, whose modes follow the state */
    zw_leg leg;
    zw_record log;
    zw_variation v, check;
    int nx, n, K;
    double period;
    double *x, *trial; /* K x nx: nodes */
    double *end;       /* K x nx: the ends of the legs, mapped by S and w */
    double *T;         /* K x nx x n */
    double *closing;   /* nx x n: S T_0 */
    double *P;         /* K x n x n */
    double *c;         /* K x n */
    double *A, *step;  /* of Newton's equations */
    int *pivot;
    double *rate, *neighbour, *work; /* nx, nx, n x n */
    double trial_period;
    zw_shooting_derivative derivative;
    zw_error *err;
} shooting_solver;

void zw_shooting_options_init(zw_shooting_options *options, size_t size) {
    const zw_shooting_options all = {.size = size,
                                     .nodes = 1,
                                     .iterations = 30,
                                     .tolerance = ZW_NEWTON,
                                     .harmonics = 8,
                                     .margin = 1e-6};
    zw_options_begin(options, size, &all, sizeof all);
}

void zw_shooting_clear(zw_shooting *s) {
    zw_shooting_memory *memory = s->memory;
    zw_floquet_clear(&s->floquet);
    if (memory) {
        zw_arena arena = memory->arena;
        zw_arena_clear(&arena);
    }
    *s = (zw_shooting){0};
}

static double scale_of(const shooting_solver *a, int i) {
    return a->o.scale ? a->o.scale[i] : 1;
}

static double sign_of(const shooting_solver *a, int i) {
    return a->o.sign ? a->o.sign[i] : 1;
}

static double *node_of(const shooting_solver *a, double *all, int k) {
    return all + (size_t)(k % a->K) * (size_t)a->nx;
}

static double *basis_of(const shooting_solver *a, int k) {
    return a->T + (size_t)(k % a->K) * (size_t)(a->nx * a->nx);
}

static double time_of(const shooting_solver *a, double period, int k) {
    return a->o.start + period * k / a->K;
}

/* --------------------------------------------------------------------------------------- set-up */

static zw_status check_options(const shooting_solver *a) {
    const zw_kernel *k = a->k;
    const zw_shooting_options *o = &a->o;
    if (!(o->period > 0) || !isfinite(o->period))
        return zw_fail(a->err, ZW_E_OPTION, "the period must be positive");
    if (o->nodes < 1 || o->iterations < 0 || o->harmonics < 0 || o->samples < 0 || o->settle < 0)
        return zw_fail(a->err, ZW_E_OPTION,
                       "numbers of nodes, steps, harmonics, samples and "
                       "periods cannot be negative, and one node is needed");
    if (k->ncontact > 0)
        return zw_fail(a->err, ZW_E_MODEL, "shooting does not follow contacts");
    for (int i = 0; k->event_acts && i < k->nevt; i++)
        if (k->event_acts[i])
            return zw_fail(a->err, ZW_E_MODEL,
                           "shooting does not follow motions that events change");
    return ZW_OK;
}

static void set_inputs(const shooting_solver *a, zw_flow *flow) {
    if (a->o.u)
        zw_flow_set_inputs(flow, a->o.u);
    if (a->o.input)
        zw_flow_on_input(flow, a->o.input, a->o.input_user);
}

static zw_status open_run(shooting_solver *a, const double *p) {
    zw_run_options run = zw_run_options_default();
    run.method = "rk87";
    run.rtol = SHOOTING_RTOL;
    run.atol = SHOOTING_ATOL;
    ZW_TRY(zw_run_create(&a->run, a->k, p, a->o.run ? a->o.run : &run, a->err));
    if (a->o.want)
        zw_run_on_want(a->run, a->o.want, a->o.want_user);
    ZW_TRY(zw_flow_create(&a->flow, a->k, p, a->err));
    set_inputs(a, a->flow);
    set_inputs(a, zw_run_flow(a->run));
    ZW_TRY(zw_leg_init(&a->leg, &a->arena, a->run, a->err));
    ZW_TRY(zw_variation_init(&a->v, &a->arena, a->flow, STAGES, a->K, a->err));
    return zw_variation_init(&a->check, &a->arena, a->flow, CHECK_STAGES, a->K, a->err);
}

static zw_status allocate_arrays(shooting_solver *a) {
    zw_arena *m = &a->arena;
    int nx = a->nx, K = a->K, square = nx * nx, size = K * nx + 1;
    a->x = ZW_NEW(m, double, K *nx + 1);
    a->trial = ZW_NEW(m, double, K *nx + 1);
    a->end = ZW_NEW(m, double, K *nx + 1);
    a->T = ZW_NEW(m, double, K *square + 1);
    a->closing = ZW_NEW(m, double, square + 1);
    a->P = ZW_NEW(m, double, K *square + 1);
    a->c = ZW_NEW(m, double, K *nx + 1);
    a->A = ZW_NEW(m, double, (size_t)size *(size_t)size);
    a->step = ZW_NEW(m, double, size);
    a->pivot = ZW_NEW(m, int, size);
    a->rate = ZW_NEW(m, double, nx + 1);
    a->neighbour = ZW_NEW(m, double, 2 * nx + 1);
    a->work = ZW_NEW(m, double, square + 1);
    return zw_arena_status(m, a->err);
}

/* the start on its constraints, some periods later, and the nodes on the motion from there */
static zw_status place_nodes(shooting_solver *a, const double *x) {
    memcpy(a->x, x, sizeof(double) * (size_t)a->nx);
    ZW_TRY(zw_flow_project(a->flow, a->o.start, a->x, NULL, a->err));
    a->leg.v = a->leg.check = NULL;
    for (int i = 0; i < a->o.settle; i++) {
        ZW_TRY(zw_leg_run(&a->leg, a->o.start, a->x, a->o.start + a->period, a->end, a->err));
        for (int j = 0; j < a->nx; j++)
            a->x[j] = sign_of(a, j) * (a->end[j] - (a->o.turn ? a->o.turn[j] : 0));
    }
    for (int k = 0; k + 1 < a->K; k++)
        ZW_TRY(zw_leg_run(&a->leg, time_of(a, a->period, k), node_of(a, a->x, k),
                          time_of(a, a->period, k + 1), node_of(a, a->x, k + 1), a->err));
    return ZW_OK;
}

/* ----------------------------------------------------------------------------------------- legs */

static zw_status find_bases(shooting_solver *a, double *x, double period) {
    for (int k = 0; k < a->K; k++) {
        int n;
        ZW_TRY(zw_variation_basis(&a->v, &a->arena, a->flow, time_of(a, period, k),
                                  node_of(a, x, k), &n, basis_of(a, k), a->err));
        if (k > 0 && n != a->n)
            return zw_fail(a->err, ZW_E_SINGULAR, "constraints become dependent along the motion");
        a->n = n;
    }
    for (int i = 0; i < a->nx; i++)
        for (int j = 0; j < a->n; j++)
            a->closing[i * a->n + j] = sign_of(a, i) * a->T[i * a->n + j];
    return ZW_OK;
}

static const double *basis_after(const shooting_solver *a, int k) {
    return k == a->K - 1 ? a->closing : basis_of(a, k + 1);
}

/* the distance of the end of leg k from the next node; for the last one S (phi - w) - x_0 */
static void find_closing_gap(shooting_solver *a, int k) {
    double *end = node_of(a, a->end, k);
    for (int i = 0; k == a->K - 1 && i < a->nx; i++)
        end[i] = sign_of(a, i) * (end[i] - (a->o.turn ? a->o.turn[i] : 0));
}

/* leg k and its matrix P_k by the linearised equations */
static zw_status run_exact(shooting_solver *a, double *x, double period, int k) {
    zw_variation_begin(&a->v, a->n, basis_of(a, k));
    if (a->leg.check)
        zw_variation_begin(&a->check, a->n, basis_of(a, k));
    int first = a->v.nchunk;
    ZW_TRY(zw_leg_run(&a->leg, time_of(a, period, k), node_of(a, x, k), time_of(a, period, k + 1),
                      node_of(a, a->end, k), a->err));
    zw_variation_node(&a->v, basis_after(a, k));
    if (a->leg.check)
        zw_variation_node(&a->check, basis_after(a, k));
    zw_variation_product(&a->v, first, a->P + (size_t)k * (size_t)(a->n * a->n), a->work);
    return ZW_OK;
}

/* the end of leg k from x_k + h T_k e_j, in out (nx) */
static zw_status run_neighbour(shooting_solver *a, const double *x, double period, int k, int j,
                               double h, double *out) {
    const double *T = basis_of(a, k);
    double t = time_of(a, period, k);
    for (int i = 0; i < a->nx; i++)
        a->rate[i] = x[i] + h * T[i * a->n + j];
    ZW_TRY(zw_flow_project(a->flow, t, a->rate, NULL, a->err));
    return zw_leg_run(&a->leg, t, a->rate, time_of(a, period, k + 1), out, a->err);
}

/* P_k by central differences of runs with this step, as the next chunk of v; such runs record
 * nothing */
static zw_status difference_matrix(shooting_solver *a, const double *x, double period, int k,
                                   double apart, zw_variation *v) {
    double *P = v->A + (size_t)v->nchunk++ * (size_t)(a->n * a->n), *plus = a->neighbour,
           *minus = a->neighbour + a->nx;
    const double *T = basis_after(a, k);
    for (int j = 0; j < a->n; j++) {
        ZW_TRY(run_neighbour(a, x, period, k, j, apart, plus));
        ZW_TRY(run_neighbour(a, x, period, k, j, -apart, minus));
        for (int i = 0; i < a->n; i++) {
            P[i * a->n + j] = 0;
            for (int l = 0; l < a->nx; l++)
                P[i * a->n + j] += T[l * a->n + i] * (plus[l] - minus[l]) / (2 * apart);
        }
    }
    return ZW_OK;
}

/* the same leg and P_k by differences; the two accuracies are two steps */
static zw_status run_differences(shooting_solver *a, double *x, double period, int k) {
    zw_record *record = a->leg.record;
    zw_variation *check = a->leg.check;
    a->leg.v = a->leg.check = NULL;
    ZW_TRY(zw_leg_run(&a->leg, time_of(a, period, k), node_of(a, x, k), time_of(a, period, k + 1),
                      node_of(a, a->end, k), a->err));
    a->leg.record = NULL;
    ZW_TRY(difference_matrix(a, node_of(a, x, k), period, k, RUN_DIFFERENCE_STEP, &a->v));
    zw_variation_product(&a->v, k, a->P + (size_t)k * (size_t)(a->n * a->n), a->work);
    if (check)
        ZW_TRY(difference_matrix(a, node_of(a, x, k), period, k, CHECK_FACTOR * RUN_DIFFERENCE_STEP,
                                 check));
    a->leg.record = record;
    a->leg.check = check;
    return ZW_OK;
}

/* all legs from the nodes x: ends, matrices, and the largest gap to the next node in *residual */
static zw_status run_legs(shooting_solver *a, double *x, double period, double *residual) {
    *residual = 0;
    ZW_TRY(find_bases(a, x, period));
    zw_variation_clear(&a->v);
    zw_variation_clear(&a->check);
    a->v.n = a->check.n = a->n;
    a->leg.jumps = 0;
    a->leg.pieces = 0;
    a->leg.log_jumps = 0;
    for (int k = 0; k < a->K; k++) {
        a->leg.v = &a->v;
        if (a->derivative == ZW_SHOOTING_DIFFERENCES)
            ZW_TRY(run_differences(a, x, period, k));
        else
            ZW_TRY(run_exact(a, x, period, k));
        find_closing_gap(a, k);
        for (int i = 0; i < a->nx; i++)
            if (a->v.essential[i])
                *residual =
                    fmax(*residual,
                         fabs(node_of(a, a->end, k)[i] - node_of(a, x, k + 1)[i]) / scale_of(a, i));
    }
    return ZW_OK;
}

/* the same, by differences from now on if the rates jump without a saltation matrix */
static zw_status run_all(shooting_solver *a, double *x, double period, double *residual) {
    a->leg.tangled = false;
    ZW_TRY(run_legs(a, x, period, residual));
    if (!a->leg.tangled || a->derivative == ZW_SHOOTING_DIFFERENCES)
        return ZW_OK;
    a->derivative = ZW_SHOOTING_DIFFERENCES;
    return run_legs(a, x, period, residual);
}

/* --------------------------------------------------------------------------------------- Newton */

/* the rates at the ends of the legs, and at the start: the column and the row of the period */
static zw_status put_period(shooting_solver *a, int size) {
    int n = a->n, last = size - 1;
    for (int k = 0; k < a->K; k++) {
        const double *T = basis_of(a, k + 1);
        ZW_TRY(zw_flow_rates(a->flow, time_of(a, a->period, k + 1), node_of(a, a->end, k), a->rate,
                             NULL, a->err));
        for (int i = 0; i < n; i++)
            for (int l = 0; l < a->nx; l++)
                a->A[(k * n + i) * size + last] += T[l * n + i] * a->rate[l] / a->K;
    }
    ZW_TRY(zw_flow_rates(a->flow, a->o.start, a->x, a->rate, NULL, a->err));
    for (int j = 0; j < n; j++)
        for (int l = 0; l < a->nx; l++)
            a->A[last * size + j] += a->T[l * n + j] * a->rate[l];
    return ZW_OK;
}

/* Newton's step in a->step, from the ends and matrices of the last legs */
static zw_status solve_step(shooting_solver *a) {
    int n = a->n, size = a->K * n + (a->o.is_period_free ? 1 : 0);
    memset(a->A, 0, sizeof(double) * (size_t)size * (size_t)size);
    memset(a->step, 0, sizeof(double) * (size_t)size);
    for (int k = 0; k < a->K; k++) {
        const double *P = a->P + (size_t)k * (size_t)(n * n), *T = basis_of(a, k + 1);
        const double *end = node_of(a, a->end, k), *next = node_of(a, a->x, k + 1);
        for (int i = 0; i < n; i++) {
            double *row = a->A + (size_t)(k * n + i) * (size_t)size;
            for (int j = 0; j < n; j++)
                row[k * n + j] += P[i * n + j];
            row[(k + 1) % a->K * n + i] -= 1;
            for (int l = 0; l < a->nx; l++)
                a->step[k * n + i] -= T[l * n + i] * (end[l] - next[l]);
        }
    }
    if (a->o.is_period_free)
        ZW_TRY(put_period(a, size));
    double ratio = size ? zw_num_lu(size, a->A, a->pivot) : 1, least = INFINITY;
    for (int i = 0; i < size; i++)
        least = fmin(least, fabs(a->A[(size_t)i * (size_t)(size + 1)]));
    if (!(ratio > zw_num_pivot_floor(size)) || !(least > PIVOT_ZERO))
        return zw_fail(a->err, ZW_E_SINGULAR,
                       "a multiplier is 1: the periodic motion is not the only one near the start");
    zw_num_lu_solve(size, a->A, a->pivot, 1, a->step);
    return ZW_OK;
}

/* the nodes moved by a fraction of the step, on the constraints, in trial */
static zw_status move_nodes(shooting_solver *a, const double *bases, double part) {
    int n = a->n;
    a->trial_period = a->period + (a->o.is_period_free ? part * a->step[a->K * n] : 0);
    if (!(a->trial_period > 0))
        return ZW_RETRY;
    for (int k = 0; k < a->K; k++) {
        const double *T = bases + (size_t)k * (size_t)(a->nx * a->nx);
        double *x = node_of(a, a->trial, k);
        for (int i = 0; i < a->nx; i++) {
            x[i] = node_of(a, a->x, k)[i];
            for (int j = 0; j < n; j++)
                x[i] += part * T[i * n + j] * a->step[k * n + j];
        }
        zw_error ignored = {0};
        if (zw_flow_project(a->flow, time_of(a, a->trial_period, k), x, NULL, &ignored) < 0)
            return ZW_RETRY;
    }
    return ZW_OK;
}

/* one step, shortened until the residual decreases; *moved is false, and nothing changes, if no
 * length does */
static zw_status take_step(shooting_solver *a, double *residual, bool *moved) {
    size_t nodes = sizeof(double) * (size_t)(a->K * a->nx);
    zw_arena_mark mark = zw_arena_mark_now(&a->arena);
    double *bases = ZW_NEW(&a->arena, double, a->K * a->nx * a->nx + 1);
    if (!bases)
        return zw_out_of_memory(a->err, NULL);
    memcpy(bases, a->T, sizeof(double) * (size_t)(a->K * a->nx * a->nx));
    ZW_TRY(solve_step(a));
    *moved = false;
    double part = 1;
    for (int i = 0; i < HALVINGS && !*moved; i++, part /= 2) {
        double now = INFINITY;
        zw_error ignored = {0}, *err = a->err;
        a->err = &ignored;
        zw_status status = move_nodes(a, bases, part);
        if (status == ZW_OK)
            status = run_all(a, a->trial, a->trial_period, &now);
        a->err = err;
        if (status == ZW_E_MEMORY)
            return zw_out_of_memory(err, NULL);
        if (status < 0 || status == ZW_RETRY || !(now < *residual))
            continue;
        memcpy(a->x, a->trial, nodes);
        a->period = a->trial_period;
        *residual = now;
        *moved = true;
    }
    zw_arena_release(&a->arena, mark);
    return ZW_OK;
}

static zw_status run_iterations(shooting_solver *a) {
    zw_shooting *s = a->out;
    ZW_TRY(run_all(a, a->x, a->period, &s->residual));
    for (s->iterations = 0; s->residual > a->o.tolerance; s->iterations++) {
        bool moved = false;
        double before = s->residual;
        if (s->iterations < a->o.iterations)
            ZW_TRY(take_step(a, &s->residual, &moved));
        if (moved && !(s->residual > REDUCTION_MIN * before && s->residual <= RESIDUAL_MAX))
            continue;
        if (s->residual <= RESIDUAL_MAX)
            return ZW_OK;
        zw_fail(a->err, ZW_E_NUMERIC,
                "no periodic motion was found: after %d steps the state is off by %.3g after the "
                "period %.10g",
                s->iterations, s->residual, a->period);
        zw_error_hint(a->err,
                      "start nearer to it, let transients die out first, or use more nodes");
        return ZW_E_NUMERIC;
    }
    return ZW_OK;
}

/* --------------------------------------------------------------------------------------- result */

static zw_status allocate_result(shooting_solver *a) {
    zw_shooting *s = a->out;
    zw_arena arena;
    zw_arena_init(&arena, a->k->alloc.fn ? &a->k->alloc : NULL);
    zw_shooting_memory *memory = ZW_NEW(&arena, zw_shooting_memory, 1);
    s->nx = a->nx;
    s->nodes = a->K;
    s->nquantity = a->nx + a->k->nobs + 2;
    s->harmonics = a->o.harmonics;
    s->nsample = a->o.samples;
    int n = s->nquantity + 1, coefficients = s->nquantity * (s->harmonics + 1) + 1;
    s->x = ZW_NEW(&arena, double, a->nx + 1);
    s->node = ZW_NEW(&arena, double, a->K * a->nx + 1);
    s->drift = ZW_NEW(&arena, double, n);
    s->mean = ZW_NEW(&arena, double, n);
    s->rms = ZW_NEW(&arena, double, n);
    s->max = ZW_NEW(&arena, double, n);
    s->min = ZW_NEW(&arena, double, n);
    s->cosine = ZW_NEW(&arena, double, coefficients);
    s->sine = ZW_NEW(&arena, double, coefficients);
    s->sample = ZW_NEW(&arena, double, s->nsample * a->nx + 1);
    if (arena.failed) {
        zw_arena_clear(&arena);
        return zw_out_of_memory(a->err, NULL);
    }
    memory->arena = arena;
    s->memory = memory;
    return ZW_OK;
}

/* the change over a period of ignorable coordinates and of observables of them */
static zw_status find_drift(shooting_solver *a) {
    zw_shooting *s = a->out;
    const double *end = node_of(a, a->end, a->K - 1);
    int nx = a->nx, n = s->nquantity;
    double *from = ZW_NEW(&a->arena, double, 2 * n + 1), *to = from + n;
    bool any = false;
    if (!from)
        return zw_out_of_memory(a->err, NULL);
    for (int i = 0; i < nx; i++) {
        s->drift[i] = a->v.essential[i] ? 0 : end[i] - a->x[i];
        any |= s->drift[i] != 0;
        from[i] = a->x[i];
        to[i] = a->x[i] + s->drift[i];
    }
    if (!any)
        return ZW_OK;
    ZW_TRY(zw_flow_observables(a->leg.flow, s->start, from, from + nx, a->err));
    ZW_TRY(zw_flow_observables(a->leg.flow, s->start + s->period, to, to + nx, a->err));
    for (int i = nx; i < n; i++)
        s->drift[i] = to[i] - from[i];
    return ZW_OK;
}

/* the last period once more: recorded, with disturbances of two accuracies */
static zw_status record_period(shooting_solver *a) {
    zw_shooting *s = a->out;
    double residual;
    s->start = a->o.start;
    s->period = a->period;
    ZW_TRY(zw_record_init(&a->log, &a->arena, s, a->k, a->leg.flow, a->err));
    ZW_TRY(find_drift(a));
    a->log.drift = s->drift;
    bool exact = a->derivative != ZW_SHOOTING_DIFFERENCES;
    a->leg.record = &a->log;
    a->leg.check = &a->check;
    ZW_TRY(run_legs(a, a->x, a->period, &residual));
    a->leg.record = NULL;
    a->leg.check = NULL;
    zw_record_end(&a->log);
    s->residual = residual;
    s->jumps = a->leg.jumps;
    s->derivative = !exact     ? ZW_SHOOTING_DIFFERENCES
                    : s->jumps ? ZW_SHOOTING_SALTATION
                               : ZW_SHOOTING_EXACT;
    s->steps = a->leg.pieces;
    memcpy(s->x, a->x, sizeof(double) * (size_t)a->nx);
    memcpy(s->node, a->x, sizeof(double) * (size_t)(a->K * a->nx));
    return ZW_OK;
}

static zw_status find_multipliers(shooting_solver *a) {
    bool exact = a->derivative != ZW_SHOOTING_DIFFERENCES;
    const zw_floquet_judging how = {.period = a->period,
                                    .margin = a->o.margin,
                                    .autonomous = a->o.is_period_free,
                                    .T = a->T,
                                    .jumps = exact ? a->leg.log_jumps : NAN};
    ZW_TRY(zw_floquet_fill(&a->out->floquet, a->k->alloc.fn ? &a->k->alloc : NULL, &a->v, &a->check,
                           &how, a->err));
    a->out->floquet.intervals = (int)a->out->steps;
    return ZW_OK;
}

static zw_status shoot_orbit(shooting_solver *a, const double *p, const double *x) {
    ZW_TRY(check_options(a));
    ZW_TRY(open_run(a, p));
    ZW_TRY(allocate_arrays(a));
    ZW_TRY(allocate_result(a));
    ZW_TRY(place_nodes(a, x));
    ZW_TRY(run_iterations(a));
    ZW_TRY(record_period(a));
    return find_multipliers(a);
}

zw_status zw_shooting_find(zw_shooting *out, const zw_kernel *kernel, const double *p,
                           const double *x, const zw_shooting_options *options, zw_error *err) {
    shooting_solver a = {.k = kernel, .out = out, .nx = kernel->nx, .err = err};
    a.o = zw_shooting_options_default();
    *out = (zw_shooting){0};
    ZW_TRY(zw_options_adopt(&a.o, sizeof a.o, options, "zw_shooting_options", err));
    a.K = a.o.nodes;
    a.period = a.o.period;
    a.derivative = a.o.differences ? ZW_SHOOTING_DIFFERENCES : ZW_SHOOTING_EXACT;
    zw_arena_init(&a.arena, kernel->alloc.fn ? &kernel->alloc : NULL);
    zw_status status = shoot_orbit(&a, p, x);
    zw_flow_destroy(a.flow);
    zw_run_destroy(a.run);
    zw_arena_clear(&a.arena);
    if (status < 0)
        zw_shooting_clear(out);
    return status;
}

/* ------------------------------------------------------------------------------ does it repeat? */

static zw_status compare_rates(zw_flow *flow, double t, double period, const double *x, double *f,
                               double *size, double *worst, zw_error *err) {
    int nx = zw_flow_kernel(flow)->nx;
    ZW_TRY(zw_flow_rates(flow, t, x, f, NULL, err));
    ZW_TRY(zw_flow_rates(flow, t + period, x, f + nx, NULL, err));
    for (int i = 0; i < nx; i++) {
        size[i] = fmax(size[i], fabs(f[i]) + fabs(f[nx + i]));
        worst[i] = fmax(worst[i], fabs(f[i] - f[nx + i]));
    }
    return ZW_OK;
}

zw_status zw_shooting_check_period(zw_flow *flow, double period, const double *x,
                                   const double *scale, double *mismatch, zw_error *err) {
    const zw_kernel *k = zw_flow_kernel(flow);
    int nx = k->nx;
    zw_random random = zw_random_stream(7, 0);
    zw_arena arena;
    zw_arena_init(&arena, k->alloc.fn ? &k->alloc : NULL);
    double *at = ZW_NEW(&arena, double, nx + 1), *f = ZW_NEW(&arena, double, 2 * nx + 1),
           *size = ZW_NEW(&arena, double, nx + 1), *worst = ZW_NEW(&arena, double, nx + 1);
    zw_status status = zw_arena_status(&arena, err);
    for (int trial = 0; trial < TRIALS && status >= 0; trial++) {
        double t = period * zw_random_real(&random, 0, 1);
        for (int i = 0; i < nx; i++)
            at[i] = x[i] + (scale ? scale[i] : 1) * zw_random_real(&random, -0.5, 0.5);
        status = compare_rates(flow, t, period, at, f, size, worst, err);
    }
    *mismatch = 0;
    for (int i = 0; i < nx && status >= 0; i++)
        *mismatch = fmax(*mismatch, worst[i] / fmax(size[i], DBL_MIN));
    zw_arena_clear(&arena);
    return status;
}
