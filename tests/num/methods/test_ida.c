/* SPDX-License-Identifier: MIT */
/* The stabilised index-2 form on IDA: systems with closed-form motion, and the form itself. */
#include "support/test.h"

#include "num/flow/dae.h"
#include "num/options.h"
#include "support/failing_allocator.h"
#include "support/kernels.h"
#include "support/runs.h"

static zw_run_options ida_options(double rtol, double atol) {
    zw_run_options options = zw_run_options_default();
    options.rtol = rtol;
    options.atol = atol;
    options.method = "ida";
    return options;
}

static zw_run *start_run(zw_kernel *k, const double *p, double rtol, double atol, const double *x) {
    zw_run_options options = ida_options(rtol, atol);
    return begin_run(k, p, &options, x);
}

/* ---- the Jacobian of the form ---- */

/* dR/dY + c dR/dY' by central differences of the residual, at a state off the constraints and with
 * mu = nu = 0, where what the Jacobian leaves out vanishes */
static void check_jacobian(zw_kernel *k, const double *p, const double *start) {
    enum { N = 16 };
    zw_run *run = start_run(k, p, 1e-8, 1e-10, start);
    double S[N], w[N], Y[N], rate[N], J[N * N], ahead[N], behind[N];
    int skip_lambda[N], skip_mu[N], n = zw_num_dae_size(k);
    zw_num_dae d = {n, S, w, skip_lambda, skip_mu};
    zw_error err = {0};
    assert_int_equal(zw_num_dae_start(zw_run_flow(run), &d, 0, start, Y, rate, &err), ZW_OK);
    assert_int_equal(zw_num_dae_residual(zw_run_flow(run), &d, 0, Y, rate, ahead, &err), ZW_OK);
    for (int i = 0; i < n; i++) /* the start is consistent */
        assert_close(ahead[i], 0, 1e-12);
    test_random random = {17};
    for (int i = 0; i < n; i++) {
        Y[i] += i < k->nx + k->nc ? test_random_real(&random, -0.1, 0.1) : 0;
        rate[i] += test_random_real(&random, -0.1, 0.1);
    }
    const double c = 37, step = 1e-6;
    zw_num_dae_jacobian(zw_run_flow(run), &d, 0, c, Y, rate, J);
    for (int j = 0; j < n; j++) {
        double y = Y[j], r = rate[j];
        for (int sign = -1; sign <= 1; sign += 2) {
            Y[j] = y + sign * step;
            rate[j] = r + sign * c * step;
            zw_num_dae_residual(zw_run_flow(run), &d, 0, Y, rate, sign > 0 ? ahead : behind, &err);
        }
        Y[j] = y;
        rate[j] = r;
        for (int i = 0; i < n; i++)
            assert_close(J[i * n + j], (ahead[i] - behind[i]) / (2 * step), 1e-7);
    }
    zw_run_destroy(run);
}

static void test_dae__jacobian_is_that_of_the_residual(void **state) {
    (void)state;
    const double oscillator[] = {2, 50, 0.4}, x1[] = {1, 0.5};
    const double rod[] = {0.7, 1.3, 9.81}, x2[] = {1.3 * sin(1), -1.3 * cos(1), cos(1), sin(1)};
    const double inertia[] = {2, 3, 4}, x3[] = {0.5, 0.5, -0.5, 0.5, 0.3, -1, 4};
    const double slope[] = {1.5, 0.4, 3}, x4[] = {0, 0, 0.7, 2 * cos(0.7), 2 * sin(0.7), 1};
    zw_kernel k = oscillator_kernel();
    check_jacobian(&k, oscillator, x1);
    k = pendulum_kernel();
    check_jacobian(&k, rod, x2);
    k = top_kernel();
    check_jacobian(&k, inertia, x3);
    k = skate_kernel();
    check_jacobian(&k, slope, x4);
    /* the rod said twice: one row of each level is left out */
    const double twice[] = {0.7, 1.3, 9.81, 0};
    k = twice_kernel();
    k.pseudo = true;
    check_jacobian(&k, twice, x2);
}

/* ---- accuracy ---- */

