/* SPDX-License-Identifier: MIT */
/* Hertz's principle of least curvature (1894). A system without forces, with constraints
 * that do not move, runs at constant T, and of all paths through its state that the constraints
 * allow its own is the straightest. In the metric of the masses, |u|^2 = u'Mu, the path with
 * accelerations v' has the acceleration vector A = v' - M^-1 h, h = -dS/dv'(0), and the curvature
 *
 *     kappa^2 = (|A|^2 - (A.v)^2/|v|^2) / |v|^4,                 A.v = v'(M v' - h).
 *
 * (Curvature across the configuration manifold does not depend on v'; it is left out.) M and h are
 * those of Gauss, from the energy of acceleration S of the masses; v' those of the reference. They
 * are varied by random d with W d = 0. kappa^2 is quadratic along d, so the symmetric difference
 * with any step is the exact first variation: it must vanish, and no step may make kappa^2
 * smaller. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/random.h"
#include "base/tolerance.h"
#include "compare.h"
#include "mech/principles/forces.h"
#include "num/linear/linalg.h"

enum { DIRECTIONS = 8 }; /* variations of the path at each state */
/* Of the curvature: round-off of the reference accelerations, as in compare.c. */
static const double VARIATION_TOLERANCE = 1e-11;

/* -------------------------------------------------------------------- does the principle apply? */

#define NOT_BECAUSE(...)                                                                           \
    do {                                                                                           \
        snprintf(c->info.hertz.reason, sizeof c->info.hertz.reason, __VA_ARGS__);                  \
        return ZW_OK;                                                                              \
    } while (0)

/* Is some value of the expressions at the random states nonzero? */
static bool is_nonzero(zw_comparison *c, zw_compare_row *row, int n, const zw_expr *e) {
    int nx = row->sys->nq + row->sys->nv;
    for (int i = 0; i < n; i++) {
        if (e[i] == ZW_ZERO)
            continue;
        for (int k = 0; k < c->states.random; k++) {
            zw_compare_set_point(row, c->states.t[k], c->states.x + (size_t)k * (size_t)nx, NULL);
            if (zw_compare_value(row, e[i]) != 0)
                return true;
        }
    }
    return false;
}

/* Rows that neither contain time nor have a bias when nothing moves. */
static zw_status check_constraints(zw_comparison *c, zw_compare_row *row, bool *good,
                                   zw_error *err) {
    const zw_system *s = row->sys;
    const zw_equations *eq = &row->eq;
    zw_expr *zero = ZW_CONTEXT_NEW(s->ctx, zw_expr, eq->nv);
    if (!zero)
        return zw_context_status(s->ctx, err);
    for (int i = 0; i < eq->nv; i++)
        zero[i] = ZW_ZERO;
    for (int k = 0; k < s->nconstraint; k++) {
        const zw_constraint *q = &s->constraint[k];
        if (!eq->holds[k])
            continue;
        if (zw_depends(s->ctx, q->residual, s->t))
            NOT_BECAUSE("the constraint %s contains time", q->name);
        if (q->level == ZW_ACCELERATION || !q->linear)
            NOT_BECAUSE("the constraint %s is not linear in the velocities", q->name);
    }
    for (int k = 0; k < eq->nvel; k++) {
        zw_expr rest = zw_subst(s->ctx, eq->psi[k], eq->nv, eq->v, zero);
        if (is_nonzero(c, row, 1, &rest))
            NOT_BECAUSE("the constraint %s moves: it has a part without velocities",
                        s->constraint[eq->vel_constraint[k]].name);
    }
    *good = true;
    return zw_context_status(s->ctx, err);
}

static zw_status check_applies(zw_comparison *c, zw_compare_row *row, zw_error *err) {
    const zw_system *s = row->sys;
    const zw_equations *eq = &row->eq;
    int nv = eq->nv;
    bool good = false;
    zw_expr *Q = ZW_CONTEXT_NEW(s->ctx, zw_expr, nv), *M = ZW_CONTEXT_NEW(s->ctx, zw_expr, nv * nv),
            *linear = ZW_CONTEXT_NEW(s->ctx, zw_expr, nv + 1);
    if (!Q || !M || !linear)
        return zw_context_status(s->ctx, err);
    if (!eq->symmetric)
        NOT_BECAUSE("a force depends on a multiplier");
    ZW_TRY(zw_given_forces(eq, s, Q, NULL, NULL, err));
    if (is_nonzero(c, row, nv, Q))
        NOT_BECAUSE("forces act");
    if (zw_depends(s->ctx, s->T, s->t) ||
        !zw_quadratic(s->ctx, s->T, nv, eq->v, M, linear, &linear[nv]) ||
        is_nonzero(c, row, nv + 1, linear))
        NOT_BECAUSE("the kinetic energy is not a pure square of the velocities");
    ZW_TRY(check_constraints(c, row, &good, err));
    c->info.hertz.applies = good;
    return ZW_OK;
}

/* -------------------------------------------------------------------------------- the curvature */

/* One state: matrices of Gauss and scratch, slices of one array. */
typedef struct curvature_data {
    int nv, nc, rank;
    const double *v;
    double *M, *L, *h, *a, *r, *d, *push; /* L: Cholesky factor of M */
    double *rows, *residual, *tau;        /* W S, S = M_ii^-1/2, factorised */
    int *order;
} curvature_data;

/* kappa^2 |v|^4 for a + step*d. */
static double path_curvature(const curvature_data *b, double step) {
    int n = b->nv;
    double along = 0, whole = 0, speed = 0;
    for (int i = 0; i < n; i++) {
        b->r[i] = -b->h[i];
        for (int j = 0; j < n; j++) {
            b->r[i] += b->M[i * n + j] * (b->a[j] + step * b->d[j]);
            speed += b->v[i] * b->M[i * n + j] * b->v[j];
        }
        along += b->v[i] * b->r[i];
    }
    zw_num_lower_solve(n, b->L, b->r);
    for (int i = 0; i < n; i++)
        whole += b->r[i] * b->r[i];
    return whole - along * along / speed;
}

