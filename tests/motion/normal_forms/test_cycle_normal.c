/* SPDX-License-Identifier: MIT */
/* Normal forms of orbits in closed form. A cycle r = 1 of the plane, about which further states
 * turn: over one round the map of a section is known, whatever the speed of the round is that these
 * states change (gamma), and with a state s that follows them (kappa, beta), so that quadratic
 * terms count.
 *
 * Where w = (u, v) turns by half a round, xi = w e with e = (cos, sin)(theta/2) comes back as -xi:
 *
 *     xi' = (alpha - k xi^2 + beta s) xi,  s' = -s + kappa xi^2,  theta' = 1 + gamma xi^2     =>     xi -> -xi + 2 pi (k - beta kappa) xi^3 + ...
 *
 * and xi e, xi^2 are smooth functions of cos theta, sin theta. With z = u + i v
 *
 *     z' = (i omega + (d_1 + i d_2) |z|^2 + beta s) z, s' = -s + kappa |z|^2, theta' = 1 + gamma
 *     |z|^2
 *     =>     z -> e^(2 pi i omega) z (1 + 2 pi (d_1 + beta kappa + i (d_2 - omega gamma))
 *            |z|^2). */
#include <math.h>
#include <stdlib.h>

#include "motion/segments/periodic.h"
#include "support/test.h"
#include "zwang/zwang.h"

enum { MANY = 32, ROOM = 20000 };

static zw_context *ctx;
static zw_system *sys;
static zw_equations eq;
static zw_kernel *kernel;
static zw_flow *flow;
static zw_colloc *c;
static double parameters[MANY], *x;
static bool driven;
static zw_error err;

static zw_status set(void *user, double a, double *p, double *period, double *slope, zw_error *e) {
    (void)user;
    (void)a;
    (void)slope;
    (void)e;
    memcpy(p, parameters, sizeof(double) * (size_t)sys->np);
    if (driven)
        *period = 2 * M_PI;
    return ZW_OK;
}

/* a circle of radius 1 in the first two entries of the state, all others zero; of a driven one all
 * are */
static zw_status circle(void *user, double t, double *at, zw_error *e) {
    (void)user;
    (void)e;
    memset(at, 0, sizeof(double) * (size_t)kernel->nx);
    if (driven)
        return ZW_OK;
    at[0] = cos(t);
    at[1] = sin(t);
    return ZW_OK;
}

static void open_model(const char *text) {
    zw_kernel_options k = zw_kernel_options_default();
    zw_colloc_options o = zw_colloc_options_default();
    zw_orbit orbit = {.period = 2 * M_PI, .at = circle};
    ctx = zw_context_create(NULL);
    err = (zw_error){0};
    k.jit = ZW_JIT_NEVER;
    k.functions = ZW_FUNCTIONS_ALL_METHODS | ZW_SET(JAC_P) | ZW_SET(SECOND) | ZW_SET(THIRD);
    o.intervals = 30;
    o.is_period_free = !driven;
    if (zw_model_parse(&sys, ctx, text, strlen(text), "test", NULL, &err) < 0 ||
        zw_derive(&eq, sys, NULL, "lagrange", &err) < 0 ||
        zw_kernel_create(&kernel, &eq, &k, &err) < 0 ||
        zw_system_param_values(sys, parameters, &err) < 0 ||
        zw_flow_create(&flow, kernel, parameters, &err) < 0 ||
        zw_colloc_create(&c, flow, &o, set, NULL, &err) < 0)
        fail_msg("%s", err.text);
    x = calloc(ROOM, sizeof *x);
    if (zw_colloc_take(c, &orbit, x, &err) < 0 || zw_colloc_refer(c, x, 0, &err) < 0)
        fail_msg("%s", err.text);
}

static void close_model(void) {
    free(x);
    zw_colloc_destroy(c);
    zw_flow_destroy(flow);
    zw_kernel_destroy(kernel);
    zw_context_destroy(ctx);
}

static zw_cycle_normal find(zw_cycle_kind kind) {
    zw_cycle_normal n;
    if (zw_cycle_normal_find(&n, c, x, 0, kind, true, NULL, NULL, &err) < 0)
        fail_msg("%s", err.text);
    assert_true(n.error < 1e-6 * n.size);
    return n;
}

#define HALF_TURNS                                                                                 \
    "param k = 0.7, beta = 0.3, kappa = 0.9, gamma = 0.4\n"                                        \
    "let r = sqrt(x^2 + y^2)\nlet X = x/r\nlet Y = y/r\n"                                          \
    "let p = ((1 + X)*u + Y*v)/2\nlet n = (Y*u + (1 - X)*v)/2\nlet w = u*p + v*n\n"                \
    "let fast = 1 + gamma*w\n"                                                                     \
    "let by = beta*s - k*w\n"

