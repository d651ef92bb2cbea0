/* SPDX-License-Identifier: MIT */
/* The linear equations of collocation. With B_j = 1 - h P (a_il J_i) the slopes of an interval are
 *
 *     dk = D (du_j, dP, da) + B_j^-1 b,     D = B_j^-1 (P J_i,  f_i,  P f_a + P_a (f + P tau f_t)),
 *
 * so that consecutive nodes are related by du_j+1 = A_j du_j + c_j (dP, da) + .... Two such
 * relations that share u_s,
 *
 *     [ H    G   0   C  ]                                      [ R   Sa  Sb  Sc ]
 *     [ -A_s 0   1  -c_s]  (u_s, u_0, u_s+1, (P, a)),   made   [ 0   G   H   C  ]   by reflections,
 *
 * determine u_s, and leave one relation between u_0 and u_s+1. Where constraints depend on a, or on
 * the time of a node, their manifold moves, and the nodes with it. The rows of phase and arclength
 * are transformed in the same way. The last system has u_0, u_N, P, a. */
#include <float.h>
#include <math.h>
#include <string.h>

#include "base/arena.h"
#include "collocation.h"
#include "num/linear/linalg.h"

/* Relative to the largest pivot: rows of constraints with smaller ones depend on the others. Above
 * the round-off of their derivatives, 1e-13, and below the pivots of independent constraints. */
#define CONSTRAINT_RANK 1e-10

bool zw_colloc_factors_make(zw_colloc_factors *f, zw_arena *arena, int nx, int m, int N, int nb) {
    int size = m * nx, last = 2 * nx + nb;
    size_t square = (size_t)nx * (size_t)nx, all = (size_t)N;
    *f = (zw_colloc_factors){0};
    f->D = ZW_NEW(arena, double, all *(size_t)size *(size_t)(nx + nb) + 1);
    f->A = ZW_NEW(arena, double, all *square + 1);
    f->c = ZW_NEW(arena, double, N *nx *nb + 1);
    f->Q = ZW_NEW(arena, double, all * 2 * square + 1);
    f->tau = ZW_NEW(arena, double, N *nx + 1);
    f->Sa = ZW_NEW(arena, double, all *square + 1);
    f->Sb = ZW_NEW(arena, double, all *square + 1);
    f->Sc = ZW_NEW(arena, double, N *nx *nb + 1);
    f->G = ZW_NEW(arena, double, square + 1);
    f->H = ZW_NEW(arena, double, square + 1);
    f->C = ZW_NEW(arena, double, nx *nb + 1);
    f->w = ZW_NEW(arena, double, 2 * N * nx + 1);
    f->last = ZW_NEW(arena, double, (size_t)last *(size_t)last + 1);
    f->last_pivot = ZW_NEW(arena, int, last + 1);
    f->stack = ZW_NEW(arena, double, (size_t)(2 * nx) * (size_t)(3 * nx + nb) + 9);
    f->e = ZW_NEW(arena, double, N *size + 1);
    f->d = ZW_NEW(arena, double, (N + 1) * nx + 2 * nx + 1);
    f->u = ZW_NEW(arena, double, (N + 1) * nx + last + 1);
    return !arena->failed;
}

/* ---------------------------------------------------------------------------------- an interval */

/* Memory for the matrices of single intervals, allocated when they are needed: lanes have their
 * own. */
static zw_status make_intervals(zw_colloc *c, zw_error *err) {
    zw_colloc_factors *f = &c->factors;
    size_t size = (size_t)(c->m * c->nx), all = (size_t)c->N;
    if (f->LU)
        return ZW_OK;
    f->LU = ZW_NEW(&c->meshes, double, all *size *size + 1);
    f->pivot = ZW_NEW(&c->meshes, int, all *size + 1);
    return zw_arena_status(&c->meshes, err);
}

