/* SPDX-License-Identifier: MIT */
/* Multipliers against closed forms, sign included: lambda > 0 pushes towards a growing residual. */
#include "support/text_model.h"

enum { MAX = TEXT_MODEL_MAX };

/* a disc driven by a moment N on an incline, rolling without slip: friction force and acceleration
 * in closed form, 3/2 m x'' = N/r - m g sin(a); the multiplier of x' = r phi' pushes the centre
 * uphill */
static void test_multipliers__driven_disc_on_an_incline(void **state) {
    (void)state;
    static const char text[] =
        "model disc\nparam m = 2 [kg], r = 0.3 [m], N = 4 [N*m], g = 9.81 [m/s^2]\n"
        "param slope = 0.2\ncoord x [m], phi [rad]\n"
        "kinetic 1/2*m*x'^2 + 1/4*m*r^2*phi'^2\n"
        "potential m*g*x*sin(slope)\nforce (phi) = N\n"
        "constraint roll : x' - r*phi' = 0\n";
    text_model m;
    double x[MAX] = {0, 0, 0.6, 2}, z[MAX];
    text_model_open(&m, text, "lagrange", 1e-8);
    text_model_evaluate(&m, 0, x, z);
    double a = (4 / 0.3 - 2 * 9.81 * sin(0.2)) / (1.5 * 2);
    assert_close(z[0], a, 1e-13);
    assert_close(z[1], a / 0.3, 1e-13);
    assert_close(z[2], 2 * a + 2 * 9.81 * sin(0.2), 1e-13);
    text_model_close(&m);
}

/* a bead on a fixed vertical hoop of radius R, constraint r = R in polar coordinates: the hoop
 * pushes outwards with m g cos(theta) - m R theta'^2, theta from the top */
static void test_multipliers__bead_on_a_hoop(void **state) {
    (void)state;
    static const char text[] = "model hoop\nparam m = 0.3 [kg], R = 0.8 [m]\n"
                               "coord r [m], theta [rad]\n"
                               "particle bead : m at (r*sin(theta), r*cos(theta))\n"
                               "gravity 9.81 [m/s^2] along -y\nconstraint hoop : r = R\n";
    text_model m;
    double x[MAX] = {0.8, 0.7, 0, 1.9}, z[MAX];
    text_model_open(&m, text, "lagrange", 1e-8);
    text_model_evaluate(&m, 0, x, z);
    assert_close(z[0], 0, 1e-13);
    assert_close(z[1], 9.81 / 0.8 * sin(0.7), 1e-13);
    assert_close(z[2], 0.3 * (9.81 * cos(0.7) - 0.8 * 1.9 * 1.9), 1e-13);
    text_model_close(&m);
}

/* a hoop driven at the rate W about its vertical diameter: the moment of the drive is the rate of
 * angular momentum, 2 m R^2 sin cos theta' W, and theta'' = (W^2 cos - g/R) sin, theta from
 * below */
static void test_multipliers__rotating_hoop(void **state) {
    (void)state;
    static const char text[] =
        "model hoop\nparam m = 0.3 [kg], R = 0.8 [m], W = 5 [rad/s]\n"
        "coord theta, psi [rad]\n"
        "particle bead : m at (R*sin(theta)*cos(psi), R*sin(theta)*sin(psi), "
        "-R*cos(theta))\n"
        "gravity 9.81 [m/s^2] along -z\nconstraint drive : psi' = W\n";
    text_model m;
    double x[MAX] = {0.9, 0.4, -1.3, 5}, z[MAX];
    text_model_open(&m, text, "lagrange", 1e-8);
    text_model_evaluate(&m, 0, x, z);
    assert_close(z[0], (25 * cos(0.9) - 9.81 / 0.8) * sin(0.9), 1e-12);
    assert_close(z[1], 0, 1e-12);
    assert_close(z[2], 2 * 0.3 * 0.64 * sin(0.9) * cos(0.9) * -1.3 * 5, 1e-12);
    text_model_close(&m);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_multipliers__driven_disc_on_an_incline),
        cmocka_unit_test(test_multipliers__bead_on_a_hoop),
        cmocka_unit_test(test_multipliers__rotating_hoop),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
