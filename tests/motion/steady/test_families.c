/* SPDX-License-Identifier: MIT */
/* Symmetries, reduced dimensions and families of systems in which both can be counted by hand: the
 * dimension of the manifold, minus the directions in which the symmetries move the motion, and of
 * the rest those that lead to neighbouring steady motions. */
#include "support/steady_model.h"

#define MODEL(name) ZW_SOURCE_DIR "/models/" name ".zw"

typedef struct sample {
    const char *name, *text; /* ! before the name: the zeros are no family */
    int symmetries, reduced, families;
    const char *hold[3]; /* or set, if it begins with ~ */
    double value[3];
} sample;

#define TOP(A, B, C)                                                                               \
    "model body\nunits none\nrotation B\nbody b : B, inertia(1, " A ", " B ", " C ")\n"
#define HEAVY                                                                                      \
    "model top\nunits none\nrotation B\nbody b : B, inertia(1, 1, 1, 0.5) at (0, 0, 1)\n"          \
    "gravity 9.81 along -z\n"
#define PLANE "model m\nunits none\ncoord x, y\nparticle P : 1 at (x, y)\n"
#define SPACE "model m\nunits none\ncoord x, y, z\nparticle P : 1 at (x, y, z)\n"
#define TWO                                                                                        \
    "model m\nunits none\ncoord x, y, u, v\nparticle P : 1 at (x, y)\nparticle Q : 2 at (u, v)\n"  \
    "let r = sqrt((x - u)^2 + (y - v)^2)\npotential 50*(r - 1)^2\n"

