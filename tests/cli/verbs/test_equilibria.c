/* SPDX-License-Identifier: MIT */
/* Steady motions by names: what is told of them, what is refused. The numbers are those of
 * tests/analysis. */
#include "support/failing_allocator.h"
#include "support/report.h"
#include "support/test.h"
#include "zwang/zwang.h"

static zw_context *ctx;
static zw_system *sys;
static zw_equilibria *e;
static zw_error err;

static int setup(void **state) {
    (void)state;
    ctx = zw_context_create(NULL);
    err = (zw_error){0};
    e = NULL;
    return 0;
}

static int teardown(void **state) {
    (void)state;
    zw_equilibria_destroy(e);
    zw_context_destroy(ctx);
    return 0;
}

static zw_status find(const char *text, int nhold, const char *const *hold) {
    zw_equilibria_options options = zw_equilibria_options_default();
    options.nhold = nhold;
    options.hold = hold;
    if (zw_model_parse(&sys, ctx, text, strlen(text), "test.zw", NULL, &err) < 0)
        fail_msg("%s", err.text);
    zw_status status = zw_equilibria_create(&e, sys, &options, &err);
    return status < 0 ? status : zw_equilibria_find(e, &err);
}

static char *text_of(void) {
    zw_report *r = report_begin(sys->name);
    zw_equilibria_report(e, r);
    return report_take_text(r);
}

static void expect_text(const char *part) {
    char *text = text_of();
    if (!strstr(text, part))
        fail_msg("not in the text: %s\n%s", part, text);
    free(text);
}

#define PENDULUM                                                                                   \
    "model pendulum\nparam l = 1 [m]\ncoord phi [rad]\n"                                           \
    "particle P : 2 [kg] at (l*sin(phi), -l*cos(phi))\ngravity 9.81 [m/s^2] along -y\n"

static void test_equilibria__hanging_and_standing(void **state) {
    (void)state;
    assert_int_equal(find(PENDULUM "start phi = 0.3\n", 0, NULL), ZW_OK);
    assert_true(zw_equilibria_at_rest(e));
    assert_int_equal(zw_equilibria_stability(e), ZW_CENTRE);
    expect_text("pendulum: equilibrium, ");
    zw_equilibria_destroy(e);
    assert_int_equal(find(PENDULUM "start phi = 3\n", 0, NULL), ZW_OK);
    assert_int_equal(zw_equilibria_stability(e), ZW_UNSTABLE);
    assert_close(zw_equilibria_motion(e)->x[0], M_PI, 1e-12);
    zw_equilibria_destroy(e);
    assert_int_equal(find(PENDULUM "force (phi) = -0.1 [N*m*s]*phi'\nstart phi = 0.3\n", 0, NULL),
                     ZW_OK);
    assert_int_equal(zw_equilibria_stability(e), ZW_STABLE);
    expect_text("stable: every other disturbance dies out");
}

static void test_equilibria__symmetries_have_names(void **state) {
    (void)state;
    char name[100];
    assert_int_equal(find("model disc\ncoord x, y [m]\nparticle P : 1 [kg] at (x, y)\n"
                          "potential 2 [N/m]*(x^2 + y^2)\nstart x = 1 [m], y' = 2 [m/s]\n",
                          0, NULL),
                     ZW_OK);
    assert_int_equal(zw_equilibria_symmetries(e)->n, 1);
    zw_equilibria_symmetry_name(e, 0, name, sizeof name);
    assert_string_equal(name, "turn(x, y)");
    assert_close(zw_equilibria_motion(e)->c[0], 2, 1e-12);
    assert_false(zw_equilibria_at_rest(e));
    expect_text("turn(x, y) at 2 rad/s");
}

/* The triangular point of the restricted three-body problem in inertial coordinates: a distance
 * that depends on time is no switch. lambda^2 = (-1 +- sqrt(1 - 27 mu (1 - mu)))/2 (Szebehely,
 * Theory of Orbits, 5.4). */
