/* SPDX-License-Identifier: MIT */
/* Limit cycles by the balance of harmonics, with their frequency as an unknown: series, orbits by collocation beside them, ends at Hopf points, refusals. */
#include "test.h"
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

/* A. Dorodnitsyn's terms of w for small mu; with one harmonic alone the amplitude 2 and the frequency 1, and r' = mu r (1 - r^2/4)/2 */
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
    char *text = zw_forced_text(f);
    assert_non_null(text);
    const char *at = strstr(text, "shrinks to rest at B = ");
    if (!at)
        fail_msg("%s", text);
    assert_close(strtod(at + strlen("shrinks to rest at B = "), NULL), 2, 1e-5);
    zw_string_free(ctx, text);
    for (int i = 0; i < zw_forced_motions(f); i++) {
        const zw_forced_motion *m = zw_forced_motion_at(f, i);
        assert_int_equal(m->verdict, ZW_FLOQUET_STABLE);
        /* C^2 = 4/3 (B - 2) up to its square */
        if (m->value < 2.02)
            assert_close(m->measure[0].first * m->measure[0].first, 4. / 3 * (m->value - 2),
                         0.1 * (m->value - 2));
    }
    zw_doubts *doubts = zw_doubts_create(NULL);
    zw_forced_doubts(f, doubts);
    for (int i = 0; i < zw_doubts_count(doubts); i++)
        assert_null(strstr(zw_doubts_at(doubts, i)->text, "no periodic motion was found"));
    zw_doubts_destroy(doubts);
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
    refused(MODEL("double_pendulum"), o, "the energy stays");
    o.order = 2;
    refused(MODEL("van_der_pol"), o, "several periods of a drive");
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
        cmocka_unit_test(test_cycle__refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
