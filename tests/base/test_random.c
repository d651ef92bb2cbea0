/* SPDX-License-Identifier: MIT */
/* The generator against the published values of its algorithm, and the uniformity of what it
 * gives. */
#include "base/random.h"

#include "support/test.h"

enum { MANY = 100000 };

/* the first numbers of splitmix64 from the seeds 0 and 1234567, as in its published test vectors */
static void test_random__known_values(void **state) {
    (void)state;
    static const uint64_t from_zero[] = {0xe220a8397b1dcdafu, 0x6e789e6aa1b965f4u,
                                         0x06c45d188009454fu, 0xf88bb8a8724c81ecu,
                                         0x1b39896a51a8749bu};
    static const uint64_t other[] = {6457827717110365317u, 3203168211198807973u,
                                     9817491932198370423u, 4593380528125082431u,
                                     16408922859458223821u};
    zw_random a = {0}, b = {1234567};
    for (int i = 0; i < 5; i++) {
        assert_true(zw_random_bits(&a) == from_zero[i]);
        assert_true(zw_random_bits(&b) == other[i]);
    }
}

/* chi-squared of MANY numbers in 100 boxes: 99 +- 14, five standard deviations are allowed */
static void assert_uniform(const double *u) {
    int box[100] = {0};
    double mean = 0, square = 0, neighbours = 0, chi = 0;
    for (int i = 0; i < MANY; i++) {
        assert_true(u[i] >= 0 && u[i] < 1);
        box[(int)(100 * u[i])]++;
        mean += u[i] / (double)MANY;
        square += (u[i] - 0.5) * (u[i] - 0.5) / (double)MANY;
        neighbours += i ? (u[i] - 0.5) * (u[i - 1] - 0.5) / (double)MANY : 0;
    }
    const double expected = (double)MANY / 100;
    for (int i = 0; i < 100; i++)
        chi += (box[i] - expected) * (box[i] - expected) / expected;
    assert_true(fabs(chi - 99) < 5 * sqrt(2 * 99.0));
    assert_true(fabs(mean - 0.5) < 5 / sqrt(12 * (double)MANY));
    assert_true(fabs(square - 1 / 12.0) < 5 / sqrt(180 * (double)MANY));
    assert_true(fabs(neighbours) < 5 / sqrt(144 * (double)MANY));
}

static void test_random__is_uniform(void **state) {
    (void)state;
    static double u[MANY];
    zw_random r = {1};
    for (int i = 0; i < MANY; i++)
        u[i] = zw_random_unit(&r);
    assert_uniform(u);
    for (int i = 0; i < MANY; i++)
        u[i] = (zw_random_real(&r, -3, 5) + 3) / 8;
    assert_uniform(u);
}

/* neighbouring streams and seeds have nothing to do with each other */
static void test_random__streams_are_independent(void **state) {
    (void)state;
    static double first[MANY], second[MANY], seeds[MANY];
    for (int i = 0; i < MANY; i++) {
        zw_random r = zw_random_stream(7, (uint64_t)i), s = zw_random_stream((uint64_t)i, 7);
        first[i] = zw_random_unit(&r);
        second[i] = zw_random_unit(&r);
        seeds[i] = zw_random_unit(&s);
    }
    assert_uniform(first);
    assert_uniform(second);
    assert_uniform(seeds);
    zw_random a = zw_random_stream(7, 3), b = zw_random_stream(7, 3), c = zw_random_stream(3, 7);
    uint64_t bits = zw_random_bits(&a);
    assert_true(bits == zw_random_bits(&b));
    assert_true(bits != zw_random_bits(&c));
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_random__known_values),
        cmocka_unit_test(test_random__is_uniform),
        cmocka_unit_test(test_random__streams_are_independent),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
