/* SPDX-License-Identifier: MIT */
/* Mean drift of one and of two quantities against closed forms, against the whole motion, and what
 * is refused. */
#include "support/test.h"
#include "zwang/zwang.h"

static zw_context *ctx;
static zw_table *t;
static zw_average_info info;
static zw_error err;

static zw_status average(const char *text, const char *small, int n, const char *const *name,
                         double until) {
    zw_system *sys;
    zw_average_options o = zw_average_options_default();
    ctx = zw_context_create(NULL);
    err = (zw_error){0};
    t = NULL;
    if (zw_model_parse(&sys, ctx, text, strlen(text), "test", NULL, &err) < 0)
        fail_msg("%s", err.text);
    o.small = small;
    o.n = n;
    o.name = name;
    o.until = until;
    o.steps = 40;
    return zw_average(sys, &o, NULL, &t, &info, &err);
}

static void close_all(void) {
    zw_table_destroy(t);
    zw_context_destroy(ctx);
}

static const char *const H[] = {"H"}, *const both[] = {"E", "L"};

/* van der Pol's: dH/dtau = H (1 - H/2), the amplitude goes to 2 */
static void test_average__one(void **state) {
    (void)state;
    assert_int_equal(average("model pump\nunits none\nparam mu = 0.05\ncoord x\nkinetic 1/2*x'^2\n"
                             "potential 1/2*x^2\nforce (x) = mu*(1 - x^2)*x'\n"
                             "observe H = 1/2*x'^2 + 1/2*x^2\nstart x = 0.5\n",
                             "mu", 1, H, 3),
                     ZW_OK);
    for (long i = 0; i < zw_table_rows(t); i++) {
        double tau = zw_table_at(t, i, 0), exact = 2 / (1 + (2 / 0.125 - 1) * exp(-tau));
        assert_close(zw_table_at(t, i, 1), exact, 1e-6);
        assert_close(zw_table_at(t, i, 2), exact * (1 - exact / 2), 1e-6);
        assert_close(zw_table_at(t, i, 3), 2 * M_PI, 1e-8);
    }
    assert_false(info.ended);
    assert_true(info.error < 1e-6);
    close_all();
}

/* A double well that loses energy: the outer motion ends on the separatrix H = 0. */
static void test_average__separatrix(void **state) {
    (void)state;
    assert_int_equal(average("model well\nunits none\nparam eps = 0.01\n"
                             "state x, v : x' = v, v' = x - x^3 - eps*v\n"
                             "observe H = v^2/2 - x^2/2 + x^4/4\nstart x = 2, v = 0\n",
                             "eps", 1, H, 3),
                     ZW_OK);
    assert_true(info.ended);
    assert_non_null(strstr(info.why, "separatrix"));
    assert_true(fabs(info.to[0]) < 1e-3);
    assert_string_equal(info.doubt, "");
    close_all();
}

/* The time to the separatrix is that of the integral of T(H)/A(H) from 0 to 2, T the period and
 * A the area (own quadrature), however long the steps are that the drift begins with. */
static void test_average__long_steps_come_as_far(void **state) {
    (void)state;
    static const double until[] = {3, 40, 3e4};
    for (int i = 0; i < 3; i++) {
        assert_int_equal(average("model well\nunits none\nparam eps = 0.01\n"
                                 "state x, v : x' = v, v' = x - x^3 - eps*v\n"
                                 "observe H = v^2/2 - x^2/2 + x^4/4\nstart x = 2, v = 0\n",
                                 "eps", 1, H, until[i]),
                         ZW_OK);
        assert_true(info.ended);
        assert_true(fabs(info.tau - 1.740238) < 6e-3);
        close_all();
    }
}

/* One of two oscillators: its rate depends on where the other one is, which its energy does not
 * say. */
static void test_average__what_does_not_fix_the_orbit(void **state) {
    static const char text[] =
        "model two\nunits none\nparam eps = 0.01\n"
        "state x, v, y, w : x' = v, v' = -x - eps*v*y^2, y' = w, w' = -y - eps*w\n"
        "observe H = (x^2 + v^2)/2\nobserve B = (y^2 + w^2)/2\nobserve L = x*w - y*v\n"
        "start x = 1, v = 0, y = 1, w = 0\n";
    static const char *const all[] = {"H", "B", "L"};
    (void)state;
    assert_int_equal(average(text, "eps", 1, H, 1), ZW_OK);
    assert_non_null(strstr(info.doubt, "do not determine the mean rate of H"));
    close_all();
    assert_int_equal(average(text, "eps", 3, all, 1), ZW_OK);
    assert_string_equal(info.doubt, "");
    close_all();
}

