/* SPDX-License-Identifier: MIT */
/* Along which directions of the state a steady motion has neighbours: the null space of Dr
 * (steady.c), as far as small singular values are no slopes. */
#include <math.h>
#include <string.h>

#include "base/arena.h"
#include "num/linear/dense.h"
#include "steady.h"

#define NEIGHBOUR 1e-7 /* singular values of Dr along which there are other solutions */
#define SLOPE 0.1      /* by how much a slope and its differences may differ */

/* ----------------------------------------------------------------------------------- neighbours */

/* U_k.r at the state moved along a singular vector by a part h of its size */
static bool look_along(zw_steady_solver *a, int k, double h, double *value) {
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
        zw_steady_residual(a, a->x_trial, a->c_trial, &ignored) < 0)
        return false;
    *value = 0;
    for (int i = 0; i < a->m; i++)
        *value += a->U[k * a->m + i] * a->r[i] / a->row_unit[i];
    return true;
}

/* A small singular value is a slope, not rounding, if differences of r show the same. Along a
 * family they fall with h^2. */
static bool is_slope(zw_steady_solver *a, int k) {
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
static zw_status find_neighbours(zw_steady_solver *a, const double *c, int *n, double *N) {
    int nx = a->nx, found = 0;
    ZW_TRY(zw_steady_begin(a));
    memcpy(a->c, c, sizeof(double) * (size_t)a->nc);
    ZW_TRY(zw_steady_size_rows_alone(a));
    int first = 0;
    while (first < a->n && (a->sv[first] > NEIGHBOUR * a->sv[0] || is_slope(a, first)))
        first++;
    double *rows = ZW_NEW(&a->arena, double, (a->n - first) * nx + 1),
           *V = ZW_NEW(&a->arena, double, nx *nx + 1), *sv = ZW_NEW(&a->arena, double, nx + 1);
    if (a->arena.failed)
        return zw_out_of_memory(a->err, NULL);
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
    while (found < nx && found < a->n - first && sv[found] > ZW_STEADY_ALONG)
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
    zw_steady_solver a = zw_steady_solver_of(&copy, flow, s, problem, err);
    copy.z = ZW_NEW(&a.arena, double, a.k->nz + 1);
    zw_status status = copy.z ? find_neighbours(&a, at->c, n, N) : zw_out_of_memory(err, NULL);
    zw_arena_clear(&a.arena);
    return status;
}
