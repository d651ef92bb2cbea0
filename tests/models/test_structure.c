/* SPDX-License-Identifier: MIT */
/* The structure-preserving methods on whole models: order, symmetry, energy and constraints over
 * many steps, and what they refuse. */
#include "num/options.h"
#include "support/simulation.h"

/* a pendulum of length 1.3 m in Cartesian coordinates that goes over the top */
#define PENDULUM                                                                                   \
    "model pendulum\n"                                                                             \
    "param m = 0.7 [kg], L = 1.3 [m]\n"                                                            \
    "coord x, y [m]\n"                                                                             \
    "particle bob : m at (x, y, 0)\n"                                                              \
    "gravity 9.81 [m/s^2] along -y\n"                                                              \
    "constraint rod : x^2 + y^2 = L^2\n"                                                           \
    "start x = 0 [m], y = -L, x' = 9.1 [m/s]\n"

/* a skate that turns on an incline, from rest: x = s/(2 w^2) sin^2(w t) (Neimark and Fufaev
 * 1972) */
#define SKATE                                                                                      \
    "model skate\n"                                                                                \
    "param m = 1.5 [kg], J = 0.4 [kg*m^2], s = 3 [m/s^2], w = 2 [rad/s]\n"                         \
    "coord x, y [m]\n"                                                                             \
    "coord th [rad]\n"                                                                             \
    "kinetic m/2*(x'^2 + y'^2) + J/2*th'^2\n"                                                      \
    "potential -m*s*x\n"                                                                           \
    "constraint edge : x'*sin(th) - y'*cos(th) = 0\n"                                              \
    "start th' = w, x = 0 [m], y = 0 [m], th = 0 [rad], x' = 0 [m/s], y' = 0 [m/s]\n"

/* a chain of two: no symmetry, strongly coupled */
#define DOUBLE_PENDULUM                                                                            \
    "model double_pendulum\n"                                                                      \
    "param m = 1 [kg], L = 1 [m], g = 9.81 [m/s^2]\n"                                              \
    "coord a, b [rad]\n"                                                                           \
    "kinetic m*L^2*(a'^2 + b'^2/2 + a'*b'*cos(a - b))\n"                                           \
    "potential -m*g*L*(2*cos(a) + cos(b))\n"                                                       \
    "start a = 0.9 [rad], b = 0.2 [rad]\n"

static simulation try_method(const char *text, const char *method, int order, double step,
                             double until, double step_out) {
    simulation s = simulation_make(until);
    s.options.step_out = step_out;
    s.options.run.method = method;
    s.options.run.order = order;
    s.options.run.step = step;
    simulation_run(&s, text);
    return s;
}

static simulation run_method(const char *text, const char *method, int order, double step,
                             double until, double step_out) {
    simulation s = try_method(text, method, order, step, until, step_out);
    assert_done(&s);
    return s;
}

static double last(const simulation *s, const char *column) {
    return at(zw_sim_rows(s->sim), -1, column);
}

/* largest |E - E(0)| in the rows from `first` to `end` */
static double energy_error(const simulation *m, long first, long end) {
    const zw_table *rows = zw_sim_rows(m->sim);
    int column = zw_table_find(rows, "energy");
    double most = 0;
    for (long i = first; i < end; i++)
        most = fmax(most, fabs(zw_table_at(rows, i, column) - zw_table_at(rows, 0, column)));
    return most;
}

/* the order from errors at steps h and h/2 */
static void assert_order(double coarse, double fine, double order) {
    double measured = log2(coarse / fine);
    if (!(fabs(measured - order) < 0.3))
        fail_msg("order %g measured as %g: errors %g and %g", order, measured, coarse, fine);
}

/* ---- order ---- */

/* after one turn the pendulum is back; its time by the arithmetic-geometric mean */
static double pendulum_error(const char *method, int order, double steps) {
    double w = 7, a = 1, b = sqrt(1 - 4 * 9.81 / 1.3 / (w * w));
    for (int i = 0; i < 10; i++) {
        double mean = (a + b) / 2;
        b = sqrt(a * b);
        a = mean;
    }
    double period = 2 * acos(-1) / (w * a);
    simulation m = run_method(PENDULUM, method, order, period / steps, period, period);
    double error = fabs(last(&m, "x"));
    simulation_clear(&m);
    return error;
}

static void test_structure__order_on_a_pendulum(void **state) {
    (void)state;
    const char *const methods[] = {"rattle", "energy"};
    for (int i = 0; i < 2; i++) {
        assert_order(pendulum_error(methods[i], 2, 100), pendulum_error(methods[i], 2, 200), 2);
        assert_order(pendulum_error(methods[i], 4, 100), pendulum_error(methods[i], 4, 200), 4);
        assert_order(pendulum_error(methods[i], 6, 100), pendulum_error(methods[i], 6, 200), 6);
    }
}

