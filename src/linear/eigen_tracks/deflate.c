/* SPDX-License-Identifier: MIT */
/* Removal of zero eigenvalues. Let N(v) be a basis of the vectors that some power of A takes to
 * zero (k of them at all v). A acts on the quotient by N. In coordinates C, with C N = 0 and C C' =
 * 1 at a reference value, and R = N' there,
 *
 *     A_q = L A C',    L = C - (C N)(R N)^-1 R       (L N = 0, L C' = 1)
 *
 * depends smoothly on v, for any basis of N(v). N is found in steps: ker A, then the kernel of A on
 * the quotient by it, and so on, each by singular values. Eigenvalues would not do: rounding splits
 * a zero of a chain of length two into values of the size sqrt(eps). */
#include "deflate.h"

#include <math.h>
#include <string.h>

#include "base/arena.h"
#include "base/tolerance.h"
#include "num/linear/dense.h"

/* Singular values relative to the largest: zero below SINGULAR_ZERO. Rounding leaves about 1e-13 of
 * a balanced matrix of some dozen rows, after two or three quotients 1e-11; a larger limit would
 * remove slow modes. */
#define SINGULAR_ZERO ZW_ROUNDOFF_SOLVED
/* Below this the next singular value is not separated from the zeros: the basis N is then known to
 * ZW_ROUNDOFF_VALUE / 1e-6 only. */
#define SINGULAR_SEPARATED 1e-6

zw_status zw_deflation_init(zw_deflation *d, zw_arena *arena, int n, double unit, zw_error *err) {
    *d = (zw_deflation){.n = n, .m = n, .unit = unit, .nlevel = -1, .arena = arena, .err = err};
    int nn = n * n + 1;
    d->level = ZW_NEW(arena, int, n + 1);
    d->C = ZW_NEW(arena, double, nn);
    d->R = ZW_NEW(arena, double, nn);
    d->N = ZW_NEW(arena, double, nn);
    d->B = ZW_NEW(arena, double, nn);
    d->V = ZW_NEW(arena, double, nn);
    d->W = ZW_NEW(arena, double, nn);
    d->Q = ZW_NEW(arena, double, nn);
    d->step = ZW_NEW(arena, double, nn);
    d->sv = ZW_NEW(arena, double, n + 1);
    return zw_arena_status(arena, err);
}

/* One step: replace the basis Q (rows, size x n) of the quotient B (size x size) by that of its
 * quotient by the kernel of dimension k. */
static void divide_kernel(zw_deflation *d, int size, int k, int found) {
    int n = d->n, rest = size - k;
    for (int j = 0; j < k; j++) /* the kernel, as vectors of the whole space */
        for (int i = 0; i < n; i++) {
            double sum = 0;
            for (int l = 0; l < size; l++)
                sum += d->V[(rest + j) * size + l] * d->Q[l * n + i];
            d->N[i * n + found + j] = sum;
        }
    zw_dense_multiply(rest, size, n, d->V, d->Q, d->step);
    memcpy(d->Q, d->step, sizeof(double) * (size_t)(rest * n));
    zw_dense_multiply(rest, size, size, d->V, d->B, d->step);
    for (int i = 0; i < rest; i++)
        for (int j = 0; j < rest; j++) {
            double sum = 0;
            for (int l = 0; l < size; l++)
                sum += d->step[i * size + l] * d->V[j * size + l];
            d->W[i * rest + j] = sum;
        }
    memcpy(d->B, d->W, sizeof(double) * (size_t)(rest * rest));
}

/* N (in columns) and Q (in rows of length n), by the known levels, or with `count` by as many
 * levels as A has. */
