/* SPDX-License-Identifier: MIT */
/* First Lyapunov coefficients against closed forms, by several principles, in nonlinear
 * coordinates, on constraints said twice; and what is refused. */
#include "support/steady_model.h"
#include "zwang/steady.h"

static steady_model m;
static zw_hopf h;

static zw_status find(const char *entry, double kappa) {
    zw_hopf_options o = zw_hopf_options_default();
    double measure[STEADY_MAX] = {0};
    if (zw_kernel_require(
            m.kernel, ZW_SET(SECOND) | ZW_SET(THIRD) | ZW_SET(FIELD_SECOND) | ZW_SET(FIELD_THIRD),
            &m.err) < 0 ||
        zw_flow_renew(m.flow, &m.err) < 0)
        fail_msg("%s", m.err.text);
    if (entry) {
        measure[steady_entry(&m, entry)] = 1;
        o.measure = measure;
    }
    o.scale = m.scale;
    o.kappa = kappa;
    m.err = (zw_error){0};
    return zw_hopf_find(&h, m.flow, &m.symmetries, &m.at, &m.linear, &o, &m.err);
}

static void expect(const char *entry, double a, double b, double tolerance) {
    if (find(entry, 0) < 0)
        fail_msg("%s", m.err.text);
    assert_close(h.a, a, tolerance);
    assert_close(h.b, b, tolerance);
    assert_true(h.a_error <= 1e-9 * hypot(a, b));
    assert_true(h.agrees < 1e-5);
    assert_int_equal(h.type, a < 0 ? ZW_HOPF_SUPERCRITICAL : ZW_HOPF_SUBCRITICAL);
}

static void expect_refusal(const char *words) {
    zw_status status = find(NULL, 0);
    assert_true(status == ZW_E_DOMAIN || status == ZW_E_DOUBT);
    if (!strstr(m.err.text, words))
        fail_msg("'%s' is not in '%s'", words, m.err.text);
    zw_hopf_clear(&h);
    steady_close(&m);
}

/* ---- closed forms ---- */

#define PENDULUM                                                                                   \
    "model pendulum\nparam k = 3 [kg/m^2/s], l = 1.3 [m], m = 0.7 [kg], g = 9.81 [m/s^2]\n"        \
    "coord x, y [m]\nparticle P : m at (x, y)\ngravity g along -y\n"                               \
    "constraint rod : x^2 + y^2 = l^2\n"                                                           \
    "force (x, y) = -k*x^2*(x', y')\nstart x = 0.01 [m], y = -1.3 [m]\n"

/* the amplitude of x, whatever the principle, and with the rod said twice */
static void test_hopf__cartesian_pendulum(void **state) {
    (void)state;
    static const char *const by[] = {"lagrange", "hamilton", "kane", "maggi", "gauss", "gauss"};
    double l = 1.3;
    for (int i = 0; i < 6; i++) {
        char text[600];
        snprintf(text, sizeof text, "%s%s", PENDULUM,
                 i == 5 ? "constraint again : 2*norm((x, y)) = 2*l\n" : "");
        steady_open(&m, text, by[i]);
        steady_solve(&m);
        expect("x", -3 / (8 * 0.7), -sqrt(9.81 / l) / (16 * l * l), 1e-12);
        zw_hopf_clear(&h);
        steady_close(&m);
    }
}

/* kappa is nothing but a way to compute */
static void test_hopf__independent_of_kappa(void **state) {
    (void)state;
    steady_open(&m, PENDULUM, "lagrange");
    steady_solve(&m);
    for (double kappa = 1; kappa < 60; kappa *= 2.7) {
        assert_true(find("x", kappa) >= 0);
        assert_close(h.a, -3 / (8 * 0.7), 1e-11);
        assert_close(h.b, -sqrt(9.81 / 1.3) / (16 * 1.3 * 1.3), 1e-11);
        zw_hopf_clear(&h);
    }
    steady_close(&m);
}

