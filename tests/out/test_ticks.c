/* SPDX-License-Identifier: MIT */
#include "out/plots/ticks.h"

#include <stdbool.h>
#include <stdlib.h>

#include "support/test.h"

/* inside the range, round steps, no more than allowed, never fewer than a finer step would allow */
static void test_ticks__are_round_and_inside(void **state) {
    (void)state;
    test_random r = {31};
    for (int trial = 0; trial < 5000; trial++) {
        double size = pow(10, test_random_real(&r, -12, 12));
        double low = size * test_random_real(&r, -1, 1),
               high = low + size * test_random_real(&r, 0.1, 2);
        int most = 3 + test_random_int(&r, 10);
        zw_out_ticks t = zw_out_ticks_choose(low, high, most);
        assert_true(t.n >= 1 && t.n <= most);
        double mantissa = t.step / pow(10, floor(log10(t.step) + 1e-9));
        assert_true(fabs(mantissa - 1) < 1e-9 || fabs(mantissa - 2) < 1e-9 ||
                    fabs(mantissa - 5) < 1e-9);
        for (int i = 0; i < t.n; i++) {
            double v = zw_out_tick(&t, i);
            assert_true(v >= low - 1e-8 * t.step && v <= high + 1e-8 * t.step);
            assert_close(v / t.step, round(v / t.step), 1e-9);
        }
        /* the next mark on either side is outside */
        assert_true(zw_out_tick(&t, t.n) > high);
        assert_true(zw_out_tick(&t, -1) < low);
    }
}

/* the numbers written are the numbers meant */
static void test_ticks__texts_say_the_value(void **state) {
    (void)state;
    test_random r = {32};
    for (int trial = 0; trial < 2000; trial++) {
        double size = pow(10, test_random_real(&r, -9, 9));
        double low = size * test_random_real(&r, -1, 1),
               high = low + size * test_random_real(&r, 0.1, 2);
        zw_out_ticks t = zw_out_ticks_choose(low, high, 8);
        char last[64] = "";
        for (int i = 0; i < t.n; i++) {
            char text[64];
            zw_out_tick_text(&t, i, text, sizeof text);
            assert_string_not_equal(text, last);
            bool minus = strncmp(text, "\u2212", 3) == 0;
            double value = strtod(minus ? text + 3 : text, NULL) * (minus ? -1 : 1);
            double expected = zw_out_tick(&t, i);
            assert_true(fabs(value * pow(10, t.exponent) - expected) < 1e-6 * t.step);
            assert_true(strlen(text) <= 12);
            memcpy(last, text, sizeof last);
        }
    }
}

static void test_ticks__known_cases(void **state) {
    (void)state;
    char text[64];
    zw_out_ticks t = zw_out_ticks_choose(0, 1, 6);
    assert_int_equal(t.n, 6);
    assert_close(t.step, 0.2, 1e-15);
    assert_int_equal(t.decimals, 1);
    zw_out_tick_text(&t, 0, text, sizeof text);
    assert_string_equal(text, "0.0");
    t = zw_out_ticks_choose(-2.5e-7, 2.5e-7, 8);
    assert_int_equal(t.exponent, -9);
    zw_out_tick_text(&t, 0, text, sizeof text);
    assert_string_equal(text, "\u2212200");
    t = zw_out_ticks_choose(-1, 1, 5);
    zw_out_tick_text(&t, 2, text, sizeof text);
    assert_string_equal(text, "0.0"); /* never minus zero */
}

static double number_in(const char *text) {
    bool minus = strncmp(text, "\u2212", 3) == 0;
    return strtod(minus ? text + 3 : text, NULL) * (minus ? -1 : 1);
}

/* far from zero and close together: short numbers, which with offset and power say the value */
static void test_ticks__offset_keeps_numbers_short(void **state) {
    (void)state;
    test_random r = {33};
    for (int trial = 0; trial < 3000; trial++) {
        double size = pow(10, test_random_real(&r, -6, 12)) * (trial % 2 ? 1 : -1);
        double range = fabs(size) * pow(10, test_random_real(&r, -11, -5));
        zw_out_ticks t = zw_out_ticks_choose(size, size + range, 7);
        assert_true(t.offset != 0 || range > 1e-7 * fabs(size));
        for (int i = 0; i < t.n; i++) {
            char text[64];
            zw_out_tick_text(&t, i, text, sizeof text);
            assert_true(strlen(text) <= 6 + strlen(".") + strlen("\u2212"));
            double shown = t.offset + number_in(text) * pow(10, t.exponent);
            assert_true(fabs(shown - zw_out_tick(&t, i)) <= 1e-3 * t.step + 1e-15 * fabs(size));
        }
    }
}

static void test_ticks__corner_says_power_and_offset(void **state) {
    (void)state;
    zw_out_marks m;
    zw_out_marks_linear(&m, 5 - 1e-9, 5 + 1e-9, 5, false);
    assert_string_equal(m.corner, "×10^-9 + 5");
    zw_out_marks_linear(&m, -3.25 - 1e-6, -3.25 + 1e-6, 5, false);
    assert_string_equal(m.corner, "×10^-6 - 3.25");
    zw_out_marks_linear(&m, 1e6, 1e6 + 0.01, 5, false);
    assert_string_equal(m.corner, "+ 1000000");
    zw_out_marks_linear(&m, 3e12, 3e12 + 4, 5, false);
    assert_string_equal(m.corner, "+ 3*10^12");
    zw_out_marks_linear(&m, 0, 3e6, 5, false);
    assert_string_equal(m.corner, "×10^6");
    zw_out_marks_linear(&m, 2000, 2001, 5, false); /* years need no offset */
    assert_string_equal(m.corner, "");
}

static void test_ticks__angles_are_parts_of_a_turn(void **state) {
    (void)state;
    static const struct {
        double low, high, step;
    } cases[] = {{-270, 5, 90}, {-180, 180, 90}, {0, 200, 45},
                 {-30, 30, 20}, {0, 1100, 360},  {0, 1e4, 5000}};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        zw_out_ticks t = zw_out_ticks_degrees(cases[i].low, cases[i].high, 5);
        assert_close(t.step, cases[i].step, 1e-12);
        assert_true(t.n >= 2 && t.n <= 5);
    }
}

/* marks behind a large offset are not exact, but there is no minus zero */
static void test_ticks__no_negative_zero(void **state) {
    (void)state;
    for (double low = 1e9; low < 1e9 + 1e-6; low += 2.4e-7) {
        zw_out_ticks t = zw_out_ticks_choose(low - 5e-7, low + 1.1e-5, 6);
        for (int i = 0; i < t.n; i++) {
            char text[32];
            zw_out_tick_text(&t, i, text, sizeof text);
            assert_string_not_equal(text, "\u22120");
            assert_string_not_equal(text, "\u22120.0");
        }
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_ticks__angles_are_parts_of_a_turn),
        cmocka_unit_test(test_ticks__no_negative_zero),
        cmocka_unit_test(test_ticks__are_round_and_inside),
        cmocka_unit_test(test_ticks__texts_say_the_value),
        cmocka_unit_test(test_ticks__known_cases),
        cmocka_unit_test(test_ticks__offset_keeps_numbers_short),
        cmocka_unit_test(test_ticks__corner_says_power_and_offset),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
