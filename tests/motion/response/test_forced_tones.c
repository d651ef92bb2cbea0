/* SPDX-License-Identifier: MIT */
/* Drives without a common period: amplitudes, exponents and folds as from programs of their own,
 * constraints as in coordinates without them. */
#include "support/forced_tones.h"

#define LINEAR                                                                                     \
    "model l\nunits none\nparam c = 0.3, F = 1, G = 0.7, Om = 1.3\ncoord x\nkinetic x'^2/2\n"      \
    "potential 2*x^2\nforce a (x) = -c*x' + F*cos(Om*t) + G*sin(sqrt(2)*Om*t)\n"                   \
    "observe power = x'*(F*cos(Om*t) + G*sin(sqrt(2)*Om*t))\n"

/* two drives of a linear oscillator: amplitudes add up, and so do their powers */
static void test_forced__two_tones_of_a_linear_oscillator(void **state) {
    (void)state;
    const zw_forced_motion *m = find_first(LINEAR, NULL);
    double size[2], square = 0, power = 0;
    assert_int_equal(zw_forced_phases(f.study), 2);
    assert_string_equal(zw_forced_phase_name(f.study, 1), "sqrt(2)*Om");
    for (int j = 0; j < 2; j++) {
        double w = j ? 1.3 * sqrt(2) : 1.3;
        size[j] = (j ? 0.7 : 1) / hypot(4 - w * w, 0.3 * w);
        square += size[j] * size[j] / 2;
        power += 0.3 * w * w * size[j] * size[j] / 2;
        assert_close(m->frequency[j], w, 1e-15);
        assert_close(m->tone[j], size[j], 1e-12);
    }
    assert_close(m->measure[0].rms, sqrt(square), 1e-12);
    assert_close(m->measure[0].max, size[0] + size[1], 1e-9);
    assert_close(m->measure[1].mean, power, 1e-12);
    assert_int_equal(m->nexponent, 2);
    assert_close(m->exponent[0], -0.15, 1e-7);
    assert_close(m->divergence, -0.3, 1e-12);
    assert_int_equal(m->verdict, ZW_FLOQUET_STABLE);
    close_study();
}

/* Two drives, each of an oscillator of its own: a quantity that depends on one phase alone, the
 * other one, none, and both in sums and in a product */
static void test_forced__extremes_where_a_phase_does_not_matter(void **state) {
    (void)state;
    const zw_forced_motion *m = find_first(
        "model two\nunits none\nparam c = 0.15, F_1 = 0.3, F_2 = 0.2, W1 = 0.9, W2 = sqrt(2)\n"
        "coord x, y\nkinetic (x'^2 + y'^2)/2\npotential (x^2 + 2.5*y^2)/2\n"
        "force a (x) = -c*x' + F_1*cos(W1*t)\nforce b (y) = -c*y' + F_2*cos(W2*t)\n"
        "observe own = x\nobserve other = y^3\nobserve none = 0*x + 3\nobserve both = x + 2*y\n"
        "observe product = x*y\nobserve speed = x'^2 + y\n",
        NULL);
    double x = 0.3 / hypot(1 - 0.81, 0.15 * 0.9), y = 0.2 / hypot(2.5 - 2, 0.15 * sqrt(2));
    const struct {
        double max, min;
    } known[] = {{x, -x},         {y, -y},
                 {x, -x},         {y * y * y, -y * y * y},
                 {3, 3},          {x + 2 * y, -x - 2 * y},
                 {x * y, -x * y}, {0.81 * x * x + y, -y}};
    for (size_t i = 0; i < sizeof known / sizeof *known; i++) {
        assert_close(m->measure[i].max, known[i].max, 1e-10);
        assert_close(m->measure[i].min, known[i].min, 1e-10);
    }
    close_study();
}

/* Duffing's oscillator: coefficients by least squares from 2000 s of a run by the classical
 * Runge-Kutta method in steps of 0.02 s, after 300 s (a program of its own): rms 0.77508318, the
 * same to 1e-7; and a run of its own from t = 0 */
