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
 * 2005, 23-39). A parameter p that is solved for moves the manifold: its column of Dr is
 *
 *     f_p + (Df - ...) x_p - X_0,p - sum_i c_i X_i,p;  h_p + Dh x_p,      x_p = -G+ g_p the least motion that follows it.
 *
 * Where one rate is much faster than the others, a residual that is small beside it says nothing about the state: x' = v, v' = -x - c v with a large c
 * nearly rests everywhere. So a state is believed by the correction that is left, with every row in its own size: -Ur_k/s_k along each
 * singular vector whose Ur_k is more than rounding of the terms that are added in r. Where that is large, the steps are taken once more in these units.
 *
 * A solution where r is of second order (two equilibria meet) shows itself by steps that shrink linearly: it
 * is accepted by the step, as |r| ~ error^2 there, and told. */
#include <float.h>
#include <math.h>
#include <string.h>

#include "base/random.h"
#include "dense.h"
#include "zwang/steady.h"

enum { STEPS = 200, SLOW = 8, ROUNDS = 3 };
#define CLOSE 1e-13               /* step relative to 1 + |c|, scaled */
#define MET 1e-9                  /* residual of what counts as a solution, relative to its terms */
#define LINEAR 0.3                /* steps that shrink no faster */
#define ROUNDED (4 * DBL_EPSILON) /* residual that is none */
#define JITTER 1e-6               /* step of what is known to the root of rounding */
#define RANK 1e-13                /* singular values that are none */
#define ALONG 1e-6                /* symmetries that do not depend on each other here */
#define FIXED 1e-8                /* of a symmetry that does not move the state */
#define TINY 1e-10                /* steps that may be rounding, which need not help */
#define LEAST 1e-8                /* damping: mu = damping min(1, |r|) */
#define KEPT 0.75                 /* of what a step promises: the linear equations serve */
#define MOST 1e12
#define DEPENDENT 1e-10 /* a constraint beside the others */
#define NUDGE 1e-5      /* of a parameter, for differences */
#define NEIGHBOUR 1e-7  /* singular values of Dr along which there are other solutions */
#define BESIDE 0.01     /* of the state: where a symmetry is seen that vanishes here */
#define CORRECTED 1e-6  /* correction that is none, in the sizes of the state and its entries, */
#define VAGUE                                                                                      \
    1e-3 /* and at a solution of higher order, whose place is known to a root of rounding */
#define HOPELESS 1e-4 /* residual from which further steps are not tried */
#define OWN 1e-12     /* of the terms of a row: less is rounding */
#define ROUNDINGS 1e3 /* in the terms of a residual */
#define SLOPE 0.1     /* by how much a slope and its differences may differ */
#define SLOWEST 1e-3  /* rate of an entry relative to the fastest, for the unit of its row */

typedef struct solver {
    zw_flow *flow;
    const zw_symmetries *s;
    const zw_kernel *k;
    zw_steady *out;
    int nx, d, nc, nhold, m, n; /* d tangent directions, m equations, n = d + nc + nfree unknowns */
    const zw_hold *hold;
    const double *scale;
    const zw_steady_problem *problem;
    int nfree;                         /* parameters */
    double *value, *value_trial, *x_p; /* nfree, nfree, nx x nfree */
    double *x, *c, *x_trial, *c_trial;
    double *c_unit;   /* nc: sizes of c */
    double *T;        /* nx x d: directions, orthonormal in the units of the state */
    double *r, *size; /* m: residuals, and the sizes of their terms */
    double *row_unit; /* m */
    double *terms,
        *noise; /* m: what a change of the state by its size makes of the terms of a row; rounding of r, in row_unit */
    double *J;  /* m x n */
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
    int nx = a->nx, nc = a->nc, nobs = k->nobs + 2, n = nx + nc + a->nfree, m = nx + a->nhold;
    a->value = ZW_NEW(arena, double, a->nfree + 1);
    a->value_trial = ZW_NEW(arena, double, a->nfree + 1);
    a->x_p = ZW_NEW(arena, double, nx * a->nfree + 1);
    a->x = ZW_NEW(arena, double, nx + 1);
    a->c = ZW_NEW(arena, double, nc + 1);
    a->x_trial = ZW_NEW(arena, double, nx + 1);
    a->c_trial = ZW_NEW(arena, double, nc + 1);
    a->c_unit = ZW_NEW(arena, double, nc + 1);
    a->T = ZW_NEW(arena, double, nx *nx + 1);
    a->r = ZW_NEW(arena, double, m + 1);
    a->size = ZW_NEW(arena, double, m + 1);
    a->row_unit = ZW_NEW(arena, double, m + 1);
    a->terms = ZW_NEW(arena, double, m + 1);
    a->noise = ZW_NEW(arena, double, m + 1);
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
    a->n = a->d + a->nc + a->nfree;
    return ZW_OK;
}

