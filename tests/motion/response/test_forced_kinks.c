/* SPDX-License-Identifier: MIT */
/* Curves of models whose forces have kinks: against the map of a period of a piecewise linear
 * oscillator, which is matched here from closed forms, an independent integration, the linear
 * answer below the gap, and what scales. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "support/forced_report.h"
#include "support/test.h"
#include "zwang/zwang.h"

static zw_context *ctx;
static zw_system *sys;
static zw_forced *study;
static zw_error err;

static void open_study(const char *text, zw_forced_options o) {
    zw_model_options model = {.size = sizeof model};
    err = (zw_error){0};
    study = NULL;
    ctx = zw_context_create(NULL);
    if (zw_model_parse(&sys, ctx, text, strlen(text), "test", &model, &err) < 0 ||
        zw_forced_create(&study, sys, &o, &err) < 0)
        fail_msg("%s", err.text);
}

static void close_study(void) {
    zw_forced_destroy(study);
    zw_context_destroy(ctx);
}

static zw_forced_options over(const char *range) {
    zw_forced_options o = zw_forced_options_default();
    o.over = range;
    return o;
}

static void follow(const char *text, zw_forced_options o) {
    open_study(text, o);
    if (zw_forced_curves(study, 0, 0, &err) < 0)
        fail_msg("%s", err.text);
}

static int doubts(void) {
    zw_warnings *list = zw_warnings_create(NULL);
    zw_forced_warnings(study, list);
    int n = zw_warnings_count(list);
    for (int i = 0; i < n; i++)
        print_message("%s\n", zw_warnings_at(list, i)->text);
    zw_warnings_destroy(list);
    return n;
}

/* the values of the marks of one kind, in their order; their number */
static int marks(zw_bifurcation event, double *value, int most) {
    int n = 0;
    for (int i = 0; i < zw_forced_motions(study); i++) {
        const zw_forced_motion *m = zw_forced_motion_at(study, i);
        if (m->curve >= 0 && m->event == event && n++ < most)
            value[n - 1] = m->value;
    }
    return n;
}

/* ---------------------------------------------------------- the map of a period, in closed form */

/* x'' + C x' + x + K max(x - GAP, 0) = F cos(W t) */
#define C 0.1
#define K 20.
#define GAP 0.5
#define F 0.3
static const char gap[] = "model gap\nunits none\nparam W = 1, F = 0.3\ncoord x\nkinetic x'^2/2\n"
                          "potential x^2/2 + 20*max(x - 0.5, 0)^2/2\ndissipation 0.1*x'^2/2\n"
                          "force (x) = F*cos(W*t)\nstart x = 0\n";

/* by s from t, with or without the second spring */
static void advance(double W, double t, double s, bool touches, double *x, double *v) {
    double k = touches ? 1 + K : 1, rest = touches ? K * GAP / k : 0, d = C / 2,
           w = sqrt(k - d * d), size = (k - W * W) * (k - W * W) + C * C * W * W,
           a = F * (k - W * W) / size, b = F * C * W / size;
    double p = a * cos(W * t) + b * sin(W * t), q = W * (b * cos(W * t) - a * sin(W * t)),
           u = *x - rest - p, z = (*v - q + d * u) / w, e = exp(-d * s);
    double c = e * (u * cos(w * s) + z * sin(w * s)), r = e * w * (z * cos(w * s) - u * sin(w * s));
    *x = rest + a * cos(W * (t + s)) + b * sin(W * (t + s)) + c;
    *v = W * (b * cos(W * (t + s)) - a * sin(W * (t + s))) + r - d * c;
}

static void map(double W, double *x, double *v) {
    double P = 2 * M_PI / W, t = 0, h = P / 2000;
    bool touches = *x > GAP;
    while (t < P - 1e-13 * P) {
        double s = fmin(h, P - t), u = *x, z = *v;
        advance(W, t, s, touches, &u, &z);
        if ((u > GAP) != touches) {
            double low = 0, high = s;
            for (int i = 0; i < 60; i++) {
                s = 0.5 * (low + high);
                u = *x, z = *v;
                advance(W, t, s, touches, &u, &z);
                *((u > GAP) != touches ? &high : &low) = s;
            }
            s = high;
            u = *x, z = *v;
            advance(W, t, s, touches, &u, &z);
            touches = !touches;
        }
        *x = u;
        *v = z;
        t += s;
    }
}

