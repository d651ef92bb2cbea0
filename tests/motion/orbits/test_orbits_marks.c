/* SPDX-License-Identifier: MIT */
/* Curves of marks of orbits in two parameters, and special points on them: closed forms, averaging,
 * Melnikov's integrals, shooting. */
#include <math.h>
#include <stdlib.h>

#include "motion/segments/periodic.h"
#include "support/failing_allocator.h"
#include "support/orbits.h"
#include "support/test.h"
#include "zwang/zwang.h"

#define MODEL(name) ZW_SOURCE_DIR "/models/" name ".zw"

static zw_context *ctx;
static zw_system *sys;
static zw_orbits *study;
static zw_error err;

static void open_study(const char *text, const zw_model_options *model, zw_orbits_options o) {
    err = (zw_error){0};
    study = NULL;
    ctx = zw_context_create(NULL);
    zw_status status = text[0] == '/'
                           ? zw_model_read(&sys, ctx, text, model, &err)
                           : zw_model_parse(&sys, ctx, text, strlen(text), "test", model, &err);
    if (status < 0 || zw_orbits_create(&study, sys, &o, &err) < 0)
        fail_msg("%s", err.text);
}

static void close_study(void) {
    zw_orbits_destroy(study);
    zw_context_destroy(ctx);
}

static void follow(const char *text, const char *set, const char *over, double value,
                   const char *second) {
    zw_model_options model = {.size = sizeof model, .nset = set ? 1 : 0, .set = &set};
    zw_orbits_options o = zw_orbits_options_default();
    int number;
    o.over = over;
    o.tolerance = 1e-7;
    o.step_max = 0.06; /* few points are enough here */
    open_study(text, &model, o);
    if (zw_orbits_find(study, value, &number, &err) < 0 ||
        zw_orbits_follow(study, number, &err) < 0 || zw_orbits_marks(study, second, &err) < 0)
        fail_msg("%s", err.text);
}

/* the only one of its kind on curves of marks of a kind */
static const zw_orbit_mark *special_of(zw_bifurcation event, zw_orbit_special special) {
    const zw_orbit_mark *found = NULL;
    for (int i = 0; i < zw_orbits_mark_count(study); i++) {
        const zw_orbit_mark *m = zw_orbits_mark_at(study, i);
        if (m->event != event || m->special != special)
            continue;
        assert_null(found);
        found = m;
    }
    assert_non_null(found);
    return found;
}

static int specials(void) {
    int n = 0;
    for (int i = 0; i < zw_orbits_mark_count(study); i++)
        n += zw_orbits_mark_at(study, i)->special != ZW_ORBIT_USUAL;
    return n;
}

/* --------------------------------------------------------------------------------- closed forms */

/* w = (u, v) turns by half a round in a period 2 pi of t; with e = (cos, sin)(t/2), n across it, xi
 * = w e, eta = w n:
 *
 *     xi' = eta - k xi^3,  eta' = -a xi + b eta:     mu = -exp(2 pi lambda),     lambda^2 - b lambda + a = 0.
 *
 * Period doublings: a = 0, with two at b = 0. Neimark-Sacker points: b = 0, a > 0, mu = -exp(+-2 pi
 * i sqrt a): 1:2 at a = 0, 1:4 at sqrt a = 1/4, 1:3 at 1/6. y has an orbit of its own. */
#define TURNS                                                                                      \
    "let X = cos(t)\nlet Y = sin(t)\n"                                                             \
    "let p = ((1 + X)*u + Y*v)/2\nlet q = (Y*u + (1 - X)*v)/2\nlet w = u*p + v*q\n"                \
    "let en_u = ((1 + X)*v - Y*u)/2\nlet en_v = (Y*v - (1 - X)*u)/2\n"                             \
    "let ne_u = (-Y*u - (1 - X)*v)/2\nlet ne_v = ((1 + X)*u + Y*v)/2\n"

static const char half_turns[] =
    "model turns\nunits none\nparam a = 0.02, b = -0.3, k = 1\n"
    "state u, v, y : u' = -v/2 + en_u - a*ne_u + b*(u - p) - k*w*p, "
    "v' = u/2 + en_v - a*ne_v + b*(v - q) - k*w*q, y' = cos(t) - y\n" TURNS
    "start u = 0, v = 0, y = 0.5\n";

