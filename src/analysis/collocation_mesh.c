/* SPDX-License-Identifier: MIT */
/* Meshes of collocation. In an interval of width h the polynomial of degree m differs from the motion by about
 *
 *     e = C h^(m+1) |u^(m+1)|,       C = max over s of |integral from 0 to s of (x - c_1) ... (x - c_m) dx| / m!,
 *
 * where u^(m+1) is known from the jumps of u^(m), which is constant in an interval. It is the same everywhere if all intervals have
 * the same integral of |u^(m+1)|^(1/(m+1)) (C. de Boor, in Conference on the Numerical Solution of Differential
 * Equations, 1974). */
#include <math.h>
#include <string.h>

#include "collocation.h"

#define FLOOR 0.05 /* of the mean: the least density of intervals */

/* C */
static double constant(const zw_gauss *g) {
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
static void highest(const zw_colloc *c, const double *x, int j, double *out) {
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

/* |u^(m+1)| at the beginning of interval j, in the sizes of the state */
static double bend(const zw_colloc *c, const double *x, int j) {
    int before = j > 0 ? j - 1 : c->N - 1;
    double *here = c->state, *there = c->state + c->nx, sum = 0,
           apart = 0.5 * (zw_colloc_width(c, j) + zw_colloc_width(c, before));
    highest(c, x, j, here);
    highest(c, x, before, there);
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

double zw_colloc_error(const zw_colloc *c, const double *x) {
    double most = 0, C = constant(&c->rule), first = bend(c, x, 0), left = first;
    for (int j = 0; j < c->N; j++) {
        double right = j + 1 < c->N ? bend(c, x, j + 1) : first;
        most = fmax(most, C * pow(zw_colloc_width(c, j), c->m + 1) * fmax(left, right));
        left = right;
    }
    return most;
}

/* the mesh of n intervals on which the density has the same integral in each */
static void spread(const zw_colloc *c, const double *x, int n, double *density, double *mesh) {
    double all = 0, first = bend(c, x, 0), left = first;
    for (int j = 0; j < c->N; j++) {
        double right = j + 1 < c->N ? bend(c, x, j + 1) : first;
        density[j] = pow(0.5 * (left + right), 1. / (c->m + 1));
        all += density[j] * zw_colloc_width(c, j);
        left = right;
    }
    double least = all > 0 ? FLOOR * all : 1, whole = 0, done = 0;
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

/* a vector on another mesh; its last two entries, P and a, as they are */
static void move(const zw_colloc *c, const double *x, int n, const double *mesh, double *to) {
    int stride = c->nx * (c->m + 1), borders = c->free_period ? 2 : 1;
    double *none = c->state;
    for (int j = 0; j < n; j++) {
        double *u = to + (size_t)j * (size_t)stride, h = mesh[j + 1] - mesh[j];
        zw_colloc_state(c, x, mesh[j], u, NULL);
        for (int i = 0; i < c->m; i++)
            zw_colloc_state(c, x, mesh[j] + c->rule.c[i] * h, none, u + c->nx * (i + 1));
    }
    for (int k = 0; k < borders; k++)
        to[n * stride + k] = x[c->N * stride + k];
}

zw_status zw_colloc_adapt(zw_colloc *c, int intervals, int n, double **x, zw_error *err) {
    zw_arena work;
    size_t size = (size_t)(intervals * c->nx * (c->m + 1) + 2);
    if (intervals < 1)
        return zw_fail(err, ZW_E_OPTION, "a mesh has one interval at least");
    zw_arena_init(&work, &c->arena.alloc);
    double *mesh = ZW_NEW(&work, double, intervals + 1), *density = ZW_NEW(&work, double, c->N + 1),
           *moved = ZW_NEW(&work, double, size *(size_t)n + 1);
    zw_status status = work.failed ? zw_fail(err, ZW_E_MEMORY, "out of memory") : ZW_OK;
    if (status >= 0) {
        spread(c, x[0], intervals, density, mesh);
        for (int i = 0; i < n; i++)
            move(c, x[i], intervals, mesh, moved + size * (size_t)i);
        status = zw_colloc_room(c, intervals, err);
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