static void test_equilibria__moving_centres(void **state) {
    (void)state;
    double mu = 0.03, root = sqrt(1 - 27 * mu * (1 - mu));
    assert_int_equal(find("model crtbp\nunits none\nparam mu = 0.03\ncoord x, y\n"
                          "particle P : 1 at (x, y)\npoint S : (-mu*cos(t), -mu*sin(t), 0)\n"
                          "point J : ((1 - mu)*cos(t), (1 - mu)*sin(t), 0)\n"
                          "potential -(1 - mu)/norm(P - S) - mu/norm(P - J)\n"
                          "start x = 0.46, y = 0.87, x' = -0.87, y' = 0.47\n",
                          0, NULL),
                     ZW_OK);
    assert_close(zw_equilibria_motion(e)->x[0], 0.5 - mu, 1e-12);
    assert_close(zw_equilibria_motion(e)->x[1], sqrt(0.75), 1e-12);
    const zw_linearisation *a = zw_equilibria_linear(e);
    assert_int_equal(a->n, 4);
    double im[2] = {0, 0};
    for (int i = 0; i < 4; i++)
        if (a->im[i] > 0)
            im[im[0] > 0] = a->im[i];
    assert_close(fmin(im[0], im[1]), sqrt((1 - root) / 2), 1e-10);
    assert_close(fmax(im[0], im[1]), sqrt((1 + root) / 2), 1e-10);
    zw_equilibria_destroy(e);
    e = NULL;
    assert_true(find("model s\nunits none\ncoord x\nkinetic x'^2/2\nforce (x) = abs(t - 1) - x\n",
                     0, NULL) == ZW_E_MODEL);
    assert_non_null(strstr(err.text, "switches at given times"));
}

/* a charge of 1e-18 C next to a place of -9.81 m is no rounding: its own equation has it */
static void test_equilibria__small_next_to_large(void **state) {
    (void)state;
    assert_int_equal(find("model charge\nparam C = 1e-15 [F], U = 1 [mV]\n"
                          "state q [C] : q' = (C*U - q)/(1e-3 [s])\ncoord x [m]\n"
                          "particle P : 1 [kg] at (x, 0)\npotential 0.5 [N/m]*x^2 + 9.81 [N]*x\n"
                          "force (x) = -0.1 [kg/s]*x'\n",
                          0, NULL),
                     ZW_OK);
    expect_text("q = 1e-18 C");
    expect_text("x' = 0 m/s");
}

static void test_equilibria__held_by_name(void **state) {
    (void)state;
    const char *hold[] = {"phi"}, *wrong[] = {"phy"};
    assert_true(find(PENDULUM "start phi = 1\n", 1, hold) == ZW_E_NUMERIC);
    assert_non_null(strstr(err.text, "phi"));
    zw_equilibria_destroy(e);
    e = NULL;
    err = (zw_error){0};
    assert_int_equal(find(PENDULUM, 1, wrong), ZW_E_NAME);
    assert_non_null(strstr(err.text, "'phy'"));
    assert_non_null(strstr(err.hint, "phi"));
}

/* two pieces of a spring meet at the equilibrium: there are no linear equations */
static void test_equilibria__refuses_kinks(void **state) {
    (void)state;
    assert_int_equal(find("model kink\ncoord x [m]\nparticle P : 1 [kg] at (x, 0)\n"
                          "force (x) = if(x > 0, -10 [N/m]*x, -20 [N/m]*x)\nstart x = 0.1 [m]\n",
                          0, NULL),
                     ZW_E_DOMAIN);
    zw_equilibria_destroy(e);
    err = (zw_error){0};
    assert_int_equal(find("model dry\nunits none\ncoord x\nparticle P : 1 at (x, 0)\n"
                          "force (x) = -x - sign(x')\nstart x = 0.1\n",
                          0, NULL) < 0,
                     1);
}

/* a pitchfork: the zero is no family */
static void test_equilibria__tells_branches_from_families(void **state) {
    (void)state;
    assert_int_equal(find("model pitchfork\nunits none\ncoord x\nparticle P : 1 at (x, 0)\n"
                          "potential x^4\nstart x = 0\n",
                          0, NULL),
                     ZW_OK);
    expect_text("that no family explains");
    assert_int_equal(zw_equilibria_stability(e), ZW_CENTRE);
}

static void test_equilibria__refuses_what_is_driven(void **state) {
    (void)state;
    assert_int_equal(find(PENDULUM "force (phi) = 1 [N*m]*sin(2 [1/s]*t)\n", 0, NULL), ZW_E_MODEL);
    assert_non_null(strstr(err.text, "time enters its equations"));
}

