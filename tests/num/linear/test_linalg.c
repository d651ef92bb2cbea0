/* SPDX-License-Identifier: MIT */
#include "num/linear/linalg.h"

#include <dirent.h>

#include "num/linear/lapack.h"
#include "support/kernels.h"

#include "support/test.h"

enum { MOST = 60 };

static void random_matrix(test_random *r, int n, double *A) {
    for (int i = 0; i < n; i++)
        A[i] = test_random_real(r, -1, 1);
}

/* the solution is known because the right side is made from it; sizes on both sides of LAPACK */
static void test_lu__solves_random_systems(void **state) {
    (void)state;
    test_random r = {1};
    for (int n = 1; n <= MOST; n++) {
        double A[MOST * MOST], LU[MOST * MOST], x[2 * MOST], b[2 * MOST];
        int pivot[MOST];
        random_matrix(&r, n * n, A);
        for (int i = 0; i < n; i++)
            A[i * n + i] += 2; /* well conditioned, but rows still swap */
        random_matrix(&r, 2 * n, x);
        for (int s = 0; s < 2; s++)
            for (int i = 0; i < n; i++) {
                b[s * n + i] = 0;
                for (int j = 0; j < n; j++)
                    b[s * n + i] += A[i * n + j] * x[s * n + j];
            }
        memcpy(LU, A, sizeof A);
        double ratio = zw_num_lu(n, LU, pivot);
        assert_true(ratio > zw_num_pivot_floor(n) && ratio <= 1);
        zw_num_lu_solve(n, LU, pivot, 2, b);
        for (int i = 0; i < 2 * n; i++)
            assert_close(b[i], x[i], 1e-11);
    }
}

static void test_lu__tells_singular_and_not_finite(void **state) {
    (void)state;
    test_random r = {2};
    for (int n = 2; n <= MOST; n += 3) {
        double A[MOST * MOST];
        int pivot[MOST];
        random_matrix(&r, n * n, A);
        for (int j = 0; j < n; j++) /* the last row is the sum of the others */
            A[(n - 1) * n + j] = 0;
        for (int i = 0; i + 1 < n; i++)
            for (int j = 0; j < n; j++)
                A[(n - 1) * n + j] += A[i * n + j];
        assert_true(zw_num_lu(n, A, pivot) < zw_num_pivot_floor(n));
        random_matrix(&r, n * n, A);
        A[n - 1] = NAN;
        assert_true(isnan(zw_num_lu(n, A, pivot)));
    }
    double zero[4] = {0};
    int pivot[2];
    assert_true(zw_num_lu(2, zero, pivot) == 0);
}

static void test_metric__is_the_cholesky_factor(void **state) {
    (void)state;
    const double M[] = {4, 2, -2, 2, 10, 2, -2, 2, 6};
    double L[9];
    memcpy(L, M, sizeof M);
    assert_int_equal(zw_num_metric(3, L), 0);
    for (int i = 0; i < 3; i++)
        for (int j = 0; j <= i; j++) {
            double s = 0;
            for (int k = 0; k <= j; k++)
                s += L[i * 3 + k] * L[j * 3 + k];
            assert_close(s, M[i * 3 + j], 1e-15);
        }
    double x[] = {1, 2, 3};
    zw_num_lower_solve(3, L, x);
    zw_num_lower_solve_transposed(3, L, x);
    for (int i = 0; i < 3; i++)
        assert_close(M[i * 3] * x[0] + M[i * 3 + 1] * x[1] + M[i * 3 + 2] * x[2], i + 1, 1e-14);
}

/* M = a a' has rank one: two directions get the identity */
static void test_metric__completes_a_singular_one(void **state) {
    (void)state;
    const double a[] = {1e-3, 2e3, -5};
    double L[9];
    for (int i = 0; i < 3; i++)
        for (int j = 0; j < 3; j++)
            L[i * 3 + j] = a[i] * a[j];
    assert_int_equal(zw_num_metric(3, L), 2);
    for (int i = 0; i < 3; i++)
        assert_close(L[i * 3] / a[i], 1, 1e-14);
    assert_close(L[4], 1, 0);
    assert_close(L[8], 1, 0);
    double zero[4] = {0};
    assert_int_equal(zw_num_metric(2, zero), 2);
}

