/* SPDX-License-Identifier: MIT */
/* Connecting orbits by numbers: what their linear equations solve, how errors fall with the
 * distance of the ends, sides beside a connection. */
#include <math.h>
#include <stdlib.h>

#include "branch/curve.h"
#include "motion/segments/periodic.h"
#include "support/test.h"
#include "zwang/zwang.h"

static const char nagumo[] =
    "model nagumo\nunits none\nparam a = 0.2, c = 0.3\nstate u, v : u' = v, "
    "v' = -c*v - u*(1 - u)*(u - a)\nstart u = 1\n";
static const char pendulum[] = "model plane\nunits none\nparam zeta = 0.1, tau = 0.12\ncoord x, y\n"
                               "kinetic (x'^2 + y'^2)/2\npotential y\nconstraint rod : x^2 + y^2 = "
                               "1\nforce (x) = -tau*y - zeta*x'\nforce (y) = tau*x - zeta*y'\n"
                               "start x = tau, y = sqrt(1 - tau^2)\n";

typedef struct fixture {
    zw_context *ctx;
    zw_system *sys;
    zw_equilibria *e;
    zw_connection *c;
    int first, second; /* parameters */
} fixture;

static zw_error err;

static zw_status set(void *user, const double value[2], double *p, zw_error *e) {
    fixture *f = user;
    (void)e;
    zw_system_param_values(f->sys, p, NULL);
    p[f->first] = value[0];
    p[f->second] = value[1];
    return ZW_OK;
}

static void open_connection(fixture *f, const char *text, int first, int second,
                            const double value[2], const zw_connection_options *o) {
    err = (zw_error){0};
    *f = (fixture){.first = first, .second = second};
    f->ctx = zw_context_create(NULL);
    if (zw_model_parse(&f->sys, f->ctx, text, strlen(text), "test", NULL, &err) < 0 ||
        zw_equilibria_create(&f->e, f->sys, NULL, &err) < 0 || zw_equilibria_find(f->e, &err) < 0 ||
        zw_connection_create(&f->c, zw_equilibria_flow(f->e), zw_equilibria_symmetries(f->e),
                             zw_equilibria_scale(f->e), zw_equilibria_motion(f->e)->x, value, o,
                             set, f, &err) < 0)
        fail_msg("%s", err.text);
}

static void close_connection(fixture *f) {
    zw_connection_destroy(f->c);
    zw_equilibria_destroy(f->e);
    zw_context_destroy(f->ctx);
}

static double speed(double distance, double *uncertain) {
    fixture f;
    zw_connection_options o = zw_connection_options_default();
    zw_connection_info info;
    static const double rest[] = {0, 0};
    double value[2] = {0.6 / sqrt(2), 0.2};
    o.other = rest;
    o.distance = distance;
    o.tolerance = 1e-11;
    open_connection(&f, nagumo, 1, 0, value, &o);
    if (zw_connection_solve(f.c, value, -1, &info, &err) < 0)
        fail_msg("%s", err.text);
    *uncertain = info.by_ends;
    close_connection(&f);
    return value[0];
}

/* At the right end the eigenvalues are 0.283 and -0.707: d^2 for the curved manifold, and as much
 * as grows up to there, d^(0.283/0.707) */
static void test_connection__error_falls_with_the_distance(void **state) {
    double error[3], told, exact = 0.6 / sqrt(2);
    (void)state;
    for (int k = 0; k < 3; k++) {
        error[k] = fabs(speed(0.04 / (1 << (2 * k)), &told) - exact);
        assert_true(told > 0.5 * error[k]); /* what is told of the error is no less */
    }
    for (int k = 0; k < 2; k++) {
        double order = log(error[k] / error[k + 1]) / log(4);
        assert_true(order > 2.2 && order < 3.2);
    }
}

/* J y by differences of the residual, solved with the factors, is y: stages, nodes, constraints,
 * conditions at the ends, T, both parameters */
