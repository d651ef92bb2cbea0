/* SPDX-License-Identifier: MIT */
/* What constraints on velocities integrate to, and that equilibria, branches, orbits and forced
 * motions stay on the leaf of the start. A ball that rolls in a smooth surface has 7/5 of its mass:
 * in a potential well of the surface of its centre the rates are sqrt(5/7) of those of a
 * particle. */
#include <math.h>
#include <stdlib.h>

#include "support/failing_allocator.h"
#include "support/orbits.h"
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

static void read_text(const char *text) {
    if (zw_model_parse(&sys, ctx, text, strlen(text), "test.zw", NULL, &err) < 0)
        fail_msg("%s", err.text);
}

static void find_equilibrium(const char *text, const char *hold) {
    zw_equilibria_options options = zw_equilibria_options_default();
    options.nhold = hold ? 1 : 0;
    options.hold = &hold;
    zw_equilibria_destroy(e);
    e = NULL;
    read_text(text);
    if (zw_equilibria_create(&e, sys, &options, &err) < 0 || zw_equilibria_find(e, &err) < 0)
        fail_msg("%s", err.text);
}

/* an eigenvalue re + i im is there */
static void expect_eigenvalue(double re, double im) {
    const zw_linearisation *a = zw_equilibria_linear(e);
    double nearest = INFINITY;
    for (int i = 0; i < a->n; i++)
        nearest = fmin(nearest, hypot(a->re[i] - re, fabs(a->im[i]) - im));
    if (!(nearest < 1e-7))
        fail_msg("no eigenvalue %.10g, %.10g: the nearest is %g off", re, im, nearest);
}

static void expect_place(double x, double y, double z) {
    const double *at = zw_equilibria_motion(e)->x;
    assert_close(at[0], x, 1e-9);
    assert_close(at[1], y, 1e-9);
    assert_close(at[2], z, 1e-9);
}

/* its dimensions, those of symmetries among them */
static int dimensions(void) {
    return zw_equilibria_linear(e)->n + zw_equilibria_linear(e)->norbit;
}

#define BALL                                                                                       \
    "model ball\nparam m = 1 [kg], r = 0.1 [m], R = 0.9 [m], g = 9.81 [m/s^2], F = 4 [N]\n"        \
    "coord x, y, z [m]\nbody ball : sphere(m, r) at (x, y, z)\ngravity g along -z\n"
#define WIND "force wind at ball.origin = (F, 0, 0)\n"
#define BOWL "rolling roll : sphere ball radius r on sphere centre (0, 0, R) radius R inside\n"
#define HILL "rolling roll : sphere ball radius r on sphere centre (0, 0, -R) radius R outside\n"

static const double g = 9.81, F = 4, q = 0.8;

/* tan th = F/(m g), rate sqrt(5/7 sqrt(g^2 + F^2/m^2)/q); six of the 13 entries of the state are
 * given by others */
static void test_integrals__ball_in_a_bowl(void **state) {
    (void)state;
    double th = atan2(F, g), rate = sqrt(5 * hypot(g, F) / (7 * q));
    find_equilibrium(BALL BOWL WIND "start x = 0, y = 0, z = r\n", NULL);
    expect_place(q * sin(th), 0, 0.9 - q * cos(th));
    expect_eigenvalue(0, rate);
    assert_int_equal(dimensions(), 8);
    find_equilibrium(BALL BOWL "start x = 0.1 [m], y = 0\nguess z = r\n", NULL);
    expect_place(0, 0, 0.1);
    expect_eigenvalue(0, sqrt(5 * g / (7 * q)));
    find_equilibrium(BALL HILL "start x = 0.05 [m], y = 0\nguess z = r\n", NULL); /* R + r = 1 */
    expect_place(0, 0, 0.1);
    expect_eigenvalue(sqrt(5 * g / 7), 0);
}