static void test_marks__of_half_turns(void **state) {
    (void)state;
    follow(half_turns, NULL, "a=-0.02:0.15", 0.02, "b=-0.4:0.2");
    const zw_orbit_mark *two = special_of(ZW_BIFURCATION_FLIP, ZW_ORBIT_RESONANCE_2);
    assert_close(two->value, 0, 1e-7);
    assert_close(two->second, 0, 1e-6);
    for (int i = 0; i < zw_orbits_mark_count(study); i++)
        assert_close(zw_orbits_mark_at(study, i)->value, 0, 1e-8);
    close_study();
    follow(half_turns, "a=0.05", "b=-0.3:0.2", -0.2, "a=-0.05:0.15");
    assert_close(special_of(ZW_BIFURCATION_TORUS, ZW_ORBIT_RESONANCE_3)->second, 1. / 36, 1e-8);
    assert_close(special_of(ZW_BIFURCATION_TORUS, ZW_ORBIT_RESONANCE_4)->second, 1. / 16, 1e-8);
    assert_close(special_of(ZW_BIFURCATION_TORUS, ZW_ORBIT_RESONANCE_2)->second, 0, 1e-7);
    assert_int_equal(specials(), 3);
    for (int i = 0; i < zw_orbits_mark_count(study); i++) {
        const zw_orbit_mark *m = zw_orbits_mark_at(study, i);
        assert_close(m->value, 0, 1e-8);
        assert_true(m->second > -1e-6); /* no pairs beyond 1:2 */
        assert_close(m->angle, acos(-cos(2 * M_PI * sqrt(fmax(m->second, 0)))), 1e-3);
    }
    close_study();
}

/* xi' = (alpha - k xi^2 + beta s) xi, s' = kappa xi^2 - s: c = 2 pi (k - beta kappa) at alpha =
 * 0 */
static void test_marks__generalised_period_doubling(void **state) {
    (void)state;
    follow("model flip\nunits none\nparam alpha = -0.1, k = 0.7\nstate u, v, s, y : "
           "u' = -v/2 - (u - p) + by*p, v' = u/2 - (v - q) + by*q, s' = 0.9*w - s, "
           "y' = cos(t) - y\nlet by = alpha + 0.3*s - k*w\n" TURNS "start y = 0.5\n",
           NULL, "alpha=-0.2:0.2", -0.1, "k=-0.5:1");
    const zw_orbit_mark *m = special_of(ZW_BIFURCATION_FLIP, ZW_ORBIT_FLIP_DEGENERATE);
    assert_close(m->second, 0.3 * 0.9, 1e-6);
    assert_int_equal(specials(), 1);
    close_study();
}

/* R' = m - R^2, R = rho - sin(t)/2, beside the turns: folds at m = 0, where period doublings pass
 * at alpha = 0 */
static void test_marks__fold_and_flip(void **state) {
    (void)state;
    follow("model both\nunits none\nparam m = 0.2, alpha = -0.1\nstate u, v, rho, y : "
           "u' = -v/2 - (u - p) + by*p, v' = u/2 - (v - q) + by*q, "
           "rho' = m - (rho - sin(t)/2)^2 + cos(t)/2, y' = cos(t) - y\nlet by = alpha - w\n" TURNS
           "start rho = 0.4, y = 0.5\n",
           NULL, "m=-0.1:0.3", 0.2, "alpha=-0.2:0.1");
    const zw_orbit_mark *both = special_of(ZW_BIFURCATION_FOLD, ZW_ORBIT_FOLD_FLIP);
    assert_close(both->second, 0, 1e-6);
    assert_close(both->value, 0, 1e-8);
    close_study();
}

/* z' = (m + 0.3 i + d |z|^2 + s/5) z, s' = 0.8 |z|^2 - s: Re d = 0 of the normal form where d =
 * -0.16 */
static void test_marks__generalised_neimark_sacker(void **state) {
    (void)state;
    follow("model torus\nunits none\nparam m = -0.05, d = -0.3\nstate c1, c2, s, y : "
           "c1' = by*c1 - 0.3*c2, c2' = by*c2 + 0.3*c1, s' = 0.8*w - s, y' = cos(t) - y\n"
           "let w = c1^2 + c2^2\nlet by = m + d*w + s/5\nstart y = 0.5\n",
           NULL, "m=-0.1:0.1", -0.05, "d=-0.4:0");
    assert_close(special_of(ZW_BIFURCATION_TORUS, ZW_ORBIT_TORUS_DEGENERATE)->second, -0.16, 1e-6);
    assert_int_equal(specials(), 1);
    close_study();
}

/* beside turns (flip at alpha = 0) and R (fold at p = 0) a pair c1 + i c2 with growth m: on the
 * circle at m = 0 */
