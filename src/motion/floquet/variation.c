/* SPDX-License-Identifier: MIT */
#include "variation.h"

#include <math.h>
#include <string.h>

#include "base/arena.h"
#include "num/flow/flow.h"
#include "num/linear/dense.h"
#include "num/linear/linalg.h"

/* norm of Y at which a node follows: then a factor A_j loses two digits at most */
#define NODE_GROWTH 1e2
/* the same for the integral of tr J since the last node: volumes shrink to e^-4 = 0.02 */
#define NODE_TRACE 4
/* length that remains of a dependent column, relative to independent ones (length one): 4e5 eps */
#define COLUMN_DEPENDENT 1e-10

/* ----------------------------------------------------------------------------------- quadrature */

/* P_m(x) and its derivative */
static double legendre_polynomial(int m, double x, double *slope) {
    double before = 1, p = x;
    for (int k = 2; k <= m; k++) {
        double next = ((2 * k - 1) * x * p - (k - 1) * before) / k;
        before = p;
        p = next;
    }
    *slope = m * (x * p - before) / (x * x - 1);
    return p;
}

double zw_gauss_lagrange(const zw_gauss *g, int l, double s) {
    double value = 1;
    for (int k = 0; k < g->m; k++)
        if (k != l)
            value *= (s - g->c[k]) / (g->c[l] - g->c[k]);
    return value;
}

void zw_gauss_init(zw_gauss *g, int m) {
    g->m = m;
    for (int i = 0; i < m; i++) {
        double x = -cos(M_PI * (i + 0.75) / (m + 0.5)), slope = 1;
        for (int k = 0; k < 20 && m > 1; k++)
            x -= legendre_polynomial(m, x, &slope) / slope;
        if (m == 1)
            x = 0;
        else
            legendre_polynomial(m, x, &slope);
        g->c[i] = (1 + x) / 2;
        g->b[i] = 1 / ((1 - x * x) * slope * slope);
    }
    /* the polynomial has degree m - 1: the same points integrate it exactly */
    for (int i = 0; i < m; i++)
        for (int l = 0; l < m; l++) {
            g->a[i][l] = 0;
            for (int k = 0; k < m; k++)
                g->a[i][l] += g->c[i] * g->b[k] * zw_gauss_lagrange(g, l, g->c[i] * g->c[k]);
        }
}

/* ------------------------------------------------------------------------------------ lifecycle */

zw_status zw_variation_init(zw_variation *v, zw_arena *arena, zw_flow *flow, int stages, int ends,
                            zw_error *err) {
    int nx = zw_flow_kernel(flow)->nx, size = stages * nx;
    *v = (zw_variation){.nx = nx};
    zw_gauss_init(&v->rule, stages);
    v->essential = ZW_NEW(arena, bool, nx + 1);
    v->Y = ZW_NEW(arena, double, nx *nx + 1);
    v->A = ZW_NEW(arena, double, (ZW_CHUNKS_MAX + ends) * nx * nx + 1);
    v->x = ZW_NEW(arena, double, nx + 1);
    v->J = ZW_NEW(arena, double, stages *nx *nx + 1);
    v->B = ZW_NEW(arena, double, size *size + 1);
    v->K = ZW_NEW(arena, double, size *nx + 1);
    v->pivot = ZW_NEW(arena, int, size + 1);
    int *entry = ZW_NEW(arena, int, nx + 1);
    if (arena->failed)
        return zw_out_of_memory(err, NULL);
    int n = zw_flow_essential(flow, entry);
    for (int i = 0; i < n; i++)
        v->essential[entry[i]] = true;
    return ZW_OK;
}

/* Makes the columns of T (nx x d) orthonormal and drops dependent ones. Returns the number n that
 * remains; T is then nx x n. */
static int orthonormalise_columns(int nx, int d, double *T, double *column) {
    for (int k = 0; k < nx * d; k++)
        column[k] = T[k % nx * d + k / nx];
    int n = zw_num_rows_span(d, nx, column, COLUMN_DEPENDENT);
    for (int k = 0; k < nx * n; k++)
        T[k] = column[k % n * nx + k / n];
    return n;
}

zw_status zw_variation_basis(const zw_variation *v, zw_arena *work, zw_flow *flow, double t,
                             const double *x, int *n, double *T, zw_error *err) {
    int nx = v->nx, d;
    zw_arena_mark mark = zw_arena_mark_now(work);
    double *column = ZW_NEW(work, double, (nx + 1) * nx + 1);
    if (!column)
        return zw_out_of_memory(err, NULL);
    ZW_TRY(zw_flow_tangent(flow, t, x, ZW_METRIC_PLAIN, &d, T, NULL, err));
    for (int i = 0; i < nx; i++)
        if (!v->essential[i])
            memset(T + (size_t)i * (size_t)d, 0, sizeof(double) * (size_t)d);
    *n = orthonormalise_columns(nx, d, T, column);
    zw_arena_release(work, mark);
    return ZW_OK;
}

