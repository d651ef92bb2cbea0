/* SPDX-License-Identifier: MIT */
/* The matrix of an interval, in lanes: B = 1 - h P (a_il J_i) is near 1, and factored without row
 * exchanges; its pivots are checked. Rows are eliminated in tiles whose multipliers stay in
 * registers, four lanes at a time, together with right sides. Frequent sizes have their
 * own code. */
#include <math.h>
#include <stdint.h>
#include <string.h>

#include "base/vector_targets.h"
#include "collocation_lanes_factor.h"

typedef long long bits __attribute__((vector_size(32)));
static const bits not_sign = {INT64_MAX, INT64_MAX, INT64_MAX, INT64_MAX};

enum { L = 8, TILE = 3, COLUMNS = 4, WHOLE = 6, ROWS = 8 };

/* Initial row rr of stage i of B, with its right sides. */
ZW_KERNEL void put_row(const int n, const int m, const int nb, const int width,
                       const zw_lanes_interval *v, int i, int rr, double *row) {
    const double *J = v->J + (size_t)((i * n + rr) * n * L),
                 *side = v->side + (size_t)((i * n + rr) * nb * L);
    for (int half = 0; half < L; half += ZW_FOUR) {
        zw_four hP = ZW_LOAD(v->h + half) * v->period;
        for (int l = 0; l < m; l++) {
            zw_four s = hP * -v->a[i * v->a_stride + l];
            for (int c = 0; c < n; c++)
                ZW_STORE(row + (l * n + c) * L + half, s * ZW_LOAD(J + c * L + half));
        }
        double *own = row + (i * n + rr) * L + half;
        ZW_STORE(own, ZW_LOAD(own) + 1);
        for (int c = 0; c < n; c++)
            ZW_STORE(row + (m * n + c) * L + half, v->period * ZW_LOAD(J + c * L + half));
        for (int c = 0; c < nb; c++)
            ZW_STORE(row + (m * n + n + c) * L + half, ZW_LOAD(side + c * L + half));
        for (int c = m * n + n + nb; c < width; c++)
            ZW_STORE(row + c * L + half, ((zw_four){0}));
    }
}

/* Eliminates T columns from k on, whose rows are done, in T rows from r on: multipliers take their
 * places, the columns after them are updated */
ZW_KERNEL void eliminate_tile(const int T, const int width, int r, int k, double *B) {
    zw_four l[TILE][TILE];
    double *row = B + (size_t)(r * width * L);
    const double *top = B + (size_t)(k * width * L);
    for (int i = 0; i < T; i++)
        for (int q = 0; q < T; q++) {
            zw_four sum = ZW_LOAD(row + (i * width + k + q) * L);
            for (int s = 0; s < q; s++)
                sum -= l[i][s] * ZW_LOAD(top + (s * width + k + q) * L);
            l[i][q] = sum * ZW_LOAD(top + (q * width + k + q) * L); /* the inverse pivot */
            ZW_STORE(row + (i * width + k + q) * L, l[i][q]);
        }
    for (int c = k + T; c < width; c++) {
        zw_four u[TILE];
        for (int q = 0; q < T; q++)
            u[q] = ZW_LOAD(top + (q * width + c) * L);
        for (int i = 0; i < T; i++) {
            zw_four sum = ZW_LOAD(row + (i * width + c) * L);
            for (int q = 0; q < T; q++)
                sum -= l[i][q] * u[q];
            ZW_STORE(row + (i * width + c) * L, sum);
        }
    }
}

/* the smaller of two numbers; NaN counts as the smallest */
#define LEAST(least, x)                                                                            \
    do {                                                                                           \
        zw_four size_ = (zw_four)((bits)(x)&not_sign);                                             \
        bits larger_ = size_ >= (least);                                                           \
        (least) = (zw_four)((larger_ & (bits)(least)) | (~larger_ & (bits)size_));                 \
    } while (0)

/* Eliminates T rows from r on among themselves: their own columns, then all later ones; `least` are
 * the smallest pivots so far */
