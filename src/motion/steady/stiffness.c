/* SPDX-License-Identifier: MIT */
/* The potential about an equilibrium. At rest the tangent space of the manifold splits into
 * positions (directions P, with dv = 0) and velocities (R, with dq = 0). In coordinates that are
 * orthonormal in the metric of the masses, where masses are 1,
 *
 *     y_p' = S y_r,    y_r' = -K y_p - ...     S = P'A R,   K = -R'A P,     so   y_p'' = -S K y_p -
 * ...
 *
 * and S K is the second derivative of the potential on the constraints, if there is one: it is then
 * symmetric. A force that follows the motion has no potential. Constraints on velocities leave more
 * positions than velocities, and the signs of S K mean nothing. */
#include <math.h>
#include <string.h>

#include "num/linear/dense.h"
#include "zwang/steady.h"

/* singular values relative to the largest: no part in a direction; sqrt(eps) */
#define NO_COMPONENT 1e-8
/* skew part relative to the largest entry: two decompositions of rounding */
#define SYMMETRIC 1e-8
/* Curvature relative to the steepest one: flat. Rounding is 1e-13, and a spring 1e10 times softer
 * than another is still seen. */
#define CURVATURE_FLAT 1e-11

/* Positions and velocities of the tangent space. */
typedef struct tangent_halves {
    int nx, nq, nv, d, n;
    double *T, *D, *A; /* nx x d, d x nx, d x d */
    double *P, *R;     /* n x d: rows */
    zw_arena *work;
    zw_error *err;
} tangent_halves;

/* Combinations of the columns of T that vanish in `rows` entries from `first`, as rows of `out`;
 * returns their number. */
static int null_part(tangent_halves *h, int first, int rows, double *out) {
    int d = h->d, rank = 0;
    double *V = ZW_NEW(h->work, double, d *d + 1), *sv = ZW_NEW(h->work, double, d + 1);
    if (h->work->failed ||
        !zw_dense_svd(h->work, rows, d, h->T + (size_t)first * (size_t)d, sv, V, NULL))
        return -1;
    while (rank < d && rank < rows && sv[rank] > NO_COMPONENT * sv[0])
        rank++;
    memcpy(out, V + (size_t)rank * (size_t)d, sizeof(double) * (size_t)((d - rank) * d));
    return d - rank;
}

/* B A' C' (n x n) of rows B and C (n x d). */
static void triple_product(const tangent_halves *h, const double *B, const double *C, double *out) {
    for (int i = 0; i < h->n; i++)
        for (int j = 0; j < h->n; j++) {
            double sum = 0;
            for (int k = 0; k < h->d; k++)
                for (int l = 0; l < h->d; l++)
                    sum += B[i * h->d + k] * h->A[k * h->d + l] * C[j * h->d + l];
            out[i * h->n + j] = sum;
        }
}

static zw_status linear_equations(tangent_halves *h, zw_flow *flow, const zw_steady *at) {
    int nx = h->nx;
    double *J = ZW_NEW(h->work, double, nx *nx + 1), *JT;
    h->T = ZW_NEW(h->work, double, nx *nx + 1);
    h->D = ZW_NEW(h->work, double, nx *nx + 1);
    if (h->work->failed)
        return zw_dense_failure(h->work, h->err);
    ZW_TRY(zw_flow_tangent(flow, at->t, at->x, ZW_METRIC_MASS, &h->d, h->T, h->D, h->err));
    ZW_TRY(zw_flow_jacobian(flow, at->t, at->x, J, NULL, h->err));
    JT = ZW_NEW(h->work, double, nx * h->d + 1);
    h->A = ZW_NEW(h->work, double, h->d * h->d + 1);
    h->P = ZW_NEW(h->work, double, h->d * h->d + 1);
    h->R = ZW_NEW(h->work, double, h->d * h->d + 1);
    if (h->work->failed)
        return zw_dense_failure(h->work, h->err);
    zw_dense_multiply(nx, nx, h->d, J, h->T, JT);
    zw_dense_multiply(h->d, nx, h->d, h->D, JT, h->A);
    return ZW_OK;
}

static bool is_symmetric(int n, const double *K) {
    double most = 0, skew = 0;
    for (int i = 0; i < n; i++)
        for (int j = 0; j < n; j++) {
            most = fmax(most, fabs(K[i * n + j]));
            skew = fmax(skew, fabs(K[i * n + j] - K[j * n + i]));
        }
    return skew <= SYMMETRIC * most;
}

static zw_status count_signs(tangent_halves *h, zw_curvature *out) {
    int n = h->n;
    double *S = ZW_NEW(h->work, double, n *n + 1), *K = ZW_NEW(h->work, double, n *n + 1),
           *SK = ZW_NEW(h->work, double, n *n + 1), most = 0;
    zw_dense_eigen e;
    if (h->work->failed)
        return zw_dense_failure(h->work, h->err);
    triple_product(h, h->P, h->R, S);
    triple_product(h, h->R, h->P, K);
    zw_dense_multiply(n, n, n, S, K, SK);
    out->known = is_symmetric(n, SK);
    if (!out->known)
        return ZW_OK;
    if (!zw_dense_eigenvalues(h->work, n, SK, &e))
        return zw_dense_failure(h->work, h->err);
    for (int i = 0; i < n; i++)
        most = fmax(most, fabs(e.re[i]));
    for (int i = 0; i < n; i++) {
        out->up += -e.re[i] > CURVATURE_FLAT * most;
        out->down += -e.re[i] < -CURVATURE_FLAT * most;
        out->flat += fabs(e.re[i]) <= CURVATURE_FLAT * most;
    }
    return ZW_OK;
}

zw_status zw_steady_curvature(zw_flow *flow, const zw_steady *at, zw_curvature *out,
                              zw_error *err) {
    const zw_kernel *k = zw_flow_kernel(flow);
    zw_arena work;
    tangent_halves h = {.nx = k->nx, .nq = k->nq, .nv = k->nv, .work = &work, .err = err};
    *out = (zw_curvature){0};
    zw_arena_init(&work, &k->alloc);
    zw_status status = linear_equations(&h, flow, at);
    if (status >= 0) {
        int positions = null_part(&h, h.nq, h.nv, h.P), velocities = null_part(&h, 0, h.nq, h.R);
        h.n = positions;
        if (positions < 0 || velocities < 0)
            status = zw_dense_failure(&work, err);
        else if (positions == velocities && positions + velocities == h.d)
            status = count_signs(&h, out);
    }
    zw_arena_clear(&work);
    return status;
}
