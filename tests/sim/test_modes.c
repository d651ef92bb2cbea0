/* SPDX-License-Identifier: MIT */
/* Rates that switch: steps end there, by every method; friction that sticks sticks. Against closed
 * forms. */
#include "support/simulation.h"

#define PI 3.14159265358979323846

/* every method, those with a fixed step with one */
static const struct {
    const char *name;
    double step;
} methods[] = {{"rk54", 0}, {"rk87", 0}, {"radau", 0},  {"bdf", 0},       {"adams", 0},
               {"ida", 0},  {"erk", 0},  {"erk", 0.01}, {"rattle", 0.01}, {"energy", 0.01}};
enum { METHODS = sizeof methods / sizeof *methods };

static simulation make(int method, double until) {
    simulation s = simulation_make(until);
    s.options.run.method = methods[method].name;
    s.options.run.step = methods[method].step;
    s.options.run.rtol = 1e-9;
    s.options.run.atol = 1e-11;
    return s;
}

/* what a motion of size and frequency 1 is off after 10 s: h^2 t/12 for the steps of order 2 */
static double good_for(int method) {
    return methods[method].step > 0 ? 1e-4 : 1e-6;
}

static double end_of(const simulation *s, const char *column) {
    return at(zw_sim_rows(s->sim), -1, column);
}

/* row of an output time k times the step of the output */
static double at_time(const simulation *s, double t, const char *column) {
    const zw_table *rows = zw_sim_rows(s->sim);
    for (long i = 0; i < zw_table_rows(rows); i++)
        if (fabs(at(rows, i, "t") - t) < 1e-9)
            return at(rows, i, column);
    fail_msg("no row at t = %g", t);
    return NAN;
}

static long rhs_calls(const simulation *s) {
    return zw_sim_statistics(s->sim).run.rhs_calls;
}

/* ---------------------------------------------------------------------------------- known times */

#define CART(force)                                                                                \
    "model cart\n"                                                                                 \
    "coord x [m]\n"                                                                                \
    "kinetic 1/2*1 [kg]*x'^2\n" force

/* A pulse of 1 N s, wherever it is: x' = 1 after it, x = t - its centre. */
static void assert_pulse(const char *text, double until, double centre) {
    for (int k = 0; k < METHODS; k++) {
        simulation s = make(k, until);
        simulation_run(&s, text);
        assert_done(&s);
        assert_close(end_of(&s, "x'"), 1, 1e-7);
        assert_close(end_of(&s, "x"), until - centre, 1e-7);
        simulation_clear(&s);
    }
}

static void test_modes__pulse_of_a_table(void **state) {
    (void)state;
    assert_pulse(CART("input F = table (0 [s], 0 [N]), (20 [s], 0 [N]), (20.25 [s], 4 [N]), "
                      "(20.5 [s], 0 [N])\n"
                      "force (x) = F\n"),
                 40, 20.25);
    assert_pulse(CART("input F = table (3 [s], 0 [N]), (3.5 [s], 2 [N]), (4 [s], 0 [N])\n"
                      "force (x) = F\n"),
                 40, 3.5);
}

static void test_modes__pulse_of_a_condition(void **state) {
    (void)state;
    assert_pulse(CART("param a = 20 [s], w = 1e-3 [s], b = a + w\n"
                      "force (x) = if(t > a and t < b, 1 [N*s]/w, 0 [N])\n"),
                 40, 20.0005);
    assert_pulse(CART("param a = 7.3 [s], b = 8.3 [s]\n"
                      "force (x) = if(a <= t and t <= b, 1 [N], 0 [N])\n"),
                 20, 7.8);
    assert_pulse(CART("param a = 7.3 [s], b = 8.3 [s]\n"
                      "force (x) = if(t < a, 0 [N], if(t > b, 0 [N], 1 [N]))\n"),
                 20, 7.8);
}