/* ------------------------------------------------------------------------------------------ parameters */

static zw_status set_values(solver *a, const double *value, zw_error *err) {
    return a->nfree ? a->problem->set(a->problem->user, value, err) : ZW_OK;
}

/* x_p = -G+ g_p in the units of the state: the least motion that stays on the constraints as the parameters change */
static zw_status follow_parameters(solver *a) {
    int nx = a->nx, ng = zw_flow_levels(a->flow), npar = a->k->npar, least = ng < nx ? ng : nx;
    zw_arena_mark mark = zw_arena_mark_now(&a->arena);
    double *G = ZW_NEW(&a->arena, double, ng *nx + 1),
           *g_p = ZW_NEW(&a->arena, double, ng *npar + 1), *sv = ZW_NEW(&a->arena, double, nx + 1),
           *V = ZW_NEW(&a->arena, double, nx *nx + 1),
           *U = ZW_NEW(&a->arena, double, least *ng + 1);
    if (a->arena.failed)
        return no_memory(a->err);
    memset(a->x_p, 0, sizeof(double) * (size_t)(nx * a->nfree));
    ZW_TRY(zw_flow_constraints(a->flow, a->out->t, a->x, NULL, G, a->err));
    ZW_TRY(zw_flow_constraints_in_parameters(a->flow, a->out->t, a->x, g_p, a->err));
    for (int i = 0; i < ng * nx; i++)
        G[i] *= a->scale[i % nx];
    if (!zw_dense_svd(&a->arena, ng, nx, G, sv, V, U))
        return zw_dense_failure(&a->arena, a->err);
    for (int k = 0; k < least && sv[k] > DEPENDENT * sv[0]; k++)
        for (int j = 0; j < a->nfree; j++) {
            double part = 0;
            for (int i = 0; i < ng; i++)
                part -= U[k * ng + i] * g_p[i * npar + a->problem->column[j]];
            for (int l = 0; l < nx; l++)
                a->x_p[l * a->nfree + j] += a->scale[l] * V[k * nx + l] * part / sv[k];
        }
    zw_arena_release(&a->arena, mark);
    return ZW_OK;
}

/* X_0 + sum_i c_i X_i (nx) for other values of the parameters */
static zw_status moved_along(solver *a, const double *value, double *sum) {
    ZW_TRY(set_values(a, value, a->err));
    ZW_TRY(zw_symmetries_at(a->s, a->flow, a->out->t, a->x, a->X_0, a->X, a->err));
    for (int i = 0; i < a->nx; i++) {
        sum[i] = a->X_0[i];
        for (int j = 0; j < a->nc; j++)
            sum[i] += a->c[j] * a->X[j * a->nx + i];
    }
    return ZW_OK;
}

