/* SPDX-License-Identifier: MIT */
/* Constraints on third and higher derivatives against their closed forms. */
#include "support/compared.h"
#include "support/simulation.h"

#define CART "model cart\nparam m = 2 [kg]\ncoord x, y [m]\nparticle P : m at (x, y)\n"

static simulation run(const char *text, double until) {
    simulation s = simulation_make(until);
    simulation_run(&s, text);
    assert_done(&s);
    return s;
}

static double last(const simulation *s, const char *column) {
    return at(zw_sim_rows(s->sim), -1, column);
}

static void test_higher__constant_jerk(void **state) {
    (void)state;
    simulation s = run(CART "constraint ramp : x''' = 3 [m/s^3]\n"
                            "start x = 1 [m], x' = -1 [m/s], x'' = 0.5 [m/s^2]\n",
                       2);
    assert_close(last(&s, "x"), 1 - 2 + 0.5 * 4 / 2 + 3 * 8 / 6.0, 1e-10);
    assert_close(last(&s, "accel(x)"), 0.5 + 6, 1e-10);
    assert_close(last(&s, "lambda(ramp)"), 2 * 6.5, 1e-10);
    const zw_table *rows = zw_sim_rows(s.sim);
    assert_string_equal(zw_table_unit(rows, zw_table_find(rows, "accel(x)")), "m/s^2");
    const char *const *note;
    assert_int_equal(zw_model_unused(s.sys, &note), 1);
    assert_string_equal(note[0], "x''' in the constraint 'ramp': x'' became the state accel(x), "
                                 "its start is 1/2");
    simulation_clear(&s);
}

/* x'''' = c - w^2 x'': x'' = c/w^2 + A cos wt + B sin wt; the start stands before the constraint */
static void test_higher__fourth_derivative(void **state) {
    (void)state;
    simulation s = run(CART "start x'' = 2 [m/s^2], x''' = 3 [m/s^3]\nparam w = 2 [rad/s]\n"
                            "constraint c : x'''' + w^2*x'' = 1 [m/s^4]\n",
                       1.3);
    double A = 2 - 0.25, B = 1.5, t = 2 * 1.3;
    assert_close(last(&s, "accel(x)"), 0.25 + A * cos(t) + B * sin(t), 1e-9);
    assert_close(last(&s, "jerk(x)"), 2 * (B * cos(t) - A * sin(t)), 1e-9);
    assert_close(last(&s, "x"), 0.25 * 1.3 * 1.3 / 2 + (A * (1 - cos(t)) + B * (t - sin(t))) / 4,
                 1e-9);
    simulation_clear(&s);
}

/* the third derivative of an expression: x^2 is a polynomial of second degree */
static void test_higher__of_an_expression(void **state) {
    (void)state;
    simulation s = run(CART "let a = (x^2)''\nconstraint c : a' = 0\n"
                            "start x = 1 [m], x' = 2 [m/s], x'' = -1 [m/s^2]\n",
                       1.5);
    /* (x^2)' = 2 x x' = 4, (x^2)'' = 2 x'^2 + 2 x x'' = 6 */
    assert_close(last(&s, "x"), sqrt(1 + 4 * 1.5 + 3 * 1.5 * 1.5), 1e-9);
    simulation_clear(&s);
}

/* derivatives of a quasi-velocity, and events that set what has become a state */
static void test_higher__quasi_velocities_and_events(void **state) {
    (void)state;
    simulation s = run(CART "param al = 0.3 [rad]\n"
                            "quasi u = cos(al)*x' + sin(al)*y', w = -sin(al)*x' + cos(al)*y'\n"
                            "constraint c : u'' = 2 [m/s^3]\nconstraint d : w = 0\n"
                            "start u' = 1 [m/s^2]\nobserve u_1 = u\n"
                            "event stop_it : every 100 [s] from 1 [s], set u' = -3 [m/s^2]\n",
                       2);
    assert_close(last(&s, "accel(u)"), -3 + 2, 1e-10);
    assert_close(last(&s, "u"), (1 + 1) + (-3 + 1), 1e-10);
    simulation_clear(&s);
}

/* the principles that take constraints on accelerations agree */
static void test_higher__principles(void **state) {
    (void)state;
    const char text[] = CART "potential 3 [N/m]*x*y\n"
                             "constraint c : x''' = -2 [1/s]*x'' + sin(y/1 [m])*1 [m/s^3]\n";
    assert_principles_agree(text, 7);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_higher__constant_jerk),
        cmocka_unit_test(test_higher__fourth_derivative),
        cmocka_unit_test(test_higher__of_an_expression),
        cmocka_unit_test(test_higher__quasi_velocities_and_events),
        cmocka_unit_test(test_higher__principles),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