/* d: random, allowed by the constraints, with this `length` in the metric. */
static void choose_direction(curvature_data *b, double length, zw_random *random) {
    int n = b->nv;
    double norm = 0;
    for (int i = 0; i < n; i++)
        b->r[i] = zw_random_real(random, -1, 1);
    for (int k = 0; k < b->nc; k++) {
        b->residual[k] = 0;
        for (int i = 0; i < n; i++)
            b->residual[k] += b->push[k * n + i] * b->r[i];
    }
    zw_num_rows_solve(n, b->rows, b->rank, b->tau, b->order, b->residual, b->d);
    for (int i = 0; i < n; i++)
        b->d[i] = (b->r[i] - b->d[i]) / sqrt(b->M[i * n + i]);
    for (int i = 0; i < n; i++)
        for (int j = 0; j < n; j++)
            norm += b->d[i] * b->M[i * n + j] * b->d[j];
    for (int i = 0; i < n && norm > 0; i++)
        b->d[i] *= length / sqrt(norm);
}

/* Varies at one state; false if some variation makes the path straighter. */
static bool is_straightest(curvature_data *b, double *slope, zw_random *random) {
    double least = path_curvature(b, 0);
    /* A scale for steps: the acceleration vector itself, or on a straight path the free bias. */
    double scale = 0;
    for (int i = 0; i < b->nv; i++) {
        double force = fabs(b->h[i]);
        for (int j = 0; j < b->nv; j++)
            force += fabs(b->M[i * b->nv + j] * b->a[j]);
        scale = fmax(scale, force * force / b->M[i * b->nv + i]);
    }
    if (scale == 0)
        scale = 1;
    for (int k = 0; k < DIRECTIONS; k++) {
        choose_direction(b, sqrt(scale), random);
        double more = path_curvature(b, 1), less = path_curvature(b, -1);
        *slope = fmax(*slope, fabs(more - less) / scale);
        if (!(fabs(more - less) <= VARIATION_TOLERANCE * scale &&
              more >= least - VARIATION_TOLERANCE * scale &&
              less >= least - VARIATION_TOLERANCE * scale))
            return false;
    }
    return true;
}

static zw_status make_bend(curvature_data *b, zw_context *ctx, int nv, int nc, zw_error *err) {
    *b = (curvature_data){.nv = nv, .nc = nc};
    b->L = ZW_CONTEXT_NEW(ctx, double, nv *nv);
    b->r = ZW_CONTEXT_NEW(ctx, double, nv);
    b->d = ZW_CONTEXT_NEW(ctx, double, nv);
    b->push = ZW_CONTEXT_NEW(ctx, double, nc *nv);
    b->rows = ZW_CONTEXT_NEW(ctx, double, nc *nv);
    b->residual = ZW_CONTEXT_NEW(ctx, double, nc);
    b->tau = ZW_CONTEXT_NEW(ctx, double, nv);
    b->order = ZW_CONTEXT_NEW(ctx, int, nc);
    return zw_context_status(ctx, err);
}

/* The matrices of Gauss at random state k; false if there is no metric or no motion. */
static bool evaluate_state(curvature_data *b, zw_comparison *c, zw_compare_row *row, int k) {
    int nq = row->sys->nq, nv = b->nv, nc = b->nc;
    const double *x = c->states.x + (size_t)k * (size_t)(nq + nv);
    double speed = 0;
    zw_mats_parts m = zw_flow_matrices(row->flow, c->states.t[k], x);
    const double *W = m.W;
    b->M = m.M;
    b->h = m.h;
    b->a = c->states.a + (size_t)k * (size_t)nv;
    b->v = x + nq;
    memcpy(b->L, b->M, (size_t)(nv * nv) * sizeof(double));
    if (zw_num_metric(nv, b->L) > 0)
        return false;
    for (int i = 0; i < nc; i++)
        for (int j = 0; j < nv; j++)
            b->rows[i * nv + j] = b->push[i * nv + j] = W[i * nv + j] / sqrt(b->M[j * nv + j]);
    b->rank = zw_num_rows_factor(nc, nv, b->rows, 0, ZW_ROUNDOFF_SOLVED, b->tau, b->order);
    for (int i = 0; i < nv; i++)
        speed = fmax(speed, fabs(b->v[i]));
    return speed > 0;
}

zw_status zw_compare_least_curvature(zw_comparison *c, zw_error *err) {
    zw_compare_row *row = NULL;
    curvature_data b;
    zw_random random = {c->options.seed + 1};
    for (int i = 0; i < c->info.nrow && !row; i++)
        if (strcmp(c->row[i].report.principle->name, "gauss") == 0)
            row = &c->row[i];
    if (!row || !row->kernel)
        NOT_BECAUSE("Gauss's principle has no equations here");
    ZW_TRY(check_applies(c, row, err));
    if (!c->info.hertz.applies)
        return ZW_OK;
    ZW_TRY(make_bend(&b, row->sys->ctx, row->eq.nv, row->eq.nc, err));
    c->info.hertz.holds = true;
    for (int k = 0; k < c->states.random; k++) {
        ZW_TRY(zw_compare_check(c, err));
        if (!evaluate_state(&b, c, row, k))
            continue;
        c->info.hertz.states++;
        if (!is_straightest(&b, &c->info.hertz.slope, &random))
            c->info.hertz.holds = false;
    }
    return ZW_OK;
}
