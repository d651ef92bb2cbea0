/* SPDX-License-Identifier: MIT */
/* What is told of forced and free motions is so: families at one value of a parameter have no
 * folds, families of free motions end before as near a homoclinic orbit, folds and multipliers
 * that contradict each other, mirror images. */
#include <math.h>
#include <stdlib.h>

#include "support/forced_report.h"
#include "support/test.h"
#include "zwang/zwang.h"

#define MODEL(name) ZW_SOURCE_DIR "/models/" name ".zw"
#define MATHIEU(cubic)                                                                             \
    "model m\nunits none\nparam e = 0.1, W = 2\ncoord x\nkinetic 1/2*x'^2\n"                       \
    "potential 1/2*x^2*(1 + e*cos(W*t)) + " cubic "*x^4\nstart x = 0\n"
#define WELL                                                                                       \
    "model m\nunits none\ncoord x\nkinetic 1/2*x'^2\npotential -1/2*x^2 + 1/4*x^4\nstart x = 1\n"
#define DRIVEN_WELL                                                                                \
    "model m\nunits none\nparam F = 0.1, W = 1.4\ncoord x\nkinetic 1/2*x'^2\n"                     \
    "potential -1/2*x^2 + 1/4*x^4\ndissipation 0.1*x'^2\nforce drive (x) = F*cos(W*t)\n"           \
    "start x = 1\n"

static zw_context *ctx;
static zw_system *sys;
static zw_forced *study;
static zw_error err;

static void open_study(const char *path, const char *variant, const zw_forced_options *o) {
    zw_model_options model = {.size = sizeof model, .variant = variant};
    err = (zw_error){0};
    ctx = zw_context_create(NULL);
    zw_status status = path[0] == '/'
                           ? zw_model_read(&sys, ctx, path, &model, &err)
                           : zw_model_parse(&sys, ctx, path, strlen(path), "test", &model, &err);
    if (status < 0 || zw_forced_create(&study, sys, o, &err) < 0)
        fail_msg("%s", err.text);
}

static void close_study(void) {
    zw_forced_destroy(study);
    zw_context_destroy(ctx);
}

static void done(zw_status status) {
    if (status < 0)
        fail_msg("%s", err.text);
}

static bool text_has(const char *words) {
    char *text = forced_text(study);
    bool has = strstr(text, words) != NULL;
    free(text);
    return has;
}

static const char *doubt_of(const char *key) {
    static char text[512];
    zw_warnings *doubts = zw_warnings_create(NULL);
    text[0] = '\0';
    zw_forced_warnings(study, doubts);
    for (int i = 0; i < zw_warnings_count(doubts); i++)
        if (strcmp(zw_warnings_at(doubts, i)->key, key) == 0)
            snprintf(text, sizeof text, "%s", zw_warnings_at(doubts, i)->text);
    zw_warnings_destroy(doubts);
    return text[0] ? text : NULL;
}

static int count_events(const zw_forced *f, zw_bifurcation event) {
    int n = 0;
    for (int i = 0; i < zw_forced_motions(f); i++)
        n += zw_forced_motion_at(f, i)->curve >= 0 && zw_forced_motion_at(f, i)->event == event;
    return n;
}

/* Mathieu's characteristic value of the motions of period 2 pi: a_1(q), or b_1(q) = a_1(-q)
 * (Abramowitz, Stegun 20.2.25) */
static double mathieu_first(double q) {
    return 1 + q - q * q / 8 - pow(q, 3) / 64 - pow(q, 4) / 1536 + 11 * pow(q, 5) / 36864;
}

/* At both ends of the resonance of a linear oscillator motions of twice the period appear, of any
 * size: x'' + (1 + e cos W t) x = 0 is y'' + (a + 2 q cos 2 s) y = 0 with a = 4/W^2, q = 2
 * e/W^2. */
