/* SPDX-License-Identifier: MIT */
/* Limit cycles by the balance of harmonics, with their frequency as an unknown: series, orbits by
 * collocation beside them, ends at Hopf points, bifurcations and what leaves there, refusals. */
#include "support/forced_report.h"
#include "support/test.h"
#include "zwang/zwang.h"

#define MODEL(name) ZW_SOURCE_DIR "/models/" name ".zw"

static zw_context *ctx;
static zw_system *sys;
static zw_forced *f;
static zw_error err;

static zw_status open_study(const char *path, const char *set, zw_forced_options options) {
    zw_model_options model = {.size = sizeof model, .nset = set ? 1 : 0, .set = &set};
    ctx = zw_context_create(NULL);
    err = (zw_error){0};
    options.cycles = true;
    zw_status status = path[0] == '/'
                           ? zw_model_read(&sys, ctx, path, &model, &err)
                           : zw_model_parse(&sys, ctx, path, strlen(path), "test", &model, &err);
    if (status < 0)
        fail_msg("%s", err.text);
    return zw_forced_create(&f, sys, &options, &err);
}

static void close_study(void) {
    zw_forced_destroy(f);
    zw_context_destroy(ctx);
    f = NULL;
}

static const zw_forced_motion *find(const char *path, const char *set, zw_forced_options options) {
    if (open_study(path, set, options) < 0 || zw_forced_find(f, NAN, NULL, &err) < 0)
        fail_msg("%s", err.text);
    return zw_forced_motion_at(f, 0);
}

/* A. Dorodnitsyn's terms of w for small mu; with one harmonic alone the amplitude 2 and the
 * frequency 1, and r' = mu r (1 - r^2/4)/2 */
static void test_cycle__van_der_pol_in_series(void **state) {
    (void)state;
    zw_forced_options o = zw_forced_options_default();
    double mu2 = 0.01;
    const zw_forced_motion *m = find(MODEL("van_der_pol"), "mu=0.1", o);
    assert_close(m->w, 1 - mu2 / 16 + 17 * mu2 * mu2 / 3072 + 35 * mu2 * mu2 * mu2 / 884736, 1e-10);
    assert_close(m->measure[0].max, 2 + mu2 / 96, 3e-7);
    assert_int_equal(m->verdict, ZW_FLOQUET_STABLE);
    close_study();
    o.harmonics = 1;
    o.slow = true;
    m = find(MODEL("van_der_pol"), "mu=0.1", o);
    assert_close(m->w, 1, 1e-12);
    assert_close(m->measure[0].first, 2, 1e-12);
    bool seen = false;
    for (int i = 0; i < m->nslow; i++)
        seen |= fabs(m->slow_re[i] + 0.1) < 1e-9 && m->slow_im[i] == 0;
    assert_true(seen);
    close_study();
}

/* period, size and multipliers by collocation; velocities and states of first order */
static void test_cycle__as_by_collocation(void **state) {
    (void)state;
    static const struct {
        const char *model, *set;
    } known[] = {{MODEL("van_der_pol"), "mu=1"},
                 {MODEL("roessler"), "c=2"},
                 {"model b\nunits none\nparam A = 1, B = 2.3\n"
                  "state x, y : x' = A - (B + 1)*x + x^2*y, y' = B*x - x^2*y\nstart x = 1.3, y = "
                  "2\n",
                  NULL}};
    for (size_t i = 0; i < sizeof known / sizeof *known; i++) {
        zw_orbits *o;
        zw_orbits_options options = zw_orbits_options_default();
        int number;
        const zw_forced_motion *m = find(known[i].model, known[i].set, zw_forced_options_default());
        if (zw_orbits_create(&o, sys, &options, &err) < 0 ||
            zw_orbits_find(o, NAN, &number, &err) < 0)
            fail_msg("%s", err.text);
        const zw_orbit_motion *orbit = zw_orbits_at(o, number);
        assert_close(2 * M_PI / m->w, orbit->period, 1e-7 * orbit->period);
        assert_close(m->measure[0].max, orbit->measure[0].max, 1e-5);
        assert_int_equal(m->nmultiplier, orbit->nmultiplier);
        for (int k = 0; k < m->nmultiplier; k++)
            assert_close(hypot(m->re[k], m->im[k]), hypot(orbit->re[k], orbit->im[k]), 1e-4);
        assert_int_equal(m->verdict, orbit->verdict);
        zw_orbits_destroy(o);
        close_study();
    }
}

