/* SPDX-License-Identifier: MIT */
/* Small dense algebra with rows of six, the velocities of a body: everything is inlined, and
 * unrolled where a caller knows the other sizes. Rows are written as vectors of four and two, since
 * without them the compiler keeps the sums in memory. The order of the operations is that of the
 * plain loops, so that the bits are the same on every processor.
 *
 * Functions with the attribute ZW_CLONES are compiled for the vectors of two generations of
 * processors; the loader chooses, which is too early for sanitizers. */
#ifndef ZW_CONTACT_KERNELS_H
#define ZW_CONTACT_KERNELS_H

#include <math.h>
#include <stdbool.h>

#if defined(__x86_64__) && defined(__GNUC__) && !defined(__clang__) &&                             \
    !defined(__SANITIZE_ADDRESS__) && !defined(__SANITIZE_THREAD__)
#define ZW_CLONES __attribute__((target_clones("avx2", "default")))
#else
#define ZW_CLONES
#endif
#define ZW_KERNEL static inline __attribute__((always_inline, unused))

enum { ZW_SIX = 6, ZW_SQUARE = ZW_SIX * ZW_SIX };

typedef double zw_four __attribute__((vector_size(32), aligned(8), may_alias));
typedef double zw_two __attribute__((vector_size(16), aligned(8), may_alias));

/* fmax and fmin handle NaN; these return the second argument then */
ZW_KERNEL double zw_larger(double a, double b) {
    return a > b ? a : b;
}
ZW_KERNEL double zw_smaller(double a, double b) {
    return a < b ? a : b;
}

/* C = A B: m x l, l x 6 */
ZW_KERNEL void zw_six_product(int m, int l, const double *A, const double *B, double *C) {
    for (int i = 0; i < m; i++) {
        zw_four x = {0};
        zw_two y = {0};
        for (int k = 0; k < l; k++) {
            x += A[i * l + k] * *(const zw_four *)(B + 6 * k);
            y += A[i * l + k] * *(const zw_two *)(B + 6 * k + 4);
        }
        *(zw_four *)(C + 6 * i) = x;
        *(zw_two *)(C + 6 * i + 4) = y;
    }
}

/* C += sign A' B: A and B l x 6, C 6 x 6 */
ZW_KERNEL void zw_six_add(int l, double sign, const double *A, const double *B, double *C) {
    for (int i = 0; i < 6; i++) {
        zw_four x = *(const zw_four *)(C + 6 * i);
        zw_two y = *(const zw_two *)(C + 6 * i + 4);
        for (int k = 0; k < l; k++) {
            double a = sign * A[6 * k + i];
            x += a * *(const zw_four *)(B + 6 * k);
            y += a * *(const zw_two *)(B + 6 * k + 4);
        }
        *(zw_four *)(C + 6 * i) = x;
        *(zw_two *)(C + 6 * i + 4) = y;
    }
}

/* y += sign A x: A m x 6 */
ZW_KERNEL void zw_six_rows(int m, double sign, const double *A, const double *x, double *y) {
    for (int i = 0; i < m; i++) {
        const double *a = A + 6 * i;
        y[i] += sign * ((a[0] * x[0] + a[1] * x[1]) + (a[2] * x[2] + a[3] * x[3]) +
                        (a[4] * x[4] + a[5] * x[5]));
    }
}

/* y += sign A' x: A m x 6 */
ZW_KERNEL void zw_six_columns(int m, double sign, const double *A, const double *x, double *y) {
    zw_four a = *(const zw_four *)y;
    zw_two b = *(const zw_two *)(y + 4);
    for (int i = 0; i < m; i++) {
        a += sign * x[i] * *(const zw_four *)(A + 6 * i);
        b += sign * x[i] * *(const zw_two *)(A + 6 * i + 4);
    }
    *(zw_four *)y = a;
    *(zw_two *)(y + 4) = b;
}

/* A = L U in place, L with ones on its diagonal, the diagonal of U inverted, in registers, if no
 * row needs to be exchanged; false, with A unchanged, if one does. */