static void test_told__families_at_one_value(void **state) {
    (void)state;
    zw_forced_options o = zw_forced_options_default();
    o.over = "W=1.7:2.3";
    open_study(MATHIEU("0"), NULL, &o);
    done(zw_forced_curves(study, 0, 0, &err));
    done(zw_forced_switch(study, 4, &err));
    assert_int_equal(zw_forced_children(study), 2);
    for (int i = 0; i < 2; i++) {
        const zw_forced *child = zw_forced_child(study, i);
        int n = zw_forced_motions(child);
        double W = zw_forced_motion_at(child, n - 1)->value, q = 2 * 0.1 / (W * W);
        assert_close(4 / (W * W), mathieu_first(W < 2 ? q : -q), 1e-9);
        assert_int_equal(count_events(child, ZW_BIFURCATION_FOLD), 0);
        assert_true(zw_forced_motion_at(child, n - 1)->measure[0].rms > 1e-3);
        for (int k = 0; k < n; k++) {
            const zw_forced_motion *m = zw_forced_motion_at(child, k);
            assert_close(m->value, W, 1e-8);
            assert_int_not_equal(m->verdict, ZW_FLOQUET_STABLE);
        }
    }
    assert_true(text_has("a family at this one value of W"));
    assert_null(doubt_of("curve"));
    close_study();
    /* with a cubic spring the size is determined */
    open_study(MATHIEU("0.1"), NULL, &o);
    done(zw_forced_curves(study, 0, 0, &err));
    done(zw_forced_switch(study, 1, &err));
    assert_int_equal(zw_forced_children(study), 1);
    assert_false(text_has("a family at this one value of W"));
    close_study();
}

static double agm(double a, double b) {
    for (int i = 0; i < 40 && fabs(a - b) > 1e-17 * a; i++) {
        double mean = 0.5 * (a + b);
        b = sqrt(a * b);
        a = mean;
    }
    return a;
}

/* x'' + c x' + x + x^5 + p cos(2t) x = 0 at the middle of its resonance: p - p_0 grows with the
 * eighth power of the size, which is rounding up to a hundredth of it, and the size is determined.
 * By a cubic spring the power is four. Beside the middle the curve goes back first. Nothing of it
 * are folds but where it turns. The rms at p = 0.21 is that of a run of Runge-Kutta's method with
 * 1000 steps in a period, after 400 of them. */
static void test_told__turns_that_are_rounding(void **state) {
    (void)state;
    static const struct {
        const char *force, *W;
        int folds;
        double rms;
    } cases[] = {
        {"x^6/6", "2", 0, 0.33609153982}, {"x^4/4", "2", 0, NAN}, {"x^6/6", "2.1", 1, NAN}};
    zw_forced_options o = zw_forced_options_default();
    for (int i = 0; i < 3; i++) {
        char text[400];
        snprintf(text, sizeof text,
                 "model m\nunits none\nparam c = 0.1, p = 0.1, W = %s\ncoord x\nkinetic x'^2/2\n"
                 "potential x^2/2 + %s\nforce (x) = -c*x' - p*cos(W*t)*x\nstart x = 0.01\n",
                 cases[i].W, cases[i].force);
        o.over = i ? "p=0.05:0.5" : "p=0.05:0.21";
        open_study(text, NULL, &o);
        done(zw_forced_curves(study, 0, 0, &err));
        done(zw_forced_switch(study, 2, &err));
        assert_int_equal(zw_forced_children(study), 1);
        const zw_forced *child = zw_forced_child(study, 0);
        const zw_forced_motion *last = zw_forced_motion_at(child, zw_forced_motions(child) - 1);
        assert_int_equal(count_events(child, ZW_BIFURCATION_FOLD), cases[i].folds);
        assert_close(last->value, i ? 0.5 : 0.21, 1e-12);
        if (isfinite(cases[i].rms))
            assert_close(last->measure[0].rms, cases[i].rms, 1e-9);
        assert_false(text_has("a family at this one value"));
        assert_null(doubt_of("contrary"));
        assert_null(doubt_of("mark"));
        close_study();
    }
}

/* In one of two wells x = A dn(A t/sqrt 2, m), m = 2 - 2/A^2, of the frequency pi A/(sqrt 2 K(m)),
 * up to A = sqrt 2, the energy 1/4 and no frequency at all. The energy E is that of A^2 = 1 + 2
 * sqrt E: every period that is told is the one of its energy. */
