/* SPDX-License-Identifier: MIT */
/* Runs of systems with closed-form motion. */
#include "support/test.h"

#include "num/options.h"
#include "support/failing_allocator.h"
#include "support/kernels.h"
#include "support/runs.h"

static zw_run *start_run(zw_kernel *k, const double *p, double rtol, double atol,
                         const char *method, const double *x) {
    zw_run_options options = zw_run_options_default();
    options.rtol = rtol;
    options.atol = atol;
    options.method = method;
    return begin_run(k, p, &options, x);
}

/* ---- accuracy ---- */

static const char *const multistep[] = {"adams", "bdf"};

static double oscillator_error(double rtol, const char *method) {
    zw_kernel k = oscillator_kernel();
    const double p[] = {2, 50, 0.4}, x0[] = {1, 0};
    zw_run *run = start_run(&k, p, rtol, rtol * 1e-2, method, x0);
    go(run, 10);
    double delta = p[2] / (2 * p[0]), w = sqrt(p[1] / p[0] - delta * delta);
    double x = exp(-delta * 10) * (cos(w * 10) + delta / w * sin(w * 10));
    double error = fabs(zw_run_state(run)[0] - x);
    zw_run_destroy(run);
    return error;
}

static void test_run__error_follows_the_tolerance(void **state) {
    (void)state;
    for (int m = 0; m < 2; m++) {
        const char *method = multistep[m];
        double last = INFINITY;
        for (double rtol = 1e-5; rtol > 1e-12; rtol /= 100) {
            double error = oscillator_error(rtol, method);
            assert_true(error < 1000 * rtol);
            assert_true(error < last / 5);
            last = error;
        }
    }
}

static void test_run__method_is_chosen_and_told(void **state) {
    (void)state;
    zw_kernel k = oscillator_kernel();
    const double x0[] = {1, 0}, smooth[] = {1, 1, 0}, stiff[] = {1e-6, 1, 1};
    zw_run *run = start_run(&k, smooth, 1e-8, 1e-10, NULL, x0);
    assert_string_equal(zw_run_statistics(run).method, "Runge-Kutta 8(7)");
    zw_run_destroy(run);
    run = start_run(&k, stiff, 1e-8, 1e-10, NULL, x0);
    go(run, 10); /* x ~ exp(-t) after the boundary layer */
    assert_close(zw_run_state(run)[0] * exp(10 * (1 + 1e-6)), 1, 3e-5);
    assert_string_equal(zw_run_statistics(run).method, "Radau IIA");
    assert_true(zw_run_statistics(run).steps < 2000);
    assert_true(zw_run_statistics(run).jac_calls > 0);
    zw_run_destroy(run);
    zw_kernel pendulum = pendulum_kernel();
    const double p[] = {1, 1, 9.81}, rest[] = {0, -1, 0, 0};
    run = start_run(&pendulum, p, 1e-8, 1e-10, NULL, rest);
    assert_string_equal(zw_run_statistics(run).method, "Runge-Kutta 8(7)");
    zw_run_destroy(run);
}

static void swing_long(bool unrolled) {
    const double p[] = {0.7, 1.3, 9.81}, a = 2.0;
    const double x0[] = {p[1] * sin(a), -p[1] * cos(a), 0, 0};
    zw_kernel k = pendulum_kernel();
    k.unrolled = unrolled;
    zw_run *run = start_run(&k, p, 1e-11, 1e-12, NULL, x0);
    double period = pendulum_period(p[1], p[2], a);
    for (int i = 1; i <= 200; i++)
        go(run, period * i / 2);
    const double *x = zw_run_state(run);
    assert_close(x[0], x0[0], 1e-6); /* error grows with the number of periods */
    assert_close(x[1], x0[1], 1e-6);
    zw_run_info info = zw_run_statistics(run);
    assert_true(info.position_residual <= 1e-12);
    assert_true(info.velocity_residual <= 1e-12);
    /* no step may lose more than its tolerance */
    assert_close(info.energy_end, info.energy_start, 1e-11 * (double)info.steps);
    assert_close(info.energy_start, -p[0] * p[2] * p[1] * cos(a), 1e-13);
    assert_true(info.projections >= info.steps);
    zw_run_destroy(run);
}

static void test_run__pendulum_keeps_rod_energy_and_period(void **state) {
    (void)state;
    swing_long(false);
}

