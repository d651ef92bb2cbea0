/* SPDX-License-Identifier: MIT */
#include "dense.h"
#include "base/tolerance.h"

#include <float.h>
#include <math.h>
#include <string.h>

#include "base/arena.h"
#include "lapack.h"

/* Difference of eigenvalues, or of their parts, relative to the larger one, that is equality:
 * round-off of the QR iteration for condition numbers up to 1e4. */
#define EIGENVALUE_EQUAL 1e-12
/* Singular value of A^k, scaled, that is zero if its noise is unknown: powers of A are sums of
 * solved entries. */
#define SINGULAR_ZERO ZW_ROUNDOFF_SOLVED
#define ENTRY_NOISE 3      /* times the noise: smaller entries are 0 */
#define SINGULAR_NOISE 100 /* times the noise: smaller singular values are 0 */

/* out (n x m) = A' (A is m x n), which is A for LAPACK, which stores by columns */
static void transpose_matrix(int m, int n, const double *A, double *out) {
    for (int i = 0; i < m; i++)
        for (int j = 0; j < n; j++)
            out[(size_t)j * (size_t)m + (size_t)i] = A[(size_t)i * (size_t)n + (size_t)j];
}

static int smaller_int(int a, int b) {
    return a < b ? a : b;
}

static bool svd(zw_arena *work, int m, int n, const double *A, double *s, double *V, double *U) {
    int least = smaller_int(m, n), info = 0, size = -1, ldu = m > 0 ? m : 1, ldv = n > 0 ? n : 1;
    double wanted = 0;
    double *copy = ZW_NEW(work, double, (size_t)m *(size_t)n + 1),
           *Vt = ZW_NEW(work, double, (size_t)n *(size_t)n + 1),
           *left = ZW_NEW(work, double, (size_t)m *(size_t)least + 1);
    const char *jobu = U ? "S" : "N";
    const zw_lapack *lapack = zw_num_lapack_for(n);
    if (!lapack || !copy || !Vt || !left)
        return false;
    transpose_matrix(m, n, A, copy);
    lapack->dgesvd(jobu, "A", &m, &n, copy, &ldu, s, left, &ldu, Vt, &ldv, &wanted, &size, &info, 1,
                   1);
    size = (int)wanted + 1;
    double *space = ZW_NEW(work, double, size);
    if (!space)
        return false;
    lapack->dgesvd(jobu, "A", &m, &n, copy, &ldu, s, left, &ldu, Vt, &ldv, space, &size, &info, 1,
                   1);
    transpose_matrix(n, n, Vt, V);
    for (int i = 0; U && i < least * m; i++) /* a column of U is a row of U' */
        U[i] = left[i];
    return info == 0;
}

bool zw_dense_svd(zw_arena *work, int m, int n, const double *A, double *s, double *V, double *U) {
    for (int i = 0; i < n; i++)
        s[i] = 0;
    for (int i = 0; i < n * n; i++)
        V[i] = i % (n + 1) == 0;
    if (m == 0 || n == 0)
        return true;
    zw_arena_mark mark = zw_arena_mark_now(work);
    bool ok = svd(work, m, n, A, s, V, U);
    zw_arena_release(work, mark);
    return ok;
}

/* columns of LAPACK's real form: a pair of conjugate vectors has its real part in one, its
 * imaginary part in the next */
static void unpack_vectors(int n, const double *im, const double *packed, double *re_out,
                           double *im_out) {
    for (int j = 0; j < n; j++) {
        bool first = im[j] > 0, second = im[j] < 0;
        const double *a = packed + (size_t)(second ? j - 1 : j) * (size_t)n, *b = a + n;
        for (int i = 0; i < n; i++) {
            re_out[i * n + j] = a[i];
            im_out[i * n + j] = first ? b[i] : second ? -b[i] : 0;
        }
    }
}