/* slipping, with a constraint for the gap, or as a contact that holds: the same place */
static void test_integrals__same_place_by_other_words(void **state) {
    (void)state;
    static const char *const words[] = {
        BOWL,
        ("rolling roll : sphere ball radius r on sphere centre (0, 0, R) radius R inside, "
         "slipping\n"),
        "constraint gap : norm((x, y, z - R)) = R - r\n",
        "contact wall : sphere ball radius r inside sphere centre (0, 0, R) radius R, bilateral\n",
        "constraint roll : (x', y', z') = r*cross((x, y, z - R)/(R - r), ball.w)\n"};
    double th = atan2(F, g);
    for (size_t i = 0; i < sizeof words / sizeof *words; i++) {
        char text[1000];
        snprintf(text, sizeof text, "%s%sstart x = 0, y = 0, z = r\n", BALL WIND, words[i]);
        find_equilibrium(text, NULL);
        expect_place(q * sin(th), 0, 0.9 - q * cos(th));
    }
}

#define BY_HAND "constraint roll : (x', y', z') = r*cross(n, ball.w)\n"

/* Surfaces of the centre that no statement has: the normal part of the slip is integrated. */
static void test_integrals__surfaces_by_hand(void **state) {
    (void)state;
    double th = atan2(F, g), rate = sqrt(5 * hypot(g, F) / (7 * q));
    static const char *const cylinders[] = {"let n = (x, 0, z)/0.8 [m]\n",
                                            "let n = (x, 0, z)/norm((x, 0, z))\n"};
    for (int i = 0; i < 2; i++) {
        char text[1000];
        snprintf(text, sizeof text, "%s%s%sstart x = 0, y = 0, z = -0.8 [m]\n", BALL WIND,
                 cylinders[i], BY_HAND);
        find_equilibrium(text, NULL);
        expect_place(q * sin(th), 0, -q * cos(th));
        expect_eigenvalue(0, rate);
        assert_int_equal(dimensions(), 8);
    }
    static const char *const tori[] = {"let n = k/0.8 [m]\n", "let n = k/norm(k)\n"};
    for (int i = 0; i < 2;
         i++) { /* in a tube about a ring: pushed outwards, in the plane of x and z */
        char text[1000];
        snprintf(text, sizeof text,
                 "%sparam A = 2 [m]\nlet rho = sqrt(x^2 + y^2)\n"
                 "let k = ((rho - A)*x/rho, (rho - A)*y/rho, z)\n%s%s"
                 "start x = A, y = 0, z = -0.8 [m]\n",
                 BALL WIND, tori[i], BY_HAND);
        find_equilibrium(text, NULL);
        expect_place(2 + q * sin(th), 0, -q * cos(th));
        expect_eigenvalue(0, rate);
        assert_int_equal(dimensions(), 8);
    }
    /* the bottom of an ellipsoid has the radii of curvature a^2/c and b^2/c */
    find_equilibrium(BALL "param a = 1 [m], b = 1.3 [m], c = 0.7 [m]\n"
                          "let k = (x/a^2, y/b^2, z/c^2)\nlet n = k/norm(k)\n" BY_HAND
                          "start x = 0, y = 0.1 [m], z = -c*sqrt(1 - 0.01 [m^2]/b^2)\n",
                     NULL);
    expect_place(0, 0, -0.7);
    expect_eigenvalue(0, sqrt(5 * g * 0.7 / 7));
    expect_eigenvalue(0, sqrt(5 * g * 0.7 / (7 * 1.69)));
    assert_int_equal(dimensions(), 8);
}

#define GEAR                                                                                       \
    "model gear\nunits none\nparam r = 0.5, k1 = 2, k2 = 3, a = 1\ncoord x, th\n"                  \
    "kinetic (x'^2 + th'^2)/2\npotential k1*(x - a)^2/2 + k2*th^2/2\n"                             \
    "constraint gear : x' = r*th'\ndissipation 0.5*th'^2\n"

/* x = c + r th on the leaf c: (k1 r^2 + k2) th = k1 r (a - c) */
/* A thin disc stands upright in a spherical bowl, its rim at rest at the lowest point of the
 * sphere: the gap is hidden in three components of the velocity of the rim, and is found because
 * the model observes it. In its plane it swings with J + m r^2 = 3/2 m r^2, w^2 = g/(3/2 (R - r));
 * about the tangent at the rim, where J = 1/4 m r^2 + m r^2, it falls with s^2 = 4 g/(5 r). */
