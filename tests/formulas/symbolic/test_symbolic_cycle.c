/* SPDX-License-Identifier: MIT */
/* Cycles near a Hopf point as formulas, against closed forms from elsewhere and against the normal
 * form in numbers (zwang/equilibria.h). What is refused. */
#include "expr/calculus/ratio.h"
#include "formulas/symbolic/symbolic.h"
#include "support/test.h"
#include "zwang/equilibria.h"
#include "zwang/zwang.h"

static zw_context *ctx;
static zw_system *sys;
static zw_symbolic *s;
static const zw_symbolic_cycle *c;
static zw_error err;
static zw_symbolic_options options;

static int setup(void **state) {
    (void)state;
    ctx = zw_context_create(NULL);
    err = (zw_error){0};
    s = NULL;
    options = zw_symbolic_options_default();
    options.cycles = true;
    return 0;
}

static int teardown(void **state) {
    (void)state;
    zw_symbolic_destroy(s);
    zw_context_destroy(ctx);
    return 0;
}

static zw_status make(const char *text) {
    zw_model_options reading = {.size = sizeof reading, .constants = true};
    if (zw_model_parse(&sys, ctx, text, strlen(text), "test.zw", &reading, &err) < 0)
        fail_msg("%s", err.text);
    zw_status status = zw_symbolic_create(&s, sys, &options, &err);
    c = status < 0 ? NULL : zw_symbolic_get(s)->cycle;
    return status;
}

static void make_model(const char *name, const char *variant) {
    char path[500];
    zw_model_options reading = {.size = sizeof reading, .constants = true, .variant = variant};
    snprintf(path, sizeof path, "%s/models/%s.zw", ZW_SOURCE_DIR, name);
    if (zw_model_read(&sys, ctx, path, &reading, &err) < 0 ||
        zw_symbolic_create(&s, sys, &options, &err) < 0)
        fail_msg("%s", err.text);
    c = zw_symbolic_get(s)->cycle;
}

static void assert_same_(zw_expr got, const char *text, int line) {
    zw_expr e;
    if (zw_model_expression(&e, sys, text, &err) < 0)
        fail_msg("%s: %s", text, err.text);
    if (got && zw_ratio_is_zero(ctx, zw_sub(ctx, got, e)))
        return;
    char *shown = got ? zw_print(ctx, got, ZW_TEXT) : NULL;
    print_error("line %d: %s is not %s\n", line, shown ? shown : "nothing", text);
    zw_string_free(ctx, shown);
    fail();
}
#define assert_same(got, text) assert_same_((got), (text), __LINE__)

/* at the values of the model */
static double value(zw_expr e) {
    return zw_symbolic_value(s, 0, e);
}

static void expect_text(const char *part) {
    char *text = zw_symbolic_write(s, ZW_SYMBOLIC_TEXT);
    assert_non_null(text);
    if (!strstr(text, part))
        fail_msg("not in the text: %s\n%s", part, text);
    zw_string_free(ctx, text);
}

/* a and b of the motion near the start, by numbers; the model has its parameter at the Hopf
 * point */
static void expect_numbers(const char *text, const char *amplitude) {
    zw_context *own = zw_context_create(NULL);
    zw_system *other;
    zw_equilibria *e;
    zw_criticality found = {0};
    zw_criticality_options o = zw_criticality_options_default();
    o.amplitude = amplitude;
    if (zw_model_parse(&other, own, text, strlen(text), "test.zw", NULL, &err) < 0 ||
        zw_equilibria_create(&e, other, NULL, &err) < 0 || zw_equilibria_find(e, &err) < 0 ||
        zw_criticality_find(&found, e, NULL, NULL, &o, &err) < 0)
        fail_msg("%s", err.text);
    if (found.refused)
        fail_msg("%s", found.reason);
    assert_close(value(c->growth), found.hopf.a, 1e-8 * fabs(found.hopf.a));
    assert_close(value(c->bend) * sqrt(value(c->frequency)), found.hopf.b,
                 1e-8 * fabs(found.hopf.b));
    assert_int_equal(value(c->type.value) > 0, found.hopf.a < 0);
    zw_criticality_clear(&found);
    zw_equilibria_destroy(e);
    zw_context_destroy(own);
}

