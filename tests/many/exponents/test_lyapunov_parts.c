/* SPDX-License-Identifier: MIT */
/* What exponents are made of: frames, means by blocks, the 0-1 test. */
#include <stdlib.h>

#include "many/exponents/block_mean.h"
#include "many/exponents/frame.h"
#include "many/exponents/zero_one.h"
#include "support/test.h"

/* rows become orthonormal in the sizes of entries, and the volume is that of the determinant */
static void test_frame__keeps_the_volume(void **state) {
    (void)state;
    enum { N = 3, NX = 4 };
    const double scale[NX] = {1, 10, 0.5, 1e-3};
    const bool counts[NX] = {true, true, true, false};
    test_random r = {1};
    for (int trial = 0; trial < 20; trial++) {
        double V[N * NX], a[N][N], grown[N], sum = 0;
        for (int i = 0; i < N; i++)
            for (int j = 0; j < NX; j++) {
                V[i * NX + j] = test_random_real(&r, -1, 1) * scale[j];
                if (j < N)
                    a[i][j] = V[i * NX + j] / scale[j];
            }
        double det = a[0][0] * (a[1][1] * a[2][2] - a[1][2] * a[2][1]) -
                     a[0][1] * (a[1][0] * a[2][2] - a[1][2] * a[2][0]) +
                     a[0][2] * (a[1][0] * a[2][1] - a[1][1] * a[2][0]);
        assert_true(zw_frame_qr(N, NX, scale, counts, V, grown));
        for (int i = 0; i < N; i++) {
            sum += grown[i];
            assert_true(V[i * NX + 3] == 0);
            for (int k = 0; k < N; k++) {
                double dot = 0;
                for (int j = 0; j < N; j++)
                    dot += V[i * NX + j] * V[k * NX + j] / (scale[j] * scale[j]);
                assert_close(dot, i == k, 1e-14);
            }
        }
        assert_close(exp(sum), fabs(det), 1e-12);
    }
}

/* a row that depends on others is no row */
static void test_frame__finds_dependent_rows(void **state) {
    (void)state;
    const double scale[3] = {1, 1, 1};
    const bool counts[3] = {true, true, true};
    double V[9] = {1, 2, 3, 2, 4, 6, 0, 1, 0}, W[9], grown[3];
    memcpy(W, V, sizeof V);
    assert_false(zw_frame_qr(3, 3, scale, counts, V, grown));
    assert_int_equal(zw_frame_span(3, 3, counts, W), 2);
    /* a row along an entry that does not count is none, whatever rounding leaves of it in the
     * others */
    const bool two[3] = {true, true, false};
    double X[9] = {0, 1e-13, 1, 1, 0, 0, 1e-13, 0.6, 0.8};
    assert_int_equal(zw_frame_span(3, 3, two, X), 2);
}

/* the trace of a whole frame is that of the matrix, in whatever sizes */
static void test_frame__trace(void **state) {
    (void)state;
    const double scale[3] = {1, 7, 0.1}, J[9] = {1, 2, 3, 4, 5, 6, 7, 8, 9};
    const bool counts[3] = {true, true, true};
    double V[9] = {1, 2, 3, -1, 4, 6, 0, 1, 0}, grown[3];
    assert_true(zw_frame_qr(3, 3, scale, counts, V, grown));
    assert_close(zw_frame_trace(3, 3, scale, counts, V, J), 15, 1e-12);
}

/* y_j = a y_j-1 + noise: the mean of N values has the error s/(1 - a)/sqrt(N) */
static void test_block_mean__numbers_that_remember(void **state) {
    (void)state;
    enum { M = 8, B = 64, INNER = 20 };
    static double x[M * B], room[M * B];
    double ratio = 0, a = 0.9;
    test_random r = {3};
    for (int trial = 0; trial < 50; trial++) {
        for (int i = 0; i < M; i++) {
            double y = 0;
            for (int j = -20; j < B; j++) {
                double sum = 0;
                for (int k = 0; k < INNER; k++) {
                    y = a * y + test_random_real(&r, -1, 1);
                    sum += y / INNER;
                }
                if (j >= 0)
                    x[i * B + j] = sum;
            }
        }
        double error;
        zw_block_mean(M, B, x, 1, M, &error, room);
        ratio += error / (sqrt(1. / 3) / (1 - a) / sqrt(M * B * INNER)) / 50;
    }
    assert_close(ratio, 1, 0.06);
}