/* from a cycle down to the Hopf point B = 1 + A^2, where it ends; beyond it nothing is missing */
static void test_cycle__ends_at_a_hopf_point(void **state) {
    (void)state;
    zw_forced_options o = zw_forced_options_default();
    o.over = "B=1.5:2.4";
    if (open_study("model b\nunits none\nparam A = 1, B = 2.3\n"
                   "state x, y : x' = A - (B + 1)*x + x^2*y, y' = B*x - x^2*y\nstart x = 1.3, y = "
                   "2\n",
                   NULL, o) < 0 ||
        zw_forced_curves(f, 0, 0, &err) < 0)
        fail_msg("%s", err.text);
    char *text = forced_text(f);
    assert_non_null(text);
    const char *at = strstr(text, "shrinks to rest at B = ");
    if (!at)
        fail_msg("%s", text);
    assert_close(strtod(at + strlen("shrinks to rest at B = "), NULL), 2, 1e-5);
    free(text);
    for (int i = 0; i < zw_forced_motions(f); i++) {
        const zw_forced_motion *m = zw_forced_motion_at(f, i);
        assert_int_equal(m->verdict, ZW_FLOQUET_STABLE);
        /* C^2 = 4/3 (B - 2) up to its square */
        if (m->value < 2.02)
            assert_close(m->measure[0].first * m->measure[0].first, 4. / 3 * (m->value - 2),
                         0.1 * (m->value - 2));
    }
    zw_warnings *doubts = zw_warnings_create(NULL);
    zw_forced_warnings(f, doubts);
    for (int i = 0; i < zw_warnings_count(doubts); i++)
        assert_null(strstr(zw_warnings_at(doubts, i)->text, "no periodic motion was found"));
    zw_warnings_destroy(doubts);
    close_study();
}

/* The normal form with a term of the fifth degree: r' = r (m + s r^2 - r^4) has its cycles at m =
 * r^4 - s r^2. They begin at m = 0 and turn at m = -s^2/4, where r^2 = s/2; the rate 1 + r^2/3 of
 * the phase makes the frequency 1 + r^2/3. */
static const char bautin[] =
    "model b\nunits none\nparam m = 0.1, s = 1\nlet q = x^2 + y^2\n"
    "state x, y : x' = x*(m + s*q - q^2) - y*(1 + q/3), y' = y*(m + s*q - q^2) + x*(1 + q/3)\n"
    "start x = 1.1, y = 0\n";

static const zw_forced_motion *event_of(zw_forced *study, zw_bifurcation event, int *n) {
    const zw_forced_motion *last = NULL;
    *n = 0;
    for (int i = 0; i < zw_forced_motions(study); i++)
        if (zw_forced_motion_at(study, i)->event == event) {
            last = zw_forced_motion_at(study, i);
            ++*n;
        }
    return last;
}

