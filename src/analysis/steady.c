/* SPDX-License-Identifier: MIT */
/* One steady motion near a state. On the manifold S of the constraints, with T a basis of its tangent space at x, a step
 * goes to the projection of x + T y, and
 *
 *     r = (f - X_0 - sum_i c_i X_i,  held - values) = 0,
 *     Dr = ((Df - DX_0 - sum_i c_i DX_i) T, -X;  Dh T, 0)                unknowns (y, c)
 *
 * by Levenberg and Marquardt with mu in proportion to |r|, rows and columns scaled. Newton's method would do where solutions
 * are isolated; but steady motions come in families (all speeds of a disc), on which Dr is singular, and there it
 * creeps towards their end, while this ends at a member near the start, quadratically (J. Fan, Y. Yuan, Computing 74,
 * 2005, 23-39). A solution where r is of second order (two equilibria meet) shows itself by steps that shrink linearly: it
 * is accepted by the step, as |r| ~ error^2 there, and told. */
#include <float.h>
#include <math.h>
#include <string.h>

#include "dense.h"
#include "zwang/steady.h"

enum { STEPS = 200, SLOW = 8 };
#define CLOSE 1e-13 /* step relative to 1 + |c|, scaled */
#define MET 1e-9    /* residual of what counts as a solution, relative to its terms */
#define LINEAR 0.3  /* steps that shrink no faster */
#define RANK 1e-13  /* singular values that are none */
#define ALONG 1e-6  /* symmetries that do not depend on each other here */
#define FIXED 1e-8  /* of a symmetry that does not move the state */
#define TINY 1e-10  /* steps that may be rounding, which need not help */
#define LEAST 1e-8  /* damping: mu = damping min(1, |r|) */
#define KEPT 0.75   /* of what a step promises: the linear equations serve */
#define MOST 1e12
#define SLOWEST 1e-3 /* rate of an entry relative to the fastest, for the unit of its row */

typedef struct solver {
    zw_flow *flow;
    const zw_symmetries *s;
    const zw_kernel *k;
    zw_steady *out;
    int nx, d, nc, nhold, m, n; /* d tangent directions, m equations, n = d + nc unknowns */
    const zw_hold *hold;
    const double *scale;
    double *x, *c, *x_trial, *c_trial;
    double *c_unit;                 /* nc: sizes of c */
    double *T;                      /* nx x d: directions, orthonormal in the units of the state */
    double *r, *size;               /* m: residuals, and the sizes of their terms */
    double *row_unit;               /* m */
    double *J;                      /* m x n */
    double *f, *jac, *X_0, *X;      /* nx, nx x nx, nx, nc x nx */
    double *obs, *obs_dx;           /* nobs + 2, (nobs + 2) x nx */
    double *sv, *V, *U, *Ur, *step; /* n, n x n, n x m, n, n */
    double *work;                   /* nx x nx */
    double damping;
    zw_arena arena;
    zw_error *err;
} solver;

static zw_status no_memory(zw_error *err) {
    return zw_fail(err, ZW_E_MEMORY, "out of memory");
}