/* the shortest solution lies in the span of the rows and satisfies them */
static void test_rows__shortest_solution(void **state) {
    (void)state;
    test_random r = {3};
    for (int trial = 0; trial < 200; trial++) {
        int n = 1 + test_random_int(&r, 12), m = 1 + test_random_int(&r, n);
        double A[144], keep[144], b[12], x[12], tau[12], c[12] = {0};
        int order[12];
        random_matrix(&r, m * n, A);
        random_matrix(&r, m, b);
        memcpy(keep, A, sizeof A);
        int rank = zw_num_rows_factor(m, n, A, 0, 1e-10, tau, order);
        assert_int_equal(rank, m);
        zw_num_rows_solve(n, A, rank, tau, order, b, x);
        /* coefficients c of x = A' c from the normal equations A A' c = b, by LU */
        double AA[144];
        int pivot[12];
        for (int i = 0; i < m; i++)
            for (int j = 0; j < m; j++) {
                AA[i * m + j] = 0;
                for (int k = 0; k < n; k++)
                    AA[i * m + j] += keep[i * n + k] * keep[j * n + k];
            }
        double ratio = zw_num_lu(m, AA, pivot);
        if (ratio < 1e-4)
            continue; /* the normal equations square the condition */
        memcpy(c, b, sizeof b);
        zw_num_lu_solve(m, AA, pivot, 1, c);
        for (int k = 0; k < n; k++) {
            double expected = 0;
            for (int i = 0; i < m; i++)
                expected += keep[i * n + k] * c[i];
            assert_close(x[k], expected, 1e-9);
        }
    }
}

static void test_rows__redundant_rows_are_left_out(void **state) {
    (void)state;
    /* row 2 = row 0 + row 1, row 3 = 0 */
    const double rows[] = {1, 2, 0, 1, 0, 1, 1, 0, 1, 3, 1, 1, 0, 0, 0, 0};
    const double b[] = {3, 2, 5, 0};
    double A[16], tau[4], x[4], c[4];
    int order[4];
    memcpy(A, rows, sizeof rows);
    int rank = zw_num_rows_factor(4, 4, A, 0, 1e-10, tau, order);
    assert_int_equal(rank, 2);
    zw_num_rows_solve(4, A, rank, tau, order, b, x);
    for (int k = 0; k < 4; k++) {
        double s = 0;
        for (int j = 0; j < 4; j++)
            s += rows[k * 4 + j] * x[j];
        assert_close(s, b[k], 1e-14);
    }
    zw_num_rows_dependence(3, 4, A, rank, order, c);
    double largest = 0;
    for (int j = 0; j < 4; j++) {
        double s = 0;
        for (int k = 0; k < 3; k++)
            s += rows[k * 4 + j] * c[k];
        assert_close(s, 0, 1e-14);
    }
    for (int k = 0; k < 3; k++)
        largest = fmax(largest, fabs(c[k]));
    assert_true(largest >= 1);
}

/* of two contradictory rows the first one wins, however short it is */
static void test_rows__first_rows_have_priority(void **state) {
    (void)state;
    double A[] = {1e-3, 0, 5, 0}, tau[2], x[2];
    const double b[] = {2e-3, 50};
    int order[2];
    int rank = zw_num_rows_factor(2, 2, A, 1, 1e-10, tau, order);
    assert_int_equal(rank, 1);
    assert_int_equal(order[0], 0);
    zw_num_rows_solve(2, A, rank, tau, order, b, x);
    assert_close(x[0], 2, 1e-15);
    assert_close(x[1], 0, 0);
}

