/* SPDX-License-Identifier: MIT */
/* Forces that are choices, and lengths that vanish, with every method and in every derivative. */
#include "support/simulation.h"

static const char hertz[] =
    "model hertz\nunits none\nparam k = 1e4, n = 1.5\ncoord y\nkinetic y'^2/2\n"
    "force weight (y) = -9.81\n"
    "force contact (y) = if(y < 0, k*(-y)^n, 0)\n"
    "observe soft = max(-y, 0)^(3/2)\nevent deep : if(y < 0, (-y)^(1/2), y)\n"
    "start y = 0.1\n";
static const char plate[] =
    "model plate\nunits none\nparam eps = 0.01\ncoord x, y\n"
    "kinetic (x'^2 + y'^2)/2\n"
    "force (x, y) = (1 + 2*t, 3) - 0.5*(x', y')/(norm((x', y', 0)) + eps)\n"
    "observe speed = norm((x', y', 0))\nevent fast : norm((x', y', 0)) - 100\n";

static const char *const adaptive[] = {"auto", "rk54",  "rk87", "radau",
                                       "bdf",  "adams", "erk",  "ida"};
static const char *const fixed[] = {"energy", "rattle"};

static double end_of(const char *text, const char *method, double step, double until,
                     const char *column) {
    simulation s = simulation_make(until);
    s.options.run.method = method;
    s.options.run.rtol = 1e-9;
    s.options.run.atol = 1e-12;
    s.options.run.step = step;
    simulation_run(&s, text);
    if (s.status < 0)
        fail_msg("%s: %s", method, s.err.text);
    double value = at(zw_sim_rows(s.sim), -1, column);
    simulation_clear(&s);
    return value;
}

/* the ball comes back to its height: y' = 0 there, and the energy is that of the start */
static void test_choices__hertz_with_every_method(void **state) {
    (void)state;
    double want = end_of(hertz, "rk87", 0, 0.5, "y");
    for (size_t i = 0; i < sizeof adaptive / sizeof *adaptive; i++)
        assert_close(end_of(hertz, adaptive[i], 0, 0.5, "y"), want, 1e-6);
    for (size_t i = 0; i < sizeof fixed / sizeof *fixed; i++)
        assert_close(end_of(hertz, fixed[i], 1e-4, 0.5, "y"), want, 1e-4);
}

static void test_choices__friction_from_rest_with_every_method(void **state) {
    (void)state;
    double want = end_of(plate, "rk87", 0, 0.5, "x");
    for (size_t i = 0; i < sizeof adaptive / sizeof *adaptive; i++)
        assert_close(end_of(plate, adaptive[i], 0, 0.5, "x"), want, 1e-7);
    for (size_t i = 0; i < sizeof fixed / sizeof *fixed; i++)
        assert_close(end_of(plate, fixed[i], 1e-4, 0.5, "x"), want, 1e-4);
}

typedef struct derivatives {
    double J[64], second[8], third[8], in_p[8], obs[64], obs_p[16], evt[16], evt_p[8];
} derivatives;

/* all derivatives of the flow at a state */
static void all_derivatives(const char *text, const double *x, zw_jit jit, derivatives *out) {
    static const double d[8] = {0.3, -0.8, 0.5, 0.7};
    const int chosen[] = {0};
    zw_context *ctx = zw_context_create(NULL);
    zw_system *sys;
    zw_equations eq;
    zw_kernel *kernel;
    zw_flow *flow;
    zw_error err = {0};
    double p[4], unused[64];
    zw_kernel_options options = zw_kernel_options_default();
    options.jit = jit;
    options.parameter = chosen;
    options.nparameter = 1;
    options.functions |= ZW_SET(JAC) | ZW_SET(JAC_P) | ZW_SET(SECOND) | ZW_SET(THIRD) |
                         ZW_SET(OBS_JAC) | ZW_SET(OBS_P) | ZW_SET(EVT_JAC) | ZW_SET(EVT_P) |
                         ZW_SET(OBS) | ZW_SET(EVT);
    memset(out, 0, sizeof *out);
    if (zw_model_parse(&sys, ctx, text, strlen(text), "test", NULL, &err) < 0 ||
        zw_derive(&eq, sys, NULL, "lagrange", &err) < 0 ||
        zw_kernel_create(&kernel, &eq, &options, &err) < 0 ||
        zw_system_param_values(sys, p, &err) < 0 || zw_flow_create(&flow, kernel, p, &err) < 0 ||
        zw_flow_jacobian(flow, 0, x, out->J, unused, &err) < 0 ||
        zw_flow_second(flow, 0, x, d, d, out->second, NULL, &err) < 0 ||
        zw_flow_third(flow, 0, x, d, d, d, out->third, NULL, &err) < 0 ||
        zw_flow_in_parameters(flow, 0, x, out->in_p, unused, &err) < 0 ||
        zw_flow_observables_jacobian(flow, 0, x, out->obs, &err) < 0 ||
        zw_flow_observables_in_parameters(flow, 0, x, out->obs_p, &err) < 0 ||
        zw_flow_events_jacobian(flow, 0, x, out->evt, &err) < 0 ||
        zw_flow_events_in_parameters(flow, 0, x, out->evt_p, &err) < 0)
        fail_msg("%s", err.text);
    zw_flow_destroy(flow);
    zw_kernel_destroy(kernel);
    zw_context_destroy(ctx);
}

