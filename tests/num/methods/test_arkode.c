/* SPDX-License-Identifier: MIT */
/* ARKODE's explicit methods: their orders, what lies between their steps, events, constraints. */
#include "support/test.h"

#include "num/options.h"
#include "support/failing_allocator.h"
#include "support/kernels.h"
#include "support/runs.h"

static zw_run_options erk_options(int order, double rtol, double step) {
    zw_run_options options = zw_run_options_default();
    options.rtol = rtol;
    options.atol = rtol * 1e-2;
    options.method = "erk";
    options.order = order;
    options.step = step;
    return options;
}

/* ---- order ---- */

/* the skate of test_ida.c after n steps: x = s/(2 w^2) sin^2(w t), y = s/(2 w^2) (w t - sin(2 w
 * t)/2) */
static double error_of_skate(int order, int n) {
    const double s = 3, w = 2, t = 3, p[] = {1.5, 0.4, s}, x0[] = {0, 0, 0, 0, 0, w};
    zw_kernel k = skate_kernel();
    zw_run_options options = erk_options(order, 1e-8, t / n);
    zw_run *run = begin_run(&k, p, &options, x0);
    go(run, t);
    const double *x = zw_run_state(run);
    double error = hypot(x[0] - s / (2 * w * w) * sin(w * t) * sin(w * t),
                         x[1] - s / (2 * w * w) * (w * t - sin(2 * w * t) / 2));
    assert_in_range(zw_run_statistics(run).steps, n,
                    n + 1); /* n steps may fall short of t by rounding */
    zw_run_destroy(run);
    return error;
}

static void test_erk__has_the_order_it_is_asked_for(void **state) {
    (void)state;
    for (int order = 2; order <= 8; order++)
        assert_true(log2(error_of_skate(order, 20) / error_of_skate(order, 40)) > order - 0.2);
}

/* ---- between the steps ---- */

static void test_erk__is_accurate_between_its_steps(void **state) {
    (void)state;
    const double p[] = {1, 1, 0}, x0[] = {0, 1};
    zw_kernel k = oscillator_kernel();
    for (int order = 2; order <= 8; order++) {
        zw_run_options options = erk_options(order, order < 4 ? 1e-6 : 1e-9, 0);
        zw_run *run = begin_run(&k, p, &options, x0);
        double worst = 0;
        for (int i = 1; i <= 1000; i++) {
            go(run, 0.01 * i);
            worst = fmax(worst, fabs(zw_run_state(run)[0] - sin(0.01 * i)));
        }
        assert_true(worst < 100 * options.rtol); /* ten times the error of its steps */
        zw_run_destroy(run);
    }
}

/* twice the steps: dense output of orders 4 and 8 converges as the method does */
static double error_between(int order, int n) {
    const double p[] = {1, 1, 0}, x0[] = {0, 1};
    zw_kernel k = oscillator_kernel();
    zw_run_options options = erk_options(order, 1e-8, 4.0 / n);
    zw_run *run = begin_run(&k, p, &options, x0);
    double worst = 0;
    for (int i = 0; i < n; i++) {
        double t = (i + 0.3) * 4.0 / n;
        go(run, t);
        worst = fmax(worst, fabs(zw_run_state(run)[0] - sin(t)));
    }
    zw_run_destroy(run);
    return worst;
}

static void test_erk__dense_output_has_the_order_of_the_method(void **state) {
    (void)state;
    for (int order = 2; order <= 8; order++) {
        int n = order < 4 ? 100 : order < 7 ? 20 : 6;
        double slope = log2(error_between(order, n) / error_between(order, 2 * n));
        assert_true(slope > order - 0.3);
    }
}

/* ---- error control, events, constraints ---- */

static void test_erk__error_follows_the_tolerance(void **state) {
    (void)state;
    const double p[] = {2, 50, 0.4}, x0[] = {1, 0};
    double delta = p[2] / (2 * p[0]), w = sqrt(p[1] / p[0] - delta * delta);
    double exact = exp(-delta * 10) * (cos(w * 10) + delta / w * sin(w * 10));
    zw_kernel k = oscillator_kernel();
    for (int order = 3; order <= 8; order++) {
        double last = INFINITY;
        for (double rtol = 1e-5; rtol > 1e-10; rtol /= 100) {
            zw_run_options options = erk_options(order, rtol, 0);
            zw_run *run = begin_run(&k, p, &options, x0);
            go(run, 10);
            double error = fabs(zw_run_state(run)[0] - exact);
            assert_true(error < 1000 * rtol && error < last);
            last = error;
            zw_run_destroy(run);
        }
    }
}

static void test_erk__event_times_of_the_pendulum(void **state) {
    (void)state;
    const double p[] = {1, 1, 9.81}, a = 1.5, x0[] = {sin(a), -cos(a), 0, 0};
    double period = pendulum_period(1, 9.81, a);
    for (int order = 4; order <= 8; order++) {
        zw_kernel k = pendulum_kernel();
        k.nevt = 1;
        k.event_direction = both_ways;
        k.event_stop = no_stop;
        zw_run_options options = erk_options(order, 1e-12, 0);
        zw_run *run = begin_run(&k, p, &options, x0);
        for (int i = 0; i < 4; i++) {
            int event;
            assert_int_equal(zw_run_advance(run, 100, &event, NULL), ZW_EVENT);
            assert_close(zw_run_time(run), period * (0.25 + 0.5 * i), 1e-10);
        }
        zw_run_destroy(run);
    }
}

