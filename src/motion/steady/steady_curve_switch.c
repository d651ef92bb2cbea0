/* SPDX-License-Identifier: MIT */
/* Branch switching at a branch point.
 *
 * With K of steady_branch_tests.c: at the crossing ker K = span(T, phi), T the tangent of the
 * curve, and psi K = 0; tangents alpha T + beta phi of curves through it satisfy
 *
 *     2 c_12 alpha beta + c_22 beta^2 = 0,     c_12 = psi DK(phi) T,   c_22 = psi DK(phi) phi,
 *
 * so that the other one is phi - c_22/(2 c_12) T. DK(phi) is a difference. If another curve is only
 * found closer to the branch point, the arclength starts with smaller units: otherwise steps would
 * pass over what bends on a smaller scale. */
#include <math.h>
#include <string.h>

#include "base/arena.h"
#include "num/linear/dense.h"
#include "steady_branch.h"

/* Of s, for differences of matrices whose columns of a and b are differences themselves: their
 * rounding of 1e-12 becomes 1e-9, and the truncation is 1e-6; the tangent is corrected
 * afterwards. */
#define DIFFERENCE_STEP 1e-3
/* from a branch point: where left vectors are taken, a first step, beyond which the matrix is
 * regular */
#define REFERENCE_DISTANCE 0.02
/* Distance from the branch point at which the other curve begins. If it is not met there, a tenth
 * of it is tried, down to the least one: anything closer is not resolved. */
#define FIRST_DISTANCE 2e-3
#define DISTANCE_FACTOR 0.1
#define DISTANCE_MIN 1e-5
/* c_12 that is zero, ten times its rounding: the curves touch, or more than two cross */
#define MIXED_DERIVATIVE 1e-8

/* The part of ker K that is perpendicular to T, as phi, and psi; K is built in c->work. */
static zw_status find_kernel(zw_steady_curve *c, const double *T, double *phi, double *psi,
                             zw_error *err) {
    int n = c->N + 1;
    zw_arena_mark mark = zw_arena_mark_now(&c->arena);
    double *sv = ZW_NEW(&c->arena, double, n + 1), *V = ZW_NEW(&c->arena, double, n *n + 1),
           *U = ZW_NEW(&c->arena, double, n *n + 1), length = 0;
    if (c->arena.failed)
        return zw_out_of_memory(err, NULL);
    zw_steady_curve_reduce_matrix(c, n, c->work);
    if (!zw_dense_svd(&c->arena, c->N, n, c->work, sv, V, U))
        return zw_dense_failure(&c->arena, err);
    memcpy(psi, U + (size_t)((c->N - 1) * c->N), sizeof(double) * (size_t)c->N);
    /* T lies in the span of the last two: the combination perpendicular to it */
    const double *u = V + (size_t)((c->N - 1) * n), *v = V + (size_t)(c->N * n);
    double tu = 0, tv = 0;
    for (int i = 0; i < n; i++) {
        tu += T[i] * u[i];
        tv += T[i] * v[i];
    }
    for (int i = 0; i < n; i++) {
        phi[i] = tv * u[i] - tu * v[i];
        length += phi[i] * phi[i];
    }
    for (int i = 0; i < n; i++)
        phi[i] /= sqrt(length);
    zw_arena_release(&c->arena, mark);
    return length > 0 ? ZW_OK : zw_fail(err, ZW_E_NUMERIC, "no other curve crosses here");
}

/* psi K(X + h phi) (N + 1) into out. */
static zw_status left_product(zw_steady_curve *c, const double *X, double a, double b, double h,
                              const double *phi, const double *psi, double *out, zw_error *err) {
    int n = c->N + 1;
    for (int i = 0; i < c->N; i++)
        c->point[i] = X[i] + h * phi[i];
    ZW_TRY(zw_steady_curve_jacobian(c, c->point, a + h * phi[c->N] * c->unit_a, b, n, err));
    zw_steady_curve_reduce_matrix(c, n, c->work);
    zw_dense_multiply(1, c->N, n, psi, c->work, out);
    return ZW_OK;
}

