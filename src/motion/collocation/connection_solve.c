/* SPDX-License-Identifier: MIT */
/* The linear equations of connecting orbits. With B_j = 1 - h T (a_il J_i) the slopes of an
 * interval are
 *
 *     dk = D (du_j, dT, da, db) + B_j^-1 (right sides),      D = B_j^-1 (T J_i, f_i, -r_a, -r_b),
 *
 * so that consecutive nodes are related by du_j+1 = A_j du_j + c_j (dT, da, db) + .... Two such
 * relations that share u_s,
 *
 *     [ H    G   0   C  ]                                         [ R   Sa  Sb  Sc ]
 *     [ -A_s 0   1  -c_s]  (u_s, u_0, u_s+1, (T, a, b)),   made   [ 0   G   H   C  ]
 *
 * by Householder reflections, determine u_s and leave one relation between u_0 and u_s+1: growing
 * and decaying parts stay separate for any length of T. The last system has the conditions at the
 * ends and the row of continuation, for u_0, u_N, T, a, b. */
#include <float.h>
#include <math.h>
#include <string.h>

#include "connection.h"
#include "num/linear/linalg.h"

enum { NB = ZW_CONNECTION_BORDERS };

bool zw_connection_factors_make(zw_connection_factors *f, zw_arena *arena, int nx, int m, int N) {
    int size = m * nx, last = 2 * nx + NB;
    size_t square = (size_t)nx * (size_t)nx, all = (size_t)N;
    f->LU = ZW_NEW(arena, double, all *(size_t)size *(size_t)size + 1);
    f->pivot = ZW_NEW(arena, int, N *size + 1);
    f->D = ZW_NEW(arena, double, all *(size_t)size *(size_t)(nx + NB) + 1);
    f->A = ZW_NEW(arena, double, all *square + 1);
    f->c = ZW_NEW(arena, double, N *nx *NB + 1);
    f->Q = ZW_NEW(arena, double, all * 2 * square + 1);
    f->tau = ZW_NEW(arena, double, N *nx + 1);
    f->Sa = ZW_NEW(arena, double, all *square + 1);
    f->Sb = ZW_NEW(arena, double, all *square + 1);
    f->Sc = ZW_NEW(arena, double, N *nx *NB + 1);
    f->G = ZW_NEW(arena, double, square + 1);
    f->H = ZW_NEW(arena, double, square + 1);
    f->C = ZW_NEW(arena, double, nx *NB + 1);
    f->w = ZW_NEW(arena, double, (N + 1) * nx + 1);
    f->last = ZW_NEW(arena, double, (size_t)last *(size_t)last + 1);
    f->last_pivot = ZW_NEW(arena, int, last + 1);
    f->stack = ZW_NEW(arena, double, (size_t)(2 * nx) * (size_t)(3 * nx + NB) + 1);
    f->e = ZW_NEW(arena, double, N *size + 1);
    f->d = ZW_NEW(arena, double, (N + 2) * nx + 1);
    f->u = ZW_NEW(arena, double, (N + 2) * nx + last + 1);
    return !arena->failed;
}

/* ------------------------------------------------------------------------------------ intervals */

/* v = Q_j v */
static void apply_projector(const zw_connection *c, int j, double *v) {
    int nx = c->nx;
    double *out = c->state;
    if (!c->has_manifold)
        return;
    const double *Q = c->projector + (size_t)j * (size_t)(nx * nx);
    for (int r = 0; r < nx; r++) {
        out[r] = 0;
        for (int s = 0; s < nx; s++)
            out[r] += Q[r * nx + s] * v[s];
    }
    memcpy(v, out, sizeof(double) * (size_t)nx);
}

/* h sum b k of slopes */
static void integrate_slopes(const zw_connection *c, int j, const double *k, double *out) {
    memset(out, 0, sizeof(double) * (size_t)c->nx);
    for (int i = 0; i < c->m; i++)
        for (int r = 0; r < c->nx; r++)
            out[r] += zw_connection_width(c, j) * c->rule.b[i] * k[i * c->nx + r];
}

