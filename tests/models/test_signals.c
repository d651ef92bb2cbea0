/* SPDX-License-Identifier: MIT */
/* External inputs: values, tables and functions from outside, against closed forms. */
#include <stdlib.h>
#include <unistd.h>

#include "support/compared.h"
#include "support/simulation.h"

static const char MASS[] = "model mass\nparam m = 2 [kg], F = 3 [N]\ncoord x [m]\n"
                           "input u = signal [N]\ninput w = signal [m/s^2]\n"
                           "particle P : m at (x, 0)\nforce push (x) = u + m*w\n"
                           "observe given = u\n";

static simulation run(const char *text, double until, int n, const char *const *set) {
    simulation s = simulation_make(until);
    s.model.set = set;
    s.model.nset = n;
    simulation_run(&s, text);
    return s;
}

static double last(const simulation *s, const char *column) {
    return at(zw_sim_rows(s->sim), -1, column);
}

static void test_signals__are_zero_or_what_is_set(void **state) {
    (void)state;
    simulation s = run(MASS, 2, 0, NULL);
    assert_done(&s);
    assert_close(last(&s, "x"), 0, 0);
    simulation_clear(&s);
    const char *set[] = {"u=2*F", "w=0.5m/s^2"};
    s = run(MASS, 2, 2, set);
    assert_done(&s);
    assert_close(last(&s, "given"), 6, 0);
    assert_close(last(&s, "x"), (6 / 2.0 + 0.5) * 2, 1e-10); /* a t^2/2 at t = 2 */
    simulation_clear(&s);
}

/* A force that is there for a millisecond, long after the steps have become long: the impulse is m
 * x'. */
static void test_signals__no_pulse_is_stepped_over(void **state) {
    (void)state;
    const char *methods[] = {"rk87", "rk54", "adams", "bdf", "radau", "ida"};
    const char *set[] = {"u=table (0, 0 [N]), (7.3 [s], 500 [N]), (7.301 [s], 0 [N]) hold"};
    for (size_t m = 0; m < sizeof methods / sizeof *methods; m++) {
        simulation s = simulation_make(20);
        s.options.step_out = 10;
        s.options.run.method = methods[m];
        s.model.set = set;
        s.model.nset = 1;
        simulation_run(&s, MASS);
        assert_done(&s);
        assert_close(last(&s, "x'"), 0.25, 1e-9);
        assert_close(last(&s, "x"), 0.25 * (20 - 7.3005), 1e-7);
        simulation_clear(&s);
    }
}

/* a triangle and a spline, by their integrals; beyond the ends the end values hold on */
static void test_signals__by_tables(void **state) {
    (void)state;
    const char *triangle[] = {"u=table (1 [s], 0 [N]), (2 [s], 4 [N]), (4 [s], 1 [N])"};
    simulation s = run(MASS, 5, 1, triangle);
    assert_done(&s);
    assert_close(last(&s, "given"), 1, 0);
    assert_close(last(&s, "x'"), (2 + 5 + 1) / 2.0, 1e-11);
    simulation_clear(&s);
    /* natural spline through (0,0), (1,1), (2,0): m_1 = -3, integral 2 (1/2 + 3/24) */
    const char *spline[] = {"u=table (0, 0 [N]), (1 [s], 1 [N]), (2 [s], 0 [N]) cubic"};
    s = run(MASS, 2, 1, spline);
    assert_done(&s);
    assert_close(last(&s, "x'"), 1.25 / 2, 1e-10);
    simulation_clear(&s);
}

static void test_signals__from_a_file(void **state) {
    (void)state;
    char path[] = "/tmp/zwang-signal-XXXXXX.csv", setting[100];
    int f = mkstemps(path, 4);
    assert_true(f >= 0);
    FILE *out = fdopen(f, "w");
    fputs("t,push\n0,1\n1000,3\n2000,3\n", out);
    fclose(out);
    snprintf(setting, sizeof setting, "u=table \"%s\" [ms] [N]", path);
    const char *set[] = {setting};
    simulation s = run(MASS, 2, 1, set);
    remove(path);
    assert_done(&s);
    assert_close(last(&s, "x'"), (2 + 3) / 2.0, 1e-10);
    simulation_clear(&s);
}

static void sines(void *user, double t, double *u) {
    (*(int *)user)++;
    u[0] = sin(t);
    u[1] += 1; /* what the model says holds until it is written over */
}

static void test_signals__by_a_function(void **state) {
    (void)state;
    int calls = 0;
    simulation s = simulation_make(3);
    const char *set[] = {"w=2m/s^2"};
    s.model.set = set;
    s.model.nset = 1;
    s.options.input = sines;
    s.options.user = &calls;
    simulation_run(&s, MASS);
    assert_done(&s);
    assert_close(last(&s, "x'"), (1 - cos(3)) / 2 + 9, 1e-9);
    assert_true(calls > 20);
    simulation_clear(&s);
}

/* a low-pass of a step: s = 1 - exp(-(t - 1)/T), crossing a half at 1 + T log 2; parameters set by
 * events change the value of a signal that is made of them */
