/* SPDX-License-Identifier: MIT */
/* Steady motions and their eigenvalues against closed forms and published numbers, in several
 * coordinates, by several principles, with redundant constraints. */
#include "support/steady_model.h"

#define MODEL(name) ZW_SOURCE_DIR "/models/" name ".zw"

static steady_model m;

static void expect_sizes(int symmetries, int reduced, int families) {
    assert_int_equal(m.symmetries.n, symmetries);
    assert_int_equal(m.linear.n, reduced);
    assert_int_equal(m.linear.nfamily, families);
    assert_true(m.symmetries.zero < 1e-10);
    assert_true(m.symmetries.other > 1e-3);
    assert_true(m.linear.leak < 1e-12);
    assert_true(m.linear.mix < 1e-11);
}

/* ---- pendulums ---- */

static void test_linearise__double_pendulum_hangs(void **state) {
    (void)state;
    static const char *const by[] = {"lagrange", "hamilton", "kane", "gauss"};
    for (int i = 0; i < 4; i++) {
        steady_open(&m, MODEL("double_pendulum"), by[i]);
        for (int k = 0; k < 4; k++)
            m.x[k] = 0.1;
        steady_solve(&m);
        expect_sizes(0, 4, 0);
        steady_has(&m, 0, sqrt((2 - sqrt(2)) * 9.81), 1e-12);
        steady_has(&m, 0, sqrt((2 + sqrt(2)) * 9.81), 1e-12);
        steady_close(&m);
    }
}

/* the same in Cartesian coordinates, with a constraint said twice */
static void test_linearise__redundant_constraints(void **state) {
    (void)state;
    steady_open(&m,
                "model pendulums\nparam g = 9.81 [m/s^2]\ncoord x, y, u, v [m]\n"
                "particle A : 1 [kg] at (x, y)\nparticle B : 1 [kg] at (u, v)\n"
                "gravity g along -y\nconstraint a : x^2 + y^2 = 1 [m^2]\n"
                "constraint b : (u - x)^2 + (v - y)^2 = 1 [m^2]\n"
                "constraint again : 2*norm((u - x, v - y)) = 2 [m]\n"
                "start x = 0.1 [m], y = -0.99 [m], u = 0.1 [m], v = -2 [m]\n",
                "gauss");
    steady_solve(&m);
    expect_sizes(0, 4, 0);
    steady_has(&m, 0, sqrt((2 - sqrt(2)) * 9.81), 1e-11);
    steady_has(&m, 0, sqrt((2 + sqrt(2)) * 9.81), 1e-11);
    steady_close(&m);
}

/* a bob that goes round in a circle: 1 symmetry, one family, frequency in closed form */
static void test_linearise__conical_pendulum(void **state) {
    (void)state;
    double w = 5, g = 9.81, c = g / (w * w);
    steady_open(&m,
                "model conical\nparam w = 5 [rad/s], g = 9.81 [m/s^2]\ncoord x, y, z [m]\n"
                "particle P : 1 [kg] at (x, y, z)\ngravity g along -z\n"
                "constraint l : x^2 + y^2 + z^2 = 1 [m^2]\n"
                "start x = 0.9 [m], z = -0.4 [m], y' = 4.5 [m/s]\n",
                "lagrange");
    m.at.x[2] = -c;
    m.at.x[0] = sqrt(1 - c * c);
    steady_hold(&m, "z", -c);
    steady_solve(&m);
    expect_sizes(1, 3, 1);
    assert_close(fabs(m.c[0]), w, 1e-12);
    assert_close(m.linear.n, 3, 0);
    steady_has(&m, 0, w * sqrt(1 + 3 * c * c), 1e-11);
    steady_close(&m);
}

/* ---- bodies ---- */