/* B_j and the right sides of D */
static zw_status set_interval(zw_colloc *c, const double *x, int j, double period, zw_error *err) {
    int nx = c->nx, m = c->m, size = m * nx;
    double h = zw_colloc_width(c, j), *LU = c->factors.LU + (size_t)j * (size_t)size * (size_t)size,
           *D = c->factors.D + (size_t)j * (size_t)size * (size_t)(nx + c->nb), *J = c->work,
           *f_a = J + (size_t)nx * (size_t)nx, *f_t = f_a + nx, *U = c->state;
    for (int i = 0; i < m; i++) {
        double tau = c->mesh[j] + c->rule.c[i] * h, t = c->start + period * tau;
        double *f = c->f + (size_t)(j * m + i) * (size_t)nx;
        memcpy(U, zw_colloc_node(c, x, j), sizeof(double) * (size_t)nx);
        for (int l = 0; l < m; l++)
            for (int r = 0; r < nx; r++)
                U[r] += h * c->rule.a[i][l] * zw_colloc_slope(c, x, j, l)[r];
        if (c->lanes.kernel) /* the last ones may be in lanes */
            ZW_TRY(zw_flow_rates(c->flow, t, U, f, NULL, err));
        ZW_TRY(zw_flow_jacobian(c->flow, t, U, J, NULL, err));
        if (zw_flow_kernel(c->flow)->npar > 0)
            ZW_TRY(zw_flow_in_parameters(c->flow, t, U, f_a, NULL, err));
        else
            memset(f_a, 0, sizeof(double) * (size_t)nx);
        if (!c->free_period && c->slope != 0)
            ZW_TRY(zw_flow_in_time(c->flow, t, U, f_t, NULL, err));
        for (int r = 0; r < nx; r++) {
            double *row = LU + (size_t)(i * nx + r) * (size_t)size;
            c->factors.trace += h * period * c->rule.b[i] * J[r * nx + r];
            for (int l = 0; l < m; l++)
                for (int s = 0; s < nx; s++)
                    row[l * nx + s] =
                        (l == i && r == s) - h * period * c->rule.a[i][l] * J[r * nx + s];
            for (int s = 0; s < nx; s++)
                D[s * size + i * nx + r] = period * J[r * nx + s];
            double by_a = period * f_a[r];
            if (!c->free_period && c->slope != 0)
                by_a += c->slope * (f[r] + period * tau * f_t[r]);
            if (c->free_period)
                D[nx * size + i * nx + r] = f[r];
            D[(nx + c->nb - 1) * size + i * nx + r] = by_a;
        }
    }
    return ZW_OK;
}

/* v = Q_j v; the end of the last interval is not projected */
static void apply_projector(const zw_colloc *c, int j, double *v) {
    int nx = c->nx;
    if (!c->has_manifold || j == c->N)
        return;
    const double *Q = c->projector + (size_t)j * (size_t)(nx * nx);
    double *out = c->state;
    for (int r = 0; r < nx; r++) {
        out[r] = 0;
        for (int s = 0; s < nx; s++)
            out[r] += Q[r * nx + s] * v[s];
    }
    memcpy(v, out, sizeof(double) * (size_t)nx);
}

/* h sum b k of a column of slopes */
static void integrate_slopes(const zw_colloc *c, int j, const double *k, double *out) {
    for (int r = 0; r < c->nx; r++)
        out[r] = 0;
    for (int i = 0; i < c->m; i++)
        for (int r = 0; r < c->nx; r++)
            out[r] += zw_colloc_width(c, j) * c->rule.b[i] * k[i * c->nx + r];
}

/* The motion of the manifold with a at node j: the shortest solution of G dx = -(g_a + tau
 * P_a g_t) */