static void test_signals__in_states_and_events(void **state) {
    (void)state;
    const char text[] = "model filter_1\nunits none\nparam T = 0.5, a = 0\ninput u = signal\n"
                        "state s : s' = (u - s)/T\nevent half : s - 0.5 rising, record\n"
                        "event go : every 100 from 1, set a = 1\n";
    const char *by_table[] = {"u=table (0, 0), (1, 1), (2, 1) hold"}, *by_parameter[] = {"u=a"};
    for (int i = 0; i < 2; i++) {
        simulation s = run(text, 3, 1, i ? by_parameter : by_table);
        assert_done(&s);
        assert_close(last(&s, "s"), 1 - exp(-2 / 0.5), 1e-9);
        const zw_table *events = zw_sim_events(s.sim);
        assert_close(at(events, -1, "t"), 1 + 0.5 * log(2), 1e-9);
        simulation_clear(&s);
    }
}

/* a constraint on accelerations may hold a signal */
static void test_signals__in_accelerations(void **state) {
    (void)state;
    const char *set[] = {"a=table (0, 0 [m/s^2]), (2 [s], 4 [m/s^2])"};
    simulation s = run("model m\ncoord x [m]\nparticle P : 2 [kg] at (x, 0)\n"
                       "input a = signal [m/s^2]\nconstraint drive : x'' = a\n",
                       2, 1, set);
    assert_done(&s);
    assert_close(last(&s, "x"), 8.0 / 3, 1e-9);
    assert_close(last(&s, "lambda(drive)"), 8, 1e-9);
    simulation_clear(&s);
}

/* all principles with signals in forces, dissipation, states and accelerations */
static void test_signals__all_principles_agree(void **state) {
    (void)state;
    const char text[] = "model m\nparam J = 0.4 [kg*m^2]\ncoord x, y [m], th [rad]\n"
                        "input u = signal [N]\ninput c = signal [N*s/m]\ninput a = signal [m/s^2]\n"
                        "state f [N] : f' = (u - f)/0.2 [s]\nstate mu [kg] : mu' = u*1 [s/m]\n"
                        "kinetic 1/2*(2 [kg] + mu)*(x'^2 + y'^2) + 1/2*J*th'^2\n"
                        "dissipation 1/2*c*(x'^2 + y'^2)\n"
                        "force (x, th) = (f + u, 0.3 [m]*u*cos(th))\n"
                        "constraint c1 : y'' = a*cos(th)\n"
                        "start mu = 1 [kg]\n";
    assert_principles_agree(text, 7);
}

/* a run in two parts: the settings are in the notes of the result */
static void test_signals__restart(void **state) {
    (void)state;
    const char *set[] = {"u=table (0, 1 [N]), (0.3 [s], 2 [N]), (0.7 [s], -3 [N]) hold"};
    simulation half = run(MASS, 0.5, 1, set), rest = {.ctx = zw_context_create(NULL)};
    assert_done(&half);
    const zw_table *kept = zw_sim_rows(half.sim);
    assert_int_equal(zw_sim_options_of(&rest.options, kept, NULL), ZW_OK);
    rest.options.until = 1;
    rest.status = zw_sim_resume(&rest.sim, rest.ctx, kept, NULL, &rest.options, &rest.err);
    if (rest.status >= 0)
        rest.status = zw_sim_run(rest.sim, &rest.err);
    assert_done(&rest);
    assert_close(last(&rest, "x'"), (0.3 + 2 * 0.4 - 3 * 0.3) / 2, 1e-11);
    simulation_clear(&half);
    simulation_clear(&rest);
}

/* Another run with other numbers: the pieces of tables from the first on, values by the new
 * parameters. */
static void test_signals__again_with_other_numbers(void **state) {
    (void)state;
    const char *set[] = {"u=table (0, 1 [N]), (0.3 [s], 2 [N]), (0.7 [s], -3 [N]) hold",
                         "w=F/m/10"};
    simulation s = run(MASS, 1, 2, set);
    assert_done(&s);
    double push = (0.3 + 2 * 0.4 - 3 * 0.3) / 2;
    assert_close(last(&s, "x'"), push + 0.15, 1e-11);
    const zw_sim_number F = {.name = "F", .value = 6}, v = {.name = "x'", .value = 1};
    const zw_sim_numbers numbers = {.nparam = 1, .nstart = 1, .param = &F, .start = &v};
    assert_int_equal(zw_sim_restart(s.sim, &numbers, &s.err), ZW_OK);
    assert_int_equal(zw_sim_run(s.sim, &s.err), ZW_OK);
    assert_close(last(&s, "x'"), push + 0.3 + 1, 1e-11);
    simulation_clear(&s);
}

/* the balance of energy takes in the jumps of an input */
static void test_signals__balance_of_energy(void **state) {
    (void)state;
    const char *set[] = {"u=table (0, 1 [N]), (0.3 [s], 20 [N]), (0.31 [s], -3 [N]) hold"};
    simulation s = simulation_make(1);
    s.options.energy = true;
    s.model.set = set;
    s.model.nset = 1;
    simulation_run(&s, MASS);
    assert_done(&s);
    assert_true(fabs(last(&s, "drift")) < 1e-10);
    assert_close(last(&s, "work(push)"), last(&s, "energy"), 1e-10);
    simulation_clear(&s);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_signals__are_zero_or_what_is_set),
        cmocka_unit_test(test_signals__no_pulse_is_stepped_over),
        cmocka_unit_test(test_signals__by_tables),
        cmocka_unit_test(test_signals__from_a_file),
        cmocka_unit_test(test_signals__by_a_function),
        cmocka_unit_test(test_signals__in_states_and_events),
        cmocka_unit_test(test_signals__in_accelerations),
        cmocka_unit_test(test_signals__all_principles_agree),
        cmocka_unit_test(test_signals__restart),
        cmocka_unit_test(test_signals__again_with_other_numbers),
        cmocka_unit_test(test_signals__balance_of_energy),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
