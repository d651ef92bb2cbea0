/* SPDX-License-Identifier: MIT */
/* Nonholonomic motions that are vakonomic; zwang/claims.h states the question.
 *
 * The vakonomic accelerations are v'_0 + A(x) mu and the multipliers have the rates lambda +
 * N(x) mu, both affine in mu: n + 1 evaluations give A, lambda and N. Along the nonholonomic
 * motion, which a run follows, Phi and phi are integrated by collocation at Gauss points,
 *
 *   K_i = N_i (Y + h sum_l a_il K_l) + lambda_i,     Y <- Y + h sum_i b_i K_i,      Y = (Phi, phi),
 *
 * and A (Phi mu_0 + phi) = 0 at all nodes is solved by least squares, scaled by the sizes of
 * accelerations and multipliers. */
#include <assert.h>
#include <math.h>
#include <string.h>

#include "agreement.h"
#include "base/arena.h"
#include "base/option.h"
#include "base/tolerance.h"
#include "motion/floquet/variation.h"
#include "num/linear/dense.h"
#include "num/linear/linalg.h"
#include "zwang/equations.h"
#include "zwang/simulate.h"

enum {
    /* points along the motion at which agreement is required: many more than multipliers */
    NODES = 40,
    STAGES = 5 /* of collocation: order 10, so that 40 intervals leave only round-off */
};
/* of the largest singular value: the directions of smaller ones are multipliers without effect, up
 * to the error of the integration */
#define SINGULAR_VALUE_ROUNDOFF 1e-8
/* of the accelerations: round-off and errors of the integration leave less */
#define AGREEMENT_ERROR 1e-7
#define MULTIPLIER_ROUNDOFF 1e-10 /* of the largest multiplier: a smaller one counts as 0 */
/* of the largest coordinate or velocity: smaller entries are compared with this */
#define SMALL_ENTRY 1e-3
#define DISAGREEMENT 1e-4   /* of the accelerations: a disagreement leaves more */
#define RUN_TOLERANCE 1e-12 /* of runs: the smallest that integrators meet */

void zw_agreement_options_init(zw_agreement_options *options, size_t size) {
    const zw_agreement_options all = {.size = size, .time = 1, .states = 20};
    zw_options_begin(options, size, &all, sizeof all);
}

/* --------------------------------------------------------------------------------------- set-up */

static zw_status make_kernel(zw_agreement *a, zw_equations *eq, const char *by, zw_kernel **kernel,
                             zw_error *err) {
    zw_kernel_options o = zw_kernel_options_default();
    ZW_TRY(zw_derive(eq, a->sys, a->options.active, by, err));
    return zw_kernel_create(kernel, eq, &o, err);
}

static zw_status set_up(zw_agreement *a, zw_error *err) {
    const zw_system *s = a->sys;
    zw_run_options run = zw_run_options_default();
    run.rtol = run.atol = RUN_TOLERANCE;
    if (!(a->options.time > 0) || a->options.states < 0)
        return zw_fail(err, ZW_E_OPTION, "motions are followed for some time");
    for (int i = 0; i < s->ncontact; i++)
        if (!s->contact[i].off)
            return zw_fail_at(err, ZW_E_MODEL, s->contact[i].place,
                              "the contact %s opens, closes or sticks: the principles are compared "
                              "for constraints",
                              s->contact[i].name);
    a->p = ZW_NEW(&a->arena, double, s->np + 1);
    if (!a->p)
        return zw_out_of_memory(err, NULL);
    ZW_TRY(zw_system_param_values(s, a->p, err));
    ZW_TRY(make_kernel(a, &a->lag, "lagrange", &a->lag_kernel, err));
    ZW_TRY(make_kernel(a, &a->vak, "vakonomic", &a->vak_kernel, err));
    a->nq = a->lag.nq;
    a->nv = a->lag.nv;
    a->n = a->vak.nv - a->nv;
    if (a->n == 0)
        return zw_fail(err, ZW_E_MODEL, "there are no constraints: both principles are the same");
    ZW_TRY(zw_run_create(&a->lag_run, a->lag_kernel, a->p, &run, err));
    ZW_TRY(zw_run_create(&a->vak_run, a->vak_kernel, a->p, &run, err));
    return zw_agreement_formulas(a, err);
}

/* ------------------------------------------------------------------------------- along a motion */