static zw_status find_move(zw_colloc *c, const double *x, int j, double period, zw_error *err) {
    int nx = c->nx, ng = zw_flow_levels(c->flow), npar = zw_flow_kernel(c->flow)->npar;
    double *G = c->levels, *g_p = G + (size_t)(ng * nx), *g = g_p + (size_t)(ng * npar),
           *tau = g + ng, *g_t = tau + ng, *out = c->moves + (size_t)(j * nx),
           t = c->start + period * c->mesh[j];
    const double *u = zw_colloc_node(c, x, j);
    memset(out, 0, sizeof(double) * (size_t)nx);
    memset(g, 0, sizeof(double) * (size_t)ng);
    if (npar > 0) {
        ZW_TRY(zw_flow_constraints_in_parameters(c->flow, t, u, g_p, err));
        for (int i = 0; i < ng; i++)
            g[i] -= g_p[i * npar];
    }
    if (!c->free_period && c->slope != 0) {
        ZW_TRY(zw_flow_constraints_in_time(c->flow, t, u, g_t, err));
        for (int i = 0; i < ng; i++)
            g[i] -= c->mesh[j] * c->slope * g_t[i];
    }
    bool any = false;
    for (int i = 0; i < ng; i++)
        any |= g[i] != 0;
    if (!any)
        return ZW_OK;
    ZW_TRY(zw_flow_constraints(c->flow, t, u, NULL, G, err));
    int rank = zw_num_rows_factor(ng, nx, G, 0, CONSTRAINT_RANK, tau, c->levels_order);
    zw_num_rows_solve(nx, G, rank, tau, c->levels_order, g, out);
    return ZW_OK;
}

static zw_status factor_interval(zw_colloc *c, const double *x, int j, double period,
                                 zw_error *err) {
    int nx = c->nx, size = c->m * nx;
    zw_colloc_factors *f = &c->factors;
    double *LU = f->LU + (size_t)j * (size_t)size * (size_t)size,
           *D = f->D + (size_t)j * (size_t)size * (size_t)(nx + c->nb), *column = c->state + nx;
    int *pivot = f->pivot + (size_t)(j * size);
    ZW_TRY(set_interval(c, x, j, period, err));
    if (!(zw_num_lu(size, LU, pivot) > zw_num_pivot_floor(size)))
        return ZW_RETRY;
    zw_num_lu_solve(size, LU, pivot, nx + c->nb, D);
    for (int k = 0; k < nx + c->nb; k++) {
        integrate_slopes(c, j, D + (size_t)k * (size_t)size, column);
        if (k < nx)
            column[k] += 1;
        apply_projector(c, j + 1, column);
        for (int r = 0; r < nx && c->has_manifold && k == nx + c->nb - 1 && j + 1 < c->N; r++)
            column[r] += c->moves[(j + 1) * nx + r];
        for (int r = 0; r < nx; r++)
            *(k < nx ? &f->A[((size_t)j * (size_t)nx + (size_t)r) * (size_t)nx + (size_t)k]
                     : &f->c[(j * nx + r) * c->nb + k - nx]) = column[r];
    }
    return ZW_OK;
}

/* ---------------------------------------------------------------------------------- reflections */

/* makes the first n columns of X (2n x width) upper triangular; the reflections remain below in Q
 * (2n x n) */
static void reflect_all(int n, int width, double *X, double *Q, double *tau) {
    for (int k = 0; k < n; k++) {
        double sum = 0;
        for (int r = k; r < 2 * n; r++)
            sum += X[r * width + k] * X[r * width + k];
        double head = X[k * width + k], size = head > 0 ? -sqrt(sum) : sqrt(sum), v0 = head - size;
        tau[k] = sum > 0 && v0 != 0 ? -v0 / size : 0; /* 1 - tau v v', v_0 = 1 */
        Q[k * n + k] = sum > 0 ? size : 0;
        for (int r = k + 1; r < 2 * n; r++)
            Q[r * n + k] = v0 != 0 ? X[r * width + k] / v0 : 0;
        for (int col = k + 1; col < width; col++) {
            double dot = X[k * width + col];
            for (int r = k + 1; r < 2 * n; r++)
                dot += Q[r * n + k] * X[r * width + col];
            dot *= tau[k];
            X[k * width + col] -= dot;
            for (int r = k + 1; r < 2 * n; r++)
                X[r * width + col] -= dot * Q[r * n + k];
        }
        for (int r = 0; r < k; r++)
            Q[r * n + k] = X[r * width + k];
    }
}