/* b is moved while the pulse lasts, and both are moved to a second one of the same length */
static void test_modes__times_follow_parameters(void **state) {
    (void)state;
    for (int k = 0; k < METHODS; k++) {
        simulation s = make(k, 20);
        simulation_run(&s, CART("param a = 5 [s], b = 6 [s]\n"
                                "force (x) = if(t > a and t < b, 1 [N], 0 [N])\n"
                                "event later : t - 5.5 [s] rising, set b = 7 [s]\n"
                                "event again : t - 8 [s] rising, set a = 9 [s], set b = 10 [s]\n"));
        assert_done(&s);
        assert_close(end_of(&s, "x'"), 3, 1e-7);
        assert_close(end_of(&s, "x"), 2 * (20 - 6) + (20 - 9.5), 1e-7);
        simulation_clear(&s);
    }
}

/* ------------------------------------------------------------------------------------- kinks */

/* Stiffness 1 on one side, 4 on the other, in six spellings: half a period takes pi there and pi/2
 * here. */
static void test_modes__two_stiffnesses(void **state) {
    (void)state;
    const char *force[] = {"-5/2*x + 3/2*abs(x)",      "-x - 3*min(x, 0 [m])",
                           "-4*x + 3*max(x, 0 [m])",   "if(x > 0 [m], -x, -4*x)",
                           "if(x <= 0 [m], -4*x, -x)", "-5/2*x + 3/2*x*sign(x)"};
    for (int k = 0; k < METHODS; k++)
        for (int f = 0; f < 6; f++) {
            char text[300];
            snprintf(text, sizeof text, CART("force (x) = 1 [N/m]*(%s)\nstart x = 1 [m]\n"),
                     force[f]);
            simulation s = make(k, 15 * PI);
            simulation_run(&s, text);
            assert_done(&s);
            double good = methods[k].step > 0 ? 2e-3 : 2e-6;
            if (strcmp(methods[k].name, "erk") == 0)
                good = 2e-6;
            assert_close(end_of(&s, "x"), 1, good);
            assert_close(end_of(&s, "x'"), 0, good);
            simulation_clear(&s);
        }
}

/* A relay: parabolas, back at the start after 4 sqrt(2) s. Steps are exact however long, and must
 * not pass two zeros unseen. */
static void test_modes__relay(void **state) {
    (void)state;
    double u = 20 - 13 * sqrt(2.0);
    for (int k = 0; k < METHODS; k++) {
        simulation s = make(k, 20);
        simulation_run(&s, CART("force (x) = if(x > 0 [m], -1 [N], 1 [N])\nstart x = 1 [m]\n"));
        assert_done(&s);
        assert_close(end_of(&s, "x"), -sqrt(2.0) * u + u * u / 2, 1e-6);
        assert_close(end_of(&s, "x'"), -sqrt(2.0) + u, 1e-6);
        simulation_clear(&s);
    }
}

/* A square wave, 127 switches: x' is a triangle of height h = pi/20, x grows by h^2 in each of its
 * periods. */
static void test_modes__square_wave(void **state) {
    (void)state;
    double h = PI / 20, d = 20 - 127 * h;
    for (int k = 0; k < METHODS; k++) {
        simulation s = make(k, 20);
        simulation_run(&s, CART("force (x) = 1 [N]*sign(sin(20 [rad/s]*t))\n"));
        assert_done(&s);
        assert_close(end_of(&s, "x'"), h - d, 1e-7);
        assert_close(end_of(&s, "x"), 63.5 * h * h + h * d - d * d / 2, 1e-6);
        simulation_clear(&s);
    }
}

/* An event at the zero of a kink, which takes a tenth of the velocity: 20 passages in ten periods,
 * no more. */
