/* SPDX-License-Identifier: MIT */
/* Symmetric orbits by their first half: the same as whole ones, with the same multipliers, and the
 * same place where the symmetry breaks. */
#include <math.h>
#include <stdlib.h>

#include "support/orbits.h"
#include "support/test.h"
#include "zwang/zwang.h"

static zw_context *ctx;
static zw_system *sys;
static zw_orbits *study;
static zw_error err;

static zw_status open_study(const char *text, const char *over, const char *symmetry) {
    zw_orbits_options o = zw_orbits_options_default();
    err = (zw_error){0};
    study = NULL;
    ctx = zw_context_create(NULL);
    o.over = over;
    o.symmetry = symmetry;
    o.tolerance = 1e-8;
    if (zw_model_parse(&sys, ctx, text, strlen(text), "test", NULL, &err) < 0)
        fail_msg("%s", err.text);
    return zw_orbits_create(&study, sys, &o, &err);
}

static void close_study(void) {
    zw_orbits_destroy(study);
    zw_context_destroy(ctx);
}

static const char van_der_pol[] =
    "model vdp\nunits none\nparam mu = 1\ncoord x\nkinetic x'^2/2\npotential x^2/2\n"
    "force (x) = mu*(1 - x^2)*x'\nstart x = 0.3\n";
/* the same about x = 2, seen in a mirror: 4 - x */
static const char shifted[] =
    "model vdp\nunits none\nparam mu = 1, c = 2\ncoord x\nkinetic x'^2/2\npotential (x - c)^2/2\n"
    "force (x) = mu*(1 - (x - c)^2)*x'\nstart x = 2.3\n";
static const char pendulum[] =
    "model dp\nunits none\nparam g = 0.9\ncoord phi\nkinetic phi'^2/2\npotential -cos(phi)\n"
    "force (phi) = g*cos(2/3*t) - phi'/2\nstart phi = 0\n";

static void test_half__same_orbit(void **state) {
    (void)state;
    static const char *const text[] = {van_der_pol, shifted, shifted}, *const symmetry[] = {
                                                                           "x=-x", "x = 2*c - x",
                                                                           NULL};
    for (int i = 0; i < 3; i++) {
        int number;
        char told[100];
        if (open_study(text[i], NULL, symmetry[i]) < 0 ||
            zw_orbits_find(study, NAN, &number, &err) < 0 ||
            zw_orbits_report_symmetry(study, number, told, sizeof told, &err) < 0)
            fail_msg("%s", err.text);
        const zw_orbit_motion *m = zw_orbits_at(study, number);
        double first[2], later[2], centre = i ? 2 : 0;
        assert_close(m->period, 6.66328685932, 1e-9);
        assert_close(m->measure[0].max - centre, 2.00861986087, 1e-7);
        assert_close(m->measure[0].mean, centre, 1e-8);
        assert_int_equal(m->nmultiplier, 2);
        assert_close(m->re[1], 0.00085969506, 1e-9);
        zw_orbits_state(study, number, 0.1, first);
        zw_orbits_state(study, number, 0.6, later);
        assert_close(later[0], 2 * centre - first[0], 1e-7);
        assert_close(later[1], -first[1], 1e-7);
        assert_string_equal(told, i ? "x = 4 - x" : "x = -x");
        close_study();
    }
}

/* the value of the only branch point */
static double breaking(const char *symmetry, int *orbits) {
    int number;
    double at = NAN;
    if (open_study(pendulum, "g=0.9:1.05", symmetry) < 0 ||
        zw_orbits_find(study, 0.9, &number, &err) < 0 || zw_orbits_follow(study, number, &err) < 0)
        fail_msg("%s", err.text);
    for (int i = 0; i < zw_orbits_count(study); i++)
        if (zw_orbits_at(study, i)->event == ZW_BIFURCATION_BRANCH) {
            const zw_orbit_motion *m = zw_orbits_at(study, i);
            at = m->value;
            assert_close(m->re[0], 1, 1e-5);
            assert_close(m->re[0] * m->re[1], exp(-0.5 * m->period), 1e-7); /* Liouville */
        }
    *orbits = zw_orbits_count(study);
    return at;
}