static double swing(double rtol, int periods, zw_run_info *info) {
    const double p[] = {0.7, 1.3, 9.81}, a = 2.0;
    const double x0[] = {p[1] * sin(a), -p[1] * cos(a), 0, 0};
    zw_kernel k = pendulum_kernel();
    zw_run *run = start_run(&k, p, rtol, rtol * 1e-1, x0);
    double period = pendulum_period(p[1], p[2], a);
    for (int i = 1; i <= 2 * periods; i++)
        go(run, period * i / 2);
    const double *x = zw_run_state(run);
    double error = fmax(hypot(x[0] - x0[0], x[1] - x0[1]), hypot(x[2], x[3]));
    *info = zw_run_statistics(run);
    zw_run_destroy(run);
    return error;
}

static void test_ida__pendulum_swings_in_its_period(void **state) {
    (void)state;
    zw_run_info info;
    double last = INFINITY;
    for (double rtol = 1e-5; rtol > 1e-12; rtol /= 100) {
        double error = swing(rtol, 3, &info);
        assert_true(error < 1e4 * rtol); /* velocities of 9 m/s, errors that add up */
        assert_true(error < last);
        assert_true(info.position_residual <= 1e-12 && info.velocity_residual <= 1e-12);
        assert_close(info.energy_end, info.energy_start, 1e2 * rtol);
        last = error;
    }
    assert_string_equal(info.method, "BDF (IDA)");
    assert_string_equal(info.constraints, "stabilised index 2 (GGL)");
}

/* many steps: the residuals do not grow */
static void test_ida__constraints_hold_over_many_steps(void **state) {
    (void)state;
    zw_run_info info;
    assert_true(swing(1e-10, 220, &info) < 1e-4);
    assert_true(info.steps > 100000);
    assert_true(info.position_residual <= 1e-12 && info.velocity_residual <= 1e-12);
}

/* the constraint said twice is kept once */
static void test_ida__redundant_rod(void **state) {
    (void)state;
    const double p[] = {0.7, 1.3, 9.81, 0}, a = 2.0;
    const double x0[] = {p[1] * sin(a), -p[1] * cos(a), 0, 0};
    zw_kernel k = twice_kernel();
    k.pseudo = true;
    zw_run *run = start_run(&k, p, 1e-9, 1e-10, x0);
    go(run, pendulum_period(p[1], p[2], a));
    assert_close(zw_run_state(run)[0], x0[0], 1e-6);
    assert_close(zw_run_state(run)[1], x0[1], 1e-6);
    zw_run_destroy(run);
}

static void multiply(const double *a, const double *b, double *out) {
    const double all[] = {a[0] * b[0] - a[1] * b[1] - a[2] * b[2] - a[3] * b[3],
                          a[0] * b[1] + a[1] * b[0] + a[2] * b[3] - a[3] * b[2],
                          a[0] * b[2] - a[1] * b[3] + a[2] * b[0] + a[3] * b[1],
                          a[0] * b[3] + a[1] * b[2] - a[2] * b[1] + a[3] * b[0]};
    memcpy(out, all, sizeof all);
}

/* The axisymmetric top turns about its angular momentum L at |L|/A and about its axis at
 * (1 - C/A) w3: q(t) = turn(L, |L| t/A) q(0) turn(e3, (1 - C/A) w3 t), with q(0) = 1. */
static void test_ida__free_top_in_quaternions(void **state) {
    (void)state;
    const double p[] = {2, 2, 3}, x0[] = {1, 0, 0, 0, 0.8, 0, 4}, t = 20;
    zw_kernel k = top_kernel();
    zw_run *run = start_run(&k, p, 1e-10, 1e-12, x0);
    go(run, t);
    double L[] = {p[0] * x0[4], p[1] * x0[5], p[2] * x0[6]}, expected[4];
    double length = sqrt(L[0] * L[0] + L[1] * L[1] + L[2] * L[2]);
    double half = length * t / p[0] / 2, spin = (1 - p[2] / p[0]) * x0[6] * t / 2;
    const double outer[] = {cos(half), sin(half) * L[0] / length, sin(half) * L[1] / length,
                            sin(half) * L[2] / length};
    const double inner[] = {cos(spin), 0, 0, sin(spin)};
    multiply(outer, inner, expected);
    const double *x = zw_run_state(run);
    for (int i = 0; i < 4; i++)
        assert_close(x[i], expected[i], 1e-6);
    assert_close(x[4], 0.8 * cos(0.5 * 4 * t), 1e-6);
    assert_close(x[5], 0.8 * sin(0.5 * 4 * t), 1e-6);
    assert_close(x[0] * x[0] + x[1] * x[1] + x[2] * x[2] + x[3] * x[3], 1, 4e-16);
    zw_run_destroy(run);
}

