/* SPDX-License-Identifier: MIT */
/* What every own one-step method owes: closed forms, constraints, events, ends of the motion. */
#include "support/motions.h"

#include "num/methods/onestep.h"
#include "num/run_jumps.h"
#include "support/failing_allocator.h"

static const char *const methods[] = {"rk54", "rk87", "radau"};
enum { METHODS = sizeof methods / sizeof *methods };

/* ---- accuracy ---- */

/* the largest error at 200 outputs over three periods, most of them within steps */
static double angle_run_error(const char *method, double rtol) {
    const double amplitude = 2, x0[] = {amplitude, 0};
    motion m = {.k = angle_kernel(), .method = method, .rtol = rtol};
    zw_run *run = start_motion(&m, NULL, 0, x0);
    double worst = 0;
    for (int i = 1; i <= 200; i++) {
        go_to(run, i * 0.125);
        worst = fmax(worst, angle_error(amplitude, zw_run_time(run), zw_run_state(run)));
    }
    zw_run_destroy(run);
    return worst;
}

static void test_onestep__error_follows_the_tolerance(void **state) {
    (void)state;
    for (int n = 0; n < METHODS; n++) {
        double first = angle_run_error(methods[n], 1e-4) / 1e-4;
        for (double rtol = 1e-6; rtol > 1e-12; rtol /= 100) {
            double error = angle_run_error(methods[n], rtol);
            assert_true(error < 200 * rtol);
            /* in proportion: neither much better nor much worse than at the loosest */
            assert_true(error / rtol < 20 * first && error / rtol > first / 100);
        }
    }
}

/* In N turns a relative error of the energy becomes 3 pi N^2 times as much in the phase, and twice
 * that in the place, since the speed is 2 there: 500 times, with the errors of hundreds of steps in
 * it. */
static void test_onestep__kepler_comes_back(void **state) {
    (void)state;
    const double rtol = 1e-11, allowed = 500 * 100 * rtol;
    for (int n = 0; n < METHODS; n++) {
        double x0[4];
        kepler_start(0.6, x0);
        motion m = {.k = kepler_kernel(), .method = methods[n], .rtol = rtol};
        zw_run *run = start_motion(&m, NULL, 0, x0);
        go_to(run, 10 * acos(-1));
        for (int i = 0; i < 4; i++)
            assert_close(zw_run_state(run)[i], x0[i], allowed);
        zw_run_destroy(run);
    }
}

static void test_onestep__backwards_in_time(void **state) {
    (void)state;
    for (int n = 0; n < METHODS; n++) {
        double x0[2], end[2];
        angle_motion(1, 0, x0);
        angle_motion(1, -7, end);
        motion m = {.k = angle_kernel(), .method = methods[n], .rtol = 1e-10};
        zw_run *run = start_motion(&m, NULL, 0, x0);
        for (double t = -0.25; t > -7; t -= 0.25) {
            go_to(run, t);
            assert_true(angle_error(1, t, zw_run_state(run)) < 1e-8);
        }
        go_to(run, -7);
        assert_close(zw_run_state(run)[0], end[0], 1e-8);
        zw_run_destroy(run);
    }
}

/* 96 states: Radau's systems go to LAPACK */
static void test_onestep__chain_swings_in_its_mode(void **state) {
    (void)state;
    const double p[] = {2, 50};
    for (int n = 0; n < METHODS; n++) {
        motion m = {.k = chain_kernel(), .method = methods[n], .rtol = 1e-8};
        double x0[2 * CHAIN] = {0}, step = acos(-1) / (CHAIN + 1);
        for (int i = 0; i < CHAIN; i++)
            x0[i] = 0.1 * sin(3 * (i + 1) * step);
        double w = 2 * sqrt(p[1] / p[0]) * sin(3 * step / 2);
        zw_run *run = start_motion(&m, p, 0, x0);
        go_to(run, 10);
        for (int i = 0; i < CHAIN; i++)
            assert_close(zw_run_state(run)[i], x0[i] * cos(w * 10), 1e-7);
        zw_run_destroy(run);
    }
}

/* ---- constraints ---- */