/* B_j and the right sides of D, columns one after the other */
static zw_status set_interval(zw_connection *c, const double *x, int j, double *LU, double *D,
                              zw_error *err) {
    int nx = c->nx, m = c->m, size = m * nx, stride = size + nx;
    double h = zw_connection_width(c, j), T = zw_connection_time(c, x), *J = c->work, *U = c->state;
    for (int i = 0; i < m; i++) {
        const double *f = c->f + (size_t)(j * m + i) * (size_t)nx;
        memcpy(U, zw_connection_node(c, x, j), sizeof(double) * (size_t)nx);
        for (int l = 0; l < m; l++)
            for (int r = 0; r < nx; r++)
                U[r] += h * c->rule.a[i][l] * zw_connection_slope(c, x, j, l)[r];
        ZW_TRY(zw_flow_rates(c->flow, 0, U, (double *)f, NULL, err)); /* at the values themselves */
        ZW_TRY(zw_flow_jacobian(c->flow, 0, U, J, NULL, err));
        for (int r = 0; r < nx; r++) {
            double *row = LU + (size_t)(i * nx + r) * (size_t)size;
            int at = i * nx + r;
            for (int l = 0; l < m; l++)
                for (int s = 0; s < nx; s++)
                    row[l * nx + s] = (l == i && r == s) - h * T * c->rule.a[i][l] * J[r * nx + s];
            for (int s = 0; s < nx; s++)
                D[s * size + at] = T * J[r * nx + s];
            D[nx * size + at] = f[r];
            for (int w = 0; w < 2; w++)
                D[(nx + 1 + w) * size + at] = -c->by[w][j * stride + nx + at] * c->size[r];
        }
    }
    return ZW_OK;
}

static zw_status factor_interval(zw_connection *c, const double *x, int j, zw_error *err) {
    int nx = c->nx, size = c->m * nx, stride = size + nx;
    zw_connection_factors *f = &c->factors;
    double *LU = f->LU + (size_t)j * (size_t)size * (size_t)size,
           *D = f->D + (size_t)j * (size_t)size * (size_t)(nx + NB), *sum = c->state + nx;
    ZW_TRY(set_interval(c, x, j, LU, D, err));
    if (!(zw_num_lu(size, LU, f->pivot + (size_t)(j * size)) > zw_num_pivot_floor(size)))
        return ZW_RETRY;
    zw_num_lu_solve(size, LU, f->pivot + (size_t)(j * size), nx + NB, D);
    for (int s = 0; s < nx + NB; s++) {
        integrate_slopes(c, j, D + (size_t)(s * size), sum);
        if (s < nx)
            sum[s] += 1;
        apply_projector(c, j + 1, sum);
        for (int r = 0; r < nx; r++) {
            if (s < nx)
                f->A[(size_t)j * (size_t)(nx * nx) + (size_t)(r * nx + s)] = sum[r];
            else
                f->c[(j * nx + r) * NB + s - nx] =
                    sum[r] - (s == nx ? 0 : c->by[s - nx - 1][(j + 1) * stride + r] * c->size[r]);
        }
    }
    return ZW_OK;
}

/* ---------------------------------------------------------------------------------------- nodes */

/* makes the stack (2n x width) upper triangular in its first n columns; reflections remain below
 * the diagonal, tau separately */
static bool reflect_stack(int n, int width, double *X, double *tau) {
    double least = INFINITY, most = 0;
    for (int k = 0; k < n; k++) {
        double norm = 0;
        for (int r = k; r < 2 * n; r++)
            norm = hypot(norm, X[r * width + k]);
        double head = X[k * width + k], beta = head > 0 ? -norm : norm;
        least = fmin(least, norm);
        most = fmax(most, norm);
        if (!(norm > 0)) {
            tau[k] = 0;
            continue;
        }
        tau[k] = (beta - head) / beta;
        for (int r = k + 1; r < 2 * n; r++)
            X[r * width + k] /= head - beta;
        X[k * width + k] = beta;
        for (int s = k + 1; s < width; s++) {
            double dot = X[k * width + s];
            for (int r = k + 1; r < 2 * n; r++)
                dot += X[r * width + k] * X[r * width + s];
            dot *= tau[k];
            X[k * width + s] -= dot;
            for (int r = k + 1; r < 2 * n; r++)
                X[r * width + s] -= dot * X[r * width + k];
        }
    }
    return least > 8 * DBL_EPSILON * n * most;
}

static bool eliminate_node(zw_connection *c, int s) {
    int n = c->nx, width = 3 * n + NB;
    zw_connection_factors *f = &c->factors;
    size_t square = (size_t)(n * n);
    double *X = f->stack, *Q = f->Q + 2 * square * (size_t)s;
    memset(X, 0, sizeof(double) * (size_t)(2 * n * width));
    for (int r = 0; r < n; r++) {
        double *top = X + (size_t)(r * width), *low = X + (size_t)((n + r) * width);
        for (int k = 0; k < n; k++) {
            top[k] = f->H[r * n + k];
            top[n + k] = f->G[r * n + k];
            low[k] = -f->A[square * (size_t)s + (size_t)(r * n + k)];
        }
        low[2 * n + r] = 1;
        for (int k = 0; k < NB; k++) {
            top[3 * n + k] = f->C[r * NB + k];
            low[3 * n + k] = -f->c[(s * n + r) * NB + k];
        }
    }
    bool regular = reflect_stack(n, width, X, f->tau + (size_t)(s * n));
    for (int r = 0; r < 2 * n; r++)
        memcpy(Q + (size_t)(r * n), X + (size_t)(r * width), sizeof(double) * (size_t)n);
    for (int r = 0; r < n; r++) {
        const double *top = X + (size_t)(r * width), *low = X + (size_t)((n + r) * width);
        for (int k = 0; k < n; k++) {
            f->Sa[square * (size_t)s + (size_t)(r * n + k)] = top[n + k];
            f->Sb[square * (size_t)s + (size_t)(r * n + k)] = top[2 * n + k];
            f->G[r * n + k] = low[n + k];
            f->H[r * n + k] = low[2 * n + k];
        }
        for (int k = 0; k < NB; k++) {
            f->Sc[(s * n + r) * NB + k] = top[3 * n + k];
            f->C[r * NB + k] = low[3 * n + k];
        }
    }
    return regular;
}

