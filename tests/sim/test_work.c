/* SPDX-License-Identifier: MIT */
/* The balance of energy against works in closed form. The tolerances of the runs are 1e-11; a work
 * is as good as the states it is made of. */
#include "support/simulation.h"

#define GOOD 1e-8

static simulation run_balanced(const char *text, double until, const char *principle) {
    simulation s = simulation_make(until);
    s.options.energy = true;
    s.options.principle = principle;
    simulation_run(&s, text);
    assert_done(&s);
    const zw_table *rows = zw_sim_rows(s.sim);
    for (long i = 0; i < zw_table_rows(rows); i++)
        assert_close(at(rows, i, "drift"), 0, GOOD);
    return s;
}

/* x = exp(-d t) (cos w t + d/w sin w t): the damper takes what is missing */
static void test_work__damped_oscillator(void **state) {
    (void)state;
    const char *principles[] = {"lagrange", "hamilton", "gauss"};
    for (int k = 0; k < 3; k++) {
        simulation s = run_balanced("model damped\n"
                                    "param c = 0.4 [kg/s]\n"
                                    "coord x [m]\n"
                                    "particle P : 1 [kg] at (x, 0)\n"
                                    "potential 1/2*4 [N/m]*x^2\n"
                                    "force damper (x) = -c*x'\n"
                                    "start x = 1 [m]\n",
                                    10, principles[k]);
        const zw_table *rows = zw_sim_rows(s.sim);
        double d = 0.2, w = sqrt(4 - d * d);
        for (long i = 0; i < zw_table_rows(rows); i += 50) {
            double t = at(rows, i, "t"), e = exp(-d * t);
            double x = e * (cos(w * t) + d / w * sin(w * t)), v = -e * 4 / w * sin(w * t);
            assert_close(at(rows, i, "work(damper)"), v * v / 2 + 2 * x * x - 2, GOOD);
        }
        simulation_clear(&s);
    }
}

/* 1/2 m x'^2 and 1/2 k x^2 of the closed form, by every method; bdf and ida are the least
 * accurate */
static void test_work__by_every_method(void **state) {
    (void)state;
    const char *methods[] = {"adams", "bdf", "ida", "rk54", "rk87", "radau"};
    for (int k = 0; k < 6; k++) {
        simulation s = simulation_make(3);
        s.options.energy = true;
        s.options.run.method = methods[k];
        simulation_run(&s, "model damped\n"
                           "coord x [m]\n"
                           "particle P : 1 [kg] at (x, 0)\n"
                           "potential 1/2*4 [N/m]*x^2\n"
                           "force damper (x) = -0.4 [kg/s]*x'\n"
                           "start x = 1 [m]\n");
        assert_done(&s);
        const zw_table *rows = zw_sim_rows(s.sim);
        double d = 0.2, w = sqrt(4 - d * d), t = 3, e = exp(-d * t);
        double x = e * (cos(w * t) + d / w * sin(w * t)), v = -e * 4 / w * sin(w * t);
        assert_close(at(rows, -1, "work(damper)"), v * v / 2 + 2 * x * x - 2, 1e-7);
        assert_close(at(rows, -1, "drift"), 0, 1e-7);
        simulation_clear(&s);
    }
}

/* a mass driven by F sin(w t) and pulled back by G: x' = F/(m w) (1 - cos w t) - G t/m */
static void test_work__each_force_has_its_own(void **state) {
    (void)state;
    simulation s = run_balanced("model driven\n"
                                "coord x [m]\n"
                                "particle P : 2 [kg] at (x, 0)\n"
                                "force drive_by (x) = 3 [N]*sin(5*t/1 [s])\n"
                                "force back (x) = -0.5 [N]\n"
                                "dissipation 0\n",
                                4, NULL);
    const zw_table *rows = zw_sim_rows(s.sim);
    for (long i = 0; i < zw_table_rows(rows); i += 25) {
        double t = at(rows, i, "t"), w = 5;
        double x = 3 / (2 * w) * (t - sin(w * t) / w) - 0.25 * t * t / 2;
        double v = 3 / (2 * w) * (1 - cos(w * t)) - 0.25 * t;
        assert_close(at(rows, i, "work(back)"), -0.5 * x, GOOD);
        assert_close(at(rows, i, "work(drive_by)"), v * v + 0.5 * x, GOOD);
    }
    simulation_clear(&s);
}

