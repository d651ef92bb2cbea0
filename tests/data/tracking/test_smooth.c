/* SPDX-License-Identifier: MIT */
/* Smoothing: splines against dense algebra, quadrature and closed forms; local polynomials against
 * the printed coefficients of Savitzky and Golay; stated deviations against errors that were
 * counted. */
#include <stdlib.h>

#include "base/normal_quantile.h"
#include "base/philox.h"
#include "data/tracking/smooth.h"
#include "num/linear/linalg.h"
#include "support/test.h"

enum { BAND = ZW_SMOOTH_BAND, MOST = 1200 };

static double noise(uint64_t seed, long i) {
    return zw_normal_quantile(zw_philox_unit(seed, (uint64_t)i, 0));
}

/* A quadratic costs nothing: it comes out exactly, whatever lambda is, with its derivatives. */
static void test_spline__keeps_quadratics(void **state) {
    (void)state;
    double t[60], y[120], w[60];
    test_random r = {3};
    for (int i = 0; i < 60; i++) {
        t[i] = 0.1 * i + test_random_real(&r, 0, 0.05);
        w[i] = test_random_real(&r, 0.5, 2);
        y[2 * i] = 3 - 2 * t[i] + 0.7 * t[i] * t[i];
        y[2 * i + 1] = 1 + t[i];
    }
    for (double lambda = -6; lambda <= 7; lambda += 6.5) { /* as far as it is used */
        zw_smooth s;
        assert_int_equal(zw_smooth_create(&s, 60, 2, t, y, w, 0.1, 1, NULL, NULL), ZW_OK);
        s.lambda = lambda;
        assert_int_equal(zw_smooth_fit(&s, ZW_SMOOTH_KEEP, NULL), ZW_OK);
        for (double at = t[0]; at < t[59]; at += 0.37) {
            double v[2], d[2], dd[2];
            assert_true(zw_smooth_at(&s, at, 0, v, NULL) && zw_smooth_at(&s, at, 1, d, NULL) &&
                        zw_smooth_at(&s, at, 2, dd, NULL));
            assert_close(v[0], 3 - 2 * at + 0.7 * at * at, 1e-8);
            assert_close(d[0], -2 + 1.4 * at, 1e-7);
            assert_close(dd[0], 1.4, 1e-6);
            assert_close(v[1], 1 + at, 1e-8);
        }
        assert_false(zw_smooth_at(&s, t[0] - 0.01, 0, y, NULL));
        zw_smooth_destroy(&s);
    }
}

static void dense(const zw_smooth *s, double factor, double *M) {
    memset(M, 0, sizeof(double) * (size_t)(s->n * s->n));
    for (int i = 0; i < s->n; i++)
        for (int k = 0; k < BAND; k++) {
            int j = i - BAND + 1 + k;
            if (j >= 0)
                M[i * s->n + j] = M[j * s->n + i] =
                    s->N[i * BAND + k] + factor * s->P[i * BAND + k];
        }
}

/* The solution, the band of the inverse and the trace, against LU of the full matrix; the penalty
 * against a quadrature of s'''. */