/* a pendulum that is driven: where it begins to swing more to one side */
static void test_half__symmetry_breaks(void **state) {
    (void)state;
    int n;
    double whole = breaking(NULL, &n);
    close_study();
    double half = breaking("phi=-phi", &n);
    assert_close(half, whole, 1e-8);
    zw_table *t; /* on file orbits are whole: they go on with and without the symmetry */
    zw_orbits_file f;
    assert_true(zw_orbits_table(study, NULL, &t, &err) >= 0);
    assert_true(zw_orbits_file_read(&f, t, &err) >= 0);
    close_study();
    for (int i = 0; i < 2; i++) {
        int index, number, marks = 0;
        double value;
        assert_true(zw_orbits_file_pick(&f, "BP1", &index, &value, &err) >= 0);
        assert_true(open_study(pendulum, "g=0.95:1.05", i ? "phi=-phi" : NULL) >= 0);
        if (zw_orbits_adopt(study, &f, index, value, &number, &err) < 0 ||
            zw_orbits_follow(study, number, &err) < 0)
            fail_msg("%s", err.text);
        for (int k = 0; k < zw_orbits_count(study); k++) {
            const zw_orbit_motion *m = zw_orbits_at(study, k);
            marks += m->curve >= 0 && m->event == ZW_BIFURCATION_BRANCH;
            assert_close(m->measure[0].mean, 0, 1e-7); /* still symmetric */
        }
        assert_int_equal(marks, 1);
        close_study();
    }
    zw_orbits_file_clear(&f);
    zw_table_destroy(t);
}

/* From the half orbits over g to the branch without the symmetry and on to that of twice the
 * period, at the same places as from whole ones. */
static void test_half__other_branches_leave(void **state) {
    double place[2][3] = {
        {NAN, NAN, NAN},
        {NAN, NAN, NAN}}; /* broken, doubled, and how far to one side it is at the end */
    (void)state;
    for (int i = 0; i < 2; i++) {
        int number, found;
        if (open_study(pendulum, "g=0.95:1.08", i ? "phi=-phi" : NULL) < 0 ||
            zw_orbits_find(study, 0.95, &number, &err) < 0 ||
            zw_orbits_follow(study, number, &err) < 0 ||
            zw_orbits_switch(study, 2, &found, &err) < 0)
            fail_msg("%s", err.text);
        assert_int_equal(found, 2);
        assert_int_equal(zw_orbits_branch_origin(study, 1, NULL, &place[i][0], NULL), 0);
        assert_int_equal(zw_orbits_branch_origin(study, 2, NULL, &place[i][1], NULL), 1);
        for (int k = 0; k < zw_orbits_count(study); k++) {
            const zw_orbit_motion *m = zw_orbits_at(study, k);
            if (m->curve == 1 && fabs(m->value - 1.08) < 1e-12)
                place[i][2] = fabs(m->measure[0].mean);
            if (m->curve == 0)
                assert_close(m->measure[0].mean, 0, 1e-7);
        }
        close_study();
    }
    assert_close(place[0][0], 1.0043195, 1e-6);
    assert_true(place[0][2] > 0.1);
    for (int k = 0; k < 3; k++)
        assert_close(place[1][k], place[0][k], 1e-7);
}

/* Where the symmetry breaks over drive and damping, against the places on branches at other
 * dampings, of whole orbits. */