#define WITH_PAIR                                                                                  \
    "model pair\nunits none\nparam alpha = -0.05, m = -0.05, p0 = 0.2\n"                           \
    "state u, v, c1, c2, rho, y : u' = -v/2 - (u - p) + by*p, v' = u/2 - (v - q) + by*q, "         \
    "c1' = m*c1 - 0.3*c2 - c1*(c1^2 + c2^2), c2' = m*c2 + 0.3*c1 - c2*(c1^2 + c2^2), "             \
    "rho' = p0 - (rho - sin(t)/2)^2 + cos(t)/2, y' = cos(t) - y\nlet by = alpha - w\n" TURNS       \
    "start rho = 0.4, y = 0.5\n"

static void test_marks__with_a_pair(void **state) {
    (void)state;
    follow(WITH_PAIR, NULL, "alpha=-0.1:0.1", -0.05, "m=-0.1:0.08");
    assert_close(special_of(ZW_BIFURCATION_FLIP, ZW_ORBIT_FLIP_TORUS)->second, 0, 1e-7);
    close_study();
    follow(WITH_PAIR, NULL, "m=-0.1:0.1", -0.05, "alpha=-0.1:0.08");
    assert_close(special_of(ZW_BIFURCATION_TORUS, ZW_ORBIT_FLIP_TORUS)->second, 0, 1e-7);
    close_study();
    follow(WITH_PAIR, NULL, "p0=-0.1:0.3", 0.2, "m=-0.1:0.08");
    assert_close(special_of(ZW_BIFURCATION_FOLD, ZW_ORBIT_FOLD_TORUS)->second, 0, 1e-7);
    close_study();
}

/* ------------------------------------------------------------------------------------ averaging */

/* Van der Pol's oscillator driven near its own frequency, by averaging (J. Guckenheimer, P. Holmes,
 * Nonlinear Oscillations (1983), section 2.1): with sigma = (Omega^2 - 1)/(mu Omega) and gamma =
 * F/(2 mu Omega) folds meet at sigma = 1/sqrt 3, gamma = sqrt(8/27), and two multipliers are 1 at
 * sigma = gamma = 1/2; up to O(mu), so that 2 f(mu/2) - f(mu) is that up to O(mu^2). */
static void test_marks__driven_van_der_pol(void **state) {
    (void)state;
    double off[2][4];
    for (int k = 0; k < 2; k++) {
        char sets[2][40], over[60], second[60];
        const char *const set[] = {sets[0], sets[1]};
        zw_model_options model = {.size = sizeof model, .variant = "driven", .nset = 2, .set = set};
        zw_orbits_options o = zw_orbits_options_default();
        double mu = k ? 0.05 : 0.1;
        int number;
        snprintf(sets[0], sizeof sets[0], "mu=%g", mu);
        snprintf(sets[1], sizeof sets[1], "F=%g [N]", 1.02 * mu);
        snprintf(over, sizeof over, "Omega=%g:%g", 1 - 0.1 * mu, 1 + 0.8 * mu);
        snprintf(second, sizeof second, "F=%g:%g", 0.99 * mu, 1.12 * mu);
        o.over = over;
        open_study(MODEL("van_der_pol"), &model, o);
        if (zw_orbits_find(study, 1, &number, &err) < 0 ||
            zw_orbits_follow(study, number, &err) < 0 || zw_orbits_marks(study, second, &err) < 0)
            fail_msg("%s", err.text);
        const zw_orbit_mark *cusp = special_of(ZW_BIFURCATION_FOLD, ZW_ORBIT_CUSP),
                            *one = special_of(ZW_BIFURCATION_FOLD, ZW_ORBIT_RESONANCE_1);
        off[k][0] = (cusp->value - 1 / cusp->value) / mu - 1 / sqrt(3);
        off[k][1] = cusp->second / (2 * mu * cusp->value) - sqrt(8. / 27);
        off[k][2] = (one->value - 1 / one->value) / mu - 0.5;
        off[k][3] = one->second / (2 * mu * one->value) - 0.5;
        close_study();
    }
    for (int i = 0; i < 4; i++) {
        assert_true(fabs(off[0][i]) < 0.02);
        assert_true(fabs(2 * off[1][i] - off[0][i]) < 1e-3);
    }
}

/* ------------------------------------------------------------------------------------ tippedisk */

