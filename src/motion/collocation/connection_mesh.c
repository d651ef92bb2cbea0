/* SPDX-License-Identifier: MIT */
/* Meshes of connecting orbits, by the estimate of collocation_mesh.c: in an interval of width h the
 * error of polynomials of degree m is about
 *
 *     e = C h^(m+1) |u^(m+1)|,      u^(m+1) from the jumps of u^(m) at inner nodes,
 *
 * and all intervals have equal shares of it. There are no jumps at the ends: those of the next node
 * are used there. */
#include <math.h>
#include <string.h>

#include "base/arena.h"
#include "connection.h"

/* Relative to the mean: least density of intervals (collocation_mesh.c). */
#define DENSITY_MIN 0.05

zw_status zw_connection_allocate(zw_connection *c, int N, zw_error *err) {
    zw_arena *a = &c->meshes;
    int nx = c->nx, m = c->m;
    size_t n = (size_t)N * (size_t)nx * (size_t)(m + 1) + (size_t)nx + 3;
    zw_arena_clear(a);
    zw_arena_init(a, &c->arena.alloc);
    c->N = N;
    c->mesh = ZW_NEW(a, double, N + 1);
    c->x = ZW_NEW(a, double, n);
    c->projector =
        c->has_manifold ? ZW_NEW(a, double, (size_t)(N + 1) * (size_t)(nx * nx) + 1) : NULL;
    c->across = ZW_NEW(a, double, nx *nx + 1);
    c->first = ZW_NEW(a, double, nx + 1);
    c->row_stable = ZW_NEW(a, double, nx *nx + 1);
    c->row_grows = ZW_NEW(a, double, nx *nx + 1);
    c->aim = ZW_NEW(a, double, 2 * nx + 1);
    c->f = ZW_NEW(a, double, (size_t)N *(size_t)(m * nx) + 1);
    c->state = ZW_NEW(a, double, 6 * nx + 4);
    c->work = ZW_NEW(a, double, 2 * nx * nx + 1);
    c->by[0] = ZW_NEW(a, double, n);
    c->by[1] = ZW_NEW(a, double, n);
    c->twin = ZW_NEW(a, double, n);
    c->phase = ZW_NEW(a, double, n);
    if (!zw_connection_factors_make(&c->factors, a, nx, m, N) || a->failed)
        return zw_out_of_memory(err, NULL);
    return ZW_OK;
}

void zw_connection_state_of(const zw_connection *c, const double *x, double tau, double *state,
                            double *slope) {
    int j = 0, nx = c->nx, high = c->N;
    while (high - j > 1) {
        int mid = (j + high) / 2;
        *(tau < c->mesh[mid] ? &high : &j) = mid;
    }
    double h = zw_connection_width(c, j), s = (tau - c->mesh[j]) / h;
    memcpy(state, zw_connection_node(c, x, j), sizeof(double) * (size_t)nx);
    if (slope)
        memset(slope, 0, sizeof(double) * (size_t)nx);
    for (int l = 0; l < c->m; l++) {
        const double *k = zw_connection_slope(c, x, j, l);
        double part = 0, value = zw_gauss_lagrange(&c->rule, l, s);
        for (int i = 0; i < c->m; i++)
            part += s * c->rule.b[i] * zw_gauss_lagrange(&c->rule, l, s * c->rule.c[i]);
        for (int r = 0; r < nx; r++) {
            state[r] += h * part * k[r];
            if (slope)
                slope[r] += value * k[r];
        }
    }
}

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

/* entry r of u^(m) in interval j */
static double highest_derivative(const zw_connection *c, const double *x, int j, int r) {
    double scale = pow(zw_connection_width(c, j), 1 - c->m), sum = 0;
    for (int i = 2; i < c->m; i++)
        scale *= i;
    for (int l = 0; l < c->m; l++) {
        double part = scale;
        for (int k = 0; k < c->m; k++)
            if (k != l)
                part /= c->rule.c[l] - c->rule.c[k];
        sum += part * zw_connection_slope(c, x, j, l)[r];
    }
    return sum;
}

