/* SPDX-License-Identifier: MIT */
/* Constant-speed drive and rotary hydropulsator against equations with the multiplier eliminated by
 * hand, and against their steady motions; the oscillator with a second spring. */
#include "support/motion.h"

/* accelerations and multipliers of the run's equations at (t, q, v) */
static void evaluate(motion *m, double t, const double *x, double *z) {
    double rate[MOTION_MAX];
    zw_error err = {0};
    if (zw_flow_rates(zw_run_flow(m->run), t, x, rate, z, &err) < 0)
        fail_msg("%s", err.text);
}

/* the text's data of the drive */
static const double I1 = 0.5, I2 = 0.2, I3 = 0.01, m3 = 1, ms = 0.5, mb = 0.4;
static const double l = 0.15, a = 0.05, R = 0.1, c = 0.17, k = 50, x0 = 0.6;
static const double M0 = 3, slope = 0.036, load = 1, damping = 40;

/* With p = (x - c)/R, phi_2' = p phi_1' and J = I2 + (R/a)^2 I3 + mb (4 l^2 - x^2)/2, Maggi's
 * equations in phi_1' and x', typed by hand:
 *   I1 phi_1'' + p (J phi_2'' + J' x' phi_2' + load) = M0 - slope phi_1'
 *   mu x'' + 1/2 mu' x'^2 - 1/2 J' phi_2'^2 + k (x - x0) + d x' = 0,   mu = m3 + ms + 2 l^2 mb/(4 l^2 - x^2)
 * where ' of J and mu is by x, and phi_2'' = p phi_1'' + x' phi_1'/R. */
static void drive_by_hand(const double *q, const double *v, double *accel, double *lambda) {
    double x = q[2], w1 = v[0], w2 = v[1], xd = v[2], p = (x - c) / R, rod = 4 * l * l - x * x;
    double J = I2 + R * R / (a * a) * I3 + mb * rod / 2, Jx = -mb * x;
    double mu = m3 + ms + 2 * l * l * mb / rod, mux = 4 * l * l * mb * x / (rod * rod);
    double gain = xd * w1 / R; /* phi_2'' - p phi_1'' */
    accel[0] = (M0 - slope * w1 - p * (J * gain + Jx * xd * w2 + load)) / (I1 + p * p * J);
    accel[1] = p * accel[0] + gain;
    accel[2] = (-mux * xd * xd / 2 + Jx * w2 * w2 / 2 - k * (x - x0) - damping * xd) / mu;
    *lambda = -(J * accel[1] + Jx * xd * w2 + load) / R; /* row of phi_2: -R lambda */
}

static void test_drives__governor_equations(void **state) {
    (void)state;
    static const char *const principles[] = {"lagrange", "maggi", "gibbs-appell", "voronets",
                                             "chaplygin"};
    for (int n = 0; n < 5; n++) {
        motion m;
        test_random random = {5};
        motion_begin(&m,
                     &(motion_plan){"constant_speed_drive", NULL, NULL, NULL, principles[n], 1e-8});
        for (int i = 0; i < 20; i++) {
            double x[6], z[MOTION_MAX], expected[3], lambda;
            for (int j = 0; j < 6; j++)
                x[j] = test_random_real(&random, -2, 2);
            x[2] = test_random_real(&random, 0.1, 0.28);
            x[3] *= 40;
            x[4] = (x[2] - c) / R * x[3];
            evaluate(&m, 0, x, z);
            drive_by_hand(x, x + 3, expected, &lambda);
            for (int j = 0; j < 3; j++)
                assert_close(z[j], expected[j], 1e-12);
            if (n == 0)
                assert_close(z[3], lambda, 1e-12);
        }
        motion_close(&m);
    }
}

/* x of the steady motion under a load: spring against centrifugal force, motor against load */
static double steady(double torque, double *w1, double *w2) {
    double low = c + 1e-6, high = 0.299, x = 0;
    for (int i = 0; i < 200; i++) {
        x = (low + high) / 2;
        *w1 = (M0 - torque * (x - c) / R) / slope;
        *w2 = (x - c) / R * *w1;
        if (k * (x0 - x) - mb * x * *w2 * *w2 / 2 > 0)
            low = x; /* the spring is stronger: further out */
        else
            high = x;
    }
    return x;
}