typedef struct place {
    double *A;      /* nv x n, weighted with the masses */
    double *N;      /* n x n */
    double *lambda; /* n */
    double size;    /* of the accelerations */
} place;

typedef struct motion {
    zw_agreement *a;
    zw_arena *work;
    place at[STAGES], node;
    double *x, *rate, *first; /* nx of vakonomic */
    double *Y;                /* n x (n + 1) */
    double *S;                /* NODES nv x (n + 1): rows of the equations for mu_0 */
    double *unit;             /* n: sizes of multipliers */
    double *last;             /* nx: of the nonholonomic motion at the end */
    double *reach;            /* nq + nv: range of the motion */
    double most;              /* of the accelerations */
} motion;

static bool make_place(motion *m, place *p) {
    int nv = m->a->nv, n = m->a->n;
    p->A = ZW_NEW(m->work, double, nv *n + 1);
    p->N = ZW_NEW(m->work, double, n *n + 1);
    p->lambda = ZW_NEW(m->work, double, n + 1);
    return !m->work->failed;
}

/* A, N and lambda at a state (q, v). */
static zw_status evaluate_multipliers(motion *m, place *p, double t, const double *x,
                                      zw_error *err) {
    zw_agreement *a = m->a;
    zw_flow *flow = zw_run_flow(a->vak_run);
    int nq = a->nq, nv = a->nv, n = a->n, all = nv + n;
    memcpy(m->x, x, sizeof(double) * (size_t)(nq + nv));
    for (int c = -1; c < n; c++) {
        for (int k = 0; k < n; k++)
            m->x[nq + nv + k] = k == c ? m->unit[k] : 0;
        ZW_TRY(zw_flow_rates(flow, t, m->x, m->rate, NULL, err));
        if (c < 0)
            memcpy(m->first, m->rate + nq, sizeof(double) * (size_t)all);
        for (int k = 0; k < n; k++)
            *(c < 0 ? &p->lambda[k] : &p->N[k * n + c]) =
                (m->rate[nq + nv + k] - (c < 0 ? 0 : m->first[nv + k])) / m->unit[k];
        for (int k = 0; k < nv && c >= 0; k++)
            p->A[k * n + c] = m->rate[nq + k] - m->first[k];
    }
    zw_mats_parts mats = zw_flow_matrices(flow, t, m->x);
    p->size = 0;
    for (int k = 0; k < nv; k++) {
        double weight = sqrt(fmax(mats.M[k * all + k], 0));
        for (int c = 0; c < n; c++)
            p->A[k * n + c] *= weight;
        p->size = hypot(p->size, weight * m->first[k]);
    }
    return ZW_OK;
}

/* Y over an interval of width h, from the data at its points; in units of the multipliers. */
static zw_status integrate_variations(motion *m, double h, zw_error *err) {
    int n = m->a->n, size = STAGES * n;
    zw_gauss rule;
    zw_arena_mark mark = zw_arena_mark_now(m->work);
    double *B = ZW_NEW(m->work, double, size *size + 1),
           *K = ZW_NEW(m->work, double, size *(n + 1) + 1);
    int *pivot = ZW_NEW(m->work, int, size + 1);
    if (m->work->failed)
        return zw_out_of_memory(err, NULL);
    zw_gauss_init(&rule, STAGES);
    for (int i = 0; i < STAGES; i++)
        for (int r = 0; r < n; r++) {
            for (int l = 0; l < STAGES; l++)
                for (int c = 0; c < n; c++)
                    B[(i * n + r) * size + l * n + c] =
                        (i == l && r == c) - h * rule.a[i][l] * m->at[i].N[r * n + c];
            for (int c = 0; c <= n; c++) {
                double *to = &K[c * size + i * n + r];
                *to = c == n ? m->at[i].lambda[r] : 0;
                for (int k = 0; k < n; k++)
                    *to += m->at[i].N[r * n + k] * m->Y[k * (n + 1) + c];
            }
        }
    bool regular = zw_num_lu(size, B, pivot) > zw_num_pivot_floor(size);
    if (regular)
        zw_num_lu_solve(size, B, pivot, n + 1, K);
    for (int r = 0; r < n && regular; r++)
        for (int c = 0; c <= n; c++)
            for (int i = 0; i < STAGES; i++)
                m->Y[r * (n + 1) + c] += h * rule.b[i] * K[c * size + i * n + r];
    zw_arena_release(m->work, mark);
    return regular ? ZW_OK : zw_fail(err, ZW_E_NUMERIC, "the multipliers cannot be followed");
}

