/* SPDX-License-Identifier: MIT */
/* Is the null space of A a family of neighbouring steady motions, or do branches meet here?
 *
 * A step of size d along a direction of ker A, seen as a state, is at a distance of order d^2 from
 * a steady motion if there is a family (0 if it is straight), and of order d if the zero is that of
 * a bifurcation: the nearest steady motion is then the motion itself, or on another branch. So one
 * step and half of it are tried. The distance that the solver moves away from them shrinks by a
 * factor of four for a family, or two. */
#include <math.h>
#include <string.h>

#include "base/arena.h"
#include "base/random.h"
#include "num/linear/dense.h"
#include "zwang/steady.h"

/* In the sizes of the state: the square, 1e-6, is well above rounding, and the cubic terms are
 * small. */
#define FAMILY_STEP 1e-3
/* in the sizes of the state: a straight family, by the solver's error */
#define DISTANCE_ROUNDOFF 1e-9
#define DISTANCE_RATIO 0.35 /* half step over whole: 1/4 for a family, 1/2 for a bifurcation */

/* Work on the test of a family. */
typedef struct family_test {
    zw_flow *flow;
    const zw_symmetries *s;
    const zw_linearisation *a;
    const zw_steady *at;
    const double *scale;
    double *n, *direction, *start, *x, *c, *z; /* a->n, nx, nx, nx, s->n, nz */
    zw_error *err;
} family_test;

static zw_status allocate_trial(family_test *t, zw_arena *arena) {
    const zw_kernel *k = zw_flow_kernel(t->flow);
    t->n = ZW_NEW(arena, double, t->a->n + 1);
    t->direction = ZW_NEW(arena, double, k->nx + 1);
    t->start = ZW_NEW(arena, double, k->nx + 1);
    t->x = ZW_NEW(arena, double, k->nx + 1);
    t->c = ZW_NEW(arena, double, t->s->n + 1);
    t->z = ZW_NEW(arena, double, k->nz + 1);
    return zw_arena_status(arena, t->err);
}

/* A random direction of ker A as a change of the state, of size one. */
static zw_status choose_direction(family_test *t, zw_arena *arena) {
    int n = t->a->n, nx = t->a->nx;
    double *sv = ZW_NEW(arena, double, n + 1), *V = ZW_NEW(arena, double, n *n + 1), most = 0;
    zw_random random = zw_random_stream(5, 0);
    if (arena->failed || !zw_dense_svd(arena, n, n, t->a->A, sv, V, NULL))
        return zw_dense_failure(arena, t->err);
    for (int k = n - t->a->nfamily; k < n; k++) {
        double factor = zw_random_real(&random, 0.5, 1);
        for (int j = 0; j < n; j++)
            t->n[j] += factor * V[k * n + j];
    }
    zw_dense_multiply(nx, n, 1, t->a->T, t->n, t->direction);
    for (int i = 0; i < nx; i++)
        most = fmax(most, fabs(t->direction[i]) / t->scale[i]);
    for (int i = 0; i < nx; i++)
        t->direction[i] /= most > 0 ? most : 1;
    return ZW_OK;
}

/* The distance, apart from orbits, between a step of this size and the steady motion that is found
 * from it; infinite if none is found. */
static double distance_after(family_test *t, double size) {
    zw_error trouble = {0};
    zw_steady found = {.t = t->at->t, .x = t->x, .c = t->c, .z = t->z};
    double most = 0;
    for (int i = 0; i < t->a->nx; i++)
        t->x[i] = t->at->x[i] + size * t->direction[i];
    if (zw_flow_project(t->flow, t->at->t, t->x, NULL, &trouble) < 0)
        return INFINITY;
    memcpy(t->start, t->x, sizeof(double) * (size_t)t->a->nx);
    if (zw_steady_find(&found, t->flow, t->s, t->scale, 0, NULL, &trouble) < 0)
        return INFINITY;
    for (int j = 0; j < t->a->n; j++) {
        double y = 0, change = 0;
        for (int i = 0; i < t->a->nx; i++)
            y += t->a->D[j * t->a->nx + i] * (t->x[i] - t->start[i]);
        for (int i = 0; i < t->a->nx; i++)
            change = fmax(change, fabs(y * t->a->T[i * t->a->n + j]) / t->scale[i]);
        most = fmax(most, change);
    }
    return most;
}

zw_status zw_steady_is_family(zw_flow *flow, const zw_symmetries *s, const zw_steady *at,
                              const zw_linearisation *a, const double *scale, bool *family,
                              zw_error *err) {
    family_test t = {.flow = flow, .s = s, .a = a, .at = at, .scale = scale, .err = err};
    zw_arena arena;
    *family = true;
    if (a->nfamily == 0)
        return ZW_OK;
    zw_arena_init(&arena, &zw_flow_kernel(flow)->alloc);
    zw_status status = allocate_trial(&t, &arena);
    if (status >= 0)
        status = choose_direction(&t, &arena);
    if (status >= 0) {
        double whole = distance_after(&t, FAMILY_STEP), half = distance_after(&t, FAMILY_STEP / 2);
        *family = half <= DISTANCE_ROUNDOFF || half < DISTANCE_RATIO * whole;
    }
    zw_arena_clear(&arena);
    return status;
}
