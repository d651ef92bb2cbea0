/* SPDX-License-Identifier: MIT */
/* Branches of full models whose coordinates drift, which conserve quantities, or whose runs settle
 * slowly: against closed forms, the same motion in other coordinates and programs of their own. */
#include <math.h>

#include "support/test.h"
#include "zwang/zwang.h"

#define MODEL(name) ZW_SOURCE_DIR "/models/" name ".zw"

static zw_context *ctx;
static zw_system *sys;
static zw_orbits *study;
static zw_error err;
static zw_orbits_options options;

static zw_status make(void) {
    return zw_orbits_create(&study, sys, &options, &err);
}

static void begin(double tolerance) {
    err = (zw_error){0};
    ctx = zw_context_create(NULL);
    study = NULL;
    options = zw_orbits_options_default();
    options.tolerance = tolerance;
}

static void done(void) {
    zw_orbits_destroy(study);
    zw_context_destroy(ctx);
}

static void follow_text(const char *text, int nset, const char *const *set, const char *over,
                        double at) {
    zw_model_options model = {.size = sizeof model, .nset = nset, .set = set};
    int number;
    begin(1e-7);
    options.over = over;
    if (zw_model_parse(&sys, ctx, text, strlen(text), "test", &model, &err) < 0 || make() < 0 ||
        zw_orbits_find(study, at, &number, &err) < 0 || zw_orbits_follow(study, number, &err) < 0)
        fail_msg("%s", err.text);
}

/* the orbits of the only branch go from one value to another */
static void expect_range(double low, double high) {
    int n = zw_orbits_count(study);
    double least = INFINITY, most = -INFINITY;
    for (int i = 0; i < n; i++) {
        least = fmin(least, zw_orbits_at(study, i)->value);
        most = fmax(most, zw_orbits_at(study, i)->value);
    }
    assert_true(n > 10);
    assert_close(least, low, 1e-12);
    assert_close(most, high, 1e-12);
}

/* A ball on a shaken table in constant wind: no coordinate comes back but its height, which stays.
 * With 7/5 m r w' = r (F - c x') it drifts by 2 pi F/(c w) in a period, and its two velocities
 * decay as exp(-5 c t/(7 m)). */
static void test_full__wind(void **state) {
    static const char text[] =
        "model windy\nparam m = 1 [kg], r = 0.1 [m], F = 0.3 [N], c = 0.2 [kg/s], A = 0.1 [m], "
        "w = 2 [rad/s], g = 9.81 [m/s^2]\ninput X = harmonic(A, w)\ncoord x, y, z [m]\n"
        "body ball : sphere(m, r) at (x, y, z)\nframe S : at (X, 0, 0)\n"
        "rolling roll : sphere ball radius r on plane of S\ngravity g along -z\n"
        "force wind at ball.origin = (F - c*x', -c*y', 0)\nstart x = 0, y = 0, z = r\n";
    static const struct {
        const char *over;
        double at, low, high;
    } along[] = {{"w=1:4", 2, 1, 4}, {"F=1:0.1", 0.3, 0.1, 1}};
    (void)state;
    for (int k = 0; k < 2; k++) {
        follow_text(text, 0, NULL, along[k].over, along[k].at);
        expect_range(along[k].low, along[k].high);
        for (int i = 0; i < zw_orbits_count(study); i++) {
            const zw_orbit_motion *m = zw_orbits_at(study, i);
            double w = k == 0 ? m->value : 2, F = k == 0 ? 0.3 : m->value, T = 2 * M_PI / w;
            assert_close(m->drift[0], T * F / 0.2, 1e-9 * T * F / 0.2);
            assert_int_equal(m->nmultiplier, 2);
            for (int j = 0; j < 2; j++)
                assert_close(m->re[j], exp(-5. / 7 * 0.2 * T), 1e-9);
        }
        done();
    }
}

/* A pendulum by its place on a circle, of first order: z^2 + y^2 stays, which no velocity can be
 * moved for. The product of the multipliers is exp(-c P); the orbits are those of the angle. */