static void test_modes__event_at_a_kink(void **state) {
    (void)state;
    for (int k = 0; k < METHODS; k++) {
        simulation s = make(k, 14.9 * PI);
        s.options.run.rtol = 1e-12;
        s.options.run.atol = 1e-14;
        simulation_run(&s, CART("force (x) = 1 [N/m]*(-5/2*x + 3/2*abs(x))\n"
                                "event pass : x both, set x' = 0.9*x'\n"
                                "start x = 1 [m]\n"));
        assert_done(&s);
        assert_int_equal(zw_table_rows(zw_sim_events(s.sim)), 20);
        simulation_clear(&s);
    }
}

/* Steps that begin and end at zeros of a recorded event, which lie within rounding of zero: one at
 * every switch of a relay, (2 k + 1) sqrt(2) s. */
static void test_modes__event_at_every_switch(void **state) {
    (void)state;
    for (int k = 0; k < METHODS; k++) {
        simulation s = make(k, 200);
        simulation_run(&s, CART("force (x) = -1 [N]*sign(x)\n"
                                "event pass : x both\n"
                                "start x = 1 [m]\n"));
        assert_done(&s);
        assert_int_equal(zw_table_rows(zw_sim_events(s.sim)), 71);
        simulation_clear(&s);
    }
}

/* Functions that stay at zero: their kinks have the values that they have there, until they leave
 * it. */
static void test_modes__functions_that_stay_zero(void **state) {
    (void)state;
    static const char *const force[] = {"if(max(0, x - 1) > 0, -1, 0)", "-sign(max(0, x - 1))",
                                        "if(max(0, x - 1) <= 0, 0, -1)",
                                        "if(max(x - 1, 0)^2 > 0, -1, 0)"};
    for (int k = 0; k < 4 * METHODS; k++) {
        char text[400];
        snprintf(text, sizeof text,
                 "model zone\nunits none\ncoord x, y, z\nparam a = 0\n"
                 "kinetic (x'^2 + y'^2 + z'^2)/2\n"
                 "force (x) = %s\n"
                 "force (y) = if(a*t >= 0, 1, 5)\n"
                 "force (z) = 100*sign(max(0, (t - 2)*(2.01 - t)))\n"
                 "start x' = 1\n",
                 force[k / METHODS]);
        simulation s = make(k % METHODS, 4);
        simulation_run(&s, text);
        assert_done(&s);
        assert_close(end_of(&s, "x"), 0, 1e-6);
        assert_close(end_of(&s, "x'"), -1, 1e-6);
        assert_close(end_of(&s, "y"), 8, 1e-6);
        assert_close(end_of(&s, "z'"), 1, 1e-6);
        simulation_clear(&s);
    }
}

/* Functions that leave zero at once without a slope, and event functions that touch it within
 * rounding. */
static void test_modes__functions_that_touch_zero(void **state) {
    (void)state;
    for (int k = 0; k < METHODS; k++) {
        simulation s = make(k, 20);
        simulation_run(&s, "model touch\nunits none\ncoord x, y\n"
                           "kinetic (x'^2 + y'^2)/2\n"
                           "force (y) = sign(cos(t/10) - 1)\n"
                           "event e : cos(t) - 1\n"
                           "event f : 1 - cos(x)\n"
                           "start x' = 1\n");
        assert_done(&s);
        assert_close(end_of(&s, "y'"), -20, 1e-6);
        assert_int_equal(zw_table_rows(zw_sim_events(s.sim)), 0);
        assert_true(zw_sim_statistics(s.sim).run.undecided == 0);
        simulation_clear(&s);
    }
}

/* ------------------------------------------------------------------------------------- sticking */

/* Every half swing loses 2 F/k; within F/k of the middle the body stays where it stops, and
 * friction holds the spring. */