static void test_forced__two_tones_stay_on_their_torus(void **state) {
    (void)state;
    zw_table *rows;
    double gap;
    const zw_forced_motion *m = find_first(
        "model d\nunits none\nparam F = 0.6, G = 0.4, Om = 1.2\ncoord x\nkinetic x'^2/2\n"
        "potential x^2/2 + x^4/4\nforce a (x) = -0.2*x' + F*cos(Om*t) + G*cos(sqrt(3)*Om*t)\n"
        "start x = 0.1\n",
        NULL);
    assert_close(m->measure[0].rms, 0.77508318, 1e-7);
    assert_true(m->error < 1e-6);
    assert_close(m->exponent[0] + m->exponent[1], -0.2, 1e-6);
    assert_int_equal(zw_forced_motion_table(f.study, 0, 64, NULL, &rows, &gap, &f.err), ZW_OK);
    assert_true(gap < 5e-6);
    zw_table_destroy(rows);
    assert_int_equal(zw_forced_spectrum(f.study, 0, NULL, &rows, &f.err), ZW_OK);
    assert_true(zw_table_find(rows, "amplitude(x)") > 0);
    zw_table_destroy(rows);
    close_study();
}

/* Mathieu's equation with a further force: exponents are those of Mathieu's equation alone,
 * logarithms of the multipliers of its period (integrated by the classical Runge-Kutta method in
 * a program of its own) */
static void test_forced__exponents_of_two_tones(void **state) {
    (void)state;
    static const struct {
        const char *set;
        double first, second;
        zw_floquet_verdict verdict;
    } known[] = {{"e=0.5", 0.0658175, -0.1658175, ZW_FLOQUET_UNSTABLE},
                 {"e=0.2", -0.03637897, -0.06362103, ZW_FLOQUET_STABLE}};
    for (int i = 0; i < 2; i++) {
        const zw_forced_motion *m = find_first(
            "model m\nunits none\nparam e = 0.5, Om = 0.6180339887\ncoord x\nkinetic x'^2/2\n"
            "potential (1 + e*cos(1.9*t))*x^2/2\nforce a (x) = -0.1*x' + 0.3*cos(Om*t)\n",
            known[i].set);
        assert_close(m->exponent[0], known[i].first, 1e-6);
        assert_close(m->exponent[1], known[i].second, 1e-6);
        assert_int_equal(m->verdict, known[i].verdict);
        close_study();
    }
}

/* a constraint: a pendulum by places and by its angle */
static void test_forced__tones_with_a_constraint(void **state) {
    (void)state;
#define FORCES "F*cos(W*t) + G*sin(sqrt(3)*W*t)"
#define NUMBERS                                                                                    \
    "param m = 1 [kg], g = 9.81 [m/s^2], L = 1 [m], d = 0.5 [N*s/m], F = 2 [N], G = 1 [N], W = 2 " \
    "[rad/s]\n"
    const zw_forced_motion *m = find_first(
        "model p\n" NUMBERS "coord p [rad]\nparticle P : m at (L*sin(p), -L*cos(p), 0)\n"
        "potential -m*g*L*cos(p)\nforce a (p) = -d*L^2*p'\nforce b (p) = L*cos(p)*(" FORCES ")\n"
        "observe x = L*sin(p)\n",
        NULL);
    zw_motion_measure angle = m->measure[1];
    double tone = m->tone[2 + 1];
    assert_int_equal(zw_forced_phases(f.study), 2);
    close_study();
    m = find_first("model c\n" NUMBERS "coord x, y [m]\nparticle P : m at (x, y, 0)\n"
                   "potential m*g*y\nconstraint rod : x^2 + y^2 = L^2\n"
                   "force a (x, y) = -d*(x', y')\nforce b (x) = " FORCES "\n"
                   "start x = 0 [m], y = -1 [m]\n",
                   NULL);
    assert_close(m->measure[0].rms, angle.rms, 1e-6);
    assert_close(m->measure[0].max, angle.max, 2e-5);
    assert_close(m->tone[1], tone, 1e-6);
    assert_close(m->exponent[0] + m->exponent[1], -0.5, 1e-5);
    close_study();
}

/* folds over the strength of one drive, as trigonometric collocation on a grid of 36 x 36 phases
 * has them (a program of its own) */