/* --------------------------------------------------------------------------------- closed forms */

/* amplitude 2 a, whatever mu is; the frequency is changed by the third harmonic alone, that is with
 * mu^2 */
static void test_cycles__van_der_pol(void **state) {
    (void)state;
    assert_int_equal(make("model vdp\nparam m = 2 [kg], k = 3 [N/m], mu = 0.2 [kg/s], a = 0.5 [m]\n"
                          "coord x [m]\nkinetic 1/2*m*x'^2\npotential 1/2*k*x^2\n"
                          "force (x) = mu*(1 - (x/a)^2)*x'\nsteady rest : x = 0\n"),
                     ZW_OK);
    assert_same(c->amplitude, "4*a^2");
    assert_same(c->square, "k/m");
    assert_same(c->shift, "0");
    assert_int_equal(c->type.value, ZW_ONE);
    expect_text("supercritical");
}

/* Rayleigh's: r w = sqrt(4 mu/(3 d)); mu passes 0 at the Hopf point */
static void test_cycles__rayleigh(void **state) {
    (void)state;
    options.parameter = "mu";
    assert_int_equal(
        make("model rayleigh\nparam m = 2 [kg], k = 3 [N/m], mu = 0.2 [kg/s], d = 0.5 [kg*s/m^2]\n"
             "coord x [m]\nkinetic 1/2*m*x'^2\npotential 1/2*k*x^2\n"
             "force (x) = (mu - d*x'^2)*x'\nsteady rest : x = 0\n"),
        ZW_OK);
    assert_same(c->amplitude, "4/3*mu*m/(d*k)");
    assert_same(c->critical, "0");
    assert_same(c->rise, "4/3*m/(d*k)");
    assert_same(c->growth, "-3/8*d*k/m^2"); /* <(r w)^3 sin^4> d/(m r w) */
}

/* quadratic terms drive a mean and a second harmonic: Poincare and Lindstedt's -5 alpha^2/(12 w^3)
 * beside 3/8 gamma/w */
static void test_cycles__quadratic_terms(void **state) {
    (void)state;
    options.parameter = "mu";
    assert_int_equal(make("model q\nunits none\nparam k = 2, mu = 0.1, alpha = 0.7, gamma = 0.3\n"
                          "coord x\nkinetic 1/2*x'^2\n"
                          "force (x) = mu*x' - x^2*x' - k*x - alpha*x^2 - gamma*x^3\n"
                          "steady rest : x = 0\n"),
                     ZW_OK);
    assert_true(c->driven);
    assert_same(c->growth, "-1/8");
    /* the frequency changes by b r^2 = bend w r^2 */
    assert_same(c->bend, "3/8*gamma/k - 5/12*alpha^2/k^2");
    assert_same(c->rise, "4");
}

/* Lyapunov's coefficient -(A^2 + 2)/(8 A^2), for r the amplitude of x */
static void test_cycles__brusselator(void **state) {
    (void)state;
#define BRUSSELATOR                                                                                \
    "model brusselator\nunits none\nparam A = 1.3, B = 2.69\n"                                     \
    "state x, y : x' = A - (B + 1)*x + x^2*y, y' = B*x - x^2*y\n"                                  \
    "steady rest : x = A, y = B/A\nstart x = 1.31, y = 2.07\n"
    options.parameter = "B";
    assert_int_equal(make(BRUSSELATOR), ZW_OK);
    assert_same(c->critical, "A^2 + 1");
    assert_same(c->frequency, "A^2");
    assert_same(c->growth, "-(A^2 + 2)/(8*A^2)");
    assert_same(c->rise, "4*A^2/(A^2 + 2)");
    assert_int_equal(c->type.value, ZW_ONE);
    expect_numbers(BRUSSELATOR, "x");
}