bool zw_dense_eigenvalues(zw_arena *out, int n, const double *A, zw_dense_eigen *e) {
    int square = n * n + 1, info = 0, size = -1, low = 0, high = 0, ld = n > 0 ? n : 1;
    double norm = 0, wanted = 0;
    *e = (zw_dense_eigen){ZW_NEW(out, double, n + 1),  ZW_NEW(out, double, n + 1),
                          ZW_NEW(out, double, square), ZW_NEW(out, double, square),
                          ZW_NEW(out, double, square), ZW_NEW(out, double, square),
                          ZW_NEW(out, double, n + 1)};
    double *copy = ZW_NEW(out, double, square), *left = ZW_NEW(out, double, square),
           *right = ZW_NEW(out, double, square), *scale = ZW_NEW(out, double, n + 1),
           *sensitive = ZW_NEW(out, double, n + 1);
    int *places = ZW_NEW(out, int, 2 * n + 1);
    const zw_lapack *lapack = zw_num_lapack_for(n);
    if (n == 0 || out->failed || !lapack)
        return n == 0 && !out->failed;
    transpose_matrix(n, n, A, copy);
    lapack->dgeevx("B", "V", "V", "B", &n, copy, &ld, e->re, e->im, left, &ld, right, &ld, &low,
                   &high, scale, &norm, e->condition, sensitive, &wanted, &size, places, &info, 1,
                   1, 1, 1);
    size = (int)wanted + 1;
    double *space = ZW_NEW(out, double, size);
    if (!space)
        return false;
    lapack->dgeevx("B", "V", "V", "B", &n, copy, &ld, e->re, e->im, left, &ld, right, &ld, &low,
                   &high, scale, &norm, e->condition, sensitive, space, &size, places, &info, 1, 1,
                   1, 1);
    unpack_vectors(n, e->im, right, e->right_re, e->right_im);
    unpack_vectors(n, e->im, left, e->left_re, e->left_im);
    for (int i = 0; i < n; i++) /* LAPACK returns |p*q| */
        e->condition[i] = 1 / e->condition[i];
    return info == 0;
}

/* sets entries that do not exceed their noise to 0 */
static void clean_noise(int n, double *A, const double *noise) {
    for (int i = 0; i < n * n; i++)
        if (fabs(A[i]) <= ENTRY_NOISE * noise[i])
            A[i] = 0;
}

void zw_dense_balance(int n, double *A, double *scale) {
    bool changed = true;
    for (int i = 0; i < n; i++)
        scale[i] = 1;
    for (int pass = 0; changed && pass < 60; pass++) {
        changed = false;
        for (int i = 0; i < n; i++) {
            double row = 0, column = 0, f = 1;
            for (int j = 0; j < n; j++)
                if (j != i) {
                    row += fabs(A[i * n + j]);
                    column += fabs(A[j * n + i]);
                }
            if (row == 0 || column == 0)
                continue;
            for (; column * f * f < row / 2; f *= 2)
                ;
            for (; column * f * f > row * 2; f /= 2)
                ;
            changed |= f != 1;
            scale[i] *= f;
            for (int j = 0; j < n; j++) {
                A[i * n + j] /= f;
                A[j * n + i] *= f;
            }
        }
    }
}

/* Removes the noise of A, balances it, and scales it to size 1 if it is larger; returns the bound
 * below which its singular values are 0 */
static double normalise_matrix(int n, double *A, const double *noise, double *scale) {
    double rough = 0;
    clean_noise(n, A, noise);
    zw_dense_balance(n, A, scale);
    for (int i = 0; i < n; i++)
        for (int j = 0; j < n; j++)
            rough = fmax(rough, noise[i * n + j] * scale[j] / scale[i]);
    double size = fmin(1, zw_dense_norm(n * n, A));
    if (size <= SINGULAR_NOISE * rough || size == 0)
        return SINGULAR_ZERO;
    for (int i = 0; i < n * n; i++)
        A[i] /= size;
    return SINGULAR_ZERO;
}