static void test_integrals__disc_in_a_sphere(void **state) {
    (void)state;
    find_equilibrium("model disc\nparam m = 1 [kg], r = 0.2 [m], R = 0.9 [m], g = 9.81 [m/s^2]\n"
                     "coord x, y, z [m]\nrotation B\nbody disc : B at (x, y, z), disk(m, r)\n"
                     "let d = (x, y, z)\nlet across = d - dot(d, B.z)*B.z\n"
                     "point C : disc.origin + r*across/norm(across)\nlet slip = disc.velocity(C)\n"
                     "constraint roll : slip.x = 0, slip.y = 0, slip.z = 0\ngravity g along -z\n"
                     "observe gap = R - norm(C - (0, 0, 0))\n"
                     "start z = -(R - r), B.p0 = sqrt(0.5), B.p1 = sqrt(0.5)\n",
                     NULL);
    expect_place(0, 0, -0.7);
    assert_int_equal(dimensions(), 8);
    expect_eigenvalue(0, sqrt(g / (1.5 * 0.7)));
    expect_eigenvalue(sqrt(0.8 * g / 0.2), 0);
    expect_eigenvalue(-sqrt(0.8 * g / 0.2), 0);
}

static void expect_gear(double c, double r) {
    double th = 2 * r * (1 - c) / (2 * r * r + 3);
    assert_close(zw_equilibria_motion(e)->x[0], c + r * th, 1e-11);
    assert_close(zw_equilibria_motion(e)->x[1], th, 1e-11);
}

static void test_integrals__gear_stays_on_its_leaf(void **state) {
    (void)state;
    find_equilibrium(GEAR "start x = 0, th = 0\n", NULL); /* 1/7, 2/7 */
    assert_close(zw_equilibria_motion(e)->x[0], 1.0 / 7, 1e-11);
    assert_close(zw_equilibria_motion(e)->x[1], 2.0 / 7, 1e-11);
    assert_int_equal(dimensions(), 2);
    find_equilibrium(GEAR "start x = 0.3, th = 0.2\n", NULL);
    expect_gear(0.2, 0.5);
    find_equilibrium(GEAR "start x = 0, th = 0\n", "x - r*th=0.4"); /* another leaf */
    expect_gear(0.4, 0.5);
}

/* over a parameter of the leaf: each point is that of a model that has the value, also where the
 * start follows it */
static void test_integrals__leaf_over_a_parameter(void **state) {
    (void)state;
    zw_equilibria_options options = zw_equilibria_options_default();
    int r = 0;
    options.nparameter = 1;
    options.parameter = &r;
    options.functions = ZW_SET(JAC_P);
    read_text(GEAR "start x = 2*r, th = 0.4\n");
    if (zw_equilibria_create(&e, sys, &options, &err) < 0 || zw_equilibria_find(e, &err) < 0)
        fail_msg("%s", err.text);
    expect_gear(0.8, 0.5);
    double p[4];
    memcpy(p, zw_flow_parameters(zw_equilibria_flow(e)), sizeof p);
    p[0] = 0.7;
    assert_int_equal(zw_flow_set_parameters(zw_equilibria_flow(e), p, &err), ZW_OK);
    assert_int_equal(zw_equilibria_find(e, &err), ZW_OK);
    expect_gear(1.4 - 0.28, 0.7);
}

/* -------------------------------------------------------------------------------- what is found */

static void expect_integrals(const char *text, int n, double first) {
    zw_integrals found;
    zw_completion start = {0};
    double p[20], x[40];
    read_text(text);
    if (zw_system_param_values(sys, p, &err) < 0 ||
        zw_system_complete(sys, NULL, 0, p, x, &start, &err) < 0 ||
        zw_integrals_find(&found, sys, NULL, 0, p, x, 0, NULL, &err) < 0)
        fail_msg("%s", err.text);
    if (found.n != n)
        fail_msg("%d integrals, not %d, of %s", found.n, n, text);
    if (n)
        assert_close(found.at[0], first, 1e-12);
}

#define PLANE                                                                                      \
    "model m\nunits none\ncoord x, y, th, u, w\nkinetic x'^2 + y'^2 + th'^2 + u'^2 + w'^2\n"