/* three states: subcritical */
static void test_cycles__lorenz(void **state) {
    (void)state;
#define LORENZ                                                                                     \
    "model lorenz\nunits none\nparam sigma = 10, rho = 24.736842105263158, beta = 8/3\n"           \
    "state x, y, z : x' = sigma*(y - x), y' = x*(rho - z) - y, z' = x*y - beta*z\n"                \
    "steady right : x = sqrt(beta*(rho - 1)), y = sqrt(beta*(rho - 1)), z = rho - 1\n"             \
    "start x = 8, y = 8, z = 23.7\n"
    options.parameter = "rho";
    assert_int_equal(make(LORENZ), ZW_OK);
    assert_same(c->critical, "(sigma + beta + 3)*sigma/(sigma - beta - 1)");
    assert_close(value(c->critical), 470. / 19, 1e-12);
    expect_numbers(LORENZ, "x");
}

/* -------------------------------------------------------- S. Sailer, thesis (2023), 4.4 and 5.5 */

/* with -Omega b^3/6, which (4.59) drops, (4.70) is (e - r C^2/8)/(r + e) Omega^2; the type changes
 * at zeta = 65/63 for kappa = 1/20 */
static void test_cycles__tippedisk(void **state) {
    (void)state;
    options.steady = "inverted_spin";
    options.parameter = "Omega";
    options.cycle_type = "zeta";
    make_model("tippedisk_reduced", "chart");
    assert_same(c->square, "e/(r + e)*Omega^2");
    assert_same(c->shift, "-1/8*r/(r + e)*Omega^2");
    assert_int_equal(c->type.nroot, 1);
    assert_same(c->type.root[0], "(2*r - e)*r/(2*(r + e)*(r - 2*e))");
    assert_close(value(c->type.root[0]), 65. / 63, 1e-14);
    /* (4.72) with the term of (4.59), whose slope at Omega_c it has: chi = A (r - 2 e) - B (2 r^2 +
     * e r)/(2 (r + e)) */
    assert_same(c->rise, "8*e/(r + e)*r*J_S*(r + e)*sqrt(m*g/(r*J_S))/"
                         "(-(zeta*J_S*(r - 2*e) - J_S*(2*r^2 + e*r)/(2*(r + e)))*(r + "
                         "e)^2*m*g/(r*J_S) - m*g*e*(r + e))");
}

/* the same of the slow motion, two states without units */
static void test_cycles__tippedisk_slow(void **state) {
    (void)state;
    options.steady = "inverted_spin";
    options.parameter = "w";
    options.cycle_type = "zeta";
    make_model("tippedisk_normalised", NULL);
    assert_same(c->critical, "1 + kappa");
    assert_same(c->frequency, "kappa/(1 + kappa)");
    assert_same(c->type.root[0], "(2 - kappa)/(2*(1 + kappa)*(1 - 2*kappa))");
    expect_text("the type changes");
}

/* -------------------------------------------------------------------------------------- refused */

static void expect_failure(const char *text, zw_status status, const char *words) {
    err = (zw_error){0};
    assert_int_equal(make(text), status);
    if (!strstr(err.text, words))
        fail_msg("'%s' is not in '%s'", words, err.text);
}

static void test_cycles__refused(void **state) {
    (void)state;
    expect_failure("model p\ncoord x\nunits none\nkinetic 1/2*x'^2\npotential 1/2*x^2 + x^4\n"
                   "steady rest : x = 0\n",
                   ZW_E_MODEL, "no pair of eigenvalues crosses");
    options.cycle_of = "z";
    expect_failure("model p\ncoord x\nunits none\nkinetic 1/2*x'^2\npotential 1/2*x^2\n"
                   "force (x) = -x'\nsteady rest : x = 0\n",
                   ZW_E_NAME, "'z' is none of the entries");
    options.cycle_of = NULL;
    options.cycle_type = "nobody";
    expect_failure("model p\ncoord x\nunits none\nparam c = 1\nkinetic 1/2*x'^2\npotential "
                   "1/2*x^2\nforce (x) = c*x' - x^2*x'\nsteady rest : x = 0\n",
                   ZW_E_NAME, "no parameter 'nobody'");
}

#define TEST(name) cmocka_unit_test_setup_teardown(test_##name, setup, teardown)

int main(void) {
    const struct CMUnitTest tests[] = {
        TEST(cycles__van_der_pol),    TEST(cycles__rayleigh), TEST(cycles__quadratic_terms),
        TEST(cycles__brusselator),    TEST(cycles__lorenz),   TEST(cycles__tippedisk),
        TEST(cycles__tippedisk_slow), TEST(cycles__refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