static zw_status go_to(zw_run *run, double t, zw_error *err) {
    zw_status status;
    do
        status = zw_run_advance(run, t, NULL, err);
    while (status == ZW_EVENT);
    return status;
}

/* A (Phi mu_0 + phi) at a node into the rows of S. */
static void take_rows(motion *m, int node) {
    int nv = m->a->nv, n = m->a->n;
    zw_dense_multiply(nv, n, n + 1, m->node.A, m->Y, m->S + (size_t)(node * nv) * (size_t)(n + 1));
    m->most = fmax(m->most, m->node.size);
}

/* The nonholonomic motion from x, and S along it. */
static zw_status integrate_motion(motion *m, double t, const double *x, zw_error *err) {
    zw_agreement *a = m->a;
    double h = a->options.time / NODES;
    int n = a->n, nx = a->nq + a->nv;
    zw_gauss rule;
    zw_gauss_init(&rule, STAGES);
    for (int r = 0; r < n; r++)
        m->Y[r * (n + 1) + r] = 1;
    ZW_TRY(zw_run_start(a->lag_run, t, x, err));
    for (int j = 0; j < NODES; j++, t += h) {
        const double *state = zw_run_state(a->lag_run);
        for (int i = 0; i < nx; i++)
            m->reach[i] = fmax(m->reach[i], fabs(state[i] - x[i]));
        ZW_TRY(evaluate_multipliers(m, &m->node, t, state, err));
        take_rows(m, j);
        for (int i = 0; i < STAGES; i++) {
            ZW_TRY(go_to(a->lag_run, t + rule.c[i] * h, err));
            ZW_TRY(evaluate_multipliers(m, &m->at[i], t + rule.c[i] * h, zw_run_state(a->lag_run),
                                        err));
        }
        ZW_TRY(go_to(a->lag_run, t + h, err));
        ZW_TRY(integrate_variations(m, h, err));
    }
    memcpy(m->last, zw_run_state(a->lag_run), sizeof(double) * (size_t)nx);
    return ZW_OK;
}

/* Sizes of multipliers: those that make forces as large as those of the momenta within the time. */
static zw_status find_units(motion *m, double t, const double *x, zw_error *err) {
    zw_agreement *a = m->a;
    int nv = a->nv, n = a->n, all = nv + n;
    memcpy(m->x, x, sizeof(double) * (size_t)(a->nq + nv));
    memset(m->x + a->nq + nv, 0, sizeof(double) * (size_t)n);
    ZW_TRY(zw_flow_rates(zw_run_flow(a->vak_run), t, m->x, m->rate, NULL, err));
    zw_mats_parts mats = zw_flow_matrices(zw_run_flow(a->vak_run), t, m->x);
    for (int c = 0; c < n; c++) {
        double row = 0, momentum = 0;
        for (int k = 0; k < nv; k++) {
            double mass = fmax(mats.M[k * all + k], ZW_TINY);
            row = hypot(row, mats.M[k * all + nv + c] / sqrt(mass));
            momentum = hypot(momentum, sqrt(mass) * x[a->nq + k]);
        }
        m->unit[c] = row > 0 && momentum > 0 ? momentum / row : 1;
    }
    return ZW_OK;
}

/* ------------------------------------------------------------------------------------- verdicts */

