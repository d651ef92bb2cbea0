/* SPDX-License-Identifier: MIT */
/* Orbits at given values, events at which branches stop, and the same orbits by shooting. */
#include <math.h>

#include "motion/segments/periodic.h"
#include "support/test.h"
#include "zwang/zwang.h"

static zw_context *ctx;
static zw_system *sys;
static zw_orbits *study;
static zw_error err;

static zw_status open_study(const char *text, const char *over, const char *values) {
    zw_orbits_options o = zw_orbits_options_default();
    err = (zw_error){0};
    study = NULL;
    ctx = zw_context_create(NULL);
    o.over = over;
    o.values = values;
    if (zw_model_parse(&sys, ctx, text, strlen(text), "test", NULL, &err) < 0)
        fail_msg("%s", err.text);
    return zw_orbits_create(&study, sys, &o, &err);
}

static void close_study(void) {
    zw_orbits_destroy(study);
    zw_context_destroy(ctx);
}

static const char van_der_pol[] =
    "model vdp\nparam mu = 1, w = 60 [deg/s], m = 1 [kg], a = 1 [m]\ncoord x [m]\n"
    "kinetic m*x'^2/2\npotential m*w^2*x^2/2\nforce (x) = mu*m*w*(1 - (x/a)^2)*x'\n"
    "start x = 0.3 [m]\n";
static const char walled[] =
    "model vdp\nunits none\nparam mu = 1\ncoord x\nkinetic x'^2/2\npotential x^2/2\n"
    "force (x) = mu*(1 - x^2)*x'\nevent wall : x - 2.015 rising stop\nstart x = 0.3\n";
static const char duffing[] =
    "model duffing\nunits none\nparam F = 2, w = 1.4, c = 0.4\ncoord x\nkinetic x'^2/2\n"
    "potential x^2/2 + x^4/4\nforce (x) = F*cos(w*t) - c*x'\nstart x = 0\n";

/* the period of van der Pol's cycle goes with 1/w, and is that of others: 6.663286859 (mu = 1),
 * 7.629874479 (2), 11.612230667 (5) */
static void test_sequence__values(void **state) {
    (void)state;
    static const double period[] = {6.663286859, 7.629874479, 11.612230667, 7.629874479};
    int number, n, k = 0;
    if (open_study(van_der_pol, NULL, "mu = 1, 2, 5, 2") < 0 ||
        zw_orbits_find(study, 1, &number, &err) < 0)
        fail_msg("%s", err.text);
    const double *given = zw_orbits_given(study, &n);
    assert_int_equal(n, 4);
    assert_true(zw_orbits_sequence(study, number, n, given, &err) >= 0);
    for (int i = 0; i < zw_orbits_count(study); i++) {
        const zw_orbit_motion *m = zw_orbits_at(study, i);
        if (m->curve < 0)
            continue;
        assert_close(m->value, given[k], 0);
        assert_close(m->period * M_PI / 3, period[k], 1e-7);
        k++;
    }
    assert_int_equal(k, 4);
    close_study();
    if (open_study(van_der_pol, NULL, "w=60,120 [deg/s]") < 0)
        fail_msg("%s", err.text);
    assert_close(zw_orbits_given(study, &n)[1], 2 * M_PI / 3, 1e-14);
    close_study();
    static const char *const bad[] = {"mu", "mu=1", "mu=1,1", "nu=1,2", "mu=1,x", "mu=1 [m],2"};
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        assert_true(open_study(van_der_pol, NULL, bad[i]) < 0);
        assert_true(err.text[0]);
        close_study();
    }
}

/* it ends before the fold at 2.2182, and keeps what it has */
static void test_sequence__ends_at_folds(void **state) {
    (void)state;
    double value[12];
    int number;
    for (int i = 0; i < 12; i++)
        value[i] = 1.5 + 0.1 * i;
    if (open_study(duffing, "w=1.4:2.7", NULL) < 0 ||
        zw_orbits_find(study, 1.5, &number, &err) < 0 ||
        zw_orbits_sequence(study, number, 12, value, &err) < 0)
        fail_msg("%s", err.text);
    assert_int_equal(zw_orbits_branch_end(study, 0, 1), ZW_CONT_STUCK);
    assert_close(zw_orbits_at(study, zw_orbits_count(study) - 1)->value, 2.2, 1e-12);
    close_study();
}

/* max(x) is 2.015 somewhere between mu = 1 and 1.6: orbits beyond it do not stay, and the last one
 * touches */