static void test_linearise__sleeping_top(void **state) {
    (void)state;
    static const double spin[] = {20, 10, 8};
    for (int i = 0; i < 3; i++) {
        char text[400];
        double n = spin[i], D = n * n - 8 * 9.81;
        snprintf(text, sizeof text,
                 "model top\nrotation B\nbody top : B, inertia(1 [kg], 1 [kg*m^2], 1 [kg*m^2], "
                 "1 [kg*m^2]) at (0, 0, 1 [m])\ngravity 9.81 [m/s^2] along -z\n"
                 "start B.wz = %g [rad/s]\n",
                 n);
        steady_open(&m, text, "lagrange");
        steady_solve(&m);
        expect_sizes(2, 5, 1);
        assert_int_equal(m.at.nfixed, 1); /* turning in space and about itself is the same */
        assert_close(m.c[0], 0, 1e-12);
        assert_close(m.c[1], n, 1e-12);
        if (D > 0) { /* 2 s^2 - n s + m g l = 0 */
            steady_has(&m, 0, (n + sqrt(D)) / 4, 1e-12);
            steady_has(&m, 0, (n - sqrt(D)) / 4, 1e-12);
        } else {
            steady_has(&m, sqrt(-D) / 4, n / 4, 1e-12);
        }
        steady_close(&m);
    }
}

/* a coin rolls in a circle: the frequency that the equation of its leaning gives */
static void test_linearise__rolling_disc(void **state) {
    (void)state;
    static const char *const by[] = {"lagrange", "gauss", "maggi", "boltzmann-hamel"};
    for (int i = 0; i < 4; i++) {
        steady_open(&m, MODEL("rolling_disc"), by[i]);
        steady_hold(&m, "alpha'", 6);
        steady_hold(&m, "beta", 70 * M_PI / 180);
        steady_solve(&m);
        expect_sizes(4, 4, 2);
        steady_has(&m, 0, sqrt(56.33461201528), 1e-11);
        assert_int_equal(m.linear.norbit, 4);
        steady_close(&m);
    }
}

/* J. P. Meijaard, J. M. Papadopoulos, A. Ruina, A. L. Schwab, Proc. R. Soc. A 463 (2007) 1955-1982,
 * at 5 m/s */
static void test_linearise__bicycle(void **state) {
    (void)state;
    static const char *const by[] = {"lagrange", "gauss", "kane"};
    for (int i = 0; i < 3; i++) {
        steady_open(&m, MODEL("bicycle"), by[i]);
        steady_hold(&m, "rear'", -5 / 0.3);
        steady_hold(&m, "yaw", 0);
        steady_solve(&m);
        expect_sizes(5, 5, 1);
        steady_has(&m, -0.7753418822, 4.4648677138, 1e-9);
        steady_has(&m, -0.3228664290, 0, 1e-9);
        steady_has(&m, -14.0783896928, 0, 1e-10);
        steady_close(&m);
    }
}

/* the tippedisk stands on its hole's side and spins: spectra by a second derivation, and in
 * quaternions */
static void test_linearise__tippedisk(void **state) {
    (void)state;
    static const struct {
        double Omega, a, b, c, d, e, f;
    } row[] = {{20, 2.573, 5.958, -1.177, 13.993, -92.643, -160.179},
               {30, 0.0193, 5.751, 0.145, 26.276, -93.940, -156.418},
               {40, -1.931, 5.651, 0.316, 37.204, -96.148, -150.651}};
    for (int i = 0; i < 3; i++) {
        steady_open(&m, MODEL("tippedisk"), "lagrange");
        steady_hold(&m, "alpha'", row[i].Omega);
        m.x[steady_entry(&m, "gamma")] = M_PI / 2;
        steady_solve(&m);
        expect_sizes(3, 7, 1);
        steady_has(&m, row[i].a, row[i].b, 6e-4);
        steady_has(&m, row[i].c, row[i].d, 6e-4);
        steady_has(&m, row[i].e, 0, 6e-6);
        steady_has(&m, row[i].f, 0, 6e-6);
        double turning = 0; /* shifts, seen by who turns along */
        for (int k = 0; k < m.linear.norbit; k++)
            turning = fmax(turning, m.linear.orbit_im[k]);
        assert_close(turning, row[i].Omega, 1e-10);
        steady_close(&m);
    }
}

static void test_linearise__same_in_other_coordinates(void **state) {
    (void)state;
    steady_model e, q;
    steady_open(&e, MODEL("tippedisk"), "lagrange");
    steady_open(&q, MODEL("tippedisk_quaternion"), "lagrange");
    steady_solve(&q);
    steady_hold(&e, "alpha'", fabs(q.c[q.symmetries.n - 1]));
    steady_solve(&e);
    assert_int_equal(e.linear.n, q.linear.n);
    for (int i = 0; i < e.linear.n; i++)
        steady_has(&q, e.linear.re[i], e.linear.im[i], 1e-10);
    steady_close(&e);
    steady_close(&q);
}

