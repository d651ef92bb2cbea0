/* SPDX-License-Identifier: MIT */
/* Eigenvalues of small disturbances along curves of steady motions, and smooth functions of them
 * that vanish at special points. As in linearise.c,
 *
 *     A = Q D J T Q',     T, D: tangent space of the constraints, Q: complement of the orbits,
 *
 * also near a steady motion, where differences are taken. Zeros that exist at all points
 * (neighbouring steady motions that held values select from, conserved quantities) are divided out
 * (deflate.h). A pair of eigenvalues lies on the axis, or two real ones are opposite, where
 *
 *     prod_{i<j} (l_i + l_j) = 0.
 *
 * Undamped oscillations have such pairs at all points: the smallest factors are left out, as many
 * as vanish at the point with the fewest. */
#include <complex.h>
#include <float.h>
#include <math.h>
#include <string.h>

#include "base/arena.h"
#include "base/tolerance.h"
#include "num/linear/dense.h"
#include "steady_curve.h"

/* Sum of two eigenvalues relative to their sizes: zero. */
#define SUM_ZERO ZW_ROUNDOFF_SOLVED
#define EIGENVALUE_ROUNDOFF 1e-15 /* of the largest eigenvalue, for balanced matrices: 5 eps */
/* Real part relative to the largest eigenvalue that belongs to an undamped oscillation: where pairs
 * are opposite, eigenvalues may be double, and are known to sqrt(eps) times a condition of 100. */
#define UNDAMPED 1e-6
#define SUM_SIZE_MIN 1e-5 /* of the slowest eigenvalue: size of a sum of two that vanish together */
/* real part of an eigenvalue, relative to it, at a located special point */
#define ON_AXIS 1e-5

/* Rows O, then Q: the right singular vectors of the symmetries in the coordinates of T. */
static zw_status find_frame(zw_steady_curve *c, int d, const double *D, double *frame,
                            zw_error *err) {
    int nx = c->nx, nc = c->nc;
    double *rows = ZW_NEW(&c->arena, double, (nc + 1) * d + 1),
           *sv = ZW_NEW(&c->arena, double, d + 1);
    if (c->arena.failed)
        return zw_out_of_memory(err, NULL);
    for (int j = 0; j < nc; j++)
        for (int i = 0; i < d; i++)
            for (int l = 0; l < nx; l++)
                rows[j * d + i] += D[i * nx + l] * c->X[j * nx + l] * c->unit_c[j];
    if (!zw_dense_svd(&c->arena, nc > 0 ? nc : 1, d, rows, sv, frame, NULL))
        return zw_dense_failure(&c->arena, err);
    return ZW_OK;
}

/* A into c->A, its size into *n. */
static zw_status find_matrix(zw_steady_curve *c, const double *X, double a, double b, int *n,
                             zw_error *err) {
    int nx = c->nx, d;
    double *T = ZW_NEW(&c->arena, double, nx *nx + 1), *D = ZW_NEW(&c->arena, double, nx *nx + 1),
           *half = ZW_NEW(&c->arena, double, nx *nx + 1),
           *AS = ZW_NEW(&c->arena, double, nx *nx + 1),
           *frame = ZW_NEW(&c->arena, double, nx *nx + 1);
    if (c->arena.failed)
        return zw_out_of_memory(err, NULL);
    ZW_TRY(zw_steady_curve_set(c, a, b, err));
    for (int i = 0; i < nx; i++)
        c->x[i] = X[i] * c->o.scale[i];
    for (int j = 0; j < c->nc; j++)
        c->c[j] = X[nx + j] * c->unit_c[j];
    ZW_TRY(zw_flow_tangent(c->flow, c->o.t, c->x, ZW_METRIC_MASS, &d, T, D, err));
    ZW_TRY(zw_symmetries_operator(&c->s, c->flow, c->o.t, c->x, c->c, c->J, err));
    ZW_TRY(zw_symmetries_at(&c->s, c->flow, c->o.t, c->x, NULL, c->X, err));
    zw_dense_multiply(nx, nx, d, c->J, T, half);
    zw_dense_multiply(d, nx, d, D, half, AS);
    ZW_TRY(find_frame(c, d, D, frame, err));
    int skip = c->norbit < d ? c->norbit : d;
    const double *Q = frame + (size_t)(skip * d);
    *n = d - skip;
    zw_dense_multiply(*n, d, d, Q, AS, half);
    for (int i = 0; i < *n; i++)
        for (int j = 0; j < *n; j++) {
            c->A[i * *n + j] = 0;
            for (int l = 0; l < d; l++)
                c->A[i * *n + j] += half[i * d + l] * Q[j * d + l];
        }
    return ZW_OK;
}

/* The fewest pairs with sum zero of all points so far. */
static void count_neutral(zw_steady_curve *c) {
    int n = 0;
    for (int i = 0; i < c->n; i++)
        for (int j = i + 1; j < c->n; j++) {
            double size = hypot(c->re[i], c->im[i]) + hypot(c->re[j], c->im[j]);
            n += hypot(c->re[i] + c->re[j], c->im[i] + c->im[j]) <= SUM_ZERO * size;
        }
    c->neutral = c->neutral < 0 || n < c->neutral ? n : c->neutral;
}

