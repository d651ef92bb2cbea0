/* SPDX-License-Identifier: MIT */
/* Marks of branches of orbits and the branches that leave there. Places are compared with shooting:
 * an integration of the motion and of its linear equations, with a search for the value at which a
 * multiplier is 1, -1 or on the unit circle, which shares nothing with collocation. */
#include <math.h>

#include "motion/segments/periodic.h"
#include "support/test.h"
#include "zwang/zwang.h"

static zw_context *ctx;
static zw_system *sys;
static zw_orbits *study;
static zw_error err;

static const char roessler[] =
    "model roessler\nunits none\nparam a = 0.2, b = 0.2, c = 2.5\n"
    "state x, y, z : x' = -y - z, y' = x + a*y, z' = b + z*(x - c)\nstart x = 1, y = 1, z = 1\n";
static const char pendulum[] =
    "model pendulum\nunits none\nparam c = 0.2, F = 0.5, Omega = 2/3\ncoord x\nkinetic x'^2/2\n"
    "potential -cos(x)\nforce (x) = -c*x' + F*cos(Omega*t)\nstart x = 0.3\n";
static const char pumped[] =
    "model pumped\nunits none\nparam mu = 0.1, F = 0.4, Omega = 1.1\ncoord x\nkinetic x'^2/2\n"
    "potential x^2/2\nforce (x) = mu*(1 - x^2)*x' + F*cos(Omega*t)\nstart x = 0.3\n";
static const char duffing[] =
    "model duffing\nunits none\nparam c = 0.2, F = 1, Omega = 1\ncoord x\nkinetic x'^2/2\n"
    "potential x^2/2 + x^4/4\nforce (x) = -c*x' + F*cos(Omega*t)\nstart x = 0\n";
static const char canard[] =
    "model canard\nunits none\nparam a = 0.9, eps = 0.05\n"
    "state x, y : x' = y - x^3/3 + x, y' = eps*(a - x)\nstart x = 1, y = 0\n";

static void open_study(const char *text, const char *over, double tolerance) {
    zw_orbits_options o = zw_orbits_options_default();
    err = (zw_error){0};
    study = NULL;
    ctx = zw_context_create(NULL);
    o.over = over;
    o.tolerance = tolerance;
    if (zw_model_parse(&sys, ctx, text, strlen(text), "test", NULL, &err) < 0 ||
        zw_orbits_create(&study, sys, &o, &err) < 0)
        fail_msg("%s", err.text);
}

static void follow(const char *text, const char *over, double value, int leave) {
    int number;
    open_study(text, over, 1e-8);
    if (zw_orbits_find(study, value, &number, &err) < 0 ||
        zw_orbits_follow(study, number, &err) < 0 || zw_orbits_switch(study, leave, NULL, &err) < 0)
        fail_msg("%s", err.text);
}

static void close_study(void) {
    zw_orbits_destroy(study);
    zw_context_destroy(ctx);
}

/* the n-th mark of a kind on a branch; NULL: there is none */
static const zw_orbit_motion *mark_of(zw_bifurcation event, int branch, int n) {
    for (int i = 0; i < zw_orbits_count(study); i++) {
        const zw_orbit_motion *m = zw_orbits_at(study, i);
        if (m->curve == branch && m->event == event && n-- == 0)
            return m;
    }
    return NULL;
}

/* ------------------------------------------------------------------------------------- shooting */

typedef struct shooter {
    zw_context *ctx;
    zw_system *sys;
    zw_equations eq;
    zw_kernel *kernel;
    double p[8];
    int over;
    bool autonomous;
    double turn; /* of the first coordinate in a period */
} shooter;

static void open_shooter(shooter *s, const char *text, const char *name, bool autonomous) {
    zw_kernel_options k = zw_kernel_options_default();
    s->ctx = zw_context_create(NULL);
    s->autonomous = autonomous;
    s->turn = 0;
    s->over = -1;
    k.jit = ZW_JIT_NEVER;
    k.functions = ZW_FUNCTIONS_ALL_METHODS;
    assert_true(zw_model_parse(&s->sys, s->ctx, text, strlen(text), "test", NULL, &err) >= 0);
    assert_true(zw_derive(&s->eq, s->sys, NULL, "lagrange", &err) >= 0);
    assert_true(zw_kernel_create(&s->kernel, &s->eq, &k, &err) >= 0);
    assert_true(zw_system_param_values(s->sys, s->p, &err) >= 0);
    for (int i = 0; i < s->sys->np; i++)
        if (strcmp(s->sys->param[i].name, name) == 0)
            s->over = i;
    assert_true(s->over >= 0);
}