static void test_spline__is_the_least_of_its_sum(void **state) {
    (void)state;
    enum { N = 40 };
    double t[N], y[N], w[N];
    for (int i = 0; i < N; i++) {
        t[i] = i < 20 ? 0.05 * i : 0.05 * i + 1; /* two segments */
        y[i] = sin(5 * t[i]) + 0.1 * noise(1, i);
        w[i] = 1 + 0.5 * (i % 3);
    }
    zw_smooth s;
    assert_int_equal(zw_smooth_create(&s, N, 1, t, y, w, 0.05, 0.5, NULL, NULL), ZW_OK);
    assert_int_equal(s.nsegment, 2);
    s.lambda = 1;
    assert_int_equal(zw_smooth_fit(&s, ZW_SMOOTH_KEEP, NULL), ZW_OK);
    double mean = 0;
    for (int i = 0; i < s.n; i++)
        mean += s.N[i * BAND + BAND - 1] / s.n;
    double *M = malloc(sizeof(double) * (size_t)(2 * s.n * s.n)), *inverse = M + s.n * s.n;
    int *pivot = malloc(sizeof(int) * (size_t)s.n);
    dense(&s, 10 * mean, M);
    memset(inverse, 0, sizeof(double) * (size_t)(s.n * s.n));
    for (int i = 0; i < s.n; i++)
        inverse[i * s.n + i] = 1;
    assert_true(zw_num_lu(s.n, M, pivot) > 0);
    zw_num_lu_solve(s.n, M, pivot, s.n, inverse);
    double trace = 0;
    for (int i = 0; i < s.n; i++) {
        double c = 0;
        for (int j = 0; j < s.n; j++)
            c += inverse[i * s.n + j] * s.rhs[j];
        assert_close(s.c[i], c, 1e-10);
        for (int k = 0; k < BAND; k++) {
            int j = i - BAND + 1 + k;
            if (j >= 0)
                assert_close(s.V[i * BAND + k], inverse[i * s.n + j], 1e-9);
        }
        for (int j = 0; j < s.n; j++) { /* tr V N */
            int far = abs(i - j), high = i > j ? i : j;
            trace += far < BAND ? inverse[i * s.n + j] * s.N[high * BAND + BAND - 1 - far] : 0;
        }
    }
    assert_close(s.trace, trace, 1e-9);
    double sum = 0, quadrature = 0; /* in times of knots */
    for (int i = 0; i < s.n; i++)
        for (int k = 0; k < BAND; k++) {
            int j = i - BAND + 1 + k;
            if (j >= 0)
                sum += (j < i ? 2 : 1) * s.c[i] * s.c[j] * s.P[i * BAND + k];
        }
    for (int g = 0; g < 2; g++) {
        const zw_smooth_segment *k = &s.segment[g];
        double h = (k->to - k->from) / k->intervals;
        enum { FINE = 20000 };
        for (int i = 0; i < FINE; i++) {
            double value, at = k->from + (k->to - k->from) * (i + 0.5) / FINE;
            zw_smooth_at(&s, at, 3, &value, NULL);
            quadrature += value * value * (k->to - k->from) / FINE * pow(h, 5);
        }
    }
    assert_close(sum / quadrature, 1, 1e-6);
    assert_false(zw_smooth_at(&s, 1.5, 0, y, NULL)); /* between the segments */
    free(M);
    free(pivot);
    zw_smooth_destroy(&s);
}

/* Errors of values and of derivatives lie within the stated deviation in 68 and 95 of 100 places,
 * with the noise estimated and with the noise stated; the estimate of the noise is right. */
static void count_errors(zw_smooth_noise how, double frequency) {
    enum { REPEAT = 30, N = 300 };
    double t[N], y[N], w[N], within[2][2] = {{0}}, places = 0, sigma = 0;
    for (int k = 0; k < REPEAT; k++) {
        zw_smooth s;
        for (int i = 0; i < N; i++) {
            t[i] = 0.01 * i;
            y[i] = sin(frequency * t[i]) + 0.05 * noise((uint64_t)(100 + k), i);
            w[i] = 1 / (0.05 * 0.05);
        }
        assert_int_equal(zw_smooth_create(&s, N, 1, t, y, w, 0.01, 1, NULL, NULL), ZW_OK);
        assert_int_equal(zw_smooth_fit(&s, how, NULL), ZW_OK);
        sigma += s.rss / ((double)N - s.trace) / REPEAT;
        for (int i = 0; i < N; i++) {
            const double truth[2] = {sin(frequency * t[i]), frequency * cos(frequency * t[i])};
            places++;
            for (int order = 0; order < 2; order++) {
                double v, sd;
                assert_true(zw_smooth_at(&s, t[i], order, &v, &sd));
                within[order][0] += fabs(v - truth[order]) < sd;
                within[order][1] += fabs(v - truth[order]) < 1.96 * sd;
            }
        }
        zw_smooth_destroy(&s);
    }
    assert_close(sigma, 1, 0.03);
    /* 30 splines of about 10 degrees of freedom: 300 independent places, 3 standard errors of a
     * binomial */
    assert_true(within[0][0] / places > 0.60 && within[0][0] / places < 0.77);
    assert_true(within[0][1] / places > 0.91 && within[0][1] / places < 0.985);
    /* of derivatives the deviation is rather too large: they never are surer than they say */
    assert_true(within[1][0] / places > 0.60 && within[1][0] / places < 0.85);
    assert_true(within[1][1] / places > 0.91);
}