/* skate that turns at w from rest: x = s/(2 w^2) sin^2(w t), y = s/(2 w^2) (w t - sin(2 w t)/2) */
static void test_ida__skate_on_an_incline(void **state) {
    (void)state;
    const double s = 3, w = 2, p[] = {1.5, 0.4, s}, x0[] = {0, 0, 0, 0, 0, w};
    zw_kernel k = skate_kernel();
    zw_run *run = start_run(&k, p, 1e-10, 1e-12, x0);
    for (int i = 1; i <= 20; i++) {
        double t = 0.5 * i;
        go(run, t);
        const double *x = zw_run_state(run);
        assert_close(x[0], s / (2 * w * w) * sin(w * t) * sin(w * t), 1e-6);
        assert_close(x[1], s / (2 * w * w) * (w * t - sin(2 * w * t) / 2), 1e-6);
        assert_close(zw_run_accel(run)[3], -2 * p[0] * s * sin(w * t), 1e-6);
    }
    assert_true(zw_run_statistics(run).velocity_residual <= 1e-12);
    zw_run_destroy(run);
}

/* without constraints: the implicit form of an ordinary differential equation, also a stiff one */
static void test_ida__oscillators(void **state) {
    (void)state;
    zw_kernel k = oscillator_kernel();
    const double p[] = {2, 50, 0.4}, stiff[] = {1e-6, 1, 1}, x0[] = {1, 0};
    double delta = p[2] / (2 * p[0]), w = sqrt(p[1] / p[0] - delta * delta), last = INFINITY;
    double exact = exp(-delta * 10) * (cos(w * 10) + delta / w * sin(w * 10));
    for (double rtol = 1e-5; rtol > 1e-11; rtol /= 100) {
        zw_run *run = start_run(&k, p, rtol, rtol * 1e-2, x0);
        go(run, 10);
        double error = fabs(zw_run_state(run)[0] - exact);
        assert_true(error < 1000 * rtol && error < last / 5);
        last = error;
        zw_run_destroy(run);
    }
    zw_run *run = start_run(&k, stiff, 1e-8, 1e-10, x0);
    go(run, 10); /* x ~ exp(-t) after the boundary layer */
    assert_close(zw_run_state(run)[0] * exp(10 * (1 + 1e-6)), 1, 3e-5);
    assert_true(zw_run_statistics(run).steps < 2000);
    zw_run_destroy(run);
}

/* without mass d x' = -k x, x = exp(-k t/d); without damper too, x = x' = 0 is all that is left */
static void test_ida__oscillator_without_mass(void **state) {
    (void)state;
    zw_kernel k = oscillator_kernel();
    const double p[] = {0, 3, 2}, spring[] = {0, 3, 0}, loose[] = {0, 0, 0};
    double x[] = {1, 0};
    zw_error err = {0};
    zw_run *run;
    assert_int_equal(zw_run_create(&run, &k, p, NULL, &err), ZW_OK);
    assert_int_equal(zw_run_consistent(run, 0, x, (bool[]){true, false}, NULL, &err), ZW_OK);
    assert_close(x[1], -1.5, 1e-15);
    assert_int_equal(zw_run_start(run, 0, x, &err), ZW_OK);
    assert_string_equal(zw_run_statistics(run).method, "BDF (IDA)");
    go(run, 2);
    assert_close(zw_run_state(run)[0] * exp(3), 1, 1e-6);
    assert_close(zw_run_accel(run)[0], 2.25 * zw_run_state(run)[0], 1e-12);
    zw_run_destroy(run);
    x[0] = x[1] = 1;
    assert_int_equal(zw_run_create(&run, &k, spring, NULL, &err), ZW_OK);
    assert_int_equal(zw_run_consistent(run, 0, x, NULL, NULL, &err), ZW_OK);
    assert_close(fabs(x[0]) + fabs(x[1]), 0, 1e-15);
    zw_run_destroy(run);
    assert_int_equal(zw_run_create(&run, &k, loose, NULL, &err), ZW_OK);
    assert_int_equal(zw_run_consistent(run, 0, x, NULL, NULL, &err), ZW_E_SINGULAR);
    assert_int_equal(zw_run_last_fault(run).kind, ZW_FAULT_MASS);
    assert_int_equal(zw_run_last_fault(run).index, 0);
    zw_run_destroy(run);
}