static void test_full__states_on_a_leaf(void **state) {
    static const char circle[] =
        "model circle\nunits none\nparam F = 0.5, c = 0.2, w = 1.5\nstate y, z, u : y' = -z*u, "
        "z' = y*u, u' = -y - c*u + F*cos(w*t)\nobserve length = y^2 + z^2\n"
        "start y = 0, z = -1, u = 0\n",
                      angle[] =
                          "model angle\nunits none\nparam F = 0.5, c = 0.2, w = 1.5\ncoord th\n"
                          "kinetic th'^2/2\npotential -cos(th)\nforce (th) = -c*th' + F*cos(w*t)\n"
                          "start th = 0\n";
    double re[2], im[2], rms;
    (void)state;
    follow_text(angle, 0, NULL, "F=0.1:0.5", 0.5);
    const zw_orbit_motion *m = zw_orbits_at(study, zw_orbits_count(study) - 1);
    assert_close(m->value, 0.5, 1e-12);
    memcpy(re, m->re, sizeof re);
    memcpy(im, m->im, sizeof im);
    done();
    follow_text(circle, 0, NULL, "F=0.1:0.5", 0.5);
    expect_range(0.1, 0.5);
    for (int i = 0; i < zw_orbits_count(study); i++) {
        m = zw_orbits_at(study, i);
        assert_int_equal(m->nmultiplier, 2);
        assert_close(m->re[0] * m->re[1] - m->im[0] * m->im[1], exp(-0.2 * 2 * M_PI / 1.5), 1e-8);
        rms = m->measure[3].rms;
        assert_close(rms, 1, 1e-9);
        assert_null(m->drift); /* not even by what the mesh leaves of it */
    }
    assert_close(m->value, 0.5, 1e-12);
    assert_close(m->re[0], re[0], 1e-8);
    assert_close(fabs(m->im[0]), fabs(im[0]), 1e-8);
    done();
}

/* s goes to the mean of x^2 as exp(-e t): at the end of the run it is still far away, and the orbit
 * is that to which it goes. Without damping another motion than that of the drive stays, and the
 * orbit is refused. */
static void test_full__a_run_that_has_not_settled(void **state) {
    static const char text[] =
        "model slow\nunits none\nparam c = 0.3, e = 2e-3\ncoord x\nstate s : s' = e*(x^2 - s)\n"
        "kinetic x'^2/2\npotential x^2\nforce (x) = -c*x' + cos(t)\nstart x = 0, s = 5\n";
    static const char *const free_of[] = {"c=0", "e=0.1"};
    zw_model_options model = {.size = sizeof model, .nset = 2, .set = free_of};
    int number;
    (void)state;
    begin(1e-8);
    options.steps = 300;
    assert_int_equal(zw_model_parse(&sys, ctx, text, strlen(text), "test", NULL, &err), ZW_OK);
    if (make() < 0 || zw_orbits_find(study, NAN, &number, &err) < 0)
        fail_msg("%s", err.text);
    const zw_orbit_motion *m = zw_orbits_at(study, number);
    assert_close(m->measure[1].mean, 0.5 / (1 + 0.09), 1e-8); /* of a rate 2 - 1 + 0.3i */
    assert_close(m->re[0], exp(-2e-3 * 2 * M_PI), 1e-9);
    done();
    begin(1e-8);
    assert_int_equal(zw_model_parse(&sys, ctx, text, strlen(text), "test", &model, &err), ZW_OK);
    assert_true(make() >= 0);
    assert_int_equal(zw_orbits_find(study, NAN, &number, &err), ZW_E_NUMERIC);
    assert_non_null(strstr(err.text, "no orbit is near the motion"));
    assert_non_null(strstr(err.hint, "--from start"));
    done();
}

/* (57) of the source. Its fold by Newton's method for a periodic motion of the plane pendulum q (1
 * + 2/5 r^2/q^2) ph'' = A_0 omega^2 sin(omega t) cos(ph) - g sin(ph) - ..., whose matrix minus 1 is
 * singular, with extrapolated midpoint steps in a program of its own: 3.25680730623. Where the
 * damping of the spin vanishes the orbits form a family. */