static void test_run__unrolled_code_gives_the_same_motion(void **state) {
    (void)state;
    swing_long(true);
}

/* tension m (g cos(angle) + L angle'^2) */
static void test_run__multiplier_is_the_tension(void **state) {
    (void)state;
    const double p[] = {0.7, 1.3, 9.81}, x0[] = {0, -1.3, 3, 0};
    zw_kernel k = pendulum_kernel();
    zw_run *run = start_run(&k, p, 1e-10, 1e-12, NULL, x0);
    for (int i = 0; i <= 10; i++) {
        const double *x = zw_run_state(run);
        double expected = p[0] * (p[2] * -x[1] / p[1] + (x[2] * x[2] + x[3] * x[3]) / p[1]);
        assert_close(zw_run_observables(run)[0], expected, 1e-12);
        assert_close(zw_run_accel(run)[2], -expected / p[1], 1e-12);
        go(run, 0.1 * (i + 1));
    }
    zw_run_destroy(run);
}

/* symmetric top: (w1, w2) turns at (C - A)/A w3; angular momentum is fixed in space */
static void test_run__free_top_in_quaternions(void **state) {
    (void)state;
    const double p[] = {2, 2, 3}, x0[] = {0.5, 0.5, -0.5, 0.5, 0.3, 0, 4};
    zw_kernel k = top_kernel();
    zw_run *run = start_run(&k, p, 1e-11, 1e-13, NULL, x0);
    double before[3], after[3];
    for (int i = 0; i <= 1; i++) {
        const double *x = zw_run_state(run), *q = x;
        double *L = i == 0 ? before : after, l[3] = {p[0] * x[4], p[1] * x[5], p[2] * x[6]};
        const double R[] = {1 - 2 * (q[2] * q[2] + q[3] * q[3]), 2 * (q[1] * q[2] - q[0] * q[3]),
                            2 * (q[1] * q[3] + q[0] * q[2]),     2 * (q[1] * q[2] + q[0] * q[3]),
                            1 - 2 * (q[1] * q[1] + q[3] * q[3]), 2 * (q[2] * q[3] - q[0] * q[1]),
                            2 * (q[1] * q[3] - q[0] * q[2]),     2 * (q[2] * q[3] + q[0] * q[1]),
                            1 - 2 * (q[1] * q[1] + q[2] * q[2])};
        for (int r = 0; r < 3; r++)
            L[r] = R[3 * r] * l[0] + R[3 * r + 1] * l[1] + R[3 * r + 2] * l[2];
        if (i == 0)
            go(run, 20);
    }
    const double *x = zw_run_state(run);
    double turn = (p[2] - p[0]) / p[0] * 4 * 20;
    assert_close(x[4], 0.3 * cos(turn), 1e-8);
    assert_close(x[5], 0.3 * sin(turn), 1e-8);
    assert_close(x[6], 4, 1e-10);
    for (int r = 0; r < 3; r++)
        assert_close(after[r], before[r], 1e-7);
    assert_close(x[0] * x[0] + x[1] * x[1] + x[2] * x[2] + x[3] * x[3], 1, 4e-16);
    assert_string_equal(zw_run_statistics(run).method, "Runge-Kutta 8(7)");
    zw_run_destroy(run);
}

/* skate that turns at w from rest: x = s/(2 w^2) sin^2(w t), y = s/(2 w^2) (w t - sin(2 w t)/2) */
static void test_run__skate_on_an_incline(void **state) {
    (void)state;
    const double s = 3, w = 2, p[] = {1.5, 0.4, s}, x0[] = {0, 0, 0, 0, 0, w};
    zw_kernel k = skate_kernel();
    zw_run *run = start_run(&k, p, 1e-10, 1e-12, NULL, x0);
    for (int i = 1; i <= 40; i++) {
        double t = 0.5 * i;
        go(run, t);
        const double *x = zw_run_state(run);
        assert_close(x[0], s / (2 * w * w) * sin(w * t) * sin(w * t), 1e-7);
        assert_close(x[1], s / (2 * w * w) * (w * t - sin(2 * w * t) / 2), 1e-7);
        assert_close(x[2], w * t, 1e-9);
        /* lambda: the normal equation m (theta' u + s sin) with speed u = s sin(w t)/w */
        assert_close(zw_run_accel(run)[3], -2 * p[0] * s * sin(w * t), 1e-7);
    }
    zw_run_info info = zw_run_statistics(run);
    assert_true(info.velocity_residual <= 1e-12);
    assert_close(info.energy_end, info.energy_start, 1e-10 * (double)info.steps);
    zw_run_destroy(run);
}