static void test_half__breaking_in_two_parameters(void **state) {
    static const char damped[] =
        "model dp\nunits none\nparam g = %g, d = %g\ncoord phi\nkinetic phi'^2/2\n"
        "potential -cos(phi)\nforce (phi) = g*cos(2/3*t) - d*phi'\nstart phi = 0\n";
    char text[sizeof damped + 20];
    double low = NAN, high = NAN;
    int number, n;
    (void)state;
    snprintf(text, sizeof text, damped, 0.95, 0.5);
    if (open_study(text, "g=0.8:1.2", "phi=-phi") < 0 ||
        zw_orbits_find(study, 0.95, &number, &err) < 0 ||
        zw_orbits_follow(study, number, &err) < 0 ||
        zw_orbits_marks(study, "d=0.45:0.55", &err) < 0)
        fail_msg("%s", err.text);
    n = zw_orbits_mark_count(study);
    assert_true(n > 4);
    for (int i = 0; i < n; i++) {
        const zw_orbit_mark *m = zw_orbits_mark_at(study, i);
        assert_int_equal(m->event, ZW_BIFURCATION_BRANCH);
        assert_close(m->measure[0].mean, 0, 1e-7);
        low = fabs(m->second - 0.45) < 1e-12 ? m->value : low;
        high = fabs(m->second - 0.55) < 1e-12 ? m->value : high;
    }
    char *told = orbits_text(study);
    assert_non_null(strstr(told, "broken symmetries over g and d"));
    free(told);
    close_study();
    for (int i = 0; i < 2; i++) {
        double at = NAN;
        snprintf(text, sizeof text, damped, i ? 1. : 0.85, i ? 0.55 : 0.45);
        if (open_study(text, "g=0.8:1.2", NULL) < 0 ||
            zw_orbits_find(study, i ? 1. : 0.85, &number, &err) < 0 ||
            zw_orbits_follow(study, number, &err) < 0)
            fail_msg("%s", err.text);
        for (int k = 0; k < zw_orbits_count(study); k++)
            if (zw_orbits_at(study, k)->event == ZW_BIFURCATION_BRANCH)
                at = zw_orbits_at(study, k)->value;
        assert_close(i ? high : low, at, 1e-7);
        close_study();
    }
}

static void test_half__families(void **state) {
    (void)state;
    static const char free[] = "model p\nunits none\ncoord phi\nkinetic phi'^2/2\n"
                               "potential 1 - cos(phi)\nstart phi = 1\n";
    double period[2];
    for (int i = 0; i < 2; i++) {
        int number;
        if (open_study(free, i ? "period=6.5:9" : "energy=0.1:1.5", "phi=-phi") < 0 ||
            zw_orbits_find(study, NAN, &number, &err) < 0 ||
            zw_orbits_follow(study, number, &err) < 0)
            fail_msg("%s", err.text);
        period[i] = zw_orbits_at(study, zw_orbits_count(study) - 1)->period;
        close_study();
    }
    assert_close(period[0], 8.62606259, 1e-7); /* 4 K(sqrt(0.75)) */
    assert_close(period[1], 9, 1e-12);
}

static void test_half__refuses(void **state) {
    (void)state;
    static const char *const bad[] = {"x=x", "x=-2*x",  "y=-y", "x=x^2",
                                      "x",   "x=1 - x", "x=-q", "x=-x'"};
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        if (open_study(van_der_pol, NULL, bad[i]) >= 0 || !err.text[0])
            fail_msg("%s is taken", bad[i]);
        close_study();
    }
    /* an orbit that has not the symmetry which the equations have is not found with it */
    static const char two[] = "model t\nunits none\ncoord x\nkinetic x'^2/2\n"
                              "potential x^4/4 - x^2/2\nforce (x) = (0.02 - (x^2 - 1)^2/8)*x'\n"
                              "start x = 1.2\n";
    assert_true(open_study(two, NULL, "x=-x") >= 0);
    assert_true(zw_orbits_find(study, NAN, NULL, &err) < 0);
    close_study();
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_half__same_orbit),
        cmocka_unit_test(test_half__symmetry_breaks),
        cmocka_unit_test(test_half__other_branches_leave),
        cmocka_unit_test(test_half__breaking_in_two_parameters),
        cmocka_unit_test(test_half__families),
        cmocka_unit_test(test_half__refuses),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