/* neighbours that cancel: a difference of something bounded, whose mean is known as 1/N and not as
 * 1/sqrt(N) */
static void test_block_mean__bounded_sums(void **state) {
    (void)state;
    enum { M = 4, B = 64 };
    double x[M * B], room[M * B], error;
    test_random r = {4};
    for (int i = 0; i < M; i++) {
        double before = 0;
        for (int j = 0; j < B; j++) {
            double now = test_random_real(&r, -1, 1);
            x[i * B + j] = 5 + now - before;
            before = now;
        }
    }
    double mean = zw_block_mean(M, B, x, 1, M, &error, room);
    assert_true(fabs(mean - 5) < 4 * error && error < 0.03); /* by the variance alone: 0.05 */
}

static double K_of(int n, const double *phi) {
    double *room = malloc(sizeof(double) * (size_t)(3 * n + 200));
    double K = zw_zero_one(n, phi, 100, room);
    free(room);
    return K;
}

static void test_zero_one__known_maps(void **state) {
    (void)state;
    enum { N = 1500 };
    static double phi[N];
    double x = 0.3;
    for (int i = 0; i < N; i++)
        phi[i] = x = 3.97 * x * (1 - x);
    assert_true(K_of(N, phi) > 0.95);
    for (int i = 0; i < N + 1000; i++) /* period 8 */
        phi[i % N] = x = 3.55 * x * (1 - x);
    assert_true(fabs(K_of(N, phi)) < 0.1);
    for (int i = 0; i < N; i++)
        phi[i] = 2 + cos(i * 2 * M_PI * sqrt(2)) + 0.3 * cos(i * 2 * M_PI * sqrt(3));
    assert_true(fabs(K_of(N, phi)) < 0.15);
    for (int i = 0; i < N; i++)
        phi[i] = 0.7;
    assert_true(isnan(K_of(N, phi)));
    assert_true(isnan(K_of(20, phi)));
}

/* Chaos that is sampled too densely looks regular; at the distance that the autocorrelation says it
 * does not. The series: a chaotic map, joined by half waves of 40 values. */
static void test_zero_one__dense_samples(void **state) {
    (void)state;
    enum { N = 40000, WAVE = 40 };
    static double phi[N];
    double x = 0.3, y = 0;
    for (int i = 0; i < N; i++) {
        if (i % WAVE == 0) {
            y = x;
            x = 3.97 * x * (1 - x);
        }
        phi[i] = 0.5 * (x + y) + 0.5 * (y - x) * cos(M_PI * (i % WAVE) / WAVE);
    }
    assert_true(K_of(1000, phi) < 0.8);
    int stride = zw_series_stride(N, phi), n = 0;
    assert_true(stride >= 20 && stride <= 60);
    for (int i = 0; i < N; i += stride)
        phi[n++] = phi[i];
    assert_true(K_of(n, phi) > 0.95);
}

static void test_series__stride_of_a_wave(void **state) {
    (void)state;
    enum { N = 4000 };
    static double phi[N];
    for (int i = 0; i < N; i++)
        phi[i] = 3 + cos(2 * M_PI * i / 100.);
    int stride = zw_series_stride(N, phi); /* cos(2 pi 23.4/100) is 0.1 */
    assert_true(stride >= 23 && stride <= 25);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_frame__keeps_the_volume),
        cmocka_unit_test(test_frame__finds_dependent_rows),
        cmocka_unit_test(test_frame__trace),
        cmocka_unit_test(test_block_mean__numbers_that_remember),
        cmocka_unit_test(test_block_mean__bounded_sums),
        cmocka_unit_test(test_zero_one__known_maps),
        cmocka_unit_test(test_zero_one__dense_samples),
        cmocka_unit_test(test_series__stride_of_a_wave),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