static void test_told__families_end_at_homoclinic_orbits(void **state) {
    (void)state;
    zw_forced_options o = zw_forced_options_default();
    o.over = "energy=0:1";
    o.free = true;
    o.harmonics_max = 60;
    open_study(WELL, NULL, &o);
    done(zw_forced_backbone(study, 0, &err));
    int n = zw_forced_motions(study), checked = 0;
    assert_true(n > 30);
    for (int i = 0; i < n; i++) {
        const zw_forced_motion *m = zw_forced_motion_at(study, i);
        double A = m->measure[0].max, w = A * M_SQRT2 * agm(1, sqrt(2 / (A * A) - 1));
        assert_true(m->energy < 0.25);
        if (m->verdict == ZW_FLOQUET_STABLE)
            assert_true(m->accuracy <= 1e-3);
        double root = 2 * sqrt(m->energy);
        assert_close(m->value, sqrt(2 + 2 * root) * agm(1, sqrt((1 - root) / (1 + root))),
                     1e-5 * m->value);
        if (m->value < 0.8) /* below it the frequency changes much faster than the amplitude */
            continue;
        assert_close(m->value, w, 1e-5);
        checked++;
    }
    assert_true(checked > 20);
    const zw_forced_motion *last = zw_forced_motion_at(study, n - 1);
    assert_close(last->energy, 0.25, 1e-4);
    assert_true(2 * M_PI / last->w > 19); /* the energy is 2.5e-8 below that of the orbit */
    assert_true(text_has("as near a homoclinic orbit"));
    assert_non_null(strstr(doubt_of("curve"), "need more than 60 harmonics"));
    close_study();
}

/* A pendulum of the energy E above rest has the frequency agm(1, sqrt(1 - E/2)), none at E = 2.
 * With as many harmonics as it takes all pairs belong to each other; with 20 they do to a tenth,
 * and it ends, too, with the number in its words. */
static void test_told__pairs_of_period_and_energy(void **state) {
    (void)state;
    zw_forced_options o = zw_forced_options_default();
    o.over = "energy=0:3";
    o.free = true;
    for (o.harmonics = 0; o.harmonics <= 20; o.harmonics += 20) {
        open_study("model p\nunits none\ncoord a\nkinetic 1/2*a'^2\npotential -cos(a)\n"
                   "start a = 0.3\n",
                   NULL, &o);
        done(zw_forced_backbone(study, 0, &err));
        int n = zw_forced_motions(study);
        assert_true(n > 30 && zw_forced_motion_at(study, n - 1)->w < (o.harmonics ? 0.5 : 0.25));
        for (int i = 0; i < n; i++) {
            const zw_forced_motion *m = zw_forced_motion_at(study, i);
            assert_true(m->energy < 2);
            assert_close(m->w, agm(1, sqrt(1 - m->energy / 2)), (o.harmonics ? 0.1 : 1e-5) * m->w);
        }
        assert_true(text_has("as near a homoclinic orbit"));
        assert_non_null(
            strstr(doubt_of("curve"), o.harmonics ? "more than 20 harmonics" : "more than "));
        close_study();
    }
}

/* One harmonic folds at 3.5252, where no multiplier of its motion is 1, and a multiplier passes 1
 * at 3.5186, where nothing folds: between them nothing is said, and there is no branch point. That
 * one harmonic is not enough, the third one tells. */
static void test_told__folds_and_multipliers_that_contradict(void **state) {
    (void)state;
    zw_forced_options o = zw_forced_options_default();
    o.over = "Omega=3:4";
    for (o.harmonics = 1; o.harmonics < 10; o.harmonics += 8) {
        open_study(MODEL("duffing"), "set_2", &o);
        done(zw_forced_curves(study, 0, 0, &err));
        int n = zw_forced_motions(study), said = 0, unsaid = 0, folds = 0, between = 0;
        for (int i = 0; i < n; i++) {
            const zw_forced_motion *m = zw_forced_motion_at(study, i);
            if (m->curve < 0)
                continue;
            folds += m->event == ZW_BIFURCATION_FOLD;
            if (m->event == ZW_BIFURCATION_FOLD)
                continue;
            bool here = folds == 1 && m->value > 3.51863;
            between += here;
            unsaid += here && m->verdict == ZW_FLOQUET_UNDECIDED;
            said += folds == 1 && m->value < 3.518 && m->value > 3.36 &&
                    m->verdict == ZW_FLOQUET_UNSTABLE;
        }
        assert_int_equal(count_events(study, ZW_BIFURCATION_FOLD), 2);
        assert_int_equal(count_events(study, ZW_BIFURCATION_BRANCH), 0);
        assert_true(said > 10);
        assert_true(between > 2);
        assert_int_equal(unsaid, o.harmonics == 1 ? between : 0);
        assert_int_equal(doubt_of("contrary") != NULL, o.harmonics == 1);
        assert_int_equal(doubt_of("harmonics") != NULL, o.harmonics == 1);
        if (o.harmonics == 1)
            assert_non_null(strstr(doubt_of("contrary"), "Omega = 3.525"));
        close_study();
    }
}