static void test_integrals__forms(void **state) {
    (void)state;
    expect_integrals(PLANE "constraint a : x' = 2*u'\nconstraint b : y' = 3*w'\n"
                           "start x = 1, u = 0.2, y = 0, w = 0\n",
                     2, 0.6);
    /* two wheels: their difference turns the axle; x, y are not integrable */
    expect_integrals(PLANE "constraint a : x'*cos(th) + y'*sin(th) + 0.3*th' = u'\n"
                           "constraint b : x'*cos(th) + y'*sin(th) - 0.3*th' = w'\n"
                           "constraint c : y'*cos(th) = x'*sin(th)\nstart th = 1, u = 0.6, w = 0\n",
                     1, 0);
    expect_integrals(PLANE "constraint a : x'*cos(th) = y'*sin(th)\n", 0, 0); /* a blade */
    expect_integrals(PLANE "constraint a : x'*y + x*y' = 0\nstart x = 2, y = 3\n", 1, 6);
    expect_integrals(PLANE "constraint a : x'*y = x*y'\nstart x = 3, y = 3\n", 1, 1); /* x/y */
    expect_integrals(PLANE "constraint a : x' = cos(t)\nstart x = 2\n", 1, 2);
    expect_integrals(PLANE "constraint a : x' = sin(th)*th'\nstart x = 2, th = 0\n", 1, 3);
    expect_integrals(PLANE "constraint a : x'*x = y*y'\nconstraint p : x^2 - y^2 = 1\n"
                           "start y = 0.5\nguess x = 1\n",
                     0, 0); /* said by a position already */
    /* exact on the circle only, and observed: a disc in a ring */
    expect_integrals(PLANE "param q = 2, r = 0.5\nconstraint p : x^2 + y^2 = q^2\n"
                           "constraint a : (x*y' - x'*y)/q = r*th'\n"
                           "observe turned = q*atan2(y, x) - r*th\nstart x = 0, y = q, th = 1\n",
                     1, M_PI - 0.5);
}

/* ----------------------------------------------------------------------------- periodic motions */

#define DRIVEN                                                                                     \
    "model gear\nunits none\nparam r = 0.5, Om = 1.1\ncoord x, th\nkinetic (x'^2 + th'^2)/2\n"     \
    "potential (x - 1)^2 + 3*th^2/2\nconstraint gear : x' = r*th'\ndissipation 0.1*th'^2\n"        \
    "force (x) = 0.4*cos(Om*t)\nstart x = 0.1, th = 0\n"

/* linear: the mean of th is that of rest, its amplitude F r/|K - M Om^2 + i d Om| */
static void test_integrals__driven_on_the_leaf(void **state) {
    (void)state;
    zw_orbits *orbits = NULL;
    zw_forced *forced = NULL;
    int number;
    double K = 2 * 0.25 + 3, M = 1.25, Om = 1.1, mean = 2 * 0.5 * 0.9 / K,
           size = 0.4 * 0.5 / hypot(K - M * Om * Om, 0.2 * Om);
    read_text(DRIVEN);
    zw_forced_options how = zw_forced_options_default();
    if (zw_forced_create(&forced, sys, &how, &err) < 0 ||
        zw_forced_find(forced, NAN, NULL, &err) < 0)
        fail_msg("%s", err.text);
    assert_close(zw_forced_motion_at(forced, 0)->measure[1].mean, mean, 1e-9);
    assert_close(zw_forced_motion_at(forced, 0)->measure[1].max, mean + size, 1e-8);
    zw_forced_destroy(forced);
    zw_orbits_options options = zw_orbits_options_default();
    if (zw_orbits_create(&orbits, sys, &options, &err) < 0 ||
        zw_orbits_find(orbits, NAN, &number, &err) < 0)
        fail_msg("%s", err.text);
    const zw_orbit_motion *m = zw_orbits_at(orbits, number);
    assert_close(m->measure[1].mean, mean, 1e-6);
    assert_close(m->measure[1].max, mean + size, 1e-6);
    assert_int_equal(m->nmultiplier, 2); /* not a third of 1 */
    zw_orbits_destroy(orbits);
}

/* a' = W and b' = 2 W keep b - 2 a, and a only goes along with time: a mass on a spring to where
 * they carry its support rests where a spring of stiffness 3 to b - 2 a holds it */