static void test_hopf__van_der_pol(void **state) {
    (void)state;
    steady_open(&m,
                "model vdp\nparam k = 0.4 [kg/m^2/s]\ncoord x [m]\nkinetic 1/2*1 [kg]*x'^2\n"
                "potential 1/2*4 [N/m]*x^2\nforce (x) = -k*x^2*x'\n",
                "lagrange");
    steady_solve(&m);
    expect("x", -0.4 / 8, 0, 1e-12);
    assert_close(h.omega, 2, 1e-12);
    assert_close(h.q_im[1], 2, 1e-12); /* x' leads x by a quarter */
    zw_hopf_clear(&h);
    steady_close(&m);
}

/* Without the friction amplitudes go on for ever, and the frequency of a pendulum falls by
 * r^2/16. */
static void test_hopf__centre(void **state) {
    (void)state;
    steady_open(&m,
                "model p\nparam g = 9.81 [m/s^2]\ncoord th [rad]\nkinetic 1/2*1 [kg*m^2]*th'^2\n"
                "potential -1 [kg*m]*g*cos(th)\n",
                "lagrange");
    steady_solve(&m);
    assert_true(find(NULL, 0) >= 0);
    assert_int_equal(h.type, ZW_HOPF_DEGENERATE);
    assert_close(h.b, -sqrt(9.81) / 16, 1e-12);
    assert_int_equal(h.entry, 0);
    zw_hopf_clear(&h);
    steady_close(&m);
}

/* z' = i w z + (al + i be) z |z|^2 in coordinates that are bent twice */
static void test_hopf__nonlinear_coordinates(void **state) {
    (void)state;
    steady_open(&m,
                "model bent\nparam w = 2.3, al = 0.37, be = -1.1, p = 0.8, c = -1.7, s = 0.6\n"
                "let u = Z - s*Y^2\nlet v = Y - p*u^2 - c*u^3\n"
                "let u_1 = -w*v + (al*u - be*v)*(u^2 + v^2)\n"
                "let v_1 = w*u + (al*v + be*u)*(u^2 + v^2)\n"
                "let Y_1 = v_1 + (2*p*u + 3*c*u^2)*u_1\n"
                "state Y [1] : Y' = Y_1/1 [s]\nstate Z [1] : Z' = (u_1 + 2*s*Y*Y_1)/1 [s]\n",
                "lagrange");
    steady_solve(&m);
    expect("Z", 0.37, -1.1, 1e-12);
    zw_hopf_clear(&h);
    expect("Y", 0.37, -1.1, 1e-12);
    zw_hopf_clear(&h);
    steady_close(&m);
}

/* Kuramoto, Chemical Oscillations, Waves, and Turbulence, appendix B */
static void test_hopf__brusselator(void **state) {
    (void)state;
    static const double A[] = {0.8, 1.7};
    for (int i = 0; i < 2; i++) {
        char text[400];
        double s = A[i] * A[i];
        snprintf(text, sizeof text,
                 "model b\nparam A = %.17g, B = 1 + A^2\n"
                 "state X [1] : X' = (A - (B + 1)*X + X^2*Y)/1 [s]\n"
                 "state Y [1] : Y' = (B*X - X^2*Y)/1 [s]\nstart X = A, Y = B/A\n",
                 A[i]);
        steady_open(&m, text, "lagrange");
        steady_solve(&m);
        expect("X", -(2 + s) / (8 * s), -(4 - 7 * s + 4 * s * s) / (24 * A[i] * s), 1e-12);
        assert_close(h.omega, A[i], 1e-12);
        zw_hopf_clear(&h);
        steady_close(&m);
    }
}