/* c = 2 pi (k - beta kappa); the sizes of the state are 1 */
static void test_normal__of_a_period_doubling(void **state) {
    (void)state;
    driven = false;
    open_model("model flip\nunits none\nstate x, y, u, v, s : "
               "x' = x*(1 - r^2) - y*fast, y' = y*(1 - r^2) + x*fast, "
               "u' = -v/2*fast - (u - p) + by*p, v' = u/2*fast - (v - n) + by*n, s' = kappa*w - "
               "s\n" HALF_TURNS "start x = 1\n");
    zw_cycle_normal n = find(ZW_CYCLE_FLIP);
    assert_close(n.re, -1, 1e-8);
    assert_close(n.coefficient, 2 * M_PI * (0.7 - 0.3 * 0.9), 1e-6);
    close_model();
}

/* the same over time: cos and sin of t in place of x and y */
static void test_normal__of_a_driven_period_doubling(void **state) {
    (void)state;
    driven = true;
    open_model("model flip\nunits none\nstate u, v, s : "
               "u' = -v/2 - (u - p) + by*p, v' = u/2 - (v - n) + by*n, s' = kappa*w - s\n"
               "param k = -0.5, beta = 0.3, kappa = 0.9\nlet X = cos(t)\nlet Y = sin(t)\n"
               "let p = ((1 + X)*u + Y*v)/2\nlet n = (Y*u + (1 - X)*v)/2\nlet w = u*p + v*n\n"
               "let by = beta*s - k*w\nstart u = 0\n");
    zw_cycle_normal n = find(ZW_CYCLE_FLIP);
    assert_close(n.coefficient, 2 * M_PI * (-0.5 - 0.3 * 0.9), 1e-6);
    close_model();
}

/* |z|^2 = 2 |zeta|^2 for the disturbance zeta q + its conjugate with |q| = 1 */
static void test_normal__of_a_torus(void **state) {
    (void)state;
    driven = false;
    open_model("model torus\nunits none\n"
               "param d1 = -0.3, d2 = 0.5, omega = 0.28, beta = 0.2, kappa = 0.8, gamma = 0.6\n"
               "state x, y, u, v, s : x' = x*(1 - r^2) - y*fast, y' = y*(1 - r^2) + x*fast, "
               "u' = by*u - turn*v, v' = by*v + turn*u, s' = kappa*w - s\n"
               "let r = sqrt(x^2 + y^2)\nlet w = u^2 + v^2\nlet fast = 1 + gamma*w\n"
               "let by = d1*w + beta*s\nlet turn = omega + d2*w\nstart x = 1\n");
    zw_cycle_normal n = find(ZW_CYCLE_TORUS);
    assert_close(n.re, cos(2 * M_PI * 0.28), 1e-8);
    assert_close(n.im, fabs(sin(2 * M_PI * 0.28)), 1e-8);
    assert_close(n.coefficient, 4 * M_PI * (-0.3 + 0.2 * 0.8), 1e-6);
    assert_close(n.imaginary, 4 * M_PI * (0.5 - 0.28 * 0.6), 1e-6);
    assert_int_equal(n.resonance, 0);
    close_model();
}

/* r' = (r - 1)^2, theta' = 1 + gamma (r - 1): the multiplier 1 is a double one, of one direction;
 * rho -> rho + 2 pi rho^2 */
static void test_normal__of_a_fold(void **state) {
    (void)state;
    driven = false;
    open_model("model fold\nunits none\nparam gamma = 0.7\n"
               "state x, y : x' = x*grow - y*fast, y' = y*grow + x*fast\n"
               "let r = sqrt(x^2 + y^2)\nlet grow = (r - 1)^2/r\nlet fast = 1 + gamma*(r - 1)\n"
               "start x = 1\n");
    zw_cycle_normal n = find(ZW_CYCLE_FOLD);
    assert_close(n.re, 1, 1e-8);
    assert_close(fabs(n.coefficient), 2 * M_PI, 1e-6);
    close_model();
}

static void test_normal__says_what_there_is_none_of(void **state) {
    (void)state;
    zw_cycle_normal n;
    driven = false;
    open_model("model stable\nunits none\nstate x, y : x' = x*(1 - r^2) - y, y' = y*(1 - r^2) + x\n"
               "let r = sqrt(x^2 + y^2)\nstart x = 1\n");
    for (int kind = 0; kind < 3; kind++) {
        err = (zw_error){0};
        assert_int_equal(
            zw_cycle_normal_find(&n, c, x, 0, (zw_cycle_kind)kind, true, NULL, NULL, &err),
            ZW_E_DOMAIN);
    }
    close_model();
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_normal__of_a_period_doubling),
        cmocka_unit_test(test_normal__of_a_driven_period_doubling),
        cmocka_unit_test(test_normal__of_a_torus),
        cmocka_unit_test(test_normal__of_a_fold),
        cmocka_unit_test(test_normal__says_what_there_is_none_of),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