static void test_integrals__phases_cancel(void **state) {
    (void)state;
    find_equilibrium("model turn\nunits none\nparam W = 3\ncoord a, b, x\n"
                     "kinetic (a'^2 + b'^2 + x'^2)/2\npotential (x - 1)^2/2 + 3*(x - b + 2*a)^2/2\n"
                     "constraint one : a' = W\nconstraint two : b' = 2*W\n"
                     "start a = 0.2, b = 0.9, x = 0\n",
                     NULL);
    assert_close(zw_equilibria_motion(e)->x[2], (1 + 3 * 0.5) / 4, 1e-10);
    expect_eigenvalue(0, 2);
}

/* A wheel with a driven pendulum rolls away at the mean speed that its drive and damping ask for, r
 * ph' = 0.7: no leaf keeps it from drifting. */
static void test_integrals__wheels_roll_away(void **state) {
    (void)state;
    zw_orbits *orbits = NULL;
    int number;
    read_text("model wheel\nunits none\nparam r = 0.5, Om = 2\ncoord x, ph, th\n"
              "kinetic x'^2 + ph'^2/8 + (x'^2 + 2*x'*th'*cos(th) + th'^2)/2\npotential -2*cos(th)\n"
              "constraint roll : x' = r*ph'\ndissipation 0.1*th'^2\n"
              "force (x) = cos(Om*t) - 0.3*(x' - 0.7)\n"
              "start x = 0, ph = 0, th = 0.2, x' = 0.7, th' = 0\n");
    zw_orbits_options options = zw_orbits_options_default();
    if (zw_orbits_create(&orbits, sys, &options, &err) < 0 ||
        zw_orbits_find(orbits, NAN, &number, &err) < 0)
        fail_msg("%s", err.text);
    char *text = orbits_text(orbits);
    assert_non_null(strstr(text, "drifts by 2.19911")); /* 0.7 pi */
    free(text);
    zw_orbits_destroy(orbits);
}

/* ------------------------------------------------------------------------------------ events */

#define ROLLS                                                                                      \
    "model rolls\nunits none\nparam r = 0.5\ncoord x, th\nkinetic (x'^2 + th'^2)/2\n"              \
    "constraint gear : x' = r*th'\nstart x = 0, th = 0, th' = 1\n"

static void run_to_one(const char *text, zw_sim **sim) {
    zw_sim_options o = zw_sim_options_default();
    o.until = 1;
    read_text(text);
    if (zw_sim_create(sim, sys, NULL, &o, &err) < 0 || zw_sim_run(*sim, &err) < 0)
        fail_msg("%s", err.text);
}

/* th = t and x = r t until an event sets x: x - r th was 0 and is 0.1 - 0.25. Setting both keeps
 * it. */
static void test_integrals__events_change_the_leaf(void **state) {
    (void)state;
    zw_sim *sim = NULL;
    run_to_one(ROLLS "event jump : t - 0.5 rising, set x = 0.1\n", &sim);
    const zw_warnings *list = zw_sim_warnings(sim);
    assert_int_equal(zw_warnings_count(list), 1);
    const zw_warning *d = zw_warnings_at(list, 0);
    assert_non_null(strstr(d->text, "the event jump changes x - r*th from 0 to -0.15"));
    assert_close(d->first, 0.5, 1e-12);
    assert_close(d->worst, -0.15, 1e-12);
    assert_int_equal(d->line, 8);
    zw_sim_destroy(sim);
    run_to_one(ROLLS "event jump : t - 0.5 rising, set x = x + 0.1, set th = th + 0.2\n"
                     "event mark : t - 0.7 rising, set th' = 2, set r = 0.4\n",
               &sim);
    assert_int_equal(zw_warnings_count(zw_sim_warnings(sim)), 0);
    zw_sim_destroy(sim);
}