/* trace and determinant of its derivative */
static void derive_map(double W, const double *at, double *trace, double *det) {
    double M[2][2], h = 1e-6;
    for (int j = 0; j < 2; j++) {
        double plus[2] = {at[0], at[1]}, minus[2] = {at[0], at[1]};
        plus[j] += h;
        minus[j] -= h;
        map(W, &plus[0], &plus[1]);
        map(W, &minus[0], &minus[1]);
        for (int i = 0; i < 2; i++)
            M[i][j] = (plus[i] - minus[i]) / (2 * h);
    }
    *trace = M[0][0] + M[1][1];
    *det = M[0][0] * M[1][1] - M[0][1] * M[1][0];
}

static void test_kinks__curve_is_that_of_the_map(void **state) {
    (void)state;
    double fold[4];
    int looked = 0, unstable = 0;
    follow(gap, over("W=0.6:2.6"));
    assert_int_equal(zw_forced_curve_count(study), 1);
    for (int side = 0; side < 2; side++)
        assert_int_equal(zw_forced_curve_end(study, 0, side).end, ZW_CONT_AT_BOUND);
    for (int i = 0; i < zw_forced_motions(study); i++) {
        const zw_forced_motion *m = zw_forced_motion_at(study, i);
        bool mark = m->event == ZW_BIFURCATION_FOLD || m->event == ZW_BIFURCATION_FLIP;
        if (m->curve < 0 || (i % 7 && !mark))
            continue;
        double x = m->state[0], v = m->state[1], trace, det;
        map(m->value, &x, &v);
        assert_close(x, m->state[0], 1e-8);
        assert_close(v, m->state[1], 1e-8);
        derive_map(m->value, m->state, &trace, &det);
        assert_close(trace, m->re[0] + m->re[1], 2e-4 * fmax(1, fabs(trace)));
        assert_close(det, exp(-C * 2 * M_PI / m->value), 1e-4);
        bool out = fabs(trace) > 1 + det;
        if (!mark)
            assert_int_equal(m->verdict, out ? ZW_FLOQUET_UNSTABLE : ZW_FLOQUET_STABLE);
        else /* 1 or -1 is an eigenvalue */
            assert_close(m->event == ZW_BIFURCATION_FOLD ? trace : -trace, 1 + det, 2e-4);
        looked++;
        unstable += out;
    }
    assert_true(looked > 20 && unstable > 2);
    assert_int_equal(marks(ZW_BIFURCATION_FOLD, fold, 4), 2);
    assert_true(fold[0] > fold[1]);
    close_study();
}

/* two periods of the map, and not one */
static void test_kinks__doubled_period(void **state) {
    (void)state;
    double flip[4];
    int closed = 0;
    follow(gap, over("W=0.6:2.6"));
    assert_true(marks(ZW_BIFURCATION_FLIP, flip, 4) >= 1);
    assert_true(zw_forced_switch(study, 1, &err) >= 0);
    assert_int_equal(zw_forced_children(study), 1);
    const zw_forced *child = zw_forced_child(study, 0);
    assert_int_equal(zw_forced_curve_count(child), 1);
    for (int i = 0; i < zw_forced_motions(child); i++) {
        const zw_forced_motion *m = zw_forced_motion_at(child, i);
        if (m->curve < 0)
            continue;
        double x = m->state[0], v = m->state[1];
        assert_close(m->w, m->value / 2, 1e-12);
        map(m->value, &x, &v);
        closed += fabs(x - m->state[0]) < 1e-4 && fabs(v - m->state[1]) < 1e-4;
        map(m->value, &x, &v);
        assert_close(x, m->state[0], 1e-7);
        assert_close(v, m->state[1], 1e-7);
    }
    assert_true(zw_forced_motions(child) > 8 &&
                closed <= 2); /* where it leaves, and where it ends */
    close_study();
}

