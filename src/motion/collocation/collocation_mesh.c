/* SPDX-License-Identifier: MIT */
/* Meshes of collocation. In an interval of width h the polynomial of degree m differs from the
 * motion by about
 *
 *     e = C h^(m+1) |u^(m+1)|,
 *     C = max over s of |integral from 0 to s of (x - c_1) ... (x - c_m) dx| / m!,
 *
 * where u^(m+1) is found from the jumps of u^(m), which is constant in an interval. The error is
 * the same everywhere if all intervals have the same integral of |u^(m+1)|^(1/(m+1)) (C. de Boor,
 * in Conference on the Numerical Solution of Differential Equations, 1974). */
#include <math.h>
#include <string.h>

#include "base/arena.h"
#include "collocation.h"

/* Relative to the mean: least density of intervals. Where the motion is nearly constant intervals
 * are at most twenty times longer than on average, so that they still see a later change. */
#define DENSITY_MIN 0.05

/* C */
static double error_constant(const zw_gauss *g) {
    enum { PARTS = 200 };
    double sum = 0, most = 0, factorial = 1;
    for (int k = 0; k < PARTS; k++) {
        double value = 1;
        for (int i = 0; i < g->m; i++)
            value *= (k + 0.5) / PARTS - g->c[i];
        sum += value / PARTS;
        most = fmax(most, fabs(sum));
    }
    for (int i = 2; i <= g->m; i++)
        factorial *= i;
    return most / factorial;
}

/* u^(m) in interval j */
static void highest_derivative(const zw_colloc *c, const double *x, int j, double *out) {
    double scale = pow(zw_colloc_width(c, j), 1 - c->m);
    for (int i = 2; i < c->m; i++)
        scale *= i;
    memset(out, 0, sizeof(double) * (size_t)c->nx);
    for (int l = 0; l < c->m; l++) {
        double part = scale;
        for (int k = 0; k < c->m; k++)
            if (k != l)
                part /= c->rule.c[l] - c->rule.c[k];
        for (int r = 0; r < c->nx; r++)
            out[r] += part * zw_colloc_slope(c, x, j, l)[r];
    }
}

/* |u^(m+1)| at the beginning of interval j, in the sizes of the state; at the ends of an open
 * motion, which has no jumps there, at the nearest node */
static double derivative_size(const zw_colloc *c, const double *x, int j) {
    if (c->conditions && c->N > 1)
        j = j < 1 ? 1 : j > c->N - 1 ? c->N - 1 : j;
    int before = j > 0 ? j - 1 : c->N - 1;
    double *here = c->state, *there = c->state + c->nx, sum = 0,
           apart = 0.5 * (zw_colloc_width(c, j) + zw_colloc_width(c, before));
    highest_derivative(c, x, j, here);
    highest_derivative(c, x, before, there);
    if (j == 0) {
        zw_colloc_turn(c, there, c->state + 2 * c->nx);
        there = c->state + 2 * c->nx;
    }
    for (int r = 0; r < c->nx; r++) {
        double change = here[r] - there[r];
        sum += c->ignorable[r] ? 0 : change * change / (c->scale[r] * c->scale[r]);
    }
    return sqrt(sum) / apart;
}

/* the same at its end */
static double derivative_size_after(const zw_colloc *c, const double *x, int j) {
    return derivative_size(c, x, j + 1 < c->N ? j + 1 : c->conditions ? j : 0);
}

double zw_colloc_error(const zw_colloc *c, const double *x) {
    double most = 0, C = error_constant(&c->rule), left = derivative_size(c, x, 0);
    for (int j = 0; j < c->N; j++) {
        double right = derivative_size_after(c, x, j);
        most = fmax(most, C * pow(zw_colloc_width(c, j), c->m + 1) * fmax(left, right));
        left = right;
    }
    return most;
}

/* the mesh of n intervals on which the density has the same integral in each */
static void spread_mesh(const zw_colloc *c, const double *x, int n, double *density, double *mesh) {
    double all = 0, left = derivative_size(c, x, 0);
    for (int j = 0; j < c->N; j++) {
        double right = derivative_size_after(c, x, j);
        density[j] = pow(0.5 * (left + right), 1. / (c->m + 1));
        all += density[j] * zw_colloc_width(c, j);
        left = right;
    }
    double least = all > 0 ? DENSITY_MIN * all : 1, whole = 0, done = 0;
    for (int j = 0; j < c->N; j++) {
        density[j] += least;
        whole += density[j] * zw_colloc_width(c, j);
    }
    mesh[0] = 0;
    for (int j = 0, k = 1; j < c->N; j++) {
        double own = density[j] * zw_colloc_width(c, j);
        for (; k < n && whole * k / n <= done + own; k++)
            mesh[k] = c->mesh[j] + (whole * k / n - done) / density[j];
        done += own;
    }
    mesh[n] = 1;
}

