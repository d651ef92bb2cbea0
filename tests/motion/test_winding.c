/* SPDX-License-Identifier: MIT */
/* Angles that turn: against shooting with turns, a motion in closed form, and what is said where
 * turns are missing, wrong or make no sense. */
#include <math.h>
#include <stdlib.h>

#include "motion/segments/periodic.h"
#include "support/orbits.h"
#include "support/test.h"
#include "zwang/zwang.h"

/* a pendulum whose pivot is shaken up and down turns along with it */
#define PENDULUM                                                                                   \
    "model p\nunits none\nparam W = 8, a = 12\ncoord phi\nkinetic 1/2*phi'^2\n"                    \
    "potential -9.81*cos(phi)\ndissipation 0.05*phi'^2\nforce shake (phi) = a*cos(W*t)*sin(phi)\n" \
    "start phi = 3, phi' = 8\n"
/* one that is pulled along: phi = W t - asin(c W/k) */
#define PULLED                                                                                     \
    "model p\nparam W = 3 [rad/s], J = 1 [kg*m^2], c = 0.2 [N*m*s], k = 2 [N*m]\ncoord phi "       \
    "[rad]\n"                                                                                      \
    "kinetic 1/2*J*phi'^2\ndissipation 1/2*c*phi'^2\nforce pull (phi) = k*sin(W*t - phi)\n"        \
    "start phi' = 3 [rad/s]\n"

typedef struct forced {
    zw_context *ctx;
    zw_system *sys;
    zw_forced *study;
    zw_error err;
} forced;

static forced f;

static zw_status open_study(const char *text, const char *winding, const char *over) {
    zw_forced_options o = zw_forced_options_default();
    o.winding = winding;
    o.over = over;
    o.tolerance = 1e-10;
    o.harmonics_max = 15;
    f = (forced){.ctx = zw_context_create(NULL)};
    if (zw_model_parse(&f.sys, f.ctx, text, strlen(text), "test", NULL, &f.err) < 0)
        fail_msg("%s", f.err.text);
    return zw_forced_create(&f.study, f.sys, &o, &f.err);
}

static void close_study(void) {
    zw_forced_destroy(f.study);
    zw_context_destroy(f.ctx);
}

static void test_winding__as_by_shooting(void **state) {
    (void)state;
    if (open_study(PENDULUM, "phi=1", NULL) < 0 ||
        (zw_forced_find(f.study, NAN, NULL, &f.err) < 0 &&
         zw_forced_search(f.study, NAN, 20, NULL, &f.err) < 0))
        fail_msg("%s", f.err.text);
    const zw_forced_motion *m = zw_forced_motion_at(f.study, 0);
    double x[2], sum = 0, rate = 8;
    for (int k = 0; k < m->ncoefficient; k++) {
        int h = (k + 1) / 2;
        sum += k == 0 || k % 2 ? m->x[k] : 0;
        rate += k && k % 2 == 0 ? 8 * h * m->x[k] : 0;
    }
    x[0] = sum;
    x[1] = rate;
    zw_kernel *kernel;
    zw_equations eq;
    double p[2] = {8, 12};
    const double turn[2] = {2 * M_PI, 0};
    zw_shooting s;
    zw_shooting_options o = zw_shooting_options_default();
    o.period = 2 * M_PI / 8;
    o.turn = turn;
    if (zw_derive(&eq, f.sys, NULL, "lagrange", &f.err) < 0 ||
        zw_kernel_create(&kernel, &eq, NULL, &f.err) < 0 ||
        zw_shooting_find(&s, kernel, p, x, &o, &f.err) < 0)
        fail_msg("%s", f.err.text);
    assert_close(s.x[0], x[0], 1e-8);
    assert_close(s.x[1], x[1], 1e-7);
    for (int i = 0; i < 2; i++) {
        assert_close(s.floquet.re[i], m->re[i], 1e-6);
        assert_close(fabs(s.floquet.im[i]), fabs(m->im[i]), 1e-6);
    }
    zw_shooting_clear(&s);
    zw_kernel_destroy(kernel);
    zw_table *rows;
    double gap;
    assert_int_equal(zw_forced_motion_table(f.study, 0, 64, NULL, &rows, &gap, &f.err), ZW_OK);
    assert_true(gap < 1e-7);
    zw_table_destroy(rows);
    close_study();
}

/* what is told is the rest, -asin(c W/k), over W up to where it falls behind, at a fold: c W = k */
static void test_winding__pulled_along(void **state) {
    (void)state;
    int folds = 0;
    if (open_study(PULLED, "phi=1", "W=1:12") < 0 || zw_forced_curves(f.study, 0, 0, &f.err) < 0)
        fail_msg("%s", f.err.text);
    for (int i = 0; i < zw_forced_motions(f.study); i++) {
        const zw_forced_motion *m = zw_forced_motion_at(f.study, i);
        if (m->curve < 0)
            continue;
        assert_close(sin(m->measure[0].mean), -0.1 * m->value, 1e-8);
        assert_close(m->measure[0].max - m->measure[0].min, 0, 1e-8);
        if (m->event == ZW_BIFURCATION_FOLD) {
            assert_close(m->value, 10, 1e-8);
            folds++;
        }
    }
    assert_int_equal(folds, 1);
    close_study();
}

