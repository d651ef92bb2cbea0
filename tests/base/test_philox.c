/* SPDX-License-Identifier: MIT */
#include "support/test.h"

#include "base/philox.h"

static void is_known(const uint32_t c[4], const uint32_t k[2], const uint32_t want[4]) {
    uint32_t got[4];
    zw_philox(got, c, k);
    for (int i = 0; i < 4; i++)
        assert_int_equal(got[i], want[i]);
}

/* the known answers that the authors publish beside Random123 (kat_vectors): zeros, ones, digits of
 * pi */
static void test_philox__known_answers(void **state) {
    (void)state;
    const uint32_t zero[4] = {0}, ones[4] = {~0u, ~0u, ~0u, ~0u};
    const uint32_t pi[4] = {0x243f6a88u, 0x85a308d3u, 0x13198a2eu, 0x03707344u};
    const uint32_t more[2] = {0xa4093822u, 0x299f31d0u};
    is_known(zero, zero, (const uint32_t[]){0x6627e8d5u, 0xe169c58du, 0xbc57ac4cu, 0x9b00dbd8u});
    is_known(ones, ones, (const uint32_t[]){0x408f276du, 0x41c83b0eu, 0xa20bc7c6u, 0x6d5451fdu});
    is_known(pi, more, (const uint32_t[]){0xd16cfe09u, 0x94fdccebu, 0x5001e420u, 0x24126ea1u});
}

/* mean 1/2, variance 1/12, dimensions and seeds uncorrelated: five standard errors of each */
static void test_philox__units_are_uniform_and_independent(void **state) {
    (void)state;
    enum { N = 100000 };
    double mean = 0, square = 0, dims = 0, seeds = 0;
    for (uint64_t k = 0; k < N; k++) {
        double a = zw_philox_unit(7, k, 0) - 0.5;
        assert_true(a > -0.5 && a < 0.5);
        mean += a / N, square += a * a / N;
        dims += a * (zw_philox_unit(7, k, 1) - 0.5) / N;
        seeds += a * (zw_philox_unit(8, k, 0) - 0.5) / N;
    }
    assert_true(fabs(mean) < 5 * sqrt(1. / 12 / N));
    assert_true(fabs(square - 1. / 12) < 5 * sqrt(1. / 180 / N));
    assert_true(fabs(dims) < 5 * sqrt(1. / 144 / N));
    assert_true(fabs(seeds) < 5 * sqrt(1. / 144 / N));
}

static void test_philox__large_indices_and_uses_differ(void **state) {
    (void)state;
    assert_true(zw_philox_unit(1, 5, 0) != zw_philox_unit(1, 5 + (1ull << 32), 0));
    assert_true(zw_philox_unit(1, 5, 0) != zw_philox_unit(1 + (1ull << 32), 5, 0));
    assert_true(zw_philox_bits(1, 5, 0, 0) != zw_philox_bits(1, 5, 0, 1));
    assert_true(zw_philox_unit(1, 5, 3) == zw_philox_unit(1, 5, 3));
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_philox__known_answers),
        cmocka_unit_test(test_philox__units_are_uniform_and_independent),
        cmocka_unit_test(test_philox__large_indices_and_uses_differ),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
