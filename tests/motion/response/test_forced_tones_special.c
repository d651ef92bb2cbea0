/* SPDX-License-Identifier: MIT */
/* Special points of quasi-periodic motions: branch points by collocation on a grid of the phases,
 * other changes of stability by the exponents of the linear equations, and what leaves there by
 * integration. */
#include "support/forced_report.h"
#include "support/forced_tones.h"

static int count_events(zw_bifurcation event, double value, double away) {
    int n = 0;
    for (int i = 0; i < zw_forced_motions(f.study); i++) {
        const zw_forced_motion *m = zw_forced_motion_at(f.study, i);
        n += m->curve >= 0 && m->event == event && fabs(m->value - value) <= away;
    }
    return n;
}

#define WELL(drives)                                                                               \
    "model w\nunits none\nparam F = 0.3, W = 1.6, c = 0.3, a = 0.5\ncoord x\nkinetic x'^2/2\n"     \
    "potential a*x^2/2 + x^4/4\ndissipation c*x'^2/2\nforce d (x) = F*(" drives ")\n"
#define PITCHFORK -0.0228579115 /* by collocation on 25 x 25 phases: the sign of the determinant */

/* A double well: the symmetric motion gives way to two. The branch that leaves has a mean, which
 * grows as the root of the distance. */
static void test_forced__pitchfork_of_two_tones(void **state) {
    (void)state;
    zw_forced_options o = over("a=-0.1:0.5");
    double square[2] = {0}, at[2] = {0};
    int n = 0;
    o.settle = 0; /* the symmetric motion also where it is unstable */
    open_curves(WELL(TWO), NULL, o);
    assert_int_equal(count_events(ZW_BIFURCATION_BRANCH, PITCHFORK, 1e-9), 1);
    assert_int_equal(zw_forced_switch(f.study, 2, &f.err), ZW_OK);
    assert_int_equal(zw_forced_curve_count(f.study), 2);
    for (int i = 0; i < zw_forced_motions(f.study); i++) {
        const zw_forced_motion *m = zw_forced_motion_at(f.study, i);
        if (m->curve == 0 && m->event == ZW_BIFURCATION_POINT)
            assert_int_equal(m->outside, m->value < PITCHFORK);
        if (m->curve != 1 || m->value > -0.03)
            continue;
        assert_int_equal(m->verdict, ZW_FLOQUET_STABLE);
        at[n > 0] = m->value;
        square[n++ > 0] = m->measure[0].mean * m->measure[0].mean;
    }
    assert_true(n > 3);
    assert_close(square[0] / square[1], (at[0] - PITCHFORK) / (at[1] - PITCHFORK), 0.15);
    assert_doubts(0);
    close_study();
}

/* Odd combinations alone are not singular where the symmetry breaks: the place is called what it
 * is, and nothing leaves there. */
static void test_forced__odd_keeps_a_symmetry(void **state) {
    (void)state;
    for (int i = 0; i < 2; i++) {
        zw_forced_options o = over("a=-0.1:0.5");
        o.settle = 0;
        o.odd = true;
        open_curves(i ? WELL(TWO) : WELL("cos(W*t)"), NULL, o);
        /* one drive: by the multipliers of all harmonics */
        assert_int_equal(count_events(ZW_BIFURCATION_BRANCH, i ? PITCHFORK : -0.0197708901, 1e-9),
                         1);
        assert_int_equal(zw_forced_switch(f.study, 2, &f.err), ZW_OK);
        assert_int_equal(zw_forced_curve_count(f.study), 1);
        char *text = forced_text(f.study);
        assert_non_null(strstr(text, "1 branch point is not followed: a symmetry breaks"));
        free(text);
        close_study();
    }
}

/* The hanging pendulum with a pivot that moves vertically at two frequencies: where the exponent of
 * its linear equations is zero, by the classical Runge-Kutta method over 40000 s */