/* Any planar system: Guckenheimer and Holmes, Nonlinear Oscillations, (3.4.11) */
static void test_hopf__planar_systems(void **state) {
    (void)state;
    test_random random = {5};
    for (int i = 0; i < 20; i++) {
        char text[1600];
        double f[7], g[7], w = test_random_real(&random, 0.5, 3); /* xx xy yy xxx xxy xyy yyy */
        for (int k = 0; k < 7; k++) {
            f[k] = test_random_real(&random, -1, 1);
            g[k] = test_random_real(&random, -1, 1);
        }
        snprintf(text, sizeof text,
                 "model planar\nparam w = %.17g\n"
                 "let f = %.17g*x^2/2 + %.17g*x*y + %.17g*y^2/2 + %.17g*x^3/6 + %.17g*x^2*y/2 + "
                 "%.17g*x*y^2/2 + %.17g*y^3/6\n"
                 "let g = %.17g*x^2/2 + %.17g*x*y + %.17g*y^2/2 + %.17g*x^3/6 + %.17g*x^2*y/2 + "
                 "%.17g*x*y^2/2 + %.17g*y^3/6\n"
                 "state x [1] : x' = (-w*y + f)/1 [s]\nstate y [1] : y' = (w*x + g)/1 [s]\n",
                 w, f[0], f[1], f[2], f[3], f[4], f[5], f[6], g[0], g[1], g[2], g[3], g[4], g[5],
                 g[6]);
        double a = (f[3] + f[5] + g[4] + g[6] +
                    (f[1] * (f[0] + f[2]) - g[1] * (g[0] + g[2]) - f[0] * g[0] + f[2] * g[2]) / w) /
                   16;
        steady_open(&m, text, "lagrange");
        steady_solve(&m);
        if (find("x", 0) < 0)
            fail_msg("%s", m.err.text);
        assert_close(h.a, a, 1e-11);
        zw_hopf_clear(&h);
        steady_close(&m);
    }
}

/* A second oscillator at twice the frequency, weakly damped: x^2 drives it, y = -r^2/8 - Re(r^2/2
 * e^(2it)/(2 i d)), and it drives x by -2 x y. So a = -1/(8 d) grows without bound as d goes to 0,
 * and the range in which it holds shrinks with d. */
static void test_hopf__near_resonance(void **state) {
    (void)state;
    static const double d[] = {1, 1e-3};
    for (int i = 0; i < 2; i++) {
        char text[500];
        snprintf(text, sizeof text,
                 "model two\ncoord x, y [m]\nkinetic 1/2*1 [kg]*(x'^2 + y'^2)\n"
                 "potential 1/2*1 [N/m]*x^2 + 2 [N/m]*y^2 + 1 [N/m^2]*x^2*y\n"
                 "dissipation 1/2*%.17g [N*s/m]*y'^2\n",
                 d[i]);
        steady_open(&m, text, "lagrange");
        steady_solve(&m);
        assert_true(find("x", 0) >= 0);
        assert_close(h.a, -1 / (8 * d[i]), 1e-9);
        assert_close(h.b, -0.125, 1e-6);
        assert_true(h.holds <= 1.5 * d[i]);
        zw_hopf_clear(&h);
        steady_close(&m);
    }
}

/* A shaft with damping of its own, c, and from outside, d - c, whirls above the speed d sqrt(k)/c
 * in circles, exactly: w^2 = k + r^2, w d = W c. Turns leave the centre as it is: no orbit to
 * divide out. */
static void test_hopf__whirling_shaft(void **state) {
    (void)state;
    double d = 0.3, w = 2;
    steady_open(&m,
                "model shaft\nparam d = 0.3, c = 0.1, w = 2, W = d*w/c\ncoord x, y [m]\n"
                "kinetic 1/2*1 [kg]*(x'^2 + y'^2)\n"
                "potential 1/2*w^2*1 [N/m]*(x^2 + y^2) + 1/4*1 [N/m^3]*(x^2 + y^2)^2\n"
                "force (x, y) = -d*1 [N*s/m]*(x', y') + W*c*1 [N/m]*(-y, x)\n",
                "lagrange");
    steady_solve(&m);
    assert_int_equal(m.symmetries.n, 1);
    assert_int_equal(m.linear.norbit, 0);
    expect("x", -d / (d * d + 4 * w * w), 2 * w / (d * d + 4 * w * w), 1e-12);
    zw_hopf_clear(&h);
    steady_close(&m);
}