static void test_modes__dry_friction_stops(void **state) {
    (void)state;
    for (int k = 0; k < METHODS; k++) {
        simulation s = make(k, 100);
        simulation_run(&s, CART("force (x) = -1 [N/m]*x\n"
                                "force (x) = -0.3 [N]*sign(x')\n"
                                "start x = 2.05 [m]\n"
                                "observe a = x'', s = sign(x')\n"));
        assert_done(&s);
        double good = good_for(k);
        assert_close(at_time(&s, 9, "x"), 0.3 - (0.85 - 0.3) * cos(9 - 2 * PI + PI), good);
        assert_close(end_of(&s, "x"), -0.25, good);
        assert_close(end_of(&s, "x'"), 0, 1e-13);
        assert_close(end_of(&s, "a"), 0, 1e-12);
        assert_close(end_of(&s, "s"), 0.25 / 0.3, 5 * good);
        if (methods[k].step == 0)
            assert_in_range(rhs_calls(&s), 1, 3000);
        simulation_clear(&s);
    }
}

/* A block on a belt: it is taken along by friction until it has the velocity of the belt, goes with
 * it until the spring is stronger, and swings. */
static void test_modes__block_on_a_belt(void **state) {
    (void)state;
    double v = 0.5, t1 = PI / 6, x1 = 1 - cos(t1), t2 = t1 + (1 - x1) / v;
    for (int k = 0; k < METHODS; k++) {
        simulation s = make(k, 7);
        simulation_run(&s, CART("param v = 0.5 [m/s], F = 1 [N]\n"
                                "force (x) = -1 [N/m]*x + F*sign(v - x')\n"));
        assert_done(&s);
        double good = good_for(k);
        assert_close(at_time(&s, 0.35, "x"), 1 - cos(0.35), good);
        assert_close(at_time(&s, 1.4, "x'"), v, good);
        assert_close(at_time(&s, 1.4, "x"), x1 + v * (1.4 - t1), good);
        assert_close(end_of(&s, "x"), 1 + v * sin(7 - t2), good);
        simulation_clear(&s);
    }
}

/* A block on a block on a floor, the lower one pulled by a force t: both stick until t = F1, then
 * move as one until the upper one cannot be taken along, then apart. */
static void test_modes__coupled_sliders(void **state) {
    (void)state;
    double F1 = 1, F2 = 0.5, m1 = 1, m2 = 0.5, t3 = F1 + F2 * (m1 + m2) / m2;
    assert_close(t3, 2.5, 1e-12);
    for (int k = 0; k < METHODS; k++) {
        simulation s = make(k, 4);
        simulation_run(&s, "model sliders\n"
                           "coord x, y [m]\n"
                           "param m1 = 1 [kg], m2 = 0.5 [kg], F1 = 1 [N], F2 = 0.5 [N]\n"
                           "kinetic 1/2*m1*x'^2 + 1/2*m2*y'^2\n"
                           "force (x) = 1 [N/s]*t - F1*sign(x') + F2*sign(y' - x')\n"
                           "force (y) = -F2*sign(y' - x')\n"
                           "observe s1 = sign(x'), s2 = sign(y' - x')\n");
        assert_done(&s);
        double good = good_for(k), v3 = 1.5 * 1.5 / 2 / 1.5, u = 4 - t3;
        assert_close(at_time(&s, 0.4, "s1"), 0.4, good);
        assert_close(at_time(&s, 0.4, "s2"), 0, good);
        assert_close(at_time(&s, 0.4, "x"), 0, 1e-13);
        assert_close(at_time(&s, 2, "x'"), 0.5 / 1.5, good);
        assert_close(at_time(&s, 2, "y'"), 0.5 / 1.5, good);
        assert_close(at_time(&s, 2, "s2"), -m2 / F2 * (2 - F1) / (m1 + m2), 10 * good);
        assert_close(end_of(&s, "y'"), v3 + u * F2 / m2, good);
        assert_close(end_of(&s, "x'"), v3 + u * (t3 - F1 - F2) / m1 + u * u / 2 / m1, good);
        simulation_clear(&s);
    }
}

/* Dry friction in the hinge: a pendulum comes to rest where its weight is weaker than friction, by
 * all methods at the same place. */