static void test_ida__backwards_in_time(void **state) {
    (void)state;
    zw_kernel k = oscillator_kernel();
    const double p[] = {1, 1, 0}, x0[] = {0, 1};
    zw_run *run = start_run(&k, p, 1e-10, 1e-12, x0);
    go(run, -1);
    assert_close(zw_run_state(run)[0], -sin(1), 1e-8);
    zw_run_destroy(run);
}

/* a run that is started again has forgotten the first motion, to the last bit */
static void test_ida__starts_again(void **state) {
    (void)state;
    const double p[] = {0.7, 1.3, 9.81}, x0[] = {1.3, 0, 0, 0}, other[] = {0, -1.3, 4, 0};
    zw_kernel k = pendulum_kernel();
    zw_run *once = start_run(&k, p, 1e-8, 1e-10, x0), *again = start_run(&k, p, 1e-8, 1e-10, other);
    go(again, 3);
    assert_int_equal(zw_run_start(again, 0, x0, NULL), ZW_OK);
    go(once, 2);
    go(again, 2);
    assert_memory_equal(zw_run_state(once), zw_run_state(again), 4 * sizeof(double));
    zw_run_destroy(once);
    zw_run_destroy(again);
}

static void test_ida__event_times_of_the_pendulum(void **state) {
    (void)state;
    const double p[] = {1, 1, 9.81}, a = 1.5, x0[] = {sin(a), -cos(a), 0, 0};
    zw_kernel k = pendulum_kernel();
    k.nevt = 1;
    k.event_direction = both_ways;
    k.event_stop = no_stop;
    zw_run *run = start_run(&k, p, 1e-12, 1e-13, x0);
    double period = pendulum_period(1, 9.81, a);
    for (int i = 0; i < 4; i++) {
        int event;
        assert_int_equal(zw_run_advance(run, 100, &event, NULL), ZW_EVENT);
        assert_close(zw_run_time(run), period * (0.25 + 0.5 * i), 1e-10);
        assert_close(zw_run_state(run)[0], 0, 1e-10);
    }
    zw_run_destroy(run);
}

/* ---- choice and refusals ---- */

static void test_ida__is_chosen_for_ggl(void **state) {
    (void)state;
    zw_kernel k = pendulum_kernel();
    const double p[] = {1, 1, 9.81}, rest[] = {0, -1, 0, 0};
    zw_run_options options = zw_run_options_default();
    options.constraints = ZW_KEEP_GGL;
    zw_run *run;
    zw_error err = {0};
    assert_int_equal(zw_run_create(&run, &k, p, &options, &err), ZW_OK);
    assert_int_equal(zw_run_start(run, 0, rest, &err), ZW_OK);
    assert_string_equal(zw_run_statistics(run).method, "BDF (IDA)");
    assert_non_null(strstr(zw_run_statistics(run).why, "GGL"));
    zw_run_destroy(run);
    options.method = "bdf";
    assert_int_equal(zw_run_create(&run, &k, p, &options, &err), ZW_E_OPTION);
    options.method = "ida";
    options.constraints = ZW_KEEP_PROJECTION;
    err = (zw_error){0};
    assert_int_equal(zw_run_create(&run, &k, p, &options, &err), ZW_E_OPTION);
    assert_non_null(err.hint[0] ? err.hint : NULL);
}

static void refused(zw_kernel *k, zw_status expected, const char *text) {
    const double p[] = {1, 1, 9.81, 0}, rest[] = {0, -1, 0, 0};
    zw_run_options options = ida_options(1e-8, 1e-10);
    zw_error err = {0};
    zw_run *run;
    assert_int_equal(zw_run_create(&run, k, p, &options, &err), ZW_OK);
    assert_int_equal(zw_run_start(run, 0, rest, &err), expected);
    assert_non_null(strstr(err.text, text));
    zw_run_destroy(run);
}