static void close_shooter(shooter *s) {
    zw_kernel_destroy(s->kernel);
    zw_context_destroy(s->ctx);
}

/* what is zero at the mark, at a value */
static double passing(shooter *s, const zw_orbit_motion *near, double value) {
    zw_shooting shot = {0};
    zw_shooting_options o = zw_shooting_options_default();
    double g = NAN;
    s->p[s->over] = value;
    o.is_period_free = s->autonomous;
    o.period = near->period;
    double turn[16] = {s->turn};
    o.turn = turn;
    if (zw_shooting_find(&shot, s->kernel, s->p, near->x, &o, &err) < 0)
        fail_msg("%s", err.text);
    const zw_floquet *f = &shot.floquet;
    for (int i = 0; i < f->n; i++) {
        double here = near->event == ZW_BIFURCATION_FLIP    ? f->re[i] + 1
                      : near->event == ZW_BIFURCATION_TORUS ? hypot(f->re[i], f->im[i]) - 1
                                                            : f->re[i] - 1;
        if (i != f->trivial && !(fabs(g) < fabs(here)))
            g = here;
    }
    zw_shooting_clear(&shot);
    return g;
}

/* the value of the mark by shooting alone */
static double refined(shooter *s, const zw_orbit_motion *mark) {
    double a = mark->value - 1e-4, b = mark->value + 1e-4, ga = passing(s, mark, a),
           gb = passing(s, mark, b);
    for (int i = 0; i < 3; i++) {
        double next = b - gb * (b - a) / (gb - ga);
        a = b;
        ga = gb;
        b = next;
        gb = passing(s, mark, b);
    }
    return b;
}

/* the same from four values on the side on which there is one orbit alone: by a polynomial lying on
 * its side */
static double refined_from_afar(shooter *s, const zw_orbit_motion *mark, double h) {
    static const double at[4] = {1, 2, 3, 4};
    double g[4], p[4];
    for (int i = 0; i < 4; i++) {
        p[i] = mark->value + h * at[i];
        g[i] = passing(s, mark, p[i]);
    }
    for (int k = 1; k < 4; k++)
        for (int i = 0; i + k < 4; i++)
            p[i] = (g[i] * p[i + 1] - g[i + k] * p[i]) / (g[i] - g[i + k]);
    return p[0];
}

/* ---------------------------------------------------------------------------------------- tests */

/* Roessler, a = b = 0.2. The next places are 4.186997 and 4.200537: ratios of distances 3.503,
 * 4.569, 4.637 go to 4.669 (M. Feigenbaum, J. Stat. Phys. 19 (1978) 25). */
static void test_switch__cascade_of_roessler(void **state) {
    (void)state;
    shooter s;
    double place[3];
    follow(roessler, "c=2.5:4.2", 2.5, 2);
    open_shooter(&s, roessler, "c", true);
    assert_int_equal(zw_orbits_branches(study), 3);
    for (int k = 0; k < 3; k++) {
        const zw_orbit_motion *m = mark_of(ZW_BIFURCATION_FLIP, k, 0);
        zw_bifurcation event;
        double born;
        int times, parent = zw_orbits_branch_origin(study, k, &event, &born, &times);
        assert_non_null(m);
        place[k] = m->value;
        assert_int_equal(times, 1 << k);
        assert_int_equal(parent, k - 1);
        if (k > 0) {
            assert_int_equal(event, ZW_BIFURCATION_FLIP);
            assert_close(born, place[k - 1], 0);
        }
        assert_close(m->value, refined(&s, m), 2e-8);
    }
    assert_close(place[0], 2.8324450, 1e-7);
    assert_close(place[1], 3.8373582, 1e-6);
    assert_close(place[2], 4.1242147, 1e-6);
    /* stable between its birth and its own doubling, unstable behind it */
    for (int i = 0; i < zw_orbits_count(study); i++) {
        const zw_orbit_motion *m = zw_orbits_at(study, i);
        if (m->curve != 1 || fabs(m->value - place[0]) < 1e-3 || fabs(m->value - place[1]) < 1e-6)
            continue;
        assert_int_equal(m->verdict, m->value < place[1] ? ZW_FLOQUET_STABLE : ZW_FLOQUET_UNSTABLE);
    }
    close_shooter(&s);
    close_study();
}