/* a random m x n matrix of rank r has n - r null vectors, and they are independent */
static void test_null_basis__of_random_ranks(void **state) {
    (void)state;
    enum { N = 9 };
    test_random random = {23};
    for (int round = 0; round < 200; round++) {
        int m = 1 + test_random_int(&random, N), n = 1 + test_random_int(&random, N);
        int r = test_random_int(&random, (m < n ? m : n) + 1), columns[N];
        double left[N * N], right[N * N], A[N * N] = {0}, copy[N * N], basis[N * N];
        for (int i = 0; i < N * N; i++) {
            left[i] = test_random_real(&random, -1, 1);
            right[i] = test_random_real(&random, -1, 1);
        }
        for (int i = 0; i < m; i++)
            for (int j = 0; j < n; j++)
                for (int k = 0; k < r; k++)
                    A[i * n + j] += left[i * N + k] * right[k * N + j];
        memcpy(copy, A, sizeof A);
        int d = zw_num_null_basis(m, n, copy, 1e-10, basis, columns);
        assert_int_equal(d, n - r);
        for (int b = 0; b < d; b++)
            for (int i = 0; i < m; i++) {
                double sum = 0;
                for (int j = 0; j < n; j++)
                    sum += A[i * n + j] * basis[b * n + j];
                assert_close(sum, 0, 1e-10);
            }
        memcpy(copy, basis, sizeof basis);
        assert_int_equal(zw_num_null_basis(d, n, copy, 1e-10, basis, columns), r);
    }
}

/* Each thread of OpenBLAS takes 192 MB: with many cores there would be no memory left. */
static void test_lapack__has_one_thread(void **state) {
    (void)state;
    int threads = 0;
    if (!zw_num_lapack())
        skip();
    DIR *tasks = opendir("/proc/self/task");
    if (!tasks)
        skip();
    for (const struct dirent *d = readdir(tasks); d; d = readdir(tasks))
        threads += d->d_name[0] != '.';
    closedir(tasks);
    assert_int_equal(threads, 1);
}

/* Three rows within a plane, the first of them short: e, e u + f, e u - f with e = 4e-9 u. By
 * rounding the first has nine digits fewer than the others; it is no third direction. */
static void test_span__short_rows_first(void **state) {
    (void)state;
    double u[4] = {0.6, 0.48, 0.64, 0}, v[4] = {-0.8, 0.36, 0.48, 0}, V[3 * 4];
    for (int i = 0; i < 4; i++) {
        V[i] = 4e-9 * (u[i] / 3 + v[i] / 7) + 1e-16 * cos(5. * i);
        V[4 + i] = u[i] / 3 + v[i];
        V[8 + i] = u[i] - v[i] / 11;
    }
    assert_int_equal(zw_num_rows_span(3, 4, V, 1e-9), 2);
    for (int r = 0; r < 2; r++) {
        double own = 0, in = 0, along = 0;
        for (int i = 0; i < 4; i++) {
            own += V[r * 4 + i] * V[r * 4 + i];
            in += V[r * 4 + i] * u[i];
            along += V[r * 4 + i] * v[i];
        }
        assert_close(own, 1, 1e-14);
        assert_close(in * in + along * along, 1, 1e-14);
    }
    assert_close(V[0] * V[4] + V[1] * V[5] + V[2] * V[6] + V[3] * V[7], 0, 1e-14);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_lu__solves_random_systems),
        cmocka_unit_test(test_lu__tells_singular_and_not_finite),
        cmocka_unit_test(test_span__short_rows_first),
        cmocka_unit_test(test_metric__is_the_cholesky_factor),
        cmocka_unit_test(test_metric__completes_a_singular_one),
        cmocka_unit_test(test_rows__shortest_solution),
        cmocka_unit_test(test_rows__redundant_rows_are_left_out),
        cmocka_unit_test(test_rows__first_rows_have_priority),
        cmocka_unit_test(test_null_basis__of_random_ranks),
        cmocka_unit_test(test_lapack__has_one_thread),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