/* a force of 1e-13 of the other still has its equilibrium, and not where the steps were given up */
static void test_equilibria__weak_forces(void **state) {
    (void)state;
    assert_int_equal(find("model weak\nunits none\ncoord x, y\nparticle P : 1 at (x, y)\n"
                          "potential 1e6*x^2 + 1e-7*y^2\nstart x = 0.1, y = 0.1\n",
                          0, NULL),
                     ZW_OK);
    assert_close(zw_equilibria_motion(e)->x[1], 0, 1e-9);
}

/* four bars in one line: pieces of the manifold meet there */
static void test_equilibria__refuses_singular_positions(void **state) {
    (void)state;
    zw_equilibria_options options = zw_equilibria_options_default();
    const char *text = "model flat\nunits none\ncoord a, b, c\nkinetic a'^2 + b'^2 + c'^2\n"
                       "potential 0.1*cos(a)\nconstraint x : cos(a) + 2*cos(b) - cos(c) = 2\n"
                       "constraint y : sin(a) + 2*sin(b) - sin(c) = 0\n";
    options.by = "gauss";
    assert_true(zw_model_parse(&sys, ctx, text, strlen(text), "t", NULL, &err) >= 0);
    zw_status status = zw_equilibria_create(&e, sys, &options, &err);
    if (status >= 0)
        status = zw_equilibria_find(e, &err);
    assert_int_equal(status, ZW_E_SINGULAR);
}

static void test_equilibria__refuses_switches_of_time(void **state) {
    (void)state;
    assert_int_equal(find(PENDULUM "force (phi) = if(t > 5 [s], 1, 0)*1 [N*m]\n", 0, NULL),
                     ZW_E_MODEL);
    assert_non_null(strstr(err.text, "switches at given times"));
}

static void test_equilibria__names_what_has_no_inertia(void **state) {
    (void)state;
    assert_true(find("model m\nunits none\ncoord x, y\nkinetic (x' - y')^2/2\npotential x^2 + y^2\n"
                     "force (y) = -y'\nstart x = 0.2\n",
                     0, NULL) < 0);
    assert_non_null(strstr(err.text, "y' has no inertia"));
}

/* A spherical pendulum hangs at the pole of its angles, where ph' has the inertia m l^2 sin(th)^2 =
 * 0. Away from the pole, standing aside by a spring, it has linear equations: th and ph have the
 * rates sqrt(k/(m l^2)) and sqrt(k/(m l^2))/sin(th). */
static void test_equilibria__refuses_poles_of_angles(void **state) {
    (void)state;
    const char *pole = "model m\nunits none\nparam k = 1e-9\ncoord th, ph\n"
                       "particle p : 1 at (sin(th)*cos(ph), sin(th)*sin(ph), -cos(th))\n"
                       "gravity 9.81 along -z\npotential -k*cos(ph)\n"
                       "start th = 0.5, ph = 0.2, ph' = 3.3\n",
               *aside = "model m\nunits none\ncoord th, ph\n"
                        "particle p : 1 at (sin(th)*cos(ph), sin(th)*sin(ph), -cos(th))\n"
                        "potential ((th - 0.1)^2 + ph^2)/2\nstart th = 0.5, ph = 0.2\n";
    assert_int_equal(find(pole, 0, NULL), ZW_E_SINGULAR);
    assert_non_null(strstr(err.text, "ph' has"));
    teardown(state);
    setup(state);
    assert_int_equal(find(aside, 0, NULL), ZW_OK);
    const double rate[] = {1, 1, 1 / sin(0.1), 1 / sin(0.1)};
    const zw_linearisation *a = zw_equilibria_linear(e);
    assert_int_equal(a->n, 4);
    for (int i = 0; i < 4; i++)
        assert_true(fmin(fabs(fabs(a->im[i]) - rate[0]), fabs(fabs(a->im[i]) - rate[2])) < 1e-6);
}

/* A wheel that rolls straight: to first order the momentum of its turning does not change, but it
 * is not conserved. */
static void test_equilibria__conserved_is_what_stays(void **state) {
    (void)state;
    const char *disc = "model disc\nunits none\ncoord x, y, z, a, b, c\nframe A : rotate z a\n"
                       "frame B : A rotate x b\nframe C : B rotate z c\n"
                       "body coin : C at (x, y, z), inertia(1, 0.25, 0.25, 0.5)\n"
                       "gravity 9.81 along -z\nrolling roll : disk coin radius 1 on plane\n"
                       "start z = 1, b = pi/2, c' = 5\n";
    assert_int_equal(find(disc, 0, NULL), ZW_OK);
    expect_text("conserved as well: energy\n");
}