static void test_forced__hanging_pendulum_loses_stability(void **state) {
    (void)state;
#define SHAKEN                                                                                     \
    "model v\nunits none\nparam A = 0.1, B = 0.1, W = 1.6, c = 0.1, w0 = 1\ncoord th\n"            \
    "kinetic th'^2/2\ndissipation c*th'^2/2\n"                                                     \
    "potential -(w0^2 + A*cos(W*t) + B*cos((1 + sqrt(5))/2*W*t))*cos(th)\n"
    open_curves(SHAKEN, NULL, over("A=0.7:0.9"));
    assert_int_equal(count_events(ZW_BIFURCATION_FLIP, 0.8074482810, 1e-8), 1);
    assert_doubts(0);
    close_study();
    open_curves(SHAKEN, "A=0.5", over("w0=0.6:0.95"));
    assert_int_equal(count_events(ZW_BIFURCATION_FLIP, 0.6250096376, 1e-8), 1);
    assert_int_equal(count_events(ZW_BIFURCATION_FLIP, 0.9288382536, 1e-8), 1);
    char *text = forced_text(f.study);
    assert_non_null(strstr(text, "half of a combination of the frequencies"));
    free(text);
    close_study();
}

/* Both exponents of an oscillator are half of the mean divergence -(c + 3 v^2): they pass zero
 * together where its mean is zero. */
static void test_forced__a_pair_of_exponents_passes_zero(void **state) {
    (void)state;
    int n = 0;
    open_curves("model n\nunits none\nparam c = 0.1, F = 0.3, W = 1.6\ncoord x\nkinetic x'^2/2\n"
                "potential x^2/2\nobserve square = x'^2\n"
                "force d (x) = -c*x' - x'^3 + F*(" TWO ")\n",
                NULL, over("c=-0.2:-0.1"));
    for (int i = 0; i < zw_forced_motions(f.study); i++) {
        const zw_forced_motion *m = zw_forced_motion_at(f.study, i);
        if (m->event != ZW_BIFURCATION_TORUS)
            continue;
        assert_close(m->value, -3 * m->measure[1].mean, 1e-8);
        n++;
    }
    assert_int_equal(n, 1);
    close_study();
}

/* Where one exponent passes zero and the equations are regular, a motion with half of a frequency
 * leaves. A run from its state at t = 0 stays on it; the motion that it leaves is unstable
 * there. */
static void test_forced__half_of_a_frequency(void **state) {
    (void)state;
    int n = 0;
    zw_table *rows;
    double gap;
    open_curves(WELL(TWO), NULL, over("a=-0.335:-0.327"));
    int flips = count_events(ZW_BIFURCATION_FLIP, -0.329054782, 1e-8);
    assert_int_equal(flips, 1);
    assert_int_equal(zw_forced_switch(f.study, 1, &f.err), ZW_OK);
    assert_int_equal(zw_forced_children(f.study), 1);
    zw_forced *half = zw_forced_child(f.study, 0);
    assert_string_equal(zw_forced_phase_name(half, 0), "1/2*W");
    for (int i = 0; i < zw_forced_motions(half); i++) {
        const zw_forced_motion *m = zw_forced_motion_at(half, i);
        if (m->curve < 0 || m->value > -0.3345 || n++)
            continue;
        assert_int_equal(m->verdict, ZW_FLOQUET_STABLE);
        assert_close(m->frequency[0], 0.8, 1e-12);
        assert_true(m->tone[0] > 0.01);
        assert_int_equal(zw_forced_motion_table(half, i, 64, NULL, &rows, &gap, &f.err), ZW_OK);
        assert_true(gap < 1e-5);
        zw_table_destroy(rows);
    }
    assert_true(n > 0);
    close_study();
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_forced__pitchfork_of_two_tones),
        cmocka_unit_test(test_forced__odd_keeps_a_symmetry),
        cmocka_unit_test(test_forced__hanging_pendulum_loses_stability),
        cmocka_unit_test(test_forced__a_pair_of_exponents_passes_zero),
        cmocka_unit_test(test_forced__half_of_a_frequency),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