static zw_status init(solver *a) {
    const zw_kernel *k = a->k;
    zw_arena *arena = &a->arena;
    int nx = a->nx, nc = a->nc, nobs = k->nobs + 2, n = nx + nc, m = nx + a->nhold;
    a->x = ZW_NEW(arena, double, nx + 1);
    a->c = ZW_NEW(arena, double, nc + 1);
    a->x_trial = ZW_NEW(arena, double, nx + 1);
    a->c_trial = ZW_NEW(arena, double, nc + 1);
    a->c_unit = ZW_NEW(arena, double, nc + 1);
    a->T = ZW_NEW(arena, double, nx *nx + 1);
    a->r = ZW_NEW(arena, double, m + 1);
    a->size = ZW_NEW(arena, double, m + 1);
    a->row_unit = ZW_NEW(arena, double, m + 1);
    a->J = ZW_NEW(arena, double, m *n + 1);
    a->f = ZW_NEW(arena, double, nx + 1);
    a->jac = ZW_NEW(arena, double, nx *nx + 1);
    a->X_0 = ZW_NEW(arena, double, nx + 1);
    a->X = ZW_NEW(arena, double, nc *nx + 1);
    a->obs = ZW_NEW(arena, double, nobs);
    a->obs_dx = ZW_NEW(arena, double, nobs *nx + 1);
    a->sv = ZW_NEW(arena, double, n + 1);
    a->V = ZW_NEW(arena, double, n *n + 1);
    a->U = ZW_NEW(arena, double, n *m + 1);
    a->Ur = ZW_NEW(arena, double, n + 1);
    a->step = ZW_NEW(arena, double, n + 1);
    a->work = ZW_NEW(arena, double, nx *nx + 1);
    return arena->failed ? no_memory(a->err) : ZW_OK;
}

/* ------------------------------------------------------------------------------------------- residual */

static bool holds_observables(const solver *a) {
    for (int i = 0; i < a->nhold; i++)
        if (a->hold[i].observable)
            return true;
    return false;
}

/* r at (x, c), and the sizes of its terms */
static zw_status residual(solver *a, const double *x, const double *c, zw_error *err) {
    double t = a->out->t;
    ZW_TRY(zw_flow_rates(a->flow, t, x, a->f, a->out->z, err));
    ZW_TRY(zw_symmetries_at(a->s, a->flow, t, x, a->X_0, a->X, err));
    for (int i = 0; i < a->nx; i++) {
        double sum = a->f[i] - a->X_0[i], size = fabs(a->f[i]) + fabs(a->X_0[i]);
        for (int j = 0; j < a->nc; j++) {
            sum -= c[j] * a->X[j * a->nx + i];
            size += fabs(c[j] * a->X[j * a->nx + i]);
        }
        a->r[i] = sum;
        a->size[i] = size;
    }
    if (holds_observables(a))
        ZW_TRY(zw_flow_observables(a->flow, t, x, a->obs, err));
    for (int i = 0; i < a->nhold; i++) {
        const zw_hold *h = &a->hold[i];
        double value = h->observable ? a->obs[h->index] : x[h->index];
        a->r[a->nx + i] = value - h->value;
        a->size[a->nx + i] = fabs(value) + fabs(h->value);
    }
    return ZW_OK;
}

/* T: the tangent directions in the units of the state, made orthonormal */
static zw_status find_directions(solver *a) {
    int nx = a->nx;
    ZW_TRY(
        zw_flow_tangent(a->flow, a->out->t, a->x, ZW_METRIC_PLAIN, &a->d, a->work, NULL, a->err));
    for (int j = 0; j < a->d; j++) {
        for (int i = 0; i < nx; i++)
            a->T[i * a->d + j] = a->work[i * a->d + j] / a->scale[i];
        for (int pass = 0; pass < 2; pass++)
            for (int k = 0; k < j; k++) {
                double dot = 0;
                for (int i = 0; i < nx; i++)
                    dot += a->T[i * a->d + j] * a->T[i * a->d + k];
                for (int i = 0; i < nx; i++)
                    a->T[i * a->d + j] -= dot * a->T[i * a->d + k];
            }
        double length = 0;
        for (int i = 0; i < nx; i++)
            length += pow(a->T[i * a->d + j], 2);
        for (int i = 0; i < nx; i++)
            a->T[i * a->d + j] /= sqrt(length);
    }
    for (int i = 0; i < nx; i++)
        for (int j = 0; j < a->d; j++)
            a->T[i * a->d + j] *= a->scale[i];
    a->n = a->d + a->nc;
    return ZW_OK;
}

static void put_row(solver *a, int row, const double *dx) {
    for (int j = 0; j < a->d; j++) {
        double sum = 0;
        for (int l = 0; l < a->nx; l++)
            sum += dx[l] * a->T[l * a->d + j];
        a->J[row * a->n + j] = sum;
    }
}