/* one oscillator drives its equal: nothing grows as an exponential, but with time */
static void test_equilibria__resonance(void **state) {
    (void)state;
    const char *text = "model two\nunits none\ncoord x, y\nkinetic (x'^2 + y'^2)/2\n"
                       "force (x, y) = (-4*x, 0.3*x - 4*y)\n";
    assert_int_equal(find(text, 0, NULL), ZW_OK);
    expect_text(
        "undamped oscillations of equal frequency are coupled: they may grow with time");
}

/* formulas know what rounding hides */
static void test_equilibria__refuses_false_symmetries(void **state) {
    (void)state;
    const char *chain = "model m\nunits none\ncoord x, y\nkinetic (x'^2 + y'^2)/2\n"
                        "potential 1e9*(x - y)^2/2 + %s*x^2/2\n";
    char text[200];
    snprintf(text, sizeof text, chain, "0.001");
    assert_int_equal(find(text, 0, NULL), ZW_E_NUMERIC);
    assert_non_null(strstr(err.text, "x + y looks like a symmetry"));
    zw_equilibria_destroy(e);
    snprintf(text, sizeof text, chain, "0");
    assert_int_equal(find(text, 0, NULL), ZW_OK);
    assert_int_equal(zw_equilibria_symmetries(e)->n, 1);
}

/* an equation that is slow as a whole decides as others do: x = 1, y z = 1, z = 1 + y; z = -1e-6 */
static void test_equilibria__slow_equations(void **state) {
    (void)state;
    char text[300];
    for (int power = -20; power <= 0; power += 4) {
        snprintf(text, sizeof text,
                 "model k\nunits none\nstate x, y, z : x' = 1 - x, y' = 1e%d*(x - y*z), z' = 1 - z "
                 "+ y\nstart y = 0.1\n",
                 power);
        if (find(text, 0, NULL) < 0)
            fail_msg("%s", err.text);
        assert_int_equal(zw_equilibria_symmetries(e)->n, 0);
        assert_close(zw_equilibria_motion(e)->x[1], (sqrt(5) - 1) / 2, 1e-10);
        assert_close(zw_equilibria_motion(e)->x[2], (sqrt(5) + 1) / 2, 1e-10);
        zw_equilibria_destroy(e);
        e = NULL;
    }
    assert_int_equal(find("model z\nunits none\n"
                          "state x, z : x' = 1e10*(1 - x), z' = 1e-16*(1e-6*x + z)\n",
                          0, NULL),
                     ZW_OK);
    assert_close(zw_equilibria_motion(e)->x[1], -1e-6, 1e-17);
}

/* a round trough that is tilted a little has two equilibria, not a circle of them */
static void test_equilibria__tilted_ring(void **state) {
    (void)state;
    const char *tilt[] = {"1e-9", "1e-12", "1e-14", "1e-17", "1e-40"};
    const char *ring = "model r\nunits none\ncoord x, y\nkinetic (x'^2 + y'^2)/2\n"
                       "potential (x^2 + y^2 - 1)^2/4 - %s*x\nstart x = 0.8, y = 0.3\n";
    char text[300];
    for (size_t i = 0; i < sizeof tilt / sizeof *tilt; i++) {
        snprintf(text, sizeof text, ring, tilt[i]);
        err = (zw_error){0};
        assert_int_equal(find(text, 0, NULL), ZW_E_NUMERIC);
        zw_equilibria_destroy(e);
        e = NULL;
    }
    assert_non_null(strstr(err.text, "turn(x, y) looks like a symmetry"));
    snprintf(text, sizeof text, ring, "0");
    assert_int_equal(find(text, 0, NULL), ZW_OK);
    assert_int_equal(zw_equilibria_symmetries(e)->n, 1);
}

