/* SPDX-License-Identifier: MIT */
/* Pendulum, Duffing's oscillator, planar ball absorber: periodic motions whose exact numbers are
 * known from shooting (theta(0) etc.), reached here by integrating the shipped models. */
#include "support/motion.h"

/* The trapezoidal rule over one period of a periodic function converges faster than any power. */
enum { SAMPLES = 512 };

/* mean square, maximum and first-harmonic amplitude of a state over the period after t0 */
typedef struct period_data {
    double rms, max, amplitude;
} period_data;

static period_data over_period(motion *m, const char *name, double t0, double omega) {
    int k = motion_index(m, name);
    double square = 0, c = 0, s = 0, period = 2 * M_PI / omega;
    period_data d = {.max = -INFINITY};
    for (int i = 0; i < SAMPLES; i++) {
        double t = t0 + period * i / (double)SAMPLES;
        motion_to(m, t);
        double x = zw_run_state(m->run)[k];
        square += x * x;
        c += x * cos(omega * t);
        s += x * sin(omega * t);
        d.max = fmax(d.max, x);
    }
    d.rms = sqrt(square / (double)SAMPLES);
    d.amplitude = 2 * sqrt(c * c + s * s) / (double)SAMPLES;
    return d;
}

static void test_pendulum__periodic_motion(void **state) {
    (void)state;
    motion m;
    motion_open(&m, "pendulum_polar", NULL, NULL, 1e-11);
    period_data d = over_period(&m, "theta", 0, 1);
    assert_close(d.rms, 0.48779523, 2e-8);
    assert_close(d.max, 0.71504742, 2e-5); /* of samples */
    motion_to(&m, 2 * M_PI);
    assert_close(motion_state(&m, "theta"), 0.71433266, 2e-8);
    assert_close(motion_state(&m, "theta'"), 0.03499168, 1e-7);
    motion_close(&m);
}

/* the same pendulum in Cartesian coordinates: same motion, same tension */
static void test_pendulum__cartesian_equals_polar(void **state) {
    (void)state;
    motion polar, plane;
    motion_open(&polar, "pendulum_polar", NULL, NULL, 1e-11);
    motion_open(&plane, "pendulum_cartesian", NULL, NULL, 1e-11);
    for (double t = 0.5; t < 15; t += 0.7) {
        motion_to(&polar, t);
        motion_to(&plane, t);
        double theta = motion_state(&polar, "theta");
        assert_close(motion_state(&plane, "x"), 0.5 * sin(theta), 1e-8);
        assert_close(motion_state(&plane, "y"), -0.5 * cos(theta), 1e-8);
        assert_close(motion_observable(&plane, "tension"), motion_observable(&polar, "tension"),
                     1e-7);
        /* m (l theta'^2 + g cos theta) */
        double rate = motion_state(&polar, "theta'");
        assert_close(motion_observable(&polar, "tension"), 0.5 * rate * rate + 9.8 * cos(theta),
                     1e-11);
    }
    assert_true(zw_run_statistics(plane.run).position_residual < 1e-12);
    motion_close(&polar);
    motion_close(&plane);
}

static void test_duffing__effective_displacement(void **state) {
    (void)state;
    static const double table[][2] = {
        {0.5, .84714640}, {0.8, .85680666}, {1.1, .98758865}, {2.5, .27004777}, {3.0, .17581764}};
    for (size_t i = 0; i < sizeof table / sizeof *table; i++) {
        char set[64];
        motion m;
        snprintf(set, sizeof set, "Omega=%g [rad/s]", table[i][0]);
        motion_open(&m, "duffing", NULL, set, 1e-10);
        period_data d = over_period(&m, "x", 200, table[i][0]);
        assert_close(d.rms, table[i][1], 1e-7);
        motion_close(&m);
    }
}

static void test_duffing__set_2(void **state) {
    (void)state;
    static const double table[][2] = {{1.0, .15706076}, {2.5, .37420136}, {4.5, .13787757}};
    for (size_t i = 0; i < sizeof table / sizeof *table; i++) {
        char set[64];
        motion m;
        snprintf(set, sizeof set, "Omega=%g [rad/s]", table[i][0]);
        motion_open(&m, "duffing", "set_2", set, 1e-10);
        period_data d = over_period(&m, "x", 600, table[i][0]);
        assert_close(d.rms, table[i][1], 1e-7);
        motion_close(&m);
    }
}

/* first-harmonic amplitudes of phi and zeta, given to five digits */
static void test_absorber__amplitudes(void **state) {
    (void)state;
    static const double table[][4] = {
        {0.25, 2.0, .01379, .02834}, {0.25, 3.0, .17769, .02398}, {0.25, 5.0, .02899, .02458},
        {0.5, 2.5, .12316, .10002},  {0.5, 3.5, .22055, .06297},  {0.5, 4.5, .14210, .10305},
        {1.0, 2.0, .05514, .11337},  {1.0, 3.0, .65752, .04951},  {1.0, 5.0, .11485, .09793}};
    for (size_t i = 0; i < sizeof table / sizeof *table; i++) {
        char set[96];
        motion m;
        snprintf(set, sizeof set, "p_0=%g [1/s^2];omega=%g [rad/s]", table[i][0], table[i][1]);
        motion_open(&m, "absorber_planar", NULL, set, 1e-9);
        double t0 = 400, omega = table[i][1];
        period_data phi = over_period(&m, "phi", t0, omega);
        period_data u = over_period(&m, "u", t0 + 2 * M_PI / omega, omega);
        if (fabs(phi.amplitude - table[i][2]) > 1.1e-5 ||
            fabs(u.amplitude / 0.71 - table[i][3]) > 1.1e-5)
            fail_msg("p0 %g, omega %g: R %.6f S %.6f", table[i][0], omega, phi.amplitude,
                     u.amplitude / 0.71);
        motion_close(&m);
    }
}

static void test_absorber__energy_without_damping(void **state) {
    (void)state;
    motion m;
    motion_open(&m, "absorber_planar", "free", NULL, 1e-11);
    double energy = motion_energy(&m);
    motion_to(&m, 60);
    assert_close(motion_energy(&m) / energy, 1, 1e-8);
    motion_close(&m);
}

static void test_double_pendulum__energy(void **state) {
    (void)state;
    motion m;
    motion_open(&m, "double_pendulum", NULL, NULL, 1e-12);
    double energy = motion_energy(&m);
    motion_to(&m, 20);
    assert_true(fabs(motion_energy(&m) - energy) < 1e-8 * 9.81);
    motion_close(&m);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_pendulum__periodic_motion),
        cmocka_unit_test(test_pendulum__cartesian_equals_polar),
        cmocka_unit_test(test_duffing__effective_displacement),
        cmocka_unit_test(test_duffing__set_2),
        cmocka_unit_test(test_absorber__amplitudes),
        cmocka_unit_test(test_absorber__energy_without_damping),
        cmocka_unit_test(test_double_pendulum__energy),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