static void test_winding__refusals(void **state) {
    (void)state;
    static const struct {
        const char *winding, *says, *hint;
    } cases[] = {{NULL, "rotates by", "--winding \"phi=1\""},
                 {"phi=2", "differs from --winding", "--winding \"phi=1\""},
                 {"phi=1.5", "whole turns", "phi=1"},
                 {"psi=1", "no coordinate psi", ""},
                 {"phi", "whole turns", "phi=1"}};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        assert_true(open_study(PULLED, cases[i].winding, NULL) < 0 ||
                    zw_forced_find(f.study, NAN, NULL, &f.err) < 0);
        if (!strstr(f.err.text, cases[i].says) || !strstr(f.err.hint, cases[i].hint))
            fail_msg("%zu: %s; %s", i, f.err.text, f.err.hint);
        close_study();
    }
    assert_true(open_study("model d\nunits none\nparam W = 2\ncoord x\nkinetic 1/2*x'^2\n"
                           "potential 1/2*x^2\nforce drive (x) = cos(W*t)\n",
                           "x=1", NULL) < 0);
    if (!strstr(f.err.text, "do not repeat"))
        fail_msg("%s", f.err.text);
    close_study();
    zw_forced_gauss *gauss = NULL;
    assert_int_equal(open_study(PULLED, "phi=1", NULL), ZW_OK);
    assert_int_equal(zw_forced_gauss_create(&gauss, f.study, NULL, &f.err), ZW_E_OPTION);
    assert_int_equal(zw_forced_shoot(f.study, NAN, 1, 0, NULL, NULL), ZW_E_OPTION);
    close_study();
}

/* A bead on a washboard, x'' = tau - c x' - 2 pi/L sin(2 pi x/L): in the angle th = 2 pi x/L it is
 * a pendulum with a torque. The orbit is the same in both, and the product of its multipliers
 * exp(-c T). */
static void test_winding__turns_of_another_length(void **state) {
    (void)state;
    static const char *const text[] = {
        "model p\nunits none\nparam L = 3, tau = 0.6\ncoord x\nkinetic x'^2/2\n"
        "potential -cos(2*pi*x/L)\nforce (x) = tau - 0.1*x'\nperiodic x period L\n"
        "start x = 0, x' = 6\n",
        "model p\nunits none\nparam L = 3, tau = 0.6\ncoord x\nkinetic x'^2/2\n"
        "potential -(2*pi/L)^2*cos(x)\nforce (x) = 2*pi/L*tau - 0.1*x'\nperiodic x\n"
        "start x = 0, x' = 12\n"};
    double period[2];
    for (int k = 0; k < 2; k++) {
        zw_orbits_options o = zw_orbits_options_default();
        zw_orbits *study;
        int number;
        f = (forced){.ctx = zw_context_create(NULL)};
        o.over = "tau=0.55:0.65";
        if (zw_model_parse(&f.sys, f.ctx, text[k], strlen(text[k]), "test", NULL, &f.err) < 0 ||
            zw_orbits_create(&study, f.sys, &o, &f.err) < 0 ||
            zw_orbits_find(study, 0.6, &number, &f.err) < 0)
            fail_msg("%s", f.err.text);
        const zw_orbit_motion *m = zw_orbits_at(study, number);
        period[k] = m->period;
        assert_close(m->re[0] * m->re[1], exp(-0.1 * m->period), 1e-8);
        char *words = orbits_text(study);
        assert_non_null(strstr(words, "x makes 1 turn\n"));
        free(words);
        assert_int_equal(zw_orbits_follow(study, number, &f.err), ZW_OK);
        for (int side = 0; side < 2; side++)
            assert_int_equal(zw_orbits_branch_end(study, 0, side), ZW_CONT_AT_BOUND);
        zw_orbits_destroy(study);
        zw_context_destroy(f.ctx);
    }
    assert_close(period[0], period[1], 1e-8 * period[0]);
}

/* A pulled pendulum next to 130 oscillators, whose state has 262 entries, and the washboard in a
 * model of 302 parameters: no size is too large to find a turn. */
static void test_winding__large_models(void **state) {
    (void)state;
    static char text[40000];
    size_t n = (size_t)snprintf(text, sizeof text, "%s", PULLED);
    for (int i = 0; i < 130; i++)
        n += (size_t)snprintf(text + n, sizeof text - n,
                              "coord q%d [rad]\nkinetic 1/2*J*q%d'^2\npotential 1/2*k*q%d^2\n", i,
                              i, i);
    if (open_study(text, "phi=1", NULL) < 0)
        fail_msg("%s", f.err.text);
    close_study();

    n = (size_t)snprintf(text, sizeof text,
                         "model p\nunits none\nparam L = 3, tau = 0.6\ncoord x\nkinetic x'^2/2\n"
                         "potential -cos(2*pi*x/L)\nforce (x) = tau - 0.1*x'\n"
                         "periodic x period L\nstart x = 0, x' = 6\n");
    for (int i = 0; i < 300; i++)
        n += (size_t)snprintf(text + n, sizeof text - n, "param other%d = 0\n", i);
    zw_orbits_options o = zw_orbits_options_default();
    zw_orbits *study;
    int number;
    f = (forced){.ctx = zw_context_create(NULL)};
    if (zw_model_parse(&f.sys, f.ctx, text, strlen(text), "test", NULL, &f.err) < 0 ||
        zw_orbits_create(&study, f.sys, &o, &f.err) < 0 ||
        zw_orbits_find(study, NAN, &number, &f.err) < 0)
        fail_msg("%s", f.err.text);
    char *words = orbits_text(study);
    assert_non_null(strstr(words, "x makes 1 turn\n"));
    free(words);
    zw_orbits_destroy(study);
    zw_context_destroy(f.ctx);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_winding__as_by_shooting),
        cmocka_unit_test(test_winding__pulled_along),
        cmocka_unit_test(test_winding__turns_of_another_length),
        cmocka_unit_test(test_winding__refusals),
        cmocka_unit_test(test_winding__large_models),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