/* applies the reflections to a right side, top (n) and bottom (n) */
static void reflect_sides(int n, const double *Q, const double *tau, double *top, double *bottom) {
    for (int k = 0; k < n; k++) {
        double dot = top[k];
        for (int r = k + 1; r < n; r++)
            dot += Q[r * n + k] * top[r];
        for (int r = 0; r < n; r++)
            dot += Q[(n + r) * n + k] * bottom[r];
        dot *= tau[k];
        top[k] -= dot;
        for (int r = k + 1; r < n; r++)
            top[r] -= dot * Q[r * n + k];
        for (int r = 0; r < n; r++)
            bottom[r] -= dot * Q[(n + r) * n + k];
    }
}

/* R x = b in place */
static void solve_upper(int n, const double *R, double *b) {
    for (int r = n - 1; r >= 0; r--) {
        for (int s = r + 1; s < n; s++)
            b[r] -= R[r * n + s] * b[s];
        b[r] /= R[r * n + r];
    }
}

/* x R = b in place */
static void solve_left(int n, const double *R, double *b) {
    for (int s = 0; s < n; s++) {
        for (int r = 0; r < s; r++)
            b[s] -= R[r * n + s] * b[r];
        b[s] /= R[s * n + s];
    }
}

/* R is singular only if u_s does not follow from its neighbours */
static bool is_regular(int n, const double *R) {
    double most = 0, least = INFINITY;
    for (int k = 0; k < n; k++) {
        most = fmax(most, fabs(R[k * n + k]));
        least = fmin(least, fabs(R[k * n + k]));
    }
    return least > DBL_EPSILON * most;
}

/* eliminates u_s from its two relations, s = 1 .. N - 1 */
static bool eliminate_node(zw_colloc *c, int s) {
    int n = c->nx, nb = c->nb, width = 3 * n + nb;
    zw_colloc_factors *f = &c->factors;
    size_t square = (size_t)(n * n);
    double *X = f->stack, *Q = f->Q + 2 * square * (size_t)s, *Sa = f->Sa + square * (size_t)s,
           *Sb = f->Sb + square * (size_t)s, *Sc = f->Sc + (size_t)(s * n * nb);
    const double *A = f->A + square * (size_t)s, *b = f->c + (size_t)(s * n * nb);
    memset(X, 0, sizeof(double) * (size_t)(2 * n * width));
    for (int r = 0; r < n; r++) {
        double *top = X + (size_t)(r * width), *low = X + (size_t)((n + r) * width);
        for (int k = 0; k < n; k++) {
            top[k] = f->H[r * n + k];
            top[n + k] = f->G[r * n + k];
            low[k] = -A[r * n + k];
        }
        low[2 * n + r] = 1;
        for (int k = 0; k < nb; k++) {
            top[3 * n + k] = f->C[r * nb + k];
            low[3 * n + k] = -b[r * nb + k];
        }
    }
    reflect_all(n, width, X, Q, f->tau + (size_t)(s * n));
    for (int r = 0; r < n; r++) {
        const double *top = X + (size_t)(r * width), *low = X + (size_t)((n + r) * width);
        for (int k = 0; k < n; k++) {
            Sa[r * n + k] = top[n + k];
            Sb[r * n + k] = top[2 * n + k];
            f->G[r * n + k] = low[n + k];
            f->H[r * n + k] = low[2 * n + k];
        }
        for (int k = 0; k < nb; k++) {
            Sc[r * nb + k] = top[3 * n + k];
            f->C[r * nb + k] = low[3 * n + k];
        }
    }
    return is_regular(n, Q);
}

/* ------------------------------------------------------------------------------------ last rows */

/* A row over all nodes (N x nx), P and a: its remainder for u_0, u_N, P, a in `out`, and its
 * multiples of the right sides in w. */