/* Its symmetry breaks: the two motions that leave are images of each other and told once; each of
 * them doubles its period. */
static void test_switch__pendulum_loses_its_symmetry(void **state) {
    (void)state;
    shooter s;
    follow(pendulum, "F=0.3:0.62", 0.5, 2);
    open_shooter(&s, pendulum, "F", false);
    const zw_orbit_motion *broken = mark_of(ZW_BIFURCATION_BRANCH, 0, 0),
                          *doubled = mark_of(ZW_BIFURCATION_FLIP, 1, 0);
    assert_non_null(broken);
    assert_non_null(doubled);
    assert_int_equal(zw_orbits_branches(study), 3);
    assert_close(broken->value, refined(&s, broken), 1e-8);
    assert_close(doubled->value, refined(&s, doubled), 1e-8);
    assert_int_equal(zw_orbits_branch_origin(study, 2, NULL, NULL, NULL), 1);
    close_shooter(&s);
    close_study();
}

/* The pendulum of G. L. Baker and J. P. Gollub (Chaotic Dynamics, 1990) turns over once in a period
 * of its drive. Orbits of four periods are born at one period doubling of those of two, and end at
 * the next. */
static void test_switch__rotations_and_a_bubble(void **state) {
    (void)state;
    static const char turning[] =
        "model turning\nunits none\nparam c = 0.5, F = 1.37, Omega = 2/3\ncoord x [rad]\n"
        "kinetic x'^2/2\npotential -cos(x)\nforce (x) = -c*x' + F*cos(Omega*t)\nstart x = 0.3\n";
    shooter s;
    follow(turning, "F=1.37:1.489", 1.37, 2);
    open_shooter(&s, turning, "F", false);
    const zw_orbit_motion *first = mark_of(ZW_BIFURCATION_FLIP, 0, 0),
                          *second = mark_of(ZW_BIFURCATION_FLIP, 1, 0),
                          *third = mark_of(ZW_BIFURCATION_FLIP, 1, 1);
    assert_true(first && second && third);
    s.turn = -2 * M_PI;
    assert_close(first->value, refined(&s, first), 1e-8);
    zw_bifurcation event;
    double born;
    int times;
    assert_int_equal(zw_orbits_branch_origin(study, 2, &event, &born, &times), 1);
    assert_int_equal(times, 4);
    assert_close(born, second->value, 1e-12);
    assert_int_equal(zw_orbits_branch_meets(study, 2), 1);
    int last = zw_orbits_count(study) - 1;
    assert_int_equal(zw_orbits_at(study, last)->curve, 2);
    assert_close(zw_orbits_at(study, last)->value, third->value, 1e-12);
    close_shooter(&s);
    close_study();
}

/* Z' = Z (p (1 - p) - Z^2): Z = 0, and from p = 0 to 1 its images Z = +-sqrt(p (1 - p)). Z' = Z (p
 * - Z): two branches cross. */
#define BESIDE(rate)                                                                               \
    "model beside\nunits none\nparam p = -0.2\nstate z, y : z' = " rate " + cos(t)/2, "            \
    "y' = cos(t) - y\nlet Z = z - sin(t)/2\nstart z = 0, y = 0.5\n"
static void test_switch__branches_that_meet_twice_and_cross(void **state) {
    (void)state;
    follow(BESIDE("Z*(p*(1 - p) - Z^2)"), "p=-0.51:1.52", -0.2, 4);
    assert_int_equal(zw_orbits_branches(study), 2);
    assert_int_equal(zw_orbits_branch_meets(study, 1), 0);
    for (int i = 0; i < zw_orbits_count(study); i++) {
        const zw_orbit_motion *m = zw_orbits_at(study, i);
        if (m->curve == 1)
            assert_close(fabs(m->measure[0].mean), sqrt(fmax(m->value * (1 - m->value), 0)), 1e-6);
    }
    assert_close(mark_of(ZW_BIFURCATION_BRANCH, 0, 0)->value, 0, 1e-10);
    assert_close(mark_of(ZW_BIFURCATION_BRANCH, 0, 1)->value, 1, 1e-10);
    close_study();
    follow(BESIDE("Z*(p - Z)"), "p=-0.51:1.02", -0.2, 4);
    assert_int_equal(zw_orbits_branches(study), 3);
    for (int i = 0; i < zw_orbits_count(study); i++) {
        const zw_orbit_motion *m = zw_orbits_at(study, i);
        if (m->curve > 0)
            assert_close(m->measure[0].mean, m->value, 1e-8);
    }
    close_study();
}