static void test_cycle__folds_over_two_parameters(void **state) {
    (void)state;
    zw_forced_options o = zw_forced_options_default();
    int n;
    o.over = "m=-0.8:0.2";
    if (open_study(bautin, NULL, o) < 0 || zw_forced_curves(f, 0, 0, &err) < 0 ||
        zw_forced_marks(f, "s=0.7:1.6", &err) < 0)
        fail_msg("%s", err.text);
    const zw_forced_motion *fold = event_of(f, ZW_BIFURCATION_FOLD, &n);
    assert_int_equal(n, 1);
    assert_close(fold->value, -0.25, 1e-9);
    for (int i = 0; i < zw_forced_motions(f); i++) {
        const zw_forced_motion *m = zw_forced_motion_at(f, i);
        double q = 2 * m->measure[0].rms * m->measure[0].rms;
        assert_close(m->value, q * q - q, 1e-9);
        assert_close(m->w, 1 + q / 3, 1e-9);
        if (fabs(q - 0.5) > 1e-3)
            assert_int_equal(m->verdict, q > 0.5 ? ZW_FLOQUET_STABLE : ZW_FLOQUET_UNSTABLE);
    }
    assert_true(zw_forced_mark_count(f) > 10);
    double low = 1, high = 1;
    for (int i = 0; i < zw_forced_mark_count(f); i++) {
        const zw_forced_mark *m = zw_forced_mark_at(f, i);
        assert_int_equal(m->event, ZW_BIFURCATION_FOLD);
        assert_close(m->value, -m->second * m->second / 4, 1e-8);
        assert_close(m->measure[0].rms * m->measure[0].rms, m->second / 4, 1e-5);
        low = fmin(low, m->second);
        high = fmax(high, m->second);
    }
    assert_close(low, 0.7, 1e-12);
    assert_close(high, 1.6, 1e-12);
    close_study();
}

/* r' = r z, z' = 1 - r^2 + m z + k z^2 - z^3, turning at the rate 3: the cycle r = 1, z = 0 has
 * multipliers e^(2 pi s/3), s^2 - m s + 2 = 0, and leaves the circle at m = 0 whatever k is. */
static void test_cycle__neimark_sacker(void **state) {
    (void)state;
    zw_forced_options o = zw_forced_options_default();
    int n;
    o.over = "m=-0.5:0.4";
    if (open_study("model t\nunits none\nparam m = -0.3, k = 0.2\n"
                   "state x, y, z : x' = x*z - 3*y, y' = y*z + 3*x, z' = 1 - x^2 - y^2 + m*z + "
                   "k*z^2 - z^3\nstart x = 1, y = 0, z = 0.01\n",
                   NULL, o) < 0 ||
        zw_forced_curves(f, 0, 0, &err) < 0 || zw_forced_marks(f, "k=-0.5:0.5", &err) < 0)
        fail_msg("%s", err.text);
    const zw_forced_motion *torus = event_of(f, ZW_BIFURCATION_TORUS, &n);
    assert_int_equal(n, 1);
    assert_close(torus->value, 0, 1e-8);
    for (int i = 0; i < torus->nmultiplier; i++)
        if (torus->im[i] != 0)
            assert_close(fabs(atan2(torus->im[i], torus->re[i])),
                         2 * M_PI - 2 * M_PI * sqrt(2) / 3 < M_PI
                             ? 2 * M_PI - 2 * M_PI * sqrt(2) / 3
                             : 2 * M_PI * sqrt(2) / 3,
                         1e-6);
    assert_true(zw_forced_mark_count(f) > 10);
    for (int i = 0; i < zw_forced_mark_count(f); i++) {
        assert_int_equal(zw_forced_mark_at(f, i)->event, ZW_BIFURCATION_TORUS);
        assert_close(zw_forced_mark_at(f, i)->value, 0, 1e-7);
    }
    close_study();
}

/* doublings of Roessler's cycle, as by collocation (test_orbits_switch.c); the cycle of two rounds
 * to which a run goes ends where it is born */