/* Two wells: a motion in each is the mirror image of the other one, half a period later. Both are
 * motions, by the balance and by shooting, and it is told which is whose image. */
static void test_told__mirror_images(void **state) {
    (void)state;
    zw_forced_options o = zw_forced_options_default();
    for (int shooting = 0; shooting < 2; shooting++) {
        open_study(DRIVEN_WELL, NULL, &o);
        if (shooting) {
            done(zw_forced_shoot(study, NAN, 1, 16, NULL, &err));
        } else {
            done(zw_forced_find(study, NAN, NULL, &err));
            done(zw_forced_search(study, NAN, 16, NULL, &err));
        }
        int wells = 0;
        double mean = 0;
        for (int i = 0; i < zw_forced_motions(study); i++) {
            const zw_motion_measure *m = zw_forced_motion_at(study, i)->measure;
            wells += fabs(fabs(m->mean) - 0.937483907) < 1e-7;
            mean += m->mean;
        }
        assert_int_equal(wells, 2);
        assert_close(mean, 0, 1e-9);
        assert_true(text_has("; the mirror image of 0\n"));
        close_study();
    }
}

/* Beside van der Pol's cycle, a second oscillator that it excites: where multipliers of y'' + c y'
 * + (w2 + g x^2) y = 0 are 1, by the classical Runge-Kutta method in a program of its own, g =
 * 0.226805729 and 0.481304277. A multiplier of every cycle is 1, which is not the one that passes:
 * all digits are told. */
static void test_told__digits_of_branch_points_of_cycles(void **state) {
    (void)state;
    zw_forced_options o = zw_forced_options_default();
    o.over = "g=0.1:0.6";
    o.cycles = true;
    open_study("model m\nunits none\nparam mu = 0.5, w2 = 0.4, c = 0.2, g = 0.2\ncoord x, y\n"
               "kinetic (x'^2 + y'^2)/2\npotential (x^2 + w2*y^2)/2 + y^4/4\n"
               "force a (x) = mu*(1 - x^2)*x'\nforce b (y) = -c*y' - g*x^2*y\n"
               "start x = 2, y = 0\n",
               NULL, &o);
    done(zw_forced_curves(study, 0, 0, &err));
    assert_int_equal(count_events(study, ZW_BIFURCATION_BRANCH), 2);
    assert_true(text_has("    0.2268057289  a multiplier passes 1"));
    assert_true(text_has("    0.4813042766  a multiplier passes 1"));
    close_study();
}

/* Subharmonics of Duffing's oscillator: each of the three periods of the drive is a beginning of
 * the same motion. It is listed once, by shooting too. */
static void test_told__once_whatever_period_it_begins_with(void **state) {
    (void)state;
    zw_forced_options o = zw_forced_options_default();
    o.order = 3;
    open_study("model m\nunits none\ncoord x\nkinetic 1/2*x'^2\npotential 1/2*x^2 + 1/4*x^4\n"
               "dissipation 0.025*x'^2\nforce drive (x) = 8*cos(4*t)\nstart x = 0\n",
               NULL, &o);
    done(zw_forced_shoot(study, NAN, 1, 30, NULL, &err));
    int subharmonic = 0;
    for (int i = 0; i < zw_forced_motions(study); i++) {
        const zw_motion_measure *a = zw_forced_motion_at(study, i)->measure;
        subharmonic += a->rms > 0.45 && a->rms < 0.8;
        for (int k = 0; k < i; k++)
            assert_true(fabs(a->rms - zw_forced_motion_at(study, k)->measure->rms) > 1e-6);
    }
    assert_int_equal(subharmonic, 2);
    close_study();
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_told__families_at_one_value),
        cmocka_unit_test(test_told__turns_that_are_rounding),
        cmocka_unit_test(test_told__families_end_at_homoclinic_orbits),
        cmocka_unit_test(test_told__pairs_of_period_and_energy),
        cmocka_unit_test(test_told__folds_and_multipliers_that_contradict),
        cmocka_unit_test(test_told__mirror_images),
        cmocka_unit_test(test_told__digits_of_branch_points_of_cycles),
        cmocka_unit_test(test_told__once_whatever_period_it_begins_with),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