/* a pendulum on its rod, tiny steps: the rod keeps its length and the period is the elliptic one */
static void test_onestep__rod_keeps_its_length_over_many_steps(void **state) {
    (void)state;
    const double L = 1.3, g = 9.81, amplitude = 2;
    const double p[] = {0.7, L, g}, x0[] = {L * sin(amplitude), -L * cos(amplitude), 0, 0};
    double period = 4 * elliptic_K(sin(amplitude / 2)) * sqrt(L / g);
    for (int n = 0; n < METHODS; n++) {
        motion m = {.k = pendulum_kernel(), .method = methods[n], .rtol = 1e-10, .step_max = 2e-3};
        zw_run *run = start_motion(&m, p, 0, x0);
        go_to(run, 6 * period);
        zw_run_info info = zw_run_statistics(run);
        assert_true(info.steps >= 6000);
        const double *x = zw_run_state(run);
        assert_close(x[0], x0[0], 1e-8);
        assert_close(x[1], x0[1], 1e-8);
        double before_leaving = hypot(run->y[0], run->y[1]); /* at a step, not only at outputs */
        assert_close(before_leaving, L, 1e-12);
        assert_close(run->y[0] * run->y[2] + run->y[1] * run->y[3], 0, 1e-12);
        assert_true(info.position_residual < 1e-12 && info.velocity_residual < 1e-12);
        assert_close(info.energy_end, info.energy_start, 1e-8);
        zw_run_destroy(run);
    }
}

static void test_onestep__ten_thousand_steps_on_the_constraint(void **state) {
    (void)state;
    const double p[] = {1, 1, 9.81}, x0[] = {1, 0, 0, 0};
    motion m = {.k = pendulum_kernel(), .method = "rk54", .rtol = 1e-6, .step_max = 0.02};
    zw_run *run = start_motion(&m, p, 0, x0);
    double worst = 0;
    for (int i = 1; zw_run_statistics(run).steps < 10000; i++) {
        go_to(run, i);
        worst = fmax(worst, fabs(hypot(run->y[0], run->y[1]) - 1));
        worst = fmax(worst, fabs(run->y[0] * run->y[2] + run->y[1] * run->y[3]));
    }
    assert_true(worst < 1e-12);
    zw_run_destroy(run);
}

/* the free top: unit quaternion, energy and angular momentum in space */
static void test_onestep__free_top_in_quaternions(void **state) {
    (void)state;
    const double p[] = {1, 2, 3}, x0[] = {1, 0, 0, 0, 0.1, 2, 0.1};
    for (int n = 0; n < METHODS; n++) {
        motion m = {.k = top_kernel(), .method = methods[n], .rtol = 1e-10};
        zw_run *run = start_motion(&m, p, 0, x0);
        go_to(run, 20);
        const double *q = zw_run_state(run), *w = q + 4;
        double square = q[0] * q[0] + q[1] * q[1] + q[2] * q[2] + q[3] * q[3];
        assert_close(square, 1, 1e-14);
        zw_run_info info = zw_run_statistics(run);
        assert_close(info.energy_end, info.energy_start, 1e-8);
        /* third row of the rotation matrix times the momentum in the body */
        double along_z = 2 * (q[1] * q[3] - q[0] * q[2]) * p[0] * w[0] +
                         2 * (q[2] * q[3] + q[0] * q[1]) * p[1] * w[1] +
                         (1 - 2 * (q[1] * q[1] + q[2] * q[2])) * p[2] * w[2];
        assert_close(along_z, p[2] * x0[6], 1e-8);
        zw_run_destroy(run);
    }
}

/* ---- events ---- */