/* normal mode 3 of a chain: beyond the size of our own LU, by both methods */
static void test_run__chain_swings_in_its_mode(void **state) {
    (void)state;
    const double p[] = {2, 8}, step = acos(-1) / (CHAIN + 1);
    double w = 2 * sqrt(p[1] / p[0]) * sin(3 * step / 2);
    zw_kernel k = chain_kernel();
    for (int m = 0; m < 2; m++) {
        const char *method = multistep[m];
        double x0[2 * CHAIN] = {0};
        for (int i = 0; i < CHAIN; i++)
            x0[i] = sin(3 * (i + 1) * step);
        zw_run *run = start_run(&k, p, 1e-9, 1e-11, method, x0);
        go(run, 12);
        for (int i = 0; i < CHAIN; i++)
            assert_close(zw_run_state(run)[i], x0[i] * cos(w * 12), 1e-6);
        zw_run_destroy(run);
    }
}

static void test_run__backwards_in_time(void **state) {
    (void)state;
    zw_kernel k = oscillator_kernel();
    const double p[] = {1, 1, 0}, x0[] = {0, 1};
    zw_run *run = start_run(&k, p, 1e-10, 1e-12, NULL, x0);
    go(run, -1);
    assert_close(zw_run_state(run)[0], -sin(1), 1e-8);
    zw_error err = {0};
    assert_int_equal(zw_run_advance(run, 0, NULL, &err), ZW_E_OPTION);
    zw_run_destroy(run);
}

/* outputs closer than the resolution of time, also as the first one */
static void test_run__very_near_outputs(void **state) {
    (void)state;
    zw_kernel k = oscillator_kernel();
    const double p[] = {1, 1, 0}, x0[] = {0, 1};
    zw_run *run = start_run(&k, p, 1e-8, 1e-10, NULL, x0);
    zw_error err = {0};
    assert_int_equal(zw_run_start(run, 1, x0, &err), ZW_OK);
    go(run, 1);
    go(run, nextafter(1, 2));
    go(run, 1 + 1e-14);
    go(run, 1 + 1e-13);
    go(run, 2);
    assert_close(zw_run_state(run)[0], sin(1), 1e-7);
    zw_run_destroy(run);
}

/* ---- events ---- */

static void test_run__event_times_of_the_oscillator(void **state) {
    (void)state;
    const double p[] = {1, 1, 0}, x0[] = {1, 0}, pi = acos(-1);
    struct {
        const int *direction;
        double first, gap;
    } cases[] = {{both_ways, pi / 2, pi}, {rising, 3 * pi / 2, 2 * pi}, {falling, pi / 2, 2 * pi}};
    for (int i = 0; i < 3; i++) {
        zw_kernel k = oscillator_kernel();
        k.nevt = 1;
        k.fn[ZW_FN_EVT].call = oscillator_evt;
        k.event_direction = cases[i].direction;
        k.event_stop = no_stop;
        zw_run *run = start_run(&k, p, 1e-13, 1e-14, NULL, x0);
        double expected = cases[i].first;
        int event = -1, seen = 0;
        for (;;) {
            zw_status s = zw_run_advance(run, 20, &event, NULL);
            if (s == ZW_OK)
                break;
            assert_int_equal(s, ZW_EVENT);
            assert_int_equal(event, 0);
            assert_close(zw_run_time(run), expected, 1e-11);
            assert_close(zw_run_state(run)[0], 0, 1e-10);
            expected += cases[i].gap;
            seen++;
        }
        assert_int_equal(event, -1);
        assert_int_equal(seen, (int)floor((20 - cases[i].first) / cases[i].gap) + 1);
        assert_close(zw_run_time(run), 20, 0);
        zw_run_destroy(run);
    }
}