static void test_sequence__stops_at_events(void **state) {
    (void)state;
    int number;
    if (open_study(walled, "mu=1:5", NULL) < 0 || zw_orbits_find(study, 1, &number, &err) < 0 ||
        zw_orbits_follow(study, number, &err) < 0)
        fail_msg("%s", err.text);
    int n = zw_orbits_count(study);
    const zw_orbit_motion *last = zw_orbits_at(study, n - 1);
    assert_int_equal(last->event, ZW_BIFURCATION_GRAZE);
    assert_true(fabs(last->measure[0].max - 2.015) < 1e-6 && last->value < 2); /* its tolerance */
    for (int i = 0; i + 1 < n; i++)
        assert_true(zw_orbits_at(study, i)->measure[0].max <= 2.015);
    assert_int_equal(zw_orbits_branch_end(study, 0, 1), ZW_CONT_ASKED);
    close_study();
}

static void test_sequence__shooting(void **state) {
    (void)state;
    static const char *const text[] = {van_der_pol, duffing,
                                       "model rotor\nunits none\nparam T = 0.8, c = 0.2\n"
                                       "coord phi\nkinetic phi'^2/2\npotential -cos(phi)\n"
                                       "force (phi) = T - c*phi'\nstart phi' = 3\n"};
    for (int i = 0; i < 3; i++)
        for (int nodes = 1; nodes <= 3; nodes += 2) {
            int number;
            zw_orbits_shot shot;
            if (open_study(text[i], NULL, NULL) < 0 ||
                zw_orbits_find(study, NAN, &number, &err) < 0 ||
                zw_orbits_shoot(study, number, nodes, NULL, &shot, &err) < 0)
                fail_msg("%s", err.text);
            assert_true(shot.residual < 1e-10);
            assert_true(shot.period_off < 1e-9);
            assert_true(shot.multipliers_off < 1e-7);
            assert_true(shot.state_off < 1e-8);
            close_study();
        }
}

/* Van der Pol's oscillator at mu = 1000, where explicit steps would be millions: T = (3 - 2 ln 2)
 * mu + 7.01432 mu^(-1/3) - 2/3 ln(mu)/mu - 1.3233/mu + O(mu^(-5/3)) (J. Grasman, Asymptotic Methods
 * for Relaxation Oscillations and Applications (1987)); where it is less stiff both methods
 * agree. */
static void test_sequence__stiff_shooting(void **state) {
    static const char stiff[] =
        "model stiff\nunits none\nparam mu = 1000\ncoord x\nkinetic x'^2/2\npotential x^2/2\n"
        "force (x) = mu*(1 - x^2)*x'\nstart x = 2\n";
    char mild[sizeof stiff];
    const char *method;
    zw_shooting shot;
    zw_orbits_shot by[2];
    int number;
    (void)state;
    if (open_study(stiff, NULL, NULL) < 0 ||
        zw_orbits_shoot_run(study, 1, NULL, &shot, &method, &err) < 0)
        fail_msg("%s", err.text);
    assert_string_equal(method, "radau");
    assert_close(shot.period,
                 (3 - 2 * log(2)) * 1000 + 0.701432 - 2. / 3 * log(1000) / 1000 - 1.3233e-3,
                 3e-5 / 1614);
    assert_true(shot.residual < 1e-10);
    assert_int_equal(shot.floquet.verdict, ZW_FLOQUET_STABLE);
    zw_shooting_clear(&shot);
    close_study();
    snprintf(mild, sizeof mild, "%s", stiff);
    memcpy(strstr(mild, "1000"), "30  ", 4);
    if (open_study(mild, NULL, NULL) < 0 || zw_orbits_find(study, NAN, &number, &err) < 0)
        fail_msg("%s", err.text);
    for (int i = 0; i < 2; i++)
        if (zw_orbits_shoot(study, number, 1, i ? "radau" : NULL, &by[i], &err) < 0)
            fail_msg("%s", err.text);
    assert_string_equal(by[0].method, "rk87");
    assert_string_equal(by[1].method, "radau");
    assert_close(by[0].period, by[1].period, 1e-10);
    err = (zw_error){0};
    assert_true(zw_orbits_shoot(study, number, 1, "none", &by[0], &err) < 0);
    assert_true(err.text[0] != 0);
    close_study();
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_sequence__values),
        cmocka_unit_test(test_sequence__ends_at_folds),
        cmocka_unit_test(test_sequence__stops_at_events),
        cmocka_unit_test(test_sequence__shooting),
        cmocka_unit_test(test_sequence__stiff_shooting),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
