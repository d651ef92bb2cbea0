/* SPDX-License-Identifier: MIT */
#include <stdlib.h>

#include "support/test.h"

#include "base/distribution_tails.h"
#include "base/normal_quantile.h"
#include "base/sobol.h"

/* the first points of the sequence as printed by Joe and Kuo for d = 3, in the order of Gray's
 * code */
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

/* x^((2^s - 1)/r) != 1 for every prime r of 2^s - 1, and x^(2^s - 1) = 1: the polynomial is
 * primitive */
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

/* Neighbouring pairs of axes: the mean of a product of centred values, which is 0, comes out far
 * below the 1/12/sqrt N of random points. */
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

/* Tails and quantiles: mpmath 1.3.0 with 40 digits and more (gammainc and betainc, regularised;
 * quadrature for a + b > 1e4; quantiles by 160 halvings). */
static void test_tail__has_its_digits(void **state) {
    (void)state;
    const double gamma[][3] = {
        {0.5, 0.02, 0.841480581121793952},  {0.5, 30, 9.48573757107384839e-15},
        {1, 700, 9.85967654375977086e-305}, {2.5, 2.5, 0.41588018699550792},
        {5, 0.1, 0.999999923321983138},     {10, 45, 7.41291956539308914e-11},
        {50, 20, 0.99999998754107392},      {50, 150, 7.41210085732287679e-22},
        {500, 400, 0.99999918906189212},    {500, 700, 7.03214564182858948e-16},
        {5e4, 5e4, 0.499405291895206689},   {5e4, 51500, 1.52891301173023518e-11}};
    const double beta[][4] = {{0.5, 0.5, 0.3, 0.369010119565545375},
                              {1, 3, 1e-12, 2.99999999999699994e-12},
                              {2, 5, 0.9, 0.999945},
                              {6.5, 0.5, 0.999, 0.910921634743580762},
                              {0.5, 6.5, 0.01, 0.27710267472088182},
                              {30, 70, 0.1, 1.89298972186138618e-8},
                              {5e4, 5e4, 0.49, 1.26475250591105624e-10},
                              {5e4, 0.5, 0.9999, 0.00156501976217349491}};
    for (size_t i = 0; i < sizeof gamma / sizeof *gamma; i++)
        assert_close(zw_gamma_tail(gamma[i][0], gamma[i][1]) / gamma[i][2], 1, 1e-12);
    for (size_t i = 0; i < sizeof beta / sizeof *beta; i++)
        assert_close(zw_beta_below(beta[i][0], beta[i][1], beta[i][2]) / beta[i][3], 1, 1e-12);
    const double f[][4] = {{0.05, 1, 4, 7.70864742217679108},  {0.05, 1, 12, 4.74722534672251673},
                           {0.05, 2, 4, 6.94427190999915854},  {0.05, 3, 297, 2.63500381610247645},
                           {1e-3, 4, 10, 11.2827515121315455}, {1e-10, 2, 20, 90}};
    for (size_t i = 0; i < sizeof f / sizeof *f; i++)
        assert_close(zw_f_quantile(f[i][0], f[i][1], f[i][2]) / f[i][3], 1, 1e-12);
    const double chi2[][3] = {{0.05, 1, 3.84145882069412587},
                              {0.05, 2, 5.99146454710798188},
                              {1e-10, 7, 60.8951953646702487},
                              {0.999, 300, 229.963435178044787}};
    for (size_t i = 0; i < sizeof chi2 / sizeof *chi2; i++)
        assert_close(zw_chi2_quantile(chi2[i][0], chi2[i][1]) / chi2[i][2], 1, 1e-12);
    assert_close(zw_beta_quantile(0.95, 6, 99995) / 0.000105127451172403425, 1, 1e-11);
    assert_close(zw_beta_quantile(0.95, 4, 17) / 0.343663804314281829, 1, 1e-12);
    assert_true(zw_beta_quantile(0, 4, 17) == 0 && zw_beta_quantile(1, 4, 17) == 1);
    /* where rounding puts both sides above their means */
    assert_close(zw_f_tail(2.932248973120529, 1, 86.559543321370029), 0.0904068225944069258, 1e-15);
    assert_true(isnan(zw_f_quantile(-0.1, 1, 1)) && isnan(zw_gamma_tail(-1, 1)));
    /* 1e5 of 1e7: the sum of 1e5 probabilities took 2 s; the normal limit p + 1.645 sqrt(p (1-p)/n)
     * is right to 1e-3 of the distance */
    double far = zw_beta_quantile(0.95, 100001, 9900000);
    assert_close((far - 0.01) / (1.6448536269514722 * sqrt(0.01 * 0.99 / 1e7)), 1, 0.01);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_tail__has_its_digits),
        cmocka_unit_test(test_sobol__first_points),
        cmocka_unit_test(test_sobol__polynomials_are_primitive_and_all_different),
        cmocka_unit_test(test_sobol__every_axis_is_filled_evenly),
        cmocka_unit_test(test_sobol__pairs_of_axes_are_even),
        cmocka_unit_test(test_normal__quantiles),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