/* applies the reflections of node s to a right side in two parts */
static void reflect_side(int n, const double *Q, const double *tau, double *top, double *low) {
    for (int k = 0; k < n; k++) {
        double dot = top[k];
        for (int r = k + 1; r < 2 * n; r++)
            dot += Q[r * n + k] * (r < n ? top[r] : low[r - n]);
        dot *= tau[k];
        top[k] -= dot;
        for (int r = k + 1; r < 2 * n; r++)
            *(r < n ? &top[r] : &low[r - n]) -= dot * Q[r * n + k];
    }
}

/* ------------------------------------------------------------------------------------ last rows */

/* The row of continuation: its remainder for u_0, u_N, T, a, b in `out`, and its multiples of right
 * sides in f->w. */
static void eliminate_row(zw_connection *c, const double *row, double *out) {
    int n = c->nx, stride = n * (c->m + 1);
    zw_connection_factors *f = &c->factors;
    size_t square = (size_t)(n * n);
    double *line = f->u;
    for (int j = 0; j <= c->N; j++)
        memcpy(line + (size_t)(j * n), row + (size_t)(j * stride), sizeof(double) * (size_t)n);
    memcpy(out, line, sizeof(double) * (size_t)n);
    memcpy(out + 2 * n, row + (size_t)(c->N * stride + n), sizeof(double) * NB);
    for (int s = 1; s < c->N; s++) {
        double *x = f->w + (size_t)(s * n), *right = line + (size_t)((s + 1) * n);
        const double *R = f->Q + 2 * square * (size_t)s;
        for (int k = 0; k < n; k++) { /* x R = line_s */
            x[k] = line[s * n + k];
            for (int r = 0; r < k; r++)
                x[k] -= x[r] * R[r * n + k];
            x[k] /= R[k * n + k];
        }
        for (int r = 0; r < n; r++) {
            for (int k = 0; k < n; k++) {
                out[k] -= x[r] * f->Sa[square * (size_t)s + (size_t)(r * n + k)];
                right[k] -= x[r] * f->Sb[square * (size_t)s + (size_t)(r * n + k)];
            }
            for (int k = 0; k < NB; k++)
                out[2 * n + k] -= x[r] * f->Sc[(s * n + r) * NB + k];
        }
    }
    memcpy(out + n, line + (size_t)(c->N * n), sizeof(double) * (size_t)n);
}

static bool factor_last(zw_connection *c, const double *row) {
    int n = c->nx, width = 2 * n + NB, size = zw_connection_size(c);
    zw_connection_factors *f = &c->factors;
    double *M = f->last;
    memset(M, 0, sizeof(double) * (size_t)(width * width));
    for (int r = 0; r < n; r++) {
        double *to = M + (size_t)(r * width);
        memcpy(to, f->G + (size_t)(r * n), sizeof(double) * (size_t)n);
        memcpy(to + n, f->H + (size_t)(r * n), sizeof(double) * (size_t)n);
        memcpy(to + 2 * n, f->C + (size_t)(r * NB), sizeof(double) * NB);
    }
    zw_connection_end_rows(c, M + (size_t)(n * width), width);
    for (int i = 0; i < n + 2; i++)
        for (int w = 0; w < 2; w++)
            M[(n + i) * width + 2 * n + 1 + w] = c->by[w][i < n ? i : size - 2 + i - n];
    if (c->slides) { /* b and T are fixed */
        M[(2 * n - c->end[0].unstable) * width + 2 * n + 2] = 1;
        M[(2 * n + 1) * width + 2 * n] = 1 / c->span;
    }
    eliminate_row(c, row, M + (size_t)((width - 1) * width));
    return zw_num_lu(width, M, f->last_pivot) > 0;
}

