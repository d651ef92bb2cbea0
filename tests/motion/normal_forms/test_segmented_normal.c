/* SPDX-License-Identifier: MIT */
/* Normal forms of folds and period doublings of orbits through events, against the exact map of a
 * bouncing ball: multipliers beside the fold, and the cycle of two bounces behind the doubling. */
#include <math.h>
#include <stdlib.h>

#include "support/orbits.h"
#include "support/test.h"
#include "zwang/zwang.h"

#define BALL                                                                                       \
    "model table\nunits none\nparam e = 0.5, Gamma = 1.2\ncoord y\nkinetic y'^2/2\npotential y\n"  \
    "start y = 3, y' = 3\n"                                                                        \
    "event impact : y - Gamma*sin(t) falling, set y' = -e*y' + (1 + e)*Gamma*cos(t)\n"

static zw_context *ctx;
static zw_event_orbits *study;
static zw_error err;

static const zw_segmented_motion *find_mark(const char *set, zw_bifurcation event) {
    zw_system *sys;
    zw_model_options model = {.size = sizeof model, .nset = 1, .set = &set};
    zw_event_orbits_options o = zw_event_orbits_options_default();
    err = (zw_error){0};
    ctx = zw_context_create(NULL);
    o.over = "Gamma=0.5:2";
    if (zw_model_parse(&sys, ctx, BALL, strlen(BALL), "test", &model, &err) < 0 ||
        zw_event_orbits_create(&study, sys, &o, &err) < 0 ||
        zw_event_orbits_find(study, 1.2, NULL, &err) < 0 ||
        zw_event_orbits_follow(study, 0, &err) < 0)
        fail_msg("%s", err.text);
    for (int i = 0; i < zw_event_orbits_count(study); i++)
        if (zw_event_orbits_at(study, i)->event_here == event)
            return zw_event_orbits_at(study, i);
    fail_msg("there is no such mark");
    return NULL;
}

static void close_study(void) {
    zw_event_orbits_destroy(study);
    zw_context_destroy(ctx);
}

/* With y = Gamma sin t0 at the impact the multipliers have the sum 1 + e^2 - (1 + e)^2 y and the
 * product e^2: beside the fold, where y = xi q_y, mu - 1 = -(1 + e) y/(1 - e) = 2 b xi. */
static void test_normal__fold(void **state) {
    (void)state;
    for (int k = 0; k < 2; k++) {
        double e = k ? 0.6 : 0.5;
        const zw_segmented_motion *m = find_mark(k ? "e=0.6" : "e=0.5", ZW_BIFURCATION_FOLD);
        const zw_orbit_normal *n = m->normal;
        assert_non_null(n);
        assert_int_equal(n->criticality, ZW_ORBIT_QUADRATIC);
        assert_close(n->form.coefficient, -n->q_re[0] * (1 + e) / (2 * (1 - e)), 1e-6);
        assert_true(fabs(n->q_re[0]) > 0.1 && n->form.error < 1e-6);
        close_study();
    }
}

static void bounce(double G, double e, double *t, double *v) {
    double s = 2 * *v;
    for (int i = 0; i < 60; i++)
        s -= (G * sin(*t) + *v * s - s * s / 2 - G * sin(*t + s)) / (*v - s - G * cos(*t + s));
    *v = -e * (*v - s) + (1 + e) * G * cos(*t + s);
    *t += s;
}

/* alpha/xi^2 of the cycle of two bounces at G, which the map goes to: mu = -(1 + alpha), and twice
 * xi q is between the two */
static double estimate(double G, double e, double q) {
    double t = 0.81, v = 3.12, low = M_PI * (1 - e) / (1 + e), y = sqrt(G * G - low * low),
           sum = 1 + e * e - (1 + e) * (1 + e) * y, mu = sum / 2 - sqrt(sum * sum / 4 - e * e), one;
    for (int i = 0; i < 20000; i++)
        bounce(G, e, &t, &v);
    one = v;
    bounce(G, e, &t, &v);
    double xi = (one - v) / (2 * q);
    return (-mu - 1) / (xi * xi);
}

static void test_normal__doubling(void **state) {
    (void)state;
    for (int k = 0; k < 2; k++) {
        double e = k ? 0.6 : 0.5;
        const zw_segmented_motion *m = find_mark(k ? "e=0.6" : "e=0.5", ZW_BIFURCATION_FLIP);
        const zw_orbit_normal *n = m->normal;
        assert_non_null(n);
        assert_int_equal(n->criticality, ZW_ORBIT_SUPERCRITICAL);
        double far = estimate(m->value + 2e-3, e, n->q_re[1]),
               near = estimate(m->value + 1e-3, e, n->q_re[1]),
               nearest = estimate(m->value + 5e-4, e, n->q_re[1]), first = 2 * near - far,
               second = 2 * nearest - near, limit = (4 * second - first) / 3;
        assert_close(n->form.coefficient, limit, 2e-5);
        assert_true(n->form.error < 1e-4 * n->form.size);
        char *text = event_orbits_text(study), *json = event_orbits_json(study);
        assert_non_null(strstr(text, "supercritical (c = "));
        assert_non_null(strstr(json, "\"criticality\": \"supercritical\""));
        free(text);
        free(json);
        close_study();
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_normal__fold),
        cmocka_unit_test(test_normal__doubling),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
