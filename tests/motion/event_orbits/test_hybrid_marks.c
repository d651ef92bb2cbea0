/* SPDX-License-Identifier: MIT */
/* Folds, period doublings and grazing of orbits through events over two parameters, against closed
 * forms. */
#include <math.h>
#include <stdlib.h>

#include "support/orbits.h"
#include "support/test.h"
#include "zwang/zwang.h"

#define MODEL(name) ZW_SOURCE_DIR "/models/" name ".zw"

static zw_context *ctx;
static zw_system *sys;
static zw_event_orbits *study;
static zw_error err;

static zw_status follow(const char *text, const char *first, const char *second, const char *over,
                        double value, const char *marks) {
    const char *set[] = {first, second};
    zw_model_options model = {
        .size = sizeof model, .nset = (first != NULL) + (second != NULL), .set = set};
    zw_event_orbits_options o = zw_event_orbits_options_default();
    err = (zw_error){0};
    ctx = zw_context_create(NULL);
    o.over = over;
    zw_status status = text[0] == '/'
                           ? zw_model_read(&sys, ctx, text, &model, &err)
                           : zw_model_parse(&sys, ctx, text, strlen(text), "test", &model, &err);
    if (status < 0 || zw_event_orbits_create(&study, sys, &o, &err) < 0 ||
        zw_event_orbits_find(study, value, NULL, &err) < 0 ||
        zw_event_orbits_follow(study, 0, &err) < 0)
        fail_msg("%s", err.text);
    return zw_event_orbits_marks(study, marks, &err);
}

static void close_study(void) {
    zw_event_orbits_destroy(study);
    zw_context_destroy(ctx);
}

static double least(double e) {
    return M_PI * (1 - e) / (1 + e);
}

static double rise(double e) {
    return 2 * (1 + e * e) / ((1 + e) * (1 + e));
}

/* both ends of the range of e are reached, and every point is on the closed form */
static void test_marks__bouncing_table(void **state) {
    (void)state;
    int folds = 0, flips = 0;
    double low = 1, high = 0;
    assert_int_equal(follow(MODEL("bouncing_table"), NULL, NULL, "Gamma=0.2:2.4", 1.2, "e=0.3:0.8"),
                     ZW_OK);
    for (int i = 0; i < zw_event_orbits_mark_count(study); i++) {
        const zw_orbit_mark *m = zw_event_orbits_mark_at(study, i);
        double e = m->second;
        low = fmin(low, e);
        high = fmax(high, e);
        assert_int_equal(m->special, ZW_ORBIT_USUAL);
        assert_close(m->period, 2 * M_PI, 1e-12);
        if (m->event == ZW_BIFURCATION_FOLD) {
            assert_close(m->value, least(e), 1e-8);
            folds++;
        } else {
            assert_int_equal(m->event, ZW_BIFURCATION_FLIP);
            assert_close(m->value, hypot(least(e), rise(e)), 1e-8);
            assert_close(m->measure[0].max, rise(e) + M_PI * M_PI / 2, 1e-7);
            flips++;
        }
    }
    assert_true(folds > 20 && flips > 20 && low == 0.3 && high == 0.8);
    /* the study is at the value of the model again */
    zw_table *t;
    if (zw_event_orbits_marks_table(study, NULL, &t, &err) < 0)
        fail_msg("%s", err.text);
    assert_string_equal(zw_table_get_note(t, "kind"), "marks");
    assert_int_equal(zw_table_find(t, "e"), 1);
    zw_table_destroy(t);
    if (zw_event_orbits_follow(study, 0, &err) < 0)
        fail_msg("%s", err.text);
    for (int i = 0; i < zw_event_orbits_count(study); i++)
        assert_close(cos(zw_event_orbits_at(study, i)->start),
                     least(0.5) / zw_event_orbits_at(study, i)->value, 1e-8);
    close_study();
}

/* from the side of impacts, where they become tangential, and from that without: the amplitude of
 * the linear answer is that of the wall */