static void test_modes__pendulum_in_a_rough_hinge(void **state) {
    (void)state;
    double place = 0;
    for (int k = 0; k < METHODS; k++) {
        simulation s = make(k, 20);
        simulation_run(&s, "model pendulum\n"
                           "coord phi [rad]\n"
                           "param m = 1 [kg], l = 1 [m], g = 9.81 [m/s^2], M = 0.5 [N*m]\n"
                           "kinetic 1/2*m*l^2*phi'^2\n"
                           "potential -m*g*l*cos(phi)\n"
                           "force (phi) = -M*sign(phi')\n"
                           "start phi = 1 [rad]\n");
        assert_done(&s);
        place = k == 0 ? end_of(&s, "phi") : place;
        assert_true(fabs(9.81 * sin(end_of(&s, "phi"))) < 0.5);
        assert_close(end_of(&s, "phi'"), 0, 1e-12);
        bool crude =
            strcmp(methods[k].name, "rattle") == 0 || strcmp(methods[k].name, "energy") == 0;
        assert_close(end_of(&s, "phi"), place, crude ? 1e-4 : 1e-6);
        simulation_clear(&s);
    }
}

/* What is no sign has no meaning at its zero: named, at once. */
static void test_modes__other_kinks_that_stick_are_refused(void **state) {
    (void)state;
    for (int k = 0; k < METHODS; k++) {
        simulation s = make(k, 20);
        simulation_run(&s, CART("force (x) = if(x + 1 [s]*x' > 0 [m], -1 [N], 1 [N])\n"
                                "start x = 1 [m]\n"));
        assert_int_equal(s.status, ZW_E_NUMERIC);
        assert_text_has(s.err.text, "switches, at t = 0.73205080");
        assert_text_has(s.err.text, "both sides lead back to it");
        assert_text_has(s.err.hint, "smooth law");
        simulation_clear(&s);
    }
}

/* A relay with damping: |x'| at the switches falls as exp(-4 t/3), their number per time grows as
 * that. Where x stays within its accuracy the run ends and says so; it never gains energy on the
 * way. */
static void test_modes__damped_relay(void **state) {
    (void)state;
    for (int k = 0; k < METHODS; k++) {
        simulation s = make(k, 9);
        s.options.run.rtol = 1e-7;
        s.options.run.atol = 1e-9;
        simulation_run(&s, CART("force (x) = -1 [N]*sign(x) - 4 [N*s/m]*x'\n"
                                "start x = 0.5 [m]\n"));
        if (s.status < 0 && methods[k].step == 0)
            assert_text_has(s.err.text, "sign(x) switches to and fro");
        const zw_table *rows = zw_sim_rows(s.sim);
        double last = 1;
        for (long i = 0; i < zw_table_rows(rows); i += 100) {
            double v = at(rows, i, "x'"), energy = fabs(at(rows, i, "x")) + v * v / 2;
            assert_true(energy <= 1.01 * last + 1e-8);
            last = energy;
        }
        assert_true(last < 1e-4);
        simulation_clear(&s);
    }
}

/* Without slope at the zero the second derivative decides. A start at rest in the zero that both
 * pieces lead away from goes on with the value of the expression there, and the choice is told; one
 * that both pieces bend back to is at rest, if the expression lets it be. */
