/* SPDX-License-Identifier: MIT */
/* The C library is the judge: its strtod reads back the same bits, and none of its own roundings does
 * so with fewer digits. */
#include "base/decimal.h"

#include <stdlib.h>

#include "test.h"

static double from_bits(uint64_t b) {
    double v;
    memcpy(&v, &b, sizeof v);
    return v;
}

/* significant digits of a decimal, without zeros at its ends */
static int count_digits(const char *s) {
    int n = 0, zeros = 0;
    for (; *s && *s != 'e'; s++) {
        if (*s < '0' || *s > '9' || (n == 0 && *s == '0'))
            continue;
        n++;
        zeros = *s == '0' ? zeros + 1 : 0;
    }
    return n - zeros;
}

static void check_bits(double v) {
    char text[ZW_DECIMAL_MAX];
    int n = zw_decimal(text, v);
    assert_int_equal(n, strlen(text));
    assert_true(n < ZW_DECIMAL_MAX);
    double back = strtod(text, NULL);
    if (memcmp(&back, &v, sizeof v) != 0)
        fail_msg("%.17g became %s", v, text);
}

static void check_shortest(double v) {
    char text[ZW_DECIMAL_MAX], rounded[40];
    zw_decimal(text, v);
    int most = 1;
    for (; most < 17; most++) {
        snprintf(rounded, sizeof rounded, "%.*e", most - 1, v);
        if (strtod(rounded, NULL) == v)
            break;
    }
    if (count_digits(text) > most)
        fail_msg("%s is longer than %s", text, rounded);
}

static void test_decimal__looks_like_printf(void **state) {
    (void)state;
    static const struct {
        double v;
        const char *text;
    } cases[] = {
        {0, "0"},
        {-0.0, "-0"},
        {1, "1"},
        {-2.5, "-2.5"},
        {100, "100"},
        {0.1, "0.1"},
        {0.0001, "0.0001"},
        {0.00001, "1e-05"},
        {1e16, "10000000000000000"},
        {1e17, "1e+17"},
        {1e23, "1e+23"},
        {-1.5e300, "-1.5e+300"},
        {5e-324, "5e-324"},
        {2.2250738585072014e-308, "2.2250738585072014e-308"},
        {INFINITY, "inf"},
        {-INFINITY, "-inf"},
        {NAN, "nan"},
        {-NAN, "nan"},
        {9007199254740992, "9007199254740992"},
        {1.7976931348623157e308, "1.7976931348623157e+308"},
        {299792458, "299792458"},
        {6.62607015e-34, "6.62607015e-34"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        char text[ZW_DECIMAL_MAX];
        zw_decimal(text, cases[i].v);
        assert_string_equal(text, cases[i].text);
    }
}

static void test_decimal__random_bits_come_back(void **state) {
    (void)state;
    test_random r = {31};
    for (int i = 0; i < 300000; i++) {
        uint64_t b = test_random_bits(&r);
        if (i % 4 == 0)
            b &= 0x800fffffffffffffu; /* subnormal */
        double v = from_bits(b);
        if (isfinite(v))
            check_bits(v);
    }
}

/* the ends of all binades, where the lower neighbour is nearer */
static void test_decimal__ends_of_binades_come_back(void **state) {
    (void)state;
    for (uint64_t e = 0; e < 2047; e++)
        for (int64_t k = -2; k <= 2; k++) {
            double v = from_bits((e << 52) + (uint64_t)k);
            if (isfinite(v))
                check_bits(v);
        }
}

static void test_decimal__is_shortest(void **state) {
    (void)state;
    test_random r = {32};
    for (int i = 0; i < 20000; i++) {
        double v = from_bits(test_random_bits(&r));
        if (i % 2)
            v = (double)test_random_int(&r, 1000000) * pow(10, test_random_int(&r, 20) - 10);
        if (isfinite(v) && v != 0) {
            check_bits(v);
            check_shortest(v);
        }
    }
    for (uint64_t e = 1; e < 2047; e++)
        check_shortest(from_bits(e << 52));
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_decimal__looks_like_printf),
        cmocka_unit_test(test_decimal__random_bits_come_back),
        cmocka_unit_test(test_decimal__ends_of_binades_come_back),
        cmocka_unit_test(test_decimal__is_shortest),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