static void test_full__constraint_57(void **state) {
    static const char *const set[] = {"kappa_r=0.005 [N*m*s]", "y'=0.1 [m/s]", "omega=3.1 [rad/s]"};
    zw_model_options model = {
        .size = sizeof model, .variant = "constraint57", .nset = 3, .set = set};
    int number, folds = 0;
    (void)state;
    begin(1e-8);
    options.over = "omega=3:3.5";
    if (zw_model_read(&sys, ctx, MODEL("absorber_spatial"), &model, &err) < 0 || make() < 0 ||
        zw_orbits_find(study, 3.1, &number, &err) < 0 || zw_orbits_follow(study, number, &err) < 0)
        fail_msg("%s", err.text);
    for (int i = 0; i < zw_orbits_count(study); i++) {
        const zw_orbit_motion *m = zw_orbits_at(study, i);
        assert_int_equal(m->nmultiplier, 4);
        if (m->event == ZW_BIFURCATION_FOLD) {
            assert_close(m->value, 3.25680730623, 2e-9);
            folds++;
        }
    }
    assert_int_equal(folds, 1);
    done();
    begin(1e-6);
    options.over = "kappa_s=0:0.1";
    model.nset = 1;
    assert_int_equal(zw_model_read(&sys, ctx, MODEL("absorber_spatial"), &model, &err), ZW_OK);
    assert_true(make() >= 0 && zw_orbits_find(study, 0, &number, &err) >= 0);
    assert_int_equal(zw_orbits_follow(study, number, &err), ZW_E_OPTION);
    assert_non_null(strstr(err.text, "a multiplier is 1"));
    done();
}

/* A cavity by velocity constraints alone, whose condition on positions has no formula that is
 * found: the orbits form a family, and the error says what to write. As an observable the condition
 * is held, at its value at the start. */
static void test_full__condition_without_a_formula(void **state) {
    static const char model[] =
        "model surf\nparam m = 1 [kg], r = 0.1 [m], L = 1 [m], g = 9.81 [m/s^2], "
        "k = 0.02 [N*m*s], A = 0.03 [m], w = 3 [rad/s]\ninput X = harmonic(A, w)\n"
        "coord x, y, z [m]\nbody ball : sphere(m, r) at (x, y, z)\ngravity g along -z\n"
        "let sx = sinh((x - X)/L)\nlet sy = 2*sinh(y/L)\nlet sz = sinh(z/L)\n"
        "let N = sqrt(sx^2 + sy^2 + sz^2)\nlet n = (sx/N, sy/N, sz/N)\n"
        "constraint roll : (x - X, y, z)' + r*cross(ball.w, n) = (0, 0, 0)\n"
        "torque damping on ball = -k*ball.w\n%s"
        "start x = 0, y = 0, z = -0.8 [m], x' = A*w, y' = 0\n";
    char text[1000];
    int number;
    (void)state;
    snprintf(text, sizeof text, model, "");
    begin(1e-6);
    options.over = "w=2.5:3.5";
    assert_int_equal(zw_model_parse(&sys, ctx, text, strlen(text), "test", NULL, &err), ZW_OK);
    assert_true(make() >= 0 && zw_orbits_find(study, 3, &number, &err) >= 0);
    assert_int_equal(zw_orbits_follow(study, number, &err), ZW_E_OPTION);
    assert_non_null(strstr(err.hint, "or as observables"));
    done();
    snprintf(text, sizeof text, model, "observe f = cosh((x - X)/L) + 2*cosh(y/L) + cosh(z/L)\n");
    follow_text(text, 0, NULL, "w=2.5:3.5", 3);
    expect_range(2.5, 3.5);
    for (int i = 0; i < zw_orbits_count(study); i++) {
        const zw_orbit_motion *m = zw_orbits_at(study, i);
        assert_close(m->measure[7].min, 3 + cosh(0.8), 1e-7); /* three places, four of attitude */
        assert_close(m->measure[7].max, 3 + cosh(0.8), 1e-7);
        assert_int_equal(m->nmultiplier, 5);
        assert_int_equal(m->verdict, ZW_FLOQUET_STABLE);
        assert_null(m->drift);
    }
    done();
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_full__wind),
        cmocka_unit_test(test_full__states_on_a_leaf),
        cmocka_unit_test(test_full__a_run_that_has_not_settled),
        cmocka_unit_test(test_full__constraint_57),
        cmocka_unit_test(test_full__condition_without_a_formula),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