/* ----------------------------------------------------------------------- two degrees of freedom */

static const char two[] =
    "model two\nunits none\nparam Om = 0.7, F = 0.1\ncoord x1, x2\nkinetic (x1'^2 + x2'^2)/2\n"
    "potential (x2 - x1)^2/2 + x2^2/2 + 100*max(x1 - 1, 0)^2/2\n"
    "dissipation 0.03*((x2' - x1')^2 + x2'^2)/2\nforce (x2) = F*cos(Om*t)\nstart x1 = 0\n";

/* the largest x1 without the stop */
static double linear(double W) {
    double d = 0.03 * W, a = 1 - W * W, e = 2 - W * W;
    double re = a * e - 2 * d * d - (1 - d * d), im = 2 * d * a + d * e - 2 * d;
    return 0.1 * hypot(1, d) / hypot(re, im);
}

/* The fold and the period doubling: by a Runge-Kutta method of fourth order with steps that end at
 * the stop, 3000 in a period, and Newton's method with differences. The other fold is just before
 * the motion leaves the stop, where the linear answer has x1 = 1. */
static void test_kinks__unilateral_spring(void **state) {
    (void)state;
    double fold[4], flip[4], low = 0.62, high = 0.7;
    int below = 0;
    follow(two, over("Om=0.64:0.8"));
    assert_int_equal(marks(ZW_BIFURCATION_FOLD, fold, 4), 2);
    assert_close(fold[0], 0.755627352, 1e-8);
    assert_true(marks(ZW_BIFURCATION_FLIP, flip, 4) >= 1);
    assert_close(flip[0], 0.738783025, 1e-8);
    while (high - low > 1e-12)
        *(linear(0.5 * (low + high)) > 1 ? &low : &high) = 0.5 * (low + high);
    assert_true(fold[1] < low && fold[1] > low - 1e-7);
    for (int i = 0; i < zw_forced_motions(study); i++) {
        const zw_forced_motion *m = zw_forced_motion_at(study, i);
        if (m->measure[0].max > 0.999)
            continue;
        assert_close(m->measure[0].max, linear(m->value), 1e-8);
        below++;
    }
    assert_true(below > 10);
    assert_int_equal(doubts(), 0);
    close_study();
}

/* --------------------------------------------------------------------------------- what is told */

/* Stiffness 1.5 on one side and 0.5 on the other: motions are proportional to the force. At one end
 * of the second range the motion is not stable and no run leads to it, but the curve does. */
static void test_kinks__proportional(void **state) {
    (void)state;
    static const char text[] =
        "model bilinear\nunits none\nparam Om = 1.3, F = 0.1\ncoord x\nkinetic x'^2/2\n"
        "potential x^2/2 + x*abs(x)/4\ndissipation 0.05*x'^2/2\nforce (x) = F*cos(Om*t)\n";
    double rms = NAN, multiplier = NAN;
    follow(text, over("F=0.1:2"));
    for (int i = 0; i < zw_forced_motions(study); i++) {
        const zw_forced_motion *m = zw_forced_motion_at(study, i);
        if (isnan(rms)) {
            rms = m->measure[0].rms / m->value;
            multiplier = hypot(m->re[0], m->im[0]);
        }
        assert_close(m->measure[0].rms / m->value, rms, 1e-9 * rms);
        assert_close(hypot(m->re[0], m->im[0]), multiplier, 1e-8);
    }
    close_study();
    follow(text, over("Om=1.4:1.8"));
    assert_int_equal(doubts(), 0);
    close_study();
}