static void test_equilibria__json_can_be_read(void **state) {
    (void)state;
    assert_int_equal(find(PENDULUM "start phi = 0.3\n", 0, NULL), ZW_OK);
    zw_report *r = report_begin(sys->name);
    zw_equilibria_report(e, r);
    assert_string_equal(zw_report_get_word(r, "solutions.0.stability"), "centre");
    assert_string_equal(zw_report_get_word(r, "solutions.0.state.0.name"), "phi");
    assert_string_equal(zw_report_get_word(r, "solutions.0.state.1.name"), "phi'");
    char *json = report_take_json(r);
    assert_non_null(strstr(json, "\"stability\": \"centre\""));
    free(json);
}

static void test_equilibria__survives_failing_memory(void **state) {
    (void)state;
    const char *text = "model top\nunits none\nrotation B\n"
                       "body top : B, inertia(1, 1, 1, 1) at (0, 0, 1)\ngravity 9.81 along -z\n"
                       "start B.wz = 20\n";
    for (long n = 1;; n += 1 + n / 40) {
        failing_allocator f = failing_allocator_make(n);
        zw_allocator alloc = failing_allocator_of(&f);
        zw_context *own = zw_context_create(&alloc);
        zw_system *s = NULL;
        zw_equilibria *q = NULL;
        zw_error fault = {0};
        bool ok = own && zw_model_parse(&s, own, text, strlen(text), "t", NULL, &fault) >= 0 &&
                  zw_equilibria_create(&q, s, NULL, &fault) >= 0 &&
                  zw_equilibria_find(q, &fault) >= 0;
        assert_true(ok || f.failed);
        zw_equilibria_destroy(q);
        if (own)
            zw_context_destroy(own);
        assert_int_equal(f.blocks, 0);
        if (!f.failed)
            break;
    }
}

/* the positive imaginary parts of the eigenvalues are these, in 1/s, and as many are zero */
static void expect_rates(int zeros, int n, const double *rate, double tol) {
    const zw_linearisation *a = zw_equilibria_linear(e);
    assert_int_equal(a->nzero, zeros);
    for (int k = 0; k < n; k++) {
        double nearest = INFINITY;
        for (int i = 0; i < a->n; i++)
            nearest = fmin(nearest, hypot(a->re[i], a->im[i] - rate[k]));
        assert_true(nearest < tol * rate[k]);
    }
}

/* a sled on rails can be given any speed, a wheel that rolls cannot without its turning */
static void test_equilibria__boosts_within_constraints(void **state) {
    (void)state;
    const char *const wheel = "model wheel\nunits none\ncoord x, ph\nkinetic x'^2/2 + ph'^2/4\n"
                              "start x' = 1, ph' = 1\n";
    char text[300];
    assert_int_equal(find(wheel, 0, NULL), ZW_OK);
    expect_text("boosts along x, ph are symmetries too");
    zw_equilibria_destroy(e);
    snprintf(text, sizeof text, "%sconstraint roll : x' = ph'\n", wheel);
    assert_int_equal(find(text, 0, NULL), ZW_OK);
    expect_text("symmetries  x + ph at 1 1/s\n");
    expect_text("a boost along x + ph is a symmetry too");
    assert_int_equal(zw_equilibria_linear(e)->n, 1); /* on the leaf x - ph = 0 of the start */
}

/* seconds are no measure of what is slow or fast: the Earth on its way about the sun, carbon
 * dioxide, a stiff coupling */