static void test_onestep__events_are_as_good_as_steps(void **state) {
    (void)state;
    const double amplitude = 2, x0[] = {amplitude, 0};
    double quarter = elliptic_K(sin(amplitude / 2));
    for (int n = 0; n < METHODS; n++) {
        motion m = {.k = angle_kernel(), .method = methods[n], .rtol = 1e-13, .atol = 1e-14};
        m.k.nevt = 1;
        m.k.fn[ZW_FN_EVT].call = oscillator_evt;
        m.k.event_direction = both_ways;
        m.k.event_stop = no_stop;
        zw_run *run = start_motion(&m, NULL, 0, x0);
        for (int i = 0; i < 6; i++) {
            int event = -1;
            assert_int_equal(zw_run_advance(run, 100, &event, NULL), ZW_EVENT);
            assert_int_equal(event, 0);
            assert_close(zw_run_time(run), (2 * i + 1) * quarter, 1e-11);
            assert_close(fabs(zw_run_state(run)[1]), 2 * sin(amplitude / 2), 1e-11);
            assert_close(zw_run_state(run)[0], 0, 1e-13);
        }
        zw_run_destroy(run);
    }
}

/* ... and with a rod */
static void test_onestep__events_on_the_constraint(void **state) {
    (void)state;
    const double L = 1.3, g = 9.81, amplitude = 2;
    const double p[] = {0.7, L, g}, x0[] = {L * sin(amplitude), -L * cos(amplitude), 0, 0};
    double quarter = elliptic_K(sin(amplitude / 2)) * sqrt(L / g);
    for (int n = 0; n < METHODS; n++) {
        motion m = {.k = pendulum_kernel(), .method = methods[n], .rtol = 1e-13, .atol = 1e-14};
        m.k.nevt = 1;
        m.k.event_direction = falling;
        m.k.event_stop = no_stop;
        zw_run *run = start_motion(&m, p, 0, x0);
        for (int i = 0; i < 3; i++) {
            assert_int_equal(zw_run_advance(run, 100, NULL, NULL), ZW_EVENT);
            assert_close(zw_run_time(run), (4 * i + 1) * quarter, 1e-10);
        }
        zw_run_destroy(run);
    }
}

/* ---- where steps end ---- */

static void test_onestep__step_max_and_steps_max(void **state) {
    (void)state;
    const double x0[] = {0, 1}, p[] = {1, 1, 0};
    for (int n = 0; n < METHODS; n++) {
        motion m = {
            .k = oscillator_kernel(), .method = methods[n], .step_max = 0.01, .steps_max = 150};
        zw_run *run = start_motion(&m, p, 0, x0);
        go_to(run, 1);
        assert_true(zw_run_statistics(run).steps >= 100);
        zw_error err = {0};
        assert_int_equal(zw_run_advance(run, 100, NULL, &err), ZW_E_NUMERIC);
        assert_int_equal(zw_run_statistics(run).steps, 150);
        double t = zw_run_time(run);
        assert_true(t > 1 && t < 1.51);
        assert_close(zw_run_state(run)[0], sin(t), 1e-7);
        zw_run_destroy(run);
    }
}

static void test_onestep__first_step_is_limited(void **state) {
    (void)state;
    const double x0[] = {0, 1}, p[] = {1, 1, 0};
    for (int n = 0; n < METHODS; n++) {
        motion m = {.k = oscillator_kernel(), .method = methods[n]};
        zw_run *run = start_motion(&m, p, 0, x0);
        zw_run_first_step(run, 1e-7);
        go_to(run, 1e-9);
        assert_close(run->now, 1e-7, 1e-20);
        zw_run_destroy(run);
    }
}

static void test_onestep__pole_stops_the_run(void **state) {
    (void)state;
    const double x0[] = {0, 2};
    for (int n = 0; n < METHODS; n++) {
        motion m = {.k = kernel_of(0, 1, 1, 0, 0, 0), .method = methods[n]};
        m.k.fn[ZW_FN_MATS].call = pole_mats;
        m.k.fn[ZW_FN_JAC].call = pole_jac;
        zw_run *run = start_motion(&m, NULL, 0, x0);
        zw_error err = {0};
        zw_status s = zw_run_advance(run, 1, NULL, &err);
        assert_true(s == ZW_E_NUMERIC || s == ZW_E_NONFINITE);
        assert_true(err.text[0] != '\0');
        assert_close(zw_run_time(run), 0.5, 1e-4);
        assert_true(isfinite(zw_run_state(run)[1]));
        zw_run_destroy(run);
    }
}