static zw_status split_space(zw_deflation *d, const double *A, bool count, int *level, int *nlevel,
                             bool *separated) {
    int n = d->n, size = n, found = 0, l = 0;
    double all = 0;
    memcpy(d->B, A, sizeof(double) * (size_t)(n * n));
    memset(d->Q, 0, sizeof(double) * (size_t)(n * n));
    for (int i = 0; i < n; i++)
        d->Q[i * n + i] = 1;
    *separated = true;
    while (size > 0 && (count || l < d->nlevel)) {
        if (!zw_dense_svd(d->arena, size, size, d->B, d->sv, d->V, NULL))
            return zw_dense_failure(d->arena, d->err);
        all = l == 0 ? fmax(d->sv[0], d->unit) : all;
        int k = 0;
        while (count && k < size && d->sv[size - 1 - k] <= SINGULAR_ZERO * all)
            k++;
        if (!count)
            k = d->level[l];
        if (k == 0)
            break;
        *separated &= k == size || d->sv[size - 1 - k] > SINGULAR_SEPARATED * all;
        divide_kernel(d, size, k, found);
        level[l++] = k;
        found += k;
        size -= k;
    }
    *nlevel = l;
    return ZW_OK;
}

zw_status zw_deflation_count(zw_deflation *d, const double *A) {
    zw_arena_mark mark = zw_arena_mark_now(d->arena);
    int *level = ZW_NEW(d->arena, int, d->n + 1), nlevel, zeros = 0;
    bool separated;
    zw_status status = level ? split_space(d, A, true, level, &nlevel, &separated)
                             : zw_out_of_memory(d->err, NULL);
    if (status >= 0) {
        for (int l = 0; l < nlevel; l++)
            zeros += level[l];
        if (d->nlevel < 0 || zeros < d->n - d->m) {
            memcpy(d->level, level, sizeof(int) * (size_t)nlevel);
            d->nlevel = nlevel;
            d->m = d->n - zeros;
        }
    }
    zw_arena_release(d->arena, mark);
    return status;
}

zw_status zw_deflation_refer(zw_deflation *d, const double *A) {
    bool separated;
    int n = d->n, nlevel;
    ZW_TRY(split_space(d, A, false, d->level, &nlevel, &separated));
    memcpy(d->C, d->Q, sizeof(double) * (size_t)(d->m * n));
    for (int j = 0; j < n - d->m; j++)
        for (int i = 0; i < n; i++)
            d->R[j * n + i] = d->N[i * n + j];
    return ZW_OK;
}

zw_status zw_deflate(zw_deflation *d, const double *A, double *A_q, bool *separated) {
    int n = d->n, m = d->m, k = n - m, nlevel;
    *separated = true;
    if (k == 0) {
        memcpy(A_q, A, sizeof(double) * (size_t)(n * n));
        return ZW_OK;
    }
    ZW_TRY(split_space(d, A, false, d->level, &nlevel, separated));
    double *M = d->B, *Y = d->V, *L = d->step; /* R N, then (C N)(R N)^-1 */
    for (int i = 0; i < m + k; i++)
        for (int j = 0; j < k; j++) {
            const double *row =
                i < m ? d->C + (size_t)i * (size_t)n : d->R + (size_t)(i - m) * (size_t)n;
            double sum = 0;
            for (int l = 0; l < n; l++)
                sum += row[l] * d->N[l * n + j];
            *(i < m ? &Y[i * k + j] : &M[(i - m) * k + j]) = sum;
        }
    zw_dense_divide(m, k, M, Y);
    for (int i = 0; i < m; i++)
        for (int l = 0; l < n; l++) {
            L[i * n + l] = d->C[i * n + l];
            for (int j = 0; j < k; j++)
                L[i * n + l] -= Y[i * k + j] * d->R[j * n + l];
        }
    zw_dense_multiply(m, n, n, L, A, d->W);
    for (int i = 0; i < m; i++)
        for (int j = 0; j < m; j++) {
            double sum = 0;
            for (int l = 0; l < n; l++)
                sum += d->W[i * n + l] * d->C[j * n + l];
            A_q[i * m + j] = sum;
        }
    return ZW_OK;
}
