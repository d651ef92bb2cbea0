/* SPDX-License-Identifier: MIT */
/* Hopf points by names: conserved quantities that explain zeros, symmetries, quaternions,
 * statements that are not smooth. */
#include "motion/equilibria/equilibria.h"
#include "support/failing_allocator.h"
#include "support/report.h"
#include "support/test.h"
#include "zwang/equilibria.h"
#include "zwang/zwang.h"

#define MODEL(name) ZW_SOURCE_DIR "/models/" name ".zw"
enum { TEXT = 8000 };

static zw_context *ctx;
static zw_system *sys;
static zw_equilibria *e;
static zw_criticality c;
static zw_error err;

/* ---- set-up ---- */

static void open_text(const char *text, const char *hold) {
    zw_equilibria_options o = zw_equilibria_options_default();
    o.nhold = hold != NULL;
    o.hold = &hold;
    ctx = zw_context_create(NULL);
    err = (zw_error){0};
    if (zw_model_parse(&sys, ctx, text, strlen(text), "test.zw", NULL, &err) < 0 ||
        zw_equilibria_create(&e, sys, &o, &err) < 0 || zw_equilibria_find(e, &err) < 0)
        fail_msg("%s", err.text);
}

static void close_model(void) {
    zw_criticality_clear(&c);
    zw_equilibria_destroy(e);
    zw_context_destroy(ctx);
}

/* a shipped model with some words replaced, pairs of what is there and what comes */
static char *edited(const char *path, int n, const char *const *words) {
    static char text[2][TEXT];
    FILE *f = fopen(path, "r");
    assert_non_null(f);
    size_t length = fread(text[0], 1, TEXT - 1, f);
    fclose(f);
    text[0][length] = '\0';
    for (int i = 0; i < n; i++) {
        const char *at = strstr(text[0], words[2 * i]);
        if (!at)
            fail_msg("'%s' is not in %s", words[2 * i], path);
        snprintf(text[1], TEXT, "%.*s%s%s", (int)(at - text[0]), text[0], words[2 * i + 1],
                 at + strlen(words[2 * i]));
        memcpy(text[0], text[1], TEXT);
    }
    return text[0];
}

static double growth(const char *name, double value) {
    double p[64];
    int found = -1;
    memcpy(p, zw_flow_parameters(e->flow), sizeof(double) * (size_t)sys->np);
    for (int i = 0; i < sys->np; i++)
        if (strcmp(sys->param[i].name, name) == 0)
            p[found = i] = value;
    assert_true(found >= 0);
    if (zw_flow_set_parameters(e->flow, p, &err) < 0 || zw_equilibria_find(e, &err) < 0)
        fail_msg("%s", err.text);
    const zw_linearisation *a = zw_equilibria_linear(e);
    int best = -1;
    for (int i = 0; i < a->n; i++)
        if (a->im[i] > 0 && (best < 0 || fabs(a->re[i]) < fabs(a->re[best])))
            best = i;
    assert_true(best >= 0);
    return a->re[best];
}

/* the value at which a pair lies on the axis */
static double locate(const char *name, double a, double b) {
    double fa = growth(name, a), fb = growth(name, b);
    for (int k = 0; k < 40 && fabs(fb) > 1e-13; k++) {
        double next = b - fb * (b - a) / (fb - fa);
        a = b;
        fa = fb;
        b = next;
        fb = growth(name, b);
    }
    return b;
}

static void look(const char *amplitude) {
    zw_criticality_options o = zw_criticality_options_default();
    o.amplitude = amplitude;
    zw_criticality_clear(&c);
    if (zw_criticality_find(&c, e, NULL, NULL, &o, &err) < 0)
        fail_msg("%s", err.text);
}

static void expect(const char *amplitude, double a, double b, double tolerance) {
    look(amplitude);
    if (c.refused)
        fail_msg("%s", c.reason);
    assert_close(c.hopf.a, a, tolerance);
    assert_close(c.hopf.b, b, tolerance);
    assert_true(c.hopf.agrees < 1e-4);
}