/* the coefficients of the Lagrange polynomials of the rule: row l, powers 0 to m - 1 */
static void expand_lagrange(const zw_gauss *g, double out[ZW_GAUSS_MAX][ZW_GAUSS_MAX]) {
    for (int l = 0; l < g->m; l++) {
        double *p = out[l];
        memset(p, 0, sizeof(double) * ZW_GAUSS_MAX);
        p[0] = 1;
        for (int k = 0, degree = 0; k < g->m; k++) {
            if (k == l)
                continue;
            double by = 1 / (g->c[l] - g->c[k]);
            for (int q = ++degree; q >= 0; q--)
                p[q] = by * ((q > 0 ? p[q - 1] : 0) - g->c[k] * p[q]);
        }
    }
}

/* interpolates n vectors on another mesh; copies their last two entries, P and a */
static void move_vectors(const zw_colloc *c, int n, double **x, int intervals, const double *mesh,
                         size_t size, double *to) {
    int nx = c->nx, m = c->m, stride = nx * (m + 1), borders = c->free_period ? 2 : 1, from = 0;
    double L[ZW_GAUSS_MAX][ZW_GAUSS_MAX], value[ZW_GAUSS_MAX], part[ZW_GAUSS_MAX];
    expand_lagrange(&c->rule, L);
    for (int j = 0; j < intervals; j++)
        for (int i = -1; i < m; i++) { /* the node, then the points */
            double tau = mesh[j] + (i < 0 ? 0 : c->rule.c[i]) * (mesh[j + 1] - mesh[j]);
            while (from + 1 < c->N && c->mesh[from + 1] <= tau)
                from++;
            while (from > 0 && c->mesh[from] > tau)
                from--;
            double h = zw_colloc_width(c, from), s = (tau - c->mesh[from]) / h;
            for (int l = 0; l < m; l++) {
                value[l] = part[l] = 0;
                for (int q = m - 1; q >= 0; q--) {
                    value[l] = value[l] * s + L[l][q];
                    part[l] = part[l] * s + L[l][q] / (q + 1);
                }
                part[l] *= s * h;
            }
            const double *weight = i < 0 ? part : value;
            for (int k = 0; k < n; k++) {
                const double *u = zw_colloc_node(c, x[k], from);
                double *out = to + size * (size_t)k + (size_t)(j * stride + (i + 1) * nx);
                for (int r = 0; r < nx; r++)
                    out[r] = i < 0 ? u[r] : 0;
                for (int l = 0; l < m; l++)
                    for (int r = 0; r < nx; r++)
                        out[r] += weight[l] * u[(l + 1) * nx + r];
            }
        }
    for (int k = 0; k < n; k++)
        for (int b = 0; b < borders; b++)
            to[size * (size_t)k + (size_t)(intervals * stride + b)] = x[k][c->N * stride + b];
}

zw_status zw_colloc_adapt(zw_colloc *c, int intervals, int n, double **x, zw_error *err) {
    zw_arena work;
    size_t size = (size_t)(intervals * c->nx * (c->m + 1) + 2);
    if (intervals < 1)
        return zw_fail(err, ZW_E_OPTION, "a mesh has one interval at least");
    zw_arena_init(&work, &c->arena.alloc);
    double *mesh = ZW_NEW(&work, double, intervals + 1), *density = ZW_NEW(&work, double, c->N + 1),
           *moved = ZW_NEW(&work, double, size *(size_t)n + 1);
    zw_status status = zw_arena_status(&work, err);
    if (status >= 0) {
        spread_mesh(c, x[0], intervals, density, mesh);
        move_vectors(c, n, x, intervals, mesh, size, moved);
        if (intervals != c->N)
            status = zw_colloc_allocate(c, intervals, err);
    }
    if (status >= 0) {
        status = zw_colloc_set_mesh(c, mesh, err);
        for (int i = 0; i < n; i++)
            memcpy(x[i], moved + size * (size_t)i,
                   sizeof(double) * (size_t)(zw_colloc_size(c) + 1));
    }
    zw_arena_clear(&work);
    return status;
}