/* a force with a continuous slope, and a gap that is not closed: few harmonics are enough */
static void test_kinks__mild_ones_are_balanced(void **state) {
    (void)state;
    static const char *const text[] = {
        "model drag\nunits none\nparam W = 1\ncoord x\nkinetic x'^2/2\npotential x^2/2 + x^4/4\n"
        "force (x) = 0.3*cos(W*t) - 0.1*x'*abs(x')\nstart x = 0\n",
        "model open\nunits none\nparam W = 1\ncoord x\nkinetic x'^2/2\n"
        "potential x^2/2 + x^4/4 + 50*max(x - 3, 0)^2\ndissipation 0.05*x'^2\n"
        "force (x) = 0.3*cos(W*t)\nstart x = 0\n"};
    for (int k = 0; k < 2; k++) {
        double fold[4];
        follow(text[k], over("W=0.5:3"));
        assert_int_equal(marks(ZW_BIFURCATION_FOLD, fold, 4), 2);
        for (int i = 0; i < zw_forced_motions(study); i++)
            assert_true(!zw_forced_motion_at(study, i)->state);
        assert_int_equal(doubts(), 0);
        close_study();
    }
}

/* Given harmonics: the curve is that of the map, and the coefficients are those of its motions over
 * a period, here by the trapezoidal rule. Where they are enough, harmonic balance is used. */
static void test_kinks__given_harmonics(void **state) {
    (void)state;
    enum { POINTS = 4000 };
    zw_forced_options o = over("W=0.6:2.6");
    double fold[4];
    int looked = 0;
    o.harmonics = 3;
    follow(gap, o);
    assert_int_equal(doubts(), 0);
    assert_int_equal(marks(ZW_BIFURCATION_FOLD, fold, 4), 2);
    for (int i = 0; i < zw_forced_motions(study); i += 9) {
        const zw_forced_motion *m = zw_forced_motion_at(study, i);
        double P = 2 * M_PI / m->value, c[4] = {0}, s[4] = {0};
        if (m->curve < 0)
            continue;
        assert_int_equal(m->harmonics, 3);
        assert_int_equal(m->ncoefficient, 7);
        double x = m->state[0], v = m->state[1];
        for (int k = 0; k < POINTS; k++) {
            double t = P * k / POINTS, step = P / POINTS;
            for (int h = 0; h <= 3; h++) {
                c[h] += (h ? 2. : 1.) / POINTS * x * cos(h * m->value * t);
                s[h] += 2. / POINTS * x * sin(h * m->value * t);
            }
            double u = x, z = v; /* a step over a kink by the nearer piece is off by its square */
            advance(m->value, t, step, x + v * step / 2 > GAP, &u, &z);
            x = u;
            v = z;
        }
        assert_close(m->x[0], c[0], 1e-4);
        for (int h = 1; h <= 3; h++) {
            assert_close(m->x[2 * h - 1], c[h], 1e-4);
            assert_close(m->x[2 * h], s[h], 1e-4);
        }
        looked++;
    }
    assert_true(looked > 5);
    close_study();
    o = over("W=0.5:3");
    o.harmonics = 15;
    follow("model open\nunits none\nparam W = 1\ncoord x\nkinetic x'^2/2\n"
           "potential x^2/2 + x^4/4 + 50*max(x - 3, 0)^2\ndissipation 0.05*x'^2\n"
           "force (x) = 0.3*cos(W*t)\nstart x = 0\n",
           o);
    for (int i = 0; i < zw_forced_motions(study); i++)
        assert_true(!zw_forced_motion_at(study, i)->state);
    close_study();
}

static bool stop_later(void *user, double done) {
    return done > *(double *)user;
}

/* what was found until then stays; a motion of it by its value */
static void test_kinks__stopped_and_picked(void **state) {
    (void)state;
    zw_forced_options o = over("W=0.6:2.6");
    double part = 0.2;
    int number;
    zw_forced *of;
    o.stop = stop_later;
    o.stop_user = &part;
    follow(gap, o);
    assert_int_equal(zw_forced_curve_count(study), 1);
    char *text = forced_text(study);
    assert_non_null(strstr(text, "where it was stopped"));
    free(text);
    assert_true(zw_forced_pick(study, "0.65", &of, &number, &err) >= 0);
    const zw_forced_motion *m = zw_forced_motion_at(of, number);
    double x = m->state[0], v = m->state[1];
    assert_close(m->value, 0.65, 0);
    map(0.65, &x, &v);
    assert_close(x, m->state[0], 1e-8);
    assert_close(v, m->state[1], 1e-8);
    close_study();
}