/* The other tangent (in units) into T2. */
static zw_status other_tangent(zw_steady_curve *c, const double *X, double a, double b,
                               const double *T, double *T2, zw_error *err) {
    int n = c->N + 1;
    double *phi = c->work2, *psi = phi + n, *low = psi + n, *high = low + n, c12 = 0, c22 = 0,
           length = 0;
    ZW_TRY(zw_steady_curve_jacobian(c, X, a, b, n, err));
    ZW_TRY(find_kernel(c, T, phi, psi, err));
    ZW_TRY(left_product(c, X, a, b, DIFFERENCE_STEP, phi, psi, high, err));
    ZW_TRY(left_product(c, X, a, b, -DIFFERENCE_STEP, phi, psi, low, err));
    for (int i = 0; i < n; i++) {
        c12 += (high[i] - low[i]) / (2 * DIFFERENCE_STEP) * T[i];
        c22 += (high[i] - low[i]) / (2 * DIFFERENCE_STEP) * phi[i];
    }
    if (!(fabs(c12) > MIXED_DERIVATIVE))
        return zw_fail(err, ZW_E_NUMERIC,
                       "the curves touch at the branch point, or there are more than two");
    for (int i = 0; i < n; i++) {
        T2[i] = phi[i] - c22 / (2 * c12) * T[i];
        if (i < c->nx || i == c->N)
            length += T2[i] * T2[i];
    }
    for (int i = 0; i < n; i++)
        T2[i] /= sqrt(length);
    return ZW_OK;
}

static zw_status start_nearby(zw_steady_branch *w, const zw_steady_point *at, int direction,
                              double *X, double *T, double *T2, zw_cont_info *info, zw_error *err) {
    zw_steady_curve *c = w->c;
    double gap, a = at->a;
    zw_steady_curve_place(c, at->motion, X);
    for (int i = 0; i < c->N; i++) /* the left vectors are taken a little before the branch point */
        c->point[i] = T[i] = at->tangent[i] / (i < c->nx ? c->o.scale[i] : c->unit_c[i - c->nx]);
    T[c->N] = at->tangent[c->N] / c->unit_a;
    double length = 0;
    for (int i = 0; i <= c->N; i++)
        length += T[i] * T[i];
    for (int i = 0; i <= c->N; i++)
        T[i] /= sqrt(length);
    for (int i = 0; i < c->N; i++)
        T2[i] = X[i] - REFERENCE_DISTANCE * T[i];
    ZW_TRY(zw_steady_curve_refer(c, T2, a - REFERENCE_DISTANCE * T[c->N] * c->unit_a, w->b,
                                 c->N + 1, &gap, err));
    memcpy(c->reference, X, sizeof(double) * (size_t)c->N);
    ZW_TRY(other_tangent(c, X, a, w->b, T, T2, err));
    for (int i = 0; i <= c->N; i++)
        T2[i] *= direction;
    T2[c->N] *= c->unit_a;
    memcpy(T, X, sizeof(double) * (size_t)c->N); /* the branch point */
    zw_status status = ZW_OK;
    bool again = true;
    for (double h = FIRST_DISTANCE; again && h >= DISTANCE_MIN; h *= DISTANCE_FACTOR) {
        zw_error trouble = {0};
        for (int i = 0; i < c->N; i++)
            X[i] = T[i] + h * T2[i];
        memcpy(T + c->N + 2, X, sizeof(double) * (size_t)c->N);
        a = at->a + h * T2[c->N];
        zw_steady_branch_measure(c, T, h / FIRST_DISTANCE, false);
        w->predicted = T + c->N + 2;
        w->distance = h;
        w->missed = false;
        w->outside = a < c->o.low || a > c->o.high;
        if (!w->outside)
            status = zw_steady_branch_follow(w, X, a, direction, T2, info, &trouble);
        if (w->outside) /* half of the curve lies outside the range */
            *info = (zw_cont_info){.end = ZW_CONT_AT_BOUND};
        again = !w->outside && (w->missed || (w->predicted && status == ZW_E_NUMERIC));
        w->predicted = NULL;
        if (again)
            status = zw_fail(&trouble, ZW_E_NUMERIC, "the other curve was not found nearby");
        if (status < 0 && !again && err)
            *err = trouble;
    }
    return again ? zw_fail(err, ZW_E_NUMERIC, "the other curve was not found nearby") : status;
}

zw_status zw_steady_curve_switch(zw_steady_curve *c, const zw_steady_point *at, int direction,
                                 zw_steady_take taker, void *user, zw_cont_info *info,
                                 zw_error *err) {
    zw_steady_branch w = {.c = c, .b = at->b};
    size_t bytes = sizeof(double) * 4 * (size_t)(c->N + 2);
    c->take = taker;
    c->user = user;
    ZW_TRY(zw_steady_curve_begin(c, at->motion, at->a, at->b, false, err));
    double *X = zw_allocate(&c->arena.alloc, bytes);
    if (!X)
        return zw_out_of_memory(err, NULL);
    zw_status status =
        start_nearby(&w, at, direction, X, X + c->N + 2, X + 3 * (c->N + 2), info, err);
    zw_release(&c->arena.alloc, X, bytes);
    return status;
}