static void eliminate_row(const zw_colloc *c, double *row, const double *borders, double *w,
                          double *out) {
    int n = c->nx, nb = c->nb;
    const zw_colloc_factors *f = &c->factors;
    size_t square = (size_t)(n * n);
    double *next = row + (size_t)(c->N * n); /* of u_N: zero at first */
    memset(next, 0, sizeof(double) * (size_t)n);
    memcpy(out, row, sizeof(double) * (size_t)n);
    memcpy(out + 2 * n, borders, sizeof(double) * (size_t)nb);
    for (int s = 1; s < c->N; s++) {
        double *x = w + (size_t)(s * n), *right = row + (size_t)((s + 1) * n);
        memcpy(x, row + (size_t)(s * n), sizeof(double) * (size_t)n);
        solve_left(n, f->Q + 2 * square * (size_t)s, x);
        for (int r = 0; r < n; r++) {
            for (int k = 0; k < n; k++) {
                out[k] -= x[r] * f->Sa[square * (size_t)s + (size_t)(r * n + k)];
                right[k] -= x[r] * f->Sb[square * (size_t)s + (size_t)(r * n + k)];
            }
            for (int k = 0; k < nb; k++)
                out[2 * n + k] -= x[r] * f->Sc[(s * n + r) * nb + k];
        }
    }
    memcpy(out + n, next, sizeof(double) * (size_t)n);
}

/* u_0 - Q_0 S u_N; ignorable coordinates: u_0 */
static void closing_rows(const zw_colloc *c, double *M, int width) {
    int n = c->nx;
    for (int r = 0; r < n; r++) {
        double *row = M + (size_t)(r * width);
        row[r] = 1;
        for (int k = 0; k < n && !c->ignorable[r]; k++) {
            row[n + k] = c->has_manifold ? 0 : -c->map[r * n + k];
            for (int l = 0; c->has_manifold && l < n; l++)
                row[n + k] -= c->projector[r * n + l] * c->map[l * n + k];
        }
    }
}

/* of an open motion: (1 - Q_0) u_0 + T (c_u0 u_0 + c_uN u_N) */
static void open_rows(const zw_colloc *c, double *M, int width) {
    int n = c->nx, d = c->dimension;
    for (int r = 0; r < n; r++) {
        for (int l = 0; l < d; l++)
            M[r * width + width - 1] += c->basis[r * d + l] * c->by_a[l];
        for (int k = 0; k < n; k++) {
            double *first = M + (size_t)(r * width + k), *last = first + n;
            *first = c->has_manifold ? (r == k) - c->projector[r * n + k] : 0;
            for (int l = 0; l < d; l++) {
                *first += c->basis[r * d + l] * c->by_first[l * n + k];
                *last += c->basis[r * d + l] * c->by_last[l * n + k];
            }
        }
    }
    if (!c->free_period)
        return;
    M[n * width + width - 1] = c->by_a[d];
    memcpy(M + (size_t)(n * width), c->by_first + (size_t)(d * n), sizeof(double) * (size_t)n);
    memcpy(M + (size_t)(n * width + n), c->by_last + (size_t)(d * n), sizeof(double) * (size_t)n);
}

static bool factor_last(zw_colloc *c, const double *row) {
    int n = c->nx, nb = c->nb, width = 2 * n + nb, stride = n * (c->m + 1);
    zw_colloc_factors *f = &c->factors;
    double *M = f->last, *line = f->u, borders[2] = {0};
    memset(M, 0, sizeof(double) * (size_t)(width * width));
    for (int r = 0; r < n; r++) {
        double *to = M + (size_t)(r * width);
        for (int k = 0; k < n; k++) {
            to[k] = f->G[r * n + k];
            to[n + k] = f->H[r * n + k];
        }
        for (int k = 0; k < nb; k++)
            to[2 * n + k] = f->C[r * nb + k];
    }
    for (int r = 0; r < n && c->has_manifold; r++)
        M[(n + r) * width + width - 1] = c->ignorable[r] ? 0 : -c->moves[r];
    (c->conditions ? open_rows : closing_rows)(c, M + (size_t)(n * width), width);
    if ((c->modulo.ngroup || c->modulo.nfree) &&
        !zw_colloc_modulo_rows(c, M + (size_t)(n * width), width))
        return false;
    if (c->conditions)
        memset(f->w, 0, sizeof(double) * (size_t)(c->N * n));
    else if (c->free_period) {
        memcpy(line, c->phase_row, sizeof(double) * (size_t)(c->N * n));
        eliminate_row(c, line, borders, f->w, M + (size_t)(2 * n * width));
    }
    for (int j = 0; j < c->N; j++)
        memcpy(line + (size_t)(j * n), row + (size_t)(j * stride), sizeof(double) * (size_t)n);
    for (int k = 0; k < nb; k++)
        borders[k] = row[c->N * stride + k];
    eliminate_row(c, line, borders, f->w + (size_t)(c->N * n), M + (size_t)((width - 1) * width));
    if (c->modulo.keep)
        memcpy(c->modulo.last, M, sizeof(double) * (size_t)(width * width));
    return zw_num_lu(width, M, f->last_pivot) > 0;
}