/* Chaplygin's sleigh in a straight line: -m a u/(J + m a^2), stable if the blade is behind */
static void test_linearise__sleigh(void **state) {
    (void)state;
    steady_open(&m, MODEL("chaplygin_sleigh"), "lagrange");
    m.x[steady_entry(&m, "u")] = 2;
    m.x[steady_entry(&m, "w")] = 0.1;
    steady_solve(&m);
    expect_sizes(3, 2, 1);
    steady_has(&m, -2 * 0.2 * m.x[3] / (0.1 + 2 * 0.04), 0, 1e-12);
    steady_close(&m);
}

/* the ball on the turntable: circles about any centre, at two sevenths of the table's rate */
static void test_linearise__turntable(void **state) {
    (void)state;
    steady_open(&m, MODEL("turntable_ball"), "lagrange");
    steady_hold(&m, "x", 0);
    steady_hold(&m, "y", 0);
    steady_solve(&m);
    assert_int_equal(m.symmetries.n, 4);
    steady_has(&m, 0, 2.0 / 7 * 45 * 2 * M_PI / 60, 1e-11);
    steady_close(&m);
}

/* ---- what moves as a function of time ---- */

static const char trap[] =
    "model trap\nunits none\nparam Om = 2, k = 1, e = 0.3\ncoord x, y\nparticle P : 1 at (x, y)\n"
    "let u = x*cos(Om*t) + y*sin(Om*t), v = y*cos(Om*t) - x*sin(Om*t)\n"
    "potential k/2*(u^2 + v^2) + e/2*(u^2 - v^2)\nstart x = 0.1\n";

/* in the frame that turns along: s^4 + (2 k + 2 Om^2) s^2 + (k + e - Om^2)(k - e - Om^2) = 0 */
static void test_linearise__goes_along_with_time(void **state) {
    (void)state;
    steady_open(&m, trap, "lagrange");
    assert_false(m.symmetries.autonomous);
    assert_true(m.symmetries.still);
    assert_int_equal(m.symmetries.n, 0);
    steady_solve(&m);
    double b = 2 + 2 * 4, c = (1.3 - 4) * (0.7 - 4), D = sqrt(b * b / 4 - c);
    assert_int_equal(m.linear.n, 4);
    steady_has(&m, 0, sqrt(b / 2 + D), 1e-11);
    steady_has(&m, 0, sqrt(b / 2 - D), 1e-11);
    steady_close(&m);
}

static void test_linearise__no_steady_motion_when_driven(void **state) {
    (void)state;
    steady_open(&m, MODEL("duffing"), "lagrange");
    assert_false(m.symmetries.still);
    assert_true(zw_steady_find(&m.at, m.flow, &m.symmetries, m.scale, 0, NULL, &m.err) < 0);
    assert_non_null(strstr(m.err.text, "time enters its equations"));
    steady_close(&m);
}

/* what cannot be held is told, with the row that stays unmet */
static void test_linearise__tells_what_is_unmet(void **state) {
    (void)state;
    steady_open(&m,
                "model pendulum\nparam g = 9.81 [m/s^2]\ncoord phi [rad]\n"
                "particle P : 1 [kg] at (sin(phi), -cos(phi))*1 [m]\ngravity g along -y\n",
                "lagrange");
    steady_hold(&m, "phi", 1);
    assert_true(zw_steady_find(&m.at, m.flow, &m.symmetries, m.scale, 1, m.hold, &m.err) < 0);
    assert_true(m.at.unmet != ZW_UNMET_NOTHING);
    assert_true(m.at.residual > 1e-3);
    steady_close(&m);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_linearise__double_pendulum_hangs),
        cmocka_unit_test(test_linearise__redundant_constraints),
        cmocka_unit_test(test_linearise__conical_pendulum),
        cmocka_unit_test(test_linearise__sleeping_top),
        cmocka_unit_test(test_linearise__rolling_disc),
        cmocka_unit_test(test_linearise__bicycle),
        cmocka_unit_test(test_linearise__tippedisk),
        cmocka_unit_test(test_linearise__same_in_other_coordinates),
        cmocka_unit_test(test_linearise__sleigh),
        cmocka_unit_test(test_linearise__turntable),
        cmocka_unit_test(test_linearise__goes_along_with_time),
        cmocka_unit_test(test_linearise__no_steady_motion_when_driven),
        cmocka_unit_test(test_linearise__tells_what_is_unmet),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