/* clang-format off */
static const sample samples[] = {
    /* S has 8 dimensions: 3 shapes and speeds, 5 positions less z; x, y, turning and rolling are
     * symmetries */
    {"disc in a circle", MODEL("rolling_disc"), 4, 4, 2, {"alpha'", "beta"}, {6, 1.2217304763960306}},
    {"bicycle", MODEL("bicycle"), 5, 5, 1, {"rear'", "yaw"}, {-16.666666666666668, 0}},
    {"sleigh", MODEL("chaplygin_sleigh"), 3, 2, 1, {"~u", "~w"}, {2, 0.1}},
    {"tippedisk", MODEL("tippedisk"), 3, 7, 1, {"alpha'", "~gamma"}, {30, 1.5707963267948966}},
    {"tippedisk of three states", MODEL("tippedisk_reduced"), 0, 3, 0, {NULL}, {0}},
    /* places and velocities of the centre, and the spin: circles about any centre, any spin */
    {"ball on a turntable", MODEL("turntable_ball"), 4, 5, 3, {"x", "y"}, {0, 0}},
    {"ball on a turntable in honey", "model m\nunits none\ncoord x, y\nbody ball : sphere(1, 1) at (x, y, 1)\n"
     "constraint roll_x : x' - ball.w.y = -y\nconstraint roll_y : y' + ball.w.x = x\n"
     "force (x, y) = -0.1*(x', y')\ntorque air on ball = -0.3*ball.w\nstart x = 0.1\n", 4, 5, 0, {NULL}, {0}},
    {"upright penny", MODEL("rolling_penny"), 4, 2, 2, {NULL}, {0}},
    /* speed, rate of the rotor, and the angle of the wheels: circles */
    {"snakeboard going straight", MODEL("snakeboard"), 4, 4, 3, {"~x'"}, {1}},
    /* orientation and spin: 6; the symmetries of the vertical and of the own axis */
    {"sleeping top", HEAVY "start B.wz = 20\n", 2, 5, 1, {NULL}, {0}},
    {"precessing top", HEAVY "start B.p0 = 0.9, B.p1 = 0.43, B.wz = 30, B.wy = 0.3\n", 2, 4, 2, {NULL}, {0}},
    {"free body about its longest axis", TOP("1", "2", "3") "start B.wx = 4\n", 3, 3, 1, {NULL}, {0}},
    {"free symmetric body in precession", TOP("1", "1", "2") "start B.wx = 1, B.wz = 3\n", 4, 2, 2, {NULL}, {0}},
    {"free ball", TOP("1", "1", "1") "start B.wx = 1, B.wz = 3\n", 6, 1, 1, {NULL}, {0}},
    {"conical pendulum", SPACE "gravity 9.81 along -z\nconstraint l : x^2 + y^2 + z^2 = 1\n"
     "guess x = 0.9, y' = 4.5, z = -0.4\n", 1, 3, 1, {NULL}, {0}},
    {"hanging pendulum in space", SPACE "gravity 9.81 along -z\nconstraint l : x^2 + y^2 + z^2 = 1\n"
     "guess z = -1\n", 1, 4, 0, {NULL}, {0}},
    {"moving free particle", SPACE "start x' = 1, y' = 0.3\n", 6, 1, 1, {NULL}, {0}},
    {"resting free particle", SPACE "start x = 0.3\n", 6, 3, 3, {NULL}, {0}},
    {"planet in a circle", PLANE "potential -1/sqrt(x^2 + y^2)\nstart x = 1, y' = 1\n", 1, 3, 1, {NULL}, {0}},
    {"isotropic oscillator in a circle", PLANE "potential x^2 + y^2\nstart x = 1, y' = 1.4\n", 1, 3, 1, {NULL}, {0}},
    {"anisotropic oscillator", PLANE "potential x^2 + 2*y^2\nstart x = 0.1\n", 0, 4, 0, {NULL}, {0}},
    /* the centre's velocity turns in the frame of those who turn along: only the rate of turning is
     * a family */
    {"two bodies about each other", TWO "start x = 0.75, u = -0.35, y' = 3, v' = -1.5\n", 3, 5, 1, {NULL}, {0}},
    /* at rest it goes on steadily, or the bodies turn, but not both: branches of solutions meet */
    {"!two bodies at rest", TWO "start x = 0.7, u = -0.3\n", 3, 5, 3, {NULL}, {0}},
    {"charge in a plane", PLANE "force (x, y) = (2*y', -2*x')\nstart x = 0.5, y' = -1\n", 3, 1, 1, {NULL}, {0}},
    {"charge in space", SPACE "force (x, y, z) = (2*y', -2*x', 0)\nstart x = 0.5, y' = -1, z' = 0.2\n", 4, 2, 2, {NULL}, {0}},
    {"skate on level ice", "model m\nunits none\ncoord x, y, th\nkinetic (x'^2 + y'^2)/2 + th'^2/20\n"
     "constraint edge : y'*cos(th) = x'*sin(th)\nstart th' = 1, x' = 2\n", 3, 2, 2, {NULL}, {0}},
    {"pendulum on a cart", "model m\nunits none\ncoord s, a\nparticle C : 2 at (s, 0)\n"
     "particle P : 1 at (s + sin(a), -cos(a))\ngravity 9.81 along -y\nstart s' = 1, a = 0.1\n", 1, 3, 1, {NULL}, {0}},
    {"bead on a hoop that turns freely", "model m\nunits none\ncoord th, psi\n"
     "kinetic th'^2/2 + (0.3 + sin(th)^2)*psi'^2/2\npotential -9.81*cos(th)\nstart th = 1, psi' = 4\n", 1, 3, 1, {NULL}, {0}},
    {"two masses on a line", "model m\nunits none\ncoord x, u\nparticle P : 1 at (x, 0)\nparticle Q : 3 at (u, 0)\n"
     "potential 5*(x - u - 1)^2\nstart x = 1, u' = 0.5, x' = 0.5\n", 1, 3, 1, {NULL}, {0}},
    {"sailing with drag", "model m\nunits none\ncoord x, y\nparticle P : 1 at (x, y)\n"
     "force (x, y) = (1 - x', -y')\nstart x' = 0.8\n", 2, 2, 0, {NULL}, {0}},
};
/* clang-format on */

