/* SPDX-License-Identifier: MIT */
#include "support/test.h"

#include "many/return_period.h"

enum { N = 96 };

/* the logistic map x -> r x (1 - x) after 2000 steps: 2 (r = 3.2), 4 (3.5), 8 (3.55), 3 (3.84, its
 * window), 5 (3.739), chaos (4) */
static int period_of(double r) {
    const double turn = 0, size = 1e-6;
    double x[N], y = 0.3;
    for (int i = 0; i < 2000; i++)
        y = r * y * (1 - y);
    for (int i = 0; i < N; i++)
        x[i] = y = r * y * (1 - y);
    return zw_attractor_period(N, 1, x, &turn, &size);
}

static void test_attractor__logistic_map(void **state) {
    (void)state;
    const struct {
        double r;
        int period;
    } known[] = {{2.5, 1},    {3.2, 2},  {3.5, 4},   {3.55, 8},
                 {3.565, 16}, {3.84, 3}, {3.739, 5}, {4, 0}};
    for (size_t i = 0; i < sizeof known / sizeof *known; i++)
        assert_int_equal(period_of(known[i].r), known[i].period);
}

/* an angle that goes on by a turn and a half each time comes back after two, modulo its period
 * alone */
static void test_attractor__angles_are_compared_modulo_their_period(void **state) {
    (void)state;
    const double pi = acos(-1), turn[2] = {2 * pi, 0}, none[2] = {0}, size[2] = {1e-9, 1e-9};
    double x[2 * N];
    for (int i = 0; i < N; i++)
        x[2 * i] = 3 * pi * i, x[2 * i + 1] = 7;
    assert_int_equal(zw_attractor_period(N, 2, x, turn, size), 2);
    assert_int_equal(zw_attractor_period(N, 2, x, none, size), 0);
}

static void test_attractor__few_points_and_drifts_have_none(void **state) {
    (void)state;
    const double turn = 0, size = 1e-3;
    double x[N];
    for (int i = 0; i < N; i++)
        x[i] = 0.01 * i;
    assert_int_equal(zw_attractor_period(N, 1, x, &turn, &size), 0);
    assert_int_equal(zw_attractor_period(2, 1, x, &turn, &size), 0);
    for (int p = 1; p <= 3; p++) { /* by less than the size from return to return, but on and on */
        for (int i = 0; i < N; i++)
            x[i] = (1 + i % p) * exp(-2e-4 * i);
        assert_int_equal(zw_attractor_period(N, 1, x, &turn, &size), 0);
        for (int i = 0; i < N; i++)
            x[i] = (1 + i % p) * exp(-2e-6 * i);
        assert_int_equal(zw_attractor_period(N, 1, x, &turn, &size), p);
    }
    for (int i = 0; i < N; i++) /* it has settled by the second half */
        x[i] = 1 + (i < 40 ? exp(-0.5 * i) : 0);
    assert_int_equal(zw_attractor_period(N, 1, x, &turn, &size), 1);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_attractor__logistic_map),
        cmocka_unit_test(test_attractor__angles_are_compared_modulo_their_period),
        cmocka_unit_test(test_attractor__few_points_and_drifts_have_none),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