static void expect_refusal(const char *words) {
    look(NULL);
    assert_true(c.refused);
    if (!strstr(c.reason, words))
        fail_msg("'%s' is not in '%s'", words, c.reason);
}

/* z + c u^2 stays, which no form shows: with z = mu - c u^2 put in it is u'' = -u + (mu - (1 + c)
 * u^2) u', a = -(1 + c)/8 */
static void test_criticality__observable(void **state) {
    (void)state;
    open_text("model levels\nunits none\nparam c = 0.7\n"
              "state u, v, z : u' = v, v' = -u + (z - u^2)*v, z' = -2*c*u*v\n"
              "observe level = z + c*u^2\nstart u = 0, v = 0, z = 0\n",
              NULL);
    expect("u", -1.7 / 8, 0, 1e-12);
    assert_string_equal(c.levels, "level");
    close_model();
    open_text("model levels\nunits none\nparam c = 0.7\n"
              "state u, v, z : u' = v, v' = -u + (z - u^2)*v, z' = -2*c*u*v\n"
              "start u = 0, v = 0, z = 0\n",
              NULL);
    expect_refusal("no conserved quantity explains");
    close_model();
}

/* ---- zeros that a conserved quantity explains ---- */

/* a pendulum on a cart, at rest on average: the same as what is left when the cart is eliminated */
static void test_criticality__momentum(void **state) {
    (void)state;
    double a, b;
    open_text("model routh\nparam M = 2 [kg], m = 0.7 [kg], l = 1.3 [m], g = 9.81 [m/s^2]\n"
              "coord th [rad]\nkinetic 1/2*m*l^2*th'^2*(1 - m/(M + m)*cos(th)^2)\n"
              "potential -m*g*l*cos(th)\nforce (th) = -3 [N*m*s]*th^2*th'\n",
              NULL);
    look("th");
    a = c.hopf.a;
    b = c.hopf.b;
    assert_string_equal(c.levels, "");
    close_model();
    open_text("model cart\nparam M = 2 [kg], m = 0.7 [kg], l = 1.3 [m], g = 9.81 [m/s^2]\n"
              "coord x [m], th [rad]\nparticle C : M at (x, 0)\n"
              "particle B : m at (x + l*sin(th), -l*cos(th))\ngravity g along -y\n"
              "force (th) = -3 [N*m*s]*th^2*th'\n",
              NULL);
    expect(NULL, a, b, 1e-12);
    assert_string_equal(c.quantity, "th");
    assert_string_equal(c.levels, "momentum of x");
    char line[600];
    zw_criticality_words(&c, line, sizeof line);
    assert_non_null(strstr(line, "r the amplitude of th, at constant momentum of x"));
    close_model();
}

/* Two masses that turn about each other, free in the plane: angular momentum explains a zero, and
 * the momenta, which turns mix, a pair of the frequency of turning. The same as the distance
 * alone. */
#define BELL                                                                                       \
    "model bell\nparam k = 30 [N/m], d_0 = 1 [m], d_1 = 1.1 [m], al = 3 [N*s/m^3]\n"               \
    "let W = sqrt(k*(d_1 - d_0)/(2/3*1 [kg]*d_1))\n"