ZW_KERNEL void finish_tile(const int T, const int width, int r, double *B, double *least) {
    zw_four smallest = ZW_LOAD(least), l[TILE][TILE], own[TILE][TILE], u[TILE];
    double *row = B + (size_t)(r * width * L);
    for (int i = 0; i < T; i++)
        for (int q = 0; q < T; q++)
            own[i][q] = ZW_LOAD(row + (i * width + r + q) * L);
    for (int q = 0; q < T; q++) {
        zw_four inverse = 1 / own[q][q];
        LEAST(smallest, own[q][q]);
        own[q][q] = inverse;
        for (int i = q + 1; i < T; i++) {
            own[i][q] *= inverse;
            l[i][q] = own[i][q];
            for (int c = q + 1; c < T; c++)
                own[i][c] -= own[i][q] * own[q][c];
        }
    }
    for (int i = 0; i < T; i++)
        for (int q = 0; q < T; q++)
            ZW_STORE(row + (i * width + r + q) * L, own[i][q]);
    for (int c = r + T; c < width; c++) {
        u[0] = ZW_LOAD(row + c * L);
        for (int i = 1; i < T; i++) {
            u[i] = ZW_LOAD(row + (i * width + c) * L);
            for (int q = 0; q < i; q++)
                u[i] -= l[i][q] * u[q];
            ZW_STORE(row + (i * width + c) * L, u[i]);
        }
    }
    ZW_STORE(least, smallest);
}

/* row r of B^-1 of C right sides from `at` on, in place, after the rows below it */
ZW_KERNEL void substitute(const int C, const int size, const int width, int r, int at, double *B) {
    double *row = B + (size_t)(r * width * L);
    zw_four sum[WHOLE], inverse = ZW_LOAD(row + r * L);
    for (int c = 0; c < C; c++)
        sum[c] = ZW_LOAD(row + (at + c) * L);
    for (int k = r + 1; k < size; k++) {
        zw_four u = ZW_LOAD(row + k * L);
        const double *below = B + (size_t)((k * width + at) * L);
        for (int c = 0; c < C; c++)
            sum[c] -= u * ZW_LOAD(below + c * L);
    }
    for (int c = 0; c < C; c++)
        ZW_STORE(row + (at + c) * L, sum[c] * inverse);
}

/* B and its right sides are set: computes the factors, and B^-1 of the right sides. T divides the
 * number of rows, C that of the padded right sides. The two halves of the lanes alternate: one
 * waits for its quotients while the other is computed. Returns the smallest pivot. */
ZW_KERNEL double eliminate(const int size, const int sides, const int T, const int C,
                           const int width, double *B) {
    double least[L], smallest = INFINITY;
    for (int e = 0; e < L; e++)
        least[e] = INFINITY;
    for (int r = 0; r < size; r += T) {
        for (int k = 0; k < r; k += T)
            for (int half = 0; half < L; half += ZW_FOUR)
                eliminate_tile(T, width, r, k, B + half);
        for (int half = 0; half < L; half += ZW_FOUR)
            finish_tile(T, width, r, B + half, least + half);
    }
    for (int at = size; at < size + sides; at += C)
        for (int r = size - 1; r >= 0; r--)
            for (int half = 0; half < L; half += ZW_FOUR)
                substitute(C, size, width, r, at, B + half);
    for (int e = 0; e < L; e++)
        smallest = least[e] >= smallest ? smallest : least[e];
    return smallest;
}

ZW_KERNEL double factor(const int n, const int m, const int nb, const int T, const int C,
                        const int width, const zw_lanes_interval *v, double *B, double *A) {
    const int size = m * n, all = n + nb;
    for (int i = 0; i < m; i++)
        for (int rr = 0; rr < n; rr++)
            put_row(n, m, nb, width, v, i, rr, B + (size_t)((i * n + rr) * width * L));
    double least = eliminate(size, all, T, C, width, B);
    for (int half = 0; half < L; half += ZW_FOUR) {
        zw_four h = ZW_LOAD(v->h + half);
        for (int r = 0; r < n; r++)
            for (int c = 0; c < all; c++) {
                const double *D = B + (size_t)((r * width + size + c) * L + half);
                zw_four sum = v->b[0] * ZW_LOAD(D);
                for (int i = 1; i < m; i++)
                    sum += v->b[i] * ZW_LOAD(D + (size_t)(i * n * width * L));
                sum *= h;
                if (r == c)
                    sum += 1;
                ZW_STORE(A + (r * all + c) * L + half, sum);
            }
    }
    return least;
}

/* ---- q' = v ---- */