/* |u^(m+1)| at node j, in the sizes of the orbit */
static double derivative_size(const zw_connection *c, const double *x, int j) {
    double sum = 0;
    j = j < 1 ? 1 : j > c->N - 1 ? c->N - 1 : j;
    double apart = 0.5 * (zw_connection_width(c, j) + zw_connection_width(c, j - 1));
    for (int r = 0; r < c->nx; r++) {
        double change =
            c->essential[r]
                ? (highest_derivative(c, x, j, r) - highest_derivative(c, x, j - 1, r)) / c->size[r]
                : 0;
        sum += change * change;
    }
    return sqrt(sum) / apart;
}

double zw_connection_error(const zw_connection *c, const double *x) {
    double most = 0, C = error_constant(&c->rule), left = derivative_size(c, x, 0);
    for (int j = 0; j < c->N; j++) {
        double right = derivative_size(c, x, j + 1);
        most = fmax(most, C * pow(zw_connection_width(c, j), c->m + 1) * fmax(left, right));
        left = right;
    }
    return most;
}

static void spread_mesh(const zw_connection *c, const double *x, int n, double *density,
                        double *mesh) {
    double all = 0, left = derivative_size(c, x, 0);
    for (int j = 0; j < c->N; j++) {
        double right = derivative_size(c, x, j + 1);
        density[j] = pow(0.5 * (left + right), 1. / (c->m + 1));
        all += density[j] * zw_connection_width(c, j);
        left = right;
    }
    double least = all > 0 ? DENSITY_MIN * all : 1, whole = 0, done = 0;
    for (int j = 0; j < c->N; j++) {
        density[j] += least;
        whole += density[j] * zw_connection_width(c, j);
    }
    mesh[0] = 0;
    for (int j = 0, k = 1; j < c->N; j++) {
        double own = density[j] * zw_connection_width(c, j);
        for (; k < n && whole * k / n <= done + own; k++)
            mesh[k] = c->mesh[j] + (whole * k / n - done) / density[j];
        done += own;
    }
    mesh[n] = 1;
}

static void move_solution(const zw_connection *c, const double *x, int n, const double *mesh,
                          double *to) {
    int stride = c->nx * (c->m + 1);
    double *none = c->state;
    for (int j = 0; j < n; j++) {
        double *u = to + (size_t)j * (size_t)stride, h = mesh[j + 1] - mesh[j];
        zw_connection_state_of(c, x, mesh[j], u, NULL);
        for (int i = 0; i < c->m; i++)
            zw_connection_state_of(c, x, mesh[j] + c->rule.c[i] * h, none, u + c->nx * (i + 1));
    }
    memcpy(to + (size_t)(n * stride), x + (size_t)(c->N * stride),
           sizeof(double) * (size_t)(c->nx + 3)); /* u_N, T, a, and b of a tangent */
}

zw_status zw_connection_adapt(zw_connection *c, int intervals, int n, double **x, zw_error *err) {
    zw_arena work;
    size_t size = (size_t)(intervals * c->nx * (c->m + 1) + c->nx + 3);
    double *own = c->x;
    zw_arena_init(&work, &c->arena.alloc);
    double *mesh = ZW_NEW(&work, double, intervals + 1), *density = ZW_NEW(&work, double, c->N + 1),
           *moved = ZW_NEW(&work, double, size *(size_t)n + 1);
    zw_status status = zw_arena_status(&work, err);
    if (status >= 0) {
        spread_mesh(c, x[0], intervals, density, mesh);
        for (int i = 0; i < n; i++)
            move_solution(c, x[i], intervals, mesh, moved + size * (size_t)i);
        status = zw_connection_allocate(c, intervals, err);
    }
    if (status >= 0) {
        memcpy(c->mesh, mesh, sizeof(double) * (size_t)(intervals + 1));
        for (int i = 0; i < n; i++) {
            x[i] = x[i] == own ? c->x : x[i]; /* that of the old mesh was released */
            memcpy(x[i], moved + size * (size_t)i, sizeof(double) * size);
        }
    }
    zw_arena_clear(&work);
    return status;
}