static void test_drives__output_speed_is_held(void **state) {
    (void)state;
    motion m;
    double w1, w2, v1, v2;
    motion_open(&m, "constant_speed_drive", NULL, "load_1=2 [N*m]", 1e-10);
    motion_to(&m, 900);
    double x = steady(2, &w1, &w2);
    assert_close(motion_state(&m, "x"), x, 1e-8);
    assert_close(motion_state(&m, "phi_1'"), w1, 1e-7);
    assert_close(motion_state(&m, "phi_2'"), w2, 1e-7);
    assert_close(zw_run_accel(m.run)[3], -2 / R, 1e-6); /* the contact force */
    steady(1, &v1, &v2);
    assert_true(v1 / w1 > 1.15 && v2 / w2 < 1.02);
    motion_close(&m);
}

/* hydropulsator: G = (c/A) cos^2 psi, x_2' = G phi'; multiplier eliminated,
 *   (I_r + m_2 G^2) phi'' + m_2 G G' psi' phi' = M_r - b_r phi' - H_r + G S,
 *   S = k (x_1 - x_2) + n (x_1' - x_2'),   m_1 x_1'' = -S,   lambda = m_2 x_2'' - S */
static void test_drives__pulsator_equations(void **state) {
    (void)state;
    const double m1 = 2, m2 = 1, Ir = 0.2, Id = 0.02, spring = 800, n = 8, ratio = 4e-5 / 1e-3;
    static const char *const principles[] = {"lagrange", "maggi", "gibbs-appell", "gauss",
                                             "voronets"};
    for (int p = 0; p < 5; p++) {
        motion m;
        test_random random = {9};
        motion_begin(&m, &(motion_plan){"hydropulsator", NULL, NULL, NULL, principles[p], 1e-8});
        for (int i = 0; i < 20; i++) {
            double x[8], z[MOTION_MAX];
            for (int j = 0; j < 8; j++)
                x[j] = test_random_real(&random, -2, 2);
            double psi = x[3], *v = x + 4, G = ratio * cos(psi) * cos(psi);
            double dG = -ratio * sin(2 * psi);
            v[2] *= 20;
            v[1] = G * v[2];
            double S = spring * (x[0] - x[1]) + n * (v[0] - v[1]);
            double phi =
                (0.6 - 0.02 * v[2] - 0.05 + G * S - m2 * G * dG * v[3] * v[2]) / (Ir + m2 * G * G);
            double x2 = G * phi + dG * v[3] * v[2];
            evaluate(&m, 0, x, z);
            assert_close(z[0], -S / m1, 1e-12);
            assert_close(z[1], x2, 1e-12);
            assert_close(z[2], phi, 1e-12);
            assert_close(z[3], (0.06 - 0.004 * v[3] - 0.01) / Id, 1e-12);
            if (p == 0)
                assert_close(z[4], m2 * x2 - S, 1e-12);
        }
        motion_close(&m);
    }
}

/* (rms, mean, max, min) of the periodic motion, computed elsewhere by shooting */
static void test_drives__second_spring(void **state) {
    (void)state;
    static const double expected[4][5] = {{0.3, 1.216671, -0.371934, 1.10845, -2.66696},
                                          {0.7, 1.46967, -0.746048, 2.17355, -2.47939},
                                          {1.6, 1.750396, -0.794426, 1.57009, -2.89867},
                                          {2.0, 0.512311, -0.079215, 0.65050, -0.78819}};
    enum { POINTS = 4000 };
    for (int i = 0; i < 4; i++) {
        motion m;
        char set[64];
        double T = 2 * M_PI / expected[i][0], begin = ceil(500 / T) * T;
        double mean = 0, square = 0, most = -1e9, least = 1e9;
        snprintf(set, sizeof set, "Omega=%g [rad/s]", expected[i][0]);
        motion_open(&m, "piecewise_linear", NULL, set, 1e-9);
        for (int j = 0; j < POINTS; j++) {
            motion_to(&m, begin + T * j / (double)POINTS);
            double x = motion_state(&m, "x");
            mean += x / (double)POINTS;
            square += x * x / (double)POINTS;
            most = fmax(most, x);
            least = fmin(least, x);
        }
        assert_close(sqrt(square), expected[i][1], 2e-6);
        assert_close(mean, expected[i][2], 2e-6);
        assert_close(most, expected[i][3], 1e-5);
        assert_close(least, expected[i][4], 1e-5);
        motion_close(&m);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_drives__governor_equations),
        cmocka_unit_test(test_drives__output_speed_is_held),
        cmocka_unit_test(test_drives__pulsator_equations),
        cmocka_unit_test(test_drives__second_spring),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
