/* SPDX-License-Identifier: MIT */
/* The matrix of an interval, in lanes: B = 1 - h P (a_il J_i) is near 1, and factored without exchanges of rows, watched by its pivots. A row is eliminated
 * in blocks of columns that stay in registers, right sides with it. Sizes that are frequent have code of their own. */
#include <math.h>
#include <string.h>

#include "base/clones.h"
#include "collocation_lanes_factor.h"

typedef double eight __attribute__((vector_size(64), aligned(8), may_alias));
#define LOAD(p) (*(const eight *)(p))
#define STORE(p, v) (*(eight *)(p) = (v))

enum { L = 8, BLOCK = 6 };

/* row r of B as it is at first */
ZW_KERNEL void put_row(const int n, const int m, const int nb, const int width,
                       const zw_lanes_interval *v, int i, int rr, double *row) {
    const double *J = v->J + (size_t)((i * n + rr) * n * L),
                 *side = v->side + (size_t)((i * n + rr) * nb * L);
    eight hP = LOAD(v->h) * v->period;
    for (int l = 0; l < m; l++) {
        eight s = hP * -v->a[i * v->a_stride + l];
        for (int c = 0; c < n; c++)
            STORE(row + (l * n + c) * L, s * LOAD(J + c * L));
    }
    double *own = row + (i * n + rr) * L;
    STORE(own, LOAD(own) + 1);
    for (int c = 0; c < n; c++)
        STORE(row + (m * n + c) * L, v->period * LOAD(J + c * L));
    for (int c = 0; c < nb; c++)
        STORE(row + (m * n + n + c) * L, LOAD(side + c * L));
    for (int c = m * n + n + nb; c < width; c++)
        STORE(row + c * L, ((eight){0}));
}

/* columns from `at` on of row r, which has its multipliers of the columns before */
ZW_KERNEL void eliminate_block(const int width, int r, int at, const double *B, double *row) {
    eight acc[BLOCK];
    int before = r < at ? r : at;
    for (int c = 0; c < BLOCK; c++)
        acc[c] = LOAD(row + (at + c) * L);
    for (int k = 0; k < before; k++) {
        eight l = LOAD(row + k * L);
        const double *top = B + (size_t)((k * width + at) * L);
        for (int c = 0; c < BLOCK; c++)
            acc[c] -= l * LOAD(top + c * L);
    }
    for (int c = 0; c < BLOCK; c++) {
        const double *top = B + (size_t)(((at + c) * width + at) * L);
        if (at + c >= r)
            break;
        acc[c] *= LOAD(top + c * L); /* the inverse pivot */
        for (int e = c + 1; e < BLOCK; e++)
            acc[e] -= acc[c] * LOAD(top + e * L);
    }
    for (int c = 0; c < BLOCK; c++)
        STORE(row + (at + c) * L, acc[c]);
}

/* B^-1 of the right sides in their places: BLOCK columns from `at` on */
ZW_KERNEL void substitute_block(const int size, const int width, int at, double *B) {
    for (int r = size - 1; r >= 0; r--) {
        double *row = B + (size_t)(r * width * L);
        eight acc[BLOCK];
        for (int c = 0; c < BLOCK; c++)
            acc[c] = LOAD(row + (at + c) * L);
        for (int k = r + 1; k < size; k++) {
            eight u = LOAD(row + k * L);
            const double *below = B + (size_t)((k * width + at) * L);
            for (int c = 0; c < BLOCK; c++)
                acc[c] -= u * LOAD(below + c * L);
        }
        eight inverse = LOAD(row + r * L);
        for (int c = 0; c < BLOCK; c++)
            STORE(row + (at + c) * L, acc[c] * inverse);
    }
}

ZW_KERNEL double factor(const int n, const int m, const int nb, const int width,
                        const zw_lanes_interval *v, double *B, double *A) {
    const int size = m * n, all = n + nb;
    double least = INFINITY;
    for (int i = 0; i < m; i++)
        for (int rr = 0; rr < n; rr++) {
            int r = i * n + rr;
            double *row = B + (size_t)(r * width * L), *pivot = row + r * L;
            put_row(n, m, nb, width, v, i, rr, row);
            for (int at = 0; at < width; at += BLOCK)
                eliminate_block(width, r, at, B, row);
            for (int e = 0; e < L; e++) { /* what is no number counts as the smallest */
                least = fabs(pivot[e]) >= least ? least : fabs(pivot[e]);
                pivot[e] = 1 / pivot[e];
            }
        }
    for (int at = size; at < size + all; at += BLOCK)
        substitute_block(size, width, at, B);
    eight h = LOAD(v->h);
    for (int r = 0; r < n; r++)
        for (int c = 0; c < all; c++) {
            eight sum = {0};
            for (int i = 0; i < m; i++)
                sum += v->b[i] * LOAD(B + (size_t)(((i * n + r) * width + size + c) * L));
            sum *= h;
            if (r == c)
                sum += 1;
            STORE(A + (r * all + c) * L, sum);
        }
    return least;
}