static void assert_all_finite(const derivatives *d) {
    const double *v = (const double *)d;
    for (size_t i = 0; i < sizeof *d / sizeof *v; i++)
        assert_true(isfinite(v[i]));
}

/* off the contact everything is 0, on it what pow says; where the branches meet the slopes are
 * finite */
static void test_choices__every_derivative_is_finite(void **state) {
    (void)state;
    derivatives d[2];
    for (int native = 0; native < 2; native++) {
        zw_jit jit = native ? ZW_JIT_AT_ONCE : ZW_JIT_NEVER;
        derivatives off, on, rest, *last = &d[native];
        all_derivatives(hertz, (double[]){0.3, -1}, jit, &off);
        assert_all_finite(&off);
        assert_close(off.J[2], 0, 0); /* dy''/dy */
        assert_close(off.second[1], 0, 0);
        assert_close(off.obs[0], 0, 0);
        assert_close(off.evt[0], 1, 0);
        all_derivatives(hertz, (double[]){-0.04, -1}, jit, &on);
        assert_all_finite(&on);
        assert_close(on.J[2], -1e4 * 1.5 * 0.2, 1e-9);
        assert_close(on.second[1], 1e4 * 0.75 / 0.2 * 0.09, 1e-9);
        assert_close(on.third[1], 1e4 * 0.375 / 0.008 * 0.027, 1e-8);
        assert_close(on.in_p[1], 0.008, 1e-15); /* dy''/dk */
        assert_close(on.obs[0], -0.3, 1e-15);
        assert_close(on.evt[0], -2.5, 1e-14);
        all_derivatives(plate, (double[]){0.1, 0.2, 0, 0}, jit, &rest);
        assert_all_finite(&rest);
        assert_close(rest.J[4 * 2 + 2], -50, 1e-12); /* dx''/dx' = -0.5/eps */
        assert_close(rest.J[4 * 2 + 3], 0, 0);
        assert_close(rest.obs[2], 0, 0);
        *last = rest;
    }
    assert_memory_equal(&d[0], &d[1], sizeof d[0]); /* interpreted and native */
}

/* a rate of an observable that is a choice */
static void test_choices__rate_of_an_observable(void **state) {
    (void)state;
    simulation s = simulation_make(1);
    simulation_run(&s, "model rate\nunits none\ncoord x\nkinetic x'^2/2\n"
                       "observe q = (if(x > 0, x, sqrt(x - 5)))'\nstart x = 1, x' = 2\n");
    assert_done(&s);
    const zw_table *rows = zw_sim_rows(s.sim);
    for (long i = 0; i < zw_table_rows(rows); i++)
        assert_close(at(rows, i, "q"), 2, 1e-12);
    simulation_clear(&s);
}

/* a potential that is a choice: its gradient comes from the reverse sweep */
static void test_choices__potential(void **state) {
    (void)state;
    const char text[] = "model wall\nunits none\ncoord x, y\nkinetic (x'^2 + y'^2)/2\n"
                        "potential 9.81*y + if(y < 0, 4000*(-y)^(5/2), 0) + x^2/2\n"
                        "start y = 0.1, x = 1\n";
    double want = end_of(text, "rk87", 0, 0.5, "y");
    assert_close(end_of(text, "radau", 0, 0.5, "y"), want, 1e-6);
    assert_close(end_of(text, "ida", 0, 0.5, "y"), want, 1e-6);
    assert_close(end_of(text, "radau", 0, 0.5, "x"), cos(0.5), 1e-7);
    assert_close(end_of(text, "rk87", 0, 0.5, "energy"), 0.981 + 0.5, 1e-7);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_choices__hertz_with_every_method),
        cmocka_unit_test(test_choices__friction_from_rest_with_every_method),
        cmocka_unit_test(test_choices__every_derivative_is_finite),
        cmocka_unit_test(test_choices__rate_of_an_observable),
        cmocka_unit_test(test_choices__potential),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