/* a second oscillator rests: rounding of its place is no gap of the orbit */
static void test_integrals__orbit_closes(void **state) {
    (void)state;
    zw_orbits *orbits = NULL;
    zw_table *rows;
    int number;
    double gap;
    read_text("model rests\nunits none\ncoord x, y\nkinetic (x'^2 + y'^2)/2\n"
              "potential x^2 + 3.104*(y - 0.8607)^2/2\ndissipation 0.1*x'^2 + 0.1*y'^2\n"
              "force (x) = cos(1.1*t)\nstart x = 0.3, y = 0.662\n");
    zw_orbits_options options = zw_orbits_options_default();
    if (zw_orbits_create(&orbits, sys, &options, &err) < 0 ||
        zw_orbits_find(orbits, NAN, &number, &err) < 0 ||
        zw_orbits_motion_table(orbits, number, 50, NULL, &rows, &gap, &err) < 0)
        fail_msg("%s", err.text);
    assert_true(gap < 1e-5);
    zw_table_destroy(rows);
    zw_orbits_destroy(orbits);
}

/* ------------------------------------------------------------------------------------ runs */

static double last_of(const zw_table *rows, const char *name) {
    int column = zw_table_find(rows, name);
    assert_true(column >= 0);
    return zw_table_at(rows, zw_table_rows(rows) - 1, column);
}

/* a run with loose tolerances, which drifts by 1e-9 and more where velocities alone are
 * constrained */
static const zw_table *run_loosely(zw_sim **sim, const char *text, double until,
                                   const char *principle) {
    zw_sim_options o = zw_sim_options_default();
    o.until = until;
    o.run.rtol = o.run.atol = 1e-5;
    o.principle = principle;
    read_text(text);
    if (zw_sim_create(sim, sys, NULL, &o, &err) < 0 || zw_sim_run(*sim, &err) < 0)
        fail_msg("%s", err.text);
    return zw_sim_rows(*sim);
}

static void test_integrals__runs_stay_on_the_surface(void **state) {
    (void)state;
    static const char *const principles[] = {"lagrange", "boltzmann-hamel", "hamilton"};
    for (size_t i = 0; i < sizeof principles / sizeof *principles; i++) {
        zw_sim *sim = NULL;
        const zw_table *rows = run_loosely(
            &sim,
            BALL "let n = (x, 0, z)/norm((x, 0, z))\n" BY_HAND
                 "start x = 0.5 [m], y = 0, z = -0.6 [m], y' = 0.3 [m/s]\nstart ball.wx = 0\n",
            20, principles[i]);
        assert_close(hypot(last_of(rows, "x"), last_of(rows, "z")), hypot(0.5, 0.6), 1e-14);
        zw_sim_destroy(sim);
    }
}

/* b/a^2 = 1/2 is kept up to a = b = 0, where the constraint vanishes and any parabola may follow: a
 * warning with the time. */
static void test_integrals__warn_where_a_leaf_ends(void **state) {
    (void)state;
    zw_sim *sim;
    zw_sim_options options = zw_sim_options_default();
    options.until = 6;
    read_text("model parabolas\nunits none\ncoord a, b, c\nkinetic (a'^2 + b'^2 + c'^2)/2\n"
              "potential (b - 1)^2/2 + a + c\nconstraint q : a*b' = 2*b*a'\n"
              "start a = 1, b = 0.5, a' = 1\n");
    assert_true(zw_sim_create(&sim, sys, NULL, &options, &err) >= 0);
    assert_true(zw_sim_run(sim, &err) >= 0);
    const zw_warnings *list = zw_sim_warnings(sim);
    assert_int_equal(zw_warnings_count(list), 1);
    assert_non_null(strstr(zw_warnings_at(list, 0)->text, "what the constraint q keeps constant"));
    zw_sim_destroy(sim);
}

/* The gear is off from 1 to 2: it then keeps what x - r th is by that time. While it is off,
 * nothing is kept. */
static void test_integrals__runs_keep_what_is_switched_on(void **state) {
    (void)state;
    zw_sim *sim = NULL;
    const zw_table *rows = run_loosely(
        &sim,
        "model gear\nunits none\nparam r = 0.5\ncoord x, th\nkinetic (x'^2 + th'^2)/2\n"
        "potential (x - 1)^2 + sin(th)\nconstraint gear : x' = r*th'\nobserve I = x - r*th\n"
        "event loose : t - 1 rising, switch off gear\nevent tight : t - 2 rising, switch on gear\n"
        "start x = 0.3, th = 0.1\n",
        40, NULL);
    double since = NAN, before = NAN;
    for (long k = 0; k < zw_table_rows(rows); k++) {
        double t = zw_table_at(rows, k, 0), I = zw_table_at(rows, k, zw_table_find(rows, "I"));
        if (t < 1)
            before = I;
        if (t > 2 && isnan(since))
            since = I;
    }
    assert_close(before, 0.25, 1e-14);
    assert_true(fabs(since - before) > 0.1);
    assert_close(last_of(rows, "I"), since, 1e-13);
    zw_sim_destroy(sim);
}