/* e <- B^-1 e */
ZW_KERNEL void solve(const int size, const int width, const double *B, double *e) {
    for (int r = 1; r < size; r++) {
        const double *row = B + (size_t)(r * width * L);
        eight sum = LOAD(e + r * L), other = {0};
        for (int k = 0; k + 1 < r; k += 2) {
            sum -= LOAD(row + k * L) * LOAD(e + k * L);
            other += LOAD(row + (k + 1) * L) * LOAD(e + (k + 1) * L);
        }
        if (r & 1)
            sum -= LOAD(row + (r - 1) * L) * LOAD(e + (r - 1) * L);
        STORE(e + r * L, sum - other);
    }
    for (int r = size - 1; r >= 0; r--) {
        const double *row = B + (size_t)(r * width * L);
        eight sum = LOAD(e + r * L), other = {0};
        int k = r + 1;
        for (; k + 1 < size; k += 2) {
            sum -= LOAD(row + k * L) * LOAD(e + k * L);
            other += LOAD(row + (k + 1) * L) * LOAD(e + (k + 1) * L);
        }
        if (k < size)
            sum -= LOAD(row + k * L) * LOAD(e + k * L);
        STORE(e + r * L, (sum - other) * LOAD(row + r * L));
    }
}

/* M = M^-1 of nv rows in lanes is not formed: right sides X (nv x columns) become M^-1 X; M is lost */
ZW_KERNEL double divide(const int nv, const int columns, double *M, double *X) {
    double least = INFINITY;
    for (int k = 0; k < nv; k++) {
        double *top = M + (size_t)(k * nv * L), *pivot = top + k * L, size[8];
        for (int e = 0; e < L; e++)
            size[e] = 0;
        for (int j = k; j < nv; j++)
            for (int e = 0; e < L; e++)
                size[e] = fabs(top[j * L + e]) > size[e] ? fabs(top[j * L + e]) : size[e];
        for (int e = 0; e < L; e++) {
            double ratio = fabs(pivot[e]) / size[e];
            least = ratio >= least ? least : ratio;
            pivot[e] = 1 / pivot[e];
        }
        for (int i = k + 1; i < nv; i++) {
            double *row = M + (size_t)(i * nv * L);
            eight by = LOAD(row + k * L) * LOAD(pivot);
            for (int j = k + 1; j < nv; j++)
                STORE(row + j * L, LOAD(row + j * L) - by * LOAD(top + j * L));
            for (int j = 0; j < columns; j++) {
                double *to = X + (size_t)((i * columns + j) * L);
                STORE(to, LOAD(to) - by * LOAD(X + (size_t)((k * columns + j) * L)));
            }
        }
    }
    for (int i = nv - 1; i >= 0; i--) {
        const double *row = M + (size_t)(i * nv * L);
        for (int j = 0; j < columns; j++) {
            eight sum = LOAD(X + (size_t)((i * columns + j) * L));
            for (int k = i + 1; k < nv; k++)
                sum -= LOAD(row + k * L) * LOAD(X + (size_t)((k * columns + j) * L));
            STORE(X + (size_t)((i * columns + j) * L), sum * LOAD(row + i * L));
        }
    }
    return least;
}

/* ---- the sizes ---- */

int zw_lanes_width(int n, int m, int nb) {
    int side = (n + nb + BLOCK - 1) / BLOCK * BLOCK, size = m * n;
    return (size + side + BLOCK - 1) / BLOCK * BLOCK;
}

ZW_WIDE static double factor_any(int n, int m, int nb, int width, const zw_lanes_interval *v,
                                 double *B, double *A) {
    return factor(n, m, nb, width, v, B, A);
}
ZW_WIDE static double factor_3_4_2(const zw_lanes_interval *v, double *B, double *A) {
    return factor(3, 4, 2, 18, v, B, A);
}
ZW_WIDE static double factor_2_4_2(const zw_lanes_interval *v, double *B, double *A) {
    return factor(2, 4, 2, 18, v, B, A);
}
ZW_WIDE static double factor_2_4_1(const zw_lanes_interval *v, double *B, double *A) {
    return factor(2, 4, 1, 18, v, B, A);
}

double zw_lanes_factor(int n, int m, int nb, const zw_lanes_interval *v, double *B, double *A) {
    int width = zw_lanes_width(n, m, nb);
    if (n == 3 && m == 4 && nb == 2 && width == 18)
        return factor_3_4_2(v, B, A);
    if (n == 2 && m == 4 && nb == 2 && width == 18)
        return factor_2_4_2(v, B, A);
    if (n == 2 && m == 4 && nb == 1 && width == 18)
        return factor_2_4_1(v, B, A);
    return factor_any(n, m, nb, width, v, B, A);
}

ZW_WIDE static void solve_any(int size, int width, const double *B, double *e) {
    solve(size, width, B, e);
}
ZW_WIDE static void solve_12(const double *B, double *e) {
    solve(12, 18, B, e);
}

void zw_lanes_solve(int size, int width, const double *B, double *e) {
    if (size == 12 && width == 18)
        solve_12(B, e);
    else
        solve_any(size, width, B, e);
}

ZW_WIDE static double divide_any(int nv, int columns, double *M, double *X) {
    return divide(nv, columns, M, X);
}

double zw_lanes_divide(int nv, int columns, double *M, double *X) {
    return divide_any(nv, columns, M, X);
}