static zw_status least_squares(motion *m, zw_agreement_motion *out, zw_error *err) {
    zw_agreement *a = m->a;
    int n = a->n, rows = NODES * a->nv, rank = 0;
    double *B = ZW_NEW(m->work, double, rows *n + 1), *size = ZW_NEW(m->work, double, n + 1),
           *V = ZW_NEW(m->work, double, n *n + 1), *U = ZW_NEW(m->work, double, rows *n + 1),
           *mu = ZW_NEW(&a->arena, double, n + 1), *direction = ZW_NEW(&a->arena, double, n *n + 1);
    if (m->work->failed || a->arena.failed)
        return zw_out_of_memory(err, NULL);
    for (int r = 0; r < rows; r++)
        for (int c = 0; c < n; c++)
            B[r * n + c] = m->S[r * (n + 1) + c];
    if (!zw_dense_svd(m->work, rows, n, B, size, V, U))
        return zw_dense_failure(m->work, err);
    double floor = SINGULAR_VALUE_ROUNDOFF * fmax(size[0], m->most);
    for (; rank < n && size[rank] > floor; rank++) {
        double part = 0;
        for (int r = 0; r < rows; r++)
            part -= U[rank * rows + r] * m->S[r * (n + 1) + n];
        for (int c = 0; c < n; c++)
            mu[c] += V[rank * n + c] * part / size[rank];
    }
    double left = 0;
    for (int r = 0; r < rows; r++) {
        double sum = m->S[r * (n + 1) + n];
        for (int c = 0; c < n; c++)
            sum += B[r * n + c] * mu[c];
        left = fmax(left, fabs(sum));
    }
    out->nfree = n - rank;
    for (int f = 0; f < out->nfree; f++)
        for (int c = 0; c < n; c++)
            direction[f * n + c] = V[(rank + f) * n + c] * m->unit[c];
    double large = 0;
    for (int c = 0; c < n; c++)
        large = fmax(large, fabs(mu[c]));
    for (int c = 0; c < n; c++)
        mu[c] = fabs(mu[c]) > MULTIPLIER_ROUNDOFF * large ? mu[c] * m->unit[c] : 0;
    out->mu = mu;
    out->direction = direction;
    out->mismatch = m->most > 0 ? left / m->most : left;
    out->verdict = out->mismatch < AGREEMENT_ERROR ? ZW_AGREES
                   : out->mismatch > DISAGREEMENT  ? ZW_DISAGREES
                                                   : ZW_AGREES_UNDECIDED;
    return ZW_OK;
}

/* The vakonomic run with the computed multipliers, compared with the end of the nonholonomic
 * one. */
static double runs_apart(motion *m, double t, const double *x, const double *mu) {
    zw_agreement *a = m->a;
    double worst = 0, large[2] = {0}; /* of coordinates, of velocities */
    int nx = a->nq + a->nv;
    memcpy(m->x, x, sizeof(double) * (size_t)nx);
    memcpy(m->x + nx, mu, sizeof(double) * (size_t)a->n);
    if (zw_run_start(a->vak_run, t, m->x, NULL) < 0 ||
        go_to(a->vak_run, t + a->options.time, NULL) < 0)
        return NAN;
    for (int i = 0; i < nx; i++)
        large[i >= a->nq] = fmax(large[i >= a->nq], fmax(m->reach[i], fabs(x[i])));
    for (int i = 0; i < nx; i++) {
        double size = fmax(fmax(m->reach[i], fabs(x[i])), SMALL_ENTRY * large[i >= a->nq]);
        worst = fmax(worst, fabs(zw_run_state(a->vak_run)[i] - m->last[i]) / (size > 0 ? size : 1));
    }
    return worst;
}

static zw_status decide_verdict(motion *m, double t, const double *x, zw_agreement_motion *out,
                                zw_error *err) {
    ZW_TRY(find_units(m, t, x, err));
    ZW_TRY(integrate_motion(m, t, x, err));
    ZW_TRY(least_squares(m, out, err));
    if (out->verdict != ZW_AGREES)
        return ZW_OK;
    out->apart = runs_apart(m, t, x, out->mu);
    if (!(out->apart < DISAGREEMENT)) /* it contradicts, or disturbances of it grow */
        out->verdict = ZW_AGREES_UNDECIDED;
    return ZW_OK;
}

static zw_status examine_start(zw_agreement *a, double t, const double *x, zw_error *err) {
    int n = a->n, nx = a->nq + a->nv;
    zw_arena work;
    zw_error ignored = {0};
    motion m = {.a = a, .work = &work};
    zw_agreement_motion *out = &a->motion[a->nmotion];
    double *start = ZW_NEW(&a->arena, double, nx + 1);
    zw_arena_init(&work, &a->arena.alloc);
    m.x = ZW_NEW(&work, double, nx + n + 1);
    m.rate = ZW_NEW(&work, double, nx + n + 1);
    m.first = ZW_NEW(&work, double, nx + n + 1);
    m.Y = ZW_NEW(&work, double, n *(n + 1) + 1);
    m.S = ZW_NEW(&work, double, (size_t)(NODES * a->nv) * (size_t)(n + 1) + 1);
    m.unit = ZW_NEW(&work, double, n + 1);
    m.last = ZW_NEW(&work, double, nx + 1);
    m.reach = ZW_NEW(&work, double, nx + 1);
    zw_status status = start && make_place(&m, &m.node) ? ZW_OK : ZW_E_MEMORY;
    for (int i = 0; i < STAGES && status >= 0; i++)
        status = make_place(&m, &m.at[i]) ? ZW_OK : ZW_E_MEMORY;
    if (status >= 0) {
        memcpy(start, x, sizeof(double) * (size_t)nx);
        *out = (zw_agreement_motion){
            .verdict = ZW_AGREES_FAILED, .x = start, .mismatch = NAN, .apart = NAN};
        a->nmotion++;
        status = decide_verdict(&m, t, x, out, &ignored);
    }
    zw_arena_clear(&work);
    return status == ZW_E_MEMORY ? zw_out_of_memory(err, NULL) : ZW_OK;
}