zw_status zw_connection_factor(void *self, const double *x, double b, const double *row,
                               zw_error *err) {
    zw_connection *c = self;
    int n = c->nx;
    zw_connection_factors *f = &c->factors;
    (void)b;
    for (int j = 0; j < c->N; j++) {
        zw_status status = factor_interval(c, x, j, err);
        if (status != ZW_OK)
            return status < 0 && status != ZW_E_MEMORY ? ZW_RETRY : status;
    }
    for (int r = 0; r < n; r++) { /* u_1 - A_0 u_0 - c_0 (T, a, b) */
        for (int k = 0; k < n; k++) {
            f->H[r * n + k] = r == k;
            f->G[r * n + k] = -f->A[r * n + k];
        }
        for (int k = 0; k < NB; k++)
            f->C[r * NB + k] = -f->c[r * NB + k];
    }
    for (int s = 1; s < c->N; s++)
        if (!eliminate_node(c, s))
            return ZW_RETRY;
    return factor_last(c, row) ? ZW_OK : ZW_RETRY;
}

/* ---------------------------------------------------------------------------------------- solve */

/* the right sides of slopes and nodes as right sides of the relations between nodes: d_1 .. d_N */
static void gather_sides(zw_connection *c, const double *b) {
    int n = c->nx, size = c->m * n, stride = size + n;
    zw_connection_factors *f = &c->factors;
    for (int j = 0; j < c->N; j++) {
        double *e = f->e + (size_t)(j * size), *d = f->d + (size_t)((j + 1) * n),
               *sum = c->state + n;
        for (int i = 0; i < size; i++)
            e[i] = b[j * stride + n + i] * c->size[i % n];
        zw_num_lu_solve(size, f->LU + (size_t)j * (size_t)size * (size_t)size,
                        f->pivot + (size_t)(j * size), 1, e);
        integrate_slopes(c, j, e, sum);
        apply_projector(c, j + 1, sum);
        for (int r = 0; r < n; r++)
            d[r] = sum[r] + b[(j + 1) * stride + r] * c->size[r];
    }
}

void zw_connection_eliminate(void *self, double *b) {
    zw_connection *c = self;
    int n = c->nx, size = c->m * n, stride = size + n, width = 2 * n + NB,
        all = zw_connection_size(c);
    zw_connection_factors *f = &c->factors;
    size_t square = (size_t)(n * n);
    double *u = f->u, *z = u + (size_t)((c->N + 1) * n), *d = f->d;
    gather_sides(c, b);
    for (int s = 1; s < c->N; s++)
        reflect_side(n, f->Q + 2 * square * (size_t)s, f->tau + (size_t)(s * n),
                     d + (size_t)(s * n), d + (size_t)((s + 1) * n));
    for (int r = 0; r < n; r++) {
        z[r] = d[c->N * n + r];
        z[n + r] = b[r];
    }
    z[2 * n] = b[all - 2];
    z[2 * n + 1] = b[all - 1];
    z[2 * n + 2] = b[all];
    for (int i = n; i < c->N * n; i++)
        z[2 * n + 2] -= f->w[i] * d[i];
    zw_num_lu_solve(width, f->last, f->last_pivot, 1, z);
    memcpy(u, z, sizeof(double) * (size_t)n);
    memcpy(u + (size_t)(c->N * n), z + n, sizeof(double) * (size_t)n);
    for (int s = c->N - 1; s > 0; s--) {
        double *us = u + (size_t)(s * n);
        const double *R = f->Q + 2 * square * (size_t)s;
        for (int r = n - 1; r >= 0; r--) {
            double sum = d[s * n + r];
            for (int k = 0; k < n; k++)
                sum -= f->Sa[square * (size_t)s + (size_t)(r * n + k)] * u[k] +
                       f->Sb[square * (size_t)s + (size_t)(r * n + k)] * us[n + k];
            for (int k = 0; k < NB; k++)
                sum -= f->Sc[(s * n + r) * NB + k] * z[2 * n + k];
            for (int k = r + 1; k < n; k++)
                sum -= R[r * n + k] * us[k];
            us[r] = sum / R[r * n + r];
        }
    }
    for (int j = 0; j <= c->N; j++)
        memcpy(b + (size_t)(j * stride), u + (size_t)(j * n), sizeof(double) * (size_t)n);
    for (int j = 0; j < c->N; j++) {
        const double *D = f->D + (size_t)j * (size_t)size * (size_t)(n + NB);
        double *to = b + (size_t)(j * stride);
        for (int i = 0; i < size; i++) {
            double sum = f->e[j * size + i];
            for (int k = 0; k < n; k++)
                sum += D[k * size + i] * to[k];
            for (int k = 0; k < NB; k++)
                sum += D[(n + k) * size + i] * z[2 * n + k];
            to[n + i] = sum;
        }
    }
    for (int k = 0; k < NB; k++)
        b[all - 2 + k] = z[2 * n + k];
}
