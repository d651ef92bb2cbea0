/* SPDX-License-Identifier: MIT */
/* Radau points, derivatives at them and the last Legendre coefficient, against closed forms. */
#include "base/radau.h"

#include "support/test.h"

static void test_radau_points__points(void **state) {
    (void)state;
    double x[60];
    zw_radau_points(2, x);
    assert_close(x[0], 1.0 / 3, 1e-15);
    zw_radau_points(3, x);
    assert_close(x[0], (4 - sqrt(6)) / 10, 1e-15);
    assert_close(x[1], (4 + sqrt(6)) / 10, 1e-15);
    zw_radau_points(60, x);
    for (int i = 0; i < 60; i++)
        assert_true(x[i] > (i ? x[i - 1] : 0) && x[i] <= 1);
    assert_close(x[59], 1, 0);
}

/* of s^k, k up to the degree; and of exp(-s), to rounding */
static void test_radau_points__derivative(void **state) {
    (void)state;
    const int all[] = {2, 5, 16, 40};
    for (int m = 0; m < 4; m++) {
        int n = all[m];
        double x[60], D[60 * 61];
        zw_radau_points(n, x);
        zw_radau_derivative(n, D);
        for (int k = 0; k <= n; k++)
            for (int i = 0; i < n; i++) {
                double sum = k ? 0 : D[i * (n + 1)];
                for (int j = 0; j < n; j++)
                    sum += D[i * (n + 1) + j + 1] * pow(x[j], k);
                assert_close(sum, k ? k * pow(x[i], k - 1) : 0, 1e-11);
            }
    }
}

/* 1 for P_n(2 s - 1), 0 for what has a lower degree */
static void test_radau_points__tail(void **state) {
    (void)state;
    const int n = 12;
    double x[12], w[13], last = 0, lower = 0;
    zw_radau_points(n, x);
    zw_radau_tail(n, w);
    for (int j = 0; j <= n; j++) {
        double z = j ? 2 * x[j - 1] - 1 : -1, a = 1, b = z;
        for (int k = 2; k <= n; k++) {
            double c = ((2 * k - 1) * z * b - (k - 1) * a) / k;
            a = b;
            b = c;
        }
        last += w[j] * b;
        lower += w[j] * a;
    }
    assert_close(last, 1, 1e-12);
    assert_close(lower, 0, 1e-12);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_radau_points__points),
        cmocka_unit_test(test_radau_points__derivative),
        cmocka_unit_test(test_radau_points__tail),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