/* th = u = w = t. Integrals of a piece of a condition, and those of one value of a parameter, are
 * none. */
static void test_integrals__runs_keep_integrals_only(void **state) {
    (void)state;
    zw_sim *sim = NULL;
    const zw_table *rows = run_loosely(&sim,
                                       PLANE "constraint a : x' = if(u > 2, u - 1, 1)*th'\n"
                                             "constraint b : u' = 1\nconstraint c : th' = 1\n"
                                             "start x = 0\n",
                                       3, NULL);
    assert_close(last_of(rows, "x"), 2 + (4. - 1) / 2, 1e-6);
    zw_sim_destroy(sim);
    rows =
        run_loosely(&sim,
                    PLANE "param eps = 0\nconstraint a : x' = th' + eps*u*w'\n"
                          "constraint b : u' = 1\nconstraint c : w' = 1\nconstraint d : th' = 1\n"
                          "event more : t - 2 rising, set eps = 1\nstart x = 0\n",
                    3, NULL);
    assert_close(last_of(rows, "x"), 3 + (9. - 4) / 2, 1e-6);
    zw_sim_destroy(sim);
}

/* the angle of a disc on a circle jumps where it has gone round: it goes round ten times */
static void test_integrals__runs_keep_angles(void **state) {
    (void)state;
    zw_sim *sim = NULL;
    const zw_table *rows =
        run_loosely(&sim,
                    "model wheel\nunits none\nparam r = 0.1, L = 1\n"
                    "coord x, y, th\nkinetic x'^2 + y'^2 + th'^2/100\n"
                    "constraint a : x' = -r/L*y*th'\nconstraint b : y' = r/L*x*th'\n"
                    "start x = 0, y = L, th = 0.3, th' = 10\n",
                    63, NULL);
    double ph = last_of(rows, "th") / 10 - 0.03; /* by which it has gone on from the top */
    assert_true(ph > 20 * M_PI);
    assert_close(last_of(rows, "x"), -sin(ph), 1e-12);
    assert_close(last_of(rows, "y"), cos(ph), 1e-12);
    zw_sim_destroy(sim);
}

#define TURNED                                                                                     \
    "model ball\nparam m = 1 [kg], r = 0.1 [m], J = 0.004 [kg*m^2]\ncoord x, y, z [m]\nrotation "  \
    "B\n"                                                                                          \
    "body ball : B at (x, y, z), inertia(m, J, J, J)\n"

/* angular velocities about axes of the body; numbers that grow beyond all bounds in the search */
static void test_integrals__turned_bodies(void **state) {
    (void)state;
    expect_integrals(TURNED "let rho = sqrt(x^2 + y^2)\nlet n = (3*x/rho, 3*y/rho, -4)/5\n" BY_HAND
                            "start x = 0.8 [m], y = 0.6 [m], z = 1.75 [m]\n",
                     1, 1);
    expect_integrals(TURNED "let d = (x/0.82355625 [m^2], y/0.69288976 [m^2], z/0.81468676 [m^2])\n"
                            "let n = d/norm(d)\n" BY_HAND
                            "start x = 0.2 [m], y = 0.1 [m], z = -0.8 [m]\n",
                     0, 0);
}

/* ----------------------------------------------------------------------------------- in a plane */

#define WHEEL                                                                                      \
    "model wheel\nparam m = 1 [kg], r = 0.1 [m], L = 1 [m], J = 0.005 [kg*m^2], g = 9.81 [m/s^2]," \
    " k = 3 [N*m], al = 0.3 [rad]\ncoord x, y [m], th [rad]\nframe W : rotate z th at (x, y, 0)\n" \
    "body w : W, inertia(m, J, J, J) at (0, 0, 0)\ngravity g along -y\n"

/* A wheel whose coordinates keep it in a plane has no sideways slip: it rolls down a slope with
 * sin(al) g/(1 + J/(m r^2)). */