static zw_status examine_all(zw_agreement *a, zw_error *err) {
    const zw_agreement_options *o = &a->options;
    zw_sampler *sampler;
    double t = 0, *x = ZW_NEW(&a->arena, double, a->nq + a->nv + 1);
    a->motion = ZW_NEW(&a->arena, zw_agreement_motion, a->options.states + 2);
    if (a->arena.failed)
        return zw_out_of_memory(err, NULL);
    ZW_TRY(zw_system_complete(a->sys, a->options.active, 0, a->p, x, NULL, err));
    ZW_TRY(examine_start(a, 0, x, err));
    ZW_TRY(zw_sampler_create(&sampler, a->sys, a->options.active, NULL, err));
    for (int k = 0; k < a->options.states; k++) {
        if (o->stop && o->stop(o->stop_user, (double)k / o->states))
            return zw_fail(err, ZW_E_NUMERIC, "stopped");
        ZW_TRY(zw_sampler_state(sampler, k, &t, x, err));
        ZW_TRY(examine_start(a, t, x, err));
    }
    return ZW_OK;
}

zw_status zw_agreement_find(zw_agreement **out, const zw_system *sys,
                            const zw_agreement_options *options, zw_error *err) {
    assert(out && sys);
    zw_allocator alloc = zw_context_allocator(sys->ctx);
    zw_agreement *a = zw_allocate(&alloc, sizeof *a);
    *out = NULL;
    if (!a)
        return zw_out_of_memory(err, NULL);
    *a = (zw_agreement){.sys = sys, .options = zw_agreement_options_default()};
    zw_arena_init(&a->arena, &alloc);
    zw_status status = ZW_OK;
    if (options)
        status =
            zw_options_adopt(&a->options, sizeof a->options, options, "zw_agreement_options", err);
    if (status >= 0)
        status = set_up(a, err);
    if (status >= 0)
        status = examine_all(a, err);
    if (status < 0)
        zw_agreement_destroy(a);
    else
        *out = a;
    return status;
}

void zw_agreement_destroy(zw_agreement *a) {
    if (!a)
        return;
    zw_allocator alloc = a->arena.alloc;
    zw_run_destroy(a->lag_run);
    zw_run_destroy(a->vak_run);
    zw_kernel_destroy(a->lag_kernel);
    zw_kernel_destroy(a->vak_kernel);
    zw_arena_clear(&a->arena);
    zw_release(&alloc, a, sizeof *a);
}

int zw_agreement_multipliers(const zw_agreement *a) {
    return a->n;
}

const char *zw_agreement_name(const zw_agreement *a, int i) {
    assert(i >= 0 && i < zw_agreement_multipliers(a));
    return zw_expr_name(a->sys->ctx, a->vak.v[a->nv + i]);
}

int zw_agreement_count(const zw_agreement *a) {
    return a->nmotion;
}

const zw_agreement_motion *zw_agreement_at(const zw_agreement *a, int i) {
    assert(i >= 0 && i < zw_agreement_count(a));
    return &a->motion[i];
}

const zw_expr *zw_agreement_equations(const zw_agreement *a, int *n) {
    *n = a->nequation;
    return a->equation;
}

zw_expr zw_agreement_formula(const zw_agreement *a, int i) {
    assert(i >= 0 && i < zw_agreement_multipliers(a));
    return a->value ? a->value[i] : ZW_NULL;
}

const zw_expr *zw_agreement_conditions(const zw_agreement *a, int *n) {
    *n = a->ncondition;
    return a->condition;
}
