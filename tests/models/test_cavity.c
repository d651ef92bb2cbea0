/* SPDX-License-Identifier: MIT */
/* A ball rolling truly in a fixed spherical cavity: exact facts. q = R - r = 0.85 m, g = 9.81 m/s^2
 * unless said. */
#include "support/motion.h"

static const double q = 0.85, g = 9.81;

/* horizontal circle at polar angle theta without spin: psi'^2 = 5 g / (7 q cos theta) */
static void test_cavity__horizontal_circle(void **state) {
    (void)state;
    for (int k = 0; k < 3; k++) {
        double degrees = 20 + 25 * k, theta = degrees * M_PI / 180;
        char set[64];
        motion m;
        snprintf(set, sizeof set, "theta_0=%g [deg]", degrees);
        motion_open(&m, "ball_in_cavity", NULL, set, 1e-11);
        double rate = sqrt(5 * g / (7 * q * cos(theta)));
        for (double t = 0.4; t < 8; t += 0.9) {
            motion_to(&m, t);
            assert_close(motion_state(&m, "x"), q * sin(theta) * cos(rate * t), 1e-8);
            assert_close(motion_state(&m, "y"), q * sin(theta) * sin(rate * t), 1e-8);
            assert_close(motion_state(&m, "z"), -q * cos(theta), 1e-9);
            assert_close(motion_observable(&m, "spin"), 0, 1e-8);
        }
        motion_close(&m);
    }
}

/* with spin the ball leaves the circle, but spin about the normal, sphere and energy stay */
static void test_cavity__spin_and_energy_stay(void **state) {
    (void)state;
    motion m;
    motion_open(&m, "ball_in_cavity", NULL, "spin_0=12 [rad/s]", 1e-11);
    double energy = motion_energy(&m), lowest = 0, highest = -1;
    assert_close(motion_observable(&m, "spin"), 12, 1e-12);
    for (double t = 0.25; t < 20; t += 0.25) {
        motion_to(&m, t);
        double x = motion_state(&m, "x"), y = motion_state(&m, "y"), z = motion_state(&m, "z");
        assert_close(motion_observable(&m, "spin"), 12, 1e-7);
        assert_close(sqrt(x * x + y * y + z * z), q, 1e-9);
        assert_close(motion_energy(&m) / energy, 1, 1e-8);
        lowest = fmin(lowest, z);
        highest = fmax(highest, z);
    }
    assert_true(highest - lowest > 0.02);
    assert_true(zw_run_statistics(m.run).velocity_residual < 1e-12);
    motion_close(&m);
}

/* small oscillations in a plane: the period is 2 pi sqrt(7 q / (5 g)) */
static void test_cavity__small_oscillations(void **state) {
    (void)state;
    motion m;
    motion_open(&m, "ball_in_cavity", NULL, "theta_0=0.05 [deg];y'=0", 1e-12);
    double theta = 0.05 * M_PI / 180, rate = sqrt(5 * g / (7 * q));
    for (double t = 0.3; t < 6; t += 0.7) {
        motion_to(&m, t);
        assert_true(fabs(motion_state(&m, "x") - q * theta * cos(rate * t)) < 1e-6 * q * theta * 5);
    }
    motion_close(&m);
}

/* cavity_throw.zw starts on a crown: where the ball is highest it is at rest but for its spin. By
 * rolling and by the printed constraint, which differ in the moment of inertia A of the integrals
 * of the top: the height of the points is cos theta_1 = cos theta_0 - A w_p^2/(2 m g q). */
static void test_cavity__crown(void **state) {
    (void)state;
    const double r = 0.45, arm = 0.55, J = 0.4 * r * r, w_p = 5.817, w_n = 5.0537;
    static const char *const variants[2] = {NULL, "constraint57"};
    for (int k = 0; k < 2; k++) {
        motion m;
        motion_open(&m, "cavity_throw", variants[k], NULL, 1e-11);
        double A = J + (k == 0 ? r * r : arm * arm);
        double cos_0 = sqrt(1 - pow(J * w_n * w_p / (2 * g * arm), 2));
        double cos_1 = cos_0 - A * w_p * w_p / (2 * g * arm);
        double energy = motion_energy(&m);
        for (int point = 0; point < 4; point++) {
            motion_to_event(&m, 10);
            assert_close(motion_observable(&m, "speed"), 0, 1e-6);
            assert_close(motion_state(&m, "z"), -arm * cos_1, 1e-8);
            assert_close(motion_observable(&m, "spin_n"), w_n, 1e-8);
            assert_close(motion_energy(&m) / energy, 1, 1e-8);
        }
        motion_close(&m);
    }
}

/* more spin: the longitude runs to and fro; less: one way only */
static void test_cavity__curls_and_waves(void **state) {
    (void)state;
    for (int k = 0; k < 2; k++) {
        motion m;
        double lowest = 0, highest = -1e9;
        motion_open(&m, "cavity_throw", NULL, k == 0 ? "w_n=10 [rad/s]" : "w_n=3 [rad/s]", 1e-9);
        for (double t = 0.01; t < 3; t += 0.01) {
            motion_to(&m, t);
            double around = motion_observable(&m, "around");
            lowest = fmin(lowest, around);
            highest = fmax(highest, around);
        }
        assert_true(lowest < 0);
        assert_true(k == 0 ? highest > 0 : highest < 0);
        motion_close(&m);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_cavity__horizontal_circle),
        cmocka_unit_test(test_cavity__spin_and_energy_stay),
        cmocka_unit_test(test_cavity__small_oscillations),
        cmocka_unit_test(test_cavity__crown),
        cmocka_unit_test(test_cavity__curls_and_waves),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