/* Lorenz, sigma = 10, b = 8/3, from large r down: the symmetric orbit loses its symmetry at 313,
 * the others double their period at 229.4, 218.2, ... (C. Sparrow, The Lorenz Equations (1982),
 * chapter 4) */
static void test_switch__lorenz_from_above(void **state) {
    (void)state;
    static const char lorenz[] =
        "model lorenz\nunits none\nparam r = 350\nstate x, y, z : x' = 10*(y - x), "
        "y' = r*x - y - x*z, z' = x*y - 8/3*z\nstart x = 7, y = 7, z = 19\n";
    shooter s;
    follow(lorenz, "r=200:350", 350, 2);
    open_shooter(&s, lorenz, "r", true);
    const zw_orbit_motion *broken = mark_of(ZW_BIFURCATION_BRANCH, 0, 0),
                          *first = mark_of(ZW_BIFURCATION_FLIP, 1, 0),
                          *second = mark_of(ZW_BIFURCATION_FLIP, 2, 0);
    assert_true(broken && first && second);
    assert_close(broken->value, 313, 0.1);
    assert_close(first->value, 229.4, 0.1);
    assert_close(second->value, 218.2, 0.1);
    assert_close(broken->value / refined_from_afar(&s, broken, 0.1), 1, 1e-8);
    assert_close(first->value / refined(&s, first), 1, 1e-8);
    assert_close(second->value / refined(&s, second), 1, 1e-8);
    close_shooter(&s);
    close_study();
}

/* Free oscillations y = A cos 2t, x = 0 of a conservative system, of energy 2 A^2: x'' + (1 + y^2)
 * x = 0 is Mathieu's equation with 1/4 + 2q and q = A^2/16, and another family leaves where that is
 * the characteristic value b_1(q) (M. Abramowitz, I. A. Stegun, Handbook of Mathematical Functions,
 * 20.2.25). */
static void test_switch__families_of_a_conservative_system(void **state) {
    (void)state;
    static const char text[] = "model free\nunits none\ncoord x, y\nkinetic (x'^2 + y'^2)/2\n"
                               "potential x^2/2 + 2*y^2 + x^4/4 + x^2*y^2/2\nstart y = 1\n";
    const zw_orbits_start start = {.from = ZW_ORBITS_FROM_MODE, .mode = 2};
    int number, found;
    double q = 0.25;
    for (int i = 0; i < 50; i++)
        q = (0.75 - q * q / 8 + q * q * q / 64 - pow(q, 4) / 1536 - 11 * pow(q, 5) / 36864 +
             49 * pow(q, 6) / 589824) /
            3;
    open_study(text, "energy=4:12", 1e-8);
    if (zw_orbits_find_from(study, &start, NAN, &number, &err) < 0 ||
        zw_orbits_follow(study, number, &err) < 0 || zw_orbits_switch(study, 1, &found, &err) < 0)
        fail_msg("%s", err.text);
    assert_int_equal(found, 1);
    assert_close(mark_of(ZW_BIFURCATION_BRANCH, 0, 0)->value, 32 * q, 1e-6);
    for (int i = 0; i < zw_orbits_count(study); i++)
        assert_true(fabs(zw_orbits_at(study, i)->damping) < 1e-7);
    close_study();
}