ZW_KERNEL void put_row_second(const int nv, const int m, const int nb, const int width,
                              const zw_lanes_second *v, int i, int rr, double *row) {
    const int size = m * nv;
    const double *Jq = v->J + (size_t)((i * nv + rr) * 2 * nv * L), *Jv = Jq + nv * L,
                 *side = v->side + (size_t)((i * nv + rr) * nb * L), *a = v->a + i * v->a_stride;
    for (int half = 0; half < L; half += ZW_FOUR) {
        zw_four hP = ZW_LOAD(v->h + half) * v->period, square = hP * hP;
        for (int l = 0; l < m; l++) {
            double twice = 0;
            for (int k = 0; k < m; k++)
                twice += a[k] * v->a[k * v->a_stride + l];
            zw_four by_v = hP * -a[l], by_q = square * -twice;
            for (int c = 0; c < nv; c++)
                ZW_STORE(row + (l * nv + c) * L + half,
                         by_v * ZW_LOAD(Jv + c * L + half) + by_q * ZW_LOAD(Jq + c * L + half));
        }
        double *own = row + (i * nv + rr) * L + half;
        ZW_STORE(own, ZW_LOAD(own) + 1);
        for (int c = 0; c < nv; c++) {
            zw_four q = v->period * ZW_LOAD(Jq + c * L + half);
            ZW_STORE(row + (size + c) * L + half, q);
            ZW_STORE(row + (size + nv + c) * L + half,
                     v->period * ZW_LOAD(Jv + c * L + half) + hP * v->c[i] * q);
        }
        for (int k = 0; k < nb; k++) {
            zw_four sum = {0};
            for (int c = 0; c < nv; c++) {
                const double *q = v->side_q + (size_t)((c * nb + k) * L + half);
                zw_four s = a[0] * ZW_LOAD(q);
                for (int l = 1; l < m; l++)
                    s += a[l] * ZW_LOAD(q + (size_t)(l * nv * nb * L));
                sum += ZW_LOAD(Jq + c * L + half) * s;
            }
            ZW_STORE(row + (size + 2 * nv + k) * L + half, ZW_LOAD(side + k * L + half) + hP * sum);
        }
        for (int c = size + 2 * nv + nb; c < width; c++)
            ZW_STORE(row + c * L + half, ((zw_four){0}));
    }
}

ZW_KERNEL double factor_second(const int nv, const int m, const int nb, const int T, const int C,
                               const int width, const zw_lanes_second *v, double *B, double *A) {
    const int size = m * nv, all = 2 * nv + nb;
    for (int i = 0; i < m; i++)
        for (int rr = 0; rr < nv; rr++)
            put_row_second(nv, m, nb, width, v, i, rr, B + (size_t)((i * nv + rr) * width * L));
    double least = eliminate(size, all, T, C, width, B), twice[ROWS] = {0};
    for (int l = 0; l < m; l++)
        for (int i = 0; i < m; i++)
            twice[l] += v->b[i] * v->a[i * v->a_stride + l];
    for (int half = 0; half < L; half += ZW_FOUR) {
        zw_four h = ZW_LOAD(v->h + half), hP = h * v->period;
        for (int r = 0; r < nv; r++)
            for (int c = 0; c < all; c++) {
                const double *D = B + (size_t)((r * width + size + c) * L + half);
                zw_four once = {0}, second = {0};
                for (int i = 0; i < m; i++) {
                    zw_four slope = ZW_LOAD(D + (size_t)(i * nv * width * L));
                    once += v->b[i] * slope;
                    second += twice[i] * slope;
                }
                once *= h;
                second *= h * hP;
                if (c == nv + r) {
                    once += 1;
                    second += hP;
                }
                if (c == r)
                    second += 1;
                for (int i = 0; i < m && c >= 2 * nv; i++)
                    second +=
                        h * v->b[i] *
                        ZW_LOAD(v->side_q + (size_t)(((i * nv + r) * nb + c - 2 * nv) * L + half));
                ZW_STORE(A + (r * all + c) * L + half, second);
                ZW_STORE(A + ((nv + r) * all + c) * L + half, once);
            }
    }
    return least;
}