bool zw_dense_zeros(zw_arena *work, int n, const double *A, const double *noise, int *kernel,
                    int *zeros) {
    int before = 0;
    double *power = ZW_NEW(work, double, n *n + 1), *next = ZW_NEW(work, double, n *n + 1),
           *unit = ZW_NEW(work, double, n *n + 1), *sv = ZW_NEW(work, double, n + 1),
           *V = ZW_NEW(work, double, n *n + 1), least = SINGULAR_ZERO;
    *kernel = *zeros = 0;
    if (work->failed)
        return false;
    memcpy(unit, A, sizeof(double) * (size_t)(n * n));
    if (noise)
        least = normalise_matrix(n, unit, noise, sv);
    for (int i = 0; i < n; i++)
        power[i * n + i] = 1;
    for (int k = 1; k <= n; k++) {
        zw_dense_multiply(n, n, n, power, unit, next);
        memcpy(power, next, sizeof(double) * (size_t)(n * n));
        if (!zw_dense_svd(work, n, n, power, sv, V, NULL))
            return false;
        *zeros = 0;
        for (int i = 0; i < n; i++)
            *zeros += sv[i] <= fmax(least, 10 * n * DBL_EPSILON * sv[0]);
        if (k == 1)
            *kernel = *zeros;
        if (*zeros == before || *zeros == n)
            return true;
        before = *zeros;
    }
    return true;
}

/* exchanges row k with the row of the largest entry of column k from k on */
static void exchange_rows(int n, int k, double complex *M, double complex *x) {
    int p = k;
    for (int i = k + 1; i < n; i++)
        if (cabs(M[i * n + k]) > cabs(M[p * n + k]))
            p = i;
    for (int j = 0; p != k && j < n; j++) {
        double complex t = M[k * n + j];
        M[k * n + j] = M[p * n + j];
        M[p * n + j] = t;
    }
    double complex t = x[k];
    x[k] = x[p];
    x[p] = t;
}

bool zw_dense_solve_shifted(int n, const double *A, double complex lambda, double least,
                            double complex *M, double complex *x) {
    for (int i = 0; i < n * n; i++)
        M[i] = (i % (n + 1) == 0 ? lambda : 0) - A[i];
    for (int k = 0; k < n; k++) {
        exchange_rows(n, k, M, x);
        if (!(cabs(M[k * n + k]) > least))
            return false;
        for (int i = k + 1; i < n; i++) {
            double complex factor = M[i * n + k] / M[k * n + k];
            for (int j = k; j < n; j++)
                M[i * n + j] -= factor * M[k * n + j];
            x[i] -= factor * x[k];
        }
    }
    for (int k = n - 1; k >= 0; k--) {
        for (int j = k + 1; j < n; j++)
            x[k] -= M[k * n + j] * x[j];
        x[k] /= M[k * n + k];
    }
    return true;
}

/* subtracts from v (n) its part in the span of the rows of V (count); returns its length */
static double remove_span(int n, int count, const double *V, double *v) {
    for (int pass = 0; pass < 2; pass++)
        for (int k = 0; k < count; k++) {
            double part = 0;
            for (int i = 0; i < n; i++)
                part += V[k * n + i] * v[i];
            for (int i = 0; i < n; i++)
                v[i] -= part * V[k * n + i];
        }
    return zw_dense_norm(n, v);
}

int zw_dense_reach(int n, const double *A, bool transposed, int m, const double *B, double least,
                   double *V) {
    double size = zw_dense_norm(n * n, A), wide = zw_dense_norm(n * m, B);
    int count = 0;
    for (int next = 0; next < m + count && count < n; next++) {
        double *v = V + (size_t)count * (size_t)n;
        for (int i = 0; i < n; i++) {
            v[i] = next < m ? B[i * m + next] : 0;
            for (int l = 0; next >= m && l < n; l++)
                v[i] += (transposed ? A[l * n + i] : A[i * n + l]) * V[(next - m) * n + l];
        }
        double part = remove_span(n, count, V, v);
        if (!(part > least * (next < m ? wide : size)))
            continue;
        for (int i = 0; i < n; i++)
            v[i] /= part;
        count++;
    }
    return count;
}