static void test_criticality__free_body(void **state) {
    (void)state;
    open_text(BELL "coord d [m]\nkinetic 1/2*2/3*1 [kg]*d'^2\n"
                   "potential 1/2*k*(d - d_0)^2 + 1/2*2/3*1 [kg]*W^2*d_1^4/d^2\n"
                   "force (d) = -al*(d - d_1)^2*d'\nstart d = d_1\n",
              NULL);
    look("d");
    double a = c.hopf.a, b = c.hopf.b;
    assert_close(a, -0.5625, 1e-12);
    close_model();
    open_text(BELL "coord x_1, y_1, x_2, y_2 [m]\nparticle A : 1 [kg] at (x_1, y_1)\n"
                   "particle B : 2 [kg] at (x_2, y_2)\nlet d = norm((x_2 - x_1, y_2 - y_1))\n"
                   "let rate = ((x_2 - x_1)*(x_2' - x_1') + (y_2 - y_1)*(y_2' - y_1'))/d\n"
                   "let pull = k*(d - d_0) + al*(d - d_1)^2*rate\n"
                   "force (x_1, y_1) = pull*(x_2 - x_1, y_2 - y_1)/d\n"
                   "force (x_2, y_2) = -pull*(x_2 - x_1, y_2 - y_1)/d\nobserve distance = d\n"
                   "start x_1 = -2/3*d_1, x_2 = d_1/3, y_1' = -W*d_1*2/3, y_2' = W*d_1/3\n",
              "x_1");
    assert_int_equal(zw_criticality_pairs(e), 2);
    expect("distance", a, b, 1e-10);
    assert_int_equal(c.hopf.nused, 3);
    assert_non_null(strstr(c.levels, "momentum of turn(x_1, y_1) + turn(x_2, y_2)"));
    close_model();
}

/* a spring and a damper in series with nothing between them, and the same as a state */
static void test_criticality__massless(void **state) {
    (void)state;
    double a = 0, b = 0;
    for (int i = 0; i < 2; i++) {
        char text[600];
        snprintf(text, sizeof text,
                 "model series\nparam k = 1 [N/m], c = 2 [N*s/m], k_2 = 0.5 [N/m], "
                 "mu = 0.1 [N*s/m]\ncoord x [m]\nparticle P : 1 [kg] at (x, 0)\n%s",
                 i ? "coord y [m]\npotential 1/2*k*x^2 + 1/2*k_2*(y - x)^2\n"
                     "dissipation 1/2*c*y'^2\nforce (x) = (mu - 0.7 [N*s/m^3]*x^2)*x'\n"
                   : "state y [m] : y' = k_2*(x - y)/c\npotential 1/2*k*x^2\n"
                     "force (x) = (mu - 0.7 [N*s/m^3]*x^2)*x' + k_2*(y - x)\n");
        open_text(text, NULL);
        locate("mu", 0.1, 0.2);
        if (i)
            expect("x", a, b, 1e-11);
        look("x");
        assert_false(c.refused);
        a = c.hopf.a;
        b = c.hopf.b;
        close_model();
    }
}

/* the weave of the benchmark bicycle, 9 coordinates, 6 constraints, 5 symmetries, at constant
 * energy */
static void test_criticality__bicycle(void **state) {
    (void)state;
    const char *const words[] = {"speed = 5 [m/s]", "speed = 4.292382536341 [m/s]",
                                 "lean' = 0.01 [rad/s]", "lean' = 0"};
    open_text(edited(MODEL("bicycle"), 2, words), "x'");
    look("lean");
    if (c.refused)
        fail_msg("%s", c.reason);
    assert_close(c.hopf.a, -10.39656, 1e-6);
    assert_int_equal(c.hopf.type, ZW_HOPF_SUPERCRITICAL);
    assert_string_equal(c.levels, "energy");
    assert_string_equal(c.unit, "rad");
    close_model();
}

/* ---- the tippedisk with the friction law that is linear ---- */

static const double disk_a = -1.080107513815, disk_b = -7.920021153208;

static void test_criticality__tippedisk_reduced(void **state) {
    (void)state;
    const char *const words[] = {"gamma = -90 [deg] + 0.1", "gamma = 90 [deg]",
                                 "(sqrt(slip^2 + v_0^2) + eps)", "eps"};
    open_text(edited(MODEL("tippedisk_reduced"), 2, words), NULL);
    assert_close(locate("Omega", 30, 31), 30.9167616973, 1e-11);
    expect("beta", disk_a, disk_b, 1e-11);
    close_model();
}