static void test_cycle__period_doublings(void **state) {
    (void)state;
    zw_forced_options o = zw_forced_options_default();
    int n;
    o.over = "c=2.6:3";
    if (open_study(MODEL("roessler"), NULL, o) < 0 || zw_forced_curves(f, 0, 0, &err) < 0)
        fail_msg("%s", err.text);
    const zw_forced_motion *doubling = event_of(f, ZW_BIFURCATION_FLIP, &n);
    assert_int_equal(n, 1);
    assert_close(doubling->value, 2.8324450, 5e-8);
    event_of(f, ZW_BIFURCATION_FOLD, &n);
    assert_int_equal(n, 0);
    char *text = forced_text(f);
    assert_non_null(text);
    if (!strstr(text, "ends at c = 2.832445") || !strstr(text, "of cycles of half the period"))
        fail_msg("%s", text);
    free(text);
    assert_int_equal(zw_forced_switch(f, 2, &err), ZW_OK);
    assert_int_equal(zw_forced_children(f), 0); /* known already */
    close_study();
    o.over = "c=2.6:2.9";
    o.cycles = true;
    if (open_study(MODEL("roessler"), "c=2.6", o) < 0 || zw_forced_find(f, 2.6, &n, &err) < 0 ||
        zw_forced_follow(f, n, &err) < 0 || zw_forced_switch(f, 1, &err) < 0)
        fail_msg("%s", err.text);
    assert_int_equal(zw_forced_children(f), 1);
    const zw_forced *child = zw_forced_child(f, 0);
    const zw_forced_motion *last = zw_forced_motion_at(child, zw_forced_motions(child) - 1);
    assert_close(last->value, 2.9, 1e-12);
    zw_orbits *orbits;
    zw_orbits_options options = zw_orbits_options_default();
    options.over = "c=2.6:2.9";
    options.period = 11.5;
    int number;
    if (zw_orbits_create(&orbits, sys, &options, &err) < 0 ||
        zw_orbits_find(orbits, 2.9, &number, &err) < 0)
        fail_msg("%s", err.text);
    const zw_orbit_motion *orbit = zw_orbits_at(orbits, number);
    assert_close(2 * M_PI / last->w, orbit->period, 1e-6 * orbit->period);
    assert_close(last->measure[0].max, orbit->measure[0].max, 1e-4);
    assert_int_equal(last->verdict, ZW_FLOQUET_STABLE);
    zw_orbits_destroy(orbits);
    close_study();
}

/* the symmetric cycle of Lorenz's equations: its symmetry breaks where collocation says */
static void test_cycle__symmetry_breaks(void **state) {
    (void)state;
    zw_forced_options o = zw_forced_options_default();
    int n;
    o.over = "rho=311:315";
    if (open_study(MODEL("lorenz"), "rho=315", o) < 0 || zw_forced_find(f, 315, &n, &err) < 0 ||
        zw_forced_follow(f, n, &err) < 0 || zw_forced_switch(f, 2, &err) < 0)
        fail_msg("%s", err.text);
    const zw_forced_motion *branch = event_of(f, ZW_BIFURCATION_BRANCH, &n);
    assert_non_null(branch);
    assert_close(branch->value, 312.97353, 1e-4);
    assert_int_equal(zw_forced_curve_count(f), 2);
    const zw_forced_motion *last = zw_forced_motion_at(f, zw_forced_motions(f) - 1);
    assert_close(last->value, 311, 1e-9);
    assert_int_equal(last->verdict, ZW_FLOQUET_STABLE);
    assert_true(fabs(last->measure[0].mean) > 0.1);
    close_study();
}

static void refused(const char *path, zw_forced_options o, const char *words) {
    assert_true(open_study(path, NULL, o) < 0);
    if (!strstr(err.text, words))
        fail_msg("'%s' is not in '%s'", words, err.text);
    close_study();
}

static void test_cycle__refused(void **state) {
    (void)state;
    zw_forced_options o = zw_forced_options_default();
    refused(MODEL("double_pendulum"), o, "the energy is conserved");
    o.order = 2;
    refused(MODEL("van_der_pol"), o, "--order above 1");
    o = zw_forced_options_default();
    o.over = "mu=0.5:1";
    assert_true(open_study(MODEL("van_der_pol"), NULL, o) >= 0);
    assert_int_equal(zw_forced_march(f, 3, &err), ZW_E_OPTION);
    close_study();
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_cycle__van_der_pol_in_series),
        cmocka_unit_test(test_cycle__as_by_collocation),
        cmocka_unit_test(test_cycle__ends_at_a_hopf_point),
        cmocka_unit_test(test_cycle__folds_over_two_parameters),
        cmocka_unit_test(test_cycle__neimark_sacker),
        cmocka_unit_test(test_cycle__period_doublings),
        cmocka_unit_test(test_cycle__symmetry_breaks),
        cmocka_unit_test(test_cycle__refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