/* Cycles of the tippedisk with amplitude A of gamma, as friction becomes stiff (Melnikov's integral
 * over levels of the height of the centre of gravity):
 *
 *     omega^2 = (1/c) int cb (1 + kappa s)^2 / int cb/(1 + kappa s)^2 (zeta cos^2 (1 - kappa s - 2
 *     kappa^2) + s (s + kappa + kappa cos^2)),
 *
 * s = sin gamma, c = 1 + kappa cos A, cb = sqrt(1 - (c/(1 + kappa s))^2), gamma from pi/2 - A to
 * pi/2 + A. Its largest value over A is the fold. */
static double melnikov(double A, double kappa, double zeta) {
    enum { POINTS = 4000 };
    double c = 1 + kappa * cos(A), top = 0, low = 0;
    for (int i = 0; i < POINTS;
         i++) { /* gamma = pi/2 + A sin(phi): roots at the ends are smoothed */
        double phi = M_PI * ((i + 0.5) / POINTS - 0.5), gamma = M_PI / 2 + A * sin(phi),
               s = sin(gamma), co = cos(gamma) * cos(gamma), arm = 1 + kappa * s,
               cb = sqrt(fmax(1 - c * c / (arm * arm), 0)) * cos(phi);
        top += cb * arm * arm;
        low += cb / (arm * arm) *
               (zeta * co * (1 - kappa * s - 2 * kappa * kappa) + s * (s + kappa + kappa * co));
    }
    return sqrt(top / (c * low));
}

static double melnikov_fold(double kappa, double zeta) {
    double low = 1, high = 3.1;
    for (int i = 0; i < 60; i++) {
        double a = low + (high - low) / 3, b = high - (high - low) / 3;
        *(melnikov(a, kappa, zeta) < melnikov(b, kappa, zeta) ? &low : &high) =
            melnikov(a, kappa, zeta) < melnikov(b, kappa, zeta) ? a : b;
    }
    return melnikov(0.5 * (low + high), kappa, zeta);
}

static void test_marks__folds_of_the_tippedisk(void **state) {
    (void)state;
    static const char *const set[] = {"zeta=0.9", "eps=0.01 [m/s]", "gamma=90 [deg]"},
                             *const variant = "chart";
    zw_model_options model = {.size = sizeof model, .nset = 3, .set = set, .variant = variant};
    zw_orbits_options o = zw_orbits_options_default();
    int born;
    o.over = "Omega=30.5:32.5";
    o.points_max = 85;
    open_study(MODEL("tippedisk_reduced"), &model, o);
    if (zw_orbits_from_hopf(study, &born, &err) < 0 ||
        zw_orbits_marks(study, "zeta=0.898:0.902", &err) < 0)
        fail_msg("%s", err.text);
    double m = 7700 * M_PI * (0.045 * 0.045 - 0.015 * 0.015) * 0.01,
           unit = sqrt(m * 9.81 * 0.045 / 2.24e-4);
    assert_close(melnikov_fold(0.05, 0.9), 1.086141, 1e-6);
    int n = zw_orbits_mark_count(study);
    assert_true(n > 5);
    for (int i = 0; i < n; i += n / 4) {
        const zw_orbit_mark *k = zw_orbits_mark_at(study, i);
        assert_int_equal(k->event, ZW_BIFURCATION_FOLD);
        assert_close(k->value / unit, melnikov_fold(0.05, k->second), 1e-4);
    }
    close_study();
}

/* ------------------------------------------------------------------------------------- shooting */

/* a point on the curve of period doublings of Roessler's cycle, with both parameters away from
 * where it began */
static void test_marks__roessler_as_by_shooting(void **state) {
    (void)state;
    static const char text[] = "model roessler\nunits none\nparam a = 0.2, b = 0.2, c = 2.5\n"
                               "state x, y, z : x' = -y - z, y' = x + a*y, z' = b + z*(x - "
                               "c)\nstart x = 1, y = 1, z = 1\n";
    double p[3];
    follow(text, NULL, "c=2.5:4", 2.5, "a=0.15:0.25");
    zw_equations eq;
    zw_kernel *kernel;
    zw_kernel_options k = zw_kernel_options_default();
    k.jit = ZW_JIT_NEVER;
    k.functions = ZW_FUNCTIONS_ALL_METHODS;
    const zw_orbit_mark *m = zw_orbits_mark_at(study, 3);
    assert_true(fabs(m->second - 0.2) > 0.02);
    assert_true(zw_derive(&eq, sys, NULL, "lagrange", &err) >= 0);
    assert_true(zw_kernel_create(&kernel, &eq, &k, &err) >= 0);
    assert_true(zw_system_param_values(sys, p, &err) >= 0);
    double g[2], h = 1e-5;
    for (int i = 0; i < 2; i++) {
        zw_shooting shot = {0};
        zw_shooting_options so = zw_shooting_options_default();
        so.is_period_free = true;
        so.period = m->period;
        so.settle = 30;
        p[0] = m->second;
        p[2] = m->value + (i ? h : -h);
        double x[3] = {0, -m->measure[1].max, 0.05};
        if (zw_shooting_find(&shot, kernel, p, x, &so, &err) < 0)
            fail_msg("%s", err.text);
        assert_close(shot.period, m->period, 1e-3);
        g[i] = NAN;
        for (int j = 0; j < shot.floquet.n; j++)
            if (!(fabs(shot.floquet.re[j] + 1) >= fabs(g[i])))
                g[i] = shot.floquet.re[j] + 1;
        zw_shooting_clear(&shot);
    }
    assert_true(g[0] > 0 && g[1] < 0);
    assert_close(h * (g[0] + g[1]) / (g[0] - g[1]), 0, 3e-8);
    zw_kernel_destroy(kernel);
    close_study();
}