/* 6 coordinates, 5 constraints, a symmetry: the inertial equations */
static void test_criticality__tippedisk_inertial(void **state) {
    (void)state;
    const char *const words[] = {"gamma = -90 [deg] + 0.1",
                                 "gamma = 90 [deg]",
                                 "mu*lambda(contact)",
                                 "mu*m*g",
                                 "(slip_size + eps)",
                                 "eps",
                                 "cog  off",
                                 "cog",
                                 "roll off",
                                 "roll",
                                 "spin off",
                                 "spin"};
    open_text(edited(MODEL("tippedisk"), 6, words), NULL);
    locate("Omega", 30, 31);
    expect("beta", disk_a, disk_b, 1e-11);
    assert_int_equal(e->symmetries.n, 1);
    growth("eps", 1e-3); /* stiff: another eigenvalue is -12904 1/s */
    expect("beta", -0.01083370493, -7.979384566, 1e-9);
    close_model();
}

/* with a quaternion; no coordinate is at rest, an observable is */
static void test_criticality__tippedisk_quaternion(void **state) {
    (void)state;
    static const char constraints[] =
        "constraint cog : disk.cog.x = 0, disk.cog.y = 0\n"
        "constraint roll : slip.x*B.z.y - slip.y*B.z.x = 0\n"
        "constraint spin : B.wx*B.x.z + B.wy*B.y.z = Omega*(1 - B.z.z^2)\nobserve foot";
    const char *const words[] = {"gamma_0 = -90 [deg] + 0.1",
                                 "gamma_0 = 90 [deg]",
                                 "mu*lambda(floor.contact)",
                                 "mu*m*g",
                                 "(slip_size + eps)",
                                 "eps",
                                 "observe foot",
                                 constraints};
    open_text(edited(MODEL("tippedisk_quaternion"), 4, words), NULL);
    locate("Omega", 30, 31);
    expect("beta", disk_a, disk_b, 1e-10);
    close_model();
}

/* The slow flow (6.2): where cubic terms change their sign is 65/63 for kappa = 0.05, whatever
 * epsilon is. */
static void slow_flow(double zeta, double epsilon) {
    char text[1000];
    snprintf(text, sizeof text,
             "model slow\nparam kappa = 0.05, zeta = %.17g, mu = 0.3, omega = 1 + kappa\n"
             "let arm = 1 + kappa*sin(gamma)\nlet h_c = kappa*sin(beta)*cos(gamma)/arm\n"
             "let h_1 = omega^2*cos(beta)/(mu*sin(beta)*arm^4)*(zeta*cos(gamma)^2*\n"
             "  (1 - kappa*sin(gamma) - 2*kappa^2) + sin(gamma)*(sin(gamma) + kappa +\n"
             "  kappa*cos(gamma)^2) - arm^3/(omega^2*sin(beta)))\n"
             "state beta [rad] : beta' = (h_c + %.17g*h_1)*1 [rad/s]\n"
             "state gamma [rad] : gamma' = -cos(beta)*1 [rad/s]\n"
             "start beta = 90 [deg], gamma = 90 [deg]\n",
             zeta, epsilon);
    open_text(text, NULL);
    look("beta");
    assert_false(c.refused);
}

static void test_criticality__changes_sign(void **state) {
    (void)state;
    static const double epsilon[] = {0.1, 0.001};
    for (int i = 0; i < 2; i++) {
        double zeta[3] = {1.02, 1.04}, a[3];
        for (int k = 0; k < 3; k++) { /* a is linear in zeta */
            slow_flow(zeta[k], epsilon[i]);
            a[k] = c.hopf.a;
            close_model();
            if (k == 1)
                zeta[2] = zeta[0] - a[0] * (zeta[1] - zeta[0]) / (a[1] - a[0]);
        }
        assert_true(a[0] > 0 && a[1] < 0);
        assert_close(zeta[2], 65. / 63, 1e-12);
        slow_flow(65. / 63, epsilon[i]);
        assert_int_equal(c.hopf.type, ZW_HOPF_DEGENERATE);
        close_model();
    }
}

/* ---- a drive that turns, seen from outside and from within ---- */

