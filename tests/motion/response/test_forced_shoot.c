/* SPDX-License-Identifier: MIT */
/* Steady motions by shooting, from text: against closed forms of linear oscillators, the balance of
 * harmonics, refusals. */
#include <math.h>

#include "support/forced_report.h"
#include "support/test.h"
#include "zwang/zwang.h"

#define MODEL(name) ZW_SOURCE_DIR "/models/" name ".zw"

static zw_context *ctx;
static zw_system *sys;
static zw_forced *study;
static zw_error err;

static zw_status open_study(const char *text, const char *set) {
    zw_model_options model = {.size = sizeof model, .nset = set ? 1 : 0, .set = &set};
    err = (zw_error){0};
    study = NULL;
    ctx = zw_context_create(NULL);
    zw_status status = text[0] == '/'
                           ? zw_model_read(&sys, ctx, text, &model, &err)
                           : zw_model_parse(&sys, ctx, text, strlen(text), "test", &model, &err);
    return status < 0 ? status : zw_forced_create(&study, sys, NULL, &err);
}

static void close_study(void) {
    zw_forced_destroy(study);
    zw_context_destroy(ctx);
}

static const zw_forced_motion *shoot(const char *text, const char *set, int nodes, int starts) {
    if (open_study(text, set) < 0 || zw_forced_shoot(study, NAN, nodes, starts, NULL, &err) < 0)
        fail_msg("%s", err.text);
    return zw_forced_motion_at(study, 0);
}

/* x'' + 2 D x' + x = sign(sin(W t)), whose harmonics are 4/(pi h) for odd h */
static void test_shoot__square_wave(void **state) {
    (void)state;
    const double D = 0.1, W = 0.45;
    double square = 0, first = 0;
    for (int h = 1; h < 20001; h += 2) {
        double a = 4 / (M_PI * h) / hypot(1 - h * h * W * W, 2 * D * h * W);
        square += a * a / 2;
        first = h == 1 ? a : first;
    }
    for (int nodes = 1; nodes <= 4; nodes += 3) {
        const zw_forced_motion *m =
            shoot("model square\nunits none\nparam W = 0.45\ncoord x\nkinetic x'^2/2\n"
                  "potential x^2/2\nforce (x) = sign(sin(W*t)) - 0.2*x'\n",
                  NULL, nodes, 0);
        assert_close(m->measure[0].rms, sqrt(square), 1e-9);
        assert_close(m->measure[0].first, first, 1e-8);
        assert_close(m->measure[0].mean, 0, 1e-9);
        assert_int_equal(m->verdict, ZW_FLOQUET_STABLE);
        assert_close(hypot(m->re[0], m->im[0]), exp(-D * 2 * M_PI / W), 1e-9);
        assert_true(m->state && m->residual < 1e-9);
        close_study();
    }
}

/* all three motions of Duffing's oscillator, one of them unstable, as the balance has them */
static void test_shoot__all_motions(void **state) {
    (void)state;
    double rms[3], outside = 0;
    shoot(MODEL("duffing"), "Omega=2.1 [rad/s]", 1, 20);
    assert_int_equal(zw_forced_motions(study), 3);
    for (int i = 0; i < 3; i++) {
        rms[i] = zw_forced_motion_at(study, i)->measure[0].rms;
        outside += zw_forced_motion_at(study, i)->outside;
    }
    assert_close(outside, 1, 0);
    close_study();
    assert_true(open_study(MODEL("duffing"), "Omega=2.1 [rad/s]") >= 0);
    assert_true(zw_forced_search(study, NAN, 60, NULL, &err) >= 0);
    assert_int_equal(zw_forced_motions(study), 3);
    for (int i = 0; i < 3; i++) {
        double away = INFINITY;
        for (int k = 0; k < 3; k++)
            away = fmin(away, fabs(zw_forced_motion_at(study, k)->measure[0].rms - rms[i]));
        assert_true(away < 1e-6);
    }
    close_study();
}

/* a constraint goes along; the period integrated from its beginning closes */
static void test_shoot__on_a_constraint(void **state) {
    (void)state;
    zw_table *rows;
    double gap;
    const zw_forced_motion *m = shoot(MODEL("pendulum_cartesian"), NULL, 1, 0);
    assert_close(m->measure[2].rms, .48779523, 1e-8);
    assert_int_equal(m->nmultiplier, 2);
    assert_true(zw_forced_motion_table(study, 0, 64, NULL, &rows, &gap, &err) >= 0);
    assert_true(gap < 1e-8);
    zw_table_destroy(rows);
    close_study();
}

/* A driven sleigh goes on by 1.02334961155 m in a period (test_orbits_modulo.c says by what that is
 * known): shooting reports it, and harmonics have no series for it. An oscillator does not
 * drift. */
static void test_shoot__drift(void **state) {
    (void)state;
    static const char sleigh[] =
        "model sleigh\nunits none\nparam Om = 6\ncoord x, y, th\n"
        "frame S : rotate z th at (x, y, 0)\nbody B : S, inertia(1, 0.1, 0.1, 0.1) at (0.2, 0, 0)\n"
        "constraint blade : -sin(th)*x' + cos(th)*y' = 0\nforce (x, y) = -0.5*(x', y')\n"
        "force (th) = 2*cos(Om*t) - 0.1*th'\nstart x' = 0.98, th' = 0.76\n";
    const zw_forced_motion *m = shoot(sleigh, NULL, 1, 0);
    assert_close(hypot(m->drift[0], m->drift[1]), 1.02334961155, 1e-10);
    assert_true(m->drift[2] == 0);
    char *text = forced_text(study);
    assert_non_null(strstr(text, "x drifts by "));
    free(text);
    close_study();
    assert_true(open_study(sleigh, NULL) >= 0);
    assert_int_equal(zw_forced_find(study, NAN, NULL, &err), ZW_E_NUMERIC);
    assert_non_null(strstr(err.text, "drifts by "));
    close_study();
    m = shoot("model two\nunits none\nparam W = 2\ncoord x\nkinetic x'^2/2\npotential x^2/2\n"
              "force (x) = cos(W*t) - 0.2*x'\n",
              NULL, 1, 0);
    assert_true(m->drift[0] == 0);
    close_study();
}

static void test_shoot__refuses(void **state) {
    (void)state;
    static const char *const no_motion = /* undamped, driven at its resonance */
        "model resonance\nunits none\nparam W = 1\ncoord x\nkinetic x'^2/2\npotential x^2/2\n"
        "force (x) = cos(W*t)\n";
    assert_true(open_study(no_motion, NULL) >= 0);
    assert_true(zw_forced_shoot(study, NAN, 1, 0, NULL, &err) < 0);
    assert_non_null(strstr(err.hint, "--starts"));
    close_study();
    assert_true(open_study(MODEL("duffing"), NULL) >= 0);
    assert_int_equal(zw_forced_shoot(study, NAN, 0, 0, NULL, &err), ZW_E_OPTION);
    close_study();
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_shoot__square_wave),     cmocka_unit_test(test_shoot__all_motions),
        cmocka_unit_test(test_shoot__on_a_constraint), cmocka_unit_test(test_shoot__drift),
        cmocka_unit_test(test_shoot__refuses),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