/* e <- B^-1 e, column by column, so that entries do not wait for each other */
ZW_KERNEL void solve(const int size, const int width, const double *B, double *e) {
    for (int k = 0; k + 1 < size; k++) {
        zw_four one = ZW_LOAD(e + k * L), two = ZW_LOAD(e + k * L + ZW_FOUR);
        for (int r = k + 1; r < size; r++) {
            const double *l = B + (size_t)((r * width + k) * L);
            double *to = e + (size_t)(r * L);
            ZW_STORE(to, ZW_LOAD(to) - ZW_LOAD(l) * one);
            ZW_STORE(to + ZW_FOUR, ZW_LOAD(to + ZW_FOUR) - ZW_LOAD(l + ZW_FOUR) * two);
        }
    }
    for (int k = size - 1; k >= 0; k--) {
        const double *inverse = B + (size_t)((k * width + k) * L);
        zw_four one = ZW_LOAD(e + k * L) * ZW_LOAD(inverse),
                two = ZW_LOAD(e + k * L + ZW_FOUR) * ZW_LOAD(inverse + ZW_FOUR);
        ZW_STORE(e + k * L, one);
        ZW_STORE(e + k * L + ZW_FOUR, two);
        for (int r = 0; r < k; r++) {
            const double *u = B + (size_t)((r * width + k) * L);
            double *to = e + (size_t)(r * L);
            ZW_STORE(to, ZW_LOAD(to) - ZW_LOAD(u) * one);
            ZW_STORE(to + ZW_FOUR, ZW_LOAD(to + ZW_FOUR) - ZW_LOAD(u + ZW_FOUR) * two);
        }
    }
}

/* X (nv x columns) <- M^-1 X, four lanes; M is overwritten */
ZW_KERNEL double divide(const int nv, const int columns, double *M, double *X) {
    double least = INFINITY;
    zw_four diagonal[ZW_LANES_MASSES];
    for (int k = 0; k < nv; k++)
        diagonal[k] = ZW_LOAD(M + (size_t)((k * nv + k) * L));
    for (int k = 0; k < nv; k++) {
        double *top = M + (size_t)(k * nv * L), *pivot = top + k * L;
        for (int e = 0; e < ZW_FOUR; e++) {
            double ratio = fabs(pivot[e] / diagonal[k][e]);
            least = ratio >= least ? least : ratio;
            pivot[e] = 1 / pivot[e];
        }
        for (int i = k + 1; i < nv; i++) {
            double *row = M + (size_t)(i * nv * L);
            zw_four by = ZW_LOAD(row + k * L) * ZW_LOAD(pivot);
            for (int j = k + 1; j < nv; j++)
                ZW_STORE(row + j * L, ZW_LOAD(row + j * L) - by * ZW_LOAD(top + j * L));
            for (int j = 0; j < columns; j++) {
                double *to = X + (size_t)((i * columns + j) * L);
                ZW_STORE(to, ZW_LOAD(to) - by * ZW_LOAD(X + (size_t)((k * columns + j) * L)));
            }
        }
    }
    for (int i = nv - 1; i >= 0; i--) {
        const double *row = M + (size_t)(i * nv * L);
        for (int j = 0; j < columns; j++) {
            zw_four sum = ZW_LOAD(X + (size_t)((i * columns + j) * L));
            for (int k = i + 1; k < nv; k++)
                sum -= ZW_LOAD(row + k * L) * ZW_LOAD(X + (size_t)((k * columns + j) * L));
            ZW_STORE(X + (size_t)((i * columns + j) * L), sum * ZW_LOAD(row + i * L));
        }
    }
    return least;
}

/* ---- the sizes ---- */

int zw_lanes_width(int size, int sides) {
    return size + (sides < WHOLE ? sides : (sides + COLUMNS - 1) / COLUMNS * COLUMNS);
}

/* fewer right sides than WHOLE are treated at once */
#define FACTOR(name, n, m, nb, T, C)                                                               \
    ZW_CLONES static double name(const zw_lanes_interval *v, double *B, double *A) {               \
        return factor(n, m, nb, T, C, (m) * (n) + (n) + (nb), v, B, A);                            \
    }
FACTOR(factor_2_4_1, 2, 4, 1, 2, 3)
FACTOR(factor_2_4_2, 2, 4, 2, 2, 4)
FACTOR(factor_3_4_1, 3, 4, 1, 3, 4)
FACTOR(factor_3_4_2, 3, 4, 2, 3, 5)