static const char *trap(bool outside) {
    return outside ? "model trap\nparam W = 0.4 [rad/s], mu = 0 [N*s/m]\ncoord X, Y [m]\n"
                     "let co = cos(W*t)\nlet si = sin(W*t)\n"
                     "let x = X*co + Y*si\nlet y = -X*si + Y*co\n"
                     "let u = X'*co + Y'*si + W*y\nlet v = -X'*si + Y'*co - W*x\n"
                     "let p = (mu - 1 [N*s/m^3]*x^2)*u\nlet q = -0.3 [N*s/m]*v\n"
                     "kinetic 1/2*1 [kg]*(X'^2 + Y'^2)\n"
                     "potential 1/2*1 [N/m]*x^2 + 2 [N/m]*y^2 + 0.7 [N/m^2]*x^2*y\n"
                     "force (X, Y) = (p*co - q*si, p*si + q*co)\n"
                   : "model trap\nparam W = 0.4 [rad/s], mu = 0 [N*s/m]\ncoord X, Y [m]\n"
                     "kinetic 1/2*1 [kg]*((X' - W*Y)^2 + (Y' + W*X)^2)\n"
                     "potential 1/2*1 [N/m]*X^2 + 2 [N/m]*Y^2 + 0.7 [N/m^2]*X^2*Y\n"
                     "force (X, Y) = ((mu - 1 [N*s/m^3]*X^2)*X', -0.3 [N*s/m]*Y')\n";
}

static void test_criticality__turning_drive(void **state) {
    (void)state;
    open_text(trap(false), NULL);
    double mu = locate("mu", 0.01, 0.02);
    look("X");
    assert_false(c.refused);
    double a = c.hopf.a, b = c.hopf.b;
    assert_true(a < 0 && fabs(b) > 1e-3);
    close_model();
    open_text(trap(true), NULL);
    assert_false(e->symmetries.autonomous);
    assert_close(locate("mu", 0.01, 0.02), mu, 1e-10);
    expect("X", a, b, 1e-9);
    close_model();
}

/* ---- what is not smooth ---- */

/* The mode of the reduced tippedisk does not slip to first order: |slip| is without effect, and
 * named. */
static void test_criticality__harmless_kink(void **state) {
    (void)state;
    const char *const words[] = {"gamma = -90 [deg] + 0.1", "gamma = 90 [deg]",
                                 "sqrt(slip^2 + v_0^2)", "abs(slip)"};
    open_text(edited(MODEL("tippedisk_reduced"), 2, words), NULL);
    locate("Omega", 30, 31);
    expect("beta", disk_a, disk_b, 1e-11);
    assert_non_null(strstr(c.passed, "an absolute value"));
    assert_non_null(strstr(c.passed, "test.zw:35"));
    close_model();
}

#define RUB                                                                                        \
    "model rub\nparam d = 10 [N*s/m], eps = 0.1 [m/s]\ncoord x [m]\nkinetic 1/2*1 [kg]*x'^2\n"     \
    "potential 1/2*1 [N/m]*x^2\nforce grow (x) = d*x'\n"

static void test_criticality__refuses_kinks(void **state) {
    (void)state;
    static const char *const force[][2] = {
        {"force friction (x) = -1 [N]*x'/(abs(x') + eps)\n", "an absolute value, abs(x')"},
        {"force friction (x) = -1 [N]*x'/(norm((x', 0 [m/s])) + eps)\n", "force friction"},
        {"force friction (x) = -d*x' - if(x > 0 [m], 1 [N*s/m^2]*x*x', 0 [N])\n", "a condition"},
        {"force friction (x) = -d*x' - 1 [N*s/m^2]*max(x, 0 [m])*x'\n", "a maximum"},
        {"force friction (x) = -d*x' - 1 [N]*((x/1 [m])^2 + (x'/1 [m/s])^2)^(5/4)\n", "a root"},
        {"force friction (x) = -d*x' - 1 [N]*abs(x/1 [m])^(5/2)\n", "an absolute value"},
        {"potential 1/3*1 [N/m^2]*abs(x)^3\nforce friction (x) = -d*x'\n", "in the potential"},
    };
    for (int i = 0; i < 7; i++) {
        char text[600];
        snprintf(text, sizeof text, "%s%s", RUB, force[i][0]);
        open_text(text, NULL);
        expect_refusal(force[i][1]);
        expect_refusal("(test.zw:7)");
        close_model();
    }
}