static void test_erk__constraints_hold_over_many_steps(void **state) {
    (void)state;
    const double p[] = {0.7, 1.3, 9.81}, a = 2.0;
    const double x0[] = {p[1] * sin(a), -p[1] * cos(a), 0, 0};
    double period = pendulum_period(p[1], p[2], a);
    zw_kernel k = pendulum_kernel();
    zw_run_options options = erk_options(5, 1e-8, period / 1000);
    zw_run *run = begin_run(&k, p, &options, x0);
    for (int i = 1; i <= 200; i++)
        go(run, period * i / 2);
    zw_run_info info = zw_run_statistics(run);
    assert_true(info.steps >= 100000);
    assert_true(info.position_residual <= 1e-12 && info.velocity_residual <= 1e-12);
    assert_close(zw_run_state(run)[0], x0[0], 1e-9);
    zw_run_destroy(run);
}

/* symmetric top: (w1, w2) turns at (C - A)/A w3 */
static void test_erk__unit_quaternion(void **state) {
    (void)state;
    const double p[] = {2, 2, 3}, x0[] = {0.5, 0.5, -0.5, 0.5, 0.3, 0, 4};
    zw_kernel k = top_kernel();
    zw_run_options options = erk_options(8, 1e-11, 0);
    zw_run *run = begin_run(&k, p, &options, x0);
    go(run, 20);
    const double *x = zw_run_state(run);
    assert_close(x[4], 0.3 * cos(40), 1e-8);
    assert_close(x[5], 0.3 * sin(40), 1e-8);
    assert_close(x[0] * x[0] + x[1] * x[1] + x[2] * x[2] + x[3] * x[3], 1, 4e-16);
    assert_string_equal(zw_run_statistics(run).method, "explicit Runge-Kutta (ARKODE)");
    zw_run_destroy(run);
}

static void test_erk__backwards_in_time(void **state) {
    (void)state;
    zw_kernel k = oscillator_kernel();
    const double p[] = {1, 1, 0}, x0[] = {0, 1}, step[] = {0, 0.01};
    for (int i = 0; i < 2; i++) {
        zw_run_options options = erk_options(5, 1e-10, step[i]);
        zw_run *run = begin_run(&k, p, &options, x0);
        go(run, -1);
        assert_close(zw_run_state(run)[0], -sin(1), 1e-8);
        zw_run_destroy(run);
    }
}

/* ---- refusals and ends ---- */

static void test_erk__orders_that_do_not_exist(void **state) {
    (void)state;
    zw_kernel k = oscillator_kernel();
    const double p[] = {1, 1, 0}, x0[] = {0, 1};
    const int wrong[] = {1, 9, -2, 21};
    for (int i = 0; i < 4; i++) {
        zw_run_options options = erk_options(5, 1e-8, 0);
        options.order = wrong[i];
        zw_error err = {0};
        zw_run *run;
        zw_status status = zw_run_create(&run, &k, p, &options, &err);
        if (status >= 0)
            status = zw_run_start(run, 0, x0, &err);
        assert_int_equal(status, ZW_E_OPTION);
        assert_non_null(strstr(err.text, "order"));
        zw_run_destroy(run);
    }
}

static void test_erk__motion_that_ends(void **state) {
    (void)state;
    zw_kernel k = kernel_of(0, 1, 1, 0, 0, 0);
    k.fn[ZW_FN_MATS].call = pole_mats;
    k.fn[ZW_FN_JAC].call = pole_jac;
    const double pole[] = {0, 1}, edge[] = {1, -1};
    zw_error err = {0};
    zw_run_options options = erk_options(5, 1e-8, 0);
    zw_run *run = begin_run(&k, NULL, &options, pole);
    assert_true(zw_run_advance(run, 2, NULL, &err) < 0);
    assert_close(zw_run_time(run), 1, 1e-3);
    assert_non_null(strstr(err.text, "t = "));
    zw_run_destroy(run);
    k.fn[ZW_FN_MATS].call = edge_mats;
    k.fn[ZW_FN_JAC].call = edge_jac;
    err = (zw_error){0};
    run = begin_run(&k, NULL, &options, edge);
    assert_int_equal(zw_run_advance(run, 2, NULL, &err), ZW_E_NONFINITE);
    assert_close(zw_run_time(run), 1, 1e-3);
    assert_non_null(strstr(err.text, "not finite"));
    zw_run_destroy(run);
}

static void test_erk__survives_every_failed_allocation(void **state) {
    (void)state;
    const double p[] = {1, 1, 9.81}, rest[] = {0, -1, 0, 0};
    zw_run_options options = erk_options(5, 1e-8, 0);
    for (long n = 1;; n++) {
        failing_allocator f = failing_allocator_make(n);
        zw_kernel k = pendulum_kernel();
        k.alloc = failing_allocator_of(&f);
        zw_run *run = NULL;
        zw_error err = {0};
        zw_status status = zw_run_create(&run, &k, p, &options, &err);
        if (status >= 0)
            status = zw_run_start(run, 0, rest, &err);
        zw_run_destroy(run);
        assert_int_equal(f.blocks, 0);
        assert_int_equal(f.bytes, 0);
        assert_int_equal(status, f.failed ? ZW_E_MEMORY : ZW_OK);
        if (!f.failed)
            break;
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_erk__has_the_order_it_is_asked_for),
        cmocka_unit_test(test_erk__is_accurate_between_its_steps),
        cmocka_unit_test(test_erk__dense_output_has_the_order_of_the_method),
        cmocka_unit_test(test_erk__error_follows_the_tolerance),
        cmocka_unit_test(test_erk__event_times_of_the_pendulum),
        cmocka_unit_test(test_erk__constraints_hold_over_many_steps),
        cmocka_unit_test(test_erk__unit_quaternion),
        cmocka_unit_test(test_erk__backwards_in_time),
        cmocka_unit_test(test_erk__orders_that_do_not_exist),
        cmocka_unit_test(test_erk__motion_that_ends),
        cmocka_unit_test(test_erk__survives_every_failed_allocation),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