static void test_spline__errors_are_as_stated(void **state) {
    (void)state;
    count_errors(ZW_SMOOTH_ESTIMATE, 4);
    count_errors(ZW_SMOOTH_STATED, 4);
    count_errors(ZW_SMOOTH_ESTIMATE, 15);
}

/* What hardly bends gets fewer knots, and a line its slope. */
static void test_spline__of_a_line(void **state) {
    (void)state;
    static double t[MOST], y[MOST], w[MOST];
    for (int i = 0; i < MOST; i++) {
        t[i] = 0.002 * i;
        y[i] = 2 * t[i] + 0.01 * noise(7, i);
        w[i] = 1;
    }
    zw_smooth s;
    double v, sd;
    assert_int_equal(zw_smooth_create(&s, MOST, 1, t, y, w, 0.002, 1, NULL, NULL), ZW_OK);
    assert_int_equal(zw_smooth_fit(&s, ZW_SMOOTH_ESTIMATE, NULL), ZW_OK);
    assert_true(s.n < 400);
    assert_true(s.trace < 8);
    assert_true(zw_smooth_at(&s, 1.2, 1, &v, &sd));
    assert_true(fabs(v - 2) < 4 * sd && sd < 0.01);
    assert_close(sqrt(s.variance), 0.01, 0.001);
    zw_smooth_destroy(&s);
}

/* Samples without weight have a place and no influence; too few are no segment. */
static void test_spline__weights_and_few(void **state) {
    (void)state;
    double t[20], y[20], w[20];
    for (int i = 0; i < 20; i++) {
        t[i] = i < 15 ? i : i + 100;
        y[i] = i == 7 ? 1e6 : 1 + 2 * t[i];
        w[i] = i != 7;
    }
    zw_smooth s;
    double v;
    assert_int_equal(zw_smooth_create(&s, 20, 1, t, y, w, 1, 3, NULL, NULL), ZW_OK);
    assert_int_equal(s.nsegment, 1); /* five samples are none */
    s.lambda = 0;
    assert_int_equal(zw_smooth_fit(&s, ZW_SMOOTH_KEEP, NULL), ZW_OK);
    assert_true(zw_smooth_at(&s, 7, 0, &v, NULL));
    assert_close(v, 15, 1e-9);
    assert_true(s.at[7] >= 0 && s.at[16] < 0);
    zw_smooth_destroy(&s);
    zw_error err = {0};
    assert_int_equal(zw_smooth_create(&s, 5, 1, t, y, w, 1, 3, NULL, NULL), ZW_OK);
    assert_true(zw_smooth_fit(&s, ZW_SMOOTH_ESTIMATE, &err) < 0 && err.text[0]);
    zw_smooth_destroy(&s);
}

/* The coefficients for five points and a quadratic, Anal. Chem. 36 (1964) 1627: (-3 12 17 12 -3)/35
 * and (-2 -1 0 1 2)/10. */
static void test_local__is_savitzky_and_golay(void **state) {
    (void)state;
    const double t[5] = {-2, -1, 0, 1, 2}, w[5] = {4, 4, 4, 4, 4},
                 smooth[5] = {-3 / 35.0, 12 / 35.0, 17 / 35.0, 12 / 35.0, -3 / 35.0};
    double value[3], sd[3], leverage;
    for (int k = 0; k < 5; k++) {
        double y[5] = {0};
        y[k] = 1;
        assert_true(zw_local_fit(5, t, y, w, 0, 2.5, 2, value, sd, &leverage));
        assert_close(value[0], smooth[k], 1e-13);
        assert_close(value[1], (k - 2) / 10.0, 1e-13);
    }
    /* sd 1/2 of a sample: the sums of squares of the coefficients */
    assert_close(sd[0], 0.5 * sqrt(17 / 35.0), 1e-13);
    assert_close(sd[1], 0.5 * sqrt(1 / 10.0), 1e-13);
    assert_close(leverage * 4, 17 / 35.0, 1e-13);
    assert_false(zw_local_fit(5, t, t, w, 0, 1.2, 2, value, sd, NULL)); /* three points */
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_spline__keeps_quadratics),
        cmocka_unit_test(test_spline__is_the_least_of_its_sum),
        cmocka_unit_test(test_spline__errors_are_as_stated),
        cmocka_unit_test(test_spline__of_a_line),
        cmocka_unit_test(test_spline__weights_and_few),
        cmocka_unit_test(test_local__is_savitzky_and_golay),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