/* a branch, those that leave it, normal forms and curves of marks, with memory for n requests; some
 * of them */
static void test_marks__survive_a_lack_of_memory(void **state) {
    (void)state;
    static const char text[] =
        "model flip\nunits none\nparam alpha = -0.1, k = 0.7\nstate u, v, y : "
        "u' = -v/2 - (u - p) + by*p, v' = u/2 - (v - q) + by*q, y' = cos(t) - y\n"
        "let by = alpha - k*w\n" TURNS "start y = 0.5\n";
    for (long n = 1;; n += 1 + n / 8) {
        failing_allocator fail = failing_allocator_make(n);
        zw_allocator alloc = failing_allocator_of(&fail);
        zw_orbits_options o = zw_orbits_options_default();
        zw_orbits *s = NULL;
        zw_system *model;
        int number;
        o.over = "alpha=-0.11:0.12";
        o.intervals = 8;
        o.points_max = 24;
        err = (zw_error){0};
        zw_context *own = zw_context_create(&alloc);
        zw_status status = own ? ZW_OK : ZW_E_MEMORY;
        if (status >= 0)
            status = zw_model_parse(&model, own, text, strlen(text), "test", NULL, &err);
        if (status >= 0)
            status = zw_orbits_create(&s, model, &o, &err);
        if (status >= 0)
            status = zw_orbits_find(s, -0.1, &number, &err);
        if (status >= 0)
            status = zw_orbits_follow(s, number, &err);
        if (status >= 0)
            status = zw_orbits_switch(s, 2, NULL, &err);
        if (status >= 0)
            status = zw_orbits_marks(s, "k=0.5:0.9", &err);
        bool told = false;
        if (status >= 0) {
            zw_table *t;
            told = orbits_are_reported(s, &alloc) && zw_orbits_marks_table(s, NULL, &t, &err) >= 0;
            if (told)
                zw_table_destroy(t);
        }
        assert_true(status >= 0 || fail.failed);
        if (status < 0)
            assert_int_equal(status, ZW_E_MEMORY);
        zw_orbits_destroy(s);
        zw_context_destroy(own);
        assert_int_equal(fail.blocks, 0);
        assert_int_equal(fail.bytes, 0);
        if (!fail.failed) {
            assert_true(told);
            break;
        }
    }
}

static void test_marks__refusals(void **state) {
    (void)state;
    zw_orbits_options o = zw_orbits_options_default();
    open_study(half_turns, NULL, o);
    assert_int_equal(zw_orbits_marks(study, "b=-1:1", &err), ZW_E_OPTION);
    close_study();
    o.over = "a=0:0.1";
    open_study(half_turns, NULL, o);
    assert_int_equal(zw_orbits_marks(study, "a=0:1", &err), ZW_E_OPTION);
    err = (zw_error){0};
    assert_int_equal(zw_orbits_marks(study, "b=1:2", &err), ZW_E_OPTION);
    assert_non_null(strstr(err.text, "not in it"));
    close_study();
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_marks__of_half_turns),
        cmocka_unit_test(test_marks__generalised_period_doubling),
        cmocka_unit_test(test_marks__fold_and_flip),
        cmocka_unit_test(test_marks__generalised_neimark_sacker),
        cmocka_unit_test(test_marks__with_a_pair),
        cmocka_unit_test(test_marks__driven_van_der_pol),
        cmocka_unit_test(test_marks__folds_of_the_tippedisk),
        cmocka_unit_test(test_marks__roessler_as_by_shooting),
        cmocka_unit_test(test_marks__survive_a_lack_of_memory),
        cmocka_unit_test(test_marks__refusals),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
