/* SPDX-License-Identifier: MIT */
/* Directions of the state in which a steady motion has neighbours: the null space of Dr (steady.c),
 * where a small singular value may still be a true slope. */
#include <math.h>
#include <string.h>

#include "base/arena.h"
#include "num/linear/dense.h"
#include "steady.h"

/* Singular values of Dr relative to the largest: below, there are other solutions in this
 * direction, unless the value is a slope. sqrt(eps) with margin. */
#define NEIGHBOUR 1e-7
/* relative difference between a slope and its difference quotients; along a family they differ by a
 * factor */
#define SLOPE_AGREES 0.1
#define SLOPE_STEP_MAX 1e-2 /* steps of these, of the size of the state */
#define SLOPE_STEP_MIN 1e-6

/* ----------------------------------------------------------------------------------- neighbours */

/* U_k.r at the state moved along a singular vector by a part h of its size. */
static bool move_along(zw_steady_solver *a, int k, double h, double *value) {
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

/* Is a small singular value a true slope, not rounding? Differences of r then agree with it; along
 * a family they fall with h^2. */
static bool is_slope(zw_steady_solver *a, int k) {
    if (k >= a->m || a->nfree || !(a->sv[k] > 0))
        return false;
    for (double h = SLOPE_STEP_MAX; h > SLOPE_STEP_MIN; h /= 10) {
        double side[4];
        if (move_along(a, k, h, &side[0]) && move_along(a, k, -h, &side[1]) &&
            move_along(a, k, h / 3, &side[2]) && move_along(a, k, -h / 3, &side[3]) &&
            fabs((side[0] - side[1]) / (2 * h) - a->sv[k]) < SLOPE_AGREES * a->sv[k] &&
            fabs((side[2] - side[3]) / (2 * h / 3) - a->sv[k]) < SLOPE_AGREES * a->sv[k])
            return true;
    }
    return false;
}

/* The null space of Dr as changes of the state; directions that change c alone do not count. */
static zw_status find_neighbours(zw_steady_solver *a, const double *c, int *n, double *N) {
    int nx = a->nx, found = 0;
    ZW_TRY(zw_steady_begin(a));
    memcpy(a->c, c, sizeof(double) * (size_t)a->nc);
    ZW_TRY(zw_steady_rescale_rows(a));
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
    while (found < nx && found < a->n - first && sv[found] > ZW_STEADY_INDEPENDENT)
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