/* a spring whose force is a table of its length, built from C: a cubic spline has no third
 * derivative at its knots */
static void spring_by_table(int n, const double *x, const double *y) {
    zw_place here = {"spring.c", 3, 1};
    zw_expr q, rate, force;
    ctx = zw_context_create(NULL);
    assert_true(zw_system_create(&sys, ctx, "spring", "", &err) >= 0);
    assert_true(zw_system_coord(sys, "x", "m", here, &q, &err) >= 0);
    rate = zw_system_rate(sys, q);
    zw_expr half_square = zw_mul(ctx, zw_rational(ctx, 1, 2), zw_mul(ctx, rate, rate));
    assert_true(zw_system_kinetic(sys, half_square, here, &err) >= 0);
    int table = zw_tabulate(ctx, n, x, y, ZW_CUBIC);
    assert_true(table >= 0);
    force =
        zw_sub(ctx, zw_neg(ctx, zw_lookup(ctx, table, 0, q)), zw_mul(ctx, zw_mul(ctx, q, q), rate));
    assert_true(zw_system_force(sys, "spring", 1, &rate, &force, here, &err) >= 0);
    assert_true(zw_system_finish(sys, &err) >= 0);
    if (zw_equilibria_create(&e, sys, NULL, &err) < 0 || zw_equilibria_find(e, &err) < 0)
        fail_msg("%s", err.text);
}

static void test_criticality__knots(void **state) {
    (void)state;
    static const double x[] = {-2, -1, -0.5, 0, 0.5, 1, 2}, y[] = {-4, -1.5, -0.6, 0, 0.6, 1.5, 4};
    spring_by_table(7, x, y);
    expect_refusal("a table at a knot");
    expect_refusal("in force spring (spring.c:3)");
    close_model();
    static const double x_2[] = {-2, -1, -0.5, 0.5, 1, 2}, y_2[] = {-4, -1.5, -0.6, 0.6, 1.5, 4};
    spring_by_table(6, x_2, y_2);
    look("x");
    assert_false(c.refused);
    assert_close(c.hopf.a, -0.125, 1e-12);
    assert_close(c.reach, 0.5, 1e-12);
    assert_non_null(strstr(c.met, "a table at a knot"));
    close_model();
}

/* Where there is not even a first derivative, no linear equations are told, and the statement has
 * its name. */
static void test_criticality__no_derivative(void **state) {
    (void)state;
    zw_error why = {0};
    static const char text[] =
        "model kink\ncoord x [m]\nkinetic 1/2*1 [kg]*x'^2\npotential 1/2*1 [N/m]*x^2\n"
        "force stop (x) = -1 [N/m]*max(x, 0 [m])\n";
    ctx = zw_context_create(NULL);
    assert_true(zw_model_parse(&sys, ctx, text, strlen(text), "test.zw", NULL, &err) >= 0);
    assert_true(zw_equilibria_create(&e, sys, NULL, &err) >= 0);
    assert_int_equal(zw_equilibria_find(e, &why), ZW_E_DOMAIN);
    assert_non_null(strstr(why.text, "in force stop"));
    assert_int_equal(why.line, 5);
    close_model();
}