static void test_switch__torus_of_a_driven_oscillator(void **state) {
    (void)state;
    shooter s;
    follow(pumped, "Omega=1.05:1.2", 1.06, 5);
    open_shooter(&s, pumped, "Omega", false);
    zw_orbit_motion m = *mark_of(ZW_BIFURCATION_TORUS, 0, 0);
    assert_int_equal(zw_orbits_branches(study), 1);
    double period = m.period;
    double h = 1e-5, g[2];
    for (int i = 0; i < 2; i++) {
        double at = m.value + (i ? h : -h); /* the period of the drive belongs to the value */
        m.period = 2 * M_PI / at;
        g[i] = passing(&s, &m, at);
    }
    assert_true(g[0] < 0 && g[1] > 0);
    assert_close((g[0] + g[1]) / (g[0] - g[1]) * h, 0, 1e-8);
    assert_close(period, 2 * M_PI / m.value, 1e-12);
    close_shooter(&s);
    close_study();
}

/* folds by the balance of harmonics */
static void test_switch__folds_of_duffing(void **state) {
    (void)state;
    zw_forced *f;
    zw_forced_options o = zw_forced_options_default();
    int number, n = 0;
    follow(duffing, "Omega=0.8:2.6", 2.5, 5);
    o.over = "Omega=0.8:2.6";
    o.tolerance = 1e-10;
    if (zw_forced_create(&f, sys, &o, &err) < 0 || zw_forced_find(f, 2.5, &number, &err) < 0 ||
        zw_forced_follow(f, number, &err) < 0)
        fail_msg("%s", err.text);
    for (int i = 0; i < zw_forced_motions(f); i++)
        if (zw_forced_motion_at(f, i)->event == ZW_BIFURCATION_FOLD) {
            const zw_orbit_motion *m = mark_of(ZW_BIFURCATION_FOLD, 0, n++);
            assert_non_null(m);
            assert_close(m->value, zw_forced_motion_at(f, i)->value, 1e-8);
        }
    assert_int_equal(n, 2);
    assert_null(mark_of(ZW_BIFURCATION_FOLD, 0, 2));
    zw_forced_destroy(f);
    close_study();
}

/* A cycle that explodes at a = 1 - eps/8 - 3 eps^2/32 + ... (W. Eckhaus, Lecture Notes in
 * Mathematics 985 (1983) 449), within less than the digits of a: it grows all the way, without
 * folds and, in a plane, without period doublings. What is not known there is told once. */
static void test_switch__canards_have_no_folds(void **state) {
    (void)state;
    int born, told = 0;
    zw_warnings *doubts = zw_warnings_create(NULL);
    open_study(canard, "a=0.9:1.1", 1e-6);
    if (zw_orbits_from_hopf(study, &born, &err) < 0)
        fail_msg("%s", err.text);
    double low = 2, explodes = 0;
    for (int i = 0; i < zw_orbits_count(study); i++) {
        const zw_orbit_motion *m = zw_orbits_at(study, i);
        assert_true(m->event == ZW_BIFURCATION_POINT || m->event == ZW_BIFURCATION_END);
        assert_int_not_equal(m->verdict, ZW_FLOQUET_UNSTABLE);
        low = fmin(low, m->value);
        if (m->measure[0].min < -1 && explodes == 0)
            explodes = m->value;
    }
    assert_close(low, 0.9, 0);
    assert_close(explodes, 1 - 0.05 / 8 - 3 * 0.05 * 0.05 / 32, 5e-5);
    zw_orbits_warnings(study, doubts);
    for (int i = 0; i < zw_warnings_count(doubts); i++)
        told += strcmp(zw_warnings_at(doubts, i)->key, "fold") == 0;
    assert_true(told <= 1);
    zw_warnings_destroy(doubts);
    close_study();
}

/* CO oxidation (V. I. Bykov, G. S. Yablonskii, V. F. Kim; an example of MatCont): both folds of its
 * cycles lie on canards, where da/ds is about 1e-5 on both sides. The values were found by others,
 * to 1e-9; meshes for a thousandth of the error have the same. */