static void test_integrals__wheel_in_a_plane(void **state) {
    (void)state;
    zw_sim *sim = NULL;
    run_to_one(WHEEL "rolling roll : disk w radius r on plane (sin(al), cos(al), 0)\n"
                     "start x = 0, th = 0\n",
               &sim);
    const zw_table *rows = zw_sim_rows(sim);
    assert_int_equal(sys->nconstraint, 2);
    assert_close(zw_table_at(rows, zw_table_rows(rows) - 1, zw_table_find(rows, "th'")),
                 -sin(0.3) * g / (0.1 * 1.5), 1e-7);
    zw_sim_destroy(sim);
}

/* On a circle a disc has turned by L/r of the angle ph from the top: th = c - L/r ph, and rest on
 * this leaf is where m g L sin(ph) = k L/r (L/r ph - c). In a bowl it swings with 3/2 of its
 * mass. */
static void test_integrals__disc_on_a_circle(void **state) {
    (void)state;
    find_equilibrium(WHEEL "constraint a : x' = -r/L*y*th'\nconstraint b : y' = r/L*x*th'\n"
                           "force spring (th) = -k*th\nstart x = 0, y = L, th = 0.3 [rad]\n",
                     NULL);
    const double *at = zw_equilibria_motion(e)->x;
    double ph = atan2(at[0], at[1]);
    assert_int_equal(dimensions(), 2);
    assert_close(at[2], 0.3 - 10 * ph, 1e-9);
    assert_close(9.81 * sin(ph), 30 * (10 * ph - 0.3), 1e-8);
    find_equilibrium(WHEEL "rolling roll : sphere w radius r on sphere centre (0, L, 0) radius L "
                           "inside\nstart x = 0.1 [m], th = 0\nguess y = r\n",
                     NULL);
    at = zw_equilibria_motion(e)->x;
    assert_int_equal(dimensions(), 2);
    assert_close(at[1], 0.1, 1e-9);
    assert_close(at[2], 9 * asin(0.1 / 0.9), 1e-9);
    expect_eigenvalue(0, sqrt(g / (1.5 * 0.9)));
}

static void test_integrals__survive_failing_memory(void **state) {
    (void)state;
    const char *text = "model m\nunits none\ncoord x, y, z\nkinetic x'^2 + y'^2 + z'^2\n"
                       "constraint a : x'*y = x*y' + z'\nconstraint b : z' = x'\n"
                       "start x = 2, y = 3\n";
    for (long n = 1;; n += 1 + n / 40) {
        failing_allocator f = failing_allocator_make(n);
        zw_allocator alloc = failing_allocator_of(&f);
        zw_context *own = zw_context_create(&alloc);
        zw_system *s = NULL, leaf;
        zw_error fault = {0};
        bool ok = own && zw_model_parse(&s, own, text, strlen(text), "t", NULL, &fault) >= 0 &&
                  zw_system_on_leaf(&leaf, s, NULL, 0, (double[]){0}, 0, NULL, NULL, &fault) >= 0;
        assert_true(ok || f.failed);
        if (own)
            zw_context_destroy(own);
        assert_int_equal(f.blocks, 0);
        if (!f.failed)
            break;
    }
}

#define TEST(name) cmocka_unit_test_setup_teardown(test_integrals__##name, setup, teardown)

int main(void) {
    const struct CMUnitTest tests[] = {
        TEST(ball_in_a_bowl),
        TEST(same_place_by_other_words),
        TEST(surfaces_by_hand),
        TEST(gear_stays_on_its_leaf),
        TEST(leaf_over_a_parameter),
        TEST(forms),
        TEST(driven_on_the_leaf),
        TEST(phases_cancel),
        TEST(wheels_roll_away),
        TEST(survive_failing_memory),
        TEST(disc_in_a_sphere),
        TEST(events_change_the_leaf),
        TEST(wheel_in_a_plane),
        TEST(disc_on_a_circle),
        TEST(runs_stay_on_the_surface),
        TEST(warn_where_a_leaf_ends),
        TEST(runs_keep_what_is_switched_on),
        TEST(runs_keep_integrals_only),
        TEST(runs_keep_angles),
        TEST(turned_bodies),
        TEST(orbit_closes),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