static void test_modes__starts_in_the_zero(void **state) {
    (void)state;
    static const struct {
        const char *force;
        double x; /* at t = 2 */
        bool doubtful;
    } starts[] = {
        {"1 [N]*sign(x)", 0, true},
        {"1 [N]*sign(x')", 0, true},
        {"if(x >= 0, 1 [N], -1 [N])", 2, true},
        {"if(x > 0, 1 [N], -1 [N])", -2, true},
        {"1 [N]*sign(x) + 0.5 [N]", 3, true},
        {"-1 [N]*sign(x)", 0, false},
        {"-1 [N]*sign(x) + 1.5 [N]", 1, false},
        {"-1 [N]*sign(x) - 1.5 [N]", -1, false},
    };
    enum { STARTS = sizeof starts / sizeof *starts };
    for (int k = 0; k < METHODS * STARTS; k++) {
        char text[300];
        snprintf(text, sizeof text, CART("force (x) = %s\n"), starts[k % STARTS].force);
        simulation s = make(k / STARTS, 2);
        simulation_run(&s, text);
        assert_done(&s);
        assert_close(end_of(&s, "x"), starts[k % STARTS].x, good_for(k / STARTS));
        assert_int_equal(zw_warnings_count(zw_sim_warnings(s.sim)), starts[k % STARTS].doubtful);
        if (starts[k % STARTS].doubtful)
            assert_text_has(zw_warnings_at(zw_sim_warnings(s.sim), 0)->text,
                            "both sides lead away");
        simulation_clear(&s);
    }
    for (int k = 0; k < METHODS; k++) {
        simulation s = make(k, 2);
        simulation_run(&s, CART("force (x) = -1 [N]*sign(x) + 0.5 [N]\n"));
        assert_int_equal(s.status, ZW_E_NUMERIC);
        assert_text_has(s.err.text, "both sides lead back to it");
        simulation_clear(&s);
    }
}

/* Elastic dry friction: a spring of the deflection z that slips at 0.3, moved by x = sin t. The
 * condition holds a sign: both turn at the same moment, where z rests at its limit. Behind the
 * first turn z = max(-0.3, 0.3 + sin t - 1) on the way down, and min(0.3, -0.3 + sin t + 1) on the
 * way up. */
static void test_modes__condition_with_a_sign(void **state) {
    (void)state;
    for (int k = 0; k < 3; k++) {
        simulation s = simulation_make(60);
        s.options.step_out = 0.125;
        s.options.run.method = k == 2 ? "radau" : "rk87";
        s.options.run.rtol = k == 1 ? 1e-12 : 1e-9;
        s.options.run.atol = k == 1 ? 1e-14 : 1e-11;
        simulation_run(&s, "model play\nunits none\n"
                           "state x, v, z : x' = v, v' = -x, z' = if(z*sign(v) < 0.3, v, 0)\n"
                           "start x = 0, v = 1, z = 0\n");
        assert_done(&s);
        const zw_table *rows = zw_sim_rows(s.sim);
        for (long i = 0; i < zw_table_rows(rows); i++) {
            double t = at(rows, i, "t"), x = sin(t),
                   z = cos(t) < 0 ? fmax(-0.3, x - 0.7) : fmin(0.3, x + 0.7);
            if (t > PI / 2)
                assert_close(at(rows, i, "z"), z, 1e-6);
        }
        simulation_clear(&s);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_modes__pulse_of_a_table),
        cmocka_unit_test(test_modes__pulse_of_a_condition),
        cmocka_unit_test(test_modes__times_follow_parameters),
        cmocka_unit_test(test_modes__two_stiffnesses),
        cmocka_unit_test(test_modes__event_at_a_kink),
        cmocka_unit_test(test_modes__event_at_every_switch),
        cmocka_unit_test(test_modes__functions_that_stay_zero),
        cmocka_unit_test(test_modes__functions_that_touch_zero),
        cmocka_unit_test(test_modes__relay),
        cmocka_unit_test(test_modes__square_wave),
        cmocka_unit_test(test_modes__dry_friction_stops),
        cmocka_unit_test(test_modes__block_on_a_belt),
        cmocka_unit_test(test_modes__coupled_sliders),
        cmocka_unit_test(test_modes__pendulum_in_a_rough_hinge),
        cmocka_unit_test(test_modes__other_kinks_that_stick_are_refused),
        cmocka_unit_test(test_modes__damped_relay),
        cmocka_unit_test(test_modes__starts_in_the_zero),
        cmocka_unit_test(test_modes__condition_with_a_sign),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