/* Dr at (x, c), whose residual has just been asked for */
static zw_status jacobian(solver *a) {
    int nx = a->nx;
    double t = a->out->t;
    ZW_TRY(find_directions(a));
    memset(a->J, 0, sizeof(double) * (size_t)a->m * (size_t)a->n);
    ZW_TRY(zw_symmetries_operator(a->s, a->flow, t, a->x, a->c, a->jac, a->err));
    for (int i = 0; i < nx; i++) {
        put_row(a, i, a->jac + (size_t)i * (size_t)nx);
        for (int j = 0; j < a->nc; j++)
            a->J[i * a->n + a->d + j] = -a->X[j * nx + i] * a->c_unit[j];
    }
    if (holds_observables(a))
        ZW_TRY(zw_flow_observables_jacobian(a->flow, t, a->x, a->obs_dx, a->err));
    for (int i = 0; i < a->nhold; i++) {
        const zw_hold *h = &a->hold[i];
        memset(a->work, 0, sizeof(double) * (size_t)nx);
        a->work[h->index < nx ? h->index : 0] = 1;
        put_row(a, nx + i, h->observable ? a->obs_dx + (size_t)h->index * (size_t)nx : a->work);
    }
    return ZW_OK;
}

/* ---------------------------------------------------------------------------------------------- scales */

/* the size of c_i: what moves the state by its size in a second */
static void size_unknowns(solver *a) {
    for (int j = 0; j < a->nc; j++) {
        double most = 0;
        for (int i = 0; i < a->nx; i++)
            most = fmax(most, fabs(a->X[j * a->nx + i]) / a->scale[i]);
        a->c_unit[j] = most > 0 ? 1 / most : 1;
    }
}

/* what a change of the state by its size makes of hold i, also where constraints do not allow it */
static double reach_of_hold(const solver *a, int i) {
    const zw_hold *h = &a->hold[i];
    double square = 0;
    if (!h->observable)
        return a->scale[h->index];
    for (int l = 0; l < a->nx; l++)
        square += pow(a->obs_dx[h->index * a->nx + l] * a->scale[l], 2);
    return sqrt(square);
}

/* What a residual of every row is measured by: for rates the size of the entry and the rate of change of the motion,
 * for the others what their own gradients make of the sizes. That is rounding where constraints determine what is held, and
 * must not become the measure. They stay as they are at the start. */
static void size_rows(solver *a) {
    double fastest = 0;
    for (int i = 0; i < a->m; i++) {
        a->row_unit[i] = zw_dense_norm(a->n, a->J + (size_t)i * (size_t)a->n);
        if (i < a->nx)
            fastest = fmax(fastest, a->row_unit[i] / a->scale[i]);
    }
    for (int i = 0; i < a->m; i++) {
        if (i < a->nx)
            a->row_unit[i] = fmax(a->row_unit[i], SLOWEST * fastest * a->scale[i]);
        else
            a->row_unit[i] = fmax(a->row_unit[i], SLOWEST * reach_of_hold(a, i - a->nx));
        if (a->row_unit[i] == 0)
            a->row_unit[i] = 1;
    }
}

/* c of the symmetries that go along with the motion best, by least squares: without it the steps would stop the motion
 * rather than follow it */
static zw_status follow(solver *a) {
    int nx = a->nx, nc = a->nc;
    for (int i = 0; i < nx; i++)
        for (int j = 0; j < nc; j++)
            a->J[i * nc + j] = a->X[j * nx + i] * a->c_unit[j] / a->row_unit[i];
    if (!zw_dense_svd(&a->arena, nx, nc, a->J, a->sv, a->V, a->U))
        return zw_dense_failure(&a->arena, a->err);
    for (int k = 0; k < nc && k < nx && a->sv[k] > ALONG * a->sv[0]; k++) {
        double part = 0;
        for (int i = 0; i < nx; i++)
            part += a->U[k * nx + i] * a->r[i] / a->row_unit[i];
        for (int j = 0; j < nc; j++)
            a->c[j] += a->c_unit[j] * a->V[k * nc + j] * part / a->sv[k];
    }
    return ZW_OK;
}