/* The law that is linear there works; a smoothed one says how far it holds. */
static void test_criticality__smoothed_friction(void **state) {
    (void)state;
    open_text(RUB "force friction (x) = -1 [N]*x'/eps\n", NULL);
    expect("x", 0, 0, 1e-12);
    assert_int_equal(c.hopf.type, ZW_HOPF_DEGENERATE);
    close_model();
    open_text("model rub\nparam v_0 = 0.1 [m/s]\ncoord x [m]\nkinetic 1/2*1 [kg]*x'^2\n"
              "potential 1/2*1 [N/m]*x^2\n"
              "force friction (x) = 1 [N]*x'/v_0 - 1 [N]*x'/sqrt(x'^2 + v_0^2)\n",
              NULL);
    expect("x", 3. / 16 / 1e-3, 0, 1e-10); /* v^3/(2 v_0^3), <v^4> = 3/8 */
    assert_close(c.reach, 0.1, 1e-12);
    assert_non_null(strstr(c.met, "a root"));
    assert_non_null(strstr(c.met, "force friction (test.zw:6)"));
    close_model();
}

/* ---- refusals, names, words ---- */

/* model 1.1: alpha' drifts, and nothing is conserved */
static void test_criticality__drift(void **state) {
    (void)state;
    const char *const words[] = {
        "gamma = -90 [deg] + 0.1", "gamma = 90 [deg]", "(slip_size + eps)", "eps", "Omega = 40",
        "Omega = 30.10487835"};
    open_text(edited(MODEL("tippedisk"), 3, words), "alpha'");
    expect_refusal("drift along its family");
    close_model();
}

static void test_criticality__names(void **state) {
    (void)state;
    zw_criticality_options o = zw_criticality_options_default();
    open_text("model p\ncoord phi [rad], x [m]\nkinetic 1/2*1 [kg*m^2]*phi'^2 + 1/2*1 [kg]*x'^2\n"
              "potential -1 [J]*cos(phi)\n",
              NULL);
    o.amplitude = "phii";
    assert_int_equal(zw_criticality_find(&c, e, NULL, NULL, &o, &err), ZW_E_NAME);
    assert_non_null(strstr(err.hint, "did you mean phi?"));
    err = (zw_error){0};
    o.amplitude = "x"; /* a shift of x changes nothing */
    assert_int_equal(zw_criticality_find(&c, e, NULL, NULL, &o, &err), ZW_E_OPTION);
    assert_non_null(strstr(err.text, "the symmetries move"));
    close_model();
}

static void test_criticality__words(void **state) {
    (void)state;
    char line[400];
    open_text("model vdp\ncoord x [m]\nkinetic 1/2*1 [kg]*x'^2\npotential 1/2*4 [N/m]*x^2\n"
              "force (x) = -0.4 [kg/m^2/s]*x^2*x'\n",
              NULL);
    look(NULL);
    zw_criticality_words(&c, line, sizeof line);
    assert_non_null(strstr(line, "supercritical: r' = sigma r + a r^3, a = -0.05 1/(s m^2)"));
    zw_report *r = report_begin("model");
    zw_criticality_report(&c, r);
    assert_string_equal(zw_report_get_word(r, "type"), "supercritical");
    assert_string_equal(zw_report_get_word(r, "amplitude_of"), "x");
    assert_string_equal(zw_report_get_word(r, "unit"), "m");
    char *text = report_take_text(r);
    assert_non_null(strstr(text, "stable cycles near the unstable motion"));
    free(text);
    close_model();
}

/* A shaft in coordinates that do not turn with the force on it: x and y mix for who turns along,
 * and it is said; their distance from the axis is the same for everybody. */
static void test_criticality__seen_by_whom(void **state) {
    (void)state;
    open_text(trap(true), NULL);
    locate("mu", 0.01, 0.02);
    look("X");
    assert_true(c.hopf.moving);
    char line[600];
    zw_criticality_words(&c, line, sizeof line);
    assert_non_null(strstr(line, "as seen by a comoving observer"));
    close_model();
    open_text(trap(false), NULL);
    locate("mu", 0.01, 0.02);
    look("X");
    assert_false(c.hopf.moving);
    close_model();
}

/* The rattling of a stone that turns, as its own axes see it: not as the quaternion has it, which
 * turns with it. */