static void test_hopf__lorenz_is_subcritical(void **state) {
    (void)state;
    steady_open(
        &m,
        "model lorenz\nparam sigma = 10, b = 8/3, r = sigma*(sigma + b + 3)/(sigma - b - 1)\n"
        "state x [1] : x' = sigma*(y - x)/1 [s]\nstate y [1] : y' = (r*x - y - x*z)/1 [s]\n"
        "state z [1] : z' = (x*y - b*z)/1 [s]\n"
        "start x = sqrt(b*(r - 1)), y = sqrt(b*(r - 1)), z = r - 1\n",
        "lagrange");
    steady_solve(&m);
    assert_true(find("x", 0) >= 0);
    assert_int_equal(h.type, ZW_HOPF_SUBCRITICAL);
    assert_close(h.omega, sqrt(8. / 3 * (10 + 10 * (47. / 3) / (19. / 3))), 1e-9);
    zw_hopf_clear(&h);
    steady_close(&m);
}

/* ---- what is refused ---- */

static void test_hopf__two_pairs(void **state) {
    (void)state;
    steady_open(&m,
                "model two\ncoord x, y [m]\nkinetic 1/2*1 [kg]*(x'^2 + y'^2)\n"
                "potential 1/2*1 [N/m]*(x^2 + 9*y^2) + 1 [N/m^2]*x^2*y\n",
                "lagrange");
    steady_solve(&m);
    expect_refusal("another pair lies on the imaginary axis, +-3i, in resonance");
}

static void test_hopf__no_pair(void **state) {
    (void)state;
    steady_open(&m,
                "model damped\ncoord x [m]\nkinetic 1/2*1 [kg]*x'^2\npotential 1/2*1 [N/m]*x^2\n"
                "dissipation 1/2*0.01 [N*s/m]*x'^2\n",
                "lagrange");
    steady_solve(&m);
    expect_refusal("no pair lies on the imaginary axis");
}

/* s follows the mean of x^2: nothing is conserved */
static void test_hopf__drift(void **state) {
    (void)state;
    steady_open(&m,
                "model drift\ncoord x [m]\nkinetic 1/2*1 [kg]*x'^2\npotential 1/2*1 [N/m]*x^2\n"
                "force (x) = (s - 1 [1/m^2]*x^2)*1 [N*s/m]*x'\n"
                "state s [1] : s' = 1 [1/m^2/s]*x^2\n",
                "lagrange");
    steady_solve(&m);
    assert_int_equal(m.linear.nzero, 1);
    expect_refusal("drift along its family");
}

/* the fourth power of a length of 1 nm/s in it is beyond what numbers see */
static void test_hopf__changes_on_a_small_scale(void **state) {
    (void)state;
    steady_open(&m,
                "model rub\nparam v_0 = 1 [nm/s], eps = 0.1 [m/s]\ncoord x [m]\n"
                "kinetic 1/2*1 [kg]*x'^2\npotential 1/2*1 [N/m]*x^2\n"
                "force (x) = 1 [N]*x'/(v_0 + eps) - 1 [N]*x'/(sqrt(x'^2 + v_0^2) + eps)\n",
                "lagrange");
    steady_solve(&m);
    expect_refusal("a function changes on a smaller scale");
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_hopf__cartesian_pendulum),
        cmocka_unit_test(test_hopf__independent_of_kappa),
        cmocka_unit_test(test_hopf__van_der_pol),
        cmocka_unit_test(test_hopf__centre),
        cmocka_unit_test(test_hopf__nonlinear_coordinates),
        cmocka_unit_test(test_hopf__brusselator),
        cmocka_unit_test(test_hopf__planar_systems),
        cmocka_unit_test(test_hopf__near_resonance),
        cmocka_unit_test(test_hopf__whirling_shaft),
        cmocka_unit_test(test_hopf__lorenz_is_subcritical),
        cmocka_unit_test(test_hopf__two_pairs),
        cmocka_unit_test(test_hopf__no_pair),
        cmocka_unit_test(test_hopf__drift),
        cmocka_unit_test(test_hopf__changes_on_a_small_scale),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