/* an oscillator in a plane: energy and moment of momentum die out alike; the period of a pendulum
 * changes with its energy */
static void test_average__two(void **state) {
    (void)state;
    assert_int_equal(average("model plane\nunits none\nparam eps = 0.1, c = 0.7\ncoord x, y\n"
                             "kinetic 1/2*(x'^2 + y'^2)\npotential 1/2*(x^2 + y^2)\n"
                             "force (x, y) = -eps*c*(x', y')\n"
                             "observe E = 1/2*(x'^2 + y'^2) + 1/2*(x^2 + y^2)\n"
                             "observe L = x*y' - y*x'\nstart x = 1, y' = 0.4\n",
                             "eps", 2, both, 2),
                     ZW_OK);
    assert_close(info.to[0], 0.58 * exp(-0.7 * 2), 1e-7);
    assert_close(info.to[1], 0.4 * exp(-0.7 * 2), 1e-7);
    close_all();
}

/* states of first order, and a rate by the slope in eps where that is no straight line */
static void test_average__of_states(void **state) {
    (void)state;
    assert_int_equal(average("model s\nunits none\nparam eps = 0.2\n"
                             "state x, y : x' = y, y' = -x - sin(eps)*y\n"
                             "observe H = 1/2*(x^2 + y^2)\nstart x = 1, y = 0\n",
                             "eps", 1, H, 1),
                     ZW_OK);
    assert_close(info.to[0], 0.5 * exp(-1), 1e-7);
    close_all();
}

static void refused(const char *text, const char *small, zw_status status, const char *words) {
    assert_int_equal(average(text, small, 1, H, 1), status);
    if (!strstr(err.text, words))
        fail_msg("'%s' is not in '%s'", words, err.text);
    close_all();
}

static void test_average__refused(void **state) {
    (void)state;
    refused("model s\nunits none\nparam eps = 0.2\nstate x, y : x' = y, y' = -x - eps*y\n"
            "observe H = x^2 + 2*y^2\nstart x = 1, y = 0.3\n",
            "eps", ZW_E_DOMAIN, "H is not conserved for eps = 0");
    refused("model s\nunits none\nparam eps = 0.2\nstate x, y : x' = y, y' = -eps*y\n"
            "observe H = y\nstart x = 1, y = 0.3\n",
            "eps", ZW_E_NUMERIC, "does not come back");
    refused("model s\nunits none\nparam eps = 0.2\nstate x, y : x' = y, y' = -x - eps*y\n"
            "observe H = x^2 + y^2\nstart x = 1, y = 0.3\n",
            "mu", ZW_E_NAME, "no parameter 'mu'");
    refused("model s\nunits none\nparam eps = 0.2\nstate x, y : x' = y, y' = -x - eps*y\n"
            "observe G = x^2 + y^2\nstart x = 1, y = 0.3\n",
            "eps", ZW_E_NAME, "no observable 'H'");
    refused("model s\nunits none\nparam eps = 0.2\n"
            "state x, y : x' = y, y' = -x - eps*y + eps*cos(t)\n"
            "observe H = x^2 + y^2\nstart x = 1, y = 0.3\n",
            "eps", ZW_E_MODEL, "the equations depend on time");
    refused("model s\nunits none\nparam eps = 0.2\nstate x, y : x' = y, y' = -x - eps*y\n"
            "event kick : x rising, set y = 2*y\nobserve H = x^2 + y^2\nstart x = 1, y = 0.3\n",
            "eps", ZW_E_MODEL, "the event kick acts on the motion");
    refused("model s\nunits none\nparam eps = 0.2, c = 1\nstate x, y : x' = y, y' = -x - eps*c*y\n"
            "event switch : every 0.5, set c = 2*c\nobserve H = x^2 + y^2\nstart x = 1, y = 0.3\n",
            "eps", ZW_E_MODEL, "the event switch acts on the motion");
    refused("model s\nunits none\nparam eps = 0.2\ncoord x\nkinetic 1/2*x'^2\n"
            "potential 1/2*x^2\nforce (x) = -eps*x'\ncontact wall : gap 0.8 - x, law newton(0.7)\n"
            "observe H = x^2 + x'^2\nstart x = 0.5, x' = 1\n",
            "eps", ZW_E_MODEL, "the contact wall may open, stick and slip");
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_average__one),
        cmocka_unit_test(test_average__separatrix),
        cmocka_unit_test(test_average__long_steps_come_as_far),
        cmocka_unit_test(test_average__what_does_not_fix_the_orbit),
        cmocka_unit_test(test_average__two),
        cmocka_unit_test(test_average__of_states),
        cmocka_unit_test(test_average__refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