static void test_forced__folds_of_two_tones(void **state) {
    (void)state;
    static const double known[] = {0.8836891888, 0.3421297597};
    int folds = 0;
    if (open_study(MODEL("duffing_two_tones"), NULL, over("F_1=0.3:1.2")) < 0 ||
        zw_forced_curves(f.study, 0, 0, &f.err) < 0)
        fail_msg("%s", f.err.text);
    assert_int_equal(zw_forced_curve_count(f.study), 1);
    for (int i = 0; i < zw_forced_motions(f.study); i++) {
        const zw_forced_motion *m = zw_forced_motion_at(f.study, i);
        if (m->event != ZW_BIFURCATION_FOLD)
            continue;
        double away = fmin(fabs(m->value - known[0]), fabs(m->value - known[1]));
        assert_true(away < 1e-8);
        folds++;
    }
    assert_int_equal(folds, 2);
    close_study();
}

/* Three drives and a constraint: more unknowns than a matrix is made for when the error is
 * estimated. The same pendulum by its angle */
static void test_forced__three_tones_with_a_constraint(void **state) {
    (void)state;
#define THREE "F*(cos(W*t) + cos(sqrt(2)*W*t) + cos((1 + sqrt(5))/2*W*t))"
#define OF_PENDULUM "units none\nparam g = 9.8, l = 0.5, F = 0.3, c = 0.3, W = 1\n"
    const zw_forced_motion *m =
        find_first("model p\n" OF_PENDULUM "coord p\nkinetic l^2*p'^2/2\npotential -g*l*cos(p)\n"
                   "force a (p) = " THREE " - c*p'\n"
                   "observe x = l*sin(p)\n",
                   NULL);
    zw_motion_measure angle = m->measure[1];
    assert_int_equal(zw_forced_phases(f.study), 3);
    close_study();
    m = find_first("model c\n" OF_PENDULUM "coord x, y\nparticle P : 1 at (x, y, 0)\n"
                   "potential g*y\nconstraint rod : x^2 + y^2 = l^2\nlet rate = (x*y' - y*x')/l^2\n"
                   "force a (x, y) = (" THREE " - c*rate)/l^2*(-y, x)\nstart x = 0, y = -l\n",
                   NULL);
    assert_true(m->error < 1e-6);
    assert_close(m->measure[0].rms, angle.rms, 1e-7);
    assert_close(m->measure[0].max, angle.max, 1e-6);
    assert_close(m->exponent[0], -0.6, 1e-6);
    close_study();
}

/* The force has an even part: by how much --odd is wrong is told, the mean included. */
static void test_forced__odd_combinations_miss_even_ones(void **state) {
    (void)state;
    zw_forced_options o = zw_forced_options_default();
    o.odd = true;
    if (open_study("model e\nunits none\nparam F = 0.3, W = 1.6\ncoord x\nkinetic x'^2/2\n"
                   "potential 2*x^2 + 0.3*x^3\nforce d (x) = -0.3*x' + F*(" TWO ")\n",
                   NULL, o) < 0 ||
        zw_forced_find(f.study, NAN, NULL, &f.err) < 0)
        fail_msg("%s", f.err.text);
    assert_true(zw_forced_motion_at(f.study, 0)->error > 1e-3);
    assert_doubts(1);
    close_study();
}

static double gain(double w) {
    return 1 / hypot(4 - w * w, 0.1 * w);
}

/* Products of excitations have lines at sums and differences of their frequencies, which are far
 * multiples of a common base: of a linear oscillator mean squares of the lines add up. */
static void test_forced__lines_of_products_of_drives(void **state) {
    (void)state;
#define PRODUCT                                                                                    \
    "model pr\nunits none\nparam w = 1, u = 0.3, v = 2*pi, B = 0.5\ncoord x\nkinetic x'^2/2\n"     \
    "potential 2*x^2\ndissipation 0.05*x'^2\nforce (x) = cos(u*t)*cos(w*t) + B*cos(v*t)\n"
    static const struct {
        const char *set;
        double w, u, B;
    } known[] = {{NULL, 1, 0.3, 0.5}, {"u=0.9", 1, 0.9, 0.5}, {"w=1.3", 1.3, 0.3, 0.5}};
    for (size_t i = 0; i < sizeof known / sizeof *known; i++) {
        const zw_forced_motion *m = find_first(PRODUCT, known[i].set);
        double sum = 0.5 * gain(known[i].w + known[i].u), v = known[i].B * gain(2 * M_PI),
               difference = 0.5 * gain(known[i].w - known[i].u);
        assert_close(m->measure[0].rms, sqrt((sum * sum + difference * difference + v * v) / 2),
                     1e-10);
        assert_true(m->error < 1e-6);
        assert_doubts(0);
        close_study();
    }
}

