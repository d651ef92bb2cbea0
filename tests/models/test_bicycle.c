/* SPDX-License-Identifier: MIT */
/* The benchmark bicycle against its linear equations (Meijaard et al. 2007, appendix),
 *     M q'' + v C1 q' + (g K0 + v^2 K2) q = 0,   q = (lean, steer) with x forward, z down.
 * Lean and steer accelerations are odd in the lateral motion, so that the rest of the nonlinear
 * equations is of third order. The model has z up: its steer angle has the other sign. */
#include "support/motion.h"

static const double g = 9.81;
static const double M[2][2] = {{80.81722, 2.31941332208709}, {2.31941332208709, 0.29784188199686}};
static const double K0[2][2] = {{-80.95, -2.59951685249872},
                                {-2.59951685249872, -0.80329488458618}};
static const double K2[2][2] = {{0, 76.59734589573222}, {0, 2.65431523794604}};
static const double C1[2][2] = {{0, 33.86641391492494}, {-0.85035641456978, 1.68540397397560}};

static void linear(double v, const double q[2], const double u[2], double out[2]) {
    double f[2], det = M[0][0] * M[1][1] - M[0][1] * M[1][0];
    for (int i = 0; i < 2; i++) {
        f[i] = 0;
        for (int j = 0; j < 2; j++)
            f[i] -= v * C1[i][j] * u[j] + (g * K0[i][j] + v * v * K2[i][j]) * q[j];
    }
    out[0] = (M[1][1] * f[0] - M[0][1] * f[1]) / det;
    out[1] = (M[0][0] * f[1] - M[1][0] * f[0]) / det;
}

static void test_bicycle__linear_equations(void **state) {
    (void)state;
    static const char *const held[] = {"x",    "y",     "yaw",   "lean",   "steer",
                                       "rear", "front", "lean'", "steer'", "x'"};
    const double small = 1e-4;
    motion m;
    test_random random = {12};
    motion_open(&m, "bicycle", NULL, NULL, 1e-9);
    assert_int_equal(m.eq.nc, 6);
    int n = m.sys->nq;
    for (int k = 0; k < 20; k++) {
        double x[MOTION_MAX], rate[MOTION_MAX], z[MOTION_MAX], q[2], u[2], expected[2];
        double v = test_random_real(&random, 1, 10);
        bool fixed[MOTION_MAX] = {false};
        zw_error err = {0};
        memcpy(x, m.start, sizeof m.start);
        for (size_t i = 0; i < sizeof held / sizeof *held; i++)
            fixed[motion_index(&m, held[i])] = true; /* the rest follows, yaw' too */
        for (int i = 0; i < 2; i++) {
            q[i] = test_random_real(&random, -small, small);
            u[i] = test_random_real(&random, -small, small);
        }
        int lean = motion_index(&m, "lean"), steer = motion_index(&m, "steer");
        x[lean] = q[0];
        x[steer] = -q[1];
        x[n + lean] = u[0];
        x[n + steer] = -u[1];
        x[motion_index(&m, "x'")] = v;
        if (zw_run_consistent(m.run, 0, x, fixed, NULL, &err) < 0 ||
            zw_flow_rates(zw_run_flow(m.run), 0, x, rate, z, &err) < 0)
            fail_msg("%s", err.text);
        linear(v, q, u, expected);
        double scale = fabs(expected[0]) + fabs(expected[1]);
        assert_true(fabs(z[lean] - expected[0]) < 1e-6 * scale);
        assert_true(fabs(z[steer] + expected[1]) < 1e-6 * scale);
    }
    motion_close(&m);
}

/* the disturbed bicycle after some seconds, upright between 4.292 and 6.024 m/s only */
static void test_bicycle__stable_speeds(void **state) {
    (void)state;
    static const double speeds[3] = {3.8, 5, 8}, seconds[3] = {6, 10, 10};
    for (int k = 0; k < 3; k++) {
        motion m;
        char set[64];
        double early = 0, late = 0;
        snprintf(set, sizeof set, "speed=%g [m/s];lean'=0.001 [rad/s]", speeds[k]);
        motion_open(&m, "bicycle", NULL, set, 1e-9);
        double energy = motion_energy(&m);
        for (double t = 0.1; t < seconds[k]; t += 0.1) {
            motion_to(&m, t);
            double lean = fabs(motion_state(&m, "lean"));
            if (t < 2)
                early = fmax(early, lean);
            if (t > seconds[k] - 2)
                late = fmax(late, lean);
        }
        assert_close(motion_energy(&m) / energy, 1, 1e-7);
        assert_true(k == 1 ? late < early / 3 : late > 1.5 * early);
        motion_close(&m);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_bicycle__linear_equations),
        cmocka_unit_test(test_bicycle__stable_speeds),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