ZW_KERNEL bool zw_six_factor_plain(double *A) {
    zw_four x[6];
    zw_two y[6];
#pragma GCC unroll 6
    for (int i = 0; i < 6; i++) {
        x[i] = *(const zw_four *)(A + 6 * i);
        y[i] = *(const zw_two *)(A + 6 * i + 4);
    }
#pragma GCC unroll 6
    for (int k = 0; k < 6; k++) {
        double pivot = k < 4 ? x[k][k & 3] : y[k][k & 1], most = 0, d = 1 / pivot;
#pragma GCC unroll 6
        for (int i = 0; i < 6; i++)
            if (i > k)
                most = zw_larger(fabs(k < 4 ? x[i][k & 3] : y[i][k & 1]), most);
        if (!(fabs(pivot) > 0.1 * most) || !(fabs(d) < HUGE_VAL))
            return false;
        zw_four row = x[k]; /* the entries after the pivot */
        zw_two rest = y[k];
#pragma GCC unroll 6
        for (int j = 0; j <= k; j++)
            if (j < 4)
                row[j & 3] = 0;
            else
                rest[j & 1] = 0;
#pragma GCC unroll 6
        for (int i = 0; i < 6; i++)
            if (i > k) {
                double f = (k < 4 ? x[i][k & 3] : y[i][k & 1]) * d;
                if (k < 3)
                    x[i] -= f * row;
                y[i] -= f * rest;
                if (k < 4)
                    x[i][k & 3] = f;
                else
                    y[i][k & 1] = f;
            }
        if (k < 4)
            x[k][k & 3] = d;
        else
            y[k][k & 1] = d;
    }
#pragma GCC unroll 6
    for (int i = 0; i < 6; i++) {
        *(zw_four *)(A + 6 * i) = x[i];
        *(zw_two *)(A + 6 * i + 4) = y[i];
    }
    return true;
}

/* with rows exchanged; false: singular */
ZW_KERNEL bool zw_six_factor_pivoted(double *A, unsigned char *pivot) {
    for (int k = 0; k < 6; k++) {
        int p = k;
        for (int i = k + 1; i < 6; i++)
            if (fabs(A[i * 6 + k]) > fabs(A[p * 6 + k]))
                p = i;
        pivot[k] = (unsigned char)p;
        for (int j = 0; j < 6 && p != k; j++) {
            double t = A[k * 6 + j];
            A[k * 6 + j] = A[p * 6 + j];
            A[p * 6 + j] = t;
        }
        double d = 1 / A[k * 6 + k];
        if (!(fabs(d) < HUGE_VAL))
            return false;
        A[k * 6 + k] = d;
        for (int i = k + 1; i < 6; i++) {
            double f = A[i * 6 + k] *= d;
            for (int j = k + 1; j < 6; j++)
                A[i * 6 + j] -= f * A[k * 6 + j];
        }
    }
    return true;
}

/* pivot[6]: were rows exchanged? */
ZW_KERNEL bool zw_six_factor(double *A, unsigned char *pivot) {
    pivot[6] = 0;
    if (zw_six_factor_plain(A))
        return true;
    pivot[6] = 1;
    return zw_six_factor_pivoted(A, pivot);
}

/* x (6 x n) becomes (A')^-1 x, for the factors of A: U' first, then L', then the exchanges */
ZW_KERNEL void zw_six_solve(int n, const double *A, const unsigned char *pivot, double *x) {
    for (int i = 0; i < 6; i++) {
        for (int c = 0; c < n; c++)
            x[i * n + c] *= A[i * 6 + i];
        for (int j = i + 1; j < 6; j++)
            for (int c = 0; c < n; c++)
                x[j * n + c] -= A[i * 6 + j] * x[i * n + c];
    }
    for (int i = 5; i > 0; i--)
        for (int j = 0; j < i; j++)
            for (int c = 0; c < n; c++)
                x[j * n + c] -= A[i * 6 + j] * x[i * n + c];
    for (int k = 5; k >= 0 && pivot[6]; k--)
        for (int c = 0; c < n && pivot[k] != k; c++) {
            double t = x[k * n + c];
            x[k * n + c] = x[pivot[k] * n + c];
            x[pivot[k] * n + c] = t;
        }
}

/* the same for a block, its rows in registers */
ZW_KERNEL void zw_six_solve_block(const double *A, const unsigned char *pivot, double *X) {
    zw_four x[6];
    zw_two y[6];
    if (pivot[6]) {
        zw_six_solve(6, A, pivot, X);
        return;
    }
#pragma GCC unroll 6
    for (int i = 0; i < 6; i++) {
        x[i] = *(const zw_four *)(X + 6 * i);
        y[i] = *(const zw_two *)(X + 6 * i + 4);
    }
#pragma GCC unroll 6
    for (int i = 0; i < 6; i++) {
        x[i] *= A[7 * i];
        y[i] *= A[7 * i];
#pragma GCC unroll 6
        for (int j = 0; j < 6; j++)
            if (j > i) {
                x[j] -= A[6 * i + j] * x[i];
                y[j] -= A[6 * i + j] * y[i];
            }
    }
#pragma GCC unroll 6
    for (int i = 5; i >= 0; i--) {
#pragma GCC unroll 6
        for (int j = 0; j < 6; j++)
            if (j < i) {
                x[j] -= A[6 * i + j] * x[i];
                y[j] -= A[6 * i + j] * y[i];
            }
        *(zw_four *)(X + 6 * i) = x[i];
        *(zw_two *)(X + 6 * i + 4) = y[i];
    }
}

#endif