static void test_run__event_times_of_the_pendulum(void **state) {
    (void)state;
    const double p[] = {1, 1, 9.81}, a = 1.5, x0[] = {sin(a), -cos(a), 0, 0};
    zw_kernel k = pendulum_kernel();
    k.nevt = 1;
    k.event_direction = both_ways;
    k.event_stop = no_stop;
    zw_run *run = start_run(&k, p, 1e-13, 1e-13, NULL, x0);
    double period = pendulum_period(1, 9.81, a);
    for (int i = 0; i < 4; i++) {
        int event;
        assert_int_equal(zw_run_advance(run, 100, &event, NULL), ZW_EVENT);
        assert_close(zw_run_time(run), period * (0.25 + 0.5 * i), 1e-10);
    }
    zw_run_destroy(run);
}

FUNC(three_events) {
    UNUSED;
    out[0] = x[0] - 0.5;
    out[1] = 2 * x[0] - 1;
    out[2] = x[0] - 1000;
}

/* events at one time are told one after the other, and an output before an event comes first */
static void test_run__simultaneous_events(void **state) {
    (void)state;
    const double p[] = {1, 1, 0}, x0[] = {0, 1}, when = asin(0.5);
    zw_kernel k = oscillator_kernel();
    k.nevt = 3;
    k.fn[ZW_FN_EVT].call = three_events;
    k.event_direction = both_ways;
    k.event_stop = no_stop;
    zw_run *run = start_run(&k, p, 1e-10, 1e-12, NULL, x0);
    int event;
    for (double t = 0.01; t < when; t += 0.01)
        assert_int_equal(zw_run_advance(run, t, &event, NULL), ZW_OK);
    assert_int_equal(zw_run_advance(run, 1, &event, NULL), ZW_EVENT);
    assert_int_equal(event, 0);
    assert_close(zw_run_time(run), when, 1e-9);
    assert_int_equal(zw_run_advance(run, 1, &event, NULL), ZW_EVENT);
    assert_int_equal(event, 1);
    assert_close(zw_run_time(run), when, 1e-9);
    assert_int_equal(zw_run_advance(run, 1, &event, NULL), ZW_OK);
    assert_close(zw_run_state(run)[0], sin(1), 1e-8);
    zw_run_destroy(run);
}

/* ---- limits and refusals ---- */

static void test_run__absurd_options_are_refused(void **state) {
    (void)state;
    zw_kernel k = oscillator_kernel();
    const double p[] = {1, 1, 0}, bad_p[] = {1, NAN, 0};
    const zw_run_options good = zw_run_options_default();
    zw_run_options bad[15];
    for (int i = 0; i < 15; i++)
        bad[i] = good;
    bad[0].rtol = 0;
    bad[1].rtol = 1e-15;
    bad[2].rtol = 2;
    bad[3].rtol = NAN;
    bad[4].atol = 0;
    bad[5].atol = -1;
    bad[6].step_max = -1;
    bad[7].step_max = NAN;
    bad[8].steps_max = 0;
    bad[9].method = "rk45";
    bad[10].method = "";
    bad[11].constraints = (zw_keep)4;
    bad[12].order = -1;
    bad[13].size = 0; /* not begun with the defaults */
    bad[14].size = (size_t)-1;
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        zw_run *run;
        zw_error err = {0};
        assert_int_equal(zw_run_create(&run, &k, p, &bad[i], &err), ZW_E_OPTION);
        assert_null(run);
        assert_true(err.text[0] != '\0');
    }
    zw_run *run;
    zw_run_options adams = zw_run_options_default();
    adams.method = "adams";
    zw_kernel pendulum = pendulum_kernel();
    assert_int_equal(zw_run_create(&run, &pendulum, p, &adams, NULL), ZW_E_OPTION);
    assert_int_equal(zw_run_create(&run, &k, bad_p, NULL, NULL), ZW_E_NONFINITE);
    zw_kernel no_mats = oscillator_kernel();
    no_mats.functions &= ~ZW_SET(MATS);
    assert_int_equal(zw_run_create(&run, &no_mats, p, NULL, NULL), ZW_E_MISSING);
    zw_kernel nothing_moves = kernel_of(3, 0, 0, 0, 0, 0);
    assert_int_equal(zw_run_create(&run, &nothing_moves, p, NULL, NULL), ZW_E_MODEL);
    k.lanes = 4;
    assert_int_equal(zw_run_create(&run, &k, p, NULL, NULL), ZW_E_OPTION);
}

