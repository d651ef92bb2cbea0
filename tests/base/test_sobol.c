/* SPDX-License-Identifier: MIT */
#include <stdlib.h>

#include "test.h"

#include "base/normal.h"
#include "base/sobol.h"

/* the first points of the sequence as printed by Joe and Kuo for d = 3, in the order of Gray's code */
static void test_sobol__first_points(void **state) {
    (void)state;
    const double printed[10][3] = {{0, 0, 0},
                                   {0.5, 0.5, 0.5},
                                   {0.75, 0.25, 0.25},
                                   {0.25, 0.75, 0.75},
                                   {0.375, 0.375, 0.625},
                                   {0.875, 0.875, 0.125},
                                   {0.625, 0.125, 0.875},
                                   {0.125, 0.625, 0.375},
                                   {0.1875, 0.3125, 0.9375},
                                   {0.6875, 0.8125, 0.4375}};
    for (uint64_t i = 0; i < 10; i++)
        for (int j = 0; j < 3; j++)
            assert_true((double)zw_sobol(i ^ i >> 1, j) * 0x1p-52 == printed[i][j]);
}

/* x^((2^s - 1)/r) != 1 for every prime r of 2^s - 1, and x^(2^s - 1) = 1: the polynomial is primitive */
static uint32_t power_of_x(uint32_t polynomial, int degree, uint32_t exponent) {
    uint32_t x = 1;
    for (uint32_t i = 0; i < exponent; i++) {
        x <<= 1;
        if (x >> degree & 1)
            x ^= polynomial;
    }
    return x;
}

static void test_sobol__polynomials_are_primitive_and_all_different(void **state) {
    (void)state;
    for (int j = 1; j < ZW_SOBOL_DIMENSIONS; j++) {
        const zw_sobol_row *r = zw_sobol_numbers(j);
        uint32_t p = 1u << r->degree | (uint32_t)r->inner << 1 | 1, order = (1u << r->degree) - 1;
        assert_int_equal(power_of_x(p, r->degree, order) & order, 1 & order);
        for (uint32_t e = 1; e < order; e++)
            if (order % e == 0 && r->degree > 1)
                assert_true(power_of_x(p, r->degree, e) != 1);
        for (int k = 0; k < r->degree; k++)
            assert_true(r->m[k] % 2 == 1 && r->m[k] < 2u << k);
        for (int k = 1; k < j; k++)
            assert_true(zw_sobol_numbers(k)->degree != r->degree ||
                        zw_sobol_numbers(k)->inner != r->inner);
    }
    assert_null(zw_sobol_numbers(ZW_SOBOL_DIMENSIONS));
}

/* the first 2^n points have one in each of the 2^n parts of every axis */
static void test_sobol__every_axis_is_filled_evenly(void **state) {
    (void)state;
    enum { N = 1024 };
    for (int j = 0; j < ZW_SOBOL_DIMENSIONS; j++)
        for (int seed = 0; seed < 2; seed++) {
            char seen[N] = {0};
            for (uint64_t i = 0; i < N; i++) {
                double u = zw_sobol_unit((uint64_t)seed, i, j);
                assert_true(u > 0 && u < 1);
                assert_int_equal(seen[(int)(u * N)]++, 0);
            }
        }
}

/* Neighbouring pairs of axes: the mean of a product of centred values, which is 0, comes out far below the 1/12/sqrt N of
 * random points. */
static void test_sobol__pairs_of_axes_are_even(void **state) {
    (void)state;
    enum { N = 1 << 14 };
    for (int j = 1; j < ZW_SOBOL_DIMENSIONS; j++) {
        double sum = 0;
        for (uint64_t i = 0; i < N; i++)
            sum += (zw_sobol_unit(5, i, j - 1) - 0.5) * (zw_sobol_unit(5, i, j) - 0.5) / N;
        assert_true(fabs(sum) < 1. / 12 / sqrt(N) / 2);
    }
}

/* quantiles of tables, to the digits there, and Phi of them by erfc */
static void test_normal__quantiles(void **state) {
    (void)state;
    assert_close(zw_normal_quantile(0.975), 1.959963984540054, 1e-15);
    assert_close(zw_normal_quantile(0.05), -1.644853626951473, 1e-15);
    assert_true(zw_normal_quantile(0.5) == 0);
    assert_true(isinf(zw_normal_quantile(0)) && isnan(zw_normal_quantile(1.5)));
    for (double u = 0x1p-53; u < 0.5; u *= 1.7)
        assert_true(fabs(erfc(-zw_normal_quantile(u) / sqrt(2)) / 2 / u - 1) < 1e-13);
    for (double u = 0.01; u < 1; u += 0.01)
        assert_close(zw_normal_quantile(u), -zw_normal_quantile(1 - u), 1e-14);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_sobol__first_points),
        cmocka_unit_test(test_sobol__polynomials_are_primitive_and_all_different),
        cmocka_unit_test(test_sobol__every_axis_is_filled_evenly),
        cmocka_unit_test(test_sobol__pairs_of_axes_are_even),
        cmocka_unit_test(test_normal__quantiles),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