static zw_status find_eigenvalues(zw_steady_curve *c, int n, bool count, zw_error *err) {
    bool separated;
    zw_dense_eigen e;
    if (!c->counted || c->deflation.n != n) {
        ZW_TRY(zw_deflation_init(&c->deflation, &c->arena, n, 0, err));
        c->counted = true;
    }
    c->deflation.err = err;
    count |= c->deflation.nlevel < 0;
    if (c->regular && c->deflation.nlevel < 0) {
        c->deflation.nlevel = 0;
        c->deflation.m = n;
        c->neutral = -1;
    }
    if (count && (c->deflation.nlevel < 0 || c->deflation.m < n)) {
        c->neutral = c->deflation.nlevel < 0 ? -1 : c->neutral;
        ZW_TRY(zw_deflation_count(&c->deflation, c->A));
        ZW_TRY(zw_deflation_refer(&c->deflation, c->A));
    }
    zw_arena_mark mark = zw_arena_mark_now(&c->arena);
    ZW_TRY(zw_deflate(&c->deflation, c->A, c->Aq, &separated));
    c->n = c->deflation.m;
    if (c->n > 0 && !zw_dense_eigenvalues(&c->arena, c->n, c->Aq, &e))
        return zw_dense_failure(&c->arena, err);
    for (int i = 0; i < c->n; i++) {
        c->re[i] = e.re[i];
        c->im[i] = e.im[i];
    }
    zw_arena_release(&c->arena, mark);
    if (count)
        count_neutral(c);
    return ZW_OK;
}

zw_status zw_steady_curve_spectrum(zw_steady_curve *c, const double *X, double a, double b,
                                   bool count, zw_error *err) {
    int n = 0;
    zw_arena_mark mark = zw_arena_mark_now(&c->arena);
    zw_status status = find_matrix(c, X, a, b, &n, err);
    zw_arena_release(&c->arena, mark);
    return status < 0 ? status : find_eigenvalues(c, n, count, err);
}

/* ------------------------------------------------------------------------------------ functions */

double zw_steady_curve_sums(const zw_steady_curve *c, const int skip[2]) {
    enum { LEAST = 64 };
    double smallest[LEAST]; /* ascending: those that are left out at the end */
    double complex factor[LEAST], product = 1;
    int nleft = 0, most = c->neutral < LEAST ? c->neutral : LEAST;
    for (int i = 0; i < c->n; i++)
        for (int j = i + 1; j < c->n; j++) {
            if (i == skip[0] || i == skip[1] || j == skip[0] || j == skip[1])
                continue;
            double complex u = c->re[i] + I * c->im[i], v = c->re[j] + I * c->im[j];
            /* the size does not vanish where both eigenvalues do */
            double size = cabs(u) + cabs(v) + SUM_SIZE_MIN * c->slow + DBL_MIN;
            double complex f = (u + v) / size;
            if (most == 0) {
                product *= f;
                continue;
            }
            int k = nleft;
            if (nleft == most) {
                if (cabs(f) >= smallest[most - 1]) {
                    product *= f;
                    continue;
                }
                product *= factor[most - 1];
                k = most - 1;
            } else {
                nleft++;
            }
            for (; k > 0 && smallest[k - 1] > cabs(f); k--) {
                smallest[k] = smallest[k - 1];
                factor[k] = factor[k - 1];
            }
            smallest[k] = cabs(f);
            factor[k] = f;
        }
    return creal(product);
}

int zw_steady_curve_growing(const zw_steady_curve *c) {
    double most = c->rate;
    int n = 0;
    for (int i = 0; i < c->n; i++)
        most = fmax(most, hypot(c->re[i], c->im[i]));
    for (int i = 0; i < c->n; i++) {
        double neutral = c->neutral > 0
                             ? UNDAMPED * most
                             : SUM_ZERO * hypot(c->re[i], c->im[i]) + EIGENVALUE_ROUNDOFF * most;
        if (c->neutral == 0 && fabs(c->re[i]) <= neutral)
            return -1;
        n += c->re[i] > neutral;
    }
    return n;
}

/* The real part of the eigenvalue of the last point that is nearest to eigenvalue i, absolute. */
static double real_before(const zw_steady_curve *c, int i) {
    double best = INFINITY, re = 0;
    for (int j = 0; j < c->nlast; j++) {
        double away = hypot(c->last_re[j] - c->re[i], c->last_im[j] - c->im[i]);
        if (away < best) {
            best = away;
            re = c->last_re[j];
        }
    }
    return fabs(re);
}

int zw_steady_curve_pair(const zw_steady_curve *c, const int skip[2]) {
    int best = -1;
    double moved = -1;
    for (int i = 0; i < c->n; i++) {
        double size = hypot(c->re[i], c->im[i]);
        if (i == skip[0] || i == skip[1] || !(c->im[i] > 0) || fabs(c->re[i]) > ON_AXIS * size ||
            c->im[i] < ON_AXIS * c->slow)
            continue;
        double before = real_before(c, i) / size;
        if (c->neutral > 0 && before <= SUM_ZERO)
            continue;
        if (before > moved) {
            moved = before;
            best = i;
        }
    }
    return best;
}