static void test_switch__folds_on_canards(void **state) {
    static const char text[] =
        "model co\nunits none\nparam k2 = 1.0409, K = 0.4, k1 = 2.5, km1 = 1, k3 = 10, km2 = 0.1, "
        "k4 = 0.0675\nstate x : x' = 2*k1*z^2 - 2*km1*x^2 - k3*x*y\n"
        "state y : y' = k2*z - km2*y - k3*x*y\nstate s : s' = k4*(z - K*s)\n"
        "let z = 1 - x - y - s\nstart x = 0.0782, y = 0.2325, s = 0.4924\n";
    static const double folds[2] = {1.039162965, 1.053610281};
    double found[2][2];
    (void)state;
    for (int fine = 0; fine < 2; fine++) {
        int number;
        open_study(text, "k2=1.03:1.06", fine ? 1e-9 : 1e-6);
        if (zw_orbits_find(study, 1.045, &number, &err) < 0 ||
            zw_orbits_follow(study, number, &err) < 0)
            fail_msg("%s", err.text);
        for (int k = 0; k < 2; k++) {
            const zw_orbit_motion *m = mark_of(ZW_BIFURCATION_FOLD, 0, k);
            assert_non_null(m);
            found[fine][k] = m->value;
            assert_close(m->value, folds[k], 2e-9);
        }
        assert_null(mark_of(ZW_BIFURCATION_FOLD, 0, 2));
        close_study();
    }
    for (int k = 0; k < 2; k++)
        assert_close(found[0][k], found[1][k], 1e-9);
}

/* --------------------------------------------------------------------------------- normal forms */

/* xi of an orbit of two rounds: half of what the rounds are apart at the beginning is xi q, beside
 * a shift along the motion */
static double split_of(const zw_orbit_motion *m, const double *q, int nx, bool shifted,
                       int stages) {
    int stride = nx * (stages + 1), half = 0;
    while (m->mesh[half] < 0.5)
        half++;
    assert_close(m->mesh[half], 0.5, 1e-12);
    const double *a = m->x, *b = m->x + (size_t)(half * stride),
                 *f = m->x + nx; /* a slope near it */
    double qq = 0, qf = 0, ff = 0, qd = 0, fd = 0;
    for (int i = 0; i < nx; i++) {
        double d = 0.5 * (a[i] - b[i]);
        qq += q[i] * q[i];
        qf += q[i] * f[i];
        ff += f[i] * f[i];
        qd += q[i] * d;
        fd += f[i] * d;
    }
    return shifted ? (qd * ff - fd * qf) / (qq * ff - qf * qf) : qd / qq;
}

/* Behind a period doubling the multiplier of the orbits of two rounds is 1 - 4 c xi^2: c by the
 * first two of them, which have the mesh of the mark */
static void compare_with_branch(int branch, const zw_orbit_motion *mark, bool autonomous) {
    double xi2[2], c[2];
    int n = 0, nx = autonomous ? 3 : 2, first = 0;
    while (zw_orbits_at(study, first)->curve != branch)
        first++;
    for (int i = first + 1; n < 2; i++) {
        const zw_orbit_motion *m = zw_orbits_at(study, i);
        double near = NAN, xi = split_of(m, mark->normal->q_re, nx, autonomous, 4);
        int trivial = -1;
        for (int k = 0; k < m->nmultiplier && autonomous; k++)
            if (trivial < 0 || fabs(m->re[k] - 1) < fabs(m->re[trivial] - 1))
                trivial = k;
        for (int k = 0; k < m->nmultiplier; k++)
            if (k != trivial && !(fabs(m->re[k] - 1) >= fabs(near - 1)))
                near = m->re[k];
        xi2[n] = xi * xi;
        c[n++] = (1 - near) / (4 * xi * xi);
    }
    double limit = c[0] - xi2[0] * (c[1] - c[0]) / (xi2[1] - xi2[0]);
    assert_int_equal(mark->normal->criticality, ZW_ORBIT_SUPERCRITICAL);
    assert_close(limit / mark->normal->form.coefficient, 1, 5e-3);
}

static void test_switch__amplitudes_are_those_of_normal_forms(void **state) {
    (void)state;
    follow(roessler, "c=2.5:3", 2.5, 1);
    compare_with_branch(1, mark_of(ZW_BIFURCATION_FLIP, 0, 0), true);
    close_study();
    follow(pendulum, "F=0.57:0.6", 0.58, 1);
    compare_with_branch(1, mark_of(ZW_BIFURCATION_FLIP, 0, 0), false);
    close_study();
}

/* the same pendulum in x = sin phi, y = -cos phi: c belongs to one disturbance, told by what it is
 * of phi */