/* The column of a parameter in the rows of rates. Fields seldom hold parameters (momenta do): differences serve. */
static zw_status put_parameter(solver *a, int j, const double *f_p, double *side) {
    int nx = a->nx, npar = a->k->npar;
    double unit = a->problem->value_scale[j], h = NUDGE * unit;
    memcpy(a->value_trial, a->value, sizeof(double) * (size_t)a->nfree);
    a->value_trial[j] += h;
    ZW_TRY(moved_along(a, a->value_trial, side));
    a->value_trial[j] -= 2 * h;
    ZW_TRY(moved_along(a, a->value_trial, side + nx));
    for (int i = 0; i < nx; i++) {
        double sum = f_p[i * npar + a->problem->column[j]] - (side[i] - side[nx + i]) / (2 * h);
        for (int l = 0; l < nx; l++)
            sum += a->jac[i * nx + l] * a->x_p[l * a->nfree + j];
        a->J[i * a->n + a->d + a->nc + j] = sum * unit;
    }
    return moved_along(a, a->value, side);
}

/* the columns of the parameters in the rows of what is held */
static zw_status put_parameters_held(solver *a, bool observables) {
    int nx = a->nx, npar = a->k->npar, first = a->d + a->nc;
    zw_arena_mark mark = zw_arena_mark_now(&a->arena);
    double *o_p = ZW_NEW(&a->arena, double, (a->k->nobs + 2) * npar + 1);
    if (!o_p)
        return no_memory(a->err);
    if (observables)
        ZW_TRY(zw_flow_observables_in_parameters(a->flow, a->out->t, a->x, o_p, a->err));
    for (int i = 0; i < a->nhold; i++)
        for (int j = 0; j < a->nfree; j++) {
            const zw_hold *h = &a->hold[i];
            double sum = h->observable ? o_p[h->index * npar + a->problem->column[j]]
                                       : a->x_p[h->index * a->nfree + j];
            for (int l = 0; h->observable && l < nx; l++)
                sum += a->obs_dx[h->index * nx + l] * a->x_p[l * a->nfree + j];
            a->J[(nx + i) * a->n + first + j] = sum * a->problem->value_scale[j];
        }
    zw_arena_release(&a->arena, mark);
    return ZW_OK;
}

static zw_status put_parameters(solver *a) {
    int npar = a->k->npar;
    zw_arena_mark mark = zw_arena_mark_now(&a->arena);
    double *f_p = ZW_NEW(&a->arena, double, a->nx *npar + 1),
           *side = ZW_NEW(&a->arena, double, 2 * a->nx + 1);
    if (a->arena.failed)
        return no_memory(a->err);
    ZW_TRY(follow_parameters(a));
    ZW_TRY(zw_flow_in_parameters(a->flow, a->out->t, a->x, f_p, NULL, a->err));
    for (int j = 0; j < a->nfree; j++)
        ZW_TRY(put_parameter(a, j, f_p, side));
    zw_arena_release(&a->arena, mark);
    return ZW_OK;
}

/* -------------------------------------------------------------------------------------------- Jacobian */

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
    if (a->nfree)
        ZW_TRY(put_parameters(a));
    if (holds_observables(a))
        ZW_TRY(zw_flow_observables_jacobian(a->flow, t, a->x, a->obs_dx, a->err));
    if (a->nfree)
        ZW_TRY(put_parameters_held(a, holds_observables(a)));
    for (int i = 0; i < a->nhold; i++) {
        const zw_hold *h = &a->hold[i];
        memset(a->work, 0, sizeof(double) * (size_t)nx);
        a->work[h->index < nx ? h->index : 0] = 1;
        put_row(a, nx + i, h->observable ? a->obs_dx + (size_t)h->index * (size_t)nx : a->work);
    }
    return ZW_OK;
}

/* ---------------------------------------------------------------------------------------------- scales */

/* the largest entry of a symmetry in the sizes of the state */
static double most_of(const solver *a, const double *X) {
    double most = 0;
    for (int i = 0; i < a->nx; i++)
        most = fmax(most, fabs(X[i]) / a->scale[i]);
    return most;
}

