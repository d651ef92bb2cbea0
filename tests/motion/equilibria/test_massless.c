/* SPDX-License-Identifier: MIT */
/* Velocities without inertia in steady motions: a damper gives them a rate (index 1), springs alone
 * a place (index 2), and multipliers may have to be eliminated first. Expected are characteristic
 * polynomials by hand, and the same systems in other coordinates. */
#include <complex.h>
#include <math.h>
#include <string.h>

#include "support/test.h"
#include "zwang/equilibria.h"
#include "zwang/model.h"

static zw_context *ctx;
static zw_error err;
static zw_system *sys;
static zw_equilibria *e;

static int setup(void **state) {
    (void)state;
    ctx = zw_context_create(NULL);
    sys = NULL;
    e = NULL;
    return 0;
}

static int teardown(void **state) {
    (void)state;
    zw_equilibria_destroy(e);
    zw_context_destroy(ctx);
    return 0;
}

static zw_status find_by(const char *text, const char *by) {
    zw_equilibria_options options = zw_equilibria_options_default();
    options.by = by;
    zw_equilibria_destroy(e);
    e = NULL;
    zw_status status = zw_model_parse(&sys, ctx, text, strlen(text), "test.zw", NULL, &err);
    if (status >= 0)
        status = zw_equilibria_create(&e, sys, &options, &err);
    if (status >= 0)
        status = zw_equilibria_find(e, &err);
    return status;
}

static const zw_linearisation *linear_of(const char *text) {
    if (find_by(text, "lagrange") < 0)
        fail_msg("%s", err.text);
    return zw_equilibria_linear(e);
}

/* every eigenvalue is a root of c[0] + c[1] s + ... + c[n] s^n, and there are n of them with the
 * right sum */
static void expect_roots(const zw_linearisation *a, int n, const double *c) {
    double sum = 0;
    assert_int_equal(a->n, n);
    for (int i = 0; i < n; i++) {
        double complex s = a->re[i] + I * a->im[i], value = 0;
        double size = 0;
        for (int k = n; k >= 0; k--) {
            value = value * s + c[k];
            size = size * cabs(s) + fabs(c[k]);
        }
        assert_true(cabs(value) < 1e-12 * size);
        sum += a->re[i];
    }
    assert_close(sum, -c[n - 1] / c[n], 1e-11);
}

#define SERIES                                                                                     \
    "model m\nunits none\ncoord x, y\nkinetic 3*x'^2/2\npotential 2*(x - y)^2/2 + 5*y^2/2\n"

static void test_massless__damper_in_series(void **state) {
    (void)state;
    const double c[] = {2 * 5, 0.7 * 2, 3 * (2 + 5), 3 * 0.7};
    expect_roots(linear_of(SERIES "force (y) = -0.7*y'\nstart x = 0.4\n"), 3, c);
    assert_int_equal(zw_equilibria_stability(e), ZW_STABLE);
}

static void test_massless__every_principle(void **state) {
    (void)state;
    const char *by[] = {"kane", "gibbs-appell", "maggi"};
    const double c[] = {2 * 5, 0.7 * 2, 3 * (2 + 5), 3 * 0.7};
    for (int i = 0; i < 3; i++) {
        if (find_by(SERIES "force (y) = -0.7*y'\nstart x = 0.4\n", by[i]) < 0)
            fail_msg("%s: %s", by[i], err.text);
        expect_roots(zw_equilibria_linear(e), 3, c);
    }
}

static void test_massless__springs_in_series(void **state) {
    (void)state;
    const double c[] = {2 * 5 / (2. + 5.), 0, 3};
    expect_roots(linear_of(SERIES "start x = 0.4\n"), 2, c);
}

/* The end of a massless bar of length 1 on its circle, as an angle and as two coordinates with a
 * constraint. */
#define BAR "kinetic 3*x'^2/2\npotential 2*(x - u)^2/2 + 0.8*w + 5*x^2/2\n"

static void test_massless__multipliers_are_eliminated(void **state) {
    (void)state;
    double re[8], im[8];
    const zw_linearisation *a =
        linear_of("model m\nunits none\ncoord x, th\nlet u = sin(th), w = -cos(th)\n" BAR
                  "force (th) = -0.7*th'\nstart x = 0.3, th = 0.5\n");
    int n = a->n;
    assert_int_equal(n, 3);
    memcpy(re, a->re, sizeof *re * (size_t)n);
    memcpy(im, a->im, sizeof *im * (size_t)n);
    a = linear_of(
        "model m\nunits none\ncoord x, u, w\nconstraint bar : u^2 + w^2 = 1\n" BAR
        "force (u) = -0.7*u'\nforce (w) = -0.7*w'\nstart x = 0.3, u = 0.5, w = -sqrt(0.75)\n");
    assert_int_equal(a->n, n);
    for (int i = 0; i < n; i++) {
        double nearest = HUGE_VAL;
        for (int j = 0; j < n; j++)
            nearest = fmin(nearest, hypot(a->re[i] - re[j], a->im[i] - im[j]));
        assert_true(nearest < 1e-11);
    }
    a = linear_of("model m\nunits none\ncoord x, u, w\nconstraint bar : u^2 + w^2 = 1\n" BAR
                  "start u = 0, w = -1\n");
    assert_int_equal(a->n, 2); /* no damper: x alone moves, the bar follows */
}

/* A wheel without mass that is driven along: its speed is a steady motion. */
static void test_massless__steady_speed(void **state) {
    (void)state;
    const zw_linearisation *a =
        linear_of("model m\nunits none\ncoord x, y\nkinetic 3*x'^2/2\npotential 2*(x - y)^2/2\n"
                  "force (x) = 1\nforce (y) = -0.5*y'\nstart x' = 1\n");
    assert_close(zw_equilibria_motion(e)->x[2], 2, 1e-10);
    assert_close(zw_equilibria_motion(e)->x[3], 2, 1e-10);
    assert_int_equal(a->norbit, 1);
    /* m c s^2 + m k s + k c with the shift divided out */
    const double c[] = {2 * 0.5, 3 * 2, 3 * 0.5};
    expect_roots(a, 2, c);
}

static void test_massless__refuses_what_has_no_rate(void **state) {
    (void)state;
    assert_true(find_by("model m\nunits none\ncoord x, y\nkinetic x'^2/2\npotential x^2\n"
                        "force (y) = 0.3*x\nstart x = 0.2\n",
                        "lagrange") < 0);
    assert_non_null(strstr(err.text, "y"));
}

#define TEST(name) cmocka_unit_test_setup_teardown(test_massless__##name, setup, teardown)

int main(void) {
    const struct CMUnitTest tests[] = {
        TEST(damper_in_series),           TEST(every_principle), TEST(springs_in_series),
        TEST(multipliers_are_eliminated), TEST(steady_speed),    TEST(refuses_what_has_no_rate),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