static void test_switch__normal_forms_on_constraints(void **state) {
    (void)state;
    static const char cartesian[] =
        "model cartesian\nunits none\nparam c = 0.2, F = 0.5, Omega = 2/3\ncoord x, y\n"
        "kinetic (x'^2 + y'^2)/2\npotential y\nconstraint rod : x^2 + y^2 = 1\n"
        "let torque = F*cos(Omega*t) - c*(x*y' - y*x')\n"
        "force (x) = -y*torque\nforce (y) = x*torque\nstart x = sin(0.3), y = -cos(0.3)\n";
    double form[2], place[2];
    for (int k = 0; k < 2; k++) {
        follow(k ? cartesian : pendulum, "F=0.57:0.6", 0.58, 0);
        const zw_orbit_motion *m = mark_of(ZW_BIFURCATION_FLIP, 0, 0);
        assert_non_null(m);
        const double *q = m->normal->q_re, *x = m->x;
        double angle = k ? x[0] * q[1] - x[1] * q[0] : q[0];
        if (m->normal->why[0])
            fail_msg("%s", m->normal->why);
        form[k] = m->normal->form.coefficient / (angle * angle);
        place[k] = m->value;
        close_study();
    }
    assert_close(place[0], place[1], 1e-8);
    assert_close(form[1] / form[0], 1, 1e-5);
}

/* The coefficient is one of the orbit, wherever it begins, but for the sizes of the orbit, which
 * are measured at 200 instants: to 1e-4. */
static void test_switch__normal_forms_know_no_beginning(void **state) {
    (void)state;
    double c[2];
    for (int k = 0; k < 2; k++) {
        char text[300];
        snprintf(text, sizeof text, "%s%s", roessler, k ? "start x = -3, y = -1\n" : "");
        if (k) { /* starts are said once */
            char *old = strstr(text, "start x = 1");
            memset(old, ' ', strlen("start x = 1, y = 1, z = 1"));
        }
        follow(text, "c=2.7:2.9", 2.7, 0);
        c[k] = mark_of(ZW_BIFURCATION_FLIP, 0, 0)->normal->form.coefficient;
        close_study();
    }
    assert_close(c[1] / c[0], 1, 5e-4);
}

/* with an absolute value in a force there are no third derivatives where it passes zero */
static void test_switch__no_normal_form_without_derivatives(void **state) {
    (void)state;
    static const char rough[] =
        "model rough\nunits none\nparam c = 0.2, F = 0.5, Omega = 2/3\ncoord x\nkinetic x'^2/2\n"
        "potential -cos(x)\nforce (x) = -c*x' - 0.001*x'*abs(x') + F*cos(Omega*t)\nstart x = 0.3\n";
    follow(rough, "F=0.57:0.62", 0.58, 0);
    const zw_orbit_motion *m = mark_of(ZW_BIFURCATION_FLIP, 0, 0);
    assert_non_null(m);
    assert_int_equal(m->normal->criticality, ZW_ORBIT_NOT_TOLD);
    assert_non_null(strstr(m->normal->why, "abs(x')"));
    close_study();
}

static void test_switch__needs_a_parameter(void **state) {
    (void)state;
    open_study(roessler, NULL, 1e-6);
    assert_int_equal(zw_orbits_switch(study, 1, NULL, &err), ZW_E_OPTION);
    close_study();
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_switch__cascade_of_roessler),
        cmocka_unit_test(test_switch__pendulum_loses_its_symmetry),
        cmocka_unit_test(test_switch__rotations_and_a_bubble),
        cmocka_unit_test(test_switch__branches_that_meet_twice_and_cross),
        cmocka_unit_test(test_switch__lorenz_from_above),
        cmocka_unit_test(test_switch__families_of_a_conservative_system),
        cmocka_unit_test(test_switch__torus_of_a_driven_oscillator),
        cmocka_unit_test(test_switch__folds_of_duffing),
        cmocka_unit_test(test_switch__canards_have_no_folds),
        cmocka_unit_test(test_switch__folds_on_canards),
        cmocka_unit_test(test_switch__amplitudes_are_those_of_normal_forms),
        cmocka_unit_test(test_switch__normal_forms_on_constraints),
        cmocka_unit_test(test_switch__normal_forms_know_no_beginning),
        cmocka_unit_test(test_switch__no_normal_form_without_derivatives),
        cmocka_unit_test(test_switch__needs_a_parameter),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