/* programs that were compiled with another version of the header */
typedef struct old_options {
    size_t size;
    double rtol, atol, step_max;
} old_options;
typedef struct new_options {
    zw_run_options known;
    double damping;
    const char *guess;
} new_options;
typedef struct new_info {
    zw_run_info known;
    long guesses;
} new_info;

static zw_run *run_with(const void *options, zw_error *err) {
    static zw_kernel k;
    static const double p[] = {1, 1, 0}, x0[] = {0, 1};
    zw_run *run;
    k = oscillator_kernel();
    if (zw_run_create(&run, &k, p, options, err) >= 0 && zw_run_start(run, 0, x0, err) >= 0)
        zw_run_advance(run, 1, NULL, err);
    return run;
}

static void test_run__options_of_other_versions(void **state) {
    (void)state;
    zw_error err = {0};
    zw_run_options now = zw_run_options_default();
    now.rtol = 1e-11;
    now.step_max = 0.01;
    zw_run *run = run_with(&now, &err);
    double expected = zw_run_state(run)[0];
    zw_run_destroy(run);

    /* behind the old struct lies something else of the caller's: it is neither written nor read */
    struct {
        old_options options;
        double guard;
    } old = {.guard = 77};
    zw_run_options_init((zw_run_options *)(void *)&old.options, sizeof old.options);
    assert_close(old.guard, 77, 0);
    assert_int_equal(old.options.size, sizeof old.options);
    assert_close(old.options.atol, now.atol, 0);
    old.options.rtol = 1e-11;
    old.options.step_max = 0.01;
    run = run_with(&old.options, &err);
    assert_int_equal(err.status, ZW_OK);
    assert_close(zw_run_state(run)[0], expected, 0);
    struct {
        long steps, rhs_calls;
        long guard;
    } info = {.guard = 77};
    zw_run_fill_statistics(run, (zw_run_info *)(void *)&info, 2 * sizeof(long));
    assert_int_equal(info.steps, zw_run_statistics(run).steps);
    assert_int_equal(info.guard, 77);
    new_info wide;
    memset(&wide, 0x55, sizeof wide);
    zw_run_fill_statistics(run, &wide.known, sizeof wide);
    assert_int_equal(wide.known.steps, info.steps);
    assert_int_equal(wide.guesses, 0);
    zw_run_destroy(run);

    /* what this library does not know is zero, or refused */
    new_options wider;
    memset(&wider, 0x55, sizeof wider);
    zw_run_options_init(&wider.known, sizeof wider);
    assert_close(wider.damping, 0, 0);
    assert_null(wider.guess);
    wider.known.rtol = 1e-11;
    wider.known.step_max = 0.01;
    run = run_with(&wider, &err);
    assert_int_equal(err.status, ZW_OK);
    assert_close(zw_run_state(run)[0], expected, 0);
    zw_run_destroy(run);
    wider.guess = "well";
    assert_null(run_with(&wider, &err));
    assert_int_equal(err.status, ZW_E_OPTION);
    assert_non_null(strstr(err.text, "zw_run_options: an option that this version"));
}

static void test_run__steps_max_and_step_max(void **state) {
    (void)state;
    zw_kernel k = oscillator_kernel();
    const double p[] = {1, 1, 0}, x0[] = {0, 1};
    zw_run_options options = zw_run_options_default();
    options.steps_max = 150;
    options.step_max = 0.01;
    zw_run *run;
    zw_error err = {0};
    assert_int_equal(zw_run_create(&run, &k, p, &options, &err), ZW_OK);
    assert_int_equal(zw_run_advance(run, 1, NULL, NULL), ZW_E_START); /* not started */
    assert_int_equal(zw_run_start(run, 0, x0, &err), ZW_OK);
    assert_int_equal(zw_run_advance(run, 1, NULL, &err), ZW_OK);
    long steps = zw_run_statistics(run).steps;
    assert_true(steps >= 100);
    assert_int_equal(zw_run_advance(run, 100, NULL, &err), ZW_E_NUMERIC);
    assert_int_equal(zw_run_statistics(run).steps, 150);
    assert_non_null(strstr(err.text, "150 steps"));
    /* the state is the last good one */
    double t = zw_run_time(run);
    assert_true(t > 1 && t < 1.51);
    assert_close(zw_run_state(run)[0], sin(t), 1e-7);
    zw_run_destroy(run);
}

/* a tolerance below the rounding of the projection is not followed for ever, and what comes out is
 * as good as rounding allows */