void zw_dense_multiply(int m, int k, int n, const double *A, const double *B, double *C) {
    memset(C, 0, sizeof(double) * (size_t)m * (size_t)n);
    for (int i = 0; i < m; i++)
        for (int l = 0; l < k; l++)
            for (int j = 0; j < n; j++)
                C[i * n + j] += A[i * k + l] * B[l * n + j];
}

void zw_dense_multiply_transposed(int m, int k, int n, const double *A, const double *B,
                                  double *C) {
    memset(C, 0, sizeof(double) * (size_t)m * (size_t)n);
    for (int l = 0; l < k; l++)
        for (int i = 0; i < m; i++)
            for (int j = 0; j < n; j++)
                C[i * n + j] += A[l * m + i] * B[l * n + j];
}

static void swap_columns(int m, int n, double *A, int p, int q) {
    for (int i = 0; p != q && i < m; i++) {
        double swap = A[i * n + p];
        A[i * n + p] = A[i * n + q];
        A[i * n + q] = swap;
    }
}

void zw_dense_divide(int m, int n, double *M, double *Y) {
    for (int p = 0; p < n; p++) { /* columns of both are combined until M is lower triangular */
        int best = p;
        for (int j = p + 1; j < n; j++)
            if (fabs(M[p * n + j]) > fabs(M[p * n + best]))
                best = j;
        swap_columns(n, n, M, p, best);
        swap_columns(m, n, Y, p, best);
        for (int j = p + 1; j < n; j++) {
            double part = M[p * n + j] / M[p * n + p];
            for (int i = p; i < n; i++)
                M[i * n + j] -= part * M[i * n + p];
            for (int i = 0; i < m; i++)
                Y[i * n + j] -= part * Y[i * n + p];
        }
    }
    for (int i = 0; i < m; i++)
        for (int p = n - 1; p >= 0; p--) {
            for (int j = p + 1; j < n; j++)
                Y[i * n + p] -= Y[i * n + j] * M[j * n + p];
            Y[i * n + p] /= M[p * n + p];
        }
}

static bool is_before(const double *re, const double *im, int a, int b) {
    double equal = EIGENVALUE_EQUAL * fmax(hypot(re[a], im[a]), hypot(re[b], im[b])),
           growth = re[a] - re[b], pace = fabs(im[a]) - fabs(im[b]);
    if (fabs(growth) > equal)
        return growth > 0;
    return fabs(pace) > equal ? pace < 0 : a < b;
}

void zw_dense_order(int n, const double *re, const double *im, int *order) {
    for (int i = 0; i < n; i++) {
        int j = i;
        for (; j > 0 && is_before(re, im, i, order[j - 1]); j--)
            order[j] = order[j - 1];
        order[j] = i;
    }
}

double zw_dense_norm(int n, const double *x) {
    double sum = 0;
    for (int i = 0; i < n; i++)
        sum += x[i] * x[i];
    return sqrt(sum);
}

zw_status zw_dense_failure(const zw_arena *arena, zw_error *err) {
    if (arena->failed)
        return zw_out_of_memory(err, NULL);
    if (zw_num_lapack())
        return zw_fail(err, ZW_E_NUMERIC, "the eigenvalues or singular values were not found");
    zw_fail(
        err, ZW_E_NUMERIC,
        "the eigenvalues or singular values were not computed: matrices of more than %d rows need "
        "LAPACK, which is not installed or does not fit into memory",
        ZW_LAPACK_OWN);
    zw_error_hint(err, "install OpenBLAS (libopenblas0), or give the command more memory");
    return ZW_E_NUMERIC;
}