static void test_equilibria__any_unit_of_time(void **state) {
    (void)state;
    double orbit = sqrt(1.327e20 / pow(1.496e11, 3)), k = 1600, m_o = 2.66e-26, m_c = 1.99e-26,
           molecule[] = {sqrt(k / m_o), sqrt(k * (1 / m_o + 2 / m_c))}, slow[] = {1e-7},
           stiff[] = {sqrt(2e14)};
    assert_int_equal(find("model earth\nparam m = 5.97e24 [kg], GM = 1.327e20 [m^3/s^2], r0 = "
                          "1.496e11 [m], w0 = sqrt(GM/r0^3)\ncoord r [m], ph [rad]\n"
                          "kinetic 1/2*m*(r'^2 + r^2*ph'^2)\npotential -GM*m/r\n"
                          "start r = r0, ph' = w0\n",
                          0, NULL),
                     ZW_OK);
    expect_rates(1, 1, &orbit, 1e-8);
    zw_equilibria_destroy(e);
    assert_int_equal(find("model co2\nparam m_o = 2.66e-26 [kg], m_c = 1.99e-26 [kg], k = 1600 "
                          "[N/m], l = 1.16e-10 [m]\ncoord a, b, c [m]\n"
                          "particle A : m_o at (a, 0)\nparticle B : m_c at (b, 0)\n"
                          "particle C : m_o at (c, 0)\n"
                          "potential 1/2*k*(b - a - l)^2 + 1/2*k*(c - b - l)^2\n"
                          "start a = -l, c = l\n",
                          0, NULL),
                     ZW_OK);
    expect_rates(1, 2, molecule, 1e-8);
    expect_text("symmetries  a + b + c at 0 m/s\n");
    zw_equilibria_destroy(e);
    assert_int_equal(find("model slow\ncoord x [m]\nparticle P : 1 [kg] at (x, 0)\n"
                          "potential 1/2*1e-14 [N/m]*x^2\n",
                          0, NULL),
                     ZW_OK);
    expect_rates(0, 1, slow, 1e-8);
    zw_equilibria_destroy(e);
    assert_int_equal(find("model two\ncoord x, y [m]\nparticle P : 1 [kg] at (x, 0)\n"
                          "particle Q : 1 [kg] at (y, 0)\npotential 1/2*1e14 [N/m]*(x - y)^2\n",
                          0, NULL),
                     ZW_OK);
    expect_rates(1, 1, stiff, 1e-8);
}

/* what is weak beside something stiff is no symmetry, no zero and not neutral */
static void test_equilibria__weak_beside_stiff(void **state) {
    (void)state;
    double weak[] = {sqrt(0.5)};
    assert_int_equal(find("model two\ncoord x, y [m]\nparticle P : 1 [kg] at (x, 0)\n"
                          "particle Q : 1 [kg] at (y, 0)\n"
                          "potential 1/2*1e9 [N/m]*(x - y)^2 + 1/2*1 [N/m]*y^2\n",
                          0, NULL),
                     ZW_OK);
    assert_int_equal(zw_equilibria_symmetries(e)->n, 0);
    expect_rates(0, 1, weak, 1e-6); /* 1e9 + 1 has been rounded */
    expect_text("a potential well");
    zw_equilibria_destroy(e);
    assert_int_equal(find("model three\nunits none\n"
                          "state a, b, c : a' = -1e9*(a - b), b' = -b + c, c' = -1e-3*c + 1e-6*a\n",
                          0, NULL),
                     ZW_OK);
    assert_int_equal(zw_equilibria_symmetries(e)->n, 0);
    assert_int_equal(zw_equilibria_stability(e), ZW_STABLE);
    zw_equilibria_destroy(e);
    assert_int_equal(find("model four\nunits none\n"
                          "state a, b, c : a' = -1e9*(a - b), b' = -b + c, c' = 1e-2*c + 1e-6*a\n",
                          0, NULL),
                     ZW_OK);
    assert_int_equal(zw_equilibria_stability(e), ZW_UNSTABLE);
}

/* A plate turns with its heading; a force with tanh(60 + x'), saturated at the start, breaks this,
 * and one with tanh(60 + u) does not, u being the velocity along the heading. */
static void test_equilibria__symmetries_are_not_hidden(void **state) {
    (void)state;
    static const char *const inside[] = {"x'", "u"};
    for (int i = 0; i < 2; i++) {
        char text[600];
        snprintf(text, sizeof text,
                 "model plate\nunits none\ncoord x, y, al\n"
                 "kinetic x'^2 + y'^2 + 3/2*al'^2\nlet u = x'*cos(al) + y'*sin(al)\n"
                 "let w = y'*cos(al) - x'*sin(al)\nlet c = 0.4*(1 + tanh(60 + %s))\n"
                 "force (x, y) = -c*u*(cos(al), sin(al)) - 1.7*w*(-sin(al), cos(al))\n"
                 "start x' = 1, al' = 0.7\n",
                 inside[i]);
        err = (zw_error){0};
        assert_int_equal(find(text, 0, NULL), i == 0 ? ZW_E_NUMERIC : ZW_OK);
        if (i == 0)
            assert_non_null(strstr(err.text, "al + turn(x, y) looks like a symmetry numerically"));
        else
            assert_int_equal(zw_equilibria_symmetries(e)->n, 3);
        zw_equilibria_destroy(e);
        e = NULL;
    }
}