static void test_marks__grazing(void **state) {
    (void)state;
    for (int k = 0; k < 2; k++) {
        double low = 9, high = 0;
        assert_int_equal(follow(MODEL("impact_oscillator"), "sigma=0.3", "Omega=2", "F=0.2:3",
                                k ? 1.2 : 0.6, "Omega=1.5:2.5"),
                         ZW_OK);
        int n = zw_event_orbits_mark_count(study);
        assert_true(n > 20);
        for (int i = 0; i < n; i++) {
            const zw_orbit_mark *m = zw_event_orbits_mark_at(study, i);
            double W = m->second;
            if (m->event == ZW_BIFURCATION_FLIP)
                continue; /* close beside it the period doubles: test_hybrid.c */
            low = fmin(low, W);
            high = fmax(high, W);
            assert_int_equal(m->event, ZW_BIFURCATION_GRAZE);
            assert_close(m->value, 0.3 * hypot(1 - W * W, 2 * 0.05 * W), 1e-7);
            assert_close(m->period, 2 * M_PI / W, 1e-12);
        }
        assert_true(low == 1.5 && high == 2.5);
        char *text = event_orbits_text(study);
        assert_non_null(strstr(text, "grazing orbits over F and Omega"));
        free(text);
        close_study();
    }
}

/* Under a ceiling at C the doubling orbit, which rises to rise(e) + pi^2/2, touches it where
 * rise(e) = C - pi^2/2: its curve ends there. */
static void test_marks__end_by_grazing(void **state) {
    (void)state;
    char set[60];
    double least_e = 1;
    int ends = 0;
    snprintf(set, sizeof set, "C=%.17g", rise(0.4) + M_PI * M_PI / 2);
    assert_int_equal(
        follow("model ceiling\nunits none\nparam e = 0.5, Gamma = 1.2, C = 9\ncoord y\n"
               "kinetic y'^2/2\npotential y\nstart y = 2.058, y' = -2.631\n"
               "event impact : y - Gamma*sin(t) falling, set y' = -e*y' + (1 + e)*Gamma*cos(t)\n"
               "event ceil : C - y falling, set y' = -e*y'\n",
               set, NULL, "Gamma=1:2.4", 1.2, "e=0.3:0.6"),
        ZW_OK);
    for (int i = 0; i < zw_event_orbits_mark_count(study); i++) {
        const zw_orbit_mark *m = zw_event_orbits_mark_at(study, i);
        if (m->event != ZW_BIFURCATION_FLIP)
            continue;
        least_e = fmin(least_e, m->second);
        if (m->special != ZW_ORBIT_GRAZING)
            continue;
        ends++;
        assert_close(m->second, 0.4, 1e-7);
        assert_close(m->value, hypot(least(0.4), rise(0.4)), 1e-7);
    }
    assert_int_equal(ends, 1);
    assert_true(least_e > 0.4 - 1e-7);
    close_study();
}

static void test_marks__refusals(void **state) {
    (void)state;
    assert_int_equal(follow(MODEL("bouncing_table"), NULL, NULL, "Gamma=0.9:1.3", 1.2, "Gamma=1:2"),
                     ZW_E_OPTION);
    close_study();
    assert_int_equal(follow(MODEL("bouncing_table"), NULL, NULL, "Gamma=0.9:1.3", 1.2, "e=0.6:0.7"),
                     ZW_E_OPTION);
    close_study();
    assert_int_equal(follow(MODEL("stick_slip"), NULL, NULL, "v=0.1:0.3", 0.2, "slips=0:1"),
                     ZW_E_OPTION);
    assert_non_null(strstr(err.text, "an event of the model sets it"));
    close_study();
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_marks__bouncing_table),
        cmocka_unit_test(test_marks__grazing),
        cmocka_unit_test(test_marks__end_by_grazing),
        cmocka_unit_test(test_marks__refusals),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