static double skate_error(int order, double step) {
    simulation m = run_method(SKATE, "energy", order, step, 2, 2);
    double error = fabs(last(&m, "x") - 3.0 / 8 * sin(4) * sin(4));
    simulation_clear(&m);
    return error;
}

static void test_structure__order_on_a_skate(void **state) {
    (void)state;
    assert_order(skate_error(2, 0.02), skate_error(2, 0.01), 2);
    assert_order(skate_error(4, 0.04), skate_error(4, 0.02), 4);
    assert_order(skate_error(6, 0.04), skate_error(6, 0.02), 6);
}

/* ---- symmetry: forwards and backwards is nothing ---- */

static void go_and_return(const char *text, const char *principle, const char *method) {
    zw_context *ctx = zw_context_create(NULL);
    zw_system *sys;
    zw_equations eq;
    zw_kernel *kernel;
    zw_run *run;
    zw_error err = {0};
    zw_run_options options = zw_run_options_default();
    options.method = method;
    options.step = 0.01;
    double p[16], x[16], state[16], there[16];
    bool fixed[16];
    assert_int_equal(zw_model_parse(&sys, ctx, text, strlen(text), "test", NULL, &err), ZW_OK);
    assert_int_equal(zw_derive(&eq, sys, NULL, principle, &err), ZW_OK);
    assert_int_equal(zw_kernel_create(&kernel, &eq, NULL, &err), ZW_OK);
    kernel->conservative = true;
    assert_int_equal(zw_system_param_values(sys, p, &err), ZW_OK);
    assert_int_equal(zw_system_start_state(sys, p, x, fixed, &err), ZW_OK);
    assert_int_equal(zw_equations_state(&eq, 0, p, x, state, &err), ZW_OK);
    assert_int_equal(zw_run_create(&run, kernel, p, &options, &err), ZW_OK);
    assert_int_equal(zw_run_start(run, 0, state, &err), ZW_OK);
    assert_int_equal(zw_run_advance(run, 10, NULL, &err), ZW_OK);
    memcpy(there, zw_run_state(run), sizeof(double) * (size_t)kernel->nx);
    assert_true(fabs(there[0] - state[0]) > 1e-3); /* it went somewhere */
    assert_int_equal(zw_run_start(run, 10, there, &err), ZW_OK);
    if (zw_run_advance(run, 0, NULL, &err) != ZW_OK)
        fail_msg("%s", err.text);
    for (int i = 0; i < kernel->nx; i++)
        assert_close(zw_run_state(run)[i], state[i], 1e-9); /* 2000 steps of rounding */
    zw_run_destroy(run);
    zw_kernel_destroy(kernel);
    zw_context_destroy(ctx);
}

static void test_structure__steps_are_reversible(void **state) {
    (void)state;
    go_and_return(PENDULUM, "hamilton", "rattle");
    go_and_return(PENDULUM, "lagrange", "energy");
    go_and_return(SKATE, "lagrange", "energy");
}

/* ---- long runs ---- */

static void test_structure__energy_of_rattle_does_not_drift(void **state) {
    (void)state;
    const char *models[] = {PENDULUM, DOUBLE_PENDULUM};
    for (int i = 0; i < 2; i++) {
        simulation m = run_method(models[i], "rattle", 2, 0.01, 1000, 0.1);
        double early = energy_error(&m, 0, 2000), late = energy_error(&m, 8000, 10001);
        assert_true(early > 1e-6); /* it is not exact, but it stays */
        assert_true(late < 1.1 * early);
        zw_run_info info = zw_sim_statistics(m.sim).run;
        assert_true(info.steps == 100000);
        assert_true(info.position_residual <= 1e-12 && info.velocity_residual <= 1e-12);
        simulation_clear(&m);
    }
}

static void test_structure__energy_method_keeps_it_to_rounding(void **state) {
    (void)state;
    const struct {
        const char *text;
        double scale; /* J */
    } models[] = {{PENDULUM, 30}, {SKATE, 10}, {DOUBLE_PENDULUM, 30}};
    for (int i = 0; i < 3; i++) {
        simulation m = run_method(models[i].text, "energy", 2, 0.01, 200, 0.1);
        assert_true(energy_error(&m, 0, 2001) < 1e-13 * models[i].scale);
        zw_run_info info = zw_sim_statistics(m.sim).run;
        assert_true(info.position_residual <= 1e-12 && info.velocity_residual <= 1e-12);
        simulation_clear(&m);
    }
}