static double scaled_length(const solver *a) {
    double sum = 0;
    for (int i = 0; i < a->m; i++)
        sum += pow(a->r[i] / a->row_unit[i], 2);
    return sqrt(sum);
}

/* ---------------------------------------------------------------------------------------------- steps */

/* singular values of the scaled Dr, and the residual in its left vectors */
static zw_status decompose(solver *a) {
    int least = a->m < a->n ? a->m : a->n;
    for (int i = 0; i < a->m; i++)
        for (int j = 0; j < a->n; j++)
            a->J[i * a->n + j] /= a->row_unit[i];
    if (!zw_dense_svd(&a->arena, a->m, a->n, a->J, a->sv, a->V, a->U))
        return zw_dense_failure(&a->arena, a->err);
    for (int k = 0; k < least; k++) {
        a->Ur[k] = 0;
        for (int i = 0; i < a->m; i++)
            a->Ur[k] += a->U[k * a->m + i] * a->r[i] / a->row_unit[i];
    }
    return ZW_OK;
}

/* the trial for mu, projected; the length of its step in the units of the unknowns */
static double make_trial(solver *a, double mu) {
    int least = a->m < a->n ? a->m : a->n;
    memset(a->step, 0, sizeof(double) * (size_t)a->n);
    for (int k = 0; k < least && a->sv[k] > RANK * a->sv[0]; k++) {
        double part = -a->sv[k] * a->Ur[k] / (a->sv[k] * a->sv[k] + mu);
        for (int j = 0; j < a->n; j++)
            a->step[j] += part * a->V[k * a->n + j];
    }
    for (int i = 0; i < a->nx; i++) {
        a->x_trial[i] = a->x[i];
        for (int j = 0; j < a->d; j++)
            a->x_trial[i] += a->T[i * a->d + j] * a->step[j];
    }
    for (int j = 0; j < a->nc; j++)
        a->c_trial[j] = a->c[j] + a->c_unit[j] * a->step[a->d + j];
    return zw_dense_norm(a->n, a->step);
}

/* the length of the residual at the trial, moved onto the manifold; infinite where there is none */
static double judge_trial(solver *a) {
    zw_error trouble = {0};
    if (zw_flow_project(a->flow, a->out->t, a->x_trial, NULL, &trouble) < 0 ||
        residual(a, a->x_trial, a->c_trial, &trouble) < 0)
        return INFINITY;
    return scaled_length(a);
}

/* the square of the residual that the linear equations promise behind the trial for mu */
static double promise(const solver *a, double before, double mu) {
    int least = a->m < a->n ? a->m : a->n;
    double square = before * before;
    for (int k = 0; k < least && a->sv[k] > RANK * a->sv[0]; k++) {
        double stays = mu / (a->sv[k] * a->sv[k] + mu);
        square -= a->Ur[k] * a->Ur[k] * (1 - stays * stays);
    }
    return fmax(square, 0);
}

/* one step, damped until it helps; its length, 0 if none helps. Where it keeps what was promised, the next is damped less. */
static zw_status advance(solver *a, double *moved) {
    ZW_TRY(residual(a, a->x, a->c, a->err));
    ZW_TRY(jacobian(a));
    double before = scaled_length(a);
    ZW_TRY(decompose(a));
    *moved = 0;
    for (; a->damping < MOST; a->damping *= 4) {
        double mu = a->damping * fmin(1, before), size = make_trial(a, mu), now = judge_trial(a);
        if (!(now < before || (now <= 2 * before && size <= TINY)))
            continue;
        memcpy(a->x, a->x_trial, sizeof(double) * (size_t)a->nx);
        memcpy(a->c, a->c_trial, sizeof(double) * (size_t)a->nc);
        if (before * before - now * now > KEPT * (before * before - promise(a, before, mu)))
            a->damping = fmax(a->damping / 4, LEAST);
        *moved = size;
        break;
    }
    return ZW_OK;
}