static steady_model m;

static void open_sample(const sample *s) {
    steady_open(&m, s->text, "lagrange");
    for (int i = 0; i < 3 && s->hold[i]; i++)
        if (s->hold[i][0] == '~')
            m.x[steady_entry(&m, s->hold[i] + 1)] = s->value[i];
        else
            steady_hold(&m, s->hold[i], s->value[i]);
}

static void check_sizes(const sample *s) {
    bool family = false;
    if (m.symmetries.n != s->symmetries || m.linear.n != s->reduced ||
        m.linear.nfamily != s->families)
        fail_msg("%s: %d symmetries, %d/%d, not %d, %d/%d", s->name, m.symmetries.n, m.linear.n,
                 m.linear.nfamily, s->symmetries, s->reduced, s->families);
    assert_int_equal(
        zw_steady_is_family(m.flow, &m.symmetries, &m.at, &m.linear, m.scale, &family, &m.err),
        ZW_OK);
    if (family != (s->name[0] != '!'))
        fail_msg("%s: its zeros are%s a family", s->name, family ? "" : " not");
    assert_true(m.linear.leak < 1e-11);
    assert_true(m.linear.mix < 1e-9);
}

static void test_families__are_counted(void **state) {
    (void)state;
    for (size_t i = 0; i < sizeof samples / sizeof *samples; i++) {
        open_sample(&samples[i]);
        steady_solve(&m);
        check_sizes(&samples[i]);
        steady_close(&m);
    }
}

/* x along combination a of the symmetries for the time 1, by the classical method of Runge and
 * Kutta */
static void move_along(const double *a, double *x) {
    enum { STEPS = 200 };
    double k[4][STEADY_MAX], at[STEADY_MAX], X[STEADY_MAX * STEADY_MAX], h = 1.0 / STEPS;
    static const double part[] = {0, 0.5, 0.5, 1};
    int nx = m.kernel->nx;
    for (int n = 0; n < STEPS; n++) {
        for (int s = 0; s < 4; s++) {
            for (int i = 0; i < nx; i++)
                at[i] = x[i] + (s ? h * part[s] * k[s - 1][i] : 0);
            assert_int_equal(zw_symmetries_at(&m.symmetries, m.flow, 0, at, NULL, X, &m.err),
                             ZW_OK);
            for (int i = 0; i < nx; i++) {
                k[s][i] = 0;
                for (int j = 0; j < m.symmetries.n; j++)
                    k[s][i] += a[j] * X[j * nx + i];
            }
        }
        for (int i = 0; i < nx; i++)
            x[i] += h / 6 * (k[0][i] + 2 * k[1][i] + 2 * k[2][i] + k[3][i]);
    }
}

/* anywhere on the orbit there is the same motion, with the same eigenvalues */
static void test_families__same_anywhere_on_the_orbit(void **state) {
    (void)state;
    test_random r = {31};
    for (size_t i = 0; i < sizeof samples / sizeof *samples; i++) {
        const sample *s = &samples[i];
        double re[STEADY_MAX], im[STEADY_MAX], a[STEADY_MAX];
        open_sample(s);
        steady_solve(&m);
        int n = m.linear.n;
        memcpy(re, m.linear.re, sizeof(double) * (size_t)n);
        memcpy(im, m.linear.im, sizeof(double) * (size_t)n);
        for (int j = 0; j < m.symmetries.n; j++)
            a[j] = test_random_real(&r, -2, 2);
        move_along(a, m.x);
        m.nhold = 0;
        steady_solve(&m);
        check_sizes(s);
        for (int j = 0; j < n; j++)
            if (hypot(re[j], im[j]) > 1e-3)
                steady_has(&m, re[j], im[j], 1e-6);
        steady_close(&m);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_families__are_counted),
        cmocka_unit_test(test_families__same_anywhere_on_the_orbit),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