/* a rate that does not exist beyond a point shortens the steps before it and is then told */
static void test_onestep__missing_rate_is_told(void **state) {
    (void)state;
    const double x0[] = {0.25, -1};
    for (int n = 0; n < METHODS; n++) {
        motion m = {.k = kernel_of(0, 1, 1, 0, 0, 0), .method = methods[n]};
        m.k.fn[ZW_FN_MATS].call = edge_mats;
        m.k.fn[ZW_FN_JAC].call = edge_jac;
        zw_run *run = start_motion(&m, NULL, 0, x0);
        zw_error err = {0};
        assert_int_equal(zw_run_advance(run, 1, NULL, &err), ZW_E_NONFINITE);
        assert_int_equal(zw_run_last_fault(run).kind, ZW_FAULT_STATE);
        assert_int_equal(zw_run_last_fault(run).index, 1);
        assert_true(zw_run_time(run) <= 0.25);
        assert_close(zw_run_time(run), 0.25, 1e-9);
        zw_run_destroy(run);
    }
}

static void test_onestep__survives_failing_allocations(void **state) {
    (void)state;
    const double p[] = {1, 1, 9.81}, x0[] = {1, 0, 0, 0};
    for (int n = 0; n < METHODS; n++) {
        zw_run_options options = zw_run_options_default();
        options.method = methods[n];
        for (long nth = 1;; nth++) {
            zw_kernel k = pendulum_kernel();
            failing_allocator f = failing_allocator_make(nth);
            k.alloc = failing_allocator_of(&f);
            zw_run *run;
            zw_error err = {0};
            zw_status s = zw_run_create(&run, &k, p, &options, &err);
            if (s == ZW_OK)
                s = zw_run_start(run, 0, x0, &err);
            if (s == ZW_OK) {
                long requests = f.requests;
                assert_int_equal(zw_run_advance(run, 1, NULL, &err), ZW_OK);
                assert_int_equal(f.requests, requests); /* stepping allocates nothing */
            } else {
                assert_int_equal(s, ZW_E_MEMORY);
            }
            zw_run_destroy(run);
            assert_int_equal(f.blocks, 0);
            if (!f.failed)
                break;
        }
    }
}

/* ---- the length of steps ---- */

static void test_onestep__controller_aims_at_the_tolerance(void **state) {
    (void)state;
    /* an error C h^5 under control comes near to 1 and stays there without a rejection */
    zw_num_control c = {0};
    double h = 1e-3, C = 7, error = 0;
    for (int i = 0; i < 60; i++) {
        error = C * pow(h, 5);
        assert_true(i < 10 || error <= 1);
        h *= error <= 1 ? zw_num_onestep_accepted(&c, error, 5)
                        : zw_num_onestep_rejected(&c, error, 5);
    }
    assert_true(error > 0.2);
    assert_true(zw_num_onestep_rejected(&c, INFINITY, 5) < 0.5);
    assert_true(zw_num_onestep_rejected(&c, NAN, 5) < 0.5);
    assert_true(zw_num_onestep_accepted(&c, 1e-9, 5) <= 1); /* no growth after a rejection */
    assert_true(zw_num_onestep_accepted(&c, 1e-9, 5) > 1);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_onestep__error_follows_the_tolerance),
        cmocka_unit_test(test_onestep__kepler_comes_back),
        cmocka_unit_test(test_onestep__backwards_in_time),
        cmocka_unit_test(test_onestep__chain_swings_in_its_mode),
        cmocka_unit_test(test_onestep__rod_keeps_its_length_over_many_steps),
        cmocka_unit_test(test_onestep__ten_thousand_steps_on_the_constraint),
        cmocka_unit_test(test_onestep__free_top_in_quaternions),
        cmocka_unit_test(test_onestep__events_are_as_good_as_steps),
        cmocka_unit_test(test_onestep__events_on_the_constraint),
        cmocka_unit_test(test_onestep__step_max_and_steps_max),
        cmocka_unit_test(test_onestep__first_step_is_limited),
        cmocka_unit_test(test_onestep__pole_stops_the_run),
        cmocka_unit_test(test_onestep__missing_rate_is_told),
        cmocka_unit_test(test_onestep__survives_failing_allocations),
        cmocka_unit_test(test_onestep__controller_aims_at_the_tolerance),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