/* ------------------------------------------------------------------------------- where c is not unique */

/* Combinations N of the symmetries that vanish at x leave c open. Those of a top that sleeps are turns in space and about
 * its own axis at once; who does not turn in space sees its frequencies as an observer at rest does. So c + N'a is made the
 * least on what is not `own`, by least squares in a. */
static zw_status settle_c(solver *a) {
    int nx = a->nx, nc = a->nc, rank = 0;
    for (int i = 0; i < nx; i++)
        for (int j = 0; j < nc; j++)
            a->J[i * nc + j] = a->X[j * nx + i] * a->c_unit[j] / a->scale[i];
    if (!zw_dense_svd(&a->arena, nx, nc, a->J, a->sv, a->V, NULL))
        return zw_dense_failure(&a->arena, a->err);
    while (rank < nc && rank < nx && a->sv[rank] > FIXED)
        rank++;
    int free = nc - rank;
    a->out->nfixed = free;
    if (free == 0)
        return ZW_OK;
    const double *N = a->V + (size_t)rank * (size_t)nc;    /* free x nc, in the units of c */
    double *A = a->work, *s = a->Ur, *V = a->J, *U = a->U; /* nc x free: rows of what is not own */
    for (int j = 0; j < nc; j++)
        for (int k = 0; k < free; k++)
            A[j * free + k] = a->s->own[j] ? 0 : N[k * nc + j];
    memcpy(a->step, a->c, sizeof(double) * (size_t)nc);
    if (!zw_dense_svd(&a->arena, nc, free, A, s, V, U))
        return zw_dense_failure(&a->arena, a->err);
    for (int i = 0; i < free && s[i] > ALONG; i++) {
        double part = 0;
        for (int j = 0; j < nc; j++)
            part += a->s->own[j] ? 0 : U[i * nc + j] * a->step[j] / a->c_unit[j];
        for (int k = 0; k < free; k++)
            for (int j = 0; j < nc; j++)
                a->c[j] -= a->c_unit[j] * N[k * nc + j] * V[i * free + k] * part / s[i];
    }
    return ZW_OK;
}

/* --------------------------------------------------------------------------------------------- verdict */

/* Steps that still move after all of them have found nothing, however small the residual has become: a weak force leaves
 * little of it. The largest residual, relative to its terms and to what a disturbance of the state by its size would make of it */
static zw_status judge(solver *a, bool converged) {
    zw_steady *out = a->out;
    out->residual = 0;
    out->unmet = ZW_UNMET_NOTHING;
    ZW_TRY(residual(a, a->x, a->c, a->err));
    for (int i = 0; i < a->m; i++) {
        double part = fabs(a->r[i]) / fmax(fmax(a->row_unit[i], a->size[i]), DBL_MIN);
        if (part <= out->residual)
            continue;
        out->residual = part;
        out->unmet_by = a->r[i];
        out->unmet = i < a->nx ? ZW_UNMET_RATE : ZW_UNMET_HOLD;
        out->unmet_index = i < a->nx ? i : i - a->nx;
    }
    memcpy(out->x, a->x, sizeof(double) * (size_t)a->nx);
    memcpy(out->c, a->c, sizeof(double) * (size_t)a->nc);
    if (out->residual > MET || !converged)
        return zw_fail(a->err, ZW_E_NUMERIC,
                       "no steady motion was found near this state: the equations are met but for "
                       "%.2g of their size after %d steps",
                       out->residual, out->iterations);
    out->unmet = ZW_UNMET_NOTHING;
    return ZW_OK;
}