static void linear_equations(const char *text, int first, int second, double a, double b,
                             int side) {
    fixture f;
    zw_connection_options o = zw_connection_options_default();
    zw_connection_info info;
    double value[2] = {a, b};
    static const double rest[] = {0, 0};
    test_random random = {7};
    o.other = text == nagumo ? rest : NULL;
    o.tolerance = 1e-4;
    o.distance =
        0.02; /* errors of differences are moved along the orbit, which is slow at its ends */
    o.unit[0] = o.unit[1] = 0.1;
    open_connection(&f, text, first, second, value, &o);
    if (zw_connection_solve(f.c, value, side, &info, &err) < 0)
        fail_msg("%s", err.text);
    zw_cont_problem p = zw_connection_problem(f.c);
    size_t n = (size_t)p.n;
    double *x = calloc(6 * (n + 1), sizeof *x), *y = x + n + 1, *plus = y + n + 1,
           *minus = plus + n + 1, *row = minus + n + 1, *at = row + n + 1, h = 1e-6, most = 0,
           off = 0;
    memcpy(x, zw_connection_solution(f.c), n * sizeof *x);
    for (size_t i = 0; i <= n; i++)
        y[i] = test_random_real(&random, -1, 1);
    y[n - 2] *= 0.1; /* a slow change of T */
    y[n - 1] *= 1e-2;
    y[n] *= 1e-2;
    for (int s = -1; s <= 1; s += 2) {
        for (size_t i = 0; i < n; i++)
            at[i] = x[i] + s * h * y[i];
        assert_int_equal(p.residual(p.self, at, b + s * h * y[n], s > 0 ? plus : minus, &err), 0);
    }
    for (size_t i = 0; i < n; i++)
        plus[i] = (plus[i] - minus[i]) / (2 * h);
    row[n] = 1; /* the last equation: b */
    plus[n] = y[n];
    assert_int_equal(p.residual(p.self, x, b, minus, &err), 0);
    assert_int_equal(p.factor(p.self, x, b, row, &err), 0);
    p.solve(p.self, plus);
    for (size_t i = 0; i <= n; i++) {
        most = fmax(most, fabs(y[i]));
        off = fmax(off, fabs(plus[i] - y[i]));
    }
    if (!(off < 1e-5 * most))
        fail_msg("off by %g", off);
    free(x);
    close_connection(&f);
}

static void test_connection__linear_equations(void **state) {
    (void)state;
    linear_equations(nagumo, 1, 0, 0.6 / sqrt(2), 0.2, -1);
    linear_equations(pendulum, 1, 0, 0.12700885980539, 0.1, -1);
}

/* the side changes where the connection is, and the nearer the value the nearer the passage, by the
 * power m/(l + m) */
static void test_connection__passes_to_both_sides(void **state) {
    fixture f;
    zw_splitting p[4];
    double exact = 0.12700885980539, value[2] = {exact, 0.1}, rate[2];
    (void)state;
    open_connection(&f, pendulum, 1, 0, value, NULL);
    assert_int_equal(zw_connection_way(f.c), 1);
    zw_saddle s = zw_connection_saddle(f.c, 0);
    assert_int_equal(s.n, 2);
    rate[0] = s.re[s.slow_unstable];
    rate[1] = -s.re[s.slow_stable];
    assert_close(s.quantity, -0.1, 1e-12);
    for (int k = 0; k < 4; k++) {
        value[0] = exact + (k % 2 ? 1 : -1) * (k < 2 ? 1e-4 : 1e-8);
        assert_true(zw_connection_shoot(f.c, value, -1, &p[k], &err) >= 0);
        assert_int_equal(p[k].fate, ZW_CONNECTION_PASSES);
        assert_int_equal(p[k].side, k % 2 ? 1 : -1);
    }
    for (int k = 0; k < 2; k++)
        assert_close(log(p[k].nearest / p[k + 2].nearest) / log(1e4), rate[1] / (rate[0] + rate[1]),
                     0.05);
    assert_close(zw_connection_at(f.c)[0], value[0], 1e-15);
    close_connection(&f);
}

static void test_connection__refuses(void **state) {
    fixture f;
    zw_connection_options o = zw_connection_options_default();
    zw_connection *c;
    double value[2] = {0.12, 0.1};
    (void)state;
    open_connection(&f, pendulum, 1, 0, value, NULL);
    o.stages = 1;
    assert_int_equal(zw_connection_create(&c, zw_equilibria_flow(f.e),
                                          zw_equilibria_symmetries(f.e), zw_equilibria_scale(f.e),
                                          zw_equilibria_motion(f.e)->x, value, &o, set, &f, &err),
                     ZW_E_OPTION);
    assert_null(c);
    err = (zw_error){0};
    value[0] = 1; /* both equilibria meet */
    assert_true(zw_connection_move(f.c, value, &err) < 0);
    close_connection(&f);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_connection__error_falls_with_the_distance),
        cmocka_unit_test(test_connection__linear_equations),
        cmocka_unit_test(test_connection__passes_to_both_sides),
        cmocka_unit_test(test_connection__refuses),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