static void test_criticality__chooses_what_is_the_same(void **state) {
    (void)state;
    const char *const words[] = {"W = 12 [rad/s]", "W = 10.188695883650723 [rad/s]"};
    open_text(edited(MODEL("rattleback"), 1, words), "K.wz");
    look(NULL);
    assert_false(c.refused);
    assert_string_equal(c.levels, "energy");
    assert_false(c.hopf.moving);
    assert_true(strncmp(c.quantity, "K.w", 3) == 0);
    close_model();
}

/* something else grows: no cycle is stable */
static void test_criticality__others_grow(void **state) {
    (void)state;
    open_text("model two\ncoord x, y [m]\nkinetic 1/2*1 [kg]*(x'^2 + y'^2)\n"
              "potential 1/2*4 [N/m]*x^2 - 1/2*1 [N/m]*y^2 + 1 [N/m^2]*x^2*y\n"
              "force (x) = -0.4 [kg/m^2/s]*x^2*x'\n",
              NULL);
    look(NULL);
    assert_false(c.refused);
    assert_int_equal(c.hopf.growing, 1);
    zw_report *r = report_begin("model");
    zw_criticality_report(&c, r);
    char *text = report_take_text(r);
    assert_null(strstr(text, "stable cycles near"));
    assert_non_null(strstr(text, "unstable since other eigenvalues grow"));
    free(text);
    close_model();
}

/* every request of memory fails once */
static void test_criticality__memory(void **state) {
    (void)state;
    static const char text[] =
        "model cart\nparam l = 1.3 [m]\ncoord x [m], th [rad]\nparticle C : 2 [kg] at (x, 0)\n"
        "particle B : 1 [kg] at (x + l*sin(th), -l*cos(th))\ngravity 9.81 [m/s^2] along -y\n"
        "force (th) = -3 [N*m*s]*th^2*th'/(1 + abs(th)^5)\n";
    long done = 0;
    for (long n = 1; done == 0; n += n < 1000 ? 101 : 13) {
        failing_allocator f = failing_allocator_make(n);
        zw_allocator alloc = failing_allocator_of(&f);
        zw_error why = {0};
        zw_status status = ZW_E_MEMORY;
        e = NULL;
        ctx = zw_context_create(&alloc);
        if (ctx) {
            status = zw_model_parse(&sys, ctx, text, strlen(text), "test.zw", NULL, &why);
            if (status >= 0)
                status = zw_equilibria_create(&e, sys, NULL, &why);
            if (status >= 0)
                status = zw_equilibria_find(e, &why);
            if (status >= 0)
                status = zw_criticality_find(&c, e, NULL, NULL, NULL, &why);
        }
        if (status >= 0 && !f.failed)
            done = n;
        else if (f.failed && status != ZW_E_MEMORY)
            fail_msg("request %ld: %s%s", n, why.text, c.reason);
        close_model();
        assert_int_equal(f.blocks, 0);
    }
    assert_true(done > 50);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_criticality__momentum),
        cmocka_unit_test(test_criticality__observable),
        cmocka_unit_test(test_criticality__free_body),
        cmocka_unit_test(test_criticality__massless),
        cmocka_unit_test(test_criticality__bicycle),
        cmocka_unit_test(test_criticality__tippedisk_reduced),
        cmocka_unit_test(test_criticality__tippedisk_inertial),
        cmocka_unit_test(test_criticality__tippedisk_quaternion),
        cmocka_unit_test(test_criticality__changes_sign),
        cmocka_unit_test(test_criticality__turning_drive),
        cmocka_unit_test(test_criticality__harmless_kink),
        cmocka_unit_test(test_criticality__refuses_kinks),
        cmocka_unit_test(test_criticality__knots),
        cmocka_unit_test(test_criticality__no_derivative),
        cmocka_unit_test(test_criticality__smoothed_friction),
        cmocka_unit_test(test_criticality__drift),
        cmocka_unit_test(test_criticality__names),
        cmocka_unit_test(test_criticality__words),
        cmocka_unit_test(test_criticality__seen_by_whom),
        cmocka_unit_test(test_criticality__chooses_what_is_the_same),
        cmocka_unit_test(test_criticality__others_grow),
        cmocka_unit_test(test_criticality__memory),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
