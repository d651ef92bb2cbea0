/* SPDX-License-Identifier: MIT */
#include <stdbool.h>
#include <stdlib.h>

#include "out/plots/ticks.h"
#include "support/test.h"

/* the value of "10^-3", "2*10^5", "0.02" */
static double value_of(const char *text) {
    char *end;
    double v = strtod(text, &end);
    if (*end == '*')
        return v * pow(10, strtod(end + 4, NULL));
    return *end == '^' ? pow(10, strtod(end + 1, NULL)) : v;
}

/* inside, rising, numbers say the value, at most as many as there is room for, and at least one */
static void test_log__marks_are_inside_and_say_their_value(void **state) {
    (void)state;
    test_random r = {61};
    for (int trial = 0; trial < 3000; trial++) {
        double decades = pow(10, test_random_real(&r, -1.5, 2.7));
        double from = test_random_real(&r, -300, 300 - fmin(decades, 550));
        double low = pow(10, from), high = pow(10, fmin(from + decades, 307));
        int most = 3 + test_random_int(&r, 8), numbers = 0;
        zw_out_marks m;
        zw_out_marks_log(&m, low, high, most);
        assert_true(m.n >= 1 && m.n <= ZW_OUT_MARKS);
        for (int i = 0; i < m.n; i++) {
            double v = m.mark[i].value;
            assert_true(v >= low * (1 - 1e-8) && v <= high * (1 + 1e-8));
            assert_true(i == 0 || v > m.mark[i - 1].value);
            assert_true(m.mark[i].minor == !m.mark[i].text[0]);
            numbers += !m.mark[i].minor;
            if (!m.mark[i].minor && !m.corner[0] && m.mark[i].text[0] != '\xe2')
                assert_close(value_of(m.mark[i].text) / v, 1, 1e-9);
        }
        if (decades > 2)
            assert_true(numbers <= most);
    }
}

static int count(const zw_out_marks *m, bool minor) {
    int n = 0;
    for (int i = 0; i < m->n; i++)
        n += m->mark[i].minor == minor;
    return n;
}

static void test_log__decades_with_digits_between(void **state) {
    (void)state;
    zw_out_marks m;
    zw_out_marks_log(&m, 1e-3, 1e2, 8);
    assert_int_equal(count(&m, false), 6);    /* 10^-3 ... 10^2 */
    assert_int_equal(count(&m, true), 5 * 8); /* 2..9 in each of five decades */
    assert_string_equal(m.mark[0].text, "10^-3");
    assert_string_equal(m.mark[m.n - 1].text, "10^2");
    /* a narrow room: every second decade, the others short; 10^0 has its number */
    zw_out_marks_log(&m, 1e-3, 1e2, 4);
    assert_int_equal(count(&m, false), 3);
    assert_string_equal(m.mark[1].text, "10^-2");
    assert_string_equal(m.mark[3].text, "10^0");
    /* all doubles */
    zw_out_marks_log(&m, 1e-300, 1e300, 7);
    assert_true(count(&m, false) >= 3 && count(&m, false) <= 7);
}

static void test_log__less_than_a_decade(void **state) {
    (void)state;
    zw_out_marks m;
    zw_out_marks_log(&m, 3, 60, 6); /* 5 10 20 50 */
    assert_int_equal(count(&m, false), 4);
    assert_string_equal(m.mark[0].text, "");
    assert_close(m.mark[0].value, 3, 1e-12);
    zw_out_marks_log(&m, 1.0, 1.1, 6); /* even */
    assert_int_equal(count(&m, true), 0);
    assert_close(m.mark[1].value - m.mark[0].value, 0.02, 1e-9);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_log__marks_are_inside_and_say_their_value),
        cmocka_unit_test(test_log__decades_with_digits_between),
        cmocka_unit_test(test_log__less_than_a_decade),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