/* a residual that is small beside the fastest rate is no equilibrium: x = 0 is the only one of the
 * oscillator, and that of the neuron is far from its start */
static void test_equilibria__slow_beside_fast(void **state) {
    (void)state;
    const char *damped[] = {
        "model m\nparam c = 1e8 [kg/s]\ncoord x [m]\nparticle P : 1 [kg] at (x, 0, 0)\n"
        "potential 1/2*1 [N/m]*x^2\ndissipation 1/2*c*x'^2\nstart x = 1 [m]\n",
        "model o\nunits none\nstate x, y : x' = y, y' = -x - 1e7*y\nstart x = 1\n",
        "model o\nunits none\nstate x, y : x' = y, y' = -x - 1e9*y\nstart x = 1\n"};
    for (int i = 0; i < 3; i++) {
        assert_int_equal(find(damped[i], 0, NULL), ZW_OK);
        assert_close(zw_equilibria_motion(e)->x[0], 0, 1e-6);
        assert_non_null(zw_equilibria_warning(e)); /* -1e-8 beside -1e8 is lost, or loses digits */
        char *text = text_of();
        assert_null(strstr(text, "family"));
        assert_null(strstr(text, "meet"));
        free(text);
        zw_equilibria_destroy(e);
        e = NULL;
    }
    zw_status status =
        find("model neuron\nunits none\nlet a = (1 + tanh((V + 1.2)/18))/2\n"
             "let b = (1 + tanh((V - 12)/17.4))/2\n"
             "state V, w : V' = (50 - 2*(V + 60) - 4*a*(V - 120) - 8*w*(V + 84))/20,\n"
             " w' = 0.0666666666*cosh((V - 12)/34.8)*(b - w)\nstart V = 1500, w = 1\n",
             0, NULL);
    if (status >= 0) { /* none may be found; what is found rests */
        double V = zw_equilibria_motion(e)->x[0], w = (1 + tanh((V - 12) / 17.4)) / 2;
        assert_close(50 - 2 * (V + 60) - 2 * (1 + tanh((V + 1.2) / 18)) * (V - 120) -
                         8 * w * (V + 84),
                     0, 1e-8);
    } else {
        assert_int_equal(status, ZW_E_NUMERIC);
    }
}

/* polynomials have derivatives, also where the linear equations vanish */
static void test_equilibria__folds_are_no_kinks(void **state) {
    (void)state;
    const char *model[] = {"model f\nunits none\nstate x : x' = -x^2\nstart x = 0\n",
                           "model f\nunits none\nstate x : x' = -x^3\nstart x = 0\n",
                           "model f\nunits none\nstate x, y : x' = -x^2, y' = -y\nstart x = 0\n"};
    for (int i = 0; i < 3; i++) {
        if (find(model[i], 0, NULL) < 0)
            fail_msg("%s", err.text);
        expect_text("1 zero that no family explains: branches meet or bifurcate here");
        assert_null(zw_equilibria_warning(e));
        zw_equilibria_destroy(e);
        e = NULL;
    }
    assert_int_equal(find("model k\nunits none\nstate x : x' = -abs(x)\nstart x = 0\n", 0, NULL),
                     ZW_E_DOMAIN);
}

#define TEST(name) cmocka_unit_test_setup_teardown(test_equilibria__##name, setup, teardown)

int main(void) {
    const struct CMUnitTest tests[] = {
        TEST(hanging_and_standing),
        TEST(symmetries_have_names),
        TEST(held_by_name),
        TEST(moving_centres),
        TEST(small_next_to_large),
        TEST(refuses_kinks),
        TEST(tells_branches_from_families),
        TEST(refuses_what_is_driven),
        TEST(weak_forces),
        TEST(refuses_singular_positions),
        TEST(refuses_switches_of_time),
        TEST(names_what_has_no_inertia),
        TEST(refuses_poles_of_angles),
        TEST(resonance),
        TEST(conserved_is_what_stays),
        TEST(refuses_false_symmetries),
        TEST(slow_equations),
        TEST(tilted_ring),
        TEST(json_can_be_read),
        TEST(boosts_within_constraints),
        TEST(any_unit_of_time),
        TEST(weak_beside_stiff),
        TEST(slow_beside_fast),
        TEST(symmetries_are_not_hidden),
        TEST(folds_are_no_kinks),
        TEST(survives_failing_memory),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