/* the size of c_i: what moves the state by its size in a second. Where a symmetry leaves the state as it is, what rounding
 * has left of it is no size; what it does at a state beside is. */
static zw_status size_unknowns(solver *a) {
    zw_random random = zw_random_stream(21, 0);
    zw_arena_mark mark = zw_arena_mark_now(&a->arena);
    double *x = ZW_NEW(&a->arena, double, a->nx + 1),
           *X = ZW_NEW(&a->arena, double, a->nc * a->nx + 1);
    if (a->arena.failed)
        return no_memory(a->err);
    for (int i = 0; i < a->nx; i++)
        x[i] = a->x[i] + BESIDE * a->scale[i] * zw_random_real(&random, -1, 1);
    zw_error ignored = {0};
    bool known = zw_symmetries_at(a->s, a->flow, a->out->t, x, NULL, X, &ignored) >= 0;
    for (int j = 0; j < a->nc; j++) {
        double most = most_of(a, a->X + (size_t)j * (size_t)a->nx);
        if (known)
            most = fmax(most, BESIDE * most_of(a, X + (size_t)j * (size_t)a->nx));
        a->c_unit[j] = most > 0 ? 1 / most : 1;
    }
    zw_arena_release(&a->arena, mark);
    return ZW_OK;
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
    for (int j = 0; j < a->nfree; j++) {
        double change = a->problem->value_scale[j] * a->step[a->d + a->nc + j];
        a->value_trial[j] = a->value[j] + change;
        for (int i = 0; i < a->nx; i++)
            a->x_trial[i] += a->x_p[i * a->nfree + j] * change;
    }
    for (int j = 0; j < a->nc; j++)
        a->c_trial[j] = a->c[j] + a->c_unit[j] * a->step[a->d + j];
    return zw_dense_norm(a->n, a->step);
}

/* the length of the residual at the trial, moved onto the manifold; infinite where there is none */
static double judge_trial(solver *a) {
    zw_error trouble = {0};
    if (set_values(a, a->value_trial, &trouble) < 0 ||
        zw_flow_project(a->flow, a->out->t, a->x_trial, NULL, &trouble) < 0 ||
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
        memcpy(a->value, a->value_trial, sizeof(double) * (size_t)a->nfree);
        if (before * before - now * now > KEPT * (before * before - promise(a, before, mu)))
            a->damping = fmax(a->damping / 4, LEAST);
        *moved = size;
        break;
    }
    return set_values(a, a->value, a->err);
}

/* ------------------------------------------------------------------------------------ what is left of it */

/* The rows of velocities come out of the same linear equations, and have the rounding of the largest of them. */
static void share_among_velocities(const solver *a, double *of_row) {
    double most = 0;
    for (int i = a->k->nq; i < a->nx; i++)
        most = fmax(most, of_row[i] / a->scale[i]);
    for (int i = a->k->nq; i < a->nx; i++)
        of_row[i] = most * a->scale[i];
}

/* each row in its own size, at x; and what rounding may make of r there */
static zw_status size_rows_alone(solver *a) {
    bool on_manifold = zw_flow_levels(a->flow) > 0;
    ZW_TRY(residual(a, a->x, a->c, a->err));
    ZW_TRY(jacobian(a));
    for (int i = 0; i < a->nx; i++) {
        a->terms[i] = 0;
        a->noise[i] = ROUNDINGS * DBL_EPSILON * a->size[i];
        for (int l = 0; l < a->nx; l++) {
            double slope = fabs(a->jac[i * a->nx + l]);
            a->terms[i] += slope * a->scale[l];
            a->noise[i] += slope * (ROUNDINGS * DBL_EPSILON * fabs(a->x[l]) +
                                    (on_manifold ? OWN * a->scale[l] : 0));
        }
    }
    share_among_velocities(a, a->terms);
    share_among_velocities(a, a->noise);
    for (int i = 0; i < a->m; i++) {
        double own = zw_dense_norm(a->n, a->J + (size_t)i * (size_t)a->n);
        if (i < a->nx)
            own = fmax(own, OWN * a->terms[i]);
        else
            own = fmax(own, SLOWEST * reach_of_hold(a, i - a->nx));
        a->row_unit[i] = own > 0 ? own : 1;
        a->noise[i] =
            (i < a->nx ? a->noise[i] : ROUNDINGS * DBL_EPSILON * a->size[i]) / a->row_unit[i];
    }
    return decompose(a);
}