zw_status zw_colloc_condense(zw_colloc *c, const double *x, zw_error *err) {
    zw_colloc_factors *f = &c->factors;
    double period = zw_colloc_period(c, x);
    c->in_lanes = c->lanes.current && zw_colloc_lanes_condense(c, period);
    bool plain = c->modulo.ngroup || c->modulo.nfree || c->modulo.keep; /* closes by its own rows */
    c->chained = c->in_lanes && !plain && zw_colloc_lanes_chain(c);
    if (c->chained)
        return ZW_OK;
    if (c->in_lanes) {
        zw_colloc_lanes_spread(c);
        return zw_colloc_reduce(c);
    }
    ZW_TRY(make_intervals(c, err));
    f->trace = 0;
    for (int j = 0; j < c->N && c->has_manifold; j++) {
        zw_status status = find_move(c, x, j, period, err);
        if (status < 0)
            return status == ZW_E_MEMORY ? status : ZW_RETRY;
    }
    for (int j = 0; j < c->N; j++) {
        zw_status status = factor_interval(c, x, j, period, err);
        if (status != ZW_OK)
            return status < 0 && status != ZW_E_MEMORY ? ZW_RETRY : status;
    }
    return zw_colloc_reduce(c);
}

zw_status zw_colloc_transfer(zw_colloc *c, const double *x, double a, const double **A,
                             zw_error *err) {
    ZW_TRY(zw_colloc_set_value(c, a, err));
    if (c->has_manifold)
        ZW_TRY(zw_colloc_project_at(c, x, c->projector, err));
    ZW_TRY(zw_colloc_rates(c, x, err));
    zw_status status = zw_colloc_condense(c, x, err);
    *A = c->factors.A;
    return status == ZW_OK ? ZW_OK
                           : zw_fail(err, ZW_E_NUMERIC,
                                     "the linear equations of the motion are "
                                     "singular");
}

zw_status zw_colloc_reduce(zw_colloc *c) {
    int n = c->nx;
    zw_colloc_factors *f = &c->factors;
    for (int r = 0; r < n; r++) { /* u_1 - A_0 u_0 - c_0 (P, a) */
        for (int k = 0; k < n; k++) {
            f->H[r * n + k] = r == k;
            f->G[r * n + k] = -f->A[r * n + k];
        }
        for (int k = 0; k < c->nb; k++)
            f->C[r * c->nb + k] = -f->c[r * c->nb + k];
    }
    for (int s = 1; s < c->N; s++)
        if (!eliminate_node(c, s))
            return ZW_RETRY;
    return ZW_OK;
}

zw_status zw_colloc_factor(void *self, const double *x, double a, const double *row,
                           zw_error *err) {
    zw_colloc *c = self;
    zw_status status = zw_colloc_condense(c, x, err);
    (void)a;
    c->renew = c->has_manifold;
    if (status != ZW_OK)
        return status;
    if (!c->chained)
        return factor_last(c, row) ? ZW_OK : ZW_RETRY;
    int n = c->nx, stride = n * (c->m + 1);
    for (int j = 0; j < c->N; j++)
        memcpy(c->ends + (size_t)(j * n), row + (size_t)(j * stride), sizeof(double) * (size_t)n);
    return zw_colloc_lanes_last(c, c->phase_row, c->ends, row + (size_t)(c->N * stride)) ? ZW_OK
                                                                                         : ZW_RETRY;
}

/* ---------------------------------------------------------------------------------------- solve */