static zw_status solve(solver *a) {
    zw_steady *out = a->out;
    double before = INFINITY, moved = 0;
    int slow = 0;
    bool converged = false;
    ZW_TRY(init(a));
    memcpy(a->x, out->x, sizeof(double) * (size_t)a->nx);
    ZW_TRY(zw_flow_project(a->flow, out->t, a->x, NULL, a->err));
    ZW_TRY(residual(a, a->x, a->c, a->err));
    size_unknowns(a);
    ZW_TRY(jacobian(a));
    size_rows(a);
    ZW_TRY(follow(a));
    a->damping = 1;
    for (out->iterations = 0; !converged && out->iterations < STEPS; out->iterations++) {
        ZW_TRY(advance(a, &moved));
        slow = moved > LINEAR * before ? slow + 1 : 0;
        before = moved;
        converged = moved <= CLOSE * (1 + zw_dense_norm(a->nc, a->c));
    }
    out->degenerate = slow >= SLOW;
    ZW_TRY(residual(a, a->x, a->c, a->err));
    ZW_TRY(settle_c(a));
    return judge(a, converged);
}

zw_status zw_steady_find(zw_steady *out, zw_flow *flow, const zw_symmetries *s, const double *scale,
                         int nhold, const zw_hold *hold, zw_error *err) {
    const zw_kernel *k = zw_flow_kernel(flow);
    solver a = {.flow = flow, .s = s, .k = k, .out = out, .scale = scale, .err = err};
    a.nx = k->nx;
    a.nc = s->n;
    a.nhold = nhold;
    a.hold = hold;
    a.m = a.nx + nhold;
    if (!s->autonomous && !s->still)
        return zw_fail(err, ZW_E_MODEL,
                       "the motion depends on time, and no displacement goes along with it: no "
                       "motion can be steady");
    zw_arena_init(&a.arena, &k->alloc);
    zw_status status = solve(&a);
    zw_arena_clear(&a.arena);
    return status;
}

/* ---------------------------------------------------------------------------------------- typical sizes */

/* by how much a velocity may change the coordinates it moves in a second, in their widths */
static double reach_of(const zw_kernel *k, const double *J, const double *width, int v) {
    double least = INFINITY;
    for (int i = 0; i < k->nq; i++) {
        double slope = fabs(J[i * k->nx + k->nq + v]);
        if (slope > 0)
            least = fmin(least, width[i] / slope);
    }
    return isfinite(least) ? least : 1;
}

zw_status zw_steady_scale(zw_flow *flow, double t, const double *x, const double *width,
                          double *scale, zw_error *err) {
    const zw_kernel *k = zw_flow_kernel(flow);
    int nx = k->nx, nq = k->nq;
    double *J = zw_allocate(&k->alloc, sizeof(double) * (size_t)(nx * nx + nx + 1)), *f, rate = 0,
           stiff = 0;
    if (!J)
        return no_memory(err);
    f = J + (size_t)nx * (size_t)nx;
    zw_status status = zw_flow_rates(flow, t, x, f, NULL, err);
    if (status >= 0)
        status = zw_flow_jacobian(flow, t, x, J, NULL, err);
    for (int i = 0; status >= 0 && i < nx; i++) {
        scale[i] = i < nq ? width[i] : reach_of(k, J, width, i - nq);
        rate = fmax(rate, i < nq ? fabs(f[i]) / scale[i] : sqrt(fabs(f[i]) / scale[i]));
        for (int l = 0; i >= nq && l < nq; l++)
            stiff = fmax(stiff, sqrt(fabs(J[i * nx + l]) * scale[l] / scale[i]));
    }
    rate = fmax(rate, 0.1 * stiff);
    for (int i = nq; status >= 0 && i < nx; i++)
        scale[i] *= rate > 0 ? rate : 1;
    zw_release(&k->alloc, J, sizeof(double) * (size_t)(nx * nx + nx + 1));
    return status;
}