void zw_variation_begin(zw_variation *v, int n, const double *T) {
    v->n = n;
    memcpy(v->Y, T, sizeof(double) * (size_t)(v->nx * n));
    v->at_node = v->trace;
}

void zw_variation_clear(zw_variation *v) {
    v->nchunk = 0;
    v->trace = v->at_node = 0;
}

/* ---------------------------------------------------------------------------------------- steps */

/* J_i of all stages, column-major; adds the integral of their traces */
static zw_status find_jacobians(zw_variation *v, zw_flow *flow, double t0, double h, zw_path path,
                                void *user, zw_error *err) {
    int nx = v->nx;
    ZW_TRY(zw_num_require(flow, ZW_SET(JAC), "the linear equations along a motion", err));
    for (int i = 0; i < v->rule.m; i++) {
        double *J = v->J + (size_t)i * (size_t)nx * (size_t)nx, t = t0 + v->rule.c[i] * h;
        ZW_TRY(path(user, t, v->x, err));
        ZW_TRY(zw_num_jacobian(flow, t, v->x, J, nx, err));
        for (int k = 0; k < nx; k++)
            v->trace += h * v->rule.b[i] * J[k + k * nx];
    }
    return ZW_OK;
}

/* the matrix delta_il - h a_il J_i of the stages */
static void put_matrix(zw_variation *v, double h) {
    int nx = v->nx, m = v->rule.m, size = m * nx;
    for (int i = 0; i < m; i++)
        for (int l = 0; l < m; l++) {
            const double *J = v->J + (size_t)i * (size_t)nx * (size_t)nx;
            double factor = h * v->rule.a[i][l];
            for (int r = 0; r < nx; r++) {
                double *row = v->B + (size_t)(i * nx + r) * (size_t)size + (size_t)l * (size_t)nx;
                for (int c = 0; c < nx; c++)
                    row[c] = (i == l && r == c) - factor * J[r + c * nx];
            }
        }
}

/* the right sides J_i Y, one column of Y after another */
static void put_sides(zw_variation *v) {
    int nx = v->nx, m = v->rule.m;
    for (int j = 0; j < v->n; j++)
        for (int i = 0; i < m; i++) {
            const double *J = v->J + (size_t)i * (size_t)nx * (size_t)nx;
            double *side = v->K + (size_t)(j * m + i) * (size_t)nx;
            for (int r = 0; r < nx; r++) {
                side[r] = 0;
                for (int c = 0; c < nx; c++)
                    side[r] += J[r + c * nx] * v->Y[c * v->n + j];
            }
        }
}

zw_status zw_variation_step(zw_variation *v, zw_flow *flow, double t0, double t1, zw_path path,
                            void *user, zw_error *err) {
    int nx = v->nx, m = v->rule.m;
    double h = t1 - t0;
    ZW_TRY(find_jacobians(v, flow, t0, h, path, user, err));
    put_matrix(v, h);
    put_sides(v);
    double least = zw_num_lu(m * nx, v->B, v->pivot);
    if (!(least > zw_num_pivot_floor(m * nx)))
        return zw_fail(err, ZW_E_NUMERIC,
                       "the linear equations along the motion have no solution near t = %.10g", t0);
    zw_num_lu_solve(m * nx, v->B, v->pivot, v->n, v->K);
    for (int j = 0; j < v->n; j++)
        for (int i = 0; i < m; i++)
            for (int r = 0; r < nx; r++)
                v->Y[r * v->n + j] += h * v->rule.b[i] * v->K[(j * m + i) * nx + r];
    return ZW_OK;
}

/* ---------------------------------------------------------------------------------------- nodes */

bool zw_variation_wants_node(const zw_variation *v) {
    return v->nchunk < ZW_CHUNKS_MAX && (zw_dense_norm(v->nx * v->n, v->Y) > NODE_GROWTH ||
                                         fabs(v->trace - v->at_node) > NODE_TRACE);
}

void zw_variation_node(zw_variation *v, const double *T) {
    double *A = v->A + (size_t)v->nchunk * (size_t)(v->n * v->n);
    zw_dense_multiply_transposed(v->n, v->nx, v->n, T, v->Y, A);
    v->nchunk++;
    zw_variation_begin(v, v->n, T);
}

void zw_variation_product(const zw_variation *v, int first, double *P, double *work) {
    int n = v->n;
    for (int i = 0; i < n * n; i++)
        P[i] = i % (n + 1) == 0;
    for (int k = first; k < v->nchunk; k++) {
        zw_dense_multiply(n, n, n, v->A + (size_t)k * (size_t)(n * n), P, work);
        memcpy(P, work, sizeof(double) * (size_t)(n * n));
    }
}