#define FACTOR_ANY(name, T, C)                                                                     \
    ZW_CLONES static double name(int n, int m, int nb, int width, const zw_lanes_interval *v,      \
                                 double *B, double *A) {                                           \
        return factor(n, m, nb, T, C, width, v, B, A);                                             \
    }
FACTOR_ANY(factor_by_1, 1, COLUMNS)
FACTOR_ANY(factor_by_2, 2, COLUMNS)
FACTOR_ANY(factor_by_3, 3, COLUMNS)
FACTOR_ANY(factor_few_1, 1, 1)
FACTOR_ANY(factor_few_2, 2, 1)
FACTOR_ANY(factor_few_3, 3, 1)

double zw_lanes_factor(int n, int m, int nb, const zw_lanes_interval *v, double *B, double *A) {
    int size = m * n, width = zw_lanes_width(size, n + nb);
    if (m == 4 && n == 3)
        return nb == 2 ? factor_3_4_2(v, B, A) : factor_3_4_1(v, B, A);
    if (m == 4 && n == 2)
        return nb == 2 ? factor_2_4_2(v, B, A) : factor_2_4_1(v, B, A);
    if (n + nb < WHOLE)
        return size % 3 == 0   ? factor_few_3(n, m, nb, width, v, B, A)
               : size % 2 == 0 ? factor_few_2(n, m, nb, width, v, B, A)
                               : factor_few_1(n, m, nb, width, v, B, A);
    return size % 3 == 0   ? factor_by_3(n, m, nb, width, v, B, A)
           : size % 2 == 0 ? factor_by_2(n, m, nb, width, v, B, A)
                           : factor_by_1(n, m, nb, width, v, B, A);
}

#define SECOND(name, nv, m, nb, T, C)                                                              \
    ZW_CLONES static double name(const zw_lanes_second *v, double *B, double *A) {                 \
        return factor_second(nv, m, nb, T, C, (m) * (nv) + 2 * (nv) + (nb), v, B, A);              \
    }
SECOND(second_1_4_1, 1, 4, 1, 2, 3)
SECOND(second_1_4_2, 1, 4, 2, 2, 4)
SECOND(second_2_4_1, 2, 4, 1, 2, 5)

#define SECOND_ANY(name, T, C)                                                                     \
    ZW_CLONES static double name(int nv, int m, int nb, int width, const zw_lanes_second *v,       \
                                 double *B, double *A) {                                           \
        return factor_second(nv, m, nb, T, C, width, v, B, A);                                     \
    }
SECOND_ANY(second_by_1, 1, COLUMNS)
SECOND_ANY(second_by_2, 2, COLUMNS)
SECOND_ANY(second_by_3, 3, COLUMNS)
SECOND_ANY(second_few_1, 1, 1)

double zw_lanes_factor_second(int nv, int m, int nb, const zw_lanes_second *v, double *B,
                              double *A) {
    int size = m * nv, width = zw_lanes_width(size, 2 * nv + nb);
    if (m == 4 && nv == 1)
        return nb == 2 ? second_1_4_2(v, B, A) : second_1_4_1(v, B, A);
    if (m == 4 && nv == 2 && nb == 1)
        return second_2_4_1(v, B, A);
    if (2 * nv + nb < WHOLE)
        return second_few_1(nv, m, nb, width, v, B, A);
    return size % 3 == 0   ? second_by_3(nv, m, nb, width, v, B, A)
           : size % 2 == 0 ? second_by_2(nv, m, nb, width, v, B, A)
                           : second_by_1(nv, m, nb, width, v, B, A);
}

ZW_CLONES static void solve_any(int size, int width, const double *B, double *e) {
    solve(size, width, B, e);
}
ZW_CLONES static void solve_12(const double *B, double *e) {
    solve(12, 17, B, e);
}

void zw_lanes_solve(int size, int width, const double *B, double *e) {
    if (size == 12 && width == 17)
        solve_12(B, e);
    else
        solve_any(size, width, B, e);
}

ZW_CLONES static double divide_any(int nv, int columns, double *M, double *X) {
    double one = divide(nv, columns, M, X), two = divide(nv, columns, M + ZW_FOUR, X + ZW_FOUR);
    return two >= one ? one : two;
}

double zw_lanes_divide(int nv, int columns, double *M, double *X) {
    return divide_any(nv, columns, M, X);
}