static void test_run__absurd_accuracy_comes_to_an_end(void **state) {
    (void)state;
    const double p[] = {0.7, 1.3, 9.81}, x0[] = {1.3 * sin(2), -1.3 * cos(2), 0, 0};
    zw_kernel k = pendulum_kernel();
    zw_run *run = start_run(&k, p, 1e-13, 1e-18, "bdf", x0);
    zw_error err = {0};
    zw_status status = zw_run_advance(run, 10, NULL, &err);
    zw_run_info info = zw_run_statistics(run);
    assert_true(status == ZW_OK || (status == ZW_E_NUMERIC && strstr(err.hint, "rounding")));
    assert_true(info.steps < 100000);
    assert_close(info.energy_end, info.energy_start, 1e-9);
    zw_run_destroy(run);
}

static void test_run__pole_stops_the_run(void **state) {
    (void)state;
    const double x0[] = {0, 2};
    for (int m = 0; m < 2; m++) {
        const char *method = multistep[m];
        zw_kernel k = kernel_of(0, 1, 1, 0, 0, 0);
        k.fn[ZW_FN_MATS].call = pole_mats;
        k.fn[ZW_FN_JAC].call = pole_jac;
        zw_run *run = start_run(&k, NULL, 1e-8, 1e-10, method, x0);
        zw_error err = {0};
        zw_status s = zw_run_advance(run, 1, NULL, &err);
        assert_true(s == ZW_E_NUMERIC || s == ZW_E_NONFINITE);
        assert_true(err.text[0] != '\0');
        double t = zw_run_time(run);
        assert_close(t, 0.5, 1e-4);
        assert_true(isfinite(zw_run_state(run)[1]));
        zw_run_destroy(run);
    }
}

static void test_run__not_finite_names_time_and_state(void **state) {
    (void)state;
    const double x0[] = {0.25, -1};
    zw_kernel k = kernel_of(0, 1, 1, 0, 0, 0);
    k.fn[ZW_FN_MATS].call = edge_mats;
    k.fn[ZW_FN_JAC].call = edge_jac;
    zw_run *run = start_run(&k, NULL, 1e-8, 1e-10, NULL, x0);
    zw_error err = {0};
    assert_int_equal(zw_run_advance(run, 1, NULL, &err), ZW_E_NONFINITE);
    zw_fault fault = zw_run_last_fault(run);
    assert_int_equal(fault.kind, ZW_FAULT_STATE);
    assert_int_equal(fault.index, 1);
    assert_true(fault.t >= 0.25 && fault.t < 1.0001);
    assert_true(zw_run_time(run) <= 0.25);
    const double bad[] = {NAN, 0};
    assert_int_equal(zw_run_start(run, 0, bad, NULL), ZW_E_NONFINITE);
    assert_int_equal(zw_run_last_fault(run).index, 0);
    zw_run_destroy(run);
}

static void test_run__inconsistent_start_is_refused(void **state) {
    (void)state;
    zw_kernel k = pendulum_kernel();
    const double p[] = {1, 1, 9.81}, off[] = {0.1, -1, 0, 0}, nearly[] = {1e-4, -1, 0, 0};
    zw_run *run;
    zw_error err = {0};
    assert_int_equal(zw_run_create(&run, &k, p, NULL, &err), ZW_OK);
    assert_int_equal(zw_run_start(run, 0, off, &err), ZW_E_START);
    assert_non_null(strstr(err.text, "not consistent"));
    assert_int_equal(zw_run_start(run, 0, nearly, NULL), ZW_OK);
    zw_run_destroy(run);
}

/* ---- compiling between steps, memory ---- */

/* an owner who counts how often he is asked, and builds what is wanted */
typedef struct owner {
    zw_kernel *k;
    int asked;
    zw_functions wanted;
} owner;

static zw_status serve(void *user, zw_functions wanted, zw_error *err) {
    (void)err;
    owner *o = user;
    o->asked++;
    o->wanted |= wanted;
    o->k->functions |= wanted;
    o->k->native = o->asked > 3;
    return ZW_OK;
}