/* another value of a second parameter, and the coefficients of a motion in the table */
static void test_kinks__second_parameter(void **state) {
    (void)state;
    zw_forced_options o = over("W=1:2");
    zw_forced_values with;
    double rms[2];
    zw_table *t;
    for (int i = 0; i < 2; i++) {
        open_study(gap, over(i ? "F=0.4:0.5" : "W=1:2"));
        if (!i) { /* the value from --for */
            assert_true(zw_forced_values_read(&with, sys, "F=0.2,0.4", &err) >= 0);
            zw_forced_destroy(study);
            o.with = &with;
            o.member = 1;
            o.coefficients = true;
            assert_true(zw_forced_create(&study, sys, &o, &err) >= 0);
        }
        assert_true(zw_forced_curves(study, 0, 0, &err) >= 0);
        rms[i] = zw_forced_motion_at(study, 0)->measure[0].rms;
        if (!i) {
            assert_true(zw_forced_table(study, NULL, &t, &err) >= 0);
            assert_true(zw_forced_table_has_motions(t));
            double c = zw_table_at(t, 0, zw_table_find(t, "cos1(x)")),
                   s = zw_table_at(t, 0, zw_table_find(t, "sin1(x)"));
            assert_close(hypot(c, s), zw_table_at(t, 0, zw_table_find(t, "first(x)")), 1e-12);
            zw_table_destroy(t);
        }
        close_study();
    }
    assert_close(rms[0], rms[1], 1e-9);
}

/* J. P. den Hartog (1931): x'' + x + mu sign(x') = cos(W t), without stops, has the largest value
 * sqrt(V^2 - mu^2 U^2), V = 1/(1 - W^2), U = sin(pi/W)/(W (1 + cos(pi/W))) */
static void test_kinks__dry_friction(void **state) {
    (void)state;
    int n = 0;
    follow("model dry\nunits none\nparam W = 0.7\ncoord x\nkinetic x'^2/2\npotential x^2/2\n"
           "force (x) = cos(W*t) - 0.3*sign(x')\nstart x = 1\n",
           over("W=0.6:0.9"));
    for (int i = 0; i < zw_forced_motions(study); i++) {
        const zw_forced_motion *m = zw_forced_motion_at(study, i);
        double W = m->value, V = 1 / (1 - W * W), U = sin(M_PI / W) / (W * (1 + cos(M_PI / W)));
        assert_close(m->measure[0].max, sqrt(V * V - 0.09 * U * U), 1e-9);
        n += m->curve == 0;
    }
    assert_true(n > 10);
    assert_int_equal(doubts(), 0);
    close_study();
}

/* elastic dry friction by a massless slider: one curve from end to end */
static void test_kinks__elastic_friction(void **state) {
    (void)state;
    follow("model slider\nunits none\nparam Om = 1, d = 0.05\n"
           "state x, v, z : x' = v, v' = -x - 2*(x - z) - 0.05*v + cos(Om*t),\n"
           "  z' = (max(x - z - 0.3, 0) + min(x - z + 0.3, 0))/d\nstart x = 0, v = 0, z = 0\n",
           over("Om=0.8:2"));
    assert_int_equal(zw_forced_curve_count(study), 1);
    for (int side = 0; side < 2; side++)
        assert_int_equal(zw_forced_curve_end(study, 0, side).end, ZW_CONT_AT_BOUND);
    for (int i = 0; i < zw_forced_motions(study); i++)
        assert_true(zw_forced_motion_at(study, i)->residual < 1e-8);
    assert_int_equal(doubts(), 0);
    close_study();
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_kinks__curve_is_that_of_the_map),
        cmocka_unit_test(test_kinks__doubled_period),
        cmocka_unit_test(test_kinks__unilateral_spring),
        cmocka_unit_test(test_kinks__proportional),
        cmocka_unit_test(test_kinks__mild_ones_are_balanced),
        cmocka_unit_test(test_kinks__given_harmonics),
        cmocka_unit_test(test_kinks__stopped_and_picked),
        cmocka_unit_test(test_kinks__second_parameter),
        cmocka_unit_test(test_kinks__dry_friction),
        cmocka_unit_test(test_kinks__elastic_friction),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