/* the right sides of slopes and nodes as right sides of the relations between nodes: d_1 .. d_N */
static void gather_sides(zw_colloc *c, const double *b) {
    int n = c->nx, size = c->m * n, stride = size + n;
    zw_colloc_factors *f = &c->factors;
    if (c->in_lanes) {
        zw_colloc_lanes_gather(c, b, f->d + n);
        for (int j = 1; j < c->N; j++)
            for (int r = 0; r < n; r++)
                f->d[j * n + r] += b[j * stride + r] * c->scale[r];
        return;
    }
    for (int j = 0; j < c->N; j++) {
        double *e = f->e + (size_t)(j * size), *d = f->d + (size_t)((j + 1) * n);
        for (int i = 0; i < size; i++)
            e[i] = b[j * stride + n + i] * c->scale[i % n];
        zw_num_lu_solve(size, f->LU + (size_t)j * (size_t)size * (size_t)size,
                        f->pivot + (size_t)(j * size), 1, e);
        double *sum = c->state + n;
        integrate_slopes(c, j, e, sum);
        apply_projector(c, j + 1, sum);
        for (int r = 0; r < n; r++)
            d[r] = sum[r] + (j + 1 < c->N ? b[(j + 1) * stride + r] * c->scale[r] : 0);
    }
}

void zw_colloc_solve(void *self, double *b) {
    zw_colloc *c = self;
    int n = c->nx, nb = c->nb, size = c->m * n, stride = size + n, width = 2 * n + nb;
    zw_colloc_factors *f = &c->factors;
    size_t square = (size_t)(n * n);
    double *z = f->u + (size_t)((c->N + 1) * n), *d = f->d, *u = f->u;
    if (c->chained) {
        zw_colloc_lanes_solve(c, b);
        return;
    }
    gather_sides(c, b);
    for (int s = 1; s < c->N; s++)
        reflect_sides(n, f->Q + 2 * square * (size_t)s, f->tau + (size_t)(s * n),
                      d + (size_t)(s * n), d + (size_t)((s + 1) * n));
    for (int r = 0; r < n; r++) {
        z[r] = d[c->N * n + r];
        z[n + r] = b[r] * c->scale[r];
    }
    for (int k = 0; k < nb; k++) {
        const double *w = f->w + (size_t)((c->free_period ? k : 1) * c->N * n);
        double *to = &z[2 * n + k];
        *to = b[c->N * stride + k];
        for (int i = n; i < c->N * n; i++)
            *to -= w[i] * d[i];
    }
    zw_num_lu_solve(width, f->last, f->last_pivot, 1, z);
    memcpy(u, z, sizeof(double) * (size_t)n);
    memcpy(u + (size_t)(c->N * n), z + n, sizeof(double) * (size_t)n);
    for (int s = c->N - 1; s > 0; s--) {
        double *us = u + (size_t)(s * n);
        for (int r = 0; r < n; r++) {
            us[r] = d[s * n + r];
            for (int k = 0; k < n; k++)
                us[r] -= f->Sa[square * (size_t)s + (size_t)(r * n + k)] * u[k] +
                         f->Sb[square * (size_t)s + (size_t)(r * n + k)] * us[n + k];
            for (int k = 0; k < nb; k++)
                us[r] -= f->Sc[(s * n + r) * nb + k] * z[2 * n + k];
        }
        solve_upper(n, f->Q + 2 * square * (size_t)s, us);
    }
    if (c->in_lanes) {
        zw_colloc_lanes_scatter(c, u, z + 2 * n, b);
        return;
    }
    for (int j = 0; j < c->N; j++) {
        const double *D = f->D + (size_t)j * (size_t)size * (size_t)(n + nb);
        double *to = b + (size_t)(j * stride);
        memcpy(to, u + (size_t)(j * n), sizeof(double) * (size_t)n);
        for (int i = 0; i < size; i++) {
            double sum = f->e[j * size + i];
            for (int k = 0; k < n; k++)
                sum += D[k * size + i] * to[k];
            for (int k = 0; k < nb; k++)
                sum += D[(n + k) * size + i] * z[2 * n + k];
            to[n + i] = sum;
        }
    }
    for (int k = 0; k < nb; k++)
        b[c->N * stride + k] = z[2 * n + k];
}
