/* SPDX-License-Identifier: MIT */
/* Branches of smooth orbits end where an orbit touches an event that ends motions: against closed
 * forms. */
#include <math.h>
#include <stdlib.h>

#include "support/orbits.h"
#include "support/test.h"
#include "zwang/zwang.h"

#define OSCILLATOR                                                                                 \
    "model osc\nunits none\nparam zeta = 0.05, Omega = 2, F = 0.5\ncoord x\nkinetic x'^2/2\n"      \
    "potential x^2/2\nforce (x) = F*cos(Omega*t) - 2*zeta*x'\nstart x = 0\n"

static zw_context *ctx;
static zw_orbits *study;
static zw_error err;

static void open_study(const char *text, const char *set, const char *over, const char *symmetry) {
    zw_system *sys;
    zw_model_options model = {.size = sizeof model, .nset = set ? 1 : 0, .set = &set};
    zw_orbits_options o = zw_orbits_options_default();
    err = (zw_error){0};
    ctx = zw_context_create(NULL);
    o.over = over;
    o.symmetry = symmetry;
    if (zw_model_parse(&sys, ctx, text, strlen(text), "test", &model, &err) < 0 ||
        zw_orbits_create(&study, sys, &o, &err) < 0)
        fail_msg("%s", err.text);
}

static void follow(const char *text, const char *over, double value, const char *symmetry) {
    int number;
    open_study(text, NULL, over, symmetry);
    if (zw_orbits_find(study, value, &number, &err) < 0 ||
        zw_orbits_follow(study, number, &err) < 0)
        fail_msg("%s", err.text);
}

static void close_study(void) {
    zw_orbits_destroy(study);
    zw_context_destroy(ctx);
}

/* the branch ends upwards (side 1) or downwards, with an orbit that touches, there; range: of the
 * parameter */
static void ends_at(int side, double value, double range, const char *name) {
    int n = zw_orbits_count(study), touching = 0;
    char label[ZW_ORBITS_LABEL];
    for (int i = 0; i < n; i++) {
        const zw_orbit_motion *m = zw_orbits_at(study, i);
        if (m->curve < 0)
            continue;
        assert_true((side ? 1 : -1) * (value - m->value) > -1e-8 * range);
        if (m->event != ZW_BIFURCATION_GRAZE)
            continue;
        touching++;
        zw_orbits_label(study, i, label);
        assert_string_equal(label, "GR1");
        assert_true(fabs(m->value - value) < 1e-8 * range);
    }
    assert_int_equal(touching, 1);
    assert_int_equal(zw_orbits_branch_end(study, 0, side), ZW_CONT_ASKED);
    char *text = orbits_text(study);
    assert_non_null(strstr(text, name));
    free(text);
}

/* the amplitude of the linear answer is that of the wall; by half an orbit, too */
static void test_stop__linear_answer(void **state) {
    (void)state;
    double touch = hypot(1 - 4, 2 * 0.05 * 2);
    static const char *const wall[] = {OSCILLATOR "event wall : x - 1 rising stop\n",
                                       OSCILLATOR "event wall : x - 1 rising stop\n",
                                       OSCILLATOR "event wall : x + 1 falling stop\n",
                                       OSCILLATOR "event wall : 1 - x stop\n"};
    for (int i = 0; i < 4; i++) {
        follow(wall[i], "F=0.1:4", 0.5, i == 1 ? "x=-x" : NULL);
        ends_at(1, touch, 3.9, "the event wall: motions end there");
        close_study();
    }
    /* downwards in the frequency: (1 - W^2)^2 + (0.1 W)^2 = F^2 */
    follow(wall[0], "Omega=0.5:2", 2, NULL);
    double b = 2 - 0.01, W2 = (b + sqrt(b * b - 4 * (1 - 0.25))) / 2;
    ends_at(0, sqrt(W2), 1.5, "the event wall");
    close_study();
}

/* a cycle of radius sqrt(mu) */
static void test_stop__round_cycle(void **state) {
    (void)state;
    follow("model round\nunits none\nparam mu = 1\n"
           "state x, y : x' = mu*x - y - x*(x^2 + y^2), y' = x + mu*y - y*(x^2 + y^2)\n"
           "start x = 1, y = 0\nevent far : x + 2*y - 2 rising stop\n",
           "mu=0.2:3", 0.5, NULL);
    ends_at(1, 0.8, 2.8, "the event far"); /* 5 mu = 4 */
    close_study();
}

/* a table that is shaken holds a body, lambda = g - A sin t, up to A = g: a contact that opens */
static void test_stop__force_of_a_constraint(void **state) {
    (void)state;
    follow("model shaken\nunits none\nparam A = 0.3, g = 1.7\ncoord x, y\n"
           "kinetic (x'^2 + y'^2)/2\npotential g*y + x^2\nforce (x) = cos(t) - 0.3*x'\n"
           "constraint table : y = A*sin(t)\nstart x = 0.1, y = 0, y' = A\n"
           "event opens : lambda(table) falling stop\n",
           "A=0.1:3", 0.3, NULL);
    ends_at(1, 1.7, 2.9, "the event opens");
    close_study();
}

/* from the orbit that touches: along the frequency there is one side */
static void test_stop__goes_on_from_the_end(void **state) {
    (void)state;
    zw_table *t;
    zw_orbits_file f;
    int index, number;
    double value;
    char set[60];
    follow(OSCILLATOR "event wall : x - 1 rising stop\n", "F=0.1:4", 0.5, NULL);
    if (zw_orbits_table(study, NULL, &t, &err) < 0 || zw_orbits_file_read(&f, t, &err) < 0 ||
        zw_orbits_file_pick(&f, "GR1", &index, &value, &err) < 0)
        fail_msg("%s", err.text);
    close_study();
    snprintf(set, sizeof set, "F=%.17g", f.orbit[index].motion.value);
    open_study(OSCILLATOR "event wall : x - 1 rising stop\n", set, "Omega=1.7:2.4", NULL);
    if (zw_orbits_adopt(study, &f, index, NAN, &number, &err) < 0 ||
        zw_orbits_follow(study, number, &err) < 0)
        fail_msg("%s", err.text);
    assert_int_equal(zw_orbits_branch_end(study, 0, 0), ZW_CONT_ASKED);
    assert_int_equal(zw_orbits_branch_end(study, 0, 1), ZW_CONT_AT_BOUND);
    int n = 0;
    for (int i = 0; i < zw_orbits_count(study); i++) {
        const zw_orbit_motion *m = zw_orbits_at(study, i);
        n += m->curve >= 0;
        assert_true(m->value > 2 - 1e-8 && m->measure[0].max < 1 + 1e-6);
    }
    assert_true(n > 10);
    close_study();
    zw_orbits_file_clear(&f);
    zw_table_destroy(t);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_stop__linear_answer),
        cmocka_unit_test(test_stop__round_cycle),
        cmocka_unit_test(test_stop__force_of_a_constraint),
        cmocka_unit_test(test_stop__goes_on_from_the_end),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