/* The largest part of the correction in the sizes of the state and its entries; what rounding makes is none of it. */
static double correction(const solver *a) {
    int least = a->m < a->n ? a->m : a->n;
    double most = 0;
    for (int k = 0; k < least && a->sv[k] > 0; k++) {
        double noise = DBL_EPSILON * fabs(a->Ur[k]), part = fabs(a->Ur[k]) / a->sv[k];
        for (int i = 0; i < a->m; i++)
            noise += fabs(a->U[k * a->m + i]) * a->noise[i];
        if (fabs(a->Ur[k]) <= noise)
            continue;
        for (int i = 0; i < a->nx; i++) {
            double change = 0;
            for (int j = 0; j < a->d; j++)
                change += a->T[i * a->d + j] * a->V[k * a->n + j];
            most = fmax(most, fabs(change) * part / (a->scale[i] + fabs(a->x[i])));
        }
    }
    return most;
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
static zw_status judge(solver *a, bool converged, double moved) {
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
    if (a->nfree)
        memcpy(a->problem->value, a->value, sizeof(double) * (size_t)a->nfree);
    if (!converged && out->residual <= ROUNDED && moved <= JITTER) {
        /* at a double root the place is known to the root of rounding, and steps of that size go on for ever */
        out->degenerate = true;
        converged = true;
    }
    if (out->residual > MET || !converged)
        return zw_fail(a->err, ZW_E_NUMERIC,
                       "no steady motion was found near this state: the equations are met but for "
                       "%.2g of their size after %d steps",
                       out->residual, out->iterations);
    out->unmet = ZW_UNMET_NOTHING;
    return ZW_OK;
}

/* the rate that asks for the largest correction: in the sizes of the rows alone */
static void name_worst(solver *a) {
    double most = 0;
    for (int i = 0; i < a->nx; i++) {
        double part = fabs(a->r[i]) / a->row_unit[i];
        if (part < most)
            continue;
        most = part;
        a->out->unmet = ZW_UNMET_RATE;
        a->out->unmet_index = i;
        a->out->unmet_by = a->r[i];
    }
}

/* sizes of unknowns and rows, and c, at the state to begin with */
static zw_status begin(solver *a) {
    ZW_TRY(init(a));
    memcpy(a->x, a->out->x, sizeof(double) * (size_t)a->nx);
    if (a->nfree)
        memcpy(a->value, a->problem->value, sizeof(double) * (size_t)a->nfree);
    ZW_TRY(set_values(a, a->value, a->err));
    ZW_TRY(zw_flow_project(a->flow, a->out->t, a->x, NULL, a->err));
    ZW_TRY(residual(a, a->x, a->c, a->err));
    ZW_TRY(size_unknowns(a));
    ZW_TRY(jacobian(a));
    size_rows(a);
    return follow(a);
}

/* steps until they end */
static zw_status iterate(solver *a, bool *converged, double *moved) {
    double before = INFINITY;
    int slow = 0;
    *converged = false;
    a->damping = 1;
    for (int k = 0; !*converged && k < STEPS; k++, a->out->iterations++) {
        ZW_TRY(advance(a, moved));
        slow = *moved > LINEAR * before ? slow + 1 : 0;
        before = *moved;
        *converged = *moved <= CLOSE * (1 + zw_dense_norm(a->nc, a->c));
    }
    a->out->degenerate = slow >= SLOW;
    return ZW_OK;
}

/* the correction that is left, and further steps in sizes of their own where it is large */
static zw_status correct(solver *a, bool *converged, double *moved, double *left) {
    zw_arena_mark mark = zw_arena_mark_now(&a->arena);
    double *unit = ZW_NEW(&a->arena, double, a->m + 1);
    if (!unit)
        return no_memory(a->err);
    *left = 0;
    ZW_TRY(residual(a, a->x, a->c, a->err));
    if (!(scaled_length(a) < HOPELESS))
        return ZW_OK;
    memcpy(unit, a->row_unit, sizeof(double) * (size_t)a->m);
    for (int round = 0;; round++) {
        ZW_TRY(size_rows_alone(a));
        *left = correction(a);
        if (round == ROUNDS || (*left <= CORRECTED && (round > 0 || *converged)))
            break;
        ZW_TRY(iterate(a, converged, moved));
    }
    if (*left <= CORRECTED) /* otherwise the worst row is told in these sizes */
        memcpy(a->row_unit, unit, sizeof(double) * (size_t)a->m);
    zw_arena_release(&a->arena, mark);
    return ZW_OK;
}

static zw_status solve(solver *a) {
    zw_steady *out = a->out;
    double moved = 0, left = 0;
    bool converged = false;
    ZW_TRY(begin(a));
    out->iterations = 0;
    ZW_TRY(iterate(a, &converged, &moved));
    ZW_TRY(correct(a, &converged, &moved, &left));
    ZW_TRY(residual(a, a->x, a->c, a->err));
    ZW_TRY(settle_c(a));
    ZW_TRY(judge(a, converged, moved));
    if (left <= (out->degenerate ? VAGUE : CORRECTED))
        return ZW_OK;
    name_worst(a);
    return zw_fail(a->err, ZW_E_NUMERIC,
                   "no steady motion was found near this state: rates are small beside the fastest "
                   "ones, but the correction is %.2g of the state after %d steps",
                   left, out->iterations);
}

static solver solver_of(zw_steady *out, zw_flow *flow, const zw_symmetries *s,
                        const zw_steady_problem *problem, zw_error *err) {
    const zw_kernel *k = zw_flow_kernel(flow);
    solver a = {.flow = flow, .s = s, .k = k, .out = out, .problem = problem, .err = err};
    a.scale = problem->scale;
    a.nx = k->nx;
    a.nc = s->n;
    a.nhold = problem->nhold;
    a.hold = problem->hold;
    a.nfree = problem->nfree;
    a.m = a.nx + a.nhold;
    zw_arena_init(&a.arena, &k->alloc);
    return a;
}

zw_status zw_steady_solve(zw_steady *out, zw_flow *flow, const zw_symmetries *s,
                          const zw_steady_problem *problem, zw_error *err) {
    if (!s->autonomous && !s->still)
        return zw_fail(err, ZW_E_MODEL,
                       "the motion depends on time, and no displacement goes along with it: no "
                       "motion can be steady");
    out->scale = problem->scale;
    solver a = solver_of(out, flow, s, problem, err);
    zw_status status = solve(&a);
    zw_arena_clear(&a.arena);
    return status;
}

zw_status zw_steady_find(zw_steady *out, zw_flow *flow, const zw_symmetries *s, const double *scale,
                         int nhold, const zw_hold *hold, zw_error *err) {
    const zw_steady_problem problem = {.scale = scale, .nhold = nhold, .hold = hold};
    return zw_steady_solve(out, flow, s, &problem, err);
}

/* ------------------------------------------------------------------------------------------ neighbours */

/* U_k.r at the state moved along a singular vector by a part h of its size */
static bool look_along(solver *a, int k, double h, double *value) {
    const double *v = a->V + (size_t)k * (size_t)a->n;
    zw_error ignored = {0};
    for (int i = 0; i < a->nx; i++) {
        a->x_trial[i] = a->x[i];
        for (int j = 0; j < a->d; j++)
            a->x_trial[i] += h * a->T[i * a->d + j] * v[j];
    }
    for (int j = 0; j < a->nc; j++)
        a->c_trial[j] = a->c[j] + h * a->c_unit[j] * v[a->d + j];
    if (zw_flow_project(a->flow, a->out->t, a->x_trial, NULL, &ignored) < 0 ||
        residual(a, a->x_trial, a->c_trial, &ignored) < 0)
        return false;
    *value = 0;
    for (int i = 0; i < a->m; i++)
        *value += a->U[k * a->m + i] * a->r[i] / a->row_unit[i];
    return true;
}

/* A small singular value is a slope, not rounding, if differences of r show the same. Along a family they fall with h^2. */
static bool is_slope(solver *a, int k) {
    if (k >= a->m || a->nfree || !(a->sv[k] > 0))
        return false;
    for (double h = 1e-2; h > 1e-6; h /= 10) {
        double side[4];
        if (look_along(a, k, h, &side[0]) && look_along(a, k, -h, &side[1]) &&
            look_along(a, k, h / 3, &side[2]) && look_along(a, k, -h / 3, &side[3]) &&
            fabs((side[0] - side[1]) / (2 * h) - a->sv[k]) < SLOPE * a->sv[k] &&
            fabs((side[2] - side[3]) / (2 * h / 3) - a->sv[k]) < SLOPE * a->sv[k])
            return true;
    }
    return false;
}

/* The null space of Dr as changes of the state; what changes c or nothing at all is none */
static zw_status find_neighbours(solver *a, const double *c, int *n, double *N) {
    int nx = a->nx, found = 0;
    ZW_TRY(begin(a));
    memcpy(a->c, c, sizeof(double) * (size_t)a->nc);
    ZW_TRY(size_rows_alone(a));
    int first = 0;
    while (first < a->n && (a->sv[first] > NEIGHBOUR * a->sv[0] || is_slope(a, first)))
        first++;
    double *rows = ZW_NEW(&a->arena, double, (a->n - first) * nx + 1),
           *V = ZW_NEW(&a->arena, double, nx *nx + 1), *sv = ZW_NEW(&a->arena, double, nx + 1);
    if (a->arena.failed)
        return no_memory(a->err);
    for (int k = first; k < a->n; k++)
        for (int i = 0; i < nx; i++) {
            const double *v = a->V + (size_t)k * (size_t)a->n;
            double sum = 0;
            for (int j = 0; j < a->d; j++)
                sum += a->T[i * a->d + j] * v[j];
            for (int j = 0; j < a->nfree; j++)
                sum += a->x_p[i * a->nfree + j] * a->problem->value_scale[j] * v[a->d + a->nc + j];
            rows[(k - first) * nx + i] = sum / a->scale[i];
        }
    if (!zw_dense_svd(&a->arena, a->n - first, nx, rows, sv, V, NULL))
        return zw_dense_failure(&a->arena, a->err);
    while (found < nx && found < a->n - first && sv[found] > ALONG)
        found++;
    for (int i = 0; i < nx; i++)
        for (int k = 0; k < found; k++)
            N[i * found + k] = V[k * nx + i] * a->scale[i];
    *n = found;
    return ZW_OK;
}

zw_status zw_steady_neighbours(zw_flow *flow, const zw_symmetries *s,
                               const zw_steady_problem *problem, const zw_steady *at, int *n,
                               double *N, zw_error *err) {
    zw_steady copy = *at;
    solver a = solver_of(&copy, flow, s, problem, err);
    copy.z = ZW_NEW(&a.arena, double, a.k->nz + 1);
    zw_status status = copy.z ? find_neighbours(&a, at->c, n, N) : no_memory(err);
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