static void test_run__owner_is_asked_after_every_step(void **state) {
    (void)state;
    zw_kernel k = oscillator_kernel();
    const double p[] = {1, 1, 0}, x0[] = {0, 1};
    owner o = {.k = &k};
    zw_run *run = start_run(&k, p, 1e-8, 1e-10, NULL, x0);
    go(run, 1); /* nobody to ask */
    zw_run_on_want(run, serve, &o);
    assert_false(zw_run_statistics(run).native);
    long before = zw_run_statistics(run).steps;
    go(run, 50);
    assert_int_equal(o.asked, zw_run_statistics(run).steps - before);
    assert_int_equal(o.wanted, 0);
    assert_true(zw_run_statistics(run).native);
    zw_run_destroy(run);
}

static void test_run__missing_functions_are_asked_for_or_refused(void **state) {
    (void)state;
    zw_kernel k = oscillator_kernel();
    const double p[] = {1, 1, 0}, x0[] = {0, 1};
    zw_run_options options = zw_run_options_default();
    options.method = "radau";
    k.functions = ZW_FUNCTIONS_RUN;
    zw_run *run;
    zw_error err = {0};
    assert_int_equal(zw_run_create(&run, &k, p, &options, &err), ZW_OK);
    assert_int_equal(zw_run_start(run, 0, x0, &err), ZW_E_MISSING);
    assert_non_null(strstr(err.text, "jac"));
    owner o = {.k = &k};
    zw_run_on_want(run, serve, &o);
    assert_int_equal(zw_run_start(run, 0, x0, NULL), ZW_OK);
    assert_int_equal(o.wanted, ZW_SET(JAC));
    zw_run_destroy(run);
}

static void test_run__survives_failing_allocations(void **state) {
    (void)state;
    zw_kernel k = pendulum_kernel();
    const double p[] = {1, 1, 9.81}, x0[] = {1, 0, 0, 0};
    long tried = 0;
    for (long n = 1;; n++) {
        failing_allocator f = failing_allocator_make(n);
        k.alloc = failing_allocator_of(&f);
        zw_run *run;
        zw_error err = {0};
        zw_status s = zw_run_create(&run, &k, p, NULL, &err);
        if (s == ZW_OK) {
            assert_false(f.failed);
            s = zw_run_start(run, 0, x0, &err);
        } else {
            assert_null(run);
        }
        if (s == ZW_OK) {
            assert_false(f.failed);
            long requests = f.requests;
            assert_int_equal(zw_run_advance(run, 1, NULL, &err), ZW_OK);
            assert_int_equal(f.requests, requests); /* stepping allocates nothing */
        } else {
            assert_int_equal(s, ZW_E_MEMORY);
        }
        zw_run_destroy(run);
        assert_int_equal(f.blocks, 0);
        assert_int_equal(f.bytes, 0);
        if (!f.failed)
            break;
        tried++;
    }
    assert_true(tried >= 2);
    zw_run_destroy(NULL);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_run__error_follows_the_tolerance),
        cmocka_unit_test(test_run__method_is_chosen_and_told),
        cmocka_unit_test(test_run__pendulum_keeps_rod_energy_and_period),
        cmocka_unit_test(test_run__unrolled_code_gives_the_same_motion),
        cmocka_unit_test(test_run__multiplier_is_the_tension),
        cmocka_unit_test(test_run__free_top_in_quaternions),
        cmocka_unit_test(test_run__skate_on_an_incline),
        cmocka_unit_test(test_run__chain_swings_in_its_mode),
        cmocka_unit_test(test_run__backwards_in_time),
        cmocka_unit_test(test_run__very_near_outputs),
        cmocka_unit_test(test_run__event_times_of_the_oscillator),
        cmocka_unit_test(test_run__event_times_of_the_pendulum),
        cmocka_unit_test(test_run__simultaneous_events),
        cmocka_unit_test(test_run__absurd_options_are_refused),
        cmocka_unit_test(test_run__options_of_other_versions),
        cmocka_unit_test(test_run__steps_max_and_step_max),
        cmocka_unit_test(test_run__absurd_accuracy_comes_to_an_end),
        cmocka_unit_test(test_run__pole_stops_the_run),
        cmocka_unit_test(test_run__not_finite_names_time_and_state),
        cmocka_unit_test(test_run__inconsistent_start_is_refused),
        cmocka_unit_test(test_run__owner_is_asked_after_every_step),
        cmocka_unit_test(test_run__missing_functions_are_asked_for_or_refused),
        cmocka_unit_test(test_run__survives_failing_allocations),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