static void test_ida__says_what_it_cannot_do(void **state) {
    (void)state;
    zw_kernel k = pendulum_kernel();
    k.functions &= ~ZW_SET(GRAD);
    refused(&k, ZW_E_MISSING, "functions that the kernel does not have: grad");
    k = pendulum_kernel();
    const int nowhere[] = {-1};
    k.vel_row = nowhere;
    refused(&k, ZW_E_OPTION, "velocity row 1");
    k = twice_kernel(); /* redundant, and not said to be so */
    refused(&k, ZW_E_SINGULAR, "constraints lost rank");
}

static void test_ida__motion_that_ends(void **state) {
    (void)state;
    zw_kernel k = kernel_of(0, 1, 1, 0, 0, 0);
    k.fn[ZW_FN_MATS].call = pole_mats;
    k.fn[ZW_FN_JAC].call = pole_jac;
    const double pole[] = {0, 1}, edge[] = {1, -1};
    zw_error err = {0};
    zw_run *run = start_run(&k, NULL, 1e-8, 1e-10, pole);
    assert_true(zw_run_advance(run, 2, NULL, &err) < 0);
    assert_close(zw_run_time(run), 1, 1e-3);
    assert_non_null(strstr(err.text, "t = "));
    zw_run_destroy(run);
    k.fn[ZW_FN_MATS].call = edge_mats;
    k.fn[ZW_FN_JAC].call = edge_jac;
    err = (zw_error){0};
    run = start_run(&k, NULL, 1e-8, 1e-10, edge);
    assert_int_equal(zw_run_advance(run, 2, NULL, &err), ZW_E_NONFINITE);
    assert_close(zw_run_time(run), 1, 1e-3);
    assert_non_null(strstr(err.text, "not finite"));
    assert_int_equal(zw_run_last_fault(run).kind, ZW_FAULT_STATE);
    zw_run_destroy(run);
}

/* a start of this kernel with every allocation failing in turn */
static void fail_allocations(const zw_kernel *kernel, const double *p, const double *x) {
    zw_run_options options = ida_options(1e-8, 1e-10);
    for (long n = 1;; n++) {
        failing_allocator f = failing_allocator_make(n);
        zw_kernel k = *kernel;
        k.alloc = failing_allocator_of(&f);
        zw_run *run = NULL;
        zw_error err = {0};
        zw_status status = zw_run_create(&run, &k, p, &options, &err);
        if (status >= 0)
            status = zw_run_start(run, 0, x, &err);
        zw_run_destroy(run);
        assert_int_equal(f.blocks, 0);
        assert_int_equal(f.bytes, 0);
        assert_int_equal(status, f.failed ? ZW_E_MEMORY : ZW_OK);
        if (!f.failed)
            break;
    }
}

static void test_ida__survives_every_failed_allocation(void **state) {
    (void)state;
    const double p[] = {1, 1, 9.81}, rest[] = {0, -1, 0, 0}, massless[] = {0, 3, 2}, x0[] = {2, -3};
    zw_kernel k = pendulum_kernel();
    fail_allocations(&k, p, rest);
    k = oscillator_kernel();
    fail_allocations(&k, massless, x0);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_dae__jacobian_is_that_of_the_residual),
        cmocka_unit_test(test_ida__pendulum_swings_in_its_period),
        cmocka_unit_test(test_ida__constraints_hold_over_many_steps),
        cmocka_unit_test(test_ida__redundant_rod),
        cmocka_unit_test(test_ida__free_top_in_quaternions),
        cmocka_unit_test(test_ida__skate_on_an_incline),
        cmocka_unit_test(test_ida__oscillators),
        cmocka_unit_test(test_ida__oscillator_without_mass),
        cmocka_unit_test(test_ida__backwards_in_time),
        cmocka_unit_test(test_ida__starts_again),
        cmocka_unit_test(test_ida__event_times_of_the_pendulum),
        cmocka_unit_test(test_ida__is_chosen_for_ggl),
        cmocka_unit_test(test_ida__says_what_it_cannot_do),
        cmocka_unit_test(test_ida__motion_that_ends),
        cmocka_unit_test(test_ida__survives_every_failed_allocation),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