/* a friction that is there but zero takes no energy; one that is not takes it */
static void test_structure__friction_decides_by_its_value(void **state) {
    (void)state;
    const char *text[] = {DOUBLE_PENDULUM "param d = 0 [N*m*s]\nforce (a) = -d*a'\n",
                          DOUBLE_PENDULUM "param d = 0.01 [N*m*s]\nforce (a) = -d*a'\n"};
    simulation without = run_method(text[0], "energy", 2, 0.01, 20, 0.1);
    assert_true(energy_error(&without, 0, 201) < 1e-12);
    simulation_clear(&without);
    simulation with = run_method(text[1], "energy", 2, 0.01, 20, 0.1);
    assert_true(energy_error(&with, 0, 201) > 0.1);
    simulation_clear(&with);
}

/* momenta are the state, velocities are told beside them */
static void test_structure__velocities_beside_momenta(void **state) {
    (void)state;
    simulation m = run_method(PENDULUM, "rattle", 2, 0.01, 1, 1);
    double vx = last(&m, "x'"), vy = last(&m, "y'"), x = last(&m, "x"), y = last(&m, "y");
    assert_close(last(&m, "p(x')"), 0.7 * vx, 1e-14);
    assert_close(x * vx + y * vy, 0, 1e-12);
    assert_close(last(&m, "kinetic"), 0.35 * (vx * vx + vy * vy), 1e-12);
    simulation_clear(&m);
}

/* ---- events lie where the steps say, not where the cubic between them does ---- */

static void test_structure__event_time(void **state) {
    (void)state;
    const char *text = "model oscillator\n"
                       "coord x [m]\n"
                       "kinetic x'^2/2 * 1 [kg]\n"
                       "potential x^2/2 * 1 [N/m]\n"
                       "start x = 1 [m]\n"
                       "event zero : x falling, stop\n";
    double errors[2];
    for (int i = 0; i < 2; i++) {
        simulation m = run_method(text, "rattle", 6, 0.1 / (1 + i), 5, 1);
        errors[i] = fabs(last(&m, "t") - acos(-1) / 2);
        simulation_clear(&m);
    }
    assert_order(errors[0], errors[1], 6);
}

/* ---- refusals ---- */

static void refused(const char *text, const char *method, int order, double step,
                    const char *word) {
    simulation m = try_method(text, method, order, step, 1, 1);
    assert_int_equal(m.status, ZW_E_OPTION);
    assert_text_has(m.err.text, word);
    simulation_clear(&m);
}

static void test_structure__refusals(void **state) {
    (void)state;
    refused(SKATE, "rattle", 2, 0.01, "holonomic");
    refused(PENDULUM, "rattle", 3, 0.01, "order 3");
    refused(PENDULUM, "energy", 2, 0, "fixed step");
    refused("model top\n"
            "body b : sphere(1 [kg], 1 [m]) at (0, 0, 0)\n",
            "rattle", 2, 0.01, "canonical");
}

/* steps that are far too long do not end in a wrong result */
static void test_structure__step_too_long(void **state) {
    (void)state;
    simulation m = try_method(DOUBLE_PENDULUM, "rattle", 2, 5, 100, 10);
    assert_int_equal(m.status, ZW_E_NUMERIC);
    assert_text_has(m.err.hint, "shorter");
    simulation_clear(&m);
}

/* the lateral velocity of the sleigh is zero but for rounding that every sweep halves: no step may
 * wait for its end */
static void test_structure__sleigh_at_any_step(void **state) {
    (void)state;
    static const char sleigh[] =
        "model sleigh\nparam m = 2 [kg], J = 0.1 [kg*m^2], a = 0.2 [m]\ncoord x, y [m], th [rad]\n"
        "quasi u = x'*cos(th) + y'*sin(th), v = -x'*sin(th) + y'*cos(th), w = th'\n"
        "frame S : rotate z th at (x, y, 0)\nbody b : S, inertia(m, J, J, J) at (a, 0, 0)\n"
        "constraint blade : v = 0\nstart x = 0, y = 0, th = 0, u = -0.5 [m/s], w = 3 [rad/s]\n";
    for (int k = 0; k < 20; k++) {
        simulation m = try_method(sleigh, "energy", 2, 3e-4 * pow(20, k / 19.0), 4, 1);
        assert_done(&m);
        zw_sim_info info = zw_sim_statistics(m.sim);
        assert_close(info.run.energy_end, 1.06, 1e-13);
        simulation_clear(&m);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_structure__order_on_a_pendulum),
        cmocka_unit_test(test_structure__order_on_a_skate),
        cmocka_unit_test(test_structure__steps_are_reversible),
        cmocka_unit_test(test_structure__energy_of_rattle_does_not_drift),
        cmocka_unit_test(test_structure__energy_method_keeps_it_to_rounding),
        cmocka_unit_test(test_structure__friction_decides_by_its_value),
        cmocka_unit_test(test_structure__velocities_beside_momenta),
        cmocka_unit_test(test_structure__event_time),
        cmocka_unit_test(test_structure__refusals),
        cmocka_unit_test(test_structure__step_too_long),
        cmocka_unit_test(test_structure__sleigh_at_any_step),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