/* a bead on a rod that a motor turns: r = r0 cosh(w t), the motor gives m r0^2 w^2 sinh^2(w t) */
static void test_work__motor(void **state) {
    (void)state;
    simulation s = run_balanced("model bead\n"
                                "coord r [m], phi [rad]\n"
                                "particle P : 2 [kg] at (r*cos(phi), r*sin(phi))\n"
                                "constraint motor : phi' = 3 [rad/s]\n"
                                "start r = 0.1 [m]\n",
                                1, NULL);
    const zw_table *rows = zw_sim_rows(s.sim);
    for (long i = 0; i < zw_table_rows(rows); i += 100) {
        double h = sinh(3 * at(rows, i, "t"));
        assert_close(at(rows, i, "work(motor)"), 2 * 0.01 * 9 * h * h, GOOD);
    }
    simulation_clear(&s);
}

/* what events take is counted, so that the drift stays the error of the integration */
static void test_work__events(void **state) {
    (void)state;
    simulation s = run_balanced("model ball\n"
                                "coord y [m]\n"
                                "particle P : 2 [kg] at (0, y)\n"
                                "gravity 10 [m/s^2] along -y\n"
                                "force wind (y) = 2 [N]\n" /* falls with 9 m/s^2 */
                                "event bounce : y falling, set y' = -y'/2\n"
                                "start y = 4.5 [m]\n",
                                2.4, NULL);
    const zw_table *rows = zw_sim_rows(s.sim);
    assert_close(at(rows, -1, "work(events)"), -0.75 * 81 - 0.75 * 81 / 4, GOOD);
    assert_close(at(rows, -1, "work(wind)"), 2 * (at(rows, -1, "y") - 4.5), GOOD);
    simulation_clear(&s);
}

/* a motor that is switched on later has its column from the start */
static void test_work__constraint_switched_on(void **state) {
    (void)state;
    simulation s = run_balanced("model clutch\n"
                                "coord phi [rad]\n"
                                "kinetic 1/2*2 [kg*m^2]*phi'^2\n"
                                "force brake (phi) = -4 [N*m]\n"
                                "constraint motor off : phi' = 3 [rad/s]\n"
                                "event engage : phi' - 3 [rad/s] falling, switch on motor\n"
                                "start phi' = 5 [rad/s]\n",
                                3, NULL);
    const zw_table *rows = zw_sim_rows(s.sim);
    /* 1 s from 5 to 3 rad/s, then 2 s against the brake */
    assert_close(at(rows, 0, "work(motor)"), 0, 0);
    assert_close(at(rows, -1, "work(motor)"), 4 * 3 * 2, GOOD);
    assert_close(at(rows, -1, "work(brake)"), -4 * (4 + 6), GOOD);
    simulation_clear(&s);
}

/* asking for the balance does not change the motion */
static void test_work__does_not_disturb(void **state) {
    (void)state;
    const char text[] = "model damped\n"
                        "coord x, y [m]\n"
                        "particle P : 1 [kg] at (x, y)\n"
                        "gravity 9.81 [m/s^2] along -y\n"
                        "constraint rod : x^2 + y^2 = 1 [m^2]\n"
                        "force damper (x) = -0.1 [kg/s]*x'\n"
                        "start x = 1 [m], y = 0\n";
    simulation a = run_balanced(text, 2, NULL), b = simulation_make(2);
    simulation_run(&b, text);
    assert_done(&b);
    const zw_table *rows = zw_sim_rows(a.sim), *plain = zw_sim_rows(b.sim);
    assert_int_equal(zw_table_rows(rows), zw_table_rows(plain));
    for (long i = 0; i < zw_table_rows(rows); i++)
        assert_true(at(rows, i, "x'") == at(plain, i, "x'"));
    simulation_clear(&a);
    simulation_clear(&b);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_work__damped_oscillator),
        cmocka_unit_test(test_work__by_every_method),
        cmocka_unit_test(test_work__each_force_has_its_own),
        cmocka_unit_test(test_work__motor),
        cmocka_unit_test(test_work__events),
        cmocka_unit_test(test_work__constraint_switched_on),
        cmocka_unit_test(test_work__does_not_disturb),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
