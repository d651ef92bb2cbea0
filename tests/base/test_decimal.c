/* SPDX-License-Identifier: MIT */
/* The C library is the judge: its strtod reads back the same bits, and none of its own roundings
 * does so with fewer digits. */
#include "base/decimal.h"

#include <stdlib.h>

#include "support/test.h"

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

static void check_read(const char *text) {
    double expected = strtod(text, NULL), v = -1;
    if (!zw_decimal_read(text, strlen(text), &v))
        fail_msg("%s is not read", text);
    if (memcmp(&v, &expected, sizeof v) != 0 && !(isnan(v) && isnan(expected)))
        fail_msg("%s: %a, not %a", text, v, expected);
}

static void test_decimal__is_read_as_the_library_does(void **state) {
    (void)state;
    test_random r = {33};
    char text[80];
    for (int i = 0; i < 300000; i++) {
        double v = from_bits(test_random_bits(&r) & (i % 5 ? ~(uint64_t)0 : 0x800fffffffffffffu));
        if (i % 3 == 0) /* any digits, any exponent */
            snprintf(text, sizeof text, "%s%.*fe%d", i % 2 ? "-" : "", test_random_int(&r, 10),
                     (double)(test_random_bits(&r) >> 30), test_random_int(&r, 720) - 370);
        else if (i % 7 == 0) /* next to the middle of two doubles, where rounding is hardest */
            snprintf(text, sizeof text, "%.*Le", 15 + test_random_int(&r, 10),
                     ((long double)v + (long double)nextafter(v, 0)) / 2);
        else
            snprintf(text, sizeof text, "%.*g", 1 + test_random_int(&r, 25), v);
        check_read(text);
    }
}

static void test_decimal__middles_go_to_even(void **state) {
    (void)state;
    char text[64];
    for (int k = 0; k < 2000; k++) { /* 2^53 + odd: halfway between neighbours */
        snprintf(text, sizeof text, "%llu", 9007199254740993ull + 2ull * (unsigned)k);
        check_read(text);
        snprintf(text, sizeof text, "%llu.0000000000000000000000001",
                 9007199254740993ull + 2ull * (unsigned)k);
        check_read(text);
    }
    static const char *const others[] = {"0",
                                         "-0",
                                         "0.0e5",
                                         "1e23",
                                         "8.5e22",
                                         "1.7976931348623157e308",
                                         "1e309",
                                         "-1e400",
                                         "5e-324",
                                         "2e-324",
                                         "2.2250738585072011e-308",
                                         "inf",
                                         "-inf",
                                         "nan",
                                         "+1",
                                         ".5",
                                         "5.",
                                         "0x1p3",
                                         "1e0001",
                                         "1e00001",
                                         "00012",
                                         "9999999999999999999",
                                         "18446744073709551616",
                                         "1E5"};
    for (size_t i = 0; i < sizeof others / sizeof *others; i++)
        check_read(others[i]);
}

static void test_decimal__other_text_is_refused(void **state) {
    (void)state;
    static const char *const bad[] = {"",    " 1",  "1 ",    "-",   ".",   "e5",   "1e",  "1e+",
                                      "1,2", "--1", "1.2.3", "abc", "\n1", "1e5x", "-.e1"};
    double v;
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++)
        if (zw_decimal_read(bad[i], strlen(bad[i]), &v))
            fail_msg("'%s' is read", bad[i]);
    assert_false(zw_decimal_read("12", 1, &v) && v != 1); /* n counts, not the end of the text */
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_decimal__looks_like_printf),
        cmocka_unit_test(test_decimal__random_bits_come_back),
        cmocka_unit_test(test_decimal__ends_of_binades_come_back),
        cmocka_unit_test(test_decimal__is_shortest),
        cmocka_unit_test(test_decimal__is_read_as_the_library_does),
        cmocka_unit_test(test_decimal__middles_go_to_even),
        cmocka_unit_test(test_decimal__other_text_is_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