/* The same combinations by --harmonics miss the line w + u = 13*0.1: the error says so. */
static void test_forced__lost_lines_of_the_drives_are_told(void **state) {
    (void)state;
    zw_forced_options o = zw_forced_options_default();
    o.harmonics = 10;
    if (open_study(PRODUCT, NULL, o) < 0 || zw_forced_find(f.study, NAN, NULL, &f.err) < 0)
        fail_msg("%s", f.err.text);
    assert_true(zw_forced_motion_at(f.study, 0)->error > 0.5);
    assert_doubts(1);
    close_study();
}

/* Intermodulation of drives with a common base, 2u - w above all; rms by the classical Runge-Kutta
 * method in a program of its own. The amplitude `first` is that at w, not at the base. */
static void test_forced__intermodulation_of_drives_with_a_base(void **state) {
    (void)state;
    const zw_forced_motion *m =
        find_first("model q\nunits none\nparam w = 1, u = 1.3, v = 2*pi\ncoord x\n"
                   "kinetic x'^2/2\npotential 2*x^2 + 0.1*x^4\ndissipation 0.2*x'^2\n"
                   "force (x) = cos(w*t) + cos(u*t) + cos(v*t)\n",
                   NULL);
    assert_close(m->measure[0].rms, 0.363914263, 1e-8);
    assert_close(m->measure[0].first, 0.31717, 1e-5);
    assert_true(m->error < 1e-6);
    assert_doubts(0);
    close_study();
}

/* A product in the force and a parametric excitation: the line 1.3 rad/s counts (0.349 of 2.24). A
 * run of its own stays on the torus. */
static void test_forced__a_modulated_drive_of_a_parametric_oscillator(void **state) {
    (void)state;
    zw_table *rows;
    double gap;
    find_first("model a\nunits none\ncoord x\nkinetic x'^2/2\n"
               "potential (1.44 + 0.2*cos(sqrt(2)*t))*x^2/2\ndissipation 0.05*x'^2\n"
               "force (x) = cos(t)*(1 + 0.2*cos(0.3*t))\n",
               NULL);
    assert_int_equal(zw_forced_motion_table(f.study, 0, 64, NULL, &rows, &gap, &f.err), ZW_OK);
    assert_true(gap < 1e-5);
    zw_table_destroy(rows);
    close_study();
}

/* Two drives share a base, the third one has a line of its own: extremes as of sums of cosines
 * over a long time (a program of its own). */
static void test_forced__extremes_of_drives_with_a_base(void **state) {
    (void)state;
    const zw_forced_motion *m = find_first(
        "model u\nunits none\ncoord x\nkinetic x'^2\npotential 4*x^2\ndissipation 0.15*x'^2\n"
        "force (x) = cos(t) + 0.5*sin(2*pi*t) + 0.25*cos(0.3*t)*sin(t)\n",
        NULL);
    assert_close(m->measure[0].max, 0.18300130, 1e-7);
    assert_close(m->measure[0].min, -0.18304771, 1e-7);
    assert_string_equal(zw_forced_phase_name(f.study, 1), "2*pi");
    close_study();
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_forced__two_tones_of_a_linear_oscillator),
        cmocka_unit_test(test_forced__extremes_where_a_phase_does_not_matter),
        cmocka_unit_test(test_forced__two_tones_stay_on_their_torus),
        cmocka_unit_test(test_forced__exponents_of_two_tones),
        cmocka_unit_test(test_forced__tones_with_a_constraint),
        cmocka_unit_test(test_forced__folds_of_two_tones),
        cmocka_unit_test(test_forced__three_tones_with_a_constraint),
        cmocka_unit_test(test_forced__odd_combinations_miss_even_ones),
        cmocka_unit_test(test_forced__lines_of_products_of_drives),
        cmocka_unit_test(test_forced__lost_lines_of_the_drives_are_told),
        cmocka_unit_test(test_forced__intermodulation_of_drives_with_a_base),
        cmocka_unit_test(test_forced__a_modulated_drive_of_a_parametric_oscillator),
        cmocka_unit_test(test_forced__extremes_of_drives_with_a_base),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
